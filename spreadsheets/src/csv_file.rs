//! CSV files: their encoding and separator are found out, and kept when ids are written into them.

use std::collections::BTreeMap;
use std::ops::Range;

use csv::{ByteRecord, ReaderBuilder};
use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

use crate::sheet::{Cell, Row, Sheet, differ_only_in};
use crate::table::understood;

/// A CSV file whose form is known.
#[derive(Debug)]
pub(crate) struct CsvFile {
    pub(crate) sheet: Sheet,
    separator: u8,
    /// Where each row is in the bytes, when those can be edited.
    rows: Option<BTreeMap<u32, Range<usize>>>,
}

/// Reads the bytes of a CSV file.
pub(crate) fn read(label: &str, bytes: &[u8]) -> CsvFile {
    let (encoding, mark) = Encoding::for_bom(bytes)
        .unwrap_or_else(|| (if std::str::from_utf8(bytes).is_ok() { UTF_8 } else { WINDOWS_1252 }, 0));
    // bytes of UTF-16 cannot be split at those of separators
    let is_wide = !encoding.is_ascii_compatible();
    let decoded = is_wide.then(|| encoding.decode(bytes).0.into_owned().into_bytes());
    let (text, encoding, begin) = match &decoded {
        Some(decoded) => (&**decoded, UTF_8, 0),
        None => (bytes, encoding, mark),
    };
    let mut candidates: Vec<CsvFile> = [b';', b',', b'\t']
        .into_iter()
        .map(|separator| {
            let (rows, places) = rows(text, begin, separator, encoding);
            let sheet = Sheet { label: label.to_owned(), name: name_of(label), rows };
            CsvFile { sheet, separator, rows: (!is_wide).then_some(places) }
        })
        .collect();
    // the last of the best is taken: of equals, the first of the list
    candidates.reverse();
    let best = candidates.into_iter().max_by_key(|file| understood(&file.sheet));
    best.unwrap_or_else(|| CsvFile {
        sheet: Sheet { label: label.to_owned(), name: name_of(label), rows: Vec::new() },
        separator: b',',
        rows: None,
    })
}

/// The file without its folder and ending.
fn name_of(label: &str) -> String {
    let file = label.rsplit(['/', '\\']).next().unwrap_or(label);
    file.rsplit_once('.').map_or(file, |(name, _)| name).to_owned()
}

fn reader(bytes: &[u8], separator: u8) -> csv::Reader<&[u8]> {
    ReaderBuilder::new().has_headers(false).flexible(true).delimiter(separator).from_reader(bytes)
}

fn rows(
    bytes: &[u8],
    begin: usize,
    separator: u8,
    encoding: &'static Encoding,
) -> (Vec<Row>, BTreeMap<u32, Range<usize>>) {
    let (mut rows, mut places) = (Vec::new(), BTreeMap::new());
    let body = &bytes[begin..];
    let mut reader = reader(body, separator);
    let (mut record, mut number, mut last) = (ByteRecord::new(), 0_u32, 0);
    while let Ok(true) = reader.read_byte_record(&mut record) {
        // the reader passes over empty lines, which are rows of a spreadsheet
        let (empty, start) = empty_lines(body, last);
        let end = usize::try_from(reader.position().byte()).unwrap_or(body.len());
        number = number.saturating_add(empty).saturating_add(1);
        let cells = record.iter().map(|field| match encoding.decode_without_bom_handling(field).0 {
            text if text.is_empty() => Cell::Empty,
            text => Cell::Text(text.into_owned()),
        });
        rows.push(Row { number, cells: cells.collect() });
        places.insert(number, begin + start..begin + end);
        last = end;
    }
    (rows, places)
}

/// How many empty lines begin at a byte, and where the line after them begins.
fn empty_lines(body: &[u8], from: usize) -> (u32, usize) {
    let (mut count, mut at) = (0, from);
    loop {
        // a reader may have stopped between the two bytes of a line end
        if at > 0 && at == from && body.get(at - 1) == Some(&b'\r') && body.get(at) == Some(&b'\n') {
            at += 1;
            continue;
        }
        match (body.get(at), body.get(at + 1)) {
            (Some(b'\r'), Some(b'\n')) => at += 2,
            (Some(b'\n' | b'\r'), _) => at += 1,
            _ => return (count, at),
        }
        count += 1;
    }
}

impl CsvFile {
    /// The bytes with texts of ASCII written into the cells of a column; nothing when they cannot be edited safely.
    pub(crate) fn with(&self, bytes: &[u8], column: usize, cells: &BTreeMap<u32, String>) -> Option<Vec<u8>> {
        let places = self.rows.as_ref()?;
        let mut edited = Vec::with_capacity(bytes.len() + 64 * cells.len());
        let mut copied = 0;
        for (row, text) in cells {
            let place = places.get(row)?.clone();
            let (fields, end) = fields(bytes.get(place.clone())?, self.separator);
            let write = |edited: &mut Vec<u8>, upto: usize| edited.extend_from_slice(&bytes[copied..upto]);
            match fields.get(column) {
                Some(field) => {
                    write(&mut edited, place.start + field.start);
                    edited.extend_from_slice(text.as_bytes());
                    copied = place.start + field.end;
                }
                None => {
                    write(&mut edited, place.start + end);
                    edited.extend(std::iter::repeat_n(self.separator, column + 1 - fields.len()));
                    edited.extend_from_slice(text.as_bytes());
                    copied = place.start + end;
                }
            }
        }
        edited.extend_from_slice(&bytes[copied..]);
        let again = read(&self.sheet.label, &edited);
        differ_only_in(&self.sheet, &again.sheet, column, cells).then_some(edited)
    }
}

/// Where the fields of a record are, and where the record ends before its line end.
fn fields(record: &[u8], separator: u8) -> (Vec<Range<usize>>, usize) {
    let line_end = record.iter().rev().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
    let end = record.len() - line_end;
    let (mut fields, mut start, mut quoted) = (Vec::new(), 0, false);
    for (at, byte) in record[..end].iter().enumerate() {
        match byte {
            // quotes count only in fields that begin with one
            b'"' if quoted || at == start => quoted = !quoted,
            // a doubled quote within a quoted field closes and opens it again
            b'"' if record.get(start) == Some(&b'"') && at > 0 && record[at - 1] == b'"' => quoted = true,
            byte if *byte == separator && !quoted => {
                fields.push(start..at);
                start = at + 1;
            }
            _ => {}
        }
    }
    fields.push(start..end);
    (fields, end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_keep_the_numbers_of_the_spreadsheet() {
        let file = read(
            "lugares.csv",
            "\r\nnome;categoria\r\n\r\n\"Bar\ndo Zé\";bar\r\n\r\n\r\nOutro;bar".as_bytes(),
        );
        let numbers: Vec<u32> = file.sheet.rows.iter().map(|row| row.number).collect();
        assert_eq!(numbers, [2, 4, 7]);
    }

    #[test]
    fn only_the_cells_of_the_column_are_edited() {
        let latin: &[u8] = b"nome;categoria;id\r\n\"Bar \"\"do\"\"; Z\xe9\";bar;\r\n\r\nCaf\xe9 ;caf\xe9\r\n";
        let file = read("lugares.csv", latin);
        let cells = BTreeMap::from([(2, "bar-do-ze".to_owned()), (4, "cafe".to_owned())]);
        let edited = file.with(latin, 2, &cells).unwrap();
        assert_eq!(
            edited,
            b"nome;categoria;id\r\n\"Bar \"\"do\"\"; Z\xe9\";bar;bar-do-ze\r\n\r\nCaf\xe9 ;caf\xe9;cafe\r\n"
        );
        let cells = BTreeMap::from([(1, "id".to_owned()), (2, "a".to_owned())]);
        let edited = file.with(latin, 4, &cells).unwrap();
        assert!(edited.starts_with(b"nome;categoria;id;;id\r\n\"Bar \"\"do\"\"; Z\xe9\";bar;;;a\r\n\r\nCaf"));
    }

    #[test]
    fn separators_and_encodings_are_found_out() {
        let wide: Vec<u8> = [0xff, 0xfe]
            .into_iter()
            .chain("nome\tcategoria\nCafé\tcafé".encode_utf16().flat_map(u16::to_le_bytes))
            .collect();
        for bytes in [
            "nome,categoria\nCafé,café".as_bytes(),
            "\u{feff}nome;categoria\nCafé;café".as_bytes(),
            b"nome\tcategoria\nCaf\xe9\tcaf\xe9",
            b"sep=;\nnome;categoria\nCaf\xe9;caf\xe9",
            &wide,
        ] {
            let file = read("x.csv", bytes);
            let last = file.sheet.rows.last().unwrap();
            assert_eq!(last.cells, ["Café", "café"].map(|text| Cell::Text(text.to_owned())));
        }
    }
}
