//! The page in the usual order, with the places whose whole name the question is before all others that meet it: the
//! area "Torre de TV" has a fair and a museum that are as well known as the tower.

use smallvec::SmallVec;

use crate::question::clauses::Clause;
use crate::records::bits::Bits;
use crate::records::collection::Collection;
use crate::records::positions::Point;
use crate::search::page::Page;
use crate::search::{Query, Search};
use crate::vocabulary::EVERYWHERE;

/// [`Page::order`] of a page that ends with one of those places.
const NAMED: u32 = u32::MAX;

impl Search<'_, '_> {
    /// The page of these records in the usual order. Among equals the nearer to `from` come first.
    pub(crate) fn page_in_order(&self, records: &Bits, from: Option<Point>) -> Page {
        let total = records.count();
        if self.groups() {
            let start = self.start();
            return self.page_of_groups(records.ranks_from(0), |rank| rank >= start);
        }
        let named: SmallVec<[u32; 2]> = self.namesakes().filter(|rank| records.has(*rank)).collect();
        if named.is_empty() {
            return Page { total, ..self.page_of_the_rest(self.query, records, from) };
        }
        let mut rest = records.clone();
        named.iter().for_each(|rank| rest.remove(*rank));
        let Query { after, limit, .. } = *self.query;
        let start = match after {
            None => 0,
            Some(after) if after.order == Some(NAMED) => self.start(),
            Some(_) => return Page { total, ..self.page_of_the_rest(self.query, &rest, from) },
        };
        let mut page = Page { total, order: Some(NAMED), ..Page::default() };
        page.ranks.extend(named.iter().copied().filter(|rank| *rank >= start).take(limit));
        let listed_before = named.partition_point(|rank| *rank < start);
        match limit - page.ranks.len() {
            0 => page.more = listed_before + limit < named.len() || !rest.is_empty(),
            limit => {
                let query = Query { after: None, limit, ..self.query.clone() };
                let others = self.page_of_the_rest(&query, &rest, from);
                if !others.ranks.is_empty() {
                    (page.more, page.order) = (others.more, others.order);
                    page.ranks.extend(others.ranks);
                }
            }
        }
        page
    }

    /// Whether some place has the question as its whole name.
    pub(crate) fn is_of_named(&self) -> bool {
        self.namesakes().next().is_some()
    }

    /// The places whose whole name is all that the question asks for. What means a category means a place of it.
    fn namesakes(&self) -> impl Iterator<Item = u32> {
        let (collection, clauses) = (self.collection, &self.text.clauses);
        let is_of_places = collection.calendar.is_none();
        let name = is_of_places.then(|| self.text.whole_name(self.query.words)).flatten();
        let name = name.map(|name| self.query.words.between(name.start, name.end));
        let named = name.into_iter().flat_map(|name| collection.with_folded_name(name));
        named.filter(|rank| clauses.iter().all(|clause| may_mean(collection, clause, *rank)))
    }

    /// The page of records in the usual order that none is named before.
    fn page_of_the_rest(&self, query: &Query, records: &Bits, from: Option<Point>) -> Page {
        let mut collector = self.page_collector(query, from);
        // the page ends with the first record that it does not want
        let _ = records.ranks_from(collector.first()).all(|rank| collector.take(rank));
        collector.page()
    }
}

/// Whether the clause may mean the record: it names no category, or one that the record has.
fn may_mean(collection: &Collection, clause: &Clause, rank: u32) -> bool {
    let categories = clause.text_categories();
    let has = |id| collection.members(EVERYWHERE, Some(id)).binary_search(&rank).is_ok();
    categories.is_empty() || categories.into_iter().any(has)
}

#[cfg(test)]
mod tests {
    use crate::records::schema::View;
    use crate::search::{Query, search};
    use crate::tests::generators::{demo_guide, today};
    use crate::tests::near::all_pages;
    use crate::vocabulary::categories;
    use crate::vocabulary::words::Words;

    #[test]
    fn the_place_of_that_name_comes_first_and_the_others_follow_once_each() {
        let guide = demo_guide();
        let named = |id: &str| guide.places.find(id).unwrap();
        for (question, first) in [
            ("Torre de TV", "torre-de-tv"),
            ("tv tower", "torre-de-tv"),
            ("how do I get to Torre de TV", "torre-de-tv"),
            ("onde fica o Conic", "conic"),
            ("museu nacional", "museu-nacional-da-republica"),
            ("Lago Paranoá", "lago-paranoa"),
        ] {
            let words = Words::new(question);
            let query = Query::of(&words, today(), View::Full, 50);
            let page = search(guide.vocabulary(), &guide.places, &query);
            assert_eq!(page.ranks[0], named(first), "{question}");
            assert!(page.total > 1 && page.closest.is_none(), "{question}: {page:?}");
            for limit in [1, 2, 3] {
                let (ranks, total) = all_pages(guide, &guide.places, &Query { limit, ..query.clone() });
                assert_eq!((&ranks[..], total), (&page.ranks[..], page.total), "{question}, {limit} a page");
            }
        }
    }

    #[test]
    fn what_is_in_a_place_or_of_another_category_is_not_named() {
        let guide = demo_guide();
        let first = |question: &str| {
            let words = Words::new(question);
            let query = Query::of(&words, today(), View::Full, 5);
            let page = search(guide.vocabulary(), &guide.places, &query);
            guide.places.rendered.id(page.ranks[0]).to_owned()
        };
        assert_eq!(first("o que tem no Conic"), "birosca-do-conic");
        // a bar has that name, and a sunset is seen from lookouts
        let lookouts = categories::named(guide.vocabulary(), "mirante").unwrap();
        let sunset = guide.places.find(&first("pôr do sol")).unwrap();
        assert!(
            lookouts.iter().any(|id| guide.places.members(crate::EVERYWHERE, Some(*id)).contains(&sunset))
        );
    }
}
