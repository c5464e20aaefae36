//! Several names of records that commas, "and" or "or" join: "Memorial JK, Catedral ou Torre de TV" asks for each of
//! them.

use std::ops::Range;

use smallvec::SmallVec;

use crate::grammar::fixed_words::fixed_word;
use crate::grammar::language::Language;
use crate::grammar::operators::Operator;
use crate::grammar::stop_words::{is_determiner, is_in};
use crate::grammar::tokens::{Separator, Token, language, operator};
use crate::question::anchors::MOST_NAMED;
use crate::question::clauses::{Clause, ClauseKind, ParsedText, Term, literals};
use crate::question::name_parts::NameParts;
use crate::records::bits::Bits;
use crate::records::collection::Collection;
use crate::search::ParsedQuery;
use crate::search::page::Page;
use crate::vocabulary::words::phrase;

/// A longer question asks for more than the names in it.
const MOST_WORDS: usize = 16;

/// Names of records, each as its words, with the records.
type Names = SmallVec<[(Range<usize>, Vec<u32>); 4]>;

impl<'a> ParsedQuery<'a, '_> {
    /// The records that the question names, when it names several and nothing else that a record has.
    pub(crate) fn several_named(&self, collection: &Collection) -> Option<Page> {
        let (words, text) = (self.query.words, &self.text);
        if !(2..=MOST_WORDS).contains(&words.len()) || text.excludes() || text.feast.is_some() {
            return None;
        }
        let tokens = words.tokens();
        let language = language(&tokens);
        let is_joint = |at: usize| joins(&tokens[at]) || is_joining(&tokens, at, language);
        if !(0..tokens.len()).any(is_joint) || collection.is_name(words.folded()) {
            return None;
        }
        let names = self.joined_names(collection, &tokens, language)?;
        let is_inside =
            |clause: &Clause| {
                clause.terms.iter().map(Term::words).all(|words| {
                    names.iter().any(|(name, _)| name.start <= words.start && words.end <= name.end)
                })
            };
        let is_known = |at: usize| collection.text.word(self.query.view, words.stem(at)).is_some();
        let mut left_out = Vec::new();
        for clause in text.clauses.iter().filter(|clause| !is_inside(clause)) {
            let may_be_let_go = clause.kind() == ClauseKind::Text && !clause.is_anchor && !self.query.strict;
            if !may_be_let_go || clause.words().any(is_known) {
                return None;
            }
            left_out.push(clause.words());
        }
        let mut named = Bits::none(collection.len());
        names.iter().flat_map(|(_, ranks)| ranks).for_each(|rank| named.insert(*rank));
        let with = |clauses| ParsedText { clauses, joined: SmallVec::new(), ..text.clone() };
        let any = with(SmallVec::new());
        let mut page = self.run(collection, &any, |search| {
            let all = search.matching_now().and(&named);
            (!all.is_empty()).then(|| search.page_of(&all, &search.days(), None).0)
        })?;
        let said = with(names.iter().flat_map(|(name, _)| literals(name.clone())).collect());
        page.interpretation = self.run(collection, &said, |search| search.interpretation());
        if !left_out.is_empty() {
            page.closest.get_or_insert_default().left_out = words.texts(left_out);
        }
        Some(page)
    }

    /// The names of records in the question, if these are several and joined. One of them at least is more than a word
    /// of the vocabulary: "lago e catedral" asks for no two records.
    fn joined_names(&self, collection: &Collection, tokens: &[Token], language: Language) -> Option<Names> {
        let words = self.query.words;
        let names = NameParts::of(collection, self.query.view, words);
        let is_visible = |rank: &u32| collection.is_visible(*rank, self.query.caller());
        let is_phrase = |name: &Range<usize>| {
            phrase(self.vocabulary, words, name.start, |_, taken| taken >= name.len()).is_some()
        };
        let beginning = |name: Range<usize>| -> Option<(Range<usize>, Vec<u32>)> {
            if is_phrase(&name) || name.len() == 1 && fixed_word(words.raw(name.start)).is_some() {
                return None;
            }
            let begin = collection.beginning_with(words.between(name.start, name.end));
            let named: Vec<u32> = begin.into_iter().filter(is_visible).take(MOST_NAMED + 1).collect();
            (1..=MOST_NAMED).contains(&named.len()).then_some((name, named))
        };
        let named_at = |at: usize| {
            let whole = names.name_at(at).map(|name| {
                let ranks = collection.with_folded_name(words.between(name.start, name.end));
                let ranks: Vec<u32> = ranks.filter(is_visible).collect();
                (name, ranks)
            });
            // "Beirute" of its houses
            whole.or_else(|| names.runs_from(at).find_map(beginning)).filter(|(_, ranks)| !ranks.is_empty())
        };
        let mut found = Names::new();
        let mut at = 0;
        while at < words.len() {
            match named_at(at) {
                Some((name, ranks)) => {
                    let is_joined = |(before, _): &(Range<usize>, _)| {
                        are_joined(tokens, words.token(before.end - 1), words.token(name.start), language)
                    };
                    if found.last().is_some_and(|before| !is_joined(before)) {
                        return None;
                    }
                    at = name.end;
                    found.push((name, ranks));
                }
                None => at += 1,
            }
        }
        let is_long = found.iter().all(|(name, _)| name.len() > 1);
        let is_meant = found.len() > 1 && (is_long || found.iter().any(|(name, _)| !is_phrase(name)));
        is_meant.then_some(found)
    }
}

/// Whether a mark before a token may join it to what stands before.
fn joins(token: &Token) -> bool {
    matches!(token.separator, Separator::Comma | Separator::Slash | Separator::And)
}

/// Whether a word that joins stands at a token.
fn is_joining(tokens: &[Token], at: usize, language: Language) -> bool {
    matches!(operator(tokens, at, language), Some((_, Operator::And | Operator::Or)))
}

/// Whether between two tokens there are only marks and words that join, and prepositions and articles.
fn are_joined(tokens: &[Token], last: usize, next: usize, language: Language) -> bool {
    let mut between = last + 1..next;
    let is_joining = |at: usize| is_joining(tokens, at, language);
    let has_joint = tokens[last + 1..=next].iter().any(joins) || between.clone().any(is_joining);
    has_joint && between.all(|at| is_joining(at) || is_in(tokens[at].word) || is_determiner(tokens[at].word))
}
