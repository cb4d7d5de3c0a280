//! `git reins man`

use std::path::PathBuf;

use clap::Args;

use super::{Answer, Context, Failure};
use crate::model::path::{RepoPath, shown};
use crate::report::phrases::counted;
use crate::sys::files::Root;

/// Print the manual page, or write one for each command
///
/// `git reins --help` and `git help reins` show the pages once they stand where man looks:
/// git reins man --dir ~/.local/share/man/man1
#[derive(Debug, Args)]
pub struct Man {
    /// Write the pages into this directory, which has to be there
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

impl Man {
    /// Prints or writes them.
    ///
    /// # Errors
    /// When the directory cannot be written.
    pub fn run(&self, context: &Context, command: clap::Command) -> Result<Answer, Failure> {
        let mut command = command.disable_help_subcommand(true);
        command.build(); // each command learns its full name
        let mut pages = Vec::new();
        gather(command, &mut pages);
        let Some(dir) = &self.dir else {
            let (_, page) = pages.pop().expect("the command itself has a page");
            return Ok(Answer::done(String::from_utf8_lossy(&page), ""));
        };
        let dir = context.dir.join(dir);
        let write = |root: Root| {
            pages
                .iter()
                .try_for_each(|(name, page)| root.replace(name, page))
        };
        let written = Root::open(&dir).and_then(write);
        written.map_err(|error| Failure::new(error.to_string()))?;
        let place = shown(&dir.display().to_string());
        Ok(Answer::done(
            "",
            format!("wrote {} into {place}", counted(pages.len(), "page")),
        ))
    }
}

/// The pages of everything below a command that is not hidden, and its own at the end.
fn gather(command: clap::Command, pages: &mut Vec<(RepoPath, Vec<u8>)>) {
    for inner in command
        .get_subcommands()
        .filter(|inner| !inner.is_hide_set())
    {
        gather(inner.clone(), pages);
    }
    let page = clap_mangen::Man::new(command)
        .source(SOURCE)
        .manual("git reins");
    let name = page
        .get_filename()
        .parse()
        .expect("the names of commands make safe paths");
    let mut text = Vec::new();
    page.render(&mut text).expect("memory takes every byte");
    pages.push((name, text));
}

const SOURCE: &str = concat!("git-reins ", env!("CARGO_PKG_VERSION"));
