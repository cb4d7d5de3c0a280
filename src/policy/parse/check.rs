//! Reads a `[[check]]`; its preset fills in what is not written.

use std::collections::{BTreeMap, BTreeSet};

use super::Read;
use super::reader::{Node, Table};
use crate::model::ids::OracleId;
use crate::policy::check::{Check, ExitMap, Kind, Network, ResultFile, Timeout};
use crate::policy::placeholder;
use crate::policy::sections::BUILT_IN_CANARIES;
use crate::presets::{PRESETS, Preset, RAW, ResultFormat};

/// Reads every `[[check]]`.
pub fn read_all(node: &Node<'_>) -> Read<Vec<Check>> {
    let mut seen = BTreeSet::new();
    let unique = |node: &Node<'_>| node.table(|table| read(table, &mut seen));
    node.elements()?.iter().map(unique).collect()
}

fn read(table: &mut Table<'_>, seen: &mut BTreeSet<String>) -> Read<Check> {
    let id = table.required("id", |node| read_id(node, seen))?;
    let kind = table.or("kind", Kind::Property, |node| node.choice(Kind::NAMES))?;
    let preset = table.or("preset", &RAW, |node| node.choice(&presets()))?;
    let known = known(kind);
    let (env, env_unset) = read_environment(table, preset, known)?;
    let mib = |node: &Node<'_>| node.whole(1..=4096, "a whole number of MiB from 1 to 4096");
    Ok(Check {
        id,
        kind,
        preset,
        run: table.required("run", |node| node.command(Some(known)))?,
        seeds: table.or("seeds", vec!["0".to_owned()], |node| {
            read_seeds(node, preset)
        })?,
        env,
        env_unset,
        exit: table.section("exit", |exit| read_exit(exit, preset))?,
        result: table.optional("result", |node| node.table(|file| read_result(file, known)))?,
        quarantine_eligible: table.or("quarantine_eligible", false, |node| {
            read_eligible(node, kind)
        })?,
        timeout: table.section("timeout", read_timeout)?,
        network: table.or("network", Network::Deny, |node| node.choice(Network::NAMES))?,
        output_max_mib: table.or("output_max_mib", Check::OUTPUT_MAX_MIB, mib)?,
    })
}

fn presets() -> Vec<(&'static str, &'static Preset)> {
    PRESETS
        .iter()
        .map(|preset| (preset.name, *preset))
        .collect()
}

fn known(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Property => placeholder::PROPERTY,
        Kind::Canary => placeholder::CANARY,
    }
}

fn read_id(node: &Node<'_>, seen: &mut BTreeSet<String>) -> Read<String> {
    let id = node.string()?;
    let shaped: OracleId = id.parse().map_err(|_| {
        node.fault("an id: a letter or digit, then at most 63 letters, digits, '.', '_' or '-'")
    })?;
    let folded = shaped.folded();
    if BUILT_IN_CANARIES.contains(&folded.as_str()) {
        return Err(node.fault("an id that is not that of a built-in canary"));
    }
    if !seen.insert(folded) {
        return Err(node.fault("an id that no check before it has, in any case"));
    }
    Ok(id)
}

fn read_seeds(node: &Node<'_>, preset: &Preset) -> Read<Vec<String>> {
    let seeds = node.distinct(|seed| {
        let text = seed.text()?;
        match preset.seeds.take(&text) {
            true => Ok(text),
            false => Err(seed
                .fault("a seed that the preset honours, for proptest a decimal number below 2^64")),
        }
    })?;
    if seeds.is_empty() {
        Err(node.fault("at least one seed"))
    } else {
        Ok(seeds)
    }
}

fn read_environment(
    table: &mut Table<'_>,
    preset: &Preset,
    known: &[&str],
) -> Read<(BTreeMap<String, String>, BTreeSet<String>)> {
    let names = preset.env_unset.iter().copied().flatten();
    let mut unset: BTreeSet<_> = names.map(|&name| name.to_owned()).collect();
    unset.extend(table.or("env_unset", Vec::new(), |node| node.distinct(read_variable))?);
    let pair = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
    let mut env: BTreeMap<_, _> = preset.env.iter().map(pair).collect();
    env.extend(table.or("env", BTreeMap::new(), |node| read_env(node, known))?);
    match env.keys().find(|name| unset.contains(*name)) {
        None => Ok((env, unset)),
        Some(name) => {
            let expected = "variables that neither the check nor its preset unsets";
            Err(table.fault("env", format!("setting {name}"), expected))
        }
    }
}

fn read_env(node: &Node<'_>, known: &[&str]) -> Read<BTreeMap<String, String>> {
    let pair = |(name, value): (String, Node<'_>)| match is_variable(&name) {
        true => Ok((name, value.template(Some(known))?)),
        false => Err(value.fault("the value of a variable whose name is not empty and has no '='")),
    };
    node.members()?.into_iter().map(pair).collect()
}

fn read_variable(node: &Node<'_>) -> Read<String> {
    node.checked(|name| {
        (!is_variable(name)).then_some("the name of a variable, not empty and without '='")
    })
}

fn is_variable(name: &str) -> bool {
    !name.trim().is_empty() && !name.contains('=')
}

fn read_exit(table: &mut Table<'_>, preset: &Preset) -> Read<ExitMap> {
    let default = ExitMap::of(preset);
    let exit = ExitMap {
        pass: table.or("pass", default.pass, read_codes)?,
        fail: table.or("fail", default.fail, read_codes)?,
    };
    match exit.pass.intersection(&exit.fail).next() {
        None => Ok(exit),
        Some(both) => Err(table.fault("fail", format!("holding {both}"), "no code that is a pass")),
    }
}

fn read_codes(node: &Node<'_>) -> Read<BTreeSet<u8>> {
    let code = |node: &Node<'_>| {
        let code = node.whole(0..=255, "an exit code from 0 to 255")?;
        u8::try_from(code).map_err(|_| node.fault("an exit code from 0 to 255"))
    };
    let codes = node.distinct(code)?;
    if codes.is_empty() {
        Err(node.fault("at least one exit code"))
    } else {
        Ok(codes.into_iter().collect())
    }
}

fn read_result(table: &mut Table<'_>, known: &[&str]) -> Read<ResultFile> {
    let tests = |node: &Node<'_>| node.whole(1..=1_000_000, "a whole number from 1 to 1000000");
    Ok(ResultFile {
        format: table.required("format", |node| node.choice(ResultFormat::NAMES))?,
        path: table.or("path", "{result}".to_owned(), |node| {
            read_result_path(node, known)
        })?,
        require_executed: table.or("require_executed", 1, tests)?,
    })
}

fn read_result_path(node: &Node<'_>, known: &[&str]) -> Read<String> {
    node.text()?;
    let path = node.template(Some(known))?;
    match path.starts_with('/') || path.split('/').any(|part| part == "..") {
        true => Err(node.fault("a path in the tree, or one that starts with {result} or {tmp}")),
        false => Ok(path),
    }
}

fn read_eligible(node: &Node<'_>, kind: Kind) -> Read<bool> {
    match (node.boolean()?, kind) {
        (true, Kind::Canary) => Err(node.fault("false: a canary is never frozen")),
        (eligible, Kind::Property | Kind::Canary) => Ok(eligible),
    }
}

fn read_timeout(table: &mut Table<'_>) -> Read<Timeout> {
    let default = Timeout::default();
    let timeout = Timeout {
        budget_s: table.or("budget_s", default.budget_s, Node::budget)?,
        measured_s: table.optional("measured_s", Node::duration)?,
        margin: table.or("margin", default.margin, Node::margin)?,
        max_s: table.or("max_s", default.max_s, Node::budget)?,
    };
    table.within("budget_s", timeout.budget_s, timeout.max_s)?;
    Ok(timeout)
}
