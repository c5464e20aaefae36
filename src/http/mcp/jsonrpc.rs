//! JSON-RPC 2.0: messages, read without building a tree, and the envelopes of results and errors.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::json;
use serde_json::value::RawValue;

use crate::actions::{self, Value};

/// The body is not JSON.
pub(super) const PARSE_ERROR: i32 = -32700;
/// The JSON is not a request.
pub(super) const INVALID_REQUEST: i32 = -32600;
/// The method does not exist.
pub(super) const METHOD_NOT_FOUND: i32 = -32601;
/// The parameters are wrong.
pub(super) const INVALID_PARAMS: i32 = -32602;
/// The service failed, or refused for a reason outside the request.
pub(super) const INTERNAL_ERROR: i32 = -32603;
/// Headers and body contradict each other.
pub(super) const HEADER_MISMATCH: i32 = -32020;
/// The version of the protocol is not supported.
pub(super) const UNSUPPORTED_VERSION: i32 = -32022;

/// A message.
pub(super) enum RpcMessage<'a> {
    /// A request, which gets an answer.
    Request(Request<'a>),
    /// A notification, or a response although nothing was requested: accepted and ignored.
    Notification,
}

/// A request.
#[derive(Debug)]
pub(super) struct Request<'a> {
    /// Its id: a string or a whole number, as JSON.
    pub(super) id: Id<'a>,
    /// The method.
    pub(super) method: Cow<'a, str>,
    /// Its parameters.
    pub(super) params: Box<Params<'a>>,
}

/// The parameters of all methods. `null` counts as absent.
#[derive(Debug, serde::Deserialize, Default)]
pub(super) struct Params<'a> {
    #[serde(borrow, default)]
    pub(super) name: Option<Value<'a>>,
    #[serde(borrow, default)]
    pub(super) uri: Option<Value<'a>>,
    #[serde(borrow, default)]
    pub(super) arguments: Given<actions::Params<'a>>,
    #[serde(borrow, default)]
    pub(super) argument: Given<actions::Params<'a>>,
    #[serde(borrow, default)]
    pub(super) cursor: Option<Value<'a>>,
    #[serde(borrow, default, rename = "protocolVersion")]
    pub(super) protocol_version: Option<Value<'a>>,
    #[serde(borrow, default, rename = "_meta")]
    pub(super) meta: Given<Meta<'a>>,
}

impl<'a> Params<'a> {
    /// The name of a tool or a prompt.
    pub(super) fn name(&self) -> Result<&str, Fault> {
        let name = self.name.as_ref().and_then(Value::as_text);
        name.ok_or_else(|| Fault::new(INVALID_PARAMS, "Send name as a string."))
    }
}

/// The `_meta` of a request without a handshake.
#[derive(Debug, serde::Deserialize, Default)]
pub(super) struct Meta<'a> {
    /// Its presence marks a request without a handshake.
    #[serde(
        borrow,
        default,
        deserialize_with = "present",
        rename = "io.modelcontextprotocol/protocolVersion"
    )]
    pub(super) version: Option<Value<'a>>,
    #[serde(default, rename = "io.modelcontextprotocol/clientCapabilities")]
    pub(super) capabilities: Given<IgnoredAny>,
}

/// A value that should be an object.
#[derive(Debug, Default)]
pub(super) enum Given<T> {
    /// Absent, or `null`.
    #[default]
    Nothing,
    /// An object.
    Object(T),
    /// Another value.
    Other,
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Given<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(GivenVisitor(PhantomData))
    }
}

struct GivenVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for GivenVisitor<T> {
    type Value = Given<T>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Given<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(Given::Object)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Given<T>, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Given::Other)
    }

    fn visit_unit<E>(self) -> Result<Given<T>, E> {
        Ok(Given::Nothing)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Given<T>, E> {
        Ok(Given::Other)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Given<T>, E> {
        Ok(Given::Other)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Given<T>, E> {
        Ok(Given::Other)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Given<T>, E> {
        Ok(Given::Other)
    }

    fn visit_str<E>(self, _: &str) -> Result<Given<T>, E> {
        Ok(Given::Other)
    }
}

/// The id of a request as JSON, or `null` if it is unknown.
#[derive(Debug, Clone, Copy)]
pub(super) struct Id<'a>(&'a str);

impl<'a> Id<'a> {
    /// The id of a message whose id is unknown.
    pub(super) const UNKNOWN: Id<'static> = Id("null");

    fn read(raw: &'a RawValue) -> Option<Id<'a>> {
        let text = raw.get();
        let digits = text.strip_prefix('-').unwrap_or(text);
        let whole = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        (whole || text.starts_with('"')).then_some(Id(text))
    }

    /// The id as JSON.
    pub(super) fn as_json(self) -> &'a str {
        self.0
    }
}

/// An error of JSON-RPC.
#[derive(Debug)]
pub(super) struct Fault {
    /// Its code.
    pub(super) code: i32,
    /// What to fix.
    pub(super) message: Cow<'static, str>,
    /// Details for programs.
    pub(super) data: Option<serde_json::Value>,
}

impl Fault {
    /// An error without data.
    pub(super) fn new(code: i32, message: impl Into<Cow<'static, str>>) -> Fault {
        Fault { code, message: message.into(), data: None }
    }
}

/// The fields of a message. Absent and `null` differ.
#[derive(serde::Deserialize)]
struct Fields<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    jsonrpc: Option<Value<'a>>,
    /// Returned exactly as it was sent.
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    method: Option<Value<'a>>,
    /// Boxed because it is large.
    #[serde(borrow, default)]
    params: Given<Box<Params<'a>>>,
    #[serde(default, deserialize_with = "present")]
    result: Option<IgnoredAny>,
    #[serde(default, deserialize_with = "present")]
    error: Option<IgnoredAny>,
}

/// Reads a field that is present, even if it is `null`.
fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}

/// Reads a message. The error comes with the id of the message, if it is known.
pub(super) fn read(body: &[u8]) -> Result<RpcMessage<'_>, (Id<'_>, Fault)> {
    // Reading from `&str` spares a UTF-8 check of each string.
    let Ok(body) = std::str::from_utf8(body) else {
        return Err((Id::UNKNOWN, Fault::new(PARSE_ERROR, "Send valid JSON: this is not UTF-8.")));
    };
    let no_object = || Fault::new(INVALID_REQUEST, "Send one JSON-RPC 2.0 object; batches are not served.");
    // a list would be read as the values of the fields in their order
    if body.trim_start().starts_with('[') && serde_json::from_str::<IgnoredAny>(body).is_ok() {
        return Err((Id::UNKNOWN, no_object()));
    }
    let fields: Fields = serde_json::from_str(body).map_err(|error| {
        let fault = match error.classify() {
            serde_json::error::Category::Data => no_object(),
            _ => Fault::new(
                PARSE_ERROR,
                format!(
                    "Send valid JSON: see line {}, column {}.",
                    error.line().max(1),
                    error.column().max(1)
                ),
            ),
        };
        (Id::UNKNOWN, fault)
    })?;
    let id = fields.id.map(Id::read);
    let wrong =
        |message: &'static str| (id.flatten().unwrap_or(Id::UNKNOWN), Fault::new(INVALID_REQUEST, message));
    if fields.jsonrpc.as_ref().and_then(Value::as_text) != Some("2.0") {
        return Err(wrong("Send jsonrpc as \"2.0\"."));
    }
    let Some(method) = fields.method else {
        return match fields.result.or(fields.error) {
            Some(_) => Ok(RpcMessage::Notification),
            None => Err(wrong("Send a method.")),
        };
    };
    let Value::Text(method) = method else { return Err(wrong("Send method as a string.")) };
    let id = match id {
        None => return Ok(RpcMessage::Notification),
        Some(None) => return Err(wrong("Send id as a string or a whole number.")),
        Some(Some(id)) => id,
    };
    let params = match fields.params {
        Given::Nothing => Box::default(),
        Given::Object(params) => params,
        Given::Other => return Err((id, Fault::new(INVALID_PARAMS, "Send params as an object."))),
    };
    Ok(RpcMessage::Request(Request { id, method, params }))
}

/// The envelope of a result, before and after its id.
pub(super) const RESULT: [&str; 2] = ["{\"jsonrpc\":\"2.0\",\"id\":", ",\"result\":"];

/// The message with a result.
pub(super) fn result(id: Id, value: &str) -> Vec<u8> {
    let [open, close] = RESULT;
    [open, id.as_json(), close, value, "}"].concat().into_bytes()
}

/// The envelope of an error.
pub(super) fn error(id: Id, fault: &Fault) -> Vec<u8> {
    let mut error = json!({ "code": fault.code, "message": fault.message });
    if let Some(data) = &fault.data {
        error["data"] = data.clone();
    }
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"error\":{error}}}", id.as_json()).into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(body: &str) -> (String, i32) {
        match read(body.as_bytes()) {
            Ok(_) => panic!("{body} is read"),
            Err((id, fault)) => (id.as_json().to_owned(), fault.code),
        }
    }

    #[test]
    fn a_request_keeps_its_id_as_sent() {
        for id in ["1", "-7", "\"a\\\"b\"", "9007199254740993", "\"\""] {
            let body = format!(
                r#"{{"jsonrpc":"2.0","id":{id},"method":"tools\/call","params":{{"name":[1],"a":1}}}}"#
            );
            let Ok(RpcMessage::Request(request)) = read(body.as_bytes()) else { panic!("{body}") };
            assert_eq!(request.id.as_json(), id);
            assert_eq!(request.method, "tools/call");
            assert_eq!(request.params.name, Some(Value::Other));
        }
    }

    #[test]
    fn errors_distinguish_invalid_json_from_invalid_requests() {
        let null = || "null".to_owned();
        assert_eq!(fault("{"), (null(), PARSE_ERROR));
        assert_eq!(fault(""), (null(), PARSE_ERROR));
        assert_eq!(fault("{} x"), (null(), PARSE_ERROR));
        assert!(matches!(read(b"{\"a\":\"\xff\"}"), Err((_, Fault { code: PARSE_ERROR, .. }))));
        assert_eq!(fault("[]"), (null(), INVALID_REQUEST));
        assert_eq!(fault(r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#), (null(), INVALID_REQUEST));
        assert_eq!(fault(r#"["2.0",9,"ping",{}]"#), (null(), INVALID_REQUEST));
        assert_eq!(fault("7"), (null(), INVALID_REQUEST));
        assert_eq!(fault("{}"), (null(), INVALID_REQUEST));
        assert_eq!(fault(r#"{"jsonrpc":"1.0","id":4,"method":"ping"}"#), ("4".to_owned(), INVALID_REQUEST));
        assert_eq!(fault(r#"{"jsonrpc":"2.0","id":"x","method":1}"#), ("\"x\"".to_owned(), INVALID_REQUEST));
        assert_eq!(fault(r#"{"jsonrpc":"2.0","id":"x"}"#), ("\"x\"".to_owned(), INVALID_REQUEST));
        for id in ["null", "1.5", "1e3", "true", "[1]", "{}"] {
            let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
            assert_eq!(fault(&body), (null(), INVALID_REQUEST));
        }
        for params in ["[1]", "1", "-1.5", "\"x\"", "true"] {
            let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{params}}}"#);
            assert_eq!(fault(&body), ("1".to_owned(), INVALID_PARAMS));
        }
    }

    #[test]
    fn notifications_and_responses_are_accepted() {
        for body in [
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}"#,
        ] {
            assert!(matches!(read(body.as_bytes()), Ok(RpcMessage::Notification)), "{body}");
        }
    }
}
