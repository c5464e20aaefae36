//! Builds a collection: sorts the records, renders them and notes everything that each is found by.

use std::sync::Arc;

use hashbrown::{DefaultHashBuilder, HashMap, HashSet};

use crate::error::BuildError;
use crate::grammar::fold::fold;
use crate::records::calendar::Calendar;
use crate::records::collection::{Collection, FilterTable, NO_SERIES, TermPostings};
use crate::records::facets::FacetTable;
use crate::records::keyed::RanksBy;
use crate::records::positions::{Gazetteer, Location};
use crate::records::postings::PostingList;
use crate::records::prefixes::Prefixes;
use crate::records::record_reader::{FactsBySeries, RecordFacts, RecordReader, TextTerms, Texts, Wing};
use crate::records::rendered::RenderedRecords;
use crate::records::schema::{Entry, View, minute_of};
use crate::records::sites::Sites;
use crate::records::text::TextWriter;
use crate::records::totals::TotalCache;
use crate::vocabulary::ArchivedVocabularyIndex;
use crate::vocabulary::node_ids::{AreaId, CategoryId};

/// Builds collections on one vocabulary.
pub(crate) struct Builder<'v> {
    pub(crate) reader: RecordReader<'v>,
    /// The site with pages of records.
    pub(crate) pages: Option<&'v SitePages>,
}

/// The site that has a page for each record of an area.
#[derive(Debug, Clone)]
pub struct SitePages {
    /// Its address, without a slash at its end.
    pub site: String,
    /// The slug of the area.
    pub area: String,
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

        let vocabulary = self.reader.vocabulary;
        // an unknown area has no pages
        let with_pages = self.pages.and_then(|pages| {
            let area = vocabulary.area_with_slug(&pages.area)?;
            Some((vocabulary.area_run(area), pages.site.as_str()))
        });
        let site =
            |area: AreaId| with_pages.as_ref().filter(|(run, _)| run.contains(&area)).map(|(_, site)| *site);
        let mut read = UnfinishedCollection::with_capacity(&self.reader, len)?;
        let mut days = Vec::new();
        let mut series = SeriesBuilder::default();
        let mut by_series = FactsBySeries::default();
        for (rank, (_, record)) in (0..).zip(&order) {
            let entry = Entry::from(*record);
            let facts = by_series.facts(&self.reader, &entry)?;
            render(&mut read.rendered, record, facts.location.as_ref(), site(facts.area));
            read.add(rank, &entry, &facts, vocabulary)?;
            days.extend(entry.days);
            series.add(entry.series)?;
        }
        read.by_id = (0..len).collect();
        read.by_id.sort_unstable_by_key(|rank| order[*rank as usize].0.id);
        read.series = series.finish();
        read.calendar = Calendar::new(days.into_iter())?;
        read.prefixes = Prefixes::new(order.iter().map(|(_, record)| Entry::from(*record).content.names))?;
        Ok(read)
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
            let location = self.reader.locate(&entry)?;
            let mut rendered = RenderedRecords::default();
            render(&mut rendered, record, location.as_ref(), None);
            each(record, rendered.json(0, View::Full));
        }
        Ok(())
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
    /// One for `len` records, of which none is added.
    fn with_capacity(reader: &RecordReader<'_>, len: u32) -> Result<Self, BuildError> {
        let records = len as usize;
        Ok(Self {
            len,
            rendered: RenderedRecords::default(),
            gazetteer: Arc::clone(reader.gazetteer),
            by_id: Vec::new(),
            primary: Vec::with_capacity(records),
            postings: PostingsBuilder::new(reader.vocabulary),
            text: TextWriter::new(records)?,
            named: Vec::new(),
            name_pairs: HashSet::new(),
            venues: Vec::new(),
            places: Vec::new(),
            nodes: Vec::with_capacity(records),
            sessions: Vec::new(),
            series: Vec::new(),
            locations: [Vec::with_capacity(records), Vec::with_capacity(records)],
            calendar: None,
            facets: FacetTable::default(),
            prefixes: Prefixes::default(),
            hasher: reader.hasher.clone(),
        })
    }

    /// Notes what the next record is found by.
    fn add(
        &mut self,
        rank: u32,
        entry: &Entry<'_>,
        facts: &RecordFacts,
        vocabulary: &ArchivedVocabularyIndex,
    ) -> Result<(), BuildError> {
        self.locations[View::Basic as usize].push(facts.area_location);
        self.locations[View::Full as usize].push(facts.location);
        self.primary.push(entry.primary);
        self.named.extend(facts.names.iter().map(|name| (*name, rank)));
        self.name_pairs.extend(&facts.name_pairs);
        self.venues.extend(facts.venues.iter().map(|venue| (*venue, rank)));
        self.places.extend(facts.place.map(|place| (place, rank)));
        self.sessions.extend(entry.sessions.iter().map(|session| (rank, minute_of(session.start_time))));
        self.nodes.push((facts.area, facts.main_category));
        self.postings.add(rank, entry, facts)?;
        self.facets.add(vocabulary, &facts.areas, &facts.categories)?;
        self.text.add(&facts.texts)?;
        Ok(())
    }

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

    /// Notes a record in every list that it belongs to.
    fn add(&mut self, rank: u32, entry: &Entry, facts: &RecordFacts) -> Result<(), BuildError> {
        self.add_member(rank, &facts.areas, &facts.categories)?;
        let Texts { names, open, lineup, address } = &facts.texts;
        self.add_terms(rank, View::Basic, &[names, open], facts.wing);
        self.add_terms(rank, View::Full, &[names, open, lineup, address], facts.wing);
        // an address says where a record is, not what it is
        self.add_mentions(rank, View::Basic, &[names, open]);
        self.add_mentions(rank, View::Full, &[names, open, lineup]);
        if facts.is_free {
            self.free.push(rank);
        } else if !facts.has_price {
            self.unpriced.push(rank);
        }
        if entry.minute.is_none() && entry.days.is_some() {
            self.untimed.push(rank);
        }
        let sessions = entry.sessions.iter().map(|session| minute_of(session.start_time));
        for minute in entry.minute.into_iter().chain(sessions) {
            push_once(&mut self.by_hour[usize::from(minute / 60).min(HOURS - 1)], rank);
        }
        Ok(())
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

    /// Notes the categories that texts name.
    fn add_mentions(&mut self, rank: u32, view: View, texts: &[&TextTerms]) {
        let terms = &mut self.terms[view as usize];
        for text in texts {
            text.labels.iter().for_each(|id| push_once(&mut terms.named_categories[usize::from(*id)], rank));
            for term in &text.mentions {
                match terms.mentions.get_mut(term) {
                    Some(ranks) => push_once(ranks, rank),
                    None => drop(terms.mentions.insert(term.clone(), vec![rank])),
                }
            }
        }
    }

    /// Notes everything else that texts name.
    fn add_terms(&mut self, rank: u32, view: View, texts: &[&TextTerms], wing: Option<Wing>) {
        let terms = &mut self.terms[view as usize];
        for text in texts {
            text.areas.iter().for_each(|area| push_once(&mut terms.areas[usize::from(*area)], rank));
            text.categories.iter().for_each(|id| push_once(&mut terms.categories[usize::from(*id)], rank));
            text.groups.iter().for_each(|group| push_once(&mut terms.groups[*group as usize], rank));
        }
        let Some(wing) = wing else { return };
        let mut quadras = texts.iter().flat_map(|text| &text.quadras).peekable();
        if quadras.peek().is_none() && wing.directly {
            push_once(terms.without_quadra.entry(wing.id).or_default(), rank);
        }
        for number in quadras {
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
