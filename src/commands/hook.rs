//! `git reins hook run`

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};

use super::evaluate::Range;
use super::{Answer, Context, Failure};
use crate::evidence::destination::remote_refs;
use crate::evidence::{GateError, push};
use crate::exit::ExitStatus;
use crate::git::Repo;
use crate::git::plumbing::GitPlace;
use crate::git::refs::Line;
use crate::git::remotes::{self, Side};
use crate::install;
use crate::install::previous_hook::{self, Call, Chained};
use crate::install::probe;
use crate::model::push::{PushAnswer, RemoteRefs, Ruling, Undecided, Update, parse};
use crate::model::run::End;
use crate::policy::refname;
use crate::report;
use crate::sys::invocation::ManagedPush;
use crate::sys::{clock, files, invocation};

/// A decision that takes longer is none. Git has opened the connection before it asks, and servers
/// cut one that is idle.
const LIMIT: Duration = Duration::from_secs(20);

/// A remote that does not answer in this time has not answered.
const PATIENCE: Duration = Duration::from_secs(10);

/// The commands below `hook`.
#[derive(Debug, Subcommand)]
pub enum Hook {
    /// Answer as a hook: decide whether a push may leave
    Run(Run),
}

/// An event of git that has an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Event {
    /// Before a push sends anything.
    PrePush,
}

/// Answer as a hook: decide whether a push may leave
///
/// Reads the lines that git writes for pre-push, one for each ref, and judges each from the pushed
/// commits and the policy on the protected line of that remote, which is asked once for its default
/// branch (git ls-remote). Never runs a trial. Everything is said on standard error. Exit 0 when nothing stands against the push, 1
/// when a ref is refused, 128 when nothing can be decided; git pushes on 0 alone.
#[derive(Debug, Args)]
pub struct Run {
    /// The event that git names its hooks for
    #[arg(value_enum)]
    event: Event,
    /// The remote's name, or what was typed instead of one
    #[arg(value_name = "REMOTE")]
    remote: Option<OsString>,
    /// The URL that is pushed to
    #[arg(value_name = "URL")]
    url: Option<OsString>,
    /// The hook file that git runs: what stood there before it is kept beside it and runs first
    #[arg(long, value_name = "FILE")]
    hook: Option<PathBuf>,
    /// Judge this range as if its tip were pushed, instead of reading lines
    #[arg(long, value_name = "BASE..TIP", conflicts_with_all = ["hook", "from_pre_commit_env"])]
    range: Option<String>,
    /// The ref that the range is pushed to [default: the protected line]
    #[arg(long = "ref", value_name = "REF", requires = "range")]
    to: Option<String>,
    /// Judge the one ref that pre-commit or prek names in PRE_COMMIT_*, instead of reading lines
    #[arg(long, conflicts_with = "hook")]
    from_pre_commit_env: bool,
}

impl Run {
    /// Answers.
    ///
    /// # Errors
    /// When the arguments make no sense; everything else is an answer of the hook.
    pub fn run(&self, context: &Context) -> Result<Answer, Failure> {
        let Event::PrePush = self.event;
        probe::answer(install::Event::PrePush);
        if let Some(range) = &self.range {
            return self.by_range(context, range);
        }
        if self.from_pre_commit_env {
            return by_manager(context);
        }
        if invocation::is_terminal() {
            let stderr = AT_TERMINAL.to_owned();
            return Ok(Answer {
                status: ExitStatus::Usage,
                stdout: String::new(),
                stderr,
            });
        }
        let lines = match clock::within(LIMIT, files::read_stdin) {
            Some(lines) => lines.map_err(|error| Failure::new(error.to_string()))?,
            None => return Ok(late("reading the lines of the push", BY_HAND)),
        };
        if let Some(answer) = self.kept(&lines) {
            return Ok(answer);
        }
        if lines.is_empty() {
            return Ok(Answer::done("", "")); // everything is up to date, or rejected already
        }
        let bytes = |arg: &Option<OsString>| {
            arg.as_deref()
                .map(OsStr::as_bytes)
                .unwrap_or_default()
                .to_vec()
        };
        let (remote, url) = (bytes(&self.remote), bytes(&self.url));
        timed(context, move |context| {
            let repo = open(context)?;
            let updates = parse(&lines, repo.hex_len()).map_err(|fault| Undecided {
                message: fault.to_string(),
                code: None,
                fix: Some(BY_HAND.to_owned()),
            })?;
            let side = side(&repo, &remote, &url);
            let there = ask(context, &side, &url);
            Ok(push::judge(
                &repo,
                &side,
                there.as_ref(),
                &updates,
                context.today,
            )?)
        })
    }

    /// What the hook that stood here before has against the push; it reads these very bytes.
    fn kept(&self, input: &[u8]) -> Option<Answer> {
        let hook = self.hook.as_deref()?;
        let args: Vec<_> = [&self.remote, &self.url]
            .into_iter()
            .flatten()
            .cloned()
            .collect();
        let call = Call {
            event: install::Event::PrePush,
            hook,
            args: &args,
            input,
        };
        let cannot = |message: String, fix: Option<&str>| Undecided {
            message,
            code: None,
            fix: fix.map(str::to_owned),
        };
        let said = invocation::here()
            .map_err(|error| cannot(error.to_string(), None))
            .and_then(|here| {
                let repo =
                    Repo::open(&here, None).map_err(|error| cannot(error.to_string(), None))?;
                let said = previous_hook::run(&call, repo.common_dir(), &here);
                said.map_err(|error| cannot(error.to_string(), Some(error.fix())))
            });
        let refused = |why: String| Answer {
            status: ExitStatus::Refused,
            stdout: String::new(),
            stderr: format!("git-reins: {why}\n"),
        };
        match said {
            Ok(Chained::Nothing | Chained::NotExecutable | Chained::Ended(End::Exit(0))) => None,
            Ok(Chained::Ended(End::Exit(code))) => Some(refused(format!(
                "the hook that was here before refuses (exit {code})"
            ))),
            Ok(Chained::Ended(
                End::Timeout | End::OutputLimit | End::Missing(_) | End::NotStarted(_),
            )) => Some(refused(
                "the hook that was here before did not run to its end".to_owned(),
            )),
            Ok(Chained::Ended(End::Signal(signal))) => Some(refused(format!(
                "the hook that was here before was ended by signal {signal}"
            ))),
            Err(why) => Some(undecided(&why)),
        }
    }

    fn by_range(&self, context: &Context, range: &str) -> Result<Answer, Failure> {
        let range = Range::parse(Some(range))?;
        let to = self.to.clone();
        if let Some(fault) = to.as_deref().and_then(refname::fault) {
            return Err(usage(
                &format!("--ref wants {fault}"),
                "name it in full: --ref refs/heads/NAME",
            ));
        }
        timed(context, move |context| {
            let repo = open(context)?;
            Ok(push::judge_range(
                &repo,
                &range.request(),
                to.as_deref(),
                context.today,
            )?)
        })
    }
}

const AT_TERMINAL: &str = "\
usage: git reins hook run pre-push [REMOTE [URL]] <LINES
   or: git reins hook run pre-push --range BASE..TIP [--ref REF]
   or: git reins hook run pre-push --from-pre-commit-env
hint: git writes one line for each ref to standard input
";

const BY_HAND: &str = "git reins hook run pre-push --range BASE..TIP";

fn usage(message: &str, fix: &str) -> Failure {
    Failure {
        fix: Some(fix.to_owned()),
        status: ExitStatus::Usage,
        ..Failure::new(message)
    }
}

fn open(context: &Context) -> Result<Repo, GateError> {
    Ok(Repo::open(&context.dir, context.git_dir.as_deref())?)
}

/// The side that the arguments of the hook name; without any, the usual one.
fn side(repo: &Repo, remote: &[u8], url: &[u8]) -> Side {
    if remote.is_empty() && url.is_empty() {
        repo.usual_side()
    } else {
        repo.side_of(remote, url)
    }
}

/// Asks the remote once which branch is its default and where its branches stand; `None` when it
/// does not answer in time, or the push stays in this repository.
fn ask(context: &Context, side: &Side, url: &[u8]) -> Option<RemoteRefs> {
    let url = match side {
        Side::Here => return None,
        Side::Remote(name) if url.is_empty() => name.clone().into(),
        Side::Remote(_) | Side::Elsewhere => OsStr::from_bytes(url).to_owned(),
    };
    let place = GitPlace::find(&context.dir, context.git_dir.as_deref()).ok()?;
    let printed = clock::within(PATIENCE, move || remotes::ask(&place, &url))?.ok()?;
    Some(remote_refs(&printed))
}

/// What a manager of hooks says is one ref of the push, and its base is no base to judge by: it may
/// be any commit that any branch of the remote holds.
fn by_manager(context: &Context) -> Result<Answer, Failure> {
    let managed = invocation::managed_push().map_err(|name| {
        usage(
            &format!("{name} is not set"),
            "let pre-commit or prek run it at the stage pre-push",
        )
    })?;
    timed(context, move |context| {
        let repo = open(context)?;
        let side = side(&repo, managed.remote.as_bytes(), managed.url.as_bytes());
        let update = managed_update(&repo, &side, &managed)?;
        let there = ask(context, &side, managed.url.as_bytes());
        let mut answer = push::judge(&repo, &side, there.as_ref(), &[update], context.today)?;
        answer.notes.push(format!(
            "only {} is seen here: other refs of the same push are not",
            managed.local
        ));
        Ok(answer)
    })
}

fn managed_update(repo: &Repo, side: &Side, managed: &ManagedPush) -> Result<Update, GateError> {
    let name = &managed.branch;
    let full = if name.starts_with("refs/") {
        name.clone()
    } else {
        format!("refs/heads/{name}")
    };
    let tip = repo.resolve(&managed.to)?;
    // For a ref that the remote has, the base is what stands there. For a new one it is any commit
    // that any branch of the remote holds: that one says nothing, where the remote has been seen.
    let is_there =
        repo.lines(side, &full)?.iter().any(Line::is_tracking) || !repo.has_seen(side)?;
    let from = repo.resolve(&managed.from).ok().filter(|_| is_there);
    let from = match from {
        Some(from) if repo.is_ancestor(from, tip)? => Some(from),
        Some(_) | None => None,
    };
    Ok(Update {
        name: full.into_bytes(),
        new: Some(tip.0),
        old: from.map(|from| from.0),
    })
}

/// Judges on a thread of its own and gives up in time: a push that nobody can judge is not pushed.
fn timed(
    context: &Context,
    judge: impl FnOnce(&Context) -> Result<PushAnswer, Undecided> + Send + 'static,
) -> Result<Answer, Failure> {
    let context = context.clone();
    Ok(match clock::within(LIMIT, move || judge(&context)) {
        Some(Ok(answer)) => answered(&answer),
        Some(Err(why)) => undecided(&why),
        None => late(
            "judging the push",
            "push fewer refs at once, or run: git reins check BASE..TIP",
        ),
    })
}

/// The worst answer to any ref is the answer to the push.
fn answered(answer: &PushAnswer) -> Answer {
    let status = |ruling: &Ruling| match ruling {
        Ruling::Passed => ExitStatus::Done,
        Ruling::Refused(_) => ExitStatus::Refused,
        Ruling::Undecided(_) => ExitStatus::Undecided,
    };
    let worst = answer
        .refs
        .iter()
        .map(|answer| status(&answer.ruling))
        .max()
        .unwrap_or(ExitStatus::Done);
    Answer {
        status: worst,
        stdout: String::new(),
        stderr: report::push::text(answer),
    }
}

fn undecided(why: &Undecided) -> Answer {
    Answer {
        status: ExitStatus::Undecided,
        stdout: String::new(),
        stderr: report::push::undecided(why),
    }
}

fn late(what: &str, fix: &str) -> Answer {
    let message = format!("{what} took more than {} seconds", LIMIT.as_secs());
    undecided(&Undecided {
        message,
        code: None,
        fix: Some(fix.to_owned()),
    })
}
