//! The records of a snapshot as the linear scan of the tests sees them.
#![allow(clippy::cast_possible_truncation, reason = "the demo has few areas, categories and records")]

use std::collections::HashSet;

use chrono::NaiveDate;
use snapshots::Vocabulary;

use crate::grammar::fixed_words::is_child;
use crate::grammar::fold::fold;
use crate::grammar::hints::Hint;
use crate::grammar::tokens::says_free;
use crate::question::clauses::{Clause, ClauseKind, NamedHint, ParsedText, Term};
use crate::records::record_reader::names_in_address;
use crate::records::schema::{Entry, minute_of};
use crate::search::Query;
use crate::search::ties::{MOST_CLAUSES, MOST_TIED};
use crate::vocabulary::node_ids::{AreaId, CategoryId};
use crate::vocabulary::words::Words;
use crate::vocabulary::{ArchivedAreaKind, ArchivedVocabularyIndex, AreaKind, EVERYWHERE};

/// A record, prepared for the scan.
pub(crate) struct Scanned {
    pub(crate) id: String,
    pub(crate) key: (u64, String, String, String),
    pub(crate) days: Option<(NaiveDate, NaiveDate)>,
    /// The minutes at which it starts.
    pub(crate) minutes: Vec<u16>,
    pub(crate) is_free: bool,
    pub(crate) area: AreaId,
    pub(crate) areas: HashSet<AreaId>,
    pub(crate) categories: HashSet<CategoryId>,
    pub(crate) names: Vec<String>,
    /// What its texts name, for each view.
    pub(crate) terms: [TextTerms; 2],
    /// The stems of its names, style, venue and line-up, for each view.
    pub(crate) subject: [HashSet<String>; 2],
    /// Its categories and those of which one of these texts has a label, for each view.
    pub(crate) named: [HashSet<CategoryId>; 2],
    /// The terms of categories in these texts, for each view.
    pub(crate) mentions: [HashSet<String>; 2],
}

impl Scanned {
    pub(crate) fn is_in_area(&self, view: usize, id: AreaId) -> bool {
        self.areas.contains(&id) || self.terms[view].areas.contains(&id)
    }

    pub(crate) fn is_in_category(&self, view: usize, id: CategoryId) -> bool {
        self.categories.contains(&id) || self.terms[view].categories.contains(&id)
    }

    pub(crate) fn has_stem(&self, view: usize, stem: &str) -> bool {
        self.terms[view].stems.contains(stem)
    }
}

/// What the texts of a record name.
#[derive(Default, Clone)]
pub(crate) struct TextTerms {
    pub(crate) stems: HashSet<String>,
    pub(crate) areas: HashSet<AreaId>,
    pub(crate) categories: HashSet<CategoryId>,
    pub(crate) labels: HashSet<CategoryId>,
    pub(crate) mentions: HashSet<String>,
    pub(crate) quadras: HashSet<u16>,
    pub(crate) groups: HashSet<u32>,
}

impl TextTerms {
    fn read(&mut self, index: &ArchivedVocabularyIndex, text: &str, is_address: bool) {
        let words = Words::new(text);
        let names = if is_address { names_in_address(index, &words) } else { Vec::new() };
        for from in 0..words.len() {
            self.stems.insert(words.stem(from).to_owned());
            self.quadras.extend(words.quadra(from));
            for to in from + 1..=words.len() {
                self.groups.extend(
                    index.synonyms.phrases.get(words.phrase(from, to)).map(|group| group.to_native()),
                );
                let Some(meaning) = index.phrases.get(words.phrase(from, to)) else { continue };
                if (to - from > 1 || words.raw(from).len() > 2) && words.may_name_areas(meaning, from, to) {
                    self.areas.extend(meaning.areas.iter().map(|id| id.to_native()));
                }
                let is_of_name = names.iter().any(|name| name.start <= from && to <= name.end);
                if !meaning.literal && !is_of_name {
                    let meant = meaning.filter_categories.iter().chain(meaning.text_categories.iter());
                    let meant = meant.map(|id| id.to_native());
                    if meaning.label {
                        self.labels.extend(meant.clone());
                    }
                    if !meaning.text_categories.is_empty() {
                        self.mentions.insert(words.phrase(from, to).to_owned());
                    }
                    if to - from > 1 || !is_child(words.raw(from)) {
                        self.categories.extend(meant);
                    }
                }
            }
        }
        self.areas.remove(&EVERYWHERE);
    }
}

/// The area of a record and all that contain it, from the snapshot's vocabulary.
fn areas_of(
    index: &ArchivedVocabularyIndex,
    vocabulary: &Vocabulary,
    region: &str,
    neighbourhood: Option<&str>,
) -> Vec<AreaId> {
    let id = |kind: AreaKind, name: &str| {
        let kind = |found: &ArchivedAreaKind| {
            matches!(
                (kind, found),
                (AreaKind::Zone, ArchivedAreaKind::Zone)
                    | (AreaKind::Region, ArchivedAreaKind::Region)
                    | (AreaKind::Neighbourhood, ArchivedAreaKind::Neighbourhood)
            )
        };
        index.areas_by_id().find(|(_, area)| kind(&area.kind) && area.name == name).unwrap().0
    };
    let region = vocabulary.geography.regions.iter().find(|one| one.name == region).unwrap();
    let mut areas = Vec::new();
    let mut part = neighbourhood;
    while let Some(name) = part {
        areas.push(id(AreaKind::Neighbourhood, name));
        part = region.neighbourhoods.iter().find(|one| one.name == name).unwrap().part_of.as_deref();
    }
    areas.extend([id(AreaKind::Region, &region.name), id(AreaKind::Zone, &region.zone), EVERYWHERE]);
    areas
}

fn categories_of(
    index: &ArchivedVocabularyIndex,
    vocabulary: &Vocabulary,
    slugs: &[&str],
) -> HashSet<CategoryId> {
    let mut found = HashSet::new();
    for slug in slugs {
        let mut above = Some(*slug);
        while let Some(slug) = above {
            found.insert(index.categories_by_id().find(|(_, one)| one.slug == slug).unwrap().0);
            above =
                vocabulary.taxonomy.categories.iter().find(|one| one.slug == slug).unwrap().parent.as_deref();
        }
    }
    found
}

pub(crate) fn scanned(index: &ArchivedVocabularyIndex, vocabulary: &Vocabulary, entry: &Entry) -> Scanned {
    let content = &entry.content;
    let areas = areas_of(index, vocabulary, content.region, content.neighbourhood);
    let mut open = TextTerms::default();
    content.names.iter().chain(&content.open).for_each(|text| open.read(index, text, false));
    let mut all = open.clone();
    content.lineup.iter().for_each(|text| all.read(index, text, false));
    let subject = [open.stems.clone(), all.stems.clone()];
    let mentions = [open.mentions.clone(), all.mentions.clone()];
    let categories = categories_of(index, vocabulary, &content.categories);
    let named = [&open, &all].map(|terms| categories.union(&terms.labels).copied().collect());
    content.address.iter().for_each(|text| all.read(index, text, true));
    let starts = entry.sessions.iter().map(|one| minute_of(one.start_time));
    Scanned {
        id: entry.id.to_owned(),
        key: (entry.primary, fold(entry.name), entry.name.to_owned(), entry.id.to_owned()),
        days: entry.days,
        area: areas[0],
        areas: areas.into_iter().collect(),
        categories,
        names: content.names.iter().map(|name| fold(name)).collect(),
        terms: [open, all],
        subject,
        named,
        mentions,
        minutes: starts.chain(entry.minute).collect(),
        is_free: content.is_free || content.price.is_some_and(|price| says_free(&Words::new(price).tokens())),
    }
}

/// The text with the words about what the guide does not know that a record's own text has as conditions.
pub(crate) fn with_known_hints<'a>(
    text: ParsedText<'a>,
    records: &[Scanned],
    query: &Query,
    words: &Words,
) -> ParsedText<'a> {
    let seen = records.iter().filter(|one| one.areas.contains(&query.scope));
    text.with_hints(|named @ NamedHint { hint, words: of_hint, .. }| match hint {
        Hint::Free => seen.clone().any(|one| one.is_free),
        hint if !hint.may_filter() && !named.says_where(words) => false,
        _ => {
            let stem = words.stem(of_hint.start);
            of_hint.len() == 1 && seen.clone().any(|one| one.subject[query.view as usize].contains(stem))
        }
    })
}

/// Orders places: those whose whole name the question is come first. Of equally many mentions those that have the words
/// of a clause come before the others, unless these are a label, and then the members of what it names. The clause that
/// the fewest meet so counts most.
pub(crate) fn order_places(
    index: &ArchivedVocabularyIndex,
    found: &mut [&Scanned],
    records: &[Scanned],
    parsed: &ParsedText,
    view: usize,
    words: &Words,
) {
    let has_words_of = |one: &Scanned, term: &Term| match *term {
        Term::Meaning { meaning, at, to } => {
            let names_categories = !meaning.label && !meaning.text_categories.is_empty();
            names_categories && one.mentions[view].contains(words.phrase(at, to))
        }
        _ => false,
    };
    // one that is a member twice counts twice
    let memberships = |one: &Scanned, term: &Term| {
        let areas = term.areas().into_iter().filter(|id| one.areas.contains(id)).count();
        areas + term.own_categories().into_iter().filter(|id| one.categories.contains(id)).count()
    };
    let count = |clause: &Clause, of_term: &dyn Fn(&Scanned, &Term) -> usize| -> usize {
        records.iter().flat_map(|one| clause.terms.iter().map(|term| of_term(one, term))).sum()
    };
    let with_words = |clause: &Clause| count(clause, &|one, term| usize::from(has_words_of(one, term)));
    let size = |clause: &&Clause| match with_words(clause) {
        0 => count(clause, &memberships),
        with_words => with_words,
    };
    let names = |clause: &&Clause| matches!(clause.kind(), ClauseKind::Category | ClauseKind::Area);
    let named: Vec<&Clause> = parsed.clauses.iter().filter(names).take(MOST_CLAUSES).collect();
    // a category says nothing beside another that is within it
    let is_wider = |outer: &Clause| {
        let mut others = named.iter().map(|clause| clause.text_categories());
        others.any(|inner| index.are_within(&inner, &outer.text_categories()))
    };
    let mut clauses: Vec<&Clause> = named.iter().copied().filter(|clause| !is_wider(clause)).collect();
    clauses.sort_by_key(size);
    let order = |one: &Scanned| -> Vec<(bool, bool)> {
        let of_clause = |clause: &&Clause| {
            let has_words = clause.terms.iter().any(|term| has_words_of(one, term));
            let is_member = clause.terms.iter().any(|term| memberships(one, term) > 0);
            (with_words(clause) > 0 && !has_words, !is_member)
        };
        clauses.iter().map(of_clause).collect()
    };
    let runs = found.chunk_by_mut(|left, right| left.key.0 == right.key.0);
    for tied in runs.filter(|tied| tied.len() <= MOST_TIED) {
        tied.sort_by_key(|one| order(one));
    }
    let Some(name) = parsed.whole_name(words).map(|name| words.between(name.start, name.end)) else { return };
    let may_mean = |one: &Scanned, clause: &Clause| {
        let categories = clause.text_categories();
        categories.is_empty() || categories.iter().any(|id| one.categories.contains(id))
    };
    let is_named = |one: &Scanned| {
        one.names.iter().any(|own| own == name) && parsed.clauses.iter().all(|clause| may_mean(one, clause))
    };
    let (mut first, rest): (Vec<&Scanned>, Vec<&Scanned>) = found.iter().partition(|one| is_named(one));
    first.sort_by(|left, right| left.key.cmp(&right.key));
    found.copy_from_slice(&[first, rest].concat());
}
