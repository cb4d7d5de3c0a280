//! Times the command against git.

fn main() {}
