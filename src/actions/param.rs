//! The parameters of all actions, each told once: its name, its type, its bounds and what it is for. `/v1` reads
//! the names, `/mcp` and the documents all of it. Uses the crate `index` for how long a question may be.

use index::query::MAX_CHARACTERS;

/// A parameter, as callers know it.
#[derive(Debug)]
pub struct Param {
    /// Its name.
    pub name: &'static str,
    /// Another name it goes by on `/v1`.
    pub alias: Option<&'static str>,
    /// What it takes.
    pub kind: Kind,
    /// Whether the action cannot do without it.
    pub required: bool,
    /// What it is for.
    pub description: &'static str,
}

/// What a parameter takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A text of so many characters at most; of any length that a body may have when nothing is said.
    Text {
        /// The most characters.
        max: Option<usize>,
    },
    /// An e-mail address.
    Email,
    /// A whole number between two bounds.
    Integer {
        /// The least.
        min: i64,
        /// The most.
        max: i64,
    },
    /// A day, as YYYY-MM-DD.
    Date,
    /// One of a few words.
    Choice(&'static [&'static str]),
}

impl Param {
    /// Whether it goes by that name.
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || self.alias == Some(name)
    }

    /// A parameter that may be left out.
    pub const fn new(name: &'static str, kind: Kind, description: &'static str) -> Param {
        Param { name, alias: None, kind, required: false, description }
    }

    /// The same, which may not.
    pub const fn required(self) -> Param {
        Param { required: true, ..self }
    }
}

impl Kind {
    /// A text of at most `max` characters.
    pub const fn text(max: usize) -> Kind {
        Kind::Text { max: Some(max) }
    }
}

/// The longest text of a region or category; the longest name has fewer.
pub(super) const MAX_FILTER: usize = 120;

/// The longest id that is looked up; no record has a longer one.
pub(super) const MAX_ID: usize = 120;

/// Most records on a page.
pub(super) const MAX_LIMIT: i64 = 50;

/// What records may be of.
pub(super) const KINDS: &[&str] = &["events", "places"];

pub(super) const Q: Param = Param::new(
    "q",
    Kind::text(MAX_CHARACTERS),
    "Free text in Portuguese or English: names, venues, artists, styles; category, area and day words in it are understood \
     (\"sushi asa norte\", \"samba sexta\").",
);

pub(super) const CATEGORY: Param = Param::new(
    "category",
    Kind::text(MAX_FILTER),
    "One category in Portuguese or English, e.g. jazz, teatro, boteco, café, vegan, kids. list_categories has them all.",
);

pub(super) const REGION: Param = Param {
    alias: Some("neighbourhood"),
    ..Param::new(
        "region",
        Kind::text(MAX_FILTER),
        "A neighbourhood (Asa Norte), DF region (Lago Sul), address code (SQN 408) or zone (Centro, Lagos, Oeste, Norte, \
         Sul, Leste). list_regions has them all.",
    )
};

pub(super) const FROM: Param =
    Param::new("from", Kind::Date, "First day, YYYY-MM-DD, in Brasília. Default: today.");

pub(super) const TO: Param =
    Param::new("to", Kind::Date, "Last day, YYYY-MM-DD, inclusive. Default: 7 days after from.");

pub(super) const LIMIT: Param =
    Param::new("limit", Kind::Integer { min: 1, max: MAX_LIMIT }, "How many results at most.");

pub(super) const CURSOR: Param = Param::new(
    "cursor",
    Kind::Text { max: None },
    "next_cursor of the previous answer, to continue the same question.",
);

pub(super) const PLACE_ID: Param =
    Param::new("id", Kind::text(MAX_ID), "id of a place, from search_places.").required();

pub(super) const EVENT_ID: Param =
    Param::new("id", Kind::text(MAX_ID), "id of an event, from search_events.").required();

pub(super) const KIND: Param =
    Param::new("kind", Kind::Choice(KINDS), "Only categories that have events, or places. Default: both.");
