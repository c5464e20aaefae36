//! Dice for tests: random snapshots on the demo's vocabulary and random questions about them. The same seed throws
//! the same generators, so that a failure can be looked at again. Knows snapshots and questions; answers nothing.

use chrono::{Days, NaiveDate, NaiveTime};
use snapshots::{Description, Event, Links, Place, Snapshot};

use crate::dates::Window;
use crate::schema::View;
use crate::vocabulary::{ArchivedVocabularyIndex, EVERYWHERE, Node, Nodes};
use crate::words::Words;
use crate::{Guide, Query, categories, regions};

/// Seeded generators.
pub(crate) struct Dice(u64);

impl Dice {
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

/// What records are called here: few words, so that they meet, and some that name areas, categories and days.
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

fn maybe<T>(generators: &mut Dice, one_in: usize, value: impl FnOnce(&mut Dice) -> T) -> Option<T> {
    generators.one_in(one_in).then(|| value(generators))
}

fn area(generators: &mut Dice, snapshot: &Snapshot) -> (String, Option<String>) {
    let regions = &snapshot.vocabulary.geography.regions;
    let favourite =
        if generators.one_in(3) { None } else { regions.iter().find(|region| region.slug == "plano-piloto") };
    let region = favourite.unwrap_or_else(|| generators.pick(regions));
    let wings = ["Asa Norte", "Asa Sul"];
    let neighbourhood = if region.slug == "plano-piloto" && !generators.one_in(3) {
        Some((*generators.pick(&wings)).to_owned())
    } else {
        (!region.neighbourhoods.is_empty() && !generators.one_in(3))
            .then(|| generators.pick(&region.neighbourhoods).name.clone())
    };
    (region.name.clone(), neighbourhood)
}

fn category(generators: &mut Dice, snapshot: &Snapshot) -> String {
    const FAVOURITES: &[&str] = &["bar", "cafe", "samba", "show", "feira", "jazz"];
    let known = |slug: &str| snapshot.vocabulary.taxonomy.categories.iter().any(|one| one.slug == slug);
    let favourite = *generators.pick(FAVOURITES);
    if generators.one_in(2) && known(favourite) {
        return favourite.to_owned();
    }
    generators.pick(&snapshot.vocabulary.taxonomy.categories).slug.clone()
}

/// A random place.
pub(crate) fn place(generators: &mut Dice, snapshot: &Snapshot, id: usize) -> Place {
    let (region, neighbourhood) = area(generators, snapshot);
    Place {
        id: format!("p-{id}"),
        name: generators.words(1, 3),
        neighbourhood,
        region,
        category: category(generators, snapshot),
        also: maybe(generators, 4, |generators| category(generators, snapshot)).into_iter().collect(),
        style: maybe(generators, 3, |generators| generators.words(1, 3)),
        price: None,
        instagram: None,
        address: maybe(generators, 2, |generators| (*generators.pick(ADDRESSES)).to_owned()),
        mentions: generators.below(4) as u32,
        uau: false,
        description: maybe(generators, 4, |generators| Description {
            pt: generators.words(3, 6),
            en: generators.words(3, 6),
        }),
        links: Links::default(),
        aliases: maybe(generators, 4, |generators| generators.words(1, 2)).into_iter().collect(),
    }
}

/// A random event, in the sixty days from `today` minus ten.
pub(crate) fn event(generators: &mut Dice, snapshot: &Snapshot, today: NaiveDate, id: usize) -> Event {
    let (region, neighbourhood) = area(generators, snapshot);
    let date = today - Days::new(10) + Days::new(generators.below(60) as u64);
    Event {
        id: format!("e-{id}"),
        name: generators.words(1, 3),
        date,
        end_date: maybe(generators, 3, |generators| date + Days::new(generators.below(12) as u64)),
        start_time: maybe(generators, 2, |generators| {
            NaiveTime::from_hms_opt(18 + generators.below(3) as u32, 0, 0).unwrap()
        }),
        venue: maybe(generators, 2, |generators| generators.words(1, 3)),
        neighbourhood,
        region,
        category: category(generators, snapshot),
        also: maybe(generators, 4, |generators| category(generators, snapshot)).into_iter().collect(),
        price: None,
        instagram: None,
        lineup: maybe(generators, 2, |generators| (*generators.pick(LINEUPS)).to_owned()),
        address: maybe(generators, 2, |generators| (*generators.pick(ADDRESSES)).to_owned()),
        tickets: None,
        uau: false,
        links: Links::default(),
        aliases: maybe(generators, 5, |generators| generators.words(1, 2)).into_iter().collect(),
    }
}

/// Saturday, 21 November 2026: what day it is in these tests.
pub(crate) fn today() -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 11, 21).unwrap()
}

/// The demo, checked.
pub(crate) fn demo() -> Snapshot {
    snapshots::check(&snapshots::demo::files(), today()).unwrap_or_else(|defects| panic!("{defects:?}"))
}

/// A small random snapshot on the vocabulary of `demo`.
pub(crate) fn small(generators: &mut Dice, demo: &Snapshot) -> Snapshot {
    let (places, events) = (generators.below(50), generators.below(50));
    Snapshot {
        places: (0..places).map(|id| place(generators, demo, id)).collect(),
        events: (0..events).map(|id| event(generators, demo, today(), id)).collect(),
        ..Snapshot {
            format: demo.format,
            name: demo.name.clone(),
            curated_at: demo.curated_at.clone(),
            vocabulary: demo.vocabulary.clone(),
            places: Vec::new(),
            events: Vec::new(),
        }
    }
}

/// What questions are made of.
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

    /// A random free question; of no words now and then.
    pub(crate) fn text(&self, generators: &mut Dice) -> String {
        if generators.one_in(6) {
            return String::new();
        }
        const FILLERS: &[&str] =
            &["onde", "na", "no", "de", "the", "best", "perto", "do", "in", "a", "com", "bloco"];
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
        let count = [1, 1, 1, 2, 2, 3, 4][generators.below(7)];
        let mut parts = Vec::with_capacity(count);
        for _ in 0..count {
            parts.push(match generators.below(20) {
                0..5 => generators.pick(&self.words).clone(),
                5 => generators.pick(&self.texts).clone(),
                6..9 => generators.pick(&self.areas).clone(),
                9..12 => generators.pick(&self.categories).clone(),
                12 => (*generators.pick(FILLERS)).to_owned(),
                13 => (*generators.pick(TIMES)).to_owned(),
                14 => (*generators.pick(QUADRAS)).to_owned(),
                15 | 16 => beginning(generators, &self.words),
                17 | 18 => misspelt(generators, &self.words),
                _ => (*generators.pick(JUNK)).to_owned(),
            });
        }
        let text = parts.join(" ");
        match generators.below(8) {
            0 => text.to_uppercase(),
            1 => text.replace(' ', "-"),
            _ => text,
        }
    }

    /// A random question of these words.
    pub(crate) fn question<'q>(&self, generators: &mut Dice, guide: &Guide, words: &'q Words) -> Query<'q> {
        let vocabulary = guide.vocabulary();
        let window = maybe(generators, 3, |generators| {
            let from = today() - Days::new(15) + Days::new(generators.below(80) as u64);
            Window { from, to: from + Days::new(generators.below(30) as u64) }
        });
        Query {
            words,
            areas: maybe(generators, 4, |generators| self.some_areas(generators, vocabulary))
                .unwrap_or_default(),
            categories: maybe(generators, 4, |generators| self.some_categories(generators, vocabulary))
                .unwrap_or_default(),
            window,
            today: today() + Days::new(generators.below(20) as u64),
            scope: if generators.one_in(2) { EVERYWHERE } else { plano_piloto(vocabulary) },
            view: if generators.one_in(2) { View::Basic } else { View::Full },
            limit: 1 + generators.below(50),
            after: None,
        }
    }

    fn some_areas(&self, generators: &mut Dice, vocabulary: &ArchivedVocabularyIndex) -> Nodes {
        if generators.one_in(2) {
            return (0..=generators.below(3))
                .map(|_| generators.below(vocabulary.areas.len()) as Node)
                .collect();
        }
        regions::resolve(vocabulary, generators.pick::<String>(&self.areas)).unwrap_or_default()
    }

    fn some_categories(&self, generators: &mut Dice, vocabulary: &ArchivedVocabularyIndex) -> Nodes {
        if generators.one_in(2) {
            return (0..=generators.below(3))
                .map(|_| generators.below(vocabulary.categories.len()) as Node)
                .collect();
        }
        categories::resolve(vocabulary, generators.pick::<String>(&self.categories)).unwrap_or_default()
    }
}

pub(crate) fn plano_piloto(vocabulary: &ArchivedVocabularyIndex) -> Node {
    vocabulary.area_with_slug("plano-piloto").unwrap()
}

/// The beginning of a word.
fn beginning(generators: &mut Dice, words: &[String]) -> String {
    let letters: Vec<char> = generators.pick(words).chars().collect();
    letters[..1 + generators.below(letters.len().max(2) - 1).min(letters.len() - 1)].iter().collect()
}

/// A word with one or two letters changed, swapped, dropped or doubled.
fn misspelt(generators: &mut Dice, words: &[String]) -> String {
    let mut letters: Vec<char> = generators.pick(words).chars().collect();
    for _ in 0..=generators.below(2) {
        let at = generators.below(letters.len());
        match generators.below(4) {
            0 => letters[at] = char::from(b'a' + generators.below(26) as u8),
            1 if letters.len() > 1 => drop(letters.remove(at)),
            2 if at + 1 < letters.len() => letters.swap(at, at + 1),
            _ => letters.insert(at, letters[at]),
        }
    }
    letters.into_iter().collect()
}
