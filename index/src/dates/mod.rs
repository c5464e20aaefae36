//! Dates in words ("hoje", "sexta à noite", "this weekend", "em agosto") as days and hours, given the current day.

mod days;
mod feasts;
mod hours;
mod reader;
mod terms;
#[cfg(test)]
mod tests;

use chrono::NaiveDate;

pub use days::{Days, Window};
pub use hours::Hours;

use crate::language::Language;
use crate::tokens::Token;
use reader::Reader;

/// What a phrase says of the time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct When {
    /// The days.
    pub days: Option<Days>,
    /// The hours of the day.
    pub hours: Option<Hours>,
    /// The phrase names a feast, which is also a subject of the question.
    pub feast: bool,
}

/// Reads the longest phrase of time that begins at token `at`: how many tokens it has, and what it says.
pub fn read(tokens: &[Token], at: usize, today: NaiveDate, language: Language) -> Option<(usize, When)> {
    let Token { word, fixed, .. } = tokens.get(at)?;
    let is_number = word.starts_with(|first: char| first.is_ascii_digit());
    // rules most words of a query out
    if !is_number && !fixed.is_some_and(|fixed| fixed.begins_time) {
        return None;
    }
    let reader = Reader { tokens, today, language };
    let (end, when) = reader.when(at)?;
    Some((end.checked_sub(at).filter(|taken| *taken > 0)?, when))
}
