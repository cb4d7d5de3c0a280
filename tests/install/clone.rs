//! A clone under reins with a server beside it, and what its git directory holds, bit for bit.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Deref;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use crate::support::{Repo, Run};

/// A clone whose `main` stands on a server.
pub struct Clone(Repo);

impl Deref for Clone {
    type Target = Repo;

    fn deref(&self) -> &Repo {
        &self.0
    }
}

/// What stands in a directory: kind, mode, bytes, and for a file which one it is.
pub type State = BTreeMap<String, (u32, Vec<u8>, u64)>;

impl Clone {
    /// The clone; nothing of ours is installed.
    pub fn new() -> Self {
        let repo = Repo::under_reins();
        repo.git(&["init", "-q", "--bare", "-b", "main", "../server.git"]);
        repo.git(&["remote", "add", "origin", "../server.git"]);
        repo.git(&["push", "-q", "origin", "main"]);
        repo.git(&["remote", "set-head", "origin", "main"]);
        Self(repo)
    }

    /// Writes an executable hook.
    pub fn hook(&self, text: &str) {
        self.script(".git/hooks/pre-push", text);
    }

    /// Puts a file of any mode where git looks for the hook.
    pub fn hook_file(&self, bytes: &[u8], mode: u32) {
        let path = self.path(".git/hooks/pre-push");
        fs::write(&path, bytes).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    }

    /// Installs, which has to work.
    pub fn install(&self) {
        let _ = self.reins(&["hooks", "install"]).expect(0);
    }

    /// Pushes HEAD to a branch.
    pub fn push(&self, branch: &str) -> Run {
        self.push_with(branch, |command| command)
    }

    /// Pushes in an environment of its own.
    pub fn push_with(
        &self,
        branch: &str,
        change: impl FnOnce(&mut std::process::Command) -> &mut std::process::Command,
    ) -> Run {
        let mut command = self.command("git", &self.path("."));
        command.args(["push", "origin", &format!("HEAD:refs/heads/{branch}")]);
        let output = change(&mut command).output().unwrap();
        self.captured(output)
    }

    /// Commits something that needs no oracle, so that a push has something to send.
    pub fn note(&self, text: &str) {
        self.write("spec/notes.md", text);
        self.commit("a note");
    }

    /// Commits a patch that no oracle stands before.
    pub fn patch(&self) {
        self.write("src/account.py", "def balance(a, b):\n    return 0\n");
        self.commit("patch");
    }

    /// What the git directory holds now.
    pub fn state(&self) -> State {
        state(&self.path(".git"))
    }
}

/// What a directory holds.
pub fn state(root: &Path) -> State {
    let (mut state, mut left) = (State::new(), vec![root.to_owned()]);
    while let Some(path) = left.pop() {
        let met = fs::symlink_metadata(&path).unwrap();
        let name = path.strip_prefix(root).unwrap().display().to_string();
        let (bytes, id) = if met.is_dir() {
            left.extend(
                fs::read_dir(&path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
            (Vec::new(), 0)
        } else if met.is_symlink() {
            (
                fs::read_link(&path)
                    .unwrap()
                    .into_os_string()
                    .into_encoded_bytes(),
                met.ino(),
            )
        } else {
            (fs::read(&path).unwrap_or_default(), met.ino())
        };
        state.insert(name, (met.mode(), bytes, id));
    }
    state
}
