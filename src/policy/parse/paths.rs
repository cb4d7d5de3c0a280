//! Reads `[paths]`: path prefixes that may not overlap.

use super::Read;
use super::reader::{Node, Table};
use crate::model::path::{PathError, RepoPath, collision_key};
use crate::policy::POLICY_PATH;
use crate::policy::sections::Paths;

/// Reads `[paths]`.
pub fn read(table: &mut Table<'_>) -> Read<Paths> {
    let default = Paths::default();
    let ledger = table.or("ledger", default.ledger, prefix)?;
    let history = table.or("history", default.history, prefix)?;
    let mut prefixes = |name| table.or(name, Vec::new(), |node| node.distinct(prefix));
    let paths = Paths {
        ledger,
        history,
        properties: prefixes("properties")?,
        fixtures: prefixes("fixtures")?,
        specs: prefixes("specs")?,
        exempt: prefixes("exempt")?,
        human_only: prefixes("human_only")?,
    };
    refuse_overlaps(table, &paths)?;
    Ok(paths)
}

fn prefix(node: &Node<'_>) -> Read<RepoPath> {
    let text = node.string()?;
    text.parse().map_err(|error: PathError| {
        match text
            .strip_suffix('/')
            .is_some_and(|bare| bare.parse::<RepoPath>().is_ok())
        {
            true => node.fault("it without the '/' at the end"),
            false => node.fault(format!(
                "a path inside the repository without {}",
                error.fault
            )),
        }
    })
}

/// The ledgers, the history, the policy and what is exempt are judged by rules that exclude each
/// other, so that no path may fall under two of them.
fn refuse_overlaps(table: &Table<'_>, paths: &Paths) -> Read<()> {
    let policy = constant(POLICY_PATH);
    let (ledger, history) = (
        ("paths.ledger", &paths.ledger),
        ("paths.history", &paths.history),
    );
    let lists = [
        ("paths.properties", &paths.properties),
        ("paths.fixtures", &paths.fixtures),
        ("paths.specs", &paths.specs),
    ];
    let listed: Vec<_> = lists
        .iter()
        .flat_map(|(name, list)| list.iter().map(|path| (*name, path)))
        .collect();

    let beside_ledger = [&[("the policy", &policy), history], &listed[..]].concat();
    refuse_overlap(table, "ledger", &paths.ledger, &beside_ledger)?;
    let beside_history = [&[("the policy", &policy)], &listed[..]].concat();
    refuse_overlap(table, "history", &paths.history, &beside_history)?;
    let ours = constant(".gitreins");
    let beside_exempt = [
        &[("the policy's directory", &ours), ledger, history],
        &listed[..],
    ]
    .concat();
    paths
        .exempt
        .iter()
        .try_for_each(|exempt| refuse_overlap(table, "exempt", exempt, &beside_exempt))
}

fn constant(text: &str) -> RepoPath {
    text.parse().expect("our own paths are safe")
}

fn refuse_overlap(
    table: &Table<'_>,
    name: &str,
    path: &RepoPath,
    others: &[(&str, &RepoPath)],
) -> Read<()> {
    match others.iter().find(|(_, other)| overlap(path, other)) {
        None => Ok(()),
        Some((owner, other)) => Err(table.fault(
            name,
            format!("\"{path}\""),
            format!("no overlap with {owner}, \"{other}\""),
        )),
    }
}

/// Whether one covers the other, on a file system that folds case as on any other.
fn overlap(one: &RepoPath, other: &RepoPath) -> bool {
    let (one, other) = (
        collision_key(one.as_str()) + "/",
        collision_key(other.as_str()) + "/",
    );
    one.starts_with(&other) || other.starts_with(&one)
}
