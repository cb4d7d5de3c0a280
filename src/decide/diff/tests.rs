//! Tests of the patch reader: what it reads, and what it refuses.

use proptest::prelude::*;

use super::*;
use crate::model::path::RepoPath;

fn read(patch: &str) -> Diff {
    parse(patch.as_bytes()).unwrap_or_else(|fault| panic!("{fault}\n{patch}"))
}

fn refused(patch: &str) -> Problem {
    match parse(patch.as_bytes()) {
        Err(fault) => fault.problem,
        Ok(diff) => panic!("{diff:?}\n{patch}"),
    }
}

fn paths(diff: &Diff) -> Vec<&str> {
    diff.touched().into_iter().map(RepoPath::as_str).collect()
}

const HEAD: &str = "diff --git a/x b/x\n--- a/x\n+++ b/x\n";

#[test]
fn added_lines_have_the_numbers_of_the_new_file() {
    let diff = read(&format!(
        "{HEAD}@@ -3,3 +5,4 @@ fn f\n a\n-b\n+B\r\n+C\n c\n@@ -20 +30 @@\n-x\n\\ No newline at end of file\n+y\n\\ No newline at end of file\n"
    ));
    let added: Vec<_> = diff
        .added()
        .map(|(path, line)| (path.as_str(), line.number, line.text.as_slice()))
        .collect();
    let expected: [(_, _, &[u8]); 3] = [("x", 6, b"B\r"), ("x", 7, b"C"), ("x", 30, b"y")];
    assert_eq!(added, expected);
    assert_eq!(diff.changes[0].removed, 2);
}

#[test]
fn every_form_names_its_paths() {
    let forms: &[(&str, ChangeKind, &[&str])] = &[
        (
            "diff --git a/a b b/a b\nold mode 100644\nnew mode 100755\n",
            ChangeKind::Modify,
            &["a b"],
        ),
        (
            "diff --git a/f b/f\nnew file mode 120000\nindex 0000000..1\n--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+t\n",
            ChangeKind::Create,
            &["f"],
        ),
        (
            "diff --git a/f b/f\ndeleted file mode 160000\nindex 1..0\n--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-Subproject commit 1\n",
            ChangeKind::Delete,
            &["f"],
        ),
        (
            "diff --git a/f b/g\nsimilarity index 100%\nrename from f\nrename to g\n",
            ChangeKind::Rename,
            &["f", "g"],
        ),
        (
            "diff --git a/f b/g\nsimilarity index 100%\ncopy from f\ncopy to g\n",
            ChangeKind::Copy,
            &["g"],
        ),
        (
            "diff --git \"a/\\303\\244\" \"b/\\303\\244\"\nnew file mode 100644\nindex 0..e\n",
            ChangeKind::Create,
            &["ä"],
        ),
        (
            "diff --git a/q b/q\nindex 1..2 100644\nGIT binary patch\nliteral 1\nIcmZPo000310RR91\n\nliteral 0\nHcmV?d00001\n\n",
            ChangeKind::Modify,
            &["q"],
        ),
        (
            "diff --git \"a/a\\\"b\" \"b/a\\\"b\"\nnew file mode 100644\n",
            ChangeKind::Create,
            &["a\"b"],
        ),
    ];
    for (patch, kind, expected) in forms {
        let diff = read(patch);
        assert_eq!(
            (diff.changes[0].kind, paths(&diff).as_slice()),
            (*kind, *expected),
            "{patch}"
        );
    }
}

#[test]
fn a_mail_is_read_around_its_talk() {
    let mail = format!(
        "From 1 Mon Sep 17\nSubject: [PATCH] x\n\ntext\n---\n x | 1 +\n\n{HEAD}@@ -0,0 +1 @@\n+a\n-- \n2.39.5\n\nFrom 2\n\n---\n{}",
        HEAD.replace('x', "y") + "@@ -1 +0,0 @@\n-a\n-- \n2.39.5\n\n"
    );
    assert_eq!(paths(&read(&mail)), ["x", "y"]);
}

#[test]
fn unsafe_paths_are_refused() {
    for path in [
        "../x",
        ".git/config",
        "a/.GIT/x",
        "/etc/passwd",
        "a//b",
        "./a",
        "a\u{308}",
        "a\\\\b",
    ] {
        for patch in [
            format!("diff --git \"a/{path}\" \"b/{path}\"\nnew file mode 100644\n"),
            format!("diff --git a/x b/x\nrename from x\nrename to \"{path}\"\n"),
        ] {
            assert!(matches!(refused(&patch), Problem::UnsafePath(_)), "{patch}");
        }
    }
    assert_eq!(
        refused("diff --git \"a/\\377\" \"b/\\377\"\nnew file mode 100644\n"),
        Problem::Name("a path that is not UTF-8")
    );
}

#[test]
fn what_git_could_take_for_more_is_refused() {
    let hunk = format!("{HEAD}@@ -1 +1 @@\n-a\n+b\n");
    for (more, problem) in [
        ("--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n", Problem::Stray),
        ("+++ b/y\n", Problem::Stray),
        (
            "@@ -1 +1 @@\n",
            Problem::Hunk("a patch that ends in the middle of a hunk"),
        ),
        ("diff --cc y\n", Problem::Combined),
        ("diff --combined y\n", Problem::Combined),
        ("Binary files a/y and b/y differ\n", Problem::Stray),
        (
            "diff --git a/y b/y\nBinary files a/y and b/y differ\n",
            Problem::BinaryWithoutBytes,
        ),
        (
            "diff --git a/y b/y\nindex 1..2 100644\n@@ -1 +1 @@\n-a\n+b\n",
            Problem::Stray,
        ),
        (
            "diff --git a/y b/z\n",
            Problem::Name("two names that are not the same path"),
        ),
        (
            "diff --git y y\n",
            Problem::Name("a name without git's prefix a/ or b/"),
        ),
        (
            "diff --git a/y b/y\r\nnew file mode 100644\r\n",
            Problem::HeaderCrLf,
        ),
        (
            "diff --git a/y b/y\nnew file mode 100664\n",
            Problem::Header("a mode that git does not write"),
        ),
        (
            "diff --git a/y b/y\nnew file mode 100644\nnew file mode 100644\n",
            Problem::Header("a header line that stands twice"),
        ),
        (
            "diff --git a/y b/y\nnew file mode 100644\ndeleted file mode 100644\n",
            Problem::Header("header lines that contradict each other"),
        ),
        (
            "diff --git a/y b/y\nrename from y\n",
            Problem::Header("header lines that contradict each other"),
        ),
    ] {
        let found = match parse(format!("{hunk}{more}").as_bytes()) {
            Err(fault) => fault.problem,
            Ok(diff) => panic!("{diff:?}\n{more}"),
        };
        assert_eq!(found, problem, "{more}");
    }
    assert_eq!(
        refused(&HEAD.replace("+++ b/x", "+++ b/y")),
        Problem::Header("names that differ from those of the section's header")
    );
}

#[test]
fn nothing_is_no_change_and_white_space_is_blank() {
    for patch in ["", "\n \t\r\n"] {
        assert!(is_blank(patch.as_bytes()));
        assert_eq!(refused(patch), Problem::NoChange);
    }
    assert!(!is_blank(b"x"));
    assert_eq!(refused("just talk\n"), Problem::NoChange);
}

#[test]
fn a_fault_names_its_line() {
    let fault = parse(format!("{HEAD}@@ -1 +1 @@\n-a\nb\n").as_bytes()).unwrap_err();
    assert_eq!(
        fault.to_string(),
        "line 6 of the patch: a line that is no line of a hunk"
    );
    let fault = parse(format!("{HEAD}@@ -1 +1 @@\n-a\n").as_bytes()).unwrap_err();
    assert_eq!(
        fault.problem,
        Problem::Hunk("a patch that ends in the middle of a hunk")
    );
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = parse(&bytes);
    }

    #[test]
    fn no_lines_make_it_panic(lines in proptest::collection::vec(prop::sample::select(vec![
        "diff --git a/x b/x", "diff --git \"a/x\" b/x", "--- a/x", "+++ b/x", "@@ -1 +1 @@", "@@ -0,0 +1,9 @@", "+a", "-a", " a", "",
        "\\ No", "GIT binary patch", "literal 3", "HcmV?d00001", "new file mode 100644", "rename from x", "rename to \"", "index 1..2 1", "diff --git ", "diff --git \"",
        "@@ -99999999999999999999 +1 @@", "@@ -4294967295,4294967295 +1 @@",
    ]), 0..20)) {
        let _ = parse(lines.join("\n").as_bytes());
    }
}
