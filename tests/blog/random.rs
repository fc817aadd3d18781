//! Random values from a seed that a failed test shows.

use std::hash::{BuildHasher as _, RandomState};

use proptest::strategy::{Strategy, ValueTree as _};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// The variable that repeats a test with the seed of an earlier run.
const SEED_VARIABLE: &str = "WARDROOM_TEST_SEED";

pub(crate) struct Random(TestRunner);

impl Random {
    /// Chooses a seed, and prints it: the output of a test is shown if it fails.
    #[expect(clippy::print_stdout, reason = "a test has no other output")]
    pub(crate) fn new() -> Self {
        let given = std::env::var(SEED_VARIABLE).ok().map(|text| text.parse().unwrap());
        let seed: u64 = given.unwrap_or_else(|| RandomState::new().hash_one(0));
        println!("{SEED_VARIABLE}={seed}");
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed.to_le_bytes().repeat(4));
        Self(TestRunner::new_with_rng(Config::default(), rng))
    }

    pub(crate) fn value<S: Strategy>(&mut self, strategy: &S) -> S::Value {
        strategy.new_tree(&mut self.0).unwrap().current()
    }

    /// Returns a number below `end`.
    pub(crate) fn below(&mut self, end: u32) -> u32 {
        self.value(&(0..end))
    }
}
