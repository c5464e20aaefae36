//! From nothing to a live guide with spreadsheets alone: no JSON is seen, nothing that was typed is lost.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use encoding_rs::WINDOWS_1252;
use rust_xlsxwriter::{Format, Workbook};
use serde_json::{Value, json};

use crate::service::{Service, get, printed, printed_json, run};

/// From the last keystroke to the guide in service.
const LIVE_WITHIN: Duration = Duration::from_secs(60);

const CATEGORIES: [&str; 5] = ["Bar", "cafe", "Restaurante ", "museu", "Boteco"];
const AREAS: [&str; 4] = ["Asa Norte", "asa sul", "ASA NORTE", "Sudoeste"];

fn path(path: &Path) -> &str {
    path.to_str().expect("text")
}

/// The commands of a curator, from the new folder to the guide in service.
fn brought_live(service: &Service, folder: &Path, sources: &[&Path]) -> Value {
    let began = Instant::now();
    let sources: Vec<&str> = sources.iter().map(|source| path(source)).collect();
    let import = [&["snapshot", "import"][..], &sources, &["--into", path(folder), "--json"]].concat();
    let imported = printed_json(&run(&service.data, &import), 0);
    printed(&run(&service.data, &["snapshot", "check", path(folder)]), 0);
    printed(
        &run(&service.data, &["snapshot", "publish", path(folder), "--wait", "--note", "a spreadsheet"]),
        0,
    );
    service.serves(1);
    assert!(began.elapsed() < LIVE_WITHIN, "it took {:?}", began.elapsed());
    imported
}

fn init(service: &Service) -> std::path::PathBuf {
    let folder = service.data.with_file_name("guide");
    let told = printed(&run(&service.data, &["snapshot", "init", path(&folder)]), 0);
    assert!(told.contains("import"), "it says what comes next: {told}");
    folder
}

/// A date as Excel stores it.
fn serial(day: chrono::NaiveDate) -> f64 {
    let zero = chrono::NaiveDate::from_ymd_opt(1899, 12, 30).expect("a day");
    f64::from(i32::try_from((day - zero).num_days()).expect("a near day"))
}

fn today(service: &Service) -> chrono::NaiveDate {
    let summary = service.good(&service.key("pro"), json!({"action": "summary"}));
    summary["today"].as_str().expect("a day").parse().expect("a date")
}

#[test]
fn a_workbook_with_the_habits_of_excel_goes_live_within_a_minute() {
    let service = Service::start();
    let (folder, first) = (init(&service), today(&service));
    let file = folder.with_file_name("meu guia.xlsx");
    let mut workbook = Workbook::new();
    let (date, hour) = (Format::new().set_num_format("dd/mm/yyyy"), Format::new().set_num_format("hh:mm"));
    let places = workbook.add_worksheet().set_name("Lugares").expect("a name");
    places.write(0, 0, "Nossos lugares preferidos").expect("a cell");
    for (column, header) in (0..).zip(["Nome", "Categoria", "Bairro", "Estilo", "Instagram"]) {
        places.write(2, column, header).expect("a cell");
    }
    for at in 0..30_u32 {
        let (row, index) = (at + 3 + at / 10, usize::try_from(at).expect("small"));
        places.write(row, 0, format!("Casa {at} ")).expect("a cell");
        places.write(row, 1, CATEGORIES[index % CATEGORIES.len()]).expect("a cell");
        places.write(row, 2, AREAS[index % AREAS.len()]).expect("a cell");
        places.write(row, 3, if at % 3 == 0 { "" } else { "ambiente  tranquilo" }).expect("a cell");
        places.write(row, 4, format!("@casa{at}")).expect("a cell");
    }
    let events = workbook.add_worksheet().set_name("Eventos").expect("a name");
    for (column, header) in (0..).zip(["Evento", "Data", "Hora", "Local", "Categoria", "Bairro", "Preço"]) {
        events.write(0, column, header).expect("a cell");
    }
    for at in 0..20_u32 {
        let row = at + 1;
        events.write(row, 0, format!("Noite {at}")).expect("a cell");
        match at % 4 {
            0 => events.write_with_format(row, 1, serial(first) + f64::from(at), &date).expect("a cell"),
            1 => events.write(row, 1, "toda sexta").expect("a cell"),
            2 => events.write(row, 1, "25/12").expect("a cell"),
            _ => events.write(row, 1, "1º sábado do mês").expect("a cell"),
        };
        match at % 2 {
            0 => events.write_with_format(row, 2, 0.8125, &hour).expect("a cell"),
            _ => events.write(row, 2, "19h30 às 22h").expect("a cell"),
        };
        events.write(row, 3, format!("Casa {at}")).expect("a cell");
        events.write(row, 4, "show").expect("a cell");
        events.write(row, 5, AREAS[usize::try_from(at).expect("small") % AREAS.len()]).expect("a cell");
        events.write(row, 6, if at % 5 == 0 { "Entrada franca" } else { "R$ 20" }).expect("a cell");
    }
    workbook.save(&file).expect("saved");

    brought_live(&service, &folder, &[&file]);

    let key = service.key("pro");
    let counts = service.good(&key, json!({"action": "summary"}))["counts"].clone();
    assert_eq!(counts["places"], 30);
    let free = service.good(&key, json!({"action": "search_events", "q": "Noite 0", "limit": 1}))["events"]
        [0]
    .clone();
    assert_eq!(
        (&free["free"], &free["start_time"], &free["place"]),
        (&json!(true), &json!("19:30"), &json!("casa-0"))
    );
    let late = service.good(&key, json!({"action": "search_events", "q": "Noite 1", "limit": 1}))["events"]
        [0]
    .clone();
    assert_eq!((&late["start_time"], &late["end_time"]), (&json!("19:30"), &json!("22:00")));
    assert!(get(service.listen, "/place/casa-0").text().contains("Casa 0"));

    // a second import of the same file, whose ids were written back, changes nothing
    let before = (
        fs::read(folder.join("places.json")).expect("read"),
        fs::read(folder.join("events.json")).expect("read"),
    );
    let again = ["snapshot", "import", path(&file), "--into", path(&folder)];
    printed(&run(&service.data, &again), 0);
    let after = (
        fs::read(folder.join("places.json")).expect("read"),
        fs::read(folder.join("events.json")).expect("read"),
    );
    assert!(before == after);
}

#[test]
fn three_files_in_latin_1_with_semicolons_go_live_within_a_minute() {
    let service = Service::start();
    let folder = init(&service);
    let write = |name: &str, text: &str| {
        let file = folder.with_file_name(name);
        fs::write(&file, WINDOWS_1252.encode(text).0).expect("written");
        file
    };
    let mut places = [String::from("nome;categoria;bairro\r\n"), String::from("nome;categoria;bairro\r\n")];
    for at in 0..30 {
        let area = if at % 2 == 0 { "Asa Norte" } else { "Asa Sul" };
        places[at % 2] += &format!("Café São João {at};café;{area}\r\n");
    }
    let mut events = String::from("nome;data;hora;local;categoria;preço\r\n");
    for at in 0..20 {
        events += &format!("Festa de São João {at};todo domingo;19h;Café São João {at};show;Grátis\r\n");
    }
    let files = [write("norte.csv", &places[0]), write("sul.csv", &places[1]), write("eventos.csv", &events)];
    brought_live(&service, &folder, &[&files[0], &files[1], &files[2]]);
    let key = service.key("pro");
    let place = service.good(&key, json!({"action": "get_place", "id": "cafe-sao-joao-4"}));
    assert_eq!(place["place"]["name"], "Café São João 4");
    assert!(place["upcoming"].as_array().is_some_and(|events| !events.is_empty()), "{place}");

    // the files are as they were, with a column of ids
    let kept = WINDOWS_1252.decode(&fs::read(&files[0]).expect("read")).0.into_owned();
    assert!(kept.contains("Café São João 4") && kept.contains("cafe-sao-joao-4"), "{kept}");
}

#[test]
fn a_mistake_is_told_by_its_cell_and_writes_nothing() {
    let service = Service::start();
    let folder = init(&service);
    let file = folder.with_file_name("lugares.csv");
    fs::write(&file, "nome,categoria,bairro\nBar do Zé,bar,Asa Nrote\nSem nada,astronave,Asa Sul\n")
        .expect("written");
    let before = fs::read(folder.join("places.json")).expect("read");
    let words = ["snapshot", "import", path(&file), "--into", path(&folder), "--lang", "pt", "--json"];
    let told = printed_json(&run(&service.data, &words), 1).to_string();
    assert!(told.contains("astronave") && told.contains("lugares.csv"), "{told}");
    assert_eq!(fs::read(folder.join("places.json")).expect("read"), before);
}

#[test]
fn an_import_of_no_sheet_fails_so_that_nothing_is_published_after_it() {
    let service = Service::start();
    let folder = init(&service);
    let empty = folder.with_file_name("empty");
    fs::create_dir(&empty).expect("made");
    let words = ["snapshot", "import", path(&empty), "--into", path(&folder), "--lang", "en", "--json"];
    let told = printed_json(&run(&service.data, &words), 1);
    assert_eq!((&told["ok"], &told["messages"][0]["code"]), (&json!(false), &json!("no_files")), "{told}");
}
