//! The subject of a question that no record meets whole: what its closest records must have.

use smallvec::SmallVec;

use crate::fallbacks::candidates::{Candidates, ClauseRecords};
use crate::grammar::stop_words::{is_celebration, is_from, is_lesson};
use crate::question::clauses::{Clause, ClauseKind, Term};
use crate::question::open_questions::{asks_for_anything, leaves_open};
use crate::records::bits::Bits;
use crate::records::postings::Cursors;
use crate::search::Search;

/// Words of a question, with the records that have them.
type Texts<'s> = SmallVec<[(usize, ClauseRecords<'s>); 8]>;

/// A word that so few records have says more than who comes along.
const FEW: u32 = 3;

/// The subject of a question.
pub(crate) enum Subject {
    /// A clause, and the records that have it.
    Clause(usize, Bits),
    /// Whatever there is, or is on in some days.
    Anything,
}

/// What the subject is chosen from.
pub(crate) struct Choice<'c, 's, 'a> {
    pub(crate) search: &'c Search<'s, 'a>,
    /// The records of each clause.
    pub(crate) clauses: &'c [ClauseRecords<'s>],
    pub(crate) candidates: &'c Candidates,
    /// The records of the days that the text names.
    pub(crate) in_days: Option<&'c Bits>,
}

impl<'c, 's, 'a> Choice<'c, 's, 'a> {
    /// A category, else the rarest word; of each kind one that a record of the named days has, where there is one.
    pub(crate) fn subject(&self) -> Option<Subject> {
        if self.of_kind(ClauseKind::Category).any(|(at, _)| self.narrows_to_nothing(at)) {
            return None;
        }
        if self.is_of_no_country() {
            return None;
        }
        if self.asks_for_whatever_is_on() {
            return Some(Subject::Anything);
        }
        if let Some((at, asked)) = self.described_record() {
            return Some(self.of_clause(at, &asked));
        }
        let (search, category) = (self.search, self.category());
        // "o açougue que tem livros" is no bookshop, nor "pista de skate pro meu filho" a playground, where a record
        // has the word before
        let named_before = |category: usize| {
            self.texts().find(|(at, _)| *at < category).map(|(at, asked)| self.of_clause(at, &asked))
        };
        // "prometi pros meninos o desfile de 7 de setembro", "o aniversário da cidade, para ir com a família"
        if category.is_some_and(|at| search.is_child(at))
            && let Some((at, asked)) = self.rare_text().or_else(|| self.feast_text())
        {
            return Some(self.of_clause(at, &asked));
        }
        if let Some(at) = category {
            let is_aside = search.is_addition(at) || search.is_offered(at);
            let named = if is_aside { named_before(at) } else { self.named_behind(at) };
            return named.or_else(|| Some(self.of_clause(at, &self.clauses[at])));
        }
        if let Some((at, _)) = self.of_kind(ClauseKind::Category).find(|of| !self.says_nothing(*of)) {
            // a category was understood, and stays, even when no record has it, unless it only says where
            return search.is_where(at).then(|| named_before(at)).flatten();
        }
        match self.rarest_text() {
            Some((at, asked)) => Some(self.of_clause(at, &asked)),
            None => {
                let is_open = self.is_open() || self.describes_a_category() || search.asks_what_is_on_there();
                is_open.then_some(Subject::Anything)
            }
        }
    }

    /// The rarest word, of those that one record has with another of them where there are such.
    fn rarest_text(&self) -> Option<(usize, ClauseRecords<'s>)> {
        let mut texts: Texts<'s> = self.texts().collect();
        let order = |of: &(usize, ClauseRecords<'s>)| {
            let (at, asked) = of;
            (!self.is_on(asked), self.is_alone(of, &texts), asked.count, *at)
        };
        let first = (0..texts.len()).min_by_key(|at| order(&texts[*at]))?;
        Some(texts.swap_remove(first))
    }

    /// The rarest of two rare words that one record has, on the days that the text names: whatever else the question
    /// says, it describes that record.
    fn described_record(&self) -> Option<(usize, ClauseRecords<'s>)> {
        let is_rare = |asked: &ClauseRecords| asked.count.is_some_and(|count| count <= FEW);
        let mut rare: Texts<'s> = self
            .texts()
            .filter(|(at, asked)| is_rare(asked) && self.search.first_equal(*at) == *at)
            .collect();
        let of_several = (0..rare.len()).filter(|at| !self.is_alone(&rare[*at], &rare));
        let first = of_several.min_by_key(|at| (rare[*at].1.count, rare[*at].0))?;
        Some(rare.swap_remove(first))
    }

    /// Whether no record that has a word has another of these that is weighed, on the days that the text names.
    fn is_alone(&self, (at, asked): &(usize, ClauseRecords), texts: &[(usize, ClauseRecords)]) -> bool {
        let records = asked.records.of(self.in_days.unwrap_or(&self.candidates.all));
        let is_weighed = |other: usize| self.clauses[other].count != Some(0);
        let mut others = texts.iter().filter(|(other, _)| other != at && is_weighed(*other));
        !others.any(|(_, others)| !others.records.of(&records).is_empty())
    }

    /// The rarest word, when few records have it, and one of them another word or a day that the text names.
    fn rare_text(&self) -> Option<(usize, ClauseRecords<'s>)> {
        let is_rare =
            |asked: &ClauseRecords| asked.count.is_some_and(|count| count <= FEW) && self.is_on(asked);
        let (at, asked) =
            self.texts().filter(|(_, asked)| is_rare(asked)).min_by_key(|(at, asked)| (asked.count, *at))?;
        let records = asked.records.of(&self.candidates.all);
        let has_other =
            || self.texts().any(|(other, asked)| other != at && !asked.records.of(&records).is_empty());
        (self.in_days.is_some() || has_other()).then_some((at, asked))
    }

    /// The rarest word of a feast, when a record of its days has it.
    fn feast_text(&self) -> Option<(usize, ClauseRecords<'s>)> {
        let search = self.search;
        let of_feast =
            self.of_kind(ClauseKind::Text).filter(|(_, clause)| search.text.is_part_of_feast(clause));
        let asked = of_feast.map(|(at, clause)| (at, self.candidates.asked(search.subject(clause))));
        let known =
            asked.filter(|(_, asked)| self.names_feast() && asked.count != Some(0) && self.is_on(asked));
        known.min_by_key(|(at, asked)| (asked.count, *at))
    }

    /// What a category that says little is of, where a record has that: "festa de pentecostes" is no other party. Not
    /// on another day, where one of the category is on.
    fn named_behind(&self, category: usize) -> Option<Subject> {
        let (search, clause) = (self.search, &self.search.text.clauses[category]);
        let words = search.query.words;
        if !clause.is_generic(words) {
            return None;
        }
        let is_of = |at: &usize| {
            let mut before = words.before(search.text.clauses[*at].words().start);
            before.next().is_some_and(is_from) && before.next() == Some(words.raw(clause.words().end - 1))
        };
        let first = (0..search.text.clauses.len()).find(is_of)?;
        let is_on = |asked: &ClauseRecords| self.is_on(asked) || !self.is_on(&self.clauses[category]);
        let texts = self.texts().filter(|(at, asked)| *at >= first && is_on(asked));
        texts.min_by_key(|(at, asked)| (asked.count, *at)).map(|(at, asked)| self.of_clause(at, &asked))
    }

    /// The clauses of a kind that do not name where to search from.
    fn of_kind(&self, kind: ClauseKind) -> impl Iterator<Item = (usize, &'c Clause<'a>)> + use<'c, 's, 'a> {
        let clauses = self.search.text.clauses.iter().enumerate();
        clauses.filter(move |(_, clause)| clause.kind() == kind && !clause.is_anchor)
    }

    /// Whether one of the records is on in the days that the text names.
    fn is_on(&self, asked: &ClauseRecords) -> bool {
        self.in_days.is_none_or(|in_days| !asked.records.of(in_days).is_empty())
    }

    fn of_clause(&self, at: usize, asked: &ClauseRecords) -> Subject {
        Subject::Clause(at, asked.records.of(&self.candidates.all))
    }

    fn names_feast(&self) -> bool {
        self.search.text.feast.is_some() && self.in_days.is_some()
    }

    /// Whether a category that no record has says which of another one is meant: "restaurante coreano" asks for no
    /// other restaurant.
    fn narrows_to_nothing(&self, at: usize) -> bool {
        let search = self.search;
        let is_of = |(outer, _): (usize, &Clause)| search.is_beside(at, outer) && search.is_within(at, outer);
        search.has_no_record(at) && self.of_kind(ClauseKind::Category).any(is_of)
    }

    /// Whether a country of which there is nothing says which of a category is meant: "Greek restaurant".
    fn is_of_no_country(&self) -> bool {
        let Search { text, query, .. } = self.search;
        // the whole word: "restaurante grego" asks for no Gregorian chant
        let has_none = |at: usize| {
            let word = Clause::of(Term::Word { at: text.clauses[at].words().start, last: false });
            let lists = self.search.lists_of(&word);
            !lists.iter().any(|list| self.search.collection.has_any_in(list, query.scope))
        };
        text.of_country(query.words).any(has_none)
    }

    /// A feast that is a category, else the head of the question, of the categories that records have.
    fn category(&self) -> Option<usize> {
        let search = self.search;
        let is_of_feast = |at: usize| search.text.is_of_feast(&search.text.clauses[at]);
        let head = search.head();
        let categories = || self.of_kind(ClauseKind::Category).map(|(at, _)| at);
        // who comes along, or what comes before, is no subject beside what is asked for, even when no record has that;
        // nor is where a lesson would be: "yoga class in the park" asks for no other event in parks
        let is_aside = |at: usize| search.is_child(at) || search.is_of_another_time(at);
        let is_sole = categories().all(is_aside);
        let has_none = |at: usize| self.clauses[at].count == Some(0);
        let is_taught =
            |at: usize| search.text.clauses[at].words().any(|at| is_lesson(search.query.words.raw(at)));
        let says_where = |at: usize| {
            head.is_some_and(|head| head < at && has_none(head) && is_taught(head)) && search.is_where(at)
        };
        // "jazz concert" asks for no other music on the day
        let is_wider = |at: usize| {
            head.is_some_and(|head| {
                head != at && !has_none(head) && search.is_within(head, at) && !search.is_within(at, head)
            })
        };
        let may_be =
            |at: &usize| !has_none(*at) && (is_sole || !is_aside(*at)) && !says_where(*at) && !is_wider(*at);
        let order = |at: &usize| (!self.is_on(&self.clauses[*at]), !is_of_feast(*at), Some(*at) != head, *at);
        let category = categories().filter(may_be).min_by_key(order);
        category.filter(|at| !self.names_feast() || self.is_on(&self.clauses[*at]))
    }

    /// "vai ter festa dia 21 de abril?" asks what is on then, when no party is, and so does "passeio no domingo", of
    /// which the guide has no events.
    fn asks_for_whatever_is_on(&self) -> bool {
        let words = self.search.query.words;
        let is_vague = |(at, clause): (usize, &Clause)| {
            let is_party = clause.words().len() == 1 && is_celebration(words.raw(clause.words().start));
            is_party && !self.is_on(&self.clauses[at]) || self.says_nothing((at, clause))
        };
        let has_records = |in_days: &Bits| {
            let mut areas = self.of_kind(ClauseKind::Area);
            areas.all(|(at, _)| !self.clauses[at].records.of(in_days).is_empty())
        };
        let mut categories = self.of_kind(ClauseKind::Category).peekable();
        categories.peek().is_some()
            && categories.all(is_vague)
            && self.names_no_thing()
            && self.in_days.is_none_or(has_records)
    }

    /// Whether a category is a vague word, as an outing is, and no record has it.
    fn says_nothing(&self, (at, clause): (usize, &Clause)) -> bool {
        clause.is_generic(self.search.query.words) && self.clauses[at].count == Some(0)
    }

    /// Whether all words that were not understood are common ones.
    fn names_no_thing(&self) -> bool {
        !self.of_kind(ClauseKind::Text).any(|(_, clause)| clause.is_telling(self.search.query.words))
    }

    /// The words that can be the subject, with the records that have them. Who asks for anything somewhere asks for no
    /// record elsewhere: "na casa da minha tia em Brazlândia, o que tem pra conhecer?".
    fn texts(&self) -> impl Iterator<Item = (usize, ClauseRecords<'s>)> {
        let names_feast = self.names_feast();
        let mut areas = self.of_kind(ClauseKind::Area);
        let asks_there = areas.next().is_some() && asks_for_anything(&self.search.query.words.tokens());
        let is_elsewhere = move |asked: &ClauseRecords| {
            let all = asked.records.of(&self.candidates.all);
            let mut areas = self.of_kind(ClauseKind::Area);
            asks_there && areas.any(|(at, _)| self.clauses[at].records.of(&all).is_empty())
        };
        self.of_kind(ClauseKind::Text)
            .filter(|(_, clause)| {
                clause.is_telling(self.search.query.words) && !self.search.text.is_part_of_feast(clause)
            })
            .map(|(at, clause)| (at, self.candidates.asked(self.search.subject(clause))))
            .filter(move |(_, asked)| asked.count != Some(0) && (!names_feast || self.is_on(asked)))
            .filter(move |(_, asked)| !is_elsewhere(asked))
    }

    /// Whether it asks for anything somewhere, some day, or at all. Days are no answer to words that were not
    /// understood, nor to a feast that no record is about.
    fn is_open(&self) -> bool {
        let (text, tokens) = (self.search.text, self.search.query.words.tokens());
        let names_where_or_when = self.in_days.is_some() || self.of_kind(ClauseKind::Area).next().is_some();
        let is_rest = || text.excludes() && leaves_open(&tokens);
        let is_open = || names_where_or_when || text.feast.is_none() && is_rest();
        self.names_no_thing() && is_open() || text.feast.is_none() && asks_for_anything(&tokens)
    }

    /// Whether words that the guide or its synonyms have say more of a category that a parameter names: "romantic"
    /// among the Italian restaurants.
    fn describes_a_category(&self) -> bool {
        let is_synonym = |term: &Term| matches!(term, Term::Synonym { .. });
        let is_known = |(_, clause): (usize, &Clause)| {
            clause.terms.iter().any(is_synonym) || !self.search.subject(clause).is_empty()
        };
        !self.search.query.categories.is_empty() && self.of_kind(ClauseKind::Text).all(is_known)
    }
}

impl<'s> Search<'s, '_> {
    /// The records for which a clause can be the subject of a question: by a category, a name, a style, a venue or a
    /// line-up, but not by an address or an area.
    fn subject(&self, clause: &Clause) -> Cursors<'s> {
        let (view, words, text) = (self.query.view, self.query.words, &self.collection.text);
        let mut lists = Cursors::new();
        for term in &clause.terms {
            match *term {
                Term::Synonym { group, .. } => lists.extend(self.collection.synonyms(view, group)),
                Term::Word { at, .. } | Term::Literal { at } => match text.subject(view, words.stem(at)) {
                    Some(list) => lists.push(list),
                    // "kite" of "kite surf", but no word of an address
                    None if text.word(view, words.stem(at)).is_none() => {
                        lists.extend(self.members_of_word(at))
                    }
                    None => {}
                },
                _ => {}
            }
        }
        lists
    }
}
