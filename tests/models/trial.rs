//! The verdict of a trial, stated as predicates over its vector, on every small vector.

use std::collections::BTreeSet;

use git_reins::decide::trial::{
    CanaryAnswer, CanaryFacts, Draft, FreezeFacts, PropertyFacts, SeedFacts, TrialDecision,
    TrialFacts, judge,
};
use git_reins::model::day::Day;
use git_reins::model::trial::{Outcome, Power, TrialReason, TrialVerdict};
use git_reins::policy::Power as PowerRule;

use Outcome::{
    Error, Fail, FlakyPass, Leak, NotRun, Oom, OutputLimit, Pass, Signal, Tamper, Timeout,
};

const WORSE: [Outcome; 9] = [
    FlakyPass,
    Timeout,
    Signal,
    Oom,
    Leak,
    OutputLimit,
    Tamper,
    Error,
    NotRun,
];

fn today() -> Day {
    "2026-11-30".parse().unwrap()
}

/// The kinds of freeze rows; all but the first two cannot be used.
const ROWS: [&str; 7] = [
    "usable",
    "last day",
    "expired",
    "no day",
    "not eligible",
    "elsewhere",
    "unsound",
];

fn row(kind: &str, seed: &str) -> FreezeFacts {
    let day = match kind {
        "last day" => Some("2026-11-30"),
        "expired" => Some("2026-11-29"),
        "no day" => None,
        _ => Some("2026-12-09"),
    };
    let paths = if kind == "elsewhere" {
        ["src/b.py", "src/a"]
    } else {
        ["docs", "src"]
    };
    FreezeFacts {
        seed: seed.to_owned(),
        expires_at: day.map(|day| day.parse().unwrap()),
        eligible: kind != "not eligible",
        paths: paths.iter().map(|path| path.parse().unwrap()).collect(),
        sound: kind != "unsound",
    }
}

fn seed(name: &str, base: &[Outcome], candidate: &[Outcome]) -> SeedFacts {
    SeedFacts {
        seed: name.to_owned(),
        base: base.to_vec(),
        candidate: candidate.to_vec(),
    }
}

fn property(id: &str, seeds: Vec<SeedFacts>) -> PropertyFacts {
    let id = id.parse().unwrap();
    PropertyFacts {
        id,
        scores: true,
        faced: false,
        eligible: true,
        seeds,
        witness: None,
        freezes: Vec::new(),
    }
}

fn canaries(answer: CanaryAnswer) -> Vec<CanaryFacts> {
    let names = [
        "parse_diff",
        "apply_check",
        "no_secret_marker",
        "public_signature",
        "lint",
    ];
    names
        .map(|id| CanaryFacts {
            id: id.to_owned(),
            answer,
        })
        .to_vec()
}

fn trial(properties: Vec<PropertyFacts>) -> TrialFacts {
    TrialFacts {
        draft: Draft::Patch,
        canaries: canaries(CanaryAnswer::Ended(Pass)),
        properties,
        touched: BTreeSet::from(["src/a.py".parse().unwrap()]),
        bytes_changed: false,
        power: PowerRule::Claimed,
        today: today(),
    }
}

// The second statement. A cell is a property with one of its seeds; only what scores has cells.

type Cell<'a> = (&'a PropertyFacts, &'a SeedFacts);

fn cells(trial: &TrialFacts) -> Vec<Cell<'_>> {
    let scored = trial.properties.iter().filter(|property| property.scores);
    scored
        .flat_map(|property| property.seeds.iter().map(move |seed| (property, seed)))
        .collect()
}

fn is_frozen((property, seed): Cell<'_>) -> bool {
    property.freezes.iter().any(|row| row.seed == seed.seed)
}

fn has(outcomes: &[Outcome], wanted: Outcome) -> bool {
    outcomes.contains(&wanted)
}

/// 1: passed everywhere; 2: failed at least once, and did nothing else but pass; 3: the rest.
fn grade(outcomes: &[Outcome]) -> u8 {
    let strange = WORSE.iter().any(|worse| has(outcomes, *worse)) || outcomes.is_empty();
    if strange {
        3
    } else if has(outcomes, Fail) {
        2
    } else {
        1
    }
}

fn base_passes(seed: &SeedFacts) -> bool {
    has(&seed.base, Pass) || has(&seed.base, FlakyPass)
}

fn is_known_defect(cell: Cell<'_>) -> bool {
    is_frozen(cell) && has(&cell.1.base, Fail) && !base_passes(cell.1)
}

fn is_regression(cell: Cell<'_>) -> bool {
    is_frozen(cell)
        && base_passes(cell.1)
        && grade(&cell.1.candidate) == 2
        && !has(&cell.1.candidate, Pass)
}

fn is_hit(cell: Cell<'_>) -> bool {
    is_frozen(cell)
        && grade(&cell.1.candidate) == 2
        && !is_known_defect(cell)
        && !is_regression(cell)
}

fn is_covered(trial: &TrialFacts, (property, seed): Cell<'_>) -> bool {
    let names = |row: &&FreezeFacts| row.seed == seed.seed;
    let good = |row: &FreezeFacts| {
        [ROWS[0], ROWS[1]]
            .iter()
            .any(|kind| row == &self::row(kind, &seed.seed))
    };
    assert_eq!(trial.today, today());
    property.eligible && base_passes(seed) && property.freezes.iter().filter(names).all(good)
}

fn is_bare_miss(cell: Cell<'_>) -> bool {
    let worst = grade(&cell.1.candidate);
    !is_known_defect(cell) && (worst == 3 || worst == 2 && !is_frozen(cell))
}

fn misses(trial: &TrialFacts, property: &PropertyFacts) -> bool {
    let own = cells(trial)
        .into_iter()
        .filter(|cell| cell.0.id == property.id);
    own.clone().count() == 0
        || own
            .clone()
            .any(|cell| grade(&cell.1.candidate) > 1 || is_known_defect(cell))
        || property
            .freezes
            .iter()
            .any(|row| !own.clone().any(|cell| cell.1.seed == row.seed))
}

fn lacks_runs(property: &PropertyFacts) -> bool {
    let ran = |name: &str| property.seeds.iter().any(|seed| seed.seed == name);
    property.seeds.is_empty() || property.freezes.iter().any(|row| !ran(&row.seed))
}

fn shows_power(trial: &TrialFacts, property: &PropertyFacts) -> bool {
    let mended = property.seeds.iter().any(|seed| {
        !seed.base.is_empty()
            && seed.base.iter().all(|one| *one == Fail)
            && grade(&seed.candidate) == 1
    });
    let killed = property.witness.as_ref().map(|runs| has(runs, Fail));
    killed != Some(false) && (trial.power == PowerRule::Claimed || mended || killed == Some(true))
}

fn missed(canaries: &[CanaryFacts]) -> bool {
    let good = |canary: &CanaryFacts| match canary.answer {
        CanaryAnswer::Ended(outcome) => outcome == Pass,
        CanaryAnswer::NotConfigured => canary.id == "public_signature",
    };
    let built_in = [
        "parse_diff",
        "apply_check",
        "no_secret_marker",
        "public_signature",
    ];
    !canaries.iter().all(good)
        || !built_in
            .iter()
            .all(|name| canaries.iter().any(|canary| canary.id == *name))
}

fn model(trial: &TrialFacts) -> (TrialVerdict, BTreeSet<TrialReason>) {
    let mut reasons = BTreeSet::new();
    let any = |holds: &dyn Fn(Cell<'_>) -> bool| cells(trial).into_iter().any(holds);
    let counts = |property: &&PropertyFacts| {
        property.scores
            && property.freezes.is_empty()
            && (misses(trial, property) || shows_power(trial, property))
    };
    let table: [(TrialReason, bool); 8] = [
        (TrialReason::BytesChanged, trial.bytes_changed),
        (
            TrialReason::NothingScored,
            trial.properties.iter().filter(counts).count() == 0,
        ),
        (TrialReason::FrozenRegression, any(&is_regression)),
        (TrialReason::FreezeStableFailure, any(&is_known_defect)),
        (TrialReason::UncoveredFail, any(&is_bare_miss)),
        (
            TrialReason::UncoveredFail,
            trial
                .properties
                .iter()
                .any(|one| one.scores && lacks_runs(one)),
        ),
        (
            TrialReason::IllegalFreeze,
            any(&|cell| is_hit(cell) && !is_covered(trial, cell)),
        ),
        (
            TrialReason::FreezeHit,
            any(&|cell| is_hit(cell) && is_covered(trial, cell)),
        ),
    ];
    match (trial.draft, missed(&trial.canaries)) {
        (Draft::Infra, _) => drop(reasons.insert(TrialReason::Infra)),
        (Draft::Blank, _) => drop(reasons.insert(TrialReason::EmptyBlob)),
        (Draft::Patch, true) => drop(reasons.insert(TrialReason::CanaryBad)),
        (Draft::Patch, false) => {
            reasons.extend(table.iter().filter(|line| line.1).map(|line| line.0))
        }
    }
    let rejects = reasons
        .iter()
        .any(|reason| *reason != TrialReason::FreezeHit);
    let verdict = match (rejects, reasons.is_empty()) {
        (true, _) => TrialVerdict::Reject,
        (false, true) => TrialVerdict::Admit,
        (false, false) => TrialVerdict::Hold,
    };
    (verdict, reasons)
}

fn agree(trial: &TrialFacts) -> TrialDecision {
    let decision = judge(trial);
    let reasons: BTreeSet<_> = decision.reasons.iter().copied().collect();
    let expected = model(trial);
    assert_eq!((decision.verdict, reasons), expected, "{trial:#?}");
    assert_laws(trial, &decision);
    decision
}

/// What must hold whatever both statements say.
fn assert_laws(trial: &TrialFacts, decision: &TrialDecision) {
    let rejects = decision.verdict == TrialVerdict::Reject;
    assert!(rejects || trial.draft == Draft::Patch);
    assert!(
        rejects || !missed(&trial.canaries),
        "a canary miss never holds or admits"
    );
    assert!(
        rejects
            || cells(trial)
                .iter()
                .any(|cell| grade(&cell.1.candidate) == 1),
        "nothing passed"
    );
    for cell in cells(trial) {
        assert!(
            rejects || grade(&cell.1.candidate) < 3,
            "a freeze covers nothing but a failure"
        );
        let other_seed = !is_frozen(cell) && grade(&cell.1.candidate) > 1;
        assert!(rejects || !other_seed, "a freeze covers no other seed");
        let admits = decision.verdict == TrialVerdict::Admit;
        assert!(
            !admits || grade(&cell.1.candidate) == 1,
            "a hold never admits"
        );
    }
    let lists = [
        (TrialReason::CanaryBad, decision.canary_bad.len()),
        (TrialReason::UncoveredFail, decision.uncovered_fail.len()),
        (TrialReason::IllegalFreeze, decision.illegal_freeze.len()),
        (TrialReason::FreezeHit, decision.held.len()),
    ];
    for (reason, length) in lists {
        assert_eq!(decision.reasons.contains(&reason), length > 0, "{reason:?}");
    }
}

fn runs() -> (Vec<Vec<Outcome>>, Vec<Vec<Outcome>>) {
    let base = vec![
        vec![],
        vec![Pass],
        vec![Fail],
        vec![Pass, Fail],
        vec![Timeout],
        vec![FlakyPass],
        vec![Fail, Timeout],
        vec![Pass, Timeout],
    ];
    let mut candidate = vec![
        vec![],
        vec![Pass],
        vec![Fail],
        vec![Pass, Fail],
        vec![Fail, Fail],
        vec![Pass, Pass],
    ];
    candidate.extend(
        WORSE
            .iter()
            .flat_map(|worse| [vec![*worse], vec![Fail, *worse]]),
    );
    (base, candidate)
}

/// One property in every state that matters.
fn properties() -> Vec<PropertyFacts> {
    let (base, candidate) = runs();
    let mut all = Vec::new();
    for (base, candidate) in base
        .iter()
        .flat_map(|base| candidate.iter().map(move |one| (base, one)))
    {
        for second in [None, Some(Pass), Some(Fail)] {
            let mut seeds = vec![seed("7", base, candidate)];
            seeds.extend(second.map(|outcome| seed("8", &[Pass], &[outcome])));
            let rows = ROWS
                .iter()
                .flat_map(|kind| [vec![row(kind, "7")], vec![row(kind, "8")]]);
            for freezes in rows.chain([vec![], vec![row("usable", "7"), row("expired", "8")]]) {
                for bits in 0..4 {
                    let (eligible, scores) = (bits & 1 == 0, bits & 2 == 0);
                    let freezes = freezes.clone();
                    all.push(PropertyFacts {
                        scores,
                        eligible,
                        freezes,
                        ..property("p1", seeds.clone())
                    });
                }
            }
        }
    }
    all
}

#[test]
fn every_small_vector_is_decided_as_the_predicates_say() {
    let passing = property("p2", vec![seed("7", &[Pass], &[Pass])]);
    let failing = property("p2", vec![seed("7", &[Pass], &[Fail])]);
    let smoke = PropertyFacts {
        scores: false,
        ..failing.clone()
    };
    let (mut counts, mut worlds) = ([0; 3], 0);
    for first in properties() {
        for other in [None, Some(&passing), Some(&failing), Some(&smoke)] {
            let properties = [first.clone()].into_iter().chain(other.cloned()).collect();
            let bytes_changed = worlds % 7 == 0;
            let decision = agree(&TrialFacts {
                bytes_changed,
                ..trial(properties)
            });
            counts[decision.verdict as usize] += 1;
            worlds += 1;
        }
    }
    assert!(
        counts.iter().all(|count| *count > 10),
        "{counts:?} of {worlds}"
    );
}

#[test]
fn power_decides_what_scores() {
    let (base, candidate) = runs();
    for (base, candidate) in base
        .iter()
        .flat_map(|base| candidate.iter().map(move |one| (base, one)))
    {
        for witness in [
            None,
            Some(vec![]),
            Some(vec![Fail]),
            Some(vec![Pass]),
            Some(vec![Timeout]),
            Some(vec![Pass, Fail]),
        ] {
            for power in [PowerRule::Claimed, PowerRule::Witness] {
                let first = PropertyFacts {
                    witness: witness.clone(),
                    ..property("p1", vec![seed("7", base, candidate)])
                };
                agree(&TrialFacts {
                    power,
                    ..trial(vec![first.clone()])
                });
                let killed = PropertyFacts {
                    witness: Some(vec![Fail]),
                    ..property("p2", vec![seed("7", &[Pass], &[Pass])])
                };
                let decision = agree(&TrialFacts {
                    power,
                    ..trial(vec![first, killed])
                });
                assert_eq!(decision.power[1].power, Power::Witness);
            }
        }
    }
}

#[test]
fn canaries_come_first() {
    let frozen = PropertyFacts {
        freezes: vec![row("usable", "7")],
        ..property("p1", vec![seed("7", &[Pass, Fail], &[Pass, Fail])])
    };
    let passing = property("p2", vec![seed("7", &[Pass], &[Pass])]);
    let good = trial(vec![frozen, passing]);
    assert_eq!(agree(&good).verdict, TrialVerdict::Hold);
    for at in 0..5 {
        for answer in WORSE
            .iter()
            .chain([&Fail])
            .map(|outcome| CanaryAnswer::Ended(*outcome))
            .chain([CanaryAnswer::NotConfigured])
        {
            let mut bad = good.clone();
            bad.canaries[at].answer = answer;
            let decision = agree(&bad);
            let fine = at == 3 && answer == CanaryAnswer::NotConfigured;
            assert_eq!(
                decision.verdict,
                if fine {
                    TrialVerdict::Hold
                } else {
                    TrialVerdict::Reject
                }
            );
            if !fine {
                assert_eq!(decision.canary_bad, [bad.canaries[at].id.clone()]);
                assert_eq!(
                    (decision.reasons, decision.held.len(), decision.seeds.len()),
                    (vec![TrialReason::CanaryBad], 0, 0)
                );
            }
        }
        let mut absent = good.clone();
        absent.canaries.remove(at);
        assert_eq!(agree(&absent).verdict == TrialVerdict::Hold, at == 4);
    }
}

/// The table of the contract.
#[test]
fn t1_to_t5() {
    let pass = || property("a", vec![seed("7", &[Pass], &[Pass])]);
    let fail = || property("b", vec![seed("7", &[Pass], &[Fail])]);
    let hit = || PropertyFacts {
        freezes: vec![row("usable", "7")],
        ..property(
            "c",
            vec![seed("7", &[Pass, Fail, Pass], &[Fail, Pass, Pass])],
        )
    };
    let verdict = |facts: &TrialFacts| agree(facts).verdict;
    assert_eq!(verdict(&trial(vec![pass()])), TrialVerdict::Admit);
    let mut second = trial(vec![pass(), hit()]);
    second.canaries[1].answer = CanaryAnswer::Ended(Fail);
    assert_eq!(verdict(&second), TrialVerdict::Reject);
    assert_eq!(verdict(&trial(vec![pass(), fail()])), TrialVerdict::Reject);
    for draft in [Draft::Blank, Draft::Infra] {
        let empty = TrialFacts {
            draft,
            canaries: Vec::new(),
            ..trial(vec![pass()])
        };
        assert_eq!(verdict(&empty), TrialVerdict::Reject);
    }
    let fifth = agree(&trial(vec![pass(), hit()]));
    assert_eq!(
        (fifth.verdict, fifth.held),
        (TrialVerdict::Hold, vec!["c".to_owned()])
    );
    // nothing, canaries alone, frozen ones alone
    for properties in [
        vec![],
        vec![PropertyFacts {
            scores: false,
            ..pass()
        }],
        vec![hit()],
    ] {
        let decision = agree(&trial(properties));
        assert!(decision.reasons.contains(&TrialReason::NothingScored));
    }
}
