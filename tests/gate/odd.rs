//! What do files say that are no ledgers, or lie where none may lie?

use std::fs;
use std::os::unix::fs::symlink;

use super::healthy::ask;
use super::story::{Answer, Story};

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
    invalid("ledger/oracle.json", "100 MB of space", &|text| {
        (text + &" ".repeat(100 << 20)).into_bytes()
    });
    for name in [
        "ledger/oracle.json",
        "ledger/fixture.json",
        "ledger/freezes.json",
    ] {
        invalid(name, "a byte order mark", &|text| {
            format!("\u{feff}{text}").into_bytes()
        });
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
            text.replacen("\"schema\"", "\"schema\": \"x\", \"schema\"", 1)
                .into_bytes()
        });
        invalid(name, "depth", &|_| {
            [vec![b'['; 200_000], vec![b']'; 200_000]].concat()
        });
        invalid(name, "depth in a member", &|text| {
            let deep = "[".repeat(200_000) + &"]".repeat(200_000);
            text.replacen("\"schema\"", &format!("\"x\": {deep}, \"schema\""), 1)
                .into_bytes()
        });
        invalid(name, "2 MB of space", &|text| {
            (text + &" ".repeat(2 << 20)).into_bytes()
        });
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
        assert!(
            answer.refusals().contains(&"LEDGER_INVALID"),
            "{name}: {}",
            answer.run
        );
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
