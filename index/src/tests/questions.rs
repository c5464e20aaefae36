//! How whole questions are read: several areas, numbers of people, words of two languages, filters without a text.

use chrono::NaiveDate;

use crate::grammar::dates::Window;
use crate::question::clauses::{Clause, ClauseKind};
use crate::question::near::{Caller, NearPhrase};
use crate::question::query::parse;
use crate::records::schema::View;
use crate::search::page::Nothing;
use crate::search::{Query, search};
use crate::tests::closest::{events, places};
use crate::tests::generators::{demo_guide, today};
use crate::vocabulary::EVERYWHERE;
use crate::vocabulary::categories;
use crate::vocabulary::regions;
use crate::vocabulary::words::Words;

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
fn totals_that_are_kept_depend_on_the_words_around_an_exclusion() {
    let guide = demo_guide();
    // "na vila" takes the areas away that have the word in their names, "sem vila" what is called so
    let questions = ["restaurante sem vila", "restaurante, não na vila"];
    let totals = questions.map(|question| {
        let words = Words::new(question);
        let query = Query::of(&words, today(), View::Full, 500);
        let page = search(guide.vocabulary(), &guide.places, &query);
        assert_eq!(page.ranks.len(), page.total as usize, "{question}");
        page.total
    });
    assert_ne!(totals[0], totals[1]);
}

#[test]
fn what_commas_list_before_or_is_a_list_of_alternatives() {
    let guide = demo_guide();
    let total = |question: &str| places(guide, question).0.total;
    assert_eq!(total("samba, choro ou jazz"), total("samba ou choro ou jazz"));
    assert_eq!(total("museum, gallery or theatre"), total("museum or gallery or theatre"));
    // what the others are to be like is none of them
    assert!(total("lgbt, bar ou balada") < total("bar ou balada"));
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
fn a_street_through_a_region_is_found_by_its_name_and_beside_a_wing_says_where() {
    let guide = demo_guide();
    let (page, listed, _) = events(guide, "eixão");
    assert!(page.closest.is_none() && page.interpretation.areas.is_empty(), "{:?}", page.interpretation);
    assert!(!listed.is_empty() && listed.iter().all(|id| id.contains("eix")), "{listed:?}");
    let page = events(guide, "música no Eixão Norte").0;
    assert_eq!(page.interpretation.areas, events(guide, "música na Asa Norte").0.interpretation.areas);
    // in a region's own parameter it means what it always did
    assert_eq!(
        regions::resolve(guide.vocabulary(), "Eixão"),
        regions::resolve(guide.vocabulary(), "Plano Piloto")
    );
}

#[test]
fn portuguese_no_in_a_name_excludes_nothing_in_other_languages() {
    let guide = demo_guide();
    for question in
        ["is Choro no Eixo free?", "¿a qué hora empieza el Choro no Eixo?", "what time is Choro no Eixo"]
    {
        let listed = events(guide, question).1;
        assert!(listed.iter().all(|id| id.starts_with("choro-no-eixo")) && !listed.is_empty(), "{question}");
    }
    let listed = events(guide, "Rock no Eixão on sunday").1;
    assert!(listed.iter().all(|id| id.starts_with("rock-no-eixao")) && !listed.is_empty(), "{listed:?}");
    // these exclude
    let total = |question: &str| places(guide, question).0.total;
    for (with, without) in [("bars but no samba", "bars"), ("parks, no museums", "parks")] {
        assert!(total(with) <= total(without), "{with}");
    }
    assert!(total("bares, no en Asa Sul") < total("bares"));
}

#[test]
fn what_is_refused_behind_its_name_or_in_a_noun_phrase_is_excluded() {
    let guide = demo_guide();
    let listed = |question: &str| events(guide, question).1;
    for question in [
        "música domingo, mas axé não pelo amor de deus",
        "música domingo, axé não por favor",
        "música domingo, só não vale axé",
    ] {
        let listed = listed(question);
        assert!(
            !listed.is_empty() && listed.iter().all(|id| !id.starts_with("axe")),
            "{question}: {listed:?}"
        );
    }
    let bars = |question: &str| places(guide, question).1;
    assert_eq!(bars("bar, not a loud club"), bars("bar, not a club"));
    assert_ne!(bars("bar, not a club with samba"), bars("bar, not a club"));
}

#[test]
fn a_diminutive_and_an_augmentative_mean_what_they_come_from() {
    let guide = demo_guide();
    for (question, base) in
        [("barquinho no lago", "barco no lago"), ("churrascão no Guará", "churrasco no Guará")]
    {
        assert_eq!(places(guide, question).1, places(guide, base).1, "{question}");
    }
    assert_eq!(events(guide, "troca da bandeirona").1, events(guide, "troca da bandeira").1);
}

#[test]
fn a_part_of_the_day_may_be_the_last_of_several_keywords() {
    let guide = demo_guide();
    for (question, sentence) in [
        ("samba noite", "samba à noite"),
        ("feira asa norte manhã", "feira na asa norte de manhã"),
        ("jazz night", "jazz at night"),
        ("as missas que vão ter em dezembro", "missas em dezembro"),
    ] {
        assert_eq!(events(guide, question).1, events(guide, sentence).1, "{question}");
    }
    // one alone is no keyword
    assert!(events(guide, "noite").0.interpretation.hours.is_none());
}

#[test]
fn where_somebody_is_from_or_is_gives_way_to_what_they_ask_for() {
    let guide = demo_guide();
    let listed = |question: &str| places(guide, question).1;
    for (question, wish) in [
        ("sou do rio de janeiro, onde tem samba?", "samba"),
        ("moro em são paulo e quero ir ao teatro", "teatro"),
        ("soy de Argentina, dónde hay un buen museo", "museo"),
        ("I'm from Argentina, where is a good museum?", "museum"),
        ("moro em taguatinga mas quero um bar na asa norte", "bar na asa norte"),
        ("estou na asa sul e quero pizza na asa norte", "pizza na asa norte"),
        ("I'm staying in Asa Sul but want a bar in Asa Norte", "bar in Asa Norte"),
        ("bar na asa norte, moro na asa sul", "bar na asa norte"),
        // nothing else is named
        ("moro em taguatinga, onde tem bar?", "bar em taguatinga"),
        ("trabalho na 509 norte, almoço", "almoço na 509 norte"),
    ] {
        assert_eq!(listed(question), listed(wish), "{question}");
    }
}

#[test]
fn a_family_is_company_where_something_else_is_asked_for() {
    let guide = demo_guide();
    for (question, wish) in [
        ("jantar em família", "jantar"),
        ("family restaurant", "restaurant"),
        ("restaurante familiar", "restaurante"),
    ] {
        let (page, listed) = places(guide, question);
        assert_eq!(listed, places(guide, wish).1, "{question}");
        assert_eq!(page.interpretation.not_known[0].0.as_str(), "company", "{question}");
    }
    assert!(!places(guide, "programa em família").0.interpretation.categories.is_empty());
}

#[test]
fn a_number_counts_a_kind_and_a_kitchen_is_a_cuisine() {
    let guide = demo_guide();
    let listed = |question: &str| places(guide, question).1;
    assert_eq!(listed("3 museus"), listed("museus"));
    assert!(places(guide, "cozinha italiana").0.closest.is_none());
    assert!(events(guide, "sexta-feira santa").0.interpretation.categories.is_empty());
}

#[test]
fn an_emoji_asks_for_what_it_is_called_or_for_nothing() {
    let guide = demo_guide();
    let listed = |question: &str| places(guide, question).1;
    assert_eq!(listed("🍕 asa norte"), listed("pizza asa norte"));
    assert_eq!(listed("pizza🍕"), listed("pizza"));
    assert_eq!(listed("choro 🎸🎶 hoje"), listed("choro hoje"));
    assert_eq!(listed("bar 🍻 asa norte"), listed("bar asa norte"));
}

#[test]
fn who_asks_is_no_wish() {
    let guide = demo_guide();
    for (question, without) in [
        ("we're a group of students, museum in Asa Sul", "museum in Asa Sul"),
        ("somos um grupo de aposentados, queremos um museu", "queremos um museu"),
        ("soy fotógrafo, museo en Asa Sul", "museo en Asa Sul"),
        ("moço, tem museu na Asa Sul?", "tem museu na Asa Sul?"),
    ] {
        let (page, listed) = places(guide, question);
        assert!(page.closest.is_none() && listed == places(guide, without).1, "{question}: {listed:?}");
    }
    // what they study or like is one, and so is where they are from, and what they want
    assert_eq!(places(guide, "we are a group of architecture students").1, places(guide, "architecture").1);
    assert_eq!(places(guide, "sou fã de sushi").1, places(guide, "sushi").1);
    assert_eq!(places(guide, "I'm craving feijoada").1, places(guide, "feijoada").1);
    // what they eat is a wish beside what they ask for
    assert_eq!(places(guide, "I'm vegan, burgers in Taguatinga").1[0], "o-carcara");
    assert_eq!(places(guide, "sou vegetariana, restaurante na asa norte").1[0], "a-tribo");
}

#[test]
fn a_name_goes_on_behind_a_hint_and_before_a_generic_category() {
    let guide = demo_guide();
    for question in ["onde comemorar o aniversário de Brasília?", "aniversário de Brasília"] {
        assert_eq!(
            events(guide, question).2.first().map(String::as_str),
            events(guide, "aniversário de Brasília").2.first().map(String::as_str),
            "{question}"
        );
    }
    let (_, listed, _) = events(guide, "festa de pentecostes");
    assert_eq!(listed, ["pentecostes-no-taguaparque-2027-05-16"]);
}

#[test]
fn a_list_and_an_exclusion_stay_what_they_are_beside_who_asks() {
    let guide = demo_guide();
    let either = places(guide, "somos veganos ou vegetarianos, restaurante na Asa Norte").1;
    assert!(
        ["a-tribo", "apetit-natural"].iter().all(|id| either.iter().any(|other| other == id)),
        "{either:?}"
    );
    // neither soy nor an unfinished sentence says who asks
    assert_eq!(places(guide, "soy burger place").1, places(guide, "burger place").1);
    assert_eq!(places(guide, "Somos turistas. Arte moderna?").1, places(guide, "arte moderna").1);
}

#[test]
fn misspelt_days_are_read_as_days() {
    let guide = demo_guide();
    for (question, wrong, right) in [
        ("rock domimgo", "domimgo", "domingo"),
        ("jazz saturdy", "saturdy", "saturday"),
        ("events at the Torre de TV tomorow", "tomorow", "tomorrow"),
    ] {
        let (page, listed, _) = events(guide, question);
        assert_eq!(page.interpretation.corrected, [(wrong.to_owned(), right.to_owned())], "{question}");
        assert_eq!(listed, events(guide, &question.replace(wrong, right)).1, "{question}");
    }
    assert!(places(guide, "sundae de chocolate").0.interpretation.corrected.is_empty());
}

#[test]
fn a_text_of_more_words_than_people_write_is_read_once() {
    let guide = demo_guide();
    let ask = |more: String| places(guide, &format!("pizza aguasclaras{more}")).1;
    let right = places(guide, "pizza águas claras").1;
    assert_eq!(ask(" por favor".repeat(30)), right);
    assert_eq!(ask(" xilofone".repeat(22)), right);
    assert_ne!(ask(" xilofone".repeat(23)), right);
}

#[test]
fn a_date_of_which_there_is_no_such_day_is_told_and_means_no_other() {
    let guide = demo_guide();
    for (question, date) in [
        ("samba 30/02/2027", "30 02 2027"),
        ("samba 31/11", "31 11"),
        ("samba 2027-02-30", "2027 02 30"),
        ("samba 31 de abril", "31 de abril"),
        ("samba on february 30", "on february 30"),
    ] {
        let (page, listed, _) = events(guide, question);
        let left_out = page.closest.map(|closest| closest.left_out);
        assert_eq!(left_out.as_deref(), Some([date.to_owned()].as_slice()), "{question}");
        assert_eq!(listed, events(guide, "samba").1, "{question}");
    }
    // a leap day is one, and so are the numbers of an address
    for question in ["samba 29/02", "samba 29 de fevereiro de 2028"] {
        assert!(events(guide, question).0.closest.is_none(), "{question}");
    }
    assert!(places(guide, "QNM 34/36").0.closest.is_none());
}

#[test]
fn works_of_somebody_are_asked_for_by_the_name() {
    let guide = demo_guide();
    let named = places(guide, "Athos Bulcão").1;
    for question in ["obras de Athos Bulcão", "where can I see works by Athos Bulcão"] {
        assert_eq!(places(guide, question).1, named, "{question}");
    }
}

#[test]
fn the_area_of_a_name_is_kept_on_later_days() {
    let guide = demo_guide();
    let (page, ..) = events(guide, "via sacra Planaltina");
    assert!(page.closest.is_none() && page.next.is_some(), "{:?}", page.closest);
    // a party of this week goes before a birthday in April
    let (_, listed, _) = events(guide, "show no sábado, é aniversário da minha mãe");
    assert!(!listed.is_empty() && !listed.iter().any(|id| id.starts_with("aniversario")), "{listed:?}");
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
        let categories = categories::named(guide.vocabulary(), text).unwrap();
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
    let italian = categories::named(guide.vocabulary(), "italiano").expect("a category");
    let found = |question: &str| {
        let words = Words::new(question);
        let query = Query { categories: italian.clone(), ..Query::of(&words, today(), View::Full, 50) };
        search(guide.vocabulary(), &guide.places, &query)
    };
    let all = found("").total;
    let ecological = found("ecological");
    assert_eq!(
        (ecological.total, ecological.closest.expect("let go").left_out),
        (all, vec!["ecological".to_owned()])
    );
    let unknown = found("qqqxxzz");
    assert_eq!((unknown.total, unknown.closest, unknown.nothing), (0, None, Some(Nothing::NotUnderstood)));
}

#[test]
fn what_is_negated_is_not_demanded() {
    let guide = demo_guide();
    // hours that are not wanted leave the others
    for (question, from, to) in [
        ("samba, não à noite", 6, 18),
        ("market except at night", 6, 18),
        ("feira, não de manhã", 12, 6),
        ("feira, não antes das 10h", 10, 6),
        ("feira à noite, mas não depois das 23h", 18, 23),
        ("feira, não de manhã nem à tarde", 18, 6),
        ("market, not before 10am or after 8pm", 10, 20),
        // what stands before is excluded
        ("choro não, à noite", 18, 6),
    ] {
        let hours = events(guide, question).0.interpretation.hours.map(|(hours, _)| hours);
        assert_eq!(hours.map(|hours| (hours.from, hours.to)), Some((from * 60, to * 60)), "{question}");
    }
    // the day is taken away, and its hours are demanded of no other day
    let interpretation = events(guide, "samba, menos sexta à noite").0.interpretation;
    assert_eq!(interpretation.hours, None);
    // what is known to be free is taken away
    for question in ["shows que não sejam grátis", "concerts that are not free", "bares sem estacionamento"]
    {
        let words = Words::new(question);
        let parsed = parse(guide.vocabulary(), &words, today(), None, &|_| true).with_hints(|_| true);
        let is_hint = |clause: &Clause| clause.kind() == ClauseKind::Hint;
        assert!(parsed.excluded.iter().any(is_hint), "{question}");
        assert!(!parsed.clauses.iter().any(is_hint), "{question}");
    }
    // what is there is taken away
    let near = |question: &str| guide.near_phrase(&Words::new(question), caller()).is_some();
    assert!(near("bar perto da 408 norte") && !near("bar que não seja perto da 408 norte"));
    assert!(!near("bar not near 408 norte"));
}

#[test]
fn hours_of_several_days_are_all_searched() {
    let guide = demo_guide();
    for (question, hours) in [
        ("feira domingo de manhã ou à tarde", Some((6, 18))),
        ("feira sábado à noite ou domingo à tarde", Some((12, 6))),
        ("feira à noite, depois das 20h", Some((20, 6))),
        // these are all hours
        ("feira sábado de manhã e domingo à noite", None),
    ] {
        let found = events(guide, question).0.interpretation.hours;
        let found = found.map(|(hours, _)| (hours.from / 60, hours.to / 60));
        assert_eq!(found, hours, "{question}");
    }
}

#[test]
fn a_feast_that_bounds_days_is_no_subject() {
    let guide = demo_guide();
    for question in ["feira até o natal", "markets until christmas", "feira antes do natal"] {
        let page = events(guide, question).0;
        assert!(page.total > 0 && page.closest.is_none(), "{question}: {:?}", page.closest);
    }
    assert!(events(guide, "o que tem entre o natal e o ano novo").0.total > 0);
    let total = |question: &str| events(guide, question).0.total;
    assert!(total("carnaval") > 0);
    for question in ["carnaval do ano que vem", "carnival next year"] {
        assert_eq!(total(question), total("carnaval"), "{question}");
    }
    // nor is one that is excluded
    let page = events(guide, "feira, menos no natal").0;
    assert!(page.total > 0 && page.closest.is_none(), "{:?}", page.closest);
}

#[test]
fn a_number_after_an_address_is_of_another_one() {
    let guide = demo_guide();
    let words = Words::new("bar perto da 408 norte e 208 sul");
    let Some(NearPhrase::Place(near, rest)) = guide.near_phrase(&words, caller()) else { panic!("a place") };
    assert_eq!((near.name.as_str(), rest.folded()), ("408 Norte", "bar e 208 sul"));
}

fn caller() -> Caller {
    Caller { view: View::Full, scope: EVERYWHERE, covered: None }
}

#[test]
fn a_misspelt_area_is_searched_also_when_nothing_meets_the_whole_question() {
    let guide = demo_guide();
    for (question, wrong, right, written) in [
        ("bar em celandia", "celandia", "ceilandia", "bar em Ceilândia"),
        ("bar na asa norti", "norti", "norte", "bar na Asa Norte"),
        ("pizza no sobradino", "sobradino", "sobradinho", "pizza no Sobradinho"),
        ("café no setor bancario norti", "norti", "norte", "café no Setor Bancário Norte"),
        ("bar em brazlandya", "brazlandya", "brazlandia", "bar em Brazlândia"),
        ("sushi asa nrte", "nrte", "norte", "sushi asa norte"),
        ("sushi asa sull", "sull", "sul", "sushi asa sul"),
        ("sushi sudoste", "sudoste", "sudoeste", "sushi sudoeste"),
    ] {
        let (page, listed) = places(guide, question);
        assert_eq!(page.interpretation.corrected, [(wrong.to_owned(), right.to_owned())], "{question}");
        assert_eq!(listed, places(guide, written).1, "{question}");
    }
    // grass is no Gama, colourful no Colorado, and a mango tree no Mangueiral
    for question in [
        "show sentado na grama no domingo",
        "tapete colorido em corpus christi",
        "samba debaixo da mangueira",
    ] {
        let areas = &events(guide, question).0.interpretation.areas;
        assert!(areas.is_empty(), "{question}");
    }
}

#[test]
fn the_city_is_the_whole_territory_unless_it_is_in_a_name() {
    let guide = demo_guide();
    for (question, without) in [
        ("melhor hambúrguer da cidade", "hambúrguer"),
        ("mejor pizza de la ciudad", "pizza"),
        ("museums in the city", "museums"),
        ("best burger in town", "burger"),
    ] {
        let (page, listed) = places(guide, question);
        assert!(page.closest.is_none() && listed == places(guide, without).1, "{question}: {listed:?}");
    }
    // what is of it, and not the best of it, may be in a name
    assert_eq!(places(guide, "museu da cidade").1, ["museu-historico-de-brasilia"]);
    assert_eq!(places(guide, "parque da cidade").1[0], "parque-da-cidade-sarah-kubitschek");
    assert_eq!(places(guide, "bar na cidade livre").0.interpretation.areas.len(), 1);
}

#[test]
fn an_exclusion_takes_what_is_called_so_too() {
    let guide = demo_guide();
    let (_, listed, _) = events(guide, "domingo sem feira");
    assert!(!listed.is_empty() && listed.iter().all(|id| !id.starts_with("feira-")), "{listed:?}");
    let cinemas = places(guide, "cinema sem ser de shopping").1;
    assert!(cinemas.iter().any(|id| id == "cine-brasilia"), "{cinemas:?}");
    assert!(cinemas.iter().all(|id| id != "cineflix-jk-shopping"), "{cinemas:?}");
}

#[test]
fn where_a_class_would_be_is_no_answer_when_there_is_no_class() {
    let guide = demo_guide();
    for question in ["yoga class in the park on Saturday morning", "aula de zumba na praça hoje"] {
        let (page, listed, next) = events(guide, question);
        assert!(listed.is_empty() && next.is_empty(), "{question}: {listed:?}");
        assert_eq!(page.nothing, Some(Nothing::EmptyCategory), "{question}");
    }
    // a meal is no thing that is missing
    for question in ["comer algo numa feira no domingo", "almoço na feira domingo"] {
        assert!(!events(guide, question).1.is_empty(), "{question}");
    }
    assert!(!events(guide, "show depois do jogo").1.is_empty());
    let after = places(guide, "ice cream after the beach").1;
    assert_eq!(after.first(), places(guide, "ice cream").1.first());
    // an outing is whatever is on, and a match that comes later is not what is asked for
    assert!(!events(guide, "passeio no domingo").1.is_empty());
    assert_eq!(places(guide, "lugar para criança antes do jogo").1[0], "planetario-de-brasilia");
}

#[test]
fn what_asks_for_nothing_changes_no_answer() {
    let guide = demo_guide();
    for (question, without) in [
        ("boa noite! um restaurante japonês", "restaurante japonês"),
        ("boa tarde, parque no Guará", "parque no Guará"),
        ("Good afternoon, bars", "bars"),
        ("buenas noches, un restaurante japonés", "restaurante japonés"),
        ("não sei onde comer pizza", "pizza"),
        ("bares para quem não conhece nada", "bares"),
        ("museums, return name and opening hours", "museums"),
        ("comida goiana no quilo lá no Guará", "comida goiana no quilo no Guará"),
    ] {
        let (page, listed) = places(guide, question);
        assert!(!listed.is_empty() && page.closest.is_none(), "{question}: {page:?}");
        assert_eq!(listed, places(guide, without).1, "{question}");
    }
    let sunday = events(guide, "List weekly Sunday events that start before noon, with name and venue").1;
    assert_eq!(sunday, events(guide, "Sunday before noon").1);
    // what else somebody says is no subject where anything is asked for
    for question in
        ["o que tem de bom na Fercal? fui transferido", "what's good in Fercal? I was transferred"]
    {
        assert_eq!(places(guide, question).1.len(), 3, "{question}");
    }
    // all places of a town are no answer to when a bus goes there
    let (page, listed) = places(guide, "horário de ônibus para o Gama");
    assert!(listed.is_empty() && matches!(page.nothing, Some(Nothing::NotListed(_))), "{listed:?}");
    assert!(!places(guide, "zoológico, como chegar de ônibus").1.is_empty());
}

#[test]
fn what_somebody_dislikes_or_cannot_eat_is_excluded() {
    let guide = demo_guide();
    // no dish is the centre that it is spelt like, and nothing is corrected to exclude it
    assert!(places(guide, "restaurante sem coentro").0.interpretation.corrected.is_empty());
    // a verb of dislike is no misspelt month
    let (page, _) = places(guide, "não gosto de sushi, pizza na fercal");
    assert_eq!(
        (page.interpretation.without, page.interpretation.corrected.len()),
        (vec!["sushi".to_owned()], 0)
    );
    for (question, without) in [
        ("restaurant for someone allergic to seafood", "restaurant without seafood"),
        ("soy alérgico a los mariscos, restaurante en Asa Sul", "restaurante en Asa Sul sin mariscos"),
        ("sushi place, my wife can't stand rodizio", "sushi place without rodizio"),
        ("my kid hates museums, parks", "parks for kids, no museums"),
        ("a mi mujer no le gusta la pizza, restaurante en Asa Sul", "restaurante en Asa Sul sin pizza"),
        ("palácios, exceto a catedral e o congresso", "palácios sem catedral e sem congresso"),
        ("bares na Asa Norte menos o beirut", "bares na Asa Norte menos o Beirute"),
        ("não gosto muito de museu, parque", "parque, exceto museu"),
        ("sushi eu detesto, pizza", "pizza sem sushi"),
        ("seafood allergy, restaurant in Asa Sul", "restaurant in Asa Sul without seafood"),
        ("meu marido odeia sushi e quer pizza", "pizza sem sushi"),
        ("além da catedral e do congresso, palácios", "palácios sem catedral e sem congresso"),
        // without an object nothing is
        ("I don't drink, place with live music", "place with live music"),
        ("odeio ficar em casa, bar na Asa Norte", "bar na Asa Norte"),
        ("bar sem karaokê que eu odeio", "bar sem karaokê"),
        ("I hate museums. And parks?", "parks, no museums"),
        ("parks, no museums", "parques, exceto museus"),
        // what menus name where it is missing
        ("odeio camarão e tenho alergia a glúten, padaria", "padaria sem glúten"),
        ("restaurants for someone with allergies", "restaurants"),
        ("sou intolerante a glúten, padaria", "padaria sem glúten"),
    ] {
        let (page, listed) = places(guide, question);
        assert!(!listed.is_empty(), "{question}: {page:?}");
        assert_eq!(listed, places(guide, without).1, "{question}");
    }
}

#[test]
fn ages_and_how_one_gets_home_filter_nothing_and_the_longer_phrase_is_meant() {
    let guide = demo_guide();
    for (question, same) in [
        ("museum for two kids, 5 and 8", "museum for kids"),
        ("museu com filhos de 4, 7 e 11", "museu com filhos"),
        ("restaurante na asa norte pra voltar de uber", "restaurante na asa norte"),
        ("vontade de comer carne de sol", "carne de sol"),
        ("dá pra passear com meu cachorro na asa norte?", "parque na asa norte"),
    ] {
        let listed = places(guide, question).1;
        assert!(!listed.is_empty(), "{question}");
        assert_eq!(listed, places(guide, same).1, "{question}");
    }
    let (page, listed) = places(guide, "ponto de táxi perto do shopping");
    assert!(listed.is_empty() && page.closest.is_none(), "{listed:?}");
}

#[test]
fn what_is_in_the_area_that_was_let_go_is_told_when_it_is_little() {
    let guide = demo_guide();
    let further = |question: &str| -> Vec<&str> {
        let (page, listed) = places(guide, question);
        assert!(page.closest.is_some() && !listed.is_empty(), "{question}");
        page.further.iter().map(|rank| guide.places.rendered.id(*rank)).collect()
    };
    // the only record of it
    assert_eq!(further("água mineral é boa com crianças?")[..1], ["parque-nacional-de-brasilia"]);
    // no brewery there, but bars
    assert!(further("chopp na 408 norte").contains(&"godofredo"));
    // all that one can eat in Asa Norte is no answer
    assert!(further("comida nigeriana na asa norte").is_empty());
    let (_, listed, next) = events(guide, "feira no cruzeiro segunda");
    assert!(!listed.is_empty() && next[0].starts_with("feira-permanente-do-cruzeiro"), "{next:?}");
}

#[test]
fn a_stop_that_something_stands_beside_is_searched_for_and_a_way_to_travel_is_not() {
    let guide = demo_guide();
    for question in ["bar em frente ao metrô", "bar ao lado do metrô"] {
        let (page, listed) = places(guide, question);
        assert!(listed == ["my-drinks-lounge-bar"] && page.closest.is_none(), "{question}: {listed:?}");
        assert!(page.interpretation.not_known.is_empty(), "{question}");
    }
    let (page, _) = places(guide, "bar, vou de metrô");
    assert!(page.total > 20 && !page.interpretation.not_known.is_empty());
}

#[test]
fn the_names_of_regions_and_streets_in_addresses_mean_no_category() {
    let guide = demo_guide();
    let (_, listed) = places(guide, "museu com parque");
    assert!(!listed.is_empty());
    for address in ["Park Way", "Estrada Parque"] {
        let there = |id: &&String| {
            let place = guide.places.find(id).unwrap();
            String::from_utf8_lossy(guide.places.rendered.json(place, View::Full)).contains(address)
        };
        assert_eq!(listed.iter().find(there), None, "{address}");
    }
}
