//! Cursors: opaque and checked by a checksum. They hold the sort key of the last record, not a position, so they stay
//! valid when a new snapshot goes live, and a fingerprint of the question, as its records in another one are others.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{Datelike, Days, NaiveDate};
use index::Cursor;

use super::{Param, ParamType, Params, Value, param};
use crate::domain::error::ApiError;

/// Longer than any cursor: names and ids are bounded.
const MAX_LENGTH: usize = 2_048;

/// For how many days a cursor of events is good: its pages count from the day of the first.
const GOOD_FOR: Days = Days::new(31);

/// How far ahead of this one the clock of the server that made it may be.
const MAX_CLOCK_SKEW: Days = Days::new(1);

/// The parameters that make a question, beside `group`, which has a default: others only say how much of its answer is
/// shown.
const QUESTION: &[Param] = &[
    param::Q,
    param::CATEGORY,
    param::REGION,
    param::FROM,
    param::TO,
    param::TIME_FROM,
    param::TIME_TO,
    param::NEAR,
    param::WITHIN_M,
    param::STRICT,
];

/// Differs for different questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fingerprint(u32);

impl Fingerprint {
    /// That of the question with these parameters. What counts as absent is as if it had not been sent.
    pub(super) fn of(params: &Params, is_grouped: bool) -> Fingerprint {
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(&[u8::from(is_grouped)]);
        let sent = QUESTION.iter().flat_map(|param @ Param { name, alias, .. }| {
            std::iter::once(name).chain(alias).filter_map(move |sent| Some((param, params.get(sent)?)))
        });
        for (Param { name, kind, .. }, value) in sent {
            let mut text = |text: &str| {
                if !text.trim().is_empty() {
                    hasher.update(name.as_bytes());
                    hasher.update(b"\0");
                    hasher.update(text.trim().as_bytes());
                }
            };
            match value {
                // an address has flags as texts
                Value::Text(value) if matches!(kind, ParamType::Flag) && value == "false" => {}
                Value::Text(value) => text(value),
                Value::Texts(values) => values.iter().for_each(|value| text(value)),
                Value::Integer(number) => text(&number.to_string()),
                Value::Flag(flag) => text(if *flag { "true" } else { "" }),
                Value::Null | Value::Other => {}
            }
        }
        Fingerprint(hasher.finalize())
    }
}

/// The text of a cursor for the collection marked `mark`.
pub(super) fn encode(mark: u8, cursor: &Cursor, question: Fingerprint) -> String {
    let Cursor { primary, name, id, today, met, order, is_anywhere } = cursor;
    let name_length = u16::try_from(name.len()).unwrap_or(u16::MAX);
    let mut bytes = Vec::with_capacity(80 + name.len() + id.len());
    bytes.push(mark.to_ascii_uppercase());
    bytes.extend_from_slice(&today.map_or(0, |today| today.num_days_from_ce()).to_be_bytes());
    let flags = [(met.is_some(), HAS_MET), (order.is_some(), HAS_ORDER), (*is_anywhere, IS_ANYWHERE)];
    let set = flags.into_iter().filter(|(is_set, _)| *is_set).map(|(_, flag)| flag);
    bytes.push(set.fold(HAS_FINGERPRINT, |flags, flag| flags | flag));
    bytes.extend_from_slice(&met.unwrap_or_default().to_be_bytes());
    bytes.extend(order.iter().flat_map(|order| order.to_be_bytes()));
    bytes.extend_from_slice(&question.0.to_be_bytes());
    bytes.extend_from_slice(&primary.to_be_bytes());
    bytes.extend_from_slice(&name_length.to_be_bytes());
    bytes.extend_from_slice(name.as_bytes());
    bytes.extend_from_slice(id.as_bytes());
    bytes.extend_from_slice(&crc32fast::hash(&bytes).to_be_bytes());
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Reads a cursor for the collection marked `mark`. One that was cut, altered, made for the other collection, another
/// question or on a day too far from `today` is an error. The checksum keeps nobody from making one up.
pub(super) fn read(
    mark: u8,
    text: &str,
    today: NaiveDate,
    question: Fingerprint,
) -> Result<Cursor<'static>, ApiError> {
    let is_good = |(cursor, of): &(Cursor, Option<Fingerprint>)| {
        cursor.today.is_none_or(|day| is_near(day, today)) && of.is_none_or(|of| of == question)
    };
    decode(mark, text).filter(is_good).map(|(cursor, _)| cursor).ok_or(ApiError::InvalidCursor)
}

fn is_near(day: NaiveDate, today: NaiveDate) -> bool {
    let first = today.checked_sub_days(GOOD_FOR).unwrap_or(NaiveDate::MIN);
    let last = today.checked_add_days(MAX_CLOCK_SKEW).unwrap_or(NaiveDate::MAX);
    (first..=last).contains(&day)
}

fn decode(mark: u8, text: &str) -> Option<(Cursor<'static>, Option<Fingerprint>)> {
    if text.len() > MAX_LENGTH {
        return None;
    }
    let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
    let (bytes, checksum) = bytes.split_last_chunk::<4>()?;
    if crc32fast::hash(bytes) != u32::from_be_bytes(*checksum) {
        return None;
    }
    let (Kept { today, met, order, is_anywhere, question }, rest) = match bytes.strip_prefix(&[mark]) {
        // a cursor of version 1.2 has a position alone
        Some(rest) => (Kept::default(), rest),
        None => kept(bytes.strip_prefix(&[mark.to_ascii_uppercase()])?)?,
    };
    let (primary, rest) = rest.split_first_chunk::<8>()?;
    let (length, rest) = rest.split_first_chunk::<2>()?;
    let (name, id) = rest.split_at_checked(usize::from(u16::from_be_bytes(*length)))?;
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).ok().map(Cow::Owned);
    let primary = u64::from_be_bytes(*primary);
    let (name, id) = (text(name)?, text(id)?);
    Some((Cursor { primary, name, id, today, met, order, is_anywhere }, question))
}

const HAS_MET: u8 = 1;

const HAS_ORDER: u8 = 2;

/// Earlier versions made cursors without a fingerprint.
const HAS_FINGERPRINT: u8 = 4;

const IS_ANYWHERE: u8 = 8;

/// What the next pages keep, beside the position.
#[derive(Default)]
struct Kept {
    today: Option<NaiveDate>,
    met: Option<u64>,
    order: Option<u32>,
    is_anywhere: bool,
    question: Option<Fingerprint>,
}

/// What the next pages keep of the first, and the bytes behind it.
fn kept(bytes: &[u8]) -> Option<(Kept, &[u8])> {
    let (day, rest) = bytes.split_first_chunk::<4>()?;
    let (flags, rest) = rest.split_first()?;
    // what this version does not know would change which records follow
    (flags & !(HAS_MET | HAS_ORDER | HAS_FINGERPRINT | IS_ANYWHERE) == 0).then_some(())?;
    let (met, rest) = rest.split_first_chunk::<8>()?;
    let today = match i32::from_be_bytes(*day) {
        0 => None,
        day => Some(NaiveDate::from_num_days_from_ce_opt(day)?),
    };
    let (order, rest) = match flags & HAS_ORDER {
        0 => (None, rest),
        _ => rest.split_first_chunk::<4>().map(|(order, rest)| (Some(u32::from_be_bytes(*order)), rest))?,
    };
    let (question, rest) = match flags & HAS_FINGERPRINT {
        0 => (None, rest),
        _ => rest
            .split_first_chunk::<4>()
            .map(|(question, rest)| (Some(Fingerprint(u32::from_be_bytes(*question))), rest))?,
    };
    let met = (flags & HAS_MET != 0).then(|| u64::from_be_bytes(*met));
    let is_anywhere = flags & IS_ANYWHERE != 0;
    Some((Kept { today, met, order, is_anywhere, question }, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    const JAZZ: Fingerprint = Fingerprint(7);

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    #[test]
    fn a_question_is_told_by_what_it_asks_for_and_not_by_how_much_is_shown() {
        let of = |json: &str| Fingerprint::of(&Params::parse(json.as_bytes()).unwrap(), false);
        let jazz = of(r#"{"q":"jazz","category":["a","b"]}"#);
        assert_eq!(jazz, of(r#"{"limit":3,"category":["a","b"],"q":" jazz","cursor":"x"}"#));
        assert_eq!(jazz, of(r#"{"q":"jazz","category":["a","b"],"near":" ","strict":false,"from":null}"#));
        assert_ne!(
            jazz,
            Fingerprint::of(&Params::parse(br#"{"q":"jazz","category":["a","b"]}"#).unwrap(), true)
        );
        assert_ne!(of(r#"{"q":"false"}"#), of("{}"));
        for other in [
            r#"{"q":"samba","category":["a","b"]}"#,
            r#"{"q":"jazz","category":["ab"]}"#,
            r#"{"q":"jazz"}"#,
            r#"{"q":"jazz","category":["a","b"],"strict":true}"#,
            r#"{"category":"jazz"}"#,
            "{}",
        ] {
            assert_ne!(jazz, of(other), "{other}");
        }
    }

    #[test]
    fn a_cursor_round_trips_and_any_change_is_detected() {
        let today = day("2026-11-22");
        let cursor = Cursor {
            primary: 7,
            name: "Café \"Ó\"".into(),
            id: "cafe-o".into(),
            today: Some(today),
            met: Some(5),
            order: Some(7),
            is_anywhere: true,
        };
        let text = encode(b'p', &cursor, JAZZ);
        assert_eq!(read(b'p', &text, today, JAZZ), Ok(cursor));
        assert_eq!(read(b'e', &text, today, JAZZ), Err(ApiError::InvalidCursor));
        assert_eq!(read(b'p', &text, today, Fingerprint(8)), Err(ApiError::InvalidCursor));
        for at in 0..text.len() {
            let mut altered = text.clone().into_bytes();
            altered[at] = if altered[at] == b'A' { b'B' } else { b'A' };
            assert_eq!(
                read(b'p', &String::from_utf8(altered).unwrap(), today, JAZZ),
                Err(ApiError::InvalidCursor),
                "{at}"
            );
            assert_eq!(read(b'p', &text[..at], today, JAZZ), Err(ApiError::InvalidCursor));
        }
        assert_eq!(read(b'p', "é", today, JAZZ), Err(ApiError::InvalidCursor));
    }

    #[test]
    fn a_cursor_is_good_for_a_month_and_from_no_day_that_is_far() {
        let read_on = |made: NaiveDate, today: &str| {
            let cursor = Cursor {
                primary: 7,
                name: "x".into(),
                id: "x".into(),
                today: Some(made),
                met: None,
                order: None,
                is_anywhere: false,
            };
            read(b'e', &encode(b'e', &cursor, JAZZ), day(today), JAZZ).map(drop)
        };
        for today in ["2026-11-21", "2026-11-22", "2026-12-23"] {
            assert_eq!(read_on(day("2026-11-22"), today), Ok(()), "{today}");
        }
        for today in ["2026-11-20", "2026-12-24", "2000-01-01"] {
            assert_eq!(read_on(day("2026-11-22"), today), Err(ApiError::InvalidCursor), "{today}");
        }
        for made in [NaiveDate::MIN, NaiveDate::MAX] {
            assert_eq!(read_on(made, "2026-11-22"), Err(ApiError::InvalidCursor), "{made}");
        }
    }
}
