//! Is every process and thread of a job seen, and does it run as it would alone?

use std::fs;
use std::path::PathBuf;

use git_reins::model::run::End;
use git_reins::model::trial::Trace;

use crate::scene::{BOTH, Scene, here, list};

#[test]
fn whoever_opens_is_seen() {
    for trace in BOTH {
        let scene = Scene::new();
        let names = [
            "clone",
            "daemon",
            "exec",
            "grandchild",
            "setsid",
            "spawn",
            "thread",
            "vfork",
        ];
        scene.write_all(&names);
        let seen = scene.python(
            trace,
            "
thread = threading.Thread(target=read, args=['thread']); thread.start(); thread.join()
def forked(*then):
    pid = os.fork()
    if pid: os.waitpid(pid, 0)
    else:
        try:
            for step in then: step()
        finally: os._exit(0)
forked(lambda: forked(lambda: read('grandchild')))
done = os.pipe()
def daemon():
    os.setsid()
    if os.fork() == 0:
        os.close(done[0]); read('daemon')
        os._exit(0)
forked(daemon)
os.close(done[1]); os.read(done[0], 1)
forked(os.setsid, lambda: read('setsid'))
os.waitpid(os.posix_spawn('/bin/cat', ['cat', 'spawn'], {}), 0)
subprocess.run(['cat', 'vfork'], close_fds=False, check=True, stdout=subprocess.DEVNULL)
pid = call(56, signal.SIGCHLD, 0, 0, 0, 0)
if pid == 0: read('clone'); os._exit(0)
os.waitpid(pid, 0)
os.execv('/bin/cat', ['cat', 'exec'])
",
        );
        let Some(seen) = seen else { return };
        assert_eq!(seen, list(&names.map(|name| (name, "r"))), "{trace:?}");
    }
}

#[test]
fn a_crowd_is_seen_whole() {
    for trace in BOTH {
        let scene = Scene::new();
        let names: Vec<_> = (0..200).map(|number| format!("process-{number}")).collect();
        let threads: Vec<_> = (0..50).map(|number| format!("thread-{number}")).collect();
        names
            .iter()
            .chain(&threads)
            .for_each(|name| drop(scene.write(name, "text")));
        let seen = scene.python(
            trace,
            "
for number in range(200):
    if os.fork() == 0:
        for _ in range(20): read(f'process-{number}')
        os.execv('/bin/true', ['true'])
def work(number):
    for _ in range(20): read(f'thread-{number}')
threads = [threading.Thread(target=work, args=[number]) for number in range(50)]
for thread in threads: thread.start()
for thread in threads: thread.join()
for number in range(200): assert os.wait()[1] == 0
",
        );
        let Some(seen) = seen else { return };
        let names: Vec<_> = names
            .iter()
            .chain(&threads)
            .map(|name| (name, "r"))
            .collect();
        assert_eq!(seen, list(&names), "{trace:?}");
    }
}

/// It gets the number of the first thread, which is gone, and the others with it.
#[test]
fn a_thread_becomes_another_program() {
    for trace in BOTH {
        let scene = Scene::new();
        scene.write_all(&["after", "before"]);
        let script = "
def work():
    read('before'); once.release()
    while True: read('before')
once = threading.Semaphore(0)
for _ in range(8): threading.Thread(target=work, daemon=True).start()
once.acquire()
threading.Thread(target=lambda: os.execv('/bin/cat', ['cat', 'after'])).start()
while True: read('before')
";
        for _ in 0..5 {
            let Some(seen) = scene.python(trace, script) else {
                return;
            };
            assert_eq!(seen, list(&[("after", "r"), ("before", "r")]), "{trace:?}");
        }
    }
}

#[test]
fn a_job_stops_and_goes_on_and_gets_each_signal_once() {
    for trace in BOTH {
        let scene = Scene::new();
        scene.write("woken", "text");
        let seen = scene.python(
            trace,
            "
pid = os.fork()
if pid == 0:
    os.kill(os.getpid(), signal.SIGSTOP); read('woken'); os._exit(7)
assert os.WIFSTOPPED(os.waitpid(pid, os.WUNTRACED)[1])
os.kill(pid, signal.SIGCONT)
assert os.WIFCONTINUED(os.waitpid(pid, os.WCONTINUED)[1])
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
came = []
for number in (signal.SIGUSR1, signal.SIGRTMIN + 3, signal.SIGTRAP, signal.SIGCHLD):
    signal.signal(number, lambda number, frame: came.append(number))
    os.kill(os.getpid(), number)
assert came == [10, 37, 5, 17], came
for _ in range(100):
    child = os.fork()
    if child == 0:
        while True: read('woken')
    os.kill(child, signal.SIGKILL)
    assert os.waitpid(child, 0)[1] == 9
",
        );
        let Some(seen) = seen else { return };
        assert_eq!(seen, list(&[("woken", "r")]), "{trace:?}");
    }
}

/// A call that waits in the kernel holds up nobody else, and a signal ends it.
#[test]
fn an_open_that_waits_holds_up_nobody() {
    for trace in BOTH {
        let scene = Scene::new();
        scene.write("other", "text");
        let seen = scene.python(
            trace,
            "
os.mkfifo('fifo'); came = []
signal.signal(signal.SIGUSR1, lambda *_: came.append(1))
pid = os.fork()
if pid == 0:
    for _ in range(100): read('other')
    os.kill(os.getppid(), signal.SIGUSR1)
    with open('fifo', 'w') as file: file.write('text')
    os._exit(0)
assert read('fifo') == b'text' and came == [1]
os.waitpid(pid, 0)
",
        );
        let Some(seen) = seen else { return };
        assert_eq!(seen, list(&[("other", "r")]), "{trace:?}");
    }
}

#[test]
fn nothing_traced_outlives_its_tracer() {
    let scene = Scene::new();
    let line = "(trap '' TERM; sh -c 'echo $$ >>pids; exec sleep 1000' &) ; until test -s pids; do :; done; exit 0";
    let Some(ran) = scene.try_run(Trace::Ptrace, &["sh", "-c", line]) else {
        return;
    };
    assert_eq!(
        (ran.end.clone(), ran.leaked, ran.survivors),
        (End::Exit(0), 1, 0)
    );
    assert_eq!(here(&ran, &scene.dir), list(&[("pids", "w")]));
    let pid = fs::read_to_string(scene.dir.join("pids")).unwrap();
    assert!(fs::symlink_metadata(PathBuf::from("/proc").join(pid.trim())).is_err());
}
