//! Random snapshots on the demo's vocabulary and random queries for them, reproducible by seed.
#![allow(clippy::cast_possible_truncation, reason = "random numbers below a small bound")]

use std::collections::HashMap;
use std::sync::LazyLock;

use chrono::{Days, NaiveDate, NaiveTime};
use snapshots::positions::Degrees;
use snapshots::{Description, Event, Links, Place, Position, Session, Snapshot};

use crate::grammar::dates::{Hours, Window};
use crate::records::schema::View;
use crate::vocabulary::node_ids::{AreaId, CategoryId};
use crate::vocabulary::words::Words;
use crate::vocabulary::{ArchivedVocabularyIndex, AreaIds, CategoryIds, EVERYWHERE};
use crate::{Guide, Query, vocabulary::categories, vocabulary::regions};

/// A seeded random number generator (SplitMix64).
pub(crate) struct Rng(u64);

impl Rng {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % count as u64) as usize
    }

    pub(crate) fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    fn words(&mut self, least: usize, most: usize) -> String {
        let count = least + self.below(most - least + 1);
        (0..count).map(|_| *self.pick(WORDS)).collect::<Vec<_>>().join(" ")
    }
}

/// The words of names: few, so that records share them, and some name areas, categories and dates.
const WORDS: &[&str] = &[
    "Bar",
    "do",
    "João",
    "Café",
    "Cafés",
    "Feira",
    "da",
    "Lua",
    "Norte",
    "Sul",
    "Asa",
    "Lago",
    "Torre",
    "Torres",
    "Jazz",
    "samba",
    "408",
    "Clube",
    "Guará",
    "pães",
    "Padaria",
    "Sebinho",
    "Ipê",
    "Ipês",
    "Quintal",
    "31",
    "Brasília",
    "sushi",
    "QI",
    "11",
    "Sexta",
    "noite",
    "Rock",
    "show",
    "Lagos",
    "teatro",
    "Águas",
    "Claras",
    "novo",
    "Nova",
    "the",
    "market",
    "W3",
    "Choperia",
    "Chorinho",
    "Pizzaria",
    "Pizza",
    "Livro",
    "Livraria",
    "Ação",
    "Zé",
];

const ADDRESSES: &[&str] = &[
    "CLN 408, bloco A, loja 12",
    "SQS 308",
    "CLS 405",
    "408 Norte",
    "404/405 Sul",
    "SCLN 102",
    "QI 11, conjunto 4",
    "SHIS QI 5",
    "Setor de Clubes Sul, trecho 2",
    "Avenida das Araucárias, 1325",
    "Rua do Lago",
    "CLSW 101",
    "110 Noroeste",
    "SIA trecho 7",
    "Eixo Monumental",
    "SQN 212 e SQN 213",
    "Quintalzinho secreto, 9",
];

const LINEUPS: &[&str] =
    &["Zeca Baleiro", "Trio Ipê e convidados", "DJ Marajoara", "Orquestra de jazz do Guará", "Forró"];

fn maybe<T>(rng: &mut Rng, one_in: usize, value: impl FnOnce(&mut Rng) -> T) -> Option<T> {
    rng.one_in(one_in).then(|| value(rng))
}

fn area(rng: &mut Rng, snapshot: &Snapshot) -> (String, Option<String>) {
    let regions = &snapshot.vocabulary.geography.regions;
    let favourite =
        if rng.one_in(3) { None } else { regions.iter().find(|region| region.slug == "plano-piloto") };
    let region = favourite.unwrap_or_else(|| rng.pick(regions));
    let wings = ["Asa Norte", "Asa Sul"];
    let neighbourhood = if region.slug == "plano-piloto" && !rng.one_in(3) {
        Some((*rng.pick(&wings)).to_owned())
    } else {
        (!region.neighbourhoods.is_empty() && !rng.one_in(3))
            .then(|| rng.pick(&region.neighbourhoods).name.clone())
    };
    (region.name.clone(), neighbourhood)
}

fn category(rng: &mut Rng, snapshot: &Snapshot) -> String {
    const FAVOURITES: &[&str] = &["bar", "cafe", "samba", "show", "feira", "jazz"];
    let known = |slug: &str| snapshot.vocabulary.taxonomy.categories.iter().any(|one| one.slug == slug);
    let favourite = *rng.pick(FAVOURITES);
    if rng.one_in(2) && known(favourite) {
        return favourite.to_owned();
    }
    rng.pick(&snapshot.vocabulary.taxonomy.categories).slug.clone()
}

/// A random position in and around the Plano Piloto.
pub(crate) fn position(rng: &mut Rng) -> Position {
    let coordinate = |rng: &mut Rng, least: i32| Degrees(least + rng.below(200_000) as i32);
    Position { lat: coordinate(rng, -15_900_000), lon: coordinate(rng, -48_000_000), precision_m: 30 }
}

/// A random place.
pub(crate) fn place(rng: &mut Rng, snapshot: &Snapshot, id: usize) -> Place {
    let (region, neighbourhood) = area(rng, snapshot);
    Place {
        id: format!("p-{id}"),
        name: rng.words(1, 3),
        neighbourhood,
        region,
        category: category(rng, snapshot),
        also: maybe(rng, 4, |rng| category(rng, snapshot)).into_iter().collect(),
        style: maybe(rng, 3, |rng| rng.words(1, 3)),
        price: None,
        instagram: None,
        address: maybe(rng, 2, |rng| (*rng.pick(ADDRESSES)).to_owned()),
        mentions: rng.below(4) as u32,
        uau: false,
        description: maybe(rng, 4, |rng| Description { pt: rng.words(3, 6), en: rng.words(3, 6) }),
        links: Links::default(),
        aliases: maybe(rng, 4, |rng| rng.words(1, 2)).into_iter().collect(),
        position: maybe(rng, 5, position),
        free: rng.one_in(6),
        hidden: None,
        show_from: None,
        show_until: None,
        note: None,
    }
}

/// A random event that begins in the sixty days from ten days before `today` on.
pub(crate) fn event(rng: &mut Rng, snapshot: &Snapshot, today: NaiveDate, id: usize) -> Event {
    let (region, neighbourhood) = area(rng, snapshot);
    let date = today - Days::new(10) + Days::new(rng.below(60) as u64);
    let hour = |rng: &mut Rng| NaiveTime::from_hms_opt(18 + rng.below(3) as u32, 0, 0).unwrap();
    let several = rng.one_in(5);
    let session = |minute: u32| Session {
        start_time: NaiveTime::from_hms_opt(17 + minute / 60, minute % 60, 0).unwrap(),
        end_time: None,
    };
    let sessions = [rng.below(100) as u32, 100 + rng.below(200) as u32].map(session);
    Event {
        series: None,
        id: format!("e-{id}"),
        name: rng.words(1, 3),
        date,
        end_date: maybe(rng, 3, |rng| date + Days::new(rng.below(12) as u64)),
        start_time: maybe(rng, 2, hour).filter(|_| !several),
        end_time: None,
        sessions: sessions.into_iter().filter(|_| several).collect(),
        status: None,
        place: None,
        venue: maybe(rng, 2, |rng| rng.words(1, 3)),
        neighbourhood,
        region,
        category: category(rng, snapshot),
        also: maybe(rng, 4, |rng| category(rng, snapshot)).into_iter().collect(),
        price: None,
        instagram: None,
        lineup: maybe(rng, 2, |rng| (*rng.pick(LINEUPS)).to_owned()),
        address: maybe(rng, 2, |rng| (*rng.pick(ADDRESSES)).to_owned()),
        tickets: None,
        uau: false,
        links: Links::default(),
        aliases: maybe(rng, 5, |rng| rng.words(1, 2)).into_iter().collect(),
        position: maybe(rng, 5, position),
        free: rng.one_in(6),
        hidden: None,
        show_from: None,
        show_until: None,
        note: None,
        repeat: None,
    }
}

/// The current day in these tests: Saturday, 21 November 2026.
pub(crate) fn today() -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 11, 21).unwrap()
}

/// The demo, as it is served on that day.
pub(crate) fn demo() -> Snapshot {
    let checked = snapshots::check(&snapshots::demo::files(), today());
    let demo = checked.unwrap_or_else(|defects| panic!("{defects:?}"));
    demo.on(today(), &snapshots::Hidden::default()).unwrap()
}

/// The guide of the demo, which many tests ask and none changes.
pub(crate) fn demo_guide() -> &'static Guide {
    static GUIDE: LazyLock<Guide> = LazyLock::new(|| Guide::build(&demo()).unwrap());
    &GUIDE
}

/// A small random snapshot on the vocabulary of `demo`.
pub(crate) fn small(rng: &mut Rng, demo: &Snapshot) -> Snapshot {
    let (places, events) = (rng.below(50), rng.below(50));
    Snapshot {
        places: (0..places).map(|id| place(rng, demo, id)).collect(),
        events: (0..events).map(|id| event(rng, demo, today(), id)).collect(),
        ..Snapshot {
            format: demo.format,
            name: demo.name.clone(),
            not_listed: demo.not_listed.clone(),
            curated_at: demo.curated_at.clone(),
            vocabulary: demo.vocabulary.clone(),
            positions: demo.positions.clone(),
            map: demo.map.clone(),
            places: Vec::new(),
            events: Vec::new(),
        }
    }
}

/// What queries are made of.
pub(crate) struct Terms {
    /// Names, venues, line-ups, addresses, whole.
    pub(crate) texts: Vec<String>,
    /// Single words of those.
    pub(crate) words: Vec<String>,
    /// Names of areas, codes, written forms.
    pub(crate) areas: Vec<String>,
    /// Terms of categories.
    pub(crate) categories: Vec<String>,
}

impl Terms {
    pub(crate) fn of(snapshot: &Snapshot) -> Self {
        let mut texts: Vec<String> = WORDS.iter().map(|word| (*word).to_owned()).collect();
        for place in &snapshot.places {
            texts.push(place.name.clone());
            texts.extend(place.aliases.iter().chain(&place.style).chain(&place.address).cloned());
            texts.extend(place.description.iter().map(|both| both.pt.clone()));
        }
        for event in &snapshot.events {
            texts.push(event.name.clone());
            texts.extend(
                event.aliases.iter().chain(&event.venue).chain(&event.lineup).chain(&event.address).cloned(),
            );
        }
        texts.sort();
        texts.dedup();
        let words = texts.iter().flat_map(|text| text.split(' ')).map(str::to_owned).collect();
        let (geography, addresses) = (&snapshot.vocabulary.geography, &snapshot.vocabulary.addresses);
        let mut areas = geography.everywhere.clone();
        for zone in &geography.zones {
            areas.extend([zone.slug.clone(), zone.name.clone(), zone.name_en.clone()]);
            areas.extend(zone.aliases.clone());
        }
        for region in &geography.regions {
            areas.extend([region.slug.clone(), region.name.clone()]);
            areas.extend(region.aliases.clone());
            for part in &region.neighbourhoods {
                areas.extend([part.slug.clone(), part.name.clone()]);
                areas.extend(part.aliases.clone());
            }
        }
        for code in &addresses.codes {
            areas.push(code.code.clone());
            areas.push(format!("{} {}", code.code, 100 + code.code.len() * 100 + 8));
            areas.extend(code.variants.clone());
        }
        areas.extend(addresses.written.iter().map(|written| written.text.clone()));
        let mut categories = Vec::new();
        for one in &snapshot.vocabulary.taxonomy.categories {
            categories.extend([one.slug.clone(), one.pt.clone(), one.en.clone()]);
            categories
                .extend(one.synonyms_pt.iter().chain(&one.synonyms_en).chain(&one.misspellings).cloned());
        }
        categories.extend(snapshot.vocabulary.taxonomy.shared_terms.iter().map(|shared| shared.term.clone()));
        Self { texts, words, areas, categories }
    }

    /// A random free text, sometimes empty.
    pub(crate) fn text(&self, rng: &mut Rng) -> String {
        if rng.one_in(6) {
            return String::new();
        }
        const STOP_WORDS: &[&str] = &[
            "onde", "na", "no", "de", "the", "best", "perto", "do", "in", "a", "com", "bloco", "sem",
            "exceto",
        ];
        const TIMES: &[&str] = &[
            "hoje",
            "amanhã",
            "sexta",
            "sexta à noite",
            "fim de semana",
            "this weekend",
            "próxima semana",
            "dezembro",
            "25 de dezembro",
            "tonight",
            "2026",
            "next 10 days",
            "domingo que vem",
            "depois das 20h30",
            "das 18h30 às 21h15",
        ];
        const QUADRAS: &[&str] = &[
            "408 norte",
            "408n",
            "SCLN408",
            "cln-408",
            "404/405 sul",
            "308 sul",
            "999 norte",
            "101 sudoeste",
            "CLS 405",
            "110 noroeste",
            "sqn 212",
            "408",
        ];
        const JUNK: &[&str] = &["xyzzy", "qwrtp", "zzz", "?!", "b", "日本", "ñ", "🎷", "1", "00", "e"];
        let count = [1, 1, 1, 2, 2, 3, 4][rng.below(7)];
        let mut parts = Vec::with_capacity(count);
        for _ in 0..count {
            parts.push(match rng.below(20) {
                0..5 => rng.pick(&self.words).clone(),
                5 => rng.pick(&self.texts).clone(),
                6..9 => rng.pick(&self.areas).clone(),
                9..12 => rng.pick(&self.categories).clone(),
                12 => (*rng.pick(STOP_WORDS)).to_owned(),
                13 => (*rng.pick(TIMES)).to_owned(),
                14 => (*rng.pick(QUADRAS)).to_owned(),
                15 | 16 => beginning(rng, &self.words),
                17 | 18 => misspelt(rng, &self.words),
                _ => (*rng.pick(JUNK)).to_owned(),
            });
        }
        let text = parts.join(" ");
        match rng.below(8) {
            0 => text.to_uppercase(),
            1 => text.replace(' ', "-"),
            _ => text,
        }
    }

    /// A random query with these words.
    pub(crate) fn query<'q>(&self, rng: &mut Rng, guide: &Guide, words: &'q Words) -> Query<'q> {
        let vocabulary = guide.vocabulary();
        let window = maybe(rng, 3, |rng| {
            let from = today() - Days::new(15) + Days::new(rng.below(80) as u64);
            Window { from, to: from + Days::new(rng.below(30) as u64) }
        });
        Query {
            near: None,
            at: None,
            quadras: Default::default(),
            words,
            areas: maybe(rng, 4, |rng| self.some_areas(rng, vocabulary)).unwrap_or_default(),
            categories: maybe(rng, 4, |rng| self.some_categories(rng, vocabulary)).unwrap_or_default(),
            window,
            today: today() + Days::new(rng.below(20) as u64),
            scope: if rng.one_in(2) { EVERYWHERE } else { plano_piloto(vocabulary) },
            view: if rng.one_in(2) { View::Basic } else { View::Full },
            limit: 1 + rng.below(50),
            after: None,
            hours: maybe(rng, 8, |rng| {
                let mut minute = || u16::try_from(rng.below(24 * 4) * 15).ok();
                Hours::between_given(minute(), minute())
            }),
            covered: None,
            strict: false,
            group: false,
            facets: Default::default(),
        }
    }

    fn some_areas(&self, rng: &mut Rng, vocabulary: &ArchivedVocabularyIndex) -> AreaIds {
        if rng.one_in(2) {
            return (0..=rng.below(3))
                .filter_map(|_| AreaId::all().nth(rng.below(vocabulary.areas.len())))
                .collect();
        }
        regions::resolve(vocabulary, rng.pick::<String>(&self.areas)).unwrap_or_default()
    }

    fn some_categories(&self, rng: &mut Rng, vocabulary: &ArchivedVocabularyIndex) -> CategoryIds {
        if rng.one_in(2) {
            return (0..=rng.below(3))
                .filter_map(|_| CategoryId::all().nth(rng.below(vocabulary.categories.len())))
                .collect();
        }
        categories::named(vocabulary, rng.pick::<String>(&self.categories)).unwrap_or_default()
    }
}

pub(crate) fn plano_piloto(vocabulary: &ArchivedVocabularyIndex) -> AreaId {
    vocabulary.area_with_slug("plano-piloto").unwrap()
}

/// The beginning of a word.
fn beginning(rng: &mut Rng, words: &[String]) -> String {
    let letters: Vec<char> = rng.pick(words).chars().collect();
    letters[..1 + rng.below(letters.len().max(2) - 1).min(letters.len() - 1)].iter().collect()
}

/// A word with one or two letters changed, swapped, dropped or doubled.
pub(crate) fn misspelt(rng: &mut Rng, words: &[String]) -> String {
    let mut letters: Vec<char> = rng.pick(words).chars().collect();
    for _ in 0..=rng.below(2) {
        let at = rng.below(letters.len());
        match rng.below(4) {
            0 => letters[at] = char::from(b'a' + rng.below(26) as u8),
            1 if letters.len() > 1 => drop(letters.remove(at)),
            2 if at + 1 < letters.len() => letters.swap(at, at + 1),
            _ => letters.insert(at, letters[at]),
        }
    }
    letters.into_iter().collect()
}

/// Asserts that random queries had every kind of result, at least `least` times each.
pub(crate) fn each_occurred<const N: usize>(seen: &HashMap<&str, usize>, kinds: [&str; N], least: usize) {
    for kind in kinds {
        assert!(
            seen.get(kind).is_some_and(|count| *count >= least),
            "all kinds of results must occur: {seen:?}"
        );
    }
}
