//! What a search answers when no record meets the whole question: another exact reading, the next day that has
//! something, or the records that meet most of it.
//!
//! Every count and rarity here comes from the records that the caller may see, in the fields that it may search.

pub(crate) mod candidates;
pub(crate) mod closest_pass;
pub(crate) mod further;
pub(crate) mod named_later;
pub(crate) mod phrase_splits;
pub(crate) mod subject;
pub(crate) mod tiers;
pub(crate) mod why_nothing;
pub(crate) mod wish_alone;

use std::ops::Range;

use smallvec::SmallVec;

use crate::fallbacks::closest_pass::ClosestPass;
use crate::grammar::dates::Window;
use crate::grammar::fold::fold;
use crate::grammar::stop_words::is_like;
use crate::question::clauses::{Clause, ClauseKind, ParsedText, Reading, Term, parse_as_name, parse_joined};
use crate::question::name_parts::NameParts;
use crate::question::near::Near;
use crate::records::bits::Bits;
use crate::records::collection::Collection;
use crate::records::postings::Cursors;
use crate::search::page::{Closest, FURTHER, Nothing, Page, RelaxedTotals};
use crate::search::{ParsedQuery, Query};
use crate::spelling::correction::{Likeness, Speller, is_known};
use crate::spelling::respelling::UnknownWords;
use crate::vocabulary::words::Words;
use crate::vocabulary::{CategoryIds, Quadras};

/// No record meets more wishes than this in practice: the words of a longer question are not corrected, since that
/// counts only when all of it is met.
const MOST_MET: usize = 8;

/// When so many records are listed, nobody asks which others may be in a superquadra too.
const MANY_LISTED: u32 = 10;

/// So many phrases that suggest one category say more than a word that some record has.
const SEVERAL: usize = 2;

/// With so few records, one that the question names is also told.
const FEW: u32 = 5;

impl<'a> ParsedQuery<'a, '_> {
    /// Searches the collection: the question as written, else another reading that is met exactly, else the next day
    /// that has something, else the closest records.
    pub fn search(&self, collection: &Collection) -> Page {
        if let Some(page) = self.at_place(collection, |there| there.search(collection)) {
            return page;
        }
        if let Some(page) = self.excluding_misspelt(collection) {
            return page;
        }
        if let Some(page) = self.like_known(collection) {
            return page;
        }
        match self.excluding_names(collection, &self.text) {
            Some(text) => {
                Self::with_text(self.vocabulary, self.query, text).search_with_known_names(collection)
            }
            None => self.search_with_known_names(collection),
        }
    }

    /// What is found when the misspelt words of what is excluded are corrected; `None` when there are none. The others
    /// are corrected when nothing is found, but to exclude nothing finds more.
    fn excluding_misspelt(&self, collection: &Collection) -> Option<Page> {
        let Query { words, view, strict, .. } = *self.query;
        let is_known =
            |at: &usize| is_known(self.vocabulary, collection, view, words.raw(*at), words.stem(*at));
        let excluded = self.text.excluded.iter().filter(|_| !strict).flat_map(Clause::words);
        let unknown: SmallVec<[usize; 2]> = excluded.filter(|at| !is_known(at)).collect();
        if unknown.is_empty() {
            return None;
        }
        self.with_correction(collection, &unknown, Likeness::NearName, |parsed| {
            Some(parsed.search(collection))
        })
    }

    /// What else there is of the categories of records, or around these, where the like is asked for in no other words:
    /// "algo parecido com o Clube do Choro".
    fn like_known(&self, collection: &Collection) -> Option<Page> {
        let Query { words, view, strict, ref categories, .. } = *self.query;
        let asks = || words.tokens().iter().any(|token| is_like(token.word));
        let names_none = self.text.excluded.is_empty() && self.text.known_at.is_empty();
        if strict || names_none || !categories.is_empty() || !asks() {
            return None;
        }
        let caller = self.query.caller();
        let names = NameParts::of(collection, view, words);
        let (clauses, known): (_, Vec<u32>) = match names.parse_excluded(&self.text, caller) {
            Some(text) => {
                (text.clauses, text.excluded_names.into_iter().flat_map(|name| name.ranks).collect())
            }
            None => {
                let excluded = self.text.excluded.iter().filter(|clause| clause.kind() == ClauseKind::Text);
                let named = excluded.flat_map(|clause| names.records_named(&clause.words(), caller));
                (self.text.clauses.clone(), named.collect())
            }
        };
        if known.is_empty() || clauses.iter().any(|clause| clause.kind() != ClauseKind::Area) {
            return None;
        }
        let own: CategoryIds = known.iter().map(|rank| collection.category(*rank)).collect();
        let wider = own.iter().map(|id| self.vocabulary.category(*id).parent.to_native()).collect();
        let mut pages = [own, wider].into_iter().map(|mut categories: CategoryIds| {
            categories.sort_unstable();
            categories.dedup();
            let query = Query { categories, ..self.query.clone() };
            ParsedQuery::of(self.vocabulary, &query).search(collection)
        });
        pages.find(|page| page.total > 0)
    }

    /// The text with the names of records that it excludes; `None` when there are none.
    pub(crate) fn excluding_names(
        &self,
        collection: &Collection,
        text: &ParsedText<'a>,
    ) -> Option<ParsedText<'a>> {
        if text.excluded.is_empty() && text.known_at.is_empty() {
            return None;
        }
        let Query { view, words, .. } = *self.query;
        NameParts::of(collection, view, words).parse_excluded(text, self.query.caller())
    }

    fn search_with_known_names(&self, collection: &Collection) -> Page {
        // a later page lets the place go that the first one did
        if self.query.after.is_some_and(|after| after.is_anywhere)
            && let Some(page) = self.anywhere(collection, |all| all.find(collection).ok())
        {
            return page;
        }
        match self.find(collection) {
            Ok(page) => page,
            Err(_) if self.resumes() => Page::default(),
            Err(written) => {
                let anywhere = self.anywhere(collection, |all| all.find(collection).ok());
                anywhere.unwrap_or_else(|| self.nothing_found(collection, *written))
            }
        }
    }

    /// As [`Self::search_as_written`], with [`Page::further`].
    pub fn search_as_written_and_further(&self, collection: &Collection) -> Page {
        if let Some(page) = self.at_place(collection, |there| there.search_as_written_and_further(collection))
        {
            return page;
        }
        let (page, reading) = self.read_as_written(collection);
        if page.total > 0 { self.with_further(collection, page, reading) } else { page }
    }

    /// The page of a question that is met as written, with what comes next to its records.
    fn with_further(&self, collection: &Collection, page: Page, reading: Reading) -> Page {
        let page = match self.text.feast {
            Some(_) => self.with_the_rest_of_the_days(collection, page, reading),
            None => page,
        };
        let page = self.with_unnumbered(collection, page, reading);
        let page = self.with_named(collection, page);
        self.with_either(collection, page, reading)
    }

    /// What the question finds, where it says; an empty page, as read as written, when that is nothing.
    fn find(&self, collection: &Collection) -> Result<Page, Box<Page>> {
        if !self.query.strict && self.says_nothing(collection) {
            return Err(Box::default());
        }
        let resumes = self.resumes();
        let mut written = Page::default();
        if !resumes {
            let (page, reading) = self.read_as_written(collection);
            if page.total > 0 {
                if self.asks_how_to_reach_what_is_not_listed() {
                    return Err(Box::new(Page { interpretation: page.interpretation, ..Page::default() }));
                }
                return Ok(self.with_further(collection, page, reading));
            }
            written = page;
        }
        if let Some(page) = self.wish_alone(collection) {
            return Ok(page);
        }
        let Self { vocabulary, query, .. } = self;
        let UnknownWords { at: unknown, respelt, days } = self.unknown(collection);
        if let Some(words) = respelt {
            let query = &Query { words, ..(*query).clone() };
            let mut page = ParsedQuery::of(vocabulary, query).search(collection);
            page.interpretation.corrected.extend_from_slice(days);
            if page.total > 0 || !query.strict {
                return Ok(page);
            }
        }
        let other = if resumes {
            self.split(collection)
                .or_else(|| self.suggested(collection, SEVERAL))
                .or_else(|| self.closest_of_corrected(collection, unknown, false))
                .or_else(|| self.closest(collection, false))
                .or_else(|| self.suggested(collection, 1))
        } else if self.query.strict {
            self.no_name(collection).or_else(|| self.corrected(collection, unknown))
        } else {
            self.other_answers(collection, unknown)
        };
        // with_named leaves a later page as it is
        other.map(|page| self.with_named(collection, page)).ok_or_else(|| Box::new(written))
    }

    /// The words that the collection does not have.
    fn unknown(&self, collection: &Collection) -> &UnknownWords {
        let Query { words, view, .. } = *self.query;
        collection
            .own(&self.unknown)
            .get_or_init(|| UnknownWords::of(self.vocabulary, collection, view, words).into())
    }

    /// The empty page, with why nothing was found and what fewer conditions would find.
    fn nothing_found(&self, collection: &Collection, written: Page) -> Page {
        // each is a question of its own, whose terms are read narrowly as long as that finds something
        let (mut relax, has_readings) = self.run_as_written(collection, Reading::Narrow, |search| {
            (search.relaxed_totals(), search.has_readings())
        });
        if has_readings {
            let wide = self.run_as_written(collection, Reading::Wide, |search| search.relaxed_totals());
            relax = relax.or(wide);
        }
        relax.near = self.beyond(collection);
        let nothing = match self.why_nothing().clone() {
            Some(Nothing::EmptyCategory) => {
                let words = self.query.words;
                let country = self.text.of_country(words).next().map(|at| &self.text.clauses[at]);
                let of_country =
                    country.map(|clause| Nothing::OfNoCountry(words.raw(clause.words().start).to_owned()));
                self.apart(collection).or(of_country).or(Some(Nothing::EmptyCategory))
            }
            nothing => nothing,
        };
        let is_of_days = match nothing {
            Some(Nothing::NotUnderstood) => self.text.days.is_some(),
            Some(Nothing::EmptyCategory) => self.text.feast.is_some(),
            _ => false,
        };
        let next = self.next_after_demanded(collection).map(Box::new);
        let page = Page { relax: Some(Box::new(relax)), nothing, next, ..written };
        if is_of_days { self.with_the_rest_of_the_days(collection, page, Reading::Wide) } else { page }
    }

    /// What `find` finds anywhere for a question that no record meets near the place it names: that wish is let go.
    fn anywhere(
        &self,
        collection: &Collection,
        find: impl FnOnce(&ParsedQuery<'a, '_>) -> Option<Page>,
    ) -> Option<Page> {
        // what is on at a place is on nowhere else
        if collection.calendar.is_some() && self.query.near.is_some_and(Near::is_at) {
            return None;
        }
        let phrase = self.query.near?.phrase.as_ref().filter(|_| !self.query.strict)?;
        if self.query.after.is_some_and(|after| !after.is_anywhere) || self.is_not_covered() {
            return None;
        }
        // nearest first, however far
        let near = &self.query.near?.at_any_distance();
        let query = &Query { near: Some(near), ..self.query.clone() };
        let mut anywhere = self.with_filters_of(query);
        // these do not depend on the place
        anywhere.nothing = self.nothing.clone();
        anywhere.unknown = self.unknown.clone();
        anywhere.split_text = self.split_text.clone();
        let mut page = find(&anywhere)?;
        if page.total == 0 && page.next.is_none() {
            return None;
        }
        let closest = page.closest.get_or_insert_default();
        closest.left_out.push(phrase.clone());
        closest.is_anywhere = true;
        Some(page)
    }

    /// The record that is named, or what is on in the days that are named or the usual ones, farther away: all tell
    /// more than a place to be near, and what is on there in half a year.
    fn written_anywhere(&self, collection: &Collection) -> Option<Page> {
        let is_name =
            || parse_as_name(&self.text, self.query.words, |name| collection.is_name(name)).is_some();
        if collection.calendar.is_none() && !is_name() {
            return None;
        }
        self.anywhere(collection, |all| Some(all.search_as_written(collection)))
    }

    /// Whether it asks for a later page of closest records.
    pub(crate) fn resumes(&self) -> bool {
        self.query.after.is_some_and(|after| after.met.is_some())
    }

    /// The question read in another way that the collection meets whole: no word is corrected, and none is left out.
    pub fn search_read_otherwise(&self, collection: &Collection) -> Option<Page> {
        if let Some(page) = self.at_place(collection, |there| there.search_read_otherwise(collection)) {
            return page;
        }
        let page = self
            .no_name(collection)
            .or_else(|| self.joined(collection))
            .or_else(|| self.named(collection))?;
        let page = self.with_named(collection, page);
        page.closest.is_none().then_some(page)
    }

    fn other_answers(&self, collection: &Collection, unknown: &[usize]) -> Option<Page> {
        self.no_name(collection)
            .or_else(|| self.split(collection))
            .or_else(|| self.joined(collection))
            .or_else(|| self.named(collection))
            .or_else(|| self.named_by_area(collection))
            .or_else(|| self.corrected(collection, unknown))
            .or_else(|| self.written_anywhere(collection))
            .or_else(|| self.next(collection, &self.text))
            .or_else(|| self.suggested(collection, SEVERAL))
            .or_else(|| self.closest_of_corrected(collection, unknown, true))
            .or_else(|| self.closest(collection, true))
            .or_else(|| self.suggested(collection, 1))
            .or_else(|| self.record_of_area(collection))
    }

    /// What there is of the category that at least so many phrases of the question suggest, on the days that it names.
    fn suggested(&self, collection: &Collection, least: usize) -> Option<Page> {
        if self.is_not_covered() || self.query.words.is_too_long_to_read_again() {
            return None;
        }
        let (text, suggesting) = self.with_suggested_category(collection, least)?;
        // "los azulejos de Athos Bulcão" names more than what it suggests, and so does "a road closed to cars to ride"
        let is_narrowed =
            text.clauses.iter().filter(|clause| clause.kind() == ClauseKind::Category).count() > 1;
        if least > 1 && self.count_words_met(collection) > usize::from(!is_narrowed) {
            return None;
        }
        let suggested = Self::with_text(self.vocabulary, self.query, text);
        let written = || Some(suggested.search_as_written(collection)).filter(|page| page.total > 0);
        let other = || {
            // words that some record has say more than what is suggested on other days
            let next = || suggested.next(collection, &suggested.text).filter(|_| least == 1);
            let closest = || suggested.closest(collection, least == 1);
            let keeps_days = |page: &Page| page.closest.as_ref().is_none_or(|closest| closest.days.is_none());
            next().or_else(closest).filter(keeps_days)
        };
        let mut page = match self.resumes() {
            true => suggested.closest(collection, false),
            false => written().or_else(other),
        }?;
        if page.total > 0 {
            // they are in no record that is listed for the category
            page.closest.get_or_insert_default().left_out.extend(self.query.words.texts(suggesting));
        }
        Some(page)
    }

    /// How many words of the question its closest records have.
    fn count_words_met(&self, collection: &Collection) -> usize {
        self.run(collection, &self.text, |search| {
            let pass = ClosestPass::of(search, &search.weighed(), None, search.base_now());
            pass.map_or(0, |pass| pass.count_words_met())
        })
    }

    /// Beside words that nobody has, the record that has the name of an area: "quanto custa subir na Torre de TV".
    fn record_of_area(&self, collection: &Collection) -> Option<Page> {
        let clauses = &self.text.clauses;
        let is_other = |clause: &Clause| !matches!(clause.kind(), ClauseKind::Area | ClauseKind::Text);
        if self.is_not_covered() || self.text.excludes() || clauses.iter().any(is_other) {
            return None;
        }
        let areas = self.text.terms().flat_map(Term::areas);
        let mut names = areas.map(|id| self.vocabulary.area(id).name.as_str());
        let words = &Words::new(names.find(|name| collection.is_name(&fold(name)))?);
        let query = &Query { words, ..self.query.clone() };
        let mut page = ParsedQuery::of(self.vocabulary, query).search_as_written(collection);
        if page.total == 0 {
            return None;
        }
        let texts = clauses.iter().filter(|clause| clause.kind() == ClauseKind::Text);
        let (interpretation, left_out) = self.run(collection, &self.text, |search| {
            (search.interpretation(), texts.map(|clause| search.phrase(clause)).collect())
        });
        page.interpretation = interpretation;
        page.closest = Some(Box::new(Closest { left_out, ..Closest::default() }));
        Some(page)
    }

    /// The words as what else they mean beside the whole name of a record: "sexta" is also a day.
    fn no_name(&self, collection: &Collection) -> Option<Page> {
        let is_name = |folded: &str| collection.is_name(folded);
        parse_as_name(&self.text, self.query.words, is_name)?;
        Some(self.run(collection, &self.text, |search| search.page(false))).filter(|page| page.total > 0)
    }

    /// Categories of one root that "e", "and" or "y" joins, as alternatives.
    fn joined(&self, collection: &Collection) -> Option<Page> {
        let root = |clause: &Clause| {
            let first = clause.terms.first()?;
            let Term::Meaning { meaning, .. } = first else { return None };
            self.vocabulary.category_and_above(meaning.text_categories.first()?.to_native()).last()
        };
        let text = parse_joined(&self.text, |left, right| root(left).is_some() && root(left) == root(right))?;
        Some(self.run(collection, &text, |search| search.page(false))).filter(|page| page.total > 0)
    }

    /// Where few records are of both categories that "e", "and" or "y" joins: those of either. "Museu e teatro" may ask
    /// for a museum and for a theatre.
    fn with_either(&self, collection: &Collection, mut page: Page, reading: Reading) -> Page {
        if !self.has_room(&page) {
            return page;
        }
        let Some(text) = parse_joined(&self.text, |_, _| true) else { return page };
        let listed = self.matching_as_written(collection, reading);
        page.further = self.run(collection, &text, |search| {
            search.first_further(&search.matching_now().and_not(&listed), &listed)
        });
        page
    }

    /// The records whose name stands in the question.
    fn named(&self, collection: &Collection) -> Option<Page> {
        let (words, view) = (self.query.words, self.query.view);
        let is_known = |at: usize| collection.text.word(view, words.stem(at)).is_some();
        let (text, dropped) = NameParts::of(collection, view, words).parse_inside(&self.text, is_known)?;
        let mut page = self.run(collection, &text, |search| search.page(false));
        let mut left_out = dropped;
        // "via sacra Planaltina" asks for the one in Planaltina, whenever it is
        if page.total == 0
            && let Some(later) = self.next(collection, &text)
        {
            page = later;
        } else if page.total == 0 {
            // beside a name, categories and areas only describe it
            let (name, others): (Vec<_>, Vec<_>) =
                text.clauses.iter().cloned().partition(|clause| clause.kind() == ClauseKind::Text);
            let with = |other: Option<&Clause<'a>>| {
                let clauses = name.iter().chain(other).cloned().collect();
                ParsedText { clauses, ..text.clone() }
            };
            // "restaurante de mariscos con vista al lago Paranoá" asks for something else than the lake
            let categories = others.iter().filter(|clause| clause.kind() == ClauseKind::Category);
            let is_met =
                |clause| self.run(collection, &with(Some(clause)), |search| search.page(false)).total > 0;
            if categories.clone().count() > 1 && !categories.clone().any(is_met) {
                return None;
            }
            left_out.extend(others.iter().map(Clause::words));
            let text = with(None);
            page = self.run(collection, &text, |search| search.page(false));
            if page.total == 0 {
                page = self.next(collection, &text).or_else(|| self.next_of_named(collection, &text))?;
            }
        }
        if !left_out.is_empty() {
            left_out.sort_by_key(|words| words.start);
            page.closest.get_or_insert_default().left_out = words.texts(left_out);
        }
        Some(page)
    }

    /// What is named on the next day that has it, from the days of the text on: "a Feira da Torre abre na terça?".
    fn next_of_named(&self, collection: &Collection, text: &ParsedText<'a>) -> Option<Page> {
        if self.query.strict || self.query.window.is_some() {
            return None;
        }
        let named = text.days.as_ref()?.hull();
        let hours = text.hours;
        let mut text = ParsedText { days: None, hours: None, ..text.clone() };
        let from = Some(named.from).filter(|_| named.to >= self.query.today)?;
        let day = Window::day(self.run(collection, &text, |search| search.next(from))?.date);
        text.days = Some(day.into());
        let page = self.run(collection, &text, |search| search.page(false));
        let interpretation = self.run(collection, &self.text, |search| search.interpretation());
        let closest = Some(Box::new(Closest { days: Some(day), hours, ..Closest::default() }));
        let page = Page { interpretation, closest, ..page };
        Some(self.with_the_rest_of_the_days(collection, page, Reading::Wide))
    }

    /// The page for the corrected text, if that is met exactly, or the next day on which it is: "Yemanya" in November.
    fn corrected(&self, collection: &Collection, unknown: &[usize]) -> Option<Page> {
        self.with_correction(collection, unknown, Likeness::Near, |parsed| {
            let page = parsed.search_as_written(collection);
            match page.total {
                0 if self.query.strict => None,
                0 => parsed.next(collection, &parsed.text),
                _ => Some(page),
            }
        })
    }

    /// The records that meet most of the text with words that sound the same or name an area: other corrections are too
    /// bold for what is not met whole.
    fn closest_of_corrected(
        &self,
        collection: &Collection,
        unknown: &[usize],
        or_later: bool,
    ) -> Option<Page> {
        self.with_correction(collection, unknown, Likeness::SameSoundOrArea, |parsed| {
            parsed.closest(collection, or_later)
        })
    }

    /// What the corrected text finds.
    fn with_correction(
        &self,
        collection: &Collection,
        unknown: &[usize],
        likeness: Likeness,
        find: impl FnOnce(&ParsedQuery) -> Option<Page>,
    ) -> Option<Page> {
        let query = self.query;
        if self.text.clauses.len() > MOST_MET {
            return None;
        }
        let (words, corrected) = Speller { vocabulary: self.vocabulary, collection, caller: query.caller() }
            .correct(query.words, unknown, likeness)?;
        let query = &Query { words: &words, ..query.clone() };
        let mut page = find(&ParsedQuery::of(self.vocabulary, query))?;
        page.interpretation.corrected.extend(corrected);
        Some(page)
    }

    /// The next day that has what the question asks for, when neither a parameter nor its words say which days.
    pub(crate) fn next(&self, collection: &Collection, text: &ParsedText<'a>) -> Option<Page> {
        self.run(collection, text, |search| {
            if !search.has_default_window() || self.query.after.is_some() {
                return None;
            }
            let window = search.window()?;
            let next = search.next(window.to.succ_opt()?)?;
            let beyond = self.beyond(collection);
            Some(Page {
                interpretation: search.interpretation(),
                next: Some(Box::new(next)),
                around: search.around(),
                relax: beyond
                    .map(|near| Box::new(RelaxedTotals { near: Some(near), ..RelaxedTotals::default() })),
                ..Page::default()
            })
        })
    }

    /// The records that meet most of the question; with `or_later`, when none in the usual days does, the next day that
    /// has one.
    pub(crate) fn closest(&self, collection: &Collection, or_later: bool) -> Option<Page> {
        if self.is_not_covered() {
            return None;
        }
        // hours of the text are a wish here
        let hours = self.text.hours.filter(|_| self.query.hours.is_none());
        let text = ParsedText { hours: None, ..self.text.clone() };
        self.run(collection, &text, |search| {
            let weighed = search.weighed();
            let soon = ClosestPass::of(search, &weighed, hours, search.base_now());
            if !or_later || !search.has_default_window() || self.query.after.is_some() {
                return soon?.page();
            }
            let days = Window::since(search.window()?.to.succ_opt()?);
            let later = ClosestPass::of(search, &weighed, hours, search.base_of_all_days(days));
            // "a procissão do Divino" is more than any mass of this week
            match (soon, later) {
                (Some(soon), Some(later)) if later.meets_more_than(&soon) => {
                    let page = later.next_page(days)?;
                    let others = soon.page().map(|page| page.ranks).unwrap_or_default();
                    Some(Page { further: others.into_iter().take(FURTHER).collect(), ..page })
                }
                (Some(soon), _) => soon.page(),
                (None, later) => later?.next_page(days),
            }
        })
    }

    /// For superquadras of `region` and, where few records are listed, of the text: what may be there too.
    fn with_unnumbered(&self, collection: &Collection, mut page: Page, reading: Reading) -> Page {
        if self.query.after.is_some() {
            return page;
        }
        let listed = || self.matching_as_written(collection, reading);
        if !self.query.quadras.is_empty() {
            let listed = listed();
            let query = &Query { quadras: Quadras::new(), ..self.query.clone() };
            page.further = self.with_filters_of(query).run_as_written(collection, reading, |search| {
                let unnumbered = self.run(collection, &self.text, |search| search.unnumbered());
                let rest = search.matching_now().and(&unnumbered).and_not(&listed);
                search.first_further(&rest, &listed)
            });
            return page;
        }
        let is_quadra = |clause: &Clause| clause.terms.iter().any(|term| matches!(term, Term::Quadra { .. }));
        if page.total < MANY_LISTED && self.text.clauses.iter().any(is_quadra) {
            let listed = listed();
            let wings =
                self.text.clauses.iter().filter(|clause| is_quadra(clause)).flat_map(|clause| &clause.terms);
            let wings = wings.flat_map(Term::areas);
            let unnumbered = wings.filter_map(|wing| collection.without_quadra(self.query.view, wing));
            let unnumbered: Cursors = unnumbered.collect();
            let mut text = self.text.clone();
            text.clauses.retain(|clause| !is_quadra(clause));
            text.joined.clear();
            page.further = self.run_reading(collection, &text, reading, |search| {
                let rest = search.matching_now().and_any(&unnumbered).and_not(&listed);
                search.first_further(&rest, &listed)
            });
        }
        page
    }

    /// With the records whose whole name stands in the question beside other words, when few others meet it: "visita ao
    /// Palácio da Alvorada".
    fn with_named(&self, collection: &Collection, mut page: Page) -> Page {
        let query = self.query;
        if !self.has_room(&page) || page.more || self.text.clauses.len() < 2 {
            return page;
        }
        let names = NameParts::of(collection, query.view, query.words).whole_names(&self.text);
        if names.is_empty() {
            return page;
        }
        let text = ParsedText { clauses: SmallVec::new(), joined: SmallVec::new(), ..self.text.clone() };
        self.run(collection, &text, |search| {
            let all = search.matching_now();
            let mut listed = Bits::none(collection.len());
            page.ranks.iter().for_each(|rank| listed.insert(*rank));
            let name = |run: &Range<usize>| query.words.between(run.start, run.end);
            let named = names.iter().flat_map(|run| collection.with_folded_name(name(run)));
            let mut new: Vec<u32> = Vec::new();
            for rank in named.filter(|rank| all.has(*rank) && !listed.has(*rank)) {
                if !new.contains(&rank) && new.len() < search.most_further() {
                    new.push(rank);
                }
            }
            page.further = search.distinct(new, &listed);
        });
        page
    }

    /// Whether further records may stand beside those of a page: it is the first one, lists few and has none yet.
    fn has_room(&self, page: &Page) -> bool {
        !self.query.strict && self.query.after.is_none() && page.further.is_empty() && page.total <= FEW
    }

    /// All records that the text as written asks for.
    fn matching_as_written(&self, collection: &Collection, reading: Reading) -> Bits {
        self.run_as_written(collection, reading, |search| search.matching_now())
    }

    /// With what else is on in the days and areas that the text names.
    pub(crate) fn with_the_rest_of_the_days(
        &self,
        collection: &Collection,
        mut page: Page,
        reading: Reading,
    ) -> Page {
        if self.query.window.is_none() && self.query.after.is_none() {
            self.run_reading(collection, &self.text, reading, |search| {
                page.further = search.rest_of_the_days(&search.matching_now());
            });
        }
        page
    }
}
