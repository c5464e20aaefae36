//! The dates of a repeated event, and the ids that they get.

use chrono::{Days, NaiveDate};

use crate::limits::MAX_RUN_DAYS;
use crate::record::{Event, NO_DATE};
use crate::recur;

/// The first date that a repeated event may have.
pub(crate) fn first_date(event: &Event) -> Option<NaiveDate> {
    Some(event.date).filter(|date| *date != NO_DATE)
}

/// The days from the first of a run to the last; 0 for a single day.
pub(crate) fn lasts(event: &Event) -> Days {
    let lasts = event.end_date.map_or(0, |end| (end - event.date).num_days());
    // A run whose length is already a defect is not expanded for years.
    Days::new(lasts.clamp(0, MAX_RUN_DAYS).unsigned_abs())
}

/// The dates of a repeated event; none when its rule has a defect, which is reported elsewhere.
pub(crate) fn days(event: &Event, from: NaiveDate) -> Vec<NaiveDate> {
    let repeat = event.repeat.as_deref();
    let days = repeat.and_then(|repeat| recur::days(repeat, first_date(event), lasts(event), from).ok());
    days.unwrap_or_default()
}

/// The length of the date that the id of a repeated event gets appended for each of its dates.
pub(crate) const DATE_SUFFIX_LEN: usize = "-2026-11-21".len();

/// An id that ends like that of a date of a repeated event, in its two parts.
pub fn split_date(id: &str) -> Option<(&str, NaiveDate)> {
    let (series, date) = id.split_at_checked(id.len().checked_sub(DATE_SUFFIX_LEN)?)?;
    let date = date.strip_prefix('-')?;
    // chrono also reads signs
    let fits =
        |(at, byte): (usize, u8)| if matches!(at, 4 | 7) { byte == b'-' } else { byte.is_ascii_digit() };
    let is_date = date.bytes().enumerate().all(fits);
    Some((series, date.parse().ok().filter(|_| is_date)?))
}
