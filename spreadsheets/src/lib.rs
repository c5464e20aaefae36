//! The spreadsheets of curators: a template to start with, and an import that turns sheets into `places.json` and
//! `events.json` of a snapshot folder.
//!
//! It is tolerant where `snapshots::check` is strict: dates, times, categories, areas and links are read as people type
//! them, and a [`Message`] names the sheet, row and column of all that is wrong, doubtful or mended. Ids are made of
//! names and written back into the sheets, so that they stay when a name changes. `SPREADSHEETS.md` of the crate
//! snapshots lists what is understood.
//!
//! **Where to look**, in the order of an import:
//!
//! | step | modules |
//! |---|---|
//! | a file becomes rows of cells | `fetch` `workbook` `csv_file` `charset` `sheet` |
//! | rows become a table with columns | `table` `columns` `month_first` |
//! | a cell becomes a value | `cells` `text` `words` `names` `area` `links` `contacts` `price` `tickets` |
//! | cells become days and hours | `when` `dates` `date_words` `weekdays` `times` `hours` `repeats` |
//! | rows become records with ids | `records` `ids` |
//! | the folder is changed and checked | `import` `replaced` `changes` `lost` `check` |
//! | what a curator is told | `problem` `message` `sentences` `why` `lang` |
//! | sheets are written | `template` `write_back` `filled` `rule_words` |

mod area;
mod cells;
mod changes;
mod charset;
mod check;
pub mod columns;
mod contacts;
mod csv_file;
mod date_words;
mod dates;
pub mod fetch;
pub mod filled;
mod hours;
mod ids;
pub mod import;
mod lang;
mod links;
mod lost;
pub mod message;
mod month_first;
mod names;
mod price;
pub mod problem;
pub mod records;
mod repeats;
pub mod replaced;
mod rule_words;
mod sentences;
pub mod sheet;
mod table;
pub mod template;
mod text;
mod tickets;
mod times;
mod weekdays;
mod when;
pub mod why;
mod words;
mod workbook;
pub mod write_back;

pub use columns::SheetKind;
pub use fetch::fetch;
pub use filled::{Filled, fill_in};
pub use import::{Import, SheetRead, import, local, not_read, vanishes};
pub use lang::Lang;
pub use lost::Before;
pub use message::{Group, Message, groups};
pub use problem::{Changed, Contact, Level, OfOthers, Problem};
pub use replaced::Replaced;
pub use sentences::{defects_text, translated, warnings_text};
pub use sheet::Source;
pub use template::{init, with_curated_at};
pub use why::Why;
pub use write_back::write_ids;
