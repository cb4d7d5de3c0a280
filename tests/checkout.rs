//! Does a tree come to disk exactly as it is, and a patch make the tree that git makes of it?
#![expect(clippy::unwrap_used, reason = "a test that cannot set itself up fails")]
#![expect(
    clippy::disallowed_methods,
    reason = "the tests look at files by themselves"
)]

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;

use git_reins::git::apply::{ApplyError, ScratchRepo};
use git_reins::git::checkout::{CheckoutError, Written};
use git_reins::git::plumbing::GitPlace;
use git_reins::git::{GitError, Repo as Git};
use git_reins::model::ids::ObjectId;

#[expect(dead_code, reason = "other tests use the rest")]
mod support;
use support::Repo;

fn open(repo: &Repo) -> Git {
    Git::open(&repo.path(""), None).unwrap()
}

fn id(repo: &Repo, name: &str) -> ObjectId {
    repo.git(&["rev-parse", name]).trim().parse().unwrap()
}

/// Checks a tree out into a new directory.
fn checkout(repo: &Git, tree: ObjectId) -> (assert_fs::TempDir, Result<Written, CheckoutError>) {
    let temp = assert_fs::TempDir::new().unwrap();
    let laid = repo.checkout(tree, temp.path(), &|| true);
    (temp, laid)
}

/// Writes a tree of raw entries, which git would refuse to make.
fn raw_tree(repo: &Repo, entries: &[(&str, &str, ObjectId)]) -> ObjectId {
    let mut bytes = Vec::new();
    for (mode, name, id) in entries {
        bytes.extend_from_slice(format!("{mode} {name}\0").as_bytes());
        bytes.extend_from_slice(id.as_bytes());
    }
    let mut git = repo.command("git", &repo.path(""));
    let git = git.args(["hash-object", "-t", "tree", "-w", "--stdin", "--literally"]);
    let mut git = git
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    git.stdin.take().unwrap().write_all(&bytes).unwrap();
    String::from_utf8(git.wait_with_output().unwrap().stdout)
        .unwrap()
        .trim()
        .parse()
        .unwrap()
}

/// Everything below a directory, with kind, mode and bytes.
fn listing(dir: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut left = vec![dir.to_owned()];
    while let Some(next) = left.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            let meta = fs::symlink_metadata(&path).unwrap();
            let name = path.strip_prefix(dir).unwrap().display().to_string();
            if meta.is_symlink() {
                found.push(format!(
                    "{name} -> {}",
                    fs::read_link(&path).unwrap().display()
                ));
            } else if meta.is_dir() {
                found.push(format!("{name}/"));
                left.push(path);
            } else {
                let bytes = fs::read(&path).unwrap();
                found.push(format!(
                    "{name} {} {bytes:?}",
                    meta.permissions().mode() & 0o111 != 0
                ));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn a_tree_is_laid_out_raw_with_modes_links_and_submodules() {
    for format in ["sha1", "sha256"] {
        let repo = Repo::with_format(format);
        repo.write("a/plain.txt", "one\n");
        repo.write(
            ".gitattributes",
            "*.txt text eol=crlf ident\n*.bin filter=evil\n",
        );
        repo.write("x.bin", "bin\n");
        repo.write("id.txt", "$Id$\n");
        repo.script("a/b/run", "#!/bin/sh\n");
        std::os::unix::fs::symlink("../../outside", repo.path("a/link")).unwrap();
        repo.commit("one");
        let head = repo.git(&["rev-parse", "HEAD"]);
        repo.git(&[
            "update-index",
            "--add",
            "--cacheinfo",
            &format!("160000,{},sub/module", head.trim()),
        ]);
        repo.git(&["commit", "-qm", "a submodule"]);
        let marker = repo.path("../marker");
        repo.git(&[
            "config",
            "filter.evil.smudge",
            &format!("touch {}", marker.display()),
        ]);
        let (dir, laid) = checkout(&open(&repo), id(&repo, "HEAD^{tree}"));
        let attributes = fs::read_to_string(repo.path(".gitattributes")).unwrap();
        assert_eq!(
            laid.unwrap(),
            Written {
                files: 6,
                bytes: 4 + 4 + 5 + 10 + 13 + attributes.len() as u64
            }
        );
        assert_eq!(
            listing(dir.path()),
            [
                format!(".gitattributes false {:?}", attributes.as_bytes()),
                "a/".to_owned(),
                "a/b/".to_owned(),
                format!("a/b/run true {:?}", b"#!/bin/sh\n"),
                "a/link -> ../../outside".to_owned(),
                format!("a/plain.txt false {:?}", b"one\n"),
                format!("id.txt false {:?}", b"$Id$\n"),
                "sub/".to_owned(),
                "sub/module/".to_owned(),
                format!("x.bin false {:?}", b"bin\n"),
            ]
        );
        assert!(fs::symlink_metadata(marker).is_err(), "a filter ran");
    }
}

#[test]
fn unsafe_trees_are_refused_and_nothing_is_written_outside() {
    let repo = Repo::new();
    repo.write("file", "bytes\n");
    std::os::unix::fs::symlink("..", repo.path("link")).unwrap();
    repo.commit("one");
    let (blob, link) = (id(&repo, "HEAD:file"), id(&repo, "HEAD:link"));
    let inner = raw_tree(&repo, &[("100644", "escaped", blob)]);
    let bad: [&[(&str, &str, ObjectId)]; 6] = [
        &[("40000", "..", inner)],
        &[("40000", ".git", inner)],
        &[("40000", ".GIT", inner)],
        &[("100644", "git~1", blob)],
        &[("100644", ".", blob)],
        &[("100000", "ok", blob), ("130000", "strange", blob)],
    ];
    for entries in bad {
        let (dir, laid) = checkout(&open(&repo), raw_tree(&repo, entries));
        assert!(
            matches!(laid, Err(CheckoutError::Unsafe { .. })),
            "{entries:?}: {laid:?}"
        );
        assert!(fs::symlink_metadata(dir.path().join("../escaped")).is_err());
    }
    // a link and a directory of one name: git's own reading order would write through the link
    let both = raw_tree(&repo, &[("120000", "a", link), ("40000", "a", inner)]);
    let (dir, laid) = checkout(&open(&repo), both);
    assert!(
        matches!(laid, Err(CheckoutError::Git(GitError::Unreadable { .. }))),
        "{laid:?}"
    );
    assert!(fs::symlink_metadata(dir.path().join("../escaped")).is_err());
    // no blob at all
    let wrong = raw_tree(&repo, &[("100644", "file", inner)]);
    assert!(matches!(
        checkout(&open(&repo), wrong).1,
        Err(CheckoutError::Git(_))
    ));
}

#[test]
fn only_an_empty_directory_is_filled_and_work_can_be_called_off() {
    let repo = Repo::under_reins();
    let tree = id(&repo, "HEAD^{tree}");
    let full = assert_fs::TempDir::new().unwrap();
    fs::write(full.path().join("x"), "").unwrap();
    let git = open(&repo);
    assert!(matches!(
        git.checkout(tree, full.path(), &|| true),
        Err(CheckoutError::Io { .. })
    ));
    let empty = assert_fs::TempDir::new().unwrap();
    assert!(matches!(
        git.checkout(tree, empty.path(), &|| false),
        Err(CheckoutError::CalledOff)
    ));
}

#[test]
fn a_patch_makes_the_tree_that_git_makes_and_leaves_the_repository_alone() {
    for format in ["sha1", "sha256"] {
        let repo = Repo::with_format(format);
        repo.fill();
        repo.write("bytes.bin", "a\0b");
        repo.commit("binary");
        let tree = id(&repo, "HEAD^{tree}");
        fs::write(repo.path("bytes.bin"), b"\0\x01\x02").unwrap();
        repo.write(
            "src/account.py",
            "def balance(a, b):\r\n    return a + b   \n",
        );
        fs::remove_file(repo.path("fixtures/accounts.json")).unwrap();
        repo.script("new file", "no newline");
        std::os::unix::fs::symlink("account.py", repo.path("src/link")).unwrap();
        repo.git(&["add", "-A"]);
        let wanted = id_of(&repo.git(&["write-tree"]));
        let patch = repo.git(&["diff", "--binary", "--cached", "HEAD"]);
        repo.git(&["reset", "-q", "--hard"]);
        repo.git(&["prune", "--expire=now"]);
        repo.git(&["config", "apply.whitespace", "error-all"]);
        let place = GitPlace::find(&repo.path(""), None).unwrap();
        let count = || repo.git(&["count-objects", "-v"]);
        let before = count();
        let temp = assert_fs::TempDir::new().unwrap();
        let scratch_repo =
            ScratchRepo::new(&place, wanted.hex_len(), &temp.path().join("objects")).unwrap();
        assert_eq!(scratch_repo.apply(tree, patch.as_bytes()).unwrap(), wanted);
        let (dir, laid) = checkout(&scratch_repo.repo().unwrap(), wanted);
        assert!(laid.unwrap().files > 5);
        assert_eq!(
            fs::read(dir.path().join("bytes.bin")).unwrap(),
            b"\0\x01\x02"
        );
        assert_eq!(
            fs::read_link(dir.path().join("src/link")).unwrap(),
            Path::new("account.py")
        );
        assert_eq!(count(), before);
        let refused = scratch_repo.apply(wanted, patch.as_bytes()).unwrap_err();
        assert!(
            matches!(&refused, ApplyError::Refused(words) if words.contains("bytes.bin: patch does not apply;")),
            "{refused}"
        );
        for junk in ["", "not a patch\n"] {
            assert!(matches!(
                scratch_repo.apply(tree, junk.as_bytes()),
                Err(ApplyError::Refused(_))
            ));
        }
        let escape = "--- a/../x\n+++ b/../x\n@@ -0,0 +1 @@\n+x\n";
        assert!(scratch_repo.apply(tree, escape.as_bytes()).is_err());
    }
}

fn id_of(line: &str) -> ObjectId {
    line.trim().parse().unwrap()
}

/// `cargo test --test checkout -- --ignored --nocapture`: trust the ratio.
#[test]
#[ignore = "a measurement, no test"]
fn measured_against_a_worktree() {
    let repo = Repo::new();
    let mut import = Vec::new();
    for at in 0..4_800_u64 {
        let line = at.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let lines = 20 + usize::try_from(at * 7919 % 600).unwrap();
        let text: String = (0..lines as u64)
            .map(|n| format!("    let value_{n} = {:x};\n", line.rotate_left(n as u32)))
            .collect();
        let path = format!("d{:02}/e{:02}/f{at}.rs", at % 60, at / 60 % 8);
        let head = if at == 0 {
            "commit refs/heads/main\ncommitter a <a@b> 1 +0000\ndata 1\nx\n"
        } else {
            ""
        };
        write!(
            import,
            "{head}M 100644 inline {path}\ndata {}\n{text}\n",
            text.len()
        )
        .unwrap();
    }
    let mut git = repo.command("git", &repo.path(""));
    let mut git = git
        .args(["fast-import", "--quiet"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    git.stdin.take().unwrap().write_all(&import).unwrap();
    assert!(git.wait().unwrap().success());
    let (tree, source) = (id(&repo, "main^{tree}"), open(&repo));
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for round in 0..5 {
        let dir = repo.path(&format!("../ours-{round}"));
        fs::create_dir(&dir).unwrap();
        let began = std::time::Instant::now();
        let laid = source.checkout(tree, &dir, &|| true).unwrap();
        ours.push(began.elapsed());
        assert_eq!(laid.files, 4_800);
        let other = format!("../theirs-{round}");
        let began = std::time::Instant::now();
        repo.git(&["worktree", "add", "-q", "--detach", &other, "main"]);
        theirs.push(began.elapsed());
        if round == 0 {
            let mut wanted = listing(&repo.path(&other));
            wanted.retain(|line| !line.starts_with(".git "));
            assert_eq!(listing(&dir), wanted);
        }
        // removed at the end: making files is slow where some were removed a moment ago
        println!(
            "{} MB: ours {:?}, git worktree add {:?}",
            laid.bytes / 1_000_000,
            ours[round],
            theirs[round]
        );
    }
    ours.sort();
    theirs.sort();
    println!(
        "median {:.2}x, best {:.2}x",
        ours[2].as_secs_f64() / theirs[2].as_secs_f64(),
        ours[0].as_secs_f64() / theirs[0].as_secs_f64()
    );
}
