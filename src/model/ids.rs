//! Newtypes for the names of objects, rows, seeds and digests. One newtype for every kind of name.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};
use sha2::Digest;

/// The name of a git object: 20 bytes (SHA-1) or 32 bytes (SHA-256), printed as hex.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId {
    bytes: [u8; 32],
    len: u8,
}

/// The text is not a full object id in lower-case hex.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a full object id (40 or 64 lower-case hex digits)")]
pub struct ObjectIdError(pub String);

impl ObjectId {
    /// From raw bytes; `None` unless there are 20 or 32 of them.
    pub fn from_bytes(raw: &[u8]) -> Option<Self> {
        let len = match raw.len() {
            20 => 20,
            32 => 32,
            _ => return None,
        };
        let mut bytes = [0; 32];
        bytes[..raw.len()].copy_from_slice(raw);
        Some(Self { bytes, len })
    }

    /// The raw bytes, 20 or 32.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }

    /// Length of the printed form: 40 or 64 hex digits.
    pub fn hex_len(&self) -> usize {
        2 * usize::from(self.len)
    }
}

impl FromStr for ObjectId {
    type Err = ObjectIdError;

    fn from_str(text: &str) -> Result<Self, ObjectIdError> {
        let fault = || ObjectIdError(text.to_owned());
        if !matches!(text.len(), 40 | 64) {
            return Err(fault());
        }
        let nibble = |byte: u8| match byte {
            b'0'..=b'9' => Some(byte - b'0'),
            b'a'..=b'f' => Some(byte - b'a' + 10),
            _ => None,
        };
        let raw: Option<Vec<u8>> = text
            .as_bytes()
            .chunks(2)
            .map(|pair| Some(nibble(pair[0])? << 4 | nibble(pair[1])?))
            .collect();
        raw.and_then(|raw| Self::from_bytes(&raw)).ok_or_else(fault)
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(f, self.as_bytes())
    }
}

/// At most 32 bytes as hex. Formatting each byte alone would be most of what printing many digests takes.
fn write_hex(f: &mut fmt::Formatter<'_>, raw: &[u8]) -> fmt::Result {
    let mut hex = [0; 64];
    for (pair, byte) in hex.chunks_mut(2).zip(raw) {
        let digit = |nibble: u8| b"0123456789abcdef"[usize::from(nibble)];
        pair.copy_from_slice(&[digit(byte >> 4), digit(byte & 15)]);
    }
    f.write_str(std::str::from_utf8(&hex[..2 * raw.len()]).map_err(|_| fmt::Error)?)
}

impl fmt::Debug for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The id of a commit object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CommitId(pub ObjectId);

impl CommitId {
    /// The first ten hex digits, for people only.
    pub fn short(&self) -> String {
        self.to_string()[..10].to_owned()
    }
}

impl FromStr for CommitId {
    type Err = ObjectIdError;

    fn from_str(text: &str) -> Result<Self, ObjectIdError> {
        text.parse().map(Self)
    }
}

impl fmt::Display for CommitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl Serialize for CommitId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// What stands at one path of one tree: its mode and the object it names.
///
/// Two entries are the same state only when both agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryState {
    /// The raw mode bits, for example `0o100644`.
    pub mode: u32,
    /// The object.
    pub id: ObjectId,
}

impl EntryState {
    /// Mode of a regular file that is not executable.
    pub const PLAIN: u32 = 0o100_644;
    /// Mode of a regular file that is executable.
    pub const EXECUTABLE: u32 = 0o100_755;
    /// Mode of a symbolic link.
    pub const LINK: u32 = 0o120_000;
    /// Mode of a submodule: a commit of another repository.
    pub const SUBMODULE: u32 = 0o160_000;
    /// Mode of a tree.
    pub const TREE: u32 = 0o040_000;

    /// Whether this is a file, whatever its permission bits.
    pub fn is_file(&self) -> bool {
        self.mode & 0o170_000 == 0o100_000
    }

    /// Whether this is a file with the permission bits that git gives files today.
    pub fn is_usual_file(&self) -> bool {
        matches!(self.mode, Self::PLAIN | Self::EXECUTABLE)
    }

    /// What kind of thing the mode names, in the words of git.
    pub fn kind(&self) -> &'static str {
        match self.mode {
            Self::PLAIN => "regular file",
            Self::EXECUTABLE => "executable file",
            Self::LINK => "symbolic link",
            Self::SUBMODULE => "submodule",
            Self::TREE => "directory",
            _ => "entry of an unknown mode",
        }
    }
}

/// A SHA-256 digest as 64 lower-case hex digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sha256(pub [u8; 32]);

impl Sha256 {
    /// The digest of bytes.
    pub fn of(bytes: impl AsRef<[u8]>) -> Self {
        Self(sha2::Sha256::digest(bytes).into())
    }
}

impl fmt::Display for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(f, &self.0)
    }
}

impl fmt::Debug for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text is not a SHA-256 digest.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a SHA-256 digest (64 lower-case hex digits)")]
pub struct Sha256Error(pub String);

impl FromStr for Sha256 {
    type Err = Sha256Error;

    fn from_str(text: &str) -> Result<Self, Sha256Error> {
        let id = text.parse::<ObjectId>().ok();
        let bytes = id.and_then(|id| id.as_bytes().try_into().ok());
        bytes.map(Self).ok_or_else(|| Sha256Error(text.to_owned()))
    }
}

/// The id of an oracle row, `[A-Za-z0-9][A-Za-z0-9._-]{0,63}`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OracleId(String);

/// The text is not an id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not an id: a letter or digit, then at most 63 letters, digits, '.', '_' or '-'")]
pub struct OracleIdError(pub String);

impl OracleId {
    /// The id as it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The id under ASCII case folding: two rows may not share it.
    pub fn folded(&self) -> String {
        self.0.to_ascii_lowercase()
    }
}

impl FromStr for OracleId {
    type Err = OracleIdError;

    fn from_str(text: &str) -> Result<Self, OracleIdError> {
        let tail = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
        let first = text
            .bytes()
            .next()
            .is_some_and(|byte| byte.is_ascii_alphanumeric());
        if first && text.len() <= 64 && text.bytes().all(tail) {
            Ok(Self(text.to_owned()))
        } else {
            Err(OracleIdError(text.to_owned()))
        }
    }
}

impl fmt::Display for OracleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for OracleId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn object_ids_are_full_and_lower_case() {
        let hex = "0123456789abcdef0123456789abcdef01234567";
        assert_eq!(hex.parse::<ObjectId>().unwrap().to_string(), hex);
        assert!(hex[..39].parse::<ObjectId>().is_err());
        assert!(hex.to_uppercase().parse::<ObjectId>().is_err());
    }

    #[test]
    fn oracle_ids_keep_to_their_alphabet() {
        for good in ["a", "bal-nonneg-01", "A.b_c-9"] {
            assert!(good.parse::<OracleId>().is_ok(), "{good}");
        }
        let long = "a".repeat(65);
        for bad in ["", "-a", ".a", "a b", "ä", "a/b", &long] {
            assert!(bad.parse::<OracleId>().is_err(), "{bad}");
        }
    }
}
