//! What the sentences of an import say: which cell is meant, what stands in it, and what to write instead.

use snapshots::File;
use spreadsheets::{Lang, Level, Source, groups, import};

use super::{EVENTS, PLACES, csv, folder, today};

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
        "nota: lugares.csv: estilo (D) está vazio: 30 linhas: 2-31; preencha quando souber"
    );
    assert_eq!(
        line(Lang::En),
        "note: lugares.csv: estilo (D) is empty: 30 rows: 2-31; fill it in when you know it"
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
        (PLACES, "menções", " 1.200 ", "\"1.200\" was read as \"1200\""),
        (PLACES, "menções", "-47,89", "\"-47,89\" is not a number"),
        (PLACES, "precisão", "1,5", "\"1,5\" is not a number"),
        (EVENTS, "repete", "toda sexta e 1º Sábado do mês", "\"toda sexta e 1º Sábado do mês\" names days"),
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
fn a_weekday_alone_says_that_it_repeats_and_how_to_write_one_day_or_that_weekday() {
    for (typed, pt, en) in [
        ("sábado", "todo sábado", "every saturday"),
        ("sexta, 20h", "toda sexta", "every friday"),
        ("sexta e sábado", "toda sexta e todo sábado", "every friday and every saturday"),
    ] {
        for (lang, read, fix, each) in [
            (Lang::Pt, "foi lido como toda semana, sem fim: linha 2", "escreva a data", pt),
            (Lang::En, "was read as every week, without end: row 2", "write the date", en),
        ] {
            let told = lines(EVENTS, &[("data", typed)], lang).join("\n");
            assert!(told.contains(read) && told.contains(fix) && told.ends_with(each), "{told}");
            // what it says to write is read without a word
            assert_eq!(lines(EVENTS, &[("data", each)], lang), Vec::<String>::new(), "{each}");
        }
    }
}

#[test]
fn a_position_without_its_minus_is_told_so() {
    for (lat, lon, is_minus) in [("15,8", "47,9", true), ("-23,55", "-46,63", false)] {
        for (lang, minus) in [(Lang::Pt, "falta o sinal de menos"), (Lang::En, "the minus")] {
            let told = lines(PLACES, &[("latitude", lat), ("longitude", lon)], lang).join("\n");
            assert_eq!(told.matches(minus).count(), if is_minus { 2 } else { 0 }, "{told}");
        }
    }
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

/// The only line of an import of one row that is an error or a warning.
fn only_line(kind: &str, cells: &[(&str, &str)], lang: Lang) -> String {
    let notes = ["nota", "note"];
    let mut lines = lines(kind, cells, lang);
    lines.retain(|line| !notes.iter().any(|note| line.starts_with(note)));
    assert!(lines.len() == 1, "{cells:?}: {lines:?}");
    lines.remove(0)
}

#[test]
fn a_sentence_says_what_to_write_instead() {
    for (kind, cells, pt, en) in [
        (
            PLACES,
            &[("menções", "3,5")][..],
            "escreva um número inteiro, 0 ou mais",
            "write a whole number, 0 or more",
        ),
        (
            PLACES,
            &[("precisão", "0")],
            "escreva um número inteiro, 1 ou mais",
            "write a whole number, 1 or more",
        ),
        (
            PLACES,
            &[("latitude", "15° 47' 38\" S"), ("longitude", "-47,9")],
            "\"15° 47' 38\\\" S\" não é um número que sirva aqui: linha 2; escreva como -15,79062",
            "write it as -15,79062",
        ),
        (
            PLACES,
            &[("latitude", "-15,8"), ("longitude", "-47.892.980")],
            "\"-47.892.980\"",
            "write it as -47,89298",
        ),
        (
            PLACES,
            &[("latitude", "-1579062"), ("longitude", "-47,9")],
            "\"-1579062\" fica fora do mapa do guia",
            "write it as -15,79062",
        ),
        (
            PLACES,
            &[("bairro", "408 Norte")],
            "seria \"Asa Norte\"? escolha um da lista, ou peça o novo a quem cuida das listas do guia",
            "did you mean \"Asa Norte\"? choose one of the list, or ask whoever keeps the lists of the guide",
        ),
        (PLACES, &[("bairro", "quadra 308S")], "seria \"Asa Sul\"?", "did you mean \"Asa Sul\"?"),
        (
            PLACES,
            &[("bairro", "Atlântida")],
            "escolha um da lista, ou peça o novo a quem",
            "choose one of the list, or ask whoever",
        ),
        (
            PLACES,
            &[("categoria", "astronauta")],
            "escolha uma da lista, ou peça a nova a quem",
            "choose one of the list, or ask whoever",
        ),
        (
            EVENTS,
            &[("repete", "FREQ=WEEKLY;BYDAY=XX")],
            "\"FREQ=WEEKLY;BYDAY=XX\" não é uma regra que sirva aqui",
            "\"FREQ=WEEKLY;BYDAY=XX\" is no rule that fits here",
        ),
        (EVENTS, &[("horário", "dia todo")], "deixe a célula vazia", "leave the cell empty"),
        (
            EVENTS,
            &[("data", "A partir de 05/12/2026")],
            "\"A partir de 05/12/2026\" diz só em que dia começa: linha 2; escreva 05/12/2026, e na coluna repete",
            "write 05/12/2026, and in the column repeat how it repeats, or in the column end_date the last day",
        ),
        (
            EVENTS,
            &[("data", "05/12/2029"), ("repete", "todo ano em 05/12")],
            "data (D) o evento começa em 05/12/2029, e dos que se repetem o guia só mostra os próximos 400 dias",
            "the event begins on 2029-12-05, and of those that repeat the guide shows the next 400 days only",
        ),
        (
            EVENTS,
            &[("nome", "CANCELADO - Show D"), ("situação", "")],
            "situação (E) está vazio, e o nome diz \"CANCELADO\": linha 2; escreva \"cancelado\" nesta coluna",
            "write \"cancelled\" in this column and remove it from the name",
        ),
        (
            PLACES,
            &[("endereço", "CLN 408, 61 99999-1234")],
            "endereço (D) tem um número de telefone, que aparece para todos no guia",
            "has a telephone number, which the guide shows to everybody",
        ),
    ] {
        for (lang, expected) in [(Lang::Pt, pt), (Lang::En, en)] {
            let cells: Vec<_> = cells.iter().copied().chain([("estilo", "samba")]).collect();
            let cells = if kind == PLACES { &cells[..] } else { &cells[..cells.len() - 1] };
            let line = only_line(kind, cells, lang);
            assert!(line.contains(expected), "{line}");
        }
    }
}

#[test]
fn coordinates_outside_the_map_are_said_to_be_swapped_only_when_that_is_so() {
    let told = lines(PLACES, &[("latitude", "-23,55"), ("longitude", "-46,63")], Lang::Pt).join("\n");
    assert!(told.contains("\"-23,55\" fica fora") && told.contains("\"-46,63\" fica fora"), "{told}");
    assert!(!told.contains("trocadas") && told.contains("confira no mapa"), "{told}");
    // a guide to a town where both ways are on the map of the Earth
    let bounds = r#"{"bounds":{"south":40.0,"north":41.0,"west":20.0,"east":21.0},"areas":[]}"#;
    let folder = folder().with(File::Positions, bounds);
    let made = import(&[csv(PLACES, &[("latitude", "20,5"), ("longitude", "40,5")])], &folder, today());
    let groups = groups(&made.messages, Lang::Pt);
    let swapped = groups.iter().filter(|group| group.code == "out_of_bounds");
    assert_eq!(swapped.filter(|group| group.fix.contains("trocadas")).count(), 2, "{groups:?}");
}

#[test]
fn a_price_whose_cents_went_into_the_next_cell_is_told() {
    let told = |header: &str, row: &str| {
        let bytes = format!("{header}\n{row}\n").into_bytes();
        let made = import(&[Source { label: "eventos.csv".into(), path: None, bytes }], &folder(), today());
        let lines =
            groups(&made.messages, Lang::Pt).iter().map(|group| group.line(Lang::Pt)).collect::<Vec<_>>();
        lines.into_iter().find(|line| line.contains("centavos"))
    };
    let header = "nome,categoria,data,horário,bairro,preço,telefone";
    assert_eq!(
        told(header, "Virgula,Forró,05/12/2026,20h,Asa Norte,R$ 20,50").as_deref(),
        Some(
            "aviso: eventos.csv: preço (F) foi lido como \"R$ 20\", e a célula seguinte, que não foi lida, tem \"50\": \
             são os centavos?: linha 2; ponha o preço entre aspas no arquivo: \"R$ 20,50\""
        )
    );
    for (header, row) in [
        (header, "Virgula,Forró,05/12/2026,20h,Asa Norte,\"R$ 20,50\",50"),
        (header, "Virgula,Forró,05/12/2026,20h,Asa Norte,R$ 20,3333-4444"),
        (header, "Virgula,Forró,05/12/2026,20h,Asa Norte,grátis,50"),
        ("nome,categoria,data,horário,bairro,preço,menções,id", "V,Forró,05/12/2026,20h,Asa Norte,R$ 20,50,"),
        (
            "nome,categoria,data,horário,bairro,preço,faixa etária",
            "V,Forró,05/12/2026,20h,Asa Norte,R$ 20,18",
        ),
        ("nome;categoria;data;horário;bairro;preço;telefone", "V;Forró;05/12/2026;20h;Asa Norte;R$ 20;50"),
    ] {
        let expected = header.contains("menções");
        assert_eq!(told(header, row).is_some(), expected, "{row}");
    }
}

#[test]
fn events_at_a_place_that_was_renamed_are_told_its_new_name() {
    let sheet =
        |label: &str, text: String| Source { label: label.into(), path: None, bytes: text.into_bytes() };
    let places = |id: &str, aliases: &str| {
        let text = format!(
            "nome;categoria;região;outros nomes;id\nEspaço Novo;bar;Plano Piloto;{aliases};{id}\n\
             Feira;feira;Gama;;feira-gama\nFeira;feira;Guará;;feira-guara\n"
        );
        sheet("lugares.csv", text)
    };
    let events = "nome;categoria;data;bairro;local;lugar do guia\n\
                  A;show;05/12/2026;;Clube do Choro;\n\
                  B;show;05/12/2026;Asa Norte;Clube do Choro;\n\
                  C;show;05/12/2026;Asa Norte;;Clube do Choro\n";
    let told = |places: Source| {
        let made = import(&[places, sheet("eventos.csv", events.to_owned())], &folder(), today());
        let groups = groups(&made.messages, Lang::Pt).into_iter();
        let events = groups.filter(|group| group.sheet == "eventos.csv");
        events.map(|group| (group.level, group.code, group.what, group.rows)).collect::<Vec<_>>()
    };
    let renamed = "o lugar \"Clube do Choro\" agora se chama \"Espaço Novo\", pela linha com o id dele";
    assert_eq!(
        told(places("clube-do-choro", "")),
        [
            (Level::Error, "place_renamed", renamed.to_owned(), vec![2]),
            (Level::Error, "place_renamed", renamed.to_owned(), vec![4]),
            (Level::Warning, "place_renamed", renamed.to_owned(), vec![3]),
        ]
    );
    // without the id it is another place, and as an alias the old name is one of its names
    assert!(told(places("", "")).iter().all(|(_, code, ..)| *code != "place_renamed"));
    assert_eq!(told(places("clube-do-choro", "Clube do Choro")), []);
}
