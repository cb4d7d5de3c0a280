//! Finds contested rows and prints them between conflict markers.

use std::collections::BTreeMap;

use crate::model::path::{shown, visible};

/// What makes two rows of two texts the same row.
pub type RowKey = (String, String);

/// The canonical text of one version, cut where its rows begin and end.
pub(super) struct Version {
    pub(super) text: String,
    /// The brace and the schema.
    pub(super) opening: String,
    /// The members before the rows.
    pub(super) head: String,
    /// The rows by key, each with its name and its lines.
    pub(super) rows: BTreeMap<RowKey, (RowKey, String)>,
    /// The members behind the rows.
    pub(super) tail: String,
}

impl Version {
    fn row(&self, key: &RowKey) -> Option<&str> {
        self.rows.get(key).map(|(_, text)| text.as_str())
    }
}

/// What our conflict markers say beside the label, before the names of the rows.
const MARK: &str = "(reins: ";

/// A merge that a person has to finish: everything that is settled, and the contested rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contest {
    list: &'static str,
    opening: String,
    head: Slot,
    rows: Vec<Slot>,
    tail: Slot,
}

/// One row, or the members before or behind the rows; `None` is a side that has no such row.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Slot {
    name: RowKey,
    ours: Option<String>,
    base: Option<String>,
    theirs: Option<String>,
    is_contested: bool,
}

/// What the markers look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marks<'a> {
    /// How many characters a marker has.
    pub size: usize,
    /// What stands behind `<<<<<<<`.
    pub ours: &'a str,
    /// What stands behind `|||||||`; without it, the base is not shown.
    pub base: Option<&'a str>,
    /// What stands behind `>>>>>>>`.
    pub theirs: &'a str,
}

impl Slot {
    /// Takes the side that changed, when only one did or both did the same.
    fn new(
        name: &RowKey,
        base: Option<Option<&str>>,
        ours: Option<&str>,
        theirs: Option<&str>,
    ) -> Self {
        let settled = match base {
            _ if ours == theirs => Some(ours),
            Some(before) if ours == before => Some(theirs),
            Some(before) if theirs == before => Some(ours),
            None if theirs.is_none() => Some(ours),
            None if ours.is_none() => Some(theirs),
            Some(_) | None => None,
        };
        let text = |side: Option<&str>| settled.unwrap_or(side).map(str::to_owned);
        let (our, base, their) = (text(ours), text(base.flatten()), text(theirs));
        Self {
            name: name.clone(),
            ours: our,
            base,
            theirs: their,
            is_contested: settled.is_none(),
        }
    }

    /// Contests what was settled, where the sides differ.
    fn reopen(&mut self, [ours, base, theirs]: [Option<&str>; 3]) {
        if ours != theirs {
            let text = |side: Option<&str>| side.map(str::to_owned);
            (self.ours, self.base, self.theirs) = (text(ours), text(base), text(theirs));
            self.is_contested = true;
        }
    }
}

impl Contest {
    pub(super) fn new(
        list: &'static str,
        base: Option<&Version>,
        ours: &Version,
        theirs: &Version,
    ) -> Self {
        let part = |name: &str, of: fn(&Version) -> &str| {
            let base = base.map(|base| Some(of(base)));
            Slot::new(
                &(name.to_owned(), String::new()),
                base,
                Some(of(ours)),
                Some(of(theirs)),
            )
        };
        let all = [Some(ours), Some(theirs), base];
        let names = all.iter().flatten().rev().flat_map(|side| &side.rows);
        let names: BTreeMap<_, _> = names.map(|(key, (name, _))| (key, name)).collect(); // ours is last
        let slot = |(key, name): (&RowKey, &RowKey)| {
            Slot::new(
                name,
                base.map(|base| base.row(key)),
                ours.row(key),
                theirs.row(key),
            )
        };
        let mut rows: Vec<_> = names.into_iter().map(slot).collect();
        rows.sort_by(|a, b| a.name.cmp(&b.name));
        let (head, tail) = (
            part("the snapshot", |side| &side.head),
            part("residual_risk", |side| &side.tail),
        );
        Self {
            list,
            opening: ours.opening.clone(),
            head,
            rows,
            tail,
        }
    }

    pub(super) fn is_settled(&self) -> bool {
        self.slots().all(|slot| !slot.is_contested)
    }

    /// Contests everything in which the sides differ: what each of them settled does not belong
    /// together.
    pub(super) fn reopen(&mut self, base: Option<&Version>, ours: &Version, theirs: &Version) {
        let sides = [Some(ours), base, Some(theirs)];
        self.head
            .reopen(sides.map(|side| side.map(|side| side.head.as_str())));
        self.tail
            .reopen(sides.map(|side| side.map(|side| side.tail.as_str())));
        for slot in &mut self.rows {
            // only snapshots fall apart, and the name of a file is its key
            slot.reopen(sides.map(|side| side.and_then(|side| side.row(&slot.name))));
        }
    }

    fn slots(&self) -> impl Iterator<Item = &Slot> {
        [&self.head]
            .into_iter()
            .chain(&self.rows)
            .chain([&self.tail])
    }

    /// The names of the contested rows, in the order of the file.
    pub fn names(&self) -> Vec<String> {
        let contested = self.slots().filter(|slot| slot.is_contested);
        contested.map(|slot| named(&slot.name)).collect()
    }

    /// The text when nothing is contested.
    pub(super) fn whole(&self) -> String {
        self.text(&Marks {
            size: 7,
            ours: "",
            base: None,
            theirs: "",
        })
    }

    /// The file: what is settled in canonical form, each contested row between markers. Whichever
    /// side a person keeps everywhere, a ledger is left.
    pub fn text(&self, marks: &Marks<'_>) -> String {
        let mut out = self.opening.clone();
        let member = |slot: &Slot, out: &mut String| {
            let side = |text: &Option<String>| text.clone().unwrap_or_default();
            region(
                marks,
                &[slot],
                [side(&slot.ours), side(&slot.base), side(&slot.theirs)],
                out,
            );
        };
        member(&self.head, &mut out);
        out.push_str(&format!("  \"{}\": [\n", self.list));
        self.write_rows(marks, &mut out);
        let has_tail = self.tail.ours.as_ref().is_some_and(|text| !text.is_empty());
        out.push_str(if has_tail { "  ],\n" } else { "  ]\n" });
        member(&self.tail, &mut out);
        out + "}\n"
    }

    /// Rows one by one, as long as all sides agree on which of them ends with a comma; the rest
    /// together.
    fn write_rows(&self, marks: &Marks<'_>, out: &mut String) {
        let sides: [fn(&Slot) -> Option<&str>; 3] = [
            |slot| slot.ours.as_deref(),
            |slot| slot.base.as_deref(),
            |slot| slot.theirs.as_deref(),
        ];
        let last = sides.map(|side| self.rows.iter().rposition(|slot| side(slot).is_some()));
        let lines = |at: usize, which: usize| {
            let comma = if last[which].is_some_and(|last| at < last) {
                ",\n"
            } else {
                "\n"
            };
            sides[which](&self.rows[at]).map(|row| format!("{row}{comma}"))
        };
        let visible: &[usize] = if marks.base.is_some() {
            &[0, 1, 2]
        } else {
            &[0, 2]
        };
        let is_uneven = |at: &usize| {
            let ends = visible
                .iter()
                .filter_map(|which| Some(lines(*at, *which)?.ends_with(",\n")));
            ends.clone().any(|comma| comma) && ends.clone().any(|comma| !comma)
        };
        let even = (0..self.rows.len())
            .find(is_uneven)
            .unwrap_or(self.rows.len());
        for at in 0..even {
            let texts = [0, 1, 2].map(|which| lines(at, which).unwrap_or_default());
            region(marks, &[&self.rows[at]], texts, out);
        }
        let rest = even..self.rows.len();
        let texts = [0, 1, 2].map(|which| rest.clone().filter_map(|at| lines(at, which)).collect());
        region(
            marks,
            &self.rows[rest].iter().collect::<Vec<_>>(),
            texts,
            out,
        );
    }
}

/// The text on which the sides agree, or all of them between markers.
fn region(marks: &Marks<'_>, slots: &[&Slot], [ours, base, theirs]: [String; 3], out: &mut String) {
    if ours == theirs && !slots.iter().any(|slot| slot.is_contested) {
        return out.push_str(&ours);
    }
    let names: Vec<_> = slots
        .iter()
        .filter(|s| s.is_contested)
        .map(|slot| named(&slot.name))
        .collect();
    let marker = |sign: &str, label: &str| {
        let label = shown(label);
        format!(
            "{} {label}{}",
            sign.repeat(marks.size),
            if label.is_empty() { "" } else { " " }
        )
    };
    out.push_str(&format!(
        "{}{MARK}{})\n{ours}",
        marker("<", marks.ours),
        visible(&names.join(", "))
    ));
    if let Some(label) = marks.base {
        out.push_str(&format!("{}\n{base}", marker("|", label).trim_end()));
    }
    out.push_str(&format!(
        "{}\n{theirs}{}\n",
        "=".repeat(marks.size),
        marker(">", marks.theirs).trim_end()
    ));
}

/// The rows that are still open in a file that a merge by row has written: what its markers say.
/// `None` when no marker in it, or not every one, is of that kind.
pub fn open_rows(text: &str) -> Option<Vec<String>> {
    let opened = text.lines().filter(|line| line.starts_with("<<<<<<<"));
    let names: Option<Vec<_>> = opened
        .map(|line| {
            Some(
                line.rsplit_once(MARK)?
                    .1
                    .trim_end()
                    .strip_suffix(')')?
                    .to_owned(),
            )
        })
        .collect();
    names.filter(|names| !names.is_empty())
}

/// The name of a row for messages.
pub fn named((first, second): &RowKey) -> String {
    shown(format!("{first} {second}").trim())
}
