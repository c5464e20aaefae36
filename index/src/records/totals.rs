//! A cache of exact totals by query. A guide never changes, so neither does a total: the table has a fixed size and no
//! locks, and a newer query overwrites an older one.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

const SLOTS: usize = 1 << 14;

/// Totals by the hash of a query.
pub(crate) struct TotalCache {
    slots: Box<[Slot]>,
}

/// A slot holds `total` and `key ^ total`: halves written by different threads do not match any key and read as absent.
#[derive(Default)]
struct Slot {
    check: AtomicU64,
    total: AtomicU64,
}

impl Default for TotalCache {
    fn default() -> Self {
        Self { slots: (0..SLOTS).map(|_| Slot::default()).collect() }
    }
}

impl TotalCache {
    fn slot(&self, key: u64) -> &Slot {
        #[expect(clippy::cast_possible_truncation, reason = "only the low bits count")]
        &self.slots[key as usize % SLOTS]
    }

    pub(crate) fn get(&self, key: u64) -> Option<u32> {
        let slot = self.slot(key);
        let total = slot.total.load(Relaxed);
        // totals are stored plus one, so that an empty slot matches no key
        let is_hit = slot.check.load(Relaxed) ^ total == key;
        total.checked_sub(1).filter(|_| is_hit).and_then(|total| u32::try_from(total).ok())
    }

    pub(crate) fn put(&self, key: u64, total: u32) {
        let slot = self.slot(key);
        let total = u64::from(total) + 1;
        slot.total.store(total, Relaxed);
        slot.check.store(key ^ total, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_stored_keys_are_found_and_a_newer_key_replaces_an_older_one() {
        let totals = TotalCache::default();
        assert_eq!(totals.get(7), None);
        totals.put(7, 0);
        totals.put(8, 123);
        assert_eq!((totals.get(7), totals.get(8)), (Some(0), Some(123)));
        assert_eq!(totals.get(8 + SLOTS as u64), None);
        totals.put(8 + SLOTS as u64, 5);
        assert_eq!((totals.get(8), totals.get(8 + SLOTS as u64)), (None, Some(5)));
    }
}
