//! Writes a report as GitHub workflow commands.
//!
//! GitHub keeps ten errors of a step and drops the others without a word: nine findings, and a line
//! that counts them all.

use super::phrases::{because, changed, counted, score, sentence};
use crate::model::path::visible;
use crate::model::report::{Answered, Finding, Report};

/// How many findings are shown.
const MOST: usize = 9;

/// A report as workflow commands, one a line.
pub fn commands(report: &Report) -> String {
    let mut out: String = report.findings.iter().take(MOST).map(command).collect();
    let left = report.findings.len().saturating_sub(MOST);
    let more = if left == 0 {
        String::new()
    } else {
        format!("; {left} more, see the artifact")
    };
    let found = counted(report.findings.len(), "finding");
    let changed = changed(report)
        .map(|changed| format!("; {changed}"))
        .unwrap_or_default();
    let text = format!(
        "{}: {} ({found}{more}); {}{changed}",
        report.decision.as_str(),
        because(report),
        score(report)
    );
    out.push_str(&format!(
        "::{} title=git reins::{}\n",
        level(report.decision),
        data(&text)
    ));
    out
}

fn command(finding: &Finding) -> String {
    format!(
        "::{} file={},line={},title={}::{}\n",
        level(finding.answer),
        property(&finding.place.path),
        finding.place.line,
        property(finding.rule.as_str()),
        data(&sentence(finding)),
    )
}

fn level(answer: Answered) -> &'static str {
    match answer {
        Answered::Admit => "notice",
        Answered::Hold => "warning",
        Answered::Refuse | Answered::Undecided => "error",
    }
}

/// A text as the message of a command.
fn data(text: &str) -> String {
    visible(text).replace('%', "%25") // line ends are no more: they are hidden characters
}

/// A text as the value of a property of a command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
