//! Where in the loop does somebody stand, and which command comes next?

/// What is known about a worktree and its branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Situation {
    /// Rows of the worktree's oracle ledger that score; `None` without the ledger.
    pub scoring: Option<usize>,
    /// Whether a drafted row waits for somebody to read it.
    pub has_drafts: bool,
    /// Whether the worktree has a fixture ledger.
    pub has_epoch: bool,
    /// Whether the worktree has a freeze ledger.
    pub has_freezes: bool,
    /// Whether a ledger or property file is not committed.
    pub is_uncommitted: bool,
    /// Whether the branch carries a patch.
    pub has_patch: bool,
}

/// The next command, and what it is for.
pub fn next(situation: Situation) -> (&'static str, &'static str) {
    let Situation { scoring, has_drafts, has_epoch, has_freezes, is_uncommitted, has_patch } = situation;
    if has_patch {
        return ("git reins check", "the branch carries a patch");
    }
    match scoring {
        None => ("git reins init", "a ledger is missing"),
        Some(_) if !has_freezes => ("git reins init", "a ledger is missing"),
        Some(_) if has_drafts => {
            ("git reins oracle clear ID --by NAME", "a drafted row waits for somebody to read it")
        }
        Some(0) => (
            "git reins oracle add ID --source PATH#HEADING --property NAME --file PATH --inputs TEXT --relation TEXT --witness TEXT",
            "no property scores yet",
        ),
        Some(_) if !has_epoch => {
            ("git reins fixture pin --epoch ID --runner-image auto", "no fixture epoch is pinned yet")
        }
        Some(_) if is_uncommitted => {
            ("git reins oracle commit", "ledgers stand before the patch, in a commit of their own")
        }
        Some(_) => ("git commit", "the ledgers stand: now the patch"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loop_is_walked_in_order() {
        let mut situation = Situation {
            scoring: None,
            has_drafts: false,
            has_epoch: false,
            has_freezes: false,
            is_uncommitted: true,
            has_patch: false,
        };
        assert_eq!(next(situation).0, "git reins init");
        situation = Situation { scoring: Some(0), has_freezes: true, ..situation };
        assert!(next(situation).0.starts_with("git reins oracle add"));
        situation.scoring = Some(1);
        assert!(next(situation).0.starts_with("git reins fixture pin"));
        situation.has_epoch = true;
        assert_eq!(next(situation).0, "git reins oracle commit");
        situation.is_uncommitted = false;
        assert_eq!(next(situation).0, "git commit");
        situation.has_patch = true;
        assert_eq!(next(situation).0, "git reins check");
    }
}
