//! Records by what a caller knows of them beside their text: a whole name or alias, their area and category, their
//! days, and the place where an event is.

use std::hash::BuildHasher;
use std::ops::Range;

use snapshots::split_date;

use crate::Guide;
use crate::grammar::dates::Window;
use crate::grammar::fixed_words::fixed_word;
use crate::grammar::fold::fold;
use crate::question::name_parts::NameParts;
use crate::question::near::{Caller, growing_circles};
use crate::records::collection::Collection;
use crate::records::keyed::RanksBy;
use crate::records::positions::{Anchor, KnownBy, Location, Point};
use crate::records::postings::PostingCursor;
use crate::records::schema::View;
use crate::vocabulary::ArchivedVocabularyIndex;
use crate::vocabulary::node_ids::{AreaId, CategoryId};
use crate::vocabulary::words::Words;

/// The most records whose names are compared with some words.
const MOST_COMPARED: usize = 500;

/// The events at each place, by the rank of the place: those that name it by its id, those in its area that have its
/// name or alias, as a fair has that of its place, and of those that name no place by its id, those in its area whose
/// venue is its name or alias.
pub(crate) fn hosted(
    vocabulary: &ArchivedVocabularyIndex,
    places: &Collection,
    events: &Collection,
) -> RanksBy<u32> {
    let at = |(venue, event): (u64, u32)| places.by_name.get(venue).map(move |place| (place, event));
    // several places may have the name of the venue
    let is_here = |(place, event): &(u32, u32)| {
        vocabulary.common_area(events.area(*event), places.area(*place)).is_some()
    };
    let named = events.by_venue.pairs().chain(events.by_name.pairs());
    let mut hosted: Vec<(u32, u32)> = named.flat_map(at).filter(is_here).collect();
    if !events.by_place.is_empty() {
        for place in 0..places.len() {
            let id = places.hasher.hash_one(fold(places.rendered.id(place)).as_str());
            hosted.extend(events.by_place.get(id).map(|event| (place, event)));
        }
    }
    RanksBy::new(hosted)
}

impl Collection {
    /// The records with this whole name or alias, whatever its case and accents.
    pub fn named(&self, name: &str) -> impl Iterator<Item = u32> {
        self.with_folded_name(&fold(name))
    }

    /// The same by a folded text.
    pub(crate) fn with_folded_name(&self, name: &str) -> impl Iterator<Item = u32> + use<'_> {
        let hash = self.hasher.hash_one(name);
        // few texts are names
        let is_name = self.names.contains(&hash);
        is_name.then(|| self.by_name.get(hash)).into_iter().flatten()
    }

    /// The events of the series with this id, by date.
    pub fn of_series(&self, id: &str) -> impl Iterator<Item = u32> {
        // their ids are that of the series, a hyphen and their date
        let start = format!("{id}-");
        let first = self.by_id.partition_point(|rank| self.rendered.id(*rank) < start.as_str());
        let begin_so = self.by_id[first..].iter().copied();
        let begin_so = begin_so.take_while(move |rank| self.rendered.id(*rank).starts_with(&start));
        begin_so.filter(move |rank| {
            let is_of_it = |(series, _)| series == id;
            self.series(*rank).is_some() && split_date(self.rendered.id(*rank)).is_some_and(is_of_it)
        })
    }

    /// The narrowest area of the record at `rank`.
    pub fn area(&self, rank: u32) -> AreaId {
        self.nodes[rank as usize].0
    }

    /// The main category of the record at `rank`.
    pub fn category(&self, rank: u32) -> CategoryId {
        self.nodes[rank as usize].1
    }

    /// Whether the event at `rank` takes place in the window; false for places.
    pub fn is_on(&self, rank: u32, window: Window) -> bool {
        self.calendar.as_ref().is_some_and(|calendar| {
            let range = calendar.range(window);
            (range.from..range.to).contains(&rank) || range.early.binary_search(&rank).is_ok()
        })
    }

    /// The records with all the words in their name, of those that the caller may see.
    pub fn with_words_in_name(&self, words: &Words, caller: Caller) -> Vec<u32> {
        let lists = (0..words.len()).filter_map(|at| self.text.subject(caller.view, words.stem(at)));
        // the others have each of these
        let Some(list) = lists.min_by_key(PostingCursor::len) else { return Vec::new() };
        let has_all = |rank: &u32| {
            let name = Words::new(&self.rendered.id_and_name(*rank).1);
            (0..words.len()).all(|at| name.has_stem(words.stem(at)))
        };
        let visible = list.ranks().iter().copied().filter(|rank| self.is_visible(*rank, caller));
        visible.take(MOST_COMPARED).filter(has_all).collect()
    }

    /// Whether the caller may see the record at `rank`.
    pub fn is_visible(&self, rank: u32, caller: Caller) -> bool {
        let covered = caller.covered.filter(|_| self.calendar.is_some());
        self.is_in_area(rank, caller.scope) && covered.is_none_or(|days| self.is_on(rank, days))
    }

    /// Where the record at `rank` is, as the view shows it.
    pub fn location(&self, view: View, rank: u32) -> Option<&Location> {
        self.sites[view as usize].location(rank)
    }

    /// The distance to expect of the record at `rank` from a point, in metres, as the view shows it.
    pub fn distance(&self, view: View, rank: u32, from: impl Into<Anchor>) -> Option<u32> {
        Some(self.location(view, rank)?.distance(from))
    }

    /// The point of the record at `rank`, if the view knows it well enough to measure from it.
    pub fn spot(&self, view: View, rank: u32) -> Option<Point> {
        Some(self.location(view, rank).filter(|location| location.is_spot())?.point)
    }

    /// The records nearest to the one at `rank` of those that the caller may see, where its view shows them: at most
    /// `most` within `reach` metres, the nearest first, without those that are known by their region alone. None where
    /// only a wide area of the record is known.
    pub fn nearest_to(&self, rank: u32, caller: Caller, reach: u32, most: usize) -> Vec<u32> {
        let known = |rank: u32| {
            let location = self.location(caller.view, rank)?;
            (location.known_by != KnownBy::Region).then_some(location)
        };
        let Some(from) = self.spot(caller.view, rank) else { return Vec::new() };
        let within = |reach: u32| -> Vec<(u32, u32)> {
            let circle = self.circle(caller.view, from.into(), reach);
            let others =
                circle.ranks_from(0).filter(|other| *other != rank && self.is_visible(*other, caller));
            others.filter_map(|other| Some((known(other)?.distance(from), other))).collect()
        };
        let mut nearest = Vec::new();
        for circle in growing_circles(reach) {
            nearest = within(circle);
            if nearest.len() >= most {
                break;
            }
        }
        nearest.sort_unstable();
        nearest.into_iter().take(most).map(|(_, rank)| rank).collect()
    }

    /// Whether two events belong to one series.
    pub fn is_same_series(&self, one: u32, other: u32) -> bool {
        self.series(one).is_some_and(|series| self.series(other) == Some(series))
    }
}

impl Guide {
    /// The places whose whole name or alias stands in the text, of those that the caller may see: the longest name's. A
    /// name of one word has no other meaning: "eventos no CCBB". None when the text is nothing but that name.
    pub fn places_in(&self, words: &Words, caller: Caller) -> Vec<u32> {
        let places = &self.places;
        let named = |run: Range<usize>| -> Vec<u32> {
            let named = places.with_folded_name(words.between(run.start, run.end));
            named.filter(|rank| places.is_visible(*rank, caller)).collect()
        };
        let is_name_alone = |at: usize| {
            let before = words.before(at).next();
            before.is_some_and(|word| matches!(word, "no" | "na" | "do" | "da" | "at" | "el" | "al" | "del"))
                && fixed_word(words.raw(at)).is_none()
                && !self.vocabulary().phrases.contains_key(words.stem(at))
        };
        let is_part =
            |run: &Range<usize>| run.len() < words.len() && (run.len() > 1 || is_name_alone(run.start));
        let names = NameParts::of(places, caller.view, words);
        let mut found = names.names().filter(is_part).map(named);
        found.find(|found| !found.is_empty()).unwrap_or_default()
    }

    /// The events whose name begins with this one.
    pub fn events_called(&self, name: &str) -> impl Iterator<Item = u32> {
        self.events.beginning_with(&fold(name)).into_iter()
    }

    /// The events at the place at this rank, by date.
    pub fn events_at(&self, place: u32) -> impl Iterator<Item = u32> {
        self.hosted.get(place)
    }
}
