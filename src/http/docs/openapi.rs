//! The OpenAPI 3.1 document: the endpoints, their schemas and errors, and answers of the demo as examples. Its fixed
//! parts (headers, JSON-RPC) are in `components.json`.

use std::collections::BTreeMap;

use hyper::StatusCode;
use index::grammar::fold::fold;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::super::billing::IDEMPOTENCY_KEY;
use super::super::formats::Format;
use super::super::resources::Resource;
use super::endpoints::{ENDPOINTS, Endpoint, Key, RequestBody, ResponseBody, Tag, is_tool_error};
use super::webhooks::HOOK_TYPES;
use super::{enums, schema};
use crate::actions::{Action, Param, ParamType};
use crate::billing::checkout::MAX_IDEMPOTENCY_KEY;
use crate::config::{Config, Payments};
use crate::domain::action::ActionId;
use crate::domain::error::{ApiError, ErrorBody, ErrorDetails};
use crate::domain::text::capitalized;
use crate::quota::permit::{PREVIEW_DAYS, PREVIEW_RESULTS};

/// Answers of the demo, written by a test. URLs and names of the service are placeholders in it.
const EXAMPLES: &str = include_str!("examples.json");

/// The components that no type makes, and the responses of `/mcp`.
const FIXED: &str = include_str!("components.json");

/// The request identifier of examples.
const REQUEST_ID: &str = "9d0c4e1f-0000000042";

/// The examples of `/mcp`.
const RPC_EXAMPLES: [&str; 4] = ["tools_call", "tools_call_refused", "tools_call_preview", "initialize"];

const QUOTA_HEADERS: [&str; 5] =
    ["ratelimit-policy", "ratelimit", "x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"];

/// Those of answers that clients may keep.
const KEPT_HEADERS: [&str; 3] = ["etag", "cache-control", "vary"];

const DOCUMENT_HEADERS: [&str; 4] = ["etag", "cache-control", "access-control-allow-origin", "link"];

/// Those of answers of this endpoint that clients may keep: the answer at a calendar address depends on no header.
fn kept_headers(endpoint: &Endpoint) -> impl Iterator<Item = &'static str> {
    let has_key_in_header = endpoint.key != Key::InAddress;
    KEPT_HEADERS.into_iter().filter(move |name| has_key_in_header || *name != "vary")
}

/// What clients of an endpoint may keep, and the headers that say whether it is current, if they may keep it.
fn unchanged(endpoint: &Endpoint) -> Option<(&'static str, Vec<&'static str>)> {
    match endpoint.response {
        ResponseBody::Resource(resource) | ResponseBody::Format(resource, _) if resource.is_kept() => {
            Some(("answer", QUOTA_HEADERS.into_iter().chain(kept_headers(endpoint)).collect()))
        }
        ResponseBody::Kept(..) | ResponseBody::Lines => {
            // lines have no field for whom to credit
            let link = matches!(endpoint.response, ResponseBody::Lines).then_some("link");
            let names = QUOTA_HEADERS.into_iter().chain(KEPT_HEADERS).chain(["snapshot-serial"]).chain(link);
            Some(("answer", names.collect()))
        }
        ResponseBody::Document(_) => Some(("document", DOCUMENT_HEADERS.to_vec())),
        _ => None,
    }
}

/// The OpenAPI document of the service.
pub fn openapi(config: &Config) -> Value {
    let mut writer = Writer::new(config);
    let mut paths = Map::new();
    for endpoint in ENDPOINTS {
        let operation = writer.operation(endpoint);
        paths.insert(endpoint.path.to_owned(), json!({ (endpoint.method): operation }));
    }
    let webhooks: Map<String, Value> =
        HOOK_TYPES.iter().map(|hook| (hook.name.to_owned(), hook.path_item(&mut writer.generator))).collect();
    let name = &config.service_name;
    let mut document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": format!("{} API", in_ascii(name)),
            "version": env!("CARGO_PKG_VERSION"),
            "summary": "A hand-curated guide to events, shows and places in Brasília and the Federal District, Brazil.",
            "description": description(config),
            "contact": { "name": name, "url": config.service_site.as_str() },
            "license": { "name": "MIT", "identifier": "MIT" },
        },
        "servers": [{ "url": config.base_url.as_str(), "description": name }],
        "tags": Tag::ALL.map(|tag| json!({ "name": tag.name(), "description": tag.description() })),
        "paths": paths,
        "webhooks": webhooks,
        "components": writer.components(),
        "externalDocs": { "description": "The guide", "url": config.service_site.as_str() },
    });
    enums::name_all(&mut document);
    document
}

/// The name of the service for the title, of which generators make the name of a package.
fn in_ascii(name: &str) -> String {
    if name.is_ascii() {
        return name.to_owned();
    }
    fold(name).split(' ').map(capitalized).collect::<Vec<_>>().join(" ")
}

fn description(config: &Config) -> String {
    let name = &config.service_name;
    let base = config.base_url.as_str();
    let errors: String = ApiError::examples()
        .iter()
        .filter(|error| error.is_public())
        .map(ApiError::details)
        .map(|ErrorDetails { code, status, message, .. }| format!("| `{code}` | {status} | {message} |\n"))
        .collect();
    format!(
        "{name} answers from a guide that people curate by hand: what is on, and where to go, in Brasília and the 35 regions \
         of the Federal District. Queries may be in Portuguese, English or Spanish.\n\n\
         **Keys.** Send your key in `x-api-key`, or as `authorization: Bearer`. `POST /v1/signup` sends you a free one. \
         Keep it in a secret store, never in a prompt. A web page sends a browser token in `x-browser-token` instead: it \
         works in pages of the origins that it was made for, and shows the basic fields only. A calendar program subscribes \
         to `/v1/calendars/{{token}}.ics`, which its owner can revoke.\n\n\
         **Plans.** The free plan covers Plano Piloto and the basic fields; paid plans cover the whole District and all \
         fields. `GET /v1/plans` has the prices.\n\n\
         **Limits.** Each plan has a quota per clock minute and per calendar month of Brasília. Every answer of `/v1` to a \
         request that it can read, with a valid key, has headers with what is left; beyond the quota the answer is 429 with \
         `retry-after`.\n\n\
         **Credit.** Use only what the answers contain, and credit {name} by name. On the free plan, show the text of \
         `attribution` with its link wherever you show the data. Where it has `positions`, show that credit too, on every \
         plan; `/positions.json` has the positions and their licence.\n\n\
         **Agents.** [{base}/mcp]({base}/mcp) speaks the Model Context Protocol.\n\n\
         **Errors.** All errors have the same body; `code` does not change, and `error` says what to fix. In addition to \
         the errors of each endpoint, unknown paths answer 404 `not_found`, other methods 405 `method_not_allowed`, and a \
         malformed request head 400 `invalid_head`.\n\n\
         | code | status | example |\n|---|---|---|\n{errors}"
    )
}

/// The examples, with the URLs and names of this service.
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
    let mut examples = parse(EXAMPLES);
    // prices depend on the configuration
    examples["plans"] = json!({ "answer": config.plans.price_list(config.payments != Payments::None) });
    fill(&mut examples, config);
    examples
}

/// A file of this folder, which tests hold to be JSON.
fn parse(file: &str) -> Value {
    serde_json::from_str(file).unwrap_or_default()
}

/// `search_events` or `x-request-id` as the name of a component.
fn pascal_case(name: &str) -> String {
    name.split(['-', '_']).map(capitalized).collect()
}

fn reference(section: &str, name: &str) -> Value {
    json!({ "$ref": format!("#/components/{section}/{name}") })
}

/// References to headers, that of the request identifier included.
fn headers(names: &[&str]) -> Value {
    let all = ["x-request-id"].iter().chain(names);
    Value::Object(all.map(|name| ((*name).to_owned(), reference("headers", &pascal_case(name)))).collect())
}

/// The errors that are `wanted`, by status.
fn errors_by_status(wanted: impl Fn(&ApiError) -> bool) -> BTreeMap<u16, Vec<ApiError>> {
    let mut by_status: BTreeMap<u16, Vec<ApiError>> = BTreeMap::new();
    for error in ApiError::examples().into_iter().filter(wanted) {
        by_status.entry(error.details().status).or_default().push(error);
    }
    by_status
}

fn reason(status: u16) -> &'static str {
    StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason()).unwrap_or("Other")
}

/// The request of an action.
fn action_request(action: &Action) -> Value {
    let mut schema = schema::params(action.params, |param| {
        let mut schema = schema::body_param(param);
        if let Some(default) = param.default {
            schema["description"] = json!(format!("{} Default: {}.", param.description, default.of_v1));
        }
        schema
    });
    for param in action.params {
        if let Some(alias) = param.alias {
            let mut alias_schema = schema::body_param(param);
            alias_schema["description"] = json!(format!("Alias of {}: send one of them.", param.name));
            schema["properties"][alias] = alias_schema;
        }
    }
    schema["description"] = json!(action.description);
    schema["properties"]["action"] =
        json!({ "type": "string", "const": action.name(), "description": "Name of the action." });
    let mut required = schema["required"].as_array().cloned().unwrap_or_default();
    required.insert(0, json!("action"));
    schema["required"] = required.into();
    schema
}

/// A parameter of an action in an address.
fn query_param(param: &Param, in_path: bool) -> Value {
    let mut schema = schema::strict_param(param);
    if let Some(schema) = schema.as_object_mut() {
        schema.remove("description");
    }
    let place = if in_path { "path" } else { "query" };
    let mut described = json!({
        "name": param.name, "in": place, "description": param.description, "required": in_path || param.required, "schema": schema,
    });
    if matches!(param.kind, ParamType::Texts { .. } | ParamType::Names(_)) {
        described["style"] = json!("form");
        described["explode"] = json!(false);
    }
    described
}

/// The schema of an answer in another format than JSON.
fn format_schema(format: Format) -> Value {
    match format {
        Format::GeoJson => json!({ "type": "object" }),
        _ => json!({ "type": "string" }),
    }
}

/// Writes operations and collects the components that they share.
struct Writer {
    examples: Value,
    fixed: Value,
    generator: SchemaGenerator,
    request_schemas: Map<String, Value>,
    responses: Map<String, Value>,
}

impl Writer {
    fn new(config: &Config) -> Writer {
        let mut fixed = parse(FIXED);
        let key = &mut fixed["parameters"]["IdempotencyKey"];
        key["name"] = json!(IDEMPOTENCY_KEY);
        key["schema"]["maxLength"] = json!(MAX_IDEMPOTENCY_KEY);
        Writer {
            examples: examples(config),
            fixed,
            generator: schema::generator(),
            request_schemas: Map::new(),
            responses: Map::new(),
        }
    }

    fn components(mut self) -> Value {
        let mut components = self.fixed;
        let mut answers = self.generator.take_definitions(true);
        for action in Action::all() {
            let answer = answers.get_mut(&format!("{}Answer", pascal_case(action.name())));
            let Some(properties) = answer.and_then(|answer| answer["properties"].as_object_mut()) else {
                continue;
            };
            // with a key, only queries with an area have a notice
            if !action.takes("region") {
                properties.remove("notice");
            }
            // by its action clients tell an answer of POST /v1 from the others; an event may be asked for as a place
            if let Some(name) = properties.get_mut("action") {
                // a constant has no other bound
                if let Some(name) = name.as_object_mut() {
                    name.remove("minLength");
                }
                match action.id {
                    ActionId::GetEvent => {
                        name["enum"] = json!([ActionId::GetEvent, ActionId::GetPlace].map(ActionId::as_str))
                    }
                    one => name["const"] = json!(one.as_str()),
                }
            }
        }
        if let Some(error) = answers.get_mut("Error") {
            error["properties"]["code"]["enum"] = json!(enums::error_codes());
        }
        // there is no place to search from, and nothing is grouped
        for name in ["UpdatedPlace", "UpdatedEvent"] {
            let fields = answers.get_mut(name).and_then(|record| record["properties"].as_object_mut());
            fields.into_iter().for_each(|fields| fields.retain(|field, _| !schema::is_of_a_search(field)));
        }
        if let Some(schemas) = components["schemas"].as_object_mut() {
            schemas.append(&mut answers);
            schemas.append(&mut self.request_schemas);
        }
        components["responses"] = self.responses.into();
        if let Some(components) = components.as_object_mut() {
            components.remove("mcp");
        }
        components
    }

    fn operation(&mut self, endpoint: &Endpoint) -> Value {
        let mut parameters = vec!["RequestId"];
        match (endpoint.request, endpoint.response) {
            (RequestBody::JsonRpc, _) => parameters.extend(["McpProtocolVersion", "McpMethod", "McpName"]),
            (_, ResponseBody::Document(_)) => parameters.push("IfNoneMatch"),
            _ if endpoint.operation_id == "checkout" => parameters.push("IdempotencyKey"),
            _ => {}
        }
        let is_kept = match endpoint.response {
            ResponseBody::Resource(resource) | ResponseBody::Format(resource, _) => resource.is_kept(),
            ResponseBody::Kept(..) | ResponseBody::Lines => true,
            _ => false,
        };
        if is_kept {
            parameters.push("IfNoneMatch");
        }
        let mut parameters: Vec<Value> =
            parameters.iter().map(|name| reference("parameters", name)).collect();
        if endpoint.key == Key::InAddress {
            parameters.push(reference("parameters", "CalendarToken"));
        }
        if let RequestBody::Query(resource) = endpoint.request {
            let in_path = |param: &Param| resource.path.contains(&format!("{{{}}}", param.name));
            let ignores = |param: &Param| endpoint.format().is_some_and(|format| format.ignores(param.name));
            let read = endpoint.params().iter().filter(|param| !ignores(param));
            let of_format = endpoint.format().into_iter().flat_map(Format::params);
            parameters.extend(read.map(|param| query_param(param, in_path(param))));
            parameters.extend(of_format.map(|param| query_param(param, false)));
        }
        if let RequestBody::Address(params) = endpoint.request {
            parameters.extend(params.iter().map(|param| query_param(param, false)));
        }
        let mut operation = json!({
            "operationId": endpoint.operation_id,
            "tags": [endpoint.tag.name()],
            "summary": endpoint.summary,
            "description": endpoint.description,
            "parameters": parameters,
            "security": match endpoint.key {
                Key::None | Key::InAddress => json!([]),
                Key::Required if endpoint.takes_browser_token() => {
                    json!([{ "ApiKey": [] }, { "Bearer": [] }, { "BrowserToken": [] }])
                }
                Key::Required => json!([{ "ApiKey": [] }, { "Bearer": [] }]),
                Key::Optional => json!([{ "ApiKey": [] }, { "Bearer": [] }, {}]),
            },
            "responses": self.responses(endpoint),
        });
        if let Some(body) = self.request_body(endpoint) {
            operation["requestBody"] = body;
        }
        operation
    }

    fn request_body(&mut self, endpoint: &Endpoint) -> Option<Value> {
        let (schema, names) = match endpoint.request {
            RequestBody::None | RequestBody::Query(_) | RequestBody::Address(_) => return None,
            RequestBody::Action => (self.action_requests(), self.example_names(endpoint)),
            RequestBody::Params(params) | RequestBody::OptionalParams(params) => {
                let name = format!("{}Request", capitalized(endpoint.operation_id));
                let schema = reference("schemas", &name);
                self.request_schemas.insert(name, schema::params(params, schema::strict_param));
                (schema, self.example_names(endpoint))
            }
            RequestBody::JsonRpc => {
                let messages =
                    ["JsonRpcRequest", "JsonRpcNotification"].map(|name| reference("schemas", name));
                (json!({ "anyOf": messages }), RPC_EXAMPLES.to_vec())
            }
        };
        let required = !matches!(endpoint.request, RequestBody::OptionalParams(_));
        let json = json!({ "schema": schema, "examples": self.pick(&names, "request") });
        Some(json!({ "required": required, "content": { "application/json": json } }))
    }

    /// The requests of all actions, as one schema.
    fn action_requests(&mut self) -> Value {
        let mut mapping = Map::new();
        let mut all = Vec::new();
        for action in Action::all() {
            let name = format!("{}Request", pascal_case(action.name()));
            let reference = reference("schemas", &name);
            mapping.insert(action.name().to_owned(), reference["$ref"].clone());
            self.request_schemas.insert(name, action_request(action));
            all.push(reference);
        }
        json!({ "oneOf": all, "discriminator": { "propertyName": "action", "mapping": mapping } })
    }

    fn example_names(&self, endpoint: &Endpoint) -> Vec<&'static str> {
        match endpoint.response {
            ResponseBody::Action => ActionId::NAMES.to_vec(),
            ResponseBody::Resource(resource) => vec![resource.action_id.as_str()],
            ResponseBody::Object(_, names) | ResponseBody::Kept(_, names) => names.to_vec(),
            _ => Vec::new(),
        }
    }

    /// The requests or answers (`part`) of examples.
    fn pick(&self, names: &[&str], part: &str) -> Value {
        let known = names.iter().filter_map(|name| {
            let mut example = json!({ "value": self.examples[name].get(part)? });
            if part == "answer" && self.examples[name]["cut"] == true {
                example["summary"] = json!("An answer of the demo, with its lists cut to three items.");
            }
            Some(((*name).to_owned(), example))
        });
        Value::Object(known.collect())
    }

    fn responses(&mut self, endpoint: &Endpoint) -> Value {
        let mut all = Map::new();
        if let Some((what, names)) = unchanged(endpoint) {
            let description = format!("Your copy of the {what} is current.");
            let unchanged = json!({ "description": description, "headers": headers(&names) });
            all.insert("304".to_owned(), self.share(304, unchanged));
        }
        let Some((description, headers, content)) = self.success(endpoint) else {
            return self.rpc_responses();
        };
        let success = json!({
            "description": description,
            "headers": self::headers(&headers),
            "content": { (endpoint.media_type()): content },
        });
        all.insert("200".to_owned(), success);
        for (status, errors) in errors_by_status(|error| endpoint.may_fail_with(error)) {
            let response = self.error_response(endpoint, status, &errors);
            all.insert(status.to_string(), self.share(status, response));
        }
        Value::Object(all)
    }

    /// The description, the headers and the content of a successful answer; none of one by JSON-RPC.
    fn success(&mut self, endpoint: &Endpoint) -> Option<(String, Vec<&'static str>, Value)> {
        let success = match endpoint.response {
            ResponseBody::JsonRpc => return None,
            ResponseBody::Action => {
                let answers: Vec<Schema> =
                    Action::all().map(|action| (action.answer)(&mut self.generator)).collect();
                let examples = self.pick(&self.example_names(endpoint), "answer");
                let content = json!({ "schema": { "oneOf": answers }, "examples": examples });
                ("The answer of the action.".to_owned(), QUOTA_HEADERS.to_vec(), content)
            }
            ResponseBody::Object(schema, names) => {
                let schema = schema(&mut self.generator).to_value();
                let headers = match (endpoint.key, endpoint.operation_id) {
                    (Key::Required, _) => QUOTA_HEADERS.to_vec(),
                    (_, "listPlans") => vec!["link", "access-control-allow-origin"],
                    _ => Vec::new(),
                };
                let description = self.description_of(&schema);
                (description, headers, json!({ "schema": schema, "examples": self.pick(names, "answer") }))
            }
            ResponseBody::Resource(resource) | ResponseBody::Format(resource, _) => {
                let mut names =
                    unchanged(endpoint).map_or_else(|| QUOTA_HEADERS.to_vec(), |(_, names)| names);
                if endpoint.format().is_some() && endpoint.key != Key::InAddress {
                    names.push("link");
                }
                let content = match endpoint.response {
                    ResponseBody::Format(_, format) => json!({ "schema": format_schema(format) }),
                    _ => json!({
                        "schema": self.resource_answer(resource),
                        "examples": self.pick(&self.example_names(endpoint), "answer"),
                    }),
                };
                ("The answer.".to_owned(), names, content)
            }
            ResponseBody::Kept(..) | ResponseBody::Lines => {
                let names = unchanged(endpoint).map(|(_, names)| names).unwrap_or_default();
                let content = match endpoint.response {
                    ResponseBody::Kept(schema, examples) => {
                        let schema = schema(&mut self.generator).to_value();
                        json!({ "schema": schema, "examples": self.pick(examples, "answer") })
                    }
                    _ => json!({ "schema": { "type": "string" } }),
                };
                ("The answer.".to_owned(), names, content)
            }
            ResponseBody::Document(_) => {
                let content = json!({ "schema": document_schema(endpoint.path) });
                ("The document.".to_owned(), DOCUMENT_HEADERS.to_vec(), content)
            }
        };
        Some(success)
    }

    /// The schema of the answer of an address.
    fn resource_answer(&mut self, resource: Resource) -> Value {
        let schema = (resource.action().answer)(&mut self.generator).to_value();
        // the id of an event is answered with the event
        if resource.action_id == ActionId::GetPlace {
            let event = (ActionId::GetEvent.action().answer)(&mut self.generator);
            json!({ "oneOf": [schema, event] })
        } else {
            schema
        }
    }

    /// The description of the component that a schema refers to.
    fn description_of(&self, schema: &Value) -> String {
        let component =
            schema::component_name(schema).and_then(|name| self.generator.definitions().get(name));
        let description = component.and_then(|component| component["description"].as_str());
        description.unwrap_or_default().replace('\n', " ")
    }

    fn error_response(&mut self, endpoint: &Endpoint, status: u16, errors: &[ApiError]) -> Value {
        let codes: Vec<&str> = errors.iter().map(|error| error.details().code).collect();
        let examples: Map<String, Value> = errors
            .iter()
            .map(|error| {
                let body: Value = serde_json::from_slice(&error.body(REQUEST_ID)).unwrap_or_default();
                (error.details().code.to_owned(), json!({ "value": body }))
            })
            .collect();
        let mut names = match status {
            401 => vec!["www-authenticate"],
            405 => vec!["allow"],
            429 | 503 => vec!["retry-after"],
            _ => Vec::new(),
        };
        // these statuses come after the key is known
        let is_of_caller = match endpoint.key {
            Key::Required => [403, 404, 410, 429].contains(&status),
            Key::InAddress => [403, 429].contains(&status),
            Key::None | Key::Optional => false,
        };
        if is_of_caller {
            names.extend(QUOTA_HEADERS);
        }
        let mut headers = headers(&names);
        if status == 400 && errors.iter().any(|error| error.details().retry_after.is_some()) {
            headers["retry-after"] = json!({
                "description": "Seconds to wait before trying again, when waiting helps.",
                "schema": { "type": "integer", "minimum": 0 },
            });
        }
        // one type for all endpoints; the codes of this one are in the description and the examples
        let schema = self.generator.subschema_for::<ErrorBody>();
        json!({
            "description": format!("{}: {}.", reason(status), codes.join(", ")),
            "headers": headers,
            "content": { "application/json": { "schema": schema, "examples": examples } },
        })
    }

    /// A response as a component, so that endpoints share it. Its name is its status, with a number if there are
    /// several.
    fn share(&mut self, status: u16, response: Value) -> Value {
        let base: String = reason(status).split([' ', '-', '\'']).collect();
        let mut names = (1..).map(|number| match number {
            1 => base.clone(),
            _ => format!("{base}{number}"),
        });
        let fits = |name: &String| self.responses.get(name).is_none_or(|known| *known == response);
        let name = names.find(fits).unwrap_or_default();
        let reference = reference("responses", &name);
        self.responses.insert(name, response);
        reference
    }

    /// The responses of `/mcp`: the fixed ones, with the sentences and examples of today.
    fn rpc_responses(&self) -> Value {
        let sentences: Vec<String> = errors_by_status(is_tool_error)
            .values()
            .flatten()
            .map(ApiError::details)
            .map(|ErrorDetails { code, message, .. }| format!("- `{code}`: {message}"))
            .collect();
        let mut responses = self.fixed["mcp"].clone();
        let answer = &mut responses["200"];
        answer["description"] = json!(format!(
            "The answer. When a tool fails, the result has `isError` and a sentence that tells the model what to fix. \
             Without a key, tools see a preview: Plano Piloto, {PREVIEW_RESULTS} results, the next {PREVIEW_DAYS} days and \
             basic fields. An unknown method or tool gets an error. Sentences of tools, for example:\n\n{}",
            sentences.join("\n")
        ));
        answer["content"]["application/json"]["examples"] = self.pick(&RPC_EXAMPLES, "answer");
        responses
    }
}

fn document_schema(path: &str) -> Value {
    let list = json!({ "type": "array", "items": { "type": "object" } });
    match path {
        "/positions.json" => json!({
            "type": "object",
            "properties": {
                "bounds": { "type": "object" },
                "credit": { "type": "string" },
                "licence": { "type": "string" },
                "areas": list,
                "blocks": list,
                "landmarks": list,
            },
            "required": ["areas", "blocks", "landmarks"],
        }),
        "/openapi.json" => json!({
            "type": "object",
            "properties": {
                "openapi": { "type": "string" },
                "info": { "type": "object" },
                "paths": { "type": "object" },
            },
            "required": ["openapi", "info", "paths"],
        }),
        _ => json!({ "type": "string", "minLength": 1 }),
    }
}
