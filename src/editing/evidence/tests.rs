//! Tests that a freeze takes exactly what a replay shows, and nothing that has changed since.

use super::*;
use crate::ledger::file::parse;
use crate::ledger::oracle::OracleLedger;
use crate::model::replay::REPLAY_SCHEMA;
use crate::model::trial::{CheckKind, Epoch, Image, Opened, Outcome, RunDetails};

const REV: &str = "0123456789abcdef0123456789abcdef01234567";
const OTHER: &str = "0000000000000000000000000000000000000001";
const ZEROS: Sha256 = Sha256([0; 32]);
const POLICY: &str = "schema = 1\n[paths]\nproperties = [\"properties\"]\nexempt = [\"docs\"]\n\
    [[check]]\nid = \"props\"\nrun = [\"true\", \"{property}\"]\nquarantine_eligible = true\n";

fn run(outcome: Outcome, opened: Option<&[&str]>) -> CheckRun {
    let path = |path: &&str| Opened {
        path: path.parse().unwrap(),
        sha256: ZEROS,
    };
    CheckRun {
        id: "props".to_owned(),
        property: "a".parse().ok(),
        kind: CheckKind::Property,
        seed: Some("7".to_owned()),
        revision: Revision::Base,
        outcome,
        class: None,
        reason: None,
        exit: None,
        signal: None,
        opened: opened.map(|paths| paths.iter().map(path).collect()),
        details: RunDetails::default(),
    }
}

fn row() -> OracleRow {
    let zeros = ZEROS.to_string();
    let text = format!(
        "{{\"schema\": \"git-reins/oracle/1\", \"oracles\": [{{\"oracle_id\": \"a\", \"source\": \"spec/a.md#a\", \
         \"sees_diff\": false, \"property\": \"p\", \"property_files\": [{{\"path\": \"properties/p\", \"sha256\": \"{zeros}\"}}]}}]}}"
    );
    parse::<OracleLedger>(text.as_bytes())
        .unwrap()
        .oracles
        .remove(0)
}

fn fixture() -> FixtureLedger {
    let text = format!(
        "{{\"schema\": \"git-reins/fixture/1\", \"epoch_id\": \"e1\", \"base_rev\": \"{REV}\", \
         \"digest_sha256\": \"{ZEROS}\", \"runner_image_id\": \"gha:u-1\", \"files\": [], \"residual_risk\": []}}"
    );
    parse(text.as_bytes()).unwrap()
}

fn now() -> Now {
    Now {
        policy: crate::policy::parse(POLICY.as_bytes()).unwrap(),
        policy_sha256: ZEROS,
        properties_sha256: ZEROS,
        pinned_tree: REV.parse().ok(),
    }
}

fn replay(runs: Vec<CheckRun>) -> Replay {
    let seed = ReplayedSeed {
        property_id: "a".parse().unwrap(),
        row_sha256: row_sha256(&row()),
        check: "props".to_owned(),
        seed: "7".to_owned(),
        frozen: false,
        ignores_seed: false,
        shows: Shows::Unstable,
        on_candidate: None,
    };
    Replay {
        schema: REPLAY_SCHEMA.to_owned(),
        base_rev: REV.parse().unwrap(),
        base_tree: REV.parse().unwrap(),
        candidate: None,
        policy_sha256: ZEROS,
        properties_sha256: ZEROS,
        epoch: Epoch {
            epoch_id: "e1".to_owned(),
            digest_sha256: ZEROS,
        },
        image: Image {
            id: "gha:u-1".to_owned(),
            fingerprint: "host:x".to_owned(),
        },
        times: 2,
        seeds: vec![seed],
        runs,
        sha256: ZEROS,
    }
}

fn unstable() -> Replay {
    let opened = |path| Some([path, "properties/p", "docs/guide", "lib/x"]);
    let one = run(
        Outcome::Pass,
        opened("src/a").as_ref().map(<[_; 4]>::as_slice),
    );
    let other = run(
        Outcome::Fail,
        opened("src/b").as_ref().map(<[_; 4]>::as_slice),
    );
    replay(vec![one, other])
}

fn carried(replay: &Replay) -> Result<Carried, Refused> {
    of(replay, (&row(), "7"), &fixture(), &now())
}

#[test]
fn a_freeze_takes_over_the_runs_and_the_code_that_they_opened() {
    let carried = carried(&unstable()).unwrap();
    assert_eq!(
        (carried.evidence.runs, carried.evidence.outcomes),
        (2, vec!["pass".into(), "fail".into()])
    );
    let opened = carried.evidence.opened.unwrap();
    assert_eq!(
        opened,
        ["docs/guide", "lib/x", "properties/p", "src/a", "src/b"]
    );
    let code: Vec<_> = carried
        .code
        .iter()
        .flatten()
        .map(RepoPath::as_str)
        .collect();
    assert_eq!(code, ["lib/x", "src/a", "src/b"]);
}

#[test]
fn what_one_run_does_not_know_is_unknown() {
    let mut blind = unstable();
    blind.runs[1].opened = None;
    let carried = carried(&blind).unwrap();
    assert_eq!((carried.code, carried.evidence.opened), (None, None));
}

#[test]
fn the_runs_decide_and_not_the_word_for_them() {
    for (outcomes, code, why) in [
        (
            [Outcome::Fail, Outcome::Fail],
            Some(Code::FreezeStableFailure),
            "never passes",
        ),
        ([Outcome::Pass, Outcome::Pass], None, "always passes"),
        (
            [Outcome::Pass, Outcome::Timeout],
            None,
            "no evidence (pass, timeout)",
        ),
        (
            [Outcome::OutputLimit, Outcome::Oom],
            None,
            "no evidence (output-limit, oom)",
        ),
    ] {
        let refused =
            carried(&replay(outcomes.map(|outcome| run(outcome, None)).into())).unwrap_err();
        assert_eq!(refused.code, code);
        assert!(refused.message.contains(why), "{refused}");
    }
    let mut idle = unstable();
    idle.seeds[0].ignores_seed = true;
    assert!(
        carried(&idle)
            .unwrap_err()
            .message
            .contains("the seed does nothing")
    );
    assert!(
        carried(&replay(vec![
            run(Outcome::FlakyPass, None),
            run(Outcome::Pass, None)
        ]))
        .is_ok()
    );
}

#[test]
fn everything_that_moved_since_refuses() {
    type Change = fn(&mut Replay);
    let changes: [(Change, Option<Code>); 8] = [
        (|replay| replay.policy_sha256 = Sha256([1; 32]), None),
        (|replay| replay.properties_sha256 = Sha256([1; 32]), None),
        (|replay| replay.seeds[0].row_sha256 = ZEROS, None),
        (|replay| replay.seeds[0].seed = "8".to_owned(), None),
        (
            |replay| replay.image.id = "gha:u-2".to_owned(),
            Some(Code::FixtureEpochUnpinned),
        ),
        (
            |replay| replay.epoch.epoch_id = "e2".to_owned(),
            Some(Code::FixtureEpochUnpinned),
        ),
        (
            |replay| replay.epoch.digest_sha256 = Sha256([1; 32]),
            Some(Code::FixtureEpochUnpinned),
        ),
        (
            |replay| replay.base_tree = OTHER.parse().unwrap(),
            Some(Code::FreezeReplayNotOnBase),
        ),
    ];
    for (at, (change, code)) in changes.into_iter().enumerate() {
        let mut replay = unstable();
        change(&mut replay);
        let refused = carried(&replay).unwrap_err();
        assert_eq!(refused.code, code, "{at}: {refused}");
        assert!(refused.fix.is_some(), "{at}: {refused}");
    }
    let unpinned = Now {
        pinned_tree: None,
        ..now()
    };
    assert!(of(&unstable(), (&row(), "7"), &fixture(), &unpinned).is_err());
    let strict = POLICY.replace("eligible = true", "eligible = false");
    let strict = Now {
        policy: crate::policy::parse(strict.as_bytes()).unwrap(),
        ..now()
    };
    assert!(of(&unstable(), (&row(), "7"), &fixture(), &strict).is_err());
}
