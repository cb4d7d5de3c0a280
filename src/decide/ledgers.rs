//! Judges the three ledgers as files: present, readable, and alone in their directory.

use super::facts::{Facts, Material, Reading};
use crate::ledger::file::{FaultKind, LedgerFault, LedgerName};
use crate::model::decision::Detail;
use crate::model::ids::CommitId;
use crate::model::refusal::Code;

/// What a part of a decision found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// Refusals and holds.
    pub details: Vec<Detail>,
    /// What decides nothing but should be known.
    pub warnings: Vec<String>,
}

impl Findings {
    /// Adds a refusal or a hold.
    pub fn add(&mut self, detail: Detail) {
        self.details.push(detail);
    }

    /// Adds a remark.
    pub fn warn(&mut self, warning: impl Into<String>) {
        self.warnings.push(warning.into());
    }

    /// Takes over what another part found.
    pub fn absorb(&mut self, other: Self) {
        self.details.extend(other.details);
        self.warnings.extend(other.warnings);
    }
}

/// The path of a ledger file under the judging policy.
pub fn ledger_path(facts: &Facts, name: LedgerName) -> String {
    format!("{}/{}", facts.policy.paths.ledger, name.file_name())
}

/// Reads the ledgers as files: missing, invalid, strays beside them.
///
/// A ledger that base cannot be read from refuses too when the range carries a patch: what it
/// held is unknown, so nothing can be shown to have stayed.
pub fn judge_files(facts: &Facts) -> Findings {
    let mut found = Findings::default();
    for name in LedgerName::ALL {
        judge_tip_file(facts, name, &mut found);
    }
    if facts.has_patch() {
        for base in &facts.bases {
            for (name, fault) in faults(&base.material) {
                found.add(invalid(facts, name, fault, base.id).fix(format!(
                    "land a range without patch commits that repairs {} on the protected line",
                    ledger_path(facts, name)
                )));
            }
        }
    }
    for name in &facts.tip.unsorted {
        let path = ledger_path(facts, *name);
        found.warn(format!(
            "the rows of {path} are not sorted, as a merge of texts leaves them: git reins fmt"
        ));
    }
    for stray in &facts.tip.strays {
        let detail = Detail::new(stray.code, "stray-entry", stray.path.clone())
            .path(stray.path.clone())
            .commit(facts.tip.id)
            .saw(stray.observed.clone(), stray.expected.clone());
        found.add(detail.fix(format!("remove or rename {}, and commit", stray.path)));
    }
    found
}

fn judge_tip_file(facts: &Facts, name: LedgerName, found: &mut Findings) {
    let tip = &facts.tip.material;
    if let Some((_, fault)) = faults(tip).into_iter().find(|(faulty, _)| *faulty == name) {
        return found.add(invalid(facts, name, fault, facts.tip.id));
    }
    if !is_missing(tip, name) {
        return;
    }
    let path = ledger_path(facts, name);
    if name == LedgerName::Fixture && nothing_is_claimed(facts) {
        return found.warn(format!(
            "no commit here holds {path} yet; before the first oracle row: git reins fixture pin --epoch ID --runner-image auto && git reins fixture commit"
        ));
    }
    let fix = match name {
        LedgerName::Oracle => "git reins init, or git reins oracle add && git reins oracle commit",
        LedgerName::Fixture => {
            "git reins fixture pin --epoch ID --runner-image auto && git reins fixture commit"
        }
        LedgerName::Freezes => "git reins init && git reins freeze commit",
    };
    found.add(
        Detail::new(Code::LedgerMissing, "absent", path.clone())
            .path(path)
            .commit(facts.tip.id)
            .saw("no such file", "a ledger, if only with an empty list")
            .fix(fix),
    );
}

/// Whether a repository is only being set up: no oracle row and no patch, and nothing pinned.
///
/// This is what makes the commit of `git reins init` pass.
fn nothing_is_claimed(facts: &Facts) -> bool {
    let tip = &facts.tip.material;
    let no_rows = tip
        .oracle
        .valid()
        .is_some_and(|ledger| ledger.oracles.is_empty());
    let no_freezes = tip
        .freezes
        .valid()
        .is_some_and(|ledger| ledger.freezes.is_empty());
    let pinned = |material: &Material| !matches!(material.fixture, Reading::Missing);
    no_rows
        && no_freezes
        && !facts.bases.iter().any(|base| pinned(&base.material))
        && !facts.has_patch()
}

fn is_missing(material: &Material, name: LedgerName) -> bool {
    match name {
        LedgerName::Oracle => matches!(material.oracle, Reading::Missing),
        LedgerName::Fixture => matches!(material.fixture, Reading::Missing),
        LedgerName::Freezes => matches!(material.freezes, Reading::Missing),
    }
}

fn faults(material: &Material) -> Vec<(LedgerName, &LedgerFault)> {
    fn fault<L>(reading: &Reading<L>) -> Option<&LedgerFault> {
        match reading {
            Reading::Invalid(fault) => Some(fault),
            Reading::Missing | Reading::Valid(_) => None,
        }
    }
    let all = [
        (LedgerName::Oracle, fault(&material.oracle)),
        (LedgerName::Fixture, fault(&material.fixture)),
        (LedgerName::Freezes, fault(&material.freezes)),
    ];
    all.into_iter()
        .filter_map(|(name, fault)| Some((name, fault?)))
        .collect()
}

fn invalid(facts: &Facts, name: LedgerName, fault: &LedgerFault, commit: CommitId) -> Detail {
    let path = ledger_path(facts, name);
    let code = match fault.kind {
        FaultKind::Invalid => Code::LedgerInvalid,
        FaultKind::PathUnsafe => Code::PathUnsafe,
    };
    let subject = fault.row.clone().unwrap_or_else(|| path.clone());
    let mut detail = Detail::new(code, "unreadable", subject)
        .path(path)
        .commit(commit);
    detail.field = fault.field.clone();
    let line = fault
        .line
        .map(|line| format!(" (line {line})"))
        .unwrap_or_default();
    let resolve = "git reins fmt --resolve";
    if fault.expected.contains(resolve) {
        detail = detail.fix(resolve);
    }
    detail.saw(format!("{}{line}", fault.observed), fault.expected.clone())
}
