//! Reads how often the kernel has killed a process for memory.

use std::path::Path;

use super::files;

/// How often the kernel has killed for memory since it started; `None` where it does not say.
pub fn kills() -> Option<u64> {
    let text = String::from_utf8(files::read(Path::new("/proc/vmstat")).ok()??).ok()?;
    text.lines()
        .find_map(|line| line.strip_prefix("oom_kill ")?.trim().parse().ok())
}
