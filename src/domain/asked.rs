//! What people asked and did not find: a question as it was understood, without anybody who asked it, and the list that
//! the operator reads.
//!
//! Questions are stored as JSON: a renamed field or variant keeps its stored name with `#[serde(rename)]`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use chrono::{Datelike, Days as DayCount, NaiveDate, Weekday};
use serde::{Deserialize, Serialize};

use super::account::HolderId;

/// What fewer distinct callers asked on one day is never written.
pub const MIN_CALLERS: usize = 3;

/// Most questions of one day that a store keeps: the most asked ones.
pub const MAX_A_DAY: usize = 2_000;

/// For how many days they are kept.
pub const KEPT_DAYS: u64 = 90;

/// The longest text that is counted, in characters and in words. People search with a few words; longer texts tell
/// about themselves.
const MAX_CHARACTERS: usize = 80;
const MAX_WORDS: usize = 8;

/// More digits in a row are a number of a person, and no block or year.
const MAX_DIGITS: usize = 4;

/// As many digits are a phone number, however they are written.
const PHONE_DIGITS: usize = 7;

/// A question that was not met, as it was understood.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Question {
    /// What it looks for.
    #[serde(rename = "in")]
    pub sought: Sought,
    /// What it found instead.
    pub result: Missed,
    /// The categories, by their names in Portuguese.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub category: Vec<String>,
    /// The areas, by their names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub region: Vec<String>,
    /// The numbers of blocks (quadras).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quadra: Vec<u16>,
    /// The days, as a kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub days: Option<Days>,
    /// The hours, as a kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hours: Option<Hours>,
    /// Whether it asks for what is near a place. Which place is not kept.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub near: bool,
    /// The folded words that are no filter.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub words: String,
    /// Of the whole question, what the closest records do not meet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

/// What a question looks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sought {
    /// Events.
    Events,
    /// Places.
    Places,
    /// Both, on the site.
    Both,
}

/// What a question found that nothing meets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Missed {
    /// Nothing.
    Zero,
    /// Only what meets most of it.
    Closest,
}

/// The days of a question, as a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "their names say it")]
pub enum Days {
    Today,
    Tomorrow,
    Monday,
    Tuesday,
    Wednesday,
    Thursday,
    Friday,
    Saturday,
    Sunday,
    Weekend,
    /// From today, for a week at most.
    NextDays,
    /// Any others.
    Later,
}

/// The hours of a question, as a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "their names say it")]
pub enum Hours {
    Morning,
    Afternoon,
    Night,
}

impl Days {
    /// The kind of the days `from` to `to`.
    pub fn of(from: NaiveDate, to: NaiveDate, today: NaiveDate) -> Days {
        let ahead = (from - today).num_days();
        let length = (to - from).num_days();
        match (ahead, length) {
            (0, 0) => Days::Today,
            (1, 0) => Days::Tomorrow,
            (2..=7, 0) => match from.weekday() {
                Weekday::Mon => Days::Monday,
                Weekday::Tue => Days::Tuesday,
                Weekday::Wed => Days::Wednesday,
                Weekday::Thu => Days::Thursday,
                Weekday::Fri => Days::Friday,
                Weekday::Sat => Days::Saturday,
                Weekday::Sun => Days::Sunday,
            },
            (0..=7, 1..=2) if to.weekday() == Weekday::Sun => Days::Weekend,
            (0, 1..=7) => Days::NextDays,
            _ => Days::Later,
        }
    }

    fn in_portuguese(self) -> &'static str {
        match self {
            Days::Today => "hoje",
            Days::Tomorrow => "amanhã",
            Days::Monday => "segunda",
            Days::Tuesday => "terça",
            Days::Wednesday => "quarta",
            Days::Thursday => "quinta",
            Days::Friday => "sexta",
            Days::Saturday => "sábado",
            Days::Sunday => "domingo",
            Days::Weekend => "fim de semana",
            Days::NextDays => "próximos dias",
            Days::Later => "outros dias",
        }
    }
}

impl Hours {
    /// The kind of the hours from a minute of the day on.
    pub fn from_minute(minute: u16) -> Hours {
        match minute / 60 % 24 {
            4..12 => Hours::Morning,
            12..18 => Hours::Afternoon,
            _ => Hours::Night,
        }
    }

    fn in_portuguese(self) -> &'static str {
        match self {
            Hours::Morning => "de manhã",
            Hours::Afternoon => "à tarde",
            Hours::Night => "à noite",
        }
    }
}

/// How it was understood, in Portuguese.
impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.sought {
            Sought::Events => "eventos",
            Sought::Places => "lugares",
            Sought::Both => "eventos e lugares",
        })?;
        if !self.category.is_empty() {
            write!(f, " · {}", self.category.join(" ou "))?;
        }
        if !self.region.is_empty() {
            write!(f, " · em {}", self.region.join(" ou "))?;
        }
        for quadra in &self.quadra {
            write!(f, " · quadra {quadra}")?;
        }
        if self.near {
            f.write_str(" · perto de um ponto")?;
        }
        if let Some(days) = self.days {
            write!(f, " · {}", days.in_portuguese())?;
        }
        if let Some(hours) = self.hours {
            write!(f, " · {}", hours.in_portuguese())?;
        }
        if !self.left_out.is_empty() {
            write!(f, " · sem atender: {}", self.left_out.join(", "))?;
        }
        Ok(())
    }
}

/// Whether a text may hold personal data, or is too long for a search: an e-mail address, a phone number, a longer
/// number.
pub fn may_be_personal(text: &str) -> bool {
    // a text has at most as many characters as bytes
    if text.len() > MAX_CHARACTERS && text.chars().count() > MAX_CHARACTERS {
        return true;
    }
    if text.split_whitespace().count() > MAX_WORDS {
        return true;
    }
    let (mut in_a_row, mut in_all) = (0, 0);
    for character in text.chars() {
        match character {
            '@' => return true,
            _ if character.is_numeric() => {
                in_a_row += 1;
                in_all += 1;
                if in_a_row > MAX_DIGITS || in_all >= PHONE_DIGITS {
                    return true;
                }
            }
            // what stands between the digits of one number
            ' ' | '-' | '.' | '(' | ')' | '+' | '/' | '\u{a0}' | '‑' | '–' => in_a_row = 0,
            _ => (in_a_row, in_all) = (0, 0),
        }
    }
    false
}

/// What one server counted of a question on one day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedCount {
    /// The day in Brasília.
    pub day: NaiveDate,
    /// One run of one server.
    pub run: HolderId,
    /// The [`Question`], opaque to the store.
    pub question: String,
    /// How many distinct callers asked it of this server on this day, at least [`MIN_CALLERS`].
    pub callers: u32,
    /// How often.
    pub times: u32,
}

/// A question over several days and servers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Asked {
    /// The question.
    #[serde(flatten)]
    pub question: Question,
    /// Distinct callers.
    pub callers: u32,
    /// Whether there may be more: callers of two days or two servers cannot be told from each other, as nothing that
    /// identifies them is kept. Then `callers` are those of the one day and server with most.
    pub or_more: bool,
    /// How often it was asked.
    pub times: u64,
    /// On which days.
    pub days_asked: BTreeSet<NaiveDate>,
}

impl Asked {
    /// The callers as text: `12`, or `12+`.
    pub fn callers(&self) -> String {
        format!("{}{}", self.callers, if self.or_more { "+" } else { "" })
    }
}

/// The most callers that are told apart for one question; more count as so many.
pub const MAX_CALLERS: usize = 100;

/// Adds up what servers counted, the most asked first. What this version cannot read is left out.
pub fn list(counts: &[AskedCount]) -> Vec<Asked> {
    let mut by_question: BTreeMap<&str, Vec<&AskedCount>> = BTreeMap::new();
    for count in counts {
        by_question.entry(&count.question).or_default().push(count);
    }
    let asked = by_question.into_iter().filter_map(|(question, counts)| {
        let callers = counts.iter().map(|count| count.callers).max()?;
        Some(Asked {
            question: serde_json::from_str(question).ok()?,
            callers,
            or_more: counts.len() > 1 || usize::try_from(callers).is_ok_and(|callers| callers >= MAX_CALLERS),
            times: counts.iter().map(|count| u64::from(count.times)).sum(),
            days_asked: counts.iter().map(|count| count.day).collect(),
        })
    });
    let mut asked: Vec<Asked> = asked.collect();
    asked.sort_by(|one, other| {
        (other.times, other.callers, &one.question).cmp(&(one.times, one.callers, &other.question))
    });
    asked
}

/// The last `count` days, `last` included, oldest first.
pub fn days_to(last: NaiveDate, count: u64) -> Vec<NaiveDate> {
    (0..count).rev().filter_map(|back| last.checked_sub_days(DayCount::new(back))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_like_personal_data_is_recognised() {
        for personal in [
            "maria@example.com",
            "fala comigo maria @ casa",
            "61 98765-4321",
            "(61)3333-4444",
            "9.8765.4321",
            "zap 61 9 8765 4321",
            "cpf 529.982.247-25",
            "12345",
            "٦١٢٣٤٥",
            "um dois tres quatro cinco seis sete oito nove",
            "bar com uma varanda muito agradavel e comidaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        ] {
            assert!(may_be_personal(personal), "{personal}");
        }
        for fine in
            ["", "boteco 408 norte", "408 409 norte", "ano novo 2027", "sushi na Asa Sul", "feira no domingo"]
        {
            assert!(!may_be_personal(fine), "{fine}");
        }
    }

    #[test]
    fn days_are_kept_as_kinds() {
        let day = |text: &str| -> NaiveDate { text.parse().expect("a day") };
        // a Monday
        let today = day("2026-11-23");
        for (from, to, kind) in [
            ("2026-11-23", "2026-11-23", Days::Today),
            ("2026-11-24", "2026-11-24", Days::Tomorrow),
            ("2026-11-29", "2026-11-29", Days::Sunday),
            ("2026-11-28", "2026-11-29", Days::Weekend),
            ("2026-11-23", "2026-11-30", Days::NextDays),
            ("2026-12-25", "2026-12-25", Days::Later),
            ("2026-11-20", "2026-11-22", Days::Later),
        ] {
            assert_eq!(Days::of(day(from), day(to), today), kind, "{from} {to}");
        }
    }
}
