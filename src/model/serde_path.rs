//! Writes a path in JSON. One character for each byte, since a path is no text.
//!
//! For `#[serde(with = "serde_path")]`; `serde_path::list` is the same for many of them.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serializer};

/// Writes a path.
///
/// # Errors
/// Those of the serializer.
pub fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&spell(path))
}

/// Reads a path.
///
/// # Errors
/// When a character stands for no byte.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
    read(&String::deserialize(deserializer)?).ok_or_else(|| D::Error::custom("not a path"))
}

fn spell(path: &Path) -> String {
    path.as_os_str()
        .as_bytes()
        .iter()
        .copied()
        .map(char::from)
        .collect()
}

fn read(spelled: &str) -> Option<PathBuf> {
    let bytes: Option<Vec<u8>> = spelled
        .chars()
        .map(|char| u8::try_from(char).ok())
        .collect();
    Some(OsString::from_vec(bytes?).into())
}

pub mod list {
    //! The same for many of them.

    use super::{Deserialize, Deserializer, Error, PathBuf, Serializer, read, spell};

    /// Writes paths.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn serialize<S: Serializer>(paths: &[PathBuf], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(paths.iter().map(|path| spell(path)))
    }

    /// Reads paths.
    ///
    /// # Errors
    /// When a character stands for no byte.
    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<PathBuf>, D::Error> {
        let spelled = Vec::<String>::deserialize(deserializer)?;
        let paths: Option<_> = spelled.iter().map(|spelled| read(spelled)).collect();
        paths.ok_or_else(|| D::Error::custom("not a path"))
    }
}
