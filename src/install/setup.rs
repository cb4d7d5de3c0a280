//! Plans and writes the settings with which git shows and merges ledgers by row.
//!
//! They apply to one clone: settings in the configuration of the repository and lines in
//! `info/attributes`. Git runs the settings through `sh`. A program that is gone, older than these
//! commands or broken does not print its last word; then git shows the file as it is, or merges it
//! as text.

use std::fmt;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use super::attributes;
use super::site::InstallError;
use crate::editing::Refused;
use crate::git::config::{self, Setting};
use crate::git::hooks::common_dir;
use crate::git::plumbing::{GitPlace, PlumbingError};
use crate::model::path::{RepoPath, shown};
use crate::model::shell::word;
use crate::sys::files::Root;

/// The last word of a ledger that was printed line by line.
pub const SAID_TEXT: &str = "reins-text";
/// The last word of a merge without conflicts.
pub const SAID_MERGED: &str = "reins-merged";
/// The last word of a merge that a person has to finish.
pub const SAID_CONFLICT: &str = "reins-conflict";

const TEXTCONV: &str = "f() { t=$(git-reins textconv \"$1\" 2>/dev/null; echo $?); case $t in \
    *reins-text0) printf %s \"${t%reins-text0}\";; *) cat \"$1\";; esac; }; f";

// git replaces %O and its like, and writes % for %%; what is more than 128 is no conflict but a failure
const DRIVER: &str = "t=$(git-reins merge-driver -- %O %A %B %L %P %S %X %Y; echo $?); case $t in \
    *reins-merged0) printf %%s \"${t%%reins-merged0}\" >%A || exit 129;; \
    *reins-conflict1) printf %%s \"${t%%reins-conflict1}\" >%A || exit 129; exit 1;; \
    *) git merge-file --marker-size=%L -L %X -L %S -L %Y %A %O %B;; esac";

/// The file with the attributes of one clone, in the common git directory.
const ATTRIBUTES: &str = "info/attributes";

/// What git can be told to do with ledgers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Integration {
    /// To show them row by row.
    Textconv,
    /// To merge them by row.
    MergeDriver,
}

impl Integration {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Textconv, Self::MergeDriver];

    /// Its option of `git reins setup`, without the dashes.
    pub fn name(self) -> &'static str {
        match self {
            Self::Textconv => "textconv",
            Self::MergeDriver => "merge-driver",
        }
    }

    /// What it is good for.
    pub fn purpose(self) -> &'static str {
        match self {
            Self::Textconv => "git diff, log -p and show name the row of every change",
            Self::MergeDriver => {
                "git merge, rebase and cherry-pick conflict only over the same row"
            }
        }
    }

    fn attribute(self) -> &'static str {
        match self {
            Self::Textconv => "diff",
            Self::MergeDriver => "merge",
        }
    }

    /// The settings, in the order in which they may come to be: git dies of a driver that has a
    /// name and no command.
    fn settings(self) -> [(&'static str, &'static str); 2] {
        match self {
            Self::Textconv => [
                ("diff.reins.textconv", TEXTCONV),
                ("diff.reins.cachetextconv", "false"),
            ],
            Self::MergeDriver => [
                ("merge.reins.driver", DRIVER),
                ("merge.reins.name", "ledgers by row (git reins setup)"),
            ],
        }
    }
}

/// How far a clone has been told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// Settings and attribute are in force.
    SetUp,
    /// Nothing of it is there.
    Absent,
    /// Something of it is missing or overruled.
    Partial,
    /// Somebody else's settings have the name.
    Foreign,
}

/// A clone as far as this goes.
#[derive(Clone, Debug)]
pub struct CloneSettings {
    place: GitPlace,
    common: PathBuf,
    file: Option<Vec<u8>>,
    /// The settings that bear our name, wherever they are written.
    settings: Vec<Setting>,
    /// Those of them that the configuration file of the repository itself holds.
    own: Vec<Setting>,
}

/// One step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Write a setting.
    Set(&'static str, &'static str),
    /// Take a setting away.
    Unset(&'static str, &'static str),
    /// Let `info/attributes` say this; `None` takes the file away.
    Attributes(Option<Vec<u8>>, Vec<String>),
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Set(key, value) => write!(f, "git config --local {key} {}", word(value)),
            Self::Unset(key, _) => write!(f, "git config --local --unset {key}"),
            Self::Attributes(Some(_), lines) if !lines.is_empty() => {
                write!(f, "let {ATTRIBUTES} say: {}", lines.join("; "))
            }
            Self::Attributes(Some(_), _) => write!(f, "take our lines out of {ATTRIBUTES}"),
            Self::Attributes(None, _) => {
                write!(f, "remove {ATTRIBUTES}, which was made for our lines")
            }
        }
    }
}

impl CloneSettings {
    /// Looks.
    ///
    /// # Errors
    /// When git or the disk do not say.
    pub fn look(place: &GitPlace) -> Result<Self, InstallError> {
        let common = common_dir(place)?;
        let file = Root::open(&common)?.read(&attributes_path())?;
        let pattern = r"^(diff|merge)\.reins\.";
        let (settings, own) = (
            config::matching(place, pattern)?,
            config::own(place, pattern)?,
        );
        Ok(Self {
            place: place.clone(),
            common,
            file,
            settings,
            own,
        })
    }

    /// A setting that has our name and is not as we write it.
    pub fn foreign(&self, integration: Integration) -> Option<&Setting> {
        let prefix = format!("{}.reins.", integration.attribute());
        let named = || {
            self.settings
                .iter()
                .filter(|setting| setting.key.starts_with(&prefix))
        };
        let (ours, is_begun) = (
            integration.settings(),
            integration.settings().iter().any(|one| self.holds(*one)),
        );
        named().find(
            |setting| match ours.iter().find(|(key, _)| *key == setting.key) {
                Some((_, value)) => setting.value != *value,
                None => !is_begun, // what a person adds to ours is theirs, and no trouble
            },
        )
    }

    /// How far this clone has been told.
    ///
    /// # Errors
    /// When git does not say which attributes are in force.
    pub fn state(
        &self,
        integration: Integration,
        ledgers: &RepoPath,
    ) -> Result<State, PlumbingError> {
        if self.foreign(integration).is_some() {
            return Ok(State::Foreign);
        }
        let attribute = config::attribute(
            &self.place,
            integration.attribute(),
            &format!("{ledgers}/oracle.json"),
        )?;
        let settings = integration.settings().map(|one| self.holds(one));
        let has_line = self.lines().iter().any(|line| is_for(line, integration));
        Ok(match (attribute == "reins", settings) {
            (true, [true, true]) => State::SetUp,
            (false, [false, false]) if !has_line => State::Absent,
            (true | false, _) => State::Partial,
        })
    }

    /// The steps that set something up; none when everything is in place.
    ///
    /// # Errors
    /// When somebody else's settings have our name.
    pub fn setup(
        &self,
        integrations: &[Integration],
        ledgers: &RepoPath,
    ) -> Result<Vec<Step>, Refused> {
        if let Some(setting) = integrations
            .iter()
            .find_map(|integration| self.foreign(*integration))
        {
            return Err(stands_in_the_way(setting));
        }
        let settings = integrations
            .iter()
            .flat_map(|integration| integration.settings());
        let missing = settings
            .filter(|one| !self.holds(*one))
            .map(|(key, value)| Step::Set(key, value));
        let line = |integration: &Integration| {
            attributes::line(ledgers, &format!("{}=reins", integration.attribute()))
        };
        let mut lines: Vec<_> = self.lines();
        lines.retain(|line| {
            !integrations
                .iter()
                .any(|integration| is_for(line, *integration))
        });
        lines.extend(integrations.iter().map(line));
        lines.sort();
        Ok(missing.chain(self.write(lines)).collect())
    }

    /// The steps that take back what was set up; what somebody else has written stays.
    pub fn undo(&self, integrations: &[Integration]) -> Vec<Step> {
        let mut lines = self.lines();
        lines.retain(|line| {
            !integrations
                .iter()
                .any(|integration| is_for(line, *integration))
        });
        let settings = integrations
            .iter()
            .flat_map(|integration| integration.settings().into_iter().rev());
        let there = settings
            .filter(|one| self.holds(*one))
            .map(|(key, value)| Step::Unset(key, value));
        self.write(lines).into_iter().chain(there).collect()
    }

    /// Takes the steps in their order.
    ///
    /// # Errors
    /// When something changed since this was looked at, or git or the disk say no. What was done
    /// stays then and does no harm, and running it again goes on from there.
    pub fn carry_out(&self, steps: &[Step]) -> Result<(), InstallError> {
        let root = Root::open(&self.common)?;
        root.hold();
        for step in steps {
            match step {
                Step::Set(key, value) => config::set(&self.place, key, value)?,
                Step::Unset(key, value) => config::unset(&self.place, key, value)?,
                Step::Attributes(..) if root.read(&attributes_path())? != self.file => {
                    return Err(InstallError::Changed);
                }
                Step::Attributes(Some(bytes), _) => root.replace(&attributes_path(), bytes)?,
                Step::Attributes(None, _) => root.remove(&attributes_path())?,
            }
        }
        Ok(())
    }

    fn holds(&self, (key, value): (&str, &str)) -> bool {
        self.own
            .iter()
            .any(|setting| setting.key == key && setting.value == value)
    }

    fn lines(&self) -> Vec<String> {
        attributes::ours(self.file.as_deref().unwrap_or_default())
    }

    fn write(&self, lines: Vec<String>) -> Option<Step> {
        let is_there = self.lines() == lines;
        let file = attributes::with(self.file.as_deref(), &lines);
        (!is_there && file != self.file).then_some(Step::Attributes(file, lines))
    }
}

fn is_for(line: &str, integration: Integration) -> bool {
    line.ends_with(&format!(" {}=reins", integration.attribute()))
}

fn attributes_path() -> RepoPath {
    ATTRIBUTES.parse().expect("our own path is safe")
}

fn stands_in_the_way(setting: &Setting) -> Refused {
    let Setting {
        scope, origin, key, ..
    } = setting;
    let refused = Refused::new(format!(
        "{} is set already ({scope}, {}), and not by us",
        shown(key),
        shown(origin)
    ));
    match scope.as_str() {
        "command" => refused.fix(format!(
            "git without -c {key} and without it in GIT_CONFIG_*"
        )),
        _ => refused.fix(format!("git config --{scope} --unset-all {}", word(key))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_is_told_waits_for_the_last_word() {
        assert!(TEXTCONV.contains(&format!("*{SAID_TEXT}0)")));
        assert!(DRIVER.contains(&format!("*{SAID_MERGED}0)")));
        assert!(DRIVER.contains(&format!("*{SAID_CONFLICT}1)")));
        for line in [TEXTCONV, DRIVER] {
            assert!(!line.contains('\n') && !line.contains("  "), "{line}");
        }
    }
}
