//! Tests that the record of another run is read strictly.

use super::*;
use crate::model::record::{parse, print};

fn run(outcome: Outcome) -> Rerun {
    Rerun {
        outcome,
        exit: Some(i32::from(outcome != Outcome::Pass)),
        signal: None,
        duration_ms: 390_000,
    }
}

fn record(outcomes: &[Outcome]) -> Reverification {
    let runs: Vec<_> = outcomes.iter().map(|outcome| run(*outcome)).collect();
    Reverification {
        schema: REVERIFY_SCHEMA.to_owned(),
        verdict_sha256: "a".repeat(64).parse().unwrap(),
        task_id: "t1".to_owned(),
        commit: "1".repeat(40).parse().unwrap(),
        tree: "2".repeat(40).parse().unwrap(),
        command: vec!["make".to_owned(), "test".to_owned()],
        budget: Budget {
            tool_budget_s: 120,
            budget_s: 488,
            source: BudgetSource::Manifest,
            raised: true,
        },
        result: RerunResult::of(&runs),
        runs,
    }
}

fn read(record: &Reverification) -> Result<Reverification, RecordFault> {
    parse(print(record).as_bytes())
}

#[test]
fn the_last_run_decides_unless_one_failed() {
    use Outcome::{Error, Fail, Leak, NotRun, Oom, Pass, Signal, Timeout};
    for (outcomes, result) in [
        (vec![Pass], RerunResult::Pass),
        (vec![Timeout], RerunResult::Timeout),
        (vec![Timeout, Pass], RerunResult::Pass),
        (vec![Pass, Timeout], RerunResult::Timeout),
        (vec![Error], RerunResult::Ungraded),
        (vec![Signal], RerunResult::Ungraded),
        (vec![Pass, Oom], RerunResult::Ungraded),
        (vec![Fail, Pass], RerunResult::Fail),
        (vec![Error, Pass], RerunResult::Ungraded),
        (vec![Signal, Timeout], RerunResult::Ungraded),
        (vec![NotRun, Pass], RerunResult::Ungraded),
        (vec![Leak], RerunResult::Fail),
        (vec![], RerunResult::Ungraded),
    ] {
        assert_eq!(record(&outcomes).result, result, "{outcomes:?}");
    }
    // what did not start shows nothing at all
    let missing = Rerun {
        exit: None,
        ..run(NotRun)
    };
    assert_eq!(
        RerunResult::of(std::slice::from_ref(&missing)),
        RerunResult::Ungraded
    );
    assert_eq!(RerunResult::of(&[missing, run(Pass)]), RerunResult::Pass);
}

#[test]
fn a_record_is_read_as_it_was_written() {
    for outcomes in [&[Outcome::Pass][..], &[Outcome::Timeout, Outcome::Fail]] {
        let record = record(outcomes);
        assert_eq!(read(&record), Ok(record));
    }
}

#[test]
fn a_record_that_contradicts_itself_is_none() {
    let good = record(&[Outcome::Pass]);
    let with_run = |change: fn(&mut Rerun)| {
        let mut bad = good.clone();
        change(&mut bad.runs[0]);
        bad
    };
    let budget = |budget_s, raised| Budget {
        budget_s,
        raised,
        ..good.budget.clone()
    };
    for (name, bad) in [
        (
            "schema",
            Reverification {
                schema: "git-reins/reverify/2".to_owned(),
                ..good.clone()
            },
        ),
        (
            "no command",
            Reverification {
                command: vec![],
                ..good.clone()
            },
        ),
        (
            "blank program",
            Reverification {
                command: vec![String::new()],
                ..good.clone()
            },
        ),
        (
            "no run",
            Reverification {
                runs: vec![],
                ..good.clone()
            },
        ),
        (
            "another result",
            Reverification {
                result: RerunResult::Pass,
                ..record(&[Outcome::Timeout])
            },
        ),
        (
            "another result",
            Reverification {
                result: RerunResult::Timeout,
                ..record(&[Outcome::Fail])
            },
        ),
        (
            "a pass that left with 1",
            with_run(|run| run.exit = Some(1)),
        ),
        ("a pass that did not leave", with_run(|run| run.exit = None)),
        (
            "a pass that was killed",
            with_run(|run| run.signal = Some(9)),
        ),
        (
            "raised by nothing",
            Reverification {
                budget: budget(120, true),
                ..good.clone()
            },
        ),
        (
            "raised in silence",
            Reverification {
                budget: budget(488, false),
                ..good.clone()
            },
        ),
        (
            "lowered",
            Reverification {
                budget: budget(60, false),
                ..good.clone()
            },
        ),
    ] {
        assert!(read(&bad).is_err(), "{name}");
    }
}
