//! Carries out the steps of a plan.

use std::path::Path;

use super::manifest::{FILE, Manifest};
use super::plan::Step;
use super::site::{InstallError, POINTER, Site, temporary};
use super::{Event, shim_dir};
use crate::sys::files::FileError;
use crate::sys::folder::{Folder, assert_writable, remove_empty};

/// Carries out steps in their order, while no other command of ours does.
///
/// # Errors
/// When something changed since the site was looked at, or the disk says no: what was done stays
/// then, and running it again goes on from there. Nothing is done where a directory cannot be
/// written.
pub fn carry_out(site: &Site, steps: &[Step]) -> Result<(), InstallError> {
    if steps.is_empty() {
        return Ok(());
    }
    let ours = [site.common.clone(), site.ours()];
    for directory in ours.iter().chain(steps.iter().filter_map(Step::directory)) {
        assert_writable(directory)?;
    }
    let ours = match Folder::make(&site.ours(), site.shared) {
        // an uninstall took it away in that moment
        Err(FileError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
            return Err(InstallError::Changed);
        }
        made => made?,
    };
    ours.hold();
    if !Site::look(&site.place)?.still_is(site) {
        return Err(InstallError::Changed);
    }
    steps.iter().try_for_each(|step| Ok(one(site, step)?))
}

fn one(site: &Site, step: &Step) -> Result<(), FileError> {
    match step {
        Step::MakeDirectory(path) => Folder::make(path, site.shared).map(drop),
        Step::Point(program) => open(&site.ours())?.point(POINTER, &temporary(POINTER), program),
        Step::Record(manifest) => record(site, manifest),
        Step::Keep(directory, event) => open(directory)?.keep(event.name(), &event.kept()),
        Step::SetAside(directory, event) => open(directory)?.keep(event.name(), &event.edited()),
        Step::Replace(directory, event) => {
            prepared(site, directory, *event)?.rename(&event.temporary(), event.name())
        }
        Step::Put(directory, event) => {
            prepared(site, directory, *event)?.rename_new(&event.temporary(), event.name())
        }
        Step::MakeExecutable(directory, event) => {
            open(directory)?.make_executable(event.name(), site.shared)
        }
        Step::Restore(directory, event) => restore(directory, *event),
        Step::Remove(directory, event) => open(directory)?.remove(event.name()),
        Step::Sweep(directory, event) => open(directory)?.remove(&event.temporary()),
        Step::RemoveMirror(hooks) => shim_dir::remove(hooks),
        Step::RemoveDirectory(path) => remove_empty(path).map(drop),
        Step::RemovePointer => clear(&site.ours(), POINTER),
        Step::RemoveRecord => clear(&site.ours(), FILE),
    }
}

fn record(site: &Site, manifest: &Manifest) -> Result<(), FileError> {
    let folder = open(&site.ours())?;
    folder.write(
        &temporary(FILE),
        manifest.print().as_bytes(),
        (0o666, site.shared),
    )?;
    folder.rename(&temporary(FILE), FILE)
}

fn prepared(site: &Site, directory: &Path, event: Event) -> Result<Folder, FileError> {
    let folder = open(directory)?;
    folder.write(&event.temporary(), event.file(), (0o777, site.shared))?;
    Ok(folder)
}

/// Two names of one file are not renamed onto each other: one is taken away then.
fn restore(directory: &Path, event: Event) -> Result<(), FileError> {
    let folder = open(directory)?;
    match folder.same(event.name(), &event.kept())? {
        true => folder.remove(&event.kept()),
        false => folder.rename(&event.kept(), event.name()),
    }
}

fn clear(directory: &Path, name: &str) -> Result<(), FileError> {
    let Some(folder) = Folder::open(directory)? else {
        return Ok(());
    };
    folder.remove(&temporary(name))?;
    folder.remove(name)
}

fn open(directory: &Path) -> Result<Folder, FileError> {
    let gone = || FileError::Io {
        action: "open",
        path: directory.display().to_string(),
        source: std::io::ErrorKind::NotFound.into(),
    };
    Folder::open(directory)?.ok_or_else(gone)
}
