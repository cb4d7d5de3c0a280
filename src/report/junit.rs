//! Writes a report as JUnit XML.
//!
//! A case for the decision, one for each rule of the gate and one for each property. Whatever is no
//! admission is a failure or an error of the first case at least.

use std::collections::BTreeMap;

use quick_junit::{NonSuccessKind, Report as Document, TestCase, TestCaseStatus, TestSuite};

use super::phrases::{because, score, sentence};
use crate::model::decision::Standing;
use crate::model::path::visible;
use crate::model::refusal::Code;
use crate::model::report::{Answered, Finding, Freeze, Property, Report, Rule};

/// A report as JUnit XML.
pub fn document(report: &Report) -> String {
    let mut document = Document::new("git-reins");
    document.add_test_suites([gate(report), properties(report)]);
    document
        .to_string()
        .expect("what is written to memory is written")
}

fn gate(report: &Report) -> TestSuite {
    let mut by_rule: BTreeMap<Rule, Vec<&Finding>> = BTreeMap::new();
    report
        .findings
        .iter()
        .for_each(|finding| by_rule.entry(finding.rule).or_default().push(finding));
    let mut suite = TestSuite::new("gate");
    suite.add_test_case(case("gate", "decision", decision(report)));
    for rule in Rule::all() {
        let status = match by_rule.get(&rule) {
            Some(findings) if rule == Rule::Code(Code::PolicyMissing) => {
                skipped(&sentence(findings[0]))
            }
            Some(findings) => found(findings),
            None if report.decision == Answered::Undecided => skipped("nothing could be decided"),
            None if rule == Rule::Code(Code::SecretSuspected) => {
                skipped("asked when verdicts are folded")
            }
            None => TestCaseStatus::success(),
        };
        suite.add_test_case(case("gate", rule.as_str(), status));
    }
    suite
}

fn decision(report: &Report) -> TestCaseStatus {
    if is_unpoliced(&report.findings) {
        return skipped(&because(report));
    }
    let mut status = match kind(report.decision) {
        None => return TestCaseStatus::success(),
        Some(kind) => TestCaseStatus::non_success(kind),
    };
    let answer = report.decision.as_str();
    status
        .set_type(answer)
        .set_message(xml(&format!("{answer}: {}", because(report))));
    let recompute = format!(
        "{}\nrecompute: {}",
        score(report),
        visible(&report.provenance.recompute)
    );
    status.set_description(lines(&recompute));
    status
}

/// Whether nothing was judged since there is no policy.
fn is_unpoliced(findings: &[Finding]) -> bool {
    findings
        .iter()
        .any(|finding| finding.rule == Rule::Code(Code::PolicyMissing))
}

fn kind(answer: Answered) -> Option<NonSuccessKind> {
    match answer {
        Answered::Admit => None,
        Answered::Hold | Answered::Refuse => Some(NonSuccessKind::Failure),
        Answered::Undecided => Some(NonSuccessKind::Error),
    }
}

/// The findings of one rule.
fn found(findings: &[&Finding]) -> TestCaseStatus {
    let worst = findings
        .iter()
        .map(|finding| finding.answer)
        .max()
        .unwrap_or(Answered::Undecided);
    let Some(kind) = kind(worst) else {
        return TestCaseStatus::success();
    };
    let mut status = TestCaseStatus::non_success(kind);
    let told: Vec<_> = findings.iter().map(|finding| sentence(finding)).collect();
    status
        .set_type(worst.as_str())
        .set_message(xml(&told[0]))
        .set_description(lines(&told.join("\n")));
    status
}

fn properties(report: &Report) -> TestSuite {
    let mut against: BTreeMap<&str, Vec<&Finding>> = BTreeMap::new();
    for finding in report
        .findings
        .iter()
        .filter(|one| one.answer != Answered::Hold)
    {
        against.entry(&finding.subject).or_default().push(finding);
    }
    let mut suite = TestSuite::new("properties");
    for property in &report.properties {
        let id = property.property_id.as_str();
        let status = against
            .get(id)
            .map_or_else(|| standing(property, report), |findings| found(findings));
        suite.add_test_case(case("property", id, status));
    }
    suite
}

/// A property that scores has to pass; one that left the score is skipped, with the reason.
fn standing(property: &Property, report: &Report) -> TestCaseStatus {
    let status = property.status.as_deref();
    let said = status
        .map(|status| format!(", says {status}"))
        .unwrap_or_default();
    match (property.state, status) {
        (Standing::Scored, Some("pass")) => TestCaseStatus::success(),
        (Standing::Scored, Some(status)) => {
            let mut failed = TestCaseStatus::non_success(NonSuccessKind::Failure);
            failed
                .set_type("refuse")
                .set_message(xml(&format!("read {status}, expected pass")));
            failed
        }
        (Standing::Scored, None) => skipped("no result was asked for: the range carries no patch"),
        (Standing::Frozen, _) => {
            let held = if report.held.contains(&property.property_id) {
                ", held"
            } else {
                ""
            };
            let rows: Vec<_> = property.freezes.iter().map(until).collect();
            skipped(&format!("frozen: {}{said}{held}", rows.join("; ")))
        }
        (Standing::Late, _) => skipped(&format!("late: it scores for the next patch{said}")),
        (Standing::Smoke, _) => skipped(&format!("smoke: it never scores{said}")),
    }
}

fn until(freeze: &Freeze) -> String {
    format!(
        "seed {} until {}, owner {}",
        freeze.seed, freeze.expires_at, freeze.owner
    )
}

fn skipped(message: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::skipped();
    status.set_message(xml(message));
    status
}

fn case(class: &str, name: &str, status: TestCaseStatus) -> TestCase {
    let mut case = TestCase::new(xml(name), status);
    case.set_classname(format!("git-reins.{class}"));
    case
}

/// A text on one line that every reader of XML 1.0 takes.
fn xml(text: &str) -> String {
    let plain = |c: char| {
        if matches!(c, '\u{fffe}' | '\u{ffff}') {
            '\u{fffd}'
        } else {
            c
        }
    };
    visible(text).chars().map(plain).collect()
}

/// Lines of our own making; readers differ about spaces around them.
fn lines(text: &str) -> String {
    text.lines()
        .map(xml)
        .collect::<Vec<_>>()
        .join("\n")
        .trim()
        .to_owned()
}
