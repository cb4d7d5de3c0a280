//! Writes a report as GitLab code quality.

use serde::Serialize;

use super::json::print;
use super::phrases::sentence;
use crate::model::path::visible;
use crate::model::report::{Answered, Finding, Report};

#[derive(Serialize)]
struct Issue<'a> {
    description: String,
    check_name: &'static str,
    fingerprint: &'a str,
    severity: &'static str,
    location: Location,
}

#[derive(Serialize)]
struct Location {
    path: String,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: usize,
}

/// A report as a list of issues: an empty one when nothing stands against the candidate, so that
/// old findings are cleared.
pub fn issues(report: &Report) -> String {
    print(&report.findings.iter().map(issue).collect::<Vec<_>>())
}

fn issue(finding: &Finding) -> Issue<'_> {
    let check_name = finding.rule.as_str();
    Issue {
        description: format!("{check_name} {}", sentence(finding)),
        check_name,
        fingerprint: &finding.fingerprint,
        severity: match finding.answer {
            Answered::Admit => "info",
            Answered::Hold => "major",
            Answered::Refuse | Answered::Undecided => "blocker",
        },
        location: Location {
            path: visible(&finding.place.path),
            lines: Lines {
                begin: finding.place.line,
            },
        },
    }
}
