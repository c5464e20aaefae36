//! What is near an area, as far as the basic view knows where records are: by their neighbourhoods. Computed once for a
//! snapshot and a day, so that the page of a record reads no more than a few of them.

use std::collections::HashSet;
use std::sync::OnceLock;

use chrono::{Days, NaiveDate};
use index::records::positions::{KnownBy, Location};
use index::vocabulary::Quadras;
use index::vocabulary::regions::quadras;
use index::{AreaId, Guide, Window};

use super::record_view::{Record, RecordRef};
use super::upcoming::Upcoming;
use crate::domain::records::Records;

/// How many records a page names.
pub(crate) const MOST: usize = 5;

/// Events near a record take place within so many days.
const SOON: u64 = 7;

/// How many records a list has: a page may leave out its own record, its venue, and the events of two lists above.
const LEN: usize = 3 * MOST + 2;

/// How many records of a list are tried: those of its category may be left out too.
const ENOUGH: usize = 2 * LEN;

/// The precision of the position of an area that one walks across, in metres.
const WALKABLE: u32 = 700;

/// A record near an area. The order is that of lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Near {
    /// The distance to expect, in metres.
    pub(crate) metres: u32,
    pub(crate) of: RecordRef,
}

/// The first records of each area, and what is near each. It holds no reference to the snapshot.
pub(crate) struct Nearby {
    /// The records of each area.
    firsts: Vec<Vec<RecordRef>>,
    /// By area, computed when a page first asks for it.
    lists: Vec<OnceLock<Vec<Near>>>,
}

impl Nearby {
    /// The records of the area `home` and the events of the days from `today`.
    pub(crate) fn new(guide: &Guide, home: AreaId, today: NaiveDate) -> Nearby {
        let areas = guide.vocabulary().areas.len();
        let mut firsts = vec![Vec::new(); areas];
        let mut add = |of: RecordRef| {
            let first: &mut Vec<RecordRef> = &mut firsts[usize::from(of.area(guide))];
            if first.iter().filter(|one| one.records == of.records).count() < LEN {
                first.push(of);
            }
        };
        guide.places.filtered(home, None).iter().for_each(|rank| add(RecordRef::place(*rank)));
        let soon = Window { from: today, to: today + Days::new(SOON - 1) };
        for rank in Upcoming::once(&guide.events, guide.events.events_in(soon, home, None)) {
            add(RecordRef::event(rank));
        }
        Nearby { firsts, lists: (0..areas).map(|_| OnceLock::new()).collect() }
    }

    /// What is near an area, the nearest first; empty if the guide does not know where the area is.
    pub(crate) fn of(&self, guide: &Guide, area: AreaId) -> &[Near] {
        self.lists[usize::from(area)].get_or_init(|| {
            let Some(here) = guide.gazetteer.area(area) else { return Vec::new() };
            let mut near: Vec<Near> = self
                .firsts
                .iter()
                .zip(AreaId::all())
                .filter_map(|(records, other)| {
                    let metres = distance(&here, &guide.gazetteer.area(other)?);
                    Some(records.iter().map(move |of| Near { metres, of: *of }))
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
pub(crate) fn is_walkable(guide: &Guide, area: AreaId) -> bool {
    guide.gazetteer.area(area).is_some_and(|here| here.position.precision_m <= WALKABLE)
}

/// The records of the area of one, itself among them: those in its superquadra first, as far as their texts say it,
/// then those of its category and others, of each list those with a note first. Each list goes from the next one on,
/// so that not all records of an area name the same few. Of a region they are in any of its neighbourhoods.
pub(crate) fn others(guide: &Guide, one: RecordRef, is_region: bool, today: NaiveDate) -> Vec<RecordRef> {
    let (area, category) = (one.area(guide), Some(one.collection(guide).category(one.rank)));
    let soon = Window { from: today, to: today + Days::new(SOON - 1) };
    let of = |records: Records, category| {
        let ranks = match records {
            Records::Events => Upcoming::once(&guide.events, guide.events.events_in(soon, area, category)),
            Records::Places => guide.places.filtered(area, category).to_vec(),
        };
        let all = ranks.into_iter().map(|rank| RecordRef { records, rank });
        // a neighbourhood may have others in it
        let all: Vec<RecordRef> = all.filter(|other| is_region || other.area(guide) == area).collect();
        let next = match records == one.records {
            true => all.iter().position(|other| other.rank > one.rank).unwrap_or_default(),
            false => (one.rank as usize).checked_rem(all.len()).unwrap_or_default(),
        };
        let (before, from_next) = all.split_at(next);
        let in_turn = from_next.iter().chain(before).copied();
        let (noted, others): (Vec<RecordRef>, Vec<RecordRef>) =
            in_turn.partition(|one| has_note(guide, *one));
        noted.into_iter().chain(others).take(ENOUGH).collect::<Vec<_>>()
    };
    let own_quadras = quadras_of(guide, one);
    let is_close =
        |other: &RecordRef| quadras_of(guide, *other).iter().any(|quadra| own_quadras.contains(quadra));
    let close: Vec<RecordRef> = match own_quadras.is_empty() {
        true => Vec::new(),
        false => {
            let places = guide.places.filtered(area, None).iter().map(|rank| RecordRef::place(*rank));
            places.filter(is_close).take(ENOUGH).collect()
        }
    };
    let (places, events) = (of(Records::Places, category), of(Records::Events, category));
    let [own, other] = if one.is_event() { [events, places] } else { [places, events] };
    let mut seen = HashSet::new();
    [close, own, other, of(Records::Places, None), of(Records::Events, None)]
        .into_iter()
        .flatten()
        .filter(|other| seen.insert(*other))
        .collect()
}

/// Whether the guide says in a few words what a record is like.
fn has_note(guide: &Guide, of: RecordRef) -> bool {
    !Record::new(&of.collection(guide).rendered, of.rank).style.is_empty()
}

/// The superquadras that the texts of a record name, of those that everybody sees: "bar da 408 Norte".
fn quadras_of(guide: &Guide, of: RecordRef) -> Quadras {
    let record = Record::new(&of.collection(guide).rendered, of.rank);
    quadras(guide.vocabulary(), &format!("{}. {}. {}", record.name, record.style, record.venue))
}

/// The distance to expect between two records, in metres, either of which may be known by its area alone.
fn distance(here: &Location, there: &Location) -> u32 {
    let spread = match here.known_by {
        KnownBy::Address | KnownBy::Block => 0,
        KnownBy::Area | KnownBy::Region => here.position.precision_m / 2,
    };
    there.distance(here.point).saturating_add(spread)
}
