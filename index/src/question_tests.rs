//! How whole questions are read: several areas, numbers of people, words of two languages, filters without a text.

use chrono::NaiveDate;

use crate::categories;
use crate::closest_tests::{events, places};
use crate::dates::Window;
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

#[test]
fn a_weekday_is_one_of_the_days_that_are_demanded() {
    let guide = demo_guide();
    let day = |month, day| NaiveDate::from_ymd_opt(2026, month, day).expect("a date");
    let listed = |question: &str, from, to| {
        let words = Words::new(question);
        let window = Some(Window { from, to });
        let page = search(
            guide.vocabulary(),
            &guide.events,
            &Query { window, ..Query::of(&words, today(), View::Full, 50) },
        );
        assert!(page.closest.is_none(), "{question}: {:?}", page.closest);
        page.ranks.iter().map(|rank| guide.events.rendered.id(*rank).to_owned()).collect::<Vec<_>>()
    };
    let saturdays = [5, 12, 19, 26].map(|saturday| format!("2026-12-{saturday:02}"));
    for question in ["samba sábado", "samba no próximo sábado", "samba on saturday", "samba el sábado"] {
        let all = listed(question, day(12, 1), day(12, 31));
        assert!(
            !all.is_empty() && all.iter().all(|id| saturdays.iter().any(|one| id.ends_with(one))),
            "{all:?}"
        );
        assert_eq!(
            listed(question, day(12, 12), day(12, 13)),
            all.iter().filter(|id| id.ends_with("-12")).cloned().collect::<Vec<_>>()
        );
    }
    // the next of them alone, where it is among the days
    let soon = listed("samba sábado", today(), day(12, 31));
    assert!(!soon.is_empty() && soon.iter().all(|id| id.ends_with("2026-11-21")), "{soon:?}");
}

#[test]
fn a_word_that_describes_a_category_parameter_is_let_go_and_an_unknown_one_is_not() {
    let guide = demo_guide();
    let italian = categories::resolve(guide.vocabulary(), "italiano").expect("a category");
    let found = |question: &str| {
        let words = Words::new(question);
        let query = Query { categories: italian.clone(), ..Query::of(&words, today(), View::Full, 50) };
        search(guide.vocabulary(), &guide.places, &query)
    };
    let all = found("").total;
    let romantic = found("romantic");
    assert_eq!(
        (romantic.total, romantic.closest.expect("let go").left_out),
        (all, vec!["romantic".to_owned()])
    );
    let unknown = found("qqqxxzz");
    assert_eq!((unknown.total, unknown.closest, unknown.nothing), (0, None, Some(Nothing::NotUnderstood)));
}
