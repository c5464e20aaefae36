//! Expands the rule of a repeated event into dates.
//!
//! Dates are calendar days in Brasília. The rule is evaluated at noon UTC, which has no clock changes, so that no time
//! zone can move a date.

use std::collections::HashSet;

use chrono::{Days, NaiveDate, NaiveTime, TimeZone};
use rrule::{Frequency, RRule, RRuleSet, Tz, Unvalidated};
use serde::{Deserialize, Serialize};

use crate::limits::YEARS;

/// How many days a rule is expanded for, the first included: enough for every yearly event.
pub const WINDOW_DAYS: u64 = 400;

/// After how many days the calendar repeats itself: 28 years.
const CYCLE_DAYS: u64 = 10_227;

/// How an event repeats (`repeat` of `events.json`).
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Repeat {
    /// An RRULE by days or longer, without DTSTART and UNTIL: `FREQ=WEEKLY;BYDAY=SU`. Without one there are `dates`.
    pub rule: Option<String>,
    /// The last day of the rule.
    pub until: Option<NaiveDate>,
    /// Days on which it does not begin.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub except: Vec<NaiveDate>,
    /// Further days on which it begins, whatever the rule says.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dates: Vec<NaiveDate>,
}

/// Why a rule gives no dates.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RepeatError {
    /// The rule is not a valid RRULE.
    #[error("the rule is not a valid RRULE: {0}")]
    Invalid(String),
    /// The rule repeats more often than daily.
    #[error("the rule repeats within a day")]
    WithinADay,
    /// The rule has an UNTIL.
    #[error("the rule contains UNTIL")]
    UntilInRule,
    /// The rule depends on a start date that is missing.
    #[error("the rule does not define its days alone, and the event has no date to count from")]
    NeedsDate,
    /// No date is left.
    #[error("it gives no date from {first} to {last}")]
    NoDates {
        /// First day of the expansion.
        first: NaiveDate,
        /// Last day of the expansion.
        last: NaiveDate,
    },
}

impl RepeatError {
    /// How to fix it.
    pub fn fix(&self) -> &'static str {
        match self {
            Self::Invalid(_) => "write it like FREQ=WEEKLY;BYDAY=SU or FREQ=YEARLY;BYEASTER=-2",
            Self::WithinADay => {
                "use FREQ=DAILY, WEEKLY, MONTHLY or YEARLY, without BYHOUR, BYMINUTE and BYSECOND"
            }
            Self::UntilInRule => "write the last day in repeat.until, as YYYY-MM-DD",
            Self::NeedsDate => "add the event's first date, or name the days (BYDAY, BYMONTHDAY, BYEASTER)",
            Self::NoDates { .. } => "correct the rule, dates, until and except, or remove the event",
        }
    }
}

/// The dates on which a repeated event begins, in order: those whose run includes `from`, and those in the
/// [`WINDOW_DAYS`] from there on. `date` is the first date the rule may give, if there is one; without a rule it is one
/// of the dates. `lasts` is the number of days from the first day of a run to the last, 0 for a single day.
pub fn days(
    repeat: &Repeat,
    date: Option<NaiveDate>,
    lasts: Days,
    from: NaiveDate,
) -> Result<Vec<NaiveDate>, RepeatError> {
    let first = from.checked_sub_days(lasts).unwrap_or(NaiveDate::MIN);
    let last = from.checked_add_days(Days::new(WINDOW_DAYS - 1)).unwrap_or(NaiveDate::MAX);
    let days = between(repeat, date, first, last)?;
    if days.is_empty() { Err(RepeatError::NoDates { first, last }) } else { Ok(days) }
}

/// The dates from one day to another on which a repeated event begins, in order; both days are included.
pub(crate) fn between(
    repeat: &Repeat,
    date: Option<NaiveDate>,
    first: NaiveDate,
    last: NaiveDate,
) -> Result<Vec<NaiveDate>, RepeatError> {
    let mut days: Vec<NaiveDate> = match &repeat.rule {
        Some(rule) => {
            let days = of_rule(rule, date, first)?;
            let last = repeat.until.map_or(last, |until| until.min(last));
            days.take_while(|day| *day <= last).collect()
        }
        None => date.into_iter().collect(),
    };
    days.extend(&repeat.dates);
    let except = exceptions(repeat);
    days.retain(|day| (first..=last).contains(day) && !except.contains(day));
    days.sort_unstable();
    days.dedup();
    Ok(days)
}

fn exceptions(repeat: &Repeat) -> HashSet<NaiveDate> {
    repeat.except.iter().copied().collect()
}

/// The dates that a rule gives, in order, without those before the day `first`.
fn of_rule(
    rule: &str,
    date: Option<NaiveDate>,
    first: NaiveDate,
) -> Result<impl Iterator<Item = NaiveDate> + use<>, RepeatError> {
    let rule = parsed(rule, date.is_some())?;
    let start = noon(date.unwrap_or(first));
    let rule = rule.validate(start).map_err(|error| invalid(&error))?;
    // `limit` stops rules that never match, such as 30 February.
    let all = RRuleSet::new(start).rrule(rule).limit();
    let days = all.into_iter().map(|moment| moment.date_naive());
    Ok(days.skip_while(move |day| *day < first))
}

/// Checks a rule by itself, whatever the day.
pub fn verify(repeat: &Repeat, date: Option<NaiveDate>) -> Result<(), RepeatError> {
    let Some(rule) = &repeat.rule else { return Ok(()) };
    let rule = parsed(rule, date.is_some())?;
    rule.validate(noon(date.unwrap_or_default())).map(drop).map_err(|error| invalid(&error))
}

/// A rule as RFC 5545 writes it, whatever else was accepted: `RRULE:` before it, BYWEEKDAY, small letters, empty parts.
/// The library that reads rules writes 1SU as SU.
pub fn in_standard_form(rule: &str) -> String {
    let capitals = rule.to_ascii_uppercase();
    let parts = capitals.strip_prefix("RRULE:").unwrap_or(&capitals).split(';');
    let parts = parts.filter(|part| !part.is_empty()).map(|part| part.replacen("BYWEEKDAY=", "BYDAY=", 1));
    parts.collect::<Vec<_>>().join(";")
}

/// Whether a repeated event has had dates before the day `from` and has none from then on, however far ahead.
pub fn is_over(repeat: &Repeat, date: Option<NaiveDate>, from: NaiveDate) -> bool {
    has_begun(repeat, date, from) && next(repeat, date, from) == Ok(None)
}

/// Why a repeated event gives no date from the day `from` on and gave none before; `lasts` as in [`days`]. Its until or
/// except may be what is wrong.
pub fn never_occurs(
    repeat: &Repeat,
    date: Option<NaiveDate>,
    lasts: Days,
    from: NaiveDate,
) -> Option<RepeatError> {
    let error = days(repeat, date, lasts, from).err()?;
    (matches!(error, RepeatError::NoDates { .. }) && !has_begun(repeat, date, from)).then_some(error)
}

/// Whether the first date of a repeated event, or the last day of its rule, is before the day `from`. A rule without a
/// first date counts as old.
fn has_begun(repeat: &Repeat, date: Option<NaiveDate>, from: NaiveDate) -> bool {
    let is_past = |day: NaiveDate| day < from;
    if repeat.until.into_iter().chain(repeat.dates.iter().copied()).any(is_past) {
        return true;
    }
    let Some(rule) = &repeat.rule else { return date.is_some_and(is_past) };
    let old = from.checked_sub_days(Days::new(CYCLE_DAYS)).unwrap_or(NaiveDate::MIN);
    of_rule(rule, date, date.unwrap_or(old)).is_ok_and(|mut days| days.next().is_some_and(is_past))
}

/// The first date on or after the day `from`, up to the last year that a date may lie in.
pub fn next(
    repeat: &Repeat,
    date: Option<NaiveDate>,
    from: NaiveDate,
) -> Result<Option<NaiveDate>, RepeatError> {
    let except = exceptions(repeat);
    let fits = |day: &NaiveDate| *day >= from && !except.contains(day);
    let first = match &repeat.rule {
        Some(rule) => {
            let end = NaiveDate::from_ymd_opt(*YEARS.end(), 12, 31).unwrap_or(NaiveDate::MAX);
            let last = repeat.until.map_or(end, |until| until.min(end));
            of_rule(rule, date, from)?.take_while(|day| *day <= last).find(fits)
        }
        None => date.filter(fits),
    };
    Ok(first.into_iter().chain(repeat.dates.iter().copied().filter(fits)).min())
}

/// The rule, unless it could not be expanded.
fn parsed(rule: &str, has_date: bool) -> Result<RRule<Unvalidated>, RepeatError> {
    // The parser slices weekdays by bytes, panics on multi-byte characters, and accepts `2ndSU` as `SU`.
    if let Some(stray) = rule.chars().find(|letter| !letter.is_ascii_graphic()) {
        return Err(RepeatError::Invalid(format!("{stray:?} is not allowed")));
    }
    if !weekdays(rule).all(is_weekday) {
        return Err(RepeatError::Invalid("a day of BYDAY is not like SU, 2SU or -1SU".into()));
    }
    let rule: RRule<Unvalidated> = rule.parse().map_err(|error| invalid(&error))?;
    let whole_days = matches!(
        rule.get_freq(),
        Frequency::Daily | Frequency::Weekly | Frequency::Monthly | Frequency::Yearly
    );
    let timed = [rule.get_by_hour(), rule.get_by_minute(), rule.get_by_second()];
    if !whole_days || timed.iter().any(|times| !times.is_empty()) {
        return Err(RepeatError::WithinADay);
    }
    if rule.get_until().is_some() {
        return Err(RepeatError::UntilInRule);
    }
    if rule.get_interval() == 0 {
        return Err(RepeatError::Invalid("INTERVAL is 0".into()));
    }
    if !has_date && !is_independent_of_start(&rule) {
        return Err(RepeatError::NeedsDate);
    }
    Ok(rule)
}

/// The weekdays that a rule names, as written.
fn weekdays(rule: &str) -> impl Iterator<Item = &str> {
    let parts = rule.split([';', ':']).filter_map(|part| part.split_once('='));
    let named =
        parts.filter(|(name, _)| ["BYDAY", "BYWEEKDAY"].iter().any(|day| name.eq_ignore_ascii_case(day)));
    named.flat_map(|(_, days)| days.split(','))
}

/// Whether it is two letters after an optional ordinal other than 0.
fn is_weekday(day: &str) -> bool {
    let (nth, _) = day.split_at(day.len().saturating_sub(2));
    nth.is_empty() || nth.parse::<i16>().is_ok_and(|nth| nth != 0)
}

/// Whether a rule gives the same dates for any start. One that counts (COUNT, INTERVAL), or takes its weekday or day of
/// the month from the start, would change with the day of packing.
fn is_independent_of_start(rule: &RRule<Unvalidated>) -> bool {
    let by_weekday = !rule.get_by_weekday().is_empty();
    let by_month_day = !rule.get_by_month_day().is_empty();
    let named = match rule.get_freq() {
        Frequency::Daily => true,
        Frequency::Weekly => by_weekday,
        Frequency::Monthly => by_weekday || by_month_day,
        _ => {
            rule.get_by_easter().is_some()
                || !rule.get_by_year_day().is_empty()
                || by_weekday
                || by_month_day && !rule.get_by_month().is_empty()
        }
    };
    named && rule.get_interval() == 1 && rule.get_count().is_none()
}

fn invalid(error: &rrule::RRuleError) -> RepeatError {
    RepeatError::Invalid(error.to_string())
}

fn noon(day: NaiveDate) -> chrono::DateTime<Tz> {
    let noon = NaiveTime::from_hms_opt(12, 0, 0).unwrap_or_default();
    Tz::UTC.from_utc_datetime(&day.and_time(noon))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    fn repeat(rule: &str) -> Repeat {
        Repeat { rule: Some(rule.into()), until: None, except: Vec::new(), dates: Vec::new() }
    }

    fn expand(
        repeat: &Repeat,
        date: Option<&str>,
        lasts: u64,
        from: &str,
    ) -> Result<Vec<String>, RepeatError> {
        let days = days(repeat, date.map(day), Days::new(lasts), day(from))?;
        Ok(days.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn a_weekly_rule_is_expanded_for_four_hundred_days() {
        let sundays = expand(&repeat("FREQ=WEEKLY;BYDAY=SU"), None, 0, "2026-11-21").unwrap();
        assert_eq!(sundays.first().unwrap(), "2026-11-22");
        assert_eq!(sundays.last().unwrap(), "2027-12-19");
        assert_eq!(sundays.len(), 57);
        // The day of packing is included.
        assert_eq!(expand(&repeat("FREQ=WEEKLY;BYDAY=SU"), None, 0, "2026-11-22").unwrap()[0], "2026-11-22");
    }

    #[test]
    fn movable_feasts_follow_easter() {
        // Easter 2027 is on 28 March.
        for (offset, feast) in
            [(-2, "2027-03-26"), (-47, "2027-02-09"), (49, "2027-05-16"), (60, "2027-05-27")]
        {
            let rule = repeat(&format!("FREQ=YEARLY;BYEASTER={offset}"));
            assert_eq!(expand(&rule, None, 0, "2026-11-21").unwrap(), [feast], "{offset}");
        }
    }

    #[test]
    fn until_and_except_remove_dates() {
        let mut rule = repeat("FREQ=MONTHLY;BYMONTHDAY=25");
        rule.until = Some(day("2027-02-25"));
        rule.except = vec![day("2026-12-25")];
        assert_eq!(expand(&rule, None, 0, "2026-11-21").unwrap(), ["2026-11-25", "2027-01-25", "2027-02-25"]);
        rule.until = Some(day("2026-11-24"));
        assert!(matches!(expand(&rule, None, 0, "2026-11-21"), Err(RepeatError::NoDates { .. })));
    }

    #[test]
    fn dates_add_days_to_a_rule_or_stand_alone() {
        let mut rule = repeat("FREQ=MONTHLY;BYMONTHDAY=25");
        rule.until = Some(day("2026-12-31"));
        rule.dates = ["2027-01-02", "2026-12-25", "2026-11-30", "2026-12-01", "2026-11-01", "2029-01-01"]
            .map(day)
            .into();
        rule.except = vec![day("2026-12-01")];
        let days = expand(&rule, None, 0, "2026-11-21").unwrap();
        assert_eq!(days, ["2026-11-25", "2026-11-30", "2026-12-25", "2027-01-02"]);
        rule.rule = None;
        let days = expand(&rule, Some("2026-11-22"), 0, "2026-11-21").unwrap();
        assert_eq!(days, ["2026-11-22", "2026-11-30", "2026-12-25", "2027-01-02"]);
    }

    #[test]
    fn counting_starts_at_the_date() {
        let rule = repeat("FREQ=WEEKLY;INTERVAL=2;BYDAY=SA");
        assert_eq!(expand(&rule, None, 0, "2026-11-21"), Err(RepeatError::NeedsDate));
        let days = expand(&rule, Some("2026-11-07"), 0, "2026-11-15").unwrap();
        assert_eq!(days[..2], ["2026-11-21", "2026-12-05"]);
        let later = expand(&repeat("FREQ=WEEKLY"), Some("2026-12-02"), 0, "2026-11-15").unwrap();
        assert_eq!(later[..2], ["2026-12-02", "2026-12-09"]);
        let three = expand(&repeat("FREQ=DAILY;COUNT=3"), Some("2026-11-20"), 0, "2026-11-21").unwrap();
        assert_eq!(three, ["2026-11-21", "2026-11-22"]);
    }

    #[test]
    fn an_event_is_over_after_its_last_date_whatever_the_window() {
        let is_over = |rule: &Repeat, date: Option<&str>, from: &str| is_over(rule, date.map(day), day(from));
        let leap = repeat("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29");
        assert!(!is_over(&leap, None, "2024-03-01") && !is_over(&leap, Some("2024-02-29"), "2024-03-01"));
        let three = repeat("FREQ=WEEKLY;COUNT=3");
        assert!(!is_over(&three, Some("2026-11-20"), "2026-12-04"));
        assert!(is_over(&three, Some("2026-11-20"), "2026-12-05"));
        // What has not begun is not over, and neither is what never takes place.
        assert!(!is_over(&three, Some("2026-11-20"), "2026-11-20"));
        let never = repeat("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30");
        assert!(!is_over(&never, None, "2026-11-20") && !is_over(&never, Some("2020-01-01"), "2026-11-20"));
        assert!(!is_over(&repeat("FREQ=SOMETIMES"), Some("2020-01-01"), "2026-11-20"));
        let mut daily = repeat("FREQ=DAILY");
        daily.until = Some(day("2026-11-22"));
        assert!(!is_over(&daily, Some("2026-11-01"), "2026-11-22"));
        daily.except = vec![day("2026-11-22")];
        assert!(is_over(&daily, Some("2026-11-01"), "2026-11-22"));
        daily.dates = vec![day("2027-01-01")];
        assert!(!is_over(&daily, Some("2026-11-01"), "2026-11-23"));
        assert!(is_over(&daily, Some("2026-11-01"), "2027-01-02"));
    }

    #[test]
    fn a_run_in_progress_is_kept() {
        let rule = repeat("FREQ=MONTHLY;BYMONTHDAY=19");
        assert_eq!(expand(&rule, None, 2, "2026-11-21").unwrap()[0], "2026-11-19");
        assert_eq!(expand(&rule, None, 1, "2026-11-21").unwrap()[0], "2026-12-19");
    }

    #[test]
    fn rules_without_dates_are_rejected() {
        for (rule, wanted) in [
            ("FREQ=HOURLY", RepeatError::WithinADay),
            ("FREQ=DAILY;BYHOUR=9,18", RepeatError::WithinADay),
            ("FREQ=DAILY;UNTIL=20270101T000000Z", RepeatError::UntilInRule),
            ("FREQ=WEEKLY", RepeatError::NeedsDate),
            ("FREQ=YEARLY;BYMONTH=4", RepeatError::NeedsDate),
        ] {
            assert_eq!(expand(&repeat(rule), None, 0, "2026-11-21"), Err(wanted), "{rule}");
        }
        for rule in [
            "",
            "every sunday",
            "FREQ=SOMETIMES",
            "FREQ=WEEKLY;BYDAY=XX",
            "FREQ=WEEKLY;BYDAY=FRéA",
            "FREQ=WEEKLY;BYDAY=MO, SU",
            "FREQ=MONTHLY;BYDAY=2ndSU",
            "byday=MO,0SU;FREQ=MONTHLY",
            "FREQ=MONTHLY;BYDAY=SU,",
            "FREQ=DAILY;INTERVAL=0",
            "BYDAY=SU",
        ] {
            assert!(
                matches!(expand(&repeat(rule), None, 0, "2026-11-21"), Err(RepeatError::Invalid(_))),
                "{rule}"
            );
        }
        let never = repeat("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30");
        assert!(matches!(expand(&never, None, 0, "2026-11-21"), Err(RepeatError::NoDates { .. })));
    }

    proptest! {
        #[test]
        fn no_text_causes_a_panic(
            rule in "(FREQ=(DAILY|WEEKLY|MONTHLY|YEARLY))?(;?([A-Z]{2,10}|BYDAY|WKST|BYEASTER)=[-0-9A-Z,é ]{0,6}){0,3}",
        ) {
            let _ = expand(&repeat(&rule), Some("2026-01-01"), 0, "2026-11-21");
        }

        #[test]
        fn no_rule_causes_a_panic(
            freq in prop::sample::select(vec!["DAILY", "WEEKLY", "MONTHLY", "YEARLY"]),
            parts in prop::collection::btree_map(
                prop::sample::select(vec![
                    "INTERVAL", "COUNT", "BYMONTHDAY", "BYYEARDAY", "BYWEEKNO", "BYMONTH", "BYSETPOS", "BYEASTER",
                ]),
                prop::collection::vec(
                    prop_oneof![-1i32..=1, -54i32..=54, -367i32..=367, any::<i16>().prop_map(i32::from)],
                    1..3,
                ),
                0..4,
            ),
            by_day in "(;BYDAY=(-?[1-9][0-9]?)?(MO|SU|WE)(,(-?[1-9][0-9]?)?(TU|SA))?)?(;WKST=(MO|TU|WE|TH|FR|SA|SU))?",
            (year, day_of_year, dated) in (1900i32..2200, 1u32..=365, any::<bool>()),
        ) {
            let parts = parts.iter().map(|(name, numbers)| {
                format!(";{name}={}", numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(","))
            });
            let rule = repeat(&format!("FREQ={freq}{}{by_day}", parts.collect::<String>()));
            let from = NaiveDate::from_yo_opt(year, day_of_year).unwrap();
            let _ = days(&rule, dated.then_some(from), Days::new(0), from);
        }

        #[test]
        fn every_date_is_in_the_window_and_unique(
            parts in prop::collection::vec(prop::sample::select(vec![
                "BYDAY=MO,SU", "BYMONTHDAY=31", "BYMONTHDAY=-1,1", "BYMONTH=2", "BYYEARDAY=366", "BYSETPOS=-1",
                "INTERVAL=3", "COUNT=40", "BYWEEKNO=53", "WKST=SU", "BYEASTER=0",
            ]), 0..4),
            freq in prop::sample::select(vec!["DAILY", "WEEKLY", "MONTHLY", "YEARLY"]),
        ) {
            let rule = std::iter::once(format!("FREQ={freq}")).chain(parts.iter().map(|p| (*p).to_owned()));
            let rule = repeat(&rule.collect::<Vec<_>>().join(";"));
            let from = day("2026-11-21");
            if let Ok(days) = days(&rule, Some(day("2020-02-29")), Days::new(3), from) {
                prop_assert!(days.is_sorted_by(|a, b| a < b));
                prop_assert!(days[0] >= day("2026-11-18") && *days.last().unwrap() <= day("2027-12-25"));
            }
        }
    }
}
