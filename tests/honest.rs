//! Is anybody refused who does the right thing? Two hundred honest histories, and none may be.
#![expect(
    clippy::unwrap_used,
    reason = "a history that cannot be built has to stop the test"
)]

use std::collections::{BTreeMap, BTreeSet};

use git_reins::decide::admit::{admit, check};
use git_reins::decide::evaluation::Evaluation;
use git_reins::decide::score::Scores;
use git_reins::evidence;
use git_reins::evidence::range_context::{Governed, Request};
use git_reins::git::Repo;
use git_reins::ledger::field::Field;
use git_reins::ledger::file::print;
use git_reins::ledger::fixture::{FixtureFile, FixtureLedger};
use git_reins::ledger::freeze::{FreezeLedger, FreezeRow};
use git_reins::ledger::oracle::{OracleLedger, OracleRow, PinnedFile};
use git_reins::ledger::results::ResultRow;
use git_reins::model::decision::Outcome;

#[path = "models/dice.rs"]
mod dice;
#[path = "models/repo.rs"]
mod repo;
#[path = "models/words.rs"]
mod words;

use dice::Dice;
use repo::{Files, Forge};
use words::{POLICY, member, sha};

/// How many histories there are.
const HISTORIES: usize = 200;
const NOON: i64 = 1_772_366_400;

/// What a tree holds, item by item: files by path, rows as `row/ID`, freezes as `freeze/ID`, the
/// epoch as `epoch`, and what it pins as `pin/PATH`.
type Items = BTreeMap<String, String>;

/// What a commit changes; `None` takes an item away.
type Change = Vec<(String, Option<String>)>;

fn applied(items: &Items, change: &Change) -> Items {
    let mut items = items.clone();
    for (key, value) in change {
        match value {
            Some(value) => items.insert(key.clone(), value.clone()),
            None => items.remove(key),
        };
    }
    items
}

/// What leads from one tree to another.
fn change(from: &Items, to: &Items) -> Change {
    let keys: BTreeSet<&String> = from.keys().chain(to.keys()).collect();
    let differs = keys
        .into_iter()
        .filter(|key| from.get(*key) != to.get(*key));
    differs
        .map(|key| (key.clone(), to.get(key).cloned()))
        .collect()
}

fn named<'i>(items: &'i Items, kind: &'i str) -> impl Iterator<Item = (&'i str, &'i String)> {
    items
        .iter()
        .filter_map(move |(key, value)| Some((key.strip_prefix(kind)?, value)))
}

/// The tree with its ledgers; `seed` is the commit that everything was pinned on.
fn files(items: &Items, seed: &str) -> Files {
    let is_file = |key: &str| {
        !["row/", "freeze/", "epoch", "pin/"]
            .iter()
            .any(|kind| key.starts_with(kind))
    };
    let mut files: Files = items.clone();
    files.retain(|key, _| is_file(key));
    let oracles = named(items, "row/")
        .map(|(id, source)| oracle_row(id, source, items))
        .collect();
    let freezes = named(items, "freeze/")
        .map(|(id, owner)| freeze_row(id, owner, items, seed))
        .collect();
    let oracle = OracleLedger {
        schema: OracleLedger::SCHEMA.to_owned(),
        oracles,
    };
    let freezes = FreezeLedger {
        schema: FreezeLedger::SCHEMA.to_owned(),
        freezes,
    };
    files.insert("ledger/oracle.json".to_owned(), print(&oracle));
    files.insert("ledger/freezes.json".to_owned(), print(&freezes));
    files.insert(
        "ledger/fixture.json".to_owned(),
        print(&fixture(items, seed)),
    );
    files
}

fn oracle_row(id: &str, source: &str, items: &Items) -> OracleRow {
    let path = format!("properties/{id}.py");
    let text = |text: &str| Some(text.to_owned());
    OracleRow {
        oracle_id: id.to_owned(),
        source: source.to_owned(),
        sees_diff: Some(Field::Value(false)),
        property: id.to_owned(),
        check: None,
        property_files: vec![PinnedFile {
            sha256: sha(&items[&path]).to_string(),
            path,
        }],
        inputs: text("any"),
        relation: text("holds"),
        witness: text("breaks"),
        score: None,
        witness_patch: None,
        drafted_by: None,
        cleared_by: None,
        authored_commit: None,
    }
}

fn freeze_row(id: &str, owner: &str, items: &Items, seed: &str) -> FreezeRow {
    FreezeRow {
        property_id: member(id),
        seed: member("7"),
        base_rev: member(seed),
        fixture_epoch: member(&items["epoch"]),
        observed_on: member("base"),
        expires_at: member("2026-03-20"),
        owner: member(owner),
        paths: None,
        quarantine_eligible: None,
        evidence: None,
    }
}

fn fixture(items: &Items, seed: &str) -> FixtureLedger {
    let file = |(path, bytes): (&str, &String)| FixtureFile {
        path: path.to_owned(),
        sha256: sha(bytes).to_string(),
        size: u64::try_from(bytes.len()).unwrap(),
    };
    let mut ledger = FixtureLedger {
        schema: FixtureLedger::SCHEMA.to_owned(),
        epoch_id: member(&items["epoch"]),
        base_rev: member(seed),
        digest_sha256: None,
        runner_image_id: member("nix:/nix/store/runner"),
        files: named(items, "pin/").map(file).collect(),
        residual_risk: Vec::new(),
    };
    ledger.digest_sha256 = member(&ledger.listed_digest());
    ledger
}

// -- who does what ---------------------------------------------------------------------------

/// One commit of a story.
#[derive(Clone)]
struct Made {
    mark: usize,
    items: Items,
}

/// The people, the repository and the commits they have made.
struct Story<'s> {
    forge: &'s mut Forge,
    dice: &'s mut Dice,
    seed: usize,
    seed_id: &'s str,
    names: usize,
    clock: i64,
}

fn put(key: impl Into<String>, value: impl Into<String>) -> (String, Option<String>) {
    (key.into(), Some(value.into()))
}

impl Story<'_> {
    fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    fn commit(&mut self, items: Items, parents: &[usize]) -> Made {
        self.clock += i64::try_from(self.dice.roll(1_200)).unwrap() - 300;
        let author = *self.dice.pick(&["ann", "bob", "cem", "dee"]);
        let mark = self
            .forge
            .commit(&files(&items, self.seed_id), parents, author, self.clock);
        Made { mark, items }
    }

    fn next(&mut self, on: &Made, change: &Change) -> Made {
        self.commit(applied(&on.items, change), &[on.mark])
    }

    /// A project under reins: two rows, a text, a fixture, some code.
    fn founded(&mut self) -> Made {
        let mut items: Items = [
            (".gitreins/reins.toml", POLICY),
            ("spec/core.md", "# rule\n\nfirst\n"),
            ("fixtures/x.bin", "x1"),
            ("pin/fixtures/x.bin", "x1"),
            ("epoch", "epoch-1"),
            ("src/lib.rs", "start"),
            ("properties/conftest.py", "harness"),
        ]
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .into();
        for row in ["p1", "p2"] {
            items.insert(format!("row/{row}"), "spec/core.md#rule".to_owned());
            items.insert(format!("properties/{row}.py"), format!("def {row}"));
        }
        self.commit(items, &[self.seed])
    }

    fn row_change(&mut self) -> Change {
        let id = self.name("row");
        let mut change = vec![put(format!("properties/{id}.py"), format!("def {id}"))];
        if self.dice.roll(3) == 0 {
            change.push(put(format!("spec/{id}.md"), "# rule\n"));
            change.push(put(format!("row/{id}"), format!("spec/{id}.md#rule")));
        } else {
            change.push(put(format!("row/{id}"), "spec/core.md#rule"));
        }
        change
    }

    fn freeze_change(&mut self, items: &Items) -> Option<Change> {
        let (rows, frozen) = (
            named(items, "row/").count(),
            named(items, "freeze/").count(),
        );
        let free: Vec<_> = named(items, "row/")
            .filter(|row| !items.contains_key(&format!("freeze/{}", row.0)))
            .collect();
        let id = self.dice.pick(&free).0;
        (2 * (frozen + 1) <= rows).then(|| vec![put(format!("freeze/{id}"), "ops")])
    }

    fn code_change(&mut self) -> Change {
        let path = if self.dice.roll(2) == 0 {
            "src/lib.rs".to_owned()
        } else {
            self.name("src/new")
        };
        vec![put(path, self.name("code "))]
    }

    fn docs_change(&mut self) -> Change {
        vec![put("docs/guide.md", self.name("text "))]
    }

    /// One range that lands on a line under its own review.
    fn landed(&mut self, line: &mut Vec<Made>, kinds: usize) {
        let on = line.last().unwrap().clone();
        let changes: Vec<Change> = match self.dice.roll(kinds) {
            0 | 1 => vec![self.code_change()],
            2 => vec![self.row_change()],
            3 => vec![self.docs_change()],
            4 => vec![vec![put(self.name("spec/text"), "# rule\n")]],
            5 => self.freeze_change(&on.items).into_iter().collect(),
            6 => {
                let (bytes, epoch) = (self.name("x"), self.name("epoch-"));
                let moved = vec![put("fixtures/x.bin", bytes.clone())];
                vec![
                    moved,
                    vec![put("pin/fixtures/x.bin", bytes), put("epoch", epoch)],
                ]
            }
            7 => vec![vec![put(
                "spec/core.md",
                format!("# rule\n\n{}\n", self.name("text ")),
            )]],
            8 => {
                let word = self.name("other ");
                vec![vec![put("properties/p1.py", word)]]
            }
            _ => vec![vec![put(
                ".gitreins/reins.toml",
                format!("{POLICY}# {}\n", self.name("policy ")),
            )]],
        };
        // Nobody starts from the middle of a range, between the bytes and the ledger of an epoch.
        let made = changes
            .iter()
            .fold(on.clone(), |here, change| self.next(&here, change));
        if made.mark != on.mark {
            line.push(made);
        }
    }

    /// The ledger commits that come before a patch.
    fn prepared(&mut self, on: &Made) -> Made {
        let mut here = on.clone();
        let rows = self.dice.roll(3);
        for _ in 0..rows {
            let change = self.row_change();
            here = self.next(&here, &change);
        }
        // Two new rows bear one more freeze, whatever the line freezes meanwhile.
        let freeze = self.freeze_change(&here.items).filter(|_| rows == 2);
        if let Some(change) = freeze.filter(|_| self.dice.roll(2) == 0) {
            here = self.next(&here, &change);
        }
        here
    }

    fn patched(&mut self, on: &Made) -> Made {
        let mut here = on.clone();
        for _ in 0..1 + self.dice.roll(3) {
            let change = if self.dice.roll(4) == 0 {
                self.docs_change()
            } else {
                self.code_change()
            };
            here = self.next(&here, &change);
        }
        let change = vec![put(self.name("src/last"), self.name("code "))];
        self.next(&here, &change)
    }

    /// Merges another line: what only one side changed is taken, and both sides never change the
    /// same row, epoch or fixture.
    fn merged(&mut self, ours: &Made, base: &Made, theirs: &Made) -> Made {
        let change = change(&base.items, &theirs.items);
        let clean = change
            .into_iter()
            .filter(|(key, _)| base.items.get(key) == ours.items.get(key));
        let items = applied(&ours.items, &clean.collect());
        self.commit(items, &[ours.mark, theirs.mark])
    }
}

/// The kinds of honest histories.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    LedgerFirst,
    Rebased,
    MergesLine,
    Octopus,
    Revert,
    SideBranches,
    TwoLines,
}

const KINDS: [Kind; 7] = [
    Kind::LedgerFirst,
    Kind::Rebased,
    Kind::MergesLine,
    Kind::Octopus,
    Kind::Revert,
    Kind::SideBranches,
    Kind::TwoLines,
];

/// A candidate, the protected lines, and the rows at the candidate.
struct History {
    kind: Kind,
    tip: Made,
    main: usize,
    release: Option<usize>,
}

fn history(story: &mut Story<'_>, kind: Kind) -> History {
    let mut main = vec![story.founded()];
    for _ in 0..2 + story.dice.roll(5) {
        story.landed(&mut main, 10);
    }
    let fork = main.len() - 1 - story.dice.roll(main.len().min(3));
    let fork_made = main[fork].clone();
    let mut release = None;
    let tip = match kind {
        Kind::LedgerFirst => {
            let here = story.prepared(&fork_made);
            story.patched(&here)
        }
        Kind::Rebased => rebased(story, &main, &fork_made),
        Kind::MergesLine => merges_line(story, &mut main, fork),
        Kind::Octopus | Kind::SideBranches => {
            let ledger = story.prepared(&fork_made);
            let sides: Vec<_> = (0..2 + story.dice.roll(3))
                .map(|_| sided(story, &ledger))
                .collect();
            joined(story, &ledger, sides, kind == Kind::Octopus)
        }
        Kind::Revert => reverted(story, &mut main),
        Kind::TwoLines => two_lines(story, &mut main, &mut release),
    };
    for _ in 0..story.dice.roll(3) {
        story.landed(&mut main, 10);
    }
    History {
        kind,
        tip,
        main: main.last().unwrap().mark,
        release,
    }
}

/// A branch that was made on an older commit, and made again on the newest one.
fn rebased(story: &mut Story<'_>, main: &[Made], fork: &Made) -> Made {
    let ledger = story.row_change();
    let steps = [
        ledger,
        story.code_change(),
        story.docs_change(),
        story.code_change(),
    ];
    let mut old = fork.clone();
    let mut new = main.last().unwrap().clone();
    for step in &steps {
        let made = story.next(&old, step);
        let picked = change(&old.items, &made.items);
        new = story.next(&new, &picked);
        old = made;
    }
    new
}

/// A branch that merges the line again and again while the line gains rows, texts and epochs.
fn merges_line(story: &mut Story<'_>, main: &mut Vec<Made>, fork: usize) -> Made {
    let mut base = main[fork].clone();
    let mut here = story.prepared(&base);
    for _ in 0..1 + story.dice.roll(3) {
        if story.dice.roll(3) > 0 {
            here = story.patched(&here);
        }
        for _ in 0..1 + story.dice.roll(3) {
            story.landed(main, 10);
        }
        let line = main[main.len() - 1 - story.dice.roll(2)].clone();
        if line.mark > base.mark {
            here = story.merged(&here, &base, &line);
            base = line;
        }
    }
    story.patched(&here)
}

/// A side branch of one patch.
fn sided(story: &mut Story<'_>, on: &Made) -> Made {
    let first = vec![put(story.name("src/side"), "side")];
    let made = story.next(on, &first);
    let docs = story.docs_change();
    if story.dice.roll(3) == 0 {
        story.next(&made, &docs)
    } else {
        made
    }
}

/// Side branches joined in one commit or one after the other.
fn joined(story: &mut Story<'_>, ledger: &Made, sides: Vec<Made>, at_once: bool) -> Made {
    if at_once {
        let changes = sides.iter().map(|side| change(&ledger.items, &side.items));
        let items = changes.fold(ledger.items.clone(), |items, change| {
            applied(&items, &change)
        });
        let marks: Vec<_> = sides.iter().map(|side| side.mark).collect();
        return story.commit(items, &marks);
    }
    let mut sides = sides.into_iter();
    let first = sides.next().unwrap();
    let whole = sides.fold(first, |here, side| story.merged(&here, ledger, &side));
    story.patched(&whole)
}

/// A branch that merges two protected lines that went different ways.
fn two_lines(story: &mut Story<'_>, main: &mut Vec<Made>, release: &mut Option<usize>) -> Made {
    let fork = main.last().unwrap().clone();
    let mut line = vec![fork.clone()];
    for _ in 0..1 + story.dice.roll(3) {
        story.landed(&mut line, 4);
        story.landed(main, 4); // what both lines hold differently, neither base can answer for
    }
    let mut here = story.prepared(&fork);
    for other in [line.last(), main.last()] {
        here = story.merged(&here, &fork, other.unwrap());
    }
    *release = line.last().map(|made| made.mark);
    story.patched(&here)
}

/// A patch lands, others after it; then it is taken back.
fn reverted(story: &mut Story<'_>, main: &mut Vec<Made>) -> Made {
    let before = main.last().unwrap().clone();
    let patch = vec![
        put(story.name("src/bad"), "bad"),
        put("src/lib.rs", story.name("bad ")),
    ];
    main.push(story.next(&before, &patch));
    for _ in 0..story.dice.roll(3) {
        let change = if story.dice.roll(2) == 0 {
            story.docs_change()
        } else {
            story.row_change()
        };
        let made = story.next(main.last().unwrap(), &change);
        main.push(made);
    }
    let undone: Change = patch
        .iter()
        .map(|(key, _)| (key.clone(), before.items.get(key).cloned()))
        .collect();
    let here = main.last().unwrap().clone();
    let here = if story.dice.roll(2) == 0 {
        story.prepared(&here)
    } else {
        here
    };
    let revert = story.next(&here, &undone);
    if story.dice.roll(2) == 0 {
        story.patched(&revert)
    } else {
        revert
    }
}

// -- the answers -----------------------------------------------------------------------------

fn evaluated(repo: &Repo, request: &Request<'_>) -> Evaluation {
    match evidence::collect(repo, request, "2026-03-01".parse().unwrap()).unwrap() {
        Governed::Under(evidence) => Evaluation::of(evidence.facts),
        Governed::NoPolicy { line } => panic!("{line} has no policy"),
    }
}

fn passed(items: &Items) -> Vec<ResultRow> {
    let row = |id: &str| ResultRow {
        property_id: id.to_owned(),
        status: "pass".to_owned(),
        canary: None,
    };
    named(items, "row/").map(|(id, _)| row(id)).collect()
}

#[test]
fn no_honest_history_is_refused() {
    let (mut forge, mut dice) = (Forge::new(), Dice::new(21));
    let seed = forge.commit(
        &Files::from([("docs/seed".to_owned(), "x".to_owned())]),
        &[],
        "ann",
        NOON,
    );
    let seed_id = forge.make()[&seed].to_string();
    let mut histories = Vec::new();
    for at in 0..HISTORIES {
        let (forge, dice) = (&mut forge, &mut dice);
        let mut story = Story {
            forge,
            dice,
            seed,
            seed_id: &seed_id,
            names: 0,
            clock: NOON,
        };
        histories.push(history(&mut story, KINDS[at % KINDS.len()]));
    }
    let ids = forge.make();
    let repo = Repo::open(&forge.dir(), None).unwrap();
    let mut faults = Vec::new();
    for (at, history) in histories.iter().enumerate() {
        forge.branch("main", Some(ids[&history.main]));
        forge.branch("release", history.release.map(|mark| ids[&mark]));
        let tip = ids[&history.tip.mark].to_string();
        let request = Request {
            base: None,
            tip: Some(&tip),
            line: None,
        };
        let results = passed(&history.tip.items);
        let evaluation = evaluated(&repo, &request);
        let checked = check(&evaluation).unwrap();
        let admitted = admit(&evaluation, Scores::Given(&results)).unwrap();
        for answer in [&checked, &admitted] {
            let details = answer
                .details
                .iter()
                .map(|one| (one.code, one.reason, &one.subject));
            // what another protected line brings is held for a person, and nothing else about it
            let is_other_line = history.kind == Kind::TwoLines
                && answer.decision == Outcome::Hold
                && answer.details.iter().all(|one| one.reason == "other-line");
            if answer.decision != Outcome::Admit && !is_other_line {
                faults.push(format!(
                    "{at} {:?}: {:?}",
                    history.kind,
                    Vec::from_iter(details)
                ));
            }
        }
        if admitted.patch_commits.is_empty() && history.kind != Kind::Revert {
            faults.push(format!("{at} {:?}: no patch commit", history.kind));
        }
    }
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.join("\n")
    );
}
