//! What a question asks for stays its subject: a category without records, a country, a feast, a meal.

use crate::search::page::Nothing;
use crate::tests::closest::{events, places};
use crate::tests::generators::demo_guide;

#[test]
fn a_category_that_no_record_has_is_let_go_neither_for_its_words_nor_for_a_place_to_come_from() {
    let guide = demo_guide();
    let found = |question: &str| {
        let (page, listed, next) = events(guide, question);
        (page.nothing, listed.len() + next.len())
    };
    assert_eq!(found("show de stand-up no sábado"), (Some(Nothing::EmptyCategory), 0));
    // a kind of music that no record has is still music
    assert!(found("música brasileira no sábado").1 > 0);
    assert!(found("saio do serviço às seis, tem alguma feira que funcione na sexta?").1 > 0);
}

#[test]
fn a_mealtime_asks_for_a_meal_when_nothing_else_is_asked_for() {
    let guide = demo_guide();
    let same = |question: &str, other: &str| assert_eq!(places(guide, question).1, places(guide, other).1);
    same("na hora do almoço na asa sul", "almoço na asa sul");
    same("museu na hora do almoço", "museu");
    same("museums at lunchtime", "museums");
}

#[test]
fn an_outing_asks_for_what_else_is_said_or_for_what_is_on() {
    let listed = |question: &str| events(demo_guide(), question).1;
    let street = listed("rua sem carros domingo");
    assert!(!street.is_empty());
    assert_eq!(listed("passear em rua sem carros domingo"), street);
    assert_eq!(listed("pasear por una calle sin autos domingo"), street);
    assert!(listed("queremos passear no domingo de manhã").len() > 1);
}

#[test]
fn what_is_said_of_work_and_of_closed_doors_is_no_wish() {
    let guide = demo_guide();
    let same = |question: &str, other: &str| assert_eq!(places(guide, question).1, places(guide, other).1);
    same("acabei de sair do trabalho e queria um chope", "chope");
    same("está todo cerrado, algún museo en Asa Sul", "museo en Asa Sul");
    same(
        "café que não seja na Asa Sul e não tenha música ao vivo",
        "café sem música ao vivo fora da Asa Sul",
    );
}

#[test]
fn the_hour_of_now_is_told_as_not_known() {
    let not_known = |question: &str| events(demo_guide(), question).0.interpretation.not_known.len();
    assert_eq!(not_known("what's on right now"), 1);
    assert_eq!(not_known("agora à noite"), 0);
}

#[test]
fn what_is_of_a_country_is_no_thing_of_another() {
    let guide = demo_guide();
    for (question, word) in [
        ("restaurante grego", "grego"),
        ("Is there a Greek restaurant in Brasília?", "greek"),
        ("comida húngara na asa sul", "hungara"),
    ] {
        let (page, listed) = places(guide, question);
        assert!(listed.is_empty(), "{question}: {listed:?}");
        assert_eq!(page.nothing, Some(Nothing::OfNoCountry(word.to_owned())), "{question}");
    }
    assert_eq!(places(guide, "restaurante cubano").1, ["bodega-de-la-habana"]);
}

#[test]
fn a_feast_is_the_subject_beside_the_children_who_come_along() {
    let (_, listed, _) =
        events(demo_guide(), "o que vai ter no aniversário da cidade, 21 de abril, com a família?");
    assert_eq!(listed, ["aniversario-de-brasilia-2027-04-21"]);
}

#[test]
fn what_something_is_to_be_cheaper_than_is_taken_away() {
    let guide = demo_guide();
    let (page, listed) = places(guide, "a steakhouse cheaper than Fogo de Chão");
    assert!(!listed.is_empty() && !listed.contains(&"fogo-de-chao".to_owned()), "{listed:?}");
    assert_eq!(page.interpretation.not_known.len(), 1);
}

#[test]
fn what_a_museum_is_about_is_no_alternative_to_it() {
    let guide = demo_guide();
    assert_eq!(places(guide, "museu sobre o Nordeste").1, ["museu-de-artes-e-tradicao-do-nordeste"]);
    // in Spanish it is
    assert!(places(guide, "museo o parque").0.total > places(guide, "museo").0.total);
}

#[test]
fn what_something_is_not_is_taken_away() {
    let guide = demo_guide();
    let without = places(guide, "restaurante vegano na Asa Norte sem self-service").1;
    assert!(!without.is_empty());
    for question in [
        "Qual restaurante vegano da Asa Norte não é self-service?",
        "a vegan restaurant in Asa Norte that isn't a self-service",
        "¿Qué restaurante vegano de Asa Norte no es self-service?",
    ] {
        assert_eq!(places(guide, question).1, without, "{question}");
    }
}

#[test]
fn few_records_of_both_kinds_come_with_those_of_either() {
    let guide = demo_guide();
    let (both, listed) = places(guide, "museu e teatro");
    assert!(!listed.is_empty() && listed.len() <= 5);
    let either = places(guide, "museu ou teatro").1;
    let further: Vec<&str> = both.further.iter().map(|rank| guide.places.rendered.id(*rank)).collect();
    assert!(!further.is_empty());
    assert!(further.iter().all(|id| either.iter().any(|other| other == id)), "{further:?}");
    assert!(!further.iter().any(|id| listed.iter().any(|other| other == id)), "listed twice: {further:?}");
    assert!(places(guide, "museu").0.further.is_empty());
}

#[test]
fn a_kind_of_music_stays_the_subject_beside_the_word_for_a_concert() {
    for question in
        ["jazz concert tonight", "jazz music on saturday", "jazz show hoje", "concerto de jazz no sábado"]
    {
        let (_, listed, next) = events(demo_guide(), question);
        let found = listed.first().or(next.first()).map(String::as_str).unwrap_or_default();
        assert!(found.starts_with("buraco-do-jazz"), "{question}: {listed:?} {next:?}");
    }
}

#[test]
fn english_no_excludes_in_questions_of_keywords_too() {
    for (question, excluded) in [
        ("italian restaurant, no pizza", "pizza"),
        ("restaurant, no sushi, asa sul", "sushi"),
        ("burger place, no beer", "beer"),
        ("bar, nothing with samba", "samba"),
    ] {
        assert_eq!(places(demo_guide(), question).0.interpretation.without, [excluded], "{question}");
    }
    assert!(places(demo_guide(), "museu, no Gama").0.interpretation.without.is_empty());
}

#[test]
fn what_is_preferred_behind_an_exclusion_is_wanted() {
    let (page, listed, _) = events(
        demo_guide(),
        "feira amanhã que não seja no Plano Piloto, de preferência no Gama ou em Santa Maria",
    );
    assert_eq!(page.interpretation.without, ["plano piloto"]);
    assert!(listed.iter().any(|id| id.starts_with("feira-permanente-do-gama")), "{listed:?}");
}

#[test]
fn a_word_of_what_is_not_listed_within_a_longer_phrase_asks_for_that() {
    let (_, listed) = places(demo_guide(), "mi hijo quiere subirse a los juegos mecánicos");
    assert_eq!(listed, ["nicolandia-center-park"]);
    assert!(places(demo_guide(), "un mecánico").1.is_empty());
}

#[test]
fn a_place_that_is_said_to_be_outdoors_stays_the_subject() {
    let guide = demo_guide();
    for (question, subject) in
        [("outdoor bar", "bar"), ("open-air concert venue", "concert venue"), ("outdoor cinema", "cinema")]
    {
        let (page, found) = places(guide, question);
        let (_, of_subject) = places(guide, subject);
        assert!(!found.is_empty() && found.iter().all(|id| of_subject.contains(id)), "{question}: {found:?}");
        assert!(page.closest.is_some(), "{question}");
    }
}

#[test]
fn what_is_rented_may_be_listed() {
    let guide = demo_guide();
    for question in ["rent a kayak", "aluguel de caiaque", "alquiler de kayak"] {
        let (page, found) = places(guide, question);
        assert!(page.nothing.is_none() && !found.is_empty(), "{question}");
    }
    for question in ["rent an apartment", "aluguel na Asa Norte", "aluguel de apartamento perto do parque"] {
        assert!(matches!(places(guide, question).0.nothing, Some(Nothing::NotListed(_))), "{question}");
    }
}

#[test]
fn who_is_told_to_answer_is_no_part_of_the_question() {
    let guide = demo_guide();
    let plain = places(guide, "livrarias na Asa Sul").1;
    assert!(plain.len() > 1);
    for question in [
        "sugira livrarias na Asa Sul",
        "recomendem livrarias na Asa Sul",
        "dame librerías en la Asa Sul",
        "identify bookshops in Asa Sul",
    ] {
        let (page, found) = places(guide, question);
        assert!(page.closest.is_none() && found == plain, "{question}: {found:?}");
    }
}

#[test]
fn a_question_for_what_is_in_a_region_gets_nothing_that_only_has_its_word() {
    let guide = demo_guide();
    let paranoa = places(guide, "restaurante no Paranoá").1;
    assert_eq!(paranoa, ["restaurante-comunitario-do-paranoa"]);
    assert_eq!(places(guide, "restaurante no Varjão ou Paranoá").1.len(), paranoa.len() + 1);
    // without "in" the word counts wherever a record has it
    assert!(places(guide, "Paranoá").1.len() > places(guide, "no Paranoá").1.len());
    // "no lago" is by the water too
    assert!(places(guide, "restaurante no lago").1.iter().any(|id| id == "coco-bambu-lago-sul"));
}
