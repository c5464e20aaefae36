//! How a search was understood and, when it found nothing, what a filter less would find: the fields `interpreted` and
//! `relax`.

use chrono::NaiveDate;
use index::grammar::dates::Hours;
use index::grammar::hints::Hint;
use index::search::page::{Around, Closest, Interpretation, RelaxedTotals};
use index::{AreaId, CategoryId, Page};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::domain::clock::Day;
use crate::serving::ServingSnapshot;
use crate::serving::labels::{AreaLabel, CategoryLabel};

/// How the query was read. Present when the query had a filter; each field is present when the query had that part.
#[derive(Serialize, JsonSchema)]
pub struct Interpreted<'a> {
    /// Areas that results must be in; one of them is enough.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<AreaLabel>")]
    region: Vec<&'a RawValue>,
    /// Categories that results must have. Of those that one word of the question, or the parameter, names, one is
    /// enough; of several words, as in "livraria com café", each must be met, unless the question joins them with "or".
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<CategoryLabel>")]
    category: Vec<&'a RawValue>,
    /// Numbers of the blocks (quadras) in the query.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    quadra: Vec<String>,
    /// First day of the search.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<NaiveDate>")]
    from: Option<Day>,
    /// Last day of the search.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<NaiveDate>")]
    to: Option<Day>,
    /// Words searched in names, styles, venues and line-ups.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    text: Vec<&'a str>,
    /// Words that were replaced by others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    corrected: Vec<Correction<'a>>,
    /// Words whose records were taken away.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    without: &'a [String],
    /// Words that the listed records do not meet.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    left_out: &'a [String],
    /// Where and when was searched instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    widened: Option<Widened<'a>>,
    /// Words about what the guide does not know. They filter nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    not_known: Vec<NotKnown<'a>>,
    /// Hours of the day in which events start.
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<Time>,
    /// When nothing that is free of charge meets the rest: how many of the listed records have no price in the guide.
    #[serde(skip_serializing_if = "Option::is_none")]
    price_unknown: Option<u32>,
    /// Where was searched from.
    #[serde(skip_serializing_if = "Option::is_none")]
    near: Option<SearchedNear<'a>>,
}

/// Where was searched from.
#[derive(Serialize, JsonSchema)]
struct SearchedNear<'a> {
    /// The place that was understood.
    name: &'a str,
    /// Latitude, WGS84.
    lat: f64,
    /// Longitude, WGS84.
    lon: f64,
    /// How far the place may be from that point, in metres.
    precision_m: u32,
    /// The greatest distance searched, in metres.
    within_m: u32,
}

impl<'a> SearchedNear<'a> {
    fn of(Around { near, within_m, .. }: &'a Around) -> Self {
        let position = near.location.position;
        let (lat, lon) = (position.lat.degrees(), position.lon.degrees());
        Self { name: &near.name, lat, lon, precision_m: position.precision_m, within_m: *within_m }
    }
}

/// A word that no record has, and the nearest word that one has.
#[derive(Serialize, JsonSchema)]
struct Correction<'a> {
    /// The word that was sent.
    from: &'a str,
    /// The word that was searched.
    to: &'a str,
}

/// What was searched instead of an area or of days that have nothing.
#[derive(Serialize, JsonSchema)]
struct Widened<'a> {
    /// The areas that were searched.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<AreaLabel>")]
    region: Vec<&'a RawValue>,
    /// The first day that was searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<NaiveDate>")]
    from: Option<Day>,
    /// The last day that was searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<NaiveDate>")]
    to: Option<Day>,
    /// Present when the hours of the question were let go: events of any hour were searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("const" = "any"))]
    time: Option<&'static str>,
}

/// Words about what the guide does not know.
#[derive(Serialize, JsonSchema)]
struct NotKnown<'a> {
    /// The words.
    words: Vec<&'a str>,
    /// What they ask about.
    #[schemars(extend("enum" = Hint::NAMES))]
    about: &'static str,
}

/// Hours of the day.
#[derive(Serialize, JsonSchema)]
struct Time {
    /// The first minute, HH:MM.
    from: String,
    /// The first minute after them, HH:MM; before `from` when they pass midnight.
    to: String,
    /// How many of the found events have no time. They are listed after those that have one.
    unknown: u32,
}

impl Time {
    fn of(hours: Hours, unknown: u32) -> Self {
        let text = |minute: u16| format!("{:02}:{:02}", minute / 60 % 24, minute % 60);
        Self { from: text(hours.from), to: text(hours.to), unknown }
    }
}

impl<'a> Widened<'a> {
    fn of(closest: &Closest, snapshot: &'a ServingSnapshot) -> Option<Self> {
        let Closest { areas, days, hours, .. } = closest;
        let is_wider = !areas.is_empty() || days.is_some() || hours.is_some();
        is_wider.then(|| Self {
            region: areas.iter().map(|id| &*snapshot.area_labels[usize::from(*id)]).collect(),
            from: days.map(|days| days.from.into()),
            to: days.map(|days| days.to.into()),
            time: hours.map(|_| "any"),
        })
    }
}

impl<'a> Interpreted<'a> {
    /// What a search understood; `None` when it had no filter.
    pub(super) fn of(page: &'a Page, snapshot: &'a ServingSnapshot) -> Option<Self> {
        let Interpretation {
            areas,
            quadras,
            categories,
            window,
            hours,
            text,
            without,
            not_known,
            corrected,
            ..
        } = &page.interpretation;
        let area = |id: &AreaId| &*snapshot.area_labels[usize::from(*id)];
        let category = |id: &CategoryId| &*snapshot.category_labels[usize::from(*id)];
        let closest = page.closest.as_deref();
        let interpreted = Interpreted {
            region: areas.iter().map(area).collect(),
            category: categories.iter().map(category).collect(),
            quadra: quadras.iter().map(u16::to_string).collect(),
            from: window.map(|window| window.from.into()),
            to: window.map(|window| window.to.into()),
            text: text.split_ascii_whitespace().collect(),
            corrected: corrected.iter().map(|(from, to)| Correction { from, to }).collect(),
            without,
            left_out: closest.map_or(&[], |closest| &closest.left_out),
            widened: closest.and_then(|closest| Widened::of(closest, snapshot)),
            not_known: not_known
                .iter()
                .map(|(hint, words)| NotKnown { words: words.split(' ').collect(), about: hint.as_str() })
                .collect(),
            time: hours.map(|(hours, unknown)| Time::of(hours, unknown)),
            price_unknown: closest.and_then(|closest| closest.unpriced),
            near: page.around.as_deref().map(SearchedNear::of),
        };
        (!interpreted.is_empty()).then_some(interpreted)
    }

    fn is_empty(&self) -> bool {
        self.region.is_empty()
            && self.category.is_empty()
            && self.quadra.is_empty()
            && self.from.is_none()
            && self.to.is_none()
            && self.text.is_empty()
            && self.corrected.is_empty()
            && self.without.is_empty()
            && self.left_out.is_empty()
            && self.widened.is_none()
            && self.not_known.is_empty()
            && self.time.is_none()
            && self.price_unknown.is_none()
            && self.near.is_none()
    }
}

/// How many records there would be with one filter less, where there are any.
#[derive(Serialize)]
pub(super) struct Relaxed<'a> {
    #[serde(rename = "7_more_days", skip_serializing_if = "Option::is_none")]
    seven_more_days: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    category: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    near: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    q: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<u32>,
    /// `text:` and the word.
    #[serde(flatten, serialize_with = "words")]
    words: Vec<&'a (String, u32)>,
}

fn words<S: Serializer>(words: &[&(String, u32)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(words.iter().map(|(word, count)| (format!("text:{word}"), count)))
}

impl<'a> Relaxed<'a> {
    /// The counts, if one is not 0; the preview covers fixed days, so it hides the count for later ones.
    pub(super) fn of(relax: &'a RelaxedTotals, is_preview: bool) -> Option<Self> {
        let RelaxedTotals { q, region, category, near, seven_more_days, words } = relax;
        let some = |count: &Option<u32>| count.filter(|count| *count > 0);
        let relaxed = Self {
            seven_more_days: some(seven_more_days).filter(|_| !is_preview),
            category: some(category),
            near: near.map(|beyond| beyond.total),
            q: some(q),
            region: some(region),
            words: words.iter().filter(|(_, count)| *count > 0).collect(),
        };
        let Self { seven_more_days, category, near, q, region, words } = &relaxed;
        let is_any = [seven_more_days, category, near, q, region].into_iter().any(Option::is_some);
        (is_any || !words.is_empty()).then_some(relaxed)
    }
}
