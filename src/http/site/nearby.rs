//! What is near an area, as far as the basic view knows where records are: by their neighbourhoods. Computed once for a
//! snapshot and a day, so that the page of a record reads no more than a few of them.

use std::collections::HashSet;
use std::sync::OnceLock;

use chrono::{Days, NaiveDate};
use index::positions::{KnownBy, Location};
use index::{AreaId, Guide, Window};

use super::upcoming::Upcoming;

/// How many records a page names.
pub(super) const MOST: usize = 5;

/// Events near a record take place within so many days.
const SOON: u64 = 7;

/// How many records a list has: a page may leave out two, its own record and its venue.
const LEN: usize = MOST + 2;

/// How many records of a list are tried: those of its category, its own record and its venue may be left out.
const ENOUGH: usize = 2 * LEN;

/// The precision of the position of an area that one walks across, in metres.
const WALKABLE: u32 = 700;

/// A record near an area. The order is that of lists: by distance, places before events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Near {
    /// The distance to expect, in metres.
    pub(super) metres: u32,
    pub(super) is_event: bool,
    pub(super) rank: u32,
}

/// The first records of each area, and what is near each. It holds no reference to the snapshot.
pub(super) struct Nearby {
    /// By area: its records, each with a distance of 0.
    firsts: Vec<Vec<Near>>,
    /// By area, computed when a page first asks for it.
    lists: Vec<OnceLock<Vec<Near>>>,
}

impl Nearby {
    /// The records of the area `home` and the events of the days from `today`.
    pub(super) fn new(guide: &Guide, home: AreaId, today: NaiveDate) -> Nearby {
        let areas = guide.vocabulary().areas.len();
        let mut firsts = vec![Vec::new(); areas];
        let mut add = |area: AreaId, is_event: bool, rank: u32| {
            let records: &mut Vec<Near> = &mut firsts[usize::from(area)];
            if records.iter().filter(|record| record.is_event == is_event).count() < LEN {
                records.push(Near { metres: 0, is_event, rank });
            }
        };
        for rank in guide.places.filtered(home, None).iter().copied() {
            add(guide.places.area(rank), false, rank);
        }
        let soon = Window { from: today, to: today + Days::new(SOON - 1) };
        for rank in Upcoming::once(&guide.events, guide.events.events_in(soon, home, None)) {
            add(guide.events.area(rank), true, rank);
        }
        Nearby { firsts, lists: (0..areas).map(|_| OnceLock::new()).collect() }
    }

    /// What is near an area, the nearest first; empty if the guide does not know where the area is.
    pub(super) fn of(&self, guide: &Guide, area: AreaId) -> &[Near] {
        self.lists[usize::from(area)].get_or_init(|| {
            let Some(here) = guide.gazetteer.area(area) else { return Vec::new() };
            let mut near: Vec<Near> = self
                .firsts
                .iter()
                .zip(AreaId::all())
                .filter_map(|(records, other)| {
                    let metres = distance(&here, &guide.gazetteer.area(other)?);
                    Some(records.iter().map(move |record| Near { metres, ..*record }))
                })
                .flatten()
                .collect();
            near.sort_unstable();
            near.truncate(LEN);
            near
        })
    }
}

/// Whether all of an area is near each of its records, as far as the guide knows.
pub(super) fn is_walkable(guide: &Guide, area: AreaId) -> bool {
    guide.gazetteer.area(area).is_some_and(|here| here.position.precision_m <= WALKABLE)
}

/// The records of the area of one, itself among them: those of its category first, each list from the next one on, so
/// that not all records of an area name the same few. Of a region they are in any of its neighbourhoods.
pub(super) fn others(
    guide: &Guide,
    (rank, is_event): (u32, bool),
    is_region: bool,
    today: NaiveDate,
) -> Vec<Near> {
    let own = if is_event { &guide.events } else { &guide.places };
    let (area, category) = (own.area(rank), Some(own.category(rank)));
    let soon = Window { from: today, to: today + Days::new(SOON - 1) };
    let of = |is_events: bool, category| {
        let (records, ranks) = match is_events {
            true => {
                let soon = guide.events.events_in(soon, area, category);
                (&guide.events, Upcoming::once(&guide.events, soon))
            }
            false => (&guide.places, guide.places.filtered(area, category).to_vec()),
        };
        // a neighbourhood may have others in it
        let is_here = |rank: &u32| is_region || records.area(*rank) == area;
        let ranks: Vec<u32> = ranks.into_iter().filter(is_here).collect();
        let next = match is_events == is_event {
            true => ranks.iter().position(|other| *other > rank).unwrap_or_default(),
            false => (rank as usize).checked_rem(ranks.len()).unwrap_or_default(),
        };
        let (before, from_next) = ranks.split_at(next);
        let near = |rank: &u32| Near { metres: 0, is_event: is_events, rank: *rank };
        from_next.iter().chain(before).take(ENOUGH).map(near).collect::<Vec<_>>()
    };
    let mut seen = HashSet::new();
    [of(is_event, category), of(!is_event, category), of(false, None), of(true, None)]
        .into_iter()
        .flatten()
        .filter(|near| seen.insert((near.is_event, near.rank)))
        .collect()
}

/// The distance to expect between two records, in metres, either of which may be known by its area alone.
fn distance(here: &Location, there: &Location) -> u32 {
    let spread = match here.known_by {
        KnownBy::Address | KnownBy::Block => 0,
        KnownBy::Area | KnownBy::Region => here.position.precision_m / 2,
    };
    there.distance(here.point).saturating_add(spread)
}
