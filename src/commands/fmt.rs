//! `git reins fmt`

use clap::Args;

use super::{Answer, Context, Failure, carry_out};
use crate::authoring::Refused;
use crate::authoring::desk::{Desk, DeskError};
use crate::authoring::plan::{Plan, Write};
use crate::exit::ExitStatus;
use crate::git::plumbing::Git;
use crate::ledger::article::{Upgrade, upgrade_fixture, upgrade_freezes, upgrade_oracle};
use crate::ledger::conflict::{ConflictFault, Mergeable, merge_sides, resolve};
use crate::ledger::file::{LedgerFault, parse, print};
use crate::model::path::RepoPath;
use crate::model::refusal::Code;

/// Bring the ledgers of the worktree into canonical form
#[derive(Debug, Args)]
pub struct Fmt {
    /// Write nothing; print the difference and leave with 1 when there is one
    #[arg(long, visible_alias = "dry-run")]
    check: bool,
    /// Rewrite the bare shapes of the articles, and list what they still miss
    #[arg(long, conflicts_with = "resolve")]
    upgrade: bool,
    /// Resolve conflict markers row by row
    #[arg(long)]
    resolve: bool,
}

/// One ledger in canonical form, and what it still misses.
struct Formatted {
    write: Option<Write>,
    missing: Vec<String>,
}

impl Fmt {
    /// Formats the ledgers that are there.
    ///
    /// # Errors
    /// When one cannot be read: nothing is written then.
    pub fn run(&self, context: &Context) -> Result<Answer, Failure> {
        let desk = context.desk()?;
        let all = [
            self.format(&desk, upgrade_oracle)?,
            self.format(&desk, upgrade_fixture)?,
            self.format(&desk, upgrade_freezes)?,
        ];
        let missing: Vec<_> = all.iter().flat_map(|one| one.missing.clone()).collect();
        let plan = Plan::new(all.into_iter().filter_map(|one| one.write));
        let changed: Vec<_> = plan.paths().map(RepoPath::as_str).collect();
        let answer = match (plan.is_empty(), self.check) {
            (true, _) => Answer::done("", "the ledgers are in canonical form; next: git reins check"),
            (false, true) => {
                let said = format!("{} not in canonical form; next: git reins fmt", changed.join(", "));
                Answer { status: ExitStatus::Refused, ..Answer::done(plan.diff(), said) }
            }
            (false, false) => {
                let next = if self.resolve {
                    format!("git add :/{}", changed.join(" :/"))
                } else {
                    "git reins oracle commit".to_owned()
                };
                carry_out(&desk.root, &plan, false, format!("wrote {}; next: {next}", changed.join(", ")))?
            }
        };
        Ok(missing.iter().fold(answer, |answer, missing| answer.note(&format!("still missing: {missing}"))))
    }

    fn format<L: Mergeable>(
        &self,
        desk: &Desk,
        upgrade: fn(&[u8]) -> Result<Upgrade<L>, LedgerFault>,
    ) -> Result<Formatted, Failure> {
        let path = desk.ledger_path(L::NAME)?;
        let Some(bytes) = desk.root.read(&path).map_err(DeskError::from)? else {
            return Ok(Formatted { write: None, missing: Vec::new() });
        };
        let fault = |fault| DeskError::Ledger(path.clone(), Box::new(fault));
        let (ledger, missing) = if self.resolve {
            (resolved::<L>(desk, &path, &bytes)?, Vec::new())
        } else if self.upgrade {
            let upgraded = upgrade(&bytes).map_err(fault)?;
            (upgraded.ledger, upgraded.missing)
        } else {
            (parse::<L>(&bytes).map_err(fault)?, Vec::new())
        };
        let missing = missing.into_iter().map(|member| format!("{path}: {member}")).collect();
        let write = Write { path, before: Some(bytes), after: print(&ledger).into_bytes() };
        Ok(Formatted { write: Some(write), missing })
    }
}

/// The rows of both sides: the index keeps them whole while the file is unmerged; the markers in
/// the file are all there is once somebody has added it.
fn resolved<L: Mergeable>(desk: &Desk, path: &RepoPath, bytes: &[u8]) -> Result<L, Failure> {
    let by_hand = |fault: String, fix: String| {
        Failure::from(Refused::new(format!("{path}: {fault}")).code(Code::LedgerInvalid).fix(fix))
    };
    let side = |stage| {
        let text = staged(desk, path, stage)?.map(String::from_utf8).transpose();
        text.map_err(|_| by_hand("one side is no UTF-8".to_owned(), format!("git checkout --ours -- {path}")))
    };
    let merged = match (side(2)?, side(3)?) {
        (Some(ours), Some(theirs)) => merge_sides::<L>(side(1)?.as_deref(), &ours, &theirs),
        _ => resolve::<L>(&String::from_utf8_lossy(bytes), None),
    };
    merged.map_err(|fault| {
        let fix = match &fault {
            ConflictFault::Fixture => format!(
                "take one side, then pin anew: git checkout --ours -- {path} && git reins fixture pin --epoch NEW --runner-image auto"
            ),
            ConflictFault::Rows { .. } => format!(
                "take one side, then edit what differs: git checkout --ours -- {path} && git reins oracle list"
            ),
            ConflictFault::Markers { .. }
            | ConflictFault::Torn { .. }
            | ConflictFault::Side { .. }
            | ConflictFault::Nameless { .. }
            | ConflictFault::Merged(_) => format!("edit {path} by hand, and write it anew: git reins fmt"),
        };
        by_hand(fault.to_string(), fix)
    })
}

/// One side of an unmerged file as the index keeps it.
fn staged(desk: &Desk, path: &RepoPath, stage: u8) -> Result<Option<Vec<u8>>, Failure> {
    let asked = ["rev-parse", "--verify", "--quiet", "--end-of-options", &format!(":{stage}:{path}")];
    let Some(id) = Git::at(&desk.place).args(asked).maybe_line()? else { return Ok(None) };
    Ok(Some(Git::at(&desk.place).args(["cat-file", "blob", &id]).run()?))
}
