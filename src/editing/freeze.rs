//! Edits freeze rows. Each edit is a function from rows to rows.

use std::str::FromStr;

use super::Refused;
use crate::ledger::field::{Field, text};
use crate::ledger::file::Ledger as _;
use crate::ledger::fixture::FixtureLedger;
use crate::ledger::freeze::{FreezeEvidence, FreezeLedger, FreezeRow};
use crate::ledger::oracle::OracleLedger;
use crate::model::day::Day;
use crate::model::path::{RepoPath, shown};
use crate::model::refusal::Code;
use crate::policy::Policy;

/// When a freeze ends, as a person says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expiry {
    /// On a day.
    On(Day),
    /// So many days from today.
    In(u64),
}

impl FromStr for Expiry {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let fault = || format!("'{text}' is neither YYYY-MM-DD nor +DAYS");
        match text.strip_prefix('+') {
            Some(days) if days.bytes().all(|byte| byte.is_ascii_digit()) => {
                days.parse().map(Self::In).map_err(|_| fault())
            }
            Some(_) => Err(fault()),
            None => text.parse().map(Self::On).map_err(|_| fault()),
        }
    }
}

/// What a person said about a freeze.
#[derive(Clone, Debug)]
pub struct Said {
    /// The oracle row.
    pub property: String,
    /// The seed.
    pub seed: String,
    /// The last day.
    pub expires: Expiry,
    /// Who removes it.
    pub owner: String,
    /// The code paths; none when a miss is to stay a failure.
    pub paths: Vec<RepoPath>,
    /// The replay that showed it.
    pub evidence: Option<FreezeEvidence>,
}

/// What a new freeze is held against.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    /// The rows that may be frozen.
    pub oracles: &'a OracleLedger,
    /// The epoch that it was observed in.
    pub fixture: &'a FixtureLedger,
    /// The canaries and the horizon.
    pub policy: &'a Policy,
    /// The day of the edit.
    pub today: Day,
}

/// A ledger without rows.
pub fn empty() -> FreezeLedger {
    FreezeLedger {
        schema: FreezeLedger::SCHEMA.to_owned(),
        freezes: Vec::new(),
    }
}

/// Adds a row, bound to the fixture ledger's base and epoch.
///
/// # Errors
/// When a rule would refuse it at once.
pub fn add(
    mut ledger: FreezeLedger,
    said: Said,
    facts: Facts<'_>,
) -> Result<FreezeLedger, Refused> {
    bound(&said, facts)?;
    let known = |row: &FreezeRow| row.key() == (said.property.as_str(), said.seed.as_str());
    if ledger.freezes.iter().any(known) {
        let fix = format!(
            "git reins freeze rm --property {} --seed {}",
            said.property, said.seed
        );
        return Err(Refused::new("this seed is frozen already").fix(fix));
    }
    let day = last_day(said.expires, facts)?;
    let (base, epoch) = (text(&facts.fixture.base_rev), text(&facts.fixture.epoch_id));
    if base.is_empty() || epoch.is_empty() {
        let refused = Refused::new("the fixture ledger pins no base or no epoch")
            .code(Code::FixtureEpochUnpinned);
        return Err(refused.fix("git reins fixture pin --epoch NEW --runner-image auto"));
    }
    let value = |text: &str| Some(Field::Value(text.to_owned()));
    let paths: Vec<_> = said.paths.iter().map(RepoPath::to_string).collect();
    ledger.freezes.push(FreezeRow {
        property_id: value(&said.property),
        seed: value(&said.seed),
        base_rev: value(base),
        fixture_epoch: value(epoch),
        observed_on: value("base"),
        expires_at: value(&day.to_string()),
        owner: value(&said.owner),
        quarantine_eligible: Some(Field::Value(true)).filter(|_| !paths.is_empty()),
        paths: Some(paths).filter(|paths| !paths.is_empty()),
        evidence: said.evidence,
    });
    ledger.sort();
    Ok(ledger)
}

/// Refuses a canary, a row that is not there, and a blank seed or owner.
///
/// # Errors
/// As said.
pub fn bound(said: &Said, facts: Facts<'_>) -> Result<(), Refused> {
    let property = shown(&said.property);
    if facts.policy.is_canary(&said.property) {
        let refused = Refused::new(format!(
            "'{property}' is a canary, and a canary is never frozen"
        ));
        return Err(refused.code(Code::FreezeOnCanary));
    }
    if facts.oracles.row(&said.property).is_none() {
        let refused =
            Refused::new(format!("there is no oracle '{property}'")).code(Code::FreezeUnbound);
        return Err(refused.fix("git reins oracle list"));
    }
    let blank = [("seed", &said.seed), ("owner", &said.owner)]
        .into_iter()
        .find(|(_, text)| text.trim().is_empty());
    match blank {
        Some((name, _)) => {
            Err(Refused::new(format!("the {name} is blank")).code(Code::FreezeUnbound))
        }
        None => Ok(()),
    }
}

fn last_day(expires: Expiry, facts: Facts<'_>) -> Result<Day, Refused> {
    let most = facts.policy.freeze.max_days;
    let beyond = || {
        let refused = Refused::new(format!(
            "a freeze ends within {most} days (freeze.max_days)"
        ));
        refused
            .code(Code::FreezeHorizonExceeded)
            .fix(format!("--expires +{most} at most"))
    };
    let day = match expires {
        Expiry::On(day) => day,
        Expiry::In(days) if days > most => return Err(beyond()),
        Expiry::In(days) => facts.today.plus(days).ok_or_else(beyond)?,
    };
    match u64::try_from(day.days_since(facts.today)) {
        Ok(days) if days > most => Err(beyond()),
        Ok(_) => Ok(day),
        Err(_) => Err(
            Refused::new(format!("{day} is past: today is {}", facts.today))
                .code(Code::FreezeExpired),
        ),
    }
}

/// Takes away the rows of a property, or of one seed of it.
///
/// # Errors
/// When there are none.
pub fn remove(
    mut ledger: FreezeLedger,
    property: &str,
    seed: Option<&str>,
) -> Result<FreezeLedger, Refused> {
    let before = ledger.freezes.len();
    let meant =
        |row: &FreezeRow| row.key().0 == property && seed.is_none_or(|seed| row.key().1 == seed);
    ledger.freezes.retain(|row| !meant(row));
    match ledger.freezes.len() == before {
        true => Err(Refused::new("there is no such freeze").fix("git reins freeze list")),
        false => Ok(ledger),
    }
}

/// Takes away the rows whose last day is over.
pub fn prune(mut ledger: FreezeLedger, today: Day) -> FreezeLedger {
    ledger.freezes.retain(|row| {
        text(&row.expires_at)
            .parse::<Day>()
            .is_ok_and(|day| day < today)
            .eq(&false)
    });
    ledger
}

/// The rows of each ledger that the other lacks, by name: gained, then lost.
pub fn changes(before: &FreezeLedger, after: &FreezeLedger) -> (Vec<String>, Vec<String>) {
    let lacking = |from: &FreezeLedger, other: &FreezeLedger| {
        let new = from
            .freezes
            .iter()
            .enumerate()
            .filter(|(_, row)| !other.freezes.iter().any(|old| old.same_state(row)));
        new.map(|(at, row)| row.name(at)).collect()
    };
    (lacking(after, before), lacking(before, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expiry_is_a_day_or_a_number_of_days() {
        assert_eq!("+14".parse(), Ok(Expiry::In(14)));
        assert_eq!(
            "2026-11-30".parse(),
            Ok(Expiry::On("2026-11-30".parse().unwrap()))
        );
        for bad in [
            "",
            "+",
            "++1",
            "+-1",
            "14",
            "2026-2-1",
            "+99999999999999999999",
        ] {
            assert!(bad.parse::<Expiry>().is_err(), "{bad}");
        }
    }
}
