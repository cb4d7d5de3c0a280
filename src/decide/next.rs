//! Tells where a person is in the loop, and the next command.

use crate::model::decision::{Decision, Outcome};
use crate::model::refusal::Code;

/// What is known about a worktree and its branch.
#[derive(Clone, Copy, Debug)]
pub struct Situation<'a> {
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
    /// What the protected line makes of HEAD.
    pub branch: Branch<'a>,
}

/// What the protected line makes of HEAD.
#[derive(Clone, Copy, Debug)]
pub enum Branch<'a> {
    /// No protected line is known.
    Unknown,
    /// No policy stands there; the command that commits the worktree's, or lands it.
    NoPolicy(&'a str),
    /// It carries no patch, and this is the answer of `check`.
    Ledgers(&'a Decision),
    /// It carries a patch, and this is the answer of `admit`.
    Patch(&'a Decision),
}

/// The next command, and what it is for.
pub fn next<'a>(situation: &Situation<'a>) -> (&'a str, &'static str) {
    let Situation {
        scoring,
        has_drafts,
        has_epoch,
        has_freezes,
        is_uncommitted,
        branch,
    } = *situation;
    if let Branch::Patch(decision) = branch {
        return with_patch(decision);
    }
    let scoring = scoring.filter(|_| has_freezes);
    match (scoring, branch) {
        (None, _) => ("git reins init", "a ledger is missing"),
        (Some(_), Branch::NoPolicy(land)) => (
            land,
            "the policy counts once it stands on the protected line",
        ),
        (Some(_), _) if has_drafts => (
            "git reins oracle clear ID --by NAME",
            "a drafted row waits for somebody to read it",
        ),
        (Some(0), _) => (
            "git reins oracle add ID --source PATH#HEADING --property NAME --file PATH --inputs TEXT --relation TEXT --witness TEXT",
            "no property scores yet",
        ),
        (Some(_), _) if !has_epoch => (
            "git reins fixture pin --epoch ID --runner-image auto",
            "no fixture epoch is pinned yet",
        ),
        (Some(_), _) if is_uncommitted => (
            "git reins oracle commit",
            "ledgers stand before the patch, in a commit of their own",
        ),
        (Some(_), Branch::Ledgers(decision)) if decision.decision != Outcome::Admit => (
            "git reins check",
            "something stands against the ledgers, and this says what",
        ),
        (Some(_), Branch::Ledgers(_) | Branch::Unknown | Branch::Patch(_)) => {
            ("git commit", "the ledgers stand: now the patch")
        }
    }
}

/// A patch is judged, its trial folded, and what `admit` says about it seen to.
fn with_patch(decision: &Decision) -> (&'static str, &'static str) {
    let unjudged = |code: &Code| matches!(code, Code::VerdictMissing | Code::VerdictStale);
    let is_unfolded = || decision.details.iter().any(|detail| detail.fix == FOLD);
    match decision.decision {
        Outcome::Admit => ("git push", "the patch is admitted"),
        Outcome::Refuse if !decision.refusals.iter().all(unjudged) => (
            "git reins admit",
            "something stands against the patch, and this says what",
        ),
        Outcome::Refuse if is_unfolded() => (FOLD, "the trial of the patch is in no commit yet"),
        Outcome::Refuse => (
            "git reins judge",
            "the branch carries a patch that no trial is about",
        ),
        Outcome::Hold => (
            "git reins admit",
            "the patch is held, and this says for whom",
        ),
    }
}

/// What folds a trial that lies in the worktree.
pub const FOLD: &str = "git reins reconcile";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::decision::{Detail, Rules};

    fn decision(decision: Outcome, codes: &[Code]) -> Decision {
        let details = codes
            .iter()
            .map(|code| Detail::new(*code, "x", "x"))
            .collect();
        let today = "2026-01-01".parse().unwrap();
        Decision {
            details,
            refusals: codes.to_vec(),
            ..Decision::without_range(decision, Rules::Full, today)
        }
    }

    #[test]
    fn the_loop_is_walked_in_order() {
        let mut situation = Situation {
            scoring: None,
            has_drafts: false,
            has_epoch: false,
            has_freezes: false,
            is_uncommitted: true,
            branch: Branch::NoPolicy("git push"),
        };
        assert_eq!(next(&situation).0, "git reins init");
        situation = Situation {
            scoring: Some(0),
            has_freezes: true,
            ..situation
        };
        assert_eq!(next(&situation).0, "git push");
        let agreed = decision(Outcome::Admit, &[]);
        situation.branch = Branch::Ledgers(&agreed);
        assert!(next(&situation).0.starts_with("git reins oracle add"));
        situation.scoring = Some(1);
        assert!(next(&situation).0.starts_with("git reins fixture pin"));
        situation.has_epoch = true;
        assert_eq!(next(&situation).0, "git reins oracle commit");
        situation.is_uncommitted = false;
        assert_eq!(next(&situation).0, "git commit");
        let refused = decision(Outcome::Refuse, &[Code::OracleNotIndependent]);
        situation.branch = Branch::Ledgers(&refused);
        assert_eq!(next(&situation).0, "git reins check");
    }

    #[test]
    fn a_patch_is_judged_folded_and_pushed() {
        let late = Code::OracleNotIndependent;
        for (outcome, codes, wanted) in [
            (
                Outcome::Refuse,
                vec![Code::VerdictMissing],
                "git reins judge",
            ),
            (Outcome::Refuse, vec![Code::VerdictStale], "git reins judge"),
            (
                Outcome::Refuse,
                vec![late, Code::VerdictMissing],
                "git reins admit",
            ),
            (
                Outcome::Refuse,
                vec![Code::VerdictRejected],
                "git reins admit",
            ),
            (Outcome::Hold, vec![], "git reins admit"),
            (Outcome::Admit, vec![], "git push"),
        ] {
            assert_eq!(
                with_patch(&decision(outcome, &codes)).0,
                wanted,
                "{codes:?}"
            );
        }
        let mut unfolded = decision(Outcome::Refuse, &[Code::VerdictMissing]);
        unfolded.details[0].fix = FOLD.to_owned();
        assert_eq!(with_patch(&unfolded).0, "git reins reconcile");
    }
}
