//! What a question says beside what it asks for, dropped once all of it is read: symbols, words that say no more than
//! another, where somebody lives, with whom they come.

use std::ops::Range;

use smallvec::SmallVec;

use crate::grammar::hints::Hint;
use crate::grammar::language::Language;
use crate::grammar::stop_words::{
    is_definite_article, is_in, is_verb, is_visit, means_any_record, means_family, means_food,
};
use crate::grammar::tokens::Token;
use crate::question::clauses::{Clause, ClauseKind, NamedHint, ParsedText, Term};
use crate::question::introductions::says_who_asks;
use crate::vocabulary::words::Words;
use crate::vocabulary::{ArchivedVocabularyIndex, CategoryIds};

/// Drops what symbols are called where words name a category: "bar 🍻" asks for no brewery.
pub(super) fn drop_symbols(parsed: &mut ParsedText, words: &Words, tokens: &[Token]) {
    let is_symbol = |clause: &Clause| tokens[words.token(clause.words().start)].is_symbol;
    let is_named = |clause: &Clause| clause.kind() == ClauseKind::Category && !is_symbol(clause);
    if parsed.clauses.iter().any(is_symbol) && parsed.clauses.iter().any(is_named) {
        parsed.clauses.retain(|clause| !is_symbol(clause));
        parsed.joined.clear();
    }
}

/// Drops the area where somebody says they are or live, if they ask for another one: "moro em Taguatinga mas quero um
/// bar na Asa Norte".
pub(super) fn drop_whereabouts(
    parsed: &mut ParsedText,
    words: &Words,
    tokens: &[Token],
    whereabouts: Option<usize>,
) {
    let Some(word) = whereabouts else { return };
    let is_it = |term: &Term| term.words().start == word;
    // not "sou de Planaltina, cansado de descer pro Plano"
    let is_led_to = |term: &Term| {
        let token = words.token(term.words().start);
        let before = |back: usize| token.checked_sub(back).map_or("", |before| tokens[before].word);
        is_in(before(1)) || is_definite_article(before(1)) && is_in(before(2))
    };
    let asks_for = |clause: &Clause| {
        clause.kind() == ClauseKind::Area && clause.terms.iter().any(|term| !is_it(term) && is_led_to(term))
    };
    if !parsed.clauses.iter().any(asks_for) {
        return;
    }
    for clause in &mut parsed.clauses {
        clause.terms.retain(|term| !is_it(term));
    }
    parsed.clauses.retain(|clause| !clause.terms.is_empty());
    parsed.joined.clear();
}

/// Makes the family company where something else is asked for: "jantar em família", "family restaurant".
pub(super) fn drop_family(parsed: &mut ParsedText, words: &Words) {
    let is_family = |clause: &Clause| {
        let range = clause.words();
        clause.kind() != ClauseKind::Area && range.len() == 1 && means_family(words.raw(range.start))
    };
    let is_kind = |clause: &Clause| clause.kind() == ClauseKind::Category && !is_family(clause);
    let families = parsed.clauses.iter().filter(|clause| is_family(clause)).map(Clause::words);
    let families: SmallVec<[Range<usize>; 1]> = families.collect();
    if families.is_empty() || !parsed.clauses.iter().any(is_kind) {
        return;
    }
    parsed.clauses.retain(|clause| !is_family(clause));
    parsed.joined.clear();
    let company = |words| NamedHint { hint: Hint::Company, words, is_excluded: false };
    parsed.hints.extend(families.into_iter().map(company));
}

/// Drops words like "show" beside another category ("show de rock" means rock, "show" alone means shows), and verbs
/// beside what is done to it: "where to eat feijoada" asks for feijoada, also in a samba club.
pub(super) fn drop_generic(
    vocabulary: &ArchivedVocabularyIndex,
    parsed: &mut ParsedText,
    words: &Words,
    language: Language,
) {
    let is_generic = |clause: &Clause| {
        let range = clause.words();
        let is_visit = || range.len() > 1 && is_visit(words.raw(range.end - 1));
        // "cozinha italiana", "Niemeyer buildings"
        let word = words.raw(range.start);
        let is_any = || range.len() == 1 && (means_food(word) || means_any_record(word));
        clause.is_generic(words)
            || match clause.kind() {
                ClauseKind::Category => is_visit(),
                ClauseKind::Text => is_any(),
                ClauseKind::Area | ClauseKind::Hint => false,
            }
    };
    let (before, clauses) = (parsed.clauses.len(), &mut parsed.clauses);
    // "show depois do jogo" asks for a show
    let is_telling = |clause: &Clause| {
        clause.kind() == ClauseKind::Category && !is_generic(clause) && !clause.comes_at_another_time(words)
    };
    if clauses.iter().any(is_telling) {
        clauses.retain(|clause| !is_generic(clause));
    }
    let is_verb =
        |clause: &Clause| clause.kind() == ClauseKind::Category && is_verb(words.raw(clause.words().end - 1));
    if clauses.iter().any(is_verb) {
        // "sou vegana, onde comer" asks where to eat
        let is_object = |clause: &&Clause| {
            !is_verb(clause) && !says_who_asks(words.before(clause.words().start), language)
        };
        let objects: SmallVec<[CategoryIds; 4]> =
            clauses.iter().filter(is_object).map(Clause::text_categories).collect();
        clauses.retain(|clause| {
            let categories = is_verb(clause).then(|| clause.text_categories());
            let is_done = |of: &CategoryIds| objects.iter().any(|object| vocabulary.are_within(object, of));
            !categories.as_ref().is_some_and(is_done)
        });
    }
    if clauses.len() < before {
        parsed.joined.clear();
    }
}
