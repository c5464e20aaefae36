//! Calendars (RFC 5545) of the events of answers and pages.

use chrono::{DateTime, Days, NaiveDate, NaiveTime, Utc};
use icalendar::{
    Calendar, CalendarDateTime, Component, DatePerhapsTime, Event, EventLike, EventStatus, Property,
};
use snapshots::Status;

use crate::domain::clock::start_of;

/// The time zone of all events.
const ZONE: &str = "America/Sao_Paulo";

/// Ends the text of where an event is.
pub(super) const CITY: &str = "Brasília";

/// Its definition: there was no summer time since 2019. The library would give it an id and a stamp, which it may not
/// have.
const ZONE_DEFINITION: &str = "BEGIN:VTIMEZONE\r\nTZID:America/Sao_Paulo\r\nBEGIN:STANDARD\r\n\
                               DTSTART:20190217T000000\r\nTZNAME:-03\r\nTZOFFSETFROM:-0300\r\n\
                               TZOFFSETTO:-0300\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\n";

/// An event, or the dates of a series.
#[derive(Debug, Default)]
pub(crate) struct CalendarEvent {
    /// Stays the same as long as the event is in the guide.
    pub(super) uid: String,
    /// The name.
    pub(super) name: String,
    /// The days on which it begins, in order; one unless it is a series. With a rule those after the first are further
    /// ones, which the rule does not give.
    pub(super) dates: Vec<NaiveDate>,
    /// How it repeats from its first day on.
    pub(super) rule: Option<Rule>,
    /// The last day of an event of several days.
    pub(super) end_date: Option<NaiveDate>,
    /// When it begins, in Brasília.
    pub(super) start_time: Option<NaiveTime>,
    /// When it ends, in Brasília; before `start_time` on the next day.
    pub(super) end_time: Option<NaiveTime>,
    /// Venue and area.
    pub(super) location: String,
    /// Latitude and longitude.
    pub(super) point: Option<(f64, f64)>,
    /// Its page.
    pub(super) url: Option<String>,
    /// What else is known, and the credit.
    pub(super) description: String,
    /// What became of it, if it does not take place as planned.
    pub(super) status: Option<Status>,
}

/// A rule (RRULE) without its end, and what limits it.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Rule {
    /// `FREQ=WEEKLY;BYDAY=SU`.
    pub(super) text: String,
    /// The last day.
    pub(super) until: Option<NaiveDate>,
    /// The days that it gives and on which the event does not take place.
    pub(super) except: Vec<NaiveDate>,
}

/// A calendar called `name`, of the state of the guide at `stamp`.
pub(super) fn calendar(name: &str, product: &str, stamp: DateTime<Utc>, events: &[CalendarEvent]) -> String {
    let mut calendar = Calendar::empty();
    let product = format!("-//{product}//EN");
    for (name, value) in
        [("VERSION", "2.0"), ("PRODID", &*product), ("CALSCALE", "GREGORIAN"), ("METHOD", "PUBLISH")]
    {
        calendar.append_property(Property::new(name, value));
    }
    calendar.name(name).timezone(ZONE);
    for event in events {
        if let Some(event) = entry(event, stamp) {
            calendar.push(event);
        }
    }
    let mut text = calendar.to_string();
    // no text of an event begins a line
    let components = text.find("\r\nBEGIN:VEVENT\r\n").or_else(|| text.find("\r\nEND:VCALENDAR\r\n"));
    if let Some(at) = components {
        text.insert_str(at + 2, ZONE_DEFINITION);
    }
    text
}

/// The component of an event; `None` without a date.
fn entry(event: &CalendarEvent, stamp: DateTime<Utc>) -> Option<Event> {
    let (first, further) = event.dates.split_first()?;
    let mut entry = Event::with_uid(&event.uid);
    entry.timestamp(stamp).summary(&event.name);
    // what lasts several days is shown on all of them
    let time = event.start_time.filter(|_| event.end_date.is_none());
    entry.starts(moment(*first, time));
    match (event.end_date, time, event.end_time) {
        (Some(end), ..) => _ = entry.ends(end.checked_add_days(Days::new(1))?),
        (None, Some(start), Some(end)) => {
            let day = if end > start { *first } else { first.succ_opt()? };
            entry.ends(moment(day, Some(end)));
        }
        (None, Some(_), None) => {}
        (None, None, _) => _ = entry.ends(first.succ_opt()?),
    }
    if let Some(rule) = &event.rule {
        let until = rule.until.and_then(|until| match time {
            Some(_) => Some(format!(";UNTIL={}", last_second(until)?.format("%Y%m%dT%H%M%SZ"))),
            None => Some(format!(";UNTIL={}", until.format("%Y%m%d"))),
        });
        entry.add_property("RRULE", format!("{}{}", rule.text, until.unwrap_or_default()));
        for day in &rule.except {
            entry.append_multi_property(listed("EXDATE", *day, time));
        }
    }
    for day in further {
        entry.append_multi_property(listed("RDATE", *day, time));
    }
    if !event.location.is_empty() {
        entry.location(&event.location);
    }
    if let Some((lat, lon)) = event.point {
        entry.add_property("GEO", format!("{lat};{lon}"));
    }
    if let Some(url) = &event.url {
        entry.url(url);
    }
    if !event.description.is_empty() {
        entry.description(&event.description);
    }
    match event.status {
        Some(Status::Cancelled) => _ = entry.status(EventStatus::Cancelled),
        Some(Status::Postponed) => _ = entry.status(EventStatus::Tentative),
        // its description says so
        Some(Status::SoldOut) | None => {}
    }
    Some(entry.done())
}

/// A day of a list of days.
fn listed(name: &str, day: NaiveDate, time: Option<NaiveTime>) -> Property {
    let mut property = match time {
        Some(time) => Property::new(name, day.and_time(time).format("%Y%m%dT%H%M%S").to_string()),
        None => Property::new(name, day.format("%Y%m%d").to_string()),
    };
    match time {
        Some(_) => property.add_parameter("TZID", ZONE),
        None => property.add_parameter("VALUE", "DATE"),
    };
    property
}

/// The last second of a day of Brasília.
fn last_second(day: NaiveDate) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp_millis(start_of(day.succ_opt()?)?.0 - 1000)
}

fn moment(day: NaiveDate, time: Option<NaiveTime>) -> DatePerhapsTime {
    match time {
        None => day.into(),
        Some(time) => {
            CalendarDateTime::WithTimezone { date_time: day.and_time(time), tzid: ZONE.to_owned() }.into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> NaiveDate {
        text.parse().expect("a day")
    }

    fn time(text: &str) -> Option<NaiveTime> {
        Some(NaiveTime::parse_from_str(text, "%H:%M").expect("a time"))
    }

    fn written(event: CalendarEvent) -> String {
        let text = calendar("Agenda", "Candango", DateTime::UNIX_EPOCH, &[event]);
        let read: Calendar = text.parse().expect("a calendar");
        assert_eq!(read.events().count(), 1, "{text}");
        // unfolded
        text.replace("\r\n ", "")
    }

    #[test]
    fn the_time_zone_is_defined() {
        let text = calendar("Agenda", "Candango", DateTime::UNIX_EPOCH, &[]);
        assert!(text.contains("BEGIN:VTIMEZONE\r\nTZID:America/Sao_Paulo\r\n"), "{text}");
        assert!(text.contains("PRODID:-//Candango//EN\r\n"), "{text}");
        assert_eq!(text.matches("VERSION:2.0").count(), 1, "{text}");
        assert_eq!(text.matches("PRODID").count(), 1, "{text}");
        assert_eq!(
            text,
            calendar("Agenda", "Candango", DateTime::UNIX_EPOCH, &[]),
            "it is the same each time"
        );
    }

    #[test]
    fn an_evening_may_end_after_midnight() {
        let text = written(CalendarEvent {
            uid: "samba@guia.example".to_owned(),
            name: "Samba, choro; e \"mais\"".to_owned(),
            dates: vec![day("2026-11-27")],
            start_time: time("22:00"),
            end_time: time("02:00"),
            ..CalendarEvent::default()
        });
        assert!(text.contains("DTSTART;TZID=America/Sao_Paulo:20261127T220000\r\n"), "{text}");
        assert!(text.contains("DTEND;TZID=America/Sao_Paulo:20261128T020000\r\n"), "{text}");
        assert!(text.contains("SUMMARY:Samba\\, choro\\; e \"mais\"\r\n"), "{text}");
    }

    #[test]
    fn a_run_of_days_ends_on_the_day_after_its_last() {
        let text = written(CalendarEvent {
            uid: "mostra@guia.example".to_owned(),
            dates: vec![day("2026-11-27")],
            end_date: Some(day("2026-12-31")),
            start_time: time("10:00"),
            ..CalendarEvent::default()
        });
        assert!(text.contains("DTSTART;VALUE=DATE:20261127\r\n"), "{text}");
        assert!(text.contains("DTEND;VALUE=DATE:20270101\r\n"), "{text}");
    }

    #[test]
    fn a_series_lists_its_further_dates() {
        let text = written(CalendarEvent {
            uid: "choro@guia.example".to_owned(),
            dates: vec![day("2026-11-29"), day("2026-12-06")],
            start_time: time("12:00"),
            status: Some(Status::Cancelled),
            ..CalendarEvent::default()
        });
        assert!(text.contains("RDATE;TZID=America/Sao_Paulo:20261206T120000\r\n"), "{text}");
        assert!(text.contains("STATUS:CANCELLED\r\n"), "{text}");
    }

    #[test]
    fn the_zone_has_the_offset_of_its_definition_all_year() {
        for (year, month) in (2026..2036).flat_map(|year| (1..=12).map(move |month| (year, month))) {
            let first = NaiveDate::from_ymd_opt(year, month, 1).expect("a day");
            let start = start_of(first).expect("a midnight").0;
            let utc = DateTime::from_timestamp_millis(start).expect("a moment").naive_utc();
            assert_eq!(utc, first.and_hms_opt(3, 0, 0).expect("a moment"), "ZONE_DEFINITION says -03");
        }
    }

    #[test]
    fn a_rule_ends_with_its_last_day_in_brasilia() {
        let text = written(CalendarEvent {
            uid: "choro@guia.example".to_owned(),
            dates: vec![day("2026-11-29")],
            start_time: time("12:00"),
            rule: Some(Rule {
                text: "FREQ=WEEKLY;BYDAY=SU".to_owned(),
                until: Some(day("2026-12-27")),
                except: vec![day("2026-12-13")],
            }),
            ..CalendarEvent::default()
        });
        assert!(text.contains("RRULE:FREQ=WEEKLY;BYDAY=SU;UNTIL=20261228T025959Z\r\n"), "{text}");
        assert!(text.contains("EXDATE;TZID=America/Sao_Paulo:20261213T120000\r\n"), "{text}");
    }
}
