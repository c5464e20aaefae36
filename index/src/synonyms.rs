//! Groups of words that mean the same for searching ("igreja", "church", "iglesia"), and words for what the guide does
//! not list.

use snapshots::Snapshot;

use crate::error::BuildError;
use crate::vocabulary::VocabularyIndex;
use crate::words::Words;

/// Adds the groups that name no category to the index; those that do are terms of the category, see
/// [`crate::categories`]. Adds the words for what the guide does not list.
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
            index.synonyms.insert(words, number);
        }
    }
    for term in &snapshot.not_listed {
        index.not_listed.insert(&Words::new(term), ());
    }
    for town in &snapshot.vocabulary.geography.outside {
        index.outside.insert(&Words::new(town), ());
    }
    Ok(())
}
