//! The records that come next to those that a search lists: what is farther away, in the same area, or close to what
//! was asked for.

use chrono::NaiveDate;
use index::question::near::Near;
use index::{AreaId, Page, View};
use maud::{Markup, html};

use crate::domain::records::Records;
use crate::http::site::data::record_view::RecordRef;
use crate::http::site::layout::components::{Heading, Show, mixed, noted_events};

/// The most records of the list.
const MOST: usize = 5;

/// The list of what comes next to the records of a page, which is of one kind.
pub(crate) struct Further<'a> {
    pub(crate) show: Show<'a>,
    pub(crate) records: Records,
    pub(crate) page: &'a Page,
    /// The heading of what is on in the days of the search.
    pub(crate) of_days: &'static str,
}

impl Further<'_> {
    /// The list under its heading; nothing of no records. Dates of events are not before `from`.
    pub(crate) fn html(&self, from: NaiveDate) -> Markup {
        let Further { show, records, page, .. } = *self;
        let is_elsewhen = page.closest.as_deref().is_some_and(|closest| closest.days.is_some());
        // what is on in the days that were let go is listed as such
        let told = if is_elsewhen { page.also_on(&show.guide.events).len() } else { 0 };
        let mut ranks: Vec<u32> = page.further.iter().skip(told).take(MOST).copied().collect();
        if ranks.is_empty() {
            return Markup::default();
        }
        if self.is_of_days(&ranks) {
            ranks.sort_unstable();
            show.late_last(&mut ranks);
        }
        let list = Show { under: Heading::H3, ..show };
        let noted = ranks.iter().map(|rank| (*rank, self.away(*rank)));
        html! {
            h3.part-of-day { (self.title(&ranks)) }
            @match records {
                Records::Events => (noted_events(list, noted.collect(), from)),
                Records::Places => {
                    (mixed(list, noted.map(|(rank, away)| (RecordRef { records, rank }, away)).collect()))
                }
            }
        }
    }

    /// What these records are.
    fn title(&self, ranks: &[u32]) -> String {
        let Further { show, records, page, of_days } = *self;
        let words = &show.layout.texts.search;
        let known = &page.interpretation;
        let collection = records.collection(show.guide);
        let is_in = |rank: &u32| known.areas.iter().any(|area| collection.is_in_area(*rank, *area));
        match page.closest {
            Some(_) => words.nearly.to_owned(),
            None if self.is_farther(ranks) => words.farther.to_owned(),
            None if page.around.is_some() => words.nearly.to_owned(),
            None if !known.quadras.is_empty() && ranks.iter().all(is_in) => {
                let vocabulary = show.guide.vocabulary();
                let name = |area: &AreaId| vocabulary.area(*area).name.as_str();
                (words.also_in)(&known.areas.iter().map(name).collect::<Vec<_>>().join(", "))
            }
            None if self.is_of_days(ranks) => of_days.to_owned(),
            None => words.nearly.to_owned(),
        }
    }

    /// Whether these are what else is on in the days that the search names, and no more is known of them.
    fn is_of_days(&self, ranks: &[u32]) -> bool {
        let Page { interpretation: known, closest, around, .. } = self.page;
        let is_nearer = closest.is_some() || around.is_some() || !known.quadras.is_empty();
        known.names_time && !is_nearer && self.page.also_on(&self.show.guide.events).len() >= ranks.len()
    }

    /// Whether each of these is farther from the place of the search than what the page lists.
    fn is_farther(&self, ranks: &[u32]) -> bool {
        let distances =
            |ranks: &[u32]| -> Option<Vec<u32>> { ranks.iter().map(|rank| self.distance(*rank)).collect() };
        let (listed, further) = (distances(&self.page.ranks), distances(ranks));
        let farthest = listed.and_then(|listed| listed.into_iter().max());
        let nearest = further.and_then(|further| further.into_iter().min());
        farthest.zip(nearest).is_some_and(|(farthest, nearest)| nearest > farthest)
    }

    /// How far a record is from the place of the search; empty where that is not known well. Of a record that may be
    /// anywhere in an area, the distance to the middle of the area says little unless it is far from there.
    fn away(&self, rank: u32) -> String {
        let texts = self.show.layout.texts;
        let location = self.records.collection(self.show.guide).location(View::Basic, rank);
        let precision_m = location.map_or(u32::MAX, |location| location.position.precision_m);
        let distance = self.distance(rank).filter(|metres| *metres / 2 >= precision_m);
        let distance = distance.map(|metres| texts.calendar.distance(metres));
        distance.map_or_else(String::new, |distance| (texts.search.away)(&distance))
    }

    /// The distance to expect, in metres. What is on at a place is no distance from it.
    fn distance(&self, rank: u32) -> Option<u32> {
        let is_event = self.records == Records::Events;
        let is_measured = |near: &&Near| !(near.is_vague || is_event && near.is_at());
        let near = self.page.around.as_deref().map(|around| &around.near).filter(is_measured)?;
        self.records.collection(self.show.guide).distance(View::Basic, rank, near.anchor())
    }
}
