//! A record that a question names by an area, on the next day that has it: "feira do Guará amanhã" asks for the market
//! of that name, which is not open every day, and for no market elsewhere.

use crate::grammar::dates::Window;
use crate::grammar::fold::fold;
use crate::grammar::language::Language;
use crate::grammar::stop_words::is_of;
use crate::grammar::tokens::language;
use crate::question::clauses::{Clause, ClauseKind, ParsedText, Reading, Term};
use crate::question::name_parts::has_words;
use crate::records::collection::Collection;
use crate::search::page::{Closest, Page};
use crate::search::{ParsedQuery, Search, Without};

impl<'a> ParsedQuery<'a, '_> {
    /// The records that have an area in their name which the question names as a part of it, on the next of their days
    /// from those of the text on.
    pub(crate) fn named_by_area(&self, collection: &Collection) -> Option<Page> {
        if self.query.strict || self.query.window.is_some() || collection.calendar.is_none() {
            return None;
        }
        let named = self.text.days.as_ref()?.hull();
        if named.to < self.query.today || self.text.excludes() {
            return None;
        }
        let any_day = ParsedText { days: None, hours: None, ..self.text.clone() };
        let (mut page, day, met) = self.run(collection, &any_day, |search| {
            let areas = (0..any_day.clauses.len()).filter(|at| search.is_part_of_name(*at));
            let names: Vec<String> = areas.flat_map(|at| search.area_names(at)).collect();
            if names.is_empty() {
                return None;
            }
            let mut all = search.matching(search.range_of(Window::since(named.from)), Without::default());
            let is_called =
                |rank: &u32| names.iter().any(|name| has_words(collection.folded_name(*rank), name));
            let others: Vec<u32> = all.ranks_from(0).filter(|rank| !is_called(rank)).collect();
            others.into_iter().for_each(|rank| all.remove(rank));
            let day = Window::day(collection.first_day(all.next(0)?)?.max(named.from));
            let of_the_day = all.and(&search.base_of_all_days(day));
            let in_hours = self.text.hours.map(|hours| (hours, collection.starting_in(&of_the_day, hours)));
            Some(match in_hours.filter(|(_, events)| !events.is_empty()) {
                Some((hours, events)) => {
                    let untimed = search.count_untimed(&events);
                    (search.page_of(&events, &[day], None).0, day, Some((hours, untimed)))
                }
                None => (search.page_of(&of_the_day, &[day], None).0, day, None),
            })
        })?;
        page.interpretation = self.run(collection, &self.text, |search| search.interpretation());
        page.interpretation.hours = met;
        // hours that none of that day meets are let go
        let hours = self.text.hours.filter(|_| met.is_none());
        page.closest = Some(Box::new(Closest { days: Some(day), hours, ..Closest::default() }));
        Some(self.with_the_rest_of_the_days(collection, page, Reading::Wide))
    }
}

impl Search<'_, '_> {
    /// Whether a clause is an area that is said as a part of a name: "a feira do Guará", "the TV tower fair", or all of
    /// it, but not "feira no Guará".
    fn is_part_of_name(&self, at: usize) -> bool {
        let (clauses, words) = (&self.text.clauses, self.query.words);
        let Some(area) = clauses.get(at).filter(|clause| clause.kind() == ClauseKind::Area) else {
            return false;
        };
        let is_category = |clause: &Clause| clause.kind() == ClauseKind::Category;
        let span = area.words();
        let follows_category = |before: &Clause| {
            let tokens = words.token(before.words().end - 1) + 1..words.token(span.start);
            let said = words.tokens_between(tokens.clone());
            is_category(before) && !tokens.is_empty() && said.split(' ').all(is_of)
        };
        let is_of_category = || at > 0 && follows_category(&clauses[at - 1]);
        let is_english = || language(&words.tokens()) == Language::English;
        let is_before_category =
            || clauses.get(at + 1).is_some_and(is_category) && self.is_beside(at, at + 1) && is_english();
        !area.is_anchor
            && (self.collection.is_name(words.between(span.start, span.end))
                || is_of_category()
                || is_before_category())
    }

    /// The folded names of the areas of a clause.
    fn area_names(&self, at: usize) -> impl Iterator<Item = String> {
        let areas = self.text.clauses[at].terms.iter().flat_map(Term::areas);
        areas.map(|id| fold(self.vocabulary.area(id).name.as_str()))
    }
}
