//! `git reins hooks install|uninstall|status`

use clap::{Args, Subcommand};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Answer, Context, Failure};
use crate::editing::Refused;
use crate::editing::start;
use crate::exit::ExitStatus;
use crate::git::plumbing::GitPlace;
use crate::install::plan::{self, Install as Decision, Step};
use crate::install::site::{InstallError, Site};
use crate::install::{carry_out, messages, status};
use crate::report::json;
use crate::sys::process;

/// The commands on hooks.
#[derive(Debug, Subcommand)]
pub enum Hooks {
    Install(Install),
    Uninstall(Uninstall),
    Status(Status),
}

/// Put the pre-push hook where git looks for it
///
/// A hook that stands there is kept and run first. Where git looks for hooks outside this
/// repository or in tracked files, or where husky, lefthook, pre-commit, prek or hk is in charge,
/// nothing is written: what to add there is printed, and the exit code is 1.
#[derive(Debug, Args)]
pub struct Install {
    /// Print the steps, and take none
    #[arg(long)]
    dry_run: bool,
    /// Keep and run a manager's hook like any other; set a hook of ours that was edited aside.
    /// Nothing is ever deleted
    #[arg(long)]
    force: bool,
    /// Print what somebody else's file has to say to run us, and exit with 0
    #[arg(long, conflicts_with_all = ["dry_run", "force"])]
    print: bool,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

/// Take our hook away and put back what was there before, byte for byte
#[derive(Debug, Args)]
pub struct Uninstall {
    /// Print the steps, and take none
    #[arg(long)]
    dry_run: bool,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

/// Say which hook git runs, whose it is, and what it runs first
///
/// Only looks. Leaves with 0 when that hook is ours or a manager's that is told to run us, and with 1
/// otherwise; whether it really runs, `git reins doctor` proves.
#[derive(Debug, Args)]
pub struct Status {
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

/// What was done, or would be.
#[derive(Serialize, JsonSchema)]
pub(super) struct Done {
    #[schemars(extend("const" = DONE))]
    schema: &'static str,
    /// Whether the steps were taken.
    done: bool,
    /// What was done, or would be.
    steps: Vec<String>,
    /// What somebody else's file has to say, when nothing is ours to write.
    snippet: Option<Snippet>,
}

#[derive(Serialize, JsonSchema)]
struct Snippet {
    /// Why nothing is ours to write.
    why: String,
    /// The file that has to say it, where one is known.
    file: Option<&'static str>,
    /// What it has to say.
    text: String,
}

impl Hooks {
    /// Does it.
    ///
    /// # Errors
    /// When there is no repository, or something stands in the way.
    pub fn run(&self, context: &Context) -> Result<Answer, Failure> {
        let place =
            GitPlace::find(&context.dir, context.git_dir.as_deref()).map_err(InstallError::from)?;
        match self {
            Self::Install(command) => {
                let answer = settled(&place, |site| command.run(site))?;
                if !command.dry_run && answer.status == ExitStatus::Done {
                    start::learn_default(&place)?;
                }
                Ok(answer)
            }
            Self::Uninstall(command) => settled(&place, |site| {
                let steps = plan::uninstall(site)??;
                finish(
                    site,
                    &steps,
                    (command.dry_run, command.json),
                    messages::of_uninstall,
                )
            }),
            Self::Status(command) => Ok(command.run(&Site::look(&place)?)),
        }
    }

    /// What it is about to do, to complete "cannot ...".
    pub fn action(&self) -> &'static str {
        match self {
            Self::Install(_) => "install the hooks",
            Self::Uninstall(_) => "uninstall the hooks",
            Self::Status(_) => "say which hooks run",
        }
    }

    /// Whether it answers in JSON.
    pub fn json(&self) -> bool {
        match self {
            Self::Install(command) => command.json,
            Self::Uninstall(command) => command.json,
            Self::Status(command) => command.json,
        }
    }
}

/// Several commands at once do one thing: who finds that something changed meanwhile looks again.
fn settled(
    place: &GitPlace,
    act: impl Fn(&Site) -> Result<Answer, Stopped>,
) -> Result<Answer, Failure> {
    for _ in 0..ATTEMPTS {
        match act(&Site::look(place)?) {
            Err(Stopped::Install(InstallError::Changed)) => {}
            Err(Stopped::Install(error)) => return Err(error.into()),
            Err(Stopped::Refused(refused)) => return Err(refused.into()),
            Ok(answer) => return Ok(answer),
        }
    }
    Err(InstallError::Changed.into())
}

const ATTEMPTS: usize = 32;

/// Why the steps were not planned, or not taken.
enum Stopped {
    Install(InstallError),
    Refused(Refused),
}

impl From<InstallError> for Stopped {
    fn from(error: InstallError) -> Self {
        Self::Install(error)
    }
}

impl From<Refused> for Stopped {
    fn from(refused: Refused) -> Self {
        Self::Refused(refused)
    }
}

impl Status {
    /// Leaves with 1 where the hook that git runs does not lead to us, as far as looking tells.
    fn run(&self, site: &Site) -> Answer {
        let status = status::of(site);
        let stdout = if self.json {
            json::print(&status)
        } else {
            status.text()
        };
        let leave = if status.healthy {
            ExitStatus::Done
        } else {
            ExitStatus::Refused
        };
        Answer {
            status: leave,
            stdout,
            stderr: String::new(),
        }
    }
}

impl Install {
    fn run(&self, site: &Site) -> Result<Answer, Stopped> {
        let program = process::running("git-reins").map_err(InstallError::from)?;
        match plan::install(site, &program, self.force) {
            Ok(Decision::Snippet { why, file, text }) => {
                Ok(self.snippet(Snippet { why, file, text }))
            }
            _ if self.print => {
                let text = plan::line_of_a_script(&site.hook_files);
                Ok(self.snippet(Snippet {
                    why: "any shell script runs us so".to_owned(),
                    file: None,
                    text,
                }))
            }
            Ok(Decision::Steps(steps)) => finish(
                site,
                &steps,
                (self.dry_run, self.json),
                messages::of_install,
            ),
            Err(refused) => Err(refused.into()),
        }
    }

    /// Nothing is ours to write: the snippet is the answer.
    fn snippet(&self, snippet: Snippet) -> Answer {
        let status = if self.print {
            ExitStatus::Done
        } else {
            ExitStatus::Refused
        };
        let place = snippet
            .file
            .map_or("the hook that git runs there".to_owned(), str::to_owned);
        let stderr = match self.print {
            true => format!("{}: add to {place}\n", snippet.why),
            false => format!(
                "git-reins: nothing is written: {}\nhint: add this to {place}\n",
                snippet.why
            ),
        };
        let text = snippet.text.clone();
        let done = Done {
            schema: DONE,
            done: false,
            steps: Vec::new(),
            snippet: Some(snippet),
        };
        match self.json {
            true => Answer {
                status,
                stdout: json::print(&done),
                stderr: String::new(),
            },
            false => Answer {
                status,
                stdout: text,
                stderr,
            },
        }
    }
}

const DONE: &str = "git-reins/hooks-done/1";

fn finish(
    site: &Site,
    steps: &[Step],
    (dry_run, json): (bool, bool),
    news: impl Fn(&Site, &[Step]) -> Vec<String>,
) -> Result<Answer, Stopped> {
    if !dry_run {
        carry_out::carry_out(site, steps)?;
    }
    let lines: Vec<_> = steps.iter().map(ToString::to_string).collect();
    if json {
        let done = Done {
            schema: DONE,
            done: !dry_run,
            steps: lines,
            snippet: None,
        };
        return Ok(Answer::done(json::print(&done), ""));
    }
    // an empty directory is all that a command leaves which found that another had done its work
    let is_idle = |step: &Step| matches!(step, Step::RemoveDirectory(_));
    let unchanged = steps.is_empty() || !dry_run && steps.iter().all(is_idle);
    Ok(match (unchanged, dry_run) {
        (true, _) => Answer::done("", "unchanged"),
        (false, true) => Answer::done(
            lines.join("\n") + "\n",
            "nothing is written: this is the plan",
        ),
        (false, false) => Answer::done("", news(site, steps).join("\n")),
    })
}
