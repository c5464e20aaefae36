//! Tests of feasts, of parts of months and of numbers of days.

use super::tests::{FRIDAY, SATURDAY, check, parse_at};

#[test]
fn parts_of_months() {
    check(
        SATURDAY,
        &[
            ("primeira semana de janeiro", 4, "2027-01-01..2027-01-07"),
            ("na segunda semana de dezembro", 5, "2026-12-08..2026-12-14"),
            ("last week of february", 4, "2027-02-22..2027-02-28"),
            ("la tercera semana de marzo de 2028", 7, "2028-03-15..2028-03-21"),
            ("first week of november", 4, "2027-11-01..2027-11-07"),
            ("primeiro fim de semana de dezembro", 6, "2026-12-05..2026-12-06"),
            ("primeiro domingo de novembro", 4, "2027-11-07"),
            ("início de dezembro", 3, "2026-12-01..2026-12-10"),
            ("em meados de março", 4, "2027-03-11..2027-03-20"),
            ("no fim de fevereiro", 4, "2027-02-21..2027-02-28"),
            ("late november", 2, "2026-11-21..2026-11-30"),
            ("mid-january", 2, "2027-01-11..2027-01-20"),
            ("early may", 2, "2027-05-01..2027-05-10"),
            ("a finales de abril", 4, "2027-04-21..2027-04-30"),
            ("feriado 21 de abril", 4, "2027-04-21"),
            ("feriado do dia 21 de abril", 6, "2027-04-21"),
            ("sábado agora", 2, "2026-11-21"),
            ("no domingo agora", 3, "2026-11-22"),
            ("primeira quinzena de julho", 4, "2027-07-01..2027-07-15"),
            ("second half of december 2026", 5, "2026-12-16..2026-12-31"),
        ],
    );
}

#[test]
fn days_of_carnival_and_of_holy_week() {
    check(
        SATURDAY,
        &[
            ("terça gorda", 2, "2027-02-09 feast"),
            ("na segunda de carnaval", 4, "2027-02-08 feast"),
            ("mardi gras", 2, "2027-02-09 feast"),
            ("sábado de carnaval", 3, "2027-02-06 feast"),
            ("domingo de ramos", 3, "2027-03-21 feast"),
            ("quinta-feira santa", 3, "2027-03-25 feast"),
            ("dia da mulher", 3, "2027-03-08 feast"),
        ],
    );
}

#[test]
fn feasts() {
    check(
        SATURDAY,
        &[
            ("natal", 1, "2026-12-24..2026-12-25 feast"),
            ("no Natal", 2, "2026-12-24..2026-12-25 feast"),
            ("christmas", 1, "2026-12-24..2026-12-25 feast"),
            ("navidad", 1, "2026-12-24..2026-12-25 feast"),
            ("natal de 2027", 3, "2027-12-24..2027-12-25 feast"),
            ("réveillon", 1, "2026-12-31..2027-01-01 feast"),
            ("ano novo", 2, "2026-12-31..2027-01-01 feast"),
            ("virada do ano", 3, "2026-12-31..2027-01-01 feast"),
            ("New Year's Eve", 4, "2026-12-31..2027-01-01 feast"),
            ("nochevieja", 1, "2026-12-31..2027-01-01 feast"),
            ("réveillon 2026", 2, "2026-12-31..2027-01-01 feast"),
            ("réveillon 2027", 2, "2026-12-31..2027-01-01 feast"),
            ("new years eve this year", 5, "2026-12-31..2027-01-01 feast"),
            ("réveillon deste ano", 3, "2026-12-31..2027-01-01 feast"),
            ("carnaval do ano que vem", 5, "2027-02-06..2027-02-10 feast"),
            ("até o natal", 3, "2026-11-21..2026-12-25"),
            ("entre o natal e o ano novo", 7, "2026-12-24..2027-01-01"),
            ("carnaval", 1, "2027-02-06..2027-02-10 feast"),
            ("páscoa", 1, "2027-03-26..2027-03-28 feast"),
            ("easter", 1, "2027-03-26..2027-03-28 feast"),
            ("sexta-feira santa", 3, "2027-03-26 feast"),
            ("good friday", 2, "2027-03-26 feast"),
            ("viernes santo", 2, "2027-03-26 feast"),
            ("quarta-feira de cinzas", 4, "2027-02-10 feast"),
            ("semana santa", 2, "2027-03-21..2027-03-28 feast"),
            ("corpus christi", 2, "2027-05-27 feast"),
            ("7 de setembro", 3, "2027-09-07 feast"),
            ("independence day", 2, "2027-09-07 feast"),
            ("aniversário de Brasília", 3, "2027-04-21 feast"),
            ("niver de Brasília", 3, "2027-04-21 feast"),
            ("dia das crianças", 3, "2027-10-12 feast"),
            ("children's day", 3, "2027-10-12 feast"),
            ("dia das mães", 3, "2027-05-09 feast"),
            ("dia dos pais", 3, "2027-08-08 feast"),
            ("dia dos namorados", 3, "2027-06-12 feast"),
            ("halloween", 1, "2027-10-31 feast"),
            ("finados", 1, "2027-11-02 feast"),
            ("consciência negra", 2, "2027-11-20 feast"),
            ("proclamação da república", 3, "2027-11-15 feast"),
            ("noite de réveillon", 3, "2026-12-31..2027-01-01 18:00-06:00 feast"),
            ("feriado de carnaval", 3, "2027-02-06..2027-02-10 feast"),
            ("feriado do 7 de setembro", 5, "2027-09-07 feast"),
            ("feriado da consciência negra", 4, "2027-11-20 feast"),
            ("feriado da semana santa", 4, "2027-03-21..2027-03-28 feast"),
            ("feriado", 1, "2026-11-30"),
            ("feriados de dezembro", 3, "2026-12-25"),
            ("feriado em dezembro", 3, "2026-12-25"),
            ("dia do evangélico", 3, "2026-11-30 feast"),
            ("feriado de 30 de novembro", 5, "2026-11-30"),
            ("feriado do dia 8", 4, "2026-12-08"),
            ("next holiday", 2, "2026-11-30"),
            ("este puente", 2, "2026-11-30"),
        ],
    );
    check("2027-01-01", &[("réveillon", 1, "2027-01-01 feast"), ("feriado", 1, "2027-01-01")]);
    check("2027-02-08", &[("carnival", 1, "2027-02-08..2027-02-10 feast")]);
}

#[test]
fn numbers_of_days() {
    check(
        FRIDAY,
        &[
            ("de 28 a 3 de dezembro", 6, "2026-11-28..2026-12-03"),
            ("de 30 a 2 de janeiro", 6, "2026-12-30..2027-01-02"),
            ("5, 6 e 7 de dezembro", 6, "2026-12-05..2026-12-07"),
            ("10 ou 11 de dezembro", 5, "2026-12-10..2026-12-11"),
            ("5 e 12 e 19 de dezembro", 7, "2026-12-05 2026-12-12 2026-12-19"),
            ("dec 5, 6 and 7", 5, "2026-12-05..2026-12-07"),
            ("december 5 and 8pm", 2, "2026-12-05"),
            ("dec 5, 20 people", 2, "2026-12-05"),
            ("dias 10 e 11", 4, "2026-12-10..2026-12-11"),
            ("dias 10 a 12", 4, "2026-12-10..2026-12-12"),
            ("nos dias 5 e 12 de dezembro", 7, "2026-12-05 2026-12-12"),
            ("from the 10th to the 12th", 8, "2026-12-10..2026-12-12"),
            ("sábado 5", 2, "2026-12-05"),
            ("saturday the 5th", 4, "2026-12-05"),
            ("friday the 11th", 4, "2026-12-11"),
            ("sábado 20h", 3, "2026-11-28 20:00-21:00"),
            // the days go on in the next month
            ("dia 28 e dia 5", 5, "2026-11-28 2026-12-05"),
            ("28 e 5 de dezembro", 5, "2026-11-28 2026-12-05"),
            ("dia 31 e 1", 4, "2026-12-31..2027-01-01"),
            ("december 28 to 3", 4, "2026-12-28..2027-01-03"),
            // what is counted is no day
            ("dia 12 e 2 ingressos", 2, "2026-12-12"),
            ("dia 12 até 30 reais", 2, "2026-12-12"),
            ("dia 12 a 3 km da Torre", 2, "2026-12-12"),
            ("dia 5 - 18 anos", 2, "2026-12-05"),
            ("dec 12 - 2 adults", 2, "2026-12-12"),
            ("dias 1 a 5 - 18 anos", 4, "2026-12-01..2026-12-05"),
            // no Saturday soon has this number
            ("sábado 9", 1, "2026-11-28"),
            ("sábado 5 pessoas", 1, "2026-11-28"),
        ],
    );
}

#[test]
fn numbers_in_words_name_days_and_hours() {
    check(
        FRIDAY,
        &[
            ("dia quinze de dezembro", 4, "2026-12-15"),
            ("vinte e um de abril", 5, "2027-04-21"),
            ("treinta y uno de diciembre", 5, "2026-12-31"),
            ("veintiocho de noviembre", 3, "2026-11-28"),
            ("dos de febrero", 3, "2027-02-02"),
            ("fifteenth of december", 3, "2026-12-15"),
            ("the second of february", 4, "2027-02-02"),
            ("december twenty-fifth", 3, "2026-12-25"),
            ("friday the eleventh", 3, "2026-12-11"),
            ("on the fifteenth", 3, "2026-12-15"),
            ("no dia três", 3, "2026-12-03"),
            ("dia cinco do doze", 4, "2026-12-05"),
            ("dia 5 do 12", 4, "2026-12-05"),
            ("de dez a quinze de janeiro", 6, "2027-01-10..2027-01-15"),
            ("entre vinte e vinte e cinco de dezembro", 8, "2026-12-20..2026-12-25"),
            ("from the third to the fifth of december", 8, "2026-12-03..2026-12-05"),
            ("daqui a vinte e dois dias", 6, "2026-12-19"),
            ("às dezenove horas", 3, "19:00-20:00"),
            ("depois das sete e meia da noite", 7, "19:30-06:00"),
            ("a las ocho y media de la noche", 8, "20:30-21:30"),
            ("das dezoito às vinte e duas horas", 7, "18:00-22:00"),
        ],
    );
    // articles, things, and what they count
    for text in [
        "dia dos professores",
        "um dia uma festa",
        "vinte mesas",
        "dos bares",
        "second hand market",
        "once in",
    ] {
        assert_eq!(parse_at(text, 0, FRIDAY), None, "{text}");
    }
}

#[test]
fn weeks_of_a_date_and_the_weekday_of_a_date() {
    check(
        FRIDAY,
        &[
            ("semana do dia 10", 4, "2026-12-07..2026-12-13"),
            ("week of christmas", 3, "2026-12-21..2026-12-27"),
            ("fim de semana da páscoa", 5, "2027-03-27..2027-03-28"),
            ("weekend of christmas", 3, "2026-12-26..2026-12-27"),
            ("dia 12, sábado", 3, "2026-12-12"),
            ("28/11 (sábado)", 3, "2026-11-28"),
            ("dia 12, domingo", 3, "2026-11-29 2026-12-12"),
        ],
    );
}
