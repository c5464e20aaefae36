//! Reads what a record says apart from its days and hours: its areas and categories, the words of its texts, where it
//! is. The events of a series say the same, so that one of them is read for all.

use std::hash::BuildHasher;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use hashbrown::{DefaultHashBuilder, HashMap, HashSet};
use snapshots::Snapshot;

use crate::error::BuildError;
use crate::grammar::fixed_words::is_child;
use crate::grammar::fold::{fold, pairs};
use crate::grammar::stop_words::{is_from, is_street};
use crate::grammar::tokens::says_free;
use crate::records::positions::{Gazetteer, Location, Whereabouts};
use crate::records::schema::{Content, Entry};
use crate::vocabulary::categories::CategoryNames;
use crate::vocabulary::node_ids::{AreaId, CategoryId, ids};
use crate::vocabulary::regions::AreaNames;
use crate::vocabulary::words::{Words, phrase};
use crate::vocabulary::{ArchivedAreaKind, ArchivedMeaning, ArchivedVocabularyIndex, EVERYWHERE};

/// Reads records with the vocabulary of their snapshot.
pub(crate) struct RecordReader<'v> {
    pub(crate) vocabulary: &'v ArchivedVocabularyIndex,
    pub(crate) areas: &'v AreaNames,
    pub(crate) categories: &'v CategoryNames,
    pub(crate) hasher: &'v DefaultHashBuilder,
    pub(crate) gazetteer: &'v Arc<Gazetteer>,
    /// Where the places are at which events take place.
    pub(crate) venues: &'v Venues,
}

/// Where the places are at which events take place.
#[derive(Default)]
pub(crate) struct Venues {
    /// By folded name, for events that name no place by its id.
    by_name: HashMap<String, Location>,
    by_id: HashMap<String, Location>,
}

/// What a record says apart from its days and hours.
pub(crate) struct RecordFacts {
    /// The narrowest area.
    pub(crate) area: AreaId,
    /// It and all that contain it.
    pub(crate) areas: Vec<AreaId>,
    pub(crate) main_category: CategoryId,
    /// All its categories and those that contain them, in order.
    pub(crate) categories: Vec<CategoryId>,
    pub(crate) wing: Option<Wing>,
    pub(crate) is_free: bool,
    pub(crate) has_price: bool,
    /// Where it is, as the basic view shows it.
    pub(crate) area_location: Option<Location>,
    /// Where it is, as the full view shows it.
    pub(crate) location: Option<Location>,
    /// Hashes of its folded names.
    pub(crate) names: Vec<u64>,
    /// Hashes of the pairs of words in them.
    pub(crate) name_pairs: Vec<u64>,
    /// Hashes of what the venue may be called, of an event that names no place by its id.
    pub(crate) venues: Vec<u64>,
    /// The hash of the id of the place where it takes place.
    pub(crate) place: Option<u64>,
    pub(crate) texts: Texts,
}

/// What each part of a record's text says.
pub(crate) struct Texts {
    pub(crate) names: TextTerms,
    /// What else every view searches.
    pub(crate) open: TextTerms,
    pub(crate) lineup: TextTerms,
    pub(crate) address: TextTerms,
}

/// What was read of series.
#[derive(Default)]
pub(crate) struct FactsBySeries<'r>(HashMap<&'r str, (Content<'r>, Rc<RecordFacts>)>);

impl<'r> FactsBySeries<'r> {
    /// What a record says, read anew unless the event before it in its series says the same.
    pub(crate) fn facts(
        &mut self,
        reader: &RecordReader,
        entry: &Entry<'r>,
    ) -> Result<Rc<RecordFacts>, BuildError> {
        let known = entry.series.and_then(|series| self.0.get(series));
        if let Some((_, facts)) = known.filter(|(content, _)| *content == entry.content) {
            return Ok(Rc::clone(facts));
        }
        let facts = Rc::new(reader.read(entry)?);
        if let Some(series) = entry.series {
            self.0.insert(series, (entry.content.clone(), Rc::clone(&facts)));
        }
        Ok(facts)
    }
}

impl RecordReader<'_> {
    /// Reads a record; fails when the vocabulary does not know its area or one of its categories.
    fn read(&self, entry: &Entry) -> Result<RecordFacts, BuildError> {
        let unknown = || unknown_name(entry);
        let content = &entry.content;
        let area = self.area(entry)?;
        let areas: Vec<AreaId> = self.vocabulary.area_and_above(area).collect();
        let mut categories: Vec<CategoryId> = Vec::new();
        for slug in &content.categories {
            let category = *self.categories.get(*slug).ok_or_else(unknown)?;
            categories.extend(self.vocabulary.category_and_above(category));
        }
        // each comes before those that contain it
        let main_category = *categories.first().ok_or_else(unknown)?;
        categories.sort_unstable();
        categories.dedup();

        let wing = areas.iter().copied().find(|id| self.vocabulary.area(*id).is_wing);
        // a part of a wing, such as its hotel sector, has no superquadras, so that a missing one says nothing there
        let wing = wing.map(|id| Wing { id, directly: id == area });
        let hash = |text: &str| self.hasher.hash_one(fold(text).as_str());
        let names: Vec<String> = content.names.iter().map(|name| fold(name)).collect();
        let venue = content.venue.filter(|_| content.place.is_none());
        let says_free = |price| says_free(&Words::new(price).tokens());
        let terms = |texts: &[&str]| TextTerms::read(self.vocabulary, texts, false);
        Ok(RecordFacts {
            area,
            areas,
            main_category,
            categories,
            wing,
            is_free: content.is_free || content.price.is_some_and(says_free),
            has_price: content.price.is_some(),
            area_location: self.gazetteer.area(area),
            location: self.location(content, area),
            names: names.iter().map(|name| self.hasher.hash_one(name.as_str())).collect(),
            name_pairs: names
                .iter()
                .flat_map(|name| pairs(name))
                .map(|pair| self.hasher.hash_one(pair))
                .collect(),
            venues: venue.into_iter().flat_map(venue_names).map(hash).collect(),
            place: content.place.map(hash),
            texts: Texts {
                names: terms(&content.names),
                open: terms(&content.open),
                lineup: terms(content.lineup.as_slice()),
                address: TextTerms::read(self.vocabulary, content.address.as_slice(), true),
            },
        })
    }

    /// Where a record is, as the full view shows it.
    fn location(&self, content: &Content, area: AreaId) -> Option<Location> {
        let Venues { by_name, by_id } = self.venues;
        let place = match content.place {
            Some(place) => by_id.get(place),
            None => content.venue.filter(|_| !by_name.is_empty()).and_then(|venue| by_name.get(&fold(venue))),
        };
        let Content { position, address, names, venue, open, .. } = content;
        let whereabouts = Whereabouts {
            own: *position,
            address: *address,
            style: open.first().copied(),
            names,
            place: place.copied(),
            venue: *venue,
            area,
        };
        self.gazetteer.record(self.vocabulary, &whereabouts)
    }

    /// The narrowest area of a record.
    fn area(&self, entry: &Entry) -> Result<AreaId, BuildError> {
        let area = self.areas.find(entry.content.region, entry.content.neighbourhood);
        area.ok_or_else(|| unknown_name(entry))
    }

    /// Where a record is, as the full view shows it; fails for an unknown area.
    pub(crate) fn locate(&self, entry: &Entry) -> Result<Option<Location>, BuildError> {
        Ok(self.location(&entry.content, self.area(entry)?))
    }

    /// Where the places are at which events take place.
    pub(crate) fn venues(&self, snapshot: &Snapshot) -> Venues {
        let mut venues = Venues::default();
        if self.gazetteer.is_empty() {
            return venues;
        }
        let (mut names, mut ids) = (HashSet::new(), HashSet::new());
        for event in &snapshot.events {
            match &event.place {
                Some(place) => drop(ids.insert(place.as_str())),
                None => names.extend(event.venue.as_deref().map(fold)),
            }
        }
        for place in &snapshot.places {
            let entry = Entry::from(place);
            let location = || self.locate(&entry).ok().flatten();
            for name in entry.content.names.iter().map(|name| fold(name)).filter(|name| names.contains(name))
            {
                if let Some(location) = location() {
                    venues.by_name.entry(name).or_insert(location);
                }
            }
            if let Some(location) = ids.contains(entry.id).then(location).flatten() {
                venues.by_id.insert(entry.id.to_owned(), location);
            }
        }
        venues
    }
}

fn unknown_name(entry: &Entry) -> BuildError {
    BuildError::UnknownName(entry.id.to_owned())
}

/// What a venue may be called: all of it, or what stands before its first comma ("Parque da Cidade, estacionamento 5").
fn venue_names(venue: &str) -> impl Iterator<Item = &str> {
    let building = venue.split_once(',').map(|(building, _)| building);
    std::iter::once(venue).chain(building)
}

/// The words of an address that are the name of a region or a street, and say nothing of a category: "Park Way",
/// "Estrada Parque". A neighbourhood of that name may well be a park.
pub(crate) fn names_in_address(vocabulary: &ArchivedVocabularyIndex, words: &Words) -> Vec<Range<usize>> {
    let is_wide = |id: AreaId| vocabulary.area(id).kind != ArchivedAreaKind::Neighbourhood;
    let regions = (0..words.len()).filter_map(|at| {
        let is_name = |meaning: &ArchivedMeaning, taken| {
            taken > 1 && !meaning.areas.is_empty() && ids(&meaning.areas).all(is_wide)
        };
        Some(at..at + phrase(vocabulary, words, at, is_name)?.taken)
    });
    let is_of_street = |at: usize| {
        let mut before = words.before(at).skip_while(|word| is_from(word) || matches!(*word, "dos" | "das"));
        before.next().is_some_and(is_street)
    };
    let streets = (0..words.len()).filter(|at| is_of_street(*at)).map(|at| at..at + 1);
    regions.chain(streets).collect()
}

/// The wing that a record is in.
#[derive(Clone, Copy)]
pub(crate) struct Wing {
    pub(crate) id: AreaId,
    /// In none of the wing's own parts.
    pub(crate) directly: bool,
}

/// What the vocabulary knows of some texts.
#[derive(Default)]
pub(crate) struct TextTerms {
    /// All stems, each followed by a space.
    pub(crate) stems: String,
    pub(crate) areas: Vec<AreaId>,
    pub(crate) categories: Vec<CategoryId>,
    /// Those of which a label was read.
    pub(crate) labels: Vec<CategoryId>,
    /// The terms of categories.
    pub(crate) mentions: Vec<String>,
    pub(crate) quadras: Vec<u16>,
    pub(crate) groups: Vec<u32>,
}

impl TextTerms {
    fn read(vocabulary: &ArchivedVocabularyIndex, texts: &[&str], are_addresses: bool) -> Self {
        let mut terms = Self::default();
        texts.iter().for_each(|text| terms.add(vocabulary, text, are_addresses));
        terms
    }

    fn add(&mut self, vocabulary: &ArchivedVocabularyIndex, text: &str, is_address: bool) {
        let words = Words::new(text);
        let names = if is_address { names_in_address(vocabulary, &words) } else { Vec::new() };
        self.stems.push_str(words.whole());
        self.stems.push(' ');
        for at in 0..words.len() {
            self.quadras.extend(words.quadra(at));
            self.read_synonyms(vocabulary, &words, at);
            let Some(word) = vocabulary.words.get(words.stem(at)) else { continue };
            let longest = usize::from(word.longest_phrase).min(words.len() - at);
            for to in at + 1..=at + longest {
                let Some(meaning) = vocabulary.phrases.get(words.phrase(at, to)) else { continue };
                // abbreviations of two letters are too likely to mean something else
                if (to - at > 1 || words.raw(at).len() > 2) && words.may_name_areas(meaning, at, to) {
                    self.areas.extend(ids(&meaning.areas).filter(|id: &AreaId| *id != EVERYWHERE));
                }
                let is_of_name = names.iter().any(|name| name.start <= at && to <= name.end);
                // so are misspellings and words of addresses
                if !meaning.literal && !is_of_name {
                    let categories = meaning.filter_categories.iter().chain(meaning.text_categories.iter());
                    let categories = categories.map(|id| id.to_native());
                    if meaning.label {
                        self.labels.extend(categories.clone());
                    }
                    if !meaning.text_categories.is_empty() {
                        self.mentions.push(words.phrase(at, to).to_owned());
                    }
                    // nor is the sanctuary of the "Menino Jesus" for children
                    if to - at > 1 || !is_child(words.raw(at)) {
                        self.categories.extend(categories);
                    }
                }
            }
        }
    }

    fn read_synonyms(&mut self, vocabulary: &ArchivedVocabularyIndex, words: &Words, at: usize) {
        let Some(longest) = vocabulary.synonyms.longest.get(words.stem(at)) else { return };
        let longest = usize::from(*longest).min(words.len() - at);
        let phrases = (at + 1..=at + longest).map(|to| words.phrase(at, to));
        self.groups.extend(
            phrases
                .filter_map(|phrase| vocabulary.synonyms.phrases.get(phrase))
                .map(|group| group.to_native()),
        );
    }
}
