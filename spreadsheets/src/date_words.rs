//! The words of dates: the parts of a text, the names of months and of weekdays in Portuguese, English and Spanish.

use chrono::Weekday;

/// A part of a text: a number with its count of digits, a word, a mark.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Token<'t> {
    Number(u32, usize),
    Word(&'t str),
    Mark(char),
}

/// The parts of a folded text. An ordinal is its number: "1º", "5th".
pub(crate) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let kind = |c: char| {
            if c.is_ascii_digit() {
                1
            } else if c.is_alphabetic() {
                2
            } else {
                0
            }
        };
        let end = match kind(first) {
            0 => first.len_utf8(),
            kind_of_first => rest.find(|c| kind(c) != kind_of_first).unwrap_or(rest.len()),
        };
        let (run, after) = rest.split_at(end);
        rest = after;
        match kind(first) {
            1 => {
                tokens.push(Token::Number(run.parse().unwrap_or(u32::MAX), run.len()));
                // 1º, 5th
                for ordinal in ["st", "nd", "rd", "th", "o", "a"] {
                    if let Some(after) = rest.strip_prefix(ordinal)
                        && !after.starts_with(char::is_alphabetic)
                    {
                        rest = after;
                        break;
                    }
                }
            }
            2 => tokens.push(Token::Word(run)),
            _ if first.is_whitespace() => {}
            _ => tokens.push(Token::Mark(first)),
        }
    }
    tokens
}

/// The folded names of each month, the short Portuguese one first.
pub(crate) const MONTHS: [&[&str]; 12] = [
    &["jan", "janeiro", "january", "enero"],
    &["fev", "fevereiro", "feb", "february", "febrero"],
    &["mar", "marco", "march", "marzo"],
    &["abr", "abril", "apr", "april"],
    &["mai", "maio", "may", "mayo"],
    &["jun", "junho", "june", "junio"],
    &["jul", "julho", "july", "julio"],
    &["ago", "agosto", "aug", "august"],
    &["set", "setembro", "sep", "sept", "september", "septiembre"],
    &["out", "outubro", "oct", "october", "octubre"],
    &["nov", "novembro", "november", "noviembre"],
    &["dez", "dezembro", "dec", "december", "diciembre"],
];

/// The short name of a month in Portuguese, by its number from 1.
pub(crate) fn month_name(number: u32) -> &'static str {
    let names = MONTHS.iter().zip(1..).find(|(_, month)| *month == number);
    names.and_then(|(names, _)| names.first()).copied().unwrap_or_default()
}

/// The weekday that a folded word names, in Portuguese, English or Spanish.
pub(crate) fn weekday(word: &str) -> Option<Weekday> {
    Some(match word {
        "segunda" | "segundas" | "seg" | "monday" | "mondays" | "mon" | "lunes" => Weekday::Mon,
        "terca" | "tercas" | "ter" | "tuesday" | "tuesdays" | "tue" | "martes" => Weekday::Tue,
        "quarta" | "quartas" | "qua" | "wednesday" | "wednesdays" | "wed" | "miercoles" => Weekday::Wed,
        "quinta" | "quintas" | "qui" | "thursday" | "thursdays" | "thu" | "jueves" => Weekday::Thu,
        "sexta" | "sextas" | "sex" | "friday" | "fridays" | "fri" | "viernes" => Weekday::Fri,
        "sabado" | "sabados" | "sab" | "saturday" | "saturdays" | "sat" => Weekday::Sat,
        "domingo" | "domingos" | "dom" | "sunday" | "sundays" | "sun" => Weekday::Sun,
        _ => return None,
    })
}
