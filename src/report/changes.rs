//! Writes changes of the ledgers and of the policy, what is weaker first.

use std::fmt::Write as _;

use super::log;
use super::markdown::{code, escaped};
use crate::model::change::{
    Area, Change, Changes, Kind, Maker, Order, Piece, Reason, Side, Unchanged,
};
use crate::model::path::{shown, visible};

/// So many commits are named as the makers of a change.
const MAKERS: usize = 3;

/// An edited text is shown with so many characters around what differs, and no piece is longer.
const AROUND: usize = 40;
const LONGEST: usize = 200;

/// A row of a table holds no more characters; one with more is told in brief, names cut to these.
const ROW: usize = 2_000;
const NAME: usize = 60;

/// A comment on a forge holds no more characters; 65,536 is where GitHub cuts.
const COMMENT: usize = 60_000;

/// Changes as text of 80 columns: what was compared, each change, what is the same.
pub fn text(changes: &Changes) -> String {
    let mut out = headline(changes) + "\n";
    let _infallible = writeln!(out, "  {}", span(changes));
    if !changes.changes.is_empty() {
        out.push('\n');
    }
    out.push_str(&lines(&changes.changes));
    fold(
        &mut out,
        "= unchanged ",
        "    ",
        &counted(&changes.unchanged),
    );
    for note in &changes.notes {
        fold(&mut out, "note: ", "      ", &shown(note));
    }
    if let Some(command) = recompute(changes) {
        let _infallible = writeln!(out, "recompute: {command}");
    }
    out
}

/// The command that says it again; one range has one base.
fn recompute(changes: &Changes) -> Option<String> {
    let [base] = changes.bases.as_slice() else {
        return None;
    };
    Some(format!(
        "git reins diff {}..{}",
        base.short(),
        changes.tip.short()
    ))
}

/// Folds at 80 columns, never within a name.
fn fold(out: &mut String, first: &str, other: &str, text: &str) {
    let options = textwrap::Options::new(80)
        .initial_indent(first)
        .subsequent_indent(other)
        .word_splitter(textwrap::WordSplitter::NoHyphenation)
        .break_words(false);
    for line in textwrap::wrap(&visible(text), options) {
        out.push_str(&log::prose(line.trim_end()));
        out.push('\n');
    }
}

/// The changes alone, a folded paragraph each; for a text that tells more than that.
pub fn lines(changes: &[Change]) -> String {
    let mut out = String::new();
    for change in changes {
        let first = format!("{} {:<10} ", sign(change), change.area.word());
        fold(&mut out, &first, &" ".repeat(4), &said(change));
        if !change.words.is_empty() {
            fold(&mut out, "    ", "    ", &plain_words(&change.words));
        }
    }
    out
}

/// Changes as Markdown for a comment, bounded, with nothing in it that a forge acts on.
pub fn markdown(changes: &Changes) -> String {
    let weakened = if changes.weakened > 0 { "**" } else { "" };
    let mut out = format!(
        "### Ledger changes\n\n{weakened}{}{weakened}\n\n",
        headline(changes)
    );
    let _infallible = writeln!(out, "`{}`\n", span(changes));
    let mut tail = format!("\nUnchanged: {}.\n", counted(&changes.unchanged));
    for note in changes.notes.iter().take(MAKERS) {
        let _infallible = writeln!(tail, "\nNote: {}", escaped(&shown(note)));
    }
    tail.extend(recompute(changes).map(|command| format!("\nRecompute: `{command}`\n")));
    let room = COMMENT.saturating_sub(out.chars().count() + tail.chars().count());
    out + &table(&changes.changes, room) + &tail
}

/// The changes as a Markdown table of at most so many characters; nothing where there are none.
///
/// What has no room is counted in a line below it.
pub fn table(changes: &[Change], most: usize) -> String {
    if changes.is_empty() {
        return String::new();
    }
    let mut out = "| | where | what |\n|---|---|---|\n".to_owned();
    let more = |left: usize| format!("\n{left} more: `git reins diff` shows all of them.\n");
    let (mut room, mut shown) = (
        most.saturating_sub(out.len() + more(changes.len()).len()),
        0,
    );
    for change in changes {
        let row = Some(row(change))
            .filter(|row| row.chars().count() <= ROW)
            .unwrap_or_else(|| brief(change));
        let length = row.chars().count();
        if length > room {
            break;
        }
        room -= length;
        shown += 1;
        out.push_str(&row);
    }
    if shown < changes.len() {
        out.push_str(&more(changes.len() - shown));
    }
    out
}

/// A row with nothing of what its change says at length, so that none takes the room of the others.
fn brief(change: &Change) -> String {
    let name = |text: &str| shown(&ends(text, NAME, 0));
    let field = change
        .field
        .as_ref()
        .map(|field| format!(" {}", name(field)))
        .unwrap_or_default();
    let what = format!(
        "{}{field}: {}, too long for this place",
        name(&change.row),
        phrase(change)
    );
    format!(
        "| {} | {} | {} |\n",
        label(change),
        code(change.area.word()),
        escaped(&what)
    )
}

fn label(change: &Change) -> &'static str {
    match sign(change) {
        '!' => ":warning:",
        '+' => "added",
        '-' => "removed",
        _ => "changed",
    }
}

fn row(change: &Change) -> String {
    let mut what = escaped(&said(change));
    if !change.words.is_empty() {
        what.push_str("<br>");
        what.push_str(&marked_words(&change.words));
    }
    format!(
        "| {} | {} | {what} |\n",
        label(change),
        code(change.area.word())
    )
}

fn headline(changes: &Changes) -> String {
    let (all, weakened) = (changes.changes.len(), changes.weakened);
    match (all, weakened) {
        (0, _) => "nothing changed in meaning".to_owned(),
        (1, 0) => "1 change, it weakens nothing".to_owned(),
        (_, 0) => format!("{all} changes, none weakens"),
        (1, _) => "weakened: the only change".to_owned(),
        _ => format!("weakened: {weakened} of {all} changes"),
    }
}

fn span(changes: &Changes) -> String {
    let bases: Vec<_> = changes.bases.iter().map(|base| base.short()).collect();
    let patch = changes.patch_commits.len();
    let plural = if patch == 1 { "" } else { "s" };
    format!(
        "{}..{} with {patch} patch commit{plural}",
        bases.join(", "),
        changes.tip.short()
    )
}

fn counted(unchanged: &Unchanged) -> String {
    let Unchanged {
        policy,
        oracle,
        freezes,
        fixture,
        properties,
    } = unchanged;
    let one =
        |count: &usize, what: &str| format!("{count} {what}{}", if *count == 1 { "" } else { "s" });
    [
        one(oracle, "oracle row"),
        one(freezes, "freeze"),
        one(fixture, "fixture file"),
        one(properties, "property file"),
        one(policy, "setting"),
    ]
    .join(", ")
}

fn sign(change: &Change) -> char {
    match (change.weakening, change.kind) {
        (true, _) => '!',
        (false, Kind::Added) => '+',
        (false, Kind::Removed) => '-',
        (false, Kind::Changed) => '~',
    }
}

/// One change in words, without the view of an edited text.
fn said(change: &Change) -> String {
    let mut out = shown(&change.row);
    if let Some(field) = &change.field {
        let _infallible = write!(out, " {}", shown(field));
    }
    out.push_str(": ");
    out.push_str(phrase(change));
    if let Some(states) = states(change) {
        out.push_str(", ");
        out.push_str(&states);
    }
    out.push_str(&asides(change));
    out
}

/// What it means; a setting that is not a text is told as more or less of it.
fn phrase(change: &Change) -> &'static str {
    match (change.area, change.kind, change.reason) {
        (Area::Oracle, Kind::Removed, Reason::RowRemoved) => "property removed",
        (Area::Freezes, Kind::Removed, Reason::RowRemoved) => "freeze removed",
        (Area::Policy, Kind::Removed, Reason::RowRemoved) => "check removed",
        (Area::Properties, Kind::Added, _) if change.weakening => {
            "a file came that is no new property, and others may load it"
        }
        (_, _, reason) => reason.phrase(),
    }
}

/// What stood and what stands there; an edited text is shown below instead.
fn states(change: &Change) -> Option<String> {
    if !change.words.is_empty() {
        return None;
    }
    match (&change.before, &change.after) {
        (None, None) => None,
        (Some(before), None) if change.kind == Kind::Changed => {
            Some(format!("{} -> none", state(before)))
        }
        (None, Some(after)) if change.kind == Kind::Changed => {
            Some(format!("none -> {}", state(after)))
        }
        (Some(only), None) | (None, Some(only)) => Some(state(only)),
        (Some(before), Some(after)) => Some(apart(before, after)),
    }
}

/// Two states that read differently although each is cut.
fn apart(before: &str, after: &str) -> String {
    let brief = (state(before), state(after));
    let (old, new) = if brief.0 == brief.1 {
        (shown(before), shown(after))
    } else {
        brief
    };
    let beyond = if old == new {
        " (they differ further on)"
    } else {
        ""
    };
    format!("{old} -> {new}{beyond}")
}

/// A state on one line: the elements of a list beside each other, digests by their beginning.
fn state(text: &str) -> String {
    let mut out = String::new();
    for (at, line) in text.split('\n').enumerate() {
        out.push_str(if at > 0 { ", " } else { "" });
        for part in line.split_inclusive(|c: char| !c.is_ascii_hexdigit()) {
            let digits = part.trim_end_matches(|c: char| !c.is_ascii_hexdigit());
            match digits.len() >= 40 {
                true => out.extend([&digits[..10], "..", &part[digits.len()..]]),
                false => out.push_str(part),
            }
        }
    }
    shown(&out)
}

/// Days, who, which commit, and where it stands with respect to the patch.
fn asides(change: &Change) -> String {
    let mut out = String::new();
    let days = change
        .days
        .map(|days| format!("{days:+} day{}", if days.abs() == 1 { "" } else { "s" }));
    let extension = change
        .extension
        .map(|times| format!("{} extension", ordinal(times)));
    let measured: Vec<_> = days.into_iter().chain(extension).collect();
    if !measured.is_empty() {
        let _infallible = write!(out, " ({})", measured.join(", "));
    }
    if let Some(by) = &change.cleared_by {
        let _infallible = write!(out, ", cleared by {}", shown(by));
    } else if change.reason == Reason::SeesDiffCleared {
        out.push_str(", cleared by nobody named");
    }
    if !change.made_by.is_empty() {
        let _infallible = write!(out, "; in {}", made_by(&change.made_by));
    }
    match (change.order, change.patch_commit) {
        (Some(Order::BeforeEveryPatch), _) => out.push_str(", before every patch commit"),
        (Some(Order::NotBeforePatch), Some(patch)) => {
            let _infallible = write!(out, ", not before patch commit {}", patch.short());
        }
        (Some(Order::NotBeforePatch), None) => out.push_str(", not before every patch commit"),
        (None, _) => {}
    }
    out
}

fn made_by(makers: &[Maker]) -> String {
    let one = |maker: &Maker| match maker.author.as_str() {
        "" => maker.commit.short(),
        author => format!("{} ({})", maker.commit.short(), shown(author)),
    };
    let mut named: Vec<_> = makers.iter().take(MAKERS).map(one).collect();
    if makers.len() > MAKERS {
        named.push(format!("{} more", makers.len() - MAKERS));
    }
    named.join(", ")
}

fn ordinal(number: usize) -> String {
    let ending = match (number % 10, number % 100) {
        (1, 1..=10 | 12..) => "st",
        (2, 0..=11 | 13..) => "nd",
        (3, 0..=12 | 14..) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

/// An edited text as git shows words: `[-old-]{+new+}`.
fn plain_words(words: &[Piece]) -> String {
    told_words(words, |side, text| match side {
        Side::Both => visible(text),
        Side::Before => format!("[-{}-]", visible(text)),
        Side::After => format!("{{+{}+}}", visible(text)),
    })
}

/// The same with the marks that forges render.
fn marked_words(words: &[Piece]) -> String {
    told_words(words, |side, text| match side {
        Side::Both => escaped(text),
        Side::Before => format!("<del>{}</del>", escaped(text)),
        Side::After => format!("<ins>{}</ins>", escaped(text)),
    })
}

/// The pieces with what they share cut to what stands around a difference, up to a bounded length.
fn told_words(words: &[Piece], told: impl Fn(Side, &str) -> String) -> String {
    const PIECES: usize = 40;
    let mut out = String::new();
    for (at, Piece { side, text }) in words.iter().take(PIECES).enumerate() {
        let cut = match side {
            Side::Both => around(text, at > 0, at + 1 < words.len()),
            Side::Before | Side::After => ends(text, LONGEST, 0),
        };
        out.push_str(&told(*side, &cut));
    }
    if words.len() > PIECES {
        out.push_str(" ...");
    }
    out
}

/// What both sides share, as far as it stands beside a difference.
fn around(text: &str, follows: bool, leads: bool) -> String {
    match (follows, leads) {
        (true, true) => ends(text, AROUND, AROUND),
        (true, false) => ends(text, AROUND, 0),
        (false, _) => ends(text, 0, AROUND),
    }
}

/// The first and the last characters of a text, with a mark where something is left out.
fn ends(text: &str, first: usize, last: usize) -> String {
    let length = text.chars().count();
    if length <= first + last + 3 {
        return text.to_owned();
    }
    let head: String = text.chars().take(first).collect();
    let tail: String = text.chars().skip(length - last).collect();
    format!("{head}...{tail}")
}

#[cfg(test)]
mod tests;
