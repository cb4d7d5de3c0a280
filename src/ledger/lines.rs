//! Prints a ledger as lines that name row and member, for a readable diff.
//!
//! Every line names its row, and every member has lines of its own, in declared order: two ledgers
//! read the same only when they say the same.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;

use super::file::{parse, print};
use super::fixture::FixtureLedger;
use super::freeze::FreezeLedger;
use super::merge::{Mergeable, cut, named};
use super::oracle::OracleLedger;

/// The lines of a ledger, whichever of the three it is; `None` when it is none of them.
pub fn lines(bytes: &[u8]) -> Option<String> {
    of::<OracleLedger>(bytes)
        .or_else(|| of::<FreezeLedger>(bytes))
        .or_else(|| of::<FixtureLedger>(bytes))
}

fn of<L: Mergeable>(bytes: &[u8]) -> Option<String> {
    let ledger: L = parse(bytes).ok()?;
    let text = print(&ledger);
    let form = if text.as_bytes() == bytes {
        ""
    } else {
        ", not in canonical form: git reins fmt"
    };
    let mut out = format!("{}{form}\n", L::SCHEMA);
    let Members(members) = serde_json::from_str(&text).ok()?;
    for (member, value) in members
        .iter()
        .filter(|(member, _)| member != "schema" && member != L::LIST)
    {
        write(L::NAME.file_name(), member, value, &mut out);
    }
    for (name, row) in ledger.names().iter().zip(cut(&text, L::LIST).1) {
        let Members(members) = serde_json::from_str(&row).ok()?;
        let shown = named(name);
        out.push_str(&format!("\n{shown}\n"));
        // the name of most rows is their first member
        let is_said = name.1.is_empty() && shown == name.0;
        members[usize::from(is_said)..]
            .iter()
            .for_each(|(member, value)| write(&shown, member, value, &mut out));
    }
    Some(out)
}

/// A line for a value, or one for each value of a list; strings in quotes, so that `"false"` is
/// not `false`.
fn write(row: &str, member: &str, value: &Value, out: &mut String) {
    match value {
        Value::Array(all) if !all.is_empty() => {
            let member = format!("{member}[]");
            all.iter()
                .for_each(|one| out.push_str(&format!("{row}  {member:19}  {one}\n")));
        }
        one => out.push_str(&format!("{row}  {member:19}  {one}\n")),
    }
}

/// The members of an object in their order.
struct Members(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(InOrder)
    }
}

struct InOrder;

impl<'de> Visitor<'de> for InOrder {
    type Value = Members;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(Members(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_names_its_row_and_every_value_keeps_its_type() {
        let row = |sees: &str| {
            format!(
                "{{\"schema\": \"git-reins/oracle/1\", \"oracles\": [{{\"oracle_id\": \"a\", \"source\": \"issue:1\", \
                 \"sees_diff\": {sees}, \"property\": \"a\", \"property_files\": [{{\"path\": \"p\", \"sha256\": \"{}\"}}]}}]}}",
                "0".repeat(64)
            )
        };
        let text = lines(row("false").as_bytes()).unwrap();
        let wanted = format!(
            "git-reins/oracle/1, not in canonical form: git reins fmt\n\na\n\
             a  source               \"issue:1\"\n\
             a  sees_diff            false\n\
             a  property             \"a\"\n\
             a  property_files[]     {{\"path\":\"p\",\"sha256\":\"{}\"}}\n",
            "0".repeat(64)
        );
        assert_eq!(text, wanted);
        assert_ne!(text, lines(row("\"false\"").as_bytes()).unwrap());
        assert_eq!(lines(b"{}"), None);
        assert_eq!(lines(b"\xff"), None);
    }

    #[test]
    fn a_snapshot_has_a_line_for_each_of_its_members() {
        let digest = "0".repeat(64);
        let text = format!(
            "{{\"schema\": \"git-reins/fixture/1\", \"epoch_id\": \"e\", \"files\": [{{\"path\": \"f\", \"sha256\": \"{digest}\", \"size\": 3}}], \"residual_risk\": [\"clock\"]}}"
        );
        let lines = lines(text.as_bytes()).unwrap();
        let lines: Vec<_> = lines
            .lines()
            .skip(1)
            .filter(|line| !line.is_empty())
            .collect();
        assert_eq!(
            lines,
            [
                "fixture.json  epoch_id             \"e\"",
                "fixture.json  residual_risk[]      \"clock\"",
                "f",
                &format!("f  sha256               \"{digest}\""),
                "f  size                 3",
            ]
        );
    }
}
