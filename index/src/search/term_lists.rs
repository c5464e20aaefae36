//! The lists of records that each term of a question asks for, and those that an exclusion takes away.

use std::ops::Range;

use crate::grammar::hints::Hint;
use crate::grammar::stop_words::is_in;
use crate::question::clauses::{Clause, Reading, Term};
use crate::records::postings::Cursors;
use crate::search::Search;
use crate::vocabulary::node_ids::{AreaId, CategoryId, ids};
use crate::vocabulary::{ArchivedMeaning, ArchivedWord, AreaIds, CategoryIds, EVERYWHERE};

impl<'s> Search<'s, '_> {
    /// The records that an exclusion takes away: members of an area, and members of a category and those that name it,
    /// as a fair of crafts does that is called a fair; not those that only mention something of the kind.
    pub(crate) fn excluded(&self, clause: &Clause<'_>) -> Cursors<'s> {
        let mut lists = Cursors::new();
        let (collection, view) = (self.collection, self.query.view);
        for term in &clause.terms {
            match term {
                // not what else means the same: "igrejas, exceto a catedral"
                Term::Meaning { at, .. } if self.is_excluded_by_context(term) => {
                    self.add_word(*at, &mut lists);
                }
                Term::Meaning { meaning, at, to } => {
                    ids(&meaning.areas).for_each(|id| lists.push(collection.members(id, None).into()));
                    let named = |id| lists.push(collection.named_category(view, id));
                    ids(&meaning.filter_categories).for_each(named);
                    if to - at == 1 && meaning.filter_categories.is_empty() && meaning.literal {
                        self.add_word(*at, &mut lists);
                    }
                }
                Term::Synonym { at, to, .. } if to - at == 1 => {
                    self.add_word(*at, &mut lists);
                }
                // "sem plano" takes nothing of Plano Piloto away, but "não no lago" what is in Lago Sul
                Term::Word { at, .. } => {
                    lists.extend(collection.text.subject(view, self.query.words.stem(*at)));
                    if let Some(word) = self.word(*at).filter(|_| self.is_excluded_by_context(term)) {
                        self.add_areas(ids(&word.areas), &mut lists);
                    }
                }
                term => self.term(term, Reading::Wide, &mut lists),
            }
        }
        lists
    }

    /// Whether the words around an excluded term change what it takes away: the rest of the text asks for the same, or
    /// the word before it says where.
    pub(crate) fn is_excluded_by_context(&self, term: &Term<'_>) -> bool {
        match term {
            Term::Meaning { meaning, at, to } => to - at == 1 && self.asks_for(meaning),
            Term::Word { at, .. } => self.query.words.before(*at).next().is_some_and(is_in),
            _ => false,
        }
    }

    /// Whether the text asks for a category of the meaning.
    fn asks_for(&self, meaning: &ArchivedMeaning) -> bool {
        let wanted = |id: CategoryId| {
            self.text.terms().any(|term| match term {
                Term::Meaning { meaning, .. } => {
                    ids(&meaning.filter_categories).any(|other: CategoryId| other == id)
                }
                _ => false,
            })
        };
        ids(&meaning.filter_categories).any(wanted)
    }

    /// The lists whose union a clause asks for.
    pub(crate) fn lists_of(&self, clause: &Clause<'_>) -> Cursors<'s> {
        self.lists_by(clause, self.reading)
    }

    /// The same by another reading.
    pub(crate) fn lists_by(&self, clause: &Clause<'_>, reading: Reading) -> Cursors<'s> {
        if clause.must_lie_in(self.vocabulary, self.query.words) {
            let areas = clause.terms.iter().flat_map(Term::areas);
            return areas.map(|id| self.collection.members(id, None).into()).collect();
        }
        let mut lists = Cursors::new();
        clause.terms.iter().for_each(|term| self.term(term, reading, &mut lists));
        if self.names_unknown_quadras(clause) {
            let wings = clause.terms.iter().filter(|term| matches!(term, Term::Quadra { .. }));
            let unnumbered = |wing| self.collection.without_quadra(self.query.view, wing);
            lists.extend(wings.flat_map(Term::areas).filter_map(unnumbered));
        }
        lists
    }

    /// Whether the clause names superquadras of which no record gives one.
    pub(crate) fn names_unknown_quadras(&self, clause: &Clause<'_>) -> bool {
        let known = clause.terms.iter().filter_map(|term| match *term {
            Term::Quadra { wing, at, to } => {
                let mut numbers = (at..to).filter_map(|at| self.query.words.quadra(at));
                Some(numbers.any(|number| self.collection.quadra(self.query.view, wing, number).is_some()))
            }
            _ => None,
        });
        let mut known = known.peekable();
        known.peek().is_some() && !known.any(|known| known)
    }

    fn term(&self, term: &Term<'_>, reading: Reading, lists: &mut Cursors<'s>) {
        let (collection, view) = (self.collection, self.query.view);
        match *term {
            Term::Meaning { meaning, at, to } => self.add_meaning(meaning, at..to, reading, lists),
            Term::Code { code, at, to } => {
                self.add_areas(ids(&code.areas), lists);
                // "san" is an old form of SAUN, and also part of "San Marino"
                if to - at == 1 {
                    self.add_word(at, lists);
                }
            }
            Term::Quadra { wing, at, to } => {
                let numbers = (at..to).filter_map(|at| self.query.words.quadra(at));
                lists.extend(numbers.filter_map(|number| collection.quadra(view, wing, number)));
            }
            Term::Synonym { group, .. } => lists.extend(collection.synonyms(view, group)),
            // "hotel" is no sector of hotels and, beside nothing else, no bar that calls itself one
            Term::Word { at, .. } if self.vocabulary.is_unlisted(self.query.words.stem(at)) => {
                if !self.text.asks_for_unlisted(self.vocabulary, self.query.words) {
                    lists.extend(collection.text.subject(view, self.query.words.stem(at)));
                }
            }
            Term::Word { at, last } => self.add_plain_word(at, last, lists),
            Term::Literal { at } => self.add_word(at, lists),
            Term::Hint { hint: Hint::Free, .. } => lists.push((&collection.free).into()),
            Term::Hint { at, .. } => self.add_word(at, lists),
            Term::NoDay { .. } => {}
        }
    }

    fn add_meaning(
        &self,
        meaning: &ArchivedMeaning,
        words: Range<usize>,
        reading: Reading,
        lists: &mut Cursors<'s>,
    ) {
        let (collection, view) = (self.collection, self.query.view);
        self.add_areas(ids(&meaning.areas), lists);
        match reading {
            Reading::Wide => self.add_categories(ids(&meaning.text_categories), lists),
            Reading::Narrow => {
                let named = |id| collection.named_category(view, id);
                lists.extend(ids(&meaning.text_categories).map(named));
                if !meaning.text_categories.is_empty() {
                    lists.extend(collection.mentions(view, self.query.words.phrase(words.start, words.end)));
                }
            }
        }
        if words.len() == 1 {
            // "norte" is a zone, and also part of the name of Asa Norte
            if let Some(word) = self.word(words.start).filter(|_| meaning.text_categories.is_empty()) {
                self.add_areas(ids(&word.areas), lists);
            }
            if meaning.literal {
                self.add_word(words.start, lists);
            }
        }
    }

    fn add_plain_word(&self, at: usize, last: bool, lists: &mut Cursors<'s>) {
        let before = lists.len();
        self.add_word(at, lists);
        let is_of_records = lists.len() > before;
        if let Some(word) = self.word(at) {
            self.add_areas(ids(&word.areas), lists);
            // "market" is part of several longer terms, but "divino" is that of the feast alone
            if !is_of_records {
                self.add_categories(ids(&word.categories), lists);
            }
        }
        if last && lists.len() == before {
            self.add_prefix(self.query.words.raw(at), lists);
        }
    }

    /// The members of the categories that a clause names.
    pub(crate) fn members(&self, clause: &Clause<'_>) -> Cursors<'s> {
        let categories = clause.text_categories().into_iter();
        categories.map(|id| self.collection.members(EVERYWHERE, Some(id)).into()).collect()
    }

    /// The members of the categories of which a word is part of longer terms.
    pub(crate) fn members_of_word(&self, at: usize) -> Cursors<'s> {
        let categories = self.word(at).into_iter().flat_map(|word| ids(&word.categories));
        categories.map(|id| self.collection.members(EVERYWHERE, Some(id)).into()).collect()
    }

    /// The records that have the words of a clause of categories, unless these are the label of one, which says no more
    /// than the category: who asks for "feijoada" means it.
    pub(crate) fn with_words(&self, clause: &Clause<'_>) -> Cursors<'s> {
        let with_words = |term: &Term| match *term {
            Term::Meaning { meaning, at, to } if !meaning.label && !meaning.text_categories.is_empty() => {
                self.collection.mentions(self.query.view, self.query.words.phrase(at, to))
            }
            _ => None,
        };
        clause.terms.iter().filter_map(with_words).collect()
    }

    /// The members of the categories that a clause names, and the records that have the label of one.
    pub(crate) fn named(&self, clause: &Clause<'_>) -> Cursors<'s> {
        let categories = clause.text_categories().into_iter();
        categories.map(|id| self.collection.named_category(self.query.view, id)).collect()
    }

    /// Adds the records whose own text has the word.
    fn add_word(&self, at: usize, lists: &mut Cursors<'s>) {
        if let Some(list) = self.collection.text.word(self.query.view, self.query.words.stem(at)) {
            lists.push(list);
        }
    }

    fn word(&self, at: usize) -> Option<&'s ArchivedWord> {
        self.vocabulary.words.get(self.query.words.stem(at))
    }

    /// Adds everything that a word with this prefix matches.
    fn add_prefix(&self, prefix: &'s str, lists: &mut Cursors<'s>) {
        let words = &self.vocabulary.sorted_words;
        let first = words.partition_point(|word| word.as_str() < prefix);
        let (mut areas, mut categories) = (AreaIds::new(), CategoryIds::new());
        for stem in words[first..].iter().take_while(|word| word.starts_with(prefix)) {
            if let Some(word) = self.vocabulary.words.get(stem.as_str()) {
                areas.extend(ids(&word.areas));
                categories.extend(ids(&word.categories));
            }
        }
        areas.sort_unstable();
        areas.dedup();
        categories.sort_unstable();
        categories.dedup();
        self.add_areas(areas.into_iter(), lists);
        self.add_categories(categories.into_iter(), lists);
        lists.extend(self.collection.text.with_prefix(self.query.view, prefix));
    }

    fn add_areas(&self, ids: impl Iterator<Item = AreaId>, lists: &mut Cursors<'s>) {
        ids.for_each(|id| lists.push(self.collection.area_matches(self.query.view, id)));
    }

    fn add_categories(&self, ids: impl Iterator<Item = CategoryId>, lists: &mut Cursors<'s>) {
        ids.for_each(|id| lists.push(self.collection.category_matches(self.query.view, id)));
    }
}
