//! What a question finds by words that suggest a category, and what words that are spelt rightly or ask for nothing
//! find.

use crate::search::page::{Nothing, Page};
use crate::tests::closest::{events, places};
use crate::tests::generators::demo_guide;

/// The slugs of the categories that a question was read as.
fn categories(page: &Page) -> Vec<String> {
    let vocabulary = demo_guide().vocabulary();
    let slug = |id| vocabulary.category(id).slug.to_string();
    page.interpretation.categories.iter().copied().map(slug).collect()
}

#[test]
fn several_words_suggest_the_category_that_most_of_them_belong_to() {
    let guide = demo_guide();
    for (question, expected) in [
        ("picnic blanket, frisbee and my puppy", "parque"),
        ("telescópio para ver galáxias e constelações", "ciencia"),
    ] {
        let (page, listed) = places(guide, question);
        assert!(page.closest.is_some() && !listed.is_empty(), "{question}");
        assert!(categories(&page).iter().any(|slug| slug == expected), "{question}: {:?}", categories(&page));
    }
}

#[test]
fn one_word_suggests_a_category_in_a_sentence_and_as_what_somebody_does() {
    let guide = demo_guide();
    let (page, ..) = events(guide, "meus tios vêm no sábado e adoram ouvir um pandeiro");
    assert!(categories(&page).iter().any(|slug| slug == "samba"), "{:?}", categories(&page));
    let (page, listed) = places(guide, "onde janto hoje");
    assert!(categories(&page).iter().any(|slug| slug == "restaurante") && !listed.is_empty());
    // a thing that is named by itself is asked for, and no other one
    assert_eq!(places(guide, "sinagoga").0.total, 0);
}

#[test]
fn words_of_a_record_say_more_than_what_they_suggest() {
    let guide = demo_guide();
    let (page, listed) = places(guide, "uma tarde livre para os azulejos de Athos Bulcão");
    assert!(listed.iter().any(|id| id == "igrejinha-nossa-senhora-de-fatima"), "{listed:?}");
    assert!(page.total < 10, "{}", page.total);
}

#[test]
fn a_word_that_is_spelt_rightly_is_no_other_word() {
    let guide = demo_guide();
    for word in ["ondas", "hammer", "karatê", "requeijão", "colher", "telhado", "batata", "sauna", "manzana"]
    {
        let (page, _) = places(guide, word);
        assert!(page.total == 0 && page.interpretation.corrected.is_empty(), "{word}: {}", page.total);
    }
    for (question, expected) in
        [("cachueira", "chapada-imperial"), ("helado a la piedra", "stonia-ice-creamland")]
    {
        assert!(places(guide, question).1.iter().any(|id| id == expected), "{question}");
    }
}

#[test]
fn words_that_ask_for_nothing_find_nothing() {
    let guide = demo_guide();
    for question in ["oi", "backpack", "mala"] {
        let (page, _) = places(guide, question);
        assert!(page.total == 0 && matches!(page.nothing, Some(Nothing::NotUnderstood)), "{question}");
    }
    for question in ["sugestões", "o que tem", "surprise me", "Brasília", "what is on"] {
        assert!(places(guide, question).0.total > 100, "{question}");
    }
}

#[test]
fn a_phrase_that_no_record_has_is_told_as_left_out() {
    let guide = demo_guide();
    for question in ["feira de artesanato", "música evangélica"] {
        let (page, listed, _) = events(guide, question);
        let left_out = page.closest.map(|closest| closest.left_out).unwrap_or_default();
        assert!(!listed.is_empty() && left_out.len() == 1, "{question}: {left_out:?}");
    }
}

#[test]
fn a_day_between_those_that_are_named_is_the_next_one() {
    let guide = demo_guide();
    // samba is on Tuesdays
    let (page, ..) = events(guide, "samba segunda ou quarta");
    let closest = page.closest.as_ref().and_then(|closest| closest.days);
    let named = page.interpretation.window.unwrap();
    assert!(closest.is_some_and(|day| named.from < day.from && day.to < named.to), "{closest:?} {named:?}");
}

#[test]
fn a_part_of_the_day_alone_is_hours() {
    let guide = demo_guide();
    for question in ["manhã", "tarde", "madrugada", "morning"] {
        let (page, ..) = events(guide, question);
        assert!(page.total > 0 && page.interpretation.hours.is_some(), "{question}");
    }
}
