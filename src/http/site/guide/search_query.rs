//! The query of the search form, as an address carries it.

use std::borrow::Cow;

use chrono::{Datelike, Days, NaiveDate, Weekday};
use index::Window;
use index::vocabulary::ArchivedVocabularyIndex;
use url::form_urlencoded;

use crate::actions::Params;

/// Which records a search is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RecordFilter {
    /// Events and places.
    All,
    Events,
    Places,
}

/// A search. Fields that were not sent are empty.
#[derive(Debug, Clone, Default)]
pub(crate) struct SearchQuery<'a> {
    pub(crate) q: Cow<'a, str>,
    /// `today`, `tomorrow`, `weekend`, `week` or a date.
    pub(crate) when: Cow<'a, str>,
    pub(crate) region: Cow<'a, str>,
    pub(crate) category: Cow<'a, str>,
    /// `events` or `places`.
    pub(crate) kind: Cow<'a, str>,
    /// Where the page begins, as the page before it says; a search for both kinds has one page.
    pub(crate) cursor: Cow<'a, str>,
    /// The number of that page, which its cursor does not tell.
    pub(crate) page: Cow<'a, str>,
}

/// The next Saturday and Sunday, or what is left of them.
pub(crate) fn weekend(today: NaiveDate) -> Window {
    let to_saturday = u64::from(5_u32.saturating_sub(today.weekday().num_days_from_monday()));
    let from = today + Days::new(to_saturday);
    let is_sunday = from.weekday() == Weekday::Sun;
    Window { from, to: from + Days::new(u64::from(!is_sunday)) }
}

impl<'a> SearchQuery<'a> {
    /// Parses the query of a URL.
    pub(crate) fn parse(query: &'a str) -> SearchQuery<'a> {
        let mut search = SearchQuery::default();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            let field = match &*name {
                "q" => &mut search.q,
                "when" => &mut search.when,
                "region" => &mut search.region,
                "category" => &mut search.category,
                "cursor" => &mut search.cursor,
                "page" => &mut search.page,
                "kind" if ["events", "places"].contains(&&*value) => &mut search.kind,
                _ => continue,
            };
            *field = match value {
                Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
                Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
            };
        }
        if search.kind == "places" {
            // places have no day, and the form that could take one out again does not show it
            search.when = Cow::Borrowed("");
        }
        search
    }

    /// The search with the name of its area, where that was sent as a slug.
    pub(crate) fn with_area_name(self, vocabulary: &ArchivedVocabularyIndex) -> SearchQuery<'a> {
        let area = vocabulary.area_with_slug(&self.region);
        let name = area.map(|area| vocabulary.area(area).name.as_str().to_owned());
        SearchQuery { region: name.map_or(self.region, Cow::Owned), ..self }
    }

    /// Whether no field was sent.
    pub(crate) fn is_empty(&self) -> bool {
        [&self.q, &self.when, &self.region, &self.category, &self.kind].iter().all(|field| field.is_empty())
    }

    /// Which records are searched: a day alone asks for events.
    pub(crate) fn kind(&self) -> RecordFilter {
        let is_day_alone = !self.when.is_empty()
            && [&self.q, &self.region, &self.category].iter().all(|field| field.is_empty());
        match &*self.kind {
            "places" => RecordFilter::Places,
            "" if !is_day_alone => RecordFilter::All,
            _ => RecordFilter::Events,
        }
    }

    /// The parameters of the search actions, which reject an invalid date.
    pub(crate) fn params(&self, today: NaiveDate) -> Params<'_> {
        let day = |day: NaiveDate| Cow::Owned(day.to_string());
        let (from, to) = match &*self.when {
            "" => (Cow::Borrowed(""), Cow::Borrowed("")),
            "week" => (day(today), day(today + Days::new(7))),
            "today" => (day(today), day(today)),
            "tomorrow" => (day(today + Days::new(1)), day(today + Days::new(1))),
            "weekend" => {
                let Window { from, to } = weekend(today);
                (day(from), day(to))
            }
            date => (Cow::Borrowed(date), Cow::Borrowed(date)),
        };
        let fields = [
            ("q", Cow::Borrowed(&*self.q)),
            ("region", Cow::Borrowed(&*self.region)),
            ("category", Cow::Borrowed(&*self.category)),
            ("from", from),
            ("to", to),
            // its letters need no encoding
            (
                "cursor",
                if self.kind() == RecordFilter::All {
                    Cow::Borrowed("")
                } else {
                    Cow::Borrowed(&*self.cursor)
                },
            ),
        ];
        let sent = fields.into_iter().filter(|(_, value)| !value.is_empty());
        Params::of_form(sent.map(|(name, value)| (Cow::Borrowed(name), value)))
    }

    /// Each of the fields that a visitor may get wrong, as a search of its own.
    pub(crate) fn fields(&self) -> impl Iterator<Item = SearchQuery<'a>> {
        let none = SearchQuery::default;
        let alone = [
            SearchQuery { q: self.q.clone(), ..none() },
            SearchQuery { when: self.when.clone(), ..none() },
            SearchQuery { region: self.region.clone(), ..none() },
            SearchQuery { category: self.category.clone(), ..none() },
        ];
        alone.into_iter().filter(|search| !search.is_empty())
    }

    /// The same search with another value of one field, as the query of a URL with its `?`.
    pub(crate) fn with(&self, field: &str, value: &str) -> String {
        let fields = [
            ("q", &*self.q),
            ("kind", &self.kind),
            ("when", &self.when),
            ("region", &self.region),
            ("category", &self.category),
        ];
        let fields = fields.map(|(name, own)| (name, if name == field { value } else { own }));
        let sent = fields.into_iter().filter(|(_, value)| !value.is_empty());
        form_urlencoded::Serializer::for_suffix(String::from("?"), 1).extend_pairs(sent).finish()
    }

    /// Whether its address has the number of a later page and nothing by which that is found.
    pub(crate) fn numbers_nothing(&self) -> bool {
        self.cursor.is_empty() && !self.page.is_empty() && &*self.page != "1"
    }

    /// The number of the page, if its address names one.
    pub(crate) fn page_number(&self) -> Option<usize> {
        match &*self.cursor {
            "" => Some(1),
            _ => self.page.parse().ok().filter(|number| *number > 1),
        }
    }

    /// The first page of the same search.
    pub(crate) fn first_page(&self) -> String {
        let kind = if self.kind() == RecordFilter::Events { "events" } else { "places" };
        self.with("kind", kind)
    }

    /// The next page of the same search.
    pub(crate) fn page_after(&self, cursor: &str) -> String {
        let page = self.page_number().map(|number| format!("&page={}", number + 1)).unwrap_or_default();
        format!("{}{page}&cursor={cursor}", self.first_page())
    }

    /// The same search for records of another kind.
    pub(crate) fn with_kind(&self, kind: &str) -> String {
        // places have no day
        let when = if kind == "places" { Cow::Borrowed("") } else { self.when.clone() };
        SearchQuery { when, ..self.clone() }.with("kind", kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actions::{Param, ParamType};

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    #[test]
    fn named_days_become_dates() {
        let window = |when: &str, today: &str| {
            let query = format!("when={when}");
            let search = SearchQuery::parse(&query);
            let params = search.params(day(today));
            let param = |name| Param::new(name, ParamType::Date, "");
            let parsed = |name| params.day(&param(name), day(today), day(today)).unwrap();
            (parsed("from"), parsed("to"))
        };
        let days = |from: &str, to: &str| (Some(day(from)), Some(day(to)));
        assert_eq!(window("today", "2026-11-21"), days("2026-11-21", "2026-11-21"));
        assert_eq!(window("tomorrow", "2026-11-30"), days("2026-12-01", "2026-12-01"));
        assert_eq!(window("weekend", "2026-11-18"), days("2026-11-21", "2026-11-22"));
        assert_eq!(window("weekend", "2026-11-21"), days("2026-11-21", "2026-11-22"));
        assert_eq!(window("weekend", "2026-11-22"), days("2026-11-22", "2026-11-22"));
        assert_eq!(window("week", "2026-11-22"), days("2026-11-22", "2026-11-29"));
        assert_eq!(window("2026-11-25", "2026-11-22"), days("2026-11-25", "2026-11-25"));
    }

    #[test]
    fn a_changed_search_keeps_its_other_fields() {
        let search = SearchQuery::parse("q=+caf%C3%A9+&region=Asa+Norte&kind=places&utm=x");
        assert_eq!(search.with("region", ""), "?q=caf%C3%A9&kind=places");
        assert_eq!(search.with("region", "Asa Sul"), "?q=caf%C3%A9&kind=places&region=Asa+Sul");
        assert!(SearchQuery::parse("q=&when=&region=&category=&kind=&utm=x").is_empty());
        assert_eq!(SearchQuery::parse("when=today").kind(), RecordFilter::Events);
        assert_eq!(SearchQuery::parse("when=today&q=bar").kind(), RecordFilter::All);
        let places = SearchQuery::parse("kind=places&when=today&q=bar");
        assert_eq!(
            (places.kind(), places.with("region", "")),
            (RecordFilter::Places, "?q=bar&kind=places".to_owned())
        );
    }
}
