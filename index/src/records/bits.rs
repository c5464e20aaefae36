//! Bitmaps of ranks, for counting and for the closest pass: an intersection is an AND of words, a total a count of
//! bits.
#![expect(clippy::cast_possible_truncation, reason = "positions in a bitmap are ranks, which are u32")]

use multiversion::multiversion;

/// A set of ranks of one collection, one bit each. Words without a bit may be missing at the end, so that a set of few
/// ranks, or of none, is short.
#[derive(Clone, Debug)]
pub(crate) struct Bits(pub(crate) Vec<u64>);

impl Bits {
    /// The empty set of a collection of `len` records.
    pub(crate) fn none(len: u32) -> Self {
        Self(vec![0; len as usize / 64 + 1])
    }

    /// Adds a rank.
    #[inline]
    pub(crate) fn insert(&mut self, rank: u32) {
        let word = rank as usize / 64;
        self.grow(word + 1);
        self.0[word] |= 1 << (rank % 64);
    }

    /// Takes a rank away.
    #[inline]
    pub(crate) fn remove(&mut self, rank: u32) {
        if let Some(word) = self.0.get_mut(rank as usize / 64) {
            *word &= !(1 << (rank % 64));
        }
    }

    /// Makes room for so many words.
    #[inline]
    pub(crate) fn grow(&mut self, words: usize) {
        if words > self.0.len() {
            self.0.resize(words, 0);
        }
    }

    /// The ranks that both sets have.
    pub(crate) fn and(&self, other: &Self) -> Self {
        Self(and(&self.0, &other.0))
    }

    /// The ranks that the other set lacks.
    pub(crate) fn and_not(&self, other: &Self) -> Self {
        let mut rest = and_not(&self.0, &other.0);
        rest.extend_from_slice(&self.0[rest.len()..]);
        Self(rest)
    }

    /// How many ranks there are.
    pub(crate) fn count(&self) -> u32 {
        ones(&self.0)
    }

    /// Whether the rank is in the set.
    #[inline]
    pub(crate) fn has(&self, rank: u32) -> bool {
        self.0.get(rank as usize / 64).is_some_and(|word| word >> (rank % 64) & 1 == 1)
    }

    /// How many ranks there are from `from` up to `to`.
    pub(crate) fn count_between(&self, from: u32, to: u32) -> u32 {
        if from >= to {
            return 0;
        }
        let words = self.0.iter().skip(from as usize / 64);
        words.zip(masks(from, to)).map(|(word, mask)| (word & mask).count_ones()).sum()
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    /// The first rank that is at least `from`.
    #[inline]
    pub(crate) fn next(&self, from: u32) -> Option<u32> {
        next_bit(&self.0, from)
    }

    /// The ranks from `start` on, in order.
    pub(crate) fn ranks_from(&self, start: u32) -> impl Iterator<Item = u32> {
        let mut at = start as usize / 64;
        let mut rest = self.0.get(at).map_or(0, |word| word & (u64::MAX << (start % 64)));
        std::iter::from_fn(move || {
            while rest == 0 {
                at += 1;
                rest = *self.0.get(at)?;
            }
            let bit = rest.trailing_zeros();
            rest &= rest - 1;
            Some(at as u32 * 64 + bit)
        })
    }
}

/// The ranks from `from` up to a greater `to` as words of a bitmap, from that of `from` on.
pub(crate) fn masks(from: u32, to: u32) -> impl Iterator<Item = u64> {
    let (first, last) = (from / 64, (to - 1) / 64);
    (first..=last).map(move |at| {
        let low = if at == first { u64::MAX << (from % 64) } else { u64::MAX };
        let high = if at == last { u64::MAX >> (63 - (to - 1) % 64) } else { u64::MAX };
        low & high
    })
}

// A bitmap of a million records has thousands of words, and a question may need dozens of passes over such bitmaps. So
// these are compiled for processors that take four words at a time and count bits by an instruction, and for all
// others.

/// What both have; as long as the shorter one.
#[multiversion(targets("x86_64+avx2+popcnt", "x86_64+popcnt"))]
pub(crate) fn and(left: &[u64], right: &[u64]) -> Vec<u64> {
    left.iter().zip(right).map(|(left, right)| left & right).collect()
}

/// What `left` has and `right` lacks; as long as the shorter one.
#[multiversion(targets("x86_64+avx2+popcnt", "x86_64+popcnt"))]
fn and_not(left: &[u64], right: &[u64]) -> Vec<u64> {
    left.iter().zip(right).map(|(left, right)| left & !right).collect()
}

/// Adds to `words` what `left` and `right` both have.
#[multiversion(targets("x86_64+avx2+popcnt", "x86_64+popcnt"))]
pub(crate) fn add_both(words: &mut [u64], left: &[u64], right: &[u64]) {
    let both = left.iter().zip(right);
    words.iter_mut().zip(both).for_each(|(word, (left, right))| *word |= left & right);
}

#[multiversion(targets("x86_64+avx2+popcnt", "x86_64+popcnt"))]
fn ones(words: &[u64]) -> u32 {
    words.iter().map(|word| word.count_ones()).sum()
}

/// How many bits both have.
#[multiversion(targets("x86_64+avx2+popcnt", "x86_64+popcnt"))]
pub(crate) fn ones_of_both(left: &[u64], right: &[u64]) -> u32 {
    left.iter().zip(right).map(|(left, right)| (left & right).count_ones()).sum()
}

/// The first set bit that is at least `from`.
#[inline]
pub(crate) fn next_bit(bits: &[u64], from: u32) -> Option<u32> {
    let mut word = from as usize / 64;
    let mut rest = bits.get(word)? & (u64::MAX << (from % 64));
    while rest == 0 {
        word += 1;
        rest = *bits.get(word)?;
    }
    Some(word as u32 * 64 + rest.trailing_zeros())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::records::postings::{PostingCursor, PostingList, RankRange};
    use proptest::prelude::*;

    const LEN: u32 = 300;

    fn ranks() -> impl Strategy<Value = BTreeSet<u32>> {
        proptest::collection::btree_set(0..LEN, 0..60)
    }

    fn bits(ranks: &BTreeSet<u32>) -> Bits {
        let ranks: Vec<u32> = ranks.iter().copied().collect();
        Bits::union(LEN, [PostingCursor::from(&ranks[..])])
    }

    fn set(bits: &Bits) -> BTreeSet<u32> {
        bits.ranks_from(0).collect()
    }

    proptest! {
        #[test]
        fn bitmaps_calculate_as_sets_do(one in ranks(), two in ranks(), from in 0..LEN, to in 0..LEN) {
            let (left, right) = (bits(&one), bits(&two));
            prop_assert_eq!(set(&left.and(&right)), one.intersection(&two).copied().collect::<BTreeSet<_>>());
            prop_assert_eq!(set(&left.and_not(&right)), one.difference(&two).copied().collect::<BTreeSet<_>>());
            prop_assert_eq!(left.count() as usize, one.len());
            let list: Vec<u32> = two.iter().copied().collect();
            for cursor in [PostingCursor::from(&list[..]), PostingCursor::with_bitmap(&list, &right.0)] {
                let both = left.and_any(&[cursor]);
                prop_assert_eq!(set(&both), set(&left.and(&right)));
                prop_assert_eq!(set(&left.and_any(&[cursor, PostingCursor::from(&[][..])])), set(&both));
                // it may be shorter than its collection
                prop_assert_eq!(both.count_between(from, to) as usize, one.intersection(&two).filter(|rank| (from..to).contains(rank)).count());
                prop_assert!((0..LEN).all(|rank| both.has(rank) == (one.contains(&rank) && two.contains(&rank))));
                prop_assert_eq!(set(&left.and_not(&both)), one.difference(&two).copied().collect::<BTreeSet<_>>());
                // and stand on either side
                prop_assert_eq!(set(&both.and(&left)), set(&both));
                prop_assert_eq!(set(&both.and_not(&left)), BTreeSet::new());
                prop_assert_eq!(set(&both.and_any(&[cursor])), set(&both));
                prop_assert_eq!(set(&both.and_any(&[PostingCursor::from(&list[..1.min(list.len())]), cursor])), set(&both));
                let mut grown = both.clone();
                grown.add(&cursor);
                grown.add_range(RankRange { early: &[], from, to });
                prop_assert_eq!(set(&grown), two.iter().copied().chain(from..to).collect::<BTreeSet<_>>());
                prop_assert_eq!(both.next(from), one.intersection(&two).copied().find(|rank| *rank >= from));
            }
            prop_assert_eq!(left.is_empty(), one.is_empty());
            prop_assert_eq!(left.count_between(from, to) as usize, one.iter().filter(|rank| (from..to).contains(rank)).count());
            let kept = PostingList::new(list.clone(), LEN);
            prop_assert_eq!(left.count_in(&(&kept).into()) as usize, one.intersection(&two).count());
            prop_assert!((0..LEN).all(|rank| left.has(rank) == one.contains(&rank)));
            prop_assert_eq!(left.ranks_from(from).collect::<Vec<_>>(), one.range(from..).copied().collect::<Vec<_>>());
            let mut range = left.clone();
            range.add_range(RankRange { early: &[], from, to });
            prop_assert_eq!(set(&range), one.iter().copied().chain(from..to).collect::<BTreeSet<_>>());
        }
    }
}
