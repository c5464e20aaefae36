//! Sorted lists of ranks, unions of them, and their intersection with early stop.
#![expect(clippy::cast_possible_truncation, reason = "positions in a bitmap are ranks, which are u32")]

use std::ops::Deref;

use smallvec::SmallVec;

use crate::records::bits::{Bits, add_both, and, masks, next_bit, ones_of_both};

/// A rank that no record has: the end of every list.
const END: u32 = u32::MAX;

/// Lists to unite, mostly on the stack.
pub(crate) type Cursors<'g> = SmallVec<[PostingCursor<'g>; 2]>;

/// Sets to intersect, mostly on the stack.
pub(crate) type Sets<'g> = SmallVec<[Set<'g>; 4]>;

/// Sorted ranks. A long list also has a bitmap: testing a bit costs one predictable read, searching the list costs
/// several unpredictable ones.
#[derive(Default)]
pub(crate) struct PostingList {
    list: Box<[u32]>,
    /// One bit for each rank of the collection; empty when the list is short.
    bits: Box<[u64]>,
}

/// A list is long from one in so many of the collection's records on.
const LONG: usize = 64;

impl PostingList {
    /// The sorted `ranks` of a collection of `len` records.
    pub(crate) fn new(ranks: Vec<u32>, len: u32) -> Self {
        let bits = bitmap(&ranks, len as usize).unwrap_or_default();
        Self { list: ranks.into(), bits: bits.into() }
    }
}

/// The bitmap of a long list of a collection of `len` records.
pub(crate) fn bitmap(ranks: &[u32], len: usize) -> Option<Vec<u64>> {
    if ranks.is_empty() || ranks.len() * LONG < len {
        return None;
    }
    let mut bits = vec![0; len / 64 + 1];
    ranks.iter().for_each(|rank| set_bit(&mut bits, *rank));
    Some(bits)
}

impl Deref for PostingList {
    type Target = [u32];

    fn deref(&self) -> &[u32] {
        &self.list
    }
}

/// A position in a list.
#[derive(Clone, Copy)]
pub(crate) struct PostingCursor<'g> {
    rest: &'g [u32],
    /// The bitmap of the whole list, if it has one.
    bits: &'g [u64],
}

impl<'g> From<&'g [u32]> for PostingCursor<'g> {
    fn from(ranks: &'g [u32]) -> Self {
        Self { rest: ranks, bits: &[] }
    }
}

impl<'g> From<&'g PostingList> for PostingCursor<'g> {
    fn from(ranks: &'g PostingList) -> Self {
        Self { rest: &ranks.list, bits: &ranks.bits }
    }
}

impl<'g> PostingCursor<'g> {
    /// A list with its bitmap, which is empty when the list is short.
    pub(crate) fn with_bitmap(ranks: &'g [u32], bits: &'g [u64]) -> Self {
        Self { rest: ranks, bits }
    }

    /// The rank at the position; `END` past the last.
    #[inline]
    pub(crate) fn rank(&self) -> u32 {
        self.rest.first().copied().unwrap_or(END)
    }

    /// How many ranks are left.
    pub(crate) fn len(&self) -> usize {
        self.rest.len()
    }

    /// The ranks that are left.
    pub(crate) fn ranks(&self) -> &'g [u32] {
        self.rest
    }

    /// Whether the rank is left.
    pub(crate) fn has(&self, rank: u32) -> bool {
        self.rest.binary_search(&rank).is_ok()
    }

    /// The bitmap of the whole list, if it has one.
    pub(crate) fn bitmap(&self) -> Option<&[u64]> {
        (!self.bits.is_empty()).then_some(self.bits)
    }

    /// How many of them are less than `rank`.
    pub(crate) fn count_before(&self, rank: u32) -> usize {
        self.rest.partition_point(|other| *other < rank)
    }

    /// How many of them are at least `from` and less than `to`.
    pub(crate) fn count_between(&self, from: u32, to: u32) -> u32 {
        self.count_before(to).saturating_sub(self.count_before(from)) as u32
    }

    #[inline]
    fn advance(&mut self) -> u32 {
        self.rest = self.rest.get(1..).unwrap_or_default();
        self.rank()
    }

    #[inline]
    fn seek(&mut self, target: u32) -> u32 {
        self.rest = &self.rest[gallop(self.rest, target)..];
        self.rank()
    }

    /// `rank` when the list has it, else a greater rank that none of the list comes before.
    #[inline]
    pub(crate) fn probe(&mut self, rank: u32) -> u32 {
        if self.bits.is_empty() {
            return self.seek(rank);
        }
        rank + u32::from(self.bits[rank as usize / 64] >> (rank % 64) & 1 == 0)
    }
}

/// About how many ranks of a list may be read in the time in which one rank is looked up in a long list.
const SEARCH_STEPS: usize = 16;

/// A list is read without branches when it has a rank for every so many words of a bitmap.
const MANY_OF_WORDS: usize = 16;

impl Bits {
    /// The union of lists.
    pub(crate) fn union<'g>(len: u32, lists: impl IntoIterator<Item = PostingCursor<'g>>) -> Self {
        let mut bits = Self::none(len);
        for list in lists {
            bits.add(&list);
        }
        bits
    }

    /// The ranks that one of the lists has too.
    pub(crate) fn and_any(&self, lists: &[PostingCursor<'_>]) -> Self {
        let mut bitmaps = lists.iter().filter_map(PostingCursor::bitmap);
        // most words of a question have few records, and none of these: it grows as far as it must
        let mut found = Self(bitmaps.next().map_or_else(Vec::new, |bitmap| and(&self.0, bitmap)));
        bitmaps.for_each(|bitmap| add_both(&mut found.0, &self.0, bitmap));
        for list in lists.iter().filter(|list| list.bitmap().is_none()) {
            if list.len() > self.0.len() && list.len() > SEARCH_STEPS * self.count() as usize {
                let mut list = *list;
                let both = self.ranks_from(0).filter(|rank| list.probe(*rank) == *rank);
                both.for_each(|rank| found.insert(rank));
            } else if list.len() > self.0.len() / MANY_OF_WORDS {
                // which of many ranks this has cannot be foreseen, so that nothing depends on it
                found.grow(self.0.len());
                for rank in list.ranks() {
                    let at = *rank as usize / 64;
                    let (Some(found), Some(word)) = (found.0.get_mut(at), self.0.get(at)) else { break };
                    *found |= word & 1 << (rank % 64);
                }
            } else {
                let both = list.ranks().iter().filter(|rank| self.has(**rank));
                both.for_each(|rank| found.insert(*rank));
            }
        }
        found
    }

    /// How many ranks a list has too.
    pub(crate) fn count_in(&self, list: &PostingCursor<'_>) -> u32 {
        match list.bitmap() {
            Some(bitmap) => ones_of_both(&self.0, bitmap),
            None => list.ranks().iter().map(|rank| u32::from(self.has(*rank))).sum(),
        }
    }

    /// The ranks that a list has too, which should be short.
    pub(crate) fn ranks_in(&self, list: &PostingCursor<'_>) -> Vec<u32> {
        list.ranks().iter().copied().filter(|rank| self.has(*rank)).collect()
    }

    /// The first rank and the one after the last, if the set has all ranks between them.
    pub(crate) fn span(&self) -> Option<(u32, u32)> {
        let first = self.next(0)?;
        let last_word = self.0.iter().rposition(|word| *word != 0)?;
        let end = last_word as u32 * 64 + u64::BITS - self.0[last_word].leading_zeros();
        let mut all = Self(Vec::new());
        all.add_range(RankRange { early: &[], from: first, to: end });
        (self.0[..=last_word] == all.0).then_some((first, end))
    }

    /// Adds the ranks of a list.
    pub(crate) fn add(&mut self, list: &PostingCursor<'_>) {
        match list.bitmap() {
            Some(bitmap) => {
                self.grow(bitmap.len());
                self.0.iter_mut().zip(bitmap).for_each(|(all, some)| *all |= some);
            }
            None => {
                self.grow(list.ranks().last().map_or(0, |last| *last as usize / 64 + 1));
                list.ranks().iter().for_each(|rank| set_bit(&mut self.0, *rank));
            }
        }
    }

    /// Adds the ranks of a window.
    pub(crate) fn add_range(&mut self, range: RankRange<'_>) {
        range.early.iter().for_each(|rank| self.insert(*rank));
        let RankRange { from, to, .. } = range;
        if from >= to {
            return;
        }
        self.grow(to.div_ceil(64) as usize);
        let words = self.0.iter_mut().skip(from as usize / 64);
        words.zip(masks(from, to)).for_each(|(word, mask)| *word |= mask);
    }
}

/// A set of ranks with a position in it.
pub(crate) enum Set<'g> {
    /// The ranks of a list.
    List(PostingCursor<'g>),
    /// The union of a few lists.
    Few(Cursors<'g>),
    /// The union of many lists.
    Many(Box<Bitmap<'g>>),
    /// The ranks of a bitmap.
    Bits(Box<BitSet>),
}

/// A bitmap with a position in it.
pub(crate) struct BitSet {
    bits: Bits,
    /// The rank at the position.
    rank: u32,
    size: usize,
}

impl BitSet {
    fn seek(&mut self, target: u32) -> u32 {
        self.rank = self.bits.next(target).unwrap_or(END);
        self.rank
    }
}

/// From so many lists on, a union is a bitmap.
const MANY: usize = 8;

impl<'g> Set<'g> {
    /// The union of the lists of a collection of `len` records.
    pub(crate) fn union(lists: Cursors<'g>, len: u32) -> Self {
        match lists[..] {
            [only] => Self::List(only),
            _ if lists.len() < MANY => Self::Few(lists),
            _ => Self::Many(Box::new(Bitmap::new(lists, len))),
        }
    }

    /// The ranks of a bitmap.
    pub(crate) fn bits(bits: Bits) -> Self {
        let size = bits.count() as usize;
        Self::Bits(Box::new(BitSet { bits, rank: 0, size }))
    }

    /// Moves to the next rank, from one that `advance` or `seek` returned.
    #[inline]
    fn advance(&mut self) -> u32 {
        match self {
            Self::List(list) => list.advance(),
            Self::Few(lists) => {
                let rank = lists.iter().map(PostingCursor::rank).min().unwrap_or(END);
                lists
                    .iter_mut()
                    .map(|list| if list.rank() == rank { list.advance() } else { list.rank() })
                    .min()
                    .unwrap_or(END)
            }
            Self::Many(many) => many.seek(many.rank + 1),
            Self::Bits(set) => set.seek(set.rank + 1),
        }
    }

    /// Moves to the first rank that is at least `target`, never backwards.
    #[inline]
    fn seek(&mut self, target: u32) -> u32 {
        match self {
            Self::List(list) => list.seek(target),
            Self::Few(lists) => lists.iter_mut().map(|list| list.seek(target)).min().unwrap_or(END),
            Self::Many(many) => many.seek(target),
            Self::Bits(set) => set.seek(target),
        }
    }

    /// `rank` when the set has it, else a greater rank that none of the set comes before. Never moves backwards.
    #[inline]
    fn probe(&mut self, rank: u32) -> u32 {
        match self {
            Self::List(list) => list.probe(rank),
            Self::Few(lists) => {
                let mut nearest = END;
                for list in lists {
                    nearest = nearest.min(list.probe(rank));
                    if nearest == rank {
                        break;
                    }
                }
                nearest
            }
            Self::Many(many) => many.seek(rank),
            Self::Bits(set) => set.seek(rank),
        }
    }

    /// About how many ranks the set has: the smallest set leads an intersection.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::List(list) => list.len(),
            Self::Few(lists) => lists.iter().map(PostingCursor::len).sum(),
            Self::Many(many) => many.size,
            Self::Bits(set) => set.size,
        }
    }
}

/// The union of many lists as a bitmap, made piece by piece when a walk gets there, because most walks stop early. Each
/// piece is longer than the one before, so that a walk to the end costs little more than one whole bitmap.
pub(crate) struct Bitmap<'g> {
    /// Positions at the end of the current piece.
    lists: Cursors<'g>,
    bits: Vec<u64>,
    /// The first rank of the piece.
    first: u32,
    /// How many words the next piece has.
    words: usize,
    /// The rank at the position.
    rank: u32,
    size: usize,
    /// How many words a bitmap of the whole collection has.
    all: usize,
}

/// About how many ranks the first piece has: a page, and those that filters take from it.
const FIRST_PIECE: usize = 256;

impl<'g> Bitmap<'g> {
    fn new(lists: Cursors<'g>, len: u32) -> Self {
        let size = lists.iter().map(PostingCursor::len).sum::<usize>();
        let all = len as usize / 64 + 1;
        Self {
            lists,
            bits: Vec::new(),
            first: 0,
            words: all * FIRST_PIECE / size.max(1) + 8,
            rank: 0,
            size,
            all,
        }
    }

    fn seek(&mut self, target: u32) -> u32 {
        let mut from = target;
        loop {
            if let Some(found) = next_bit(&self.bits, from.saturating_sub(self.first)) {
                self.rank = self.first + found;
                return self.rank;
            }
            from = from.max(self.first + self.bits.len() as u32 * 64);
            if self.lists.is_empty() || from as usize / 64 >= self.all {
                self.rank = END;
                return END;
            }
            self.fill(from);
        }
    }

    /// Makes the piece that begins at the word of `from`.
    fn fill(&mut self, from: u32) {
        let start = from as usize / 64;
        let words = self.words.min(self.all - start);
        self.words *= 4;
        self.bits.clear();
        self.bits.resize(words, 0);
        self.first = start as u32 * 64;
        let (first, end) = (self.first, self.first + words as u32 * 64);
        let bits = &mut self.bits;
        self.lists.retain(|list| {
            if list.bits.is_empty() {
                list.seek(first);
                let here = list.rest.partition_point(|rank| *rank < end);
                list.rest[..here].iter().for_each(|rank| set_bit(bits, *rank - first));
                list.rest = &list.rest[here..];
            } else {
                bits.iter_mut().zip(&list.bits[start..]).for_each(|(all, some)| *all |= some);
            }
            !list.rest.is_empty()
        });
    }
}

/// How many of the sorted ranks are less than `target`, by doubling steps, since it is mostly near.
#[inline]
fn gallop(ranks: &[u32], target: u32) -> usize {
    let mut step = 1;
    let mut low = 0;
    while low + step <= ranks.len() && ranks[low + step - 1] < target {
        low += step;
        step *= 2;
    }
    let high = (low + step).min(ranks.len());
    low + ranks[low..high].partition_point(|rank| *rank < target)
}

/// Sets the bit of a rank that the bitmap has room for.
#[inline]
pub(crate) fn set_bit(bits: &mut [u64], rank: u32) {
    bits[rank as usize / 64] |= 1 << (rank % 64);
}

/// The ranks of a window: those of `early` (events that began before it and still run, all less than `from`), then
/// those from `from` up to `to`.
#[derive(Clone, Copy)]
pub(crate) struct RankRange<'g> {
    pub(crate) early: &'g [u32],
    pub(crate) from: u32,
    pub(crate) to: u32,
}

/// How many ranks of the range are in all sets.
pub(crate) fn count<'g>(sets: &mut [Set<'g>], range: RankRange<'g>) -> u32 {
    let mut count = 0;
    intersect(sets, range, 0, |_| {
        count += 1;
        true
    });
    count
}

/// Visits, in order, every rank of the range from `start` on that is in all sets, until `visit` returns false.
pub(crate) fn intersect<'g>(
    sets: &mut [Set<'g>],
    range: RankRange<'g>,
    start: u32,
    mut visit: impl FnMut(u32) -> bool,
) {
    if range.early.last().is_some_and(|last| *last >= start) {
        let mut early = Set::List(range.early.into());
        let mut all: SmallVec<[&mut Set<'g>; 8]> = sets.iter_mut().chain([&mut early]).collect();
        if !intersect_run(&mut all, start, range.from, &mut visit) {
            return;
        }
    }
    let mut all: SmallVec<[&mut Set; 8]> = sets.iter_mut().collect();
    intersect_run(&mut all, range.from.max(start), range.to, &mut visit);
}

/// Visits, in order, every rank from `from` up to `to` that is in all sets; false when `visit` returned false.
fn intersect_run(sets: &mut [&mut Set], from: u32, to: u32, mut visit: impl FnMut(u32) -> bool) -> bool {
    sets.sort_by_key(|set| set.size());
    let Some((leader, others)) = sets.split_first_mut() else {
        return (from..to).all(visit);
    };
    let mut rank = leader.seek(from);
    'next: while rank < to {
        for other in others.iter_mut() {
            let next = other.probe(rank);
            if next > rank {
                // not beyond `to`: a later run goes on from there
                rank = if next == rank + 1 { leader.advance() } else { leader.seek(next.min(to)) };
                continue 'next;
            }
        }
        if !visit(rank) {
            return false;
        }
        rank = leader.advance();
    }
    true
}

/// The total when no intersection is needed: no set, or one list.
#[expect(clippy::cast_possible_truncation, reason = "numbers of ranks, which are u32")]
pub(crate) fn simple_total(sets: &[Set], range: RankRange) -> Option<u32> {
    match sets {
        [] => Some(range.early.len() as u32 + range.to.saturating_sub(range.from)),
        [Set::List(list)] if range.early.is_empty() => Some(list.count_between(range.from, range.to)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sorted(max: u32) -> impl Strategy<Value = Vec<u32>> {
        proptest::collection::btree_set(0..max, 0..60).prop_map(|set| set.into_iter().collect())
    }

    proptest! {
        #[test]
        fn an_intersection_visits_the_ranks_that_all_sets_have(
            one in sorted(300), two in sorted(300), three in sorted(300), early in sorted(100),
            from in 100u32..150, to in 150u32..300, start in 0u32..200,
        ) {
            let both: Vec<u32> = {
                let mut both = two.clone();
                both.extend(&three);
                both.sort_unstable();
                both.dedup();
                both
            };
            let expected: Vec<u32> = early
                .iter()
                .copied()
                .chain(from..to)
                .filter(|rank| *rank >= start && one.contains(rank) && both.contains(rank))
                .collect();
            let range = RankRange { early: &early, from, to };
            let [one_kept, two_kept, three_kept] = [&one, &two, &three].map(|list| PostingList::new(list.clone(), 300));
            // as lists, as long lists, and one of each
            for [one, two, three] in [
                [PostingCursor::from(&one[..]), PostingCursor::from(&two[..]), PostingCursor::from(&three[..])],
                [PostingCursor::from(&one_kept), PostingCursor::from(&two_kept), PostingCursor::from(&three_kept)],
                [PostingCursor::from(&one[..]), PostingCursor::from(&two_kept), PostingCursor::from(&three[..])],
            ] {
                let few = Cursors::from_iter([two, three]);
                let many: Cursors = few.iter().copied().chain((0..MANY).map(|_| two)).collect();
                for second in [few, many] {
                    let sets = &mut [Set::List(one), Set::union(second, 300)];
                    let mut found = Vec::new();
                    intersect(sets, range, start, |rank| { found.push(rank); true });
                    prop_assert_eq!(&found, &expected);
                }
            }
        }
    }
}
