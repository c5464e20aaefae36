//! A list of records in an address, which a visitor keeps, prints or sends.

use axum::body::Body;
use chrono::NaiveDate;
use hyper::{Request, Response, StatusCode};
use index::Guide;
use maud::{Markup, html};
use snapshots::is_id;
use url::form_urlencoded;

use super::list_joining::{self, JoinError, Linked};
use super::series::MissingDate;
use crate::domain::error::ApiError;
use crate::domain::records::Records;
use crate::domain::text::capitalized;
use crate::http::language::Language;
use crate::http::site::data::page_data::PageData;
use crate::http::site::data::record_view::Record;
use crate::http::site::guide_pages::{rounded_minute, series_of};
use crate::http::site::layout::components::{
    Show, breadcrumbs, encoded, event, event_with, places as place_list, section,
};
use crate::http::site::layout::form_fields::{Submitted, TextField, query_field};
use crate::http::site::layout::i18n::FormError;
use crate::http::site::layout::{Extra, Layout, Meta};
use crate::http::site::share::feeds::{FeedFormat, Source};
use crate::http::site::share::take_along::{MOST_LISTED as MOST, PLACE, share_button, token};
use crate::http::site::state::Site;

/// What an address lists.
#[derive(Default)]
struct List {
    /// As the address has them.
    tokens: Vec<String>,
    events: Vec<ListedEvent>,
    /// Ranks with their tokens: a place may have two.
    places: Vec<(u32, Vec<String>)>,
    /// What the guide does not have, or has no more.
    gone: Vec<String>,
    is_cut: bool,
}

/// An event that an address lists.
struct ListedEvent {
    /// Of the next event of the series, where the guide has none on the date of the token.
    rank: u32,
    token: String,
    date: TokenDate,
}

/// What a token says of the date of an event.
#[derive(Clone, Copy)]
enum TokenDate {
    /// It means a series.
    Any,
    /// It means an event that the guide has.
    Known,
    /// It means a date of a series on which the guide has no event, or none any more.
    Gone(NaiveDate),
}

impl ListedEvent {
    fn read(guide: &Guide, data: &PageData, token: &str) -> Option<ListedEvent> {
        let home = data.directory.home;
        let listed = |rank, date| Some(ListedEvent { rank, token: token.to_owned(), date });
        if let Some(rank) = guide.events.find(token).filter(|rank| guide.events.is_in_area(*rank, home)) {
            return listed(rank, TokenDate::Known);
        }
        let (series, date) = series_of(data, token)?;
        let next = series.dates.first()?.0;
        match date {
            None => listed(next, TokenDate::Any),
            // no event has other dates
            Some(date) if MissingDate::of(date, None, data.day).is_none() => None,
            Some(date) => listed(next, TokenDate::Gone(date)),
        }
    }

    /// The next date of its series.
    fn next(&self, show: Show<'_>) -> Option<(u32, NaiveDate)> {
        let series = show.data.upcoming.of(&show.guide.events, self.rank)?;
        show.dates_left(series).first().copied()
    }

    /// The date that it is shown on, and its rank among the events of that date.
    fn order(&self, show: Show<'_>) -> (Option<NaiveDate>, u32) {
        if let TokenDate::Gone(date) = self.date {
            return (Some(date), self.rank);
        }
        let next = self.next(show).filter(|_| matches!(self.date, TokenDate::Any));
        let rank = next.map_or(self.rank, |(rank, _)| rank);
        let record = show.event(rank);
        // a run of days that has begun is shown on the first one that is left
        let shown = record.date.map(|date| date.max(show.data.day.min(record.end_date.unwrap_or(date))));
        (shown, rank)
    }

    /// The date that the token names; a series has none of its own.
    fn named_date(&self, guide: &Guide) -> Option<NaiveDate> {
        match self.date {
            TokenDate::Any => None,
            TokenDate::Known => guide.events.first_day(self.rank),
            TokenDate::Gone(date) => Some(date),
        }
    }

    /// Its item. A date that has passed, or on which the event is not, is said to be so, with the next one.
    fn item(&self, show: Show<'_>) -> Markup {
        let Show { layout, data, guide, .. } = show;
        let words = &layout.texts.series;
        let mut record = show.event(self.rank);
        let (series, next) = (data.upcoming.of(&guide.events, self.rank), self.next(show));
        let said = match self.date {
            TokenDate::Any => {
                return event(show, next.map_or(self.rank, |(rank, _)| rank), true, data.day);
            }
            TokenDate::Known if !show.is_over(&record) => {
                return event(show, self.rank, false, data.day);
            }
            TokenDate::Known => layout.texts.record.over.to_owned(),
            TokenDate::Gone(date) => {
                (record.date, record.end_date) = (Some(date), None);
                capitalized(if date < data.day { words.date_is_over } else { words.not_on_that_day })
            }
        };
        // that it is over is said of its only date
        let next = next.filter(|(_, next)| Some(*next) != record.date);
        let note = match next {
            Some((_, next)) => {
                format!("{said} {} {}", words.next, layout.texts.calendar.short(next, data.day))
            }
            None => said,
        };
        let id = match (self.date, series) {
            (TokenDate::Gone(_), Some(series)) => &*series.id,
            _ => &*record.id,
        };
        event_with(show, id, &record, Some(note), data.day)
    }
}

/// The most records that a message about a list names.
const MOST_NAMED: usize = 8;

/// Whether a text has the form of a token. Others are not of a link of this site: an address must not put words on a
/// page.
fn is_token(text: &str) -> bool {
    is_id(text.strip_prefix(PLACE).unwrap_or(text))
}

/// The tokens in a query, each once.
fn tokens(query: &str) -> (Vec<String>, bool) {
    let mut all: Vec<String> = Vec::new();
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        for token in value.split(',').filter(|token| name == "i" && is_token(token)) {
            if all.len() > MOST {
                break;
            }
            if !all.iter().any(|one| one == token) {
                all.push(token.to_owned());
            }
        }
    }
    let is_cut = all.len() > MOST;
    all.truncate(MOST);
    (all, is_cut)
}

impl List {
    fn read(show: Show<'_>, query: &str) -> List {
        let Show { data, guide, .. } = show;
        let home = data.directory.home;
        let (tokens, is_cut) = tokens(query);
        let mut list = List { is_cut, ..List::default() };
        for token in &tokens {
            let id = token.strip_prefix(PLACE).unwrap_or(token);
            let place = guide.places.find(id).filter(|rank| guide.places.is_in_area(*rank, home));
            match (ListedEvent::read(guide, data, token), place) {
                (Some(event), _) => list.events.push(event),
                (None, Some(rank)) => match list.places.iter_mut().find(|(one, _)| *one == rank) {
                    Some((_, tokens)) => tokens.push(token.clone()),
                    None => list.places.push((rank, vec![token.clone()])),
                },
                (None, None) => list.gone.push(token.clone()),
            }
        }
        list.events.sort_by_cached_key(|event| event.order(show));
        list.tokens = tokens;
        list
    }

    /// The names of the first records, for a message.
    fn names(&self, guide: &Guide) -> String {
        let name = |records, rank: &u32| Record::new(records, *rank).name.into_owned();
        let events = self.events.iter().map(|event| name(&guide.events.rendered, &event.rank));
        let places = self.places.iter().map(|(rank, _)| name(&guide.places.rendered, rank));
        let mut names: Vec<String> = events.chain(places).take(MOST_NAMED + 1).collect();
        if names.len() > MOST_NAMED {
            names.truncate(MOST_NAMED);
            names.push("…".to_owned());
        }
        names.join(", ")
    }

    /// The query of a list without these.
    fn without(&self, tokens: &[&str]) -> String {
        let rest = self.tokens.iter().map(String::as_str).filter(|one| !tokens.contains(one));
        let rest: Vec<&str> = rest.collect();
        if rest.is_empty() { String::new() } else { format!("?i={}", rest.join(",")) }
    }

    /// What links take out: the words of each, and its tokens.
    fn removals(&self, show: Show<'_>) -> Vec<(String, Vec<&str>)> {
        let Show { layout, data, guide, .. } = show;
        let words = &layout.texts.take;
        let events = self.events.iter().map(|event| {
            let record = Record::new(&guide.events.rendered, event.rank);
            (record.name.into_owned(), event.named_date(guide), vec![event.token.as_str()])
        });
        let places = self.places.iter().map(|(rank, tokens)| {
            let tokens = tokens.iter().map(String::as_str).collect();
            (Record::new(&guide.places.rendered, *rank).name.into_owned(), None, tokens)
        });
        let named: Vec<(String, Option<NaiveDate>, Vec<&str>)> = events.chain(places).collect();
        let is_alone = |name: &String| named.iter().filter(|(other, ..)| other == name).count() == 1;
        let told = named.iter().map(|(name, date, tokens)| {
            let name = match date {
                Some(date) if !is_alone(name) => {
                    format!("{name}, {}", layout.texts.calendar.short(*date, data.day))
                }
                _ => name.clone(),
            };
            ((words.remove)(&name), tokens.clone())
        });
        let mut removals: Vec<_> = told.collect();
        if !self.gone.is_empty() {
            let gone = self.gone.iter().map(String::as_str).collect();
            removals.push((words.remove_gone.to_owned(), gone));
        }
        removals
    }

    /// The form of the list at a path that takes something out of it.
    fn changes(&self, show: Show<'_>, path: &str) -> Markup {
        let removals = self.removals(show);
        html! {
            @if !removals.is_empty() {
                details.take.change {
                    summary { (show.layout.texts.take.change_list) }
                    ul.chips.take {
                        @for (text, tokens) in &removals {
                            li {
                                a href={ (path) (self.without(tokens)) } rel="nofollow" data-remove=(tokens.join(",")) {
                                    (text)
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The name of the field for a link that is to be added.
const ADD: &str = "add";

/// The longest link: a list has this many records, whose ids have at most so many bytes.
const MAX_LINK: usize = MOST * 128;

/// The tokens of a list with what a pasted link is of.
fn joined(show: Show<'_>, query: &str, pasted: &str) -> Result<Vec<String>, JoinError> {
    let Show { layout, data, guide, .. } = show;
    let home = data.directory.home;
    let (mut all, _) = tokens(query);
    let added = match list_joining::read(pasted, &layout.host)? {
        Linked::List(query) => tokens(&query).0,
        Linked::Record(records, id) => {
            let is_known = is_id(&id)
                && match records {
                    Records::Events => ListedEvent::read(guide, data, &id).is_some(),
                    Records::Places => {
                        guide.places.find(&id).is_some_and(|rank| guide.places.is_in_area(rank, home))
                    }
                };
            if !is_known {
                return Err(JoinError::NotInGuide);
            }
            vec![token(guide, records, &id)]
        }
    };
    if added.is_empty() {
        return Err(JoinError::NotInGuide);
    }
    for one in added {
        if !all.contains(&one) {
            all.push(one);
        }
    }
    if all.len() > MOST { Err(JoinError::Full) } else { Ok(all) }
}

/// The form that adds what a link is of to the list `all`. A script keeps a list without it.
fn join_form(layout: &Layout, all: &str, submitted: &Submitted<'_>) -> Markup {
    let words = &layout.texts.joining;
    let link = TextField {
        name: ADD,
        texts: words.link,
        kind: "text",
        required: true,
        max_length: MAX_LINK,
        autocomplete: "off",
    };
    html! {
        form.join.take action=(layout.path("/lista")) {
            h2 { (words.title) }
            @if !all.is_empty() { input type="hidden" name="i" value=(all); }
            (link.render(submitted))
            button type="submit" { (words.submit) }
        }
    }
}

fn page(show: Show<'_>, query: &str, submitted: &Submitted<'_>) -> String {
    let Show { layout, data, guide, .. } = show;
    let list = List::read(show, query);
    let words = &layout.texts.take;
    let path = layout.path("/lista");
    let all = list.tokens.join(",");
    let places: Vec<u32> = list.places.iter().map(|(rank, _)| *rank).collect();
    let is_shown = !list.events.is_empty() || !places.is_empty();
    let named = list.names(guide);
    let message = encoded(&format!("{}: {named}. {}{path}?i={all}", words.list, layout.base));
    // only a script knows whether it is the list that this browser keeps
    let title = layout.texts.layout.list;
    let meta = Meta {
        title,
        description: words.list_description,
        path: "/lista",
        query: &if all.is_empty() { String::new() } else { format!("?i={all}") },
        listed: false,
    };
    let main = html! {
        div.wide {
            (breadcrumbs(layout, [(layout.home(), layout.texts.layout.guide)]))
            h1.list-title data-listed=(all) data-own=(words.list) data-shared=(words.list_shared)
                data-add=(words.list_add) data-full=((words.list_limit)(MOST)) { (title) }
            @if list.tokens.is_empty() {
                // a script goes on to the list that the browser keeps, unless there is something to read here
                p.lead data-list[submitted.errors.is_empty()] { (words.list_empty) }
            }
            @if is_shown { noscript { p.note { (words.list_in_address) } } }
            @if list.is_cut && is_shown { p.note { ((words.list_full)(MOST)) } }
            @if !list.events.is_empty() {
                (section("events", layout.texts.layout.events, "", html! {
                    ol.agenda { @for event in &list.events { (event.item(show)) } }
                }))
                p.note.take { a href={ (path) ".ics?i=" (all) } rel="nofollow" { (words.list_calendar) } }
            }
            @if !places.is_empty() { (section("places", layout.texts.layout.places, "", place_list(show, &places))) }
            @if !list.gone.is_empty() { p.note { ((words.list_gone)(list.gone.len())) } }
            @if is_shown {
                p.on-paper { (layout.base) (path) "?i=" (all) }
                ul.chips.take.list-ways {
                    li { a href={ "https://wa.me/?text=" (message) } rel="nofollow noopener" { (words.share) } }
                    (share_button(layout))
                }
            }
            (join_form(layout, &all, submitted))
            (list.changes(show, &path))
            (layout.credit(data.positions.as_ref()))
        }
    };
    layout.page_with(&meta, &Extra { has_more: true, ..Extra::default() }, main)
}

impl Site {
    /// The list in a query, or the way to it with what the link in the query is of.
    pub(crate) fn list(&self, language: Language, request: &Request<Body>) -> Response<Body> {
        let query = request.uri().query().unwrap_or_default();
        match query_field(request.uri(), ADD).filter(|pasted| !pasted.trim().is_empty()) {
            Some(pasted) => self.join_list(language, request, &pasted),
            None => {
                let nothing = Submitted::default();
                self.list_page(language, request, true, |show, _| Ok(page(show, query, &nothing)))
            }
        }
    }

    /// Leads to the list in a query with what a link is of, or says why not.
    fn join_list(&self, language: Language, request: &Request<Body>, pasted: &str) -> Response<Body> {
        let (headers, query) = (request.headers(), request.uri().query().unwrap_or_default());
        let Some((snapshot, cache)) = self.in_service() else {
            return self.plain_error(language, &ApiError::NoGuide, headers);
        };
        let layout = self.layout(language);
        let now = rounded_minute(self.dispatcher.clock.moment());
        let show = Show { now: Some(now), ..Show::new(layout, &cache.data, &snapshot.guide) };
        let words = &layout.texts.joining;
        let sentence = match joined(show, query, pasted) {
            Ok(all) => {
                let address = format!("{}?i={}", layout.path("/lista"), all.join(","));
                return self.see_other(&address, headers);
            }
            Err(JoinError::NoLink) => words.no_link.to_owned(),
            Err(JoinError::Foreign) => words.foreign.to_owned(),
            Err(JoinError::OtherPage) => words.other_page.to_owned(),
            Err(JoinError::NotInGuide) => words.not_in_guide.to_owned(),
            Err(JoinError::Full) => format!("{}.", (layout.texts.take.list_limit)(MOST)),
        };
        let submitted = Submitted::wrong(vec![(ADD, pasted)], FormError::of(Some(ADD), sentence));
        self.uncached(StatusCode::BAD_REQUEST, page(show, query, &submitted).into(), headers)
    }

    /// The events of the list in a query.
    pub(crate) fn list_calendar(&self, language: Language, request: &Request<Body>) -> Response<Body> {
        let query = request.uri().query().unwrap_or_default();
        let address = request.uri().path_and_query().map_or("", |address| address.as_str());
        self.file(language, request, address, FeedFormat::Calendar, |source: &Source<'_>| {
            let list = List::read(source.show, query);
            let events = list.events.iter().filter_map(|event| match event.date {
                TokenDate::Any => source.calendar_event(event.rank, true),
                TokenDate::Known => source.calendar_event(event.rank, false),
                // that of the rank is another date than the one that was saved
                TokenDate::Gone(_) => None,
            });
            Some(source.calendar(source.show.layout.texts.take.list, events.collect()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_a_bound_and_names_nothing_twice() {
        assert_eq!(tokens("i=a,b&i=b,c&j=d").0, ["a", "b", "c"]);
        let long = (0..1000).map(|number| number.to_string()).collect::<Vec<_>>().join(",");
        let (all, is_cut) = tokens(&format!("i={long}"));
        assert!(all.len() == MOST && is_cut);
        assert_eq!(tokens(""), (Vec::new(), false));
        assert_eq!(tokens("i=p:a,%3Cb%3E,call+0800,B,p:,c").0, ["p:a", "c"]);
    }
}
