//! What a question asks for: which of its categories is the head, and which clauses are company, additions, or say
//! where.

use smallvec::SmallVec;

use crate::grammar::language::Language;
use crate::grammar::stop_words::{
    asks_for, asks_where, attends, brings_an_addition, is_from, is_in, is_infinitive, is_relative, is_shop,
    means_food, means_only, offers, says_indoors_or_out,
};
use crate::grammar::tokens::{Separator, Token, language};
use crate::question::clauses::ClauseKind;
use crate::question::introductions::says_who_asks;
use crate::search::Search;

impl Search<'_, '_> {
    /// Whether a clause is company or an addition: "com música ao vivo", "my daughter", "com espetinho e cerveja". A
    /// restaurant "com comida japonesa" is a Japanese one.
    pub(crate) fn is_addition(&self, at: usize) -> bool {
        let is_joined = || self.text.joined.contains(&at) && at > 0 && self.is_addition(at - 1);
        let is_kind = || {
            let names_food = means_food(self.query.words.raw(self.text.clauses[at].words().start));
            names_food && (0..at).any(|outer| self.is_within(at, outer))
        };
        // "a vegetarian-friendly dinner"
        let is_suited = || {
            let words = self.query.words;
            words.next_in_phrase(self.text.clauses[at].words().end - 1) == "friendly"
        };
        self.before(at).next().is_some_and(brings_an_addition) && !is_kind() || is_joined() || is_suited()
    }

    /// Whether a clause is what something has or sells: "que tem livros", "that has books".
    pub(crate) fn is_offered(&self, at: usize) -> bool {
        let mut before = self.before(at);
        before.next().is_some_and(offers) && before.next().is_some_and(is_relative)
    }

    /// Whether the words before a clause ask for it: "queria uma padaria", "qual é o estádio", "is there a good bar".
    fn is_asked_for(&self, tokens: &[Token], at: usize) -> bool {
        let first = self.query.words.token(self.text.clauses[at].words().start);
        let frame = tokens[..first].iter().rev().take_while(|token| token.fixed.is_some());
        // "onde comer", but not "o bar onde toca samba"
        let begins =
            |at: usize| at == 0 || tokens[at].separator == Separator::Comma || tokens[at - 1].is_stop_word();
        // "não come carne, só peixe"
        if first.checked_sub(1).is_some_and(|before| means_only(tokens[before].word)) {
            return true;
        }
        frame
            .zip((0..first).rev())
            .any(|(token, at)| asks_for(token.word) || asks_where(token.word) && begins(at))
    }

    /// Whether a clause says where: "na prainha", "at the beach".
    pub(crate) fn is_where(&self, at: usize) -> bool {
        self.before(at).next().is_some_and(is_in)
    }

    /// The words before a clause and its articles, the last first.
    fn before(&self, at: usize) -> impl Iterator<Item = &str> {
        self.query.words.before(self.text.clauses[at].words().start)
    }

    /// Whether a clause comes at another time than what is asked for.
    pub(crate) fn is_of_another_time(&self, at: usize) -> bool {
        self.text.clauses[at].comes_at_another_time(self.query.words)
    }

    /// Whether a clause names a child and nothing else.
    pub(crate) fn is_child(&self, at: usize) -> bool {
        self.query.words.mean_children(self.text.clauses[at].words())
    }

    /// Whether a clause names categories that are all within those of another: "hambúrguer" within "comer".
    pub(crate) fn is_within(&self, inner: usize, outer: usize) -> bool {
        let categories = |at: usize| self.text.clauses[at].text_categories();
        self.vocabulary.are_within(&categories(inner), &categories(outer))
    }

    /// Whether a clause names categories of places of which the guide has none at all. Of events, others come.
    pub(crate) fn has_no_record(&self, at: usize) -> bool {
        let mut categories = self.text.clauses[at].text_categories().into_iter();
        self.collection.calendar.is_none()
            && categories.all(|id| self.collection.category_matches(self.query.view, id).len() == 0)
    }

    /// Whether nothing stands between two clauses: "korean restaurant".
    pub(crate) fn is_beside(&self, one: usize, other: usize) -> bool {
        self.text.are_beside(self.query.words, one, other)
    }

    /// Whether a clause is what is done to it: "dançar um forrozinho", "ver uma peça", "onde compro pão".
    fn is_object(&self, at: usize, verb: usize) -> bool {
        let last = self.text.clauses[verb].words().end - 1;
        let is_verb =
            || is_infinitive(self.query.words.raw(last)) || self.before(verb).next().is_some_and(asks_where);
        at == verb + 1 && is_verb() && self.before(at).next() == Some(self.query.words.raw(last))
    }

    /// Whether a clause is what a shop of another sells: "tienda de vinos", "a beer store".
    fn is_sold(&self, at: usize, shop: usize) -> bool {
        let range = self.text.clauses[shop].words();
        range.len() == 1
            && is_shop(self.query.words.raw(range.start))
            && (at == shop + 1 && self.before(at).next().is_some_and(is_from)
                || at + 1 == shop && self.is_beside(at, shop))
    }

    /// Whether places are asked for in which a clause is watched or heard: "ver futebol num bar", "listen to jazz at a
    /// pub".
    fn is_attended(&self, at: usize, place: usize) -> bool {
        self.collection.calendar.is_none()
            && at < place
            && self.before(at).find(|word| *word != "to").is_some_and(attends)
            && self.is_where(place)
    }

    /// The category that is the head of the question: the first that it asks for ("qual é o estádio"), else the first,
    /// in both cases no company or addition ("com música ao vivo", "my daughter"). In English it is the last of words
    /// that stand side by side ("jazz bar"). What it asks for more closely goes before that: "comer um hambúrguer",
    /// "dançar forró".
    pub(crate) fn head(&self) -> Option<usize> {
        *self.head.get_or_init(|| self.find_head())
    }

    fn find_head(&self) -> Option<usize> {
        let (clauses, words) = (&self.text.clauses, self.query.words);
        let categories = || (0..clauses.len()).filter(|at| clauses[*at].kind() == ClauseKind::Category);
        if categories().nth(1).is_none() {
            return categories().next();
        }
        let is_setting = |at: usize| {
            let range = clauses[at].words();
            let said: SmallVec<[&str; 4]> = range.map(|at| words.raw(at)).collect();
            says_indoors_or_out(&said)
        };
        let may_be_head = |at: &usize| {
            !self.is_addition(*at) && !self.is_child(*at) && !self.is_of_another_time(*at) && !is_setting(*at)
        };
        let eligible: SmallVec<[usize; 8]> = categories().filter(may_be_head).collect();
        let eligible = || eligible.iter().copied();
        let tokens = words.tokens();
        let language = language(&tokens);
        // "I'm vegan, any burgers?" asks for burgers, and "I'm vegan, any restaurants?" for those that are
        let heads = || eligible().filter(|at| !says_who_asks(self.before(*at), language));
        let asked = heads().find(|at| self.is_asked_for(&tokens, *at));
        let first =
            asked.or_else(|| heads().next()).or_else(|| eligible().next()).or_else(|| categories().next())?;
        let is_english = language == Language::English;
        let of_first = clauses[first].text_categories();
        let is_closer = |at: &usize| {
            self.vocabulary.are_within(&clauses[*at].text_categories(), &of_first)
                || self.is_sold(*at, first)
                || self.is_attended(first, *at)
                || !is_english && self.is_object(*at, first)
        };
        let first = heads().find(is_closer).or_else(|| eligible().find(is_closer)).unwrap_or(first);
        if !is_english {
            return Some(first);
        }
        let beside = (first + 1..clauses.len()).take_while(|at| self.is_beside(*at, *at - 1));
        let is_noun = |at: &usize| clauses[*at].kind() == ClauseKind::Category && !is_setting(*at);
        let last = beside.filter(is_noun).last().unwrap_or(first);
        // "jazz concert"
        let last = (first..last).find(|at| may_be_head(at) && self.is_within(*at, last)).unwrap_or(last);
        Some(categories().find(|at| self.is_sold(*at, last)).unwrap_or(last))
    }
}
