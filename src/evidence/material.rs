//! Reads the material of trees, once for each state.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::GateError;
use crate::decide::facts::{Listing, Material, Reading};
use crate::git::Repo;
use crate::ledger::file::{FaultKind, HARD_CAP, Ledger, LedgerFault, LedgerName, parse_in_order};
use crate::ledger::fixture::FixtureLedger;
use crate::ledger::freeze::FreezeLedger;
use crate::ledger::oracle::OracleLedger;
use crate::model::ids::{EntryState, ObjectId};
use crate::model::path::{RepoPath, shown};
use crate::policy::{POLICY_PATH, Policy};

/// The entries that make two trees hold the same material.
type Key = Vec<Option<EntryState>>;

/// Reads the material of trees and remembers every state that it has read.
pub struct Reader<'r> {
    repo: &'r Repo,
    policy: &'r Policy,
    materials: BTreeMap<Key, Arc<Material>>,
    oracles: BTreeMap<Option<EntryState>, Reading<OracleLedger>>,
    fixtures: BTreeMap<Option<EntryState>, Reading<FixtureLedger>>,
    freezes: BTreeMap<Option<EntryState>, Reading<FreezeLedger>>,
    /// The ledgers whose rows are not sorted.
    unsorted: BTreeSet<EntryState>,
    /// By which list of prefixes it is, and the entries there: equal trees under other prefixes
    /// are other listings.
    listings: BTreeMap<(usize, Key), Arc<Listing>>,
}

impl<'r> Reader<'r> {
    /// A reader under one policy.
    pub fn new(repo: &'r Repo, policy: &'r Policy) -> Self {
        Self {
            repo,
            policy,
            materials: BTreeMap::new(),
            oracles: BTreeMap::new(),
            fixtures: BTreeMap::new(),
            freezes: BTreeMap::new(),
            unsorted: BTreeSet::new(),
            listings: BTreeMap::new(),
        }
    }

    /// The material of a tree; `None` is the empty tree.
    ///
    /// # Errors
    /// When an object is absent or unreadable.
    pub fn read(&mut self, tree: Option<ObjectId>) -> Result<Arc<Material>, GateError> {
        let ledger =
            |name: LedgerName| format!("{}/{}", self.policy.paths.ledger, name.file_name());
        let files = [
            ledger(LedgerName::Oracle),
            ledger(LedgerName::Fixture),
            ledger(LedgerName::Freezes),
            POLICY_PATH.to_owned(),
        ];
        let mut key = self.entries(tree, files.iter().map(String::as_str))?;
        let paths = &self.policy.paths;
        let lists = [&paths.properties, &paths.fixtures, &paths.specs];
        let mut listed = Vec::new();
        for prefixes in lists {
            let part = self.entries(tree, prefixes.iter().map(RepoPath::as_str))?;
            key.extend(&part);
            listed.push(part);
        }
        if let Some(material) = self.materials.get(&key) {
            return Ok(Arc::clone(material));
        }
        let material = Arc::new(Material {
            oracle: reading(self.repo, key[0], &mut self.oracles, &mut self.unsorted)?,
            fixture: reading(self.repo, key[1], &mut self.fixtures, &mut self.unsorted)?,
            freezes: reading(self.repo, key[2], &mut self.freezes, &mut self.unsorted)?,
            policy: key[3],
            properties: self.listing(0, &paths.properties, listed[0].clone())?,
            fixtures: self.listing(1, &paths.fixtures, listed[1].clone())?,
            specs: self.listing(2, &paths.specs, listed[2].clone())?,
        });
        self.materials.insert(key, Arc::clone(&material));
        Ok(material)
    }

    /// The ledgers of a tree that was read whose rows are not sorted.
    ///
    /// # Errors
    /// When an object is absent or unreadable.
    pub fn unsorted(&self, tree: ObjectId) -> Result<BTreeSet<LedgerName>, GateError> {
        let paths = LedgerName::ALL
            .map(|name| format!("{}/{}", self.policy.paths.ledger, name.file_name()));
        let entries = self.entries(Some(tree), paths.iter().map(String::as_str))?;
        let is_unsorted =
            |entry: &Option<EntryState>| entry.is_some_and(|entry| self.unsorted.contains(&entry));
        let found = LedgerName::ALL
            .into_iter()
            .zip(&entries)
            .filter(|(_, entry)| is_unsorted(entry));
        Ok(found.map(|(name, _)| name).collect())
    }

    fn entries<'p>(
        &self,
        tree: Option<ObjectId>,
        paths: impl Iterator<Item = &'p str>,
    ) -> Result<Key, GateError> {
        let entry = |path| tree.map_or(Ok(None), |tree| self.repo.entry(tree, path));
        Ok(paths.map(entry).collect::<Result<_, _>>()?)
    }

    /// Everything at or below some prefixes, shared between trees with the same entries there.
    fn listing(
        &mut self,
        list: usize,
        prefixes: &[RepoPath],
        entries: Key,
    ) -> Result<Arc<Listing>, GateError> {
        let key = (list, entries);
        if let Some(listing) = self.listings.get(&key) {
            return Ok(Arc::clone(listing));
        }
        let mut listing = Listing::new();
        for (prefix, entry) in prefixes.iter().zip(&key.1) {
            let Some(entry) = entry else { continue };
            self.repo
                .leaves(*entry, prefix.as_str().as_bytes(), &mut |path, state| {
                    listing.insert(String::from_utf8_lossy(path).into_owned(), state);
                })?;
        }
        let listing = Arc::new(listing);
        self.listings.insert(key, Arc::clone(&listing));
        Ok(listing)
    }
}

fn reading<L: Ledger>(
    repo: &Repo,
    entry: Option<EntryState>,
    known: &mut BTreeMap<Option<EntryState>, Reading<L>>,
    unsorted: &mut BTreeSet<EntryState>,
) -> Result<Reading<L>, GateError> {
    if let Some(reading) = known.get(&entry) {
        return Ok(reading.clone());
    }
    let reading = match entry {
        None => Reading::Missing,
        Some(entry) if entry.mode != EntryState::PLAIN => invalid(
            entry.kind().to_owned(),
            "a regular file that is not executable".to_owned(),
        ),
        Some(entry) => match repo.blob(entry.id, HARD_CAP)? {
            None => invalid(
                format!("{} bytes", repo.blob_size(entry.id)?),
                format!("at most {HARD_CAP} bytes"),
            ),
            Some(bytes) => match parse_in_order(&bytes) {
                Err(fault) => Reading::Invalid(fault),
                Ok((ledger, is_sorted)) => {
                    unsorted.extend((!is_sorted).then_some(entry));
                    Reading::Valid(Arc::new(ledger))
                }
            },
        },
    };
    known.insert(entry, reading.clone());
    Ok(reading)
}

fn invalid<L>(observed: String, expected: String) -> Reading<L> {
    let observed = shown(&observed);
    Reading::Invalid(LedgerFault {
        row: None,
        field: None,
        line: None,
        observed,
        expected,
        kind: FaultKind::Invalid,
    })
}
