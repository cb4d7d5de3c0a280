//! Checks what a judgement needs: a whole history, a protected line, its policy and its tools.

use super::super::site::Site;
use super::Finding;
use crate::decide::admit::UnreadablePolicy;
use crate::evidence::GateError;
use crate::evidence::branch::landing;
use crate::evidence::range_context::{fetch_default, read_policy};
use crate::git::Repo;
use crate::git::refs::Line;
use crate::model::shell::word;
use crate::policy::{POLICY_PATH, Policy};
use crate::sys::folder::executable;
use crate::sys::process::on_path;

/// Everything about what a push is judged by.
pub(super) fn findings(site: &Site) -> Result<Vec<Finding>, GateError> {
    let repo = Repo::open(site.place.here(), Some(&site.place.git_dir))?;
    let mut findings = Vec::new();
    if repo.is_shallow() {
        let seen = "the history of this clone is cut off";
        findings.push(Finding::fault(
            "shallow",
            seen,
            "the whole history",
            "git fetch --unshallow",
        ));
    }
    let Some(line) = repo.default_branch()? else {
        let seen = "the default branch is not known in this clone";
        let fix = fetch_default(&repo, &repo.usual_side());
        findings.push(Finding::fault(
            "protected-unknown",
            seen,
            "a protected line",
            fix,
        ));
        return Ok(findings);
    };
    match read_policy(&repo, line.tip) {
        Ok(Some(policy)) => {
            findings.extend(protected(&repo, &policy)?);
            findings.extend(tools(site, &policy));
        }
        Ok(None) => findings.push(no_policy(site, &repo, &line)?),
        Err(GateError::Policy(UnreadablePolicy { fault, .. })) => {
            let seen = format!("the policy on {}: {fault}", line.name);
            let fix = format!("correct {} in {POLICY_PATH} on that line", fault.key);
            findings.push(Finding::fault(
                "policy-invalid",
                seen,
                "a policy that can be read",
                fix,
            ));
        }
        Err(error) => return Err(error),
    }
    Ok(findings)
}

fn no_policy(site: &Site, repo: &Repo, line: &Line) -> Result<Finding, GateError> {
    let at_hand = site.place.worktree.as_deref().is_some_and(|root| {
        let path = POLICY_PATH.parse().expect("the policy's path is safe");
        crate::sys::files::Root::open(root)
            .is_ok_and(|root| root.read(&path).is_ok_and(|text| text.is_some()))
    });
    let fix = match (landing(repo, &line.name)?, at_hand) {
        (Some(land), _) => land,
        (None, true) => "git reins status, which says how to commit it".to_owned(),
        (None, false) => "git reins init".to_owned(),
    };
    let seen = format!("no {POLICY_PATH} on {}: no push is judged", line.name);
    Ok(Finding::fault(
        "no-policy",
        seen,
        "a policy on the protected line",
        fix,
    ))
}

/// The lines that the policy protects and this clone does not know.
fn protected(repo: &Repo, policy: &Policy) -> Result<Vec<Finding>, GateError> {
    let expected = "every protected line in this clone";
    if policy.protect.base.is_empty() {
        let seen = "protect.base names nothing";
        let fix = format!("name a line under protect.base in {POLICY_PATH}");
        return Ok(vec![Finding::fault(
            "protected-unknown",
            seen,
            "a protected line",
            fix,
        )]);
    }
    let mut findings = Vec::new();
    for name in &policy.protect.base {
        if repo.lines_of(&repo.usual_side(), name)?.is_empty() {
            let remote = word(&repo.remote().unwrap_or("origin".to_owned()));
            let branch = word(name.strip_prefix("refs/heads/").unwrap_or(name));
            let fix =
                format!("git fetch {remote} +refs/heads/{branch}:refs/remotes/{remote}/{branch}");
            let seen = format!("{name} is not in this clone");
            findings.push(Finding::fault("protected-unknown", seen, expected, fix));
        }
    }
    Ok(findings)
}

/// The programs that the policy names and this machine lacks.
fn tools(site: &Site, policy: &Policy) -> Vec<Finding> {
    let checks = policy
        .checks
        .iter()
        .map(|check| (format!("check {}", check.id), &check.run));
    let others = [
        ("tier1.command", &policy.tier1.command),
        ("foreman.on_complete", &policy.foreman.on_complete),
    ];
    let signature = policy
        .judge
        .public_signature
        .iter()
        .map(|run| ("judge.public_signature".to_owned(), run));
    let all = checks
        .chain(others.map(|(name, run)| (name.to_owned(), run)))
        .chain(signature);
    let missing = all.filter_map(|(name, run)| {
        let tool = run.first().filter(|tool| !is_there(site, tool))?;
        let seen = format!("{name} runs {tool}, which is not on this machine");
        Some(Finding::fault(
            "tool-missing",
            seen,
            "the tools of the policy",
            format!("install {}", word(tool)),
        ))
    });
    missing.collect()
}

/// A name is looked up on PATH, a path from the top level; what a run fills in nobody knows.
fn is_there(site: &Site, tool: &str) -> bool {
    tool.contains('{')
        || match tool.contains('/') {
            true => executable(&site.place.here().join(tool)),
            false => !on_path(tool).is_empty(),
        }
}
