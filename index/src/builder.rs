//! Builds a collection: sorts the records, renders them and notes everything that each is found by.

use std::hash::BuildHasher;
use std::sync::Arc;

use hashbrown::{DefaultHashBuilder, HashMap, HashSet};
use snapshots::Snapshot;

use crate::calendar::Calendar;
use crate::categories::CategoryNames;
use crate::collection::{Collection, FilterTable, NO_SERIES, TermPostings};
use crate::error::BuildError;
use crate::facets::FacetTable;
use crate::fixed_words::is_child;
use crate::fold::{fold, pairs};
use crate::keyed::RanksBy;
use crate::positions::{Gazetteer, Location, Whereabouts};
use crate::postings::PostingList;
use crate::prefixes::Prefixes;
use crate::regions::AreaNames;
use crate::rendered::RenderedRecords;
use crate::schema::{Entry, View, minute_of};
use crate::sites::Sites;
use crate::text::{RecordStems, TextWriter};
use crate::tokens::says_free;
use crate::totals::TotalCache;
use crate::vocabulary::{ArchivedVocabularyIndex, AreaId, CategoryId, EVERYWHERE, ids};
use crate::words::Words;

/// Builds collections on one vocabulary.
pub(crate) struct Builder<'v> {
    pub(crate) vocabulary: &'v ArchivedVocabularyIndex,
    pub(crate) areas: &'v AreaNames,
    pub(crate) categories: &'v CategoryNames,
    pub(crate) hasher: &'v DefaultHashBuilder,
    pub(crate) gazetteer: &'v Arc<Gazetteer>,
    /// Where the places are at which events take place.
    pub(crate) venues: &'v Venues,
    /// The site with pages of records.
    pub(crate) pages: Option<&'v Pages>,
}

/// The site that has a page for each record of an area.
#[derive(Debug, Clone)]
pub struct Pages {
    /// Its address, without a slash at its end.
    pub site: String,
    /// The slug of the area.
    pub area: String,
}

/// Where the places are at which events take place.
#[derive(Default)]
pub(crate) struct Venues {
    /// By folded name, for events that name no place by its id.
    by_name: HashMap<String, Location>,
    by_id: HashMap<String, Location>,
}

/// A collection whose records were read: it needs them no more.
pub(crate) struct UnfinishedCollection {
    len: u32,
    rendered: RenderedRecords,
    gazetteer: Arc<Gazetteer>,
    by_id: Vec<u32>,
    primary: Vec<u64>,
    postings: PostingsBuilder,
    text: TextWriter,
    named: Vec<(u64, u32)>,
    name_pairs: HashSet<u64>,
    venues: Vec<(u64, u32)>,
    places: Vec<(u64, u32)>,
    nodes: Vec<(AreaId, CategoryId)>,
    sessions: Vec<(u32, u16)>,
    series: Vec<u32>,
    /// By view.
    locations: [Vec<Option<Location>>; 2],
    calendar: Option<Calendar>,
    facets: FacetTable,
    prefixes: Prefixes,
    hasher: DefaultHashBuilder,
}

impl Builder<'_> {
    /// Sorts the records into rank order and reads them. `render` adds a record's JSON.
    pub(crate) fn read<'r, R>(
        &self,
        records: &'r [R],
        render: impl Fn(&mut RenderedRecords, &R, Option<&Location>, Option<&str>),
    ) -> Result<UnfinishedCollection, BuildError>
    where
        Entry<'r>: From<&'r R>,
    {
        let len = u32::try_from(records.len()).map_err(|_| BuildError::TooLarge("records"))?;
        let mut order: Vec<(SortKey<'r>, &R)> =
            records.iter().map(|record| (SortKey::of(&Entry::from(record)), record)).collect();
        order.sort_by(|(left, _), (right, _)| left.cmp(right));

        // an unknown area has no pages
        let with_pages = self.pages.and_then(|pages| {
            let area = self.vocabulary.area_with_slug(&pages.area)?;
            Some((self.vocabulary.area_run(area), pages.site.as_str()))
        });
        let site =
            |area: AreaId| with_pages.as_ref().filter(|(run, _)| run.contains(&area)).map(|(_, site)| *site);
        let mut rendered = RenderedRecords::default();
        let mut postings = PostingsBuilder::new(self.vocabulary);
        let mut primary = Vec::with_capacity(order.len());
        let (mut named, mut venues, mut places) = (Vec::new(), Vec::new(), Vec::new());
        let (mut sessions, mut days) = (Vec::new(), Vec::new());
        let mut nodes = Vec::with_capacity(order.len());
        let mut locations = [Vec::with_capacity(order.len()), Vec::with_capacity(order.len())];
        let mut series = SeriesBuilder::default();
        let mut facets = FacetTable::default();
        let hash = |text: &str| self.hasher.hash_one(fold(text).as_str());
        let mut text = TextWriter::new(order.len())?;
        let mut name_pairs = HashSet::new();
        for (rank, (_, record)) in (0..).zip(&order) {
            let entry = &Entry::from(*record);
            let area = self.areas.find(entry.region, entry.neighbourhood);
            let area = area.ok_or_else(|| BuildError::UnknownName(entry.id.to_owned()))?;
            let location = self.location(entry, area);
            render(&mut rendered, record, location.as_ref(), site(area));
            locations[View::Basic as usize].push(self.gazetteer.area(area));
            locations[View::Full as usize].push(location);
            primary.push(entry.primary);
            for name in entry.names.iter().map(|name| fold(name)) {
                name_pairs.extend(pairs(&name).map(|pair| self.hasher.hash_one(pair)));
                named.push((self.hasher.hash_one(&*name), rank));
            }
            match entry.place {
                Some(place) => places.push((hash(place), rank)),
                None => {
                    let names = entry.venue.into_iter().flat_map(venue_names);
                    venues.extend(names.map(|name| (hash(name), rank)));
                }
            }
            sessions.extend(entry.sessions.iter().map(|session| (rank, minute_of(session.start_time))));
            days.extend(entry.days);
            nodes.push((area, self.add(rank, entry, area, &mut postings, &mut text, &mut facets)?));
            series.add(entry.series)?;
        }
        let mut by_id: Vec<u32> = (0..len).collect();
        by_id.sort_unstable_by_key(|rank| order[*rank as usize].0.id);
        Ok(UnfinishedCollection {
            len,
            rendered,
            gazetteer: Arc::clone(self.gazetteer),
            by_id,
            primary,
            postings,
            text,
            named,
            name_pairs,
            venues,
            places,
            nodes,
            sessions,
            series: series.finish(),
            locations,
            calendar: Calendar::new(days.into_iter())?,
            facets,
            prefixes: Prefixes::new(order.iter().map(|(_, record)| Entry::from(*record).names))?,
            hasher: self.hasher.clone(),
        })
    }

    /// Renders each record as [`Builder::read`] does, without an index.
    pub(crate) fn render_each<'r, R>(
        &self,
        records: &'r [R],
        render: impl Fn(&mut RenderedRecords, &R, Option<&Location>, Option<&str>),
        mut each: impl FnMut(&'r R, &[u8]),
    ) -> Result<(), BuildError>
    where
        Entry<'r>: From<&'r R>,
    {
        for record in records {
            let entry = Entry::from(record);
            let area = self.areas.find(entry.region, entry.neighbourhood);
            let area = area.ok_or_else(|| BuildError::UnknownName(entry.id.to_owned()))?;
            let mut rendered = RenderedRecords::default();
            render(&mut rendered, record, self.location(&entry, area).as_ref(), None);
            each(record, rendered.json(0, View::Full));
        }
        Ok(())
    }

    /// Where a record is, as the full view shows it.
    fn location(&self, entry: &Entry, area: AreaId) -> Option<Location> {
        let Venues { by_name, by_id } = self.venues;
        let place = match entry.place {
            Some(place) => by_id.get(place),
            None => entry.venue.filter(|_| !by_name.is_empty()).and_then(|venue| by_name.get(&fold(venue))),
        };
        let Entry { position, address, names, venue, .. } = entry;
        let whereabouts = Whereabouts {
            own: *position,
            address: *address,
            style: entry.open.first().copied(),
            names,
            place: place.copied(),
            venue: *venue,
            area,
        };
        self.gazetteer.record(self.vocabulary, &whereabouts)
    }

    /// Where the places are at which events take place.
    pub(crate) fn venues(&self, snapshot: &Snapshot) -> Venues {
        let mut venues = Venues::default();
        if self.gazetteer.is_empty() {
            return venues;
        }
        let (mut names, mut ids) = (HashSet::new(), HashSet::new());
        for event in &snapshot.events {
            match &event.place {
                Some(place) => drop(ids.insert(place.as_str())),
                None => names.extend(event.venue.as_deref().map(fold)),
            }
        }
        for place in &snapshot.places {
            let entry = Entry::from(place);
            let location = || {
                let area = self.areas.find(entry.region, entry.neighbourhood);
                area.and_then(|area| self.location(&entry, area))
            };
            for name in entry.names.iter().map(|name| fold(name)).filter(|name| names.contains(name)) {
                if let Some(location) = location() {
                    venues.by_name.entry(name).or_insert(location);
                }
            }
            if let Some(location) = ids.contains(entry.id).then(location).flatten() {
                venues.by_id.insert(entry.id.to_owned(), location);
            }
        }
        venues
    }

    /// Notes everything that one record is found by. Returns its main category.
    fn add(
        &self,
        rank: u32,
        entry: &Entry,
        area: AreaId,
        postings: &mut PostingsBuilder,
        text: &mut TextWriter,
        facets: &mut FacetTable,
    ) -> Result<CategoryId, BuildError> {
        let unknown = || BuildError::UnknownName(entry.id.to_owned());
        let areas = with_ancestors(area, |id| self.vocabulary.areas[usize::from(id)].parent.to_native());
        let parent = |id| self.vocabulary.categories[usize::from(id)].parent.to_native();
        let main =
            entry.categories.first().and_then(|slug| self.categories.get(*slug)).ok_or_else(unknown)?;
        let mut categories: Vec<CategoryId> = Vec::new();
        for slug in &entry.categories {
            let category = *self.categories.get(*slug).ok_or_else(unknown)?;
            categories.extend(with_ancestors(category, parent));
        }
        categories.sort_unstable();
        categories.dedup();
        postings.add_member(rank, &areas, &categories)?;
        facets.add(self.vocabulary, &areas, &categories)?;

        let wing = areas.iter().copied().find(|id| self.vocabulary.areas[usize::from(*id)].is_wing);
        // a part of a wing, such as its hotel sector, has no superquadras, so that a missing one says nothing there
        let wing = wing.map(|id| Wing { id, directly: id == area });
        let mut terms = TextTerms::default();
        let read = |sources: &mut dyn Iterator<Item = &str>, terms: &mut TextTerms| {
            sources.for_each(|source| terms.read(self.vocabulary, source));
            terms.stems.len()
        };
        let names = read(&mut entry.names.iter().copied(), &mut terms);
        let open = read(&mut entry.open.iter().copied(), &mut terms);
        postings.add_terms(rank, View::Basic, &terms, wing);
        postings.add_mentions(rank, View::Basic, &terms);
        let lineup = read(&mut entry.lineup.into_iter(), &mut terms);
        postings.add_mentions(rank, View::Full, &terms);
        read(&mut entry.address.into_iter(), &mut terms);
        postings.add_terms(rank, View::Full, &terms, wing);
        postings.add_price_and_time(rank, entry);
        let stems = &terms.stems;
        text.add(&RecordStems {
            names: &stems[..names],
            open: &stems[..open],
            lineup: &stems[open..lineup],
            address: &stems[lineup..],
        })?;
        Ok(*main)
    }
}

/// What records are sorted by.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct SortKey<'r> {
    primary: u64,
    folded_name: Box<str>,
    name: &'r str,
    id: &'r str,
}

impl<'r> SortKey<'r> {
    fn of(entry: &Entry<'r>) -> Self {
        let &Entry { primary, name, id, .. } = entry;
        Self { primary, folded_name: fold(name).into(), name, id }
    }
}

impl UnfinishedCollection {
    /// Indexes what was read.
    pub(crate) fn finish(self) -> Result<Collection, BuildError> {
        let Self { len, mut rendered, named, .. } = self;
        rendered.finish()?;
        let Postings { filters, terms, free, unpriced, by_hour, untimed } = self.postings.finish(len);
        Ok(Collection {
            rendered,
            len,
            by_id: self.by_id,
            primary: self.primary,
            filters,
            terms,
            names: named.iter().map(|(hash, _)| *hash).collect::<HashSet<_>>(),
            name_pairs: self.name_pairs,
            by_name: RanksBy::new(named),
            by_venue: RanksBy::new(self.venues),
            by_place: RanksBy::new(self.places),
            nodes: self.nodes,
            hasher: self.hasher,
            text: self.text.finish()?,
            free,
            unpriced,
            by_hour,
            sessions: self.sessions,
            untimed,
            series_lengths: lengths(&self.series),
            series: self.series,
            gazetteer: self.gazetteer,
            sites: self.locations.map(|locations| Sites::new(&locations)),
            calendar: self.calendar,
            totals: TotalCache::default(),
            facets: self.facets.finish()?,
            prefixes: self.prefixes,
        })
    }
}

/// A node of a tree and all that contain it.
fn with_ancestors(id: u16, parent: impl Fn(u16) -> u16) -> Vec<u16> {
    std::iter::successors(Some(id), |id| Some(parent(*id)).filter(|parent| parent != id)).collect()
}

/// What a venue may be called: all of it, or what stands before its first comma ("Parque da Cidade, estacionamento 5").
fn venue_names(venue: &str) -> impl Iterator<Item = &str> {
    let building = venue.split_once(',').map(|(building, _)| building);
    std::iter::once(venue).chain(building)
}

/// The wing that a record is in.
#[derive(Clone, Copy)]
struct Wing {
    id: AreaId,
    /// In none of the wing's own parts.
    directly: bool,
}

/// What the vocabulary knows of a record's own text.
#[derive(Default)]
struct TextTerms {
    /// All stems, each followed by a space.
    stems: String,
    areas: Vec<AreaId>,
    categories: Vec<CategoryId>,
    /// Those of which a label was read.
    labels: Vec<CategoryId>,
    /// The terms of categories.
    mentions: Vec<String>,
    quadras: Vec<u16>,
    groups: Vec<u32>,
}

impl TextTerms {
    fn read(&mut self, vocabulary: &ArchivedVocabularyIndex, text: &str) {
        let words = Words::new(text);
        self.stems.push_str(words.whole());
        self.stems.push(' ');
        for at in 0..words.len() {
            self.quadras.extend(words.quadra(at));
            self.read_synonyms(vocabulary, &words, at);
            let Some(word) = vocabulary.words.get(words.stem(at)) else { continue };
            let longest = usize::from(word.longest_phrase).min(words.len() - at);
            for to in at + 1..=at + longest {
                let Some(meaning) = vocabulary.phrases.get(words.phrase(at, to)) else { continue };
                // abbreviations of two letters are too likely to mean something else
                if (to - at > 1 || words.raw(at).len() > 2) && words.may_name_areas(meaning, at, to) {
                    let areas = ids(&meaning.areas);
                    self.areas.extend(areas.filter(|id| *id != EVERYWHERE));
                }
                // so are misspellings and words of addresses
                if !meaning.literal {
                    let categories = meaning.filter_categories.iter().chain(meaning.text_categories.iter());
                    let categories = categories.map(|id| id.to_native());
                    if meaning.label {
                        self.labels.extend(categories.clone());
                    }
                    if !meaning.text_categories.is_empty() {
                        self.mentions.push(words.phrase(at, to).to_owned());
                    }
                    // nor is the sanctuary of the "Menino Jesus" for children
                    if to - at > 1 || !is_child(words.raw(at)) {
                        self.categories.extend(categories);
                    }
                }
            }
        }
    }

    fn read_synonyms(&mut self, vocabulary: &ArchivedVocabularyIndex, words: &Words, at: usize) {
        let Some(longest) = vocabulary.synonyms.longest.get(words.stem(at)) else { return };
        let longest = usize::from(*longest).min(words.len() - at);
        let phrases = (at + 1..=at + longest).map(|to| words.phrase(at, to));
        self.groups.extend(
            phrases
                .filter_map(|phrase| vocabulary.synonyms.phrases.get(phrase))
                .map(|group| group.to_native()),
        );
    }
}

/// The lists of a collection while records are added in rank order.
struct PostingsBuilder {
    columns: usize,
    /// Which of `members` each (area, category) pair has; list 0 stays empty.
    slots: Vec<u32>,
    members: Vec<Vec<u32>>,
    terms: [TermPostings<Vec<u32>>; 2],
    free: Vec<u32>,
    unpriced: Vec<u32>,
    by_hour: Vec<Vec<u32>>,
    untimed: Vec<u32>,
}

/// What [`PostingsBuilder`] built.
struct Postings {
    filters: FilterTable,
    terms: [TermPostings; 2],
    free: PostingList,
    unpriced: PostingList,
    by_hour: Vec<PostingList>,
    untimed: PostingList,
}

/// Hours of a day.
const HOURS: usize = 24;

/// Numbers the series of events.
#[derive(Default)]
struct SeriesBuilder<'r> {
    numbers: HashMap<&'r str, u32>,
    by_rank: Vec<u32>,
}

impl<'r> SeriesBuilder<'r> {
    fn add(&mut self, series: Option<&'r str>) -> Result<(), BuildError> {
        let next = u32::try_from(self.numbers.len()).map_err(|_| BuildError::TooLarge("series"))?;
        self.by_rank.push(series.map_or(NO_SERIES, |series| *self.numbers.entry(series).or_insert(next)));
        Ok(())
    }

    /// The numbers by rank; none when no record has a series.
    fn finish(self) -> Vec<u32> {
        if self.numbers.is_empty() { Vec::new() } else { self.by_rank }
    }
}

/// How many records each series has, by its number.
fn lengths(series: &[u32]) -> Vec<u32> {
    let numbered = || series.iter().filter(|series| **series != NO_SERIES);
    let mut lengths = vec![0; numbered().max().map_or(0, |last| *last as usize + 1)];
    numbered().for_each(|series| lengths[*series as usize] += 1);
    lengths
}

/// Adds a rank unless it is there: ranks come in order, so a duplicate would be the last.
fn push_once(ranks: &mut Vec<u32>, rank: u32) {
    if ranks.last() != Some(&rank) {
        ranks.push(rank);
    }
}

impl PostingsBuilder {
    fn new(vocabulary: &ArchivedVocabularyIndex) -> Self {
        let (areas, categories) = (vocabulary.areas.len(), vocabulary.categories.len());
        let terms = || TermPostings {
            areas: vec![Vec::new(); areas],
            categories: vec![Vec::new(); categories],
            named_categories: vec![Vec::new(); categories],
            groups: vec![Vec::new(); vocabulary.groups.to_native() as usize],
            ..TermPostings::default()
        };
        let columns = categories + 1;
        Self {
            columns,
            slots: vec![0; areas * columns],
            members: vec![Vec::new()],
            terms: [terms(), terms()],
            free: Vec::new(),
            unpriced: Vec::new(),
            by_hour: vec![Vec::new(); HOURS],
            untimed: Vec::new(),
        }
    }

    fn add_price_and_time(&mut self, rank: u32, entry: &Entry) {
        match entry.price {
            _ if entry.is_free => self.free.push(rank),
            Some(price) if says_free(&Words::new(price).tokens()) => self.free.push(rank),
            Some(_) => {}
            None => self.unpriced.push(rank),
        }
        if entry.minute.is_none() && entry.days.is_some() {
            self.untimed.push(rank);
        }
        let sessions = entry.sessions.iter().map(|session| minute_of(session.start_time));
        for minute in entry.minute.into_iter().chain(sessions) {
            push_once(&mut self.by_hour[usize::from(minute / 60).min(HOURS - 1)], rank);
        }
    }

    fn add_member(
        &mut self,
        rank: u32,
        areas: &[AreaId],
        categories: &[CategoryId],
    ) -> Result<(), BuildError> {
        for area in areas {
            for category in std::iter::once(None).chain(categories.iter().copied().map(Some)) {
                let slot = &mut self.slots[FilterTable::slot(self.columns, *area, category)];
                if *slot == 0 {
                    *slot = u32::try_from(self.members.len())
                        .map_err(|_| BuildError::TooLarge("areas and categories with records"))?;
                    self.members.push(Vec::new());
                }
                self.members[*slot as usize].push(rank);
            }
        }
        for terms in &mut self.terms {
            areas.iter().for_each(|area| push_once(&mut terms.areas[usize::from(*area)], rank));
            for id in categories {
                push_once(&mut terms.categories[usize::from(*id)], rank);
                push_once(&mut terms.named_categories[usize::from(*id)], rank);
            }
        }
        Ok(())
    }

    /// Notes the terms of categories that were read before the address.
    fn add_mentions(&mut self, rank: u32, view: View, found: &TextTerms) {
        let terms = &mut self.terms[view as usize];
        found.labels.iter().for_each(|id| push_once(&mut terms.named_categories[usize::from(*id)], rank));
        for term in &found.mentions {
            match terms.mentions.get_mut(term) {
                Some(ranks) => push_once(ranks, rank),
                None => drop(terms.mentions.insert(term.clone(), vec![rank])),
            }
        }
    }

    fn add_terms(&mut self, rank: u32, view: View, found: &TextTerms, wing: Option<Wing>) {
        let terms = &mut self.terms[view as usize];
        found.areas.iter().for_each(|area| push_once(&mut terms.areas[usize::from(*area)], rank));
        found.categories.iter().for_each(|id| push_once(&mut terms.categories[usize::from(*id)], rank));
        found.groups.iter().for_each(|group| push_once(&mut terms.groups[*group as usize], rank));
        let Some(wing) = wing else { return };
        if found.quadras.is_empty() && wing.directly {
            push_once(terms.without_quadra.entry(wing.id).or_default(), rank);
        }
        for number in &found.quadras {
            push_once(terms.quadras.entry((wing.id, *number)).or_default(), rank);
        }
    }

    fn finish(self, len: u32) -> Postings {
        let list = |ranks| PostingList::new(ranks, len);
        let lists = |all: Vec<Vec<u32>>| all.into_iter().map(list).collect();
        let filters = FilterTable { columns: self.columns, slots: self.slots, lists: lists(self.members) };
        let terms = self.terms.map(|terms| TermPostings {
            areas: lists(terms.areas),
            categories: lists(terms.categories),
            named_categories: lists(terms.named_categories),
            mentions: terms.mentions.into_iter().map(|(term, ranks)| (term, list(ranks))).collect(),
            quadras: terms.quadras.into_iter().map(|(key, ranks)| (key, list(ranks))).collect(),
            without_quadra: terms.without_quadra.into_iter().map(|(key, ranks)| (key, list(ranks))).collect(),
            groups: lists(terms.groups),
        });
        let (free, unpriced) = (list(self.free), list(self.unpriced));
        let (by_hour, untimed) = (lists(self.by_hour), list(self.untimed));
        Postings { filters, terms, free, unpriced, by_hour, untimed }
    }
}
