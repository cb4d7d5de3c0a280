//! How is a push told? Two real repositories, a hook between them, and what it said.
#![expect(clippy::unwrap_used, reason = "a test that cannot tell its push fails")]

use std::fs;
use std::ops::Deref;

use serde_json::Value;

use crate::story::Story;
use crate::support::{BINARY, Run};

/// A clone under reins whose `main` stands on a server, with our hook in it; `topic` is checked out.
pub struct Pushing(Story);

impl Deref for Pushing {
    type Target = Story;

    fn deref(&self) -> &Story {
        &self.0
    }
}

/// What a push came to.
#[must_use = "a push that nobody looks at proves nothing"]
#[derive(Clone, Debug)]
pub struct Pushed {
    /// What git said.
    pub run: Run,
    /// The number that the hook left with; none when git did not run it.
    pub code: Option<i32>,
    /// What the hook said.
    pub said: String,
}

impl Pushing {
    /// `main` and the server hold two rows.
    pub fn landed() -> Self {
        Self::over(Story::landed())
    }

    /// `main` and the server hold ledgers without a row.
    pub fn start() -> Self {
        Self::over(Story::start())
    }

    /// Any story, its `main` on the server.
    pub fn over(story: Story) -> Self {
        let format = story.git(&["rev-parse", "--show-object-format"]);
        story.git(&[
            "init",
            "-q",
            "--bare",
            "-b",
            "main",
            "--object-format",
            format.trim(),
            "../server.git",
        ]);
        for (name, value) in [
            ("uploadpack.allowFilter", "true"),
            ("uploadpack.allowAnySHA1InWant", "true"),
        ] {
            story.git(&["-C", "../server.git", "config", name, value]);
        }
        let pushing = Self(story);
        pushing.git(&["remote", "add", "origin", &pushing.url()]);
        pushing.git(&["push", "-q", "origin", "main"]);
        pushing.git(&["remote", "set-head", "origin", "main"]);
        pushing.hook_in(".");
        pushing
    }

    /// Puts the hook into a repository, by hand.
    pub fn hook_in(&self, place: &str) {
        self.hook_with(place, &format!("{BINARY} hook run pre-push \"$@\""));
    }

    /// Puts a hook that runs any command line into a repository; what it says is kept.
    pub fn hook_with(&self, place: &str, line: &str) {
        let aside = self.path("..").canonicalize().unwrap();
        let aside = aside.display();
        self.script(
            "../hook",
            &format!("#!/bin/sh\n{line} 2>>{aside}/said\ncode=$?\necho $code >>{aside}/code\nexit $code\n"),
        );
        let hooks = format!("$(git -C {place} rev-parse --path-format=absolute --git-path hooks)");
        let _ = self
            .shell(&format!("mkdir -p {hooks} && cp ../hook {hooks}/pre-push"))
            .expect(0);
    }

    /// The URL of the server.
    pub fn url(&self) -> String {
        format!(
            "file://{}",
            self.path("../server.git").canonicalize().unwrap().display()
        )
    }

    /// Pushes from the worktree.
    pub fn push(&self, args: &[&str]) -> Pushed {
        self.push_in(".", args)
    }

    /// Pushes from another place. A push that the hook refuses leaves the server as it was.
    pub fn push_in(&self, place: &str, args: &[&str]) -> Pushed {
        let quoted: Vec<_> = args
            .iter()
            .map(|arg| format!("'{}'", arg.replace('\'', "'\\''")))
            .collect();
        self.push_by(&format!("git -C {place} push {}", quoted.join(" ")))
    }

    /// Runs a command line that pushes.
    pub fn push_by(&self, line: &str) -> Pushed {
        let (said, code) = (self.path("../said"), self.path("../code"));
        let _absent = (fs::remove_file(&said), fs::remove_file(&code));
        let before = self.server();
        let run = self.shell(line);
        let codes = fs::read_to_string(&code).unwrap_or_default();
        let code = codes.lines().map(|line| line.parse::<i32>().unwrap()).max();
        let pushed = Pushed {
            code,
            said: fs::read_to_string(&said).unwrap_or_default(),
            run,
        };
        if pushed.code.is_some_and(|code| code != 0) {
            assert_ne!(pushed.run.code, Some(0), "{pushed:?}");
            assert_eq!(self.server(), before, "{pushed:?}");
        }
        for line in pushed.said.lines() {
            assert!(
                line.is_ascii() && line.len() <= 72,
                "{line:?} is too much for a hook"
            );
        }
        pushed
    }

    /// The refs of the server.
    pub fn server(&self) -> String {
        self.git(&[
            "-C",
            "../server.git",
            "for-each-ref",
            "--format=%(refname) %(objectname)",
        ])
    }

    /// Commits row and patch at once, which is refused.
    pub fn bad(&self, tag: &str) {
        self.bad_at(tag, "src/account.py");
    }

    /// The same with a patch to some other file.
    pub fn bad_at(&self, tag: &str, path: &str) {
        let mut oracle: Value = serde_json::from_str(&self.read("ledger/oracle.json")).unwrap();
        oracle["oracles"]
            .as_array_mut()
            .unwrap()
            .push(self.row(&format!("bal-{tag}")));
        self.write("ledger/oracle.json", &oracle.to_string());
        self.write(path, &format!("# {tag}\n"));
        self.commit(&format!("all at once {tag}"));
    }

    /// Runs the hook by hand with these lines.
    pub fn feed(&self, lines: &str, args: &[&str]) -> Run {
        let args = args.join(" ");
        self.write("../lines", lines);
        self.shell(&format!("{BINARY} hook run pre-push {args} <../lines"))
    }
}

impl Pushed {
    /// Asserts that the push went through, and hands back what the hook said, on one line.
    #[track_caller]
    pub fn goes(self) -> String {
        assert_eq!(
            (self.run.code, self.code),
            (Some(0), Some(0)),
            "{}\n{}",
            self.run,
            self.said
        );
        flat(&self.said)
    }

    /// Asserts that it went through without a word.
    #[track_caller]
    pub fn goes_silently(self) {
        assert_eq!(self.goes(), "");
    }

    /// Asserts that the hook left with `code` and said all of `words`.
    #[track_caller]
    pub fn stops(self, code: i32, words: &[&str]) -> String {
        assert_eq!(self.code, Some(code), "{}\n{}", self.run, self.said);
        let said = flat(&self.said);
        for word in words {
            assert!(said.contains(word), "{word:?} is missing:\n{}", self.said);
        }
        self.said
    }
}

/// A text with its lines put together.
pub fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
