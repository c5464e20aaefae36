//! The fields of one JSON object, taken one by one, with a report of every field of the wrong type.

use std::fmt::Display;

use chrono::{NaiveDate, NaiveTime};
use serde_json::{Map, Value};

use crate::defect::Report;
use crate::limits::MAX_MENTIONS;
use crate::position_rules::{PRECISION, not_on_the_globe};
use crate::positions::Degrees;
use crate::text::{nearest, quoted, suggestion};

/// The fields of one JSON object. They are removed one by one; what is left at the end is unknown.
pub(crate) struct Fields<'r> {
    pub(crate) report: &'r mut Report,
    pub(crate) values: Map<String, Value>,
    /// The path of the object in its entry, ending with a dot; empty for the entry itself.
    prefix: String,
    known: Vec<&'static str>,
}

impl<'r> Fields<'r> {
    pub(crate) fn new(report: &'r mut Report, values: Map<String, Value>, prefix: String) -> Self {
        Self { report, values, prefix, known: Vec::new() }
    }

    fn take(&mut self, field: &'static str) -> Option<Value> {
        self.known.push(field);
        self.values.remove(field)
    }

    pub(crate) fn wrong(&mut self, field: impl Display, what: impl Into<String>, fix: impl Into<String>) {
        let path = format!("{}{field}", self.prefix);
        self.report.add_unread(path, || (what.into(), fix.into()));
    }

    fn mistyped(&mut self, field: impl Display, value: &Value, wanted: &str) {
        let fix = match value {
            Value::Null => "leave the field out when it is unknown".to_owned(),
            _ => format!("write {wanted}"),
        };
        self.wrong(field, format!("is {}, not {wanted}", kind_of(value)), fix);
    }

    /// The value of an optional field, as `read` gives it; a value of another type is returned by `read` and reported.
    fn typed<T>(
        &mut self,
        field: &'static str,
        wanted: &str,
        read: impl FnOnce(Value) -> Result<T, Value>,
    ) -> Option<T> {
        read(self.take(field)?).map_err(|value| self.mistyped(field, &value, wanted)).ok()
    }

    /// An optional text.
    pub(crate) fn optional(&mut self, field: &'static str) -> Option<String> {
        self.typed(field, "a text", |value| match value {
            Value::String(text) => Ok(text),
            other => Err(other),
        })
    }

    /// A required text; empty when it is missing.
    pub(crate) fn text(&mut self, field: &'static str) -> String {
        self.text_or(field, String::new())
    }

    pub(crate) fn text_or(&mut self, field: &'static str, stand_in: String) -> String {
        self.require(field).optional(field).unwrap_or(stand_in)
    }

    /// Reports a required field that is missing.
    pub(crate) fn require(&mut self, field: &'static str) -> &mut Self {
        if !self.values.contains_key(field) {
            self.wrong(field, "is missing", format!("add \"{field}\""));
        }
        self
    }

    pub(crate) fn array(&mut self, field: &'static str) -> Vec<Value> {
        let items = self.typed(field, "a list", |value| match value {
            Value::Array(items) => Ok(items),
            other => Err(other),
        });
        items.unwrap_or_default()
    }

    pub(crate) fn texts(&mut self, field: &'static str) -> Vec<String> {
        let items = self.array(field);
        self.only_texts(field, items)
    }

    /// The texts of a list; what is no text is reported.
    pub(crate) fn only_texts(&mut self, field: &str, items: Vec<Value>) -> Vec<String> {
        let mut texts = Vec::with_capacity(items.len());
        for (position, item) in items.into_iter().enumerate() {
            match item {
                Value::String(text) => texts.push(text),
                other => self.mistyped(format_args!("{field}[{position}]"), &other, "a text"),
            }
        }
        texts
    }

    pub(crate) fn flag(&mut self, field: &'static str) -> bool {
        self.choice(field).unwrap_or_default()
    }

    pub(crate) fn choice(&mut self, field: &'static str) -> Option<bool> {
        self.typed(field, "true or false", |value| value.as_bool().ok_or(value))
    }

    /// A flag that is `true` or absent: `false` would claim what answers do not show.
    pub(crate) fn only_true(&mut self, field: &'static str) -> bool {
        let flag = self.choice(field);
        if flag == Some(false) {
            self.wrong(field, "is false", "leave the field out unless it is true");
        }
        flag.unwrap_or_default()
    }

    pub(crate) fn count(&mut self, field: &'static str) -> u32 {
        let Some(value) = self.take(field) else { return 0 };
        match value.as_u64().and_then(|count| u32::try_from(count).ok()) {
            Some(count) if count <= MAX_MENTIONS => return count,
            _ if value.is_number() => {
                let fix = format!("write a whole number from 0 to {MAX_MENTIONS}");
                self.wrong(field, format!("is {value}"), fix);
            }
            _ => self.mistyped(field, &value, "a whole number"),
        }
        0
    }

    /// A required number of whole metres; 0 when it could not be read, which is reported.
    pub(crate) fn metres(&mut self, field: &'static str) -> u32 {
        let Some(value) = self.require(field).take(field) else { return 0 };
        let metres = value.as_u64().and_then(|metres| u32::try_from(metres).ok());
        metres.unwrap_or_else(|| {
            if value.is_number() {
                self.wrong(field, format!("is {value}"), PRECISION);
            } else {
                self.mistyped(field, &value, "a whole number");
            }
            0
        })
    }

    /// A required coordinate; the stand-in when it could not be read, which is reported.
    pub(crate) fn degrees(&mut self, field: &'static str, stand_in: i32) -> Degrees {
        let stand_in = Degrees(stand_in * 1_000_000);
        let Some(value) = self.require(field).take(field) else { return stand_in };
        match value.as_f64() {
            Some(number) => Degrees::new(number).unwrap_or_else(|| {
                let (what, fix) = not_on_the_globe(number, matches!(field, "lat" | "south" | "north"));
                self.wrong(field, what, fix);
                stand_in
            }),
            None => {
                self.mistyped(field, &value, "a number of degrees, such as -15.79");
                stand_in
            }
        }
    }

    pub(crate) fn date(&mut self, field: &'static str) -> Option<NaiveDate> {
        let text = self.optional(field)?;
        let day = day(&text);
        if day.is_none() {
            self.not_a_day(field, &text);
        }
        day
    }

    pub(crate) fn dates(&mut self, field: &'static str) -> Vec<NaiveDate> {
        let mut days = Vec::new();
        for (position, text) in self.texts(field).into_iter().enumerate() {
            match day(&text) {
                Some(day) => days.push(day),
                None => self.not_a_day(format_args!("{field}[{position}]"), &text),
            }
        }
        days
    }

    fn not_a_day(&mut self, field: impl Display, text: &str) {
        let what = format!("{} is not a day of the calendar", quoted(text));
        self.wrong(field, what, "write a real date as YYYY-MM-DD");
    }

    pub(crate) fn time(&mut self, field: &'static str) -> Option<NaiveTime> {
        let text = self.optional(field)?;
        // chrono also accepts "9:30"; the API's format has two digits.
        let time = (text.len() == 5).then(|| NaiveTime::parse_from_str(&text, "%H:%M").ok()).flatten();
        if time.is_none() {
            self.wrong(field, format!("{} is not a time", quoted(&text)), "write HH:MM, from 00:00 to 23:59");
        }
        time
    }

    /// A required time; midnight when it could not be read, which is reported.
    pub(crate) fn required_time(&mut self, field: &'static str) -> NaiveTime {
        self.require(field).time(field).unwrap_or_default()
    }

    /// The objects of a list, each parsed by `read`.
    pub(crate) fn objects<T>(&mut self, field: &'static str, read: impl Fn(&mut Fields<'_>) -> T) -> Vec<T> {
        let mut all = Vec::new();
        for (position, item) in self.array(field).into_iter().enumerate() {
            match item {
                Value::Object(values) => {
                    let prefix = format!("{}{field}[{position}].", self.prefix);
                    all.push(Fields::new(self.report, values, prefix).read(&read));
                }
                other => self.mistyped(format_args!("{field}[{position}]"), &other, "an object"),
            }
        }
        all
    }

    /// An object in this one, parsed by `read`.
    pub(crate) fn object<T>(
        &mut self,
        field: &'static str,
        read: impl FnOnce(&mut Fields<'_>) -> T,
    ) -> Option<T> {
        let values = self.typed(field, "an object", |value| match value {
            Value::Object(values) => Ok(values),
            other => Err(other),
        })?;
        let prefix = format!("{}{field}.", self.prefix);
        Some(Fields::new(self.report, values, prefix).read(read))
    }

    /// Parses the object by `read` and reports its unknown fields.
    pub(crate) fn read<T>(mut self, read: impl FnOnce(&mut Fields<'_>) -> T) -> T {
        let value = read(&mut self);
        for field in self.values.keys() {
            let known = &self.known;
            self.report.add_unread(format_args!("{}{}", self.prefix, shown(field)), || {
                let near = nearest(field, known.iter().map(|name| (*name, *name)));
                ("is not a known field", suggestion(near, format!("known are: {}", known.join(", "))))
            });
        }
        value
    }
}

/// The name of an unknown field for a path, quoted unless it is plain.
fn shown(field: &str) -> String {
    let plain = field.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
    if plain && (1..=60).contains(&field.len()) { field.to_owned() } else { quoted(field) }
}

pub(crate) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn day(text: &str) -> Option<NaiveDate> {
    // chrono also accepts "2026-1-5" and signed years.
    let strict = text.len() == 10 && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    strict.then(|| NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()).flatten()
}
