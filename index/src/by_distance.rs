//! The page of a search from a place: the nearest first, or what is near in the usual order.

use std::collections::HashMap;

use crate::bits::Bits;
use crate::fold::fold;
use crate::near::Near;
use crate::page::{Around, Page};
use crate::search::Search;

impl Search<'_, '_> {
    /// The page of these records near a place: the nearest first, or the nearest few in the usual order.
    pub(crate) fn page_near(&self, near: &Near, records: &Bits) -> Page {
        let distance =
            |rank| Some(self.collection.location(self.query.view, rank)?.distance(near.location.point));
        let ranked = records.ranks_from(0).filter_map(|rank| Some((distance(rank)?, rank)));
        let mut ranked: Vec<(u32, u32)> = ranked.collect();
        if near.phrase.is_some() {
            // what is near the cathedral is not the cathedral
            ranked.retain(|(distance, rank)| !self.is_place_itself(near, *distance, *rank));
        } else {
            let mut page = self.page_by_distance(ranked);
            page.around = Some(Box::new(Around { near: near.clone(), within_m: near.reach() }));
            return page;
        }
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
        if self.query.after.is_none() {
            sort_first(&mut outside, self.most_further());
            let next = outside.into_iter().take(self.most_further()).map(|(_, rank)| rank).collect();
            page.further = self.distinct(next, &listed);
        }
        page
    }

    /// Whether the record is the place to search from: by its whole name or, right there, by the beginning of it.
    fn is_place_itself(&self, near: &Near, distance: u32, rank: u32) -> bool {
        let (place, name) = (fold(&near.name), fold(&self.collection.rendered.id_and_name(rank).1));
        place == name || distance == 0 && (name.starts_with(&place) || place.starts_with(&name))
    }

    /// The page of records by distance.
    fn page_by_distance(&self, mut ranked: Vec<(u32, u32)>) -> Page {
        let total = u32::try_from(ranked.len()).unwrap_or(u32::MAX);
        let last = self.query.after.and_then(|after| after.distance).map(|distance| (distance, self.start()));
        let is_next = |one: (u32, u32)| last.is_none_or(|last| one >= last);
        if self.groups() {
            ranked.sort_unstable();
            let start = ranked.iter().find(|one| is_next(**one)).copied();
            let at: HashMap<u32, (u32, u32)> = ranked.iter().map(|one| (one.1, *one)).collect();
            return self.page_of_groups(ranked.iter().map(|(_, rank)| *rank), |rank| {
                start.is_some_and(|start| at.get(&rank).is_some_and(|one| *one >= start))
            });
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
