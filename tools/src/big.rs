//! A snapshot of any size, made from the demo's vocabulary with a seed: the same seed gives the same snapshot.
//! Words, regions, categories and mentions are as uneven as in life: few are common, most are rare.

use chrono::{Days, NaiveDate, NaiveTime};
use snapshots::{Event, Links, Place, Snapshot};

/// A small generator of our own, so that a seed means the same under every version of every library (SplitMix64).
pub struct Dice(u64);

impl Dice {
    /// Dice that fall as the seed says.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`, each as likely.
    pub fn below(&mut self, end: usize) -> usize {
        (self.bits() % end.max(1) as u64) as usize
    }

    /// A number below `end`, small ones far more likely (close to Zipf's law).
    pub fn uneven(&mut self, end: usize) -> usize {
        let unit = (self.bits() >> 11) as f64 / (1u64 << 53) as f64;
        ((end as f64 + 1.0).powf(unit) - 1.0) as usize % end.max(1)
    }

    /// One of the items, each as likely.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// Whether something happens that happens so many times in a hundred.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// Words for names, the common ones first.
pub struct Words(Vec<String>);

impl Words {
    /// So many words of two to four syllables.
    pub fn new(generators: &mut Dice, count: usize) -> Self {
        const ONSETS: &[&str] = &[
            "b", "c", "d", "f", "g", "l", "m", "n", "p", "r", "s", "t", "v", "br", "cr", "pr", "tr", "ch", "",
        ];
        const CORES: &[&str] = &["a", "e", "i", "o", "u", "ã", "é", "ei", "ou", "ar", "en", "or", "al"];
        let word = |generators: &mut Dice| {
            let syllables = 2 + generators.below(3);
            let mut word: String = (0..syllables)
                .map(|_| format!("{}{}", generators.pick(ONSETS), generators.pick(CORES)))
                .collect();
            if let Some(first) = word.get_mut(0..1) {
                first.make_ascii_uppercase();
            }
            word
        };
        Self((0..count).map(|_| word(generators)).collect())
    }

    /// A word, most likely a common one.
    pub fn word(&self, generators: &mut Dice) -> &str {
        &self.0[generators.uneven(self.0.len())]
    }

    fn words(&self, generators: &mut Dice, count: usize) -> String {
        (0..count).map(|_| self.word(generators)).collect::<Vec<_>>().join(" ")
    }
}

/// A snapshot of `records` records, half places and half events of the 400 days from `today`, with the vocabulary
/// of `base`.
pub fn snapshot(base: &Snapshot, records: usize, seed: u64, today: NaiveDate) -> Snapshot {
    use snapshots::vocabulary::Kind;
    let mut generators = Dice::new(seed);
    let words = Words::new(&mut generators, 20_000);
    let areas: Vec<(&str, Option<&str>)> = base
        .vocabulary
        .geography
        .regions
        .iter()
        .flat_map(|region| {
            let parts =
                region.neighbourhoods.iter().map(|part| (region.name.as_str(), Some(part.name.as_str())));
            parts.chain([(region.name.as_str(), None)])
        })
        .collect();
    let categories = |other: Kind| -> Vec<&snapshots::vocabulary::Category> {
        base.vocabulary.taxonomy.categories.iter().filter(|category| category.kind != other).collect()
    };
    let (of_places, of_events) = (categories(Kind::Event), categories(Kind::Place));

    let places = (0..records / 2).map(|number| {
        let (region, neighbourhood) = areas[generators.uneven(areas.len())];
        let category = of_places[generators.uneven(of_places.len())];
        let name_words = 1 + generators.below(3);
        let style = generators
            .chance(80)
            .then(|| format!("{} {}", category.pt.to_lowercase(), words.word(&mut generators)));
        let quadra = 100 * (1 + generators.below(9)) + 1 + generators.below(16);
        Place {
            id: format!("place-{number:07}"),
            name: words.words(&mut generators, name_words),
            neighbourhood: neighbourhood.map(str::to_owned),
            region: region.to_owned(),
            category: category.slug.clone(),
            also: Vec::new(),
            style,
            price: generators.chance(40).then(|| "$$".to_owned()),
            instagram: generators.chance(50).then(|| format!("place.{number}")),
            address: generators
                .chance(60)
                .then(|| format!("CLN {quadra}, Bloco {}", 1 + generators.below(9))),
            mentions: 2_000 / (1 + generators.uneven(2_000) as u32),
            uau: generators.chance(5),
            description: None,
            links: Links {
                website: generators.chance(50).then(|| format!("https://example.com/{number}")),
                ..Links::default()
            },
            aliases: Vec::new(),
        }
    });
    let places = places.collect();
    let events = (0..records - records / 2).map(|number| {
        let (region, neighbourhood) = areas[generators.uneven(areas.len())];
        let category = of_events[generators.uneven(of_events.len())];
        let date = today + Days::new(generators.below(400) as u64);
        let name_words = 2 + generators.below(3);
        Event {
            id: format!("event-{number:07}"),
            name: words.words(&mut generators, name_words),
            date,
            end_date: generators.chance(10).then(|| date + Days::new(1 + generators.below(9) as u64)),
            start_time: NaiveTime::from_hms_opt(
                8 + generators.below(15) as u32,
                30 * generators.below(2) as u32,
                0,
            )
            .filter(|_| generators.chance(90)),
            venue: generators.chance(80).then(|| words.words(&mut generators, 2)),
            neighbourhood: neighbourhood.map(str::to_owned),
            region: region.to_owned(),
            category: category.slug.clone(),
            also: Vec::new(),
            price: generators.chance(40).then(|| "R$ 40".to_owned()),
            instagram: generators.chance(30).then(|| format!("event.{number}")),
            lineup: generators.chance(50).then(|| words.words(&mut generators, 3)),
            address: None,
            tickets: None,
            uau: generators.chance(5),
            links: Links {
                tickets: generators.chance(50).then(|| format!("https://example.com/t/{number}")),
                ..Links::default()
            },
            aliases: Vec::new(),
        }
    });
    let events = events.collect();
    Snapshot { name: format!("big-{records}-{seed}"), places, events, ..base.clone() }
}

/// A kind of question, as the benches and the load generator ask them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A region and a category.
    Filter,
    /// A region and a word.
    FilterText,
    /// Two words.
    TwoWords,
    /// The beginning of a word.
    Prefix,
    /// A misspelt word.
    Typo,
    /// No filter at all.
    Nothing,
}

/// All kinds of question.
pub const KINDS: [Kind; 6] =
    [Kind::Filter, Kind::FilterText, Kind::TwoWords, Kind::Prefix, Kind::Typo, Kind::Nothing];

/// A question as a caller writes it.
#[derive(Debug, Clone, Default)]
pub struct Asked {
    /// Whether it is for events; else for places.
    pub events: bool,
    /// Free text.
    pub q: Option<String>,
    /// Name of a region.
    pub region: Option<String>,
    /// Slug of a category.
    pub category: Option<String>,
}

/// So many questions of a kind about the snapshot, from its own words.
pub fn questions(snapshot: &Snapshot, kind: Kind, count: usize, seed: u64) -> Vec<Asked> {
    let mut generators = Dice::new(seed ^ kind as u64);
    // people mostly ask for what there is: of events, for those of the days that are answered by default
    let first = snapshot.events.iter().map(|event| event.date).min().unwrap_or_default();
    let soon: Vec<&Event> =
        snapshot.events.iter().filter(|event| event.date < first + Days::new(7)).collect();
    (0..count)
        .map(|_| {
            let events = generators.chance(50) && !soon.is_empty();
            let (name, region, own) = if events {
                let event = generators.pick(&soon);
                (&event.name, &event.region, &event.category)
            } else {
                let place = generators.pick(&snapshot.places);
                (&place.name, &place.region, &place.category)
            };
            let words: Vec<String> =
                name.split(' ').filter(|word| word.len() > 2).map(str::to_lowercase).collect();
            let word = words.get(generators.below(words.len())).map_or("bar", String::as_str);
            let asked = Asked { events, ..Asked::default() };
            match kind {
                Kind::Filter => {
                    let broad = if events { "musica" } else { "gastronomia" };
                    let category = if generators.chance(50) { own } else { broad };
                    Asked { region: Some(region.clone()), category: Some(category.to_owned()), ..asked }
                }
                Kind::FilterText => Asked { region: Some(region.clone()), q: Some(word.to_owned()), ..asked },
                Kind::TwoWords => {
                    let other = if generators.chance(50) { own } else { region };
                    Asked { q: Some(format!("{word} {other}")), ..asked }
                }
                Kind::Prefix => {
                    let letters = 3 + generators.below(3);
                    Asked { q: Some(word.chars().take(letters).collect()), ..asked }
                }
                Kind::Typo => {
                    let mut letters: Vec<char> = word.chars().collect();
                    let at = 1 + generators.below(letters.len().saturating_sub(1));
                    if let Some(letter) = letters.get_mut(at) {
                        *letter = 'x';
                    }
                    Asked { q: Some(letters.into_iter().collect()), ..asked }
                }
                Kind::Nothing => asked,
            }
        })
        .collect()
}
