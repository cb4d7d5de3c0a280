//! Where do choices come from that are the same in every run?

use proptest::prelude::Rng as _;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// A runner whose choices depend on the seed alone.
pub fn runner(seed: u8) -> TestRunner {
    TestRunner::new_with_rng(
        Config::default(),
        TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32]),
    )
}

/// Dice that fall the same way in every run.
pub struct Dice(TestRunner);

impl Dice {
    /// Dice that depend on the seed alone.
    pub fn new(seed: u8) -> Self {
        Self(runner(seed))
    }

    /// A number below `sides`.
    pub fn roll(&mut self, sides: usize) -> usize {
        usize::try_from(self.0.rng().next_u32()).unwrap_or_default() % sides
    }

    /// One of several things.
    pub fn pick<'a, T>(&mut self, things: &'a [T]) -> &'a T {
        &things[self.roll(things.len())]
    }
}
