//! The categories of a guide: how the tree is laid out, which words name what, and how a `category` is read.

use std::collections::HashMap;

use serde_json::json;
use snapshots::vocabulary::Taxonomy;

use crate::fold::sound;
use crate::regions::nearest_names;
use crate::vocabulary::{ArchivedVocabularyIndex, Category, Node, Nodes, RightWord, VocabularyIndex};
use crate::words::Words;

/// Category numbers by slug.
pub type CategoryNames = HashMap<String, Node>;

/// Lays out the categories and adds what names them to the maps.
pub fn add_to(taxonomy: &Taxonomy, maps: &mut VocabularyIndex) -> CategoryNames {
    let mut names = CategoryNames::new();
    add_children(taxonomy, None, 0, maps, &mut names);
    let mut standings = HashMap::new();
    let mut name = |maps: &mut VocabularyIndex, term: &str, node, standing| {
        // a slug is what records carry and must come back to them; a label in either language is the same thing
        let best = standings.entry(Words::new(term).whole().to_owned()).or_insert(standing);
        if standing < *best {
            *best = standing;
            if let Some(meaning) = maps.phrases.get_mut(Words::new(term).whole()) {
                meaning.filter.clear();
            }
        }
        maps.name_category(term, node, standing == *best);
    };
    for category in &taxonomy.categories {
        let Some(&node) = names.get(&category.slug) else { continue };
        name(maps, &category.slug, node, Standing::Slug);
        [&category.pt, &category.en].into_iter().for_each(|term| name(maps, term, node, Standing::Label));
        let synonyms = category.synonyms_pt.iter().chain(&category.synonyms_en);
        synonyms.for_each(|term| name(maps, term, node, Standing::Synonym));
    }
    for shared in &taxonomy.shared_terms {
        for node in shared.slugs.iter().filter_map(|slug| names.get(slug)) {
            name(maps, &shared.term, *node, Standing::Synonym);
        }
    }
    // whatever word comes after this is a misspelling only; and shorter ones are never corrected to
    for stem in maps.words.keys().filter(|stem| stem.len() >= 4) {
        for (heard, text) in [(false, stem.clone()), (true, sound(stem))] {
            maps.right_words.push(RightWord { heard, text, stem: stem.clone() });
        }
    }
    maps.right_words.sort_unstable_by(|one, other| {
        let order = |word: &RightWord| (word.heard, word.text.bytes().next(), word.text.len());
        order(one).cmp(&order(other)).then_with(|| one.stem.cmp(&other.stem))
    });
    for category in &taxonomy.categories {
        let Some(&node) = names.get(&category.slug) else { continue };
        for misspelling in &category.misspellings {
            let words = Words::new(misspelling);
            let known = maps.phrases.get(words.whole()).is_some_and(|meaning| !meaning.filter.is_empty());
            name(maps, misspelling, node, Standing::Synonym);
            if !known && let Some(meaning) = maps.phrases.get_mut(words.whole()) {
                meaning.literal = true;
            }
        }
    }
    // "bloco" is carnival, and part of most addresses
    for component in maps.components.keys() {
        if let Some(meaning) = maps.phrases.get_mut(Words::new(component).whole())
            && !meaning.filter.is_empty()
        {
            meaning.literal = true;
        }
    }
    let near: HashMap<Node, Vec<Node>> = taxonomy
        .categories
        .iter()
        .filter(|category| !category.near.is_empty())
        .filter_map(|category| {
            let near = category.near.iter().filter_map(|slug| names.get(slug).copied()).collect();
            Some((*names.get(&category.slug)?, near))
        })
        .collect();
    maps.settle_categories(&near);
    names
}

/// How strongly a term names a category: of the categories that have a term, those it names most strongly are meant.
#[derive(PartialEq, Eq, PartialOrd, Ord, Clone, Copy)]
enum Standing {
    Slug,
    Label,
    Synonym,
}

fn add_children(
    taxonomy: &Taxonomy,
    parent: Option<&str>,
    above: Node,
    maps: &mut VocabularyIndex,
    names: &mut CategoryNames,
) {
    for category in taxonomy.categories.iter().filter(|category| category.parent.as_deref() == parent) {
        let node = maps.categories.len() as Node;
        maps.categories.push(Category {
            slug: category.slug.clone(),
            pt: category.pt.clone(),
            en: category.en.clone(),
            parent: if parent.is_some() { above } else { node },
            end: node + 1,
            json: json!({ "slug": category.slug, "pt": category.pt, "en": category.en }).to_string(),
        });
        names.insert(category.slug.clone(), node);
        add_children(taxonomy, Some(&category.slug), node, maps, names);
        maps.categories[usize::from(node)].end = maps.categories.len() as Node;
    }
}

impl VocabularyIndex {
    /// Says that `text` names the category; when it does not `mean` it, only its words are noted.
    fn name_category(&mut self, text: &str, node: Node, means: bool) {
        let words = Words::new(text);
        if words.is_empty() {
            return;
        }
        let filter = &mut self.phrases.entry(words.whole().to_owned()).or_default().filter;
        if means && !filter.contains(&node) {
            filter.push(node);
        }
        self.note_words(&words, |word| {
            if !word.categories.contains(&node) {
                word.categories.push(node);
            }
        });
    }

    /// A filter means every category left to the term. A free question means the most specific of them and
    /// those near them; a single word of a longer term means the widest.
    fn settle_categories(&mut self, near: &HashMap<Node, Vec<Node>>) {
        let categories = &self.categories;
        let contains = |outer: Node, inner: Node| {
            outer != inner && (outer..categories[usize::from(outer)].end).contains(&inner)
        };
        let widest = |nodes: &mut Vec<Node>| {
            let all = nodes.clone();
            nodes.retain(|inner| !all.iter().any(|outer| contains(*outer, *inner)));
            nodes.sort_unstable();
            nodes.dedup();
        };
        for meaning in self.phrases.values_mut() {
            let all = meaning.filter.clone();
            meaning.asked = all.clone();
            meaning.asked.retain(|outer| !all.iter().any(|inner| contains(*outer, *inner)));
            meaning.asked.extend(all.iter().filter_map(|node| near.get(node)).flatten());
            widest(&mut meaning.asked);
            widest(&mut meaning.filter);
        }
        self.words.values_mut().for_each(|word| widest(&mut word.categories));
    }
}

/// A `category` that names nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no such category; the nearest are {}", nearest.join(", "))]
pub struct UnknownCategory {
    /// The three nearest slugs.
    pub nearest: Vec<String>,
}

/// Reads a `category`: a slug, a label, a synonym or a usual misspelling, in Portuguese or English. The answer
/// is the categories meant, none inside another.
pub fn resolve(vocabulary: &ArchivedVocabularyIndex, text: &str) -> Result<Nodes, UnknownCategory> {
    let words = Words::new(text);
    match vocabulary.phrases.get(words.whole()).filter(|meaning| !meaning.filter.is_empty()) {
        Some(meaning) => Ok(meaning.filter.iter().map(|node| node.to_native()).collect()),
        None => Err(UnknownCategory { nearest: nearest(vocabulary, &words) }),
    }
}

/// The slugs of the categories with the nearest slug or label.
fn nearest(vocabulary: &ArchivedVocabularyIndex, words: &Words) -> Vec<String> {
    let terms =
        vocabulary.categories.iter().flat_map(|one| [one.slug.as_str(), one.pt.as_str(), one.en.as_str()]);
    let mut slugs = Vec::new();
    for term in nearest_names(words.folded(), terms) {
        let named =
            |one: &&crate::vocabulary::ArchivedCategory| one.slug == term || one.pt == term || one.en == term;
        if let Some(category) = vocabulary.categories.iter().find(named)
            && !slugs.contains(&category.slug.to_string())
        {
            slugs.push(category.slug.to_string());
        }
        if slugs.len() == 3 {
            break;
        }
    }
    slugs
}
