//! What an import makes of whole sheets: rows that nobody filled in, columns that are gone, years that pass.

use chrono::NaiveDate;
use serde_json::Value;
use snapshots::{File, Files};
use spreadsheets::{Import, Lang, Level, Source, groups, import};

use super::{folder, today};

fn sheet(name: &str, text: &str) -> Source {
    Source { label: name.into(), path: None, bytes: text.as_bytes().to_vec() }
}

fn read_on(text: &str, folder: &Files, today: NaiveDate) -> Import {
    import(&[sheet("eventos.csv", text)], folder, today)
}

fn events(made: &Import) -> Vec<Value> {
    made.replaced.iter().flat_map(|made| serde_json::from_str::<Vec<Value>>(&made.json()).unwrap()).collect()
}

fn codes(made: &Import) -> Vec<(Level, &'static str)> {
    groups(&made.messages, Lang::En).iter().map(|group| (group.level, group.code)).collect()
}

#[test]
fn rows_of_unchecked_boxes_and_of_dragged_defaults_are_no_records() {
    let unchecked = "FALSE;;;;;FALSE\n".repeat(998);
    let text =
        format!("uau;nome;categoria;bairro;data;oculto\nTRUE;Show;show;Gama;05/12/2026;FALSE\n{unchecked}");
    let made = read_on(&text, &folder(), today());
    assert_eq!((codes(&made), events(&made).len()), (Vec::new(), 1));
    let dragged = ";;Gama;;não\n".repeat(20);
    let text = format!("nome;categoria;bairro;data;oculto\nShow;show;Gama;05/12/2026;não\n{dragged}");
    let made = read_on(&text, &folder(), today());
    assert_eq!((codes(&made), events(&made).len()), (vec![(Level::Warning, "notes_skipped")], 1));
    // one row without its name is a mistake
    let text = "nome;categoria;bairro;data\nShow;show;Gama;05/12/2026\n;show;Gama;06/12/2026\n";
    assert_eq!(codes(&read_on(text, &folder(), today())), [(Level::Error, "required")]);
}

/// Reads a text into a folder, and then the same text again on other days, each time into what came of it.
fn over_years(text: &str, days: &[(&str, &str)], field: impl Fn(&Value) -> Value) {
    let mut folder = folder();
    for (today, expected) in days {
        let made = read_on(text, &folder, today.parse().unwrap());
        assert!(!made.has_errors(), "{today}: {:?}", made.messages);
        let written = made.replaced[0].json();
        assert_eq!(field(&events(&made)[0]), *expected, "{today}: {text}");
        folder = folder.with(File::Events, written);
    }
}

#[test]
fn a_day_without_a_year_stays_in_its_year_when_it_is_over() {
    let text = "nome;categoria;bairro;data\nShow;show;Gama;03/12\n";
    let days = ["2026-12-02", "2026-12-04", "2027-07-20", "2027-12-01", "2028-09-09"];
    over_years(text, &days.map(|day| (day, "2026-12-03")), |event| event["date"].clone());
    let text = "nome;categoria;bairro;repete\nShow;show;Gama;toda quinta até 17/12\n";
    let days = ["2026-12-02", "2026-12-19", "2027-08-01"];
    over_years(text, &days.map(|day| (day, "2026-12-17")), |event| event["repeat"]["until"].clone());
    // a new row, long before
    let text = "nome;categoria;bairro;data\nShow;show;Gama;10/02\n";
    over_years(text, &[("2026-11-23", "2027-02-10")], |event| event["date"].clone());
}

#[test]
fn the_weekday_beside_a_day_without_a_year_says_which_year_it_is() {
    for (cell, today, expected) in [
        ("sáb, 5/12", "2026-12-02", "2026-12-05"),
        ("sáb, 5/12", "2026-12-19", "2026-12-05"),
        ("sáb, 5/12", "2027-08-15", "2026-12-05"),
        ("sábado, 05/06", "2026-11-23", "2027-06-05"),
        ("sexta, 05/06", "2026-11-23", "2026-06-05"),
    ] {
        let text = format!("nome;categoria;bairro;data\nShow;show;Gama;\"{cell}\"\n");
        let made = read_on(&text, &folder(), today.parse().unwrap());
        assert_eq!(events(&made)[0]["date"], expected, "{cell} on {today}");
    }
    // it is the day that is wrong
    let text = "nome;categoria;bairro;data\nShow;show;Gama;\"sexta, 05/12\"\n";
    let made = read_on(text, &folder(), today());
    assert_eq!(events(&made)[0]["date"], "2026-12-05");
    assert!(codes(&made).contains(&(Level::Warning, "weekday_differs")));
}

#[test]
fn a_place_in_a_part_of_the_neighbourhood_of_an_event_is_its_place() {
    for (of_place, of_event) in
        [("W3 Sul", "Asa Sul"), ("Setor Bancário Sul", "Asa Sul"), ("Asa Sul", "W3 Sul")]
    {
        let places = format!(
            r#"[{{"id":"casa","name":"Casa","region":"Plano Piloto","neighbourhood":"{of_place}","category":"bar"}}]"#
        );
        let text = format!("nome;categoria;bairro;local;data\nShow;show;{of_event};Casa;05/12/2026\n");
        let made = read_on(&text, &folder().with(File::Places, places), today());
        assert_eq!((&events(&made)[0]["place"], codes(&made)), (&"casa".into(), Vec::new()), "{of_event}");
    }
}
