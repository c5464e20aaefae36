//! The two kinds of records, and what is kept for each.

use index::{Collection, Guide};

use super::action::ActionId;

/// A kind of records, in the order of lists that hold both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Records {
    /// Places.
    Places,
    /// Events.
    Events,
}

impl Records {
    /// Those of a guide.
    pub fn collection(self, guide: &Guide) -> &Collection {
        match self {
            Records::Places => &guide.places,
            Records::Events => &guide.events,
        }
    }

    /// The action that searches them.
    pub fn search(self) -> ActionId {
        match self {
            Records::Places => ActionId::SearchPlaces,
            Records::Events => ActionId::SearchEvents,
        }
    }

    /// The word for one of them, in answers and in the address of its page.
    pub fn kind(self) -> &'static str {
        match self {
            Records::Places => "place",
            Records::Events => "event",
        }
    }
}

/// What is kept for places and for events, whose ids may be the same.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ByKind<T> {
    /// For places.
    pub places: T,
    /// For events.
    pub events: T,
}

impl<T> ByKind<T> {
    /// What is kept for a kind.
    pub fn get(&self, records: Records) -> &T {
        match records {
            Records::Places => &self.places,
            Records::Events => &self.events,
        }
    }

    /// The same, to change it.
    pub fn get_mut(&mut self, records: Records) -> &mut T {
        match records {
            Records::Places => &mut self.places,
            Records::Events => &mut self.events,
        }
    }

    /// What is kept for each kind.
    pub fn iter(&self) -> impl Iterator<Item = (Records, &T)> {
        [(Records::Places, &self.places), (Records::Events, &self.events)].into_iter()
    }
}
