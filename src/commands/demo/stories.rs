//! Lists the stories and the end that each has to have.

use serde::Deserialize;

use super::super::{Answer, Failure};
use super::play::Play;
use super::{Ending, Expected};
use crate::model::decision::Outcome;
use crate::model::refusal::Code;
use crate::report::text::fold;

/// One story.
pub(super) struct Story {
    branch: &'static str,
    pub(super) title: &'static str,
    plot: fn(&Play) -> Result<Answer, Failure>,
    expected: Expected,
}

pub(super) const STORIES: &[Story] = &[
    Story {
        branch: "honest",
        title: "the ledgers first, then the patch, then the trial recorded of it",
        plot: honest,
        expected: Expected::Admitted,
    },
    Story {
        branch: "same-commit",
        title: "the oracle comes in the same commit as the patch",
        plot: same_commit,
        expected: Expected::Refused(Code::OracleNotIndependent),
    },
    Story {
        branch: "after-patch",
        title: "the oracle comes after the patch",
        plot: after_patch,
        expected: Expected::Refused(Code::OracleNotIndependent),
    },
    Story {
        branch: "weakened",
        title: "the patch empties a property on the way",
        plot: weakened,
        expected: Expected::Refused(Code::OracleNotIndependent),
    },
    Story {
        branch: "moved-fixture",
        title: "the patch moves a fixture and pins it again",
        plot: moved_fixture,
        expected: Expected::Refused(Code::FixtureMigrationMixed),
    },
    Story {
        branch: "expired-freeze",
        title: "a freeze has run out",
        plot: expired_freeze,
        expected: Expected::Refused(Code::FreezeExpired),
    },
    Story {
        branch: "empty-complement",
        title: "every property is frozen",
        plot: empty_complement,
        expected: Expected::Refused(Code::NoUnfrozenProperties),
    },
];

/// The parts of a decision that a story tells.
#[derive(Deserialize)]
struct Told {
    decision: String,
    refusals: Vec<String>,
    details: Vec<ToldDetail>,
}

#[derive(Deserialize)]
struct ToldDetail {
    code: String,
    reason: String,
    subject: String,
    observed: String,
}

impl Story {
    pub(super) fn tell(&self, play: &Play) -> Result<Ending, Failure> {
        play.git(&["switch", "--quiet", "--create", self.branch, "main"])?;
        let answer = (self.plot)(play)?;
        let told: Told = serde_json::from_str(&answer.stdout)
            .map_err(|error| Failure::new(format!("an answer that cannot be read: {error}")))?;
        let outcome = match told.decision.as_str() {
            "admit" => Outcome::Admit,
            "hold" => Outcome::Hold,
            _ => Outcome::Refuse,
        };
        let known = |name: &String| Code::ALL.iter().copied().find(|code| code.as_str() == name);
        let codes: Vec<Code> = told.refusals.iter().filter_map(known).collect();
        let is_expected = self.expected.matches(outcome, &codes);
        Ok(Ending {
            is_expected,
            text: text(&told, is_expected, self.branch),
        })
    }
}

fn text(told: &Told, is_expected: bool, branch: &str) -> String {
    let mut text = match told.refusals.is_empty() {
        true => format!("   {}\n", told.decision),
        false => format!("   {}: {}\n", told.decision, told.refusals.join(", ")),
    };
    for detail in &told.details {
        let ToldDetail {
            code,
            reason,
            subject,
            observed,
        } = detail;
        let shown = if told.refusals.len() > 1 {
            format!("{code} ")
        } else {
            String::new()
        };
        fold(
            &mut text,
            "     ",
            "       ",
            &format!("{shown}{subject} ({reason}): {observed}"),
        );
    }
    if !is_expected {
        text.push_str(&format!("   NOT AS EXPECTED, look at branch {branch}\n"));
    }
    text
}

fn patch(play: &Play) -> Result<(), Failure> {
    play.write(
        "src/till.sh",
        b"#!/bin/sh\n# till.sh: reads lines \"count price\", prints the total of the receipt, rounded\nawk '{ sum += $1 * $2 } END { printf \"%.0f\\n\", sum }'\n",
    )
}

/// The example's ledgers, committed before any patch.
fn ledgers(play: &Play) -> Result<(), Failure> {
    play.unpack(|path| path.starts_with("ledger"))?;
    play.reins(&["oracle", "commit"]).map(drop)
}

/// All ledgers but the oracle rows.
fn ledgers_without_rows(play: &Play) -> Result<(), Failure> {
    play.unpack(|path| path.starts_with("ledger") && !path.ends_with("oracle.json"))?;
    play.reins(&["fixture", "commit"])?;
    play.reins(&["freeze", "commit"]).map(drop)
}

fn rows(play: &Play) -> Result<(), Failure> {
    play.unpack(|path| path.ends_with("oracle.json"))
}

fn honest(play: &Play) -> Result<Answer, Failure> {
    ledgers(play)?;
    patch(play)?;
    play.commit("till: round the total")?;
    play.admit_recorded()
}

fn same_commit(play: &Play) -> Result<Answer, Failure> {
    ledgers_without_rows(play)?;
    rows(play)?;
    patch(play)?;
    play.commit("till: round the total, with properties")?;
    play.admit(play.today)
}

fn after_patch(play: &Play) -> Result<Answer, Failure> {
    ledgers_without_rows(play)?;
    patch(play)?;
    play.commit("till: round the total")?;
    rows(play)?;
    play.commit("ledger: properties of the total")?;
    play.admit(play.today)
}

fn weakened(play: &Play) -> Result<Answer, Failure> {
    ledgers(play)?;
    patch(play)?;
    play.write(
        "properties/total_is_not_negative.sh",
        b"#!/bin/sh\nexit 0\n",
    )?;
    play.commit("till: round the total")?;
    play.admit(play.today)
}

fn moved_fixture(play: &Play) -> Result<Answer, Failure> {
    ledgers(play)?;
    patch(play)?;
    play.write("fixtures/receipt.txt", b"1 1\n")?;
    play.reins(&[
        "fixture",
        "pin",
        "--epoch",
        "epoch-2",
        "--runner-image",
        IMAGE,
    ])?;
    play.commit("till: round the total, fresh fixtures")?;
    play.admit(play.today)
}

/// The image that the example's fixture ledger names.
const IMAGE: &str =
    "oci-digest:sha256:5d3f0e1c8a7b6f4e2d1c0b9a8877665544332211ffeeddccbbaa998877665544";

fn freeze(play: &Play, property: &str, expires: &str) -> Result<(), Failure> {
    let fixed = [
        "freeze",
        "add",
        "--seed",
        "7",
        "--owner",
        "till-team",
        "--paths",
        "src/till.sh",
    ];
    play.reins(&[&fixed[..], &["--property", property, "--expires", expires]].concat())
        .map(drop)
}

fn expired_freeze(play: &Play) -> Result<Answer, Failure> {
    ledgers(play)?;
    freeze(play, "total-order-01", "+2")?;
    play.reins(&["freeze", "commit"])?;
    patch(play)?;
    play.commit("till: round the total")?;
    let later = play
        .today
        .plus(3)
        .ok_or_else(|| Failure::new("the calendar ends here"))?;
    play.admit(later)
}

fn empty_complement(play: &Play) -> Result<Answer, Failure> {
    ledgers(play)?;
    freeze(play, "total-order-01", "+10")?;
    freeze(play, "total-nonneg-01", "+10")?;
    play.reins(&["freeze", "commit"])?;
    patch(play)?;
    play.commit("till: round the total")?;
    play.admit(play.today)
}
