//! `git reins completions`

use clap::{Args, ValueEnum};
use clap_complete::Shell;

use super::{Answer, Failure};

/// Print the completions for a shell
///
/// bash: eval "$(git reins completions bash)" behind git's own completions, for `git reins` and
/// for `git-reins`. zsh: write them to a file _git-reins on fpath. The others: as that shell's
/// manual says.
#[derive(Debug, Args)]
pub struct Completions {
    /// The shell
    #[arg(value_enum)]
    shell: Known,
}

/// The shells that there are completions for.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Known {
    Bash,
    Elvish,
    Fish,
    Powershell,
    Zsh,
}

/// How git's own completions for bash call ours: `git reins` is one word to it.
const BASH: &str = r#"
_git_reins() {
    local at=$((${__git_cmd_idx:-1}))
    local COMP_CWORD=$((cword - at))
    local COMP_WORDS=(git-reins "${words[@]:at+1}")
    _git__reins git-reins "$cur" "$prev"
}
"#;

impl Completions {
    /// Prints them.
    ///
    /// # Errors
    /// None.
    pub fn run(&self, command: clap::Command) -> Result<Answer, Failure> {
        let (shell, more) = match self.shell {
            Known::Bash => (Shell::Bash, BASH),
            Known::Elvish => (Shell::Elvish, ""),
            Known::Fish => (Shell::Fish, ""),
            Known::Powershell => (Shell::PowerShell, ""),
            Known::Zsh => (Shell::Zsh, ""),
        };
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut visible(&command), "git-reins", &mut script);
        // the generator for bash writes the hyphen of our name in two ways, and then misses itself
        let script = String::from_utf8_lossy(&script).replace("git__subcmd__reins", "git__reins");
        Ok(Answer::done(script + more, ""))
    }
}

/// The command without what is hidden: the generators know no such thing.
fn visible(command: &clap::Command) -> clap::Command {
    let shown = clap::Command::new("git-reins").args(command.get_arguments().cloned());
    let shown = shown.version(env!("CARGO_PKG_VERSION"));
    let inner = command
        .get_subcommands()
        .filter(|inner| !inner.is_hide_set());
    shown.subcommands(inner.cloned())
}
