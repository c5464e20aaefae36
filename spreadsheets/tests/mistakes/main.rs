//! What people type, one mistake at a time, and what an import makes of it: the fields of the record, and the messages
//! by sheet, row and column in both languages.
#![allow(clippy::unwrap_used, reason = "a failed step fails the test")]

use chrono::NaiveDate;
use serde_json::Value;
use snapshots::{File, Files, demo};
use spreadsheets::{Lang, Level, Source, groups, import};

mod curator;
mod sentences;
mod sheets;

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
    (EVENTS, &[("data", "05/12/2029"), ("repete", "todo ano em 05/12")], "!beyond_window"),
    (EVENTS, &[("data", ""), ("repete", "05 e 06/12/2029")], "!beyond_window"),
    (EVENTS, &[("data", "05/12/2027"), ("repete", "todo ano em 05/12")], r#"date="2027-12-05""#),
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
    (EVENTS, &[("ingressos", "http://ingressos.example.com")], "-tickets  ~belongs_to  ~http_link"),
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
    (EVENTS, &[("data", "10 out às 20h")], r#"date="2026-10-10"  ~over  start_time="20:00"  ~time_in_date  ~year_assumed"#),
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
    (EVENTS, &[("data", "a partir de 05/12/2026")], "!open_ended"),
    (EVENTS, &[("data", "desde 05/12/2026")], "!open_ended"),
    (EVENTS, &[("data", "toda sexta a partir de 05/12/2026")], r#"repeat={"rule":"FREQ=WEEKLY;BYDAY=FR"}  date="2026-12-05"  ~off_rule"#),
    (EVENTS, &[("data", "a partir de em breve")], "!not_a_date"),
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
    (EVENTS, &[("horário", "dia todo")], "-start_time  ~all_day"),
    (EVENTS, &[("horário", "O dia inteiro")], "-start_time  ~all_day"),
    (EVENTS, &[("horário", "all day")], "-start_time  ~all_day"),
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
    (EVENTS, &[("data", "05/12/2026 19h"), ("horário", "20h")], "~time_in_date  !contradicts"),
    (EVENTS, &[("data", "05/12/2026 20h"), ("horário", "20h às 22h")], r#"start_time="20:00"  end_time="22:00"  ~time_in_date"#),
    (EVENTS, &[("data", "05/12/2026 até 22h"), ("horário", "20h")], "~time_in_date  !not_a_time"),
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
    (PLACES, &[("categoria", "Bar, Museu")], r#"category="bar"  also=["museu"]"#),
    (PLACES, &[("categoria", "astronauta")], "!unknown_category"),
    // another word is no misspelling
    (PLACES, &[("categoria", "Lazer")], "!unknown_category"),
    (PLACES, &[("categoria", "câmara")], "!unknown_category"),
    (PLACES, &[("categoria", "posto")], "!unknown_category"),
    (EVENTS, &[("categoria", "concurso")], "!unknown_category"),
    (EVENTS, &[("categoria", "moda")], "!unknown_category"),
    (EVENTS, &[("categoria", "tango")], "!unknown_category"),
    (EVENTS, &[("categoria", "mesa")], "!unknown_category"),
    (EVENTS, &[("categoria", "balão")], "!unknown_category"),
    (EVENTS, &[("categoria", "coco")], "!unknown_category"),
    (EVENTS, &[("categoria", "férias")], r#"category="feira"  ~mended"#),
    // address codes where a neighbourhood belongs
    (PLACES, &[("bairro", "SGAS")], r#"neighbourhood="Asa Sul"  region="Plano Piloto""#),
    (PLACES, &[("bairro", "SGAN 905")], r#"neighbourhood="Asa Norte"  region="Plano Piloto""#),
    (PLACES, &[("bairro", "SGAX")], "!unknown_area"),
    // one rule cannot say both
    (EVENTS, &[("data", ""), ("repete", "toda terça e primeira quinta do mês")], "!several_repeats"),
    (EVENTS, &[("data", "05/12/2026"), ("repete", "mensal")], "~every_month"),
    (EVENTS, &[("data", "05/12/2026"), ("repete", "todo dia 5")], r#"date="2026-12-05""#),
    (PLACES, &[("instagram", "www.meusite.com")], "!not_a_handle"),
    (PLACES, &[("categoria", "")], "!required"),
    (PLACES, &[("outras categorias", "museu; café")], r#"also=["museu","cafe"]"#),
    (PLACES, &[("outras categorias", "museu, Museu")], r#"also=["museu"]  ~listed_twice"#),
    (EVENTS, &[("categoria", "churrascaria")], "!category_of_other_kind"),
    (EVENTS, &[("categoria", "Restaurante")], "!category_of_other_kind"),
    (EVENTS, &[("outras categorias", "Restaurante")], "!category_of_other_kind"),
    (EVENTS, &[("categoria", "comida")], r#"category="gastronomia""#),
    (PLACES, &[("categoria", "Restaurante")], r#"category="restaurante""#),
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
    (EVENTS, &[("preço", "12,5")], r#"price="R$ 12,50"  ~bare_price"#),
    (EVENTS, &[("preço", "1.200")], r#"price="R$ 1.200"  ~mended"#),
    (EVENTS, &[("preço", "1.200,50")], r#"price="R$ 1.200,50"  ~bare_price"#),
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
    (EVENTS, &[("preço", "ESGOTADO")], r#"status="sold_out"  -price  ~belongs_to"#),
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
    // a telephone or an address of mail that everybody would see
    (PLACES, &[("nome", "Bar do Zé 61 99999-1234")], "~public_contact"),
    (PLACES, &[("endereço", "CLN 408, (61) 98888-7777")], r#"address="CLN 408, (61) 98888-7777"  ~public_contact"#),
    (PLACES, &[("estilo", "reservas: ze@example.com")], "~public_contact"),
    (PLACES, &[("outros nomes", "Bar Azul, 61 3333-4444")], "~public_contact"),
    (PLACES, &[("descrição", "Ligue 61 99999-1234."), ("descrição em inglês", "Call.")], "~public_contact"),
    (PLACES, &[("preço", "R$ 20, reservas 61 99999-1234")], "~public_contact"),
    (EVENTS, &[("local", "Casa do Zé, 61 99999-1234")], "~public_contact  ~unknown_venue"),
    (EVENTS, &[("atrações", "DJ Zé (ze@example.com)")], "~public_contact"),
    (EVENTS, &[("ingressos", "pelo zap 99999-1234")], "~public_contact"),
    (EVENTS, &[("nota", "ligar para 61 99999-1234")], r#"note="ligar para 61 99999-1234""#),
    (PLACES, &[("endereço", "SCLN 408 bloco B loja 22, 70760-542")], r#"address="SCLN 408 bloco B loja 22, 70760-542""#),
    // a name that says what a column is for
    (EVENTS, &[("nome", "CANCELADO - Show D"), ("situação", "")], "-status  ~status_in_name"),
    (EVENTS, &[("nome", "Show H (adiado)"), ("situação", "")], "~status_in_name"),
    (EVENTS, &[("nome", "Show [CANCELLED]"), ("situação", "")], "~status_in_name"),
    (EVENTS, &[("nome", "Concierto aplazado"), ("situação", "")], "~status_in_name"),
    (EVENTS, &[("nome", "Show: postponed"), ("situação", "")], "~status_in_name"),
    (EVENTS, &[("nome", "ESGOTADO - Show"), ("situação", "")], "~status_in_name"),
    (EVENTS, &[("nome", "Show (Sold Out)"), ("situação", "")], "~status_in_name"),
    (EVENTS, &[("nome", "Show (cancelado)"), ("situação", "cancelado")], r#"status="cancelled""#),
    (EVENTS, &[("nome", "O amor cancelado"), ("situação", "confirmado")], "-status"),
    (EVENTS, &[("nome", "Show (cancelado)"), ("situação", ""), ("preço", "cancelado")], r#"status="cancelled"  ~belongs_to"#),
    (EVENTS, &[("nome", "Show (cancelado)"), ("situação", "-")], "~means_empty  ~status_in_name"),
    (EVENTS, &[("nome", "Jardim Suspenso"), ("situação", "")], "-status"),
    (EVENTS, &[("situação", "aplazado")], r#"status="postponed""#),
    (PLACES, &[("nome", "Bar Adiado")], r#"name="Bar Adiado""#),
    // numbers and positions
    (PLACES, &[("menções", "12")], "mentions=12"),
    (PLACES, &[("categoria", "Bar, Restaurante")], r#"category="bar"  also=["restaurante"]"#),
    (PLACES, &[("menções", "muitas")], "!not_a_number"),
    (PLACES, &[("menções", "1.000")], "mentions=1000  ~mended"),
    (PLACES, &[("menções", "1,000")], "mentions=1000  ~mended"),
    (PLACES, &[("menções", "1.234.567")], "mentions=1234567  ~mended"),
    (PLACES, &[("menções", "12,0")], "mentions=12"),
    (PLACES, &[("menções", "-1.000")], "!not_a_number"),
    (PLACES, &[("latitude", "-15,79062"), ("longitude", "-47,89298"), ("precisão", "1.000 m")], r#"position={"lat":-15.79062,"lon":-47.89298,"precision_m":1000}  ~mended"#),
    (PLACES, &[("menções", "3,5")], "!not_a_number"),
    (PLACES, &[("latitude", "-1579062"), ("longitude", "-47,89298")], "!out_of_bounds"),
    (PLACES, &[("latitude", "-15.790.620"), ("longitude", "-47,89298")], "!not_a_number"),
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
    // a header near to a column that is missing is the error, and not what follows from it
    (PLACES, &[("nome", ""), ("Nome do estabelecimento", "Bar")], "!required  ~unknown_column"),
    (PLACES, &[("bairro", ""), ("região", "Gama"), ("setor 2", "Norte")], r#"region="Gama"  ~unknown_column"#),
    // what is not shown
    (PLACES, &[("mostrar até", "01/01/2020")], "~not_served"),
    (PLACES, &[("mostrar a partir de", "01/12/2027")], "~not_served"),
    (PLACES, &[("mostrar a partir de", "01/02/2027")], r#"show_from="2027-02-01""#),
    (PLACES, &[("oculto", "sim")], "hidden=true"),
    // what brackets in a header say
    (EVENTS, &[("Hora (fim)", "22h"), ("Horário (início)", "19h")], r#"start_time="19:00"  end_time="22:00""#),
    (EVENTS, &[("Hora (término)", "22h")], "-start_time  ~end_without_start"),
    (EVENTS, &[("data", ""), ("Data (início)", "05/12/2026"), ("Data (fim)", "08/12/2026")],
        r#"date="2026-12-05"  end_date="2026-12-08""#),
    (EVENTS, &[("data", ""), ("Data (cadastro)", "01/11/2026"), ("Data (evento)", "05/12/2026")],
        r#"date="2026-12-05"  ~unknown_column"#),
    (EVENTS, &[("Preço (meia)", "R$ 15"), ("Preço (inteira)", "R$ 30")], "~near_column  !same_column"),
    (EVENTS, &[("Preço (meia)", "R$ 15"), ("Preço", "R$ 30")], r#"price="R$ 30"  ~repeated_column"#),
    (PLACES, &[("Descrição (PT)", "Bom."), ("Descrição (EN)", "Good.")], r#"description={"en":"Good.","pt":"Bom."}"#),
    (PLACES, &[("Endereço (opcional)", "CLN 408"), ("Preço (R$) ", "R$ 15")], r#"address="CLN 408"  price="R$ 15""#),
    (EVENTS, &[("Horário (hh:mm)", "19:30"), ("Preço [ex.: R$ 20]", "R$ 15")], r#"start_time="19:30"  price="R$ 15""#),
    // a name that is exact comes before one that is guessed, and short words are not guessed
    (EVENTS, &[("Capa", "flyer_123.jpg"), ("Local", "Praça")], r#"venue="Praça"  ~unknown_column  ~unknown_venue"#),
    (EVENTS, &[("Arte", "10/12/2026"), ("Lote", "2"), ("Idade", "18")], "-note  ~unknown_column  ~unknown_column  ~unknown_column"),
    (EVENTS, &[("Tipo de ingresso", "pista")], "-links  ~unknown_column"),
    (EVENTS, &[("Local do eventoo", "Rua"), ("Local", "Praça")], r#"venue="Praça"  ~repeated_column  ~unknown_venue"#),
    (EVENTS, &[("Onde", "Rua"), ("Local", "Praça")], "!same_column"),
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
