//! Writes a decision for a terminal of 80 columns, without colour, and a finding for any width.

use std::fmt::Write as _;

use super::{log, phrases};
use crate::model::decision::{Decision, Detail, OrderEvidence, Outcome, Rules, VerdictEvidence};
use crate::model::path::visible;
use crate::model::trial::Power;

const WIDTH: usize = 80;

/// How wide lines may get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sheet {
    /// Columns.
    pub width: usize,
    /// Whether what is longer than a line is broken too, commands with the shell's own mark.
    pub is_strict: bool,
}

/// A terminal of 80 columns, where a command is left whole.
pub const TERMINAL: Sheet = Sheet {
    width: WIDTH,
    is_strict: false,
};

/// A decision as text: the answer first, then each finding with what was read, what was
/// expected and what fixes it.
///
/// `admitted` is the word for an answer that nothing stands against: `admit`, or `agree` where
/// only the ledgers were asked about.
pub fn decision(decision: &Decision, admitted: &str) -> String {
    let mut out = headline(decision, admitted);
    for detail in &decision.details {
        out.push('\n');
        TERMINAL.finding(&mut out, detail);
    }
    if !decision.held.is_empty() {
        let held: Vec<_> = decision.held.iter().map(|id| id.as_str()).collect();
        out.push('\n');
        fold(
            &mut out,
            "held: ",
            "      ",
            &format!("{}: frozen and failing", held.join(", ")),
        );
    }
    if !decision.warnings.is_empty() {
        out.push('\n');
        decision
            .warnings
            .iter()
            .for_each(|warning| fold(&mut out, "note: ", "      ", warning));
    }
    out
}

fn headline(decision: &Decision, admitted: &str) -> String {
    let (word, why) = match decision.decision {
        Outcome::Admit => (admitted, "nothing stands against it".to_owned()),
        Outcome::Hold => (
            "hold",
            "not mergeable before a person or a later trial says more".to_owned(),
        ),
        Outcome::Refuse => {
            let codes: Vec<_> = decision.refusals.iter().map(|code| code.as_str()).collect();
            ("refuse", codes.join(", "))
        }
    };
    let mut out = String::new();
    fold(
        &mut out,
        &format!("{word}: "),
        &" ".repeat(word.len() + 2),
        &why,
    );
    if let (Some(tip), Rules::Full) = (decision.tip, decision.rules) {
        let base = decision
            .base
            .map_or_else(|| "no base".to_owned(), |base| base.short());
        let patch = decision.patch_commits.len();
        let _infallible = writeln!(
            out,
            "  {base}..{} with {patch} patch commit{}",
            tip.short(),
            plural(patch)
        );
    }
    let _infallible = writeln!(
        out,
        "  scored {}, frozen {}, late {}, smoke {}",
        decision.scored, decision.frozen, decision.late, decision.smoke
    );
    if let Some(OrderEvidence::Topology) = decision.order_evidence {
        out.push_str("  order: by the commit graph");
        out.push_str(match decision.verdict_evidence {
            Some(VerdictEvidence::Itself) if decision.blob.is_some() => {
                "; scores: the recorded trial, the word of whoever committed it\n"
            }
            Some(VerdictEvidence::Itself) => "; scores: the word of whoever handed them in\n",
            Some(VerdictEvidence::Rerun) => "; scores: a trial that was run just now\n",
            None => "\n",
        });
    }
    power(&mut out, decision);
    out
}

/// What shows that the properties with a result can fail at all, the best evidence first.
fn power(out: &mut String, decision: &Decision) {
    let of = |wanted: &Power| {
        let mine = decision
            .properties
            .iter()
            .filter(|one| one.status.is_some() && one.power == *wanted);
        let ids: Vec<_> = mine.map(|one| one.property_id.as_str()).collect();
        (!ids.is_empty()).then(|| format!("{}: {}", phrases::power(*wanted), ids.join(", ")))
    };
    let told: Vec<_> = Power::ALL.iter().filter_map(of).collect();
    if !told.is_empty() {
        fold(out, "  power: ", "    ", &told.join("; "));
    }
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

impl Sheet {
    /// Adds a finding: what was read, what was expected, what fixes it.
    pub fn finding(self, out: &mut String, detail: &Detail) {
        let title = format!("{} {} ({})", detail.code, detail.subject, detail.reason);
        self.fold(out, "", "  ", &title);
        let mut place = detail.path.clone().unwrap_or_default();
        if let Some(field) = &detail.field {
            place = if place.is_empty() {
                format!("field {field}")
            } else {
                format!("{place}, field {field}")
            };
        }
        if let Some(commit) = detail.commit {
            let separator = if place.is_empty() { "" } else { ", " };
            let _infallible = write!(place, "{separator}commit {}", commit.short());
        }
        for (label, text) in [
            ("at", &place),
            ("read", &detail.observed),
            ("expected", &detail.expected),
        ] {
            if !text.is_empty() {
                self.fold(out, &format!("  {label:<9} "), &" ".repeat(12), text);
            }
        }
        self.fix(out, &detail.fix);
    }

    /// A remedy: prose folded, commands one a line, so that they work as they stand.
    pub fn fix(self, out: &mut String, fix: &str) {
        let fix = visible(fix);
        let (prose, command) = parted(&fix);
        if command.is_empty() {
            return self.fold(out, "  fix       ", &" ".repeat(12), prose);
        }
        let commands: Vec<_> = command.split(" && ").collect();
        if let ([only], "") = (commands.as_slice(), prose) {
            return self.command(out, "  fix       ", only);
        }
        self.fold(
            out,
            "  fix       ",
            &" ".repeat(12),
            if prose.is_empty() { "run" } else { prose },
        );
        for (at, command) in commands.iter().enumerate() {
            let and = if at + 1 < commands.len() { " &&" } else { "" };
            self.command(out, "    ", &format!("{command}{and}"));
        }
    }

    /// A command that works as it stands. On a strict sheet a long one goes on after a backslash,
    /// which the shell takes away with the end of the line.
    pub fn command(self, out: &mut String, first: &str, command: &str) {
        let command = &*log::command(command);
        if !self.is_strict {
            out.push_str(first);
            out.push_str(command);
            return out.push('\n');
        }
        let indent = " ".repeat(first.len() + 2);
        let mut line = first.to_owned();
        for (at, word) in shell_words(command).into_iter().enumerate() {
            if at > 0 && line.len() + 1 + word.len() + " \\".len() > self.width {
                out.push_str(&line);
                out.push_str(" \\\n");
                line.clone_from(&indent);
            } else if at > 0 {
                line.push(' ');
            }
            self.word(out, &mut line, word);
        }
        out.push_str(&line);
        out.push('\n');
    }

    /// Adds one word of a command to a line, broken where it is longer than that.
    fn word(self, out: &mut String, line: &mut String, word: &str) {
        let mut is_quoted = false;
        for c in word.chars() {
            if line.len() + c.len_utf8() + "'\\".len() > self.width && line.len() > 1 {
                line.push_str(if is_quoted { "'\\\n" } else { "\\\n" });
                out.push_str(line);
                line.clear();
                line.push_str(if is_quoted { "'" } else { "" });
            }
            is_quoted ^= c == '\'';
            line.push(c);
        }
    }

    /// Adds a folded text, the first line and the others with their own indents.
    pub fn fold(self, out: &mut String, first: &str, other: &str, text: &str) {
        let options = textwrap::Options::new(self.width)
            .initial_indent(first)
            .subsequent_indent(other)
            .break_words(self.is_strict);
        let options = match self.is_strict {
            true => options.word_splitter(textwrap::WordSplitter::NoHyphenation),
            false => options,
        };
        for line in textwrap::wrap(&visible(text), options) {
            out.push_str(&log::prose(line.trim_end()));
            out.push('\n');
        }
    }
}

/// A remedy taken apart: prose, and the command that it ends with; either may be empty.
pub fn parted(fix: &str) -> (&str, &str) {
    if fix.starts_with("git ") {
        return ("", fix);
    }
    let command = |start: &&str| fix.find(&format!(": {start} ")).map(|at| at + 2);
    match ["git", "mv", "ls"].iter().filter_map(command).min() {
        Some(at) => (&fix[..at - 1], &fix[at..]),
        None => (fix, ""),
    }
}

/// A command taken apart between its words, quotes left as they are.
fn shell_words(command: &str) -> Vec<&str> {
    let (mut words, mut start, mut is_quoted) = (Vec::new(), 0, false);
    for (at, c) in command.char_indices() {
        is_quoted ^= c == '\'';
        if c == ' ' && !is_quoted {
            words.push(&command[start..at]);
            start = at + 1;
        }
    }
    words.push(&command[start..]);
    words
}

/// Adds a text folded at 80 columns, the first line and the others with their own indents.
pub fn fold(out: &mut String, first: &str, other: &str, text: &str) {
    TERMINAL.fold(out, first, other, text);
}
