//! Catches SIGINT, SIGTERM and SIGHUP, so that a job is ended before this process.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

/// Catches SIGINT, SIGTERM and SIGHUP from its making until the process ends: work with something
/// to clean up asks it between steps.
#[derive(Clone, Debug)]
pub struct Interrupt {
    signal: Arc<AtomicUsize>,
    wake: Arc<UnixStream>,
}

impl Interrupt {
    /// Begins to catch the signals. From here on they end nothing by themselves.
    ///
    /// # Errors
    /// When they cannot be caught.
    pub fn watch() -> io::Result<Self> {
        let (wake, sender) = UnixStream::pair()?;
        let signal = Arc::new(AtomicUsize::new(0));
        for number in [SIGINT, SIGTERM, SIGHUP] {
            let value = usize::try_from(number).unwrap_or_default();
            signal_hook::flag::register_usize(number, Arc::clone(&signal), value)?;
            signal_hook::low_level::pipe::register(number, sender.try_clone()?)?;
        }
        Ok(Self {
            signal,
            wake: Arc::new(wake),
        })
    }

    /// The signal that came, if one did.
    pub fn caught(&self) -> Option<i32> {
        let signal = i32::try_from(self.signal.load(Ordering::SeqCst)).unwrap_or(SIGTERM);
        Some(signal).filter(|signal| *signal != 0)
    }
}

impl AsFd for Interrupt {
    /// Readable once a signal came.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.wake.as_fd()
    }
}
