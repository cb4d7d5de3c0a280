//! How does a test run again as somebody without rights?

use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

const NOBODY: u32 = 65_534;

/// Runs a command of this test program as nobody: it has to say these words of success, and to leave
/// nothing. Skipped, with a word, where that is not possible.
#[expect(clippy::print_stdout, reason = "what is skipped is said")]
pub fn runs(mut tests: Command, words: &str) {
    let may_run = |program: &Path| {
        let ran = Command::new(program)
            .arg("--help")
            .uid(NOBODY)
            .gid(NOBODY)
            .output();
        ran.is_ok_and(|ran| ran.status.success())
    };
    if !may_run(Path::new(env!("CARGO_BIN_EXE_git-reins")))
        || !may_run(&std::env::current_exe().unwrap())
    {
        println!("skipped: only root becomes somebody else, where he can reach the programs");
        return;
    }
    let temp = assert_fs::TempDir::new().unwrap();
    std::fs::set_permissions(temp.path(), std::fs::Permissions::from_mode(0o777)).unwrap();
    let ran = tests
        .uid(NOBODY)
        .gid(NOBODY)
        .env("TMPDIR", temp.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success() && said.contains(words), "{said}");
    assert_eq!(
        std::fs::read_dir(temp.path()).unwrap().count(),
        0,
        "something is left"
    );
}
