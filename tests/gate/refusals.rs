//! For every refusal code a repository that yields exactly it, one change away from an honest one.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot tell its story fails"
)]

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use git_reins::model::ids::Sha256;
use git_reins::model::refusal::{Class, Code};
use git_reins::model::trial::{Outcome, Revision, Trial, TrialReason, TrialVerdict};
use serde_json::{Value, json};

use super::story::{Answer, Ledgers, Story, in_parallel};
use super::trial::set;

/// The codes that another command yields: `reconcile`, see tests/foreman.
const OF_THE_FOREMAN: &[Code] = &[Code::SecretSuspected];

/// One repository, and the code and reason that its answer has to have.
pub struct Case {
    pub code: Code,
    pub reason: &'static str,
    pub tell: fn() -> (Story, Answer),
}

const fn case(code: Code, reason: &'static str, tell: fn() -> (Story, Answer)) -> Case {
    Case { code, reason, tell }
}

/// Every case, in the order of the codes.
pub const CASES: &[Case] = &[
    case(Code::CanaryFailed, "canary", || {
        let story = Story::honest();
        let answer = story.admit(
            &json!([
                {"property_id": "bal-01", "status": "pass"},
                {"property_id": "parse_diff", "status": "fail"},
            ]),
            &[],
        );
        (story, answer)
    }),
    case(Code::EmptyPatch, "nothing-to-admit", || {
        passed(Story::landed())
    }),
    case(Code::FixtureDigestMismatch, "bytes-differ", || {
        passed(with_fixture(|fixture| {
            fixture["files"][0]["size"] = json!(1)
        }))
    }),
    case(Code::FixtureEpochUnpinned, "field-missing", || {
        passed(with_fixture(|fixture| {
            fixture["runner_image_id"] = json!(" ")
        }))
    }),
    case(Code::FixtureEpochUnpinned, "image-malformed", || {
        passed(with_fixture(|fixture| {
            fixture["runner_image_id"] = json!("latest")
        }))
    }),
    case(Code::FixtureEpochUnpinned, "base-rev", || {
        passed(with_fixture(|fixture| fixture["base_rev"] = json!("HEAD")))
    }),
    case(Code::FixtureEpochUnpinned, "epoch-reused", || {
        let story = Story::landed();
        let mut ledgers = story.ledgers(&["bal-01", "bal-02"]);
        ledgers.fixture["base_rev"] = json!(story.id("main"));
        story.land_ledgers(&ledgers);
        story.patch("one");
        both(story)
    }),
    case(Code::FixtureEpochUnpinned, "bytes-not-loaded", || {
        let story = Story::start();
        story.write(".gitattributes", "fixtures/*.json ident\n");
        story.commit("attributes");
        story.land();
        story.land_ledgers(&story.ledgers(&["bal-01"]));
        story.patch("one");
        passed(story)
    }),
    case(Code::FixtureEpochUnpinned, "bytes-not-loaded", || {
        let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 12345\n";
        passed(with_files(|story| story.write("fixtures/big.bin", pointer)))
    }),
    case(Code::FixtureEpochUnpinned, "bytes-not-loaded", || {
        passed(with_files(|story| {
            let executable = fs::Permissions::from_mode(0o755);
            fs::set_permissions(story.path("fixtures/accounts.json"), executable).unwrap();
        }))
    }),
    case(Code::FixtureEpochUnpinned, "freeze-of-other-epoch", || {
        passed(with_freeze(|freeze| {
            freeze["fixture_epoch"] = json!("epoch-0")
        }))
    }),
    case(Code::FixtureMigrationMixed, "migration-with-patch", || {
        let story = Story::landed();
        story.write("fixtures/accounts.json", "[{\"opening\": 1000000}]\n");
        story.commit("bytes");
        repin(&story, |_| {});
        story.patch("one");
        both(story)
    }),
    case(Code::FixtureMigrationMixed, "fixture-changed", || {
        let story = Story::ready();
        story.write("fixtures/accounts.json", "[{\"opening\": 11}]\n");
        story.put(&story.ledgers(&["bal-01"]));
        story.patch("one");
        passed(story)
    }),
    case(Code::FixtureMigrationMixed, "image-changed", || {
        let story = Story::landed();
        story.patch("one");
        repin(&story, |fixture| {
            fixture["runner_image_id"] = json!("nix:/nix/store/abc")
        });
        both(story)
    }),
    case(Code::FixtureMigrationMixed, "bytes-with-ledger", || {
        let story = Story::landed();
        story.write("fixtures/accounts.json", "[{\"opening\": 1000000}]\n");
        repin(&story, |_| {});
        checked(story)
    }),
    case(Code::FreezeAddedWithPatch, "added", || {
        let story = Story::landed();
        let mut ledgers = story.ledgers(&["bal-01", "bal-02"]);
        ledgers.fixture["base_rev"] = json!(story.id("main~1"));
        ledgers.freezes = vec![story.freeze("bal-02", "2026-12-20")];
        ledgers.freezes[0]["base_rev"] = ledgers.fixture["base_rev"].clone();
        story.put(&ledgers);
        story.patch("one");
        both(story)
    }),
    case(Code::FreezeAddedWithPatch, "edited", || {
        let story =
            with_two(|story, ledgers| ledgers.freezes = vec![story.freeze("bal-02", "2026-12-10")]);
        story.land();
        story.replace("ledger/freezes.json", "2026-12-10", "2026-12-20");
        story.commit("extend");
        story.patch("one");
        both(story)
    }),
    case(Code::FreezeExpired, "expired", || {
        passed(with_freeze(|freeze| {
            freeze["expires_at"] = json!("2026-11-29")
        }))
    }),
    case(Code::FreezeHorizonExceeded, "too-far", || {
        passed(with_freeze(|freeze| {
            freeze["expires_at"] = json!("9999-12-31")
        }))
    }),
    case(Code::FreezeOnCanary, "never-frozen", || {
        passed(with_freeze(|freeze| {
            freeze["property_id"] = json!("apply_check")
        }))
    }),
    case(Code::FreezeReplayNotOnBase, "other-base", || {
        passed(with_freeze(|freeze| {
            freeze["base_rev"] = json!("0123456789012345678901234567890123456789")
        }))
    }),
    case(Code::FreezeReplayNotOnBase, "not-on-base", || {
        passed(with_freeze(|freeze| {
            freeze["observed_on"] = json!("candidate")
        }))
    }),
    case(Code::FreezeShareExceeded, "share", || {
        let story = with_rows(&["bal-01", "bal-02", "bal-03"], |story, ledgers| {
            ledgers.freezes = ["bal-02", "bal-03"]
                .map(|id| story.freeze(id, "2026-12-20"))
                .to_vec();
        });
        story.patch("one");
        passed(story)
    }),
    case(Code::FreezeStableFailure, "replay", || {
        let story = with_freeze(|_| {});
        recorded(story, |trial| {
            set(
                trial,
                "bal-02",
                Some("0x9c1e"),
                Revision::Base,
                Outcome::Fail,
            )
        })
    }),
    case(Code::FreezeUnbound, "field-missing", || {
        passed(with_freeze(|freeze| freeze["owner"] = json!("")))
    }),
    case(Code::FreezeUnbound, "no-day", || {
        passed(with_freeze(|freeze| freeze["expires_at"] = json!("soon")))
    }),
    case(Code::FreezeUnbound, "unknown-property", || {
        passed(with_freeze(|freeze| {
            freeze["property_id"] = json!("bal-99")
        }))
    }),
    case(Code::FrozenRegression, "not-covered", || {
        let story = with_freeze(|freeze| freeze["quarantine_eligible"] = json!(false));
        let answer = story.admit(
            &json!([
                {"property_id": "bal-01", "status": "pass"},
                {"property_id": "bal-02", "status": "fail"},
            ]),
            &[],
        );
        (story, answer)
    }),
    case(Code::HistoryIncomplete, "", || {
        let story = Story::honest();
        story.git(&["config", "core.repositoryFormatVersion", "0"]);
        let origin = story.path("../origin.git");
        let (origin, here) = (
            origin.display().to_string(),
            story.path("").display().to_string(),
        );
        story.git(&["clone", "-q", "--bare", &here, &origin]);
        story.git(&["remote", "add", "origin", &format!("file://{origin}")]);
        story.git(&["fetch", "-q", "origin"]);
        story.git(&["remote", "set-head", "origin", "main"]);
        fs::write(story.path(".git/shallow"), story.id("topic~1") + "\n").unwrap();
        passed(story)
    }),
    case(Code::LineUnknown, "", || {
        let story = Story::honest();
        story.git(&["clone", "-q", "--bare", ".", "../origin.git"]);
        let head = ["symbolic-ref", "HEAD", "refs/heads/main"];
        story.git(&[&["-C", "../origin.git"][..], &head].concat());
        story.git(&["remote", "add", "origin", "../origin.git"]);
        passed(story)
    }),
    case(Code::PolicyMissing, "", || {
        let story = Story::honest();
        let empty = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
        let orphan = story.git(&["commit-tree", "-m", "none", empty]);
        story.git(&["branch", "-q", "-f", "main", orphan.trim()]);
        story.git(&["switch", "-q", "main"]);
        passed(story)
    }),
    case(Code::HistoryUntrusted, "no-common-commit", || {
        let story = Story::honest();
        story.git(&["switch", "-q", "--orphan", "other"]);
        story.git(&["restore", "--source=topic", "--", ":/"]);
        story.commit("all at once");
        checked(story)
    }),
    case(Code::LedgerInvalid, "unreadable", || {
        passed(with_text(
            "ledger/oracle.json",
            "\"sees_diff\"",
            "\"sees_dif\"",
        ))
    }),
    case(Code::LedgerInvalid, "stray-entry", || {
        passed(with_files(|story| story.write("ledger/notes.md", "x\n")))
    }),
    case(Code::LedgerInvalid, "unknown-check", || {
        passed(with_row(|row| row["check"] = json!("elsewhere")))
    }),
    case(Code::LedgerInvalid, "source-not-found", || {
        passed(with_row(|row| {
            row["source"] = json!("spec/accounts.md#nowhere")
        }))
    }),
    case(Code::LedgerInvalid, "witness-patch", || {
        let pin = json!({"path": "ledger/witness/bal-01.diff", "sha256": "0".repeat(64)});
        let story = Story::start();
        let mut ledgers = story.ledgers(&["bal-01"]);
        ledgers.oracles[0]["witness_patch"] = pin;
        story.write("ledger/witness/bal-01.diff", "diff\n");
        story.land_ledgers(&ledgers);
        story.patch("one");
        passed(story)
    }),
    case(Code::LedgerMissing, "absent", || {
        let story = Story::honest();
        fs::remove_file(story.path("ledger/freezes.json")).unwrap();
        story.commit("drop");
        passed(story)
    }),
    case(Code::NeedsHuman, "human-only-path", || {
        let story = Story::honest();
        story.write("src/auth/login.py", "x\n");
        story.commit("login");
        passed(story)
    }),
    case(Code::NeedsHuman, "policy-changed", || {
        let story = Story::ready();
        story.replace(
            ".gitreins/reins.toml",
            "[\"docs\"]",
            "[\"docs\", \"notes\"]",
        );
        story.commit("policy");
        checked(story)
    }),
    case(Code::NeedsHuman, "spec-changed", || {
        let story = Story::landed();
        story.write(
            "spec/accounts.md",
            "# Accounts\n\n## No overdraft\n\nBut for a day.\n",
        );
        story.commit("spec");
        story.patch("one");
        both(story)
    }),
    case(Code::NeedsHuman, "revert", || {
        let story = Story::landed();
        story.put(&story.ledgers(&["bal-01", "bal-02", "bal-03"]));
        story.replace(
            "ledger/fixture.json",
            &story.id("main"),
            &story.id("main~1"),
        );
        story.patch("two");
        story.land();
        story.git(&["revert", "--no-edit", "HEAD"]);
        both(story)
    }),
    case(Code::NoUnfrozenProperties, "empty-complement", || {
        let story = Story::start();
        story.land_ledgers(&story.ledgers(&[]));
        story.patch("one");
        let answer = story.admit(&json!([]), &[]);
        (story, answer)
    }),
    case(Code::OracleNotIndependent, "sees-diff", || {
        let story = with_two(|_, ledgers| ledgers.oracles[1]["sees_diff"] = json!(true));
        story.patch("one");
        both(story)
    }),
    case(Code::OracleNotIndependent, "property-unpinned", || {
        let story = with_two(|_, ledgers| ledgers.oracles[1]["property_files"] = json!([]));
        story.patch("one");
        both(story)
    }),
    case(Code::OracleNotIndependent, "property-changed", || {
        let story = Story::ready();
        story.write("properties/conftest.py", "x = 1\n");
        story.patch("one");
        passed(story)
    }),
    case(Code::OracleNotIndependent, "same-commit", || {
        let story = Story::ready();
        story.put(&story.ledgers(&["bal-01", "bal-02"]));
        story.patch("one");
        both(story)
    }),
    case(Code::OracleNotIndependent, "changed-after-patch", || {
        let story = Story::honest();
        story.replace("ledger/oracle.json", "balance >= 0", "balance >= -1");
        story.commit("edit");
        passed(story)
    }),
    case(Code::OracleNotIndependent, "removed", || {
        let story = with_two(|_, _| {});
        story.patch("one");
        story.land_ledgers(&story.ledgers(&["bal-01"]));
        passed(story)
    }),
    case(Code::OracleNotIndependent, "weakened", || {
        let story = Story::landed();
        story.replace("ledger/oracle.json", "balance >= 0", "balance >= -1");
        story.commit("edit");
        story.patch("one");
        both(story)
    }),
    case(Code::PathUnsafe, "stray-entry", || {
        let story = Story::honest();
        fs::create_dir_all(story.path(".gitreins/history/2026-11-30/cafe")).unwrap();
        symlink(
            "/etc/passwd",
            story.path(".gitreins/history/2026-11-30/cafe/verdict.json"),
        )
        .unwrap();
        story.commit("fold");
        passed(story)
    }),
    case(Code::PathUnsafe, "unreadable", || {
        passed(with_row(|row| {
            row["property_files"][0]["path"] = json!("properties/../src/account.py")
        }))
    }),
    case(Code::PolicyChangedByPatch, "policy-with-patch", || {
        let story = Story::ready();
        story.replace(".gitreins/reins.toml", "[\"docs\"]", "[\"docs\", \"src\"]");
        story.patch("one");
        passed(story)
    }),
    case(Code::PolicyInvalid, "", || {
        let story = Story::start();
        story.replace(".gitreins/reins.toml", "exempt", "exempted");
        story.commit("policy");
        story.land();
        story.land_ledgers(&story.ledgers(&["bal-01"]));
        story.patch("one");
        passed(story)
    }),
    case(Code::ResultsInvalid, "unreadable", || {
        let story = Story::honest();
        let answer = story.admit(&json!({"bal-01": "pass"}), &[]);
        (story, answer)
    }),
    case(Code::ResultsInvalid, "unknown-property", || {
        let story = Story::honest();
        let answer = story.pass(&["bal-01", "bal-99"]);
        (story, answer)
    }),
    case(Code::SpecChangedByPatch, "text-changed", || {
        let story = Story::ready();
        story.write(
            "spec/accounts.md",
            "# Accounts\n\n## No overdraft\n\nBut for a day.\n",
        );
        story.patch("one");
        passed(story)
    }),
    case(Code::UnfrozenPropertyFailed, "failed", || {
        let story = Story::honest();
        let answer = story.admit(&json!([{"property_id": "bal-01", "status": "fail"}]), &[]);
        (story, answer)
    }),
    case(Code::UnfrozenPropertyFailed, "no-result", || {
        let story = with_two(|_, _| {});
        story.patch("one");
        passed(story)
    }),
    case(Code::VerdictMissing, "no-trial", || {
        let story = Story::here();
        let answer = story.by_trial();
        (story, answer)
    }),
    case(Code::VerdictRejected, "rejected", || {
        recorded(Story::honest(), |trial| {
            trial.verdict = TrialVerdict::Reject;
            trial.reasons = vec![TrialReason::BytesChanged];
        })
    }),
    case(Code::VerdictRewritten, "bytes-changed", || {
        let story = Story::honest();
        let path = story.fold(&story.trial());
        story.replace(&path, "\"unwitnessed\"", "\"unwitnessed \"");
        story.commit("touch up");
        let (folded, _) = recorded(story, |trial| trial.blob = Some(Sha256([8; 32])));
        let answer = folded.by_trial();
        (folded, answer)
    }),
    case(Code::VerdictStale, "other-candidate", || {
        let story = Story::here();
        story.fold(&story.trial());
        story.patch("two");
        let answer = story.by_trial();
        (story, answer)
    }),
];

/// What the trial says when its record is bent and folded.
fn recorded(story: Story, bend: impl FnOnce(&mut Trial)) -> (Story, Answer) {
    let mut trial = story.trial();
    bend(&mut trial);
    story.fold(&trial);
    let answer = story.by_trial();
    (story, answer)
}

fn passed(story: Story) -> (Story, Answer) {
    let answer = story.pass(&["bal-01"]);
    (story, answer)
}

fn both(story: Story) -> (Story, Answer) {
    let answer = story.pass(&["bal-01", "bal-02"]);
    (story, answer)
}

fn checked(story: Story) -> (Story, Answer) {
    let answer = story.check();
    (story, answer)
}

fn with_rows(ids: &[&str], bend: impl FnOnce(&Story, &mut Ledgers)) -> Story {
    let story = Story::start();
    let mut ledgers = story.ledgers(ids);
    bend(&story, &mut ledgers);
    story.land_ledgers(&ledgers);
    story
}

fn with_two(bend: impl FnOnce(&Story, &mut Ledgers)) -> Story {
    with_rows(&["bal-01", "bal-02"], bend)
}

fn with_fixture(bend: impl FnOnce(&mut Value)) -> Story {
    let story = with_rows(&["bal-01"], |_, ledgers| bend(&mut ledgers.fixture));
    story.patch("one");
    story
}

fn with_row(bend: impl FnOnce(&mut Value)) -> Story {
    let story = with_rows(&["bal-01"], |_, ledgers| bend(&mut ledgers.oracles[0]));
    story.patch("one");
    story
}

/// A freeze of the second of two rows, bent.
fn with_freeze(bend: impl FnOnce(&mut Value)) -> Story {
    let story = with_two(|story, ledgers| {
        ledgers.freezes = vec![story.freeze("bal-02", "2026-12-20")];
        bend(&mut ledgers.freezes[0]);
        if ledgers.freezes[0]["property_id"] != "bal-02" {
            ledgers.oracles.pop();
        }
    });
    story.patch("one");
    story
}

/// More files in the commit of the ledgers.
fn with_files(write: impl FnOnce(&Story)) -> Story {
    let story = Story::start();
    write(&story);
    story.land_ledgers(&story.ledgers(&["bal-01"]));
    story.patch("one");
    story
}

fn with_text(path: &str, from: &str, to: &str) -> Story {
    let story = Story::start();
    story.put(&story.ledgers(&["bal-01"]));
    story.replace(path, from, to);
    story.commit("ledgers");
    story.patch("one");
    story
}

/// Pins a new epoch over the rows of `landed`.
fn repin(story: &Story, bend: impl FnOnce(&mut Value)) {
    let mut ledgers = story.ledgers(&["bal-01", "bal-02"]);
    ledgers.fixture["epoch_id"] = json!("epoch-2");
    bend(&mut ledgers.fixture);
    story.land_ledgers(&ledgers);
}

/// What a case of a class has to say, and nothing else.
fn holds(case: &Case) -> Result<(), String> {
    let (_story, answer) = (case.tell)();
    let name = case.code.as_str();
    let (code, codes) = match case.code.entry().class {
        Class::Refusal => (1, answer.refusals()),
        Class::Hold => (
            3,
            answer
                .details()
                .iter()
                .filter_map(|detail| detail["code"].as_str())
                .collect(),
        ),
        Class::Undecided => (128, answer.json["code"].as_str().into_iter().collect()),
    };
    let unique: BTreeSet<_> = codes.iter().copied().collect();
    if answer.run.code != Some(code) || unique != BTreeSet::from([name]) {
        return Err(format!(
            "{name} ({}) expected, {}",
            case.reason,
            answer.brief()
        ));
    }
    if code != 128
        && !answer
            .details()
            .iter()
            .any(|detail| detail["reason"] == case.reason)
    {
        return Err(format!(
            "{name} ({}) expected, {}",
            case.reason,
            answer.brief()
        ));
    }
    for detail in answer.details() {
        for member in ["reason", "subject", "observed", "expected", "fix"] {
            if detail[member]
                .as_str()
                .is_none_or(|text| text.trim().is_empty())
            {
                return Err(format!("{name}: {member} is empty in {detail:#}"));
            }
        }
    }
    Ok(())
}

#[test]
fn every_case_yields_exactly_its_code() {
    let faults: Vec<_> = in_parallel(CASES, |case| holds(case).err())
        .into_iter()
        .flatten()
        .collect();
    assert!(
        faults.is_empty(),
        "{} cases fail\n{}",
        faults.len(),
        faults.join("\n")
    );
}

#[test]
fn every_code_has_a_case() {
    let told: BTreeSet<Code> = CASES.iter().map(|case| case.code).collect();
    let elsewhere: BTreeSet<Code> = OF_THE_FOREMAN.iter().copied().collect();
    let all: BTreeSet<Code> = Code::ALL.iter().copied().collect();
    assert_eq!(told.intersection(&elsewhere).count(), 0);
    assert_eq!(
        told.union(&elsewhere).copied().collect::<BTreeSet<_>>(),
        all
    );
}
