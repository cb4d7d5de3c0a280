//! Which worktrees hold what is large: fixtures, ledgers, bombs?

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::child::Job;
use crate::history::{commit, data, import, pins};
use crate::ledgers::{self, sha256};

/// A repository with a worktree, under reins, and nothing large in it yet.
fn small(dir: &Path) -> io::Result<()> {
    let run = |args: &[&str]| Job::git(dir, args).run().map(drop);
    Job::git(
        Path::new("."),
        &["init", "-q", "-b", "main", &dir.to_string_lossy()],
    )
    .run()?;
    import(dir, |out| {
        writeln!(
            out,
            "{}M 100644 inline {}",
            commit("main", 1, "begin"),
            ledgers::POLICY_PATH
        )?;
        data(out, ledgers::POLICY.as_bytes())
    })?;
    let output = Job::git(dir, &["rev-parse", "main"])
        .command()
        .stdout(std::process::Stdio::piped())
        .output()?;
    let base = String::from_utf8_lossy(&output.stdout)
        .trim_end()
        .to_owned();
    import(dir, |out| {
        writeln!(
            out,
            "{}from refs/heads/main^0",
            commit("main", 2, "ledgers")
        )?;
        pins(out, &base, 0)
    })?;
    run(&["reset", "-q", "--hard"])
}

/// Makes a worktree once: `fill` puts into it what is large.
fn made(dir: PathBuf, fill: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<PathBuf> {
    if !dir.join(".git/ready").try_exists()? {
        small(&dir)?;
        fill(&dir)?;
        fs::write(dir.join(".git/ready"), "")?;
    }
    Ok(dir)
}

/// One fixture of so many MiB.
pub fn one_fixture(dir: PathBuf, mebibytes: u64) -> io::Result<PathBuf> {
    made(dir, |dir| {
        let mut file = BufWriter::new(File::create(dir.join("fixtures/large.bin"))?);
        let block: Vec<u8> = (0..1_u32 << 18)
            .flat_map(|at| at.wrapping_mul(0x9e37_79b9).to_le_bytes())
            .collect();
        (0..mebibytes).try_for_each(|_| file.write_all(&block))?;
        file.flush()
    })
}

/// So many fixtures of 0.3 to 3 KB, two hundred to a directory.
pub fn many_fixtures(dir: PathBuf, count: u64) -> io::Result<PathBuf> {
    made(dir, |dir| {
        for at in 0..count {
            let below = dir.join(format!("fixtures/d{:03}", at / 200));
            fs::create_dir_all(&below)?;
            let line = sha256(&at.to_le_bytes());
            let lines = 5 + (at * 7919) % 42;
            fs::write(
                below.join(format!("f{:03}.txt", at % 200)),
                format!("{line}\n").repeat(lines as usize),
            )?;
        }
        Ok(())
    })
}

/// An oracle ledger of so many rows, in the worktree and on the branch `candidate`.
pub fn many_rows(dir: PathBuf, rows: u64) -> io::Result<PathBuf> {
    made(dir, |dir| {
        ledger(dir, "oracle.json", |out| {
            out.write_all(ledgers::OPENING.as_bytes())?;
            (0..rows)
                .try_for_each(|at| out.write_all(ledgers::row(at, at + 1 == rows).as_bytes()))?;
            out.write_all(ledgers::CLOSING.as_bytes())
        })
    })
}

/// Two commits on `main`: an oracle ledger of so many rows, and the same with every hundredth edited.
pub fn edited_rows(dir: PathBuf, rows: u64) -> io::Result<PathBuf> {
    made(dir, |dir| {
        let run = |args: &[&str]| Job::git(dir, args).run().map(drop);
        for (message, relation) in [("rows", "in every order"), ("edited", "in any order")] {
            let mut out = BufWriter::new(File::create(dir.join("ledger/oracle.json"))?);
            out.write_all(ledgers::OPENING.as_bytes())?;
            for at in 0..rows {
                let row = ledgers::row(at, at + 1 == rows);
                let row = if at % 100 == 0 {
                    row.replace("in every order", relation)
                } else {
                    row
                };
                out.write_all(row.as_bytes())?;
            }
            out.write_all(ledgers::CLOSING.as_bytes())?;
            out.into_inner()?;
            run(&["commit", "-q", "-a", "-m", message])?;
        }
        Ok(())
    })
}

/// A freeze ledger of so many megabytes on the branch `candidate`.
pub fn huge(dir: PathBuf, megabytes: u64) -> io::Result<PathBuf> {
    made(dir, |dir| {
        ledger(dir, "freezes.json", |out| {
            let block = b"{\"owner\": \"nobody\"},\n".repeat(50_000);
            (0..megabytes).try_for_each(|_| out.write_all(&block[..1_000_000]))
        })
    })
}

/// A freeze ledger of so many open lists on the branch `candidate`.
pub fn nested(dir: PathBuf, levels: usize) -> io::Result<PathBuf> {
    made(dir, |dir| {
        ledger(dir, "freezes.json", |out| {
            out.write_all(b"{\"schema\": \"git-reins/freezes/1\", \"freezes\": ")?;
            out.write_all("[".repeat(levels).as_bytes())?;
            out.write_all("]".repeat(levels).as_bytes())?;
            out.write_all(b"}\n")
        })
    })
}

/// Writes a ledger and commits it on `candidate`, with a change of code behind it.
fn ledger(
    dir: &Path,
    name: &str,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(dir.join("ledger").join(name))?);
    write(&mut out)?;
    out.into_inner()?;
    let run = |args: &[&str]| Job::git(dir, args).run().map(drop);
    run(&["checkout", "-q", "-b", "candidate"])?;
    run(&["commit", "-q", "-a", "-m", "ledger"])?;
    fs::write(dir.join("code.c"), "int code;\n")?;
    run(&["add", "code.c"])?;
    run(&["commit", "-q", "-m", "patch"])
}
