//! What do the articles' rules say about bare ledgers, and do the holes of the articles stay shut?
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot tell its story fails"
)]

use std::fs;

use serde_json::{Value, json};

use super::story::{Answer, Story};
use crate::support::{Repo, Run};

/// The articles' own ledgers and results, to be bent.
#[derive(Clone)]
struct Bare {
    oracle: Value,
    fixture: Value,
    freezes: Value,
    results: Value,
    today: &'static str,
}

/// One frozen property that passes: the empty complement.
fn frozen() -> Bare {
    Bare {
        oracle: json!({
            "oracle_id": "bal-nonneg-01", "source": "spec/accounts.md#invariants",
            "authored_commit": "base-or-earlier", "sees_diff": false, "property": "balance_never_negative",
        }),
        fixture: json!({
            "epoch_id": "epoch-3", "base_rev": "a11ce", "digest_sha256": "abc", "runner_image_id": "img-1",
            "observed_digest": "abc",
        }),
        freezes: json!([{
            "property_id": "bal-nonneg-01", "seed": "0x9c1e", "base_rev": "a11ce", "fixture_epoch": "epoch-3",
            "observed_on": "base", "expires_at": "2026-10-10", "owner": "patch-review-queue",
        }]),
        results: json!([{"property_id": "bal-nonneg-01", "status": "pass"}]),
        today: "2026-09-26",
    }
}

/// The same beside a property that passes and is not frozen.
fn mixed() -> Bare {
    let mut bare = frozen();
    bare.results
        .as_array_mut()
        .unwrap()
        .push(json!({"property_id": "sum-02", "status": "pass"}));
    bare
}

/// No freeze: admitted.
fn honest() -> Bare {
    Bare {
        freezes: json!([]),
        ..frozen()
    }
}

fn bent(mut bare: Bare, bend: impl FnOnce(&mut Bare)) -> Bare {
    bend(&mut bare);
    bare
}

impl Bare {
    /// Writes everything into a place without a repository and asks there.
    fn run(&self, write: impl FnOnce(&Repo)) -> Run {
        let repo = Repo::new();
        fs::remove_dir_all(repo.path(".git")).unwrap();
        for (name, value) in [
            ("oracle", &self.oracle),
            ("fixture", &self.fixture),
            ("freezes", &self.freezes),
        ] {
            repo.write(&format!("bare/{name}.json"), &value.to_string());
        }
        repo.write("results.json", &self.results.to_string());
        write(&repo);
        let args = [
            "admit",
            "--ledger",
            "bare",
            "--results",
            "results.json",
            "--today",
            self.today,
            "--json",
        ];
        repo.reins(&args)
    }

    fn judged(&self) -> Answer {
        Answer::of(self.run(|_| {}))
    }

    #[track_caller]
    fn refused(&self, refusals: &[&str]) {
        let answer = self.judged();
        assert_eq!(
            (answer.run.code, answer.refusals()),
            (Some(1), refusals.to_vec()),
            "{}",
            answer.run
        );
        assert_eq!(answer.json["decision"], "refuse");
        assert_eq!(answer.json["rules"], "article");
    }
}

#[test]
fn an_empty_complement_is_refused_and_one_unfrozen_pass_is_admitted() {
    frozen().refused(&["NO_UNFROZEN_PROPERTIES"]);
    for bare in [honest(), mixed()] {
        let answer = bare.judged();
        answer.admits();
        assert_eq!(
            answer.json["refusals"],
            json!([]),
            "an empty list is an answer"
        );
        assert_eq!(answer.json["rules"], "article");
        assert_eq!(answer.json["scored"], 1);
    }
}

#[test]
fn independence_is_a_literal_false() {
    for value in [
        json!(null),
        json!("false"),
        json!(0),
        json!(true),
        json!(""),
    ] {
        bent(honest(), |bare| bare.oracle["sees_diff"] = value)
            .refused(&["ORACLE_NOT_INDEPENDENT"]);
    }
    bent(honest(), |bare| {
        bare.oracle.as_object_mut().unwrap().remove("sees_diff");
    })
    .refused(&["ORACLE_NOT_INDEPENDENT"]);
}

#[test]
fn a_fixture_is_pinned_in_every_field() {
    for field in ["epoch_id", "base_rev", "digest_sha256", "runner_image_id"] {
        for value in [json!(""), json!("  "), json!(null), json!(0)] {
            bent(honest(), |bare| bare.fixture[field] = value).refused(&["FIXTURE_EPOCH_UNPINNED"]);
        }
    }
    bent(honest(), |bare| {
        bare.fixture["observed_digest"] = json!("abd")
    })
    .refused(&["FIXTURE_DIGEST_MISMATCH"]);
    bent(honest(), |bare| {
        bare.fixture["observed_digest"] = json!(null)
    })
    .refused(&["FIXTURE_DIGEST_MISMATCH"]);
}

#[test]
fn a_freeze_is_bound_or_refused() {
    let with = |field: &str, value: Value| bent(mixed(), |bare| bare.freezes[0][field] = value);
    for field in ["seed", "owner", "expires_at"] {
        with(field, json!("")).refused(&["FREEZE_UNBOUND"]);
        with(field, json!(null)).refused(&["FREEZE_UNBOUND"]);
    }
    for day in [
        "soon",
        "2026-13-01",
        "2026-02-30",
        "2026-10-10T00:00:00Z",
        "20261010",
    ] {
        with("expires_at", json!(day)).refused(&["FREEZE_UNBOUND"]);
    }
    with("base_rev", json!("b0b")).refused(&["FREEZE_REPLAY_NOT_ON_BASE"]);
    with("observed_on", json!("candidate")).refused(&["FREEZE_REPLAY_NOT_ON_BASE"]);
    with("fixture_epoch", json!("epoch-2")).refused(&["FIXTURE_EPOCH_UNPINNED"]);
    let on = |today| Bare { today, ..mixed() };
    assert_eq!(
        on("2026-10-10").judged().run.code,
        Some(0),
        "the last day still counts"
    );
    on("2026-10-11").refused(&["FREEZE_EXPIRED"]);
    on("2027-10-10").refused(&["FREEZE_EXPIRED"]);
}

#[test]
fn results_decide_and_every_refusal_is_listed() {
    bent(honest(), |bare| bare.results[0]["status"] = json!("fail"))
        .refused(&["UNFROZEN_PROPERTY_FAILED"]);
    bent(honest(), |bare| bare.results[0]["status"] = json!("PASS"))
        .refused(&["UNFROZEN_PROPERTY_FAILED"]);
    bent(honest(), |bare| bare.results = json!([])).refused(&["NO_UNFROZEN_PROPERTIES"]);
    let twice =
        json!([{"property_id": "a", "status": "pass"}, {"property_id": "a", "status": "fail"}]);
    bent(honest(), |bare| bare.results = twice).refused(&["UNFROZEN_PROPERTY_FAILED"]);
    let canary = json!([{"property_id": "parse_diff", "status": "pass", "canary": true}]);
    bent(honest(), |bare| bare.results = canary).refused(&["NO_UNFROZEN_PROPERTIES"]);
    let everything = bent(frozen(), |bare| {
        bare.oracle["sees_diff"] = json!(true);
        bare.fixture["runner_image_id"] = json!(" ");
        bare.freezes[0]["owner"] = json!("");
        bare.freezes[0]["base_rev"] = json!("b0b");
        bare.today = "2026-10-11";
    });
    everything.refused(&[
        "FIXTURE_EPOCH_UNPINNED",
        "FREEZE_EXPIRED",
        "FREEZE_REPLAY_NOT_ON_BASE",
        "FREEZE_UNBOUND",
        "NO_UNFROZEN_PROPERTIES",
        "ORACLE_NOT_INDEPENDENT",
    ]);
}

#[test]
fn what_cannot_be_read_is_never_admitted() {
    let coded = |code: &str, write: fn(&Repo)| {
        let run = honest().run(write);
        assert_eq!(run.code, Some(1), "{run}");
        assert!(run.stdout.contains(&format!("\"{code}\"")), "{run}");
    };
    for name in ["oracle", "fixture", "freezes"] {
        let run =
            honest().run(|repo| fs::remove_file(repo.path(&format!("bare/{name}.json"))).unwrap());
        assert!(
            run.code == Some(1) && run.stdout.contains("\"LEDGER_MISSING\""),
            "{run}"
        );
        let run = honest().run(|repo| repo.write(&format!("bare/{name}.json"), "{\"a\": 1"));
        assert!(
            run.code == Some(1) && run.stdout.contains("\"LEDGER_INVALID\""),
            "{run}"
        );
        let run = honest().run(|repo| repo.write(&format!("bare/{name}.json"), ""));
        assert!(
            run.code == Some(1) && run.stdout.contains("\"LEDGER_INVALID\""),
            "{run}"
        );
    }
    coded("LEDGER_INVALID", |repo| {
        repo.write(
            "bare/oracle.json",
            "{\"sees_diff\": true, \"sees_diff\": false}",
        );
    });
    coded("RESULTS_INVALID", |repo| {
        repo.write("results.json", "[{\"property_id\": \"a\"}]")
    });
    coded("RESULTS_INVALID", |repo| repo.write("results.json", "{}"));
    coded("RESULTS_INVALID", |repo| repo.write("results.json", ""));
    coded("RESULTS_INVALID", |repo| {
        repo.write(
            "results.json",
            "[{\"property_id\": \"../a\", \"status\": \"pass\"}]",
        )
    });
    let _ = honest()
        .run(|repo| fs::remove_file(repo.path("results.json")).unwrap())
        .expect(128);
    let _ = honest()
        .run(|repo| fs::rename(repo.path("bare"), repo.path("nothing")).unwrap())
        .expect(1);
}

#[test]
fn bare_ledgers_are_upgraded_and_then_judged_in_full() {
    let story = Story::start();
    let bare = frozen();
    story.write("ledger/oracle.json", &bare.oracle.to_string());
    story.write("ledger/fixture.json", &bare.fixture.to_string());
    story.write("ledger/freezes.json", &bare.freezes.to_string());
    let run = story.reins(&["fmt", "--upgrade"]).expect(0);
    for missing in [
        "oracle.json: bal-nonneg-01: property_files",
        "oracle.json: bal-nonneg-01: inputs",
        "oracle.json: bal-nonneg-01: relation",
        "oracle.json: bal-nonneg-01: witness",
        "fixture.json: files",
        "fixture.json: base_rev as a full commit id",
        "fixture.json: runner_image_id as BASIS:VALUE",
    ] {
        assert!(
            run.stderr.contains(missing),
            "{missing} is not listed: {run}"
        );
    }
    let _ = story.reins(&["fmt", "--check"]).expect(0);
    story.commit("ledgers");
    story.patch("one");
    let answer = story.pass(&["bal-nonneg-01"]);
    assert_eq!(answer.run.code, Some(1), "{}", answer.run);
    let codes = answer.refusals();
    for code in [
        "FIXTURE_EPOCH_UNPINNED",
        "FREEZE_EXPIRED",
        "LEDGER_INVALID",
        "NO_UNFROZEN_PROPERTIES",
    ] {
        assert!(codes.contains(&code), "{code} is missing: {}", answer.run);
    }
}

#[test]
fn a_missing_sees_diff_is_no_independence() {
    for value in [
        None,
        Some(json!(null)),
        Some(json!("false")),
        Some(json!(0)),
        Some(json!(true)),
    ] {
        let story = Story::start();
        let mut ledgers = story.ledgers(&["bal-01"]);
        let row = ledgers.oracles[0].as_object_mut().unwrap();
        match value {
            Some(value) => row.insert("sees_diff".to_owned(), value),
            None => row.remove("sees_diff"),
        };
        story.land_ledgers(&ledgers);
        story.patch("one");
        story
            .pass(&["bal-01"])
            .says(1, &["ORACLE_NOT_INDEPENDENT sees-diff"]);
    }
}

#[test]
fn nothing_or_canaries_alone_score_nothing() {
    let story = Story::honest();
    story.admit(&json!([]), &[]).says(
        1,
        &[
            "NO_UNFROZEN_PROPERTIES empty-complement",
            "UNFROZEN_PROPERTY_FAILED no-result",
        ],
    );
    let canary = json!([{"property_id": "parse_diff", "status": "pass", "canary": true}]);
    story.admit(&canary, &[]).says(
        1,
        &[
            "NO_UNFROZEN_PROPERTIES empty-complement",
            "UNFROZEN_PROPERTY_FAILED no-result",
        ],
    );
}

#[test]
fn an_aggregate_digest_pins_no_file() {
    let story = Story::start();
    let mut ledgers = story.ledgers(&["bal-01"]);
    ledgers.fixture["files"] = json!([]);
    story.land_ledgers(&ledgers);
    story.patch("one");
    story
        .pass(&["bal-01"])
        .says(1, &["FIXTURE_DIGEST_MISMATCH bytes-differ"]);
}

#[test]
fn a_freeze_needs_an_end_and_a_property() {
    for (field, value, finding) in [
        ("expires_at", json!(null), "FREEZE_UNBOUND no-day"),
        (
            "property_id",
            json!("infra"),
            "FREEZE_ON_CANARY never-frozen",
        ),
        (
            "property_id",
            json!("empty_blob"),
            "FREEZE_ON_CANARY never-frozen",
        ),
        (
            "property_id",
            json!("no_secret_marker"),
            "FREEZE_ON_CANARY never-frozen",
        ),
    ] {
        let story = Story::start();
        let mut ledgers = story.ledgers(&["bal-01", "bal-02"]);
        ledgers.freezes = vec![story.freeze("bal-02", "2026-12-20")];
        ledgers.freezes[0][field] = value;
        story.land_ledgers(&ledgers);
        story.patch("one");
        story.pass(&["bal-01", "bal-02"]).says(1, &[finding]);
    }
}

#[test]
fn a_property_is_pinned_by_its_bytes() {
    let story = Story::ready();
    story.write(
        "properties/balance.py",
        "def balance_never_negative(account): return True\n",
    );
    story.patch("one");
    story.pass(&["bal-01"]).says(
        1,
        &[
            "ORACLE_NOT_INDEPENDENT property-changed",
            "ORACLE_NOT_INDEPENDENT weakened",
        ],
    );
    story.put(&story.ledgers(&["bal-01"]));
    story.commit("pin what the patch left");
    story.pass(&["bal-01"]).says(
        1,
        &[
            "ORACLE_NOT_INDEPENDENT changed-after-patch",
            "ORACLE_NOT_INDEPENDENT property-changed",
            "ORACLE_NOT_INDEPENDENT weakened",
        ],
    );
}
