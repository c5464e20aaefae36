//! What a search answers that no record meets whole, and which records are to the point of a question.

use crate::generators::{demo, today};
use crate::schema::View;
use crate::search::search;
use crate::words::Words;
use crate::{Cursor, Guide, Page, Query};

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
        let met = whole.closest.as_ref().and_then(|closest| closest.met);
        let mut ranks = Vec::new();
        loop {
            let after = ranks.last().map(|rank| Cursor { met, ..Cursor::at(&guide.places, *rank) });
            let query = Query { after: after.as_ref(), ..query.clone() };
            let page = search(guide.vocabulary(), &guide.places, &query);
            assert_eq!(page.total, whole.total, "{count} areas");
            ranks.extend(page.ranks);
            if !page.more {
                break;
            }
        }
        assert_eq!(ranks, whole.ranks.to_vec(), "{count} areas");
    }
}

/// The page of places for a question, and the ids of what it lists.
fn places(guide: &Guide, question: &str) -> (Page, Vec<String>) {
    let words = Words::new(question);
    let query = Query::of(&words, today(), View::Full, 50);
    let page = search(guide.vocabulary(), &guide.places, &query);
    let ids = page.ranks.iter().map(|rank| guide.places.rendered.id(*rank).to_owned()).collect();
    (page, ids)
}

#[test]
fn a_category_asks_for_its_members_and_for_who_names_it_so() {
    let guide = Guide::build(&demo()).unwrap();
    let has = |question: &str, id: &str| places(&guide, question).1.iter().any(|found| found == id);
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
    let guide = Guide::build(&demo()).unwrap();
    let (page, ids) = places(&guide, "churrascaria mendes");
    assert!(page.closest.is_none());
    assert_eq!(ids, ["bar-do-mendes"]);
}

#[test]
fn closest_members_come_without_those_that_only_mention_the_category() {
    let guide = Guide::build(&demo()).unwrap();
    let (_, ids) = places(&guide, "café xyzzy");
    assert!(ids.len() > 5 && !ids.contains(&"jardim-botanico-de-brasilia".to_owned()), "{ids:?}");
}

#[test]
fn what_is_next_closest_has_more_of_the_question_than_its_subject() {
    let guide = Guide::build(&demo()).unwrap();
    let (page, ids) = places(&guide, "prainha pra banho xyzzy");
    assert_eq!(ids, ["piscinao-do-lago-norte"]);
    let further: Vec<&str> = page.further.iter().map(|rank| guide.places.rendered.id(*rank)).collect();
    assert!(!further.contains(&"ponte-jk") && !further.contains(&"pontao-do-lago-sul"), "{further:?}");
}
