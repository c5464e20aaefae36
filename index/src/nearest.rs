//! What a search answers when no record meets the whole question: another exact reading, the next day that has something,
//! or the records that meet most of it.
//!
//! Every count and rarity here comes from the records that the caller may see, in the fields that it may search.

use std::cmp::Reverse;
use std::collections::HashSet;

use chrono::NaiveDate;
use smallvec::SmallVec;

use crate::bits::Bits;
use crate::closest::{Tiers, tiers};
use crate::collection::Collection;
use crate::common_words::is_common;
use crate::correction::{correct, unknown};
use crate::dates::{Hours, Window};
use crate::hints::Hint;
use crate::name_parts::NameParts;
use crate::page::{Closest, FURTHER, NEXT_EVENTS, Next, Nothing, Page};
use crate::postings::Cursors;
use crate::query::{Clause, Kind, ParsedText, Reading, Term, parse, parse_as_name, parse_joined};
use crate::respelling::respelt;
use crate::search::{ParsedQuery, Query, Search, Without};
use crate::vocabulary::Quadras;
use crate::vocabulary::{ArchivedMeaning, AreaId, AreaIds, EVERYWHERE, ids};
use crate::words::{not_listed, outside};

impl<'a> ParsedQuery<'a> {
    /// Searches the collection: the question as written, else another reading that is met exactly, else the next day that
    /// has something, else the closest records.
    pub fn search(&self, collection: &Collection) -> Page {
        let resumes = self.resumes();
        let mut written = Page::default();
        if !resumes {
            let (page, reading) = self.read_as_written(collection);
            if page.total > 0 {
                let page = match self.text.feast {
                    Some(_) => self.with_the_rest_of_the_days(collection, page, reading),
                    None => page,
                };
                return self.with_unnumbered(collection, page, reading);
            }
            written = page;
        }
        let Self { vocabulary, query, .. } = self;
        let unknown = unknown(vocabulary, collection, query.view, query.words);
        if let Some(words) = respelt(vocabulary, collection, query.view, query.words, &unknown) {
            let query = &Query { words: &words, ..(*query).clone() };
            let page = ParsedQuery::of(vocabulary, query).search(collection);
            if page.total > 0 || !query.strict {
                return page;
            }
        }
        if resumes {
            return self.split(collection).or_else(|| self.closest(collection, false)).unwrap_or_default();
        }
        let other = match self.query.strict {
            true => self.corrected(collection, &unknown),
            false => self.other_answers(collection, &unknown),
        };
        if let Some(page) = other.or_else(|| self.anywhere(collection)) {
            return page;
        }
        let relax = self.run_as_written(collection, Reading::Wide, |search| search.relaxed_totals());
        let nothing = self.why_nothing().clone();
        let is_of_days = match nothing {
            Some(Nothing::NotUnderstood) => self.text.days.is_some(),
            Some(Nothing::EmptyCategory) => self.text.feast.is_some(),
            _ => false,
        };
        let page = Page { relax: Some(Box::new(relax)), nothing, ..written };
        if is_of_days { self.with_the_rest_of_the_days(collection, page, Reading::Wide) } else { page }
    }

    /// What a question finds that no record meets near the place it names: anywhere, and that wish is let go.
    fn anywhere(&self, collection: &Collection) -> Option<Page> {
        let phrase = self.query.near?.phrase.as_ref().filter(|_| !self.query.strict)?;
        if self.query.after.is_some() || self.is_not_covered() {
            return None;
        }
        let query = &Query { near: None, ..self.query.clone() };
        let mut page = ParsedQuery::of(self.vocabulary, query).search(collection);
        if page.total == 0 && page.next.is_none() {
            return None;
        }
        // no cursor: a later page would search near the place again
        page.more = false;
        page.closest.get_or_insert_default().left_out.push(phrase.clone());
        Some(page)
    }

    /// Whether it asks for a later page of closest records.
    fn resumes(&self) -> bool {
        self.query.after.is_some_and(|after| after.met.is_some())
    }

    /// Whether it asks for what the guide does not list, or for a town outside: that has no closest record.
    fn is_not_covered(&self) -> bool {
        matches!(self.why_nothing(), Some(Nothing::NotListed(_) | Nothing::Outside(_)))
    }

    fn why_nothing(&self) -> &Option<Nothing> {
        self.nothing.get_or_init(|| self.find_why_nothing())
    }

    fn find_why_nothing(&self) -> Option<Nothing> {
        let words = self.query.words;
        if self.query.strict || words.is_empty() {
            return None;
        }
        let outside = (0..words.len()).find_map(|at| Some((at, outside(self.vocabulary, words, at)?)));
        if let Some((at, taken)) = outside {
            return Some(Nothing::Outside(words.between(at, at + taken).to_owned()));
        }
        let not_listed = (0..words.len()).find_map(|at| {
            let taken = not_listed(self.vocabulary, words, at)?;
            let is_aside = self.text.clauses.iter().any(|clause| {
                clause.kind() == Kind::Category && words.has_comma_between(at, clause.words().start)
            });
            (!is_aside).then(|| Nothing::NotListed(words.between(at, at + taken).to_owned()))
        });
        not_listed.or_else(|| {
            let of_kind = |kind| self.text.clauses.iter().any(|clause: &Clause| clause.kind() == kind);
            match (of_kind(Kind::Category), of_kind(Kind::Text)) {
                (true, _) => Some(Nothing::EmptyCategory),
                (false, true) => Some(Nothing::NotUnderstood),
                (false, false) => None,
            }
        })
    }

    fn other_answers(&self, collection: &Collection, unknown: &[usize]) -> Option<Page> {
        self.no_name(collection)
            .or_else(|| self.split(collection))
            .or_else(|| self.joined(collection))
            .or_else(|| self.named(collection))
            .or_else(|| self.corrected(collection, unknown))
            .or_else(|| self.next(collection, &self.text))
            .or_else(|| self.closest(collection, true))
    }

    /// The words as what else they mean beside the whole name of a record: "sexta" is also a day.
    fn no_name(&self, collection: &Collection) -> Option<Page> {
        let is_name = |folded: &str| collection.is_name(folded);
        parse_as_name(&self.text, self.query.words, is_name)?;
        Some(self.run(collection, &self.text, |search| search.page(false))).filter(|page| page.total > 0)
    }

    /// The words of phrases that no record has, each for itself: "feira de artesanato" as a fair and as crafts.
    fn split(&self, collection: &Collection) -> Option<Page> {
        let has_records = |meaning: &ArchivedMeaning| {
            let mut categories = ids(&meaning.text_categories).peekable();
            categories.peek().is_none()
                || categories.any(|id| collection.category_matches(self.query.view, id).len() > 0)
        };
        let is_empty = |term: &Term| matches!(term, Term::Meaning { meaning, at, to } if to - at > 1 && !has_records(meaning));
        if !self.text.clauses.iter().flat_map(|clause| &clause.terms).any(is_empty) {
            return None;
        }
        let text = parse(self.vocabulary, self.query.words, self.query.today, &has_records);
        let split = Self::with_text(self.vocabulary, self.query, text);
        if self.resumes() {
            return split.closest(collection, false);
        }
        let page = split.search_as_written(collection);
        match page.total {
            0 => split.next(collection, &split.text).or_else(|| split.closest(collection, false)),
            _ => Some(page),
        }
    }

    /// Categories of one root that "e", "and" or "y" joins, as alternatives.
    fn joined(&self, collection: &Collection) -> Option<Page> {
        let root = |clause: &Clause| {
            let first = clause.terms.first()?;
            let Term::Meaning { meaning, .. } = first else { return None };
            let mut id = meaning.text_categories.first()?.to_native();
            while self.vocabulary.categories[usize::from(id)].parent != id {
                id = self.vocabulary.categories[usize::from(id)].parent.to_native();
            }
            Some(id)
        };
        let text = parse_joined(&self.text, |left, right| root(left).is_some() && root(left) == root(right))?;
        Some(self.run(collection, &text, |search| search.page(false))).filter(|page| page.total > 0)
    }

    /// The records whose name stands in the question.
    fn named(&self, collection: &Collection) -> Option<Page> {
        let (words, view) = (self.query.words, self.query.view);
        let is_known = |at: usize| collection.text.word(view, words.stem(at)).is_some();
        let (text, dropped) = NameParts::of(collection, view, words).parse_inside(&self.text, is_known)?;
        let mut page = self.run(collection, &text, |search| search.page(false));
        let mut left_out = dropped;
        if page.total == 0 {
            // beside a name, categories and areas only describe it
            let (name, others): (Vec<_>, Vec<_>) = text
                .clauses
                .iter()
                .cloned()
                .partition(|clause| matches!(clause.terms[..], [Term::Literal { .. }]));
            left_out.extend(others.iter().map(Clause::words));
            let text = ParsedText { clauses: name.into(), ..text };
            page = self.run(collection, &text, |search| search.page(false));
            if page.total == 0 {
                page = self.next(collection, &text)?;
            }
        }
        if !left_out.is_empty() {
            left_out.sort_by_key(|words| words.start);
            let left_out =
                left_out.iter().map(|range| words.between(range.start, range.end).to_owned()).collect();
            page.closest = Some(Box::new(Closest { left_out, ..Closest::default() }));
        }
        Some(page)
    }

    /// The page for the corrected text, if that is met exactly.
    fn corrected(&self, collection: &Collection, unknown: &[usize]) -> Option<Page> {
        let query = self.query;
        let (words, corrected) = correct(self.vocabulary, collection, query.view, query.words, unknown)?;
        let query = &Query { words: &words, ..query.clone() };
        let parsed = ParsedQuery::of(self.vocabulary, query);
        let mut page = parsed.search_as_written(collection);
        page.interpretation.corrected = corrected;
        (page.total > 0).then_some(page)
    }

    /// The next day that has what the question asks for, when neither a parameter nor its words say which days.
    fn next(&self, collection: &Collection, text: &ParsedText<'a>) -> Option<Page> {
        self.run(collection, text, |search| {
            if !search.has_default_window() || self.query.after.is_some() {
                return None;
            }
            let window = search.window()?;
            let next = search.next(window.to.succ_opt()?)?;
            Some(Page {
                interpretation: search.interpretation(),
                next: Some(Box::new(next)),
                ..Page::default()
            })
        })
    }

    /// The records that meet most of the question; with `or_later`, when none in the usual days does, the next day that has
    /// one.
    fn closest(&self, collection: &Collection, or_later: bool) -> Option<Page> {
        if self.is_not_covered() {
            return None;
        }
        // hours of the text are a wish here
        let hours = self.text.hours.filter(|_| self.query.hours.is_none());
        let text = ParsedText { hours: None, ..self.text.clone() };
        self.run(collection, &text, |search| {
            let page = Nearest::of(search, hours, search.base_now()).and_then(Nearest::page);
            page.or_else(|| {
                if !or_later || !search.has_default_window() || self.query.after.is_some() {
                    return None;
                }
                let later = Window::since(search.window()?.to.succ_opt()?);
                Nearest::of(search, hours, search.base_of_all_days(later))?.next_page(later)
            })
        })
    }

    /// For superquadras of `region`, what may be there too.
    fn with_unnumbered(&self, collection: &Collection, mut page: Page, reading: Reading) -> Page {
        if !self.query.quadras.is_empty() && self.query.after.is_none() {
            let listed = self.run_as_written(collection, reading, |search| search.matching_now());
            let query = &Query { quadras: Quadras::new(), ..self.query.clone() };
            page.further =
                ParsedQuery::of(self.vocabulary, query).run_as_written(collection, reading, |search| {
                    let unnumbered = self.run(collection, &self.text, |search| search.unnumbered());
                    let rest = search.matching_now().and(&unnumbered).and_not(&listed);
                    let rest = rest.ranks_from(0).take(search.most_further()).collect();
                    search.distinct(rest, &listed)
                });
        }
        page
    }

    /// With what else is on in the days and areas that the text names.
    fn with_the_rest_of_the_days(&self, collection: &Collection, mut page: Page, reading: Reading) -> Page {
        if self.query.window.is_none() && self.query.after.is_none() {
            self.run_reading(collection, &self.text, reading, |search| {
                let Some(window) = search.window() else { return };
                let listed = search.matching_now();
                let areas = search.text.clauses.iter().filter(|clause| clause.kind() == Kind::Area);
                let on = search.base_of_named_days(window).and_not(&listed);
                let rest = areas.fold(on, |rest, area| rest.and_any(&search.clause(area)));
                let rest = rest.ranks_from(0).take(search.most_further()).collect();
                page.further = search.distinct(rest, &listed);
            });
        }
        page
    }
}

impl Search<'_, '_> {
    /// How many records to look at for [`Page::further`]: of those some may be other days of one series.
    pub(crate) fn most_further(&self) -> usize {
        if self.query.group { FURTHER * 8 } else { FURTHER }
    }

    /// At most [`FURTHER`] of the records: with groups, one of each series, and none of a series that `listed` has.
    pub(crate) fn distinct(&self, records: Vec<u32>, listed: &Bits) -> Vec<u32> {
        if !self.query.group {
            return records;
        }
        let series = |rank: u32| self.collection.series(rank);
        let mut seen: HashSet<u32> = listed.ranks_from(0).filter_map(series).collect();
        let is_new = |rank: &u32| series(*rank).is_none_or(|series| seen.insert(series));
        records.into_iter().filter(is_new).take(FURTHER).collect()
    }

    /// The first day from `from` on that has a match.
    fn next(&self, from: NaiveDate) -> Option<Next> {
        let matching = self.matching(self.range_of(Window::since(from)), Without::default());
        self.next_of(&matching, from)
    }

    /// The first day from `from` on that has one of the records.
    fn next_of(&self, records: &Bits, from: NaiveDate) -> Option<Next> {
        let date = self.collection.first_day(records.next(0)?)?.max(from);
        let of_the_day = records.and(&self.base_of_all_days(Window::day(date)));
        Some(Next {
            date,
            total: of_the_day.count(),
            ranks: of_the_day.ranks_from(0).take(NEXT_EVENTS).collect(),
        })
    }

    /// The records for which a clause can be the subject of a question: by a category, a name, a style, a venue or a
    /// line-up, but not by an address or an area.
    fn subject(&self, clause: &Clause) -> Cursors<'_> {
        let (view, words, text) = (self.query.view, self.query.words, &self.collection.text);
        let list = |term: &Term| match *term {
            Term::Synonym { group, .. } => self.collection.synonyms(view, group),
            Term::Word { at, .. } | Term::Literal { at } => text.subject(view, words.stem(at)),
            _ => None,
        };
        clause.terms.iter().filter_map(list).collect()
    }
}

/// A wish of the question, with the records that meet it.
struct Wish {
    what: What,
    bits: Bits,
}

/// What a wish asks for.
enum What {
    /// The days that the text names.
    Days,
    /// The hours that the text names.
    Hours(Hours),
    /// Areas around those that the text names.
    Around(AreaIds),
    /// A clause of the text.
    Clause(usize),
    /// To be a member of the category of the subject, beside those that only mention it.
    Member,
}

/// The closest pass over one reading of a question.
struct Nearest<'x, 's, 'a> {
    search: &'x Search<'s, 'a>,
    /// The records that have the subject of the question, on the days that may be searched.
    base: Bits,
    /// The days that were searched instead of those of the text.
    moved_to: Option<Window>,
    /// The most essential first.
    wishes: Vec<Wish>,
    /// Clauses that no record of the filters meets.
    unmet: Vec<usize>,
    /// Clauses that are the subject.
    subject: Option<usize>,
}

/// The subject of a question.
enum Subject {
    Clause(usize, Bits),
    /// What is on in some days.
    Days,
}

/// More wishes than this are let go unseen. A cursor keeps one bit for each.
const MAX_WISHES: usize = 40;
const _: () = assert!(MAX_WISHES < u64::BITS as usize);

impl<'x, 's, 'a> Nearest<'x, 's, 'a> {
    /// Over `all` records that may be listed; `None` when the question has no subject that one of them has.
    fn of(search: &'x Search<'s, 'a>, hours: Option<Hours>, all: Bits) -> Option<Self> {
        if all.is_empty() {
            return None;
        }
        let named = search.window().filter(|_| search.names_days());
        let in_days = named.map(|named| search.base_of_named_days(named));
        // by the narrow reading, where a record has it
        let records = |clause: &Clause| {
            let narrow = all.and_any(&search.clause_as(clause, Reading::Narrow));
            if narrow.is_empty() { all.and_any(&search.clause(clause)) } else { narrow }
        };
        let clauses: Vec<Bits> = search.text.clauses.iter().map(records).collect();
        let (subject, with_subject) = match Self::subject(search, &clauses, &all, in_days.as_ref())? {
            Subject::Clause(at, bits) => (Some(at), bits),
            Subject::Days => (None, all.clone()),
        };
        let mut nearest = Self {
            search,
            base: with_subject,
            moved_to: None,
            wishes: Vec::new(),
            unmet: Vec::new(),
            subject,
        };
        if let Some((named, in_days)) = named.zip(in_days) {
            nearest.add_days(named, in_days)?;
        }
        if let Some(hours) = hours.filter(|_| search.collection.calendar.is_some()) {
            let bits = search.collection.starting_in(&nearest.base, hours);
            nearest.wishes.push(Wish { what: What::Hours(hours), bits });
        }
        nearest.add_areas(&clauses);
        nearest.add_others(clauses);
        nearest.add_members();
        Some(nearest)
    }

    /// A category, else the rarest word; of each kind one that a record of the named days has, where there is one.
    fn subject(search: &Search, clauses: &[Bits], all: &Bits, in_days: Option<&Bits>) -> Option<Subject> {
        let of_kind = |kind: Kind| {
            let clauses = search.text.clauses.iter().enumerate();
            clauses.filter(move |(_, clause)| clause.kind() == kind && !clause.is_anchor)
        };
        let is_on = |bits: &Bits| in_days.is_none_or(|in_days| !bits.and(in_days).is_empty());
        let names_feast = search.text.feast.is_some() && in_days.is_some();
        let has_category = of_kind(Kind::Category).next().is_some();
        // a feast that is a category, else the head of the question, which comes first
        let is_of_feast = |at: usize| search.text.is_of_feast(&search.text.clauses[at]);
        let categories = of_kind(Kind::Category).map(|(at, _)| at).filter(|at| !clauses[*at].is_empty());
        let category = categories.min_by_key(|at| (!is_on(&clauses[*at]), !is_of_feast(*at), *at));
        if let Some(at) = category.filter(|at| !names_feast || is_on(&clauses[*at])) {
            return Some(Subject::Clause(at, clauses[at].clone()));
        }
        if has_category {
            // a category was understood, and stays, even when no record has it
            return None;
        }
        let is_telling =
            |(_, clause): &(usize, &Clause)| clause.words().any(|at| !is_common(search.query.words.raw(at)));
        let text = of_kind(Kind::Text)
            .filter(is_telling)
            .map(|(at, clause)| (at, all.and_any(&search.subject(clause))))
            .filter(|(_, bits)| !bits.is_empty() && (!names_feast || is_on(bits)))
            .min_by_key(|(at, bits)| (!is_on(bits), bits.count(), *at));
        match text {
            Some((at, bits)) => Some(Subject::Clause(at, bits)),
            // days are no answer to words that were not understood, nor to a feast that no record is about
            None => (in_days.is_some() && !of_kind(Kind::Text).any(|one| is_telling(&one)))
                .then_some(Subject::Days),
        }
    }

    /// The days of the text, or the next day after them that has the subject.
    fn add_days(&mut self, named: Window, in_days: Bits) -> Option<()> {
        if !self.base.and(&in_days).is_empty() {
            self.wishes.push(Wish { what: What::Days, bits: in_days });
            return Some(());
        }
        let later = Window::since(named.to.succ_opt()?);
        let later = self.base.and(&self.search.base_of_all_days(later));
        let first = later.ranks_from(0).next()?;
        let day = Window::day(self.search.collection.first_day(first)?.max(named.to));
        self.base = self.base.and(&self.search.base_of_all_days(day));
        self.moved_to = Some(day);
        Some(())
    }

    /// Each named area, after those around it: the widest first, so that the circle grows as little as it must.
    fn add_areas(&mut self, clauses: &[Bits]) {
        let (vocabulary, collection) = (self.search.vocabulary, self.search.collection);
        let parent = |id: &AreaId| {
            Some(vocabulary.areas[usize::from(*id)].parent.to_native()).filter(|parent| *parent != EVERYWHERE)
        };
        for (at, clause) in self.search.text.clauses.iter().enumerate() {
            if clause.kind() != Kind::Area || self.subject == Some(at) {
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
            for areas in levels.into_iter().rev() {
                let lists = areas.iter().map(|id| collection.members(*id, None).into());
                let bits = Bits::union(collection.len(), lists);
                self.wishes.push(Wish { what: What::Around(areas), bits });
            }
            self.wishes.push(Wish { what: What::Clause(at), bits: clauses[at].clone() });
        }
    }

    /// Categories, then words, the rarest first; what no record has is let go at once.
    fn add_others(&mut self, clauses: Vec<Bits>) {
        let mut others: Vec<(bool, u32, usize, Bits)> = Vec::new();
        for (at, bits) in clauses.into_iter().enumerate() {
            let kind = self.search.text.clauses[at].kind();
            if kind == Kind::Area || self.subject == Some(at) {
                continue;
            }
            match bits.count() {
                0 => self.unmet.push(at),
                count => others.push((kind != Kind::Category, count, at, bits)),
            }
        }
        // of equally rare words the last: "dona Zélia"
        others.sort_by_key(|(is_word, count, at, _)| (*is_word, *count, Reverse(*at)));
        let room = MAX_WISHES.saturating_sub(self.wishes.len());
        let wishes = others.into_iter().map(|(.., at, bits)| Wish { what: What::Clause(at), bits });
        for (place, wish) in wishes.enumerate() {
            match &wish.what {
                What::Clause(at) if place >= room => self.unmet.push(*at),
                _ => self.wishes.push(wish),
            }
        }
    }

    /// Last, what tells between records that meet the same: to be a member of the category of the subject.
    fn add_members(&mut self) {
        let Some(clause) = self.subject.map(|at| &self.search.text.clauses[at]) else { return };
        let bits = self.base.and_any(&self.search.members(clause));
        if !bits.is_empty() && self.wishes.len() < MAX_WISHES {
            self.wishes.push(Wish { what: What::Member, bits });
        }
    }

    fn page(self) -> Option<Page> {
        let query = self.search.query;
        let kept = query.after.and_then(|after| after.met);
        let Tiers { best, met, further } = match kept {
            // a later page lets go what the first one did
            Some(kept) => {
                let met: Vec<bool> = (0..self.wishes.len()).map(|at| kept >> at & 1 == 1).collect();
                let wishes = self.wishes.iter().zip(&met).filter(|(_, met)| **met);
                let best = wishes.fold(self.base.clone(), |records, (wish, _)| records.and(&wish.bits));
                Tiers { best, met, further: Vec::new() }
            }
            None => self.tiers(self.search.most_further()),
        };
        if best.is_empty() {
            return None;
        }
        let mut page = self.search.page_of(&best, &self.days(&met));
        page.interpretation = self.search.interpretation();
        page.interpretation.hours =
            self.met_hours(&met).map(|hours| (hours, self.search.count_untimed(&best)));
        page.further.extend(self.search.distinct(further, &best));
        page.further.truncate(FURTHER);
        page.closest = Some(Box::new(self.account(&best, &met)));
        Some(page)
    }

    /// The days of the listed records.
    fn days(&self, met: &[bool]) -> SmallVec<[Window; 1]> {
        let is_dropped = |(wish, met): (&Wish, &bool)| matches!(wish.what, What::Days) && !met;
        match (self.moved_to, self.search.window()) {
            (Some(day), _) => SmallVec::from_iter([day]),
            (None, Some(named)) if self.wishes.iter().zip(met).any(is_dropped) => {
                let later = Window::since(named.from.min(self.search.query.today));
                let covered = self.search.query.covered.map_or(Some(later), |covered| later.within(covered));
                covered.into_iter().collect()
            }
            _ => self.search.days(),
        }
    }

    /// The tiers. Only records of the areas and days that the best tier keeps come next: others would fill a list, and
    /// answer nobody. So would those that have nothing of the question but its subject, where a record has more.
    fn tiers(&self, further: usize) -> Tiers {
        let is_kept = |at: usize| match &self.wishes[at].what {
            What::Days | What::Hours(_) | What::Around(_) => true,
            What::Clause(clause) => self.search.text.clauses[*clause].kind() == Kind::Area,
            What::Member => false,
        };
        let wishes: Vec<&Bits> = self.wishes.iter().map(|wish| &wish.bits).collect();
        let mut tiers = tiers(&self.base, &wishes, further, is_kept);
        let is_told = |wish: &&Wish| match wish.what {
            What::Clause(at) => self.search.text.clauses[at].kind() != Kind::Area,
            _ => false,
        };
        let told: Vec<&Bits> = self.wishes.iter().filter(is_told).map(|wish| &wish.bits).collect();
        if !told.is_empty() {
            tiers.further.retain(|rank| told.iter().any(|bits| bits.has(*rank)));
        }
        tiers
    }

    /// The first of these days that has closest records.
    fn next_page(self, days: Window) -> Option<Page> {
        let Tiers { best, met, .. } = self.tiers(0);
        Some(Page {
            interpretation: self.search.interpretation(),
            next: Some(Box::new(self.search.next_of(&best, days.from)?)),
            closest: Some(Box::new(self.account(&best, &met))),
            ..Page::default()
        })
    }

    /// The hours of the text, if the listed records start at them.
    fn met_hours(&self, met: &[bool]) -> Option<Hours> {
        self.wishes.iter().zip(met).find_map(|(wish, met)| match wish.what {
            What::Hours(hours) if *met => Some(hours),
            _ => None,
        })
    }

    /// What was let go.
    fn account(&self, best: &Bits, met: &[bool]) -> Closest {
        let mut left_out = self.unmet.clone();
        let mut dropped_hours = None;
        let mut areas = AreaIds::new();
        let mut around: AreaIds = AreaIds::from_slice(&[EVERYWHERE]);
        for (wish, met) in self.wishes.iter().zip(met) {
            match &wish.what {
                What::Days => {}
                What::Hours(_) if *met => {}
                What::Hours(hours) => dropped_hours = Some(*hours),
                What::Around(wider) if *met => around = wider.clone(),
                What::Around(_) => {}
                What::Clause(at) if self.search.text.clauses[*at].kind() == Kind::Area => {
                    if !met {
                        areas.extend(
                            around.iter().copied().filter(|id| !areas.contains(id)).collect::<AreaIds>(),
                        );
                    }
                    around = AreaIds::from_slice(&[EVERYWHERE]);
                }
                What::Clause(at) if !met => left_out.push(*at),
                What::Clause(_) | What::Member => {}
            }
        }
        left_out.sort_unstable();
        let clauses = &self.search.text.clauses;
        let is_free = |at: &usize| matches!(clauses[*at].terms[..], [Term::Hint { hint: Hint::Free, .. }]);
        Closest {
            unpriced: left_out
                .iter()
                .any(is_free)
                .then(|| best.and_any(&[(&self.search.collection.unpriced).into()]).count()),
            left_out: left_out.iter().map(|at| self.search.phrase(&clauses[*at])).collect(),
            areas,
            hours: dropped_hours,
            days: self.moved_to,
            met: Some(met.iter().rev().fold(0, |mask, met| mask << 1 | u64::from(*met))),
        }
    }
}

impl Search<'_, '_> {
    /// Whether the text alone says which days; events only.
    fn names_days(&self) -> bool {
        self.collection.calendar.is_some() && self.query.window.is_none() && self.text.days.is_some()
    }

    /// The records that a closest answer may list. The days of the text are a wish; those of a parameter and the usual
    /// ones are not.
    fn base_now(&self) -> Bits {
        match self.window().filter(|_| self.names_days()) {
            Some(named) => self.base_of_all_days(Window::since(named.from.min(self.query.today))),
            None => self.base(self.range(Without::default()), Without::default()),
        }
    }

    /// The records of the days that the text names; `hull` is from the first to the last of them.
    fn base_of_named_days(&self, hull: Window) -> Bits {
        self.base(self.range_of(hull), Without::default())
    }

    /// The records of a window that the filters and limits leave, whatever days the text names.
    fn base_of_all_days(&self, window: Window) -> Bits {
        self.base(self.range_of(window), Without { named_days: true, ..Without::default() })
    }
}
