//! Does the reader of patches see what git does with them, on patches that git makes and on
//! damaged ones?
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot build its repository fails"
)]
#![expect(
    clippy::disallowed_methods,
    reason = "the tests build and read real repositories"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Stdio;

use git_reins::decide::diff::{Change, ChangeKind, Diff, Mode, parse};

#[path = "models/dice.rs"]
mod dice;
#[expect(dead_code, reason = "other tests use the rest of it")]
mod support;

use dice::Dice;
use support::Repo;

const NAMES: &[&str] = &[
    "a.py",
    "b c.txt",
    "dir/a.py",
    "dir/ä ö.txt",
    "dir/sub/x",
    "q\"uote",
    "tab é.md",
    "b b b",
    "x -> y",
    "-dash",
];

/// A state of the worktree: lines, bytes, links, modes, gitlinks.
fn scramble(repo: &Repo, dice: &mut Dice) {
    for name in NAMES {
        let path = repo.path(name);
        match dice.roll(9) {
            0 => {
                let _ = fs::remove_file(&path);
            }
            1 | 2 => edit(repo, name, dice),
            3 => {
                let _ = fs::remove_file(&path);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                symlink(["a.py", "../x", "nowhere"][dice.roll(3)], &path).unwrap();
            }
            4 if path.is_file() && !path.is_symlink() => {
                let mode = if dice.roll(2) == 0 { 0o755 } else { 0o644 };
                fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            }
            5 => {
                let _ = fs::remove_file(&path);
                let bytes: Vec<u8> = (0..dice.roll(300))
                    .map(|_| u8::try_from(dice.roll(256)).unwrap())
                    .collect();
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(&path, [b"\0".as_slice(), &bytes].concat()).unwrap();
            }
            6 if path.exists() => {
                let to = repo.path(&format!("{name}.moved"));
                if dice.roll(2) == 0 {
                    fs::rename(&path, &to).unwrap()
                } else {
                    fs::copy(&path, &to).map(drop).unwrap()
                }
            }
            _ => {}
        }
    }
    repo.git(&["add", "-A"]);
    if dice.roll(2) == 0 {
        let commit = format!("{:040x}", dice.roll(1000) + 1);
        repo.git(&[
            "update-index",
            "--add",
            "--cacheinfo",
            &format!("160000,{commit},module"),
        ]);
    }
    repo.git(&["commit", "-q", "--allow-empty", "-m", "state"]);
}

/// Changes some lines; CR LF, no newline at the end, lines that look like headers.
fn edit(repo: &Repo, name: &str, dice: &mut Dice) {
    let path = repo.path(name);
    let old = if path.is_symlink() {
        String::new()
    } else {
        fs::read_to_string(&path).unwrap_or_default()
    };
    let _ = fs::remove_file(&path);
    let mut lines: Vec<String> = old.split_inclusive('\n').map(str::to_owned).collect();
    let new = [
        "plain\n",
        "\n",
        "crlf\r\n",
        "-- a/x\n",
        "++ b/x\n",
        "diff --git a/x b/x\n",
        "@@ -1 +1 @@\n",
        "\\ No newline\n",
        "-- \n",
        "umlaut ü\n",
    ];
    for _ in 0..=dice.roll(12) {
        let at = dice.roll(lines.len() + 1);
        if dice.roll(3) == 0 && at < lines.len() {
            lines.remove(at);
        } else {
            lines.insert(at, (*dice.pick(&new)).to_owned());
        }
    }
    let mut text = lines.concat();
    if dice.roll(4) == 0 {
        text = text.trim_end_matches('\n').to_owned();
    }
    repo.write(name, &text);
}

fn git_bytes(repo: &Repo, args: &[&str], input: &[u8]) -> Option<Vec<u8>> {
    let mut command = repo.command("git", &repo.path(""));
    command
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command.env("GIT_INDEX_FILE", repo.path(".git/scratch-index"));
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output.status.success().then_some(output.stdout)
}

/// What really differs between two trees: path, mode before, mode after.
type Truth = BTreeMap<String, (String, String)>;

fn truth(repo: &Repo, before: &str, after: &str) -> Truth {
    let raw = repo.git(&[
        "diff-tree",
        "-r",
        "-z",
        "--no-renames",
        "--raw",
        before,
        after,
    ]);
    let mut parts = raw.split('\0');
    let mut truth = BTreeMap::new();
    while let (Some(head), Some(path)) =
        (parts.next().filter(|head| !head.is_empty()), parts.next())
    {
        let words: Vec<&str> = head.trim_start_matches(':').split(' ').collect();
        truth.insert(path.to_owned(), (words[0].to_owned(), words[1].to_owned()));
    }
    truth
}

/// The tree that a patch makes of HEAD~1; `None` when git refuses it.
fn applied(repo: &Repo, patch: &[u8]) -> Option<String> {
    let _ = fs::remove_file(repo.path(".git/scratch-index.lock")); // a git that broke on damage leaves it
    git_bytes(repo, &["read-tree", "HEAD~1"], b"").unwrap();
    git_bytes(
        repo,
        &["apply", "--cached", "--whitespace=nowarn", "-"],
        patch,
    )?;
    let tree = git_bytes(repo, &["write-tree"], b"")?;
    Some(String::from_utf8(tree).unwrap().trim().to_owned())
}

fn touched(diff: &Diff) -> BTreeSet<String> {
    diff.touched()
        .into_iter()
        .map(ToString::to_string)
        .collect()
}

/// The numbers of added and removed lines by path after (before, when deleted), as git counts them.
fn numstat(repo: &Repo, patch: &[u8]) -> BTreeMap<String, (String, String)> {
    let raw = git_bytes(repo, &["apply", "--numstat", "-z", "-"], patch).unwrap();
    let text = String::from_utf8(raw).unwrap();
    let mut counts = BTreeMap::new();
    for line in text.split('\0').filter(|line| !line.is_empty()) {
        let parts: Vec<&str> = line.splitn(3, '\t').collect();
        counts.insert(
            parts[2].to_owned(),
            (parts[0].to_owned(), parts[1].to_owned()),
        );
    }
    counts
}

fn compare(repo: &Repo, patch: &[u8]) {
    let shown = String::from_utf8_lossy(patch).into_owned();
    let diff = parse(patch).unwrap_or_else(|fault| panic!("{fault}\n{shown}"));
    let truth = truth(repo, "HEAD~1", "HEAD");
    let paths: BTreeSet<String> = truth.keys().cloned().collect();
    assert_eq!(touched(&diff), paths, "{shown}");
    let counts = numstat(repo, patch);
    let mut sums: BTreeMap<String, (usize, usize, bool)> = BTreeMap::new();
    for change in &diff.changes {
        compare_modes(change, &truth, &shown);
        let side = change.after.as_ref().or(change.before.as_ref()).unwrap();
        let sum = sums.entry(side.path.to_string()).or_default();
        *sum = (
            sum.0 + change.added.len(),
            sum.1 + change.removed,
            sum.2 || change.binary,
        );
        compare_lines(repo, change, &shown);
    }
    for (path, (added, removed, binary)) in sums {
        // git counts a change of type as two changes of the same name and prints both
        let Some((git_added, git_removed)) = counts.get(&path) else {
            panic!("{path} in {counts:?}\n{shown}")
        };
        let is_two = diff
            .changes
            .iter()
            .filter(|change| {
                change
                    .after
                    .as_ref()
                    .or(change.before.as_ref())
                    .unwrap()
                    .path
                    .as_str()
                    == path
            })
            .count()
            > 1;
        if is_two {
            continue;
        }
        let expected = if binary {
            ("-".to_owned(), "-".to_owned())
        } else {
            (added.to_string(), removed.to_string())
        };
        assert_eq!(
            (git_added.clone(), git_removed.clone()),
            expected,
            "{path}\n{shown}"
        );
    }
}

fn compare_modes(change: &Change, truth: &Truth, shown: &str) {
    let name = |mode: Mode| Mode::NAMES.iter().find(|(_, one)| *one == mode).unwrap().0;
    if let Some(after) = &change.after
        && let Some(mode) = after.mode
    {
        assert_eq!(
            truth[after.path.as_str()].1,
            name(mode),
            "{}\n{shown}",
            after.path
        );
    }
    if let Some(before) = &change.before
        && let Some(mode) = before.mode
        && change.kind != ChangeKind::Copy
    {
        assert_eq!(
            truth[before.path.as_str()].0,
            name(mode),
            "{}\n{shown}",
            before.path
        );
    }
}

/// Every added line stands in the new file under its number.
fn compare_lines(repo: &Repo, change: &Change, shown: &str) {
    let Some(after) = change
        .after
        .as_ref()
        .filter(|after| after.mode != Some(Mode::Gitlink))
    else {
        return;
    };
    if change.added.is_empty() {
        return;
    }
    let bytes = git_bytes(
        repo,
        &["cat-file", "blob", &format!("HEAD:{}", after.path)],
        b"",
    )
    .unwrap();
    let lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    for line in &change.added {
        assert_eq!(
            lines[line.number - 1],
            line.text,
            "{}:{}\n{shown}",
            after.path,
            line.number
        );
    }
}

const FORMS: &[&[&str]] = &[
    &["diff", "--binary", "--no-renames"],
    &["diff", "--binary", "-M", "-C", "--find-copies-harder"],
    &["diff", "--binary", "--full-index", "-U0", "-M20%"],
    &[
        "-c",
        "core.quotePath=false",
        "diff",
        "--binary",
        "-U9",
        "--no-renames",
    ],
    &[
        "-c",
        "diff.mnemonicPrefix=true",
        "diff",
        "--binary",
        "--patience",
        "-B",
    ],
];

#[test]
fn patches_of_git_are_read_as_git_reads_them() {
    let mut dice = Dice::new(41);
    let mut read = 0;
    for _ in 0..12 {
        let repo = Repo::new();
        scramble(&repo, &mut dice);
        for _ in 0..4 {
            scramble(&repo, &mut dice);
            for form in FORMS {
                let patch =
                    git_bytes(&repo, &[form, ["HEAD~1", "HEAD"].as_slice()].concat(), b"").unwrap();
                if !patch.is_empty() {
                    compare(&repo, &patch);
                    read += 1;
                }
            }
            let mail = git_bytes(
                &repo,
                &["format-patch", "--stdout", "-1", "HEAD", "--binary"],
                b"",
            )
            .unwrap();
            if mail.windows(11).any(|window| window == b"diff --git ") {
                compare(&repo, &mail);
            }
        }
    }
    assert!(read > 200, "{read}");
}

/// Whatever git makes of a damaged patch: when we read it, we saw every path that git changed.
#[test]
fn no_damage_hides_a_path_from_the_reader() {
    let (mut dice, mut both, mut refused) = (Dice::new(43), 0, 0);
    for _ in 0..8 {
        let repo = Repo::new();
        scramble(&repo, &mut dice);
        scramble(&repo, &mut dice);
        for form in &FORMS[..2] {
            let patch =
                git_bytes(&repo, &[form, ["HEAD~1", "HEAD"].as_slice()].concat(), b"").unwrap();
            for _ in 0..40 {
                let damaged = damage(&patch, &mut dice);
                let Ok(diff) = parse(&damaged) else {
                    refused += 1;
                    continue;
                };
                let Some(tree) = applied(&repo, &damaged) else {
                    continue;
                };
                both += 1;
                let changed: BTreeSet<String> = truth(&repo, "HEAD~1", &tree).into_keys().collect();
                let seen = touched(&diff);
                assert!(
                    changed.is_subset(&seen),
                    "{changed:?} {seen:?}\n{}",
                    String::from_utf8_lossy(&damaged)
                );
            }
        }
    }
    assert!(
        both > 50 && refused > 50,
        "{both} read by both, {refused} refused"
    );
}

fn damage(patch: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> = patch
        .split_inclusive(|byte| *byte == b'\n')
        .map(<[u8]>::to_vec)
        .collect();
    let stray = [
        "--- a/hidden\n+++ b/hidden\n@@ -0,0 +1 @@\n+x\n",
        "--- /dev/null\n+++ b/hidden\n@@ -0,0 +1 @@\n+x\n",
        "diff --git a/hidden b/hidden\nnew file mode 100644\n",
        "junk\n",
        "\n",
        "-- \n",
        "rename to hidden\n",
        "Index: hidden\n--- hidden\n+++ hidden\n@@ -0,0 +1 @@\n+x\n",
        "new file mode 100755\n",
        "old mode 100644\nnew mode 100755\n",
        "diff --git a/hidden b/other\nnew file mode 100644\n--- /dev/null\n+++ b/hidden\n@@ -0,0 +1 @@\n+x\n",
        "diff --cc hidden\n",
        "GIT binary patch\nliteral 0\nHcmV?d00001\n\n",
        "\r\n",
    ];
    for _ in 0..=dice.roll(2) {
        let at = dice.roll(lines.len());
        match dice.roll(5) {
            0 => drop(lines.remove(at)),
            1 => lines.insert(at, lines[at].clone()),
            2 | 3 => lines.insert(at, dice.pick(&stray).as_bytes().to_vec()),
            _ => {
                let place = dice.roll(lines[at].len());
                lines[at][place] = *dice.pick(b" +-\\\n\r\"/a0@");
            }
        }
        if lines.is_empty() {
            break;
        }
    }
    lines.concat()
}
