//! What people type, one mistake at a time, and what an import makes of it: the fields of the record, and the messages
//! by sheet, row and column in both languages.
#![allow(clippy::unwrap_used, reason = "a failed step fails the test")]

use chrono::NaiveDate;
use serde_json::Value;
use snapshots::{File, Files, demo};
use spreadsheets::{Lang, Level, Source, groups, import};

/// The vocabulary of the demo and two places.
fn folder() -> Files {
    let places = r#"[
        {"id":"clube-do-choro","name":"Clube do Choro","region":"Plano Piloto","category":"bar"},
        {"id":"feira-gama","name":"Feira","region":"Gama","category":"feira"},
        {"id":"feira-guara","name":"Feira","region":"Guará","category":"feira"}
    ]"#;
    demo::files().with(File::Places, places).with(File::Events, "[]")
}

fn today() -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 11, 23).unwrap()
}

/// A CSV file of one row: the usual columns, with some replaced or added.
fn csv(kind: &str, cells: &[(&str, &str)]) -> Source {
    let mut row = vec![("nome", "Teste"), ("categoria", "bar"), ("bairro", "Asa Norte")];
    if kind == "eventos" {
        row[1].1 = "show";
        row.push(("data", "05/12/2026"));
    }
    for (header, cell) in cells {
        match row.iter_mut().find(|(known, _)| known == header) {
            Some(known) => known.1 = cell,
            None => row.push((header, cell)),
        }
    }
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let line = |of: fn(&(&str, &str)) -> String| row.iter().map(of).collect::<Vec<_>>();
    let headers: Vec<String> = line(|(header, _)| (*header).to_owned());
    let cells: Vec<String> = line(|(_, cell)| (*cell).to_owned());
    let join = |texts: Vec<String>| texts.iter().map(|text| quoted(text)).collect::<Vec<_>>().join(";");
    let text = format!("{}\n{}\n", join(headers), join(cells));
    Source { label: format!("{kind}.csv"), path: None, bytes: text.into_bytes() }
}

const PLACES: &str = "lugares";
const EVENTS: &str = "eventos";

/// A sheet, its cells, and what is expected.
type Mistake = (&'static str, &'static [(&'static str, &'static str)], &'static str);

/// The sheet, the cells that differ from the usual ones, and what is expected: `field=JSON`, `-field` for an absent
/// one, `!code` for an error and `~code` for a warning, separated by two spaces.
#[rustfmt::skip]
const MISTAKES: &[Mistake] = &[
    // a venue that should have said where it is
    (EVENTS, &[("bairro", ""), ("local", "Clube do Chorro")], "!venue_without_area"),
    (EVENTS, &[("bairro", ""), ("local", "Clube do Choro - Asa Sul")], "!venue_without_area"),
    (EVENTS, &[("bairro", ""), ("local", "Praça")], "!venue_without_area"),
    (EVENTS, &[("bairro", "")], "!no_area"),
    // what a guide cannot have
    (EVENTS, &[("data", "05/12/1999")], "!year_out_of_range"),
    (EVENTS, &[("data", "05/12/2126")], "!year_out_of_range"),
    (EVENTS, &[("data final", "05/12/2039")], "!too_long_run"),
    (EVENTS, &[("horário", "20h às 20h")], "!ends_as_it_starts"),
    (EVENTS, &[("horário", "20h"), ("hora final", "20:00")], "!ends_as_it_starts"),
    (EVENTS, &[("data", "04/12/2026"), ("repete", "toda sexta"), ("repete até", "02/12/2026")], "!no_occurrence"),
    (PLACES, &[("latitude", "-23,55"), ("longitude", "-46,63")], "!out_of_bounds  !out_of_bounds"),
    (PLACES, &[("latitude", "-15,79"), ("longitude", "-147,89")], "!out_of_bounds"),
    (PLACES, &[("latitude", "-15,79"), ("longitude", "-47,89"), ("precisão", "0")], "!not_a_number"),
    // what is most likely not meant
    (EVENTS, &[("data", "05/11/2026")], "~over"),
    (EVENTS, &[("data", "05/12/2031")], "~far_off"),
    (EVENTS, &[("data", "05/12/2026"), ("repete", "toda sexta")], "~off_rule"),
    (EVENTS, &[("data", "04/12/2026"), ("repete", "toda sexta")], r#"date="2026-12-04""#),
    (EVENTS, &[("data", "04/12/2026"), ("repete", "toda sexta"), ("exceto", "12/12/2026")], "~idle_except"),
    (EVENTS, &[("mostrar até", "01/12/2026")], "~not_shown"),
    (EVENTS, &[("mostrar a partir de", "06/12/2026")], "~not_shown"),
    (EVENTS, &[("mostrar até", "05/12/2026")], r#"show_until="2026-12-05""#),
    (EVENTS, &[("bairro", "Gama"), ("local", "Clube do Choro")], "-place  ~other_area"),
    (EVENTS, &[("bairro", "Gama"), ("lugar do guia", "clube-do-choro")], r#"place="clube-do-choro"  ~other_area"#),
    (EVENTS, &[("bairro", "Gama"), ("local", "Feira")], r#"place="feira-gama""#),
    (EVENTS, &[("local", "Bar Nenhum")], r#"venue="Bar Nenhum"  ~unknown_venue"#),
    (EVENTS, &[("endereço", "CNB 12, lote 3")], "~address_elsewhere"),
    (PLACES, &[("endereço", "CNB 12, lote 3")], "~address_elsewhere"),
    (PLACES, &[("endereço", "CLN 408")], r#"address="CLN 408""#),
    (PLACES, &[("latitude", "-15,98"), ("longitude", "-48,05")], "~far_from_area"),
    (EVENTS, &[("ingressos", "http://ingressos.example.com")], "~http_tickets"),
    // a price and what is said of it
    (PLACES, &[("preço", "R$ 30"), ("grátis", "sim")], "!contradicts"),
    (PLACES, &[("preço", "grátis"), ("grátis", "não")], "!contradicts"),
    (PLACES, &[("preço", "R$ 30"), ("grátis", "não")], r#"price="R$ 30"  -free"#),
    (PLACES, &[("preço", "R$ 30, grátis até 18h"), ("grátis", "sim")], r#"price="R$ 30, grátis até 18h"  free=true"#),
    // dates
    (EVENTS, &[("data", "05/12/2026")], r#"date="2026-12-05""#),
    (EVENTS, &[("data", "5/12/26")], r#"date="2026-12-05""#),
    (EVENTS, &[("data", "05.12.2026")], r#"date="2026-12-05""#),
    (EVENTS, &[("data", "05-12-2026")], r#"date="2026-12-05""#),
    (EVENTS, &[("data", "2026-12-05")], r#"date="2026-12-05""#),
    (EVENTS, &[("data", "5 de dezembro de 2026")], r#"date="2026-12-05""#),
    (EVENTS, &[("data", "5 dez 2026")], r#"date="2026-12-05""#),
    (EVENTS, &[("data", "5-dez-26")], r#"date="2026-12-05""#),
    (EVENTS, &[("data", "December 5, 2026")], r#"date="2026-12-05""#),
    (EVENTS, &[("data", "5th December 2026")], r#"date="2026-12-05""#),
    (EVENTS, &[("data", "1º de maio de 2027")], r#"date="2027-05-01""#),
    (EVENTS, &[("data", "1° de maio de 2027")], r#"date="2027-05-01""#),
    (EVENTS, &[("data", "sexta feira, 4 de dezembro de 2026")], r#"date="2026-12-04""#),
    (EVENTS, &[("data", "Dec. 5, 2026")], r#"date="2026-12-05""#),
    (EVENTS, &[("data", "05/12/2026 | 19h")], r#"date="2026-12-05"  start_time="19:00"  ~time_in_date"#),
    (EVENTS, &[("data", "05/12/2026 às 20h e 06/12/2026 às 18h")], "~time_in_date  !not_a_time"),
    (EVENTS, &[("data", "46361")], r#"date="2026-12-05""#),
    (EVENTS, &[("data", "46361.8125")], r#"date="2026-12-05"  start_time="19:30"  ~time_in_date"#),
    (EVENTS, &[("data", "5 dez")], r#"date="2026-12-05"  ~year_assumed"#),
    (EVENTS, &[("data", "10/02")], r#"date="2027-02-10"  ~year_assumed"#),
    (EVENTS, &[("data", "sábado, 05/12/2026")], r#"date="2026-12-05""#),
    (EVENTS, &[("data", "05/12/2026 (domingo)")], r#"date="2026-12-05"  ~weekday_differs"#),
    (EVENTS, &[("data", "12/25/2026")], r#"date="2026-12-25"  ~month_first"#),
    (EVENTS, &[("data", "5 de dezenbro de 2026")], r#"date="2026-12-05"  ~mended"#),
    (EVENTS, &[("data", "05/12/2026 19h30")], r#"date="2026-12-05"  start_time="19:30"  ~time_in_date"#),
    (EVENTS, &[("data", "10 out às 20h")], r#"date="2027-10-10"  start_time="20:00"  ~time_in_date  ~year_assumed"#),
    (EVENTS, &[("data", "5/set/2027 19h")], r#"date="2027-09-05"  start_time="19:00"  ~time_in_date"#),
    (EVENTS, &[("data", "05/12/2026 meio-dia")], r#"date="2026-12-05"  start_time="12:00"  ~time_in_date"#),
    (EVENTS, &[("data", "05/12/2026, ao meio-dia")], r#"date="2026-12-05"  start_time="12:00"  ~time_in_date"#),
    (EVENTS, &[("data", "05/12/2026 às 8 da noite")], r#"date="2026-12-05"  start_time="20:00"  ~time_in_date"#),
    (EVENTS, &[("data", "05.12.2026, a partir das 19 horas")], r#"date="2026-12-05"  start_time="19:00"  ~time_in_date"#),
    (EVENTS, &[("data", "December 5, 2026 at 7 pm")], r#"date="2026-12-05"  start_time="19:00"  ~time_in_date"#),
    (EVENTS, &[("data", "05/12/2026 à meia-noite")], "~time_in_date  !starts_at_end_of_day"),
    (EVENTS, &[("data", "05/12/2026 até 22h")], "~time_in_date  !not_a_time"),
    (EVENTS, &[("data", "2026-12-05T19:30")], r#"date="2026-12-05"  start_time="19:30"  ~time_in_date"#),
    (EVENTS, &[("data", "2026-12-05 00:00:00")], r#"date="2026-12-05"  -start_time"#),
    (EVENTS, &[("data", "2026-12-05T19:30:00-03:00")], r#"date="2026-12-05"  start_time="19:30"  -end_time  ~time_in_date"#),
    (EVENTS, &[("data", "2026-12-05T19:30:00+02:00")], "!not_a_date"),
    (EVENTS, &[("data", "2026-12-05T22:30:00Z")], "!not_a_date"),
    (EVENTS, &[("data", "31/02/2027")], "!no_such_day"),
    (EVENTS, &[("data", "amanhã")], "!relative_day"),
    (EVENTS, &[("data", "em breve")], "!not_a_date"),
    (EVENTS, &[("data", "")], "!no_date"),
    (EVENTS, &[("data", "a definir")], "~means_empty  !no_date"),
    // runs and lists of days
    (EVENTS, &[("data", "05 a 08/12/2026")], r#"date="2026-12-05"  end_date="2026-12-08""#),
    (EVENTS, &[("data", "05/12/2026 a 08/12/2026")], r#"date="2026-12-05"  end_date="2026-12-08""#),
    (EVENTS, &[("data", "de 5 a 8 de dezembro de 2026")], r#"date="2026-12-05"  end_date="2026-12-08""#),
    (EVENTS, &[("data", "5-8/12/2026")], r#"date="2026-12-05"  end_date="2026-12-08""#),
    (EVENTS, &[("data", "28/12/2026 até 3/1/2027")], r#"date="2026-12-28"  end_date="2027-01-03""#),
    (EVENTS, &[("data", "28/12 a 03/01/2027")], r#"date="2026-12-28"  end_date="2027-01-03""#),
    (EVENTS, &[("data", "08/12/2026 a 05/12/2026")], "!end_before_start"),
    (EVENTS, &[("data", "08 a 05/12/2026")], "!end_before_start"),
    (EVENTS, &[("data", "08/12 a 05/12/2026")], "!end_before_start"),
    (EVENTS, &[("data", "08/12/2026 a 05/12")], "!end_before_start"),
    (EVENTS, &[("data", "08 a 05/12")], "~year_assumed  !end_before_start"),
    (EVENTS, &[("data", "10/11 a 05/10/2027")], "!end_before_start"),
    (EVENTS, &[("data", ""), ("repete", "08 a 05/12/2026")], "!end_before_start"),
    (EVENTS, &[("data", "30/12 a 02/01/2027")], r#"date="2026-12-30"  end_date="2027-01-02""#),
    (EVENTS, &[("data", "30/12/2026 a 02/01/2027")], r#"date="2026-12-30"  end_date="2027-01-02""#),
    (EVENTS, &[("data", "30/12/2026 a 02/01")], r#"date="2026-12-30"  end_date="2027-01-02""#),
    (EVENTS, &[("data", "30/12 a 02/01")], r#"date="2026-12-30"  end_date="2027-01-02"  ~year_assumed"#),
    (EVENTS, &[("data", "01/10 a 20/03/2027")], r#"date="2026-10-01"  end_date="2027-03-20""#),
    (EVENTS, &[("data", "10/11/2026 a 05/10/2027")], r#"date="2026-11-10"  end_date="2027-10-05""#),
    (EVENTS, &[("data", "19, 12 e 05/12/2026")], r#"repeat={"dates":["2026-12-05","2026-12-12","2026-12-19"]}  -date"#),
    (EVENTS, &[("data", "5, 12 e 19/12/2026")], r#"repeat={"dates":["2026-12-05","2026-12-12","2026-12-19"]}  -date"#),
    (EVENTS, &[("data", "05/12/2026; 06/12/2026")], r#"repeat={"dates":["2026-12-05","2026-12-06"]}"#),
    (EVENTS, &[("data", "5 e 6 de dezembro de 2026")], r#"repeat={"dates":["2026-12-05","2026-12-06"]}"#),
    (EVENTS, &[("data final", "08/12/2026")], r#"date="2026-12-05"  end_date="2026-12-08""#),
    (EVENTS, &[("data final", "05/12/2026")], r#"date="2026-12-05"  -end_date"#),
    (EVENTS, &[("data final", "01/12/2026")], "!end_before_start"),
    (EVENTS, &[("data", "05 a 08/12/2026"), ("data final", "08/12/2026")], r#"date="2026-12-05"  end_date="2026-12-08""#),
    (EVENTS, &[("data", "05 a 08/12/2026"), ("data final", "10/12/2026")], "!contradicts"),
    // weekdays beside a run
    (EVENTS, &[("data", "Sextas, 04/12/2026 a 18/12/2026")], r#"date="2026-12-04"  -end_date  repeat={"rule":"FREQ=WEEKLY;BYDAY=FR","until":"2026-12-18"}"#),
    (EVENTS, &[("data", "sábados, 05 a 26/12/2026")], r#"date="2026-12-05"  repeat={"rule":"FREQ=WEEKLY;BYDAY=SA","until":"2026-12-26"}"#),
    (EVENTS, &[("data", "01/12 a 31/12/2026 (ter a dom)")], r#"date="2026-12-01"  repeat={"rule":"FREQ=WEEKLY;BYDAY=TU,WE,TH,FR,SA,SU","until":"2026-12-31"}"#),
    (EVENTS, &[("data", "01/12/2026 a 31/01/2027 (seg a sex)")], r#"date="2026-12-01"  repeat={"rule":"FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR","until":"2027-01-31"}"#),
    (EVENTS, &[("data", "05 a 20/12/2026 (sextas e sábados)")], r#"date="2026-12-05"  repeat={"rule":"FREQ=WEEKLY;BYDAY=FR,SA","until":"2026-12-20"}"#),
    (EVENTS, &[("data", "sextas-feiras, 1 a 20/12/2026, 19h")], r#"date="2026-12-04"  repeat={"rule":"FREQ=WEEKLY;BYDAY=FR","until":"2026-12-20"}  start_time="19:00"  ~time_in_date"#),
    (EVENTS, &[("data", "ter, qua e sex - 01/12/2026 até 20/12/2026")], r#"date="2026-12-01"  repeat={"rule":"FREQ=WEEKLY;BYDAY=TU,WE,FR","until":"2026-12-20"}"#),
    (EVENTS, &[("data", "todas as sextas, de 04/12/2026 a 18/12/2026")], r#"date="2026-12-04"  repeat={"rule":"FREQ=WEEKLY;BYDAY=FR","until":"2026-12-18"}"#),
    (EVENTS, &[("data", ""), ("repete", "Sextas, 04/12/2026 a 18/12/2026")], r#"date="2026-12-04"  repeat={"rule":"FREQ=WEEKLY;BYDAY=FR","until":"2026-12-18"}"#),
    (EVENTS, &[("data", ""), ("repete", "sábados, 05 até 26/12/2026 exceto 12/12/2026")], r#"date="2026-12-05"  repeat={"rule":"FREQ=WEEKLY;BYDAY=SA","until":"2026-12-26","except":["2026-12-12"]}"#),
    (EVENTS, &[("data", ""), ("repete", "01/12 a 31/12/2026 (ter a dom)")], r#"date="2026-12-01"  repeat={"rule":"FREQ=WEEKLY;BYDAY=TU,WE,TH,FR,SA,SU","until":"2026-12-31"}"#),
    (EVENTS, &[("data", "Sextas, 04/12/2026 a 18/12/2026"), ("repete", "toda sexta")], r#"date="2026-12-04"  repeat={"rule":"FREQ=WEEKLY;BYDAY=FR","until":"2026-12-18"}"#),
    (EVENTS, &[("data", "Sextas, 04/12/2026 a 18/12/2026"), ("repete", "todo sábado")], "!contradicts"),
    (EVENTS, &[("data", "sexta, 04/12/2026 a domingo, 06/12/2026")], r#"date="2026-12-04"  end_date="2026-12-06"  -repeat"#),
    (EVENTS, &[("data", "sexta, 04/12/2026 a domingo, 20/12/2026")], r#"date="2026-12-04"  end_date="2026-12-20"  -repeat"#),
    (EVENTS, &[("data", "4 a 6/12/2026 (sexta a domingo)")], r#"date="2026-12-04"  end_date="2026-12-06"  -repeat"#),
    (EVENTS, &[("data", "sexta, 04 a 06/12/2026")], r#"date="2026-12-04"  end_date="2026-12-06"  -repeat"#),
    (EVENTS, &[("data", "sexta, 04/12/2026 a sábado, 06/12/2026")], r#"date="2026-12-04"  end_date="2026-12-06"  ~weekday_differs"#),
    (EVENTS, &[("data", "sexta, 04/12/2026 a 18/12/2026")], "!weekdays_unclear"),
    (EVENTS, &[("data", "sexta, 04/12/2026 até 18/12/2026")], "!weekdays_unclear"),
    (EVENTS, &[("data", "sextas, 05 a 06/12/2026")], "!weekdays_unclear"),
    (EVENTS, &[("data", "sextas, 04/12/2026")], "!weekdays_unclear"),
    (EVENTS, &[("data", ""), ("repete", "sexta, 04/12/2026 até 18/12/2026")], "!weekdays_unclear"),
    (EVENTS, &[("data", "1 a 5 e 10 a 12/12/2026 (seg a sex)")], "!weekdays_unclear"),
    (EVENTS, &[("data", "2ª a 6ª, 07 a 18/12/2026")], "!weekdays_unclear"),
    (EVENTS, &[("data", ""), ("repete", "07 a 18/12/2026 (3ª a 6ª)")], "!not_a_repeat"),
    (EVENTS, &[("data", "sex e sáb, 4 e 5/12/2026")], r#"repeat={"dates":["2026-12-04","2026-12-05"]}"#),
    (EVENTS, &[("data", "sextas, 4, 11 e 18/12/2026")], r#"repeat={"dates":["2026-12-04","2026-12-11","2026-12-18"]}  -date"#),
    (EVENTS, &[("data", "sextas, 4, 11 e 19/12/2026")], r#"repeat={"dates":["2026-12-04","2026-12-11","2026-12-19"]}  ~weekday_differs"#),
    // a list of days, and how they repeat
    (EVENTS, &[("data", "5, 12 e 19/12/2026"), ("repete", "semanal")], r#"repeat={"dates":["2026-12-05","2026-12-12","2026-12-19"]}  -date"#),
    (EVENTS, &[("data", "5 e 19/12/2026"), ("repete", "quinzenal")], r#"repeat={"dates":["2026-12-05","2026-12-19"]}  -date"#),
    (EVENTS, &[("data", "5, 12 e 19/12/2026"), ("repete", "todo sábado"), ("repete até", "19/12/2026")], r#"repeat={"dates":["2026-12-05","2026-12-12","2026-12-19"]}"#),
    (EVENTS, &[("data", "5, 12 e 20/12/2026"), ("repete", "semanal")], "!contradicts"),
    (EVENTS, &[("data", "5 e 12/12/2026"), ("repete", "quinzenal")], "!contradicts"),
    (EVENTS, &[("data", "5, 12 e 19/12/2026"), ("repete", "todo sábado até 30/03/2027")], "!contradicts"),
    (EVENTS, &[("data", "5, 12 e 19/12/2026"), ("data final", "19/12/2026")], r#"repeat={"dates":["2026-12-05","2026-12-12","2026-12-19"]}  -end_date"#),
    (EVENTS, &[("data", "5, 12 e 19/12/2026"), ("data final", "21/12/2026")], "!end_of_several"),
    // times
    (EVENTS, &[("horário", "19h30")], r#"start_time="19:30""#),
    (EVENTS, &[("horário", "19h")], r#"start_time="19:00""#),
    (EVENTS, &[("horário", "7pm")], r#"start_time="19:00""#),
    (EVENTS, &[("horário", "19:30:00")], r#"start_time="19:30""#),
    (EVENTS, &[("horário", "0,8125")], r#"start_time="19:30""#),
    (EVENTS, &[("horário", "19h às 22h")], r#"start_time="19:00"  end_time="22:00""#),
    (EVENTS, &[("horário", "22h às 4h")], r#"start_time="22:00"  end_time="04:00""#),
    (EVENTS, &[("horário", "16h e 20h")], r#"sessions=[{"start_time":"16:00"},{"start_time":"20:00"}]  -start_time"#),
    (EVENTS, &[("horário", "20h, 16h")], r#"sessions=[{"start_time":"16:00"},{"start_time":"20:00"}]"#),
    (EVENTS, &[("horário", "19h"), ("hora final", "22h")], r#"start_time="19:00"  end_time="22:00""#),
    (EVENTS, &[("hora final", "22h")], "-start_time  -end_time  ~end_without_start"),
    (EVENTS, &[("horário", "1930")], r#"start_time="19:30"  ~time_assumed"#),
    (EVENTS, &[("horário", "20 min")], r#"start_time="20:00"  ~time_assumed"#),
    (EVENTS, &[("horário", "25h")], "!not_a_time"),
    (EVENTS, &[("horário", "à noite")], "!not_a_time"),
    (EVENTS, &[("horário", "24:00")], "!starts_at_end_of_day"),
    (EVENTS, &[("horário", "24h")], "!starts_at_end_of_day"),
    (EVENTS, &[("data", "05/12/2026 24h")], "~time_in_date  !starts_at_end_of_day"),
    (EVENTS, &[("horário", "20h às 24h")], r#"start_time="20:00"  end_time="00:00""#),
    (EVENTS, &[("horário", "20h"), ("hora final", "24:00")], r#"start_time="20:00"  end_time="00:00""#),
    (EVENTS, &[("horário", "meia noite")], "!starts_at_end_of_day"),
    (EVENTS, &[("horário", "0,99999")], "!starts_at_end_of_day"),
    (EVENTS, &[("horário", "20h"), ("hora final", "meia-noite")], r#"start_time="20:00"  end_time="00:00""#),
    (EVENTS, &[("horário", "8h às 6")], r#"start_time="08:00"  end_time="06:00"  ~long_night"#),
    (EVENTS, &[("horário", "20h"), ("hora final", "19h")], r#"start_time="20:00"  end_time="19:00"  ~long_night"#),
    (EVENTS, &[("horário", "8h às 10 da noite")], r#"start_time="08:00"  end_time="22:00""#),
    (EVENTS, &[("horário", "18h às 8h")], r#"start_time="18:00"  end_time="08:00""#),
    (EVENTS, &[("horário", "9h/18h")], r#"sessions=[{"start_time":"09:00"},{"start_time":"18:00"}]  ~slash_sessions"#),
    // hours in two cells
    (EVENTS, &[("horário", "19h às 22h"), ("hora final", "22:00")], r#"start_time="19:00"  end_time="22:00""#),
    (EVENTS, &[("horário", "19h às 22h"), ("hora final", "23h")], "!contradicts"),
    (EVENTS, &[("horário", "19h"), ("hora final", "19h às 22h")], r#"start_time="19:00"  end_time="22:00""#),
    (EVENTS, &[("horário", "20h"), ("hora final", "19h às 22h")], "!contradicts"),
    (EVENTS, &[("horário", "20h e 16h"), ("hora final", "22h e 18h")], r#"sessions=[{"start_time":"16:00","end_time":"22:00"},{"start_time":"20:00","end_time":"18:00"}]  ~long_night"#),
    (EVENTS, &[("horário", "16h e 20h"), ("hora final", "22h")], r#"sessions=[{"start_time":"16:00"},{"start_time":"20:00","end_time":"22:00"}]"#),
    (EVENTS, &[("horário", "20h"), ("hora final", "22h e 23h")], "!contradicts"),
    (EVENTS, &[("horário", "25h"), ("hora final", "22h")], "!not_a_time"),
    (EVENTS, &[("data", ""), ("repete", "toda sexta, 19h às 22h"), ("horário", "20h")], "!contradicts"),
    (EVENTS, &[("data", ""), ("repete", "toda sexta, 19h às 22h"), ("horário", "19h")], r#"start_time="19:00"  end_time="22:00""#),
    (EVENTS, &[("data", ""), ("repete", "toda sexta, 19h"), ("horário", "19:00 às 22:00")], r#"start_time="19:00"  end_time="22:00""#),
    (EVENTS, &[("data", ""), ("repete", "toda sexta, 19h às 22h"), ("hora final", "23h")], "!contradicts"),
    (EVENTS, &[("data", "toda sexta às 19h"), ("horário", "20h")], "!contradicts"),
    (EVENTS, &[("data", "05/12/2026 19h"), ("horário", "20h")], r#"start_time="20:00"  ~time_in_date"#),
    (EVENTS, &[("horário", "a confirmar")], "-start_time  ~means_empty"),
    // repetitions
    (EVENTS, &[("data", ""), ("repete", "toda sexta")], r#"repeat={"rule":"FREQ=WEEKLY;BYDAY=FR"}  -date"#),
    (EVENTS, &[("data", "toda sexta")], r#"repeat={"rule":"FREQ=WEEKLY;BYDAY=FR"}  -date"#),
    (EVENTS, &[("data", ""), ("repete", "sextas e sábados")], r#"repeat={"rule":"FREQ=WEEKLY;BYDAY=FR,SA"}"#),
    (EVENTS, &[("data", ""), ("repete", "1º sábado do mês")], r#"repeat={"rule":"FREQ=MONTHLY;BYDAY=1SA"}"#),
    (EVENTS, &[("data", ""), ("repete", "último domingo do mês")], r#"repeat={"rule":"FREQ=MONTHLY;BYDAY=-1SU"}"#),
    (EVENTS, &[("data", ""), ("repete", "todo dia 25")], r#"repeat={"rule":"FREQ=MONTHLY;BYMONTHDAY=25"}"#),
    (EVENTS, &[("data", ""), ("repete", "de segunda a sexta")], r#"repeat={"rule":"FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"}"#),
    (EVENTS, &[("data", ""), ("repete", "every friday")], r#"repeat={"rule":"FREQ=WEEKLY;BYDAY=FR"}"#),
    (EVENTS, &[("repete", "quinzenal")], r#"date="2026-12-05"  repeat={"rule":"FREQ=WEEKLY;INTERVAL=2"}"#),
    (EVENTS, &[("data", ""), ("repete", "quinzenal")], "!repeat_needs_date"),
    (EVENTS, &[("repete", "todos os 10 dias")], r#"date="2026-12-05"  repeat={"rule":"FREQ=DAILY;INTERVAL=10"}"#),
    (EVENTS, &[("data", ""), ("repete", "cada 5 dias")], "!repeat_needs_date"),
    (EVENTS, &[("data", ""), ("repete", "10 dias de cada mês")], "!not_a_repeat"),
    (EVENTS, &[("data", ""), ("repete", "every 2nd friday")], "!not_a_repeat"),
    (EVENTS, &[("data", "every 2nd friday")], "!not_a_date"),
    (EVENTS, &[("data", "5 de abrik de 2027")], r#"date="2027-04-05"  ~mended"#),
    (EVENTS, &[("data", ""), ("repete", "todo domingo até 30/03/2027")], r#"repeat={"rule":"FREQ=WEEKLY;BYDAY=SU","until":"2027-03-30"}"#),
    (EVENTS, &[("data", ""), ("repete", "toda sexta"), ("repete até", "30/03/2027"), ("exceto", "25/12/2026")], r#"repeat={"rule":"FREQ=WEEKLY;BYDAY=FR","until":"2027-03-30","except":["2026-12-25"]}"#),
    (EVENTS, &[("data", ""), ("repete", "toda sexta exceto 25/12/2026")], r#"repeat={"rule":"FREQ=WEEKLY;BYDAY=FR","except":["2026-12-25"]}"#),
    (EVENTS, &[("repete", "quinzenal no ateliê até 30/12/2026")], r#"date="2026-12-05"  repeat={"rule":"FREQ=WEEKLY;INTERVAL=2","until":"2026-12-30"}"#),
    (EVENTS, &[("data", ""), ("repete", "cada quarta do mês")], r#"repeat={"rule":"FREQ=WEEKLY;BYDAY=WE"}"#),
    (EVENTS, &[("data", ""), ("repete", "each friday of the month")], r#"repeat={"rule":"FREQ=WEEKLY;BYDAY=FR"}"#),
    (EVENTS, &[("data", ""), ("repete", "2as e 4as-feiras")], r#"repeat={"rule":"FREQ=WEEKLY;BYDAY=MO,WE"}"#),
    (EVENTS, &[("data", ""), ("repete", "toda sexta na feira")], "!not_a_repeat"),
    (EVENTS, &[("repete", "não")], r#"date="2026-12-05"  -repeat"#),
    (EVENTS, &[("data", ""), ("repete", "de vez em quando")], "!not_a_repeat"),
    (EVENTS, &[("exceto", "25/12/2026")], "!except_without_repeat"),
    (EVENTS, &[("repete até", "30/03/2027")], r#"date="2026-12-05"  -repeat  ~until_without_repeat"#),
    (EVENTS, &[("repete até", "05/12/2026")], r#"date="2026-12-05"  -repeat"#),
    (EVENTS, &[("data", "04/12/2026"), ("data final", "26/03/2027"), ("repete", "toda sexta")], r#"date="2026-12-04"  -end_date  repeat={"rule":"FREQ=WEEKLY;BYDAY=FR","until":"2027-03-26"}  ~end_of_repeat"#),
    (EVENTS, &[("data", "04/12/2026 a 26/03/2027"), ("repete", "toda sexta")], r#"date="2026-12-04"  -end_date  repeat={"rule":"FREQ=WEEKLY;BYDAY=FR","until":"2027-03-26"}  ~end_of_repeat"#),
    (EVENTS, &[("data", ""), ("data final", "26/03/2027"), ("repete", "toda sexta")], r#"-date  -end_date  repeat={"rule":"FREQ=WEEKLY;BYDAY=FR","until":"2027-03-26"}  ~end_of_repeat"#),
    (EVENTS, &[("data", "04/12/2026"), ("data final", "05/12/2026"), ("repete", "toda sexta")], r#"date="2026-12-04"  end_date="2026-12-05"  repeat={"rule":"FREQ=WEEKLY;BYDAY=FR"}"#),
    (EVENTS, &[("data", "toda sexta às 19h")], r#"repeat={"rule":"FREQ=WEEKLY;BYDAY=FR"}  start_time="19:00"  -date"#),
    (EVENTS, &[("data", ""), ("repete", "toda sexta, das 19h às 22h")], r#"repeat={"rule":"FREQ=WEEKLY;BYDAY=FR"}  start_time="19:00"  end_time="22:00""#),
    (EVENTS, &[("data", ""), ("repete", "toda sexta ao meio-dia")], r#"repeat={"rule":"FREQ=WEEKLY;BYDAY=FR"}  start_time="12:00""#),
    (EVENTS, &[("data", ""), ("repete", "toda sexta, a partir das 8 da noite")], r#"repeat={"rule":"FREQ=WEEKLY;BYDAY=FR"}  start_time="20:00""#),
    (EVENTS, &[("data", ""), ("repete", "toda sexta até as 22h")], "!not_a_time"),
    (EVENTS, &[("data", ""), ("repete", "1º sábado do mês, 10h")], r#"repeat={"rule":"FREQ=MONTHLY;BYDAY=1SA"}  start_time="10:00""#),
    (EVENTS, &[("data", ""), ("repete", "de 5 a 7/12/2026")], r#"repeat={"dates":["2026-12-05","2026-12-06","2026-12-07"]}"#),
    // repetitions in two cells
    (EVENTS, &[("data", "toda terça"), ("repete", "toda sexta")], "!contradicts"),
    (EVENTS, &[("data", "toda terça"), ("repete", "toda sexta"), ("exceto", "25/12/2026")], "!contradicts"),
    (EVENTS, &[("data", "sábados e sextas, 19h"), ("repete", "toda sexta e sábado exceto 25/12/2026")], r#"repeat={"rule":"FREQ=WEEKLY;BYDAY=SA,FR","except":["2026-12-25"]}  start_time="19:00""#),
    (EVENTS, &[("data", "toda sexta, 19h"), ("repete", "toda sexta, 20h")], "!contradicts"),
    (EVENTS, &[("data", "toda sexta"), ("repete", "não")], "!contradicts"),
    (EVENTS, &[("data", "11/12/2026"), ("repete", "toda sexta a partir de 04/12/2026")], "!contradicts"),
    (EVENTS, &[("data", "04/12/2026"), ("repete", "toda sexta a partir de 04/12/2026")], r#"date="2026-12-04"  repeat={"rule":"FREQ=WEEKLY;BYDAY=FR"}"#),
    (EVENTS, &[("data", ""), ("repete", "toda sexta até 30/01/2027"), ("repete até", "30/03/2027")], "!contradicts"),
    (EVENTS, &[("data", ""), ("repete", "toda sexta até 30/01/2027"), ("repete até", "30/01/2027")], r#"repeat={"rule":"FREQ=WEEKLY;BYDAY=FR","until":"2027-01-30"}"#),
    // a weekday alone
    (EVENTS, &[("data", "sábado")], r#"repeat={"rule":"FREQ=WEEKLY;BYDAY=SA"}  -date  ~every_week"#),
    (EVENTS, &[("data", "sexta e sábado, 20h")], r#"repeat={"rule":"FREQ=WEEKLY;BYDAY=FR,SA"}  start_time="20:00"  ~every_week"#),
    (EVENTS, &[("data", "Saturday")], r#"repeat={"rule":"FREQ=WEEKLY;BYDAY=SA"}  ~every_week"#),
    (EVENTS, &[("data", "sábados")], r#"repeat={"rule":"FREQ=WEEKLY;BYDAY=SA"}"#),
    (EVENTS, &[("data", "sábado até 30/03/2027")], r#"repeat={"rule":"FREQ=WEEKLY;BYDAY=SA","until":"2027-03-30"}"#),
    (EVENTS, &[("data", "sábado"), ("repete até", "30/03/2027")], r#"repeat={"rule":"FREQ=WEEKLY;BYDAY=SA","until":"2027-03-30"}"#),
    (EVENTS, &[("data", "sábado"), ("repete", "todo sábado")], r#"repeat={"rule":"FREQ=WEEKLY;BYDAY=SA"}"#),
    // categories and areas
    (PLACES, &[("categoria", "Bar")], r#"category="bar""#),
    (PLACES, &[("categoria", "CAFE")], r#"category="cafe""#),
    (PLACES, &[("categoria", "hamburgeria")], r#"category="hamburgueria"  ~mended"#),
    (PLACES, &[("categoria", "hamburguerya")], r#"category="hamburgueria"  ~mended"#),
    (PLACES, &[("categoria", "Museum")], r#"category="museu""#),
    (PLACES, &[("categoria", "Bar, Museu")], r#"category="bar"  also=["museu"]  ~mended"#),
    (PLACES, &[("categoria", "astronauta")], "!unknown_category"),
    (PLACES, &[("categoria", "")], "!required"),
    (PLACES, &[("outras categorias", "museu; café")], r#"also=["museu","cafe"]"#),
    (PLACES, &[("outras categorias", "museu, Museu")], r#"also=["museu"]  ~listed_twice"#),
    (EVENTS, &[("categoria", "churrascaria")], "!category_of_other_kind"),
    (PLACES, &[("categoria", "Concerto")], "!category_of_other_kind"),
    (PLACES, &[("outras categorias", "sinfonia")], "!category_of_other_kind"),
    (PLACES, &[("bairro", "asa norte")], r#"neighbourhood="Asa Norte"  region="Plano Piloto""#),
    (PLACES, &[("bairro", "Asa Nrote")], r#"neighbourhood="Asa Norte"  ~mended"#),
    (PLACES, &[("bairro", "North Wing")], r#"neighbourhood="Asa Norte""#),
    (PLACES, &[("bairro", "Asa Norte, Brasília/DF")], r#"neighbourhood="Asa Norte"  region="Plano Piloto"  ~mended"#),
    (PLACES, &[("bairro", "Taguatinga")], r#"region="Taguatinga"  -neighbourhood"#),
    (PLACES, &[("bairro", ""), ("região", "Gama")], r#"region="Gama"  -neighbourhood"#),
    (PLACES, &[("bairro", ""), ("região", "Asa Sul")], r#"region="Plano Piloto"  neighbourhood="Asa Sul""#),
    (PLACES, &[("região", "Gama")], "!area_elsewhere"),
    (PLACES, &[("bairro", "Copacabana")], "!unknown_area"),
    (PLACES, &[("bairro", "")], "!no_area"),
    (PLACES, &[("bairro", ""), ("endereço", "CLN 408, bloco B")], r#"neighbourhood="Asa Norte"  ~area_from_address"#),
    (PLACES, &[("bairro", "Taguatinga Norte"), ("cidade", "Brasília")], r#"neighbourhood="Taguatinga Norte"  region="Taguatinga""#),
    (PLACES, &[("bairro", "Asa Norte"), ("cidade", "Brasília - DF")], r#"neighbourhood="Asa Norte"  region="Plano Piloto""#),
    (PLACES, &[("bairro", ""), ("cidade", "Brasília")], r#"region="Plano Piloto"  -neighbourhood"#),
    (PLACES, &[("bairro", ""), ("cidade", "Brasília - DF")], r#"region="Plano Piloto"  -neighbourhood"#),
    (PLACES, &[("bairro", ""), ("cidade", "DF")], "!no_area"),
    (PLACES, &[("bairro", ""), ("cidade", "Brasília/DF"), ("endereço", "CLN 408, bloco B")], r#"neighbourhood="Asa Norte"  ~area_from_address"#),
    (EVENTS, &[("bairro", ""), ("cidade", "Brasília"), ("local", "Feira"), ("endereço", "")], r#"venue="Feira"  -place  region="Plano Piloto"  ~other_area  ~several_places"#),
    (EVENTS, &[("bairro", ""), ("cidade", "Brasília"), ("lugar do guia", "feira-gama")], r#"place="feira-gama"  region="Gama""#),
    (PLACES, &[("bairro", ""), ("região", "Plano Piloto"), ("endereço", "CLS 208")], r#"neighbourhood="Asa Sul"  region="Plano Piloto"  ~area_from_address"#),
    (PLACES, &[("bairro", "Asa Sul"), ("endereço", "CLN 408, bloco B")], r#"neighbourhood="Asa Sul"  ~address_in_other_part"#),
    (PLACES, &[("bairro", "Asa Sul"), ("endereço", "SCS Quadra 2")], r#"neighbourhood="Asa Sul""#),
    (PLACES, &[("bairro", "W3 Norte"), ("endereço", "CLN 408")], r#"neighbourhood="W3 Norte""#),
    (PLACES, &[("bairro", "Setor Central"), ("região", "Gama")], r#"neighbourhood="Setor Central (Gama)"  region="Gama""#),
    (PLACES, &[("bairro", "Setor Norte"), ("região", "Gama")], r#"neighbourhood="Setor Norte (Gama)"  region="Gama""#),
    (PLACES, &[("bairro", "Setor Norte"), ("região", "Brazlândia")], r#"neighbourhood="Setor Norte (Brazlândia)"  region="Brazlândia""#),
    (PLACES, &[("bairro", "Centro"), ("região", "Taguatinga")], r#"neighbourhood="Taguatinga Centro"  region="Taguatinga""#),
    // the venue
    (EVENTS, &[("local", "clube do choro")], r#"venue="clube do choro"  place="clube-do-choro""#),
    (EVENTS, &[("bairro", ""), ("local", "Clube do Choro")], r#"place="clube-do-choro"  region="Plano Piloto""#),
    (EVENTS, &[("bairro", ""), ("região", "Guará"), ("local", "Feira")], r#"place="feira-guara""#),
    (EVENTS, &[("local", "Um lugar novo")], r#"venue="Um lugar novo"  -place  ~unknown_venue"#),
    (EVENTS, &[("lugar do guia", "Feira")], "!several_places"),
    (EVENTS, &[("bairro", ""), ("região", "Gama"), ("lugar do guia", "Feira")], r#"place="feira-gama""#),
    (EVENTS, &[("bairro", ""), ("local", "Feira")], "!several_places"),
    (EVENTS, &[("lugar do guia", "nenhures")], "!unknown_place"),
    // yes and no, price, status
    (PLACES, &[("uau", "SIM")], "uau=true"),
    (PLACES, &[("uau", "x")], "uau=true"),
    (PLACES, &[("uau", "não")], "-uau"),
    (PLACES, &[("uau", "talvez")], "!not_yes_no"),
    (PLACES, &[("oculto", "sim")], "hidden=true"),
    (PLACES, &[("oculto", "não")], "hidden=false"),
    (EVENTS, &[("preço", "Entrada franca")], "free=true  -price"),
    (EVENTS, &[("preço", "0")], "free=true  -price"),
    (EVENTS, &[("preço", "grátis até 22h")], r#"price="grátis até 22h"  -free"#),
    (EVENTS, &[("preço", "12,5")], r#"price="R$ 12,50"  ~mended"#),
    (EVENTS, &[("preço", "1.200")], r#"price="R$ 1200"  ~mended"#),
    (EVENTS, &[("preço", "1.200,50")], r#"price="R$ 1200,50"  ~mended"#),
    (EVENTS, &[("preço", "inf")], r#"price="inf""#),
    (EVENTS, &[("preço", " R$ -   ")], "free=true  -price"),
    (EVENTS, &[("preço", "R$ 20 a R$ 40")], r#"price="R$ 20 a R$ 40""#),
    (EVENTS, &[("preço", "61999998888")], "!not_a_price"),
    (EVENTS, &[("preço", "(61) 99999-8888")], "!not_a_price"),
    (EVENTS, &[("preço", "https://sympla.com.br/show")], "!not_a_price"),
    (EVENTS, &[("preço", "19h30")], "!not_a_price"),
    (EVENTS, &[("preço", "50%")], "!not_a_price"),
    (EVENTS, &[("preço", "#N/D")], "!broken_formula"),
    (EVENTS, &[("preço", "#REF!")], "!broken_formula"),
    (EVENTS, &[("preço", "ESGOTADO")], r#"status="sold_out"  -price  ~price_moved"#),
    (EVENTS, &[("situação", "Cancelado!")], r#"status="cancelled""#),
    (EVENTS, &[("situação", "adiada")], r#"status="postponed""#),
    (EVENTS, &[("situação", "confirmado")], "-status"),
    (EVENTS, &[("situação", "quem sabe")], "!not_a_status"),
    // links
    (PLACES, &[("instagram", "@bardaesquina")], r#"instagram="bardaesquina"  ~handle_mended"#),
    (PLACES, &[("instagram", "https://www.instagram.com/bardaesquina/?igsh=a")], r#"instagram="bardaesquina"  ~handle_mended"#),
    (PLACES, &[("instagram", "https://www.instagram.com/p/Cx1/")], r#"links={"instagram":"https://www.instagram.com/p/Cx1/"}  -instagram  ~post_link"#),
    (PLACES, &[("instagram", "Bar da Esquina")], "!not_a_handle"),
    (PLACES, &[("instagram", "61999998888")], "!not_a_handle"),
    (PLACES, &[("instagram", "facebook.com/bar")], "!not_a_handle"),
    (PLACES, &[("instagram", "@bar e @outro")], r#"instagram="bar"  ~second_handle"#),
    (PLACES, &[("site", "http://bar.com.br")], r#"links={"website":"https://bar.com.br"}  ~http_link"#),
    (PLACES, &[("site", "www.bar.com.br")], r#"links={"website":"https://www.bar.com.br"}  ~completed_link"#),
    (PLACES, &[("site", "https://bar.com.br/menu de verão")], r#"links={"website":"https://bar.com.br/menu%20de%20ver%C3%A3o"}  ~encoded_link"#),
    (PLACES, &[("site", "bar@gmail.com")], "!not_a_link"),
    (PLACES, &[("site", "https://bar.com.br/menu https://bar.com.br/vinhos")], "!not_a_link"),
    // texts
    (PLACES, &[("nome", "  Bar do Zé  ")], r#"name="Bar do Zé""#),
    (PLACES, &[("nome", "Bar  do Zé")], r#"name="Bar do Zé"  ~double_space"#),
    (PLACES, &[("nome", "Bar\u{a0}do Zé\u{200b}")], r#"name="Bar do Zé"  ~invisible"#),
    (PLACES, &[("nome", "Bar\ndo Zé")], r#"name="Bar do Zé"  ~line_break"#),
    (PLACES, &[("nome", "Bar “do Zé”")], r#"name="Bar \"do Zé\""  ~smart_quotes"#),
    (PLACES, &[("nome", "CafÃ© do ZÃ©")], r#"name="Café do Zé"  ~mojibake"#),
    (PLACES, &[("nome", "“BOTECO DO ZÉ”")], r#"name="\"BOTECO DO ZÉ\""  ~smart_quotes"#),
    (PLACES, &[("nome", "“CAFÉ DA MANHÃ”")], r#"name="\"CAFÉ DA MANHÃ\""  ~smart_quotes"#),
    (PLACES, &[("nome", "CAFÉ–BAR")], r#"name="CAFÉ–BAR""#),
    (PLACES, &[("nome", "Caf\u{fffd}")], "!lost_letters"),
    (PLACES, &[("nome", "")], "!required"),
    (PLACES, &[("estilo", "n/a")], "-style  ~means_empty"),
    (PLACES, &[("endereço", "s/n")], "-address  ~means_empty"),
    (PLACES, &[("preço", "-")], "-price  ~means_empty"),
    (PLACES, &[("descrição", "Só em português")], "-description  ~half_description"),
    (PLACES, &[("descrição", "Mesas."), ("descrição em inglês", "Tables.")], r#"description={"pt":"Mesas.","en":"Tables."}"#),
    (PLACES, &[("outros nomes", "Esquina; Bar Esquina, esquina")], r#"aliases=["Esquina","Bar Esquina"]  ~listed_twice"#),
    // numbers and positions
    (PLACES, &[("menções", "12")], "mentions=12"),
    (PLACES, &[("menções", "muitas")], "!not_a_number"),
    (PLACES, &[("latitude", "-15,79062"), ("longitude", "-47,89298"), ("precisão", "30")], r#"position={"lat":-15.79062,"lon":-47.89298,"precision_m":30}"#),
    (PLACES, &[("latitude", "-15.79062, -47.89298")], r#"position={"lat":-15.79062,"lon":-47.89298,"precision_m":50}"#),
    (PLACES, &[("latitude", "-15.79062,-47.89298")], r#"position={"lat":-15.79062,"lon":-47.89298,"precision_m":50}"#),
    (PLACES, &[("latitude", "-15,79062; -47,89298")], r#"position={"lat":-15.79062,"lon":-47.89298,"precision_m":50}"#),
    (PLACES, &[("latitude", "-15,79062")], "-position  ~half_position"),
    (PLACES, &[("latitude", "-47,89298"), ("longitude", "-15,79062")], r#"position={"lat":-15.79062,"lon":-47.89298,"precision_m":50}  ~mended"#),
    // showing, notes, columns
    (PLACES, &[("mostrar a partir de", "01/12/2026"), ("mostrar até", "31/12/2026")], r#"show_from="2026-12-01"  show_until="2026-12-31""#),
    (PLACES, &[("mostrar a partir de", "31/12/2026"), ("mostrar até", "01/12/2026")], "!end_before_start"),
    (PLACES, &[("observações", "ligar antes")], r#"note="ligar antes""#),
    (PLACES, &[("ESTILO:", "samba")], r#"style="samba""#),
    (PLACES, &[("enderesso", "CLN 408")], r#"address="CLN 408"  ~near_column"#),
    (PLACES, &[("cor da parede", "azul")], "~unknown_column"),
    (PLACES, &[("horário", "19h")], "~column_of_other_kind"),
    (PLACES, &[("id", "Bar do Zé")], r#"id="bar-do-ze"  ~bad_id"#),
];

/// A field, and its value unless it is absent.
type Field<'e> = (&'e str, Option<Value>);

/// The expected fields, absent fields and codes of messages.
fn read(expected: &str) -> (Vec<Field<'_>>, Vec<(Level, &str)>) {
    let (mut fields, mut codes) = (Vec::new(), Vec::new());
    for part in expected.split("  ") {
        match part.split_at(1) {
            ("!", code) => codes.push((Level::Error, code)),
            ("~", code) => codes.push((Level::Warning, code)),
            ("-", field) => fields.push((field, None)),
            _ => {
                let (field, value) = part.split_once('=').unwrap();
                fields.push((field, Some(serde_json::from_str(value).unwrap())));
            }
        }
    }
    (fields, codes)
}

/// What an import of one row says or fills in otherwise than expected.
fn faults((kind, cells, expected): &Mistake, folder: &Files) -> Vec<String> {
    let mut wrong = Vec::new();
    let made = import(&[csv(kind, cells)], folder, today());
    let (fields, mut codes) = read(expected);
    let records: Vec<Value> = made
        .replaced
        .first()
        .map(|replaced| serde_json::from_str(&replaced.json()).unwrap())
        .unwrap_or_default();
    let record = records.first().cloned().unwrap_or_default();
    for (field, value) in fields {
        if record.get(field) != value.as_ref() {
            wrong.push(format!("{cells:?}: {field} is {:?}, not {value:?}", record.get(field)));
        }
    }
    let (pt, en) = (groups(&made.messages, Lang::Pt), groups(&made.messages, Lang::En));
    // the check of the whole folder has tests of its own; here places vanish on purpose
    let other = ["vanishes"];
    let told: Vec<_> =
        en.iter().filter(|group| group.level != Level::Info && !other.contains(&group.code)).collect();
    let mut found: Vec<(Level, &str)> = told.iter().map(|group| (group.level, group.code)).collect();
    found.sort_unstable();
    codes.sort_unstable();
    if found != codes {
        wrong.push(format!("{cells:?}: {found:?}, not {codes:?}"));
    }
    for group in told {
        let known = ["nome", "categoria", "bairro", "data", "região"];
        let header = group.header.as_deref().unwrap_or_default();
        let is_named = known.contains(&header) || cells.iter().any(|(cell, _)| *cell == header);
        let row = if group.code.ends_with("column") || group.code == "column_of_other_kind" { 1 } else { 2 };
        if group.sheet != format!("{kind}.csv") || group.rows != [row] || group.column.is_none() || !is_named
        {
            wrong.push(format!("{cells:?}: {group:?}"));
        }
    }
    for (pt, en) in pt.iter().zip(&en).filter(|(pt, _)| !other.contains(&pt.code)) {
        assert!(pt.what != en.what && pt.fix != en.fix && !pt.fix.is_empty(), "{pt:?} {en:?}");
    }
    wrong
}

#[test]
fn each_mistake_is_mended_or_told_by_sheet_row_and_column() {
    assert!(MISTAKES.len() >= 120);
    let folder = folder();
    // each import checks the whole folder
    let processors = std::thread::available_parallelism().unwrap().get();
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let parts = MISTAKES.chunks(MISTAKES.len().div_ceil(processors));
        let read = |part: &'static [Mistake]| part.iter().flat_map(|one| faults(one, &folder)).collect();
        let threads: Vec<_> = parts.map(|part| scope.spawn(move || -> Vec<String> { read(part) })).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), MISTAKES.len(), wrong.join("\n"));
}

#[test]
fn a_cell_is_named_as_people_see_it() {
    let mut workbook = rust_xlsxwriter::Workbook::new();
    let sheet = workbook.add_worksheet().set_name("Eventos").unwrap();
    for (column, header) in (0..).zip(["nome", "categoria", "bairro", "data", "horário", "mostrar até"]) {
        sheet.write(0, column, header).unwrap();
    }
    sheet.write(0, 6, 2026).unwrap();
    let day = rust_xlsxwriter::Format::new().set_num_format("dd/mm/yyyy");
    for (column, cell) in (0..).zip(["Show", "show", "Asa Norte"]) {
        sheet.write(1, column, cell).unwrap();
    }
    sheet.write(1, 3, true).unwrap();
    sheet.write_with_format(1, 4, 46_361.0, &day).unwrap();
    sheet.write(1, 5, "05/12/2026 a 31/12/2030").unwrap();
    let bytes = workbook.save_to_buffer().unwrap();
    let made = import(&[Source { label: "guia.xlsx".into(), path: None, bytes }], &folder(), today());
    let told: Vec<String> = groups(&made.messages, Lang::Pt).iter().map(|group| group.what.clone()).collect();
    for what in [
        "\"sim\" não é uma data",
        "\"05/12/2026\" não é uma hora",
        "\"05/12/2026 a 31/12/2030\" não é uma data",
        "a coluna \"2026\" não é conhecida",
    ] {
        assert!(told.iter().any(|one| one == what), "{what}: {told:?}");
    }
}

#[test]
fn messages_of_one_cause_are_one_line() {
    let rows: String = (0..30).map(|number| format!("Bar {number};bar;Asa Norte;\n")).collect();
    let bytes = format!("nome;categoria;bairro;estilo\n{rows}").into_bytes();
    let made = import(&[Source { label: "lugares.csv".into(), path: None, bytes }], &folder(), today());
    let line = |lang| {
        let groups = groups(&made.messages, lang);
        groups.iter().find(|group| group.code == "empty").unwrap().line(lang)
    };
    assert_eq!(
        line(Lang::Pt),
        "nota: lugares.csv: estilo (D) está vazio: 30 linhas, primeiras 2, 3, 4, 5, 6; preencha quando souber"
    );
    assert_eq!(
        line(Lang::En),
        "note: lugares.csv: estilo (D) is empty: 30 rows, first 2, 3, 4, 5, 6; fill it in when you know it"
    );
}

#[test]
fn a_text_that_is_too_long_is_not_cut() {
    let made = import(&[csv(PLACES, &[("nome", &"a".repeat(127))])], &folder(), today());
    let groups = groups(&made.messages, Lang::En);
    assert_eq!(
        groups[0].line(Lang::En),
        "error: lugares.csv: nome (A) is 7 characters too long: row 2; shorten it to 120 or fewer; nothing is cut"
    );
    assert!(made.replaced[0].records.is_empty());
}

/// The lines of an import of one row.
fn lines(kind: &str, cells: &[(&str, &str)], lang: Lang) -> Vec<String> {
    let made = import(&[csv(kind, cells)], &folder(), today());
    let groups = groups(&made.messages, lang);
    groups.iter().filter(|group| group.code != "vanishes").map(|group| group.line(lang)).collect()
}

#[test]
fn cells_that_contradict_each_other_are_both_named_with_what_they_say() {
    assert_eq!(
        lines(EVENTS, &[("horário", "19h às 22h"), ("hora final", "23h")], Lang::En),
        ["error: eventos.csv: hora final (F) says \"23h\", but horário (E) says \"19h às 22h\": row 2; \
          correct the cell that is wrong, or leave it empty"]
    );
    assert_eq!(
        lines(EVENTS, &[("data", "05 a 08/12/2026"), ("data final", "10/12/2026")], Lang::Pt),
        [
            "erro: eventos.csv: data final (E) diz \"10/12/2026\", mas data (D) diz \"05 a 08/12/2026\": linha 2; \
          corrija a célula errada ou deixe-a vazia"
        ]
    );
    for cells in [
        [("data", "toda terça"), ("repete", "toda sexta")],
        [("horário", "20h"), ("hora final", "19h às 22h")],
        [("repete", "toda sexta até 30/01/2027"), ("repete até", "30/03/2027")],
        [("repete", "toda sexta, 19h às 22h"), ("horário", "20h")],
    ] {
        let is_repeat = cells.iter().any(|(header, _)| *header == "repete");
        let cells: Vec<_> = [("data", "")].into_iter().filter(|_| is_repeat).chain(cells).collect();
        let lines = lines(EVENTS, &cells, Lang::En).into_iter().filter(|line| line.starts_with("error"));
        let [line] = &*lines.collect::<Vec<_>>() else { panic!("{cells:?}") };
        for (header, cell) in cells.iter().filter(|(_, cell)| !cell.is_empty()) {
            assert!(line.contains(&format!("{header} (")) && line.contains(&format!("{cell:?}")), "{line}");
        }
    }
}

#[test]
fn a_start_at_24_says_which_time_to_write() {
    let line = |lang| lines(EVENTS, &[("horário", "24:00")], lang).join("\n");
    let (pt, en) = (line(Lang::Pt), line(Lang::En));
    assert!(pt.contains("\"24:00\"") && pt.contains("00:00 com a data do dia seguinte, ou 23:59"), "{pt}");
    assert!(en.contains("\"24:00\"") && en.contains("00:00 with the date of the next day, or 23:59"), "{en}");
}

#[test]
fn a_wrong_cell_is_not_called_empty_too() {
    for (kind, header, cell) in [
        (EVENTS, "horário", "25:00"),
        (EVENTS, "horário", "manhã"),
        (EVENTS, "horário", "20h?"),
        (EVENTS, "horário", "até 22h"),
        (EVENTS, "horário", "24:00"),
        (PLACES, "estilo", &"a".repeat(500)),
        (PLACES, "bairro", &"a".repeat(500)),
    ] {
        let lines = lines(kind, &[(header, cell)], Lang::En);
        assert!(matches!(&*lines, [line] if line.starts_with("error")), "{lines:?}");
    }
}

#[test]
fn messages_quote_what_the_cell_has() {
    for (kind, header, cell, quoted) in [
        (PLACES, "menções", " 1.200 ", "\"1.200\" is not a number"),
        (PLACES, "menções", "-47,89", "\"-47,89\" is not a number"),
        (PLACES, "precisão", "1,5", "\"1,5\" is not a number"),
        (EVENTS, "repete", "todos os dias exceto segunda", "\"segunda\" is not a date"),
        (EVENTS, "repete", "toda sexta exceto Terça", "\"Terça\" is not a date"),
        (EVENTS, "repete", "toda sexta, 19H às 25H", "\"19H às 25H\" is not a time"),
        (EVENTS, "repete", "toda sexta até 30 de Dezenbro de 2026", "\"30 de Dezenbro de 2026\" was read as"),
        (EVENTS, "data", "05/12/2026 às 20H30 até Às 99h", "\"20H30 até Às 99h\" is not a time"),
    ] {
        let lines = lines(kind, &[(header, cell)], Lang::En).join("\n");
        assert!(lines.contains(quoted), "{cell}: {lines}");
    }
    let swapped = lines(PLACES, &[("latitude", "-47,89298"), ("longitude", "-15,79062")], Lang::En);
    assert!(swapped.iter().any(|line| line.contains("\"-47,89298; -15,79062\" was read as")), "{swapped:?}");
}

#[test]
fn a_weekday_alone_says_that_it_repeats_and_how_to_write_one_day() {
    let line = |lang| lines(EVENTS, &[("data", "sábado")], lang).join("\n");
    let (pt, en) = (line(Lang::Pt), line(Lang::En));
    assert!(
        pt.contains("\"sábado\" foi lido como toda semana, sem fim: linha 2; se é um dia só, escreva a data"),
        "{pt}"
    );
    assert!(
        en.contains("\"sábado\" was read as every week, without end: row 2; for one day write the date"),
        "{en}"
    );
}

#[test]
fn rows_that_cannot_be_read_hide_no_mistake_of_the_others_and_make_none() {
    let sheet = |label: &str, text: &str| Source { label: label.into(), path: None, bytes: text.into() };
    let places = "nome;categoria;bairro;endereço;id\n\
                  Bar Azul;coisa;Asa Norte;;bar-azul\n\
                  Bar Verde;bar;Asa Norte;CNB 12;bar-verde\n";
    let events = "nome;categoria;data;local;lugar do guia;hora final\n\
                  A;show;05/12/2026;Bar Azul;;\n\
                  B;show;05/12/2026;;bar-azul;\n\
                  C;show;05/11/2026;Bar Verde;;\n\
                  D;show;05/12/1999;Bar Verde;;\n\
                  E;show;05/12/2026;Bar Roxo;;\n";
    let sheets = [sheet("lugares.csv", places), sheet("eventos.csv", events)];
    let made = import(&sheets, &folder(), today());
    let groups = groups(&made.messages, Lang::En);
    let told: Vec<_> = groups
        .iter()
        .filter(|group| group.level != Level::Info)
        .map(|group| (group.sheet.as_str(), group.code, group.rows.as_slice()))
        .collect();
    assert_eq!(
        told,
        [
            ("lugares.csv", "unknown_category", &[2_u32][..]),
            ("eventos.csv", "year_out_of_range", &[5]),
            ("eventos.csv", "venue_without_area", &[6]),
            ("eventos.csv", "over", &[4]),
            ("lugares.csv", "address_elsewhere", &[3]),
        ]
    );
}
