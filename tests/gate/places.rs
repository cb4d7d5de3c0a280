//! Is it the same answer wherever one stands, and an honest error where there is none?
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot tell its story fails"
)]

use std::fs::File;
use std::process::{Command, Stdio};

use serde_json::json;

use super::story::{Answer, Story, TODAY};
use crate::support::{BINARY, Repo, Run};

/// An honest candidate and how to ask about it from anywhere.
struct Asked {
    story: Story,
    args: Vec<String>,
}

fn asked() -> Asked {
    asked_about(Story::honest())
}

fn asked_about(story: Story) -> Asked {
    let results = story.hand_in("[{\"property_id\": \"bal-01\", \"status\": \"pass\"}]");
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
    Asked {
        args: args.map(str::to_owned).to_vec(),
        story,
    }
}

impl Asked {
    fn from(&self, inner: &str, before: &[&str]) -> Run {
        let args: Vec<_> = before
            .iter()
            .copied()
            .chain(self.args.iter().map(String::as_str))
            .collect();
        self.story.reins_in(inner, &args)
    }

    fn command(&self, inner: &str) -> Command {
        let mut command = self.story.command(BINARY, &self.story.path(inner));
        command.args(&self.args);
        command
    }

    fn run(&self, command: &mut Command) -> Run {
        self.story.captured(command.output().unwrap())
    }
}

#[test]
fn the_answer_does_not_depend_on_where_one_stands() {
    let asked = asked();
    let story = &asked.story;
    let here = asked.from("", &[]).expect(0);
    let same = |place: &str, run: Run| assert_eq!(run, here, "{place}");
    same("a subdirectory", asked.from("src", &[]));
    same("-C", asked.from("..", &["-C", "repo"]));
    same(
        "-C twice",
        asked.from("..", &["-C", "repo/src", "-C", "../docs"]),
    );
    same("--git-dir", asked.from("..", &["--git-dir", "repo/.git"]));
    same("the git directory", asked.from(".git", &[]));
    same(
        "GIT_DIR",
        asked.run(asked.command("..").env("GIT_DIR", story.path(".git"))),
    );
    same(
        "an odd locale",
        asked.run(
            asked
                .command("")
                .env("LC_ALL", "C")
                .env("TZ", "Pacific/Kiritimati"),
        ),
    );

    story.git(&["worktree", "add", "-q", "-b", "linked", "../linked", "main"]);
    same("a linked worktree", asked.from("../linked/src", &[]));
    story.git(&["clone", "-q", "--bare", ".", "../bare.git"]);
    same("a bare clone", asked.from("../bare.git", &[]));
    same(
        "a bare clone by --git-dir",
        asked.from("..", &["--git-dir", "bare.git"]),
    );
    story.git(&["clone", "-q", "--shared", ".", "../shared"]);
    assert!(
        story
            .read("../shared/.git/objects/info/alternates")
            .contains("objects")
    );
    same("objects elsewhere", asked.from("../shared", &[]));
    story.git(&[
        "clone",
        "-q",
        "--no-local",
        "--depth",
        "50",
        "--no-single-branch",
        &format!("file://{}", story.path("").display()),
        "../deep",
    ]);
    same("a clone that is deep enough", asked.from("../deep", &[]));

    story.git(&["update-index", "--split-index"]);
    story.git(&["config", "core.untrackedCache", "true"]);
    same("a split index", asked.from("", &[]));
    story.git(&["repack", "-q", "-a", "-d", "-f"]);
    story.git(&["pack-refs", "--all"]);
    story.git(&["commit-graph", "write", "--reachable"]);
    story.git(&["multi-pack-index", "write"]);
    same(
        "packed, with graph and multi-pack index",
        asked.from("", &[]),
    );
    story.git(&["sparse-checkout", "set", "docs"]);
    same("a sparse checkout", asked.from("docs", &[]));
    story.git(&["switch", "-q", "--detach", "topic"]);
    same("a detached HEAD", asked.from("", &[]));
    std::fs::remove_file(story.path(".git/index")).unwrap();
    same("no index", asked.from("", &[]));
}

#[test]
fn the_candidate_is_named_as_in_git() {
    let story = Story::honest();
    let results = story.hand_in("[{\"property_id\": \"bal-01\", \"status\": \"pass\"}]");
    let about = |range: &[&str]| {
        let args = [
            &["admit", "--results", &results, "--today", TODAY, "--json"],
            range,
        ]
        .concat();
        story.ask(&args).run
    };
    let here = about(&[]).expect(0);
    story.git(&["tag", "-a", "-m", "x", "v1", "topic"]);
    story.git(&["update-ref", "refs/heads/-n", "topic"]);
    let short = story.id("topic")[..12].to_owned();
    for range in [
        "HEAD",
        "topic",
        "main..",
        "main..topic",
        "refs/heads/main..v1",
        "topic^{commit}",
        "main..-n",
    ] {
        if range == "main..-n" {
            assert_eq!(about(&["main..refs/heads/-n"]), here);
        } else {
            assert_eq!(about(&[range]), here, "{range}");
        }
    }
    assert_eq!(about(&[&short]), here);
    for range in [
        "nothing",
        "main..nothing",
        "topic:src/account.py",
        "0123456789012345678901234567890123456789",
    ] {
        let _ = about(&[range]).expect(128);
    }
    let _ = story.reins(&["check", "main...topic"]).expect(129);
    let _ = story
        .reins(&["check", "main...topic", "--json"])
        .expect(129);
    let _ = story
        .reins(&["admit", "--results", "x", "--today", "soon"])
        .expect(129);
    let _ = story.reins(&["admit", "--ledger", "."]).expect(129);
    let _ = story.reins(&["check", "--output=x"]).expect(129);
    let _ = story.reins(&["check", "main..topic", "more"]).expect(129);
}

#[test]
fn the_remotes_line_is_the_protected_one() {
    let origin = Story::landed();
    origin.git(&["switch", "-q", "main"]);
    let clone = origin.path("../clone");
    origin.git(&["clone", "-q", ".", clone.to_str().unwrap()]);
    // somebody commits on the local main, row and patch at once
    origin.write("../clone/src/account.py", "patched\n");
    let row = origin.row("bal-03");
    let mut ledgers = origin.ledgers(&["bal-01", "bal-02"]);
    ledgers.oracles.push(row);
    let oracle = json!({"schema": "git-reins/oracle/1", "oracles": ledgers.oracles});
    origin.write("../clone/ledger/oracle.json", &oracle.to_string());
    let _ = origin
        .shell("cd ../clone && git add -A && git commit -q -m 'all at once'")
        .expect(0);
    let ask = || Answer::of(origin.reins_in("../clone", &["check", "--json"]));
    ask().says(1, &["ORACLE_NOT_INDEPENDENT same-commit"]);
    // a tracking HEAD that points elsewhere names the line whose policy says what is protected
    let _ = origin
        .shell("cd ../clone && git branch -q other && git push -q origin other")
        .expect(0);
    let _ = origin
        .shell("cd ../clone && git remote set-head origin other")
        .expect(0);
    ask().says(1, &["ORACLE_NOT_INDEPENDENT same-commit"]);
    let _ = origin
        .shell("cd ../clone && git remote set-head -d origin")
        .expect(0);
    assert!(ask().run.stdout.contains("LINE_UNKNOWN"));
    // the operator may name it, and the answer says so
    let named = ["check", "--json", "--line", "origin/main"];
    let named = Answer::of(origin.reins_in("../clone", &named));
    named.says(1, &["ORACLE_NOT_INDEPENDENT same-commit"]);
    assert!(named.run.stdout.contains("named with --line: origin/main"));
}

#[test]
fn a_clone_of_one_branch_learns_which_line_is_protected() {
    let origin = Story::landed();
    origin.git(&["switch", "-q", "main"]);
    origin.git(&["branch", "-q", "work"]);
    let _ = origin
        .shell("git clone -q --single-branch -b work . ../clone")
        .expect(0);
    let asked = origin.reins_in("../clone", &["check"]).expect(128);
    let hint = asked
        .stderr
        .lines()
        .find_map(|line| line.strip_prefix("hint: "))
        .expect("a hint");
    let _ = origin.shell(&format!("cd ../clone && {hint}")).expect(0);
    let _ = origin.reins_in("../clone", &["check"]).expect(0);
}

#[test]
fn every_object_format_is_read() {
    let story = Story::start_in(Repo::with_format("sha256"));
    story.land_ledgers(&story.ledgers(&["bal-01"]));
    story.patch("one");
    let answer = story.pass(&["bal-01"]);
    answer.admits();
    assert_eq!(answer.json["tip"].as_str().map(str::len), Some(64));
    // an abbreviation, or a SHA-1, is no base_rev there
    story.replace(
        "ledger/fixture.json",
        &story.id("main"),
        "0123456789012345678901234567890123456789",
    );
    story.commit("short");
    assert!(
        story
            .check()
            .findings()
            .contains("FIXTURE_EPOCH_UNPINNED base-rev")
    );
}

#[test]
fn a_reftable_is_read_or_refused_with_a_way_out() {
    let asked = asked();
    let story = &asked.story;
    let here = asked.from("", &[]).expect(0);
    if story.shell("git refs migrate --ref-format=reftable").code != Some(0) {
        return; // this git knows no reftable
    }
    let run = asked.from("", &[]);
    if run.code == Some(128) {
        let answer = Answer::of(run);
        let _ = story.shell(answer.json["fix"].as_str().unwrap()).expect(0);
        assert_eq!(asked.from("", &[]), here);
    } else {
        assert_eq!(run, here);
    }
}

#[test]
fn a_repository_of_somebody_else_is_not_opened() {
    let asked = asked();
    let story = &asked.story;
    if story.shell("id -u").stdout.trim() != "0" {
        return; // only root can give files away
    }
    let here = asked.from("", &[]).expect(0);
    let _ = story.shell("chown -R 65534 .").expect(0);
    let run = asked.from("", &[]).expect(128);
    assert!(run.stdout.contains("safe.directory"), "{run}");
    let _ = asked.from("..", &["--git-dir", "repo/.git"]).expect(128);
    // the command that is named helps
    let fix = Answer::of(run).json["fix"]
        .as_str()
        .unwrap()
        .replace("TEMP", &story.path("..").display().to_string());
    let global = story.path("../home/.gitconfig");
    let _ = story
        .shell(&format!("GIT_CONFIG_GLOBAL={} {fix}", global.display()))
        .expect(0);
    assert_eq!(
        asked.run(asked.command("").env("GIT_CONFIG_GLOBAL", &global)),
        here
    );
}

#[test]
fn where_nothing_can_be_judged() {
    let repo = Repo::new();
    let check = |repo: &Repo| Answer::of(repo.reins(&["check", "--json"]));
    let unborn = check(&repo);
    assert_eq!(unborn.run.code, Some(128), "{}", unborn.run);
    assert_eq!(unborn.json["schema"], "git-reins/error/1");
    std::fs::remove_dir_all(repo.path(".git")).unwrap();
    let nowhere = check(&repo);
    assert_eq!(
        (nowhere.run.code, &nowhere.json["schema"]),
        (Some(128), &json!("git-reins/error/1"))
    );
    assert_eq!(nowhere.run.stderr, "");
    let said = repo.reins(&["check"]).expect(128);
    assert!(
        said.stdout.is_empty() && said.stderr.starts_with("git-reins: cannot decide: "),
        "{said}"
    );

    let plain = Repo::new();
    plain.write("a", "x");
    plain.commit("no policy");
    for command in ["check", "admit", "report"] {
        let said = plain.reins(&[command]).expect(128);
        assert!(
            said.stderr
                .contains("NOT JUDGED: main has no policy (POLICY_MISSING)"),
            "{said}"
        );
    }
    let junit = plain.reins(&["report", "--format", "junit"]).expect(128);
    assert!(
        junit.stdout.contains("<skipped") && !junit.stdout.contains("<error"),
        "{junit}"
    );
    // the first policy is held for a person
    plain.git(&["switch", "-q", "-c", "topic"]);
    plain.write(".gitreins/reins.toml", super::story::POLICY);
    plain.commit("policy");
    let held = check(&plain);
    assert!(
        held.findings().contains("NEEDS_HUMAN adoption"),
        "{}",
        held.run
    );
    // no line that anybody knows
    plain.git(&["branch", "-q", "-D", "main"]);
    assert_eq!(check(&plain).run.code, Some(128));
}

#[test]
fn an_answer_that_nobody_reads_is_none() {
    let asked = asked();
    let _ = asked.from("", &[]).expect(0);
    let full = File::options().write(true).open("/dev/full").unwrap();
    let _ = asked
        .run(asked.command("").stdout(full).stderr(Stdio::piped()))
        .expect(128);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let _ = asked
        .run(asked.command("").stdout(writer).stderr(Stdio::piped()))
        .expect(128);
    // The runtime opens a closed descriptor on the null device before we see it: nothing is read
    // there either, but the number has to be the decision's own.
    let closed = |asked: &Asked| {
        let line = format!("exec git-reins {} >&-", asked.args.join(" "));
        asked.story.shell(&line).code
    };
    assert!(matches!(closed(&asked), Some(0 | 128)));
    let refused = Story::start();
    refused.put(&refused.ledgers(&["bal-01"]));
    refused.patch("same commit");
    assert!(matches!(closed(&asked_about(refused)), Some(1 | 128)));
}
