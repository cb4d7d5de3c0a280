//! What a push asks for, ref by ref, and the answer to each.

use std::collections::BTreeMap;

use super::decision::Detail;
use super::ids::ObjectId;
use super::path::shown;
use super::refusal::Code;

/// Where Gerrit takes what is to be reviewed first.
const REVIEWS: [&str; 2] = ["refs/for/", "refs/drafts/"];

/// One ref that a push wants to set, create or delete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Update {
    /// The ref on the other side, as git sent it: any bytes.
    pub name: Vec<u8>,
    /// The object that it is to name; `None` deletes it.
    pub new: Option<ObjectId>,
    /// The object that it names there now; `None` when it does not exist.
    pub old: Option<ObjectId>,
}

/// The branches of a remote, as it told when it was asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RemoteRefs {
    /// The branch that its HEAD names, `refs/heads/...`; none when that branch does not exist.
    pub head: Option<String>,
    /// Every branch and its commit.
    pub branches: BTreeMap<String, ObjectId>,
}

/// A line of a push that is not in the form that git writes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "line {line} of the push is {observed:?}, expected a local ref, an object id, a remote ref, an object id"
)]
pub struct LineFault {
    line: usize,
    observed: String,
}

/// Reads what git hands to `pre-push`: `<local ref> <object> <remote ref> <object>` on each line.
///
/// Fields are told apart from the right, since what the caller typed as the first one may hold
/// spaces (`HEAD@{1 minute ago}`). An id of zeros means that there is no object.
///
/// # Errors
/// When a line has another form, or an id has not `hex_len` digits.
pub fn parse(bytes: &[u8], hex_len: usize) -> Result<Vec<Update>, LineFault> {
    let lines = bytes
        .split(|byte| *byte == b'\n')
        .enumerate()
        .filter(|(_, line)| !line.is_empty());
    let read = |(at, line): (usize, &[u8])| {
        let observed = || shown(&String::from_utf8_lossy(line));
        update(line, hex_len).ok_or_else(|| LineFault {
            line: at + 1,
            observed: observed(),
        })
    };
    lines.map(read).collect()
}

fn update(line: &[u8], hex_len: usize) -> Option<Update> {
    let mut fields = line.rsplitn(4, |byte| *byte == b' ');
    let old = object(fields.next()?, hex_len)?;
    let name = fields
        .next()
        .filter(|name| name.starts_with(b"refs/"))?
        .to_vec();
    let new = object(fields.next()?, hex_len)?;
    fields.next().filter(|local| !local.is_empty())?;
    Some(Update { name, new, old })
}

/// A full id, `Some(None)` for the one of zeros; `None` when the text is no id.
fn object(field: &[u8], hex_len: usize) -> Option<Option<ObjectId>> {
    let id: ObjectId = std::str::from_utf8(field).ok()?.parse().ok()?;
    let is_zero = id.as_bytes().iter().all(|byte| *byte == 0);
    (id.hex_len() == hex_len).then(|| Some(id).filter(|_| !is_zero))
}

impl Update {
    /// The ref as text; what is no UTF-8 in it matches no name and few patterns.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.name).into_owned()
    }

    /// The line that the update would land on: the ref itself, or the branch behind `refs/for/` or
    /// `refs/drafts/`.
    pub fn line(&self) -> String {
        let text = self.text();
        let Some(behind) = REVIEWS.iter().find_map(|prefix| text.strip_prefix(prefix)) else {
            return text;
        };
        let branch = behind.split('%').next().unwrap_or_default(); // options of Gerrit
        if branch.starts_with("refs/") {
            branch.to_owned()
        } else {
            format!("refs/heads/{branch}")
        }
    }

    /// Whether it goes through a review, so that the line itself stays where it is for now.
    pub fn is_for_review(&self) -> bool {
        REVIEWS
            .iter()
            .any(|prefix| self.name.starts_with(prefix.as_bytes()))
    }

    /// Whether it sets a ref that no push may set: a branch called HEAD, which a fetch would take for
    /// the default branch of the remote, or one below `refs/reins/`.
    pub fn is_reserved(&self) -> bool {
        let is_reserved = |name: &str| name == "refs/heads/HEAD" || name.starts_with("refs/reins/");
        self.new.is_some() && (is_reserved(&self.text()) || is_reserved(&self.line()))
    }

    /// Whether there is anything to judge: notes never land anywhere, and a ref that is not there
    /// can be deleted by anybody.
    pub fn is_gated(&self) -> bool {
        !self.name.starts_with(b"refs/notes/") && (self.new.is_some() || self.old.is_some())
    }
}

/// The answer to one ref.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefAnswer {
    /// The ref, as text from outside.
    pub name: String,
    /// Whether it may be pushed.
    pub ruling: Ruling,
    /// What would stand against it if the policy enforced the ref, or if it were a protected line.
    pub warned: Vec<Detail>,
    /// What a reader should know although it decides nothing.
    pub notes: Vec<String>,
    /// The command that shows the whole decision; none when no range was judged.
    pub closer: Option<String>,
}

/// Whether a ref may be pushed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ruling {
    /// Nothing stands against it.
    Passed,
    /// These findings do.
    Refused(Vec<Detail>),
    /// Nobody can say.
    Undecided(Undecided),
}

/// Why nothing can be said about a ref.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Undecided {
    /// Why.
    pub message: String,
    /// The code, where the catalogue has one.
    pub code: Option<Code>,
    /// What helps.
    pub fix: Option<String>,
}

/// The answer to a push.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PushAnswer {
    /// Ref by ref, in the order of the push; refs that nothing is asked of are left out.
    pub refs: Vec<RefAnswer>,
    /// What a reader should know about the push as a whole.
    pub notes: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "1111111111111111111111111111111111111111";
    const ZERO: &str = "0000000000000000000000000000000000000000";

    fn one(line: &str) -> Update {
        let mut updates = parse(line.as_bytes(), 40).unwrap();
        assert_eq!(updates.len(), 1, "{line}");
        updates.remove(0)
    }

    #[test]
    fn the_first_field_may_hold_spaces() {
        for local in [
            "refs/heads/x",
            "HEAD@{1 minute ago}",
            ":/fix bug number",
            "HEAD^{/a  b}",
            "(delete)",
        ] {
            let update = one(&format!("{local} {ONE} refs/heads/x {ZERO}\n"));
            assert_eq!(
                (update.text().as_str(), update.new.is_some(), update.old),
                ("refs/heads/x", true, None)
            );
        }
    }

    #[test]
    fn names_are_bytes() {
        let line = [
            b"x ",
            ONE.as_bytes(),
            b" refs/heads/a\xff\"$b ",
            ZERO.as_bytes(),
        ]
        .concat();
        let updates = parse(&line, 40).unwrap();
        assert_eq!(updates[0].name, b"refs/heads/a\xff\"$b");
        assert_eq!(updates[0].text(), "refs/heads/a\u{fffd}\"$b");
    }

    #[test]
    fn zeros_have_the_length_of_the_repository() {
        let zeros = "0".repeat(64);
        let (line, long) = (
            format!("(delete) {ZERO} refs/heads/x {ONE}"),
            "2".repeat(64),
        );
        assert_eq!(one(&line).new, None);
        assert!(parse(line.as_bytes(), 64).is_err());
        let line = format!("(delete) {zeros} refs/heads/x {long}\n");
        assert_eq!(parse(line.as_bytes(), 64).unwrap()[0].new, None);
        assert!(parse(line.as_bytes(), 40).is_err());
    }

    #[test]
    fn what_git_never_writes_is_a_fault() {
        assert_eq!(parse(b"", 40).unwrap(), []);
        for bad in [
            "x".to_owned(),
            format!("{ONE} refs/heads/x {ZERO}"),
            format!("x {ONE} heads/x {ZERO}"),
            format!("x {ONE} refs/heads/x 12"),
            format!("x {} refs/heads/x {ZERO}", ONE.replace('1', "A")),
            format!("x {ONE} refs/heads/x {ZERO} "),
            format!("x {ONE} refs/heads/x {ZERO}\r"),
        ] {
            let fault = parse(
                format!("x {ONE} refs/heads/x {ZERO}\n{bad}\n").as_bytes(),
                40,
            )
            .unwrap_err();
            assert!(
                fault.to_string().starts_with("line 2 of the push"),
                "{fault}"
            );
        }
    }

    #[test]
    fn a_review_lands_on_the_branch_behind_the_prefix() {
        for (name, line) in [
            ("refs/for/main", "refs/heads/main"),
            ("refs/for/release/1%topic=x,r=a@b", "refs/heads/release/1"),
            ("refs/for/refs/meta/config", "refs/meta/config"),
            ("refs/drafts/main", "refs/heads/main"),
            ("refs/heads/for/main", "refs/heads/for/main"),
        ] {
            assert_eq!(one(&format!("x {ONE} {name} {ZERO}")).line(), line);
        }
    }

    #[test]
    fn notes_and_deletes_of_nothing_are_not_judged() {
        assert!(!one(&format!("x {ONE} refs/notes/reins {ZERO}")).is_gated());
        assert!(!one(&format!("(delete) {ZERO} refs/heads/x {ZERO}")).is_gated());
        assert!(one(&format!("(delete) {ZERO} refs/heads/x {ONE}")).is_gated());
    }
}
