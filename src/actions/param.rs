//! The table of parameters: name, type, bounds and description of each. `/v1` uses the names; `/mcp` and the documents
//! use all of it.

use index::question::query::MAX_CHARACTERS;
use index::records::selection;

/// A parameter, as callers see it.
#[derive(Debug)]
pub struct Param {
    /// Its name.
    pub name: &'static str,
    /// Another name for it on `/v1`.
    pub alias: Option<&'static str>,
    /// The values that it accepts.
    pub kind: ParamType,
    /// Whether it must be sent.
    pub required: bool,
    /// The number that is taken when it is not sent, if there is one.
    pub default: Option<DefaultNumber>,
    /// An id to name when it is missing, of the kind that the action takes.
    pub example: Option<&'static str>,
    /// What it is for, in one or two sentences.
    pub description: &'static str,
}

/// What is taken when a number is not sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DefaultNumber {
    /// On `/v1`.
    pub of_v1: usize,
    /// For agents.
    pub of_agents: usize,
}

/// The values that a parameter accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParamType {
    /// A string; its length is limited only by the size of the body if there is no `max`.
    Text {
        /// Maximum number of characters.
        max: Option<usize>,
    },
    /// An e-mail address.
    Email,
    /// An integer between two bounds, inclusive.
    Integer {
        /// Minimum.
        min: i64,
        /// Maximum.
        max: i64,
    },
    /// A date as YYYY-MM-DD, or a word for a day.
    Date,
    /// A time of the day, as HH:MM.
    Time,
    /// One of a few words.
    Choice(&'static [&'static str]),
    /// True or false.
    Flag,
    /// Some of a few names: a list, or one text with commas.
    Names(&'static [&'static str]),
    /// One text or a list of texts, each of at most so many characters.
    Texts {
        /// Maximum number of characters of each.
        max: usize,
        /// Whether tools say so: it costs agents some twenty tokens, so only where lists are common.
        tools_say_list: bool,
    },
}

/// Names that agents use for parameters, each with the parameter that it means.
pub(super) const OTHER_NAMES: [(&str, &str); 11] = [
    ("query", "q"),
    ("name", "id"),
    ("place_id", "id"),
    ("bairro", "neighbourhood"),
    ("categoria", "category"),
    ("regiao", "region"),
    ("neighborhood", "neighbourhood"),
    ("date_from", "from"),
    ("date_to", "to"),
    ("from_date", "from"),
    ("to_date", "to"),
];

/// Names that callers use for what goes in several parameters, or has another form. With them stand a parameter, which
/// only actions that know the thing have, and what to send instead.
pub(super) const INSTEAD: [(&[&str], &str, &str); 6] = [
    (&["date", "day", "data", "dia", "when", "quando"], "from", "from and to"),
    (&["start", "start_date", "end", "end_date"], "from", "from and to"),
    (
        &["lat", "lon", "lng", "latitude", "longitude", "location", "position", "address"],
        "near",
        "near, as \"lat,lon\" or an address",
    ),
    (&["radius", "distance", "max_distance", "radius_m"], "within_m", "within_m, in metres"),
    (&["page", "offset", "skip"], "cursor", "cursor, as next_cursor of the page before"),
    (&["per_page", "page_size", "count", "max_results"], "limit", "limit"),
];

impl Param {
    /// Its name and its alias, if it has one.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        std::iter::once(self.name).chain(self.alias)
    }

    /// Whether `name` is its name or alias.
    pub fn is_called(&self, name: &str) -> bool {
        self.names().any(|own| own == name)
    }

    /// An optional parameter.
    pub const fn new(name: &'static str, kind: ParamType, description: &'static str) -> Param {
        Param { name, alias: None, kind, required: false, default: None, example: None, description }
    }

    /// Makes the parameter required.
    pub const fn required(self) -> Param {
        Param { required: true, ..self }
    }

    /// Adds an example.
    pub const fn such_as(self, example: &'static str) -> Param {
        Param { example: Some(example), ..self }
    }

    /// The words that it accepts; none if it accepts other values.
    pub fn words(&self) -> &'static [&'static str] {
        match self.kind {
            ParamType::Choice(words) | ParamType::Names(words) => words,
            _ => &[],
        }
    }

    /// The most characters of a text.
    pub(super) fn max_characters(&self) -> usize {
        match self.kind {
            ParamType::Text { max: Some(max) } | ParamType::Texts { max, .. } => max,
            _ => usize::MAX,
        }
    }

    /// The least and the greatest number.
    pub(super) fn bounds(&self) -> (i64, i64) {
        match self.kind {
            ParamType::Integer { min, max } => (min, max),
            _ => (i64::MIN, i64::MAX),
        }
    }
}

impl ParamType {
    /// A string of at most `max` characters.
    pub const fn text(max: usize) -> ParamType {
        ParamType::Text { max: Some(max) }
    }
}

/// Maximum length of a region or category; all names are shorter.
pub const MAX_FILTER: usize = 120;

/// Maximum number of values of a filter.
pub const MAX_FILTERS: usize = 20;

/// Maximum length of an id; all ids are shorter.
const MAX_ID: usize = 120;

/// Maximum number of records on a page.
pub const MAX_LIMIT: i64 = 50;

/// The kinds of records.
pub const KINDS: &[&str] = &["events", "places"];

pub(super) const Q: Param = Param::new(
    "q",
    ParamType::text(MAX_CHARACTERS),
    "A question in Portuguese, English or Spanish: \"samba sexta asa norte\".",
);

pub(super) const Q_OF_PLACES: Param =
    Param { description: "A question in Portuguese, English or Spanish: \"sushi asa sul\".", ..Q };

pub(super) const TYPED: Param =
    Param::new("q", ParamType::text(MAX_CHARACTERS), "What was typed so far, such as \"asa n\".").required();

pub(super) const CATEGORY: Param = Param::new(
    "category",
    ParamType::Texts { max: MAX_FILTER, tools_say_list: true },
    "Such as jazz or teatro; list_categories has all.",
);

pub(super) const REGION: Param = Param {
    alias: Some("neighbourhood"),
    ..Param::new(
        "region",
        ParamType::Texts { max: MAX_FILTER, tools_say_list: true },
        "Neighbourhood (Asa Norte), region, zone or address (SQN 408); list_regions has all.",
    )
};

/// The alias of `region`, which a caller may send beside it.
pub(super) const NEIGHBOURHOOD: Param = Param { name: "neighbourhood", alias: None, ..REGION };

pub(super) const FROM: Param =
    Param::new("from", ParamType::Date, "First day: YYYY-MM-DD, tomorrow or a weekday. Default: today.");

pub(super) const TO: Param =
    Param::new("to", ParamType::Date, "Last day, likewise. Default: 7 days after from.");

pub(super) const TIME_FROM: Param =
    Param::new("time_from", ParamType::Time, "Earliest start, HH:MM; untimed events stay.");

pub(super) const TIME_TO: Param = Param::new("time_to", ParamType::Time, "Starts before HH:MM.");

/// Maximum length of a place to search from.
const MAX_NEAR: usize = 200;

/// Maximum distance, in metres.
const MAX_WITHIN: i64 = 50_000;

pub(super) const NEAR: Param = Param::new(
    "near",
    ParamType::text(MAX_NEAR),
    "Nearest first: an address, landmark, area, record or \"lat,lon\".",
);

pub(super) const WITHIN_M: Param = Param::new(
    "within_m",
    ParamType::Integer { min: 1, max: MAX_WITHIN },
    "With near, or a place near which q asks: greatest distance in metres. Default: 5,000, or the precision of the place if \
     that is more; near an area its own records come first, however far they are.",
);

/// `limit` when none is sent. It is lower for agents because they pay for every word they read.
pub const DEFAULT_LIMIT: DefaultNumber = DefaultNumber { of_v1: 20, of_agents: 10 };

pub(super) const LIMIT: Param = Param {
    default: Some(DEFAULT_LIMIT),
    ..Param::new("limit", ParamType::Integer { min: 1, max: MAX_LIMIT }, "Maximum results.")
};

/// The ways to group events.
pub const GROUPS: &[&str] = &["series", "none"];

pub(super) const GROUP: Param = Param::new(
    "group",
    ParamType::Choice(GROUPS),
    "series: events of one repetition once, with their dates. none: each by itself.",
);

pub(super) const STRICT: Param = Param::new(
    "strict",
    ParamType::Flag,
    "true: only records that meet the whole of q, never the closest ones.",
);

pub(super) const CURSOR: Param =
    Param::new("cursor", ParamType::Text { max: None }, "next_cursor of the page before.");

/// The fields that only paid plans show, in the order in which messages name them.
pub const PAID_FIELDS: [&str; 6] = ["address", "lineup", "tickets", "description", "links", "location"];

const fn fields(known: &'static [&'static str]) -> Param {
    Param::new(
        "fields",
        ParamType::Names(known),
        "Only these fields of each record. It then lacks others that its schema requires: clients that check answers by the \
         schema should not send this. Default: all of the plan.",
    )
}

pub(super) const FIELDS_OF_EVENTS: Param = fields(selection::EVENT_FIELDS);

pub(super) const FIELDS_OF_PLACES: Param = fields(selection::PLACE_FIELDS);

/// Of a place and of the events there.
pub(super) const FIELDS_OF_BOTH: Param = fields(selection::FIELDS);

/// What events are counted by.
pub(super) const EVENT_FACETS: &[&str] = &["category", "region", "day"];

/// What places are counted by.
pub(super) const PLACE_FACETS: &[&str] = &["category", "region"];

/// The names that lists take, each list with what its names are.
pub const LISTS: [(&str, &str, &[&str]); 5] = [
    ("EventField", "A field of events.", selection::EVENT_FIELDS),
    ("PlaceField", "A field of places.", selection::PLACE_FIELDS),
    ("RecordField", "A field of places and of events.", selection::FIELDS),
    ("EventFacet", "What events are counted by.", EVENT_FACETS),
    ("PlaceFacet", "What places are counted by.", PLACE_FACETS),
];

const fn facets(known: &'static [&'static str]) -> Param {
    Param::new(
        "facets",
        ParamType::Names(known),
        "Also counts all results of the question, on all pages, by each of these.",
    )
}

pub(super) const FACETS_OF_EVENTS: Param = facets(EVENT_FACETS);

pub(super) const FACETS_OF_PLACES: Param = facets(PLACE_FACETS);

pub(super) const PLACE_ID: Param =
    Param::new("id", ParamType::text(MAX_ID), "id or name of a place or event, or id of a series.")
        .required()
        .such_as("memorial-jk");

pub(super) const EVENT_ID: Param =
    Param::new("id", ParamType::text(MAX_ID), "id of an event, or of a series for its next event.")
        .required()
        .such_as("feira-da-torre-de-tv");

pub(super) const KIND: Param =
    Param::new("kind", ParamType::Choice(KINDS), "Only those of events, or of places. Default: both.");

pub(super) const PARENT: Param = Param::new(
    "parent",
    ParamType::Texts { max: MAX_FILTER, tools_say_list: false },
    "Only those inside this one, e.g. musica.",
);

pub(super) const WITHIN: Param = Param {
    alias: Some("neighbourhood"),
    ..Param::new(
        "region",
        ParamType::Texts { max: MAX_FILTER, tools_say_list: false },
        "Lists the neighbourhoods of this region or zone.",
    )
};
