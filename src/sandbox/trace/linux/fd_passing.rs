//! Passes a file descriptor to another process over a socket.
//!
//! Over a socket: that needs no right to look into the other process.

use std::io;
use std::mem::zeroed;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;

/// Room for the head of a message's appendix and one descriptor, aligned as a head has to be.
const ROOM: usize = 8;

/// Sends one byte, and a descriptor with it when there is one.
///
/// # Errors
/// When the other end is gone.
#[expect(unsafe_code, reason = "the call has no safe form here")]
pub fn send(socket: &UnixStream, byte: u8, fd: Option<&OwnedFd>) -> io::Result<()> {
    let mut room = [0_u64; ROOM];
    let mut byte = byte;
    let mut part = libc::iovec {
        iov_base: (&raw mut byte).cast(),
        iov_len: 1,
    };
    // SAFETY: the type is numbers and pointers only, for which zero is a value
    let mut message: libc::msghdr = unsafe { zeroed() };
    message.msg_iov = &raw mut part;
    message.msg_iovlen = 1;
    if let Some(fd) = fd {
        let size = u32::try_from(size_of::<RawFd>()).unwrap_or_default();
        message.msg_control = room.as_mut_ptr().cast();
        // SAFETY: these compute lengths; the head and the number are written inside `room`, which
        // has more bytes than `CMSG_SPACE` says and is aligned for a head
        unsafe {
            message.msg_controllen = libc::CMSG_SPACE(size) as _;
            let head = libc::CMSG_FIRSTHDR(&raw const message);
            (*head).cmsg_level = libc::SOL_SOCKET;
            (*head).cmsg_type = libc::SCM_RIGHTS;
            (*head).cmsg_len = libc::CMSG_LEN(size) as _;
            libc::CMSG_DATA(head)
                .cast::<RawFd>()
                .write_unaligned(fd.as_raw_fd());
        }
    }
    // SAFETY: everything that the message points to lives in this function
    let sent = unsafe { libc::sendmsg(socket.as_raw_fd(), &raw const message, libc::MSG_NOSIGNAL) };
    if sent < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(())
    }
}

/// Receives one byte, and the descriptor that came with it; `None` when the other end is gone.
///
/// # Errors
/// When nothing can be read.
#[expect(unsafe_code, reason = "the call has no safe form here")]
pub fn receive(socket: &UnixStream) -> io::Result<Option<(u8, Option<OwnedFd>)>> {
    let mut room = [0_u64; ROOM];
    let mut byte = 0_u8;
    let mut part = libc::iovec {
        iov_base: (&raw mut byte).cast(),
        iov_len: 1,
    };
    // SAFETY: the type is numbers and pointers only, for which zero is a value
    let mut message: libc::msghdr = unsafe { zeroed() };
    message.msg_iov = &raw mut part;
    message.msg_iovlen = 1;
    message.msg_control = room.as_mut_ptr().cast();
    message.msg_controllen = size_of_val(&room) as _;
    // SAFETY: everything that the message points to lives in this function
    let count =
        unsafe { libc::recvmsg(socket.as_raw_fd(), &raw mut message, libc::MSG_CMSG_CLOEXEC) };
    match count {
        0 => return Ok(None),
        ..0 => return Err(io::Error::last_os_error()),
        _ => {}
    }
    // SAFETY: the kernel filled the message in, so that a head it names is whole and inside `room`;
    // a descriptor in it was made for us just now
    let fd = unsafe {
        let head = libc::CMSG_FIRSTHDR(&raw const message);
        let is_fd = !head.is_null()
            && ((*head).cmsg_level, (*head).cmsg_type) == (libc::SOL_SOCKET, libc::SCM_RIGHTS);
        is_fd.then(|| OwnedFd::from_raw_fd(libc::CMSG_DATA(head).cast::<RawFd>().read_unaligned()))
    };
    Ok(Some((byte, fd)))
}
