//! `git reins merge-driver`: merges three versions of a ledger by row.

use std::path::PathBuf;

use clap::Args;

use super::{Answer, Context, Failure};
use crate::exit::ExitStatus;
use crate::git::config;
use crate::git::plumbing::GitPlace;
use crate::git::textmerge::merge_file;
use crate::install::setup::{SAID_CONFLICT, SAID_MERGED};
use crate::ledger::conflict::ConflictFault;
use crate::ledger::file::{LedgerName, print};
use crate::ledger::fixture::FixtureLedger;
use crate::ledger::freeze::FreezeLedger;
use crate::ledger::merge::{Marks, MergeFault, Mergeable, Merged, merge};
use crate::ledger::oracle::OracleLedger;
use crate::model::path::{file_name, shown};
use crate::sys::{files, invocation};

/// Merge a ledger by row; git runs this when `git reins setup --merge-driver` told it to
///
/// Prints the merged file and a last word, and writes nothing. Leaves with 0 when nothing is
/// contested and with 1 when a person has to finish it.
#[derive(Debug, Args)]
#[command(hide = true)]
pub struct MergeDriver {
    /// What both sides started from; empty when there is no such file (%O)
    #[arg(allow_hyphen_values = true)]
    base: PathBuf,
    /// Our side (%A)
    #[arg(allow_hyphen_values = true)]
    ours: PathBuf,
    /// Their side (%B)
    #[arg(allow_hyphen_values = true)]
    theirs: PathBuf,
    /// How long conflict markers are (%L)
    #[arg(value_parser = clap::value_parser!(u16).range(1..=1000))]
    marker_size: u16,
    /// The path of the ledger (%P)
    #[arg(allow_hyphen_values = true)]
    path: String,
    /// What the base, our side and their side are called (%S %X %Y); older gits do not say
    #[arg(allow_hyphen_values = true)]
    labels: Vec<String>,
}

/// Whether conflicts are to show what both sides started from; one that cannot be asked for is not.
fn shows_base(context: &Context) -> bool {
    let place = GitPlace::find(&context.dir, context.git_dir.as_deref());
    let styles = place.and_then(|place| config::matching(&place, r"^merge\.conflictstyle$"));
    styles.is_ok_and(|styles| {
        styles
            .last()
            .is_some_and(|style| style.value.ends_with("diff3"))
    })
}

/// The three texts, each where it is and as it was read.
struct Sides {
    files: [PathBuf; 3],
    texts: [String; 3],
}

impl MergeDriver {
    /// Merges.
    ///
    /// # Errors
    /// When the file is none of the ledgers, or no text: then git merges it without us.
    pub fn run(&self, context: &Context) -> Result<Answer, Failure> {
        let name = file_name(&self.path);
        let ledger = LedgerName::ALL
            .into_iter()
            .find(|ledger| ledger.file_name() == name);
        match ledger.ok_or_else(|| Failure::new(format!("{} is no ledger", shown(&self.path))))? {
            LedgerName::Oracle => self.merge::<OracleLedger>(context),
            LedgerName::Fixture => self.merge::<FixtureLedger>(context),
            LedgerName::Freezes => self.merge::<FreezeLedger>(context),
        }
    }

    fn merge<L: Mergeable>(&self, context: &Context) -> Result<Answer, Failure> {
        let sides = self.sides()?;
        let [ours, base, theirs] = &sides.texts;
        let base = Some(base.as_str()).filter(|base| !base.is_empty());
        match merge::<L>(base, ours, theirs) {
            Ok(Merged::Whole(ledger)) => Ok(Answer::done(print(&ledger) + SAID_MERGED, "")),
            Ok(Merged::Contested(contest)) => {
                let fault = ConflictFault::contested(L::NAME, contest.names());
                let [ours, base, theirs] = self.labels();
                let base = Some(base).filter(|_| shows_base(context));
                let marks = Marks {
                    size: self.marker_size.into(),
                    ours,
                    base,
                    theirs,
                };
                Ok(self.conflict(contest.text(&marks), &fault))
            }
            Err(fault) => self.as_text(context, &sides, &fault),
        }
    }

    /// What cannot be read is merged as text, and is a conflict in any case: nobody knows what a
    /// side that is no ledger means.
    fn as_text(
        &self,
        context: &Context,
        sides: &Sides,
        fault: &MergeFault,
    ) -> Result<Answer, Failure> {
        let place = GitPlace::find(&context.dir, context.git_dir.as_deref())?;
        let files = sides.files.each_ref().map(PathBuf::as_path);
        let merged = merge_file(&place, files, self.labels(), self.marker_size.into())?;
        let conflict = merged.filter(|(_, has_conflicts)| *has_conflicts);
        let text = conflict.and_then(|(text, _)| String::from_utf8(text).ok());
        Ok(self.conflict(text.unwrap_or_else(|| self.side_by_side(sides)), fault))
    }

    fn side_by_side(&self, sides: &Sides) -> String {
        let ([ours, _, theirs], [our_label, _, their_label]) = (&sides.texts, self.labels());
        let ended = |text: &str| {
            if text.is_empty() || text.ends_with('\n') {
                ""
            } else {
                "\n"
            }
        };
        let marker = |sign: &str| sign.repeat(self.marker_size.into());
        format!(
            "{} {}\n{ours}{}{}\n{theirs}{}{} {}\n",
            marker("<"),
            shown(our_label),
            ended(ours),
            marker("="),
            ended(theirs),
            marker(">"),
            shown(their_label)
        )
    }

    fn conflict(&self, text: String, why: &impl ToString) -> Answer {
        let stderr = format!(
            "git-reins: {}: {}\nhint: keep one of the two between the markers, then git reins fmt\n",
            shown(&self.path),
            why.to_string()
        );
        Answer {
            status: ExitStatus::Refused,
            stdout: text + SAID_CONFLICT,
            stderr,
        }
    }

    fn sides(&self) -> Result<Sides, Failure> {
        // git runs it where it has put the files, whatever GIT_PREFIX says
        let here = invocation::here().map_err(|error| Failure::new(error.to_string()))?;
        let files = [&self.ours, &self.base, &self.theirs].map(|file| here.join(file));
        let read = |file: &PathBuf| {
            let bytes = files::read(file).map_err(|error| Failure::new(error.to_string()))?;
            let bytes =
                bytes.ok_or_else(|| Failure::new(format!("{} is missing", file.display())))?;
            let text = String::from_utf8(bytes)
                .ok()
                .filter(|text| !text.contains('\0'));
            text.ok_or_else(|| Failure::new(format!("{} is no text", file.display())))
        };
        let texts = [read(&files[0])?, read(&files[1])?, read(&files[2])?];
        Ok(Sides { files, texts })
    }

    /// Our side, the base and their side.
    fn labels(&self) -> [&str; 3] {
        let label = |at: usize, other: &'static str| {
            let given = self.labels.get(at).map(String::as_str);
            given
                .filter(|label| !label.is_empty() && !label.starts_with('%'))
                .unwrap_or(other)
        };
        [label(1, "ours"), label(0, "base"), label(2, "theirs")]
    }
}
