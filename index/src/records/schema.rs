//! Which fields of a record are searched in which view, and in what order records come. This file and `rendered`
//! destructure the records, so that a new field does not compile until both handle it.

use chrono::{Datelike, NaiveDate, NaiveTime, Timelike};
use snapshots::{Event, Place, Position, Session};
use tantivy::schema::{Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::{TokenizerManager, WhitespaceTokenizer};

/// Which fields a caller sees and searches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum View {
    /// The fields of the free plan.
    Basic,
    /// All fields.
    Full,
}

/// A record of either kind, as the index sees it.
pub(crate) struct Entry<'r> {
    pub(crate) id: &'r str,
    pub(crate) name: &'r str,
    /// The first sort key, ascending; name and id follow.
    pub(crate) primary: u64,
    /// The minute of the day at which it (first) starts; events only.
    pub(crate) minute: Option<u16>,
    /// Its sessions, the first included, if there are several; events only.
    pub(crate) sessions: &'r [Session],
    /// First and last day; events only.
    pub(crate) days: Option<(NaiveDate, NaiveDate)>,
    /// What all events of one repetition share.
    pub(crate) series: Option<&'r str>,
    pub(crate) content: Content<'r>,
}

/// What a record says apart from its days and hours: the same for all events of a series, as a rule.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Content<'r> {
    pub(crate) region: &'r str,
    pub(crate) neighbourhood: Option<&'r str>,
    /// The main category and the further ones.
    pub(crate) categories: Vec<&'r str>,
    /// The name and the aliases.
    pub(crate) names: Vec<&'r str>,
    /// Further texts, searched in every view.
    pub(crate) open: Vec<&'r str>,
    /// Line-ups, which only the full view searches.
    pub(crate) lineup: Option<&'r str>,
    /// Addresses, which only the full view searches. They say where a record is, not what it is.
    pub(crate) address: Option<&'r str>,
    /// The text of its price.
    pub(crate) price: Option<&'r str>,
    /// Whether the curator says that nothing is to be paid, whatever the price says.
    pub(crate) is_free: bool,
    /// Where the curator says that it is.
    pub(crate) position: Option<Position>,
    /// Where it takes place; events only.
    pub(crate) venue: Option<&'r str>,
    /// The id of the place where it takes place; events only.
    pub(crate) place: Option<&'r str>,
}

impl<'r> From<&'r Place> for Entry<'r> {
    fn from(place: &'r Place) -> Self {
        let Place {
            id,
            name,
            neighbourhood,
            region,
            category,
            also,
            style,
            address,
            mentions,
            aliases,
            price,
            // shown, never searched
            instagram: _,
            uau: _,
            description: _,
            links: _,
            position,
            free,
            // decided before a guide is built
            hidden: _,
            show_from: _,
            show_until: _,
            // never shown
            note: _,
        } = place;
        Self {
            id,
            name,
            primary: u64::from(u32::MAX - mentions),
            minute: None,
            sessions: &[],
            days: None,
            series: None,
            content: Content {
                region,
                neighbourhood: neighbourhood.as_deref(),
                categories: std::iter::once(category).chain(also).map(String::as_str).collect(),
                names: std::iter::once(name).chain(aliases).map(String::as_str).collect(),
                open: style.as_deref().into_iter().collect(),
                lineup: None,
                address: address.as_deref(),
                price: price.as_deref(),
                is_free: *free,
                position: *position,
                venue: None,
                place: None,
            },
        }
    }
}

impl<'r> From<&'r Event> for Entry<'r> {
    fn from(event: &'r Event) -> Self {
        let Event {
            id,
            name,
            date,
            end_date,
            // read by `starts`
            start_time: _,
            sessions,
            venue,
            place,
            neighbourhood,
            region,
            category,
            also,
            lineup,
            address,
            aliases,
            price,
            series,
            // shown, never searched
            instagram: _,
            tickets: _,
            uau: _,
            links: _,
            end_time: _,
            status: _,
            position,
            free,
            // decided before a guide is built
            hidden: _,
            show_from: _,
            show_until: _,
            // never shown
            note: _,
            // expanded before
            repeat: _,
        } = event;
        let minute = event.starts().map(minute_of);
        Self {
            id,
            name,
            primary: event_order(*date, minute),
            minute,
            sessions,
            days: Some((*date, end_date.unwrap_or(*date))),
            series: series.as_deref(),
            content: Content {
                region,
                neighbourhood: neighbourhood.as_deref(),
                categories: std::iter::once(category).chain(also).map(String::as_str).collect(),
                names: std::iter::once(name).chain(aliases).map(String::as_str).collect(),
                open: venue.as_deref().into_iter().collect(),
                lineup: lineup.as_deref(),
                address: address.as_deref(),
                price: price.as_deref(),
                is_free: *free,
                position: *position,
                venue: venue.as_deref(),
                place: place.as_deref(),
            },
        }
    }
}

/// The minute of the day.
pub(crate) fn minute_of(time: NaiveTime) -> u16 {
    // at most 1,439
    u16::try_from(time.num_seconds_from_midnight() / 60).unwrap_or(u16::MAX)
}

/// Events come by date, then by the minute they start, then those without a time.
fn event_order(date: NaiveDate, minute: Option<u16>) -> u64 {
    (u64::from(day_number(date)) << 16) | u64::from(minute.unwrap_or(u16::MAX))
}

/// The day of an event's first sort key.
pub(crate) fn day_of(primary: u64) -> Option<NaiveDate> {
    NaiveDate::from_num_days_from_ce_opt(i32::try_from(primary >> 16).ok()?)
}

/// Days since the first of January of the year 1; 0 before.
pub(crate) fn day_number(date: NaiveDate) -> u32 {
    u32::try_from(date.num_days_from_ce()).unwrap_or(0)
}

/// The text fields of the tantivy index. They need no positions, frequencies or norms, because results come in the
/// order of the index.
pub(crate) struct Fields {
    pub(crate) schema: Schema,
    pub(crate) open: Field,
    pub(crate) lineup: Field,
    pub(crate) address: Field,
}

impl Fields {
    pub(crate) fn new() -> Self {
        let mut schema = Schema::builder();
        let indexing = TextFieldIndexing::default()
            .set_tokenizer(STEMS)
            .set_index_option(IndexRecordOption::Basic)
            .set_fieldnorms(false);
        let options = TextOptions::default().set_indexing_options(indexing);
        let open = schema.add_text_field("open", options.clone());
        let lineup = schema.add_text_field("lineup", options.clone());
        let address = schema.add_text_field("address", options);
        Self { schema: schema.build(), open, lineup, address }
    }
}

const STEMS: &str = "stems";

/// Texts reach tantivy as stems separated by spaces, so that it only has to split.
pub(crate) fn tokenizers() -> TokenizerManager {
    let tokenizers = TokenizerManager::new();
    tokenizers.register(STEMS, WhitespaceTokenizer::default());
    tokenizers
}
