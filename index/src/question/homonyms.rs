//! Records that share the words that `near` sends: which of them is meant has to be said.

use smallvec::SmallVec;

use crate::Guide;
use crate::grammar::fold::fold;
use crate::question::anchors::{Place, record};
use crate::question::near::{Caller, NearError};
use crate::records::collection::Collection;
use crate::records::positions::Location;
use crate::vocabulary::words::Words;

/// The most readings of a name.
const MOST: usize = 5;

impl Guide {
    /// What the words may mean beside the record that was found by them; none when they are its name and no other
    /// record's, or all that they may mean is at one place.
    pub(crate) fn readings(&self, words: &Words, found: &str, caller: Caller) -> Vec<String> {
        let name = words.between(0, words.len());
        let (places, events) = (&self.places, &self.events);
        let is_own_name = fold(found) == name;
        let is_event = is_own_name && places.with_folded_name(name).next().is_none();
        let records = if is_event { events } else { places };
        let whole = records.with_folded_name(name).filter(|rank| records.is_visible(*rank, caller));
        let whole: SmallVec<[u32; 4]> =
            whole.filter(|rank| !is_own_name || records.folded_name(*rank) == name).collect();
        let others = if is_own_name { Vec::new() } else { records.with_words_in_name(words, caller) };
        let apart = apart(records, whole.into_iter().chain(others), caller);
        if apart.len() < 2 { Vec::new() } else { labels(records, &apart) }
    }

    /// The only place that has all the words in its name; an error when a few have. Words of many names, such as
    /// "casa", name none.
    pub(crate) fn called(&self, words: &Words, caller: Caller) -> Option<Result<Place, NearError>> {
        let places = &self.places;
        match apart(places, places.with_words_in_name(words, caller).into_iter(), caller)[..] {
            [] => None,
            [only] => record(places, only, caller, words.len()).map(Ok),
            ref several if several.len() >= MOST => None,
            ref several => Some(Err(NearError::Ambiguous { readings: labels(places, several) })),
        }
    }
}

/// One record of each place among these, of those whose place is known.
fn apart(records: &Collection, ranks: impl Iterator<Item = u32>, caller: Caller) -> SmallVec<[u32; 4]> {
    let mut apart: SmallVec<[(u32, Location); 4]> = SmallVec::new();
    for rank in ranks {
        let Some(location) = records.location(caller.view, rank) else { continue };
        let is_same = |(_, other): &(u32, Location)| other.is_same_place(location);
        if !apart.iter().any(is_same) && apart.len() < MOST {
            apart.push((rank, *location));
        }
    }
    apart.into_iter().map(|(rank, _)| rank).collect()
}

/// What to send for each: its name or, where several have that, its id.
fn labels(records: &Collection, ranks: &[u32]) -> Vec<String> {
    let label = |rank: &u32| {
        let (id, name) = records.rendered.id_and_name(*rank);
        let is_only = records.named(&name).nth(1).is_none();
        if is_only { name.into_owned() } else { id.to_owned() }
    };
    ranks.iter().map(label).collect()
}
