//! Sets of ranks that get smaller wish by wish: bitmaps while they have many ranks, then lists, because the bitmap of a
//! large collection costs the same however few ranks it has.

use crate::records::bits::Bits;
use crate::records::postings::{Cursors, PostingCursor};

/// The records that meet a wish, and perhaps others that no answer may list.
pub(crate) enum Wanted<'g> {
    /// Those of any of the lists.
    Any(Cursors<'g>),
    /// Those of a bitmap.
    Set(Bits),
}

impl Wanted<'_> {
    /// Whether it has the rank.
    pub(crate) fn has(&self, rank: u32) -> bool {
        match self {
            Self::Any(lists) => lists.iter().any(|list| list.has(rank)),
            Self::Set(bits) => bits.has(rank),
        }
    }

    /// Those of the ranks that it has.
    pub(crate) fn of(&self, ranks: &Bits) -> Bits {
        match self {
            Self::Any(lists) => ranks.and_any(lists),
            Self::Set(bits) => ranks.and(bits),
        }
    }

    /// Tells of ranks that are asked in order whether it has them.
    fn in_order(&self) -> impl FnMut(u32) -> bool {
        let mut lists = match self {
            Self::Any(lists) => lists.clone(),
            Self::Set(_) => Cursors::new(),
        };
        move |rank| match self {
            Self::Any(_) => lists.iter_mut().any(|list| list.probe(rank) == rank),
            Self::Set(bits) => bits.has(rank),
        }
    }
}

/// A set that gets smaller.
pub(crate) enum Narrowed {
    /// The sorted ranks.
    Few(Vec<u32>),
    /// One bit for each.
    Many(Bits),
}

/// With fewer ranks than one in so many words of its bitmap a set is a list: to look up a rank in a list takes as long
/// as about this many words of an intersection.
const WORDS_OF_A_RANK: usize = 32;

impl From<Bits> for Narrowed {
    fn from(bits: Bits) -> Self {
        let few = bits.0.len() / WORDS_OF_A_RANK;
        let mut ranks = bits.ranks_from(0);
        let first: Vec<u32> = ranks.by_ref().take(few).collect();
        let is_few = ranks.next().is_none();
        drop(ranks);
        if is_few { Self::Few(first) } else { Self::Many(bits) }
    }
}

impl Narrowed {
    /// Those that are wanted.
    pub(crate) fn with(&self, wanted: &Wanted<'_>) -> Self {
        match (self, wanted) {
            (Self::Few(ranks), _) => {
                let mut has = wanted.in_order();
                Self::Few(ranks.iter().copied().filter(|rank| has(*rank)).collect())
            }
            (Self::Many(bits), Wanted::Set(other)) => bits.and(other).into(),
            (Self::Many(bits), Wanted::Any(lists)) => match lists[..] {
                [list] if list.bitmap().is_none() => {
                    let ranks = bits.ranks_in(&list);
                    match ranks.len() <= bits.0.len() / WORDS_OF_A_RANK {
                        true => Self::Few(ranks),
                        false => Self::Many(Bits::union(0, [PostingCursor::from(&ranks[..])])),
                    }
                }
                _ => bits.and_any(lists).into(),
            },
        }
    }

    /// Those that are not in `part`, which is a part of them.
    pub(crate) fn rest(&self, part: &Self) -> Self {
        match (self, part) {
            (Self::Few(ranks), _) => {
                let mut part = part.first(ranks.len()).into_iter().peekable();
                Self::Few(ranks.iter().copied().filter(|rank| part.next_if_eq(rank).is_none()).collect())
            }
            (Self::Many(bits), Self::Many(part)) => Self::Many(bits.and_not(part)),
            (Self::Many(bits), Self::Few(part)) => {
                let mut rest = bits.clone();
                part.iter().for_each(|rank| rest.remove(*rank));
                Self::Many(rest)
            }
        }
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Self::Few(ranks) => ranks.is_empty(),
            Self::Many(bits) => bits.is_empty(),
        }
    }

    /// The first ranks, at most so many.
    pub(crate) fn first(&self, most: usize) -> Vec<u32> {
        match self {
            Self::Few(ranks) => ranks.iter().copied().take(most).collect(),
            Self::Many(bits) => bits.ranks_from(0).take(most).collect(),
        }
    }

    /// As a bitmap.
    pub(crate) fn into_bits(self) -> Bits {
        match self {
            Self::Few(ranks) => Bits::union(0, [PostingCursor::from(&ranks[..])]),
            Self::Many(bits) => bits,
        }
    }
}
