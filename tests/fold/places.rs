//! Does a fold work wherever a worktree can be, and fail cleanly where it cannot work?

use std::os::unix::fs::PermissionsExt;

use super::bench::{
    HISTORY, assert_folded, begin, command, fold, folded, program, refused, repo, unchanged,
};
use crate::support::Repo;

#[test]
fn a_sha256_repository() {
    let repo = Repo::with_format("sha256");
    begin(&repo);
    assert_eq!(fold(&repo).unwrap().len(), 64);
    assert_folded(&repo);
}

#[test]
fn an_unborn_branch() {
    for format in ["sha1", "sha256"] {
        let repo = Repo::with_format(format);
        super::bench::verdict(&repo);
        repo.write("a", "staged\n");
        repo.git(&["add", "a"]);
        let _id = fold(&repo).unwrap();
        assert_folded(&repo);
        assert_eq!(repo.git(&["rev-list", "--count", "main"]), "1\n");
        assert_eq!(repo.git(&["status", "--porcelain", "-uno"]), "A  a\n");
    }
}

#[test]
fn a_detached_head_moves_and_its_branch_does_not() {
    let repo = repo();
    let main = repo.git(&["rev-parse", "main"]);
    repo.git(&["checkout", "-q", "--detach"]);
    let id = fold(&repo).unwrap();
    assert_eq!(repo.git(&["rev-parse", "main"]), main);
    assert_eq!(repo.git(&["rev-parse", "HEAD"]).trim_end(), id);
    assert_eq!(repo.read(".git/HEAD").trim_end(), id);
    assert_folded(&repo);
}

#[test]
fn a_linked_worktree_and_the_variables_of_a_hook() {
    let repo = repo();
    let linked = repo.linked("topic");
    let path = repo.path("../linked");
    for name in ["verdict.json", "summary.md"] {
        let inner = format!("{HISTORY}/0000abcd/{name}");
        repo.write(&format!("../linked/{inner}"), &repo.read(&inner));
    }
    let main = repo.git(&["rev-parse", "main"]);
    let mut command = command(&repo, &path, "land");
    command
        .env("GIT_DIR", repo.path(".git/worktrees/linked"))
        .env("GIT_INDEX_FILE", repo.path(".git/other.index"));
    command.env("GIT_WORK_TREE", &path).env("GIT_PREFIX", "");
    let id = folded(&repo, &mut command).unwrap();
    assert_eq!(repo.git(&["rev-parse", "topic"]).trim_end(), id);
    assert_eq!(repo.git(&["rev-parse", "main"]), main);
    assert_eq!(linked.git(&["status", "--porcelain"]), "");
    assert!(!repo.path(".git/other.index").exists());
    assert!(
        repo.path(".git/reins.lock").exists(),
        "one lock for all worktrees"
    );
}

#[test]
fn a_submodule_and_a_repository_with_one() {
    let (inner, outer) = (repo(), repo());
    let url = inner.path("").display().to_string();
    outer.git(&[
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        &url,
        "sub",
    ]);
    outer.git(&["commit", "-q", "-m", "sub"]);
    let _id = fold(&outer).unwrap();
    assert_folded(&outer);
    outer.write(&format!("sub/{HISTORY}/0000abcd/verdict.json"), "{}");
    let id = folded(&outer, &mut command(&outer, &outer.path("sub"), "land")).unwrap();
    assert_eq!(
        outer.git(&["-C", "sub", "rev-parse", "HEAD"]).trim_end(),
        id
    );
    assert_eq!(outer.git(&["status", "--porcelain"]), " M sub\n");
}

#[test]
fn a_shared_repository_stays_shared_under_a_narrow_umask() {
    let repo = repo();
    repo.git(&["init", "-q", "--shared=group"]);
    let mut narrow = repo.command("sh", &repo.path(""));
    narrow
        .args(["-c", "umask 077; exec \"$0\" \"$@\""])
        .arg(program())
        .env("FOLD", "land");
    narrow.args(["--exact", "fold::bench::driver", "--ignored", "--nocapture"]);
    let _id = folded(&repo, &mut narrow).unwrap();
    assert_folded(&repo);
    let mode = |path: &str| repo.path(path).metadata().unwrap().permissions().mode();
    for writable in [".git/index", ".git/refs/heads/main", ".git/reins.lock"] {
        assert_eq!(mode(writable) & 0o060, 0o060, "{writable}");
    }
    for entry in std::fs::read_dir(repo.path(".git/objects/pack")).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(
            path.metadata().unwrap().permissions().mode() & 0o040,
            0o040,
            "{}",
            path.display()
        );
    }
}

#[test]
fn a_disk_that_takes_no_byte_changes_nothing() {
    let repo = repo();
    let mut full = repo.command("sh", &repo.path(""));
    full.args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\" | cat"])
        .arg(program())
        .env("FOLD", "land");
    full.args(["--exact", "fold::bench::driver", "--ignored", "--nocapture"]);
    let error = refused(&repo, &mut full);
    assert!(error.contains("File too large"), "{error}");
    let _id = fold(&repo).unwrap();
    assert_folded(&repo);
}

#[test]
fn where_nothing_can_be_folded() {
    let repo = repo();
    repo.write(".git/MERGE_HEAD", &repo.git(&["rev-parse", "HEAD"]));
    assert_eq!(unchanged(&repo, "land"), "a merge is open");
    assert_eq!(unchanged(&repo, "stage"), "a merge is open");
    std::fs::remove_file(repo.path(".git/MERGE_HEAD")).unwrap();
    let error = refused(&repo, &mut command(&repo, &repo.path(".git"), "land"));
    assert_eq!(error, "this repository has no worktree");
    std::fs::remove_dir_all(repo.path(".git")).unwrap();
    repo.git(&["init", "-q", "--ref-format=reftable"]);
    let error = refused(&repo, &mut command(&repo, &repo.path(""), "land"));
    assert!(error.contains("reftable"), "{error}");
}
