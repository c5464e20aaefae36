//! The OpenAPI document: the endpoints, their schemas, their refusals and what was really answered, put into the form
//! of OpenAPI 3.1. Uses [`super::endpoints`], [`super::schema`] and the tables they are made of.

use std::collections::BTreeMap;

use hyper::StatusCode;
use serde_json::{Map, Value, json};

use super::super::billing;
use super::endpoints::{ENDPOINTS, Endpoint, Gives, Key, Room, Takes, refused_to_agents};
use super::schema::{self, Detail};
use crate::actions::{ACTIONS, Action};
use crate::billing::service::MAX_IDEMPOTENCY_KEY;
use crate::config::{Config, Payments};
use crate::dispatch::{CLOSING, DEFAULT_LIMIT, OPENING};
use crate::domain::error::{ApiError, ErrorDetails};
use crate::quota::gate::{PREVIEW_DAYS, PREVIEW_RESULTS};
use crate::shape::Field;

/// What the demo really answered, kept by a test. Addresses and names of the service are left open in it.
const EXAMPLES: &str = include_str!("examples.json");

/// The name of a request, in examples.
const REQUEST_ID: &str = "9d0c4e1f-0000000042";

/// The OpenAPI document of the service.
pub fn openapi(config: &Config) -> Value {
    let mut components = Components::default();
    let mut paths = Map::new();
    let examples = examples(config);
    for endpoint in ENDPOINTS {
        let operation = operation(endpoint, &examples, &mut components);
        paths.insert(endpoint.path.to_owned(), json!({ (endpoint.method): operation }));
    }
    let name = &config.service_name;
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": format!("{name}: guide to Brasília"),
            "version": env!("CARGO_PKG_VERSION"),
            "summary": "A hand-curated guide to events, shows and places in Brasília and the Federal District, Brazil.",
            "description": about(config),
            "contact": { "name": name, "url": config.service_site.as_str() },
            "license": { "name": "MIT", "identifier": "MIT" },
        },
        "servers": [{ "url": config.base_url.as_str(), "description": name }],
        "tags": Room::ALL.map(|room| json!({ "name": room.name(), "description": room.about() })),
        "paths": paths,
        "components": components.told(),
        "externalDocs": { "description": "The guide", "url": config.service_site.as_str() },
    })
}

fn about(config: &Config) -> String {
    let name = &config.service_name;
    let base = config.base_url.as_str();
    let refusals: String = ApiError::examples()
        .iter()
        .filter(|refusal| !matches!(refusal, ApiError::WrongToken | ApiError::ForeignForm))
        .map(ApiError::details)
        .map(|ErrorDetails { code, status, message, .. }| format!("| `{code}` | {status} | {message} |\n"))
        .collect();
    format!(
        "{name} answers from a guide that people curate by hand: what is on, and where to go, in Brasília and the 35 regions \
         of the Federal District. Questions may be asked in Portuguese or English.\n\n\
         **Keys.** Send yours in `x-api-key`, or as `authorization: Bearer`. `POST /v1/signup` mails a free one. Keep it \
         in a secret store, never in a prompt.\n\n\
         **Plans.** The free plan sees Plano Piloto and the basic fields; paid plans see the whole District and every field. \
         `GET /v1/plans` has the prices.\n\n\
         **Limits.** So many calls in a clock minute and so many in a calendar month of Brasília. Every answer to a good \
         key tells how it stands; beyond, 429 with `retry-after`.\n\n\
         **Credit.** Use only what is answered, and credit {name} by name. On the free plan show the words of \
         `attribution` with their link wherever the data is shown.\n\n\
         **Agents.** [{base}/mcp]({base}/mcp) speaks the Model Context Protocol.\n\n\
         **Refusals.** A no has one body everywhere; `code` does not change, and `error` says what to fix. Besides those \
         of each endpoint there are 404 `not_found` for every other path, and 405 `method_not_allowed`.\n\n\
         | code | status | for example |\n|---|---|---|\n{refusals}"
    )
}

/// The examples, with the address and the names of this service.
fn examples(config: &Config) -> Value {
    fn fill(value: &mut Value, config: &Config) {
        match value {
            Value::String(text) if text.contains("{{") => {
                *text = text
                    .replace("{{base_url}}", config.base_url.as_str())
                    .replace("{{service_site}}", config.service_site.as_str())
                    .replace("{{service_name}}", &config.service_name);
            }
            Value::Array(list) => list.iter_mut().for_each(|value| fill(value, config)),
            Value::Object(fields) => fields.values_mut().for_each(|value| fill(value, config)),
            _ => {}
        }
    }
    // a test reads the file, so it is JSON
    let mut examples: Value = serde_json::from_str(EXAMPLES).unwrap_or_default();
    // the price list is what the settings say
    let prices = config.plans.price_list(config.payments != Payments::None);
    examples["plans"] = json!({ "answer": serde_json::from_slice::<Value>(&prices).unwrap_or_default() });
    fill(&mut examples, config);
    examples
}

/// What several endpoints share.
#[derive(Default)]
struct Components {
    schemas: Map<String, Value>,
    /// By name.
    responses: BTreeMap<String, Value>,
}

impl Components {
    fn told(mut self) -> Value {
        schema::add_components(&ApiError::BODY, &mut self.schemas);
        self.schemas.extend(rpc_schemas());
        json!({
            "schemas": self.schemas,
            "responses": self.responses,
            "parameters": {
                "RequestId": {
                    "name": "x-request-id",
                    "in": "header",
                    "description": "A name for the request, of at most 64 letters, digits, dots, underscores and hyphens. The \
                                    answer repeats it; without it, or with another, the answer has a new one.",
                    "schema": { "type": "string" },
                    "example": "tour-7",
                },
                "IdempotencyKey": {
                    "name": billing::IDEMPOTENCY_KEY,
                    "in": "header",
                    "description": "A name of your own for this order: sent again with it, the request brings the same \
                                    answer and never another order.",
                    "schema": { "type": "string", "minLength": 1, "maxLength": MAX_IDEMPOTENCY_KEY, "pattern": "^[!-~]+$" },
                    "example": "order-2026-11-27",
                },
                "IfNoneMatch": {
                    "name": "if-none-match",
                    "in": "header",
                    "description": "The etag of the document that you have: 304 if it is still the same.",
                    "schema": { "type": "string" },
                },
                "McpProtocolVersion": {
                    "name": "mcp-protocol-version",
                    "in": "header",
                    "description": "The version of the protocol that the client speaks; 2026-07-28 needs it.",
                    "schema": { "type": "string" },
                    "example": "2025-11-25",
                },
                "McpMethod": {
                    "name": "mcp-method",
                    "in": "header",
                    "description": "The method of the message once more; 2026-07-28 needs it.",
                    "schema": { "type": "string" },
                },
                "McpName": {
                    "name": "mcp-name",
                    "in": "header",
                    "description": "The tool, prompt or resource of the message once more; 2026-07-28 needs it.",
                    "schema": { "type": "string" },
                },
            },
            "headers": HEADERS
                .map(|(name, about, example)| (header_name(name), header(about, example)))
                .into_iter()
                .collect::<Map<_, _>>(),
            "securitySchemes": {
                "ApiKey": {
                    "type": "apiKey",
                    "in": "header",
                    "name": "x-api-key",
                    "description": "An API key: cdg_live_ and 38 letters and digits.",
                },
                "Bearer": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "The same key, as authorization: Bearer.",
                },
            },
        })
    }

    /// A response that several endpoints may give: told once, by the name of its status, numbered when there are several
    /// of one status.
    fn share(&mut self, status: u16, response: Value) -> Value {
        let reason = StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason());
        let base: String = reason.unwrap_or("Other").split([' ', '-', '\'']).collect();
        let mut names = (1..).map(|number| match number {
            1 => base.clone(),
            _ => format!("{base}{number}"),
        });
        let fits = |name: &String| self.responses.get(name).is_none_or(|known| *known == response);
        let name = names.find(fits).unwrap_or_default();
        let reference = json!({ "$ref": format!("#/components/responses/{name}") });
        self.responses.insert(name, response);
        reference
    }
}

/// The headers of answers: what each is for, and an example. Numbers are whole and not negative.
const HEADERS: [(&str, &str, Example); 13] = [
    ("x-request-id", "The name of the request: for reports.", Example::Text(REQUEST_ID)),
    (
        "ratelimit-policy",
        "What the plan allows: q calls in a minute, and in a month.",
        Example::Text("\"minute\";w=60;q=300, \"month\";q=100000"),
    ),
    (
        "ratelimit",
        "What is left of that: r calls for t seconds.",
        Example::Text("\"minute\";r=299;t=41, \"month\";r=99873;t=302400"),
    ),
    ("x-ratelimit-limit", "Calls that the plan allows in a minute.", Example::Number(300)),
    ("x-ratelimit-remaining", "Calls that are left of this minute.", Example::Number(299)),
    ("x-ratelimit-reset", "Seconds until the next minute begins.", Example::Number(41)),
    ("retry-after", "Seconds to wait before asking again.", Example::Number(12)),
    ("www-authenticate", "How to send a key.", Example::Text("Bearer realm=\"candango\"")),
    ("allow", "The methods that the path has.", Example::Text("POST")),
    ("etag", "Which state of the document this is.", Example::Text("\"5f0c3a9be1d24786\"")),
    ("cache-control", "How long the document may be kept.", Example::Text("public, max-age=300")),
    ("access-control-allow-origin", "Pages of any site may read it.", Example::Text("*")),
    (
        "link",
        "Where the service is described (RFC 8631).",
        Example::Text("</openapi.json>; rel=\"service-desc\"; type=\"application/json\""),
    ),
];

/// The value of a header, for example.
#[derive(Clone, Copy)]
enum Example {
    Text(&'static str),
    Number(u32),
}

const OF_THE_PLAN: [&str; 5] =
    ["ratelimit-policy", "ratelimit", "x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"];

const OF_A_DOCUMENT: [&str; 4] = ["etag", "cache-control", "access-control-allow-origin", "link"];

fn header(about: &str, example: Example) -> Value {
    let (schema, example) = match example {
        Example::Text(text) => (json!({ "type": "string" }), json!(text)),
        Example::Number(number) => (json!({ "type": "integer", "minimum": 0 }), json!(number)),
    };
    json!({ "description": about, "required": true, "schema": schema, "example": example })
}

/// `x-request-id` as a component is called.
fn header_name(name: &str) -> String {
    name.split('-').map(capital).collect()
}

fn capital(word: &str) -> String {
    let (first, rest) = word.split_at_checked(1).unwrap_or((word, ""));
    format!("{}{rest}", first.to_ascii_uppercase())
}

fn headers(names: &[&str]) -> Value {
    let told = ["x-request-id"].iter().chain(names).map(|name| {
        let told = json!({ "$ref": format!("#/components/headers/{}", header_name(name)) });
        ((*name).to_owned(), told)
    });
    Value::Object(told.collect())
}

fn operation(endpoint: &Endpoint, examples: &Value, components: &mut Components) -> Value {
    let mut parameters = vec!["RequestId"];
    match endpoint.takes {
        Takes::Message => parameters.extend(["McpProtocolVersion", "McpMethod", "McpName"]),
        _ if endpoint.id == "checkout" => parameters.push("IdempotencyKey"),
        _ if matches!(endpoint.gives, Gives::Document(_)) => parameters.push("IfNoneMatch"),
        _ => {}
    }
    let parameters: Vec<Value> =
        parameters.iter().map(|name| json!({ "$ref": format!("#/components/parameters/{name}") })).collect();
    let mut operation = json!({
        "operationId": endpoint.id,
        "tags": [endpoint.room.name()],
        "summary": endpoint.title,
        "description": endpoint.about,
        "parameters": parameters,
        "security": match endpoint.key {
            Key::None => json!([]),
            Key::Needed => json!([{ "ApiKey": [] }, { "Bearer": [] }]),
            Key::Optional => json!([{ "ApiKey": [] }, { "Bearer": [] }, {}]),
        },
        "responses": responses(endpoint, examples, components),
    });
    if let Some(body) = body(endpoint, examples, components) {
        operation["requestBody"] = body;
    }
    operation
}

fn reference(schema: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{schema}") })
}

/// What may be sent as the body.
fn body(endpoint: &Endpoint, examples: &Value, components: &mut Components) -> Option<Value> {
    let of_params = |params| schema::params(params, schema::taken);
    let (schema, required, names) = match endpoint.takes {
        Takes::Nothing => return None,
        Takes::Action => (asks(components), true, ACTIONS.iter().map(|action| action.name).collect()),
        Takes::Params(params) => (of_params(params), true, example_names(endpoint)),
        Takes::MaybeParams(params) => (of_params(params), false, example_names(endpoint)),
        Takes::Message => (
            json!({ "anyOf": [reference("JsonRpcRequest"), reference("JsonRpcNotification")] }),
            true,
            RPC_EXAMPLES.to_vec(),
        ),
    };
    Some(json!({
        "required": required,
        "content": {
            "application/json": { "schema": schema, "examples": picked(examples, &names, "request") },
        },
    }))
}

fn example_names(endpoint: &Endpoint) -> Vec<&'static str> {
    match endpoint.gives {
        Gives::One(_, names) => names.to_vec(),
        _ => Vec::new(),
    }
}

/// The examples of these names, as `part` of each says.
fn picked(examples: &Value, names: &[&str], part: &str) -> Value {
    let known = names.iter().filter_map(|name| {
        let mut example = json!({ "value": examples[name].get(part)? });
        if part == "answer" && examples[name]["cut"] == true {
            example["summary"] = json!("What the demo answers, its lists cut to three.");
        }
        Some(((*name).to_owned(), example))
    });
    Value::Object(known.collect())
}

/// The actions, as one schema.
fn asks(components: &mut Components) -> Value {
    let mut mapping = Map::new();
    let mut all = Vec::new();
    for action in ACTIONS {
        let name = schema_name(action, "Request");
        let reference = format!("#/components/schemas/{name}");
        components.schemas.insert(name, ask(action));
        all.push(json!({ "$ref": reference }));
        mapping.insert(action.name.to_owned(), json!(reference));
    }
    json!({ "oneOf": all, "discriminator": { "propertyName": "action", "mapping": mapping } })
}

fn ask(action: &Action) -> Value {
    let mut schema = schema::params(action.params, |param| {
        let mut told = schema::taken(param);
        if param.name == "limit" {
            told["description"] = json!(format!("{} Default: {DEFAULT_LIMIT}.", param.description));
        }
        told
    });
    for param in action.params {
        if let Some(alias) = param.alias {
            let mut told = schema::taken(param);
            told["description"] = json!(format!("Another name of {}: of the two one is enough.", param.name));
            schema["properties"][alias] = told;
        }
    }
    schema["title"] = json!(action.title);
    schema["description"] = json!(action.description);
    schema["properties"]["action"] =
        json!({ "type": "string", "const": action.name, "description": "What is asked." });
    let mut required = schema["required"].as_array().cloned().unwrap_or_default();
    required.insert(0, json!("action"));
    schema["required"] = required.into();
    schema
}

/// `search_events` as its schemas are called.
fn schema_name(action: &Action, role: &str) -> String {
    let words: String = action.name.split('_').map(capital).collect();
    format!("{words}{role}")
}

/// What an action answers.
fn answer(action: &Action, components: &mut Components) -> Value {
    // with a key only areas are narrowed
    let said = |field: &&Field| field.name != "notice" || action.takes("region");
    let fields = || OPENING.iter().chain(action.answers).chain(CLOSING.iter().filter(said));
    let mut schema = schema::object(fields(), Detail::Full);
    schema["description"] = json!(format!("What {} answers.", action.name));
    schema::add_inner(fields(), &mut components.schemas);
    let name = schema_name(action, "Answer");
    let reference = json!({ "$ref": format!("#/components/schemas/{name}") });
    components.schemas.insert(name, schema);
    reference
}

fn responses(endpoint: &Endpoint, examples: &Value, components: &mut Components) -> Value {
    let mut all = Map::new();
    match endpoint.gives {
        Gives::Message => return rpc_responses(examples),
        Gives::Answers => {
            let answers: Vec<Value> = ACTIONS.iter().map(|action| answer(action, components)).collect();
            let names: Vec<&str> = ACTIONS.iter().map(|action| action.name).collect();
            let content = json!({
                "schema": { "oneOf": answers },
                "examples": picked(examples, &names, "answer"),
            });
            all.insert("200".to_owned(), good("The answer of the action.", &OF_THE_PLAN, content));
        }
        Gives::One(shape, names) => {
            schema::add_components(shape, &mut components.schemas);
            let told: &[&str] = match (endpoint.key, endpoint.id) {
                (Key::Needed, _) => &OF_THE_PLAN,
                (_, "plans") => &["link", "access-control-allow-origin"],
                _ => &[],
            };
            let content = json!({
                "schema": { "$ref": schema::component(shape) },
                "examples": picked(examples, names, "answer"),
            });
            all.insert("200".to_owned(), good(shape.about, told, content));
        }
        Gives::Document(kind) => {
            let schema = match kind {
                "application/json" => json!({
                    "type": "object",
                    "properties": {
                        "openapi": { "type": "string" },
                        "info": { "type": "object" },
                        "paths": { "type": "object" },
                    },
                    "required": ["openapi", "info", "paths"],
                }),
                _ => json!({ "type": "string", "minLength": 1 }),
            };
            let document = json!({
                "description": "The document.",
                "headers": headers(&OF_A_DOCUMENT),
                "content": { (kind): { "schema": schema } },
            });
            all.insert("200".to_owned(), document);
            let known = json!({
                "description": "You have the document already.",
                "headers": headers(&OF_A_DOCUMENT),
            });
            all.insert("304".to_owned(), components.share(304, known));
        }
    }
    for (status, refusals) in refusals(|refusal| endpoint.refuses(refusal)) {
        let told = refused(endpoint, status, &refusals);
        all.insert(status.to_string(), components.share(status, told));
    }
    Value::Object(all)
}

fn good(about: &str, told: &[&str], content: Value) -> Value {
    json!({ "description": about, "headers": headers(told), "content": { "application/json": content } })
}

/// The refusals that are `wanted`, by status.
fn refusals(wanted: impl Fn(&ApiError) -> bool) -> BTreeMap<u16, Vec<ApiError>> {
    let mut by_status: BTreeMap<u16, Vec<ApiError>> = BTreeMap::new();
    for refusal in ApiError::examples().into_iter().filter(wanted) {
        by_status.entry(refusal.details().status).or_default().push(refusal);
    }
    by_status
}

fn refused(endpoint: &Endpoint, status: u16, refusals: &[ApiError]) -> Value {
    let codes: Vec<&str> = refusals.iter().map(|refusal| refusal.details().code).collect();
    let examples: Map<String, Value> = refusals
        .iter()
        .map(|refusal| {
            let body: Value = serde_json::from_slice(&refusal.body(REQUEST_ID)).unwrap_or_default();
            (refusal.details().code.to_owned(), json!({ "value": body }))
        })
        .collect();
    let told: Vec<&str> = match status {
        401 => vec!["www-authenticate"],
        405 => vec!["allow"],
        429 | 503 => vec!["retry-after"],
        _ => Vec::new(),
    };
    // these come to callers who are known only
    let of_the_plan = endpoint.key == Key::Needed && [403, 404, 429].contains(&status);
    let told = [&told[..], if of_the_plan { &OF_THE_PLAN } else { &[] }].concat();
    let mut headers = headers(&told);
    if status == 400 && refusals.iter().any(|refusal| refusal.details().retry_after.is_some()) {
        headers["retry-after"] = json!({
            "description": "Seconds to wait before asking again, where waiting helps.",
            "schema": { "type": "integer", "minimum": 0 },
        });
    }
    json!({
        "description": format!("{}: {}.", reason(status), codes.join(", ")),
        "headers": headers,
        "content": {
            "application/json": {
                "schema": {
                    "allOf": [{ "$ref": schema::component(&ApiError::BODY) }],
                    "properties": { "code": { "enum": codes } },
                },
                "examples": examples,
            },
        },
    })
}

fn reason(status: u16) -> &'static str {
    StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason()).unwrap_or("No")
}

/// The messages that are shown as examples.
const RPC_EXAMPLES: [&str; 4] = ["tools_call", "tools_call_refused", "tools_call_preview", "initialize"];

fn rpc_schemas() -> Map<String, Value> {
    let version = json!({ "type": "string", "const": "2.0", "description": "The version of JSON-RPC." });
    let id = json!({ "type": ["string", "integer"], "description": "What the answer is known by." });
    let method =
        json!({ "type": "string", "description": "What is asked: tools/call, tools/list and so on." });
    let params = json!({
        "type": ["object", "null"],
        "description": "What the method takes.",
        "properties": {
            "name": { "description": "Of tools/call: the tool." },
            "arguments": { "description": "Of tools/call: its arguments." },
        },
        "additionalProperties": true,
    });
    let result = json!({
        "type": "object",
        "description": "What the method gives. That of tools/call has structuredContent, which is what POST /v1 answers, and \
                        content, which is the same as text.",
    });
    let message = |about: &str, properties: Value, required: Value| json!({ "type": "object", "description": about, "properties": properties, "required": required });
    let error = json!({
        "type": "object",
        "description": "What is wrong.",
        "properties": {
            "code": { "type": "integer", "description": "What is wrong, for programs." },
            "message": { "type": "string", "description": "What to fix, for people." },
            "data": { "type": "object", "description": "More, for programs." },
        },
        "required": ["code", "message"],
    });
    let notification = message(
        "A message that wants no answer: a method without an id.",
        json!({ "jsonrpc": version, "id": { "not": {} }, "method": method, "params": {} }),
        json!(["jsonrpc", "method"]),
    );
    Map::from_iter([
        (
            "JsonRpcRequest".to_owned(),
            message(
                "A message that wants an answer.",
                json!({ "jsonrpc": version, "id": id, "method": method, "params": params }),
                json!(["jsonrpc", "id", "method"]),
            ),
        ),
        ("JsonRpcNotification".to_owned(), notification),
        (
            "JsonRpcResult".to_owned(),
            message(
                "The answer to a message.",
                json!({ "jsonrpc": version, "id": id, "result": result }),
                json!(["jsonrpc", "id", "result"]),
            ),
        ),
        (
            "JsonRpcError".to_owned(),
            message(
                "A no to a message.",
                json!({
                    "jsonrpc": version,
                    "id": { "type": ["string", "integer", "null"], "description": "Null when it cannot be known." },
                    "error": error,
                }),
                json!(["jsonrpc", "id", "error"]),
            ),
        ),
    ])
}

/// What is answered to messages.
fn rpc_responses(examples: &Value) -> Value {
    let schema = reference;
    let event = json!({
        "schema": { "type": "string", "description": "One server-sent event with the message, for whoever takes no JSON." },
    });
    let error = |about: &str, told: &[&str]| {
        json!({
            "description": about,
            "headers": headers(told),
            "content": { "application/json": { "schema": schema("JsonRpcError") } },
        })
    };
    // before a message is read there is nothing to answer it as
    let either = |about: &str, told: &[&str]| {
        let either = json!({ "oneOf": [schema("JsonRpcError"), schema(ApiError::BODY.name)] });
        json!({
            "description": about,
            "headers": headers(told),
            "content": { "application/json": { "schema": either } },
        })
    };
    let codes: Vec<String> = refusals(refused_to_agents)
        .values()
        .flatten()
        .map(|refusal| format!("- `{}`: {}", refusal.details().code, refusal.details().message))
        .collect();
    let answered = format!(
        "The answer. A tool that is refused is answered with `isError` and a sentence that says what to fix, for the model to \
         read; without a key it sees Plano Piloto, {PREVIEW_RESULTS} results, the next {PREVIEW_DAYS} days and basic \
         fields. A method or tool that there is not is answered with an error. The sentences, for example:\n\n{}",
        codes.join("\n")
    );
    let unauthorized =
        error("The key is none, or there are two: a bad key is never a preview.", &["www-authenticate"]);
    let mut all = json!({
        "200": {
            "description": answered,
            "headers": headers(&[]),
            "content": {
                "application/json": {
                    "schema": { "oneOf": [schema("JsonRpcResult"), schema("JsonRpcError")] },
                    "examples": picked(examples, &RPC_EXAMPLES, "answer"),
                },
                "text/event-stream": event.clone(),
            },
        },
        "202": { "description": "Taken: a notification is not answered.", "headers": headers(&[]) },
        "400": error("The message is none, or does not keep to the protocol.", &[]),
        "401": unauthorized,
        "403": error("The web page or the host is not allowed to ask.", &[]),
        "404": error("Of 2026-07-28: there is no such method.", &[]),
        "405": error("Another method than POST: there are no streams to open.", &["allow"]),
        "406": error("Neither JSON nor events are accepted.", &[]),
        "408": either("The message took too long.", &[]),
        "413": error("The message is too long.", &[]),
        "415": error("The message is declared as something else than JSON.", &[]),
        "500": either("A fault of ours.", &[]),
        "503": either("The service is too busy.", &["retry-after"]),
    });
    all["405"]["content"]["text/html"] =
        json!({ "schema": { "type": "string", "description": "For people who look." } });
    // whoever takes events only is told in one
    for status in ["400", "401"] {
        all[status]["content"]["text/event-stream"] = event.clone();
    }
    all
}
