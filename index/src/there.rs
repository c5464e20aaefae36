//! What is at a place that a question names behind "in": the events that take place there, and the places that say they
//! are in it or, where none does, those nearest to it.

use crate::bits::Bits;
use crate::collection::Collection;
use crate::fold::fold;
use crate::name_parts::has_words;
use crate::near::Near;
use crate::postings::PostingCursor;
use crate::search::{ParsedQuery, Query, Search};
use crate::words::Words;

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
        let query =
            Query { words: &at.rest, near: Some(&at.place), at: None, ..self.query.clone() };
        is_asked.then(|| ask(&ParsedQuery::of(self.vocabulary, &query)))
    }
}

impl Search<'_, '_> {
    /// The events that take place at a place, and those that say so.
    pub(crate) fn hosted(&self, near: &Near) -> Bits {
        let mut all = self.said_to_be_there(near);
        near.hosted.iter().flatten().for_each(|event| all.insert(*event));
        all
    }

    /// Of these records those at the place, when the question asks for what is there: events, or the places that say
    /// that they are in it, and itself if it is one of them. `None` if none of the others says so.
    pub(crate) fn is_there(&self, near: &Near, records: &Bits, others: &Bits) -> Option<Bits> {
        near.hosted.as_ref()?;
        if self.collection.calendar.is_some() {
            return Some(records.clone());
        }
        let mut there = others.and(&self.said_to_be_there(near));
        (!there.is_empty()).then(|| {
            records.and_not(others).ranks_from(0).for_each(|rank| there.insert(rank));
            there
        })
    }

    /// The records that say that they are at the place, by its name or by what the question calls it.
    fn said_to_be_there(&self, near: &Near) -> Bits {
        let (collection, view) = (self.collection, self.query.view);
        let mut there = Bits::none(collection.len());
        let names = [Some(fold(&near.name)), near.phrase.clone()];
        for name in names.into_iter().flatten() {
            let words = Words::new(&name);
            let lists: Option<Vec<PostingCursor>> =
                (0..words.len()).map(|at| collection.text.word(view, words.stem(at))).collect();
            let Some((first, rest)) = lists.as_deref().and_then(<[_]>::split_first) else { continue };
            let mut all = Bits::union(collection.len(), std::iter::once(first.clone()));
            rest.iter().for_each(|list| all = all.and_any(std::slice::from_ref(list)));
            let says_so = |rank: &u32| {
                let mut fields = collection.rendered.fields_of(*rank, view);
                words.len() == 1 || fields.any(|(field, text)| WHERE.contains(&field) && has_words(&fold(&text), &name))
            };
            all.ranks_from(0).filter(says_so).for_each(|rank| there.insert(rank));
        }
        there
    }
}
