//! Writes a report for a terminal of 80 columns, without colour.

use std::fmt::Write as _;

use super::changes;
use super::phrases::{LAPSED, because, changed, enforcement, power, range, score, then, when};
use super::text::{TERMINAL, fold};
use crate::model::ids::CommitId;
use crate::model::path::visible;
use crate::model::record::word;
use crate::model::report::{Finding, Freeze, Property, Report};

/// A report as text, in the order in which a reviewer asks.
pub fn text(report: &Report) -> String {
    let mut out = String::new();
    let answer = report.decision.as_str();
    fold(
        &mut out,
        &format!("{answer}: "),
        &" ".repeat(answer.len() + 2),
        &because(report),
    );
    range(report)
        .iter()
        .for_each(|range| fold(&mut out, "  ", "  ", range));
    for finding in &report.findings {
        out.push('\n');
        self::finding(&mut out, finding);
    }
    scored(&mut out, report);
    forecast(&mut out, report);
    changes(&mut out, report);
    if !report.warnings.is_empty() {
        out.push('\n');
        report
            .warnings
            .iter()
            .for_each(|warning| fold(&mut out, "note: ", "      ", warning));
    }
    provenance(&mut out, report);
    out
}

fn finding(out: &mut String, finding: &Finding) {
    fold(
        out,
        "",
        "  ",
        &format!("{} {} ({})", finding.rule, finding.subject, finding.reason),
    );
    let mut place = format!("{}:{}", finding.place.path, finding.place.line);
    let read_in = finding
        .path
        .iter()
        .filter(|path| **path != finding.place.path);
    read_in.for_each(|path| place.push_str(&format!(", read in {path}")));
    finding
        .field
        .iter()
        .for_each(|field| place.push_str(&format!(", field {field}")));
    finding
        .commit
        .iter()
        .for_each(|commit| place.push_str(&format!(", commit {}", commit.short())));
    for (label, text) in [
        ("at", &place),
        ("read", &finding.observed),
        ("expected", &finding.expected),
    ] {
        if !text.is_empty() {
            fold(out, &format!("  {label:<9} "), &" ".repeat(12), text);
        }
    }
    TERMINAL.fix(out, &finding.fix);
}

fn scored(out: &mut String, report: &Report) {
    let _infallible = writeln!(out, "\n{}", score(report));
    for property in &report.properties {
        let status = property.status.as_deref().unwrap_or("no result");
        let note = format!(
            "{}: {}, {}{}",
            property.property_id,
            status,
            power(property.power),
            frozen(property)
        );
        fold(
            out,
            &format!("  {:<7} ", word(&property.state)),
            &" ".repeat(10),
            &note,
        );
    }
    if !report.held.is_empty() {
        let held: Vec<_> = report.held.iter().map(|id| id.as_str()).collect();
        fold(out, "  held: ", "        ", &held.join(", "));
    }
}

fn frozen(property: &Property) -> String {
    let one = |freeze: &Freeze| {
        format!(
            ", seed {} frozen until {} by {}",
            freeze.seed, freeze.expires_at, freeze.owner
        )
    };
    property.freezes.iter().map(one).collect()
}

fn forecast(out: &mut String, report: &Report) {
    if report.forecast.is_empty() {
        return;
    }
    out.push_str("\nfreezes that lapse next\n");
    for lapse in &report.forecast {
        let rows: Vec<_> = lapse
            .freezes
            .iter()
            .map(|one| format!("{} ({})", one.name(), one.owner))
            .collect();
        fold(
            out,
            "  ",
            "    ",
            &format!(
                "{}: {}; removed, {}",
                when(lapse),
                rows.join(", "),
                then(lapse)
            ),
        );
    }
    fold(out, "  ", "  ", LAPSED);
}

fn changes(out: &mut String, report: &Report) {
    let (Some(title), Some(told)) = (changed(report), &report.changes) else {
        return;
    };
    let _infallible = writeln!(out, "\n{title}");
    out.push_str(&changes::lines(&told.changes));
    told.notes
        .iter()
        .for_each(|note| fold(out, "note: ", "      ", note));
}

fn provenance(out: &mut String, report: &Report) {
    let provenance = &report.provenance;
    let id = |commit: Option<CommitId>| {
        commit.map_or_else(|| "none".to_owned(), |commit| commit.to_string())
    };
    out.push_str("\nprovenance\n");
    let mut line =
        |label: &str, text: &str| fold(out, &format!("  {label:<9} "), &" ".repeat(12), text);
    line("tool", &provenance.tool);
    line("base", &id(provenance.base));
    line("head", &id(provenance.head));
    line(
        "blob",
        provenance
            .blob
            .as_deref()
            .unwrap_or("none: no trial was read"),
    );
    for file in &provenance.files {
        line(
            "sha256",
            &format!(
                "{} {}",
                file.sha256.as_deref().unwrap_or("absent"),
                file.path
            ),
        );
    }
    line("enforced", &enforcement(&report.trials));
    line("today", &provenance.today.to_string());
    TERMINAL.command(out, "  recompute ", &visible(&provenance.recompute));
}
