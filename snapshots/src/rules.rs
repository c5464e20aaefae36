//! What a snapshot's values must mean: names that are known, days in order, texts that are clean.
//!
//! The rules look at typed values, so that the same ones hold for a folder ([`crate::check()`]) and for a packed
//! file ([`crate::unpack`]). They run once per record over millions of records: a clean record allocates nothing.
//! May use [`crate::text`], the typed records and the report.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, Datelike, NaiveDate};

use crate::Snapshot;
use crate::defect::{Defects, Report};
use crate::file::File;
use crate::parse::MAX_MENTIONS;
use crate::record::{Event, Links, Place};
use crate::text::{
    self, MAX_DESCRIPTION, MAX_LINE, MAX_NAME, MAX_PHRASE, check_handle, check_link, check_slug, folded,
    nearest, quoted, suggestion,
};
use crate::vocabulary::{Addresses, Geography, Kind, Region, Taxonomy, Vocabulary};

/// Longest run of one event: three years. A longer one is a place, or a typing error in a year.
pub(crate) const MAX_RUN_DAYS: i64 = 1_100;
/// Most aliases of one record.
const MAX_ALIASES: usize = 30;
/// Most further categories of one record.
const MAX_ALSO: usize = 10;
/// The years a date may lie in.
const YEARS: std::ops::RangeInclusive<i32> = 2000..=2100;

/// The known names, for looking up what records say.
pub(crate) struct Lexicon<'v> {
    regions: HashSet<&'v str>,
    /// Name of a neighbourhood to the name of its region.
    neighbourhoods: HashMap<&'v str, &'v str>,
    categories: HashMap<&'v str, Kind>,
    vocabulary: &'v Vocabulary,
    /// Which of `regions.json` and `categories.json` could be read.
    read: Read,
}

/// Which of the files that give names could be read.
#[derive(Clone, Copy)]
pub(crate) struct Read {
    /// `regions.json`.
    pub(crate) areas: bool,
    /// `categories.json`.
    pub(crate) categories: bool,
}

impl<'v> Lexicon<'v> {
    pub(crate) fn new(vocabulary: &'v Vocabulary, read: Read) -> Self {
        let regions = &vocabulary.geography.regions;
        Self {
            regions: regions.iter().map(|region| region.name.as_str()).collect(),
            neighbourhoods: regions
                .iter()
                .flat_map(|region| region.neighbourhoods.iter().map(|part| (&*part.name, &*region.name)))
                .collect(),
            categories: vocabulary.taxonomy.categories.iter().map(|c| (c.slug.as_str(), c.kind)).collect(),
            vocabulary,
            read,
        }
    }

    /// Whether names of areas can be judged: without a list of them no record is to blame.
    fn knows_areas(&self) -> bool {
        self.read.areas && !self.regions.is_empty()
    }

    /// Whether slugs of categories can be judged.
    fn knows_categories(&self) -> bool {
        self.read.categories && !self.categories.is_empty()
    }

    fn region_spellings(&self) -> impl Iterator<Item = (&str, &str)> {
        let regions = self.vocabulary.geography.regions.iter();
        regions.flat_map(|region| spellings(&region.name, &region.aliases))
    }

    fn neighbourhood_spellings<'s>(&'s self, region: &'s str) -> impl Iterator<Item = (&'s str, &'s str)> {
        let regions = self.vocabulary.geography.regions.iter().filter(move |r| r.name == region);
        regions.flat_map(|r| &r.neighbourhoods).flat_map(|part| spellings(&part.name, &part.aliases))
    }

    fn all_neighbourhood_spellings(&self) -> impl Iterator<Item = (&str, &str)> {
        let regions = self.vocabulary.geography.regions.iter();
        regions.flat_map(|r| &r.neighbourhoods).flat_map(|part| spellings(&part.name, &part.aliases))
    }

    fn category_spellings(&self, for_kind: Option<Kind>) -> impl Iterator<Item = (&str, &str)> {
        let fits = move |kind: Kind| for_kind.is_none_or(|wanted| kind == Kind::Both || kind == wanted);
        self.vocabulary.taxonomy.categories.iter().filter(move |c| fits(c.kind)).flat_map(|c| {
            let labels = [&c.slug, &c.pt, &c.en].into_iter();
            let words = labels.chain(&c.synonyms_pt).chain(&c.synonyms_en).chain(&c.misspellings);
            words.map(|word| (word.as_str(), c.slug.as_str()))
        })
    }

    fn check_region(&self, report: &mut Report, field: &str, region: &str) -> bool {
        if !self.knows_areas() {
            return false;
        }
        let known = self.regions.contains(region);
        if !known {
            report.say(field, || {
                let what = format!("{} is not a known region", quoted(region));
                if let Some(whole) = self.neighbourhoods.get(region) {
                    let fix = format!("write it as neighbourhood, with region {}", quoted(whole));
                    return (what, fix);
                }
                let near = nearest(region, self.region_spellings());
                (what, suggestion(near, "use the name of a region in regions.json, or add it there"))
            });
        }
        known
    }

    /// Checks a neighbourhood; with a region, also that it lies there.
    fn check_neighbourhood(
        &self,
        report: &mut Report,
        field: impl std::fmt::Display,
        name: &str,
        region: Option<&str>,
    ) {
        if !self.knows_areas() {
            return;
        }
        match (self.neighbourhoods.get(name), region) {
            (Some(whole), Some(region)) if *whole != region => report.say(field, || {
                let what = format!("{} is not in {} but in {}", quoted(name), quoted(region), quoted(whole));
                (what, format!("correct the one or the other: region {} would fit", quoted(whole)))
            }),
            (Some(_), _) => {}
            (None, _) => report.say(field, || {
                let what = format!("{} is not a known neighbourhood", quoted(name));
                // A misspelt name most likely means one of the record's own region.
                let near = region
                    .and_then(|region| nearest(name, self.neighbourhood_spellings(region)))
                    .or_else(|| nearest(name, self.all_neighbourhood_spellings()));
                (what, suggestion(near, "use the name of a neighbourhood in regions.json, or add it there"))
            }),
        }
    }

    /// Checks a name that may be a region's or a neighbourhood's.
    fn check_area(&self, report: &mut Report, field: impl std::fmt::Display, name: &str) {
        if self.knows_areas() && !self.regions.contains(name) && !self.neighbourhoods.contains_key(name) {
            report.say(field, || {
                let what = format!("{} is neither a known region nor a known neighbourhood", quoted(name));
                let near = nearest(name, self.region_spellings().chain(self.all_neighbourhood_spellings()));
                (what, suggestion(near, "use a name of regions.json"))
            });
        }
    }

    fn check_category(&self, report: &mut Report, field: impl std::fmt::Display, slug: &str, wanted: Kind) {
        if !self.knows_categories() {
            return;
        }
        let (wanted_word, other_word) = match wanted {
            Kind::Event => ("events", "places"),
            Kind::Place | Kind::Both => ("places", "events"),
        };
        match self.categories.get(slug) {
            Some(kind) if *kind == Kind::Both || *kind == wanted => {}
            Some(_) => report.say(field, || {
                let what = format!("{} is a category for {other_word} only", quoted(slug));
                (what, format!("use one for {wanted_word}, or change its kind in categories.json"))
            }),
            None => report.say(field, || {
                let near = nearest(slug, self.category_spellings(Some(wanted)));
                let otherwise = "use a slug of categories.json, or add it there";
                (format!("{} is not a known category", quoted(slug)), suggestion(near, otherwise))
            }),
        }
    }
}

fn spellings<'a>(name: &'a str, aliases: &'a [String]) -> impl Iterator<Item = (&'a str, &'a str)> {
    std::iter::once(name).chain(aliases.iter().map(String::as_str)).map(move |spelling| (spelling, name))
}

/// Checks what `guide.json` says.
pub(crate) fn guide(report: &mut Report, name: &str, curated_at: &str) {
    report.at_file(File::Guide);
    text::check(report, "name", name, MAX_NAME);
    if DateTime::parse_from_rfc3339(curated_at).is_err() {
        report.say("curated_at", || {
            let what = format!("{} is not a moment", quoted(curated_at));
            (what, "write it as 2026-11-21T12:00:00-03:00".into())
        });
    }
}

/// Checks one place.
pub(crate) fn place(report: &mut Report, lexicon: &Lexicon<'_>, place: &Place) {
    report.at(File::Places, &place.id);
    check_slug(report, "id", &place.id);
    text::check(report, "name", &place.name, MAX_NAME);
    area(report, lexicon, &place.region, place.neighbourhood.as_deref());
    categories(report, lexicon, (&place.category, &place.also), Kind::Place);
    maybe(report, "style", &place.style, MAX_PHRASE);
    maybe(report, "price", &place.price, MAX_PHRASE);
    maybe(report, "address", &place.address, MAX_LINE);
    if let Some(handle) = &place.instagram {
        check_handle(report, "instagram", handle);
    }
    if place.mentions > MAX_MENTIONS {
        report.say("mentions", || (format!("is {}", place.mentions), format!("use at most {MAX_MENTIONS}")));
    }
    if let Some(description) = &place.description {
        text::check(report, "description.pt", &description.pt, MAX_DESCRIPTION);
        text::check(report, "description.en", &description.en, MAX_DESCRIPTION);
    }
    links(report, &place.links);
    aliases(report, &place.aliases);
}

/// Checks one event.
pub(crate) fn event(report: &mut Report, lexicon: &Lexicon<'_>, event: &Event) {
    report.at(File::Events, &event.id);
    check_slug(report, "id", &event.id);
    text::check(report, "name", &event.name, MAX_NAME);
    run(report, event.date, event.end_date);
    area(report, lexicon, &event.region, event.neighbourhood.as_deref());
    categories(report, lexicon, (&event.category, &event.also), Kind::Event);
    maybe(report, "venue", &event.venue, MAX_PHRASE);
    maybe(report, "price", &event.price, MAX_PHRASE);
    maybe(report, "lineup", &event.lineup, MAX_LINE);
    maybe(report, "address", &event.address, MAX_LINE);
    maybe(report, "tickets", &event.tickets, MAX_LINE);
    if let Some(handle) = &event.instagram {
        check_handle(report, "instagram", handle);
    }
    links(report, &event.links);
    aliases(report, &event.aliases);
}

fn maybe(report: &mut Report, field: &str, value: &Option<String>, max: usize) {
    if let Some(value) = value {
        text::check(report, field, value, max);
    }
}

fn area(report: &mut Report, lexicon: &Lexicon<'_>, region: &str, neighbourhood: Option<&str>) {
    let known = lexicon.check_region(report, "region", region);
    if let Some(name) = neighbourhood {
        lexicon.check_neighbourhood(report, "neighbourhood", name, known.then_some(region));
    }
}

fn categories(report: &mut Report, lexicon: &Lexicon<'_>, (main, also): (&str, &[String]), wanted: Kind) {
    lexicon.check_category(report, "category", main, wanted);
    at_most(report, "also", also.len(), MAX_ALSO);
    for (position, slug) in also.iter().take(MAX_ALSO).enumerate() {
        lexicon.check_category(report, format_args!("also[{position}]"), slug, wanted);
        if slug == main || also[..position].contains(slug) {
            report.say(format_args!("also[{position}]"), || {
                (format!("{} is said twice", quoted(slug)), "name each category once".into())
            });
        }
    }
}

fn links(report: &mut Report, links: &Links) {
    let all = [
        ("links.google_maps", &links.google_maps),
        ("links.website", &links.website),
        ("links.instagram", &links.instagram),
        ("links.tickets", &links.tickets),
    ];
    for (field, link) in all {
        if let Some(link) = link {
            check_link(report, field, link);
        }
    }
}

fn aliases(report: &mut Report, aliases: &[String]) {
    at_most(report, "aliases", aliases.len(), MAX_ALIASES);
    words(report, "aliases", &aliases[..aliases.len().min(MAX_ALIASES)]);
}

fn at_most(report: &mut Report, field: &str, count: usize, most: usize) {
    if count > most {
        report.say(field, || (format!("holds {count} entries"), format!("keep the {most} that matter most")));
    }
}

/// Checks a list of names or words: each clean, none twice.
fn words(report: &mut Report, field: &str, words: &[String]) {
    let mut seen = HashSet::new();
    for (position, word) in words.iter().enumerate() {
        text::check(report, format_args!("{field}[{position}]"), word, MAX_NAME);
        if !seen.insert(word.as_str()) {
            report.say(format_args!("{field}[{position}]"), || {
                (format!("{} is said twice", quoted(word)), "remove the second one".into())
            });
        }
    }
}

fn run(report: &mut Report, date: NaiveDate, end_date: Option<NaiveDate>) {
    let fits = |day: NaiveDate| YEARS.contains(&day.year());
    let said = |day: NaiveDate| {
        let fix = format!("use a year from {} to {}", YEARS.start(), YEARS.end());
        (format!("{day} is out of range"), fix)
    };
    if !fits(date) {
        report.say("date", || said(date));
    }
    let Some(end) = end_date else { return };
    if !fits(end) {
        return report.say("end_date", || said(end));
    }
    // Beside a date that is wrong itself nothing can be said about the end.
    if !fits(date) {
        return;
    }
    if end < date {
        report.say("end_date", || {
            (
                format!("{end} is before the date, {date}"),
                "swap them, or correct the one that is wrong".into(),
            )
        });
    } else if (end - date).num_days() > MAX_RUN_DAYS {
        report.say("end_date", || {
            let what = format!("the event would run for {} days", (end - date).num_days());
            (what, format!("correct the year; {MAX_RUN_DAYS} days is the most"))
        });
    }
}

/// Checks the words of a snapshot.
pub(crate) fn vocabulary(report: &mut Report, lexicon: &Lexicon<'_>) {
    let Vocabulary { geography: areas, taxonomy: words, .. } = lexicon.vocabulary;
    if lexicon.read.areas && areas.regions.is_empty() {
        report.at_file(File::Regions);
        report.say("regions", || ("holds no region".into(), "add the regions that records name".into()));
    }
    if lexicon.read.categories && words.categories.is_empty() {
        report.at_file(File::Categories);
        report.say("categories", || ("holds no category".into(), "add those that records name".into()));
    }
    geography(report, areas);
    addresses(report, lexicon, &lexicon.vocabulary.addresses);
    taxonomy(report, lexicon, words);
}

/// Tells a value that an earlier entry has too. Compared as people read it: without accents and case.
fn once<'v>(
    report: &mut Report,
    seen: &mut HashMap<String, &'v str>,
    field: &str,
    value: &'v str,
    owner: &'v str,
) {
    if value.is_empty() {
        return;
    }
    if let Some(first) = seen.insert(folded(value), owner) {
        report.say(field, || {
            let what = format!("{} is also the {field} of {}", quoted(value), quoted(first));
            (what, "give each its own".into())
        });
    }
}

fn geography(report: &mut Report, geography: &Geography) {
    report.at_file(File::Regions);
    words(report, "everywhere", &geography.everywhere);
    let (mut slugs, mut names) = (HashMap::new(), HashMap::new());
    for zone in &geography.zones {
        report.at(File::Regions, &zone.slug);
        check_slug(report, "slug", &zone.slug);
        text::check(report, "name", &zone.name, MAX_NAME);
        text::check(report, "name_en", &zone.name_en, MAX_NAME);
        words(report, "aliases", &zone.aliases);
        once(report, &mut slugs, "slug", &zone.slug, &zone.name);
        once(report, &mut names, "name", &zone.name, &zone.slug);
    }
    // A name stands for one area alone, be it a region or a neighbourhood: `readings` may hold either.
    let (mut slugs, mut part_slugs, mut names) = (HashMap::new(), HashMap::new(), HashMap::new());
    for region in &geography.regions {
        report.at(File::Regions, &region.slug);
        check_slug(report, "slug", &region.slug);
        text::check(report, "name", &region.name, MAX_NAME);
        words(report, "aliases", &region.aliases);
        once(report, &mut slugs, "slug", &region.slug, &region.name);
        once(report, &mut names, "name", &region.name, &region.slug);
        if !geography.zones.iter().any(|zone| zone.name == region.zone) {
            report.say("zone", || {
                let near = nearest(
                    &region.zone,
                    geography.zones.iter().flat_map(|z| spellings(&z.name, &z.aliases)),
                );
                let what = format!("{} is not a known zone", quoted(&region.zone));
                (what, suggestion(near, "use the name of a zone in regions.json"))
            });
        }
        for part in &region.neighbourhoods {
            report.at(File::Regions, &part.slug);
            check_slug(report, "slug", &part.slug);
            text::check(report, "name", &part.name, MAX_NAME);
            words(report, "aliases", &part.aliases);
            once(report, &mut part_slugs, "slug", &part.slug, &part.name);
            once(report, &mut names, "name", &part.name, &part.slug);
        }
        containment(report, region);
    }
}

/// Checks `part_of` among the neighbourhoods of a region: known there, and a tree.
fn containment(report: &mut Report, region: &Region) {
    let wholes: HashMap<&str, Option<&str>> =
        region.neighbourhoods.iter().map(|part| (&*part.name, part.part_of.as_deref())).collect();
    for part in &region.neighbourhoods {
        let Some(whole) = part.part_of.as_deref() else { continue };
        report.at(File::Regions, &part.slug);
        if !wholes.contains_key(whole) {
            report.say("part_of", || {
                let names =
                    region.neighbourhoods.iter().flat_map(|other| spellings(&other.name, &other.aliases));
                let what = format!("{} is not a neighbourhood of {}", quoted(whole), quoted(&region.name));
                (what, suggestion(nearest(whole, names), "name a neighbourhood of the same region"))
            });
        } else if returns(&part.name, |name| wholes.get(name).copied().flatten()) {
            cyclic(report, "part_of", &part.name);
        }
    }
}

/// Whether going up from `start` comes back to it.
fn returns<'v>(start: &'v str, up: impl Fn(&str) -> Option<&'v str>) -> bool {
    let mut passed = HashSet::new();
    let mut at = up(start);
    while let Some(name) = at {
        if name == start {
            return true;
        }
        // A circle further up is told at those that are in it.
        if !passed.insert(name) {
            return false;
        }
        at = up(name);
    }
    false
}

fn cyclic(report: &mut Report, field: &str, name: &str) {
    report.say(field, || {
        let what = format!("{} would contain itself", quoted(name));
        (what, "take one step out of the circle".into())
    });
}

fn addresses(report: &mut Report, lexicon: &Lexicon<'_>, addresses: &Addresses) {
    let mut seen = HashMap::new();
    for code in &addresses.codes {
        report.at(File::AddressCodes, &code.code);
        text::check(report, "code", &code.code, MAX_NAME);
        if code.code.chars().any(char::is_lowercase) {
            report.say("code", || {
                (format!("{} is not in capitals", quoted(&code.code)), "capitalise it".into())
            });
        }
        once(report, &mut seen, "code", &code.code, &code.code);
        words(report, "variants", &code.variants);
        // An ambiguous code may lie in several regions, and must decide none.
        let region = code.region.as_deref().filter(|region| lexicon.check_region(report, "region", region));
        if code.ambiguous && code.region.is_some() {
            report.say("region", || {
                let fix = "leave region out and list what it may mean in readings, or drop ambiguous";
                ("an ambiguous code names a region".into(), fix.into())
            });
        }
        for (position, name) in code.neighbourhoods.iter().enumerate() {
            let field = format_args!("neighbourhoods[{position}]");
            lexicon.check_neighbourhood(report, field, name, region.filter(|_| !code.ambiguous));
        }
        if !code.ambiguous && code.region.is_none() && !code.neighbourhoods.is_empty() {
            report.say("region", || {
                (
                    "is missing beside neighbourhoods".into(),
                    "add the region they lie in, or mark it ambiguous".into(),
                )
            });
        }
        for (position, name) in code.readings.iter().enumerate() {
            lexicon.check_area(report, format_args!("readings[{position}]"), name);
        }
    }
    for wing in &addresses.wings {
        report.at(File::AddressCodes, &wing.neighbourhood);
        lexicon.check_neighbourhood(report, "neighbourhood", &wing.neighbourhood, None);
        words(report, "words", &wing.words);
        if wing.words.is_empty() {
            report.say("words", || ("holds no word".into(), "add the words that name this wing".into()));
        }
    }
    let mut seen = HashMap::new();
    for written in &addresses.written {
        report.at(File::AddressCodes, &written.text);
        text::check(report, "text", &written.text, MAX_NAME);
        once(report, &mut seen, "text", &written.text, &written.text);
        area(report, lexicon, &written.region, written.neighbourhood.as_deref());
    }
    report.at_file(File::AddressCodes);
    words(report, "components", &addresses.components);
}

fn taxonomy(report: &mut Report, lexicon: &Lexicon<'_>, taxonomy: &Taxonomy) {
    let (mut slugs, mut pt, mut en) = (HashMap::new(), HashMap::new(), HashMap::new());
    let parents: HashMap<&str, Option<&str>> =
        taxonomy.categories.iter().map(|c| (&*c.slug, c.parent.as_deref())).collect();
    let unknown = |slug: &str| {
        let what = format!("{} is not a known category", quoted(slug));
        (what, suggestion(nearest(slug, lexicon.category_spellings(None)), "use a slug of categories.json"))
    };
    for category in &taxonomy.categories {
        report.at(File::Categories, &category.slug);
        check_slug(report, "slug", &category.slug);
        text::check(report, "pt", &category.pt, MAX_NAME);
        text::check(report, "en", &category.en, MAX_NAME);
        once(report, &mut slugs, "slug", &category.slug, &category.pt);
        once(report, &mut pt, "pt", &category.pt, &category.slug);
        once(report, &mut en, "en", &category.en, &category.slug);
        words(report, "synonyms_pt", &category.synonyms_pt);
        words(report, "synonyms_en", &category.synonyms_en);
        words(report, "misspellings", &category.misspellings);
        if let Some(parent) = category.parent.as_deref() {
            if !parents.contains_key(parent) {
                report.say("parent", || unknown(parent));
            } else if returns(&category.slug, |slug| parents.get(slug).copied().flatten()) {
                cyclic(report, "parent", &category.slug);
            }
        }
        for (position, near) in category.near.iter().enumerate() {
            if !parents.contains_key(near.as_str()) {
                report.say(format_args!("near[{position}]"), || unknown(near));
            } else if *near == category.slug {
                report.say(format_args!("near[{position}]"), || {
                    ("a category is near itself".into(), "name another one, or leave it out".into())
                });
            }
        }
    }
    let mut terms = HashMap::new();
    for shared in &taxonomy.shared_terms {
        report.at(File::Categories, &shared.term);
        text::check(report, "term", &shared.term, MAX_NAME);
        once(report, &mut terms, "term", &shared.term, &shared.term);
        if shared.slugs.is_empty() {
            report.say("slugs", || ("names no category".into(), "name the categories that share it".into()));
        }
        for (position, slug) in shared.slugs.iter().enumerate() {
            if !parents.contains_key(slug.as_str()) {
                report.say(format_args!("slugs[{position}]"), || unknown(slug));
            }
        }
    }
}

/// Checks a whole snapshot of typed values, as it comes out of a packed file.
pub(crate) fn snapshot(snapshot: &Snapshot) -> Result<(), Defects> {
    let mut report = Report::new();
    guide(&mut report, &snapshot.name, &snapshot.curated_at);
    let lexicon = Lexicon::new(&snapshot.vocabulary, Read { areas: true, categories: true });
    vocabulary(&mut report, &lexicon);
    let mut last = "";
    for record in &snapshot.places {
        place(&mut report, &lexicon, record);
        ascending(&mut report, last, &record.id);
        last = &record.id;
    }
    last = "";
    for record in &snapshot.events {
        event(&mut report, &lexicon, record);
        ascending(&mut report, last, &record.id);
        last = &record.id;
    }
    amount(&mut report, snapshot.places.len(), snapshot.events.len());
    report.verdict(())
}

/// A packed file is sorted by id, which also shows that no id comes twice.
fn ascending(report: &mut Report, last: &str, id: &str) {
    if last >= id {
        report.say("id", || {
            (format!("comes after {} in a packed file", quoted(last)), "pack the folder again".into())
        });
    }
}

/// Tells when there is nothing, or too much.
pub(crate) fn amount(report: &mut Report, places: usize, events: usize) {
    report.at_file(File::Places);
    if places + events == 0 {
        report.say_whole(
            "the snapshot holds neither places nor events",
            "add records to places.json or events.json",
        );
    }
    if places + events > crate::MAX_RECORDS {
        let what = format!("the snapshot holds {} places and events", places + events);
        report.say_whole(what, format!("keep it to {} in sum", crate::MAX_RECORDS));
    }
}
