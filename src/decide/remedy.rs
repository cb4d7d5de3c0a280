//! Writes the commands that land a corrected ledger.
//!
//! A row that a patch already stands on cannot be mended beside the patch: it lands in a range of
//! its own. No text ever advises to reorder commits.

use super::facts::Facts;
use crate::model::ids::CommitId;
use crate::model::path::RepoPath;
use crate::model::shell::word;

/// The advice where a change beside a patch has to land elsewhere.
pub const APART: &str = "land the change in a range of its own, and take the old state again here";

/// Commands that bring some paths back to a commit's state, on top of the branch.
pub fn restored(advice: &str, source: &str, paths: &[&str]) -> String {
    let paths: Vec<_> = paths.iter().map(|path| word(path)).collect();
    let paths = paths.join(" ");
    format!(
        "{advice}: git restore --source={source} -- {paths} && git commit -m 'as before the patch' -- {paths}"
    )
}

/// Begins a branch at a commit, with what is not committed put aside: what is brought there next
/// would overwrite it.
pub fn begun(branch: &str, base: CommitId) -> String {
    format!(
        "git stash push && git switch -c {} {}",
        word(branch),
        base.short()
    )
}

/// Commands that bring the ledgers and properties of tip onto a branch that starts at base, run
/// `edits` there, and commit.
pub fn own_range(facts: &Facts, branch: &str, edits: &[String]) -> String {
    let base = facts.bases.first().map_or(facts.tip.id, |base| base.id);
    let is_there = |prefix: &&RepoPath| {
        facts
            .tip
            .material
            .properties
            .keys()
            .any(|path| prefix.covers(path))
    };
    let properties = facts
        .policy
        .paths
        .properties
        .iter()
        .filter(is_there)
        .map(|prefix| prefix.as_str());
    let paths: Vec<_> = [facts.policy.paths.ledger.as_str()]
        .into_iter()
        .chain(properties)
        .map(word)
        .collect();
    let mut commands = vec![
        begun(branch, base),
        format!(
            "git restore --source={} -- {}",
            facts.tip.id.short(),
            paths.join(" ")
        ),
    ];
    commands.extend_from_slice(edits);
    commands.push("git reins oracle commit".to_owned());
    format!("land it in a range of its own: {}", commands.join(" && "))
}

/// An edit of an oracle row: right here while there is no patch, else in a range of its own.
pub fn mend_row(facts: &Facts, id: &str, edit: String) -> String {
    if facts.has_patch() {
        own_range(facts, &format!("oracle-{id}"), &[edit])
    } else {
        format!("{edit} && git reins oracle commit")
    }
}
