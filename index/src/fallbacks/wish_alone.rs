//! A long message without what it tells beside the wish: "perdi meu celular na piscina, minha mãe tá brava, onde tem
//! uma feira de eletrônicos?" asks for no swimming pool.

use std::ops::Range;

use smallvec::SmallVec;

use crate::grammar::dates;
use crate::grammar::tokens::{Token, language, operator};
use crate::question::clauses::{Clause, ClauseKind, Term};
use crate::question::introductions::refers_back;
use crate::question::wish::{Part, asks_at, parts};
use crate::records::bits::Bits;
use crate::records::collection::Collection;
use crate::search::page::Page;
use crate::search::{ParsedQuery, Query};
use crate::spelling::respelling::UnknownWords;
use crate::vocabulary::words::Words;

/// A message has at least so many words, connectors included.
const SHORTEST: usize = 14;

/// A wish has at most so many words, stop words apart: a longer one says too much to be one, and is read as a whole.
const LONGEST_WISH: usize = 16;

/// It tells so many things beside its wish.
const FEWEST_TOLD: usize = 3;

/// Words for what was told: "onde tem exposição disso?"
const REFERRING: [&str; 6] = ["disso", "disto", "nisso", "isso", "eso", "ello"];

/// So many words before an area or a day say where it is, or that it is not meant: "lá perto do", "but not on".
const MOST_BEFORE: usize = 3;

impl ParsedQuery<'_, '_> {
    /// What is found for the parts of a long message that ask for something, when it is not met as written.
    pub(crate) fn wish_alone(&self, collection: &Collection) -> Option<Page> {
        let Query { words, strict, .. } = *self.query;
        if strict || words.count_tokens() < SHORTEST {
            return None;
        }
        let tokens = words.tokens();
        let parts = parts(&tokens);
        let is_wish = |clause: &Clause| asks_at(&parts, words.token(clause.words().start));
        let is_telling = |(_, clause): &(usize, &Clause)| match clause.kind() {
            ClauseKind::Category => true,
            ClauseKind::Text => clause.is_telling(words),
            ClauseKind::Area | ClauseKind::Hint => false,
        };
        let clauses = self.text.clauses.iter().enumerate().filter(|(_, clause)| !clause.is_anchor);
        let (wanted, told): (Vec<(usize, &Clause)>, Vec<_>) =
            clauses.filter(is_telling).partition(|(_, clause)| is_wish(clause));
        let is_category = |(_, clause): &(usize, &Clause)| clause.kind() == ClauseKind::Category;
        let tells_category = told.iter().any(is_category);
        // a group of synonyms is as good as a category, where none was told
        let is_subject = |of: &(usize, &Clause)| {
            let is_synonym = |term: &Term| matches!(term, Term::Synonym { .. });
            is_category(of) || !tells_category && of.1.terms.iter().any(is_synonym)
        };
        let subjects: Vec<usize> = wanted.into_iter().filter(is_subject).map(|(at, _)| at).collect();
        let refers_to_told = |part: &Part| {
            let asking = &tokens[part.tokens.clone()];
            let is_again =
                |pair: &[Token]| matches!((pair[0].word, pair[1].word), ("e" | "eh" | "era", "mesmo"));
            part.asks
                && (asking.iter().any(|token| REFERRING.contains(&token.word))
                    || asking.windows(2).any(is_again))
        };
        if told.len() < FEWEST_TOLD
            || parts.iter().any(refers_to_told)
            || refers_back(&tokens, 0, language(&tokens))
        {
            return None;
        }
        if subjects.is_empty() {
            return self.respelt_wish(
                collection,
                &tokens,
                &parts,
                told.into_iter().map(|(_, clause)| clause.words()).collect(),
            );
        }
        let told: Vec<Range<usize>> = self.run(collection, &self.text, |search| {
            let all = search.base_now();
            let subjects = subjects.iter().filter(|at| !search.is_addition(**at));
            let mut subjects = subjects.map(|at| search.lists(*at)).peekable();
            subjects.peek()?;
            let wanted: Bits = subjects.fold(all, |wanted, lists| {
                let both = wanted.and_any(lists);
                if both.is_empty() { wanted } else { both }
            });
            // "my dad collects old coins, is there a museum for him?"
            let says_which = |at: usize| !wanted.and_any(search.lists(at)).is_empty();
            let told = told.iter().filter(|(at, _)| !says_which(*at)).map(|(_, clause)| clause.words());
            Some(told.collect())
        })?;
        let short = self.wish_text(&tokens, &parts, &told)?;
        self.found_for(collection, &short, told)
    }

    /// The same when a word of the wish is one that the guide spells otherwise: "quero um sambinha". Of the whole
    /// message too many words would be compared.
    fn respelt_wish(
        &self,
        collection: &Collection,
        tokens: &[Token],
        parts: &[Part],
        told: Vec<Range<usize>>,
    ) -> Option<Page> {
        let short = self.wish_text(tokens, parts, &told)?;
        let respelt = UnknownWords::of(self.vocabulary, collection, self.query.view, &short).respelt?;
        let query = Query { words: &respelt, ..self.query.clone() };
        let clauses = ParsedQuery::of(self.vocabulary, &query).text.clauses;
        clauses.iter().find(|clause| clause.kind() == ClauseKind::Category)?;
        self.found_for(collection, &respelt, told)
    }

    /// What the shortened text finds, with what was told as left out.
    fn found_for(&self, collection: &Collection, short: &Words, told: Vec<Range<usize>>) -> Option<Page> {
        let query = Query { words: short, ..self.query.clone() };
        let mut page = ParsedQuery::of(self.vocabulary, &query).search(collection);
        if page.total == 0 && page.next.is_none() {
            return None;
        }
        let left_out = &mut page.closest.get_or_insert_default().left_out;
        for text in self.query.words.texts(told) {
            if !left_out.contains(&text) {
                left_out.push(text);
            }
        }
        Some(page)
    }

    /// The text that says what is wanted alone; `None` when that is all of it.
    fn wish_text(&self, tokens: &[Token], parts: &[Part], told: &[Range<usize>]) -> Option<Words> {
        let asking = parts.iter().filter(|part| part.asks).flat_map(|part| &tokens[part.tokens.clone()]);
        // all of these are kept
        if asking.filter(|token| !token.is_symbol && !token.is_stop_word()).count() > LONGEST_WISH {
            return None;
        }
        let kept = self.kept(tokens, parts, told);
        let is_kept = |token: usize| kept.iter().any(|kept| kept.contains(&token));
        let short = self.query.words.only(|token| is_kept(token) && !tokens[token].is_symbol);
        let is_shorter = short.count_tokens() < self.query.words.count_tokens();
        (is_shorter && short.count_meaningful() <= LONGEST_WISH).then_some(short)
    }

    /// The tokens that say what is wanted, and what is not; which, where and when, even where another part says it.
    fn kept(&self, tokens: &[Token], parts: &[Part], told: &[Range<usize>]) -> SmallVec<[Range<usize>; 8]> {
        let words = self.query.words;
        let excluded = self.text.excluded.iter().map(|clause| clause.words().start);
        let names = self.text.excluded_names.iter().map(|name| name.words.start);
        let excluded: SmallVec<[usize; 4]> =
            excluded.chain(names).chain(self.text.known_at.iter().copied()).collect();
        let has_excluded = |part: &Part| excluded.iter().any(|at| part.tokens.contains(&words.token(*at)));
        let kept =
            parts.iter().filter(|part| part.asks || has_excluded(part)).map(|part| part.tokens.clone());
        let mut kept: SmallVec<[Range<usize>; 8]> = kept.collect();
        let is_kept = |kept: &[Range<usize>], token: usize| kept.iter().any(|range| range.contains(&token));
        let areas = self.text.clauses.iter().filter(|clause| clause.kind() == ClauseKind::Area);
        let areas = areas.map(|clause| {
            let Range { start, end } = words.tokens_of(clause.words());
            let before = tokens[..start].iter().rev().take(MOST_BEFORE);
            start - before.take_while(|token| token.is_stop_word()).count()..end
        });
        let areas: SmallVec<[Range<usize>; 4]> = areas.collect();
        let says_which = |clause: &&Clause| {
            matches!(clause.kind(), ClauseKind::Category | ClauseKind::Text)
                && !told.contains(&clause.words())
        };
        let which = self.text.clauses.iter().filter(says_which);
        kept.extend(which.map(|clause| words.tokens_of(clause.words())));
        if areas.iter().all(|area| !is_kept(&kept, area.end - 1)) {
            kept.extend(areas);
        }
        let language = language(tokens);
        let time = |at: usize| {
            let (taken, when) = dates::may_begin(tokens, at)
                .then(|| dates::read(tokens, at, self.query.today, language))??;
            let is_over = when.days.as_ref().is_some_and(|days| days.hull().to < self.query.today);
            // "but not on saturday"
            let is_excluded = (at.saturating_sub(MOST_BEFORE)..at).any(|before| {
                let found = operator(tokens, before, language);
                found.is_some_and(|(taken, operator)| operator.excludes() && before + taken == at)
            });
            (!is_over && !is_excluded).then_some(at..at + taken)
        };
        let times: SmallVec<[Range<usize>; 4]> = (0..tokens.len()).filter_map(time).collect();
        if times.iter().all(|time| !is_kept(&kept, time.start)) {
            kept.extend(times);
        }
        kept
    }
}
