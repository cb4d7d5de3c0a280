//! Is a file seen however it is opened, and by its own path?

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;

use git_reins::model::run::End;
use git_reins::model::trial::Trace;
use git_reins::sandbox::layer::{Layer, Layers};

use crate::scene::{BOTH, Scene, here, list};

#[test]
fn every_way_to_name_a_file_leads_to_the_file() {
    for trace in BOTH {
        let scene = Scene::new();
        for name in ["plain", "a/dir", "a/at", "b/real", "two", "raw", "stdin"] {
            scene.write(name, "text");
        }
        symlink("b", scene.dir.join("link")).unwrap();
        symlink("link/real", scene.dir.join("far")).unwrap();
        let seen = scene.python(
            trace,
            "
read('./a/../plain')
os.chdir('a'); read('dir'); os.chdir('..')
fd = os.open('a', os.O_RDONLY | os.O_DIRECTORY)
os.close(os.open('at', os.O_RDONLY, dir_fd=fd))
read('far')
how = (ctypes.c_ulonglong * 3)(os.O_RDONLY, 0, 0)
two = call(437, -100, ctypes.c_char_p(b'two'), how, 24)
assert two > 0, two
read('/proc/self/cwd/raw')
os.dup2(os.open('stdin', os.O_RDONLY), 0); read('/dev/stdin')
os.listdir('.'); os.stat('b/real'); os.path.exists('absent')
for absent in ('absent', 'a/absent', 'plain/absent'):
    try: read(absent); sys.exit('it is there')
    except OSError: pass
",
        );
        let Some(seen) = seen else { return };
        let names = ["a/at", "a/dir", "b/real", "plain", "raw", "stdin", "two"];
        assert_eq!(seen, list(&names.map(|name| (name, "r"))), "{trace:?}");
    }
}

#[test]
fn what_it_is_opened_for_is_known() {
    for trace in BOTH {
        let scene = Scene::new();
        for name in ["both", "cut", "more", "named", "read", "two"] {
            scene.write(name, "text");
        }
        let seen = scene.python(
            trace,
            "
flags = [('both', os.O_RDWR), ('cut', os.O_RDONLY | os.O_TRUNC), ('more', os.O_WRONLY | os.O_APPEND),
         ('new', os.O_WRONLY | os.O_CREAT | os.O_EXCL), ('read', os.O_RDONLY), ('read', os.O_WRONLY),
         ('named', os.O_PATH)]
for name, flag in flags: os.close(os.open(name, flag))
how = (ctypes.c_ulonglong * 3)(os.O_RDWR | os.O_CLOEXEC, 0, 0)
assert call(437, -100, ctypes.c_char_p(b'two'), how, 24) > 0
os.mkdir('dir'); os.close(os.open('dir', os.O_RDONLY)); os.mkfifo('fifo')
os.close(os.open('fifo', os.O_RDONLY | os.O_NONBLOCK)); os.close(os.memfd_create('memory'))
os.close(os.open('.', os.O_TMPFILE | os.O_RDWR)); os.pipe(); read('/proc/self/stat'); read('/dev/null')
",
        );
        let Some(seen) = seen else { return };
        let expected = [
            ("both", "rw"),
            ("cut", "rw"),
            ("more", "w"),
            ("new", "w"),
            ("read", "rw"),
            ("two", "rw"),
        ];
        assert_eq!(seen, list(&expected), "{trace:?}");
    }
}

#[test]
fn names_of_any_bytes_survive() {
    for trace in BOTH {
        let scene = Scene::new();
        let names = [
            &b"not \xff text"[..],
            b"line\nbreak",
            b"is (deleted)",
            b"\\012",
        ]
        .map(OsStr::from_bytes);
        for name in names {
            std::fs::write(scene.dir.join(name), "text").unwrap();
        }
        let script = "for name in os.listdir(b'.'): read(name)";
        let Some(seen) = scene.python(trace, script) else {
            return;
        };
        assert_eq!(
            seen,
            list(&names.map(|name| (Path::new(name), "r"))),
            "{trace:?}"
        );
    }
}

#[test]
fn a_file_that_is_gone_meanwhile_was_opened() {
    let script = "
read('old'); os.unlink('old')
file = open('new', 'w'); os.unlink('new')
file = open('moved', 'r'); os.rename('moved', 'other')
fd = os.open('again', os.O_RDONLY); os.unlink('again'); read(f'/proc/self/fd/{fd}')
os.unlink('is'); link = os.open('is (deleted)', os.O_RDONLY)
";
    let scene = || {
        let scene = Scene::new();
        scene.write_all(&["again", "is", "is (deleted)", "moved", "old"]);
        scene
    };
    let rest = [
        ("again", "r"),
        ("is (deleted)", "r"),
        ("moved", "r"),
        ("old", "r"),
    ];
    if let Some(seen) = scene().python(Trace::Ptrace, script) {
        assert_eq!(seen, list(&[&[("new", "w")], &rest[..]].concat()));
    }
    // whether a file was made is seen at the end only
    if let Some(seen) = scene().python(Trace::Notify, script) {
        assert_eq!(seen, list(&rest));
    }
}

/// Root is let open everything, so that the job is nobody's.
#[test]
fn a_refusal_is_told_apart() {
    let script = "
for name, flag in (('shut', os.O_RDONLY), ('fixed', os.O_WRONLY), ('room/inner', os.O_RDONLY),
                   ('made/new', os.O_WRONLY | os.O_CREAT)):
    try: os.open(name, flag); sys.exit('it is open')
    except PermissionError: pass
read('fixed')
";
    for trace in BOTH {
        let scene = Scene::of_nobody();
        for (name, mode) in [
            ("shut", 0o0),
            ("fixed", 0o444),
            ("room/inner", 0o644),
            ("made/kept", 0o644),
        ] {
            chmod(&scene.write(name, "text"), mode);
        }
        chmod(&scene.dir.join("room"), 0o0);
        chmod(&scene.dir.join("made"), 0o555);
        let seen = scene.python(trace, script);
        chmod(&scene.dir.join("room"), 0o755);
        chmod(&scene.dir.join("made"), 0o755);
        let Some(seen) = seen else { return };
        let expected = match trace {
            Trace::Ptrace => {
                vec![
                    ("fixed", "rd"),
                    ("made/new", "d"),
                    ("room/inner", "d"),
                    ("shut", "d"),
                ]
            }
            // only what was asked for is known: that it is there, not that it was opened
            Trace::Notify | Trace::None => vec![("fixed", "rw"), ("shut", "r")],
        };
        assert_eq!(seen, list(&expected), "{trace:?}");
    }
}

fn chmod(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_program_that_is_run_is_read() {
    let scene = Scene::new();
    scene.executable("script", "#!/bin/sh\n. ./part\n./inner\n");
    scene.executable("inner", "#!/bin/true\nnothing reads this but the kernel\n");
    scene.write("part", ":");
    for trace in BOTH {
        let Some(ran) = scene.try_run(trace, &["./script"]) else {
            return;
        };
        assert_eq!(
            here(&ran, &scene.dir),
            list(&["inner", "part", "script"].map(|name| (name, "r")))
        );
        let opened = ran.opened.unwrap();
        let has = |name: &str| {
            opened
                .iter()
                .any(|touch| touch.path.to_string_lossy().contains(name))
        };
        assert!(has("/libc.so"), "{opened:?}");
        let shell = std::fs::canonicalize("/bin/sh").unwrap();
        let is_told = opened.iter().any(|touch| touch.path == shell);
        // what the kernel opens by itself is asked of nobody
        assert_eq!(
            (is_told, has("/ld-linux")),
            (trace == Trace::Ptrace, trace == Trace::Ptrace)
        );
    }
}

/// Where a job stands on a layer, its files have the paths that it knows them by.
#[test]
fn a_file_of_a_layer_is_in_the_tree() {
    for trace in BOTH {
        let scene = Scene::new();
        scene.write("below/kept", "text");
        scene.write("below/changed", "text");
        let layers = Layers::starting_with(Layer::Overlay, &scene.dir);
        let mut tree = layers.fresh(&scene.dir.join("below")).unwrap();
        let line = "read it <kept; echo more >>changed; echo new >made";
        let dir = tree.path().to_owned();
        let Some(ran) = scene.try_on(Some(&mut tree), &dir, trace, &["sh", "-c", line]) else {
            return;
        };
        assert_eq!(
            (&ran.end, tree.layer()),
            (&End::Exit(0), Layer::Overlay),
            "{}",
            ran.stderr.text()
        );
        assert_eq!(
            here(&ran, &dir),
            list(&[("changed", "w"), ("kept", "r"), ("made", "w")]),
            "{trace:?}"
        );
    }
}
