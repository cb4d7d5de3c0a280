//! Finds the verdicts in the files and directories that the command line names.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::decide::fold::{VERDICT, VerdictDir};
use crate::model::day::Day;
use crate::model::path::{RepoPath, shown};
use crate::model::reverification::REVERIFY_FILE;
use crate::sys::files::{self, FileError, Root};
use crate::sys::listing::{Entry, Kind, Links, Listing, list};

/// A verdict that was found.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The name of its directory.
    pub id: String,
    /// The directory in which its other files lie.
    pub dir: PathBuf,
    /// The file, when a person named one; else the one in the directory.
    pub named: Option<PathBuf>,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The verdicts.
    pub places: Vec<Place>,
    /// What could not be looked at, and why.
    pub troubles: Vec<String>,
    /// What is no verdict, for the reader to know.
    pub notes: Vec<String>,
    /// The verdict directories that have no verdict yet.
    pub unfinished: Vec<String>,
}

impl Found {
    /// Looks at everything that was named; sorted, each verdict once.
    pub fn at(named: &[PathBuf]) -> Self {
        let mut found = Self::default();
        for path in named {
            let path: PathBuf = path.components().collect();
            if let Err(why) = found.look(&path) {
                found.troubles.push(why);
            }
        }
        found.places.sort();
        found.places.dedup_by(|a, b| a.file() == b.file());
        found
    }

    fn look(&mut self, path: &Path) -> Result<(), String> {
        match list(path, Links::Follow).map_err(|error| error.to_string())? {
            Listing::Missing => Err(format!("{} does not exist", text(path))),
            Listing::NoDirectory => self.file(path),
            Listing::Directory(entries) if holds_verdict(&entries) => self.dir(path),
            Listing::Directory(_) if is_place(path) => {
                self.unfinished.push(text(path));
                Ok(())
            }
            Listing::Directory(entries) => self.walk(path, entries),
        }
    }

    /// A verdict.json where no verdict directory is: trouble where one was meant, else a note.
    fn misplaced(&mut self, path: &Path, was_meant: bool) {
        let lines = if was_meant {
            &mut self.troubles
        } else {
            &mut self.notes
        };
        let why = "which is no <date>/<hash>: it is not read unless it is named itself";
        lines.push(format!("{} holds a {VERDICT}, {why}", text(path)));
    }

    fn file(&mut self, path: &Path) -> Result<(), String> {
        let dir = path.parent().unwrap_or(Path::new("")).to_owned();
        let name = match path.file_name() {
            Some(name) if name == VERDICT => dir.file_name(),
            _ => path.file_stem(),
        };
        self.places.push(Place {
            id: named(name, path)?,
            dir,
            named: Some(path.to_owned()),
        });
        Ok(())
    }

    fn dir(&mut self, path: &Path) -> Result<(), String> {
        let id = named(path.file_name(), path)?;
        self.places.push(Place {
            id,
            dir: path.to_owned(),
            named: None,
        });
        Ok(())
    }

    /// Finds `<date>/<hash>/verdict.json` at any depth, without following a link. A link in the
    /// place of a verdict directory or of a day is trouble, since it hides what it leads to.
    fn walk(&mut self, start: &Path, entries: Vec<Entry>) -> Result<(), String> {
        let mut left = vec![(start.to_owned(), entries)];
        while let Some((dir, entries)) = left.pop() {
            let is_day = dir.file_name().and_then(OsStr::to_str).is_some_and(is_day);
            for entry in entries {
                let path = dir.join(&entry.name);
                let name = entry.name.to_str().unwrap_or_default();
                let is_hash = is_day && VerdictDir::is_hash(name);
                match entry.kind {
                    Kind::Link if is_hash || self::is_day(name) => {
                        self.troubles
                            .push(format!("{} is a link, which is not followed", text(&path)));
                    }
                    Kind::Directory if name != ".git" => match list(&path, Links::Stay) {
                        Ok(Listing::Directory(inner)) if is_hash && holds_verdict(&inner) => {
                            self.dir(&path)?
                        }
                        Ok(Listing::Directory(_)) if is_hash => self.unfinished.push(text(&path)),
                        Ok(Listing::Directory(inner)) => {
                            if holds_verdict(&inner) {
                                self.misplaced(
                                    &path,
                                    is_day || VerdictDir::is_hash(name) || self::is_day(name),
                                );
                            }
                            left.push((path, inner));
                        }
                        Ok(Listing::NoDirectory | Listing::Missing) => {
                            self.troubles
                                .push(format!("{} was changed meanwhile", text(&path)));
                        }
                        Err(error) => self.troubles.push(error.to_string()),
                    },
                    Kind::Directory | Kind::Link | Kind::File | Kind::Other => {}
                }
            }
        }
        Ok(())
    }
}

impl Place {
    /// The file of the verdict.
    pub fn file(&self) -> PathBuf {
        self.named.clone().unwrap_or_else(|| self.dir.join(VERDICT))
    }

    /// Whether it is the directory that GitReins names with a path, by its day and its hash.
    pub fn is_at(&self, path: &str) -> bool {
        let tail = |path: &Path| -> Vec<_> {
            path.components()
                .rev()
                .take(2)
                .map(|c| c.as_os_str().to_owned())
                .collect()
        };
        is_place(&self.dir) && tail(&self.dir) == tail(Path::new(path))
    }

    /// The bytes of the verdict.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn verdict(&self) -> Result<Vec<u8>, FileError> {
        let bytes = match &self.named {
            Some(file) => files::read(file)?,
            None => inner(&self.dir, VERDICT)?,
        };
        let missing = || std::io::Error::from(std::io::ErrorKind::NotFound);
        bytes.ok_or_else(|| FileError::Io {
            action: "read",
            path: text(&self.file()),
            source: missing(),
        })
    }

    /// The bytes of the record beside it; `None` when there is none.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn reverify(&self) -> Result<Option<Vec<u8>>, FileError> {
        let dir = if self.dir.as_os_str().is_empty() {
            Path::new(".")
        } else {
            &self.dir
        };
        inner(dir, REVERIFY_FILE)
    }
}

/// Reads a file of a directory, which is no link.
fn inner(dir: &Path, name: &str) -> Result<Option<Vec<u8>>, FileError> {
    let name: RepoPath = name.parse().expect("both names are safe paths");
    Root::open(dir)?.read(&name)
}

fn holds_verdict(entries: &[Entry]) -> bool {
    entries.iter().any(|entry| entry.name == VERDICT)
}

fn is_day(name: &str) -> bool {
    name.parse::<Day>().is_ok()
}

/// Whether the path ends in `<date>/<hash>`.
fn is_place(path: &Path) -> bool {
    let name = |path: Option<&Path>, is: fn(&str) -> bool| {
        path.and_then(Path::file_name)
            .and_then(OsStr::to_str)
            .is_some_and(is)
    };
    name(Some(path), VerdictDir::is_hash) && name(path.parent(), is_day)
}

fn named(name: Option<&OsStr>, path: &Path) -> Result<String, String> {
    let name =
        name.ok_or_else(|| format!("{} does not end in the name of a directory", text(path)))?;
    Ok(name.to_string_lossy().into_owned())
}

fn text(path: &Path) -> String {
    shown(&path.display().to_string())
}
