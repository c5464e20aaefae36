//! How else to ask where a search finds nothing: what is around, what is of related categories, what is of the other
//! kind.

use index::records::facets::Facets;
use index::search::page::{Interpretation, Nothing};
use index::search::{ParsedQuery, search};
use index::vocabulary::words::Words;
use index::{AreaIds, CategoryIds, Page, Quadras, Query, vocabulary::categories};

use super::Search;
use crate::actions::{QueryContext, near};
use crate::domain::records::Records;

impl Search<'_> {
    /// How to ask for what is around the one area of `region`, when nothing is in it.
    pub(super) fn around_region(&self, page: &Page) -> Option<String> {
        if page.total > 0 || self.region.areas.is_empty() || self.near.is_some() || self.whole.is_some() {
            return None;
        }
        let text = self.region.text?;
        let snapshot = self.context.snapshot;
        let near =
            snapshot.guide.near(text, near::caller(self.context)).ok().filter(|near| !near.is_vague)?;
        let query = Query {
            areas: AreaIds::new(),
            quadras: Quadras::new(),
            near: Some(&near),
            at: None,
            limit: 1,
            facets: Facets::default(),
            ..self.question(self.window)
        };
        let parsed = ParsedQuery::of(snapshot.guide.vocabulary(), &query);
        let total = parsed.search_as_written(self.collection(self.records)).total;
        let found = counted(total, self.records)?;
        Some(format!("Around it there {found}: send near={} instead of region.", near.name))
    }

    /// How to ask for records of the categories related to `category`, which has none itself. A category in `q` means
    /// those too, and as a parameter it does not.
    pub(super) fn related_categories(&self, page: &Page) -> Option<String> {
        let [category] = self.category.categories[..] else { return None };
        if !matches!(page.nothing, Some(Nothing::EmptyCategory)) || !self.words.is_empty() {
            return None;
        }
        let vocabulary = self.context.snapshot.guide.vocabulary();
        let label = vocabulary.category(category).pt.as_str();
        let query = Query {
            words: &Words::new(label),
            categories: CategoryIds::new(),
            strict: true,
            limit: 1,
            facets: Facets::default(),
            ..self.question(self.window)
        };
        let total = search(vocabulary, self.collection(self.records), &query).total;
        let found = counted(total, self.records)?;
        Some(format!("By words and related categories there {found}: send q={label} instead of category."))
    }

    /// How to ask for the places of a category of which no events are on, where nothing but areas and days was asked
    /// for beside it.
    pub(super) fn places_of_category(&self, page: &Page) -> Option<String> {
        let known = &page.interpretation;
        let asks_for_more = self.near.is_some()
            || self.at.is_some()
            || !(known.text.is_empty() && known.without.is_empty())
            || !known.quadras.is_empty();
        let is_elsewhere = page.closest.as_ref().is_some_and(|closest| {
            !closest.areas.is_empty()
                || closest.left_out.iter().any(|words| self.names_category(words, known))
        });
        let is_empty = matches!(page.nothing, Some(Nothing::EmptyCategory)) || is_elsewhere;
        if self.records != Records::Events || !is_empty || asks_for_more {
            return None;
        }
        let [category] = known.categories[..] else { return None };
        let QueryContext { snapshot, permit, .. } = self.context;
        let (vocabulary, places) = (snapshot.guide.vocabulary(), &snapshot.guide.places);
        let label = vocabulary.category(category).pt.as_str();
        let words = Words::new(label);
        let query = Query {
            areas: known.areas.clone(),
            scope: self.context.area(),
            strict: true,
            ..Query::of(&words, self.today, permit.view(), 1)
        };
        let total = search(vocabulary, places, &query).total;
        let names = known.areas.iter().map(|area| vocabulary.area(*area).name.as_str());
        let there = match known.areas.len() {
            0 => String::new(),
            _ => format!(" and region={}", names.collect::<Vec<_>>().join(", ")),
        };
        let found = counted(total, Records::Places)?;
        Some(format!("There {found} of it: ask search_places with q={label}{there}."))
    }

    /// Whether words that were let go mean a category of the question.
    fn names_category(&self, words: &str, known: &Interpretation) -> bool {
        let vocabulary = self.context.snapshot.guide.vocabulary();
        categories::named(vocabulary, words)
            .is_some_and(|meant| meant.iter().any(|id| known.categories.contains(id)))
    }
}

/// "is 1 place", "are 12 events"; `None` of none.
fn counted(total: u32, records: Records) -> Option<String> {
    let kind = records.list();
    match total {
        0 => None,
        1 => Some(format!("is 1 {}", kind.trim_end_matches('s'))),
        _ => Some(format!("are {total} {kind}")),
    }
}
