//! When a series takes place, as one says it: its few dates, or how often and until when, read from its dates.

use std::collections::BTreeSet;

use chrono::{Datelike, Days, NaiveDate};
use snapshots::recur::WINDOW_DAYS;

use crate::serving::SeriesRule;

/// When a series takes place from a day on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SeriesDates {
    /// On a few days.
    Few(Vec<NaiveDate>),
    /// Every day from one to another.
    Run(NaiveDate, NaiveDate),
    /// How often, and until when if it ends.
    Often(DatePattern, Option<NaiveDate>),
}

/// So many dates are named one by one.
const FEW: usize = 4;

/// How many days ahead the last of listed dates is the end of a series. Later, those who list them go on some day: a
/// guide of format 1 lists the dates of a year.
const ENDS_WITHIN: i64 = 183;

impl SeriesDates {
    /// When a series with these dates to come, in order, takes place; none of what no few words say. Without a rule its
    /// curator listed the dates.
    pub(crate) fn of(
        dates: &[NaiveDate],
        rule: Option<&SeriesRule>,
        today: NaiveDate,
    ) -> Option<SeriesDates> {
        let [first, .., last] = *dates else { return None };
        let pattern = DatePattern::of(dates);
        let Some(end) = end_of(rule, last, today) else {
            return pattern.map(|pattern| SeriesDates::Often(pattern, None));
        };
        let is_few = dates.len() <= FEW && (rule.is_none() || pattern.is_none());
        let is_run = rule.is_none() && dates.windows(2).all(|pair| pair[0].succ_opt() == Some(pair[1]));
        match pattern {
            _ if is_few => Some(SeriesDates::Few(dates.to_vec())),
            _ if is_run => Some(SeriesDates::Run(first, last)),
            pattern => pattern.map(|pattern| SeriesDates::Often(pattern, Some(end))),
        }
    }
}

/// The last date of a series, which the days that the guide knows may not reach; none if it has no end.
fn end_of(rule: Option<&SeriesRule>, last: NaiveDate, today: NaiveDate) -> Option<NaiveDate> {
    let Some(SeriesRule { repeat, .. }) = rule else {
        return Some(last).filter(|last| (*last - today).num_days() <= ENDS_WITHIN);
    };
    let is_known = |end: &NaiveDate| *end < today + Days::new(WINDOW_DAYS);
    match repeat.until {
        Some(until) => Some(if is_known(&until) { last } else { until }),
        None => {
            let text = repeat.rule.as_deref().unwrap_or_default().to_uppercase();
            // what is counted is over within the days that the guide knows, unless it goes on at their end
            let knows_end = (today + Days::new(WINDOW_DAYS) - last).num_days() > ENDS_WITHIN;
            Some(last).filter(|_| text.contains("COUNT=") && knows_end)
        }
    }
}

/// How often something takes place. Weekdays count from Monday, which is 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DatePattern {
    Daily,
    /// On these days of every week.
    Weekly(Vec<usize>),
    /// On this day of every second week.
    Fortnightly(usize),
    /// On this day of every month.
    DayOfMonth(u32),
    /// On the n-th weekday of every month; `None` is the last.
    InMonth(Option<u32>, usize),
}

/// Fewer dates show no recurrence.
const FEWEST: usize = 3;

impl DatePattern {
    /// The recurrence of dates in order. A series may skip some.
    pub(crate) fn of(dates: &[NaiveDate]) -> Option<DatePattern> {
        let first = *dates.first()?;
        if dates.len() < FEWEST {
            return None;
        }
        let months: BTreeSet<(i32, u32)> = dates.iter().map(|date| (date.year(), date.month())).collect();
        let is_monthly = months.len() == dates.len();
        if is_monthly && are_most(dates, |date| date.day() == first.day()) {
            return Some(DatePattern::DayOfMonth(first.day()));
        }
        let weekdays: BTreeSet<usize> = dates.iter().copied().map(weekday).collect();
        let is_weekly = are_most(dates, |date| weekdays.contains(&weekday(date)));
        match weekdays.len() {
            1 if is_monthly => in_month(dates),
            1 if is_weekly => Some(DatePattern::Weekly(weekdays.into_iter().collect())),
            1 => is_fortnightly(dates).then(|| DatePattern::Fortnightly(weekday(first))),
            7 if is_weekly => Some(DatePattern::Daily),
            2..=6 if is_weekly => Some(DatePattern::Weekly(weekdays.into_iter().collect())),
            _ => None,
        }
    }
}

/// Whether a rule gives all these dates, and they are at least 7 of 10 that it gives from the first to the last.
fn are_most(dates: &[NaiveDate], is_given: impl Fn(NaiveDate) -> bool) -> bool {
    let [first, .., last] = dates else { return false };
    let given = first.iter_days().take_while(|date| date <= last).filter(|date| is_given(*date));
    dates.iter().all(|date| is_given(*date)) && dates.len() * 10 >= given.count() * 7
}

fn weekday(date: NaiveDate) -> usize {
    date.weekday() as usize
}

fn in_month(dates: &[NaiveDate]) -> Option<DatePattern> {
    let first = *dates.first()?;
    let day = weekday(first);
    let nth = |date: NaiveDate| date.day0() / 7 + 1;
    let is_nth = |date: NaiveDate| weekday(date) == day && nth(date) == nth(first);
    let is_last = |date: NaiveDate| weekday(date) == day && (date + Days::new(7)).month() != date.month();
    match () {
        () if are_most(dates, is_nth) => Some(DatePattern::InMonth(Some(nth(first)), day)),
        () if are_most(dates, is_last) => Some(DatePattern::InMonth(None, day)),
        () => None,
    }
}

fn is_fortnightly(dates: &[NaiveDate]) -> bool {
    let gaps = || dates.windows(2).map(|pair| (pair[1] - pair[0]).num_days());
    gaps().all(|gap| gap % 14 == 0) && gaps().filter(|gap| *gap == 14).count() * 10 >= gaps().count() * 7
}

#[cfg(test)]
mod tests {
    use snapshots::recur::Repeat;

    use super::*;

    fn days(text: &str) -> Vec<NaiveDate> {
        text.split(' ').map(|day| day.parse().unwrap()).collect()
    }

    fn every(first: &str, step: usize, count: usize) -> Vec<NaiveDate> {
        days(first)[0].iter_days().step_by(step).take(count).collect()
    }

    #[test]
    fn what_ends_soon_is_said_by_its_days_and_a_rule_with_its_end() {
        let today = days("2026-11-29")[0];
        let rule = |text: &str, until: Option<&str>| {
            let until = until.map(|until| days(until)[0]);
            let repeat = Repeat { rule: Some(text.to_owned()), until, except: Vec::new(), dates: Vec::new() };
            SeriesRule { repeat, first: None }
        };
        let saturdays = "FREQ=WEEKLY;BYDAY=SA";
        let endless = every("2026-12-05", 7, 57);
        let weekly = || DatePattern::Weekly(vec![5]);
        let of = |dates: &[NaiveDate], rule: Option<SeriesRule>| SeriesDates::of(dates, rule.as_ref(), today);
        for listed in
            ["2026-12-04 2026-12-05 2026-12-06", "2026-12-05 2026-12-12 2026-12-19", "2026-12-05 2026-12-20"]
        {
            let listed = days(listed);
            assert_eq!(of(&listed, None), Some(SeriesDates::Few(listed)));
        }
        let week = every("2026-12-07", 1, 7);
        assert_eq!(of(&week, None), Some(SeriesDates::Run(week[0], week[6])));
        let three = days("2026-12-05 2026-12-12 2026-12-19");
        let until = |end: &str| Some(SeriesDates::Often(weekly(), Some(days(end)[0])));
        assert_eq!(of(&three, Some(rule(saturdays, Some("2026-12-20")))), until("2026-12-19"));
        assert_eq!(
            of(&three[1..], Some(rule(saturdays, Some("2026-12-20")))),
            Some(SeriesDates::Few(three[1..].to_vec()))
        );
        assert_eq!(of(&endless, Some(rule(saturdays, Some("2028-06-30")))), until("2028-06-30"));
        assert_eq!(of(&three, Some(rule("FREQ=WEEKLY;BYDAY=SA;COUNT=3", None))), until("2026-12-19"));
        assert_eq!(of(&endless[..12], None), until("2027-02-20"));
        // without an end, and listed for a year ahead
        for rule in [Some(rule(saturdays, None)), None] {
            assert_eq!(of(&endless, rule), Some(SeriesDates::Often(weekly(), None)));
        }
        assert_eq!(of(&three[2..], None), None);
    }

    #[test]
    fn dates_show_their_pattern() {
        let sundays = every("2026-11-29", 7, 50);
        let without = [&sundays[..4], &sundays[6..20]].concat();
        let thursday_to_sunday: Vec<NaiveDate> =
            every("2026-11-26", 1, 60).into_iter().filter(|day| weekday(*day) >= 3).collect();
        for (dates, recurrence) in [
            (sundays.clone(), Some(DatePattern::Weekly(vec![6]))),
            (without, Some(DatePattern::Weekly(vec![6]))),
            (thursday_to_sunday, Some(DatePattern::Weekly(vec![3, 4, 5, 6]))),
            (every("2026-11-25", 1, 30), Some(DatePattern::Daily)),
            (every("2026-11-29", 14, 12), Some(DatePattern::Fortnightly(6))),
            (days("2026-11-25 2026-12-25 2027-01-25"), Some(DatePattern::DayOfMonth(25))),
            (days("2026-12-06 2027-01-03 2027-02-07"), Some(DatePattern::InMonth(Some(1), 6))),
            (days("2026-11-29 2026-12-27 2027-01-31"), Some(DatePattern::InMonth(None, 6))),
            // one month without
            (days("2026-11-25 2026-12-25 2027-02-25 2027-03-25"), Some(DatePattern::DayOfMonth(25))),
            (days("2026-12-06 2027-01-03 2027-03-07 2027-04-04"), Some(DatePattern::InMonth(Some(1), 6))),
            // every second month
            (days("2026-11-25 2027-01-25 2027-03-25"), None),
            (days("2026-12-06 2027-02-07 2027-04-04"), None),
            (days("2026-11-29 2027-01-31 2027-03-28"), None),
            // the months between have no such day
            (days("2027-01-31 2027-03-31 2027-05-31"), Some(DatePattern::DayOfMonth(31))),
            (days("2026-12-06 2026-12-13"), None),
            (days("2026-12-06 2027-02-14 2027-05-02"), None),
            (days("2026-12-06 2026-12-09 2027-05-02"), None),
            (Vec::new(), None),
        ] {
            assert_eq!(DatePattern::of(&dates), recurrence, "{dates:?}");
        }
    }
}
