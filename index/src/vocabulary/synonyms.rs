//! Groups of words that mean the same for searching ("igreja", "church", "iglesia"), and words for what the guide does
//! not list.

use std::collections::hash_map::Entry;

use snapshots::Snapshot;

use crate::error::BuildError;
use crate::vocabulary::words::Words;
use crate::vocabulary::{PhraseTable, VocabularyIndex};

/// Adds the groups that name no category to the index; those that do are terms of the category, see
/// [`crate::vocabulary::categories`]. Adds the words for what the guide does not list.
pub(crate) fn add_synonyms(snapshot: &Snapshot, index: &mut VocabularyIndex) -> Result<(), BuildError> {
    for group in &snapshot.vocabulary.synonyms.groups {
        let phrases: Vec<Words> = group.iter().map(|phrase| Words::new(phrase)).collect();
        let is_category = |words: &Words| {
            let meaning = index.phrases.get(words.whole());
            meaning.is_some_and(|meaning| !meaning.filter_categories.is_empty())
        };
        if phrases.iter().any(is_category) {
            continue;
        }
        let number = index.groups;
        index.groups = number.checked_add(1).ok_or(BuildError::TooLarge("groups of synonyms"))?;
        for words in &phrases {
            insert(&mut index.synonyms, words, number);
        }
    }
    for term in &snapshot.not_listed {
        insert(&mut index.not_listed, &Words::new(term), ());
    }
    for town in &snapshot.vocabulary.geography.outside {
        insert(&mut index.outside, &Words::new(town), ());
    }
    Ok(())
}

/// Says what a phrase means.
fn insert<V>(table: &mut PhraseTable<V>, phrase: &Words, meaning: V) {
    if let Some(entry) = entry(table, phrase) {
        entry.insert_entry(meaning);
    }
}

/// What a phrase means, to be set; `None` for one without words.
pub(crate) fn entry<'t, V>(table: &'t mut PhraseTable<V>, phrase: &Words) -> Option<Entry<'t, String, V>> {
    if phrase.is_empty() {
        return None;
    }
    let longest = table.longest.entry(phrase.stem(0).to_owned()).or_default();
    *longest = (*longest).max(u8::try_from(phrase.len()).unwrap_or(u8::MAX));
    Some(table.phrases.entry(phrase.whole().to_owned()))
}
