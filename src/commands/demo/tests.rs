//! Shows that every command that judges computes order and standings once.

use super::play::Play;
use super::stories::STORIES;
use crate::decide::computed;
use crate::evidence::push;
use crate::evidence::range_context::Request;
use crate::git::Repo;

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the test looks up the name of a directory that it made"
)]
fn every_command_that_judges_evaluates_its_range_once() {
    let scratch = tempfile::tempdir().unwrap();
    let today = "2026-12-01".parse().unwrap();
    let play = Play::begin(scratch.path(), today).unwrap();
    STORIES[0].tell(&play).unwrap(); // a patch with a recorded trial that admits
    computed::take();
    let verdicts = ".gitreins/history/2026-11-30";
    let record = std::fs::read_dir(scratch.path().join("till").join(verdicts))
        .unwrap()
        .next()
        .unwrap()
        .unwrap();
    let record = format!("{verdicts}/{}", record.file_name().to_string_lossy());
    let range = "main..HEAD";
    for (words, is_admitted) in [
        (vec!["check", range], true),
        (vec!["admit", range], true),
        (vec!["report", range], true),
        (vec!["recompute", &record], true),
        (vec!["status"], true),
        (vec!["judge", "--infra", "the draft failed"], false),
        (vec!["judge", "--admit", "main..main"], false),
    ] {
        let answer = play.reins(&words).unwrap();
        assert_eq!(computed::take(), (1, 1), "{words:?}: {answer:?}");
        assert_eq!(
            answer.status == crate::exit::ExitStatus::Done,
            is_admitted,
            "{words:?}: {answer:?}"
        );
    }
    // the hook judges on a thread of its own, so what it calls is called here
    let repo = Repo::open(&scratch.path().join("till"), None).unwrap();
    let request = Request {
        base: Some("main"),
        tip: None,
        line: None,
    };
    push::judge_range(&repo, &request, None, today).unwrap();
    assert_eq!(computed::take(), (1, 1), "hook");
}
