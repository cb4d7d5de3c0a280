//! How does a small world look as facts?

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use git_reins::decide::facts::{
    BaseRev, CommitFacts, Facts, FileFacts, Held, LineFacts, Listing, Material, Own, ParentFacts,
    Reading, Stray, Tip, Trials,
};
use git_reins::ledger::fault::LedgerFault;
use git_reins::ledger::field::Field;
use git_reins::ledger::file::parse;
use git_reins::ledger::fixture::{FixtureFile, FixtureLedger};
use git_reins::ledger::freeze::{FreezeLedger, FreezeRow};
use git_reins::ledger::oracle::{OracleLedger, OracleRow, PinnedFile};
use git_reins::model::day::Day;
use git_reins::model::ids::EntryState;
use git_reins::policy::Policy;

use super::super::parts::{commit, pins, plain, policy};
use super::super::words::{member, sha};
use super::worlds::*;

/// What every world shares.
pub(super) struct Ground {
    pub(super) policy: Policy,
    pub(super) today: Day,
    pub(super) invalid: LedgerFault,
    pub(super) unsafe_path: LedgerFault,
}

impl Ground {
    pub(super) fn new() -> Self {
        let invalid = parse::<FreezeLedger>(b"[").unwrap_err();
        let text = r#"{"schema": "git-reins/freezes/1", "freezes": [{"paths": ["../x"]}]}"#;
        let unsafe_path = parse::<FreezeLedger>(text.as_bytes()).unwrap_err();
        Self {
            policy: policy(),
            today: TODAY.parse().unwrap(),
            invalid,
            unsafe_path,
        }
    }

    fn reading<L>(&self, file: File, ledger: L) -> Reading<L> {
        match file {
            File::Valid => Reading::Valid(Arc::new(ledger)),
            File::Missing => Reading::Missing,
            File::Invalid => Reading::Invalid(self.invalid.clone()),
            File::Unsafe => Reading::Invalid(self.unsafe_path.clone()),
        }
    }

    pub(super) fn facts(&self, w: &World) -> Facts {
        let material = Arc::new(self.material(w, false));
        let base_material = Arc::new(self.material(w, true));
        let base = Held {
            id: commit(0),
            material: base_material.clone(),
        };
        let parent = ParentFacts {
            id: Some(commit(0)),
            material: base_material,
            is_protected: true,
        };
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
            bases: if w.has_base {
                vec![base.clone()]
            } else {
                Vec::new()
            },
            protected: vec![base],
            tip: Tip {
                id: commit(1),
                material,
                files: file_facts(w),
                headings: BTreeMap::from([("spec/a.md".to_owned(), heading)]),
                strays: w.stray.map(stray).into_iter().collect(),
                base_rev: base_rev(w),
                touched: BTreeSet::from(["src/lib.rs".to_owned()]),
                unsorted: BTreeSet::new(),
                policy_fault: None,
            },
            commits: vec![change],
            pins: pins(),
            trials: Trials::default(),
            line: LineFacts::default(),
        }
    }

    fn material(&self, w: &World, is_base: bool) -> Material {
        let fixture = if is_base { base_epoch(w) } else { epoch(w) };
        let oracles = w
            .rows
            .iter()
            .enumerate()
            .map(|(at, row)| oracle_row(at, row))
            .collect();
        let rows = w
            .freezes
            .iter()
            .enumerate()
            .map(|(at, freeze)| freeze_row(self.today, at, freeze));
        Material {
            oracle: self.reading(
                w.files[0],
                OracleLedger {
                    schema: OracleLedger::SCHEMA.into(),
                    oracles,
                },
            ),
            fixture: self.reading(w.files[1], fixture),
            freezes: self.reading(
                w.files[2],
                FreezeLedger {
                    schema: FreezeLedger::SCHEMA.into(),
                    freezes: rows.collect(),
                },
            ),
            properties: Arc::new(properties(w)),
            fixtures: Arc::new(fixtures(w)),
            specs: Arc::new(BTreeMap::from([("spec/a.md".to_owned(), plain("spec"))])),
            policy: Some(plain("policy")),
        }
    }
}

pub(super) fn own(shape: Shape) -> Own {
    let path = |wanted: bool, path: &str| wanted.then(|| path.to_owned());
    Own {
        code: path(
            matches!(shape, Shape::Patch | Shape::HumanPatch | Shape::Revert),
            "src/lib.rs",
        ),
        exempt: path(shape == Shape::Exempt, "docs/a.md"),
        human_only: path(
            matches!(shape, Shape::HumanPatch | Shape::HumanLedgers),
            "src/auth/a.rs",
        ),
    }
}

pub(super) fn property_path(at: usize, row: &Row) -> String {
    let directory = if row.bytes == Bytes::Outside {
        "tools"
    } else {
        "properties"
    };
    format!("{directory}/{}.py", IDS[at])
}

pub(super) fn oracle_row(at: usize, row: &Row) -> OracleRow {
    let text = |text: &str| Some(text.to_owned());
    let pinned = PinnedFile {
        path: property_path(at, row),
        sha256: sha(IDS[at]).to_string(),
    };
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
        property_files: if row.bytes == Bytes::NoneNamed {
            Vec::new()
        } else {
            vec![pinned]
        },
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

pub(super) fn properties(w: &World) -> Listing {
    let mut listing = Listing::new();
    for (at, row) in w.rows.iter().enumerate() {
        let mode = match row.bytes {
            Bytes::Executable => EntryState::EXECUTABLE,
            Bytes::Link => LONG_MODE,
            _ => EntryState::PLAIN,
        };
        if !matches!(
            row.bytes,
            Bytes::Missing | Bytes::Outside | Bytes::NoneNamed
        ) {
            listing.insert(
                property_path(at, row),
                EntryState {
                    mode,
                    ..plain(IDS[at])
                },
            );
        }
    }
    listing
}

pub(super) fn fixture_text(w: &World) -> &'static str {
    if w.epoch == Epoch::Pointer {
        "pointer"
    } else {
        "fixture"
    }
}

pub(super) fn file_facts(w: &World) -> BTreeMap<String, FileFacts> {
    let facts = |text: &str| FileFacts {
        sha256: Some(sha(text)),
        size: text.len() as u64,
        is_lfs_pointer: false,
        changed_by: None,
    };
    let mut files = BTreeMap::new();
    for (at, row) in w.rows.iter().enumerate() {
        if !matches!(row.bytes, Bytes::Missing | Bytes::NoneNamed) {
            let mut file = facts(if row.bytes == Bytes::Changed {
                "changed"
            } else {
                IDS[at]
            });
            file.changed_by = (row.bytes == Bytes::Attribute).then(|| "eol=crlf".to_owned());
            if row.bytes == Bytes::Link {
                file.sha256 = None;
            }
            files.insert(property_path(at, row), file);
        }
    }
    for (path, _) in fixtures(w) {
        let mut file = facts(if w.epoch == Epoch::OtherBytes {
            "fixtur?"
        } else {
            fixture_text(w)
        });
        file.is_lfs_pointer = w.epoch == Epoch::Pointer;
        file.changed_by = (w.epoch == Epoch::Attribute).then(|| "eol=crlf".to_owned());
        if w.epoch == Epoch::Link {
            file.sha256 = None;
        }
        files.insert(path, file);
    }
    files
}

pub(super) fn fixtures(w: &World) -> Listing {
    let mode = match w.epoch {
        Epoch::Executable => EntryState::EXECUTABLE,
        Epoch::Link => LONG_MODE,
        _ => EntryState::PLAIN,
    };
    let mut listing = Listing::from([(
        "fixtures/a".to_owned(),
        EntryState {
            mode,
            ..plain("fixture")
        },
    )]);
    match w.epoch {
        Epoch::NoFiles | Epoch::Vanished => listing.clear(),
        Epoch::Unlisted => listing.extend([("fixtures/b".to_owned(), plain("fixture"))]),
        _ => {}
    }
    listing
}

pub(super) fn epoch(w: &World) -> FixtureLedger {
    let text = fixture_text(w);
    let size = text.len() as u64 + u64::from(w.epoch == Epoch::OtherSize);
    let file = FixtureFile {
        path: "fixtures/a".to_owned(),
        sha256: sha(text).to_string(),
        size,
    };
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
        files: if w.epoch == Epoch::NoFiles {
            Vec::new()
        } else {
            vec![file]
        },
        residual_risk: Vec::new(),
    };
    let lines: String = ledger
        .files
        .iter()
        .map(|file| format!("{}  {}\n", file.sha256, file.path))
        .collect();
    ledger.digest_sha256 = match w.epoch {
        Epoch::DigestBlank => member(""),
        Epoch::DigestWrong => member(&sha("x").to_string()),
        _ => member(&sha(&lines).to_string()),
    };
    ledger
}

/// The ledger of base: the same one, but for the two ways to take up another revision.
pub(super) fn base_epoch(w: &World) -> FixtureLedger {
    let ledger = epoch(w);
    match w.epoch {
        Epoch::Reused => FixtureLedger {
            base_rev: member(&commit(5).to_string()),
            ..ledger
        },
        Epoch::Renewed => FixtureLedger {
            base_rev: member(&commit(5).to_string()),
            epoch_id: member("epoch-0"),
            ..ledger
        },
        _ => ledger,
    }
}

pub(super) fn base_rev(w: &World) -> Option<BaseRev> {
    match w.epoch {
        _ if w.files[1] != File::Valid => None,
        Epoch::BaseBlank => None,
        Epoch::BaseMalformed => Some(BaseRev::Malformed),
        Epoch::BaseUnknown => Some(BaseRev::Unknown),
        Epoch::BaseNotAncestor => Some(BaseRev::NotAncestor),
        _ => Some(BaseRev::Ancestor),
    }
}

pub(super) fn freeze_row(today: Day, at: usize, freeze: &Freeze) -> FreezeRow {
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
