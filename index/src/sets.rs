//! Sets of ranks, in rank order: lists, and unions of lists, walked together with early stop.

use std::ops::Deref;

use smallvec::SmallVec;

/// A rank that no record has: the end of every set.
const END: u32 = u32::MAX;

/// Lists of which any will do, mostly on the stack.
pub(crate) type Lists<'g> = SmallVec<[List<'g>; 2]>;

/// Sets of which all must be met, mostly on the stack.
pub(crate) type Sets<'g> = SmallVec<[Set<'g>; 4]>;

/// Sorted ranks as a guide keeps them. Beside a long list lies a bitmap of it: whether a rank is among many is one
/// look at a bit, and a search in the list is several that cannot be foreseen.
#[derive(Default)]
pub(crate) struct Ranks {
    list: Box<[u32]>,
    /// One bit for each rank of the shelf; none when the list is short.
    bits: Box<[u64]>,
}

/// A list of at least one in so many of a shelf's records is long.
const LONG: usize = 64;

impl Ranks {
    /// The sorted `ranks`, on a shelf of `len` records.
    pub(crate) fn new(ranks: Vec<u32>, len: usize) -> Self {
        let mut bits = Vec::new();
        if !ranks.is_empty() && ranks.len() * LONG >= len {
            bits.resize(len / 64 + 1, 0);
            ranks.iter().for_each(|rank| set_bit(&mut bits, *rank));
        }
        Self { list: ranks.into(), bits: bits.into() }
    }
}

impl Deref for Ranks {
    type Target = [u32];

    fn deref(&self) -> &[u32] {
        &self.list
    }
}

/// Sorted ranks, from a position on.
#[derive(Clone, Copy)]
pub(crate) struct List<'g> {
    rest: &'g [u32],
    /// All of them as bits, when there are many.
    bits: &'g [u64],
}

impl<'g> From<&'g [u32]> for List<'g> {
    fn from(ranks: &'g [u32]) -> Self {
        Self { rest: ranks, bits: &[] }
    }
}

impl<'g> From<&'g Ranks> for List<'g> {
    fn from(ranks: &'g Ranks) -> Self {
        Self { rest: &ranks.list, bits: &ranks.bits }
    }
}

impl List<'_> {
    /// The rank stood at; `END` past the last.
    #[inline]
    pub(crate) fn rank(&self) -> u32 {
        self.rest.first().copied().unwrap_or(END)
    }

    /// How many ranks are left.
    pub(crate) fn len(&self) -> usize {
        self.rest.len()
    }

    /// How many of them are before `rank`.
    pub(crate) fn before(&self, rank: u32) -> usize {
        self.rest.partition_point(|other| *other < rank)
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

    #[inline]
    fn reach(&mut self, rank: u32) -> u32 {
        if self.bits.is_empty() {
            return self.seek(rank);
        }
        rank + u32::from(self.bits[rank as usize / 64] >> (rank % 64) & 1 == 0)
    }
}

/// A set of ranks with a position in it.
pub(crate) enum Set<'g> {
    /// The ranks of a list.
    List(List<'g>),
    /// Those of any of a few lists.
    Few(Lists<'g>),
    /// Those of any of many lists.
    Many(Box<Many<'g>>),
}

/// From so many lists on, a union is made of bits.
const MANY: usize = 8;

impl<'g> Set<'g> {
    /// Any of the lists, on a shelf of `len` records.
    pub(crate) fn any(lists: Lists<'g>, len: u32) -> Self {
        match lists[..] {
            [only] => Self::List(only),
            _ if lists.len() < MANY => Self::Few(lists),
            _ => Self::Many(Box::new(Many::new(lists, len))),
        }
    }

    /// Goes to the next rank, from one that it was led to.
    #[inline]
    fn advance(&mut self) -> u32 {
        match self {
            Self::List(list) => list.advance(),
            Self::Few(lists) => {
                let rank = lists.iter().map(List::rank).min().unwrap_or(END);
                lists
                    .iter_mut()
                    .map(|list| if list.rank() == rank { list.advance() } else { list.rank() })
                    .min()
                    .unwrap_or(END)
            }
            Self::Many(many) => many.seek(many.rank + 1),
        }
    }

    /// Goes to the first rank that is not before `target`, never backwards.
    #[inline]
    fn seek(&mut self, target: u32) -> u32 {
        match self {
            Self::List(list) => list.seek(target),
            Self::Few(lists) => lists.iter_mut().map(|list| list.seek(target)).min().unwrap_or(END),
            Self::Many(many) => many.seek(target),
        }
    }

    /// `rank` when the set has it, else some rank after it before which the set has none. Never goes backwards.
    #[inline]
    fn reach(&mut self, rank: u32) -> u32 {
        match self {
            Self::List(list) => list.reach(rank),
            Self::Few(lists) => {
                let mut nearest = END;
                for list in lists {
                    nearest = nearest.min(list.reach(rank));
                    if nearest == rank {
                        break;
                    }
                }
                nearest
            }
            Self::Many(many) => many.seek(rank),
        }
    }

    /// About how many ranks the set has; walks are led by the smallest.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::List(list) => list.len(),
            Self::Few(lists) => lists.iter().map(List::len).sum(),
            Self::Many(many) => many.size,
        }
    }
}

/// The union of many lists as a bitmap of some ranks at a time, made when a walk gets there: most walks stop early.
/// The bitmaps get longer, so that a walk to the end costs little more than if all had been made at once.
pub(crate) struct Many<'g> {
    /// From the end of the bitmap on.
    lists: Lists<'g>,
    bits: Vec<u64>,
    /// The first rank of the bitmap.
    first: u32,
    /// How many words the next bitmap has.
    words: usize,
    /// The rank stood at.
    rank: u32,
    size: usize,
    /// How many words a bitmap of all ranks has.
    all: usize,
}

/// About as many ranks are in the first bitmap: a page and what filters may take from it.
const FIRST: usize = 256;

impl<'g> Many<'g> {
    fn new(lists: Lists<'g>, len: u32) -> Self {
        let size = lists.iter().map(List::len).sum::<usize>();
        let all = len as usize / 64 + 1;
        Self { lists, bits: Vec::new(), first: 0, words: all * FIRST / size.max(1) + 8, rank: 0, size, all }
    }

    fn seek(&mut self, target: u32) -> u32 {
        let mut from = target;
        loop {
            let found = next_bit(&self.bits, from.saturating_sub(self.first));
            if found != END {
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

    /// Makes the bitmap that begins about `from`.
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

/// How many of the sorted ranks are before `target`: by doubling steps, since it is mostly near.
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

#[inline]
fn set_bit(bits: &mut [u64], rank: u32) {
    bits[rank as usize / 64] |= 1 << (rank % 64);
}

#[inline]
fn next_bit(bits: &[u64], from: u32) -> u32 {
    let mut word = from as usize / 64;
    if word >= bits.len() {
        return END;
    }
    let mut rest = bits[word] & (u64::MAX << (from % 64));
    while rest == 0 {
        word += 1;
        if word == bits.len() {
            return END;
        }
        rest = bits[word];
    }
    word as u32 * 64 + rest.trailing_zeros()
}

/// Which ranks a walk may visit: those of `early` (events that began before the window and still run, all of
/// them before `from`), then those from `from` up to `to`.
#[derive(Clone, Copy)]
pub(crate) struct Range<'g> {
    pub(crate) early: &'g [u32],
    pub(crate) from: u32,
    pub(crate) to: u32,
}

/// Visits, in order, every rank of the range that is in all sets, until `visit` says stop.
pub(crate) fn walk<'g>(
    sets: &mut [Set<'g>],
    range: Range<'g>,
    start: u32,
    mut visit: impl FnMut(u32) -> bool,
) {
    if range.early.last().is_some_and(|last| *last >= start) {
        let mut early = Set::List(range.early.into());
        let mut all: SmallVec<[&mut Set<'g>; 8]> = sets.iter_mut().chain([&mut early]).collect();
        if !meet(&mut all, start, range.from, &mut visit) {
            return;
        }
    }
    let mut all: SmallVec<[&mut Set; 8]> = sets.iter_mut().collect();
    meet(&mut all, range.from.max(start), range.to, &mut visit);
}

/// Visits, in order, every rank from `from` up to `to` that is in all sets; false when `visit` said stop.
fn meet(sets: &mut [&mut Set], from: u32, to: u32, mut visit: impl FnMut(u32) -> bool) -> bool {
    sets.sort_by_key(|set| set.size());
    let Some((leader, others)) = sets.split_first_mut() else {
        return (from..to).all(visit);
    };
    let mut rank = leader.seek(from);
    'next: while rank < to {
        for other in others.iter_mut() {
            let there = other.reach(rank);
            if there > rank {
                // not beyond `to`: the sets may be walked on from there
                rank = if there == rank + 1 { leader.advance() } else { leader.seek(there.min(to)) };
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sorted(max: u32) -> impl Strategy<Value = Vec<u32>> {
        proptest::collection::btree_set(0..max, 0..60).prop_map(|set| set.into_iter().collect())
    }

    proptest! {
        #[test]
        fn a_walk_is_an_intersection(
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
            let range = Range { early: &early, from, to };
            let [one_kept, two_kept, three_kept] = [&one, &two, &three].map(|list| Ranks::new(list.clone(), 300));
            // as lists, as long lists, and one of each
            for [one, two, three] in [
                [List::from(&one[..]), List::from(&two[..]), List::from(&three[..])],
                [List::from(&one_kept), List::from(&two_kept), List::from(&three_kept)],
                [List::from(&one[..]), List::from(&two_kept), List::from(&three[..])],
            ] {
                let few = Lists::from_iter([two, three]);
                let many: Lists = few.iter().copied().chain((0..MANY).map(|_| two)).collect();
                for second in [few, many] {
                    let sets = &mut [Set::List(one), Set::any(second, 300)];
                    let mut found = Vec::new();
                    walk(sets, range, start, |rank| { found.push(rank); true });
                    prop_assert_eq!(&found, &expected);
                }
            }
        }
    }
}
