//! Judges freeze rows: bound to a property, a seed, an owner, the pinned base and a near day.

use std::collections::BTreeSet;

use super::facts::Facts;
use super::ledgers::{Findings, ledger_path};
use crate::ledger::field::{Field, text};
use crate::ledger::file::LedgerName;
use crate::ledger::freeze::FreezeRow;
use crate::model::day::Day;
use crate::model::decision::Detail;
use crate::model::refusal::Code;
use crate::model::shell::word;

/// A freeze that lapses within this many days is warned of in every answer.
pub const LAPSE_WARNING_DAYS: i64 = 7;

/// Names that stand for a fault of the draft channel, which is never a property.
const DRAFT_FAULTS: &[&str] = &["infra", "empty_blob", "draft", "generator"];

/// Judges the freeze rows at tip, one by one.
pub fn judge_rows(facts: &Facts) -> Findings {
    let mut found = Findings::default();
    let Some(ledger) = facts.tip.material.freezes.valid() else {
        return found;
    };
    let rows = facts.tip.material.oracle.valid();
    let known: Option<BTreeSet<&str>> = rows.map(|ledger| {
        ledger
            .oracles
            .iter()
            .map(|row| row.oracle_id.as_str())
            .collect()
    });
    for row in &ledger.freezes {
        judge_binding(facts, row, known.as_ref(), &mut found);
        judge_day(facts, row, &mut found);
        judge_place(facts, row, &mut found);
    }
    found
}

/// Whether nothing stands against a row by itself: bound, of this base and epoch, not expired.
pub fn is_sound(facts: &Facts, row: &FreezeRow) -> bool {
    let rows = facts.tip.material.oracle_rows();
    let known = rows.iter().map(|row| row.oracle_id.as_str()).collect();
    let mut found = Findings::default();
    judge_binding(facts, row, Some(&known), &mut found);
    judge_day(facts, row, &mut found);
    judge_place(facts, row, &mut found);
    found.details.is_empty()
}

/// Whether the name can never be frozen: a canary, or a fault of the draft channel.
pub fn is_unfreezable(facts: &Facts, property: &str) -> bool {
    facts.policy.is_canary(property)
        || DRAFT_FAULTS.contains(&property.to_ascii_lowercase().as_str())
}

fn about(facts: &Facts, row: &FreezeRow, code: Code, reason: &'static str) -> Detail {
    let (property, seed) = row.key();
    Detail::new(
        code,
        reason,
        format!("{} seed {}", named(property), named(seed)),
    )
    .path(ledger_path(facts, LedgerName::Freezes))
    .commit(facts.tip.id)
    .fix(format!(
        "git reins freeze rm --property {}{} && git reins freeze commit",
        word(property),
        seed_flag(seed)
    ))
}

fn named(text: &str) -> &str {
    if text.is_empty() { "(none)" } else { text }
}

fn seed_flag(seed: &str) -> String {
    if seed.is_empty() {
        String::new()
    } else {
        format!(" --seed {}", word(seed))
    }
}

fn observed(field: &Option<Field<String>>) -> String {
    field
        .as_ref()
        .map_or_else(|| "absent".to_owned(), Field::shown)
}

fn judge_binding(
    facts: &Facts,
    row: &FreezeRow,
    known: Option<&BTreeSet<&str>>,
    found: &mut Findings,
) {
    let property = text(&row.property_id);
    if is_unfreezable(facts, property) {
        let detail = about(facts, row, Code::FreezeOnCanary, "never-frozen").field("property_id");
        found.add(detail.saw(
            property,
            "a property of the oracle ledger, no canary and no draft fault",
        ));
    } else if !property.is_empty() && known.is_some_and(|known| !known.contains(property)) {
        let detail =
            about(facts, row, Code::FreezeUnbound, "unknown-property").field("property_id");
        found.add(detail.saw(property, "the oracle_id of a row"));
    }
    for (name, field) in [
        ("property_id", &row.property_id),
        ("seed", &row.seed),
        ("owner", &row.owner),
    ] {
        if text(field).is_empty() {
            let detail = about(facts, row, Code::FreezeUnbound, "field-missing").field(name);
            found.add(detail.saw(observed(field), "a text that is not blank"));
        }
    }
}

fn judge_day(facts: &Facts, row: &FreezeRow, found: &mut Findings) {
    let Ok(day) = text(&row.expires_at).parse::<Day>() else {
        let detail = about(facts, row, Code::FreezeUnbound, "no-day").field("expires_at");
        return found.add(detail.saw(observed(&row.expires_at), "a day of the form YYYY-MM-DD"));
    };
    let (left, most) = (day.days_since(facts.today), facts.policy.freeze.max_days);
    if left < 0 {
        let detail = about(facts, row, Code::FreezeExpired, "expired").field("expires_at");
        let detail = detail.saw(day.to_string(), format!("{} or later", facts.today));
        found.add(detail.fix("git reins freeze prune && git reins freeze commit"));
    } else if left > i64::try_from(most).unwrap_or(i64::MAX) {
        let detail = about(facts, row, Code::FreezeHorizonExceeded, "too-far").field("expires_at");
        found.add(detail.saw(
            format!("{day}, {left} days ahead"),
            format!("at most {most} days ahead"),
        ));
    } else if left <= LAPSE_WARNING_DAYS {
        let (property, seed) = row.key();
        found.warn(format!(
            "the freeze of {property} seed {seed} lapses after {day}"
        ));
    }
}

fn judge_place(facts: &Facts, row: &FreezeRow, found: &mut Findings) {
    if text(&row.observed_on) != "base" {
        let detail =
            about(facts, row, Code::FreezeReplayNotOnBase, "not-on-base").field("observed_on");
        found.add(detail.saw(observed(&row.observed_on), "\"base\""));
    }
    let Some(fixture) = facts.tip.material.fixture.valid() else {
        return;
    };
    let base_rev = text(&fixture.base_rev);
    if text(&row.base_rev).is_empty() || text(&row.base_rev) != base_rev {
        let detail = about(facts, row, Code::FreezeReplayNotOnBase, "other-base").field("base_rev");
        found.add(detail.saw(
            observed(&row.base_rev),
            format!("{base_rev:?}, as the fixture ledger has it"),
        ));
    }
    let epoch = text(&fixture.epoch_id);
    if text(&row.fixture_epoch).is_empty() || text(&row.fixture_epoch) != epoch {
        let detail = about(
            facts,
            row,
            Code::FixtureEpochUnpinned,
            "freeze-of-other-epoch",
        )
        .field("fixture_epoch");
        found.add(detail.saw(
            observed(&row.fixture_epoch),
            format!("{epoch:?}, as the fixture ledger has it"),
        ));
    }
}

/// Whether too large a share of the scored properties is frozen at once.
pub fn judge_share(facts: &Facts, frozen: usize, scored: usize) -> Option<Detail> {
    let all = frozen + scored;
    let most = facts.policy.freeze.max_share;
    #[expect(
        clippy::cast_precision_loss,
        reason = "a ledger has far fewer rows than 2^52"
    )]
    let exceeded = frozen > 0 && frozen as f64 > most * all as f64;
    exceeded.then(|| {
        Detail::new(
            Code::FreezeShareExceeded,
            "share",
            format!("{frozen} of {all} properties"),
        )
        .path(ledger_path(facts, LedgerName::Freezes))
        .commit(facts.tip.id)
        .saw(
            format!("{frozen} of {all} scored properties frozen"),
            format!("a share of at most {most}"),
        )
    })
}
