//! The text index of a shelf. Tantivy writes it: one segment, filled in rank order. Its postings are then read
//! once into flat arrays, because at the length of a guide's lists decoding a list costs more than walking it.

use std::hash::BuildHasher;
use std::ops::Range;

use hashbrown::{DefaultHashBuilder, HashTable};
use tantivy::directory::RamDirectory;
use tantivy::index::Index;
use tantivy::schema::IndexRecordOption;
use tantivy::{
    DocSet, InvertedIndexReader, ReloadPolicy, SingleSegmentIndexWriter, TERMINATED, TantivyDocument,
};

use crate::fold::sound;
use crate::schema::{Fields, View, tokenizers};
use crate::sets::List;

/// The stems of a shelf and where they occur.
#[derive(Default)]
pub(crate) struct Text {
    /// The numbers of the terms, by the hash of their stems.
    numbers: HashTable<u32>,
    hasher: DefaultHashBuilder,
    /// In the order of their stems, so that those of a prefix are neighbours.
    terms: Vec<Term>,
    /// How each of those stems begins: a search for a prefix looks at nothing else.
    heads: Vec<u64>,
    /// Ranks by term, and by view where the full one finds more.
    ranks: Vec<u32>,
}

/// A stem.
pub(crate) struct Term {
    pub(crate) stem: Box<str>,
    /// How it sounds, to find what a misspelt word meant.
    pub(crate) sound: Box<str>,
    /// Its ranks, by view.
    ranks: [Range<u32>; 2],
}

impl Term {
    /// How many records have it, as the view may know.
    pub(crate) fn records(&self, view: View) -> u32 {
        self.ranks[view as usize].len() as u32
    }
}

impl Text {
    /// The records that have the stem, as the view may know them; none when there are none.
    pub(crate) fn word(&self, view: View, stem: &str) -> Option<List<'_>> {
        let term = |number: &u32| &self.terms[*number as usize];
        let number = self.numbers.find(self.hasher.hash_one(stem), |number| *term(number).stem == *stem)?;
        self.records(view, term(number))
    }

    /// The records that have a stem that begins with `prefix`, as the view may know them, a list for each stem.
    pub(crate) fn beginning_so<'g>(&'g self, view: View, prefix: &'g str) -> impl Iterator<Item = List<'g>> {
        let (low, high) = heads(prefix);
        let first = self.heads.partition_point(|head| *head < low);
        let end = self.heads.partition_point(|head| *head <= high);
        let begins = move |term: &&Term| prefix.len() <= HEAD || term.stem.starts_with(prefix);
        self.terms[first..end].iter().filter(begins).filter_map(move |term| self.records(view, term))
    }

    fn records(&self, view: View, term: &Term) -> Option<List<'_>> {
        let Range { start, end } = term.ranks[view as usize];
        Some(&self.ranks[start as usize..end as usize]).filter(|ranks| !ranks.is_empty()).map(List::from)
    }

    /// All stems that begin with `letter`.
    pub(crate) fn beginning_with(&self, letter: u8) -> &[Term] {
        let first = self.terms.partition_point(|term| term.stem.as_bytes()[0] < letter);
        let count = self.terms[first..].partition_point(|term| term.stem.as_bytes()[0] == letter);
        &self.terms[first..first + count]
    }
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
        let mut found = Vec::new();
        for (field, view) in [(self.fields.open, View::Basic), (self.fields.paid, View::Full)] {
            read(&*segment.inverted_index(field)?, |stem, ranks| found.push((stem, view, ranks)))?;
        }
        found.sort_by(|left, right| (&left.0, left.1).cmp(&(&right.0, right.1)));
        let mut found = found.into_iter().peekable();
        while let Some((stem, view, ranks)) = found.next() {
            let more = found.next_if(|(next, ..)| *next == stem);
            let basic = if view == View::Basic { text.add(&ranks) } else { 0..0 };
            let full = match more {
                None if view == View::Basic => basic.clone(),
                None => text.add(&ranks),
                Some((.., more)) => {
                    let mut all = [&*ranks, &*more].concat();
                    all.sort();
                    all.dedup();
                    text.add(&all)
                }
            };
            text.heads.push(heads(&stem).0);
            text.terms.push(Term { sound: sound(&stem).into(), stem, ranks: [basic, full] });
        }
        let hash = |number: &u32| text.hasher.hash_one(&*text.terms[*number as usize].stem);
        text.numbers.reserve(text.terms.len(), hash);
        for number in 0..text.terms.len() as u32 {
            text.numbers.insert_unique(hash(&number), number, hash);
        }
        text.terms.shrink_to_fit();
        text.heads.shrink_to_fit();
        text.ranks.shrink_to_fit();
        Ok(text)
    }
}

/// So many letters of a stem are its head.
const HEAD: usize = 8;

/// The heads of the first and of the last stem that may begin with `prefix`.
fn heads(prefix: &str) -> (u64, u64) {
    let (mut first, mut last) = ([0; HEAD], [u8::MAX; HEAD]);
    for (at, letter) in prefix.bytes().take(HEAD).enumerate() {
        (first[at], last[at]) = (letter, letter);
    }
    (u64::from_be_bytes(first), u64::from_be_bytes(last))
}

impl Text {
    fn add(&mut self, ranks: &[u32]) -> Range<u32> {
        let start = self.ranks.len() as u32;
        self.ranks.extend_from_slice(ranks);
        start..self.ranks.len() as u32
    }
}

/// Tells each stem of a field and its ranks, both in order.
fn read(index: &InvertedIndexReader, mut tell: impl FnMut(Box<str>, Box<[u32]>)) -> tantivy::Result<()> {
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
        tell(stem.into(), ranks.into());
    }
    Ok(())
}
