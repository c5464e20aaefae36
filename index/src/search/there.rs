//! What is at a place that a question names behind "in": the events that take place there, and the places that say they
//! are in it or, where none does, those nearest to it.

use std::borrow::Cow;

use crate::grammar::fold::fold;
use crate::question::name_parts::has_words;
use crate::question::near::Near;
use crate::records::bits::Bits;
use crate::records::collection::Collection;
use crate::records::postings::PostingCursor;
use crate::search::{ParsedQuery, Query, Search};
use crate::vocabulary::words::Words;

/// The fields in which a record may say where it is.
const WHERE: [&str; 5] = ["name", "style", "venue", "lineup", "address"];

impl<'a> ParsedQuery<'a, '_> {
    /// Asks for what is at the place that the question names, if that is what it asks for of these records.
    pub(crate) fn at_place<T>(
        &self,
        collection: &Collection,
        ask: impl FnOnce(&ParsedQuery<'a, '_>) -> T,
    ) -> Option<T> {
        let at = self.query.at.filter(|_| !self.query.strict)?;
        let is_asked = collection.calendar.is_some() || at.asks_for_places;
        let query = Query { words: &at.rest, near: Some(&at.place), at: None, ..self.query.clone() };
        is_asked.then(|| ask(&ParsedQuery::of(self.vocabulary, &query)))
    }
}

impl Search<'_, '_> {
    /// Whether the question asks for events at a place that it names: whatever else it says, these are what it asks
    /// for.
    pub(crate) fn asks_what_is_on_there(&self) -> bool {
        self.collection.calendar.is_some() && self.query.near.is_some_and(|near| near.is_at())
    }

    /// The events that take place at a place, and those that say so.
    pub(crate) fn hosted(&self, near: &Near) -> Bits {
        let mut all = self.said_to_be_there(near);
        near.hosted.iter().flatten().for_each(|event| all.insert(*event));
        all
    }

    /// Of these records those at the place, when the question asks for what is there: events, or the place itself with
    /// the places that say that they are in it, else with those at its very point. `None` if there are none.
    pub(crate) fn those_there(&self, near: &Near, records: &Bits, others: &Bits) -> Option<Bits> {
        near.hosted.as_ref()?;
        if self.collection.calendar.is_some() {
            return Some(records.clone());
        }
        let itself = records.and_not(others);
        let mut there = others.and(&self.said_to_be_there(near));
        if there.is_empty() && !itself.is_empty() && near.location.is_spot() {
            let is_here = |rank: &u32| {
                let location = self.collection.location(self.query.view, *rank);
                location.is_some_and(|location| location.is_same_place(&near.location))
            };
            others.ranks_from(0).filter(is_here).for_each(|rank| there.insert(rank));
        }
        itself.ranks_from(0).for_each(|rank| there.insert(rank));
        Some(there).filter(|there| !there.is_empty())
    }

    /// The place that the question names, of those that may be listed.
    pub(crate) fn named_place(&self, near: &Near) -> Vec<u32> {
        let all = self.base_now();
        let name = fold(&near.name);
        let called = self.collection.with_folded_name(&name);
        called.filter(|rank| all.has(*rank) && self.collection.folded_name(*rank) == name).collect()
    }

    /// The records that say that they are at the place, by its name or by what the question calls it.
    fn said_to_be_there(&self, near: &Near) -> Bits {
        let (collection, view) = (self.collection, self.query.view);
        let mut there = Bits::none(collection.len());
        let place = fold(&near.name);
        let said = near.phrase.clone().filter(|said| *said != place);
        for name in std::iter::once(place.clone()).chain(said) {
            let words = Words::new(&name);
            // other places may say that they are a cathedral too
            let is_kind = self.vocabulary.phrases.contains_key(words.whole());
            let lists: Option<Vec<PostingCursor>> =
                (0..words.len()).map(|at| collection.text.word(view, words.stem(at))).collect();
            let Some((first, rest)) = lists.as_deref().and_then(<[_]>::split_first) else { continue };
            let mut all = Bits::union(collection.len(), std::iter::once(*first));
            rest.iter().for_each(|list| all = all.and_any(std::slice::from_ref(list)));
            let says_so = |rank: &u32| {
                let mut fields = collection.rendered.fields_of(*rank, view);
                let says_so = |(field, text): (&str, Cow<str>)| {
                    if !WHERE.contains(&field) {
                        return false;
                    }
                    let text = fold(&text);
                    let is_venue = || begins_with(&place, &text) || begins_with(&text, &place);
                    !is_kind && has_words(&text, &name) || field == "venue" && is_venue()
                };
                !is_kind && words.len() == 1 || fields.any(says_so)
            };
            all.ranks_from(0).filter(says_so).for_each(|rank| there.insert(rank));
        }
        there
    }
}

/// Whether a folded name begins with these words: "Parque da Cidade, estacionamento 5".
fn begins_with(name: &str, words: &str) -> bool {
    let rest = name.strip_prefix(words).filter(|_| !words.is_empty());
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}
