//! `jest-fast-check`: jest with fast-check, whose seed the set-up file reads from
//! `FAST_CHECK_SEED`.

use super::tools::JEST;
use super::{Argument, Configuration, Preset, RAW, ResultFormat, ResultPlace, Results, When};

/// jest with fast-check.
pub const JEST_FAST_CHECK: Preset = Preset {
    name: "jest-fast-check",
    // with CI set, jest does not write the snapshots that it misses and call that a pass
    env: &[("FAST_CHECK_SEED", "{seed}"), ("CI", "true")],
    tool: Some(&JEST),
    configuration: Some(Configuration {
        option: "--config",
        yields_to_run: false,
        pinned: &[
            "jest.config.json",
            "jest.config.js",
            "jest.config.cjs",
            "jest.config.mjs",
            "jest.config.ts",
        ],
        own_name: "jest.config.json",
        // no transform: a babel configuration of the tree could rewrite the property; no mocks:
        // jest takes one of the tree for any package of that name, unasked
        own_text: r#"{"modulePathIgnorePatterns":["/__mocks__/"],"rootDir":{tree},"transform":{}}"#,
        cuts_conftest: false,
    }),
    arguments: &[
        Argument {
            when: When::Always,
            words: &["--ci", "--passWithNoTests=false"],
        },
        // else it is a pattern, which a file of the candidate can match too
        Argument {
            when: When::With("{property_file}"),
            words: &["--runTestsByPath"],
        },
    ],
    results: Some(Results {
        format: ResultFormat::Jest,
        arguments: &["--json", "--outputFile={result}"],
        place: ResultPlace::FileOfArguments,
    }),
    ..RAW
};
