//! Judges oracle rows: independent, bound to bytes that are there, and cited from a text.

use super::facts::Facts;
use super::ledgers::{Findings, ledger_path};
use super::remedy::{APART, mend_row, restored};
use crate::ledger::file::LedgerName;
use crate::ledger::oracle::{OracleRow, PinnedFile, Source, observed_sees_diff};
use crate::model::decision::Detail;
use crate::model::ids::EntryState;
use crate::model::path::RepoPath;
use crate::model::refusal::Code;
use crate::policy::check::Kind;

/// Judges the rows at tip, one by one.
pub fn judge_rows(facts: &Facts) -> Findings {
    let mut found = Findings::default();
    let Some(ledger) = facts.tip.material.oracle.valid() else {
        return found;
    };
    for row in &ledger.oracles {
        judge_independence(facts, row, &mut found);
        judge_check(facts, row, &mut found);
        judge_source(facts, row, &mut found);
        judge_files(facts, row, &mut found);
        judge_witness(facts, row, &mut found);
    }
    found
}

fn about(facts: &Facts, row: &OracleRow, code: Code, reason: &'static str) -> Detail {
    Detail::new(code, reason, row.oracle_id.clone())
        .path(ledger_path(facts, LedgerName::Oracle))
        .commit(facts.tip.id)
}

fn judge_independence(facts: &Facts, row: &OracleRow, found: &mut Findings) {
    if row.scores() && !row.is_independent() {
        let detail = about(facts, row, Code::OracleNotIndependent, "sees-diff").field("sees_diff");
        found.add(
            detail
                .saw(observed_sees_diff(&row.sees_diff), "false")
                .fix(mend_row(
                    facts,
                    &row.oracle_id,
                    format!("git reins oracle clear {} --by NAME", row.oracle_id),
                )),
        );
    }
}

fn judge_check(facts: &Facts, row: &OracleRow, found: &mut Findings) {
    let declared: Vec<_> = facts
        .policy
        .checks
        .iter()
        .filter(|check| check.kind == Kind::Property)
        .collect();
    let names: Vec<_> = declared.iter().map(|check| check.id.as_str()).collect();
    let observed = match &row.check {
        Some(named) if names.contains(&named.as_str()) => return,
        Some(named) => format!("{named:?}"),
        None if names.len() < 2 => return,
        None => "absent".to_owned(),
    };
    let detail = about(facts, row, Code::LedgerInvalid, "unknown-check").field("check");
    found.add(
        detail
            .saw(
                observed,
                format!(
                    "a property check that the policy declares: {}",
                    listed(&names)
                ),
            )
            .fix(mend_row(
                facts,
                &row.oracle_id,
                format!("git reins oracle edit {} --check ID", row.oracle_id),
            )),
    );
}

fn listed(names: &[&str]) -> String {
    if names.is_empty() {
        "it declares none".to_owned()
    } else {
        names.join(", ")
    }
}

fn judge_source(facts: &Facts, row: &OracleRow, found: &mut Findings) {
    let (path, anchor) = match row.source() {
        Source::Text { path, anchor } => (path, anchor),
        Source::Elsewhere(place) => {
            return found.warn(format!(
                "{}: source {place} is recorded, not verified",
                row.oracle_id
            ));
        }
        Source::Malformed(_) => return, // strict reading has refused it
    };
    let expected = if !covered(&facts.policy.paths.specs, path) {
        format!(
            "a file under paths.specs ({})",
            prefixes(&facts.policy.paths.specs)
        )
    } else if !facts
        .tip
        .material
        .specs
        .get(path)
        .is_some_and(EntryState::is_usual_file)
    {
        "a file that is there at tip".to_owned()
    } else if !facts
        .tip
        .headings
        .get(path)
        .is_some_and(|headings| headings.contains(anchor))
    {
        format!("a heading of {path}")
    } else {
        return;
    };
    let detail = about(facts, row, Code::LedgerInvalid, "source-not-found").field("source");
    found.add(detail.saw(row.source.clone(), expected).fix(mend_row(
        facts,
        &row.oracle_id,
        format!(
            "git reins oracle edit {} --source PATH#HEADING",
            row.oracle_id
        ),
    )));
}

fn judge_files(facts: &Facts, row: &OracleRow, found: &mut Findings) {
    if row.property_files.is_empty() && row.scores() {
        let detail = about(facts, row, Code::OracleNotIndependent, "property-unpinned");
        found.add(
            detail
                .field("property_files")
                .saw(
                    "no file",
                    "the file that holds the property, with its digest",
                )
                .fix(mend_row(
                    facts,
                    &row.oracle_id,
                    format!("git reins oracle edit {} --file PATH", row.oracle_id),
                )),
        );
    }
    for file in &row.property_files {
        let Some((reason, observed, expected)) = file_fault(facts, file) else {
            continue;
        };
        if row.scores() {
            let detail =
                about(facts, row, Code::OracleNotIndependent, reason).field("property_files");
            let detail = detail.saw(format!("{}: {observed}", file.path), expected);
            found.add(detail.fix(restore_or_pin(facts, row, &file.path)));
        } else {
            found.warn(format!(
                "{} (smoke): {}: {observed}, expected {expected}",
                row.oracle_id, file.path
            ));
        }
    }
}

/// Beside a patch the file goes back to what base holds; otherwise the row is pinned anew, or goes
/// when its file is gone.
fn restore_or_pin(facts: &Facts, row: &OracleRow, path: &str) -> String {
    let base = facts
        .bases
        .iter()
        .find(|base| base.material.properties.contains_key(path));
    match base.filter(|_| facts.has_patch()) {
        Some(base) => restored(APART, &base.id.short(), &[path]),
        None => {
            let is_there = facts.tip.material.properties.contains_key(path);
            let edit = if is_there { "pin" } else { "rm" };
            mend_row(
                facts,
                &row.oracle_id,
                format!("git reins oracle {edit} {}", row.oracle_id),
            )
        }
    }
}

fn file_fault(facts: &Facts, file: &PinnedFile) -> Option<(&'static str, String, String)> {
    if !covered(&facts.policy.paths.properties, &file.path) {
        let prefixes = prefixes(&facts.policy.paths.properties);
        let expected = format!("a file under paths.properties ({prefixes})");
        return Some((
            "property-unpinned",
            "outside the property paths".to_owned(),
            expected,
        ));
    }
    let Some(entry) = facts.tip.material.properties.get(&file.path) else {
        return Some((
            "property-changed",
            "no such file".to_owned(),
            format!("sha256 {}", file.sha256),
        ));
    };
    if !entry.is_usual_file() {
        return Some((
            "property-unpinned",
            entry.kind().to_owned(),
            "a regular file".to_owned(),
        ));
    }
    let bytes = facts.tip.files.get(&file.path)?;
    if let Some(attribute) = &bytes.changed_by {
        let expected = "bytes that no attribute changes on the way to disk".to_owned();
        return Some(("property-unpinned", attribute.clone(), expected));
    }
    let observed = bytes
        .sha256
        .map(|digest| digest.to_string())
        .unwrap_or_default();
    let changed = observed != file.sha256;
    changed.then(|| {
        (
            "property-changed",
            format!("sha256 {observed}"),
            format!("sha256 {}", file.sha256),
        )
    })
}

fn judge_witness(facts: &Facts, row: &OracleRow, found: &mut Findings) {
    let Some(patch) = &row.witness_patch else {
        return;
    };
    let place = format!(
        "{}/witness/{}.diff",
        facts.policy.paths.ledger, row.oracle_id
    );
    let digest = facts
        .tip
        .files
        .get(&patch.path)
        .and_then(|bytes| bytes.sha256);
    let observed = match digest {
        _ if patch.path != place => patch.path.clone(),
        None => format!("{}: no such file", patch.path),
        Some(digest) if digest.to_string() != patch.sha256 => {
            format!("{}: sha256 {digest}", patch.path)
        }
        Some(_) => return,
    };
    let detail = about(facts, row, Code::LedgerInvalid, "witness-patch").field("witness_patch");
    found.add(
        detail
            .saw(observed, format!("{place} with sha256 {}", patch.sha256))
            .fix(mend_row(
                facts,
                &row.oracle_id,
                format!("git reins oracle pin {}", row.oracle_id),
            )),
    );
}

/// Whether one of the prefixes covers the path.
pub fn covered(prefixes: &[RepoPath], path: &str) -> bool {
    prefixes.iter().any(|prefix| prefix.covers(path))
}

fn prefixes(prefixes: &[RepoPath]) -> String {
    let names: Vec<_> = prefixes.iter().map(RepoPath::as_str).collect();
    if names.is_empty() {
        "the policy names none".to_owned()
    } else {
        names.join(", ")
    }
}
