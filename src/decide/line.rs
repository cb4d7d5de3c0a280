//! Judges how a range stands to the protected lines: the base, other lines, the first policy.

use super::facts::{Facts, LineFacts};
use super::ledgers::Findings;
use crate::model::decision::Detail;
use crate::model::path::shown;
use crate::model::refusal::Code;
use crate::policy::POLICY_PATH;

/// Judges the line that the candidate would land on.
pub(super) fn judge(facts: &Facts) -> Findings {
    let mut found = Findings::default();
    let line = &facts.line;
    if line.is_adoption {
        found.add(adoption(facts));
    }
    found.details.extend(unlanded_base(line));
    if line.is_guessed {
        found.add(guessed(facts));
    }
    for (name, merge) in &line.merged {
        let detail = Detail::new(Code::NeedsHuman, "other-line", shown(name)).commit(*merge);
        found.add(detail.saw(
            format!("a merge of {}, another protected line", shown(name)),
            "a maintainer who lands what that line holds",
        ));
    }
    if line.is_named {
        found.warn(format!(
            "the line was named with --line: {}",
            shown(&line.name)
        ));
    }
    found
}

fn adoption(facts: &Facts) -> Detail {
    Detail::new(Code::NeedsHuman, "adoption", POLICY_PATH)
        .path(POLICY_PATH)
        .commit(facts.tip.id)
        .saw(
            format!("the first policy: {} has none", shown(&facts.line.name)),
            "a maintainer who reads it and lands it",
        )
}

fn unlanded_base(line: &LineFacts) -> Option<Detail> {
    let base = line.unlanded_base?;
    Some(
        Detail::new(Code::HistoryUntrusted, "base-unlanded", base.short())
            .commit(base)
            .saw(
                format!("the base is no part of {}", shown(&line.name)),
                "a base that has landed on the line",
            )
            .fix("leave the base out: the range is judged from the line"),
    )
}

/// Anybody can create a branch that a pattern matches.
fn guessed(facts: &Facts) -> Detail {
    let name = shown(&facts.line.name);
    Detail::new(Code::NeedsHuman, "other-line", name.as_str())
        .commit(facts.tip.id)
        .saw(
            format!("{name} is the nearest line, and only a pattern of protect.base names it"),
            "the line by name: --line REF",
        )
}
