//! Writes a field of a row as one text, so that two texts are equal only when the fields are.

use crate::ledger::field::Field;

/// One member of a row as text; a list has one element a line, since no text of a ledger has two.
pub(super) struct Member {
    pub(super) name: &'static str,
    pub(super) text: Option<String>,
}

/// The text of a member that may be of another type.
pub(super) fn text(field: &Option<Field<String>>) -> Option<String> {
    let told = |field: &Field<String>| match field {
        Field::Value(text) => text.clone(),
        Field::Other(_) => format!("{} (no text)", field.shown()),
    };
    field.as_ref().map(told)
}

/// The text of a list; an empty one is none.
pub(super) fn lines(list: &[String]) -> Option<String> {
    (!list.is_empty()).then(|| list.join("\n"))
}
