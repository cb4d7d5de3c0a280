//! Resolves the file that a process has opened, asked for or named.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::FileExt;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;
use rustix::process::Pid;

use crate::model::run::Touch;

/// How many files may be opened before it is too much to be told.
const MOST: usize = 200_000;

/// The longest path that the kernel takes, with its end.
const PATH_MAX: usize = 4096;

/// What was done to a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// It was opened for reading.
    pub read: bool,
    /// It was opened for writing.
    pub wrote: bool,
    /// It was not let open.
    pub denied: bool,
}

impl Access {
    /// A program that is run is read.
    pub const READ: Self = Self {
        read: true,
        wrote: false,
        denied: false,
    };
    /// A file that is made.
    pub const WROTE: Self = Self {
        read: false,
        wrote: true,
        denied: false,
    };
    /// What was not let.
    pub const DENIED: Self = Self {
        read: false,
        wrote: false,
        denied: true,
    };

    /// What flags of an open ask for; `None` when neither the one nor the other.
    pub fn asked(flags: OFlags) -> Option<Self> {
        if flags.contains(OFlags::PATH) {
            return None; // a name to go on from: nothing can be read by it
        }
        let mode = flags & OFlags::ACCMODE;
        let wrote = mode != OFlags::RDONLY || flags.contains(OFlags::TRUNC);
        Some(Self {
            read: mode != OFlags::WRONLY,
            wrote,
            denied: false,
        })
    }

    fn join(&mut self, other: Self) {
        self.read |= other.read;
        self.wrote |= other.wrote;
        self.denied |= other.denied;
    }
}

/// Where a name starts from, as a call says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// The working directory of the process.
    Cwd,
    /// One of its descriptors.
    Descriptor(i32),
}

impl Start {
    /// The argument of a call.
    pub fn argument(value: u64) -> Self {
        match truncated(value) {
            libc::AT_FDCWD => Self::Cwd,
            number => Self::Descriptor(number),
        }
    }
}

/// An argument that is an `int`: the kernel looks at its lower half only.
pub fn truncated(value: u64) -> i32 {
    let [a, b, c, d, ..] = value.to_le_bytes();
    i32::from_le_bytes([a, b, c, d])
}

/// The files that a job has touched, and the processes to ask about them.
#[derive(Debug)]
pub struct Touches {
    /// `/proc` as it was before anything of the job ran.
    proc: OwnedFd,
    files: BTreeMap<PathBuf, Access>,
    /// What had to be created when it was named; whether it was is seen at the end.
    promised: BTreeMap<PathBuf, Access>,
    unknown: Option<String>,
}

impl Touches {
    /// None yet.
    ///
    /// # Errors
    /// When there is no `/proc`.
    pub fn new() -> io::Result<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let proc = rustix::fs::openat(CWD, "/proc", flags, Mode::empty())?;
        Ok(Self {
            proc,
            files: BTreeMap::new(),
            promised: BTreeMap::new(),
            unknown: None,
        })
    }

    /// From now on nobody can say what was opened.
    pub fn give_up(&mut self, why: impl FnOnce() -> String) {
        self.unknown.get_or_insert_with(why);
    }

    /// A process has got a descriptor; `access` when the call said mechanism, else the kernel is asked.
    ///
    /// # Errors
    /// When it cannot be looked at.
    pub fn opened(&mut self, pid: Pid, number: i64, access: Option<Access>) -> io::Result<()> {
        let link = format!("{pid}/fd/{number}");
        let path = self.link(&link)?;
        let access = access.map_or_else(
            || self.flags(pid, number).map(Access::asked),
            |known| Ok(Some(known)),
        )?;
        match access {
            Some(access) if !is_elsewhere(&path) => self.held(&link, path, access),
            Some(_) | None => Ok(()),
        }
    }

    /// A process has begun to run another program: that is read, and so is what loads it, and the
    /// script that names it in its first line.
    ///
    /// # Errors
    /// When it cannot be looked at.
    pub fn ran(&mut self, pid: Pid) -> io::Result<()> {
        let link = format!("{pid}/exe");
        let path = self.link(&link)?;
        self.held(&link, path, Access::READ)?;
        self.loaded(pid)?;
        match self.started_as(pid)? {
            Some(name) => self.named(pid, Start::Cwd, &name, OFlags::RDONLY),
            None => Ok(()),
        }
    }

    /// What a call asked for was refused; the path that was asked for is evidence of nothing more.
    pub fn refused(&mut self, pid: Pid, start: Start, address: u64) {
        let Ok(name) = self.name(pid, address) else {
            return;
        };
        let path = match self.find(pid, start, &name, OFlags::empty()) {
            Ok(found) => self.link_of(&found).ok(),
            Err(_) => self.spell(pid, start, &name),
        };
        if let Some(path) = path.filter(|path| !is_elsewhere(path)) {
            self.add(path, Access::DENIED);
        }
    }

    /// A process is about to open what it names: whether it may and what it finds is not seen, so
    /// that only what is a file now counts.
    ///
    /// # Errors
    /// When the name cannot be read.
    pub fn named(&mut self, pid: Pid, start: Start, name: &OsStr, flags: OFlags) -> io::Result<()> {
        let Some(access) = Access::asked(flags) else {
            return Ok(());
        };
        match self.find(pid, start, name, flags & OFlags::NOFOLLOW) {
            Ok(found) => {
                let path = self.link_of(&found)?;
                let stat = rustix::fs::fstat(&found)?;
                if let Some(path) =
                    present(path, &stat).filter(|path| !is_elsewhere(path) && is_regular(&stat))
                {
                    self.add(path, access);
                }
            }
            Err(Errno::NOENT) if flags.contains(OFlags::CREATE) => {
                if let Some(path) = self.spell(pid, start, name) {
                    self.promised.entry(path).or_default().join(access);
                }
            }
            Err(_) => {} // then the process does not find it either
        }
        Ok(())
    }

    /// A name in the memory of a process.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn name(&self, pid: Pid, address: u64) -> io::Result<OsString> {
        let memory = self.open(&format!("{pid}/mem"))?;
        let mut name = Vec::new();
        while name.len() < PATH_MAX {
            // to the end of a page at most: the next one need not be there
            let mut page = [0; PATH_MAX];
            let at = address + name.len() as u64;
            let room = PATH_MAX - usize::try_from(at % PATH_MAX as u64).unwrap_or_default();
            let count = memory.read_at(&mut page[..room], at)?;
            let text = &page[..count];
            match text.iter().position(|byte| *byte == 0) {
                Some(end) => {
                    name.extend_from_slice(&text[..end]);
                    return Ok(OsString::from_vec(name));
                }
                None if count == 0 => break,
                None => name.extend_from_slice(text),
            }
        }
        Err(Errno::NAMETOOLONG.into())
    }

    /// A number in the memory of a process.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn word(&self, pid: Pid, address: u64) -> io::Result<u64> {
        let mut bytes = [0; 8];
        self.open(&format!("{pid}/mem"))?
            .read_exact_at(&mut bytes, address)?;
        Ok(u64::from_ne_bytes(bytes))
    }

    /// What was seen, sorted, or why it is not known.
    pub fn told(self) -> Result<Vec<Touch>, String> {
        if let Some(why) = self.unknown {
            return Err(why);
        }
        let mut files = self.files;
        for (path, access) in self.promised {
            if rustix::fs::lstat(&path).is_ok_and(|found| is_regular(&found)) {
                files.entry(path).or_default().join(access);
            }
        }
        let touch = |(
            path,
            Access {
                read,
                wrote,
                denied,
            },
        )| Touch {
            path,
            read,
            wrote,
            denied,
        };
        Ok(files.into_iter().map(touch).collect())
    }

    fn add(&mut self, path: PathBuf, access: Access) {
        self.files.entry(path).or_default().join(access);
        if self.files.len() + self.promised.len() > MOST {
            self.give_up(|| format!("more than {MOST} files were opened"));
            self.files.clear();
        }
    }

    /// Adds what a link of a process leads to when it is a file. A known path is one.
    fn held(&mut self, link: &str, path: PathBuf, access: Access) -> io::Result<()> {
        if !self.files.contains_key(&path) {
            let found = rustix::fs::statat(&self.proc, link, AtFlags::empty())?;
            if !is_regular(&found) {
                return Ok(());
            }
            if let Some(path) = present(path, &found) {
                self.add(path, access);
            }
            return Ok(());
        }
        self.add(path, access);
        Ok(())
    }

    /// The files that the kernel mapped for a program that has not run yet: itself and its loader.
    fn loaded(&mut self, pid: Pid) -> io::Result<()> {
        let mut maps = Vec::new();
        self.open(&format!("{pid}/maps"))?.read_to_end(&mut maps)?;
        for line in maps.split(|byte| *byte == b'\n') {
            let Some(start) = line.iter().position(|byte| *byte == b'/') else {
                continue;
            };
            let path = PathBuf::from(OsStr::from_bytes(&line[start..]));
            if !self.files.contains_key(&path)
                && rustix::fs::lstat(&path).is_ok_and(|found| is_regular(&found))
            {
                self.add(path, Access::READ);
            }
        }
        Ok(())
    }

    /// The name that a process gave for what it runs now, as the kernel copied it (`AT_EXECFN`).
    fn started_as(&self, pid: Pid) -> io::Result<Option<OsString>> {
        let mut vector = Vec::new();
        self.open(&format!("{pid}/auxv"))?
            .read_to_end(&mut vector)?;
        let words: Vec<_> = vector.chunks_exact(size_of::<u64>()).map(number).collect();
        let entry = words
            .chunks_exact(2)
            .find(|entry| entry[0] == libc::AT_EXECFN);
        entry.map(|entry| self.name(pid, entry[1])).transpose()
    }

    /// How a descriptor is open, as the kernel has it.
    fn flags(&self, pid: Pid, number: i64) -> io::Result<OFlags> {
        let mut info = String::new();
        self.open(&format!("{pid}/fdinfo/{number}"))?
            .read_to_string(&mut info)?;
        let flags = info.lines().find_map(|line| line.strip_prefix("flags:"));
        let flags = flags.and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok());
        Ok(OFlags::from_bits_retain(flags.ok_or(Errno::INVAL)?))
    }

    /// The file itself, found as the process would find it.
    fn find(
        &self,
        pid: Pid,
        start: Start,
        name: &OsStr,
        flags: OFlags,
    ) -> rustix::io::Result<OwnedFd> {
        let path = within(pid, start, name);
        rustix::fs::openat(
            &self.proc,
            path,
            OFlags::PATH | OFlags::CLOEXEC | flags,
            Mode::empty(),
        )
    }

    /// The path of what is not there, or not to be reached: that of its directory, and its name.
    fn spell(&self, pid: Pid, start: Start, name: &OsStr) -> Option<PathBuf> {
        let name = Path::new(name);
        let (dir, last) = (name.parent()?, name.file_name()?);
        let dir = if dir.as_os_str().is_empty() {
            Path::new(".")
        } else {
            dir
        };
        if let Ok(found) = self.find(pid, start, dir.as_os_str(), OFlags::empty()) {
            return Some(self.link_of(&found).ok()?.join(last));
        }
        let begin = match start {
            Start::Cwd => self.link(&format!("{pid}/cwd")),
            Start::Descriptor(number) => self.link(&format!("{pid}/fd/{number}")),
        };
        let joined = begin.unwrap_or_default().join(name);
        joined.is_absolute().then(|| {
            joined
                .components()
                .filter(|part| *part != Component::CurDir)
                .collect()
        })
    }

    fn link(&self, of: &str) -> rustix::io::Result<PathBuf> {
        let link = rustix::fs::readlinkat(&self.proc, of, Vec::new())?;
        Ok(OsString::from_vec(link.into_bytes()).into())
    }

    fn link_of(&self, held: &OwnedFd) -> io::Result<PathBuf> {
        Ok(self.link(&format!("self/fd/{}", held.as_fd().as_raw_fd()))?)
    }

    fn open(&self, of: &str) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        Ok(rustix::fs::openat(&self.proc, of, flags, Mode::empty())?.into())
    }
}

/// A name below `/proc`, from where the process stands and in its root. What the process calls
/// itself is another one for us.
fn within(pid: Pid, start: Start, name: &OsStr) -> PathBuf {
    let own = PathBuf::from(pid.to_string());
    let path = Path::new(name);
    for (alias, place) in [
        ("/proc/self", ""),
        ("/proc/thread-self", ""),
        ("/dev/fd", "fd"),
    ] {
        if let Ok(rest) = path.strip_prefix(alias) {
            return own.join(place).join(rest);
        }
    }
    for (alias, number) in [
        ("/dev/stdin", "0"),
        ("/dev/stdout", "1"),
        ("/dev/stderr", "2"),
    ] {
        if path == Path::new(alias) {
            return own.join("fd").join(number);
        }
    }
    match (path.strip_prefix("/"), start) {
        (Ok(rest), _) => own.join("root").join(rest),
        (Err(_), Start::Cwd) => own.join("cwd").join(path),
        (Err(_), Start::Descriptor(number)) => own.join("fd").join(number.to_string()).join(path),
    }
}

fn number(bytes: &[u8]) -> u64 {
    bytes.try_into().map_or(0, u64::from_ne_bytes)
}

/// Pipes and sockets have no path; what the kernel makes up on the way is no file.
fn is_elsewhere(path: &Path) -> bool {
    !path.is_absolute() || path.starts_with("/proc") || path.starts_with("/sys")
}

fn is_regular(found: &Stat) -> bool {
    FileType::from_raw_mode(found.st_mode) == FileType::RegularFile
}

/// The path under which a file is or was; `None` when it never had one.
fn present(path: PathBuf, found: &Stat) -> Option<PathBuf> {
    let Some(before) = path.as_os_str().as_bytes().strip_suffix(b" (deleted)") else {
        return Some(path);
    };
    let is_its_name = rustix::fs::lstat(&path)
        .is_ok_and(|named| (named.st_dev, named.st_ino) == (found.st_dev, found.st_ino));
    if is_its_name {
        return Some(path);
    }
    let before = PathBuf::from(OsStr::from_bytes(before));
    let name = before.file_name()?.as_bytes();
    let is_nameless = name
        .strip_prefix(b"#")
        .is_some_and(|rest| rest.iter().all(u8::is_ascii_digit));
    let is_memory =
        before.starts_with("/memfd:") || before.as_os_str().as_bytes().starts_with(b"/memfd:");
    (!is_nameless && !is_memory).then_some(before)
}
