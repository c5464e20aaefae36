//! The text index of a collection. Tantivy writes one segment in rank order; its postings are then copied once into
//! flat arrays, because at these lengths decoding a list costs more than walking it.

use std::hash::BuildHasher;
use std::ops::Range;

use hashbrown::{DefaultHashBuilder, HashTable};
use tantivy::directory::RamDirectory;
use tantivy::index::Index;
use tantivy::schema::IndexRecordOption;
use tantivy::{
    DocSet, InvertedIndexReader, ReloadPolicy, SingleSegmentIndexWriter, TERMINATED, TantivyDocument,
};

use crate::error::BuildError;
use crate::fold::phonetic;
use crate::postings::PostingCursor;
use crate::schema::{Fields, View, tokenizers};

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
    /// The lists of all terms, for each view where the full view has more.
    ranks: Vec<u32>,
}

/// A stem.
pub(crate) struct Term {
    pub(crate) stem: Box<str>,
    /// Its phonetic form, to correct misspelt words.
    pub(crate) phonetic: Box<str>,
    /// Its part of [`TextIndex::ranks`], by view.
    ranks: [Range<u32>; 2],
}

impl Term {
    /// How many records have it in fields that the view may search.
    pub(crate) fn records(&self, view: View) -> u32 {
        let Range { start, end } = self.ranks[view as usize];
        end - start
    }
}

impl TextIndex {
    /// The records that have the stem in fields that the view may search; `None` when no record has it.
    pub(crate) fn word(&self, view: View, stem: &str) -> Option<PostingCursor<'_>> {
        let term = |number: &u32| &self.terms[*number as usize];
        let number = self.numbers.find(self.hasher.hash_one(stem), |number| *term(number).stem == *stem)?;
        self.records(view, term(number))
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
        self.terms[first..end].iter().filter(begins).filter_map(move |term| self.records(view, term))
    }

    fn records(&self, view: View, term: &Term) -> Option<PostingCursor<'_>> {
        let Range { start, end } = term.ranks[view as usize];
        Some(&self.ranks[start as usize..end as usize])
            .filter(|ranks| !ranks.is_empty())
            .map(PostingCursor::from)
    }

    /// All terms that begin with `letter`.
    pub(crate) fn with_first_letter(&self, letter: u8) -> &[Term] {
        let first = self.terms.partition_point(|term| term.stem.as_bytes()[0] < letter);
        let count = self.terms[first..].partition_point(|term| term.stem.as_bytes()[0] == letter);
        &self.terms[first..first + count]
    }

    /// Appends a list and returns where it is.
    fn add(&mut self, ranks: &[u32]) -> Result<Range<u32>, BuildError> {
        let end =
            |ranks: &[u32]| u32::try_from(ranks.len()).map_err(|_| BuildError::TooLarge("words in records"));
        let start = end(&self.ranks)?;
        self.ranks.extend_from_slice(ranks);
        Ok(start..end(&self.ranks)?)
    }
}

/// Writes the text index, record by record.
pub(crate) struct TextWriter {
    fields: Fields,
    writer: SingleSegmentIndexWriter,
    document: TantivyDocument,
    open_stems: usize,
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
        Ok(Self { fields, writer, document: TantivyDocument::new(), open_stems: 0, count: 0 })
    }

    /// Begins the next record with the stems of its open texts.
    pub(crate) fn add_open(&mut self, stems: &str) {
        self.document = TantivyDocument::new();
        self.document.add_text(self.fields.open, stems);
        self.open_stems = stems.len();
    }

    /// Ends the record: `stems` are those given to `add_open`, followed by those of its paid texts.
    pub(crate) fn add_paid(&mut self, stems: &str) -> tantivy::Result<()> {
        if stems.len() > self.open_stems {
            self.document.add_text(self.fields.paid, &stems[self.open_stems..]);
        }
        self.writer.add_document(std::mem::take(&mut self.document))?;
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
        for (field, view) in [(self.fields.open, View::Basic), (self.fields.paid, View::Full)] {
            read_field(&*segment.inverted_index(field)?, |stem, ranks| found.push((stem, view, ranks)))?;
        }
        found.sort_by(|left, right| (&left.0, left.1).cmp(&(&right.0, right.1)));
        let mut found = found.into_iter().peekable();
        while let Some((stem, view, ranks)) = found.next() {
            let more = found.next_if(|(next, ..)| *next == stem);
            let basic = if view == View::Basic { text.add(&ranks)? } else { 0..0 };
            let full = match more {
                None if view == View::Basic => basic.clone(),
                None => text.add(&ranks)?,
                Some((.., more)) => {
                    let mut all = [&*ranks, &*more].concat();
                    all.sort();
                    all.dedup();
                    text.add(&all)?
                }
            };
            text.heads.push(head_range(&stem).0);
            text.terms.push(Term { phonetic: phonetic(&stem).into(), stem, ranks: [basic, full] });
        }
        let count = u32::try_from(text.terms.len()).map_err(|_| BuildError::TooLarge("words"))?;
        let hash = |number: &u32| text.hasher.hash_one(&*text.terms[*number as usize].stem);
        text.numbers.reserve(text.terms.len(), hash);
        for number in 0..count {
            text.numbers.insert_unique(hash(&number), number, hash);
        }
        text.terms.shrink_to_fit();
        text.heads.shrink_to_fit();
        text.ranks.shrink_to_fit();
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
