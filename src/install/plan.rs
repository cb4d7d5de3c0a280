//! Plans the steps that install our hook or remove it.
//!
//! The order matters: after each step every hook that was there still exists, and a second run
//! continues where the first one ended.

use std::fmt;
use std::path::{Path, PathBuf};

use super::managers::{Manager, script};
use super::manifest::{FILE, Manifest, OUR_DIRECTORY, Original, Record};
use super::site::{HookFile, HooksDirKind, InstallError, Owner, POINTER, Site};
use super::{Event, shim_dir};
use crate::editing::Refused;
use crate::model::ids::Sha256;
use crate::model::path::shown;
use crate::model::shell::word;
use crate::sys::folder::{Standing, with_runners};

/// One step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Make a directory.
    MakeDirectory(PathBuf),
    /// Let the link in our directory lead to the program.
    Point(PathBuf),
    /// Write the record.
    Record(Manifest),
    /// Give the hook that stands there a second name.
    Keep(PathBuf, Event),
    /// Give the edited hook of ours a second name.
    SetAside(PathBuf, Event),
    /// Put our hook there, in the place of what has a second name.
    Replace(PathBuf, Event),
    /// Put our hook there, where nothing stands.
    Put(PathBuf, Event),
    /// Let our hook be run.
    MakeExecutable(PathBuf, Event),
    /// Put the kept hook back, in the place of ours.
    Restore(PathBuf, Event),
    /// Take our hook away.
    Remove(PathBuf, Event),
    /// Take away what an install that was cut short left behind.
    Sweep(PathBuf, Event),
    /// Take away the links through which the kept hook was run.
    RemoveMirror(PathBuf),
    /// Take away a directory that we made, when it is empty.
    RemoveDirectory(PathBuf),
    /// Take away the link to the program.
    RemovePointer,
    /// Take away the record.
    RemoveRecord,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = |directory: &Path, name: &str| shown(&directory.join(name).display().to_string());
        match self {
            Self::MakeDirectory(path) => write!(f, "make {}", at(path, "")),
            Self::Point(program) => {
                write!(
                    f,
                    "let {}/{POINTER} lead to {}",
                    OUR_DIRECTORY,
                    at(program, "").trim_end_matches('/')
                )
            }
            Self::Record(_) => {
                write!(f, "record it in {}/{}", OUR_DIRECTORY, FILE)
            }
            Self::Keep(directory, event) => {
                write!(
                    f,
                    "keep {} as {}",
                    at(directory, event.name()),
                    event.kept()
                )
            }
            Self::SetAside(directory, event) => {
                write!(
                    f,
                    "set {} aside as {}",
                    at(directory, event.name()),
                    event.edited()
                )
            }
            Self::Replace(directory, event) | Self::Put(directory, event) => {
                write!(f, "write {}", at(directory, event.name()))
            }
            Self::MakeExecutable(directory, event) => {
                write!(f, "make {} executable", at(directory, event.name()))
            }
            Self::Restore(directory, event) => {
                write!(
                    f,
                    "put {} back in the place of {}",
                    event.kept(),
                    at(directory, event.name())
                )
            }
            Self::Remove(directory, event) => write!(f, "remove {}", at(directory, event.name())),
            Self::Sweep(directory, event) => {
                write!(f, "remove {}", at(directory, &event.temporary()))
            }
            Self::RemoveMirror(hooks) => {
                write!(f, "remove the links in {}", at(&shim_dir::place(hooks), ""))
            }
            Self::RemoveDirectory(path) => write!(f, "remove {} if it is empty", at(path, "")),
            Self::RemovePointer => write!(f, "remove {}/{POINTER}", OUR_DIRECTORY),
            Self::RemoveRecord => {
                write!(f, "remove {}/{}", OUR_DIRECTORY, FILE)
            }
        }
    }
}

impl Step {
    /// The directory of hooks that it changes.
    pub fn directory(&self) -> Option<&PathBuf> {
        match self {
            Self::Keep(directory, _)
            | Self::SetAside(directory, _)
            | Self::Replace(directory, _)
            | Self::Put(directory, _)
            | Self::MakeExecutable(directory, _)
            | Self::Restore(directory, _)
            | Self::Remove(directory, _)
            | Self::Sweep(directory, _) => Some(directory),
            Self::MakeDirectory(_)
            | Self::Point(_)
            | Self::Record(_)
            | Self::RemoveMirror(_)
            | Self::RemoveDirectory(_)
            | Self::RemovePointer
            | Self::RemoveRecord => None,
        }
    }
}

/// What to do about an install.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Install {
    /// These steps; none when everything is in place.
    Steps(Vec<Step>),
    /// Nothing: somebody else's file has to call us.
    Snippet {
        /// Why.
        why: String,
        /// Into which file.
        file: Option<&'static str>,
        /// What to write there.
        text: String,
    },
}

/// The steps of an install. With `force` a manager's hook is kept and run like any other, and one
/// of ours that was edited is set aside.
///
/// # Errors
/// When a file that nobody knows stands in the way.
pub fn install(site: &Site, program: &Path, force: bool) -> Result<Install, Refused> {
    let (mut files, mut manifest) = (Vec::new(), site.manifest.clone().unwrap_or_default());
    let mut directories = Vec::new();
    for hook_file in &site.hook_files {
        if site.owner(hook_file) == Owner::Ours && !site.is_writable() {
            continue; // somebody else put it there, and nobody may touch it
        }
        if let Some(snippet) = snippet(site, hook_file, force)? {
            return Ok(snippet);
        }
        let (steps, original) = at_spot(site, hook_file, force)?;
        files.extend(steps);
        manifest = manifest.with(record(site, hook_file, original)?);
        if !hook_file.is_there
            && !directories.contains(&Step::MakeDirectory(hook_file.directory.clone()))
        {
            directories.push(Step::MakeDirectory(hook_file.directory.clone()));
        }
    }
    let mut steps = Vec::new();
    if site.manifest.as_ref() != Some(&manifest) {
        steps.push(Step::Record(manifest));
    }
    steps.extend(directories);
    if site.pointer
        != (Standing::Link {
            target: program.to_owned(),
        })
    {
        steps.push(Step::Point(program.to_owned()));
    }
    if !steps.is_empty() && site.names.is_none() {
        steps.insert(0, Step::MakeDirectory(site.ours()));
    }
    steps.extend(files);
    Ok(Install::Steps(steps))
}

/// What a shell script says to run us, one line for each event.
pub fn line_of_a_script(hook_files: &[HookFile]) -> String {
    hook_files
        .iter()
        .map(|hook_file| script(hook_file.event.name()))
        .collect()
}

/// Who has to call us when the hook is not ours to write.
fn snippet(site: &Site, hook_file: &HookFile, force: bool) -> Result<Option<Install>, Refused> {
    let owner = site.owner(hook_file);
    if matches!(
        owner,
        Owner::Ours | Owner::Older | Owner::Later | Owner::Edited
    ) && site.is_writable()
    {
        return Ok(None);
    }
    let by_place = Manager::of(&hook_file.directory, b"");
    if let Some(manager) = site.manager(hook_file)
        && (!force || by_place.is_some())
    {
        let why = format!("{} is in charge of the hooks here", manager.name());
        let file = manager.files().first().copied();
        return Ok(Some(Install::Snippet {
            why,
            file,
            text: manager.snippet(hook_file.event),
        }));
    }
    let what = shown(&hook_file.directory.display().to_string());
    let says = site.setting.as_ref().map_or(String::new(), |setting| {
        format!(
            ", since core.hooksPath is {} ({}, {})",
            word(&shown(&setting.value)),
            setting.scope,
            shown(&setting.origin)
        )
    });
    let why = match site.hooks_dir_kind {
        HooksDirKind::Repository | HooksDirKind::Untracked => return Ok(None),
        HooksDirKind::Tracked => {
            format!("git looks for hooks in {what}{says}: its files are tracked")
        }
        HooksDirKind::Elsewhere => {
            format!("git looks for hooks in {what}{says}: that is not this repository's own")
        }
        HooksDirKind::Missing => {
            let why = format!(
                "git looks for hooks in {what}{says}: that is no directory, so no hook runs"
            );
            return Err(Refused {
                fix: site.unset(),
                ..Refused::new(why)
            });
        }
    };
    Ok(Some(Install::Snippet {
        why,
        file: None,
        text: script(hook_file.event.name()),
    }))
}

/// The steps at one hook, and what is kept beside it when they are done.
fn at_spot(
    site: &Site,
    hook_file: &HookFile,
    force: bool,
) -> Result<(Vec<Step>, Option<Original>), Refused> {
    let recorded = site
        .record(hook_file)
        .and_then(|record| record.original.as_ref());
    let (directory, event) = (hook_file.directory.clone(), hook_file.event);
    let kept = Original::of(&hook_file.kept);
    let is_kept = site
        .record(hook_file)
        .is_none_or(|record| record.original.is_some());
    match site.owner(hook_file) {
        Owner::Nobody if kept.is_none() || hook_file.keeps(recorded) => {
            Ok((vec![Step::Put(directory, event)], kept))
        }
        Owner::Nobody => Err(in_the_way(hook_file, "nobody recorded what it is")),
        Owner::Ours | Owner::Older if kept.is_none() && recorded.is_some() => Err(gone(hook_file)),
        // what was not kept by us is none of ours, whatever its name
        Owner::Ours => Ok((executable(site, hook_file), kept.filter(|_| is_kept))),
        Owner::Older => Ok((
            vec![Step::Replace(directory, event)],
            kept.filter(|_| is_kept),
        )),
        Owner::Later => Err(
            Refused::new(format!("{} is of a later git-reins", path(hook_file)))
                .fix("install that version of git-reins"),
        ),
        Owner::Edited if !force => Err(edited(hook_file)),
        Owner::Edited if hook_file.edited != Standing::Nothing => {
            let other = shown(
                &hook_file
                    .directory
                    .join(event.edited())
                    .display()
                    .to_string(),
            );
            Err(Refused::new(format!("{other} exists already")).fix(format!("rm {}", word(&other))))
        }
        Owner::Edited => Ok((
            vec![
                Step::SetAside(directory.clone(), event),
                Step::Replace(directory, event),
            ],
            kept,
        )),
        Owner::NoFile(kind) => {
            let refused = Refused::new(format!("{} is {kind}", path(hook_file)));
            Err(refused.fix(format!(
                "mv {} {}",
                word(&path(hook_file)),
                word(&(path(hook_file) + ".away"))
            )))
        }
        Owner::Managed(_) | Owner::Foreign => {
            let here = Original::of(&hook_file.hook);
            match kept {
                None => Ok((
                    vec![
                        Step::Keep(directory.clone(), event),
                        Step::Replace(directory, event),
                    ],
                    here,
                )),
                Some(_) if hook_file.is_half || kept == here => {
                    Ok((vec![Step::Replace(directory, event)], here))
                }
                Some(_) => Err(in_the_way(
                    hook_file,
                    "another hook stands at its place now",
                )),
            }
        }
    }
}

fn executable(site: &Site, hook_file: &HookFile) -> Vec<Step> {
    let Standing::File { mode, .. } = hook_file.hook else {
        return Vec::new();
    };
    let wanted = with_runners(mode | 0o100 | site.shared);
    if mode == wanted {
        Vec::new()
    } else {
        vec![Step::MakeExecutable(
            hook_file.directory.clone(),
            hook_file.event,
        )]
    }
}

fn record(
    site: &Site,
    hook_file: &HookFile,
    original: Option<Original>,
) -> Result<Record, Refused> {
    let directory = Record::directory(&site.common, &hook_file.directory);
    let unnamed = || Refused::new(format!("the name of {} is no text", path(hook_file)));
    Ok(Record {
        event: hook_file.event.name().to_owned(),
        directory: directory.ok_or_else(unnamed)?,
        made_directory: site
            .record(hook_file)
            .map_or(!hook_file.is_there, |record| record.made_directory),
        sha256: Sha256::of(hook_file.event.file()).to_string(),
        original,
    })
}

fn path(hook_file: &HookFile) -> String {
    shown(&hook_file.path().display().to_string())
}

fn gone(hook_file: &HookFile) -> Refused {
    let kept = shown(&hook_file.kept_path().display().to_string());
    let refused = Refused::new(format!(
        "{kept}, which was kept when ours was installed, is gone"
    ));
    refused.fix("git reins hooks uninstall && git reins hooks install")
}

fn in_the_way(hook_file: &HookFile, why: &str) -> Refused {
    let kept = shown(&hook_file.kept_path().display().to_string());
    let fix = format!("mv {} {}", word(&kept), word(&(kept.clone() + ".old")));
    Refused::new(format!("{kept} exists already, and {why}")).fix(fix)
}

fn edited(hook_file: &HookFile) -> Refused {
    let refused = Refused::new(format!(
        "{} is a hook of ours that somebody edited",
        path(hook_file)
    ));
    refused.fix(format!(
        "git reins hooks install --force, which sets it aside as {}",
        hook_file.event.edited()
    ))
}

/// The steps that take away everything that is recorded; without a record, what is ours to see
/// where git looks.
///
/// # Errors
/// When a hook is no longer the one that we installed, or the disk does not say.
pub fn uninstall(site: &Site) -> Result<Result<Vec<Step>, Refused>, InstallError> {
    let (mut steps, mut directories) = (Vec::new(), Vec::new());
    let manifest = site.manifest.clone().unwrap_or_default();
    let mut hook_files = site.hook_files.clone();
    hook_files.retain(|hook_file| site.record(hook_file).is_none() && site.is_writable());
    for record in &manifest.hooks {
        if let Some(event) = Event::named(&record.event) {
            hook_files.push(HookFile::look(&record.place(&site.common), event)?);
        }
        if record.made_directory {
            directories.push(Step::RemoveDirectory(record.place(&site.common)));
        }
    }
    for hook_file in &hook_files {
        match away(site, hook_file) {
            Ok(some) => steps.extend(some),
            Err(refused) => return Ok(Err(refused)),
        }
        if hook_file.has_mirror {
            steps.push(Step::RemoveMirror(hook_file.directory.clone()));
        }
        if hook_file.leftover {
            steps.push(Step::Sweep(hook_file.directory.clone(), hook_file.event));
        }
    }
    steps.extend(directories);
    if site.has(POINTER) {
        steps.push(Step::RemovePointer);
    }
    if site.has(FILE) {
        steps.push(Step::RemoveRecord);
    }
    // the directory is made to lock it
    if site.is_all_ours() || site.names.is_none() && !steps.is_empty() {
        steps.push(Step::RemoveDirectory(site.ours()));
    }
    Ok(Ok(steps))
}

fn away(site: &Site, hook_file: &HookFile) -> Result<Vec<Step>, Refused> {
    let record = site.record(hook_file);
    let original = record.and_then(|record| record.original.as_ref());
    let (directory, event) = (hook_file.directory.clone(), hook_file.event);
    match site.owner(hook_file) {
        // what was kept may be lost: there is nothing to put back then
        Owner::Ours | Owner::Older if hook_file.kept == Standing::Nothing => {
            Ok(vec![Step::Remove(directory, event)])
        }
        Owner::Ours | Owner::Older => Ok(vec![Step::Restore(directory, event)]),
        // somebody took ours away: what was there before comes back
        Owner::Nobody if original.is_some() && hook_file.keeps(original) => {
            Ok(vec![Step::Restore(directory, event)])
        }
        Owner::Nobody => Ok(Vec::new()),
        // an install that was cut short
        Owner::Foreign | Owner::Managed(_) if hook_file.is_half => {
            Ok(vec![Step::Restore(directory, event)])
        }
        Owner::Foreign | Owner::Managed(_) | Owner::NoFile(_)
            if record.is_none()
                || hook_file.kept == Standing::Nothing
                    && (original.is_none()
                        || Original::of(&hook_file.hook).as_ref() == original) =>
        {
            Ok(Vec::new())
        }
        Owner::Later => Err(
            Refused::new(format!("{} is of a later git-reins", path(hook_file)))
                .fix("run uninstall with that version of git-reins"),
        ),
        Owner::Edited => Err(edited(hook_file)),
        Owner::Foreign | Owner::Managed(_) | Owner::NoFile(_) => {
            let refused = Refused::new(format!(
                "{} is not ours: somebody put it where ours was",
                path(hook_file)
            ));
            Err(refused.fix(
                "git reins hooks install --force, which keeps it and lets uninstall put it back",
            ))
        }
    }
}
