//! What did a repository answer before it was broken, and is the answer afterwards a sane one?
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot tell its story fails"
)]

use super::story::{Answer, Story, TODAY};
use crate::support::{BINARY, Run};

/// A candidate, and the answer of the repository as it was.
pub struct Healthy {
    pub story: Story,
    pub answer: Run,
}

/// Two healthy repositories: one admits, and one refuses whatever is broken in it.
pub fn both() -> [fn() -> Healthy; 2] {
    [admitted, refused]
}

pub fn admitted() -> Healthy {
    let healthy = Healthy::of(Story::honest());
    assert_eq!(healthy.answer.code, Some(0), "{}", healthy.answer);
    healthy
}

/// The row comes after the patch.
pub fn refused() -> Healthy {
    let story = Story::start();
    story.land_ledgers(&story.ledgers(&[]));
    story.patch("one");
    story.land_ledgers(&story.ledgers(&["bal-01"]));
    let healthy = Healthy::of(story);
    assert_eq!(healthy.answer.code, Some(1), "{}", healthy.answer);
    healthy
}

impl Healthy {
    pub fn of(story: Story) -> Self {
        story.hand_in("[{\"property_id\": \"bal-01\", \"status\": \"pass\"}]");
        let answer = ask(&story);
        Self { story, answer }
    }

    /// What is wrong with the answer of the repository as it is now, if anything.
    pub fn fault(&self, what: &str) -> Option<String> {
        let now = ask(&self.story);
        let is_sane = match now.code {
            Some(1 | 3 | 128) => Answer::of(now.clone()).json.is_object() && now.stderr.is_empty(),
            _ => false,
        };
        (now != self.answer && !is_sane).then(|| format!("{what}: {now}"))
    }

    #[track_caller]
    pub fn holds(&self, what: &str) {
        if let Some(fault) = self.fault(what) {
            panic!("{fault}\nhealthy: {}", self.answer);
        }
    }

    #[track_caller]
    pub fn is_unmoved(&self, what: &str) {
        assert_eq!(ask(&self.story), self.answer, "{what}");
    }
}

/// Asks about `topic`, for ten seconds at most.
pub fn ask(story: &Story) -> Run {
    ask_about(story, "topic")
}

pub fn ask_about(story: &Story, tip: &str) -> Run {
    let mut command = story.command("timeout", &story.path(""));
    command.args([
        "10",
        BINARY,
        "admit",
        tip,
        "--results",
        "../results.json",
        "--today",
        TODAY,
        "--json",
    ]);
    story.captured(command.output().unwrap())
}
