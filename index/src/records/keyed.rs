//! Ranks by a key, in one sorted list: a key may have several.

use std::iter::from_fn;

/// Ranks by a number that stands for what they are found by, sorted.
#[derive(Default)]
pub(crate) struct RanksBy<K>(Vec<(K, u32)>);

impl<K: Ord + Copy> RanksBy<K> {
    pub(crate) fn new(mut pairs: Vec<(K, u32)>) -> Self {
        pairs.sort_unstable();
        pairs.dedup();
        pairs.shrink_to_fit();
        Self(pairs)
    }

    /// The ranks of a key, in order.
    pub(crate) fn get(&self, key: K) -> impl Iterator<Item = u32> {
        let mut at = self.0.partition_point(|(known, _)| *known < key);
        from_fn(move || {
            let (_, rank) = self.0.get(at).filter(|(known, _)| *known == key)?;
            at += 1;
            Some(*rank)
        })
    }

    /// Whether there is no rank.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All keys with their ranks.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (K, u32)> {
        self.0.iter().copied()
    }
}
