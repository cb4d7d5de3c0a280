//! `git reins reconcile`

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Answer, Context, Failure};
use crate::decide::fold::{Plan, Skip, Source};
use crate::exit::ExitStatus;
use crate::foreman::complete::Completion;
use crate::foreman::reconcile::{Act, Outcome, Request, reconcile};
use crate::foreman::rules::{Rules, rules};
use crate::foreman::{VerdictStore, VerdictsError};
use crate::git::fold::FoldError;
use crate::model::decision::Detail;
use crate::model::ids::CommitId;
use crate::model::refusal::Code;
use crate::report::phrases::counted;
use crate::report::{json, text};
use crate::sys::atomic_dir;
use crate::sys::files::Root;
use crate::sys::scratch::Scratch;

/// Fold verdict directories into one commit on HEAD
///
/// Takes every directory below paths.history (or those named) of which HEAD lacks a file, and commits its
/// files as they are: nothing else that is staged or changed is touched, no commit hook runs, and the
/// directories themselves stay. A link, a hard link, a nested repository, a secret or a rewritten verdict among
/// them refuses the whole fold; name directories to fold those only. A directory whose verdict.json is missing
/// or breaks off is still being written and waits.
///
/// Looked for are secrets with a form of their own and values that look random, in files, names and task ids;
/// not those that are encoded or packed (base64, hex, gzip) or split over lines.
///
/// Exit 0: folded, or nothing to fold. Exit 1: refused. Exit 3: a named verdict is unfinished, or
/// foreman.on_complete failed for a task; the next reconcile tries it again. Exit 128: cannot be decided.
#[derive(Debug, Args)]
pub struct Reconcile {
    /// Which: <date>/<hash>, a hash, the commit that GitReins printed, a task or a job; all when none is named
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// Print what would be folded, and fold nothing
    #[arg(long, conflicts_with = "stage")]
    dry_run: bool,
    /// Stage the files for your next commit, and commit nothing
    #[arg(long)]
    stage: bool,
    /// Leave logs and patches out: logs/, *.log, *log.tail.txt, *.patch; later folds leave them out too, unless
    /// the directory is named
    #[arg(long)]
    compact: bool,
    /// Print the answer as JSON
    #[arg(long)]
    pub json: bool,
}

/// The answer in JSON.
#[derive(Serialize, JsonSchema)]
pub(super) struct Report<'a> {
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// `commit`, `stage` or `dry-run`.
    act: &'static str,
    /// The commit that was made; null when none was.
    #[schemars(with = "Option<String>")]
    commit: Option<CommitId>,
    /// The branch that HEAD is on; null when it is detached.
    branch: Option<&'a str>,
    /// The first line of the commit message; null when nothing is folded.
    subject: Option<String>,
    /// What is folded.
    folded: Vec<Folded<'a>>,
    /// What is left alone.
    skipped: &'a [Skip],
    /// The codes that refuse, sorted and unique.
    refusals: Vec<Code>,
    /// Everything that stands against the fold.
    details: &'a [Detail],
    /// The tasks whose command ran.
    completed: &'a [Completion],
    /// What should be known besides.
    notes: Vec<&'a String>,
}

const SCHEMA: &str = "git-reins/reconcile/1";

/// A directory that is folded.
#[derive(Serialize, JsonSchema)]
struct Folded<'a> {
    /// Its name below `paths.history`.
    dir: String,
    /// What its record says, in words.
    record: String,
    /// `disk`, or the ref that had it.
    source: &'a str,
    /// The files that HEAD lacked.
    files: Vec<&'a str>,
}

impl Reconcile {
    /// Does it.
    ///
    /// # Errors
    /// When something cannot be read, or a lock is held.
    pub fn run(&self, context: &Context) -> Result<Answer, Failure> {
        let repo = context.repo()?;
        let Some(top) = repo.worktree() else {
            return Err(VerdictsError::from(FoldError::Bare).into());
        };
        let (root, place, rules) = (Root::open(top)?, repo.place()?, rules(&repo)?);
        let verdicts = VerdictStore {
            repo: &repo,
            place: &place,
            root: &root,
            history: &rules.policy.paths.history,
        };
        if !self.dry_run {
            Scratch::sweep();
            let _links_are_told_below = atomic_dir::sweep(&root, verdicts.history);
        }
        let request = Request {
            ids: &self.ids,
            compact: self.compact,
            act: self.act(),
        };
        let outcome = reconcile(&verdicts, &rules, &request)?;
        let mut answer = if self.json {
            self.report(&outcome, &rules)
        } else {
            self.talk(&outcome, &rules, repo.remote().is_some())
        };
        answer.status = status(&outcome);
        Ok(answer)
    }

    fn act(&self) -> Act {
        match (self.dry_run, self.stage) {
            (true, _) => Act::Print,
            (false, true) => Act::Stage,
            (false, false) => Act::Commit,
        }
    }

    fn report(&self, outcome: &Outcome, rules: &Rules) -> Answer {
        let plan = &outcome.plan;
        let folded = plan.folds.iter().map(|fold| Folded {
            dir: fold.dir.to_string(),
            record: fold.words(),
            source: match &fold.source {
                Source::Disk => "disk",
                Source::Ref(name) => name,
            },
            files: fold.files.iter().map(|file| file.path.as_str()).collect(),
        });
        let report = Report {
            schema: SCHEMA,
            act: match self.act() {
                Act::Print => "dry-run",
                Act::Stage => "stage",
                Act::Commit => "commit",
            },
            commit: outcome.commit,
            branch: outcome.branch.as_deref(),
            subject: (!plan.folds.is_empty()).then(|| plan.subject()),
            folded: folded.collect(),
            skipped: &plan.skipped,
            refusals: plan.codes(),
            details: &plan.refusals,
            completed: &outcome.completed,
            notes: plan.notes.iter().chain(&rules.ignored).collect(),
        };
        Answer::done(json::print(&report), "")
    }

    fn talk(&self, outcome: &Outcome, rules: &Rules, has_remote: bool) -> Answer {
        let plan = &outcome.plan;
        let mut answer = if plan.refusals.is_empty() {
            self.done(outcome, has_remote)
        } else {
            refused(plan)
        };
        for skip in &plan.skipped {
            answer = answer.note(&format!(
                "{} is left alone: {}",
                skip.dir,
                because(skip.reason)
            ));
        }
        for completion in &outcome.completed {
            let (task, end) = (&completion.task, &completion.end);
            answer.stderr += &match completion.done {
                true => format!("task {task} is complete: foreman.on_complete ran\n"),
                false if end.starts_with("not run") => {
                    format!("task {task} is complete, but foreman.on_complete was {end}\n")
                }
                false => format!(
                    "task {task} is complete, but foreman.on_complete failed ({end}); the next reconcile tries it again\n"
                ),
            };
        }
        for note in plan.notes.iter().chain(&rules.ignored) {
            answer = answer.note(note);
        }
        answer
    }

    fn done(&self, outcome: &Outcome, has_remote: bool) -> Answer {
        let plan = &outcome.plan;
        if plan.folds.is_empty() && plan.is_waiting {
            return Answer::done("", "nothing is folded: what was named is not finished");
        }
        if plan.folds.is_empty() {
            return Answer::done(
                "",
                "nothing to fold: HEAD holds every finished verdict that was asked for",
            );
        }
        let files: usize = plan.folds.iter().map(|fold| fold.files.len()).sum();
        let what = format!(
            "{} ({})",
            counted(plan.folds.len(), "verdict"),
            counted(files, "file")
        );
        let listed = plan
            .folds
            .iter()
            .map(|fold| format!("{} {}\n", fold.dir, fold.words()))
            .collect::<String>();
        match (self.act(), outcome.commit) {
            (Act::Print, _) => {
                let paths = plan.folds.iter().flat_map(|fold| &fold.files);
                let paths: String = paths.map(|file| format!("{}\n", file.path)).collect();
                let said = format!("nothing is folded: this is the plan for {what}");
                Answer::done(format!("{}\n{paths}", plan.message()), said)
            }
            (Act::Stage, _) => Answer::done(listed, format!("staged {what}; next: git commit")),
            (Act::Commit, commit) => {
                let name = commit.map_or_else(|| "nothing new".to_owned(), |commit| commit.short());
                let next = match &outcome.branch {
                    Some(_) if has_remote => "; next: git push",
                    Some(_) => "",
                    None => "; HEAD is detached; next: git switch -c NAME",
                };
                Answer::done(listed, format!("folded {what} as {name}{next}"))
            }
        }
    }
}

fn status(outcome: &Outcome) -> ExitStatus {
    if !outcome.plan.refusals.is_empty() {
        ExitStatus::Refused
    } else if outcome.plan.is_waiting || outcome.completed.iter().any(|completion| !completion.done)
    {
        ExitStatus::Held
    } else {
        ExitStatus::Done
    }
}

fn refused(plan: &Plan) -> Answer {
    let codes: Vec<_> = plan.codes().into_iter().map(Code::as_str).collect();
    let mut out = format!(
        "refuse: {}\n  nothing is folded; name directories to fold those only\n",
        codes.join(", ")
    );
    for detail in &plan.refusals {
        out.push('\n');
        text::TERMINAL.finding(&mut out, detail);
    }
    Answer::done(out, "")
}

fn because(reason: &str) -> &str {
    match reason {
        "unfinished" => "its verdict.json is missing or breaks off",
        "folded-already" => "HEAD holds it already",
        other => other,
    }
}
