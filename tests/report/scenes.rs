//! Which candidates do the reports of the tests tell about?
#![expect(clippy::unwrap_used, reason = "a scene that cannot be told fails")]

use serde_json::json;

use super::story::{Story, TODAY};
use super::trial::failed;
use crate::support::Run;

/// Every format.
pub const FORMATS: [&str; 7] = [
    "text", "json", "markdown", "github", "sarif", "gitlab", "junit",
];

/// Three properties on `main`, one frozen for a while and one for too long, and a patch.
pub fn refused() -> Story {
    let story = Story::start();
    let mut ledgers = story.ledgers(&["bal-01", "bal-02", "bal-03"]);
    ledgers.freezes = vec![
        story.freeze("bal-02", "2026-12-10"),
        story.freeze("bal-03", "2026-11-10"),
    ];
    story.land_ledgers(&ledgers);
    story.land();
    story.patch("one");
    story
}

/// The same with a freeze extended before the patch, and a recorded trial in which a property failed.
pub fn rejected() -> Story {
    let story = Story::start();
    let mut ledgers = story.ledgers(&["bal-01", "bal-02", "bal-03"]);
    ledgers.freezes = vec![
        story.freeze("bal-02", "2026-12-10"),
        story.freeze("bal-03", "2026-11-10"),
    ];
    story.land_ledgers(&ledgers);
    story.land();
    ledgers.freezes[0]["expires_at"] = json!("2026-12-20");
    story.land_ledgers(&ledgers);
    story.patch("one");
    story.fold(&failed(story.trial(), "bal-01"));
    story
}

/// Two properties, one of them frozen and failing, and a patch.
pub fn held() -> Story {
    let story = Story::start();
    let mut ledgers = story.ledgers(&["bal-01", "bal-02"]);
    ledgers.freezes = vec![story.freeze("bal-02", "2026-12-10")];
    story.land_ledgers(&ledgers);
    story.land();
    story.patch("one");
    story
}

/// A patch with a recorded trial that admits it.
pub fn admitted() -> Story {
    let story = Story::honest();
    story.fold(&story.trial());
    story
}

/// A policy on the protected line that nobody can read.
pub fn undecided() -> Story {
    let story = Story::honest();
    story.git(&["switch", "-q", "main"]);
    story.write(
        ".gitreins/reins.toml",
        "schema = 1\n[verdict]\nrequired = true\n",
    );
    story.commit("a policy with an unknown key");
    story.git(&["switch", "-q", "topic"]);
    story
}

/// The results of some properties, `id=status`.
pub fn results(story: &Story, statuses: &[&str]) -> String {
    let row = |one: &&str| {
        let (id, status) = one.split_once('=').unwrap();
        json!({"property_id": id, "status": status})
    };
    story.hand_in(&json!(statuses.iter().map(row).collect::<Vec<_>>()).to_string())
}

/// A report of the branch that is checked out; nothing is changed by it.
pub fn report(story: &Story, format: &str, more: &[&str]) -> Run {
    let run = story.unchanged(|| {
        story.reins(&[&["report", "--today", TODAY, "--format", format], more].concat())
    });
    let stdout = run.stdout.replace(env!("CARGO_PKG_VERSION"), "VERSION");
    Run { stdout, ..run }
}

/// The report in each scene, with the exit code that it has to leave with.
pub fn each(mut look: impl FnMut(&str, i32, &dyn Fn(&str) -> Run)) {
    let story = rejected();
    look("refused", 1, &|format| report(&story, format, &[]));
    let story = held();
    let given = results(&story, &["bal-01=pass", "bal-02=fail"]);
    look("held", 3, &|format| {
        report(&story, format, &["--results", &given])
    });
    let story = admitted();
    look("admitted", 0, &|format| report(&story, format, &[]));
    let story = undecided();
    look("undecided", 128, &|format| report(&story, format, &[]));
    look("unnamed", 128, &|format| {
        report(&story, format, &["no-such-branch..HEAD"])
    });
}
