//! What pages show of one snapshot on one day besides its records: the names of categories, which pages there are, what
//! is to come, the search form.

use std::collections::HashMap;

use chrono::{DateTime, NaiveDate};
use index::vocabulary::ArchivedVocabularyIndex;
use index::{AreaId, CategoryId, Guide};

use super::city_map::CityMap;
use super::directory::{Directory, Listing};
use super::hours::{BegunToday, LastNight};
use super::nearby::Nearby;
use super::night::NightPlaces;
use super::suggestions::suggestions;
use super::upcoming::Upcoming;
use crate::domain::clock::{UnixMillis, day_of};
use crate::http::language::Language;
use crate::http::site::guide::list_items::ListItems;
use crate::http::site::guide::search_form::{SearchForm, category_choices};
use crate::http::site::share::schema_org;
use crate::serving::ServingSnapshot;

/// The data of a snapshot and a day. It holds no reference to the snapshot, which can be dropped.
pub(crate) struct PageData {
    /// The day in Brasília.
    pub(crate) day: NaiveDate,
    /// Decides the tiles of the front page.
    pub(crate) seed: u64,
    /// When the curator finished the snapshot, RFC 3339.
    pub(crate) curated_at: String,
    pub(crate) upcoming: Upcoming,
    pub(crate) nearby: Nearby,
    pub(crate) directory: Directory,
    /// Places to go out to at night.
    pub(crate) night: NightPlaces,
    pub(crate) last_night: LastNight,
    pub(crate) begun_today: BegunToday,
    /// The paths of the pages of areas, by their names.
    areas: HashMap<String, String>,
    categories: HashMap<String, Category>,
    suggestions: [Vec<String>; 2],
    forms: [SearchForm; 2],
    pub(crate) list_items: ListItems,
    /// The map, if the snapshot has one.
    pub(crate) map: Option<CityMap>,
    /// Whom to credit for positions, and their licence.
    pub(crate) positions: Option<(String, String)>,
}

struct Category {
    portuguese: String,
    english: String,
    /// The type that schema.org has for its places.
    schema_type: &'static str,
}

impl PageData {
    /// The data of what the site shows, which is the area `home` of a snapshot. `finds` tells whether a search finds
    /// something as it is written.
    pub(crate) fn new(
        snapshot: &ServingSnapshot,
        home: AreaId,
        day: NaiveDate,
        seed: u64,
        finds: impl Fn(&str) -> bool,
    ) -> PageData {
        let guide = &snapshot.guide;
        let vocabulary = guide.vocabulary();
        let upcoming = Upcoming::new(&guide.events, &snapshot.rules, home, day);
        let directory = Directory::new(guide, home, &upcoming.firsts);
        let suggestions = Language::ALL.map(|language| suggestions(guide, &directory, day, language, &finds));
        let forms = Language::ALL.map(|language| {
            let neighbourhoods = directory.neighbourhoods(vocabulary).into_iter();
            let areas = neighbourhoods.filter_map(|listing| listing.topic.0);
            let areas = areas.map(|area| vocabulary.area(area).name.as_str());
            let roots =
                directory.root_categories(vocabulary).into_iter().filter_map(|listing| listing.topic.1);
            let example = suggestions[language as usize].first().map_or("", String::as_str);
            let has_records = |node| directory.of((None, Some(node))).is_some();
            let categories = category_choices(language, vocabulary, roots, has_records);
            SearchForm::new(language, day, example, areas, categories)
        });
        let positions = snapshot.positions.as_ref().and_then(|file| {
            let credit = file.credit.clone()?;
            Some((credit, file.licence.clone().unwrap_or_default()))
        });
        let areas = directory.sorted(|topic| matches!(topic, (Some(_), None))).into_iter();
        let areas = areas.filter_map(|listing| {
            let name = vocabulary.area(listing.topic.0?).name.as_str().to_owned();
            Some((name, listing.path.clone()))
        });
        let areas = areas.collect();
        let categories = categories(vocabulary);
        let curated_at = guide.curated_at.clone();
        PageData {
            day,
            seed,
            curated_at,
            last_night: LastNight::new(guide, home, &upcoming, &snapshot.rules),
            begun_today: BegunToday::default(),
            upcoming,
            nearby: Nearby::new(guide, home, day),
            directory,
            night: NightPlaces::new(guide, home),
            areas,
            categories,
            suggestions,
            forms,
            list_items: ListItems::new(),
            map: CityMap::new(&snapshot.map, vocabulary),
            positions,
        }
    }

    /// The day in Brasília on which the curator finished the snapshot.
    pub(crate) fn curated_day(&self) -> Option<NaiveDate> {
        let at = DateTime::parse_from_rfc3339(&self.curated_at).ok()?;
        Some(day_of(UnixMillis(at.timestamp_millis())))
    }

    /// The path of the page of an area, in Portuguese.
    pub(crate) fn area_path(&self, name: &str) -> Option<&str> {
        self.areas.get(name).map(String::as_str)
    }

    /// The name of a category, or its slug if it is unknown.
    pub(crate) fn category<'s>(&'s self, language: Language, slug: &'s str) -> &'s str {
        let category = self.categories.get(slug);
        category.map_or(slug, |category| language.pick(&category.portuguese, &category.english))
    }

    /// The schema.org type of the places of a category.
    pub(crate) fn schema_type(&self, slug: &str) -> &'static str {
        self.categories.get(slug).map_or(schema_org::PLACE, |category| category.schema_type)
    }

    /// The search form.
    pub(crate) fn form(&self, language: Language) -> &SearchForm {
        &self.forms[language as usize]
    }

    /// Searches that find something.
    pub(crate) fn suggestions(&self, language: Language) -> &[String] {
        &self.suggestions[language as usize]
    }

    /// The first search that finds something; empty if there is none.
    pub(crate) fn first_suggestion(&self, language: Language) -> &str {
        self.suggestions(language).first().map_or("", String::as_str)
    }

    /// The pages of the root categories, those with the most records first.
    pub(crate) fn roots(&self, guide: &Guide) -> Vec<&Listing> {
        self.directory.root_categories(guide.vocabulary())
    }
}

fn categories(vocabulary: &ArchivedVocabularyIndex) -> HashMap<String, Category> {
    let all = vocabulary.categories_by_id().map(|(node, category)| {
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
    let mut slugs = vocabulary.category_and_above(node).map(|id| vocabulary.category(id).slug.as_str());
    slugs.find_map(schema_org::place_type).unwrap_or(schema_org::PLACE)
}
