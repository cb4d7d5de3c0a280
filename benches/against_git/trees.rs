//! How long does it take until a tree of 4,800 files stands ready for one run?
//!
//! Each side leaves its tree where it is, in a new directory: making files is slow where some were
//! removed a moment ago. Our side is this program, started again for one tree.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use git_reins::git::Repo;
use git_reins::model::run::End;
use git_reins::sandbox::environment::Environment;
use git_reins::sandbox::interrupt::Interrupt;
use git_reins::sandbox::layer::{Layer, Layers};
use git_reins::sandbox::plan::Limits;
use git_reins::sandbox::run::{Job as Run, Runner};

use crate::child::Job;
use crate::history::{commit, data, import};

/// The argument that starts this program for one tree.
pub const OPTION: &str = "--tree";

/// How the tree is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// From the repository.
    Checkout,
    /// From a tree on disk.
    From(Layer),
}

impl Way {
    fn word(self) -> &'static str {
        match self {
            Self::Checkout => "checkout",
            Self::From(layer) => layer.word(),
        }
    }

    fn read(word: &str) -> io::Result<Self> {
        let all = [Layer::Overlay, Layer::Reflink, Layer::Copy].map(Self::From);
        let all = [Self::Checkout].into_iter().chain(all);
        all.into_iter()
            .find(|way| way.word() == word)
            .ok_or_else(|| io::Error::other("unknown tree"))
    }
}

/// Where trees are made, and from what.
#[derive(Clone, Debug)]
pub struct Trees {
    repository: PathBuf,
    area: PathBuf,
}

impl Trees {
    /// Trees of a given repository's `HEAD`, else of a generated one with so many files of 1 to 27 KB.
    pub fn of(given: Option<&Path>, dir: &Path, files: u64) -> io::Result<Self> {
        let repository = match given {
            Some(given) => given.canonicalize()?,
            None => generated(&dir.join("repository"), files)?,
        };
        let trees = Self {
            repository,
            area: dir.join("area"),
        };
        if !trees.pristine().try_exists()? {
            std::fs::create_dir_all(trees.pristine())?;
            checkout(&trees.repository, &trees.pristine())?;
        }
        Ok(trees)
    }

    fn pristine(&self) -> PathBuf {
        self.area.join("pristine")
    }

    /// What ours is.
    pub fn ours(&self, way: Way) -> io::Result<Job> {
        let program = std::env::current_exe()?;
        let texts = [
            program.as_path(),
            &self.repository,
            &self.pristine(),
            &self.area,
        ]
        .map(|path| path.to_string_lossy().into_owned());
        let [program, repository, pristine, area] = texts;
        let from = if way == Way::Checkout {
            repository
        } else {
            pristine
        };
        Ok(Job::new([&program, OPTION, way.word(), &from, &area]))
    }

    /// What git does.
    pub fn theirs(&self) -> Job {
        let script = "git -C \"$0\" worktree add -q --detach \"$(mktemp -d -p \"$1\")/tree\" HEAD";
        let [repository, area] = [&self.repository, &self.area].map(|path| path.to_string_lossy());
        Job::new(["sh", "-c", script, &*repository, &*area])
    }
}

fn generated(dir: &Path, files: u64) -> io::Result<PathBuf> {
    if dir.join("ready").try_exists()? {
        return Ok(dir.to_owned());
    }
    Job::git(
        Path::new("."),
        &["init", "-q", "--bare", "-b", "main", &dir.to_string_lossy()],
    )
    .run()?;
    import(dir, |out| {
        write!(out, "{}", commit("main", 1_700_000_000, "begin"))?;
        (0..files).try_for_each(|at| {
            writeln!(
                out,
                "M 100644 inline d{:02}/e{:02}/f{at}.rs",
                at % 60,
                at / 60 % 8
            )?;
            data(out, text(at).as_bytes())
        })
    })?;
    std::fs::write(dir.join("ready"), "")?;
    Ok(dir.to_owned())
}

fn text(at: u64) -> String {
    let seed = at.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let line = |number: u32| format!("    let value_{number} = {:x};\n", seed.rotate_left(number));
    (0..20 + u32::try_from(at * 7919 % 600).unwrap_or_default())
        .map(line)
        .collect()
}

fn checkout(repository: &Path, dir: &Path) -> io::Result<()> {
    let output = Job::git(repository, &["rev-parse", "HEAD^{tree}"]).command();
    let output = { output }.stdout(std::process::Stdio::piped()).output()?;
    let tree = String::from_utf8_lossy(&output.stdout)
        .trim_end()
        .parse()
        .map_err(io::Error::other)?;
    let repo = Repo::open(repository, None).map_err(io::Error::other)?;
    repo.checkout(tree, dir, &|| true)
        .map(drop)
        .map_err(io::Error::other)
}

/// Makes one tree: the word for the way, what it is made from, where it goes.
pub fn make(args: &[String]) -> io::Result<()> {
    let [word, from, area] = args else {
        return Err(io::Error::other("three arguments are needed"));
    };
    let scratch = tempfile::Builder::new()
        .disable_cleanup(true)
        .tempdir_in(area)?;
    match Way::read(word)? {
        Way::Checkout => checkout(Path::new(from), scratch.path()),
        Way::From(layer) => {
            let layers = Layers::starting_with(layer, scratch.path());
            let mut tree = layers.fresh(Path::new(from)).map_err(io::Error::other)?;
            // only an overlay needs a job to be there
            let made = if layer == Layer::Overlay {
                enter(&mut tree, scratch.path())
            } else {
                Ok(())
            };
            let is_asked = tree.layer() == layer;
            std::mem::forget(tree);
            made?;
            is_asked
                .then_some(())
                .ok_or_else(|| io::ErrorKind::Unsupported.into())
        }
    }
}

fn enter(tree: &mut git_reins::sandbox::layer::Tree, scratch: &Path) -> io::Result<()> {
    let dir = tree.path().to_owned();
    let program = env!("CARGO_BIN_EXE_git-reins");
    let runner = Runner::supervised_by(PathBuf::from(program), Interrupt::watch()?);
    let limits = Limits {
        budget: Duration::from_secs(60),
        output: 1 << 16,
    };
    let (argv, environment) = (["/bin/true".into()], Environment::clean(scratch)?);
    let job = Run {
        argv: &argv,
        dir: &dir,
        environment: &environment,
        limits,
        fence: None,
    };
    let ran = tree
        .run(&runner, &job, &mut |_| ())
        .map_err(io::Error::other)?;
    if ran.end == End::Exit(0) {
        Ok(())
    } else {
        Err(io::Error::other("the job failed"))
    }
}
