//! Where are the programs of others that tests drive? `.ci/tools` puts them into target/tools; no
//! test ever reaches for the network.

use std::io::Write;
use std::path::{Path, PathBuf};

use crate::support::{BINARY, Repo, Run};

/// A person's PATH: our command is first, then the tools, then what the machine has.
#[derive(Clone, Debug)]
pub struct Tools(String);

impl Tools {
    /// The tools, or `None` when they are not installed: then the test says so and has nothing to
    /// do. Where CI is set nobody would read that, and the test fails.
    pub fn find() -> Option<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let target = std::env::var_os("CARGO_TARGET_DIR").map_or("target".into(), PathBuf::from);
        let tools = root.join(target).join("tools");
        if tools.join("installed").is_file() {
            return Some(Self::on(&tools));
        }
        let skipped = format!(
            "skipped: nothing in {}, .ci/tools installs it",
            tools.display()
        );
        assert!(std::env::var_os("CI").is_none(), "{skipped}");
        // past the capture of a test's output, which nobody sees when it passes
        std::io::stderr()
            .write_all((skipped + "\n").as_bytes())
            .unwrap();
        None
    }

    fn on(tools: &Path) -> Self {
        let ours = Path::new(BINARY).parent().unwrap().to_owned();
        let dirs = [
            ours,
            tools.join("python/bin"),
            tools.join("node/node_modules/.bin"),
        ];
        let machine = std::env::var("PATH").unwrap();
        Self(dirs.map(|dir| format!("{}:", dir.display())).concat() + &machine)
    }

    /// A command line of that person, at the top of a repository.
    pub fn shell(&self, repo: &Repo, line: &str) -> Run {
        let mut command = repo.command("sh", &repo.path(""));
        repo.captured(
            command
                .env("PATH", &self.0)
                .args(["-ec", line])
                .output()
                .unwrap(),
        )
    }
}
