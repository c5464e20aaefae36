//! The two generations of the protocol: versions that begin with `initialize` (2025-03-26 to 2025-11-25) and the one
//! without a handshake (2026-07-28). Which one a request speaks, and how results are written in each.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hyper::StatusCode;
use hyper::header::{HeaderMap, HeaderName};
use serde_json::{Value as Json, json};

use super::jsonrpc::{self, Fault, Given, HEADER_MISMATCH, INVALID_PARAMS, Meta, UNSUPPORTED_VERSION};
use crate::actions::Value;

const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const MCP_METHOD: HeaderName = HeaderName::from_static("mcp-method");
const MCP_NAME: HeaderName = HeaderName::from_static("mcp-name");

/// The longest requested version that an error repeats.
const MAX_VERSION: usize = 32;

/// The versions that begin with `initialize`, newest first. Clients of the oldest may send batches, which are refused:
/// none is known that does, and without that version those that know no newer one could not talk at all.
pub(super) const LEGACY: [&str; 3] = ["2025-11-25", "2025-06-18", "2025-03-26"];

/// The versions without a handshake.
pub(super) const MODERN: [&str; 1] = ["2026-07-28"];

/// How the results of one generation of the protocol are written.
pub(super) struct Era {
    /// The last fields of every result, with a comma in front.
    pub(super) tail: String,
    /// The fields before them in the result of `resources/read`.
    pub(super) resource_tail: String,
    /// Results of methods that are the same for everybody.
    lists: Vec<(&'static str, String)>,
}

impl Era {
    /// Renders the results of `lists`.
    pub(super) fn new(
        tail: String,
        list_tail: &str,
        resource_tail: String,
        lists: &[(&'static str, Json)],
    ) -> Era {
        let whole = |value: &Json| {
            let text = value.to_string();
            let open = text.strip_suffix('}').unwrap_or(&text);
            format!("{open}{list_tail}{tail}}}")
        };
        let lists = lists.iter().map(|(method, value)| (*method, whole(value))).collect();
        Era { tail, resource_tail, lists }
    }

    /// Adds the rendered results of another era.
    pub(super) fn extend(&mut self, other: Era) {
        self.lists.extend(other.lists);
    }

    /// The result of a method that is the same for everybody.
    pub(super) fn list(&self, method: &str) -> Option<&str> {
        self.lists.iter().find(|(known, _)| *known == method).map(|(_, result)| result.as_str())
    }
}

/// Whether a request speaks a version without a handshake. An error when it breaks the rules of its version.
pub(super) fn is_modern(
    headers: &HeaderMap,
    request: &jsonrpc::Request,
) -> Result<bool, (StatusCode, Fault)> {
    let bad = |fault| Err((StatusCode::BAD_REQUEST, fault));
    let wrong = |message: &'static str| bad(Fault::new(INVALID_PARAMS, message));
    let mismatch = |message: &'static str| bad(Fault::new(HEADER_MISMATCH, message));
    let header = headers.get(PROTOCOL_VERSION).map(|value| value.as_bytes().trim_ascii());
    let nothing = Meta::default();
    let meta = match &request.params.meta {
        Given::Nothing => &nothing,
        Given::Object(meta) => meta,
        Given::Other => return wrong("Send _meta as an object."),
    };
    let header_is_modern = header.is_some_and(|header| MODERN.iter().any(|known| known.as_bytes() == header));
    let modern = meta.version.is_some()
        || request.method == "server/discover"
        || (header_is_modern && request.method != "initialize");
    if !modern {
        let served = |header: &[u8]| LEGACY.iter().any(|known| known.as_bytes() == header);
        return match header {
            Some(header) if !served(header) && request.method != "initialize" => bad(unsupported(
                &[MODERN.as_slice(), &LEGACY].concat(),
                std::str::from_utf8(header).unwrap_or_default(),
            )),
            _ => Ok(false),
        };
    }
    let Some(version) = meta.version.as_ref().and_then(Value::as_text) else {
        return wrong("Send io.modelcontextprotocol/protocolVersion in params._meta, as a string.");
    };
    if !matches!(meta.capabilities, Given::Object(_)) {
        return wrong("Send io.modelcontextprotocol/clientCapabilities in params._meta, as an object.");
    }
    if header != Some(version.as_bytes()) {
        return mismatch("Send the header MCP-Protocol-Version, equal to the version in params._meta.");
    }
    if !MODERN.contains(&version) {
        return bad(unsupported(&MODERN, version));
    }
    if !equals(headers, MCP_METHOD, &request.method) {
        return mismatch("Send the header Mcp-Method, equal to the method.");
    }
    let name = match &*request.method {
        "tools/call" | "prompts/get" => &request.params.name,
        "resources/read" => &request.params.uri,
        _ => &None,
    };
    match name.as_ref().and_then(Value::as_text) {
        Some(name) if !equals(headers, MCP_NAME, name) => {
            mismatch("Send the header Mcp-Name, equal to the name or uri in params.")
        }
        _ => Ok(true),
    }
}

/// The error for a version that is not served. The protocol demands the requested version in it, which is repeated if
/// it looks like a version.
fn unsupported(served: &[&str], requested: &str) -> Fault {
    let is_plausible = requested.len() <= MAX_VERSION
        && requested.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-".contains(&byte));
    let mut data = json!({ "supported": served });
    if is_plausible {
        data["requested"] = json!(requested);
    }
    Fault {
        code: UNSUPPORTED_VERSION,
        message: "Unsupported protocol version: use one of data.supported.".into(),
        data: Some(data),
    }
}

/// Whether a header occurs once and equals `expected`, as it is or in the form `=?base64?...?=`.
fn equals(headers: &HeaderMap, name: HeaderName, expected: &str) -> bool {
    let mut values = headers.get_all(name).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return false };
    let value = value.as_bytes().trim_ascii();
    match value.strip_prefix(b"=?base64?").and_then(|rest| rest.strip_suffix(b"?=")) {
        Some(coded) => STANDARD.decode(coded).is_ok_and(|decoded| decoded == expected.as_bytes()),
        None => value == expected.as_bytes(),
    }
}
