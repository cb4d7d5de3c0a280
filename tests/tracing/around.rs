//! Does a job find a way to open a file unseen?

use git_reins::model::run::End;
use git_reins::model::trial::Trace;

use crate::scene::{BOTH, PYTHON, Scene, here, list, skip};

#[test]
fn calls_of_another_machine_are_not_made() {
    if !cfg!(target_arch = "x86_64") {
        return;
    }
    let scene = Scene::new();
    scene.write("file", "text");
    // open by the table of i386, which a program for x86_64 can ask for too
    let source = r#"
        #define _GNU_SOURCE
        #include <string.h>
        #include <sys/mman.h>
        #include <unistd.h>
        int main(void) {
            char *low = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
            strcpy(low, "file");
            long done;
            __asm__ volatile("int $0x80" : "=a"(done) : "a"(5), "b"(low), "c"(0), "d"(0) : "memory");
            return (int)done < 0 ? 1 : 0;
        }"#;
    let program = scene.compiled(source, &[]);
    for trace in BOTH {
        let Some(ran) = scene.try_run(trace, &[program.to_str().unwrap()]) else {
            return;
        };
        assert_eq!(ran.end, End::Signal(31), "{trace:?}: {}", ran.stderr.text());
    }
    let alone = std::process::Command::new(&program)
        .current_dir(&scene.dir)
        .status()
        .unwrap();
    if !alone.success() {
        let _: Option<()> = skip("this kernel makes no calls of i386 anyway");
    }
}

#[test]
fn rings_and_foreign_numbers_are_absent() {
    for trace in BOTH {
        let scene = Scene::new();
        let seen = scene.python(
            trace,
            "
room = (ctypes.c_char * 128)()
assert call(425, 8, room) == -errno.ENOSYS
assert call(0x40000002, ctypes.c_char_p(b'file'), 0) == -errno.ENOSYS
assert call(-1) == -errno.ENOSYS
",
        );
        let Some(seen) = seen else { return };
        assert!(seen.is_empty());
    }
}

/// A filter that asks a listener is stronger than one that asks a tracer.
#[test]
fn a_job_has_no_listener_of_its_own() {
    for trace in BOTH {
        let scene = Scene::new();
        scene.write("file", "text");
        let seen = scene.python(
            trace,
            "
class Program(ctypes.Structure): _fields_ = [('len', ctypes.c_ushort), ('filter', ctypes.c_void_p)]
allow = (ctypes.c_ubyte * 8)(6, 0, 0, 0, 0, 0, 0xff, 0x7f)
program = Program(1, ctypes.cast(allow, ctypes.c_void_p))
assert call(317, 1, 8, ctypes.byref(program)) == -errno.EBUSY
assert call(317, 1, 0, ctypes.byref(program)) == 0
read('file')
",
        );
        let Some(seen) = seen else { return };
        assert_eq!(seen, list(&[("file", "r")]));
    }
}

#[test]
fn who_leaves_the_tracer_opens_nothing() {
    let scene = Scene::new();
    scene.write("file", "text");
    let script = "
UNTRACED = 0x00800000
pid = call(56, signal.SIGCHLD | UNTRACED, 0, 0, 0, 0)
if pid == 0:
    try: os.open('file', os.O_RDONLY); os._exit(1)
    except OSError as error: os._exit(error.errno)
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == errno.ENOSYS
assert libc.ptrace(0, 0, 0, 0) == -1 and ctypes.get_errno() == errno.EPERM
";
    let Some(seen) = scene.python(Trace::Ptrace, script) else {
        return;
    };
    assert!(seen.is_empty(), "{seen:?}");
}

/// Tracers, debuggers and leak checkers of the job trace by themselves.
#[test]
fn a_listener_leaves_tracing_to_the_job() {
    let scene = Scene::new();
    scene.write("file", "text");
    let script = "
pid = os.fork()
if pid == 0:
    assert libc.ptrace(0, 0, 0, 0) == 0
    os.kill(os.getpid(), signal.SIGSTOP); read('file'); os._exit(0)
assert os.WIFSTOPPED(os.waitpid(pid, 0)[1])
assert libc.ptrace(7, pid, 0, 0) == 0
assert os.waitpid(pid, 0)[1] == 0
";
    let Some(seen) = scene.python(Trace::Notify, script) else {
        return;
    };
    assert_eq!(seen, list(&[("file", "r")]));
}

#[test]
fn a_leak_checker_runs_by_a_listener_only() {
    let scene = Scene::new();
    scene.write("file", "text");
    let source = r#"
        #include <fcntl.h>
        int main(void) { return open("file", O_RDONLY) < 0; }"#;
    let program = scene.compiled(source, &["-fsanitize=leak"]);
    let argv = [program.to_str().unwrap()];
    if let Some(ran) = scene.try_run(Trace::Ptrace, &argv) {
        assert_ne!(ran.end, End::Exit(0));
        assert!(
            git_reins::sandbox::trace::probe::minds_ptrace(&ran),
            "{}",
            ran.stderr.text()
        );
    }
    if let Some(ran) = scene.try_run(Trace::Notify, &argv) {
        assert_eq!(ran.end, End::Exit(0), "{}", ran.stderr.text());
        assert!(!git_reins::sandbox::trace::probe::minds_ptrace(&ran));
        assert_eq!(here(&ran, &scene.dir), list(&[("file", "r")]));
    }
}

/// What cannot be looked at is not told as nothing.
#[test]
fn a_process_that_hides_leaves_all_unknown() {
    for trace in BOTH {
        let scene = Scene::of_nobody();
        scene.write("file", "text");
        let hides = "import ctypes; ctypes.CDLL(None).prctl(4, 0); open('file')";
        let Some(ran) = scene.try_run(trace, &[PYTHON, "-c", hides]) else {
            return;
        };
        assert_eq!(ran.end, End::Exit(0), "{}", ran.stderr.text());
        assert!(
            ran.opened.is_none() && ran.untraced.unwrap().contains("cannot"),
            "{trace:?}"
        );
    }
}

/// A judge inside a job sees nothing, and says so.
#[test]
fn who_is_watched_watches_nobody() {
    let plan = |trace: &str| {
        let means =
            format!(r#"{{"fixtures":"none","network":"none","kill":"pgrp","trace":"{trace}"}}"#);
        let fence =
            format!(r#"{{"means":{means},"read_only":[],"writable":[],"network":"allow"}}"#);
        format!(
            r#"{{"limits":{{"budget":{{"secs":9,"nanos":0}},"output":99}},"layer":null,"fence":{fence}}}"#
        )
    };
    for (outer, inner) in [
        (Trace::Ptrace, "ptrace"),
        (Trace::Ptrace, "notify"),
        (Trace::Notify, "notify"),
    ] {
        let scene = Scene::new();
        let argv = [
            env!("CARGO_BIN_EXE_git-reins"),
            "supervise",
            "--plan",
            &plan(inner),
            "--",
            "touch",
            "file",
        ];
        let Some(ran) = scene.try_run(outer, &argv) else {
            return;
        };
        let said = ran.stdout.text();
        assert!(
            said.contains("the job cannot be traced: "),
            "{outer:?} {inner}: {said}"
        );
        assert!(!scene.dir.join("file").exists());
    }
}
