//! What does a check cost under the judge, against the same command by hand in a prepared tree?

use std::io;
use std::path::Path;

use crate::child::Job;
use crate::traced;

/// A repository with one property of pytest, and as many seeds.
const POLICY: &str = "\n[[check]]\nid = \"props\"\npreset = \"pytest-hypothesis\"\n\
                      run = [\"PYTHON\", \"-m\", \"pytest\", \"-q\", \"{property_file}::{property}\"]\n\
                      seeds = [SEEDS]\n";

const PROPERTY: &str = "\
from hypothesis import given, settings, strategies as st
from product import keep

@settings(max_examples=300)
@given(st.lists(st.integers()))
def test_keep(x):
    assert keep(x) == x
";

/// `git reins try`, and one pytest for each seed; what is left of a run is removed before the next.
pub fn sides(dir: &Path, seeds: u64) -> io::Result<(Job, Job)> {
    let python = traced::python()?;
    let repo = dir.join("repo");
    std::fs::create_dir_all(&repo)?;
    Job::new(["git", "init", "-q", "-b", "main", &repo.to_string_lossy()]).run()?;
    Job::reins(&repo, &["init", "--preset", "raw"]).run()?;
    for inner in ["properties", "spec"] {
        std::fs::create_dir_all(repo.join(inner))?;
    }
    let named: Vec<_> = (1..=seeds).map(|seed| format!("\"{seed}\"")).collect();
    let check = POLICY
        .replace("PYTHON", &python)
        .replace("SEEDS", &named.join(", "));
    let policy = repo.join(".gitreins/reins.toml");
    std::fs::write(&policy, std::fs::read_to_string(&policy)? + &check)?;
    std::fs::write(repo.join("spec/x.md"), "# X\n\n## Keep\n\nIt keeps.\n")?;
    std::fs::write(repo.join("product.py"), "def keep(x):\n    return x\n")?;
    std::fs::write(repo.join("properties/test_keep.py"), PROPERTY)?;
    let row = [
        "--source",
        "spec/x.md#keep",
        "--property",
        "test_keep",
        "--file",
        "properties/test_keep.py",
    ];
    let words = ["--inputs", "x", "--relation", "x", "--witness", "x"];
    Job::reins(
        &repo,
        &[["oracle", "add", "keep-01"].as_slice(), &row, &words].concat(),
    )
    .run()?;
    Job::git(&repo, &["add", "."]).run()?;
    Job::git(&repo, &["commit", "-q", "-m", "start"]).run()?;
    let by_hand = format!(
        "cd '{}' && for seed in $(seq {seeds}); do PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=. '{python}' -m pytest \
         -q -p no:cacheprovider properties/test_keep.py::test_keep --hypothesis-seed=$seed || exit 1; done",
        repo.display()
    );
    let clean = Job::new(["rm", "-rf", &repo.join(".hypothesis").to_string_lossy()]);
    Ok((
        Job::reins(&repo, &["try", "keep-01"]),
        Job::new(["sh", "-c", &by_hand]).after(clean),
    ))
}
