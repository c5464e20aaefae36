//! The cache of keys: what identifies a key in memory, and a bounded table of entries that changes of the store make
//! invalid.

use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};

use dashmap::DashMap;

/// Identifies a key in memory without storing it.
///
/// SHA-256 would do, but takes ten times as long on processors without instructions for it, on every request. Two
/// SipHashes with random secret keys make a tag of 128 bits: without those keys, two API keys with the same tag can
/// only be found by guessing, and a leaked tag reveals nothing about its API key.
#[derive(Debug, Default)]
pub(super) struct Tagger {
    upper: RandomState,
    lower: RandomState,
}

impl Tagger {
    pub(super) fn tag(&self, key: &[u8]) -> u128 {
        u128::from(self.upper.hash_one(key)) << 64 | u128::from(self.lower.hash_one(key))
    }
}

/// A bounded cache whose entries carry the number of the last change before them.
#[derive(Debug)]
pub(super) struct Cache<T> {
    entries: DashMap<u128, (u64, T), BuildHasherDefault<TagHasher>>,
    max: usize,
}

impl<T: Clone> Cache<T> {
    pub(super) fn new(max: usize) -> Self {
        Cache { entries: DashMap::default(), max }
    }

    pub(super) fn get(&self, tag: u128) -> Option<(u64, T)> {
        self.entries.get(&tag).map(|entry| entry.value().clone())
    }

    /// Adds an entry. When the cache is full, entries that are no longer valid are evicted first.
    pub(super) fn put(&self, tag: u128, number: u64, value: T, is_valid: impl Fn(u64) -> bool) {
        if self.entries.len() >= self.max {
            self.entries.retain(|_, (number, _)| is_valid(*number));
        }
        if self.entries.len() >= self.max {
            // every second one: tracking use would cost each hit, and an evicted entry costs one store call
            let mut keep = false;
            self.entries.retain(|_, _| {
                keep = !keep;
                keep
            });
        }
        self.entries.insert(tag, (number, value));
    }
}

/// Hashes a tag, which is random already, by taking half of it.
#[derive(Debug, Default, Clone, Copy)]
struct TagHasher(u64);

impl Hasher for TagHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    #[expect(clippy::cast_possible_truncation, reason = "half of the tag is enough")]
    fn write_u128(&mut self, tag: u128) {
        self.0 = tag as u64;
    }

    fn write(&mut self, bytes: &[u8]) {
        // a u128 does not come here; correct for any other type
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_is_bounded_and_evicts_invalid_entries_first() {
        let cache = Cache::new(100);
        for tag in 0..1_000u128 {
            cache.put(tag, 1, (), |number| number >= 1);
            assert!(cache.entries.len() <= 100);
            assert_eq!(cache.get(tag), Some((1, ())));
        }
        for tag in 0..60u128 {
            cache.put(tag, 2, (), |number| number >= 2);
        }
        assert!((0..60).all(|tag| cache.get(tag).is_some()));
    }
}
