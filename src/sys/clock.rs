//! Tells the time and bounds work by a deadline. A command reads the day once and passes it on.
#![expect(clippy::disallowed_methods, reason = "sys::clock is the only clock")]

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::model::day::Day;

/// Today in UTC.
pub fn today() -> Day {
    Day::from_date(chrono::Utc::now().date_naive())
}

/// This moment in UTC, `YYYY-MM-DDThh:mm:ssZ`.
pub fn moment() -> String {
    chrono::Utc::now().format("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Does some work, but waits no longer than `limit`: then there is no answer, and the work goes on
/// until the process ends.
pub fn within<T: Send + 'static>(
    limit: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let (done, answer) = mpsc::channel();
    let worker = thread::spawn(move || done.send(work()));
    match answer.recv_timeout(limit) {
        Ok(answer) => Some(answer),
        Err(mpsc::RecvTimeoutError::Timeout) => None,
        // the work broke off: its panic is ours
        Err(mpsc::RecvTimeoutError::Disconnected) => match worker.join() {
            Ok(_) => None,
            Err(panic) => std::panic::resume_unwind(panic),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_that_does_not_end_has_no_answer() {
        let (never, end) = mpsc::channel::<()>();
        assert_eq!(
            within(Duration::from_millis(1), move || end.recv().is_ok()),
            None
        );
        drop(never);
        assert_eq!(within(Duration::from_secs(60), || 7), Some(7));
    }

    #[test]
    fn work_that_panics_is_no_answer_either() {
        let broken =
            std::panic::catch_unwind(|| within(Duration::from_secs(60), || assert_eq!(1, 2)));
        assert!(broken.is_err());
    }
}
