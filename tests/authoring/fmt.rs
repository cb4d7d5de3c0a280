//! `git reins fmt`

use insta::assert_snapshot;

use crate::support::{Repo, add_row};

#[test]
fn ledgers_are_brought_into_canonical_form() {
    let repo = Repo::under_reins();
    assert_snapshot!(repo.reins(&["fmt"]), @r#"
    the ledgers are in canonical form; next: git reins check
    --- exit 0
    "#);
    let canonical = repo.read("ledger/freezes.json");
    repo.write(
        "ledger/freezes.json",
        "{\"freezes\": [],\r\n  \"schema\": \"git-reins/freezes/1\"}",
    );
    assert_snapshot!(repo.refuses(1, &["fmt", "--check"]), @r#"
    --- a/ledger/freezes.json
    +++ b/ledger/freezes.json
    @@ -1,2 +1,4 @@
    -{"freezes": [],
    -  "schema": "git-reins/freezes/1"}
    \ No newline at end of file
    +{
    +  "schema": "git-reins/freezes/1",
    +  "freezes": []
    +}
    ledger/freezes.json not in canonical form; next: git reins fmt
    --- exit 1
    "#);
    assert_snapshot!(repo.reins(&["fmt"]), @r#"
    wrote ledger/freezes.json; next: git reins oracle commit
    --- exit 0
    "#);
    assert_eq!(repo.read("ledger/freezes.json"), canonical);
    repo.write(
        "ledger/freezes.json",
        "{\"freezes\": [], \"freezes\": [], \"schema\": \"git-reins/freezes/1\"}",
    );
    assert_snapshot!(repo.refuses(1, &["fmt"]), @r#"
    git-reins: cannot format the ledgers: ledger/freezes.json: line 1: read a second member "freezes" at column 17, expected each member once (LEDGER_INVALID)
    hint: edit the named field, and write the file anew: git reins fmt
    --- exit 1
    "#);
}

#[test]
fn rows_that_two_people_added_side_by_side_are_merged() {
    let repo = Repo::under_reins();
    let _ = add_row(&repo, "base").expect(0);
    repo.commit("base");
    repo.git(&["switch", "-q", "-c", "theirs"]);
    let _ = add_row(&repo, "theirs").expect(0);
    let _ = repo.reins(&["oracle", "rm", "base"]).expect(0);
    repo.commit("theirs");
    repo.git(&["switch", "-q", "main"]);
    let _ = add_row(&repo, "ours").expect(0);
    repo.commit("ours");
    let merge = repo
        .command("git", &repo.path(""))
        .args(["merge", "-q", "theirs"])
        .output()
        .unwrap();
    let _ = repo.captured(merge).expect(1);
    let _ = repo.refuses(1, &["fmt"]);
    assert_snapshot!(repo.reins(&["fmt", "--resolve"]), @r#"
    wrote ledger/oracle.json; next: git add :/ledger/oracle.json
    --- exit 0
    "#);
    assert_snapshot!(repo.reins(&["oracle", "list"]), @r#"
    ours    scored     balance_never_negative  spec/accounts.md#no-overdraft
    theirs  scored     balance_never_negative  spec/accounts.md#no-overdraft
    --- exit 0
    "#);
}

#[test]
fn bare_ledgers_of_the_articles_are_rewritten_and_the_gaps_are_named() {
    let repo = Repo::under_reins();
    repo.write(
        "ledger/freezes.json",
        "[{\"property_id\": \"p\", \"seed\": \"7\", \"expires_at\": \"2026-12-01\"}]",
    );
    let _ = repo.refuses(1, &["fmt"]);
    let upgraded = repo.reins(&["fmt", "--upgrade"]).expect(0);
    assert!(
        upgraded
            .stderr
            .contains("note: still missing: ledger/freezes.json: "),
        "{upgraded}"
    );
    let _ = repo.reins(&["fmt", "--check"]).expect(0);
}
