//! The process of each preset is the one that its tool needs.

use super::*;

struct World {
    policy: String,
    prefixes: Vec<RepoPath>,
    files: BTreeSet<RepoPath>,
}

fn paths<C: FromIterator<RepoPath>>(names: &[&str]) -> C {
    names.iter().map(|name| name.parse().unwrap()).collect()
}

fn world(check: &str) -> World {
    let policy = format!("schema = 1\n[[check]]\nid = \"c\"\n{check}\n");
    World {
        policy,
        prefixes: paths(&["properties"]),
        files: paths(&["properties/deep/p.py"]),
    }
}

impl World {
    fn pinned(mut self, prefixes: &[&str], files: &[&str]) -> Self {
        (self.prefixes, self.files) = (paths(prefixes), paths(files));
        self
    }

    fn build(&self, property: Option<(&str, &str)>) -> Result<Invocation, CommandError> {
        let policy = crate::policy::parse(self.policy.as_bytes()).unwrap();
        let file = property.map(|(name, file)| (name, file.parse::<RepoPath>().unwrap()));
        let subject = Subject {
            property: file.as_ref().map(|(name, file)| (*name, file)),
            seed: "7",
        };
        let [tree, fixtures, tmp, result] = ["/t", "/f", "/tmp", "/tmp/r"].map(Path::new);
        let pinned = Pinned {
            prefixes: &self.prefixes,
            files: &self.files,
        };
        build(
            policy.check("c").unwrap(),
            subject,
            Places {
                tree,
                fixtures,
                tmp,
                result,
            },
            pinned,
        )
    }

    fn argv(&self) -> Vec<String> {
        let built = self.build(Some(("holds", "properties/deep/p.py"))).unwrap();
        built
            .argv
            .into_iter()
            .map(|word| word.into_string().unwrap())
            .collect()
    }

    fn line(&self) -> String {
        self.argv().join(" ")
    }
}

#[test]
fn every_placeholder_is_filled_once() {
    let world = world(
        "run = [\"x\", \"{property}{seed}\", \"{property_file}\", \"{tree}/a\", \"{fixtures}\", \"{tmp}\", \"{result}\", \"{}\"]\nenv = { A = \"{seed}{tmp}\" }",
    );
    let built = world
        .build(Some(("{seed}", "properties/deep/p.py")))
        .unwrap();
    assert_eq!(
        built.argv,
        [
            "x",
            "{seed}7",
            "properties/deep/p.py",
            "/t/a",
            "/f",
            "/tmp",
            "/tmp/r",
            "{}"
        ]
    );
    assert_eq!(
        built.env,
        BTreeMap::from([("A".to_owned(), "7/tmp".into())])
    );
    assert_eq!((built.result, built.files.len()), (None, 0));
}

#[test]
fn what_has_no_value_or_would_be_an_option_is_refused() {
    let one = world("run = [\"x\", \"{property}\"]");
    let hole = CommandError::NoValue {
        check: "c".to_owned(),
        hole: "property".to_owned(),
    };
    assert_eq!(one.build(None), Err(hole));
    assert!(matches!(
        one.build(Some(("--x", "p"))),
        Err(CommandError::OptionLike { .. })
    ));
    assert!(
        world("run = [\"x\", \"-k={property}\"]")
            .build(Some(("--x", "p")))
            .is_ok()
    );
}

#[test]
fn pytest_is_configured_by_nothing_of_the_candidate() {
    let run = "preset = \"pytest-hypothesis\"\nrun = [\"python3\", \"-m\", \"pytest\", \"-q\", \"{property_file}::{property}\"]\nenv = { PYTHONPATH = \"lib\" }";
    let built = world(run)
        .build(Some(("holds", "properties/deep/p.py")))
        .unwrap();
    let line = built
        .argv
        .join(OsString::from(" ").as_os_str())
        .into_string()
        .unwrap();
    assert_eq!(
        line,
        "python3 -m pytest -c /tmp/pytest.ini --confcutdir /t/properties --rootdir /t -p reins_tree \
         -p no:cacheprovider -p no:rerunfailures -p no:flaky --hypothesis-seed=7 --junit-xml=/tmp/r \
         -q properties/deep/p.py::holds"
    );
    assert_eq!(built.files[Path::new("/tmp/pytest.ini")], b"[pytest]\n");
    assert_eq!(built.env["PYTHONPATH"], "/tmp/reins-python:lib");
    assert_eq!(built.env["HYPOTHESIS_STORAGE_DIRECTORY"], "/tmp/hypothesis");
    for name in ["CI", "GITHUB_ACTIONS", "PYTEST_ADDOPTS", "PYTEST_PLUGINS"] {
        assert!(
            built.env_unset.contains(name) && !built.env.contains_key(name),
            "{name}"
        );
    }
    let expected = Source::File("/tmp/r".into());
    assert_eq!(
        built.result,
        Some(Expected {
            format: ResultFormat::Junit,
            source: expected,
            require_executed: 1
        })
    );
}

#[test]
fn pinned_configuration_is_the_nearest_that_the_candidate_cannot_write() {
    let run = "preset = \"pytest\"\nrun = [\"pytest\", \"{property_file}\"]";
    for (prefixes, files, expected) in [
        (
            &["properties"][..],
            &["properties/pytest.ini"][..],
            "-c /t/properties/pytest.ini --confcutdir /t/properties ",
        ),
        (
            &["properties"],
            &["properties/deep/pytest.ini", "properties/pytest.ini"],
            "-c /t/properties/deep/pytest.ini --confcutdir /t/properties ",
        ),
        (
            &["properties", "conftest.py", "pytest.ini"],
            &["pytest.ini"],
            "-c /t/pytest.ini --confcutdir /t ",
        ),
        // a file of that name that is no material counts for nothing
        (
            &["properties"],
            &["pytest.ini"],
            "-c /tmp/pytest.ini --confcutdir /t/properties ",
        ),
        (
            &["properties/deep/p.py"],
            &[],
            "-c /tmp/pytest.ini --noconftest ",
        ),
        (
            &["properties/deep/p.py", "conftest.py"],
            &[],
            "-c /tmp/pytest.ini --noconftest ",
        ),
    ] {
        let line = world(run).pinned(prefixes, files).line();
        assert!(
            line.starts_with(&format!("pytest {expected}")),
            "{prefixes:?} {line}"
        );
    }
    let canary =
        world("kind = \"canary\"\npreset = \"pytest\"\nrun = [\"pytest\", \"properties/lint.py\"]");
    let built = canary.build(None).unwrap();
    assert!(
        built
            .argv
            .windows(2)
            .any(|pair| pair == ["--confcutdir", "/t/properties"])
    );
}

#[test]
fn results_that_are_declared_are_not_asked_for_twice() {
    let own = world("preset = \"pytest\"\nrun = [\"pytest\", \"--junit-xml={result}\"]");
    assert_eq!(own.line().matches("--junit-xml").count(), 1);
    let elsewhere = world(
        "preset = \"pytest\"\nrun = [\"pytest\", \"--junit-xml=out/r.xml\"]\nresult = { format = \"junit\", path = \"out/r.xml\", require_executed = 3 }",
    );
    assert_eq!(elsewhere.line().matches("--junit-xml").count(), 1);
    let built = elsewhere
        .build(Some(("holds", "properties/deep/p.py")))
        .unwrap();
    assert_eq!(
        built.result.unwrap(),
        Expected {
            format: ResultFormat::Junit,
            source: Source::File("/t/out/r.xml".into()),
            require_executed: 3
        }
    );
    let tap = world("preset = \"tap\"\nrun = [\"prove\", \"{result}\"]")
        .build(None)
        .unwrap();
    let file = Source::File(PathBuf::from("/tmp/r"));
    assert_eq!(
        tap.result,
        Some(Expected {
            format: ResultFormat::Tap,
            source: file.clone(),
            require_executed: 1
        })
    );
    let told = world("preset = \"tap\"\nrun = [\"x\"]\nenv = { OUT = \"{result}\" }")
        .build(None)
        .unwrap();
    assert_eq!(told.result.unwrap().source, file);
    let prints = world("preset = \"tap\"\nrun = [\"x\"]")
        .build(None)
        .unwrap();
    assert_eq!(prints.result.unwrap().source, Source::Stdout);
    let declared =
        world("preset = \"tap\"\nrun = [\"x\"]\nresult = { format = \"tap\", path = \"out.tap\" }");
    let source = declared.build(None).unwrap().result.unwrap().source;
    assert_eq!(source, Source::File(PathBuf::from("/t/out.tap")));
}

#[test]
fn the_other_presets() {
    let nextest = world(
        "preset = \"nextest-proptest\"\nrun = [\"cargo\", \"+stable\", \"nextest\", \"run\", \"-E\", \"test(={property})\"]",
    );
    assert_eq!(
        nextest.line(),
        "cargo +stable nextest run --config-file /tmp/nextest.toml -E test(=holds)"
    );
    let built = nextest.build(Some(("holds", "p"))).unwrap();
    for (name, value) in [
        ("PROPTEST_RNG_SEED", "7"),
        ("NEXTEST_RETRIES", "0"),
        ("PROPTEST_DISABLE_FAILURE_PERSISTENCE", "1"),
    ] {
        assert_eq!(built.env[name], value);
    }
    let own = b"[profile.default.junit]\npath = \"/tmp/r\"\n";
    assert_eq!(built.files[Path::new("/tmp/nextest.toml")], own);
    assert_eq!(built.result.unwrap().format, ResultFormat::Junit);
    let pinned = nextest.pinned(
        &["properties", ".config/nextest.toml"],
        &[".config/nextest.toml"],
    );
    assert!(
        pinned
            .line()
            .contains("run --config-file /t/.config/nextest.toml -E")
    );
    // where it writes its results is up to that file
    assert_eq!(pinned.build(Some(("holds", "p"))).unwrap().result, None);
    let jest =
        world("preset = \"jest-fast-check\"\nrun = [\"npx\", \"jest\", \"{property_file}\"]");
    assert_eq!(
        jest.line(),
        "npx jest --config /tmp/jest.config.json --ci --passWithNoTests=false --runTestsByPath --json --outputFile=/tmp/r properties/deep/p.py"
    );
    let go = world(
        "preset = \"go-test\"\nrun = [\"go\", \"test\", \"-run\", \"^{property}$\", \"./...\"]",
    );
    assert_eq!(go.line(), "go test -count=1 -json -run ^holds$ ./...");
    assert_eq!(
        go.build(Some(("holds", "p")))
            .unwrap()
            .result
            .unwrap()
            .source,
        Source::Stdout
    );
}

#[test]
fn a_preset_wants_its_tool_in_sight() {
    for run in [
        "preset = \"pytest\"\nrun = [\"sh\", \"-c\", \"pytest -q\"]",
        "preset = \"nextest-proptest\"\nrun = [\"cargo\", \"test\"]",
        "preset = \"nextest-proptest\"\nrun = [\"run\", \"nextest\"]",
        "preset = \"jest-fast-check\"\nrun = [\"npm\", \"test\"]",
        "preset = \"go-test\"\nrun = [\"make\", \"test\"]",
    ] {
        assert!(
            matches!(
                world(run).build(Some(("holds", "p"))),
                Err(CommandError::NoTool { .. })
            ),
            "{run}"
        );
    }
}
