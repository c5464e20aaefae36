//! What a search answers that no record meets whole, and which records are to the point of a question.

use std::collections::BTreeSet;

use crate::grammar::hints::Hint;
use crate::question::near::Caller;
use crate::records::schema::View;
use crate::search::page::Nothing;
use crate::search::search;
use crate::tests::generators::{demo, demo_guide, today};
use crate::tests::near::all_pages;
use crate::vocabulary::words::Words;
use crate::{Collection, EVERYWHERE, Guide, Page, Query};

#[test]
fn the_pages_of_a_question_with_very_many_areas_let_go_the_same() {
    let demo = demo();
    let guide = Guide::build(&demo).unwrap();
    let areas: Vec<&str> = demo.vocabulary.geography.regions.iter().map(|region| &*region.name).collect();
    for count in [1, 5, 12, areas.len()] {
        // an area without bars keeps the question from being met as written
        let words = Words::new(&format!("bar xyzzy {}", areas[..count].join(", ")));
        let query = Query::of(&words, today(), View::Full, 2);
        let whole = search(guide.vocabulary(), &guide.places, &Query { limit: 1_000, ..query.clone() });
        let expected = (whole.ranks.to_vec(), whole.total);
        assert_eq!(all_pages(&guide, &guide.places, &query), expected, "{count} areas");
    }
}

fn ids(collection: &Collection, ranks: &[u32]) -> Vec<String> {
    ranks.iter().map(|rank| collection.rendered.id(*rank).to_owned()).collect()
}

/// The page of places for a question, and the ids of what it lists.
pub(crate) fn places(guide: &Guide, question: &str) -> (Page, Vec<String>) {
    let words = Words::new(question);
    let query = Query::of(&words, today(), View::Full, 50);
    let page = search(guide.vocabulary(), &guide.places, &query);
    let ids = ids(&guide.places, &page.ranks);
    (page, ids)
}

#[test]
fn a_category_asks_for_its_members_and_for_who_names_it_so() {
    let guide = demo_guide();
    let has = |question: &str, id: &str| places(guide, question).1.iter().any(|found| found == id);
    // "espetinhos" is a term of the category, but no label
    assert!(!has("churrascaria", "bar-do-mendes"));
    assert!(has("churrascaria", "buena-carne"));
    // who asks with the word finds who has it
    assert!(has("espetinho", "bar-do-mendes"));
    // a label is enough
    assert!(has("movie theater", "centro-cultural-banco-do-brasil-brasilia"));
    assert!(!has("movie theater", "planetario-de-brasilia"));
    // its address is in "Rua da Igreja"
    assert!(!has("igreja", "casarao"));
}

#[test]
fn what_no_member_meets_is_asked_of_all_who_mention_the_category() {
    let guide = demo_guide();
    let (page, ids) = places(guide, "churrascaria mendes");
    assert!(page.closest.is_none());
    assert_eq!(ids, ["bar-do-mendes"]);
}

#[test]
fn closest_members_come_without_those_that_only_mention_the_category() {
    let guide = demo_guide();
    let (_, ids) = places(guide, "café xyzzy");
    assert!(ids.len() > 5 && !ids.contains(&"jardim-botanico-de-brasilia".to_owned()), "{ids:?}");
}

#[test]
fn what_has_the_words_of_the_question_comes_before_what_their_category_means() {
    let guide = demo_guide();
    let first = |question: &str| places(guide, question).1.first().cloned().unwrap_or_default();
    assert_eq!(first("feijoada"), "outro-calaf");
    assert_eq!(first("donde comer feijoada"), "outro-calaf");
    // a label asks for members, whatever their names are
    assert_eq!(first("indian food"), "namaste");
    // in a closest answer too
    let (_, ids) = places(guide, "chope xyzzy");
    assert!(ids.contains(&"armazem-do-ferreira".to_owned()), "{ids:?}");
}

#[test]
fn what_is_excluded_is_no_name_that_the_question_asks_for() {
    let guide = demo_guide();
    let (page, ids) = places(guide, "parque com sombra sem ser o parque da cidade");
    assert!(ids.len() > 20 && !ids.contains(&"parque-da-cidade-sarah-kubitschek".to_owned()), "{page:?}");
    let (page, ids) = places(guide, "already saw the cathedral, any other church?");
    assert!(!ids.is_empty() && !ids.iter().any(|id| id.starts_with("catedral-metropolitana")), "{page:?}");
}

#[test]
fn an_excluded_name_takes_away_its_records_alone() {
    let guide = demo_guide();
    for question in [
        "museu que não seja o Museu Nacional",
        "já fui no Museu Nacional, outro museu",
        "já fui no CCBB e no Museu Nacional, que outro museu tem?",
        "a museum, but not the Museu Nacional",
    ] {
        let (page, ids) = places(guide, question);
        assert!(page.closest.is_none() && ids.len() > 10, "{question}: {page:?}");
        assert!(!ids.iter().any(|id| id.starts_with("museu-nacional")), "{question}: {ids:?}");
    }
    let without = |question: &str| places(guide, question).0.interpretation.without;
    assert_eq!(without("já fui no CCBB e no SESI Lab, outro museu"), ["ccbb", "sesi lab"]);
    // a kind of place is no name, nor what is wanted behind one
    assert_eq!(without("almoço, mas não no shopping e sim na Asa Norte"), ["shopping"]);
}

#[test]
fn what_has_the_category_that_was_let_go_comes_next() {
    let guide = demo_guide();
    let further = |question: &str| ids(&guide.places, &places(guide, question).0.further);
    for question in ["bar com samba", "bar de samba na Asa Norte xyzzy"] {
        let is_known = further(question).contains(&"outro-calaf".to_owned());
        // where the listed ones are
        assert_eq!(is_known, !question.contains("Asa Norte"), "{question}");
    }
    // a word of an area's name is no name of a place
    assert!(further("sushi or pizza in Lago Sul").is_empty());
}

#[test]
fn a_country_means_what_is_cooked_there() {
    let guide = demo_guide();
    for (question, id) in
        [("food from italy", "villa-tevere"), ("comida do líbano", "lagash"), ("comida de Alemania", "fred")]
    {
        let (page, ids) = places(guide, question);
        assert!(page.closest.is_none() && ids.iter().any(|found| found == id), "{question}: {page:?}");
    }
}

#[test]
fn food_for_a_diet_is_what_comes_closest_and_is_told_as_not_known() {
    let guide = demo_guide();
    for question in ["gluten free", "sem glúten", "restaurante sin gluten"] {
        let (page, ids) = places(guide, question);
        let hints: Vec<Hint> = page.interpretation.not_known.iter().map(|(hint, _)| *hint).collect();
        assert_eq!(hints, [Hint::Diet], "{question}");
        assert!(!ids.is_empty(), "{question}");
    }
}

#[test]
fn where_something_is_watched_is_what_is_asked_for() {
    let guide = demo_guide();
    for question in ["donde ver fútbol en un bar", "watch football xyzzy at a bar", "ver futebol num bar"] {
        let (_, ids) = places(guide, question);
        assert!(ids.contains(&"armazem-do-ferreira".to_owned()), "{question}: {ids:?}");
    }
}

#[test]
fn what_is_next_closest_has_more_of_the_question_than_its_subject() {
    let guide = demo_guide();
    let (page, ids) = places(guide, "prainha com kitesurf xyzzy");
    assert_eq!(ids, ["parque-das-garcas"]);
    let further: Vec<&str> = page.further.iter().map(|rank| guide.places.rendered.id(*rank)).collect();
    assert!(!further.contains(&"ponte-jk") && !further.contains(&"pontao-do-lago-sul"), "{further:?}");
}

#[test]
fn who_comes_along_is_no_subject_beside_what_is_asked_for() {
    let guide = demo_guide();
    let (_, ids) = places(guide, "tenho três filhos xyzzy e quero almoçar no sol nascente");
    assert_eq!(ids, ["restaurante-comunitario-do-sol-nascente"]);
    // even where no record has it
    let (_, ids) = places(guide, "my daughter loves xyzzy, any korean restaurant");
    assert!(!ids.contains(&"planetario-de-brasilia".to_owned()), "{ids:?}");
    // a child in the name of a sanctuary is none
    let (page, ids) = places(guide, "passeio com meu neto");
    assert!(!ids.contains(&"santuario-menino-jesus-de-praga".to_owned()), "{page:?}");
    let (page, ids) = places(guide, "lugar xyzzy para levar meu menino em brazlândia");
    assert!(!ids.contains(&"santuario-menino-jesus-de-praga".to_owned()), "{page:?}");
    assert!(places(guide, "três meninas").1.contains(&"parque-tres-meninas".to_owned()));
}

#[test]
fn an_amount_of_money_asks_about_the_price_and_lets_nothing_go() {
    let guide = demo_guide();
    for (with, without) in [
        ("rodízio japonês até 100 reais", "rodízio japonês"),
        ("pizza por menos de R$ 29,90 por pessoa na asa norte", "pizza na asa norte"),
        ("dinner under 100 reais", "dinner"),
    ] {
        let (page, ids) = places(guide, with);
        assert_eq!(ids, places(guide, without).1, "{with}");
        assert!(page.closest.is_none_or(|closest| closest.left_out.is_empty()), "{with}");
        assert!(matches!(page.interpretation.not_known[..], [(Hint::Price, _)]), "{with}");
    }
}

#[test]
fn two_phrases_of_one_category_that_share_a_word_are_one_wish() {
    let guide = demo_guide();
    let found = |question: &str| places(guide, question).1.into_iter().collect::<BTreeSet<String>>();
    assert_eq!(found("tomar um café da manhã"), found("café da manhã"));
}

#[test]
fn the_name_of_a_town_outside_is_no_month() {
    let guide = demo_guide();
    let (page, ids) = places(guide, "rio de janeiro");
    assert!(ids.is_empty() && page.nothing == Some(Nothing::Outside("rio de janeiro".into())), "{ids:?}");
}

#[test]
fn the_closer_of_two_categories_is_the_subject() {
    let guide = demo_guide();
    let (_, ids) = places(guide, "somewhere to eat a burger while a jazz xyzzy plays");
    assert_eq!(ids.first().map(String::as_str), Some("genaro-jazz-burger-cafe"), "{ids:?}");
    // the object of a verb, too
    let (_, ids) = places(guide, "moro em planaltina e queria dançar um forrozinho xyzzy");
    assert_eq!(ids, ["mabruk-choperia"]);
    // what a restaurant serves is what it is
    let (_, ids) = places(guide, "restaurante com comida japonesa no gama");
    assert_eq!(ids, places(guide, "restaurante japonês no gama").1);
    // what is joined to an addition is one
    let (_, ids) = places(guide, "um bar xyzzy com espetinho e cerveja na 410 norte");
    assert_eq!(ids, ["bar-do-mendes"]);
}

#[test]
fn a_kind_of_which_the_guide_has_none_is_no_other_kind() {
    let guide = demo_guide();
    for question in
        ["restaurante coreano xyzzy", "xyzzy korean restaurant", "restaurante coreano na asa norte"]
    {
        let (page, ids) = places(guide, question);
        assert!(ids.is_empty() && page.nothing == Some(Nothing::EmptyCategory), "{question}: {ids:?}");
    }
    assert!(!places(guide, "restaurante italiano xyzzy").1.is_empty());
}

#[test]
fn what_a_shop_sells_and_what_is_bought_are_the_subject() {
    let guide = demo_guide();
    for (question, id) in [
        ("tienda de cervezas xyzzy en asa norte", "emporio-soares-souza-asa-norte"),
        ("xyzzy craft beer store in asa norte", "emporio-soares-souza-asa-norte"),
        ("acabei de mudar, onde compro pão xyzzy na asa norte", "adelia-padaria"),
    ] {
        let (page, ids) = places(guide, question);
        assert!(ids.iter().any(|found| found == id), "{question}: {ids:?} {page:?}");
    }
}

#[test]
fn what_is_not_listed_is_not_where_something_of_that_name_is() {
    let guide = demo_guide();
    for question in ["hotel asa norte", "hoteles", "farmácia"] {
        let (page, ids) = places(guide, question);
        let is_named = |id: &String| id == "bar-16";
        assert!(ids.iter().all(is_named), "{question}: {ids:?}");
        assert!(
            !ids.is_empty() || matches!(page.nothing, Some(Nothing::NotListed(_))),
            "{question}: {page:?}"
        );
    }
}

#[test]
fn an_exclusion_ends_at_a_comma_unless_it_is_a_list() {
    let guide = demo_guide();
    let without = |question: &str| places(guide, question).0.interpretation.without;
    for (question, excluded) in [
        ("nada de choro, samba", vec!["choro"]),
        ("not choro, samba", vec!["choro"]),
        ("choro não, samba", vec!["choro"]),
        ("samba, não choro", vec!["choro"]),
        ("bar sem choro, samba", vec!["choro", "samba"]),
        ("sem choro, samba e rock", vec!["choro", "samba", "rock"]),
    ] {
        assert_eq!(without(question), excluded, "{question}");
    }
}

#[test]
fn what_is_visited_is_asked_for_and_not_the_visit() {
    let guide = demo_guide();
    let ids = |question: &str| places(guide, question).1;
    assert_eq!(ids("que museus posso visitar na asa norte"), ids("museus na asa norte"));
    assert_eq!(ids("what to see in planaltina"), ids("sights in planaltina"));
}

#[test]
fn several_kinds_of_things_are_alternatives_and_one_thing_of_two_kinds_is_not() {
    let guide = demo_guide();
    let total = |question: &str| places(guide, question).0.total;
    for (either, both) in [
        ("bares e restaurantes na asa norte", "bar e restaurante na asa norte"),
        ("cafes and bakeries in asa sul", "cafe and bakery in asa sul"),
        ("museos y parques", "museo y parque"),
    ] {
        assert!(total(either) > total(both).max(1), "{either}: {} {}", total(either), total(both));
    }
    // what a place also has is no alternative
    assert!(total("restaurante com parquinhos e bares") < total("parquinhos e bares"));
}

#[test]
fn what_follows_where_is_asked_for_unless_it_says_more_of_a_thing() {
    let guide = demo_guide();
    let categories = |question: &str, id: &str| {
        let (page, ids) = places(guide, question);
        assert!(ids.iter().any(|found| found == id), "{question}: {page:?}");
    };
    categories("depois do jogo, onde dá pra almoçar xyzzy na 511 sul", "restaurante-roma");
    categories("o bar xyzzy onde toca samba em taguatinga", "destilaria-beer");
    // what comes before or after is not
    categories("depois da missa queríamos uma picanha xyzzy no gama", "supremo-restaurante");
}

#[test]
fn a_name_that_has_nothing_of_what_is_asked_for_says_where() {
    let guide = demo_guide();
    // the lake is a record too, and serves nothing
    let (page, ids) = places(guide, "restaurante de mariscos con vista al lago Paranoá");
    assert!(ids == ["coco-bambu-lago-sul"] && page.closest.is_none(), "{ids:?} {page:?}");
    assert_eq!(places(guide, "pedalar de mtb na flona").1, ["floresta-nacional-de-brasilia"]);
    // a sector of hotels is no hotel
    assert!(!places(guide, "a mall xyzzy in the northern hotel sector").1.is_empty());
}

#[test]
fn a_plural_that_names_an_area_does_not_in_the_singular() {
    let guide = demo_guide();
    let areas = |question: &str| places(guide, question).0.interpretation.areas.len();
    assert_eq!((areas("padaria em águas"), areas("padaria com água")), (1, 0));
}

#[test]
fn an_unknown_thing_that_is_not_another_one_is_not_everything_else() {
    let guide = demo_guide();
    let (page, ids) = places(guide, "lugar de xyzzy que não seja católico");
    assert_eq!((ids.len(), page.nothing), (0, Some(Nothing::NotUnderstood)));
    assert!(places(guide, "algum lugar que não seja museu").1.len() > 10);
}

#[test]
fn what_is_not_where_it_is_asked_for_comes_by_distance_from_there() {
    let guide = demo_guide();
    let bars = |limit: usize| {
        let words = Words::new("bar xyzzy na UnB");
        all_pages(guide, &guide.places, &Query::of(&words, today(), View::Full, limit)).0
    };
    // nobody knows of a bar on the campus
    let on_one_page = bars(50);
    let here = guide.gazetteer.landmark(&Words::new("Universidade de Brasília")).expect("a landmark").point;
    let order = |rank: &u32| {
        let distance = guide.places.distance(View::Full, *rank, here).expect("a distance");
        (guide.places.primary[*rank as usize], distance)
    };
    let distances: Vec<(u64, u32)> = on_one_page.iter().map(order).collect();
    assert!(on_one_page.len() > 10 && distances.is_sorted(), "{distances:?}");
    assert_eq!(bars(3), on_one_page, "pages go on where they ended");
}

#[test]
fn what_is_excluded_may_have_several_words() {
    let guide = demo_guide();
    let (page, ids) = places(guide, "piscina sem ser sócio de clube");
    // no record says whom it lets in
    assert_eq!(page.closest.map(|closest| closest.left_out), Some(vec!["socio".to_owned()]));
    assert_eq!(ids, places(guide, "piscina, exceto clubes").1);
}

#[test]
fn an_exclusion_that_takes_nothing_away_is_told() {
    let guide = demo_guide();
    let (all, _) = places(guide, "restaurants");
    let (page, _) = places(guide, "restaurants without peanuts");
    assert_eq!(page.total, all.total);
    assert_eq!(page.closest.map(|closest| closest.left_out), Some(vec!["peanuts".to_owned()]));
    assert!(page.interpretation.corrected.is_empty());
    let (fewer, of_fewer) = places(guide, "restaurants without steakhouses");
    assert!(fewer.closest.is_none() && fewer.total < all.total);
    let (misspelt, of_misspelt) = places(guide, "restaurants but not stakehouses");
    assert_eq!(of_misspelt, of_fewer);
    assert_eq!(misspelt.interpretation.corrected.len(), 1);
    // "then" ends what is excluded
    assert!(places(guide, "not a museum then a bar").0.total < 60);
}

#[test]
fn what_comes_first_and_what_then_are_alternatives() {
    let guide = demo_guide();
    let total = |question: &str| places(guide, question).0.total;
    for (question, one, other) in [
        ("primeiro um museu, depois um café", "museu", "café"),
        ("first a museum, then pizza", "museum", "pizza"),
        ("un museo y luego un café", "museo", "café"),
    ] {
        let (page, _) = places(guide, question);
        assert!(page.closest.is_none(), "{question}");
        assert!(page.total > total(one) && page.total > total(other), "{question}");
    }
}

#[test]
fn spare_time_is_no_word_of_a_name() {
    let guide = demo_guide();
    for (question, without) in [
        ("tenho tempo livre no Guará", "Guará"),
        ("museu, tenho uma hora livre", "museu"),
        ("museums, we have some free time", "museums"),
        ("tengo dos horas libres, museos", "museos"),
    ] {
        assert_eq!(places(guide, question).1, places(guide, without).1, "{question}");
    }
    // what costs nothing is not known of places
    let hints = |question: &str| places(guide, question).0.interpretation.not_known.len();
    assert_eq!((hints("museums, we have some free time"), hints("free museums")), (0, 1));
}

#[test]
fn the_name_of_an_area_that_a_record_has_is_that_record() {
    let guide = demo_guide();
    for question in ["quanto custa subir na Torre de TV", "how much is the ticket to go up the TV Tower"] {
        let (page, ids) = places(guide, question);
        assert!(ids.contains(&"torre-de-tv".to_owned()) && page.closest.is_some(), "{question}: {ids:?}");
    }
    // what is not listed is no area
    assert!(places(guide, "withdraw cash from an ATM on the Esplanada").1.is_empty());
}

#[test]
fn who_asks_for_a_day_of_a_named_series_learns_the_next_one() {
    let guide = demo_guide();
    let (page, ids, _) = events(guide, "a Feira da Torre abre na terça?");
    assert_eq!(page.closest.and_then(|closest| closest.days).map(|days| days.from == days.to), Some(true));
    assert!(!ids.is_empty() && ids.iter().all(|id| id.starts_with("feira-da-torre-de-tv")), "{ids:?}");
}

#[test]
fn common_words_are_no_subject() {
    let guide = demo_guide();
    assert_eq!(places(guide, "complexo fora do eixo").1, ["complexo-fora-do-eixo"]);
    let (page, ids) = places(guide, "xyzzy de fora");
    assert!(ids.is_empty() && page.closest.is_none(), "{ids:?}");
    assert_eq!(page.nothing, Some(Nothing::NotUnderstood));
}

#[test]
fn words_written_as_one_are_read_apart_and_what_stands_beside_them_stays() {
    let guide = demo_guide();
    for (together, apart) in [
        ("pizza aguasclaras", "pizza águas claras"),
        ("jardimbotanico", "jardim botânico"),
        ("museus/teatros asasul", "museus/teatros asa sul"),
        ("restaurante asasul sem carne e peixe", "restaurante asa sul sem carne e peixe"),
        ("bar asasul fora do shopping", "bar asa sul fora do shopping"),
    ] {
        let (page, ids) = places(guide, together);
        assert!(!ids.is_empty() && page.closest.is_none(), "{together}");
        assert_eq!(ids, places(guide, apart).1, "{together}");
    }
    // misspelt beside a date
    let (page, listed, _) = events(guide, "feira planaltna 28/11");
    assert_eq!(page.interpretation.corrected.len(), 1, "{page:?}");
    assert_eq!(listed, events(guide, "feira planaltina 28/11").1);
    // a name written as two words, and a shop by what it sells
    for (asked, id) in [("bamba mba", "bambamba"), ("cachaçaria taguatinga", "adega-da-cachaca")] {
        let (page, ids) = places(guide, asked);
        assert!(ids.iter().any(|found| found == id) && page.closest.is_none(), "{asked}: {ids:?}");
    }
    assert!(places(guide, "alfaiataria").1.is_empty(), "no shop is asked for by a word of a record");
    // a base that another name has by chance
    assert!(!places(guide, "templos bonitos").1.contains(&"t-bone-acougue-cultural".to_owned()));
    // the longest word that a question can have
    places(guide, &"aguasclaras".repeat(36));
}

#[test]
fn how_a_place_feels_and_whom_it_suits_filter_nothing() {
    let guide = demo_guide();
    let found = |question: &str| {
        let (page, ids) = places(guide, question);
        assert!(page.closest.is_none(), "{question}");
        let hints = page.interpretation.not_known.into_iter();
        (ids, hints.map(|(hint, words)| (hint.as_str(), words)).collect::<Vec<_>>())
    };
    let area = found("asa norte").0;
    for (question, about, words) in [
        ("lugar tranquilo na Asa Norte", "atmosphere", "tranquilo"),
        ("somewhere quiet in Asa Norte", "atmosphere", "quiet"),
        ("dia de chuva na Asa Norte", "indoors", "dia de chuva"),
        ("Asa Norte para ir con mis padres", "company", "mis padres"),
    ] {
        assert_eq!(found(question), (area.clone(), vec![(about, words.to_owned())]), "{question}");
    }
}

#[test]
fn a_longer_phrase_of_synonyms_is_read_before_a_category() {
    let guide = demo_guide();
    assert!(places(guide, "parque de diversiones").1.contains(&"nicolandia-center-park".to_owned()));
    // no record has it: its words are read
    assert!(!places(guide, "pescado frito").1.is_empty());
}

#[test]
fn two_words_of_a_name_may_be_written_as_one() {
    let guide = demo_guide();
    assert_eq!(places(guide, "xiquexique 107").1.first().map(String::as_str), Some("xique-xique"));
}

#[test]
fn the_head_of_an_english_compound_is_its_last_category() {
    let guide = demo_guide();
    let (page, ids) = places(guide, "is there a church museum in the city");
    assert!(page.closest.is_some_and(|closest| closest.left_out == ["church"]) && !ids.is_empty(), "{ids:?}");
}

#[test]
fn a_phrase_of_a_category_without_records_is_nothing_else() {
    let guide = demo_guide();
    for question in ["korean food", "korean bbq", "comida coreana", "churrasco coreano na asa sul"] {
        let (page, ids) = places(guide, question);
        assert!(
            ids.is_empty() && matches!(page.nothing, Some(Nothing::EmptyCategory)),
            "{question}: {ids:?}"
        );
    }
}

#[test]
fn company_is_not_the_head_of_a_question() {
    let guide = demo_guide();
    for (question, left_out) in [
        ("minha filha quer um sebo", "filha"),
        ("com crianças num sebo", "criancas"),
        ("with my kids to a pub", "kids"),
        ("con mis hijos a un pub", "hijos"),
    ] {
        let (page, ids) = places(guide, question);
        assert!(
            page.closest.is_some_and(|closest| closest.left_out == [left_out]) && !ids.is_empty(),
            "{question}"
        );
    }
}

#[test]
fn a_number_of_the_superquadra_counts_where_a_record_has_it() {
    let guide = demo_guide();
    for question in ["onde comer na quadra 405 sul", "somewhere to eat at 405 south", "comer en la 405 sur"] {
        let (page, ids) = places(guide, question);
        assert!(page.closest.is_none() && ids.contains(&"ourico".to_owned()), "{question}: {ids:?}");
        let is_there = |rank: &u32| {
            let json = String::from_utf8_lossy(guide.places.rendered.json(*rank, View::Full)).into_owned();
            json.contains("405")
        };
        assert!(page.ranks.iter().all(is_there), "{question}: {ids:?}");
        // what gives no number may be there too
        assert!(!page.further.is_empty() && !page.further.iter().any(is_there), "{question}");
    }
}

#[test]
fn abbreviations_of_chats_exclude_too() {
    let guide = demo_guide();
    let without = |question: &str| places(guide, question).0.interpretation.without;
    assert_eq!(without("bar q n seja pub"), ["pub"]);
    assert_eq!(without("bar que n seja pub"), without("bar que não seja pub"));
}

#[test]
fn a_comma_ends_an_exclusion_before_another_sentence() {
    let guide = demo_guide();
    let without = |question: &str| places(guide, question).0.interpretation.without;
    assert_eq!(without("museu, não de armas, algo científico"), ["armas"]);
    assert_eq!(without("museu sem armas e drogas"), ["armas", "drogas"]);
    assert_eq!(without("museu sem armas, drogas e política"), ["armas", "drogas", "politica"]);
    assert_eq!(without("museu sem armas, nem drogas"), ["armas", "drogas"]);
    assert!(places(guide, "museu, não de armas, algo científico").1.contains(&"sesi-lab".to_owned()));
}

/// The page of events for a question, and the series of what it lists and of what else it names.
pub(crate) fn events(guide: &Guide, question: &str) -> (Page, Vec<String>, Vec<String>) {
    let words = Words::new(question);
    let query = Query { group: true, ..Query::of(&words, today(), View::Full, 50) };
    let page = search(guide.vocabulary(), &guide.events, &query);
    let (listed, further) = (ids(&guide.events, &page.ranks), ids(&guide.events, &page.further));
    (page, listed, further)
}

#[test]
fn what_a_long_question_does_not_get_is_named() {
    let guide = demo_guide();
    // words of names, which say nothing else; no place has two of them
    let words = "beirute calaf dona villa vila mendes zelia senhor maria jose carlos paulo antonio";
    let (page, ids) = places(guide, words);
    let closest = page.closest.expect("no place is all of that");
    let shown: Vec<String> = page
        .ranks
        .iter()
        .map(|rank| String::from_utf8_lossy(guide.places.rendered.json(*rank, View::Full)).into_owned())
        .collect();
    for word in words.split(' ') {
        let is_met = shown.iter().all(|json| Words::new(json).folded().contains(word));
        let is_named = closest.left_out.iter().any(|text| text == word);
        assert!(is_met != is_named, "{word}: {closest:?} {ids:?}");
    }
}

#[test]
fn a_question_for_anything_is_answered_whatever_its_reason() {
    let guide = demo_guide();
    for question in [
        "o que fazer no Guará enquanto espero meu voo",
        "somewhere to go in Guará between flights",
        "un lugar para ir en Guará antes de viajar",
    ] {
        let (page, ids) = places(guide, question);
        assert!(ids.contains(&"casapark".to_owned()), "{question}: {ids:?}");
        assert!(page.closest.is_some_and(|closest| !closest.left_out.is_empty()), "{question}");
    }
    // what has an object that nobody lists is told so
    assert!(places(guide, "onde ver xyzzy no Guará").1.is_empty());
}

#[test]
fn a_misspelt_word_that_sounds_right_is_a_wish_of_a_closest_answer() {
    let guide = demo_guide();
    let (page, ids) = places(guide, "pisina nesse calorão");
    assert_eq!(page.interpretation.corrected, [("pisina".to_owned(), "piscina".to_owned())]);
    assert!(ids.contains(&"aabb-brasilia".to_owned()), "{ids:?}");
    // one that only looks alike may be another word
    assert!(places(guide, "estúdio de tatuagem").1.is_empty());
}

#[test]
fn company_and_what_something_has_are_no_subject_beside_a_thing() {
    let guide = demo_guide();
    assert_eq!(places(guide, "o açougue que tem livros").1, ["t-bone-acougue-cultural"]);
    assert_eq!(places(guide, "pista de skate com meu filho").1, ["parque-dos-jequitibas"]);
    // where few records have two of the words
    let pioneers = places(guide, "mostrar pros meninos como os pioneiros moravam, as casas de madeira").1;
    assert_eq!(pioneers, ["museu-vivo-da-memoria-candanga"]);
    assert!(places(guide, "os meninos estão subindo pelas paredes").1.len() > 5);
    assert!(!places(guide, "bar que tem xyzzy e samba").1.is_empty());
}

#[test]
fn the_head_of_a_question_is_what_it_asks_for() {
    let guide = demo_guide();
    let (_, ids) = places(guide, "vou ver um jogo com meu pai, qual é o estádio no Gama");
    assert_eq!(ids, ["estadio-bezerrao"]);
    // a thing that is not listed, and a town outside, are circumstances beside it
    for question in [
        "saí do plantão no hospital, queria uma padaria na asa sul",
        "somos de goiânia, tem padaria na asa sul",
        "na asa sul, chegando de goiânia, queria uma padaria",
        "uma padaria na asa sul antes de voltar pra goiânia",
        "mis padres regresan a goiânia, una panadería en asa sul",
    ] {
        assert!(places(guide, question).1.contains(&"belini-cafe".to_owned()), "{question}");
    }
    assert_eq!(places(guide, "hospital na asa sul").0.nothing, Some(Nothing::NotListed("hospital".into())));
    // neither children nor nights make it one
    for (question, thing) in
        [("farmácia, minha filha está com febre", "farmacia"), ("hostel, two nights", "hostel")]
    {
        assert_eq!(places(guide, question).0.nothing, Some(Nothing::NotListed(thing.into())), "{question}");
    }
    assert_eq!(places(guide, "padaria de goiânia").0.nothing, Some(Nothing::Outside("goiania".into())));
    // a category that only says where is no subject of events that have none
    assert_eq!(
        events(guide, "oferenda pra iemanjá na prainha").0.closest.map(|closest| closest.left_out.len()),
        Some(2)
    );
}

#[test]
fn the_whole_territory_limits_nothing() {
    let guide = demo_guide();
    let all = places(guide, "cachoeira").1;
    assert!(all.len() > 5);
    assert_eq!(places(guide, "cachoeira no df").1, all);
    let caller = Caller { view: View::Full, scope: EVERYWHERE, covered: None };
    assert!(guide.near_phrase(&Words::new("waterfalls near Brasília"), caller).is_none());
    assert!(guide.near_phrase(&Words::new("café perto do Brasília Shopping"), caller).is_some());
    // the roads of the territory have its abbreviation, with a number
    assert_ne!(places(guide, "restaurante df 140").1, places(guide, "restaurante").1);
}
