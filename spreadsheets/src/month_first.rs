//! Columns of days whose month comes first, as a sheet in the locale of the United States shows them: a day that could
//! be read either way is not guessed in them.

use std::collections::HashMap;

use crate::columns::Column;
use crate::date_words::{Token, tokens};
use crate::problem::Problem;
use crate::sheet::Cell;
use crate::table::Table;
use crate::text::fold;

/// The columns of days.
const OF_DAYS: [Column; 6] =
    [Column::Date, Column::EndDate, Column::Until, Column::Except, Column::ShowFrom, Column::ShowUntil];

/// What comes first in the days of a text, as far as its numbers show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum First {
    Day,
    Month,
    Either,
}

/// A cell whose month comes first: its row and what it shows.
#[derive(Debug, Clone)]
struct Proof {
    row: u32,
    typed: String,
}

/// The columns of a table in which the month comes first, each with a cell that shows it.
#[derive(Debug, Default)]
pub(crate) struct MonthFirst(HashMap<Column, Proof>);

impl MonthFirst {
    /// The columns in which a day shows that the month comes first, and none that the day does; beside them those whose
    /// own days do not show it, when no column is the other way round.
    pub(crate) fn of(table: &Table) -> Self {
        let (mut month, mut day): (HashMap<Column, Proof>, Vec<Column>) = Default::default();
        for column in OF_DAYS {
            for row in &table.rows {
                let Some(typed) = table.cell(row, column).and_then(Cell::text) else { continue };
                for first in order(typed) {
                    match first {
                        First::Day => day.push(column),
                        First::Month => {
                            let proof = || Proof { row: row.number, typed: typed.trim().to_owned() };
                            month.entry(column).or_insert_with(proof);
                        }
                        First::Either => {}
                    }
                }
            }
        }
        let shared = OF_DAYS.iter().find_map(|column| month.get(column)).filter(|_| day.is_empty()).cloned();
        let proof = |column: Column| {
            let own = month.get(&column).filter(|_| !day.contains(&column)).cloned();
            Some((column, own.or_else(|| shared.clone())?))
        };
        Self(OF_DAYS.into_iter().filter_map(proof).collect())
    }

    /// What is wrong with a cell that could be read either way in such a column.
    pub(crate) fn doubt(&self, column: Column, cell: &Cell) -> Option<Problem> {
        let Proof { row, typed } = self.0.get(&column)?;
        let orders = order(cell.text()?);
        let is_unclear = orders.contains(&First::Either) && !orders.contains(&First::Month);
        is_unclear.then(|| Problem::DayOrMonth { row: *row, typed: typed.clone() })
    }
}

/// What comes first in each day of a text that consists of numbers: "12/5/2026", "5-12-26".
fn order(text: &str) -> Vec<First> {
    let folded = fold(text);
    let tokens = tokens(&folded);
    let number = |at: usize| match tokens.get(at) {
        Some(Token::Number(number, digits)) => Some((*number, *digits)),
        _ => None,
    };
    let mark = |at: usize| match tokens.get(at) {
        Some(Token::Mark(mark @ ('/' | '-' | '.'))) => Some(*mark),
        _ => None,
    };
    let (mut found, mut at) = (Vec::new(), 0);
    while at < tokens.len() {
        let (first, between, second) = (number(at), mark(at + 1), number(at + 2));
        let has_year = between.is_some() && mark(at + 3) == between && number(at + 4).is_some();
        let after = if has_year { at + 5 } else { at + 3 };
        match (first, between, second) {
            // 2026-12-05
            (Some((_, 3..)), Some(_), Some(_)) => at = after,
            // "5-8/12" is a run, and "19.30" a time
            (Some((first, _)), Some(between), Some((second, 1 | 2))) if has_year || between == '/' => {
                match (first, second) {
                    (1..=12, 13..=31) => found.push(First::Month),
                    (13..=31, 1..=12) => found.push(First::Day),
                    (1..=12, 1..=12) if first != second => found.push(First::Either),
                    _ => {}
                }
                at = after;
            }
            _ => at += 1,
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_show_what_comes_first() {
        use First::{Day, Either, Month};
        for (text, expected) in [
            ("12/18/2026", &[Month][..]),
            ("18/12/2026", &[Day]),
            ("12/4/2026", &[Either]),
            ("12/4/26 19:30", &[Either]),
            ("12-4-2026", &[Either]),
            ("12/12/2026", &[]),
            ("2026-12-04", &[]),
            ("4 de dezembro de 2026", &[]),
            ("5-8/12/2026", &[Either]),
            ("05/12/2026 a 18/12/2026", &[Either, Day]),
            ("12/4", &[Either]),
            ("19.30", &[]),
            ("", &[]),
        ] {
            assert_eq!(order(text), expected, "{text}");
        }
    }
}
