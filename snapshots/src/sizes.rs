//! How much the index must hold of records.

use chrono::NaiveDate;

use crate::record::{Event, Links, Place};
use crate::series::days;

/// How much the index must hold of some records.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Size {
    /// How many.
    pub(crate) records: usize,
    /// Their text, in bytes.
    pub(crate) text: usize,
}

impl Size {
    /// An event with all its dates.
    pub(crate) fn of(event: &Event, from: NaiveDate) -> Self {
        let one = Self::of_one(event);
        let dates = if event.repeat.is_some() { days(event, from).len() } else { 1 };
        Self { records: dates, text: one.text.saturating_mul(dates) }
    }

    pub(crate) fn of_one(event: &Event) -> Self {
        Self { records: 1, text: event_bytes(event) }
    }

    pub(crate) fn and(self, other: Self) -> Self {
        Self { records: self.records + other.records, text: self.text.saturating_add(other.text) }
    }
}

/// How much text places hold, in bytes.
pub(crate) fn places_text(places: &[Place]) -> usize {
    places.iter().map(place_bytes).sum()
}

fn place_bytes(place: &Place) -> usize {
    let Place { neighbourhood, style, price, instagram, address, description, note, .. } = place;
    let names = [&place.name, &place.region, &place.category];
    let optional = [neighbourhood, style, price, instagram, address, note].into_iter().flatten();
    let descriptions = description.iter().flat_map(|both| [&both.pt, &both.en]);
    names.into_iter().chain(optional).chain(descriptions).map(String::len).sum::<usize>()
        + link_bytes(&place.links)
}

pub(crate) fn event_bytes(event: &Event) -> usize {
    let Event { neighbourhood, place, venue, price, instagram, lineup, address, tickets, note, .. } = event;
    let names = [&event.name, &event.region, &event.category];
    let optional = [neighbourhood, place, venue, price, instagram, lineup, address, tickets, note];
    let texts = names.into_iter().chain(optional.into_iter().flatten());
    texts.map(String::len).sum::<usize>() + link_bytes(&event.links) + event.sessions.len() * SESSION_BYTES
}

/// The length of a session with both times in JSON.
const SESSION_BYTES: usize = 42;

fn link_bytes(links: &Links) -> usize {
    links.each().into_iter().filter_map(|(_, link)| link.as_ref()).map(String::len).sum()
}
