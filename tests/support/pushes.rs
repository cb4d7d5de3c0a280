//! What is there to push? A remote that has `main`, a branch that has to pass and one that may not.

use crate::support::{Repo, add_row};

/// An image that nobody has to measure.
const IMAGE: &str =
    "oci-digest:sha256:00000000000000000000000000000000000000000000000000000000000000aa";

/// Makes the remote `origin` and two branches: on `honest` the ledgers came before the patch, on `bad`
/// one commit brings both.
pub fn lay(repo: &Repo) {
    repo.git(&["init", "-q", "--bare", "-b", "main", "../up.git"]);
    repo.git(&["remote", "add", "origin", "../up.git"]);
    repo.git(&["push", "-q", "--no-verify", "origin", "main"]);
    repo.git(&["switch", "-q", "-c", "honest"]);
    pin(repo);
    commit(repo, "ledgers");
    patch(repo);
    repo.git(&["switch", "-q", "-c", "bad", "main"]);
    pin(repo);
    patch(repo);
    repo.git(&["switch", "-q", "main"]);
}

/// Whether the remote has a branch.
pub fn arrived(repo: &Repo, branch: &str) -> bool {
    !repo
        .git(&["ls-remote", "origin", &format!("refs/heads/{branch}")])
        .is_empty()
}

fn pin(repo: &Repo) {
    let _ = add_row(repo, "bal-01").expect(0);
    let _ = repo
        .reins(&[
            "fixture",
            "pin",
            "--epoch",
            "epoch-1",
            "--runner-image",
            IMAGE,
        ])
        .expect(0);
}

fn patch(repo: &Repo) {
    repo.write(
        "src/account.py",
        "def balance(a, b):\n    return a - b  # patched\n",
    );
    commit(repo, "patch");
}

/// A commit that no hook sees: these stories are about pushes.
fn commit(repo: &Repo, message: &str) {
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-q", "--no-verify", "-m", message]);
}
