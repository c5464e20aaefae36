//! The tools: the actions that agents are offered, told as the protocol tells tools, and called with arguments as
//! agents send them. Uses [`super::about`], [`super::jsonrpc`], the schemas of the documents, [`crate::actions`],
//! [`crate::dispatch`], [`crate::domain::error`], [`crate::shape`], [`crate::sheets`] and [`crate::soon`].

use std::time::Instant;

use serde_json::{Value, json};

use super::super::docs::schema::{self, Detail};
use super::about::Era;
use super::jsonrpc::{self, Fault, Given, INVALID_PARAMS, Id};
use crate::actions::{ACTIONS, Action, Param, Params};
use crate::dispatch::{AGENTS_LIMIT, Asker, CLOSING, Dispatcher, OPENING, Paper};
use crate::domain::error::ApiError;
use crate::shape::Field;
use crate::sheets;
use crate::soon::Soon;

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
        "description": action.description,
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
    schema::params(action.params, |param: &Param| {
        let mut told = schema::param(param);
        if param.name == "limit" {
            told["description"] = json!(format!("{} Default: {AGENTS_LIMIT}.", param.description));
        }
        told
    })
}

/// Of the envelope what agents make use of: the rest explains itself, and every word costs.
fn output_schema(action: &Action) -> Value {
    let used = |field: &&Field| ["today", "notice", "attribution"].contains(&field.name);
    schema::object(OPENING.iter().chain(CLOSING).filter(used).chain(action.answers), Detail::Brief)
}

/// Calls the tool in row `row`. What is wrong with its arguments, or with who asks, is told in the result: a model
/// reads results, and no errors.
pub(super) fn call<'a>(
    rooms: &'a Dispatcher,
    asker: Result<Asker, ApiError>,
    row: usize,
    arguments: Given<Params<'a>>,
    id: Id<'a>,
    era: &'a Era,
    began: Instant,
) -> Soon<'a, Result<Vec<u8>, Fault>> {
    let answered = match (arguments_for(row, arguments), asker) {
        (Err(fault), _) => return Soon::now(Err(fault)),
        (Ok(Err(refusal)), _) | (_, Err(refusal)) => {
            rooms.count_refused(row, &refusal, began);
            Soon::now(Err(refusal))
        }
        (Ok(Ok(params)), Ok(asker)) => {
            let mut out = sheets::take();
            jsonrpc::open_result(id, &mut out);
            out.extend_from_slice(b"{\"structuredContent\":");
            let again: &[u8] = b",\"content\":[{\"type\":\"text\",\"text\":\"";
            rooms.call(asker, row, params, Paper { out, again: Some(again) }, began)
        }
    };
    answered.map(move |answered| match answered {
        Ok(mut out) => {
            for part in ["\"}],\"isError\":false", &era.tail, "}}"] {
                out.extend_from_slice(part.as_bytes());
            }
            Ok(out)
        }
        Err(refusal) => Ok(refused(&refusal, id, era)),
    })
}

/// A no as the result of a tool.
fn refused(refusal: &ApiError, id: Id, era: &Era) -> Vec<u8> {
    let content = json!([{ "type": "text", "text": sentence(refusal) }]);
    jsonrpc::result(id, &format!("{{\"content\":{content},\"isError\":true{}}}", era.tail))
}

/// What a no says, and a further step that may help.
pub(super) fn sentence(refusal: &ApiError) -> String {
    let details = refusal.details();
    match details.hint {
        Some(hint) => format!("{} {hint}", details.message),
        None => details.message.into_owned(),
    }
}

/// The arguments as the action's parameters: under any name that agents use, and none that it does not have.
fn arguments_for<'a>(
    row: usize,
    arguments: Given<Params<'a>>,
) -> Result<Result<Params<'a>, ApiError>, Fault> {
    let action = &ACTIONS[row];
    let params = match arguments {
        Given::Nothing => Ok(Params::default()),
        Given::Object(params) => params.within_bounds(),
        Given::Other => return Err(Fault::new(INVALID_PARAMS, "Send arguments as an object.")),
    };
    let mut params = match params {
        Ok(params) => params,
        Err(error) => return Ok(Err(error.into())),
    };
    params.rename(|name| {
        let (_, known) = OTHER_NAMES.iter().find(|(other, known)| *other == name && action.takes(known))?;
        Some(known)
    });
    if params.unknown(|name| action.takes(name)).next().is_some() {
        let known = action.params.iter().map(|param| param.name).collect();
        return Ok(Err(ApiError::UnknownParam { known }));
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
        let given = |text: &'static str| serde_json::from_str::<Given<Params>>(text).unwrap();
        let sent = given(r#"{"query":"samba","bairro":"Asa Norte","date_from":"2026-11-21"}"#);
        let params = arguments_for(row, sent).unwrap().unwrap();
        assert_eq!(params.text("q"), Ok(Some("samba")));
        assert_eq!(params.text("neighbourhood"), Ok(Some("Asa Norte")));
        assert_eq!(params.text("from"), Ok(Some("2026-11-21")));
        let sent = given(r#"{"wat":1}"#);
        assert!(matches!(arguments_for(row, sent).unwrap(), Err(ApiError::UnknownParam { .. })));
        assert!(arguments_for(row, given("[1]")).is_err());
        assert!(arguments_for(row, given("null")).unwrap().is_ok());
        let many = format!("{{{}}}", vec![r#""q":"a""#; 65].join(","));
        let many = serde_json::from_str(&many).unwrap();
        assert!(matches!(arguments_for(row, many).unwrap(), Err(ApiError::TooManyFields { .. })));
    }
}
