//! The rules for words that are neither areas nor categories: `suggested_by` of `categories.json`, the groups of
//! `synonyms.json`, `not_listed` of `guide.json`, and `outside` of `regions.json`.

use std::collections::{HashMap, HashSet};
use std::fmt::Display;

use crate::defect::Report;
use crate::file::File;
use crate::limits::MAX_NAME;
use crate::terms::{KnownTerms, key};
use crate::text::{self, quoted};
use crate::vocabulary::{Synonyms, Taxonomy, Vocabulary};
use crate::{MAX_NOT_LISTED, MAX_SUGGESTIONS, MAX_SYNONYM_GROUPS, MAX_SYNONYMS};

/// The longest term, in characters.
const MAX_TERM: usize = 60;
/// The longest term, in words.
const MAX_WORDS: usize = 4;
/// Spellings that make no difference, for a defect.
const SAME: &str = "accents, case, plural and words like \"de\" make no difference";

/// Checks what suggests categories, the synonyms, the terms that the guide does not list, and the towns that it does
/// not cover.
pub(crate) fn check(report: &mut Report, vocabulary: &Vocabulary, not_listed: &[String]) {
    let known = KnownTerms::new(vocabulary);
    suggestions(report, &vocabulary.taxonomy, &known);
    synonyms(report, &vocabulary.synonyms, &known);
    self::not_listed(report, not_listed, &known);
    outside(report, &vocabulary.geography.outside, &known);
}

/// What a defect calls a group: its first word, or its position from 1.
pub(crate) fn group_name(first: Option<&str>, index: usize) -> String {
    match first {
        Some(word) if !word.is_empty() => word.to_owned(),
        _ => format!("#{}", index + 1),
    }
}

fn suggestions(report: &mut Report, taxonomy: &Taxonomy, known: &KnownTerms<'_>) {
    for category in &taxonomy.categories {
        report.at(File::Categories, &category.slug);
        let phrases = ("suggested_by", &*category.suggested_by, MAX_SUGGESTIONS);
        no_terms(report, phrases, "remove it: a term says more", known);
    }
}

fn synonyms(report: &mut Report, synonyms: &Synonyms, known: &KnownTerms<'_>) {
    let groups = &synonyms.groups;
    if groups.len() > MAX_SYNONYM_GROUPS {
        report.at_file(File::Synonyms);
        let what = format!("holds {} groups", groups.len());
        report.add_whole(what, format!("keep the {MAX_SYNONYM_GROUPS} that matter most"));
    }
    // The group of each word so far.
    let mut seen: HashMap<String, usize> = HashMap::new();
    for (index, group) in groups.iter().enumerate().take(MAX_SYNONYM_GROUPS) {
        report.at(File::Synonyms, &group_name(group.first().map(String::as_str), index));
        if group.len() < 2 {
            report.add_whole("has fewer than two entries", "add words that mean the same, or remove it");
        }
        if group.len() > MAX_SYNONYMS {
            let what = format!("holds {} entries", group.len());
            report.add_whole(what, format!("keep the {MAX_SYNONYMS} that matter most"));
        }
        let mut meanings = Vec::new();
        for (position, word) in group.iter().enumerate().take(MAX_SYNONYMS) {
            let field = format!("[{position}]");
            let Some(key) = term(report, &field, word) else { continue };
            if let Some(area) = known.area(&key) {
                is_area(report, &field, word, area);
            }
            let categories = known.categories(&key);
            if !categories.is_empty() {
                meanings.push((word, categories));
            }
            if let Some(first) = seen.insert(key, index) {
                twice(report, &field, word, (first != index).then(|| &groups[first]));
            }
        }
        categories_joined(report, &meanings, known);
    }
}

/// Reports a word that an earlier group has too, or the same group.
fn twice(report: &mut Report, field: &str, word: &str, earlier: Option<&Vec<String>>) {
    report.add(field, || match earlier.and_then(|group| group.first()) {
        Some(first) => {
            let what = format!("{} is also in the group of {}", quoted(word), quoted(first));
            (what, format!("keep it in one of the two, or join them; {SAME}"))
        }
        None => (format!("{} is listed twice", quoted(word)), format!("remove the second one; {SAME}")),
    });
}

/// Reports the first two words of a group that are terms of unrelated categories.
fn categories_joined(report: &mut Report, meanings: &[(&String, &[&str])], known: &KnownTerms<'_>) {
    for (position, (word, categories)) in meanings.iter().enumerate() {
        let other = meanings[..position].iter().find(|(_, others)| !known.are_related(categories, others));
        if let Some((first, others)) = other {
            let named = |slugs: &[&str]| slugs.first().copied().unwrap_or_default().to_owned();
            let what = format!(
                "joins two categories: {} is a term of {}, {} of {}",
                quoted(first),
                named(others),
                quoted(word),
                named(categories)
            );
            return report.add_whole(what, "remove one of them, or make two groups");
        }
    }
}

fn not_listed(report: &mut Report, terms: &[String], known: &KnownTerms<'_>) {
    report.at_file(File::Guide);
    let terms = ("not_listed", terms, MAX_NOT_LISTED);
    no_terms(report, terms, "remove it: the guide lists such things", known);
}

/// Checks a list of words that name neither an area nor a category: its field, its words, and how many it may hold.
/// `fix` says what to do with a term of a category.
fn no_terms(
    report: &mut Report,
    (list, words, max): (&str, &[String], usize),
    fix: &'static str,
    known: &KnownTerms<'_>,
) {
    if words.len() > max {
        report.add(list, || {
            (format!("holds {} entries", words.len()), format!("keep the {max} that matter most"))
        });
    }
    let mut seen = HashSet::new();
    for (position, word) in words.iter().enumerate().take(max) {
        let field = format!("{list}[{position}]");
        let Some(key) = term(report, &field, word) else { continue };
        if let Some(area) = known.area(&key) {
            is_area(report, &field, word, area);
        }
        if let Some(slug) = known.categories(&key).first() {
            report.add(&field, || (format!("{} is a term of the category {slug}", quoted(word)), fix));
        }
        if !seen.insert(key) {
            twice(report, &field, word, None);
        }
    }
}

fn outside(report: &mut Report, towns: &[String], known: &KnownTerms<'_>) {
    report.at_file(File::Regions);
    let mut seen = HashSet::new();
    for (position, town) in towns.iter().enumerate() {
        let field = format!("outside[{position}]");
        text::check(report, &field, town, MAX_NAME);
        if town.is_empty() {
            continue;
        }
        let key = key(town);
        if key.is_empty() {
            report.add(&field, || (format!("{} holds no word to search for", quoted(town)), "remove it"));
            continue;
        }
        if let Some(area) = known.area(&key) {
            report.add(&field, || {
                let what = format!("{} is a name of the area {}", quoted(town), quoted(area));
                (what, "remove it: the guide covers that area")
            });
        }
        if !seen.insert(key) {
            twice(report, &field, town, None);
        }
    }
}

fn is_area(report: &mut Report, field: &str, word: &str, area: &str) {
    report.add(field, || {
        let what = format!("{} is a name of the area {}", quoted(word), quoted(area));
        (what, "remove it; other names of an area belong to its aliases in regions.json")
    });
}

/// Checks one word or phrase, and returns its key when it has one.
fn term(report: &mut Report, field: impl Display, value: &str) -> Option<String> {
    text::check(report, &field, value, MAX_TERM);
    if value.is_empty() {
        return None;
    }
    if value.chars().nth(1).is_none() {
        report.add(&field, || (format!("{} is one character long", quoted(value)), "write a whole word"));
        return None;
    }
    let key = key(value);
    let count = key.split(' ').count();
    if key.is_empty() {
        report.add(&field, || (format!("{} holds no word to search for", quoted(value)), "remove it"));
        return None;
    }
    if count > MAX_WORDS {
        report.add(&field, || {
            (format!("{} is {count} words long", quoted(value)), format!("use at most {MAX_WORDS}"))
        });
    }
    Some(key)
}
