//! Does every run get a tree of its own, whichever way it is made, and is what it changed found?
#![expect(clippy::unwrap_used, reason = "a test that cannot set itself up fails")]
#![expect(
    clippy::disallowed_methods,
    reason = "the tests look at files and processes by themselves"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs::{self, Permissions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use git_reins::model::run::{End, Ran};
use git_reins::sandbox::environment::Environment;
use git_reins::sandbox::interrupt::Interrupt;
use git_reins::sandbox::layer::{Layer, Layers, Tree};
use git_reins::sandbox::plan::Limits;
use git_reins::sandbox::run::{Job, Runner};
use git_reins::sys::scratch::Scratch;

#[path = "support/nobody.rs"]
mod nobody;

const BINARY: &str = env!("CARGO_BIN_EXE_git-reins");

const ALL: [Layer; 3] = [Layer::Overlay, Layer::Reflink, Layer::Copy];

/// A path, its mode, its time, and its bytes or its target.
type Entry = (u32, i64, Vec<u8>);

struct Bench {
    pristine: PathBuf,
    scratch: Scratch,
}

impl Bench {
    fn new() -> Self {
        let scratch = Scratch::temporary().unwrap();
        let pristine = scratch.path().join("a:b,c\\ d"); // all that mount options know as special
        let bench = Self { pristine, scratch };
        for file in FILES {
            bench.write(OsStr::new(file));
        }
        let deep: PathBuf = std::iter::repeat_n("deeper", 60).collect();
        bench.write(Path::new("dir/deep").join(deep).join("leaf").as_os_str());
        bench.write(OsStr::from_bytes(b"n\xff"));
        symlink("a.txt", bench.pristine.join("link")).unwrap();
        bench.mode("perm.txt", 0o755);
        bench.mode("ro/f", 0o444);
        bench.mode("ro", 0o555);
        bench
    }

    fn write(&self, name: &OsStr) {
        let path = self.pristine.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, [name.as_bytes(), b"\n"].concat()).unwrap();
        fs::set_permissions(path, Permissions::from_mode(0o644)).unwrap();
    }

    fn mode(&self, name: &str, mode: u32) {
        fs::set_permissions(self.pristine.join(name), Permissions::from_mode(mode)).unwrap();
    }

    fn layers(&self, layer: Layer) -> Layers {
        Layers::starting_with(layer, self.scratch.path())
    }

    fn sh(&self, tree: &mut Tree, script: &str) -> Ran {
        let dir = tree.path().to_owned();
        let argv = ["sh", "-c", &format!("umask 022; {script}")].map(OsString::from);
        let environment = Environment::clean(self.scratch.path()).unwrap();
        let limits = Limits {
            budget: Duration::from_secs(60),
            output: 1 << 20,
        };
        let job = Job {
            argv: &argv,
            dir: &dir,
            environment: &environment,
            limits,
            fence: None,
        };
        let ran = tree.run(&runner(), &job, &mut |_| ()).unwrap();
        assert_eq!(
            (&ran.end, ran.stderr.text().as_str()),
            (&End::Exit(0), ""),
            "{:?}",
            tree.layer()
        );
        ran
    }
}

fn runner() -> Runner {
    Runner::supervised_by(PathBuf::from(BINARY), Interrupt::watch().unwrap())
}

/// Everything below a directory, itself too.
fn contents(dir: &Path) -> BTreeMap<PathBuf, Entry> {
    let (mut found, mut left) = (BTreeMap::new(), vec![dir.to_owned()]);
    while let Some(path) = left.pop() {
        let meta = fs::symlink_metadata(&path).unwrap();
        let bytes = if meta.is_dir() {
            left.extend(
                fs::read_dir(&path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
            Vec::new()
        } else if meta.is_symlink() {
            fs::read_link(&path)
                .unwrap()
                .into_os_string()
                .as_bytes()
                .to_vec()
        } else {
            fs::read(&path).unwrap()
        };
        found.insert(
            path.strip_prefix(dir).unwrap().to_owned(),
            (meta.mode(), meta.mtime(), bytes),
        );
    }
    found
}

const FILES: [&str; 18] = [
    "a.txt",
    "b.txt",
    "trunc.txt",
    "gone.txt",
    "perm.txt",
    "same.txt",
    "dir/x",
    "dir/calm",
    "removed/p",
    "removed/q/r",
    "swapped-dir/f",
    "swapped-file",
    "linked",
    "ro/f",
    "again/one",
    "again/two",
    "again/sub/three",
    "calm/file",
];

/// What a run may do to its tree.
const HAVOC: &str = "
    echo more >>a.txt
    : >trunc.txt
    rm gone.txt
    mv b.txt c.txt
    chmod 600 perm.txt
    printf '' >>same.txt; touch same.txt; chmod 600 same.txt; chmod 644 same.txt
    ln dir/x hard; echo y >>hard
    rm -r removed
    rm -r swapped-dir; echo f >swapped-dir
    rm swapped-file; mkdir swapped-file; echo f >swapped-file/in
    ln -sf a.txt linked
    ln -sfn elsewhere link
    chmod u+w ro ro/f; echo y >>ro/f; chmod 444 ro/f; chmod 555 ro
    echo y >\"$(printf 'n\\377')\"
    rm -r again; mkdir again; echo again/one >again/one; echo y >again/new; mkdir -p again/sub
    mv dir/deep moved
    mkfifo pipe
    mkdir shut; echo y >shut/in; chmod 000 shut
    chmod 711 .";

const CHANGED: [&str; 33] = [
    ".",
    "a.txt",
    "again/new",
    "again/sub/three",
    "again/two",
    "b.txt",
    "c.txt",
    "dir/deep",
    "dir/x",
    "gone.txt",
    "hard",
    "link",
    "linked",
    "moved",
    "perm.txt",
    "pipe",
    "removed",
    "removed/p",
    "removed/q",
    "removed/q/r",
    "ro/f",
    "shut",
    "shut/in",
    "swapped-dir",
    "swapped-dir/f",
    "swapped-file",
    "swapped-file/in",
    "trunc.txt",
    "n?",
    "dir/deep/leaf",
    "moved/leaf",
    "dir/deep/directories",
    "moved/directories",
];

/// The list above with what cannot be written in it.
fn expected() -> BTreeSet<PathBuf> {
    let mut expected = BTreeSet::new();
    for path in CHANGED {
        let deep: PathBuf = std::iter::repeat_n("deeper", 60).collect();
        match path.rsplit_once('/') {
            Some((top, "leaf")) => _ = expected.insert(Path::new(top).join(deep).join("leaf")),
            Some((top, "directories")) => {
                let directories = deep.ancestors().filter(|deep| !deep.as_os_str().is_empty());
                expected.extend(directories.map(|deep| Path::new(top).join(deep)));
            }
            _ if path == "n?" => _ = expected.insert(PathBuf::from(OsStr::from_bytes(b"n\xff"))),
            _ => _ = expected.insert(PathBuf::from(path)),
        }
    }
    if !rustix::process::geteuid().is_root() {
        expected.remove(Path::new("shut/in")); // it cannot be seen, and its directory says so
    }
    expected
}

#[test]
fn nothing_that_a_run_does_reaches_the_pristine_tree_or_the_next_run() {
    let look =
        "find . -printf '%P %y %m %T@ %l\\n' | sort; find . -type f -exec sha256sum {} + | sort";
    let bench = Bench::new();
    let before = contents(&bench.pristine);
    let mut seen = BTreeSet::new();
    for layer in ALL {
        let layers = bench.layers(layer);
        let mut first = layers.fresh(&bench.pristine).unwrap();
        seen.insert(bench.sh(&mut first, look).stdout.text());
        assert_eq!(first.changed().unwrap(), BTreeSet::new(), "{layer:?}");
        let mut second = layers.fresh(&bench.pristine).unwrap();
        bench.sh(&mut second, HAVOC);
        assert_eq!(contents(&bench.pristine), before, "{layer:?}");
        let (changed, expected) = (second.changed().unwrap(), expected());
        let differs: Vec<_> = changed.symmetric_difference(&expected).collect();
        assert!(differs.is_empty(), "{layer:?}: {differs:?}");
        let mut third = layers.fresh(&bench.pristine).unwrap();
        seen.insert(bench.sh(&mut third, look).stdout.text());
        let failed: Vec<_> = layers.failed().iter().map(|(layer, _)| *layer).collect();
        assert_eq!(
            failed.contains(&layer),
            third.layer() != layer,
            "{failed:?}"
        );
        assert_eq!(
            failed.contains(&Layer::Overlay),
            layer == Layer::Overlay && !has_overlays(),
            "{failed:?}"
        );
        let paths = [&first, &second, &third].map(|tree| tree.path().parent().unwrap().to_owned());
        drop([first, second, third]);
        assert!(
            paths.iter().all(|path| fs::symlink_metadata(path).is_err()),
            "{layer:?} is left behind"
        );
    }
    assert_eq!(seen.len(), 1, "{seen:?}");
    let scratch = bench.scratch.path().to_owned();
    drop(bench);
    assert!(fs::symlink_metadata(scratch).is_err());
}

/// Whether this machine lets us mount them, asked in another way than the product does.
fn has_overlays() -> bool {
    let dir = assert_fs::TempDir::new().unwrap();
    for part in ["l", "u", "w", "m"] {
        fs::create_dir(dir.path().join(part)).unwrap();
    }
    let mount = "mount -t overlay x -o lowerdir=l,upperdir=u,workdir=w,userxattr m";
    let ran = Command::new("unshare")
        .args(["-rm", "sh", "-c", mount])
        .current_dir(dir.path())
        .output();
    _ = fs::set_permissions(dir.path().join("w/work"), Permissions::from_mode(0o700));
    ran.is_ok_and(|ran| ran.status.success())
}

#[test]
fn what_a_run_wrote_is_found_and_links_are_no_way_out() {
    let bench = Bench::new();
    for layer in ALL {
        let mut tree = bench.layers(layer).fresh(&bench.pristine).unwrap();
        bench.sh(
            &mut tree,
            "echo ok >dir/result; mkdir -p out/put; echo ok >out/put/r; rm gone.txt; rm -r again
             mkdir again; rm -r removed; ln -s /etc removed; ln -s /etc etc",
        );
        let find = |path: &str| tree.find(Path::new(path)).unwrap();
        for path in ["dir/result", "out/put/r"] {
            assert_eq!(
                fs::read_to_string(find(path).unwrap()).unwrap(),
                "ok\n",
                "{layer:?}"
            );
        }
        for path in ["a.txt", "dir/calm"] {
            assert_eq!(
                fs::read_to_string(find(path).unwrap()).unwrap(),
                format!("{path}\n")
            );
        }
        let none = [
            "gone.txt",
            "again/one",
            "again/sub/three",
            "removed/p",
            "etc/passwd",
            "x",
            "a.txt/x",
        ];
        for path in none
            .into_iter()
            .chain(["../a:b,c\\ d/a.txt", "/etc/passwd", "removed/passwd"])
        {
            assert_eq!(find(path), None, "{layer:?} {path}");
        }
    }
}

#[test]
fn a_job_may_begin_in_a_directory_of_its_tree() {
    let bench = Bench::new();
    for layer in ALL {
        let mut tree = bench.layers(layer).fresh(&bench.pristine).unwrap();
        let dir = tree.path().join("dir");
        let argv = ["sh", "-c", "cat x; pwd"].map(OsString::from);
        let environment = Environment::clean(bench.scratch.path()).unwrap();
        let limits = Limits {
            budget: Duration::from_secs(60),
            output: 1 << 20,
        };
        let job = Job {
            argv: &argv,
            dir: &dir,
            environment: &environment,
            limits,
            fence: None,
        };
        let ran = tree.run(&runner(), &job, &mut |_| ()).unwrap();
        assert_eq!(ran.stdout.text(), format!("dir/x\n{}\n", dir.display()));
    }
}

#[test]
fn a_layer_that_fails_is_followed_by_the_next_and_named() {
    let bench = Bench::new();
    let layers = bench.layers(Layer::Overlay);
    let mut tree = layers.fresh(&bench.pristine).unwrap();
    fs::remove_dir(tree.path().parent().unwrap().join("work")).unwrap();
    assert_eq!(
        bench.sh(&mut tree, "cat a.txt; echo x >new").stdout.text(),
        "a.txt\n"
    );
    assert!(tree.layer() > Layer::Overlay);
    assert_eq!(tree.changed().unwrap(), BTreeSet::from(["new".into()]));
    assert_eq!(layers.failed()[0].0, Layer::Overlay);
    assert!(layers.fresh(&bench.pristine).unwrap().layer() > Layer::Overlay);
    // a supervisor that says nothing
    let mute = Runner::supervised_by(PathBuf::from("/bin/true"), Interrupt::watch().unwrap());
    let probed = Layers::probe(bench.scratch.path(), &mute);
    assert!(probed.is_err(), "{probed:?}");
}

#[test]
fn the_probe_takes_an_overlay_where_there_is_one() {
    let bench = Bench::new();
    let layers = Layers::probe(bench.scratch.path(), &runner()).unwrap();
    let is_overlay = layers.fresh(&bench.pristine).unwrap().layer() == Layer::Overlay;
    assert_eq!(is_overlay, has_overlays(), "{:?}", layers.failed());
    assert_eq!(layers.failed().is_empty(), is_overlay);
}

/// Runs tests of this file in a process of their own.
fn again(tests: &[&str]) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(tests).args([
        "--exact",
        "--include-ignored",
        "--nocapture",
        "--test-threads=1",
    ]);
    command
}

#[test]
fn nobody_has_the_same_trees_as_root() {
    let tests = again(&[
        "nothing_that_a_run_does_reaches_the_pristine_tree_or_the_next_run",
        "what_a_run_wrote_is_found_and_links_are_no_way_out",
        "a_layer_that_fails_is_followed_by_the_next_and_named",
        "the_probe_takes_an_overlay_where_there_is_one",
    ]);
    nobody::runs(tests, "4 passed");
}

#[test]
#[ignore = "the next test runs it, and kills it"]
fn a_parent_to_be_killed() {
    let Some(scratch) = std::env::var_os("LAYER_SCRATCH").map(PathBuf::from) else {
        return;
    };
    let bench = Bench {
        pristine: scratch.join("pristine"),
        scratch: Scratch::temporary().unwrap(),
    };
    let layers = Layers::starting_with(Layer::Overlay, &scratch);
    let mut tree = layers.fresh(&bench.pristine).unwrap();
    let wait = "cat /proc/self/mountinfo >../mounts; echo $$ >../pid.new; mv ../pid.new ../pid; sleep 1000";
    bench.sh(&mut tree, wait);
}

#[test]
fn no_mount_is_seen_outside_or_outlives_a_parent_that_is_killed() {
    if !has_overlays() {
        return;
    }
    let temp = assert_fs::TempDir::new().unwrap();
    fs::create_dir(temp.path().join("pristine")).unwrap();
    let mut parent = again(&["a_parent_to_be_killed"]);
    parent
        .env("LAYER_SCRATCH", temp.path())
        .env("TMPDIR", temp.path());
    let mut parent = parent.spawn().unwrap();
    let began = Instant::now();
    let runs = || {
        fs::read_dir(temp.path())
            .unwrap()
            .map(|entry| entry.unwrap().path())
    };
    let (run, pid) = loop {
        let started = |run: PathBuf| Some((run.clone(), fs::read_to_string(run.join("pid")).ok()?));
        match runs().find_map(started) {
            Some(found) => break found,
            None => assert!(
                began.elapsed() < Duration::from_secs(60),
                "the job did not start"
            ),
        }
        std::thread::yield_now();
    };
    let mounts = || fs::read_to_string("/proc/self/mountinfo").unwrap();
    let is_there = |mounts: &str| mounts.contains(run.to_str().unwrap());
    assert!(is_there(&fs::read_to_string(run.join("mounts")).unwrap()) && !is_there(&mounts()));
    parent.kill().unwrap();
    parent.wait().unwrap();
    while fs::symlink_metadata(format!("/proc/{}", pid.trim())).is_ok() {
        assert!(
            began.elapsed() < Duration::from_secs(60),
            "the job outlives us"
        );
        std::thread::yield_now();
    }
    assert!(!is_there(&mounts()));
}
