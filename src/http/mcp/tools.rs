//! The tools: the actions that agents are offered, told as the protocol tells tools, and called with arguments as
//! agents send them. Uses [`super::about`], [`super::jsonrpc`], [`crate::actions`], [`crate::dispatch`] and
//! [`crate::refusal`].

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::about::Era;
use super::jsonrpc::{self, Fault, INVALID_PARAMS, Id};
use crate::actions::{ACTIONS, Action, Kind, Param, Params, ParamsError, Type};
use crate::dispatch::{AGENTS_LIMIT, Asker, Paper, Rooms};
use crate::refusal::Refusal;

/// What agents call a parameter that has another name.
const OTHER_NAMES: [(&str, &str); 7] = [
    ("query", "q"),
    ("bairro", "neighbourhood"),
    ("neighborhood", "neighbourhood"),
    ("date_from", "from"),
    ("date_to", "to"),
    ("from_date", "from"),
    ("to_date", "to"),
];

/// The row of the action that a tool is.
pub(super) fn row(name: &str) -> Option<usize> {
    ACTIONS.iter().position(|action| action.tool && action.name == name)
}

/// The names of all tools, as they are told to whoever asks for another.
pub(super) fn names() -> String {
    let names: Vec<&str> = ACTIONS.iter().filter(|action| action.tool).map(|action| action.name).collect();
    names.join(", ")
}

/// All tools, as `tools/list` tells them.
pub(super) fn list() -> Value {
    ACTIONS.iter().filter(|action| action.tool).map(tool).collect()
}

fn tool(action: &Action) -> Value {
    json!({
        "name": action.name,
        "title": action.title,
        "description": action.about,
        "inputSchema": input_schema(action),
        "outputSchema": output_schema(action),
        "annotations": {
            "readOnlyHint": true,
            "destructiveHint": false,
            "idempotentHint": true,
            "openWorldHint": false,
        },
    })
}

fn input_schema(action: &Action) -> Value {
    let properties: Map<String, Value> =
        action.params.iter().map(|param| (param.name.to_owned(), param_schema(param))).collect();
    let required: Vec<&str> =
        action.params.iter().filter(|param| param.required).map(|param| param.name).collect();
    let mut schema = json!({ "type": "object", "properties": properties });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

/// Flat, and of the few words of JSON Schema that every model's maker understands.
fn param_schema(param: &Param) -> Value {
    match param.kind {
        Kind::Text | Kind::Date => json!({ "type": "string", "description": param.about }),
        Kind::Choice(known) => json!({ "type": "string", "enum": known, "description": param.about }),
        Kind::Integer { min, max } => json!({
            "type": "integer",
            "minimum": min,
            "maximum": max,
            "description": format!("{} Default: {AGENTS_LIMIT}.", param.about),
        }),
    }
}

fn output_schema(action: &Action) -> Value {
    let of = |kind: &str| json!({ "type": kind });
    let mut properties = Map::from_iter([
        ("ok".to_owned(), of("boolean")),
        ("today".to_owned(), of("string")),
        ("plan".to_owned(), of("string")),
        ("notice".to_owned(), of("string")),
    ]);
    let mut required = vec!["ok", "today", "plan"];
    for (name, kind) in action.answers {
        let schema = match kind {
            Type::Integer => of("integer"),
            Type::MaybeText => of("string"),
            Type::Places => json!({ "type": "array", "items": record_schema(&PLACE) }),
            Type::Events => json!({ "type": "array", "items": record_schema(&EVENT) }),
            Type::Place => record_schema(&PLACE),
            Type::Event => record_schema(&EVENT),
            Type::List(fields) => {
                json!({ "type": "array", "items": { "type": "object", "description": fields } })
            }
            Type::MaybeObject(about) => json!({ "type": "object", "description": about }),
        };
        properties.insert((*name).to_owned(), schema);
        if !matches!(kind, Type::MaybeText | Type::MaybeObject(_)) {
            required.push(name);
        }
    }
    json!({ "type": "object", "properties": properties, "required": required })
}

/// A kind of record, as a schema tells it: what every record has with its type, and in words what it may have.
struct Fields {
    always: &'static [(&'static str, &'static str)],
    known: &'static str,
}

const PLACE: Fields = Fields {
    always: &[
        ("id", "string"),
        ("name", "string"),
        ("region", "string"),
        ("category", "string"),
        ("mentions", "integer"),
        ("uau", "boolean"),
    ],
    known: "Where known: neighbourhood, style, price, instagram; on paid plans address, description {pt, en}, links. uau: \
            the curator's seal.",
};

const EVENT: Fields = Fields {
    always: &[
        ("id", "string"),
        ("name", "string"),
        ("date", "string"),
        ("region", "string"),
        ("category", "string"),
        ("uau", "boolean"),
    ],
    known: "Where known: end_date, start_time, venue, neighbourhood, price, instagram; on paid plans lineup, address, \
            tickets, links. uau: the curator's seal.",
};

fn record_schema(fields: &Fields) -> Value {
    let properties: Map<String, Value> =
        fields.always.iter().map(|(name, kind)| ((*name).to_owned(), json!({ "type": kind }))).collect();
    let required: Vec<&str> = fields.always.iter().map(|(name, _)| *name).collect();
    json!({ "type": "object", "description": fields.known, "properties": properties, "required": required })
}

/// Calls the tool in row `row`. What is wrong with its arguments, or with who asks, is told in the result: a model
/// reads results, and no errors.
pub(super) async fn call(
    rooms: &Rooms,
    asker: Result<&Asker, Refusal>,
    row: usize,
    arguments: Option<&RawValue>,
    id: Id<'_>,
    era: &Era,
) -> Result<Vec<u8>, Fault> {
    let answered = match (arguments_for(row, arguments)?, asker) {
        (Err(refusal), _) | (_, Err(refusal)) => Err(refusal),
        (Ok(params), Ok(asker)) => {
            // a page of the usual length with its copy: room for all of it at once
            let mut out = Vec::with_capacity(8 * 1024);
            jsonrpc::open_result(id, &mut out);
            out.extend_from_slice(b"{\"structuredContent\":");
            let again: &[u8] = b",\"content\":[{\"type\":\"text\",\"text\":\"";
            rooms.call(asker, row, &params, Paper { out, again: Some(again) }).await
        }
    };
    match answered {
        Ok(mut out) => {
            for part in ["\"}],\"isError\":false", &era.tail, "}}"] {
                out.extend_from_slice(part.as_bytes());
            }
            Ok(out)
        }
        Err(refusal) => Ok(refused(&refusal, id, era)),
    }
}

/// A no as the result of a tool.
fn refused(refusal: &Refusal, id: Id, era: &Era) -> Vec<u8> {
    let content = json!([{ "type": "text", "text": sentence(refusal) }]);
    jsonrpc::result(id, &format!("{{\"content\":{content},\"isError\":true{}}}", era.tail))
}

/// What a no says, and a further step that may help.
pub(super) fn sentence(refusal: &Refusal) -> String {
    let told = refusal.told();
    match told.hint {
        Some(hint) => format!("{} {hint}", told.sentence),
        None => told.sentence.into_owned(),
    }
}

/// The arguments as the action's parameters: under any name that agents use, and none that it does not have.
fn arguments_for(row: usize, arguments: Option<&RawValue>) -> Result<Result<Params<'_>, Refusal>, Fault> {
    let action = &ACTIONS[row];
    let text = arguments.map_or("null", RawValue::get);
    let mut params = match text {
        "null" => Params::default(),
        text => match Params::parse(text.as_bytes()) {
            Ok(params) => params,
            Err(ParamsError::NotAnObject) => {
                return Err(Fault::new(INVALID_PARAMS, "Send arguments as an object."));
            }
            Err(error) => return Ok(Err(error.into())),
        },
    };
    params.rename(|name| {
        let (_, known) = OTHER_NAMES.iter().find(|(other, known)| *other == name && action.takes(known))?;
        Some(known)
    });
    if params.unknown(|name| action.takes(name)).next().is_some() {
        let known = action.params.iter().map(|param| param.name).collect();
        return Ok(Err(Refusal::UnknownParam { known }));
    }
    Ok(Ok(params))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_small_and_says_what_agents_need() {
        let list = list();
        let text = json!({ "tools": list }).to_string();
        // as ASCII, the longest way to write it; the newer era adds some 300 bytes
        let bytes: usize =
            text.chars().map(|char| if char.is_ascii() { 1 } else { 6 * char.len_utf16() }).sum();
        assert!(bytes < 7_600, "{bytes} bytes");
        for tool in list.as_array().unwrap() {
            let about = tool["description"].as_str().unwrap();
            assert!((40..=1_200).contains(&about.chars().count()), "{about}");
            assert!(about.contains("Use for") && about.contains("Not for"), "{about}");
            for (name, schema) in tool["inputSchema"]["properties"].as_object().unwrap() {
                assert!(schema["description"].as_str().is_some_and(|about| about.len() >= 10), "{name}");
            }
        }
    }

    #[test]
    fn arguments_come_under_the_names_that_agents_use() {
        let row = row("search_events").unwrap();
        let raw = |text: &str| RawValue::from_string(text.to_owned()).unwrap();
        let sent = raw(r#"{"query":"samba","bairro":"Asa Norte","date_from":"2026-11-21"}"#);
        let params = arguments_for(row, Some(&sent)).unwrap().unwrap();
        assert_eq!(params.text("q"), Ok(Some("samba")));
        assert_eq!(params.text("neighbourhood"), Ok(Some("Asa Norte")));
        assert_eq!(params.text("from"), Ok(Some("2026-11-21")));
        let sent = raw(r#"{"wat":1}"#);
        assert!(matches!(arguments_for(row, Some(&sent)).unwrap(), Err(Refusal::UnknownParam { .. })));
        assert!(arguments_for(row, Some(&raw("[1]"))).is_err());
        assert!(arguments_for(row, Some(&raw("null"))).unwrap().is_ok());
    }
}
