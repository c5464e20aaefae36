//! A list of records in an address, which a visitor keeps, prints or sends.

use axum::body::Body;
use hyper::{Request, Response};
use index::Guide;
use maud::html;
use url::form_urlencoded;

use super::components::{Show, breadcrumbs, events as event_list, places as place_list, section};
use super::feeds::{Form, Source};
use super::guide_pages::series_of;
use super::layout::{Extra, Meta};
use super::page_data::PageData;
use super::record_view::Record;
use super::state::Site;
use super::take_along::PLACE;
use crate::http::language::Language;

/// The most records of a list.
const MOST: usize = 40;

/// What an address lists.
#[derive(Default)]
struct List {
    /// As the address has them.
    tokens: Vec<String>,
    /// Ranks with their tokens.
    events: Vec<(u32, String)>,
    places: Vec<(u32, String)>,
    /// What the guide does not have, or has no more.
    gone: Vec<String>,
    is_cut: bool,
}

/// The tokens in a query, each once.
fn tokens(query: &str) -> (Vec<String>, bool) {
    let mut all: Vec<String> = Vec::new();
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        for token in value.split(',').filter(|token| name == "i" && !token.is_empty()) {
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
    fn read(guide: &Guide, data: &PageData, query: &str) -> List {
        let home = data.directory.home;
        let (tokens, is_cut) = tokens(query);
        let mut list = List { is_cut, ..List::default() };
        for token in &tokens {
            let event = guide.events.find(token).filter(|rank| guide.events.is_in_area(*rank, home));
            let series = || Some(series_of(data, token)?.0.dates.first()?.0);
            let id = token.strip_prefix(PLACE).unwrap_or(token);
            let place = guide.places.find(id).filter(|rank| guide.places.is_in_area(*rank, home));
            match (event.or_else(series), place) {
                (Some(rank), _) => list.events.push((rank, token.clone())),
                (None, Some(rank)) => list.places.push((rank, token.clone())),
                (None, None) => list.gone.push(token.clone()),
            }
        }
        list.events.sort_by_key(|(rank, _)| *rank);
        list.tokens = tokens;
        list
    }

    /// The query of a list without one of these.
    fn without(&self, token: &str) -> String {
        let rest = self.tokens.iter().map(String::as_str).filter(|one| *one != token);
        let rest: Vec<&str> = rest.collect();
        if rest.is_empty() { String::new() } else { format!("?i={}", rest.join(",")) }
    }
}

fn page(show: Show<'_>, query: &str) -> String {
    let Show { layout, data, guide, .. } = show;
    let list = List::read(guide, data, query);
    let words = &layout.texts.take;
    let path = layout.path("/lista");
    let all = list.tokens.join(",");
    let ranks = |of: &[(u32, String)]| of.iter().map(|(rank, _)| *rank).collect::<Vec<u32>>();
    let (events, places) = (ranks(&list.events), ranks(&list.places));
    let name = |rank: u32, is_event: bool| {
        let records = if is_event { &guide.events.rendered } else { &guide.places.rendered };
        Record::new(records, rank).name.into_owned()
    };
    let removable = list.events.iter().map(|(rank, token)| (name(*rank, true), token));
    let removable = removable.chain(list.places.iter().map(|(rank, token)| (name(*rank, false), token)));
    let removable: Vec<(String, &String)> = removable.collect();
    let gone: Vec<&str> = list.gone.iter().map(String::as_str).collect();
    let meta = Meta {
        title: words.list,
        description: words.list_description,
        path: "/lista",
        query: &if all.is_empty() { String::new() } else { format!("?i={all}") },
        listed: false,
    };
    let main = html! {
        div.wide {
            (breadcrumbs(layout, [(layout.home(), layout.texts.layout.guide)]))
            h1.list-title { (words.list) }
            @if events.is_empty() && places.is_empty() { p.lead { (words.list_empty) } }
            @if list.is_cut { p.note { ((words.list_full)(MOST)) } }
            @if !events.is_empty() {
                (section("events", layout.texts.layout.events, "", event_list(show, &events)))
                p.note.take { a href={ (path) ".ics?i=" (all) } rel="nofollow" { (words.list_calendar) } }
            }
            @if !places.is_empty() { (section("places", layout.texts.layout.places, "", place_list(show, &places))) }
            @if !gone.is_empty() { p.note { (words.list_gone) " " (gone.join(", ")) } }
            @if !removable.is_empty() {
                ul.chips.take {
                    @for (name, token) in &removable {
                        li {
                            a href={ (path) (list.without(token)) } rel="nofollow" data-remove=(token) {
                                ((words.remove)(name))
                            }
                        }
                    }
                }
            }
            (layout.credit(data.positions.as_ref()))
        }
    };
    layout.page_with(&meta, &Extra { has_more: true, ..Extra::default() }, main)
}

impl Site {
    /// The list in a query.
    pub(super) fn list(&self, language: Language, request: &Request<Body>) -> Response<Body> {
        let query = request.uri().query().unwrap_or_default();
        self.list_page(language, request, false, |show, _, _| Some(page(show, query)))
    }

    /// The events of the list in a query.
    pub(super) fn list_calendar(&self, language: Language, request: &Request<Body>) -> Response<Body> {
        let query = request.uri().query().unwrap_or_default();
        self.file(language, request, Form::Calendar, |source: &Source<'_>| {
            let list = List::read(source.show.guide, source.show.data, query);
            let events = list.events.iter().filter_map(|(rank, token)| {
                let is_date = source.show.guide.events.find(token).is_some();
                source.calendar_event(*rank, !is_date)
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
    }
}
