//! What a sheet shows and an import does not read is never passed over in silence: cells, rows, sheets, whole files.
#![allow(clippy::unwrap_used, reason = "a failed step fails the test")]

use std::io::{Cursor, Read, Write};

use chrono::NaiveDate;
use rust_xlsxwriter::{Format, Formula, Workbook, Worksheet};
use serde_json::Value;
use snapshots::{File, Files, demo};
use spreadsheets::{Import, Lang, Source, groups, import, local, not_read};

fn folder() -> Files {
    demo::files().with(File::Places, "[]").with(File::Events, "[]")
}

fn read(label: &str, bytes: impl Into<Vec<u8>>) -> Import {
    let source = Source { label: label.into(), path: None, bytes: bytes.into() };
    import(&[source], &folder(), NaiveDate::from_ymd_opt(2026, 11, 23).unwrap())
}

fn lines(made: &Import) -> Vec<String> {
    groups(&made.messages, Lang::En).iter().map(|group| group.line(Lang::En)).collect()
}

fn records(made: &Import) -> Vec<Value> {
    made.replaced.iter().flat_map(|made| serde_json::from_str::<Vec<Value>>(&made.json()).unwrap()).collect()
}

const HEADERS: [&str; 5] = ["nome", "categoria", "bairro", "data", "preço"];

/// A workbook of events: the usual headers and rows, and what is done to its sheet.
fn workbook(rows: &[[&str; 5]], change: impl FnOnce(&mut Worksheet)) -> Workbook {
    let mut workbook = Workbook::new();
    let sheet = workbook.add_worksheet().set_name("Eventos").unwrap();
    for (number, row) in (0..).zip(std::iter::once(&HEADERS).chain(rows)) {
        for (column, cell) in (0..).zip(row) {
            if !cell.is_empty() {
                sheet.write(number, column, *cell).unwrap();
            }
        }
    }
    change(sheet);
    workbook
}

const ROW: [&str; 5] = ["Show", "show", "Asa Norte", "05/12/2026", ""];

/// A workbook with a text of its first sheet replaced.
fn with_xml(bytes: Vec<u8>, from: &str, to: &str) -> Vec<u8> {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for number in 0..archive.len() {
        let mut part = archive.by_index(number).unwrap();
        let name = part.name().unwrap().to_string();
        let mut content = Vec::new();
        part.read_to_end(&mut content).unwrap();
        if name == "xl/worksheets/sheet1.xml" {
            let xml = String::from_utf8(content).unwrap();
            assert!(xml.contains(from), "{xml}");
            content = xml.replace(from, to).into_bytes();
        }
        writer.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(&content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

#[test]
fn a_row_with_more_cells_than_the_header_is_an_error_and_nothing_else_is_said_of_it() {
    let csv = "nome;categoria;data;bairro;endereço;preço\n\
               A;jazz;05/12/2026;Asa Norte;CLN 408; bloco B; loja 3\n\
               B;jazz;05/12/2026;Asa Norte;\"CLN 408; bloco B; loja 3\";;;\n";
    let made = read("eventos.csv", csv);
    assert_eq!(
        lines(&made),
        [
            "error: eventos.csv: the row has more cells than the header, most likely by a \";\" within a text: row 2; \
          put the text in quotes (\")"
        ]
    );
    assert_eq!(records(&made)[0]["address"], "CLN 408; bloco B; loja 3");
}

#[test]
fn a_value_under_an_empty_header_is_named_by_its_cell() {
    let line = |sheet: &str, rows: &str| {
        format!(
            "warning: {sheet}: column F has a value under an empty header, which was not read: {rows}; \
             name the column, or delete the value; check that the row is not shifted"
        )
    };
    let csv = "nome;categoria;bairro;data;preço;\nA;show;Gama;05/12/2026;;ligar\nB;show;Gama;05/12/2026;;\n";
    let made = read("eventos.csv", csv);
    assert_eq!(lines(&made), [line("eventos.csv", "row 2")]);
    assert_eq!(records(&made).len(), 2);
    let other = ["Baile", ROW[1], ROW[2], ROW[3], ROW[4]];
    let mut typed = workbook(&[ROW, other], |sheet| {
        sheet.write(1, 5, "ligar").unwrap();
        sheet.write(2, 5, 12).unwrap();
    });
    let made = read("guia.xlsx", typed.save_to_buffer().unwrap());
    assert_eq!(lines(&made), [line("guia.xlsx, Eventos", "rows 2, 3")]);
    let json = serde_json::to_value(groups(&made.messages, Lang::Pt)).unwrap();
    assert_eq!((&json[0]["column"], &json[0]["header"]), (&"F".into(), &Value::Null));
}

#[test]
fn a_formula_without_a_stored_value_is_an_error_and_one_that_gives_nothing_is_none() {
    let mut typed = workbook(&[ROW], |sheet| {
        sheet.write_formula(1, 4, Formula::new("10+10")).unwrap();
    });
    let zero = typed.save_to_buffer().unwrap();
    let stored = "<f>10+10</f><v>0</v>";
    for bytes in [
        zero.clone(),
        with_xml(zero.clone(), stored, "<f>10+10</f><v></v>"),
        with_xml(zero.clone(), stored, "<f>10+10</f><v/>"),
        with_xml(zero.clone(), stored, "<f>10+10</f>"),
    ] {
        let made = read("guia.xlsx", bytes);
        assert_eq!(
            lines(&made),
            [
                "error: guia.xlsx, Eventos: preço (E) holds a formula whose value the file does not store: row 2; \
              open it in Excel or LibreOffice and save it, or type the value"
            ]
        );
    }
    let made = read(
        "guia.xlsx",
        with_xml(zero, "<c r=\"E2\"><f>10+10</f><v>0</v>", "<c r=\"E2\" t=\"str\"><f>10+10</f><v></v>"),
    );
    assert_eq!(made.messages, []);
}

#[test]
fn a_hidden_sheet_is_named_and_a_hidden_row_is_read() {
    let mut typed = workbook(&[ROW], |sheet| {
        sheet.set_row_hidden(1).unwrap();
    });
    for (name, is_very_hidden) in [("Lugares", false), ("Rascunho", true), ("Listas", false)] {
        let sheet = typed.add_worksheet().set_name(name).unwrap();
        sheet.write(0, 0, "nome").unwrap();
        if is_very_hidden {
            sheet.set_very_hidden(true)
        } else {
            sheet.set_hidden(true)
        };
    }
    let made = read("guia.xlsx", typed.save_to_buffer().unwrap());
    let line = |name| {
        format!(
            "warning: guia.xlsx, {name}: is hidden and was not read; if the sheet is part of the guide, unhide it"
        )
    };
    let hidden_row = "warning: guia.xlsx, Eventos: the row is hidden and was read all the same: row 2; if it is not part of \
                      the guide, delete it or write yes in the column hidden";
    let expected = [hidden_row.to_owned(), line("Lugares"), line("Rascunho")];
    assert_eq!(lines(&made), expected, "the lists of the template are its own");
    assert_eq!(records(&made)[0]["name"], "Show");
}

#[test]
fn csv_files_of_all_exports_of_excel_are_read_and_others_refused() {
    let text = "nome;categoria;bairro;endereço\nSÃO JOÃO;café;Asa Norte;Praça da Estação, 3º andar\n";
    let others = [
        yore::code_pages::CP850.encode(text).unwrap().into_owned(),
        encoding_rs::MACINTOSH.encode(text).0.into_owned(),
        encoding_rs::WINDOWS_1252.encode(text).0.into_owned(),
        text.as_bytes().to_vec(),
    ];
    for bytes in others {
        let made = read("lugares.csv", bytes);
        assert_eq!(made.messages, []);
        let place = &records(&made)[0];
        assert_eq!(
            (&place["name"], &place["address"]),
            (&"SÃO JOÃO".into(), &"Praça da Estação, 3º andar".into())
        );
    }
    let made = read("lugares.csv", b"nome;categoria;bairro\nBar \xf0\xf1\xf2;bar;Asa Norte\n");
    assert_eq!(
        lines(&made),
        ["error: lugares.csv: the encoding of the accents cannot be told; \
          save it as CSV UTF-8: in Excel, File > Save As > CSV UTF-8"]
    );
}

#[test]
fn a_folder_without_a_sheet_is_an_error() {
    let empty = tempfile::tempdir().unwrap();
    std::fs::write(empty.path().join("guia.ods"), "").unwrap();
    let message = *local(empty.path()).unwrap_err();
    assert_eq!((message.problem.code(), message.problem.level()), ("no_files", spreadsheets::Level::Error));
}

#[test]
fn other_spreadsheets_of_a_folder_are_named() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["guia.csv", "Agenda.ODS", "velho.xls", "~$velho.xls", ".guia.ods", "notas.txt"] {
        std::fs::write(folder.path().join(name), "nome;categoria;bairro\n").unwrap();
    }
    let said = not_read(folder.path());
    let lines: Vec<String> = groups(&said, Lang::En).iter().map(|group| group.line(Lang::En)).collect();
    let line = |name: &str| {
        let folder = folder.path().display();
        format!(
            "warning: {folder}: the file {name:?} was not read; save it as .xlsx or .csv, or remove it from the folder"
        )
    };
    assert_eq!(lines, [line("Agenda.ODS"), line("velho.xls")]);
    assert_eq!(local(folder.path()).unwrap().len(), 1);
    assert_eq!(not_read(&folder.path().join("guia.csv")), []);
}

#[test]
fn a_missing_column_is_told_once_and_by_its_name() {
    let line = |name: &str| {
        format!(
            "error: x.csv: the column {name:?} is missing: row 1; add it, or give this name to the column that holds it"
        )
    };
    for (csv, missing) in [
        ("nome;bairro\nA;Gama\nB;Gama\n", &["category"][..]),
        ("categoria;bairro\nbar;Gama\nbar;Gama\n", &["name"]),
        ("nome;categoria\nA;bar\nB;bar\n", &["neighbourhood"]),
        ("nome;preço\nA;10\nB;10\n", &["neighbourhood", "category"]),
        ("nome;categoria;bairro;local\nA;show;Gama;Clube\nB;show;Gama;Clube\n", &["date"]),
    ] {
        let made = read("x.csv", csv);
        let told: Vec<String> = lines(&made).into_iter().filter(|line| line.starts_with("error")).collect();
        assert_eq!(told, missing.iter().map(|name| line(name)).collect::<Vec<_>>(), "{csv}");
        assert_eq!(
            made.messages.iter().filter(|message| message.problem.code() == "missing_column").count(),
            told.len()
        );
    }
    // the column of regions stands for that of neighbourhoods, and is empty in one row
    let made = read("x.csv", "nome;categoria;região\nA;bar;Gama\nB;bar;\n");
    assert_eq!(
        lines(&made),
        ["error: x.csv: região (C) is empty: row 3; fill it in; the row is of no use without it"]
    );
}

#[test]
fn a_header_near_to_a_missing_column_is_the_error_and_not_what_follows_from_it() {
    let made = read(
        "lugares.csv",
        "Nome do estabelecimento;categoria;região;Quadra / setor\nA;bar;;CLN\nB;bar;;CLS\n",
    );
    let line = |typed: &str, letter: &str, name: &str| {
        format!(
            "error: lugares.csv: {typed} ({letter}) the column {typed:?} is not known, and the column {name:?} is missing: \
             row 1; if it holds that, rename it to {name:?}; otherwise add that column"
        )
    };
    let (name, area) = (line("Nome do estabelecimento", "A", "nome"), line("Quadra / setor", "D", "bairro"));
    assert_eq!(lines(&made), [name, area]);
    // where nothing is missing it is as unknown as any
    let made = read("lugares.csv", "nome;categoria;região;Quadra / setor\nA;bar;Gama;CLN\nB;bar;Gama;CLS\n");
    assert_eq!(made.messages.iter().map(|told| told.problem.code()).collect::<Vec<_>>(), ["unknown_column"]);
    // and so are two that may be the same
    let made = read("lugares.csv", "Nome do dono;Nome do bar;categoria;região\nA;B;bar;Gama\n");
    let codes: Vec<&str> = made.messages.iter().map(|told| told.problem.code()).collect();
    assert_eq!(codes, ["unknown_column", "unknown_column", "missing_column"]);
}

#[test]
fn titles_notes_and_headers_among_the_rows_are_skipped_with_one_warning() {
    let csv = "nome;categoria;bairro;data\n\
               1ª SEMANA;;;\n\
               A;show;Gama;05/12/2026\n\
               Nome;Categoria;Bairro;Data\n\
               B;show;Gama;06/12/2026\n\
               Total:;;;2\n\
               ;;;Legenda: a confirmar\n";
    let made = read("eventos.csv", csv);
    let skipped = "warning: eventos.csv: look like titles or notes and were not read: rows 2, 4, 6, 7; \
                   if they are records, fill in the other columns";
    assert_eq!(lines(&made), [skipped]);
    assert_eq!(records(&made).len(), 2);
    let sheets: Vec<(&str, usize)> = made.sheets.iter().map(|read| (&*read.sheet, read.rows)).collect();
    assert_eq!(sheets, [("eventos.csv", 2)]);
    // a row that says more than its name is a record
    let made = read("eventos.csv", "nome;categoria;bairro;data\nA;;;05/12/2026\n");
    assert!(made.has_errors());
}

#[test]
fn a_sheet_named_as_a_model_is_named_and_not_read() {
    let mut typed = workbook(&[ROW], |_| ());
    let sheet = typed.add_worksheet().set_name("Eventos (modelo)").unwrap();
    for (row, cells) in (0..).zip([HEADERS, ["Ex.: Show da banda", "show", "Gama", "05/12/2026", ""]]) {
        for (column, cell) in (0..).zip(cells) {
            sheet.write(row, column, cell).unwrap();
        }
    }
    let made = read("guia.xlsx", typed.save_to_buffer().unwrap());
    let line = "warning: guia.xlsx, Eventos (modelo): is named as a model, an example or a draft and was not read; \
                if the sheet is part of the guide, name it Places or Events";
    assert_eq!(lines(&made), [line]);
    assert_eq!(records(&made).len(), 1);
    for name in ["Rascunho", "Eventos rascunho", "Draft"] {
        let mut typed = workbook(&[ROW], |sheet| {
            sheet.set_name(name).unwrap();
        });
        let made = read("guia.xlsx", typed.save_to_buffer().unwrap());
        assert!(
            lines(&made).iter().any(|line| line.contains("a draft and was not read")),
            "{:?}",
            lines(&made)
        );
        assert_eq!(made.replaced.len(), 0, "{name}");
    }
}

#[test]
fn cells_of_24_hours_and_of_months_are_told_as_their_texts_are() {
    let told = |column: u16, value: f64, format: &str| {
        let mut typed = workbook(&[ROW], |sheet| {
            sheet.write(0, 5, "horário").unwrap();
            sheet.write(0, 6, "hora final").unwrap();
            sheet.write_with_format(1, column, value, &Format::new().set_num_format(format)).unwrap();
            if column == 6 {
                sheet.write(1, 5, "20h").unwrap();
            }
        });
        let made = read("guia.xlsx", typed.save_to_buffer().unwrap());
        let errors = lines(&made).into_iter().filter(|line| line.starts_with("error")).collect::<Vec<_>>();
        (errors.join("\n"), records(&made).first().cloned().unwrap_or_default())
    };
    for (value, format) in [(1.0, "[hh]:mm"), (1.0, "[h]:mm:ss"), (0.999_99, "hh:mm")] {
        let (errors, _) = told(5, value, format);
        assert!(errors.contains("\"24:00\" starts at 24:00"), "{value} {format}: {errors}");
    }
    assert!(told(5, 1.062_5, "[hh]:mm").0.contains("\"25:30\" is not a time"));
    let (errors, event) = told(6, 1.0, "[hh]:mm");
    assert_eq!((&*errors, &event["end_time"]), ("", &"00:00".into()));
    // 1 December 2026
    for format in ["mmm/yy", "mmmm", "mmm-yy", "[$-416]mmm\\-yy;@", "mmmm\" de \"yyyy", "yyyy"] {
        let (errors, _) = told(3, 46_357.0, format);
        assert!(errors.contains("\"dez/2026\" is not a date"), "{format}: {errors}");
    }
    for (serial, format, day) in [
        (46_357.0, "dd/mmm", "2026-12-01"),
        (46_357.0, "d \"de\" mmmm", "2026-12-01"),
        (46_361.0, "mmm/yy", "2026-12-05"),
    ] {
        let (errors, event) = told(3, serial, format);
        assert_eq!((&*errors, &event["date"]), ("", &day.into()), "{format}");
    }
}

#[test]
fn a_cell_that_shows_a_percentage_is_no_price() {
    for (value, format, shown) in [(0.5, "0%", "50%"), (0.125, "0.00%", "12.5%"), (0.0, "#,##0 %;-0 %", "0%")]
    {
        let mut typed = workbook(&[ROW], |sheet| {
            sheet.write_with_format(1, 4, value, &Format::new().set_num_format(format)).unwrap();
        });
        let made = read("guia.xlsx", typed.save_to_buffer().unwrap());
        let told = lines(&made).join("\n");
        assert!(told.contains(&format!("\"{shown}\" is no price")), "{format}: {told}");
    }
    let mut typed = workbook(&[ROW], |sheet| {
        sheet.write_with_format(1, 4, 0.5, &Format::new().set_num_format("0.00\" R$ (50%)\"")).unwrap();
    });
    let made = read("guia.xlsx", typed.save_to_buffer().unwrap());
    assert_eq!(
        records(&made)[0]["price"],
        "R$ 0,50",
        "a text of the format says nothing: {:?}",
        lines(&made)
    );
}

#[test]
fn what_cannot_be_opened_is_told_in_both_languages() {
    let folder = tempfile::tempdir().unwrap();
    let message = *local(&folder.path().join("guia.xlsx")).unwrap_err();
    assert_eq!(message.problem.code(), "no_such_file");
    assert_eq!(message.problem.texts(Lang::Pt).0, "o arquivo não existe");
}

#[test]
fn a_quote_that_does_not_close_is_named_by_its_row() {
    let made = read("x.csv", "nome;categoria;bairro\nA;bar;Gama\nB;bar;\"Gama\nC;bar;Gama\nD;bar;Gama\n");
    assert_eq!(
        lines(&made),
        ["error: x.csv: column C has a quote (\") that does not close, and takes in the rows below: row 3; \
          close it at the end of the text, or delete it"]
    );
}

#[test]
fn merged_cells_are_named_where_they_leave_a_row_without_a_value() {
    let rows =
        [["A", "show", "Gama", "", "R$ 5"], ["B", "show", "Gama", "", ""], ["C", "show", "Gama", "", ""]];
    let mut typed = workbook(&rows, |sheet| {
        for (column, text) in [(3, "05/12/2026"), (4, "R$ 5")] {
            sheet.merge_range(1, column, 3, column, text, &Format::new()).unwrap();
        }
    });
    let made = read("guia.xlsx", typed.save_to_buffer().unwrap());
    let line = |level: &str, column: &str| {
        format!(
            "{level}: guia.xlsx, Eventos: {column} is merged with the cell above, and only the first row has the value: \
             rows 3, 4; unmerge the cells and write the value in each row"
        )
    };
    assert_eq!(lines(&made), [line("error", "data (D)"), line("warning", "preço (E)")]);
}

#[test]
fn a_workbook_that_is_damaged_or_is_none_is_told_in_plain_words() {
    let whole = workbook(&[ROW], |_| ()).save_to_buffer().unwrap();
    for bytes in [&whole[..whole.len() / 2], b"just a text", b"", b"Caf\xf0\xf1", b"\x00\x01\x02"] {
        let made = read("Guia.XLSX", bytes);
        assert!(made.has_errors());
        let told = lines(&made);
        assert_eq!(
            told[0],
            "error: Guia.XLSX: is no Excel workbook, or is damaged; open it in Excel and save it again as .xlsx",
            "{told:?}"
        );
    }
}

#[test]
fn a_cell_far_to_the_right_or_far_down_takes_no_memory_and_is_told() {
    let with_cell = |row: u32, column: u16| {
        let mut typed = workbook(&[ROW], |sheet| {
            sheet.write(row, column, "x").unwrap();
            if row > 1 {
                sheet.write(row, 1, "show").unwrap();
            }
        });
        read("guia.xlsx", typed.save_to_buffer().unwrap())
    };
    let made = with_cell(1, 16_383);
    assert_eq!(
        lines(&made),
        ["error: guia.xlsx: has cells too far out, or is too large; \
          keep the columns and rows of the guide alone; delete what is far to the right"]
    );
    // many rows that are wide for one cell
    let mut typed = workbook(&[ROW], |sheet| {
        for row in 2..4_100 {
            sheet.write(row, 999, "x").unwrap();
        }
    });
    let made = read("guia.xlsx", typed.save_to_buffer().unwrap());
    assert!(lines(&made).join("").contains("or is too large"), "{:?}", lines(&made));
    let made = read("eventos.csv", format!("nome;data\n{}", ";".repeat(4_100_000)));
    assert!(lines(&made).join("").contains("or is too large"), "{:?}", lines(&made));
    // a row is a row, however far down
    let made = with_cell(1_048_575, 0);
    assert_eq!((records(&made).len(), made.has_errors()), (1, true));
    assert!(lines(&made).iter().any(|line| line.contains("row 1048576")), "{:?}", lines(&made));
}

#[test]
fn rows_that_are_struck_through_or_hidden_and_a_sheet_of_cancelled_events_are_told() {
    let struck = Format::new().set_font_strikethrough();
    let rows = [ROW, ["Baile", "show", "Gama", "06/12/2026", ""], ["Roda", "show", "Gama", "07/12/2026", ""]];
    let mut typed = workbook(&rows, |sheet| {
        sheet.write_with_format(2, 0, "Baile", &struck).unwrap();
        sheet.set_row_hidden(3).unwrap();
        sheet.set_name("Eventos cancelados").unwrap();
    });
    let made = read("guia.xlsx", typed.save_to_buffer().unwrap());
    let told: Vec<_> = groups(&made.messages, Lang::Pt).into_iter().map(|one| (one.code, one.rows)).collect();
    assert_eq!(told, [("hidden_row", vec![4]), ("struck_row", vec![3]), ("sheet_of_status", Vec::new())]);
    assert_eq!(records(&made).len(), 3);
}

#[test]
fn a_cell_that_is_a_link_has_the_address_it_leads_to() {
    let mut workbook = Workbook::new();
    let sheet = workbook.add_worksheet().set_name("Eventos").unwrap();
    let headers = ["nome", "categoria", "bairro", "data", "link de ingressos", "site", "instagram"];
    for (column, header) in (0..).zip(headers) {
        sheet.write(0, column, header).unwrap();
    }
    for (column, cell) in (0..).zip(&ROW[..4]) {
        sheet.write(1, column, *cell).unwrap();
    }
    sheet.write_url_with_text(1, 4, "https://sympla.example.com/e/1", "Sympla").unwrap();
    let formula = Formula::new("HYPERLINK(\"https://casa.example.com\",\"página\")").set_result("página");
    sheet.write_formula(1, 5, formula).unwrap();
    sheet.write_url_with_text(1, 6, "https://instagram.com/casadoshow", "perfil").unwrap();
    let made = read("guia.xlsx", workbook.save_to_buffer().unwrap());
    let event = &records(&made)[0];
    assert_eq!(event["links"]["tickets"], "https://sympla.example.com/e/1", "{:?}", lines(&made));
    assert_eq!(event["links"]["website"], "https://casa.example.com");
    assert_eq!(event["instagram"], "casadoshow");
}

#[test]
fn a_workbook_with_a_password_is_said_to_have_one() {
    let mut bytes = vec![0xd0, 0xcf, 0x11, 0xe0];
    bytes.resize(1024, 0);
    bytes.extend("EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes));
    let made = read("guia.xlsx", bytes);
    let told: Vec<_> = groups(&made.messages, Lang::Pt).into_iter().map(|one| one.what).collect();
    assert_eq!(told, ["tem senha, e por isso não pode ser lido"]);
}

#[test]
fn a_day_in_the_cell_of_the_hours_must_be_one_of_the_event() {
    let moment = Format::new().set_num_format("dd/mm/yyyy hh:mm");
    let day = Format::new().set_num_format("dd/mm/yyyy");
    // 05/12/2026 is 46361
    for (repeat, start, end, is_refused) in [
        ("", 46_363.833_333, 0.0, true),
        ("", 46_361.833_333, 0.0, false),
        // a time alone, as some programs keep it
        ("", 1.833_333, 0.0, false),
        ("", 46_361.833_333, 46_362.083_333, false),
        ("", 46_361.833_333, 46_365.083_333, true),
        ("todo sábado", 46_368.833_333, 0.0, false),
        ("todo sábado", 46_369.833_333, 0.0, true),
    ] {
        let mut workbook = Workbook::new();
        let sheet = workbook.add_worksheet().set_name("Eventos").unwrap();
        let headers = ["nome", "categoria", "bairro", "data", "horário", "hora final", "repete"];
        for (column, (header, cell)) in (0..).zip(headers.iter().zip(&ROW[..3])) {
            sheet.write(0, column, *header).unwrap();
            sheet.write(1, column, *cell).unwrap();
        }
        for (column, header) in (3..).zip(&headers[3..]) {
            sheet.write(0, column, *header).unwrap();
        }
        sheet.write_with_format(1, 3, 46_361.0, &day).unwrap();
        sheet.write_with_format(1, 4, start, &moment).unwrap();
        if end > 0.0 {
            sheet.write_with_format(1, 5, end, &moment).unwrap();
        }
        sheet.write(1, 6, repeat).unwrap();
        let made = read("guia.xlsx", workbook.save_to_buffer().unwrap());
        let told = lines(&made).join("\n");
        assert_eq!(made.has_errors(), is_refused, "{repeat} {start} {end}: {told}");
        assert_eq!(told.contains("but data (D) says \"05/12/2026\""), is_refused, "{told}");
    }
}
