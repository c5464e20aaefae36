//! Tests of dates that are told by another one, and of years and bare hours.

use super::tests::{FRIDAY, SATURDAY, check, parse_at};

#[test]
fn weeks_are_counted_from_a_day() {
    check(
        SATURDAY,
        &[
            ("in three weeks", 3, "2026-12-12"),
            ("daqui a duas semanas", 4, "2026-12-05"),
            ("three weeks from tomorrow", 4, "2026-12-13"),
            ("two weeks from saturday", 4, "2026-12-05"),
            ("a week from sunday", 4, "2026-11-29"),
            ("10 days from now", 4, "2026-12-01"),
            ("uma semana depois do natal", 5, "2027-01-01"),
            ("sábado daqui a três semanas", 5, "2026-12-12"),
            ("saturday in two weeks", 4, "2026-12-05"),
            ("next 4 months", 3, "2026-11-21..2027-03-21"),
            ("próximos dois meses", 3, "2026-11-21..2027-01-21"),
            ("the coming three weeks", 4, "2026-11-21..2026-12-12"),
            ("within two weeks", 3, "2026-11-21..2026-12-05"),
            ("nos próximos meses", 3, "2026-11-21..2027-02-21"),
            ("próximas semanas", 2, "2026-11-21..2026-12-12"),
            ("próximo mês", 2, "2026-12-01..2026-12-31"),
            ("daqui a dois meses", 4, "2027-01-01..2027-01-31"),
            ("de hoje a oito", 4, "2026-11-28"),
            ("de hoje a quinze dias", 5, "2026-12-05"),
            ("de mañana en quince", 4, "2026-12-06"),
            ("de hoy en ocho días", 5, "2026-11-28"),
            // ranges, as before
            ("de hoje a domingo", 4, "2026-11-21..2026-11-22"),
            ("first sunday of every month", 5, "2026-12-06"),
        ],
    );
}

#[test]
fn weekends_and_weekdays_stand_beside_a_day() {
    check(
        SATURDAY,
        &[
            ("o último fim de semana antes do natal", 8, "2026-12-19..2026-12-20"),
            ("the weekend before christmas", 4, "2026-12-19..2026-12-20"),
            ("fim de semana depois do natal", 6, "2026-12-26..2026-12-27"),
            ("first saturday after christmas", 4, "2026-12-26"),
            ("o domingo antes do carnaval", 5, "2027-01-31"),
            ("último domingo do mês", 4, "2026-11-29"),
            ("penúltimo domingo de dezembro", 4, "2026-12-20"),
            ("first friday of next month", 5, "2026-12-04"),
            ("primeiro sábado do mês que vem", 6, "2026-12-05"),
            // which is over
            ("primeiro sábado do mês", 4, "2026-12-05"),
        ],
    );
}

#[test]
fn what_follows_a_day_and_what_comes_once_a_month() {
    check(
        SATURDAY,
        &[
            ("amanhã ou depois", 3, "2026-11-22..2026-11-23"),
            ("tomorrow or the day after", 5, "2026-11-22..2026-11-23"),
            ("mañana o pasado", 3, "2026-11-22..2026-11-23"),
            ("uma vez por mês", 4, "2026-11-21..2026-12-21"),
            ("monthly", 1, "2026-11-21..2026-12-21"),
        ],
    );
}

#[test]
fn on_a_friday_the_next_weekend_is_not_this_one() {
    check(
        FRIDAY,
        &[
            ("this weekend", 2, "2026-11-28..2026-11-29"),
            ("fim de semana", 3, "2026-11-28..2026-11-29"),
            ("next weekend", 2, "2026-12-05..2026-12-06"),
            ("fim de semana que vem", 5, "2026-12-05..2026-12-06"),
            ("próximo fim de semana", 4, "2026-11-28..2026-11-29"),
        ],
    );
}

#[test]
fn a_whole_year_begins_today() {
    check(
        SATURDAY,
        &[
            ("ao longo do ano", 4, "2026-11-21..2027-11-21"),
            ("throughout the year", 3, "2026-11-21..2027-11-21"),
            ("todos los años", 3, "2026-11-21..2027-11-21"),
            ("every year", 2, "2026-11-21..2027-11-21"),
            ("uma vez por mês", 4, "2026-11-21..2026-12-21"),
        ],
    );
}

#[test]
fn a_number_behind_at_is_an_hour_where_nothing_follows_that_it_counts() {
    check(
        SATURDAY,
        &[
            ("depois das 20", 3, "20:00-06:00"),
            ("às 20", 2, "20:00-21:00"),
            ("a las 12 en Asa Norte", 3, "12:00-13:00"),
            ("before 10, please", 2, "06:00-10:00"),
        ],
    );
}

#[test]
fn a_range_that_has_begun_goes_on_from_today() {
    check(
        "2026-12-02",
        &[
            ("de 1/12 a 5/12", 6, "2026-12-02..2026-12-05"),
            ("1 de dezembro a 5 de dezembro", 7, "2026-12-02..2026-12-05"),
            ("november 20 to december 10", 5, "2026-12-02..2026-12-10"),
            // both are to come
            ("de 1/11 a 5/11", 6, "2027-11-01..2027-11-05"),
            ("de 1/12/2026 a 5/12/2026", 8, "2026-12-01..2026-12-05"),
        ],
    );
    check(
        "2027-01-02",
        &[
            ("december 20 to january 3", 5, "2027-01-02..2027-01-03"),
            ("do natal ao dia de reis", 6, "2027-01-02..2027-01-06"),
        ],
    );
}

#[test]
fn twelve_at_night_is_midnight() {
    check(
        SATURDAY,
        &[
            ("12 da noite", 3, "00:00-01:00"),
            ("doze da noite", 3, "00:00-01:00"),
            ("a las 12 de la noche", 6, "00:00-01:00"),
            ("12 at night", 3, "00:00-01:00"),
            ("12 da tarde", 3, "12:00-13:00"),
            ("8 da noite", 3, "20:00-21:00"),
            ("12pm", 2, "12:00-13:00"),
        ],
    );
}

#[test]
fn a_mealtime_and_an_early_morning_are_hours() {
    check(
        SATURDAY,
        &[
            ("hora do almoço", 3, "12:00-14:00"),
            ("hora do almoço de sexta", 5, "2026-11-27 12:00-14:00"),
            ("sexta na hora do jantar", 5, "2026-11-27 19:00-21:00"),
            ("lunch break", 2, "12:00-14:00"),
            ("wednesday lunch time", 3, "2026-11-25 12:00-14:00"),
            ("lunchtime", 1, "12:00-14:00"),
            ("hora de la cena", 4, "19:00-21:00"),
            ("amanhã cedo", 2, "2026-11-22 06:00-12:00"),
            ("domingo bem cedo", 3, "2026-11-22 06:00-12:00"),
            ("amanhã de manhã cedo", 4, "2026-11-22 06:00-12:00"),
            ("cedinho no domingo", 3, "2026-11-22 06:00-12:00"),
            ("early tomorrow", 2, "2026-11-22 06:00-12:00"),
            ("early in the morning", 4, "06:00-12:00"),
            ("mañana temprano", 2, "2026-11-22 06:00-12:00"),
            ("tarde libre", 2, "12:00-18:00"),
            ("noite livre na sexta", 4, "2026-11-27 18:00-06:00"),
            ("last weekend of the year", 5, "2026-12-26..2026-12-27"),
            ("último domingo do ano", 4, "2026-12-27"),
        ],
    );
    // who has had lunch, and who gets up early
    assert_eq!(parse_at("almoço", 0, SATURDAY), None);
    assert_eq!(parse_at("cedo", 0, SATURDAY), None);
}

#[test]
fn hours_without_a_unit_are_read_beside_a_day_where_they_have_one_meaning() {
    check(
        SATURDAY,
        &[
            ("domingo das 10 às 14", 5, "2026-11-22 10:00-14:00"),
            ("domingo entre 10 e 14", 5, "2026-11-22 10:00-14:00"),
            ("sunday between 10 and 14", 5, "2026-11-22 10:00-14:00"),
            ("from 8 to 12 on sunday", 6, "2026-11-22 08:00-12:00"),
            ("das 10 às 14", 4, "10:00-14:00"),
            ("tomorrow after 6", 3, "2026-11-22 18:00-06:00"),
            ("amanhã depois das 7", 4, "2026-11-22 19:00-06:00"),
            ("after 18 tomorrow", 3, "2026-11-22 18:00-06:00"),
            ("early morning tomorrow", 3, "2026-11-22 06:00-12:00"),
            // of the morning or of the evening
            ("tomorrow from 7 to 10", 1, "2026-11-22"),
            ("amanhã depois das 8", 1, "2026-11-22"),
        ],
    );
    // ages and days
    assert_eq!(parse_at("entre 10 e 14", 0, SATURDAY), None);
    assert_eq!(parse_at("domingo de 10 a 14 anos", 0, SATURDAY), Some((1, "2026-11-22".to_owned())));
    check(SATURDAY, &[("de 10 a 14 de dezembro", 6, "2026-12-10..2026-12-14")]);
}

#[test]
fn the_next_hours_are_of_today() {
    check(
        SATURDAY,
        &[
            ("next two hours", 3, "2026-11-21"),
            ("próximas 3 horas", 3, "2026-11-21"),
            ("daqui a uma hora", 4, "2026-11-21"),
            ("in an hour", 3, "2026-11-21"),
            ("daqui a pouco", 3, "2026-11-21"),
        ],
    );
}

#[test]
fn the_next_one_is_as_long_a_time_after_the_one_before_it() {
    check(
        SATURDAY,
        &[
            ("this week or next", 4, "2026-11-21..2026-11-29"),
            ("essa semana ou na próxima", 5, "2026-11-21..2026-11-29"),
            ("this month or next", 4, "2026-11-21..2026-12-31"),
            ("neste mês ou no que vem", 6, "2026-11-21..2026-12-31"),
        ],
    );
    check(
        FRIDAY,
        &[
            ("esse fim de semana ou no próximo", 7, "2026-11-28..2026-11-29 2026-12-05..2026-12-06"),
            ("this weekend or the next one", 6, "2026-11-28..2026-11-29 2026-12-05..2026-12-06"),
        ],
    );
}

#[test]
fn what_is_on_in_the_week_the_month_or_the_day_is_of_the_present_one() {
    for (text, at, expected) in [
        ("agenda da semana", 1, "2026-11-21..2026-11-22"),
        ("os melhores shows da semana", 3, "2026-11-21..2026-11-22"),
        ("eventos de la semana", 1, "2026-11-21..2026-11-22"),
        ("events of the week", 1, "2026-11-21..2026-11-22"),
        ("what's on for the week", 3, "2026-11-21..2026-11-22"),
        ("programação do mês", 1, "2026-11-21..2026-11-30"),
        ("eventos del mes", 1, "2026-11-21..2026-11-30"),
        ("programação do dia", 1, "2026-11-21"),
        ("schedule for the day", 1, "2026-11-21"),
    ] {
        let (_, days) = parse_at(text, at, SATURDAY).unwrap_or_else(|| panic!("no days: {text}"));
        assert_eq!(days, expected, "{text}");
    }
    for (text, at) in [
        ("qualquer dia da semana", 2),
        ("no meio da semana", 2),
        ("prato do dia", 1),
        ("soup of the day", 1),
        ("evento da semana de moda", 1),
        ("agenda da semana que vem", 1),
        ("agenda do mês passado", 1),
        ("eventos da semana santa", 1),
        ("schedule for the day after tomorrow", 1),
        ("eventos do dia 2026-12-05", 1),
        ("agenda do dia primeiro de dezembro", 1),
        ("live music any night of the week", 4),
        ("eventos do dia 12", 1),
        ("eventos do dia doze", 1),
        ("da semana", 0),
    ] {
        assert_eq!(parse_at(text, at, SATURDAY), None, "{text}");
    }
}
