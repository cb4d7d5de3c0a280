//! Where does a report go, and what is left when it cannot go there?

use std::os::unix::fs::symlink;

use super::scenes::{admitted, refused, undecided};
use super::story::{Story, TODAY};
use crate::schema::follows;
use crate::support::Run;

fn written(story: &Story, file: &str) -> Run {
    story.reins(&[
        "report", "--today", TODAY, "--format", "gitlab", "--output", file,
    ])
}

#[test]
fn a_file_gets_the_report_and_the_number_stays() {
    for (story, code) in [(admitted(), 0), (refused(), 1), (undecided(), 128)] {
        let said = story
            .reins(&["report", "--today", TODAY, "--format", "gitlab"])
            .stdout;
        let run = written(&story, "out.json").expect(code);
        assert_eq!((run.stdout.as_str(), story.read("out.json")), ("", said));
        std::fs::remove_file(story.path("out.json")).unwrap();
        assert_eq!(story.git(&["status", "--porcelain"]), "");
    }
}

#[test]
fn an_old_report_is_replaced_as_a_whole() {
    let story = admitted();
    story.write("out.json", &"old\n".repeat(10_000));
    let _ = written(&story, "out.json").expect(0);
    assert_eq!(story.read("out.json"), "[]\n");
}

#[test]
fn no_link_is_followed_and_nothing_is_said_to_be_written() {
    let story = admitted();
    story.write("../precious", "precious\n");
    symlink(story.path("../precious"), story.path("out.json")).unwrap();
    for target in ["out.json", "no/such/dir/out.json", "/dev/null", "src", ".."] {
        let run = story.unchanged(|| written(&story, target)).expect(128);
        assert!(
            run.stderr.contains("the report cannot be written"),
            "{target}: {run}"
        );
    }
    assert_eq!(story.read("../precious"), "precious\n");
}

#[test]
fn a_file_below_a_subdirectory_is_meant_from_there() {
    let story = admitted();
    let _ = story
        .reins_in(
            "src",
            &[
                "report", "--today", TODAY, "--format", "gitlab", "--output", "x.json",
            ],
        )
        .expect(0);
    assert_eq!(story.read("src/x.json"), "[]\n");
}

#[test]
fn json_is_asked_for_as_everywhere() {
    let story = admitted();
    let said = story
        .reins(&["report", "--today", TODAY, "--format", "json"])
        .expect(0)
        .stdout;
    assert_eq!(
        story
            .reins(&["report", "--today", TODAY, "--json"])
            .expect(0)
            .stdout,
        said
    );
    let _ = story
        .reins(&["report", "--json", "--format", "sarif"])
        .expect(129);
    let run = story
        .reins(&["report", "--json", "--results", "nowhere.json"])
        .expect(128);
    assert_eq!(follows(&run.stdout)["decision"], "undecided");
}

#[test]
fn a_range_that_is_none_is_no_report() {
    let story = admitted();
    let run = story.reins(&["report", "main...topic"]).expect(129);
    assert_eq!(run.stdout, "");
    let _ = story.reins(&["report", "--format", "xml"]).expect(129);
}
