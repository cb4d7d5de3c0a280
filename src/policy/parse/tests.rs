//! Every bad policy is refused at its key, and every good one says what it says.

use std::collections::BTreeSet;

use super::*;
use crate::policy::{BUILT_IN_CANARIES, Kind, Network, Paths, Timeout};
use crate::presets::{PRESETS, ResultFormat};

const CHECK: &str = "[[check]]\nid = \"a\"\nrun = [\"x\"]\n";

fn read(body: &str) -> Policy {
    let text = format!("schema = 1\n{body}");
    parse(text.as_bytes()).unwrap_or_else(|fault| panic!("{fault}\n{text}"))
}

fn fault(text: &str) -> PolicyFault {
    parse(text.as_bytes()).expect_err(text)
}

/// One bad value each: the key that the fault names, and the text below `schema = 1`.
const BAD: &[(&str, &str)] = &[
    ("frezze", "[frezze]\n"),
    ("\"a b\"", "\"a b\" = 1\n"),
    ("paths", "paths = 1\n"),
    ("paths", "paths = []\n"),
    ("paths", "[[paths]]\n"),
    ("paths.propertys", "[paths]\npropertys = []\n"),
    ("paths.ledger", "[paths]\nledger = 1\n"),
    ("paths.ledger", "[paths]\nledger = \"\"\n"),
    ("paths.ledger", "[paths]\nledger = \".\"\n"),
    ("paths.ledger", "[paths]\nledger = \"ledger/\"\n"),
    ("paths.ledger", "[paths]\nledger = \"/ledger\"\n"),
    ("paths.ledger", "[paths]\nledger = \"a/../b\"\n"),
    ("paths.ledger", "[paths]\nledger = \".git/x\"\n"),
    ("paths.ledger", "[paths]\nledger = \"a\\\\b\"\n"),
    ("paths.ledger", "[paths]\nledger = \".gitreins\"\n"),
    (
        "paths.ledger",
        "[paths]\nledger = \".gitreins/reins.toml\"\n",
    ),
    ("paths.ledger", "[paths]\nledger = \".gitreins/history\"\n"),
    (
        "paths.ledger",
        "[paths]\nledger = \".gitreins/history/x\"\n",
    ),
    (
        "paths.ledger",
        "[paths]\nledger = \"a\"\nhistory = \"a/b\"\n",
    ),
    ("paths.ledger", "[paths]\nproperties = [\"ledger/x\"]\n"),
    (
        "paths.ledger",
        "[paths]\nledger = \"a/b\"\nfixtures = [\"x\", \"a\"]\n",
    ),
    (
        "paths.ledger",
        "[paths]\nledger = \"Spec\"\nspecs = [\"spec\"]\n",
    ),
    ("paths.history", "[paths]\nhistory = true\n"),
    ("paths.history", "[paths]\nhistory = \".gitreins\"\n"),
    (
        "paths.history",
        "[paths]\nhistory = \"fixtures/h\"\nfixtures = [\"fixtures\"]\n",
    ),
    ("paths.properties", "[paths]\nproperties = \"properties\"\n"),
    ("paths.properties[1]", "[paths]\nproperties = [\"a\", 7]\n"),
    ("paths.properties[0]", "[paths]\nproperties = [\"a/\"]\n"),
    (
        "paths.fixtures[2]",
        "[paths]\nfixtures = [\"a\", \"b\", \"a\"]\n",
    ),
    ("paths.specs[0]", "[paths]\nspecs = [\"a//b\"]\n"),
    ("paths.exempt[0]", "[paths]\nexempt = [\"docs/\"]\n"),
    ("paths.exempt", "[paths]\nexempt = [\"ledger\"]\n"),
    (
        "paths.exempt",
        "[paths]\nexempt = [\"docs\", \"ledger/witness\"]\n",
    ),
    (
        "paths.exempt",
        "[paths]\nexempt = [\".gitreins/history/x\"]\n",
    ),
    (
        "paths.exempt",
        "[paths]\nexempt = [\".gitreins/config.yaml\"]\n",
    ),
    (
        "paths.exempt",
        "[paths]\nexempt = [\"docs\"]\nspecs = [\"docs/spec\"]\n",
    ),
    (
        "paths.exempt",
        "[paths]\nexempt = [\"tests/a\"]\nproperties = [\"tests\"]\n",
    ),
    (
        "paths.exempt",
        "[paths]\nexempt = [\"f\"]\nfixtures = [\"f\"]\n",
    ),
    (
        "paths.exempt",
        "[paths]\nexempt = [\"h\"]\nhistory = \"h/i\"\n",
    ),
    ("paths.human_only[0]", "[paths]\nhuman_only = [\"\"]\n"),
    ("protect.base", "[protect]\nbase = \"refs/heads/main\"\n"),
    ("protect.base[0]", "[protect]\nbase = [\"main\"]\n"),
    (
        "protect.base[1]",
        "[protect]\nbase = [\"refs/heads/main\", \"refs/heads/x**\"]\n",
    ),
    (
        "protect.base[1]",
        "[protect]\nbase = [\"refs/heads/main\", \"refs/heads/main\"]\n",
    ),
    (
        "protect.enforce[0]",
        "[protect]\nenforce = [\"heads/**\"]\n",
    ),
    (
        "protect.enforce[0]",
        "[protect]\nenforce = [\"refs/heads/a**\"]\n",
    ),
    ("protect.enforced", "[protect]\nenforced = []\n"),
    ("verdict.require", "[verdict]\nrequire = \"true\"\n"),
    ("verdict.require", "[verdict]\nrequire = 0\n"),
    ("freeze.max_days", "[freeze]\nmax_days = \"x\"\n"),
    ("freeze.max_days", "[freeze]\nmax_days = 30.0\n"),
    ("freeze.max_days", "[freeze]\nmax_days = -1\n"),
    ("freeze.max_days", "[freeze]\nmax_days = 36501\n"),
    (
        "freeze.max_days",
        "[freeze]\nmax_days = 99999999999999999999999\n",
    ),
    ("freeze.max_share", "[freeze]\nmax_share = 1.01\n"),
    ("freeze.max_share", "[freeze]\nmax_share = -0.1\n"),
    ("freeze.max_share", "[freeze]\nmax_share = nan\n"),
    ("freeze.max_share", "[freeze]\nmax_share = inf\n"),
    ("freeze.max_share", "[freeze]\nmax_share = \"0.5\"\n"),
    ("freeze.max_dayz", "freeze = { max_dayz = 3 }\n"),
    ("judge.replays", "[judge]\nreplays = 0\n"),
    ("judge.replays", "[judge]\nreplays = 101\n"),
    ("judge.require[0]", "[judge]\nrequire = [\"net\"]\n"),
    (
        "judge.require[1]",
        "[judge]\nrequire = [\"network\", \"network\"]\n",
    ),
    ("judge.power", "[judge]\npower = \"Witness\"\n"),
    (
        "judge.secret_markers[0]",
        "[judge]\nsecret_markers = [\"\"]\n",
    ),
    (
        "judge.secret_markers[1]",
        "[judge]\nsecret_markers = [\"a\", \"(\"]\n",
    ),
    (
        "judge.secret_markers[0]",
        "[judge]\nsecret_markers = [\"x*\"]\n",
    ),
    (
        "judge.secret_markers[0]",
        "[judge]\nsecret_markers = [\"(x{1000}){1000}\"]\n",
    ),
    ("judge.secret_allow[0]", "[judge]\nsecret_allow = [\" \"]\n"),
    ("judge.public_signature", "[judge]\npublic_signature = []\n"),
    (
        "judge.public_signature[1]",
        "[judge]\npublic_signature = [\"x\", \"{seed}\"]\n",
    ),
    ("judge.seed_probe", "[judge]\nseed_probe = true\n"),
    ("tier1.command", "[tier1]\ncommand = \"make test\"\n"),
    ("tier1.command", "[tier1]\ncommand = []\n"),
    ("tier1.tool_budget_s", "[tier1]\ntool_budget_s = 0\n"),
    ("tier1.tool_budget_s", "[tier1]\ntool_budget_s = 1201\n"),
    ("tier1.tool_budget_s", "[tier1]\nmax_s = 60\n"),
    ("tier1.suite_runtime_s", "[tier1]\nsuite_runtime_s = -1\n"),
    ("tier1.margin", "[tier1]\nmargin = nan\n"),
    ("tier1.max_s", "[tier1]\nmax_s = 86401\n"),
    ("tier1.suite", "[tier1]\nsuite = 1\n"),
    ("foreman.on_complete", "[foreman]\non_complete = [\"\"]\n"),
    (
        "foreman.on_complete[1]",
        "[foreman]\non_complete = [\"x\", \"{task}\"]\n",
    ),
    (
        "foreman.on_complete[0]",
        "[foreman]\non_complete = [\"tools/complete\", \"{task_id}\"]\n",
    ),
    (
        "foreman.on_complete[2]",
        "[foreman]\non_complete = [\"sh\", \"-c\", \"x {task_id}\"]\n",
    ),
    ("foreman.on_fail", "[foreman]\non_fail = [\"x\"]\n"),
    ("check", "[check]\nid = \"a\"\n"),
    ("check[0]", "check = [1]\n"),
    ("check[0].id", "[[check]]\nrun = [\"x\"]\n"),
    ("check[0].id", "[[check]]\nid = \"-a\"\nrun = [\"x\"]\n"),
    (
        "check[0].id",
        "[[check]]\nid = \"parse_diff\"\nrun = [\"x\"]\n",
    ),
    (
        "check[0].id",
        "[[check]]\nid = \"Public_Signature\"\nkind = \"canary\"\nrun = [\"x\"]\n",
    ),
    ("check[0].run", "[[check]]\nid = \"b\"\n"),
    ("check[0].run", "[[check]]\nid = \"b\"\nrun = \"x\"\n"),
    ("check[0].run", "[[check]]\nid = \"b\"\nrun = []\n"),
    (
        "check[0].run[1]",
        "[[check]]\nid = \"b\"\nrun = [\"x\", \"{sed}\"]\n",
    ),
    (
        "check[0].run[1]",
        "[[check]]\nid = \"b\"\nkind = \"canary\"\nrun = [\"x\", \"{property}\"]\n",
    ),
];

/// One bad value each in a check that is otherwise good.
const BAD_CHECK: &[(&str, &str)] = &[
    ("kind", "kind = \"oracle\""),
    ("preset", "preset = \"junit\""),
    ("seeds", "seeds = []"),
    ("seeds[0]", "seeds = [7]"),
    ("seeds[0]", "seeds = [\"\"]"),
    ("seeds[1]", "seeds = [\"7\", \"7\"]"),
    (
        "seeds[1]",
        "preset = \"nextest-proptest\"\nseeds = [\"7\", \"0x9c1e\"]",
    ),
    ("env.A", "env = { A = 1 }"),
    ("env.A", "env = { A = \"{home}\" }"),
    ("env.\"\"", "env = { \"\" = \"x\" }"),
    ("env.\"A=B\"", "env = { \"A=B\" = \"x\" }"),
    ("env", "env = { A = \"1\" }\nenv_unset = [\"A\"]"),
    (
        "env",
        "preset = \"pytest-hypothesis\"\nenv = { CI = \"1\" }",
    ),
    (
        "env",
        "preset = \"nextest-proptest\"\nenv_unset = [\"PROPTEST_RNG_SEED\"]",
    ),
    ("env_unset[0]", "env_unset = [\"A=\"]"),
    ("exit.pass", "exit = { pass = [] }"),
    ("exit.pass", "exit = { pass = 0 }"),
    ("exit.pass[0]", "exit = { pass = [256] }"),
    ("exit.fail[0]", "exit = { fail = [-1] }"),
    ("exit.fail", "exit = { pass = [0, 1] }"),
    ("exit.error", "exit = { error = [2] }"),
    ("result.format", "result = {}"),
    ("result.format", "result = { format = \"xml\" }"),
    ("result.path", "result = { format = \"tap\", path = \"\" }"),
    (
        "result.path",
        "result = { format = \"tap\", path = \"/tmp/x\" }",
    ),
    (
        "result.path",
        "result = { format = \"tap\", path = \"{tree}/../x\" }",
    ),
    (
        "result.path",
        "result = { format = \"tap\", path = \"{out}\" }",
    ),
    (
        "result.require_executed",
        "result = { format = \"tap\", require_executed = 0 }",
    ),
    ("quarantine_eligible", "quarantine_eligible = \"yes\""),
    (
        "quarantine_eligible",
        "kind = \"canary\"\nquarantine_eligible = true",
    ),
    ("timeout", "timeout = 120"),
    ("timeout.budget_s", "timeout = { budget_s = 1.5 }"),
    ("timeout.budget_s", "timeout = { budget_s = 1201 }"),
    ("timeout.measured_s", "timeout = { measured_s = \"390\" }"),
    ("timeout.margin", "timeout = { margin = -0.1 }"),
    ("timeout.max_s", "timeout = { max_s = 0 }"),
    ("timeout.slow", "timeout = { slow = 1 }"),
    ("network", "network = true"),
    ("output_max_mib", "output_max_mib = 0"),
    ("env_pass", "env_pass = [\"PATH\"]"),
];

#[test]
fn a_bad_policy_is_refused_at_its_key() {
    for (key, body) in BAD {
        assert_eq!(fault(&format!("schema = 1\n{body}")).key, *key, "{body}");
    }
    for (key, body) in BAD_CHECK {
        let fault = fault(&format!(
            "schema = 1\n{CHECK}[[check]]\nid = \"b\"\nrun = [\"x\"]\n{body}\n"
        ));
        assert_eq!(fault.key, format!("check[1].{key}"), "{body}");
    }
    let twice = fault(&format!(
        "schema = 1\n{CHECK}{}",
        CHECK.replace("\"a\"", "\"A\"")
    ));
    assert_eq!((twice.key.as_str(), twice.line), ("check[1].id", Some(6)));
}

#[test]
fn every_bad_value_is_the_only_fault_of_its_row() {
    for (_, body) in BAD_CHECK.iter().filter(|(key, _)| !key.contains('.')) {
        let name = body.lines().last().unwrap().split(' ').next().unwrap();
        let rest: Vec<_> = body
            .lines()
            .filter(|line| !line.starts_with(name))
            .collect();
        read(&format!("{CHECK}{}\n", rest.join("\n")));
    }
}

#[test]
fn schema_is_required_and_is_1() {
    for (text, observed) in [
        ("", "absent"),
        ("schema = 2\n", "2"),
        ("schema = \"1\"", "\"1\""),
        ("schema = 1.0", "1.0"),
    ] {
        let fault = fault(text);
        assert_eq!(
            (fault.key.as_str(), fault.observed.as_str()),
            ("schema", observed),
            "{text}"
        );
    }
}

#[test]
fn a_text_that_is_no_policy_at_all_is_refused() {
    let long = format!("schema = 1\n#{}", "x".repeat(SIZE_CAP));
    for (text, line) in [
        (&b"\xef\xbb\xbfschema = 1\n"[..], Some(1)),
        (b"schema = 1\n# \xff\n", Some(2)),
        (b"schema = 1\n\x00", Some(2)),
        (b"schema = 1\nschema = 1\n", Some(2)),
        (
            b"schema = 1\n[freeze]\nmax_days = 1\nmax_days = 2\n",
            Some(4),
        ),
        (b"schema = 1\n[freeze]\n[freeze]\n", Some(3)),
        (b"schema = 1\nfreeze.max_days = 1\n[freeze]\n", Some(3)),
        (b"schema = 1\nx = \n", Some(2)),
        ("schema = 1\n# a\u{202e}b\n".as_bytes(), Some(2)),
        (b"schema = 1\r[freeze]\n", Some(1)),
        (long.as_bytes(), None),
    ] {
        let fault = parse(text).unwrap_err();
        assert_eq!(
            (fault.key.as_str(), fault.line),
            ("the file", line),
            "{fault}"
        );
        assert!(!fault.to_string().chars().any(is_hidden), "{fault:?}");
    }
    let deep = format!("schema = 1\nx = {}\n", "[".repeat(100_000));
    assert_eq!(fault(&deep).key, "the file");
}

#[test]
fn hidden_characters_are_refused_wherever_they_are_decoded() {
    for (key, body) in [
        (
            "judge.secret_allow[0]",
            "[judge]\nsecret_allow = [\"a\\u202eb\"]\n",
        ),
        (
            "judge.secret_allow[0]",
            "[judge]\nsecret_allow = [\"a\u{2066}b\"]\n",
        ),
        (
            "check[0].run[2]",
            "[[check]]\nid = \"a\"\nrun = [\"sh\", \"-c\", \"\"\"a\nb\"\"\"]\n",
        ),
        (
            "check[0].env.A",
            "[[check]]\nid = \"a\"\nrun = [\"x\"]\nenv = { A = \"\\u0000\" }\n",
        ),
        (
            "check[0].env.\"A\\u{200e}\"",
            "[[check]]\nid = \"a\"\nrun = [\"x\"]\nenv = { \"A\\u200e\" = \"\" }\n",
        ),
        ("\"pa\\u{feff}ths\"", "[\"pa\\uFEFFths\"]\n"),
    ] {
        let fault = fault(&format!("schema = 1\n{body}"));
        assert_eq!(fault.key, key);
        assert!(!fault.to_string().chars().any(is_hidden), "{fault:?}");
    }
}

#[test]
fn a_message_names_file_line_key_and_both_values() {
    for (body, message) in [
        (
            "[freeze]\nmax_days = \"x\"\n",
            ".gitreins/reins.toml:3: freeze.max_days is \"x\", expected a whole number of days, at most 36500",
        ),
        (
            "[freeze]\nmax_dayz = 3\n",
            ".gitreins/reins.toml:3: freeze.max_dayz is an unknown key, expected one of max_days, max_share",
        ),
        (
            "[paths]\n\nexempt = [\n  \"docs/\",\n]\n",
            ".gitreins/reins.toml:5: paths.exempt[0] is \"docs/\", expected it without the '/' at the end",
        ),
        (
            "[paths]\nexempt = [\"docs\"]\nspecs = [\"docs/spec\"]\n",
            ".gitreins/reins.toml:3: paths.exempt is \"docs\", expected no overlap with paths.specs, \"docs/spec\"",
        ),
        (
            "[[check]]\nid = \"a\"\n",
            ".gitreins/reins.toml:2: check[0].run is absent, expected it to be written",
        ),
        (
            "[paths]\nspecs = [\"ledger\"]\n",
            ".gitreins/reins.toml:2: paths.ledger is \"ledger\", expected no overlap with paths.specs, \"ledger\"",
        ),
    ] {
        assert_eq!(fault(&format!("schema = 1\n{body}")).to_string(), message);
    }
    assert_eq!(
        fault("").to_string(),
        ".gitreins/reins.toml:1: schema is absent, expected it to be written"
    );
}

#[test]
fn schema_alone_means_the_defaults_of_the_contract() {
    let policy = read("");
    assert_eq!(policy, Policy::default());
    assert_eq!(
        read("[paths]\n[protect]\n[verdict]\n[freeze]\n[judge]\n[tier1]\n[foreman]\n"),
        policy
    );

    let Paths {
        ledger,
        history,
        properties,
        fixtures,
        specs,
        exempt,
        human_only,
    } = policy.paths;
    assert_eq!(
        (ledger.as_str(), history.as_str()),
        ("ledger", ".gitreins/history")
    );
    assert!(
        [properties, fixtures, specs, exempt, human_only]
            .iter()
            .all(Vec::is_empty)
    );
    assert_eq!(policy.protect.base, [""; 0]);
    assert_eq!(policy.protect.enforce, ["refs/heads/**", "refs/tags/**"]);
    assert_eq!(policy.verdict, VerdictRule { require: true });
    assert_eq!(
        policy.freeze,
        FreezeRule {
            max_days: 30,
            max_share: 0.5
        }
    );
    assert_eq!(
        policy.judge,
        Judge {
            replays: 3,
            require: vec![Mechanism::Network, Mechanism::Fixtures],
            power: Power::Claimed,
            secret_markers: vec![],
            secret_allow: vec![],
            public_signature: None,
        }
    );
    assert_eq!(policy.checks, []);
    assert_eq!(
        policy.tier1,
        Tier1 {
            command: vec![],
            tool_budget_s: 120,
            suite_runtime_s: None,
            margin: 0.25,
            max_s: 1200
        }
    );
    assert_eq!(
        policy.foreman,
        Foreman {
            on_complete: vec![]
        }
    );
}

#[test]
fn the_example_of_the_contract_is_read_as_it_stands() {
    let policy = read(
        r#"
[paths]
ledger = "ledger"
history = ".gitreins/history"
properties = ["properties"]        # path prefixes: where property sources live, and harness files
fixtures = ["fixtures"]            # path prefixes: where fixtures live
specs = ["spec"]
exempt = ["docs"]
human_only = ["src/auth"]
[protect]
base = ["refs/heads/main"]
enforce = ["refs/heads/**", "refs/tags/**"]
[verdict]
require = true
[freeze]
max_days = 30
max_share = 0.5
[judge]
replays = 3                       # k of the frozen-seed replay
require = ["network", "fixtures"] # mechanisms without which there is no verdict
power = "claimed"                 # or "witness": claimed rows are smoke
secret_markers = ["ACME-[0-9]{8}"]
secret_allow = ["AKIAIOSFODNN7EXAMPLE"]
public_signature = ["tools/exports", "{before}", "{after}"]
[[check]]
id = "props"
kind = "property"                 # or "canary"
preset = "pytest-hypothesis"
run = ["python3", "-m", "pytest", "-q", "{property_file}::{property}", "--hypothesis-seed={seed}"]
seeds = ["7", "0x9c1e"]           # opaque strings
env = { PYTHONHASHSEED = "0" }
env_unset = ["CI"]
exit = { pass = [0], fail = [1] } # anything else is error
result = { format = "junit", path = "{result}", require_executed = 1 }
quarantine_eligible = true
timeout = { budget_s = 120, measured_s = 390, margin = 0.25, max_s = 1200 }
network = "deny"                  # "allow" makes its properties smoke
output_max_mib = 64
[tier1]
command = ["make", "test", "ARGS=${X} {plain}"]
tool_budget_s = 120
suite_runtime_s = 390
margin = 0.25
max_s = 1200
[foreman]
on_complete = ["/opt/complete", "{task_id}"]
"#,
    );
    assert_eq!(policy.paths.human_only, ["src/auth".parse().unwrap()]);
    assert_eq!(policy.protect.base, ["refs/heads/main"]);
    assert_eq!(
        policy.judge.public_signature.as_deref().map(<[_]>::len),
        Some(3)
    );
    assert_eq!(
        (policy.tier1.command.len(), policy.tier1.suite_runtime_s),
        (3, Some(390.0))
    );
    assert_eq!(policy.foreman.on_complete, ["/opt/complete", "{task_id}"]);

    let check = policy.check("props").unwrap();
    assert_eq!(
        (check.kind, check.preset.name, check.network),
        (Kind::Property, "pytest-hypothesis", Network::Deny)
    );
    assert_eq!(check.seeds, ["7", "0x9c1e"]);
    assert_eq!(check.env["PYTHONHASHSEED"], "0");
    assert_eq!(
        check.env["HYPOTHESIS_STORAGE_DIRECTORY"],
        "{tmp}/hypothesis"
    );
    for name in ["CI", "GITHUB_ACTIONS", "PYTEST_ADDOPTS", "PYTEST_PLUGINS"] {
        assert!(check.env_unset.contains(name), "{name}");
    }
    let result = check.result.as_ref().unwrap();
    assert_eq!(
        (result.format, result.path.as_str(), result.require_executed),
        (ResultFormat::Junit, "{result}", 1)
    );
    assert!(check.quarantine_eligible);
    assert_eq!(
        check.timeout,
        Timeout {
            measured_s: Some(390.0),
            ..Timeout::default()
        }
    );
}

#[test]
fn only_id_and_run_are_required_of_a_check() {
    let policy = read(CHECK);
    let check = &policy.checks[0];
    assert_eq!(
        (check.kind, check.preset.name, check.network),
        (Kind::Property, "raw", Network::Deny)
    );
    assert_eq!(check.seeds, ["0"]);
    assert!(check.env.is_empty() && check.env_unset.is_empty() && check.result.is_none());
    assert!(!check.quarantine_eligible);
    assert_eq!(
        check.timeout,
        Timeout {
            budget_s: 120,
            measured_s: None,
            margin: 0.25,
            max_s: 1200
        }
    );
    assert_eq!(check.output_max_mib, 64);
}

#[test]
fn a_preset_fills_in_what_is_not_written() {
    for preset in PRESETS {
        let name = preset.name;
        let policy = read(&format!("{CHECK}preset = \"{name}\"\n"));
        let check = &policy.checks[0];
        let failed = if name == "nextest-proptest" { 100 } else { 1 };
        assert_eq!(
            (check.preset, &check.exit.pass),
            (*preset, &BTreeSet::from([0]))
        );
        assert_eq!(check.exit.fail, BTreeSet::from([failed]));
    }
    let policy = read(&format!(
        "{CHECK}preset = \"nextest-proptest\"\nexit = {{ fail = [100, 3] }}\nenv = {{ PROPTEST_RNG_SEED = \"7\" }}\n"
    ));
    let check = &policy.checks[0];
    assert_eq!(
        (&check.exit.pass, &check.exit.fail),
        (&BTreeSet::from([0]), &BTreeSet::from([3, 100]))
    );
    assert_eq!(
        (
            check.env["NEXTEST_RETRIES"].as_str(),
            check.env["PROPTEST_RNG_SEED"].as_str()
        ),
        ("0", "7")
    );
}

#[test]
fn numbers_may_be_written_in_any_form_that_means_the_same() {
    let policy = read(
        "freeze = { max_days = 0x1e, max_share = 1 }\n[tier1]\nmax_s = 1_200\nmargin = 2.5e-1\n",
    );
    assert_eq!(
        policy.freeze,
        FreezeRule {
            max_days: 30,
            max_share: 1.0
        }
    );
    assert_eq!(policy.tier1, Tier1::default());
    assert_eq!(read("freeze.max_days = 0").freeze.max_days, 0);
}

#[test]
fn built_in_canaries_have_ids_that_a_check_could_have() {
    for id in BUILT_IN_CANARIES {
        assert!(id.parse::<crate::model::ids::OracleId>().is_ok());
        assert_eq!(
            fault(&format!(
                "schema = 1\n{}",
                CHECK.replace("\"a\"", &format!("\"{id}\""))
            ))
            .key,
            "check[0].id"
        );
    }
}

#[test]
fn prefixes_that_only_look_alike_do_not_overlap() {
    let policy = read(
        "[paths]\nledger = \"spec-ledger\"\nspecs = [\"spec\"]\nexempt = [\"spec.md\", \"docs\", \".gitreins-example\"]\n\
         properties = [\"tests\", \"tests/x\"]\nfixtures = [\"tests/data\"]\nhuman_only = [\"docs/law\", \".gitreins\"]\n",
    );
    assert_eq!(policy.paths.exempt.len(), 3);
}
