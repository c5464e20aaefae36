//! What a question finds by the whole names of records: what is at a place, several names, and a name with an area in
//! it.

use crate::question::near::Caller;
use crate::records::collection::Collection;
use crate::records::schema::View;
use crate::search::page::Page;
use crate::search::search;
use crate::tests::closest::{events, places};
use crate::tests::generators::{demo_guide, today};
use crate::vocabulary::EVERYWHERE;
use crate::vocabulary::words::Words;
use crate::{Guide, Query};

/// The page and ids of a question for what is at the place that it names.
fn at_place(guide: &Guide, collection: &Collection, question: &str, view: View) -> (Page, Vec<String>) {
    let words = Words::new(question);
    let caller = Caller { view, scope: EVERYWHERE, covered: None };
    let at = guide.at_place(&words, caller);
    let query = Query { at: at.as_ref(), ..Query::of(&words, today(), view, 20) };
    let page = search(guide.vocabulary(), collection, &query);
    let ids = page.ranks.iter().map(|rank| collection.rendered.id(*rank).to_owned()).collect();
    (page, ids)
}

fn events_at(question: &str) -> (Page, Vec<String>) {
    at_place(demo_guide(), &demo_guide().events, question, View::Full)
}

fn places_at(question: &str) -> (Page, Vec<String>) {
    at_place(demo_guide(), &demo_guide().places, question, View::Full)
}

#[test]
fn what_is_on_at_a_place_is_nothing_elsewhere() {
    for question in [
        "what's on at CCBB",
        "o que tem no ccbb",
        "qué hay en el CCBB",
        "o que tem no Infinu sábado",
        "o que tem na igrejinha domingo",
        "tem show no Infinu",
        "show no Clube do Choro",
        "o que tem na catedral",
        "what's on at the cathedral",
    ] {
        let (page, listed) = events_at(question);
        assert!(listed.is_empty() && page.further.is_empty(), "{question}: {listed:?}");
    }
    let (_, listed) = events_at("o que tem toda semana no Feitiço das Artes?");
    assert!(listed.len() > 1 && listed.iter().all(|id| id.contains("feitico-das-artes")), "{listed:?}");
    // what comes later is told, by the venue too: the guide links this event to no place
    let next = |question: &str| {
        let page = events_at(question).0;
        page.next.map(|next| demo_guide().events.rendered.id(next.ranks[0]).to_owned())
    };
    assert_eq!(next("what's on at Praça dos Orixás").as_deref(), Some("reveillon-dos-orixas-2026-12-31"));
    let (_, listed) = events_at("missa na catedral no dia 12 de outubro");
    assert_eq!(listed, ["festa-da-padroeira-nossa-senhora-aparecida-2027-10-12"]);
}

#[test]
fn a_kind_of_place_an_area_and_another_name_are_no_place_to_be_at() {
    let guide = demo_guide();
    let caller = Caller { view: View::Full, scope: EVERYWHERE, covered: None };
    for question in [
        "o que tem no teatro",
        "what's on at the museum",
        "queria ir numa missa em dezembro",
        "missa na catedral dos militares",
        "feira na Torre de TV",
        "o que tem no Parque da Cidade",
        "quando é o Choro no Eixo",
        "samba que não seja no Infinu",
        "bars, no Infinu, I was there",
    ] {
        assert!(guide.at_place(&Words::new(question), caller).is_none(), "{question}");
    }
    assert!(guide.at_place(&Words::new("o que tem no Infinu"), caller).is_some());
}

#[test]
fn another_kind_of_place_is_asked_for_in_a_place_or_beside_it() {
    for (question, expected) in [
        ("restaurantes no Brasília Shopping", &["coco-bambu-brasilia-shopping"][..]),
        ("restaurants at Brasília Shopping", &["coco-bambu-brasilia-shopping"]),
        ("teatro no Brasília Shopping", &["teatro-brasilia-shopping"]),
        ("cinema no Taguatinga Shopping", &["cinemark-taguatinga-shopping", "taguatinga-shopping"]),
        // itself has one, and what is at its very point
        ("cinema no Terraço Shopping", &["kinoplex-terraco", "terraco-shopping"]),
        ("cinema no Pier 21", &["cinemark-pier-21"]),
        ("cinema no Terraço", &["kinoplex-terraco", "terraco-shopping"]),
    ] {
        let (page, listed) = places_at(question);
        assert_eq!(listed, expected, "{question}");
        assert!(page.around.is_none_or(|around| !around.is_beside), "{question}");
    }
    // nothing says that it is there: the nearest, and the place itself next
    let (page, listed) = places_at("jantar no Alameda Shopping");
    let around = page.around.unwrap();
    assert!(around.is_beside && around.near.name == "Alameda Shopping" && !listed.is_empty());
    assert_eq!(demo_guide().places.rendered.id(page.further[0]), "alameda-shopping");
    // what a place is itself is asked of it
    assert_eq!(places_at("pizza no Godofredo").1.last().unwrap(), "godofredo");
    assert_eq!(places_at("samba no Restaurante da Tia Zélia").1, ["restaurante-da-tia-zelia"]);
}

#[test]
fn names_that_are_joined_ask_for_each_of_the_records() {
    let guide = demo_guide();
    let sights = ["memorial-jk", "catedral-metropolitana-nossa-senhora-aparecida", "torre-de-tv"];
    for (question, expected) in [
        ("Memorial JK or Catedral or Torre de TV", &sights[..]),
        ("Memorial JK, Catedral, Torre de TV", &sights),
        ("Memorial JK e Catedral e Torre de TV", &sights),
        ("Memorial JK, Catedral & Torre de TV", &sights),
        ("Memorial JK, Museu do Catetinho", &["memorial-jk", "museu-do-catetinho"]),
        ("compare Beirute e Godofredo", &["beirute-asa-norte", "beirute-asa-sul", "godofredo"]),
        ("Pontão do Lago Sul e Ermida Dom Bosco", &["ermida-dom-bosco", "pontao-do-lago-sul"]),
    ] {
        let (page, mut listed) = places(guide, question);
        let mut expected = expected.to_vec();
        listed.sort_unstable();
        expected.sort_unstable();
        assert_eq!(listed, expected, "{question}");
        assert!(page.closest.is_none(), "{question}: {:?}", page.closest);
    }
    let (page, listed) = places(guide, "xyzzy: Beirute or Libanus");
    assert_eq!((listed.len(), page.closest.unwrap().left_out), (3, vec!["xyzzy".to_owned()]));
    // words of the vocabulary, and a wish beside the names
    for question in ["lago e catedral", "bares e restaurantes", "sushi, Beirute ou Libanus"] {
        let listed = places(guide, question).1;
        assert!(listed.len() != 2, "{question}: {listed:?}");
    }
}

#[test]
fn a_name_with_an_area_in_it_moves_to_its_next_day_and_to_no_other_name() {
    let guide = demo_guide();
    for (question, expected) in [
        ("feira do guará segunda", "feira-permanente-do-guara-2026-11-25"),
        ("a feira do guará abre segunda?", "feira-permanente-do-guara-2026-11-25"),
        ("feira dos importados segunda", "feira-dos-importados-2026-11-24"),
        ("is feira dos importados open monday", "feira-dos-importados-2026-11-24"),
        ("does the tv tower fair open monday", "feira-da-torre-de-tv-2026-11-26"),
    ] {
        let (page, listed, _) = events(guide, question);
        assert_eq!(listed, [expected], "{question}");
        assert!(page.closest.unwrap().days.is_some_and(|days| expected.ends_with(&days.from.to_string())));
    }
    // an area may widen, but not to the days before
    let (page, listed, further) = events(guide, "feira no guará segunda");
    assert!(!page.closest.unwrap().areas.is_empty() && !listed[0].contains("guara"), "{listed:?}");
    assert!(!further.is_empty() && further.iter().all(|id| id.get(id.len() - 10..) >= Some("2026-11-23")));
}

#[test]
fn a_sign_for_and_joins_and_a_word_is_let_go_once() {
    let guide = demo_guide();
    for question in ["pizza & sushi", "pizza+sushi", "pizza + sushi"] {
        let (page, listed) = places(guide, question);
        assert!(page.closest.is_none() && listed == places(guide, "pizza and sushi").1, "{question}");
    }
    let page = places(guide, "<b>pizza</b> asa sul").0;
    assert_eq!((page.closest.unwrap().left_out, &*page.interpretation.text), (vec!["b".to_owned()], "b"));
}

#[test]
fn what_of_joins_is_what_english_says_without_it() {
    let guide = demo_guide();
    let expected = ["museu-de-valores-do-banco-central"];
    assert_eq!(places(guide, "museum of money").1, expected);
    assert_eq!(places(guide, "money museum").1, expected);
}

#[test]
fn names_that_are_demanded_with_more_words_than_a_record_has_are_not_found() {
    let guide = demo_guide();
    let total = |question: &str, strict: bool| {
        let words = Words::new(question);
        search(
            guide.vocabulary(),
            &guide.places,
            &Query { strict, ..Query::of(&words, today(), View::Full, 10) },
        )
        .total
    };
    assert_eq!((total("Memorial JK, Catetinho", true), total("Memorial JK, Catetinho xyzzy", false)), (2, 2));
    assert_eq!(total("Memorial JK, Catetinho xyzzy", true), 0);
}

#[test]
fn the_hours_of_a_market_stay_when_its_next_day_meets_them() {
    let (page, listed, _) = events(demo_guide(), "feira do Guará na segunda de manhã");
    assert!(listed[0].starts_with("feira-permanente-do-guara"), "{listed:?}");
    assert!(page.closest.is_some_and(|closest| closest.hours.is_none() && closest.days.is_some()));
}

#[test]
fn a_record_that_somebody_knows_is_taken_away_where_another_is_asked_for() {
    for (question, known, other) in [
        ("Fui no Beirute ontem, quero outro bar na Asa Sul", "beirute", "libanus"),
        ("fui no Calaf e gostei, tem outro samba?", "calaf", "feitico-das-artes"),
        ("bares parecidos com o Beirute", "beirute", "amigao-bar"),
        ("something similar to CCBB", "banco-do-brasil", "caixa-cultural-brasilia"),
        ("algo parecido com o Clube do Choro", "clube-do-choro", "feitico-das-artes"),
    ] {
        let (_, listed) = places_at(question);
        assert!(!listed.iter().any(|id| id.contains(known)), "{question}: {listed:?}");
        assert!(listed.iter().any(|id| id == other), "{question}: {listed:?}");
    }
    let (_, listed) = places_at("fui no CCBB");
    assert_eq!(listed, ["centro-cultural-banco-do-brasil-brasilia"], "no other is asked for");
}

#[test]
fn a_kind_of_thing_that_somebody_knows_is_asked_for_all_the_same() {
    for (question, slug) in [
        ("fui a um samba ontem, tem outro?", "samba"),
        ("I loved it, any other jazz bars?", "jazz"),
        ("I have been to Brasilia before, what other museums are there?", "museu"),
        ("estive em Brasília e quero conhecer outros museus", "museu"),
        ("fui em um rodízio de pizza, quero outra pizzaria", "pizzaria"),
        ("something similar to samba", "samba"),
    ] {
        let (page, listed) = places(demo_guide(), question);
        let vocabulary = demo_guide().vocabulary();
        let mut asked = page.interpretation.categories.iter();
        assert!(asked.any(|id| vocabulary.category(*id).slug.as_str() == slug), "{question}: {listed:?}");
    }
}

#[test]
fn a_day_that_is_over_says_nothing_beside_one_to_come() {
    let days = |question: &str| events(demo_guide(), question).0.interpretation.window;
    let saturday = days("samba sábado");
    assert!(saturday.is_some());
    assert_eq!(days("terça passada fui no samba, sábado quero samba"), saturday);
    assert_eq!(days("sábado quero samba, ontem fui num samba"), saturday);
    assert_eq!(days("I went out yesterday, samba on saturday"), saturday);
}
