//! What the actions answer. The documents and the tools of agents take their schemas from these types, and tests hold
//! real answers to them. Records and the answers of searches are written from bytes that were rendered before.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use snapshots::Status;
use strum::VariantNames as _;

use super::interpreted::Interpreted;
use super::words::{Coverage, DISTANCE_TARGETS, MatchKind};
use crate::domain::clock::WEEKDAYS;
use crate::domain::plan::Plan;
use crate::serving::labels::SnapshotLabel;

/// What every answer holds, around the fields of the action.
#[derive(JsonSchema)]
// the description of the component is that of the action's own type
#[schemars(rename = "{A}Answer", description = "")]
pub struct Envelope<A> {
    /// Always true: errors have another status and another body.
    pub ok: bool,
    /// The current day in Brasília: relative dates count from it.
    #[schemars(extend("format" = "date"))]
    pub today: String,
    /// Its day of the week.
    #[schemars(extend("enum" = WEEKDAYS))]
    pub weekday: String,
    /// The plan of the key.
    #[schemars(extend("enum" = Plan::NAMES))]
    pub plan: String,
    /// The action that answers.
    pub action: String,
    /// The fields of the action.
    #[schemars(flatten)]
    pub answer: A,
    /// The snapshot of the guide that this answer comes from.
    pub snapshot: SnapshotLabel<'static>,
    /// How to credit the guide.
    pub attribution: Attribution<'static>,
    /// What the plan left out, what a search let go, or why it found nothing.
    pub notice: Option<String>,
    /// What was sent and does not count, one sentence each: unknown fields, all but the last of several values of one,
    /// and in fields those that only paid plans see.
    pub warnings: Option<Vec<String>>,
}

/// No fields: an [`Envelope`] of it is what all answers have in common.
#[derive(JsonSchema)]
pub struct NoFields {}

/// How to credit the service wherever its data is shown.
#[derive(Serialize, JsonSchema)]
pub struct Attribution<'a> {
    /// The words.
    pub text: &'a str,
    /// The address that the words link to.
    #[schemars(extend("format" = "uri"))]
    pub url: &'a str,
    /// Whether the credit must be shown.
    pub required: bool,
    /// In answers with positions or distances: whom to credit for them, always.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub positions: Option<&'a str>,
}

/// The next day that has what a question asks for.
#[derive(JsonSchema)]
pub struct NextDay {
    /// The day, in Brasília.
    #[schemars(extend("format" = "date"))]
    pub date: String,
    /// Number of matching events on it.
    pub total: u32,
    /// The first of them, at most 5.
    pub events: Vec<Event>,
}

/// The answer of search_events.
#[derive(JsonSchema)]
pub struct SearchEvents {
    /// exact: the listed events meet the whole question. closest: none does, and these meet most of it; interpreted
    /// names what was let go.
    #[schemars(rename = "match", extend("enum" = MatchKind::NAMES))]
    pub matched: String,
    /// Number of events on this page.
    pub count: u32,
    /// Exact number of events on all pages.
    pub total: u32,
    /// Events by date and start time.
    pub events: Vec<Event>,
    /// Present when there are more results: send it as cursor, with the other parameters unchanged. It stays valid when
    /// a new snapshot is published.
    pub next_cursor: Option<String>,
    /// With facets: the counts.
    pub facets: Option<Facets>,
    /// What is next closest to the question, at most 10. For a feast, or when nothing was found in the days that q
    /// names: first what else is on then.
    pub more: Option<Vec<Event>>,
    /// When a question finds nothing in the next 7 days, or from `from` to `to`: the next day that has something.
    pub next: Option<NextDay>,
    /// When q names areas that the plan does not cover: none of them is covered, or some.
    #[schemars(extend("enum" = Coverage::NAMES))]
    pub coverage: Option<String>,
    /// How the query was read.
    pub interpreted: Option<Interpreted<'static>>,
    /// When nothing was found: how many results there are without one part of the question, where there are any. Only
    /// of parts that it has: q (all that its words ask for but days, hours and a place to be near), region (areas, also
    /// those that q names), category, near (at any distance), 7_more_days (events: with a to that is 7 days later), and
    /// text:word for each of the first 8 words.
    pub relax: Option<BTreeMap<String, u32>>,
}

/// The answer of search_places.
#[derive(JsonSchema)]
pub struct SearchPlaces {
    /// exact: the listed places meet the whole question. closest: none does, and these meet most of it; interpreted
    /// names what was let go.
    #[schemars(rename = "match", extend("enum" = MatchKind::NAMES))]
    pub matched: String,
    /// Number of places on this page.
    pub count: u32,
    /// Exact number of places on all pages.
    pub total: u32,
    /// Places, most mentioned first; with near, the nearest first.
    pub places: Vec<Place>,
    /// Present when there are more results: send it as cursor, with the other parameters unchanged. It stays valid when
    /// a new snapshot is published.
    pub next_cursor: Option<String>,
    /// With facets: the counts.
    pub facets: Option<Facets>,
    /// What is next closest to the question, at most 10.
    pub more: Option<Vec<Place>>,
    /// When q names areas that the plan does not cover: none of them is covered, or some.
    #[schemars(extend("enum" = Coverage::NAMES))]
    pub coverage: Option<String>,
    /// How the query was read.
    pub interpreted: Option<Interpreted<'static>>,
    /// When nothing was found: how many results there are without one part of the question, where there are any. Only
    /// of parts that it has: q (all that its words ask for but days, hours and a place to be near), region (areas, also
    /// those that q names), category, near (at any distance), 7_more_days (events: with a to that is 7 days later), and
    /// text:word for each of the first 8 words.
    pub relax: Option<BTreeMap<String, u32>>,
}

/// The counts of all results of a question, on all pages, of what was asked for in facets. Each is the total that the
/// question has when it asks for that too; those that are 0 are left out.
#[derive(JsonSchema)]
pub struct Facets {
    /// By slug of a category. A category includes those inside it, and a record may have several.
    pub category: Option<BTreeMap<String, u32>>,
    /// By name of a region.
    pub region: Option<BTreeMap<String, u32>>,
    /// Events: by day of the question, the first 366. An event of several days counts on each.
    pub day: Option<BTreeMap<String, u32>>,
}

/// The answer of get_place.
#[derive(JsonSchema)]
pub struct GetPlace {
    /// Always 1.
    pub count: u32,
    /// The place.
    pub place: Place,
    /// The page of the place, if it has a public one.
    #[schemars(extend("format" = "uri"))]
    pub url: Option<String>,
    /// The next events there that the plan covers, at most 5, each series once with its dates of the next seven days.
    pub upcoming: Vec<Event>,
    /// Places of the same category, the nearest areas first and then the most mentioned, at most 5, with basic fields.
    pub similar: Vec<Place>,
    /// The other places nearest to it, at most 5 within 3 km, with basic fields and their distance; for a place of
    /// which only a wide neighbourhood is known, or that has none so near, those of its neighbourhood, most mentioned
    /// first; none for a place of which only the region is known.
    pub nearby: Vec<Place>,
}

/// The answer of the tool get_place: that of get_place or, for the id of an event, that of get_event.
#[derive(JsonSchema)]
pub struct PlaceOrEvent {
    /// The place.
    pub place: Option<Place>,
    /// The event.
    pub event: Option<Event>,
    /// The page of the record, if it has a public one.
    pub url: Option<String>,
    /// The next events at the place.
    pub upcoming: Option<Vec<Event>>,
    /// Places of the same category.
    pub similar: Option<Vec<Place>>,
    /// The other places nearest to it.
    pub nearby: Option<Vec<Place>>,
}

/// The answer of get_event, and of get_place for the id of an event.
#[derive(JsonSchema)]
pub struct GetEvent {
    /// Always 1.
    pub count: u32,
    /// The event.
    pub event: Event,
    /// The page of the event, if it has a public one.
    #[schemars(extend("format" = "uri"))]
    pub url: Option<String>,
}

/// A place of the guide. Fields that the curator does not know are left out; with the parameter fields, all others are,
/// those that are required here too.
#[derive(JsonSchema)]
pub struct Place {
    /// Identifier for get_place: lower-case letters, digits and hyphens.
    pub id: String,
    /// Display name.
    pub name: String,
    /// Neighbourhood.
    pub neighbourhood: Option<String>,
    /// Administrative region.
    pub region: String,
    /// Slug of the main category; list_categories has the names.
    pub category: String,
    /// Kind of place, in a few words.
    pub style: Option<String>,
    /// Price range, as the curator writes it.
    pub price: Option<String>,
    /// True when entry costs nothing; left out otherwise.
    pub free: Option<bool>,
    /// Instagram handle, without the @.
    pub instagram: Option<String>,
    /// How much the place is talked about; search_places orders by it, highest first.
    pub mentions: u32,
    /// Whether the place has the curator's seal.
    pub uau: bool,
    /// Its page on the site, if it has one: the best credit to show beside it.
    #[schemars(extend("format" = "uri"))]
    pub url: Option<String>,
    /// Street address. Paid plans only.
    pub address: Option<String>,
    /// The curator's description. Paid plans only.
    pub description: Option<Description>,
    /// Links to more information. Paid plans only.
    pub links: Option<Links>,
    /// Where it is, if more than its region is known. Paid plans only.
    pub location: Option<Location>,
    /// With near, and of what is nearby a place: the distance in metres; the one to expect for a place of which only
    /// the area is known, or the region if near is in it, and the farthest that it may be in another region.
    pub distance_m: Option<u32>,
    /// With near, and of what is nearby a place: what the distance is measured to.
    #[schemars(extend("enum" = DISTANCE_TARGETS))]
    pub distance_is: Option<String>,
}

/// An event of the guide. Fields that the curator does not know are left out; with the parameter fields, all others
/// are, those that are required here too.
#[derive(JsonSchema)]
pub struct Event {
    /// Identifier for get_event: lower-case letters, digits and hyphens.
    pub id: String,
    /// Display name.
    pub name: String,
    /// First day, in Brasília.
    #[schemars(extend("format" = "date"))]
    pub date: String,
    /// Last day of an event that lasts several days.
    #[schemars(extend("format" = "date"))]
    pub end_date: Option<String>,
    /// Start time in Brasília, HH:MM.
    #[schemars(extend("pattern" = "^([01][0-9]|2[0-3]):[0-5][0-9]$"))]
    pub start_time: Option<String>,
    /// End time in Brasília, HH:MM; before start_time, on the day after.
    #[schemars(extend("pattern" = "^([01][0-9]|2[0-3]):[0-5][0-9]$"))]
    pub end_time: Option<String>,
    /// The sessions of each day, when there are several; start_time and end_time are those of the first.
    pub sessions: Option<Vec<Session>>,
    /// Present when it does not take place as announced: cancelled, postponed to a day not yet known, or sold_out.
    #[schemars(extend("enum" = Status::VARIANTS))]
    pub status: Option<String>,
    /// Where it takes place.
    pub venue: Option<String>,
    /// Identifier of the place that is the venue, for get_place.
    pub place: Option<String>,
    /// Neighbourhood.
    pub neighbourhood: Option<String>,
    /// Administrative region.
    pub region: String,
    /// Slug of the main category; list_categories has the names.
    pub category: String,
    /// Price, as the curator writes it.
    pub price: Option<String>,
    /// True when entry costs nothing; left out otherwise.
    pub free: Option<bool>,
    /// Instagram handle, without the @.
    pub instagram: Option<String>,
    /// Whether the event has the curator's seal.
    pub uau: bool,
    /// What all events of one repetition share.
    pub series: Option<String>,
    /// Its page on the site, if it has one: the best credit to show beside it.
    #[schemars(extend("format" = "uri"))]
    pub url: Option<String>,
    /// With group=series: the days of the series in the window, at most 60.
    pub dates: Option<Vec<String>>,
    /// Who plays, speaks or exhibits. Paid plans only.
    pub lineup: Option<String>,
    /// Street address. Paid plans only.
    pub address: Option<String>,
    /// How to get in: where tickets are sold, or that none are needed. Paid plans only.
    pub tickets: Option<String>,
    /// Links to more information. Paid plans only.
    pub links: Option<Links>,
    /// Where it is, if more than its region is known. Paid plans only.
    pub location: Option<Location>,
    /// With near: the distance in metres; the one to expect for an event of which only the area is known, or the region
    /// if near is in it, and the farthest that it may be in another region.
    pub distance_m: Option<u32>,
    /// With near: what the distance is measured to.
    #[schemars(extend("enum" = DISTANCE_TARGETS))]
    pub distance_is: Option<String>,
}

/// One of several sessions on the same day.
#[derive(JsonSchema)]
pub struct Session {
    /// Start time in Brasília, HH:MM.
    #[schemars(extend("pattern" = "^([01][0-9]|2[0-3]):[0-5][0-9]$"))]
    pub start_time: String,
    /// End time, HH:MM; before start_time, on the day after.
    #[schemars(extend("pattern" = "^([01][0-9]|2[0-3]):[0-5][0-9]$"))]
    pub end_time: Option<String>,
}

/// A point, WGS84.
#[derive(JsonSchema)]
pub struct Location {
    /// Latitude.
    pub lat: f64,
    /// Longitude.
    pub lon: f64,
    /// How far the record may be from the point, in metres.
    pub precision_m: u32,
}

/// The curator's description of a place.
#[derive(JsonSchema)]
pub struct Description {
    /// In Portuguese.
    pub pt: String,
    /// In English.
    pub en: String,
}

/// Links to more information, as absolute URLs.
#[derive(JsonSchema)]
pub struct Links {
    /// Google Maps.
    #[schemars(extend("format" = "uri"))]
    pub google_maps: Option<String>,
    /// Official website.
    #[schemars(extend("format" = "uri"))]
    pub website: Option<String>,
    /// Instagram.
    #[schemars(extend("format" = "uri"))]
    pub instagram: Option<String>,
    /// Where tickets are sold.
    #[schemars(extend("format" = "uri"))]
    pub tickets: Option<String>,
}

/// The answer of list_categories.
#[derive(Serialize, JsonSchema)]
pub struct ListCategories<'a> {
    /// Number of categories.
    pub count: usize,
    /// The categories.
    pub categories: Vec<Category<'a>>,
}

/// The answer of list_regions.
#[derive(Serialize, JsonSchema)]
pub struct ListRegions<'a> {
    /// Number of regions.
    pub count: usize,
    /// The regions; with region, those in it or around it.
    pub regions: Vec<RegionWithNeighbourhoods<'a>>,
    /// With region: its neighbourhoods.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub neighbourhoods: Option<Vec<Neighbourhood<'a>>>,
}

/// The answer of the tool list_regions.
#[derive(Serialize, JsonSchema)]
pub struct BriefRegions<'a> {
    /// Number of regions; with region, of neighbourhoods.
    pub count: usize,
    /// Without region: the zones with their regions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zones: Option<Vec<Zone<'a>>>,
    /// With region: its neighbourhoods that have events or places.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub neighbourhoods: Option<Vec<Neighbourhood<'a>>>,
}

/// The answer of summary.
#[derive(Serialize, JsonSchema)]
pub struct Summary<'a> {
    /// Totals.
    pub counts: Counts,
    /// The categories.
    pub categories: Vec<Category<'a>>,
    /// The regions.
    pub regions: Vec<Region<'a>>,
    /// The neighbourhoods.
    pub neighbourhoods: Vec<Neighbourhood<'a>>,
}

/// Totals.
#[derive(Serialize, JsonSchema)]
pub struct Counts {
    /// Number of events.
    pub events: usize,
    /// Number of places.
    pub places: usize,
    /// Number of events from today to 7 days from now.
    pub events_next_7_days: u32,
}

/// A category, with the number of its records.
#[derive(Serialize, JsonSchema)]
pub struct Category<'a> {
    /// Identifier in records.
    pub slug: &'a str,
    /// Name in Portuguese.
    pub pt: &'a str,
    /// Name in English.
    pub en: &'a str,
    /// Number of events.
    pub events: usize,
    /// Number of places.
    pub places: usize,
}

/// An administrative region, with the number of its records.
#[derive(Serialize, JsonSchema)]
pub struct Region<'a> {
    /// Identifier in URLs.
    pub slug: &'a str,
    /// Name in records.
    pub name: &'a str,
    /// The zone it is in.
    pub zone: &'a str,
    /// Number of events.
    pub events: usize,
    /// Number of places.
    pub places: usize,
}

/// An administrative region, with its neighbourhoods and the number of its records.
#[derive(Serialize, JsonSchema)]
pub struct RegionWithNeighbourhoods<'a> {
    /// The region.
    #[serde(flatten)]
    pub region: Region<'a>,
    /// Names of its neighbourhoods.
    pub neighbourhoods: Vec<&'a str>,
}

/// A zone, with its regions and the number of its records that the plan covers.
#[derive(Serialize, JsonSchema)]
pub struct Zone<'a> {
    /// Name.
    pub name: &'a str,
    /// Number of events.
    pub events: usize,
    /// Number of places.
    pub places: usize,
    /// Its regions.
    pub regions: Vec<RegionOfZone<'a>>,
}

/// A region, in brief.
#[derive(Serialize, JsonSchema)]
pub struct RegionOfZone<'a> {
    /// Name in records.
    pub name: &'a str,
    /// Number of events.
    pub events: usize,
    /// Number of places.
    pub places: usize,
}

/// A neighbourhood, with the number of its records.
#[derive(Serialize, JsonSchema)]
pub struct Neighbourhood<'a> {
    /// Name in records.
    pub name: &'a str,
    /// The region it is in.
    pub region: &'a str,
    /// Number of events.
    pub events: usize,
    /// Number of places.
    pub places: usize,
}

/// The answer of suggest. The best of each group come first.
#[derive(Serialize, JsonSchema)]
pub struct Suggest<'a> {
    /// Number of suggestions, at most 8.
    pub count: usize,
    /// Categories, for the parameter category.
    pub categories: Vec<SuggestedCategory<'a>>,
    /// Areas, for the parameter region.
    pub areas: Vec<SuggestedArea<'a>>,
    /// Places, the most mentioned first.
    pub places: Vec<SuggestedPlace<'a>>,
    /// Events from today on, each series once.
    pub events: Vec<SuggestedEvent<'a>>,
}

/// The part of a text that was typed.
#[derive(Serialize, JsonSchema)]
pub struct Highlight {
    /// Its first character (a Unicode code point), from 0.
    pub offset: usize,
    /// How many characters it has.
    pub length: usize,
}

/// A suggested category.
#[derive(Serialize, JsonSchema)]
pub struct SuggestedCategory<'a> {
    /// What to show: its name in the language in which it was typed.
    pub text: &'a str,
    /// What of it was typed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub highlight: Option<Highlight>,
    /// Identifier in records.
    pub slug: &'a str,
    /// Name in Portuguese.
    pub pt: &'a str,
    /// Name in English.
    pub en: &'a str,
}

/// A suggested area.
#[derive(Serialize, JsonSchema)]
pub struct SuggestedArea<'a> {
    /// What to show: its name.
    pub text: &'a str,
    /// What of it was typed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub highlight: Option<Highlight>,
    /// Identifier in URLs.
    pub slug: &'a str,
}

/// A suggested place.
#[derive(Default, Serialize, JsonSchema)]
pub struct SuggestedPlace<'a> {
    /// What to show: its name.
    pub text: Cow<'a, str>,
    /// What of it was typed; absent when that was another name of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub highlight: Option<Highlight>,
    /// Identifier for get_place.
    pub id: &'a str,
    /// Administrative region.
    pub region: Cow<'a, str>,
    /// Its page on the site, if it has one.
    #[schemars(extend("format" = "uri"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<Cow<'a, str>>,
}

/// A suggested event.
#[derive(Default, Serialize, JsonSchema)]
pub struct SuggestedEvent<'a> {
    /// What to show: its name.
    pub text: Cow<'a, str>,
    /// What of it was typed; absent when that was another name of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub highlight: Option<Highlight>,
    /// Identifier for get_event.
    pub id: &'a str,
    /// First day, in Brasília.
    #[schemars(extend("format" = "date"))]
    pub date: Cow<'a, str>,
    /// Where it takes place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub venue: Option<Cow<'a, str>>,
    /// Administrative region.
    pub region: Cow<'a, str>,
    /// Its page on the site, if it has one.
    #[schemars(extend("format" = "uri"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<Cow<'a, str>>,
}

/// The answer of usage.
#[derive(Serialize, JsonSchema)]
pub struct Usage<'a> {
    /// Calls this month that count against the quota.
    pub calls_this_month: u32,
    /// Calls left this month.
    pub calls_remaining: u32,
    /// Calls per month that the plan allows.
    pub monthly_limit: u32,
    /// Calls per minute that the plan allows.
    pub per_minute_limit: u32,
    /// End of the month, in Brasília.
    #[schemars(extend("format" = "date-time"))]
    pub resets_at: String,
    /// Calls this month by action.
    pub by_action: BTreeMap<&'a str, u32>,
}

/// What changed in the guide since a publication.
#[derive(JsonSchema)]
#[schemars(rename = "ChangesAnswer")]
pub struct Changes {
    /// Always true: errors have another status and another body.
    pub ok: bool,
    /// The current day in Brasília.
    #[schemars(extend("format" = "date"))]
    pub today: String,
    /// The plan of the key.
    #[schemars(extend("enum" = Plan::NAMES))]
    pub plan: String,
    /// As it was sent.
    pub since: u64,
    /// The publication in service: the next `since`.
    pub serial: u64,
    /// The records that are new or may differ from your copy: put each in the place of the one with its id.
    pub changed: ChangedRecords,
    /// The records that are not served any more; your copy may not have all of them.
    pub deleted: DeletedRecords,
    /// The snapshot of the guide that this answer comes from.
    pub snapshot: SnapshotLabel<'static>,
    /// How to credit the guide.
    pub attribution: Attribution<'static>,
    /// The parameters that were sent and ignored, one sentence each.
    pub warnings: Option<Vec<String>>,
}

/// Records as searches answer them.
#[derive(JsonSchema)]
pub struct ChangedRecords {
    /// Places.
    pub places: Vec<Updated<Place>>,
    /// Events. Each date of an event that repeats is one.
    pub events: Vec<Updated<Event>>,
}

/// Ids of records. A place and an event may have the same.
#[derive(JsonSchema)]
pub struct DeletedRecords {
    /// Of places.
    pub places: Vec<String>,
    /// Of events.
    pub events: Vec<String>,
}

/// A record and the publication that last changed it.
#[derive(JsonSchema)]
#[schemars(rename = "Updated{R}", description = "")]
pub struct Updated<R> {
    /// The record.
    #[schemars(flatten)]
    pub record: R,
    /// The serial of the publication that last changed the record; absent when that was before those that changes go
    /// back to.
    pub updated_serial: Option<u64>,
}
