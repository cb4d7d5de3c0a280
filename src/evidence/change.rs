//! Compares the ledgers and the policy of two commits.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::material::Reader;
use super::range_context::{self, Governed, NAME_THE_LINE, RangeContext, Request, read_policy};
use super::{GateError, extensions, gather, reverts};
use crate::decide::admit::UnreadablePolicy;
use crate::decide::change::{Course, Side, compare, extended, sort};
use crate::decide::facts::{CommitFacts, LineFacts, Material, Reading};
use crate::exit::{Explained, Explanation};
use crate::git::history::Range;
use crate::git::{GitError, Repo};
use crate::ledger::file::{FaultKind, Ledger, LedgerFault};
use crate::model::change::{CHANGES_SCHEMA, Change, Changes, Reason, Unchanged};
use crate::model::ids::CommitId;
use crate::model::refusal::Code;
use crate::policy::path_class::Territory;
use crate::policy::{POLICY_PATH, Paths, Policy};

/// What is compared with what.
#[derive(Clone, Copy, Debug)]
pub enum Span<'a> {
    /// A candidate, HEAD when none is named, with where it left the protected line.
    Candidate(Option<&'a str>),
    /// One commit with another.
    Ends(&'a str, &'a str),
    /// Where the second left the first, with the second.
    Fork(&'a str, &'a str),
}

/// Why nothing can be compared.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    /// The repository or a policy cannot be read.
    #[error(transparent)]
    Gate(Box<GateError>),
    /// A ledger cannot be read, so that nobody knows its rows.
    #[error("{path} at commit {commit} cannot be read: {fault}")]
    Ledger {
        /// The file.
        path: String,
        /// The side on which it stands.
        commit: CommitId,
        /// Row, field, what was read and what was expected.
        #[source]
        fault: Box<LedgerFault>,
    },
    /// The two have no commit in common.
    #[error("{one} and {other} have no commit in common")]
    Unrelated {
        /// The one.
        one: String,
        /// The other.
        other: String,
    },
}

impl From<GateError> for ChangeError {
    fn from(error: GateError) -> Self {
        Self::Gate(Box::new(error))
    }
}

impl From<GitError> for ChangeError {
    fn from(error: GitError) -> Self {
        GateError::from(error).into()
    }
}

impl Explained for ChangeError {
    fn explain(&self) -> Explanation {
        match self {
            Self::Gate(error) => {
                let explanation = error.explain();
                match &**error {
                    GateError::NoLine { fix, .. } if fix == NAME_THE_LINE => {
                        explanation.fix("name both commits: git reins diff BASE...TIP")
                    }
                    GateError::Policy(UnreadablePolicy { fault, .. }) => explanation.fix(format!(
                        "correct {} in {POLICY_PATH} on that side, or name other commits",
                        fault.key
                    )),
                    GateError::NoLine { .. }
                    | GateError::NoPolicy { .. }
                    | GateError::Git(_)
                    | GateError::Unborn => explanation,
                }
            }
            Self::Ledger { path, fault, .. } => {
                let code = match fault.kind {
                    FaultKind::Invalid => Code::LedgerInvalid,
                    FaultKind::PathUnsafe => Code::PathUnsafe,
                };
                Explanation::undecided().code(code).fix(format!(
                    "correct {path} on that side, or name other commits"
                ))
            }
            Self::Unrelated { .. } => {
                Explanation::undecided().fix("name two commits: git reins diff A..B")
            }
        }
    }
}

/// Everything that changed in meaning over a span.
///
/// # Errors
/// When the repository cannot answer, or a ledger or a policy of one side cannot be read.
pub fn of_span(repo: &Repo, span: Span<'_>) -> Result<Changes, ChangeError> {
    let (base, tip) = match span {
        Span::Candidate(tip) => (None, tip),
        Span::Ends(base, tip) | Span::Fork(base, tip) => (Some(base), Some(tip)),
    };
    let (context, mut notes) = context(repo, base, tip)?;
    let bases = match (span, base) {
        (Span::Ends(..), Some(base)) => {
            let base = repo.resolve(base)?;
            if !repo.is_ancestor(base, context.tip)? {
                notes.push(format!(
                    "{} does not contain {}: what only that one has is told as gone; with three dots it is not looked at",
                    context.tip.short(),
                    base.short()
                ));
            }
            vec![base]
        }
        (Span::Fork(..), Some(base)) => repo.range(context.tip, &[repo.resolve(base)?])?.bases,
        (Span::Candidate(_), _) | (_, None) => context.range.bases.clone(),
    };
    if bases.is_empty() {
        let one = base.map_or_else(
            || "the protected line".to_owned(),
            crate::model::path::shown,
        );
        return Err(ChangeError::Unrelated {
            one,
            other: context.tip.short(),
        });
    }
    if bases == [context.tip] && matches!(span, Span::Candidate(_)) {
        let tip = context.tip.short();
        notes.push(format!(
            "{tip} stands on the protected line; its own changes: git reins diff {tip}~1..{tip}"
        ));
    }
    let mut look = Look::at(repo, &context);
    let commits = look.commits()?;
    let changes = look.compare(&bases, &commits)?;
    Ok(Changes {
        notes: [notes, changes.notes].concat(),
        ..changes
    })
}

/// Everything that changed in meaning between the bases of a range and its tip; the commits in
/// between are those that a decision was made from.
///
/// # Errors
/// When the repository cannot answer, or a ledger or a policy of one side cannot be read.
pub fn over(
    repo: &Repo,
    context: &RangeContext,
    commits: &[CommitFacts],
) -> Result<Changes, ChangeError> {
    Look::at(repo, context).compare(&context.range.bases, commits)
}

/// What stands around the candidate, as for a decision. Where no policy stands on the protected
/// line, the commits themselves say what they are held to.
fn context(
    repo: &Repo,
    base: Option<&str>,
    tip: Option<&str>,
) -> Result<(RangeContext, Vec<String>), ChangeError> {
    let request = Request {
        base,
        tip,
        line: None,
    };
    match range_context::find(repo, &request) {
        Ok(Governed::Under(ground)) if !ground.line.is_adoption => {
            return Ok((*ground, Vec::new()));
        }
        Ok(Governed::Under(_) | Governed::NoPolicy { .. }) => {}
        Err(GateError::NoLine { .. }) if base.is_some() => {}
        Err(error) => return Err(error.into()),
    }
    let tip = match tip {
        Some(name) => repo.resolve(name)?,
        None => repo.head()?.ok_or(GateError::Unborn)?,
    };
    let landing = match base {
        Some(name) => repo.resolve(name)?,
        None => repo.default_branch()?.map_or(tip, |line| line.tip),
    };
    let own = match read_policy(repo, landing)? {
        Some(policy) => Some(policy),
        None => read_policy(repo, tip)?,
    };
    let range: Range = repo.range(tip, &[landing])?;
    let note = "no policy stands on the protected line: it is not under reins, nothing is judged";
    let context = RangeContext {
        policy: own.unwrap_or_default(),
        policy_at: landing,
        landing,
        protected: vec![landing],
        tip,
        range,
        line: LineFacts::default(),
    };
    Ok((context, vec![note.to_owned()]))
}

/// One commit with what its tree holds.
struct End {
    policy: Option<Policy>,
    material: Arc<Material>,
}

impl End {
    fn side(&self) -> Side<'_> {
        Side {
            policy: self.policy.as_ref(),
            material: &self.material,
        }
    }
}

/// A look at what stands around a candidate; what was read once is not read again.
struct Look<'a> {
    repo: &'a Repo,
    context: &'a RangeContext,
    reader: Reader<'a>,
}

impl<'a> Look<'a> {
    fn at(repo: &'a Repo, context: &'a RangeContext) -> Self {
        Self {
            repo,
            context,
            reader: Reader::new(repo, &context.policy),
        }
    }

    fn compare(
        &mut self,
        bases: &[CommitId],
        commits: &[CommitFacts],
    ) -> Result<Changes, ChangeError> {
        let tip = self.end(self.context.tip)?;
        let (mut compared, mut unchanged) = (Vec::new(), Unchanged::default());
        for (at, base) in bases.iter().enumerate() {
            let before = self.end(*base)?;
            let (changes, same) = compare(&before.side(), &tip.side());
            unchanged = if at == 0 { same } else { unchanged };
            compared.push((before, changes));
        }
        let told = self.told(commits, &compared, &tip)?;
        let (mut all, mut notes) = (Vec::new(), Vec::new());
        for (before, mut changes) in compared {
            if !told
                .course(commits)
                .tell(&mut changes, &before.material, &tip.material)
            {
                notes.push(
                    "too many changes in too many commits to say which commit made each".to_owned(),
                );
            }
            all.extend(changes);
        }
        sort(&mut all);
        all.dedup();
        let is_extended = all
            .iter()
            .any(|change: &Change| change.reason == Reason::ExpiryExtended);
        if is_extended && told.extensions.is_none() {
            notes.push(
                "the history is cut off: how often a freeze was extended cannot be counted"
                    .to_owned(),
            );
        }
        Ok(Changes {
            schema: CHANGES_SCHEMA,
            bases: bases.to_vec(),
            tip: self.context.tip,
            patch_commits: commits
                .iter()
                .filter(|commit| commit.is_patch())
                .map(|commit| commit.id)
                .collect(),
            weakened: all.iter().filter(|change| change.weakening).count(),
            changes: all,
            unchanged,
            notes,
        })
    }

    /// The commits of the range; those that take back a protected one carry no patch.
    fn commits(&mut self) -> Result<Vec<CommitFacts>, ChangeError> {
        let territory = Territory::of(&self.context.policy);
        let (mut commits, _) =
            gather::commits(self.repo, self.context, &territory, &mut self.reader)?;
        reverts::mark(self.repo, self.context, &mut commits)?;
        Ok(commits)
    }

    /// What one commit holds, its ledgers where its own policy has them.
    fn end(&mut self, id: CommitId) -> Result<End, ChangeError> {
        let policy = read_policy(self.repo, id)?;
        let tree = Some(self.repo.commit(id)?.tree);
        let usual = &self.context.policy;
        let ledger = policy
            .as_ref()
            .map_or(&usual.paths.ledger, |own| &own.paths.ledger);
        let material = if *ledger == usual.paths.ledger {
            self.reader.read(tree)?
        } else {
            let paths = Paths {
                ledger: ledger.clone(),
                ..usual.paths.clone()
            };
            Reader::new(
                self.repo,
                &Policy {
                    paths,
                    ..usual.clone()
                },
            )
            .read(tree)?
        };
        readable(&material.oracle, ledger.as_str(), id)?;
        readable(&material.freezes, ledger.as_str(), id)?;
        readable(&material.fixture, ledger.as_str(), id)?;
        Ok(End { policy, material })
    }

    /// Gathers what has to be known to tell how the changes came about.
    fn told(
        &mut self,
        commits: &[CommitFacts],
        compared: &[(End, Vec<Change>)],
        tip: &End,
    ) -> Result<Told, ChangeError> {
        let (repo, context) = (self.repo, self.context);
        let mut told = Told {
            landed: Vec::new(),
            authors: BTreeMap::new(),
            extensions: Some(BTreeMap::new()),
        };
        if compared.iter().all(|(_, changes)| changes.is_empty()) {
            return Ok(told);
        }
        for line in &context.protected {
            told.landed
                .push(self.reader.read(Some(repo.commit(*line)?.tree))?);
        }
        let moved = |commit: &&CommitFacts| {
            commit
                .parents
                .iter()
                .all(|parent| !Arc::ptr_eq(&parent.material, &commit.material))
        };
        for commit in commits.iter().filter(moved) {
            told.authors.insert(commit.id, repo.author(commit.id)?);
        }
        let keys = compared
            .iter()
            .flat_map(|(_, changes)| extended(changes, &tip.material));
        let keys: BTreeSet<extensions::Key> = keys.collect();
        if !keys.is_empty() {
            let ledger = tip
                .policy
                .as_ref()
                .map_or(&context.policy.paths.ledger, |own| &own.paths.ledger);
            told.extensions =
                extensions::count(repo, context.tip, &format!("{ledger}/freezes.json"), &keys)?;
        }
        Ok(told)
    }
}

fn readable<L: Ledger>(
    reading: &Reading<L>,
    directory: &str,
    commit: CommitId,
) -> Result<(), ChangeError> {
    match reading {
        Reading::Missing | Reading::Valid(_) => Ok(()),
        Reading::Invalid(fault) => {
            let path = format!("{directory}/{}", L::NAME.file_name());
            Err(ChangeError::Ledger {
                path,
                commit,
                fault: Box::new(fault.clone()),
            })
        }
    }
}

/// What has to be known to tell how the changes came about.
struct Told {
    landed: Vec<Arc<Material>>,
    authors: BTreeMap<CommitId, String>,
    extensions: Option<BTreeMap<extensions::Key, usize>>,
}

impl Told {
    fn course<'a>(&'a self, commits: &'a [CommitFacts]) -> Course<'a> {
        Course {
            commits,
            landed: &self.landed,
            authors: &self.authors,
            extensions: self.extensions.as_ref(),
        }
    }
}
