//! Tests that compare two snapshots: the basic view behaves as if paid fields did not exist, and a cursor of one
//! snapshot works in the next.
#![allow(clippy::cast_possible_truncation, reason = "random numbers below a small bound")]

use std::collections::HashSet;

use chrono::Days;
use snapshots::{Links, Snapshot};

use crate::grammar::fold::stem;
use crate::records::schema::View;
use crate::search::search;
use crate::spelling::correction::is_of_vocabulary;
use crate::tests::generators::{Rng, Terms, demo, event, place, plano_piloto, small, today};
use crate::vocabulary::words::Words;
use crate::{Collection, Cursor, EVERYWHERE, Guide, Page, Query, Window};

/// The snapshot without its paid fields.
pub(crate) fn without_paid_fields(snapshot: &Snapshot) -> Snapshot {
    let mut open = snapshot.clone();
    for place in &mut open.places {
        (place.address, place.description, place.links) = (None, None, Links::default());
        place.position = None;
    }
    for event in &mut open.events {
        (event.lineup, event.address, event.tickets, event.links) = (None, None, None, Links::default());
        event.position = None;
    }
    open
}

/// Runs the same queries with and without paid fields in the basic view, and counts how many differ in the full view.
fn compare_random(rng: &mut Rng, snapshot: &Snapshot, queries: usize) -> usize {
    let (whole, open) =
        (Guide::build(snapshot).unwrap(), Guide::build(&without_paid_fields(snapshot)).unwrap());
    // words of all fields, because a leak would show there
    let terms = Terms::of(snapshot);
    let mut differ = 0;
    for _ in 0..queries {
        let words = Words::new(&terms.text(rng));
        let mut query = terms.query(rng, &whole, &words);
        let run = |guide: &Guide, query: &Query| {
            [&guide.places, &guide.events]
                .map(|collection| format!("{:?}", search(guide.vocabulary(), collection, query)))
        };
        query.view = View::Full;
        let full = run(&whole, &query);
        query.view = View::Basic;
        let basic = run(&whole, &query);
        assert_eq!(basic, run(&open, &query), "{query:?}");
        differ += usize::from(full != basic);
    }
    differ
}

#[test]
fn the_basic_view_of_the_demo_ignores_paid_fields() {
    let differ = compare_random(&mut Rng::new(11), &demo(), 1_000);
    assert!(differ > 50, "the full view must find more, else nothing was tested: {differ}");
}

#[test]
fn the_basic_view_of_any_small_snapshot_ignores_paid_fields() {
    let (mut rng, demo) = (Rng::new(12), demo());
    let differ: usize = (0..20)
        .map(|_| {
            let snapshot = small(&mut rng, &demo);
            compare_random(&mut rng, &snapshot, 100)
        })
        .sum();
    assert!(differ > 50, "the full view must find more, else nothing was tested: {differ}");
}

#[test]
fn the_basic_view_is_never_corrected_to_a_word_of_paid_fields() {
    let (mut rng, demo) = (Rng::new(13), demo());
    let mut snapshot = small(&mut rng, &demo);
    snapshot.places = vec![place(&mut rng, &demo, 1)];
    snapshot.places[0].address = Some("Alameda Quixeramobim".to_owned());
    snapshot.places[0].name = "Xiquexique".to_owned();
    snapshot.places[0].style = Some("bandolinistas".to_owned());
    let guide = Guide::build(&snapshot).unwrap();
    let total = |text, view| {
        let words = Words::new(text);
        let query = Query::of(&words, today(), view, 5);
        search(guide.vocabulary(), &guide.places, &query).total
    };
    for (text, basic, full) in [
        ("quixeramobim", 0, 1),
        // only words of names and of the vocabulary are corrected to
        ("quixeramobin", 0, 1),
        ("quixermobim", 0, 0),
        ("quixera", 0, 1),
        ("bandolinistas", 1, 1),
        ("bandolinitsas", 0, 0),
        ("xiquexiqe", 1, 1),
    ] {
        assert_eq!((total(text, View::Basic), total(text, View::Full)), (basic, full), "{text}");
    }
}

fn places(guide: &Guide) -> &Collection {
    &guide.places
}

fn events(guide: &Guide) -> &Collection {
    &guide.events
}

/// The ids on all pages of a query, with the next guide for each page.
fn pages(guides: &[Guide], collection_of: fn(&Guide) -> &Collection, query: &Query) -> Vec<String> {
    let mut ids = Vec::new();
    let mut after: Option<Cursor> = None;
    for guide in guides.iter().cycle() {
        let collection = collection_of(guide);
        let page = search(guide.vocabulary(), collection, &Query { after: after.as_ref(), ..query.clone() });
        ids.extend(page.ranks.iter().map(|rank| collection.rendered.id(*rank).to_owned()));
        if !page.more {
            break;
        }
        after = Cursor::behind(collection, &page);
    }
    ids
}

/// The next snapshot: records are removed, added and moved. `still` keeps the ids of those that did not move.
fn changed(rng: &mut Rng, snapshot: &Snapshot, demo: &Snapshot, still: &mut HashSet<String>) -> Snapshot {
    let mut next = snapshot.clone();
    for at in (0..next.places.len()).rev() {
        match rng.below(8) {
            0 => {
                still.remove(&next.places.remove(at).id);
            }
            1 => {
                still.remove(&next.places[at].id);
                next.places[at].mentions = rng.below(5) as u32;
            }
            2 => {
                still.remove(&next.places[at].id);
                next.places[at].name = place(rng, demo, 0).name;
            }
            // an edit that does not change the order
            3 => next.places[at].price = Some("R$ 20".to_owned()),
            _ => {}
        }
    }
    for at in (0..next.events.len()).rev() {
        match rng.below(6) {
            0 => {
                still.remove(&next.events.remove(at).id);
            }
            1 => {
                still.remove(&next.events[at].id);
                next.events[at].date = next.events[at].date - Days::new(2);
            }
            _ => {}
        }
    }
    for id in 0..rng.below(12) {
        let id = 1_000 + id + rng.below(1_000) * 20;
        let (new_place, new_event) = (place(rng, demo, id), event(rng, demo, today(), id));
        if next.places.iter().all(|one| one.id != new_place.id) {
            next.places.push(new_place);
        }
        if next.events.iter().all(|one| one.id != new_event.id) {
            next.events.push(new_event);
        }
    }
    next
}

#[test]
fn a_cursor_across_snapshots_neither_skips_nor_repeats_unmoved_records() {
    let (mut rng, demo) = (Rng::new(14), demo());
    for _ in 0..12 {
        let first = small(&mut rng, &demo);
        let mut still: HashSet<String> = first
            .places
            .iter()
            .map(|one| one.id.clone())
            .chain(first.events.iter().map(|one| one.id.clone()))
            .collect();
        let mut snapshots = vec![first];
        for _ in 0..2 {
            let next = changed(&mut rng, snapshots.last().unwrap(), &demo, &mut still);
            snapshots.push(next);
        }
        let guides: Vec<Guide> = snapshots.iter().map(|snapshot| Guide::build(snapshot).unwrap()).collect();
        let words = Words::default();
        for limit in [1, 2, 3, 7, 20] {
            let query = Query {
                window: Some(Window { from: today(), to: today() + Days::new(20) }),
                ..Query::of(&words, today(), View::Basic, limit)
            };
            for collection_of in [places, events] {
                let of = |guide: &Guide| -> HashSet<String> {
                    let collection = collection_of(guide);
                    let all =
                        search(guide.vocabulary(), collection, &Query { limit: 10_000, ..query.clone() });
                    all.ranks.iter().map(|rank| collection.rendered.id(*rank).to_owned()).collect()
                };
                let expected: Vec<String> =
                    of(&guides[0]).into_iter().filter(|id| still.contains(id)).collect();
                let found = pages(&guides, collection_of, &query);
                for id in &expected {
                    let times = found.iter().filter(|one| *one == id).count();
                    assert_eq!(times, 1, "{id}, {limit} a page");
                }
            }
        }
    }
}

#[test]
fn a_cursor_of_a_removed_record_continues_after_its_position() {
    let (mut rng, demo) = (Rng::new(15), demo());
    for _ in 0..10 {
        let snapshot = small(&mut rng, &demo);
        let whole = Guide::build(&snapshot).unwrap();
        for rank in 0..whole.places.len() {
            let gone = whole.places.rendered.id(rank).to_owned();
            let mut rest = snapshot.clone();
            rest.places.retain(|one| one.id != gone);
            if rank % 9 == 0 {
                let rest = Guide::build(&rest).unwrap();
                let cursor = Cursor::behind(
                    &whole.places,
                    &Page { ranks: [rank].into_iter().collect(), ..Page::default() },
                );
                let words = Words::default();
                let query =
                    Query { after: cursor.as_ref(), ..Query::of(&words, today(), View::Full, 10_000) };
                let ids = |guide: &Guide| -> Vec<String> {
                    let page = search(guide.vocabulary(), &guide.places, &query);
                    page.ranks.iter().map(|rank| guide.places.rendered.id(*rank).to_owned()).collect()
                };
                assert_eq!(ids(&whole), ids(&rest));
            }
        }
    }
}

#[test]
fn no_correction_names_what_is_outside_the_area_of_the_caller() {
    let (demo, guide) = (demo(), Guide::build(&demo()).unwrap());
    let scope = plano_piloto(guide.vocabulary());
    let is_inside = |id: &str| guide.places.is_in_area(guide.places.find(id).unwrap(), scope);
    let (inside, outside): (Vec<_>, Vec<_>) = demo.places.iter().partition(|place| is_inside(&place.id));
    let (inside, mut corrected) = (serde_json::to_string(&inside).unwrap().to_lowercase(), 0);
    for place in outside {
        let name = Words::new(&place.name);
        let misspelt =
            (0..name.len()).map(|at| name.raw(at)).filter(|word| word.len() > 6 && word.is_ascii());
        for word in misspelt {
            let wrong = format!("{}x{}", &word[..4], &word[4..]);
            for text in [wrong.clone(), format!("sushi {wrong}"), format!("bares exceto {wrong}")] {
                let words = Words::new(&text);
                let run =
                    |query: &Query| search(guide.vocabulary(), &guide.places, query).interpretation.corrected;
                let query = Query::of(&words, today(), View::Full, 5);
                corrected += run(&query).len();
                for (_, to) in run(&Query { scope, ..query.clone() }) {
                    let is_open = inside.contains(&to) || is_of_vocabulary(guide.vocabulary(), &stem(&to));
                    assert!(is_open, "{text}: {to}");
                }
            }
        }
    }
    assert!(corrected > 100, "{corrected}");
}

#[test]
fn a_word_of_which_the_guide_knows_nothing_filters_only_where_the_caller_may_see_it() {
    let mut demo = demo();
    let guide = Guide::build(&demo).unwrap();
    let scope = plano_piloto(guide.vocabulary());
    let ask = |guide: &Guide, scope| {
        let words = Words::new("bar wifi");
        let page = search(
            guide.vocabulary(),
            &guide.places,
            &Query { scope, ..Query::of(&words, today(), View::Basic, 50) },
        );
        (page.total, page.closest.is_some())
    };
    let before = ask(&guide, scope);
    let outside = demo
        .places
        .iter_mut()
        .find(|place| !guide.places.is_in_area(guide.places.find(&place.id).unwrap(), scope));
    outside.unwrap().style = Some("mesas e wifi".to_owned());
    let guide = Guide::build(&demo).unwrap();
    assert_eq!(ask(&guide, scope), before);
    assert_ne!(ask(&guide, EVERYWHERE), before);
}

#[test]
fn a_name_that_the_caller_may_not_see_does_not_take_a_strict_question() {
    let mut demo = demo();
    let question = "restaurante asa sul";
    let ask = |demo: &Snapshot| {
        let guide = Guide::build(demo).unwrap();
        let words = Words::new(question);
        let scope = plano_piloto(guide.vocabulary());
        let query = Query { scope, strict: true, ..Query::of(&words, today(), View::Basic, 5) };
        search(guide.vocabulary(), &guide.places, &query).total
    };
    let before = ask(&demo);
    let guide = Guide::build(&demo).unwrap();
    let scope = plano_piloto(guide.vocabulary());
    let outside = demo
        .places
        .iter_mut()
        .find(|place| !guide.places.is_in_area(guide.places.find(&place.id).unwrap(), scope));
    outside.unwrap().name = "Restaurante Asa Sul".to_owned();
    assert!(before > 0);
    assert_eq!(ask(&demo), before);
}
