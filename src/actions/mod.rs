//! What may be asked. One file an action or a pair of them, one table of all; pure functions of the guide, the
//! day and the permit.
//!
//! An action is asked in two steps: `prepare` reads and checks everything the caller sent, so that whatever is
//! wrong is refused before anything is spent; [`Prepared::run`] cannot fail. A new action is a file and a row.

mod cursor;
mod find;
mod lists;
mod param;
mod params;
mod record;
mod summary;
mod usage;

pub use find::{Records, find_each};
pub use param::{Kind, Param};
pub use params::{Params, ParamsError, Value};

use std::ops::Range;

use chrono::NaiveDate;
use index::rendered::{RenderedRecords, Twice, repeat_escaped};
use index::search::Ranks;
use index::{Page, View};

use crate::domain::error::ApiError;
use crate::domain::plan::Figures;
use crate::quota::gate::Permit;
use crate::quota::leases::Usage;
use crate::serving::ServingSnapshot;
use crate::shape::Field;

/// What an action is asked of: one edition, one day, one permit.
#[derive(Clone, Copy)]
pub struct QueryContext<'a> {
    /// The edition that answers.
    pub edition: &'a ServingSnapshot,
    /// The day in Brasília.
    pub today: NaiveDate,
    /// Who asks, as far as it matters.
    pub permit: Permit,
    /// `limit` when the caller sends none.
    pub default_limit: usize,
    /// What was spent this month and the limits of the plan, for the action that tells them.
    pub usage: Option<(&'a Usage, Figures)>,
}

/// An action, as callers know it: what `/v1`, `/mcp` and the documents tell of it is told here.
pub struct Action {
    /// Its name.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// What it does, what for and what not, for programs that choose among actions.
    pub description: &'static str,
    /// The parameters it uses, in the order they are told.
    pub params: &'static [&'static Param],
    /// What its answer holds besides the envelope.
    pub answers: &'static [Field],
    /// Whether agents are offered it as a tool.
    pub tool: bool,
    /// Whether it counts against the month.
    pub counted: bool,
    /// Reads what the caller sent.
    pub prepare: Prepare,
}

impl Action {
    /// Whether it has a parameter of that name.
    pub fn takes(&self, name: &str) -> bool {
        self.params.iter().any(|param| param.is_called(name))
    }

    /// Whether it tells what was spent, which [`QueryContext::usage`] must then hold.
    pub fn tells_usage(&self) -> bool {
        self.name == usage::USAGE.name
    }
}

/// Reads what the caller sent: the first step of an action.
pub type Prepare = for<'a> fn(QueryContext<'a>, &'a Params<'a>) -> Result<Box<dyn Prepared + 'a>, ApiError>;

/// An action that was read and checked.
pub trait Prepared {
    /// Appends the action's fields to the envelope, each with a comma before it; nothing can fail any more. Tells of the
    /// cards it dealt, so that they need not be escaped where the answer is.
    fn run(&self, out: &mut Vec<u8>) -> Option<Dealt<'_>>;

    /// The records that it finds and tells of, for whoever does so in another form; none for what finds no records.
    fn find(&self) -> Page {
        Page::default()
    }

    /// What was narrowed, in a sentence.
    fn notice(&self) -> Option<&'static str> {
        None
    }
}

/// What an action found: cards that lie in its answer, one after the other with commas between.
pub struct Dealt<'a> {
    /// Whose they are.
    pub cards: &'a RenderedRecords,
    /// Which, in order.
    pub ranks: Ranks,
    /// As whom they were written.
    pub view: View,
    /// Where in the answer they lie.
    pub at: Range<usize>,
    /// Whether there are none because the permit covers none of the days that were asked for.
    pub days_hidden: bool,
}

/// What lies in an answer and is known as the inside of a JSON string too, so that it need not be escaped again.
pub struct Known<'a> {
    /// The cards, where there are any.
    pub dealt: Option<Dealt<'a>>,
    /// What every answer of its kind ends with.
    pub ends: [Option<&'a Twice>; 3],
    /// Where in the answer that lies.
    pub ends_at: Range<usize>,
}

/// Appends `between`, and then what was in `out` from `start` on once more, as the inside of a JSON string.
pub fn repeat(out: &mut Vec<u8>, start: usize, between: &[u8], known: &Known) {
    let end = out.len();
    // about one byte in seven needs a backslash; then the message ends
    out.reserve(between.len() + (end - start) * 5 / 4 + 256);
    out.extend_from_slice(between);
    let mut from = start;
    if let Some(Dealt { cards, ranks, view, at, .. }) = &known.dealt {
        repeat_escaped(from..at.start, out);
        for (nth, rank) in ranks.iter().enumerate() {
            if nth > 0 {
                out.push(b',');
            }
            cards.write_escaped(*rank, *view, out);
        }
        from = at.end;
    }
    repeat_escaped(from..known.ends_at.start, out);
    known.ends.iter().flatten().for_each(|twice| out.extend_from_slice(&twice.escaped));
    repeat_escaped(known.ends_at.end..end, out);
}

/// The table of actions.
pub const ACTIONS: &[Action] = &[
    find::SEARCH_EVENTS,
    find::SEARCH_PLACES,
    record::GET_PLACE,
    record::GET_EVENT,
    lists::LIST_CATEGORIES,
    lists::LIST_REGIONS,
    summary::SUMMARY,
    usage::USAGE,
];

/// The names of all actions, as refusals list them.
pub const NAMES: &[&str] = &{
    let mut names = [""; ACTIONS.len()];
    let mut at = 0;
    while at < ACTIONS.len() {
        names[at] = ACTIONS[at].name;
        at += 1;
    }
    names
};

/// The row of an action that there is, known when the program is built.
pub const fn row(name: &str) -> usize {
    let mut row = 0;
    while row < NAMES.len() {
        let (one, other) = (NAMES[row].as_bytes(), name.as_bytes());
        let mut same = 0;
        while same < one.len() && same < other.len() && one[same] == other[same] {
            same += 1;
        }
        if same == one.len() && same == other.len() {
            return row;
        }
        row += 1;
    }
    panic!("there is no such action")
}

/// Whether some action has a parameter of that name.
pub fn uses(name: &str) -> bool {
    ACTIONS.iter().any(|action| action.takes(name))
}
