//! Applies the rules of the source articles alone to bare ledgers.

use std::collections::{BTreeMap, BTreeSet};

use crate::ledger::article::{ArticleFixture, ArticleLedgers};
use crate::ledger::field::{Field, text};
use crate::ledger::freeze::FreezeRow;
use crate::ledger::oracle::{OracleRow, observed_sees_diff};
use crate::ledger::results::ResultRow;
use crate::model::day::Day;
use crate::model::decision::{
    Decision, Detail, PropertyStanding, Rules, Standing, VerdictEvidence,
};
use crate::model::ids::OracleId;
use crate::model::refusal::Code;
use crate::model::trial::Power;

/// Decides on bare ledgers and results, without a repository.
///
/// Two faults of the articles are mended: an absent `sees_diff` is not independence, and a trial
/// of canaries alone is no score.
pub fn admit(ledgers: &ArticleLedgers, results: &[ResultRow], today: Day) -> Decision {
    let mut details: Vec<Detail> = ledgers.oracles.iter().filter_map(judge_oracle).collect();
    judge_fixture(&ledgers.fixture, &mut details);
    for freeze in &ledgers.freezes {
        judge_freeze(&ledgers.fixture, freeze, today, &mut details);
    }
    let properties = judge_results(ledgers, results, &mut details);
    decision(details, properties, today)
}

/// Refuses what is missing or cannot be read: without it nothing else can be said.
pub fn refuse(details: Vec<Detail>, today: Day) -> Decision {
    decision(details, Vec::new(), today)
}

fn decision(mut details: Vec<Detail>, properties: Vec<PropertyStanding>, today: Day) -> Decision {
    details.sort();
    details.dedup();
    let count = |wanted| properties.iter().filter(|one| one.state == wanted).count();
    let outcome = Decision::outcome_of(&details, &[]);
    Decision {
        refusals: Decision::refusals_of(&details),
        scored: count(Standing::Scored),
        frozen: count(Standing::Frozen),
        details,
        properties,
        verdict_evidence: Some(VerdictEvidence::Itself),
        ..Decision::without_range(outcome, Rules::Article, today)
    }
}

fn observed(field: &Option<Field<String>>) -> String {
    field
        .as_ref()
        .map_or_else(|| "absent".to_owned(), Field::shown)
}

fn judge_oracle(row: &OracleRow) -> Option<Detail> {
    let detail = || {
        Detail::new(
            Code::OracleNotIndependent,
            "sees-diff",
            row.oracle_id.clone(),
        )
    };
    (!row.is_independent()).then(|| {
        detail()
            .path("oracle.json")
            .field("sees_diff")
            .saw(observed_sees_diff(&row.sees_diff), "false")
            .fix("set sees_diff to false after reading the row against its source, not against the diff")
    })
}

fn judge_fixture(fixture: &ArticleFixture, details: &mut Vec<Detail>) {
    let members = [
        ("epoch_id", &fixture.epoch_id),
        ("base_rev", &fixture.base_rev),
        ("digest_sha256", &fixture.digest_sha256),
        ("runner_image_id", &fixture.runner_image_id),
    ];
    let missing: Vec<_> = members
        .into_iter()
        .filter(|(_, field)| text(field).is_empty())
        .collect();
    for (name, field) in &missing {
        let detail =
            Detail::new(Code::FixtureEpochUnpinned, "field-missing", *name).path("fixture.json");
        details.push(
            detail
                .field(*name)
                .saw(observed(field), "a text that is not blank")
                .fix(format!("fill in {name}")),
        );
    }
    if missing.is_empty() && text(&fixture.observed_digest) != text(&fixture.digest_sha256) {
        details.push(
            Detail::new(
                Code::FixtureDigestMismatch,
                "bytes-differ",
                "observed_digest",
            )
            .path("fixture.json")
            .field("observed_digest")
            .saw(
                observed(&fixture.observed_digest),
                text(&fixture.digest_sha256),
            )
            .fix("pin the bytes that the runner loads"),
        );
    }
}

fn judge_freeze(fixture: &ArticleFixture, row: &FreezeRow, today: Day, details: &mut Vec<Detail>) {
    let (property, seed) = row.key();
    let about = |code, reason, field: &str| {
        Detail::new(code, reason, format!("{property} seed {seed}"))
            .path("freezes.json")
            .field(field)
    };
    let bound = [
        ("property_id", &row.property_id),
        ("seed", &row.seed),
        ("owner", &row.owner),
        ("expires_at", &row.expires_at),
    ];
    for (name, field) in bound
        .into_iter()
        .filter(|(_, field)| text(field).is_empty())
    {
        let detail = about(Code::FreezeUnbound, "field-missing", name);
        details.push(
            detail
                .saw(observed(field), "a text that is not blank")
                .fix("fill it in, or remove the row"),
        );
    }
    let epoch = text(&fixture.epoch_id);
    if text(&row.fixture_epoch) != epoch || epoch.is_empty() {
        let detail = about(
            Code::FixtureEpochUnpinned,
            "freeze-of-other-epoch",
            "fixture_epoch",
        );
        details.push(
            detail
                .saw(observed(&row.fixture_epoch), epoch)
                .fix("remove the row"),
        );
    }
    let base = text(&fixture.base_rev);
    if text(&row.observed_on) != "base" || text(&row.base_rev) != base || base.is_empty() {
        let detail = about(Code::FreezeReplayNotOnBase, "other-base", "base_rev");
        let seen = format!(
            "{} on {}",
            observed(&row.base_rev),
            observed(&row.observed_on)
        );
        details.push(
            detail
                .saw(seen, format!("{base:?} on \"base\""))
                .fix("replay the seed on base, or remove the row"),
        );
    }
    match text(&row.expires_at).parse::<Day>() {
        Ok(day) if day < today => {
            let detail = about(Code::FreezeExpired, "expired", "expires_at");
            details.push(
                detail
                    .saw(day.to_string(), format!("{today} or later"))
                    .fix("remove the row"),
            );
        }
        Err(_) if !text(&row.expires_at).is_empty() => {
            let detail = about(Code::FreezeUnbound, "no-day", "expires_at");
            let detail = detail.saw(observed(&row.expires_at), "a day of the form YYYY-MM-DD");
            details.push(detail.fix("write the day as YYYY-MM-DD"));
        }
        Ok(_) | Err(_) => {}
    }
}

/// Where every property of the results and the freezes stands. The rules of the articles score
/// what the results list, whether or not an oracle row names it.
fn judge_results(
    ledgers: &ArticleLedgers,
    results: &[ResultRow],
    details: &mut Vec<Detail>,
) -> Vec<PropertyStanding> {
    let frozen: BTreeSet<&str> = ledgers.freezes.iter().map(|row| row.key().0).collect();
    let mut statuses: BTreeMap<OracleId, String> = BTreeMap::new();
    for result in results {
        if result.canary == Some(true) {
            if result.status != "pass" {
                let detail = Detail::new(Code::CanaryFailed, "canary", result.property_id.clone());
                details.push(detail.saw(result.status.clone(), "pass"));
            }
        } else if let Ok(id) = result.property_id.parse::<OracleId>() {
            let status = statuses.entry(id).or_insert_with(|| result.status.clone());
            if result.status != "pass" {
                status.clone_from(&result.status);
            }
        }
    }
    let standing = |id: &OracleId| {
        if frozen.contains(id.as_str()) {
            Standing::Frozen
        } else {
            Standing::Scored
        }
    };
    let properties: Vec<_> = statuses
        .into_iter()
        .map(|(id, status)| PropertyStanding {
            state: standing(&id),
            property_id: id,
            status: Some(status),
            power: Power::Claimed,
        })
        .collect();
    let mut scored = properties
        .iter()
        .filter(|one| one.state == Standing::Scored)
        .peekable();
    if scored.peek().is_none() {
        let detail = Detail::new(Code::NoUnfrozenProperties, "empty-complement", "score");
        details.push(detail.saw(
            "no result of a property that no freeze names",
            "at least one",
        ));
    }
    for failed in scored.filter(|one| one.status.as_deref() != Some("pass")) {
        let detail = Detail::new(
            Code::UnfrozenPropertyFailed,
            "failed",
            failed.property_id.as_str(),
        );
        details.push(detail.saw(failed.status.clone().unwrap_or_default(), "pass"));
    }
    properties
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::article::{read_fixture, read_freezes, read_oracles};
    use crate::ledger::results::parse_results;
    use crate::model::decision::Outcome;

    const FREEZE: &str = r#"{"property_id": "bal-nonneg-01", "seed": "0x9c1e", "owner": "queue",
        "expires_at": "2026-10-10", "observed_on": "base", "base_rev": "a11ce", "fixture_epoch": "epoch-3"}"#;

    fn decide(sees_diff: &str, freezes: &str, results: &str, today: &str) -> Decision {
        let fixture = r#"{"epoch_id": "epoch-3", "base_rev": "a11ce", "digest_sha256": "abc",
            "runner_image_id": "img-1", "observed_digest": "abc"}"#;
        let oracle = format!(
            r#"{{"oracle_id": "bal-nonneg-01", "source": "spec/accounts.md#invariants", {sees_diff}
            "authored_commit": "base-or-earlier", "property": "balance_never_negative"}}"#
        );
        let ledgers = ArticleLedgers {
            oracles: read_oracles(oracle.as_bytes()).unwrap(),
            fixture: read_fixture(fixture.as_bytes()).unwrap(),
            freezes: read_freezes(format!("[{freezes}]").as_bytes()).unwrap(),
        };
        admit(
            &ledgers,
            &parse_results(results.as_bytes()).unwrap(),
            today.parse().unwrap(),
        )
    }

    const FALSE: &str = r#""sees_diff": false,"#;
    const PASS: &str = r#"[{"property_id": "bal-nonneg-01", "status": "pass"}]"#;

    #[test]
    fn an_empty_complement_refuses() {
        let decision = decide(FALSE, FREEZE, PASS, "2026-09-26");
        assert_eq!(decision.refusals, [Code::NoUnfrozenProperties]);
        assert_eq!(
            (decision.decision, decision.scored, decision.frozen),
            (Outcome::Refuse, 0, 1)
        );
    }

    #[test]
    fn one_unfrozen_pass_and_no_freeze_admits() {
        let decision = decide(FALSE, "", PASS, "2026-09-26");
        assert_eq!((decision.decision, decision.scored), (Outcome::Admit, 1));
        assert!(decision.refusals.is_empty());
    }

    #[test]
    fn an_absent_sees_diff_is_not_independence() {
        for sees_diff in [
            "",
            r#""sees_diff": null,"#,
            r#""sees_diff": "false","#,
            r#""sees_diff": true,"#,
        ] {
            assert_eq!(
                decide(sees_diff, "", PASS, "2026-09-26").refusals,
                [Code::OracleNotIndependent]
            );
        }
    }

    #[test]
    fn a_freeze_is_judged_field_by_field() {
        let both = r#"[{"property_id": "bal-nonneg-01", "status": "pass"}, {"property_id": "other", "status": "pass"}]"#;
        let with = |from: &str, to: &str, today: &str| {
            decide(FALSE, &FREEZE.replace(from, to), both, today).refusals
        };
        assert_eq!(with("", "", "2026-10-10"), [], "the last day still counts");
        assert_eq!(with("", "", "2026-10-11"), [Code::FreezeExpired]);
        assert_eq!(
            with("2026-10-10", "soon", "2026-09-26"),
            [Code::FreezeUnbound]
        );
        assert_eq!(
            with("\"queue\"", "\"\"", "2026-09-26"),
            [Code::FreezeUnbound]
        );
        assert_eq!(
            with("a11ce", "b0b", "2026-09-26"),
            [Code::FreezeReplayNotOnBase]
        );
        assert_eq!(
            with("\"base\"", "\"candidate\"", "2026-09-26"),
            [Code::FreezeReplayNotOnBase]
        );
        assert_eq!(
            with("epoch-3", "epoch-2", "2026-09-26"),
            [Code::FixtureEpochUnpinned]
        );
    }

    #[test]
    fn canaries_alone_are_no_score() {
        let canary = r#"[{"property_id": "parse_diff", "status": "pass", "canary": true}]"#;
        assert_eq!(
            decide(FALSE, "", canary, "2026-09-26").refusals,
            [Code::NoUnfrozenProperties]
        );
    }
}
