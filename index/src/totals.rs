//! Exact totals of questions that were counted before. A guide never changes, so neither does a total; this is
//! a table of fixed size without locks, in which a newer question takes the place of an older one.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Slots in the table.
const SLOTS: usize = 1 << 14;

/// Totals by the hash of a question.
pub(crate) struct Totals {
    slots: Box<[Slot]>,
}

/// A slot holds `total` and `key ^ total`: two halves written by different threads do not fit together, and are
/// read as absent.
#[derive(Default)]
struct Slot {
    check: AtomicU64,
    total: AtomicU64,
}

impl Default for Totals {
    fn default() -> Self {
        Self { slots: (0..SLOTS).map(|_| Slot::default()).collect() }
    }
}

impl Totals {
    pub(crate) fn get(&self, key: u64) -> Option<u32> {
        let slot = &self.slots[key as usize % SLOTS];
        let total = slot.total.load(Relaxed);
        // totals are kept plus one, so that an empty slot fits no key but 0, and that one is never kept
        (slot.check.load(Relaxed) ^ total == key && total != 0).then(|| (total - 1) as u32)
    }

    pub(crate) fn keep(&self, key: u64, total: u32) {
        let slot = &self.slots[key as usize % SLOTS];
        let total = u64::from(total) + 1;
        slot.total.store(total, Relaxed);
        slot.check.store(key ^ total, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_found_and_nothing_else() {
        let totals = Totals::default();
        assert_eq!(totals.get(7), None);
        totals.keep(7, 0);
        totals.keep(8, 123);
        assert_eq!((totals.get(7), totals.get(8)), (Some(0), Some(123)));
        assert_eq!(totals.get(8 + SLOTS as u64), None);
        totals.keep(8 + SLOTS as u64, 5);
        assert_eq!((totals.get(8), totals.get(8 + SLOTS as u64)), (None, Some(5)));
    }
}
