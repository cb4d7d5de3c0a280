//! Describes one run of another program: how it ended, what it printed, which files it opened.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::serde_path;

/// How a program ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// It left with this number. A shell says 126, 127 or 128+n for what happened inside it.
    Exit(i32),
    /// A signal that we did not send ended it.
    Signal(i32),
    /// It was ended because its budget was used up.
    Timeout,
    /// It was ended because it printed more than its cap.
    OutputLimit,
    /// There is no such program, or its interpreter is missing.
    Missing(String),
    /// It could not be started for another reason.
    NotStarted(String),
}

impl End {
    /// The exit code, when it exited.
    pub fn code(&self) -> Option<i32> {
        match self {
            Self::Exit(code) => Some(*code),
            Self::Signal(_)
            | Self::Timeout
            | Self::OutputLimit
            | Self::Missing(_)
            | Self::NotStarted(_) => None,
        }
    }

    /// The signal, when one ended it.
    pub fn signal(&self) -> Option<i32> {
        match self {
            Self::Signal(signal) => Some(*signal),
            Self::Exit(_)
            | Self::Timeout
            | Self::OutputLimit
            | Self::Missing(_)
            | Self::NotStarted(_) => None,
        }
    }
}

/// What was printed on one stream: the beginning, the end, and how much it was.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kept {
    /// All bytes that were printed.
    pub bytes: u64,
    /// The first of them.
    pub head: Vec<u8>,
    /// The last of them, behind the head; it follows the head directly when nothing was left out.
    pub tail: Vec<u8>,
}

impl Kept {
    /// How much is kept at either end of a stream.
    pub const HALF: usize = 128 << 10;

    /// Adds what was just printed.
    pub fn add(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        let room = (Self::HALF - self.head.len()).min(bytes.len());
        self.head.extend_from_slice(&bytes[..room]);
        self.tail.extend_from_slice(&bytes[room..]);
        if self.tail.len() > 2 * Self::HALF {
            self.cut();
        }
    }

    /// Lets go of what is no longer the end.
    pub fn cut(&mut self) {
        let surplus = self.tail.len().saturating_sub(Self::HALF);
        self.tail.drain(..surplus);
    }

    /// The kept text, with a line where something was left out.
    pub fn text(&self) -> String {
        let left_out = self.bytes - (self.head.len() + self.tail.len()) as u64;
        let gap = if left_out == 0 {
            String::new()
        } else {
            format!("\n[{left_out} bytes left out]\n")
        };
        let (head, tail) = (
            String::from_utf8_lossy(&self.head),
            String::from_utf8_lossy(&self.tail),
        );
        match left_out {
            0 => String::from_utf8_lossy(&[self.head.as_slice(), &self.tail].concat()).into_owned(),
            _ => format!("{head}{gap}{tail}"),
        }
    }
}

/// A regular file that a run opened, or was not let open.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Touch {
    /// Where it is, absolute, as the kernel resolved it.
    #[serde(with = "serde_path")]
    pub path: PathBuf,
    /// It was opened for reading, or run.
    pub read: bool,
    /// It was opened for writing.
    pub wrote: bool,
    /// Opening it was refused at least once.
    pub denied: bool,
}

/// A run that is over: nothing of it is alive, unless `survivors` says so.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ran {
    /// How it ended.
    pub end: End,
    /// Processes that outlived the program and its grace and were killed.
    pub leaked: usize,
    /// Processes that could not be killed: they hang in the kernel, or are not ours to kill.
    pub survivors: usize,
    /// Standard output.
    pub stdout: Kept,
    /// Standard error.
    pub stderr: Kept,
    /// From start to the last process's end, in milliseconds.
    pub wall_ms: u64,
    /// Processor time of all its processes in milliseconds; unknown on some systems.
    pub cpu_ms: Option<u64>,
    /// The files that it opened, sorted; `None` when that is not known.
    pub opened: Option<Vec<Touch>>,
    /// Why that is not known.
    pub untraced: Option<String>,
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;

    use super::*;

    #[test]
    fn both_ends_of_a_stream_are_kept_and_all_of_it_is_counted() {
        let mut kept = Kept::default();
        for number in 0..100_000 {
            kept.add(format!("{number:09}\n").as_bytes());
        }
        kept.cut();
        assert_eq!(kept.bytes, 1_000_000);
        assert_eq!((kept.head.len(), kept.tail.len()), (Kept::HALF, Kept::HALF));
        assert!(kept.head.starts_with(b"000000000\n") && kept.tail.ends_with(b"000099999\n"));
        assert!(kept.text().contains("\n[737856 bytes left out]\n"));
    }

    #[test]
    fn a_path_of_any_bytes_survives() {
        let path = PathBuf::from(OsString::from_vec((1..=255).collect()));
        let touch = Touch {
            path,
            read: true,
            wrote: false,
            denied: false,
        };
        let json = serde_json::to_string(&touch).unwrap();
        assert_eq!(serde_json::from_str::<Touch>(&json).unwrap(), touch);
        assert!(serde_json::from_str::<Touch>(&json.replace('ÿ', "☃")).is_err());
    }

    #[test]
    fn a_short_stream_is_kept_whole() {
        let mut kept = Kept::default();
        kept.add("äö".as_bytes());
        kept.cut();
        assert_eq!((kept.text().as_str(), kept.tail.len()), ("äö", 0));
    }
}
