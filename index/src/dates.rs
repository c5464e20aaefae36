//! Dates in words ("hoje", "sexta à noite", "this weekend", "em agosto") as windows of days, given the current day.

use chrono::{Datelike, Days, Months, NaiveDate, Weekday};

/// A range of days, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Window {
    /// First day.
    pub from: NaiveDate,
    /// Last day; never before `from`.
    pub to: NaiveDate,
}

impl Window {
    /// A single day.
    pub fn day(day: NaiveDate) -> Self {
        Self { from: day, to: day }
    }

    /// The intersection with another window, unless it is empty.
    pub fn within(self, other: Window) -> Option<Window> {
        let (from, to) = (self.from.max(other.from), self.to.min(other.to));
        (from <= to).then_some(Window { from, to })
    }
}

/// Parses the folded words from `at` on as a date or a range: how many words it has, and the days. The words hold no
/// connectors ("de").
pub fn read(words: &[&str], at: usize, today: NaiveDate) -> Option<(usize, Window)> {
    let rest = &words[at..];
    let previous = at.checked_sub(1).map_or("", |before| words[before]);
    // "this Friday", "next week": the first word only qualifies the next
    let (lead, next) = match *rest.first()? {
        "este" | "esta" | "esse" | "essa" | "neste" | "nesta" | "nesse" | "nessa" | "this" | "on" => {
            (1, false)
        }
        "next" | "proximo" | "proxima" | "proximos" | "proximas" => (1, true),
        _ => (0, false),
    };
    let previous = if lead == 1 { rest[0] } else { previous };
    let (taken, window) = span(&rest[lead..], next, previous, today)?;
    let mut taken = lead + taken;
    if let [first, second, ..] = rest[taken..] {
        let at_night = matches!(first, "a" | "at" | "pela" | "in") && is_part_of_day(second);
        if at_night || (first, second) == ("que", "vem") {
            taken += 2;
        }
    }
    if rest.get(taken).is_some_and(|word| is_part_of_day(word)) {
        taken += 1;
    }
    Some((taken, window))
}

fn is_part_of_day(word: &str) -> bool {
    matches!(word, "noite" | "tarde" | "manha" | "night" | "evening" | "afternoon" | "morning")
}

fn span(words: &[&str], next: bool, previous: &str, today: NaiveDate) -> Option<(usize, Window)> {
    let first = *words.first()?;
    let second = words.get(1).copied().unwrap_or("");
    let in_days = |days| today.checked_add_days(Days::new(days));
    Some(match (first, second) {
        ("hoje" | "today" | "tonight" | "agora" | "now", _) => (1, Window::day(today)),
        ("noite" | "night" | "evening" | "afternoon" | "tarde", _)
            if matches!(previous, "esta" | "nesta" | "this") || next =>
        {
            (1, Window::day(today))
        }
        ("amanha" | "tomorrow", _) => (1, Window::day(in_days(1)?)),
        ("depois", "amanha") => (2, Window::day(in_days(2)?)),
        ("day", "after") if words.get(2) == Some(&"tomorrow") => (3, Window::day(in_days(2)?)),
        ("fim" | "final" | "finais" | "fins", "semana") => (2, weekend(today, next)?),
        ("fds" | "weekend" | "weekends", _) => (1, weekend(today, next)?),
        ("semana", "que") if words.get(2) == Some(&"vem") => (3, week(today, true)?),
        ("semana" | "week", _) if next || matches!(previous, "esta" | "nesta" | "essa" | "this") => {
            (1, week(today, next)?)
        }
        ("dias" | "days", _) if next => (1, Window { from: today, to: in_days(7)? }),
        (count, "dias" | "days") if next => {
            (2, Window { from: today, to: in_days(count.parse().ok().filter(|days| *days <= 366)?)? })
        }
        _ => return weekday(first, second, today).or_else(|| calendar(words, previous, today)),
    })
}

/// The coming Saturday and Sunday, or what is left of the current ones.
fn weekend(today: NaiveDate, next: bool) -> Option<Window> {
    let begun = matches!(today.weekday(), Weekday::Sat | Weekday::Sun);
    let sunday = today.checked_add_days(Days::new(u64::from(6 - today.weekday().num_days_from_monday())))?;
    if begun && next {
        let sunday = sunday.checked_add_days(Days::new(7))?;
        return Some(Window { from: sunday.pred_opt()?, to: sunday });
    }
    Some(Window { from: today.max(sunday.pred_opt()?), to: sunday })
}

/// The rest of this week, or the whole next one; weeks begin on Monday.
fn week(today: NaiveDate, next: bool) -> Option<Window> {
    let sunday = today.checked_add_days(Days::new(u64::from(6 - today.weekday().num_days_from_monday())))?;
    if next {
        return Some(Window { from: sunday.succ_opt()?, to: sunday.checked_add_days(Days::new(7))? });
    }
    Some(Window { from: today, to: sunday })
}

/// The next such weekday, today included.
fn weekday(first: &str, second: &str, today: NaiveDate) -> Option<(usize, Window)> {
    let name = first.strip_suffix('s').unwrap_or(first);
    let day = match name {
        "segunda" | "monday" => Weekday::Mon,
        "terca" | "tuesday" => Weekday::Tue,
        "quarta" | "wednesday" => Weekday::Wed,
        "quinta" | "thursday" => Weekday::Thu,
        "sexta" | "friday" => Weekday::Fri,
        "sabado" | "saturday" => Weekday::Sat,
        "domingo" | "sunday" => Weekday::Sun,
        _ => return None,
    }
    .num_days_from_monday();
    let ahead = (7 + day - today.weekday().num_days_from_monday()) % 7;
    // "sexta-feira", but not "sabado-feira"
    let may_be_feira = day < 5 && !name.ends_with("day");
    let taken = 1 + usize::from(may_be_feira && matches!(second, "feira" | "feiras"));
    Some((taken, Window::day(today.checked_add_days(Days::new(u64::from(ahead)))?)))
}

/// "25 de dezembro", "December 25", "agosto", "agosto de 2027", "2027".
fn calendar(words: &[&str], previous: &str, today: NaiveDate) -> Option<(usize, Window)> {
    let day_number = |word: &&str| word.parse::<u32>().ok().filter(|day| (1..=31).contains(day));
    if let (Some(day), Some(number)) =
        (words.first().and_then(day_number), words.get(1).and_then(|word| month(word)))
    {
        return on(day, number, words.get(2), today).map(|(year, window)| (2 + year, window));
    }
    let first = words.first()?;
    if let Some(number) = month(first) {
        if let Some(day) = words.get(1).and_then(day_number) {
            return on(day, number, words.get(2), today).map(|(year, window)| (2 + year, window));
        }
        let year = words.get(1).and_then(|word| year(word));
        // "marco" is also a landmark, "may" and "march" are also verbs
        if matches!(*first, "marco" | "may" | "march") && year.is_none() && !matches!(previous, "em" | "in") {
            return None;
        }
        let chosen = year.unwrap_or(today.year() + i32::from(number < today.month()));
        let from = NaiveDate::from_ymd_opt(chosen, number, 1)?;
        let to = from.checked_add_months(Months::new(1))?.pred_opt()?;
        return Some((1 + usize::from(year.is_some()), Window { from: from.max(today).min(to), to }));
    }
    let year = year(first)?;
    let to = NaiveDate::from_ymd_opt(year, 12, 31)?;
    Some((1, Window { from: NaiveDate::from_ymd_opt(year, 1, 1)?.max(today).min(to), to }))
}

/// A day of a month, in the given year or else its next occurrence; and how many words (0 or 1) gave the year.
fn on(day: u32, month: u32, after: Option<&&str>, today: NaiveDate) -> Option<(usize, Window)> {
    if let Some(year) = after.and_then(|word| year(word)) {
        return Some((1, Window::day(NaiveDate::from_ymd_opt(year, month, day)?)));
    }
    (0..=4)
        .filter_map(|ahead| NaiveDate::from_ymd_opt(today.year() + ahead, month, day))
        .find(|date| *date >= today)
        .map(|date| (0, Window::day(date)))
}

fn year(word: &str) -> Option<i32> {
    word.parse().ok().filter(|year| (2020..2100).contains(year))
}

fn month(word: &str) -> Option<u32> {
    Some(match word {
        "janeiro" | "january" => 1,
        "fevereiro" | "february" => 2,
        "marco" | "march" => 3,
        "abril" | "april" => 4,
        "maio" | "may" => 5,
        "junho" | "june" => 6,
        "julho" | "july" => 7,
        "agosto" | "august" => 8,
        "setembro" | "september" => 9,
        "outubro" | "october" => 10,
        "novembro" | "november" => 11,
        "dezembro" | "december" => 12,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn date(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    /// Saturday, 21 November 2026.
    fn parse(text: &str) -> Option<(usize, String, String)> {
        let words: Vec<&str> = text.split(' ').collect();
        read(&words, 0, date("2026-11-21"))
            .map(|(taken, window)| (taken, window.from.to_string(), window.to.to_string()))
    }

    #[test]
    fn dates_in_words_become_windows() {
        for (text, taken, from, to) in [
            ("hoje", 1, "2026-11-21", "2026-11-21"),
            ("hoje a noite", 3, "2026-11-21", "2026-11-21"),
            ("tonight jazz", 1, "2026-11-21", "2026-11-21"),
            ("amanha", 1, "2026-11-22", "2026-11-22"),
            ("depois amanha", 2, "2026-11-23", "2026-11-23"),
            ("fim semana", 2, "2026-11-21", "2026-11-22"),
            ("this weekend", 2, "2026-11-21", "2026-11-22"),
            ("next weekend", 2, "2026-11-28", "2026-11-29"),
            ("sexta", 1, "2026-11-27", "2026-11-27"),
            ("sexta feira a noite", 4, "2026-11-27", "2026-11-27"),
            ("sabado", 1, "2026-11-21", "2026-11-21"),
            ("next friday", 2, "2026-11-27", "2026-11-27"),
            ("domingo que vem", 3, "2026-11-22", "2026-11-22"),
            ("esta semana", 2, "2026-11-21", "2026-11-22"),
            ("semana que vem", 3, "2026-11-23", "2026-11-29"),
            ("next 10 days", 3, "2026-11-21", "2026-12-01"),
            ("agosto", 1, "2027-08-01", "2027-08-31"),
            ("novembro", 1, "2026-11-21", "2026-11-30"),
            ("agosto 2028", 2, "2028-08-01", "2028-08-31"),
            ("25 dezembro", 2, "2026-12-25", "2026-12-25"),
            ("december 25 2027", 3, "2027-12-25", "2027-12-25"),
            ("2026", 1, "2026-11-21", "2026-12-31"),
        ] {
            assert_eq!(parse(text), Some((taken, from.into(), to.into())), "{text}");
        }
    }

    #[test]
    fn other_words_are_not_dates() {
        for text in ["noite", "feira", "marco", "408 norte", "may", "semana santa", "31 fevereiro"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
