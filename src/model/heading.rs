//! Finds the anchors of a text in Markdown, AsciiDoc or reStructuredText.

use std::collections::{BTreeMap, BTreeSet};

/// Every name by which a link may mean a heading of `text`: the slug that forges give it (`-1`,
/// `-2` for repeats) and the heading as it is written.
///
/// A heading line is `# ATX`, `== AsciiDoc`, or a line underlined with one punctuation character
/// (Markdown's setext, reStructuredText). What stands in a fenced or literal block is none.
pub fn anchors(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for heading in headings(text) {
        let slug = slug(heading);
        let repeats = seen.entry(slug.clone()).or_default();
        found.insert(if *repeats == 0 {
            slug
        } else {
            format!("{slug}-{repeats}")
        });
        *repeats += 1;
        found.insert(heading.to_owned());
    }
    found.remove("");
    found
}

fn headings(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    // In Markdown a line of four hyphens is a rule across the page, not the start of a block.
    let asciidoc = text
        .lines()
        .any(|line| line.starts_with("= ") || line.starts_with("== "));
    let (mut fence, mut before): (Option<&str>, &str) = (None, "");
    for line in text.lines() {
        match (fence, fence_of(line, asciidoc)) {
            (Some(open), Some(mark)) if mark.starts_with(open) && line.trim() == mark => {
                fence = None
            }
            (Some(_), _) => {}
            (None, Some(mark)) if !is_underline(mark, before) => fence = Some(mark),
            (None, _) => {
                found.extend(marked(line, '#').or_else(|| marked(line, '=')));
                if is_underline(line.trim_end(), before) {
                    found.push(before.trim());
                }
            }
        }
        before = if fence.is_none() { line } else { "" };
    }
    found
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

/// The text after one to six marks and a blank, without closing marks.
fn marked(line: &str, mark: char) -> Option<&str> {
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
    (indent < 4 && (1..=6).contains(&level) && !heading.is_empty()).then_some(heading)
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
}
