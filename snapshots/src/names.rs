//! The names of a vocabulary, and checks of the names that records use.

use std::collections::{HashMap, HashSet};

use crate::defect::Report;
use crate::positions::Bounds;
use crate::text::{nearest, quoted, suggestion};
use crate::vocabulary::{CategoryKind, Region, Vocabulary};

/// The names that records may use, and the territory they lie in.
pub(crate) struct Names<'v> {
    regions: HashSet<&'v str>,
    /// The name of a neighbourhood's region, by the neighbourhood's name.
    neighbourhoods: HashMap<&'v str, &'v str>,
    categories: HashMap<&'v str, CategoryKind>,
    pub(crate) vocabulary: &'v Vocabulary,
    pub(crate) readable: Readable,
    /// Where positions of records may lie.
    pub(crate) bounds: Option<Bounds>,
}

/// Which files of names could be read. Without its file a name is not reported as unknown.
#[derive(Clone, Copy)]
pub(crate) struct Readable {
    /// `regions.json`.
    pub(crate) areas: bool,
    /// `address_codes.json`.
    pub(crate) codes: bool,
    /// `categories.json`.
    pub(crate) categories: bool,
}

impl<'v> Names<'v> {
    pub(crate) fn new(vocabulary: &'v Vocabulary, readable: Readable, bounds: Option<Bounds>) -> Self {
        let regions = &vocabulary.geography.regions;
        Self {
            regions: regions.iter().map(|region| region.name.as_str()).collect(),
            neighbourhoods: regions
                .iter()
                .flat_map(|region| region.neighbourhoods.iter().map(|part| (&*part.name, &*region.name)))
                .collect(),
            categories: vocabulary.taxonomy.categories.iter().map(|c| (c.slug.as_str(), c.kind)).collect(),
            vocabulary,
            readable,
            bounds,
        }
    }

    /// Whether names of areas can be checked: a file that is unreadable or empty is already a defect of its own.
    fn knows_areas(&self) -> bool {
        self.readable.areas && !self.regions.is_empty()
    }

    /// Whether slugs of categories can be checked.
    fn knows_categories(&self) -> bool {
        self.readable.categories && !self.categories.is_empty()
    }

    fn region_spellings(&self) -> impl Iterator<Item = (&str, &str)> {
        let regions = self.vocabulary.geography.regions.iter();
        regions.flat_map(|region| spellings(&region.name, &region.aliases))
    }

    /// The neighbourhoods of the region, or of all when none is given.
    fn neighbourhood_spellings(&self, region: Option<&str>) -> impl Iterator<Item = (&str, &str)> {
        let fits = move |one: &&Region| region.is_none_or(|region| one.name == region);
        let regions = self.vocabulary.geography.regions.iter().filter(fits);
        regions.flat_map(|r| &r.neighbourhoods).flat_map(|part| spellings(&part.name, &part.aliases))
    }

    pub(crate) fn category_spellings(
        &self,
        for_kind: Option<CategoryKind>,
    ) -> impl Iterator<Item = (&str, &str)> {
        let fits = move |kind: CategoryKind| {
            for_kind.is_none_or(|wanted| kind == CategoryKind::Both || kind == wanted)
        };
        self.vocabulary.taxonomy.categories.iter().filter(move |c| fits(c.kind)).flat_map(|c| {
            let labels = [&c.slug, &c.pt, &c.en].into_iter().chain(&c.es);
            let words = labels.chain(&c.synonyms_pt).chain(&c.synonyms_en).chain(&c.synonyms_es);
            words.chain(&c.misspellings).map(|word| (word.as_str(), c.slug.as_str()))
        })
    }

    pub(crate) fn check_region(&self, report: &mut Report, field: &str, region: &str) -> bool {
        if !self.knows_areas() {
            return false;
        }
        let known = self.regions.contains(region);
        if !known {
            report.add(field, || {
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

    /// Checks a neighbourhood and, when a region is given, that it is in that region.
    pub(crate) fn check_neighbourhood(
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
            (Some(whole), Some(region)) if *whole != region => report.add(field, || {
                let what = format!("{} is not in {} but in {}", quoted(name), quoted(region), quoted(whole));
                (what, format!("correct the one or the other: region {} would fit", quoted(whole)))
            }),
            (Some(_), _) => {}
            (None, _) => report.add(field, || {
                let what = format!("{} is not a known neighbourhood", quoted(name));
                // A misspelt name most likely means a neighbourhood of the record's own region.
                let near = region
                    .and_then(|_| nearest(name, self.neighbourhood_spellings(region)))
                    .or_else(|| nearest(name, self.neighbourhood_spellings(None)));
                (what, suggestion(near, "use the name of a neighbourhood in regions.json, or add it there"))
            }),
        }
    }

    /// Checks the region and the neighbourhood of a record.
    pub(crate) fn check_location(&self, report: &mut Report, region: &str, neighbourhood: Option<&str>) {
        let is_known = self.check_region(report, "region", region);
        if let Some(name) = neighbourhood {
            self.check_neighbourhood(report, "neighbourhood", name, is_known.then_some(region));
        }
    }

    /// Checks the name of a region or neighbourhood.
    pub(crate) fn check_area(&self, report: &mut Report, field: impl std::fmt::Display, name: &str) {
        if self.knows_areas() && !self.regions.contains(name) && !self.neighbourhoods.contains_key(name) {
            report.add(field, || {
                let what = format!("{} is neither a known region nor a known neighbourhood", quoted(name));
                let near = nearest(name, self.region_spellings().chain(self.neighbourhood_spellings(None)));
                (what, suggestion(near, "use a name of regions.json"))
            });
        }
    }

    pub(crate) fn check_category(
        &self,
        report: &mut Report,
        field: impl std::fmt::Display,
        slug: &str,
        wanted: CategoryKind,
    ) {
        if !self.knows_categories() {
            return;
        }
        let (wanted_word, other_word) = match wanted {
            CategoryKind::Event => ("events", "places"),
            CategoryKind::Place | CategoryKind::Both => ("places", "events"),
        };
        match self.categories.get(slug) {
            Some(kind) if *kind == CategoryKind::Both || *kind == wanted => {}
            Some(_) => report.add(field, || {
                let what = format!("{} is a category for {other_word} only", quoted(slug));
                (what, format!("use one for {wanted_word}, or change its kind in categories.json"))
            }),
            None => report.add(field, || {
                let near = nearest(slug, self.category_spellings(Some(wanted)));
                let otherwise = "use a slug of categories.json, or add it there";
                (format!("{} is not a known category", quoted(slug)), suggestion(near, otherwise))
            }),
        }
    }
}

pub(crate) fn spellings<'a>(
    name: &'a str,
    aliases: &'a [String],
) -> impl Iterator<Item = (&'a str, &'a str)> {
    std::iter::once(name).chain(aliases.iter().map(String::as_str)).map(move |spelling| (spelling, name))
}
