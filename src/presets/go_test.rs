//! `go-test`: `go test` exits with 0 when there are no tests, so its events are read. A failed
//! build exits like a failed test.

use super::tools::GO;
use super::{Argument, Preset, RAW, ResultFormat, ResultPlace, Results, When};

/// `go test`.
pub const GO_TEST: Preset = Preset {
    name: "go-test",
    tool: Some(&GO),
    arguments: &[Argument {
        when: When::Always,
        words: &["-count=1"],
    }],
    results: Some(Results {
        format: ResultFormat::Go,
        arguments: &["-json"],
        place: ResultPlace::Stdout,
    }),
    ..RAW
};
