//! The arguments of `git reins`, and the printing of its answer.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Parser;
use clap::error::ErrorKind;

use crate::commands::{Answer, Command, Context};
use crate::exit::ExitStatus;
use crate::report::log;
use crate::sys::out;

/// Admits an agent's patch only when the oracle, fixture and freeze ledgers agree
#[derive(Debug, Parser)]
#[command(name = "git-reins", bin_name = "git reins", version)]
#[command(
    subcommand_required = true,
    arg_required_else_help = true,
    max_term_width = 100
)]
pub struct Cli {
    /// Run as if started in DIR; given twice, the second is relative to the first
    #[arg(short = 'C', value_name = "DIR")]
    pub directories: Vec<PathBuf>,
    /// The git directory, instead of the one that git finds
    #[arg(long, value_name = "DIR")]
    pub git_dir: Option<PathBuf>,
    /// What to do
    #[command(subcommand)]
    pub command: Command,
}

/// Runs the command and prints its answer; the number is decided first. An answer that cannot be
/// printed is none: 128.
pub fn run(args: impl IntoIterator<Item = OsString>) -> i32 {
    let answer = match Cli::try_parse_from(args) {
        Ok(cli) => answer(cli),
        Err(error) => usage(&error),
    };
    match out::print(&answer.stdout, &log::lines(&answer.stderr)) {
        Ok(()) => answer.status.number(),
        Err(error) => {
            out::say(&format!("git-reins: cannot print the answer: {error}\n"));
            ExitStatus::Undecided.number()
        }
    }
}

fn answer(cli: Cli) -> Answer {
    let Cli {
        directories,
        git_dir,
        command,
    } = cli;
    let done = Context::new(&directories, git_dir).and_then(|context| command.run(&context));
    done.unwrap_or_else(|failure| failure.answer(command.action(), command.json()))
}

fn usage(error: &clap::Error) -> Answer {
    let text = error.render().to_string();
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Answer {
            status: ExitStatus::Done,
            stdout: text,
            stderr: String::new(),
        },
        // `git reins --help` is git's own and looks for a manual
        _ => {
            let stderr = text.replace("try '--help'", "try 'git reins help' or -h");
            Answer {
                status: ExitStatus::Usage,
                stdout: String::new(),
                stderr,
            }
        }
    }
}
