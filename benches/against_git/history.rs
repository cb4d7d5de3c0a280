//! Which repositories have a history worth walking? Generated ones, the same each time, or a given one.

use std::fmt::Write as _;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::child::Job;
use crate::ledgers::{self, IMAGE, sha256};

/// The seconds of the first commit.
const BEGINNING: u64 = 1_700_000_000;

/// A repository, and the two ends of the range to judge in it.
#[derive(Clone, Debug)]
pub struct History {
    /// The git directory.
    pub dir: PathBuf,
    /// The base.
    pub base: &'static str,
    /// The tip.
    pub tip: &'static str,
}

impl History {
    /// The range.
    pub fn range(&self) -> String {
        format!("{}..{}", self.base, self.tip)
    }

    /// A range of `commits` commits above a history of `before` commits.
    ///
    /// 60 root entries, 4,800 files in nested directories, a merge in every ten commits, one
    /// ledger commit in a hundred.
    pub fn generated(dir: &Path, before: u64, commits: u64) -> io::Result<Self> {
        let history = Self {
            dir: dir.to_owned(),
            base: "main",
            tip: "candidate",
        };
        if dir.join("ready").try_exists()? {
            return Ok(history);
        }
        git(
            Path::new("."),
            &["init", "-q", "--bare", "-b", "main", &dir.to_string_lossy()],
        )?;
        import(dir, |out| first(out))?;
        let root = answer(dir, &["rev-parse", "main"])?;
        import(dir, |out| {
            writeln!(out, "reset refs/heads/main\nfrom refs/heads/main^0\n")?;
            grow(
                &mut Growth {
                    out,
                    first: 1,
                    base: &root,
                },
                "main",
                before,
            )
        })?;
        let base = answer(dir, &["rev-parse", "main"])?; // an epoch that is as old as the branch
        import(dir, |out| {
            let at = BEGINNING + 60 * (1 + before);
            writeln!(out, "{}from refs/heads/main^0", commit("main", at, "pin"))?;
            pins(out, &base, 10)
        })?;
        import(dir, |out| {
            writeln!(out, "reset refs/heads/candidate\nfrom refs/heads/main^0\n")?;
            grow(
                &mut Growth {
                    out,
                    first: 2 + before,
                    base: &base,
                },
                "candidate",
                commits,
            )
        })?;
        settle(dir)?;
        Ok(history)
    }

    /// The last `commits` commits of a given repository, under a policy and ledgers that stand on
    /// a protected line beside its history. The repository itself is only read.
    pub fn given(repository: &Path, dir: &Path, commits: u64) -> io::Result<Self> {
        let history = Self {
            dir: dir.to_owned(),
            base: "main",
            tip: "candidate",
        };
        if dir.join("ready").try_exists()? {
            return Ok(history);
        }
        let from = repository.canonicalize()?;
        git(
            Path::new("."),
            &["init", "-q", "--bare", "-b", "main", &dir.to_string_lossy()],
        )?;
        let objects = answer(
            &from,
            &[
                "rev-parse",
                "--path-format=absolute",
                "--git-path",
                "objects",
            ],
        )?;
        std::fs::write(dir.join("objects/info/alternates"), format!("{objects}\n"))?;
        let tip = answer(&from, &["rev-parse", "HEAD"])?;
        let base = base_below(dir, &tip, commits)?;
        for (name, at, other) in [
            ("main", &base, None),
            ("candidate", &tip, Some("refs/heads/main")),
        ] {
            import(dir, |out| {
                let merge = other
                    .map(|other| format!("merge {other}\n"))
                    .unwrap_or_default();
                let file = format!("M 100644 inline {}\n", ledgers::POLICY_PATH);
                write!(
                    out,
                    "{}from {at}\n{merge}{file}",
                    commit(name, 1_795_000_000, "adopt")
                )?;
                data(out, ledgers::POLICY.as_bytes())?;
                pins(out, &base, 0)
            })?;
        }
        settle(dir)?;
        Ok(history)
    }
}

/// The commit on the first-parent chain with at least `commits` commits between it and the tip.
fn base_below(dir: &Path, tip: &str, commits: u64) -> io::Result<String> {
    let chain = answer(dir, &["rev-list", "--first-parent", tip])?;
    let chain: Vec<&str> = chain.lines().collect();
    let (mut few, mut many) = (0, chain.len() - 1);
    while few + 1 < many {
        let middle = usize::midpoint(few, many);
        let count = answer(
            dir,
            &["rev-list", "--count", tip, &format!("^{}", chain[middle])],
        )?;
        if count.parse::<u64>().map_err(io::Error::other)? < commits {
            few = middle;
        } else {
            many = middle;
        }
    }
    Ok(chain[many].to_owned())
}

/// Packs as `git gc` would, writes the commit-graph, and marks the repository as complete.
fn settle(dir: &Path) -> io::Result<()> {
    git(dir, &["repack", "-q", "-a", "-d", "-f", "-l"])?;
    git(
        dir,
        &[
            "commit-graph",
            "write",
            "--reachable",
            "--changed-paths",
            "--no-progress",
        ],
    )?;
    std::fs::write(dir.join("ready"), "")
}

fn git(dir: &Path, args: &[&str]) -> io::Result<()> {
    Job::git(dir, args).run().map(drop)
}

/// What git answers, without the newline.
pub fn answer(dir: &Path, args: &[&str]) -> io::Result<String> {
    let output = Job::git(dir, args)
        .command()
        .stdout(Stdio::piped())
        .output()?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout)
            .trim_end()
            .to_owned()),
        false => Err(io::Error::other(format!("git {}", args.join(" ")))),
    }
}

/// Feeds `git fast-import`.
pub fn import(dir: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut command = Job::git(dir, &["fast-import", "--quiet", "--force"]).command();
    let mut child = command.stdin(Stdio::piped()).spawn()?;
    let mut out = BufWriter::new(child.stdin.take().expect("it was piped"));
    write(&mut out)?;
    drop(out.into_inner()?);
    match child.wait()?.success() {
        true => Ok(()),
        false => Err(io::Error::other("git fast-import failed")),
    }
}

/// The head of a commit command.
pub fn commit(branch: &str, time: u64, message: &str) -> String {
    format!(
        "commit refs/heads/{branch}\ncommitter bench <bench@example.invalid> {time} +0000\ndata {}\n{message}\n",
        message.len()
    )
}

/// A data command.
pub fn data(out: &mut dyn Write, bytes: &[u8]) -> io::Result<()> {
    writeln!(out, "data {}", bytes.len())?;
    out.write_all(bytes)?;
    out.write_all(b"\n")
}

/// The ledgers, and the property and fixture files that they pin.
pub fn pins(out: &mut dyn Write, base: &str, late: u64) -> io::Result<()> {
    let files = [
        (ledgers::PROPERTY, ledgers::PROPERTY_BYTES.to_owned()),
        (ledgers::SPEC, ledgers::SPEC_BYTES.to_owned()),
        ("fixtures/a.txt", "alpha\n".to_owned()),
        ("ledger/oracle.json", ledgers::oracle(20 + late)),
        (
            "ledger/fixture.json",
            ledgers::fixture(base, IMAGE, &[("fixtures/a.txt", b"alpha\n")]),
        ),
        ("ledger/freezes.json", ledgers::FREEZES.to_owned()),
    ];
    for (path, text) in files {
        writeln!(out, "M 100644 inline {path}")?;
        data(out, text.as_bytes())?;
    }
    Ok(())
}

/// The root commit: the whole tree but the ledgers.
fn first(out: &mut dyn Write) -> io::Result<()> {
    write!(out, "{}", commit("main", BEGINNING, "begin"))?;
    let mut paths = vec![".gitignore".to_owned(), "docs/index.md".to_owned()];
    paths.extend((0..29).map(|at| format!("file{at:02}.txt")));
    paths.extend((0..4_800).map(code));
    for path in paths {
        writeln!(out, "M 100644 inline {path}")?;
        data(
            out,
            format!("{path}\n{}\n", sha256(path.as_bytes())).as_bytes(),
        )?;
    }
    writeln!(out, "M 100644 inline {}", ledgers::POLICY_PATH)?;
    data(out, ledgers::POLICY.as_bytes())
}

/// The path of a code file: 24 directories with 20 files and 6 directories of 30 files each.
fn code(at: u64) -> String {
    let (module, file) = (at / 200, at % 200);
    match file.checked_sub(20) {
        None => format!("module{module:02}/file{file:02}.c"),
        Some(inner) => format!(
            "module{module:02}/part{}/file{:02}.c",
            inner / 30,
            inner % 30
        ),
    }
}

/// A history that goes on.
struct Growth<'a> {
    out: &'a mut dyn Write,
    first: u64,
    base: &'a str,
}

impl Growth<'_> {
    /// How many rows a ledger commit leaves: up and down below the base, one more each time above.
    fn rows(&self, at: u64) -> u64 {
        match self.first {
            1 => at / 100 % 10,
            first => 11 + (at - first) / 100,
        }
    }
}

/// Adds commits to a branch: in every ten eight or nine in a line, one beside, one merge.
fn grow(growth: &mut Growth<'_>, branch: &str, count: u64) -> io::Result<()> {
    let first = growth.first;
    for at in first..first + count {
        let head = |branch: &str, from: &str| {
            let text = commit(branch, BEGINNING + 60 * at, &format!("change {at}"));
            text.replacen('\n', &format!("\nmark :{at}\n"), 1) + from
        };
        let has_side = at >= first + 10;
        match at % 10 {
            8 if has_side => {
                growth
                    .out
                    .write_all(head("side", &format!("from :{}\n", at - 4)).as_bytes())?;
                edits(growth.out, at)?;
            }
            9 if has_side => {
                growth
                    .out
                    .write_all(head(branch, "merge refs/heads/side\n").as_bytes())?;
                edits(growth.out, at - 1)?;
            }
            _ => {
                growth.out.write_all(head(branch, "").as_bytes())?;
                match at % 100 {
                    1 => {
                        let late = growth.rows(at);
                        pins(growth.out, growth.base, late)?;
                    }
                    _ => edits(growth.out, at)?,
                }
            }
        }
    }
    writeln!(
        growth.out,
        "reset refs/heads/side\nfrom {}\n",
        "0".repeat(40)
    )
}

/// Two neighbours change, and in every third commit something far away too.
fn edits(out: &mut dyn Write, at: u64) -> io::Result<()> {
    let place = at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
    let mut places = vec![place % 4_800, (place + 1) % 4_800];
    places.extend(at.is_multiple_of(3).then_some((place >> 13) % 4_800));
    for place in places {
        let mut text = String::new();
        let _infallible = writeln!(
            text,
            "{}\nchange {at}\n{}",
            code(place),
            sha256(&at.to_le_bytes())
        );
        writeln!(out, "M 100644 inline {}", code(place))?;
        data(out, text.as_bytes())?;
    }
    Ok(())
}
