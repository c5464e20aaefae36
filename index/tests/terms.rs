//! The key by which `check` compares synonyms is the one by which a search finds them: else it would accept a word in
//! two groups.
#![allow(clippy::unwrap_used, reason = "a test that panics has failed, as it should")]

use index::vocabulary::words::Words;
use proptest::prelude::*;
use snapshots::terms::key;

#[test]
fn check_and_search_compare_the_terms_of_the_demo_alike() {
    let snapshot = snapshots::check(&snapshots::demo::files(), "2026-11-21".parse().unwrap()).unwrap();
    let categories = snapshot.vocabulary.taxonomy.categories.iter().flat_map(|category| {
        let labels = [&category.pt, &category.en].into_iter().chain(&category.es);
        let synonyms = category.synonyms_pt.iter().chain(&category.synonyms_en).chain(&category.synonyms_es);
        labels.chain(synonyms).chain(&category.misspellings)
    });
    let groups = snapshot.vocabulary.synonyms.groups.iter().flatten();
    let names = snapshot.places.iter().map(|place| &place.name);
    for term in categories.chain(groups).chain(&snapshot.not_listed).chain(names) {
        assert_eq!(key(term), Words::new(term).whole(), "{term}");
    }
}

proptest! {
    #[test]
    fn check_and_search_compare_any_text_alike(
        text in "[a-zA-Z0-9áàâãéêíóôõúüçñÁÇÑ .,'/&-]{0,40}",
        words in "([a-z]{1,7}(aes|oes|ais|eis|is|ies|res|zes|esa|esas|em|ens|y|s)?( (de|da|of|the) | ))+",
    ) {
        for term in [text, words] {
            let searched = Words::new(&term);
            prop_assert_eq!(key(&term), searched.whole());
        }
    }
}
