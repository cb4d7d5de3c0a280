//! Compares the settings of two policies and tells which ask for less.
//!
//! Every section is taken apart without `..`, so that a new setting does not compile before
//! somebody has said which way it is weaker; where nobody can say, every change weakens.

use std::collections::BTreeSet;

use super::checks;
use super::settings::{Settings, Way};
use crate::model::change::{Area, Change, Kind, Reason};
use crate::model::path::RepoPath;
use crate::policy::{
    Foreman, FreezeRule, Judge, Mechanism, Paths, Policy, Power, Protect, Tier1, VerdictRule,
};

/// The changes between the policies of two commits, and how many settings are the same.
pub(super) fn compare(before: Option<&Policy>, after: Option<&Policy>) -> (Vec<Change>, usize) {
    let file = |kind, reason| Change::new(Area::Policy, crate::policy::POLICY_PATH, kind, reason);
    match (before, after) {
        (None, None) => (Vec::new(), 0),
        (None, Some(_)) => (
            vec![file(Kind::Added, Reason::FileAdded).harmless_if(true)],
            0,
        ),
        (Some(_), None) => (vec![file(Kind::Removed, Reason::FileRemoved)], 0),
        (Some(before), Some(after)) => {
            let mut settings = Settings::default();
            compare_sections(&mut settings, before, after);
            settings.told()
        }
    }
}

fn compare_sections(told: &mut Settings, before: &Policy, after: &Policy) {
    let Policy {
        paths,
        protect,
        verdict,
        freeze,
        judge,
        checks,
        tier1,
        foreman,
    } = before;
    paths_section(told, paths, &after.paths);
    protect_section(told, protect, &after.protect);
    let VerdictRule { require } = verdict;
    told.switch(
        "verdict.require",
        *require,
        after.verdict.require,
        Way::LessIsWeaker,
    );
    let FreezeRule {
        max_days,
        max_share,
    } = freeze;
    told.number(
        "freeze.max_days",
        max_days,
        &after.freeze.max_days,
        Way::MoreIsWeaker,
    );
    told.number(
        "freeze.max_share",
        max_share,
        &after.freeze.max_share,
        Way::MoreIsWeaker,
    );
    judge_section(told, judge, &after.judge);
    checks::compare(told, checks, &after.checks);
    tier1_section(told, tier1, &after.tier1);
    let Foreman { on_complete } = foreman;
    told.command(
        "foreman.on_complete",
        on_complete,
        &after.foreman.on_complete,
    );
}

/// More material leaves less code that needs an oracle, less material leaves it unfrozen: only a
/// person can tell which of the two was meant.
fn paths_section(told: &mut Settings, before: &Paths, after: &Paths) {
    let Paths {
        ledger,
        history,
        properties,
        fixtures,
        specs,
        exempt,
        human_only,
    } = before;
    told.text(
        "paths.ledger",
        Some(ledger.as_str()),
        Some(after.ledger.as_str()),
    );
    told.text(
        "paths.history",
        Some(history.as_str()),
        Some(after.history.as_str()),
    );
    let mut set = |name, before: &[RepoPath], after: &[RepoPath], way| {
        let texts =
            |paths: &[RepoPath]| paths.iter().map(|path| path.as_str().to_owned()).collect();
        told.set(name, &texts(before), &texts(after), way);
    };
    set(
        "paths.properties",
        properties,
        &after.properties,
        Way::NobodyCanTell,
    );
    set(
        "paths.fixtures",
        fixtures,
        &after.fixtures,
        Way::NobodyCanTell,
    );
    set("paths.specs", specs, &after.specs, Way::NobodyCanTell);
    set("paths.exempt", exempt, &after.exempt, Way::MoreIsWeaker);
    set(
        "paths.human_only",
        human_only,
        &after.human_only,
        Way::LessIsWeaker,
    );
}

/// One more protected line protects what lands there, and what stands there is nobody's patch.
fn protect_section(told: &mut Settings, before: &Protect, after: &Protect) {
    let Protect { base, enforce } = before;
    told.set(
        "protect.base",
        &texts(base),
        &texts(&after.base),
        Way::NobodyCanTell,
    );
    told.set(
        "protect.enforce",
        &texts(enforce),
        &texts(&after.enforce),
        Way::LessIsWeaker,
    );
}

fn judge_section(told: &mut Settings, before: &Judge, after: &Judge) {
    let Judge {
        replays,
        require,
        power,
        secret_markers,
        secret_allow,
        public_signature,
    } = before;
    told.number("judge.replays", replays, &after.replays, Way::LessIsWeaker);
    let names = |mechanisms: &[Mechanism]| {
        mechanisms
            .iter()
            .map(|one| name(Mechanism::NAMES, *one))
            .collect::<BTreeSet<_>>()
    };
    told.set(
        "judge.require",
        &names(require),
        &names(&after.require),
        Way::LessIsWeaker,
    );
    let demands = |power: &Power| matches!(power, Power::Witness);
    let states = (name(Power::NAMES, *power), name(Power::NAMES, after.power));
    told.demand("judge.power", states, demands(power), demands(&after.power));
    told.set(
        "judge.secret_markers",
        &texts(secret_markers),
        &texts(&after.secret_markers),
        Way::LessIsWeaker,
    );
    told.set(
        "judge.secret_allow",
        &texts(secret_allow),
        &texts(&after.secret_allow),
        Way::MoreIsWeaker,
    );
    let command = |command: &Option<Vec<String>>| command.clone().unwrap_or_default();
    told.command(
        "judge.public_signature",
        &command(public_signature),
        &command(&after.public_signature),
    );
    if public_signature.is_none() && after.public_signature.is_some() {
        told.is_tightened();
    }
}

/// The suite that is run again decides what is a regression: with more time, less is.
fn tier1_section(told: &mut Settings, before: &Tier1, after: &Tier1) {
    let Tier1 {
        command,
        tool_budget_s,
        suite_runtime_s,
        margin,
        max_s,
    } = before;
    told.command("tier1.command", command, &after.command);
    told.number(
        "tier1.tool_budget_s",
        tool_budget_s,
        &after.tool_budget_s,
        Way::MoreIsWeaker,
    );
    told.maybe(
        "tier1.suite_runtime_s",
        *suite_runtime_s,
        after.suite_runtime_s,
        Way::MoreIsWeaker,
    );
    told.number("tier1.margin", margin, &after.margin, Way::MoreIsWeaker);
    told.number("tier1.max_s", max_s, &after.max_s, Way::MoreIsWeaker);
}

fn texts(list: &[String]) -> BTreeSet<String> {
    list.iter().cloned().collect()
}

/// The name that a choice has in the file.
pub(super) fn name<T: PartialEq + Copy>(names: &[(&str, T)], value: T) -> String {
    let found = names.iter().find(|(_, one)| *one == value);
    found
        .map(|(name, _)| (*name).to_owned())
        .unwrap_or_default()
}
