//! Judges each ref of a push, from the pushed commits and the lines of the other side.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::destination::{Destination, Found, find, known, protects};
use super::range_context::{self, Governed, RangeContext, Request, range_on, read_policy};
use super::{GateError, gather, short_name};
use crate::decide::admit::{admit, check};
use crate::decide::evaluation::Evaluation;
use crate::decide::facts::LineFacts;
use crate::decide::score::Scores;
use crate::exit::Explained;
use crate::git::Repo;
use crate::git::object::Peeled;
use crate::git::remotes::Side;
use crate::model::day::Day;
use crate::model::decision::{Decision, Detail};
use crate::model::ids::{CommitId, ObjectId};
use crate::model::push::{PushAnswer, RefAnswer, RemoteRefs, Ruling, Undecided, Update};
use crate::model::refusal::{Class, Code};
use crate::model::shell::word;

/// Judges every ref of a push to one side.
///
/// A ref about which nothing can be said does not keep the others from being judged.
///
/// # Errors
/// When nothing can be said about any ref.
pub fn judge(
    repo: &Repo,
    side: &Side,
    there: Option<&RemoteRefs>,
    updates: &[Update],
    today: Day,
) -> Result<PushAnswer, GateError> {
    let is_gated = |update: &&Update| update.is_gated() && !update.is_reserved();
    let gated: Vec<_> = updates.iter().filter(is_gated).cloned().collect();
    let reserved = updates.iter().filter(|update| update.is_reserved());
    let mut refs: Vec<_> = reserved.map(reserved_ref).collect();
    if gated.is_empty() {
        return Ok(PushAnswer {
            refs,
            notes: Vec::new(),
        });
    }
    let note = |refs, note: String| {
        Ok(PushAnswer {
            refs,
            notes: vec![note],
        })
    };
    let to = match find(repo, side, there, &gated)? {
        Found::Under(to) => *to,
        Found::NotUnderReins { line } => return note(refs, unruled(&line)),
        Found::NoRefs => {
            let text = "the remote has no branch yet: nothing is judged";
            return note(refs, text.to_owned());
        }
    };
    let mut gate = Gate {
        repo,
        side,
        to,
        landed: BTreeSet::new(),
        known: BTreeMap::new(),
        today,
    };
    gate.landed = gate.landed_tips(&gated)?;
    refs.extend(gated.iter().map(|update| gate.answer(update)));
    Ok(PushAnswer {
        refs,
        notes: Vec::new(),
    })
}

/// Judges a range as if its tip were pushed to a ref, the protected line when none is named.
///
/// # Errors
/// When the repository cannot answer.
pub fn judge_range(
    repo: &Repo,
    request: &Request<'_>,
    name: Option<&str>,
    today: Day,
) -> Result<PushAnswer, GateError> {
    let ground = match range_context::find(repo, request)? {
        Governed::NoPolicy { line } => {
            return Ok(PushAnswer {
                notes: vec![unruled(&line)],
                ..PushAnswer::default()
            });
        }
        Governed::Under(ground) => *ground,
    };
    let lines = &ground.policy.protect.base;
    let name = name
        .or(lines.first().map(String::as_str))
        .unwrap_or("the protected line")
        .to_owned();
    let is_line = lines.is_empty() || protects(&ground.policy, &name);
    let found = Judged::of(repo, &ground, today)?;
    let is_enforced = lines.is_empty() || ground.policy.enforces(&name);
    Ok(PushAnswer {
        refs: vec![found.answer(name, Vec::new(), is_line, is_enforced)],
        notes: Vec::new(),
    })
}

fn unruled(line: &str) -> String {
    format!("not judged: {} has no policy", short_name(line))
}

/// What is judged once for all refs that name the same commit.
type Key = (CommitId, CommitId, bool);

/// A push on its way.
struct Gate<'r> {
    repo: &'r Repo,
    side: &'r Side,
    to: Destination,
    /// Pushed commits that a protected line holds already.
    landed: BTreeSet<CommitId>,
    known: BTreeMap<Key, Rc<Judged>>,
    today: Day,
}

/// What a ref amounts to before its policy is asked whether it is enforced.
enum Ruled {
    /// Nothing new arrives.
    Nothing,
    /// The line that it would land on has no policy.
    NotUnderReins(String),
    /// A range was judged.
    Range(Rc<Judged>),
}

impl Gate<'_> {
    /// Which pushed commits have landed before, found in one walk when there are several.
    fn landed_tips(&self, updates: &[Update]) -> Result<BTreeSet<CommitId>, GateError> {
        let mut tips = BTreeSet::new();
        for new in updates.iter().filter_map(|update| update.new) {
            if let Ok(Peeled::Commit(tip)) = self.repo.peeled(new) {
                tips.insert(tip); // what cannot be read is said where the ref is judged
            }
        }
        if tips.len() < 2 {
            Ok(BTreeSet::new())
        } else {
            Ok(self.repo.landed(&self.to.tips(), &tips)?)
        }
    }

    fn answer(&mut self, update: &Update) -> RefAnswer {
        let is_enforced = self.to.policy.enforces(&update.line());
        self.rule(update, is_enforced).unwrap_or_else(|error| {
            let undecided = Undecided {
                message: error.to_string(),
                code: error.code(),
                fix: error.fix(),
            };
            let mut answer = passed(update.text());
            match is_enforced {
                true => answer.ruling = Ruling::Undecided(undecided),
                false => answer
                    .notes
                    .push(format!("not judged: {}", undecided.message)),
            }
            answer
        })
    }

    fn rule(&mut self, update: &Update, is_enforced: bool) -> Result<RefAnswer, GateError> {
        let name = update.text();
        let is_line = self.to.protects(&update.line());
        let Some(new) = update.new else {
            let found = if is_line {
                vec![deleted(&name, update.old)]
            } else {
                Vec::new()
            };
            return Ok(plain(name, found, is_enforced));
        };
        let tip = match self.repo.peeled(new)? {
            Peeled::Commit(tip) => tip,
            Peeled::Other(kind) if is_line => {
                return Ok(plain(
                    name,
                    vec![no_commit(&update.text(), kind)],
                    is_enforced,
                ));
            }
            Peeled::Other(kind) => {
                return Ok(
                    passed(name).note(format!("names a {kind}, no commit: nothing to judge"))
                );
            }
        };
        let (mut found, mut notes) = (Vec::new(), Vec::new());
        self.look_back(update, tip, is_line, (&mut found, &mut notes))?;
        let answer = match self.range(&update.line(), tip, is_line)? {
            Ruled::Nothing => plain(name, found, is_enforced),
            Ruled::NotUnderReins(line) => plain(name, found, is_enforced).note(unruled(&line)),
            Ruled::Range(judged) => judged.answer(name, found, is_line, is_enforced),
        };
        Ok(notes.into_iter().fold(answer, RefAnswer::note))
    }

    /// What becomes of the commits that the ref names now. A protected line may only grow.
    fn look_back(
        &self,
        update: &Update,
        tip: CommitId,
        is_line: bool,
        (found, notes): (&mut Vec<Detail>, &mut Vec<String>),
    ) -> Result<(), GateError> {
        let Some(old) = update
            .old
            .filter(|_| is_line || update.name.starts_with(b"refs/heads/"))
        else {
            return Ok(());
        };
        let (name, is_line) = (update.text(), is_line && !update.is_for_review());
        let Some(peeled) = known(self.repo, old)? else {
            match is_line {
                true => found.push(unseen(&name, old, self.side)),
                false => notes.push("the remote has commits that are not in this clone".to_owned()),
            }
            return Ok(());
        };
        let Peeled::Commit(old) = peeled else {
            return Ok(());
        };
        let lost = match self.lost(old, tip) {
            Ok(lost) => lost,
            Err(error) if is_line => return Err(error),
            Err(_) => 0, // only a remark would be made
        };
        match (lost, is_line) {
            (0, _) => {}
            (lost, true) => found.push(rewritten(&name, old, lost)),
            (lost, false) => notes.push(format!("rewrites {}", commits(lost))),
        }
        Ok(())
    }

    /// How many commits a ref loses.
    fn lost(&self, old: CommitId, new: CommitId) -> Result<usize, GateError> {
        if self.repo.is_ancestor(old, new)? {
            return Ok(0);
        }
        Ok(self.repo.range(old, &[new])?.commits.len())
    }

    fn range(&mut self, name: &str, tip: CommitId, is_line: bool) -> Result<Ruled, GateError> {
        if self.landed.contains(&tip) && !is_line {
            return Ok(Ruled::Nothing);
        }
        let line = self.to.landing(self.repo, name, tip)?;
        let (landing, hidden) = (line.tip, vec![line.tip]);
        let mut facts = LineFacts {
            name: line.name.clone(),
            ..LineFacts::default()
        };
        let range = range_on(self.repo, tip, &hidden, &self.to.lines, &mut facts)?;
        if range.commits.is_empty() {
            return Ok(Ruled::Nothing);
        }
        let Some(policy) = read_policy(self.repo, landing)? else {
            return Ok(Ruled::NotUnderReins(facts.name));
        };
        let key = (tip, landing, is_line);
        if let Some(judged) = self.known.get(&key) {
            return Ok(Ruled::Range(Rc::clone(judged)));
        }
        let ground = RangeContext {
            policy,
            policy_at: landing,
            landing,
            protected: hidden,
            tip,
            range,
            line: facts,
        };
        let judged = Rc::new(Judged::of(self.repo, &ground, self.today)?);
        self.known.insert(key, Rc::clone(&judged));
        Ok(Ruled::Range(judged))
    }
}

/// A hold asks for a person, and a hook cannot see who pushes.
const LANDED_BY_HAND: &str = " holds this for a person: push it to a branch; a maintainer who has read it lands it through the review of the server, or with git push --no-verify once nothing but the hold is left";

/// A range that was judged.
struct Judged {
    check: Decision,
    /// What only a score or a recorded trial could answer.
    recorded: Vec<Detail>,
    /// The commit from which the same range is asked about by hand.
    from: CommitId,
}

impl Judged {
    /// Judges a range. The recorded trial is asked for where the policy wants one of a patch.
    fn of(repo: &Repo, ground: &RangeContext, today: Day) -> Result<Self, GateError> {
        let evaluation = Evaluation::of(gather::gather(repo, ground, today)?);
        let check = check(&evaluation)?;
        let mut recorded = Vec::new();
        if evaluation.has_patch() && ground.policy.verdict.require {
            recorded = admit(&evaluation, Scores::Recorded(None))?.details;
            recorded.retain(|detail| !check.details.contains(detail));
        }
        Ok(Self {
            check,
            recorded,
            from: ground.landing,
        })
    }

    /// The answer to a ref that brings this range; `found` stands against the ref itself.
    fn answer(
        &self,
        name: String,
        found: Vec<Detail>,
        is_line: bool,
        is_enforced: bool,
    ) -> RefAnswer {
        let is_hold = |detail: &&Detail| detail.code.entry().class == Class::Hold;
        let (held, against): (Vec<_>, Vec<_>) = self.check.details.iter().partition(is_hold);
        let mut against: Vec<_> = found
            .into_iter()
            .chain(against.into_iter().cloned())
            .collect();
        let later = held.into_iter().chain(&self.recorded).cloned();
        let mut answer = passed(name);
        match is_line {
            true => against.extend(later),
            false if against.is_empty() => answer.warned.extend(later),
            false => {} // first things first
        }
        if !against.is_empty() {
            let asks = if is_line && !self.recorded.is_empty() {
                "admit"
            } else {
                "check"
            };
            let tip = self.check.tip.map(|tip| tip.short()).unwrap_or_default();
            answer.closer = Some(format!("git reins {asks} {}..{tip}", self.from.short()));
        }
        answer.notes.clone_from(&self.check.warnings);
        if is_line && against.iter().any(|detail| is_hold(&detail)) {
            answer
                .notes
                .push(format!("{}{LANDED_BY_HAND}", Code::NeedsHuman));
        }
        if is_line && against.iter().any(|detail| detail.reason == "same-commit") {
            let squash = "a squash merge makes one commit of row and patch: land the rows in a range of their own first";
            answer.notes.push(squash.to_owned());
        }
        answer.against(against, is_enforced)
    }
}

impl From<GateError> for Undecided {
    fn from(error: GateError) -> Self {
        Self {
            message: error.to_string(),
            code: error.code(),
            fix: error.fix(),
        }
    }
}

impl RefAnswer {
    fn note(mut self, note: String) -> Self {
        self.notes.push(note);
        self
    }

    /// Findings refuse where the policy enforces the ref, and are warnings elsewhere.
    fn against(mut self, mut found: Vec<Detail>, is_enforced: bool) -> Self {
        found.sort();
        match is_enforced {
            true if found.is_empty() => {}
            true => self.ruling = Ruling::Refused(found),
            false => self.warned.extend(found),
        }
        self
    }
}

fn passed(name: String) -> RefAnswer {
    RefAnswer {
        name,
        ruling: Ruling::Passed,
        warned: Vec::new(),
        notes: Vec::new(),
        closer: None,
    }
}

/// The answer to a ref without a range to judge.
fn plain(name: String, found: Vec<Detail>, is_enforced: bool) -> RefAnswer {
    passed(name).against(found, is_enforced)
}

/// The answer to a ref that no push may set, whatever the policy enforces.
fn reserved_ref(update: &Update) -> RefAnswer {
    let name = update.text();
    let detail = Detail::new(Code::HistoryUntrusted, "reserved-ref", name.as_str()).saw(
        format!("a push that sets {name}"),
        "another name: this one is reserved",
    );
    plain(name, vec![detail.fix("push to another name")], true)
}

fn commits(number: usize) -> String {
    format!("{number} commit{}", if number == 1 { "" } else { "s" })
}

/// A finding about what becomes of a protected line.
fn line(name: &str, reason: &'static str) -> Detail {
    Detail::new(Code::HistoryUntrusted, reason, name)
}

fn deleted(name: &str, old: Option<ObjectId>) -> Detail {
    let mut detail = line(name, "line-deleted").saw(
        "a push that deletes a protected line",
        "the line, which the policy names in protect.base",
    );
    detail.commit = old.map(CommitId);
    detail.fix("take the line out of protect.base in a reviewed range of its own first")
}

fn no_commit(name: &str, kind: &str) -> Detail {
    line(name, "no-commit").saw(
        format!("a {kind}"),
        "a commit: a protected line has a history",
    )
}

fn rewritten(name: &str, old: CommitId, lost: usize) -> Detail {
    line(name, "line-rewritten")
        .commit(old)
        .saw(
            format!("a push that drops {} of a protected line", commits(lost)),
            "a line that only grows",
        )
        .fix(format!(
            "bring the change onto the line: git rebase {}",
            old.short()
        ))
}

fn unseen(name: &str, old: ObjectId, side: &Side) -> Detail {
    let remote = match side {
        Side::Remote(remote) => format!(" {}", word(remote)),
        Side::Elsewhere | Side::Here => String::new(),
    };
    let detail = line(name, "line-rewritten").commit(CommitId(old));
    detail
        .saw(
            "a push over commits of a protected line that are not in this clone",
            "a line that only grows",
        )
        .fix(format!("git fetch{remote}"))
}
