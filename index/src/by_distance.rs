//! A search from a place: the records within reach, and their page, the nearest first or what is near in the usual order.

use hashbrown::HashSet;

use crate::bits::Bits;
use crate::dates::Window;
use crate::fold::fold;
use crate::near::Near;
use crate::page::{Around, Page};
use crate::search::Search;

/// Up to so many ranks, measuring the distance of each is faster than finding all within reach.
const FEW_RANKS: u32 = 256;

impl Search<'_, '_> {
    /// Of these records, those that [`crate::Query::near`] reaches.
    pub(crate) fn reached(&self, records: Bits) -> Bits {
        let (collection, view) = (self.collection, self.query.view);
        let Some(near) = self.query.near else { return records };
        if self.circle.get().is_some() || records.count() > FEW_RANKS {
            return records.and(self.circle.get_or_init(|| collection.circle(view, near)));
        }
        let (point, reach) = (near.location.point, near.reach());
        let is_reached = |rank: &u32| {
            collection.location(view, *rank).is_some_and(|location| location.is_within(point, reach))
        };
        let mut reached = Bits::none(collection.len());
        records.ranks_from(0).filter(is_reached).for_each(|rank| reached.insert(rank));
        reached
    }

    /// The page of these records near a place: the nearest first, or the nearest few in the usual order.
    pub(crate) fn page_near(&self, near: &Near, records: &Bits, days: &[Window]) -> Page {
        let ranked = records.ranks_from(0).filter_map(|rank| Some((self.distance(near, rank)?, rank)));
        let mut ranked: Vec<(u32, u32)> = ranked.collect();
        if near.phrase.is_none() {
            let mut page = self.page_by_distance(near, ranked);
            page.around = Some(Box::new(Around { near: near.clone(), within_m: near.reach() }));
            page.facets = self.facets(records, days);
            return page;
        }
        self.remove_place_itself(near, &mut ranked);
        let inside = |rank: u32| near.wide_area().is_some_and(|area| self.collection.is_in_area(rank, area));
        let has_inside = ranked.iter().any(|(_, rank)| inside(*rank));
        let nearest = ranked.iter().map(|(distance, _)| *distance).min().unwrap_or(0);
        let walk = near.walk_to(nearest);
        let (inside, mut outside): (Vec<_>, Vec<_>) =
            ranked.into_iter().partition(|(distance, rank)| match has_inside {
                true => inside(*rank),
                false => *distance <= walk,
            });
        let within = match has_inside {
            true => inside.iter().map(|(distance, _)| *distance).max().unwrap_or(walk),
            false => walk,
        };
        let mut listed = Bits::none(self.collection.len());
        inside.iter().for_each(|(_, rank)| listed.insert(*rank));
        let mut page = self.page_in_order(&listed);
        page.around = Some(Box::new(Around { near: near.clone(), within_m: within }));
        page.facets = self.facets(&listed, days);
        if self.query.after.is_none() {
            sort_first(&mut outside, self.most_further());
            let next = outside.into_iter().take(self.most_further()).map(|(_, rank)| rank).collect();
            page.further = self.distinct(next, &listed);
        }
        page
    }

    /// Removes the records that are the place itself, by the whole name or, right there, by the beginning of it: what is near
    /// the cathedral is not the cathedral.
    fn remove_place_itself(&self, near: &Near, ranked: &mut Vec<(u32, u32)>) {
        let place = fold(&near.name);
        let name = |rank: u32| fold(&self.collection.rendered.id_and_name(rank).1);
        let begins = |name: &str| name.starts_with(&place) || place.starts_with(name);
        // the names of all records are too many to fold for a question
        let same: HashSet<u32> =
            self.collection.named(&near.name).filter(|rank| name(*rank) == place).collect();
        ranked.retain(|(distance, rank)| !same.contains(rank) && (*distance > 0 || !begins(&name(*rank))));
    }

    fn distance(&self, near: &Near, rank: u32) -> Option<u32> {
        self.collection.distance(self.query.view, rank, near.location.point)
    }

    /// The page of records by distance.
    fn page_by_distance(&self, near: &Near, mut ranked: Vec<(u32, u32)>) -> Page {
        let total = u32::try_from(ranked.len()).unwrap_or(u32::MAX);
        let last = self.query.after.and_then(|after| after.distance).map(|distance| (distance, self.start()));
        let is_next = |one: (u32, u32)| last.is_none_or(|last| one >= last);
        if self.groups() {
            ranked.sort_unstable();
            let is_next = |rank| self.distance(near, rank).is_some_and(|distance| is_next((distance, rank)));
            return self.page_of_groups(ranked.into_iter().map(|(_, rank)| rank), is_next);
        }
        ranked.retain(|one| is_next(*one));
        let limit = self.query.limit;
        sort_first(&mut ranked, limit + 1);
        let more = ranked.len() > limit;
        let ranks = ranked.into_iter().take(limit).map(|(_, rank)| rank).collect();
        Page { ranks, total, more, ..Page::default() }
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
