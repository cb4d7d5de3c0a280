//! Is every verdict folded exactly once when folds race each other?
#![expect(clippy::unwrap_used, reason = "a race that cannot be watched fails")]

use super::ground::{Dice, Ground, Moment};

/// So many rounds in one repository; then it is looked at as a whole, and a new one is made.
const BATCH: usize = 25;

/// `racers` folds at once, while verdicts appear, again and again.
fn race(racers: usize, rounds: usize) {
    let mut dice = Dice::new(racers as u64);
    let (mut judged, mut commits) = (0, 0);
    for batch in (0..rounds).step_by(BATCH) {
        let mut ground = Ground::new();
        for _ in batch..rounds.min(batch + BATCH) {
            round(&mut ground, racers, &mut dice);
        }
        ground.folds();
        ground.check(Moment::Rest);
        let made = ground.commits();
        ground.folds();
        assert_eq!(ground.commits(), made, "I4: a second run makes a commit");
        judged += ground.judged();
        commits += made - 1;
    }
    println!(
        "{racers} racing folds, {rounds} rounds: {judged} verdicts in {commits} commits, 0 violations"
    );
}

fn round(ground: &mut Ground, racers: usize, dice: &mut Dice) {
    (0..dice.below(3)).for_each(|_| ground.judge());
    let before = ground.judged();
    let mut running = Vec::new();
    for _ in 0..racers {
        running.push(ground.fold());
        if dice.below(2) == 0 {
            ground.judge();
        }
    }
    for child in running {
        let _ = ground
            .repo
            .captured(child.wait_with_output().unwrap())
            .expect(0);
    }
    let folded = ground.folded();
    assert!(
        folded.len() >= before,
        "I8: {} of {before} are folded after exit 0",
        folded.len()
    );
}

#[test]
fn racing_folds() {
    race(4, 4);
    race(8, 2);
}

#[test]
#[ignore = "the full count takes minutes"]
fn four_racing_folds_500_rounds() {
    race(4, 500);
}

#[test]
#[ignore = "the full count takes minutes"]
fn eight_racing_folds_500_rounds() {
    race(8, 500);
}
