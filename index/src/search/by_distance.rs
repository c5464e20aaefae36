//! A search from a place: the records within reach, and their page, the nearest first or what is near in the usual
//! order.

use std::borrow::Cow;

use crate::grammar::dates::Window;
use crate::grammar::fold::fold;
use crate::question::near::{Near, growing_circles};
use crate::records::bits::Bits;
use crate::records::positions::{KnownBy, Location};
use crate::records::postings::Cursors;
use crate::records::schema::View;
use crate::search::Search;
use crate::search::page::{Around, Page};
use crate::vocabulary::regions::quadras;

/// Up to so many ranks, measuring the distance of each is faster than finding all within reach.
const FEW_RANKS: u32 = 256;

/// Of more ranks, the nearest are looked for in circles that grow; the collections of the tests are small.
const MANY_RANKS: u32 = if cfg!(test) { 8 } else { 4_096 };

/// Added to the distance of what lies outside the area to search from: more than any distance.
const OUTSIDE: u32 = 1 << 30;

impl Search<'_, '_> {
    /// Of these records, those that [`crate::Query::near`] reaches.
    pub(crate) fn reached(&self, records: Bits) -> Bits {
        let collection = self.collection;
        let Some(near) = self.query.near else { return records };
        if self.asks_what_is_on_there() {
            return records.and(self.circle.get_or_init(|| self.hosted(near)));
        }
        let (reach, inside) = (near.reach(), near.inside());
        if self.circle.get().is_some() || records.count() > FEW_RANKS {
            let within_reach = || {
                let mut all = self.circle_around(near, reach);
                inside.into_iter().for_each(|area| all.add(&collection.members(area, None).into()));
                all
            };
            return records.and(self.circle.get_or_init(within_reach));
        }
        let is_reached = |rank: &u32| {
            inside.is_some_and(|area| collection.is_in_area(*rank, area)) || self.is_near(near, *rank, reach)
        };
        let mut reached = Bits::none(collection.len());
        records.ranks_from(0).filter(is_reached).for_each(|rank| reached.insert(rank));
        reached
    }

    /// The circle that the question asks for, if it asks for one.
    pub(crate) fn around(&self) -> Option<Box<Around>> {
        let near = self.query.near?;
        let within_m = if near.is_at() { near.location.position.precision_m } else { near.reach() };
        Some(Box::new(Around { near: near.clone(), within_m, is_beside: false }))
    }

    /// The page of these records near a place: the nearest first, or the nearest few in the usual order; and the
    /// records that are listed over all pages.
    pub(crate) fn page_near<'r>(
        &self,
        near: &Near,
        records: &'r Bits,
        days: &[Window],
    ) -> (Page, Cow<'r, Bits>) {
        if near.phrase.is_none() {
            let mut page = self.page_by_distance(near, records);
            page.order = page.ranks.last().and_then(|rank| self.order(near, *rank));
            let within_m = match near.inside() {
                Some(_) => near.reach().max(self.farthest(near, records)),
                None => near.reach(),
            };
            page.around = Some(Box::new(Around { near: near.clone(), within_m, is_beside: false }));
            page.facets = self.facets(records, days);
            return (page, Cow::Borrowed(records));
        }
        let others = self.without_place_itself(near, records);
        let (listed, within_m, is_there) = self.few(near, records, &others);
        let mut page = self.page_in_order(&listed, None);
        let is_beside = near.is_at() && !is_there;
        page.around = Some(Box::new(Around { near: near.clone(), within_m, is_beside }));
        page.facets = self.facets(&listed, days);
        if self.query.after.is_none() {
            let next = self.nearest(near, &others.and_not(&listed), self.most_further(), |_| true);
            let itself = if is_beside { self.named_place(near) } else { Vec::new() };
            let next = itself.into_iter().chain(next.into_iter().map(|(_, rank)| rank));
            page.further = self.distinct(next.take(self.most_further()).collect(), &listed);
        }
        (page, Cow::Owned(listed))
    }

    /// Of these records, those that a page lists over all pages.
    pub(crate) fn listed<'r>(&self, records: Cow<'r, Bits>) -> Cow<'r, Bits> {
        match self.query.near.filter(|near| near.phrase.is_some()) {
            Some(near) => Cow::Owned(self.few(near, &records, &self.without_place_itself(near, &records)).0),
            None => records,
        }
    }

    /// Of these records the nearest few of the others than the place itself, or what is at it; within which distance,
    /// and whether they are at it.
    fn few(&self, near: &Near, records: &Bits, others: &Bits) -> (Bits, u32, bool) {
        match self.those_there(near, records, others) {
            Some(there) => {
                let farthest = self.farthest(near, &there);
                (there, farthest.max(near.location.position.precision_m), true)
            }
            None => {
                let (few, within_m) = self.few_near(near, others);
                (few, within_m, false)
            }
        }
    }

    /// The nearest few of these records to a place that a question names, and the distance within which they are.
    fn few_near(&self, near: &Near, others: &Bits) -> (Bits, u32) {
        let collection = self.collection;
        let inside = near.wide_area().map(|area| others.and_any(&[collection.members(area, None).into()]));
        let inside = inside.or_else(|| self.said_to_be_in(near, others));
        match inside.filter(|inside| !inside.is_empty()) {
            Some(inside) => {
                let farthest = self.farthest(near, &inside);
                (inside, if farthest == 0 { near.reach() } else { farthest })
            }
            None => {
                let nearest = self.nearest(near, others, 1, |_| true);
                let walk = near.walk_to(nearest.first().map_or(0, |(distance, _)| *distance));
                (others.and(&self.circle_around(near, walk)), walk)
            }
        }
    }

    /// Of these records, those that say themselves that they are in the superquadra to search from: "bar da 408 Norte".
    /// The basic view knows no more than the neighbourhood of all others.
    fn said_to_be_in(&self, near: &Near, records: &Bits) -> Option<Bits> {
        let view = self.query.view;
        let is_unknown = view == View::Basic && near.location.known_by == KnownBy::Block;
        is_unknown.then(|| {
            let quadras = quadras(self.vocabulary, &near.name);
            let lists =
                quadras.iter().filter_map(|(wing, number)| self.collection.quadra(view, *wing, *number));
            records.and_any(&lists.collect::<Cursors>())
        })
    }

    /// The distance to expect of the farthest of these records that have one to tell; 0 of none.
    fn farthest(&self, near: &Near, records: &Bits) -> u32 {
        let located =
            records.ranks_from(0).filter_map(|rank| self.collection.location(self.query.view, rank));
        let known = located.filter(|location| !location.is_in_another_region(near.anchor()));
        Location::farthest(known, near.anchor())
    }

    /// These records without those that are the place itself, by the whole name or, right there, by the first words of
    /// it: what is near the cathedral is not the cathedral.
    fn without_place_itself(&self, near: &Near, records: &Bits) -> Bits {
        let collection = self.collection;
        let place = fold(&near.name);
        // an alias of another record is not its name
        let called = |name: &str| {
            let named = collection.with_folded_name(name).filter(|rank| records.has(*rank));
            named.filter(|rank| collection.folded_name(*rank) == name).collect::<Vec<_>>()
        };
        let is_right_there = |rank: &u32| self.is_near(near, *rank, 0);
        let shorter = place.match_indices(' ').flat_map(|(end, _)| called(&place[..end]));
        let longer = collection.beginning_with(&place);
        let mut others = records.clone();
        called(&place).into_iter().for_each(|rank| others.remove(rank));
        shorter.chain(longer).filter(is_right_there).for_each(|rank| others.remove(rank));
        others
    }

    /// The first `count` of these records by distance, of those that `is_next` accepts, each after its distance.
    fn nearest(
        &self,
        near: &Near,
        records: &Bits,
        count: usize,
        is_next: impl Fn(&(u32, u32)) -> bool,
    ) -> Vec<(u32, u32)> {
        let ranked = |records: &Bits| -> Vec<(u32, u32)> {
            let ranked = records.ranks_from(0).filter_map(|rank| Some((self.distance(near, rank)?, rank)));
            ranked.filter(&is_next).collect()
        };
        let first = |mut ranked: Vec<(u32, u32)>| {
            sort_first(&mut ranked, count);
            ranked.truncate(count);
            ranked
        };
        if records.count() > MANY_RANKS {
            for reach in growing_circles(near.reach()).take_while(|reach| *reach < near.reach()) {
                let within = ranked(&records.and(&self.circle_around(near, reach)));
                if within.len() >= count {
                    return first(within);
                }
            }
        }
        first(ranked(records))
    }

    /// Whether a record is within `reach` metres of the place.
    fn is_near(&self, near: &Near, rank: u32, reach: u32) -> bool {
        let location = self.collection.location(self.query.view, rank);
        location.is_some_and(|location| location.is_within(near.anchor(), reach))
    }

    /// The records within `reach` metres of the place.
    fn circle_around(&self, near: &Near, reach: u32) -> Bits {
        self.collection.circle(self.query.view, near.anchor(), reach)
    }

    fn distance(&self, near: &Near, rank: u32) -> Option<u32> {
        self.collection.distance(self.query.view, rank, near.anchor())
    }

    /// What orders a record by distance: what is in the area to search from comes before what is around it.
    fn order(&self, near: &Near, rank: u32) -> Option<u32> {
        let is_inside = near.inside().is_none_or(|area| self.collection.is_in_area(rank, area));
        Some(self.distance(near, rank)? + if is_inside { 0 } else { OUTSIDE })
    }

    /// The first `count` of these records by [`Self::order`], of those that `is_next` accepts, each after what orders
    /// it.
    fn nearest_first(
        &self,
        near: &Near,
        records: &Bits,
        count: usize,
        is_next: impl Fn(&(u32, u32)) -> bool,
    ) -> Vec<(u32, u32)> {
        let Some(area) = near.inside() else { return self.nearest(near, records, count, is_next) };
        let inside = records.and_any(&[self.collection.members(area, None).into()]);
        let mut first = self.nearest(near, &inside, count, &is_next);
        if first.len() < count {
            let outside = |(distance, rank): (u32, u32)| (distance + OUTSIDE, rank);
            let others = records.and_not(&inside);
            let rest = self.nearest(near, &others, count - first.len(), |one| is_next(&outside(*one)));
            first.extend(rest.into_iter().map(outside));
        }
        first
    }

    /// The page of records by distance.
    fn page_by_distance(&self, near: &Near, records: &Bits) -> Page {
        let last = self.query.after.and_then(|after| after.order).map(|order| (order, self.start()));
        let is_next = |one: &(u32, u32)| last.is_none_or(|last| *one >= last);
        if self.groups() {
            let ranked = self.nearest_first(near, records, usize::MAX, |_| true);
            let is_next = |rank| self.order(near, rank).is_some_and(|order| is_next(&(order, rank)));
            return self.page_of_groups(ranked.into_iter().map(|(_, rank)| rank), is_next);
        }
        let limit = self.query.limit;
        let next = self.nearest_first(near, records, limit + 1, is_next);
        let more = next.len() > limit;
        let ranks = next.into_iter().take(limit).map(|(_, rank)| rank).collect();
        Page { ranks, total: records.count(), more, ..Page::default() }
    }
}

/// Sorts the least `count` to the front.
fn sort_first(ranked: &mut [(u32, u32)], count: usize) {
    let count = count.min(ranked.len());
    if (1..ranked.len()).contains(&count) {
        ranked.select_nth_unstable(count - 1);
    }
    ranked[..count].sort_unstable();
}
