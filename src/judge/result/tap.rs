//! Reads a file in the Test Anything Protocol, version 13 or 14.

use std::collections::{BTreeMap, BTreeSet};

use super::Unreadable;
use crate::decide::outcome::Counts;

#[derive(Default)]
struct Reader {
    counts: Counts,
    plan: Option<u64>,
    seen: BTreeSet<u64>,
    /// Whether a plan stood before the first test, so that tests may follow it.
    plan_first: bool,
    /// The indent of the YAML block we are in.
    yaml: Option<usize>,
    /// Subtests whose parent has not been read yet: whether one ran, by indent.
    ran: BTreeMap<usize, bool>,
}

/// SKIP and TODO are no pass. A plan that is missing or not kept, a test that stands twice, and a
/// line that is none of the protocol make the file unreadable.
pub(super) fn read(text: &str) -> Result<Counts, Unreadable> {
    let mut reader = Reader::default();
    for (at, line) in text.lines().enumerate() {
        reader
            .take(line)
            .map_err(|fault| Unreadable(format!("line {}: {fault}", at + 1)))?;
    }
    match reader.plan {
        None => Err(Unreadable::because("no plan")),
        Some(plan) if plan == reader.seen.len() as u64 && reader.yaml.is_none() => {
            Ok(reader.counts)
        }
        Some(plan) => Err(Unreadable(format!(
            "a plan of {plan} tests, and {} ran",
            reader.seen.len()
        ))),
    }
}

impl Reader {
    fn take(&mut self, line: &str) -> Result<(), &'static str> {
        let bare = line.trim_start_matches([' ', '\t']);
        let indent = line.len() - bare.len();
        if let Some(start) = self.yaml {
            if bare.trim_end() == "..." && indent == start {
                self.yaml = None;
            }
            return Ok(());
        }
        if bare.trim_end() == "---" && indent > 0 {
            self.yaml = Some(indent);
            return Ok(());
        }
        if indent > 0 {
            self.take_nested(bare, indent)
        } else {
            self.take_own(line.trim_end())
        }
    }

    /// A subtest: the line of its parent sums it up, but it can only worsen that.
    fn take_nested(&mut self, line: &str, indent: usize) -> Result<(), &'static str> {
        if line.starts_with("Bail out!") {
            return Err("the tests bailed out");
        }
        if line.starts_with("1..") {
            self.ran.entry(indent).or_default();
        }
        if let Some((ok, rest)) = verdict(line) {
            let is_plain = directive(rest).is_none();
            self.counts.failed += u64::from(!ok && is_plain);
            let ran = self.has_run(indent) && is_plain;
            *self.ran.entry(indent).or_default() |= ran;
        }
        Ok(())
    }

    /// Whether a test at this indent ran: one with subtests did when one of those did.
    fn has_run(&mut self, indent: usize) -> bool {
        let subtests = self.ran.split_off(&(indent + 1));
        subtests.values().next().is_none_or(|ran| *ran)
    }

    fn take_own(&mut self, line: &str) -> Result<(), &'static str> {
        if line.starts_with("Bail out!") {
            Err("the tests bailed out")
        } else if let Some((ok, rest)) = verdict(line) {
            self.take_test(ok, rest)
        } else if let Some(rest) = line.strip_prefix("1..") {
            self.take_plan(rest)
        } else if line.is_empty()
            || line.starts_with('#')
            || line.starts_with("pragma ")
            || matches!(line, "TAP version 13" | "TAP version 14")
        {
            Ok(())
        } else {
            Err("no line of the protocol")
        }
    }

    fn take_plan(&mut self, rest: &str) -> Result<(), &'static str> {
        let number = rest.split('#').next().unwrap_or_default().trim();
        let plan = digits(number).ok_or("a plan without a number")?;
        self.plan_first = self.seen.is_empty();
        match self.plan.replace(plan) {
            None => Ok(()),
            Some(_) => Err("a second plan"),
        }
    }

    fn take_test(&mut self, ok: bool, rest: &str) -> Result<(), &'static str> {
        if self.plan.is_some() && !self.plan_first {
            return Err("a test after the plan that ends the file");
        }
        let word = rest.split_whitespace().next().unwrap_or_default();
        let number = digits(word).unwrap_or_else(|| self.seen.last().map_or(1, |last| last + 1));
        let planned = self.plan.is_none_or(|plan| number <= plan);
        if number == 0 || !planned || !self.seen.insert(number) {
            return Err("a test with a number that is used, or not planned");
        }
        let ran = self.has_run(0);
        match (ok, directive(rest)) {
            (true, None) if ran => self.counts.passed += 1,
            (true, None) => self.counts.skipped += 1,
            (true, Some(_)) | (false, Some(Directive::Todo)) => self.counts.skipped += 1,
            (false, None | Some(Directive::Skip)) => self.counts.failed += 1,
        }
        Ok(())
    }
}

/// `ok` or `not ok`, and what follows.
fn verdict(line: &str) -> Option<(bool, &str)> {
    let (ok, rest) = match line.strip_prefix("not ok") {
        Some(rest) => (false, rest),
        None => (true, line.strip_prefix("ok")?),
    };
    (rest.is_empty() || rest.starts_with([' ', '\t'])).then_some((ok, rest))
}

fn digits(text: &str) -> Option<u64> {
    let all = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    // far fewer tests than this fit into a file that is read
    if all {
        text.parse().ok().filter(|number| *number < 1 << 40)
    } else {
        None
    }
}

enum Directive {
    Skip,
    Todo,
}

/// What stands behind a `#` that is not escaped.
fn directive(rest: &str) -> Option<Directive> {
    let mut before = ' ';
    let at = rest.char_indices().find_map(|(at, c)| {
        let found = c == '#' && before != '\\';
        before = c;
        found.then_some(at)
    })?;
    let word = rest[at + 1..].trim_start().get(..4)?;
    if word.eq_ignore_ascii_case("skip") {
        Some(Directive::Skip)
    } else if word.eq_ignore_ascii_case("todo") {
        Some(Directive::Todo)
    } else {
        None
    }
}
