//! Finds the headings of a text in Markdown, AsciiDoc or reStructuredText, and their sections.

use std::collections::{BTreeMap, BTreeSet};

/// A heading of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Heading<'t> {
    /// The heading as it is written, without marks.
    text: &'t str,
    /// The first byte of its line.
    start: usize,
    /// How deep it stands; 1 is the highest.
    level: usize,
}

/// Every name by which a link may mean a heading of `text`: the slug that forges give it (`-1`,
/// `-2` for repeats) and the heading as it is written.
///
/// A heading line is `# ATX`, `== AsciiDoc`, or a line underlined with one punctuation character
/// (Markdown's setext, reStructuredText). What stands in a fenced or literal block is none.
pub fn anchors(text: &str) -> BTreeSet<String> {
    named(&headings(text)).into_keys().collect()
}

/// The section that an anchor names: from its heading to the next one of the same or a higher
/// level. `None` when no heading has that name.
pub fn section<'t>(text: &'t str, anchor: &str) -> Option<&'t str> {
    let headings = headings(text);
    let at = *named(&headings).get(anchor)?;
    let heading = headings[at];
    let after = headings[at + 1..]
        .iter()
        .find(|next| next.level <= heading.level);
    Some(&text[heading.start..after.map_or(text.len(), |next| next.start)])
}

/// The names of headings, each with the first heading that has it.
fn named(headings: &[Heading<'_>]) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for (at, heading) in headings.iter().enumerate() {
        let slug = slug(heading.text);
        let repeats = seen.entry(slug.clone()).or_default();
        let slug = if *repeats == 0 {
            slug
        } else {
            format!("{slug}-{repeats}")
        };
        *repeats += 1;
        found.entry(slug).or_insert(at);
        found.entry(heading.text.to_owned()).or_insert(at);
    }
    found.remove("");
    found
}

fn headings(text: &str) -> Vec<Heading<'_>> {
    let mut found = Vec::new();
    // In Markdown a line of four hyphens is a rule across the page, not the start of a block.
    let asciidoc = text
        .lines()
        .any(|line| line.starts_with("= ") || line.starts_with("== "));
    let mut underlines = Vec::new();
    let (mut fence, mut before): (Option<&str>, (usize, &str)) = (None, (0, ""));
    let mut start = 0;
    for whole in text.split_inclusive('\n') {
        let line = whole.strip_suffix('\n').unwrap_or(whole);
        let line = line.strip_suffix('\r').unwrap_or(line);
        match (fence, fence_of(line, asciidoc)) {
            (Some(open), Some(mark)) if mark.starts_with(open) && line.trim() == mark => {
                fence = None;
            }
            (Some(_), _) => {}
            (None, Some(mark)) if !is_underline(mark, before.1) => fence = Some(mark),
            (None, _) => {
                if let Some((text, level)) = marked(line, '#').or_else(|| marked(line, '=')) {
                    found.push(Heading { text, start, level });
                }
                if is_underline(line.trim_end(), before.1) {
                    let mark = line.as_bytes()[0];
                    underlines.push((found.len(), mark));
                    found.push(Heading {
                        text: before.1.trim(),
                        start: before.0,
                        level: 1,
                    });
                }
            }
        }
        before = (start, if fence.is_none() { line } else { "" });
        start += whole.len();
    }
    let levels = levels(&underlines);
    for (at, mark) in underlines {
        found[at].level = levels[&mark];
    }
    found
}

/// The level of each character that underlines: Markdown's `=` and `-` are 1 and 2; where others
/// occur, as in reStructuredText, the first that is used is the highest.
fn levels(underlines: &[(usize, u8)]) -> BTreeMap<u8, usize> {
    if underlines
        .iter()
        .all(|(_, mark)| matches!(mark, b'=' | b'-'))
    {
        return BTreeMap::from([(b'=', 1), (b'-', 2)]);
    }
    let mut levels = BTreeMap::new();
    for (_, mark) in underlines {
        let next = levels.len() + 1;
        levels.entry(*mark).or_insert(next);
    }
    levels
}

/// The run of characters that opens or closes a block: ``` and ~~~ of Markdown, ---- of AsciiDoc.
fn fence_of(line: &str, asciidoc: bool) -> Option<&str> {
    let line = line
        .strip_prefix("   ")
        .or(line.strip_prefix("  "))
        .or(line.strip_prefix(' '))
        .unwrap_or(line);
    let run = |mark: char| &line[..line.len() - line.trim_start_matches(mark).len()];
    let whole =
        |mark: char| Some(run(mark)).filter(|run| run.len() >= 4 && *run == line.trim_end());
    let code = ['`', '~'].into_iter().map(run).find(|run| run.len() >= 3);
    code.or_else(|| ['-', '.'].into_iter().find_map(whole).filter(|_| asciidoc))
}

/// The text after one to six marks and a blank, without closing marks, and the number of marks.
fn marked(line: &str, mark: char) -> Option<(&str, usize)> {
    let indent = line.len() - line.trim_start_matches(' ').len();
    let line = line.trim_start_matches(' ');
    let rest = line.trim_start_matches(mark);
    let level = line.len() - rest.len();
    let heading = rest.strip_prefix([' ', '\t'])?.trim();
    let closed = heading.trim_end_matches(mark);
    let heading = if closed.ends_with([' ', '\t']) {
        closed.trim_end()
    } else {
        heading
    };
    (indent < 4 && (1..=6).contains(&level) && !heading.is_empty()).then_some((heading, level))
}

/// Whether `line` underlines `before`: one punctuation character, repeated; Markdown takes any
/// length of `=` and `-`, reStructuredText as many as the heading has characters.
fn is_underline(line: &str, before: &str) -> bool {
    let title = before.trim_end();
    let Some(first) = line.chars().next() else {
        return false;
    };
    let repeated = first.is_ascii_punctuation() && line.chars().all(|c| c == first);
    let prose = title.chars().any(char::is_alphanumeric)
        && !title.starts_with([' ', '\t', '#', '=', '>', '|']);
    let long_enough =
        line.len() >= 3.max(title.chars().count()) || matches!(first, '=' | '-') && line.len() >= 2;
    repeated && prose && long_enough && !matches!(first, '#' | '|')
}

/// No heading is longer than this many bytes: a line that is has no slug.
const LONGEST: usize = 1_000;

/// The slug as forges make it: lower case, blanks to hyphens, punctuation dropped, link targets
/// and code marks left out.
fn slug(heading: &str) -> String {
    let short = heading.len() <= LONGEST;
    let kept = if short {
        link_text(heading)
    } else {
        String::new()
    };
    let kept = kept.chars().flat_map(char::to_lowercase);
    kept.filter_map(|c| match c {
        ' ' => Some('-'),
        '-' | '_' => Some(c),
        _ => c.is_alphanumeric().then_some(c),
    })
    .collect()
}

/// `[text](target)` becomes `text`.
fn link_text(heading: &str) -> String {
    let mut out = String::new();
    let mut rest = heading;
    while let Some((before, after)) = rest.split_once('[') {
        out.push_str(before);
        let Some((text, tail)) = after.split_once(']') else {
            rest = after;
            continue;
        };
        out.push_str(text);
        let target = tail
            .strip_prefix('(')
            .and_then(|inner| inner.split_once(')'));
        rest = target.map_or(tail, |(_, tail)| tail);
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<String> {
        anchors(text).into_iter().collect()
    }

    #[test]
    fn markdown_headings_have_slugs_and_repeats_are_numbered() {
        let text = "# Accounts & *money*\n\n## invariants\n\ntext\n## invariants ##\nSetext Title\n---\n#no\n    # code\n";
        assert_eq!(
            of(text),
            [
                "Accounts & *money*",
                "Setext Title",
                "accounts--money",
                "invariants",
                "invariants-1",
                "setext-title"
            ]
        );
        assert!(anchors("## See [the rule](x.md#y) `now()`").contains("see-the-rule-now"));
    }

    #[test]
    fn fenced_lines_are_no_headings() {
        assert_eq!(
            of("```sh\n# comment\n```\n~~~\n# c\n```\n# d\n~~~\n# real\n"),
            ["real"]
        );
        assert_eq!(of("a\n\n----\n\n# real\n"), ["real"]);
        assert_eq!(of("````\n```\n# in\n````\n"), Vec::<String>::new());
    }

    #[test]
    fn asciidoc_and_restructuredtext_headings_count_too() {
        assert_eq!(
            of("= Doc\n\n== Rule one\n----\n== not\n----\n"),
            ["Doc", "Rule one", "doc", "rule-one"]
        );
        assert_eq!(
            of("=====\nTitle\n=====\n\nRule two\n~~~~~~~~\n"),
            ["Rule two", "Title", "rule-two", "title"]
        );
        assert_eq!(
            of("| a | b |\n|---|---|\n\n- item\n\n---\n"),
            Vec::<String>::new()
        );
    }
    #[test]
    fn a_section_ends_at_the_next_heading_of_its_level_or_above() {
        let text = "# A\na\n## B\nb\n### C\nc\n## D\nd";
        assert_eq!(section(text, "b"), Some("## B\nb\n### C\nc\n"));
        assert_eq!(section(text, "a"), Some(text));
        assert_eq!(section(text, "D"), Some("## D\nd"));
        assert_eq!(section(text, "e"), None);
        let setext = "Low\n---\nx\n\nTop\n===\ny\n";
        assert_eq!(section(setext, "low"), Some("Low\n---\nx\n\n"));
        let rst = "One\n***\n\nTwo\n~~~\nx\n\nThree\n*****\n";
        assert_eq!(section(rst, "two"), Some("Two\n~~~\nx\n\n"));
    }
}
