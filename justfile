# what has to pass before a commit
check:
    cargo fmt --check
    cargo clippy --locked --all-targets -- -D warnings
    cargo test --locked --no-fail-fast

# ratios against git
bench *names:
    cargo bench --locked --bench against_git -- {{names}}
