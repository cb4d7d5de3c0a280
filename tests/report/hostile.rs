//! Can an id, a path, an owner or any other text reach beyond its place in a format?
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot read its report fails"
)]

use git_reins::model::change::{
    Area, CHANGES_SCHEMA, Change, Changes, Kind, Maker, Piece, Reason, Side, Unchanged,
};
use git_reins::model::decision::Standing;
use git_reins::model::path::is_hidden;
use git_reins::model::refusal::Code;
use git_reins::model::report::*;
use git_reins::model::trial::*;
use git_reins::report::{comment, github, gitlab, json, junit, review, sarif};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestRunner};
use serde_json::Value;

/// What somebody would write who wants to reach further.
const PIECES: &[&str] = &[
    "|",
    "||",
    "\\",
    "\\|",
    "`",
    "```",
    "``",
    "~~~",
    "@ada",
    "@org/team",
    "#1",
    "!2",
    "~bug",
    "%3",
    "$4",
    "&5",
    "GH-12",
    ":smile:",
    "<script>alert(1)</script>",
    "</details>",
    "<details>",
    "-->",
    "<!-- git-reins:v1 -->",
    "<b",
    ">",
    "&lt;",
    "&#64;",
    "\n",
    "\r\n",
    "\n\n",
    "\r",
    "\u{85}",
    "\u{2028}",
    "\t",
    "\0",
    "\u{1b}[2J",
    "\u{7f}",
    "\u{202e}",
    "\u{2066}",
    "\u{feff}",
    "\u{200f}",
    "\u{fffe}",
    "\u{ffff}",
    "[x](http://y)",
    "![x](http://y)",
    "](",
    "[x]: http://y",
    "http://y.z",
    "https://y.z/@ada",
    "www.y.z",
    "a@b.example",
    "*b*",
    "**",
    "_i_",
    "~~s~~",
    "$x$",
    "1. ",
    "- ",
    "+ ",
    "= ",
    "# ",
    "> ",
    "---",
    "===",
    "    ",
    " ",
    "::error::",
    "::set-output name=x::y",
    "##[error]",
    "%0A",
    "%25",
    "%",
    ",",
    ":",
    ";",
    "'",
    "\"",
    "]]>",
    "<![CDATA[",
    "<?xml",
    "{0}",
    "{",
    "}",
    "${x}",
    "$(x)",
    "; rm -rf /",
    "git ",
    ": git x",
    " && ",
    " ::stop-commands::x ",
    "::error::x",
    "##[error]x",
    "ä",
    "語",
    "🙂",
    "x",
    "word",
];

fn text() -> impl Strategy<Value = String> {
    let pieces = prop::collection::vec(prop::sample::select(PIECES), 0..10)
        .prop_map(|pieces| pieces.concat());
    let long = (prop::sample::select(PIECES), 1..4usize).prop_map(|(piece, kind)| {
        piece.repeat(match kind {
            1 => 300,
            2 => 5_000,
            _ => 100_000 / piece.len(),
        })
    });
    prop_oneof![40 => pieces, 40 => any::<String>(), 1 => long]
}

/// A report with the texts of a source in every place.
fn report(mut next: impl FnMut() -> String, size: usize) -> Report {
    let id = |at: usize| format!("bal-{at:02}").parse().unwrap();
    let commit = "0123456789abcdef0123456789abcdef01234567".parse().unwrap();
    let rules: Vec<_> = Rule::all().collect();
    let findings = (0..size).map(|at| {
        let rule = rules[at % rules.len()];
        Finding {
            rule,
            answer: rule.entry().class.into(),
            reason: next(),
            subject: next(),
            path: (at % 2 == 0).then(&mut next),
            place: Place {
                path: next(),
                line: at + 1,
            },
            commit: (at % 2 == 0).then_some(commit),
            field: (at % 3 == 0).then(&mut next),
            observed: next(),
            expected: next(),
            fix: next(),
            fingerprint: format!("{at:032x}"),
        }
    });
    let findings: Vec<_> = findings.collect();
    let mut freeze = |at: usize| Freeze {
        property_id: format!("bal-{at:02}"),
        seed: next(),
        expires_at: next(),
        owner: next(),
    };
    let freezes: Vec<_> = (0..size).map(&mut freeze).collect();
    let place = Place {
        path: next(),
        line: 1,
    };
    let states = [
        Standing::Scored,
        Standing::Frozen,
        Standing::Late,
        Standing::Smoke,
    ];
    let properties = (0..size).map(|at| Property {
        property_id: id(at),
        state: states[at % 4],
        status: (at % 3 != 0).then(&mut next),
        power: Power::Claimed,
        freezes: vec![freezes[at].clone()],
        place: place.clone(),
    });
    let properties: Vec<_> = properties.collect();
    let lapse = |at: usize| Lapse {
        last_day: "2026-12-10".parse().unwrap(),
        days_left: 10 - i64::try_from(at).unwrap(),
        freezes: vec![freezes[at].clone()],
        returns: vec![id(at)],
        scored: at,
        total: size,
    };
    let forecast = (0..size).map(lapse).collect();
    let checks = (0..size).map(|at| Check {
        id: next(),
        property: Some(id(at)),
        kind: CheckKind::Property,
        seed: Some(next()),
        revision: Revision::Candidate,
        outcome: Outcome::Pass,
        class: Some(Class::PropPass),
        reason: None,
    });
    let checks = checks.collect();
    let trial = TrialSummary {
        path: next(),
        verdict: TrialVerdict::Admit,
        reasons: Vec::new(),
        blob: Some("aa".repeat(32)),
        epoch_id: next(),
        image: next(),
        enforced: Enforced {
            fixtures: FixtureGuard::BindRo,
            network: NetworkGuard::NetnsLo,
            kill: KillGuard::Pidns,
            trace: Trace::None,
        },
        online: (0..size).map(|_| next()).collect(),
        checks,
    };
    let changes = (0..size).map(|at| {
        let kind = [Kind::Added, Kind::Removed, Kind::Changed][at % 3];
        let words =
            [Side::Both, Side::Before, Side::After].map(|side| Piece { side, text: next() });
        Change {
            words: if at % 2 == 0 {
                words.into()
            } else {
                Vec::new()
            },
            cleared_by: Some(next()),
            made_by: vec![Maker {
                commit,
                author: next(),
            }],
            ..Change::new(Area::Oracle, next(), kind, Reason::TextEdited)
                .field(next())
                .states(Some(next()), Some(next()))
        }
    });
    let changes = Changes {
        schema: CHANGES_SCHEMA,
        bases: vec![commit],
        tip: commit,
        patch_commits: vec![commit],
        weakened: size,
        changes: changes.collect(),
        unchanged: Unchanged::default(),
        notes: vec![next()],
    };
    Report {
        schema: REPORT_SCHEMA,
        decision: if size == 0 {
            Answered::Admit
        } else {
            Answered::Refuse
        },
        refusals: vec![Code::FreezeExpired],
        findings,
        score: Score {
            scored: 1,
            total: size,
            ..Score::default()
        },
        properties,
        held: vec![id(1)],
        forecast,
        changes: Some(changes),
        trials: vec![trial],
        warnings: (0..size).map(|_| next()).collect(),
        provenance: Provenance {
            tool: "git-reins 0.1.0".to_owned(),
            base: Some(commit),
            merge_bases: vec![commit],
            head: Some(commit),
            patch_commits: vec![commit],
            blob: None,
            files: vec![Pinned {
                path: next(),
                commit,
                sha256: None,
            }],
            order_evidence: None,
            verdict_evidence: None,
            today: "2026-11-30".parse().unwrap(),
            recompute: next(),
        },
    }
}

/// A report with hostile texts in every place.
fn hostile(size: usize) -> impl Strategy<Value = Report> {
    prop::collection::vec(text(), 1..60).prop_map(move |texts| {
        let mut texts = texts.into_iter().cycle();
        report(|| texts.next().unwrap_or_default(), size)
    })
}

fn drawn<T>(count: usize, strategy: impl Strategy<Value = T>) -> Vec<T> {
    let mut runner = TestRunner::deterministic();
    (0..count)
        .map(|_| strategy.new_tree(&mut runner).unwrap().current())
        .collect()
}

/// Hostile reports in a format.
pub fn documents(format: &str) -> Vec<String> {
    let write = match format {
        "sarif" => sarif::log,
        "junit" => junit::document,
        _ => panic!("{format}"),
    };
    drawn(12, hostile(4)).iter().map(write).collect()
}

/// Hostile comments, each with the dull one of the same form.
pub fn comments() -> Vec<(String, String)> {
    let strategy = prop::collection::vec(
        prop_oneof![text()].prop_filter("short", |text| text.len() < 200),
        1..60,
    );
    let pair = |texts: Vec<String>| {
        let (mut hostile, mut dull) = (texts.iter().cycle(), texts.iter().cycle());
        let hostile = report(|| hostile.next().unwrap().clone(), 4);
        let dull = report(|| words(dull.next().unwrap()), 4);
        (comment::markdown(&hostile), comment::markdown(&dull))
    };
    drawn(150, strategy).into_iter().map(pair).collect()
}

/// A dull text that a fix is taken apart like.
fn words(text: &str) -> String {
    let text = git_reins::model::path::visible(text.trim());
    match git_reins::report::text::parted(&text) {
        ("", "") => String::new(),
        (_, "") => "word".to_owned(),
        ("", _) => "git word".to_owned(),
        (_, _) => "word: git word".to_owned(),
    }
}

fn plain(out: &str) -> bool {
    out.chars().all(|c| c == '\n' || !is_hidden(c))
}

/// A comment without what stands in code: what is left is markup.
fn outside_code(comment: &str) -> String {
    let (mut out, mut fence) = (String::new(), None::<String>);
    for line in comment.lines() {
        let ticks: String = line.chars().take_while(|c| *c == '`').collect();
        match &fence {
            Some(open) if line == open => fence = None,
            Some(_) => {}
            None if ticks.len() >= 3 => fence = Some(ticks),
            None => {
                let (mut is_code, mut is_escaped) = (false, false);
                for c in line.chars() {
                    match c {
                        '`' if !is_escaped => is_code = !is_code,
                        _ if !is_code => out.push(c),
                        _ => {}
                    }
                    is_escaped = c == '\\' && !is_escaped && !is_code;
                }
                assert!(!is_code, "open code: {line}");
                out.push('\n');
            }
        }
    }
    assert_eq!(fence, None, "an open block");
    out
}

/// The cells of a row: what stands between bars that are not escaped.
fn cells(line: &str) -> usize {
    let mut is_escaped = false;
    let bar = |c: char| {
        let is_bar = c == '|' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        is_bar
    };
    line.chars().map(bar).filter(|is_bar| *is_bar).count()
}

fn judge_comment(report: &Report) {
    let said = comment::markdown(report);
    assert!(
        said.chars().count() <= comment::MOST && said.starts_with(comment::MARKER) && plain(&said)
    );
    assert_eq!(said.matches(comment::MARKER).count() - in_blocks(&said), 1);
    let markup = outside_code(&said);
    let ours = [
        "<details>",
        "</details>",
        "<summary>",
        "</summary>",
        comment::MARKER,
    ];
    let words = ["<br>", "<del>", "</del>", "<ins>", "</ins>"];
    let left = ours
        .iter()
        .chain(&words)
        .fold(markup.clone(), |left, tag| left.replace(tag, ""));
    assert!(!left.contains(['<', '>']), "{left}");
    assert_eq!(
        markup.matches("<details>").count(),
        markup.matches("</details>").count()
    );
    let mut width = None;
    for line in markup.lines() {
        width = match (line.starts_with('|'), width) {
            (true, None) => Some(cells(line)),
            (true, Some(width)) => {
                assert_eq!(cells(line), width, "{line}");
                Some(width)
            }
            (false, _) => None,
        };
    }
    let mut chars = markup.chars().peekable();
    while let Some(c) = chars.next() {
        let next = chars.peek().copied().unwrap_or(' ');
        assert!(
            c != '@' || !(next.is_alphanumeric() || next == '_'),
            "a mention: {markup}"
        );
    }
}

/// Markers that stand in code, where they are text.
fn in_blocks(said: &str) -> usize {
    said.matches(comment::MARKER).count() - outside_code(said).matches(comment::MARKER).count()
}

fn judge_commands(report: &Report) {
    let said = github::commands(report);
    assert!(plain(&said));
    assert_eq!(said.lines().count(), report.findings.len().min(9) + 1);
    let form = regex::Regex::new(
        r"^::(error|warning|notice) (file=[^,:]*,line=[1-9][0-9]*,title=[A-Z_]+|title=git reins)::(%25|[^%])*$",
    );
    let form = form.unwrap();
    assert!(said.lines().all(|line| form.is_match(line)), "{said}");
}

fn judge_objects(report: &Report) {
    let issues: Vec<Value> = serde_json::from_str(&gitlab::issues(report)).unwrap();
    assert_eq!(issues.len(), report.findings.len());
    let log: Value = serde_json::from_str(&sarif::log(report)).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), report.findings.len());
    for result in results {
        let place = &result["locations"][0]["physicalLocation"];
        let uri = place["artifactLocation"]["uri"].as_str().unwrap();
        assert!(place["region"]["startLine"].as_u64().unwrap() >= 1);
        assert!(
            uri.bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-._~/%".contains(&byte)),
            "{uri}"
        );
        let rule = &log["runs"][0]["tool"]["driver"]["rules"]
            [result["ruleIndex"].as_u64().unwrap() as usize];
        assert_eq!(rule["id"], result["ruleId"]);
        assert!(!result["message"]["text"].as_str().unwrap().contains("]("));
    }
    let object: Value = serde_json::from_str(&json::print(report)).unwrap();
    assert_eq!(
        object["findings"].as_array().unwrap().len(),
        report.findings.len()
    );
    let read = review::text(report);
    assert!(
        !read.lines().any(|line| line.trim_start().starts_with("::")) && !read.contains("##["),
        "{read}"
    );
    for text in [
        gitlab::issues(report),
        sarif::log(report),
        json::print(report),
        review::text(report),
    ] {
        assert!(plain(&text));
    }
}

fn judge_cases(report: &Report) {
    let said = junit::document(report);
    assert!(plain(&said) && !said.contains(['\u{fffe}', '\u{ffff}']));
    let read = quick_junit::Report::deserialize_from_str(&said).unwrap();
    assert_eq!(
        read.tests,
        1 + Rule::all().count() + report.properties.len()
    );
    assert_eq!(read.to_string().unwrap(), said);
}

proptest! {
    #![proptest_config(Config { failure_persistence: None, ..Config::with_cases(40) })]

    #[test]
    fn a_text_stays_in_its_place_in_every_format(report in (0..14usize).prop_flat_map(hostile)) {
        judge_comment(&report);
        judge_commands(&report);
        judge_objects(&report);
        judge_cases(&report);
    }
}

#[test]
fn a_comment_of_thousands_of_findings_stays_within_its_bounds() {
    let mut at = 0;
    let many = report(
        || {
            at += 1;
            format!("text | {at} @ada {}", "x".repeat(at % 500))
        },
        3000,
    );
    judge_comment(&many);
    judge_commands(&many);
    assert!(comment::markdown(&many).contains("more, see the artifact"));
    let huge = report(|| "|".repeat(100_000), 5);
    judge_comment(&huge);
}
