//! Reads a JUnit file. As pytest, nextest, jest-junit and maven write it.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::Unreadable;
use crate::decide::outcome::Counts;

/// How deep elements may stand in each other.
const MAX_DEPTH: usize = 32;

/// Where an element stands. What is inside of a failure or an output says nothing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Suites,
    Suite,
    Case,
    Talk,
}

/// What the elements inside of a test case say about it.
#[derive(Default)]
struct Case {
    failed: bool,
    errored: bool,
    skipped: bool,
    retried: bool,
}

#[derive(Default)]
struct Walk {
    counts: Counts,
    open: Vec<Place>,
    case: Case,
    roots: usize,
    /// The worst that a suite says of itself.
    claimed: Counts,
}

/// Entities are never expanded, and a file that declares some is unreadable.
pub(super) fn read(text: &str) -> Result<Counts, Unreadable> {
    let mut reader = Reader::from_str(text);
    let mut walk = Walk::default();
    loop {
        match reader.read_event().map_err(Unreadable::because)? {
            Event::Start(element) => walk.start(&element)?,
            Event::Empty(element) => {
                walk.start(&element)?;
                walk.end();
            }
            Event::End(_) => walk.end(),
            Event::DocType(_) => return Err(Unreadable::because("a document type")),
            Event::Text(text) if walk.open.is_empty() && !text.trim().is_empty() => {
                return Err(Unreadable::because("text outside of all elements"));
            }
            Event::CData(_) | Event::GeneralRef(_) if walk.open.is_empty() => {
                return Err(Unreadable::because("text outside of all elements"));
            }
            Event::Text(_)
            | Event::CData(_)
            | Event::GeneralRef(_)
            | Event::Comment(_)
            | Event::Decl(_)
            | Event::PI(_) => {}
            Event::Eof => return walk.finish(),
        }
    }
}

impl Walk {
    fn start(&mut self, element: &BytesStart<'_>) -> Result<(), Unreadable> {
        let name = element.name();
        let name = name.as_ref();
        if self.open.len() >= MAX_DEPTH {
            return Err(Unreadable(format!(
                "more than {MAX_DEPTH} elements in each other"
            )));
        }
        let place = self.place(name)?;
        match place {
            Place::Suites | Place::Suite => self.read_claims(element)?,
            Place::Case => self.start_case(element)?,
            Place::Talk => {}
        }
        self.open.push(place);
        Ok(())
    }

    /// What an element is, where it stands.
    fn place(&mut self, name: &str) -> Result<Place, Unreadable> {
        let unknown = || Unreadable(format!("an unknown element {name:?}"));
        match (self.open.last(), name) {
            (None, "testsuites" | "testsuite") if self.roots == 0 => {
                self.roots = 1;
                Ok(if name == "testsuites" {
                    Place::Suites
                } else {
                    Place::Suite
                })
            }
            (Some(Place::Suites | Place::Suite), "testsuite") => Ok(Place::Suite),
            (Some(Place::Suite), "testcase") => Ok(Place::Case),
            (Some(Place::Suites | Place::Suite), "error" | "failure") => {
                self.counts.errored += 1;
                Ok(Place::Talk)
            }
            (Some(Place::Suites | Place::Suite), "properties" | "system-out" | "system-err") => {
                Ok(Place::Talk)
            }
            (Some(Place::Case), _) => self
                .case
                .take(name)
                .then_some(Place::Talk)
                .ok_or_else(unknown),
            (Some(Place::Talk), _) => Ok(Place::Talk),
            (None | Some(Place::Suites | Place::Suite), _) => Err(unknown()),
        }
    }

    fn read_claims(&mut self, element: &BytesStart<'_>) -> Result<(), Unreadable> {
        for attribute in element.attributes() {
            let attribute = attribute.map_err(Unreadable::because)?;
            let claim = match attribute.key.as_ref() {
                "failures" => &mut self.claimed.failed,
                "errors" => &mut self.claimed.errored,
                "flakes" => &mut self.claimed.flaky,
                _ => continue,
            };
            let number: u64 = attribute
                .value
                .trim()
                .parse()
                .map_err(Unreadable::because)?;
            *claim = number.max(*claim);
        }
        Ok(())
    }

    fn start_case(&mut self, element: &BytesStart<'_>) -> Result<(), Unreadable> {
        self.case = Case::default();
        for attribute in element.attributes() {
            let attribute = attribute.map_err(Unreadable::because)?;
            match (attribute.key.as_ref(), attribute.value.as_ref()) {
                // googletest, and tools that follow it
                ("status", "notrun" | "skipped" | "disabled")
                | ("result", "skipped" | "suppressed") => {
                    self.case.skipped = true;
                }
                ("status", "failed" | "fail" | "error") => self.case.failed = true,
                _ => {}
            }
        }
        Ok(())
    }

    fn end(&mut self) {
        if self.open.pop() != Some(Place::Case) {
            return;
        }
        let case = std::mem::take(&mut self.case);
        let count = match case {
            Case { errored: true, .. } => &mut self.counts.errored,
            Case { failed: true, .. } => &mut self.counts.failed,
            Case { skipped: true, .. } => &mut self.counts.skipped,
            Case { retried: true, .. } => &mut self.counts.flaky,
            Case { .. } => &mut self.counts.passed,
        };
        *count += 1;
    }

    fn finish(self) -> Result<Counts, Unreadable> {
        if self.roots == 0 || !self.open.is_empty() {
            return Err(Unreadable::because("a document without an end"));
        }
        let Self {
            mut counts,
            claimed,
            ..
        } = self;
        counts.failed = counts.failed.max(claimed.failed);
        counts.errored = counts.errored.max(claimed.errored);
        counts.flaky = counts.flaky.max(claimed.flaky);
        Ok(counts)
    }
}

impl Case {
    /// Takes in an element of a test case; `false` when it is unknown.
    fn take(&mut self, name: &str) -> bool {
        match name {
            "failure" => self.failed = true,
            "error" => self.errored = true,
            "skipped" => self.skipped = true,
            "flakyFailure" | "flakyError" | "rerunFailure" | "rerunError" | "rerun" => {
                self.retried = true
            }
            "system-out" | "system-err" | "properties" => {}
            _ => return false,
        }
        true
    }
}
