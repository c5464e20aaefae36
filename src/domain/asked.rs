//! What people asked and did not find: a question as it was understood, without anybody who asked it.
//!
//! Questions are stored as JSON: a renamed field or variant keeps its stored name with `#[serde(rename)]`.

mod summary;

use std::fmt;

use chrono::{Datelike, NaiveDate, Weekday};
use serde::{Deserialize, Serialize};

pub use summary::{Asked, AskedCount, MAX_CALLERS, list};

/// What fewer distinct callers asked on one day is never written.
pub const MIN_CALLERS: usize = 3;

/// Most questions of one day that a store keeps: the most asked ones.
pub const MAX_A_DAY: usize = 2_000;

/// For how many days they are kept.
pub const KEPT_DAYS: u64 = 90;

/// A question that was not met, as it was understood.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Question {
    /// What it looks for.
    #[serde(rename = "in")]
    pub sought: Sought,
    /// What it found instead.
    pub result: FoundInstead,
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

/// What was found instead for a question that nothing meets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FoundInstead {
    /// Nothing.
    #[serde(rename = "zero")]
    Nothing,
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

#[cfg(test)]
mod tests {
    use super::*;

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
