//! Numbers of areas and of categories. Both are trees numbered in preorder, so that a node and its descendants are one
//! range of numbers; a type for each keeps the two apart.

use std::num::TryFromIntError;
use std::ops::Range;

use rkyv::{Archive, Serialize};

use crate::error::BuildError;

/// Defines the number of the nodes of one tree.
macro_rules! node_id {
    ($(#[$doc:meta])* $Id:ident, $Archived:ident) => {
        $(#[$doc])*
        #[derive(Archive, Serialize, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[rkyv(derive(Clone, Copy, PartialEq, Eq, Debug))]
        pub struct $Id(u16);

        impl $Id {
            /// All numbers from 0.
            pub fn all() -> impl Iterator<Item = $Id> {
                (0..u16::MAX).map($Id)
            }

            /// The numbers of a range.
            pub fn within(run: Range<$Id>) -> impl DoubleEndedIterator<Item = $Id> + ExactSizeIterator {
                (run.start.0..run.end.0).map($Id)
            }

            /// The number after this one, which is below `u16::MAX`.
            pub(crate) fn after(self) -> $Id {
                $Id(self.0.saturating_add(1))
            }

            /// The next number of a tree that has `len` nodes. It stays below `u16::MAX`, so that the end of a range is
            /// a number too.
            pub(crate) fn next(len: usize, what: &'static str) -> Result<$Id, BuildError> {
                let id = u16::try_from(len).ok().filter(|id| *id < u16::MAX).ok_or(BuildError::TooLarge(what))?;
                Ok($Id(id))
            }
        }

        impl From<$Id> for usize {
            fn from(id: $Id) -> usize {
                usize::from(id.0)
            }
        }

        impl From<$Id> for u32 {
            fn from(id: $Id) -> u32 {
                u32::from(id.0)
            }
        }

        impl TryFrom<u32> for $Id {
            type Error = TryFromIntError;

            fn try_from(number: u32) -> Result<$Id, TryFromIntError> {
                u16::try_from(number).map($Id)
            }
        }

        impl $Archived {
            /// The number in the byte order of this machine.
            #[inline]
            pub fn to_native(self) -> $Id {
                $Id(self.0.to_native())
            }
        }

        impl From<$Archived> for $Id {
            fn from(archived: $Archived) -> $Id {
                archived.to_native()
            }
        }
    };
}

node_id! {
    /// Number of an area: its position in preorder.
    AreaId, ArchivedAreaId
}

node_id! {
    /// Number of a category: its position in preorder.
    CategoryId, ArchivedCategoryId
}

impl AreaId {
    /// The root of the tree.
    pub(crate) const ROOT: AreaId = AreaId(0);
}

/// Archived numbers.
pub(crate) fn ids<A: Copy + Into<Id>, Id>(archived: &[A]) -> impl Iterator<Item = Id> {
    archived.iter().map(|id| (*id).into())
}

/// Keeps the numbers that contain none of the others, sorted. `end` gives the first one after a node's descendants.
pub(crate) fn keep_innermost<Id: Copy + Ord>(ids: &mut Vec<Id>, end: impl Fn(Id) -> Id) {
    ids.sort_unstable_by(|one, other| other.cmp(one));
    // in preorder, a node with a descendant in the list has the next greater number before its end
    ids.dedup_by(|outer, inner| *inner < end(*outer));
    ids.reverse();
}

/// Keeps the numbers that none of the others contains, sorted.
pub(crate) fn keep_outermost<Id: Copy + Ord>(ids: &mut Vec<Id>, end: impl Fn(Id) -> Id) {
    ids.sort_unstable();
    ids.dedup_by(|inner, outer| *inner < end(*outer));
}
