//! `search_events` and `search_places`: filters and free text to a page of records.

use chrono::{Datelike, NaiveDate};
use index::search::{DEFAULT_DAYS, Interpretation, ParsedQuery, RelaxedTotals};
use index::words::Words;
use index::{AreaIds, CategoryIds, Collection, Cursor, Page, Query, Window, categories, query, regions};

use super::record::{EVENT, PLACE};
use super::{Action, Dealt, Params, Prepared, QueryContext, cursor, param, row};
use crate::domain::error::ApiError;
use crate::shape::{Field, Shape, Type};

/// Events in date order.
pub(super) const SEARCH_EVENTS: Action = Action {
    name: "search_events",
    title: "Search events",
    description: "Finds events, shows and fairs in Brasília and the Federal District by text, category, area and dates, in date \
            order; the next 7 days when no dates are given. Use for what is on, when and where. Not for bars, restaurants \
            and other venues as such (use search_places). uau is the curator's seal.",
    params: &[
        &param::Q,
        &param::CATEGORY,
        &param::REGION,
        &param::FROM,
        &param::TO,
        &param::LIMIT,
        &param::CURSOR,
    ],
    answers: &[
        Field::always("count", Type::Integer, "How many are on this page."),
        Field::always("total", Type::Integer, "How many there are in all, exactly."),
        Field::always("events", Type::List(&EVENT), "In order of date and time."),
        NEXT_CURSOR,
        INTERPRETED,
        RELAX,
    ],
    tool: true,
    counted: true,
    prepare: |scene, params| Ok(Box::new(Search::prepare(scene, params, Records::Events)?)),
};

/// Places, most talked-about first.
pub(super) const SEARCH_PLACES: Action = Action {
    name: "search_places",
    title: "Search places",
    description: "Finds bars, restaurants, cafés, museums, parks and other places in Brasília and the Federal District by text, \
            category and area, most talked-about first. Use for where to eat, drink or go. Not for what is on at a date \
            (use search_events), nor for one place whose id is known (use get_place). uau is the \
            curator's seal.",
    params: &[&param::Q, &param::CATEGORY, &param::REGION, &param::LIMIT, &param::CURSOR],
    answers: &[
        Field::always("count", Type::Integer, "How many are on this page."),
        Field::always("total", Type::Integer, "How many there are in all, exactly."),
        Field::always("places", Type::List(&PLACE), "Most talked-about first."),
        NEXT_CURSOR,
        INTERPRETED,
        RELAX,
    ],
    tool: true,
    counted: true,
    prepare: |scene, params| Ok(Box::new(Search::prepare(scene, params, Records::Places)?)),
};

const NEXT_CURSOR: Field = Field::maybe(
    "next_cursor",
    Type::Text,
    "There is more: send this as cursor, and the rest of the question again. It stays good when a new snapshot goes live.",
);

const INTERPRETED: Field = Field::maybe("interpreted", Type::Object(&READING), "how it was read");

const RELAX: Field = Field::maybe("relax", Type::Counts, "on no result: how many without each filter");

/// How a question was read; it is told when the question had filters.
const READING: Shape = Shape {
    name: "Interpreted",
    about: "How the question was read. It is there when the question had a filter, and so is each of its fields when it \
            was part of it.",
    fields: &[
        Field::maybe("region", Type::List(&AREA), "The areas it was held to; any of them will do."),
        Field::maybe("category", Type::List(&LABEL), "The categories it was held to; any of them will do."),
        Field::maybe("quadra", Type::Texts, "The numbers of the blocks it named."),
        Field::maybe("from", Type::Date, "The first day it was held to."),
        Field::maybe("to", Type::Date, "The last day it was held to."),
        Field::maybe(
            "text",
            Type::Texts,
            "The words that were looked for in names, styles, venues and line-ups.",
        ),
        Field::maybe("corrected", Type::List(&CORRECTION), "The words that were taken for others."),
    ],
};

const AREA: Shape = Shape {
    name: "Area",
    about: "An area of the guide.",
    fields: &[
        Field::always("slug", Type::Text, "Its name in addresses."),
        Field::always("name", Type::Text, "Its name."),
        Field::always("kind", Type::Choice(&["district", "zone", "region", "neighbourhood"]), "What it is."),
    ],
};

const LABEL: Shape = Shape {
    name: "CategoryName",
    about: "A category of the guide.",
    fields: &[
        Field::always("slug", Type::Text, "Its name in records."),
        Field::always("pt", Type::Text, "Its name in Portuguese."),
        Field::always("en", Type::Text, "Its name in English."),
    ],
};

const CORRECTION: Shape = Shape {
    name: "Correction",
    about: "A word that is in no record, and the nearest one that is.",
    fields: &[
        Field::always("from", Type::Text, "The word that was sent."),
        Field::always("to", Type::Text, "The word that was looked for."),
    ],
};

/// About how long an answer is besides its records: only to make room for all of it at once.
const ENVELOPE_BYTES: usize = 768;

/// What is looked for. Where there is something of each, it is in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Records {
    /// By `search_events`.
    Events,
    /// By `search_places`.
    Places,
}

impl Records {
    /// The row of the action that looks for them.
    pub fn row(self) -> usize {
        const ROWS: [usize; 2] = [row(SEARCH_EVENTS.name), row(SEARCH_PLACES.name)];
        ROWS[self as usize]
    }

    fn list(self) -> &'static str {
        match self {
            Records::Events => "events",
            Records::Places => "places",
        }
    }

    fn mark(self) -> u8 {
        match self {
            Records::Events => b'e',
            Records::Places => b'p',
        }
    }
}

/// The first pages of events and of places that are asked for in the same words; none of those that are not in `sought`.
/// Words are taken for others only when neither is found as they are written.
pub fn find_each(
    scene: QueryContext,
    params: &Params,
    sought: &[Records],
) -> Result<[Option<Page>; 2], ApiError> {
    // whoever seeks both names no days, which are the events' alone, and no cursor
    let dated = sought.contains(&Records::Events);
    let search = Search::prepare(scene, params, if dated { Records::Events } else { Records::Places })?;
    let question = search.question(search.window);
    let understood = ParsedQuery::of(scene.edition.guide.vocabulary(), &question);
    let each = |searching: fn(&ParsedQuery, &Collection) -> Page| {
        let mut pages = [None, None];
        for records in sought {
            pages[*records as usize] = Some(search.page(*records, &understood, searching));
        }
        pages
    };
    let written = each(|understood, shelf| understood.search_as_written(shelf));
    match written.iter().flatten().any(|page| page.total > 0) {
        true => Ok(written),
        false => Ok(each(|understood, shelf| understood.search(shelf))),
    }
}

/// A search that was read and checked.
struct Search<'a> {
    scene: QueryContext<'a>,
    records: Records,
    words: Words,
    /// Whether there is a text, if only of signs.
    has_text: bool,
    areas: AreaIds,
    categories: CategoryIds,
    window: Option<Window>,
    limit: usize,
    after: Option<Cursor<'static>>,
    /// Whether part of the area asked for lies outside what the plan covers.
    narrowed: bool,
}

impl<'a> Search<'a> {
    fn prepare(scene: QueryContext<'a>, params: &'a Params<'a>, records: Records) -> Result<Self, ApiError> {
        let vocabulary = scene.edition.guide.vocabulary();
        let text = params.sent("q")?.unwrap_or_default();
        let words = query::words(text).map_err(|long| match long {
            query::TooLong::Characters => ApiError::TextTooLong { param: "q", max: query::MAX_CHARACTERS },
            query::TooLong::Words => ApiError::TooManyWords { param: "q", max: query::MAX_WORDS },
        })?;
        let categories = match filter(params, "category")? {
            None => CategoryIds::new(),
            Some(text) => categories::resolve(vocabulary, text)
                .map_err(|unknown| ApiError::UnknownCategory { nearest: unknown.nearest })?,
        };
        let mut areas = match region(params)? {
            None => AreaIds::new(),
            Some((param, text)) => regions::resolve(vocabulary, text).map_err(|error| match error {
                regions::RegionError::Unknown { nearest } => ApiError::UnknownRegion { param, nearest },
                regions::RegionError::Ambiguous { readings } => ApiError::AmbiguousRegion { param, readings },
            })?,
        };
        let window = if records == Records::Events { window(scene, params)? } else { None };
        let limit =
            params.integer("limit", 1, param::MAX_LIMIT)?.map_or(scene.default_limit, |limit| limit as usize);
        let after = params.text("cursor")?.map(|text| cursor::read(records.mark(), text)).transpose()?;
        let limit = scene.permit.results(limit, after.is_some());

        let home = scene.permit.home(scene.edition.free_area);
        let covered: AreaIds = areas.iter().filter_map(|area| vocabulary.common_area(home, *area)).collect();
        if covered.is_empty() && !areas.is_empty() {
            return Err(scene.permit.region_refusal());
        }
        let narrowed = covered != areas;
        areas = covered;
        Ok(Self {
            scene,
            records,
            words,
            has_text: !text.trim().is_empty(),
            areas,
            categories,
            window,
            limit,
            after,
            narrowed,
        })
    }

    fn shelf(&self, records: Records) -> &'a Collection {
        let guide = &self.scene.edition.guide;
        match records {
            Records::Events => &guide.events,
            Records::Places => &guide.places,
        }
    }

    /// The page, of the days that the permit covers: where the question asks for others it is asked again within. How it
    /// was read is told only when it had filters.
    fn page(
        &self,
        records: Records,
        understood: &ParsedQuery,
        searching: fn(&ParsedQuery, &Collection) -> Page,
    ) -> Page {
        let shelf = self.shelf(records);
        let mut page = searching(understood, shelf);
        if let Some(asked) = page.interpretation.window {
            match self.seen(asked) {
                None => {
                    // what its words would be corrected to would tell what there is on those days
                    let Page { interpretation, .. } = understood.search_as_written(shelf);
                    page = Page { interpretation, ..Page::default() };
                }
                Some(seen) if seen != asked => {
                    let question = self.question(Some(seen));
                    page =
                        searching(&ParsedQuery::of(self.scene.edition.guide.vocabulary(), &question), shelf);
                }
                Some(_) => {}
            }
        }
        let given =
            self.has_text || !self.areas.is_empty() || !self.categories.is_empty() || self.window.is_some();
        if !given {
            page.interpretation = Interpretation::default();
        }
        page
    }

    /// Those of the days that the permit covers, if there are any.
    fn seen(&self, days: Window) -> Option<Window> {
        match self.scene.permit.days(self.scene.today) {
            Some(covered) => days.within(covered),
            None => Some(days),
        }
    }

    fn question(&self, window: Option<Window>) -> Query<'_> {
        let QueryContext { edition, today, permit, .. } = self.scene;
        Query {
            areas: AreaIds::from_slice(&self.areas),
            categories: CategoryIds::from_slice(&self.categories),
            window,
            scope: permit.home(edition.free_area),
            after: self.after.as_ref(),
            ..Query::of(&self.words, today, permit.view(), self.limit)
        }
    }

    /// How the question was read.
    fn write_reading(&self, reading: &Interpretation, out: &mut Vec<u8>) {
        let vocabulary = self.scene.edition.guide.vocabulary();
        let mut object = Object::open(out, "interpreted");
        object.list("region", &reading.areas, |node, out| {
            put(out, &[&vocabulary.areas[usize::from(*node)].json])
        });
        object.list("category", &reading.categories, |node, out| {
            put(out, &[&vocabulary.categories[usize::from(*node)].json]);
        });
        object.list("quadra", &reading.quadras, |number, out| {
            put(out, &["\"", itoa::Buffer::new().format(*number), "\""]);
        });
        if let Some(Window { from, to }) = reading.window {
            put_date(object.field("from"), from);
            put_date(object.field("to"), to);
        }
        // folded words are letters and digits, which JSON leaves as they are
        let words = reading.text.split_ascii_whitespace();
        object.list("text", words, |word, out| put(out, &["\"", word, "\""]));
        object.list("corrected", &reading.corrected, |(from, to), out| {
            put(out, &["{\"from\":\"", from, "\",\"to\":\"", to, "\"}"]);
        });
        object.close();
    }
}

impl Prepared for Search<'_> {
    fn run(&self, out: &mut Vec<u8>) -> Option<Dealt<'_>> {
        let (shelf, view) = (self.shelf(self.records), self.scene.permit.view());
        let page = self.find();
        let cards = page.ranks.iter().map(|rank| shelf.rendered.size(*rank, self.scene.permit.view()) + 1);
        out.reserve(cards.sum::<usize>() + ENVELOPE_BYTES);
        put(out, &[",\"count\":", itoa::Buffer::new().format(page.ranks.len())]);
        put(out, &[",\"total\":", itoa::Buffer::new().format(page.total)]);
        put(out, &[",\"", self.records.list(), "\":["]);
        let start = out.len();
        for (at, rank) in page.ranks.iter().enumerate() {
            if at > 0 {
                out.push(b',');
            }
            shelf.rendered.write(*rank, view, out);
        }
        let at = start..out.len();
        out.push(b']');
        if let Some(last) = page.ranks.last().filter(|_| page.more && !self.scene.permit.is_preview()) {
            put(out, &[",\"next_cursor\":\""]);
            cursor::write(self.records.mark(), &Cursor::at(shelf, *last), out);
            out.push(b'"');
        }
        self.write_reading(&page.interpretation, out);
        if let Some(RelaxedTotals { q, region, category, seven_more_days }) = page.relax {
            put(out, &[",\"relax\":{"]);
            let counts = [
                ("7_more_days", seven_more_days.filter(|_| !self.scene.permit.is_preview())),
                ("category", category),
                ("q", q),
                ("region", region),
            ];
            let counts = counts.into_iter().filter_map(|(without, count)| Some((without, count?)));
            for (at, (without, count)) in counts.enumerate() {
                let before = if at == 0 { "\"" } else { ",\"" };
                put(out, &[before, without, "\":", itoa::Buffer::new().format(count)]);
            }
            out.push(b'}');
        }
        let days_hidden = page.interpretation.window.is_some_and(|days| self.seen(days).is_none());
        Some(Dealt { cards: &shelf.rendered, ranks: page.ranks, view, at, days_hidden })
    }

    fn find(&self) -> Page {
        let question = self.question(self.window);
        let understood = ParsedQuery::of(self.scene.edition.guide.vocabulary(), &question);
        self.page(self.records, &understood, |understood, shelf| understood.search(shelf))
    }

    fn notice(&self) -> Option<&'static str> {
        self.narrowed.then_some(
            "Your plan covers Plano Piloto only: the part of the area you asked for that lies outside it was left out.",
        )
    }
}

fn filter<'p>(params: &'p Params, param: &'static str) -> Result<Option<&'p str>, ApiError> {
    params.text_within(param, param::MAX_FILTER)
}

/// `region` or its other name; both may come when they say the same.
fn region<'p>(params: &'p Params) -> Result<Option<(&'static str, &'p str)>, ApiError> {
    let region = filter(params, "region")?;
    let neighbourhood = filter(params, "neighbourhood")?;
    match (region, neighbourhood) {
        (Some(region), Some(other)) if index::fold::fold(region) != index::fold::fold(other) => {
            Err(ApiError::ConflictingRegion)
        }
        (Some(region), _) => Ok(Some(("region", region))),
        (None, Some(other)) => Ok(Some(("neighbourhood", other))),
        (None, None) => Ok(None),
    }
}

/// The days asked for: `from` is today when only `to` is given, `to` seven days after `from` when only that is.
fn window(scene: QueryContext, params: &Params) -> Result<Option<Window>, ApiError> {
    let (from, to) = (params.date("from")?, params.date("to")?);
    if from.is_none() && to.is_none() {
        return Ok(None);
    }
    let from = from.unwrap_or(scene.today);
    let to = match to {
        Some(to) => to,
        None => {
            // what is told of the days must keep to YYYY-MM-DD
            let last = chrono::NaiveDate::from_ymd_opt(9999, 12, 31).unwrap_or(from);
            from.checked_add_days(chrono::Days::new(DEFAULT_DAYS)).unwrap_or(last).min(last)
        }
    };
    if to < from { Err(ApiError::DatesReversed) } else { Ok(Some(Window { from, to })) }
}

fn put(out: &mut Vec<u8>, parts: &[&str]) {
    parts.iter().for_each(|part| out.extend_from_slice(part.as_bytes()));
}

/// A date in quotes. Written digit by digit, for it is in nearly every answer and formatting takes ten times as long.
fn put_date(out: &mut Vec<u8>, date: NaiveDate) {
    let digits = |number: u32| [b'0' + (number / 10 % 10) as u8, b'0' + (number % 10) as u8];
    let year = date.year().unsigned_abs();
    let parts = [digits(year / 100), digits(year), digits(date.month()), digits(date.day())];
    out.push(b'"');
    for (at, part) in parts.iter().enumerate() {
        if at > 1 {
            out.push(b'-');
        }
        out.extend_from_slice(part);
    }
    out.push(b'"');
}

/// A JSON object being written after a comma, whose fields are made elsewhere; empty lists are left out, and so is
/// the object when it stays empty.
struct Object<'o> {
    out: &'o mut Vec<u8>,
    /// Where it begins, to take it back when nothing came in.
    start: usize,
    empty: bool,
}

impl<'o> Object<'o> {
    fn open(out: &'o mut Vec<u8>, name: &str) -> Self {
        let start = out.len();
        put(out, &[",\"", name, "\":{"]);
        Self { out, start, empty: true }
    }

    /// Begins a field; its value is to be written next.
    fn field(&mut self, name: &str) -> &mut Vec<u8> {
        if !std::mem::replace(&mut self.empty, false) {
            self.out.push(b',');
        }
        put(self.out, &["\"", name, "\":"]);
        self.out
    }

    fn list<T>(&mut self, name: &str, items: impl IntoIterator<Item = T>, write: impl Fn(T, &mut Vec<u8>)) {
        let mut items = items.into_iter();
        let Some(first) = items.next() else { return };
        let out = self.field(name);
        out.push(b'[');
        write(first, out);
        for item in items {
            out.push(b',');
            write(item, out);
        }
        out.push(b']');
    }

    fn close(self) {
        if self.empty {
            self.out.truncate(self.start);
        } else {
            self.out.push(b'}');
        }
    }
}
