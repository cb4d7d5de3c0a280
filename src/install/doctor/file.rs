//! Checks the hook file itself: git can run it, and it does not hang.

use std::path::Path;

use super::super::site::HookFile;
use super::Finding;
use super::hook::{INSTALL, path};
use crate::model::path::shown;
use crate::model::shell::word;
use crate::sys::folder::{Standing, executable};

/// What keeps git from running a file at all, or from running it without hanging.
pub(super) fn findings(hook_file: &HookFile) -> Vec<Finding> {
    let path = path(hook_file);
    let file = word(&path);
    let mut findings = Vec::new();
    let mut fault = |name, seen: String, expected, fix: String| {
        findings.push(Finding::fault(name, seen, expected, fix))
    };
    match &hook_file.hook {
        Standing::Nothing => {}
        Standing::Other { kind } => {
            fault(
                "hook-no-file",
                format!("{path} is {kind}"),
                "a file",
                format!("mv {file} {}", word(&format!("{path}.away"))),
            );
        }
        Standing::Link { target } if !executable(&hook_file.path()) => {
            let seen = format!("{path} leads to {}, which git cannot run", target.display());
            fault(
                "hook-dangling",
                seen,
                "a program",
                format!("rm {file} && {INSTALL}"),
            );
        }
        Standing::Link { .. } => {}
        Standing::File { head, .. } => {
            if !executable(&hook_file.path()) {
                fault(
                    "hook-not-executable",
                    format!("git skips {path}"),
                    "an executable file",
                    format!("chmod +x {file}"),
                );
            }
            if head.starts_with(b"\xef\xbb\xbf") {
                let fix = format!("sed -i '1s/^\\xef\\xbb\\xbf//' {file}");
                fault(
                    "hook-bom",
                    format!("{path} starts with a byte order mark"),
                    "#! at the start",
                    fix,
                );
            }
            findings.extend(first_line(&path, head));
        }
    }
    findings
}

/// What keeps the hook that ours runs first from being run; git skips one that is not executable.
pub(super) fn kept(hook_file: &HookFile) -> Option<Finding> {
    match &hook_file.kept {
        Standing::File { head, .. } if executable(&hook_file.kept_path()) => {
            first_line(&shown(&hook_file.kept_path().display().to_string()), head)
        }
        Standing::Nothing
        | Standing::File { .. }
        | Standing::Link { .. }
        | Standing::Other { .. } => None,
    }
}

fn first_line(path: &str, head: &[u8]) -> Option<Finding> {
    let (file, line) = (word(path), shebang(head)?);
    if line.ends_with(b"\r") {
        let fix = format!("sed -i 's/\\r$//' {file}");
        let seen = format!("the first line of {path} ends with CR LF");
        return Some(Finding::fault("hook-crlf", seen, "LF", fix));
    }
    let missing = interpreter(line).filter(|it| !executable(Path::new(it)))?;
    let seen = format!("{path} asks for {missing}, which is not there");
    let fix = format!("install {}", word(&missing));
    Some(Finding::fault(
        "hook-interpreter",
        seen,
        "an interpreter that exists",
        fix,
    ))
}

/// The first line behind `#!`.
fn shebang(head: &[u8]) -> Option<&[u8]> {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    head.strip_prefix(b"#!")?
        .split(|byte| *byte == b'\n')
        .next()
}

fn interpreter(line: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(line);
    text.split_whitespace().next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_says_who_runs_it() {
        assert_eq!(shebang(b"#!/bin/sh -e\nx"), Some(b"/bin/sh -e".as_slice()));
        assert_eq!(
            interpreter(b" /usr/bin/env bash").as_deref(),
            Some("/usr/bin/env")
        );
        assert_eq!(shebang(b"\x7fELF"), None);
        assert_eq!(
            shebang(b"\xef\xbb\xbf#!/bin/sh"),
            Some(b"/bin/sh".as_slice())
        );
    }
}
