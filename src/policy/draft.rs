//! The policy that a new repository starts with.

use crate::model::path::RepoPath;

/// What `git reins init` knows about the repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// The directory of the ledgers.
    pub ledger: RepoPath,
    /// The protected line by its full ref name; `None` when none was found.
    pub protected: Option<String>,
    /// The tool that runs properties.
    pub preset: InitPreset,
    /// Whether to warn only, until the team is used to it.
    pub warn: bool,
}

/// The tool that a new policy declares a check for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum InitPreset {
    /// Python: pytest.
    Pytest,
    /// Rust: cargo-nextest with proptest.
    Cargo,
    /// JavaScript: the test runner of node.
    Node,
    /// Go: `go test`.
    Go,
    /// Any other tool: no check is declared.
    Raw,
}

impl InitPreset {
    /// Every choice and its name.
    pub const NAMES: &[(&str, Self)] = &[
        ("pytest", Self::Pytest),
        ("cargo", Self::Cargo),
        ("node", Self::Node),
        ("go", Self::Go),
        ("raw", Self::Raw),
    ];

    /// Prefixes of `paths.properties`. For cargo also what could replace the command or repeat a
    /// failed test.
    fn properties(self) -> &'static [&'static str] {
        match self {
            Self::Cargo => &["tests/properties", ".cargo", ".config/nextest.toml"],
            Self::Pytest | Self::Node | Self::Go | Self::Raw => &["properties"],
        }
    }

    fn fixtures(self) -> &'static [&'static str] {
        match self {
            Self::Cargo => &["tests/fixtures"],
            Self::Pytest | Self::Node | Self::Go | Self::Raw => &["fixtures"],
        }
    }

    /// The table of the check.
    fn check(self) -> &'static str {
        match self {
            Self::Pytest => PYTEST,
            Self::Cargo => CARGO,
            Self::Node => NODE,
            Self::Go => GO,
            Self::Raw => RAW,
        }
    }
}

/// The text of a first `.gitreins/reins.toml`.
///
/// `#` directly before a key or a table marks a setting that is not in force: a default, or an
/// optional section. A prefix that would overlap the ledger directory is left out. The text
/// parses whenever the ledger directory and the ref name are themselves allowed by the policy.
pub fn draft(options: &Draft) -> String {
    let sections = [
        HEAD.to_owned(),
        paths(options),
        protect(options),
        verdict(options.warn).to_owned(),
        TAIL.to_owned(),
    ];
    sections.concat() + options.preset.check()
}

fn paths(options: &Draft) -> String {
    let list = |prefixes: &[&str]| {
        let apart = |prefix: &&&str| !overlaps(&options.ledger, prefix);
        let quoted: Vec<_> = prefixes
            .iter()
            .filter(apart)
            .map(|prefix| quoted(prefix))
            .collect();
        quoted.join(", ")
    };
    PATHS
        .replace("<ledger>", &quoted(options.ledger.as_str()))
        .replace("<properties>", &list(options.preset.properties()))
        .replace("<fixtures>", &list(options.preset.fixtures()))
        .replace("<specs>", &list(&["spec"]))
        .replace("<exempt>", &list(&["docs"]))
}

fn overlaps(ledger: &RepoPath, prefix: &str) -> bool {
    ledger.covers(prefix)
        || prefix
            .parse::<RepoPath>()
            .is_ok_and(|prefix| prefix.covers(ledger.as_str()))
}

fn protect(options: &Draft) -> String {
    let base = match &options.protected {
        Some(name) => format!("base = [{}]", quoted(name)),
        None => "# No such branch was found: nothing is protected until one is named here.\n\
                 #base = [\"refs/heads/main\"]"
            .to_owned(),
    };
    let enforce = match options.warn {
        true => ENFORCE_NONE,
        false => ENFORCE_DEFAULT,
    };
    PROTECT.replace("<base>", &base) + enforce
}

fn verdict(warn: bool) -> &'static str {
    match warn {
        true => VERDICT_WARN,
        false => VERDICT_DEFAULT,
    }
}

/// A basic string of TOML; hidden characters are in no path and no ref name.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

const HEAD: &str = r##"# What git reins holds this repository to. It counts once it stands on the protected branch, and it
# changes in commits of its own, never beside a patch. "#" directly before a key marks a setting
# that is not in force: a default, or an optional section to fill in.
schema = 1

"##;

const PATHS: &str = r##"[paths]    # prefixes: each covers itself and everything below it
# The directory of the three ledgers; nothing else goes in there.
ledger = <ledger>
# Where property tests and their harness live. They stand before the patch; the patch may not touch them.
properties = [<properties>]
# Where test data lives, byte for byte pinned by the fixture ledger.
fixtures = [<fixtures>]
# Where the texts live that oracle rows cite as their source.
specs = [<specs>]
# What needs no oracle.
exempt = [<exempt>]
# What a person has to look at, whatever the checks say.
#human_only = ["src/auth"]

"##;

const PROTECT: &str = r##"[protect]    # full ref names
# The branches that patches land on; a patch is judged against its merge base with them.
<base>
"##;

const ENFORCE_DEFAULT: &str = r##"# Pushes to these are refused when the ledgers disagree; any other push is only warned about.
#enforce = ["refs/heads/**", "refs/tags/**"]

"##;

const ENFORCE_NONE: &str = r##"# Warn only. Take this line out to refuse pushes to every branch and tag.
enforce = []

"##;

const VERDICT_DEFAULT: &str = r##"[verdict]
# A patch needs a recorded trial that admits before it lands on a protected branch.
#require = true

"##;

const VERDICT_WARN: &str = r##"[verdict]
# No recorded trial is asked for. Take this line out to ask for one on every protected branch.
require = false

"##;

const TAIL: &str = r##"[freeze]
# A freeze sets one unstable seed aside: for so many days at most, and for so much of the score at once.
#max_days = 30
#max_share = 0.5

# How a trial is judged.
#[judge]
#replays = 3
#require = ["network", "fixtures"]
#power = "claimed"
#secret_markers = ["ACME-[0-9]{8}"]
#public_signature = ["tools/exports", "{before}", "{after}"]

# The whole suite, and how long it may take.
#[tier1]
#command = ["make", "test"]
#tool_budget_s = 120
#suite_runtime_s = 390
#margin = 0.25
#max_s = 1200

# What runs once a task is complete: a program on PATH, or of an absolute path.
#[foreman]
#on_complete = ["complete-task", "{task_id}"]

"##;

const PYTEST: &str = r##"# The command that runs one property on one seed.
[[check]]
id = "props"
# With Hypothesis: preset "pytest-hypothesis". No preset takes configuration or a conftest.py from
# outside the properties: a patch could change those.
preset = "pytest"
run = ["python3", "-m", "pytest", "-q", "{property_file}::{property}"]
#seeds = ["7", "0x9c1e"]
#quarantine_eligible = true
#timeout = { budget_s = 120, max_s = 1200 }
"##;

const CARGO: &str = r##"# The command that runs one property on one seed.
[[check]]
id = "props"
preset = "nextest-proptest"
# tests/properties/main.rs names the modules; a property is called "module::name".
run = ["cargo", "nextest", "run", "--test", "properties", "-E", "test(={property})"]
seeds = ["7", "40001"]
# Each run builds in a tree of its own, from nothing. A directory elsewhere saves most of that, but
# the code under test can write there.
#env = { CARGO_TARGET_DIR = "/var/cache/reins/target" }
#quarantine_eligible = true
#timeout = { budget_s = 120, max_s = 1200 }
"##;

const NODE: &str = r##"# The command that runs one property on one seed.
[[check]]
id = "props"
# With jest and fast-check: preset "jest-fast-check"; fast-check reads FAST_CHECK_SEED where you tell it to.
preset = "tap"
# Without --test, which passes a file that holds no test.
run = [
    "node", "--test-reporter=tap", "--test-reporter-destination={result}",
    "--test-name-pattern=^{property}$", "{property_file}",
]
#seeds = ["7", "40001"]
#env = { FAST_CHECK_SEED = "{seed}" }
#quarantine_eligible = true
#timeout = { budget_s = 120, max_s = 1200 }
"##;

const GO: &str = r##"# The command that runs one property on one seed.
[[check]]
id = "props"
preset = "go-test"
# With rapid: "-rapid.seed={seed}" at the end of run.
run = ["go", "test", "-run", "^{property}$", "./properties/..."]
#seeds = ["7", "40001"]
#quarantine_eligible = true
#timeout = { budget_s = 120, max_s = 1200 }
"##;

const RAW: &str = r##"# The command that runs one property on one seed. A program of this repository that it starts belongs
# under paths.properties: elsewhere a patch can change it.
#[[check]]
#id = "props"
#run = ["properties/run", "{property_file}", "{property}", "{seed}"]
#seeds = ["7", "40001"]
#quarantine_eligible = true
#timeout = { budget_s = 120, max_s = 1200 }
"##;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{Policy, parse};

    fn every_draft() -> Vec<Draft> {
        let ledgers = [
            "ledger",
            "spec",
            "docs/reins",
            "tests",
            "properties/a \"b\"",
            ".gitreins/ledger",
        ];
        let protected = [None, Some("refs/heads/main"), Some("refs/heads/a\"b/ä")];
        let mut drafts = Vec::new();
        for (_, preset) in InitPreset::NAMES {
            for (ledger, line) in ledgers
                .iter()
                .flat_map(|ledger| protected.map(|line| (ledger, line)))
            {
                for warn in [false, true] {
                    let (ledger, protected) = (ledger.parse().unwrap(), line.map(str::to_owned));
                    drafts.push(Draft {
                        ledger,
                        protected,
                        preset: *preset,
                        warn,
                    });
                }
            }
        }
        drafts
    }

    fn read(text: &str) -> Policy {
        parse(text.as_bytes()).unwrap_or_else(|fault| panic!("{fault}\n{text}"))
    }

    /// What the text says once every marked setting is in force.
    fn uncommented(text: &str) -> String {
        let line = |line: &str| match line.strip_prefix('#') {
            Some(setting) if !setting.starts_with(' ') => setting.to_owned() + "\n",
            _ => line.to_owned() + "\n",
        };
        text.lines().map(line).collect()
    }

    #[test]
    fn every_draft_says_what_was_asked_for() {
        for options in every_draft() {
            let policy = read(&draft(&options));
            assert_eq!(policy.paths.ledger, options.ledger);
            assert_eq!(
                policy.protect.base,
                Vec::from_iter(options.protected.clone())
            );
            assert_eq!(policy.verdict.require, !options.warn);
            assert_eq!(policy.enforces("refs/heads/main"), !options.warn);
            let checks = if options.preset == InitPreset::Raw {
                0
            } else {
                1
            };
            assert_eq!(policy.property_checks().count(), checks);
            assert_eq!(policy.freeze, Policy::default().freeze);
            assert_eq!(policy.judge, Policy::default().judge);
        }
    }

    #[test]
    fn every_marked_setting_of_a_draft_can_be_put_in_force() {
        for options in every_draft().into_iter().filter(|options| !options.warn) {
            if options.protected.is_some() {
                let policy = read(&uncommented(&draft(&options)));
                assert!(policy.checks[0].quarantine_eligible);
                assert_eq!(policy.tier1.suite_runtime_s, Some(390.0));
                assert_eq!(policy.paths.human_only.len(), 1);
            }
        }
    }

    #[test]
    fn a_usual_ledger_keeps_every_prefix() {
        for (_, preset) in InitPreset::NAMES {
            let ledger = "ledger".parse().unwrap();
            let policy = read(&draft(&Draft {
                ledger,
                protected: None,
                preset: *preset,
                warn: false,
            }));
            let lists = [
                &policy.paths.properties,
                &policy.paths.fixtures,
                &policy.paths.specs,
            ];
            assert!(lists.iter().all(|list| !list.is_empty()));
            assert_eq!(policy.paths.exempt.len(), 1);
        }
    }

    #[test]
    fn lines_fit_a_screen() {
        for options in every_draft() {
            let text = draft(&options);
            assert!(text.lines().all(|line| line.chars().count() <= 128) && text.ends_with('\n'));
            assert!(!text.contains('<'), "{text}");
        }
    }
}
