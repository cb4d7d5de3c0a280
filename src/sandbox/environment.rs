//! Builds the environment of a job from a list of allowed variables.
#![expect(
    clippy::disallowed_methods,
    reason = "sandbox::environment picks what a job may know"
)]

use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

/// What a job is handed when the person has it: where programs are, in which language they talk.
///
/// What is not here is gone: `CI` (it makes Hypothesis ignore a seed), `PYTEST_ADDOPTS`, `GIT_*`,
/// `SSH_AUTH_SOCK`, `DOCKER_HOST`, `XDG_RUNTIME_DIR`, tokens.
const PASSED: [&str; 8] = [
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "JAVA_HOME",
    "SSL_CERT_FILE",
    "VIRTUAL_ENV",
];

/// Where programs and libraries are looked for, and what ends one place of the list. An empty place,
/// as a colon at the end leaves one, and every relative one is the working directory: there the
/// candidate could put a `python3` or a C library of its own.
const SEARCHED: [(&str, &[u8]); 2] = [("PATH", b":"), ("LD_LIBRARY_PATH", b":;")];

/// Where tools are installed: as the person has it, else where it is below the person's own home,
/// which the job no longer has.
const TOOLS: [(&str, &str); 7] = [
    ("CARGO_HOME", ".cargo"),
    ("GOPATH", "go"),
    ("NVM_DIR", ".nvm"),
    ("PYENV_ROOT", ".pyenv"),
    ("PYTHONUSERBASE", ".local"),
    ("RBENV_ROOT", ".rbenv"),
    ("RUSTUP_HOME", ".rustup"),
];

/// The complete environment of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Environment(BTreeMap<OsString, OsString>);

impl Environment {
    /// What is passed on, with a home and a place for temporary files of the job's own, made below
    /// `scratch`. A git that the job runs finds no repository above `scratch`.
    ///
    /// # Errors
    /// When the directories cannot be made.
    pub fn clean(scratch: &Path) -> io::Result<Self> {
        Self::picked(scratch, |name| env::var_os(name))
    }

    /// The part of it that is the same for every job: what is passed on.
    pub fn shared() -> Self {
        Self::passed(|name| env::var_os(name))
    }

    fn passed(person: impl Fn(&str) -> Option<OsString>) -> Self {
        let mut variables = BTreeMap::new();
        let passed = PASSED
            .iter()
            .filter_map(|name| Some((OsString::from(name), person(name)?)));
        variables.extend(passed);
        for (name, ends) in SEARCHED {
            let kept = person(name)
                .map(|places| absolute(&places, ends))
                .filter(|kept| !kept.is_empty());
            variables.extend(kept.map(|kept| (OsString::from(name), kept)));
        }
        let home = person("HOME").filter(|home| Path::new(home).is_absolute());
        for (name, below) in TOOLS {
            let usual = || {
                home.as_ref()
                    .map(|home| Path::new(home).join(below))
                    .filter(|dir| dir.is_dir())
            };
            let place = person(name).filter(|place| Path::new(place).is_absolute());
            let place = place.or_else(|| usual().map(OsString::from));
            variables.extend(place.map(|place| (OsString::from(name), place)));
        }
        Self(variables)
    }

    fn picked(scratch: &Path, person: impl Fn(&str) -> Option<OsString>) -> io::Result<Self> {
        let mut clean = Self::passed(person);
        for (name, inner) in [("HOME", "home"), ("TMPDIR", "tmp")] {
            let dir = scratch.join(inner);
            std::fs::create_dir_all(&dir)?;
            clean = clean.set(name, dir);
        }
        let above = scratch.parent().unwrap_or(scratch);
        let fixed = [
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_TERMINAL_PROMPT", "0"),
            ("TERM", "dumb"),
        ];
        let clean = fixed
            .into_iter()
            .fold(clean, |clean, (name, value)| clean.set(name, value));
        Ok(clean
            .set("GIT_CEILING_DIRECTORIES", above)
            .set("PYTHONDONTWRITEBYTECODE", "1"))
    }

    /// The same with one variable more, or with another value.
    pub fn set(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.0.insert(name.into(), value.into());
        self
    }

    /// The same without a variable.
    pub fn unset(mut self, name: impl AsRef<OsStr>) -> Self {
        self.0.remove(name.as_ref());
        self
    }

    /// Every variable, by name.
    pub fn variables(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.0
            .iter()
            .map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }
}

/// The places of a list that are the same wherever one stands. The loader reads `;` and `:` alike.
fn absolute(places: &OsStr, ends: &[u8]) -> OsString {
    let places = places.as_bytes().split(|byte| ends.contains(byte));
    let kept: Vec<_> = places.filter(|place| place.starts_with(b"/")).collect();
    OsString::from_vec(kept.join(&b':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_looked_for_where_a_job_stands() {
        let scratch = tempfile::tempdir().unwrap();
        let person = |name: &str| match name {
            "PATH" => Some(":.:bin:/usr/bin:./node_modules/.bin:/b;in:".into()),
            "LD_LIBRARY_PATH" => Some("/opt/lib:;lib;/opt/more:".into()),
            "CARGO_HOME" => Some("cargo".into()),
            _ => None,
        };
        let job = Environment::picked(scratch.path(), person).unwrap();
        assert_eq!(job.0["PATH".as_ref() as &OsStr], "/usr/bin:/b;in");
        assert_eq!(
            job.0["LD_LIBRARY_PATH".as_ref() as &OsStr],
            "/opt/lib:/opt/more"
        );
        assert!(!job.0.contains_key("CARGO_HOME".as_ref() as &OsStr));
        let person = |name: &str| (name == "LD_LIBRARY_PATH").then(|| "".into());
        assert!(
            !Environment::picked(scratch.path(), person)
                .unwrap()
                .0
                .contains_key("LD_LIBRARY_PATH".as_ref() as &OsStr)
        );
    }

    #[test]
    fn nothing_is_passed_that_is_not_on_the_list() {
        let scratch = tempfile::tempdir().unwrap();
        std::fs::create_dir(scratch.path().join(".cargo")).unwrap();
        let home = scratch.path().as_os_str().to_owned();
        let person = |name: &str| match name {
            "HOME" => Some(home.clone()),
            "PYENV_ROOT" => Some("/opt/pyenv".into()),
            "GOPATH" | "LANGUAGE" => None,
            _ => Some("theirs".into()),
        };
        let job = Environment::picked(&scratch.path().join("job"), person)
            .unwrap()
            .unset("TZ");
        let names: Vec<_> = job
            .variables()
            .map(|(name, _)| name.to_str().unwrap())
            .collect();
        for gone in [
            "CI",
            "PYTEST_ADDOPTS",
            "GIT_DIR",
            "SSH_AUTH_SOCK",
            "GOPATH",
            "TZ",
        ] {
            assert!(!names.contains(&gone), "{gone}");
        }
        assert_eq!(job.0["PYENV_ROOT".as_ref() as &OsStr], "/opt/pyenv");
        assert_eq!(
            job.0["HOME".as_ref() as &OsStr],
            scratch.path().join("job/home")
        );
        assert!(scratch.path().join("job/tmp").is_dir());
    }
}
