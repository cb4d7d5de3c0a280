//! Reads a `verdict.json` of GitReins in any of its versions, as facts without a judgement.

use super::json::{Json, parse};
use crate::model::ids::CommitId;
use crate::model::path::shown;

/// What stands in a file called `verdict.json`.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    /// A verdict of GitReins.
    Verdict(Box<Verdict>),
    /// A record of its resolution gate, which grades nothing and is no verdict.
    Resolution,
    /// A record with a `schema` member, which GitReins never writes.
    Schema(String),
}

/// What the judge of GitReins wrote about one task.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The task, as it is written: any text at all.
    pub task_id: String,
    /// When it was judged, as it is written.
    pub evaluated_at: String,
    /// The commit that was graded, when one is named by its full id.
    pub commit: Option<CommitId>,
    /// The changes that no commit has and that the graded tree also held.
    pub uncommitted: Option<Uncommitted>,
    /// The job, when it ran as one.
    pub job_id: Option<String>,
    /// The entry that it replaces.
    pub supersedes: Option<String>,
    /// The entry that replaces it.
    pub superseded_by: Option<String>,
    /// What the judge says of all of it.
    pub passed: Option<bool>,
    /// Tier 1; `None` when there is no such stage.
    pub tier1: Option<Stage>,
    /// Tier 2; `None` when there is no such stage.
    pub tier2: Option<Stage>,
    /// Every other stage, by name.
    pub beside: Vec<Stage>,
}

impl Verdict {
    /// Every stage.
    pub fn stages(&self) -> impl Iterator<Item = &Stage> {
        self.tier1.iter().chain(&self.tier2).chain(&self.beside)
    }
}

/// What the judge says of the changes that it kept beside the verdict, as `worktree.patch`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Uncommitted {
    /// How many bytes that file has.
    pub bytes: Option<u64>,
    /// Whether all of the changes are in it.
    pub is_complete: bool,
}

/// Commands, and answers of a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stage {
    /// What the judge says of it as a whole; what is neither true nor false is no pass.
    pub passed: Option<bool>,
    /// The steps of which the judge says that they graded nothing.
    pub skipped: Vec<String>,
    /// The commands, in the order in which they ended.
    pub steps: Vec<Step>,
    /// What a model answered, in the same order.
    pub answers: Vec<Criteria>,
    /// Whether some of it has no shape that is known.
    pub is_malformed: bool,
}

/// One command.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Step {
    /// Its id; steps are known by it and not by their place.
    pub id: String,
    /// What the judge says.
    pub passed: bool,
    /// What was left of its output.
    pub output: String,
    /// Why it did not run to its end.
    pub error: String,
    /// The exit code, negative for a signal.
    pub exit_code: Option<i64>,
    /// Whether its budget ran out.
    pub timed_out: bool,
    /// Whether the judge says that it graded nothing.
    pub skipped: bool,
    /// How the judge read what pytest said.
    pub pytest: Option<String>,
    /// How many failures it read there.
    pub failures: u64,
}

/// What the model says of the criteria.
#[derive(Clone, Debug, PartialEq)]
pub enum Criteria {
    /// There is no answer that can be read.
    Unreadable,
    /// An answer.
    Answer {
        /// `COMPLETE` or `INCOMPLETE`.
        verdict: String,
        /// The status of each criterion.
        items: Vec<String>,
        /// What the judge made of the verdict.
        passed: Option<bool>,
        /// Whether the judge guessed it from an answer that it could not read.
        is_guess: bool,
    },
}

/// Why a file is no verdict; the caller knows the file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}read {observed}, expected {expected}", self.place())]
pub struct EntryFault {
    /// The member.
    pub field: Option<&'static str>,
    /// What was read, safe to print.
    pub observed: String,
    /// What was expected instead.
    pub expected: &'static str,
}

impl EntryFault {
    fn of(field: &'static str, value: Option<&Json>, expected: &'static str) -> Self {
        let observed = value.map_or_else(|| "no such member".to_owned(), Json::kind);
        Self {
            field: Some(field),
            observed,
            expected,
        }
    }

    fn place(&self) -> String {
        self.field
            .map(|field| format!("field {field}: "))
            .unwrap_or_default()
    }
}

/// Reads the bytes of a `verdict.json`.
///
/// # Errors
/// When they are no JSON object, or name neither task nor time. A stage of an unknown shape is no
/// error: it is kept as one that grades nothing.
pub fn read(bytes: &[u8]) -> Result<Entry, EntryFault> {
    let json = parse(bytes).map_err(|error| EntryFault {
        field: None,
        observed: shown(&error.to_string()),
        expected: "JSON",
    })?;
    let Json::Object(members) = &json else {
        return Err(EntryFault {
            field: None,
            observed: json.kind(),
            expected: "an object",
        });
    };
    if let Some(schema) = members.get("schema") {
        return Ok(Entry::Schema(text("schema", Some(schema))?));
    }
    match members.get("kind") {
        None | Some(Json::Null) => Ok(Entry::Verdict(Box::new(verdict(&json)?))),
        Some(Json::Text(kind)) if kind == "resolution" => Ok(Entry::Resolution),
        other => Err(EntryFault::of("kind", other, "no kind, or \"resolution\"")),
    }
}

fn verdict(json: &Json) -> Result<Verdict, EntryFault> {
    let stages = json.get("stages");
    let known_stages = matches!(stages, None | Some(Json::Null | Json::Object(_)));
    if !known_stages {
        return Err(EntryFault::of("stages", stages, "an object"));
    }
    let stage = |name| stages.and_then(|stages| stages.get(name));
    Ok(Verdict {
        task_id: text("task_id", json.get("task_id"))?,
        evaluated_at: text("evaluated_at", json.get("evaluated_at"))?,
        commit: some_text(json.get("commit")).and_then(|text| text.parse().ok()),
        uncommitted: uncommitted(json),
        job_id: some_text(json.get("job_id")),
        supersedes: some_text(json.get("supersedes")),
        superseded_by: some_text(json.get("superseded_by")),
        passed: flag(json.get("passed")),
        tier1: stage("tier1").map(|stage| read_stage(stage, |_, _| false)),
        tier2: stage("tier2").map(criteria),
        beside: beside(stages),
    })
}

fn beside(stages: Option<&Json>) -> Vec<Stage> {
    let Some(Json::Object(stages)) = stages else {
        return Vec::new();
    };
    let others = stages
        .iter()
        .filter(|(name, _)| *name != "tier1" && *name != "tier2");
    others
        .map(|(_, stage)| read_stage(stage, |_, step| asks_model(step)))
        .collect()
}

/// What says true or false; anything else that is there is no pass.
fn flag(value: Option<&Json>) -> Option<bool> {
    match value {
        None | Some(Json::Null) => None,
        Some(other) => Some(*other == Json::Bool(true)),
    }
}

fn text(field: &'static str, value: Option<&Json>) -> Result<String, EntryFault> {
    match value {
        Some(Json::Text(text)) if !text.is_empty() => Ok(text.clone()),
        other => Err(EntryFault::of(field, other, "a text")),
    }
}

fn some_text(value: Option<&Json>) -> Option<String> {
    let Some(Json::Text(text)) = value else {
        return None;
    };
    (!text.is_empty()).then(|| text.clone())
}

fn list(value: Option<&Json>) -> Option<&[Json]> {
    let Some(Json::List(list)) = value else {
        return None;
    };
    Some(list)
}

/// The judge keeps the changes of the worktree beside the verdict and lists them as evidence.
fn uncommitted(json: &Json) -> Option<Uncommitted> {
    let items = list(
        json.get("evidence")
            .and_then(|evidence| evidence.get("items")),
    )
    .unwrap_or_default();
    let item = items
        .iter()
        .find(|item| some_text(item.get("name")).is_some_and(|name| name == "worktree"))?;
    let bytes = match item.get("bytes") {
        Some(Json::Integer(bytes)) => u64::try_from(*bytes).ok(),
        Some(_) | None => None,
    };
    let is_complete = matches!(item.get("truncated"), Some(Json::Bool(false)));
    Some(Uncommitted { bytes, is_complete })
}

/// A stage, of which `asks` tells by place and step which ones are answers of a model.
fn read_stage(json: &Json, asks: impl Fn(usize, &Json) -> bool) -> Stage {
    let skipped = match json.get("skipped_steps") {
        None | Some(Json::Null) => Some(Vec::new()),
        Some(Json::List(list)) => list.iter().map(|id| some_text(Some(id))).collect(),
        Some(_) => None,
    };
    let steps = list(json.get("steps"));
    let mut stage = Stage {
        passed: flag(json.get("passed")),
        is_malformed: skipped.is_none() || steps.is_none(),
        skipped: skipped.unwrap_or_default(),
        ..Stage::default()
    };
    for (at, step) in steps.unwrap_or_default().iter().enumerate() {
        match asks(at, step) {
            true => stage
                .answers
                .push(answer(step).unwrap_or(Criteria::Unreadable)),
            false => match read_step(step) {
                Some(step) => stage.steps.push(step),
                None => stage.is_malformed = true,
            },
        }
    }
    stage
}

/// Whether a step says that a model answers it. One with an exit code and no answer ran a command,
/// whatever it is called.
fn asks_model(step: &Json) -> bool {
    let has = |name| step.get("data").and_then(|data| data.get(name)).is_some();
    let is_called_so = some_text(step.get("type")).is_some_and(|kind| kind == "ai_eval");
    match (has("verdict"), has("exit_code")) {
        (true, true) => is_called_so,
        (true, false) => true,
        (false, true) => false,
        (false, false) => is_called_so,
    }
}

/// A step; `None` for one of another shape.
fn read_step(json: &Json) -> Option<Step> {
    let Some(Json::Bool(passed)) = json.get("passed") else {
        return None;
    };
    let data = match json.get("data") {
        Some(data @ Json::Object(_)) => Some(data),
        None | Some(Json::Null) => None,
        Some(_) => return None,
    };
    let datum = |name| data.and_then(|data| data.get(name));
    let exit_code = match datum("exit_code") {
        Some(Json::Integer(code)) => Some(*code),
        None | Some(Json::Null) => None,
        Some(_) => return None,
    };
    let is_set = |name| datum(name).is_some_and(Json::is_truthy);
    Some(Step {
        id: some_text(json.get("id"))?,
        passed: *passed,
        output: words(json.get("output"))?,
        error: words(json.get("error"))?,
        exit_code,
        timed_out: is_set("timed_out"),
        skipped: is_set("skipped") || is_set("skipped_tests"),
        pytest: match datum("pytest_outcome") {
            None | Some(Json::Null) => None,
            Some(outcome) => Some(some_text(outcome.get("kind"))?),
        },
        failures: match datum("pytest_outcome").and_then(|outcome| outcome.get("failures")) {
            Some(Json::Integer(count)) => u64::try_from(*count).ok()?,
            None | Some(Json::Null) => 0,
            Some(_) => return None,
        },
    })
}

/// A text that may be missing; `None` for anything else.
fn words(value: Option<&Json>) -> Option<String> {
    match value {
        Some(Json::Text(text)) => Some(text.clone()),
        None | Some(Json::Null) => Some(String::new()),
        Some(_) => None,
    }
}

/// Tier 2. Its first step is the answer unless it is a command, and a stage without any is an
/// answer that cannot be read.
fn criteria(json: &Json) -> Stage {
    let is_command = |step: &Json| {
        some_text(step.get("type")).is_some_and(|kind| kind == "script")
            || step
                .get("data")
                .is_some_and(|data| data.get("exit_code").is_some())
    };
    let mut stage = read_stage(json, |at, step| {
        asks_model(step) || (at == 0 && !is_command(step))
    });
    stage.is_malformed &= list(json.get("steps")).is_some();
    if stage.answers.is_empty() {
        stage.answers.push(Criteria::Unreadable);
    }
    stage
}

fn answer(step: &Json) -> Option<Criteria> {
    let data = step.get("data")?;
    let items = list(data.get("items"))?;
    let items: Option<Vec<_>> = items
        .iter()
        .map(|item| some_text(item.get("status")))
        .collect();
    let passed = match step.get("passed") {
        Some(Json::Bool(passed)) => Some(*passed),
        None => None,
        Some(_) => return None,
    };
    let summary = some_text(data.get("summary")).unwrap_or_default();
    Some(Criteria::Answer {
        verdict: some_text(data.get("verdict"))?,
        items: items?,
        passed,
        is_guess: summary.starts_with("(auto-parsed from non-JSON response"),
    })
}

#[cfg(test)]
mod tests;
