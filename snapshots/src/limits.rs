//! How long the texts and lists of a record may be, how large its numbers, and the years of its dates. README.md lists
//! them by field.

/// The longest id or slug.
pub const MAX_ID: usize = 80;
/// The longest name, alias or label, in characters.
pub const MAX_NAME: usize = 120;
/// The longest style, venue or price.
pub const MAX_PHRASE: usize = 200;
/// The longest address, line-up or note on tickets.
pub const MAX_LINE: usize = 500;
/// The longest note of the curator's.
pub const MAX_NOTE: usize = 1_000;
/// The longest description, in each language.
pub const MAX_DESCRIPTION: usize = 2_000;
/// The longest link.
pub const MAX_LINK: usize = 2_000;
/// The longest handle: Instagram's own limit.
pub const MAX_HANDLE: usize = 30;
/// The most aliases of one record or landmark.
pub const MAX_ALIASES: usize = 30;
/// The most further categories of one record.
pub const MAX_ALSO: usize = 10;
/// The most extra dates of a repeated event, and the most days on which it does not begin.
pub const MAX_DATES: usize = 1_000;
/// The most sessions of one event.
pub const MAX_SESSIONS: usize = 24;
/// The longest run of one event, in days: three years. A longer one is a place or has a mistyped year.
pub const MAX_RUN_DAYS: i64 = 1_100;
/// The most mentions of a place.
pub const MAX_MENTIONS: u32 = 1_000_000_000;
/// The coarsest position, in metres.
pub const MAX_PRECISION: u32 = 100_000;
/// The years a date may lie in.
pub const YEARS: std::ops::RangeInclusive<i32> = 2000..=2100;
