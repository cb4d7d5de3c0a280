//! `git reins oracle witness`

use std::path::PathBuf;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use super::oracle::NEXT;
use super::{Answer, Context, Failure, carry_out};
use crate::editing::ledger_worktree::LedgerWorktree;
use crate::editing::{Refused, witness};
use crate::ledger::oracle::OracleLedger;
use crate::model::ids::OracleId;
use crate::model::path::visible;
use crate::report::json;
use crate::sys::files;

/// The arguments of `oracle witness`.
#[derive(Debug, Args)]
pub struct Witness {
    /// The row
    id: OracleId,
    /// The patch
    #[arg(value_name = "PATCH.diff")]
    patch: PathBuf,
    /// Print what would change, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Print where the patch is kept, and its digest
    #[arg(long)]
    pub json: bool,
}

const SCHEMA: &str = "git-reins/oracle-witness/1";

/// What `oracle witness` did, in JSON.
#[derive(Serialize, JsonSchema)]
pub(super) struct Kept<'a> {
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// The row.
    #[schemars(with = "String")]
    oracle_id: &'a OracleId,
    /// Where the patch lies.
    path: &'a str,
    /// SHA-256 of its bytes.
    sha256: &'a str,
    /// Whether it was written.
    written: bool,
}

impl Witness {
    /// Does it.
    ///
    /// # Errors
    /// When the patch cannot be read, or a rule stands against it.
    pub fn run(&self, context: &Context, worktree: &LedgerWorktree) -> Result<Answer, Failure> {
        let name = visible(&self.patch.display().to_string());
        let read = files::read_unlinked(&context.dir.join(&self.patch));
        let read = read.map_err(|error| Failure::new(error.to_string()))?;
        let bytes = read.ok_or_else(|| Failure::new(format!("there is no file {name}")))?;
        let opened = worktree.ledger::<OracleLedger>()?;
        let kept = witness::keep(worktree, &opened, &self.id, bytes)?;
        let (id, path) = (&self.id, &kept.pin.path);
        if kept.plan.is_empty() {
            return Err(Refused::new("nothing would change").into());
        }
        let said = format!("{id} has its known-bad patch at {path}; next: {NEXT}");
        let answer = carry_out(&worktree.root, &kept.plan, self.dry_run, said)?;
        let (path, sha256, written) = (path.as_str(), kept.pin.sha256.as_str(), !self.dry_run);
        let report = Kept {
            schema: SCHEMA,
            oracle_id: id,
            path,
            sha256,
            written,
        };
        Ok(if self.json {
            Answer {
                stdout: json::print(&report),
                ..answer
            }
        } else {
            answer
        })
    }
}
