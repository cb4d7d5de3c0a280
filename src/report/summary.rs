//! Makes a report from a decision and its facts. Facts and a decision in, a report out.

use std::collections::{BTreeMap, BTreeSet};

use sha2::{Digest, Sha256};

use crate::decide::enforced::online;
use crate::decide::evaluation::Evaluation;
use crate::decide::facts::{Facts, Folded, Reading};
use crate::decide::recorded;
use crate::decide::trial_key::Bound;
use crate::ledger::field::text;
use crate::ledger::file::LedgerName;
use crate::ledger::freeze::FreezeRow;
use crate::ledger::rows;
use crate::model::change::Changes;
use crate::model::day::Day;
use crate::model::decision::{Decision, Detail, Outcome, PropertyStanding, Rules, Standing};
use crate::model::ids::OracleId;
use crate::model::refusal::Code;
use crate::model::report::{
    Answered, Check, Finding, Freeze, Lapse, Pinned, Place, Property, Provenance, REPORT_SCHEMA,
    Report, Rule, Score, TrialSummary,
};
use crate::model::trial::{CheckRun, Trial};
use crate::policy::{POLICY_PATH, Policy};

/// What is read beside the facts, to point at lines and to name bytes.
#[derive(Clone, Debug)]
pub struct Sources {
    /// The texts of the ledgers at head; what is not there or no text is left out.
    pub ledgers: BTreeMap<LedgerName, String>,
    /// The files that the decision rests on.
    pub files: Vec<Pinned>,
    /// What changed in the ledgers and in the policy, or why that cannot be told.
    pub changes: Result<Changes, String>,
    /// The command that computes the decision again.
    pub recompute: String,
}

/// Why there is no answer.
#[derive(Clone, Debug)]
pub struct Obstacle {
    /// The code, when the catalogue has one.
    pub code: Option<Code>,
    /// What stands in the way.
    pub message: String,
    /// What helps.
    pub fix: Option<String>,
}

/// The report of a decision on gathered facts.
pub fn report(evaluation: &Evaluation, decision: &Decision, sources: Sources) -> Report {
    let facts = &evaluation.facts;
    let places = Places::of(facts, &sources.ledgers);
    let freezes: Vec<_> = facts
        .tip
        .material
        .freeze_rows()
        .iter()
        .map(freeze)
        .collect();
    let properties = properties(decision, &freezes, &places);
    let provenance = provenance(decision, sources.files, sources.recompute);
    let (changes, trouble) = match sources.changes {
        Ok(changes) => (Some(changes), None),
        Err(trouble) => (
            None,
            Some(format!("the ledgers cannot be compared: {trouble}")),
        ),
    };
    let held = decision.held.iter().map(|id| held(id, &freezes, &places));
    let findings = decision
        .details
        .iter()
        .map(|detail| finding(detail, &places))
        .chain(held)
        .collect();
    Report {
        findings: told_apart(findings),
        forecast: forecast(&freezes, &properties, decision.today),
        score: score(&properties),
        properties,
        changes,
        trials: trials(evaluation, decision),
        warnings: decision.warnings.iter().cloned().chain(trouble).collect(),
        ..bare(decision, provenance)
    }
}

/// The report where nothing can be decided.
pub fn undecided(obstacle: &Obstacle, today: Day, recompute: String) -> Report {
    let nothing = Decision::without_range(Outcome::Refuse, Rules::Full, today);
    let rule = obstacle.code.map_or(Rule::CannotDecide, Rule::Code);
    let finding = Finding {
        rule,
        answer: Answered::Undecided,
        reason: "undecided".to_owned(),
        subject: "the range".to_owned(),
        path: None,
        place: Place {
            path: POLICY_PATH.to_owned(),
            line: 1,
        },
        commit: None,
        field: None,
        observed: obstacle.message.clone(),
        expected: rule.entry().rule.to_owned(),
        fix: obstacle
            .fix
            .clone()
            .unwrap_or_else(|| rule.entry().remedy.to_owned()),
        fingerprint: String::new(),
    };
    Report {
        decision: Answered::Undecided,
        findings: told_apart(vec![finding]),
        ..bare(&nothing, provenance(&nothing, Vec::new(), recompute))
    }
}

fn bare(decision: &Decision, provenance: Provenance) -> Report {
    Report {
        schema: REPORT_SCHEMA,
        decision: decision.decision.into(),
        refusals: decision.refusals.clone(),
        findings: Vec::new(),
        score: Score::default(),
        properties: Vec::new(),
        held: decision.held.clone(),
        forecast: Vec::new(),
        changes: None,
        trials: Vec::new(),
        warnings: decision.warnings.clone(),
        provenance,
    }
}

fn provenance(decision: &Decision, files: Vec<Pinned>, recompute: String) -> Provenance {
    Provenance {
        tool: concat!("git-reins ", env!("CARGO_PKG_VERSION")).to_owned(),
        base: decision.base,
        merge_bases: decision.merge_bases.clone(),
        head: decision.tip,
        patch_commits: decision.patch_commits.clone(),
        blob: decision.blob.clone(),
        files,
        order_evidence: decision.order_evidence,
        verdict_evidence: decision.verdict_evidence,
        today: decision.today,
        recompute,
    }
}

/// Where rows stand in the files of the candidate.
struct Places {
    /// The path of a ledger, and the line of each row by its name.
    rows: Vec<(String, BTreeMap<String, usize>)>,
    /// The line at which a ledger cannot be read, by path.
    faults: BTreeMap<String, usize>,
}

impl Places {
    fn of(facts: &Facts, texts: &BTreeMap<LedgerName, String>) -> Self {
        let path = |name: LedgerName| format!("{}/{}", facts.policy.paths.ledger, name.file_name());
        let rows = |name| {
            texts
                .get(&name)
                .map(|text| rows::lines(text))
                .unwrap_or_default()
        };
        let tip = &facts.tip.material;
        let faults = [
            (LedgerName::Oracle, fault_line(&tip.oracle)),
            (LedgerName::Fixture, fault_line(&tip.fixture)),
            (LedgerName::Freezes, fault_line(&tip.freezes)),
        ];
        Self {
            rows: LedgerName::ALL.map(|name| (path(name), rows(name))).into(),
            faults: faults
                .into_iter()
                .filter_map(|(name, line)| Some((path(name), line?)))
                .collect(),
        }
    }

    /// The row of that name, in the file when that is a ledger, else in any; else the file; else the
    /// oracle ledger. What is about the file itself stays there.
    fn find(&self, path: Option<&str>, name: &str) -> Place {
        let is_ledger = path.is_some_and(|path| self.rows.iter().any(|(ledger, _)| ledger == path));
        let ledgers = self
            .rows
            .iter()
            .filter(|(ledger, _)| !is_ledger || path == Some(ledger));
        let row = |(ledger, rows): &(String, BTreeMap<String, usize>)| {
            let line = *rows.get(name).filter(|_| path != Some(name))?;
            Some(Place {
                path: ledger.clone(),
                line,
            })
        };
        let file = || {
            let path = path.unwrap_or(&self.rows[0].0);
            Place {
                path: path.to_owned(),
                line: self.faults.get(path).copied().unwrap_or(1),
            }
        };
        ledgers.into_iter().find_map(row).unwrap_or_else(file)
    }
}

fn fault_line<L>(reading: &Reading<L>) -> Option<usize> {
    match reading {
        Reading::Invalid(fault) => fault.line,
        Reading::Missing | Reading::Valid(_) => None,
    }
}

fn finding(detail: &Detail, places: &Places) -> Finding {
    Finding {
        rule: Rule::Code(detail.code),
        answer: detail.code.entry().class.into(),
        reason: detail.reason.to_owned(),
        subject: detail.subject.clone(),
        path: detail.path.clone(),
        place: places.find(detail.path.as_deref(), &detail.subject),
        commit: detail.commit,
        field: detail.field.clone(),
        observed: detail.observed.clone(),
        expected: detail.expected.clone(),
        fix: detail.fix.clone(),
        fingerprint: String::new(),
    }
}

/// A held property as a finding: nobody may overlook that it is not mergeable.
fn held(id: &OracleId, freezes: &[Freeze], places: &Places) -> Finding {
    let mine = freezes
        .iter()
        .filter(|freeze| freeze.property_id == id.as_str());
    let rows: Vec<_> = mine
        .map(|freeze| format!("seed {} until {}", freeze.seed, freeze.expires_at))
        .collect();
    let entry = Rule::FreezeHit.entry();
    Finding {
        rule: Rule::FreezeHit,
        answer: entry.class.into(),
        reason: "held".to_owned(),
        subject: id.to_string(),
        path: None,
        place: places.find(None, id.as_str()),
        commit: None,
        field: None,
        observed: format!("a fail, frozen: {}", rows.join(", ")),
        expected: "pass".to_owned(),
        fix: entry.remedy.to_owned(),
        fingerprint: String::new(),
    }
}

/// Gives every finding a fingerprint of its own that outlives lines, commits and days.
fn told_apart(mut findings: Vec<Finding>) -> Vec<Finding> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for finding in &mut findings {
        let is_commit = finding.subject.len() >= 7
            && finding.subject.bytes().all(|byte| byte.is_ascii_hexdigit());
        let subject = if is_commit { "" } else { &finding.subject };
        let field = finding.field.as_deref().unwrap_or_default();
        let parts = [
            finding.rule.as_str(),
            &finding.reason,
            subject,
            &finding.place.path,
            field,
        ];
        // the length of each part first, so that no two lists of parts read the same
        let key: String = parts.map(|part| format!("{}:{part}", part.len())).concat();
        let count = seen.entry(key.clone()).or_default();
        *count += 1;
        let digest = Sha256::digest(format!("{key}#{count}"));
        finding.fingerprint = digest
            .iter()
            .take(16)
            .map(|byte| format!("{byte:02x}"))
            .collect();
    }
    findings
}

fn freeze(row: &FreezeRow) -> Freeze {
    let owned = |field| text(field).to_owned();
    Freeze {
        property_id: owned(&row.property_id),
        seed: owned(&row.seed),
        expires_at: owned(&row.expires_at),
        owner: owned(&row.owner),
    }
}

fn properties(decision: &Decision, freezes: &[Freeze], places: &Places) -> Vec<Property> {
    let mut by_id: BTreeMap<&str, Vec<Freeze>> = BTreeMap::new();
    freezes
        .iter()
        .for_each(|one| by_id.entry(&one.property_id).or_default().push(one.clone()));
    let property = |one: &PropertyStanding| Property {
        property_id: one.property_id.clone(),
        state: one.state,
        status: one.status.clone(),
        power: one.power,
        freezes: by_id
            .get(one.property_id.as_str())
            .cloned()
            .unwrap_or_default(),
        place: places.find(None, one.property_id.as_str()),
    };
    decision.properties.iter().map(property).collect()
}

fn score(properties: &[Property]) -> Score {
    let count = |state| properties.iter().filter(|one| one.state == state).count();
    let failed = |one: &&Property| {
        one.state == Standing::Scored && one.status.as_ref().is_some_and(|status| status != "pass")
    };
    Score {
        scored: count(Standing::Scored),
        total: properties.len(),
        frozen: count(Standing::Frozen),
        late: count(Standing::Late),
        smoke: count(Standing::Smoke),
        failed: properties.iter().filter(failed).count(),
    }
}

/// What the score becomes, day by day, as rows lapse and are removed.
///
/// A row that lapsed refuses until it is removed; then its property scores again, unless another
/// row names it.
fn forecast(freezes: &[Freeze], properties: &[Property], today: Day) -> Vec<Lapse> {
    let mut days: BTreeMap<Day, Vec<&Freeze>> = BTreeMap::new();
    let mut names: BTreeMap<&str, usize> = BTreeMap::new();
    for one in freezes {
        *names.entry(&one.property_id).or_default() += 1;
        if let Ok(day) = one.expires_at.parse() {
            days.entry(day).or_default().push(one);
        }
    }
    let frozen = properties
        .iter()
        .filter(|one| one.state == Standing::Frozen);
    let frozen: BTreeMap<_, _> = frozen
        .map(|one| (one.property_id.as_str(), &one.property_id))
        .collect();
    let mut scored = score(properties).scored;
    let mut lapses = Vec::with_capacity(days.len());
    for (last_day, rows) in days {
        let mut returns = BTreeSet::new();
        for one in &rows {
            let left = names.entry(&one.property_id).or_default();
            *left = left.saturating_sub(1);
            if *left == 0 {
                returns.extend(frozen.get(one.property_id.as_str()).map(|id| (*id).clone()));
            }
        }
        scored += returns.len();
        let (days_left, total) = (last_day.days_since(today), properties.len());
        let freezes = rows.into_iter().cloned().collect();
        lapses.push(Lapse {
            last_day,
            days_left,
            freezes,
            returns: returns.into_iter().collect(),
            scored,
            total,
        });
    }
    lapses
}

/// The trials that the scores rest on, the strictest first; none where results were handed in.
fn trials(evaluation: &Evaluation, decision: &Decision) -> Vec<TrialSummary> {
    if decision.blob.is_none() {
        return Vec::new();
    }
    let facts = &evaluation.facts;
    let bound = Bound::of(evaluation);
    let counts = |folded: &&Folded| {
        let trial = folded.reading.as_ref().ok();
        trial.is_some_and(|trial| {
            recorded::directory(&folded.path) == Some(trial.directory_name().as_str())
                && recorded::differences(trial, &bound).is_empty()
        })
    };
    let counting = facts.trials.folded.iter().filter(counts);
    let told = |folded: &Folded| {
        Some(trial(
            &folded.path,
            folded.reading.as_ref().ok()?,
            &facts.policy,
        ))
    };
    let mut all: Vec<_> = counting.filter_map(told).collect();
    all.sort_by_key(|one| std::cmp::Reverse(one.verdict));
    all
}

fn trial(path: &str, trial: &Trial, policy: &Policy) -> TrialSummary {
    TrialSummary {
        path: path.to_owned(),
        verdict: trial.verdict,
        reasons: trial.reasons.clone(),
        blob: trial.blob.map(|blob| blob.to_string()),
        epoch_id: trial.epoch.epoch_id.clone(),
        image: trial.image.id.clone(),
        enforced: trial.enforced,
        online: online(policy, &trial.checks),
        checks: trial.checks.iter().map(check).collect(),
    }
}

fn check(run: &CheckRun) -> Check {
    Check {
        id: run.id.clone(),
        property: run.property.clone(),
        kind: run.kind,
        seed: run.seed.clone(),
        revision: run.revision,
        outcome: run.outcome,
        class: run.class,
        reason: run.reason,
    }
}
