//! All records of one kind in rank order, with every index to find them by. A record's rank is its tantivy document id:
//! there is one segment, filled in order, so that the first matches are the answer.

use std::borrow::Cow;
use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;

use chrono::NaiveDate;
use hashbrown::{DefaultHashBuilder, HashMap, HashSet};

use crate::grammar::dates::{Hours, Window};
use crate::grammar::fold::{fold, pairs};
use crate::records::bits::Bits;
use crate::records::calendar::Calendar;
use crate::records::facets::FacetTable;
use crate::records::keyed::RanksBy;
use crate::records::positions::{Anchor, Gazetteer};
use crate::records::postings::{Cursors, PostingCursor, PostingList, Set, count};
use crate::records::prefixes::{Prefixes, Suggested};
use crate::records::rendered::RenderedRecords;
use crate::records::schema::{View, day_of};
use crate::records::sites::Sites;
use crate::records::text::TextIndex;
use crate::records::totals::TotalCache;
use crate::vocabulary::EVERYWHERE;
use crate::vocabulary::node_ids::{AreaId, CategoryId};
use crate::vocabulary::words::Words;

/// All records of one kind, searchable.
pub struct Collection {
    /// The rendered records, by rank.
    pub rendered: RenderedRecords,
    pub(crate) len: u32,
    /// Ranks sorted by record id.
    pub(crate) by_id: Vec<u32>,
    /// The first sort key, by rank.
    pub(crate) primary: Vec<u64>,
    /// The answers to every query of filters alone.
    pub(crate) filters: FilterTable,
    /// Matches of the vocabulary's terms in free text, by view.
    pub(crate) terms: [TermPostings; 2],
    /// Hashes of the folded names and aliases.
    pub(crate) names: HashSet<u64>,
    /// Ranks by those hashes.
    pub(crate) by_name: RanksBy<u64>,
    /// Hashes of each two words that stand side by side in a folded name or alias.
    pub(crate) name_pairs: HashSet<u64>,
    /// Events by the hash of their folded venue, while a guide is built: those that do not name a place by its id.
    pub(crate) by_venue: RanksBy<u64>,
    /// Events by the hash of the id of their place, while a guide is built.
    pub(crate) by_place: RanksBy<u64>,
    /// The narrowest area and the main category of each record, by rank.
    pub(crate) nodes: Vec<(AreaId, CategoryId)>,
    pub(crate) hasher: DefaultHashBuilder,
    pub(crate) text: TextIndex,
    /// Records of which the curator or their price says that nothing is to be paid.
    pub(crate) free: PostingList,
    /// Records of which nothing is known about the price.
    pub(crate) unpriced: PostingList,
    /// Events by the hours in which they start.
    pub(crate) by_hour: Vec<PostingList>,
    /// Ranks of the events with several sessions, each with the minute at which one of them starts, in order.
    pub(crate) sessions: Vec<(u32, u16)>,
    /// Events without a time.
    pub(crate) untimed: PostingList,
    /// The number of each record's series, by rank; empty when no record has one.
    pub(crate) series: Vec<u32>,
    /// How many events each series has, by its number.
    pub(crate) series_lengths: Vec<u32>,
    /// Where addresses and areas are.
    pub(crate) gazetteer: Arc<Gazetteer>,
    /// Where the records are, by view.
    pub(crate) sites: [Sites; 2],
    /// Events only.
    pub(crate) calendar: Option<Calendar>,
    pub(crate) totals: TotalCache,
    pub(crate) facets: FacetTable,
    /// The names and aliases, for what is being typed.
    pub(crate) prefixes: Prefixes,
}

/// A word that more records have tells little of a name.
pub(crate) const MOST_RECORDS: usize = 512;

/// The series of an event that is not repeated.
pub(crate) const NO_SERIES: u32 = u32::MAX;

/// The records of each (area, category) pair, descendants of both included.
pub(crate) struct FilterTable {
    /// One for all categories together, and one for each.
    pub(crate) columns: usize,
    /// Which of `lists` each pair has; most pairs have no record and share list 0, which is empty.
    pub(crate) slots: Vec<u32>,
    pub(crate) lists: Vec<PostingList>,
}

impl FilterTable {
    pub(crate) fn slot(columns: usize, area: AreaId, category: Option<CategoryId>) -> usize {
        usize::from(area) * columns + category.map_or(0, |id| usize::from(id) + 1)
    }
}

/// The records that match a term of the vocabulary in free text: those in the area or category, and those whose own
/// text names it.
#[derive(Default)]
pub(crate) struct TermPostings<L = PostingList> {
    pub(crate) areas: Vec<L>,
    pub(crate) categories: Vec<L>,
    /// Of those, the members and the records with a label of the category as a name, style, venue or line-up.
    pub(crate) named_categories: Vec<L>,
    /// Records with a term of categories as a name, style, venue or line-up, by the term.
    pub(crate) mentions: HashMap<String, L>,
    /// Records in a wing whose text gives this superquadra.
    pub(crate) quadras: HashMap<(AreaId, u16), L>,
    /// Records in a wing whose text gives no superquadra.
    pub(crate) without_quadra: HashMap<AreaId, L>,
    /// Records whose text has a phrase of a group of synonyms.
    pub(crate) groups: Vec<L>,
}

impl Collection {
    /// How many records there are.
    pub fn len(&self) -> u32 {
        self.len
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The rank of the record with this id.
    pub fn find(&self, id: &str) -> Option<u32> {
        let at = self.by_id.binary_search_by(|rank| self.rendered.id(*rank).cmp(id)).ok()?;
        Some(self.by_id[at])
    }

    /// At most `limit` of the records that `accept` accepts with a name or alias that begins with the folded text, then
    /// of those with a further word that does.
    pub fn suggest(&self, folded: &str, limit: usize, accept: impl FnMut(u32) -> bool) -> Suggested {
        self.prefixes.find(folded, limit, accept)
    }

    /// The same of events, each series once: by the first of its events that `accept` accepts.
    pub fn suggest_series(
        &self,
        folded: &str,
        limit: usize,
        mut accept: impl FnMut(u32) -> bool,
    ) -> Suggested {
        let mut suggested = Suggested::new();
        self.suggest(folded, limit, |rank| {
            let series = self.series(rank);
            let accepted = series.is_none_or(|series| !suggested.contains(&series)) && accept(rank);
            suggested.extend(series.filter(|_| accepted));
            accepted
        })
    }

    /// The ranks of an area's records of a category, or of all categories.
    pub fn filtered(&self, area: AreaId, category: Option<CategoryId>) -> &[u32] {
        self.members(area, category)
    }

    /// The ranks of the records in an area, and of those whose text names it where the view shows that, as a search for
    /// its name alone finds them.
    pub fn naming_area(&self, view: View, area: AreaId) -> &[u32] {
        &self.terms[view as usize].areas[usize::from(area)]
    }

    pub(crate) fn members(&self, area: AreaId, category: Option<CategoryId>) -> &PostingList {
        let FilterTable { columns, slots, lists } = &self.filters;
        &lists[slots[FilterTable::slot(*columns, area, category)] as usize]
    }

    /// Whether the record at `rank` is in the area.
    pub fn is_in_area(&self, rank: u32, area: AreaId) -> bool {
        area == EVERYWHERE || self.filtered(area, None).binary_search(&rank).is_ok()
    }

    /// Whether one of the records of a list is in the area or one inside it.
    pub(crate) fn has_any_in(&self, list: &PostingCursor<'_>, area: AreaId) -> bool {
        list.ranks().iter().any(|rank| self.is_in_area(*rank, area))
    }

    /// How many events of the area and category take place in the window; 0 for places.
    pub fn count_events(&self, window: Window, area: AreaId, category: Option<CategoryId>) -> u32 {
        let Some(calendar) = &self.calendar else { return 0 };
        count(&mut [Set::List(self.members(area, category).into())], calendar.range(window))
    }

    /// The events of the area and category that take place in the window, in order; none for places.
    pub fn events_in(&self, window: Window, area: AreaId, category: Option<CategoryId>) -> Vec<u32> {
        let Some(calendar) = &self.calendar else { return Vec::new() };
        let (range, members) = (calendar.range(window), self.filtered(area, category));
        let early = range.early.iter().copied().filter(|rank| members.binary_search(rank).is_ok());
        let from = members.partition_point(|rank| *rank < range.from);
        let later = members[from..].iter().copied().take_while(|rank| *rank < range.to);
        early.chain(later).collect()
    }

    /// The sort key of a record: see [`crate::search::Cursor`].
    pub(crate) fn sort_key(&self, rank: u32) -> (u64, Cow<'_, str>, &str) {
        let (id, name) = self.rendered.id_and_name(rank);
        (self.primary[rank as usize], name, id)
    }

    /// The first rank whose sort key is greater than this one.
    pub(crate) fn rank_after(&self, primary: u64, name: &str, id: &str) -> u32 {
        let folded = fold(name);
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            let (its_primary, its_name, its_id) = self.sort_key(middle);
            let its_folded = self.folded_name(middle);
            if (its_primary, its_folded, &*its_name, its_id) <= (primary, folded.as_str(), name, id) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// The records whose text has a phrase of the group.
    pub(crate) fn synonyms(&self, view: View, group: u32) -> Option<PostingCursor<'_>> {
        let list = &self.terms[view as usize].groups[group as usize];
        (!list.is_empty()).then(|| list.into())
    }

    /// Of these events, those that start in these hours, and those without a time.
    pub(crate) fn starting_in(&self, events: &Bits, hours: Hours) -> Bits {
        const HOUR: u16 = 60;
        let is_cut = |hour: u16| {
            let cuts = |minute: u16| minute / HOUR == hour && !minute.is_multiple_of(HOUR);
            cuts(hours.from) || cuts(hours.to)
        };
        let by_hour = || (0u16..).zip(&self.by_hour);
        let whole = by_hour().filter(|(hour, _)| !is_cut(*hour) && hours.contains(hour * HOUR));
        let lists: Cursors =
            std::iter::once(&self.untimed).chain(whole.map(|(_, list)| list)).map(Into::into).collect();
        let mut found = events.and_any(&lists);
        let starts = |rank: &&u32| {
            self.minute(**rank).is_some_and(|minute| hours.contains(minute))
                || self.session_starts(**rank).any(|minute| hours.contains(minute))
        };
        for (_, list) in by_hour().filter(|(hour, _)| is_cut(*hour)) {
            let ranks = list.iter().filter(|rank| events.has(**rank)).filter(starts);
            ranks.for_each(|rank| found.insert(*rank));
        }
        found
    }

    /// The records that the view shows within `reach` metres of a point.
    pub(crate) fn circle(&self, view: View, from: Anchor, reach: u32) -> Bits {
        self.sites[view as usize].circle(self.len, from, reach)
    }

    /// The minutes at which the sessions of the event at `rank` start, if there are several.
    fn session_starts(&self, rank: u32) -> impl Iterator<Item = u16> {
        let from = self.sessions.partition_point(|(known, _)| *known < rank);
        let own = self.sessions[from..].iter().take_while(move |(known, _)| *known == rank);
        own.map(|(_, minute)| *minute)
    }

    /// The minute of the day at which the event at `rank` (first) starts.
    pub fn minute(&self, rank: u32) -> Option<u16> {
        u16::try_from(self.primary[rank as usize] & 0xFFFF).ok().filter(|minute| *minute != u16::MAX)
    }

    /// Whether the event at `rank`, or one of its sessions, starts at this minute of the day or later.
    pub fn starts_from(&self, rank: u32, minute: u16) -> bool {
        self.minute(rank).into_iter().chain(self.session_starts(rank)).any(|start| start >= minute)
    }

    /// The first day of the event at `rank`.
    pub fn first_day(&self, rank: u32) -> Option<NaiveDate> {
        day_of(self.primary[rank as usize])
    }

    /// The last day on which an event takes place.
    pub fn last_day(&self) -> Option<NaiveDate> {
        let always = Window { from: NaiveDate::MIN, to: NaiveDate::MAX };
        self.calendar.as_ref()?.clip(always).map(|days| days.to)
    }

    /// The number of the series of the event at `rank`.
    pub fn series(&self, rank: u32) -> Option<u32> {
        self.series.get(rank as usize).copied().filter(|series| *series != NO_SERIES)
    }

    /// How many events the series of the event at `rank` has; 1 for one that is not repeated.
    pub(crate) fn series_length(&self, rank: u32) -> u32 {
        self.series(rank).map_or(1, |series| self.series_lengths[series as usize])
    }

    /// A hasher whose hashes are not to be foreseen.
    pub(crate) fn hasher(&self) -> impl Hasher + use<> {
        self.hasher.build_hasher()
    }

    /// Whether a name or alias has these two folded words side by side.
    pub(crate) fn is_in_a_name(&self, pair: &str) -> bool {
        self.name_pairs.contains(&self.hasher.hash_one(pair))
    }

    /// Whether the folded text is the whole name of a record.
    pub(crate) fn is_name(&self, folded: &str) -> bool {
        self.names.contains(&self.hasher.hash_one(folded))
    }

    /// What is kept of this collection, of something kept of the places and of the events.
    pub(crate) fn own<'k, T>(&self, [of_places, of_events]: &'k [T; 2]) -> &'k T {
        if self.calendar.is_some() { of_events } else { of_places }
    }

    /// The folded name of the record at `rank`.
    pub(crate) fn folded_name(&self, rank: u32) -> &str {
        self.prefixes.first_name(rank)
    }

    /// The records whose name begins with the folded words and goes on, in rank order: "Beirute" for "Beirute Asa Sul".
    /// None when very many do.
    pub(crate) fn beginning_with(&self, words: &str) -> Vec<u32> {
        // most runs of words stand in no name
        let may_begin = pairs(words).all(|pair| self.is_in_a_name(pair));
        if may_begin { self.prefixes.beginning_with(words, MOST_RECORDS) } else { Vec::new() }
    }

    pub(crate) fn area_matches(&self, view: View, area: AreaId) -> PostingCursor<'_> {
        (&self.terms[view as usize].areas[usize::from(area)]).into()
    }

    pub(crate) fn category_matches(&self, view: View, category: CategoryId) -> PostingCursor<'_> {
        (&self.terms[view as usize].categories[usize::from(category)]).into()
    }

    /// The members of a category, and the records that name it by its label, but not in an address.
    pub(crate) fn named_category(&self, view: View, category: CategoryId) -> PostingCursor<'_> {
        (&self.terms[view as usize].named_categories[usize::from(category)]).into()
    }

    /// The records that have this term of categories, but not in an address.
    pub(crate) fn mentions(&self, view: View, term: &str) -> Option<PostingCursor<'_>> {
        self.terms[view as usize].mentions.get(term).map(PostingCursor::from)
    }

    pub(crate) fn quadra(&self, view: View, wing: AreaId, number: u16) -> Option<PostingCursor<'_>> {
        self.terms[view as usize].quadras.get(&(wing, number)).map(PostingCursor::from)
    }

    pub(crate) fn without_quadra(&self, view: View, wing: AreaId) -> Option<PostingCursor<'_>> {
        self.terms[view as usize].without_quadra.get(&wing).map(PostingCursor::from)
    }

    /// The word that a record spells with this stem, since a stem itself is not fit to be shown.
    pub(crate) fn spelling(&self, view: View, stem: &str) -> Option<String> {
        let json = self.rendered.json(self.text.word(view, stem)?.rank(), view);
        let words = Words::new(std::str::from_utf8(json).ok()?);
        (0..words.len()).find(|at| words.stem(*at) == stem).map(|at| words.raw(at).to_owned())
    }
}
