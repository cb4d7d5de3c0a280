//! What do recorded trials decide: the honest ones, and those that somebody bent?

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;

use git_reins::decide::admit::admit;
use git_reins::decide::evaluation::Evaluation;
use git_reins::decide::score::Scores;
use git_reins::model::decision::{Outcome as Decided, VerdictEvidence};
use git_reins::model::ids::Sha256;
use git_reins::model::record::print;
use git_reins::model::trial::*;
use serde_json::{Value, json};

use super::story::{Answer, Story, TODAY};
use super::trial::{failed, run, set};
use crate::schema::follows;

const FROZEN_SEED: &str = "0x9c1e";

/// A patch under two rows, the second of them frozen.
fn frozen() -> Story {
    let story = Story::start();
    let mut ledgers = story.ledgers(&["bal-01", "bal-02"]);
    ledgers.freezes = vec![story.freeze("bal-02", "2026-12-20")];
    story.land_ledgers(&ledgers);
    story.patch("one");
    story
}

/// Folds a bent record of an honest story and asks.
fn bent(story: &Story, bend: impl FnOnce(&mut Trial)) -> Answer {
    let mut trial = story.trial();
    bend(&mut trial);
    story.fold(&trial);
    story.by_trial()
}

fn honest(bend: impl FnOnce(&mut Trial)) -> Answer {
    bent(&Story::honest(), bend)
}

#[test]
fn an_honest_trial_admits() {
    let story = Story::honest();
    let trial = story.trial();
    story.fold(&trial);
    let answer = story.by_trial();
    answer.admits();
    assert_eq!(answer.json["verdict_evidence"], "self");
    assert_eq!(
        answer.json["blob"],
        json!(trial.blob.map(|blob| blob.to_string()))
    );
    let listed =
        json!([{"property_id": "bal-01", "state": "scored", "status": "pass", "power": "claimed"}]);
    assert_eq!(answer.json["properties"], listed);
    let told = story.reins(&["admit", "--today", TODAY]).expect(0).stdout;
    assert!(
        told.contains("the recorded trial, the word of whoever committed it"),
        "{told}"
    );
}

#[test]
fn a_pass_that_saw_nothing_of_the_patch_is_told_whatever_the_record_says() {
    let seen = vec![Opened {
        path: "README".parse().unwrap(),
        sha256: Sha256([0; 32]),
    }];
    let answer = honest(|trial| {
        let mine = trial.checks.iter_mut().filter(|run| run.property.is_some());
        mine.for_each(|run| run.opened = Some(seen.clone()));
    });
    answer.admits();
    assert!(
        answer.json["warnings"]
            .to_string()
            .contains("bal-01 passed and opened none of"),
        "{answer:?}"
    );
}

#[test]
fn the_code_tree_is_the_one_that_git_would_write() {
    let story = Story::honest();
    story.write(".gitreins/history/2026-11-30/cafe/verdict.json", "{}\n");
    story.write(".gitreins/config.yaml", "a: 1\n");
    story.write("fixtures-not/a", "a\n");
    story.commit("more");
    let code = story.facts().pins;
    let material = [
        "ledger",
        "properties",
        "fixtures",
        "spec",
        ".gitreins/reins.toml",
        ".gitreins/history",
    ];
    for (rev, tree) in [
        ("topic", code.candidate_tree),
        ("main", code.base_tree.expect("a base")),
    ] {
        story.git(&["read-tree", rev]);
        story.git(
            &[
                &["rm", "-q", "-r", "-f", "--cached", "--ignore-unmatch", "--"],
                &material[..],
            ]
            .concat(),
        );
        assert_eq!(
            story.git(&["write-tree"]).trim_end(),
            tree.to_string(),
            "{rev}"
        );
    }
}

#[test]
fn a_trial_stays_good_over_folds_merges_of_nothing_and_rebases() {
    let story = Story::honest();
    let trial = story.trial();
    story.fold(&trial);
    story.git(&["commit", "-q", "--allow-empty", "-m", "more"]);
    story.by_trial().admits();
    // the same code on a base that gained nothing but material
    story.git(&["switch", "-q", "main"]);
    story.write("spec/more.md", "# More\n");
    story.commit("a text");
    story.git(&["switch", "-q", "topic"]);
    story.git(&["rebase", "-q", "main"]);
    story.by_trial().admits();
    // a smoke row and a late row came after it
    let mut smoke = story.row_over("bal-08", "properties/more.py");
    smoke["score"] = json!(false);
    let mut ledgers = story.ledgers(&["bal-01", "bal-09"]);
    ledgers.oracles.push(smoke);
    ledgers.fixture["base_rev"] = json!(story.id("main~1"));
    story.land_ledgers(&ledgers);
    let answer = story.by_trial();
    answer.admits();
    assert_eq!(
        (&answer.json["late"], &answer.json["smoke"]),
        (&json!(1), &json!(1))
    );
}

#[test]
fn a_trial_of_something_else_is_stale_and_says_in_what() {
    let other = |bend: fn(&mut Trial), field: &str| {
        let answer = honest(bend);
        answer.says(1, &["VERDICT_STALE other-candidate"]);
        let fields: Vec<_> = answer
            .details()
            .iter()
            .map(|one| one["field"].clone())
            .collect();
        assert_eq!(fields, [field], "{}", answer.run);
    };
    other(
        |trial| trial.base_tree = trial.candidate_tree.expect("a tree"),
        "base_tree",
    );
    other(
        |trial| trial.policy_sha256 = Sha256([1; 32]),
        "policy_sha256",
    );
    other(|trial| trial.rows_sha256 = Sha256([1; 32]), "rows_sha256");
    other(
        |trial| trial.epoch.epoch_id = "epoch-0".to_owned(),
        "epoch.epoch_id",
    );
    other(
        |trial| trial.epoch.digest_sha256 = Sha256([1; 32]),
        "epoch.digest_sha256",
    );
    other(
        |trial| trial.enforced.network = NetworkGuard::None,
        "enforced",
    );
    other(
        |trial| trial.enforced.fixtures = FixtureGuard::ModeOnly,
        "enforced",
    );

    let story = Story::honest();
    story.fold(&story.trial());
    story.patch("two");
    let answer = story.by_trial();
    answer.says(1, &["VERDICT_STALE other-candidate"]);
    assert_eq!(answer.details()[0]["field"], "candidate_tree");
    story.fold(&story.trial());
    story.by_trial().admits();
}

#[test]
fn a_base_with_other_code_makes_a_trial_stale() {
    let story = Story::honest();
    story.fold(&story.trial());
    story.git(&["switch", "-q", "main"]);
    story.write("src/other.py", "x = 1\n");
    story.commit("main moves");
    story.git(&["switch", "-q", "topic"]);
    story.by_trial().admits(); // its base is still where it forked
    story.git(&["merge", "-q", "-m", "merge main", "main"]);
    let answer = story.by_trial();
    answer.says(1, &["VERDICT_STALE other-candidate"]);
    assert_eq!(
        answer.details().len(),
        2,
        "base and candidate: {}",
        answer.run
    );
    story.fold(&story.trial());
    story.by_trial().admits();
}

#[test]
fn the_strictest_trial_counts_and_cannot_be_taken_away() {
    let story = Story::honest();
    let trial = story.trial();
    let bad = story.fold(&failed(trial.clone(), "bal-01"));
    let both = [
        "UNFROZEN_PROPERTY_FAILED failed",
        "VERDICT_REJECTED rejected",
    ];
    story.by_trial().says(1, &both);
    story.fold(&trial);
    story.by_trial().says(1, &both);
    story.git(&["rm", "-q", &bad]);
    story.commit("tidy up");
    let answer = story.by_trial();
    answer.says(1, &["VERDICT_REWRITTEN bytes-changed"]);
    assert_eq!(answer.details()[0]["observed"], "gone");
    // the fix is a command that works as it stands
    let fix = answer.details()[0]["fix"]
        .as_str()
        .expect("a fix")
        .to_owned();
    let _ = story.shell(&fix).expect(0);
    story.by_trial().says(1, &both);
}

#[test]
fn a_rejection_on_a_side_branch_counts() {
    let story = Story::honest();
    let trial = story.trial();
    story.git(&["switch", "-q", "-c", "side"]);
    story.fold(&failed(trial.clone(), "bal-01"));
    story.git(&["switch", "-q", "topic"]);
    story.fold(&trial);
    story.by_trial().admits();
    story.git(&["merge", "-q", "-s", "ours", "-m", "merge side", "side"]);
    story
        .by_trial()
        .says(1, &["VERDICT_REWRITTEN bytes-changed"]);
    story.git(&["reset", "-q", "--hard", "HEAD~1"]);
    story.git(&["merge", "-q", "-m", "merge side", "side"]);
    story.by_trial().says(
        1,
        &[
            "UNFROZEN_PROPERTY_FAILED failed",
            "VERDICT_REJECTED rejected",
        ],
    );
}

#[test]
fn a_verdict_keeps_its_bytes_and_its_name() {
    let story = Story::honest();
    let trial = story.trial();
    let path = story.fold(&trial);
    let timing = Timing {
        started_at: "2026-11-30T01:02:03Z".to_owned(),
        wall_ms: 1,
        checks_ms: Vec::new(),
    };
    let timed = Trial {
        timing: Some(timing),
        ..trial.clone()
    };
    assert_eq!(story.fold(&timed), path);
    story
        .by_trial()
        .says(1, &["VERDICT_REWRITTEN bytes-changed"]);

    // in another directory the same record is still the same record
    let story = Story::honest();
    let path = story.fold(&trial);
    let moved = path.replace(TODAY, "2026-12-01");
    std::fs::create_dir_all(story.path(&moved).parent().expect("a folder")).expect("a folder");
    story.git(&["mv", &path, &moved]);
    story.commit("move");
    story.by_trial().admits();

    let story = Story::honest();
    story.fold_as("0123456789abcdef", &print(&trial));
    let found = ["VERDICT_MISSING no-trial", "VERDICT_REWRITTEN other-digest"];
    story.by_trial().says(1, &found);

    // edited, with the directory renamed to fit: a new record, which its runs contradict
    let story = Story::honest();
    let mut bad = failed(story.trial(), "bal-01");
    let path = story.fold(&bad);
    story.git(&["rm", "-q", "--cached", &path]);
    (bad.verdict, bad.reasons, bad.uncovered_fail) = (TrialVerdict::Admit, Vec::new(), Vec::new());
    bad.checks.push(run(
        "other",
        Some("bal-01"),
        Some("0"),
        Revision::Candidate,
        Outcome::Pass,
    ));
    story.fold(&bad);
    std::fs::remove_file(story.path(&path)).expect("the old one");
    story.commit("rename");
    story.by_trial().says(
        1,
        &[
            "UNFROZEN_PROPERTY_FAILED failed",
            "VERDICT_REWRITTEN bytes-changed",
        ],
    );
}

#[test]
fn what_claims_to_be_ours_has_to_be_readable() {
    let text = print(&Story::honest().trial());
    for bad in [
        text.replace("\"held\": []", "\"held\":[]"),
        text.replace("git-reins/trial/1", "git-reins/trial/2"),
        text.replace("\"admit\"", "\"allow\""),
        text[..text.len() / 2].to_owned(),
        text.replace("\"held\": [],\n", ""),
    ] {
        let story = Story::honest();
        story.fold_as("0123456789abcdef", &bad);
        let found = ["VERDICT_MISSING no-trial", "VERDICT_REWRITTEN unreadable"];
        story.by_trial().says(1, &found);
    }
    // somebody else's verdict is no trial, readable or not
    for other in [
        "{\"task_id\": \"7\", \"passed\": true}\n",
        "{\n",
        "[]\n",
        "",
    ] {
        let story = Story::honest();
        story.fold_as("0123456789abcdef", other);
        story.by_trial().says(1, &["VERDICT_MISSING no-trial"]);
        story.fold(&story.trial());
        story.by_trial().admits();
    }
}

#[test]
fn a_verdict_that_is_no_plain_file_is_no_trial() {
    let story = Story::honest();
    let path = story.fold(&story.trial());
    let file = story.path(&path);
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).expect("a mode");
    story.commit("executable");
    story.by_trial().says(1, &["PATH_UNSAFE stray-entry"]);
    let story = Story::honest();
    std::fs::write(story.path("../elsewhere.json"), print(&story.trial())).expect("a file");
    let file = story.path(&path);
    std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
    std::os::unix::fs::symlink(story.path("../elsewhere.json"), &file).expect("a link");
    story.commit("link");
    story
        .by_trial()
        .says(1, &["PATH_UNSAFE stray-entry", "VERDICT_MISSING no-trial"]);
}

#[test]
fn a_record_is_not_believed_for_its_word() {
    let lost =
        |trial: &mut Trial, keep: &dyn Fn(&CheckRun) -> bool| trial.checks.retain(|one| keep(one));
    honest(|trial| lost(trial, &|one| one.kind == CheckKind::Property))
        .says(1, &["CANARY_FAILED canary"]);
    honest(|trial| lost(trial, &|one| one.id != "no_secret_marker"))
        .says(1, &["CANARY_FAILED canary"]);
    honest(|trial| lost(trial, &|one| one.id != "public_signature"))
        .says(1, &["CANARY_FAILED canary"]);

    let two = || {
        let story = Story::start();
        story.land_ledgers(&story.ledgers(&["bal-01", "bal-02"]));
        story.patch("one");
        story
    };
    let is = |one: &CheckRun, id: &str| {
        one.property
            .as_ref()
            .is_some_and(|property| property.as_str() == id)
    };
    bent(&two(), |trial| lost(trial, &|one| !is(one, "bal-02")))
        .says(1, &["UNFROZEN_PROPERTY_FAILED no-result"]);
    bent(&two(), |trial| {
        set(trial, "bal-02", None, Revision::Candidate, Outcome::Timeout)
    })
    .says(1, &["UNFROZEN_PROPERTY_FAILED failed"]);
    bent(&two(), |trial| {
        let again = trial
            .checks
            .iter()
            .find(|one| is(one, "bal-02"))
            .cloned()
            .expect("a run");
        trial.checks.push(CheckRun {
            revision: Revision::Candidate,
            outcome: Outcome::Fail,
            ..again
        });
    })
    .says(1, &["UNFROZEN_PROPERTY_FAILED failed"]);
    // a run under another check, seed or name says nothing
    bent(&two(), |trial| {
        trial
            .checks
            .iter_mut()
            .filter(|one| is(one, "bal-02"))
            .for_each(|one| one.id = "x".into())
    })
    .says(1, &["UNFROZEN_PROPERTY_FAILED no-result"]);
    bent(&two(), |trial| {
        trial
            .checks
            .iter_mut()
            .filter(|one| is(one, "bal-02"))
            .for_each(|one| one.seed = Some("1".into()));
    })
    .says(1, &["UNFROZEN_PROPERTY_FAILED no-result"]);
    let answer = honest(|trial| {
        trial.checks.push(run(
            "props",
            Some("bal-99"),
            Some("0"),
            Revision::Candidate,
            Outcome::Pass,
        ));
    });
    answer.admits();
    assert!(
        answer.json["warnings"]
            .to_string()
            .contains("bal-99, which is no row"),
        "{}",
        answer.run
    );
}

#[test]
fn a_declared_canary_has_to_have_run() {
    let story = Story::start();
    story.git(&["switch", "-q", "main"]);
    story.write(
        ".gitreins/reins.toml",
        &(super::story::POLICY.to_owned()
            + "[[check]]\nid = \"lint\"\nkind = \"canary\"\nrun = [\"true\"]\n"),
    );
    story.commit("a canary");
    story.git(&["switch", "-q", "topic"]);
    story.git(&["reset", "-q", "--hard", "main"]);
    story.land_ledgers(&story.ledgers(&["bal-01"]));
    story.patch("one");
    let trial = story.trial();
    let path = story.fold(&trial);
    story.by_trial().says(1, &["CANARY_FAILED canary"]);
    story.git(&["reset", "-q", "--hard", "HEAD~1"]);
    let mut whole = trial;
    whole.checks.insert(
        4,
        run("lint", None, None, Revision::Candidate, Outcome::Pass),
    );
    assert_ne!(story.fold(&whole), path);
    story.by_trial().admits();
}

#[test]
fn a_frozen_property_is_replayed_or_does_not_count() {
    let admitted = bent(&frozen(), |_| {});
    admitted.admits();
    assert!(
        admitted.json["warnings"]
            .to_string()
            .contains("unconfirmed"),
        "{}",
        admitted.run
    );
    let candidate = |one: &CheckRun| {
        one.revision == Revision::Candidate && one.seed.as_deref() == Some(FROZEN_SEED)
    };
    bent(&frozen(), |trial| {
        trial.checks.retain(|one| !candidate(one))
    })
    .says(1, &["FROZEN_REGRESSION not-covered"]);
    bent(&frozen(), |trial| {
        let at = trial.checks.iter().position(candidate).expect("a run");
        trial.checks.remove(at);
    })
    .says(1, &["FROZEN_REGRESSION not-covered"]);
    bent(&frozen(), |trial| {
        set(
            trial,
            "bal-02",
            Some(FROZEN_SEED),
            Revision::Base,
            Outcome::Fail,
        )
    })
    .says(1, &["FREEZE_STABLE_FAILURE replay"]);
    bent(&frozen(), |trial| {
        set(
            trial,
            "bal-02",
            Some(FROZEN_SEED),
            Revision::Candidate,
            Outcome::Fail,
        )
    })
    .says(1, &["FROZEN_REGRESSION replay"]);
    bent(&frozen(), |trial| {
        set(
            trial,
            "bal-02",
            Some("0"),
            Revision::Candidate,
            Outcome::Fail,
        )
    })
    .says(1, &["FROZEN_REGRESSION not-covered"]);
    // the seed that is told is the one that no row covers
    let both = bent(&frozen(), |trial| {
        set(
            trial,
            "bal-02",
            Some("0"),
            Revision::Candidate,
            Outcome::Fail,
        );
        set(
            trial,
            "bal-02",
            Some(FROZEN_SEED),
            Revision::Candidate,
            Outcome::Fail,
        );
    });
    both.says(
        1,
        &["FROZEN_REGRESSION not-covered", "FROZEN_REGRESSION replay"],
    );
    assert!(
        both.json["details"].to_string().contains("fail (seed 0)"),
        "{}",
        both.run
    );
}

#[test]
fn a_freeze_hit_holds_where_policy_and_row_let_it() {
    let hit = |trial: &mut Trial| {
        let mut runs = trial.checks.iter_mut().filter(|one| {
            one.seed.as_deref() == Some(FROZEN_SEED) && one.revision == Revision::Candidate
        });
        runs.next().expect("a run").outcome = Outcome::Fail;
    };
    // the check of the usual policy lets nothing be held
    bent(&frozen(), hit).says(1, &["FROZEN_REGRESSION not-covered"]);
    let eligible = || {
        let story = Story::start();
        story.git(&["switch", "-q", "main"]);
        story.write(
            ".gitreins/reins.toml",
            &(super::story::POLICY.to_owned() + "quarantine_eligible = true\n"),
        );
        story.commit("policy");
        story.git(&["switch", "-q", "topic"]);
        story.git(&["reset", "-q", "--hard", "main"]);
        let mut ledgers = story.ledgers(&["bal-01", "bal-02"]);
        ledgers.freezes = vec![story.freeze("bal-02", "2026-12-20")];
        story.land_ledgers(&ledgers);
        story.patch("one");
        story
    };
    let held = |answer: &Answer| {
        answer.says(3, &[]);
        assert_eq!(answer.json["held"], json!(["bal-02"]), "{}", answer.run);
        assert_eq!(answer.json["decision"], "hold", "{}", answer.run);
    };
    held(&bent(&eligible(), hit)); // it says admit, and is held all the same
    held(&bent(&eligible(), |trial| {
        hit(trial);
        (trial.held, trial.verdict) = (vec!["bal-02".to_owned()], TrialVerdict::Hold);
        trial.reasons = vec![TrialReason::FreezeHit];
    }));
}

#[test]
fn a_trial_on_another_image_or_other_bytes_refuses() {
    honest(|trial| trial.image.id = "nix:/nix/store/other".to_owned())
        .says(1, &["FIXTURE_EPOCH_UNPINNED trial-on-other-image"]);
    let opened = |path: &str| Opened {
        path: path.parse().expect("a path"),
        sha256: Sha256([1; 32]),
    };
    honest(|trial| trial.checks[5].opened = Some(vec![opened("fixtures/accounts.json")]))
        .says(1, &["FIXTURE_DIGEST_MISMATCH trial-on-other-bytes"]);
    honest(|trial| trial.checks[5].opened = Some(vec![opened("src/account.py")])).admits();
}

#[test]
fn a_record_from_another_branch_is_about_that_branch() {
    let story = Story::honest();
    story.git(&["switch", "-q", "-c", "other", "topic~1"]);
    story.write("src/account.py", "def balance(a, b):\n    return a\n");
    story.commit("another patch");
    let path = story.fold(&story.trial());
    story.git(&["switch", "-q", "topic"]);
    story.git(&["checkout", "-q", "other", "--", &path]);
    story.commit("borrowed");
    story.by_trial().says(1, &["VERDICT_STALE other-candidate"]);
}

#[test]
fn a_range_without_a_patch_needs_no_trial() {
    let story = Story::landed();
    story.write("docs/guide.md", "# Guide, again\n");
    story.commit("docs");
    story.by_trial().admits();
    let story = Story::landed();
    story.patch("one");
    story.fold(&story.trial());
    story.land();
    story.git(&["revert", "--no-edit", "HEAD~1"]);
    story.by_trial().admits();
    // what landed may not be rewritten either
    let path = story
        .git(&["ls-files", ".gitreins/history"])
        .trim_end()
        .to_owned();
    story.replace(&path, "host:sha256.00", "host:sha256.01");
    story.commit("touch up");
    story
        .by_trial()
        .says(1, &["VERDICT_REWRITTEN bytes-changed"]);
}

#[test]
fn where_no_trial_is_required_one_that_is_there_counts() {
    let story = Story::start();
    story.git(&["switch", "-q", "main"]);
    let policy = super::story::POLICY.replace("[[check]]", "[verdict]\nrequire = false\n[[check]]");
    story.write(".gitreins/reins.toml", &policy);
    story.commit("policy");
    story.git(&["switch", "-q", "topic"]);
    story.git(&["reset", "-q", "--hard", "main"]);
    story.land_ledgers(&story.ledgers(&["bal-01"]));
    story.patch("one");
    story
        .by_trial()
        .says(1, &["NO_UNFROZEN_PROPERTIES no-results"]);
    story.fold(&story.trial());
    story.by_trial().admits();
    story.fold(&failed(story.trial(), "bal-01"));
    story.by_trial().says(
        1,
        &[
            "UNFROZEN_PROPERTY_FAILED failed",
            "VERDICT_REJECTED rejected",
        ],
    );
    story.patch("two");
    story
        .by_trial()
        .says(1, &["NO_UNFROZEN_PROPERTIES no-results"]);
}

#[test]
fn power_and_witness_decide_what_scores() {
    let failing_on_base = honest(|trial| set(trial, "bal-01", None, Revision::Base, Outcome::Fail));
    failing_on_base.admits();
    assert_eq!(failing_on_base.json["properties"][0]["power"], "base-fail");

    let story = Story::start();
    story.write("ledger/witness/bal-01.diff", "diff\n");
    let mut ledgers = story.ledgers(&["bal-01"]);
    let digest = Sha256::of(b"diff\n").to_string();
    ledgers.oracles[0]["witness_patch"] =
        json!({"path": "ledger/witness/bal-01.diff", "sha256": digest});
    story.land_ledgers(&ledgers);
    story.patch("one");
    let trial = story.trial();
    let path = story.fold(&trial);
    let answer = story.by_trial();
    answer.says(1, &["NO_UNFROZEN_PROPERTIES empty-complement"]);
    assert_eq!(
        (&answer.json["smoke"], &answer.json["scored"]),
        (&json!(1), &json!(0)),
        "{}",
        answer.run
    );
    story.git(&["reset", "-q", "--hard", "HEAD~1"]);
    let mut killed = trial;
    killed.checks.push(run(
        "props",
        Some("bal-01"),
        Some("0"),
        Revision::Witness,
        Outcome::Fail,
    ));
    assert_ne!(story.fold(&killed), path);
    let answer = story.by_trial();
    answer.admits();
    assert_eq!(
        answer.json["properties"][0]["power"], "witness",
        "{}",
        answer.run
    );
}

#[test]
fn a_trial_beside_the_branch_counts_as_if_it_were_folded() {
    let story = Story::honest();
    let (evaluation, trial) = (Evaluation::of(story.facts()), story.trial());
    let rerun = admit(&evaluation, Scores::Trial(&trial, VerdictEvidence::Rerun)).unwrap();
    assert_eq!(
        (rerun.decision, rerun.verdict_evidence),
        (Decided::Admit, Some(VerdictEvidence::Rerun))
    );
    assert_eq!(rerun.blob, trial.blob.map(|blob| blob.to_string()));
    let bad = failed(trial.clone(), "bal-01");
    let codes = |trial: &Trial| -> BTreeSet<String> {
        let decision = admit(&evaluation, Scores::Trial(trial, VerdictEvidence::Rerun)).unwrap();
        decision
            .refusals
            .iter()
            .map(|code| code.to_string())
            .collect()
    };
    let both = BTreeSet::from([
        "UNFROZEN_PROPERTY_FAILED".to_owned(),
        "VERDICT_REJECTED".to_owned(),
    ]);
    assert_eq!(codes(&bad), both);
    let stale = Trial {
        policy_sha256: Sha256([1; 32]),
        ..trial.clone()
    };
    assert_eq!(codes(&stale), BTreeSet::from(["VERDICT_STALE".to_owned()]));
    // a folded rejection is not outshone by a rerun
    story.fold(&bad);
    let after = admit(
        &Evaluation::of(story.facts()),
        Scores::Trial(&trial, VerdictEvidence::Rerun),
    )
    .unwrap();
    assert_eq!(
        (after.decision, after.verdict_evidence),
        (Decided::Refuse, Some(VerdictEvidence::Itself))
    );
}

#[test]
fn the_answer_of_a_trial_is_what_the_schema_says() {
    let story = frozen();
    story.fold(&failed(story.trial(), "bal-01"));
    let answer = story.by_trial();
    assert_eq!(
        follows(&answer.run.stdout)["schema"],
        "git-reins/decision/1"
    );
}

#[test]
fn a_trial_that_lies_unfolded_is_pointed_at() {
    let story = Story::honest();
    let trial = story.trial();
    let path = format!(
        ".gitreins/history/{TODAY}/{}/verdict.json",
        trial.directory_name()
    );
    story.write(&path, &print(&trial));
    let answer = story.by_trial();
    answer.says(1, &["VERDICT_MISSING no-trial"]);
    let detail = &answer.details()[0];
    assert_eq!(detail["fix"], "git reins reconcile");
    assert!(
        detail["observed"]
            .as_str()
            .is_some_and(|text| text.contains(&path)),
        "{}",
        answer.run
    );
    // one of another candidate helps nobody
    let other = Trial {
        candidate_tree: Some(trial.base_tree),
        ..trial
    };
    story.write(&path, &print(&other));
    assert_eq!(
        story.by_trial().details()[0]["fix"],
        "git reins judge && git reins reconcile"
    );
}

type Edit = fn(&mut Trial);

/// Recomputes what is named, and hands back exit code and first differing field.
fn recomputed(story: &Story, what: &str) -> (Option<i32>, Value) {
    let answer = story.unchanged(|| story.reins(&["recompute", what, "--json"]));
    (answer.code, follows(&answer.stdout)[0]["field"].clone())
}

#[test]
fn a_record_is_derived_again_and_the_first_difference_is_named() {
    let story = frozen();
    let trial = story.trial();
    let path = story.fold(&trial);
    let dir = path.trim_end_matches("/verdict.json");
    assert_eq!(recomputed(&story, dir), (Some(0), Value::Null));
    assert_eq!(recomputed(&story, "HEAD"), (Some(0), Value::Null));
    let told = story.reins(&["recompute", dir]).expect(0).stdout;
    assert!(told.starts_with("same: "), "{told}");

    let edits: [(Edit, &str); 8] = [
        (
            |trial| set(trial, "bal-01", None, Revision::Candidate, Outcome::Fail),
            "uncovered_fail",
        ),
        (|trial| trial.touched = Vec::new(), "touched"),
        (|trial| trial.seeds = Vec::new(), "seeds"),
        (|trial| trial.rows_sha256 = Sha256([1; 32]), "rows_sha256"),
        (|trial| trial.power[0].power = Power::Witness, "power"),
        (
            |trial| trial.image.id = "nix:/nix/store/other".to_owned(),
            "image.id",
        ),
        (
            |trial| trial.checks.retain(|one| one.kind == CheckKind::Property),
            "power",
        ),
        (
            |trial| trial.blob = Some(Sha256([8; 32])),
            "(the name of its directory)",
        ),
    ];
    for (edit, field) in edits {
        let mut edited = trial.clone();
        // one more property passes, so that the record is not refused for its form
        edited.checks.push(run(
            "props",
            Some("bal-77"),
            Some("0"),
            Revision::Candidate,
            Outcome::Pass,
        ));
        edit(&mut edited);
        story.write(&path, &print(&edited));
        assert_eq!(recomputed(&story, dir), (Some(1), json!(field)));
    }
    story.write(&path, &print(&trial).replace("\"admit\"", "\"allow\""));
    assert_eq!(recomputed(&story, dir), (Some(1), json!("verdict")));
    assert_eq!(
        recomputed(&story, "HEAD"),
        (Some(0), Value::Null),
        "the commit holds it as it was"
    );
    assert_eq!(recomputed(&story, "main").0, Some(128));
    assert_eq!(recomputed(&story, "nowhere").0, Some(128));
}
