//! Reads from the output of a command how many tests ran and how many failed.
//!
//! Read strictly: a line counts only when it has the whole form of a runner's own. Whatever is
//! graded can print such a line too, so no number found here makes anything a pass.

use crate::model::path::file_name;

/// The modules that run tests with `python -m`: without one of them nothing is graded.
const RUNNERS: [&str; 5] = ["pytest", "nose2", "tox", "nox", "coverage"];

/// The sum over every runner in an output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// How many tests ran and ended by themselves; `None` when no runner says so.
    pub ran: Option<u64>,
    /// How many failed.
    pub failed: u64,
    /// How many had an error, to pytest.
    pub errors: u64,
    /// Whether pytest says that it was an error while it collected.
    pub is_collection: bool,
}

/// What a line says: how many ran and passed, how many failed, how many had an error.
type Said = (u64, u64, u64);

/// Counts what every runner says.
///
/// cargo and go say for each binary that it has no tests: that nothing ran is known only when their
/// line is the last one, since the judge may have cut the others off.
pub fn counts(output: &str) -> Counts {
    let mut counts = Counts::default();
    let (mut is_session, mut ended) = (false, false);
    for line in output.lines().map(plain) {
        let line = line.trim();
        counts.is_collection |=
            line.contains("Interrupted: ") && line.contains(" during collection");
        let session = pytest(line).or_else(|| unittest(line));
        is_session |= session.is_some();
        let said = session.or_else(|| cargo(line)).or_else(|| others(line));
        if let Some((ran, failed, errors)) = said {
            counts.ran = Some(counts.ran.unwrap_or_default().saturating_add(ran));
            counts.failed = counts.failed.saturating_add(failed);
            counts.errors = counts.errors.saturating_add(errors);
        }
        ended = if line.is_empty() {
            ended
        } else {
            said.is_some()
        };
    }
    if counts.ran == Some(0) && !is_session && !ended {
        counts.ran = None;
    }
    counts
}

/// `==== 1 failed, 2 passed in 0.03s ====`, the line with which pytest ends, with or without rules.
fn pytest(line: &str) -> Option<Said> {
    let (counts, time) = line.trim_matches('=').trim().rsplit_once(" in ")?;
    let (seconds, _) = time.split_once('s')?;
    let is_time = seconds.contains('.')
        && seconds
            .bytes()
            .all(|byte| byte == b'.' || byte.is_ascii_digit());
    if !is_time {
        return None;
    }
    if counts == "no tests ran" {
        return Some((0, 0, 0));
    }
    let mut said: Said = (0, 0, 0);
    for part in counts.split(", ") {
        let (number, word) = part.split_once(' ')?;
        let number: u64 = number.parse().ok()?;
        let sum = match word {
            "passed" | "xfailed" | "xpassed" => &mut said.0,
            "failed" => &mut said.1,
            "error" | "errors" => &mut said.2,
            _ => continue,
        };
        *sum = sum.saturating_add(number);
    }
    Some(said)
}

/// `Ran 3 tests in 0.001s`, then `FAILED (failures=1)` or `OK`.
fn unittest(line: &str) -> Option<Said> {
    if line.starts_with("FAILED (") && (line.contains("failures=") || line.contains("errors=")) {
        return Some((0, 1, 0));
    }
    let (number, rest) = line.strip_prefix("Ran ")?.split_once(' ')?;
    let is_count = rest.starts_with("tests in ") || rest.starts_with("test in ");
    number
        .parse()
        .ok()
        .filter(|_| is_count)
        .map(|ran| (ran, 0, 0))
}

/// `running 3 tests`, then `test result: ok. 2 passed; 0 failed; 1 ignored; ...`.
fn cargo(line: &str) -> Option<Said> {
    if line == "running 0 tests" {
        return Some((0, 0, 0));
    }
    if line.starts_with("test ") && line.ends_with(" ... FAILED") {
        return Some((0, 1, 0));
    }
    let (_, counts) = line.strip_prefix("test result: ")?.split_once(". ")?;
    let number = |word: &str| {
        counts
            .split("; ")
            .find_map(|part| part.strip_suffix(word)?.trim().parse::<u64>().ok())
            .unwrap_or(0)
    };
    let failed = number(" failed").max(u64::from(line.starts_with("test result: FAILED")));
    Some((number(" passed"), failed, 0))
}

/// A package of go, and the totals of node and of TAP.
fn others(line: &str) -> Option<Said> {
    let number = |name: &str| {
        line.strip_prefix(name)
            .and_then(|rest| rest.parse::<u64>().ok())
    };
    if line.starts_with("?") && line.ends_with("[no test files]") {
        return Some((0, 0, 0));
    }
    if line.starts_with("ok ") && line.contains('\t') {
        return Some((u64::from(!line.ends_with("[no tests to run]")), 0, 0));
    }
    if line.starts_with("FAIL\t") || line.starts_with("--- FAIL: ") {
        return Some((0, 1, 0));
    }
    number("# tests ")
        .map(|ran| (ran, 0, 0))
        .or_else(|| number("# fail ").map(|failed| (0, failed, 0)))
}

/// The header of a session of pytest: a rule of its own, and the platform below it.
pub fn has_header(output: &str) -> bool {
    let lines: Vec<_> = output.lines().map(plain).collect();
    let is_rule = |line: &str| {
        line.starts_with('=')
            && line.trim_end().ends_with('=')
            && line.trim().trim_matches('=') == " test session starts "
    };
    lines
        .windows(2)
        .any(|pair| is_rule(&pair[0]) && pair[1].starts_with("platform "))
}

/// `python -m pytest` where there is no pytest leaves with 1, as for a failed test. The words are
/// those of the interpreter, without quotes, and nothing else is said but what `make` or the judge
/// say around them; an import that fails in the code says it otherwise.
pub fn lacks_runner(output: &str) -> bool {
    let missing = |line: &str| {
        let (program, module) = line.split_once(": No module named ").unwrap_or_default();
        let is_python = file_name(program).starts_with("python");
        is_python && RUNNERS.contains(&module)
    };
    let around = |line: &str| {
        line.starts_with("scanners: ")
            || (line.starts_with("make") && line.contains("***"))
            || RUNNERS
                .iter()
                .any(|runner| line.contains(&format!("-m {runner}")))
    };
    let lines = || {
        output
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
    };
    lines().any(missing) && lines().all(|line| missing(line) || around(line))
}

/// The last line that says something.
pub fn last_line(output: &str) -> &str {
    output
        .lines()
        .map(str::trim)
        .rfind(|line| !line.is_empty())
        .unwrap_or_default()
}

/// A line without the colours of a terminal.
fn plain(line: &str) -> String {
    let mut parts = line.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        let code = part
            .strip_prefix('[')
            .and_then(|rest| rest.split_once(|c: char| c.is_ascii_alphabetic()));
        text + code.map_or(part, |(_, rest)| rest)
    })
}

#[cfg(test)]
mod tests;
