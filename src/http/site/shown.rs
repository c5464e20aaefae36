//! Records as pages read them: borrowed from their cards, and no more of them than everybody may see. Fields that the
//! curator does not know are empty here. Uses chrono and the crate `index` only.

use std::borrow::Cow;

use chrono::NaiveDate;
use index::cards::Cards;

/// A place or an event, as far as everybody may see it.
#[derive(Debug, Default)]
pub(super) struct Record<'a> {
    pub(super) id: Cow<'a, str>,
    pub(super) name: Cow<'a, str>,
    pub(super) neighbourhood: Cow<'a, str>,
    pub(super) region: Cow<'a, str>,
    /// A slug.
    pub(super) category: Cow<'a, str>,
    pub(super) style: Cow<'a, str>,
    pub(super) price: Cow<'a, str>,
    pub(super) instagram: Cow<'a, str>,
    pub(super) venue: Cow<'a, str>,
    /// Events only.
    pub(super) date: Option<NaiveDate>,
    pub(super) end_date: Option<NaiveDate>,
    /// `HH:MM`.
    pub(super) start_time: Cow<'a, str>,
    pub(super) uau: bool,
}

impl<'a> Record<'a> {
    /// Reads the card of `rank`.
    pub(super) fn of(cards: &'a Cards, rank: u32) -> Record<'a> {
        let mut fields = cards.fields(rank);
        let mut take = |name| fields.take(name).unwrap_or_default();
        // in the order of the cards, of events and of places
        let (id, name) = (take("id"), take("name"));
        let (date, end_date) = (day(&take("date")), day(&take("end_date")));
        let (start_time, venue) = (take("start_time"), take("venue"));
        let (neighbourhood, region, category) = (take("neighbourhood"), take("region"), take("category"));
        let (style, price, instagram) = (take("style"), take("price"), take("instagram"));
        // how talked-about a place is shows in its rank
        take("mentions");
        let uau = take("uau") == "true";
        Record {
            id,
            name,
            neighbourhood,
            region,
            category,
            style,
            price,
            instagram,
            venue,
            date,
            end_date,
            start_time,
            uau,
        }
    }

    /// Where it is: the narrowest area that is known.
    pub(super) fn area(&self) -> &str {
        if self.neighbourhood.is_empty() { &self.region } else { &self.neighbourhood }
    }
}

/// A day of a card, where there is one.
fn day(text: &str) -> Option<NaiveDate> {
    if text.is_empty() { None } else { text.parse().ok() }
}
