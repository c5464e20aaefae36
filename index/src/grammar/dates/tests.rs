//! Tests of all phrases together.

use chrono::{Datelike, NaiveDate};
use proptest::prelude::*;

use super::*;
use crate::grammar::tokens::{Tokens, language};

pub(super) const SATURDAY: &str = "2026-11-21";
const SUNDAY: &str = "2026-11-22";
pub(super) const FRIDAY: &str = "2026-11-27";

fn day(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

/// The phrase from token `at` as text: windows, hours, "feast"; and how many tokens it has.
pub(super) fn parse_at(text: &str, at: usize, today: &str) -> Option<(usize, String)> {
    let tokens = Tokens::new(text);
    let tokens = tokens.all();
    let (taken, when) = read(&tokens, at, day(today), language(&tokens))?;
    let mut parts: Vec<String> = Vec::new();
    for Window { from, to } in when.days.iter().flat_map(Days::windows) {
        let one = from == to;
        parts.push(if one { from.to_string() } else { format!("{from}..{to}") });
    }
    if let Some(Hours { from, to }) = when.hours {
        parts.push(format!("{:02}:{:02}-{:02}:{:02}", from / 60, from % 60, to / 60, to % 60));
    }
    if when.feast.is_some() {
        parts.push("feast".into());
    }
    Some((taken, parts.join(" ")))
}

/// Checks all rows before it fails.
pub(super) fn check(today: &str, rows: &[(&str, usize, &str)]) {
    let wrong: Vec<String> = rows
        .iter()
        .filter_map(|(text, taken, expected)| {
            let found = parse_at(text, 0, today);
            (found != Some((*taken, (*expected).to_owned())))
                .then(|| format!("{text}: {found:?}, not {taken} {expected}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn days_by_name() {
    check(
        SATURDAY,
        &[
            ("hoje", 1, "2026-11-21"),
            ("agora", 1, "2026-11-21"),
            ("hoy", 1, "2026-11-21"),
            ("today", 1, "2026-11-21"),
            ("amanhã", 1, "2026-11-22"),
            ("mañana", 1, "2026-11-22"),
            ("tomorrow", 1, "2026-11-22"),
            ("depois de amanhã", 3, "2026-11-23"),
            ("pasado mañana", 2, "2026-11-23"),
            ("day after tomorrow", 3, "2026-11-23"),
            ("fim de semana", 3, "2026-11-21..2026-11-22"),
            ("fds", 1, "2026-11-21..2026-11-22"),
            ("this weekend", 2, "2026-11-21..2026-11-22"),
            ("este fin de semana", 4, "2026-11-21..2026-11-22"),
            ("el findi", 2, "2026-11-21..2026-11-22"),
            ("next weekend", 2, "2026-11-28..2026-11-29"),
            ("fim de semana que vem", 5, "2026-11-28..2026-11-29"),
            ("el próximo fin de semana", 5, "2026-11-28..2026-11-29"),
            ("sexta", 1, "2026-11-27"),
            ("sexta-feira", 2, "2026-11-27"),
            ("6ª feira", 3, "2026-11-27"),
            ("2as feiras", 3, "2026-11-23"),
            ("sextas-feiras", 2, "2026-11-27"),
            ("na sexta", 2, "2026-11-27"),
            ("viernes", 1, "2026-11-27"),
            ("el viernes", 2, "2026-11-27"),
            ("friday", 1, "2026-11-27"),
            ("on fridays", 2, "2026-11-27"),
            ("sábado", 1, "2026-11-21"),
            ("este sábado", 2, "2026-11-21"),
            ("sábado que vem", 3, "2026-11-28"),
            ("próximo sábado", 2, "2026-11-28"),
            ("el próximo domingo", 3, "2026-11-22"),
            ("el sábado que viene", 4, "2026-11-28"),
            ("next saturday", 2, "2026-11-28"),
            ("next friday", 2, "2026-11-27"),
            ("domingo que vem", 3, "2026-11-22"),
            ("aos domingos", 2, "2026-11-22"),
            ("na segunda", 2, "2026-11-23"),
            ("miércoles", 1, "2026-11-25"),
        ],
    );
}

#[test]
fn periods_and_counted_days() {
    check(
        SATURDAY,
        &[
            ("esta semana", 2, "2026-11-21..2026-11-22"),
            ("semana que vem", 3, "2026-11-23..2026-11-29"),
            ("la semana que viene", 4, "2026-11-23..2026-11-29"),
            ("next week", 2, "2026-11-23..2026-11-29"),
            ("este mês", 2, "2026-11-21..2026-11-30"),
            ("mês que vem", 3, "2026-12-01..2026-12-31"),
            ("next month", 2, "2026-12-01..2026-12-31"),
            ("el próximo mes", 3, "2026-12-01..2026-12-31"),
            ("este ano", 2, "2026-11-21..2026-12-31"),
            ("ano que vem", 3, "2027-01-01..2027-12-31"),
            ("daqui a 3 dias", 4, "2026-11-24"),
            ("in three days", 3, "2026-11-24"),
            ("dentro de 3 días", 4, "2026-11-24"),
            ("in two weeks", 3, "2026-12-05"),
            ("next 10 days", 3, "2026-11-21..2026-12-01"),
            ("próximos 10 dias", 3, "2026-11-21..2026-12-01"),
            ("los próximos días", 3, "2026-11-21..2026-11-28"),
        ],
    );
    check(
        SUNDAY,
        &[
            ("domingo", 1, "2026-11-22"),
            ("este domingo", 2, "2026-11-22"),
            ("domingo que vem", 3, "2026-11-29"),
            ("next sunday", 2, "2026-11-29"),
            ("el próximo domingo", 3, "2026-11-29"),
            ("fim de semana", 3, "2026-11-22"),
            ("fim de semana que vem", 5, "2026-11-28..2026-11-29"),
            ("semana que vem", 3, "2026-11-23..2026-11-29"),
            ("essa semana", 2, "2026-11-22..2026-11-28"),
        ],
    );
    check(
        FRIDAY,
        &[
            ("sexta", 1, "2026-11-27"),
            ("next friday", 2, "2026-12-04"),
            ("next weekend", 2, "2026-12-05..2026-12-06"),
            ("esta semana", 2, "2026-11-27..2026-11-29"),
            ("sunday", 1, "2026-11-29"),
        ],
    );
}

#[test]
fn a_day_of_a_week_or_year_that_is_named_beside_it() {
    check(
        SATURDAY,
        &[
            ("sábado da semana que vem", 5, "2026-11-28"),
            ("domingo da próxima semana", 4, "2026-11-29"),
            ("sexta da semana que vem à noite", 7, "2026-11-27 18:00-06:00"),
            ("friday of next week", 4, "2026-11-27"),
            ("friday next week", 3, "2026-11-27"),
            ("el sábado de la próxima semana", 6, "2026-11-28"),
            ("el viernes de la semana que viene", 7, "2026-11-27"),
            ("semana que vem no sábado", 5, "2026-11-28"),
            ("next week on thursday", 4, "2026-11-26"),
            ("semana que vem na sexta e no sábado", 8, "2026-11-27..2026-11-28"),
            ("10 de janeiro do ano que vem", 7, "2027-01-10"),
            ("21 de abril do ano que vem", 7, "2027-04-21"),
            ("next year on september 7", 5, "2027-09-07"),
            ("el 7 de septiembre del año que viene", 8, "2027-09-07"),
            ("novembro do ano que vem", 5, "2027-11-01..2027-11-30"),
            ("carnaval do ano que vem", 5, "2027-02-06..2027-02-10 feast"),
            ("daqui a duas semanas, domingo", 5, "2026-12-06"),
            // two dates, and not one of the other
            ("sábado e semana que vem", 5, "2026-11-21 2026-11-23..2026-11-29"),
            ("hoje e amanhã", 3, "2026-11-21..2026-11-22"),
            ("amanhã e sábado", 3, "2026-11-21..2026-11-22"),
        ],
    );
}

#[test]
fn dates_of_the_calendar() {
    check(
        SATURDAY,
        &[
            ("agosto", 1, "2027-08-01..2027-08-31"),
            ("em dezembro", 2, "2026-12-01..2026-12-31"),
            ("novembro", 1, "2026-11-21..2026-11-30"),
            ("em novembro", 2, "2026-11-21..2026-11-30"),
            ("em março", 2, "2027-03-01..2027-03-31"),
            ("in may", 2, "2027-05-01..2027-05-31"),
            ("march 2027", 2, "2027-03-01..2027-03-31"),
            ("en enero", 2, "2027-01-01..2027-01-31"),
            ("agosto de 2028", 3, "2028-08-01..2028-08-31"),
            ("2026", 1, "2026-11-21..2026-12-31"),
            ("25 de dezembro", 3, "2026-12-25"),
            ("no dia 25 de dezembro", 5, "2026-12-25"),
            ("25 de dezembro de 2027", 5, "2027-12-25"),
            ("December 25th", 3, "2026-12-25"),
            ("december 25 2027", 3, "2027-12-25"),
            ("the 25th of december", 5, "2026-12-25"),
            ("25 de diciembre", 3, "2026-12-25"),
            ("1o de dezembro", 4, "2026-12-01"),
            ("1º de janeiro", 4, "2027-01-01"),
            ("25 dez", 2, "2026-12-25"),
            ("dia 25", 2, "2026-11-25"),
            ("dia 5", 2, "2026-12-05"),
            ("25/12", 2, "2026-12-25"),
            ("dia 25/12", 3, "2026-12-25"),
            ("25/12/2026", 3, "2026-12-25"),
            ("25/12/26", 3, "2026-12-25"),
            ("25.12.2026", 3, "2026-12-25"),
            ("25-12-2026", 3, "2026-12-25"),
            ("2026-12-25", 3, "2026-12-25"),
            ("12/25 what is on", 2, "2026-12-25"),
            ("29 de fevereiro", 3, "2028-02-29"),
        ],
    );
}

#[test]
fn ranges_and_lists() {
    check(
        SATURDAY,
        &[
            ("de 1 a 5 de dezembro", 6, "2026-12-01..2026-12-05"),
            ("entre 1 e 5 de dezembro", 6, "2026-12-01..2026-12-05"),
            ("de 1 a 5 de dezembro de 2027", 8, "2027-12-01..2027-12-05"),
            ("1 to 5 december", 4, "2026-12-01..2026-12-05"),
            ("december 1-5", 3, "2026-12-01..2026-12-05"),
            ("del 1 al 5 de diciembre", 6, "2026-12-01..2026-12-05"),
            ("de 20 a 25 de novembro", 6, "2026-11-21..2026-11-25"),
            ("de 10 a 15/12", 5, "2026-12-10..2026-12-15"),
            ("10/12 a 15/12", 5, "2026-12-10..2026-12-15"),
            ("sábado dia 28", 3, "2026-11-28"),
            ("sábado, 28 de novembro", 4, "2026-11-28"),
            ("friday, 27/11 at 8pm", 6, "2026-11-27 20:00-21:00"),
            ("24 e 25 de dezembro", 5, "2026-12-24..2026-12-25"),
            ("20 e 22 de dezembro", 5, "2026-12-20 2026-12-22"),
            ("28 de dezembro a 3 de janeiro", 7, "2026-12-28..2027-01-03"),
            ("friday to sunday", 3, "2026-11-27..2026-11-29"),
            ("from friday to sunday", 4, "2026-11-27..2026-11-29"),
            ("de sexta a domingo", 4, "2026-11-27..2026-11-29"),
            ("de viernes a domingo", 4, "2026-11-27..2026-11-29"),
            ("entre hoje e domingo", 4, "2026-11-21..2026-11-22"),
            ("até domingo", 2, "2026-11-21..2026-11-22"),
            ("until next friday", 3, "2026-11-21..2026-11-27"),
            ("hasta el viernes", 3, "2026-11-21..2026-11-27"),
            ("segunda a sexta", 3, "2026-11-23..2026-11-27"),
            ("hoje e amanhã", 3, "2026-11-21..2026-11-22"),
            ("today and tomorrow", 3, "2026-11-21..2026-11-22"),
            ("hoy y mañana", 3, "2026-11-21..2026-11-22"),
            ("hoje, amanhã e terça", 4, "2026-11-21..2026-11-22 2026-11-24"),
            ("sábado ou domingo", 3, "2026-11-21..2026-11-22"),
            ("el sábado o el domingo", 5, "2026-11-21..2026-11-22"),
            ("segunda e quarta", 3, "2026-11-23 2026-11-25"),
            ("sab e dom", 3, "2026-11-21..2026-11-22"),
            ("seg a sex", 3, "2026-11-23..2026-11-27"),
        ],
    );
    check(
        SUNDAY,
        &[("sexta e sábado", 3, "2026-11-27..2026-11-28"), ("friday to sunday", 3, "2026-11-27..2026-11-29")],
    );
    check(
        FRIDAY,
        &[
            ("friday to sunday", 3, "2026-11-27..2026-11-29"),
            ("sexta, sábado e domingo", 4, "2026-11-27..2026-11-29"),
            // the last day is of the same weekday as the first
            ("28/11 a 5/12", 5, "2026-11-28..2026-12-05"),
            ("1 de dezembro a 8 de dezembro", 7, "2026-12-01..2026-12-08"),
            ("2026-12-01 a 2026-12-08", 7, "2026-12-01..2026-12-08"),
            ("hoje a 4/12", 4, "2026-11-27..2026-12-04"),
            ("segunda a 7/12", 4, "2026-11-30..2026-12-07"),
            ("28/11, 5/12 e 12/12", 7, "2026-11-28 2026-12-05 2026-12-12"),
            ("sexta e sábado da semana que vem", 7, "2026-12-04..2026-12-05"),
            ("sexta, 4 de dezembro", 4, "2026-12-04"),
            ("de sexta a domingo da semana que vem", 8, "2026-12-04..2026-12-06"),
            ("este sábado ou domingo da semana que vem", 8, "2026-11-28 2026-12-06"),
            ("hoje à noite até 23h", 6, "2026-11-27 18:00-23:00"),
            ("friday 4 to 7pm", 5, "2026-11-27 16:00-19:00"),
        ],
    );
}

/// The time for one date is linear in the length of the question. Exponential time would be years for each of these.
#[test]
fn many_dates_are_read_in_time() {
    for phrase in
        ["fds,", "2026,", "natal,", "dezembro,", "janeiro e fevereiro, ", "fds e ", "semana que vem,"]
    {
        let text: String = phrase.chars().cycle().take(400).collect();
        let tokens = Tokens::new(&text);
        let tokens = tokens.all();
        for at in 0..tokens.len() {
            let found = read(&tokens, at, day(FRIDAY), language(&tokens));
            assert!(at > 0 || found.is_some_and(|(taken, _)| taken > tokens.len() / 2), "{phrase}");
        }
    }
}

#[test]
fn hours_alone_and_beside_days() {
    check(
        SATURDAY,
        &[
            ("tonight", 1, "2026-11-21 18:00-06:00"),
            ("hoje à noite", 3, "2026-11-21 18:00-06:00"),
            ("hoje de noite", 3, "2026-11-21 18:00-06:00"),
            ("esta noite", 2, "2026-11-21 18:00-06:00"),
            ("esta noche", 2, "2026-11-21 18:00-06:00"),
            ("this evening", 2, "2026-11-21 18:00-06:00"),
            ("esta tarde", 2, "2026-11-21 12:00-18:00"),
            ("esta mañana", 2, "2026-11-21 06:00-12:00"),
            ("à noite", 2, "18:00-06:00"),
            ("de madrugada", 2, "00:00-06:00"),
            ("3 da manhã", 3, "03:00-04:00"),
            ("2 da madrugada", 3, "02:00-03:00"),
            ("3 in the morning", 4, "03:00-04:00"),
            ("2 de la mañana", 4, "02:00-03:00"),
            ("pela manhã", 2, "06:00-12:00"),
            ("in the morning", 3, "06:00-12:00"),
            ("at night", 2, "18:00-06:00"),
            ("por la noche", 3, "18:00-06:00"),
            ("por la mañana", 3, "06:00-12:00"),
            ("mañana por la mañana", 4, "2026-11-22 06:00-12:00"),
            ("sexta à noite", 3, "2026-11-27 18:00-06:00"),
            ("sexta-feira à noite", 4, "2026-11-27 18:00-06:00"),
            ("friday night", 2, "2026-11-27 18:00-06:00"),
            ("tomorrow night", 2, "2026-11-22 18:00-06:00"),
            ("amanhã de manhã", 3, "2026-11-22 06:00-12:00"),
            ("domingo à tarde", 3, "2026-11-22 12:00-18:00"),
            ("el viernes por la noche", 5, "2026-11-27 18:00-06:00"),
            ("noite de sexta", 3, "2026-11-27 18:00-06:00"),
            ("à noite na sexta", 4, "2026-11-27 18:00-06:00"),
        ],
    );
}

#[test]
fn hours_by_the_clock() {
    check(
        SATURDAY,
        &[
            ("depois das 20h", 4, "20:00-06:00"),
            ("after 8pm", 3, "20:00-06:00"),
            ("a partir das 18h", 5, "18:00-06:00"),
            ("from 6pm", 3, "18:00-06:00"),
            ("después de las 20h", 5, "20:00-06:00"),
            ("até as 22h", 4, "06:00-22:00"),
            ("until 10pm", 3, "06:00-22:00"),
            ("before 8pm", 3, "06:00-20:00"),
            ("antes das 20h", 4, "06:00-20:00"),
            ("before 5am", 3, "00:00-05:00"),
            ("antes das 6 da manhã", 5, "00:00-06:00"),
            ("until 2am", 3, "18:00-02:00"),
            ("depois das 6h", 4, "06:00-00:00"),
            ("a partir das 5h", 5, "05:00-00:00"),
            ("às 20h", 3, "20:00-21:00"),
            ("at 8pm", 3, "20:00-21:00"),
            ("at 8 p.m.", 3, "20:00-21:00"),
            ("a las 20h", 4, "20:00-21:00"),
            ("às 20h30", 4, "20:30-21:30"),
            ("20:30", 2, "20:30-21:30"),
            ("das 18h às 22h", 6, "18:00-22:00"),
            ("das 18 às 22h", 5, "18:00-22:00"),
            ("from 6 to 10pm", 5, "18:00-22:00"),
            ("entre 18h e 22h", 6, "18:00-22:00"),
            ("18h-22h", 4, "18:00-22:00"),
            ("ao meio-dia", 3, "12:00-13:00"),
            ("at noon", 2, "12:00-13:00"),
            ("depois do almoço", 3, "14:00-06:00"),
            ("antes do jantar", 3, "06:00-19:00"),
            ("after work", 2, "18:00-06:00"),
            ("before dinner", 2, "06:00-19:00"),
            ("después de cenar", 3, "21:00-06:00"),
            ("depois da meia-noite", 4, "00:00-06:00"),
            ("until midnight", 2, "06:00-00:00"),
            ("às 8 da noite", 4, "20:00-21:00"),
            ("at 8 in the evening", 5, "20:00-21:00"),
            ("a las 8 de la mañana", 6, "08:00-09:00"),
            ("hoje às 20h", 4, "2026-11-21 20:00-21:00"),
            ("tonight at 8pm", 4, "2026-11-21 20:00-21:00"),
            ("sábado, 20h", 3, "2026-11-21 20:00-21:00"),
            ("sexta às dez da noite", 5, "2026-11-27 22:00-23:00"),
            ("el domingo a las diez de la mañana", 8, "2026-11-22 10:00-11:00"),
            ("sexta à noite depois das 22h", 7, "2026-11-27 22:00-06:00"),
            ("8pm on friday", 4, "2026-11-27 20:00-21:00"),
        ],
    );
    let found = parse_at("what's on tonight", 3, SATURDAY);
    assert_eq!(found, Some((1, "2026-11-21 18:00-06:00".into())));
}

#[test]
fn other_words_are_no_dates() {
    for text in [
        "noite",
        "noite de samba",
        "night club",
        "café da manhã",
        "casa noturna",
        "feira",
        "marco",
        "marco zero",
        "408 norte",
        "408/409",
        "may",
        "march",
        "mar",
        "sol",
        "dom bosco",
        "no dom bosco",
        "segunda opção",
        "quarta edição",
        "na segunda via",
        "31/02",
        "31/02/2027",
        "24/7",
        "farmácia 24h",
        "25",
        "20",
        "semana",
        "mês",
        "week",
        "dias",
        "puente jk",
        "el puente JK",
        "holiday inn",
        "pré-carnaval",
        "curso de 2h",
        "às 8",
        "as 20 melhores",
        "até 40",
        "a 3 km",
        "sex shop",
        "sun",
        "ter",
        "out",
        "de",
        "",
        "next",
        "que vem",
        "sqs 308",
        "3 dias",
    ] {
        let tokens = Tokens::new(text);
        for at in 0..tokens.all().len() {
            assert_eq!(parse_at(text, at, SATURDAY), None, "{text} from {at}");
        }
    }
    assert_eq!(parse_at("café da manhã no domingo", 2, SATURDAY), None);
    assert_eq!(parse_at("31 de fevereiro", 0, SATURDAY), None);
}

#[test]
fn the_next_weekday_is_after_today_and_a_plain_one_is_not_before() {
    for today in day("2026-01-01").iter_days().take(366) {
        for (portuguese, english, spanish, number) in [
            ("segunda", "monday", "lunes", 0),
            ("terça", "tuesday", "martes", 1),
            ("quarta", "wednesday", "miércoles", 2),
            ("quinta", "thursday", "jueves", 3),
            ("sexta", "friday", "viernes", 4),
            ("sábado", "saturday", "sábado", 5),
            ("domingo", "sunday", "domingo", 6),
        ] {
            let one = |text: &str| {
                let tokens = Tokens::new(text);
                let (_, when) = read(&tokens.all(), 0, today, Language::Portuguese).unwrap();
                let window = when.days.unwrap().hull();
                assert_eq!((window.from, window.from.weekday().num_days_from_monday()), (window.to, number));
                (window.from - today).num_days()
            };
            for plain in [portuguese, english, spanish] {
                assert!((0..7).contains(&one(plain)), "{plain} on {today}");
            }
            let next =
                [format!("{portuguese} que vem"), format!("next {english}"), format!("el próximo {spanish}")];
            for next in next {
                assert!((1..=7).contains(&one(&next)), "{next} on {today}");
            }
        }
    }
}

const WORDS: [&str; 64] = [
    "hoje",
    "amanhã",
    "sexta",
    "feira",
    "domingo",
    "monday",
    "to",
    "a",
    "e",
    "de",
    "das",
    "às",
    "à",
    "noite",
    "night",
    "20",
    "h",
    "30",
    "pm",
    "12",
    "2026",
    "99",
    "dezembro",
    "december",
    "25",
    "th",
    "natal",
    "ano",
    "novo",
    "que",
    "vem",
    "next",
    "in",
    "3",
    "dias",
    "semana",
    "este",
    "no",
    "el",
    "próximo",
    "from",
    "until",
    "entre",
    "between",
    "day",
    "after",
    "tomorrow",
    "0",
    "366",
    "meio",
    "dia",
    "feriado",
    "santa",
    "jazz",
    "1",
    "o",
    "até",
    "depois",
    "mês",
    "31",
    "fevereiro",
    "29",
    "mañana",
    "dom",
];

proptest! {
    #[test]
    fn no_words_break_the_reader(
        words in proptest::collection::vec((0usize..64, 0usize..7), 0..9),
        days in 0u64..40_000,
    ) {
        let marks = [" ", "/", "-", ":", ", ", ".", ""];
        let text: String = words.iter().flat_map(|(word, mark)| [WORDS[*word], marks[*mark]]).collect();
        let tokens = Tokens::new(&text);
        let tokens = tokens.all();
        let today = day("1990-01-01").checked_add_days(chrono::Days::new(days)).unwrap();
        for language in [Language::Portuguese, Language::English, Language::Spanish] {
            for at in 0..=tokens.len() {
                let found = read(&tokens, at, today, language);
                // no word is ruled out that begins a phrase
                let reader = Reader { tokens: &tokens, today, language };
                let slow = reader.when(at).map(|(end, when)| (end - at, when)).filter(|(taken, _)| *taken > 0);
                prop_assert_eq!(&found, &slow);
                let Some((taken, when)) = found else { continue };
                prop_assert!(taken > 0 && at + taken <= tokens.len(), "{} {}", text, taken);
                prop_assert!(when.days.is_some() || when.hours.is_some());
                let windows = when.days.as_ref().map_or(&[][..], Days::windows);
                prop_assert!(windows.iter().all(|window| window.from <= window.to));
                prop_assert!(windows.windows(2).all(|pair| pair[0].to.succ_opt() < Some(pair[1].from)));
            }
        }
    }
}

#[test]
fn the_tables_are_sorted() {
    fn assert_sorted<T>(table: &[(&str, T)]) {
        let words: Vec<Vec<&str>> = table.iter().map(|(phrase, _)| phrase.split(' ').collect()).collect();
        assert!(words.is_sorted_by(|one, other| one < other));
    }
    assert_sorted(terms::TERMS);
    assert_sorted(terms::LEADS);
    assert_sorted(numbers::CARDINALS);
    assert_sorted(numbers::ORDINALS);
    assert_sorted(terms::UNITS);
    assert_sorted(terms::IN_DAYS);
    assert_sorted(terms::PARTS_OF_MONTH);
    assert_sorted(parts::PARTS);
    assert_sorted(parts::BOUNDS);
}

#[test]
fn a_parameter_is_one_day_in_words_and_a_weekday_counts_from_the_first_day() {
    let (today, later) = (day(SATURDAY), day("2026-11-26"));
    let named = |text: &str, since| super::day(text, today, since).map(|day| day.to_string());
    for (text, since, expected) in [
        ("today", later, Some("2026-11-21")),
        ("Amanhã", later, Some("2026-11-22")),
        ("saturday", today, Some("2026-11-21")),
        ("sexta-feira", today, Some("2026-11-27")),
        ("monday", later, Some("2026-11-30")),
        ("next saturday", today, Some("2026-11-28")),
        ("tonight", today, None),
        ("this weekend", today, None),
        ("natal", today, None),
        ("2026-11-21", today, None),
        ("samba", today, None),
        ("", today, None),
    ] {
        assert_eq!(named(text, since).as_deref(), expected, "{text}");
    }
}

#[test]
fn a_parameter_is_one_time_of_the_clock() {
    for (text, minute) in [
        ("20:30", Some(1_230)),
        ("9:05", Some(545)),
        ("20h", Some(1_200)),
        ("8pm", Some(1_200)),
        ("20", Some(1_200)),
        ("24:00", Some(0)),
        ("25:00", None),
        ("20:60", None),
        ("20:30 hoje", None),
        ("night", None),
        ("", None),
    ] {
        assert_eq!(super::minute(text), minute, "{text}");
    }
}

#[test]
fn days_from_and_before_a_date_and_those_of_a_month_by_number() {
    check(
        SUNDAY,
        &[
            ("from december 10", 3, "2026-12-10..2026-12-17"),
            ("a partir de 10 de dezembro", 6, "2026-12-10..2026-12-17"),
            ("desde el 10 de diciembre", 5, "2026-12-10..2026-12-17"),
            ("desde o dia 10 de dezembro", 6, "2026-12-10..2026-12-17"),
            ("from january", 2, "2027-01-01..2027-01-31"),
            ("depois de 10 de dezembro", 5, "2026-12-11..2026-12-18"),
            ("after december 10", 3, "2026-12-11..2026-12-18"),
            ("depois de amanhã", 3, "2026-11-24"),
            ("depois do natal", 3, "2026-12-26..2027-01-02"),
            ("after christmas", 2, "2026-12-26..2027-01-02"),
            ("antes do natal", 3, "2026-11-22..2026-12-23"),
            ("before friday", 2, "2026-11-22..2026-11-26"),
            ("weekend of december 5", 4, "2026-12-05..2026-12-06"),
            ("fim de semana de 5 de dezembro", 7, "2026-12-05..2026-12-06"),
            ("fim de semana do dia 5", 6, "2026-12-05..2026-12-06"),
            ("el fin de semana del 12 de diciembre", 8, "2026-12-12..2026-12-13"),
            ("the weekend after next", 4, "2026-12-05..2026-12-06"),
            ("primeiro domingo de dezembro", 4, "2026-12-06"),
            ("first saturday of december", 4, "2026-12-05"),
            ("the first weekend of december", 5, "2026-12-05..2026-12-06"),
            ("último sábado de novembro", 4, "2026-11-28"),
            ("last friday of january", 4, "2027-01-29"),
            ("el segundo domingo de diciembre", 5, "2026-12-13"),
            ("second sunday in december", 4, "2026-12-13"),
            ("carnaval 2027", 2, "2027-02-06..2027-02-10 feast"),
            ("carnaval em 2028", 3, "2028-02-26..2028-03-01 feast"),
            ("sat 28 nov", 3, "2026-11-28"),
            ("2025", 1, "2025-01-01..2025-12-31"),
            ("ontem", 1, "2026-11-21"),
            ("yesterday", 1, "2026-11-21"),
            ("last weekend", 2, "2026-11-14..2026-11-15"),
            ("last friday", 2, "2026-11-20"),
            ("sexta passada", 2, "2026-11-20"),
            ("el fin de semana pasado", 5, "2026-11-14..2026-11-15"),
            ("semana passada", 2, "2026-11-09..2026-11-15"),
        ],
    );
}

#[test]
fn weekdays_of_a_month_and_of_the_week() {
    check(
        FRIDAY,
        &[
            ("sábados de dezembro", 3, "2026-12-05 2026-12-12 2026-12-19 2026-12-26"),
            ("sundays in december", 3, "2026-12-06 2026-12-13 2026-12-20 2026-12-27"),
            ("lunes de diciembre", 3, "2026-12-07 2026-12-14 2026-12-21 2026-12-28"),
            ("fins de semana de novembro", 5, "2026-11-28..2026-11-29"),
            ("primeiro domingo de dezembro", 4, "2026-12-06"),
            ("segunda semana de dezembro", 4, "2026-12-08..2026-12-14"),
            ("durante a semana", 3, "2026-11-27 2026-11-30..2026-12-03"),
            ("weekdays", 1, "2026-11-27 2026-11-30..2026-12-03"),
            ("meio da semana", 3, "2026-11-27 2026-11-30..2026-12-03"),
            ("middle of the week", 4, "2026-11-27 2026-11-30..2026-12-03"),
        ],
    );
}
