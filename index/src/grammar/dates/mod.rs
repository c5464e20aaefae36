//! Dates in words ("hoje", "sexta à noite", "this weekend", "em agosto") as days and hours, given the current day.

mod days;
#[cfg(test)]
mod feast_tests;
mod feasts;
mod hours;
mod numbers;
mod parts;
mod reader;
#[cfg(test)]
mod relative_tests;
pub(crate) mod terms;
#[cfg(test)]
mod tests;

use std::ops::Range;

use chrono::{Datelike, NaiveDate};

pub use days::{Days, Window};
pub(crate) use numbers::spoken_block;
pub use parts::Hours;
pub(crate) use parts::part_of_day;

use crate::grammar::fixed_words::FixedWord;
use crate::grammar::language::Language;
use crate::grammar::tokens::{Token, Tokens, language};
use reader::Reader;

/// What a phrase says of the time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct When {
    /// The days.
    pub days: Option<Days>,
    /// The hours of the day.
    pub hours: Option<Hours>,
    /// The tokens of the feast that the phrase names, which is also a subject of the question.
    pub feast: Option<Range<usize>>,
}

/// Reads the longest phrase of time that begins at token `at`: how many tokens it has, and what it says.
pub fn read(tokens: &[Token], at: usize, today: NaiveDate, language: Language) -> Option<(usize, When)> {
    if !may_begin(tokens, at) {
        return None;
    }
    let reader = Reader { tokens, today, language };
    let (end, when) = reader.when(at)?;
    Some((end.checked_sub(at).filter(|taken| *taken > 0)?, when))
}

/// How many tokens from token `at` on are written as a date of which there is no such day: "30/02/2027", "31 de abril".
pub(crate) fn no_day(tokens: &[Token], at: usize, today: NaiveDate, language: Language) -> Option<usize> {
    Some(Reader { tokens, today, language }.no_day(at)? - at)
}

/// Whether a phrase of time may begin at token `at`. Rules most words of a query out, and the numbers of addresses.
pub(crate) fn may_begin(tokens: &[Token], at: usize) -> bool {
    let Some(Token { word, fixed, .. }) = tokens.get(at) else { return false };
    let counts = |fixed: &FixedWord| !fixed.time.numbers.is_empty() || !fixed.time.ordinals.is_empty();
    let goes_on = |next: &Token| {
        matches!(next.word, "de" | "da" | "del" | "of" | "in" | "at" | "e" | "y" | "a")
            || next.fixed.is_some_and(|fixed| counts(fixed) || !fixed.time.units.is_empty())
    };
    let is_spoken_number = || fixed.is_some_and(counts) && tokens.get(at + 1).is_some_and(goes_on);
    fixed.is_some_and(|fixed| fixed.begins_time)
        || BEGINNINGS_OF_HOURS.contains(word)
        || is_spoken_number()
        || word.parse().is_ok_and(|number| (0..=LAST_DAY).contains(&number) || YEARS.contains(&number))
}

/// Where the time of a meal ends that begins at token `at`, and the token that names the meal: "hora do almoço", "lunch
/// break".
pub(crate) fn mealtime(tokens: &[Token], at: usize) -> Option<(usize, usize)> {
    // no day changes it
    let reader = Reader { tokens, today: NaiveDate::MIN, language: Language::default() };
    reader.mealtime(at).map(|(end, meal, _)| (end, meal))
}

/// Whether a word is a number in words: "doze", "twelve".
pub(crate) fn is_number_in_words(token: &Token) -> bool {
    token.fixed.is_some_and(|fixed| !fixed.time.numbers.is_empty())
}

/// Words that begin a phrase of hours, and nothing else of time.
#[rustfmt::skip]
const BEGINNINGS_OF_HOURS: &[&str] = &[
    "hora", "horario", "intervalo", "lunch", "lunchtime", "dinner", "dinnertime", "cedo", "cedinho", "temprano", "tempranito",
];

/// The years that a text can name.
const YEARS: Range<i32> = 2020..2100;

/// A phrase of time begins with no greater number that is no year.
const LAST_DAY: i32 = 31;

/// The longest text that [`day`] and [`minute`] read, in bytes.
const MAX_TEXT: usize = 40;

/// The day that the whole text names in words ("today", "amanhã", "friday", "próximo sábado"); a weekday is the first
/// from `since` on.
pub fn day(text: &str, today: NaiveDate, since: NaiveDate) -> Option<NaiveDate> {
    if text.len() > MAX_TEXT || text.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let tokens = Tokens::new(text);
    let tokens = tokens.all();
    let from = |today: NaiveDate| {
        let (taken, When { days, hours, feast }) = read(&tokens, 0, today, language(&tokens))?;
        let days = days.filter(|_| taken == tokens.len() && hours.is_none() && feast.is_none())?.hull();
        (days.from == days.to).then_some(days.from)
    };
    // a weekday stays the same, whatever day it is counted from
    let is_weekday = from(today)?.weekday() == from(today.succ_opt()?)?.weekday();
    from(if is_weekday { since } else { today })
}

/// The minute of the day that the whole text names: "20:30", "20h", "8pm".
pub fn minute(text: &str) -> Option<u16> {
    if text.len() > MAX_TEXT {
        return None;
    }
    let tokens = Tokens::new(text);
    let tokens = tokens.all();
    // only the time of the clock is read, which no day changes
    let reader = Reader { tokens: &tokens, today: NaiveDate::MIN, language: Language::default() };
    reader.minute()
}
