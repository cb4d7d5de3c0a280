//! GitReins writes verdicts, `git reins adjudicate` reads them, `git reins reconcile` folds them

use std::collections::BTreeSet;

use super::scene::{FAIL, PASS, Scene, TIMEOUT};
use crate::tools::Tools;

#[test]
fn its_verdicts_are_told_apart_and_folded_in_one_commit() {
    let Some(tools) = Tools::find() else { return };
    let scene = Scene::set(tools);
    let printed = [
        scene.judge(PASS),
        scene.judge(FAIL),
        scene.judge(TIMEOUT),
        scene.judge_met(TIMEOUT),
    ];
    let dirs = printed.each_ref().map(|commit| scene.brought(commit));
    let told = scene.verdicts(1);
    assert_eq!(
        dirs.each_ref().map(|dir| told[dir].as_str()),
        ["PASS", "FAIL", "UNRESOLVED", "ARTIFACT"]
    );

    let (before, start) = (scene.foreign(), scene.repo.git(&["rev-parse", "HEAD"]));
    let _ = scene.repo.reins(&["reconcile"]).expect(0);
    assert_eq!(
        scene.foreign(),
        before,
        "something that is not ours has changed"
    );
    assert_eq!(scene.repo.git(&["rev-parse", "HEAD^"]), start, "one commit");
    assert_eq!(scene.at("HEAD"), BTreeSet::from(dirs.clone()));
    for (dir, commit) in dirs.iter().zip(&printed) {
        scene.same_at_head(dir, commit);
    }
    assert_eq!(scene.repo.git(&["status", "--porcelain"]), "");
    assert_eq!(
        scene.repo.git(&[
            "diff",
            "--name-only",
            "HEAD^",
            "HEAD",
            ":!.gitreins/history"
        ]),
        ""
    );

    // and GitReins goes on as if nothing had happened
    let report = scene.shell("gitreins report").expect(0);
    assert!(report.stdout.contains("Recent: 4 evaluations"), "{report}");
    let next = scene.judge(PASS);
    let tip = scene.repo.git(&["rev-parse", &format!("{next}^")]);
    assert!(tip.starts_with(&printed[3]), "{tip}");
}

#[test]
fn nothing_left_to_fold_changes_nothing() {
    let Some(tools) = Tools::find() else { return };
    let scene = Scene::set(tools);
    scene.judge(PASS);
    let _ = scene.repo.reins(&["reconcile"]).expect(0);
    let _ = scene
        .repo
        .unchanged(|| scene.repo.reins(&["reconcile"]))
        .expect(0);
}

#[test]
fn what_it_prunes_from_the_disk_stays_folded() {
    let Some(tools) = Tools::find() else { return };
    let scene = Scene::set(tools);
    for check in [PASS, FAIL, PASS] {
        scene.judge(check);
    }
    let _ = scene.repo.reins(&["reconcile"]).expect(0);
    let mut folded = scene.on_disk();
    assert_eq!(scene.at("HEAD"), folded);

    scene.keep(1);
    let last = scene.brought(&scene.judge(PASS));
    assert_eq!(scene.on_disk().len(), 1, "three of four are gone");
    scene.repo.write("notes.txt", "mine\n");
    scene.repo.git(&["add", "notes.txt"]);
    scene
        .repo
        .git(&["commit", "-q", "--no-verify", "-m", "notes"]);
    assert_eq!(scene.at("HEAD"), folded, "a person's commit");

    let _ = scene.repo.reins(&["reconcile", &last[11..]]).expect(0);
    folded.insert(last);
    assert_eq!(scene.at("HEAD"), folded, "the next fold");

    let last = scene.brought(&scene.judge(PASS));
    let _ = scene
        .repo
        .reins(&["reconcile", "--stage", &last[11..]])
        .expect(0);
    scene.repo.git(&[
        "commit",
        "-q",
        "--no-verify",
        "-m",
        "a person's commit with verdicts",
    ]);
    folded.insert(last);
    assert_eq!(scene.at("HEAD"), folded, "the next commit");
    assert_eq!(
        scene
            .repo
            .git(&["log", "--diff-filter=D", "--name-only", "--format="]),
        ""
    );
}

#[test]
fn a_pruned_verdict_is_found_by_the_commit_that_was_printed() {
    let Some(tools) = Tools::find() else { return };
    let scene = Scene::set(tools);
    scene.keep(1);
    let printed = [scene.judge(PASS), scene.judge(FAIL), scene.judge(PASS)];
    let left = scene.on_disk();
    let mut pruned = printed
        .iter()
        .filter(|commit| !left.contains(&scene.brought(commit)));
    let (one, other) = (pruned.next().unwrap(), pruned.next().unwrap());

    let before = scene.foreign();
    let _ = scene.repo.reins(&["reconcile", one]).expect(0);
    scene.same_at_head(&scene.brought(one), one);
    assert_eq!(scene.foreign(), before);
    // where GitReins kept them before it had a ref of its own
    let tip = scene.repo.git(&["rev-parse", "refs/gitreins/history"]);
    scene
        .repo
        .git(&["update-ref", "refs/heads/gitreins", tip.trim_end()]);
    scene
        .repo
        .git(&["update-ref", "-d", "refs/gitreins/history"]);
    let before = scene.foreign();
    let _ = scene.repo.reins(&["reconcile", other]).expect(0);
    scene.same_at_head(&scene.brought(other), other);
    assert_eq!(scene.foreign(), before);
    assert_eq!(scene.at("HEAD").len(), 2);
}

/// The part of GitReins that its server uses to file what a job found.
const FILE_A_JOB: &str = "python -W ignore -c '
from engine.persist import VerdictPersister
print(VerdictPersister(\".\").persist(\"t1\", {\"job_id\": \"job-1\", \"passed\": True, \"stages\": {}}))'";

#[test]
fn a_verdict_that_a_resumed_job_supersedes_is_not_rewritten() {
    let Some(tools) = Tools::find() else { return };
    let scene = Scene::set(tools);
    let first = scene.shell(FILE_A_JOB).expect(0).stdout;
    let first = scene.brought(first.trim_end());
    let _ = scene.repo.reins(&["reconcile", "job-1"]).expect(0);
    assert_eq!(scene.at("HEAD"), BTreeSet::from([first.clone()]));

    let _ = scene.shell(FILE_A_JOB).expect(0);
    let path = format!(".gitreins/history/{first}/verdict.json");
    assert!(
        scene.repo.read(&path).contains("superseded_at"),
        "GitReins has marked it"
    );
    let _ = scene.repo.reins(&["reconcile"]).expect(0);
    assert_eq!(scene.at("HEAD"), scene.on_disk());

    let changed = scene
        .repo
        .read(&path)
        .replace("\"passed\": true", "\"passed\": false");
    scene.repo.write(&path, &changed);
    let refused = scene
        .repo
        .unchanged(|| scene.repo.reins(&["reconcile"]))
        .expect(1);
    assert!(refused.stdout.contains("VERDICT_REWRITTEN"), "{refused}");
}
