//! Workbooks of Excel: read, and edited cell by cell so that all the rest of the file stays as it is.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Cursor, Read, Write};

use calamine::{
    Data, Dimensions, Reader, SheetType, SheetVisible, Xlsx, XlsxCellFormula, XlsxError,
    open_workbook_from_rs,
};
use chrono::{Datelike, NaiveDate, NaiveTime};
use quick_xml::events::{BytesEnd, BytesStart, BytesText, Event};
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

use crate::sheet::{Cell, MAX_CELLS, Merged, Row, Sheet, differ_only_in, fraction_time, hours_of, letters};

/// The largest workbook that is read, in bytes when it is unpacked.
const MAX_UNPACKED: u64 = 512 * 1024 * 1024;
/// How many columns a sheet may have; a guide's has fewer than 60.
const MAX_COLUMNS: u32 = 1_000;
/// The part that lists the sheets.
const WORKBOOK: &str = "xl/workbook.xml";

/// Whether bytes are a ZIP archive without a workbook of Excel: a file of LibreOffice, Numbers or Word.
pub(crate) fn is_other_archive(bytes: &[u8]) -> bool {
    ZipArchive::new(Cursor::new(bytes)).is_ok_and(|archive| archive.index_for_name(WORKBOOK).is_none())
}

/// Why a workbook is not read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WorkbookError {
    /// A cell is too far out, or the parts are too large to be unpacked.
    #[error("the workbook is too large")]
    TooLarge,
    /// It is no workbook, or a damaged one.
    #[error(transparent)]
    Unreadable(#[from] XlsxError),
}

/// Reads the sheets of a workbook. Of hidden ones there is only the name.
pub(crate) fn read(label: &str, bytes: &[u8]) -> Result<Vec<Sheet>, WorkbookError> {
    if unpacked_size(bytes) > MAX_UNPACKED {
        return Err(WorkbookError::TooLarge);
    }
    let mut workbook: Xlsx<_> = open_workbook_from_rs(Cursor::new(bytes))?;
    let is_calculated = !is_left_to_calculate(bytes);
    let listed: Vec<_> = workbook.sheets_metadata().to_vec();
    let (mut sheets, mut left) = (Vec::new(), MAX_CELLS);
    for listed in listed.into_iter().filter(|sheet| sheet.typ == SheetType::WorkSheet) {
        let name = listed.name;
        let label = format!("{label}, {name}");
        sheets.push(if listed.visible == SheetVisible::Visible {
            let mut sheet = sheet(&mut workbook, &name, is_calculated, &mut left)?;
            sheet.merged = workbook.merge_cells_by_sheet_name(&name)?.iter().map(merged).collect();
            sheet.hidden_rows = hidden_rows(bytes, &name).unwrap_or_default();
            Sheet { label, name, ..sheet }
        } else {
            Sheet { label, name, is_hidden: true, ..Sheet::default() }
        });
    }
    Ok(sheets)
}

/// How large the parts of an archive say that they are; 0 of what is none, which is told by what opens it.
fn unpacked_size(bytes: &[u8]) -> u64 {
    let Ok(mut archive) = ZipArchive::new(Cursor::new(bytes)) else { return 0 };
    let sizes = (0..archive.len()).map(|part| archive.by_index_raw(part).map_or(0, |part| part.size()));
    sizes.fold(0, u64::saturating_add)
}

/// Whether the program that wrote a workbook leaves its formulas to the program that opens it: then a value of 0 may
/// stand for any other.
fn is_left_to_calculate(bytes: &[u8]) -> bool {
    let set = |value| {
        let workbook = text_of(&mut ZipArchive::new(Cursor::new(bytes)).ok()?, WORKBOOK)?;
        attribute_where(&workbook, "calcPr", ("fullCalcOnLoad", value), "fullCalcOnLoad")
    };
    ["1", "true"].into_iter().any(|value| set(value).is_some())
}

fn merged(cells: &Dimensions) -> Merged {
    let corner =
        |(row, column): (u32, u32)| (row.saturating_add(1), usize::try_from(column).unwrap_or(usize::MAX));
    Merged { first: corner(cells.start), last: corner(cells.end) }
}

/// The rows of a sheet that hold something, of so many cells as are `left` at most.
fn sheet(
    workbook: &mut Xlsx<Cursor<&[u8]>>,
    name: &str,
    is_calculated: bool,
    left: &mut usize,
) -> Result<Sheet, WorkbookError> {
    let mut sheet = Sheet::default();
    for link in workbook.hyperlinks_by_sheet_name(name)? {
        let (row, column) = link.range.start;
        let at = (row.saturating_add(1), usize::try_from(column).unwrap_or(usize::MAX));
        sheet.links.extend(link.target.map(|target| (at, target)));
    }
    let styles = workbook.worksheet_style(name)?;
    let is_struck = |at: (u32, u32)| {
        let font = styles.get(at).and_then(|style| style.font.as_ref());
        font.is_some_and(calamine::Font::has_strikethrough)
    };
    let is_shown = |at: (u32, u32), as_what: fn(&str) -> bool| {
        let format = styles.get(at).and_then(|style| style.number_format.as_ref());
        format.is_some_and(|format| as_what(&shown_parts(&format.format_code)))
    };
    let is_shown_in_reais = |at: (u32, u32)| {
        let format = styles.get(at).and_then(|style| style.number_format.as_ref());
        format.is_some_and(|format| format.format_code.contains("R$"))
    };
    let mut read = workbook.worksheet_cells_reader(name)?;
    let mut rows: BTreeMap<u32, Vec<Cell>> = BTreeMap::new();
    while let Some(XlsxCellFormula { pos: (row, column), value, formula }) = read.next_cell_with_formula()? {
        let value = Data::from(value);
        let is_stored = match value {
            Data::Empty => false,
            Data::Float(value) => is_calculated || value != 0.0,
            _ => true,
        };
        let has_formula = formula.as_ref().is_some_and(|formula| !formula.is_empty());
        let cell = match cell(&value) {
            _ if has_formula && !is_stored => Cell::Broken(String::new()),
            Cell::Moment(Some(first), None) if first.day() == 1 && is_shown((row, column), is_month) => {
                Cell::Month(first)
            }
            Cell::Number(value) if is_shown((row, column), |shown| shown.contains('%')) => {
                Cell::Percent(value)
            }
            cell => cell,
        };
        if cell == Cell::Empty {
            continue;
        }
        let at = usize::try_from(column).ok().filter(|_| column < MAX_COLUMNS);
        let at = at.ok_or(WorkbookError::TooLarge)?;
        let place = (row.saturating_add(1), at);
        sheet.links.extend(formula.as_deref().and_then(linked).map(|link| (place, link)));
        if matches!(cell, Cell::Number(_)) && is_shown_in_reais((row, column)) {
            sheet.in_reais.insert(place);
        }
        if is_struck((row, column)) {
            sheet.struck.insert(place);
        }
        let cells = rows.entry(row).or_default();
        let more = (at + 1).saturating_sub(cells.len());
        *left = left.checked_sub(more).ok_or(WorkbookError::TooLarge)?;
        cells.resize(cells.len() + more, Cell::Empty);
        cells[at] = cell;
    }
    let numbered = rows.into_iter().map(|(row, cells)| Row { number: row.saturating_add(1), cells });
    sheet.rows = numbered.collect();
    Ok(sheet)
}

/// The address of a formula such as `HYPERLINK("https://...","Sympla")`.
fn linked(formula: &str) -> Option<String> {
    let formula = formula.trim_start_matches(['=', ' ']);
    let (function, rest) = formula.split_once('(')?;
    let (address, _) = rest.trim_start().strip_prefix('"')?.split_once('"')?;
    function.trim().eq_ignore_ascii_case("HYPERLINK").then(|| address.to_owned())
}

/// The rows of a sheet that the program does not show.
fn hidden_rows(bytes: &[u8], sheet: &str) -> Option<BTreeSet<u32>> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).ok()?;
    let path = part_of(&mut archive, sheet)?;
    let xml = text_of(&mut archive, &path)?;
    // to parse all cells once more takes as long as to read them
    let begins = xml.match_indices("<row ").map(|(at, _)| xml.get(at..).unwrap_or_default());
    let rows = begins.filter_map(|row| row.split_once('>').map(|(element, _)| element));
    let is_hidden = |row: &&str| [" hidden=\"1\"", " hidden=\"true\""].iter().any(|set| row.contains(set));
    let number = |row: &str| row.split_once(" r=\"")?.1.split_once('"')?.0.parse().ok();
    Some(rows.filter(is_hidden).filter_map(number).collect())
}

/// Whether a format of numbers shows the month and the year of a date, or one of them, and no day: "mmm/yy". Another
/// day than the first was typed as a whole date, and is one.
fn is_month(shown: &str) -> bool {
    shown.contains(['m', 'y']) && !shown.contains(['d', 'h', 's'])
}

/// What a format of numbers shows of them, without the texts beside it and the formats of other numbers.
fn shown_parts(format: &str) -> String {
    let (mut shown, mut is_literal, mut letters) = (String::new(), false, format.chars());
    while let Some(letter) = letters.next() {
        match letter {
            '\\' | '_' | '*' => drop(letters.next()),
            '"' => is_literal = !is_literal,
            // the language: [$-416]
            '[' if !is_literal => drop(letters.find(|letter| *letter == ']')),
            ';' if !is_literal => break,
            letter if !is_literal => shown.extend(letter.to_lowercase()),
            _ => {}
        }
    }
    shown
}

fn cell(data: &Data) -> Cell {
    match data {
        Data::Empty => Cell::Empty,
        Data::String(text) if text.is_empty() => Cell::Empty,
        Data::String(text) => Cell::Text(text.clone()),
        Data::Int(value) => Cell::Number(format!("{value}").parse().unwrap_or_default()),
        Data::Float(value) => Cell::Number(*value),
        Data::Bool(value) => Cell::Bool(*value),
        Data::Error(error) => Cell::Broken(error.to_string()),
        Data::DateTime(moment) => {
            let serial = moment.as_f64();
            // of a time: 24:00 is no time of the same day
            if let Some(hours) = hours_of(serial).filter(|_| serial < 1.0 || moment.is_duration()) {
                return Cell::Text(hours);
            }
            let (year, month, day, ..) = moment.to_ymd_hms_milli();
            let date = NaiveDate::from_ymd_opt(year.into(), month.into(), day.into());
            Cell::Moment(
                date.filter(|_| serial >= 1.0 && !moment.is_duration()),
                fraction_time(serial)
                    .filter(|_| serial < 1.0 || serial.fract() > 0.0 || moment.is_duration()),
            )
        }
        Data::DateTimeIso(text) => {
            let date = text.get(..10).and_then(|day| day.parse().ok());
            let time = text.split('T').nth(1).and_then(|time| time.get(..5)?.parse::<NaiveTime>().ok());
            if date.is_some() || time.is_some() { Cell::Moment(date, time) } else { Cell::Text(text.clone()) }
        }
        Data::DurationIso(text) => Cell::Text(text.clone()),
    }
}

/// The workbook with texts written into the cells of a column of a sheet; nothing when that cannot be done safely.
pub(crate) fn with(
    bytes: &[u8],
    sheet: &Sheet,
    column: usize,
    cells: &BTreeMap<u32, String>,
) -> Option<Vec<u8>> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).ok()?;
    let path = part_of(&mut archive, &sheet.name)?;
    let xml = text_of(&mut archive, &path)?;
    let edited = edit(&xml, column, cells)?;
    let mut writer = ZipWriter::new(Cursor::new(Vec::with_capacity(bytes.len())));
    for number in 0..archive.len() {
        let part = archive.by_index_raw(number).ok()?;
        if part.name().ok()? == path {
            let options =
                SimpleFileOptions::default().last_modified_time(part.last_modified().unwrap_or_default());
            writer.start_file(&path, options).ok()?;
            writer.write_all(edited.as_bytes()).ok()?;
        } else {
            writer.raw_copy_file(part).ok()?;
        }
    }
    let written = writer.finish().ok()?.into_inner();
    // A mistake here would damage the work of somebody else: the result is read again and compared.
    let all = |bytes: &[u8]| read("", bytes).ok();
    let (before, after) = (all(bytes)?, all(&written)?);
    let same = before.len() == after.len()
        && before.iter().zip(&after).all(|(before, after)| {
            if before.name == sheet.name {
                differ_only_in(before, after, column, cells)
            } else {
                before == after
            }
        });
    same.then_some(written)
}

fn text_of(archive: &mut ZipArchive<Cursor<&[u8]>>, path: &str) -> Option<String> {
    let mut text = String::new();
    archive.by_name(path).ok()?.take(MAX_UNPACKED).read_to_string(&mut text).ok()?;
    Some(text)
}

/// The part of the archive that holds a sheet.
fn part_of(archive: &mut ZipArchive<Cursor<&[u8]>>, sheet: &str) -> Option<String> {
    let workbook = text_of(archive, WORKBOOK)?;
    let relation = attribute_where(&workbook, "sheet", ("name", sheet), "id")?;
    let relations = text_of(archive, "xl/_rels/workbook.xml.rels")?;
    let target = attribute_where(&relations, "Relationship", ("Id", &relation), "Target")?;
    Some(match target.strip_prefix('/') {
        Some(absolute) => absolute.to_owned(),
        None => format!("xl/{target}"),
    })
}

/// The attribute of the element of which another attribute has a value. Prefixes of names are passed over.
fn attribute_where(xml: &str, element: &str, (key, value): (&str, &str), wanted: &str) -> Option<String> {
    let mut reader = quick_xml::Reader::from_str(xml);
    loop {
        match reader.read_event().ok()? {
            Event::Eof => return None,
            Event::Start(start) | Event::Empty(start)
                if start.local_name().as_ref() == element
                    && attribute(&start, key).as_deref() == Some(value) =>
            {
                return attribute(&start, wanted);
            }
            _ => {}
        }
    }
}

fn attribute(element: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = element.attributes().flatten().find(|one| one.key.local_name().as_ref() == name)?;
    let value = found.value.to_string();
    quick_xml::escape::unescape(&value).ok().map(|value| value.into_owned())
}

/// The XML of a sheet with the cells set; nothing when its form is unusual, or a cell holds a formula.
fn edit(xml: &str, column: usize, cells: &BTreeMap<u32, String>) -> Option<String> {
    let mut editor = Editor {
        reader: quick_xml::Reader::from_str(xml),
        writer: quick_xml::Writer::new(Vec::with_capacity(xml.len() + 96 * cells.len())),
        column,
        cells,
        row: 0,
        next: 0,
        pending: None,
        written: 0,
        style: None,
    };
    loop {
        let event = editor.reader.read_event().ok()?;
        match &event {
            Event::Eof => break,
            Event::Start(start) | Event::Empty(start) if start.name().as_ref() == "row" => {
                editor.begin_row(start, matches!(event, Event::Empty(_)))?;
            }
            Event::End(end) if end.name().as_ref() == "row" => {
                editor.end_row()?;
                editor.write(event)?;
            }
            Event::Start(start) | Event::Empty(start) if start.name().as_ref() == "c" => {
                editor.cell(start, matches!(event, Event::Empty(_)))?;
            }
            _ => editor.write(event)?,
        }
    }
    if editor.written != cells.len() {
        return None;
    }
    String::from_utf8(editor.writer.into_inner()).ok()
}

/// Copies the XML of a sheet with texts set in the cells of a column. Its methods return nothing when that is not safe.
struct Editor<'e> {
    reader: quick_xml::Reader<&'e [u8]>,
    writer: quick_xml::Writer<Vec<u8>>,
    column: usize,
    cells: &'e BTreeMap<u32, String>,
    /// The row that is copied.
    row: u32,
    /// The column of a cell that does not name its own.
    next: usize,
    /// The text of the row that is not written yet.
    pending: Option<&'e str>,
    written: usize,
    /// The style of the cell before, which a new header takes.
    style: Option<String>,
}

impl Editor<'_> {
    fn write(&mut self, event: Event<'_>) -> Option<()> {
        self.writer.write_event(event).ok()
    }

    fn begin_row(&mut self, start: &BytesStart<'_>, is_empty: bool) -> Option<()> {
        self.row = match attribute(start, "r") {
            Some(number) => number.parse().ok()?,
            None => self.row + 1,
        };
        (self.next, self.style) = (0, None);
        self.pending = self.cells.get(&self.row).map(String::as_str);
        if self.pending.is_none() {
            return self.copy(start, is_empty);
        }
        if is_empty {
            return None;
        }
        // the hint of the columns in use may not hold any more
        let mut again = BytesStart::new("row");
        for one in start.attributes() {
            let one = one.ok()?;
            if one.key.as_ref() != "spans" {
                again.push_attribute(one);
            }
        }
        self.write(Event::Start(again))
    }

    /// Writes the text of the row, if it comes after all cells.
    fn end_row(&mut self) -> Option<()> {
        let Some(text) = self.pending.take() else { return Some(()) };
        let is_header = self.cells.keys().next() == Some(&self.row);
        let style = self.style.take().filter(|_| is_header);
        self.write_text(text, style.as_deref())
    }

    /// Copies a cell, after the text that belongs before it or in its place.
    fn cell(&mut self, start: &BytesStart<'_>, is_empty: bool) -> Option<()> {
        let here = match attribute(start, "r") {
            Some(reference) => column_of(&reference)?,
            None => self.next,
        };
        self.next = here + 1;
        let style = attribute(start, "s");
        let Some(text) = self.pending.filter(|_| here >= self.column) else {
            self.style = style;
            return self.copy(start, is_empty);
        };
        self.pending = None;
        if here > self.column {
            self.write_text(text, None)?;
            return self.copy(start, is_empty);
        }
        self.write_text(text, style.as_deref())?;
        if is_empty { Some(()) } else { self.skip_cell() }
    }

    fn copy(&mut self, start: &BytesStart<'_>, is_empty: bool) -> Option<()> {
        let start = start.borrow();
        self.write(if is_empty { Event::Empty(start) } else { Event::Start(start) })
    }

    fn write_text(&mut self, text: &str, style: Option<&str>) -> Option<()> {
        let mut cell = BytesStart::new("c");
        cell.push_attribute(("r", format!("{}{}", letters(self.column), self.row).as_str()));
        if let Some(style) = style {
            cell.push_attribute(("s", style));
        }
        cell.push_attribute(("t", "inlineStr"));
        let end = cell.to_end().into_owned();
        for event in [
            Event::Start(cell),
            Event::Start(BytesStart::new("is")),
            Event::Start(BytesStart::new("t")),
            Event::Text(BytesText::new(text)),
            Event::End(BytesEnd::new("t")),
            Event::End(BytesEnd::new("is")),
            Event::End(end),
        ] {
            self.write(event)?;
        }
        self.written += 1;
        Some(())
    }

    /// Passes over the rest of a cell; nothing when it holds a formula.
    fn skip_cell(&mut self) -> Option<()> {
        loop {
            match self.reader.read_event().ok()? {
                Event::End(end) if end.name().as_ref() == "c" => return Some(()),
                Event::Start(start) | Event::Empty(start) if start.name().as_ref() == "f" => return None,
                Event::Eof => return None,
                _ => {}
            }
        }
    }
}

/// The column of a reference such as `AB12`, from 0.
fn column_of(reference: &str) -> Option<usize> {
    let letters = reference.bytes().take_while(u8::is_ascii_uppercase);
    let column = letters.fold(0_usize, |column, letter| column * 26 + usize::from(letter - b'A') + 1);
    column.checked_sub(1)
}
