//! Writes a report as SARIF 2.1.0.
//!
//! One run. Every result has a location, since a consumer refuses the whole file for one that has
//! none. What is no valid message, link or address in this format is broken up or encoded.

use serde::Serialize;

use super::json::print;
use super::phrases::sentence;
use crate::model::path::visible;
use crate::model::report::{Answered, Finding, Report, Rule};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The root of the repository, as code scanners call it.
const ROOT: &str = "%SRCROOT%";

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Log<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run<'a> {
    tool: Tool,
    invocations: [Invocation; 1],
    automation_details: AutomationDetails,
    column_kind: &'static str,
    results: Vec<Outcome<'a>>,
}

#[derive(Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver {
    name: &'static str,
    semantic_version: &'static str,
    rules: Vec<Descriptor>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Descriptor {
    id: &'static str,
    short_description: Message,
    full_description: Message,
    help: Help,
    default_configuration: Configuration,
}

#[derive(Serialize)]
struct Message {
    text: String,
}

#[derive(Serialize)]
struct Help {
    text: String,
    markdown: String,
}

#[derive(Serialize)]
struct Configuration {
    level: &'static str,
}

#[derive(Serialize)]
struct AutomationDetails {
    id: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    execution_successful: bool,
    tool_execution_notifications: Vec<Notification>,
}

#[derive(Serialize)]
struct Notification {
    level: &'static str,
    message: Message,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Outcome<'a> {
    rule_id: &'static str,
    rule_index: usize,
    level: &'static str,
    message: Message,
    locations: [Location; 1],
    partial_fingerprints: Fingerprints<'a>,
}

#[derive(Serialize)]
struct Fingerprints<'a> {
    #[serde(rename = "gitReinsFinding/v1")]
    finding: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: PhysicalLocation,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    region: Region,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ArtifactLocation {
    uri: String,
    uri_base_id: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: usize,
}

/// A report as a SARIF log.
pub fn log(report: &Report) -> String {
    let rules: Vec<_> = Rule::all().collect();
    let run = Run {
        tool: Tool {
            driver: driver(&rules),
        },
        invocations: [invocation(report)],
        automation_details: AutomationDetails { id: "git-reins/" },
        column_kind: "unicodeCodePoints",
        results: report
            .findings
            .iter()
            .map(|finding| outcome(finding, &rules))
            .collect(),
    };
    print(&Log {
        schema: SCHEMA,
        version: "2.1.0",
        runs: [run],
    })
}

fn driver(rules: &[Rule]) -> Driver {
    Driver {
        name: "git-reins",
        semantic_version: env!("CARGO_PKG_VERSION"),
        rules: rules.iter().map(|rule| descriptor(*rule)).collect(),
    }
}

/// What `git reins explain` says.
fn descriptor(rule: Rule) -> Descriptor {
    let entry = rule.entry();
    let parts = [
        ("rule", entry.rule),
        ("read", entry.reads),
        ("remedy", entry.remedy),
        ("override", entry.authority),
    ];
    let text = parts
        .map(|(name, text)| format!("{name}: {text}."))
        .join("\n");
    let markdown = parts
        .map(|(name, text)| format!("- **{name}**: {}", super::markdown::escaped(text)))
        .join("\n");
    Descriptor {
        id: rule.as_str(),
        short_description: Message {
            text: message(entry.rule),
        },
        full_description: Message {
            text: message(entry.rule),
        },
        help: Help { text, markdown },
        default_configuration: Configuration {
            level: level(entry.class.into()),
        },
    }
}

/// Whether the tool could do its work; a refusal is work that was done.
fn invocation(report: &Report) -> Invocation {
    let undecided = report
        .findings
        .iter()
        .filter(|finding| finding.answer == Answered::Undecided);
    let notification = |finding: &Finding| Notification {
        level: "error",
        message: Message {
            text: message(&sentence(finding)),
        },
    };
    Invocation {
        execution_successful: report.decision != Answered::Undecided,
        tool_execution_notifications: undecided.map(notification).collect(),
    }
}

fn outcome<'a>(finding: &'a Finding, rules: &[Rule]) -> Outcome<'a> {
    let artifact_location = ArtifactLocation {
        uri: uri(&finding.place.path),
        uri_base_id: ROOT,
    };
    let region = Region {
        start_line: finding.place.line,
    };
    Outcome {
        rule_id: finding.rule.as_str(),
        rule_index: rules
            .iter()
            .position(|rule| *rule == finding.rule)
            .unwrap_or_default(),
        level: level(finding.answer),
        message: Message {
            text: message(&sentence(finding)),
        },
        locations: [Location {
            physical_location: PhysicalLocation {
                artifact_location,
                region,
            },
        }],
        partial_fingerprints: Fingerprints {
            finding: &finding.fingerprint,
        },
    }
}

fn level(answer: Answered) -> &'static str {
    match answer {
        Answered::Admit => "note",
        Answered::Hold => "warning",
        Answered::Refuse | Answered::Undecided => "error",
    }
}

/// A text as a message: no embedded link, no placeholder.
fn message(text: &str) -> String {
    visible(text)
        .replace("](", "] (")
        .replace('{', "{{")
        .replace('}', "}}")
}

/// A path as a relative address: a slash that it begins with is a character, no root.
fn uri(path: &str) -> String {
    let inner = path.trim_start_matches('/');
    let mut uri = "%2F".repeat(path.len() - inner.len());
    for byte in inner.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}
