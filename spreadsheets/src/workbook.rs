//! Workbooks of Excel: read, and edited cell by cell so that all the rest of the file stays as it is.

use std::collections::BTreeMap;
use std::io::{Cursor, Read, Write};

use calamine::{Data, Reader, SheetType, SheetVisible, Xlsx, open_workbook_from_rs};
use chrono::{NaiveDate, NaiveTime};
use quick_xml::events::{BytesStart, BytesText, Event};
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

use crate::sheet::{Cell, Row, Sheet, differ_only_in, fraction_time, letters};

/// The largest part of a workbook that is unpacked, in bytes.
const MAX_PART: u64 = 512 * 1024 * 1024;
/// The part that lists the sheets.
const WORKBOOK: &str = "xl/workbook.xml";

/// Whether bytes are a ZIP archive without a workbook of Excel: a file of LibreOffice, Numbers or Word.
pub(crate) fn is_other_archive(bytes: &[u8]) -> bool {
    ZipArchive::new(Cursor::new(bytes)).is_ok_and(|archive| archive.index_for_name(WORKBOOK).is_none())
}

/// Reads the visible sheets of a workbook.
pub(crate) fn read(label: &str, bytes: &[u8]) -> Result<Vec<Sheet>, String> {
    let mut workbook: Xlsx<_> =
        open_workbook_from_rs(Cursor::new(bytes)).map_err(|error: calamine::XlsxError| error.to_string())?;
    let visible: Vec<String> = workbook
        .sheets_metadata()
        .iter()
        .filter(|sheet| sheet.typ == SheetType::WorkSheet && sheet.visible == SheetVisible::Visible)
        .map(|sheet| sheet.name.clone())
        .collect();
    let mut sheets = Vec::new();
    for name in visible {
        let range = workbook.worksheet_range(&name).map_err(|error| error.to_string())?;
        let (first_row, first_column) = range.start().unwrap_or_default();
        let left = usize::try_from(first_column).map_err(|error| error.to_string())?;
        let mut rows = Vec::new();
        for (number, cells) in (first_row + 1..).zip(range.rows()) {
            if cells.iter().all(|cell| *cell == Data::Empty) {
                continue;
            }
            let left = std::iter::repeat_n(Cell::Empty, left);
            rows.push(Row { number, cells: left.chain(cells.iter().map(cell)).collect() });
        }
        sheets.push(Sheet { label: format!("{label}, {name}"), name, rows });
    }
    Ok(sheets)
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
    archive.by_name(path).ok()?.take(MAX_PART).read_to_string(&mut text).ok()?;
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
    let mut reader = quick_xml::Reader::from_str(xml);
    let mut writer = quick_xml::Writer::new(Vec::with_capacity(xml.len() + 96 * cells.len()));
    let letters = letters(column);
    let header = cells.keys().next().copied();
    let (mut row, mut at, mut pending, mut written) = (0_u32, 0_usize, None, 0_usize);
    // the style of the cell before, which a new header takes
    let mut style: Option<String> = None;
    let own = |row: u32, text: &str, style: Option<&str>| {
        let mut cell = BytesStart::new("c");
        cell.push_attribute(("r", format!("{letters}{row}").as_str()));
        if let Some(style) = style {
            cell.push_attribute(("s", style));
        }
        cell.push_attribute(("t", "inlineStr"));
        let end = cell.to_end().into_owned();
        [
            Event::Start(cell.into_owned()),
            Event::Start(BytesStart::new("is")),
            Event::Start(BytesStart::new("t")),
            Event::Text(BytesText::new(text).into_owned()),
            Event::End(quick_xml::events::BytesEnd::new("t")),
            Event::End(quick_xml::events::BytesEnd::new("is")),
            Event::End(end),
        ]
    };
    loop {
        let event = reader.read_event().ok()?;
        match &event {
            Event::Eof => break,
            Event::Start(start) | Event::Empty(start) if start.name().as_ref() == "row" => {
                row = match attribute(start, "r") {
                    Some(number) => number.parse().ok()?,
                    None => row + 1,
                };
                at = 0;
                style = None;
                pending = cells.get(&row);
                if pending.is_some() {
                    if matches!(event, Event::Empty(_)) {
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
                    writer.write_event(Event::Start(again)).ok()?;
                    continue;
                }
            }
            Event::End(end) if end.name().as_ref() == "row" => {
                if let Some(text) = pending.take() {
                    let style = style.take().filter(|_| header == Some(row));
                    for event in own(row, text, style.as_deref()) {
                        writer.write_event(event).ok()?;
                    }
                    written += 1;
                }
            }
            Event::Start(start) | Event::Empty(start) if start.name().as_ref() == "c" => {
                let here = match attribute(start, "r") {
                    Some(reference) => column_of(&reference)?,
                    None => at,
                };
                at = here + 1;
                let styled = attribute(start, "s");
                if let Some(text) = pending
                    && here >= column
                {
                    pending = None;
                    written += 1;
                    let replaced = here == column;
                    let styled = if replaced { styled.as_deref() } else { None };
                    for event in own(row, text, styled) {
                        writer.write_event(event).ok()?;
                    }
                    if replaced {
                        if matches!(event, Event::Start(_)) {
                            skip_cell(&mut reader)?;
                        }
                        continue;
                    }
                } else {
                    style = styled;
                }
            }
            _ => {}
        }
        writer.write_event(event).ok()?;
    }
    if written != cells.len() {
        return None;
    }
    String::from_utf8(writer.into_inner()).ok()
}

/// Passes over the rest of a cell; nothing when it holds a formula.
fn skip_cell(reader: &mut quick_xml::Reader<&[u8]>) -> Option<()> {
    loop {
        match reader.read_event().ok()? {
            Event::End(end) if end.name().as_ref() == "c" => return Some(()),
            Event::Start(start) | Event::Empty(start) if start.name().as_ref() == "f" => return None,
            Event::Eof => return None,
            _ => {}
        }
    }
}

/// The column of a reference such as `AB12`, from 0.
fn column_of(reference: &str) -> Option<usize> {
    let letters = reference.bytes().take_while(u8::is_ascii_uppercase);
    let column = letters.fold(0_usize, |column, letter| column * 26 + usize::from(letter - b'A') + 1);
    column.checked_sub(1)
}
