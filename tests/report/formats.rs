//! What stands in each format, and does every one of them leave with the number of `admit`?
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot read its report fails"
)]

use std::path::Path;

use serde_json::Value;

use super::scenes::{FORMATS, each, refused, report, results};
use super::story::{Story, TODAY};
use crate::schema::follows;

#[test]
fn every_format_of_every_scene_is_what_it_was() {
    each(|scene, code, told| {
        for format in FORMATS {
            let run = told(format).expect(code);
            let said = format!("{}{}", run.stdout, run.stderr);
            if (scene, format) == ("refused", "markdown") {
                golden(&run.stdout);
            } else {
                insta::assert_snapshot!(format!("{scene}.{format}"), said);
            }
        }
    });
}

/// The committed comment, to be looked at where Markdown is drawn.
fn golden(said: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/report/golden.md");
    if std::fs::read_to_string(&path).unwrap_or_default() != said {
        let made = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/golden.md");
        std::fs::write(made, said).unwrap();
        panic!("the comment differs: look at it, then cp target/golden.md tests/report/golden.md");
    }
}

#[test]
fn the_object_is_what_the_schema_says() {
    each(|scene, _, told| {
        let object = follows(&told("json").stdout);
        assert_eq!(object["schema"], "git-reins/report/1", "{scene}");
    });
}

#[test]
fn a_report_names_the_same_patch_commits_everywhere() {
    let story = Story::landed();
    story.patch("landed");
    story.land();
    for _ in 0..5 {
        story.git(&["revert", "--no-edit", "HEAD"]);
    }
    let given = results(&story, &["bal-01=pass", "bal-02=pass"]);
    let told = follows(&report(&story, "json", &["--results", &given]).stdout);
    // every second one takes back what landed, and carries no patch
    assert_eq!(
        (
            &told["decision"],
            told["provenance"]["patch_commits"]
                .as_array()
                .unwrap()
                .len()
        ),
        (&"admit".into(), 2)
    );
    assert_eq!(
        told["changes"]["patch_commits"], told["provenance"]["patch_commits"],
        "{told:#}"
    );
}

#[test]
fn the_report_and_its_recomputation_decide_as_admit_does() {
    let story = refused();
    let given = results(&story, &["bal-01=fail"]);
    let told = report(&story, "json", &["--results", &given]).expect(1);
    let told: Value = serde_json::from_str(&told.stdout).unwrap();
    let decided = story
        .admit(
            &serde_json::json!([{"property_id": "bal-01", "status": "fail"}]),
            &[],
        )
        .json;
    assert_eq!(told["refusals"], decided["refusals"]);
    assert_eq!(told["provenance"]["head"], decided["tip"]);
    // the command works as it stands, also when the branch has landed
    let command = told["provenance"]["recompute"]
        .as_str()
        .unwrap()
        .replace("TEMP", &temp(&story));
    let command = format!("{command} --json");
    let before: Value = serde_json::from_str(&story.shell(&command).expect(1).stdout).unwrap();
    story.land();
    let after: Value = serde_json::from_str(&story.shell(&command).expect(1).stdout).unwrap();
    assert_eq!(before, decided);
    assert_eq!(after, decided);
}

fn temp(story: &super::story::Story) -> String {
    story
        .path("..")
        .canonicalize()
        .unwrap()
        .display()
        .to_string()
}

#[test]
fn digests_are_those_of_the_committed_bytes() {
    let story = refused();
    let told: Value = serde_json::from_str(&report(&story, "json", &[]).stdout).unwrap();
    let files = told["provenance"]["files"].as_array().unwrap();
    assert_eq!(files.len(), 4);
    for file in files {
        let (path, commit) = (
            file["path"].as_str().unwrap(),
            file["commit"].as_str().unwrap(),
        );
        let sum = story
            .shell(&format!("git show {commit}:{path} | sha256sum"))
            .expect(0);
        assert_eq!(
            sum.stdout.split_whitespace().next(),
            file["sha256"].as_str(),
            "{path}"
        );
    }
}

#[test]
fn findings_point_at_the_line_of_their_row() {
    let story = refused();
    let told: Value = serde_json::from_str(&report(&story, "json", &[]).stdout).unwrap();
    let expired = told["findings"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["rule"] == "FREEZE_EXPIRED");
    let line = usize::try_from(expired.unwrap()["place"]["line"].as_u64().unwrap()).unwrap();
    let text = story.read("ledger/freezes.json");
    let row: Vec<_> = text
        .lines()
        .skip(line - 1)
        .take_while(|line| !line.trim().starts_with('}'))
        .collect();
    assert!(
        row[0].trim() == "{" && row.iter().any(|line| line.contains("\"bal-03\"")),
        "{line}: {row:?}"
    );
}

#[test]
fn a_fingerprint_outlives_lines_and_commits() {
    let story = refused();
    let prints = || {
        let told: Value = serde_json::from_str(&report(&story, "json", &[]).stdout).unwrap();
        let all = told["findings"].as_array().unwrap().clone();
        all.iter()
            .map(|one| one["fingerprint"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let before = prints();
    let text = story.read("ledger/freezes.json");
    story.git(&["switch", "-q", "main"]);
    story.write("ledger/freezes.json", &format!("\n\n\n{text}"));
    story.commit("other lines");
    story.git(&["rebase", "-q", "main", "topic"]);
    assert_eq!(prints(), before);
}

#[test]
fn a_line_without_policy_is_never_reported_as_passed() {
    let story = crate::support::Repo::new();
    story.write("a", "x");
    story.commit("no policy");
    for format in FORMATS {
        let run = story
            .reins(&["report", "--today", TODAY, "--format", format])
            .expect(128);
        assert!(run.stdout.contains("NOT JUDGED"), "{format}: {run}");
        if format == "junit" {
            let skipped = run.stdout.matches("<skipped").count();
            assert_eq!(skipped, run.stdout.matches("<testcase").count(), "{run}");
        }
    }
}

#[test]
fn an_owner_and_a_path_of_a_real_repository_have_no_effect() {
    let story = super::story::Story::start();
    let mut ledgers = story.ledgers(&["bal-01", "bal-02"]);
    let mut freeze = story.freeze("bal-02", "2026-11-10");
    freeze["owner"] = "@all | <img src=x> `x` ](http://y) ::error::%0A".into();
    freeze["seed"] = "]]> </details> #1".into();
    ledgers.freezes = vec![freeze];
    story.land_ledgers(&ledgers);
    story.write("ledger/<b>@you, a:b|.txt", "stray\n");
    story.commit("stray");
    story.land();
    story.patch("one");
    let comment = report(&story, "markdown", &[]).expect(1).stdout;
    assert!(
        comment.contains("&lt;img") && comment.contains("@&#8203;all \\|"),
        "{comment}"
    );
    assert_eq!(
        comment.matches("</details>").count()
            - comment.matches("`bal-02 seed ]]> </details> #1`").count(),
        2
    );
    let commands = report(&story, "github", &[]).expect(1).stdout;
    assert!(
        commands.contains("file=ledger/<b>@you%2C a%3Ab|.txt,line=1,title=LEDGER_INVALID"),
        "{commands}"
    );
    let cases = report(&story, "junit", &[]).expect(1).stdout;
    assert!(
        quick_junit::Report::deserialize_from_str(&cases).is_ok()
            && cases.contains("]]&gt; &lt;/details&gt;")
    );
}
