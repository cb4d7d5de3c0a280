//! What day is it? The only clock; commands read it once and hand the day on.
#![expect(clippy::disallowed_methods, reason = "sys::clock is the only clock")]

use crate::model::day::Day;

/// Today in UTC.
pub fn today() -> Day {
    Day::from_date(chrono::Utc::now().date_naive())
}
