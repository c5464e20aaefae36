//! Which runs of words of a question are part of a name, as those of a series or a chain are.

use std::cell::Cell;
use std::ops::Range;

use crate::collection::{Collection, MOST_RECORDS};
use crate::fold::fold;
use crate::postings::PostingCursor;
use crate::schema::View;
use crate::words::Words;

/// The words of a question as parts of the names of a collection.
pub(crate) struct NameParts<'s> {
    collection: &'s Collection,
    words: &'s Words,
    /// For each word, the records that it can be the subject of.
    lists: Vec<Option<PostingCursor<'s>>>,
    /// For each token, connectors included, whether a name has it before the next one.
    pairs: Vec<bool>,
    /// How many names may still be read.
    left: Cell<usize>,
}

/// How many names are read for one question.
const MOST_NAMES: usize = 1_024;

impl<'s> NameParts<'s> {
    pub(crate) fn of(collection: &'s Collection, view: View, words: &'s Words) -> Self {
        let lists = (0..words.len()).map(|at| collection.text.subject(view, words.stem(at))).collect();
        let pairs = pairs(words.folded()).map(|pair| collection.is_in_a_name(pair)).collect();
        Self { collection, words, lists, pairs, left: Cell::new(MOST_NAMES) }
    }

    /// Whether the run is part of one name alone, which several records may have: the events of a series, the houses of a
    /// chain.
    pub(crate) fn is_part_of_one(&self, run: &Range<usize>) -> bool {
        // a long question has hundreds of runs, and nearly all of them have two words that no name has side by side
        let tokens = self.words.token(run.start)..self.words.token(run.end - 1);
        if !self.pairs.get(tokens).is_some_and(|pairs| pairs.iter().all(|is_pair| *is_pair)) {
            return false;
        }
        let lists: Option<Vec<&PostingCursor>> = self.lists[run.clone()].iter().map(Option::as_ref).collect();
        let Some(lists) = lists else { return false };
        let rarest = lists.iter().min_by_key(|list| list.len()).map_or(&[][..], |list| list.ranks());
        if rarest.len() > MOST_RECORDS {
            return false;
        }
        let part = format!(" {} ", self.words.between(run.start, run.end));
        let has_all = |rank: &&u32| lists.iter().all(|list| list.has(**rank));
        let mut first: Option<String> = None;
        for rank in rarest.iter().filter(has_all) {
            let Some(left) = self.left.get().checked_sub(1) else { return false };
            self.left.set(left);
            let name = format!(" {} ", fold(&self.collection.sort_key(*rank).1));
            if name.contains(&part) && *first.get_or_insert_with(|| name.clone()) != name {
                return false;
            }
        }
        first.is_some()
    }
}

/// Each word of a folded text with the next one.
pub(crate) fn pairs(folded: &str) -> impl Iterator<Item = &str> {
    let blanks = || folded.match_indices(' ').map(|(at, _)| at);
    let starts = std::iter::once(0).chain(blanks().map(|blank| blank + 1));
    let ends = blanks().skip(1).chain(std::iter::once(folded.len()));
    starts.zip(ends).take(blanks().count()).filter_map(|(start, end)| folded.get(start..end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_but_the_last_has_a_pair() {
        for (text, found) in [("", &[][..]), ("bar", &[]), ("casa de cha", &["casa de", "de cha"])] {
            assert_eq!(pairs(text).collect::<Vec<_>>(), found);
        }
    }
}
