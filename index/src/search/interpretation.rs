//! How a search was understood, as its page tells.

use smallvec::SmallVec;

use crate::grammar::hints::Hint;
use crate::question::clauses::{Clause, NamedHint, Term};
use crate::question::name_parts::has_words;
use crate::search::page::Interpretation;
use crate::search::{Query, Search};
use crate::vocabulary::node_ids::{AreaId, ids};
use crate::vocabulary::{AreaIds, CategoryIds};

impl Search<'_, '_> {
    /// The words of a clause as they were sent, folded.
    pub(crate) fn phrase(&self, clause: &Clause) -> String {
        let words = clause.words();
        self.query.words.between(words.start, words.end).to_owned()
    }

    /// What the text excludes, in the order of its words.
    fn without(&self) -> Vec<String> {
        let names = self.text.excluded_names.iter().map(|name| name.words.clone());
        let mut words: SmallVec<[_; 2]> = self.text.excluded.iter().map(Clause::words).chain(names).collect();
        words.sort_unstable_by_key(|words| words.start);
        words.iter().map(|words| self.query.words.between(words.start, words.end).to_owned()).collect()
    }

    /// Whether the parameter or a clause of the text names superquadras of which no record gives one.
    fn quadras_are_unknown(&self) -> bool {
        let Query { quadras, view, .. } = self.query;
        let is_known =
            |(wing, number): &(AreaId, u16)| self.collection.quadra(*view, *wing, *number).is_some();
        !quadras.is_empty() && !quadras.iter().any(is_known)
            || self.text.clauses.iter().any(|clause| self.names_unknown_quadras(clause))
    }

    /// How the query was understood.
    pub(crate) fn interpretation(&self) -> Interpretation {
        let words = self.query.words;
        let mut interpretation = Interpretation {
            areas: AreaIds::from_slice(&self.query.areas),
            quadras: self.query.quadras.iter().map(|(_, number)| *number).collect(),
            quadras_are_unknown: self.quadras_are_unknown(),
            categories: CategoryIds::from_slice(&self.query.categories),
            window: self.window(),
            days_are_cut: self.window() != self.asked_window(),
            days_are_outside: self.text.days_are_outside,
            names_time: self.text.days.is_some() || self.text.hours.is_some(),
            without: self.without(),
            not_known: self
                .text
                .hints
                .iter()
                .filter(|named| named.hint != Hint::StartTime || self.collection.calendar.is_none())
                .map(|NamedHint { hint, words: range, .. }| {
                    (*hint, words.between(range.start, range.end).to_owned())
                })
                .collect(),
            ..Interpretation::default()
        };
        for term in self.text.terms() {
            match *term {
                Term::Meaning { meaning, .. } => {
                    ids(&meaning.areas).for_each(|id| add(&mut interpretation.areas, id));
                    if !meaning.text_categories.is_empty() {
                        interpretation.uncertain_areas.extend(ids(&meaning.areas));
                    }
                    ids(&meaning.text_categories).for_each(|id| add(&mut interpretation.categories, id));
                }
                Term::Code { code, .. } => {
                    ids(&code.areas).for_each(|id| add(&mut interpretation.areas, id));
                }
                Term::Quadra { wing, at, to, .. } => {
                    add(&mut interpretation.areas, wing);
                    let numbers = (at..to).filter_map(|at| words.quadra(at));
                    numbers.for_each(|number| add(&mut interpretation.quadras, number));
                }
                Term::Word { .. }
                | Term::Literal { .. }
                | Term::Synonym { .. }
                | Term::Hint { .. }
                | Term::NoDay { .. } => {
                    let range = term.words();
                    let said = words.between(range.start, range.end);
                    if has_words(&interpretation.text, said) {
                        continue;
                    }
                    if !interpretation.text.is_empty() {
                        interpretation.text.push(' ');
                    }
                    interpretation.text.push_str(said);
                }
            }
        }
        interpretation
    }
}

fn add<Id: PartialEq>(ids: &mut SmallVec<[Id; 4]>, id: Id) {
    if !ids.contains(&id) {
        ids.push(id);
    }
}
