//! Is every small world answered as the contract says? One predicate for each code, over everything.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use git_reins::decide::admit::{admit, check};
use git_reins::decide::facts::{
    BaseRev, CommitFacts, Facts, FileFacts, Held, Listing, Material, Own, ParentFacts, Reading, Stray, Tip,
};
use git_reins::decide::score::Scores;
use git_reins::ledger::fault::LedgerFault;
use git_reins::ledger::field::Field;
use git_reins::ledger::file::parse;
use git_reins::ledger::fixture::{FixtureFile, FixtureLedger};
use git_reins::ledger::freeze::{FreezeLedger, FreezeRow};
use git_reins::ledger::oracle::{OracleLedger, OracleRow, PinnedFile};
use git_reins::ledger::results::ResultRow;
use git_reins::model::day::Day;
use git_reins::model::decision::{Decision, Outcome, PropertyStanding, Standing};
use git_reins::model::ids::EntryState;
use git_reins::model::refusal::Code;
use git_reins::policy::Policy;

use super::parts::{commit, plain, policy};
use super::words::{member, sha};

const TODAY: &str = "2026-03-01";
const EPOCH: &str = "epoch-1";
const IDS: [&str; 2] = ["row-a", "row-b"];
const LONG_MODE: u32 = 0o120_000;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Sees {
    False,
    Absent,
    Word,
    True,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Worth {
    Scored,
    NoWitness,
    OptedOut,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Bytes {
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
enum Cites {
    Heading,
    UnknownHeading,
    NoFile,
    Outside,
    Url,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Runs {
    Default,
    Known,
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Row {
    sees: Sees,
    worth: Worth,
    bytes: Bytes,
    cites: Cites,
    runs: Runs,
}

const GOOD_ROW: Row = Row {
    sees: Sees::False,
    worth: Worth::Scored,
    bytes: Bytes::Pinned,
    cites: Cites::Heading,
    runs: Runs::Default,
};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Target {
    Row(usize),
    NoRow,
    BuiltIn,
    Declared,
    Absent,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Ends {
    Today,
    Yesterday,
    Horizon,
    Beyond,
    Garbled,
    Absent,
}

/// A member that has to equal another one.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Match {
    Same,
    Other,
    Absent,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Freeze {
    target: Target,
    seed: bool,
    owner: bool,
    ends: Ends,
    base: Match,
    observed: Match,
    epoch: Match,
    eligible: bool,
    paths: Match,
}

const GOOD_FREEZE: Freeze = Freeze {
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
enum Epoch {
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

const EPOCHS: [Epoch; 23] = [
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
enum File {
    Valid,
    Missing,
    Invalid,
    Unsafe,
}

const FILES: [File; 4] = [File::Valid, File::Missing, File::Invalid, File::Unsafe];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    Patch,
    HumanPatch,
    Exempt,
    Ledgers,
    HumanLedgers,
    Revert,
}

const SHAPES: [Shape; 6] =
    [Shape::Patch, Shape::HumanPatch, Shape::Exempt, Shape::Ledgers, Shape::HumanLedgers, Shape::Revert];

/// Property, status, whether it is marked as a canary.
type Result3 = (&'static str, &'static str, Option<bool>);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Results {
    Recorded,
    Unreadable,
    Given(&'static [Result3]),
}

const RESULTS: [Results; 14] = [
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
    Results::Given(&[("row-a", "pass", None), ("row-a", "fail", None), ("row-b", "pass", None)]),
    Results::Given(&[("row-a", "pass", None), ("row-b", "pass", None), ("lint", "fail", Some(true))]),
    Results::Given(&[("row-a", "pass", None), ("row-b", "fail", None), ("lint", "skip", Some(true))]),
    Results::Given(&[("row-a", "pass", None), ("row-b", "pass", None), ("row-z", "pass", None)]),
];

#[derive(Clone, Debug)]
struct World {
    rows: Vec<Row>,
    freezes: Vec<Freeze>,
    epoch: Epoch,
    shape: Shape,
    results: Results,
    files: [File; 3],
    stray: Option<Code>,
    has_base: bool,
}

impl World {
    fn good() -> Self {
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
    fn shown(&self) -> String {
        let plain = |text: String| text.replace("Row ", "").replace("Freeze ", "");
        let (text, good) =
            (format!("{self:#?}"), format!("{:#?}", Self::good()) + &format!("{GOOD_FREEZE:#?}"));
        let usual: BTreeSet<_> = good.lines().map(str::trim).collect();
        let lines = text.lines().map(str::trim);
        plain(lines.filter(|line| !usual.contains(line) || line.ends_with(['{', '['])).collect())
    }
}

// -- what the contract says ------------------------------------------------------------------

/// The rows that can be read.
fn rows(w: &World) -> &[Row] {
    if w.files[0] == File::Valid { &w.rows } else { &[] }
}

fn freezes(w: &World) -> &[Freeze] {
    if w.files[2] == File::Valid { &w.freezes } else { &[] }
}

fn has_epoch(w: &World) -> bool {
    w.files[1] == File::Valid
}

fn has_patch(w: &World) -> bool {
    matches!(w.shape, Shape::Patch | Shape::HumanPatch)
}

fn is_row(w: &World, id: &str) -> bool {
    IDS.iter().take(rows(w).len()).any(|row| *row == id)
}

fn is_scored(w: &World, at: usize) -> bool {
    rows(w).get(at).is_some_and(|row| row.worth == Worth::Scored)
}

fn is_named(w: &World, at: usize) -> bool {
    freezes(w).iter().any(|freeze| freeze.target == Target::Row(at))
}

fn in_complement(w: &World, at: usize) -> bool {
    is_scored(w, at) && !is_named(w, at)
}

/// Whether the two ledgers can be read that say what scores; LEDGER_INVALID refuses otherwise.
fn knows_complement(w: &World) -> bool {
    w.files[0] == File::Valid && w.files[2] == File::Valid
}

fn statuses<'w>(w: &'w World, id: &'w str) -> impl Iterator<Item = &'static str> + 'w {
    let given: &[Result3] = if let Results::Given(list) = w.results { list } else { &[] };
    given.iter().filter(move |one| one.0 == id && one.2 != Some(true)).map(|one| one.1)
}

fn is_given(w: &World) -> bool {
    matches!(w.results, Results::Given(_))
}

/// Whether every result of the frozen row is a pass, or a `fail` that a usable row covers.
fn is_covered(w: &World, at: usize) -> bool {
    let usable = freezes(w)
        .iter()
        .any(|freeze| freeze.target == Target::Row(at) && freeze.eligible && freeze.paths == Match::Same);
    statuses(w, IDS[at]).all(|status| status == "pass" || (status == "fail" && usable))
}

fn is_missed(w: &World, at: usize) -> bool {
    statuses(w, IDS[at]).any(|status| status != "pass")
}

fn is_frozen(w: &World, at: usize) -> bool {
    is_scored(w, at) && is_named(w, at)
}

fn held(w: &World) -> BTreeSet<&'static str> {
    let hit = |at: &usize| is_frozen(w, *at) && is_missed(w, *at) && is_covered(w, *at);
    (0..2).filter(hit).map(|at| IDS[at]).collect()
}

/// Whether the fixture ledger has a base revision, and it is the one that good freezes name.
fn pins_base(w: &World) -> bool {
    has_epoch(w) && !matches!(w.epoch, Epoch::BaseBlank | Epoch::BaseMalformed)
}

fn pins_name(w: &World) -> bool {
    has_epoch(w) && !matches!(w.epoch, Epoch::NameBlank | Epoch::NameAbsent | Epoch::NameNumber)
}

type Rule = (Code, fn(&World) -> bool);

/// Sections 2.2 and 3: what `check` refuses.
const CHECK: &[Rule] = &[
    (Code::OracleNotIndependent, |w| {
        rows(w).iter().any(|row| row.worth == Worth::Scored && row.sees != Sees::False)
    }),
    (Code::OracleNotIndependent, |w| {
        let stands = |row: &Row| matches!(row.bytes, Bytes::Pinned | Bytes::Executable);
        rows(w).iter().any(|row| row.worth == Worth::Scored && !stands(row))
    }),
    (Code::LedgerInvalid, |w| {
        let cites = |row: &Row| matches!(row.cites, Cites::UnknownHeading | Cites::NoFile | Cites::Outside);
        rows(w).iter().any(|row| cites(row) || row.runs == Runs::Unknown)
    }),
    (Code::LedgerInvalid, |w| w.files.contains(&File::Invalid) || w.stray == Some(Code::LedgerInvalid)),
    (Code::LedgerMissing, |w| w.files.contains(&File::Missing)),
    (Code::PathUnsafe, |w| w.files.contains(&File::Unsafe) || w.stray == Some(Code::PathUnsafe)),
    (Code::HistoryUntrusted, |w| !w.has_base),
    (Code::FixtureEpochUnpinned, |w| {
        use Epoch as E;
        let blank = [E::NameBlank, E::NameAbsent, E::NameNumber, E::BaseBlank, E::DigestBlank, E::ImageBlank];
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
        has_epoch(w) && freezes(w).iter().any(|freeze| freeze.epoch != Match::Same || !pins_name(w))
    }),
    (Code::FixtureDigestMismatch, |w| {
        use Epoch as E;
        let wrong = [E::DigestWrong, E::Unlisted, E::Vanished, E::OtherBytes, E::OtherSize, E::Link];
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
        freezes(w).iter().any(|freeze| matches!(freeze.target, Target::BuiltIn | Target::Declared))
    }),
    (Code::FreezeExpired, |w| freezes(w).iter().any(|freeze| freeze.ends == Ends::Yesterday)),
    (Code::FreezeHorizonExceeded, |w| freezes(w).iter().any(|freeze| freeze.ends == Ends::Beyond)),
    (Code::FreezeReplayNotOnBase, |w| {
        let on_base =
            |freeze: &Freeze| freeze.base == Match::Same && freeze.observed == Match::Same && pins_base(w);
        has_epoch(w) && freezes(w).iter().any(|freeze| !on_base(freeze))
    }),
    (Code::FreezeShareExceeded, |w| {
        let frozen = (0..2).filter(|at| is_frozen(w, *at)).count();
        2 * frozen > (0..2).filter(|at| is_scored(w, *at)).count()
    }),
];

/// Section 4: what `admit` refuses besides.
const SCORE: &[Rule] = &[
    (Code::EmptyPatch, |w| matches!(w.shape, Shape::Ledgers | Shape::HumanLedgers)),
    (Code::NoUnfrozenProperties, |w| {
        has_patch(w) && knows_complement(w) && !(0..2).any(|at| in_complement(w, at))
    }),
    (Code::NoUnfrozenProperties, |w| {
        let Results::Given(list) = w.results else { return false };
        has_patch(w) && knows_complement(w) && list.iter().all(|one| one.2 == Some(true) || !is_row(w, one.0))
    }),
    (Code::UnfrozenPropertyFailed, |w| {
        let is_absent = |at| has_patch(w) && is_given(w) && statuses(w, IDS[at]).count() == 0;
        (0..2).any(|at| in_complement(w, at) && (is_missed(w, at) || is_absent(at)))
    }),
    (Code::FrozenRegression, |w| (0..2).any(|at| is_frozen(w, at) && !is_covered(w, at))),
    (Code::CanaryFailed, |w| {
        let Results::Given(list) = w.results else { return false };
        list.iter().any(|one| one.2 == Some(true) && one.1 != "pass")
    }),
    (Code::ResultsInvalid, |w| {
        let Results::Given(list) = w.results else { return w.results == Results::Unreadable };
        list.iter().any(|one| one.2 != Some(true) && !is_row(w, one.0))
    }),
    (Code::VerdictMissing, |w| has_patch(w) && w.results == Results::Recorded),
];

fn needs_human(w: &World) -> bool {
    matches!(w.shape, Shape::HumanPatch | Shape::HumanLedgers)
}

fn refusals(w: &World, rules: &[&[Rule]]) -> BTreeSet<Code> {
    rules.iter().copied().flatten().filter(|rule| rule.1(w)).map(|rule| rule.0).collect()
}

fn outcome(refusals: &BTreeSet<Code>, is_held: bool) -> Outcome {
    if !refusals.is_empty() {
        Outcome::Refuse
    } else if is_held {
        Outcome::Hold
    } else {
        Outcome::Admit
    }
}

// -- the same world as facts -----------------------------------------------------------------

/// What every world shares.
struct Ground {
    policy: Policy,
    today: Day,
    invalid: LedgerFault,
    unsafe_path: LedgerFault,
}

impl Ground {
    fn new() -> Self {
        let invalid = parse::<FreezeLedger>(b"[").unwrap_err();
        let text = r#"{"schema": "git-reins/freezes/1", "freezes": [{"paths": ["../x"]}]}"#;
        let unsafe_path = parse::<FreezeLedger>(text.as_bytes()).unwrap_err();
        Self { policy: policy(), today: TODAY.parse().unwrap(), invalid, unsafe_path }
    }

    fn reading<L>(&self, file: File, ledger: L) -> Reading<L> {
        match file {
            File::Valid => Reading::Valid(Arc::new(ledger)),
            File::Missing => Reading::Missing,
            File::Invalid => Reading::Invalid(self.invalid.clone()),
            File::Unsafe => Reading::Invalid(self.unsafe_path.clone()),
        }
    }

    fn facts(&self, w: &World) -> Facts {
        let material = Arc::new(self.material(w, false));
        let base_material = Arc::new(self.material(w, true));
        let base = Held { id: commit(0), material: base_material.clone() };
        let parent = ParentFacts { id: Some(commit(0)), material: base_material, is_protected: true };
        let change = CommitFacts {
            id: commit(1),
            parents: vec![parent],
            material: material.clone(),
            own: own(w.shape),
            reverts: (w.shape == Shape::Revert).then(|| commit(7)),
        };
        let stray = |code| Stray {
            code,
            path: "ledger/x".to_owned(),
            observed: "x".to_owned(),
            expected: "y".to_owned(),
        };
        let heading = BTreeSet::from(["rule".to_owned()]);
        Facts {
            policy: self.policy.clone(),
            today: self.today,
            bases: if w.has_base { vec![base.clone()] } else { Vec::new() },
            protected: vec![base],
            tip: Tip {
                id: commit(1),
                material,
                files: file_facts(w),
                headings: BTreeMap::from([("spec/a.md".to_owned(), heading)]),
                strays: w.stray.map(stray).into_iter().collect(),
                base_rev: base_rev(w),
                touched: BTreeSet::from(["src/lib.rs".to_owned()]),
            },
            commits: vec![change],
        }
    }

    fn material(&self, w: &World, is_base: bool) -> Material {
        let fixture = if is_base { base_epoch(w) } else { epoch(w) };
        let oracles = w.rows.iter().enumerate().map(|(at, row)| oracle_row(at, row)).collect();
        let rows = w.freezes.iter().enumerate().map(|(at, freeze)| freeze_row(self.today, at, freeze));
        Material {
            oracle: self.reading(w.files[0], OracleLedger { schema: OracleLedger::SCHEMA.into(), oracles }),
            fixture: self.reading(w.files[1], fixture),
            freezes: self.reading(
                w.files[2],
                FreezeLedger { schema: FreezeLedger::SCHEMA.into(), freezes: rows.collect() },
            ),
            properties: Arc::new(properties(w)),
            fixtures: Arc::new(fixtures(w)),
            specs: Arc::new(BTreeMap::from([("spec/a.md".to_owned(), plain("spec"))])),
            policy: Some(plain("policy")),
        }
    }
}

fn own(shape: Shape) -> Own {
    let path = |wanted: bool, path: &str| wanted.then(|| path.to_owned());
    Own {
        code: path(matches!(shape, Shape::Patch | Shape::HumanPatch | Shape::Revert), "src/lib.rs"),
        exempt: path(shape == Shape::Exempt, "docs/a.md"),
        human_only: path(matches!(shape, Shape::HumanPatch | Shape::HumanLedgers), "src/auth/a.rs"),
    }
}

fn property_path(at: usize, row: &Row) -> String {
    let directory = if row.bytes == Bytes::Outside { "tools" } else { "properties" };
    format!("{directory}/{}.py", IDS[at])
}

fn oracle_row(at: usize, row: &Row) -> OracleRow {
    let text = |text: &str| Some(text.to_owned());
    let pinned = PinnedFile { path: property_path(at, row), sha256: sha(IDS[at]).to_string() };
    OracleRow {
        oracle_id: IDS[at].to_owned(),
        source: match row.cites {
            Cites::Heading => "spec/a.md#rule",
            Cites::UnknownHeading => "spec/a.md#ruler",
            Cites::NoFile => "spec/b.md#rule",
            Cites::Outside => "docs/a.md#rule",
            Cites::Url => "https://example.org/x",
        }
        .to_owned(),
        sees_diff: match row.sees {
            Sees::False => Some(Field::Value(false)),
            Sees::Absent => None,
            Sees::Word => Some(Field::Other("false".into())),
            Sees::True => Some(Field::Value(true)),
        },
        property: "p".to_owned(),
        check: match row.runs {
            Runs::Default => None,
            Runs::Known => text("props"),
            Runs::Unknown => text("nope"),
        },
        property_files: if row.bytes == Bytes::NoneNamed { Vec::new() } else { vec![pinned] },
        inputs: text("any"),
        relation: text("holds"),
        witness: text("breaks").filter(|_| row.worth != Worth::NoWitness),
        score: (row.worth == Worth::OptedOut).then_some(false),
        witness_patch: None,
        drafted_by: None,
        cleared_by: None,
        authored_commit: None,
    }
}

fn properties(w: &World) -> Listing {
    let mut listing = Listing::new();
    for (at, row) in w.rows.iter().enumerate() {
        let mode = match row.bytes {
            Bytes::Executable => EntryState::EXECUTABLE,
            Bytes::Link => LONG_MODE,
            _ => EntryState::PLAIN,
        };
        if !matches!(row.bytes, Bytes::Missing | Bytes::Outside | Bytes::NoneNamed) {
            listing.insert(property_path(at, row), EntryState { mode, ..plain(IDS[at]) });
        }
    }
    listing
}

fn fixture_text(w: &World) -> &'static str {
    if w.epoch == Epoch::Pointer { "pointer" } else { "fixture" }
}

fn file_facts(w: &World) -> BTreeMap<String, FileFacts> {
    let facts = |text: &str| FileFacts {
        sha256: Some(sha(text)),
        size: text.len() as u64,
        is_lfs_pointer: false,
        changed_by: None,
    };
    let mut files = BTreeMap::new();
    for (at, row) in w.rows.iter().enumerate() {
        if !matches!(row.bytes, Bytes::Missing | Bytes::NoneNamed) {
            let mut file = facts(if row.bytes == Bytes::Changed { "changed" } else { IDS[at] });
            file.changed_by = (row.bytes == Bytes::Attribute).then(|| "eol=crlf".to_owned());
            if row.bytes == Bytes::Link {
                file.sha256 = None;
            }
            files.insert(property_path(at, row), file);
        }
    }
    for (path, _) in fixtures(w) {
        let mut file = facts(if w.epoch == Epoch::OtherBytes { "fixtur?" } else { fixture_text(w) });
        file.is_lfs_pointer = w.epoch == Epoch::Pointer;
        file.changed_by = (w.epoch == Epoch::Attribute).then(|| "eol=crlf".to_owned());
        if w.epoch == Epoch::Link {
            file.sha256 = None;
        }
        files.insert(path, file);
    }
    files
}

fn fixtures(w: &World) -> Listing {
    let mode = match w.epoch {
        Epoch::Executable => EntryState::EXECUTABLE,
        Epoch::Link => LONG_MODE,
        _ => EntryState::PLAIN,
    };
    let mut listing = Listing::from([("fixtures/a".to_owned(), EntryState { mode, ..plain("fixture") })]);
    match w.epoch {
        Epoch::NoFiles | Epoch::Vanished => listing.clear(),
        Epoch::Unlisted => listing.extend([("fixtures/b".to_owned(), plain("fixture"))]),
        _ => {}
    }
    listing
}

fn epoch(w: &World) -> FixtureLedger {
    let text = fixture_text(w);
    let size = text.len() as u64 + u64::from(w.epoch == Epoch::OtherSize);
    let file = FixtureFile { path: "fixtures/a".to_owned(), sha256: sha(text).to_string(), size };
    let mut ledger = FixtureLedger {
        schema: FixtureLedger::SCHEMA.to_owned(),
        epoch_id: match w.epoch {
            Epoch::NameBlank => member(" \t"),
            Epoch::NameAbsent => None,
            Epoch::NameNumber => Some(Field::Other(7.into())),
            _ => member(EPOCH),
        },
        base_rev: match w.epoch {
            Epoch::BaseBlank => member(""),
            Epoch::BaseMalformed => member(&commit(0).short()),
            _ => member(&commit(0).to_string()),
        },
        digest_sha256: None,
        runner_image_id: match w.epoch {
            Epoch::ImageBlank => member(" "),
            Epoch::ImageForm => member("ubuntu"),
            _ => member("nix:/nix/store/abc"),
        },
        files: if w.epoch == Epoch::NoFiles { Vec::new() } else { vec![file] },
        residual_risk: Vec::new(),
    };
    let lines: String = ledger.files.iter().map(|file| format!("{}  {}\n", file.sha256, file.path)).collect();
    ledger.digest_sha256 = match w.epoch {
        Epoch::DigestBlank => member(""),
        Epoch::DigestWrong => member(&sha("x").to_string()),
        _ => member(&sha(&lines).to_string()),
    };
    ledger
}

/// The ledger of base: the same one, but for the two ways to take up another revision.
fn base_epoch(w: &World) -> FixtureLedger {
    let ledger = epoch(w);
    match w.epoch {
        Epoch::Reused => FixtureLedger { base_rev: member(&commit(5).to_string()), ..ledger },
        Epoch::Renewed => {
            FixtureLedger { base_rev: member(&commit(5).to_string()), epoch_id: member("epoch-0"), ..ledger }
        }
        _ => ledger,
    }
}

fn base_rev(w: &World) -> Option<BaseRev> {
    match w.epoch {
        _ if w.files[1] != File::Valid => None,
        Epoch::BaseBlank => None,
        Epoch::BaseMalformed => Some(BaseRev::Malformed),
        Epoch::BaseUnknown => Some(BaseRev::Unknown),
        Epoch::BaseNotAncestor => Some(BaseRev::NotAncestor),
        _ => Some(BaseRev::Ancestor),
    }
}

fn freeze_row(today: Day, at: usize, freeze: &Freeze) -> FreezeRow {
    let matched = |what: Match, same: &str, other: &str| match what {
        Match::Same => member(same),
        Match::Other => member(other),
        Match::Absent => None,
    };
    let day = |days: u64| member(&today.plus(days).unwrap().to_string());
    FreezeRow {
        property_id: match freeze.target {
            Target::Row(at) => member(IDS[at]),
            Target::NoRow => member("row-z"),
            Target::BuiltIn => member("parse_diff"),
            Target::Declared => member("lint"),
            Target::Absent => None,
        },
        seed: freeze.seed.then(|| Field::Value(at.to_string())),
        base_rev: matched(freeze.base, &commit(0).to_string(), &commit(5).to_string()),
        fixture_epoch: matched(freeze.epoch, EPOCH, "epoch-9"),
        observed_on: matched(freeze.observed, "base", "candidate"),
        expires_at: match freeze.ends {
            Ends::Today => day(0),
            Ends::Yesterday => member("2026-02-28"),
            Ends::Horizon => day(30),
            Ends::Beyond => day(31),
            Ends::Garbled => member("2026-3-9"),
            Ends::Absent => None,
        },
        owner: freeze.owner.then(|| Field::Value("ops".to_owned())),
        paths: match freeze.paths {
            Match::Same => Some(vec!["src".to_owned()]),
            Match::Other => Some(vec!["lib".to_owned()]),
            Match::Absent => None,
        },
        quarantine_eligible: freeze.eligible.then_some(Field::Value(true)),
        evidence: None,
    }
}

// -- the comparison --------------------------------------------------------------------------

/// Compares both answers for one world and asserts what holds in every world.
fn compare(ground: &Ground, w: &World, faults: &mut Faults) {
    let facts = ground.facts(w);
    let expected = refusals(w, &[CHECK]);
    note(w, "check", &check(&facts), expected, needs_human(w), faults);
    let list: Vec<ResultRow> = match w.results {
        Results::Given(list) => list.iter().map(result_row).collect(),
        Results::Recorded | Results::Unreadable => Vec::new(),
    };
    let scores = match w.results {
        Results::Recorded => Scores::Recorded,
        Results::Unreadable => Scores::Unreadable(&ground.invalid),
        Results::Given(_) => Scores::Given(&list),
    };
    let expected = refusals(w, &[CHECK, SCORE]);
    let answer = admit(&facts, scores);
    let is_held = needs_human(w) || !held(w).is_empty();
    note(w, "admit", &answer, expected, is_held, faults);
    let answer_held: BTreeSet<&str> = answer.held.iter().map(|id| id.as_str()).collect();
    if answer_held != held(w) {
        faults.entry(format!("held {answer_held:?}, expected {:?}", held(w))).or_default().push(w.shown());
    }
    laws(ground, w, &answer, &list);
}

/// The worlds in which the two answers differ, by the way in which they do.
type Faults = BTreeMap<String, Vec<String>>;

fn note(w: &World, what: &str, answer: &Decision, codes: BTreeSet<Code>, is_held: bool, faults: &mut Faults) {
    let found = BTreeSet::from_iter(answer.refusals.iter().copied());
    let wanted = outcome(&codes, is_held);
    if found != codes || answer.decision != wanted {
        let (more, less): (Vec<_>, Vec<_>) =
            (found.difference(&codes).collect(), codes.difference(&found).collect());
        let way = format!(
            "{what}: {:?}, expected {wanted:?}; too many {more:?}, too few {less:?}",
            answer.decision
        );
        faults.entry(way).or_default().push(w.shown());
    }
}

fn result_row(one: &Result3) -> ResultRow {
    ResultRow { property_id: one.0.to_owned(), status: one.1.to_owned(), canary: one.2 }
}

/// What holds in every world, whatever the model says.
fn laws(ground: &Ground, w: &World, answer: &Decision, list: &[ResultRow]) {
    let misses = list.iter().any(|one| one.canary == Some(true) && one.status != "pass");
    assert!(!misses || answer.decision == Outcome::Refuse, "a canary miss refuses: {w:?}");
    let empty = has_patch(w) && !(0..2).any(|at| in_complement(w, at));
    assert!(!empty || answer.decision == Outcome::Refuse, "an empty complement refuses: {w:?}");
    assert_eq!(answer.refusals.is_empty(), answer.decision != Outcome::Refuse, "{w:?}");
    let is_held = !answer.held.is_empty() || !answer.details.is_empty();
    assert!(answer.decision != Outcome::Admit || !is_held, "what is held is not admitted: {w:?}");
    let named = freezes(w).iter().filter_map(|freeze| match freeze.target {
        Target::Row(at) => Some(IDS[at]),
        Target::NoRow | Target::BuiltIn | Target::Declared | Target::Absent => None,
    });
    for id in named {
        let scores =
            |one: &&PropertyStanding| one.property_id.as_str() == id && one.state == Standing::Scored;
        assert!(answer.properties.iter().find(scores).is_none(), "{id} is frozen: {w:?}");
    }
    if answer.decision != Outcome::Refuse {
        let worse = World { stray: Some(Code::PathUnsafe), ..w.clone() };
        let answer = admit(&ground.facts(&worse), Scores::Given(list));
        assert_eq!(answer.refusals, [Code::PathUnsafe], "one more reason: {w:?}");
    }
}

fn row_cases() -> Vec<Row> {
    let mut rows = vec![GOOD_ROW];
    let worths = [Worth::Scored, Worth::NoWitness, Worth::OptedOut];
    for worth in worths {
        let row = Row { worth, ..GOOD_ROW };
        rows.extend([Sees::Absent, Sees::Word, Sees::True].map(|sees| Row { sees, ..row }));
        let bytes = [Bytes::Changed, Bytes::Missing, Bytes::NoneNamed, Bytes::Outside];
        rows.extend(bytes.map(|bytes| Row { bytes, ..row }));
        let bytes = [Bytes::Executable, Bytes::Attribute, Bytes::Link];
        rows.extend(bytes.map(|bytes| Row { bytes, ..row }));
        let cites = [Cites::UnknownHeading, Cites::NoFile, Cites::Outside, Cites::Url];
        rows.extend(cites.map(|cites| Row { cites, ..row }));
        rows.extend([Runs::Known, Runs::Unknown].map(|runs| Row { runs, ..row }));
    }
    rows.extend([Worth::NoWitness, Worth::OptedOut].map(|worth| Row { worth, ..GOOD_ROW }));
    rows.push(Row { sees: Sees::True, bytes: Bytes::Changed, cites: Cites::NoFile, ..GOOD_ROW });
    rows
}

/// Every freeze that differs from a good one of row `at` in one way.
fn freeze_cases(at: usize) -> Vec<Freeze> {
    let good = Freeze { target: Target::Row(at), ..GOOD_FREEZE };
    let mut cases = vec![good, Freeze { seed: false, ..good }, Freeze { owner: false, ..good }];
    let targets = [Target::NoRow, Target::BuiltIn, Target::Declared, Target::Absent];
    cases.extend(targets.map(|target| Freeze { target, ..good }));
    let ends = [Ends::Today, Ends::Yesterday, Ends::Beyond, Ends::Garbled, Ends::Absent];
    cases.extend(ends.map(|ends| Freeze { ends, ..good }));
    for other in [Match::Other, Match::Absent] {
        cases.push(Freeze { base: other, ..good });
        cases.push(Freeze { observed: other, ..good });
        cases.push(Freeze { epoch: other, ..good });
        cases.push(Freeze { paths: other, ..good });
    }
    cases.push(Freeze { eligible: false, ..good });
    cases.push(Freeze { ends: Ends::Yesterday, epoch: Match::Other, base: Match::Absent, ..good });
    cases
}

/// No freeze, one, or two.
fn freeze_lists() -> Vec<Vec<Freeze>> {
    let mut lists = vec![Vec::new()];
    lists.extend([0, 1].into_iter().flat_map(freeze_cases).map(|freeze| vec![freeze]));
    let second = Freeze { target: Target::Row(0), ..GOOD_FREEZE };
    lists.extend(freeze_cases(1).into_iter().map(|freeze| vec![freeze, second]));
    let useless = Freeze { eligible: false, ..GOOD_FREEZE };
    lists.extend(freeze_cases(1).into_iter().map(|freeze| vec![freeze, useless]));
    lists
}

fn few_freezes() -> Vec<Vec<Freeze>> {
    let expired = Freeze { ends: Ends::Yesterday, ..GOOD_FREEZE };
    let canary = Freeze { target: Target::Declared, ..GOOD_FREEZE };
    let first = Freeze { target: Target::Row(0), ..GOOD_FREEZE };
    vec![vec![], vec![GOOD_FREEZE], vec![expired], vec![canary], vec![GOOD_FREEZE, first]]
}

fn few_rows() -> Vec<Vec<Row>> {
    let smoke = Row { worth: Worth::NoWitness, sees: Sees::True, ..GOOD_ROW };
    vec![vec![GOOD_ROW; 2], vec![GOOD_ROW], vec![smoke, GOOD_ROW], vec![GOOD_ROW, smoke], vec![smoke, smoke]]
}

/// Runs the comparison over some worlds and counts them.
fn survey(worlds: impl Iterator<Item = World>) -> usize {
    let ground = Ground::new();
    let (mut count, mut faults) = (0, Faults::new());
    for w in worlds {
        count += 1;
        compare(&ground, &w, &mut faults);
    }
    let shown = |(way, worlds): (&String, &Vec<String>)| {
        let smallest = worlds.iter().min_by_key(|world| world.len());
        format!("{way} ({} worlds)\n    {}\n", worlds.len(), smallest.unwrap())
    };
    assert!(faults.is_empty(), "{count} worlds:\n{}", faults.iter().map(shown).collect::<String>());
    count
}

#[test]
fn rows_are_judged_as_the_contract_says() {
    let (rows, freezes) = (row_cases(), few_freezes());
    let seconds: Vec<Option<Row>> = vec![None, Some(GOOD_ROW), few_rows()[4].first().copied()];
    let worlds = rows.iter().flat_map(|row| {
        let lists = seconds.iter().flat_map(|second| freezes.iter().map(move |list| (second, list)));
        lists.flat_map(|(second, list)| {
            let rows: Vec<_> = [*row].into_iter().chain(*second).collect();
            RESULTS.map(|results| World {
                rows: rows.clone(),
                freezes: list.clone(),
                results,
                ..World::good()
            })
        })
    });
    assert_eq!(survey(worlds), 10_920);
}

#[test]
fn freezes_and_results_are_judged_as_the_contract_says() {
    let (rows, freezes) = (few_rows(), freeze_lists());
    let worlds = rows.iter().flat_map(|rows| {
        freezes.iter().flat_map(move |list| {
            let of = |results, shape| World {
                rows: rows.clone(),
                freezes: list.clone(),
                results,
                shape,
                ..World::good()
            };
            RESULTS.into_iter().flat_map(move |results| SHAPES.map(|shape| of(results, shape)))
        })
    });
    assert_eq!(survey(worlds), 37_380);
}

#[test]
fn epochs_are_judged_as_the_contract_says() {
    let freezes: Vec<_> = freeze_cases(1).into_iter().map(|freeze| vec![freeze]).chain([vec![]]).collect();
    let worlds = EPOCHS.into_iter().flat_map(|epoch| {
        let freezes = &freezes;
        few_rows().into_iter().flat_map(move |rows| {
            freezes.iter().flat_map(move |list| {
                let rows = rows.clone();
                let of = move |at: usize| World {
                    rows: rows.clone(),
                    freezes: list.clone(),
                    epoch,
                    results: RESULTS[at],
                    ..World::good()
                };
                [0, 4, 5].map(of)
            })
        })
    });
    assert_eq!(survey(worlds), 7_935);
}

#[test]
fn unreadable_material_is_refused_as_the_contract_says() {
    let strays = [None, Some(Code::LedgerInvalid), Some(Code::PathUnsafe)];
    let mut worlds = Vec::new();
    for (oracle, fixture, freeze) in triples() {
        for (stray, has_base) in strays.into_iter().flat_map(|stray| [(stray, true), (stray, false)]) {
            for (rows, freezes) in few_rows().into_iter().zip(few_freezes()) {
                for results in [RESULTS[0], RESULTS[4], RESULTS[5]] {
                    let files = [oracle, fixture, freeze];
                    let (rows, freezes) = (rows.clone(), freezes.clone());
                    worlds.push(World { rows, freezes, stray, has_base, files, results, ..World::good() });
                }
            }
        }
    }
    assert_eq!(survey(worlds.into_iter()), 5_760);
}

fn triples() -> impl Iterator<Item = (File, File, File)> {
    let pairs = FILES.into_iter().flat_map(|oracle| FILES.map(|fixture| (oracle, fixture)));
    pairs.flat_map(|(oracle, fixture)| FILES.map(|freeze| (oracle, fixture, freeze)))
}
