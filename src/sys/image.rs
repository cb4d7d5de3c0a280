//! Names the machine image: a measured fingerprint, or what a hosted runner says.
//!
//! The fingerprint is the SHA-256 of sorted lines `name value`, one for each fact that is found:
//!
//! | name | value |
//! |---|---|
//! | arch | the machine architecture |
//! | kernel | the kernel release |
//! | os | `ID` and `VERSION_ID` of /etc/os-release |
//! | libc | SHA-256 of the C library |
//! | packages | SHA-256 of the package list of dpkg, rpm or apk |
//! | tool:sh, tool:git, tool:python3 | SHA-256 of the real executable found on PATH, links resolved |
//!
//! Host name, machine id and time are left out: two machines of one image agree.
#![expect(
    clippy::disallowed_methods,
    reason = "sys::image is the window to the runner"
)]

use std::env;
use std::fs::File;
use std::path::{Path, PathBuf};

use crate::model::ids::Sha256;
use crate::model::image::RunnerImage;
use crate::sys::{files, hash};

/// The image id of this machine, and what the id is and is not.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The id.
    pub image: RunnerImage,
    /// One sentence for people.
    pub meaning: String,
}

/// The strongest id that this machine can show by itself: a hosted runner's own word when
/// `ImageOS` and `ImageVersion` are set, else the fingerprint. Never a container digest, since
/// that is not knowable from inside.
pub fn measure() -> Measured {
    asserted(env::var("ImageOS").ok(), env::var("ImageVersion").ok()).unwrap_or_else(fingerprint)
}

/// The measured fingerprint, whatever else the machine says of itself.
pub fn fingerprint() -> Measured {
    let facts = facts();
    let names: Vec<_> = facts
        .iter()
        .filter_map(|fact| fact.split(' ').next())
        .collect();
    let meaning = format!(
        "a measured fingerprint of {}; not a container image id",
        names.join(", ")
    );
    let text: String = facts.iter().map(|fact| format!("{fact}\n")).collect();
    let image = format!("host:{}", Sha256::of(text.as_bytes())).parse();
    Measured {
        image: image.expect("a digest makes a host id"),
        meaning,
    }
}

fn asserted(os: Option<String>, version: Option<String>) -> Option<Measured> {
    let image = format!("gha:{}-{}", os?, version?).parse().ok()?;
    let meaning =
        "asserted by the runner's environment (ImageOS, ImageVersion), not measured".to_owned();
    Some(Measured { image, meaning })
}

fn facts() -> Vec<String> {
    let libc = libc_candidates();
    let packages = PACKAGE_LISTS.map(PathBuf::from);
    let measured = [
        Some(("arch".to_owned(), env::consts::ARCH.to_owned())),
        text_of("/proc/sys/kernel/osrelease")
            .map(|release| ("kernel".to_owned(), release.trim().to_owned())),
        text_of("/etc/os-release").map(|text| ("os".to_owned(), os_words(&text))),
        libc.iter()
            .find_map(|path| digest(path))
            .map(|sha| ("libc".to_owned(), sha)),
        packages
            .iter()
            .find_map(|path| digest(path))
            .map(|sha| ("packages".to_owned(), sha)),
    ];
    let tools =
        ["sh", "git", "python3"].map(|tool| Some((format!("tool:{tool}"), digest(&which(tool)?)?)));
    let found = measured.into_iter().chain(tools).flatten();
    let mut lines: Vec<_> = found
        .map(|(name, value)| format!("{name} {value}"))
        .collect();
    lines.sort();
    lines
}

const PACKAGE_LISTS: [&str; 4] = [
    "/var/lib/dpkg/status",
    "/usr/lib/sysimage/rpm/rpmdb.sqlite",
    "/var/lib/rpm/rpmdb.sqlite",
    "/lib/apk/db/installed",
];

fn libc_candidates() -> Vec<PathBuf> {
    let arch = env::consts::ARCH;
    let places = [
        format!("/lib/{arch}-linux-gnu/libc.so.6"),
        "/lib64/libc.so.6".to_owned(),
        "/usr/lib/libc.so.6".to_owned(),
        format!("/lib/ld-musl-{arch}.so.1"),
    ];
    places.map(PathBuf::from).to_vec()
}

fn text_of(path: &str) -> Option<String> {
    String::from_utf8(files::read(Path::new(path)).ok()??).ok()
}

fn os_words(text: &str) -> String {
    let value = |key: &str| {
        text.lines()
            .find_map(|line| line.strip_prefix(key))
            .unwrap_or_default()
    };
    format!("{} {}", value("ID="), value("VERSION_ID=")).replace('"', "")
}

fn digest(path: &Path) -> Option<String> {
    let file = File::open(path).ok()?;
    let (sha256, _) = hash::stream(file, &mut vec![0; 256 << 10]).ok()?;
    Some(sha256.to_string())
}

fn which(tool: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let found = env::split_paths(&path)
        .filter(|dir| dir.is_absolute())
        .map(|dir| dir.join(tool));
    found.filter_map(|tool| tool.canonicalize().ok()).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_is_the_same_twice_and_holds_no_name_of_the_machine() {
        let (one, two) = (facts(), facts());
        assert_eq!(one, two);
        assert!(one.is_sorted() && one.len() >= 2, "{one:?}");
        let host = text_of("/proc/sys/kernel/hostname").unwrap_or("-".to_owned());
        assert!(
            one.iter().all(|line| !line.contains(host.trim())),
            "{one:?}"
        );
    }

    #[test]
    fn a_hosted_runner_is_believed_only_when_it_says_both() {
        let both = asserted(Some("ubuntu24".to_owned()), Some("20261101.1".to_owned())).unwrap();
        assert_eq!(both.image.as_str(), "gha:ubuntu24-20261101.1");
        assert!(asserted(Some("ubuntu24".to_owned()), None).is_none());
        assert!(asserted(Some("ubuntu24".to_owned()), Some("a b".to_owned())).is_none());
    }
}
