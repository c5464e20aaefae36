//! Curating: several people work on one guide and lose nothing, and what must not be seen is hidden at once.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use chrono::{Days, NaiveDate};
use serde_json::{Value, json};

use crate::mail::{SOON, awaited};
use crate::publishing::{guide, publish};
use crate::service::{Service, demo_copy, edit, get, ids, printed, printed_json, program, run};

/// How soon every server hides a record.
const HIDDEN_WITHIN: Duration = Duration::from_secs(2);

fn snapshot(data: &Path, words: &[&str]) -> Value {
    // a folder that is missing may be misspelt, and nothing is published for it
    fs::create_dir_all(data).expect("a folder");
    printed_json(&run(data, &[&["snapshot"], words, &["--json"]].concat()), 0)
}

fn refused(data: &Path, words: &[&str]) -> Value {
    printed_json(&run(data, &[&["snapshot"], words, &["--json"]].concat()), 1)
}

/// What a command says on standard error; fails unless it exited with `code`.
fn errors(data: &Path, words: &[&str], code: i32) -> String {
    let output = run(data, &[&["snapshot"], words].concat());
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{text}");
    text
}

fn path(folder: &Path) -> &str {
    folder.to_str().expect("text")
}

/// A folder beside the data folder that holds what is live.
fn pulled(data: &Path, name: &str) -> PathBuf {
    let folder = data.with_file_name(name);
    snapshot(data, &["pull", path(&folder)]);
    folder
}

fn digest_of(data: &Path, folder: &Path) -> Value {
    let out = data.with_file_name("packed");
    snapshot(data, &["pack", path(folder), "--out", path(&out)])["digest"].clone()
}

fn record(list: &mut [Value], id: &str) -> usize {
    list.iter().position(|record| record["id"] == id).expect("the record")
}

fn set(folder: &Path, file: &str, id: &str, field: &str, value: Value) {
    edit(folder, file, |list| {
        let at = record(list, id);
        list[at][field] = value;
    });
}

fn get_field(folder: &Path, file: &str, id: &str, field: &str) -> Value {
    let text = std::fs::read_to_string(folder.join(file)).expect("a file");
    let list: Vec<Value> = serde_json::from_str(&text).expect("JSON");
    list.iter().find(|record| record["id"] == id).map_or(Value::Null, |record| record[field].clone())
}

fn shows(service: &Service, key: &str, action: &str, id: &str) -> bool {
    let one = if action == "search_places" { "get_place" } else { "get_event" };
    let status = service.ask(key, json!({"action": one, "id": id})).status;
    assert!([200, 404].contains(&status), "{id}: {status}");
    let mut found = service.good(key, json!({"action": action, "limit": 50}));
    let mut listed = ids(&found);
    while let Some(next) = found["next_cursor"].as_str() {
        found = service.good(key, json!({"action": action, "limit": 50, "cursor": next}));
        listed.extend(ids(&found));
    }
    status == 200 || listed.iter().any(|shown| shown == id)
}

fn waits(service: &Service, key: &str, (action, id): (&str, &str), shown: bool) -> Duration {
    let started = Instant::now();
    while shows(service, key, action, id) != shown {
        assert!(started.elapsed() < SOON, "{id}: {}", service.log());
        thread::sleep(Duration::from_millis(20));
    }
    started.elapsed()
}

/// Adds an event on each Sunday.
fn with_sundays(folder: &Path) {
    edit(folder, "events.json", |events| {
        events.push(json!({
            "id": "roda", "name": "Roda", "region": "Plano Piloto", "category": "jazz", "start_time": "19:00",
            "repeat": {"rule": "FREQ=WEEKLY;BYDAY=SU"},
        }));
    });
}

#[test]
fn a_pulled_guide_packs_to_the_same_digest() {
    let home = tempfile::tempdir().expect("a folder");
    let data = home.path().join("data");
    let folder = guide(&data, 1);
    with_sundays(&folder);
    let first = publish(&data, &folder, &["--data", path(&data)]);
    assert!(first["events"].as_u64().is_some_and(|events| events > 50), "dated events: {first}");
    let again = pulled(&data, "again");
    printed(&run(&data, &["snapshot", "check", path(&again)]), 0);
    assert_eq!(digest_of(&data, &again), first["digest"]);
    assert_eq!(get_field(&again, "events.json", "roda", "repeat")["rule"], "FREQ=WEEKLY;BYDAY=SU");

    // an hour of a weekly event is one line
    set(&again, "events.json", "roda", "start_time", json!("20:00"));
    let text =
        printed(&run(&data, &["snapshot", "diff", first["digest"].as_str().expect("text"), path(&again)]), 0);
    assert!(text.contains("events: 0 added, 0 removed, 1 changed"), "{text}");
    assert!(text.contains("start_time: \"19:00\" -> \"20:00\""), "{text}");

    // work that was not published is not written over
    let said = errors(&data, &["pull", path(&again)], 1);
    assert!(said.contains("is not empty"), "{said}");
    publish(&data, &again, &[]);
    snapshot(&data, &["pull", first["digest"].as_str().expect("text"), path(&again)]);
    assert_eq!(digest_of(&data, &again), first["digest"]);
    let said = errors(&data, &["pull", path(&folder.join("..").join("data"))], 1);
    assert!(said.contains("is not empty"), "{said}");
}

#[test]
fn a_colleagues_work_is_merged_or_refused_and_never_lost() {
    let home = tempfile::tempdir().expect("a folder");
    let data = home.path().join("data");
    let folder = guide(&data, 1);
    publish(&data, &folder, &[]);
    let (ana, rui) = (pulled(&data, "ana"), pulled(&data, "rui"));
    set(&ana, "places.json", "place-1", "style", json!("padaria artesanal"));
    set(&ana, "places.json", "place-2", "aliases", json!(["Da Ana"]));
    publish(&data, &ana, &[]);

    set(&rui, "places.json", "place-2", "aliases", json!(["Do Rui"]));
    edit(&rui, "places.json", |places| places.retain(|place| place["id"] != "place-3"));
    set(&rui, "events.json", "event-1", "price", json!("R$ 20"));
    let before = std::fs::read(rui.join("places.json")).expect("a file");
    let said = printed(&run(&data, &["snapshot", "publish", path(&rui)]), 1);
    for part in
        ["What they changed", "padaria artesanal", "What you changed", "R$ 20", "Nothing collides", "--merge"]
    {
        assert!(said.contains(part), "{part} in {said}");
    }
    let answer = refused(&data, &["publish", path(&rui)]);
    assert_eq!((&answer["ok"], &answer["collisions"]), (&json!(false), &json!([])));
    assert_eq!(std::fs::read(rui.join("places.json")).expect("a file"), before);

    let merged = publish(&data, &rui, &["--merge"]);
    assert_eq!((&merged["serial"], &merged["merged"]), (&json!(3), &json!(true)));
    assert_eq!(digest_of(&data, &rui), merged["digest"]);
    assert_eq!(get_field(&rui, "places.json", "place-1", "style"), "padaria artesanal");
    assert_eq!(get_field(&rui, "places.json", "place-3", "name"), Value::Null);
    let both = get_field(&rui, "places.json", "place-2", "aliases");
    let mut both: Vec<&str> = both.as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    both.sort_unstable();
    assert_eq!(both, ["Da Ana", "Do Rui"]);
    let text = std::fs::read_to_string(rui.join("places.json")).expect("a file");
    assert!(text.lines().count() > 100, "written to be read");

    // both change one field
    set(&ana, "places.json", "place-1", "style", json!("da Ana"));
    set(&ana, "places.json", "place-4", "uau", json!(true));
    set(&rui, "places.json", "place-1", "style", json!("do Rui"));
    publish(&data, &rui, &[]);
    let before = std::fs::read(ana.join("places.json")).expect("a file");
    let answer = refused(&data, &["publish", path(&ana), "--merge"]);
    assert_eq!(
        answer["collisions"],
        json!([{
            "file": "places.json", "id": "place-1", "field": "style",
            "base": "padaria artesanal", "mine": "da Ana", "theirs": "do Rui",
        }])
    );
    assert_eq!(std::fs::read(ana.join("places.json")).expect("a file"), before, "nothing changed");
    let list = snapshot(&data, &["list"]);
    assert_eq!(list["publications"][0]["serial"], 4, "nothing is published");
    set(&ana, "places.json", "place-1", "style", json!("do Rui"));
    publish(&data, &ana, &["--merge"]);
    assert_eq!(get_field(&ana, "places.json", "place-4", "uau"), true);

    // a folder without a base is compared as a whole, and told so
    std::fs::remove_file(rui.join(".candango.json")).expect("removed");
    set(&rui, "places.json", "place-5", "uau", json!(true));
    let said = errors(&data, &["publish", path(&rui)], 0);
    assert!(said.contains("cannot be seen") && said.contains("snapshot pull"), "{said}");
}

#[test]
fn force_gives_up_records_and_never_a_colleagues_work() {
    let home = tempfile::tempdir().expect("a folder");
    let data = home.path().join("data");
    publish(&data, &guide(&data, 1), &[]);
    let (ana, rui) = (pulled(&data, "ana"), pulled(&data, "rui"));
    edit(&rui, "places.json", |places| {
        places.retain(|place| place["id"].as_str().is_some_and(|id| !id.starts_with("place-1")));
    });
    let said = printed(&run(&data, &["snapshot", "publish", path(&rui)]), 1);
    assert!(
        said.contains("11 records would vanish (place-1, place-10, ") && said.contains("--force"),
        "{said}"
    );
    // between the refusal and what it says to write
    set(&ana, "places.json", "place-2", "style", json!("padaria artesanal"));
    publish(&data, &ana, &[]);
    let force = ["--force", "--reason", "closed"];
    let said = printed(&run(&data, &[&["snapshot", "publish", path(&rui)], &force[..]].concat()), 1);
    for part in ["What they changed", "padaria artesanal", "--merge", "--over"] {
        assert!(said.contains(part), "{part} in {said}");
    }
    assert_eq!(snapshot(&data, &["list"])["publications"][0]["serial"], 2, "nothing is published");
    let merged = publish(&data, &rui, &[&["--merge"], &force[..]].concat());
    assert_eq!((&merged["serial"], &merged["merged"]), (&json!(3), &json!(true)));
    assert_eq!(get_field(&rui, "places.json", "place-2", "style"), "padaria artesanal");
    assert_eq!(get_field(&rui, "places.json", "place-1", "name"), Value::Null);

    // knowingly
    set(&ana, "places.json", "place-5", "category", json!("museu"));
    let both = ["snapshot", "publish", path(&ana), "--over", "--merge"];
    assert_eq!(run(&data, &both).status.code(), Some(2));
    let over = publish(&data, &ana, &["--over"]);
    assert_eq!((&over["serial"], &over["merged"]), (&json!(4), &json!(false)));
    assert_eq!(get_field(&pulled(&data, "live"), "places.json", "place-1", "name"), "place 1 v1");

    // the last one of a category
    edit(&ana, "places.json", |places| places.retain(|place| place["id"] != "place-5"));
    let said = printed(&run(&data, &["snapshot", "publish", path(&ana)]), 1);
    assert!(said.contains("1 record would vanish (place-5)") && said.contains("museu"), "{said}");
    assert_eq!(refused(&data, &["publish", path(&ana)])["vanishing"], json!(["place-5"]));
}

#[test]
fn a_sheet_that_may_be_older_than_a_pulled_folder_says_what_it_changes() {
    let home = tempfile::tempdir().expect("a folder");
    let (data, folder) = (home.path().join("data"), home.path().join("guide"));
    demo_copy(&folder);
    edit(&folder, "events.json", Vec::clear);
    edit(&folder, "places.json", |places| {
        let place = |id: &str, name: &str, price: &str| {
            json!({"id": id, "name": name, "region": "Plano Piloto", "neighbourhood": "Asa Norte",
                "category": "bar", "price": price})
        };
        *places = vec![place("bar", "Bar", "R$ 65"), place("outro", "Outro", "R$ 10")];
    });
    let sheet = home.path().join("lugares.csv");
    let rows = "bar;Bar;bar;Asa Norte;R$ 60\noutro;Outro;bar;Asa Norte;R$ 10\n";
    std::fs::write(&sheet, format!("id;nome;categoria;bairro;preço\n{rows}")).expect("a sheet");
    let words = ["snapshot", "import", path(&sheet), "--into", path(&folder), "--lang", "pt"];
    let said = printed(&run(&data, &words), 0);
    for part in [
        "a planilha muda 1 registro dela: bar (preço)",
        "lugares.csv: 2 linhas lidas",
        "2 lugares: 0 novos, 0 a menos, 1 mudado",
        "A pasta foi atualizada.",
    ] {
        assert!(said.contains(part), "{part} in {said}");
    }
    let said = printed(&run(&data, &words), 0);
    assert!(said.contains("0 mudados") && said.contains("Nada mudou"), "{said}");
    assert!(!said.contains("a planilha muda"), "it is from the sheet now: {said}");
    // what cannot be opened is told in the language that was asked for
    let missing = ["snapshot", "import", "nenhum.xlsx", "--into", path(&folder), "--lang", "pt"];
    let said = printed(&run(&data, &missing), 1);
    assert!(said.contains("o arquivo não existe"), "{said}");
}

#[test]
fn a_spreadsheet_undoes_nothing_that_others_changed() {
    let home = tempfile::tempdir().expect("a folder");
    let (data, folder) = (home.path().join("data"), home.path().join("guide"));
    demo_copy(&folder);
    // those of the demo are at its places, which the sheet does not list
    edit(&folder, "events.json", Vec::clear);
    let sheet = home.path().join("lugares.csv");
    let write = |rows: &str| {
        std::fs::write(&sheet, format!("id;nome;categoria;bairro;preço\n{rows}")).expect("a sheet")
    };
    let import = |flags: &[&str]| {
        let words =
            [&["snapshot", "import", path(&sheet), "--into", path(&folder), "--lang", "pt"], flags].concat();
        let output = run(&data, &words);
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let price = |id: &str| get_field(&folder, "places.json", id, "price");
    write("bar;Bar;bar;Asa Norte;R$ 60\ncafe;Café;cafe;Asa Sul;R$ 10\n");
    assert_eq!(import(&[]).0, Some(0));
    // as a merge of what a colleague published writes it
    set(&folder, "places.json", "bar", "price", json!("R$ 65"));
    set(&folder, "places.json", "cafe", "price", json!("R$ 12"));
    edit(&folder, "places.json", |places| {
        places.push(json!({"id": "nova", "name": "Nova", "region": "Plano Piloto", "category": "bar"}));
    });
    write("bar;Bar;bar;Asa Norte;R$ 60\ncafe;Café;cafe;Asa Sul;R$ 15\n");
    let (code, said) = import(&[]);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!((price("bar"), price("cafe")), (json!("R$ 65"), json!("R$ 15")), "{said}");
    assert_eq!(get_field(&folder, "places.json", "nova", "name"), "Nova");
    assert!(
        said.contains("R$ 65") && said.contains("e foi mantido") && said.contains("e a planilha também"),
        "{said}"
    );
    // a second import says so again, and what was sent on purpose wins
    assert!(import(&[]).1.contains("e foi mantido"));
    assert_eq!((import(&["--over"]).0, price("bar")), (Some(0), json!("R$ 60")));
    // a sheet without rows is most often the wrong one
    write("");
    let (code, said) = import(&[]);
    assert!(code == Some(1) && said.contains("a planilha não tem linhas"), "{said}");
    // and no server takes a guide without a record
    assert_eq!((import(&["--over"]).0, price("bar")), (Some(1), json!("R$ 60")));
}

#[test]
fn a_record_is_hidden_as_soon_as_the_depot_can_be_read_when_the_local_copy_is_damaged() {
    let service = Service::start();
    let (data, key) = (service.data.clone(), service.key("pro"));
    publish(&data, &guide(&data, 1), &[]);
    service.serves(1);
    let copies =
        || std::fs::read_dir(data.join("last-good")).into_iter().flatten().flatten().map(|file| file.path());
    let is_snapshot = |file: &PathBuf| file.extension().is_some_and(|extension| extension == "zst");
    awaited("a copy", SOON, || copies().any(|file| is_snapshot(&file)).then_some(()));
    for copy in copies().filter(is_snapshot) {
        std::fs::write(copy, "damaged").expect("written");
    }
    // hidden in a copy of the depot, as a hiding in one without its snapshots is refused
    let (depot, copy) = (data.join("depot"), data.join("copy"));
    let copied = std::process::Command::new("cp").arg("-r").args([&depot, &copy]).status().expect("cp runs");
    assert!(copied.success());
    let reason = ["hide", "place-1", "--reason", "closed", "--depot"];
    snapshot(&data, &[&reason[..], &[path(&copy)]].concat());
    let (stored, away) = (depot.join("snapshots"), data.join("away"));
    std::fs::rename(&stored, &away).expect("moved");
    std::fs::copy(copy.join("hidden.json"), depot.join("hidden.json")).expect("copied");
    awaited("the failure", SOON, || service.readiness()["publish_error"].is_string().then_some(()));
    std::fs::rename(&away, &stored).expect("moved back");
    awaited("the end of the record", SOON, || {
        (!shows(&service, &key, "search_places", "place-1")).then_some(())
    });
}

#[test]
fn what_is_no_snapshot_folder_is_told_with_the_way_to_one() {
    let home = tempfile::tempdir().expect("a folder");
    let (data, sheet) = (home.path().join("data"), home.path().join("guia.xlsx"));
    std::fs::write(&sheet, "PK").expect("a sheet");
    let nowhere = home.path().join("nowhere");
    for command in ["check", "pack", "publish"] {
        let said = errors(&data, &[command, path(&nowhere)], 1);
        assert!(said.contains("there is no folder") && said.contains("snapshot init"), "{command}: {said}");
        let said = errors(&data, &[command, path(&sheet)], 1);
        assert!(said.contains("is a spreadsheet") && said.contains("snapshot import"), "{command}: {said}");
    }
}

#[test]
fn what_is_in_service_is_not_published_again() {
    let home = tempfile::tempdir().expect("a folder");
    let (data, folder) = (home.path().join("data"), home.path().join("guide"));
    demo_copy(&folder);
    let publish = |flags: &[&str]| snapshot(&data, &[&["publish", path(&folder)], flags].concat());
    let first = publish(&[]);
    assert_eq!((&first["serial"], &first["unchanged"]), (&json!(1), &json!(false)));
    let again = publish(&["--note", "the same"]);
    assert_eq!((&again["serial"], &again["unchanged"]), (&json!(1), &json!(true)));
    assert_eq!(publish(&["--force", "--reason", "once more"])["serial"], json!(2));
    // an earlier publication is no change of its own
    let old = pulled(&data, "old");
    set(&folder, "places.json", "memorial-jk", "style", json!("outro"));
    assert_eq!(publish(&[])["serial"], json!(3));
    let text = printed(&run(&data, &["snapshot", "publish", path(&old)]), 0);
    assert!(text.contains("nothing to publish") && text.contains("snapshot rollback"), "{text}");
    assert!(text.contains(&format!("snapshot publish {} --merge", path(&old))), "{text}");
    let behind = snapshot(&data, &["publish", path(&old)]);
    assert_eq!((&behind["unchanged"], &behind["behind"]), (&json!(true), &json!(true)));
    let caught = snapshot(&data, &["publish", path(&old), "--merge"]);
    assert_eq!(
        (&caught["serial"], &caught["unchanged"], &caught["caught_up"]),
        (&json!(3), &json!(true), &json!(true))
    );
    assert_eq!(get_field(&old, "places.json", "memorial-jk", "style"), "outro");
    assert_eq!(
        snapshot(&data, &["publish", path(&old)])["behind"],
        Value::Null,
        "it began from the live one"
    );
    // what was taken back has to be corrected
    snapshot(&data, &["rollback", "--previous"]);
    for merge in [&[][..], &["--merge"]] {
        let text = errors_or_output(&data, &[&["publish", path(&old)], merge].concat());
        assert!(
            text.contains("without a change of its own") && text.contains("a rollback took it"),
            "{text}"
        );
    }
    assert_eq!(get_field(&folder, "places.json", "memorial-jk", "style"), "outro");
}

#[test]
fn a_sheet_that_has_not_changed_is_nothing_to_publish_after_a_colleagues_publication() {
    let home = tempfile::tempdir().expect("a folder");
    let (data, folder) = (home.path().join("data"), home.path().join("guide"));
    demo_copy(&folder);
    let sheet = home.path().join("lugares.csv");
    fs::write(&sheet, "nome;categoria;bairro;id\nBar Azul;bar;Asa Norte;bar-azul\n").expect("a sheet");
    let words = ["import", path(&sheet), "--into", path(&folder)];
    fs::write(folder.join("events.json"), "[]").expect("written");
    let import = || assert_eq!(snapshot(&data, &words)["ok"], true);
    import();
    snapshot(&data, &["publish", path(&folder)]);
    let colleague = pulled(&data, "colleague");
    edit(&colleague, "places.json", |places| {
        let mut other = places[0].clone();
        other["id"] = json!("bar-verde");
        other["name"] = json!("Bar Verde");
        places.push(other);
    });
    snapshot(&data, &["publish", path(&colleague)]);
    for _ in 0..2 {
        import();
        assert_eq!(snapshot(&data, &["publish", path(&folder)])["behind"], true);
    }
    snapshot(&data, &["publish", path(&folder), "--merge"]);
    import();
    assert_eq!(snapshot(&data, &["publish", path(&folder)])["serial"], 2);
    assert_eq!(get_field(&folder, "places.json", "bar-verde", "name"), "Bar Verde");
}

#[test]
fn a_command_makes_no_store_where_no_server_has_run() {
    let home = tempfile::tempdir().expect("a folder");
    let data = home.path().join("typo");
    let file = home.path().join("backup.zst");
    for words in [&["backup", path(&file)][..], &["account", "list"], &["report"], &["audit"]] {
        let output = run(&data, words);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            output.status.code() == Some(1) && text.contains("no server has run in this folder"),
            "{words:?}: {text}"
        );
    }
    assert!(!data.exists() && !file.exists());
    // nor beside other files of a server
    std::fs::create_dir(&data).expect("a folder");
    for words in [&["backup", path(&file)][..], &["account", "list"], &["audit"]] {
        let output = run(&data, words);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(1) && text.contains("its store is gone"), "{words:?}: {text}");
    }
    assert!(!data.join("candango.db").exists() && !file.exists());
}

#[test]
fn what_two_publish_at_once_is_shown_as_a_colleagues_work_and_the_log_says_what_failed() {
    let service = Service::start();
    let data = service.data.clone();
    publish(&data, &guide(&data, 1), &[]);
    let (ana, rui) = (pulled(&data, "ana"), pulled(&data, "rui"));
    set(&ana, "places.json", "place-1", "style", json!("da Ana"));
    set(&rui, "places.json", "place-2", "style", json!("do Rui"));
    // both have read what is in service before one of them can publish
    let lock = fs::File::options().write(true).open(data.join("depot/current.lock")).expect("the lock");
    lock.lock().expect("locked");
    let inode = format!(":{} ", lock.metadata().expect("known").ino());
    let publications: Vec<_> = [&ana, &rui]
        .map(|folder| {
            let (data, folder) = (data.clone(), folder.clone());
            thread::spawn(move || run(&data, &["snapshot", "publish", path(&folder)]))
        })
        .into_iter()
        .collect();
    awaited("both wait for the depot", SOON, || {
        let locks = fs::read_to_string("/proc/locks").expect("the locks");
        let waiting = locks.lines().filter(|line| line.contains("->") && line.contains(&inode));
        (waiting.count() == 2).then_some(())
    });
    lock.unlock().expect("unlocked");
    let done: Vec<_> = publications.into_iter().map(|one| one.join().expect("it ends")).collect();
    let failed: Vec<_> = done.iter().filter(|output| output.status.code() == Some(1)).collect();
    assert_eq!(failed.len(), 1, "one of the two: {done:?}");
    let said = printed(failed[0], 1);
    for part in ["What they changed", "What you changed", "Nothing collides: publish with --merge"] {
        assert!(said.contains(part), "{part} in {said}");
    }
    let log = printed_json(&run(&data, &["audit", "--json"]), 0);
    let details: Vec<&str> =
        log.as_array().expect("a list").iter().filter_map(|entry| entry["detail"].as_str()).collect();
    assert!(details.last().is_some_and(|detail| detail.starts_with("failed")), "{details:?}");
    for folder in [&ana, &rui] {
        run(&data, &["snapshot", "publish", path(folder), "--merge"]);
    }
    let live = pulled(&data, "live");
    assert_eq!(get_field(&live, "places.json", "place-1", "style"), "da Ana");
    assert_eq!(get_field(&live, "places.json", "place-2", "style"), "do Rui");

    // and so of what could not be hidden
    fs::create_dir(data.join("depot/hidden.json.part")).expect("a folder");
    errors(&data, &["hide", "place-3", "--reason", "closed"], 1);
    let log = printed_json(&run(&data, &["audit", "--json"]), 0);
    let last = log.as_array().and_then(|log| log.last()).expect("an entry");
    assert_eq!(last["action"], "snapshot hide");
    assert!(last["detail"].as_str().is_some_and(|detail| detail.starts_with("failed")), "{last}");
}

#[test]
fn a_name_hides_the_only_record_that_has_it() {
    let service = Service::start();
    let data = service.data.clone();
    let folder = guide(&data, 1);
    with_sundays(&folder);
    edit(&folder, "places.json", |places| {
        for (at, name, part) in
            [(0, "Bar do Zé", "Asa Norte"), (1, "Bar do Zé", "Asa Sul"), (2, "Café Único", "Asa Sul")]
        {
            places[at]["name"] = json!(name);
            places[at]["neighbourhood"] = json!(part);
        }
    });
    publish(&data, &folder, &[]);
    let said = printed(&run(&data, &["snapshot", "hide", "cafe unico", "--reason", "closed"]), 0);
    assert!(said.contains("the place place-2 (cafe unico) is hidden"), "{said}");
    assert_eq!(snapshot(&data, &["hide", "Roda", "--reason", "rain"])["id"], "roda");
    let said = errors(&data, &["hide", "Bar do Zé", "--reason", "x"], 1);
    for part in ["several records", "place-0  Bar do Zé, Asa Norte", "place-1  Bar do Zé, Asa Sul"] {
        assert!(said.contains(part), "{part} in {said}");
    }
    let said = errors(&data, &["hide", "Bar do Zeca", "--reason", "x"], 1);
    assert!(said.contains("near are") && said.contains("place-0  Bar do Zé, Asa Norte"), "{said}");
    let said = errors(&data, &["unhide", "Bar do Zé"], 1);
    assert!(said.contains("is not hidden") && said.contains("place-2"), "{said}");
    assert_eq!(snapshot(&data, &["unhide", "Café Único"])["id"], "place-2");
    assert_eq!(snapshot(&data, &["unhide", "roda"])["hidden"], json!({}));
}

#[test]
fn commands_of_snapshots_speak_the_language_that_was_asked_for() {
    let home = tempfile::tempdir().expect("a folder");
    let data = home.path().join("data");
    let folder = guide(&data, 1);
    publish(&data, &folder, &[]);
    let said = |words: &[&str]| {
        let output = run(&data, &[&["snapshot", "--lang", "pt"], words].concat());
        String::from_utf8([output.stdout, output.stderr].concat()).expect("text")
    };
    assert!(said(&["list"]).contains("<- no ar"));
    assert!(said(&["publish", path(&folder)]).contains("nada mudou: no ar como publicação 1"));
    assert!(said(&["diff", path(&folder)]).contains("nenhuma diferença"));
    assert!(said(&["hide", "nada disso", "--reason", "x"]).contains("nenhum lugar, evento ou data"));
    let (ana, rui) = (pulled(&data, "ana"), pulled(&data, "rui"));
    set(&ana, "places.json", "place-1", "style", json!("padaria"));
    publish(&data, &ana, &[]);
    set(&rui, "places.json", "place-2", "style", json!("padaria"));
    let unmerged = said(&["publish", path(&rui)]);
    for part in
        ["não publicado", "O que outros mudaram", "lugares: 0 a mais, 0 a menos, 1 mudados", "--merge"]
    {
        assert!(unmerged.contains(part), "{part} in {unmerged}");
    }
    edit(&ana, "places.json", |places| places.truncate(10));
    let lost = said(&["publish", path(&ana)]);
    assert!(
        lost.contains("os lugares caem de 30 para 10") && lost.contains("Se está certo: --force"),
        "{lost}"
    );
    set(&ana, "places.json", "place-1", "category", json!("padarria"));
    set(&ana, "places.json", "place-10", "region", json!("Nada"));
    let broken = said(&["check", path(&ana)]);
    for part in ["não é uma categoria conhecida; seria", "não é uma região conhecida; use o nome"] {
        assert!(broken.contains(part), "{part} in {broken}");
    }
    // the environment says it too, and English stays the language of others
    let words = ["snapshot", "check", path(&ana)];
    let of_locale = program(&data).env("LANG", "pt_BR.UTF-8").args(words).output().expect("runs");
    assert!(printed(&of_locale, 1).contains("não é uma categoria conhecida"));
    assert!(printed(&run(&data, &words), 1).contains("is not a known category"));
}

#[test]
fn a_place_that_is_not_shown_is_told_and_so_is_an_event_there() {
    let home = tempfile::tempdir().expect("a folder");
    let data = home.path().join("data");
    let folder = guide(&data, 1);
    set(&folder, "places.json", "place-1", "show_until", json!("2020-01-01"));
    set(&folder, "places.json", "place-2", "show_from", json!("2039-01-01"));
    set(&folder, "places.json", "place-3", "hidden", json!(true));
    set(&folder, "events.json", "event-1", "place", json!("place-1"));
    set(&folder, "events.json", "event-2", "place", json!("place-3"));
    let output = run(&data, &["snapshot", "check", path(&folder)]);
    let (out, told) = (printed(&output, 0), String::from_utf8_lossy(&output.stderr).into_owned());
    assert!(out.contains("30 places (27 shown today)"), "{out}");
    for part in [
        "place-1: show_until: is no longer shown: its last day was 2020-01-01",
        "place-2: show_from: is shown only from 2039-01-01 on",
        "event-1: place: the place \"place 1 v1\" is shown only until 2020-01-01",
        "event-2: place: the place \"place 3 v1\" is hidden",
    ] {
        assert!(told.contains(part), "{part} in {told}");
    }
    assert!(!told.contains("place-3: "), "who hides a place means it: {told}");
    assert_eq!(snapshot(&data, &["check", path(&folder)])["shown_today"]["places"], 27);
}

/// What a command that fails with 1 says.
fn errors_or_output(data: &Path, words: &[&str]) -> String {
    let output = run(data, &[&["snapshot"], words].concat());
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    assert_eq!(output.status.code(), Some(1), "{text}");
    text
}

#[test]
fn a_hidden_record_is_gone_from_every_server() {
    hides_within(SOON);
}

#[test]
#[ignore = "needs a machine that does nothing else"]
fn a_hidden_record_is_gone_from_every_server_within_two_seconds() {
    hides_within(HIDDEN_WITHIN);
}

fn hides_within(bound: Duration) {
    let home = tempfile::tempdir().expect("a folder");
    let data = home.path().join("data");
    let depot = home.path().join("depot");
    let setting = format!("depot={}", path(&depot));
    let on = ["--depot", path(&depot)];
    let folder = guide(&data, 1);
    with_sundays(&folder);
    publish(&data, &folder, &on);
    let (mut one, two) = (Service::start_with(&[&setting]), Service::start_with(&[&setting]));
    let servers = |one: &Service| [one.key("pro"), two.key("pro")];
    let keys = servers(&one);
    let first_sunday = |service: &Service, key: &str| {
        let shown = ids(&service.good(key, json!({"action": "search_events", "limit": 50})));
        shown.into_iter().find(|id| id.starts_with("roda-")).expect("a date")
    };
    let sunday = first_sunday(&one, &keys[0]);
    let hide =
        |id: &str, reason: &str| snapshot(&data, &[&["hide", id, "--reason", reason][..], &on].concat());

    for (action, id) in
        [("search_places", "place-7"), ("search_events", "event-1"), ("search_events", &sunday)]
    {
        assert!(shows(&one, &keys[0], action, id));
        let page = if action == "search_places" { "/places" } else { "/events" };
        get(one.listen, page);
        let started = Instant::now();
        hide(id, "closed");
        let of_command = started.elapsed();
        for (service, key) in [(&one, &keys[0]), (&two, &keys[1])] {
            waits(service, key, (action, id), false);
        }
        let took = started.elapsed() - of_command;
        assert!(took < bound, "{id}: {took:?}");
    }
    let day: NaiveDate = sunday.strip_prefix("roda-").and_then(|day| day.parse().ok()).expect("a day");
    let next = format!("roda-{}", day + Days::new(7));
    assert!(shows(&one, &keys[0], "search_events", &next), "the other dates are shown");
    assert_eq!(one.readiness()["snapshot"]["serial"], 1, "it is no publication");
    let said = errors(&data, &[&["hide", "place-777", "--reason", "x"][..], &on].concat(), 1);
    assert!(said.contains("place-7"), "{said}");
    assert_eq!(run(&data, &[&["snapshot", "hide", "place-1"][..], &on].concat()).status.code(), Some(2));

    // the next publications keep it
    set(&folder, "places.json", "place-1", "uau", json!(true));
    let next = publish(&data, &folder, &on);
    assert_eq!(next["hidden"].as_object().map(serde_json::Map::len), Some(3));
    assert_eq!(next["hidden"]["place-7"]["reason"], "closed");
    one.serves(2);
    assert!(!shows(&one, &keys[0], "search_places", "place-7"));
    let text = printed(&run(&data, &[&["snapshot", "list"][..], &on].concat()), 0);
    assert!(text.contains("hidden: place-7  “closed”"), "{text}");

    // a server without the depot hides it too
    let own = one.data.clone();
    let kept = one.kill();
    let away = home.path().join("away");
    std::fs::rename(&depot, &away).expect("moved");
    one = Service::start_on_with(&own, &[&setting]);
    assert!(!shows(&one, &keys[0], "search_places", "place-7"));
    assert!(!shows(&one, &keys[0], "search_events", &sunday));
    std::fs::remove_dir_all(&depot).expect("removed");
    std::fs::rename(&away, &depot).expect("moved");

    // until a publication says otherwise; what is gone may come back
    set(&folder, "places.json", "place-7", "hidden", json!(false));
    edit(&folder, "events.json", |events| events.retain(|event| event["id"] != "event-1"));
    let next = publish(&data, &folder, &[&on[..], &["--force", "--reason", "one of four is gone"]].concat());
    assert_eq!(next["shown_again"], json!(["place-7"]));
    assert_ne!(next["hidden"]["event-1"]["gone_at"], Value::Null);
    assert_eq!(
        next["hidden"].as_object().map(|hidden| hidden.keys().cloned().collect::<Vec<_>>()),
        Some(vec!["event-1".to_owned(), sunday.clone()])
    );
    for (service, key) in [(&one, &keys[0]), (&two, &keys[1])] {
        waits(service, key, ("search_places", "place-7"), true);
    }
    assert!(!shows(&two, &keys[1], "search_events", &sunday));
    drop(kept);
}

#[test]
fn a_hiding_outlasts_a_sheet_that_says_of_every_record_that_it_is_not_hidden() {
    let home = tempfile::tempdir().expect("a folder");
    let data = home.path().join("data");
    let folder = guide(&data, 1);
    edit(&folder, "places.json", |places| places.iter_mut().for_each(|place| place["hidden"] = json!(false)));
    publish(&data, &folder, &[]);
    snapshot(&data, &["hide", "place-7", "--reason", "closed"]);
    set(&folder, "places.json", "place-1", "uau", json!(true));
    let next = publish(&data, &folder, &[]);
    assert_eq!((&next["shown_again"], &next["hidden"]["place-7"]["reason"]), (&json!([]), &json!("closed")));
    set(&folder, "places.json", "place-7", "hidden", json!(true));
    assert_eq!(publish(&data, &folder, &[])["shown_again"], json!(["place-7"]), "its own word from now on");
}

#[test]
fn a_hiding_outlasts_a_row_that_was_lost_and_the_rollback_after_it() {
    let home = tempfile::tempdir().expect("a folder");
    let (data, folder) = (home.path().join("data"), home.path().join("guide"));
    demo_copy(&folder);
    snapshot(&data, &["publish", path(&folder)]);
    snapshot(&data, &["hide", "memorial-jk", "--reason", "closed"]);
    edit(&folder, "places.json", |places| places.retain(|place| place["id"] != "memorial-jk"));
    let lost = snapshot(&data, &["publish", path(&folder)]);
    assert_eq!(
        (&lost["shown_again"], &lost["hidden"]["memorial-jk"]["reason"]),
        (&json!([]), &json!("closed"))
    );
    assert!(
        printed(&run(&data, &["snapshot", "list"]), 0)
            .contains("it is gone from the guide, and hidden should it")
    );
    let back = snapshot(&data, &["rollback", "--previous"]);
    let hidden = &back["hidden"]["memorial-jk"];
    assert_eq!((&hidden["reason"], &hidden["gone_at"]), (&json!("closed"), &Value::Null));
}

#[test]
fn a_hiding_is_taken_back_and_what_is_hidden_does_not_vanish() {
    let home = tempfile::tempdir().expect("a folder");
    let data = home.path().join("data");
    let folder = guide(&data, 1);
    set(&folder, "places.json", "place-7", "category", json!("samba"));
    publish(&data, &folder, &[]);
    assert!(errors(&data, &["unhide", "place-7"], 1).contains("nothing is hidden"));
    snapshot(&data, &["hide", "place-7", "--reason", "closed"]);
    assert!(errors(&data, &["unhide", "place-8"], 1).contains("place-7"), "what is hidden is named");
    // the only record of its category was hidden before
    set(&folder, "places.json", "place-7", "hidden", json!(true));
    assert_eq!(publish(&data, &folder, &[])["ok"], true);
    snapshot(&data, &["hide", "place-9", "--reason", "closed"]);
    assert_eq!(snapshot(&data, &["unhide", "place-9"])["hidden"], json!({}));
}

#[test]
fn a_record_is_served_when_the_folder_says_so() {
    let service = Service::start();
    let (data, key) = (service.data.clone(), service.key("pro"));
    let folder = guide(&data, 1);
    set(&folder, "places.json", "place-1", "hidden", json!(true));
    set(&folder, "places.json", "place-2", "show_from", json!("2099-01-01"));
    set(&folder, "places.json", "place-3", "show_until", json!("2020-01-01"));
    set(&folder, "places.json", "place-4", "show_from", json!("2020-01-01"));
    let published = publish(&data, &folder, &[]);
    assert_eq!(published["places"], 27);
    service.serves(1);
    let answer = service.good(&key, json!({"action": "search_places", "limit": 50}));
    assert_eq!(answer["total"], 27);
    let text = answer.to_string();
    assert!(!text.contains("show_from") && !text.contains("\"hidden\""), "{text}");
    assert!(shows(&service, &key, "search_places", "place-4"));
    let again = pulled(&data, "again");
    assert_eq!(get_field(&again, "places.json", "place-1", "hidden"), true, "it is kept");
}

#[test]
fn publish_waits_until_the_servers_serve_it() {
    let service = Service::start();
    let data = service.data.clone();
    let folder = guide(&data, 1);
    let wait_for_report = || {
        let started = Instant::now();
        while snapshot(&data, &["list"])["servers"].as_array().is_none_or(Vec::is_empty) {
            assert!(started.elapsed() < SOON, "{}", service.log());
            thread::sleep(Duration::from_millis(20));
        }
    };
    wait_for_report();
    let done = publish(&data, &folder, &["--wait=60"]);
    assert_eq!((&done["missing"], done["serving"].as_array().map(Vec::len)), (&json!([]), Some(1)));
    assert_eq!(service.readiness()["snapshot"]["serial"], 1);
    let text = printed(&run(&data, &["snapshot", "list"]), 0);
    let id = done["serving"][0].as_str().expect("an id");
    assert!(text.contains(&format!("<- in service  on {id}")), "{text}");

    service.signal("-STOP");
    let late = refused(&data, &["publish", path(&guide(&data, 2)), "--wait=1"]);
    assert_eq!((&late["ok"], &late["serial"], &late["missing"]), (&json!(false), &json!(2), &json!([id])));
    let said = printed(&run(&data, &["snapshot", "publish", path(&guide(&data, 3)), "--wait=1"]), 1);
    assert!(said.contains("do not serve it") && said.contains(id), "{said}");
    service.signal("-CONT");
    service.serves(3);

    // serials begin again where the pointer was lost
    service.signal("-STOP");
    fs::remove_file(data.join("depot/current.json")).expect("removed");
    let fourth = guide(&data, 4);
    let words = ["publish", path(&fourth), "--over", "--force", "--reason", "a test", "--wait=1"];
    let late = refused(&data, &words);
    assert_eq!((&late["serial"], &late["missing"]), (&json!(1), &json!([id])));
    service.signal("-CONT");

    // nobody to wait for
    let home = tempfile::tempdir().expect("a folder");
    let depot = home.path().join("depot");
    let words = [
        "snapshot",
        "publish",
        path(&folder),
        "--wait",
        "--depot",
        path(&depot),
        "--force",
        "--reason",
        "new",
    ];
    let said = printed(&run(&data, &words), 1);
    assert!(said.contains("published as serial 1") && said.contains("no server was heard of"), "{said}");
}

#[test]
fn publications_say_who_made_them_and_can_be_taken_back() {
    let service = Service::start();
    let data = service.data.clone();
    let by = |name: &str, words: &[&str]| {
        let output =
            program(&data).env("CANDANGO_BY", name).args(words).arg("--json").output().expect("runs");
        printed_json(&output, 0)
    };
    let (first, second) = (guide(&data, 1), guide(&data, 2));
    let first = by("Ana", &["snapshot", "publish", path(&first)]);
    assert_eq!(first["by"], "Ana");
    by("Rui", &["snapshot", "publish", path(&second)]);
    let back = by("Ana", &["snapshot", "rollback", "--previous", "--note", "wrong prices"]);
    assert_eq!((&back["serial"], &back["digest"]), (&json!(3), &first["digest"]));
    let list = snapshot(&data, &["list"]);
    let list = &list["publications"];
    assert_eq!((&list[0]["by"], &list[1]["by"]), (&json!("Ana"), &json!("Rui")));
    assert_eq!(list[0]["note"], "back to serial 1: wrong prices");
    let text = printed(&run(&data, &["snapshot", "list"]), 0);
    assert!(text.contains("by Rui") && text.contains("wrong prices"), "{text}");
    by("Rui", &["snapshot", "hide", "place-1", "--reason", "closed"]);
    let audit = printed(&run(&data, &["audit"]), 0);
    assert!(audit.contains("by Ana") && audit.contains("place-1, by Rui"), "{audit}");
    assert_eq!(run(&data, &["snapshot", "rollback"]).status.code(), Some(2));
    // who it is without that: some name
    let last = publish(&data, &guide(&data, 3), &["--force", "--reason", "a test"]);
    assert!(last["by"].as_str().is_some_and(|by| !by.is_empty()), "{last}");
}

#[test]
fn rollbacks_to_the_previous_one_go_further_back() {
    let service = Service::start();
    let data = service.data.clone();
    let digests: Vec<Value> = (1..=3)
        .map(|version| publish(&data, &guide(&data, version), &["--over"])["digest"].clone())
        .collect();
    for wanted in [&digests[1], &digests[0]] {
        let back = snapshot(&data, &["rollback", "--previous"]);
        assert_eq!(&back["digest"], wanted);
    }
    let none = run(&data, &["snapshot", "rollback", "--previous"]);
    assert!(String::from_utf8_lossy(&none.stderr).contains("nothing else was published before"));
}

#[test]
fn a_rollback_does_not_go_back_to_what_a_rollback_took_back() {
    let home = tempfile::tempdir().expect("a folder");
    let (data, folder) = (home.path().join("data"), home.path().join("guide"));
    demo_copy(&folder);
    let publish = |style: &str| {
        set(&folder, "places.json", "memorial-jk", "style", json!(style));
        snapshot(&data, &["publish", path(&folder), "--over"])["digest"].clone()
    };
    let good = publish("bom");
    publish("errado");
    assert_eq!(snapshot(&data, &["rollback", "--previous"])["digest"], good);
    publish("corrigido");
    assert_eq!(snapshot(&data, &["rollback", "--previous"])["digest"], good);
    assert!(errors(&data, &["rollback", "--previous"], 1).contains("nothing else was published before"));
}

#[test]
fn a_rollback_beyond_the_list_takes_back_all_that_is_listed() {
    let home = tempfile::tempdir().expect("a folder");
    let (data, folder) = (home.path().join("data"), home.path().join("guide"));
    demo_copy(&folder);
    for style in ["bom", "errado", "pior"] {
        set(&folder, "places.json", "memorial-jk", "style", json!(style));
        snapshot(&data, &["publish", path(&folder), "--over"]);
    }
    let list = snapshot(&data, &["list"]);
    let first = list["publications"][2]["digest"].as_str().expect("a digest").to_owned();
    snapshot(&data, &["rollback", &first]);
    // the list holds so many, and the first has left it
    let file = data.join("depot/current.json");
    let mut pointer: Value =
        serde_json::from_slice(&fs::read(&file).expect("a pointer")).expect("a document");
    pointer["history"].as_array_mut().expect("a list").retain(|entry| entry["digest"] != json!(first));
    fs::write(&file, pointer.to_string()).expect("written");
    assert!(errors(&data, &["rollback", "--previous"], 1).contains("nothing else was published before"));
}

#[test]
fn a_rollback_and_the_list_count_what_is_served() {
    let home = tempfile::tempdir().expect("a folder");
    let (data, folder) = (home.path().join("data"), home.path().join("guide"));
    demo_copy(&folder);
    let first = snapshot(&data, &["publish", path(&folder)]);
    set(&folder, "places.json", "memorial-jk", "style", json!("outro"));
    snapshot(&data, &["publish", path(&folder)]);
    assert_eq!(snapshot(&data, &["list"])["now"], Value::Null);
    snapshot(&data, &["hide", "memorial-jk", "--reason", "closed"]);
    let expected = json!(first["places"].as_u64().expect("a number") - 1);
    assert_eq!(snapshot(&data, &["list"])["now"]["places"], expected);
    assert_eq!(snapshot(&data, &["rollback", "--previous"])["places"], expected);
    let list = snapshot(&data, &["list"]);
    assert_eq!((&list["publications"][0]["places"], &list["now"]["places"]), (&expected, &expected));
    assert!(printed(&run(&data, &["snapshot", "list"]), 0).contains("today, without what is hidden: "));
}

#[test]
fn an_empty_reason_is_none() {
    let home = tempfile::tempdir().expect("a folder");
    let (data, folder) = (home.path().join("data"), home.path().join("guide"));
    for reason in ["", " "] {
        for words in [
            &["snapshot", "hide", "bar", "--reason", reason][..],
            &["snapshot", "publish", path(&folder), "--force", "--reason", reason],
            &["account", "block", "--email", "maria@x.example", "--reason", reason],
        ] {
            let output = run(&data, words);
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.code() == Some(2) && said.contains("say why"), "{words:?}: {said}");
        }
    }
}

#[test]
fn a_pull_onto_a_full_disk_leaves_nothing_behind() {
    let home = tempfile::tempdir().expect("a folder");
    let (data, folder) = (home.path().join("data"), home.path().join("guide"));
    demo_copy(&folder);
    snapshot(&data, &["publish", path(&folder)]);
    let to = home.path().join("pulled");
    // beyond the limit of file sizes a write fails, as the signal is ignored
    let script = format!("trap '' XFSZ; ulimit -f 8; exec \"$0\" snapshot pull \"{}\"", path(&to));
    let mut limited = std::process::Command::new("/bin/sh");
    limited.args(["-c", &script, env!("CARGO_BIN_EXE_candango")]).env_clear().env("CANDANGO_DATA", &data);
    let output = limited.current_dir(home.path()).output().expect("sh");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(1) && said.contains("cannot be written"), "{said}");
    assert!(!to.exists());
    snapshot(&data, &["pull", path(&to)]);
}

#[test]
fn a_rollback_to_a_damaged_snapshot_is_refused() {
    let home = tempfile::tempdir().expect("a folder");
    let (data, folder) = (home.path().join("data"), home.path().join("guide"));
    demo_copy(&folder);
    let first = snapshot(&data, &["publish", path(&folder)]);
    set(&folder, "places.json", "memorial-jk", "style", json!("outro"));
    let second = snapshot(&data, &["publish", path(&folder)]);
    let digest = first["digest"].as_str().expect("a digest");
    let file = data.join(format!("depot/snapshots/{digest}.json.zst"));
    for content in [Some("damaged"), None] {
        match content {
            Some(content) => fs::write(&file, content).expect("written"),
            None => fs::remove_file(&file).expect("removed"),
        }
        let said = errors(&data, &["rollback", "--previous"], 1);
        assert!(said.contains("not rolled back") && said.contains(&digest[..12]), "{said}");
        assert_eq!(snapshot(&data, &["list"])["publications"][0]["digest"], second["digest"]);
    }
}

#[test]
fn after_a_rollback_the_corrected_folder_is_no_colleagues_work() {
    let home = tempfile::tempdir().expect("a folder");
    let (data, folder) = (home.path().join("data"), home.path().join("guide"));
    demo_copy(&folder);
    snapshot(&data, &["publish", path(&folder)]);
    set(&folder, "places.json", "memorial-jk", "style", json!("errado"));
    snapshot(&data, &["publish", path(&folder)]);
    let back = printed(&run(&data, &["snapshot", "rollback", "--previous"]), 0);
    assert!(back.contains("--over") && back.contains("snapshot pull"), "{back}");
    set(&folder, "places.json", "memorial-jk", "style", json!("certo"));
    let said = printed(&run(&data, &["snapshot", "publish", path(&folder)]), 1);
    assert!(said.contains("a rollback took") && said.contains("--over") && !said.contains("they"), "{said}");
    assert_eq!(snapshot(&data, &["publish", path(&folder), "--over"])["serial"], json!(4));
}

#[test]
fn a_folder_alone_is_compared_with_what_its_publication_would_change() {
    let home = tempfile::tempdir().expect("a folder");
    let (data, folder) = (home.path().join("data"), home.path().join("guide"));
    demo_copy(&folder);
    let first = snapshot(&data, &["publish", path(&folder)]);
    edit(&folder, "places.json", |places| places.retain(|place| place["id"] != "memorial-jk"));
    let live = &first["digest"].as_str().expect("a digest")[..12];
    let said = printed(&run(&data, &["snapshot", "diff", path(&folder)]), 0);
    let begin = format!("from {live}, which is in service to the folder {}:", path(&folder));
    assert!(said.starts_with(&begin) && said.contains("- memorial-jk"), "{said}");
    let told = snapshot(&data, &["diff", live, path(&folder)]);
    assert_eq!((&told["from"], &told["places"]["removed"]), (&json!(live), &json!(["memorial-jk"])));
}

#[test]
fn a_backup_carries_what_is_hidden() {
    let service = Service::start();
    let data = service.data.clone();
    publish(&data, &guide(&data, 1), &[]);
    snapshot(&data, &["hide", "place-1", "--reason", "closed"]);
    let file = data.with_file_name("backup.zst");
    printed(&run(&data, &["backup", path(&file)]), 0);
    let other = data.with_file_name("other");
    printed(&run(&other, &["restore", path(&file)]), 0);
    let list = snapshot(&other, &["list"]);
    assert_eq!(list["hidden"]["place-1"]["reason"], "closed");
    let restored = Service::start_on(&other);
    let key = restored.key("pro");
    assert!(!shows(&restored, &key, "search_places", "place-1"));
}
