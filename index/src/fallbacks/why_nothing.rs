//! Why a question finds nothing, and what fewer conditions would find.

use std::cell::LazyCell;
use std::ops::Range;

use crate::grammar::hints::Hint;
use crate::grammar::stop_words::{
    asks_for, brings_an_addition, is_from, is_in, is_of, is_rental, joins, says_beside_what,
    says_how_to_travel, says_who_returns_to,
};
use crate::grammar::tokens::Token;
use crate::question::clauses::{Clause, ClauseKind, NamedHint, ParsedText, Reading, Term};
use crate::question::open_questions::asks_openly;
use crate::question::wish::{asks_at, parts};
use crate::records::collection::Collection;
use crate::records::facets::Facets;
use crate::records::positions::KnownBy;
use crate::search::page::{Beyond, Next, Nothing};
use crate::search::{ParsedQuery, Query, Without};
use crate::vocabulary::words::{phrase, phrases_of};

/// So many words stand between a category and what it is a part of: "bar no topo de um hotel".
const MOST_BETWEEN: usize = 4;

impl ParsedQuery<'_, '_> {
    /// Whether it has words, but none that asks for anything, nor that a record has: "oi", "backpack".
    pub(crate) fn says_nothing(&self, collection: &Collection) -> bool {
        let Query { words, view, .. } = *self.query;
        // a letter may begin a name
        let may_be_known =
            |at| words.raw(at).len() < 2 || collection.text.word(view, words.stem(at)).is_some();
        !words.is_empty() && self.has_no_wish() && !(0..words.len()).any(may_be_known)
    }

    /// Whether nothing is asked for, neither by a filter nor in words.
    pub(crate) fn has_no_wish(&self) -> bool {
        let Query { words, areas, categories, window, hours, near, .. } = self.query;
        let ParsedText { clauses, days, hours: named_hours, hints, .. } = &self.text;
        let has_filter = !areas.is_empty()
            || !categories.is_empty()
            || window.is_some()
            || hours.is_some()
            || near.is_some();
        let has_meaning = !clauses.is_empty() || days.is_some() || named_hours.is_some() || !hints.is_empty();
        let is_everywhere =
            |at| phrase(self.vocabulary, words, at, |meaning, _| meaning.everywhere).is_some();
        let is_open = || asks_openly(&words.tokens()) || (0..words.len()).any(is_everywhere);
        !has_filter && !has_meaning && !self.text.excludes() && !is_open()
    }

    /// What meets the whole question farther away than the parameter `near` reaches, if anything does.
    pub(crate) fn beyond(&self, collection: &Collection) -> Option<Beyond> {
        let near = &self.query.near.filter(|near| near.phrase.is_none())?.at_any_distance();
        let query = &Query { near: Some(near), limit: 1, facets: Facets::default(), ..self.query.clone() };
        let page = self.with_filters_of(query).search_as_written(collection);
        let nearest = collection.location(query.view, *page.ranks.first()?)?;
        let nearest_m = nearest.distance(near.anchor());
        // from a place in its region the distance is one to expect, as that of an area
        let is_expected = nearest.known_by == KnownBy::Region && !nearest.is_in_another_region(near.anchor());
        let known_by = if is_expected { KnownBy::Area } else { nearest.known_by };
        Some(Beyond { total: page.total, nearest_m, known_by })
    }

    /// Whether it asks for what the guide does not list, or for a town outside: that has no closest record.
    pub(crate) fn is_not_covered(&self) -> bool {
        matches!(self.why_nothing(), Some(Nothing::NotListed(_) | Nothing::Outside(_)))
    }

    /// Whether it asks for no more than a way, and has words for what is not listed: when a bus goes to a town. Words
    /// of transport do not filter, so that all places there would meet it.
    pub(crate) fn asks_how_to_reach_what_is_not_listed(&self) -> bool {
        let is_of_transport = |named: &NamedHint| named.hint == Hint::Transport;
        self.text.hints.iter().any(is_of_transport)
            && self.text.clauses.iter().all(|clause| clause.kind() == ClauseKind::Area)
            && matches!(self.why_nothing(), Some(Nothing::NotListed(_)))
    }

    pub(crate) fn why_nothing(&self) -> &Option<Nothing> {
        self.nothing.get_or_init(|| self.find_why_nothing())
    }

    /// The categories of the parameter and of the text, if each has records where it may be searched.
    pub(crate) fn apart(&self, collection: &Collection) -> Option<Nothing> {
        // of the text alone the closest pass lets one go
        let of_parameter = Some(&self.query.categories).filter(|categories| !categories.is_empty())?;
        self.run_as_written(collection, Reading::Wide, |search| {
            let range = || search.range(Without::default());
            let of_any = search.base(range(), Without { categories: true, ..Without::default() });
            let clauses = search.text.clauses.iter().enumerate();
            let mut of_text = clauses.filter(|(_, clause)| clause.kind() == ClauseKind::Category).peekable();
            of_text.peek()?;
            let mut groups = vec![of_parameter.clone()];
            for (at, clause) in of_text {
                if of_any.and_any(search.lists(at)).is_empty() {
                    return None;
                }
                groups.push(clause.terms.iter().flat_map(Term::own_categories).collect());
            }
            let has_some = !search.base(range(), Without::default()).is_empty();
            has_some.then_some(Nothing::Apart(groups))
        })
    }

    fn find_why_nothing(&self) -> Option<Nothing> {
        let words = self.query.words;
        if words.is_empty() && !self.query.categories.is_empty() {
            return Some(Nothing::EmptyCategory);
        }
        if self.query.strict || words.is_empty() {
            return None;
        }
        let has = |kind| self.text.clauses.iter().any(|clause: &Clause| clause.kind() == kind);
        let named = || self.text.clauses.iter().filter(|clause| clause.kind() != ClauseKind::Text);
        // "somos de Goiânia e queremos uma pizzaria" and "um show antes de voltar pra Goiânia" ask for none there, and
        // "uma pizzaria de Goiânia" does
        let tokens = words.tokens();
        let parts = LazyCell::new(|| parts(&tokens));
        // what is told beside the wish: "meu avô foi pescador em Salvador. Onde é a festa?"
        let is_told = |phrase: &Range<usize>| {
            parts.iter().any(|part| part.asks) && !asks_at(&parts, words.token(phrase.start))
        };
        let is_wish = |clause: &Clause| {
            clause.kind() == ClauseKind::Category && asks_at(&parts, words.token(clause.words().start))
        };
        let names_wish = || self.text.clauses.iter().any(is_wish);
        let is_aside = |town: &Range<usize>| {
            let is_origin = words.before(town.start).next().is_some_and(is_from)
                && named()
                    .any(|clause| clause.kind() == ClauseKind::Category && clause.words().start > town.start);
            has(ClauseKind::Category)
                && named().all(|clause| clause.words().end != town.start)
                && (is_origin || says_who_returns_to(words.before(town.start)))
                || is_told(town)
        };
        if let Some(town) = phrases_of(&self.vocabulary.outside, words).find(|town| !is_aside(town)) {
            return Some(Nothing::Outside(words.between(town.start, town.end).to_owned()));
        }
        // "Setor Hoteleiro Norte" asks for no hotel, nor "juegos mecánicos" for a mechanic
        let is_of_longer = |phrase: &Range<usize>| {
            let mut terms = self.text.terms().map(Term::words);
            terms
                .any(|term| term.len() > phrase.len() && term.start <= phrase.start && phrase.end <= term.end)
        };
        // nothing joins or asks between a category and what it is in
        let has_category_before = |at: usize| {
            let goes_on =
                |token: &Token| !joins(token.word) && !asks_for(token.word) && !token.begins_phrase();
            self.text.clauses.iter().any(|clause| {
                clause.kind() == ClauseKind::Category && clause.words().end <= at && {
                    let between = &tokens[words.tokens_of(clause.words()).end..words.token(at)];
                    between.len() <= MOST_BETWEEN && between.iter().all(goes_on)
                }
            })
        };
        let mut phrases =
            phrases_of(&self.vocabulary.not_listed, words).filter(|phrase| !is_of_longer(phrase));
        let not_listed = phrases.find_map(|phrase| {
            // "estou no hospital, queria uma padaria" asks for no hospital
            // and "padaria atrás do hospital" for none
            // "bar no topo de um hotel" for none either, but "loja de colchão" for a mattress
            let last = words.before(phrase.start).next();
            let is_part = last.is_some_and(|of| {
                is_of(of) && (words.follows_determiner(phrase.start) || !matches!(of, "de" | "of" | "from"))
            });
            let says_where = is_told(&phrase) && names_wish()
                || last.is_some_and(is_in)
                || says_beside_what(words.before(phrase.start))
                || is_part && has_category_before(phrase.start);
            // "parks with bike rental", "museum or bike rental"
            let is_added = words.before(phrase.start).next().is_some_and(|word| {
                brings_an_addition(word) || matches!(word, "or" | "ou" | "and" | "e" | "y")
            });
            // who would rent a thing that is listed asks for that: "aluguel de caiaque", "rent a kayak"
            let is_of_listed = || {
                let rental = words.raw(phrase.start);
                let of_rental = |clause: &Clause| {
                    let mut before = words.before(clause.words().start).skip_while(|word| is_from(word));
                    clause.kind() == ClauseKind::Category && before.next() == Some(rental)
                };
                is_rental(rental) && self.text.clauses.iter().any(of_rental)
            };
            // "um restaurante para voltar de uber"
            let is_means = || says_how_to_travel(words.before(phrase.start));
            let is_aside = self.text.clauses.iter().any(|clause| {
                let is_apart = || words.has_comma_between(phrase.start, clause.words().start);
                let is_before = || clause.words().end <= phrase.start;
                // "farmácia, minha filha está com febre" asks for nothing that children like
                let is_thing = || !words.mean_children(clause.words());
                clause.kind() == ClauseKind::Category
                    && (says_where || is_thing() && (is_apart() || is_added && is_before() || is_means()))
            });
            (!is_aside && !is_of_listed())
                .then(|| Nothing::NotListed(words.between(phrase.start, phrase.end).to_owned()))
        });
        not_listed.or_else(|| {
            match (has(ClauseKind::Category) || self.text.feast.is_some(), has(ClauseKind::Text)) {
                _ if self.has_no_wish() => Some(Nothing::NotUnderstood),
                (true, _) => Some(Nothing::EmptyCategory),
                (false, true) => Some(Nothing::NotUnderstood),
                (false, false) => None,
            }
        })
    }

    /// The next day after those that a parameter demands that has what the question asks for.
    pub(crate) fn next_after_demanded(&self, collection: &Collection) -> Option<Next> {
        let demanded = self.query.window.filter(|_| !self.query.strict && self.query.after.is_none())?;
        // its words may name the same days
        let text = ParsedText { days: None, ..self.text.clone() };
        self.run(collection, &text, |search| search.next(demanded.to.succ_opt()?))
    }
}
