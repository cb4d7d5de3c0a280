//! `git reins status`: the next command, all the way round the loop.

use insta::assert_snapshot;

use crate::naming::named;
use crate::support::{Repo, add_row};

#[test]
fn the_next_command_is_said_all_the_way_round() {
    let repo = Repo::under_reins();
    repo.git(&["switch", "-q", "-c", "topic"]);
    assert_snapshot!(named(&repo, repo.reins(&["status"])), @"
    base {start:10}, 0 commits with a patch
    0 oracle rows, 0 of them scoring; no epoch; 0 freezes
    next, since no property scores yet:
      git reins oracle add ID --source PATH#HEADING --property NAME --file PATH --inputs TEXT --relation TEXT --witness TEXT
    --- exit 0
    ");
    let _made = add_row(&repo, "bal-01").expect(0);
    let _made = repo.reins(&["fixture", "pin", "--epoch", "e1", "--runner-image", "nix:abc"]).expect(0);
    assert_snapshot!(named(&repo, repo.reins(&["status"])), @"
    base {start:10}, 0 commits with a patch
    1 oracle row, 1 of them scoring; epoch e1; 0 freezes
    not committed: ledger/oracle.json
    not committed: ledger/fixture.json
    next, since ledgers stand before the patch, in a commit of their own:
      git reins oracle commit
    --- exit 0
    ");
    let _made = repo.reins(&["oracle", "commit"]).expect(0);
    assert_snapshot!(named(&repo, repo.reins(&["status"])), @"
    base {start:10}, 0 commits with a patch
    1 oracle row, 1 of them scoring; epoch e1; 0 freezes
    next, since the ledgers stand: now the patch:
      git commit
    --- exit 0
    ");
    repo.write("src/new.py", "x = 1\n");
    repo.commit("patch");
    assert_snapshot!(named(&repo, repo.reins(&["status", "--json"])), @r#"
    {
      "schema": "git-reins/status/1",
      "base": "{start}",
      "patch_commits": [
        "{patch}"
      ],
      "oracle_rows": 1,
      "scoring": 1,
      "freezes": 0,
      "epoch_id": "e1",
      "uncommitted": [],
      "next": "git reins check",
      "why": "the branch carries a patch"
    }
    --- exit 0
    "#);
}
