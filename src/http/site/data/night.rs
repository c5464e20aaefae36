//! Places to go out to at night, whatever is on: each day has a choice of its own.

use std::cmp::Reverse;

use chrono::{Datelike, NaiveDate};
use index::grammar::fold::fold;
use index::{AreaId, CategoryId, Guide};

use super::record_view::Record;
use crate::http::language::Language;
use crate::http::site::layout::tags::hash;
use crate::http::site::texts;

/// The category of which a list leads to all in an area.
pub(crate) const BAR: &str = "bar";

/// The categories of such places. Halls are none: they are closed without a show.
const NIGHT: [&str; 8] = [BAR, "boteco", "pub", "cervejaria", "vinho", "rooftop", "balada", "pizzaria"];

/// How many places a day has.
const MOST: usize = 6;

/// How many of them are of one category, and in one area.
const MOST_ALIKE: usize = 2;

/// The places that days choose from. It holds no reference to the snapshot, which can be dropped.
pub(crate) struct NightPlaces(Vec<NightPlace>);

struct NightPlace {
    rank: u32,
    id: String,
    category: CategoryId,
    area: AreaId,
    /// Its folded name without that of its area, which branches have in common.
    brand: String,
    mentions: u32,
    /// The weekdays that its note names, Monday being 0: "samba aos sábados".
    weekdays: Vec<usize>,
}

impl NightPlaces {
    /// The places in the area `home` of which the guide says what they are like.
    pub(crate) fn new(guide: &Guide, home: AreaId) -> NightPlaces {
        let (places, vocabulary) = (&guide.places, guide.vocabulary());
        let is_night =
            |rank: &u32| NIGHT.contains(&vocabulary.category(places.category(*rank)).slug.as_str());
        let of = |rank: u32| {
            let record = Record::new(&places.rendered, rank);
            let mentions = places.rendered.fields(rank).find(|(name, _)| *name == "mentions");
            let area = places.area(rank);
            if record.style.is_empty() {
                return None;
            }
            Some(NightPlace {
                rank,
                category: places.category(rank),
                area,
                brand: brand(&record.name, vocabulary.area(area).name.as_str()),
                mentions: mentions.and_then(|(_, number)| number.parse().ok()).unwrap_or_default(),
                weekdays: weekdays(&record.style),
                id: record.id.into_owned(),
            })
        };
        NightPlaces(places.filtered(home, None).iter().copied().filter(is_night).filter_map(of).collect())
    }

    /// The choice of a day, of the places that are wanted: the most mentioned first, of which chance chooses, since
    /// most have as few mentions as others. They are of several categories and areas as far as there are such, and no
    /// two are branches of one.
    pub(crate) fn on(&self, day: NaiveDate, is_wanted: impl Fn(u32) -> bool) -> Vec<u32> {
        let weekday = day.weekday() as usize;
        let is_open = |place: &&NightPlace| place.weekdays.is_empty() || place.weekdays.contains(&weekday);
        let mut places: Vec<&NightPlace> =
            self.0.iter().filter(is_open).filter(|place| is_wanted(place.rank)).collect();
        places.sort_by_cached_key(|place| (Reverse(place.mentions), hash(&format!("{day} {}", place.id))));
        let mut chosen: Vec<&NightPlace> = Vec::new();
        let is_alike: [fn(&NightPlace, &NightPlace) -> bool; 2] =
            [|one, other| one.category == other.category, |one, other| one.area == other.area];
        // where few are left, areas may repeat
        for alike in [&is_alike[..], &is_alike[..1]] {
            for place in &places {
                let is_known = |other: &&NightPlace| other.brand == place.brand;
                let is_spread = alike
                    .iter()
                    .all(|alike| chosen.iter().filter(|other| alike(other, place)).count() < MOST_ALIKE);
                if chosen.len() < MOST && is_spread && !chosen.iter().any(is_known) {
                    chosen.push(place);
                }
            }
        }
        chosen.into_iter().map(|place| place.rank).collect()
    }
}

/// The folded name of a place without that of its area at its end.
fn brand(name: &str, area: &str) -> String {
    let (name, area) = (fold(name), fold(area));
    name.strip_suffix(&*area).filter(|rest| !rest.trim().is_empty()).unwrap_or(&name).trim().to_owned()
}

/// The weekdays that a note names. Curators write Portuguese.
fn weekdays(note: &str) -> Vec<usize> {
    let folded = fold(note);
    let words: Vec<&str> = folded.split(|mark: char| !mark.is_alphanumeric()).collect();
    let names = texts::of(Language::Portuguese).calendar.weekdays.map(fold);
    let is_named = |name: &str| words.iter().any(|word| word.strip_suffix('s').unwrap_or(word) == name);
    names.iter().enumerate().filter(|(_, name)| is_named(name)).map(|(at, _)| at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_names_the_days_on_which_there_is_something() {
        for (note, days) in [
            ("samba aos sábados", &[5][..]),
            ("Terça e quinta-feira, chope em dobro", &[1, 3]),
            ("bar da 408 Norte", &[]),
            ("", &[]),
        ] {
            assert_eq!(weekdays(note), days, "{note}");
        }
    }

    #[test]
    fn branches_and_areas_are_not_repeated() {
        let (categories, areas): (Vec<_>, Vec<_>) =
            (CategoryId::all().take(6).collect(), AreaId::all().take(4).collect());
        let place = |rank: u32| NightPlace {
            rank,
            id: format!("place-{rank}"),
            category: categories[rank as usize % 6],
            area: areas[rank as usize % 4],
            brand: brand(&format!("Bar {} Asa Norte", rank / 2), "Asa Norte"),
            mentions: 1,
            weekdays: Vec::new(),
        };
        assert_eq!(place(5).brand, "bar 2");
        let places = NightPlaces((0..60).map(place).collect());
        for day in NaiveDate::from_ymd_opt(2026, 12, 1).unwrap().iter_days().take(30) {
            let choice = places.on(day, |_| true);
            assert_eq!(choice.len(), MOST, "{day}");
            for area in 0..4 {
                assert!(choice.iter().filter(|rank| **rank % 4 == area).count() <= MOST_ALIKE, "{choice:?}");
            }
            let mut brands: Vec<u32> = choice.iter().map(|rank| rank / 2).collect();
            brands.sort_unstable();
            brands.dedup();
            assert_eq!(brands.len(), MOST, "{choice:?}");
        }
    }

    #[test]
    fn each_day_has_a_choice_of_several_categories_without_what_is_on_another_day() {
        let [bar, pub_, club] = [0_u16, 1, 2].map(|at| CategoryId::all().nth(at.into()).unwrap());
        let place = |rank: u32| NightPlace {
            rank,
            id: format!("place-{rank}"),
            category: [bar, pub_, club][rank as usize % 3],
            area: AreaId::all().next().unwrap(),
            brand: format!("place {rank}"),
            mentions: 1,
            weekdays: if rank == 4 { vec![5] } else { Vec::new() },
        };
        let places = NightPlaces((0..30).map(place).collect());
        let days = NaiveDate::from_ymd_opt(2026, 11, 29).unwrap().iter_days().take(60);
        let mut choices = Vec::new();
        for day in days {
            let choice = places.on(day, |_| true);
            assert_eq!(choice.len(), MOST, "{day}");
            for category in 0..3 {
                let of_category = choice.iter().filter(|rank| **rank % 3 == category).count();
                assert_eq!(of_category, MOST_ALIKE, "{day}: {choice:?}");
            }
            assert!(day.weekday() as usize == 5 || !choice.contains(&4), "{day}: {choice:?}");
            choices.push(choice);
        }
        assert!(choices.iter().any(|choice| choice.contains(&4)));
        assert!(choices.windows(2).all(|pair| pair[0] != pair[1]), "one day is not like the next");
    }
}
