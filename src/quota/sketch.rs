//! Counts of attempts in constant memory, however many there are to count: a count-min sketch, in which several may
//! share cells.
//!
//! Each is counted in four cells, and the least of them is its count: never too low, and too high only when all four
//! are shared. Counting is one atomic operation a cell, without waiting.

use std::hash::{BuildHasher, Hash, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

const ROWS: usize = 4;

/// Cells of a row, as bits of a cell number: four rows take half a megabyte.
const ROW_BITS: u32 = 14;

/// Counts of a period by whom they are of.
#[derive(Debug)]
pub(crate) struct Sketch {
    cells: Box<[Cell]>,
    /// Keyed at random, so that nobody can choose with whom to share cells.
    hasher: RandomState,
}

impl Sketch {
    pub(crate) fn new() -> Sketch {
        let cells = (0..ROWS << ROW_BITS).map(|_| Cell::default()).collect();
        Sketch { cells, hasher: RandomState::new() }
    }

    /// Counts one more, and returns the new count.
    pub(crate) fn count(&self, whose: impl Hash, period: u32) -> u32 {
        self.least(whose, |cell| cell.count(period))
    }

    /// The count.
    pub(crate) fn counted(&self, whose: impl Hash, period: u32) -> u32 {
        self.least(whose, |cell| cell.counted(period))
    }

    fn least(&self, whose: impl Hash, count: impl Fn(&Cell) -> u32) -> u32 {
        let mut hash = self.hasher.hash_one(whose);
        let mut least = u32::MAX;
        for row in self.cells.chunks_exact(1 << ROW_BITS) {
            let column = (hash & ((1 << ROW_BITS) - 1)) as usize;
            hash >>= ROW_BITS;
            least = least.min(count(&row[column]));
        }
        least
    }
}

/// A count of one period: the period in the upper half, the count in the lower.
#[derive(Debug, Default)]
pub(crate) struct Cell(AtomicU64);

impl Cell {
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
