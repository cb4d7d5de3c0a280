//! Tests that a trial record is read back as it was written.

use super::*;
use crate::model::record::{RecordFault, parse};
use sha2::Digest as _;

fn hex(digit: &str) -> Sha256 {
    digit.repeat(64).parse().unwrap()
}

fn run(id: &str, property: Option<&str>, outcome: Outcome) -> CheckRun {
    CheckRun {
        id: id.to_owned(),
        property: property.map(|id| id.parse().unwrap()),
        kind: if property.is_some() {
            CheckKind::Property
        } else {
            CheckKind::Canary
        },
        seed: property.map(|_| "0x9c1e".to_owned()),
        revision: Revision::Candidate,
        outcome,
        class: Some(if outcome == Outcome::Pass {
            Class::PropPass
        } else {
            Class::PropFail
        }),
        reason: None,
        exit: Some(i32::from(outcome != Outcome::Pass)),
        signal: None,
        opened: None,
        details: RunDetails::default(),
    }
}

fn admitted() -> Trial {
    Trial {
        schema: TRIAL_SCHEMA.to_owned(),
        blob: Some(hex("a")),
        base_rev: "1".repeat(40).parse().unwrap(),
        base_tree: "2".repeat(40).parse().unwrap(),
        candidate_tree: Some("3".repeat(64).parse().unwrap()),
        touched: vec!["src/a.py".parse().unwrap(), "src/b.py".parse().unwrap()],
        seeds: vec![CheckSeeds {
            check: "props".to_owned(),
            seeds: vec!["0x9c1e".to_owned()],
        }],
        seeds_sha256: hex("b"),
        policy_sha256: hex("c"),
        rows_sha256: hex("d"),
        epoch: Epoch {
            epoch_id: "epoch-3".to_owned(),
            digest_sha256: hex("e"),
        },
        image: Image {
            id: "nix:/nix/store/x".to_owned(),
            fingerprint: "f".to_owned(),
        },
        enforced: Enforced {
            fixtures: FixtureGuard::Landlock,
            network: NetworkGuard::NetnsLo,
            kill: KillGuard::Pidns,
            trace: Trace::None,
        },
        checks: vec![
            run("parse_diff", None, Outcome::Pass),
            run("props", Some("p"), Outcome::Pass),
        ],
        power: vec![PropertyPower {
            property_id: "p".parse().unwrap(),
            power: Power::BaseFail,
        }],
        online: Vec::new(),
        unwitnessed: vec![],
        held: vec![],
        canary_bad: vec![],
        illegal_freeze: vec![],
        uncovered_fail: vec![],
        verdict: TrialVerdict::Admit,
        reasons: vec![],
        timing: None,
    }
}

fn rejected() -> Trial {
    Trial {
        checks: vec![run("props", Some("p"), Outcome::Fail)],
        uncovered_fail: vec!["p".to_owned()],
        verdict: TrialVerdict::Reject,
        reasons: vec![TrialReason::UncoveredFail],
        ..admitted()
    }
}

fn held() -> Trial {
    Trial {
        held: vec!["p".to_owned()],
        verdict: TrialVerdict::Hold,
        reasons: vec![TrialReason::FreezeHit],
        ..admitted()
    }
}

fn read(trial: &Trial) -> Result<Trial, RecordFault> {
    parse(print(trial).as_bytes())
}

#[test]
fn a_record_is_read_as_it_was_written() {
    for trial in [admitted(), rejected(), held()] {
        assert_eq!(read(&trial), Ok(trial));
    }
    let text = print(&admitted());
    for words in [
        r#""opened": null"#,
        r#""property": null"#,
        r#""class": "PROP_PASS""#,
        r#""network": "netns-lo""#,
    ] {
        assert!(text.contains(words), "{words}");
    }
    assert!(!text.contains("timing"));
}

#[test]
fn the_directory_is_named_by_everything_but_the_clock() {
    let bare = admitted();
    let timing = Timing {
        started_at: "2026-01-02T03:04:05Z".to_owned(),
        wall_ms: 7,
        checks_ms: vec![3, 4],
    };
    let timed = Trial {
        timing: Some(timing),
        ..bare.clone()
    };
    assert_eq!(read(&timed), Ok(timed.clone()));
    assert_eq!(timed.directory_name(), bare.directory_name());
    assert_eq!(bare.directory_name(), bare.digest().to_string()[..16]);
    assert_ne!(
        Trial {
            rows_sha256: hex("1"),
            ..bare.clone()
        }
        .directory_name(),
        bare.directory_name()
    );
    let by_hand = sha2::Sha256::digest(print(&bare));
    assert_eq!(bare.digest(), Sha256(by_hand.into()));
}

#[test]
fn no_other_spelling_is_a_record() {
    let text = print(&admitted());
    for (from, to) in [
        ("\"held\": []", "\"held\":[]"),
        ("\"held\": [],\n", "\"held\": [],\n  \"held\": [],\n"),
        ("\"held\": [],\n", "\"held\": [],\n  \"extra\": 1,\n"),
        ("  \"held\": [],\n", ""),
        ("      \"seed\": null,\n", ""),
        ("\"props\"", "\"\\u0070rops\""),
        ("\"git-reins/trial/1\"", "\"git-reins/trial/2\""),
        ("\"admit\"", "\"allow\""),
        ("\"pass\"", "\"passed\""),
        ("\"landlock\"", "\"landlock-abi7\""),
        ("\"exit\": 0", "\"exit\": 0.0"),
        ("\"src/a.py\"", "\"../a.py\""),
        ("\"src/b.py\"", "\"src/a.py\""),
        ("nix:/nix/store/x", "img-1"),
        (&"c".repeat(64), &"C".repeat(64)),
    ] {
        let other = text.replacen(from, to, 1);
        assert_ne!(other, text, "{from}");
        assert!(parse::<Trial>(other.as_bytes()).is_err(), "{from} -> {to}");
    }
    assert!(parse::<Trial>((text.clone() + "\n").as_bytes()).is_err());
    assert!(parse::<Trial>(text.replace('\n', "\r\n").as_bytes()).is_err());
    let as_list = text
        .replacen(
            r#""epoch": {
    "epoch_id": "epoch-3",
    "digest_sha256": "#,
            r#""epoch": [
    "epoch-3",
    "#,
            1,
        )
        .replacen("ee\"\n  },\n  \"image\"", "ee\"\n  ],\n  \"image\"", 1);
    assert!(parse::<Trial>(as_list.as_bytes()).is_err());
}

#[test]
fn a_fault_names_the_field() {
    let text = print(&admitted()).replacen("\"admit\"", "\"allow\"", 1);
    let fault = parse::<Trial>(text.as_bytes()).unwrap_err();
    assert_eq!(fault.field.as_deref(), Some("verdict"));
    let text = print(&admitted()).replacen("\"outcome\": \"pass\"", "\"outcome\": \"ok\"", 1);
    assert_eq!(
        parse::<Trial>(text.as_bytes())
            .unwrap_err()
            .field
            .as_deref(),
        Some("checks[0].outcome")
    );
}

#[test]
fn hidden_characters_are_escaped_and_read_back() {
    let mut trial = admitted();
    trial.seeds[0].seeds[0] = "\u{1b}[2K\u{202e}\u{7f}".to_owned();
    assert!(
        !print(&trial)
            .chars()
            .any(|c| c != '\n' && super::super::path::is_hidden(c))
    );
    assert_eq!(read(&trial), Ok(trial));
}

/// What a verdict may not say.
#[test]
fn a_verdict_that_its_lists_contradict_is_no_record() {
    let canary = |outcome| {
        vec![
            run("parse_diff", None, outcome),
            run("props", Some("p"), Outcome::Pass),
        ]
    };
    let on_base = CheckRun {
        revision: Revision::Base,
        ..run("props", Some("p"), Outcome::Pass)
    };
    let p = || vec!["p".to_owned()];
    let ended = |outcome, exit| {
        vec![CheckRun {
            exit,
            signal: Some(9),
            ..run("props", Some("p"), outcome)
        }]
    };
    for (name, bad) in [
        (
            "admits and holds",
            Trial {
                held: p(),
                ..admitted()
            },
        ),
        (
            "admits with a reason",
            Trial {
                reasons: vec![TrialReason::BytesChanged],
                ..admitted()
            },
        ),
        (
            "admits a failure",
            Trial {
                uncovered_fail: p(),
                ..admitted()
            },
        ),
        (
            "admits with a bad canary",
            Trial {
                canary_bad: p(),
                ..admitted()
            },
        ),
        (
            "admits nothing",
            Trial {
                checks: vec![],
                ..admitted()
            },
        ),
        (
            "admits canaries alone",
            Trial {
                checks: vec![run("parse_diff", None, Outcome::Pass)],
                ..admitted()
            },
        ),
        (
            "admits what ran on base",
            Trial {
                checks: vec![on_base],
                ..admitted()
            },
        ),
        (
            "admits past a canary",
            Trial {
                checks: canary(Outcome::Fail),
                ..admitted()
            },
        ),
        (
            "admits past no canary",
            Trial {
                checks: canary(Outcome::NotRun),
                ..admitted()
            },
        ),
        (
            "admits what was killed",
            Trial {
                checks: ended(Outcome::Pass, None),
                ..admitted()
            },
        ),
        (
            "ends twice",
            Trial {
                checks: ended(Outcome::Fail, Some(1)),
                ..rejected()
            },
        ),
        (
            "admits no patch",
            Trial {
                blob: None,
                ..admitted()
            },
        ),
        (
            "admits no tree",
            Trial {
                candidate_tree: None,
                ..admitted()
            },
        ),
        (
            "holds nothing",
            Trial {
                held: vec![],
                ..held()
            },
        ),
        (
            "holds for another reason",
            Trial {
                reasons: vec![TrialReason::NothingScored],
                ..held()
            },
        ),
        (
            "holds past a canary",
            Trial {
                checks: canary(Outcome::Timeout),
                ..held()
            },
        ),
        (
            "rejects without a reason",
            Trial {
                reasons: vec![],
                uncovered_fail: vec![],
                ..rejected()
            },
        ),
        (
            "hides a reason",
            Trial {
                canary_bad: p(),
                ..rejected()
            },
        ),
        (
            "names a reason without a list",
            Trial {
                uncovered_fail: vec![],
                ..rejected()
            },
        ),
        (
            "rejects for a freeze alone",
            Trial {
                held: p(),
                verdict: TrialVerdict::Reject,
                ..held()
            },
        ),
        (
            "ran after a fault",
            Trial {
                uncovered_fail: vec![],
                reasons: vec![TrialReason::Infra],
                ..rejected()
            },
        ),
    ] {
        assert!(read(&bad).is_err(), "{name}");
    }
    let mut unconfigured = admitted();
    unconfigured.checks.push(CheckRun {
        reason: Some(RunReason::NotConfigured),
        class: None,
        exit: None,
        ..run("public_signature", None, Outcome::NotRun)
    });
    assert_eq!(read(&unconfigured), Ok(unconfigured));
    let empty = Trial {
        checks: vec![],
        blob: None,
        candidate_tree: None,
        uncovered_fail: vec![],
        reasons: vec![TrialReason::EmptyBlob],
        ..rejected()
    };
    assert_eq!(read(&empty), Ok(empty));
}
