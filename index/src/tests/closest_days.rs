//! What a search answers of the days of a question, when no record meets the whole.

use crate::records::schema::View;
use crate::search::search;
use crate::tests::closest::{events, places};
use crate::tests::generators::{demo, demo_guide, today};
use crate::vocabulary::words::Words;
use crate::{Guide, Query, Window};

#[test]
fn a_party_that_is_not_on_asks_for_what_is() {
    let guide = demo_guide();
    let (page, ids, _) = events(guide, "vai ter festa dia 21 de abril na esplanada?");
    assert_eq!(ids, ["aniversario-de-brasilia-2027-04-21"]);
    assert_eq!(page.closest.unwrap().left_out, ["festa"]);
}

#[test]
fn what_is_not_on_in_its_days_comes_with_what_is() {
    let guide = demo_guide();
    // the next samba is on another day
    let (_, listed, further) = events(guide, "samba no dia 21 de abril");
    assert!(!listed.is_empty() && listed.iter().all(|id| !id.ends_with("-04-21")), "{listed:?}");
    assert_eq!(further[0], "aniversario-de-brasilia-2027-04-21");
    // one word of many is in the name of a church
    let (_, listed, further) = events(guide, "2 de fevereiro, flores xyzzy qqzz pra rainha do mar");
    assert_eq!((listed, &*further[0]), (vec![], "festa-de-iemanja-2027-02-02"));
    // nothing is on at the lake that day
    let (_, listed, further) = events(guide, "31 de dezembro, xyzzy no lago norte");
    assert_eq!((listed, &*further[0]), (vec![], "reveillon-dos-orixas-2026-12-31"));
}

#[test]
fn a_later_day_that_has_more_of_the_question_goes_before_the_usual_days() {
    let guide = demo_guide();
    let (page, ids, _) = events(guide, "missa xyzzy do divino com cavaleiros");
    assert!(ids.is_empty() && page.closest.is_some(), "{page:?}");
    let next = page.next.unwrap();
    let next = next.ranks.iter().map(|rank| guide.events.rendered.id(*rank));
    assert_eq!(next.collect::<Vec<_>>(), ["festa-do-divino-espirito-santo-de-planaltina-2027-05-16"]);
}

#[test]
fn days_are_no_answer_to_words_that_were_not_understood() {
    let guide = demo_guide();
    let (page, listed, _) = events(guide, "o que fazer sábado");
    assert!(page.closest.is_none() && !listed.is_empty());
    let (page, listed, further) = events(guide, "xyzzy sábado");
    assert!(listed.is_empty() && page.closest.is_none() && page.relax.is_some());
    assert!((1..=10).contains(&further.len()), "{further:?}");
    // a feast that no event is about, in an area; a fair in Santa Maria is not about the Holy Week
    for question in
        ["viernes santo en Planaltina", "semana santa en Planaltina", "sexta-feira santa em Planaltina"]
    {
        let (page, listed, further) = events(guide, question);
        assert!(listed.is_empty(), "{question}: {listed:?} {:?} {:?}", page.closest, page.interpretation);
        assert!(
            further.iter().any(|id| id.starts_with("via-sacra-de-planaltina")),
            "{question}: {further:?}"
        );
        assert!(
            !further.iter().any(|id| id.starts_with("feira-do-riacho-fundo-i")),
            "{question}: {further:?}"
        );
    }
}

#[test]
fn what_is_on_once_a_year_comes_before_the_markets_of_each_week() {
    let guide = demo_guide();
    for (question, series) in [
        ("xyzzy celebration on september 7", "desfile-de-7-de-setembro"),
        ("xyzzy celebration in february", "festa-de-iemanja"),
    ] {
        let (_, listed, further) = events(guide, question);
        assert!(
            listed.is_empty() && further[..3].iter().any(|id| id.starts_with(series)),
            "{question}: {further:?}"
        );
    }
}

#[test]
fn a_feast_is_called_by_its_name_beside_its_date() {
    let guide = demo_guide();
    for question in ["virada do ano 31 de dezembro", "31 de dezembro, réveillon"] {
        let (page, listed, _) = events(guide, question);
        assert!(page.interpretation.text.is_empty(), "{question}: {page:?}");
        assert!(listed[0].starts_with("reveillon-dos-orixas"), "{question}: {listed:?}");
    }
}

#[test]
fn the_subject_is_one_that_the_named_days_have() {
    let guide = demo_guide();
    // no feast is on that day, and no lunch
    let (page, listed, _) = events(guide, "next Sunday after lunch, a party with music outdoors");
    let closest = page.closest.expect("nothing is all of it");
    assert!(closest.days.is_none() && !listed.is_empty(), "{closest:?}");
}

#[test]
fn who_asks_for_anything_in_an_area_asks_for_no_name_elsewhere() {
    let guide = demo_guide();
    let listed = |question: &str| places(guide, question).1;
    assert_eq!(
        listed("o que tem pra conhecer em Brazlândia? tô na casa da tia"),
        listed("o que tem em Brazlândia")
    );
    assert_eq!(listed("restaurante da tia Zélia"), ["restaurante-da-tia-zelia"]);
}

#[test]
fn a_record_that_has_two_words_of_the_question_is_meant_on_whatever_day() {
    let guide = demo_guide();
    for question in ["faltei a via sacra esse ano", "qqzz xyzzy jjkk a via sacra esse ano em Planaltina"] {
        let (page, listed, _) = events(guide, question);
        assert_eq!(listed, ["via-sacra-de-planaltina-2027-03-26"], "{question}: {page:?}");
        assert!(page.closest.expect("not all of it").days.is_some(), "{question}");
    }
}

#[test]
fn a_misspelt_name_is_found_on_its_next_day() {
    let guide = demo_guide();
    let (page, listed, _) = events(guide, "festa de Yemanya");
    assert!(listed.is_empty() && !page.interpretation.corrected.is_empty(), "{page:?}");
    let next = page.next.expect("its next day");
    assert_eq!(guide.events.rendered.id(next.ranks[0]), "festa-de-iemanja-2027-02-02");
}

#[test]
fn separate_days_are_followed_by_seven_more() {
    let guide = demo_guide();
    let words = Words::new("xyzzy sexta e domingo");
    let query = Query { strict: true, ..Query::of(&words, today(), View::Full, 20) };
    let events = |text: &str| {
        let words = Words::new(text);
        search(guide.vocabulary(), &guide.events, &Query { words: &words, ..query.clone() })
    };
    // a Tuesday
    let relax = events("adora roda sexta e domingo").relax.unwrap();
    assert_eq!(
        (relax.seven_more_days, events("adora roda sexta").relax.unwrap().seven_more_days),
        (Some(1), Some(1))
    );
}

#[test]
fn the_days_of_a_series_are_within_those_that_are_searched() {
    let mut snapshot = demo();
    let series = snapshot.events.iter().find_map(|event| event.series.clone()).unwrap();
    for event in snapshot.events.iter_mut().filter(|event| event.series.as_ref() == Some(&series)) {
        event.end_date = Some(event.date + chrono::Days::new(2));
    }
    let guide = Guide::build(&snapshot).unwrap();
    let words = Words::default();
    for ahead in 0..14 {
        let from = today() + chrono::Days::new(ahead);
        let window = Some(Window { from, to: from + chrono::Days::new(20) });
        let query = Query { window, group: true, ..Query::of(&words, today(), View::Full, 500) };
        let page = search(guide.vocabulary(), &guide.events, &query);
        let at =
            page.ranks.iter().position(|rank| guide.events.rendered.id(*rank).starts_with(&series)).unwrap();
        assert!(page.dates[at].iter().all(|day| *day >= from), "{from}: {:?}", page.dates[at]);
    }
}
