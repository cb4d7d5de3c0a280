//! Writes the answer to a push: the ref, the reason and the next step.
//!
//! A hook talks on stderr only, into terminals, logs and the `remote: ` lines of servers: at most 72
//! columns, ASCII, no colour. Commands alone keep the names that they need to work.

use super::text::Sheet;
use crate::model::decision::Detail;
use crate::model::push::{PushAnswer, RefAnswer, Ruling, Undecided};
use crate::model::refusal::Code;

const SHEET: Sheet = Sheet {
    width: 72,
    is_strict: true,
};

/// More findings than this are counted, not shown; the last line says how to see them.
const SHOWN: usize = 12;

/// More refs with the same answer than this are counted, not named.
const NAMED: usize = 6;

/// A whole answer keeps to so many lines, unless the first ref that stops needs more.
const LINES: usize = 60;

/// The answer to a push as lines; nothing when there is nothing to say.
pub fn text(answer: &PushAnswer) -> String {
    let told = |(said, names): &(Said<'_>, Vec<String>)| {
        let mut out = String::new();
        said.write(&mut out, &listed(names));
        (out, names.len())
    };
    let (passed, stopped): (Vec<_>, Vec<_>) = grouped(answer)
        .into_iter()
        .partition(|(said, _)| *said.ruling == Ruling::Passed);
    let stops = bounded(stopped.iter().map(told), LINES);
    let remarks = bounded(
        passed.iter().map(told),
        LINES.saturating_sub(stops.lines().count()),
    );
    // what stands in the way comes last, where a reader looks first
    let mut out = remarks + &stops;
    for note in &answer.notes {
        remark(&mut out, note);
    }
    out
}

/// As many answers as there is room for, the first in any case, and how many refs are left out.
fn bounded(answers: impl Iterator<Item = (String, usize)>, most: usize) -> String {
    let (mut out, mut lines, mut left) = (String::new(), 0, 0);
    for (text, refs) in answers.filter(|(text, _)| !text.is_empty()) {
        let more = text.lines().count();
        if out.is_empty() || left == 0 && lines + more <= most {
            out.push_str(&text);
            lines += more;
        } else {
            left += refs;
        }
    }
    if left > 0 {
        remark(
            &mut out,
            &format!("{left} more refs have answers that are not shown here"),
        );
    }
    out
}

fn listed(names: &[String]) -> String {
    let shown = names
        .iter()
        .take(NAMED)
        .cloned()
        .collect::<Vec<_>>()
        .join(", ");
    match names.len().saturating_sub(NAMED) {
        0 => shown,
        more => format!("{shown} and {more} more refs"),
    }
}

/// That nothing can be said, and what helps.
pub fn undecided(why: &Undecided) -> String {
    let mut out = String::new();
    cannot(&mut out, "", why);
    out
}

/// What is said about a ref, without its name: refs with the same answer are named together, and
/// the first of them lends its commits.
struct Said<'a> {
    ruling: &'a Ruling,
    warned: &'a [Detail],
    notes: &'a [String],
    closer: Option<&'a str>,
}

impl PartialEq for Said<'_> {
    fn eq(&self, other: &Self) -> bool {
        let same =
            |one: &[Detail], other: &[Detail]| one.iter().map(gist).eq(other.iter().map(gist));
        let same_ruling = match (self.ruling, other.ruling) {
            (Ruling::Refused(one), Ruling::Refused(other)) => same(one, other),
            (one, other) => one == other,
        };
        same_ruling && same(self.warned, other.warned) && self.notes == other.notes
    }
}

/// What a finding says, whichever commit shows it.
fn gist(detail: &Detail) -> (Code, &str, &str, Option<&str>) {
    let is_commit =
        detail.subject.len() >= 10 && detail.subject.bytes().all(|byte| byte.is_ascii_hexdigit());
    let subject = if is_commit {
        ""
    } else {
        detail.subject.as_str()
    };
    (detail.code, detail.reason, subject, detail.path.as_deref())
}

fn grouped(answer: &PushAnswer) -> Vec<(Said<'_>, Vec<String>)> {
    let mut groups: Vec<(Said<'_>, Vec<String>)> = Vec::new();
    for RefAnswer {
        name,
        ruling,
        warned,
        notes,
        closer,
    } in &answer.refs
    {
        let said = Said {
            ruling,
            warned,
            notes,
            closer: closer.as_deref(),
        };
        match groups.iter_mut().find(|(other, _)| *other == said) {
            Some((_, names)) => names.push(name.clone()),
            None => groups.push((said, vec![name.clone()])),
        }
    }
    groups
}

impl Said<'_> {
    fn write(&self, out: &mut String, names: &str) {
        for note in self.notes {
            remark(out, &format!("{names}: {note}"));
        }
        for detail in self.warned.iter().take(SHOWN) {
            let Detail {
                code,
                subject,
                reason,
                observed,
                ..
            } = detail;
            remark(
                out,
                &format!("{names}: {code} {subject} ({reason}): {observed}"),
            );
        }
        if self.warned.len() > SHOWN {
            remark(
                out,
                &format!("{names}: and {} more", self.warned.len() - SHOWN),
            );
        }
        match self.ruling {
            Ruling::Passed => {}
            Ruling::Refused(details) => {
                SHEET.fold(out, "git-reins: push refused: ", "  ", &ascii(names));
                for detail in details.iter().take(SHOWN) {
                    SHEET.finding(out, &plain(detail));
                }
                if details.len() > SHOWN {
                    SHEET.fold(
                        out,
                        "",
                        "  ",
                        &format!("and {} more", details.len() - SHOWN),
                    );
                }
            }
            Ruling::Undecided(why) => cannot(out, &format!("{names}: "), why),
        }
        if let Some(closer) = self.closer {
            SHEET.command(out, "look closer: ", closer);
        }
    }
}

fn cannot(out: &mut String, whose: &str, why: &Undecided) {
    let code = why
        .code
        .map(|code| format!(" ({code})"))
        .unwrap_or_default();
    let text = format!("{whose}{}{code}", why.message.trim_end());
    SHEET.fold(out, "git-reins: cannot decide: ", "  ", &ascii(&text));
    match why.fix.as_deref() {
        Some(fix) if fix.starts_with("git ") => SHEET.command(out, "hint: ", fix),
        Some(fix) => SHEET.fold(out, "hint: ", "  ", &ascii(fix)),
        None => {}
    }
}

fn remark(out: &mut String, text: &str) {
    SHEET.fold(out, "git-reins: note: ", "  ", &ascii(text));
}

/// A finding in ASCII, but for its commands.
fn plain(detail: &Detail) -> Detail {
    Detail {
        subject: ascii(&detail.subject),
        path: detail.path.as_deref().map(ascii),
        field: detail.field.as_deref().map(ascii),
        observed: ascii(&detail.observed),
        expected: ascii(&detail.expected),
        ..detail.clone()
    }
}

fn ascii(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii() {
            out.push(c)
        } else {
            out.extend(c.escape_unicode())
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(name: &str, details: Vec<Detail>) -> RefAnswer {
        RefAnswer {
            name: name.to_owned(),
            ruling: Ruling::Refused(details),
            warned: Vec::new(),
            notes: Vec::new(),
            closer: Some("git reins check 1234567890..0123456789".to_owned()),
        }
    }

    fn told(refs: Vec<RefAnswer>) -> String {
        text(&PushAnswer {
            refs,
            notes: Vec::new(),
        })
    }

    #[test]
    fn refs_with_the_same_answer_are_named_together() {
        let detail = || {
            vec![
                Detail::new(Code::LedgerMissing, "absent", "oracle.json")
                    .saw("nothing", "a ledger"),
            ]
        };
        let said = told(vec![
            refused("refs/heads/a", detail()),
            refused("refs/heads/b", detail()),
        ]);
        assert!(
            said.starts_with("git-reins: push refused: refs/heads/a, refs/heads/b\nLEDGER_MISSING"),
            "{said}"
        );
        assert_eq!(said.matches("LEDGER_MISSING").count(), 1, "{said}");
        assert!(
            said.ends_with("look closer: git reins check 1234567890..0123456789\n"),
            "{said}"
        );
    }

    #[test]
    fn lines_are_short_and_ascii_whatever_the_evidence() {
        let long = "ä".repeat(90) + &" wörd".repeat(40) + "\u{1b}[2J";
        let detail = Detail::new(Code::LedgerInvalid, "form", long.clone())
            .path(&long)
            .saw(&long, &long);
        let said = told(vec![refused(
            &format!("refs/heads/{long}"),
            vec![detail; 20],
        )]);
        assert!(
            said.is_ascii() && said.lines().all(|line| line.len() <= 72),
            "{said}"
        );
        assert!(said.contains("and 8 more"), "{said}");
    }

    #[test]
    fn a_long_command_goes_on_where_the_shell_reads_one_line() {
        let (mut said, quoted) = (String::new(), "a b".repeat(60));
        let command = format!(
            "git restore --image={} -- 'it'\\''s {quoted}' {}",
            "0".repeat(90),
            "dd ".repeat(40)
        );
        SHEET.command(&mut said, "    ", command.trim_end());
        assert!(said.lines().all(|line| line.len() <= 72), "{said}");
        let read = said.replace("'\\\n'", "").replace("\\\n", "");
        assert_eq!(
            read.split_whitespace().collect::<Vec<_>>().join(" "),
            command.trim_end()
        );
    }

    #[test]
    fn many_refs_stay_within_bounds() {
        let broken =
            |at: usize| Detail::new(Code::LedgerInvalid, "form", format!("row-{at}")).saw("x", "y");
        let many = (0..3000)
            .map(|at| refused(&format!("refs/heads/{at}"), vec![broken(at)]))
            .collect();
        let said = told(many);
        assert!(
            said.lines().count() <= LINES + 1 && said.contains("more refs have answers"),
            "{said}"
        );
        // the same finding, shown by a commit of each: one answer
        let missing =
            |at: usize| Detail::new(Code::VerdictMissing, "no-trial", format!("{at:010x}"));
        let many = (0..3000)
            .map(|at| refused(&format!("refs/heads/{at}"), vec![missing(at)]))
            .collect();
        let said = told(many);
        assert!(
            said.lines().count() < 12 && said.contains("2994 more refs"),
            "{said}"
        );
    }

    #[test]
    fn nothing_to_say_is_silence() {
        assert_eq!(text(&PushAnswer::default()), "");
    }
}
