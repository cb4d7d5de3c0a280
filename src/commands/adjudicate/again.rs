//! `git reins adjudicate --reverify`: runs the results that need it again, and reports progress.

use std::time::Duration;

use super::find::Place;
use super::{Results, result};
use crate::commands::{Context, Failure, interrupt};
use crate::decide::adjudicate::adjudicate;
use crate::decide::fold::VERDICT;
use crate::decide::result::{JudgeResult, Reading, Source};
use crate::exit::ExitStatus;
use crate::foreman::reverify::{Graded, Suite, is_due};
use crate::git::plumbing::GitPlace;
use crate::model::adjudication::Verdict;
use crate::model::path::shown;
use crate::model::reverification::{Budget, Reverification};
use crate::model::run::{End, Ran};
use crate::policy::Tier1;
use crate::sys::out;

/// Runs tier 1 again for every result that waits for it, and reads what that made of the result.
///
/// What cannot be run again stays as it is, and a note says why.
///
/// # Errors
/// When there is no command, or somebody asked us to stop.
pub fn reverify(
    context: &Context,
    tier1: &Tier1,
    budget: &Budget,
    results: &mut Results,
) -> Result<(), Failure> {
    if tier1.command.is_empty() {
        return Err(no_command());
    }
    let repo = context.repo()?;
    let place = GitPlace::find(&context.dir, context.git_dir.as_deref())?;
    let interrupt = interrupt()?;
    let suite = Suite {
        repo: &repo,
        place: &place,
        command: &tier1.command,
        budget,
        interrupt: &interrupt,
    };
    for (place, result) in &mut results.all {
        if let Some(note) = one(&suite, place, result)? {
            results
                .notes
                .push(format!("{}: {note}", place.file().display()));
        }
    }
    Ok(())
}

fn no_command() -> Failure {
    let message = "tier1.command is not set on the protected line: there is nothing to run again";
    let fix = "state [tier1] command = [\"make\", \"test\"], or what runs the suite, in .gitreins/reins.toml there";
    Failure::refused(message, None, Some(fix.to_owned()))
}

/// Runs the suite for one result, when it waits; what is to be said of it.
fn one(
    suite: &Suite<'_>,
    place: &Place,
    result: &mut JudgeResult,
) -> Result<Option<String>, Failure> {
    let first = adjudicate(result.tier1, result.tier2).verdict;
    let waits = first == Verdict::Artifact || result.finding.verdict == Verdict::TimeoutConfirmed;
    let Source::GitReins(verdict) = &result.source else {
        return Ok(None);
    };
    if !waits || !is_due(result.rerun.as_ref(), suite.budget) {
        return Ok(None);
    }
    if place.file() != place.dir.join(VERDICT) {
        return Ok(Some(
            "cannot be run again: it is no verdict.json in a directory of its own".to_owned(),
        ));
    }
    let earlier = result.rerun.as_ref();
    let graded = Graded {
        dir: &place.dir,
        verdict,
        sha256: result.sha256,
        earlier,
    };
    let task = shown(&verdict.task_id);
    let ran = suite.reverify(&graded, &mut |passed| progress(&task, passed, suite.budget));
    if out::is_watched() {
        out::say("\r\x1b[K");
    }
    let note = match ran {
        Ok((record, ran)) => said(&record, &ran),
        Err(error) => match error.interrupted() {
            Some(signal) => return Err(stopped(signal)),
            None => return Ok(Some(format!("cannot be run again: {error}"))),
        },
    };
    match self::result(place).map_err(Failure::new)? {
        (Reading::Result(now), _) if now.rerun.is_some() => *result = *now,
        (Reading::Result(_) | Reading::Resolution, _) => {
            return Err(Failure::new(format!(
                "{} was changed meanwhile",
                place.file().display()
            )));
        }
    }
    Ok(Some(note))
}

fn stopped(signal: i32) -> Failure {
    let status = ExitStatus::stopped_by(signal);
    Failure {
        status,
        ..Failure::new("interrupted; the suite is ended and nothing is written for it")
    }
}

fn progress(task: &str, passed: Duration, budget: &Budget) {
    if out::is_watched() {
        let left = budget.budget_s.saturating_sub(passed.as_secs());
        out::say(&format!(
            "\r\x1b[Krunning tier 1 again for {task}: {left} s left"
        ));
    }
}

/// One line about a run: how it ended, how long it took, what stood in its way.
fn said(record: &Reverification, ran: &Ran) -> String {
    let seconds = Duration::from_millis(ran.wall_ms).as_secs_f64();
    let end = match &ran.end {
        End::Exit(code) => format!("exit {code}"),
        End::Signal(signal) => format!("ended by signal {signal}"),
        End::Timeout => format!("out of its budget of {} s", record.budget.budget_s),
        End::OutputLimit => "ended because it printed without end".to_owned(),
        End::Missing(why) | End::NotStarted(why) => format!("not started, {}", shown(why)),
    };
    let leak = match ran.leaked {
        0 => String::new(),
        count => format!(", {count} processes left behind and killed"),
    };
    let text = format!("{}\n{}", ran.stderr.text(), ran.stdout.text());
    let last = text.lines().rfind(|line| !line.trim().is_empty());
    let last = last
        .map(|line| format!(": {}", shown(line.trim())))
        .unwrap_or_default();
    format!("ran again without isolation in {seconds:.1} s, {end}{leak}{last}")
}
