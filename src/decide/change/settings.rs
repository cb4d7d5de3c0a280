//! Tells whether one setting asks for less than before. The changes of a policy, collected.

use std::collections::BTreeSet;
use std::fmt::Display;

use super::word_diff::Words;
use crate::model::change::{Area, Change, Kind, Reason};
use crate::model::shell::word;

/// Which way a setting is weaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// A larger number, one more element.
    MoreIsWeaker,
    /// A smaller number, one element less.
    LessIsWeaker,
    /// Any change may be.
    NobodyCanTell,
}

impl Way {
    fn reason(self, is_more: bool) -> Reason {
        match (self, is_more) {
            (Self::MoreIsWeaker, true) | (Self::LessIsWeaker, false) => Reason::Relaxed,
            (Self::MoreIsWeaker, false) | (Self::LessIsWeaker, true) => Reason::Tightened,
            (Self::NobodyCanTell, _) => Reason::Unclear,
        }
    }
}

/// The settings that were compared so far.
#[derive(Debug, Default)]
pub(super) struct Settings {
    changes: Vec<Change>,
    same: usize,
    /// The check whose settings these are.
    check: Option<String>,
    words: Words,
}

impl Settings {
    /// The changes, and how many settings are the same.
    pub(super) fn told(self) -> (Vec<Change>, usize) {
        (self.changes, self.same)
    }

    /// The same collection, with names that are those of one check.
    pub(super) fn of_check(&mut self, id: Option<&str>) {
        self.check = id.map(|id| format!("check {id}"));
    }

    fn change(&self, name: &str, kind: Kind, reason: Reason) -> Change {
        let change = match &self.check {
            Some(check) => Change::new(Area::Policy, check, kind, reason).field(name),
            None => Change::new(Area::Policy, name, kind, reason),
        };
        change.harmless_if(matches!(reason, Reason::Tightened | Reason::FieldChanged))
    }

    fn changed(&mut self, name: &str, reason: Reason, before: String, after: String) {
        let change = self.change(name, Kind::Changed, reason);
        self.changes.push(change.states(Some(before), Some(after)));
    }

    /// A change of something else than one setting.
    pub(super) fn push(&mut self, change: Change) {
        self.changes.push(change);
    }

    /// Counts a setting that is the same; says whether it is.
    fn is_same(&mut self, is_same: bool) -> bool {
        self.same += usize::from(is_same);
        is_same
    }

    /// A number.
    pub(super) fn number<N: PartialOrd + Display>(
        &mut self,
        name: &str,
        before: &N,
        after: &N,
        way: Way,
    ) {
        if !self.is_same(before == after) {
            self.changed(
                name,
                way.reason(after > before),
                before.to_string(),
                after.to_string(),
            );
        }
    }

    /// A number that need not be there: none is the least.
    pub(super) fn maybe(&mut self, name: &str, before: Option<f64>, after: Option<f64>, way: Way) {
        if self.is_same(before == after) {
            return;
        }
        let told = |number: Option<f64>| number.map(|number| number.to_string());
        let kind = kind(before.is_some(), after.is_some());
        let change = self.change(name, kind, way.reason(after > before));
        self.changes.push(change.states(told(before), told(after)));
    }

    /// A switch.
    pub(super) fn switch(&mut self, name: &str, before: bool, after: bool, way: Way) {
        if !self.is_same(before == after) {
            self.changed(
                name,
                way.reason(after),
                before.to_string(),
                after.to_string(),
            );
        }
    }

    /// A choice, of which it is known whether it demands something.
    pub(super) fn demand(
        &mut self,
        name: &str,
        (before, after): (String, String),
        demanded: bool,
        demands: bool,
    ) {
        if self.is_same(before == after) {
            return;
        }
        let reason = match (demanded, demands) {
            (true, false) => Reason::Relaxed,
            (false, true) => Reason::Tightened,
            (true, true) | (false, false) => Reason::Unclear,
        };
        self.changed(name, reason, before, after);
    }

    /// A text, of which nobody can say which way it is weaker.
    pub(super) fn text(&mut self, name: &str, before: Option<&str>, after: Option<&str>) {
        if self.is_same(before == after) {
            return;
        }
        let kind = kind(before.is_some(), after.is_some());
        let change = self.change(name, kind, Reason::Unclear);
        let words = self
            .words
            .compare(before.unwrap_or_default(), after.unwrap_or_default());
        let change = change.states(before.map(str::to_owned), after.map(str::to_owned));
        self.changes.push(Change { words, ..change });
    }

    /// A command, of which nobody can say what it does.
    pub(super) fn command(&mut self, name: &str, before: &[String], after: &[String]) {
        let line = |command: &[String]| {
            (!command.is_empty()).then(|| {
                command
                    .iter()
                    .map(|one| word(one))
                    .collect::<Vec<_>>()
                    .join(" ")
            })
        };
        self.text(name, line(before).as_deref(), line(after).as_deref());
    }

    /// Says of the last change, of a demand that was not there before, that it asks for more.
    pub(super) fn is_tightened(&mut self) {
        if let Some(change) = self.changes.last_mut() {
            (change.reason, change.weakening) = (Reason::Tightened, false);
        }
    }

    /// A set: one change for each element that came or went.
    pub(super) fn set(
        &mut self,
        name: &str,
        before: &BTreeSet<String>,
        after: &BTreeSet<String>,
        way: Way,
    ) {
        if self.is_same(before == after) {
            return;
        }
        for gone in before.difference(after) {
            let change = self.change(name, Kind::Removed, way.reason(false));
            self.changes.push(change.states(Some(gone.clone()), None));
        }
        for come in after.difference(before) {
            let change = self.change(name, Kind::Added, way.reason(true));
            self.changes.push(change.states(None, Some(come.clone())));
        }
    }
}

fn kind(was: bool, is: bool) -> Kind {
    match (was, is) {
        (false, true) => Kind::Added,
        (true, false) => Kind::Removed,
        (true, true) | (false, false) => Kind::Changed,
    }
}
