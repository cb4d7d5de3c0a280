//! A calendar day in UTC, and the distance between two days. (UTC, no time zones.)

use std::fmt;
use std::str::FromStr;

use chrono::{Days, NaiveDate};
use serde::{Serialize, Serializer};

/// A calendar day in UTC, printed `YYYY-MM-DD`.
///
/// Decisions take the day as an argument so that a past decision can be recomputed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day(NaiveDate);

/// The text is not a day of the form `YYYY-MM-DD`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a day of the form YYYY-MM-DD")]
pub struct DayError(pub String);

impl Day {
    /// Wraps a day that the clock read.
    pub fn from_date(date: NaiveDate) -> Self {
        Self(date)
    }

    /// The day `days` after this one; `None` past the end of the calendar.
    pub fn plus(self, days: u64) -> Option<Self> {
        self.0.checked_add_days(Days::new(days)).map(Self)
    }

    /// Days from `earlier` to this day; negative when this day comes first.
    pub fn days_since(self, earlier: Self) -> i64 {
        (self.0 - earlier.0).num_days()
    }
}

impl FromStr for Day {
    type Err = DayError;

    /// Reads exactly ten ASCII characters, so that `2026-1-2` and `+002026-01-02` are no days.
    fn from_str(text: &str) -> Result<Self, DayError> {
        let shaped = text.len() == 10
            && text.bytes().enumerate().all(|(at, byte)| match at {
                4 | 7 => byte == b'-',
                _ => byte.is_ascii_digit(),
            });
        let day = shaped
            .then(|| NaiveDate::parse_from_str(text, "%Y-%m-%d").ok())
            .flatten();
        day.map(Self).ok_or_else(|| DayError(text.to_owned()))
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.format("%Y-%m-%d"))
    }
}

impl Serialize for Day {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_long_form_is_a_day() {
        for good in ["2026-11-30", "2024-02-29", "9999-12-31"] {
            assert_eq!(good.parse::<Day>().unwrap().to_string(), good);
        }
        for bad in [
            "",
            "2026-2-3",
            "2025-02-29",
            "2026-11-30 ",
            "+02026-1-1",
            "2026/11/30",
            "٢٠٢٦-١",
        ] {
            assert!(bad.parse::<Day>().is_err(), "{bad}");
        }
    }
}
