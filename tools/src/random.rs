//! Reproducible random numbers: the same seed gives the same snapshots and questions.

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A seeded generator, whose output does not change with the version of a library as `StdRng`'s may.
pub struct Random(ChaCha8Rng);

impl Random {
    /// A generator for this seed.
    pub fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// A number below `end`, uniformly; 0 when `end` is 0.
    pub fn below(&mut self, end: usize) -> usize {
        self.0.random_range(0..end.max(1))
    }

    /// A number below `end`; small ones are far more likely (close to Zipf's law).
    pub fn skewed(&mut self, end: usize) -> usize {
        let number = (end as f64 + 1.0).powf(self.0.random::<f64>()) - 1.0;
        #[expect(clippy::cast_possible_truncation, reason = "rounds down to an index")]
        #[expect(clippy::cast_sign_loss, reason = "at least 0")]
        let number = number as usize;
        number % end.max(1)
    }

    /// One of the items, uniformly; none of an empty list.
    pub fn choose<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.choose(&mut self.0)
    }

    /// True with a chance of so many percent.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}
