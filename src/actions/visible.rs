//! Records that a caller may see, by id or name, and the names nearest to an unknown one. What the plan hides is never
//! among them.

use chrono::{Days, NaiveDate};
use index::grammar::fold::fold;
use index::search::ParsedQuery;
use index::vocabulary::words::Words;
use index::{Collection, Page, Query, Window, question::query};

use super::QueryContext;
use super::near::caller;
use super::spelling::{NEAREST, edits};
use crate::domain::error::ApiError;
use crate::domain::records::Records;

/// How many records a name is compared with.
const CANDIDATES: usize = 20;

/// How many days records are looked for on when a question names none: all.
const ANY_DAY: u64 = 10 * 366;

/// What the caller of an action may see.
#[derive(Clone, Copy)]
pub(super) struct Visible<'a> {
    context: QueryContext<'a>,
}

impl<'a> Visible<'a> {
    /// To the caller of an action.
    pub(super) fn to(context: QueryContext<'a>) -> Self {
        Self { context }
    }

    pub(super) fn collection(&self, records: Records) -> &'a Collection {
        records.collection(&self.context.snapshot.guide)
    }

    /// Whether the record at `rank` may be seen.
    pub(super) fn has(&self, records: Records, rank: u32) -> bool {
        self.collection(records).is_visible(rank, caller(self.context))
    }

    /// The record with this id.
    pub(super) fn with_id(&self, records: Records, id: &str) -> Option<u32> {
        self.collection(records).find(id).filter(|rank| self.has(records, *rank))
    }

    /// The next event of the series with this id.
    pub(super) fn next_of_series(&self, id: &str) -> Option<u32> {
        self.collection(Records::Events).of_series(id).find(|rank| self.is_to_come(*rank))
    }

    /// The next event with this whole name, unless several series or single events have it.
    pub(super) fn next_event_named(&self, text: &str) -> Option<u32> {
        let events = self.collection(Records::Events);
        let mut named = events.named(text).filter(|rank| self.is_to_come(*rank));
        let next = named.next()?;
        named.all(|other| events.is_same_series(next, other)).then_some(next)
    }

    fn is_to_come(&self, event: u32) -> bool {
        let days = Window::since(self.context.today);
        self.has(Records::Events, event) && self.collection(Records::Events).is_on(event, days)
    }

    /// The only place with this name or alias, or else with all words of the text in its name.
    pub(super) fn place_named(&self, text: &str) -> Option<u32> {
        let mut named = self.named(text);
        match (named.next(), named.next()) {
            (Some(only), None) => Some(only),
            (Some(_), Some(_)) => None,
            (None, _) => self.place_with_words(text),
        }
    }

    /// The places with this whole name or alias.
    fn named(&self, text: &str) -> impl Iterator<Item = u32> {
        let visible = *self;
        self.context.snapshot.guide.places.named(text).filter(move |rank| visible.has(Records::Places, *rank))
    }

    fn place_with_words(&self, text: &str) -> Option<u32> {
        let words = query::words(text).ok().filter(|words| !words.is_empty())?;
        let found = self.collection(Records::Places).with_words_in_name(&words, caller(self.context));
        if let [only] = found[..] { Some(only) } else { None }
    }

    /// The error for a text that is no id of these kinds of records, with the nearest names.
    pub(super) fn unknown(&self, kind: &'static str, sought: &[Records], text: &str) -> ApiError {
        let folded = fold(text);
        let mut nearest: Vec<(usize, String)> = Vec::new();
        if let Ok(words) = query::words(text) {
            for records in sought {
                let page = self.search(*records, &words);
                for rank in page.ranks.iter().chain(&page.further) {
                    let (id, name) = self.collection(*records).rendered.id_and_name(*rank);
                    let far = edits(&folded, id).min(edits(&folded, &name));
                    // a search also finds by category, area and day, which are no names
                    if far <= folded.len() / 3 || shares_word(&words, &name) {
                        nearest.push((far, self.label(*records, id, &name)));
                    }
                }
            }
        }
        // stable, so that of equally near ones the more fitting stays first
        nearest.sort_by_key(|(far, _)| *far);
        let nearest = nearest.into_iter().take(NEAREST).map(|(_, label)| label).collect();
        ApiError::UnknownRecord { kind, nearest }
    }

    /// What to send for a record: its name if that is enough, else its id.
    fn label(&self, records: Records, id: &str, name: &str) -> String {
        let is_enough = records == Records::Places && self.named(name).count() == 1;
        if is_enough { name.to_owned() } else { id.to_owned() }
    }

    fn search(&self, records: Records, words: &Words) -> Page {
        let QueryContext { snapshot, today, permit, .. } = self.context;
        let covered = permit.days(today);
        let query = Query {
            scope: self.context.area(),
            window: (records == Records::Events).then(|| covered.unwrap_or_else(|| from(today))),
            covered,
            group: true,
            ..Query::of(words, today, permit.view(), CANDIDATES)
        };
        ParsedQuery::of(snapshot.guide.vocabulary(), &query).search(self.collection(records))
    }
}

/// Whether a name has one of the words.
fn shares_word(words: &Words, name: &str) -> bool {
    let name = Words::new(name);
    (0..words.len()).any(|at| name.has_stem(words.stem(at)))
}

/// The days from `day` on, as far as records are looked for.
pub(super) fn from(day: NaiveDate) -> Window {
    Window { from: day, to: day + Days::new(ANY_DAY) }
}
