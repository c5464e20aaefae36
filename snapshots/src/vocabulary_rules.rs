//! The rules for the vocabulary of a snapshot: regions, address codes, categories.

use std::collections::{HashMap, HashSet};

use crate::defect::Report;
use crate::file::File;
use crate::limits::MAX_NAME;
use crate::names::{Names, spellings};
use crate::text::{self, check_slug, folded, nearest, quoted, suggestion};
use crate::vocabulary::{Addresses, Geography, Region, Taxonomy, Vocabulary};
use crate::{MAX_AREAS, MAX_CATEGORIES, MAX_CODES, MAX_NESTING, MAX_VOCABULARY_BYTES};

/// Checks the vocabulary.
pub(crate) fn check(report: &mut Report, names: &Names<'_>) {
    let Vocabulary { geography: areas, addresses: codes, taxonomy: terms, .. } = names.vocabulary;
    if names.readable.areas && areas.regions.is_empty() {
        report.at_file(File::Regions);
        report.add("regions", || ("holds no region", "add the regions that records name"));
    }
    if names.readable.categories && terms.categories.is_empty() {
        report.at_file(File::Categories);
        report.add("categories", || ("holds no category", "add those that records name"));
    }
    sizes(report, names.vocabulary);
    geography(report, areas);
    addresses(report, names, codes);
    taxonomy(report, names, terms);
}

/// Checks that the index can number the areas and categories and hold their names.
fn sizes(report: &mut Report, vocabulary: &Vocabulary) {
    let Vocabulary { geography, addresses, taxonomy, synonyms } = vocabulary;
    let areas = geography.zones.len()
        + geography.regions.iter().map(|region| 1 + region.neighbourhoods.len()).sum::<usize>();
    for (file, count, what, max) in [
        (File::Regions, areas, "zones, regions and neighbourhoods", MAX_AREAS),
        (File::Categories, taxonomy.categories.len(), "categories", MAX_CATEGORIES),
        (File::AddressCodes, addresses.codes.len(), "codes", MAX_CODES),
    ] {
        if count > max {
            report.at_file(file);
            report.add_whole(format!("holds {count} {what}"), format!("keep at most {max}"));
        }
    }
    for (file, bytes) in [
        (File::Regions, serde_json::to_vec(geography)),
        (File::AddressCodes, serde_json::to_vec(addresses)),
        (File::Categories, serde_json::to_vec(taxonomy)),
        (File::Synonyms, serde_json::to_vec(synonyms)),
    ] {
        let bytes = bytes.map_or(0, |json| json.len());
        if bytes > MAX_VOCABULARY_BYTES {
            report.at_file(file);
            let what = format!("takes {} MiB once packed", bytes.div_ceil(1 << 20));
            report.add_whole(what, format!("remove entries; {} MiB is the most", MAX_VOCABULARY_BYTES >> 20));
        }
    }
}

/// Values, folded, and the entries that have them.
type Seen<'v> = HashMap<String, &'v str>;

/// Reports a value that an earlier entry has too, accents and case aside.
fn unique<'v>(report: &mut Report, seen: &mut Seen<'v>, field: &str, value: &'v str, owner: &'v str) {
    if value.is_empty() {
        return;
    }
    if let Some(first) = seen.insert(folded(value), owner) {
        report.add(field, || {
            let what = format!("{} is also the {field} of {}", quoted(value), quoted(first));
            (what, "give each its own")
        });
    }
}

fn geography(report: &mut Report, geography: &Geography) {
    report.at_file(File::Regions);
    text::check_list(report, "everywhere", &geography.everywhere);
    let (mut slugs, mut seen_names) = (HashMap::new(), HashMap::new());
    for zone in &geography.zones {
        area(report, (&zone.slug, &zone.name, &zone.aliases), &mut slugs, &mut seen_names);
        text::check(report, "name_en", &zone.name_en, MAX_NAME);
    }
    let zones: HashSet<&str> = geography.zones.iter().map(|zone| zone.name.as_str()).collect();
    // No region and no neighbourhood may share a name: `readings` may hold either.
    let (mut slugs, mut part_slugs, mut seen_names) = (HashMap::new(), HashMap::new(), HashMap::new());
    for region in &geography.regions {
        area(report, (&region.slug, &region.name, &region.aliases), &mut slugs, &mut seen_names);
        if !zones.contains(region.zone.as_str()) {
            report.add("zone", || {
                let names = geography.zones.iter().flat_map(|zone| spellings(&zone.name, &zone.aliases));
                let what = format!("{} is not a known zone", quoted(&region.zone));
                (what, suggestion(nearest(&region.zone, names), "use the name of a zone in regions.json"))
            });
        }
        for part in &region.neighbourhoods {
            area(report, (&part.slug, &part.name, &part.aliases), &mut part_slugs, &mut seen_names);
        }
        containment(report, region);
    }
}

/// Makes a zone, a region or a neighbourhood the current place, and checks its slug and names.
fn area<'v>(
    report: &mut Report,
    (slug, name, aliases): (&'v str, &'v str, &[String]),
    slugs: &mut Seen<'v>,
    names: &mut Seen<'v>,
) {
    report.at(File::Regions, slug);
    check_slug(report, "slug", slug);
    text::check(report, "name", name, MAX_NAME);
    text::check_list(report, "aliases", aliases);
    unique(report, slugs, "slug", slug, name);
    unique(report, names, "name", name, slug);
}

/// Checks `part_of` among the neighbourhoods of a region: known there, and a tree.
fn containment(report: &mut Report, region: &Region) {
    let wholes: HashMap<&str, Option<&str>> =
        region.neighbourhoods.iter().map(|part| (&*part.name, part.part_of.as_deref())).collect();
    for part in &region.neighbourhoods {
        let Some(whole) = part.part_of.as_deref() else { continue };
        report.at(File::Regions, &part.slug);
        if !wholes.contains_key(whole) {
            report.add("part_of", || {
                let names = region.neighbourhoods.iter().flat_map(|one| spellings(&one.name, &one.aliases));
                let what = format!("{} is not a neighbourhood of {}", quoted(whole), quoted(&region.name));
                (what, suggestion(nearest(whole, names), "name a neighbourhood of the same region"))
            });
        } else {
            nesting(report, "part_of", &part.name, |name| wholes.get(name).copied().flatten());
        }
    }
}

/// Checks that going up from `start` ends at a root, after few steps.
fn nesting<'v>(report: &mut Report, field: &str, start: &'v str, up: impl Fn(&str) -> Option<&'v str>) {
    let mut passed = Vec::with_capacity(MAX_NESTING);
    let mut at = up(start);
    while let Some(name) = at {
        if name == start {
            return report.add(field, || {
                (format!("{} would contain itself", quoted(name)), "remove one step of the circle")
            });
        }
        // A circle further up is reported at its own members.
        if passed.contains(&name) {
            return;
        }
        passed.push(name);
        if passed.len() > MAX_NESTING {
            return report.add(field, || {
                let what = format!("{} is nested more than {MAX_NESTING} levels deep", quoted(start));
                (what, "move it further up")
            });
        }
        at = up(name);
    }
}

fn addresses(report: &mut Report, names: &Names<'_>, addresses: &Addresses) {
    let mut seen = HashMap::new();
    for code in &addresses.codes {
        report.at(File::AddressCodes, &code.code);
        text::check(report, "code", &code.code, MAX_NAME);
        if code.code.chars().any(char::is_lowercase) {
            report.add("code", || (format!("{} is not in capitals", quoted(&code.code)), "capitalise it"));
        }
        unique(report, &mut seen, "code", &code.code, &code.code);
        text::check_list(report, "variants", &code.variants);
        // An ambiguous code may be in several regions and must not decide one.
        let region = code.region.as_deref().filter(|region| names.check_region(report, "region", region));
        if code.ambiguous && code.region.is_some() {
            report.add("region", || {
                let fix = "leave region out and list what it may mean in readings, or drop ambiguous";
                ("an ambiguous code names a region", fix)
            });
        }
        for (position, name) in code.neighbourhoods.iter().enumerate() {
            let field = format_args!("neighbourhoods[{position}]");
            names.check_neighbourhood(report, field, name, region.filter(|_| !code.ambiguous));
        }
        if !code.ambiguous && code.region.is_none() && !code.neighbourhoods.is_empty() {
            report.add("region", || {
                ("is missing beside neighbourhoods", "add the region they lie in, or mark it ambiguous")
            });
        }
        for (position, name) in code.readings.iter().enumerate() {
            names.check_area(report, format_args!("readings[{position}]"), name);
        }
    }
    for wing in &addresses.wings {
        report.at(File::AddressCodes, &wing.neighbourhood);
        names.check_neighbourhood(report, "neighbourhood", &wing.neighbourhood, None);
        text::check_list(report, "words", &wing.words);
        if wing.words.is_empty() {
            report.add("words", || ("holds no word", "add the words that name this wing"));
        }
    }
    let mut seen = HashMap::new();
    for written in &addresses.written {
        report.at(File::AddressCodes, &written.text);
        text::check(report, "text", &written.text, MAX_NAME);
        unique(report, &mut seen, "text", &written.text, &written.text);
        names.check_location(report, &written.region, written.neighbourhood.as_deref());
    }
    report.at_file(File::AddressCodes);
    text::check_list(report, "components", &addresses.components);
}

fn taxonomy(report: &mut Report, names: &Names<'_>, taxonomy: &Taxonomy) {
    let (mut slugs, mut pt, mut en, mut es) =
        (HashMap::new(), HashMap::new(), HashMap::new(), HashMap::new());
    let parents: HashMap<&str, Option<&str>> =
        taxonomy.categories.iter().map(|c| (&*c.slug, c.parent.as_deref())).collect();
    let unknown = |slug: &str| {
        let what = format!("{} is not a known category", quoted(slug));
        (what, suggestion(nearest(slug, names.category_spellings(None)), "use a slug of categories.json"))
    };
    for category in &taxonomy.categories {
        report.at(File::Categories, &category.slug);
        check_slug(report, "slug", &category.slug);
        text::check(report, "pt", &category.pt, MAX_NAME);
        text::check(report, "en", &category.en, MAX_NAME);
        unique(report, &mut slugs, "slug", &category.slug, &category.pt);
        unique(report, &mut pt, "pt", &category.pt, &category.slug);
        unique(report, &mut en, "en", &category.en, &category.slug);
        if let Some(label) = &category.es {
            text::check(report, "es", label, MAX_NAME);
            unique(report, &mut es, "es", label, &category.slug);
        }
        text::check_list(report, "synonyms_pt", &category.synonyms_pt);
        text::check_list(report, "synonyms_en", &category.synonyms_en);
        text::check_list(report, "synonyms_es", &category.synonyms_es);
        text::check_list(report, "misspellings", &category.misspellings);
        if let Some(parent) = category.parent.as_deref() {
            if !parents.contains_key(parent) {
                report.add("parent", || unknown(parent));
            } else {
                nesting(report, "parent", &category.slug, |slug| parents.get(slug).copied().flatten());
            }
        }
        for (position, near) in category.near.iter().enumerate() {
            if !parents.contains_key(near.as_str()) {
                report.add(format_args!("near[{position}]"), || unknown(near));
            } else if *near == category.slug {
                report.add(format_args!("near[{position}]"), || {
                    ("a category is near itself", "name another one, or leave it out")
                });
            }
        }
    }
    let mut terms = HashMap::new();
    for shared in &taxonomy.shared_terms {
        report.at(File::Categories, &shared.term);
        text::check(report, "term", &shared.term, MAX_NAME);
        unique(report, &mut terms, "term", &shared.term, &shared.term);
        if shared.slugs.is_empty() {
            report.add("slugs", || ("names no category", "name the categories that share it"));
        }
        for (position, slug) in shared.slugs.iter().enumerate() {
            if !parents.contains_key(slug.as_str()) {
                report.add(format_args!("slugs[{position}]"), || unknown(slug));
            }
        }
    }
}
