//! Warnings about the texts and keys of a file, whatever they are about.

use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use crate::defect::Defect;
use crate::encoding::unscrambled;
use crate::file::File;
use crate::text::quoted;
use crate::warning::{Cause, Warnings};

/// Looks through every text and every key of a file.
pub(crate) fn scan(found: &mut Warnings, file: File, text: &str) {
    // a file that is no JSON is a defect
    match serde_json::from_str::<Json>(text) {
        Ok(Json::List(entries)) => {
            for (index, entry) in entries.iter().enumerate() {
                scan_entry(found, file, index, entry);
            }
        }
        Ok(Json::Object(fields)) => {
            repeated_keys(found, (file, None), "", &fields);
            for (name, value) in &fields {
                match value {
                    Json::List(entries) if entries.iter().all(|entry| matches!(entry, Json::Object(_))) => {
                        for (index, entry) in entries.iter().enumerate() {
                            scan_entry(found, file, index, entry);
                        }
                    }
                    value => scan_value(found, (file, None), name, value),
                }
            }
        }
        _ => {}
    }
}

fn scan_entry(found: &mut Warnings, file: File, index: usize, entry: &Json) {
    let fallback = format!("#{}", index + 1);
    let id = match entry {
        Json::Object(fields) => {
            let names = ["id", "slug", "code", "area", "address", "name", "term", "text"];
            names.into_iter().find_map(|wanted| match fields.iter().find(|(name, _)| name == wanted) {
                Some((_, Json::Text(id))) => Some(id.as_str()),
                _ => None,
            })
        }
        _ => None,
    };
    scan_value(found, (file, Some(id.unwrap_or(&fallback))), "", entry);
}

/// The file, and the entry in it.
type At<'r> = (File, Option<&'r str>);

fn scan_value(found: &mut Warnings, at: At<'_>, path: &str, value: &Json) {
    match value {
        Json::Object(fields) => {
            repeated_keys(found, at, path, fields);
            let dot = if path.is_empty() { "" } else { "." };
            for (name, value) in fields {
                scan_value(found, at, &format!("{path}{dot}{name}"), value);
            }
        }
        Json::List(items) => {
            for (position, item) in items.iter().enumerate() {
                scan_value(found, at, &format!("{path}[{position}]"), item);
            }
        }
        Json::Text(text) => {
            if text.contains("  ") {
                let what = || format!("{} has two spaces in a row", quoted(text));
                found.add(Cause::DoubleSpace, || located(at, path, what(), "leave one of them"));
            }
            if let Some(meant) = unscrambled(text) {
                let what = || format!("{} looks wrongly decoded", quoted(text));
                found.add(Cause::Mojibake, || {
                    located(
                        at,
                        path,
                        what(),
                        format!("did you mean {}? Save the source as UTF-8", quoted(&meant)),
                    )
                });
            }
        }
        Json::Other => {}
    }
}

fn repeated_keys(found: &mut Warnings, at: At<'_>, path: &str, fields: &[(String, Json)]) {
    let mut seen = HashSet::new();
    for (name, _) in fields.iter().filter(|(name, _)| !seen.insert(name.as_str())) {
        let dot = if path.is_empty() { "" } else { "." };
        found.add(Cause::RepeatedKey, || {
            let what = "stands twice in the same object, and the last one counts".to_owned();
            located(at, &format!("{path}{dot}{name}"), what, "remove one of them")
        });
    }
}

fn located((file, id): At<'_>, field: &str, what: String, fix: impl Into<String>) -> Defect {
    let field = Some(field.to_owned()).filter(|field| !field.is_empty());
    Defect { file, id: id.map(str::to_owned), field, what, fix: fix.into() }
}

/// JSON with the keys of objects as they stand, repeated ones too.
enum Json {
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
    Other,
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(JsonVisitor)
    }
}

struct JsonVisitor;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(Json::Text(text.to_owned()))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Json, E> {
        Ok(Json::Other)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Json, E> {
        Ok(Json::Other)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Json, E> {
        Ok(Json::Other)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Json, E> {
        Ok(Json::Other)
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Json, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        Ok(Json::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Json, A::Error> {
        let mut fields = Vec::new();
        while let Some(field) = object.next_entry()? {
            fields.push(field);
        }
        Ok(Json::Object(fields))
    }
}
