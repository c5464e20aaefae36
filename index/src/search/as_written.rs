//! The question as written: what it names, and its records by the narrow reading of its terms and, where that finds
//! nothing, by the wide one.

use crate::question::clauses::{Clause, ClauseKind, Reading, Term, parse_as_name};
use crate::records::collection::Collection;
use crate::search::page::Page;
use crate::search::{ParsedQuery, Search, Without};
use crate::vocabulary::AreaIds;

impl ParsedQuery<'_, '_> {
    /// Whether the text names days.
    pub fn names_days(&self) -> bool {
        self.text.days.is_some()
    }

    /// The areas that the text names, by words that mean no category too.
    pub fn named_areas(&self) -> AreaIds {
        let terms = self.text.terms().filter(|term| term.text_categories().is_empty());
        terms.flat_map(Term::areas).collect()
    }

    /// Searches the collection for the text as written, without corrections, closest records and relaxed totals.
    pub fn search_as_written(&self, collection: &Collection) -> Page {
        if let Some(page) = self.at_place(collection, |there| there.search_as_written(collection)) {
            return page;
        }
        self.read_as_written(collection).0
    }

    /// The same, with the reading that found the page.
    pub(crate) fn read_as_written(&self, collection: &Collection) -> (Page, Reading) {
        if let Some(page) = self.several_named(collection) {
            return (page, Reading::Narrow);
        }
        let (mut page, reading) = self.narrow_or_wide(collection);
        if page.total > 0 && !self.query.strict {
            let left_out = self.not_excluded(collection);
            if !left_out.is_empty() {
                page.closest.get_or_insert_default().left_out = left_out;
            }
        }
        (page, reading)
    }

    /// The words of what is excluded that no record has of those that the filters leave, so that nothing is taken away
    /// for them: "restaurants without peanuts". What the caller may not see tells nothing here.
    fn not_excluded(&self, collection: &Collection) -> Vec<String> {
        let texts = || self.text.excluded.iter().filter(|clause| clause.kind() == ClauseKind::Text);
        if texts().next().is_none() {
            return Vec::new();
        }
        self.run(collection, &self.text, |search| {
            let without = Without { text: true, ..Without::default() };
            let base = search.base(search.range(without), without);
            let has_none = |clause: &&Clause| base.and_any(&search.excluded(clause)).is_empty();
            texts().filter(has_none).map(|clause| search.phrase(clause)).collect()
        })
    }

    /// The page of the narrow reading or, where that has nothing, of the wide one.
    fn narrow_or_wide(&self, collection: &Collection) -> (Page, Reading) {
        let (narrow, may_differ) = self.run_as_written(collection, Reading::Narrow, |search| {
            let page = search.page(true);
            let may_differ = page.total == 0 && search.may_differ_when_wide();
            (page, may_differ)
        });
        if !may_differ {
            return (narrow, Reading::Narrow);
        }
        let wide = self.run_as_written(collection, Reading::Wide, |search| search.page(true));
        (wide, Reading::Wide)
    }

    /// Runs the text as written, which may be the whole name of a record.
    pub(crate) fn run_as_written<T>(
        &self,
        collection: &Collection,
        reading: Reading,
        run: impl FnOnce(&Search) -> T,
    ) -> T {
        let name = parse_as_name(&self.text, self.query.words, |folded| collection.is_name(folded));
        self.run_reading(collection, name.as_ref().unwrap_or(&self.text), reading, run)
    }
}
