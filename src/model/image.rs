//! Describes what a runner image id claims, and how strong the claim is.

use std::fmt;
use std::str::FromStr;

use super::ids::Sha256;
use super::path::is_hidden;

/// What an image id rests on, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Basis {
    /// A measured fingerprint of a few facts of the machine; no container image id.
    Host,
    /// What a hosted runner says about itself.
    Gha,
    /// A store path that was given.
    Nix,
    /// An image digest that was given.
    OciDigest,
}

impl Basis {
    /// Every basis with the word before the colon, weakest first.
    pub const ALL: [(Self, &'static str); 4] = [
        (Self::Host, "host"),
        (Self::Gha, "gha"),
        (Self::Nix, "nix"),
        (Self::OciDigest, "oci-digest"),
    ];
}

/// The image that loads the fixture bytes and runs the checks: `<basis>:<value>`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RunnerImage {
    text: String,
    basis: Basis,
}

/// Why a text is no runner image id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{text}' is no runner image id: {fault}")]
pub struct RunnerImageError {
    /// The text as it was read.
    pub text: String,
    /// What is wrong with it.
    pub fault: &'static str,
}

impl RunnerImage {
    /// The id as it is written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// What it rests on.
    pub fn basis(&self) -> Basis {
        self.basis
    }
}

impl FromStr for RunnerImage {
    type Err = RunnerImageError;

    fn from_str(text: &str) -> Result<Self, RunnerImageError> {
        let parsed = Basis::ALL
            .into_iter()
            .find_map(|(basis, word)| Some((basis, text.strip_prefix(word)?.strip_prefix(':')?)));
        let fault = match parsed {
            None => Some("it starts with oci-digest:, nix:, gha: or host:"),
            Some((basis, value)) => value_fault(basis, value),
        };
        match (parsed, fault) {
            (Some((basis, _)), None) => Ok(Self {
                text: text.to_owned(),
                basis,
            }),
            (_, fault) => Err(RunnerImageError {
                text: text.to_owned(),
                fault: fault.unwrap_or_default(),
            }),
        }
    }
}

fn value_fault(basis: Basis, value: &str) -> Option<&'static str> {
    if value.is_empty() {
        return Some("nothing follows the colon");
    }
    if value.chars().any(|c| c.is_whitespace() || is_hidden(c)) {
        return Some("it holds white space or hidden characters");
    }
    match basis {
        Basis::OciDigest if !value.strip_prefix("sha256:").is_some_and(is_digest) => {
            Some("an image digest is sha256: and 64 lower-case hex digits")
        }
        Basis::Host if !is_digest(value) => Some("a fingerprint is 64 lower-case hex digits"),
        Basis::OciDigest | Basis::Host | Basis::Nix | Basis::Gha => None,
    }
}

fn is_digest(text: &str) -> bool {
    text.parse::<Sha256>().is_ok()
}

impl fmt::Display for RunnerImage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_id_names_its_basis() {
        let hex = "0".repeat(62) + "aa";
        for good in [
            format!("oci-digest:sha256:{hex}"),
            format!("host:{hex}"),
            "nix:/nix/store/abc-env".to_owned(),
            "gha:ubuntu24-20261101.1".to_owned(),
        ] {
            assert_eq!(good.parse::<RunnerImage>().unwrap().as_str(), good);
        }
        for bad in [
            "",
            " ",
            "ubuntu",
            "host:",
            "host:abc",
            "oci-digest:latest",
            "nix: a",
            "gha:a\u{202e}b",
            "gha:a b",
        ] {
            assert!(bad.parse::<RunnerImage>().is_err(), "{bad}");
        }
        assert!(Basis::ALL.is_sorted());
    }
}
