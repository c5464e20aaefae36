//! Which areas, categories and pairs of them have a page, with the number of their records. Computed once for a
//! snapshot and a day.

use std::cmp::Reverse;
use std::collections::HashMap;

use index::vocabulary::{ArchivedAreaKind, ArchivedVocabularyIndex};
use index::{AreaId, CategoryId, Guide};

use super::area_records::{named_only, with_named};

/// The fewest records of a pair that has a page.
const FEWEST: usize = 3;

/// The pages of areas and categories. It holds no reference to the snapshot, which can be dropped.
pub(crate) struct Directory {
    /// The area that the site shows.
    pub(crate) home: AreaId,
    listings: Vec<Listing>,
    by_path: HashMap<String, usize>,
    by_topic: HashMap<Topic, usize>,
}

/// An area, a category, or a category in an area. Neither is everything that the site shows.
pub(crate) type Topic = (Option<AreaId>, Option<CategoryId>);

/// What the page of an area, a category or a pair lists.
pub(crate) struct Listing {
    pub(crate) topic: Topic,
    /// The path in Portuguese.
    pub(crate) path: String,
    /// The first event to come of each series, and the events that are in none.
    pub(crate) events: Vec<u32>,
    /// The number of places.
    pub(crate) places: usize,
}

impl Listing {
    /// The number of records: a series counts once.
    pub(crate) fn records(&self) -> usize {
        self.events.len() + self.places
    }
}

impl Directory {
    /// The pages within the area `home`. `firsts` has each series once.
    pub(crate) fn new(guide: &Guide, home: AreaId, firsts: &[u32]) -> Directory {
        let vocabulary = guide.vocabulary();
        let mut directory =
            Directory { home, listings: Vec::new(), by_path: HashMap::new(), by_topic: HashMap::new() };
        let categories: Vec<CategoryId> = vocabulary.categories_by_id().map(|(id, _)| id).collect();
        let categories = || categories.iter().copied().map(Some);
        for area in AreaId::within(vocabulary.area_run(home)) {
            // a category in the whole of home has a page of its own
            let of_area = |category: Option<CategoryId>| {
                (Some(area).filter(|_| category.is_none() || area != home), category)
            };
            let named =
                [&guide.places, &guide.events].map(|records| named_only(guide, records, (area, home)));
            for topic in std::iter::once(None).chain(categories()).map(of_area) {
                directory.add(guide, topic, firsts, &named);
            }
        }
        directory
    }

    /// Adds the page of a topic, if it has enough. Of its area these places and events are `named` only.
    fn add(&mut self, guide: &Guide, topic: Topic, firsts: &[u32], [places, events]: &[Vec<u32>; 2]) {
        let (area, category) = ((topic.0.unwrap_or(self.home), self.home), topic.1);
        let places = with_named(&guide.places, area, category, places).len();
        let members = with_named(&guide.events, area, category, events);
        if places + members.len() == 0 {
            return;
        }
        let members = &*members;
        let (fewer, more) = if members.len() < firsts.len() { (members, firsts) } else { (firsts, members) };
        let events: Vec<u32> =
            fewer.iter().copied().filter(|rank| more.binary_search(rank).is_ok()).collect();
        let fewest = if topic.0.is_some() && category.is_some() { FEWEST } else { 1 };
        let path = path(guide.vocabulary(), topic);
        if events.len() + places < fewest || self.by_path.contains_key(&path) {
            return;
        }
        self.by_path.insert(path.clone(), self.listings.len());
        self.by_topic.insert(topic, self.listings.len());
        self.listings.push(Listing { topic, path, events, places });
    }

    /// The page at a path.
    pub(crate) fn at(&self, path: &str) -> Option<&Listing> {
        self.by_path.get(path).map(|at| &self.listings[*at])
    }

    /// The page of a topic.
    pub(crate) fn of(&self, topic: Topic) -> Option<&Listing> {
        self.by_topic.get(&topic).map(|at| &self.listings[*at])
    }

    /// The page of an area or, if it has none, of the nearest area around it that has one.
    pub(crate) fn of_area(&self, vocabulary: &ArchivedVocabularyIndex, area: AreaId) -> Option<&Listing> {
        vocabulary.area_and_above(area).find_map(|area| self.of((Some(area), None)))
    }

    /// All pages.
    pub(crate) fn all(&self) -> &[Listing] {
        &self.listings
    }

    /// The neighbourhoods, those with the most records first.
    pub(crate) fn neighbourhoods(&self, vocabulary: &ArchivedVocabularyIndex) -> Vec<&Listing> {
        let is_neighbourhood =
            |area: AreaId| area != self.home && vocabulary.area(area).kind == ArchivedAreaKind::Neighbourhood;
        self.sorted(|topic| matches!(topic, (Some(area), None) if is_neighbourhood(area)))
    }

    /// The pages whose topic is wanted, those with the most records first.
    pub(crate) fn sorted(&self, is_wanted: impl Fn(Topic) -> bool) -> Vec<&Listing> {
        let mut wanted: Vec<&Listing> =
            self.listings.iter().filter(|listing| is_wanted(listing.topic)).collect();
        wanted.sort_by_key(|listing| Reverse(listing.records()));
        wanted
    }

    /// The pages of the areas that an area consists of.
    pub(crate) fn areas_inside(&self, vocabulary: &ArchivedVocabularyIndex, own: AreaId) -> Vec<&Listing> {
        let is_inside = |area: AreaId| area != own && vocabulary.area(area).parent.to_native() == own;
        self.sorted(|topic| matches!(topic, (Some(area), None) if is_inside(area)))
    }

    /// The pages of the categories in an area.
    pub(crate) fn categories_in(&self, own: AreaId) -> Vec<&Listing> {
        self.sorted(|topic| matches!(topic, (Some(area), Some(_)) if area == own))
    }

    /// The pages of a category in areas.
    pub(crate) fn areas_of(&self, own: CategoryId) -> Vec<&Listing> {
        self.sorted(|topic| matches!(topic, (Some(_), Some(category)) if category == own))
    }

    /// The pages of the categories that are in no other.
    pub(crate) fn root_categories(&self, vocabulary: &ArchivedVocabularyIndex) -> Vec<&Listing> {
        self.sorted(
            |topic| matches!(topic, (None, Some(category)) if parent(vocabulary, category) == category),
        )
    }

    /// The pages of the categories that a category consists of.
    pub(crate) fn categories_below(
        &self,
        vocabulary: &ArchivedVocabularyIndex,
        own: CategoryId,
    ) -> Vec<&Listing> {
        let is_below = |category: CategoryId| category != own && parent(vocabulary, category) == own;
        self.sorted(|topic| matches!(topic, (None, Some(category)) if is_below(category)))
    }

    /// The pages of the categories with the same parent, or of the others that have none.
    pub(crate) fn categories_beside(
        &self,
        vocabulary: &ArchivedVocabularyIndex,
        own: CategoryId,
    ) -> Vec<&Listing> {
        let mut beside = match parent(vocabulary, own) {
            parent if parent == own => self.root_categories(vocabulary),
            parent => self.categories_below(vocabulary, parent),
        };
        beside.retain(|listing| listing.topic.1 != Some(own));
        beside
    }
}

/// The category around one; itself if there is none.
fn parent(vocabulary: &ArchivedVocabularyIndex, category: CategoryId) -> CategoryId {
    vocabulary.category(category).parent.to_native()
}

fn path(vocabulary: &ArchivedVocabularyIndex, topic: Topic) -> String {
    let area = |id: AreaId| vocabulary.area(id).slug.as_str();
    let category = |id: CategoryId| vocabulary.category(id).slug.as_str();
    match topic {
        (Some(one), Some(other)) => format!("/area/{}/{}", area(one), category(other)),
        (Some(one), None) => format!("/area/{}", area(one)),
        (None, Some(other)) => format!("/categoria/{}", category(other)),
        (None, None) => "/".to_owned(),
    }
}
