//! Tools: the actions that agents may call, as the protocol describes and calls them.

use std::time::Instant;

use bytes::Bytes;
use serde_json::{Value, json};

use super::super::docs::schema;
use super::era::Era;
use super::jsonrpc::{self, Fault, Given, INVALID_PARAMS, Id};
use super::refusal::Refusal;
use crate::actions::{Action, Param, Params};
use crate::dispatch::{ActionRequest, Credentials, Dispatcher, Input, Surface};
use crate::domain::error::ApiError;
use crate::render::{Buffer, JsonBody};
use crate::request_log;

/// The actions that are tools.
fn tools() -> impl Iterator<Item = &'static Action> {
    Action::all().filter(|action| action.tool)
}

/// The action that the tool `name` runs.
fn named(name: &str) -> Option<&'static Action> {
    tools().find(|action| action.name() == name)
}

/// The names of all tools.
fn names() -> String {
    let names: Vec<&str> = tools().map(Action::name).collect();
    names.join(", ")
}

/// All tools, for `tools/list`.
pub(super) fn list() -> Value {
    tools().map(tool).collect()
}

fn tool(action: &Action) -> Value {
    // agents get this without asking for it, unlike clients of /v1
    let grouping = if action.takes("group") { " A series is listed once." } else { "" };
    json!({
        "name": action.name(),
        "title": action.title,
        "description": format!("{}{grouping}", action.description),
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

/// The parameters of a tool.
fn offered(action: &Action) -> impl Iterator<Item = &'static Param> {
    action.params.iter().copied().filter(|param| !NOT_OFFERED.contains(&param.name))
}

fn input_schema(action: &Action) -> Value {
    let params: Vec<&Param> = offered(action).collect();
    schema::params(&params, |param: &Param| {
        let mut schema = schema::brief_param(param);
        if let Some((_, brief)) = BRIEFLY.iter().find(|(name, _)| *name == param.name) {
            schema["description"] = json!(brief);
        }
        if let Some(default) = param.default {
            schema["description"] = json!(format!("{} Default: {}.", param.description, default.of_agents));
        }
        schema
    })
}

/// The fields of every answer of which agents need not be told before, since every word of the list costs them.
const LEFT_OUT: [&str; 11] = [
    "ok", "today", "plan", "action", "url", "facets", "snapshot", "warnings", "weekday", "coverage", "count",
];

/// Parameters that agents seldom need; the tools accept them all the same.
const NOT_OFFERED: [&str; 4] = ["strict", "group", "fields", "facets"];

/// Parameters whose description is too long for the list, with the one that it has there.
const BRIEFLY: [(&str, &str); 1] = [("within_m", "With near: metres. Default: 5,000.")];

fn output_schema(action: &Action) -> Value {
    schema::brief_answer(action, &LEFT_OUT)
}

/// Calls a tool. Errors in its arguments, or of the caller, are reported in the result, since models read results; only
/// an unknown tool is a fault.
pub(super) async fn call(
    dispatcher: &Dispatcher,
    asker: Result<Credentials<'_>, ApiError>,
    params: jsonrpc::Params<'_>,
    id: Id<'_>,
    era: &Era,
    began: Instant,
) -> Result<Bytes, Fault> {
    let action = named(params.name()?).ok_or_else(|| {
        Fault::new(INVALID_PARAMS, format!("Unknown tool. Send name as one of {}.", names()))
    })?;
    let asked = arguments_for(action, params.arguments).and_then(|params| Ok((params, asker?)));
    let result = match asked {
        Ok((params, asker)) => {
            let mut out = Buffer::new();
            let [open, close] = jsonrpc::RESULT;
            let before = [open, id.as_json(), close, "{\"structuredContent\":"];
            before.iter().for_each(|part| out.extend_from_slice(part.as_bytes()));
            let ask = ActionRequest {
                surface: Surface::Mcp,
                asker,
                input: Input::Call(action.id, params),
                began,
                out,
            };
            let finish = |body: JsonBody| {
                let mut out = body.into_json_and_text(",\"content\":[{\"type\":\"text\",\"text\":\"");
                let after = ["\"}],\"isError\":false", &era.tail, "}}"];
                after.iter().for_each(|part| out.extend_from_slice(part.as_bytes()));
                Bytes::from(out)
            };
            dispatcher.answer(ask, finish).await.result
        }
        Err(Refusal::Protocol(fault)) => return Err(fault),
        Err(Refusal::Action(error)) => {
            dispatcher.counters.count_failed_call(action.id, &error, began);
            Err(error)
        }
    };
    Ok(result.unwrap_or_else(|error| failed(&error, id, era).into()))
}

/// An error as the result of a tool.
fn failed(error: &ApiError, id: Id, era: &Era) -> Vec<u8> {
    request_log::refused(error.details().code);
    let content = json!([{ "type": "text", "text": sentence(error) }]);
    jsonrpc::result(id, &format!("{{\"content\":{content},\"isError\":true{}}}", era.tail))
}

/// The message and the hint of an error.
pub(super) fn sentence(error: &ApiError) -> String {
    let details = error.details();
    match details.hint {
        Some(hint) => format!("{} {hint}", details.message),
        None => details.message.into_owned(),
    }
}

/// The arguments as the parameters of the action. Names that agents use are mapped; unknown ones are an error.
fn arguments_for<'a>(action: &Action, arguments: Given<Params<'a>>) -> Result<Params<'a>, Refusal> {
    let mut params = match arguments {
        Given::Nothing => Params::default(),
        Given::Object(params) => params.within_bounds().map_err(ApiError::from)?,
        Given::Other => return Err(Fault::new(INVALID_PARAMS, "Send arguments as an object.").into()),
    };
    params.rename(|name| action.meant_by(name));
    if params.unknown(|name| action.takes(name)).next().is_some() {
        let unknown = params.ignored(|name| action.takes(name)).map(str::to_owned).collect();
        let known = offered(action).map(|param| param.name).collect();
        return Err(ApiError::UnknownParam { unknown, known }.into());
    }
    Ok(params)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actions::ParamType;

    #[test]
    fn the_list_is_small_and_describes_when_to_use_each_tool() {
        let list = list();
        let text = json!({ "tools": list }).to_string();
        // as ASCII, the longest way to write it; the newer era adds some 200 bytes, and 8,000 is the limit
        let bytes: usize =
            text.chars().map(|char| if char.is_ascii() { 1 } else { 6 * char.len_utf16() }).sum();
        assert!(bytes <= 7_800, "{bytes} bytes");
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
    fn arguments_are_accepted_under_the_names_that_agents_use() {
        let action = named("search_events").unwrap();
        let given = |text: &'static str| serde_json::from_str::<Given<Params>>(text).unwrap();
        let sent = given(r#"{"query":"samba","bairro":"Asa Norte","date_from":"2026-11-21"}"#);
        let params = arguments_for(action, sent).unwrap();
        let text = |name| params.text(&Param::new(name, ParamType::Text { max: None }, ""));
        assert_eq!(text("q"), Ok(Some("samba")));
        assert_eq!(text("neighbourhood"), Ok(Some("Asa Norte")));
        assert_eq!(text("from"), Ok(Some("2026-11-21")));
        let sent = given(r#"{"wat":1}"#);
        let unknown = arguments_for(action, sent);
        assert!(matches!(unknown, Err(Refusal::Action(ApiError::UnknownParam { .. }))));
        assert!(matches!(arguments_for(action, given("[1]")), Err(Refusal::Protocol(_))));
        assert!(arguments_for(action, given("null")).is_ok());
        let many = format!("{{{}}}", vec![r#""q":"a""#; 65].join(","));
        let many = serde_json::from_str(&many).unwrap();
        let many = arguments_for(action, many);
        assert!(matches!(many, Err(Refusal::Action(ApiError::TooManyFields { .. }))));
    }
}
