//! Parts that several pages are made of.

use std::borrow::Cow;

use chrono::{Datelike, NaiveDate};
use index::{AreaId, Guide};
use maud::{Markup, PreEscaped, html};
use url::form_urlencoded::byte_serialize;

use super::i18n::abbreviated;
use crate::domain::records::Records;
use crate::http::distinct::says;
use crate::http::site::data::date_pattern::SeriesDates;
use crate::http::site::data::hours::{EVENING, LateEvent, Progress, is_over};
use crate::http::site::data::page_data::PageData;
use crate::http::site::data::record_view::{Record, RecordRef};
use crate::http::site::data::upcoming::Series;
pub(crate) use crate::http::site::guide::list_items::Heading;
use crate::http::site::guide::list_items::Listed;
use crate::http::site::layout::{Layout, Room};
use crate::http::site::texts::Record as RecordTexts;

/// What a section has around its content, in bytes.
const FRAME_BYTES: usize = 512;

/// What the item of a record has in a list, in bytes; most have less.
pub(crate) const ITEM_BYTES: usize = 640;

/// A section with a heading, and a note beside it that may be empty.
pub(crate) fn section(id: &str, title: &str, note: &str, content: Markup) -> Markup {
    html! {
        (Room(content.0.len() + FRAME_BYTES))
        section.part aria-labelledby=(id) {
            div.part-head {
                h2 id=(id) { (title) }
                @if !note.is_empty() { p { (note) } }
            }
            (content)
        }
    }
}

/// A value as the query of an address carries it.
pub(crate) fn encoded(value: &str) -> String {
    byte_serialize(value.as_bytes()).collect()
}

/// A number of events, read out as such.
pub(crate) fn counted(layout: &Layout, count: u32) -> Markup {
    html! {
        small aria-hidden="true" { (count) }
        span.unseen { ((layout.texts.agenda.events)(count)) }
    }
}

/// A link that leads on.
pub(crate) fn more(address: &str, text: &str) -> Markup {
    html! { p.more { a href=(address) { (text) } } }
}

/// Links from a page to those above it.
pub(crate) fn breadcrumbs<'t>(
    layout: &Layout,
    links: impl IntoIterator<Item = (impl AsRef<str>, &'t str)>,
) -> Markup {
    html! {
        nav.crumbs aria-label=(layout.texts.layout.you_are_in) {
            ol { @for (address, text) in links { li { a href=(address.as_ref()) { (text) } } } }
        }
    }
}

/// Links to pages in one row, which scrolls where it has no room.
pub(crate) fn chips_in_a_row<'t>(links: impl IntoIterator<Item = (String, &'t str, String)>) -> Markup {
    html! { div.in-a-row { (chips(links)) } }
}

/// Links to pages, with a note after each that may be empty.
pub(crate) fn chips<'t>(links: impl IntoIterator<Item = (String, &'t str, String)>) -> Markup {
    html! {
        ul.chips {
            @for (address, text, note) in links {
                li { a href=(address) { (text) @if !note.is_empty() { " " small { (note) } } } }
            }
        }
    }
}

/// Why there is no page at an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoPage {
    /// Nothing is known by it.
    Unknown,
    /// Its number is too high: the list has so many pages.
    After(usize),
}

/// How many pages beside the current one are linked.
const PAGES_BESIDE: usize = 4;

/// Links to the other pages of a list: all of few, else the nearest, the first and the last.
pub(crate) fn pager(layout: &Layout, path: &str, number: usize, pages: usize) -> Markup {
    if pages < 2 {
        return Markup::default();
    }
    let words = &layout.texts.layout;
    let own = layout.path(path);
    let mark = if own.contains('?') { '&' } else { '?' };
    let address = |page: usize| if page == 1 { own.clone() } else { format!("{own}{mark}page={page}") };
    let is_linked = |page: &usize| {
        pages <= 3 * PAGES_BESIDE || [1, pages].contains(page) || page.abs_diff(number) <= PAGES_BESIDE
    };
    html! {
        nav.pager aria-label=(words.pages) {
            ul.chips {
                @for page in (1..=pages).filter(is_linked) {
                    li { a href=(address(page)) aria-current=[(page == number).then_some("page")] { (page) } }
                }
                @if number < pages { li { a rel="next" href=(address(number + 1)) { (words.next_page) } } }
            }
        }
    }
}

/// A block of code with a name for screen readers.
pub(crate) fn code(name: &str, text: &str) -> Markup {
    html! { div.code { pre tabindex="0" role="group" aria-label=(name) { code { (element_text(text)) } } } }
}

/// Text of an element. Quotes stay as they are there; escaped, those of a JSON document would weigh as much as the
/// rest.
fn element_text(text: &str) -> PreEscaped<String> {
    PreEscaped(text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;"))
}

/// A list of events over several days, each with its day, which of a run of days is not before `from`. A series is
/// linked as such, with its next dates.
pub(crate) fn events(show: Show<'_>, ranks: &[u32], from: NaiveDate) -> Markup {
    html! { ol.agenda { @for rank in ranks { (event(show, *rank, true, from)) } } }
}

/// A list of dated events as they were found, each with its day, which of a run of days is not before `from`.
pub(crate) fn found_events(show: Show<'_>, ranks: &[u32], from: NaiveDate) -> Markup {
    html! {
        (Room(FRAME_BYTES + ranks.len() * ITEM_BYTES))
        ol.agenda {
            @for rank in ranks {
                @let found = show.found(*rank, from);
                (show.data.list_items.get(found, || found_event(show, *rank, found, String::new())).html)
            }
        }
    }
}

/// The same with a note to each event that may be empty.
pub(crate) fn noted_events(show: Show<'_>, events: Vec<(u32, String)>, from: NaiveDate) -> Markup {
    html! {
        ol.agenda {
            @for (rank, note) in events { (found_event(show, rank, show.found(rank, from), note)) }
        }
    }
}

/// An item of a list of events over several days, with the last one of a run, whose day is not before `from`. Of a
/// series with further dates, if that is asked for, it says how often it takes place, and leads to its page.
pub(crate) fn event(show: Show<'_>, rank: u32, by_series: bool, from: NaiveDate) -> Markup {
    let record = show.event(rank);
    let series = show.data.upcoming.of(&show.guide.events, rank);
    let linked = series.filter(|series| by_series && series.dates.len() > 1);
    let id = linked.map_or(&*record.id, |series| &series.id);
    let note = if by_series { further(show, rank, &record) } else { last_day(show, &record) };
    let is_today = record.date.is_some_and(|date| date.max(from) == show.data.day);
    let progress = if is_today { show.progress(&record) } else { Progress::Ahead };
    html! {
        li {
            (date_badge(show, &record, from))
            (SummaryLine { id, progress, next: Some(note), ..SummaryLine::event(&record) }.html(show))
        }
    }
}

/// An item of a list of dated events, with how far it is and a note that may be empty.
fn found_event(show: Show<'_>, rank: u32, Listed { day, progress, .. }: Listed, note: String) -> Markup {
    let record = show.event(rank);
    let notes = [note, further(show, rank, &record)];
    let notes: Vec<&str> = notes.iter().map(String::as_str).filter(|note| !note.is_empty()).collect();
    let next = Some(notes.join(" · "));
    html! {
        li {
            (date_badge(show, &record, day.unwrap_or(show.data.day)))
            (SummaryLine { progress, next, ..SummaryLine::event(&record) }.html(show))
        }
    }
}

/// The last day of a run of days, and how often a series takes place.
fn further(show: Show<'_>, rank: u32, record: &Record<'_>) -> String {
    let series = show.data.upcoming.of(&show.guide.events, rank);
    let next = series.zip(record.date).map(|(series, date)| recurs(show, series, date));
    let notes = [last_day(show, record), next.unwrap_or_default()];
    let notes: Vec<&str> = notes.iter().map(String::as_str).filter(|note| !note.is_empty()).collect();
    notes.join("; ")
}

/// "até 6 dez", of a run of days; empty of one day.
fn last_day(Show { layout, data, .. }: Show<'_>, record: &Record<'_>) -> String {
    let last = record.end_date.filter(|last| Some(*last) > record.date);
    last.map_or_else(String::new, |last| {
        format!("{} {}", layout.texts.agenda.until, layout.texts.calendar.short(last, data.day))
    })
}

/// An event on its date, which of a run of days is not before `from`, with a note that may be empty. It leads to the
/// page with this id.
pub(crate) fn event_with(
    show: Show<'_>,
    id: &str,
    record: &Record<'_>,
    note: Option<String>,
    from: NaiveDate,
) -> Markup {
    let line = SummaryLine { id, next: note, ..SummaryLine::event(record) };
    html! { li { (date_badge(show, record, from)) (line.html(show)) } }
}

/// An event whose start is shown beside it, unless there is more to say of its hours.
fn without_start<'r>(record: &Record<'r>) -> Record<'r> {
    let mut record = record.clone();
    if record.end_time.is_empty() && record.sessions.is_empty() {
        record.start_time = "".into();
    }
    record
}

/// A list of the events of one day, each with its time.
pub(crate) fn events_of_day(show: Show<'_>, ranks: &[u32]) -> Markup {
    events_of_part(show, ranks, 0)
}

/// A list of events of a part of the day that begins at a minute of it, each with its first time in that part.
pub(crate) fn events_of_part(show: Show<'_>, ranks: &[u32], from: u16) -> Markup {
    html! {
        ol.agenda.times {
            @for rank in ranks {
                @let record = show.event(*rank);
                @let start = record.start_from(from);
                @let (shown, progress) = (without_start(&record), show.progress(&record));
                li {
                    @if start.is_empty() {
                        span {}
                    } @else {
                        time datetime=(start) { b { ((show.layout.texts.calendar.time)(&start)) } }
                    }
                    (SummaryLine { progress, ..SummaryLine::event(&shown) }.html(show))
                }
            }
        }
    }
}

/// A list of events of yesterday that are still on, each with the time at which it began.
pub(crate) fn late_events(show: Show<'_>, events: &[&LateEvent]) -> Markup {
    html! {
        ol.agenda.times {
            @for event in events {
                @let record = show.event(event.rank);
                li {
                    @let start = record.start_from(0);
                    time datetime=(start) { b { ((show.layout.texts.calendar.time)(&start)) } }
                    (SummaryLine { id: &event.id, ..SummaryLine::event(&without_start(&record)) }.html(show))
                }
            }
        }
    }
}

/// A list of places.
pub(crate) fn places(show: Show<'_>, ranks: &[u32]) -> Markup {
    html! {
        (Room(FRAME_BYTES + ranks.len() * ITEM_BYTES))
        ul.places {
            @for rank in ranks {
                @let listed = show.listed(RecordRef::place(*rank), None);
                (show.data.list_items.get(listed, || place(show, *rank)).html)
            }
        }
    }
}

fn place(show: Show<'_>, rank: u32) -> Markup {
    let record = show.record(RecordRef::place(rank));
    html! { li { (SummaryLine::of("/place/", &record).html(show)) } }
}

/// A list of events and places, each with a note that may be empty. Events have their days before it.
pub(crate) fn mixed(show: Show<'_>, items: Vec<(RecordRef, String)>) -> Markup {
    html! {
        ul.places {
            @for (of, note) in items {
                @let record = show.record(of);
                @let path = format!("/{}/", of.records.kind());
                @let notes = [days(show, &record), note];
                @let notes: Vec<&str> = notes.iter().map(String::as_str).filter(|note| !note.is_empty()).collect();
                li { (SummaryLine { next: Some(notes.join(" · ")), ..SummaryLine::of(&path, &record) }.html(show)) }
            }
        }
    }
}

/// The day of an event to come, or those that are left of a run; empty of a place.
fn days(Show { layout, data, .. }: Show<'_>, record: &Record<'_>) -> String {
    let calendar = &layout.texts.calendar;
    let Some(date) = record.date else { return String::new() };
    match record.end_date.filter(|end| *end > date) {
        Some(end) => calendar.dates(date.max(data.day), end, data.day),
        None => calendar.dated(date, data.day),
    }
}

/// What lists of records are rendered from.
#[derive(Clone, Copy)]
pub(crate) struct Show<'a> {
    pub(crate) layout: &'a Layout,
    pub(crate) data: &'a PageData,
    pub(crate) guide: &'a Guide,
    /// The heading around the list, which the names of records are one below.
    pub(crate) under: Heading,
    /// The minute of the day, on pages that say which events of today have begun.
    pub(crate) now: Option<u16>,
    /// The area of the page, which its lists do not name.
    pub(crate) area: AreaId,
    /// The place where all events of a list are, which it does not name either.
    pub(crate) venue: Option<u32>,
}

impl<'a> Show<'a> {
    /// Lists under the headings of the parts of a page.
    pub(crate) fn new(layout: &'a Layout, data: &'a PageData, guide: &'a Guide) -> Show<'a> {
        Show { layout, data, guide, under: Heading::H2, now: None, area: data.directory.home, venue: None }
    }

    fn listed(self, of: RecordRef, day: Option<NaiveDate>) -> Listed {
        let (progress, language) = (Progress::Ahead, self.layout.language);
        Listed { of, day, progress, language, under: self.under, area: self.area }
    }

    /// An event in a list of what was found from a day on.
    fn found(self, rank: u32, from: NaiveDate) -> Listed {
        let day = self.guide.events.first_day(rank).map(|first| first.max(from));
        let is_today = day == Some(self.data.day);
        let progress = if is_today { self.progress(&self.event(rank)) } else { Progress::Ahead };
        Listed { progress, ..self.listed(RecordRef::event(rank), day) }
    }

    /// How far an event is that is listed under today, on pages that change within the day.
    pub(crate) fn progress(self, record: &Record<'_>) -> Progress {
        self.now.map_or(Progress::Ahead, |now| Progress::of(record, self.data.day, now))
    }

    /// What to say of an event that has begun or ended; empty of others.
    pub(crate) fn progress_text(self, progress: Progress) -> Cow<'static, str> {
        let words = &self.layout.texts.search;
        match progress {
            Progress::Ahead => "".into(),
            Progress::Begun => words.begun.into(),
            Progress::LongBegun(start) => {
                (words.long_begun)(&self.layout.texts.calendar.minute(start)).into()
            }
            Progress::Ended => words.ended.into(),
        }
    }

    /// The events of today in the order of short lists, which end with what is over and before that have what began
    /// long ago; those of other days, and of equal ones all, stay as they are.
    pub(crate) fn late_last(self, ranks: &mut [u32]) {
        ranks.sort_by_cached_key(|rank| match self.progress(&self.event(*rank)) {
            Progress::Ahead | Progress::Begun => 0,
            Progress::LongBegun(_) => 1,
            Progress::Ended => 2,
        });
    }

    /// Whether it is evening.
    pub(crate) fn is_evening(self) -> bool {
        self.now.is_some_and(|now| now >= EVENING)
    }

    /// Whether an event has ended, as far as is known.
    pub(crate) fn is_over(self, record: &Record<'_>) -> bool {
        is_over(record, self.data.day, self.now)
    }

    /// The dates of a series without that of today, where it is over and others follow.
    pub(crate) fn dates_left(self, series: &Series) -> &[(u32, NaiveDate)] {
        match series.dates.as_slice() {
            [(first, day), rest @ ..]
                if !rest.is_empty() && *day == self.data.day && self.is_over(&self.event(*first)) =>
            {
                rest
            }
            dates => dates,
        }
    }

    /// The first events of series, and others, as they are to come: of a series whose date of today is over the next
    /// one, and last what is over, or began long ago today.
    pub(crate) fn to_come(self, firsts: &[u32]) -> Vec<u32> {
        let next = |rank: &u32| {
            let series = self.data.upcoming.of(&self.guide.events, *rank);
            series.and_then(|series| self.dates_left(series).first()).map_or(*rank, |(next, _)| *next)
        };
        let mut ranks: Vec<u32> = firsts.iter().map(next).collect();
        // ranks are in the order of time
        ranks.sort_by_cached_key(|rank| {
            let record = self.event(*rank);
            let is_last_day = record.end_date.is_none_or(|end| end <= self.data.day);
            (self.is_over(&record), is_last_day && self.progress(&record).is_late(), *rank)
        });
        ranks
    }

    /// The record with this id, if the site shows it.
    pub(crate) fn find(self, records: Records, id: &str) -> Option<RecordRef> {
        let collection = records.collection(self.guide);
        let is_shown = |rank: &u32| collection.is_in_area(*rank, self.data.directory.home);
        Some(RecordRef { records, rank: collection.find(id).filter(is_shown)? })
    }

    /// A record; an event with the place that is its venue.
    pub(crate) fn record(self, of: RecordRef) -> Record<'a> {
        match of.records {
            Records::Events => self.event(of.rank),
            Records::Places => Record::new(&self.guide.places.rendered, of.rank),
        }
    }

    /// The event of a rank.
    pub(crate) fn event(self, rank: u32) -> Record<'a> {
        let mut record = Record::event(self.guide, self.data.directory.home, rank);
        if self.venue.is_some_and(|venue| self.guide.places.find(&record.place) == Some(venue)) {
            (record.venue, record.place) = Default::default();
        }
        record
    }
}

/// How many more dates a list shows of a series that takes place on a few days.
const NEXT_DATES: usize = 2;

/// "toda terça", or "depois: 6 dez, 13 dez" of a series that takes place on a few days; empty when it ends.
fn recurs(Show { layout, data, .. }: Show<'_>, series: &Series, after: NaiveDate) -> String {
    let calendar = &layout.texts.calendar;
    let days = series.after(after.max(data.day), NEXT_DATES);
    let days: Vec<String> = days.map(|day| calendar.short(day, data.day)).collect();
    match &series.when {
        _ if days.is_empty() => String::new(),
        Some(when @ (SeriesDates::Often(..) | SeriesDates::Run(..))) => calendar.series(when, data.day),
        Some(SeriesDates::Few(_)) | None => format!("{} {}", layout.texts.agenda.then, days.join(", ")),
    }
}

/// The day of an event: of a run of days the first one from `from` on.
fn date_badge(Show { layout, data, .. }: Show<'_>, record: &Record<'_>, from: NaiveDate) -> Markup {
    let Some(date) = record.date else { return Markup::default() };
    let calendar = &layout.texts.calendar;
    let shown = date.max(from.min(record.end_date.unwrap_or(date)));
    html! {
        time datetime=(shown) {
            b { (shown.day()) } " "
            span {
                (abbreviated(calendar.month(shown)))
                @if shown.year() != data.day.year() { " " (shown.year()) }
            } " "
            span { (abbreviated(calendar.weekday(shown))) }
        }
    }
}

/// The venue of an event, as a link if it is a place with a page.
pub(crate) fn venue(layout: &Layout, record: &Record<'_>) -> Markup {
    html! {
        @if record.place.is_empty() {
            @if !record.venue.is_empty() { span lang=[layout.foreign()] { (record.venue) } }
        } @else {
            a href={ (layout.prefix()) "/place/" (record.place) } lang=[layout.foreign()] { (record.venue) }
        }
    }
}

/// The price, which may be that there is none.
pub(crate) fn price<'r>(words: &RecordTexts, record: &'r Record<'_>) -> &'r str {
    if record.price.is_empty() && record.free { words.free } else { &record.price }
}

/// A record in a list.
struct SummaryLine<'r> {
    /// The path of its page without the id.
    path: &'r str,
    /// The id of its page.
    id: &'r str,
    record: &'r Record<'r>,
    /// How far an event of today is.
    progress: Progress,
    /// A note below it.
    next: Option<String>,
}

impl<'r> SummaryLine<'r> {
    fn of(path: &'r str, record: &'r Record<'r>) -> SummaryLine<'r> {
        SummaryLine { path, id: &record.id, record, progress: Progress::Ahead, next: None }
    }

    fn event(record: &'r Record<'r>) -> SummaryLine<'r> {
        SummaryLine::of("/event/", record)
    }

    fn html(self, show: Show<'_>) -> Markup {
        let SummaryLine { path, id, record, progress, next } = self;
        let Show { layout, data, guide, .. } = show;
        let own_area = guide.vocabulary().area(show.area).name.as_str();
        let is_new = |area: &&str| *area != own_area && !says(&record.venue, area);
        let area = Some(record.area()).filter(is_new).unwrap_or_default();
        let words = &layout.texts.record;
        let price = price(words, record);
        // that there is no price is said in the language of the page
        let price_lang = layout.foreign().filter(|_| !record.price.is_empty());
        let facts = [
            html! { (record.hours(layout.texts.calendar.time)) },
            html! { (show.progress_text(progress)) },
            venue(layout, record),
            html! { @if !record.style.is_empty() { span lang=[layout.foreign()] { (record.style) } } },
            html! { @if !area.is_empty() { span.where { (area) } } },
            html! { @if !price.is_empty() { span lang=[price_lang] { (price) } } },
        ];
        let facts = facts.into_iter().filter(|fact| !fact.0.is_empty());
        let name = html! {
            a href={ (layout.prefix()) (path) (id) } lang=[layout.foreign()] { (record.name) }
            @if record.uau { " " span.uau { "UAU" } }
            @if let Some(status) = record.status { " " span.status-tag { (words.status(status).0) } }
        };
        html! {
            div.what {
                div {
                    @match show.under {
                        Heading::H2 => h3 { (name) },
                        Heading::H3 => h4 { (name) },
                    }
                    p { @for (at, fact) in facts.enumerate() { @if at > 0 { "\u{a0}· " } (fact) } }
                    @if let Some(next) = next.filter(|next| !next.is_empty()) { p.next { (next) } }
                }
                span.tag { (data.category(layout.language, &record.category)) }
            }
        }
    }
}
