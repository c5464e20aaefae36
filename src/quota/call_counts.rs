//! How many calls of a lease were made of each kind.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::domain::action::{ActionIdTable, CallKind};

/// Counts of calls, one for each kind.
#[derive(Debug, Default)]
pub(super) struct CallCounts {
    actions: ActionIdTable<AtomicU32>,
    export: AtomicU32,
    changes: AtomicU32,
}

impl CallCounts {
    /// Counts a call.
    #[inline]
    pub(super) fn add(&self, kind: CallKind) {
        self.counter(kind).fetch_add(1, Ordering::Relaxed);
    }

    /// The calls of one kind.
    pub(super) fn get(&self, kind: CallKind) -> u32 {
        self.counter(kind).load(Ordering::Relaxed)
    }

    /// The calls of all kinds.
    pub(super) fn total(&self) -> u32 {
        CallKind::all().map(|kind| self.get(kind)).sum()
    }

    #[inline]
    fn counter(&self, kind: CallKind) -> &AtomicU32 {
        match kind {
            CallKind::Action(id) => &self.actions[id],
            CallKind::Export => &self.export,
            CallKind::Changes => &self.changes,
        }
    }
}
