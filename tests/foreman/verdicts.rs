//! Which verdict directories do the stories need?
#![expect(clippy::unwrap_used, reason = "a story that cannot be told fails")]

use serde_json::{Value, json};

use crate::support::Repo;

/// The day of every verdict here.
pub const DAY: &str = "2026-11-30";

/// The path of a verdict directory.
pub fn dir(hash: &str) -> String {
    format!(".gitreins/history/{DAY}/{hash}")
}

/// A grading as GitReins writes it: `tier1` is pass, fail or timeout; `tier2` the model's verdict.
pub fn grading(task: &str, tier1: &str, tier2: Option<&str>) -> Value {
    let (passed, error, data) = match tier1 {
        "pass" => (true, "", json!({"exit_code": 0})),
        "fail" => (false, "", json!({"exit_code": 1})),
        _ => (
            false,
            "Command timed out after 120s (step budget)",
            json!({"timed_out": true, "timeout_s": 120}),
        ),
    };
    let step = json!({"id": "tests", "type": "script", "passed": passed, "output": "ran\n", "error": error, "data": data});
    let mut stages = json!({"tier1": {"id": "tier1", "passed": passed, "any_failed": !passed, "summary": "", "steps": [step]}});
    if let Some(verdict) = tier2 {
        let met = verdict == "COMPLETE";
        let status = if met { "PASS" } else { "FAIL" };
        let items = json!([{"criterion": "c", "status": status, "detail": "d"}]);
        let data = json!({"verdict": verdict, "items": items, "summary": ""});
        let step = json!({"id": "tier2", "type": "ai_eval", "passed": met, "output": "", "error": "", "data": data});
        stages["tier2"] = json!({"id": "tier2", "passed": met, "any_failed": !met, "summary": "", "steps": [step]});
    }
    json!({
        "task_id": task, "task_title": "demo", "task_criteria": ["c"], "passed": passed, "items": [],
        "stages": stages, "summary": "", "evaluated_at": "2026-11-30T07:57:18.189448",
        "supersedes": null, "superseded_by": null,
    })
}

/// Writes a directory as GitReins does: `verdict.json`, then `summary.md`.
pub fn write(repo: &Repo, hash: &str, verdict: &Value) {
    repo.write(
        &format!("{}/verdict.json", dir(hash)),
        &serde_json::to_string_pretty(verdict).unwrap(),
    );
    repo.write(&format!("{}/summary.md", dir(hash)), "# Verdict\n");
}

/// A repository under reins that ignores its history, with somebody's work in progress.
pub fn repo() -> Repo {
    let repo = Repo::under_reins();
    repo.write("staged.txt", "staged\n");
    repo.git(&["add", "staged.txt"]);
    repo.write("src/account.py", "unstaged\n");
    repo
}

/// Lands text at the end of the policy.
pub fn rule(repo: &Repo, text: &str) {
    let policy = repo.read(".gitreins/reins.toml");
    repo.write(".gitreins/reins.toml", &format!("{policy}\n{text}"));
    repo.git(&["commit", "-q", "-m", "policy", "--", ".gitreins/reins.toml"]);
}

/// The paths that HEAD holds of the history.
pub fn folded(repo: &Repo) -> String {
    repo.git(&["ls-tree", "-r", "--name-only", "HEAD", ".gitreins/history"])
}

/// The subject of HEAD.
pub fn subject(repo: &Repo) -> String {
    repo.git(&["log", "-1", "--format=%s"])
}
