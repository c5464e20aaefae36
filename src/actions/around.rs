//! What is around a place: the next events there, places like it, and places near it.

use chrono::NaiveDate;
use index::search::usual_days;
use index::vocabulary::ArchivedAreaKind;
use index::{AreaId, CategoryId};

use super::QueryContext;
use super::near::caller;
use super::visible::{Visible, from};
use crate::domain::records::Records;

/// The most records of each kind, and for callers who get brief answers.
const MOST: usize = 5;
const MOST_IN_BRIEF: usize = 3;

/// How far away what is near a place is at most, in metres.
const NEARBY_M: u32 = 3_000;

/// Ranks of what is around a place.
pub(super) struct Around {
    /// The next events there, each series once.
    pub(super) upcoming: Vec<u32>,
    /// For each of these, the days of its series within the usual days of a search.
    pub(super) dates: Vec<Vec<NaiveDate>>,
    /// Places of the same category, those in the same neighbourhood first, then those in the same region.
    pub(super) similar: Vec<u32>,
    /// The places nearest to it; where the guide knows no more than its neighbourhood, those of that.
    pub(super) nearby: Vec<u32>,
}

impl Around {
    /// What the caller may see around the place at this rank.
    pub(super) fn of(context: QueryContext, place: u32) -> Self {
        let most = context.permit.results(if context.brief { MOST_IN_BRIEF } else { MOST }, false);
        let around = Surroundings { context, place, most };
        let places = &context.snapshot.guide.places;
        let (own, wider) = around.areas();
        let all: Vec<AreaId> = own.iter().chain(&wider).copied().collect();
        let (upcoming, dates) = around.upcoming();
        Self {
            upcoming,
            dates,
            similar: around.others(&all, Some(places.category(place))),
            nearby: around.nearby(&own),
        }
    }
}

struct Surroundings<'a> {
    context: QueryContext<'a>,
    place: u32,
    most: usize,
}

impl Surroundings<'_> {
    /// The areas of the place that the caller may see, from the narrowest: those that count as the same neighbourhood,
    /// and those around them.
    fn areas(&self) -> (Vec<AreaId>, Vec<AreaId>) {
        let guide = &self.context.snapshot.guide;
        let vocabulary = guide.vocabulary();
        let covered = vocabulary.area_run(self.context.area());
        let narrowest = guide.places.area(self.place);
        let is_same =
            |id: &AreaId| *id == narrowest || vocabulary.area(*id).kind == ArchivedAreaKind::Neighbourhood;
        vocabulary.area_and_above(narrowest).filter(|id| covered.contains(id)).partition(is_same)
    }

    /// The next events there, each series once, each with the days of its series within the usual days of a search.
    fn upcoming(&self) -> (Vec<u32>, Vec<Vec<NaiveDate>>) {
        let QueryContext { snapshot, today, .. } = self.context;
        let guide = &snapshot.guide;
        let visible = Visible::to(self.context);
        let soon = usual_days(today).to;
        let mut next: Vec<(u32, Vec<NaiveDate>)> = Vec::new();
        for event in guide.events_at(self.place) {
            if !guide.events.is_on(event, from(today)) || !visible.has(Records::Events, event) {
                continue;
            }
            // one that goes on may have begun before
            let day = guide.events.first_day(event).map(|day| day.max(today)).filter(|day| *day <= soon);
            match next.iter().position(|(before, _)| guide.events.is_same_series(*before, event)) {
                Some(series) => next[series].1.extend(day),
                None if next.len() < self.most => {
                    let of_series = guide.events.series(event).and(day);
                    next.push((event, of_series.into_iter().collect()));
                }
                None => {}
            }
            // all that come later are later than the days that are told
            if next.len() == self.most && day.is_none() {
                break;
            }
        }
        next.into_iter().unzip()
    }

    fn nearby(&self, own: &[AreaId]) -> Vec<u32> {
        let places = &self.context.snapshot.guide.places;
        let caller = caller(self.context);
        let nearest = places.nearest_to(self.place, caller, NEARBY_M, self.most);
        // what else is in a region is not near
        let vocabulary = self.context.snapshot.guide.vocabulary();
        let is_narrow = |area: &&AreaId| vocabulary.area(**area).kind == ArchivedAreaKind::Neighbourhood;
        match own.first().filter(is_narrow) {
            Some(area) if nearest.is_empty() => self.others(&[*area], None),
            _ => nearest,
        }
    }

    /// The other places of these areas, those of the first area first, the most mentioned first.
    fn others(&self, areas: &[AreaId], category: Option<CategoryId>) -> Vec<u32> {
        let places = &self.context.snapshot.guide.places;
        let mut others: Vec<u32> = Vec::new();
        for area in areas {
            let more = places.filtered(*area, category).iter().filter(|rank| **rank != self.place);
            for rank in more {
                if others.len() == self.most {
                    return others;
                }
                if !others.contains(rank) {
                    others.push(*rank);
                }
            }
        }
        others
    }
}
