//! How whole questions are read: several areas, numbers of people, words of two languages, filters without a text.

use crate::categories;
use crate::closest_tests::{events, places};
use crate::generators::{demo_guide, today};
use crate::page::Nothing;
use crate::schema::View;
use crate::search::{Query, search};
use crate::words::Words;

#[test]
fn areas_that_have_nothing_in_common_are_alternatives() {
    let guide = demo_guide();
    let total = |question: &str| places(guide, question).0.total;
    let both = total("bar na Asa Norte") + total("bar na Asa Sul");
    for question in [
        "bar na Asa Norte, Asa Sul",
        "bar na Asa Norte e na Asa Sul",
        "bars in Asa Norte and Asa Sul",
        "bares en Asa Norte y Asa Sul",
        "bar: Asa Norte vs Asa Sul",
    ] {
        let (page, listed) = places(guide, question);
        assert!(
            page.closest.is_none() && page.total == both && !listed.is_empty(),
            "{question}: {}",
            page.total
        );
    }
    // one inside the other narrows it
    assert_eq!(total("bar na Asa Norte, Plano Piloto"), total("bar na Asa Norte"));
}

#[test]
fn how_many_come_is_no_number_of_an_address() {
    let guide = demo_guide();
    let listed = |question: &str| places(guide, question).1;
    for (question, without) in [
        ("restaurante para grupo de 15", "restaurante para grupo"),
        ("family of 5 lunch", "family lunch"),
        ("we are 4 adults, pizza", "we are adults, pizza"),
        ("casal com 2 filhos, almoço", "casal com filhos, almoço"),
    ] {
        assert_eq!(listed(question), listed(without), "{question}");
    }
    // a superquadra is one
    assert_ne!(listed("bar de 408"), listed("bar"));
}

#[test]
fn holidays_are_no_fairs() {
    let guide = demo_guide();
    let ids = events(guide, "programação de férias para crianças").1;
    assert!(!ids.is_empty() && ids.iter().all(|id| !id.starts_with("feira")), "{ids:?}");
    let ids = events(guide, "qué ferias hay el sábado").1;
    assert!(ids.iter().any(|id| id.starts_with("feira")), "{ids:?}");
}

#[test]
fn a_filter_alone_that_finds_nothing_says_why() {
    let guide = demo_guide();
    let words = Words::default();
    let of_category = |text: &str| {
        let categories = categories::resolve(guide.vocabulary(), text).unwrap();
        let query = Query { categories, ..Query::of(&words, today(), View::Full, 5) };
        let page = search(guide.vocabulary(), &guide.events, &query);
        (page.total, page.nothing)
    };
    assert_eq!(of_category("gospel"), (0, Some(Nothing::EmptyCategory)));
    assert!(matches!(of_category("samba"), (1.., None)));
}
