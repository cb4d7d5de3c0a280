//! Reads where git looks for our hooks, what is there, and what the manifest says about it.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::managers::Manager;
use super::manifest::{FILE, Manifest, ManifestError, OUR_DIRECTORY, Original, Record};
use super::{Event, shim_dir};
use crate::exit::{Explained, Explanation};
use crate::git::hooks::{self, HooksPath};
use crate::git::plumbing::{GitPlace, PlumbingError};
use crate::model::ids::Sha256;
use crate::model::shell::word;
use crate::sys::files::{FileError, Root};
use crate::sys::folder::{Folder, Standing, WRITE_INTO, real};

/// The name of the link that leads to the program, in our directory.
pub const POINTER: &str = "bin";

/// A repository as far as hooks go.
#[derive(Clone, Debug)]
pub struct Site {
    /// The repository.
    pub place: GitPlace,
    /// The git directory that all worktrees share.
    pub common: PathBuf,
    /// `core.hooksPath`, when it leads elsewhere than to the default.
    pub setting: Option<HooksPath>,
    /// Whose directory it is where git looks.
    pub hooks_dir_kind: HooksDirKind,
    /// What stands where git looks, one for each event.
    pub hook_files: Vec<HookFile>,
    /// What we recorded.
    pub manifest: Option<Manifest>,
    /// What is in our directory; `None` when it is not there.
    pub names: Option<BTreeSet<OsString>>,
    /// The link to the program.
    pub pointer: Standing,
    /// The bits of `core.sharedRepository`.
    pub shared: u32,
}

/// Whose directory is it where git looks for hooks?
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HooksDirKind {
    /// It lies in the git directory: ours to write, also when it has to be made.
    Repository,
    /// It lies in the worktree, and git knows nothing in it.
    Untracked,
    /// It lies in the worktree, and its files are tracked.
    Tracked,
    /// It lies elsewhere, or a setting for more than this repository names it.
    Elsewhere,
    /// It is not there, or no directory.
    Missing,
}

/// One hook file of git's, and what lies beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookFile {
    /// The event.
    pub event: Event,
    /// The directory.
    pub directory: PathBuf,
    /// Whether the directory is there.
    pub is_there: bool,
    /// The hook.
    pub hook: Standing,
    /// What is kept beside it.
    pub kept: Standing,
    /// Whether both are one file: an install was cut short between two steps.
    pub is_half: bool,
    /// What is set aside because somebody had edited it.
    pub edited: Standing,
    /// Whether an install that was cut short left something behind.
    pub leftover: bool,
    /// Whether there are links through which the kept hook was run.
    pub has_mirror: bool,
}

/// Whose hook is it?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// There is none.
    Nobody,
    /// Ours, as this program installs it.
    Ours,
    /// Ours, as an older program installed it.
    Older,
    /// It says that it is a later one of ours.
    Later,
    /// It bears our mark, and nobody recorded these bytes.
    Edited,
    /// A manager's.
    Managed(Manager),
    /// Somebody else's.
    Foreign,
    /// No file that could be a hook.
    NoFile(&'static str),
}

/// Why hooks cannot be spoken about.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// Git does not say where it looks.
    #[error(transparent)]
    Git(#[from] PlumbingError),
    /// A file or directory cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The record cannot be read.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// Somebody else was at work.
    #[error("the hooks have changed meanwhile")]
    Changed,
    /// The system does not say which program is running.
    #[error("the program that is running cannot be found: {0}")]
    Program(#[from] std::io::Error),
}

impl Explained for InstallError {
    fn explain(&self) -> Explanation {
        match self {
            Self::Changed => Explanation::refused().fix("run the command again"),
            Self::Manifest(ManifestError::Form { path, .. }) => {
                let path = path.display().to_string();
                Explanation::undecided().fix(format!(
                    "mv {} {} && git reins hooks install",
                    word(&path),
                    word(&(path.clone() + ".bad"))
                ))
            }
            Self::File(FileError::Io {
                action: WRITE_INTO,
                path,
                source,
            }) if matches!(
                source.kind(),
                ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem
            ) =>
            {
                Explanation::undecided().fix(format!("chmod u+w {}", word(path)))
            }
            Self::Git(error) => error.explain(),
            Self::Manifest(ManifestError::File(_)) | Self::File(_) | Self::Program(_) => {
                Explanation::undecided()
            }
        }
    }
}

impl Site {
    /// Looks.
    ///
    /// # Errors
    /// When git or the disk do not say.
    pub fn look(place: &GitPlace) -> Result<Self, InstallError> {
        let common = hooks::common_dir(place)?;
        let hook_files = Event::ALL.into_iter().map(|event| {
            let file = hooks::file(place, event.name())?;
            HookFile::look(file.parent().unwrap_or(&file), event).map_err(InstallError::from)
        });
        let hook_files = hook_files.collect::<Result<Vec<_>, _>>()?;
        let directory = hook_files
            .first()
            .map_or(&common, |hook_file| &hook_file.directory);
        let is_default = real(directory) == real(&common.join("hooks"));
        let setting = hooks::hooks_path(place)?.filter(|_| !is_default);
        let ours = Folder::open(&common.join(OUR_DIRECTORY))?;
        let pointer = ours
            .as_ref()
            .map_or(Ok(Standing::Nothing), |folder| folder.look(POINTER))?;
        Ok(Self {
            hooks_dir_kind: hooks_dir_kind(place, &common, directory, setting.as_ref())?,
            place: place.clone(),
            manifest: Manifest::read(&common)?,
            shared: hooks::shared_bits(place)?,
            names: ours.map(|folder| folder.names()).transpose()?,
            common,
            setting,
            hook_files,
            pointer,
        })
    }

    /// What is recorded about a hook.
    pub fn record(&self, hook_file: &HookFile) -> Option<&Record> {
        self.manifest
            .as_ref()?
            .record(&self.common, &hook_file.directory, hook_file.event)
    }

    /// Whose hook it is.
    pub fn owner(&self, hook_file: &HookFile) -> Owner {
        let (sha256, head) = match &hook_file.hook {
            Standing::Nothing => return Owner::Nobody,
            Standing::Other { kind } => return Owner::NoFile(kind),
            Standing::Link { .. } => return by_directory(&hook_file.directory, b""),
            Standing::File { sha256, head, .. } => (sha256, head),
        };
        if *sha256 == Sha256::of(hook_file.event.file()) {
            return Owner::Ours;
        }
        let recorded = self
            .record(hook_file)
            .is_some_and(|record| record.sha256 == sha256.to_string());
        match (mark(head), mark(hook_file.event.file())) {
            (Some(_), _) if recorded => Owner::Older,
            (Some(theirs), Some(ours)) if theirs > ours => Owner::Later,
            (Some(_), _) => Owner::Edited,
            (None, _) => by_directory(&hook_file.directory, head),
        }
    }

    /// Whether one of a manager's files in the worktree names us.
    pub fn tells(&self, manager: Manager, event: Event) -> bool {
        let root = self
            .place
            .worktree
            .as_deref()
            .and_then(|root| Root::open(root).ok());
        root.is_some_and(|root| manager.is_told(&root, event))
    }

    /// The command that lets git look for hooks again, where the setting leads nowhere. A relative one
    /// for more than this repository is good for others: here it is overruled.
    pub fn unset(&self) -> Option<String> {
        let setting = self
            .setting
            .as_ref()
            .filter(|_| self.hooks_dir_kind == HooksDirKind::Missing)?;
        let is_for_others = !setting.is_of_repository() && is_relative(&setting.value);
        Some(match setting.scope.as_str() {
            "command" => "git without -c core.hooksPath and without it in GIT_CONFIG_*".to_owned(),
            _ if is_for_others => {
                "git config core.hooksPath \"$(git rev-parse --git-common-dir)/hooks\"".to_owned()
            }
            scope => format!("git config --{scope} --unset core.hooksPath"),
        })
    }

    /// The value of `core.hooksPath`, when it names another directory in each worktree.
    pub fn each_worktree(&self) -> Option<&str> {
        let setting = self.setting.as_ref()?;
        let is_shared =
            self.hooks_dir_kind == HooksDirKind::Untracked && setting.scope != "worktree";
        (is_shared && is_relative(&setting.value)).then_some(setting.value.as_str())
    }

    /// The manager that runs the hooks here.
    pub fn manager(&self, hook_file: &HookFile) -> Option<Manager> {
        Manager::of(&hook_file.directory, b"").or(match self.owner(hook_file) {
            Owner::Managed(manager) => Some(manager),
            Owner::Nobody
            | Owner::Ours
            | Owner::Older
            | Owner::Later
            | Owner::Edited
            | Owner::Foreign
            | Owner::NoFile(_) => None,
        })
    }

    /// Whether a hook may be written where git looks.
    pub fn is_writable(&self) -> bool {
        match self.hooks_dir_kind {
            HooksDirKind::Repository | HooksDirKind::Untracked => true,
            HooksDirKind::Tracked | HooksDirKind::Elsewhere | HooksDirKind::Missing => false,
        }
    }

    /// Whether our directory holds a file, or what was left behind when it was written.
    pub fn has(&self, name: &str) -> bool {
        let temporary = temporary(name);
        let is_it = |held: &OsString| held == name || *held == *temporary;
        self.names
            .as_ref()
            .is_some_and(|names| names.iter().any(is_it))
    }

    /// Whether our directory is there and holds nothing but what an install writes.
    pub fn is_all_ours(&self) -> bool {
        let all = [
            POINTER.to_owned(),
            FILE.to_owned(),
            temporary(POINTER),
            temporary(FILE),
        ];
        let is_ours = |held: &OsString| all.iter().any(|name| held == name.as_str());
        self.names
            .as_ref()
            .is_some_and(|names| names.iter().all(is_ours))
    }

    /// Whether another look still shows what this one did.
    pub fn still_is(&self, other: &Self) -> bool {
        (&self.hook_files, &self.manifest, &self.pointer)
            == (&other.hook_files, &other.manifest, &other.pointer)
    }

    /// Our directory.
    pub fn ours(&self) -> PathBuf {
        self.common.join(OUR_DIRECTORY)
    }
}

fn is_relative(value: &str) -> bool {
    !value.is_empty() && Path::new(value).is_relative() && !value.starts_with('~')
}

fn by_directory(directory: &Path, head: &[u8]) -> Owner {
    Manager::of(directory, head).map_or(Owner::Foreign, Owner::Managed)
}

/// The name under which a file of our directory is written before it is moved to its place.
pub fn temporary(name: &str) -> String {
    format!("{name}.new")
}

/// The number behind our mark, anywhere in a hook.
fn mark(head: &[u8]) -> Option<u32> {
    let text = String::from_utf8_lossy(head);
    let marked = text
        .lines()
        .find_map(|line| line.strip_prefix("# git-reins hook "))?;
    let digits: String = marked.chars().take_while(char::is_ascii_digit).collect();
    Some(digits.parse().unwrap_or(0))
}

impl HookFile {
    /// What stands at a hook of an event in a directory.
    ///
    /// # Errors
    /// When the disk does not say.
    pub fn look(directory: &Path, event: Event) -> Result<Self, FileError> {
        let nothing = Self {
            event,
            directory: directory.to_owned(),
            is_there: false,
            hook: Standing::Nothing,
            kept: Standing::Nothing,
            is_half: false,
            edited: Standing::Nothing,
            leftover: false,
            has_mirror: false,
        };
        let folder = match Folder::open(directory) {
            Ok(Some(folder)) => folder,
            Ok(None) => return Ok(nothing),
            Err(FileError::Io { source, .. })
                if source.kind() == std::io::ErrorKind::NotADirectory =>
            {
                return Ok(nothing);
            }
            Err(error) => return Err(error),
        };
        Ok(Self {
            is_there: true,
            hook: folder.look(event.name())?,
            kept: folder.look(&event.kept())?,
            is_half: folder.same(event.name(), &event.kept())?,
            edited: folder.look(&event.edited())?,
            leftover: folder.look(&event.temporary())? != Standing::Nothing,
            has_mirror: matches!(Folder::open(&shim_dir::place(directory)), Ok(Some(_))),
            ..nothing
        })
    }

    /// The hook file.
    pub fn path(&self) -> PathBuf {
        self.directory.join(self.event.name())
    }

    /// The file that is kept beside it.
    pub fn kept_path(&self) -> PathBuf {
        self.directory.join(self.event.kept())
    }

    /// Whether what is kept is what a record says.
    pub fn keeps(&self, original: Option<&Original>) -> bool {
        Original::of(&self.kept).as_ref() == original
    }
}

fn hooks_dir_kind(
    place: &GitPlace,
    common: &Path,
    directory: &Path,
    setting: Option<&HooksPath>,
) -> Result<HooksDirKind, PlumbingError> {
    let really = real(directory);
    let inside = |root: &Path| really.strip_prefix(real(root)).ok().map(Path::to_owned);
    let is_nowhere = |setting: &HooksPath| {
        setting.value.is_empty() || !matches!(Folder::open(directory), Ok(Some(_)))
    };
    if setting.is_some_and(is_nowhere) {
        return Ok(HooksDirKind::Missing);
    }
    if setting.is_some_and(|setting| !setting.is_of_repository()) {
        return Ok(HooksDirKind::Elsewhere);
    }
    if inside(common).is_some() || inside(&place.git_dir).is_some() {
        return Ok(HooksDirKind::Repository);
    }
    match place.worktree.as_deref().and_then(inside) {
        None => Ok(HooksDirKind::Elsewhere),
        Some(inner) => match inner.to_str() {
            Some(inner) if !hooks::is_tracked(place, inner)? => Ok(HooksDirKind::Untracked),
            _ => Ok(HooksDirKind::Tracked),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_mark_is_read_wherever_it_stands() {
        assert_eq!(mark(Event::PrePush.file()), Some(1));
        assert_eq!(
            mark(b"#!/bin/sh\r\n# added\r\n# git-reins hook 12: x\r\n"),
            Some(12)
        );
        assert_eq!(mark(b"#!/bin/sh\n# git-reins hook\n"), None);
        assert_eq!(mark(b"\x7fELF\xff\xfe"), None);
    }
}
