//! Judges the fixture ledger: it pins an epoch, and the bytes at tip are the pinned ones.

use std::collections::BTreeMap;

use super::facts::{BaseRev, Facts, FileFacts};
use super::ledgers::{Findings, ledger_path};
use super::remedy::own_range;
use crate::ledger::field::{Field, text};
use crate::ledger::file::LedgerName;
use crate::ledger::fixture::{FixtureFile, FixtureLedger, listing_digest};
use crate::model::decision::Detail;
use crate::model::ids::EntryState;
use crate::model::image::RunnerImage;
use crate::model::refusal::Code;
use crate::model::shell::word;

/// Judges the fixture ledger at tip against the bytes at tip and the epoch of base.
pub fn judge_epoch(facts: &Facts) -> Findings {
    let mut found = Findings::default();
    let Some(ledger) = facts.tip.material.fixture.valid() else {
        return found;
    };
    judge_names(facts, ledger, &mut found);
    judge_reuse(facts, ledger, &mut found);
    judge_entries(facts, &mut found);
    judge_bytes(facts, ledger, &mut found);
    found
}

/// Pins anew on the image that the ledger names. Where it names none, another image would come
/// after the patch: then the epoch is pinned in a range of its own.
fn pin_anew(facts: &Facts) -> String {
    let named = facts
        .tip
        .material
        .fixture
        .valid()
        .map(|ledger| text(&ledger.runner_image_id));
    let image = named.filter(|image| image.parse::<RunnerImage>().is_ok());
    let pin = format!(
        "git reins fixture pin --epoch NEW --runner-image {}",
        word(image.unwrap_or("auto"))
    );
    if image.is_none() && facts.has_patch() {
        own_range(facts, "fixture-epoch", &[pin])
    } else {
        format!("{pin} && git reins fixture commit")
    }
}

fn unpinned(facts: &Facts, reason: &'static str, subject: &str) -> Detail {
    Detail::new(Code::FixtureEpochUnpinned, reason, subject)
        .path(ledger_path(facts, LedgerName::Fixture))
        .commit(facts.tip.id)
        .fix(pin_anew(facts))
}

fn judge_names(facts: &Facts, ledger: &FixtureLedger, found: &mut Findings) {
    let members = [
        ("epoch_id", &ledger.epoch_id),
        ("base_rev", &ledger.base_rev),
        ("digest_sha256", &ledger.digest_sha256),
        ("runner_image_id", &ledger.runner_image_id),
    ];
    for (name, member) in members {
        if text(member).is_empty() {
            let observed = member
                .as_ref()
                .map_or_else(|| "absent".to_owned(), Field::shown);
            found.add(
                unpinned(facts, "field-missing", name)
                    .field(name)
                    .saw(observed, "a text that is not blank"),
            );
        }
    }
    let image = text(&ledger.runner_image_id);
    if let (false, Err(fault)) = (image.is_empty(), image.parse::<RunnerImage>()) {
        let detail = unpinned(facts, "image-malformed", "runner_image_id").field("runner_image_id");
        found.add(detail.saw(image, fault.to_string()));
    }
    judge_base_rev(facts, text(&ledger.base_rev), found);
}

fn judge_base_rev(facts: &Facts, base_rev: &str, found: &mut Findings) {
    let expected = match facts.tip.base_rev {
        None | Some(BaseRev::Ancestor) => return,
        Some(BaseRev::Malformed) => "a full commit id",
        Some(BaseRev::Unknown) => "a commit of this repository",
        Some(BaseRev::NotAncestor) => "an ancestor of the base, or the base itself",
    };
    found.add(
        unpinned(facts, "base-rev", "base_rev")
            .field("base_rev")
            .saw(base_rev, expected),
    );
}

fn judge_reuse(facts: &Facts, ledger: &FixtureLedger, found: &mut Findings) {
    let epoch = text(&ledger.epoch_id);
    for base in &facts.bases {
        let Some(held) = base.material.fixture.valid() else {
            continue;
        };
        if epoch.is_empty() || text(&held.epoch_id) != epoch {
            continue;
        }
        let pairs = [
            ("base_rev", &held.base_rev, &ledger.base_rev),
            ("digest_sha256", &held.digest_sha256, &ledger.digest_sha256),
            (
                "runner_image_id",
                &held.runner_image_id,
                &ledger.runner_image_id,
            ),
        ];
        for (name, before, now) in pairs {
            if text(before) != text(now) {
                let expected =
                    format!("{} as base has it, or an epoch_id of its own", text(before));
                found.add(
                    unpinned(facts, "epoch-reused", epoch)
                        .field(name)
                        .saw(text(now), expected),
                );
            }
        }
    }
}

fn judge_entries(facts: &Facts, found: &mut Findings) {
    for (path, entry) in facts.tip.material.fixtures.iter() {
        let bytes = facts.tip.files.get(path);
        let observed = match bytes {
            _ if entry.mode != EntryState::PLAIN => entry.kind().to_owned(),
            Some(bytes) if bytes.is_lfs_pointer => {
                "a Git LFS pointer, the payload is elsewhere".to_owned()
            }
            Some(FileFacts {
                changed_by: Some(attribute),
                ..
            }) => attribute.clone(),
            Some(_) | None => continue,
        };
        let detail = Detail::new(Code::FixtureEpochUnpinned, "bytes-not-loaded", path.clone())
            .path(path.clone())
            .commit(facts.tip.id)
            .saw(
                observed,
                "a regular file whose committed bytes are the bytes on disk",
            );
        found.add(detail.fix(format!(
            "commit {path} as a plain file without such an attribute, in a range of its own, then pin a new epoch"
        )));
    }
}

fn judge_bytes(facts: &Facts, ledger: &FixtureLedger, found: &mut Findings) {
    let pinned: BTreeMap<&str, &FixtureFile> = ledger
        .files
        .iter()
        .map(|file| (file.path.as_str(), file))
        .collect();
    let paths = facts
        .tip
        .material
        .fixtures
        .keys()
        .map(String::as_str)
        .chain(pinned.keys().copied());
    let mut paths: Vec<&str> = paths.collect();
    paths.sort_unstable();
    paths.dedup();
    let mismatch = |path: &str, observed: String, expected: String| {
        Detail::new(Code::FixtureDigestMismatch, "bytes-differ", path)
            .path(ledger_path(facts, LedgerName::Fixture))
            .commit(facts.tip.id)
            .saw(observed, expected)
            .fix(pin_anew(facts))
    };
    for path in paths {
        let there = facts
            .tip
            .material
            .fixtures
            .contains_key(path)
            .then(|| facts.tip.files.get(path))
            .flatten();
        let (observed, expected) = (there.map(seen), pinned.get(path).map(|file| listed(file)));
        if observed != expected {
            found.add(mismatch(
                path,
                observed.unwrap_or_else(|| "no such file at tip".to_owned()),
                expected.unwrap_or_else(|| "no file, the ledger does not list it".to_owned()),
            ));
        }
    }
    let digests = facts.tip.material.fixtures.keys();
    let digests = digests.filter_map(|path| Some((path, facts.tip.files.get(path)?.sha256?)));
    let (digest, given) = (listing_digest(digests), text(&ledger.digest_sha256));
    if !given.is_empty() && digest.to_string() != given {
        found.add(
            mismatch(
                "digest_sha256",
                format!("{digest} over the files at tip"),
                given.to_owned(),
            )
            .field("digest_sha256"),
        );
    }
}

fn seen(bytes: &FileFacts) -> String {
    let digest = bytes
        .sha256
        .map_or_else(|| "none".to_owned(), |digest| digest.to_string());
    format!("sha256 {digest}, {} bytes", bytes.size)
}

fn listed(file: &FixtureFile) -> String {
    format!("sha256 {}, {} bytes", file.sha256, file.size)
}
