//! Resources: the answers of some actions under a URI.

use std::time::Instant;

use serde_json::{Value, json};

use super::era::Era;
use super::jsonrpc::{self, Fault, INTERNAL_ERROR, INVALID_PARAMS, Id};
use super::refusal::Refusal;
use super::tools;
use crate::actions::{self, Params};
use crate::dispatch::{ActionRequest, Credentials, Dispatcher, Input, Surface};
use crate::domain::action::ActionId;
use crate::domain::error::ApiError;
use crate::render::{Buffer, JsonBody};
use crate::request_log;

/// All resources, for `resources/list`.
pub(super) fn list() -> Value {
    json!([
        {
            "uri": "guide://categories",
            "name": "categories",
            "title": "Categories",
            "description": "The categories with their Portuguese and English names and how many event dates and places each has.",
            "mimeType": "application/json",
        },
        {
            "uri": "guide://regions",
            "name": "regions",
            "title": "Regions",
            "description": "The zones and regions with how many event dates and places each has.",
            "mimeType": "application/json",
        },
    ])
}

/// All templates, for `resources/templates/list`.
pub(super) fn templates() -> Value {
    json!([{
        "uriTemplate": "guide://place/{id}",
        "name": "place",
        "title": "Place",
        "description": "One place by its id, with every field the plan sees, and what is around it.",
        "mimeType": "application/json",
    }])
}

/// Reads a resource.
pub(super) async fn read(
    dispatcher: &Dispatcher,
    asker: Result<Credentials<'_>, ApiError>,
    params: &jsonrpc::Params<'_>,
    id: Id<'_>,
    era: &Era,
    began: Instant,
) -> Result<Vec<u8>, Refusal> {
    let uri = params.uri.as_ref().and_then(actions::Value::as_text);
    let uri = uri.ok_or_else(|| Fault::new(INVALID_PARAMS, "Send uri as a string."))?;
    let (action, params) = match uri.strip_prefix("guide://") {
        Some("categories") => (ActionId::ListCategories, Params::default()),
        Some("regions") => (ActionId::ListRegions, Params::default()),
        Some(path) if let Some(place) = path.strip_prefix("place/") => {
            (ActionId::GetPlace, Params::of_form([("id".into(), place.into())]))
        }
        _ => return Err(unknown().into()),
    };
    let asker = asker.inspect_err(|error| dispatcher.counters.count_failed_call(action, error, began))?;
    let ask = ActionRequest {
        surface: Surface::Mcp,
        asker,
        input: Input::Call(action, params),
        began,
        out: Buffer::new(),
    };
    let answer = dispatcher.answer(ask, |body: JsonBody<'_>| body.into_json()).await.result;
    let text = String::from_utf8(answer?.to_vec()).map_err(|_| ApiError::Internal)?;
    let contents = json!([{ "uri": uri, "mimeType": "application/json", "text": text }]);
    let tail = format!("{}{}", era.resource_tail, era.tail);
    Ok(jsonrpc::result(id, &format!("{{\"contents\":{contents}{tail}}}")))
}

fn unknown() -> Fault {
    let known = "guide://categories, guide://regions and guide://place/{id} with the id of a place";
    Fault::new(INVALID_PARAMS, format!("Resource not found. There are {known}."))
}

/// The fault of a request whose action failed.
pub(super) fn fault(error: &ApiError) -> Fault {
    request_log::refused(error.details().code);
    match error {
        ApiError::UnknownRecord { .. } | ApiError::TextTooLong { .. } | ApiError::MissingParam { .. } => {
            unknown()
        }
        error => Fault::new(INTERNAL_ERROR, tools::sentence(error)),
    }
}
