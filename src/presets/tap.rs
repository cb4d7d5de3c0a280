//! `tap`: any tool that writes the Test Anything Protocol to `{result}`, or prints it when
//! neither its arguments nor its variables name `{result}`.

use super::{Preset, RAW, ResultFormat, ResultPlace, Results};

/// A producer of TAP.
pub const TAP: Preset = Preset {
    name: "tap",
    results: Some(Results {
        format: ResultFormat::Tap,
        arguments: &[],
        place: ResultPlace::FileOrStdout,
    }),
    ..RAW
};
