//! What is to come as files that programs subscribe to: calendars (RFC 5545) and Atom feeds (RFC 4287) of an event, of
//! the agenda, and of an area or a category.

use atom_syndication::{Category, Entry, FixedDateTime, Text};
use axum::body::Body;
use bytes::Bytes;
use chrono::{DateTime, Datelike as _, NaiveDate, NaiveTime};
use hyper::header::HeaderValue;
use hyper::{Request, Response};

use super::atom::{feed, link};
use crate::domain::clock::{UnixMillis, start_of};
use crate::domain::error::ApiError;
use crate::domain::records::Records;
use crate::domain::text::capitalized;
use crate::http::calendar::{CalendarEvent, calendar};
use crate::http::calendar_entry::{Facts, Words, entry};
use crate::http::distinct::distinct;
use crate::http::error_response;
use crate::http::etags;
use crate::http::language::Language;
use crate::http::recurrence::recurrence;
use crate::http::response::{self, DocumentBody};
use crate::http::site::data::upcoming::Series;
use crate::http::site::guide::record::dates_of;
use crate::http::site::guide::series::MissingDate;
use crate::http::site::guide_pages::series_of;
use crate::http::site::layout::components::{Show, price};
use crate::http::site::state::Site;
use crate::serving::SeriesRules;

/// The most events of a file.
const MOST_EVENTS: usize = 200;

/// The most events of an Atom feed, whose readers show the newest.
const MOST_ENTRIES: usize = 50;

/// The format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FeedFormat {
    Calendar,
    Atom,
}

impl FeedFormat {
    /// The format that the end of a path asks for, and the path without it.
    pub(crate) fn of(path: &str) -> Option<(&str, FeedFormat)> {
        [(".ics", FeedFormat::Calendar), (".atom", FeedFormat::Atom)]
            .into_iter()
            .find_map(|(end, format)| Some((path.strip_suffix(end)?, format)))
    }

    pub(crate) fn content_type(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            FeedFormat::Calendar => "text/calendar; charset=utf-8",
            FeedFormat::Atom => "application/atom+xml; charset=utf-8",
        })
    }
}

/// What a file is made from.
pub(crate) struct Source<'a> {
    pub(crate) show: Show<'a>,
    rules: &'a SeriesRules,
    now: FixedDateTime,
}

impl Source<'_> {
    /// The events at these ranks, each series once. The file is at `path`, without its end, and says what `page` says.
    fn file(&self, format: FeedFormat, title: &str, [path, page]: [&str; 2], ranks: &[u32]) -> String {
        match format {
            FeedFormat::Calendar => {
                let ranks = ranks.iter().take(MOST_EVENTS);
                // among the other calendars of a reader "Agenda" says nothing
                let title = &format!("{}: {title}", self.show.layout.service_name);
                self.calendar(title, ranks.filter_map(|rank| self.calendar_event(*rank, true)).collect())
            }
            FeedFormat::Atom => self.atom(title, [path, page], ranks),
        }
    }

    pub(crate) fn calendar(&self, title: &str, events: Vec<CalendarEvent>) -> String {
        let Show { layout, data, .. } = self.show;
        // the same all day, as the tag of the file is
        let stamp = data.day.and_time(NaiveTime::MIN).and_utc();
        calendar(title, &layout.service_name, stamp, &events)
    }

    /// An event, or the whole series that it belongs to.
    pub(crate) fn calendar_event(&self, rank: u32, as_series: bool) -> Option<CalendarEvent> {
        let Show { layout, data, guide, .. } = self.show;
        let record = self.show.event(rank);
        let series = data.upcoming.of(&guide.events, rank).filter(|_| as_series);
        let id = series.map_or(&*record.id, |series| &*series.id);
        let dates = match series {
            Some(series) => {
                let dates = series.dates.iter().map(|(_, date)| *date).collect();
                recurrence(self.rules.get(&series.id), dates, data.day, None, None)
            }
            None => (vec![record.date?], None),
        };
        let url = layout.address(&format!("/event/{id}"));
        let facts = Facts {
            id,
            name: &record.name,
            date: record.date,
            end_date: record.end_date,
            start_time: &record.start_time,
            end_time: &record.end_time,
            sessions: record.sessions.clone(),
            status: record.status,
            venue: &record.venue,
            neighbourhood: &record.neighbourhood,
            region: &record.region,
            price: &record.price,
            free: record.free,
            credit: &self.credit(&url),
            url: Some(url.clone()),
            ..Facts::default()
        };
        let texts = &layout.texts.record;
        let words = Words {
            cancelled: texts.cancelled.1,
            postponed: texts.postponed.1,
            sold_out: texts.sold_out.1,
            free: texts.free,
            no_time: layout.texts.agenda.untimed_today,
            time: layout.texts.calendar.time,
        };
        entry(facts, dates, &layout.host, &words)
    }

    /// Ends every entry: whom to credit, and the page.
    fn credit(&self, url: &str) -> String {
        format!("Dicas por {}: {url}", self.show.layout.service_name)
    }

    fn atom(&self, title: &str, [path, page]: [&str; 2], ranks: &[u32]) -> String {
        let entries: Vec<Entry> = ranks.iter().take(MOST_ENTRIES).map(|rank| self.entry(*rank)).collect();
        let updated = entries.iter().map(|entry| entry.updated).max();
        feed(self.show.layout, title, [path, page], updated.unwrap_or_else(|| self.updated(None)), entries)
    }

    /// When a text last changed: with the snapshot, or at the beginning of the day `changed` if that is later.
    fn updated(&self, changed: Option<NaiveDate>) -> FixedDateTime {
        let curated = self.show.data.curated_at.parse::<FixedDateTime>().unwrap_or_default();
        let changed = changed.and_then(start_of).map_or(curated, time_of);
        // a curator's clock may be ahead
        curated.max(changed).min(self.now)
    }

    /// Since when the next date of a series is its next one: the day after the date before it. None where the snapshot
    /// has none before it, so that it was the next one when that was made.
    fn next_since(&self, series: &Series) -> Option<NaiveDate> {
        let Show { data, guide, .. } = self.show;
        let last_day = |rank| {
            let record = self.show.event(rank);
            record.end_date.or(record.date)
        };
        let passed = guide.events.of_series(&series.id).filter_map(last_day).filter(|day| *day < data.day);
        passed.max()?.succ_opt()
    }

    fn entry(&self, rank: u32) -> Entry {
        let Show { layout, data, guide, .. } = self.show;
        let record = self.show.event(rank);
        let series = data.upcoming.of(&guide.events, rank);
        let pattern =
            series.and_then(Series::often).map(|often| layout.texts.calendar.series(often, data.day));
        let id = series.map_or(&*record.id, |series| &*series.id);
        let url = layout.address(&format!("/event/{id}"));
        // the entry of a series that says how often it takes place stays the same from one date to the next
        let is_steady = pattern.is_some();
        let (mark, when) = match pattern {
            Some(pattern) => (":", pattern),
            None => (",", dates_of(layout, data, &record).unwrap_or_default()),
        };
        let hours = record.hours(layout.texts.calendar.time);
        let status = record.status.map_or("", |status| layout.texts.record.status(status).1);
        let capital = capitalized(&when);
        let parts =
            [&*capital, &*hours, &*record.venue, record.area(), price(&layout.texts.record, &record), status];
        let facts = distinct(&parts).join(" · ");
        let category = data.category(layout.language, &record.category);
        // a date is said without its year if that is this one
        let this_year = data.day.with_ordinal(1);
        let changed = match series {
            Some(_) if is_steady => None,
            Some(series) => self.next_since(series).max(this_year),
            None => this_year,
        };
        Entry {
            title: Text::plain(format!("{}{mark} {when}", record.name)),
            id: url.clone(),
            updated: self.updated(changed),
            links: vec![link("alternate", &url, "text/html")],
            categories: vec![Category {
                term: record.category.to_string(),
                label: Some(category.to_owned()),
                ..Category::default()
            }],
            summary: Some(Text::plain(format!("{facts}\n{}", self.credit(&url)))),
            ..Entry::default()
        }
    }
}

fn time_of(at: UnixMillis) -> FixedDateTime {
    DateTime::from_timestamp_millis(at.0).unwrap_or_default().fixed_offset()
}

impl Site {
    /// A file of the guide, rendered unless the client has it or it was asked for lately. `address` is the part of the
    /// address that says which one it is. `render` returns none where there is none.
    pub(crate) fn file(
        &self,
        language: Language,
        request: &Request<Body>,
        address: &str,
        format: FeedFormat,
        render: impl FnOnce(&Source<'_>) -> Option<String>,
    ) -> Response<Body> {
        let headers = request.headers();
        let Some((snapshot, cache)) = self.in_service() else {
            return error_response(&ApiError::NoGuide, headers);
        };
        let (layout, data) = (self.layout(language), &cache.data);
        let show = Show::new(layout, data, &snapshot.guide);
        let source = Source { show, rules: &snapshot.rules, now: time_of(self.dispatcher.clock.now()) };
        let tag = cache.tag(language, address);
        let body = match etags::names(headers, &tag) {
            true => Some(DocumentBody::Once(Bytes::new())),
            false => self.recent.body(&tag, || render(&source).ok_or(())).ok(),
        };
        let Some(body) = body else { return self.not_found(language, request.uri(), headers) };
        let response = self.cached(format.content_type(), body, tag, headers);
        response::open(response)
    }

    /// The calendar of an event, or of a series by its id. A date that a series may have had gives the series.
    pub(crate) fn event_calendar(
        &self,
        language: Language,
        id: &str,
        request: &Request<Body>,
    ) -> Response<Body> {
        self.file(language, request, request.uri().path(), FeedFormat::Calendar, |source| {
            let data = source.show.data;
            let event = match source.show.find(Records::Events, id) {
                Some(found) => source.calendar_event(found.rank, false),
                None => {
                    let (series, date) = series_of(data, id)?;
                    if let Some(date) = date {
                        MissingDate::of(date, source.rules.get(&series.id), data.day)?;
                    }
                    source.calendar_event(series.dates.first()?.0, true)
                }
            }?;
            let name = event.name.clone();
            Some(source.calendar(&name, vec![event]))
        })
    }

    /// All that is to come.
    pub(crate) fn agenda_file(
        &self,
        language: Language,
        format: FeedFormat,
        request: &Request<Body>,
    ) -> Response<Body> {
        self.file(language, request, request.uri().path(), format, |source| {
            let Show { layout, data, .. } = source.show;
            Some(source.file(format, layout.texts.layout.agenda, ["/agenda", "/hoje"], &data.upcoming.firsts))
        })
    }

    /// What is to come in an area or a category, by the path of its page in Portuguese.
    pub(crate) fn listing_file(
        &self,
        language: Language,
        path: &str,
        format: FeedFormat,
        request: &Request<Body>,
    ) -> Response<Body> {
        self.file(language, request, request.uri().path(), format, |source| {
            let listing = source.show.data.directory.at(path)?;
            let title = crate::http::site::guide::listing::name(source.show, listing);
            Some(source.file(format, &title, [path, path], &listing.events))
        })
    }
}
