//! The weekly letter: its form, the pages behind the links of its mails, and what it is about.

use axum::body::Body;
use chrono::{Days, NaiveDate};
use hyper::http::request::Parts;
use hyper::{Request, Response, StatusCode};
use index::grammar::fold::fold;
use index::{AreaId, Window};
use maud::html;
use snapshots::Status;

use super::letter_pages;
use crate::domain::account::ReaderId;
use crate::domain::error::ApiError;
use crate::domain::text::capitalized;
use crate::http::language::Language;
use crate::http::site::data::area_records::{events_in, records_of};
use crate::http::site::data::hours::{is_evening, is_untimed, sort_by_hour};
use crate::http::site::data::upcoming::Upcoming;
use crate::http::site::guide::record::{hours_of, status_of};
use crate::http::site::layout::Layout;
use crate::http::site::layout::components::{Show, encoded, more, price};
use crate::http::site::layout::form_fields::{HONEYPOT_FIELD, Submitted, query_field};
use crate::http::site::layout::i18n::FormError;
use crate::http::site::layout::paths::localized;
use crate::http::site::service::forms::{Fields, field};
use crate::http::site::state::Site;
use crate::mail::{LetterItem, LetterSource, NoGuide, Weekend};

/// How many recommended events a letter has.
const MOST_BEST: usize = 8;

/// How many others it has of each day.
const MOST_A_DAY: usize = 6;

/// An area with fewer events than this has next to nothing.
const FEW: usize = 3;

/// What a link in a mail does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Link {
    Confirm,
    Stop,
}

impl Link {
    pub(crate) fn path(self) -> &'static str {
        match self {
            Link::Confirm => "/sexta/confirm",
            Link::Stop => "/sexta/stop",
        }
    }
}

impl Site {
    /// The form, with the area that the query names.
    pub(crate) fn letter_form(&self, language: Language, request: &Request<Body>) -> Response<Body> {
        let area = query_field(request.uri(), "area").unwrap_or_default();
        let submitted = Submitted::of(vec![("area", &area)]);
        let page = letter_pages::form(self.layout(language), &self.letter_areas(), &submitted);
        self.uncached(StatusCode::OK, page.into(), request.headers())
    }

    /// Mails a link that confirms the letter. What fills in the hidden field is a program: it gets the same answer.
    pub(crate) async fn ask_for_letter(&self, language: Language, request: Request<Body>) -> Response<Body> {
        let ask = async |head: &Parts, fields: &Fields| {
            if field(fields, HONEYPOT_FIELD).is_none() {
                let email = field(fields, "email").unwrap_or_default();
                let (area, client) = (field(fields, "area"), self.accounts.client(head));
                self.accounts.signup().ask_for_letter(email, language, area, client).await?;
            }
            Ok(localized(language, "/sexta/sent"))
        };
        let page = |layout: &Layout, submitted: &Submitted<'_>| {
            letter_pages::form(layout, &self.letter_areas(), submitted)
        };
        self.submit(language, request, page, &["email", "area"], ask).await
    }

    /// The page behind a link of a mail. What opens links by itself must not act for the reader, so it only has a
    /// button, or says that there is nothing to do any more; a link that was cut off has another form.
    pub(crate) async fn letter_link(&self, language: Language, link: Link, head: &Parts) -> Response<Body> {
        let layout = self.layout(language);
        let id = query_field(&head.uri, "r").unwrap_or_default();
        let words = &layout.texts.letter;
        let (status, page) = match ReaderId::parse(&id) {
            None => done(layout, (link, &id), None),
            Some(reader) => match (link, self.accounts.signup().has_confirmed_letter(&reader).await) {
                (Link::Confirm, Ok(Some(true))) => done(layout, (link, &id), Some(true)),
                (_, Ok(None)) => done(layout, (link, &id), Some(false)),
                // without an answer of the store there is still the button
                _ => {
                    let (title, lead) = match link {
                        Link::Confirm => (words.confirm, words.confirm_lead),
                        Link::Stop => (words.stop, words.stop_lead),
                    };
                    let query = format!("?r={}", encoded(&id));
                    let rest = html! {
                        form method="post" action={ (layout.path(link.path())) (query) } {
                            button type="submit" { (title) }
                        }
                    };
                    (StatusCode::OK, layout.message_at([link.path(), &query], title, lead, &rest))
                }
            },
        };
        self.uncached(status, page.into(), &head.headers)
    }

    /// Does what the link of a mail says. Mail programs stop the letter with a request of their own (RFC 8058), perhaps
    /// from a page of theirs; the id, which only the reader has, is what nobody else can send.
    pub(crate) async fn follow_letter_link(
        &self,
        language: Language,
        link: Link,
        request: Request<Body>,
    ) -> Response<Body> {
        let (head, body) = request.into_parts();
        let read = match link {
            Link::Confirm => self.read_form(&head, body).await.map(drop),
            Link::Stop => self.read_foreign_form(&head, body).await.map(drop),
        };
        if let Err(error) = read {
            return self.unread_form(language, &error, &head.headers);
        }

        match self.act_on_link(link, &head).await {
            Ok(is_known) => {
                let id = query_field(&head.uri, "r").unwrap_or_default();
                let (status, page) = done(self.layout(language), (link, &id), is_known);
                self.uncached(status, page.into(), &head.headers)
            }
            Err(error) => {
                let layout = self.layout(language);
                let FormError { sentence, .. } = FormError::new(layout.texts, &error);
                let page = layout.message(link.path(), layout.texts.letter.title, &sentence, &html! {});
                self.error(&error, page, &head.headers)
            }
        }
    }

    /// Whether the reader of a link is known; `None` if the link is not whole.
    async fn act_on_link(&self, link: Link, head: &Parts) -> Result<Option<bool>, ApiError> {
        let id = query_field(&head.uri, "r").unwrap_or_default();
        let Some(id) = ReaderId::parse(&id) else { return Ok(None) };
        let is_known = match link {
            Link::Confirm => self.accounts.signup().confirm_letter(&id).await?,
            Link::Stop => self.accounts.signup().stop_letter(id).await?,
        };
        Ok(Some(is_known))
    }

    /// The neighbourhoods that a letter may be about; none without a guide.
    fn letter_areas(&self) -> Vec<(String, String)> {
        let Some((snapshot, cache)) = self.in_service() else { return Vec::new() };
        let vocabulary = snapshot.guide.vocabulary();
        let listings = cache.data.directory.neighbourhoods(vocabulary).into_iter();
        let areas = listings.filter_map(|listing| {
            let area = vocabulary.area(listing.topic.0?);
            Some((area.slug.as_str().to_owned(), area.name.as_str().to_owned()))
        });
        let mut areas: Vec<(String, String)> = areas.collect();
        areas.sort_by_cached_key(|(_, name)| fold(name));
        areas
    }
}

/// What came of a link with an id: whether its reader is known, who has confirmed then, or `None` if it is not whole.
fn done(layout: &Layout, (link, id): (Link, &str), is_known: Option<bool>) -> (StatusCode, String) {
    let words = &layout.texts.letter;
    let again = || more(&layout.path("/sexta"), words.ask_again);
    let (status, title, lead, rest) = match (link, is_known) {
        (_, None) => (StatusCode::NOT_FOUND, words.broken, words.broken_lead, again()),
        (Link::Confirm, Some(false)) => (StatusCode::NOT_FOUND, words.unknown, words.unknown_lead, again()),
        (Link::Confirm, Some(true)) => {
            let weekend = more(&layout.path("/fim-de-semana"), layout.texts.agenda.weekend);
            (StatusCode::OK, words.confirmed, words.confirmed_lead, weekend)
        }
        (Link::Stop, Some(_)) => {
            let back = more(layout.home(), layout.texts.layout.guide);
            (StatusCode::OK, words.stopped, words.stopped_lead, back)
        }
    };
    // the id of no reader says nothing in the other language either
    let query = if is_known.is_some() { format!("?r={}", encoded(id)) } else { String::new() };
    (status, layout.message_at([link.path(), &query], title, lead, &rest))
}

impl LetterSource for Site {
    fn weekend(
        &self,
        language: Language,
        area: Option<&str>,
        thursday: NaiveDate,
    ) -> Result<Option<Weekend>, NoGuide> {
        let (snapshot, cache) = self.in_service().ok_or(NoGuide)?;
        let (layout, data) = (self.layout(language), &cache.data);
        let show = Show::new(layout, data, &snapshot.guide);
        let home = data.directory.home;
        let named = area.and_then(|slug| data.directory.at(&format!("/area/{slug}"))?.topic.0);
        let name = |area| show.guide.vocabulary().area(area).name.as_str();
        let words = &layout.texts.letter;
        let greeting = |found: &[u32], area| {
            let greeting = (words.greeting)(found.len(), name(area));
            let [of_best, of_others] = words.whole;
            match found {
                [] | [_] => greeting,
                _ if found.iter().any(|rank| show.event(*rank).uau) => format!("{greeting} {of_best}"),
                _ => format!("{greeting} {of_others}"),
            }
        };
        let own = named.map(|area| (area, events_of(show, area, thursday)));
        let (found, first, lead) = match own {
            Some((area, own)) if own.len() >= FEW => {
                let lead = greeting(&own, area);
                (own, None, lead)
            }
            few => {
                let all = events_of(show, home, thursday);
                let mut lead = greeting(&all, home);
                // the reader learns what is on elsewhere, after what is on there
                let first = few.map(|(area, own)| {
                    lead = (words.widened)(name(area), own.len(), &lead);
                    area
                });
                (all, first, lead)
            }
        };
        Ok((!found.is_empty()).then(|| weekend(show, (&found, first), lead, thursday)))
    }

    fn area_name(&self, area: &str) -> Option<String> {
        let (snapshot, cache) = self.in_service()?;
        let area = cache.data.directory.at(&format!("/area/{area}"))?.topic.0?;
        Some(snapshot.guide.vocabulary().area(area).name.as_str().to_owned())
    }
}

/// The days of the weekend after a Thursday.
fn days_after(thursday: NaiveDate) -> [NaiveDate; 3] {
    [1, 2, 3].map(|ahead| thursday + Days::new(ahead))
}

/// The last day of the weekend on which an event is on.
fn last_day(show: Show<'_>, rank: u32, [friday, _, sunday]: [NaiveDate; 3]) -> NaiveDate {
    let record = show.event(rank);
    record.end_date.or(record.date).map_or(friday, |last| last.min(sunday))
}

/// Whether all of an event is before the evening, as far as the guide knows its hour.
fn is_by_day(show: Show<'_>, rank: u32) -> bool {
    !is_untimed(show.guide, rank) && !is_evening(show.guide, rank)
}

/// What is on in an area from Friday evening to Sunday, each series once.
fn events_of(show: Show<'_>, area: AreaId, thursday: NaiveDate) -> Vec<u32> {
    let events = &show.guide.events;
    let days = days_after(thursday);
    let [friday, _, sunday] = days;
    // what ends on Friday and began before it was on for days
    let is_in_time = |rank: &u32| {
        events.first_day(*rank) != Some(friday)
            || !is_by_day(show, *rank)
            || last_day(show, *rank, days) > friday
    };
    let takes_place = |rank: &u32| {
        let status = show.event(*rank).status;
        !matches!(status, Some(Status::Cancelled | Status::Postponed))
    };
    let found = events_in(show.guide, Window { from: friday, to: sunday }, (area, show.data.directory.home));
    let found = Upcoming::once(events, found.into_iter().filter(is_in_time));
    found.into_iter().filter(takes_place).collect()
}

/// So many of a list, spread over it: of a day that is sorted by hour not the morning alone.
fn spread(ranks: Vec<u32>, most: usize) -> Vec<u32> {
    let (last, steps) = (ranks.len().saturating_sub(1), most.saturating_sub(1).max(1));
    if ranks.len() <= most { ranks } else { (0..most).map(|at| ranks[at * last / steps]).collect() }
}

/// The day of a weekend on which the letter lists an event.
fn day_in(show: Show<'_>, rank: u32, days: [NaiveDate; 3]) -> NaiveDate {
    let [friday, saturday, _] = days;
    match show.guide.events.first_day(rank) {
        Some(first) if first > friday => first,
        // its hour of Friday has passed when the weekend begins
        _ if is_by_day(show, rank) && last_day(show, rank, days) > friday => saturday,
        _ => friday,
    }
}

/// An event of a weekend, with the name of its day unless it stands below it.
fn item(show: Show<'_>, rank: u32, days: [NaiveDate; 3], with_day: bool) -> LetterItem {
    let Show { layout, data, .. } = show;
    let calendar = &layout.texts.calendar;
    let record = show.event(rank);
    let (day, last, [.., sunday]) = (day_in(show, rank, days), last_day(show, rank, days), days);
    let ends = record.end_date.filter(|end| *end > sunday);
    let day = match calendar.weekday(day) {
        _ if let Some(end) = ends => {
            format!("{} {}", layout.texts.agenda.until, calendar.short(end, data.day))
        }
        first if last > day => format!("{first}{}{}", calendar.to, calendar.weekday(last)),
        first if with_day => first.to_owned(),
        _ => String::new(),
    };
    let hours = hours_of(layout, &record);
    let near = if record.area() == record.venue { "" } else { record.area() };
    let price = price(&layout.texts.record, &record);
    let facts = [status_of(layout, &record), day.as_str(), &hours, &record.venue, near, price];
    let facts: Vec<&str> = facts.into_iter().filter(|fact| !fact.is_empty()).collect();
    LetterItem {
        title: record.name.to_string(),
        note: facts.join(" · "),
        address: format!("{}{}/event/{}", layout.base, layout.prefix(), record.id),
    }
}

/// The letter about these events of the weekend after a Thursday, those in an area before others.
fn weekend(
    show: Show<'_>,
    (found, first): (&[u32], Option<AreaId>),
    lead: String,
    thursday: NaiveDate,
) -> Weekend {
    let Show { layout, data, guide, .. } = show;
    let (words, calendar) = (&layout.texts.letter, &layout.texts.calendar);
    let days = days_after(thursday);
    let [friday, _, sunday] = days;
    let own = first.map(|area| records_of(guide, &guide.events, (area, data.directory.home), None));
    let is_first = |rank: &u32| own.as_ref().is_some_and(|own| own.binary_search(rank).is_ok());
    let chosen = |ranks: Vec<u32>, most: usize| {
        let (mut own, others): (Vec<u32>, Vec<u32>) = ranks.into_iter().partition(is_first);
        own.truncate(most);
        let room = most - own.len();
        own.extend(spread(others, room));
        own
    };
    let (best, others): (Vec<u32>, Vec<u32>) = found.iter().partition(|rank| show.event(**rank).uau);
    let best: Vec<LetterItem> =
        chosen(best, MOST_BEST).into_iter().map(|rank| item(show, rank, days, true)).collect();
    let sections = std::iter::once((words.best.to_owned(), best)).chain(days.map(|day| {
        let mut on_day: Vec<u32> =
            others.iter().copied().filter(|rank| day_in(show, *rank, days) == day).collect();
        sort_by_hour(guide, &mut on_day, day == friday);
        let on_day = chosen(on_day, MOST_A_DAY).into_iter();
        (
            capitalized(&calendar.dated(day, data.day)),
            on_day.map(|rank| item(show, rank, days, false)).collect(),
        )
    }));
    let sections: Vec<(String, Vec<LetterItem>)> = sections.filter(|(_, items)| !items.is_empty()).collect();
    Weekend {
        title: (words.subject)(&calendar.short(friday, data.day), &calendar.short(sunday, data.day)),
        lead,
        sections,
        address: layout.address("/fim-de-semana"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_events_of_a_day_are_spread_over_its_hours() {
        assert_eq!(spread((0..31).collect(), 6), [0, 6, 12, 18, 24, 30]);
        assert_eq!(spread(vec![1, 2, 3], 6), [1, 2, 3]);
        assert_eq!(spread((0..10).collect(), 1), [0]);
        assert_eq!(spread((0..10).collect(), 0), [0_u32; 0]);
    }
}
