//! `git reins fixture pin`

use insta::assert_snapshot;

use crate::naming::named;
use crate::support::Repo;

const IMAGE: [&str; 2] = ["--runner-image", "nix:/nix/store/abc"];

fn pin(epoch: &str) -> Vec<&str> {
    [["fixture", "pin", "--epoch", epoch].as_slice(), &IMAGE].concat()
}

#[test]
fn every_file_that_git_would_track_is_pinned() {
    let repo = Repo::under_reins();
    repo.write("fixtures/new \"file\".txt", "new\n");
    repo.write("fixtures/.gitignore", "*.tmp\n");
    repo.write("fixtures/a.tmp", "ignored");
    assert_snapshot!(repo.reins(&pin("e1")), @r#"
    pinned 3 fixture files as epoch e1; next: git reins fixture commit
    --- exit 0
    "#);
    assert_snapshot!(named(&repo, repo.read("ledger/fixture.json")), @r#"
    {
      "schema": "git-reins/fixture/1",
      "epoch_id": "e1",
      "base_rev": "{start}",
      "digest_sha256": "b232d2d69e9144848a2482d90996ef309ef4ae0defec7ab491fa28d15d3bcabb",
      "runner_image_id": "nix:/nix/store/abc",
      "files": [
        {
          "path": "fixtures/.gitignore",
          "sha256": "cd626bd30aa3875cc7c01d50050e4f88e84d4691457209871f27494ffd5f4ab4",
          "size": 6
        },
        {
          "path": "fixtures/accounts.json",
          "sha256": "25a6c852966e0e8a508f15cf55eebfe013cc59aa086d712ae7ed3be1f6e1f515",
          "size": 18
        },
        {
          "path": "fixtures/new \"file\".txt",
          "sha256": "7aa7a5359173d05b63cfd682e3c38487f3cb4f7f1d60659fe59fab1505977d4c",
          "size": 4
        }
      ],
      "residual_risk": []
    }
    "#);
    let sums = repo
        .command("sh", &repo.path(""))
        .args([
            "-c",
            "sha256sum fixtures/.gitignore fixtures/accounts.json fixtures/new* | sha256sum",
        ])
        .output()
        .unwrap();
    let digest = repo.captured(sums).stdout;
    assert!(
        repo.read("ledger/fixture.json").contains(&digest[..64]),
        "{digest}"
    );
    assert_snapshot!(repo.refuses(1, &["fixture", "commit"]), @r#"
    git-reins: cannot commit the fixture ledger: HEAD does not hold fixtures/.gitignore as it is pinned
    hint: commit the fixture bytes first, in a commit of their own
    --- exit 1
    "#);
    repo.git(&["add", "fixtures"]);
    repo.git(&["commit", "-q", "-m", "bytes"]);
    assert_snapshot!(named(&repo, repo.reins(&["fixture", "commit"])), @"
    committed 1 file as {ledger: pin fixture epoch e1:10}; next: git reins check
    --- exit 0
    ");
    assert_snapshot!(repo.reins(&[pin("e1").as_slice(), &["--base", "HEAD~2"]].concat()), @r#"
    epoch e1 is pinned already; next: git reins fixture commit
    --- exit 0
    "#);
    repo.write("fixtures/accounts.json", "moved");
    assert_snapshot!(repo.refuses(1, &pin("e1")), @r#"
    git-reins: cannot pin the fixtures: HEAD pins another base, digest or image under the epoch "e1" (FIXTURE_EPOCH_UNPINNED)
    hint: choose a new name: --epoch e2
    --- exit 1
    "#);
    let _ = repo.reins(&pin("e2")).expect(0);
    repo.write("fixtures/accounts.json", "moved again");
    assert_snapshot!(repo.refuses(1, &["fixture", "commit"]), @r#"
    git-reins: cannot commit the fixture ledger: the fixture files are no longer the ones that the ledger pins (FIXTURE_DIGEST_MISMATCH)
    hint: git reins fixture pin --epoch e2 --runner-image nix:/nix/store/abc
    --- exit 1
    "#);
}

#[test]
fn what_is_no_plain_file_is_not_pinned() {
    let repo = Repo::under_reins();
    let refused = |code| repo.refuses(code, &pin("e1"));
    repo.script("fixtures/run.sh", "#!/bin/sh\n");
    assert_snapshot!(refused(1), @r#"
    git-reins: cannot pin the fixtures: fixtures/run.sh is executable (FIXTURE_EPOCH_UNPINNED)
    hint: fixtures are plain files that are checked out: replace it, or move it out of paths.fixtures
    --- exit 1
    "#);
    std::fs::remove_file(repo.path("fixtures/run.sh")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", repo.path("fixtures/link")).unwrap();
    assert_snapshot!(refused(1), @r#"
    git-reins: cannot pin the fixtures: fixtures/link is a symbolic link (FIXTURE_EPOCH_UNPINNED)
    hint: fixtures are plain files that are checked out: replace it, or move it out of paths.fixtures
    --- exit 1
    "#);
    std::fs::remove_file(repo.path("fixtures/link")).unwrap();
    repo.git(&["sparse-checkout", "set", "--no-cone", "/*", "!/fixtures/"]);
    assert_snapshot!(refused(1), @r#"
    git-reins: cannot pin the fixtures: fixtures/accounts.json is not checked out (FIXTURE_EPOCH_UNPINNED)
    hint: fixtures are plain files that are checked out: replace it, or move it out of paths.fixtures
    --- exit 1
    "#);
}

#[test]
fn base_and_image_have_to_be_real() {
    let repo = Repo::under_reins();
    assert_snapshot!(repo.refuses(1, &[pin("e1").as_slice(), &["--base", "nope"]].concat()), @r#"
    git-reins: cannot pin the fixtures: 'nope' names no commit
    hint: name a commit: --base REV
    --- exit 1
    "#);
    assert_snapshot!(repo.refuses(1, &pin(" ")), @r#"
    git-reins: cannot pin the fixtures: the epoch is blank
    --- exit 1
    "#);
    assert_snapshot!(repo.refuses(129, &["fixture", "pin", "--epoch", "e", "--runner-image", "ubuntu:latest"]), @"
    error: invalid value 'ubuntu:latest' for '--runner-image <ID>': 'ubuntu:latest' is no runner image id: it starts with oci-digest:, nix:, gha: or host:

    For more information, try 'git reins help' or -h.
    --- exit 129
    ");
    repo.git(&["checkout", "-q", "--orphan", "other"]);
    assert_snapshot!(repo.refuses(1, &pin("e1")), @r#"
    git-reins: cannot pin the fixtures: the branch shares no commit with a protected line
    hint: name a commit: --base REV
    --- exit 1
    "#);
    let auto = repo
        .reins(&[
            "fixture",
            "pin",
            "--epoch",
            "e",
            "--runner-image",
            "auto",
            "--base",
            "main",
        ])
        .expect(0);
    assert!(
        auto.stderr.contains("is a measured fingerprint of arch, "),
        "{auto}"
    );
    assert!(auto.stderr.contains("not a container image id"), "{auto}");
}
