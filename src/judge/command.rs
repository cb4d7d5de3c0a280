//! The process that a check runs for one seed: arguments, environment, files that it finds.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::harness::{self, Pinned};
use crate::model::path::RepoPath;
use crate::policy::Check;
use crate::policy::placeholder::{Piece, pieces};
use crate::presets::ResultFormat;

/// What one process is run for.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The property and the file that holds it; `None` for a canary.
    pub property: Option<(&'a str, &'a RepoPath)>,
    /// The seed.
    pub seed: &'a str,
}

/// Where one process finds and leaves things; absolute paths.
#[derive(Clone, Copy, Debug)]
pub struct Places<'a> {
    /// The fresh tree: its working directory.
    pub tree: &'a Path,
    /// The pinned fixtures.
    pub fixtures: &'a Path,
    /// A directory of its own, empty before the run.
    pub tmp: &'a Path,
    /// Where it may leave a result file; nothing is there before.
    pub result: &'a Path,
}

/// One process, ready to be run in the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invocation {
    /// The program and its arguments.
    pub argv: Vec<OsString>,
    /// Variables that are set.
    pub env: BTreeMap<String, OsString>,
    /// Variables that are not inherited. One that is set as well is set.
    pub env_unset: BTreeSet<String>,
    /// Files that have to be there before it runs, all inside of `tmp`.
    pub files: BTreeMap<PathBuf, Vec<u8>>,
    /// Where its results are read; `None` when only the exit code speaks.
    pub result: Option<Expected>,
}

/// Results that a process has to leave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// How they are written.
    pub format: ResultFormat,
    /// Where they are.
    pub source: Source,
    /// How many tests must have run.
    pub require_executed: u64,
}

/// Where results are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// In this file.
    File(PathBuf),
    /// On standard output, all of it.
    Stdout,
}

/// A command that cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// A placeholder that this process has no value for.
    #[error("check {check}: nothing stands for {{{hole}}}")]
    NoValue {
        /// The check.
        check: String,
        /// The placeholder.
        hole: String,
    },
    /// A property whose name or file would be read as an option.
    #[error("check {check}: {argument:?} would be read as an option")]
    OptionLike {
        /// The check.
        check: String,
        /// The argument.
        argument: String,
    },
    /// A preset whose tool is not named in `run`, so that its configuration cannot be pinned.
    #[error("check {check}: the preset needs {tool:?} as an argument of its own in run")]
    NoTool {
        /// The check.
        check: String,
        /// What has to be there.
        tool: &'static str,
    },
}

/// Makes the command of a check.
///
/// # Errors
/// When a placeholder has no value, or the preset does not find its tool.
pub fn build(
    check: &Check,
    subject: Subject<'_>,
    places: Places<'_>,
    pinned: Pinned<'_>,
) -> Result<Invocation, CommandError> {
    let filler = Filler {
        check,
        subject,
        places,
    };
    let mut run = check.run.clone();
    let mut extra = harness::extra(check, subject, places, pinned)?;
    run.splice(extra.at..extra.at, std::mem::take(&mut extra.arguments));
    let argv = run
        .iter()
        .map(|text| filler.argument(text))
        .collect::<Result<_, _>>()?;
    let declared = check
        .env
        .iter()
        .map(|(name, value)| Ok((name.clone(), filler.fill(value)?)));
    let mut env: BTreeMap<_, _> = declared.collect::<Result<_, _>>()?;
    extra.set_variables(&mut env);
    let result = match &check.result {
        None => extra.result,
        Some(result) => Some(Expected {
            format: result.format,
            source: Source::File(places.tree.join(filler.fill(&result.path)?)),
            require_executed: result.require_executed,
        }),
    };
    Ok(Invocation {
        argv,
        env,
        env_unset: check.env_unset.clone(),
        files: extra.files,
        result,
    })
}

/// What a text of a check is filled with.
struct Filler<'a> {
    check: &'a Check,
    subject: Subject<'a>,
    places: Places<'a>,
}

impl Filler<'_> {
    fn argument(&self, text: &str) -> Result<OsString, CommandError> {
        let filled = self.fill(text)?;
        let named = matches!(
            pieces(text).first(),
            Some(Piece::Hole("property" | "property_file"))
        );
        if named && filled.as_encoded_bytes().starts_with(b"-") {
            let argument = filled.to_string_lossy().into_owned();
            return Err(CommandError::OptionLike {
                check: self.check.id.clone(),
                argument,
            });
        }
        Ok(filled)
    }

    fn fill(&self, text: &str) -> Result<OsString, CommandError> {
        let mut filled = OsString::new();
        for piece in pieces(text) {
            match piece {
                Piece::Text(text) => filled.push(text),
                Piece::Hole(hole) => {
                    filled.push(self.value(hole).ok_or_else(|| CommandError::NoValue {
                        check: self.check.id.clone(),
                        hole: hole.to_owned(),
                    })?)
                }
            }
        }
        Ok(filled)
    }

    fn value(&self, hole: &str) -> Option<OsString> {
        let Places {
            tree,
            fixtures,
            tmp,
            result,
        } = self.places;
        match hole {
            "property" => self.subject.property.map(|(name, _)| name.into()),
            "property_file" => self.subject.property.map(|(_, file)| file.as_str().into()),
            "seed" => Some(self.subject.seed.into()),
            "tree" => Some(tree.into()),
            "fixtures" => Some(fixtures.into()),
            "tmp" => Some(tmp.into()),
            "result" => Some(result.into()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
