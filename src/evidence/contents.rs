//! Reads from the bytes of material what the rules ask: kept lines, cited sections, headings.

use std::collections::BTreeSet;

use super::GateError;
use crate::decide::facts::{Contents, Material};
use crate::decide::material_changes::{differing, named};
use crate::git::Repo;
use crate::ledger::oracle::Source;
use crate::model::heading::{anchors, section};
use crate::model::ids::{EntryState, ObjectId, Sha256};

/// A larger file counts as edited, and a larger text has no headings.
const CAP: u64 = 8 << 20;

/// Reads what the rules ask of the changes between each of the bases and tip.
///
/// `above` is the material of the parents of patch commits: what rows of the range cite there.
///
/// # Errors
/// When an object is absent or unreadable.
pub fn read(
    repo: &Repo,
    bases: &[&Material],
    tip: &Material,
    above: &[&Material],
) -> Result<Contents, GateError> {
    let mut contents = Contents::default();
    for base in bases {
        let owned = named(base);
        for path in differing(&base.properties, &tip.properties) {
            let pair = (base.properties.get(path), tip.properties.get(path));
            let (Some(before), Some(now)) = pair else {
                continue;
            };
            if owned.contains_key(path) && before.is_file() && now.is_file() {
                read_extension(repo, before.id, now.id, &mut contents)?;
            }
        }
        for path in differing(&base.specs, &tip.specs) {
            let sides = [base.specs.get(path), tip.specs.get(path)];
            for state in sides.into_iter().flatten() {
                read_text(repo, path, *state, &[base, tip], &mut contents)?;
            }
        }
    }
    let cited: BTreeSet<&str> = tip
        .oracle_rows()
        .iter()
        .filter_map(|row| match row.source() {
            Source::Text { path, .. } => Some(path),
            Source::Elsewhere(_) | Source::Malformed(_) => None,
        })
        .collect();
    for path in cited {
        let states: BTreeSet<EntryState> = above
            .iter()
            .chain([&tip])
            .filter_map(|material| material.specs.get(path).copied())
            .collect();
        if states.len() > 1 {
            for state in states {
                read_text(repo, path, state, &[tip], &mut contents)?;
            }
        }
    }
    Ok(contents)
}

fn read_extension(
    repo: &Repo,
    before: ObjectId,
    now: ObjectId,
    contents: &mut Contents,
) -> Result<(), GateError> {
    if before == now || contents.extends(before, now) {
        return Ok(());
    }
    if let (Some(old), Some(new)) = (repo.blob(before, CAP)?, repo.blob(now, CAP)?)
        && keeps_lines(&old, &new)
    {
        contents.extensions.insert((before, now));
    }
    Ok(())
}

/// Whether the lines of one text are all in another one, in their order. A missing newline at the
/// end counts as present.
fn keeps_lines(before: &[u8], now: &[u8]) -> bool {
    let lines = |bytes: &[u8]| -> Vec<Vec<u8>> {
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        bytes
            .split(|byte| *byte == b'\n')
            .map(<[u8]>::to_vec)
            .collect()
    };
    let now = lines(now);
    let mut left = now.iter();
    before.is_empty()
        || lines(before)
            .iter()
            .all(|line| left.any(|other| other == line))
}

/// Reads the sections of a text that rows cite.
fn read_text(
    repo: &Repo,
    path: &str,
    state: EntryState,
    cited_by: &[&Material],
    contents: &mut Contents,
) -> Result<(), GateError> {
    if !state.is_file() {
        return Ok(());
    }
    let rows = cited_by.iter().flat_map(|material| material.oracle_rows());
    let cited: BTreeSet<&str> = rows
        .filter_map(|row| match row.source() {
            Source::Text {
                path: cited,
                anchor,
            } if cited == path => Some(anchor),
            Source::Text { .. } | Source::Elsewhere(_) | Source::Malformed(_) => None,
        })
        .collect();
    let Some(bytes) = repo.blob(state.id, CAP)? else {
        return Ok(());
    };
    let text = String::from_utf8_lossy(&bytes);
    if !anchors(&text).is_empty() {
        contents.with_headings.insert(state.id);
    }
    for anchor in cited {
        if let Some(section) = section(&text, anchor) {
            let digest = Sha256::of(section.trim_end());
            contents
                .sections
                .insert((state.id, anchor.to_owned()), digest);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::keeps_lines;

    #[test]
    fn lines_are_kept_when_they_stand_in_the_same_order() {
        assert!(keeps_lines(b"a\nb\n", b"a\nx\nb"));
        assert!(keeps_lines(b"a\nb", b"a\nb\nc\n"));
        assert!(keeps_lines(b"", b"a\n"));
        assert!(!keeps_lines(b"a\nb\n", b"b\na\n"));
        assert!(!keeps_lines(b"a\na\n", b"a\n"));
        assert!(!keeps_lines(b"a\r\n", b"a\n"));
    }
}
