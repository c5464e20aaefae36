//! What is searched: a text, filters, the day, and what the caller may see.

use chrono::NaiveDate;

use crate::grammar::dates::{Hours, Window};
use crate::question::near::{AtPlace, Caller, Near};
use crate::records::facets::Facets;
use crate::records::schema::View;
use crate::search::page::Cursor;
use crate::vocabulary::node_ids::AreaId;
use crate::vocabulary::words::Words;
use crate::vocabulary::{AreaIds, CategoryIds, EVERYWHERE, Quadras};

/// Filters and free text. Absent filters are empty.
#[derive(Debug, Clone)]
pub struct Query<'q> {
    /// The free text, as split by [`crate::question::query::words`].
    pub words: &'q Words,
    /// Any of these areas, as returned by [`crate::vocabulary::regions::resolve`].
    pub areas: AreaIds,
    /// Superquadras of some of the areas, which limit those to their records; each with its wing.
    pub quadras: Quadras,
    /// Any of these categories, as returned by [`crate::vocabulary::categories::named`].
    pub categories: CategoryIds,
    /// Events: the requested days. When absent, the days that the text names, else `today` and [`DEFAULT_DAYS`] more.
    pub window: Option<Window>,
    /// Events: the requested hours. When absent, the hours that the text names.
    pub hours: Option<Hours>,
    /// The current day in Brasília.
    pub today: NaiveDate,
    /// Events: the days that the caller may see; `None` for all.
    pub covered: Option<Window>,
    /// The only area the caller may see; [`EVERYWHERE`] for no limit.
    pub scope: AreaId,
    /// Which fields the caller sees and searches.
    pub view: View,
    /// The longest page, in records.
    pub limit: usize,
    /// Where to search from.
    pub near: Option<&'q Near>,
    /// Where the question asks for something, by a name: instead of near a place.
    pub at: Option<&'q AtPlace>,
    /// Where the previous page ended.
    pub after: Option<&'q Cursor<'q>>,
    /// Whether only records that meet the whole question count.
    pub strict: bool,
    /// Whether the events of one series are listed once, by the first of them in the window.
    pub group: bool,
    /// What to count the records of all pages by.
    pub facets: Facets,
}

/// How many days after today the default window of events ends.
pub const DEFAULT_DAYS: u64 = 7;

/// So many days later, or the last day of the calendar.
pub(crate) fn days_after(day: NaiveDate, days: u64) -> NaiveDate {
    day.checked_add_days(chrono::Days::new(days)).unwrap_or(NaiveDate::MAX)
}

/// The days of a question for events that names none, from this one on.
pub fn usual_days(from: NaiveDate) -> Window {
    Window { from, to: days_after(from, DEFAULT_DAYS) }
}

impl<'q> Query<'q> {
    /// Who asks.
    pub(crate) fn caller(&self) -> Caller {
        Caller { view: self.view, scope: self.scope, covered: self.covered }
    }

    /// The days of a question for events that names none.
    pub(crate) fn default_window(&self) -> Window {
        usual_days(self.today)
    }

    /// These words alone, without filters or limits of scope.
    pub fn of(words: &'q Words, today: NaiveDate, view: View, limit: usize) -> Self {
        Self {
            words,
            areas: AreaIds::new(),
            quadras: Quadras::new(),
            categories: CategoryIds::new(),
            window: None,
            hours: None,
            today,
            covered: None,
            scope: EVERYWHERE,
            view,
            limit,
            near: None,
            at: None,
            after: None,
            strict: false,
            group: false,
            facets: Facets::default(),
        }
    }
}
