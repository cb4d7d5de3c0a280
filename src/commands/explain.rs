//! `git reins explain`

use clap::Args;
use serde::Serialize;

use super::{Answer, Failure};
use crate::exit::ExitStatus;
use crate::model::adjudication::Word;
use crate::model::refusal::{Class, Code, CodeError};
use crate::report::json;

/// Say what a refusal code means, what is read for it and what fixes it
///
/// The words of `git reins adjudicate` are explained too, such as ARTIFACT or tier1.ungraded.skip.
#[derive(Debug, Args)]
pub struct Explain {
    /// The code, or a word of an adjudication; a table of all codes when none is named
    #[arg(value_name = "CODE", value_parser = topic)]
    code: Option<Topic>,
    /// Answer in JSON
    #[arg(long)]
    pub json: bool,
}

/// What can be explained.
#[derive(Clone, Copy, Debug)]
enum Topic {
    Code(Code),
    Word(Word),
}

fn topic(text: &str) -> Result<Topic, CodeError> {
    match (text.parse(), Word::of(text)) {
        (Ok(code), _) => Ok(Topic::Code(code)),
        (Err(_), Some(word)) => Ok(Topic::Word(word)),
        (Err(error), None) => Err(error),
    }
}

#[derive(Serialize)]
struct Explanation {
    code: Code,
    class: &'static str,
    exit: i32,
    rule: &'static str,
    reads: &'static str,
    remedy: &'static str,
    authority: &'static str,
}

#[derive(Serialize)]
struct Explanations {
    schema: &'static str,
    codes: Vec<Explanation>,
    words: Vec<Word>,
}

impl Explain {
    /// Prints one entry of the catalogue, or a line for each.
    ///
    /// # Errors
    /// None.
    pub fn run(&self) -> Result<Answer, Failure> {
        let (codes, words) = match self.code {
            None => (Code::ALL.to_vec(), Word::all().collect()),
            Some(Topic::Code(code)) => (vec![code], vec![]),
            Some(Topic::Word(word)) => (vec![], vec![word]),
        };
        let codes: Vec<_> = codes.into_iter().map(explanation).collect();
        let text = match (self.json, self.code) {
            (true, _) => json::print(&Explanations { schema: "git-reins/explain/1", codes, words }),
            (false, Some(Topic::Word(word))) => {
                let next = indented("  next      ", &" ".repeat(12), word.next);
                format!("{}: {}\n{next}", word.word, word.meaning)
            }
            (false, Some(Topic::Code(_))) => codes.iter().map(entry).collect(),
            (false, None) => codes.iter().map(row).collect(),
        };
        Ok(Answer::done(text, ""))
    }
}

fn explanation(code: Code) -> Explanation {
    let entry = code.entry();
    let (class, status) = match entry.class {
        Class::Refusal => ("refused", ExitStatus::Refused),
        Class::Hold => ("held", ExitStatus::Held),
        Class::Undecided => ("undecided", ExitStatus::Undecided),
    };
    let exit = status.number();
    let (rule, reads, remedy, authority) = (entry.rule, entry.reads, entry.remedy, entry.authority);
    Explanation { code, class, exit, rule, reads, remedy, authority }
}

fn entry(one: &Explanation) -> String {
    let fields =
        [("rule", one.rule), ("read", one.reads), ("remedy", one.remedy), ("override", one.authority)];
    let lines = fields.map(|(name, text)| indented(&format!("  {name:9} "), &" ".repeat(12), text));
    format!("{}: {}, exit {}\n{}", one.code, one.class, one.exit, lines.concat())
}

fn row(one: &Explanation) -> String {
    indented(&format!("{:27} ", one.code.as_str()), &" ".repeat(28), one.rule)
}

fn indented(first: &str, rest: &str, text: &str) -> String {
    let options = textwrap::Options::new(80).initial_indent(first).subsequent_indent(rest);
    textwrap::fill(text, options) + "\n"
}
