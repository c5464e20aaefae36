//! From nothing to a live guide with spreadsheets alone: no JSON is seen, nothing that was typed is lost.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use encoding_rs::WINDOWS_1252;
use rust_xlsxwriter::{Format, Workbook};
use serde_json::{Value, json};

use crate::service::{Service, demo_copy, edit, get, printed, printed_json, run};

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
fn a_guide_in_service_becomes_a_spreadsheet_that_changes_nothing() {
    let home = tempfile::tempdir().expect("a folder");
    let (data, demo) = (home.path().join("data"), home.path().join("demo"));
    demo_copy(&demo);
    fs::create_dir(&data).expect("a folder");
    printed(&run(&data, &["snapshot", "publish", path(&demo)]), 0);
    let folder = home.path().join("guide");
    let said = printed(&run(&data, &["snapshot", "pull", path(&folder)]), 0);
    assert!(said.contains("candango snapshot sheet"), "{said}");
    let made = printed_json(&run(&data, &["snapshot", "sheet", path(&folder), "--json"]), 0);
    assert_eq!((&made["ok"], &made["changed"], &made["errors"]), (&json!(true), &json!([]), &json!([])));
    assert_eq!(made["places"], 506);
    let sheet = folder.join("guia.xlsx");
    let files = || {
        ["places.json", "events.json", "guide.json"].map(|name| fs::read(folder.join(name)).expect("a file"))
    };
    let before = files();
    let words = ["snapshot", "import", path(&sheet), "--into", path(&folder)];
    let said = printed(&run(&data, &words), 0);
    assert!(said.contains("Nothing changed"), "{said}");
    let said = printed(&run(&data, &["snapshot", "diff", path(&folder)]), 0);
    assert!(said.contains("no difference"), "{said}");
    assert!(files()[2] == before[2], "the guide is as old as it was");
    // what is there is not written over
    let again = run(&data, &["snapshot", "sheet", path(&folder)]);
    assert!(printed(&again, 1).is_empty() && String::from_utf8_lossy(&again.stderr).contains("--out"));
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

/// A folder into which two sheets were imported: a bar and a café, and a weekly event in each.
struct Curated {
    home: tempfile::TempDir,
}

const BARS: &str = "bar;Bar;bar;Asa Norte;R$ 60\ncafe;Café;cafe;Asa Sul;R$ 10\n";
const NIGHTS: &str = "roda;Roda;show;toda sexta;Bar;R$ 5\nsarau;Sarau;show;toda terça;Café;R$ 7\n";

impl Curated {
    fn begin() -> Curated {
        let curated = Curated { home: tempfile::tempdir().expect("a folder") };
        demo_copy(&curated.folder());
        edit(&curated.folder(), "places.json", Vec::clear);
        edit(&curated.folder(), "events.json", Vec::clear);
        curated.places(BARS);
        curated.events(NIGHTS);
        curated.imported(&["lugares.csv", "eventos.csv"], &[], 0);
        curated
    }

    fn folder(&self) -> PathBuf {
        self.home.path().join("guide")
    }

    fn places(&self, rows: &str) {
        let text = format!("id;nome;categoria;bairro;preço\n{rows}");
        fs::write(self.home.path().join("lugares.csv"), text).expect("a sheet");
    }

    fn events(&self, rows: &str) {
        let text = format!("id;nome;categoria;repete;local;preço\n{rows}");
        fs::write(self.home.path().join("eventos.csv"), text).expect("a sheet");
    }

    /// What an import of sheets says, in Portuguese.
    fn said(&self, sheets: &[&str], flags: &[&str], code: i32) -> String {
        let sheets: Vec<PathBuf> = sheets.iter().map(|sheet| self.home.path().join(sheet)).collect();
        let sheets: Vec<&str> = sheets.iter().map(|sheet| path(sheet)).collect();
        let folder = self.folder();
        let words = [&["snapshot", "import"], &*sheets, &["--into", path(&folder), "--lang", "pt"], flags];
        printed(&run(&self.home.path().join("data"), &words.concat()), code)
    }

    fn imported(&self, sheets: &[&str], flags: &[&str], code: i32) -> Value {
        let told = self.said(sheets, &[flags, &["--json"]].concat(), code);
        serde_json::from_str(&told).expect("JSON")
    }

    fn check(&self) {
        printed(&run(&self.home.path().join("data"), &["snapshot", "check", path(&self.folder())]), 0);
    }

    fn field(&self, file: &str, id: &str, field: &str) -> Value {
        let text = fs::read(self.folder().join(file)).expect("a file");
        let list: Vec<Value> = serde_json::from_slice(&text).expect("a list");
        list.iter().find(|record| record["id"] == id).map_or(Value::Null, |record| record[field].clone())
    }

    /// A colleague's new place, an event there, and another price of the bar.
    fn change(&self) {
        let record = |id: &str, more: Value| {
            let mut record = json!({"id": id, "name": id, "region": "Plano Piloto", "category": "rock"});
            more.as_object()
                .expect("fields")
                .clone()
                .into_iter()
                .for_each(|(field, value)| record[field] = value);
            record
        };
        edit(&self.folder(), "places.json", |places| {
            places
                .iter_mut()
                .filter(|place| place["id"] == "bar")
                .for_each(|place| place["price"] = json!("R$ 65"));
            places.push(record("nova", json!({"category": "bar"})));
        });
        edit(&self.folder(), "events.json", |events| {
            let repeat = json!({"rule": "FREQ=WEEKLY;BYDAY=SU"});
            events.push(record("domingo", json!({"place": "nova", "repeat": repeat})));
        });
    }
}

fn codes(told: &Value) -> Vec<&str> {
    let messages = told["messages"].as_array().expect("messages");
    messages.iter().filter(|one| one["level"] != "info").filter_map(|one| one["code"].as_str()).collect()
}

#[test]
fn a_sheet_of_one_kind_undoes_nothing_of_the_other_that_others_added() {
    for sheet in ["lugares.csv", "eventos.csv"] {
        let curated = Curated::begin();
        curated.change();
        let told = curated.imported(&[sheet], &[], 0);
        assert_eq!(codes(&told), ["kept_of_others"], "{told}");
        assert_eq!(curated.field("places.json", "bar", "price"), "R$ 65");
        assert_eq!(curated.field("places.json", "nova", "name"), "nova");
        assert_eq!(curated.field("events.json", "domingo", "place"), "nova");
        curated.check();
    }
}

#[test]
fn a_file_that_was_taken_away_is_begun_anew() {
    let curated = Curated::begin();
    let before = fs::read(curated.folder().join("places.json")).expect("a file");
    fs::remove_file(curated.folder().join("places.json")).expect("removed");
    curated.imported(&["lugares.csv"], &[], 0);
    assert_eq!(fs::read(curated.folder().join("places.json")).expect("a file"), before);
    curated.check();
}

#[test]
fn a_place_that_others_removed_with_its_event_hides_nothing_else_that_they_changed() {
    let curated = Curated::begin();
    edit(&curated.folder(), "places.json", |places| places.retain(|place| place["id"] != "cafe"));
    edit(&curated.folder(), "events.json", |events| {
        events.retain(|event| event["id"] != "sarau");
        events[0]["price"] = json!("R$ 6");
    });
    curated.events("roda;Roda;show;toda sexta;Bar;R$ 5\nbaile;Baile;show;todo domingo;Bar;R$ 9\n");
    let told = curated.imported(&["eventos.csv"], &[], 0);
    assert_eq!(codes(&told), ["kept_of_others"], "{told}");
    let prices = ["roda", "baile"].map(|id| curated.field("events.json", id, "price"));
    assert_eq!(prices, ["R$ 6", "R$ 9"]);
    curated.check();
}

#[test]
fn what_others_changed_is_not_written_over_when_it_cannot_be_told() {
    let curated = Curated::begin();
    curated.change();
    // as after the category was renamed
    let last = json!([{"id": "bar", "name": "Bar", "region": "Plano Piloto", "category": "boteco-antigo"}]);
    let last = json!({ "places": last.to_string() });
    fs::write(curated.folder().join(".candango-import.json"), last.to_string()).expect("written");
    let before = fs::read(curated.folder().join("places.json")).expect("a file");
    let told = curated.imported(&["lugares.csv", "eventos.csv"], &[], 1);
    let codes = codes(&told);
    assert!(codes.contains(&"others_unknown") && codes.contains(&"sheet_changes"), "{told}");
    assert_eq!(fs::read(curated.folder().join("places.json")).expect("a file"), before);
    curated.imported(&["lugares.csv", "eventos.csv"], &["--over"], 0);
    assert_eq!(curated.field("places.json", "bar", "price"), "R$ 60");
}

#[test]
fn a_sheet_that_would_leave_a_folder_which_servers_refuse_is_refused() {
    let curated = Curated::begin();
    let files = || {
        ["places.json", "events.json", "guide.json"].map(|name| fs::read(curated.folder().join(name)).ok())
    };
    let before = files();
    curated.places("bar;Bar;bar;Asa Norte;R$ 60\n");
    for flags in [&[][..], &["--over"]] {
        let told = curated.imported(&["lugares.csv"], flags, 1);
        let error = &told["messages"][0];
        assert_eq!(
            (&error["level"], &error["code"], &error["what"]),
            (&json!("error"), &json!("place_removed"), &json!("o lugar cafe sai, e o evento sarau é nele")),
            "{told}"
        );
        assert!(files() == before, "nothing is written");
    }
    curated.events("roda;Roda;show;toda sexta;Bar;R$ 5\n");
    curated.imported(&["lugares.csv", "eventos.csv"], &[], 0);
    curated.check();
}

#[test]
fn the_report_of_a_merged_import_says_what_became_of_the_folder() {
    let curated = Curated::begin();
    curated.change();
    let told = curated.imported(&["lugares.csv", "eventos.csv"], &[], 0);
    assert_eq!(codes(&told), ["kept_of_others"], "nothing vanishes: {told}");
    for kind in ["places", "events"] {
        assert_eq!(
            told[kind],
            json!({"read": 2, "total": 3, "new": 0, "vanished": 0, "changed": 0}),
            "{told}"
        );
    }
    let said = curated.said(&["lugares.csv", "eventos.csv"], &[], 0);
    assert!(
        said.contains("3 lugares: 0 novos")
            && said.contains("Nada mudou")
            && !said.contains("a pasta foi atualizada"),
        "{said}"
    );
    // what the sheet itself drops still vanishes
    curated.places("bar;Bar;bar;Asa Norte;R$ 60\n");
    curated.events("roda;Roda;show;toda sexta;Bar;R$ 5\nbaile;Baile;show;todo domingo;Bar;R$ 9\n");
    let told = curated.imported(&["lugares.csv", "eventos.csv"], &[], 0);
    assert_eq!((&told["places"]["vanished"], &told["events"]["vanished"]), (&json!(1), &json!(1)), "{told}");
    assert_eq!((&told["places"]["new"], &told["events"]["new"]), (&json!(0), &json!(1)), "{told}");
    assert!(told.to_string().contains("cafe") && codes(&told).contains(&"vanishes"), "{told}");
}

#[test]
fn an_import_that_changes_a_record_says_when_the_guide_was_curated() {
    let curated = Curated::begin();
    let guide = || fs::read_to_string(curated.folder().join("guide.json")).expect("a guide");
    let moment = |text: &str| {
        let guide: Value = serde_json::from_str(text).expect("JSON");
        chrono::DateTime::parse_from_rfc3339(guide["curated_at"].as_str().expect("text")).expect("a moment")
    };
    let demo =
        fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/snapshots/demo/guide.json")).expect("it");
    let first = guide();
    assert!(moment(&first) > moment(&demo), "the first import wrote it: {first}");
    assert_eq!(moment(&first).offset().to_string(), "-03:00");
    let old = first.replace(&moment(&first).to_rfc3339(), "2026-01-02T03:04:05-03:00");
    fs::write(curated.folder().join("guide.json"), &old).expect("written");
    curated.imported(&["lugares.csv", "eventos.csv"], &[], 0);
    assert_eq!(guide(), old, "nothing has changed");
    curated.places(&BARS.replace("R$ 60", "R$ 61"));
    curated.imported(&["lugares.csv"], &[], 0);
    assert!(moment(&guide()) >= moment(&first), "{}", guide());
    curated.check();
}

#[test]
fn a_column_that_is_gone_empties_nothing_without_consent() {
    let curated = Curated::begin();
    let without_price = || {
        let rows = "id;nome;categoria;repete;local\nroda;Roda;show;toda sexta;Bar\nsarau;Sarau;show;toda terça;Café\n";
        fs::write(curated.home.path().join("eventos.csv"), rows).expect("a sheet");
    };
    without_price();
    let said = curated.said(&["lugares.csv", "eventos.csv"], &[], 1);
    assert!(
        said.contains(
            "não há mais a coluna \"preço\", e 2 registros perderiam o que ela dizia (roda, sarau)"
        ),
        "{said}"
    );
    assert_eq!(curated.field("events.json", "roda", "price"), "R$ 5");
    // a column of nothing but its header is emptied on purpose
    curated.events(&NIGHTS.replace("R$ 5", "").replace("R$ 7", ""));
    assert_eq!(codes(&curated.imported(&["lugares.csv", "eventos.csv"], &[], 0)), [] as [&str; 0]);
    assert_eq!(curated.field("events.json", "roda", "price"), Value::Null);
    curated.events(NIGHTS);
    curated.imported(&["lugares.csv", "eventos.csv"], &[], 0);
    without_price();
    let told = curated.imported(&["lugares.csv", "eventos.csv"], &["--over"], 0);
    assert_eq!(codes(&told), ["column_gone"], "{told}");
    assert_eq!(curated.field("events.json", "roda", "price"), Value::Null);
    assert_eq!(codes(&curated.imported(&["lugares.csv", "eventos.csv"], &[], 0)), [] as [&str; 0]);
}

#[test]
fn what_a_colleague_added_is_not_said_to_vanish_beside_an_error() {
    let curated = Curated::begin();
    curated.change();
    curated.places(&BARS.replace("Asa Sul", "Atlântida"));
    let told = curated.imported(&["lugares.csv", "eventos.csv"], &[], 1);
    assert_eq!((&told["places"]["vanished"], &told["events"]["vanished"]), (&json!(0), &json!(0)), "{told}");
    assert!(codes(&told).contains(&"kept_of_others") && !codes(&told).contains(&"vanishes"), "{told}");
    let said = curated.said(&["lugares.csv", "eventos.csv"], &[], 1);
    assert!(
        said.contains("foi mantido: 2 registros do guia não estão na planilha (nova, domingo)"),
        "{said}"
    );
    assert!(said.contains("1 evento: 0 novos, 0 a menos") && !said.contains("some"), "{said}");
    // without the error: the same, counted and in plain words
    curated.places(BARS);
    let said = curated.said(&["lugares.csv", "eventos.csv"], &[], 0);
    assert!(
        said.contains(
            "foi mantido: 2 registros do guia não estão na planilha (nova, domingo); bar, preço: \"R$ 60\" na planilha e \
             \"R$ 65\" no guia"
        ),
        "{said}"
    );
    edit(&curated.folder(), "places.json", |places| {
        let first = places[0].clone();
        places.extend((1..=60).map(|number| {
            let mut place = first.clone();
            (place["id"], place["name"]) = (json!(format!("bar-{number}")), json!(format!("Bar {number}")));
            place
        }));
    });
    let said = curated.said(&["lugares.csv"], &[], 0);
    let line = said.lines().find(|line| line.contains("foi mantido")).expect("a line");
    assert!(line.contains("61 registros do guia não estão na planilha (") && line.len() < 400, "{line}");
}

#[test]
fn rows_that_cannot_be_read_empty_nothing() {
    let curated = Curated::begin();
    // a separator within a text
    curated.places("bar;Bar;bar;Asa Norte;R$ 60;x\ncafe;Café;cafe;Asa Sul;R$ 10;y\n");
    let said = curated.said(&["lugares.csv"], &[], 1);
    assert!(!said.contains("a planilha não tem linhas") && !said.contains("--over"), "{said}");
    curated.places("");
    assert!(curated.said(&["lugares.csv"], &[], 1).contains("a planilha não tem linhas"));
}

#[test]
fn a_folder_that_cannot_be_written_stays_as_it_was() {
    let curated = Curated::begin();
    let files = || {
        let files =
            fs::read_dir(curated.folder()).expect("a folder").map(|file| file.expect("a file").path());
        let mut files: Vec<_> = files.filter(|path| path.is_file()).collect();
        files.sort();
        files.into_iter().map(|path| (fs::read(&path).expect("a file"), path)).collect::<Vec<_>>()
    };
    let before = files();
    // the second file of the records cannot be written
    fs::create_dir(curated.folder().join("events.json.part")).expect("a folder");
    curated.places(&BARS.replace("R$ 60", "R$ 61"));
    let home = curated.home.path();
    let (sheets, folder) = ([home.join("lugares.csv"), home.join("eventos.csv")], curated.folder());
    let words =
        ["snapshot", "import", path(&sheets[0]), path(&sheets[1]), "--into", path(&folder), "--lang", "pt"];
    let output = run(&home.join("data"), &words);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("não pode ser escrito") && said.contains("a pasta ficou como estava"), "{said}");
    assert!(files() == before);
    fs::remove_dir(curated.folder().join("events.json.part")).expect("removed");
    curated.imported(&["lugares.csv", "eventos.csv"], &[], 0);
    assert_eq!(curated.field("places.json", "bar", "price"), "R$ 61");
}

#[test]
fn what_stops_an_import_is_told_in_the_language_that_was_asked_for() {
    let curated = Curated::begin();
    let (data, folder) = (curated.home.path().join("data"), curated.folder());
    let sheet = curated.home.path().join("lugares.csv");
    let said = |source: &str, into: &Path| {
        let words = ["snapshot", "import", source, "--into", path(into), "--lang", "pt"];
        let output = run(&data, &words);
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
    };
    let none = curated.home.path().join("nenhuma");
    assert!(said(path(&sheet), &none).contains("não é uma pasta de guia: comece com"));
    assert!(said(path(&sheet), curated.home.path()).contains("falta nela regions.json"));
    assert!(said("http://guia.example/x.csv", &folder).contains("só endereços que começam com https://"));
    assert!(said("https://127.0.0.1:9/x.csv", &folder).contains("não há conexão com o servidor"));
    fs::write(folder.join(".candango-import.json"), "{").expect("written");
    let damaged = said(path(&sheet), &folder);
    assert!(damaged.contains("está danificado na linha 1") && damaged.contains("apague-o"), "{damaged}");
    fs::remove_file(folder.join("regions.json")).expect("removed");
    fs::create_dir(folder.join("regions.json")).expect("a folder");
    assert!(said(path(&sheet), &folder).contains("não é uma pasta de guia"));
}

#[test]
fn a_row_with_an_error_is_not_counted_as_gone() {
    let curated = Curated::begin();
    curated.places("bar;Bar;nenhuma;Asa Norte;R$ 60\n");
    let told = curated.imported(&["lugares.csv"], &[], 1);
    assert_eq!((&told["places"]["vanished"], &told["places"]["new"]), (&json!(1), &json!(0)), "{told}");
}

#[test]
fn a_sheet_that_a_workbook_has_no_more_is_told_and_its_records_stay() {
    let home = tempfile::tempdir().expect("a folder");
    let (data, folder) = (home.path().join("data"), home.path().join("guide"));
    printed(&run(&data, &["snapshot", "init", path(&folder)]), 0);
    let file = home.path().join("agenda.xlsx");
    let save = |with_events: bool| {
        let mut workbook = Workbook::new();
        let places = workbook.add_worksheet().set_name("Lugares").expect("a name");
        for (row, cells) in
            (0..).zip([["nome", "categoria", "bairro", "id"], ["Bar Azul", "bar", "Asa Norte", "bar-azul"]])
        {
            for (column, cell) in (0..).zip(cells) {
                places.write(row, column, cell).expect("a cell");
            }
        }
        if with_events {
            let events = workbook.add_worksheet().set_name("Eventos").expect("a name");
            let rows = [
                ["nome", "categoria", "bairro", "data", "id"],
                ["Roda", "show", "Gama", "toda sexta", "roda"],
            ];
            for (row, cells) in (0..).zip(rows) {
                for (column, cell) in (0..).zip(cells) {
                    events.write(row, column, cell).expect("a cell");
                }
            }
        }
        workbook.save(&file).expect("saved");
    };
    let words = ["snapshot", "import", path(&file), "--into", path(&folder), "--lang", "pt"];
    let import = || printed(&run(&data, &words), 0);
    save(true);
    import();
    save(false);
    for _ in 0..2 {
        let told = import();
        assert!(
            told.contains("a última importação leu \"agenda.xlsx, Eventos\", que não está mais no arquivo"),
            "{told}"
        );
        assert!(told.contains("os eventos da pasta ficam como estão"), "{told}");
    }
    let events = fs::read_to_string(folder.join("events.json")).expect("a file");
    assert!(events.contains("\"roda\""), "{events}");
    save(true);
    assert!(!import().contains("não está mais"), "it is back");
    // nobody knows what a file holds that cannot be read
    let locked: Vec<u8> = "EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes).collect();
    fs::write(&file, [&[0xd0, 0xcf, 0x11, 0xe0][..], &locked].concat()).expect("written");
    let told = printed(&run(&data, &words), 1);
    assert!(told.contains("tem senha") && !told.contains("não está mais"), "{told}");
}
