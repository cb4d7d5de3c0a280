//! Lists the refusal codes: meaning, what is read for each, and what fixes it.
//!
//! This is the only place where a code is spelled: `explain`, the README's table and the
//! schemas are made from here.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

macro_rules! codes {
    ($($variant:ident $name:literal { class: $class:ident, rule: $rule:literal, reads: $reads:literal, remedy: $remedy:literal, authority: $authority:literal })*) => {
        /// A reason to refuse, to hold, or to say that nothing can be decided.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
        pub enum Code {
            $(#[doc = $rule] #[serde(rename = $name)] $variant,)*
        }

        impl Code {
            /// Every code, in alphabetical order of the names.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The code as it is printed.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// What the code means and how to get rid of it.
            pub fn entry(self) -> Entry {
                match self {
                    $(Self::$variant => Entry { class: Class::$class, rule: $rule, reads: $reads, remedy: $remedy, authority: $authority },)*
                }
            }
        }
    };
}

/// What a code does to the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// The candidate is refused: exit 1.
    Refusal,
    /// A person has to look: exit 3.
    Hold,
    /// Nothing can be decided: exit 128.
    Undecided,
}

/// The catalogue's entry of one code.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// What the code does to the answer.
    pub class: Class,
    /// The rule that was broken.
    pub rule: &'static str,
    /// What is read to find out.
    pub reads: &'static str,
    /// What fixes it.
    pub remedy: &'static str,
    /// Who may decide otherwise.
    pub authority: &'static str,
}

codes! {
    CanaryFailed "CANARY_FAILED" {
        class: Refusal,
        rule: "every canary must be a hard pass before anything else counts",
        reads: "the results handed in, or the recorded trial",
        remedy: "fix the patch until the canary passes; a canary can never be frozen",
        authority: "nobody: change the canary in a policy range of its own"
    }
    EmptyPatch "EMPTY_PATCH" {
        class: Refusal,
        rule: "an admission needs a patch: a commit with a path that is neither material nor exempt, a revert, or an exempt change",
        reads: "the paths that each commit of the range owns",
        remedy: "commit the patch, or ask about the ledgers alone: git reins check",
        authority: "nobody: there is nothing to admit"
    }
    FixtureDigestMismatch "FIXTURE_DIGEST_MISMATCH" {
        class: Refusal,
        rule: "the fixture ledger lists every file under paths.fixtures and no other, with the digest and size of its bytes at tip",
        reads: "ledger/fixture.json and the fixture blobs at tip",
        remedy: "git reins fixture pin --epoch NEW --runner-image auto && git reins fixture commit",
        authority: "whoever reviews the range that pins the new epoch"
    }
    FixtureEpochUnpinned "FIXTURE_EPOCH_UNPINNED" {
        class: Refusal,
        rule: "an epoch is a name, a base revision, a digest and a runner image, all given, over bytes that no attribute changes on the way to disk",
        reads: "ledger/fixture.json, the modes and attributes of the fixture files, and the ancestry of base_rev",
        remedy: "git reins fixture pin --epoch NEW --runner-image auto && git reins fixture commit",
        authority: "whoever reviews the range that pins the new epoch"
    }
    FixtureMigrationMixed "FIXTURE_MIGRATION_MIXED" {
        class: Refusal,
        rule: "fixture bytes and the runner image stand still in a range with patch commits; a migration is a range of its own, the bytes first, the ledger with a new epoch later",
        reads: "the fixture files, the runner image and the fixture ledger at every patch commit's parents",
        remedy: "land the migration in a range of its own, then bring the patch onto it",
        authority: "whoever reviews the migration"
    }
    FreezeAddedWithPatch "FREEZE_ADDED_WITH_PATCH" {
        class: Refusal,
        rule: "a freeze row stands before every patch commit, and a row that base holds is not edited in a range with patch commits",
        reads: "ledger/freezes.json at base, at tip and at every patch commit's parents",
        remedy: "land the freeze in a range of its own, and take it out here: git reins freeze rm --property ID --seed S && git reins freeze commit",
        authority: "the owner of the freeze, in a range of its own"
    }
    FreezeExpired "FREEZE_EXPIRED" {
        class: Refusal,
        rule: "a freeze is void after its day; the day itself still counts",
        reads: "expires_at of the freeze rows at tip, and today (UTC)",
        remedy: "git reins freeze prune && git reins freeze commit",
        authority: "the owner of the freeze, with a new row in a range of its own"
    }
    FreezeHorizonExceeded "FREEZE_HORIZON_EXCEEDED" {
        class: Refusal,
        rule: "a freeze ends within freeze.max_days of the policy",
        reads: "expires_at of the freeze rows at tip, today (UTC) and the policy on the protected line",
        remedy: "remove the row and add it with a nearer day: git reins freeze rm --property ID --seed S && git reins freeze commit",
        authority: "whoever may change freeze.max_days in the policy"
    }
    FreezeOnCanary "FREEZE_ON_CANARY" {
        class: Refusal,
        rule: "a canary or a fault of the draft channel is never frozen",
        reads: "property_id of the freeze rows at tip and the checks of the policy",
        remedy: "git reins freeze rm --property ID && git reins freeze commit",
        authority: "nobody"
    }
    FreezeReplayNotOnBase "FREEZE_REPLAY_NOT_ON_BASE" {
        class: Refusal,
        rule: "a freeze was observed on base, at the revision that the fixture ledger pins",
        reads: "base_rev and observed_on of the freeze rows and base_rev of the fixture ledger at tip",
        remedy: "remove the row, and add it when the pinned base shows the instability: git reins freeze rm --property ID --seed S && git reins freeze commit",
        authority: "nobody: observe it on base first"
    }
    FreezeShareExceeded "FREEZE_SHARE_EXCEEDED" {
        class: Refusal,
        rule: "at most freeze.max_share of the scored properties is frozen at once",
        reads: "the scored oracle rows and the freeze rows at tip, and the policy on the protected line",
        remedy: "fix a frozen property and remove its row: git reins freeze rm --property ID && git reins freeze commit",
        authority: "whoever may change freeze.max_share in the policy"
    }
    FreezeStableFailure "FREEZE_STABLE_FAILURE" {
        class: Refusal,
        rule: "a seed that always fails on base is a known defect, not a flake",
        reads: "the replays of the recorded trial",
        remedy: "fix base or the property, and remove the row: git reins freeze rm --property ID --seed S && git reins freeze commit",
        authority: "nobody"
    }
    FreezeUnbound "FREEZE_UNBOUND" {
        class: Refusal,
        rule: "a freeze names an oracle row, a seed, an owner and a day of the form YYYY-MM-DD",
        reads: "the freeze rows and the oracle rows at tip",
        remedy: "remove the row and add it with every field: git reins freeze rm --property ID && git reins freeze commit",
        authority: "nobody: an unbound freeze is a permanent waiver"
    }
    FrozenRegression "FROZEN_REGRESSION" {
        class: Refusal,
        rule: "a frozen seed may only fail on the candidate within the instability that its row records",
        reads: "the results handed in, or the replays of the recorded trial",
        remedy: "fix the patch: the freeze does not cover this failure",
        authority: "nobody"
    }
    HistoryIncomplete "HISTORY_INCOMPLETE" {
        class: Undecided,
        rule: "an answer needs every object that the walk touches; a shallow or partial clone hides some",
        reads: "the raw commits and trees between the protected line and the candidate",
        remedy: "fetch everything, in CI with fetch depth 0: git fetch --unshallow",
        authority: "nobody: fetch the history"
    }
    HistoryUntrusted "HISTORY_UNTRUSTED" {
        class: Refusal,
        rule: "the candidate shares history with the protected line, a given base is part of that line, and no push deletes or rewrites it or uses a reserved ref",
        reads: "the raw parents of the candidate, the given base and the protected lines, and what a push does to these lines",
        remedy: "bring the change onto a branch that starts at the protected line",
        authority: "nobody: without a common commit there is no base"
    }
    LedgerInvalid "LEDGER_INVALID" {
        class: Refusal,
        rule: "a ledger is a small regular UTF-8 JSON file of the declared shape, and the ledger directory holds nothing else",
        reads: "the ledger directory in the tree of tip",
        remedy: "edit the named field, and write the file anew: git reins fmt",
        authority: "nobody"
    }
    LedgerMissing "LEDGER_MISSING" {
        class: Refusal,
        rule: "all three ledgers exist; an explicit empty list is an answer, a missing file is none",
        reads: "the ledger directory in the tree of tip",
        remedy: "write what is missing: git reins init && git reins fixture pin --epoch ID --runner-image auto",
        authority: "nobody"
    }
    LineUnknown "LINE_UNKNOWN" {
        class: Undecided,
        rule: "the line that a candidate would land on is known: the default branch is what refs/remotes/REMOTE/HEAD says as a symbolic ref, never guessed from the name of a branch",
        reads: "the symbolic HEAD of the remote, and the refs that protect.base names",
        remedy: "git remote set-head origin --auto, or name the line: --line REF",
        authority: "nobody: say which line is meant"
    }
    NeedsHuman "NEEDS_HUMAN" {
        class: Hold,
        rule: "some changes are held for a person whatever the checks say: human-only paths, the policy, a cited spec, a revert that takes rows away, the first policy, what another protected line brings",
        reads: "the paths that the range owns, the policy, the cited spec files, the ledgers and the protected lines",
        remedy: "ask a maintainer to read the range and to land it",
        authority: "a maintainer of the protected line"
    }
    NoUnfrozenProperties "NO_UNFROZEN_PROPERTIES" {
        class: Refusal,
        rule: "at least one scored property is left when every frozen one is taken away",
        reads: "the scored oracle rows, the freeze rows and the results",
        remedy: "land an oracle row in a reviewed range of its own, or remove a freeze: git reins freeze rm --property ID && git reins freeze commit",
        authority: "nobody: an empty score admits nothing"
    }
    OracleNotIndependent "ORACLE_NOT_INDEPENDENT" {
        class: Refusal,
        rule: "an oracle row and the bytes of its property stand, as they are at tip, before every patch commit, and nobody who wrote them saw the diff",
        reads: "ledger/oracle.json and the property files at base, at tip and at every patch commit's parents",
        remedy: "land the row in a reviewed range of its own: there it scores for the next patch",
        authority: "whoever reviews the range that lands the row"
    }
    PathUnsafe "PATH_UNSAFE" {
        class: Refusal,
        rule: "paths are relative, NFC, without '.', '..', '.git', backslash or control characters; history holds regular files only",
        reads: "the paths that ledgers name, the changed tree entries, and the history directory at tip or, for a fold, on disk",
        remedy: "rename or remove the named path",
        authority: "nobody"
    }
    PolicyChangedByPatch "POLICY_CHANGED_BY_PATCH" {
        class: Refusal,
        rule: "a range with patch commits does not change the policy that judges it",
        reads: ".gitreins/reins.toml at base and at tip",
        remedy: "land the policy change in a range of its own",
        authority: "whoever reviews the policy range"
    }
    PolicyInvalid "POLICY_INVALID" {
        class: Undecided,
        rule: "the policy holds known keys with values of the declared form",
        reads: ".gitreins/reins.toml on the protected line",
        remedy: "correct the named key on the protected line",
        authority: "whoever maintains the policy"
    }
    PolicyMissing "POLICY_MISSING" {
        class: Undecided,
        rule: "a range is judged by the policy on the line that it would land on; without one nothing is judged, and nothing is green",
        reads: ".gitreins/reins.toml on the protected line and at tip",
        remedy: "git reins init, and land what it writes",
        authority: "whoever maintains the protected line"
    }
    ResultsInvalid "RESULTS_INVALID" {
        class: Refusal,
        rule: "results are a list of {property_id, status, canary?} about rows of the oracle ledger and canaries",
        reads: "the file of --results",
        remedy: "write one entry for each property that the oracle ledger lists: git reins oracle list",
        authority: "nobody"
    }
    SecretSuspected "SECRET_SUSPECTED" {
        class: Refusal,
        rule: "no file of a verdict directory that is folded holds a text that looks like a secret",
        reads: "every byte of the files that would be folded, judge.secret_markers, and judge.secret_allow of the policy on a protected line",
        remedy: "take the secret out of the named file and revoke it, or name it in judge.secret_allow when it is none",
        authority: "whoever may change judge.secret_allow in the policy"
    }
    SpecChangedByPatch "SPEC_CHANGED_BY_PATCH" {
        class: Refusal,
        rule: "the text that a scored row cites stands, as it is at tip, before every patch commit",
        reads: "the cited files under paths.specs at base, at tip and at every patch commit's parents",
        remedy: "land the change of the text in a reviewed range of its own",
        authority: "whoever reviews the text"
    }
    UnfrozenPropertyFailed "UNFROZEN_PROPERTY_FAILED" {
        class: Refusal,
        rule: "every scored property that no freeze names has a result, and it is pass",
        reads: "the results handed in, or the recorded trial",
        remedy: "fix the patch, or hand in the missing result",
        authority: "nobody"
    }
    VerdictMissing "VERDICT_MISSING" {
        class: Refusal,
        rule: "a patch for a protected line carries a recorded trial that admits it",
        reads: "the history directory in the tree of tip",
        remedy: "judge the candidate and fold the record, or hand in results: git reins admit --results FILE",
        authority: "whoever may change verdict.require in the policy"
    }
    VerdictRejected "VERDICT_REJECTED" {
        class: Refusal,
        rule: "the strictest recorded trial of the candidate admits it",
        reads: "the history directory in the tree of tip",
        remedy: "fix the patch and judge it again",
        authority: "nobody"
    }
    VerdictRewritten "VERDICT_REWRITTEN" {
        class: Refusal,
        rule: "a folded verdict keeps its bytes",
        reads: "the history directory at base, at tip and at every commit of the range or, for a fold, on disk",
        remedy: "restore the folded bytes from the commit that folded them",
        authority: "nobody"
    }
    VerdictStale "VERDICT_STALE" {
        class: Refusal,
        rule: "a recorded trial counts for the base, code, rows, fixtures, image and policy that it judged",
        reads: "the history directory in the tree of tip",
        remedy: "judge the candidate again on its present base, and fold the record: git reins judge",
        authority: "nobody"
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_sorted_and_print_as_they_are_spelled() {
        let names: Vec<_> = Code::ALL.iter().map(|code| code.as_str()).collect();
        assert!(names.is_sorted());
        assert!(Code::ALL.is_sorted());
        for code in Code::ALL {
            assert_eq!(serde_json::to_value(code).unwrap(), code.as_str());
        }
    }
}
