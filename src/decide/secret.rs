//! Finds texts that look like a secret, and their lines.
//!
//! | marker | what is looked for |
//! |---|---|
//! | private-key | the head of a PEM, OpenSSH or PGP private key |
//! | age-key | an age secret key |
//! | aws-access-key | the id of an AWS access key |
//! | github-token, gitlab-token | tokens of the two forges |
//! | slack-token, slack-webhook | a Slack token, the address of a webhook |
//! | google-api-key, google-oauth | a Google key, a Google access token |
//! | npm-token, pypi-token | a token of a package registry |
//! | stripe-key | a secret or restricted key of a live account |
//! | anthropic-key, openai-key, huggingface-token | keys of model providers |
//! | sendgrid-key, digitalocean-token | keys of two more services |
//! | jwt | a signed JSON web token |
//! | url-password | a password in a URL, when it looks random |
//! | assigned-secret | a value assigned to a name like password or X_TOKEN, when it looks random |
//! | authorization | a bearer or basic credential in a header, the `auth` of a registry, a netrc line |
//! | `judge.secret_markers[N]` | the patterns of the policy |
//!
//! Patterns with a prefix of their own match anywhere. Verdicts hold output with `\n` for a line
//! break, so no pattern needs a word boundary on its left. The scanner looks at the bytes and at
//! their decoded forms: JSON escapes decoded, colours removed, UTF-16 as text.
//!
//! Not found, and not looked for: what is encoded or packed (base64, hex, gzip, encrypted), what is
//! split over lines, words as passwords, and secrets without a form of their own.

mod views;

use std::collections::BTreeSet;
use std::sync::OnceLock;

use regex::bytes::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};

use crate::policy::MARKER_SIZE;

/// More findings than this in one file say nothing new.
const MOST: usize = 20;

/// What stands left of a token: the start, a byte that no token has, or an escape like `\n`.
macro_rules! after {
    ($pattern:literal) => {
        concat!(r"(?-u)(?:^|[^A-Za-z0-9_]|\\[nrt])(", $pattern, ")")
    };
}

const MARKERS: [(&str, &str); 21] = [
    (
        "private-key",
        r"(?-u)-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----",
    ),
    ("private-key", r"(?-u)PuTTY-User-Key-File-[0-9]+:"),
    (
        "age-key",
        r"(?-u)AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}",
    ),
    (
        "aws-access-key",
        after!(r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b"),
    ),
    ("github-token", r"(?-u)gh[pousr]_[A-Za-z0-9]{36,255}"),
    ("github-token", r"(?-u)github_pat_[A-Za-z0-9_]{60,255}"),
    (
        "gitlab-token",
        r"(?-u)gl(?:pat|dt|rt|ptt|cbt|oas|soat|ft|agent)-[A-Za-z0-9_\-]{20,}",
    ),
    (
        "slack-token",
        r"(?-u)xox[abeoprs]-(?:[0-9]+-)*[A-Za-z0-9\-]{20,}",
    ),
    (
        "slack-token",
        r"(?-u)xapp-[0-9]-[A-Z0-9]+-[0-9]+-[a-f0-9]{32,}",
    ),
    (
        "slack-webhook",
        r"(?-u)hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9+/]{40,}",
    ),
    ("google-api-key", after!(r"AIza[A-Za-z0-9_\-]{35}")),
    ("google-oauth", after!(r"ya29\.[A-Za-z0-9_\-]{30,}")),
    ("npm-token", after!(r"npm_[A-Za-z0-9]{36}")),
    ("pypi-token", r"(?-u)pypi-AgE[A-Za-z0-9_\-]{50,}"),
    ("stripe-key", after!(r"(?:sk|rk)_live_[A-Za-z0-9]{16,}")),
    (
        "anthropic-key",
        r"(?-u)sk-ant-[a-z0-9]+-[A-Za-z0-9_\-]{32,}",
    ),
    (
        "openai-key",
        after!(r"sk-(?:(?:proj|svcacct|admin)-[A-Za-z0-9_\-]{32,}|[A-Za-z0-9]{48})"),
    ),
    ("huggingface-token", after!(r"hf_[A-Za-z]{34}")),
    (
        "sendgrid-key",
        after!(r"SG\.[A-Za-z0-9_\-]{20,24}\.[A-Za-z0-9_\-]{39,50}"),
    ),
    ("digitalocean-token", r"(?-u)do[opr]_v1_[a-f0-9]{64}"),
    (
        "jwt",
        after!(r"eyJ[A-Za-z0-9_\-]{14,}\.eyJ[A-Za-z0-9_\-]{14,}\.[A-Za-z0-9_\-]{20,}"),
    ),
];

/// Patterns whose match is a secret only when the value in it looks random.
const RANDOM: [(&str, &str); 5] = [
    (
        "url-password",
        r"(?-u)(?i:https?|ssh|ftp|git|postgres(?:ql)?|mysql|redis|amqps?|mongodb(?:\+srv)?)://[A-Za-z0-9_.%+\-]*:([^\s:@/]{12,200})@",
    ),
    (
        "assigned-secret",
        r#"(?i-u:pass(?:word|wd|phrase)|pwd|secret(?:[_-]?key)?|api[_-]?key|access[_-]?key|private[_-]?key|account[_-]?key|[a-z0-9][_-]?token)\\?["']?[ \t]*[:=]{1,2}>?[ \t]*\\?["']?((?-u)[A-Za-z0-9+/=_.~!@#%^&*\-]{16,200})"#,
    ),
    (
        "authorization",
        r#"(?i-u:authorization\\?["']?[ \t]*[:=][ \t]*\\?["']?(?:bearer|basic|token))[ \t]+((?-u)[A-Za-z0-9+/=_.~\-]{16,200})"#,
    ),
    (
        "authorization",
        r#"(?-u)\\?"auth\\?"[ \t]*:[ \t]*\\?"([A-Za-z0-9+/=]{16,200})"#,
    ),
    (
        "authorization",
        r"(?-u)machine[ \t]+\S{1,200}[ \t]+login[ \t]+\S{1,200}[ \t]+password[ \t]+(\S{12,200})",
    ),
];

/// A place that looks like a secret. The text itself is never carried along.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The line, from 1.
    pub line: usize,
    /// Which marker was found.
    pub marker: String,
}

/// The markers of a policy, compiled.
#[derive(Clone, Debug)]
pub struct Scanner {
    /// One pass over the bytes tells which patterns are worth a pass of their own.
    any: RegexSet,
    patterns: Vec<Pattern>,
    allowed: BTreeSet<Vec<u8>>,
}

#[derive(Clone, Debug)]
struct Pattern {
    marker: String,
    text: String,
    /// Made when the set has seen the pattern: most files hold none.
    regex: OnceLock<Regex>,
    must_look_random: bool,
}

impl Pattern {
    fn regex(&self) -> &Regex {
        let make = || {
            Regex::new(&self.text).expect("the built-in patterns compile, those of a policy have")
        };
        self.regex.get_or_init(make)
    }
}

/// A pattern of the policy that is no regular expression, or too large a one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("judge.secret_markers[{at}] is no pattern: {why}")]
pub struct BadMarker {
    /// Which one, from 0.
    pub at: usize,
    /// What the compiler says.
    pub why: String,
}

impl Scanner {
    /// The built-in markers and those of a policy; a token that equals one of `allowed` is none.
    ///
    /// # Errors
    /// When a marker does not compile; strict reading of the policy lets none of those through.
    pub fn new(markers: &[String], allowed: &[String]) -> Result<Self, BadMarker> {
        let fixed = |must_look_random: bool| {
            move |(marker, text): &(&str, &str)| {
                let (marker, text) = ((*marker).to_owned(), (*text).to_owned());
                Pattern {
                    marker,
                    text,
                    regex: OnceLock::new(),
                    must_look_random,
                }
            }
        };
        let mut patterns: Vec<_> = MARKERS.iter().map(fixed(false)).collect();
        patterns.extend(RANDOM.iter().map(fixed(true)));
        for (at, text) in markers.iter().enumerate() {
            let bad = |error: regex::Error| BadMarker {
                at,
                why: error.to_string(),
            };
            let regex = RegexBuilder::new(text)
                .size_limit(MARKER_SIZE)
                .build()
                .map_err(bad)?;
            let marker = format!("judge.secret_markers[{at}]");
            let (text, regex) = (text.clone(), OnceLock::from(regex));
            patterns.push(Pattern {
                marker,
                text,
                regex,
                must_look_random: false,
            });
        }
        let texts: Vec<_> = patterns
            .iter()
            .map(|pattern| pattern.text.as_str())
            .collect();
        let set = RegexSetBuilder::new(texts)
            .size_limit(64 * MARKER_SIZE)
            .build();
        let any = set.map_err(|error| BadMarker {
            at: 0,
            why: error.to_string(),
        })?;
        let allowed = allowed
            .iter()
            .map(|text| text.clone().into_bytes())
            .collect();
        Ok(Self {
            any,
            patterns,
            allowed,
        })
    }

    /// What the bytes of one file hold, in the order of lines, each marker once a line.
    pub fn scan(&self, bytes: &[u8]) -> Vec<Finding> {
        let mut found = BTreeSet::new();
        self.look(bytes, &mut found);
        for view in views::views(bytes) {
            self.look(&view, &mut found);
        }
        found.into_iter().take(MOST).collect()
    }

    fn look(&self, bytes: &[u8], found: &mut BTreeSet<Finding>) {
        for at in &self.any.matches(bytes) {
            self.patterns[at].look(bytes, &self.allowed, found);
        }
    }
}

impl Pattern {
    /// Every byte is looked at once: a line is left where it says something, and lines are counted on.
    fn look(&self, bytes: &[u8], allowed: &BTreeSet<Vec<u8>>, found: &mut BTreeSet<Finding>) {
        let (mut at, mut counted, mut line, mut mine) = (0, 0, 1, 0);
        while mine < MOST
            && let Some(captures) = self.regex().captures_at(bytes, at)
            && let (Some(whole), Some(token)) =
                (captures.get(0), captures.get(1).or(captures.get(0)))
        {
            at = whole.end().max(whole.start() + 1);
            let is_secret = !self.must_look_random || looks_random(token.as_bytes());
            if is_secret && !allowed.contains(token.as_bytes()) {
                line += newlines(&bytes[counted..token.start()]);
                counted = token.start();
                found.insert(Finding {
                    line,
                    marker: self.marker.clone(),
                });
                mine += 1;
                // the end of the line itself may be what stands left of the next token
                let rest = bytes[token.start()..]
                    .iter()
                    .position(|byte| *byte == b'\n');
                at = at.max(rest.map_or(bytes.len(), |rest| token.start() + rest));
            }
            if at >= bytes.len() {
                break;
            }
        }
    }
}

fn newlines(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte == b'\n').count()
}

/// Whether a value may be a secret that nobody typed: letters and digits, mixed well, and no word
/// or reference to something that holds the value.
fn looks_random(value: &[u8]) -> bool {
    const BITS: f64 = 3.5;
    let has = |test: fn(&u8) -> bool| value.iter().any(test);
    let constant = value
        .iter()
        .all(|byte| matches!(byte, b'A'..=b'Z' | b'0'..=b'9' | b'_'));
    let reference =
        value.starts_with(b"os.") || value.starts_with(b"process.") || value.starts_with(b"env.");
    !constant
        && !reference
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_alphabetic)
        && entropy(value) > BITS
}

/// Shannon's entropy of the bytes, in bits for each.
fn entropy(value: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    value
        .iter()
        .for_each(|byte| counts[usize::from(*byte)] += 1);
    let all = value.len() as f64;
    let share = |count: &u32| f64::from(*count) / all;
    counts
        .iter()
        .filter(|count| **count > 0)
        .map(share)
        .map(|share| -share * share.log2())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What stands in a test would be found in the test itself: each token is put together.
    fn tokens() -> Vec<(&'static str, String)> {
        let mixed = "Zx81kQ0vB7nL3wY5tR9pD2sF6hJ4gM1cKaUeVoIi8bNqTrWyXzPlMuEdSgHfJkLo";
        let of = |prefix: &str, length: usize| format!("{prefix}{}", &mixed[..length]);
        vec![
            (
                "private-key",
                format!("-----BEGIN {}PRIVATE KEY-----", "OPENSSH "),
            ),
            (
                "private-key",
                format!("-----BEGIN {} BLOCK-----", "PGP PRIVATE KEY"),
            ),
            ("age-key", format!("AGE-SECRET-KEY-1{}", "Q".repeat(58))),
            ("aws-access-key", format!("AKIA{}", "ABCDEFGH23456722")),
            ("github-token", of("ghp_", 36)),
            ("github-token", of("github_pat_", 60)),
            ("gitlab-token", of("glpat-", 20)),
            ("slack-token", of("xoxb-123456789012-", 24)),
            ("slack-webhook", of("hooks.slack.com/services/T0000/", 36)),
            ("google-api-key", of("AIza", 35)),
            ("google-oauth", of("ya29.", 40)),
            ("npm-token", of("npm_", 36)),
            ("pypi-token", of("pypi-AgE", 60)),
            ("stripe-key", of("sk_live_", 24)),
            ("anthropic-key", of("sk-ant-api03-", 60)),
            ("openai-key", of("sk-proj-", 48)),
            ("openai-key", of("sk-", 48)),
            (
                "huggingface-token",
                format!("hf_{}", "AbCdEfGhIjKlMnOpQrStUvWxYzAbCdEfGh"),
            ),
            (
                "sendgrid-key",
                format!("SG.{}.{}", &mixed[..22], &mixed[..43]),
            ),
            (
                "digitalocean-token",
                format!("dop_v1_{}", "0123456789abcdef".repeat(4)),
            ),
            ("jwt", format!("eyJ{0}.eyJ{0}.{0}", &mixed[..24])),
            (
                "url-password",
                format!("https://bot:{}@example.org/x", &mixed[..20]),
            ),
            ("assigned-secret", format!("DB_PASSWORD={}", &mixed[..20])),
            ("assigned-secret", format!("GITLAB_TOKEN={}", &mixed[..20])),
            ("assigned-secret", format!("AccountKey={}==", &mixed[..60])),
            (
                "authorization",
                format!("Authorization: Bearer {}", &mixed[..40]),
            ),
            ("authorization", format!("\"auth\": \"{}==\"", &mixed[..40])),
            (
                "authorization",
                format!("machine example.org login bot password {}", &mixed[..20]),
            ),
            (
                "private-key",
                format!("PuTTY-User-Key-{}: ssh-rsa", "File-2"),
            ),
            (
                "assigned-secret",
                format!("\\\"api_key\\\": \\\"{}\\\"", &mixed[..32]),
            ),
            ("judge.secret_markers[0]", format!("ACME-{}", "12345678")),
        ]
    }

    fn scanner() -> Scanner {
        Scanner::new(
            &["ACME-[0-9]{8}".to_owned()],
            &["AKIA2222222222222222".to_owned()],
        )
        .unwrap()
    }

    #[test]
    fn every_marker_is_found_in_its_line_wherever_it_stands() {
        let (scanner, mut seen) = (scanner(), BTreeSet::new());
        for (marker, token) in tokens() {
            for around in [
                "one\n{}\n",
                "one\n+{}",
                "x\n\"output\": \"ran\\n{}\\nmore\"",
                "\n  \"{}\",",
                "\n\u{fffd}{}",
                "a\n\u{1b}[31m{}\u{1b}[0m",
                "a\nb\\u001b[1m{}\\u001b[0m",
                "a\n\\\\u2014{}\\\\u2014",
                "a\nb\\/{}",
            ] {
                let found = scanner.scan(around.replace("{}", &token).as_bytes());
                let wanted = Finding {
                    line: 2,
                    marker: marker.to_owned(),
                };
                assert!(
                    found.contains(&wanted),
                    "{marker}: {token} in {around:?}: {found:?}"
                );
            }
            seen.insert(marker);
        }
        let all = MARKERS.iter().chain(&RANDOM).map(|(marker, _)| *marker);
        assert_eq!(seen, all.chain(["judge.secret_markers[0]"]).collect());
    }

    #[test]
    fn a_token_in_two_bytes_a_letter_or_in_two_colours_is_found() {
        let token = format!("ghp_{}", "aB3".repeat(12));
        let wide = |order: fn(u16) -> [u8; 2]| {
            format!("\u{feff}one\r\n{token}")
                .encode_utf16()
                .flat_map(order)
                .collect::<Vec<_>>()
        };
        let coloured = format!("one\n{}\u{1b}[0m{}", &token[..20], &token[20..]);
        for bytes in [
            wide(u16::to_le_bytes),
            wide(u16::to_be_bytes),
            coloured.into_bytes(),
        ] {
            let found = scanner().scan(&bytes);
            assert_eq!(
                found,
                [Finding {
                    line: 2,
                    marker: "github-token".to_owned()
                }]
            );
        }
        let escaped = format!("gh\\u0070_{}", &token[4..]);
        assert_eq!(scanner().scan(escaped.as_bytes()).len(), 1);
    }

    #[test]
    fn a_secret_across_any_boundary_of_reading_is_found() {
        for start in [65_500, 65_536 - 10, (1 << 20) - 20] {
            let mut bytes = vec![b'.'; start];
            bytes.extend_from_slice(format!("\nghp_{}", "aB3".repeat(12)).as_bytes());
            bytes.extend_from_slice(&vec![b'.'; 70_000]);
            assert_eq!(scanner().scan(&bytes).len(), 1, "{start}");
        }
    }

    #[test]
    fn a_long_line_full_of_tokens_is_read_once() {
        let token = format!(" ghp_{}", "aB3".repeat(12));
        let line = token.repeat(20_000);
        let began = std::time::Instant::now();
        let found =
            scanner().scan(format!("{line}\n{line}\nAKIA{}\n", "ABCDEFGH23456722").as_bytes());
        let lines: Vec<_> = found.iter().map(|finding| finding.line).collect();
        assert_eq!(lines, [1, 2, 3]);
        assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
    }

    #[test]
    fn what_logs_are_full_of_is_no_secret() {
        for plain in [
            "password: hunter2",
            "password = os.environ[\"DB_PASSWORD_2026_MAIN\"]",
            "\"api_key_source\": \"GITREINS_LLM_API_KEY\"",
            "\"api_key\": \"GITREINS_LLM_API_KEY_2\"",
            "api_key=${OPENAI_API_KEY}",
            "secret_key = aaaaaaaaaaaaaaaaaaaa1",
            "commit a610c6242daba24090fe4883cafd7330822604a7",
            "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            "secrets: builtin cross-check: Scanned 7 files (excluded harness state: .gitreins/**)",
            "https://github.com/org/repo.git",
            "ssh://git@example.org:2222/x",
            "sk-learn is no key, ghp_short neither, task-ant-api",
            "-----BEGIN PUBLIC KEY-----",
            "XAKIAABCDEFGH23456722",
            "AKIA2222222222222222",
            "ACME-1234567",
            "\"max_tokens\": 4096, \"next_page_token\": null",
            "the author: token-based auth; Authorization: Bearer $TOKEN",
        ] {
            assert_eq!(scanner().scan(plain.as_bytes()), [], "{plain}");
        }
    }

    #[test]
    fn a_marker_that_does_not_compile_is_named() {
        let bad = Scanner::new(&["fine".to_owned(), "(".to_owned()], &[]).unwrap_err();
        assert_eq!(bad.at, 1);
    }
}
