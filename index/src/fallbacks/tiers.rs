//! Records in tiers by the wishes that they meet, of a question that none meets whole.
//!
//! Wishes come in order, the most essential first. A record that meets an earlier wish comes before all that do not,
//! whatever else those meet. So the records fall into tiers by which wishes they meet; the best tier is the answer.

use crate::records::bits::Bits;
use crate::search::narrowed::{Narrowed, Wanted};

/// How many intersections one question may cost; those that find the best tier are always made.
const MAX_INTERSECTIONS: usize = 64;

/// How many words of bitmaps they may read together: those of a million records have thousands each.
const MAX_BITMAP_WORDS: usize = 200_000;

/// What a wish asks of the records.
#[derive(Clone, Copy)]
pub(crate) struct Condition<'w, 'g> {
    /// The records that meet it.
    pub(crate) records: &'w Wanted<'g>,
    /// Whether only records that meet the wish before it do.
    pub(crate) is_within: bool,
}

/// The records nearest to a question.
pub(crate) struct Tiers {
    /// The best tier.
    pub(crate) best: Bits,
    /// By wish, whether the best tier meets it.
    pub(crate) met: Vec<bool>,
    /// Records of the next tiers, the nearer tiers first, each in rank order.
    pub(crate) further: Vec<u32>,
}

/// Sorts the records of `base` into tiers by the wishes they meet, and returns the best tier and at most `further`
/// records of the next ones. Those meet all wishes that the best tier meets and `is_kept` names.
pub(crate) fn tiers(
    base: Bits,
    wishes: &[Condition<'_, '_>],
    further: usize,
    is_kept: impl Fn(usize) -> bool,
) -> Tiers {
    let mut walk = Walk { wishes, left: MAX_INTERSECTIONS.min(MAX_BITMAP_WORDS / base.0.len().max(1)) };
    let mut best = Narrowed::from(base);
    let mut met = Vec::with_capacity(wishes.len());
    // where the walk branched: the records that do not meet a wish, and the wish after it
    let mut open: Vec<(Narrowed, usize)> = Vec::new();
    for (at, Condition { records: wish, is_within }) in wishes.iter().enumerate() {
        if *is_within && met.last() == Some(&false) {
            met.push(false);
            continue;
        }
        let with = walk.with(&best, wish);
        met.push(!with.is_empty());
        if with.is_empty() {
            continue;
        }
        if is_kept(at) {
            open.iter_mut().for_each(|(records, _)| *records = records.with(wish));
        } else if further > 0 {
            open.push((best.rest(&with), walk.after_unmet(at)));
        }
        best = with;
    }
    let mut ranks = Vec::new();
    while ranks.len() < further
        && let Some((records, next)) = open.pop()
    {
        walk.visit(records, next, &mut ranks, further);
    }
    Tiers { best: best.into_bits(), met, further: ranks }
}

struct Walk<'w, 'g> {
    wishes: &'w [Condition<'w, 'g>],
    /// How many intersections are left.
    left: usize,
}

impl Walk<'_, '_> {
    fn with(&mut self, records: &Narrowed, wish: &Wanted<'_>) -> Narrowed {
        self.left = self.left.saturating_sub(1);
        records.with(wish)
    }

    /// The next wish that records can meet which do not meet this one.
    fn after_unmet(&self, at: usize) -> usize {
        at + 1 + self.wishes[at + 1..].iter().take_while(|wish| wish.is_within).count()
    }

    /// Appends the records, those that meet the wish `next` and so on first, until there are `most`.
    fn visit(&mut self, records: Narrowed, next: usize, ranks: &mut Vec<u32>, most: usize) {
        if ranks.len() >= most || records.is_empty() {
            return;
        }
        // without intersections left, the rest comes in rank order
        match self.wishes.get(next).filter(|_| self.left > 0) {
            Some(Condition { records: wish, .. }) => {
                let with = self.with(&records, wish);
                if with.is_empty() {
                    return self.visit(records, self.after_unmet(next), ranks, most);
                }
                let rest = records.rest(&with);
                self.visit(with, next + 1, ranks, most);
                self.visit(rest, self.after_unmet(next), ranks, most);
            }
            None => ranks.extend(records.first(most - ranks.len())),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Reverse;

    use super::*;
    use crate::records::postings::PostingCursor;
    use proptest::prelude::*;

    const LEN: u32 = 20_000;

    fn bits(ranks: &[u32]) -> Bits {
        Bits::union(LEN, [PostingCursor::from(ranks)])
    }

    /// So far apart that most of the sets become lists on the way.
    fn ranks() -> impl Strategy<Value = Vec<u32>> {
        proptest::collection::btree_set(0..100u32, 0..40)
            .prop_map(|set| set.into_iter().map(|rank| rank * (LEN / 100)).collect())
    }

    proptest! {
        /// The rule, record by record: sort by what each meets, the most essential first.
        #[test]
        fn the_tiers_are_those_of_a_linear_scan(
            base in ranks(), wishes in proptest::collection::vec((ranks(), any::<bool>()), 0..6),
            within in any::<[bool; 6]>(), further in 0usize..12,
        ) {
            let (mut wishes, kept): (Vec<Vec<u32>>, Vec<bool>) = wishes.into_iter().unzip();
            // some are within the one before
            for at in (1..wishes.len()).filter(|at| within[*at]) {
                let before = wishes[at - 1].clone();
                wishes[at].retain(|rank| before.contains(rank));
            }
            let as_lists: Vec<Wanted> = wishes.iter().map(|wish| Wanted::Any(wish.chunks(10).map(PostingCursor::from).collect())).collect();
            let as_sets: Vec<Wanted> = wishes.iter().map(|wish| Wanted::Set(bits(wish))).collect();
            // some of each kind
            let is_within = |at: usize| at > 0 && wishes[at].iter().all(|rank| wishes[at - 1].contains(rank));
            let wish = |at: usize| Condition { records: if kept[at] { &as_lists[at] } else { &as_sets[at] }, is_within: is_within(at) };
            let all: Vec<Condition> = (0..wishes.len()).map(wish).collect();
            let found = tiers(bits(&base), &all, further, |at| kept[at]);
            let meets = |rank: &u32| -> Vec<bool> { wishes.iter().map(|wish| wish.contains(rank)).collect() };
            let mut sorted = base.clone();
            sorted.sort_by_key(|rank| (Reverse(meets(rank)), *rank));
            let most = sorted.first().map(&meets).unwrap_or_else(|| vec![false; wishes.len()]);
            let best: Vec<u32> = sorted.iter().copied().filter(|rank| meets(rank) == most).collect();
            prop_assert_eq!(found.best.ranks_from(0).collect::<Vec<_>>(), best.clone());
            prop_assert_eq!(&found.met, &most);
            let keeps = |rank: &u32| (0..kept.len()).all(|at| !kept[at] || !most[at] || wishes[at].contains(rank));
            let rest: Vec<u32> = sorted[best.len()..].iter().copied().filter(keeps).take(further).collect();
            prop_assert_eq!(found.further, rest);
        }
    }
}
