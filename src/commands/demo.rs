//! `git reins demo`

use std::path::{Path, PathBuf};

use clap::Args;

use super::{Answer, Context, Failure};
use crate::exit::ExitStatus;
use crate::model::decision::Outcome;
use crate::model::refusal::Code;
use crate::sys::scratch::Scratch;

mod play;
mod stories;
#[cfg(test)]
mod tests;

/// Play the story in a scratch repository: one honest patch, six that are refused
///
/// The repository is made from a small example project. Every commit is a real one, and every
/// answer comes from the same code as the commands.
#[derive(Debug, Args)]
pub struct Demo {
    /// Make the repository in DIR, which must not exist, and keep it
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
}

impl Demo {
    /// Plays every story; done when each ended as it has to.
    ///
    /// # Errors
    /// When the scratch repository cannot be made.
    pub fn run(&self, context: &Context) -> Result<Answer, Failure> {
        let made = match &self.keep {
            Some(dir) => Scratch::kept(&context.dir.join(dir)),
            None => Scratch::temporary(),
        };
        let place = |error| Failure::new(format!("the scratch repository cannot be made: {error}"));
        let scratch = made.map_err(place)?;
        let play = play::Play::begin(scratch.path(), context.today)?;
        let mut told =
            String::from("a small project under reins, played in a scratch repository\n");
        let mut as_told = 0;
        for (at, story) in stories::STORIES.iter().enumerate() {
            let ending = story.tell(&play)?;
            as_told += usize::from(ending.is_expected);
            told.push_str(&format!("\n{}. {}\n{}", at + 1, story.title, ending.text));
        }
        let all = stories::STORIES.len();
        told.push_str(&format!(
            "\n{as_told} of {all} stories ended as they have to\n"
        ));
        let status = if as_told == all {
            ExitStatus::Done
        } else {
            ExitStatus::Refused
        };
        Ok(Answer {
            status,
            stdout: told,
            stderr: self.next_step(scratch.path()),
        })
    }

    fn next_step(&self, path: &Path) -> String {
        match &self.keep {
            Some(_) => {
                format!(
                    "kept {}; look at it: git -C {0}/till log --graph --all --stat\n",
                    path.display()
                )
            }
            None => "next, in a repository of your own: git reins init\n".to_owned(),
        }
    }
}

/// How a story ended.
#[derive(Debug)]
struct Ending {
    is_expected: bool,
    text: String,
}

/// What a story has to end with.
#[derive(Clone, Copy, Debug)]
enum Expected {
    Admitted,
    Refused(Code),
}

impl Expected {
    fn matches(self, outcome: Outcome, refusals: &[Code]) -> bool {
        match self {
            Self::Admitted => outcome == Outcome::Admit,
            Self::Refused(code) => outcome == Outcome::Refuse && refusals.contains(&code),
        }
    }
}
