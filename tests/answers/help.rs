//! Shows what the command says without a repository: its help, and every refusal code.

use super::transcript::answers;
use crate::story::Story;
use crate::support::Repo;

#[test]
fn help_of_every_command() {
    let story = Story::start_in(Repo::new());
    let mut lines = vec!["git reins -h".to_owned()];
    let mut next = 0;
    while next < lines.len() {
        let run = story.shell(&lines[next]).expect(0);
        let name = lines[next].trim_end_matches(" -h").to_owned();
        let listed = run.stdout.split_once("\nCommands:\n");
        for line in listed.map_or("", |(_, rest)| rest).lines() {
            if line.is_empty() {
                break;
            }
            let word = line.split_whitespace().next().unwrap();
            if line.starts_with("  ") && !line.starts_with("   ") && word != "help" {
                lines.push(format!("{name} {word} -h"));
            }
        }
        next += 1;
    }
    assert!(
        lines.len() > 25,
        "the list of commands is not read: {lines:?}"
    );
    let lines: Vec<_> = lines.iter().map(String::as_str).collect();
    insta::assert_snapshot!(answers(&story, &lines));
}

#[test]
fn every_refusal_code_is_explained() {
    let story = Story::start_in(Repo::new());
    let listed = story.shell("git reins explain").expect(0).stdout;
    let codes = listed.lines().filter(|line| !line.starts_with(' '));
    let mut lines = vec!["git reins explain".to_owned()];
    lines.extend(codes.map(|line| {
        format!(
            "git reins explain {}",
            line.split_whitespace().next().unwrap()
        )
    }));
    lines.push("git reins explain NO_SUCH_CODE".to_owned());
    lines.push("git reins explain EMPTY_PATCH --json".to_owned());
    let lines: Vec<_> = lines.iter().map(String::as_str).collect();
    insta::assert_snapshot!(answers(&story, &lines));
}
