//! Do the decisions agree with a second statement of the contract that was written differently?
#![expect(
    clippy::unwrap_used,
    reason = "a model that cannot build its world has to stop the test"
)]

mod models {
    mod adjudicate;
    mod admit;
    mod dice;
    mod graph;
    mod order;
    mod outcome;
    mod parts;
    mod repo;
    mod trial;
    mod words;
    mod world;
}
