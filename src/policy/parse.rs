//! Reads a policy, strictly: what is unknown or of the wrong form is a fault.

mod check;
mod paths;
mod reader;
#[cfg(test)]
mod tests;

use std::str;

use regex::bytes::RegexBuilder;
use toml::de::{DeTable, DeValue, Error};

use self::reader::{Node, Table, line_of};
use super::fault::PolicyFault;
use super::placeholder::{COMPLETE, SIGNATURE, on_complete_fault};
use super::refname;
use super::sections::{
    Foreman, FreezeRule, Judge, MARKER_SIZE, Mechanism, Policy, Power, Protect, Tier1, VerdictRule,
};
use crate::model::path::{is_hidden, shown};

/// The longest policy that is read, in bytes.
pub const SIZE_CAP: usize = 1 << 20;

type Read<T> = Result<T, PolicyFault>;

/// Reads the bytes of `.gitreins/reins.toml`.
///
/// # Errors
/// The first fault: bytes that are no TOML, a hidden character, then section by section a key
/// that is missing, of the wrong form or unknown.
pub fn parse(bytes: &[u8]) -> Read<Policy> {
    let source = text_of(bytes)?;
    let document = DeTable::parse(source).map_err(|error| not_toml(source, &error))?;
    let span = document.span();
    let value = toml::Spanned::new(span, DeValue::Table(document.into_inner()));
    let root = Node::root(source, &value);
    root.refuse_hidden()?;
    refuse_hidden_text(source)?;
    root.table(read_policy)
}

fn text_of(bytes: &[u8]) -> Read<&str> {
    if bytes.len() > SIZE_CAP {
        return Err(file_fault(
            None,
            format!("{} bytes long", bytes.len()),
            "at most 1 MiB",
        ));
    }
    let text = str::from_utf8(bytes).map_err(|error| {
        let before = bytes[..error.valid_up_to()]
            .iter()
            .filter(|byte| **byte == b'\n')
            .count();
        file_fault(Some(before + 1), "not UTF-8", "UTF-8")
    })?;
    match text.starts_with('\u{feff}') {
        true => Err(file_fault(
            Some(1),
            "UTF-8 with a byte order mark",
            "UTF-8 without one",
        )),
        false => Ok(text),
    }
}

fn not_toml(source: &str, error: &Error) -> PolicyFault {
    let line = error.span().map(|span| line_of(source, span.start));
    let at = error
        .span()
        .and_then(|span| source.get(span))
        .unwrap_or_default();
    let message = error.message().replace('\n', ", ");
    file_fault(
        line,
        format!("no TOML: {} at '{}'", shown(&message), shown(at)),
        "TOML 1.1",
    )
}

/// Comments too: a reordered line would show a reviewer other keys than those in force.
fn refuse_hidden_text(source: &str) -> Read<()> {
    let lines = source
        .split('\n')
        .map(|line| line.strip_suffix('\r').unwrap_or(line));
    let hidden = |line: &str| line.chars().any(|c| c != '\t' && is_hidden(c));
    match lines.enumerate().find(|(_, line)| hidden(line)) {
        None => Ok(()),
        Some((at, line)) => Err(file_fault(
            Some(at + 1),
            shown(line),
            "no control or bidirectional character",
        )),
    }
}

fn file_fault(line: Option<usize>, observed: impl Into<String>, expected: &str) -> PolicyFault {
    let (observed, expected) = (observed.into(), expected.to_owned());
    PolicyFault {
        key: "the file".to_owned(),
        line,
        observed,
        expected,
    }
}

fn read_policy(root: &mut Table<'_>) -> Read<Policy> {
    root.required("schema", |node| {
        node.whole(1..=1, "1, the only schema there is")
    })?;
    Ok(Policy {
        paths: root.section("paths", paths::read)?,
        protect: root.section("protect", read_protect)?,
        verdict: root.section("verdict", read_verdict)?,
        freeze: root.section("freeze", read_freeze)?,
        judge: root.section("judge", read_judge)?,
        checks: root.or("check", Vec::new(), check::read_all)?,
        tier1: root.section("tier1", read_tier1)?,
        foreman: root.section("foreman", read_foreman)?,
    })
}

fn read_protect(table: &mut Table<'_>) -> Read<Protect> {
    let default = Protect::default();
    let pattern = |node: &Node<'_>| node.checked(refname::pattern_fault);
    Ok(Protect {
        base: table.or("base", default.base, |node| node.distinct(pattern))?,
        enforce: table.or("enforce", default.enforce, |node| node.distinct(pattern))?,
    })
}

fn read_verdict(table: &mut Table<'_>) -> Read<VerdictRule> {
    let default = VerdictRule::default();
    Ok(VerdictRule {
        require: table.or("require", default.require, Node::boolean)?,
    })
}

fn read_freeze(table: &mut Table<'_>) -> Read<FreezeRule> {
    let default = FreezeRule::default();
    let days = |node: &Node<'_>| node.whole(0..=36_500, "a whole number of days, at most 36500");
    let share = |node: &Node<'_>| node.number(0.0..=1.0, "a share from 0 to 1");
    Ok(FreezeRule {
        max_days: table.or("max_days", default.max_days, days)?,
        max_share: table.or("max_share", default.max_share, share)?,
    })
}

fn read_judge(table: &mut Table<'_>) -> Read<Judge> {
    let default = Judge::default();
    let replays = |node: &Node<'_>| node.whole(1..=100, "a whole number from 1 to 100");
    let mechanisms = |node: &Node<'_>| node.distinct(|node| node.choice(Mechanism::NAMES));
    let texts = |node: &Node<'_>| node.distinct(Node::text);
    let markers = |node: &Node<'_>| node.distinct(|node| node.checked(marker_fault));
    Ok(Judge {
        replays: table.or("replays", default.replays, replays)?,
        require: table.or("require", default.require, mechanisms)?,
        power: table.or("power", default.power, |node| node.choice(Power::NAMES))?,
        secret_markers: table.or("secret_markers", default.secret_markers, markers)?,
        secret_allow: table.or("secret_allow", default.secret_allow, texts)?,
        public_signature: table
            .optional("public_signature", |node| node.command(Some(SIGNATURE)))?,
    })
}

/// What is wrong with a pattern that marks a secret.
fn marker_fault(text: &str) -> Option<&'static str> {
    match RegexBuilder::new(text).size_limit(MARKER_SIZE).build() {
        Err(_) => Some("a regular expression of moderate size"),
        Ok(regex) => regex
            .is_match(b"")
            .then_some("a pattern that the empty text does not match"),
    }
}

fn read_tier1(table: &mut Table<'_>) -> Read<Tier1> {
    let default = Tier1::default();
    let tier1 = Tier1 {
        command: table.or("command", default.command, |node| node.command(None))?,
        tool_budget_s: table.or("tool_budget_s", default.tool_budget_s, Node::budget)?,
        suite_runtime_s: table.optional("suite_runtime_s", Node::duration)?,
        margin: table.or("margin", default.margin, Node::margin)?,
        max_s: table.or("max_s", default.max_s, Node::budget)?,
    };
    table.within("tool_budget_s", tier1.tool_budget_s, tier1.max_s)?;
    Ok(tier1)
}

fn read_foreman(table: &mut Table<'_>) -> Read<Foreman> {
    let command = |node: &Node<'_>| {
        let command = node.command(Some(COMPLETE))?;
        match on_complete_fault(&command) {
            Some((at, expected)) => Err(node.elements()?[at].fault(expected)),
            None => Ok(command),
        }
    };
    Ok(Foreman {
        on_complete: table.or("on_complete", Vec::new(), command)?,
    })
}
