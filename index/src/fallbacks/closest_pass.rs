//! The closest pass over one reading of a question: its subject, its wishes in their order, and the records that meet
//! most of them.

use std::cmp::Reverse;
use std::ops::Range;
use std::rc::Rc;

use smallvec::SmallVec;

use crate::fallbacks::candidates::{Candidates, ClauseRecords};
use crate::fallbacks::subject::{Choice, Subject};
use crate::fallbacks::tiers::{Condition, Tiers, tiers};
use crate::grammar::common_words::is_common;
use crate::grammar::dates::{Hours, Window};
use crate::grammar::hints::Hint;
use crate::question::clauses::{Clause, ClauseKind, Term};
use crate::records::bits::Bits;
use crate::records::positions::Point;
use crate::records::postings::{Cursors, PostingCursor};
use crate::search::narrowed::{Narrowed, Wanted};
use crate::search::page::{Closest, FURTHER, Page};
use crate::search::{Search, Without};
use crate::vocabulary::node_ids::AreaId;
use crate::vocabulary::{AreaIds, CategoryIds, EVERYWHERE};

/// A wish of the question, with the records that meet it.
struct Wish<'s> {
    kind: WishKind,
    records: Rc<Wanted<'s>>,
    /// Whether only records that meet the wish before it do.
    is_within: bool,
    /// Its bit in [`Closest::met`]. It depends on the question alone, so that a cursor means the same after a
    /// publication; 0 where there are more wishes than bits.
    bit: u64,
}

impl<'s> Wish<'s> {
    fn new(kind: WishKind, bit: u64, records: impl Into<Rc<Wanted<'s>>>) -> Self {
        Self { kind, records: records.into(), is_within: false, bit }
    }
}

/// What a wish asks for.
enum WishKind {
    /// The days that the text names.
    Days,
    /// The hours that the text names.
    Hours(Hours),
    /// Areas around those that the text names.
    Around(AreaIds),
    /// A clause of the text.
    Clause(usize),
    /// A word of a phrase that no record has whole: "arte" of "arte moderno".
    Word,
    /// To be a member of the category of the subject, or to have the words of a category, beside those that only have
    /// its label.
    Member,
}

/// The closest pass over one reading of a question.
pub(crate) struct ClosestPass<'x, 's, 'a> {
    search: &'x Search<'s, 'a>,
    /// The records that have the subject of the question, on the days that may be searched.
    base: Bits,
    /// The days that were searched instead of those of the text.
    moved_to: Option<Window>,
    /// The most essential first.
    wishes: Vec<Wish<'s>>,
    /// Clauses that no record of the filters meets.
    unmet: Vec<usize>,
    /// The clause that is the subject.
    subject: Option<usize>,
}

/// Of a longer question, as many clauses are weighed beside the areas that it names.
const MAX_WEIGHED: usize = 8;

/// What there is of a wider category in an area that was let go is told when it is no more than this.
const MOST_THERE: u32 = 10;

/// More wishes than this are let go unseen.
const MAX_WISHES: usize = 20;

/// The bits of [`Closest::met`]: those of the days and the hours that the text names, and those of its clauses, of the
/// areas around each of its areas, of the words of phrases, and of members, each by its place among its like.
const OF_DAYS: u64 = 1;
const OF_HOURS: u64 = 1 << 1;
const OF_CLAUSES: Range<usize> = 2..44;
const OF_AREAS_AROUND: Range<usize> = 44..56;
const OF_WORDS: Range<usize> = 56..61;
const OF_MEMBERS: Range<usize> = 61..64;

/// The bit of the wish at a place among its like; none behind the last.
fn bit(mut of: Range<usize>, at: usize) -> u64 {
    of.nth(at).map_or(0, |bit| 1 << bit)
}

/// A record that has so many words of a question is meant, whatever else the question says.
const ENOUGH_WORDS: usize = 2;

impl<'x, 's, 'a> ClosestPass<'x, 's, 'a> {
    /// Over `all` records that may be listed and these clauses of [`Search::weighed`]; `None` when the question has no
    /// subject that one of them has.
    pub(crate) fn of(
        search: &'x Search<'s, 'a>,
        weighed: &[bool],
        hours: Option<Hours>,
        all: Bits,
    ) -> Option<Self> {
        if all.is_empty() {
            return None;
        }
        let named = search.window().filter(|_| search.names_days());
        let in_days = named.map(|named| search.base_of_named_days(named));
        let candidates = Candidates::of(all);
        let none = ClauseRecords::none();
        let mut clauses: Vec<ClauseRecords> = Vec::with_capacity(weighed.len());
        for (at, is_weighed) in weighed.iter().enumerate() {
            let asked = match search.first_equal(at) {
                first if first < at => clauses[first].clone(),
                _ if !is_weighed || search.text.is_part_of_feast(&search.text.clauses[at]) => none.clone(),
                _ => candidates.asked_by(search, at),
            };
            clauses.push(asked);
        }
        let choice = Choice { search, clauses: &clauses, candidates: &candidates, in_days: in_days.as_ref() };
        let (subject, with_subject) = match choice.subject()? {
            Subject::Clause(at, bits) => (Some(at), bits),
            Subject::Anything => (None, candidates.all),
        };
        let mut pass = Self {
            search,
            base: with_subject,
            moved_to: None,
            wishes: Vec::new(),
            unmet: Vec::new(),
            subject,
        };
        if let Some((named, in_days)) = named.zip(in_days) {
            pass.add_days(named, in_days)?;
        }
        if let Some(hours) = hours.filter(|_| search.collection.calendar.is_some()) {
            let records = Wanted::Set(search.collection.starting_in(&pass.base, hours));
            pass.wishes.push(Wish::new(WishKind::Hours(hours), OF_HOURS, records));
        }
        pass.add_areas(&clauses);
        pass.add_others(clauses);
        pass.add_words();
        pass.add_members();
        Some(pass)
    }

    /// The days of the text, or the next day, between or after them, that has the subject.
    fn add_days(&mut self, named: Window, in_days: Bits) -> Option<()> {
        if !self.base.and(&in_days).is_empty() {
            self.wishes.push(Wish::new(WishKind::Days, OF_DAYS, Wanted::Set(in_days)));
            return Some(());
        }
        let later = Window::since(named.from);
        let records = self.base.and(&self.search.base_of_all_days(later));
        let first = records.next(0)?;
        let day = Window::day(self.search.collection.first_day(first)?.max(later.from));
        self.base = self.base.and(&self.search.base_of_all_days(day));
        self.moved_to = Some(day);
        Some(())
    }

    /// Each named area, after those around it: the widest first, so that the circle grows as little as it must.
    fn add_areas(&mut self, clauses: &[ClauseRecords<'s>]) {
        let (vocabulary, collection) = (self.search.vocabulary, self.search.collection);
        let parent = |id: &AreaId| {
            Some(vocabulary.area(*id).parent.to_native()).filter(|parent| *parent != EVERYWHERE)
        };
        let mut around = 0;
        for (at, clause) in self.search.text.clauses.iter().enumerate() {
            if clause.kind() != ClauseKind::Area || self.subject == Some(at) {
                continue;
            }
            let mut areas: AreaIds = clause.terms.iter().flat_map(Term::areas).collect();
            let mut levels = Vec::new();
            while !areas.is_empty() {
                areas.sort_unstable();
                areas.dedup();
                levels.push(areas.clone());
                areas = areas.iter().filter_map(parent).collect();
            }
            // the wishes of one clause stay together
            if self.wishes.len() + levels.len() + 1 > MAX_WISHES {
                self.unmet.push(at);
                continue;
            }
            for (level, areas) in levels.into_iter().rev().enumerate() {
                let lists = areas.iter().map(|id| collection.members(*id, None).into());
                let records = Wanted::Any(lists.collect());
                // a zone has nothing around it that the level before could be
                let is_within = level > 0 && areas.iter().all(|id| parent(id).is_some());
                let bit = bit(OF_AREAS_AROUND, around);
                self.wishes.push(Wish { is_within, ..Wish::new(WishKind::Around(areas), bit, records) });
                around += 1;
            }
            let records = clauses[at].records.clone();
            self.wishes.push(Wish::new(WishKind::Clause(at), bit(OF_CLAUSES, at), records));
        }
    }

    /// Categories, those that the subject is within last; then words, the rarest first. What no record has is let go at
    /// once.
    fn add_others(&mut self, clauses: Vec<ClauseRecords<'s>>) {
        let mut others = Vec::new();
        for (at, ClauseRecords { count, records }) in clauses.into_iter().enumerate() {
            let kind = self.search.text.clauses[at].kind();
            if kind == ClauseKind::Area || self.subject == Some(at) {
                continue;
            }
            match count {
                Some(0) => self.unmet.push(at),
                _ => {
                    let is_wider = self.subject.is_some_and(|subject| self.search.is_within(subject, at));
                    others.push(((kind != ClauseKind::Category, is_wider), count, at, records));
                }
            }
        }
        // of equally rare words the last: "dona Zélia"
        others.sort_by_key(|(kind, count, at, _)| (*kind, *count, Reverse(*at)));
        let room = MAX_WISHES.saturating_sub(self.wishes.len());
        let wish = |at, records| Wish::new(WishKind::Clause(at), bit(OF_CLAUSES, at), records);
        let wishes = others.into_iter().map(|(.., at, records)| wish(at, records));
        for (place, wish) in wishes.enumerate() {
            match &wish.kind {
                WishKind::Clause(at) if place >= room => self.unmet.push(*at),
                _ => self.wishes.push(wish),
            }
        }
    }

    /// The words of phrases that were let go.
    fn add_words(&mut self) {
        let (search, words) = (self.search, self.search.query.words);
        let phrases = self.unmet.iter().map(|at| &search.text.clauses[*at]);
        let phrases = phrases.filter(|clause| clause.kind() == ClauseKind::Text && clause.words().len() > 1);
        let telling = phrases.flat_map(Clause::words).filter(|at| !is_common(words.raw(*at)));
        let list = |at| search.collection.text.subject(search.query.view, words.stem(at));
        let lists: Vec<Option<PostingCursor>> = telling.map(list).collect();
        for (at, list) in lists.into_iter().enumerate() {
            self.add_met(WishKind::Word, bit(OF_WORDS, at), list.as_slice());
        }
    }

    /// A wish for the records of these lists, if one has the subject and there is room.
    fn add_met(&mut self, kind: WishKind, bit: u64, lists: &[PostingCursor<'_>]) {
        let met = self.base.and_any(lists);
        if !met.is_empty() && self.wishes.len() < MAX_WISHES {
            self.wishes.push(Wish::new(kind, bit, Wanted::Set(met)));
        }
    }

    /// Last, what tells between records that meet the same: to have the words of a term of more categories than the
    /// subject ("igreja com missa"), then to be a member of the subject's or to have its words where these say more
    /// than the category.
    fn add_members(&mut self) {
        let Some(subject) = self.subject else { return };
        let search = self.search;
        let clauses = &search.text.clauses;
        let own = clauses[subject].text_categories();
        let is_wider = |at: &usize| {
            let others = clauses[*at].text_categories();
            others.len() > own.len() && own.iter().all(|id| others.contains(id))
        };
        let wider = (0..clauses.len()).filter(|at| !clauses[*at].is_anchor && is_wider(at));
        let mut lists: Vec<Cursors> = wider.map(|at| search.with_words(&clauses[at])).collect();
        let mut of_subject = search.members(&clauses[subject]);
        of_subject.extend(search.with_words(&clauses[subject]));
        lists.push(of_subject);
        for (at, lists) in lists.iter().enumerate() {
            self.add_met(WishKind::Member, bit(OF_MEMBERS, at), lists);
        }
    }

    /// The page of the best tier; `None` when there is none.
    pub(crate) fn page(self) -> Option<Page> {
        let query = self.search.query;
        let kept = query.after.and_then(|after| after.met);
        let Tiers { best, met, further } = match kept {
            // a later page lets go what the first one did
            Some(kept) => {
                let met: Vec<bool> = self.wishes.iter().map(|wish| kept & wish.bit != 0).collect();
                let wishes = self.wishes.iter().zip(&met).filter(|(_, met)| **met);
                let base = Narrowed::from(self.base.clone());
                let best = wishes.fold(base, |records, (wish, _)| records.with(&wish.records));
                Tiers { best: best.into_bits(), met, further: Vec::new() }
            }
            None => self.tiers(self.search.most_further()),
        };
        if best.is_empty() || self.misses_days_and_words(&met) {
            return None;
        }
        let (mut page, listed) = self.search.page_of(&best, &self.days(&met), self.unmet_place(&met));
        page.interpretation = self.search.interpretation();
        page.interpretation.hours =
            self.met_hours(&met).map(|hours| (hours, self.search.count_untimed(&listed)));
        let is_first = query.after.is_none();
        let mut next = Vec::new();
        if self.moved_to.is_some() && is_first {
            next = self.search.rest_of_the_days(&best);
        }
        let there = if is_first { self.in_dropped_areas(&met, &best) } else { Vec::new() };
        for rank in there.into_iter().chain(further) {
            if !next.contains(&rank) {
                next.push(rank);
            }
        }
        page.further.extend(self.search.distinct(next, &best));
        if is_first && page.further.len() < FURTHER {
            let others = self.of_dropped_categories(&met);
            let others = others.into_iter().filter(|rank| !page.further.contains(rank));
            page.further.extend(others.collect::<SmallVec<[u32; FURTHER]>>());
        }
        page.further.truncate(FURTHER);
        page.closest = Some(Box::new(self.account(&listed, &met)));
        Some(page)
    }

    /// Whether its records have neither the days of the question nor enough of its words: "2 de fevereiro, flores pra
    /// rainha do mar" asks for no mass "da Rainha" on another day, but "faltei a via sacra esse ano" for the Via Sacra.
    /// A word that is common in any text counts only beside one that is not.
    fn misses_days_and_words(&self, met: &[bool]) -> bool {
        let search = self.search;
        let clauses = &search.text.clauses;
        let is_text = |at: usize| clauses[at].kind() == ClauseKind::Text;
        if self.moved_to.is_none() || !self.subject.is_some_and(is_text) {
            return false;
        }
        let is_met = |at: usize| {
            let mut wishes = self.wishes.iter().zip(met).filter(|(_, met)| **met);
            let is_wish = |wish: &Wish| matches!(wish.kind, WishKind::Clause(of) if of == at);
            self.subject == Some(at) || wishes.any(|(wish, _)| is_wish(wish))
        };
        // a word that is said twice counts once
        let words = || (0..clauses.len()).filter(|at| is_text(*at) && search.first_equal(*at) == *at);
        let is_telling = |at: usize| clauses[at].is_telling(search.query.words);
        let is_beside_telling = |at: usize| {
            words().any(|other| is_telling(other) && is_met(other) && search.is_beside(at, other))
        };
        let found = words().filter(|at| is_met(*at) && (is_telling(*at) || is_beside_telling(*at))).count();
        let missed = words().filter(|at| !is_met(*at) && is_telling(*at)).count();
        found <= missed && found < ENOUGH_WORDS
    }

    /// The clauses of areas that none of the listed records is in.
    fn dropped_areas(&self, met: &[bool]) -> impl Iterator<Item = usize> {
        let unmet = self.wishes.iter().zip(met).filter(|(_, met)| !**met);
        unmet.filter_map(|(wish, _)| match wish.kind {
            WishKind::Clause(at) if self.search.text.clauses[at].kind() == ClauseKind::Area => Some(at),
            _ => None,
        })
    }

    /// What is in areas that were let go: the only record of one, as who asks whether the Água Mineral is for children
    /// names the park that is all of it; else what is of a wider category than the subject there, such as the bars
    /// where a brewery is asked for.
    fn in_dropped_areas(&self, met: &[bool], listed: &Bits) -> Vec<u32> {
        let search = self.search;
        let clauses = &search.text.clauses;
        let mut dropped = self.dropped_areas(met).peekable();
        if dropped.peek().is_none() {
            return Vec::new();
        }
        let of_subject = self.subject.iter().flat_map(|at| &clauses[*at].terms);
        let own: CategoryIds = of_subject.flat_map(Term::own_categories).collect();
        let wider = own.iter().map(|id| search.vocabulary.category(*id).parent.to_native());
        let wider = wider.filter(|id| !own.contains(id));
        let wider: Cursors = wider.map(|id| search.collection.members(EVERYWHERE, Some(id)).into()).collect();
        let all = search.base_now();
        let there = |at| {
            let there = all.and_any(search.lists(at));
            if there.count() == 1 { there } else { there.and_any(&wider) }
        };
        // more would only say what the area has
        let is_few = |there: &Bits| search.count_series(there.ranks_from(0)) <= MOST_THERE;
        let few = dropped.map(there).filter(is_few).map(|there| there.and_not(listed));
        let found = few.flat_map(|there| there.ranks_from(0).take(search.most_further()).collect::<Vec<_>>());
        found.collect()
    }

    /// The first records of the categories that were let go, where and when the listed ones are: who asks for a bar
    /// with samba also wants to hear of the house of samba that is no bar.
    fn of_dropped_categories(&self, met: &[bool]) -> Vec<u32> {
        let search = self.search;
        let wishes = || self.wishes.iter().zip(met);
        let is_dropped = |at: usize| {
            search.text.clauses[at].kind() == ClauseKind::Category
                && !search.is_child(at)
                && !self.subject.is_some_and(|subject| search.is_within(subject, at))
        };
        let dropped: SmallVec<[&Wanted; 2]> = wishes()
            .filter(|(wish, met)| !**met && matches!(wish.kind, WishKind::Clause(at) if is_dropped(at)))
            .map(|(wish, _)| &*wish.records)
            .collect();
        if dropped.is_empty() {
            return Vec::new();
        }
        let all = match self.moved_to {
            Some(day) => search.base_of_all_days(day),
            None => search.base_now(),
        };
        let kept = wishes().filter(|(wish, met)| **met && self.is_of_where_or_when(wish));
        let all = kept.fold(Narrowed::from(all), |records, (wish, _)| records.with(&wish.records));
        let most = search.most_further();
        let mut records: Vec<u32> = dropped.iter().flat_map(|wanted| all.with(wanted).first(most)).collect();
        records.sort_unstable();
        records.dedup();
        records.truncate(most);
        search.distinct(records, &Bits::none(search.collection.len()))
    }

    /// Where the first area is that the question names and none of the listed records is in.
    fn unmet_place(&self, met: &[bool]) -> Option<Point> {
        let search = self.search;
        self.dropped_areas(met).find_map(|at| {
            let clause = &search.text.clauses[at];
            let gazetteer = &search.collection.gazetteer;
            let (at, inside) = (clause.words().start, || clause.terms.iter().flat_map(Term::areas).collect());
            let block = gazetteer.block_at(search.vocabulary, search.query.words, at, inside);
            let area = || inside().into_iter().find_map(|area| gazetteer.area(area));
            Some(block.map(|(location, _)| location).or_else(area)?.point)
        })
    }

    /// Whether a wish says where or when.
    fn is_of_where_or_when(&self, wish: &Wish) -> bool {
        match wish.kind {
            WishKind::Days | WishKind::Hours(_) | WishKind::Around(_) => true,
            WishKind::Clause(clause) => self.search.text.clauses[clause].kind() == ClauseKind::Area,
            WishKind::Word | WishKind::Member => false,
        }
    }

    /// The days of the listed records.
    fn days(&self, met: &[bool]) -> SmallVec<[Window; 1]> {
        let is_dropped = |(wish, met): (&Wish, &bool)| matches!(wish.kind, WishKind::Days) && !met;
        match (self.moved_to, self.search.window()) {
            (Some(day), _) => SmallVec::from_iter([day]),
            (None, Some(named)) if self.wishes.iter().zip(met).any(is_dropped) => {
                let later = Window::since(named.from);
                let covered = self.search.query.covered.map_or(Some(later), |covered| later.within(covered));
                covered.into_iter().collect()
            }
            _ => self.search.days(),
        }
    }

    /// The tiers. Only records of the areas and days that the best tier keeps come next: others would fill a list, and
    /// answer nobody. So would those that have nothing of the question but its subject, where a record has more.
    fn tiers(&self, further: usize) -> Tiers {
        let is_kept = |at: usize| self.is_of_where_or_when(&self.wishes[at]);
        let wishes = self.wishes.iter();
        let conditions: Vec<Condition> = wishes
            .map(|Wish { records, is_within, .. }| Condition { records, is_within: *is_within })
            .collect();
        let mut tiers = tiers(self.base.clone(), &conditions, further, is_kept);
        let is_named = |wish: &&Wish| match wish.kind {
            WishKind::Clause(at) => self.search.text.clauses[at].kind() != ClauseKind::Area,
            _ => false,
        };
        let named: Vec<&Wanted> = self.wishes.iter().filter(is_named).map(|wish| &*wish.records).collect();
        if !named.is_empty() {
            tiers.further.retain(|rank| named.iter().any(|records| records.has(*rank)));
        }
        tiers
    }

    /// Whether its records meet more of what the question names, areas apart, than those of another pass.
    pub(crate) fn meets_more_than(&self, other: &Self) -> bool {
        self.count_met() > other.count_met()
    }

    /// How much of what the question names, areas apart, its records meet.
    fn count_met(&self) -> usize {
        self.count_met_of(&[ClauseKind::Category, ClauseKind::Text]) + usize::from(self.subject.is_some())
    }

    /// How many of its words, those of categories and areas apart, its records have.
    pub(crate) fn count_words_met(&self) -> usize {
        let clauses = &self.search.text.clauses;
        let is_word = self.subject.is_some_and(|at| clauses[at].kind() == ClauseKind::Text);
        self.count_met_of(&[ClauseKind::Text]) + usize::from(is_word)
    }

    /// How many clauses of these kinds its records meet beside the subject.
    fn count_met_of(&self, kinds: &[ClauseKind]) -> usize {
        let is_met = |(wish, met): &(&Wish, bool)| match wish.kind {
            WishKind::Clause(at) => *met && kinds.contains(&self.search.text.clauses[at].kind()),
            _ => false,
        };
        self.wishes.iter().zip(self.tiers(0).met).filter(is_met).count()
    }

    /// The first of these days that has closest records.
    pub(crate) fn next_page(self, days: Window) -> Option<Page> {
        let Tiers { best, met, .. } = self.tiers(0);
        Some(Page {
            interpretation: self.search.interpretation(),
            next: Some(Box::new(self.search.next_of(&best, days.from)?)),
            closest: Some(Box::new(self.account(&best, &met))),
            around: self.search.around(),
            ..Page::default()
        })
    }

    /// The hours of the text, if the listed records start at them.
    fn met_hours(&self, met: &[bool]) -> Option<Hours> {
        self.wishes.iter().zip(met).find_map(|(wish, met)| match wish.kind {
            WishKind::Hours(hours) if *met => Some(hours),
            _ => None,
        })
    }

    /// What was let go, with counts of the listed records.
    fn account(&self, listed: &Bits, met: &[bool]) -> Closest {
        let mut left_out = self.unmet.clone();
        let mut dropped_hours = None;
        let mut areas = AreaIds::new();
        let mut around: AreaIds = AreaIds::from_slice(&[EVERYWHERE]);
        for (wish, met) in self.wishes.iter().zip(met) {
            match &wish.kind {
                WishKind::Days => {}
                WishKind::Hours(_) if *met => {}
                WishKind::Hours(hours) => dropped_hours = Some(*hours),
                WishKind::Around(wider) if *met => around = wider.clone(),
                WishKind::Around(_) => {}
                WishKind::Clause(at) if self.search.text.clauses[*at].kind() == ClauseKind::Area => {
                    if !met {
                        areas.extend(
                            around.iter().copied().filter(|id| !areas.contains(id)).collect::<AreaIds>(),
                        );
                    }
                    around = AreaIds::from_slice(&[EVERYWHERE]);
                }
                WishKind::Clause(at) if !met => left_out.push(*at),
                WishKind::Clause(_) | WishKind::Word | WishKind::Member => {}
            }
        }
        // a parameter is kept, whatever area of the text is let go
        let (vocabulary, demanded) = (self.search.vocabulary, &self.search.query.areas);
        if !demanded.is_empty() {
            let inside = |wider| demanded.iter().filter_map(move |area| vocabulary.common_area(wider, *area));
            areas = areas.iter().flat_map(|wider| inside(*wider)).collect();
            areas.sort_unstable();
            areas.dedup();
        }
        left_out.sort_unstable();
        let clauses = &self.search.text.clauses;
        let is_free = |at: &usize| matches!(clauses[*at].terms[..], [Term::Hint { hint: Hint::Free, .. }]);
        Closest {
            unpriced: left_out
                .iter()
                .any(is_free)
                .then(|| listed.and_any(&[(&self.search.collection.unpriced).into()]))
                .map(|unpriced| self.search.count_listed(&unpriced))
                .filter(|count| *count > 0),
            left_out: self.search.query.words.texts(left_out.iter().map(|at| clauses[*at].words())),
            areas,
            hours: dropped_hours,
            days: self.moved_to,
            is_anywhere: false,
            met: Some(
                self.wishes
                    .iter()
                    .zip(met)
                    .filter(|(_, met)| **met)
                    .fold(0, |mask, (wish, _)| mask | wish.bit),
            ),
        }
    }
}

impl<'s> Search<'s, '_> {
    /// Whether the text alone says which days; events only.
    fn names_days(&self) -> bool {
        self.collection.calendar.is_some() && self.query.window.is_none() && self.text.days.is_some()
    }

    /// The records that a closest answer may list. The days of the text are a wish; those of a parameter and the usual
    /// ones are not.
    pub(crate) fn base_now(&self) -> Bits {
        match self.window().filter(|_| self.names_days()) {
            Some(named) => self.base_of_all_days(Window::since(named.from)),
            None => self.base(self.range(Without::default()), Without::default()),
        }
    }

    /// The records of the days that the text names; `hull` is from the first to the last of them.
    pub(crate) fn base_of_named_days(&self, hull: Window) -> Bits {
        self.base(self.range_of(hull), Without::default())
    }

    /// The records of a window that the filters and limits leave, whatever days the text names.
    pub(crate) fn base_of_all_days(&self, window: Window) -> Bits {
        self.base(self.range_of(window), Without { named_days: true, ..Without::default() })
    }

    /// Which clauses are weighed: of a long question the first categories, and the words that the fewest records have.
    /// To count their lists one by one is cheaper than their union, and says nearly as much.
    pub(crate) fn weighed(&self) -> Vec<bool> {
        let clauses = &self.text.clauses;
        let mut weighed = vec![true; clauses.len()];
        if clauses.len() <= MAX_WEIGHED {
            return weighed;
        }
        let others = clauses
            .iter()
            .enumerate()
            .filter(|(at, clause)| self.first_equal(*at) == *at && clause.kind() != ClauseKind::Area);
        let order = |(at, clause): (usize, &Clause)| {
            let size: usize = self.lists(at).iter().map(PostingCursor::len).sum();
            let is_word = clause.kind() != ClauseKind::Category;
            (size > 0).then_some((is_word, if is_word { size } else { at }, at))
        };
        let mut order: Vec<(bool, usize, usize)> = others.filter_map(order).collect();
        order.sort_unstable();
        order.iter().skip(MAX_WEIGHED).for_each(|(.., at)| weighed[*at] = false);
        weighed
    }
}
