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

/// The weekday that a folded word names by its number, as Brazilians write Monday to Friday: "2a" to "6a", "3as".
pub(crate) fn numbered_weekday(word: &str) -> Option<Weekday> {
    Some(match word.strip_suffix("as").or(word.strip_suffix('a'))? {
        "2" => Weekday::Mon,
        "3" => Weekday::Tue,
        "4" => Weekday::Wed,
        "5" => Weekday::Thu,
        "6" => Weekday::Fri,
        _ => return None,
    })
}

/// Whether a folded word says that each of the days after it is meant.
pub(crate) fn is_each(word: &str) -> bool {
    ["todo", "toda", "todos", "todas", "cada", "every", "each"].contains(&word)
}

/// A folded text without the "feira" of its weekdays: "sexta-feira" is "sexta", "2as e 4as feiras" is "2as e 4as".
pub(crate) fn without_feira(text: &str) -> String {
    let mut parts = text.split("feira");
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let day = kept.trim_end_matches([' ', '-', '–', '.']);
        let word = day.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        let is_weekday = weekday(word).is_some() || numbered_weekday(word).is_some();
        let end = day.len();
        let after = part.strip_prefix('s').unwrap_or(part);
        // "feirante" is another word
        if is_weekday && !after.starts_with(char::is_alphanumeric) {
            kept.truncate(end);
            kept.push_str(after);
        } else {
            kept.push_str("feira");
            kept.push_str(part);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn feira_is_dropped_after_weekdays_alone() {
        for (text, expected) in [
            ("toda sexta-feira", "toda sexta"),
            ("segunda-feira a sexta-feira", "segunda a sexta"),
            ("sextas feiras, 4/12", "sextas, 4/12"),
            ("sexta - feira, 4/12", "sexta, 4/12"),
            ("2as e 4as feiras", "2as e 4as"),
            ("toda sexta na feira", "toda sexta na feira"),
            ("sexta feirante", "sexta feirante"),
            ("feira", "feira"),
            ("", ""),
        ] {
            assert_eq!(without_feira(text), expected, "{text}");
        }
    }
}
