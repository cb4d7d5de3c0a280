//! The verdicts of the real GitReins, where the shared folder is present.

use std::collections::BTreeMap;
use std::path::Path;

use git_reins::decide::result::{Reading, read};

/// The answer about one verdict as the table writes it.
fn row(verdict: &[u8]) -> String {
    let Reading::Result(result) = read(verdict, None).unwrap() else {
        panic!("a resolution record")
    };
    let (tier1, finding) = (result.tier1, result.finding);
    let regression = if finding.regression { "yes" } else { "no" };
    let reason = tier1.reason().unwrap_or("-");
    [
        tier1.word(),
        reason,
        result.tier2.word(),
        finding.verdict.word(),
        regression,
    ]
    .join("\t")
}

#[test]
fn the_expected_answers_are_given_exactly() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus/verdicts");
    let Ok(table) = std::fs::read_to_string(corpus.join("expected.tsv")) else {
        return;
    };
    let expected: BTreeMap<_, _> = table
        .lines()
        .skip(1)
        .filter_map(|line| line.split_once('\t'))
        .collect();
    let mut seen = 0;
    for (case, row) in expected {
        for day in std::fs::read_dir(corpus.join(case)).unwrap() {
            for dir in std::fs::read_dir(day.unwrap().path()).unwrap() {
                let verdict = std::fs::read(dir.unwrap().path().join("verdict.json")).unwrap();
                assert_eq!(self::row(&verdict), row, "{case}");
                seen += 1;
            }
        }
    }
    assert!(seen > 0);
}
