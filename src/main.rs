//! The command `git reins`: the library does the work and says the exit code.

fn main() {
    std::process::exit(git_reins::cli::run(std::env::args_os()));
}
