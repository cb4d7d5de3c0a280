//! The phrases that the formats of a report share.

use crate::model::path::visible;
use crate::model::record::word;
use crate::model::report::{Answered, Finding, Lapse, Report, TrialSummary};
use crate::model::trial::{Enforced, Power};

/// Why the answer is what it is, to stand behind its word.
pub fn because(report: &Report) -> String {
    match report.decision {
        Answered::Admit => "nothing stands against it".to_owned(),
        Answered::Hold => "not mergeable before a person or a later trial says more".to_owned(),
        Answered::Refuse => report
            .refusals
            .iter()
            .map(|code| code.as_str())
            .collect::<Vec<_>>()
            .join(", "),
        Answered::Undecided => "nothing can be decided, and nothing is admitted".to_owned(),
    }
}

/// The range, and how many commits of it carry the patch.
pub fn range(report: &Report) -> Option<String> {
    let provenance = &report.provenance;
    let base = provenance
        .base
        .map_or_else(|| "no base".to_owned(), |base| base.short());
    let patch = counted(provenance.patch_commits.len(), "patch commit");
    Some(format!("{base}..{} with {patch}", provenance.head?.short()))
}

/// How many properties are where.
pub fn score(report: &Report) -> String {
    let score = report.score;
    let (scored, total, failed) = (score.scored, score.total, score.failed);
    let (frozen, late, smoke) = (score.frozen, score.late, score.smoke);
    format!(
        "scored {scored} of {total} properties: frozen {frozen}, late {late}, smoke {smoke}, failed {failed}"
    )
}

/// How many changes of ledgers and policy there are; nothing where none were compared.
pub fn changed(report: &Report) -> Option<String> {
    let changes = report.changes.as_ref()?;
    let (all, weakened) = (changes.changes.len(), changes.weakened);
    let counted = counted(all, "ledger change");
    Some(match (all, weakened) {
        (0, _) => "no ledger changes".to_owned(),
        (_, 0) => format!("{counted}, none weakens"),
        (_, 1) => format!("{counted}, 1 weakens"),
        _ => format!("{counted}, {weakened} weaken"),
    })
}

/// What shows that a property can fail.
pub fn power(power: Power) -> &'static str {
    match power {
        Power::BaseFail => "fails on base",
        Power::Witness => "fails on its witness",
        Power::Claimed => "claimed",
    }
}

/// When a freeze lapses.
pub fn when(lapse: &Lapse) -> String {
    match lapse.days_left {
        left if left < 0 => format!("{}, {} ago", lapse.last_day, counted_days(-left)),
        0 => format!("{}, today", lapse.last_day),
        left => format!("{}, in {}", lapse.last_day, counted_days(left)),
    }
}

/// What the score becomes without the rows that lapse.
pub fn then(lapse: &Lapse) -> String {
    let (scored, total) = (lapse.scored, lapse.total);
    match lapse.returns.len() {
        0 => format!("{scored} of {total} score"),
        _ => {
            let returns: Vec<_> = lapse.returns.iter().map(|id| id.as_str()).collect();
            format!("{scored} of {total} score, with {}", returns.join(", "))
        }
    }
}

/// What a day's end does, whatever the day.
pub const LAPSED: &str = "from the day after, a row refuses until it is removed";

/// What was enforced, and by which mechanism; for some checks the network was open.
pub fn enforced(enforced: &Enforced, online: &[String]) -> String {
    let open = if online.is_empty() {
        String::new()
    } else {
        format!(" (open for {})", online.join(", "))
    };
    format!(
        "network {}{open}, fixtures {}, processes {}, opened paths {}",
        word(&enforced.network),
        word(&enforced.fixtures),
        word(&enforced.kill),
        word(&enforced.trace),
    )
}

/// What was enforced in a trial, or that none was read.
pub fn enforcement(trials: &[TrialSummary]) -> String {
    match trials.first() {
        Some(trial) => enforced(&trial.enforced, &trial.online),
        None => "nothing: no recorded trial counts".to_owned(),
    }
}

/// A finding on one line: what it is about, what was read, expected, and the remedy.
pub fn sentence(finding: &Finding) -> String {
    if finding.answer == Answered::Undecided {
        return visible(&format!(
            "cannot decide: {}; remedy: {}",
            cut(&finding.observed),
            fix(finding)
        ));
    }
    let about = format!("{} ({})", finding.subject, finding.reason);
    let field = finding
        .field
        .as_ref()
        .map(|field| format!(", field {field}"))
        .unwrap_or_default();
    let commit = finding
        .commit
        .map(|commit| format!(", commit {}", commit.short()))
        .unwrap_or_default();
    let saw = match (finding.observed.as_str(), finding.expected.as_str()) {
        ("", "") => String::new(),
        ("", expected) => format!(": expected {}", cut(expected)),
        (observed, "") => format!(": read {}", cut(observed)),
        (observed, expected) => format!(": read {}, expected {}", cut(observed), cut(expected)),
    };
    visible(&format!(
        "{}{}{commit}{saw}; remedy: {}",
        cut(&about),
        cut(&field),
        fix(finding)
    ))
}

/// The fix, or where it can be read when it is too long: a command that is cut is another command.
pub fn fix(finding: &Finding) -> &str {
    const MOST: usize = 2000;
    if finding.fix.len() > MOST {
        "too long for this place: git reins report"
    } else {
        finding.fix.trim()
    }
}

/// A text of at most 300 characters.
pub fn cut(text: &str) -> String {
    const MOST: usize = 300;
    match text.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text.to_owned(),
    }
}

/// A number and a noun.
pub fn counted(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

fn counted_days(days: i64) -> String {
    format!("{days} day{}", if days == 1 { "" } else { "s" })
}
