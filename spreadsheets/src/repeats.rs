//! How an event repeats, as people say it: `toda sexta`, `1º sábado do mês`, `todo dia 25`, `every other friday`.

use std::collections::BTreeSet;

use chrono::{Datelike, NaiveDate, Weekday};

use crate::date_words::{is_each, numbered_weekday, weekday, without_feira};
use crate::dates::{self, CellDays, Years};
use crate::problem::Problem;
use crate::text::{clean, fold};

/// A repetition: a rule, or days.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Said {
    /// An RRULE without UNTIL.
    pub(crate) rule: Option<String>,
    /// Days instead of a rule.
    pub(crate) dates: Vec<NaiveDate>,
    /// Days on which it does not begin.
    pub(crate) except: Vec<NaiveDate>,
    /// The last day on which it may begin.
    pub(crate) until: Option<NaiveDate>,
    /// The first day.
    pub(crate) from: Option<NaiveDate>,
    /// The text of a time that stood there too.
    pub(crate) time: Option<String>,
}

impl Said {
    /// The weekdays of a run of days, which repeat weekly until its end; `None` when the days are not held to any.
    pub(crate) fn of_run(days: &CellDays) -> Option<Self> {
        if days.weekdays.is_empty() {
            return None;
        }
        let codes: Vec<&str> = days.weekdays.iter().map(|day| code(*day)).collect();
        Some(Self {
            rule: Some(format!("FREQ=WEEKLY;BYDAY={}", codes.join(","))),
            until: days.end,
            from: days.all().first().copied(),
            ..Self::default()
        })
    }

    /// What both say together, but for their times; `None` when they contradict each other.
    pub(crate) fn and(self, other: &Self) -> Option<Self> {
        let agree = |day: Option<NaiveDate>, other: Option<NaiveDate>| {
            day.zip(other).is_none_or(|(day, other)| day == other)
        };
        let is_same = self.rule.as_deref().map(parts) == other.rule.as_deref().map(parts)
            && self.dates == other.dates
            && agree(self.until, other.until)
            && agree(self.from, other.from);
        is_same.then(|| Self {
            except: self.except.iter().chain(&other.except).copied().collect(),
            until: self.until.or(other.until),
            from: self.from.or(other.from),
            ..self
        })
    }
}

/// The parts of a rule, each with its values: their order means nothing.
fn parts(rule: &str) -> BTreeSet<(&str, BTreeSet<&str>)> {
    let part = |part| str::split_once(part, '=').unwrap_or((part, ""));
    rule.split(';').map(part).map(|(name, values)| (name, values.split(',').collect())).collect()
}

/// What comes before the first day.
pub(crate) const FROM: &[&str] = &["a partir do dia", "a partir de", "desde", "from", "starting"];

/// What comes before the last day.
const UNTIL: &[&str] = &["ate o dia", "ate", "until", "till"];

/// Reads a text. `date` is the first day, where the row has one.
pub(crate) fn parse(
    typed: &str,
    date: Option<NaiveDate>,
    years: Years<'_>,
    problems: &mut Vec<Problem>,
) -> Option<Said> {
    let text = clean(typed, problems);
    let mut found = Vec::new();
    let said = parse_cleaned(&text, date, years, &mut found);
    problems.extend(found.into_iter().map(|problem| problem.quoting(&text)));
    said
}

fn parse_cleaned(
    text: &str,
    date: Option<NaiveDate>,
    years: Years<'_>,
    problems: &mut Vec<Problem>,
) -> Option<Said> {
    let unknown = || Problem::NotARepeat { typed: text.to_owned() };
    let folded = without_feira(&fold(text).replace('°', "o"));
    if folded.starts_with("freq=") || folded.starts_with("rrule:") {
        let rule = folded.trim_start_matches("rrule:").to_uppercase();
        return Some(Said { rule: Some(rule), ..Said::default() });
    }
    let Some((folded, time)) = dates::without_time(&folded) else {
        problems.push(unknown());
        return None;
    };
    let mut said = Said { time, ..Said::default() };
    let (rest, except) = cut(&folded, &["exceto", "menos", "except", "salvo", "fora", "nao havera"]);
    if let Some(except) = except {
        // "exceto de 20/12 até 05/01" is a run
        let is_run =
            ["de ", "do ", "entre ", "from "].iter().any(|word| except.trim_start().starts_with(word));
        let (except, until) = if is_run { (except, None) } else { cut_date(except, UNTIL, years, problems) };
        said.until = until;
        said.except = dates::parse(except, years, problems)?.all();
    }
    // days first: in "sextas, 04/12/2026 até 18/12/2026" the last day is that of a run
    let mut of_days = Vec::new();
    let days = dates::parse(rest.trim_matches([' ', ',', ';', '.']), years, &mut of_days);
    if let Some(days) = days {
        problems.append(&mut of_days);
        return Some(with_days(said, &days));
    }
    let unclear =
        |problem: &&Problem| matches!(problem, Problem::WeekdaysUnclear { .. } | Problem::EndBeforeStart);
    if let Some(problem) = of_days.iter().find(unclear) {
        problems.push(problem.clone());
        return None;
    }
    let (rest, until) = cut_date(rest, UNTIL, years, problems);
    said.until = said.until.or(until);
    let (rest, from) = cut_date(rest, FROM, years, problems);
    said.from = from;
    let rest = rest.trim_matches([' ', ',', ';', '.']);
    match rule(rest, date.or(from)) {
        Some(Ok(rule)) => said.rule = Some(rule),
        Some(Err(problem)) => {
            problems.push(problem);
            return None;
        }
        None => {
            problems.push(unknown());
            return None;
        }
    }
    Some(said)
}

/// A repetition with days instead of a rule, or with the weekdays of a run.
fn with_days(said: Said, days: &CellDays) -> Said {
    match Said::of_run(days) {
        Some(of_run) => Said { except: said.except, time: said.time, ..of_run },
        None => Said { dates: days.all(), ..said },
    }
}

/// The text before one of the words, and the text after it.
fn cut<'t>(text: &'t str, words: &[&str]) -> (&'t str, Option<&'t str>) {
    for word in words {
        // "ate" is in "atelie" too
        for (at, found) in text.match_indices(*word) {
            let (before, after) = (&text[..at], &text[at + found.len()..]);
            if (before.is_empty() || before.ends_with([' ', ',', ';', '(']))
                && !after.starts_with(char::is_alphabetic)
            {
                return (before.trim_end_matches([' ', ',', ';', '(']), Some(after.trim_end_matches(')')));
            }
        }
    }
    (text, None)
}

/// The text before a word that a date follows, and that date.
fn cut_date<'t>(
    text: &'t str,
    words: &[&str],
    years: Years<'_>,
    problems: &mut Vec<Problem>,
) -> (&'t str, Option<NaiveDate>) {
    let (before, Some(after)) = cut(text, words) else { return (text, None) };
    let mut of_date = Vec::new();
    match dates::parse(after, years, &mut of_date).as_ref().map(|read| &*read.days) {
        Some([day]) => {
            problems.append(&mut of_date);
            (before, Some(*day))
        }
        _ => (text, None),
    }
}

/// The weekdays of a text that names them and does not say that it means each: "sábado", "sexta às 19h". None of other
/// texts.
pub(crate) fn bare_weekdays(typed: &str, said: &Said) -> Vec<Weekday> {
    let weekly = ["aos", "semanal", "weekly", "freq"];
    let is_plural = |word: &str| {
        let one =
            word.strip_suffix('s').filter(|one| weekday(one).is_some() || numbered_weekday(one).is_some());
        one.is_some() || ["fins", "finais", "dias", "weekends", "weekdays", "semanalmente"].contains(&word)
    };
    let folded = fold(typed);
    let mut words = folded.split(|c: char| !c.is_alphanumeric());
    let weekly_rule = said.rule.as_deref().and_then(|rule| rule.strip_prefix("FREQ=WEEKLY;BYDAY="));
    let Some(codes) =
        weekly_rule.filter(|_| !words.any(|word| is_each(word) || weekly.contains(&word) || is_plural(word)))
    else {
        return Vec::new();
    };
    let is_named = |known: &str| codes.split([',', ';']).any(|code| code == known);
    WEEK.iter().filter(|(_, code)| is_named(code)).map(|(day, _)| *day).collect()
}

/// Whether a text says "each month" and no day of it.
pub(crate) fn is_bare_month(typed: &str) -> bool {
    let folded = fold(typed);
    let said = ["mensalmente", "mensal", "monthly", "todo mes", "every month"].iter();
    let rest = said.filter_map(|word| folded.strip_prefix(word)).next();
    rest.is_some_and(|rest| {
        let mut words = rest.split(|c: char| !c.is_alphanumeric());
        words.all(|word| !matches!(word, "dia" | "dias" | "day" | "on") && weekday(word).is_none())
    })
}

/// The fewest days from one date of a rule to the next, as far as its frequency and interval tell.
pub(crate) fn gap(rule: &str) -> i64 {
    let part = |name: &str| rule.split(';').find_map(|part| part.strip_prefix(name));
    let days = match part("FREQ=") {
        Some("DAILY") => 1,
        Some("WEEKLY") => 7,
        Some("MONTHLY") => 28,
        _ => 365,
    };
    let interval: u16 = part("INTERVAL=").and_then(|number| number.parse().ok()).unwrap_or(1);
    days * i64::from(interval)
}

/// The weekdays and their codes in rules.
const WEEK: [(Weekday, &str); 7] = [
    (Weekday::Mon, "MO"),
    (Weekday::Tue, "TU"),
    (Weekday::Wed, "WE"),
    (Weekday::Thu, "TH"),
    (Weekday::Fri, "FR"),
    (Weekday::Sat, "SA"),
    (Weekday::Sun, "SU"),
];

fn code(day: Weekday) -> &'static str {
    WEEK.iter().find(|(known, _)| *known == day).map_or("", |(_, code)| *code)
}

/// The rule that a folded text says; `None` when it says none.
fn rule(text: &str, date: Option<NaiveDate>) -> Option<Result<String, Problem>> {
    if let Some(rule) = yearly(text) {
        return Some(Ok(rule));
    }
    let spaced = text.replace([',', ';', '/', '&'], " e ").replace('-', " a ").replace(['.', '(', ')'], " ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let is_monthly = has(&words, &["mes", "meses", "month", "mensal", "monthly", "mensalmente"]);
    let days = weekdays(&words, is_monthly);
    if is_fortnightly(text, &words) {
        let rule = fortnightly(&days);
        return Some(if date.is_some() { Ok(rule) } else { Err(Problem::RepeatNeedsDate) });
    }
    if !days.is_empty() {
        let (counted, weekly) =
            (days.iter().any(|(nth, _)| nth.is_some()), days.iter().any(|(nth, _)| nth.is_none()));
        // "2ª sábado e domingo do mês" counts both, and "toda terça" beside it is of each week
        if counted && weekly && words.iter().all(|word| is_of_weekdays(word)) {
            return Some(Err(Problem::SeveralRepeats { typed: text.to_owned() }));
        }
        return of_weekdays(&words, &days, is_monthly).map(Ok);
    }
    if let Some(rule) = every_few_days(&words) {
        return Some(if date.is_some() { Ok(rule) } else { Err(Problem::RepeatNeedsDate) });
    }
    of_month_days(&words, is_monthly).or_else(|| of_phrase(text)).map(Ok).or_else(|| of_date(text, date))
}

fn has(words: &[&str], any: &[&str]) -> bool {
    words.iter().any(|word| any.contains(word))
}

fn is_fortnightly(text: &str, words: &[&str]) -> bool {
    let phrases = [
        "15 dias",
        "duas semanas",
        "2 semanas",
        "two weeks",
        "2 weeks",
        "every other",
        "sim e outra nao",
        "semana sim",
    ];
    has(words, &["quinzenal", "quinzenalmente", "fortnightly", "biweekly"])
        || phrases.iter().any(|phrase| text.contains(phrase))
}

/// "quinzenal", "every other friday".
fn fortnightly(days: &[(Option<i8>, Weekday)]) -> String {
    let days: Vec<&str> = days.iter().map(|(_, day)| code(*day)).collect();
    let days = if days.is_empty() { String::new() } else { format!(";BYDAY={}", days.join(",")) };
    format!("FREQ=WEEKLY;INTERVAL=2{days}")
}

/// "toda sexta", "1º sábado do mês".
fn of_weekdays(words: &[&str], days: &[(Option<i8>, Weekday)], is_monthly: bool) -> Option<String> {
    if !words.iter().all(|word| is_of_weekdays(word)) {
        return None;
    }
    let listed: Vec<String> = days
        .iter()
        .map(|(nth, day)| nth.map_or_else(|| code(*day).to_owned(), |nth| format!("{nth}{}", code(*day))))
        .collect();
    let is_ordinal = days.iter().all(|(nth, _)| nth.is_some());
    // "every 2nd friday" may be every other one, or that of each month
    let may_be_each_nth = matches!(days[..], [(Some(nth), _)] if nth > 1);
    if !is_monthly && may_be_each_nth && has(words, &["every"]) {
        return None;
    }
    match (is_monthly, is_ordinal) {
        (_, true) => Some(format!("FREQ=MONTHLY;BYDAY={}", listed.join(","))),
        (false, false) => Some(format!("FREQ=WEEKLY;BYDAY={}", listed.join(","))),
        // "todas as quartas do mês"
        (true, false) if is_each_weekday(words) => Some(format!("FREQ=WEEKLY;BYDAY={}", listed.join(","))),
        // "sábado do mês": which one?
        (true, false) => None,
    }
}

/// Whether a weekday follows a word like "todo", perhaps after an article.
fn is_each_weekday(words: &[&str]) -> bool {
    words.iter().enumerate().any(|(at, word)| {
        let next = words.get(at + 1).filter(|next| !["os", "as"].contains(next)).or(words.get(at + 2));
        is_each(word) && next.is_some_and(|next| weekday(next).is_some())
    })
}

/// "a cada 5 dias", "todos os 10 dias", "every 5 days".
fn every_few_days(words: &[&str]) -> Option<String> {
    let words = words.strip_prefix(&["a"]).unwrap_or(words);
    let (each, rest) = words.split_first()?;
    let [number, "dia" | "dias" | "day" | "days"] = rest.strip_prefix(&["os"]).unwrap_or(rest) else {
        return None;
    };
    let number: u16 = number.parse().ok().filter(|number| *number > 0)?;
    is_each(each).then(|| format!("FREQ=DAILY;INTERVAL={number}"))
}

/// "todo dia 5 e 20", "day 25 of each month".
fn of_month_days(words: &[&str], is_monthly: bool) -> Option<String> {
    const OTHERS: &[&str] = &[
        "os",
        "dia",
        "dias",
        "e",
        "de",
        "do",
        "no",
        "mes",
        "day",
        "days",
        "the",
        "of",
        "month",
        "on",
        "and",
        "mensal",
        "monthly",
        "mensalmente",
    ];
    let number = |word: &str| {
        let ends = ["o", "a", "st", "nd", "rd", "th"];
        ends.iter().find_map(|end| word.strip_suffix(end)).unwrap_or(word).parse::<u32>().ok()
    };
    let is_plain = words.iter().all(|word| is_each(word) || OTHERS.contains(word) || number(word).is_some());
    let is_repeated = is_monthly || words.iter().any(|word| is_each(word));
    // "5 dias" are how many, and "dias 5" are which ones
    let is_count = |pair: &[&str]| matches!(pair, [count, "dias" | "days"] if count.parse::<u32>().is_ok());
    if words.windows(2).any(is_count) {
        return None;
    }
    let days: Vec<u32> = words.iter().filter_map(|word| number(word)).collect();
    if !is_plain || !is_repeated || days.is_empty() || !days.iter().all(|day| (1..=31).contains(day)) {
        return None;
    }
    let listed: Vec<String> = days.iter().map(ToString::to_string).collect();
    Some(format!("FREQ=MONTHLY;BYMONTHDAY={}", listed.join(",")))
}

/// What a phrase says alone: "todos os dias", "fins de semana".
fn of_phrase(text: &str) -> Option<String> {
    const DAILY: &[&str] =
        &["todo dia", "todos os dias", "diario", "diariamente", "diaria", "every day", "daily"];
    const WORKING: &[&str] = &["dias uteis", "dia util", "weekdays", "every weekday", "todo dia util"];
    const WEEKEND: &[&str] =
        &["fim de semana", "fins de semana", "finais de semana", "final de semana", "weekends", "weekend"];
    let before = ["todo ", "todos os ", "aos ", "nos ", "no ", "every ", "on "];
    let weekend = before.iter().find_map(|word| text.strip_prefix(word)).unwrap_or(text);
    let rule = if DAILY.contains(&text) {
        "FREQ=DAILY"
    } else if WORKING.contains(&text) {
        "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"
    } else if WEEKEND.contains(&weekend) {
        "FREQ=WEEKLY;BYDAY=SA,SU"
    } else {
        return None;
    };
    Some(rule.to_owned())
}

/// What is counted from the first date: "semanal", "todo mês".
fn of_date(text: &str, date: Option<NaiveDate>) -> Option<Result<String, Problem>> {
    let of: fn(NaiveDate) -> String = match text {
        "semanal" | "semanalmente" | "weekly" | "toda semana" | "every week" => {
            |date| format!("FREQ=WEEKLY;BYDAY={}", code(date.weekday()))
        }
        "mensal" | "mensalmente" | "monthly" | "todo mes" | "every month" => {
            |date| format!("FREQ=MONTHLY;BYMONTHDAY={}", date.day())
        }
        "anual" | "anualmente" | "yearly" | "annual" | "todo ano" | "every year" => {
            |date| format!("FREQ=YEARLY;BYMONTH={};BYMONTHDAY={}", date.month(), date.day())
        }
        _ => return None,
    };
    Some(date.map(of).ok_or(Problem::RepeatNeedsDate))
}

/// "todo dia 21 de abril", "todo ano em 21/04".
fn yearly(text: &str) -> Option<String> {
    let prefixes =
        ["todo ano em", "todo ano no dia", "todo ano dia", "todo dia", "every year on", "every", "anual em"];
    let rest = prefixes.iter().find_map(|prefix| text.strip_prefix(prefix))?;
    let mut problems = Vec::new();
    // a leap year, in which each day of a year exists
    let read = dates::parse(
        rest,
        Years::around(NaiveDate::from_ymd_opt(2028, 1, 1)?, &[]).from(NaiveDate::from_ymd_opt(2028, 1, 1)?),
        &mut problems,
    )?;
    let ([day], None) = (&*read.days, read.end) else { return None };
    Some(format!("FREQ=YEARLY;BYMONTH={};BYMONTHDAY={}", day.month(), day.day()))
}

/// Whether a word may stand beside weekdays.
fn is_of_weekdays(word: &str) -> bool {
    let others = [
        "os",
        "as",
        "a",
        "o",
        "e",
        "de",
        "do",
        "da",
        "das",
        "dos",
        "no",
        "na",
        "nos",
        "aos",
        "ate",
        "mes",
        "to",
        "of",
        "the",
        "month",
        "and",
        "on",
        "through",
        "mensal",
        "semana",
        "semanal",
        "semanalmente",
        "weekly",
        "monthly",
    ];
    others.contains(&word)
        || is_each(word)
        || weekday(word).is_some()
        || ordinal(word).is_some()
        || numbered_weekday(word).is_some()
}

fn ordinal(word: &str) -> Option<i8> {
    Some(match word {
        "1o" | "1a" | "1" | "1st" | "primeiro" | "primeira" | "first" => 1,
        "2o" | "2a" | "2" | "2nd" | "segundo" | "segunda" | "second" => 2,
        "3o" | "3a" | "3" | "3rd" | "terceiro" | "terceira" | "third" => 3,
        "4o" | "4a" | "4" | "4th" | "quarto" | "quarta" | "fourth" => 4,
        "5o" | "5a" | "5" | "5th" | "quinto" | "quinta" | "fifth" => 5,
        "ultimo" | "ultima" | "last" => -1,
        "penultimo" | "penultima" => -2,
        _ => return None,
    })
}

/// Whether numbers like "5a" are weekdays: there are no other weekdays but Saturday and Sunday, and none of these comes
/// right after such a number ("2ª sábado" is the second one).
fn numbers_are_days(words: &[&str]) -> bool {
    let is_numbered = |word: &str| weekday(word).is_some_and(|day| day.num_days_from_monday() < 5);
    let is_counted =
        |(word, next): (&&str, &&str)| numbered_weekday(word).is_some() && weekday(next).is_some();
    !words.iter().any(|word| is_numbered(word)) && !words.iter().zip(words.iter().skip(1)).any(is_counted)
}

/// The weekdays of a text, each with its ordinal in the month. None when a number is neither.
fn weekdays(words: &[&str], monthly: bool) -> Vec<(Option<i8>, Weekday)> {
    let is_day = |word: &&&str| weekday(word).is_some();
    // In "segunda sexta do mês" the first is an ordinal: some weekday follows all of them.
    let last_day = words.iter().rposition(|word| is_day(&word));
    let numbers_are_days = !monthly && numbers_are_days(words);
    let (mut found, mut nths): (Vec<(Option<i8>, Weekday)>, Vec<i8>) = (Vec::new(), Vec::new());
    let mut span = false;
    for (at, word) in words.iter().enumerate() {
        let before_a_day = last_day.is_some_and(|last| at < last);
        let next_is_day = words.get(at + 1).is_some_and(|next| weekday(next).is_some());
        let nth = ordinal(word)
            .filter(|_| before_a_day && (weekday(word).is_none() || monthly && next_is_day))
            .filter(|_| !numbers_are_days || numbered_weekday(word).is_none());
        if let Some(nth) = nth {
            nths.push(nth);
            continue;
        }
        let day = weekday(word).or_else(|| numbered_weekday(word).filter(|_| numbers_are_days));
        let Some(day) = day else {
            if numbered_weekday(word).is_some() {
                return Vec::new();
            }
            span |= !found.is_empty() && ["a", "ate", "to", "through"].contains(word);
            continue;
        };
        if span && let Some((None, from)) = found.last().copied() {
            let mut next = from.succ();
            while next != day {
                found.push((None, next));
                next = next.succ();
            }
        }
        span = false;
        if nths.is_empty() {
            found.push((None, day));
        } else {
            found.extend(nths.drain(..).map(|nth| (Some(nth), day)));
        }
    }
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    fn said(typed: &str, date: Option<&str>) -> Result<Said, Vec<Problem>> {
        let mut problems = Vec::new();
        parse(typed, date.map(day), Years::around(day("2026-11-23"), &[]), &mut problems).ok_or(problems)
    }

    #[test]
    fn repetitions_are_rules() {
        for (typed, rule) in [
            ("toda sexta", "FREQ=WEEKLY;BYDAY=FR"),
            ("Toda sexta-feira", "FREQ=WEEKLY;BYDAY=FR"),
            ("todo domingo", "FREQ=WEEKLY;BYDAY=SU"),
            ("aos domingos", "FREQ=WEEKLY;BYDAY=SU"),
            ("sextas e sábados", "FREQ=WEEKLY;BYDAY=FR,SA"),
            ("terças, quintas e sábados", "FREQ=WEEKLY;BYDAY=TU,TH,SA"),
            ("de segunda a sexta", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
            ("2ª a 6ª", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
            ("2as e 4as feiras", "FREQ=WEEKLY;BYDAY=MO,WE"),
            ("6ª e sábado", "FREQ=WEEKLY;BYDAY=FR,SA"),
            ("5ª, 6ª e sábado", "FREQ=WEEKLY;BYDAY=TH,FR,SA"),
            ("5ª a domingo", "FREQ=WEEKLY;BYDAY=TH,FR,SA,SU"),
            ("2ª sábado", "FREQ=MONTHLY;BYDAY=2SA"),
            ("1ª e 3ª quinta", "FREQ=MONTHLY;BYDAY=1TH,3TH"),
            ("1° sábado do mês", "FREQ=MONTHLY;BYDAY=1SA"),
            ("todas as sextas-feiras", "FREQ=WEEKLY;BYDAY=FR"),
            ("seg. a sex.", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
            ("sex-dom", "FREQ=WEEKLY;BYDAY=FR,SA,SU"),
            ("semanal (sextas)", "FREQ=WEEKLY;BYDAY=FR"),
            ("todas as quartas do mês", "FREQ=WEEKLY;BYDAY=WE"),
            ("todo sábado do mês", "FREQ=WEEKLY;BYDAY=SA"),
            ("cada quarta do mês", "FREQ=WEEKLY;BYDAY=WE"),
            ("each friday of the month", "FREQ=WEEKLY;BYDAY=FR"),
            ("aos finais de semana", "FREQ=WEEKLY;BYDAY=SA,SU"),
            ("toda 5ª feira", "FREQ=WEEKLY;BYDAY=TH"),
            ("1º sábado do mês", "FREQ=MONTHLY;BYDAY=1SA"),
            ("primeiro sábado de cada mês", "FREQ=MONTHLY;BYDAY=1SA"),
            ("todo segundo domingo do mês", "FREQ=MONTHLY;BYDAY=2SU"),
            ("segunda sexta do mês", "FREQ=MONTHLY;BYDAY=2FR"),
            ("1º e 3º sábado do mês", "FREQ=MONTHLY;BYDAY=1SA,3SA"),
            ("último domingo do mês", "FREQ=MONTHLY;BYDAY=-1SU"),
            ("todo dia 25", "FREQ=MONTHLY;BYMONTHDAY=25"),
            ("todo dia 5 e 20", "FREQ=MONTHLY;BYMONTHDAY=5,20"),
            ("todo dia 21 de abril", "FREQ=YEARLY;BYMONTH=4;BYMONTHDAY=21"),
            ("todo ano em 21/04", "FREQ=YEARLY;BYMONTH=4;BYMONTHDAY=21"),
            ("todos os dias", "FREQ=DAILY"),
            ("diariamente", "FREQ=DAILY"),
            ("fins de semana", "FREQ=WEEKLY;BYDAY=SA,SU"),
            ("dias úteis", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
            ("every friday", "FREQ=WEEKLY;BYDAY=FR"),
            ("fridays and saturdays", "FREQ=WEEKLY;BYDAY=FR,SA"),
            ("monday to friday", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
            ("1st saturday of the month", "FREQ=MONTHLY;BYDAY=1SA"),
            ("last sunday of each month", "FREQ=MONTHLY;BYDAY=-1SU"),
            ("day 25 of each month", "FREQ=MONTHLY;BYMONTHDAY=25"),
            ("the 1st and 25th of each month", "FREQ=MONTHLY;BYMONTHDAY=1,25"),
            ("todos os dias 5 e 20", "FREQ=MONTHLY;BYMONTHDAY=5,20"),
            ("every 2nd friday of the month", "FREQ=MONTHLY;BYDAY=2FR"),
            ("every 1st and 3rd saturday", "FREQ=MONTHLY;BYDAY=1SA,3SA"),
            ("1st and 15th days of each month", "FREQ=MONTHLY;BYMONTHDAY=1,15"),
            ("weekends", "FREQ=WEEKLY;BYDAY=SA,SU"),
            ("FREQ=YEARLY;BYEASTER=-2", "FREQ=YEARLY;BYEASTER=-2"),
        ] {
            let read = said(typed, None).unwrap_or_else(|problems| panic!("{typed}: {problems:?}"));
            assert_eq!(read, Said { rule: Some(rule.to_owned()), ..Said::default() }, "{typed}");
            let repeat = snapshots::recur::Repeat {
                rule: Some(rule.to_owned()),
                until: None,
                except: Vec::new(),
                dates: Vec::new(),
            };
            let days = snapshots::recur::days(&repeat, None, chrono::Days::new(0), day("2026-11-23"));
            assert!(days.is_ok(), "{rule}");
        }
        for (typed, rule) in [
            ("quinzenal", "FREQ=WEEKLY;INTERVAL=2"),
            ("a cada 15 dias", "FREQ=WEEKLY;INTERVAL=2"),
            ("every other friday", "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR"),
            ("cada 5 dias", "FREQ=DAILY;INTERVAL=5"),
            ("a cada 3 dias", "FREQ=DAILY;INTERVAL=3"),
            ("todos os 10 dias", "FREQ=DAILY;INTERVAL=10"),
            ("every 5 days", "FREQ=DAILY;INTERVAL=5"),
            ("semanal", "FREQ=WEEKLY;BYDAY=SA"),
            ("mensal", "FREQ=MONTHLY;BYMONTHDAY=5"),
            ("anual", "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=5"),
        ] {
            assert_eq!(said(typed, Some("2026-12-05")).unwrap().rule.as_deref(), Some(rule), "{typed}");
            assert_eq!(said(typed, None), Err(vec![Problem::RepeatNeedsDate]), "{typed}");
        }
        for typed in [
            "às vezes",
            "sábado do mês",
            "sábado de cada mês",
            "6ª quinta",
            "toda sexta com DJ",
            "cada 5 dias do mês",
            "10 dias de cada mês",
            "every 2nd friday",
            "every second friday",
            "de vez em quando",
        ] {
            assert!(
                matches!(&said(typed, None), Err(problems) if matches!(problems[..], [Problem::NotARepeat { .. }])),
                "{typed}"
            );
        }
    }

    #[test]
    fn exceptions_and_ends_are_cut_off() {
        let read = said("toda sexta, exceto 25/12/2026 e 1/1/2027", None).unwrap();
        assert_eq!(read.rule.as_deref(), Some("FREQ=WEEKLY;BYDAY=FR"));
        assert_eq!(read.except, [day("2026-12-25"), day("2027-01-01")]);
        let read = said("todo domingo até 30/03/2027", None).unwrap();
        assert_eq!(
            (read.rule.as_deref(), read.until),
            (Some("FREQ=WEEKLY;BYDAY=SU"), Some(day("2027-03-30")))
        );
        let read = said("de segunda a sexta até 30/03/2027 (exceto 25/12/2026)", None).unwrap();
        assert_eq!(read.rule.as_deref(), Some("FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"));
        assert_eq!((read.until, &*read.except), (Some(day("2027-03-30")), &[day("2026-12-25")][..]));
        let read = said("every friday except 25/12 until 30/03", None).unwrap();
        assert_eq!(read.rule.as_deref(), Some("FREQ=WEEKLY;BYDAY=FR"));
        let read = said("5, 12 e 19/12/2026", None).unwrap();
        assert_eq!(read.dates, [day("2026-12-05"), day("2026-12-12"), day("2026-12-19")]);
    }
}
