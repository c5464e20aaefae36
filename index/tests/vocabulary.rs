//! Resolves every term of the demo's vocabulary as a `region` or `category`, in several spellings. Expected results are
//! derived from the snapshot itself, not from the index.
#![allow(clippy::unwrap_used, reason = "a test that panics has failed, as it should")]

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;
use index::search::search;
use index::vocabulary::regions::{RegionError, resolve};
use index::vocabulary::words::Words;
use index::{AreaId, CategoryId, Collection, Guide, Query, View, vocabulary::categories};
use snapshots::Snapshot;
use snapshots::vocabulary::Code;

fn demo() -> (Snapshot, Guide) {
    let today = NaiveDate::from_ymd_opt(2026, 11, 21).unwrap();
    let snapshot =
        snapshots::check(&snapshots::demo::files(), today).unwrap_or_else(|defects| panic!("{defects:?}"));
    let snapshot = snapshot.on(today, &snapshots::Hidden::default()).unwrap();
    let guide = Guide::build(&snapshot).unwrap();
    (snapshot, guide)
}

type Slugs = BTreeSet<String>;

fn set(slugs: &[&str]) -> Slugs {
    slugs.iter().map(|slug| (*slug).to_owned()).collect()
}

/// The slugs of the areas that a text resolves to.
fn region(guide: &Guide, text: &str) -> Result<Slugs, RegionError> {
    let slug = |id: AreaId| guide.vocabulary().area(id).slug.to_string();
    resolve(guide.vocabulary(), text).map(|ids| ids.into_iter().map(slug).collect())
}

/// The slugs of the categories that a text resolves to, with all they contain.
fn category(guide: &Guide, text: &str) -> Option<Slugs> {
    let vocabulary = guide.vocabulary();
    let ids = categories::named(vocabulary, text)?;
    let slug = |id: CategoryId| vocabulary.category(id).slug.to_string();
    Some(ids.into_iter().flat_map(|id| CategoryId::within(vocabulary.category_run(id))).map(slug).collect())
}

fn stripped(text: &str) -> String {
    text.chars().map(|letter| deunicode::deunicode_char(letter).unwrap_or(" ")).collect()
}

/// Spellings that mean the same: case, accents, hyphens for spaces, extra spaces.
fn spellings(text: &str) -> Vec<String> {
    vec![
        text.to_owned(),
        text.to_uppercase(),
        text.to_lowercase(),
        stripped(text),
        stripped(text).to_uppercase(),
        text.replace(' ', "-"),
        text.replace(' ', "  "),
        format!(" {text}\t"),
    ]
}

fn key(text: &str) -> String {
    Words::new(text).whole().to_owned()
}

/// The areas of the snapshot: which slugs each name means, and which area contains which.
struct Expected {
    /// The slug of each area by the name that records carry.
    neighbourhoods: BTreeMap<String, String>,
    regions: BTreeMap<String, String>,
    /// The slugs of all areas that contain a slug's area.
    above: BTreeMap<String, Slugs>,
    /// All texts that name areas, with the slug.
    texts: Vec<(String, String)>,
    /// The slugs of those texts, by their stems.
    by_key: BTreeMap<String, Slugs>,
}

impl Expected {
    fn of(snapshot: &Snapshot) -> Self {
        let mut areas = Self {
            neighbourhoods: BTreeMap::new(),
            regions: BTreeMap::new(),
            above: BTreeMap::new(),
            texts: Vec::new(),
            by_key: BTreeMap::new(),
        };
        let geography = &snapshot.vocabulary.geography;
        for zone in &geography.zones {
            assert!(areas.above.insert(zone.slug.clone(), Slugs::new()).is_none());
            for text in [&zone.slug, &zone.name, &zone.name_en].into_iter().chain(&zone.aliases) {
                areas.texts.push((text.clone(), zone.slug.clone()));
            }
        }
        for region in &geography.regions {
            let zone = geography.zones.iter().find(|zone| zone.name == region.zone).unwrap();
            assert!(areas.above.insert(region.slug.clone(), set(&[&zone.slug])).is_none(), "{}", region.slug);
            areas.regions.insert(region.name.clone(), region.slug.clone());
            for text in [&region.slug, &region.name].into_iter().chain(&region.aliases) {
                areas.texts.push((text.clone(), region.slug.clone()));
            }
            for one in &region.neighbourhoods {
                let mut above = set(&[&zone.slug, &region.slug]);
                let mut whole = one.part_of.as_ref();
                while let Some(name) = whole {
                    let part = region.neighbourhoods.iter().find(|part| part.name == *name).unwrap();
                    above.insert(part.slug.clone());
                    whole = part.part_of.as_ref();
                }
                assert!(areas.above.insert(one.slug.clone(), above).is_none(), "{}", one.slug);
                areas.neighbourhoods.insert(one.name.clone(), one.slug.clone());
                for text in [&one.slug, &one.name].into_iter().chain(&one.aliases) {
                    areas.texts.push((text.clone(), one.slug.clone()));
                }
            }
        }
        for (text, slug) in &areas.texts {
            areas.by_key.entry(key(text)).or_default().insert(slug.clone());
        }
        areas
    }

    /// The areas that a text names, the most specific ones only.
    fn named(&self, text: &str) -> Slugs {
        let all = self.by_key.get(&key(text)).cloned().unwrap_or_default();
        all.iter()
            .filter(|slug| !all.iter().any(|other| self.above[other].contains(*slug)))
            .cloned()
            .collect()
    }

    fn slug(&self, name: &str) -> String {
        self.neighbourhoods.get(name).or_else(|| self.regions.get(name)).unwrap().clone()
    }

    /// The areas a code lies in; `None` when it must not decide.
    fn code(&self, code: &Code) -> Option<Slugs> {
        if code.ambiguous || (code.region.is_none() && code.neighbourhoods.is_empty()) {
            return None;
        }
        if code.neighbourhoods.is_empty() {
            return Some(code.region.iter().map(|name| self.regions[name].clone()).collect());
        }
        Some(code.neighbourhoods.iter().map(|name| self.slug(name)).collect())
    }

    fn inside(&self, inner: &Slugs, outer: &Slugs) -> bool {
        inner
            .iter()
            .all(|slug| outer.contains(slug) || self.above[slug].iter().any(|above| outer.contains(above)))
    }
}

/// Collects failures, to report all at once.
#[derive(Default)]
struct Failures(Vec<String>);

impl Failures {
    fn check(&mut self, holds: bool, what: impl FnOnce() -> String) {
        if !holds {
            self.0.push(what());
        }
    }

    fn none(self) {
        assert!(self.0.is_empty(), "{} failures:\n{}", self.0.len(), self.0.join("\n"));
    }
}

#[test]
fn every_name_and_alias_of_an_area_means_that_area_in_any_spelling() {
    let (snapshot, guide) = demo();
    let areas = Expected::of(&snapshot);
    let mut failures = Failures::default();
    for (text, slug) in &areas.texts {
        let expected = areas.named(text);
        let kept = expected.contains(slug) || expected.iter().any(|inner| areas.above[inner].contains(slug));
        failures.check(kept, || format!("{text} lost {slug}: {expected:?}"));
        for spelling in spellings(text) {
            let found = region(&guide, &spelling);
            failures.check(found.as_ref() == Ok(&expected), || {
                format!("{spelling}: {found:?}, not {expected:?}")
            });
        }
    }
    failures.none();
}

#[test]
fn every_slug_of_an_area_means_that_area_or_a_part_with_the_same_name() {
    let (snapshot, guide) = demo();
    let areas = Expected::of(&snapshot);
    let mut failures = Failures::default();
    for slug in areas.above.keys() {
        let found = region(&guide, slug);
        let fits = found.as_ref().is_ok_and(|found| found.len() == 1 && areas.inside(found, &set(&[slug])));
        failures.check(fits, || format!("{slug}: {found:?}"));
    }
    failures.none();
}

#[test]
fn a_code_means_its_areas_and_an_ambiguous_one_returns_its_readings() {
    let (snapshot, guide) = demo();
    let areas = Expected::of(&snapshot);
    let mut failures = Failures::default();
    for code in &snapshot.vocabulary.addresses.codes {
        for text in code.variants.iter().chain([&code.code]) {
            let named = areas.named(text);
            for spelling in spellings(text) {
                let found = region(&guide, &spelling);
                let fits = match (areas.code(code), &found) {
                    // a name or an alias takes precedence over a code
                    (_, Ok(found)) if !named.is_empty() => *found == named,
                    (Some(expected), Ok(found)) => *found == expected,
                    (None, Err(RegionError::Ambiguous { readings })) => {
                        readings.iter().collect::<BTreeSet<_>>()
                            == code.readings.iter().chain(&code.neighbourhoods).collect()
                    }
                    _ => false,
                };
                failures.check(fits, || format!("{spelling}: {found:?}, not {code:?}"));
            }
        }
    }
    failures.none();
}

#[test]
fn a_code_with_a_number_means_an_area_of_the_code_in_any_spelling() {
    let (snapshot, guide) = demo();
    let areas = Expected::of(&snapshot);
    let mut failures = Failures::default();
    for code in &snapshot.vocabulary.addresses.codes {
        let Some(expected) = areas.code(code) else { continue };
        for text in code.variants.iter().chain([&code.code]) {
            let dotted: String = text.chars().flat_map(|letter| [letter, '.']).collect();
            for number in ["9", "33", "408"] {
                let mut ways = vec![
                    format!("{text} {number}"),
                    format!("{text}-{number}"),
                    format!("{text}{number}"),
                    format!("{} {number} bloco B loja 12", text.to_lowercase()),
                ];
                if text.chars().all(|letter| letter.is_ascii_alphabetic()) {
                    ways.push(format!("{dotted} {number}"));
                }
                for way in ways {
                    let found = region(&guide, &way);
                    let named = areas.named(text);
                    let fits = found.as_ref().is_ok_and(|found| {
                        !found.is_empty() && (areas.inside(found, &expected) || areas.inside(found, &named))
                    });
                    failures.check(fits, || format!("{way}: {found:?}, not in {expected:?}"));
                }
            }
        }
    }
    failures.none();
}

#[test]
fn every_written_form_means_its_area() {
    let (snapshot, guide) = demo();
    let areas = Expected::of(&snapshot);
    let mut failures = Failures::default();
    for written in &snapshot.vocabulary.addresses.written {
        let named = areas.named(&written.text);
        let expected = match &written.neighbourhood {
            _ if !named.is_empty() => named,
            Some(name) => set(&[&areas.neighbourhoods[name]]),
            None => set(&[&areas.regions[&written.region]]),
        };
        for spelling in spellings(&written.text) {
            let found = region(&guide, &spelling);
            failures.check(found.as_ref() == Ok(&expected), || {
                format!("{spelling}: {found:?}, not {expected:?}")
            });
        }
    }
    failures.none();
}

#[test]
fn a_quadra_and_the_word_of_a_wing_mean_the_wing() {
    let (snapshot, guide) = demo();
    let areas = Expected::of(&snapshot);
    for wing in &snapshot.vocabulary.addresses.wings {
        let expected = set(&[&areas.neighbourhoods[&wing.neighbourhood]]);
        for word in &wing.words {
            for number in [102, 216, 408, 513, 716, 907] {
                for way in [format!("{number} {word}"), format!("{number}-{word}"), format!("{number}{word}")]
                {
                    assert_eq!(region(&guide, &way), Ok(expected.clone()), "{way}");
                }
            }
        }
    }
}

#[test]
fn a_slug_outranks_a_label_and_a_label_outranks_a_synonym_in_any_spelling() {
    let (snapshot, guide) = demo();
    let taxonomy = &snapshot.vocabulary.taxonomy;
    // slugs, labels, synonyms: the first list that has a term decides
    let mut ranks: [BTreeMap<String, Slugs>; 3] = Default::default();
    let mut texts: Vec<String> = Vec::new();
    let mut note = |rank: usize, text: &String, slug: &String| {
        ranks[rank].entry(key(text)).or_default().insert(slug.clone());
        texts.push(text.clone());
    };
    for one in &taxonomy.categories {
        note(0, &one.slug, &one.slug);
        let labels = [Some(&one.pt), Some(&one.en), one.es.as_ref()];
        labels.into_iter().flatten().for_each(|text| note(1, text, &one.slug));
        let synonyms = one.synonyms_pt.iter().chain(&one.synonyms_en).chain(&one.synonyms_es);
        synonyms.chain(&one.misspellings).for_each(|text| note(2, text, &one.slug));
    }
    for shared in &taxonomy.shared_terms {
        shared.slugs.iter().for_each(|slug| note(2, &shared.term, slug));
    }
    let meant =
        |text: &str| ranks.iter().find_map(|terms| terms.get(&key(text))).cloned().unwrap_or_default();
    let mut failures = Failures::default();
    for text in &texts {
        let mut expected = meant(text);
        loop {
            let children = taxonomy
                .categories
                .iter()
                .filter(|one| one.parent.as_ref().is_some_and(|up| expected.contains(up)));
            let more: Slugs =
                children.map(|one| one.slug.clone()).filter(|slug| !expected.contains(slug)).collect();
            if more.is_empty() {
                break;
            }
            expected.extend(more);
        }
        let mut ways = spellings(text);
        // regular plurals, in both languages
        let regular = stripped(text).ends_with(['a', 'o', 'e', 'k', 't', 'p'])
            && !text.ends_with("ão")
            && !text.ends_with("ae");
        if text.len() > 3 && regular && !text.contains([' ', '-']) {
            ways.push(format!("{text}s"));
        }
        for way in ways {
            let found = category(&guide, &way);
            failures
                .check(found.as_ref() == Some(&expected), || format!("{way}: {found:?}, not {expected:?}"));
        }
    }
    failures.none();
}

#[test]
fn the_examples_of_the_api_contract_resolve() {
    let (_, guide) = demo();
    for (text, slug) in [
        ("jazz", "jazz"),
        ("samba", "samba"),
        ("stand-up", "stand-up"),
        ("teatro", "teatro"),
        ("café", "cafe"),
        ("padaria", "padaria"),
        ("boteco", "boteco"),
        ("japonês", "japones"),
        ("vegan", "vegano"),
        ("feira", "feira"),
        ("kids", "infantil"),
        ("outdoor", "ao-ar-livre"),
    ] {
        let found = category(&guide, text);
        assert!(found.as_ref().is_some_and(|found| found.contains(slug)), "{text}: {found:?}");
    }
    for (text, slugs) in [
        ("Asa Norte", &["asa-norte"] as &[&str]),
        ("Noroeste", &["noroeste"]),
        ("Plano Piloto", &["plano-piloto"]),
        ("Águas Claras", &["aguas-claras"]),
        ("Taguatinga", &["taguatinga"]),
        ("Lago Sul", &["lago-sul"]),
        ("SQN", &["asa-norte"]),
        ("SCLN", &["asa-norte"]),
        ("SHIS", &["lago-sul"]),
        ("Centro", &["centro"]),
        ("Lagos", &["lagos"]),
        ("Oeste", &["oeste"]),
        ("Norte", &["norte"]),
        ("Sul", &["sul"]),
        ("Leste", &["leste"]),
        ("408 norte", &["asa-norte"]),
        ("SCLN408", &["asa-norte"]),
        ("S.C.L.N. 408", &["asa-norte"]),
        ("CLN-408", &["asa-norte"]),
        ("QI 11 Lago Sul", &["qi-11"]),
        ("QI 11 Lago Norte", &["lago-norte"]),
        ("Lago Norte QI 11", &["lago-norte"]),
        ("QR 301 Samambaia", &["samambaia"]),
        ("SQS 308 bloco A", &["asa-sul"]),
        ("SHIN QI 11", &["lago-norte"]),
        ("CLS 405, bloco C, loja 12, Asa Sul", &["asa-sul"]),
        ("na Asa Norte", &["asa-norte"]),
        ("Brasília", &["plano-piloto"]),
        ("DF", &["df"]),
    ] {
        assert_eq!(region(&guide, text), Ok(set(slugs)), "{text}");
    }
}

#[test]
fn ambiguous_and_unknown_texts_return_suggestions() {
    let (_, guide) = demo();
    for text in ["QI 23", "QI", "QS 5", "QR 301", "AE 4", "EPTG"] {
        assert!(
            matches!(region(&guide, text), Err(RegionError::Ambiguous { .. })),
            "{text}: {:?}",
            region(&guide, text)
        );
    }
    let Err(RegionError::Ambiguous { readings }) = region(&guide, "qi 23") else { panic!("not ambiguous") };
    assert_eq!(readings, ["Lago Sul", "Lago Norte", "Guará", "Taguatinga", "Ceilândia", "Gama"]);
    for (text, first) in [
        ("Asa Nrote", "Asa Norte"),
        // what begins so is meant, however much longer it is
        ("Asa", "Asa Sul"),
        ("W3", "W3 Sul"),
        ("asa sull", "Asa Sul"),
        ("Taguatnga", "Taguatinga"),
        ("Agua Clara", "Águas Claras"),
        ("Ceilandya", "Ceilândia"),
        ("sudoest", "Sudoeste"),
        ("lago sl", "Lago Sul"),
    ] {
        match region(&guide, text) {
            Err(RegionError::Unknown { nearest }) => {
                assert!(nearest.len() <= 3, "{text}: {nearest:?}");
                assert_eq!(nearest[0], first, "{text}: {nearest:?}");
            }
            Ok(found) => assert_eq!((text, found), ("Agua Clara", set(&["aguas-claras"]))),
            other => panic!("{text}: {other:?}"),
        }
    }
    // what is like no name is answered with none
    for text in ["xyzzy", "Copacabana", "?!", "jazz", "日本", "408", "foo", "bloco A"] {
        let found = region(&guide, text);
        assert!(
            matches!(&found, Err(RegionError::Unknown { nearest }) if nearest.is_empty()),
            "{text}: {found:?}"
        );
    }
    for text in ["bares na Asa Norte", "asa norte xyzzy"] {
        let found = region(&guide, text);
        assert!(
            matches!(&found, Err(RegionError::Unknown { nearest }) if nearest[0] == "Asa Norte"),
            "{text}: {found:?}"
        );
    }
    for (text, first) in
        [("jazz clube", "jazz"), ("jaz", "jazz"), ("padarria", "padaria"), ("teatroo", "teatro")]
    {
        match categories::resolve(guide.vocabulary(), text) {
            Err(unknown) => {
                assert!(unknown.nearest.len() <= 3, "{text}: {unknown:?}");
                assert_eq!(unknown.nearest[0], first, "{text}: {unknown:?}");
            }
            Ok(_) => assert!(category(&guide, text).unwrap().contains(first), "{text}"),
        }
    }
    for text in ["xyzzy", "?!", "foo"] {
        let found = categories::resolve(guide.vocabulary(), text);
        assert!(found.as_ref().is_err_and(|unknown| unknown.nearest.is_empty()), "{text}: {found:?}");
    }
}

#[test]
fn contradicting_areas_do_not_resolve() {
    let (_, guide) = demo();
    for text in ["Asa Norte Asa Sul", "SQN 408 Taguatinga", "Guará Lago Sul", "408 norte asa sul"] {
        assert!(
            matches!(region(&guide, text), Err(RegionError::Unknown { .. })),
            "{text}: {:?}",
            region(&guide, text)
        );
    }
}

/// How many records a free text finds in the month from 21 November 2026 on.
fn found(guide: &Guide, collection: &Collection, text: &str) -> u32 {
    let (today, words) = (NaiveDate::from_ymd_opt(2026, 11, 21).unwrap(), Words::new(text));
    let window = Some(index::Window { from: today, to: NaiveDate::from_ymd_opt(2026, 12, 21).unwrap() });
    search(guide.vocabulary(), collection, &Query { window, ..Query::of(&words, today, View::Full, 5) }).total
}

#[test]
fn a_component_of_an_address_does_not_put_its_record_into_a_category() {
    let (snapshot, guide) = demo();
    let in_blocks = |text: &Option<String>| text.as_ref().is_some_and(|text| text.contains("Bloco"));
    assert!(snapshot.places.iter().any(|place| in_blocks(&place.address)));
    assert_eq!(found(&guide, &guide.places, "carnaval"), 0);
    // the word itself is still found
    assert!(found(&guide, &guide.places, "bloco") > 10);
    for place in ["CLN 408", "408 norte", "SCLS 405"] {
        let all = found(&guide, &guide.places, place);
        assert_eq!(found(&guide, &guide.places, &format!("{place} bloco C")), all, "{place}");
    }
}

#[test]
fn shows_means_music_of_any_kind() {
    let (_, guide) = demo();
    let music = found(&guide, &guide.events, "música");
    assert!(music > 0);
    for text in ["shows", "concerts", "Quais shows acontecem?", "where can I go to watch a show", "any gigs"]
    {
        assert_eq!(found(&guide, &guide.events, text), music, "{text}");
    }
    // a filter stays strict, and another category narrows the text
    assert_eq!(category(&guide, "shows"), Some(set(&["show"])));
    let rock = found(&guide, &guide.events, "rock");
    assert!(rock < music);
    assert_eq!(found(&guide, &guide.events, "show de rock"), rock);
}
