//! Is somebody who commits all the time disturbed by folds?
#![expect(clippy::unwrap_used, reason = "a race that cannot be watched fails")]

use super::ground::{Ground, Moment};

/// Commits so often, with so many seconds between, and writes down what git refused.
const PERSON: &str = r#"
at=0
[ "$2" != 0 ] || sleep() { :; }
while [ $at -lt "$1" ]; do
  at=$((at+1))
  sleep "$2"
  echo $at >mine
  git add mine 2>>.git/said || { echo "add $at" >>.git/refused; continue; }
  sleep "$2"
  git commit -q -m "work $at" 2>>.git/said || echo "commit $at" >>.git/refused
done
"#;

/// What came out.
struct Course {
    refused: usize,
    folds: usize,
    gave_up: usize,
}

/// So many commits of a person, with a pause in seconds before each command, while verdicts are
/// folded one after the other.
fn disturb(commits: usize, pause: &str) -> Course {
    let mut ground = Ground::unstaged();
    ground.repo.write("mine", "0\n");
    ground.repo.git(&["add", "mine"]);
    ground
        .repo
        .git(&["commit", "-q", "-m", "mine", "--", "mine"]);
    ground.repo.write(".git/refused", "");
    let mut person = ground.repo.command("sh", &ground.repo.path(""));
    let mut person = person
        .args(["-c", PERSON, "person", &commits.to_string(), pause])
        .spawn()
        .unwrap();
    let (mut folds, mut gave_up) = (0, 0);
    while person.try_wait().unwrap().is_none() {
        ground.judge();
        let run = ground
            .repo
            .captured(ground.fold().wait_with_output().unwrap());
        folds += 1;
        gave_up += usize::from(run.code != Some(0));
    }
    ground.folds();
    ground.check(Moment::Rest);
    let refused = ground.repo.read(".git/refused").lines().count();
    let subjects = ground.repo.git(&["log", "--format=%s"]);
    let works = subjects
        .lines()
        .filter(|subject| subject.starts_with("work "))
        .count();
    assert_eq!(works, commits - refused, "a commit of the person is lost");
    let said = std::fs::read_to_string(ground.repo.path(".git/said")).unwrap_or_default();
    let mixed = ground
        .repo
        .git(&["log", "--format=%s", "--", ".gitreins/history"]);
    let mixed = mixed
        .lines()
        .filter(|subject| subject.starts_with("work "))
        .count();
    println!(
        "{commits} commits, {folds} folds (pause {pause} s): {refused} commits disturbed, {gave_up} folds gave up, {mixed} commits took verdicts along\n{said}"
    );
    Course {
        refused,
        folds,
        gave_up,
    }
}

#[test]
fn commits_and_folds_at_once_lose_nothing() {
    disturb(8, "0");
}

#[test]
#[ignore = "the full count takes minutes"]
fn less_than_one_commit_in_a_hundred_is_disturbed() {
    let Course { refused, .. } = disturb(1_000, "0");
    assert!(refused < 10, "{refused} of 1000");
}

#[test]
#[ignore = "the full count takes minutes"]
fn folds_come_through_between_the_commits_of_a_person() {
    let Course {
        refused,
        folds,
        gave_up,
    } = disturb(1_000, "0.2");
    assert!(refused < 10, "{refused} of 1000");
    assert!(gave_up * 10 < folds, "{gave_up} of {folds} folds gave up");
}
