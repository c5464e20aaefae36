//! What curators did to their sheets, and what an import makes of it: ids that moved, columns that say something else
//! than their header, texts that other programs wrote.

use chrono::NaiveDate;
use rust_xlsxwriter::{Format, Workbook};
use serde_json::{Value, json};
use snapshots::{File, Files};
use spreadsheets::{Import, Lang, Level, Source, groups, import};

use super::{EVENTS, PLACES, csv, folder, today};

fn read_sheets(sheets: &[(&str, &str)], folder: &Files, today: NaiveDate) -> Import {
    let source = |(name, text): &(&str, &str)| Source {
        label: (*name).into(),
        path: None,
        bytes: text.as_bytes().to_vec(),
    };
    import(&sheets.iter().map(source).collect::<Vec<_>>(), folder, today)
}

fn read(text: &str, folder: &Files) -> Import {
    read_sheets(&[("eventos.csv", text)], folder, today())
}

fn records(made: &Import, file: File) -> Vec<Value> {
    let replaced = made.replaced.iter().find(|replaced| replaced.kind.file() == file).unwrap();
    serde_json::from_str(&replaced.json()).unwrap()
}

fn events(made: &Import) -> Vec<Value> {
    records(made, File::Events)
}

fn lines(made: &Import) -> Vec<String> {
    groups(&made.messages, Lang::Pt).iter().map(|group| group.line(Lang::Pt)).collect()
}

fn codes(made: &Import) -> Vec<(Level, &'static str)> {
    groups(&made.messages, Lang::En).iter().map(|group| (group.level, group.code)).collect()
}

/// The ids by the names of events.
fn named(made: &Import) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    events(made).iter().map(|event| (text(&event["name"]), text(&event["id"]))).collect()
}

#[test]
fn a_day_that_may_be_read_either_way_is_an_error_where_the_month_comes_first() {
    let days = ["12/4/2026", "12/5/2026", "12/12/2026", "12/18/2026", "1/2/2027", "1/16/2027"];
    let rows: String =
        (1..).zip(days).map(|(number, day)| format!("Show {number};show;Asa Norte;{day}\n")).collect();
    let made = read(&format!("nome;categoria;bairro;data\n{rows}"), &folder());
    let errors: Vec<String> = lines(&made).into_iter().filter(|line| line.starts_with("erro")).collect();
    let [line] = &*errors else { panic!("{errors:?}") };
    assert!(line.contains("data (D) ") && line.contains("\"12/18/2026\" (linha 5)"), "{line}");
    assert!(line.contains("linhas 2, 3, 6; escreva o mês por extenso"), "{line}");
    let dates: Vec<Value> = events(&made).iter().map(|event| event["date"].clone()).collect();
    assert_eq!(dates, ["2026-12-12", "2026-12-18", "2027-01-16"]);
    // the other columns of days are of the same locale
    let text = "nome;categoria;bairro;data;data final\nShow;show;Gama;12/18/2026;12/19/2026\n\
                Baile;show;Gama;4 dez 2026;12/5/2026\n";
    assert!(codes(&read(text, &folder())).contains(&(Level::Error, "day_or_month")));
    // a slip among days that come first
    let text = "nome;categoria;bairro;data\nShow;show;Gama;12/25/2026\nBaile;show;Gama;05/12/2026\n\
                Roda;show;Gama;18/12/2026\n";
    let made = read(text, &folder());
    assert_eq!((made.has_errors(), codes(&made)), (false, vec![(Level::Warning, "month_first")]));
}

#[test]
fn ids_that_only_changed_rows_follow_their_names() {
    let head = "nome;categoria;bairro;data;id\n";
    let row = |name: &str, day: u32, id: &str| format!("{name};show;Gama;{day:02}/12/2026;{id}\n");
    let first =
        read(&[head, &row("Zebra", 5, ""), &row("Alfa", 6, ""), &row("Beto", 7, "")].concat(), &folder());
    let folder = folder().with(File::Events, first.replaced[0].json());
    let own = |name: &str| (name.to_owned(), name.to_lowercase());
    let sorted = [
        // all exchanged; shifted, with one that has lost its own
        [row("Alfa", 6, "zebra"), row("Beto", 7, "alfa"), row("Zebra", 5, "beto")],
        [row("Alfa", 6, ""), row("Beto", 7, "alfa"), row("Zebra", 5, "beto")],
    ];
    for rows in sorted {
        let made = read(&[head, &rows.concat()].concat(), &folder);
        assert_eq!(named(&made), [own("Alfa"), own("Beto"), own("Zebra")], "{rows:?}");
        assert_eq!(codes(&made), [(Level::Warning, "ids_follow_names")], "{rows:?}");
        assert!(made.replaced[0].changed.is_empty(), "{:?}", made.replaced[0].changed);
        assert!(!made.missing_ids.is_empty(), "they are written back");
    }
    // one row that took over a name is told, and keeps its id
    let made = read(&[head, &row("Alfa", 6, "zebra"), &row("Beto", 7, "beto")].concat(), &folder);
    assert_eq!(named(&made)[0], ("Alfa".to_owned(), "zebra".to_owned()));
    assert!(codes(&made).contains(&(Level::Warning, "exchanged_id")));
}

#[test]
fn a_mistyped_id_is_told_with_the_one_that_the_record_had() {
    let head = "nome;categoria;bairro;data;id\n";
    let row = |name: &str, id: &str| format!("{name};show;Gama;05/12/2026;{id}\n");
    let first = read(&[head, &row("Adora-Roda", ""), &row("Zebra", "")].concat(), &folder());
    let folder = folder().with(File::Events, first.replaced[0].json());
    let made = read(&[head, &row("Adora-Roda", "adora-rodas"), &row("Zebra", "zebra")].concat(), &folder);
    let told = lines(&made);
    let [line] = &*told else { panic!("{told:?}") };
    assert!(line.contains("mudou de \"adora-roda\" para \"adora-rodas\": linha 2"), "{line}");
    // the id of another row: the name says which is its own
    let made = read(&[head, &row("Zebra", "zebra"), &row("Adora-Roda", "zebra")].concat(), &folder);
    assert_eq!(named(&made)[1].1, "adora-roda");
    assert_eq!(codes(&made), [(Level::Warning, "twin_id")]);
    // a copy is another record
    let made = read(
        &[head, &row("Zebra", "zebra"), &row("Zebra", "zebra"), &row("Adora-Roda", "")].concat(),
        &folder,
    );
    assert_eq!(named(&made)[1].1, "zebra-gama");
}

/// The one event or place of a sheet with these cells, and the codes of what is told.
fn one(kind: &str, cells: &[(&str, &str)]) -> (Value, Vec<(Level, &'static str)>) {
    let made = import(&[csv(kind, cells)], &folder(), today());
    let told = codes(&made).into_iter().filter(|(_, code)| *code != "vanishes").collect();
    let record = made.replaced[0].json();
    let record = serde_json::from_str::<Vec<Value>>(&record).unwrap().pop().unwrap_or_default();
    (record, told)
}

#[test]
fn what_stands_in_the_column_of_tickets_goes_where_it_belongs() {
    let warned = |code| vec![(Level::Warning, code)];
    for (cell, field, value) in [
        ("R$ 20", "price", json!("R$ 20")),
        ("R$ 20 / R$ 40", "price", json!("R$ 20 / R$ 40")),
        ("grátis", "free", json!(true)),
        ("https://sympla.com.br/x", "links", json!({ "tickets": "https://sympla.com.br/x" })),
        ("ESGOTADO", "status", json!("sold_out")),
    ] {
        let (event, told) = one(EVENTS, &[("Ingresso", cell)]);
        assert_eq!((&event[field], &event["tickets"]), (&value, &Value::Null), "{cell}");
        assert_eq!(told, warned("belongs_to"), "{cell}");
    }
    let (event, told) = one(EVENTS, &[("Ingresso", "20")]);
    assert_eq!((&event["price"], told.len()), (&json!("R$ 20"), 2));
    // what says how to get them stays, and so does what has a column of its own
    for cells in [
        &[("ingressos", "na bilheteria, R$ 20")][..],
        &[("ingressos", "R$ 20"), ("preço", "R$ 20 a R$ 30")],
        &[("ingressos", "https://x.com.br"), ("link de ingressos", "https://y.com.br")],
    ] {
        let (event, told) = one(EVENTS, cells);
        assert_eq!((&event["tickets"], told), (&json!(cells[0].1), vec![]), "{cells:?}");
    }
    assert_eq!(one(EVENTS, &[("Valor do ingresso", "R$ 20")]), one(EVENTS, &[("preço", "R$ 20")]));
}

#[test]
fn what_says_how_to_get_tickets_stays_in_their_column() {
    for cell in [
        "(61) 99999-8888",
        "20:00",
        "10/12",
        "a partir de 10/12",
        "R$ 20 a partir de 10/12",
        "1 por pessoa",
        "-20",
        "sim",
    ] {
        let (event, _) = one(EVENTS, &[("ingressos", cell)]);
        assert_eq!((&event["tickets"], &event["price"]), (&json!(cell), &Value::Null), "{cell}");
    }
}

#[test]
fn a_status_in_the_column_of_tickets_goes_to_its_own_unless_that_has_a_cell() {
    let (event, told) = one(EVENTS, &[("preço", "R$ 50"), ("ingressos", "Esgotado"), ("situação", "")]);
    assert_eq!(
        (&event["price"], &event["status"], &event["tickets"]),
        (&json!("R$ 50"), &json!("sold_out"), &Value::Null)
    );
    assert_eq!(told, [(Level::Warning, "belongs_to")]);
    for (header, cell, status) in
        [("situação", "confirmado", Value::Null), ("Cancelado", "sim", json!("cancelled"))]
    {
        let (event, told) = one(EVENTS, &[("ingressos", "Esgotado"), (header, cell)]);
        assert_eq!((&event["status"], &event["tickets"]), (&status, &json!("Esgotado")), "{header}");
        assert_eq!(told, [], "{header}");
    }
}

#[test]
fn a_price_from_an_amount_on_is_one() {
    for header in ["preço", "ingressos"] {
        let (event, told) = one(EVENTS, &[(header, "R$ 50+")]);
        assert_eq!(event["price"], "R$ 50+", "{header}");
        assert!(told.iter().all(|(level, _)| *level == Level::Warning), "{told:?}");
    }
}

#[test]
fn what_belongs_to_another_column_is_told_by_its_name_in_each_language() {
    for (cells, pt, en) in [
        ([("preço", "Esgotado")], "coluna situação", "column status"),
        ([("ingressos", "Esgotado")], "coluna situação", "column status"),
        ([("ingressos", "R$ 20")], "coluna preço", "column price"),
        ([("ingressos", "https://x.com.br")], "coluna link de ingressos", "column ticket_link"),
    ] {
        let made = import(&[csv(EVENTS, &cells)], &folder(), today());
        for (lang, expected) in [(Lang::Pt, pt), (Lang::En, en)] {
            let told = groups(&made.messages, lang);
            assert!(told.iter().any(|group| group.what.contains(expected)), "{cells:?}: {told:?}");
        }
    }
}

#[test]
fn a_column_for_each_status_is_read() {
    for (header, cell, status) in [
        ("Cancelado", "sim", json!("cancelled")),
        ("cancelado?", "x", json!("cancelled")),
        ("Cancelado", "cancelado", json!("cancelled")),
        ("Cancelado", "não", Value::Null),
        ("Adiado", "sim", json!("postponed")),
        ("Esgotado", "x", json!("sold_out")),
    ] {
        let (event, told) = one(EVENTS, &[(header, cell)]);
        assert_eq!((&event["status"], told), (&status, vec![]), "{header}: {cell}");
    }
    assert_eq!(one(EVENTS, &[("Cancelado", "talvez")]).1, [(Level::Error, "not_yes_no")]);
    assert_eq!(one(EVENTS, &[("Cancelado", "x"), ("situação", "adiado")]).1, [(Level::Error, "contradicts")]);
    assert_eq!(one(EVENTS, &[("Cancelado", "sim"), ("Adiado", "sim")]).1, [(Level::Error, "contradicts")]);
    // it was sold out before
    let (event, told) = one(EVENTS, &[("Cancelado", "sim"), ("Esgotado", "sim")]);
    assert_eq!((&event["status"], told), (&json!("cancelled"), vec![]));
}

#[test]
fn a_quote_that_is_open_at_the_end_of_a_file_is_an_error() {
    let text = "nome;categoria;bairro;data\nShow;show;Gama;05/12/2026\n\"Baile;show;Gama;06/12/2026";
    for text in [text.to_owned(), format!("{text}\n")] {
        assert_eq!(codes(&read(&text, &folder())), [(Level::Error, "open_quote")], "{text}");
    }
}

#[test]
fn lines_of_a_list_stay_apart() {
    let (event, told) =
        one(EVENTS, &[("atrações", "Banda A\nBanda B\n\nBanda C"), ("endereço", "CLN 408,\nbloco B")]);
    assert_eq!(
        (&event["lineup"], &event["address"]),
        (&json!("Banda A, Banda B, Banda C"), &json!("CLN 408, bloco B"))
    );
    assert_eq!(told, [(Level::Warning, "lines_joined"), (Level::Warning, "lines_joined")]);
}

#[test]
fn prices_of_one_kind_are_one_line_and_those_in_cells_of_money_none() {
    let mut workbook = Workbook::new();
    let sheet = workbook.add_worksheet().set_name("Eventos").unwrap();
    for (column, header) in (0..).zip(["nome", "categoria", "bairro", "data", "preço"]) {
        sheet.write(0, column, header).unwrap();
    }
    for row in 1..=20 {
        for (column, cell) in (0..).zip([&*format!("Show {row}"), "show", "Asa Norte", "05/12/2026"]) {
            sheet.write(row, column, cell).unwrap();
        }
        let price = 1_234.5 + f64::from(row);
        let formats = ["\"R$\" #,##0.00", "[$R$-416] #,##0.00", "#,##0.00"];
        let format = Format::new().set_num_format(formats[usize::from(row > 6) + usize::from(row > 12)]);
        sheet.write_with_format(row, 4, price, &format).unwrap();
    }
    let bytes = workbook.save_to_buffer().unwrap();
    let made = import(&[Source { label: "guia.xlsx".into(), path: None, bytes }], &folder(), today());
    assert_eq!(events(&made)[0]["price"], "R$ 1.235,50");
    assert_eq!(
        lines(&made),
        [
            "aviso: guia.xlsx, Eventos: preço (E) é um número sem R$, e foi lido em reais: 8 linhas: 14-21; confira"
        ]
    );
}

#[test]
fn a_place_that_is_gone_is_told_with_the_rows_at_it() {
    let places = "nome;categoria;bairro;id\nClube do Choro;bar;Asa Norte;clube-do-choro\n";
    let events = "nome;categoria;bairro;data;local\nShow;show;Gama;05/12/2026;Feira\n\
                  Baile;show;Gama;06/12/2026;Bar Nenhum\nRoda;show;Gama;07/12/2026;Feira\n";
    let made = read_sheets(&[("lugares.csv", places), ("eventos.csv", events)], &folder(), today());
    let told = lines(&made);
    assert!(
        told.iter().any(|line| line.contains("o lugar \"Feira\" saiu") && line.contains("linhas 2, 4;")),
        "{told:?}"
    );
    assert!(told.iter().any(|line| line.contains("não é o nome de um lugar do guia: linha 3;")), "{told:?}");
}

#[test]
fn names_that_are_none_and_texts_of_other_programs_are_told() {
    for name in ["-", "n/a", "a definir"] {
        assert!(one(EVENTS, &[("nome", name)]).1.contains(&(Level::Error, "required")), "{name}");
    }
    for (kind, cells, code) in [
        (PLACES, ("nome", "Bar do Zé (fechado)"), "closed_in_name"),
        (PLACES, ("nome", "Bar do Zé - FECHADO"), "closed_in_name"),
        (EVENTS, ("nome", "S?o Jo?o da Capital"), "question_marks"),
        (EVENTS, ("nome", "João &amp; Maria"), "html_codes"),
    ] {
        assert_eq!(one(kind, &[cells]).1, [(Level::Warning, code)], "{cells:?}");
    }
    assert_eq!(one(EVENTS, &[("nome", "João &amp; Maria")]).0["name"], "João & Maria");
    for (kind, cells) in [
        (PLACES, ("nome", "Clube Fechado")),
        (PLACES, ("nome", "Nenhum")),
        (EVENTS, ("nome", "Quem tem medo? Teatro")),
        (EVENTS, ("nome", "Tom & Jerry")),
        (PLACES, ("nome", "Ensaio (aberto)")),
    ] {
        assert_eq!(one(kind, &[cells]).1, [], "{cells:?}");
    }
}

#[test]
fn nonsense_is_no_price() {
    for price in ["-20", "não", "sim", "R$ 2O,00", "R$ 20,00,", "1E+02"] {
        assert_eq!(one(EVENTS, &[("preço", price)]).1, [(Level::Error, "not_a_price")], "{price}");
    }
}

#[test]
fn a_cell_that_is_wrong_causes_no_second_message() {
    let long = "a".repeat(3_000);
    assert_eq!(
        one(PLACES, &[("descrição", "Um bar."), ("descrição em inglês", &long)]).1,
        [(Level::Error, "too_long")]
    );
    assert_eq!(
        one(PLACES, &[("descrição", "Um bar."), ("descrição em inglês", "")]).1,
        [(Level::Warning, "half_description")]
    );
    let made = import(&[csv(EVENTS, &[("Fim", "23h")])], &folder(), today());
    let told = lines(&made);
    assert!(told.len() == 1 && told[0].contains("dê a ela o nome \"hora final\""), "{told:?}");
    assert_eq!(one(PLACES, &[("precisão", "20")]).1, [(Level::Warning, "precision_alone")]);
    let text = "nome;categoria;data;lugar do guia\nShow;show;05/12/2026;clube-do-choro\n\
                Baile;show;06/12/2026;clube-do-chorro\n";
    assert_eq!(codes(&read(text, &folder())), [(Level::Error, "unknown_place")]);
}

#[test]
fn a_year_and_a_page_are_named_as_they_are() {
    let made = import(&[csv(EVENTS, &[("data", "05/12/202")])], &folder(), today());
    assert!(lines(&made)[0].contains("a data 05/12/202 está fora"), "{:?}", lines(&made));
    let page = |path: Option<&str>| {
        let bytes = b"<!DOCTYPE html><p>nome</p>".to_vec();
        let source = Source { label: "guia.xlsx".into(), path: path.map(Into::into), bytes };
        lines(&import(&[source], &folder(), today()))
    };
    assert!(
        page(Some("guia.xlsx"))[0].contains("salve como Pasta de Trabalho"),
        "{:?}",
        page(Some("guia.xlsx"))
    );
    assert!(page(None)[0].contains("Google Planilhas"));
}

/// A record as the cells of a sheet: each column with the path of its field.
fn cells(record: &Value, columns: &[(&str, &str)]) -> Vec<String> {
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Bool(value) => if *value { "sim" } else { "não" }.to_owned(),
        other => other.to_string(),
    };
    let cell = |path: &str| {
        let value = path.split('.').try_fold(record, |value, field| value.get(field));
        match value {
            None => String::new(),
            Some(Value::Array(parts)) => parts.iter().map(text).collect::<Vec<_>>().join("; "),
            Some(value) => text(value),
        }
    };
    let paths = columns.iter().map(|(_, path)| path.split('|').map(cell).find(|cell| !cell.is_empty()));
    paths.map(Option::unwrap_or_default).collect()
}

#[test]
fn the_demo_as_a_sheet_changes_nothing() {
    const BOTH: [(&str, &str); 21] = [
        ("id", "id"),
        ("nome", "name"),
        ("categoria", "category"),
        ("outras categorias", "also"),
        ("bairro", "neighbourhood"),
        ("região", "region"),
        ("endereço", "address"),
        ("preço", "price"),
        ("grátis", "free"),
        ("instagram", "instagram"),
        ("site", "links.website"),
        ("link do instagram", "links.instagram"),
        ("link de ingressos", "links.tickets"),
        ("mapa", "links.google_maps"),
        ("uau", "uau"),
        ("latitude", "position.lat"),
        ("longitude", "position.lon"),
        ("precisão", "position.precision_m"),
        ("oculto", "hidden"),
        ("mostrar a partir de", "show_from"),
        ("mostrar até", "show_until"),
    ];
    const OF_PLACES: [(&str, &str); 4] = [
        ("estilo", "style"),
        ("menções", "mentions"),
        ("descrição", "description.pt"),
        ("descrição em inglês", "description.en"),
    ];
    const OF_EVENTS: [(&str, &str); 12] = [
        ("data", "date|repeat.dates"),
        ("data final", "end_date"),
        ("repete", "repeat.rule"),
        ("repete até", "repeat.until"),
        ("exceto", "repeat.except"),
        ("horário", "start_time"),
        ("hora final", "end_time"),
        ("local", "venue"),
        ("lugar do guia", "place"),
        ("situação", "status"),
        ("atrações", "lineup"),
        ("ingressos", "tickets"),
    ];
    let mut demo = snapshots::demo::files();
    // of aliases that differ by accents alone a sheet keeps one, and says so
    for file in [File::Places, File::Events] {
        let mut listed: Vec<Value> = serde_json::from_str(demo.text(file).unwrap()).unwrap();
        listed.iter_mut().for_each(|record| drop(record.as_object_mut().unwrap().remove("aliases")));
        demo = demo.with(file, Value::from(listed).to_string());
    }
    let source = |file: File, label: &str, own: &[(&'static str, &'static str)]| {
        let columns: Vec<(&str, &str)> = BOTH.iter().chain(own).copied().collect();
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(columns.iter().map(|(header, _)| header)).unwrap();
        for record in serde_json::from_str::<Vec<Value>>(demo.text(file).unwrap()).unwrap() {
            writer.write_record(cells(&record, &columns)).unwrap();
        }
        Source { label: label.into(), path: None, bytes: writer.into_inner().unwrap() }
    };
    let sources =
        [source(File::Places, "lugares.csv", &OF_PLACES), source(File::Events, "eventos.csv", &OF_EVENTS)];
    let made = import(&sources, &demo, today());
    assert!(!made.has_errors(), "{:?}", lines(&made));
    for replaced in &made.replaced {
        assert_eq!((replaced.new, &*replaced.vanished, &*replaced.changed), (0, &[][..], &[][..]));
    }
    // what the check says of the demo itself
    let of_check = ["unknown_venue", "address_elsewhere", "far_from_area"];
    let is_told = |(level, code): &(Level, &str)| *level == Level::Warning && !of_check.contains(code);
    assert_eq!(codes(&made).into_iter().filter(is_told).collect::<Vec<_>>(), []);
}
