//! Which small worlds are there? What may be wrong with each part, and the lists of cases.

use std::collections::BTreeSet;

use git_reins::model::refusal::Code;

pub(super) const TODAY: &str = "2026-03-01";
pub(super) const EPOCH: &str = "epoch-1";
pub(super) const IDS: [&str; 2] = ["row-a", "row-b"];
pub(super) const LONG_MODE: u32 = 0o120_000;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Sees {
    False,
    Absent,
    Word,
    True,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Worth {
    Scored,
    NoWitness,
    OptedOut,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Bytes {
    Pinned,
    Changed,
    Missing,
    NoneNamed,
    Outside,
    Executable,
    Attribute,
    Link,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Cites {
    Heading,
    UnknownHeading,
    NoFile,
    Outside,
    Url,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Runs {
    Default,
    Known,
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Row {
    pub(super) sees: Sees,
    pub(super) worth: Worth,
    pub(super) bytes: Bytes,
    pub(super) cites: Cites,
    pub(super) runs: Runs,
}

pub(super) const GOOD_ROW: Row = Row {
    sees: Sees::False,
    worth: Worth::Scored,
    bytes: Bytes::Pinned,
    cites: Cites::Heading,
    runs: Runs::Default,
};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Target {
    Row(usize),
    NoRow,
    BuiltIn,
    Declared,
    Absent,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Ends {
    Today,
    Yesterday,
    Horizon,
    Beyond,
    Garbled,
    Absent,
}

/// A member that has to equal another one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Match {
    Same,
    Other,
    Absent,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Freeze {
    pub(super) target: Target,
    pub(super) seed: bool,
    pub(super) owner: bool,
    pub(super) ends: Ends,
    pub(super) base: Match,
    pub(super) observed: Match,
    pub(super) epoch: Match,
    pub(super) eligible: bool,
    pub(super) paths: Match,
}

pub(super) const GOOD_FREEZE: Freeze = Freeze {
    target: Target::Row(1),
    seed: true,
    owner: true,
    ends: Ends::Horizon,
    base: Match::Same,
    observed: Match::Same,
    epoch: Match::Same,
    eligible: true,
    paths: Match::Same,
};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Epoch {
    Good,
    NoFiles,
    NameBlank,
    NameAbsent,
    NameNumber,
    BaseBlank,
    BaseMalformed,
    BaseUnknown,
    BaseNotAncestor,
    DigestBlank,
    DigestWrong,
    ImageBlank,
    ImageForm,
    Unlisted,
    Vanished,
    OtherBytes,
    OtherSize,
    Executable,
    Link,
    Pointer,
    Attribute,
    Reused,
    Renewed,
}

pub(super) const EPOCHS: [Epoch; 23] = [
    Epoch::Good,
    Epoch::NoFiles,
    Epoch::NameBlank,
    Epoch::NameAbsent,
    Epoch::NameNumber,
    Epoch::BaseBlank,
    Epoch::BaseMalformed,
    Epoch::BaseUnknown,
    Epoch::BaseNotAncestor,
    Epoch::DigestBlank,
    Epoch::DigestWrong,
    Epoch::ImageBlank,
    Epoch::ImageForm,
    Epoch::Unlisted,
    Epoch::Vanished,
    Epoch::OtherBytes,
    Epoch::OtherSize,
    Epoch::Executable,
    Epoch::Link,
    Epoch::Pointer,
    Epoch::Attribute,
    Epoch::Reused,
    Epoch::Renewed,
];

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum File {
    Valid,
    Missing,
    Invalid,
    Unsafe,
}

pub(super) const FILES: [File; 4] = [File::Valid, File::Missing, File::Invalid, File::Unsafe];

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Shape {
    Patch,
    HumanPatch,
    Exempt,
    Ledgers,
    HumanLedgers,
    Revert,
}

pub(super) const SHAPES: [Shape; 6] = [
    Shape::Patch,
    Shape::HumanPatch,
    Shape::Exempt,
    Shape::Ledgers,
    Shape::HumanLedgers,
    Shape::Revert,
];

/// Property, status, whether it is marked as a canary.
pub(super) type Result3 = (&'static str, &'static str, Option<bool>);

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Results {
    Recorded,
    Unreadable,
    Given(&'static [Result3]),
}

pub(super) const RESULTS: [Results; 14] = [
    Results::Recorded,
    Results::Unreadable,
    Results::Given(&[]),
    Results::Given(&[("lint", "pass", Some(true))]),
    Results::Given(&[("row-a", "pass", None), ("row-b", "pass", None)]),
    Results::Given(&[("row-a", "pass", None), ("row-b", "fail", None)]),
    Results::Given(&[("row-a", "pass", None), ("row-b", "timeout", None)]),
    Results::Given(&[("row-a", "fail", None), ("row-b", "pass", Some(false))]),
    Results::Given(&[("row-a", "pass", None)]),
    Results::Given(&[("row-b", "pass", None)]),
    Results::Given(&[
        ("row-a", "pass", None),
        ("row-a", "fail", None),
        ("row-b", "pass", None),
    ]),
    Results::Given(&[
        ("row-a", "pass", None),
        ("row-b", "pass", None),
        ("lint", "fail", Some(true)),
    ]),
    Results::Given(&[
        ("row-a", "pass", None),
        ("row-b", "fail", None),
        ("lint", "skip", Some(true)),
    ]),
    Results::Given(&[
        ("row-a", "pass", None),
        ("row-b", "pass", None),
        ("row-z", "pass", None),
    ]),
];

#[derive(Clone, Debug)]
pub(super) struct World {
    pub(super) rows: Vec<Row>,
    pub(super) freezes: Vec<Freeze>,
    pub(super) epoch: Epoch,
    pub(super) shape: Shape,
    pub(super) results: Results,
    pub(super) files: [File; 3],
    pub(super) stray: Option<Code>,
    pub(super) has_base: bool,
}

impl World {
    pub(super) fn good() -> Self {
        Self {
            rows: vec![GOOD_ROW; 2],
            freezes: Vec::new(),
            epoch: Epoch::Good,
            shape: Shape::Patch,
            results: RESULTS[4],
            files: [File::Valid; 3],
            stray: None,
            has_base: true,
        }
    }

    /// What differs from a good world.
    pub(super) fn shown(&self) -> String {
        let plain = |text: String| text.replace("Row ", "").replace("Freeze ", "");
        let (text, good) = (
            format!("{self:#?}"),
            format!("{:#?}", Self::good()) + &format!("{GOOD_FREEZE:#?}"),
        );
        let usual: BTreeSet<_> = good.lines().map(str::trim).collect();
        let lines = text.lines().map(str::trim);
        plain(
            lines
                .filter(|line| !usual.contains(line) || line.ends_with(['{', '[']))
                .collect(),
        )
    }
}

pub(super) fn row_cases() -> Vec<Row> {
    let mut rows = vec![GOOD_ROW];
    let worths = [Worth::Scored, Worth::NoWitness, Worth::OptedOut];
    for worth in worths {
        let row = Row { worth, ..GOOD_ROW };
        rows.extend([Sees::Absent, Sees::Word, Sees::True].map(|sees| Row { sees, ..row }));
        let bytes = [
            Bytes::Changed,
            Bytes::Missing,
            Bytes::NoneNamed,
            Bytes::Outside,
        ];
        rows.extend(bytes.map(|bytes| Row { bytes, ..row }));
        let bytes = [Bytes::Executable, Bytes::Attribute, Bytes::Link];
        rows.extend(bytes.map(|bytes| Row { bytes, ..row }));
        let cites = [
            Cites::UnknownHeading,
            Cites::NoFile,
            Cites::Outside,
            Cites::Url,
        ];
        rows.extend(cites.map(|cites| Row { cites, ..row }));
        rows.extend([Runs::Known, Runs::Unknown].map(|runs| Row { runs, ..row }));
    }
    rows.extend([Worth::NoWitness, Worth::OptedOut].map(|worth| Row { worth, ..GOOD_ROW }));
    rows.push(Row {
        sees: Sees::True,
        bytes: Bytes::Changed,
        cites: Cites::NoFile,
        ..GOOD_ROW
    });
    rows
}

/// Every freeze that differs from a good one of row `at` in one way.
pub(super) fn freeze_cases(at: usize) -> Vec<Freeze> {
    let good = Freeze {
        target: Target::Row(at),
        ..GOOD_FREEZE
    };
    let mut cases = vec![
        good,
        Freeze {
            seed: false,
            ..good
        },
        Freeze {
            owner: false,
            ..good
        },
    ];
    let targets = [
        Target::NoRow,
        Target::BuiltIn,
        Target::Declared,
        Target::Absent,
    ];
    cases.extend(targets.map(|target| Freeze { target, ..good }));
    let ends = [
        Ends::Today,
        Ends::Yesterday,
        Ends::Beyond,
        Ends::Garbled,
        Ends::Absent,
    ];
    cases.extend(ends.map(|ends| Freeze { ends, ..good }));
    for other in [Match::Other, Match::Absent] {
        cases.push(Freeze {
            base: other,
            ..good
        });
        cases.push(Freeze {
            observed: other,
            ..good
        });
        cases.push(Freeze {
            epoch: other,
            ..good
        });
        cases.push(Freeze {
            paths: other,
            ..good
        });
    }
    cases.push(Freeze {
        eligible: false,
        ..good
    });
    cases.push(Freeze {
        ends: Ends::Yesterday,
        epoch: Match::Other,
        base: Match::Absent,
        ..good
    });
    cases
}

/// No freeze, one, or two.
pub(super) fn freeze_lists() -> Vec<Vec<Freeze>> {
    let mut lists = vec![Vec::new()];
    lists.extend(
        [0, 1]
            .into_iter()
            .flat_map(freeze_cases)
            .map(|freeze| vec![freeze]),
    );
    let second = Freeze {
        target: Target::Row(0),
        ..GOOD_FREEZE
    };
    lists.extend(
        freeze_cases(1)
            .into_iter()
            .map(|freeze| vec![freeze, second]),
    );
    let useless = Freeze {
        eligible: false,
        ..GOOD_FREEZE
    };
    lists.extend(
        freeze_cases(1)
            .into_iter()
            .map(|freeze| vec![freeze, useless]),
    );
    lists
}

pub(super) fn few_freezes() -> Vec<Vec<Freeze>> {
    let expired = Freeze {
        ends: Ends::Yesterday,
        ..GOOD_FREEZE
    };
    let canary = Freeze {
        target: Target::Declared,
        ..GOOD_FREEZE
    };
    let first = Freeze {
        target: Target::Row(0),
        ..GOOD_FREEZE
    };
    vec![
        vec![],
        vec![GOOD_FREEZE],
        vec![expired],
        vec![canary],
        vec![GOOD_FREEZE, first],
    ]
}

pub(super) fn few_rows() -> Vec<Vec<Row>> {
    let smoke = Row {
        worth: Worth::NoWitness,
        sees: Sees::True,
        ..GOOD_ROW
    };
    vec![
        vec![GOOD_ROW; 2],
        vec![GOOD_ROW],
        vec![smoke, GOOD_ROW],
        vec![GOOD_ROW, smoke],
        vec![smoke, smoke],
    ]
}

pub(super) fn triples() -> impl Iterator<Item = (File, File, File)> {
    let pairs = FILES
        .into_iter()
        .flat_map(|oracle| FILES.map(|fixture| (oracle, fixture)));
    pairs.flat_map(|(oracle, fixture)| FILES.map(|freeze| (oracle, fixture, freeze)))
}
