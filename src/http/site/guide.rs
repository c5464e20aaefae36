//! What the pages know of the guide in service: made once for an edition and a day, and kept until there is another.
//! Nothing here holds on to the edition itself. Uses [`super::form`], [`super::home`], [`super::sitemap`],
//! [`crate::actions`], [`crate::dispatch`], [`crate::serving`] and the crate `index`.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::OnceLock;

use bytes::Bytes;
use chrono::NaiveDate;
use hyper::header::HeaderValue;
use index::fold::fold;
use index::vocabulary::{ArchivedAreaKind, ArchivedVocabularyIndex};
use index::{AreaId, CategoryId};
use snapshots::Digest;

use super::super::caller::write_hex;
use super::super::html::Language;
use super::form::Form;
use super::home;
use super::layout::{Frame, LANGUAGES};
use super::schema;
use super::sitemap::Map;
use crate::actions::{Params, Records};
use crate::dispatch::Dispatcher;
use crate::quota::gate::preview_days;
use crate::serving::ServingSnapshot;

/// How many events and places the front page shows.
const ON_FRONT: &str = "6";

/// All that is kept of an edition and a day.
pub(super) struct Made {
    /// The edition.
    serial: u64,
    digest: Digest,
    /// The day in Brasília.
    pub(super) day: NaiveDate,
    /// What the tags of pages are made of.
    mark: u64,
    /// Categories by slug.
    labels: HashMap<String, Label>,
    /// Neighbourhoods with how many records each has: the most first.
    areas: Vec<(String, u32)>,
    /// Roots of the categories: slug and how many records each has.
    kinds: Vec<(String, u32)>,
    forms: [Form; 2],
    /// The front page, in both languages.
    pub(super) front: [Bytes; 2],
    /// What search engines are told, and its files.
    pub(super) map: Map,
    pub(super) map_files: Vec<OnceLock<Bytes>>,
}

/// A category, as pages speak of it.
struct Label {
    portuguese: String,
    english: String,
    schema: &'static str,
}

impl Made {
    /// Makes everything. `service` tells this service with its settings from others.
    pub(super) fn of(
        rooms: &Dispatcher,
        frame: &Frame,
        edition: &ServingSnapshot,
        day: NaiveDate,
        service: u64,
    ) -> Made {
        let vocabulary = edition.guide.vocabulary();
        let home = rooms.shown_area(edition);
        let week = preview_days(day);
        let guide = &edition.guide;
        let count = |area: AreaId, category: Option<CategoryId>| {
            guide.places.filtered(area, category).len() as u32
                + guide.events.count_events(week, area, category)
        };
        let mut hasher = DefaultHasher::new();
        (service, edition.digest, day).hash(&mut hasher);

        let mut areas: Vec<(String, u32)> = vocabulary
            .area_run(home)
            .filter(|node| vocabulary.areas[usize::from(*node)].kind == ArchivedAreaKind::Neighbourhood)
            .map(|node| (vocabulary.areas[usize::from(node)].name.as_str().to_owned(), count(node, None)))
            .filter(|(_, count)| *count > 0)
            .collect();
        areas.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| fold(&one.0).cmp(&fold(&other.0))));
        let roots: Vec<(CategoryId, u32)> = (0..)
            .take(vocabulary.categories.len())
            .filter(|node| vocabulary.categories[usize::from(*node)].parent.to_native() == *node)
            .map(|node| (node, count(home, Some(node))))
            .filter(|(_, count)| *count > 0)
            .collect();

        let forms = LANGUAGES.map(|language| {
            let (areas, roots) =
                (areas.iter().map(|(name, _)| name.as_str()), roots.iter().map(|(node, _)| *node));
            Form::new(language, day, areas, vocabulary, roots, |node| count(home, Some(node)) > 0)
        });
        let mut kinds: Vec<(String, u32)> = roots
            .iter()
            .map(|(node, count)| (vocabulary.categories[usize::from(*node)].slug.as_str().to_owned(), *count))
            .collect();
        kinds.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let map = Map::of(edition, home);
        let mut made = Made {
            serial: edition.serial,
            digest: edition.digest,
            day,
            mark: hasher.finish(),
            labels: labels(vocabulary),
            areas,
            kinds,
            forms,
            front: [Bytes::new(), Bytes::new()],
            map_files: (0..map.files()).map(|_| OnceLock::new()).collect(),
            map,
        };
        let six = || Params::of_form([(Cow::Borrowed("limit"), Cow::Borrowed(ON_FRONT))]);
        let found = |records: Records| rooms.shown(edition, day, records.row(), &six()).unwrap_or_default();
        let (events, places) = (found(Records::Events), found(Records::Places));
        made.front =
            LANGUAGES.map(|language| home::front(frame, &made, language, guide, &events, &places).into());
        made
    }

    /// Whether it is of that edition and that day.
    pub(super) fn is_of(&self, edition: &ServingSnapshot, today: NaiveDate) -> bool {
        self.serial == edition.serial && self.day == today && self.digest == edition.digest
    }

    /// Which state of the page at an address it is that this guide makes, for caches.
    pub(super) fn tag(&self, language: Language, path: &str) -> HeaderValue {
        let mut hasher = DefaultHasher::new();
        (self.mark, language.code(), path).hash(&mut hasher);
        tag(hasher.finish())
    }

    /// What walls are laid by.
    pub(super) fn seed(&self) -> u64 {
        self.mark
    }

    /// What a category is called.
    pub(super) fn label<'s>(&'s self, language: Language, slug: &'s str) -> &'s str {
        self.labels.get(slug).map_or(slug, |label| language.pick(&label.portuguese, &label.english))
    }

    /// What schema.org calls places of a category.
    pub(super) fn schema(&self, slug: &str) -> &'static str {
        self.labels.get(slug).map_or("Place", |label| label.schema)
    }

    /// The form that the guide is asked with.
    pub(super) fn form(&self, language: Language) -> &Form {
        &self.forms[language as usize]
    }

    /// Neighbourhoods: what to send, what to say, how many records.
    pub(super) fn areas(&self) -> impl Iterator<Item = (&str, &str, u32)> {
        self.areas.iter().map(|(name, count)| (name.as_str(), name.as_str(), *count))
    }

    /// The broadest categories: what to send, what to say, how many records.
    pub(super) fn kinds(&self, language: Language) -> impl Iterator<Item = (&str, &str, u32)> {
        self.kinds.iter().map(move |(slug, count)| (slug.as_str(), self.label(language, slug), *count))
    }
}

/// A tag of a number.
pub(super) fn tag(mark: u64) -> HeaderValue {
    let mut text = *b"\"0000000000000000\"";
    write_hex(&mut text[1..17], mark);
    // hexadecimal digits in quotes are always a value
    HeaderValue::from_bytes(&text).unwrap_or(HeaderValue::from_static("\"\""))
}

fn labels(vocabulary: &ArchivedVocabularyIndex) -> HashMap<String, Label> {
    let mut labels = HashMap::with_capacity(vocabulary.categories.len());
    for (at, category) in vocabulary.categories.iter().enumerate() {
        // the nearest kind that schema.org has a word for
        let mut node = at;
        let schema = loop {
            let here = &vocabulary.categories[node];
            let parent = usize::from(here.parent.to_native());
            match schema::place(&here.slug) {
                Some(schema) => break schema,
                None if parent == node => break "Place",
                None => node = parent,
            }
        };
        let label = Label {
            portuguese: category.pt.as_str().to_owned(),
            english: category.en.as_str().to_owned(),
            schema,
        };
        labels.insert(category.slug.as_str().to_owned(), label);
    }
    labels
}
