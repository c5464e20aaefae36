//! The dates of a series as a calendar states them: by the rule that its curator wrote, or one by one.

use chrono::{Days, NaiveDate};
use snapshots::recur::{self, Repeat};

use super::calendar::Rule;
use crate::serving::SeriesRule;

/// Parts of a rule that count from its first date, or that RFC 5545 does not have.
const NOT_PORTABLE: [&str; 2] = ["COUNT", "BYEASTER"];

/// The dates of an event, the first of them and those that the rule does not give, and the rule, if there is one. With
/// `end` the dates are those up to that day only, of which those after `listed` are not given.
pub(super) fn recurrence(
    rule: Option<&SeriesRule>,
    dates: Vec<NaiveDate>,
    today: NaiveDate,
    end: Option<NaiveDate>,
    listed: Option<NaiveDate>,
) -> (Vec<NaiveDate>, Option<Rule>) {
    match rule.and_then(|rule| by_rule(rule, &dates, today, end, listed)) {
        Some((dates, rule)) => (dates, Some(rule)),
        None => (dates, None),
    }
}

/// The rule from the next of the dates that it gives, which is where the calendar begins to count. None unless it gives
/// most of the dates when it is counted from there.
fn by_rule(
    rule: &SeriesRule,
    dates: &[NaiveDate],
    today: NaiveDate,
    end: Option<NaiveDate>,
    listed: Option<NaiveDate>,
) -> Option<(Vec<NaiveDate>, Rule)> {
    let text = recur::in_standard_form(rule.repeat.rule.as_deref()?);
    if NOT_PORTABLE.iter().any(|part| text.contains(part)) {
        return None;
    }
    let bare = Repeat { dates: Vec::new(), ..rule.repeat.clone() };
    let own = recur::days(&bare, rule.first, Days::new(0), today).ok()?;
    let first = *dates.iter().find(|date| own.binary_search(date).is_ok())?;
    // the guide knows no date after this one
    let window = today.checked_add_days(Days::new(recur::WINDOW_DAYS - 1))?;
    let last = listed.or(end).map_or(window, |end| end.min(window));
    let bare = Repeat { except: Vec::new(), ..bare };
    let given = recur::days(&bare, Some(first), Days::new(0), first).ok()?;
    let given = || given.iter().copied().filter(|date| *date <= last);
    let is_given = |date: &NaiveDate| given().any(|one| one == *date);
    let (by_rule, further): (Vec<NaiveDate>, Vec<NaiveDate>) = dates.iter().partition(|date| is_given(date));
    if by_rule.len() < further.len() || by_rule.len() * 2 < given().count() {
        return None;
    }
    let unlisted = given().filter(|date| dates.binary_search(date).is_err());
    let until = rule.repeat.until.into_iter().chain(end).min();
    let is_later = |date: &NaiveDate| *date > last && until.is_none_or(|until| *date <= until);
    let later = rule.repeat.except.iter().copied().filter(is_later);
    let except = unlisted.chain(later).collect();
    let rule = Rule { text, until, except };
    Some((std::iter::once(first).chain(further).collect(), rule))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    fn rule(text: &str, except: &[&str], dates: &[&str]) -> SeriesRule {
        let days = |days: &[&str]| days.iter().copied().map(day).collect();
        let repeat =
            Repeat { rule: Some(text.to_owned()), until: None, except: days(except), dates: days(dates) };
        SeriesRule { repeat, first: None }
    }

    fn dates(rule: &SeriesRule, today: NaiveDate) -> Vec<NaiveDate> {
        recur::days(&rule.repeat, rule.first, Days::new(0), today).unwrap()
    }

    #[test]
    fn a_rule_leaves_out_what_the_guide_leaves_out() {
        let today = day("2026-11-23");
        let sundays = rule("FREQ=WEEKLY;BYDAY=SU", &["2026-12-27"], &["2026-12-25"]);
        let mut known = dates(&sundays, today);
        // hidden by the operator
        known.retain(|date| *date != day("2026-12-06"));
        let (first, stated) = recurrence(Some(&sundays), known.clone(), today, None, None);
        assert_eq!(first, [day("2026-11-29"), day("2026-12-25")]);
        let stated = stated.expect("a rule");
        assert_eq!(stated.text, "FREQ=WEEKLY;BYDAY=SU");
        assert_eq!(stated.except, [day("2026-12-06"), day("2026-12-27")]);
        // a question about the days up to the second Sunday
        known.retain(|date| *date <= day("2026-12-13"));
        let (first, stated) = recurrence(Some(&sundays), known, today, Some(day("2026-12-13")), None);
        let stated = stated.expect("a rule");
        assert_eq!((first, stated.until), (vec![day("2026-11-29")], Some(day("2026-12-13"))));
        assert_eq!(stated.except, [day("2026-12-06")]);
    }

    #[test]
    fn whatever_a_rule_looks_like_calendars_get_the_standard_form() {
        let today = day("2026-11-23");
        for (text, standard) in [
            ("RRULE:FREQ=WEEKLY;BYDAY=SU", "FREQ=WEEKLY;BYDAY=SU"),
            ("freq=weekly;byweekday=su", "FREQ=WEEKLY;BYDAY=SU"),
            ("FREQ=WEEKLY;BYDAY=SU;", "FREQ=WEEKLY;BYDAY=SU"),
            ("FREQ=MONTHLY;BYDAY=1SU", "FREQ=MONTHLY;BYDAY=1SU"),
        ] {
            let sundays = rule(text, &[], &[]);
            let (_, stated) = recurrence(Some(&sundays), dates(&sundays, today), today, None, None);
            assert_eq!(stated.expect("a rule").text, standard, "{text}");
        }
    }

    #[test]
    fn a_rule_goes_on_after_the_dates_that_are_listed() {
        let today = day("2026-11-23");
        let sundays = rule("FREQ=WEEKLY;BYDAY=SU", &["2027-10-03"], &[]);
        let known: Vec<NaiveDate> = dates(&sundays, today).into_iter().take(5).collect();
        let (listed, end) = (known.last().copied(), Some(day("2027-12-31")));
        let (first, stated) = recurrence(Some(&sundays), known, today, end, listed);
        let stated = stated.expect("a rule");
        assert_eq!((first, stated.until), (vec![day("2026-11-29")], end));
        assert_eq!(stated.except, [day("2027-10-03")]);
    }

    #[test]
    fn what_calendars_do_not_know_is_listed_date_by_date() {
        let today = day("2026-11-23");
        for text in ["FREQ=YEARLY;BYEASTER=-2", "FREQ=WEEKLY;BYDAY=SU;COUNT=12"] {
            let series = SeriesRule { first: Some(day("2026-11-22")), ..rule(text, &[], &[]) };
            let known = dates(&series, today);
            assert_eq!(recurrence(Some(&series), known.clone(), today, None, None), (known, None), "{text}");
        }
        let known = vec![day("2026-12-01")];
        assert_eq!(recurrence(None, known.clone(), today, None, None), (known, None));
    }
}
