//! The text index of a shelf. Tantivy writes it: one segment, filled in rank order. Its postings are then read
//! once into flat arrays, because at the length of a guide's lists decoding a list costs more than walking it.

use std::collections::HashMap;
use std::ops::Range;

use tantivy::directory::RamDirectory;
use tantivy::index::Index;
use tantivy::schema::IndexRecordOption;
use tantivy::{
    DocSet, InvertedIndexReader, ReloadPolicy, SingleSegmentIndexWriter, TERMINATED, TantivyDocument,
};

use crate::fold::sound;
use crate::schema::{Fields, View, tokenizers};
use crate::sets::{Set, Sets};

/// The stems of a shelf and where they occur.
#[derive(Default)]
pub(crate) struct Text {
    /// By stem: its number in `terms`.
    numbers: HashMap<Box<str>, u32>,
    /// In the order of their stems, so that those of a prefix are neighbours.
    terms: Vec<Term>,
    /// Ranks by term, in two parts: texts that all may find by, and what only paid texts add.
    open: Vec<u32>,
    paid: Vec<u32>,
}

/// A stem.
pub(crate) struct Term {
    pub(crate) stem: Box<str>,
    /// How it sounds, to find what a misspelt word meant.
    pub(crate) sound: Box<str>,
    open: Range<u32>,
    paid: Range<u32>,
}

impl Term {
    /// How many records have it, as the view may know.
    pub(crate) fn records(&self, view: View) -> u32 {
        let paid = if view == View::Full { self.paid.len() } else { 0 };
        (self.open.len() + paid) as u32
    }
}

impl Text {
    /// Adds the records that have the stem, as the view may know them; whether there are any.
    pub(crate) fn add_word<'g>(&'g self, view: View, stem: &str, sets: &mut Sets<'g>) -> bool {
        let Some(number) = self.numbers.get(stem) else { return false };
        let term = &self.terms[*number as usize];
        let before = sets.len();
        let parts = [
            ranks(&self.open, &term.open),
            if view == View::Full { ranks(&self.paid, &term.paid) } else { &[] },
        ];
        sets.extend(parts.into_iter().filter(|ranks| !ranks.is_empty()).map(Set::list));
        sets.len() > before
    }

    /// Adds the records that have a stem that begins with `prefix`, as the view may know them, on a shelf of `len`.
    pub(crate) fn add_prefix<'g>(&'g self, view: View, prefix: &str, len: u32, sets: &mut Sets<'g>) {
        let first = self.terms.partition_point(|term| *term.stem < *prefix);
        let count = self.terms[first..].partition_point(|term| term.stem.starts_with(prefix));
        let (Some(from), Some(to)) = (self.terms.get(first), self.terms[..first + count].last()) else {
            return;
        };
        if count == 0 {
            return;
        }
        // the lists of neighbouring terms lie next to each other
        let open = ranks(&self.open, &(from.open.start..to.open.end));
        let paid = if view == View::Full { ranks(&self.paid, &(from.paid.start..to.paid.end)) } else { &[] };
        if !open.is_empty() || !paid.is_empty() {
            sets.push(Set::bits(open.iter().chain(paid), len));
        }
    }

    /// All stems that begin with `letter`.
    pub(crate) fn beginning_with(&self, letter: u8) -> &[Term] {
        let first = self.terms.partition_point(|term| term.stem.as_bytes()[0] < letter);
        let count = self.terms[first..].partition_point(|term| term.stem.as_bytes()[0] == letter);
        &self.terms[first..first + count]
    }
}

fn ranks<'g>(all: &'g [u32], range: &Range<u32>) -> &'g [u32] {
    &all[range.start as usize..range.end as usize]
}

/// The text index while records come in.
pub(crate) struct Documents {
    fields: Fields,
    writer: SingleSegmentIndexWriter,
    document: TantivyDocument,
    open_stems: usize,
    count: usize,
}

impl Documents {
    /// For about so many records.
    pub(crate) fn new(records: usize) -> tantivy::Result<Self> {
        let fields = Fields::new();
        // the budget only sizes tantivy's table of terms
        let budget = (records * 200).clamp(15_000_000, 500_000_000);
        let writer = Index::builder()
            .schema(fields.schema.clone())
            .tokenizers(tokenizers())
            .single_segment_index_writer(RamDirectory::create(), budget)?;
        Ok(Self { fields, writer, document: TantivyDocument::new(), open_stems: 0, count: 0 })
    }

    /// Begins the next record with the stems that all may find it by.
    pub(crate) fn open(&mut self, stems: &str) {
        self.document = TantivyDocument::new();
        self.document.add_text(self.fields.open, stems);
        self.open_stems = stems.len();
    }

    /// Ends the record: `stems` are those given to `open`, and after them those of the paid texts.
    pub(crate) fn paid(&mut self, stems: &str) -> tantivy::Result<()> {
        if stems.len() > self.open_stems {
            self.document.add_text(self.fields.paid, &stems[self.open_stems..]);
        }
        self.writer.add_document(std::mem::take(&mut self.document))?;
        self.count += 1;
        Ok(())
    }

    /// Reads what was written.
    pub(crate) fn finish(self) -> tantivy::Result<Text> {
        let mut text = Text::default();
        if self.count == 0 {
            return Ok(text);
        }
        let index = self.writer.finalize()?;
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        let searcher = reader.searcher();
        let segment = searcher.segment_reader(0);
        let (mut open, mut paid) = (Lists::default(), Lists::default());
        open.read(&*segment.inverted_index(self.fields.open)?)?;
        paid.read(&*segment.inverted_index(self.fields.paid)?)?;
        let mut stems: Vec<Box<str>> = open.ranges.keys().chain(paid.ranges.keys()).cloned().collect();
        stems.sort_unstable();
        stems.dedup();
        // a term that one part lacks stands there as an empty range in its place in the order
        let (mut open_end, mut paid_end) = (0, 0);
        for stem in stems {
            let open = open.ranges.remove(&stem).unwrap_or(open_end..open_end);
            let paid = paid.ranges.remove(&stem).unwrap_or(paid_end..paid_end);
            (open_end, paid_end) = (open.end, paid.end);
            text.numbers.insert(stem.clone(), text.terms.len() as u32);
            text.terms.push(Term { sound: sound(&stem).into(), stem, open, paid });
        }
        (text.open, text.paid) = (open.ranks, paid.ranks);
        Ok(text)
    }
}

/// The lists of one field, in the order of their terms.
#[derive(Default)]
struct Lists {
    ranges: HashMap<Box<str>, Range<u32>>,
    ranks: Vec<u32>,
}

impl Lists {
    fn read(&mut self, index: &InvertedIndexReader) -> tantivy::Result<()> {
        let mut terms = index.terms().stream()?;
        while terms.advance() {
            let Ok(stem) = std::str::from_utf8(terms.key()) else { continue };
            let start = self.ranks.len() as u32;
            let mut postings = index.read_postings_from_terminfo(terms.value(), IndexRecordOption::Basic)?;
            self.ranks.reserve(postings.doc_freq() as usize);
            let mut rank = postings.doc();
            while rank != TERMINATED {
                self.ranks.push(rank);
                rank = postings.advance();
            }
            self.ranges.insert(stem.into(), start..self.ranks.len() as u32);
        }
        self.ranks.shrink_to_fit();
        Ok(())
    }
}
