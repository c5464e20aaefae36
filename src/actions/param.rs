//! The parameters of all actions, each told once: its name, its type, its bounds and what it is for. `/v1` reads
//! the names, `/mcp` and the documents all of it.

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
    pub about: &'static str,
}

/// What a parameter takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A text.
    Text,
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

    const fn new(name: &'static str, kind: Kind, about: &'static str) -> Param {
        Param { name, alias: None, kind, required: false, about }
    }
}

/// Most records on a page.
pub(super) const MAX_LIMIT: i64 = 50;

/// What records may be of.
pub(super) const KINDS: &[&str] = &["events", "places"];

pub(super) const Q: Param = Param::new(
    "q",
    Kind::Text,
    "Free text in Portuguese or English: names, venues, artists, styles; category, area and day words in it are understood \
     (\"sushi asa norte\", \"samba sexta\").",
);

pub(super) const CATEGORY: Param = Param::new(
    "category",
    Kind::Text,
    "One category in Portuguese or English, e.g. jazz, teatro, boteco, café, vegan, kids. list_categories has them all.",
);

pub(super) const REGION: Param = Param {
    alias: Some("neighbourhood"),
    ..Param::new(
        "region",
        Kind::Text,
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

pub(super) const CURSOR: Param =
    Param::new("cursor", Kind::Text, "next_cursor of the previous answer, to continue the same question.");

pub(super) const PLACE_ID: Param =
    Param { required: true, ..Param::new("id", Kind::Text, "id of a place, from search_places.") };

pub(super) const EVENT_ID: Param =
    Param { required: true, ..Param::new("id", Kind::Text, "id of an event, from search_events.") };

pub(super) const KIND: Param =
    Param::new("kind", Kind::Choice(KINDS), "Only categories that have events, or places. Default: both.");
