//! CSV files: their encoding and separator are found out, and kept when ids are written into them.

use std::collections::BTreeMap;
use std::ops::Range;

use csv::{ByteRecord, ReaderBuilder};
use encoding_rs::{Encoding, UTF_8};

use crate::charset::{self, Charset};
use crate::problem::Problem;
use crate::sheet::{Cell, MAX_CELLS, Row, Sheet, differ_only_in};
use crate::table::understood;

/// A CSV file whose form is known.
#[derive(Debug)]
pub(crate) struct CsvFile {
    pub(crate) sheet: Sheet,
    separator: u8,
    /// Where each row is in the bytes, when those can be edited.
    rows: Option<BTreeMap<u32, Range<usize>>>,
    /// Whether it has more cells than are read.
    is_cut: bool,
}

/// Reads the bytes of a CSV file, unless its encoding cannot be told.
pub(crate) fn read(label: &str, bytes: &[u8]) -> Result<CsvFile, Problem> {
    let (charset, mark) = match Encoding::for_bom(bytes) {
        Some((encoding, mark)) => (Charset::Of(encoding), mark),
        None if std::str::from_utf8(bytes).is_ok() => (Charset::Of(UTF_8), 0),
        None => (charset::of_one_byte(bytes).ok_or(Problem::UnknownEncoding)?, 0),
    };
    // bytes of UTF-16 cannot be split at those of separators
    let decoded = match charset {
        Charset::Of(encoding) if !encoding.is_ascii_compatible() => {
            Some(encoding.decode(bytes).0.into_owned().into_bytes())
        }
        _ => None,
    };
    let (text, begin, charset) = match &decoded {
        Some(decoded) => (&**decoded, 0, Charset::Of(UTF_8)),
        None => (bytes, mark, charset),
    };
    // the last of the best is taken: of equals, the first of the list
    let separators = [b'\t', b',', b';'].into_iter();
    let candidates = separators.map(|separator| rows(label, text, begin, separator, charset));
    let best = candidates.max_by_key(|file| understood(&file.sheet));
    let mut file = best.ok_or(Problem::NoHeader)?;
    if file.is_cut {
        return Err(Problem::WorkbookTooLarge);
    }
    file.rows = file.rows.filter(|_| decoded.is_none());
    Ok(file)
}

/// The file without its folder and ending.
fn name_of(label: &str) -> String {
    let file = label.rsplit(['/', '\\']).next().unwrap_or(label);
    file.rsplit_once('.').map_or(file, |(name, _)| name).to_owned()
}

fn reader(bytes: &[u8], separator: u8) -> csv::Reader<&[u8]> {
    ReaderBuilder::new().has_headers(false).flexible(true).delimiter(separator).from_reader(bytes)
}

/// Reads the rows, as a separator has it.
fn rows(label: &str, bytes: &[u8], begin: usize, separator: u8, charset: Charset) -> CsvFile {
    let (mut rows, mut places, mut open_quote) = (Vec::new(), BTreeMap::new(), None);
    let body = &bytes[begin..];
    let mut reader = reader(body, separator);
    let (mut record, mut number, mut last) = (ByteRecord::new(), 0_u32, 0);
    let (mut left, mut is_cut) = (MAX_CELLS, false);
    while let Ok(true) = reader.read_byte_record(&mut record) {
        // the reader passes over empty lines, which are rows of a spreadsheet
        let (empty, start) = empty_lines(body, last);
        let end = usize::try_from(reader.position().byte()).unwrap_or(body.len());
        number = number.saturating_add(empty).saturating_add(1);
        let cells = record.iter().map(|field| match charset.decode(field) {
            text if text.is_empty() => Cell::Empty,
            text => Cell::Text(text.into_owned()),
        });
        match left.checked_sub(record.len()) {
            Some(fewer) => left = fewer,
            None => {
                is_cut = true;
                break;
            }
        }
        rows.push(Row { number, cells: cells.collect() });
        let column = body.get(start..end).and_then(|record| open_field(record, separator));
        open_quote = open_quote.or(column.map(|column| (number, column)));
        places.insert(number, begin + start..begin + end);
        last = end;
    }
    let name = name_of(label);
    let separated_by = Some(char::from(separator));
    let sheet = Sheet { label: label.to_owned(), name, rows, open_quote, separated_by, ..Sheet::default() };
    CsvFile { sheet, separator, rows: Some(places), is_cut }
}

/// The field of a record whose quote opens and does not close where the field ends, when it holds line ends, which are
/// of rows that it has taken in, or goes on to the end of the file.
fn open_field(record: &[u8], separator: u8) -> Option<usize> {
    let is_line_end = |byte: &u8| matches!(byte, b'\r' | b'\n');
    let (mut column, mut at) = (0, 0);
    loop {
        if record.get(at) == Some(&b'"') {
            let closing = closing_quote(record, at + 1);
            let after = closing.and_then(|closing| record.get(closing + 1));
            let is_closed =
                closing.is_some() && after.is_none_or(|byte| *byte == separator || is_line_end(byte));
            let quoted = record.get(at..closing.unwrap_or(record.len()))?;
            if closing.is_none() || !is_closed && quoted.iter().any(is_line_end) {
                return Some(column);
            }
            at = closing?;
        }
        at += record.get(at..)?.iter().position(|byte| *byte == separator)? + 1;
        column += 1;
    }
}

/// The quote that closes a field; doubled ones stand for one.
fn closing_quote(record: &[u8], begin: usize) -> Option<usize> {
    let mut at = begin;
    loop {
        at += record.get(at..)?.iter().position(|byte| *byte == b'"')?;
        if record.get(at + 1) != Some(&b'"') {
            return Some(at);
        }
        at += 2;
    }
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
        let again = read(&self.sheet.label, &edited).ok()?;
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
        )
        .unwrap();
        let numbers: Vec<u32> = file.sheet.rows.iter().map(|row| row.number).collect();
        assert_eq!(numbers, [2, 4, 7]);
    }

    #[test]
    fn only_the_cells_of_the_column_are_edited() {
        let latin: &[u8] = b"nome;categoria;id\r\n\"Bar \"\"do\"\"; Z\xe9\";bar;\r\n\r\nCaf\xe9 ;caf\xe9\r\n";
        let file = read("lugares.csv", latin).unwrap();
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
            let file = read("x.csv", bytes).unwrap();
            let last = file.sheet.rows.last().unwrap();
            assert_eq!(last.cells, ["Café", "café"].map(|text| Cell::Text(text.to_owned())));
        }
    }

    #[test]
    fn a_quote_that_takes_in_rows_is_known_and_one_that_closes_is_none() {
        for (text, open) in [
            ("nome;bairro\nA;b\nB;\"c\nC;d\n", Some((3, 1))),
            ("nome;bairro\nA;\"b\nB;c\n\"C\";d\n", Some((2, 1))),
            ("nome;bairro\nA;b\n\"B;c\n", Some((3, 0))),
            ("\"nome;bairro\nA;b\n", Some((1, 0))),
            ("nome;bairro\n\"A \"\"um\"\";\nde dois\";b\nB;c\n", None),
            ("nome;bairro\n\"A\" um;b\nB;12\" de som\n\"\";\"c\"\r\n", None),
            ("nome;bairro\nA;\"b\"", None),
        ] {
            let file = read("x.csv", text.as_bytes()).unwrap();
            assert_eq!(file.sheet.open_quote, open, "{text}");
        }
    }
}
