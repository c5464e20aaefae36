//! Groups of words that mean the same for searching ("igreja", "church", "iglesia"), and words for what the guide does not
//! list.

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
        for words in phrases.iter().filter(|words| !words.is_empty()) {
            index.synonyms.insert(words.whole().to_owned(), number);
            let longest = index.longest_synonyms.entry(words.stem(0).to_owned()).or_default();
            *longest = (*longest).max(u8::try_from(words.len()).unwrap_or(u8::MAX));
        }
    }
    let terms = snapshot.not_listed.iter().map(|term| (Words::new(term).whole().to_owned(), ()));
    index.not_listed.extend(terms.filter(|(phrase, ())| !phrase.is_empty()));
    let towns = &snapshot.vocabulary.geography.outside;
    index.outside.extend(towns.iter().map(|town| (Words::new(town).whole().to_owned(), ())));
    Ok(())
}
