//! Judges the canaries that need no process: the patch is read as a whole, and git changes what was
//! read.

use std::collections::BTreeSet;

use super::diff::{self, Diff};
use crate::model::path::{RepoPath, visible};
use crate::policy::path_class::Territory;
use crate::policy::{BUILT_IN_CANARIES, Kind, Policy};

/// A canary that missed. Nothing runs after it, and no freeze is looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Miss {
    /// The canary.
    pub canary: &'static str,
    /// Whether it is a path that is not safe.
    pub unsafe_path: bool,
    /// What was seen, safe to print.
    pub note: String,
}

/// The canaries of a trial in the order in which they run: those built in, then the policy's own.
pub fn order(policy: &Policy) -> Vec<&str> {
    let declared = policy
        .checks
        .iter()
        .filter(|check| check.kind == Kind::Canary);
    BUILT_IN_CANARIES
        .into_iter()
        .chain(declared.map(|check| check.id.as_str()))
        .collect()
}

/// `parse_diff`: the patch is read as a whole, and its paths are safe.
///
/// # Errors
/// With what is wrong, and in which line.
pub fn parse_diff(patch: &[u8]) -> Result<Diff, Miss> {
    diff::parse(patch).map_err(|fault| Miss {
        canary: BUILT_IN_CANARIES[0],
        unsafe_path: matches!(fault.problem, diff::Problem::UnsafePath(_)),
        note: visible(&fault.to_string()),
    })
}

/// `apply_check`, once git has applied the patch: it changed the paths that were read, and no other.
/// A path that was read and does not differ is a change that takes itself back.
///
/// # Errors
/// With a path that git changed and that was not read.
pub fn apply_check(diff: &Diff, changed: &BTreeSet<RepoPath>) -> Result<(), Miss> {
    let read = diff.touched();
    match changed.iter().find(|path| !read.contains(path)) {
        None => Ok(()),
        Some(path) => Err(Miss {
            canary: BUILT_IN_CANARIES[1],
            unsafe_path: false,
            note: format!("git changed {path}, which the patch was not read to touch"),
        }),
    }
}

/// The paths of a patch that are material: a patch that is handed in as a file may touch none.
pub fn material<'a>(diff: &'a Diff, policy: &Policy) -> Vec<&'a RepoPath> {
    let territory = Territory::of(policy);
    diff.touched()
        .into_iter()
        .filter(|path| territory.marks(path.as_str()).material)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::parse;

    const PATCH: &str = "diff --git a/src/x b/ledger/oracle.json\nrename from src/x\nrename to ledger/oracle.json\n";

    #[test]
    fn canaries_run_in_the_order_of_the_policy() {
        let text = "schema = 1\n[[check]]\nid = \"z\"\nkind = \"canary\"\nrun = [\"z\"]\n[[check]]\nid = \"p\"\nrun = [\"p\"]\n\
                    [[check]]\nid = \"a\"\nkind = \"canary\"\nrun = [\"a\"]\n";
        let policy = parse(text.as_bytes()).unwrap();
        let expected = [
            "parse_diff",
            "apply_check",
            "no_secret_marker",
            "public_signature",
            "z",
            "a",
        ];
        assert_eq!(order(&policy), expected);
    }

    #[test]
    fn a_patch_that_is_not_read_misses() {
        let miss = parse_diff(b"diff --git a/../x b/../x\nnew file mode 100644\n").unwrap_err();
        assert_eq!((miss.canary, miss.unsafe_path), ("parse_diff", true));
        let miss = parse_diff(b"diff --git a/a\x1b b/b\n").unwrap_err();
        assert!(
            miss.unsafe_path && !miss.note.contains('\u{1b}'),
            "{}",
            miss.note
        );
    }

    #[test]
    fn a_path_that_only_git_saw_misses() {
        let diff = parse_diff(PATCH.as_bytes()).unwrap();
        let paths = |names: &[&str]| names.iter().map(|name| name.parse().unwrap()).collect();
        assert_eq!(
            apply_check(&diff, &paths(&["src/x", "ledger/oracle.json"])),
            Ok(())
        );
        assert_eq!(apply_check(&diff, &paths(&[])), Ok(()));
        let miss = apply_check(&diff, &paths(&["src/x", "src/y"])).unwrap_err();
        assert!(miss.canary == "apply_check" && miss.note.contains("src/y"));
    }

    #[test]
    fn material_is_found_on_both_sides() {
        let diff = parse_diff(PATCH.as_bytes()).unwrap();
        assert_eq!(
            material(&diff, &Policy::default()),
            [&"ledger/oracle.json".parse::<RepoPath>().unwrap()]
        );
    }
}
