//! The import as a whole: sources become tables, tables become records with ids, and all of them pass `check` together.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};

use chrono::NaiveDate;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use snapshots::positions::{Bounds, Position, Positions};
use snapshots::vocabulary::{Addresses, Code, Geography, Taxonomy, Wing};
use snapshots::{File, Files};

use crate::cells::{Context, Venue};
use crate::columns::{Column, SheetKind};
use crate::fetch::MAX_BYTES;
use crate::ids::{self, Earlier, earlier, unwritten};
use crate::message::Message;
use crate::names::{Area, Areas, Categories, name_key};
use crate::problem::{Level, Problem};
use crate::records::{self, Record};
use crate::replaced::Replaced;
use crate::sheet::{Sheet, Source};
use crate::table::{self, Table};
use crate::why::Why;
use crate::workbook::WorkbookError;
use crate::write_back::MissingIds;
use crate::{changes, check, csv_file, workbook};

/// What an import made of its sources.
#[derive(Debug)]
pub struct Import {
    /// All that is to be said, in the order of the sheets.
    pub messages: Vec<Message>,
    /// The sheets that were read.
    pub sheets: Vec<SheetRead>,
    /// The kinds of which there was a sheet.
    pub replaced: Vec<Replaced>,
    /// The ids that the sheets lack.
    pub missing_ids: Vec<MissingIds>,
}

/// A sheet that was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SheetRead {
    /// How messages name it.
    pub sheet: String,
    /// The file that lists its records.
    pub file: &'static str,
    /// How many rows it has, without titles and notes.
    pub rows: usize,
}

/// How many changed records [`Import::changes`] names.
const CHANGES_NAMED: usize = 10;

impl Import {
    /// Says what the sheets change in the records of the folder, for a folder that no import has written: the sheets
    /// may be older than it.
    pub fn changes(&self) -> Vec<Message> {
        self.changes_of(|_| true)
    }

    /// The same of some kinds.
    pub fn changes_of(&self, is_meant: impl Fn(SheetKind) -> bool) -> Vec<Message> {
        let is_changed = |replaced: &&Replaced| !replaced.changed.is_empty() && is_meant(replaced.kind);
        let message = |replaced: &Replaced| {
            let first = replaced.changed.iter().take(CHANGES_NAMED).cloned().collect();
            let problem = Problem::SheetChanges { count: replaced.changed.len(), first };
            Message::of_file(replaced.kind.file().name(), problem)
        };
        self.replaced.iter().filter(is_changed).map(message).collect()
    }

    /// Whether nothing is wrong with the sheets alone: what others changed in the folder may mend the rest.
    pub fn is_right_alone(&self) -> bool {
        let is_error = |message: &&Message| message.problem.level() == Level::Error;
        self.messages.iter().filter(is_error).all(|message| message.problem.is_beside_the_sheets())
    }

    /// Whether there is an error, so that nothing may be written.
    pub fn has_errors(&self) -> bool {
        self.messages.iter().any(|message| message.problem.level() == Level::Error)
    }
}

/// The sheets of a local file, or of all files of a folder.
pub fn local(path: &Path) -> Result<Vec<Source>, Box<Message>> {
    let unreadable = |error: io::Error| {
        let problem = match error.kind() {
            io::ErrorKind::NotFound => Problem::NoSuchFile,
            io::ErrorKind::PermissionDenied => Problem::NotPermitted,
            io::ErrorKind::FileTooLarge => Problem::FileTooLarge { mib: MAX_BYTES >> 20 },
            _ => Problem::Unreadable { why: Why::from(&error) },
        };
        Box::new(Message::of_file(path.display().to_string(), problem))
    };
    if !path.is_dir() {
        return Ok(vec![read_file(path).map_err(unreadable)?]);
    }
    let files = files_ending(path, &[".xlsx", ".csv"]).map_err(unreadable)?;
    if files.is_empty() {
        let sheet = path.display().to_string();
        return Err(Box::new(Message::of_file(sheet, Problem::NoFiles)));
    }
    files.iter().map(|file| read_file(file).map_err(unreadable)).collect()
}

/// Says which spreadsheets of a folder [`local`] does not read.
pub fn not_read(path: &Path) -> Vec<Message> {
    let others =
        files_ending(path, &[".ods", ".xls", ".xlsm", ".xlsb", ".numbers", ".tsv"]).unwrap_or_default();
    let message = |file: &PathBuf| {
        let problem = Problem::NotRead { file: label(file) };
        Message::of_file(path.display().to_string(), problem)
    };
    others.iter().map(message).collect()
}

/// The files of a folder with one of these endings, in order. Locks of open files, hidden files, and lists of ids that
/// an import has left are none.
fn files_ending(folder: &Path, endings: &[&str]) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let file = entry?.path();
        let name = label(&file).to_lowercase();
        let is_other = name.starts_with("~$") || name.starts_with('.') || name.ends_with("-ids.csv");
        if !is_other && endings.iter().any(|ending| name.ends_with(ending)) && file.is_file() {
            files.push(file);
        }
    }
    files.sort();
    Ok(files)
}

fn label(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

fn read_file(path: &Path) -> io::Result<Source> {
    if std::fs::metadata(path)?.len() > MAX_BYTES as u64 {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(Source { label: label(path), path: Some(path.to_owned()), bytes: std::fs::read(path)? })
}

impl Source {
    /// Whether it is an .xlsx workbook, by its content: names lie.
    pub(crate) fn is_workbook(&self) -> bool {
        self.bytes.starts_with(b"PK\x03\x04")
    }

    /// Whether it is named as an .xlsx workbook.
    fn is_named_workbook(&self) -> bool {
        self.label.to_lowercase().ends_with(".xlsx")
    }

    fn sheets(&self) -> Result<Vec<Sheet>, Problem> {
        let begin: &[u8] = self.bytes.get(..512).unwrap_or(&self.bytes);
        let begin = String::from_utf8_lossy(begin).trim_start_matches('\u{feff}').trim_start().to_lowercase();
        if self.is_workbook() {
            return workbook::read(&self.label, &self.bytes).map_err(|error| match error {
                WorkbookError::TooLarge => Problem::WorkbookTooLarge,
                WorkbookError::Unreadable(_) if workbook::is_other_archive(&self.bytes) => Problem::OldExcel,
                WorkbookError::Unreadable(_) => Problem::DamagedWorkbook,
            });
        }
        if begin.starts_with("<!doctype") || begin.starts_with("<html") {
            return Err(Problem::WebPage { is_file: self.path.is_some() });
        }
        if self.bytes.starts_with(CONTAINER) && holds_wide(&self.bytes, "EncryptedPackage") {
            return Err(Problem::PasswordProtected);
        }
        // .xls of old Excel, PDF
        if self.bytes.starts_with(CONTAINER) || self.bytes.starts_with(b"%PDF") {
            return Err(Problem::OldExcel);
        }
        let not_csv = if self.is_named_workbook() { Problem::DamagedWorkbook } else { Problem::OldExcel };
        // pictures
        if is_binary(&self.bytes) {
            return Err(not_csv);
        }
        match csv_file::read(&self.label, &self.bytes) {
            Err(_) if self.is_named_workbook() => Err(not_csv),
            read => Ok(vec![read?.sheet]),
        }
    }

    /// Why there is no table in it, when its sheets can be read.
    fn without_table(&self) -> Problem {
        if self.is_workbook() {
            Problem::NoSheet
        } else if self.is_named_workbook() {
            Problem::DamagedWorkbook
        } else {
            Problem::NoHeader
        }
    }
}

/// How a file of old Excel begins, and an encrypted one of any Excel.
const CONTAINER: &[u8] = &[0xd0, 0xcf, 0x11, 0xe0];

/// Whether bytes hold a text in UTF-16, as the directory of such a file names its parts.
fn holds_wide(bytes: &[u8], text: &str) -> bool {
    let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    bytes.windows(wide.len()).any(|part| part == wide)
}

/// Whether bytes hold zeros and are no UTF-16.
fn is_binary(bytes: &[u8]) -> bool {
    let wide = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
    !wide && bytes.iter().take(4096).any(|byte| *byte == 0)
}

/// The tables of all sources; what is none is a message.
fn tables(sources: &[Source], messages: &mut Vec<Message>) -> Vec<Table> {
    let mut tables: Vec<Table> = Vec::new();
    for (number, source) in sources.iter().enumerate() {
        let before = tables.len();
        let problem = match source.sheets() {
            Err(problem) => problem,
            Ok(sheets) => {
                for sheet in sheets {
                    tables.extend(table::find(sheet, number, messages));
                }
                if tables.len() > before {
                    continue;
                }
                source.without_table()
            }
        };
        messages.push(Message::of_file(&source.label, problem));
    }
    tables
}

/// What the folder and the sheets of places list, by which rows are read.
struct Lists<'f> {
    folder: &'f Files,
    areas: Areas,
    categories: Categories,
    has_areas: bool,
    has_categories: bool,
    codes: Vec<(String, Area)>,
    wings: Vec<Wing>,
    /// The places of the folder.
    places: Vec<Value>,
    /// The places of the folder, or those of the sheets once they are read.
    venues: Vec<Venue>,
    /// See [`Context::unread_places`].
    unread_places: HashSet<String>,
    /// See [`Context::gone_places`].
    gone_places: HashSet<String>,
    bounds: Option<Bounds>,
    middles: HashMap<String, Position>,
}

impl<'f> Lists<'f> {
    fn read(folder: &'f Files, messages: &mut Vec<Message>) -> Lists<'f> {
        let geography: Option<Geography> = parsed(folder, File::Regions, messages);
        let taxonomy: Option<Taxonomy> = parsed(folder, File::Categories, messages);
        let addresses: Addresses = parsed(folder, File::AddressCodes, messages).unwrap_or_default();
        // what cannot be read is not replaced either: its ids would be lost
        let places = records_of(folder, SheetKind::Places, messages);
        let positions: Positions = parsed(folder, File::Positions, messages).unwrap_or_default();
        let bounds = positions.usable_bounds();
        Lists {
            folder,
            has_areas: geography.is_some(),
            has_categories: taxonomy.is_some(),
            areas: Areas::new(&geography.unwrap_or_default()),
            categories: Categories::new(&taxonomy.unwrap_or_default()),
            codes: codes(&addresses),
            wings: addresses.wings,
            venues: places.iter().filter_map(|place| venue(place, None)).collect(),
            places,
            unread_places: HashSet::new(),
            gone_places: HashSet::new(),
            bounds,
            middles: positions.areas.into_iter().map(|one| (one.area, one.position)).collect(),
        }
    }

    /// Reads all tables of a kind. Those of places become the venues of events.
    fn replace_kind(
        &mut self,
        kind: SheetKind,
        tables: &[Table],
        today: NaiveDate,
        messages: &mut Vec<Message>,
    ) -> Replaced {
        let known_days = known_days(&records_of(self.folder, kind, &mut Vec::new()));
        let context = Context {
            categories: &self.categories,
            areas: &self.areas,
            has_areas: self.has_areas,
            has_categories: self.has_categories,
            codes: &self.codes,
            wings: &self.wings,
            venues: &self.venues,
            unread_places: &self.unread_places,
            gone_places: &self.gone_places,
            bounds: self.bounds,
            middles: &self.middles,
            today,
            known_days: &known_days,
        };
        let (mut records, mut unread) = (Vec::new(), HashSet::new());
        for (number, table) in tables.iter().enumerate().filter(|(_, table)| table.kind == kind) {
            let rows = records::read(&context, table, number, messages);
            records.extend(rows.records);
            unread.extend(rows.unread);
        }
        let old = match kind {
            SheetKind::Places => earlier(&self.places, &[]),
            SheetKind::Events => earlier(&records_of(self.folder, kind, messages), &self.places),
        };
        ids::assign(&mut records, &old, tables, messages);
        let kept: HashSet<&str> = records.iter().map(|record| &*record.id).collect();
        // a row with an error is there all the same
        let is_gone = |one: &&Earlier| {
            !kept.contains(&*one.id) && !unread.contains(&one.id) && !unread.contains(&one.name)
        };
        let vanished: Vec<String> = old.iter().filter(is_gone).map(|one| one.id.clone()).collect();
        let known: HashSet<&str> = old.iter().map(|one| &*one.id).collect();
        let new = kept.iter().filter(|id| !known.contains(**id)).count();
        let of_kind = tables.iter().filter(|table| table.kind == kind);
        let columns: BTreeSet<&str> = of_kind.flat_map(Table::columns).map(|header| header.en).collect();
        if kind == SheetKind::Places {
            let listed = |record: &Record| venue(&serde_json::to_value(record).ok()?, Some(record.row));
            self.venues = records.iter().filter_map(listed).collect();
            name_former(&mut self.venues, &self.places);
            let gone = old.iter().filter(is_gone).map(|one| one.name.clone());
            self.gone_places = gone.collect();
            self.unread_places = unread;
        }
        Replaced { kind, columns: columns.into_iter().collect(), records, new, vanished, changed: Vec::new() }
    }
}

/// Reads sources into the records of a folder; nothing is written. Days without a year are those nearest to `today`.
pub fn import(sources: &[Source], folder: &Files, today: NaiveDate) -> Import {
    let mut messages = Vec::new();
    let tables = tables(sources, &mut messages);
    let mut lists = Lists::read(folder, &mut messages);
    let has_lists = lists.has_areas && lists.has_categories;
    let mut replaced = Vec::new();
    for kind in SheetKind::BOTH {
        if tables.iter().any(|table| table.kind == kind) {
            replaced.push(lists.replace_kind(kind, &tables, today, &mut messages));
        }
    }
    let sheets = tables.iter().map(sheet_read).collect();
    let mut made = Import { messages, sheets, replaced, missing_ids: Vec::new() };
    let is_whole = !made.has_errors();
    if is_whole {
        vanishing(&mut made);
    }
    let (mut of_check, snapshot) = match has_lists {
        true => check::messages(&made.replaced, folder, &tables, is_whole, today),
        // without its lists everything in the folder is wrong
        false => (Vec::new(), None),
    };
    of_check.retain(|message| message.problem != Problem::UnknownVenue || !is_told_of_place(&made, message));
    made.messages.append(&mut of_check);
    if !made.has_errors() {
        changes::find(&mut made.replaced, folder, snapshot.as_ref(), today);
    }
    made.missing_ids = missing_ids(&made.replaced, &tables);
    made
}

/// Whether the row of a message is told already that its place has another name now, or is gone.
fn is_told_of_place(made: &Import, of: &Message) -> bool {
    let is_told =
        |told: &Message| matches!(told.problem, Problem::PlaceRenamed { .. } | Problem::PlaceGone { .. });
    made.messages.iter().any(|told| is_told(told) && (&told.sheet, told.row) == (&of.sheet, of.row))
}

fn sheet_read(table: &Table) -> SheetRead {
    SheetRead { sheet: table.label.clone(), file: table.kind.file().name(), rows: table.rows.len() }
}

/// Says how many records of the folder are not in the sheets.
fn vanishing(made: &mut Import) {
    let renamed = made.messages.iter().filter_map(|message| match &message.problem {
        Problem::IdChanged { before, .. } => Some(before.clone()),
        _ => None,
    });
    let renamed: HashSet<String> = renamed.collect();
    for replaced in &made.replaced {
        // a record whose id was changed is there
        let gone: Vec<String> =
            replaced.vanished.iter().filter(|id| !renamed.contains(*id)).cloned().collect();
        made.messages.extend(vanishes(replaced.kind, &gone));
    }
}

/// Says which records of a kind vanish; nothing when none does.
pub fn vanishes(kind: SheetKind, ids: &[String]) -> Option<Message> {
    let first = ids.iter().take(5).cloned().collect();
    let problem = Problem::Vanishes { count: ids.len(), first };
    (!ids.is_empty()).then(|| Message::of_file(kind.file().name(), problem))
}

/// The ids to write into each sheet.
fn missing_ids(replaced: &[Replaced], tables: &[Table]) -> Vec<MissingIds> {
    let missing = tables.iter().enumerate().filter_map(|(number, table)| {
        let records = replaced.iter().filter(|replaced| replaced.kind == table.kind);
        let rows = unwritten(records.flat_map(|replaced| &replaced.records), number);
        let column = table.position(Column::Id);
        (!rows.is_empty()).then(|| MissingIds {
            source: table.source,
            label: table.label.clone(),
            sheet: table.sheet.clone(),
            column: column.unwrap_or(table.free_column),
            new_header: column.is_none().then_some(table.header_row),
            rows,
        })
    });
    missing.collect()
}

/// A file of the folder; `None`, and a message, when it cannot be read.
fn parsed<T: DeserializeOwned>(folder: &Files, file: File, messages: &mut Vec<Message>) -> Option<T> {
    let unread = |what: &str| match folder.has(file) {
        true => Why::Other { detail: what.to_owned() },
        false => Why::Missing,
    };
    let read = folder
        .text(file)
        .map_err(|defect| unread(&defect.what))
        .and_then(|text| serde_json::from_str(text).map_err(|error| Why::from(&error)));
    let report = |why| messages.push(Message::of_file(file.name(), Problem::Unreadable { why }));
    read.map_err(report).ok()
}

/// The records that the folder has; none when it has no such file.
fn records_of(folder: &Files, kind: SheetKind, messages: &mut Vec<Message>) -> Vec<Value> {
    let file = kind.file();
    if folder.has(file) { parsed(folder, file, messages).unwrap_or_default() } else { Vec::new() }
}

/// The days that records hold, by id and by [`name_key`].
fn known_days(records: &[Value]) -> HashMap<String, Vec<NaiveDate>> {
    let mut known = HashMap::<String, Vec<NaiveDate>>::new();
    for record in records {
        let repeat = |field: &str| record.get("repeat").and_then(|repeat| repeat.get(field));
        let own = ["date", "end_date", "show_from", "show_until"].map(|field| record.get(field));
        let listed =
            [repeat("dates"), repeat("except")].into_iter().flatten().filter_map(Value::as_array).flatten();
        let days = own.into_iter().chain([repeat("until")]).flatten().chain(listed);
        let days: Vec<NaiveDate> = days.filter_map(|day| day.as_str()?.parse().ok()).collect();
        let text = |field: &str| record.get(field).and_then(Value::as_str);
        for name in [text("id").map(str::to_owned), text("name").map(name_key)].into_iter().flatten() {
            known.entry(name).or_default().extend(&days);
        }
    }
    known
}

/// A place as a venue, with its row when it is from a sheet.
fn venue(record: &Value, row: Option<u32>) -> Option<Venue> {
    let text = |field: &str| record.get(field).and_then(Value::as_str);
    let aliases =
        record.get("aliases").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    Some(Venue {
        id: text("id")?.to_owned(),
        name: text("name")?.to_owned(),
        names: std::iter::once(text("name")?).chain(aliases).map(name_key).collect(),
        former: None,
        area: Area {
            region: text("region")?.to_owned(),
            neighbourhood: text("neighbourhood").map(str::to_owned),
        },
        row,
    })
}

/// Notes the former names of the places that a sheet gives another one: the id shows that it is the same place.
fn name_former(venues: &mut [Venue], folder: &[Value]) {
    let field = |place: &Value, name: &str| place.get(name).and_then(Value::as_str).map(str::to_owned);
    let named =
        folder.iter().filter_map(|place| Some((field(place, "id")?, name_key(&field(place, "name")?))));
    let mut former: HashMap<String, String> = named.collect();
    for venue in venues {
        venue.former = former.remove(&venue.id).filter(|name| !venue.names.contains(name));
    }
}

/// The codes of addresses that decide a region.
fn codes(addresses: &Addresses) -> Vec<(String, Area)> {
    let area = |code: &Code, region: &str| Area {
        region: region.to_owned(),
        neighbourhood: if let [one] = &*code.neighbourhoods { Some(one.clone()) } else { None },
    };
    addresses.deciding().map(|(name, code, region)| (name, area(code, region))).collect()
}
