//! `git reins fmt`

use clap::Args;

use super::{Answer, Context, Failure, carry_out};
use crate::editing::Refused;
use crate::editing::ledger_worktree::{LedgerWorktree, LedgerWorktreeError};
use crate::editing::plan::{Plan, Write};
use crate::exit::ExitStatus;
use crate::git::plumbing::Git;
use crate::ledger::article::{Upgrade, upgrade_fixture, upgrade_freezes, upgrade_oracle};
use crate::ledger::conflict::{ConflictFault, resolve};
use crate::ledger::file::{LedgerFault, parse, print};
use crate::ledger::merge::{Marks, Mergeable, Merged, merge, open_rows};
use crate::model::path::RepoPath;
use crate::model::refusal::Code;
use crate::model::shell::word;

/// Bring the ledgers of the worktree into canonical form
#[derive(Debug, Args)]
pub struct Fmt {
    /// Write nothing; print the difference and leave with 1 when there is one
    #[arg(long, visible_alias = "dry-run")]
    check: bool,
    /// Rewrite the bare shapes of the articles, and list what they still miss
    #[arg(long, conflicts_with = "resolve")]
    upgrade: bool,
    /// Merge a ledger with conflict markers row by row, from the versions that git's index keeps
    ///
    /// A row that both sides changed, each in its own way, stays between markers; the exit code is
    /// 3 then.
    #[arg(long)]
    resolve: bool,
}

/// One ledger in canonical form, what it still misses, and why a person has to finish it.
#[derive(Default)]
struct Formatted {
    write: Option<Write>,
    missing: Vec<String>,
    open: Option<String>,
}

impl Fmt {
    /// Formats the ledgers that are there.
    ///
    /// # Errors
    /// When one cannot be read: nothing is written then.
    pub fn run(&self, context: &Context) -> Result<Answer, Failure> {
        let worktree = context.ledger_worktree()?;
        let all = [
            self.format(&worktree, upgrade_oracle)?,
            self.format(&worktree, upgrade_fixture)?,
            self.format(&worktree, upgrade_freezes)?,
        ];
        let missing: Vec<_> = all.iter().flat_map(|one| one.missing.clone()).collect();
        let open: Vec<_> = all.iter().filter_map(|one| one.open.clone()).collect();
        let plan = Plan::new(all.into_iter().filter_map(|one| one.write));
        let changed: Vec<_> = plan.paths().map(RepoPath::as_str).collect();
        let answer = match (plan.is_empty(), self.check) {
            (true, _) => Answer::done(
                "",
                "the ledgers are in canonical form; next: git reins check",
            ),
            (false, true) => {
                let said = format!(
                    "{} not in canonical form; next: git reins fmt",
                    changed.join(", ")
                );
                Answer {
                    status: ExitStatus::Refused,
                    ..Answer::done(plan.diff(), said)
                }
            }
            (false, false) => {
                let next = match (open.is_empty(), self.resolve) {
                    (false, _) => {
                        "keep one of the two between the markers, then git reins fmt".to_owned()
                    }
                    (true, true) => {
                        let all: Vec<_> =
                            changed.iter().map(|path| word(&from_root(path))).collect();
                        format!("git add {}", all.join(" "))
                    }
                    (true, false) => "git reins oracle commit".to_owned(),
                };
                carry_out(
                    &worktree.root,
                    &plan,
                    false,
                    format!("wrote {}; next: {next}", changed.join(", ")),
                )?
            }
        };
        let answer = open.iter().fold(answer, |answer, open| Answer {
            status: ExitStatus::Held,
            ..answer.note(open)
        });
        Ok(missing.iter().fold(answer, |answer, missing| {
            answer.note(&format!("still missing: {missing}"))
        }))
    }

    fn format<L: Mergeable>(
        &self,
        worktree: &LedgerWorktree,
        upgrade: fn(&[u8]) -> Result<Upgrade<L>, LedgerFault>,
    ) -> Result<Formatted, Failure> {
        let path = worktree.ledger_path(L::NAME)?;
        let Some(bytes) = worktree
            .root
            .read(&path)
            .map_err(LedgerWorktreeError::from)?
        else {
            return Ok(Formatted::default());
        };
        let fault = |fault| LedgerWorktreeError::Ledger(path.clone(), Box::new(fault));
        let (after, missing, open) = if self.resolve {
            let (text, open) = resolved::<L>(worktree, &path, &bytes)?;
            (text, Vec::new(), open)
        } else if self.upgrade {
            let upgraded = upgrade(&bytes).map_err(fault)?;
            (print(&upgraded.ledger), upgraded.missing, None)
        } else {
            (print(&parse::<L>(&bytes).map_err(fault)?), Vec::new(), None)
        };
        let missing = missing
            .into_iter()
            .map(|member| format!("{path}: {member}"))
            .collect();
        let write = Write {
            path,
            before: Some(bytes),
            after: after.into_bytes(),
        };
        Ok(Formatted {
            write: Some(write),
            missing,
            open,
        })
    }
}

/// The text with the rows of both sides, and what a person has to decide in it.
///
/// The index keeps the sides whole while the file is unmerged. A file that is neither of them and
/// has no markers was finished by hand, and one with markers of ours is being finished: both are
/// left to that person. Markers in a file that somebody has added are all there is.
fn resolved<L: Mergeable>(
    worktree: &LedgerWorktree,
    path: &RepoPath,
    bytes: &[u8],
) -> Result<(String, Option<String>), Failure> {
    let text = String::from_utf8_lossy(bytes);
    if let Some(rows) = open_rows(&text) {
        return Err(by_hand(path, &ConflictFault::contested(L::NAME, rows)));
    }
    let stages = [
        staged(worktree, path, 1)?,
        staged(worktree, path, 2)?,
        staged(worktree, path, 3)?,
    ];
    let [base, Some(ours), Some(theirs)] = &stages else {
        return marked::<L>(path, &text);
    };
    if !text.contains("<<<<<<<") && bytes != ours && bytes != theirs {
        return marked::<L>(path, &text);
    }
    let side = |bytes: &Vec<u8>| {
        String::from_utf8(bytes.clone()).map_err(|_| {
            let refused =
                Refused::new(format!("{path}: one side is no UTF-8")).code(Code::LedgerInvalid);
            Failure::from(refused.fix(format!(
                "git checkout --ours -- {}",
                word(&from_root(path.as_str()))
            )))
        })
    };
    let base = base.as_ref().map(side).transpose()?;
    let merged = merge::<L>(base.as_deref(), &side(ours)?, &side(theirs)?);
    match merged.map_err(|fault| by_hand(path, &fault.into()))? {
        Merged::Whole(ledger) => Ok((print(&ledger), None)),
        Merged::Contested(contest) => {
            let open = ConflictFault::contested(L::NAME, contest.names());
            let marks = Marks {
                size: 7,
                ours: "ours",
                base: None,
                theirs: "theirs",
            };
            Ok((contest.text(&marks), Some(format!("{path}: {open}"))))
        }
    }
}

/// A path for git, wherever in the worktree one stands.
fn from_root(path: &str) -> String {
    format!(":/{path}")
}

/// What can be made of a text alone.
fn marked<L: Mergeable>(path: &RepoPath, text: &str) -> Result<(String, Option<String>), Failure> {
    let ledger = resolve::<L>(text, None).map_err(|fault| by_hand(path, &fault))?;
    Ok((print(&ledger), None))
}

/// Nothing is written: the fault, and how a person goes on.
fn by_hand(path: &RepoPath, fault: &ConflictFault) -> Failure {
    let fix = match fault {
        ConflictFault::Fixture => format!(
            "take one side, then pin anew: git checkout --ours -- {} && git reins fixture pin --epoch NEW --runner-image auto",
            word(&from_root(path.as_str()))
        ),
        ConflictFault::Rows { .. } => {
            format!("edit {path}: keep one side of each row between markers, then: git reins fmt")
        }
        ConflictFault::Markers { .. } | ConflictFault::Torn { .. } | ConflictFault::Merge(_) => {
            format!("edit {path} by hand, and write it anew: git reins fmt")
        }
    };
    Refused::new(format!("{path}: {fault}"))
        .code(Code::LedgerInvalid)
        .fix(fix)
        .into()
}

/// One side of an unmerged file as the index keeps it.
fn staged(
    worktree: &LedgerWorktree,
    path: &RepoPath,
    stage: u8,
) -> Result<Option<Vec<u8>>, Failure> {
    let asked = [
        "rev-parse",
        "--verify",
        "--quiet",
        "--end-of-options",
        &format!(":{stage}:{path}"),
    ];
    let Some(id) = Git::at(&worktree.place).args(asked).maybe_line()? else {
        return Ok(None);
    };
    Ok(Some(
        Git::at(&worktree.place)
            .args(["cat-file", "blob", &id])
            .run()?,
    ))
}
