//! How large a history of verdicts is folded, and what does git take for the same?

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use crate::child::Job;
use crate::ledgers::sha256;

const HISTORY: &str = ".gitreins/history";

/// Git as it is: what it wrote may be lost when the power is cut right after.
pub const AS_IT_IS: &[&str] = &[];

/// Git when it promises what a fold promises: what it wrote is on the disk.
pub const DURABLE: &[&str] = &["-c", "core.fsync=all"];

/// Verdicts of one day; the next ones are those of the next day.
const OF_A_DAY: u64 = 1_000;

/// So old a file has to be until its stamp shows that it was not changed since.
const SETTLED: Duration = Duration::from_secs(4);

/// A repository with so many verdict directories that are not folded.
pub fn unfolded(dir: PathBuf, verdicts: u64) -> io::Result<PathBuf> {
    made(dir, |dir| judge(dir, 0, verdicts))
}

/// A repository whose HEAD holds so many verdicts, and ten more on disk.
pub fn folded(dir: PathBuf, verdicts: u64) -> io::Result<PathBuf> {
    made(dir, |dir| {
        judge(dir, 0, verdicts)?;
        Job::reins(dir, &["reconcile"]).run()?;
        thread::sleep(SETTLED);
        judge(dir, verdicts, verdicts + 10)
    })
}

/// Makes a repository once.
fn made(dir: PathBuf, fill: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<PathBuf> {
    if !dir.join(".git/ready").try_exists()? {
        Job::git(
            Path::new("."),
            &["init", "-q", "-b", "main", &dir.to_string_lossy()],
        )
        .run()?;
        fs::create_dir_all(dir.join(HISTORY))?;
        fs::write(dir.join(".gitignore"), format!("{HISTORY}/\n"))?;
        fs::write(dir.join(".gitreins/reins.toml"), "schema = 1\n")?;
        Job::git(&dir, &["add", "."]).run()?;
        Job::git(&dir, &["commit", "-q", "-m", "begin"]).run()?;
        fill(&dir)?;
        fs::write(dir.join(".git/ready"), "")?;
    }
    Ok(dir)
}

/// Writes verdicts as GitReins does.
fn judge(dir: &Path, from: u64, to: u64) -> io::Result<()> {
    for at in from..to {
        let (day, hash) = (at / OF_A_DAY, &sha256(&at.to_le_bytes())[..8]);
        let (month, day) = (day / 28 % 12 + 1, day % 28 + 1);
        let below = dir.join(format!("{HISTORY}/2026-{month:02}-{day:02}/{hash}"));
        fs::create_dir_all(&below)?;
        fs::write(below.join("verdict.json"), verdict(at, hash))?;
        fs::write(
            below.join("summary.md"),
            format!("# Verdict {hash}\n\nTask T-{at}: passed.\n"),
        )?;
    }
    Ok(())
}

fn verdict(at: u64, hash: &str) -> String {
    let output = format!(
        "{} passed in {}.{:02}s {hash}\\n",
        at % 977,
        at % 61,
        at % 100
    );
    format!(
        r#"{{
  "task_id": "T-{at}",
  "passed": true,
  "items": [],
  "stages": {{
    "tier1": {{
      "id": "tier1", "passed": true, "any_failed": false, "summary": "",
      "steps": [
        {{"id": "lint", "type": "script", "passed": true, "output": "", "error": "", "data": {{"exit_code": 0}}}},
        {{"id": "tests", "type": "script", "passed": true, "output": "{output}", "error": "", "data": {{"exit_code": 0}}}}
      ]
    }}
  }},
  "summary": "",
  "evaluated_at": "2026-11-30T00:00:00.{at:06}"
}}
"#
    )
}

/// Where the jobs work: a copy of the repository, made anew before each.
pub fn copy(of: &Path) -> (PathBuf, Job) {
    let dir = of.with_extension("copy");
    let script = "rm -rf \"$1\" && cp -a \"$0\" \"$1\" && sync -f \"$1\"";
    let job = Job::new([
        "sh",
        "-c",
        script,
        &of.to_string_lossy(),
        &dir.to_string_lossy(),
    ]);
    (dir, job)
}

/// What git does to fold: everything below the history, into one commit.
pub fn by_git(dir: &Path, before: &Job, settings: &[&str]) -> Vec<Job> {
    let git = |args: &[&str]| Job::git(dir, &[settings, args].concat());
    vec![
        git(&["add", "-f", HISTORY]).after(before.clone()),
        git(&["commit", "-q", "-m", "fold"]),
    ]
}

/// What git says about the history.
pub fn status(dir: &Path) -> Job {
    Job::git(dir, &["status", "--porcelain", "--ignored", "--", HISTORY])
}
