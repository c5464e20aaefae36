//! The folder that a curator starts with: the vocabulary of the built-in guide, and a workbook and CSV files to fill
//! in.

use std::io;
use std::path::Path;

use chrono::{DateTime, FixedOffset, SecondsFormat};
use rust_xlsxwriter::{
    DataValidation, DataValidationErrorStyle, Format, FormatAlign, Formula, Workbook, Worksheet, XlsxError,
};
use serde_json::json;
use snapshots::limits::MAX_NAME;
use snapshots::vocabulary::{CategoryKind, Geography, Taxonomy};
use snapshots::{File, Files};

use crate::columns::{Column, Header, LISTS, SheetKind, in_template};
use crate::write_back::replace;

/// How many rows of the template have drop-downs, below those of records.
const ROWS: u32 = 5_000;

/// The row of the first record, below the header and its explanations; the first row of a sheet is 0.
pub(crate) const FIRST_ROW: u32 = 2;

/// The last row that a sheet may have.
const LAST_ROW: u32 = 1_048_575;

/// Why a folder or a workbook could not be made.
#[derive(Debug, thiserror::Error)]
pub enum InitError {
    /// The folder holds something.
    #[error("the folder is not empty; name a new one")]
    NotEmpty,
    /// It could not be written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The workbook could not be made.
    #[error("the workbook cannot be made: {0}")]
    Workbook(#[from] XlsxError),
    /// The vocabulary could not be read.
    #[error("the vocabulary cannot be read: {0}")]
    Vocabulary(#[from] serde_json::Error),
}

/// Makes a folder with the vocabulary of `from`, without records, and the templates; returns the names of its files.
pub fn init(folder: &Path, from: &Files, now: DateTime<FixedOffset>) -> Result<Vec<String>, InitError> {
    std::fs::create_dir_all(folder)?;
    if std::fs::read_dir(folder)?.next().is_some() {
        return Err(InitError::NotEmpty);
    }
    let text = |file: File| from.text(file).map_err(|defect| io::Error::other(defect.to_string()));
    let geography: Geography = serde_json::from_str(text(File::Regions)?)?;
    let taxonomy: Taxonomy = serde_json::from_str(text(File::Categories)?)?;
    let mut written = Vec::new();
    let mut write = |name: &str, bytes: &[u8]| -> io::Result<()> {
        written.push(name.to_owned());
        replace(&folder.join(name), bytes)
    };
    for file in File::ALL {
        let own = match file {
            File::Guide => guide(text(file)?, folder, now)?,
            File::Places | File::Events => "[]\n".to_owned(),
            _ => text(file)?.to_owned(),
        };
        write(file.name(), own.as_bytes())?;
    }
    write("guia.xlsx", &workbook(&geography, &taxonomy, |_, _| Ok(0))?)?;
    for kind in SheetKind::BOTH {
        write(&format!("{}.csv", sheet_name(kind).to_lowercase()), csv(kind).as_bytes())?;
    }
    Ok(written)
}

fn sheet_name(kind: SheetKind) -> &'static str {
    match kind {
        SheetKind::Places => "Lugares",
        SheetKind::Events => "Eventos",
    }
}

/// `guide.json` of the new guide: it is called like its folder.
fn guide(text: &str, folder: &Path, now: DateTime<FixedOffset>) -> Result<String, InitError> {
    let mut guide: serde_json::Map<String, serde_json::Value> = serde_json::from_str(text)?;
    let canonical = folder.canonicalize()?;
    let name = canonical.file_name().and_then(|name| name.to_str()).unwrap_or("guia");
    let name: String = name.chars().filter(|c| !c.is_control()).take(MAX_NAME).collect();
    guide.insert("name".to_owned(), json!(if name.trim().is_empty() { "guia" } else { name.trim() }));
    Ok(curated(guide, now)?)
}

/// `guide.json` with another moment at which the guide was finished.
pub fn with_curated_at(guide: &str, now: DateTime<FixedOffset>) -> serde_json::Result<String> {
    curated(serde_json::from_str(guide)?, now)
}

fn curated(
    mut guide: serde_json::Map<String, serde_json::Value>,
    now: DateTime<FixedOffset>,
) -> serde_json::Result<String> {
    guide.insert("curated_at".to_owned(), json!(now.to_rfc3339_opts(SecondsFormat::Secs, false)));
    Ok(serde_json::to_string_pretty(&guide)? + "\n")
}

/// The header and the explanations, as Excel in Brazil reads CSV: semicolons, and a mark of UTF-8.
fn csv(kind: SheetKind) -> String {
    let quoted = |text: &str| {
        if text.contains([';', '"']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
    };
    let row = |of: fn(&Header) -> &str| {
        in_template(kind).map(|header| quoted(of(header))).collect::<Vec<_>>().join(";")
    };
    format!("\u{feff}{}\r\n{}\r\n", row(|header| header.pt), row(|header| header.explained))
}

/// The template. `fill_in` writes the records of a sheet, and returns how many there are.
pub(crate) fn workbook(
    geography: &Geography,
    taxonomy: &Taxonomy,
    fill_in: impl Fn(&mut Worksheet, SheetKind) -> Result<usize, XlsxError>,
) -> Result<Vec<u8>, InitError> {
    let mut workbook = Workbook::new();
    let labels = |wanted: CategoryKind| {
        let fits = move |kind: CategoryKind| kind == CategoryKind::Both || kind == wanted;
        let mut labels: Vec<&str> = taxonomy
            .categories
            .iter()
            .filter(|category| fits(category.kind))
            .map(|category| &*category.pt)
            .collect();
        labels.sort_unstable();
        labels
    };
    let regions = geography.regions.iter();
    let mut parts: Vec<&str> =
        regions.clone().flat_map(|region| &region.neighbourhoods).map(|part| &*part.name).collect();
    parts.sort_unstable();
    let mut names: Vec<&str> = regions.map(|region| &*region.name).collect();
    names.sort_unstable();
    let lists = [
        ("Categorias de lugares", labels(CategoryKind::Place)),
        ("Categorias de eventos", labels(CategoryKind::Event)),
        ("Bairros", parts),
        ("Regiões", names),
        ("Sim ou não", vec!["sim", "não"]),
        ("Situações", vec!["cancelado", "adiado", "esgotado"]),
    ];
    for kind in SheetKind::BOTH {
        let sheet = workbook.add_worksheet();
        let records = u32::try_from(fill_in(sheet, kind)?).unwrap_or(u32::MAX);
        fill(sheet, kind, &lists, records.saturating_add(ROWS).min(LAST_ROW))?;
    }
    let sheet = workbook.add_worksheet().set_name(LISTS)?;
    for (column, (title, values)) in (0..).zip(&lists) {
        sheet.write(0, column, *title)?;
        for (row, value) in (1..).zip(values) {
            sheet.write(row, column, *value)?;
        }
    }
    sheet.set_hidden(true);
    Ok(workbook.save_to_buffer()?)
}

/// Writes the header of a sheet, with its formats, and drop-downs down to the row `last`.
fn fill(
    sheet: &mut Worksheet,
    kind: SheetKind,
    lists: &[(&str, Vec<&str>)],
    last: u32,
) -> Result<(), InitError> {
    sheet.set_name(sheet_name(kind))?;
    let header_format = Format::new().set_bold().set_background_color(0x00DD_E8CB);
    let explained =
        Format::new().set_italic().set_font_color(0x0066_6666).set_text_wrap().set_align(FormatAlign::Top);
    let (date, time) = (Format::new().set_num_format("dd/mm/yyyy"), Format::new().set_num_format("hh:mm"));
    let text = Format::new().set_num_format("@");
    for (column, header) in (0_u16..).zip(in_template(kind)) {
        sheet.write_with_format(0, column, header.pt, &header_format)?;
        sheet.write_with_format(1, column, header.explained, &explained)?;
        sheet.set_column_width(column, 22)?;
        match header.column {
            Column::Date | Column::EndDate | Column::Until | Column::ShowFrom | Column::ShowUntil => {
                sheet.set_column_format(column, &date)?;
            }
            Column::StartTime | Column::EndTime => drop(sheet.set_column_format(column, &time)?),
            // "1/4" must not become a date
            Column::Name | Column::Address | Column::Venue | Column::Style | Column::Aliases | Column::Id => {
                sheet.set_column_format(column, &text)?;
            }
            _ => {}
        }
        let list = match (header.column, kind) {
            (Column::Category, SheetKind::Places) => 0,
            (Column::Category, SheetKind::Events) => 1,
            (Column::Neighbourhood, _) => 2,
            (Column::Region, _) => 3,
            (Column::Uau | Column::Hidden | Column::Free, _) => 4,
            (Column::Status, _) => 5,
            _ => continue,
        };
        let length = lists.get(list).map_or(0, |(_, values)| values.len());
        let letter = crate::sheet::letters(list);
        let range = format!("={LISTS}!${letter}$2:${letter}${}", length + 1);
        // a warning only: other names for the same are understood too
        let validation = DataValidation::new()
            .allow_list_formula(Formula::new(range))
            .set_error_style(DataValidationErrorStyle::Warning)
            .set_error_title("Não está na lista")?
            .set_error_message("Outros nomes também são entendidos. Manter assim?")?;
        sheet.add_data_validation(FIRST_ROW, column, last, column, &validation)?;
    }
    sheet.set_row_height(1, 75)?;
    sheet.set_freeze_panes(FIRST_ROW, 1)?;
    Ok(())
}
