//! How does a decision read on a terminal of 80 columns, without colour?

use std::fmt::Write as _;

use crate::model::decision::{Decision, Detail, OrderEvidence, Outcome, Rules, VerdictEvidence};
use crate::model::path::visible;

const WIDTH: usize = 80;

/// A decision as text: the answer first, then each finding with what was read, what was
/// expected and what fixes it.
///
/// `admitted` is the word for an answer that nothing stands against: `admit`, or `agree` where
/// only the ledgers were asked about.
pub fn decision(decision: &Decision, admitted: &str) -> String {
    let mut out = headline(decision, admitted);
    for detail in &decision.details {
        out.push('\n');
        finding(&mut out, detail);
    }
    if !decision.held.is_empty() {
        let held: Vec<_> = decision.held.iter().map(|id| id.as_str()).collect();
        out.push('\n');
        fold(&mut out, "held: ", "      ", &format!("{}: frozen and failing", held.join(", ")));
    }
    if !decision.warnings.is_empty() {
        out.push('\n');
        decision.warnings.iter().for_each(|warning| fold(&mut out, "note: ", "      ", warning));
    }
    out
}

fn headline(decision: &Decision, admitted: &str) -> String {
    let (word, why) = match decision.decision {
        Outcome::Admit => (admitted, "nothing stands against it".to_owned()),
        Outcome::Hold => ("hold", "not mergeable before a person or a later trial says more".to_owned()),
        Outcome::Refuse => {
            let codes: Vec<_> = decision.refusals.iter().map(|code| code.as_str()).collect();
            ("refuse", codes.join(", "))
        }
    };
    let mut out = String::new();
    fold(&mut out, &format!("{word}: "), &" ".repeat(word.len() + 2), &why);
    if let (Some(tip), Rules::Full) = (decision.tip, decision.rules) {
        let base = decision.base.map_or_else(|| "no base".to_owned(), |base| base.short());
        let patch = decision.patch_commits.len();
        let _infallible =
            writeln!(out, "  {base}..{} with {patch} patch commit{}", tip.short(), plural(patch));
    }
    let _infallible = writeln!(
        out,
        "  scored {}, frozen {}, late {}, smoke {}",
        decision.scored, decision.frozen, decision.late, decision.smoke
    );
    if let Some(OrderEvidence::Topology) = decision.order_evidence {
        out.push_str("  order: by the commit graph");
        out.push_str(match decision.verdict_evidence {
            Some(VerdictEvidence::Itself) => "; scores: the word of whoever handed them in\n",
            None => "\n",
        });
    }
    out
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

fn finding(out: &mut String, detail: &Detail) {
    let title = format!("{} {} ({})", detail.code, detail.subject, detail.reason);
    fold(out, "", "  ", &title);
    let mut place = detail.path.clone().unwrap_or_default();
    if let Some(field) = &detail.field {
        place = if place.is_empty() { format!("field {field}") } else { format!("{place}, field {field}") };
    }
    if let Some(commit) = detail.commit {
        let separator = if place.is_empty() { "" } else { ", " };
        let _infallible = write!(place, "{separator}commit {}", commit.short());
    }
    for (label, text) in [("at", &place), ("read", &detail.observed), ("expected", &detail.expected)] {
        if !text.is_empty() {
            fold(out, &format!("  {label:<9} "), &" ".repeat(12), text);
        }
    }
    fix(out, &detail.fix);
}

/// A remedy: prose folded, commands one a line and never folded, so that they work as they stand.
fn fix(out: &mut String, fix: &str) {
    let fix = visible(fix);
    let at = if fix.starts_with("git ") { Some(0) } else { fix.find(": git ").map(|at| at + 2) };
    let Some(at) = at else { return fold(out, "  fix       ", &" ".repeat(12), &fix) };
    let commands: Vec<_> = fix[at..].split(" && ").collect();
    if let ([only], 0) = (commands.as_slice(), at) {
        out.push_str("  fix       ");
        out.push_str(only);
        return out.push('\n');
    }
    fold(out, "  fix       ", &" ".repeat(12), if at == 0 { "run" } else { &fix[..at - 1] });
    out.push_str("    ");
    out.push_str(&commands.join(" &&\n    "));
    out.push('\n');
}

/// Adds a text folded at 80 columns, the first line and the others with their own indents.
pub fn fold(out: &mut String, first: &str, other: &str, text: &str) {
    let options =
        textwrap::Options::new(WIDTH).initial_indent(first).subsequent_indent(other).break_words(false);
    for line in textwrap::wrap(&visible(text), options) {
        out.push_str(line.trim_end());
        out.push('\n');
    }
}
