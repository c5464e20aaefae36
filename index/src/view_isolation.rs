//! Promises over two snapshots: the basic view answers as if the paid fields were not there, and a cursor of one
//! snapshot goes on in the next.

use std::collections::HashSet;

use chrono::Days;
use snapshots::{Links, Snapshot};

use crate::generators::{Dice, Terms, demo, event, place, small, today};
use crate::schema::View;
use crate::search::search;
use crate::words::Words;
use crate::{Collection, Cursor, Guide, Query, Window};

/// The snapshot as the free plan sees it.
fn without_paid_fields(snapshot: &Snapshot) -> Snapshot {
    let mut open = snapshot.clone();
    for place in &mut open.places {
        (place.address, place.description, place.links) = (None, None, Links::default());
    }
    for event in &mut open.events {
        (event.lineup, event.address, event.tickets, event.links) = (None, None, None, Links::default());
    }
    open
}

/// Asks both guides the same in the basic view; how many questions the full view answers otherwise.
fn interrogate(generators: &mut Dice, snapshot: &Snapshot, questions: usize) -> usize {
    let (whole, open) =
        (Guide::build(snapshot).unwrap(), Guide::build(&without_paid_fields(snapshot)).unwrap());
    // the words asked are those of all fields: that is where a leak would show
    let terms = Terms::of(snapshot);
    let mut differ = 0;
    for _ in 0..questions {
        let words = Words::new(&terms.text(generators));
        let mut question = terms.question(generators, &whole, &words);
        let answer = |guide: &Guide, question: &Query| {
            [&guide.places, &guide.events]
                .map(|shelf| format!("{:?}", search(guide.vocabulary(), shelf, question)))
        };
        question.view = View::Full;
        let full = answer(&whole, &question);
        question.view = View::Basic;
        let basic = answer(&whole, &question);
        assert_eq!(basic, answer(&open, &question), "{question:?}");
        differ += usize::from(full != basic);
    }
    differ
}

#[test]
fn the_basic_view_of_the_demo_knows_nothing_of_paid_fields() {
    let differ = interrogate(&mut Dice::new(11), &demo(), 1_000);
    assert!(differ > 50, "the full view must know more, else nothing was tested: {differ}");
}

#[test]
fn the_basic_view_of_any_small_snapshot_knows_nothing_of_paid_fields() {
    let (mut generators, demo) = (Dice::new(12), demo());
    let differ: usize = (0..20)
        .map(|_| {
            let snapshot = small(&mut generators, &demo);
            interrogate(&mut generators, &snapshot, 100)
        })
        .sum();
    assert!(differ > 50, "the full view must know more, else nothing was tested: {differ}");
}

#[test]
fn the_basic_view_is_never_corrected_to_a_word_of_paid_fields_only() {
    let (mut generators, demo) = (Dice::new(13), demo());
    let mut snapshot = small(&mut generators, &demo);
    snapshot.places = vec![place(&mut generators, &demo, 1)];
    snapshot.places[0].address = Some("Alameda Quixeramobim".to_owned());
    snapshot.places[0].style = Some("bandolinistas".to_owned());
    let guide = Guide::build(&snapshot).unwrap();
    let total = |text, view| {
        let words = Words::new(text);
        let question = Query::of(&words, today(), view, 5);
        search(guide.vocabulary(), &guide.places, &question).total
    };
    for (text, basic, full) in [
        ("quixeramobim", 0, 1),
        ("quixeramobin", 0, 1),
        ("quixermobim", 0, 1),
        ("quixera", 0, 1),
        ("bandolinistas", 1, 1),
        ("bandolinitsas", 1, 1),
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

/// Pages through what a question finds, with another guide for each page; the ids, page by page.
fn pages(guides: &[Guide], shelf: fn(&Guide) -> &Collection, question: &Query) -> Vec<String> {
    let mut ids = Vec::new();
    let mut after: Option<Cursor> = None;
    for guide in guides.iter().cycle() {
        let shelf = shelf(guide);
        let page = search(guide.vocabulary(), shelf, &Query { after: after.as_ref(), ..question.clone() });
        ids.extend(page.ranks.iter().map(|rank| shelf.rendered.id(*rank).to_owned()));
        let Some(last) = page.ranks.last().filter(|_| page.more) else { break };
        after = Some(Cursor::at(shelf, *last));
    }
    ids
}

/// The next snapshot: records leave, come and move. What stays as it is stays in `still`.
fn changed(
    generators: &mut Dice,
    snapshot: &Snapshot,
    demo: &Snapshot,
    still: &mut HashSet<String>,
) -> Snapshot {
    let mut next = snapshot.clone();
    for at in (0..next.places.len()).rev() {
        match generators.below(8) {
            0 => {
                still.remove(&next.places.remove(at).id);
            }
            1 => {
                still.remove(&next.places[at].id);
                next.places[at].mentions = generators.below(5) as u32;
            }
            2 => {
                still.remove(&next.places[at].id);
                next.places[at].name = place(generators, demo, 0).name;
            }
            // an edit that moves nothing
            3 => next.places[at].price = Some("R$ 20".to_owned()),
            _ => {}
        }
    }
    for at in (0..next.events.len()).rev() {
        match generators.below(6) {
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
    for id in 0..generators.below(12) {
        let id = 1_000 + id + generators.below(1_000) * 20;
        let (new_place, new_event) = (place(generators, demo, id), event(generators, demo, today(), id));
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
fn a_cursor_over_changing_snapshots_neither_skips_nor_repeats_what_did_not_move() {
    let (mut generators, demo) = (Dice::new(14), demo());
    for _ in 0..12 {
        let first = small(&mut generators, &demo);
        let mut still: HashSet<String> = first
            .places
            .iter()
            .map(|one| one.id.clone())
            .chain(first.events.iter().map(|one| one.id.clone()))
            .collect();
        let mut snapshots = vec![first];
        for _ in 0..2 {
            let next = changed(&mut generators, snapshots.last().unwrap(), &demo, &mut still);
            snapshots.push(next);
        }
        let guides: Vec<Guide> = snapshots.iter().map(|snapshot| Guide::build(snapshot).unwrap()).collect();
        let words = Words::default();
        for limit in [1, 2, 3, 7, 20] {
            let question = Query {
                window: Some(Window { from: today(), to: today() + Days::new(20) }),
                ..Query::of(&words, today(), View::Basic, limit)
            };
            for shelf in [places, events] {
                let of = |guide: &Guide| -> HashSet<String> {
                    let shelf = shelf(guide);
                    let all = search(guide.vocabulary(), shelf, &Query { limit: 10_000, ..question.clone() });
                    all.ranks.iter().map(|rank| shelf.rendered.id(*rank).to_owned()).collect()
                };
                let expected: Vec<String> =
                    of(&guides[0]).into_iter().filter(|id| still.contains(id)).collect();
                let found = pages(&guides, shelf, &question);
                for id in &expected {
                    let times = found.iter().filter(|one| *one == id).count();
                    assert_eq!(times, 1, "{id}, {limit} a page");
                }
            }
        }
    }
}

#[test]
fn a_cursor_of_a_record_that_is_gone_goes_on_after_its_place() {
    let (mut generators, demo) = (Dice::new(15), demo());
    for _ in 0..10 {
        let snapshot = small(&mut generators, &demo);
        let whole = Guide::build(&snapshot).unwrap();
        for rank in 0..whole.places.len() {
            let gone = whole.places.rendered.id(rank).to_owned();
            let mut rest = snapshot.clone();
            rest.places.retain(|one| one.id != gone);
            if rank % 9 == 0 {
                let rest = Guide::build(&rest).unwrap();
                let cursor = Cursor::at(&whole.places, rank);
                let words = Words::default();
                let question =
                    Query { after: Some(&cursor), ..Query::of(&words, today(), View::Full, 10_000) };
                let ids = |guide: &Guide| -> Vec<String> {
                    let page = search(guide.vocabulary(), &guide.places, &question);
                    page.ranks.iter().map(|rank| guide.places.rendered.id(*rank).to_owned()).collect()
                };
                assert_eq!(ids(&whole), ids(&rest));
            }
        }
    }
}
