//! What does a damaged, cut-off or hostile repository get: the healthy answer, a refusal, or none?
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot tell its story fails"
)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use serde_json::json;

use super::crafted::unhex;
use super::healthy::{Healthy, ask, both, refused};
use super::story::{Answer, Story, TODAY, in_parallel};
use crate::support::BINARY;

fn objects(story: &Story) -> Vec<PathBuf> {
    let listed = story
        .shell("find .git/objects -type f -path '*/??/*'")
        .expect(0)
        .stdout;
    let mut paths: Vec<_> = listed.lines().map(|line| story.path(line)).collect();
    paths.sort();
    paths
}

fn writable(path: &PathBuf) {
    fs::set_permissions(path, fs::Permissions::from_mode(0o644)).unwrap();
}

/// Damages one file after the other, each time restoring it, and lists the wrong answers.
fn damage_each(
    healthy: &Healthy,
    paths: &[PathBuf],
    damage: fn(&[u8]) -> Option<Vec<u8>>,
) -> Vec<String> {
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
        let faults: Vec<_> = damages
            .iter()
            .flat_map(|damage| damage_each(&healthy, &paths, *damage))
            .collect();
        healthy.is_unmoved("restored");
        faults
    });
    let faults = faults.concat();
    assert!(
        faults.is_empty(),
        "{} wrong answers\n{}",
        faults.len(),
        faults.join("\n")
    );
}

#[test]
fn any_damaged_pack() {
    let faults = in_parallel(&both(), |make| {
        let healthy = make();
        healthy.story.git(&["repack", "-q", "-a", "-d", "-f"]);
        assert!(objects(&healthy.story).is_empty());
        healthy.is_unmoved("packed");
        let listed = healthy
            .story
            .shell("ls .git/objects/pack/*.pack .git/objects/pack/*.idx")
            .expect(0)
            .stdout;
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
    assert!(
        faults.is_empty(),
        "{} wrong answers\n{}",
        faults.len(),
        faults.join("\n")
    );
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
            story.git(&[
                "clone",
                "-q",
                "--no-checkout",
                "--filter",
                filter,
                &from,
                &place,
            ]);
            let results = story.path("../results.json").display().to_string();
            let range = format!("{}..{}", story.id("main"), story.id("topic"));
            let args = [
                "admit",
                &range,
                "--results",
                &results,
                "--today",
                TODAY,
                "--json",
            ];
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
            assert_eq!(
                after.run.code, healthy.answer.code,
                "{filter}: {}",
                after.run
            );
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
    assert_eq!(
        story.git(&["show", "-s", "--format=%s", "topic"]).trim(),
        "patch one"
    );
    healthy.is_unmoved("a replaced tip");
    story.git(&["replace", "-d", &bad]);
    let blob = |rev: &str| {
        story
            .git(&["rev-parse", &format!("{rev}:ledger/oracle.json")])
            .trim()
            .to_owned()
    };
    story.git(&["replace", &blob("topic~1"), &blob("good")]);
    healthy.is_unmoved("a replaced ledger");
    story.git(&["replace", "-d", &blob("topic~1")]);
    story.git(&["replace", "--graft", &bad, &story.id("topic~2")]);
    healthy.is_unmoved("a graft by replacement");
    story.git(&["replace", "-d", &bad]);
    story.write(
        ".git/info/grafts",
        &format!("{bad} {}\n", story.id("topic~2")),
    );
    assert_eq!(
        story.git(&["rev-list", "--count", "main..topic"]).trim(),
        "2"
    );
    healthy.is_unmoved("a grafts file");
    for (name, value) in [
        ("GIT_REPLACE_REF_BASE", "refs/reins/"),
        ("GIT_GRAFT_FILE", ".git/info/grafts"),
    ] {
        let mut command = story.command(BINARY, &story.path(""));
        command.env(name, value);
        command.args([
            "admit",
            "topic",
            "--results",
            "../results.json",
            "--today",
            TODAY,
            "--json",
        ]);
        assert_eq!(
            story.captured(command.output().unwrap()),
            healthy.answer,
            "{name}"
        );
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
    let forged = forged_graph(
        &fs::read(&path).unwrap(),
        &story.id("topic~1"),
        &story.id("topic~3"),
    );
    fs::write(&path, forged).unwrap();
    let seen = story.git(&["rev-list", "--count", "main..topic"]);
    assert_eq!(
        seen.trim(),
        "3",
        "git believes the graph: the forgery works"
    );
    healthy.is_unmoved("a forged graph");
    fs::write(&path, with_one_level(&fs::read(&path).unwrap())).unwrap();
    healthy.is_unmoved("a graph in which nothing reaches anything");
}

/// A commit-graph file in which `child` has `parent` as its only parent.
fn forged_graph(graph: &[u8], child: &str, parent: &str) -> Vec<u8> {
    let (ids, data) = (chunk(graph, b"OIDL"), chunk(graph, b"CDAT"));
    let count = (data - ids) / 20;
    let place = |id: &str| {
        (0..count)
            .find(|at| graph[ids + at * 20..ids + at * 20 + 20] == unhex(id)[..])
            .unwrap()
    };
    let at = data + place(child) * 36 + 20;
    let mut forged = graph.to_vec();
    forged[at..at + 4].copy_from_slice(&u32::try_from(place(parent)).unwrap().to_be_bytes());
    forged
}

/// A commit-graph file in which every commit is on the same level.
fn with_one_level(graph: &[u8]) -> Vec<u8> {
    let (ids, data) = (chunk(graph, b"OIDL"), chunk(graph, b"CDAT"));
    let mut forged = graph.to_vec();
    for commit in forged[data..].chunks_exact_mut(36).take((data - ids) / 20) {
        commit[28..31].copy_from_slice(&[0, 0, 0]);
        commit[31] = commit[31] & 3 | 1 << 2; // what is left are bits of the date
    }
    forged
}

/// Where a chunk of a commit-graph file begins.
fn chunk(graph: &[u8], name: &[u8]) -> usize {
    let entry = (0..usize::from(graph[6]))
        .map(|at| 8 + at * 12)
        .find(|at| &graph[*at..at + 4] == name);
    let at = entry.unwrap() + 8;
    u32::from_be_bytes(graph[at..at + 4].try_into().unwrap()) as usize
}

#[test]
fn configuration_that_would_run_something() {
    for make in both() {
        let healthy = make();
        let story = &healthy.story;
        story.script(
            "../evil",
            "#!/bin/sh\ntouch \"$(dirname \"$0\")/marker\"\ncat\n",
        );
        let evil = story
            .path("../evil")
            .canonicalize()
            .unwrap()
            .display()
            .to_string();
        fs::create_dir(story.path("../hooks")).unwrap();
        for hook in [
            "post-checkout",
            "post-index-change",
            "reference-transaction",
            "pre-auto-gc",
            "fsmonitor-watchman",
        ] {
            story.script(
                &format!("../hooks/{hook}"),
                &format!("#!/bin/sh\nexec {evil}\n"),
            );
        }
        let hooks = story.path("../hooks").display().to_string();
        let ext = format!("ext::{evil} %S");
        story.git(&["update-ref", "refs/remotes/far/main", "main"]);
        story.git(&[
            "symbolic-ref",
            "refs/remotes/far/HEAD",
            "refs/remotes/far/main",
        ]);
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
        story.write(
            ".git/info/attributes",
            "* filter=f diff=d merge=m ident eol=crlf\n",
        );
        let marker = story.path("../marker");
        let _ = fs::remove_file(&marker);
        let run = ask(story);
        assert_eq!(run, healthy.answer);
        let _ = story.reins(&["check", "topic"]);
        // a missing blob of a promisor is not fetched behind anybody's back
        let id = story.git(&[
            "-c",
            "core.fsmonitor=",
            "rev-parse",
            "topic:ledger/oracle.json",
        ]);
        let _ = fs::remove_file(&marker);
        fs::remove_file(story.path(&format!(".git/objects/{}/{}", &id[..2], id[2..].trim())))
            .unwrap();
        assert_eq!(ask(story).code, Some(128));
        assert!(
            !marker.exists(),
            "the repository's configuration ran a program"
        );
    }
}

#[test]
fn refs_and_files_that_are_garbage() {
    let garbage = [
        (".git/refs/heads/main", "garbage\n"),
        (
            ".git/refs/heads/main",
            "0123456789012345678901234567890123456789\n",
        ),
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
        (
            ".git/config",
            "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tunheardOf = true\n",
        ),
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
    assert!(
        faults.is_empty(),
        "{} wrong answers\n{}",
        faults.len(),
        faults.join("\n")
    );
}
