//! Dates as people type them: `05/12/2026`, `5 de dezembro`, `5, 12 e 19/12`, `05 a 08/12/2026`, serial numbers of
//! Excel.

use chrono::{Datelike, NaiveDate, NaiveTime, Weekday};
use snapshots::limits::YEARS;

use crate::date_words::{MONTHS, Token, is_each, numbered_weekday, tokens, weekday, without_feira};
use crate::problem::Problem;
use crate::sheet::{Cell, fraction_time, serial_day};
use crate::text::{clean, fold};
use crate::times::starts_with_time;
use crate::weekdays::{self, Meaning, Named};

/// The longest run that a list of days may hold ("1 a 5 e 10 a 12/12").
const MAX_LISTED_RUN: i64 = 62;

/// How far apart two days of a cell may be for new year to lie between them when only one has a year. Above half a
/// year, dates in the wrong order are likelier ("08 a 05/12/2026").
const MAX_OVER_NEW_YEAR: i64 = 183;

/// By what a day without a year gets one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Years<'d> {
    today: NaiveDate,
    /// The first day that may be meant.
    from: NaiveDate,
    /// Days of the record that the folder has: a day stays in its year when that is over.
    known: &'d [NaiveDate],
}

impl<'d> Years<'d> {
    /// The nearest such day: what was half a year ago at most is over, and was not moved to the next year.
    pub(crate) fn around(today: NaiveDate, known: &'d [NaiveDate]) -> Self {
        let from = today.checked_sub_signed(chrono::TimeDelta::days(MAX_OVER_NEW_YEAR)).unwrap_or(today);
        Self { today, from, known }
    }

    /// The next such day.
    pub(crate) fn from(self, day: NaiveDate) -> Self {
        Self { today: day, from: day, ..self }
    }

    /// The year of a day of a month. The weekday beside it decides when that day has another one in the nearest year.
    fn of(self, part: Partial, named: Option<Weekday>) -> Option<i32> {
        let day = |year: i32| date(Partial { year: Some(year), ..part }, year);
        let is_it = |known: &&NaiveDate| (Some(known.month()), known.day()) == (part.month, part.day);
        let known = self.known.iter().filter(is_it).map(NaiveDate::year).max();
        // eight years hold a 29 February
        let last = self.from.year() + 8;
        let nearest = (self.from.year()..=last).find(|year| day(*year).is_some_and(|day| day >= self.from));
        let first = known.or(nearest)?;
        let Some(weekday) = named else { return Some(first) };
        let ahead = nearest.and_then(day).map_or(0, |day| (day - self.today).num_days());
        let before = nearest.filter(|_| self.from < self.today && ahead > MAX_SOON).map(|year| year - 1);
        let after = nearest.filter(|_| ahead < 0).map(|year| year + 1);
        let years = [Some(first), nearest, before, after].into_iter().flatten();
        let mut fitting = years.filter(|year| day(*year).is_some_and(|day| day.weekday() == weekday));
        Some(fitting.next().unwrap_or(first))
    }
}

/// A day so many days ahead at most is more likely meant than that of the year before, whatever weekday it is given.
const MAX_SOON: i64 = 90;

/// What a cell says about days.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CellDays {
    /// The days; one or more.
    pub(crate) days: Vec<NaiveDate>,
    /// The last day, when the one day begins a run.
    pub(crate) end: Option<NaiveDate>,
    /// The weekdays of the run on which it takes place; none when it is every day.
    pub(crate) weekdays: Vec<Weekday>,
    /// The text of a time that stood in the cell too.
    pub(crate) time: Option<String>,
}

impl CellDays {
    /// Every day, those of a run too.
    pub(crate) fn all(&self) -> Vec<NaiveDate> {
        let is_one = |day: &NaiveDate| self.weekdays.is_empty() || self.weekdays.contains(&day.weekday());
        match (&*self.days, self.end) {
            ([first], Some(end)) => first.iter_days().take_while(|day| *day <= end).filter(is_one).collect(),
            _ => self.days.clone(),
        }
    }
}

/// A part of a date. What is missing comes from the others of the cell.
#[derive(Debug, Clone, Copy)]
struct Partial {
    day: u32,
    month: Option<u32>,
    year: Option<i32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Joint {
    List,
    Run,
}

/// Reads a cell; `None`, and a problem, when it holds no date, or one of a year that a guide cannot have.
pub(crate) fn read(cell: &Cell, years: Years<'_>, problems: &mut Vec<Problem>) -> Option<CellDays> {
    let read = read_any_year(cell, years, problems)?;
    let mut days = read.days.iter().chain(&read.end);
    match days.find(|day| !YEARS.contains(&day.year())) {
        Some(day) => {
            problems.push(Problem::YearOutOfRange { day: *day });
            None
        }
        None => Some(read),
    }
}

fn read_any_year(cell: &Cell, years: Years<'_>, problems: &mut Vec<Problem>) -> Option<CellDays> {
    match cell {
        Cell::Moment(Some(day), time) => Some(timed(*day, *time, problems)),
        Cell::Number(serial) => {
            let day = serial_day(*serial);
            if day.is_none() {
                problems.push(Problem::NotADate { typed: cell.shown() });
            }
            day.map(|day| timed(day, fraction_time(*serial), problems))
        }
        Cell::Text(text) => {
            let mut unimportant = Vec::new();
            let text = clean(text, &mut unimportant);
            if let Ok(serial) = text.replace(',', ".").parse::<f64>()
                && let Some(day) = serial_day(serial)
            {
                return Some(timed(day, fraction_time(serial), problems));
            }
            parse(&text, years, problems)
        }
        Cell::Empty
        | Cell::Percent(_)
        | Cell::Bool(_)
        | Cell::Moment(None, _)
        | Cell::Month(_)
        | Cell::Broken(_) => {
            problems.push(Problem::NotADate { typed: cell.shown() });
            None
        }
    }
}

/// A day of a cell that also holds a time, unless that is midnight, which is every cell's without one.
fn timed(day: NaiveDate, time: Option<NaiveTime>, problems: &mut Vec<Problem>) -> CellDays {
    let time = time.filter(|time| *time != NaiveTime::MIN);
    if time.is_some() {
        problems.push(Problem::TimeInDate);
    }
    let time = time.map(|time| time.format("%H:%M").to_string());
    CellDays { days: vec![day], end: None, weekdays: Vec::new(), time }
}

/// Reads a text; `None`, and a problem, when it holds no date.
pub(crate) fn parse(text: &str, years: Years<'_>, problems: &mut Vec<Problem>) -> Option<CellDays> {
    let folded = without_feira(&fold(text).replace(['(', ')', '|'], " ").replace('°', "o"));
    let typed = || text.to_owned();
    let Some((folded, time)) = without_time(&folded) else {
        problems.push(Problem::NotADate { typed: typed() });
        return None;
    };
    if let Some(time) = &time
        && !time.starts_with("00:00:00")
    {
        problems.push(Problem::TimeInDate);
    }
    let time = time.filter(|time| !time.starts_with("00:00:00"));
    let tokens = tokens(&folded);
    let relative = ["hoje", "amanha", "today", "tomorrow", "ontem"];
    if tokens.iter().any(|token| matches!(token, Token::Word(word) if relative.contains(word))) {
        problems.push(Problem::RelativeDay { typed: typed() });
        return None;
    }
    let (named, tokens) = weekdays::taken(&tokens);
    let Some((mut parts, joints)) = partials(&tokens, text, problems) else {
        problems.push(Problem::NotADate { typed: typed() });
        return None;
    };
    if swap_months(&mut parts)
        && let Some(day) = parts.first().and_then(|part| date(*part, years.today.year()))
    {
        problems.push(Problem::MonthFirst { day });
    }
    let Some((days, assumed)) = complete(&mut parts, years, &named) else {
        let impossible = parts.iter().all(|part| part.month.is_some());
        let typed = typed();
        problems.push(if impossible { Problem::NoSuchDay { typed } } else { Problem::NotADate { typed } });
        return None;
    };
    // its number would be read as a day of the month
    if folded.split(|c: char| !c.is_alphanumeric()).any(|word| numbered_weekday(word).is_some()) {
        problems.push(Problem::WeekdaysUnclear { typed: typed() });
        return None;
    }
    if assumed && let Some(first) = days.first() {
        problems.push(Problem::YearAssumed { day: *first });
    }
    if let ([first, end], [Joint::Run]) = (&*days, &*joints) {
        if end < first {
            problems.push(Problem::EndBeforeStart);
            return None;
        }
        let weekdays = meant(weekdays::of_run(&named, *first, *end), text, problems)?;
        let end = Some(*end).filter(|end| end != first);
        return Some(CellDays { days: vec![*first], end, weekdays, time });
    }
    let Some(days) = listed(&days, &joints) else {
        problems.push(Problem::NotADate { typed: typed() });
        return None;
    };
    let has_run = joints.contains(&Joint::Run);
    let weekdays = meant(weekdays::of_list(&named, &days, has_run), text, problems)?;
    Some(CellDays { days, end: None, weekdays, time })
}

/// The weekdays that a run is held to. Nothing, and a problem, when that cannot be told.
fn meant(meaning: Meaning, text: &str, problems: &mut Vec<Problem>) -> Option<Vec<Weekday>> {
    match meaning {
        Meaning::Nothing => {}
        Meaning::Only(weekdays) => return Some(weekdays),
        Meaning::Differs(day) => problems.push(Problem::WeekdayDiffers { day }),
        Meaning::Unclear => {
            problems.push(Problem::WeekdaysUnclear { typed: text.to_owned() });
            return None;
        }
    }
    Some(Vec::new())
}

/// All days of a list, in order, with those of the runs in it; nothing when a run is too long or goes back.
fn listed(days: &[NaiveDate], joints: &[Joint]) -> Option<Vec<NaiveDate>> {
    let mut listed = vec![*days.first()?];
    for (day, joint) in days.iter().skip(1).zip(joints) {
        let last = *listed.last()?;
        if *joint == Joint::Run {
            if !(0..=MAX_LISTED_RUN).contains(&(*day - last).num_days()) {
                return None;
            }
            listed.extend(last.iter_days().skip(1).take_while(|next| next < day));
        }
        listed.push(*day);
    }
    listed.sort_unstable();
    listed.dedup();
    Some(listed)
}

/// The text without the offset of Brasília after an ISO time: "2026-12-05t19:30:00-03:00". Nothing when the offset is
/// another one.
fn without_offset(text: &str) -> Option<&str> {
    let is_day = |text: &str| text.len() == 10 && text.bytes().all(|c| c.is_ascii_digit() || c == b'-');
    let Some((_, time)) = text.split_once('t').filter(|(day, _)| is_day(day)) else { return Some(text) };
    let Some(at) = time.find(['z', '+', '-']) else { return Some(text) };
    let offset = &time[at..];
    if ["-03:00", "-0300", "-03"].contains(&offset) { text.strip_suffix(offset) } else { None }
}

/// Where the first time of a folded text begins. "19" is none in "05/12/19".
fn first_time(text: &str) -> Option<usize> {
    let mut before = ' ';
    let first = text.char_indices().find(|(at, c)| {
        let before = std::mem::replace(&mut before, *c);
        let is_begin = if c.is_ascii_digit() {
            !before.is_ascii_digit() && !"/-.".contains(before)
        } else {
            c.is_alphabetic() && !before.is_alphanumeric()
        };
        is_begin && starts_with_time(&text[*at..])
    });
    first.map(|(at, _)| at)
}

/// Splits the first time off a folded text, with all that follows it: "05/12 as 19h30" is "05/12" and "19h30". Nothing
/// when the time is not that of Brasília.
pub(crate) fn without_time(text: &str) -> Option<(String, Option<String>)> {
    const BEFORE: &[&str] =
        &[" das", " da", " do", " de", " as", " ao", " a", " o", " at", " from", " a partir", ",", "-"];
    let text = without_offset(text)?;
    let Some(start) = first_time(text) else { return Some((text.to_owned(), None)) };
    let mut head = text[..start].trim_end();
    while let Some(shorter) = BEFORE.iter().find_map(|word| head.strip_suffix(*word)) {
        head = shorter.trim_end();
    }
    // 2026-12-05T19:30, but not "5 out 19h"
    let iso = head.strip_suffix('t').filter(|day| day.ends_with(|c: char| c.is_ascii_digit()));
    let head = iso.unwrap_or(head);
    // "ate 22h" says when it ends: no time at which it begins
    let of_end = [" ate", " until", " till"].iter().find_map(|word| head.strip_suffix(*word));
    let (head, time) = match of_end {
        Some(shorter) => (shorter, text[shorter.len()..].trim_start()),
        None => (head, &text[start..]),
    };
    Some((head.to_owned(), Some(time.to_owned())))
}

fn is_filler(token: Option<&Token<'_>>) -> bool {
    match token {
        Some(Token::Word(word)) => {
            matches!(
                *word,
                "dia"
                    | "dias"
                    | "de"
                    | "do"
                    | "da"
                    | "em"
                    | "no"
                    | "na"
                    | "nos"
                    | "on"
                    | "the"
                    | "of"
                    | "from"
                    | "das"
                    | "entre"
            )
        }
        Some(Token::Mark(mark)) => matches!(mark, '.' | ':'),
        _ => false,
    }
}

/// The parts of dates in a text and what joins them.
fn partials(
    tokens: &[Token<'_>],
    text: &str,
    problems: &mut Vec<Problem>,
) -> Option<(Vec<Partial>, Vec<Joint>)> {
    let (mut parts, mut joints, mut at) = (Vec::new(), Vec::new(), 0);
    loop {
        while is_filler(tokens.get(at)) || parts.is_empty() && tokens.get(at) == Some(&Token::Mark(',')) {
            at += 1;
        }
        let (part, after) = Parts { tokens, text, problems }.part(at)?;
        parts.push(part);
        at = after;
        while is_filler(tokens.get(at)) {
            at += 1;
        }
        let mut joint = None;
        while let Some(found) = tokens.get(at).and_then(joint_of) {
            joint = joint.or(Some(found));
            at += 1;
        }
        while is_filler(tokens.get(at)) {
            at += 1;
        }
        match joint {
            // "sex, 05/12" ends with its day, "05/12, sexta" with a weekday
            _ if at >= tokens.len() => return Some((parts, joints)),
            Some(joint) => joints.push(joint),
            None => return None,
        }
    }
}

fn joint_of(token: &Token<'_>) -> Option<Joint> {
    match token {
        Token::Mark(',' | ';' | '&' | '+' | '/') | Token::Word("e" | "and" | "y") => Some(Joint::List),
        Token::Mark('-' | '–' | '—')
        | Token::Word("a" | "ate" | "to" | "until" | "till" | "al" | "through") => Some(Joint::Run),
        _ => None,
    }
}

/// Reads the parts of dates at tokens. Each method gives a part and the token after it.
struct Parts<'t, 'p> {
    tokens: &'t [Token<'t>],
    text: &'t str,
    problems: &'p mut Vec<Problem>,
}

impl Parts<'_, '_> {
    fn number(&self, at: usize) -> Option<(u32, usize)> {
        match self.tokens.get(at) {
            Some(Token::Number(number, digits)) => Some((*number, *digits)),
            _ => None,
        }
    }

    /// A mark that may stand between the parts of a date.
    fn separator(&self, at: usize) -> Option<char> {
        match self.tokens.get(at) {
            Some(Token::Mark(mark @ ('/' | '-' | '.'))) => Some(*mark),
            _ => None,
        }
    }

    fn is_mark(&self, at: usize, mark: char) -> bool {
        self.tokens.get(at) == Some(&Token::Mark(mark))
    }

    fn month(&mut self, at: usize) -> Option<u32> {
        match self.tokens.get(at) {
            Some(Token::Word(word)) => month(word, self.text, self.problems),
            _ => None,
        }
    }

    /// How many tokens a word like "de" takes.
    fn of(&self, at: usize) -> usize {
        usize::from(matches!(self.tokens.get(at), Some(Token::Word("de" | "of" | "do"))))
    }

    fn part(&mut self, at: usize) -> Option<(Partial, usize)> {
        match self.number(at) {
            None => self.month_first(at),
            Some((year, 4)) => self.year_first(year, at),
            Some((day, 1 | 2)) => match self.separator(at + 1) {
                Some(separator) => Some(self.separated(day, separator, at)),
                None => Some(self.day_first(day, at)),
            },
            Some(_) => None,
        }
    }

    /// December 5, 2026
    fn month_first(&mut self, at: usize) -> Option<(Partial, usize)> {
        let month = Some(self.month(at)?);
        let day_at = at + 1 + usize::from(self.is_mark(at + 1, '.'));
        let (day, 1 | 2) = self.number(day_at)? else { return None };
        let year_at = day_at + 1 + usize::from(self.is_mark(day_at + 1, ','));
        Some(match self.number(year_at) {
            Some((year, 4)) => (Partial { day, month, year: year_of(year) }, year_at + 1),
            _ => (Partial { day, month, year: None }, day_at + 1),
        })
    }

    /// 2026-12-05
    fn year_first(&self, year: u32, at: usize) -> Option<(Partial, usize)> {
        let (separator, (month, _), (day, _)) =
            (self.separator(at + 1)?, self.number(at + 2)?, self.number(at + 4)?);
        let is_same = self.separator(at + 3)? == separator;
        is_same.then_some((Partial { day, month: Some(month), year: year_of(year) }, at + 5))
    }

    /// 5/dez/2026, 05/12/2026, 05/12; the 5 of "5-8/12" and of "5 - sexta".
    fn separated(&mut self, day: u32, separator: char, at: usize) -> (Partial, usize) {
        if let Some(month) = self.month(at + 2) {
            let year = self.number(at + 4).filter(|_| self.separator(at + 3).is_some());
            let part = Partial { day, month: Some(month), year: year.and_then(|(year, _)| year_of(year)) };
            return (part, if year.is_some() { at + 5 } else { at + 3 });
        }
        if let Some((month, 1 | 2)) = self.number(at + 2) {
            let year = self.number(at + 4).filter(|_| self.separator(at + 3) == Some(separator));
            // "5-8/12" and "5-8 de dezembro" are runs
            let is_run = separator == '-'
                && year.is_none()
                && (self.separator(at + 3).is_some() || self.of(at + 3) == 1 || self.month(at + 3).is_some());
            if !is_run {
                let part =
                    Partial { day, month: Some(month), year: year.and_then(|(year, _)| year_of(year)) };
                return (part, if year.is_some() { at + 5 } else { at + 3 });
            }
        }
        (Partial { day, month: None, year: None }, at + 1)
    }

    /// 5 de dezembro de 2026, 5 dez. 2026; the 5 of "5, 12 e 19/12".
    fn day_first(&mut self, day: u32, at: usize) -> (Partial, usize) {
        let month_at = at + 1 + self.of(at + 1);
        let Some(month) = self.month(month_at) else {
            return (Partial { day, month: None, year: None }, at + 1);
        };
        let mut year_at = month_at + 1 + usize::from(self.is_mark(month_at + 1, '.'));
        let is_comma = self.is_mark(year_at, ',');
        if is_comma || self.of(year_at) == 1 || self.separator(year_at).is_some() {
            year_at += 1;
        }
        let year = self.number(year_at).filter(|(_, digits)| *digits == 4 || *digits == 2 && !is_comma);
        let part = Partial { day, month: Some(month), year: year.and_then(|(year, _)| year_of(year)) };
        (part, if year.is_some() { year_at + 1 } else { month_at + 1 })
    }
}

fn year_of(year: u32) -> Option<i32> {
    i32::try_from(if year < 100 { 2000 + year } else { year }).ok()
}

/// Dates of which a month is above 12 and every day could be a month were written with the month first.
fn swap_months(parts: &mut [Partial]) -> bool {
    let wrong = |part: &Partial| part.month.is_some_and(|month| month > 12);
    let fits = |part: &Partial| (1..=12).contains(&part.day);
    if !parts.iter().any(wrong) || !parts.iter().all(fits) {
        return false;
    }
    for part in parts {
        if let Some(month) = part.month {
            (part.day, part.month) = (month, Some(part.day));
        }
    }
    true
}

fn date(part: Partial, otherwise: i32) -> Option<NaiveDate> {
    NaiveDate::from_ymd_opt(part.year.unwrap_or(otherwise), part.month?, part.day)
}

/// The year of a day that comes before another: the same, or the one before over new year.
fn year_before(part: Partial, later: NaiveDate) -> i32 {
    let of = |year| date(Partial { year: Some(year), ..part }, year);
    let is_after = of(later.year()).is_some_and(|day| day > later);
    let is_near = of(later.year() - 1).is_some_and(|day| (later - day).num_days() <= MAX_OVER_NEW_YEAR);
    if is_after && is_near { later.year() - 1 } else { later.year() }
}

/// The year of a day that comes after another: the same, or the next one over new year.
fn year_after(part: Partial, earlier: NaiveDate) -> i32 {
    let of = |year| date(Partial { year: Some(year), ..part }, year);
    let is_before = of(earlier.year()).is_some_and(|day| day < earlier);
    let is_near = of(earlier.year() + 1).is_some_and(|day| (day - earlier).num_days() <= MAX_OVER_NEW_YEAR);
    if is_before && is_near { earlier.year() + 1 } else { earlier.year() }
}

/// Fills what is missing from the neighbours, and the year of the last day; also whether the year was assumed.
fn complete(parts: &mut [Partial], years: Years<'_>, named: &[Named]) -> Option<(Vec<NaiveDate>, bool)> {
    let mut month = None;
    for part in parts.iter_mut().rev() {
        part.month = part.month.or(month);
        month = part.month;
    }
    for part in parts.iter_mut() {
        part.month = part.month.or(month);
        month = part.month;
    }
    // that of the last day, so that a run in progress is of this year
    let assumed = parts.iter().all(|part| part.year.is_none());
    if assumed {
        let weekday = named.last().filter(|_| named.len() == parts.len()).and_then(Named::label);
        let last = parts.last_mut()?;
        last.year = Some(years.of(*last, weekday)?);
    }
    let mut later: Option<NaiveDate> = None;
    for part in parts.iter_mut().rev() {
        if let (None, Some(later)) = (part.year, later) {
            part.year = Some(year_before(*part, later));
        }
        later = part.year.and_then(|_| date(*part, 0)).or(later);
    }
    let mut earlier: Option<NaiveDate> = None;
    for part in parts.iter_mut() {
        if let (None, Some(earlier)) = (part.year, earlier) {
            part.year = Some(year_after(*part, earlier));
        }
        earlier = date(*part, 0).or(earlier);
    }
    let days: Option<Vec<NaiveDate>> =
        parts.iter().map(|part| part.year.and_then(|_| date(*part, 0))).collect();
    Some((days?, assumed))
}

/// The number of a month, from 1. A near spelling is a problem that was mended.
pub(crate) fn month(word: &str, text: &str, problems: &mut Vec<Problem>) -> Option<u32> {
    let nearest = MONTHS
        .iter()
        .zip(1..)
        .flat_map(|(names, number)| {
            names.iter().map(move |name| (strsim::osa_distance(word, name), *name, number))
        })
        .min_by_key(|(distance, _, _)| *distance)?;
    let (distance, name, number) = nearest;
    let limit = match word.chars().count() {
        0..5 => 0,
        5..7 => 1,
        _ => 2,
    };
    // "every" is near "enero"
    if distance > limit || distance > 0 && (weekday(word).is_some() || is_each(word)) {
        return None;
    }
    let mended = Problem::Mended { typed: text.to_owned(), read: name.to_owned() };
    if distance > 0 && !problems.contains(&mended) {
        problems.push(mended);
    }
    Some(number)
}
