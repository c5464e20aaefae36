//! The page of a search: what was searched for, the form to change it, folded into one line, and the content.

use std::borrow::Cow;

use maud::{Markup, html};

use super::search_query::SearchQuery;
use crate::domain::text::capitalized;
use crate::http::site::data::page_data::PageData;
use crate::http::site::layout::components::ITEM_BYTES;
use crate::http::site::layout::{Layout, Meta, Room};

/// A longer text, in bytes, stands in small letters, so that a phone shows the first result on its first screen.
const LONG: usize = 48;

/// A page with what was searched for and the form to change it. The form is folded into one line unless one of its
/// fields is wrong.
pub(crate) struct SearchPage<'p> {
    pub(crate) layout: &'p Layout,
    /// Without it there is no form.
    pub(crate) data: Option<&'p PageData>,
    pub(crate) search: &'p SearchQuery<'p>,
    pub(crate) meta: Meta<'p>,
    /// The fields that are wrong.
    pub(crate) wrong: &'p [&'p str],
    /// How the search was understood.
    pub(crate) reading: Option<Markup>,
}

impl<'p> SearchPage<'p> {
    /// The page of a search of which no field is wrong, and nothing understood.
    pub(crate) fn of(
        layout: &'p Layout,
        data: Option<&'p PageData>,
        search: &'p SearchQuery<'p>,
        meta: Meta<'p>,
    ) -> SearchPage<'p> {
        SearchPage { layout, data, search, meta, wrong: &[], reading: None }
    }

    /// The whole page around its content.
    pub(crate) fn html(self, content: Markup) -> String {
        let SearchPage { layout, data, search, meta, wrong, reading } = self;
        let words = &layout.texts.search;
        let form = data.map(|data| (data, data.form(layout.language).filled(search, wrong)));
        let main = html! {
            (Room(content.0.len() + ITEM_BYTES + form.as_ref().map_or(0, |(_, form)| form.bytes())))
            div.wide.found {
                @match form {
                    Some((data, form)) => {
                        @let filters = filters(layout, data, search);
                        h1.list-title.long[search.q.len() > LONG] {
                            @match (&*search.q, &*filters) {
                                // what was sent is no name
                                ("", _) if !wrong.is_empty() => (words.title),
                                ("", "") => (layout.texts.home.title),
                                ("", filters) => (capitalized(filters)),
                                (text, _) => { "“" (text) "”" },
                            }
                        }
                        details.refine open[!wrong.is_empty()] {
                            summary {
                                @let filters = if search.q.is_empty() { "" } else { &filters };
                                @let reading = reading.filter(|reading| !(reading.0.is_empty() || search.q.is_empty()));
                                @if !filters.is_empty() { span { (filters) } }
                                @if !filters.is_empty() && reading.is_some() { " · " }
                                @match (&reading, filters) {
                                    (None, "") => span.change { (capitalized(words.change_search)) },
                                    _ => { (reading.unwrap_or_default()) ": " span.change { (words.change) } }
                                }
                            }
                            (form)
                        }
                    }
                    None => h1 { (words.title) },
                }
                (content)
                (layout.preview())
            }
        };
        layout.page(&meta, main)
    }
}

/// What a search asks for besides its text, in one line.
fn filters(layout: &Layout, data: &PageData, search: &SearchQuery<'_>) -> String {
    let words = &layout.texts.search;
    let when = match &*search.when {
        "" => Cow::Borrowed(""),
        "today" => words.today.to_lowercase().into(),
        "tomorrow" => words.tomorrow.to_lowercase().into(),
        "weekend" => words.weekend.to_lowercase().into(),
        "week" => words.week.to_lowercase().into(),
        date => date.parse().map_or(date.into(), |day| layout.texts.calendar.date(day, data.day).into()),
    };
    let kind = match &*search.kind {
        "events" => layout.texts.layout.events,
        "places" => layout.texts.layout.places,
        _ => "",
    };
    let kind = kind.to_lowercase();
    let parts = [&*kind, data.category(layout.language, &search.category), &search.region, &when];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join(" · ")
}
