//! Counts of attempts in constant memory, however many there are to count: a count-min sketch, in which several may
//! share cells.
//!
//! Each is counted in four cells, and the least of them is its count: too high only when all four are shared, and too
//! low by no more than are counted at the same moment. Only the cells that are least are raised. Counting is one atomic
//! operation a cell, without waiting.

use std::hash::{BuildHasher, Hash, RandomState};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

const ROWS: usize = 4;

/// Cells of a row, as bits of a cell number: four rows take half a megabyte.
const ROW_BITS: u32 = 14;

/// Counts of a period by whom they are of.
#[derive(Debug)]
pub(crate) struct Sketch {
    /// Made when something is counted: most sketches of a small service stay empty.
    cells: LazyLock<Box<[PeriodCount]>>,
    /// Keyed at random, so that nobody can choose with whom to share cells.
    hasher: RandomState,
}

impl Sketch {
    pub(crate) fn new() -> Sketch {
        let cells = || (0..ROWS << ROW_BITS).map(|_| PeriodCount::default()).collect();
        Sketch { cells: LazyLock::new(cells), hasher: RandomState::new() }
    }

    /// Counts one more, unless that would be more than `max`; returns whether it did. What is refused raises no cell,
    /// so that a flood of it fills no cells of others.
    pub(crate) fn count_up_to(&self, max: u32, whose: impl Hash, period: u32) -> bool {
        let cells = self.cells_of(whose);
        let least = cells.iter().map(|cell| cell.counted(period)).min().unwrap_or_default();
        if least >= max {
            return false;
        }
        // the others count too much already, for those with whom it shares them
        for cell in cells.into_iter().filter(|cell| cell.counted(period) == least) {
            cell.count(period);
        }
        true
    }

    /// The count.
    pub(crate) fn counted(&self, whose: impl Hash, period: u32) -> u32 {
        self.cells_of(whose).iter().map(|cell| cell.counted(period)).min().unwrap_or_default()
    }

    /// A cell of each row.
    fn cells_of(&self, whose: impl Hash) -> [&PeriodCount; ROWS] {
        let mut hash = self.hasher.hash_one(whose);
        std::array::from_fn(|row| {
            let column = (hash & ((1 << ROW_BITS) - 1)) as usize;
            hash >>= ROW_BITS;
            &self.cells[(row << ROW_BITS) + column]
        })
    }
}

/// A count of one period: the period in the upper half, the count in the lower.
#[derive(Debug, Default)]
pub(crate) struct PeriodCount(AtomicU64);

impl PeriodCount {
    pub(crate) fn counted(&self, period: u32) -> u32 {
        in_period(self.0.load(Ordering::Relaxed), period)
    }

    /// Counts one more, and returns the new count.
    pub(crate) fn count(&self, period: u32) -> u32 {
        let more = |cell: u64| u64::from(period) << 32 | u64::from(in_period(cell, period).saturating_add(1));
        let before = self.0.update(Ordering::Relaxed, Ordering::Relaxed, more);
        in_period(before, period).saturating_add(1)
    }
}

/// The count of a cell, if it is of this period.
#[expect(clippy::cast_possible_truncation, reason = "the halves are taken apart")]
fn in_period(cell: u64, period: u32) -> u32 {
    if (cell >> 32) as u32 == period { cell as u32 } else { 0 }
}
