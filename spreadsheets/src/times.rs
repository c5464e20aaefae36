//! Times as people type them: `19h30`, `7pm`, `19h às 22h`, `16h e 20h`, fractions of Excel.

use chrono::{Datelike, NaiveDate, NaiveTime, Timelike};
use snapshots::limits::YEARS;

use crate::problem::Problem;
use crate::sheet::{Cell, fraction_time, hours_of, serial_day};
use crate::text::{fold, number};

/// When something begins, and ends if that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TypedSession {
    pub(crate) start: NaiveTime,
    pub(crate) end: Option<NaiveTime>,
}

/// What a cell of times is about. Only an end may be at 24:00: a start would be at 00:00 of the wrong day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Of {
    Start,
    End,
}

/// Reads a cell; `None`, and a problem, when it holds no time.
pub(crate) fn read(cell: &Cell, of: Of, problems: &mut Vec<Problem>) -> Option<Vec<TypedSession>> {
    let one = |start| vec![TypedSession { start, end: None }];
    match cell {
        Cell::Moment(_, Some(time)) => Some(one(*time)),
        Cell::Number(value) if (0.0..1.0).contains(value) => match hours_of(*value) {
            Some(hours) => parse(&hours, of, problems),
            None => Some(one(fraction_time(*value)?)),
        },
        // a date and time of a column without a format
        Cell::Number(value) if *value > 36_526.0 && value.fract() > 0.0 => Some(one(fraction_time(*value)?)),
        Cell::Number(value) => parse(&number(*value), of, problems),
        Cell::Text(text) => parse(text, of, problems),
        other => {
            problems.push(Problem::NotATime { typed: other.shown() });
            None
        }
    }
}

/// The day and the time of a cell that holds both. Programs give a time alone a day of 1900 or 1904, which is none.
pub(crate) fn with_day(cell: &Cell) -> Option<(NaiveDate, NaiveTime)> {
    match cell {
        Cell::Moment(Some(day), Some(time)) if YEARS.contains(&day.year()) => Some((*day, *time)),
        Cell::Number(serial) if serial.fract() > 0.0 => Some((serial_day(*serial)?, fraction_time(*serial)?)),
        _ => None,
    }
}

/// Reads a text; `None`, and a problem, when it is not made of times alone.
pub(crate) fn parse(text: &str, of: Of, problems: &mut Vec<Problem>) -> Option<Vec<TypedSession>> {
    let folded = fold(text);
    // a fraction of Excel in a CSV file
    if let Ok(fraction) = folded.replace(',', ".").parse::<f64>()
        && (0.0..1.0).contains(&fraction)
        && folded.len() > 3
    {
        return match hours_of(fraction) {
            Some(hours) => parse(&hours, of, problems),
            None => fraction_time(fraction).map(|start| vec![TypedSession { start, end: None }]),
        };
    }
    let read = sessions(&folded);
    let typed = || text.trim().to_owned();
    let Some(Listed { sessions, sure, starts_at_24, has_slash }) = read else {
        problems.push(Problem::NotATime { typed: typed() });
        return None;
    };
    if starts_at_24 && of == Of::Start {
        problems.push(Problem::StartsAtEndOfDay { typed: typed() });
        return None;
    }
    if has_slash {
        problems.push(Problem::SlashSessions {
            typed: typed(),
            count: sessions.len(),
            read: shown(&sessions),
        });
    }
    if !sure {
        problems.push(Problem::TimeAssumed { read: shown(&sessions) });
    }
    Some(sessions)
}

/// The sessions as `19:30-22:00, 23:00`.
fn shown(sessions: &[TypedSession]) -> String {
    let shown: Vec<String> = sessions
        .iter()
        .map(|session| match session.end {
            Some(end) => format!("{}-{}", session.start.format("%H:%M"), end.format("%H:%M")),
            None => session.start.format("%H:%M").to_string(),
        })
        .collect();
    shown.join(", ")
}

#[derive(Clone, Copy, PartialEq)]
enum Half {
    Am,
    Pm,
}

/// A time, and how sure it is one.
#[derive(Clone, Copy)]
struct Clocked {
    hour: u32,
    minute: u32,
    half: Option<Half>,
    /// It has an `h`, a colon or the like.
    marked: bool,
}

impl Clocked {
    fn time(self) -> Option<NaiveTime> {
        let hour = match (self.half, self.hour) {
            (Some(Half::Pm), 1..=11) => self.hour + 12,
            (Some(Half::Am), 12) => 0,
            (None, 24) => 0,
            (_, hour) => hour,
        };
        NaiveTime::from_hms_opt(hour, self.minute, 0)
    }

    /// Takes the mark of the hour and the minutes from the text after it; the rest.
    fn take_minutes<'t>(&mut self, text: &'t str) -> &'t str {
        let spaced = text.trim_start();
        let hour_words = ["horas", "hora", "hours", "hrs", "hr", "hs", "h"];
        if let Some(rest) = hour_words.iter().find_map(|word| word_at(spaced, word)) {
            self.marked = true;
            let tight = rest.trim_start_matches([':', ' ', 'e']);
            let minutes = two_digits(tight).filter(|(_, after)| {
                !after.trim_start().starts_with('h')
                    && !after.starts_with(':')
                    // "20h e 06/12"
                    && (tight.len() == rest.len() || !after.starts_with('/'))
            });
            let Some((minute, after)) = minutes else { return rest };
            self.minute = minute;
            return after;
        }
        let Some(after) = text.strip_prefix([':', '.']) else { return text };
        self.marked |= text.starts_with(':');
        let Some((minute, after)) = two_digits(after) else { return text };
        (self.marked, self.minute) = (true, minute);
        // seconds
        after.strip_prefix(':').and_then(two_digits).map_or(after, |(_, after)| after)
    }
}

/// The sessions of a text.
struct Listed {
    sessions: Vec<TypedSession>,
    /// All of them are marked as times.
    sure: bool,
    /// One of them starts at 24:00 or later.
    starts_at_24: bool,
    /// A slash is between two of them, which may be meant as "from ... to".
    has_slash: bool,
}

fn sessions(text: &str) -> Option<Listed> {
    let (mut sessions, mut sure, mut starts_at_24, mut has_slash) = (Vec::new(), true, false, false);
    let mut rest = without_prefix(
        text,
        &["horario", "inicio", "a partir das", "a partir de", "a partir da", "desde as"],
    );
    loop {
        rest = without_prefix(rest, &["das", "de", "as", "da", "do", "from", "at", "~", ":"]);
        let (mut start, after) = time_at(rest)?;
        rest = after.trim_start();
        let joined = ["ate as", "ate a", "ate", "as", "a", "to", "until", "till", "-", "–", "—"];
        let end = joined.iter().find_map(|joint| {
            let after = rest.strip_prefix(joint)?;
            time_at(without_prefix(after.trim_start(), &["as", "a"]))
        });
        let is_marked = end.as_ref().map_or(start.marked, |(end, _)| end.marked);
        let mut read_end = None;
        if let Some((end, after)) = end {
            // "7 to 9pm"
            if start.half.is_none() && !start.marked && end.half == Some(Half::Pm) && start.hour < end.hour {
                start.half = end.half;
            }
            sure &= start.marked || end.marked;
            read_end = Some(end.time()?);
            rest = after.trim_start();
        } else {
            sure &= start.marked;
        }
        starts_at_24 |= start.hour == 24;
        sessions.push(TypedSession { start: start.time()?, end: read_end });
        rest = without_prefix(rest, &["em diante", "onwards", "."]).trim_start();
        if rest.is_empty() {
            break;
        }
        let after_comma = without_prefix(rest, &[","]);
        if after_comma.is_empty() {
            break;
        }
        // "06/12" is a day
        if after_comma.starts_with('/') && !is_marked {
            return None;
        }
        has_slash |= after_comma.starts_with('/');
        let listed = ["e", "and", "y", ";", "/", "|", "&", "+", "ou"];
        let next = without_prefix(after_comma, &listed);
        if next.len() == rest.len() {
            return None;
        }
        rest = next;
    }
    // "16 e 20h": the marks of one stand for all
    let sure = sure || sessions.len() > 1 && text.contains('h');
    Some(Listed { sessions, sure, starts_at_24, has_slash })
}

/// The text without one of the words at its begin.
fn without_prefix<'t>(text: &'t str, words: &[&str]) -> &'t str {
    let text = text.trim_start();
    for word in words {
        if let Some(after) = text.strip_prefix(word)
            && (!word.ends_with(char::is_alphabetic) || !after.starts_with(char::is_alphabetic))
        {
            return after.trim_start();
        }
    }
    text
}

/// Whether a text begins with what is marked as a time, even if no day has it: "19h", "25h", "8 da noite", "meio-dia".
/// For texts that hold days too: "5.12" may be a day and "2026" a year.
pub(crate) fn starts_with_time(text: &str) -> bool {
    let after = text.trim_start_matches(|c: char| c.is_ascii_digit());
    text.len() - after.len() <= 2
        && !after.starts_with('.')
        && clocked_at(text).is_some_and(|(read, _)| read.marked)
}

/// The time at the begin of a text, and the rest.
fn time_at(text: &str) -> Option<(Clocked, &str)> {
    clocked_at(text).filter(|(read, _)| read.time().is_some())
}

/// What is written as a time at the begin of a text, even if no day has it, and the rest.
fn clocked_at(text: &str) -> Option<(Clocked, &str)> {
    let text = text.trim_start();
    named_at(text).or_else(|| numbered_at(text))
}

/// A time with a name.
fn named_at(text: &str) -> Option<(Clocked, &str)> {
    let names = [
        ("meio-dia", 12),
        ("meio dia", 12),
        ("noon", 12),
        // the end of a day, as 24:00: a start is of the next one
        ("meia-noite", 24),
        ("meia noite", 24),
        ("midnight", 24),
    ];
    names.iter().find_map(|(name, hour)| {
        let rest = word_at(text, name)?;
        Some((Clocked { hour: *hour, minute: 0, half: None, marked: true }, rest))
    })
}

/// A time in digits.
fn numbered_at(text: &str) -> Option<(Clocked, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (run, mut rest) = text.split_at(digits);
    let mut read = match digits {
        1 | 2 => Clocked { hour: run.parse().ok()?, minute: 0, half: None, marked: false },
        // 1930
        3 | 4 => {
            let (hour, minute) = run.split_at(digits - 2);
            Clocked { hour: hour.parse().ok()?, minute: minute.parse().ok()?, half: None, marked: false }
        }
        _ => return None,
    };
    if digits <= 2 {
        rest = read.take_minutes(rest);
    }
    let spaced = rest.trim_start();
    if let Some(after) = ["hrs", "hs", "h"].iter().find_map(|word| word_at(spaced, word)) {
        (read.marked, rest) = (true, after);
    } else if let Some(after) = ["min", "m"].iter().find_map(|word| word_at(spaced, word)) {
        // no mark: "20 min" may be how long it lasts
        rest = after;
    }
    let halves = [
        ("a.m.", Half::Am),
        ("p.m.", Half::Pm),
        ("am", Half::Am),
        ("pm", Half::Pm),
        ("da manha", Half::Am),
        ("da madrugada", Half::Am),
        ("da tarde", Half::Pm),
        ("da noite", Half::Pm),
    ];
    for (word, half) in halves {
        // "5 amanha" is no time
        if let Some(after) = word_at(rest.trim_start(), word) {
            (read.half, read.marked, rest) = (Some(half), true, after);
            if word == "da noite" && read.hour == 12 {
                // midnight
                (read.hour, read.half) = (24, None);
            }
        }
    }
    Some((read, rest))
}

/// The text after a word, which no letter follows.
fn word_at<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    text.strip_prefix(word).filter(|after| !after.starts_with(char::is_alphabetic))
}

fn two_digits(text: &str) -> Option<(u32, &str)> {
    let digits = text.get(..2).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))?;
    let after = &text[2..];
    if after.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    Some((digits.parse().ok().filter(|minute| *minute < 60)?, after))
}

/// `HH:MM`, as records have it.
pub(crate) fn written(time: NaiveTime) -> String {
    format!("{:02}:{:02}", time.hour(), time.minute())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_people_type_them() {
        for (typed, expected) in [
            ("19h30", "19:30"),
            ("19h", "19:00"),
            ("19 h 30", "19:30"),
            ("19H30min", "19:30"),
            ("7pm", "19:00"),
            ("7:30 p.m.", "19:30"),
            ("12am", "00:00"),
            ("19:30:00", "19:30"),
            ("19.30", "19:30"),
            ("8 da noite", "20:00"),
            ("meio-dia", "12:00"),
            ("às 20 horas", "20:00"),
            ("19h às 22h", "19:00-22:00"),
            ("das 8 às 22h", "08:00-22:00"),
            ("7-9pm", "19:00-21:00"),
            ("19:00 - 23:30", "19:00-23:30"),
            ("16h e 20h", "16:00, 20:00"),
            ("16h, 18h30 e 20h", "16:00, 18:30, 20:00"),
            ("16h, e 20h", "16:00, 20:00"),
            ("16h | 20h", "16:00, 20:00"),
            ("16h; 20h,", "16:00, 20:00"),
            ("16h às 17h e 20h às 21h", "16:00-17:00, 20:00-21:00"),
            ("22h até 2h", "22:00-02:00"),
            ("a partir das 19h", "19:00"),
            ("0.8125", "19:30"),
        ] {
            let mut problems = Vec::new();
            let read = parse(typed, Of::Start, &mut problems).unwrap_or_default();
            assert_eq!((shown(&read), problems), (expected.to_owned(), vec![]), "{typed}");
        }
        for (typed, expected) in [("19", "19:00"), ("1930", "19:30")] {
            let mut problems = Vec::new();
            let read = parse(typed, Of::Start, &mut problems).unwrap_or_default();
            assert_eq!(shown(&read), expected);
            assert_eq!(problems, [Problem::TimeAssumed { read: expected.to_owned() }]);
        }
        for typed in
            ["25h", "19h75", "abertura 19h", "a noite", "19h show", "19:3", "19h3", "20h e 06/12 as 18h", ""]
        {
            let mut problems = Vec::new();
            assert_eq!(parse(typed, Of::Start, &mut problems), None, "{typed}");
            assert_eq!(problems.len(), 1, "{typed}");
        }
    }

    #[test]
    fn a_slash_between_times_is_told_and_read_as_sessions() {
        for (typed, read, count) in [
            ("9h/18h", "09:00, 18:00", 2),
            ("16h/20h.", "16:00, 20:00", 2),
            ("10h / 14h / 18h", "10:00, 14:00, 18:00", 3),
        ] {
            let mut problems = Vec::new();
            assert_eq!(shown(&parse(typed, Of::Start, &mut problems).unwrap_or_default()), read);
            let (typed, read) = (typed.to_owned(), read.to_owned());
            assert_eq!(problems, [Problem::SlashSessions { typed, count, read }]);
        }
    }

    #[test]
    fn midnight_as_24_is_an_end_and_no_start() {
        for typed in [
            "24:00",
            "24h",
            "às 24h",
            "22h e 24h",
            "24h às 2h",
            "24:30",
            "meia noite",
            "Meia-noite às 2h",
            "12 da noite",
            "12h da noite",
        ] {
            let mut problems = Vec::new();
            assert_eq!(parse(typed, Of::Start, &mut problems), None, "{typed}");
            assert_eq!(problems, [Problem::StartsAtEndOfDay { typed: typed.to_owned() }]);
        }
        for (typed, of, expected) in [
            ("22h às 24h", Of::Start, "22:00-00:00"),
            ("22h à meia-noite", Of::Start, "22:00-00:00"),
            ("20h às 12 da noite", Of::Start, "20:00-00:00"),
            ("24h", Of::End, "00:00"),
            ("meia noite", Of::End, "00:00"),
        ] {
            let mut problems = Vec::new();
            let read = parse(typed, of, &mut problems).unwrap_or_default();
            assert_eq!((&*shown(&read), problems), (expected, vec![]), "{typed}");
        }
    }
}
