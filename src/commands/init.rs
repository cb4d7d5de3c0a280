//! `git reins init`

use clap::Args;
use clap::builder::PossibleValuesParser;

use super::{Answer, Context, Failure, carry_out};
use crate::editing::Refused;
use crate::editing::ledger_worktree::{LedgerWorktreeError, worktree};
use crate::editing::plan::{Plan, Write};
use crate::editing::start::{self, Protected};
use crate::model::path::RepoPath;
use crate::policy::draft::{Draft, InitPreset, draft};
use crate::policy::{POLICY_PATH, Policy, parse};
use crate::sys::files::Root;

/// Put a repository under reins: policy, empty ledgers, one line in .gitignore
///
/// Files that exist are never overwritten. Where a policy stands, only ledgers that are missing
/// are written. Nothing is committed.
#[derive(Debug, Args)]
pub struct Init {
    /// Only warn at first: the policy enforces nothing yet
    #[arg(long)]
    warn: bool,
    /// The directory of the ledgers, from the top level [default: ledger]
    #[arg(long, value_name = "DIR")]
    ledger_dir: Option<RepoPath>,
    /// The tool that runs properties [default: raw, which declares no check]
    #[arg(long, value_parser = PossibleValuesParser::new(InitPreset::NAMES.iter().map(|(name, _)| *name)))]
    preset: Option<String>,
    /// Print what would be written, and write nothing
    #[arg(long)]
    dry_run: bool,
}

impl Init {
    /// Writes what is missing.
    ///
    /// # Errors
    /// When there is no worktree, or everything is there.
    pub fn run(&self, context: &Context) -> Result<Answer, Failure> {
        let (place, root) = worktree(&context.dir, context.git_dir.as_deref())?;
        if !self.dry_run {
            start::learn_default(&place)?;
        }
        let protected = start::protected_line(&place)?;
        let (plan, fresh) = self.plan(&root, protected.as_ref())?;
        let written: Vec<_> = plan.paths().map(RepoPath::as_str).collect();
        let next = start::committed(&place, &written)?;
        let said = format!("wrote {}; next: {next}", written.join(", "));
        let answer = carry_out(&root, &plan, self.dry_run, said)?;
        let protects = protected.map_or(
            "no line to protect was found: name one under protect.base".to_owned(),
            |found| format!("the policy protects {}, {}", found.line, found.reason),
        );
        Ok(if fresh {
            answer.note(&protects)
        } else {
            answer
        })
    }

    /// What is missing, and whether the policy is.
    fn plan(&self, root: &Root, protected: Option<&Protected>) -> Result<(Plan, bool), Failure> {
        let path: RepoPath = POLICY_PATH.parse().map_err(LedgerWorktreeError::from)?;
        let stands = root.read(&path).map_err(LedgerWorktreeError::from)?;
        let asked = self.warn || self.ledger_dir.is_some() || self.preset.is_some();
        let text = match &stands {
            Some(_) if asked => return Err(exists(format!("{POLICY_PATH} exists already"))),
            Some(text) => text.clone(),
            None => self.policy_text(protected),
        };
        let policy: Policy = parse(&text).map_err(LedgerWorktreeError::from)?;
        let mut writes = start::missing_ledgers(root, &policy)?;
        match stands {
            Some(_) if writes.is_empty() => {
                return Err(exists(format!(
                    "{POLICY_PATH} and the ledgers exist already"
                )));
            }
            Some(_) => return Ok((Plan::new(writes), false)),
            None => writes.insert(
                0,
                Write {
                    path,
                    before: None,
                    after: text,
                },
            ),
        }
        writes.push(start::ignore_history(root)?);
        Ok((Plan::new(writes), true))
    }

    fn policy_text(&self, protected: Option<&Protected>) -> Vec<u8> {
        let named = |name: &&String| InitPreset::NAMES.iter().find(|(known, _)| known == name);
        let preset = self.preset.as_ref().and_then(|name| named(&name));
        let options = Draft {
            ledger: self
                .ledger_dir
                .clone()
                .unwrap_or_else(|| Policy::default().paths.ledger),
            protected: protected.map(|protected| protected.line.clone()),
            preset: preset.map_or(InitPreset::Raw, |(_, preset)| *preset),
            warn: self.warn,
        };
        draft(&options).into_bytes()
    }
}

fn exists(message: String) -> Failure {
    Refused::new(message)
        .fix(format!("edit {POLICY_PATH}"))
        .into()
}
