//! Files as people make them: workbooks with the habits of Excel, CSV files of several programs, and ids that stay.
#![allow(clippy::unwrap_used, reason = "a failed step fails the test")]

use std::fs;
use std::path::Path;

use chrono::{DateTime, NaiveDate};
use rust_xlsxwriter::{Format, Formula, Workbook};
use serde_json::{Value, json};
use snapshots::{File, Files, demo};
use spreadsheets::{Import, Lang, Level, SheetKind, Source, fill_in, groups, import, init, local, write_ids};

fn empty_guide() -> Files {
    demo::files().with(File::Places, "[]").with(File::Events, "[]")
}

fn today() -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 11, 23).unwrap()
}

fn records(made: &Import, kind: SheetKind) -> Vec<Value> {
    let replaced = made.replaced.iter().find(|replaced| replaced.kind == kind).unwrap();
    serde_json::from_str(&replaced.json()).unwrap()
}

/// Imports local files as the command does: the folder is replaced, and ids are written back.
fn import_into(sources: &[&Path], folder: &Path) -> Import {
    let sources: Vec<_> = sources.iter().flat_map(|path| local(path).unwrap()).collect();
    let mut made = import(&sources, &Files::read(folder), today());
    assert!(!made.has_errors(), "{:?}", made.messages);
    for replaced in &made.replaced {
        fs::write(folder.join(replaced.kind.file().name()), replaced.json()).unwrap();
    }
    made.messages.extend(write_ids(&sources, &made.missing_ids));
    made
}

fn begin(folder: &Path) {
    let now = DateTime::parse_from_rfc3339("2026-11-23T12:00:00-03:00").unwrap();
    init(folder, &demo::files(), now).unwrap();
}

/// A workbook with a merged title, an empty row, dates and times as numbers, and a formula.
fn workbook(path: &Path) {
    let mut workbook = Workbook::new();
    let sheet = workbook.add_worksheet().set_name("Agenda").unwrap();
    sheet.merge_range(0, 0, 0, 5, "Agenda de dezembro", &Format::new().set_bold()).unwrap();
    for (column, header) in (0..).zip(["Evento ", "Data", "Horário", "Bairro", "Categoria", "Preço"]) {
        sheet.write(2, column, header).unwrap();
    }
    let (day, time) = (Format::new().set_num_format("dd/mm/yyyy"), Format::new().set_num_format("hh:mm"));
    sheet.write(3, 0, "Choro na praça  ").unwrap();
    sheet.write_with_format(3, 1, 46_361.0, &day).unwrap();
    sheet.write_with_format(3, 2, 0.812_5, &time).unwrap();
    sheet.write(3, 3, "Asa Norte").unwrap();
    sheet.write(3, 4, "Choro").unwrap();
    sheet.write_formula(3, 5, Formula::new("=\"R$ \"&10*2").set_result("R$ 20")).unwrap();
    sheet.write(6, 0, "Samba").unwrap();
    sheet.write(6, 1, 46_362.0).unwrap();
    sheet.write(6, 3, "asa sul").unwrap();
    sheet.write(6, 4, "samba").unwrap();
    let notes = workbook.add_worksheet().set_name("Notas").unwrap();
    notes.write(0, 0, "ligar para o Zé").unwrap();
    workbook.save(path).unwrap();
}

#[test]
fn a_workbook_with_the_habits_of_excel_is_read_and_keeps_its_form() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agenda.xlsx");
    workbook(&path);
    let made = import(&local(&path).unwrap(), &empty_guide(), today());
    assert!(!made.has_errors(), "{:?}", made.messages);
    let events = records(&made, SheetKind::Events);
    assert_eq!(
        events[0],
        serde_json::json!({ "id": "choro-na-praca", "name": "Choro na praça", "date": "2026-12-05", "start_time": "19:30",
            "neighbourhood": "Asa Norte", "region": "Plano Piloto", "category": "choro", "price": "R$ 20" })
    );
    assert_eq!((&events[1]["date"], &events[1]["neighbourhood"]), (&"2026-12-06".into(), &"Asa Sul".into()));
    let told = groups(&made.messages, Lang::En);
    assert!(told.iter().all(|group| group.level == Level::Info), "{told:?}");

    // ids come in a new column, and everything else stays
    let before = fs::read(&path).unwrap();
    let sources = local(&path).unwrap();
    assert_eq!(write_ids(&sources, &made.missing_ids), []);
    let after = fs::read(&path).unwrap();
    assert_ne!(before, after);
    let part = |bytes: &[u8], name: &str| {
        let mut archive = zip::ZipArchive::new(std::io::Cursor::new(bytes.to_vec())).unwrap();
        std::io::read_to_string(archive.by_name(name).unwrap()).unwrap()
    };
    for name in ["xl/styles.xml", "xl/workbook.xml", "xl/sharedStrings.xml", "xl/worksheets/sheet2.xml"] {
        assert_eq!(part(&before, name), part(&after, name), "{name}");
    }
    let sheet = part(&after, "xl/worksheets/sheet1.xml");
    assert!(sheet.contains(r#"<c r="G4" t="inlineStr"><is><t>choro-na-praca</t></is></c>"#), "{sheet}");
    assert!(sheet.contains("<mergeCell ref=\"A1:F1\"/>") && sheet.contains("<f>"), "{sheet}");
    let again = import(&local(&path).unwrap(), &empty_guide(), today());
    assert!(again.missing_ids.is_empty());
    assert_eq!(records(&again, SheetKind::Events), events);
}

#[test]
fn ids_stay_when_a_name_changes() {
    let folder = tempfile::tempdir().unwrap();
    let guide = folder.path().join("guia");
    begin(&guide);
    let sheet = folder.path().join("lugares.csv");
    let typed = "nome;categoria;bairro\r\nCafé Antigo;café;Asa Norte\r\nCafé Antigo;café;Asa Sul\r\nCafé Antigo;café;Asa Sul\r\n";
    fs::write(&sheet, typed).unwrap();
    let made = import_into(&[&sheet], &guide);
    let ids = |made: &Import| -> Vec<String> {
        records(made, SheetKind::Places)
            .iter()
            .map(|place| place["id"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(ids(&made), ["cafe-antigo", "cafe-antigo-asa-sul", "cafe-antigo-asa-sul-2"]);
    let written = fs::read_to_string(&sheet).unwrap();
    assert_eq!(
        written,
        "nome;categoria;bairro;id\r\nCafé Antigo;café;Asa Norte;cafe-antigo\r\nCafé Antigo;café;Asa Sul;cafe-antigo-asa-sul\r\n\
         Café Antigo;café;Asa Sul;cafe-antigo-asa-sul-2\r\n"
    );
    // renamed, and a row copied with its id
    let renamed = written.replacen("Café Antigo", "Café Novo", 1) + "Outro;bar;Gama;cafe-antigo\r\n";
    fs::write(&sheet, renamed).unwrap();
    let made = import_into(&[&sheet], &guide);
    assert_eq!(ids(&made), ["cafe-antigo", "cafe-antigo-asa-sul", "cafe-antigo-asa-sul-2", "outro"]);
    // without the column, the names keep the ids
    fs::write(&sheet, typed).unwrap();
    assert_eq!(ids(&import_into(&[&sheet], &guide))[1..], ["cafe-antigo-asa-sul", "cafe-antigo-asa-sul-2"]);
}

#[test]
fn csv_files_of_old_programs_are_put_together_and_keep_their_encoding() {
    let folder = tempfile::tempdir().unwrap();
    let guide = folder.path().join("guia");
    begin(&guide);
    let sheets = folder.path().join("planilhas");
    fs::create_dir(&sheets).unwrap();
    for (name, text) in [
        ("lugares-norte.csv", &b"Nome;Categoria;Bairro;Endere\xe7o\r\nCaf\xe9 S\xe3o Jo\xe3o;caf\xe9;Asa Norte;\"CLN 408; loja 2\"\r\n"[..]),
        ("lugares-sul.csv", b"Nome;Categoria;Bairro\r\nP\xe3o da Manh\xe3;padaria;Asa Sul\r\n"),
        ("eventos.csv", b"Evento;Data;Categoria;Regi\xe3o\r\nFesta de Ver\xe3o;5/12/26;festival;Guar\xe1\r\n"),
    ] {
        fs::write(sheets.join(name), text).unwrap();
    }
    let made = import_into(&[&sheets], &guide);
    assert_eq!(made.messages, []);
    assert_eq!(records(&made, SheetKind::Places).len(), 2);
    assert_eq!(records(&made, SheetKind::Events)[0]["region"], "Guará");
    assert!(snapshots::check(&Files::read(&guide), today()).is_ok());
    assert_eq!(
        fs::read(sheets.join("lugares-norte.csv")).unwrap(),
        b"Nome;Categoria;Bairro;Endere\xe7o;id\r\nCaf\xe9 S\xe3o Jo\xe3o;caf\xe9;Asa Norte;\"CLN 408; loja 2\";cafe-sao-joao\r\n"
    );
}

#[test]
fn the_template_is_an_import_without_rows() {
    let folder = tempfile::tempdir().unwrap();
    let guide = folder.path().join("guia");
    begin(&guide);
    let now = DateTime::parse_from_rfc3339("2026-11-23T12:00:00-03:00").unwrap();
    assert!(init(&guide, &demo::files(), now).is_err(), "a folder that is not empty is left alone");
    let sources = local(&guide).unwrap();
    assert_eq!(sources.len(), 3);
    let made = import(&sources, &Files::read(&guide), today());
    assert!(!made.has_errors(), "{:?}", made.messages);
    assert!(made.replaced.iter().all(|replaced| replaced.records.is_empty()));
    for (lang, what) in [(Lang::En, "neither the sheets nor"), (Lang::Pt, "nem a planilha nem")] {
        let told = groups(&made.messages, lang);
        assert!(!told.is_empty() && told.iter().all(|group| group.what.contains(what)), "{told:?}");
    }
    // a sheet that is not there is told by who reads it, and no emptiness is put beside it
    assert_eq!(import(&[], &Files::read(&guide), today()).messages, []);
}

#[test]
fn a_record_that_is_typed_over_the_explanations_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let guide = folder.path().join("guia");
    begin(&guide);
    let template = fs::read_to_string(guide.join("eventos.csv")).unwrap();
    let [names, explanations] = [0, 1].map(|line| {
        let mut is_quoted = false;
        let line = template.trim_start_matches('\u{feff}').lines().nth(line).unwrap();
        let cells = line.split(|char| {
            is_quoted ^= char == '"';
            char == ';' && !is_quoted
        });
        cells.map(str::to_owned).collect::<Vec<_>>()
    });
    let typed = |name: &str| match name {
        "nome" => Some("Roda"),
        "categoria" => Some("choro"),
        "data" => Some("05/12/2026"),
        "bairro" => Some("Asa Sul"),
        _ => None,
    };
    let row: Vec<&str> =
        names.iter().zip(&explanations).map(|(name, told)| typed(name).unwrap_or(told)).collect();
    assert!(row.len() > 10 && row.iter().filter(|cell| cell.len() > 20).count() > 5, "{row:?}");
    let made = import_events("[]", &format!("{}\n{}\n", names.join(";"), row.join(";")));
    let [event] = &*records(&made, SheetKind::Events) else { panic!("{:?}", made.messages) };
    assert_eq!((&event["name"], &event["date"]), (&json!("Roda"), &json!("2026-12-05")));
}

#[test]
fn every_name_of_the_lists_is_understood_as_it_is() {
    let files = empty_guide();
    let categories: Value = serde_json::from_str(files.text(File::Categories).unwrap()).unwrap();
    let regions: Value = serde_json::from_str(files.text(File::Regions).unwrap()).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let (mut rows, mut expected) = (Vec::new(), Vec::new());
    for category in categories["categories"].as_array().unwrap().iter().filter(|one| one["kind"] != "event") {
        rows.push(format!("A{};{};;Gama", rows.len(), text(&category["pt"])));
        expected.push(("category", text(&category["slug"])));
    }
    for region in regions["regions"].as_array().unwrap() {
        rows.push(format!("A{};bar;;{}", rows.len(), text(&region["name"])));
        expected.push(("region", text(&region["name"])));
        for part in region["neighbourhoods"].as_array().into_iter().flatten() {
            rows.push(format!("A{};bar;{};", rows.len(), text(&part["name"])));
            expected.push(("neighbourhood", text(&part["name"])));
        }
    }
    let bytes = format!("nome;categoria;bairro;região\n{}\n", rows.join("\n")).into_bytes();
    let made =
        import(&[spreadsheets::Source { label: "lugares.csv".into(), path: None, bytes }], &files, today());
    assert_eq!(made.messages, []);
    let read = records(&made, SheetKind::Places);
    assert_eq!(read.len(), expected.len());
    for (place, (field, value)) in read.iter().zip(expected) {
        assert_eq!(place[field], value, "{place}");
    }
}

#[test]
fn a_file_that_changed_meanwhile_or_is_open_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let sheet = folder.path().join("lugares.csv");
    let typed = "nome;categoria;bairro\nBar;bar;Asa Norte\n";
    fs::write(&sheet, typed).unwrap();
    let sources = local(&sheet).unwrap();
    let made = import(&sources, &empty_guide(), today());
    fs::write(&sheet, format!("{typed}Outro;bar;Asa Norte\n")).unwrap();
    let code = |messages: Vec<spreadsheets::Message>| messages[0].problem.code();
    assert_eq!(code(write_ids(&sources, &made.missing_ids)), "changed_meanwhile");
    fs::write(&sheet, typed).unwrap();
    fs::write(folder.path().join(".~lock.lugares.csv#"), "").unwrap();
    assert_eq!(code(write_ids(&sources, &made.missing_ids)), "open_elsewhere");
    assert_eq!(fs::read_to_string(&sheet).unwrap(), typed);
}

/// A workbook of two sheets, of which those in `with_formulas` have a formula in the column of ids.
fn workbook_of_two_sheets(path: &Path, with_formulas: &[&str]) {
    let mut workbook = Workbook::new();
    for (name, headers, row) in [
        ("Lugares", &["nome", "categoria", "bairro", "id"][..], &["Bar Azul", "bar", "Asa Norte"][..]),
        (
            "Eventos",
            &["nome", "categoria", "bairro", "data", "id"],
            &["Choro na praça", "choro", "Asa Sul", "05/12/2026"],
        ),
    ] {
        let sheet = workbook.add_worksheet().set_name(name).unwrap();
        for (column, header) in (0..).zip(headers) {
            sheet.write(0, column, *header).unwrap();
        }
        for (column, cell) in (0..).zip(row) {
            sheet.write(1, column, *cell).unwrap();
        }
        if with_formulas.contains(&name) {
            let column = u16::try_from(row.len()).unwrap();
            sheet.write_formula(1, column, Formula::new("=A2").set_result(row[0])).unwrap();
        }
    }
    workbook.save(path).unwrap();
}

/// The id that was written into each of the two sheets.
fn written_ids(path: &Path) -> [String; 2] {
    let mut archive = zip::ZipArchive::new(fs::File::open(path).unwrap()).unwrap();
    [1, 2].map(|number| {
        let part = archive.by_name(&format!("xl/worksheets/sheet{number}.xml")).unwrap();
        let xml = std::io::read_to_string(part).unwrap();
        xml.split("<is><t>").nth(1).and_then(|rest| rest.split('<').next()).unwrap_or_default().to_owned()
    })
}

#[test]
fn ids_are_written_into_each_sheet_that_can_be_edited_and_listed_for_all_others() {
    for (with_formulas, written, listed) in [
        (&["Eventos"][..], ["bar-azul", ""], &["Eventos;2;choro-na-praca;Choro na praça"][..]),
        (&["Lugares"], ["", "choro-na-praca"], &["Lugares;2;bar-azul;Bar Azul"]),
        (
            &["Lugares", "Eventos"],
            ["", ""],
            &["Lugares;2;bar-azul;Bar Azul", "Eventos;2;choro-na-praca;Choro na praça"],
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("guia.xlsx");
        workbook_of_two_sheets(&path, with_formulas);
        let sources = local(&path).unwrap();
        let made = import(&sources, &empty_guide(), today());
        let messages = write_ids(&sources, &made.missing_ids);
        assert_eq!(written_ids(&path), written, "{with_formulas:?}");
        let list = fs::read_to_string(folder.path().join("guia-ids.csv")).unwrap();
        let rows: Vec<&str> = list.trim_start_matches('\u{feff}').lines().collect();
        assert_eq!((rows[0], &rows[1..]), ("aba;linha;id;nome", listed), "{with_formulas:?}");
        let told: Vec<(&str, &str)> =
            messages.iter().map(|message| (&*message.sheet, message.problem.code())).collect();
        let expected: Vec<(String, &str)> =
            with_formulas.iter().map(|name| (format!("guia.xlsx, {name}"), "ids_beside")).collect();
        assert_eq!(told, expected.iter().map(|(name, code)| (&**name, *code)).collect::<Vec<_>>());
    }
}

#[test]
fn files_that_differ_by_their_ending_alone_have_lists_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    workbook_of_two_sheets(&folder.path().join("guia.xlsx"), &["Lugares", "Eventos"]);
    let wide = "nome;categoria;bairro\nBar Verde;bar;Asa Norte\n".encode_utf16();
    let wide: Vec<u8> = [0xff, 0xfe].into_iter().chain(wide.flat_map(u16::to_le_bytes)).collect();
    fs::write(folder.path().join("guia.csv"), wide).unwrap();
    let sources = local(folder.path()).unwrap();
    let made = import(&sources, &empty_guide(), today());
    assert!(!made.has_errors(), "{:?}", made.messages);
    write_ids(&sources, &made.missing_ids);
    let list = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    assert!(list("guia.csv-ids.csv").contains("bar-verde"));
    assert!(list("guia.xlsx-ids.csv").contains("bar-azul"));
    assert_eq!(local(folder.path()).unwrap().len(), 2, "lists are no sheets");
}

/// An import of one CSV file into a guide with two places and these events.
fn import_events(events: &str, csv: &str) -> Import {
    let places = r#"[
        {"id":"clube","name":"Clube","region":"Plano Piloto","neighbourhood":"Asa Sul","category":"bar"},
        {"id":"praca","name":"Praça","region":"Taguatinga","category":"bar"}
    ]"#;
    let folder = demo::files().with(File::Places, places).with(File::Events, events.to_owned());
    let source =
        spreadsheets::Source { label: "eventos.csv".into(), path: None, bytes: csv.as_bytes().to_vec() };
    let made = import(&[source], &folder, today());
    assert!(!made.has_errors(), "{:?}", made.messages);
    made
}

fn ids_of(made: &Import) -> Vec<String> {
    records(made, SheetKind::Events).iter().map(|event| event["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn an_event_whose_region_is_that_of_its_place_keeps_its_id_and_is_missed_when_it_is_gone() {
    let events = r#"[
        {"id":"roda-de-2025","name":"Roda","place":"clube","date":"2026-12-05","category":"choro"},
        {"id":"baile-antigo","name":"Baile","place":"praca","date":"2026-12-06","category":"choro"},
        {"id":"sem-lugar","name":"Outro","place":"nenhures","date":"2026-12-06","category":"choro"}
    ]"#;
    let made = import_events(events, "nome;categoria;local;data\nRoda;choro;Clube;05/12/2026\n");
    assert_eq!(ids_of(&made), ["roda-de-2025"]);
    assert_eq!(made.replaced[0].vanished, ["baile-antigo", "sem-lugar"]);
    assert_eq!(made.replaced[0].new, 0);
    let vanishes = made.messages.iter().find(|message| message.problem.code() == "vanishes").unwrap();
    assert!(vanishes.problem.texts(Lang::En).0.starts_with("2 records of the folder"));
}

/// The lines of an import, as warnings and errors say them.
fn told(made: &Import, lang: Lang) -> Vec<String> {
    let groups = groups(&made.messages, lang);
    groups.iter().filter(|group| group.level != Level::Info).map(|group| group.line(lang)).collect()
}

#[test]
fn ids_that_moved_to_other_rows_are_told() {
    let events = r#"[
        {"id":"a","name":"Roda","region":"Gama","date":"2026-12-05","category":"choro"},
        {"id":"b","name":"Baile","region":"Gama","date":"2026-12-06","category":"choro"},
        {"id":"c","name":"Sarau","region":"Gama","date":"2026-12-07","category":"choro"}
    ]"#;
    let rows = |ids: [&str; 3]| {
        let rows =
            ["Roda;choro;Gama;05/12/2026", "Baile;choro;Gama;06/12/2026", "Sarau;choro;Gama;07/12/2026"];
        let rows: Vec<String> = rows.iter().zip(ids).map(|(row, id)| format!("{row};{id}\n")).collect();
        format!("nome;categoria;região;data;id\n{}", rows.concat())
    };
    for (ids, moved) in [
        (["a", "b", "c"], ""),
        (["b", "a", "c"], "rows 2, 3"),
        (["b", "c", "a"], "rows 2, 3, 4"),
        (["b", "c", ""], "rows 2, 3"),
    ] {
        let made = import_events(events, &rows(ids));
        let lines = told(&made, Lang::Pt);
        let line = lines.iter().find(|line| line.contains("os ids trocaram de linha"));
        let moved = moved.replace("rows", "linhas");
        assert!(line.map_or(moved.is_empty(), |line| line.contains(&format!(": {moved};"))), "{lines:?}");
    }
    // a new name, and one that another row keeps, are changes of the guide
    let renamed = rows(["a", "b", "c"]).replace("Roda", "Samba").replace("Sarau", "Baile");
    let told = told(&import_events(events, &renamed), Lang::En);
    assert!(
        !told.iter().any(|line| line.contains("another id") || line.contains("changed rows")),
        "{told:?}"
    );
}

#[test]
fn places_of_one_name_are_listed_with_their_rows() {
    let csv = |name: &str, text: &str| spreadsheets::Source {
        label: name.into(),
        path: None,
        bytes: text.as_bytes().to_vec(),
    };
    let places = "nome;categoria;bairro\nFeira;bar;Asa Norte\nOutro;bar;Gama\nFeira;bar;Guará\n";
    let events = "nome;categoria;data;local\nA;show;05/12/2026;Feira\nB;show;06/12/2026;Feira\n";
    let sources = [csv("lugares.csv", places), csv("eventos.csv", events)];
    let made = import(&sources, &empty_guide(), today());
    assert_eq!(
        told(&made, Lang::Pt),
        [
            "erro: eventos.csv: local (D) há 2 lugares com o nome \"Feira\": feira (linha 2), feira-guara (linha 4): \
          linhas 2, 3; escreva o id de um deles na coluna lugar do guia, ou o bairro ou a região dele"
        ]
    );
}

#[test]
fn what_changes_is_counted_and_named_in_the_words_of_the_sheet() {
    let events = r#"[
        {"id":"roda","name":"Roda","region":"Gama","date":"2026-12-05","category":"choro","start_time":"19:00"},
        {"id":"baile","name":"Baile","place":"praca","region":"Taguatinga","date":"2026-12-06","category":"choro"}
    ]"#;
    let csv = "nome;categoria;região;data;horário;preço;site;local\n\
               Roda;choro;Gama;05/12/2026;20h;R$ 5;https://roda.br;\n\
               Baile;choro;Taguatinga;06/12/2026;;;;Praça\n";
    let made = import_events(events, &csv.replace("20h;R$ 5;https://roda.br", "19h;;"));
    assert_eq!(made.replaced[0].changed, [], "the venue is the name of its place, which it has already");
    let made = import_events(events, csv);
    let line = |lang| {
        let groups = groups(&made.changes(), lang);
        groups.iter().map(|group| group.what.clone()).collect::<Vec<_>>().join("\n")
    };
    let (pt, en) = (line(Lang::Pt), line(Lang::En));
    assert!(pt.contains("muda 1 registro dela: roda (site, preço, horário)"), "{pt}");
    assert!(en.contains("changes 1 record of it: roda (website, price, start_time)"), "{en}");
}

#[test]
fn events_of_one_name_are_told_apart_by_their_days() {
    let events = r#"[
        {"id":"cine","name":"Cine","region":"Gama","category":"show","repeat":{"dates":["2026-12-05","2026-12-06"]}},
        {"id":"cine-2","name":"Cine","region":"Gama","category":"show","repeat":{"dates":["2026-12-19","2026-12-20"]}}
    ]"#;
    let csv = "nome;categoria;região;data\nCine;show;Gama;19 e 20/12/2026\nCine;show;Gama;5 e 6/12/2026\n";
    assert_eq!(ids_of(&import_events(events, csv)), ["cine-2", "cine"]);
    let csv = "nome;categoria;região;repete\nCine;show;Gama;19 e 20/12/2026\n";
    assert_eq!(ids_of(&import_events(events, csv)), ["cine-2"]);
}

#[test]
fn a_file_of_the_folder_that_cannot_be_read_is_not_replaced() {
    let sheet = spreadsheets::Source {
        label: "lugares.csv".into(),
        path: None,
        bytes: b"nome;categoria;bairro\nBar;bar;Asa Norte\n".to_vec(),
    };
    let broken = demo::files().with(File::Places, r#"[{"id":"bar-antigo","name":"Bar",}]"#);
    let made = import(std::slice::from_ref(&sheet), &broken, today());
    let told = groups(&made.messages, Lang::En);
    assert!(told.iter().any(|group| group.sheet == "places.json" && group.code == "unreadable"), "{told:?}");
    assert!(made.has_errors());
    // no cell is called wrong by lists that cannot be read
    for (file, cell) in [(File::Regions, "Asa Norte"), (File::Categories, "bar")] {
        let folder = empty_guide().with(file, "{");
        let made = import(std::slice::from_ref(&sheet), &folder, today());
        let told = groups(&made.messages, Lang::Pt);
        let told: Vec<String> = told.iter().map(|group| group.line(Lang::Pt)).collect();
        let damaged = format!(
            "erro: {}: não pode ser lido: o arquivo está danificado na linha 1, coluna 1; confira o arquivo ou o endereço",
            file.name()
        );
        assert!(told.contains(&damaged), "{told:?}");
        assert!(
            !told.iter().any(|line| line.contains(cell) || line.contains("lugares.csv: bairro")),
            "{told:?}"
        );
    }
    // a folder without the file is begun anew
    let folder = tempfile::tempdir().unwrap();
    begin(folder.path());
    fs::remove_file(folder.path().join("places.json")).unwrap();
    assert!(!import(&[sheet], &Files::read(folder.path()), today()).has_errors());
}

#[test]
fn a_place_of_which_events_are_left_is_an_error_in_both_languages() {
    let places = r#"[
        {"id":"bar-a","name":"Bar A","region":"Gama","category":"bar"},
        {"id":"bar-b","name":"Bar B","region":"Gama","category":"bar"}
    ]"#;
    let event = |id: &str, place: &str| {
        format!(r#"{{"id":"{id}","name":"{id}","place":"{place}","date":"2026-12-05","category":"show"}}"#)
    };
    let made = |events: &[String], rows: &str| {
        let events = format!("[{}]", events.join(","));
        let folder = demo::files().with(File::Places, places).with(File::Events, events);
        let bytes = format!("id;nome;categoria;região\n{rows}").into_bytes();
        import(&[spreadsheets::Source { label: "lugares.csv".into(), path: None, bytes }], &folder, today())
    };
    let at_a =
        |count: usize| (0..count).map(|number| event(&format!("show-{number}"), "bar-a")).collect::<Vec<_>>();
    let left = "bar-b;Bar B;bar;Gama\n";
    let errors = |made: &Import, lang: Lang| -> Vec<String> {
        let told = groups(&made.messages, lang);
        told.into_iter().filter(|group| group.level == Level::Error).map(|group| group.what).collect()
    };
    let one = made(&at_a(1), left);
    assert_eq!(errors(&one, Lang::En), ["the place bar-a is removed, and the event show-0 is there"]);
    assert_eq!(errors(&one, Lang::Pt), ["o lugar bar-a sai, e o evento show-0 é nele"]);
    let seven = made(&at_a(7), left);
    assert_eq!(
        errors(&seven, Lang::En),
        ["the place bar-a is removed, and 7 events are there: show-0, show-1, show-2, show-3, show-4, ..."]
    );
    // what the folder had without the sheet is not its fault
    let before = made(&[event("show", "nenhures")], left);
    assert!(!before.has_errors(), "{:?}", before.messages);
    assert!(before.messages.iter().any(|message| message.problem.code() == "check_elsewhere"));
}

#[test]
fn an_id_that_check_allows_is_not_changed() {
    let id = format!("bar-{}", "a".repeat(70));
    let bytes = format!("nome;categoria;bairro;id\nBar;bar;Asa Norte;{id}\n").into_bytes();
    let source = spreadsheets::Source { label: "lugares.csv".into(), path: None, bytes };
    let made = import(&[source], &empty_guide(), today());
    assert_eq!(made.messages, []);
    assert_eq!(records(&made, SheetKind::Places)[0]["id"], *id);
}

/// A file of LibreOffice, which is a ZIP archive too.
fn open_document() -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    archive.start_file("mimetype", zip::write::SimpleFileOptions::default()).unwrap();
    std::io::Write::write_all(&mut archive, b"application/vnd.oasis.opendocument.spreadsheet").unwrap();
    archive.finish().unwrap().into_inner()
}

#[test]
fn what_is_no_sheet_is_refused_with_a_way_out() {
    for (bytes, code) in [
        (&b"<!DOCTYPE html><html>"[..], "web_page"),
        (b"\xd0\xcf\x11\xe0 old Excel", "old_excel"),
        (b"PK\x03\x04 broken", "damaged_workbook"),
        (&open_document(), "old_excel"),
        (b"just a text", "no_header"),
        (b"", "no_header"),
    ] {
        let source = spreadsheets::Source { label: "x.csv".into(), path: None, bytes: bytes.to_vec() };
        let made = import(&[source], &empty_guide(), today());
        assert!(made.has_errors() && made.replaced.is_empty());
        assert!(
            made.messages.iter().any(|message| message.problem.code() == code),
            "{code}: {:?}",
            made.messages
        );
    }
}

#[test]
fn the_sheet_of_the_demo_changes_nothing_when_it_is_imported() {
    let folder = demo::files();
    let filled = fill_in(&folder, today()).unwrap();
    assert_eq!((filled.changes(Lang::En), filled.errors.len()), (Vec::new(), 0));
    assert_eq!(filled.counts[0], 506);
    let made =
        import(&[Source { label: "guia.xlsx".into(), path: None, bytes: filled.bytes }], &folder, today());
    for replaced in &made.replaced {
        assert!(
            replaced.new == 0 && replaced.vanished.is_empty() && replaced.changed.is_empty(),
            "{replaced:?}"
        );
    }
    assert!(made.missing_ids.is_empty(), "all ids are there");
}

#[test]
fn a_sheet_says_all_fields_of_records_and_what_it_cannot_say_is_told() {
    let places = json!([
        {"id": "cafe", "name": "1900", "region": "Plano Piloto", "neighbourhood": "Asa Sul", "category": "cafe",
         "also": ["bar"], "style": "1/4", "price": "R$ 20 a R$ 40", "instagram": "cafe.bsb", "address": "CLS 408, bloco B",
         "mentions": 12, "uau": true, "description": {"pt": "Bom.", "en": "Good."}, "links": {"website": "https://a.br/x"},
         "aliases": ["Café da Ana"], "position": {"lat": -15.81, "lon": -47.89, "precision_m": 30}, "free": true,
         "hidden": false, "show_from": "2026-01-02", "show_until": "2027-03-04", "note": "ligar"},
        {"id": "virgula", "name": "Bar", "region": "Gama", "category": "bar", "mentions": 0, "aliases": ["Bar, o bom"]},
    ]);
    let events = json!([
        {"id": "um", "name": "Um", "date": "2026-12-05", "start_time": "19:30", "end_time": "01:00", "place": "cafe",
         "category": "show", "status": "sold_out", "lineup": "Ana", "tickets": "na porta"},
        {"id": "sessoes", "name": "Sessões", "date": "2026-12-05", "end_date": "2026-12-08", "region": "Gama",
         "category": "show", "sessions": [{"start_time": "16:00", "end_time": "17:00"}, {"start_time": "20:00"}]},
        {"id": "sextas", "name": "Sextas", "region": "Gama", "category": "show", "repeat":
         {"rule": "FREQ=WEEKLY;BYDAY=FR", "until": "2027-03-26", "except": ["2026-12-25", "2027-01-01"]}},
        {"id": "quinzenal", "name": "Quinzenal", "date": "2026-12-05", "region": "Gama", "category": "show", "repeat":
         {"rule": "FREQ=WEEKLY;INTERVAL=2;BYDAY=SA"}},
        {"id": "dias", "name": "Dias", "region": "Gama", "category": "show", "repeat":
         {"dates": ["2026-12-05", "2026-12-09", "2027-01-10"]}},
        {"id": "tambem", "name": "Também", "region": "Gama", "category": "show", "repeat":
         {"rule": "FREQ=WEEKLY;BYDAY=SU", "dates": ["2026-12-09"]}},
    ]);
    let folder = demo::files().with(File::Places, places.to_string()).with(File::Events, events.to_string());
    let filled = fill_in(&folder, today()).unwrap();
    assert_eq!(filled.errors, []);
    assert_eq!(
        filled.changes(Lang::En),
        ["places.json: virgula (aliases)", "events.json: tambem (repeat)"],
        "a comma separates, and a rule has no days beside it"
    );
}
