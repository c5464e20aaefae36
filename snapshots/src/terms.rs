//! The words that a vocabulary knows, in the form in which a search compares them.

use std::collections::HashMap;
use std::iter::successors;

use crate::MAX_NESTING;
use crate::text::{folded, join_initials};
use crate::vocabulary::{Category, Vocabulary};

/// The form in which terms are compared: lower-case words without accents, plural and connectors ("de", "of"),
/// separated by one space. Terms with equal keys are one term for a search; the tests of the index hold it to the same
/// form.
pub fn key(term: &str) -> String {
    let mut key = String::with_capacity(term.len());
    for word in words(&folded(&join_initials(term))) {
        if !is_connector(word) {
            if !key.is_empty() {
                key.push(' ');
            }
            key.push_str(&singular(word));
        }
    }
    key
}

/// The runs of letters and the runs of digits of a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_word = |word: &&str| word.starts_with(char::is_alphanumeric);
    let mut rest = text;
    let runs = std::iter::from_fn(move || {
        let kind = |c: char| (c.is_alphabetic(), c.is_numeric());
        let first = kind(rest.chars().next()?);
        let end = rest.find(|c| kind(c) != first).unwrap_or(rest.len());
        let (run, after) = rest.split_at(end);
        rest = after;
        Some(run)
    });
    runs.filter(is_word)
}

/// Whether the word only joins others.
fn is_connector(word: &str) -> bool {
    matches!(word, "de" | "do" | "da" | "dos" | "das" | "d" | "e" | "of" | "the" | "and")
}

/// A form that the singular and the plural of a word share, in Portuguese and English; never shown.
fn singular(word: &str) -> String {
    let mut word = word.to_owned();
    if word.len() <= 3 {
        return word;
    }
    // Until no step fits, so that the form of a form is itself.
    while word.len() > 3 || word.ends_with("aes") {
        let Some((cut, end)) = step(word.as_bytes()) else { break };
        word.truncate(word.len() - cut);
        word.push_str(end);
    }
    word
}

/// One step towards the singular: how many letters to cut, and what to append.
fn step(word: &[u8]) -> Option<(usize, &'static str)> {
    match word {
        // pães, limões: pão, limão
        [.., b'a' | b'o', b'e', b's'] => Some((3, "ao")),
        [.., b's'] => Some((1, "")),
        // japonesa: japonês
        [_, _, .., b'e', b's', b'a'] if word.len() > 5 => Some((1, "")),
        // jardim and jardins
        [.., b'm'] => Some((1, "n")),
        [.., b'y'] => Some((1, "i")),
        // festivais, hotéis
        [.., b'a' | b'e' | b'o' | b'u', b'i'] => Some((1, "l")),
        [.., b'i'] => Some((1, "il")),
        // parties, cut to "partie" before; churches, bares, luzes
        [.., b'i' | b'r' | b'z' | b's' | b'x' | b'h', b'e'] => Some((1, "")),
        _ => None,
    }
}

/// The names of areas and the terms of categories, by key.
pub(crate) struct KnownTerms<'v> {
    /// The name of an area that is called so.
    areas: HashMap<String, &'v str>,
    /// The slugs of the categories that a term means.
    categories: HashMap<String, Vec<&'v str>>,
    parents: HashMap<&'v str, Option<&'v str>>,
}

impl<'v> KnownTerms<'v> {
    pub(crate) fn new(vocabulary: &'v Vocabulary) -> Self {
        let taxonomy = &vocabulary.taxonomy;
        let mut categories: HashMap<String, Vec<&str>> = HashMap::new();
        for category in &taxonomy.categories {
            for term in own_terms(category) {
                categories.entry(key(term)).or_default().push(&category.slug);
            }
        }
        for shared in &taxonomy.shared_terms {
            let slugs = shared.slugs.iter().map(String::as_str);
            categories.entry(key(&shared.term)).or_default().extend(slugs);
        }
        Self {
            areas: areas(vocabulary),
            categories,
            parents: taxonomy.categories.iter().map(|c| (&*c.slug, c.parent.as_deref())).collect(),
        }
    }

    /// The name of the area that the key means.
    pub(crate) fn area(&self, key: &str) -> Option<&'v str> {
        self.areas.get(key).copied()
    }

    /// The slugs of the categories that the key means.
    pub(crate) fn categories(&self, key: &str) -> &[&'v str] {
        self.categories.get(key).map_or(&[], Vec::as_slice)
    }

    /// Whether one of the categories is one of the others, or contains or is contained in one.
    pub(crate) fn are_related(&self, some: &[&'v str], others: &[&'v str]) -> bool {
        some.iter().any(|one| others.iter().any(|other| self.is_in(one, other) || self.is_in(other, one)))
    }

    /// Whether the inner category is the outer one or in it.
    fn is_in(&self, inner: &'v str, outer: &str) -> bool {
        // A circle of parents is a defect of its own, and must not go on for ever here.
        let upwards = successors(Some(inner), |slug| self.parents.get(slug).copied().flatten());
        upwards.take(MAX_NESTING + 1).any(|slug| slug == outer)
    }
}

/// All that names a category, apart from misspellings.
fn own_terms(category: &Category) -> impl Iterator<Item = &String> {
    let labels = [&category.slug, &category.pt, &category.en].into_iter().chain(&category.es);
    labels.chain(&category.synonyms_pt).chain(&category.synonyms_en).chain(&category.synonyms_es)
}

/// The names of all areas by key, those of the whole territory included.
fn areas(vocabulary: &Vocabulary) -> HashMap<String, &str> {
    let geography = &vocabulary.geography;
    let mut areas = HashMap::new();
    let mut add = |name: &'_ str, area| {
        areas.entry(key(name)).or_insert(area);
    };
    for word in &geography.everywhere {
        add(word, word.as_str());
    }
    for zone in &geography.zones {
        [&zone.name, &zone.name_en].into_iter().chain(&zone.aliases).for_each(|name| add(name, &zone.name));
    }
    for region in &geography.regions {
        std::iter::once(&region.name).chain(&region.aliases).for_each(|name| add(name, &region.name));
        for part in &region.neighbourhoods {
            std::iter::once(&part.name).chain(&part.aliases).for_each(|name| add(name, &part.name));
        }
    }
    areas
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_that_a_search_cannot_tell_apart_have_one_key() {
        for (left, right) in [
            ("Pôr do Sol", "por sol"),
            ("pães de queijo", "pão queijo"),
            ("Jardins", "jardim"),
            ("m.p.b", "MPB"),
            ("bike-paths", "bike path"),
            ("bancos da praça", "banco praça"),
            ("W3", "w 3"),
        ] {
            assert_eq!(key(left), key(right), "{left}");
        }
        assert_ne!(key("ponte"), key("ponto"));
        assert_eq!(key("de"), "");
    }
}
