//! Compares declared checks: those that are gone and those that ask for less.

use std::collections::{BTreeMap, BTreeSet};

use super::policy::name;
use super::settings::{Settings, Way};
use crate::model::change::{Area, Change, Kind, Reason};
use crate::policy::{Check, ExitMap, Kind as Use, Network, ResultFile, Timeout};
use crate::presets::ResultFormat;

/// Compares the checks by id.
pub(super) fn compare(told: &mut Settings, before: &[Check], after: &[Check]) {
    let by_id = |checks: &'_ [Check]| -> BTreeSet<String> {
        checks.iter().map(|check| check.id.clone()).collect()
    };
    let (old, new) = (by_id(before), by_id(after));
    let whole =
        |id: &str, kind, reason| Change::new(Area::Policy, format!("check {id}"), kind, reason);
    for id in old.difference(&new) {
        told.push(whole(id, Kind::Removed, Reason::RowRemoved));
    }
    for id in new.difference(&old) {
        told.push(whole(id, Kind::Added, Reason::RowAdded).harmless_if(true));
    }
    for old in before {
        if let Some(new) = after.iter().find(|check| check.id == old.id) {
            told.of_check(Some(&old.id));
            compare_check(told, old, new);
        }
    }
    told.of_check(None);
    if old == new && before.iter().zip(after).any(|(old, new)| old.id != new.id) {
        let order = |checks: &[Check]| {
            Some(
                checks
                    .iter()
                    .map(|check| check.id.as_str())
                    .collect::<Vec<_>>()
                    .join("\n"),
            )
        };
        // every canary has to pass, whichever runs first
        let change =
            Change::new(Area::Policy, "check", Kind::Changed, Reason::FieldChanged).field("order");
        told.push(change.states(order(before), order(after)).harmless_if(true));
    }
}

fn compare_check(told: &mut Settings, before: &Check, after: &Check) {
    let Check {
        id: _,
        kind,
        preset,
        run,
        seeds,
        env,
        env_unset,
        exit,
        result,
        quarantine_eligible,
        timeout,
        network,
        output_max_mib,
    } = before;
    told.text(
        "kind",
        Some(&name(Use::NAMES, *kind)),
        Some(&name(Use::NAMES, after.kind)),
    );
    told.text("preset", Some(preset.name), Some(after.preset.name));
    told.command("run", run, &after.run);
    let set = |list: &[String]| list.iter().cloned().collect();
    told.set("seeds", &set(seeds), &set(&after.seeds), Way::LessIsWeaker);
    told.set("env", &pairs(env), &pairs(&after.env), Way::NobodyCanTell);
    told.set("env_unset", env_unset, &after.env_unset, Way::NobodyCanTell);
    let ExitMap { pass, fail } = exit;
    let codes = |codes: &BTreeSet<u8>| codes.iter().map(u8::to_string).collect();
    // what is neither is an error, which nothing can hold
    told.set(
        "exit.pass",
        &codes(pass),
        &codes(&after.exit.pass),
        Way::MoreIsWeaker,
    );
    told.set(
        "exit.fail",
        &codes(fail),
        &codes(&after.exit.fail),
        Way::MoreIsWeaker,
    );
    result_file(told, result.as_ref(), after.result.as_ref());
    told.switch(
        "quarantine_eligible",
        *quarantine_eligible,
        after.quarantine_eligible,
        Way::MoreIsWeaker,
    );
    timeouts(told, timeout, &after.timeout);
    let is_denied = |network: &Network| matches!(network, Network::Deny);
    let states = (
        name(Network::NAMES, *network),
        name(Network::NAMES, after.network),
    );
    told.demand(
        "network",
        states,
        is_denied(network),
        is_denied(&after.network),
    );
    told.number(
        "output_max_mib",
        output_max_mib,
        &after.output_max_mib,
        Way::MoreIsWeaker,
    );
}

fn pairs(env: &BTreeMap<String, String>) -> BTreeSet<String> {
    env.iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect()
}

/// A result file can only worsen an outcome, so that one more asks for more.
fn result_file(told: &mut Settings, before: Option<&ResultFile>, after: Option<&ResultFile>) {
    let (Some(old), Some(new)) = (before, after) else {
        let file = |result: &ResultFile| {
            let ResultFile {
                format,
                path,
                require_executed,
            } = result;
            format!(
                "{} {path}, at least {require_executed} run",
                name(ResultFormat::NAMES, *format)
            )
        };
        told.text(
            "result",
            before.map(file).as_deref(),
            after.map(file).as_deref(),
        );
        if before.is_none() && after.is_some() {
            told.is_tightened();
        }
        return;
    };
    let ResultFile {
        format,
        path,
        require_executed,
    } = old;
    let formats = (
        name(ResultFormat::NAMES, *format),
        name(ResultFormat::NAMES, new.format),
    );
    told.text("result.format", Some(&formats.0), Some(&formats.1));
    told.text("result.path", Some(path), Some(&new.path));
    told.number(
        "result.require_executed",
        require_executed,
        &new.require_executed,
        Way::LessIsWeaker,
    );
}

fn timeouts(told: &mut Settings, before: &Timeout, after: &Timeout) {
    let Timeout {
        budget_s,
        measured_s,
        margin,
        max_s,
    } = before;
    told.number(
        "timeout.budget_s",
        budget_s,
        &after.budget_s,
        Way::MoreIsWeaker,
    );
    told.maybe(
        "timeout.measured_s",
        *measured_s,
        after.measured_s,
        Way::MoreIsWeaker,
    );
    told.number("timeout.margin", margin, &after.margin, Way::MoreIsWeaker);
    told.number("timeout.max_s", max_s, &after.max_s, Way::MoreIsWeaker);
}
