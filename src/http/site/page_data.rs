//! What pages show of one snapshot on one day besides its records: the names of categories, counts, the search form.

use std::cmp::Reverse;
use std::collections::HashMap;

use chrono::NaiveDate;
use index::fold::fold;
use index::vocabulary::{ArchivedAreaKind, ArchivedVocabularyIndex};
use index::{AreaId, CategoryId};

use super::schema_org;
use super::search_form::SearchForm;
use crate::http::language::Language;
use crate::quota::gate::preview_days;
use crate::serving::ServingSnapshot;

/// The data of a snapshot and a day. It holds no reference to the snapshot, which can be dropped.
pub(super) struct PageData {
    /// The day in Brasília.
    pub(super) day: NaiveDate,
    /// The area that the site shows.
    pub(super) home: AreaId,
    /// Decides the tiles of the front page.
    pub(super) seed: u64,
    categories: HashMap<String, Category>,
    /// Neighbourhoods with their number of records, the most first.
    pub(super) areas: Vec<(String, u32)>,
    /// The slugs of root categories with their number of records, the most first.
    roots: Vec<(String, u32)>,
    forms: [SearchForm; 2],
    /// Whom to credit for positions, and their licence.
    pub(super) positions: Option<(String, String)>,
}

struct Category {
    portuguese: String,
    english: String,
    /// The type that schema.org has for its places.
    schema_type: &'static str,
}

impl PageData {
    /// The data of what the site shows, which is the area `home` of a snapshot.
    pub(super) fn new(snapshot: &ServingSnapshot, home: AreaId, day: NaiveDate, seed: u64) -> PageData {
        let (guide, week) = (&snapshot.guide, preview_days(day));
        let vocabulary = guide.vocabulary();
        let count = |area: AreaId, category: Option<CategoryId>| {
            let places = guide.places.filtered(area, category).len();
            u32::try_from(places)
                .unwrap_or(u32::MAX)
                .saturating_add(guide.events.count_events(week, area, category))
        };
        let mut areas: Vec<(String, u32)> = vocabulary
            .area_run(home)
            .filter(|node| vocabulary.areas[usize::from(*node)].kind == ArchivedAreaKind::Neighbourhood)
            .map(|node| (vocabulary.areas[usize::from(node)].name.as_str().to_owned(), count(node, None)))
            .filter(|(_, count)| *count > 0)
            .collect();
        areas.sort_by_cached_key(|(name, count)| (Reverse(*count), fold(name)));
        let nodes = vocabulary.categories.iter().zip(0..);
        let roots: Vec<(CategoryId, u32)> = nodes
            .filter(|(category, node)| category.parent.to_native() == *node)
            .map(|(_, node)| (node, count(home, Some(node))))
            .filter(|(_, count)| *count > 0)
            .collect();
        let forms = Language::ALL.map(|language| {
            let areas = areas.iter().map(|(name, _)| name.as_str());
            let roots = roots.iter().map(|(node, _)| *node);
            SearchForm::new(language, day, areas, vocabulary, roots, |node| count(home, Some(node)) > 0)
        });
        let slug = |node: CategoryId| vocabulary.categories[usize::from(node)].slug.as_str().to_owned();
        let mut roots: Vec<(String, u32)> =
            roots.into_iter().map(|(node, count)| (slug(node), count)).collect();
        roots.sort_by_key(|(_, count)| Reverse(*count));
        let positions = snapshot.positions.as_ref().and_then(|file| {
            let credit = file.credit.clone()?;
            Some((credit, file.licence.clone().unwrap_or_default()))
        });
        PageData { day, home, seed, categories: categories(vocabulary), areas, roots, forms, positions }
    }

    /// The name of a category, or its slug if it is unknown.
    pub(super) fn category<'s>(&'s self, language: Language, slug: &'s str) -> &'s str {
        let category = self.categories.get(slug);
        category.map_or(slug, |category| language.pick(&category.portuguese, &category.english))
    }

    /// The schema.org type of the places of a category.
    pub(super) fn schema_type(&self, slug: &str) -> &'static str {
        self.categories.get(slug).map_or(schema_org::PLACE, |category| category.schema_type)
    }

    /// The search form.
    pub(super) fn form(&self, language: Language) -> &SearchForm {
        &self.forms[language as usize]
    }

    /// The root categories: slug, name and number of records.
    pub(super) fn roots(&self, language: Language) -> impl Iterator<Item = (&str, &str, u32)> {
        self.roots.iter().map(move |(slug, count)| (slug.as_str(), self.category(language, slug), *count))
    }
}

fn categories(vocabulary: &ArchivedVocabularyIndex) -> HashMap<String, Category> {
    let all = vocabulary.categories.iter().zip(0..).map(|(category, node)| {
        let named = Category {
            portuguese: category.pt.as_str().to_owned(),
            english: category.en.as_str().to_owned(),
            schema_type: schema_type(vocabulary, node),
        };
        (category.slug.as_str().to_owned(), named)
    });
    all.collect()
}

/// The type of a category or of its nearest ancestor that has one.
fn schema_type(vocabulary: &ArchivedVocabularyIndex, node: CategoryId) -> &'static str {
    let category = &vocabulary.categories[usize::from(node)];
    let parent = category.parent.to_native();
    match schema_org::place_type(&category.slug) {
        Some(kind) => kind,
        None if parent == node => schema_org::PLACE,
        None => schema_type(vocabulary, parent),
    }
}
