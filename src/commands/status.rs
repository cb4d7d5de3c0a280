//! `git reins status`

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Answer, Context, Failure, admit};
use crate::decide::admit::check;
use crate::decide::evaluation::Evaluation;
use crate::decide::next::{Branch, Situation, next};
use crate::editing::ledger_worktree::LedgerWorktree;
use crate::editing::{judged, landing, start};
use crate::evidence::range_context::{Governed, Request};
use crate::evidence::{self, GateError, branch};
use crate::git::Repo;
use crate::git::worktree::{self, StatusEntry};
use crate::ledger::field::text;
use crate::ledger::fixture::FixtureLedger;
use crate::ledger::freeze::FreezeLedger;
use crate::ledger::oracle::OracleLedger;
use crate::model::day::Day;
use crate::model::decision::Decision;
use crate::model::ids::CommitId;
use crate::policy::POLICY_PATH;
use crate::report::json;
use crate::report::phrases::counted;

/// Say where you are in the loop, and which command comes next
#[derive(Debug, Args)]
pub struct Status {
    /// The line that the branch would land on [default: found by the default branch of the remote]
    #[arg(long, value_name = "REF")]
    line: Option<String>,
    /// Print it as JSON
    #[arg(long)]
    pub json: bool,
}

const SCHEMA: &str = "git-reins/status/1";

/// The answer.
#[derive(Serialize, JsonSchema)]
pub(super) struct Standing {
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// The commit that the branch is judged against; null when no protected line is known.
    #[schemars(with = "Option<String>")]
    base: Option<CommitId>,
    /// The commits that carry a patch, parents first.
    #[schemars(with = "Vec<String>")]
    patch_commits: Vec<CommitId>,
    /// Oracle rows in the worktree.
    oracle_rows: usize,
    /// Those that score.
    scoring: usize,
    /// Freezes in the worktree.
    freezes: usize,
    /// The epoch; null when none is pinned.
    epoch_id: Option<String>,
    /// Ledger and property files of the worktree that are not committed.
    uncommitted: Vec<String>,
    /// The next command.
    next: String,
    /// Why that one.
    why: &'static str,
}

impl Status {
    /// Looks at the worktree and the branch.
    ///
    /// # Errors
    /// When there is no worktree under reins, or one of its ledgers cannot be read.
    pub fn run(&self, context: &Context) -> Result<Answer, Failure> {
        let desk = context.ledger_worktree()?;
        let oracle = desk.ledger::<OracleLedger>()?.ledger;
        let fixture = desk.ledger::<FixtureLedger>()?.ledger;
        let freezes = desk.ledger::<FreezeLedger>()?.ledger;
        let repo = context.repo()?;
        let evaluated = evaluated(&repo, self.line.as_deref(), context.today)?;
        let branch = match &evaluated {
            Some(Governed::Under(evaluation)) => branch::Branch {
                base: evaluation.facts.bases.first().map(|base| base.id),
                patch: evaluation.order.patch.clone(),
            },
            Some(Governed::NoPolicy { .. }) | None => judged::branch(&desk)?,
        };
        let changed = worktree::status(&desk.place)?;
        let is_material = |entry: &&StatusEntry| landing::is_material(&desk.policy.paths, entry);
        let uncommitted: Vec<_> = changed
            .iter()
            .filter(is_material)
            .map(StatusEntry::shown)
            .collect();
        let rows = oracle
            .as_ref()
            .map(|ledger| ledger.oracles.iter().filter(|row| row.scores()));
        let scoring = rows
            .clone()
            .map(|rows| rows.filter(|row| row.is_independent()).count());
        let has_drafts = rows.is_some_and(|mut rows| rows.any(|row| !row.is_independent()));
        let land = match &evaluated {
            Some(Governed::NoPolicy { line }) => land(&repo, &desk, line, &changed)?,
            Some(Governed::Under(_)) | None => String::new(),
        };
        let decision = match &evaluated {
            Some(Governed::Under(evaluation)) => Some(decision(context, evaluation)?),
            Some(Governed::NoPolicy { .. }) | None => None,
        };
        let (next, why) = next(&Situation {
            scoring,
            has_drafts,
            has_epoch: fixture.is_some(),
            has_freezes: freezes.is_some(),
            is_uncommitted: !uncommitted.is_empty(),
            branch: match (&evaluated, &decision) {
                (None, _) => Branch::Unknown,
                (Some(_), None) => Branch::NoPolicy(&land),
                (Some(_), Some(decision)) if !branch.patch.is_empty() => Branch::Patch(decision),
                (Some(_), Some(decision)) => Branch::Ledgers(decision),
            },
        });
        let standing = Standing {
            schema: SCHEMA,
            base: branch.base,
            patch_commits: branch.patch,
            oracle_rows: oracle.map_or(0, |ledger| ledger.oracles.len()),
            scoring: scoring.unwrap_or(0),
            freezes: freezes.map_or(0, |ledger| ledger.freezes.len()),
            epoch_id: fixture.map(|ledger| text(&ledger.epoch_id).to_owned()),
            uncommitted,
            next: next.to_owned(),
            why,
        };
        let answer = if self.json {
            json::print(&standing)
        } else {
            standing.text()
        };
        Ok(Answer::done(answer, ""))
    }
}

/// The branch that is checked out, evaluated; `None` where no line is known.
fn evaluated(
    repo: &Repo,
    line: Option<&str>,
    today: Day,
) -> Result<Option<Governed<Evaluation>>, Failure> {
    let request = Request {
        line,
        ..Request::default()
    };
    match evidence::collect(repo, &request, today) {
        // its own policy counts once it has landed
        Ok(Governed::Under(evidence)) if evidence.facts.line.is_adoption => {
            let line = evidence.facts.line.name;
            Ok(Some(Governed::NoPolicy { line }))
        }
        Ok(Governed::Under(evidence)) => Ok(Some(Governed::Under(Box::new(Evaluation::of(
            evidence.facts,
        ))))),
        Ok(Governed::NoPolicy { line }) => Ok(Some(Governed::NoPolicy { line })),
        Err(GateError::Unborn) => Ok(Some(Governed::NoPolicy {
            line: String::new(),
        })),
        Err(GateError::NoLine { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// What `admit` says of a branch with a patch, else `check`.
fn decision(context: &Context, evaluation: &Evaluation) -> Result<Decision, Failure> {
    match evaluation.has_patch() {
        true => admit::decision(context, evaluation, None),
        false => Ok(check(evaluation)?),
    }
}

/// The command that commits the policy of the worktree, with what else `init` wrote, or lands it.
fn land(
    repo: &Repo,
    desk: &LedgerWorktree,
    line: &str,
    changed: &[StatusEntry],
) -> Result<String, Failure> {
    if let Some(command) = evidence::branch::landing(repo, line)? {
        return Ok(command);
    }
    let is_first = |entry: &&StatusEntry| {
        landing::is_material(&desk.policy.paths, entry) || entry.text() == Some(".gitignore")
    };
    let others = changed
        .iter()
        .filter(is_first)
        .filter_map(StatusEntry::text);
    let paths: Vec<_> = [POLICY_PATH].into_iter().chain(others).collect();
    Ok(start::committed(&desk.place, &paths)?)
}

impl Standing {
    fn text(&self) -> String {
        let base = self.base.map_or_else(
            || "no protected line is known".to_owned(),
            |base| format!("base {}", base.short()),
        );
        let epoch = self
            .epoch_id
            .as_ref()
            .map_or_else(|| "no epoch".to_owned(), |epoch| format!("epoch {epoch}"));
        let mut text = format!(
            "{base}, {} with a patch\n{}, {} of them scoring; {epoch}; {}\n",
            counted(self.patch_commits.len(), "commit"),
            counted(self.oracle_rows, "oracle row"),
            self.scoring,
            counted(self.freezes, "freeze"),
        );
        for path in &self.uncommitted {
            text.push_str(&format!("not committed: {path}\n"));
        }
        text + &format!("next, since {}:\n  {}\n", self.why, self.next)
    }
}
