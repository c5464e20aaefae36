//! Weekdays beside days: `sextas, 04/12/2026 a 18/12/2026` means the Fridays of a run, `sexta, 04/12/2026` names the
//! weekday of a day.

use chrono::{Datelike, NaiveDate, Weekday};

use crate::date_words::{Token, is_each, weekday};

/// Words that beside a run say the same as "todas": each of the weekdays after them is meant, or these alone.
const EACH_OF_RUN: &[&str] = &["aos", "nas", "nos", "as", "os", "so", "somente", "apenas", "only"];

/// A run of fewer days has no weekday twice.
const WEEK: i64 = 7;

/// Weekdays that a text names together: `ter a dom`, `sextas e sábados`, `sexta`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Named {
    days: Vec<Weekday>,
    /// Whether each such day is meant: a plural, or a word such as "todas".
    is_each: bool,
}

/// What weekdays say of the days beside them.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// Nothing more than the days do.
    Nothing,
    /// The run takes place on these weekdays alone.
    Only(Vec<Weekday>),
    /// This day is another weekday.
    Differs(NaiveDate),
    /// It cannot be told whether every day is meant or these weekdays alone.
    Unclear,
}

/// The weekdays that a text names, and its other tokens.
pub(crate) fn taken<'t>(tokens: &[Token<'t>]) -> (Vec<Named>, Vec<Token<'t>>) {
    let (mut named, mut others, mut at) = (Vec::new(), Vec::with_capacity(tokens.len()), 0);
    while let Some(token) = tokens.get(at) {
        if let Some((one, after)) = Named::at(tokens, at) {
            named.push(one);
            at = after;
        } else {
            // "sextas - 04/12/2026": nothing is before the mark any more
            let is_left_over = others.is_empty()
                && !named.is_empty()
                && matches!(token, Token::Mark('-' | '–' | '—' | ':' | ',' | ';'));
            if !is_left_over {
                others.push(*token);
            }
            at += 1;
        }
    }
    (named, others)
}

fn weekday_at(tokens: &[Token<'_>], at: usize) -> Option<(Weekday, bool)> {
    let Some(Token::Word(word)) = tokens.get(at) else { return None };
    let is_plural = word.strip_suffix('s').is_some_and(|one| weekday(one).is_some());
    Some((weekday(word)?, is_plural))
}

fn is_each_at(tokens: &[Token<'_>], at: usize) -> bool {
    matches!(tokens.get(at), Some(Token::Word(word)) if is_each(word) || EACH_OF_RUN.contains(word))
}

/// The token after all from `at` on that may stand between two weekdays, and whether they say "from ... to".
fn joined(tokens: &[Token<'_>], mut at: usize) -> (usize, bool) {
    let mut is_span = false;
    while let Some(token) = tokens.get(at) {
        let of_span = matches!(
            token,
            Token::Mark('-' | '–' | '—') | Token::Word("a" | "ate" | "to" | "through" | "al")
        );
        let is_between = matches!(
            token,
            Token::Mark(',' | ';' | '/' | '&' | '+' | '.') | Token::Word("e" | "and" | "y" | "de" | "da")
        );
        if !of_span && !is_between && !is_each_at(tokens, at) {
            break;
        }
        is_span |= of_span;
        at += 1;
    }
    (at, is_span)
}

impl Named {
    /// The weekdays that begin at a token, and the token after them.
    fn at(tokens: &[Token<'_>], at: usize) -> Option<(Self, usize)> {
        let mut after = at;
        while is_each_at(tokens, after) {
            after += 1;
        }
        let (first, is_plural) = weekday_at(tokens, after)?;
        let mut named = Self { days: vec![first], is_each: is_plural || after > at };
        loop {
            let (next, is_span) = joined(tokens, after + 1);
            let Some((day, is_plural)) = weekday_at(tokens, next) else { return Some((named, after + 1)) };
            let mut between = named.days.last().map_or(day, |last| last.succ());
            while is_span && between != day {
                named.add(between);
                between = between.succ();
            }
            named.add(day);
            named.is_each |= is_plural;
            after = next;
        }
    }

    fn add(&mut self, day: Weekday) {
        if !self.days.contains(&day) {
            self.days.push(day);
        }
    }

    /// The weekday, when only one day is named.
    pub(crate) fn label(&self) -> Option<Weekday> {
        if let ([day], false) = (&*self.days, self.is_each) { Some(*day) } else { None }
    }
}

/// What weekdays say of a run.
pub(crate) fn of_run(named: &[Named], first: NaiveDate, end: NaiveDate) -> Meaning {
    let labels: Option<Vec<Weekday>> = named.iter().map(Named::label).collect();
    match (named, labels.as_deref()) {
        ([], _) => Meaning::Nothing,
        (_, Some([of_first, of_end])) => {
            let differs =
                [(first, of_first), (end, of_end)].into_iter().find(|(day, named)| day.weekday() != **named);
            differs.map_or(Meaning::Nothing, |(day, _)| Meaning::Differs(day))
        }
        (_, Some([day])) if (end - first).num_days() < WEEK => {
            let is_of_one = [first, end].iter().any(|one| one.weekday() == *day);
            if is_of_one { Meaning::Nothing } else { Meaning::Differs(first) }
        }
        ([one], None) => {
            let mut days = first.iter_days().take_while(|day| *day <= end).take(7);
            let fits = |day: NaiveDate| one.days.contains(&day.weekday());
            if days.clone().all(fits) {
                Meaning::Nothing
            } else if days.any(fits) {
                Meaning::Only(one.days.clone())
            } else {
                Meaning::Unclear
            }
        }
        _ => Meaning::Unclear,
    }
}

/// What weekdays say of days that are listed, in part as runs.
pub(crate) fn of_list(named: &[Named], days: &[NaiveDate], has_run: bool) -> Meaning {
    if named.is_empty() {
        return Meaning::Nothing;
    }
    let is_more = named.iter().any(|one| one.label().is_none());
    let is_one_of = |day: &&NaiveDate| named.iter().any(|one| one.days.contains(&day.weekday()));
    match days.iter().find(|day| !is_one_of(day)) {
        // "sextas, 04/12/2026": from then on?
        None if days.len() == 1 && is_more => Meaning::Unclear,
        None => Meaning::Nothing,
        Some(_) if has_run && is_more => Meaning::Unclear,
        Some(day) => Meaning::Differs(*day),
    }
}
