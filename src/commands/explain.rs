//! `git reins explain`

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Answer, Failure};
use crate::exit::ExitStatus;
use crate::model::adjudication::Word;
use crate::model::refusal::Class;
use crate::model::report::Rule;
use crate::report::json;

/// Say what a refusal code means, what is read for it and what fixes it
///
/// FREEZE_HIT and CANNOT_DECIDE, which reports know besides, and the words of `git reins adjudicate` are explained too, such as ARTIFACT or tier1.ungraded.skip.
#[derive(Debug, Args)]
pub struct Explain {
    /// The code, or a word of an adjudication; a table of all codes when none is named
    #[arg(value_name = "CODE", value_parser = topic)]
    code: Option<Topic>,
    /// Answer in JSON
    #[arg(long)]
    pub json: bool,
}

const SCHEMA: &str = "git-reins/explain/1";

/// What can be explained.
#[derive(Clone, Copy, Debug)]
enum Topic {
    Rule(Rule),
    Word(Word),
}

fn topic(text: &str) -> Result<Topic, String> {
    let name = text.to_ascii_uppercase().replace('-', "_");
    let rule = Rule::all()
        .find(|rule| rule.as_str() == name)
        .map(Topic::Rule);
    rule.or_else(|| Word::of(text).map(Topic::Word))
        .ok_or_else(|| unknown(text, &name))
}

fn unknown(text: &str, name: &str) -> String {
    let names: Vec<_> = Rule::all().map(Rule::as_str).collect();
    match similar::get_close_matches(name, &names, 1, 0.6).first() {
        Some(near) => format!("'{text}' is not a refusal code; {near} is one"),
        None => format!("'{text}' is not a refusal code; for all of them: git reins explain"),
    }
}

/// What a code means.
#[derive(Serialize, JsonSchema)]
struct Explanation {
    /// The code.
    #[schemars(with = "String")]
    code: Rule,
    /// `refused`, `held` or `undecided`.
    class: &'static str,
    /// The exit code.
    exit: i32,
    /// The rule.
    rule: &'static str,
    /// What is read to find out.
    reads: &'static str,
    /// What fixes it.
    remedy: &'static str,
    /// Who may decide otherwise.
    authority: &'static str,
}

/// The answer.
#[derive(Serialize, JsonSchema)]
pub(super) struct Explanations {
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// The codes that were asked about.
    codes: Vec<Explanation>,
    /// The words of adjudications that were asked about.
    words: Vec<Word>,
}

impl Explain {
    /// Prints one entry of the catalogue, or a line for each.
    ///
    /// # Errors
    /// None.
    pub fn run(&self) -> Result<Answer, Failure> {
        let (rules, words): (Vec<_>, Vec<_>) = match self.code {
            None => (Rule::all().collect(), Word::all().collect()),
            Some(Topic::Rule(rule)) => (vec![rule], vec![]),
            Some(Topic::Word(word)) => (vec![], vec![word]),
        };
        let codes: Vec<_> = rules.into_iter().map(explanation).collect();
        let text = match (self.json, self.code) {
            (true, _) => json::print(&Explanations {
                schema: SCHEMA,
                codes,
                words,
            }),
            (false, Some(Topic::Word(word))) => {
                let next = indented("  next      ", &" ".repeat(12), word.next);
                format!("{}: {}\n{next}", word.word, word.meaning)
            }
            (false, Some(Topic::Rule(_))) => codes.iter().map(entry).collect(),
            (false, None) => codes.iter().map(row).collect(),
        };
        Ok(Answer::done(text, ""))
    }
}

fn explanation(code: Rule) -> Explanation {
    let entry = code.entry();
    let (class, status) = match entry.class {
        Class::Refusal => ("refused", ExitStatus::Refused),
        Class::Hold => ("held", ExitStatus::Held),
        Class::Undecided => ("undecided", ExitStatus::Undecided),
    };
    let exit = status.number();
    let (rule, reads, remedy, authority) = (entry.rule, entry.reads, entry.remedy, entry.authority);
    Explanation {
        code,
        class,
        exit,
        rule,
        reads,
        remedy,
        authority,
    }
}

fn entry(one: &Explanation) -> String {
    let fields = [
        ("rule", one.rule),
        ("read", one.reads),
        ("remedy", one.remedy),
        ("override", one.authority),
    ];
    let lines = fields.map(|(name, text)| indented(&format!("  {name:9} "), &" ".repeat(12), text));
    format!(
        "{}: {}, exit {}\n{}",
        one.code,
        one.class,
        one.exit,
        lines.concat()
    )
}

fn row(one: &Explanation) -> String {
    indented(
        &format!("{:27} ", one.code.as_str()),
        &" ".repeat(28),
        one.rule,
    )
}

fn indented(first: &str, rest: &str, text: &str) -> String {
    let options = textwrap::Options::new(80)
        .initial_indent(first)
        .subsequent_indent(rest);
    textwrap::fill(text, options) + "\n"
}
