//! Installs the seccomp filter that blocks sockets and keyrings.

use libc::{AF_INET, AF_INET6, AF_NETLINK, AF_UNIX, EACCES, EAFNOSUPPORT, ENOSYS};
use seccompiler::sock_filter;

use super::FenceError;

/// Where the number of the call, its architecture and the low half of its first argument are.
const NUMBER: u32 = 0;
const ARCHITECTURE: u32 = 4;
const FIRST: u32 = if cfg!(target_endian = "big") { 20 } else { 16 };

/// The numbers of one way to call the kernel.
struct Calls {
    architecture: u32,
    socket: u32,
    /// What else is refused: rings and the old `socketcall` would make sockets behind the back of the
    /// filter; keyrings belong to the user, so that tickets and secrets of the person lie in them, and
    /// what a job leaves there outlives it.
    others: &'static [u32],
}

/// `io_uring_setup` has the same number everywhere; `add_key`, `request_key` and `keyctl` have not.
const IO_URING: u32 = 425;

#[cfg(target_arch = "x86_64")]
const KNOWN: &[Calls] = &[
    Calls {
        architecture: 0xC000_003E,
        socket: 41,
        others: &[IO_URING, 248, 249, 250],
    },
    // programs of 32 bits; 102 is the old `socketcall`, whose arguments no filter sees
    Calls {
        architecture: 0x4000_0003,
        socket: 359,
        others: &[IO_URING, 102, 286, 287, 288],
    },
];
#[cfg(target_arch = "aarch64")]
const KNOWN: &[Calls] = &[Calls {
    architecture: 0xC000_00B7,
    socket: 198,
    others: &[IO_URING, 217, 218, 219],
}];
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const KNOWN: &[Calls] = &[];

/// Lets a job make no socket but connected pairs: nothing can be reached, not even by a path.
pub fn only_socket_pairs() -> Result<(), FenceError> {
    install(&[refuse(EACCES)])
}

/// Lets a job make only sockets that belong to its network namespace: those of virtual machines
/// and some others do not.
pub fn only_namespaced_sockets() -> Result<(), FenceError> {
    let mut socket = vec![load(FIRST)];
    for family in [AF_UNIX, AF_INET, AF_INET6, AF_NETLINK] {
        socket.extend(when(
            EQUALS,
            family.unsigned_abs(),
            &[give(libc::SECCOMP_RET_ALLOW)],
        ));
    }
    socket.push(refuse(EAFNOSUPPORT));
    install(&socket)
}

fn install(socket: &[sock_filter]) -> Result<(), FenceError> {
    if KNOWN.is_empty() {
        return Err(FenceError::Means(
            "no filter of system calls is known for this processor",
        ));
    }
    let mut program = vec![load(ARCHITECTURE)];
    for calls in KNOWN {
        let mut block = vec![load(NUMBER)];
        // x32 has numbers of its own under the architecture of 64 bits
        block.extend(when(AT_LEAST, 0x4000_0000, &[refuse(ENOSYS)]));
        for number in calls.others {
            block.extend(when(EQUALS, *number, &[refuse(ENOSYS)]));
        }
        block.extend(when(EQUALS, calls.socket, socket));
        block.push(give(libc::SECCOMP_RET_ALLOW));
        program.extend(when(EQUALS, calls.architecture, &block));
    }
    program.push(refuse(ENOSYS));
    let fault = |error: seccompiler::Error| FenceError::Refused {
        action: "no filter of system calls".to_owned(),
        source: std::io::Error::other(error),
    };
    seccompiler::apply_filter(&program).map_err(fault)
}

const EQUALS: u32 = libc::BPF_JEQ;
const AT_LEAST: u32 = libc::BPF_JGE;

/// The block, jumped over unless the word that was loaded compares so.
fn when(compares: u32, word: u32, block: &[sock_filter]) -> Vec<sock_filter> {
    let over = u8::try_from(block.len()).expect("a block is some lines long");
    let jump = sock_filter {
        code: code(libc::BPF_JMP | compares | libc::BPF_K),
        jt: 0,
        jf: over,
        k: word,
    };
    [&[jump], block].concat()
}

fn load(offset: u32) -> sock_filter {
    sock_filter {
        code: code(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS),
        jt: 0,
        jf: 0,
        k: offset,
    }
}

fn refuse(errno: i32) -> sock_filter {
    give(libc::SECCOMP_RET_ERRNO | errno.unsigned_abs())
}

fn give(answer: u32) -> sock_filter {
    sock_filter {
        code: code(libc::BPF_RET | libc::BPF_K),
        jt: 0,
        jf: 0,
        k: answer,
    }
}

fn code(code: u32) -> u16 {
    u16::try_from(code).expect("every code has 16 bits")
}
