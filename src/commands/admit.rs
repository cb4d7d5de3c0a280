//! `git reins admit`

use std::path::{Path, PathBuf};

use clap::Args;

use super::{Answer, Context, Failure, judging};
use crate::decide::score::Scores;
use crate::decide::{admit, article};
use crate::ledger::article::{ArticleLedgers, read_fixture, read_freezes, read_oracles};
use crate::ledger::file::{LedgerFault, LedgerName};
use crate::ledger::results::{ResultRow, parse_results};
use crate::model::day::Day;
use crate::model::refusal::Code;
use crate::sys::files;

/// Decide whether a patch is admitted: the ledgers agree and its score stands
///
/// Exit 0 when it is admitted, 1 when it is refused, 3 when it is held for a person or a later
/// trial, 128 when nothing can be decided.
#[derive(Debug, Args)]
pub struct Admit {
    /// The range, or the candidate alone [default: HEAD against the protected line]
    #[arg(value_name = "BASE..TIP")]
    range: Option<String>,
    /// The results, a list of {"property_id", "status", "canary"?}
    #[arg(long, value_name = "FILE")]
    results: Option<PathBuf>,
    /// Judge the bare ledgers in DIR by the articles' rules alone, without a repository
    #[arg(long, value_name = "DIR", requires = "results", conflicts_with = "range")]
    ledger: Option<PathBuf>,
    /// Decide as of this day, to compute a past decision again [default: today, UTC]
    #[arg(long, value_name = "YYYY-MM-DD")]
    today: Option<Day>,
    /// Print the decision as JSON
    #[arg(long)]
    pub json: bool,
}

impl Admit {
    /// Decides.
    ///
    /// # Errors
    /// When nothing can be decided.
    pub fn run(&self, context: &Context) -> Result<Answer, Failure> {
        let today = self.today.unwrap_or(context.today);
        let results = self.results.as_ref().map(|path| read(&context.dir.join(path))).transpose()?;
        let results = results.map(|bytes| parse_results(&bytes));
        if let (Some(dir), Some(results)) = (&self.ledger, &results) {
            return self.by_article(&context.dir.join(dir), results, today);
        }
        let range = judging::Range::parse(self.range.as_deref())?;
        let scores = match &results {
            None => Scores::Recorded,
            Some(Ok(rows)) => Scores::Given(rows),
            Some(Err(fault)) => Scores::Unreadable(fault),
        };
        judging::judge(context, &range, today, self.form(), |facts| admit::admit(facts, scores))
    }

    fn form(&self) -> judging::Form {
        judging::Form { admitted: "admit", as_json: self.json }
    }

    fn by_article(
        &self,
        dir: &Path,
        results: &Result<Vec<ResultRow>, LedgerFault>,
        today: Day,
    ) -> Result<Answer, Failure> {
        let results =
            results.as_ref().map_err(|fault| invalid(Code::ResultsInvalid, "the results", fault))?;
        let ledgers = ArticleLedgers {
            oracles: bare(dir, LedgerName::Oracle, read_oracles)?,
            fixture: bare(dir, LedgerName::Fixture, read_fixture)?,
            freezes: bare(dir, LedgerName::Freezes, read_freezes)?,
        };
        Ok(judging::answer(&article::admit(&ledgers, results, today), self.form()))
    }
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let bytes = files::read(path).map_err(|error| Failure::new(error.to_string()))?;
    bytes.ok_or_else(|| Failure::new(format!("{} does not exist", path.display())))
}

fn bare<T>(dir: &Path, name: LedgerName, reader: fn(&[u8]) -> Result<T, LedgerFault>) -> Result<T, Failure> {
    let path = dir.join(name.file_name());
    let shown = path.display().to_string();
    let bytes = files::read(&path).map_err(|error| Failure::new(error.to_string()))?;
    let missing = || Failure::refused(format!("{shown} is missing"), Some(Code::LedgerMissing), None);
    reader(&bytes.ok_or_else(missing)?).map_err(|fault| invalid(Code::LedgerInvalid, &shown, &fault))
}

fn invalid(code: Code, place: &str, fault: &LedgerFault) -> Failure {
    Failure::refused(format!("{place}: {fault}"), Some(code), None)
}
