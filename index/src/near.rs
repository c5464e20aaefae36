//! Where to search from: the place that `near` names, or that a question names after "perto de", "near", "cerca de".
//!
//! A place is an address, a landmark, an area or a record. A record stands where the caller's view shows it, and one that
//! the caller may not see is unknown, so that no answer tells more of it than its own fields do.

use std::cell::LazyCell;
use std::cmp::Reverse;
use std::collections::HashMap;

use snapshots::positions::{Degrees, Position};

use crate::Guide;
use crate::bits::Bits;
use crate::collection::Collection;
use crate::dates::Window;
use crate::fixed_words::is_stop_word;
use crate::fold::fold;
use crate::operators::Operator;
use crate::page::{Around, Page};
use crate::positions::{KnownBy, Location};
use crate::regions::nearest_names;
use crate::schema::View;
use crate::search::Search;
use crate::tokens::{language, operator};
use crate::vocabulary::{AreaId, AreaIds, ids};
use crate::words::{Piece, Words, outside, piece};

/// How far "near" goes without `within_m`, in metres, unless the place itself is less precise.
const REACH: u32 = 5_000;

/// What a question asks for near a place lies at most so far from it when there is enough, in metres beside the precision
/// of the place: a walk.
const WALK: u32 = 500;

/// How many records are enough.
pub(crate) const ENOUGH: usize = 5;

/// The longest name of a record that is looked for, in words.
const LONGEST_NAME: usize = 8;

/// How exactly a point that a caller sends is meant, in metres.
const OWN_PRECISION: u32 = 10;

/// Where to search from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Near {
    /// The name of the place, for display.
    pub name: String,
    /// Where it is.
    pub location: Location,
    /// The greatest distance, in metres, if the caller set one.
    pub within_m: Option<u32>,
    /// The words of the question that name it, folded; `None` for a parameter. A parameter is law, and lists the nearest
    /// first. A question lists the nearest records in the usual order.
    pub phrase: Option<String>,
}

impl Near {
    /// The greatest distance of a record, in metres.
    pub fn reach(&self) -> u32 {
        self.within_m.unwrap_or_else(|| REACH.max(self.location.position.precision_m))
    }

    /// The distance within which all records count, however many there are.
    pub(crate) fn walk(&self) -> u32 {
        WALK + self.location.position.precision_m
    }
}

/// Why a `near` has no place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NearError {
    /// Nothing has such a name.
    Unknown {
        /// The nearest names of landmarks and areas.
        nearest: Vec<String>,
    },
    /// A point or a town outside the territory.
    Outside,
    /// It means where the caller is, which nobody told.
    Here,
}

/// Whose view places the records.
#[derive(Debug, Clone, Copy)]
pub struct Caller {
    /// Which fields the caller sees.
    pub view: View,
    /// The only area the caller may see.
    pub scope: AreaId,
    /// The days of events that the caller may see; `None` for all.
    pub covered: Option<Window>,
}

/// What a question says of where to search from.
pub enum Wish {
    /// Near a place. The question goes on without those words.
    Place(Near, Words),
    /// Near the caller, who did not say where that is.
    Here(Words),
}

/// A place that begins at some word.
struct Place {
    name: String,
    location: Location,
    /// How many words name it.
    taken: usize,
}

/// Words for where the caller is.
const HERE: [&str; 6] = ["mim", "me", "mi", "daqui", "aqui", "here"];

impl Guide {
    /// Resolves `near`: "lat,lon", an id, or the name of an address, landmark, area or record.
    pub fn near(&self, text: &str, caller: Caller) -> Result<Near, NearError> {
        let near = |name: String, location| Ok(Near { name, location, within_m: None, phrase: None });
        if let Some((lat, lon)) = coordinates(text) {
            let position = Position { lat, lon, precision_m: OWN_PRECISION };
            let location = self.gazetteer.locate(position, KnownBy::Address).ok_or(NearError::Outside)?;
            return near(format!("{}, {}", lat.degrees(), lon.degrees()), location);
        }
        let collections = [&self.places, &self.events];
        let with_id = |records: &Collection| {
            let rank = records.find(text).filter(|rank| records.is_visible(*rank, caller))?;
            Some((records.rendered.id_and_name(rank).1.into_owned(), *records.location(caller.view, rank)?))
        };
        if let Some((name, location)) = collections.into_iter().find_map(with_id) {
            return near(name, location);
        }
        let words = Words::new(text);
        let start = self.first_of_place(&words, 0);
        let inside = self.named_areas(&words);
        let whole = self.place_at(&words, start, &inside, caller).filter(|place| {
            let end = self.end_of_address(&words, start + place.taken);
            end == words.len() || self.is_rest_of_address(&words, end)
        });
        let block = || {
            (start..words.len()).find_map(|at| {
                let (location, taken) = self.gazetteer.block_at(self.vocabulary(), &words, at, &inside)?;
                Some(Place { name: words.between(at, at + taken).to_uppercase(), location, taken })
            })
        };
        if let Some(place) = whole.or_else(block) {
            return near(place.name, place.location);
        }
        if (0..words.len()).any(|at| outside(self.vocabulary(), &words, at).is_some()) {
            return Err(NearError::Outside);
        }
        if fold(text).split(' ').next_back().is_some_and(|word| HERE.contains(&word)) {
            return Err(NearError::Here);
        }
        let areas = self.vocabulary().areas.iter().skip(1).map(|area| area.name.as_str());
        let names = self.gazetteer.landmark_names().chain(areas);
        let nearest = nearest_names(words.folded(), names).into_iter().take(3).map(str::to_owned).collect();
        Err(NearError::Unknown { nearest })
    }

    /// Where the question says to search from, if it says so.
    pub fn near_wish(&self, words: &Words, caller: Caller) -> Option<Wish> {
        if self.gazetteer.is_empty() {
            return None;
        }
        let tokens = words.tokens();
        let language = language(&tokens);
        let nears = (0..tokens.len()).filter_map(|at| match operator(&tokens, at, language)? {
            (taken, Operator::Near) => Some((at, taken)),
            _ => None,
        });
        // most questions name no place to search from
        let inside = LazyCell::new(|| self.named_areas(words));
        for (token, taken) in nears {
            let next = token + taken;
            if tokens.get(next).is_some_and(|token| HERE.contains(&token.word)) {
                return Some(Wish::Here(words.without(token..next + 1)));
            }
            let Some(first) = (next..tokens.len()).find_map(|token| words.at_token(token)) else { continue };
            let first = self.first_of_place(words, first);
            let Some(place) = self.place_at(words, first, &inside, caller) else { continue };
            let last = self.end_of_address(words, first + place.taken) - 1;
            let end = words.token(last) + 1;
            let phrase = words.tokens_between(token..end).to_owned();
            let near =
                Near { name: place.name, location: place.location, within_m: None, phrase: Some(phrase) };
            return Some(Wish::Place(near, words.without(token..end)));
        }
        None
    }

    /// The first word of a place, behind "the", "near" and the like.
    fn first_of_place(&self, words: &Words, at: usize) -> usize {
        let tokens = words.tokens();
        let language = language(&tokens);
        let mut at = at;
        while at + 1 < words.len() {
            let is_near = matches!(operator(&tokens, words.token(at), language), Some((_, Operator::Near)));
            if !is_near && !is_stop_word(words.raw(at)) {
                break;
            }
            at += 1;
        }
        at
    }

    /// The place that begins at a word: the longest, then the most exact one. A word for what the place is may stand
    /// before it: "perto do restaurante Beirute".
    fn place_at(&self, words: &Words, at: usize, inside: &[AreaId], caller: Caller) -> Option<Place> {
        if at >= words.len() {
            return None;
        }
        let vocabulary = self.vocabulary();
        let block = self.gazetteer.block_at(vocabulary, words, at, inside).map(|(location, taken)| Place {
            name: words.between(at, at + taken).to_uppercase(),
            location,
            taken,
        });
        let landmark = self.gazetteer.landmark_at(words, at);
        let landmark =
            landmark.map(|(name, location, taken)| Place { name: name.to_owned(), location, taken });
        let all = [block, landmark, self.record_at(words, at, caller), self.area_at(words, at)];
        let best = all
            .into_iter()
            .flatten()
            .max_by_key(|place| (place.taken, Reverse(place.location.position.precision_m)));
        best.or_else(|| {
            let is_category = vocabulary
                .phrases
                .get(words.stem(at))
                .is_some_and(|meaning| !meaning.filter_categories.is_empty());
            let place = is_category.then(|| self.record_at(words, at + 1, caller))??;
            Some(Place { taken: place.taken + 1, ..place })
        })
    }

    /// The record with the longest name that begins at a word.
    fn record_at(&self, words: &Words, at: usize, caller: Caller) -> Option<Place> {
        let longest = LONGEST_NAME.min(words.len().saturating_sub(at));
        (1..=longest).rev().find_map(|taken| {
            let name = words.between(at, at + taken);
            let means_more =
                || self.vocabulary().phrases.contains_key(words.stem(at)) || is_stop_word(words.raw(at));
            if taken == 1 && means_more() {
                return None;
            }
            let stems = || (at..at + taken).map(|at| words.stem(at));
            let named = |records: &Collection| {
                let visible = |rank: &u32| records.is_visible(*rank, caller);
                let whole = records.named(name).find(visible);
                let rank = whole.or_else(|| {
                    records.beginning_with(caller.view, name, stems()).into_iter().find(visible)
                })?;
                let location = *records.location(caller.view, rank)?;
                Some(Place { name: records.rendered.id_and_name(rank).1.into_owned(), location, taken })
            };
            named(&self.places).or_else(|| named(&self.events))
        })
    }

    /// The area whose name begins at a word.
    fn area_at(&self, words: &Words, at: usize) -> Option<Place> {
        let found = piece(self.vocabulary(), words, at, |meaning| !meaning.areas.is_empty())?;
        let areas: AreaIds = match &found.piece {
            Piece::Phrase(meaning) => ids(&meaning.areas).collect(),
            Piece::Code(code) if !code.ambiguous => ids(&code.areas).collect(),
            Piece::Code(_) => return None,
            Piece::Quadra { wing, .. } => AreaIds::from_slice(&[*wing]),
        };
        let (area, location) = areas.iter().find_map(|area| Some((area, self.gazetteer.area(*area)?)))?;
        let name = self.vocabulary().areas[usize::from(*area)].name.to_string();
        Some(Place { name, location, taken: found.taken })
    }

    /// The areas that the text names, which decide between addresses of one spelling.
    fn named_areas(&self, words: &Words) -> AreaIds {
        let is_area = |at: usize| {
            let found = piece(self.vocabulary(), words, at, |meaning| !meaning.areas.is_empty())?;
            match found.piece {
                Piece::Phrase(meaning) => Some(ids(&meaning.areas).collect::<AreaIds>()),
                _ => None,
            }
        };
        (0..words.len()).filter_map(is_area).flatten().collect()
    }

    /// The end of an address from word `at` on: "bloco C loja 20".
    fn end_of_address(&self, words: &Words, mut at: usize) -> usize {
        let is_value = |at: usize| {
            at < words.len() && (words.raw(at).len() == 1 || words.raw(at).parse::<u32>().is_ok())
        };
        while at < words.len() {
            let is_component = self.vocabulary().components.contains_key(words.raw(at));
            match (is_component && is_value(at + 1), is_value(at) && words.raw(at).parse::<u32>().is_ok()) {
                (true, _) => at += 2,
                (false, true) => at += 1,
                (false, false) => break,
            }
        }
        at
    }

    /// Whether nothing but areas and words of addresses follows.
    fn is_rest_of_address(&self, words: &Words, mut at: usize) -> bool {
        while at < words.len() {
            let raw = words.raw(at);
            let area = piece(self.vocabulary(), words, at, |meaning| {
                !meaning.areas.is_empty() || meaning.everywhere
            });
            at += match area {
                Some(found) => found.taken,
                None if self.vocabulary().components.contains_key(raw)
                    || is_stop_word(raw)
                    || raw.len() == 1 =>
                {
                    1
                }
                None if raw.parse::<u32>().is_ok() => 1,
                None => return false,
            };
        }
        true
    }
}

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
        let enough = ENOUGH.min(self.query.limit);
        sort_first(&mut ranked, enough);
        let last = enough.checked_sub(1).and_then(|last| ranked.get(last));
        let within = last.map_or(near.reach(), |(distance, _)| near.walk().max(*distance)).min(near.reach());
        let (inside, mut outside): (Vec<_>, Vec<_>) =
            ranked.into_iter().partition(|(distance, _)| *distance <= within);
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

/// "-15.79,-47.88".
fn coordinates(text: &str) -> Option<(Degrees, Degrees)> {
    let (lat, lon) = text.split_once(',')?;
    let degrees = |text: &str| Degrees::new(text.trim().parse().ok()?);
    degrees(lat).zip(degrees(lon))
}
