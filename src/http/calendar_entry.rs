//! The calendar entry of an event, made of what is known of it: by an answer of the API, or by the site.

use chrono::{NaiveDate, NaiveTime};
use snapshots::{Session, Status};

use super::calendar::{CITY, CalendarEvent, Rule};
use super::distinct::distinct;

/// What is known of an event. A text that is not known is empty.
#[derive(Debug, Default)]
pub(super) struct Facts<'a> {
    /// Of the event, or of the series if the entry is all of it.
    pub(super) id: &'a str,
    /// The name.
    pub(super) name: &'a str,
    /// The day, and the last one if there are several; of a series those of one of its dates.
    pub(super) date: Option<NaiveDate>,
    pub(super) end_date: Option<NaiveDate>,
    /// `HH:MM`, of the first session if there are several.
    pub(super) start_time: &'a str,
    pub(super) end_time: &'a str,
    /// The sessions of a day, if there are several.
    pub(super) sessions: Vec<Session>,
    /// What became of it.
    pub(super) status: Option<Status>,
    pub(super) venue: &'a str,
    pub(super) address: &'a str,
    pub(super) neighbourhood: &'a str,
    pub(super) region: &'a str,
    /// Latitude and longitude.
    pub(super) point: Option<(f64, f64)>,
    pub(super) lineup: &'a str,
    pub(super) price: &'a str,
    /// Whether it costs nothing.
    pub(super) free: bool,
    pub(super) tickets: &'a str,
    /// Its page.
    pub(super) url: Option<String>,
    /// Whom to credit.
    pub(super) credit: &'a str,
}

/// How an entry says what is no text of the curator's.
pub(super) struct Words {
    pub(super) cancelled: &'static str,
    pub(super) postponed: &'static str,
    pub(super) sold_out: &'static str,
    /// The price of what costs nothing.
    pub(super) free: &'static str,
    /// The hours of what has none.
    pub(super) no_time: &'static str,
    /// An hour, of `HH:MM`.
    pub(super) time: fn(&str) -> String,
}

/// The words of readers whose language is not known.
pub(super) const BILINGUAL: Words = Words {
    cancelled: "Cancelado / Cancelled",
    postponed: "Adiado / Postponed",
    sold_out: "Esgotado / Sold out",
    free: "Grátis / Free",
    no_time: "Sem horário no guia: confirme antes de ir / Without a time in the guide: check before you go",
    time: str::to_owned,
};

/// The entry on these dates, of which there is at least one; `rule` is that of [`super::recurrence::recurrence`].
pub(super) fn entry(
    facts: Facts<'_>,
    (dates, rule): (Vec<NaiveDate>, Option<Rule>),
    host: &str,
    words: &Words,
) -> Option<CalendarEvent> {
    let first = *dates.first()?;
    let runs = facts.end_date.zip(facts.date).map(|(end, date)| end - date);
    let end_date = runs.filter(|runs| runs.num_days() > 0).map(|runs| first + runs);
    let time = |text: &str| NaiveTime::parse_from_str(text, "%H:%M").ok();
    let location = [facts.venue, facts.address, facts.neighbourhood, facts.region, CITY];
    let status = match facts.status {
        Some(Status::Cancelled) => words.cancelled,
        Some(Status::Postponed) => words.postponed,
        Some(Status::SoldOut) => words.sold_out,
        None => "",
    };
    // an entry has no hours where it lasts several days, and those of the first session where there are more
    let is_timed = !facts.start_time.is_empty() || !facts.sessions.is_empty();
    let hours = match end_date.is_none() && facts.sessions.is_empty() {
        _ if !is_timed => words.no_time.to_owned(),
        true => String::new(),
        false => hours([facts.start_time, facts.end_time], &facts.sessions, words.time),
    };
    let price = if facts.price.is_empty() && facts.free { words.free } else { facts.price };
    let description = [status, &hours, facts.lineup, price, facts.tickets, facts.credit];
    let description: Vec<&str> = description.into_iter().filter(|part| !part.is_empty()).collect();
    Some(CalendarEvent {
        uid: format!("{}@{host}", facts.id),
        name: facts.name.to_owned(),
        dates,
        rule,
        end_date,
        start_time: time(facts.start_time),
        end_time: time(facts.end_time),
        location: distinct(&location).join(", "),
        point: facts.point,
        url: facts.url,
        description: description.join("\n"),
        status: facts.status,
    })
}

/// The hours of a day, of which `time` writes each: "19h30", "19h30–22h", or of its sessions "16h, 20h–21h"; empty when
/// they are not known.
pub(super) fn hours([start, end]: [&str; 2], sessions: &[Session], time: fn(&str) -> String) -> String {
    let span = |start: &str, end: &str| match (start, end) {
        ("", _) => String::new(),
        (start, "") => time(start),
        (start, end) => format!("{}–{}", time(start), time(end)),
    };
    if sessions.is_empty() {
        return span(start, end);
    }
    let hour = |time: NaiveTime| time.format("%H:%M").to_string();
    let session = |one: &Session| span(&hour(one.start_time), &one.end_time.map(hour).unwrap_or_default());
    sessions.iter().map(session).collect::<Vec<_>>().join(", ")
}
