//! The documents say what the service does: every answer of every endpoint, good or not, is held to the OpenAPI
//! document, with nothing left over on either side, and the examples in it are what the demo really answered.

use std::collections::BTreeSet;
use std::io::Write;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Mutex;

use candango::config::Config;
use candango::http::docs;
use jsonschema::{Draft, Validator};
use serde_json::{Map, Value, json};

use crate::asaas::Moved;
use crate::bad_input;
use crate::mail::{Mail, awaited, outbox};
use crate::service::{Answer, Service, Shared, exchange, get, open, read, request, shared};
use crate::v1::full_guide;

const CPF: &str = "52998224725";
const SOON: std::time::Duration = std::time::Duration::from_secs(20);

/// Set, the files that tests compare with are written instead.
const WRITE: &str = "WRITE_GOLDEN";

/// Compares with a file of the repository, or writes it.
fn is_kept(path: &str, told: &Value) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let text = format!("{told:#}\n");
    if std::env::var_os(WRITE).is_some() {
        std::fs::write(path, text).expect("written");
        return;
    }
    let kept: Value = serde_json::from_slice(&std::fs::read(&path).expect("a file")).expect("JSON");
    assert!(*told == kept, "{} has changed; when this is meant, run again with {WRITE}=1", path.display());
}

fn document() -> Value {
    docs::openapi(&Config::load(None, [], &[]).expect("the defaults"))
}

/// What was answered on the way of a new customer, under a clock that stands, made the same for every run.
#[test]
fn the_examples_are_real_answers_of_the_demo() {
    let service = Moved::start(&["allowed_hosts=test".to_owned()]);
    let door = service.door();
    let mut examples = Map::new();
    let mut key = service.key();
    awaited("a guide", SOON, || {
        let headers = [("x-api-key", key.as_str()), JSON];
        let answer = exchange(door, &request("POST", "/v1", &headers, b"{\"action\":\"summary\"}"));
        (answer.status == 200).then_some(())
    });
    let post = |path: &str, key: Option<&str>, body: &Value| -> Value {
        let mut headers = vec![("content-type", "application/json")];
        headers.extend(key.map(|key| ("x-api-key", key)));
        let answer = exchange(door, &request("POST", path, &headers, body.to_string().as_bytes()));
        assert_eq!(answer.status, 200, "{path} {body}: {}", answer.text());
        answer.json()
    };
    let mut keep = |name: &str, path: &str, key: Option<&str>, body: Value| {
        let answer = post(path, key, &body);
        let (mut shown, mut cut) = (answer.clone(), false);
        // nobody reads the four hundred neighbourhoods of a summary in a reference
        for list in
            shown.as_object_mut().into_iter().flat_map(Map::values_mut).filter_map(Value::as_array_mut)
        {
            cut |= list.len() > 3;
            list.truncate(3);
        }
        let mut example = json!({ "request": body, "answer": shown });
        if cut {
            example["cut"] = json!(true);
        }
        examples.insert(name.to_owned(), example);
        answer
    };

    keep("sign_up", "/v1/signup", None, json!({"email": "maria@example.com", "name": "Maria"}));
    keep("status_of_nothing", "/v1/billing/status", Some(&key), json!({}));
    let order = json!({"plan": "pro", "tax_id": CPF, "name": "Maria", "method": "PIX"});
    let ordered = keep("checkout", "/v1/billing/checkout", Some(&key), order);
    keep("status_of_an_order", "/v1/billing/status", Some(&key), json!({}));
    let order = ordered["checkout_id"].as_str().expect("an order").to_owned();
    let paid = exchange(door, &request("POST", &format!("/sandbox/{order}"), &[], b"do=pay"));
    assert_eq!(paid.status, 303);
    awaited("the plan", SOON, || {
        (post("/v1", Some(&key), &json!({"action": "usage"}))["plan"] == "pro").then_some(())
    });
    keep("status_of_a_plan", "/v1/billing/status", Some(&key), json!({}));

    for body in [
        json!({"action": "search_events", "q": "feira", "region": "Plano Piloto", "limit": 2}),
        json!({"action": "search_places", "q": "boteco 408 norte", "limit": 1}),
        json!({"action": "get_place", "id": "memorial-jk"}),
        json!({"action": "list_categories", "kind": "events"}),
        json!({"action": "list_regions"}),
        json!({"action": "summary"}),
        json!({"action": "usage"}),
    ] {
        let action = body["action"].as_str().expect("a name").to_owned();
        let answer = keep(&action, "/v1", Some(&key), body);
        if action == "search_events" {
            let id = &answer["events"][0]["id"];
            keep("get_event", "/v1", Some(&key), json!({"action": "get_event", "id": id}));
        }
    }
    let call = |tool: &str, arguments: Value| {
        let params = json!({"name": tool, "arguments": arguments});
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    };
    keep("tools_call", "/mcp", Some(&key), call("search_places", json!({"q": "sushi asa sul", "limit": 1})));
    keep(
        "tools_call_preview",
        "/mcp",
        None,
        call("search_places", json!({"category": "museum", "limit": 1})),
    );
    keep("tools_call_refused", "/mcp", Some(&key), call("search_places", json!({"region": "Copacabana"})));
    let client = json!({"name": "a client", "version": "1"});
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
    let open = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
    keep("initialize", "/mcp", None, open);

    keep("cancel_unconfirmed", "/v1/billing/cancel", Some(&key), json!({}));
    keep("cancel", "/v1/billing/cancel", Some(&key), json!({"confirm": "yes"}));
    let mut keys = vec![key.clone()];
    key = keep("rotate", "/v1/keys/rotate", Some(&key), json!({}))["api_key"]
        .as_str()
        .expect("a key")
        .to_owned();
    keys.push(key);
    keep("recover", "/v1/keys/recover", None, json!({"email": "a@b.c"}));
    let code = awaited("the code", SOON, || service.letters().iter().find_map(Mail::code));
    let confirmed =
        keep("confirm", "/v1/keys/recover/confirm", None, json!({"email": "a@b.c", "code": code}));
    keys.push(confirmed["api_key"].as_str().expect("a key").to_owned());
    // it takes no body
    examples["rotate"].as_object_mut().expect("an example").remove("request");

    // what is another in every run is replaced, and what a setting says is left open
    let config = &service.app.as_ref().expect("running").config;
    let name = config.service_name.as_str();
    let mut told = Value::Object(examples).to_string();
    for key in &keys {
        told = told.replace(key, "cdg_live_EXAMPLEexampleEXAMPLEexampleEXAMPLEkey");
        told = told.replace(&format!("\"last4\":\"{}\"", &key[key.len() - 4..]), "\"last4\":\"Ekey\"");
    }
    for (real, shown) in [
        (code.as_str(), "EXAM-PLEX-CODE"),
        (order.as_str(), "chk_EXAMPLEexample12"),
        ("a@b.c", "maria@example.com"),
        (CPF, "529.982.247-25"),
        (&format!("\"url\":\"{}\"", config.service_site), "\"url\":\"{{service_site}}\""),
        (&format!("\\\"url\\\":\\\"{}\\\"", config.service_site), "\\\"url\\\":\\\"{{service_site}}\\\""),
        (&format!("\"websiteUrl\":\"{}\"", config.service_site), "\"websiteUrl\":\"{{service_site}}\""),
        (&config.base_url.to_string(), "{{base_url}}"),
        (&format!("Dicas por {name}"), "Dicas por {{service_name}}"),
        (&format!("\"text\":\"{name}\""), "\"text\":\"{{service_name}}\""),
        (&format!("\\\"text\\\":\\\"{name}\\\""), "\\\"text\\\":\\\"{{service_name}}\\\""),
        (&format!("\"{name}: guide"), "\"{{service_name}}: guide"),
        (&format!("\"{name} is"), "\"{{service_name}} is"),
    ] {
        told = told.replace(real, shown);
    }
    is_kept("src/http/docs/examples.json", &serde_json::from_str(&told).expect("JSON"));
}

#[test]
fn the_document_is_the_golden_one_and_is_what_is_served() {
    is_kept("tests/api/openapi.json", &document());
    let service = Moved::start(&["service_name=Guia & Cia".to_owned()]);
    let config = &service.app.as_ref().expect("running").config;
    let served = get(service.door(), "/openapi.json");
    assert_eq!(served.json(), docs::openapi(config));
    assert!(!served.text().contains("{{"), "nothing is left open");
    assert_eq!(served.json()["servers"][0]["url"], config.base_url.as_str());
}

/// The document as those who hold answers to it need it: its schemas take nothing that they do not name.
struct Promise {
    document: Value,
    /// What was seen of it: endpoints and statuses, codes, fields of shapes.
    seen: Mutex<BTreeSet<String>>,
}

impl Promise {
    fn new() -> Promise {
        let mut document = document();
        let schemas = document["components"]["schemas"].as_object_mut().expect("schemas");
        for (name, schema) in schemas {
            if schema.get("properties").is_some()
                && !name.ends_with("Request")
                && !name.starts_with("JsonRpc")
            {
                schema["additionalProperties"] = json!(false);
            }
        }
        Promise { document, seen: Mutex::default() }
    }

    fn resolved<'v>(&'v self, value: &'v Value) -> &'v Value {
        match value["$ref"].as_str() {
            Some(reference) => self.document.pointer(&reference[1..]).expect("a component"),
            None => value,
        }
    }

    fn validator(&self, schema: &Value) -> Validator {
        let mut whole = schema.clone();
        whole["components"] = self.document["components"].clone();
        let options = jsonschema::options().with_draft(Draft::Draft202012).should_validate_formats(true);
        options.build(&whole).expect("a schema")
    }

    fn assert_fits(&self, schema: &Value, value: &Value, told: &str) {
        let errors: Vec<String> = self
            .validator(schema)
            .iter_errors(value)
            .map(|error| format!("{error} at {}", error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{told}: {errors:#?}\n{value:#}");
        self.note_fields(schema, value);
    }

    /// Notes the fields that are there, by the shapes they are of.
    fn note_fields(&self, schema: &Value, value: &Value) {
        if let Some(one) = schema["oneOf"].as_array() {
            let fits = one.iter().find(|schema| self.validator(schema).is_valid(value));
            return self.note_fields(fits.expect("one fits"), value);
        }
        for part in schema["allOf"].as_array().into_iter().flatten() {
            self.note_fields(part, value);
        }
        let name = schema["$ref"].as_str().and_then(|reference| reference.rsplit('/').next());
        let schema = self.resolved(schema);
        for item in value.as_array().into_iter().flatten() {
            self.note_fields(&schema["items"], item);
        }
        for (field, inner) in value.as_object().into_iter().flatten() {
            if let Some(name) = name {
                self.note(format!("{name}.{field}"));
            }
            self.note_fields(&schema["properties"][field], inner);
        }
    }

    fn note(&self, what: String) {
        self.seen.lock().expect("nobody fails here").insert(what);
    }

    /// Sends a request and holds it, when it is answered well, and its answer to the document.
    fn keeps(
        &self,
        door: SocketAddr,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Answer {
        let answer = exchange(door, &request(method, path, headers, body));
        self.holds(path, &answer);
        let of_body = &self.document["paths"][path][method.to_lowercase()]["requestBody"]["content"];
        if let Some(schema) = of_body["application/json"].get("schema").filter(|_| answer.status == 200)
            && let Ok(sent) = serde_json::from_slice::<Value>(body)
        {
            let errors: Vec<String> =
                self.validator(schema).iter_errors(&sent).map(|error| error.to_string()).collect();
            assert!(errors.is_empty(), "{path} takes {sent}, and the document does not: {errors:?}");
        }
        answer
    }

    /// Holds an answer to the document.
    fn holds(&self, path: &str, answer: &Answer) {
        let status = answer.status.to_string();
        let told = format!("{path} {status} {}", answer.text().chars().take(300).collect::<String>());
        let operations = self.document["paths"][path].as_object().expect(path);
        let (_, operation) = operations.iter().next().expect("an operation");
        let promised = operation["responses"].get(&status).unwrap_or_else(|| panic!("not promised: {told}"));
        let promised = self.resolved(promised);
        self.note(format!("{path} {status}"));
        for (name, header) in promised["headers"].as_object().expect("headers") {
            let header = self.resolved(header);
            let value = answer.header(name);
            assert!(value.is_some() || header["required"] != true, "no {name}: {told}");
            if let Some(number) = value.filter(|_| header["schema"]["type"] == "integer") {
                assert!(number.parse::<u32>().is_ok(), "{name}: {number}");
            }
        }
        let undocumented = [
            "content-type",
            "content-length",
            "date",
            "connection",
            "x-content-type-options",
            "cache-control",
        ];
        for line in answer.head.lines().skip(1).filter(|line| !line.is_empty()) {
            let (name, _) = line.split_once(':').expect("a header");
            let known = promised["headers"].get(name).is_some() || undocumented.contains(&name);
            // with these it depends on whether the key was read before
            let maybe = [400, 503].contains(&answer.status) && name.contains("ratelimit");
            assert!(known || maybe, "{name} is not told of: {told}");
        }
        let Some(content) = promised["content"].as_object() else {
            assert!(answer.body.is_empty(), "{told}");
            return;
        };
        let kind = answer.header("content-type").and_then(|kind| kind.split(';').next()).unwrap_or_default();
        let schema = &content.get(kind).unwrap_or_else(|| panic!("{kind} is not promised: {told}"))["schema"];
        match kind {
            "application/json" => {
                let body = answer.json();
                if let Some(code) = body["code"].as_str() {
                    self.note(format!("{path} {code}"));
                    self.note(format!("code {code}"));
                }
                self.assert_fits(schema, &body, &told);
            }
            _ => assert!(!answer.body.is_empty(), "{told}"),
        }
    }

    /// Of all that the document promises, what was not seen.
    fn unseen(&self) -> BTreeSet<String> {
        let mut promised = BTreeSet::new();
        for (path, operations) in self.document["paths"].as_object().expect("paths") {
            for operation in operations.as_object().expect("operations").values() {
                for (status, response) in operation["responses"].as_object().expect("responses") {
                    promised.insert(format!("{path} {status}"));
                    let content = &self.resolved(response)["content"]["application/json"];
                    for code in
                        content["schema"]["properties"]["code"]["enum"].as_array().into_iter().flatten()
                    {
                        promised.insert(format!("{path} {}", code.as_str().expect("a code")));
                    }
                }
            }
        }
        for (name, schema) in self.document["components"]["schemas"].as_object().expect("schemas") {
            let fields = schema["properties"].as_object();
            let answered = !name.ends_with("Request") && name != "JsonRpcNotification";
            for field in fields.into_iter().flatten().map(|(field, _)| field).filter(|_| answered) {
                promised.insert(format!("{name}.{field}"));
            }
        }
        let seen = self.seen.lock().expect("nobody fails here");
        promised.difference(&seen).cloned().collect()
    }
}

const JSON: (&str, &str) = ("content-type", "application/json");

#[test]
fn every_answer_is_what_the_document_promises_and_every_promise_is_kept() {
    let promise = Promise::new();
    let Shared { service, pro, free } = shared();
    let door = service.listen;
    let post = |door: SocketAddr, path: &str, key: &str, body: Value| {
        promise.keeps(door, "POST", path, &[("x-api-key", key), JSON], body.to_string().as_bytes())
    };
    let v1 = |key: &str, body: Value| post(door, "/v1", key, body);

    // questions, good and bad
    for action in ["search_events", "search_places"] {
        for question in [
            json!({}),
            json!({"q": "samba sexta", "limit": "3", "category": null, "cursor": ""}),
            json!({"q": "408 norte", "from": "", "to": null, "limit": " "}),
            json!({"category": "bakery", "neighbourhood": "asa norte", "x": 1}),
            json!({"q": "memoriall"}),
            json!({"q": "qqqxxzz", "region": "Asa Norte", "category": "jazz"}),
            json!({"region": "Centro"}),
        ] {
            for key in [pro, free] {
                let mut body = question.clone();
                body["action"] = json!(action);
                assert_eq!(v1(key, body).status, 200);
            }
        }
    }
    for body in [
        json!({"action": "get_place", "id": "memorial-jk", "x": 1}),
        json!({"action": "list_categories", "kind": "", "x": 1}),
        json!({"action": "list_categories", "kind": "places"}),
        json!({"action": "list_regions", "x": 1}),
        json!({"action": "summary", "x": 1}),
        json!({"action": "usage", "x": 1}),
    ] {
        assert_eq!(v1(pro, body).status, 200);
    }
    for case in bad_input::cases() {
        let headers: Vec<(&str, &str)> =
            case.headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let documented = promise.document["paths"].get(case.path).is_some();
        // what HTTP itself forbids is refused before anyone reads it
        if documented && !headers.iter().any(|(_, value)| value.contains('\u{7f}')) {
            promise.keeps(door, case.method, case.path, &headers, &case.body);
        }
    }
    for (name, body) in [
        ("unknown_choice", json!({"action": "list_categories", "kind": "wat"})),
        ("dates_reversed", json!({"action": "search_events", "from": "2026-12-02", "to": "2026-12-01"})),
    ] {
        assert_eq!(v1(pro, body).json()["code"], name);
    }
    let full = full_guide();
    let full_key = full.key("pro");
    for action in ["search_events", "search_places"] {
        assert_eq!(post(full.listen, "/v1", &full_key, json!({"action": action})).status, 200);
    }
    assert_eq!(
        post(full.listen, "/v1", &full_key, json!({"action": "get_event", "id": "inside", "x": 1})).status,
        200
    );

    // whatever reads a body reads it alike, and whatever wants a key wants it alike
    let paths = promise.document["paths"].as_object().expect("paths").clone();
    for (path, operations) in &paths {
        let (method, operation) = operations.as_object().expect("operations").iter().next().expect("one");
        let method = method.to_uppercase();
        promise.keeps(door, if method == "GET" { "POST" } else { "GET" }, path, &[], b"");
        let key = [("x-api-key", pro.as_str()), JSON];
        if operation.get("requestBody").is_some() {
            let fields: Vec<String> = (0..70).map(|at| format!("\"x{at}\":1")).collect();
            let crowd = format!("{{{}}}", fields.join(","));
            for body in ["{", "[]", crowd.as_str(), &"x".repeat(70_000)] {
                promise.keeps(door, &method, path, &key, body.as_bytes());
            }
            let text = [("x-api-key", pro.as_str()), ("content-type", "text/plain")];
            promise.keeps(door, &method, path, &text, b"{}");
            for name in ["email", "plan", "confirm", "action", "code"] {
                promise.keeps(door, &method, path, &key, json!({name: 1}).to_string().as_bytes());
            }
            promise.keeps(door, &method, path, &key, b"{}");
        }
        if operation["security"].as_array().is_some_and(|ways| !ways.is_empty()) {
            for headers in [
                &[JSON][..],
                &[JSON, ("x-api-key", "nobody")],
                &[JSON, ("x-api-key", pro), ("authorization", "Bearer other")],
            ] {
                promise.keeps(door, &method, path, headers, b"{}");
            }
        }
    }

    // accounts
    let email = "openapi@x.example";
    let open_to_all =
        |path: &str, body: Value| promise.keeps(door, "POST", path, &[JSON], body.to_string().as_bytes());
    assert_eq!(
        open_to_all("/v1/signup", json!({"email": email, "name": null, "use_case": "", "x": 1})).status,
        200
    );
    let key = outbox(service, email, 1)[0].key().expect("a key");
    for path in ["/v1/signup", "/v1/keys/recover", "/v1/keys/recover/confirm"] {
        for email in ["nobody", ""] {
            open_to_all(path, json!({"email": email, "code": "x"}));
        }
    }
    open_to_all("/v1/signup", json!({"email": email, "name": "x".repeat(121)}));
    for path in ["/v1/signup", "/v1/keys/recover"] {
        for _ in 0..4 {
            open_to_all(path, json!({"email": "often@x.example", "x": 1}));
        }
    }
    open_to_all("/v1/keys/recover/confirm", json!({"email": email, "code": "XXXX-XXXX-XXXX"}));
    assert_eq!(open_to_all("/v1/keys/recover", json!({"email": email})).status, 200);
    let code = outbox(service, email, 2)[1].code().expect("a code");
    let renewed = open_to_all("/v1/keys/recover/confirm", json!({"email": email, "code": code, "x": 1}));
    assert_eq!(renewed.status, 200);
    let rotated =
        post(door, "/v1/keys/rotate", renewed.json()["api_key"].as_str().expect("a key"), json!({}));
    let key = [key, rotated.json()["api_key"].as_str().expect("a key").to_owned()][1].clone();

    // payments
    assert_eq!(post(door, "/v1/billing/cancel", &key, json!({"confirm": "yes"})).status, 400);
    assert_eq!(post(door, "/v1/billing/status", &key, json!({})).status, 200);
    for body in [
        json!({"plan": "free", "tax_id": CPF}),
        json!({"plan": "pro", "tax_id": "1"}),
        json!({"plan": "pro", "tax_id": CPF, "method": "CASH"}),
        json!({"plan": "pro", "tax_id": CPF, "name": "x".repeat(101)}),
        json!({"plan": "pro"}),
    ] {
        assert_eq!(post(door, "/v1/billing/checkout", &key, body).status, 400);
    }
    let checkout = |plan: &str, idempotency: &str| {
        let body = json!({"plan": plan, "tax_id": CPF, "method": "PIX", "name": "", "x": 1}).to_string();
        let headers = [("x-api-key", key.as_str()), JSON, ("idempotency-key", idempotency)];
        promise.keeps(door, "POST", "/v1/billing/checkout", &headers, body.as_bytes())
    };
    assert_eq!(checkout("pro", &"k".repeat(201)).status, 400);
    let order = checkout("pro", "one");
    assert_eq!(order.status, 200);
    assert_eq!(checkout("gringo", "one").json()["code"], "idempotency_mismatch");
    post(door, "/v1/billing/status", &key, json!({"x": 1}));
    let page = format!("/sandbox/{}", order.json()["checkout_id"].as_str().expect("an order"));
    assert_eq!(exchange(door, &request("POST", &page, &[], b"do=pay")).status, 303);
    awaited("the plan", SOON, || {
        (post(door, "/v1/billing/status", &key, json!({})).json()["plan"] == "pro").then_some(())
    });
    assert_eq!(checkout("pro", "two").json()["code"], "same_plan");
    for at in 0..25 {
        let plan = if at % 2 == 0 { "gringo" } else { "business" };
        checkout(plan, &format!("n{at}"));
    }
    for confirm in [json!({"x": 1}), json!({"confirm": null}), json!({"confirm": "yes"})] {
        assert_eq!(post(door, "/v1/billing/cancel", &key, confirm).status, 200);
    }

    // the rest of what the documents are
    for path in ["/v1/plans", "/openapi.json", "/llms.txt", "/llms-full.txt"] {
        let answer = promise.keeps(door, "GET", path, &[], b"");
        if let Some(tag) = answer.header("etag") {
            assert_eq!(promise.keeps(door, "GET", path, &[("if-none-match", tag)], b"").status, 304);
        }
    }
    agents(&promise, door, pro);
    spent(&promise);
    closed(&promise);
    crowded(&promise);

    let unseen: Vec<String> =
        promise.unseen().into_iter().filter(|promised| !cannot_be_made(promised)).collect();
    assert!(unseen.is_empty(), "promised, and not seen: {unseen:#?}");
}

/// Agents' messages.
fn agents(promise: &Promise, door: SocketAddr, key: &str) {
    let message =
        |method: &str, params: Value| json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let send = |headers: &[(&str, &str)], body: &Value| {
        promise.keeps(door, "POST", "/mcp", headers, body.to_string().as_bytes()).status
    };
    let ping = message("ping", json!({}));
    let call = message("tools/call", json!({"name": "search_places", "arguments": {"limit": 1}}));
    for body in [&ping, &call, &message("tools/list", json!(null)), &message("nothing", json!({}))] {
        for headers in [&[JSON][..], &[JSON, ("authorization", &format!("Bearer {key}"))]] {
            assert_eq!(send(headers, body), 200);
        }
        assert_eq!(send(&[JSON, ("accept", "text/event-stream")], body), 200);
    }
    assert_eq!(send(&[JSON], &json!({"jsonrpc": "2.0", "method": "notifications/initialized"})), 202);
    assert_eq!(send(&[JSON], &json!({"jsonrpc": "2.0", "id": 1})), 400);
    assert_eq!(send(&[JSON, ("accept", "image/png")], &ping), 406);
    assert_eq!(send(&[JSON, ("origin", "https://elsewhere.example")], &ping), 403);
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}});
    let newer = [JSON, ("mcp-protocol-version", "2026-07-28"), ("mcp-method", "nothing")];
    assert_eq!(send(&newer, &message("nothing", json!({"_meta": meta}))), 404);
    let unknown = [JSON, ("mcp-protocol-version", "1999-01-01")];
    assert_eq!(send(&unknown, &ping), 400, "with data");
    promise.keeps(door, "GET", "/mcp", &[("accept", "text/html")], b"");
}

/// Calls that are spent, and recoveries.
fn spent(promise: &Promise) {
    let service = Service::start_with(&[
        "plans.pro.per_month=1",
        "signup.per_address_day=1000",
        "signup.per_ip_hour=3",
        "signup.per_ip_day=3",
    ]);
    let key = service.key("pro");
    let headers = [("x-api-key", key.as_str()), JSON];
    let body = json!({"action": "search_places", "limit": 1}).to_string();
    for status in [200, 429] {
        let answer = promise.keeps(service.listen, "POST", "/v1", &headers, body.as_bytes());
        assert_eq!(answer.status, status);
    }
    for _ in 0..4 {
        let body = json!({"email": "a@b.c", "code": "x"}).to_string();
        promise.keeps(service.listen, "POST", "/v1/keys/recover/confirm", &[JSON], body.as_bytes());
    }
    let service = Service::start_with(&["plans.free.per_minute=1"]);
    let issued =
        crate::service::run(&service.data, &["key", "issue", "--email", "f@b.c", "--plan", "free", "--json"]);
    let key = crate::service::printed_json(&issued, 0)["api_key"].as_str().expect("a key").to_owned();
    let headers = [("x-api-key", key.as_str()), JSON];
    for path in ["/v1", "/v1/keys/rotate", "/v1/billing/checkout", "/v1/billing/status", "/v1/billing/cancel"]
    {
        awaited("a spent minute", SOON, || {
            let answer = exchange(service.listen, &request("POST", path, &headers, b"{}"));
            if answer.status != 401 {
                promise.holds(path, &answer);
            }
            (answer.status == 429).then_some(())
        });
    }
}

/// Where nobody takes money.
fn closed(promise: &Promise) {
    let service = Service::start_with(&["payments=none"]);
    let key = service.key("free");
    let body = json!({"plan": "pro", "tax_id": CPF}).to_string();
    let headers = [("x-api-key", key.as_str()), JSON];
    let answer = promise.keeps(service.listen, "POST", "/v1/billing/checkout", &headers, body.as_bytes());
    assert_eq!(answer.json()["code"], "billing_closed");
}

/// Requests that take too long, and connections too many.
fn crowded(promise: &Promise) {
    let service = Service::start_with(&["limits.connections=1", "limits.request_timeout_ms=300"]);
    for (path, operations) in promise.document["paths"].as_object().expect("paths") {
        let is_post = operations.get("post").is_some();
        let method = if is_post { "POST" } else { "GET" };
        let busy = awaited("a full house", SOON, || {
            let _held = open(service.listen);
            let answer = exchange(service.listen, &request(method, path, &[], b""));
            (answer.status == 503).then_some(answer)
        });
        promise.holds(path, &busy);
        let slow = format!("{method} {path} HTTP/1.1\r\nhost: test\r\ncontent-length: 9\r\n\r\nhalf");
        let late = awaited("a place", SOON, || {
            let mut late = open(service.listen);
            late.write_all(slow.as_bytes()).ok()?;
            read(&mut late, false).filter(|answer| answer.status != 503)
        });
        if late.status == 408 {
            promise.holds(path, &late);
        }
    }
}

/// Promises that no test can make the service keep.
fn cannot_be_made(promised: &str) -> bool {
    let Some((path, what)) = promised.split_once(' ') else { return false };
    match what {
        // faults of ours, of the gateway and of the store, which other tests provoke from within
        "500" | "internal" | "gateway_unavailable" | "store_unavailable" | "no_guide" => true,
        // these read no body, and have answered before it could be late
        "408" | "request_timeout" => {
            ["/v1/plans", "/v1/keys/rotate", "/openapi.json", "/llms.txt", "/llms-full.txt"].contains(&path)
        }
        _ => false,
    }
}

#[test]
fn every_refusal_has_its_place_in_the_document() {
    let document = document();
    let text = document.to_string();
    let codes: Vec<String> = candango::domain::error::ApiError::examples()
        .iter()
        .map(|refusal| refusal.details().code.to_owned())
        .filter(|code| !["wrong_token", "foreign_form"].contains(&code.as_str()))
        .collect();
    // told of in words, where there is no code: see the description of the document and of /mcp
    let in_words = ["not_found", "preview_region", "preview_limited", "unknown_param"];
    for code in &codes {
        let promised = text.contains(&format!("\"code\":\"{code}\""));
        assert!(promised || in_words.contains(&code.as_str()), "{code} is promised nowhere");
        assert!(text.contains(&format!("`{code}`")), "{code} is not listed");
    }
    assert!(
        !text.contains("wrong_token") && !text.contains("webhooks"),
        "the gateway's door is for no client"
    );
}

#[test]
fn every_path_that_is_for_clients_is_in_the_document() {
    let document = document();
    let routes = [include_str!("../../src/http/mod.rs"), include_str!("../../src/http/docs/mod.rs")];
    let named = |path: &&str| document["paths"].get(path).is_some();
    let others = ["/webhooks/asaas", "/sandbox/{order}"];
    let paths: Vec<&str> = routes
        .iter()
        .flat_map(|text| text.split(".route(\"").skip(1))
        .map(|rest| rest.split('"').next().expect("a path"))
        .filter(|path| !others.contains(path))
        .collect();
    assert!(paths.len() >= 12 && paths.iter().all(named), "{paths:?}");
    assert_eq!(document["paths"].as_object().map(Map::len), Some(paths.len() + 1), "and /mcp");
}

#[test]
fn the_documents_may_be_kept_and_read_from_anywhere() {
    let door = shared().service.listen;
    for (path, kind) in [
        ("/openapi.json", "application/json; charset=utf-8"),
        ("/llms.txt", "text/plain; charset=utf-8"),
        ("/llms-full.txt", "text/plain; charset=utf-8"),
    ] {
        let answer = get(door, path);
        assert_eq!((answer.status, answer.header("content-type")), (200, Some(kind)));
        assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
        assert!(answer.header("cache-control").is_some_and(|keep| keep.starts_with("public, max-age=")));
        let tag = answer.header("etag").expect("a tag");
        let again = exchange(door, &request("GET", path, &[("if-none-match", tag)], b""));
        assert_eq!((again.status, again.body.len()), (304, 0));
        let head = exchange(door, &request("HEAD", path, &[], b""));
        assert_eq!((head.status, head.header("etag")), (200, Some(tag)));
        let refused = exchange(door, &request("POST", path, &[], b""));
        assert_eq!((refused.status, refused.header("allow")), (405, Some("GET, HEAD")));
    }
}

#[test]
fn clients_find_the_documents_by_the_links_of_what_they_meet() {
    let door = shared().service.listen;
    for path in ["/v1/plans", "/openapi.json", "/llms.txt"] {
        let answer = get(door, path);
        let links = answer.header("link").expect("links");
        for (target, relation) in
            [("/openapi.json", "service-desc"), ("/api", "service-doc"), ("/llms.txt", "describedby")]
        {
            assert!(links.contains(&format!("http://{door}{target}>; rel=\"{relation}\"")), "{links}");
        }
    }
    let Shared { service, pro, .. } = shared();
    assert!(service.ask(pro, json!({"action": "usage"})).header("link").is_none(), "not on the hot path");
}

#[test]
fn llms_txt_is_short_and_says_what_it_must() {
    let service = Moved::start(&["service_name=Guia".to_owned(), "plans.pro.price_cents=123456".to_owned()]);
    let base = service.app.as_ref().expect("running").config.base_url.to_string();
    let text = get(service.door(), "/llms.txt").text();
    assert!(text.len() < 4_096, "{} bytes", text.len());
    assert!(text.starts_with("# Guia\n\n> "), "{text}");
    for must in [
        "R$ 1.234,56",
        "Dicas por Guia",
        &format!("{base}/mcp"),
        &format!("]({base}/openapi.json)"),
        &format!("]({base}/llms-full.txt)"),
        &format!("curl {base}/v1"),
    ] {
        assert!(text.contains(must), "{must} is not in {text}");
    }
    // below a heading of the second level there are only links
    for section in text.split("\n## ").skip(1) {
        let lines = section.lines().skip(1).filter(|line| !line.is_empty());
        assert!(lines.clone().count() > 0 && lines.clone().all(|line| line.starts_with("- [")), "{section}");
    }
    let full = get(service.door(), "/llms-full.txt").text();
    assert!(full.starts_with(text.split("\n## ").next().expect("an opening")), "they open alike");
    for action in candango::actions::ACTIONS {
        assert!(full.contains(&format!("### {}\n", action.name)), "{}", action.name);
        assert!(action.params.iter().all(|param| full.contains(param.description)), "{}", action.name);
    }
    for path in document()["paths"].as_object().expect("paths").keys().filter(|path| *path != "/v1") {
        assert!(full.contains(&format!(" {path}\n")), "{path}");
    }
    for refusal in candango::domain::error::ApiError::examples() {
        let code = refusal.details().code;
        assert!(
            full.contains(&format!("`{code}`")) || ["wrong_token", "foreign_form"].contains(&code),
            "{code}"
        );
    }
}
