//! Writes a report as a comment on a pull request.
//!
//! Whoever posts it finds the comment of the last run by its first line, and edits that one. Forges
//! refuse a long comment as a whole: every part has a budget, and says how much more there is.

use super::changes;
use super::markdown::{block, code, escaped};
use super::phrases::{LAPSED, because, changed, cut, enforcement, power, range, score, then, when};
use super::text::parted;
use crate::model::ids::CommitId;
use crate::model::path::visible;
use crate::model::record::word;
use crate::model::report::{Answered, Check, Finding, Freeze, Lapse, Property, Report};

/// The first line of every comment.
pub const MARKER: &str = "<!-- git-reins:v1 -->";

/// How many characters a comment has at most.
pub const MOST: usize = 60_000;

/// How many of them each part may take; together with the fixed texts less than [`MOST`].
mod budget {
    pub const FINDINGS: usize = 12_000;
    pub const FIXES: usize = 12_000;
    pub const FORECAST: usize = 4_000;
    pub const CHANGES: usize = 8_000;
    pub const PROPERTIES: usize = 5_000;
    pub const CHECKS: usize = 5_000;
    pub const WARNINGS: usize = 3_000;
    pub const PINS: usize = 4_000;
}

/// A report as Markdown, in the order in which a reviewer asks.
pub fn markdown(report: &Report) -> String {
    let mut out = format!("{MARKER}\n{}\n", headline(report));
    findings(&mut out, report);
    out.push_str(&format!("\n**{}**\n", escaped(&score(report))));
    forecast(&mut out, &report.forecast);
    changes(&mut out, report);
    warnings(&mut out, report);
    vector(&mut out, report);
    provenance(&mut out, report);
    out
}

fn headline(report: &Report) -> String {
    let mark = match report.decision {
        Answered::Admit => "✅",
        Answered::Hold => "⏸️",
        Answered::Refuse => "❌",
        Answered::Undecided => "⚠️",
    };
    let codes: Vec<_> = report
        .refusals
        .iter()
        .map(|one| code(one.as_str()))
        .collect();
    let why = if codes.is_empty() {
        escaped(&because(report))
    } else {
        codes.join(" ")
    };
    let range = range(report)
        .map(|range| format!("\n\n{}", escaped(&range)))
        .unwrap_or_default();
    format!(
        "### {mark} git reins: {}\n\n{why}{range}",
        report.decision.as_str()
    )
}

/// Adds what fits into a budget, and says how many more there are.
fn list(out: &mut String, parts: impl ExactSizeIterator<Item = String>, budget: usize) {
    let (mut left, count) = (budget, parts.len());
    for (at, part) in parts.enumerate() {
        let size = part.chars().count();
        if size > left {
            return out.push_str(&format!("\n{} more, see the artifact\n", count - at));
        }
        left -= size;
        out.push_str(&part);
    }
}

fn findings(out: &mut String, report: &Report) {
    if report.findings.is_empty() {
        return;
    }
    out.push_str("\n| code | what | read | expected | at |\n|---|---|---|---|---|\n");
    list(out, report.findings.iter().map(finding), budget::FINDINGS);
    out.push_str("\n**Fixes**\n");
    list(out, report.findings.iter().map(fix), budget::FIXES);
}

fn finding(finding: &Finding) -> String {
    let place = format!("{}:{}", finding.place.path, finding.place.line);
    let commit = finding
        .commit
        .map(|commit| format!(" {}", code(&commit.short())))
        .unwrap_or_default();
    let read_in = finding
        .path
        .as_ref()
        .filter(|path| **path != finding.place.path);
    let read_in = read_in
        .map(|path| format!(", read in {}", name(path)))
        .unwrap_or_default();
    let field = finding
        .field
        .as_ref()
        .map(|field| format!(" {}", name(field)))
        .unwrap_or_default();
    format!(
        "| {} | {} ({}){field} | {} | {} | {}{read_in}{commit} |\n",
        code(finding.rule.as_str()),
        name(&finding.subject),
        escaped(&finding.reason),
        escaped(&cut(&finding.observed)),
        escaped(&cut(&finding.expected)),
        name(&place),
    )
}

/// The one fix of a finding; what is to be typed stands by itself.
fn fix(finding: &Finding) -> String {
    let fix = visible(finding.fix.trim());
    let (prose, command) = parted(&fix);
    let prose = if prose.is_empty() { "run" } else { prose };
    let mut out = format!(
        "\n{} {}: {}\n",
        code(finding.rule.as_str()),
        name(&finding.subject),
        escaped(prose)
    );
    if !command.is_empty() {
        out.push('\n');
        out.push_str(&block(command));
    }
    out
}

/// A name as code, cut to a bearable length.
fn name(text: &str) -> String {
    code(&cut(text))
}

fn forecast(out: &mut String, lapses: &[Lapse]) {
    if lapses.is_empty() {
        return;
    }
    out.push_str(&format!("\nFreezes that lapse next: {LAPSED}.\n"));
    out.push_str("\n| last day | freeze | owner | removed, then |\n|---|---|---|---|\n");
    let rows: Vec<_> = lapses
        .iter()
        .flat_map(|lapse| lapse.freezes.iter().map(move |one| (lapse, one)))
        .collect();
    let row = |(lapse, one): &(&Lapse, &Freeze)| {
        let (when, then) = (escaped(&when(lapse)), escaped(&cut(&then(lapse))));
        format!(
            "| {when} | {} | {} | {then} |\n",
            name(&one.name()),
            escaped(&cut(&one.owner))
        )
    };
    list(out, rows.iter().map(row), budget::FORECAST);
}

/// Always there when something was compared: that nothing changed is an answer too.
fn changes(out: &mut String, report: &Report) {
    let (Some(title), Some(told)) = (changed(report), &report.changes) else {
        return;
    };
    out.push_str(&format!("\n**{}**\n", escaped(&title)));
    if !told.changes.is_empty() {
        out.push('\n');
        out.push_str(&changes::table(&told.changes, budget::CHANGES));
    }
}

fn warnings(out: &mut String, report: &Report) {
    if report.warnings.is_empty() {
        return;
    }
    out.push('\n');
    list(
        out,
        report
            .warnings
            .iter()
            .map(|text| format!("- {}\n", escaped(&cut(text)))),
        budget::WARNINGS,
    );
}

/// Every property and every run, folded away.
fn vector(out: &mut String, report: &Report) {
    if report.properties.is_empty() {
        return;
    }
    out.push_str("\n<details><summary>Check vector</summary>\n");
    out.push_str("\n| property | stands | result | power |\n|---|---|---|---|\n");
    list(
        out,
        report.properties.iter().map(property),
        budget::PROPERTIES,
    );
    if let Some(trial) = report.trials.first() {
        out.push_str("\n| check | of | seed | tree | outcome |\n|---|---|---|---|---|\n");
        list(out, trial.checks.iter().map(check), budget::CHECKS);
    }
    out.push_str("\n</details>\n");
}

fn property(property: &Property) -> String {
    let status = property
        .status
        .as_ref()
        .map_or_else(|| "none".to_owned(), |status| escaped(&cut(status)));
    let (id, state) = (code(property.property_id.as_str()), word(&property.state));
    format!(
        "| {id} | {state} | {status} | {} |\n",
        power(property.power)
    )
}

fn check(check: &Check) -> String {
    let property = check
        .property
        .as_ref()
        .map(|id| code(id.as_str()))
        .unwrap_or_default();
    let seed = check
        .seed
        .as_ref()
        .map(|seed| name(seed))
        .unwrap_or_default();
    let reason = check
        .reason
        .map(|reason| format!(" ({})", word(&reason)))
        .unwrap_or_default();
    let outcome = match check.class {
        Some(class) => format!("{}{reason}, {}", word(&check.outcome), code(&word(&class))),
        None => format!("{}{reason}", word(&check.outcome)),
    };
    format!(
        "| {} | {property} | {seed} | {} | {outcome} |\n",
        name(&check.id),
        word(&check.revision)
    )
}

fn provenance(out: &mut String, report: &Report) {
    let provenance = &report.provenance;
    out.push_str("\n<details><summary>Provenance</summary>\n\n| | |\n|---|---|\n");
    let id = |commit: Option<CommitId>| {
        commit.map_or_else(|| "none".to_owned(), |commit| code(&commit.to_string()))
    };
    let pins = provenance.files.iter().map(|file| {
        let digest = file
            .sha256
            .as_deref()
            .map_or_else(|| "absent".to_owned(), code);
        format!("| {} | {digest} |\n", name(&file.path))
    });
    let blob = provenance
        .blob
        .as_deref()
        .map_or_else(|| "none: no trial was read".to_owned(), code);
    for (label, text) in [
        ("tool", escaped(&provenance.tool)),
        ("base", id(provenance.base)),
        ("head", id(provenance.head)),
        ("blob", blob),
        ("enforced", escaped(&cut(&enforcement(&report.trials)))),
        (
            "trial",
            report
                .trials
                .first()
                .map_or_else(|| "none".to_owned(), |trial| name(&trial.path)),
        ),
        ("today", provenance.today.to_string()),
    ] {
        out.push_str(&format!("| {label} | {text} |\n"));
    }
    list(out, pins.collect::<Vec<_>>().into_iter(), budget::PINS);
    out.push_str("\n</details>\n\nRecompute:\n\n");
    out.push_str(&block(&recompute(&provenance.recompute)));
}

/// The command; one that is longer than any path is not for a comment.
fn recompute(command: &str) -> String {
    const LONGEST: usize = 3_000;
    if visible(command).chars().count() > LONGEST {
        "# too long, see the artifact".to_owned()
    } else {
        command.to_owned()
    }
}
