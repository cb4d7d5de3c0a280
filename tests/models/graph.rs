//! Does the gate see in real repositories what the matrix sees in the histories they were made from?

use std::collections::{BTreeMap, BTreeSet};

use git_reins::decide::admit::{admit, check};
use git_reins::decide::evaluation::Evaluation;
use git_reins::decide::score::Scores;
use git_reins::evidence;
use git_reins::evidence::range_context::{Governed, Request};
use git_reins::git::Repo;
use git_reins::ledger::file::print;
use git_reins::model::decision::Outcome;
use git_reins::model::ids::CommitId;
use git_reins::model::refusal::{Class, Code};
use proptest::strategy::{Strategy as _, ValueTree};

use super::dice::{Dice, runner};
use super::order::facts::{bytes, fixture_ledger, freeze_ledger, oracle_ledger};
use super::order::rules::{Model, scored};
use super::repo::{Files, Forge};
use super::words::POLICY;
use super::world::{FIXTURES, PROPS, ROWS, SPECS, State, World};

/// How many histories become real.
const GRAPHS: usize = 150;
const NOON: i64 = 1_772_366_400;

// -- what the contract says about tip alone --------------------------------------------------

type Rule = (Code, fn(&Model<'_>, &BTreeSet<usize>) -> bool);

fn is_frozen(state: &State, row: usize) -> bool {
    state.freezes[row].is_some()
}

/// How many rows score that are not late, and how many of those are frozen.
fn share(model: &Model<'_>, late: &BTreeSet<usize>) -> (usize, usize) {
    let tip = model.tip();
    let rows: Vec<_> = (0..2)
        .filter(|row| scored(&tip, *row).is_some() && !late.contains(row))
        .collect();
    (
        rows.len(),
        rows.iter().filter(|row| is_frozen(&tip, **row)).count(),
    )
}

/// Whether nothing is claimed yet: then the fixture ledger may follow, so that the commit which
/// puts a repository under reins can land.
fn is_set_up(model: &Model<'_>) -> bool {
    let tip = model.tip();
    let was_pinned = model
        .bases()
        .iter()
        .any(|base| model.at(*base).epoch.is_some());
    tip.rows == [None; 2] && tip.freezes == [None; 2] && !was_pinned && model.patches().is_empty()
}

const TIP: &[Rule] = &[
    (Code::OracleNotIndependent, |m, _| {
        let tip = m.tip();
        let stale = |row: usize| {
            let row = scored(&tip, row);
            row.is_some_and(|row| {
                (0..4).any(|f| row.names[f] && (tip.props[f] == 0 || row.pins[f] != tip.props[f]))
            })
        };
        stale(0) || stale(1)
    }),
    (Code::OracleNotIndependent, |m, _| {
        (0..2).any(|row| scored(&m.tip(), row).is_some_and(|row| row.names == [false; 4]))
    }),
    (Code::OracleNotIndependent, |m, late| {
        let (score, frozen) = share(m, late);
        score == frozen && !late.is_empty()
    }),
    (Code::LedgerInvalid, |m, _| {
        (0..2).any(|row| m.tip().rows[row].is_some() && m.tip().specs[row] == 0)
    }),
    (Code::LedgerMissing, |m, _| {
        m.tip().epoch.is_none() && !is_set_up(m)
    }),
    (Code::FixtureDigestMismatch, |m, _| {
        m.tip()
            .epoch
            .is_some_and(|epoch| epoch.pins != m.tip().fixtures)
    }),
    (Code::FixtureEpochUnpinned, |m, _| {
        m.tip().epoch.is_some() && m.bases().iter().any(|base| !m.reaches[*base][0])
    }),
    (Code::FixtureEpochUnpinned, |m, _| {
        let is_other = |base: &usize| {
            let pair = m.tip().epoch.zip(m.at(*base).epoch);
            pair.is_some_and(|(tip, base)| {
                tip.name == base.name && (tip.image, tip.pins) != (base.image, base.pins)
            })
        };
        m.bases().iter().any(is_other)
    }),
    (Code::FixtureEpochUnpinned, |m, _| {
        let Some(epoch) = m.tip().epoch else {
            return false;
        };
        m.tip()
            .freezes
            .iter()
            .flatten()
            .any(|freeze| freeze.base != epoch.name)
    }),
    (Code::FreezeUnbound, |m, _| {
        (0..2).any(|row| is_frozen(&m.tip(), row) && m.tip().rows[row].is_none())
    }),
    (Code::FreezeShareExceeded, |m, late| {
        let (score, frozen) = share(m, late);
        2 * frozen > score
    }),
];

/// The refusals, and whether anything is held. A row that refuses anyway may be called late or not.
fn expected(model: &Model<'_>, late: BTreeSet<usize>) -> (BTreeSet<Code>, bool) {
    let found = model.findings(&late);
    let is_hold = |code: &Code| code.entry().class == Class::Hold;
    let at_tip = TIP
        .iter()
        .filter(|rule| rule.1(model, &late))
        .map(|rule| rule.0);
    let codes = found
        .iter()
        .map(|one| one.0)
        .filter(|code| !is_hold(code))
        .chain(at_tip)
        .collect();
    (codes, found.iter().any(|one| is_hold(&one.0)))
}

// -- the same history as a repository --------------------------------------------------------

/// The tree of a state; the fixture ledger and the freezes stand on the commit `seed`.
fn files(state: &State, seed: &str) -> Files {
    let mut files = Files::new();
    let mut put = |path: &str, version: u8, bytes: String| {
        if version != 0 {
            files.insert(path.to_owned(), bytes);
        }
    };
    put(
        ".gitreins/reins.toml",
        1,
        format!("{POLICY}# {}\n", state.policy),
    );
    put("ledger/oracle.json", 1, print(&oracle_ledger(state)));
    put("ledger/freezes.json", 1, print(&freeze_ledger(state, seed)));
    if let Some(epoch) = &state.epoch {
        put(
            "ledger/fixture.json",
            1,
            print(&fixture_ledger(epoch, seed)),
        );
    }
    PROPS
        .iter()
        .zip(state.props)
        .for_each(|(path, version)| put(path, version, bytes(path, version)));
    FIXTURES
        .iter()
        .zip(state.fixtures)
        .for_each(|(path, version)| put(path, version, bytes(path, version)));
    SPECS
        .iter()
        .zip(state.specs)
        .for_each(|(path, version)| put(path, version, format!("# rule\n\n{version}\n")));
    ["src/x", "src/y"]
        .iter()
        .zip(state.code)
        .for_each(|(path, version)| put(path, version, bytes(path, version)));
    put("src/auth/h", state.auth, bytes("h", state.auth));
    put("docs/d", state.docs, bytes("d", state.docs));
    files
}

/// Marks the commits that take back one of the line: they own exactly what that one changed, and
/// give it the bytes of before.
fn mark_reverts(world: &mut World) {
    let model = Model::of(world);
    let landing = world
        .hidden
        .iter()
        .min_by_key(|line| model.distance(**line))
        .copied()
        .unwrap();
    let tree = |at: Option<usize>| at.map_or_else(Files::new, |at| files(&model.at(at), ""));
    let taken: Vec<Vec<(String, Option<String>)>> = model
        .first_parents(landing)
        .into_iter()
        .map(|at| changes(&tree(Some(at)), &[tree(model.parents(at)[0])], true))
        .collect();
    let is_revert = |at: usize| {
        let above: Vec<_> = model.parents(at).into_iter().map(tree).collect();
        let own = changes(&tree(Some(at)), &above, false);
        !world.commits[at].parents.is_empty() && !own.is_empty() && taken.contains(&own)
    };
    let marks: Vec<bool> = (0..world.commits.len()).map(is_revert).collect();
    for (commit, mark) in world.commits.iter_mut().zip(marks) {
        commit.reverts = mark;
    }
}

/// The paths in which a tree differs from every other, with the bytes here or there.
fn changes(here: &Files, others: &[Files], is_undone: bool) -> Vec<(String, Option<String>)> {
    let paths: BTreeSet<&String> = here
        .keys()
        .chain(others.iter().flat_map(BTreeMap::keys))
        .collect();
    let differs = |path: &&String| {
        others
            .iter()
            .all(|other| other.get(*path) != here.get(*path))
    };
    let side = if is_undone { &others[0] } else { here };
    paths
        .into_iter()
        .filter(differs)
        .map(|path| (path.clone(), side.get(path).cloned()))
        .collect()
}

fn evaluated(repo: &Repo, request: &Request<'_>) -> Evaluation {
    match evidence::collect(repo, request, "2026-03-01".parse().unwrap()).unwrap() {
        Governed::Under(evidence) => Evaluation::of(evidence.facts),
        Governed::NoPolicy { line } => panic!("{line} has no policy"),
    }
}

/// The histories, all with a policy, and the reverts in them marked.
fn worlds(seed: u8) -> Vec<World> {
    let mut runner = runner(seed);
    let tapes = proptest::collection::vec(proptest::num::u16::ANY, 160);
    let mut read = || {
        let mut world = World::read(&tapes.new_tree(&mut runner).unwrap().current());
        world
            .commits
            .iter_mut()
            .for_each(|commit| commit.state.policy = commit.state.policy.max(1));
        mark_reverts(&mut world);
        world
    };
    (0..GRAPHS).map(|_| read()).collect()
}

/// Makes every history in one repository; returns the ids by history, seed last.
fn build(forge: &mut Forge, worlds: &[World]) -> Vec<Vec<CommitId>> {
    let seed = forge.commit(
        &Files::from([("docs/seed".to_owned(), "x".to_owned())]),
        &[],
        "a",
        NOON,
    );
    let seed_id = forge.make()[&seed].to_string();
    let mut dice = Dice::new(5);
    let mut numbers = Vec::new();
    for world in worlds {
        let mut here: Vec<usize> = Vec::new();
        for (at, commit) in world.commits.iter().enumerate() {
            let time = NOON
                + 600 * i64::try_from(at).unwrap()
                + i64::try_from(dice.roll(8 * 3_600)).unwrap();
            let mut parents: Vec<usize> =
                commit.parents.iter().map(|parent| here[*parent]).collect();
            if at == 0 {
                parents.push(seed);
            }
            let author = *dice.pick(&["ann", "bob", "cem"]);
            here.push(forge.commit(&files(&commit.state, &seed_id), &parents, author, time));
        }
        here.push(seed);
        numbers.push(here);
    }
    let ids = forge.make();
    numbers
        .iter()
        .map(|here| here.iter().map(|number| ids[number]).collect())
        .collect()
}

fn graph_differences(
    forge: &Forge,
    repo: &Repo,
    world: &World,
    ids: &[CommitId],
) -> BTreeSet<String> {
    let model = Model::of(world);
    let mut ways = BTreeSet::new();
    let id = |at: usize| ids[at];
    let hidden: Vec<_> = world.hidden.iter().map(|at| id(*at)).collect();
    let range = repo.range(id(world.tip), &hidden).unwrap();
    let found: BTreeSet<CommitId> = range.commits.iter().map(|one| one.0).collect();
    let mut wanted: BTreeSet<CommitId> = model.range().into_iter().map(id).collect();
    if model.range().contains(&0) {
        wanted.insert(ids[ids.len() - 1]); // the seed below commit 0
    }
    if found != wanted {
        ways.insert("range".to_owned());
    }
    if BTreeSet::from_iter(range.bases) != model.bases().into_iter().map(id).collect() {
        ways.insert("bases".to_owned());
    }
    for (new, old) in
        (0..world.commits.len()).flat_map(|new| (0..world.commits.len()).map(move |old| (new, old)))
    {
        if repo.is_ancestor(id(old), id(new)).unwrap() != model.reaches[new][old] {
            ways.insert("ancestry".to_owned());
        }
    }
    // a range is judged from one line, however many bound a walk
    forge.branch("main", Some(hidden[0]));
    let alone = World {
        hidden: vec![world.hidden[0]],
        ..world.clone()
    };
    let model = Model::of(&alone);
    let tip = id(world.tip).to_string();
    let request = Request {
        base: None,
        tip: Some(&tip),
        line: None,
    };
    let evaluation = evaluated(repo, &request);
    let answer = check(&evaluation).unwrap();
    let got: BTreeSet<Code> = answer.refusals.iter().copied().collect();
    let refused = |row: &usize| {
        model
            .findings(&model.late())
            .iter()
            .any(|one| one.2 == ROWS[*row])
    };
    let (mut codes, is_held) = expected(&model, model.late());
    if got != codes {
        codes = expected(
            &model,
            model
                .late()
                .into_iter()
                .filter(|row| !refused(row))
                .collect(),
        )
        .0;
    }
    ways.extend(
        got.difference(&codes)
            .map(|code| format!("too many: {code}")),
    );
    ways.extend(
        codes
            .difference(&got)
            .map(|code| format!("too few: {code}")),
    );
    if codes.is_empty() && (answer.decision == Outcome::Hold) != is_held {
        ways.insert(format!("{:?}, held is {is_held}", answer.decision));
    }
    let patches: BTreeSet<CommitId> = model.patches().into_iter().map(id).collect();
    let is_quiet = answer.details.is_empty(); // reverts are not looked for then
    if !is_quiet && BTreeSet::from_iter(answer.patch_commits.iter().copied()) != patches {
        ways.insert(format!(
            "patch commits {:?}",
            answer
                .details
                .iter()
                .map(|one| one.reason)
                .collect::<Vec<_>>()
        ));
    }
    let unscored = admit(&evaluation, Scores::Given(&[])).unwrap();
    if !patches.is_empty() && unscored.decision != Outcome::Refuse {
        ways.insert("admits without a result".to_owned());
    }
    ways
}

#[test]
fn real_repositories_are_judged_as_the_matrix_says() {
    let worlds = worlds(11);
    let mut forge = Forge::new();
    let ids = build(&mut forge, &worlds);
    let repo = Repo::open(&forge.dir(), None).unwrap();
    let mut faults: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut refused = 0;
    for (at, world) in worlds.iter().enumerate() {
        for way in graph_differences(&forge, &repo, world, &ids[at]) {
            faults.entry(way).or_insert((0, at)).0 += 1;
        }
        let alone = World {
            hidden: vec![world.hidden[0]],
            ..world.clone()
        };
        let model = Model::of(&alone);
        refused += usize::from(!expected(&model, model.late()).0.is_empty());
    }
    let shown = |(way, (count, at)): (&String, &(usize, usize))| {
        format!(
            "{way} ({count} times), history {at}\n{}\n",
            worlds[*at].shown()
        )
    };
    assert!(
        faults.is_empty(),
        "{}",
        faults.iter().map(shown).collect::<String>()
    );
    assert!(
        (GRAPHS / 5..=GRAPHS * 9 / 10).contains(&refused),
        "{refused} refused"
    );
}

/// A history of several hundred commits in which clocks are wrong by up to `skew` seconds.
fn long_history(forge: &mut Forge, dice: &mut Dice, skew: usize) -> (Vec<usize>, Vec<Vec<usize>>) {
    let (mut here, mut parents): (Vec<usize>, Vec<Vec<usize>>) = (Vec::new(), Vec::new());
    for at in 0..300 {
        let mut above = BTreeSet::new();
        for _ in 0..if at == 0 { 0 } else { 1 + dice.roll(8) / 6 } {
            above.insert(at - 1 - dice.roll(at.min(6)));
        }
        let time =
            NOON + 600 * i64::try_from(at).unwrap() + i64::try_from(dice.roll(skew + 1)).unwrap();
        let marks: Vec<_> = above.iter().map(|one| here[*one]).collect();
        here.push(forge.commit(&Files::new(), &marks, "ann", time));
        parents.push(above.into_iter().collect());
    }
    (here, parents)
}

/// Everything that each commit reaches.
fn ancestors(parents: &[Vec<usize>]) -> Vec<BTreeSet<usize>> {
    let mut all: Vec<BTreeSet<usize>> = Vec::new();
    for (at, above) in parents.iter().enumerate() {
        let mut reached: BTreeSet<usize> = above
            .iter()
            .flat_map(|parent| all[*parent].clone())
            .collect();
        reached.insert(at);
        all.push(reached);
    }
    all
}

#[test]
fn no_clock_takes_a_commit_out_of_a_range() {
    let mut dice = Dice::new(9);
    let mut forge = Forge::new();
    let hour = 3_600;
    let skews = [0, hour, 4 * hour, 12 * hour, 24 * hour, 10_000 * hour];
    let made: Vec<_> = skews
        .map(|skew| (skew, long_history(&mut forge, &mut dice, skew)))
        .into();
    let ids = forge.make();
    let repo = Repo::open(&forge.dir(), None).unwrap();
    for (skew, (marks, parents)) in made {
        let reach = ancestors(&parents);
        let id = |at: usize| ids[&marks[at]];
        let (mut lost, mut other) = (0, 0);
        for _ in 0..60 {
            let tip = 299 - dice.roll(100);
            let lines: Vec<_> = (0..1 + dice.roll(2)).map(|_| dice.roll(300)).collect();
            let landed: BTreeSet<_> = lines.iter().flat_map(|line| reach[*line].clone()).collect();
            let wanted: BTreeSet<_> = reach[tip].difference(&landed).map(|at| id(*at)).collect();
            let hidden: Vec<_> = lines.iter().map(|line| id(*line)).collect();
            let range = repo.range(id(tip), &hidden).unwrap();
            let found: BTreeSet<_> = range.commits.iter().map(|one| one.0).collect();
            lost += wanted.difference(&found).count();
            other += found.difference(&wanted).count();
            let shared: BTreeSet<_> = reach[tip].intersection(&landed).copied().collect();
            let below: BTreeSet<usize> = shared
                .iter()
                .flat_map(|at| reach[*at].iter().copied().filter(move |one| one != at))
                .collect();
            let maximal: BTreeSet<_> = shared.difference(&below).map(|at| id(*at)).collect();
            other += usize::from(BTreeSet::from_iter(range.bases) != maximal);
            let (old, new) = (dice.roll(300), dice.roll(300));
            other += usize::from(
                repo.is_ancestor(id(old), id(new)).unwrap() != reach[new].contains(&old),
            );
        }
        assert_eq!(lost, 0, "clocks wrong by up to {skew} s");
        assert!(
            other == 0 || skew > 24 * hour,
            "{other} other faults, clocks wrong by up to {skew} s"
        );
    }
}
