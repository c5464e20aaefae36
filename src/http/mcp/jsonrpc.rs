//! JSON-RPC 2.0 as the protocol uses it: a message read without a tree and without copying what is not looked at, and
//! the envelopes of results and errors. What is sent back of a message is its id and nothing else. Uses
//! [`crate::actions`] (their parameters) and [`crate::plain`].

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::json;
use serde_json::value::RawValue;

use crate::actions::{self, Value};
use crate::plain::Plain;

/// The JSON is no JSON.
pub(super) const PARSE_ERROR: i32 = -32700;
/// The JSON is no request.
pub(super) const INVALID_REQUEST: i32 = -32600;
/// There is no such method.
pub(super) const METHOD_NOT_FOUND: i32 = -32601;
/// The method takes no such parameters.
pub(super) const INVALID_PARAMS: i32 = -32602;
/// A fault of ours, or a no that is not about the request.
pub(super) const INTERNAL_ERROR: i32 = -32603;
/// The headers say something else than the body.
pub(super) const HEADER_MISMATCH: i32 = -32020;
/// The version of the protocol is not served.
pub(super) const UNSUPPORTED_VERSION: i32 = -32022;

/// A message, as far as it was looked at.
pub(super) enum Message<'a> {
    /// A request, which must be answered.
    Request(Request<'a>),
    /// A notification, or an answer to something that was never asked: to be taken and forgotten.
    Notice,
}

/// A request.
#[derive(Debug)]
pub(super) struct Request<'a> {
    /// Its id, as it came: a string or a whole number in JSON.
    pub(super) id: Id<'a>,
    /// What is asked.
    pub(super) method: Cow<'a, str>,
    /// Its parameters.
    pub(super) params: Box<Params<'a>>,
}

/// The parameters of a request, as far as any method has them. What is `null` is as if absent.
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

/// What a request of the newer era says of itself.
#[derive(Debug, serde::Deserialize, Default)]
pub(super) struct Meta<'a> {
    /// A request that has it is of the newer era, whatever it is.
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

/// What came where an object should: read in the same pass as what it is part of.
#[derive(Debug, Default)]
pub(super) enum Given<T> {
    /// Nothing, or `null`.
    #[default]
    Nothing,
    /// The object.
    Object(T),
    /// Something that is none.
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

/// The id of a request as JSON text, or `null` where there is none to be known.
#[derive(Debug, Clone, Copy)]
pub(super) struct Id<'a>(&'a str);

impl<'a> Id<'a> {
    /// Of a message that has none that can be known.
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

/// An error, as JSON-RPC tells it.
#[derive(Debug)]
pub(super) struct Fault {
    /// What kind it is.
    pub(super) code: i32,
    /// What to fix.
    pub(super) message: Cow<'static, str>,
    /// More, for programs.
    pub(super) data: Option<serde_json::Value>,
}

impl Fault {
    /// An error without data.
    pub(super) fn new(code: i32, message: impl Into<Cow<'static, str>>) -> Fault {
        Fault { code, message: message.into(), data: None }
    }
}

/// The fields of a message; absent and `null` are told apart.
#[derive(serde::Deserialize)]
struct Fields<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    jsonrpc: Option<Value<'a>>,
    /// As it came: it is told back to the letter.
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    method: Option<Value<'a>>,
    /// Large, and so not carried about.
    #[serde(borrow, default)]
    params: Given<Box<Params<'a>>>,
    #[serde(default, deserialize_with = "present")]
    result: Option<IgnoredAny>,
    #[serde(default, deserialize_with = "present")]
    error: Option<IgnoredAny>,
}

/// A field that is there, whatever it is.
fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}

/// Reads a message. The error comes with the id, when that can be known.
pub(super) fn read(body: &[u8]) -> Result<Message<'_>, (Id<'_>, Fault)> {
    // looked through once: of bytes, each text in them would be
    let Ok(body) = std::str::from_utf8(body) else {
        return Err((Id::UNKNOWN, Fault::new(PARSE_ERROR, "Send valid JSON: this is no UTF-8.")));
    };
    match Plain::read(body, call) {
        Some(call) => Ok(Message::Request(call)),
        None => read_any(body),
    }
}

fn read_any(body: &str) -> Result<Message<'_>, (Id<'_>, Fault)> {
    let fields: Fields = serde_json::from_str(body).map_err(|error| {
        let fault = match error.classify() {
            serde_json::error::Category::Data => {
                Fault::new(INVALID_REQUEST, "Send one JSON-RPC 2.0 object; batches are not served.")
            }
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
            Some(_) => Ok(Message::Notice),
            None => Err(wrong("Send a method.")),
        };
    };
    let Value::Text(method) = method else { return Err(wrong("Send method as a string.")) };
    let id = match id {
        None => return Ok(Message::Notice),
        Some(None) => return Err(wrong("Send id as a string or a whole number.")),
        Some(Some(id)) => id,
    };
    let params = match fields.params {
        Given::Nothing => Box::default(),
        Given::Object(params) => params,
        Given::Other => return Err((id, Fault::new(INVALID_PARAMS, "Send params as an object."))),
    };
    Ok(Message::Request(Request { id, method, params }))
}

/// Reads the call of a tool that is plainly written: nearly all that ever comes.
fn call<'a>(plain: &mut Plain<'a>) -> Option<Request<'a>> {
    let (mut version, mut id, mut method, mut params) = (None, None, None, None);
    plain.object(|plain, name| match name {
        "jsonrpc" => once(&mut version, plain.text()),
        "id" => once(&mut id, plain.written()),
        "method" => once(&mut method, plain.text()),
        "params" => once(&mut params, call_params(plain)),
        _ => None,
    })?;
    let (id, method, params) = (Id(id?), Cow::Borrowed(method?), params?);
    (version? == "2.0").then_some(Request { id, method, params })
}

fn call_params<'a>(plain: &mut Plain<'a>) -> Option<Box<Params<'a>>> {
    let mut params = Box::<Params>::default();
    let (mut arguments, mut meta) = (None, None);
    plain.object(|plain, name| match name {
        "name" => once(&mut params.name, Value::plain(plain)),
        "arguments" => once(&mut arguments, actions::Params::plain(plain)),
        "_meta" => once(&mut meta, call_meta(plain)),
        _ => None,
    })?;
    params.arguments = arguments.map_or(Given::Nothing, Given::Object);
    params.meta = meta.map_or(Given::Nothing, Given::Object);
    Some(params)
}

fn call_meta<'a>(plain: &mut Plain<'a>) -> Option<Meta<'a>> {
    let (mut version, mut capabilities) = (None, None);
    plain.object(|plain, name| match name {
        "io.modelcontextprotocol/protocolVersion" => once(&mut version, Value::plain(plain)),
        "io.modelcontextprotocol/clientCapabilities" => {
            once(&mut capabilities, plain.object(|plain, _| plain.skip()))
        }
        _ => plain.skip(),
    })?;
    let capabilities = capabilities.map_or(Given::Nothing, |()| Given::Object(IgnoredAny));
    Some(Meta { version, capabilities })
}

/// Notes a field that was read and has not come before.
fn once<T>(field: &mut Option<T>, read: Option<T>) -> Option<()> {
    match field {
        None => {
            *field = Some(read?);
            Some(())
        }
        Some(_) => None,
    }
}

/// Begins the envelope of a result, up to the value, in `out`.
pub(super) fn open_result(id: Id, out: &mut Vec<u8>) {
    for part in ["{\"jsonrpc\":\"2.0\",\"id\":", id.as_json(), ",\"result\":"] {
        out.extend_from_slice(part.as_bytes());
    }
}

/// The envelope of a result that is ready.
pub(super) fn result(id: Id, value: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(value.len() + id.as_json().len() + 40);
    open_result(id, &mut out);
    out.extend_from_slice(value.as_bytes());
    out.push(b'}');
    out
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
    use proptest::prelude::*;

    use super::*;

    fn fault(body: &str) -> (String, i32) {
        match read(body.as_bytes()) {
            Ok(_) => panic!("{body} is read"),
            Err((id, fault)) => (id.as_json().to_owned(), fault.code),
        }
    }

    #[test]
    fn a_request_is_read_with_its_id_as_it_came() {
        for id in ["1", "-7", "\"a\\\"b\"", "9007199254740993", "\"\""] {
            let body = format!(
                r#"{{"jsonrpc":"2.0","id":{id},"method":"tools\/call","params":{{"name":[1],"a":1}}}}"#
            );
            let Ok(Message::Request(request)) = read(body.as_bytes()) else { panic!("{body}") };
            assert_eq!(request.id.as_json(), id);
            assert_eq!(request.method, "tools/call");
            assert_eq!(request.params.name, Some(Value::Other));
        }
    }

    #[test]
    fn what_is_no_request_is_told_from_what_is_no_json() {
        let null = || "null".to_owned();
        assert_eq!(fault("{"), (null(), PARSE_ERROR));
        assert_eq!(fault(""), (null(), PARSE_ERROR));
        assert_eq!(fault("{} x"), (null(), PARSE_ERROR));
        assert!(matches!(read(b"{\"a\":\"\xff\"}"), Err((_, Fault { code: PARSE_ERROR, .. }))));
        assert_eq!(fault("[]"), (null(), INVALID_REQUEST));
        assert_eq!(fault(r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#), (null(), INVALID_REQUEST));
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

    /// A field of a message, as clients write it and as nobody should; some leave it out, some send it twice.
    fn field(name: &'static str, values: &[&'static str]) -> impl Strategy<Value = String> {
        let field = |value: &&str| format!("\"{name}\": {value},");
        let mut fields: Vec<String> = values.iter().map(field).collect();
        let plain = fields[0].clone();
        fields.extend([String::new(), plain.repeat(2)]);
        let odd = prop::sample::select(fields);
        prop_oneof![4 => Just(plain), 1 => odd]
    }

    fn object(fields: &[String]) -> String {
        format!("{{{}}}", fields.concat().trim_end_matches(','))
    }

    proptest! {
        #[test]
        fn a_call_that_is_plainly_written_is_read_as_any_other(
            jsonrpc in field("jsonrpc", &["\"2.0\"", "\"1.0\"", "2", "\"2\\u002e0\""]),
            id in field("id", &["7", "\"a b\"", "-0", "01", "1.0", "null", "[]", "9007199254740993", "\"\\\"\""]),
            method in field("method", &["\"tools/call\"", "\"tools\\/call\"", "1", "\"ping\""]),
            name in field("name", &["\"search_events\"", "3", "null", "{}", "\"\""]),
            q in field("q", &["\"forró\"", "\"a\\tb\"", "12", "99999999999999999999", "1.5", "null", "true", "{}"]),
            limit in field("limit", &["5", "\"5\"", "-5", "5e0", "[5]"]),
            version in field("io.modelcontextprotocol/protocolVersion", &["\"2026-07-28\"", "1", "null"]),
            capabilities in field(
                "io.modelcontextprotocol/clientCapabilities",
                &["{\"roots\":{\"listChanged\":true}}", "{}", "[]", "null", "1"],
            ),
            other in field("progressToken", &["1", "\"x\"", "[[]]", "{\"a\":1.5}", "tru"]),
            arguments in field("arguments", &["{}", "null", "[]", "1"]),
            more in field("cursor", &["\"c\"", "null"]),
            kept in prop::collection::vec(prop::bool::weighted(0.9), 3),
        ) {
            let arguments = match kept[0] {
                true => format!("\"arguments\":{},", object(&[q, limit])),
                false => arguments,
            };
            let meta = format!("\"_meta\":{},", object(&[version, other, capabilities]));
            let params = object(&[name, arguments, meta, if kept[1] { String::new() } else { more.clone() }]);
            let params = format!("\"params\":{params},");
            let body = object(&[jsonrpc, id, method, params, if kept[2] { String::new() } else { more }]);
            if let Some(call) = Plain::read(&body, call) {
                let Ok(Message::Request(request)) = read_any(&body) else { panic!("{body}") };
                prop_assert_eq!(format!("{call:?}"), format!("{request:?}"), "{}", body);
            }
        }
    }

    #[test]
    fn what_clients_send_is_plainly_written() {
        for body in [
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_events","arguments":{"q":"forró"}}}"#,
            r#"{"method":"tools/call","params":{"name":"list_regions","arguments":{},"_meta":{"progressToken":0}},"jsonrpc":"2.0","id":"a-1"}"#,
            r#"{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "get_place", "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": {"name": "a", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": {"roots": {"listChanged": true}}}}}"#,
        ] {
            assert!(Plain::read(body, call).is_some(), "{body}");
        }
    }

    #[test]
    fn notices_and_answers_are_taken() {
        for body in [
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}"#,
        ] {
            assert!(matches!(read(body.as_bytes()), Ok(Message::Notice)), "{body}");
        }
    }
}
