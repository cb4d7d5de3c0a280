//! What does the contract refuse? One predicate over the whole world for each code.

use std::collections::BTreeSet;

use git_reins::model::decision::Outcome;
use git_reins::model::refusal::Code;

use super::worlds::*;

/// The rows that can be read.
pub(super) fn rows(w: &World) -> &[Row] {
    if w.files[0] == File::Valid {
        &w.rows
    } else {
        &[]
    }
}

pub(super) fn freezes(w: &World) -> &[Freeze] {
    if w.files[2] == File::Valid {
        &w.freezes
    } else {
        &[]
    }
}

pub(super) fn has_epoch(w: &World) -> bool {
    w.files[1] == File::Valid
}

pub(super) fn has_patch(w: &World) -> bool {
    matches!(w.shape, Shape::Patch | Shape::HumanPatch)
}

pub(super) fn is_row(w: &World, id: &str) -> bool {
    IDS.iter().take(rows(w).len()).any(|row| *row == id)
}

pub(super) fn is_scored(w: &World, at: usize) -> bool {
    rows(w)
        .get(at)
        .is_some_and(|row| row.worth == Worth::Scored)
}

pub(super) fn is_named(w: &World, at: usize) -> bool {
    freezes(w)
        .iter()
        .any(|freeze| freeze.target == Target::Row(at))
}

pub(super) fn in_complement(w: &World, at: usize) -> bool {
    is_scored(w, at) && !is_named(w, at)
}

/// Whether the two ledgers can be read that say what scores; LEDGER_INVALID refuses otherwise.
pub(super) fn knows_complement(w: &World) -> bool {
    w.files[0] == File::Valid && w.files[2] == File::Valid
}

pub(super) fn statuses<'w>(w: &'w World, id: &'w str) -> impl Iterator<Item = &'static str> + 'w {
    let given: &[Result3] = if let Results::Given(list) = w.results {
        list
    } else {
        &[]
    };
    given
        .iter()
        .filter(move |one| one.0 == id && one.2 != Some(true))
        .map(|one| one.1)
}

pub(super) fn is_given(w: &World) -> bool {
    matches!(w.results, Results::Given(_))
}

/// Whether every result of the frozen row is a pass, or a `fail` that a usable row covers.
pub(super) fn is_covered(w: &World, at: usize) -> bool {
    let usable = freezes(w).iter().any(|freeze| {
        freeze.target == Target::Row(at) && freeze.eligible && freeze.paths == Match::Same
    });
    statuses(w, IDS[at]).all(|status| status == "pass" || (status == "fail" && usable))
}

pub(super) fn is_missed(w: &World, at: usize) -> bool {
    statuses(w, IDS[at]).any(|status| status != "pass")
}

pub(super) fn is_frozen(w: &World, at: usize) -> bool {
    is_scored(w, at) && is_named(w, at)
}

pub(super) fn held(w: &World) -> BTreeSet<&'static str> {
    let hit = |at: &usize| is_frozen(w, *at) && is_missed(w, *at) && is_covered(w, *at);
    (0..2).filter(hit).map(|at| IDS[at]).collect()
}

/// Whether the fixture ledger has a base revision, and it is the one that good freezes name.
pub(super) fn pins_base(w: &World) -> bool {
    has_epoch(w) && !matches!(w.epoch, Epoch::BaseBlank | Epoch::BaseMalformed)
}

pub(super) fn pins_name(w: &World) -> bool {
    has_epoch(w)
        && !matches!(
            w.epoch,
            Epoch::NameBlank | Epoch::NameAbsent | Epoch::NameNumber
        )
}

pub(super) type Rule = (Code, fn(&World) -> bool);

/// Sections 2.2 and 3: what `check` refuses.
pub(super) const CHECK: &[Rule] = &[
    (Code::OracleNotIndependent, |w| {
        rows(w)
            .iter()
            .any(|row| row.worth == Worth::Scored && row.sees != Sees::False)
    }),
    (Code::OracleNotIndependent, |w| {
        let stands = |row: &Row| matches!(row.bytes, Bytes::Pinned | Bytes::Executable);
        rows(w)
            .iter()
            .any(|row| row.worth == Worth::Scored && !stands(row))
    }),
    (Code::LedgerInvalid, |w| {
        let cites = |row: &Row| {
            matches!(
                row.cites,
                Cites::UnknownHeading | Cites::NoFile | Cites::Outside
            )
        };
        rows(w)
            .iter()
            .any(|row| cites(row) || row.runs == Runs::Unknown)
    }),
    (Code::LedgerInvalid, |w| {
        w.files.contains(&File::Invalid) || w.stray == Some(Code::LedgerInvalid)
    }),
    (Code::LedgerMissing, |w| w.files.contains(&File::Missing)),
    (Code::PathUnsafe, |w| {
        w.files.contains(&File::Unsafe) || w.stray == Some(Code::PathUnsafe)
    }),
    (Code::HistoryUntrusted, |w| !w.has_base),
    (Code::FixtureEpochUnpinned, |w| {
        use Epoch as E;
        let blank = [
            E::NameBlank,
            E::NameAbsent,
            E::NameNumber,
            E::BaseBlank,
            E::DigestBlank,
            E::ImageBlank,
        ];
        let base = [E::BaseMalformed, E::BaseUnknown, E::BaseNotAncestor];
        let bytes = [E::Executable, E::Link, E::Pointer, E::Attribute];
        has_epoch(w)
            && (blank.contains(&w.epoch)
                || base.contains(&w.epoch)
                || bytes.contains(&w.epoch)
                || w.epoch == E::ImageForm
                || (w.epoch == E::Reused && w.has_base))
    }),
    (Code::FixtureEpochUnpinned, |w| {
        has_epoch(w)
            && freezes(w)
                .iter()
                .any(|freeze| freeze.epoch != Match::Same || !pins_name(w))
    }),
    (Code::FixtureDigestMismatch, |w| {
        use Epoch as E;
        let wrong = [
            E::DigestWrong,
            E::Unlisted,
            E::Vanished,
            E::OtherBytes,
            E::OtherSize,
            E::Link,
        ];
        has_epoch(w) && wrong.contains(&w.epoch)
    }),
    (Code::FreezeUnbound, |w| {
        let names_row = |freeze: &Freeze| match freeze.target {
            Target::Row(at) => w.files[0] != File::Valid || at < rows(w).len(),
            Target::BuiltIn | Target::Declared => true, // FREEZE_ON_CANARY says more
            Target::NoRow => w.files[0] != File::Valid,
            Target::Absent => false,
        };
        freezes(w).iter().any(|freeze| {
            !names_row(freeze)
                || !freeze.seed
                || !freeze.owner
                || matches!(freeze.ends, Ends::Garbled | Ends::Absent)
        })
    }),
    (Code::FreezeOnCanary, |w| {
        freezes(w)
            .iter()
            .any(|freeze| matches!(freeze.target, Target::BuiltIn | Target::Declared))
    }),
    (Code::FreezeExpired, |w| {
        freezes(w)
            .iter()
            .any(|freeze| freeze.ends == Ends::Yesterday)
    }),
    (Code::FreezeHorizonExceeded, |w| {
        freezes(w).iter().any(|freeze| freeze.ends == Ends::Beyond)
    }),
    (Code::FreezeReplayNotOnBase, |w| {
        let on_base = |freeze: &Freeze| {
            freeze.base == Match::Same && freeze.observed == Match::Same && pins_base(w)
        };
        has_epoch(w) && freezes(w).iter().any(|freeze| !on_base(freeze))
    }),
    (Code::FreezeShareExceeded, |w| {
        let frozen = (0..2).filter(|at| is_frozen(w, *at)).count();
        2 * frozen > (0..2).filter(|at| is_scored(w, *at)).count()
    }),
];

/// Section 4: what `admit` refuses besides.
pub(super) const SCORE: &[Rule] = &[
    (Code::NoUnfrozenProperties, |w| {
        has_patch(w) && knows_complement(w) && !(0..2).any(|at| in_complement(w, at))
    }),
    (Code::NoUnfrozenProperties, |w| {
        let Results::Given(list) = w.results else {
            return false;
        };
        has_patch(w)
            && knows_complement(w)
            && list
                .iter()
                .all(|one| one.2 == Some(true) || !is_row(w, one.0))
    }),
    (Code::UnfrozenPropertyFailed, |w| {
        let is_absent = |at| has_patch(w) && is_given(w) && statuses(w, IDS[at]).count() == 0;
        (0..2).any(|at| in_complement(w, at) && (is_missed(w, at) || is_absent(at)))
    }),
    (Code::FrozenRegression, |w| {
        (0..2).any(|at| is_frozen(w, at) && !is_covered(w, at))
    }),
    (Code::CanaryFailed, |w| {
        let Results::Given(list) = w.results else {
            return false;
        };
        list.iter()
            .any(|one| one.2 == Some(true) && one.1 != "pass")
    }),
    (Code::ResultsInvalid, |w| {
        let Results::Given(list) = w.results else {
            return w.results == Results::Unreadable;
        };
        w.files[0] == File::Valid
            && list
                .iter()
                .any(|one| one.2 != Some(true) && !is_row(w, one.0))
    }),
    (Code::VerdictMissing, |w| {
        has_patch(w) && w.results == Results::Recorded
    }),
];

pub(super) fn needs_human(w: &World) -> bool {
    matches!(w.shape, Shape::HumanPatch | Shape::HumanLedgers)
}

pub(super) fn refusals(w: &World, rules: &[&[Rule]]) -> BTreeSet<Code> {
    rules
        .iter()
        .copied()
        .flatten()
        .filter(|rule| rule.1(w))
        .map(|rule| rule.0)
        .collect()
}

pub(super) fn outcome(refusals: &BTreeSet<Code>, is_held: bool) -> Outcome {
    if !refusals.is_empty() {
        Outcome::Refuse
    } else if is_held {
        Outcome::Hold
    } else {
        Outcome::Admit
    }
}
