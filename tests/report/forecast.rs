//! Which freezes lapse next, and what does the score become?
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot read its report fails"
)]

use serde_json::{Value, json};

use super::scenes::report;
use super::story::Story;

fn told(story: &Story) -> Value {
    serde_json::from_str(&report(story, "json", &[]).stdout).unwrap()
}

/// `(last day, days left, properties that return, scored)` of each lapse.
fn forecast(told: &Value) -> Vec<(String, i64, Vec<String>, u64)> {
    let lapses = told["forecast"].as_array().unwrap().iter();
    let one = |lapse: &Value| {
        let returns = lapse["returns"]
            .as_array()
            .unwrap()
            .iter()
            .map(|id| id.as_str().unwrap().to_owned());
        (
            lapse["last_day"].as_str().unwrap().to_owned(),
            lapse["days_left"].as_i64().unwrap(),
            returns.collect(),
            lapse["scored"].as_u64().unwrap(),
        )
    };
    lapses.map(one).collect()
}

/// What the gate itself counts once the rows of a lapse, and all earlier ones, are removed.
#[test]
fn the_forecast_is_what_the_gate_says_when_it_comes_to_pass() {
    let story = Story::start();
    let mut ledgers = story.ledgers(&["bal-01", "bal-02", "bal-03", "bal-04"]);
    let mut second = story.freeze("bal-02", "2026-12-20");
    second["seed"] = json!("7");
    ledgers.freezes = vec![
        story.freeze("bal-02", "2026-12-05"),
        second,
        story.freeze("bal-03", "2026-12-05"),
        story.freeze("bal-04", "2026-11-10"),
        story.freeze("no-such", "2026-12-28"),
    ];
    story.land_ledgers(&ledgers);
    story.land();
    let told_now = told(&story);
    let expected = [
        ("2026-11-10", -20, vec!["bal-04"], 2),
        ("2026-12-05", 5, vec!["bal-03"], 3),
        ("2026-12-20", 20, vec!["bal-02"], 4),
        ("2026-12-28", 28, vec![], 4),
    ];
    let expected = expected.map(|(day, left, ids, scored)| {
        (
            day.to_owned(),
            left,
            ids.into_iter().map(str::to_owned).collect::<Vec<_>>(),
            scored,
        )
    });
    assert_eq!(forecast(&told_now), expected);
    assert_eq!(told_now["score"]["scored"], 1);
    for (day, _, _, scored) in expected {
        ledgers
            .freezes
            .retain(|row| row["expires_at"].as_str().unwrap() > day.as_str());
        story.land_ledgers(&ledgers);
        story.land();
        assert_eq!(told(&story)["score"]["scored"], scored, "after {day}");
    }
}
