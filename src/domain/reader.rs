//! Readers of the weekly letter, and when it is due.

use std::time::Duration;

use chrono::{Datelike, Days, NaiveDate, Weekday};

use super::account::{Email, ReaderId};
use super::clock::{UnixMillis, day_of, start_of};
use super::language::Language;

/// When a letter is due: on Thursdays at this time of Brasília.
const TIME: Duration = Duration::from_hours(17);

/// How late a letter may be; one that is later is left out.
const LATE: Duration = Duration::from_hours(24);

/// How long somebody who did not confirm is kept.
const UNCONFIRMED: Duration = Duration::from_hours(7 * 24);

/// Somebody who gets the weekly letter, or has asked for it and not confirmed yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reader {
    /// Its id. The links in mails carry it, and nothing else shows it: who knows it may confirm and stop.
    pub id: ReaderId,
    /// The address.
    pub email: Email,
    /// The language of the mails.
    pub language: Language,
    /// The slug of the area that the letter is about; without one it is about the whole of what the site shows.
    pub area: Option<String>,
    /// When the reader asked for the letter.
    pub asked_at: UnixMillis,
    /// When the reader confirmed.
    pub confirmed_at: Option<UnixMillis>,
}

impl Reader {
    /// When the store drops the reader; never after a confirmation.
    pub fn forget_at(&self) -> Option<UnixMillis> {
        match self.confirmed_at {
            Some(_) => None,
            None => Some(self.asked_at.after(UNCONFIRMED)),
        }
    }
}

/// The Thursday whose letter is to be sent now: none when the last one is too long ago.
pub fn letter_of(now: UnixMillis) -> Option<NaiveDate> {
    let today = day_of(now);
    let since = today.weekday().days_since(Weekday::Thu);
    let thursdays = [u64::from(since), u64::from(since) + 7].into_iter();
    let thursdays = thursdays.filter_map(|ago| today.checked_sub_days(Days::new(ago)));
    let mut due = thursdays.filter_map(|thursday| Some((thursday, due_on(thursday)?)));
    let (thursday, due_at) = due.find(|(_, due_at)| *due_at <= now)?;
    (now < due_at.after(LATE)).then_some(thursday)
}

/// When the next letter is due.
pub fn next_letter(now: UnixMillis) -> UnixMillis {
    let today = day_of(now);
    let ahead = Weekday::Thu.days_since(today.weekday());
    let thursdays = [u64::from(ahead), u64::from(ahead) + 7].into_iter();
    let due = thursdays.filter_map(|ahead| due_on(today.checked_add_days(Days::new(ahead))?));
    // only a clock at the end of chrono's time has none
    due.into_iter().find(|due_at| *due_at > now).unwrap_or(UnixMillis(i64::MAX))
}

fn due_on(thursday: NaiveDate) -> Option<UnixMillis> {
    start_of(thursday).map(|midnight| midnight.after(TIME))
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::DateTime;

    fn at(text: &str) -> UnixMillis {
        UnixMillis(DateTime::parse_from_rfc3339(text).expect("a moment").timestamp_millis())
    }

    #[test]
    fn a_letter_is_due_on_thursday_at_five_in_brasilia_and_a_day_late_at_most() {
        for (now, next, letter) in [
            ("2026-11-23T12:00:00-03:00", "2026-11-26T17:00:00-03:00", None),
            ("2026-11-26T16:59:59-03:00", "2026-11-26T17:00:00-03:00", None),
            ("2026-11-26T17:00:00-03:00", "2026-12-03T17:00:00-03:00", Some("2026-11-26")),
            ("2026-11-27T16:59:59-03:00", "2026-12-03T17:00:00-03:00", Some("2026-11-26")),
            ("2026-11-27T17:00:00-03:00", "2026-12-03T17:00:00-03:00", None),
            ("2026-12-03T01:00:00-03:00", "2026-12-03T17:00:00-03:00", None),
        ] {
            assert_eq!(next_letter(at(now)), at(next), "{now}");
            assert_eq!(letter_of(at(now)).map(|day| day.to_string()).as_deref(), letter, "{now}");
        }
    }
}
