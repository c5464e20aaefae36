//! Tests of searching by distance against a linear scan, and of what the basic view tells of positions.
#![allow(clippy::cast_possible_truncation, reason = "random numbers below a small bound")]

use std::collections::BTreeSet;

use chrono::Days;

use snapshots::Snapshot;

use crate::grammar::dates::Hours;
use crate::grammar::fold::fold;
use crate::question::near::{Caller, Near, NearError, NearPhrase};
use crate::records::bits::Bits;
use crate::records::positions::{KnownBy, Location, Point};
use crate::records::postings::Cursors;
use crate::records::schema::View;
use crate::search::search;
use crate::search::ties::MOST_TIED;
use crate::tests::generators::{Rng, Terms, demo, demo_guide, position, small, today};
use crate::tests::view_isolation::without_paid_fields;
use crate::vocabulary::regions::{self, quadras};
use crate::vocabulary::words::Words;
use crate::{Collection, Cursor, EVERYWHERE, Guide, Page, Query, Window};

fn caller(view: View) -> Caller {
    Caller { view, scope: EVERYWHERE, covered: None }
}

/// The demo and random snapshots with places.
fn snapshots(rng: &mut Rng) -> Vec<Snapshot> {
    let demo = demo();
    let random: Vec<Snapshot> = (1..12).map(|_| small(rng, &demo)).collect();
    std::iter::once(demo).chain(random).filter(|snapshot| !snapshot.places.is_empty()).collect()
}

/// A random place to search from.
fn near(rng: &mut Rng, guide: &Guide, terms: &Terms, view: View) -> Option<Near> {
    let text = match rng.below(4) {
        0 => {
            let position = position(rng);
            format!("{},{}", position.lat.degrees(), position.lon.degrees())
        }
        1 => rng.pick(&terms.areas).clone(),
        2 => rng.pick(&terms.texts).clone(),
        _ => guide.places.rendered.id(rng.below(guide.places.len().max(1) as usize) as u32).to_owned(),
    };
    let within_m = if rng.one_in(2) { Some(1 + rng.below(9_000) as u32) } else { None };
    let phrase = if rng.one_in(2) { Some("perto".to_owned()) } else { None };
    Some(Near { within_m, phrase, ..guide.near(&text, caller(view)).ok()? })
}

/// The distance of each record within reach, with its rank, the nearest first.
fn scan(collection: &Collection, matching: &[u32], near: &Near, view: View) -> Vec<(u32, u32)> {
    let distance = |rank: &u32| {
        let distance = collection.distance(view, *rank, near.anchor())?;
        let is_inside = near.inside().is_some_and(|area| collection.is_in_area(*rank, area));
        (is_inside || distance <= near.reach()).then_some((distance, *rank))
    };
    let mut found: Vec<(u32, u32)> = matching.iter().filter_map(distance).collect();
    // what lies in an area comes before what is around it
    let is_outside = |rank: u32| near.inside().is_some_and(|area| !collection.is_in_area(rank, area));
    let comes_late = |rank: u32| near.phrase.is_none() && is_outside(rank);
    found.sort_unstable_by_key(|(distance, rank)| (comes_late(*rank), *distance, *rank));
    found
}

#[test]
fn a_distance_is_the_whole_part_of_the_root() {
    let mut rng = Rng::new(41);
    let from = Point { east: -1_000, north: 2_000 };
    for round in 0..50_000 {
        let reach = if round % 2 == 0 { 300 } else { 400_000 };
        let mut metres = || rng.below(2 * reach) as i32 - reach as i32;
        let point = Point { east: metres(), north: metres() };
        let location = Location { position: position(&mut rng), point, known_by: KnownBy::Block, edge_m: 0 };
        let (east, north) = (i64::from(point.east - from.east), i64::from(point.north - from.north));
        let (distance, square) = (location.distance(from), east * east + north * north);
        assert_eq!(i64::from(distance), square.isqrt());
        assert!(
            location.is_within(from.into(), distance)
                && !(distance > 0 && location.is_within(from.into(), distance - 1))
        );
    }
}

#[test]
fn the_nearest_records_are_those_of_a_linear_scan() {
    let mut rng = Rng::new(31);
    let (mut compared, mut cut) = (0, 0);
    for snapshot in snapshots(&mut rng) {
        let (guide, terms) = (Guide::build(&snapshot).unwrap(), Terms::of(&snapshot));
        for _ in 0..200 {
            let words = Words::new(&if rng.one_in(2) { String::new() } else { terms.text(&mut rng) });
            // closest records and later days are compared elsewhere
            let query =
                Query { strict: true, limit: 1 + rng.below(9), ..terms.query(&mut rng, &guide, &words) };
            let Some(near) = near(&mut rng, &guide, &terms, query.view) else { continue };
            for collection in [&guide.places, &guide.events] {
                let everything =
                    search(guide.vocabulary(), collection, &Query { limit: 10_000, ..query.clone() });
                if !everything.interpretation.corrected.is_empty() {
                    continue;
                }
                let mut expected = scan(collection, &everything.ranks, &near, query.view);
                if near.phrase.is_some() {
                    let place = fold(&near.name);
                    expected.retain(|(distance, rank)| {
                        let name = fold(&collection.rendered.id_and_name(*rank).1);
                        let begins = name.starts_with(&place) || place.starts_with(&name);
                        name != place && (*distance > 0 || !begins)
                    });
                }
                let query = Query { near: Some(&near), ..query.clone() };
                // what the narrow reading finds elsewhere alone, the wide one may find here
                if expected.is_empty() && !everything.ranks.is_empty() && !words.is_empty() {
                    continue;
                }
                let (pages, total) = all_pages(&guide, collection, &query);
                if near.phrase.is_none() {
                    let ranks: Vec<u32> = expected.iter().map(|(_, rank)| *rank).collect();
                    assert_eq!((pages, total as usize), (ranks, expected.len()), "{query:?}");
                } else if !expected.is_empty() {
                    let is_inside = |rank: u32| match near.wide_area() {
                        Some(area) => collection.is_in_area(rank, area),
                        None => says_it_is_in(&guide, collection, rank, &near, query.view),
                    };
                    let has_inside = expected.iter().any(|(_, rank)| is_inside(*rank));
                    let walk = near.walk_to(expected[0].0);
                    let is_near = |(distance, rank): &(u32, u32)| match has_inside {
                        true => is_inside(*rank),
                        false => *distance <= walk,
                    };
                    let mut near: Vec<(u32, u32)> =
                        expected.iter().copied().filter(|one| is_near(one)).collect();
                    cut += usize::from(near.len() < expected.len());
                    near.sort_unstable_by_key(|(_, rank)| *rank);
                    // what else orders places of equally many mentions is compared elsewhere
                    if collection.calendar.is_none() && words.is_empty() {
                        let mentions = |(_, rank): &(u32, u32)| collection.primary[*rank as usize];
                        let runs = near.chunk_by_mut(|left, right| mentions(left) == mentions(right));
                        runs.filter(|tied| tied.len() <= MOST_TIED).for_each(|tied| tied.sort_unstable());
                    }
                    let ranks: Vec<u32> = near.into_iter().map(|(_, rank)| rank).collect();
                    if collection.calendar.is_none() && !words.is_empty() {
                        let set = |ranks: &[u32]| ranks.iter().copied().collect::<BTreeSet<u32>>();
                        assert_eq!((set(&pages), pages.len()), (set(&ranks), ranks.len()), "{query:?}");
                    } else {
                        assert_eq!(pages, ranks, "{query:?}");
                    }
                }
                compared += usize::from(!expected.is_empty());
            }
        }
    }
    assert!(compared > 300 && cut > 30, "{compared} questions with an answer, {cut} of them cut");
}

/// Whether a record of the basic view, which knows the points of few, names the superquadra to search from.
fn says_it_is_in(guide: &Guide, collection: &Collection, rank: u32, near: &Near, view: View) -> bool {
    if view != View::Basic || near.location.known_by != KnownBy::Block {
        return false;
    }
    let mut record = Bits::none(collection.len());
    record.insert(rank);
    let quadras = quadras(guide.vocabulary(), &near.name);
    let lists = quadras.iter().filter_map(|(wing, number)| collection.quadra(view, *wing, *number));
    !record.and_any(&lists.collect::<Cursors>()).is_empty()
}

/// The ranks on all pages, and the total of the first.
pub(crate) fn all_pages(guide: &Guide, collection: &Collection, query: &Query) -> (Vec<u32>, u32) {
    let (mut ranks, mut total): (Vec<u32>, _) = (Vec::new(), None);
    let mut after: Option<Cursor> = None;
    loop {
        let page = search(guide.vocabulary(), collection, &Query { after: after.as_ref(), ..query.clone() });
        let total = *total.get_or_insert(page.total);
        assert_eq!(page.total, total);
        ranks.extend_from_slice(&page.ranks);
        if !page.more {
            return (ranks, total);
        }
        after = Cursor::behind(collection, &page);
    }
}

/// Everything that an answer near a place tells: the page, and where its records are.
fn told(guide: &Guide, collection: &Collection, query: &Query) -> (String, Vec<Option<(u32, KnownBy)>>) {
    let page: Page = search(guide.vocabulary(), collection, query);
    let distances = page.ranks.iter().chain(&page.further).map(|rank| {
        let location = collection.location(query.view, *rank)?;
        Some((location.distance(query.near?.anchor()), location.known_by))
    });
    let distances = distances.collect();
    (format!("{page:?}"), distances)
}

#[test]
fn the_basic_view_tells_nothing_of_addresses_and_positions() {
    let mut rng = Rng::new(32);
    let (mut differ, mut wishes) = (0, 0);
    for snapshot in snapshots(&mut rng) {
        let (whole, open) =
            (Guide::build(&snapshot).unwrap(), Guide::build(&without_paid_fields(&snapshot)).unwrap());
        let terms = Terms::of(&snapshot);
        for _ in 0..200 {
            let words = Words::new(&terms.text(&mut rng));
            let seed = rng.below(1 << 30);
            let places =
                [&whole, &open].map(|guide| near(&mut Rng::new(seed as u64), guide, &terms, View::Basic));
            assert_eq!(places[0], places[1]);
            let asked = Words::new(&format!("bar perto de {}", rng.pick(&terms.texts)));
            let wish = |guide: &Guide| match guide.near_phrase(&asked, caller(View::Basic)) {
                Some(NearPhrase::Place(near, rest)) => Some((near, rest.folded().to_owned())),
                _ => None,
            };
            assert_eq!(wish(&whole), wish(&open));
            wishes += usize::from(wish(&whole).is_some());
            let [Some(near), _] = &places else { continue };
            let query =
                Query { near: Some(near), view: View::Basic, ..terms.query(&mut rng, &whole, &words) };
            let each = |guide: &Guide, query: &Query| {
                [&guide.places, &guide.events].map(|collection| told(guide, collection, query))
            };
            let basic = each(&whole, &query);
            assert_eq!(basic, each(&open, &query), "{query:?}");
            differ += usize::from(basic != each(&whole, &Query { view: View::Full, ..query.clone() }));
        }
    }
    assert!(
        differ > 100 && wishes > 50,
        "the full view must tell more, else nothing was tested: {differ}, {wishes}"
    );
}

#[test]
fn places_are_read_from_questions_in_three_languages() {
    let guide = demo_guide();
    for (text, name, rest) in [
        ("bar perto da 408 norte", "408 Norte", "bar"),
        ("bar pertinho da 408N hoje", "408 N", "bar hoje"),
        ("jazz near the TV tower", "Torre de TV", "jazz"),
        ("sorvete perto do pontão", "Pontão", "sorvete"),
        ("vegan lunch near SCS quadra 2", "SCS Quadra 2", "vegan lunch"),
        ("restaurante perto da UnB", "Universidade de Brasília", "restaurante"),
        ("what is near the Cathedral", "Catedral Metropolitana", "what is"),
        ("café cerca de la catedral mañana", "Catedral Metropolitana", "cafe manana"),
        ("museo alrededor de la catedral", "Catedral Metropolitana", "museo"),
        ("museum around the cathedral", "Catedral Metropolitana", "museum"),
        ("museu nos arredores da catedral", "Catedral Metropolitana", "museu"),
        ("igreja ao lado da EQS 307/308", "EQS 307", "igreja"),
        ("bar perto da SGAS Quadra 906", "SGAS Quadra 906", "bar"),
        ("bar perto de São Sebastião", "São Sebastião", "bar"),
        ("pizza perto de Águas Claras", "Águas Claras", "pizza"),
        ("bar ao lado do Beirute", "Beirute", "bar"),
        ("pizza perto da Asa Sul", "Asa Sul", "pizza"),
        ("cinema perto da CLS 405 bloco B", "CLS 405", "cinema"),
        ("the nearest bar to the Torre de TV", "Torre de TV", "the bar"),
        ("bar perto da avenida W3 Sul", "W3 Sul", "bar"),
        ("museu perto da W3 Sul 508", "W 3 Sul 508", "museu"),
        ("bar perto do planetário", "Planetário de Brasília", "bar"),
        // the place stands before
        ("vou ao show no Clube do Choro, jantar perto", "Clube do Choro", "vou ao show no jantar"),
        ("I'm at the Clube do Choro, any bars nearby?", "Clube do Choro", "i m at the any bars"),
        ("estoy en la torre de TV, ¿qué hay cerca?", "Torre de TV", "estoy en la que hay"),
        ("estou na rodoviária, quero jantar perto", "Rodoviária do Plano Piloto", "quero jantar"),
        ("CCBB, onde almoçar por perto", "Centro Cultural Banco do Brasil", "onde almocar por"),
        ("tô na rodoviária, o que dá pra ver a pé", "Rodoviária do Plano Piloto", "o que da pra ver"),
        ("bars walking distance from the TV tower", "Torre de TV", "bars"),
        ("something closer to the TV tower", "Torre de TV", "something"),
        ("I'm at the TV tower, coffee on foot", "Torre de TV", "i m at the coffee"),
        (
            "llegamos a la rodoviária, ¿qué hay por ahí cerca?",
            "Rodoviária do Plano Piloto",
            "llegamos a la que hay",
        ),
        ("we landed at the airport, food nearby", "Aeroporto", "we landed at the food"),
        ("tô na torre de TV, algum bar por ali?", "Torre de TV", "algum bar"),
        ("saí do CCBB com fome, onde almoçar", "Centro Cultural Banco do Brasil", "com fome onde almocar"),
    ] {
        match guide.near_phrase(&Words::new(text), caller(View::Full)) {
            Some(NearPhrase::Place(near, words)) => {
                assert!(near.name.starts_with(name), "{text}: {}", near.name);
                assert_eq!(words.folded(), rest, "{text}");
            }
            _ => panic!("no place in {text}"),
        }
    }
    for (text, metres) in [
        ("restaurants within 1 km of Torre de TV", 1_000),
        ("bares a menos de 500 m da rodoviária", 500),
        ("comida num raio de 2 km da UnB", 2_000),
    ] {
        let wish = guide.near_phrase(&Words::new(text), caller(View::Full));
        assert!(
            matches!(&wish, Some(NearPhrase::Place(near, _))
                if near.within_m == Some(metres + near.location.position.precision_m)),
            "{text}"
        );
    }
    for text in ["bar perto de mim", "o que tem perto daqui", "coffee near me", "cerca de mí"] {
        assert!(
            matches!(guide.near_phrase(&Words::new(text), caller(View::Full)), Some(NearPhrase::Here(_))),
            "{text}"
        );
    }
    for text in [
        "cinema infantil perto",
        "museu, parque perto",
        "bar na asa norte",
        // of which only the region is known
        "parques perto do Lago Paranoá",
        "perto de xyzzy",
        "samba",
        "bar perto",
        "moro na asa norte, bar perto",
        // words that begin the names of some records, and mean none of them
        "feira na Torre de TV, dá pra ir a pé",
        "bar perto de casa",
        "restaurante perto da igreja",
        "restaurant near the lake",
        "bar perto da avenida",
    ] {
        assert!(guide.near_phrase(&Words::new(text), caller(View::Full)).is_none(), "{text}");
    }
}

#[test]
fn no_record_stands_for_an_address_that_begins_like_its_name() {
    let guide = demo_guide();
    for text in ["Avenida L2 xyzzy", "Via N1", "DF", "shopping", "casa"] {
        let near = guide.near(text, caller(View::Full));
        assert!(matches!(near, Err(NearError::Unknown { .. })), "{text}: {:?}", near.map(|near| near.name));
    }
    for (text, name) in [
        ("Planetário", "Planetário"),
        ("avenida W3 Sul", "W3 Sul"),
        ("Buriti", "Palácio do Buriti"),
        ("Catedral", "Catedral"),
        ("Torre de TV", "Torre de TV"),
    ] {
        let near = guide.near(text, caller(View::Full)).unwrap();
        assert!(near.name.starts_with(name), "{text}: {}", near.name);
    }
}

#[test]
fn a_name_of_several_places_is_none_of_them() {
    let guide = demo_guide();
    for (text, reading) in [("Beirute", "Beirute Asa Norte"), ("Dom Bosco", "Santuário Dom Bosco")] {
        let near = guide.near(text, caller(View::Full));
        assert!(
            matches!(&near, Err(NearError::Ambiguous { readings }) if readings.iter().any(|one| one == reading)),
            "{text}: {near:?}"
        );
    }
    for text in ["US embassy", "Setor Hoteleiro", "banking sector"] {
        let near = guide.near(text, caller(View::Full));
        assert!(
            matches!(&near, Err(NearError::Areas { name: None, areas }) if areas.len() == 2),
            "{text}: {near:?}"
        );
    }
}

#[test]
fn a_record_whose_region_alone_is_known_is_no_point_to_search_from() {
    let guide = demo_guide();
    let name = |area| guide.vocabulary().area(area).name.to_string();
    for (text, area) in [("Lago Paranoá", "Lagos"), ("Paranoá Lake", "Lagos"), ("poco-azul", "Brazlândia")]
    {
        match guide.near(text, caller(View::Full)) {
            Err(NearError::Areas { areas, .. }) => assert_eq!(name(areas[0]), area, "{text}"),
            near => panic!("{text}: {near:?}"),
        }
    }
}

#[test]
fn what_is_near_a_record_is_what_a_linear_scan_finds() {
    let guide = demo_guide();
    let (places, reach, most) = (&guide.places, 3_000, 5);
    let mut found = 0;
    for view in [View::Basic, View::Full] {
        for rank in 0..places.len() {
            let known = |rank: u32| {
                places.location(view, rank).filter(|location| location.known_by != KnownBy::Region)
            };
            let expected = places.spot(view, rank).map_or_else(Vec::new, |from| {
                let others = (0..places.len()).filter(|other| *other != rank);
                let distance = |other| Some((known(other)?.distance(from), other));
                let mut within: Vec<(u32, u32)> = others.filter_map(distance).collect();
                within.retain(|(distance, _)| *distance <= reach);
                within.sort_unstable();
                within.truncate(most);
                within.into_iter().map(|(_, other)| other).collect()
            });
            found += expected.len();
            assert_eq!(places.nearest_to(rank, caller(view), reach, most), expected);
        }
    }
    assert!(found > 1_000, "{found}");
}

#[test]
fn what_is_beyond_the_reach_is_told_with_its_distance() {
    let guide = demo_guide();
    let near = guide.near("Plano Piloto", caller(View::Full)).unwrap();
    let words = Words::new("cachoeira");
    let query = Query { near: Some(&near), ..Query::of(&words, today(), View::Full, 10) };
    let page = search(guide.vocabulary(), &guide.places, &query);
    let beyond = page.relax.unwrap().near.unwrap();
    assert_eq!(page.total, 0);
    assert!(beyond.total >= 6 && beyond.nearest_m > near.reach(), "{beyond:?}");
}

#[test]
fn what_is_counted_near_a_place_of_the_question_is_what_is_listed() {
    let guide = demo_guide();
    let words = Words::new("");
    let near = Near {
        phrase: Some("perto da Torre de TV".to_owned()),
        ..guide.near("Torre de TV", caller(View::Full)).unwrap()
    };
    let night = Some(Hours { from: 18 * 60, to: 6 * 60 });
    let query = Query { near: Some(&near), hours: night, ..Query::of(&words, today(), View::Full, 500) };
    for group in [false, true] {
        let window = Some(Window { from: today(), to: today() + Days::new(60) });
        let page = search(guide.vocabulary(), &guide.events, &Query { group, window, ..query.clone() });
        let (_, untimed) = page.interpretation.hours.unwrap();
        assert!(page.total > 0 && untimed <= page.total, "{untimed} of {}", page.total);
    }
    // the totals with a condition less are those of pages without it
    let guara = regions::resolve(guide.vocabulary(), "Gama").unwrap();
    let words = Words::new("sushi");
    let query = Query { near: Some(&near), hours: None, words: &words, ..query };
    let empty = search(guide.vocabulary(), &guide.places, &Query { areas: guara, ..query.clone() });
    let without = search(guide.vocabulary(), &guide.places, &query);
    assert_eq!((empty.total, empty.relax.unwrap().region), (0, Some(without.total)));
}

#[test]
fn what_is_asked_for_in_a_landmark_that_is_no_record_is_near_it() {
    let guide = demo_guide();
    let place = |text: &str| match guide.near_phrase(&Words::new(text), caller(View::Full)) {
        Some(NearPhrase::Place(near, rest)) => Some((near.name, rest.folded().to_owned())),
        _ => None,
    };
    for (text, name, rest) in [
        ("bar na estação Galeria", "Estação Galeria (Metrô-DF)", "bar na"),
        ("bar estação galeria do metrô", "Estação Galeria (Metrô-DF)", "bar"),
        ("coffee at Galeria station", "Estação Galeria (Metrô-DF)", "coffee at"),
        ("lanche no Hospital de Base", "Hospital de Base do DF", "lanche no"),
        ("almoço na Ponte do Bragueto", "Ponte do Bragueto", "almoco na"),
        // only what the word leads to is excluded
        ("padaria sem glúten na estação Galeria", "Estação Galeria (Metrô-DF)", "padaria sem gluten na"),
    ] {
        assert_eq!(place(text), Some((name.to_owned(), rest.to_owned())), "{text}");
    }
    for text in [
        // asks for the hospital itself, or for another thing of its name
        "hospital de base",
        "igreja santa marta",
        // what the guide lists is found by its name
        "cinema no Pier 21",
        "parque da cidade",
        "restaurante comunitário Gama",
        "lanche, menos no Hospital de Base",
    ] {
        assert_eq!(place(text), None, "{text}");
    }
}

/// A page of a kind of places near a place that a parameter names, with the distance of each.
fn places_near(place: &str, kind: &str) -> Vec<(String, u32)> {
    let guide = demo_guide();
    let near = guide.near(place, caller(View::Full)).unwrap();
    let words = Words::new("");
    let categories = crate::vocabulary::categories::named(guide.vocabulary(), kind).unwrap();
    let query = Query { near: Some(&near), categories, ..Query::of(&words, today(), View::Full, 50) };
    let page = search(guide.vocabulary(), &guide.places, &query);
    let distance = |rank| guide.places.distance(View::Full, rank, near.anchor()).unwrap();
    let record = |rank: &u32| (guide.places.rendered.id(*rank).to_owned(), distance(*rank));
    page.ranks.iter().map(record).collect()
}

#[test]
fn what_is_known_by_its_region_alone_is_near_a_place_in_that_region() {
    // the guide has no point of Águas Claras Norte
    for place in ["Estação Águas Claras (Metrô-DF)", "Águas Claras Shopping", "-15.8405,-48.0285"] {
        let near = places_near(place, "restaurante");
        let of_the_north = near.iter().find(|(id, _)| id == "rovereto");
        assert!(
            of_the_north.is_some_and(|(_, distance)| (500..2_500).contains(distance)),
            "{place}: {near:?}"
        );
    }
    // from another region it counts as far as it may be
    let near = places_near("Taguatinga Shopping", "restaurante");
    assert!(!near.is_empty() && !near.iter().any(|(id, _)| id == "rovereto"), "{near:?}");
}

#[test]
fn what_lies_in_an_area_comes_before_what_is_around_it() {
    let guide = demo_guide();
    let area = regions::resolve(guide.vocabulary(), "Águas Claras").unwrap()[0];
    let near = places_near("Águas Claras", "bar");
    let is_inside: Vec<bool> =
        near.iter().map(|(id, _)| guide.places.is_in_area(guide.places.find(id).unwrap(), area)).collect();
    assert!(is_inside.is_sorted_by_key(|is_inside| !is_inside), "{near:?}");
    assert!(is_inside.contains(&true) && is_inside.contains(&false), "{near:?}");
}

#[test]
fn the_next_day_near_a_place_says_near_what_and_what_is_farther_away_before() {
    let guide = demo_guide();
    let near = guide.near("Taguatinga", caller(View::Full)).unwrap();
    let words = Words::new("");
    let query = Query { near: Some(&near), ..Query::of(&words, today(), View::Full, 10) };
    let page = search(guide.vocabulary(), &guide.events, &query);
    assert!(page.total == 0 && page.next.is_some());
    assert_eq!(page.around.unwrap().near.name, "Taguatinga");
    assert!(page.relax.unwrap().near.unwrap().total > 20);
    // a wish is let go for what is on this week
    let words = Words::new("eventos perto de Taguatinga");
    let Some(NearPhrase::Place(near, rest)) = guide.near_phrase(&words, caller(View::Full)) else {
        panic!("no place to be near")
    };
    let query = Query { near: Some(&near), ..Query::of(&rest, today(), View::Full, 10) };
    let page = search(guide.vocabulary(), &guide.events, &query);
    let distance = |rank: &u32| guide.events.distance(View::Full, *rank, near.anchor());
    assert!(page.closest.is_some_and(|closest| closest.is_anywhere) && page.next.is_none());
    assert!(page.ranks.len() == 10 && page.ranks.is_sorted_by_key(distance));
}
