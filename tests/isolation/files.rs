//! Every way to change a fixture, tried by a job.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use git_reins::model::run::End;
use git_reins::model::trial::Enforced;
use git_reins::sandbox::layer::Layer;
use git_reins::sandbox::plan::Limits;
use git_reins::sandbox::run::Job;
use rustix::fs::{AtFlags, CWD, Dev, FileType, Mode, Timespec, Timestamps, XattrFlags};

use super::bench::{Bench, MOUNTS, RULES, can, contents, runner};

type Try = (&'static str, fn() -> io::Result<()>);

const DATA: &str = "tests/fixtures/data";

/// What changes bytes or names.
const BYTES: &[Try] = &[
    ("rm", || fs::remove_file(DATA)),
    ("rm -r", || fs::remove_dir_all("tests/fixtures")),
    ("rm a file", || fs::remove_file("tests/prop.py")),
    ("truncate", || Ok(rustix::fs::ftruncate(open(DATA)?, 0)?)),
    ("open to truncate", || File::create(DATA).map(drop)),
    ("write", || open(DATA)?.write_all(b"x")),
    ("append", || {
        OpenOptions::new().append(true).open(DATA)?.write_all(b"x")
    }),
    ("write a file", || open("tests/prop.py")?.write_all(b"x")),
    ("write by an absolute path", || {
        open(std::env::current_dir()?.join(DATA))?.write_all(b"x")
    }),
    ("write by /proc", || {
        open(Path::new("/proc/self/cwd").join(DATA))?.write_all(b"x")
    }),
    ("write through a link", || {
        symlink(std::env::current_dir()?.join(DATA), "src/link")?;
        open("src/link")?.write_all(b"x")
    }),
    ("rename", || fs::rename(DATA, "tests/fixtures/other")),
    ("rename out", || fs::rename(DATA, "src/other")),
    ("rename the directory", || {
        fs::rename("tests/fixtures", "tests/other")
    }),
    ("rename the one above", || fs::rename("tests", "other")),
    ("replace", || {
        fs::write("src/new", "x").and_then(|()| fs::rename("src/new", DATA))
    }),
    ("replace a file", || {
        fs::write("src/new", "x").and_then(|()| fs::rename("src/new", "tests/prop.py"))
    }),
    ("hard link out", || fs::hard_link(DATA, "src/hard")),
    ("hard link in", || {
        fs::hard_link("src/code", "tests/fixtures/hard")
    }),
    ("a new file", || fs::write("tests/fixtures/new", "x")),
    ("a new directory", || fs::create_dir("tests/fixtures/dir")),
    ("the tree below", || {
        open(place("PRISTINE").join(DATA))?.write_all(b"x")
    }),
    ("a new file below", || {
        fs::write(place("PRISTINE").join("tests/fixtures/new"), "x")
    }),
    ("the layer", || {
        fs::create_dir_all(place("UPPER").join("tests/fixtures/layered"))
    }),
    ("outside", || {
        fs::write(place("PRISTINE").with_file_name("outside"), "x")
    }),
    ("a mount", || {
        sh("mount -o remount,bind,rw tests/fixtures || umount tests/fixtures")
    }),
    ("a namespace", || {
        apart("umount tests/fixtures || umount -l tests/fixtures")
    }),
    ("a namespace to remount in", || {
        apart("mount -o remount,bind,rw tests/fixtures")
    }),
    ("a namespace to move in", || {
        apart("mount --move tests/fixtures src")
    }),
    ("a second sight", || {
        apart("mount --bind tests src && echo x >src/fixtures/data")
    }),
    ("a second sight of all", || {
        apart("mount --rbind tests src && { umount -l src/fixtures; echo x >src/fixtures/data; }")
    }),
    ("a second sight of the kernel", || {
        apart("mount -t proc proc src && echo x >src/sys/kernel/core_pattern")
    }),
    ("a disk", || {
        let device = fs::metadata("/")?.dev();
        rustix::fs::mknodat(
            CWD,
            "src/disk",
            FileType::BlockDevice,
            Mode::RWXU,
            Dev::from(device),
        )?;
        open("src/disk").map(drop)
    }),
    ("the disks", || {
        sh("for disk in /dev/[vs]d? /dev/nvme*n?; do ( : >>$disk ) && exit 0; done; exit 1")
    }),
    ("the kernel", || {
        open("/proc/sys/kernel/core_pattern").map(drop)
    }),
    ("the trigger", || open("/proc/sysrq-trigger").map(drop)),
    ("the system", || {
        open("/sys/kernel/mm/transparent_hugepage/enabled").map(drop)
    }),
];

/// What changes what is written about it.
const MARKS: &[Try] = &[
    ("chmod", || {
        fs::set_permissions(DATA, Permissions::from_mode(0o600))
    }),
    ("chmod the directory", || {
        fs::set_permissions("tests/fixtures", Permissions::from_mode(0o700))
    }),
    ("utimes", || {
        let time = Timespec {
            tv_sec: 1,
            tv_nsec: 0,
        };
        let times = Timestamps {
            last_access: time,
            last_modification: time,
        };
        Ok(rustix::fs::utimensat(CWD, DATA, &times, AtFlags::empty())?)
    }),
    ("setxattr", || {
        Ok(rustix::fs::setxattr(
            DATA,
            "user.mark",
            b"x",
            XattrFlags::empty(),
        )?)
    }),
];

/// What every job needs.
const OWN: &[Try] = &[
    ("read", || fs::read(DATA).map(drop)),
    ("edit", || open("src/code")?.write_all(b"edited\n")),
    ("create", || fs::write("src/made", "x")),
    ("home", || fs::write(place("HOME").join("file"), "x")),
    ("tmp", || fs::write(place("TMPDIR").join("file"), "x")),
    ("null", || open("/dev/null")?.write_all(b"x")),
    ("shm", || {
        fs::write("/dev/shm/git-reins-test", "x")
            .and_then(|()| fs::remove_file("/dev/shm/git-reins-test"))
    }),
];

fn open(path: impl AsRef<Path>) -> io::Result<File> {
    OpenOptions::new().write(true).open(path)
}

fn place(name: &str) -> PathBuf {
    std::env::var_os(name).unwrap().into()
}

fn sh(script: &str) -> io::Result<()> {
    let ran = Command::new("sh").args(["-c", script]).output()?;
    if ran.status.success() {
        Ok(())
    } else {
        Err(io::Error::from_raw_os_error(libc::EPERM))
    }
}

/// A job may make namespaces, in which it has every capability.
fn apart(script: &str) -> io::Result<()> {
    let ways = r#"for how in -rm "-Um --keep-caps" "-cm --keep-caps"; do unshare $how sh -c "$0" && exit 0; done; exit 1"#;
    let ran = Command::new("sh").args(["-c", ways, script]).output()?;
    if ran.status.success() {
        Ok(())
    } else {
        Err(io::Error::from_raw_os_error(libc::EPERM))
    }
}

#[test]
fn a_namespace_without_a_fence_is_a_way_around_it() {
    let bench = Bench::new(Layer::Copy);
    let script = "mkdir a b && echo x >a/file && unshare -Um --keep-caps sh -c 'mount --bind a b && echo y >b/file'; cat a/file";
    let ran = bench.sh(git_reins::sandbox::fence::Fence::OPEN, script);
    assert!(
        !can(MOUNTS) || ran.stdout.text() == "y\n",
        "these attempts are none: {ran:?}"
    );
}

#[test]
#[ignore = "a job of the other tests"]
fn a_job_that_tries_everything() {
    let say = |(name, attempt): &Try| match attempt() {
        Ok(()) => println!("\n>{name}>ok"),
        Err(error) => println!("\n>{name}>{error}"),
    };
    OWN.iter().chain(MARKS).chain(BYTES).for_each(say);
    let status = fs::read_to_string("/proc/self/status").unwrap();
    // who never had one cannot shrink the set of those that a program could give him
    let counts = |line: &&str| line.starts_with("Cap") && !line.starts_with("CapBnd");
    let powers = status
        .lines()
        .filter(counts)
        .filter(|line| !line.ends_with("0000000000000000"));
    assert_eq!(powers.collect::<Vec<_>>(), Vec::<&str>::new());
    assert!(status.contains("NoNewPrivs:\t1"));
}

/// What came of every attempt.
fn tried(bench: &Bench, means: Enforced) -> BTreeMap<String, String> {
    let mut tree = bench.tree();
    let before = contents(&bench.pristine);
    let upper = tree.path().with_file_name("upper");
    let environment = bench
        .environment()
        .set("PRISTINE", &bench.pristine)
        .set("UPPER", upper);
    let program = std::env::current_exe().unwrap();
    let test = "isolation::files::a_job_that_tries_everything";
    let argv = [
        program.to_str().unwrap(),
        test,
        "--exact",
        "--ignored",
        "--nocapture",
        "--test-threads=1",
    ];
    let ran = bench.run_in(&mut tree, means, &argv, &environment).unwrap();
    let said = ran.stdout.text();
    assert_eq!(
        (&ran.end, ran.leaked),
        (&End::Exit(0), 0),
        "{said}{}",
        ran.stderr.text()
    );
    assert_eq!(tree.layer(), bench.layer);
    assert_eq!(contents(&bench.pristine), before);
    for kept in [DATA, "tests/prop.py"] {
        let now = fs::read(tree.find(Path::new(kept)).unwrap().unwrap()).unwrap();
        assert_eq!(now, fs::read(bench.pristine.join(kept)).unwrap(), "{kept}");
    }
    let changed: Vec<_> = tree
        .changed()
        .unwrap()
        .into_iter()
        .filter(|path| !path.starts_with("src"))
        .collect();
    let marks = ["tests/fixtures", DATA].map(PathBuf::from);
    assert!(
        changed
            .iter()
            .all(|path| means == RULES && marks.contains(path)),
        "{changed:?}"
    );
    let lines = said
        .lines()
        .filter_map(|line| line.strip_prefix('>')?.split_once('>'));
    lines
        .map(|(name, answer)| (name.to_owned(), answer.to_owned()))
        .collect()
}

fn expect(tried: &BTreeMap<String, String>, names: &[Try], is_ok: bool) {
    let other = names.iter().map(|(name, _)| (*name, tried[*name].as_str()));
    let other: Vec<_> = other
        .filter(|(_, answer)| (*answer == "ok") != is_ok)
        .collect();
    assert!(other.is_empty(), "is_ok should be {is_ok}: {other:?}");
}

#[test]
fn mounts_keep_bytes_names_and_marks_of_a_fixture() {
    if !can(MOUNTS) {
        return;
    }
    for layer in [Layer::Overlay, Layer::Copy] {
        let tried = tried(&Bench::new(layer), MOUNTS);
        expect(&tried, OWN, true);
        expect(&tried, MARKS, false);
        expect(&tried, BYTES, false);
        assert!(
            tried["rm"].contains("Read-only") && tried["hard link out"].contains("cross-device"),
            "{tried:?}"
        );
    }
}

#[test]
fn landlock_keeps_bytes_and_names_of_a_fixture() {
    if !can(RULES) {
        return;
    }
    for layer in [Layer::Overlay, Layer::Copy] {
        let tried = tried(&Bench::new(layer), RULES);
        expect(&tried, OWN, true);
        expect(&tried, &MARKS[..3], true); // it has no rights for those: only looking afterwards helps
        expect(&tried, BYTES, false);
    }
}

#[test]
fn what_cannot_be_fenced_in_is_no_fence() {
    if !can(MOUNTS) {
        return;
    }
    for means in [MOUNTS, RULES] {
        for (link, is) in [
            ("missing", "No such file"),
            ("link", "is reached by a link"),
            ("dir/data", "by a link"),
        ] {
            let bench = Bench::new(Layer::Copy);
            let tree = bench.tree();
            symlink("src/code", tree.path().join("link")).unwrap();
            symlink("tests/fixtures", tree.path().join("dir")).unwrap();
            let mut fence = bench.fence(&tree, means);
            fence.read_only.push(tree.path().join(link));
            let (argv, environment) = (["true".into()], bench.environment());
            let limits = Limits {
                budget: bench.budget,
                output: 100,
            };
            let dir = tree.path();
            let job = Job {
                argv: &argv,
                dir,
                environment: &environment,
                limits,
                fence: Some(&fence),
            };
            let error = runner().run(&job, &mut |_| ()).unwrap_err().to_string();
            assert!(
                error.starts_with("no fence: ") && error.contains(is),
                "{error}"
            );
        }
    }
}

#[test]
fn a_fence_around_very_many_files_stands() {
    let fences = [(MOUNTS, Layer::Overlay), (RULES, Layer::Copy)];
    for (means, layer) in fences.into_iter().filter(|(means, _)| can(*means)) {
        let bench = Bench::new(layer);
        // wherever the orders of the supervisor are cut, a piece begins with a dash
        let names: Vec<_> = (0..2000)
            .map(|number| format!("tests/{:->60}.py", number))
            .collect();
        names
            .iter()
            .for_each(|name| fs::write(bench.pristine.join(name), "kept").unwrap());
        let mut tree = bench.tree();
        let mut fence = bench.fence(&tree, means);
        fence
            .read_only
            .extend(names.iter().map(|name| tree.path().join(name)));
        let script = format!("echo x >src/made; ! rm {0} && ! echo x >{0}", names[1999]);
        let (argv, environment) = (
            ["sh", "-c", &script].map(std::ffi::OsString::from),
            bench.environment(),
        );
        let dir = tree.path().to_owned();
        let limits = Limits {
            budget: bench.budget,
            output: 10_000,
        };
        let job = Job {
            argv: &argv,
            dir: &dir,
            environment: &environment,
            limits,
            fence: Some(&fence),
        };
        let ran = tree.run(&runner(), &job, &mut |_| ()).unwrap();
        assert_eq!(ran.end, End::Exit(0), "{}", ran.stderr.text());
        let changed = tree.changed().unwrap();
        assert_eq!(
            changed.into_iter().collect::<Vec<_>>(),
            ["src/made"].map(PathBuf::from)
        );
    }
}
