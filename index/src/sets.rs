//! Sets of ranks, in rank order: lists, bitmaps and unions, walked together with early stop.

use smallvec::SmallVec;

/// A rank that no record has: the end of every set.
const END: u32 = u32::MAX;

/// A few sets, mostly on the stack.
pub(crate) type Sets<'g> = SmallVec<[Set<'g>; 4]>;

/// A set of ranks with a position in it.
pub(crate) enum Set<'g> {
    /// Sorted ranks, and the position.
    List(&'g [u32], usize),
    /// One bit a rank, the rank stood at, and about how many there are.
    Bits { bits: Vec<u64>, rank: u32, count: usize },
    /// Any of these.
    Union(Vec<Set<'g>>),
}

impl<'g> Set<'g> {
    pub(crate) fn list(ranks: &'g [u32]) -> Self {
        Self::List(ranks, 0)
    }

    /// The ranks, in any order, on a shelf of `len`.
    pub(crate) fn bits<'r>(ranks: impl Iterator<Item = &'r u32>, len: u32) -> Self {
        let mut bits = vec![0u64; len as usize / 64 + 1];
        let mut count = 0;
        for rank in ranks {
            set_bit(&mut bits, *rank);
            count += 1;
        }
        Self::Bits { rank: next_bit(&bits, 0), bits, count }
    }

    /// Any of the sets: as it is when there is one, a bitmap when there are many.
    pub(crate) fn any(mut sets: Sets<'g>, len: u32) -> Self {
        match sets.len() {
            1 => sets.swap_remove(0),
            0..=MANY => Self::Union(sets.into_vec()),
            _ => {
                let mut all = vec![0u64; len as usize / 64 + 1];
                for set in &sets {
                    set.include_in(&mut all);
                }
                Self::Bits { rank: next_bit(&all, 0), bits: all, count: sets.iter().map(Set::size).sum() }
            }
        }
    }

    /// Sets the bit of every rank of the set, wherever it stands.
    fn include_in(&self, all: &mut [u64]) {
        match self {
            Self::List(ranks, _) => ranks.iter().for_each(|rank| set_bit(all, *rank)),
            Self::Bits { bits, .. } => all.iter_mut().zip(bits).for_each(|(all, bits)| *all |= bits),
            Self::Union(sets) => sets.iter().for_each(|set| set.include_in(all)),
        }
    }

    /// The rank stood at; `END` past the last.
    #[inline]
    pub(crate) fn rank(&self) -> u32 {
        match self {
            Self::List(ranks, at) => ranks.get(*at).copied().unwrap_or(END),
            Self::Bits { rank, .. } => *rank,
            Self::Union(sets) => sets.iter().map(Set::rank).min().unwrap_or(END),
        }
    }

    /// Goes to the next rank.
    #[inline]
    pub(crate) fn advance(&mut self) -> u32 {
        match self {
            Self::List(ranks, at) => {
                *at += 1;
                ranks.get(*at).copied().unwrap_or(END)
            }
            Self::Bits { .. } | Self::Union(_) => {
                let rank = self.rank();
                if rank == END { END } else { self.seek(rank + 1) }
            }
        }
    }

    /// Goes to the first rank that is not before `target`, never backwards.
    #[inline]
    pub(crate) fn seek(&mut self, target: u32) -> u32 {
        match self {
            Self::List(ranks, at) => {
                *at += gallop(&ranks[(*at).min(ranks.len())..], target);
                ranks.get(*at).copied().unwrap_or(END)
            }
            Self::Bits { bits, rank, .. } => {
                *rank = next_bit(bits, target.max(*rank));
                *rank
            }
            Self::Union(sets) => sets.iter_mut().map(|set| set.seek(target)).min().unwrap_or(END),
        }
    }

    /// About how many ranks the set has; walks are led by the smallest.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::List(ranks, _) => ranks.len(),
            Self::Bits { count, .. } => *count,
            Self::Union(sets) => sets.iter().map(Set::size).sum(),
        }
    }
}

/// From so many sets on, a union is a bitmap.
const MANY: usize = 8;

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
pub(crate) fn walk(sets: &mut [Set], range: Range, start: u32, mut visit: impl FnMut(u32) -> bool) {
    sets.sort_by_key(Set::size);
    for &rank in &range.early[gallop(range.early, start)..] {
        if sets.iter_mut().all(|set| set.seek(rank) == rank) && !visit(rank) {
            return;
        }
    }
    let first = range.from.max(start);
    let Some((leader, others)) = sets.split_first_mut() else {
        for rank in first..range.to {
            if !visit(rank) {
                return;
            }
        }
        return;
    };
    let mut rank = leader.seek(first);
    'next: while rank < range.to {
        for other in others.iter_mut() {
            let there = other.seek(rank);
            if there > rank {
                rank = leader.seek(there);
                continue 'next;
            }
        }
        if !visit(rank) {
            return;
        }
        rank = leader.advance();
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
            let union = || Sets::from_iter([Set::list(&two), Set::list(&three)]);
            let mut many = union();
            many.extend((0..MANY).map(|_| Set::list(&two)));
            for second in [Set::any(union(), 300), Set::any(many, 300)] {
                let mut found = Vec::new();
                walk(&mut [Set::list(&one), second], range, start, |rank| { found.push(rank); true });
                prop_assert_eq!(&found, &expected);
            }
        }
    }
}
