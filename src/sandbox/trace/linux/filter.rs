//! Builds the seccomp filter that reports calls which open files and refuses some others.
//!
//! A seccomp filter is handed on to everything that a job starts, and cannot be taken off.

use std::io;
use std::os::fd::{FromRawFd, OwnedFd, RawFd};

use libc::sock_filter;

/// Every call that opens a file or runs one. A path that is only looked at is not opened, nor is a
/// directory: see [`let_pass`].
pub const SHOWN: &[libc::c_long] = &[
    #[cfg(target_arch = "x86_64")]
    libc::SYS_open,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_creat,
    libc::SYS_openat,
    libc::SYS_openat2,
    libc::SYS_execve,
    libc::SYS_execveat,
    libc::SYS_open_by_handle_at,
];

/// How the kernel calls the machine that this program is built for (`linux/audit.h`).
#[cfg(target_arch = "x86_64")]
const MACHINE: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
const MACHINE: u32 = 0xc000_00b7;

/// Numbers from here on are those of x32. -1 is one too, and there is no such call either.
const FOREIGN: u32 = 0x4000_0000;

/// By what a job is traced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Means {
    /// By a tracer: a shown call stops for it.
    Ptrace,
    /// By a listener of the filter: a shown call waits for it.
    Notify,
}

/// Where the kernel keeps the parts of a call, in bytes (`struct seccomp_data`).
const NUMBER: u32 = 0;
const ARCHITECTURE: u32 = 4;
const SECOND_ARGUMENT: u32 = 24;
const THIRD_ARGUMENT: u32 = 32;

/// The filter. A foreign machine's calls have other numbers, so that nothing else may make any;
/// rings open files without a call; a listener of the job's own would be asked instead of us.
fn program(means: Means) -> Vec<sock_filter> {
    let shown = match means {
        Means::Ptrace => libc::SECCOMP_RET_TRACE,
        Means::Notify => libc::SECCOMP_RET_USER_NOTIF,
    };
    let listener = u32::try_from(libc::SECCOMP_FILTER_FLAG_NEW_LISTENER).unwrap_or(u32::MAX);
    let mut program = vec![load(ARCHITECTURE), jump(libc::BPF_JEQ, MACHINE, 1, 0)];
    program.extend([answer(libc::SECCOMP_RET_KILL_PROCESS), load(NUMBER)]);
    program.extend([jump(libc::BPF_JGE, FOREIGN, 0, 1), refuse(libc::ENOSYS)]);
    for call in SHOWN {
        let block = [let_pass(*call).as_slice(), &[answer(shown)]].concat();
        let over = u8::try_from(block.len()).expect("a block is some lines long");
        program.push(jump(libc::BPF_JEQ, number(*call), 0, over));
        program.extend(block);
    }
    program.extend([
        jump(libc::BPF_JEQ, number(libc::SYS_io_uring_setup), 0, 1),
        refuse(libc::ENOSYS),
    ]);
    program.extend([
        jump(libc::BPF_JEQ, number(libc::SYS_seccomp), 0, 3),
        load(SECOND_ARGUMENT),
    ]);
    program.extend([jump(libc::BPF_JSET, listener, 0, 1), refuse(libc::EBUSY)]);
    program.push(answer(libc::SECCOMP_RET_ALLOW));
    program
}

/// Lets a call pass that gets a directory or nothing, as its flags say: to list one is no access to
/// a file. `O_TMPFILE` has the same flag in it, and gets a file; with `O_CREAT`, old kernels make one.
fn let_pass(call: libc::c_long) -> Vec<sock_filter> {
    let flags = match call {
        #[cfg(target_arch = "x86_64")]
        libc::SYS_open => SECOND_ARGUMENT,
        libc::SYS_openat => THIRD_ARGUMENT,
        _ => return Vec::new(),
    };
    let mask = (libc::O_TMPFILE | libc::O_CREAT).cast_unsigned();
    let directory = libc::O_DIRECTORY.cast_unsigned();
    let masked = instruction(libc::BPF_ALU | libc::BPF_AND | libc::BPF_K, mask, (0, 0));
    vec![
        load(flags),
        masked,
        jump(libc::BPF_JEQ, directory, 0, 1),
        answer(libc::SECCOMP_RET_ALLOW),
    ]
}

fn number(call: libc::c_long) -> u32 {
    u32::try_from(call).unwrap_or(u32::MAX)
}

fn load(offset: u32) -> sock_filter {
    instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, offset, (0, 0))
}

/// Skips so many instructions when the test holds, and so many when it does not.
fn jump(test: u32, value: u32, holds: u8, fails: u8) -> sock_filter {
    instruction(libc::BPF_JMP | test | libc::BPF_K, value, (holds, fails))
}

fn answer(with: u32) -> sock_filter {
    instruction(libc::BPF_RET | libc::BPF_K, with, (0, 0))
}

fn refuse(errno: libc::c_int) -> sock_filter {
    answer(libc::SECCOMP_RET_ERRNO | u32::try_from(errno).unwrap_or_default())
}

fn instruction(code: u32, k: u32, (jt, jf): (u8, u8)) -> sock_filter {
    sock_filter {
        code: u16::try_from(code).unwrap_or_default(),
        jt,
        jf,
        k,
    }
}

/// Puts the filter on this process for good, and gives the listener if one is waited for.
///
/// # Errors
/// When the kernel has no such filters, or there is a listener already.
pub fn install(means: Means) -> io::Result<Option<OwnedFd>> {
    rustix::thread::set_no_new_privs(true)?;
    let flags = match means {
        Means::Ptrace => vec![0],
        // a kernel before 5.19 does not know that a call which is looked at waits for a kill only
        Means::Notify => vec![
            libc::SECCOMP_FILTER_FLAG_NEW_LISTENER | libc::SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV,
            libc::SECCOMP_FILTER_FLAG_NEW_LISTENER,
        ],
    };
    let mut installed = Err(io::ErrorKind::Unsupported.into());
    for flags in flags {
        installed = put(&program(means), flags);
        if !matches!(&installed, Err(error) if error.raw_os_error() == Some(libc::EINVAL)) {
            break;
        }
    }
    Ok(match means {
        Means::Ptrace => installed.map(|_| None)?,
        Means::Notify => Some(own(installed?)),
    })
}

#[expect(unsafe_code, reason = "the call has no safe form")]
fn put(program: &[sock_filter], flags: libc::c_ulong) -> io::Result<libc::c_long> {
    let len = u16::try_from(program.len()).map_err(io::Error::other)?;
    let program = libc::sock_fprog {
        len,
        filter: program.as_ptr().cast_mut(),
    };
    // SAFETY: the kernel copies `len` instructions, which the slice holds, and writes nothing
    let done = unsafe {
        libc::syscall(
            libc::SYS_seccomp,
            libc::SECCOMP_SET_MODE_FILTER,
            flags,
            &raw const program,
        )
    };
    if done < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(done)
    }
}

#[expect(unsafe_code, reason = "a new descriptor comes as a number")]
fn own(number: libc::c_long) -> OwnedFd {
    let number = RawFd::try_from(number).unwrap_or(-1);
    // SAFETY: the kernel has just opened the descriptor for us, so that nobody else owns it
    unsafe { OwnedFd::from_raw_fd(number) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the filter answers, by the rules of the instructions that it is made of.
    fn ask(means: Means, machine: u32, call: u32, [second, third]: [u32; 2]) -> u32 {
        let (program, mut at, mut held) = (program(means), 0, 0);
        let data = [
            (NUMBER, call),
            (ARCHITECTURE, machine),
            (SECOND_ARGUMENT, second),
            (THIRD_ARGUMENT, third),
        ];
        loop {
            let sock_filter { code, jt, jf, k } = program[at];
            let holds = match u32::from(code) {
                0x20 => {
                    held = data
                        .iter()
                        .find_map(|(offset, value)| (*offset == k).then_some(*value))
                        .unwrap();
                    at += 1;
                    continue;
                }
                0x54 => {
                    held &= k;
                    at += 1;
                    continue;
                }
                0x06 => return k,
                0x15 => held == k,
                0x35 => held >= k,
                0x45 => held & k != 0,
                other => panic!("{other:#x}"),
            };
            at += 1 + usize::from(if holds { jt } else { jf });
        }
    }

    #[test]
    fn calls_that_open_are_shown_and_ways_around_them_are_closed() {
        for (means, shown) in [(Means::Ptrace, 0x7ff0_0000), (Means::Notify, 0x7fc0_0000)] {
            let ask = |call: libc::c_long, second| ask(means, MACHINE, number(call), [second, 0]);
            for call in SHOWN {
                assert_eq!(ask(*call, 0), shown);
            }
            for call in [
                libc::SYS_read,
                libc::SYS_write,
                libc::SYS_close,
                libc::SYS_mmap,
                libc::SYS_clone,
            ] {
                assert_eq!(ask(call, 8), 0x7fff_0000, "{call}");
            }
            assert_eq!(ask(libc::SYS_io_uring_setup, 0), 0x0005_0000 | 38);
            assert_eq!(
                (ask(libc::SYS_seccomp, 0), ask(libc::SYS_seccomp, 1)),
                (0x7fff_0000, 0x7fff_0000)
            );
            assert_eq!(
                (ask(libc::SYS_seccomp, 8), ask(libc::SYS_seccomp, 9)),
                (0x0005_0010, 0x0005_0010)
            );
        }
    }

    #[test]
    fn who_asks_for_a_directory_gets_no_file() {
        let flags = |flags: i32| flags.cast_unsigned();
        let asked = |call: libc::c_long, at: usize, flags: u32| {
            let arguments = [[flags, 0], [0, flags]][at];
            ask(Means::Ptrace, MACHINE, number(call), arguments) == libc::SECCOMP_RET_TRACE
        };
        let directory =
            flags(libc::O_RDONLY | libc::O_DIRECTORY | libc::O_CLOEXEC | libc::O_NONBLOCK);
        let made = libc::O_CREAT | libc::O_DIRECTORY;
        let files = [
            libc::O_RDONLY,
            libc::O_RDWR | libc::O_TMPFILE,
            libc::O_WRONLY | libc::O_CREAT,
            made,
            -1,
        ];
        let ways: &[(libc::c_long, usize)] = &[
            #[cfg(target_arch = "x86_64")]
            (libc::SYS_open, 0),
            (libc::SYS_openat, 1),
        ];
        for (call, at) in ways {
            assert!(!asked(*call, *at, directory));
            files
                .iter()
                .for_each(|file| assert!(asked(*call, *at, flags(*file)), "{file:#o}"));
            assert!(asked(*call, 1 - at, directory), "another argument");
        }
        assert!(
            asked(libc::SYS_openat2, 1, directory),
            "its flags are in memory"
        );
    }

    #[test]
    fn calls_with_foreign_numbers_do_not_happen() {
        let ask = |machine, call| ask(Means::Ptrace, machine, call, [0, 0]);
        assert_eq!(ask(0x4000_0003, 5), 0x8000_0000, "i386 kills");
        assert_eq!(ask(MACHINE, FOREIGN | 2), 0x0005_0000 | 38, "x32 is absent");
        assert_eq!(ask(MACHINE, u32::MAX), 0x0005_0000 | 38);
    }
}
