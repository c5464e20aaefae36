//! A shelf: all records of one kind in rank order, and every way to find them. Ranks are tantivy's document ids:
//! one segment, filled in order, so that the first matches are the answer.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashSet};

use crate::calendar::Calendar;
use crate::categories::CategoryNames;
use crate::dates::Window;
use crate::fold::fold;
use crate::regions::AreaNames;
use crate::rendered::RenderedRecords;
use crate::schema::{Entry, View};
use crate::sets::{List, Ranks, Set, walk};
use crate::text::{Documents, Text};
use crate::totals::Totals;
use crate::vocabulary::{ArchivedVocabularyIndex, EVERYWHERE, Node};
use crate::words::Words;

/// All records of one kind, findable.
pub struct Collection {
    /// The rendered records, by rank.
    pub rendered: RenderedRecords,
    /// Ranks sorted by id.
    by_id: Vec<u32>,
    /// What comes before name and id in the order, by rank.
    primary: Vec<u64>,
    /// Ranks by (area, category) with all they contain: the answers to every question of filters alone.
    pairs: Pairs,
    /// Ranks by what a free question's words mean, for each view.
    meant: [Meant; 2],
    /// Folded names and aliases, hashed.
    names: HashSet<u64>,
    pub(crate) hasher: DefaultHashBuilder,
    pub(crate) text: Text,
    pub(crate) calendar: Option<Calendar>,
    pub(crate) totals: Totals,
}

/// Ranks by (area, category).
struct Pairs {
    categories: usize,
    ranks: Vec<Ranks>,
}

/// Ranks by what words mean: records that are members of an area or a category, and those whose own text names it.
struct Meant {
    areas: Vec<Ranks>,
    categories: Vec<Ranks>,
    /// Records of a wing whose text gives the superquadra.
    quadras: HashMap<(Node, u16), Ranks>,
    /// Records of a wing whose text gives none.
    silent: HashMap<Node, Ranks>,
}

impl Collection {
    /// How many records there are.
    pub fn len(&self) -> u32 {
        self.rendered.len() as u32
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rendered.is_empty()
    }

    /// The rank of the record with this id.
    pub fn find(&self, id: &str) -> Option<u32> {
        let at = self.by_id.binary_search_by(|rank| self.rendered.id(*rank).cmp(id)).ok()?;
        Some(self.by_id[at])
    }

    /// The ranks of an area's records of a category; of all categories for `None`.
    pub fn filtered(&self, area: Node, category: Option<Node>) -> &[u32] {
        self.members(area, category)
    }

    pub(crate) fn members(&self, area: Node, category: Option<Node>) -> &Ranks {
        let column = category.map_or(0, |node| usize::from(node) + 1);
        &self.pairs.ranks[usize::from(area) * self.pairs.categories + column]
    }

    /// Whether the record at `rank` lies in the area.
    pub fn is_in_area(&self, rank: u32, area: Node) -> bool {
        area == EVERYWHERE || self.filtered(area, None).binary_search(&rank).is_ok()
    }

    /// How many events of the area and category are on in the window; none on a shelf of places.
    pub fn count_events(&self, window: Window, area: Node, category: Option<Node>) -> u32 {
        let Some(calendar) = &self.calendar else { return 0 };
        let mut count = 0;
        walk(&mut [Set::List(self.members(area, category).into())], calendar.range(window), 0, |_| {
            count += 1;
            true
        });
        count
    }

    /// What a record is ordered by: see [`crate::search::Cursor`].
    pub(crate) fn order(&self, rank: u32) -> (u64, Cow<'_, str>, &str) {
        let (id, name) = self.rendered.id_and_name(rank);
        (self.primary[rank as usize], name, id)
    }

    /// How many ranks come before or at the given place in the order.
    pub(crate) fn after(&self, primary: u64, name: &str, id: &str) -> u32 {
        let folded = fold(name);
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            let (there, its_name, its_id) = self.order(middle);
            let its_folded = fold(&its_name);
            if (there, its_folded.as_str(), &*its_name, its_id) <= (primary, folded.as_str(), name, id) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    pub(crate) fn is_name(&self, folded: &str) -> bool {
        self.names.contains(&self.hasher.hash_one(folded))
    }

    pub(crate) fn meant_area(&self, view: View, node: Node) -> List<'_> {
        (&self.meant[view as usize].areas[usize::from(node)]).into()
    }

    pub(crate) fn meant_category(&self, view: View, node: Node) -> List<'_> {
        (&self.meant[view as usize].categories[usize::from(node)]).into()
    }

    pub(crate) fn quadra(&self, view: View, wing: Node, number: u16) -> Option<List<'_>> {
        self.meant[view as usize].quadras.get(&(wing, number)).map(List::from)
    }

    pub(crate) fn silent(&self, view: View, wing: Node) -> Option<List<'_>> {
        self.meant[view as usize].silent.get(&wing).map(List::from)
    }

    /// A stem as a record spells it. A stem is a key; people are shown words.
    pub(crate) fn spelling(&self, view: View, stem: &str) -> Option<String> {
        let mut card = Vec::new();
        self.rendered.write(self.text.word(view, stem)?.rank(), view, &mut card);
        let words = Words::new(std::str::from_utf8(&card).ok()?);
        (0..words.len()).find(|at| words.stem(*at) == stem).map(|at| words.raw(at).to_owned())
    }
}

/// Puts records on a shelf.
pub(crate) struct Builder<'m> {
    pub(crate) vocabulary: &'m ArchivedVocabularyIndex,
    pub(crate) areas: &'m AreaNames,
    pub(crate) categories: &'m CategoryNames,
}

/// Why a shelf could not be built.
#[derive(Debug, thiserror::Error)]
pub enum CollectionError {
    /// A record names an area or a category that the vocabulary lacks: the snapshot was not checked.
    #[error("record {0} names an unknown region, neighbourhood or category; run the check on this snapshot")]
    Unplaced(String),
    /// The text index could not be written.
    #[error("the text index could not be built: {0}")]
    Text(#[from] tantivy::TantivyError),
}

impl Builder<'_> {
    /// Sorts the records into rank order and builds every way to find them.
    pub(crate) fn build<'r, R>(
        &self,
        records: &'r [R],
        card: impl Fn(&mut RenderedRecords, &R),
    ) -> Result<Collection, CollectionError>
    where
        Entry<'r>: From<&'r R>,
    {
        let mut order: Vec<(Entry<'r>, String, &R)> = records
            .iter()
            .map(|record| {
                let entry = Entry::from(record);
                let folded = fold(entry.name);
                (entry, folded, record)
            })
            .collect();
        order.sort_by(|left, right| {
            let key = |one: &(Entry<'r>, String, &R)| (one.0.primary, one.0.name, one.0.id);
            left.0
                .primary
                .cmp(&right.0.primary)
                .then_with(|| left.1.cmp(&right.1))
                .then_with(|| key(left).cmp(&key(right)))
        });

        let mut rendered = RenderedRecords::default();
        let mut lists = Lists::new(self.vocabulary);
        let mut primary = Vec::with_capacity(order.len());
        let mut names = HashSet::new();
        let hasher = DefaultHashBuilder::default();
        let mut documents = Documents::new(order.len())?;
        for (rank, (entry, _, record)) in order.iter().enumerate() {
            card(&mut rendered, record);
            primary.push(entry.primary);
            names.extend(entry.names.iter().map(|name| hasher.hash_one(fold(name))));
            self.place(rank as u32, entry, &mut lists, &mut documents)?;
        }
        rendered.finish();
        let calendar = Calendar::new(order.iter().filter_map(|(entry, ..)| entry.days));
        let mut by_id: Vec<u32> = (0..order.len() as u32).collect();
        by_id.sort_unstable_by_key(|rank| order[*rank as usize].0.id);
        drop(order);
        let (pairs, meant) = lists.finish(rendered.len());
        Ok(Collection {
            rendered,
            by_id,
            primary,
            pairs,
            meant,
            names,
            hasher,
            text: documents.finish()?,
            calendar,
            totals: Totals::default(),
        })
    }

    /// Notes everything that one record is found by.
    fn place(
        &self,
        rank: u32,
        entry: &Entry,
        lists: &mut Lists,
        documents: &mut Documents,
    ) -> Result<(), CollectionError> {
        let unplaced = || CollectionError::Unplaced(entry.id.to_owned());
        let area = self.areas.of(entry.region, entry.neighbourhood).ok_or_else(unplaced)?;
        let categories: Option<Vec<Node>> =
            entry.categories.iter().map(|slug| self.categories.get(*slug).copied()).collect();
        let areas = ancestors(area, |node| self.vocabulary.areas[usize::from(node)].parent.to_native());
        let mut above: Vec<Node> = categories
            .ok_or_else(unplaced)?
            .into_iter()
            .flat_map(|node| {
                ancestors(node, |node| self.vocabulary.categories[usize::from(node)].parent.to_native())
            })
            .collect();
        above.sort_unstable();
        above.dedup();
        lists.add_member(rank, &areas, &above);

        let mut said = Said::default();
        for text in entry.names.iter().chain(&entry.open) {
            said.read(self.vocabulary, text);
        }
        let wing = areas.iter().copied().find(|area| self.vocabulary.wings.values().any(|wing| wing == area));
        // a part of a wing, such as its hotel sector, has no superquadras: who says none there is not perhaps at one
        let wing = wing.map(|wing| Wing { node: wing, itself: wing == area });
        lists.add_said(rank, View::Basic, &said, wing);
        documents.open(&said.stems);
        for text in &entry.paid {
            said.read(self.vocabulary, text);
        }
        lists.add_said(rank, View::Full, &said, wing);
        documents.paid(&said.stems)?;
        Ok(())
    }
}

/// A node and all above it.
fn ancestors(node: Node, parent: impl Fn(Node) -> Node) -> Vec<Node> {
    std::iter::successors(Some(node), |node| Some(parent(*node)).filter(|above| above != node)).collect()
}

/// The wing a record lies in.
#[derive(Clone, Copy)]
struct Wing {
    node: Node,
    /// In the wing as such, in none of its parts.
    itself: bool,
}

/// What a record's own text says.
#[derive(Default)]
struct Said {
    /// All stems, with a blank after each.
    stems: String,
    areas: Vec<Node>,
    categories: Vec<Node>,
    quadras: Vec<u16>,
}

impl Said {
    fn read(&mut self, vocabulary: &ArchivedVocabularyIndex, text: &str) {
        let words = Words::new(text);
        self.stems.push_str(words.whole());
        self.stems.push(' ');
        for at in 0..words.len() {
            self.quadras.extend(words.quadra(at));
            let Some(word) = vocabulary.words.get(words.stem(at)) else { continue };
            let longest = usize::from(word.longest).min(words.len() - at);
            for to in at + 1..=at + longest {
                let Some(meaning) = vocabulary.phrases.get(words.phrase(at, to)) else { continue };
                // short forms of two letters, misspellings and words of addresses are too likely to be something else
                if to - at > 1 || words.raw(at).len() > 2 {
                    self.areas.extend(
                        meaning.areas.iter().map(|node| node.to_native()).filter(|node| *node != EVERYWHERE),
                    );
                }
                if !meaning.literal {
                    // all that a filter by these words finds, and all that a question with them asks for
                    let meant = meaning.filter.iter().chain(meaning.asked.iter());
                    self.categories.extend(meant.map(|node| node.to_native()));
                }
            }
        }
    }
}

/// The lists of a shelf while records come in.
struct Lists<'m> {
    vocabulary: &'m ArchivedVocabularyIndex,
    pairs: Vec<Vec<u32>>,
    meant: [OpenMeant; 2],
}

#[derive(Default)]
struct OpenMeant {
    areas: Vec<Vec<u32>>,
    categories: Vec<Vec<u32>>,
    quadras: HashMap<(Node, u16), Vec<u32>>,
    silent: HashMap<Node, Vec<u32>>,
}

/// Adds a rank once: ranks come in order, so a double is always the last.
fn note(ranks: &mut Vec<u32>, rank: u32) {
    if ranks.last() != Some(&rank) {
        ranks.push(rank);
    }
}

impl<'m> Lists<'m> {
    fn new(vocabulary: &'m ArchivedVocabularyIndex) -> Self {
        let (areas, categories) = (vocabulary.areas.len(), vocabulary.categories.len());
        let meant = || OpenMeant {
            areas: vec![Vec::new(); areas],
            categories: vec![Vec::new(); categories],
            ..OpenMeant::default()
        };
        Self { vocabulary, pairs: vec![Vec::new(); areas * (categories + 1)], meant: [meant(), meant()] }
    }

    fn add_member(&mut self, rank: u32, areas: &[Node], categories: &[Node]) {
        let columns = self.vocabulary.categories.len() + 1;
        for area in areas {
            let row = usize::from(*area) * columns;
            self.pairs[row].push(rank);
            for category in categories {
                self.pairs[row + 1 + usize::from(*category)].push(rank);
            }
        }
        for meant in &mut self.meant {
            for area in areas {
                note(&mut meant.areas[usize::from(*area)], rank);
            }
            for category in categories {
                note(&mut meant.categories[usize::from(*category)], rank);
            }
        }
    }

    fn add_said(&mut self, rank: u32, view: View, said: &Said, wing: Option<Wing>) {
        let meant = &mut self.meant[view as usize];
        for node in &said.areas {
            note(&mut meant.areas[usize::from(*node)], rank);
        }
        for node in &said.categories {
            note(&mut meant.categories[usize::from(*node)], rank);
        }
        let Some(wing) = wing else { return };
        if said.quadras.is_empty() && wing.itself {
            note(meant.silent.entry(wing.node).or_default(), rank);
        }
        for number in &said.quadras {
            note(meant.quadras.entry((wing.node, *number)).or_default(), rank);
        }
    }

    /// On a shelf of `len` records.
    fn finish(self, len: usize) -> (Pairs, [Meant; 2]) {
        let kept = |lists: Vec<Vec<u32>>| lists.into_iter().map(|ranks| Ranks::new(ranks, len)).collect();
        let pairs = Pairs { categories: self.vocabulary.categories.len() + 1, ranks: kept(self.pairs) };
        let meant = self.meant.map(|meant| Meant {
            areas: kept(meant.areas),
            categories: kept(meant.categories),
            quadras: meant.quadras.into_iter().map(|(key, ranks)| (key, Ranks::new(ranks, len))).collect(),
            silent: meant.silent.into_iter().map(|(key, ranks)| (key, Ranks::new(ranks, len))).collect(),
        });
        (pairs, meant)
    }
}
