//! The parameters of a request: a flat JSON object, read without building a tree, or the fields of a form. Reading a
//! parameter checks it; errors never echo what was sent.

use std::borrow::Cow;
use std::fmt;

use chrono::NaiveDate;
use index::grammar::dates;
use serde::de::{Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use smallvec::SmallVec;

use super::param::{MAX_FILTERS, Param};
use crate::domain::clock::iso_day;
use crate::domain::error::ApiError;

/// The fields of a JSON object, in order. The last value of a repeated field wins.
#[derive(Debug, Default)]
pub struct Params<'a> {
    fields: Vec<(Cow<'a, str>, Value<'a>)>,
}

/// A JSON value, as far as parameters need it.
#[derive(Debug, Clone, PartialEq)]
pub enum Value<'a> {
    /// A string.
    Text(Cow<'a, str>),
    /// A whole number that fits 64 bits.
    Integer(i64),
    /// `true` or `false`.
    Flag(bool),
    /// A list of strings.
    Texts(Vec<Cow<'a, str>>),
    /// `null`, which counts as absent.
    Null,
    /// Anything else; no parameter accepts it.
    Other,
}

/// The most fields that a body may have.
const MAX_FIELDS: usize = 64;

/// The most strings of a list.
const MAX_LIST: usize = 64;

/// What a parameter that takes several values expects.
const LIST: &str = "a string or a list of strings";

/// Room for the fields of most requests.
const USUAL_FIELDS: usize = 10;

/// The most ignored fields that warnings name, and the longest name among them.
const MAX_IGNORED: usize = 10;
const MAX_IGNORED_NAME: usize = 40;

/// Why a body could not be read.
#[derive(Debug, PartialEq, Eq)]
pub enum ParamsError {
    /// The body is empty.
    Empty,
    /// The body is not JSON.
    Syntax {
        /// Line of the first error, from 1.
        line: usize,
        /// Column of the first error, from 1.
        column: usize,
    },
    /// The body is JSON, but not an object.
    NotAnObject,
    /// The object has too many fields.
    TooManyFields,
}

impl From<ParamsError> for ApiError {
    fn from(error: ParamsError) -> Self {
        match error {
            ParamsError::Empty => ApiError::InvalidJson { at: None },
            ParamsError::Syntax { line, column } => ApiError::InvalidJson { at: Some((line, column)) },
            ParamsError::NotAnObject => ApiError::NotAnObject,
            ParamsError::TooManyFields => ApiError::TooManyFields { max: MAX_FIELDS },
        }
    }
}

impl<'a> Value<'a> {
    /// The text, if the value is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl<'a> Params<'a> {
    /// Reads a JSON object.
    pub fn parse(body: &'a [u8]) -> Result<Self, ParamsError> {
        // Reading from `&str` spares a UTF-8 check of each string; invalid UTF-8 is located by reading the bytes.
        let params = match std::str::from_utf8(body) {
            Ok(text) => Self::read(serde_json::Deserializer::from_str(text)),
            Err(_) => Self::read(serde_json::Deserializer::from_slice(body)),
        };
        let params = params.map_err(|error| match error.classify() {
            serde_json::error::Category::Data => ParamsError::NotAnObject,
            _ if body.trim_ascii().is_empty() => ParamsError::Empty,
            _ => ParamsError::Syntax { line: error.line().max(1), column: error.column().max(1) },
        })?;
        params.within_bounds()
    }

    /// The parameters, unless there are too many fields.
    pub fn within_bounds(self) -> Result<Self, ParamsError> {
        if self.fields.len() > MAX_FIELDS { Err(ParamsError::TooManyFields) } else { Ok(self) }
    }

    fn read<R: serde_json::de::Read<'a>>(mut json: serde_json::Deserializer<R>) -> serde_json::Result<Self> {
        let params = Self::deserialize(&mut json)?;
        json.end().map(|()| params)
    }

    /// Fields that this service names, such as those of a form that are known; all of them are texts.
    pub fn of_form(fields: impl IntoIterator<Item = (Cow<'a, str>, Cow<'a, str>)>) -> Self {
        let fields = fields.into_iter().map(|(name, text)| (name, Value::Text(text)));
        Self { fields: fields.collect() }
    }

    /// The fields of the query of an address. The values of a field that `is_list` are separated by commas, or it is
    /// repeated.
    pub fn of_query(
        pairs: impl IntoIterator<Item = (String, String)>,
        is_list: impl Fn(&str) -> bool,
    ) -> Result<Self, ParamsError> {
        let mut fields: Vec<(Cow<'a, str>, Value<'a>)> = Vec::new();
        for (name, text) in pairs {
            if !is_list(&name) {
                fields.push((name.into(), Value::Text(text.into())));
                continue;
            }
            let values = text.split(',').map(|value| Cow::Owned(value.to_owned()));
            match fields.iter_mut().find(|(known, _)| *known == name) {
                Some((_, Value::Texts(list))) => list.extend(values),
                _ => fields.push((name.into(), Value::Texts(values.collect()))),
            }
        }
        Self { fields }.within_bounds()
    }

    /// The value of a field that was sent and is not `null`.
    pub fn get(&self, name: &str) -> Option<&Value<'a>> {
        let (_, value) = self.fields.iter().rev().find(|(field, _)| field == name)?;
        Some(value).filter(|value| **value != Value::Null)
    }

    /// The texts that were sent by a name, trimmed and not blank.
    pub fn texts_of(&self, name: &str) -> impl Iterator<Item = &str> {
        let texts = match self.get(name) {
            Some(Value::Text(text)) => std::slice::from_ref(text),
            Some(Value::Texts(texts)) => texts,
            _ => &[],
        };
        texts.iter().map(|text| text.trim()).filter(|text| !text.is_empty())
    }

    /// The same with a text for a parameter that was not sent, or is blank.
    pub fn or(mut self, name: &'static str, text: &'static str) -> Self {
        if self.texts_of(name).next().is_none() {
            self.fields.push((name.into(), Value::Text(text.into())));
        }
        self
    }

    /// Renames the fields for which `new_name` returns a name.
    pub fn rename(&mut self, new_name: impl Fn(&str) -> Option<&'static str>) {
        for (name, _) in &mut self.fields {
            if let Some(new) = new_name(name) {
                *name = Cow::Borrowed(new);
            }
        }
    }

    /// A text of any length, untrimmed.
    pub fn sent(&self, param: &Param) -> Result<Option<&str>, ApiError> {
        match self.get(param.name) {
            None => Ok(None),
            Some(Value::Text(text)) => Ok(Some(text)),
            Some(_) => Err(ApiError::WrongType { param: param.name, expected: "a string" }),
        }
    }

    /// A trimmed text; blank counts as absent. The length is measured before trimming, as the documents promise.
    pub fn text(&self, param: &Param) -> Result<Option<&str>, ApiError> {
        let Some(sent) = self.sent(param)? else { return Ok(None) };
        check_length(param, sent)?;
        Ok(Some(sent.trim()).filter(|text| !text.is_empty()))
    }

    /// One trimmed text or several, with its place in the list, from 1; blank ones count as absent.
    pub fn texts(&self, param: &Param) -> Result<SmallVec<[(usize, &str); 2]>, ApiError> {
        let texts = match self.get(param.name) {
            Some(Value::Texts(texts)) => texts,
            None | Some(Value::Text(_)) => {
                return Ok(self.text(param)?.map(|text| (1, text)).into_iter().collect());
            }
            Some(_) => return Err(ApiError::WrongType { param: param.name, expected: LIST }),
        };
        if texts.len() > MAX_FILTERS {
            return Err(ApiError::TooManyValues { param: param.name, max: MAX_FILTERS });
        }
        texts.iter().try_for_each(|text| check_length(param, text))?;
        let texts = texts.iter().map(|text| text.trim()).zip(1..).map(|(text, item)| (item, text));
        Ok(texts.filter(|(_, text)| !text.is_empty()).collect())
    }

    /// One of a few words, in any case.
    pub fn choice(&self, param: &Param) -> Result<Option<&'static str>, ApiError> {
        let Some(text) = self.text(param)? else { return Ok(None) };
        let known = param.words();
        let found = known.iter().find(|word| word.eq_ignore_ascii_case(text));
        found.map(|word| Some(*word)).ok_or(ApiError::UnknownChoice { param: param.name, item: None, known })
    }

    /// Some of a few words, as a list or as one text with commas; none counts as absent. `unknown` makes the error for
    /// another word, of which it gets the place among several.
    pub fn names(
        &self,
        param: &Param,
        unknown: impl Fn(&str, Option<usize>) -> ApiError,
    ) -> Result<SmallVec<[&'static str; 8]>, ApiError> {
        let texts = match self.get(param.name) {
            None => return Ok(SmallVec::new()),
            Some(Value::Text(text)) => std::slice::from_ref(text),
            Some(Value::Texts(texts)) => texts,
            Some(_) => return Err(ApiError::WrongType { param: param.name, expected: LIST }),
        };
        let sent = || texts.iter().flat_map(|text| text.split(',')).map(str::trim);
        let names = sent().zip(1..).filter(|(name, _)| !name.is_empty());
        let known = names.map(|(name, item)| {
            let found = param.words().iter().find(|word| word.eq_ignore_ascii_case(name));
            found.copied().ok_or_else(|| unknown(name, (sent().count() > 1).then_some(item)))
        });
        known.collect()
    }

    /// A flag, which is false when absent. Forms send it as text.
    pub fn flag(&self, param: &Param) -> Result<bool, ApiError> {
        match self.get(param.name) {
            None => Ok(false),
            Some(Value::Flag(flag)) => Ok(*flag),
            Some(Value::Text(text)) if matches!(text.trim(), "" | "false") => Ok(false),
            Some(Value::Text(text)) if text.trim() == "true" => Ok(true),
            Some(_) => Err(ApiError::WrongType { param: param.name, expected: "true or false" }),
        }
    }

    /// A required text.
    pub fn required_text(&self, param: &Param) -> Result<&str, ApiError> {
        let missing =
            || ApiError::MissingParam { example: param.example, param: param.name, unknown: Vec::new() };
        self.text(param)?.ok_or_else(missing)
    }

    /// A whole number. A number in a string is accepted; blank counts as absent.
    pub fn integer(&self, param: &Param) -> Result<Option<i64>, ApiError> {
        let wrong = ApiError::WrongType { param: param.name, expected: "a whole number" };
        let number = match self.get(param.name) {
            None => return Ok(None),
            Some(Value::Integer(number)) => *number,
            Some(Value::Text(text)) if text.trim().is_empty() => return Ok(None),
            Some(Value::Text(text)) => text.trim().parse().map_err(|_| wrong)?,
            Some(_) => return Err(wrong),
        };
        let (min, max) = param.bounds();
        if (min..=max).contains(&number) {
            Ok(Some(number))
        } else {
            Err(ApiError::OutOfRange { param: param.name, min, max })
        }
    }

    /// A calendar day: YYYY-MM-DD, or a word for a day; a weekday is the first from `since` on.
    pub fn day(
        &self,
        param: &Param,
        today: NaiveDate,
        since: NaiveDate,
    ) -> Result<Option<NaiveDate>, ApiError> {
        let Some(text) = self.text(param)? else { return Ok(None) };
        let date = iso_day(text).or_else(|| dates::day(text, today, since));
        date.map(Some).ok_or(ApiError::InvalidDate { param: param.name })
    }

    /// A minute of the day.
    pub fn minute(&self, param: &Param) -> Result<Option<u16>, ApiError> {
        let Some(text) = self.text(param)? else { return Ok(None) };
        // programs send the seconds too
        let whole_minute = text.rsplit_once(':').filter(|(minute, second)| {
            minute.contains(':')
                && second.len() == 2
                && second.bytes().all(|byte| byte.is_ascii_digit())
                && **second < *"60"
        });
        dates::minute(whole_minute.map_or(text, |(minute, _)| minute))
            .map(Some)
            .ok_or(ApiError::InvalidTime { param: param.name })
    }

    /// The names for warnings: sent, not `known`, few and short.
    pub fn ignored<'s>(&'s self, known: impl Fn(&str) -> bool + 's) -> impl Iterator<Item = &'s str> {
        self.unknown(known).filter(|name| name.chars().count() <= MAX_IGNORED_NAME).take(MAX_IGNORED)
    }

    /// The names that were sent more than once, with different values. Generated clients repeat `action` with the same.
    pub fn conflicting(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().enumerate().filter_map(|(at, (name, value))| {
            let mut before =
                self.fields[..at].iter().filter(|(other, _)| other == name).map(|(_, value)| value);
            let first = before.next()?;
            // told at the first that differs, so once
            (first != value && before.all(|other| other == first)).then_some(name.as_ref())
        })
    }

    /// The distinct names that were sent and are not `known`.
    pub fn unknown<'s>(&'s self, known: impl Fn(&str) -> bool + 's) -> impl Iterator<Item = &'s str> {
        self.fields.iter().enumerate().filter_map(move |(at, (name, _))| {
            let before = &self.fields[..at];
            (!known(name) && !before.iter().any(|(other, _)| other == name)).then_some(name.as_ref())
        })
    }
}

/// Refuses a text that is too long.
fn check_length(param: &Param, text: &str) -> Result<(), ApiError> {
    let max = param.max_characters();
    // a text has at most as many characters as bytes, so most texts need no counting
    match text.len() > max && text.chars().nth(max).is_some() {
        true => Err(ApiError::TextTooLong { param: param.name, max }),
        false => Ok(()),
    }
}

/// For parameters inside another message; the caller checks [`Params::within_bounds`].
impl<'de: 'a, 'a> Deserialize<'de> for Params<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Params<'a>, D::Error> {
        from.deserialize_any(ObjectVisitor)
    }
}

struct ObjectVisitor;

impl<'de> Visitor<'de> for ObjectVisitor {
    type Value = Params<'de>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Params<'de>, A::Error> {
        let mut fields = Vec::with_capacity(USUAL_FIELDS);
        while let Some(name) = map.next_key_seed(NameSeed)? {
            let value = map.next_value()?;
            // One field beyond the limit is kept, for `within_bounds` to detect.
            if fields.len() <= MAX_FIELDS {
                fields.push((name, value));
            }
        }
        Ok(Params { fields })
    }
}

struct NameSeed;

impl<'de> DeserializeSeed<'de> for NameSeed {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Cow<'de, str>, D::Error> {
        struct NameVisitor;
        impl<'de> Visitor<'de> for NameVisitor {
            type Value = Cow<'de, str>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a name")
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Cow<'de, str>, E> {
                Ok(Cow::Borrowed(text))
            }
            fn visit_str<E>(self, text: &str) -> Result<Cow<'de, str>, E> {
                Ok(Cow::Owned(text.to_owned()))
            }
        }
        from.deserialize_str(NameVisitor)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Value<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Value<'a>, D::Error> {
        ValueVisitor { in_list: false }.deserialize(from)
    }
}

/// Reads a value. A list within a list is skipped, so that deep nesting does not recurse.
#[derive(Clone, Copy)]
struct ValueVisitor {
    in_list: bool,
}

impl<'de> DeserializeSeed<'de> for ValueVisitor {
    type Value = Value<'de>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Value<'de>, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value<'de>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Value<'de>, E> {
        Ok(Value::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value<'de>, E> {
        Ok(Value::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value<'de>, E> {
        Ok(Value::Integer(number))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value<'de>, E> {
        // Beyond every bound of a parameter, and so refused as out of range.
        Ok(Value::Integer(i64::try_from(number).unwrap_or(i64::MAX)))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value<'de>, E> {
        let whole = number.fract() == 0.0 && number.abs() < 1e15;
        #[expect(clippy::cast_possible_truncation, reason = "a whole number below 1e15 fits")]
        let integer = number as i64;
        Ok(if whole { Value::Integer(integer) } else { Value::Other })
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Value<'de>, E> {
        Ok(Value::Flag(flag))
    }

    fn visit_unit<E>(self) -> Result<Value<'de>, E> {
        Ok(Value::Null)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value<'de>, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Value::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value<'de>, A::Error> {
        if self.in_list {
            while items.next_element::<IgnoredAny>()?.is_some() {}
            return Ok(Value::Other);
        }
        let mut texts = Some(Vec::new());
        while let Some(item) = items.next_element_seed(ValueVisitor { in_list: true })? {
            match (item, &mut texts) {
                (Value::Text(text), Some(texts)) if texts.len() < MAX_LIST => texts.push(text),
                // no parameter takes so many; the rest is read, so that the JSON is checked
                (Value::Text(_), Some(_)) => {}
                _ => texts = None,
            }
        }
        Ok(texts.map_or(Value::Other, Value::Texts))
    }
}

#[cfg(test)]
mod tests {
    use super::super::param::ParamType;
    use super::*;

    const fn text(name: &'static str) -> Param {
        Param::new(name, ParamType::Text { max: None }, "")
    }

    #[test]
    fn values_are_read_and_errors_name_the_parameter() {
        let params = Params::parse(
            br#"{"q":" jazz ","limit":"7","n":3,"big":1e30,"from":"2026-02-30","blank":"","no":null}"#,
        )
        .unwrap();
        assert_eq!(params.text(&text("q")), Ok(Some("jazz")));
        let integer = |name, max| params.integer(&Param::new(name, ParamType::Integer { min: 1, max }, ""));
        assert_eq!(integer("limit", 50), Ok(Some(7)));
        assert_eq!(integer("n", 2), Err(ApiError::OutOfRange { param: "n", min: 1, max: 2 }));
        let no_integer = ApiError::WrongType { param: "big", expected: "a whole number" };
        assert_eq!(integer("big", 2), Err(no_integer));
        let today = NaiveDate::MIN;
        let day = params.day(&Param::new("from", ParamType::Date, ""), today, today);
        assert_eq!(day, Err(ApiError::InvalidDate { param: "from" }));
        assert_eq!(params.text(&text("blank")), Ok(None));
        assert_eq!(params.text(&text("no")), Ok(None));
        assert_eq!(params.required_text(&text("id")), Err(ApiError::missing("id")));
        assert_eq!(params.text(&text("n")), Err(ApiError::WrongType { param: "n", expected: "a string" }));
        assert_eq!(
            params.unknown(|name| ["q", "limit", "n", "big", "from"].contains(&name)).collect::<Vec<_>>(),
            ["blank", "no"]
        );
    }

    #[test]
    fn errors_distinguish_invalid_json_from_a_body_that_is_not_an_object() {
        assert_eq!(Params::parse(b"[1]").err(), Some(ParamsError::NotAnObject));
        assert_eq!(Params::parse(b"\"a\"").err(), Some(ParamsError::NotAnObject));
        assert_eq!(Params::parse(b"{\"a\":1} x").err(), Some(ParamsError::Syntax { line: 1, column: 9 }));
        assert!(matches!(Params::parse(b"{\"a\":").err(), Some(ParamsError::Syntax { line: 1, .. })));
        let fields = |count: usize| format!("{{{}}}", vec![r#""q":1"#; count].join(","));
        assert!(Params::parse(fields(64).as_bytes()).is_ok());
        assert_eq!(Params::parse(fields(65).as_bytes()).err(), Some(ParamsError::TooManyFields));
        assert_eq!(Params::parse(b" \n").err(), Some(ParamsError::Empty));
        assert!(matches!(Params::parse(b"{\"a\":\"\xff\"}").err(), Some(ParamsError::Syntax { .. })));
    }

    #[test]
    fn the_last_value_of_a_repeated_field_wins() {
        let params = Params::parse(br#"{"q":"a","q":"b"}"#).unwrap();
        assert_eq!(params.text(&text("q")), Ok(Some("b")));
    }
}
