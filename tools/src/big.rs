//! Snapshots of any size, made from a base snapshot's vocabulary; the same seed gives the same snapshot.
//! Words, regions, categories and mentions are as uneven as in real data: few are common, most are rare.

use chrono::{Days, NaiveDate, NaiveTime};
use snapshots::vocabulary::{Category, CategoryKind};
use snapshots::{Event, Links, Place, Snapshot};

use crate::random::Random;

/// Different words in the names of a snapshot.
const WORDS: usize = 20_000;

/// A snapshot of `records` records: half are places, half are events of the 400 days from `today`.
pub fn snapshot(base: &Snapshot, records: usize, seed: u64, today: NaiveDate) -> Snapshot {
    let mut random = Random::new(seed);
    let source = Source::new(base, &mut random);
    let places = (0..records / 2).map(|number| source.place(number, &mut random)).collect();
    let events = (0..records - records / 2).map(|number| source.event(number, today, &mut random)).collect();
    Snapshot { name: format!("big-{records}-{seed}"), places, events, ..base.clone() }
}

/// What records are made of.
struct Source<'a> {
    words: Vec<String>,
    /// Regions and neighbourhoods.
    areas: Vec<(&'a str, Option<&'a str>)>,
    place_categories: Vec<&'a Category>,
    event_categories: Vec<&'a Category>,
}

impl<'a> Source<'a> {
    fn new(base: &'a Snapshot, random: &mut Random) -> Self {
        let areas = base.vocabulary.geography.regions.iter().flat_map(|region| {
            let parts = region.neighbourhoods.iter().map(|part| Some(part.name.as_str()));
            parts.chain([None]).map(|part| (region.name.as_str(), part))
        });
        let categories = |other: CategoryKind| {
            let categories = base.vocabulary.taxonomy.categories.iter();
            categories.filter(|category| category.kind != other).collect()
        };
        Self {
            words: (0..WORDS).map(|_| word(random)).collect(),
            areas: areas.collect(),
            place_categories: categories(CategoryKind::Event),
            event_categories: categories(CategoryKind::Place),
        }
    }

    /// So many words, most of them common ones.
    fn text(&self, count: usize, random: &mut Random) -> String {
        let words: Vec<&str> =
            (0..count).map(|_| self.words[random.skewed(self.words.len())].as_str()).collect();
        words.join(" ")
    }

    fn place(&self, number: usize, random: &mut Random) -> Place {
        let (region, neighbourhood) = self.areas[random.skewed(self.areas.len())];
        let category = self.place_categories[random.skewed(self.place_categories.len())];
        let words = 1 + random.below(3);
        let quadra = 100 * (1 + random.below(9)) + 1 + random.below(16);
        let block = 1 + random.below(9);
        let style = format!("{} {}", category.pt.to_lowercase(), self.text(1, random));
        Place {
            id: format!("place-{number:07}"),
            name: self.text(words, random),
            neighbourhood: neighbourhood.map(str::to_owned),
            region: region.to_owned(),
            category: category.slug.clone(),
            also: Vec::new(),
            style: random.chance(80).then_some(style),
            price: random.chance(40).then(|| "$$".to_owned()),
            instagram: random.chance(50).then(|| format!("place.{number}")),
            address: random.chance(60).then(|| format!("CLN {quadra}, Bloco {block}")),
            mentions: 2_000 / (1 + number_of(random.skewed(2_000))),
            uau: random.chance(5),
            description: None,
            links: Links {
                website: random.chance(50).then(|| format!("https://example.com/{number}")),
                ..Links::default()
            },
            aliases: Vec::new(),
            position: None,
            free: false,
            hidden: None,
            show_from: None,
            show_until: None,
            note: None,
        }
    }

    fn event(&self, number: usize, today: NaiveDate, random: &mut Random) -> Event {
        let (region, neighbourhood) = self.areas[random.skewed(self.areas.len())];
        let category = self.event_categories[random.skewed(self.event_categories.len())];
        let words = 2 + random.below(3);
        let date = today + days(random.below(400));
        let (hour, minute) = (8 + random.below(15), 30 * random.below(2));
        let start = NaiveTime::from_hms_opt(number_of(hour), number_of(minute), 0);
        Event {
            id: format!("event-{number:07}"),
            series: None,
            name: self.text(words, random),
            date,
            end_date: random.chance(10).then(|| date + days(1 + random.below(9))),
            start_time: start.filter(|_| random.chance(90)),
            end_time: None,
            sessions: Vec::new(),
            status: None,
            place: None,
            venue: random.chance(80).then(|| self.text(2, random)),
            neighbourhood: neighbourhood.map(str::to_owned),
            region: region.to_owned(),
            category: category.slug.clone(),
            also: Vec::new(),
            price: random.chance(40).then(|| "R$ 40".to_owned()),
            instagram: random.chance(30).then(|| format!("event.{number}")),
            lineup: random.chance(50).then(|| self.text(3, random)),
            address: None,
            tickets: None,
            uau: random.chance(5),
            links: Links {
                tickets: random.chance(50).then(|| format!("https://example.com/t/{number}")),
                ..Links::default()
            },
            aliases: Vec::new(),
            position: None,
            free: false,
            hidden: None,
            show_from: None,
            show_until: None,
            note: None,
            repeat: None,
        }
    }
}

/// A word of two to four syllables.
fn word(random: &mut Random) -> String {
    const ONSETS: &[&str] =
        &["b", "c", "d", "f", "g", "l", "m", "n", "p", "r", "s", "t", "v", "br", "cr", "pr", "tr", "ch", ""];
    const CORES: &[&str] = &["a", "e", "i", "o", "u", "ã", "é", "ei", "ou", "ar", "en", "or", "al"];
    let syllables = 2 + random.below(3);
    let parts = (0..syllables).flat_map(|_| [random.choose(ONSETS), random.choose(CORES)]);
    let mut word: String = parts.flatten().copied().collect();
    if let Some(first) = word.get_mut(0..1) {
        first.make_ascii_uppercase();
    }
    word
}

/// A small random number as the type that a field wants.
fn number_of(random: usize) -> u32 {
    u32::try_from(random).unwrap_or(u32::MAX)
}

fn days(count: usize) -> Days {
    Days::new(count as u64)
}
