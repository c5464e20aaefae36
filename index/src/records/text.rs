//! The text index of a collection. Tantivy writes one segment in rank order; its postings are then copied once into
//! flat arrays, because at these lengths decoding a list costs more than walking it.

use std::hash::BuildHasher;
use std::ops::Range;

use hashbrown::{DefaultHashBuilder, HashSet, HashTable};
use tantivy::directory::RamDirectory;
use tantivy::index::Index;
use tantivy::schema::IndexRecordOption;
use tantivy::{
    DocSet, InvertedIndexReader, ReloadPolicy, SingleSegmentIndexWriter, TERMINATED, TantivyDocument,
};

use crate::error::BuildError;
use crate::grammar::fold::{Compared, Outline, phonetic};
use crate::records::postings::{PostingCursor, bitmap};
use crate::records::record_reader::Texts;
use crate::records::schema::{Fields, View, tokenizers};

/// The stems of a collection's texts and the records that have them.
#[derive(Default)]
pub(crate) struct TextIndex {
    /// Positions in `terms`, by the hash of the stem.
    numbers: HashTable<u32>,
    hasher: DefaultHashBuilder,
    /// Sorted by stem, so that those with one prefix are adjacent.
    terms: Vec<Term>,
    /// The first bytes of each of those stems: a prefix search reads nothing else.
    heads: Vec<u64>,
    /// What misspelt words are corrected to, sorted: a correction reads little else.
    targets: Vec<Target>,
    /// The lists of all terms, for each view where the full view has more.
    ranks: Vec<u32>,
    /// The bitmaps of the long lists, one after the other.
    bitmaps: Vec<u64>,
    /// How many words one of them has.
    bitmap_words: usize,
}

/// A stem.
pub(crate) struct Term {
    pub(crate) stem: Box<str>,
    /// Its phonetic form, to correct misspelt words.
    pub(crate) phonetic: Box<str>,
    /// Its lists, by [`Searched`]: each has the one before it.
    lists: [List; 3],
}

/// A form of a stem that misspelt words are compared with.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Target {
    /// Whether it is the phonetic form rather than the stem.
    is_phonetic: bool,
    outline: Outline,
    /// Which of the terms it is.
    term: u32,
}

/// Misspelt words are corrected to no shorter stem, and to no number.
const MIN_TARGET: usize = 4;

/// A list of records.
#[derive(Default, Clone)]
struct List {
    /// Its part of [`TextIndex::ranks`].
    ranks: Range<u32>,
    /// Which of the bitmaps is its own, if it is long.
    bitmap: Option<u32>,
}

/// Which fields a list of records is about.
#[derive(Clone, Copy)]
enum Searched {
    /// Names, styles, venues: what every view may search.
    Open,
    /// Line-ups too: what a record is.
    Subject,
    /// Addresses too: all that the full view may search.
    All,
}

impl Term {
    /// How many records have it in fields that the view may search.
    pub(crate) fn records(&self, view: View) -> u32 {
        let Range { start, end } = self.lists[Searched::all_of(view) as usize].ranks;
        end - start
    }
}

impl Searched {
    fn all_of(view: View) -> Self {
        match view {
            View::Basic => Searched::Open,
            View::Full => Searched::All,
        }
    }
}

impl TextIndex {
    /// The records that have the stem in fields that the view may search; `None` when no record has it.
    pub(crate) fn word(&self, view: View, stem: &str) -> Option<PostingCursor<'_>> {
        self.records(self.term(stem)?, Searched::all_of(view))
    }

    /// The same without addresses.
    pub(crate) fn subject(&self, view: View, stem: &str) -> Option<PostingCursor<'_>> {
        let searched = match view {
            View::Basic => Searched::Open,
            View::Full => Searched::Subject,
        };
        self.records(self.term(stem)?, searched)
    }

    fn term(&self, stem: &str) -> Option<&Term> {
        let term = |number: &u32| &self.terms[*number as usize];
        self.numbers.find(self.hasher.hash_one(stem), |number| *term(number).stem == *stem).map(term)
    }

    /// For each stem with this prefix, the records that have it in fields that the view may search.
    pub(crate) fn with_prefix<'g>(
        &'g self,
        view: View,
        prefix: &'g str,
    ) -> impl Iterator<Item = PostingCursor<'g>> {
        let (low, high) = head_range(prefix);
        let first = self.heads.partition_point(|head| *head < low);
        let end = self.heads.partition_point(|head| *head <= high);
        let begins = move |term: &&Term| prefix.len() <= HEAD || term.stem.starts_with(prefix);
        self.terms[first..end]
            .iter()
            .filter(begins)
            .filter_map(move |term| self.records(term, Searched::all_of(view)))
    }

    fn records(&self, term: &Term, searched: Searched) -> Option<PostingCursor<'_>> {
        let List { ranks: Range { start, end }, bitmap } = term.lists[searched as usize];
        let ranks = Some(&self.ranks[start as usize..end as usize]).filter(|ranks| !ranks.is_empty())?;
        let bitmap = bitmap.map(|number| number as usize * self.bitmap_words);
        let bits = bitmap.map_or(&[][..], |start| &self.bitmaps[start..start + self.bitmap_words]);
        Some(PostingCursor::with_bitmap(ranks, bits))
    }

    /// The words of names whose stem or, if `is_phonetic`, phonetic form may be near a word and begins alike.
    pub(crate) fn may_be_near(&self, word: &Compared<'_>, is_phonetic: bool) -> impl Iterator<Item = &Term> {
        let (least, most) = word.outlines().into_inner();
        let first = self
            .targets
            .partition_point(|target| (target.is_phonetic, target.outline) < (is_phonetic, least));
        let end = self
            .targets
            .partition_point(|target| (target.is_phonetic, target.outline) <= (is_phonetic, most));
        let near = self.targets[first..end].iter().filter(|target| word.may_be_near(target.outline));
        near.map(|target| &self.terms[target.term as usize])
    }

    /// Appends a list and returns where it is.
    fn add(&mut self, ranks: &[u32], records: usize) -> Result<List, BuildError> {
        let number =
            |count: usize| u32::try_from(count).map_err(|_| BuildError::TooLarge("words in records"));
        let start = number(self.ranks.len())?;
        self.ranks.extend_from_slice(ranks);
        let ranges = start..number(self.ranks.len())?;
        let Some(bitmap) = bitmap(ranks, records) else { return Ok(List { ranks: ranges, bitmap: None }) };
        self.bitmap_words = bitmap.len();
        let known = self.bitmaps.len() / bitmap.len();
        self.bitmaps.extend(bitmap);
        Ok(List { ranks: ranges, bitmap: Some(number(known)?) })
    }
}

/// Writes the text index, record by record.
pub(crate) struct TextWriter {
    fields: Fields,
    writer: SingleSegmentIndexWriter,
    /// Hashes of the stems of names.
    names: HashSet<u64>,
    hasher: DefaultHashBuilder,
    count: usize,
}

impl TextWriter {
    /// For about this many records.
    pub(crate) fn new(records: usize) -> tantivy::Result<Self> {
        let fields = Fields::new();
        // the budget only sizes tantivy's term table
        let budget = (records * 200).clamp(15_000_000, 500_000_000);
        let writer = Index::builder()
            .schema(fields.schema.clone())
            .tokenizers(tokenizers())
            .single_segment_index_writer(RamDirectory::create(), budget)?;
        Ok(Self { fields, writer, names: HashSet::new(), hasher: DefaultHashBuilder::default(), count: 0 })
    }

    /// Adds the next record.
    pub(crate) fn add(&mut self, texts: &Texts) -> tantivy::Result<()> {
        let Fields { open, lineup, address, .. } = self.fields;
        let mut document = TantivyDocument::new();
        let fields =
            [(open, &texts.names), (open, &texts.open), (lineup, &texts.lineup), (address, &texts.address)];
        for (field, text) in fields {
            if !text.stems.is_empty() {
                document.add_text(field, &text.stems);
            }
        }
        self.names.extend(texts.names.stems.split_ascii_whitespace().map(|stem| self.hasher.hash_one(stem)));
        self.writer.add_document(document)?;
        self.count += 1;
        Ok(())
    }

    /// Reads back what tantivy wrote.
    pub(crate) fn finish(self) -> Result<TextIndex, BuildError> {
        let mut text = TextIndex::default();
        if self.count == 0 {
            return Ok(text);
        }
        let index = self.writer.finalize()?;
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        let searcher = reader.searcher();
        let segment = searcher.segment_reader(0);
        let mut found = Vec::new();
        let Fields { open, lineup, address, .. } = self.fields;
        for (field, searched) in
            [(open, Searched::Open), (lineup, Searched::Subject), (address, Searched::All)]
        {
            read_field(&*segment.inverted_index(field)?, |stem, ranks| {
                found.push((stem, searched as usize, ranks));
            })?;
        }
        found.sort_by(|left, right| (&left.0, left.1).cmp(&(&right.0, right.1)));
        let mut found = found.into_iter().peekable();
        let mut count = 0u32;
        while let Some((stem, first, ranks)) = found.next() {
            let mut lists: [List; 3] = Default::default();
            let mut all = ranks.into_vec();
            let mut list = text.add(&all, self.count)?;
            let mut from = first;
            while let Some((_, next, more)) = found.next_if(|(other, ..)| *other == stem) {
                lists[from..next].fill(list);
                all.extend(more);
                all.sort_unstable();
                all.dedup();
                list = text.add(&all, self.count)?;
                from = next;
            }
            lists[from..].fill(list);
            text.heads.push(head_range(&stem).0);
            let term = Term { phonetic: phonetic(&stem).into(), stem, lists };
            let is_word = term.stem.len() >= MIN_TARGET
                && term.stem.starts_with(|first: char| first.is_ascii_lowercase());
            if is_word && self.names.contains(&self.hasher.hash_one(&*term.stem)) {
                let target =
                    |is_phonetic, form| Target { is_phonetic, outline: Outline::of(form), term: count };
                text.targets.extend([target(false, &term.stem), target(true, &term.phonetic)]);
            }
            text.terms.push(term);
            count = count.checked_add(1).ok_or(BuildError::TooLarge("words"))?;
        }
        text.targets.sort_unstable();
        let hash = |number: &u32| text.hasher.hash_one(&*text.terms[*number as usize].stem);
        text.numbers.reserve(text.terms.len(), hash);
        for number in 0..count {
            text.numbers.insert_unique(hash(&number), number, hash);
        }
        text.terms.shrink_to_fit();
        text.heads.shrink_to_fit();
        text.targets.shrink_to_fit();
        text.ranks.shrink_to_fit();
        text.bitmaps.shrink_to_fit();
        Ok(text)
    }
}

/// How many bytes of a stem are its head.
const HEAD: usize = 8;

/// The smallest and the greatest head that a stem with this prefix can have.
fn head_range(prefix: &str) -> (u64, u64) {
    let (mut first, mut last) = ([0; HEAD], [u8::MAX; HEAD]);
    for (at, letter) in prefix.bytes().take(HEAD).enumerate() {
        (first[at], last[at]) = (letter, letter);
    }
    (u64::from_be_bytes(first), u64::from_be_bytes(last))
}

/// Hands over each stem of a field with its ranks, both in order.
fn read_field(
    index: &InvertedIndexReader,
    mut each: impl FnMut(Box<str>, Box<[u32]>),
) -> tantivy::Result<()> {
    let mut terms = index.terms().stream()?;
    while terms.advance() {
        let Ok(stem) = std::str::from_utf8(terms.key()) else { continue };
        let mut postings = index.read_postings_from_terminfo(terms.value(), IndexRecordOption::Basic)?;
        let mut ranks = Vec::with_capacity(postings.doc_freq() as usize);
        let mut rank = postings.doc();
        while rank != TERMINATED {
            ranks.push(rank);
            rank = postings.advance();
        }
        each(stem.into(), ranks.into());
    }
    Ok(())
}
