//! The categories of a guide: their tree, the words that name them, and how a `category` parameter is resolved.

use hashbrown::HashMap;
use snapshots::vocabulary::{Category as Entry, Taxonomy, Vocabulary};

use crate::error::BuildError;
use crate::grammar::fold::phonetic;
use crate::vocabulary::node_ids::{CategoryId, ids, keep_innermost, keep_outermost};
use crate::vocabulary::regions::nearest_names;
use crate::vocabulary::words::Words;
use crate::vocabulary::{
    ArchivedCategory, ArchivedMeaning, ArchivedVocabularyIndex, Category, CategoryIds, CorrectionTarget,
    VocabularyIndex, Word,
};

/// Category ids by slug.
pub(crate) type CategoryNames = HashMap<String, CategoryId>;

/// Adds the categories and all that names them to the index. Misspellings come after the correction targets are
/// collected, so that no word is corrected to one.
pub(crate) fn add_categories(
    vocabulary: &Vocabulary,
    index: &mut VocabularyIndex,
) -> Result<CategoryNames, BuildError> {
    let taxonomy = &vocabulary.taxonomy;
    let mut children = Children::new();
    for category in &taxonomy.categories {
        children.entry(category.parent.as_deref()).or_default().push(category);
    }
    let mut names = CategoryNames::new();
    add_children(&children, None, index, &mut names, 0)?;

    let mut terms = Terms { index, ranks: HashMap::new() };
    for category in &taxonomy.categories {
        let Some(&id) = names.get(&category.slug) else { continue };
        terms.add(&category.slug, id, TermRank::Slug);
        let labels = [Some(&category.pt), Some(&category.en), category.es.as_ref()];
        labels.into_iter().flatten().for_each(|term| terms.add(term, id, TermRank::Label));
        let synonyms = category.synonyms_pt.iter().chain(&category.synonyms_en).chain(&category.synonyms_es);
        synonyms.for_each(|term| terms.add(term, id, TermRank::Synonym));
    }
    for shared in &taxonomy.shared_terms {
        for id in shared.slugs.iter().filter_map(|slug| names.get(slug)) {
            terms.add(&shared.term, *id, TermRank::Synonym);
        }
    }
    vocabulary.synonyms.groups.iter().for_each(|group| terms.add_group(group));
    terms.index.collect_correction_targets();
    for category in &taxonomy.categories {
        let Some(&id) = names.get(&category.slug) else { continue };
        category.misspellings.iter().for_each(|term| terms.add_misspelling(term, id));
    }

    // "bloco" is carnival, and part of most addresses
    for component in index.components.keys() {
        if let Some(meaning) = index.phrases.get_mut(Words::new(component).whole())
            && !meaning.filter_categories.is_empty()
        {
            meaning.literal = true;
        }
    }
    index.settle_categories(&nearby(taxonomy, &names));
    Ok(names)
}

/// The categories by the slug of their parent.
type Children<'t> = HashMap<Option<&'t str>, Vec<&'t Entry>>;

fn add_children(
    children: &Children,
    parent: Option<(&str, CategoryId)>,
    index: &mut VocabularyIndex,
    names: &mut CategoryNames,
    depth: usize,
) -> Result<(), BuildError> {
    if depth > snapshots::MAX_NESTING {
        return Err(BuildError::TooLarge("levels of categories"));
    }
    for category in children.get(&parent.map(|(slug, _)| slug)).into_iter().flatten() {
        let id = CategoryId::next(index.categories.len(), "categories")?;
        index.categories.push(Category {
            slug: category.slug.clone(),
            pt: category.pt.clone(),
            en: category.en.clone(),
            parent: parent.map_or(id, |(_, parent)| parent),
            end: id.after(),
        });
        names.insert(category.slug.clone(), id);
        add_children(children, Some((&category.slug, id)), index, names, depth + 1)?;
        let end = index.categories.last().map_or(id.after(), |last| last.end);
        index.categories[usize::from(id)].end = end;
    }
    Ok(())
}

/// The categories listed as near another, by that one.
fn nearby(taxonomy: &Taxonomy, names: &CategoryNames) -> HashMap<CategoryId, Vec<CategoryId>> {
    let with_near = taxonomy.categories.iter().filter(|category| !category.near.is_empty());
    with_near
        .filter_map(|category| {
            let near = category.near.iter().filter_map(|slug| names.get(slug).copied()).collect();
            Some((*names.get(&category.slug)?, near))
        })
        .collect()
}

/// How strongly a term names a category. A term means only the categories that it names most strongly, so that a slug
/// always means its own category.
#[derive(PartialEq, Eq, PartialOrd, Ord, Clone, Copy)]
enum TermRank {
    Slug,
    Label,
    Synonym,
}

/// Adds terms of categories to the index.
struct Terms<'i> {
    index: &'i mut VocabularyIndex,
    /// The strongest rank of each term so far.
    ranks: HashMap<String, TermRank>,
}

impl Terms<'_> {
    fn add(&mut self, term: &str, id: CategoryId, rank: TermRank) {
        let words = Words::new(term);
        if words.is_empty() {
            return;
        }
        let strongest = self.ranks.entry(words.whole().to_owned()).or_insert(rank);
        let meaning = self.index.phrases.entry(words.whole().to_owned()).or_default();
        if rank < *strongest {
            *strongest = rank;
            meaning.filter_categories.clear();
        }
        if rank == *strongest {
            meaning.filter_categories.push(id);
        }
        meaning.label = *strongest < TermRank::Synonym;
        self.index.add_words(&words, |word| word.categories.push(id));
    }

    /// Adds the words of a group of synonyms to the category that one of them names.
    fn add_group(&mut self, group: &[String]) {
        let named = |phrase: &String| {
            let meaning = self.index.phrases.get(Words::new(phrase).whole())?;
            (!meaning.filter_categories.is_empty()).then(|| meaning.filter_categories.clone())
        };
        let Some(categories) = group.iter().find_map(named) else { return };
        for phrase in group {
            let words = Words::new(phrase);
            if self
                .index
                .phrases
                .get(words.whole())
                .is_none_or(|meaning| meaning.filter_categories.is_empty())
            {
                categories.iter().for_each(|id| self.add(phrase, *id, TermRank::Synonym));
            }
        }
    }

    fn add_misspelling(&mut self, term: &str, id: CategoryId) {
        let words = Words::new(term);
        let meaning = self.index.phrases.get(words.whole());
        let is_term = meaning.is_some_and(|meaning| !meaning.filter_categories.is_empty());
        self.add(term, id, TermRank::Synonym);
        if !is_term && let Some(meaning) = self.index.phrases.get_mut(words.whole()) {
            (meaning.literal, meaning.misspelt) = (true, true);
        }
    }
}

impl VocabularyIndex {
    /// Makes every word known so far, of four letters or more, a correction target, and those of areas that have three:
    /// "asa sull".
    fn collect_correction_targets(&mut self) {
        let is_target =
            |(stem, word): &(&String, &Word)| stem.len() >= if word.areas.is_empty() { 4 } else { 3 };
        for (stem, _) in self.words.iter().filter(is_target) {
            for (is_phonetic, text) in [(false, stem.clone()), (true, phonetic(stem))] {
                self.correction_targets.push(CorrectionTarget {
                    phonetic: is_phonetic,
                    text,
                    stem: stem.clone(),
                });
            }
        }
        let key = |word: &CorrectionTarget| (word.phonetic, word.text.bytes().next(), word.text.len());
        self.correction_targets
            .sort_unstable_by(|one, other| key(one).cmp(&key(other)).then_with(|| one.stem.cmp(&other.stem)));
    }

    /// A filter means every category that a term was left with. Free text means the most specific of them and those
    /// near any of them. A single word of a longer term means the widest.
    fn settle_categories(&mut self, nearby: &HashMap<CategoryId, Vec<CategoryId>>) {
        let Self { categories, phrases, words, .. } = self;
        let end = |id: CategoryId| categories[usize::from(id)].end;
        for meaning in phrases.values_mut() {
            let mut text_categories = meaning.filter_categories.clone();
            keep_innermost(&mut text_categories, end);
            text_categories
                .extend(meaning.filter_categories.iter().filter_map(|id| nearby.get(id)).flatten());
            keep_outermost(&mut text_categories, end);
            meaning.text_categories = text_categories;
            keep_outermost(&mut meaning.filter_categories, end);
        }
        words.values_mut().for_each(|word| keep_outermost(&mut word.categories, end));
    }
}

/// A `category` that no term matches.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no such category; the nearest are: {}", nearest.join(", "))]
pub struct UnknownCategory {
    /// The nearest slugs, at most three.
    pub nearest: Vec<String>,
}

/// The categories that a text names by a slug, a label, a synonym or a usual misspelling. None of them lies inside
/// another.
#[must_use]
pub fn named(vocabulary: &ArchivedVocabularyIndex, text: &str) -> Option<CategoryIds> {
    meaning(vocabulary, &Words::new(text)).map(|meaning| ids(&meaning.filter_categories).collect())
}

/// The categories that the phrases of a text name, in the order of the text, the shorter phrases first.
#[must_use]
pub fn named_within(vocabulary: &ArchivedVocabularyIndex, text: &str) -> Vec<CategoryId> {
    let words = Words::new(text);
    let mut named = Vec::new();
    for at in 0..words.len() {
        let longest = vocabulary.words.get(words.stem(at)).map_or(0, |word| usize::from(word.longest_phrase));
        for to in at + 1..=(at + longest).min(words.len()) {
            if let Some(meaning) = vocabulary.phrases.get(words.phrase(at, to)) {
                named.extend(ids::<_, CategoryId>(&meaning.filter_categories));
            }
        }
    }
    named
}

/// Resolves a `category`: what it names, and whether the text is a usual misspelling.
///
/// # Errors
///
/// If no term matches, with the nearest, which takes a comparison with every category.
pub fn resolve(
    vocabulary: &ArchivedVocabularyIndex,
    text: &str,
) -> Result<(CategoryIds, bool), UnknownCategory> {
    let words = Words::new(text);
    match meaning(vocabulary, &words) {
        Some(meaning) => Ok((ids(&meaning.filter_categories).collect(), meaning.misspelt)),
        None => Err(UnknownCategory { nearest: nearest(vocabulary, &words) }),
    }
}

/// What words mean that name a category.
fn meaning<'v>(vocabulary: &'v ArchivedVocabularyIndex, words: &Words) -> Option<&'v ArchivedMeaning> {
    vocabulary.phrases.get(words.whole()).filter(|meaning| !meaning.filter_categories.is_empty())
}

/// The slugs of at most three categories whose slug or label is spelt like the text, the most alike first.
fn nearest(vocabulary: &ArchivedVocabularyIndex, words: &Words) -> Vec<String> {
    let terms =
        vocabulary.categories.iter().flat_map(|one| [one.slug.as_str(), one.pt.as_str(), one.en.as_str()]);
    let mut slugs = Vec::new();
    for term in nearest_names(words.folded(), terms) {
        let has_term = |one: &&ArchivedCategory| one.slug == term || one.pt == term || one.en == term;
        if let Some(category) = vocabulary.categories.iter().find(has_term)
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
