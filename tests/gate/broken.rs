//! What does a broken or hostile repository get: the healthy answer, a refusal, or no answer?
#![expect(clippy::unwrap_used, reason = "a test that cannot tell its story fails")]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::process::Stdio;

use serde_json::{Value, json};

use super::story::{Answer, Story, TODAY, in_parallel};
use crate::support::{BINARY, Run};

/// A candidate, and the answer of the repository as it was.
struct Healthy {
    story: Story,
    answer: Run,
}

/// Two healthy repositories: one admits, and one refuses whatever is broken in it.
fn both() -> [fn() -> Healthy; 2] {
    [admitted, refused]
}

fn admitted() -> Healthy {
    let healthy = Healthy::of(Story::honest());
    assert_eq!(healthy.answer.code, Some(0), "{}", healthy.answer);
    healthy
}

/// The row comes after the patch.
fn refused() -> Healthy {
    let story = Story::start();
    story.land_ledgers(&story.ledgers(&[]));
    story.patch("one");
    story.land_ledgers(&story.ledgers(&["bal-01"]));
    let healthy = Healthy::of(story);
    assert_eq!(healthy.answer.code, Some(1), "{}", healthy.answer);
    healthy
}

impl Healthy {
    fn of(story: Story) -> Self {
        story.hand_in("[{\"property_id\": \"bal-01\", \"status\": \"pass\"}]");
        let answer = ask(&story);
        Self { story, answer }
    }

    /// What is wrong with the answer of the repository as it is now, if anything.
    fn fault(&self, what: &str) -> Option<String> {
        let now = ask(&self.story);
        let is_sane = match now.code {
            Some(1 | 3 | 128) => Answer::of(now.clone()).json.is_object() && now.stderr.is_empty(),
            _ => false,
        };
        (now != self.answer && !is_sane).then(|| format!("{what}: {now}"))
    }

    #[track_caller]
    fn holds(&self, what: &str) {
        if let Some(fault) = self.fault(what) {
            panic!("{fault}\nhealthy: {}", self.answer);
        }
    }

    #[track_caller]
    fn is_unmoved(&self, what: &str) {
        assert_eq!(ask(&self.story), self.answer, "{what}");
    }
}

/// Asks about `topic`, for ten seconds at most.
fn ask(story: &Story) -> Run {
    ask_about(story, "topic")
}

fn ask_about(story: &Story, tip: &str) -> Run {
    let mut command = story.command("timeout", &story.path(""));
    command.args(["10", BINARY, "admit", tip, "--results", "../results.json", "--today", TODAY, "--json"]);
    story.captured(command.output().unwrap())
}

fn objects(story: &Story) -> Vec<PathBuf> {
    let listed = story.shell("find .git/objects -type f -path '*/??/*'").expect(0).stdout;
    let mut paths: Vec<_> = listed.lines().map(|line| story.path(line)).collect();
    paths.sort();
    paths
}

fn writable(path: &PathBuf) {
    fs::set_permissions(path, fs::Permissions::from_mode(0o644)).unwrap();
}

/// Damages one file after the other, each time restoring it, and lists the wrong answers.
fn damage_each(healthy: &Healthy, paths: &[PathBuf], damage: fn(&[u8]) -> Option<Vec<u8>>) -> Vec<String> {
    let mut faults = Vec::new();
    for path in paths {
        let whole = fs::read(path).unwrap();
        writable(path);
        match damage(&whole) {
            Some(bytes) => fs::write(path, bytes).unwrap(),
            None => fs::remove_file(path).unwrap(),
        }
        faults.extend(healthy.fault(&path.display().to_string()));
        fs::write(path, whole).unwrap();
    }
    faults
}

#[test]
fn any_loose_object_that_is_gone_or_damaged() {
    let gone: fn(&[u8]) -> Option<Vec<u8>> = |_| None;
    let damages = [
        gone,
        |whole| Some(whole[..whole.len() / 2].to_vec()),
        |_| Some(Vec::new()),
        |whole| Some(whole.iter().map(|byte| byte ^ 0x55).collect()),
        |whole| {
            let mut bytes = whole.to_vec();
            let middle = bytes.len() * 2 / 3;
            bytes[middle] ^= 1;
            Some(bytes)
        },
    ];
    let faults = in_parallel(&both(), |make| {
        let healthy = make();
        let paths = objects(&healthy.story);
        assert!(paths.len() > 20);
        let faults: Vec<_> =
            damages.iter().flat_map(|damage| damage_each(&healthy, &paths, *damage)).collect();
        healthy.is_unmoved("restored");
        faults
    });
    let faults = faults.concat();
    assert!(faults.is_empty(), "{} wrong answers\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn any_damaged_pack() {
    let faults = in_parallel(&both(), |make| {
        let healthy = make();
        healthy.story.git(&["repack", "-q", "-a", "-d", "-f"]);
        assert!(objects(&healthy.story).is_empty());
        healthy.is_unmoved("packed");
        let listed =
            healthy.story.shell("ls .git/objects/pack/*.pack .git/objects/pack/*.idx").expect(0).stdout;
        let mut faults = Vec::new();
        for name in listed.lines() {
            let path = healthy.story.path(name);
            let whole = fs::read(&path).unwrap();
            writable(&path);
            for at in (0..whole.len()).step_by(whole.len() / 100 + 1) {
                let mut bytes = whole.clone();
                bytes[at] ^= 0x10;
                fs::write(&path, bytes).unwrap();
                faults.extend(healthy.fault(&format!("{name} byte {at}")));
            }
            fs::write(&path, &whole[..whole.len() / 2]).unwrap();
            faults.extend(healthy.fault(&format!("half of {name}")));
            fs::write(&path, whole).unwrap();
        }
        faults
    });
    let faults = faults.concat();
    assert!(faults.is_empty(), "{} wrong answers\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn a_history_that_is_cut_off_anywhere() {
    for make in both() {
        let healthy = make();
        let story = &healthy.story;
        let range = story.git(&["rev-list", "main..topic"]);
        for id in story.git(&["rev-list", "topic"]).lines() {
            story.write(".git/shallow", &format!("{id}\n"));
            let run = ask(story);
            if range.contains(id) {
                assert_eq!(Answer::of(run).json["code"], "HISTORY_INCOMPLETE");
            } else {
                healthy.holds(&format!("cut at {id}"));
            }
        }
    }
}

#[test]
fn a_partial_clone() {
    for make in both() {
        let healthy = make();
        let story = &healthy.story;
        story.git(&["config", "uploadpack.allowFilter", "true"]);
        let from = format!("file://{}", story.path("").display());
        for filter in ["blob:none", "tree:0", "blob:limit=100"] {
            let place = format!("../{}", filter.replace(':', "-"));
            story.git(&["clone", "-q", "--no-checkout", "--filter", filter, &from, &place]);
            let results = story.path("../results.json").display().to_string();
            let range = format!("{}..{}", story.id("main"), story.id("topic"));
            let args = ["admit", &range, "--results", &results, "--today", TODAY, "--json"];
            let answer = Answer::of(story.reins_in(&place, &args));
            assert_eq!(
                (answer.run.code, &answer.json["code"]),
                (Some(128), &json!("HISTORY_INCOMPLETE")),
                "{filter}: {}",
                answer.run
            );
            let fix = answer.json["fix"].as_str().unwrap();
            let _ = story.shell(&format!("cd {place} && {fix}")).expect(0);
            let after = Answer::of(story.reins_in(&place, &args));
            assert_eq!(after.run.code, healthy.answer.code, "{filter}: {}", after.run);
        }
    }
}

#[test]
fn replaced_and_grafted_history() {
    let healthy = refused();
    let story = &healthy.story;
    let bad = story.id("topic");
    // the same tree in an honest order
    story.git(&["switch", "-q", "-c", "good", "main"]);
    story.land_ledgers(&story.ledgers(&["bal-01"]));
    story.patch("one");
    let good = story.id("good");
    story.git(&["replace", &bad, &good]);
    assert_eq!(story.git(&["show", "-s", "--format=%s", "topic"]).trim(), "patch one");
    healthy.is_unmoved("a replaced tip");
    story.git(&["replace", "-d", &bad]);
    let blob = |rev: &str| story.git(&["rev-parse", &format!("{rev}:ledger/oracle.json")]).trim().to_owned();
    story.git(&["replace", &blob("topic~1"), &blob("good")]);
    healthy.is_unmoved("a replaced ledger");
    story.git(&["replace", "-d", &blob("topic~1")]);
    story.git(&["replace", "--graft", &bad, &story.id("topic~2")]);
    healthy.is_unmoved("a graft by replacement");
    story.git(&["replace", "-d", &bad]);
    story.write(".git/info/grafts", &format!("{bad} {}\n", story.id("topic~2")));
    assert_eq!(story.git(&["rev-list", "--count", "main..topic"]).trim(), "2");
    healthy.is_unmoved("a grafts file");
    for (name, value) in [("GIT_REPLACE_REF_BASE", "refs/reins/"), ("GIT_GRAFT_FILE", ".git/info/grafts")] {
        let mut command = story.command(BINARY, &story.path(""));
        command.env(name, value);
        command.args(["admit", "topic", "--results", "../results.json", "--today", TODAY, "--json"]);
        assert_eq!(story.captured(command.output().unwrap()), healthy.answer, "{name}");
    }
}

#[test]
fn a_forged_commit_graph() {
    let Healthy { story, .. } = refused();
    story.write("docs/guide.md", "more\n");
    story.commit("docs"); // git reads what it is asked about from the object itself
    let healthy = Healthy::of(story);
    let story = &healthy.story;
    assert_eq!(healthy.answer.code, Some(1));
    story.git(&["commit-graph", "write", "--reachable"]);
    healthy.is_unmoved("with a graph");
    let path = story.path(".git/objects/info/commit-graph");
    writable(&path);
    let forged = forged_graph(&fs::read(&path).unwrap(), &story.id("topic~1"), &story.id("topic~3"));
    fs::write(&path, forged).unwrap();
    let seen = story.git(&["rev-list", "--count", "main..topic"]);
    assert_eq!(seen.trim(), "3", "git believes the graph: the forgery works");
    healthy.is_unmoved("a forged graph");
}

/// A commit-graph file in which `child` has `parent` as its only parent.
fn forged_graph(graph: &[u8], child: &str, parent: &str) -> Vec<u8> {
    let number = |at: usize| u32::from_be_bytes(graph[at..at + 4].try_into().unwrap()) as usize;
    let chunk = |name: &[u8]| {
        let entry = (0..usize::from(graph[6])).map(|at| 8 + at * 12).find(|at| &graph[*at..at + 4] == name);
        number(entry.unwrap() + 8)
    };
    let (ids, data) = (chunk(b"OIDL"), chunk(b"CDAT"));
    let count = (data - ids) / 20;
    let place =
        |id: &str| (0..count).find(|at| graph[ids + at * 20..ids + at * 20 + 20] == unhex(id)[..]).unwrap();
    let at = data + place(child) * 36 + 20;
    let mut forged = graph.to_vec();
    forged[at..at + 4].copy_from_slice(&u32::try_from(place(parent)).unwrap().to_be_bytes());
    forged
}

fn unhex(text: &str) -> Vec<u8> {
    let pairs = text.as_bytes().chunks(2);
    pairs.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

#[test]
fn configuration_that_would_run_something() {
    for make in both() {
        let healthy = make();
        let story = &healthy.story;
        story.script("../evil", "#!/bin/sh\ntouch \"$(dirname \"$0\")/marker\"\ncat\n");
        let evil = story.path("../evil").canonicalize().unwrap().display().to_string();
        fs::create_dir(story.path("../hooks")).unwrap();
        for hook in [
            "post-checkout",
            "post-index-change",
            "reference-transaction",
            "pre-auto-gc",
            "fsmonitor-watchman",
        ] {
            story.script(&format!("../hooks/{hook}"), &format!("#!/bin/sh\nexec {evil}\n"));
        }
        let hooks = story.path("../hooks").display().to_string();
        let ext = format!("ext::{evil} %S");
        for (key, value) in [
            ("core.fsmonitor", evil.as_str()),
            ("core.hooksPath", &hooks),
            ("core.pager", &evil),
            ("core.sshCommand", &evil),
            ("core.askPass", &evil),
            ("core.editor", &evil),
            ("diff.external", &evil),
            ("diff.d.textconv", &evil),
            ("diff.d.command", &evil),
            ("filter.f.clean", &evil),
            ("filter.f.smudge", &evil),
            ("filter.f.process", &evil),
            ("merge.m.driver", &evil),
            ("gpg.program", &evil),
            ("credential.helper", &evil),
            ("core.gitProxy", &evil),
            ("remote.far.url", &ext),
            ("remote.far.promisor", "true"),
            ("extensions.partialClone", "far"),
            ("protocol.ext.allow", "always"),
            ("core.alternateRefsCommand", &evil),
        ] {
            story.git(&["config", key, value]);
        }
        story.write(".git/info/attributes", "* filter=f diff=d merge=m ident eol=crlf\n");
        let marker = story.path("../marker");
        let _ = fs::remove_file(&marker);
        let run = ask(story);
        assert_eq!(run, healthy.answer);
        let _ = story.reins(&["check", "topic"]);
        // a missing blob of a promisor is not fetched behind anybody's back
        let id = story.git(&["-c", "core.fsmonitor=", "rev-parse", "topic:ledger/oracle.json"]);
        let _ = fs::remove_file(&marker);
        fs::remove_file(story.path(&format!(".git/objects/{}/{}", &id[..2], id[2..].trim()))).unwrap();
        assert_eq!(ask(story).code, Some(128));
        assert!(!marker.exists(), "the repository's configuration ran a program");
    }
}

/// Writes an object as it is.
fn object(story: &Story, kind: &str, bytes: &[u8]) -> String {
    let mut command = story.command("git", &story.path(""));
    command.args(["hash-object", "-t", kind, "-w", "--literally", "--stdin"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(bytes).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// The raw entries of a tree.
fn entries(story: &Story, tree: &str) -> Vec<(String, Vec<u8>, String)> {
    let listed = story.git(&["ls-tree", "-z", tree]);
    let rows = listed.split_terminator('\0').map(|row| {
        let (head, name) = row.split_once('\t').unwrap();
        let words: Vec<_> = head.split(' ').collect();
        (words[0].trim_start_matches('0').to_owned(), name.as_bytes().to_vec(), words[2].to_owned())
    });
    rows.collect()
}

fn tree(story: &Story, entries: &[(String, Vec<u8>, String)]) -> String {
    let mut bytes = Vec::new();
    for (mode, name, id) in entries {
        bytes.extend_from_slice(mode.as_bytes());
        bytes.push(b' ');
        bytes.extend_from_slice(name);
        bytes.push(0);
        bytes.extend(unhex(id));
    }
    object(story, "tree", &bytes)
}

/// Commits a tree on top of `topic`, without looking at it.
fn commit_tree(story: &Story, tree: &str) -> String {
    let id = story.git(&["commit-tree", "-p", "topic", "-m", "crafted", tree]);
    id.trim().to_owned()
}

/// `topic` with its root tree, or one directory in it, rewritten entry by entry.
fn crafted(story: &Story, inner: &str, bend: impl FnOnce(&mut Vec<(String, Vec<u8>, String)>)) -> String {
    let place = if inner.is_empty() { "topic^{tree}".to_owned() } else { format!("topic:{inner}") };
    let mut inside = entries(story, &place);
    bend(&mut inside);
    let mut made = tree(story, &inside);
    if !inner.is_empty() {
        let mut root = entries(story, "topic^{tree}");
        root.iter_mut().find(|(_, name, _)| name == inner.as_bytes()).unwrap().2 = made;
        made = tree(story, &root);
    }
    commit_tree(story, &made)
}

#[test]
fn trees_with_names_that_no_checkout_survives() {
    for make in both() {
        let healthy = make();
        let story = &healthy.story;
        let blob = object(story, "blob", b"x\n");
        for name in ["..", ".", ".git", ".GIT", ".Git", "", "a/b", ".git/config"] {
            for inner in ["", "docs", "src", "ledger", "properties"] {
                let tip = crafted(story, inner, |entries| {
                    entries.insert(0, ("100644".to_owned(), name.as_bytes().to_vec(), blob.clone()));
                });
                let answer = Answer::of(ask_about(story, &tip));
                let is_refused = matches!(answer.run.code, Some(1 | 128));
                assert!(is_refused, "{inner}/{name:?}: {}", answer.run);
            }
        }
        let tip = crafted(story, "docs", |entries| {
            entries.insert(0, ("100644".to_owned(), b"..".to_vec(), blob.clone()));
        });
        assert!(Answer::of(ask_about(story, &tip)).refusals().contains(&"PATH_UNSAFE"));
    }
}

#[test]
fn an_entry_that_stands_in_a_tree_twice() {
    let evil = "def balance(a, b):\n    return 0\n";
    for inner in ["", "src", "ledger", "properties", "spec", "fixtures", "docs"] {
        for first in [true, false] {
            let healthy = admitted();
            let story = &healthy.story;
            story.land();
            let blob = object(story, "blob", evil.as_bytes());
            let tip = crafted(story, inner, |entries| {
                let mut double = entries[0].clone();
                if double.0 == "40000" {
                    double = entries.iter().find(|(_, name, _)| name == b"src").unwrap().clone();
                    double.2 = tree(story, &[("100644".to_owned(), b"account.py".to_vec(), blob.clone())]);
                } else {
                    double.2.clone_from(&blob);
                }
                let at = entries.iter().position(|(_, name, _)| *name == double.1).unwrap();
                entries.insert(at + usize::from(!first), double);
            });
            // beside an exempt change that would be admitted alone
            let answer = Answer::of(ask_about(story, &tip));
            assert_ne!(answer.run.code, Some(0), "{inner}, first {first}: {}", answer.run);
            story.git(&["update-ref", "refs/heads/topic", &tip]);
            let docs = object(story, "blob", b"more\n");
            let tip = crafted(story, "docs", |entries| entries[0].2 = docs);
            let answer = Answer::of(ask_about(story, &tip));
            assert_ne!(answer.run.code, Some(0), "{inner}, first {first}, with docs: {}", answer.run);
        }
    }
}

#[test]
fn a_file_and_a_directory_of_one_name() {
    for (inner, dirty) in [("", "src"), ("", "docs"), ("", "ledger"), ("", "properties")] {
        let healthy = admitted();
        let story = &healthy.story;
        story.land();
        let blob = object(story, "blob", b"x\n");
        let code = tree(story, &[("100644".to_owned(), b"account.py".to_vec(), blob.clone())]);
        let tip = crafted(story, inner, |entries| {
            let at = entries.iter().position(|(_, name, _)| name == dirty.as_bytes()).unwrap();
            entries.insert(at, ("100644".to_owned(), dirty.as_bytes().to_vec(), blob));
            entries.iter_mut().find(|(_, name, _)| name == b"src").unwrap().2 = code;
        });
        let answer = Answer::of(ask_about(story, &tip));
        assert_eq!(answer.run.code, Some(128), "{dirty}: {}", answer.run);
    }
}

#[test]
fn a_tree_that_is_out_of_order() {
    for make in both() {
        for inner in ["", "ledger", "properties"] {
            let healthy = make();
            let story = &healthy.story;
            let tip = crafted(story, inner, |entries| entries.reverse());
            let answer = Answer::of(ask_about(story, &tip));
            assert!(matches!(answer.run.code, Some(1 | 128)) || answer.run.code == healthy.answer.code);
        }
        // code that hides behind the wrong order
        let healthy = make();
        let story = &healthy.story;
        story.land();
        let blob = object(story, "blob", b"x\n");
        let tip = crafted(story, "src", |entries| {
            entries.insert(0, ("100644".to_owned(), b"zzz.py".to_vec(), blob.clone()));
            entries.push(("100644".to_owned(), b"aaa.py".to_vec(), blob));
        });
        let answer = Answer::of(ask_about(story, &tip));
        assert!(
            answer.json["patch_commits"].as_array().is_none_or(|commits| commits.len() == 1),
            "{}",
            answer.run
        );
    }
}

#[test]
fn entries_of_odd_modes() {
    for (mode, inner) in [
        ("100664", "ledger"),
        ("100755", "ledger"),
        ("120000", "ledger"),
        ("160000", "ledger"),
        ("40000", "ledger"),
        ("100600", "properties"),
        ("120000", "properties"),
        ("100664", "fixtures"),
        ("160000", "fixtures"),
        ("120000", "spec"),
    ] {
        let healthy = admitted();
        let story = &healthy.story;
        let tip =
            crafted(story, inner, |entries| entries.iter_mut().for_each(|entry| entry.0 = mode.to_owned()));
        let answer = Answer::of(ask_about(story, &tip));
        assert!(matches!(answer.run.code, Some(1 | 128)), "{mode} in {inner}: {}", answer.run);
    }
}

#[test]
fn trees_that_never_end() {
    let healthy = admitted();
    let story = &healthy.story;
    let deep = nested(story, 3_000);
    for inner in ["", "src", "docs", "ledger", "properties", "fixtures", "spec"] {
        let tip = crafted(story, inner, |entries| {
            entries.push(("40000".to_owned(), b"zzz".to_vec(), deep.clone()))
        });
        let run = ask_about(story, &tip);
        assert!(matches!(run.code, Some(1 | 128)), "{inner}: {run}");
    }
}

/// A file that many directories lie above.
fn nested(story: &Story, depth: usize) -> String {
    let blob = object(story, "blob", b"x\n");
    let mut command = story.command("git", &story.path(""));
    command.args(["mktree", "--batch"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut entry = format!("100644 blob {blob}\tf");
    let mut id = String::new();
    for _ in 0..depth {
        stdin.write_all(format!("{entry}\n\n").as_bytes()).unwrap();
        id = lines.next().unwrap().unwrap();
        entry = format!("040000 tree {id}\td");
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
    id
}

#[test]
fn ledgers_that_are_no_ledgers() {
    let bent = |name: &str, bend: &dyn Fn(String) -> Vec<u8>| {
        let story = Story::start();
        story.put(&story.ledgers(&["bal-01"]));
        let path = story.path(name);
        fs::write(&path, bend(story.read(name))).unwrap();
        story.commit("ledgers");
        story.patch("one");
        story.hand_in("[{\"property_id\": \"bal-01\", \"status\": \"pass\"}]");
        Answer::of(ask(&story))
    };
    let invalid = |name: &str, what: &str, bend: &dyn Fn(String) -> Vec<u8>| {
        let answer = bent(name, bend);
        assert_eq!(
            (answer.run.code, answer.refusals()),
            (Some(1), vec!["LEDGER_INVALID"]),
            "{what}: {}",
            answer.run
        );
    };
    for name in ["ledger/oracle.json", "ledger/fixture.json", "ledger/freezes.json"] {
        invalid(name, "a byte order mark", &|text| format!("\u{feff}{text}").into_bytes());
        invalid(name, "nothing", &|_| Vec::new());
        invalid(name, "no UTF-8", &|text| {
            text.replace("git-reins", "git\u{0}reins")
                .into_bytes()
                .iter()
                .map(|byte| if *byte == 0 { 0xff } else { *byte })
                .collect()
        });
        invalid(name, "a tail", &|text| format!("{text}{{}}").into_bytes());
        invalid(name, "two members", &|text| {
            text.replacen("\"schema\"", "\"schema\": \"x\", \"schema\"", 1).into_bytes()
        });
        invalid(name, "depth", &|_| [vec![b'['; 200_000], vec![b']'; 200_000]].concat());
        invalid(name, "depth in a member", &|text| {
            let deep = "[".repeat(200_000) + &"]".repeat(200_000);
            text.replacen("\"schema\"", &format!("\"x\": {deep}, \"schema\""), 1).into_bytes()
        });
        invalid(name, "100 MB of space", &|text| (text + &" ".repeat(100 << 20)).into_bytes());
        invalid(name, "2 MB of space", &|text| (text + &" ".repeat(2 << 20)).into_bytes());
        invalid(name, "conflict markers", &|text| {
            format!("<<<<<<< ours\n{text}=======\n{text}>>>>>>> theirs\n").into_bytes()
        });
        let crlf = bent(name, &|text| text.replace('\n', "\r\n").into_bytes());
        crlf.admits();
    }
}

#[test]
fn ledgers_that_collide_or_lie_elsewhere() {
    let with = |name: &str, act: &dyn Fn(&Story)| {
        let story = Story::honest();
        act(&story);
        story.commit(name);
        story.hand_in("[{\"property_id\": \"bal-01\", \"status\": \"pass\"}]");
        Answer::of(ask(&story))
    };
    let weak = "{\"schema\": \"git-reins/oracle/1\", \"oracles\": []}\n";
    for name in [
        "ledger/Oracle.json",
        "ledger/oracle.JSON",
        "Ledger/oracle.json",
        ".Gitreins/reins.toml",
        ".gitreins/Reins.toml",
    ] {
        let answer = with(name, &|story| story.write(name, weak));
        assert!(answer.refusals().contains(&"LEDGER_INVALID"), "{name}: {}", answer.run);
    }
    let link = with("link", &|story| {
        story.git(&["mv", "ledger/oracle.json", "docs/o.json"]);
        symlink("../docs/o.json", story.path("ledger/oracle.json")).unwrap();
    });
    assert!(link.refusals().contains(&"LEDGER_INVALID"), "{}", link.run);
    let directory = with("directory", &|story| {
        story.git(&["mv", "ledger", "docs/ledger"]);
        symlink("docs/ledger", story.path("ledger")).unwrap();
    });
    assert_eq!(directory.run.code, Some(1), "{}", directory.run);
}

#[test]
fn refs_and_files_that_are_garbage() {
    let garbage = [
        (".git/refs/heads/main", "garbage\n"),
        (".git/refs/heads/main", "0123456789012345678901234567890123456789\n"),
        (".git/refs/heads/main", "ref: refs/heads/main\n"),
        (".git/refs/heads/main", ""),
        (".git/refs/heads/topic", "garbage\n"),
        (".git/refs/heads/topic", "ref: refs/heads/topic\n"),
        (".git/packed-refs", "garbage\n"),
        (".git/HEAD", "garbage\n"),
        (".git/HEAD", "ref: HEAD\n"),
        (".git/HEAD", ""),
        (".git/index", "garbage\n"),
        (".git/config", "[core\n"),
        (".git/config", "[core]\n\trepositoryformatversion = 99\n"),
        (".git/config", "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tunheardOf = true\n"),
        (".git/shallow", "garbage\n"),
        (".git/objects/info/alternates", "/nowhere\n"),
        (".git/objects/info/alternates", "../objects\n"),
        (".git/objects/info/commit-graph", "garbage\n"),
        (".git/objects/pack/multi-pack-index", "garbage\n"),
        (".git/info/grafts", "garbage\n"),
        (".git/info/attributes", "[attr\n"),
    ];
    let faults = in_parallel(&garbage, |(path, text)| {
        both().map(|make| {
            let healthy = make();
            healthy.story.write(path, text);
            healthy.fault(&format!("{path}: {text:?}"))
        })
    });
    let faults: Vec<_> = faults.into_iter().flatten().flatten().collect();
    assert!(faults.is_empty(), "{} wrong answers\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn commits_with_odd_dates() {
    for make in both() {
        for dates in [
            "0 +0000",
            "4102444800 +0000",
            "1 -1200",
            "9223372036854775807 +0000",
            "-5 +0000",
            "99999999999999999999 +0000",
        ] {
            let healthy = make();
            let story = &healthy.story;
            let mut parent = story.id("main");
            for (at, id) in story.git(&["rev-list", "--reverse", "main..topic"]).lines().enumerate() {
                let whole = story.git(&["cat-file", "commit", id]);
                let tree = whole.lines().next().unwrap();
                // every second commit keeps its date
                let date = if at % 2 == 0 { dates } else { "1790000500 +0000" };
                let who = format!("Ada <ada@example.org> {date}");
                let text = format!("{tree}\nparent {parent}\nauthor {who}\ncommitter {who}\n\nx\n");
                parent = object(story, "commit", text.as_bytes());
            }
            let now = Answer::of(ask_about(story, &parent));
            let before: Value = serde_json::from_str(&healthy.answer.stdout).unwrap();
            let is_same = now.run.code == healthy.answer.code && now.json["refusals"] == before["refusals"];
            assert!(is_same || matches!(now.run.code, Some(1 | 128)), "{dates}: {}", now.run);
            if dates.len() < 20 {
                assert!(is_same, "{dates}: {}", now.run);
            }
        }
    }
}
