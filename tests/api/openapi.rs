//! The documents: they are the golden files, their examples are real answers, and clients find and cache them.

use std::collections::BTreeSet;
use std::path::Path;

use candango::config::Config;
use candango::http::docs;
use serde_json::{Map, Value, json};

use crate::asaas::Moved;
use crate::mail::{Mail, SOON, awaited};
use crate::service::{Shared, exchange, get, request, shared};

pub(crate) const CPF: &str = "52998224725";
pub(crate) const JSON: (&str, &str) = ("content-type", "application/json");

/// When this variable is set, tests write the golden files instead of comparing with them.
const WRITE: &str = "WRITE_GOLDEN";

/// Compares a value with a file of the repository, or writes the file.
fn assert_golden(path: &str, value: &Value) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    if std::env::var_os(WRITE).is_some() {
        std::fs::write(path, format!("{value:#}\n")).expect("written");
        return;
    }
    let golden: Value = serde_json::from_slice(&std::fs::read(&path).expect("a file")).expect("JSON");
    assert!(*value == golden, "{} has changed; if this is meant, run again with {WRITE}=1", path.display());
}

pub(crate) fn document() -> Value {
    docs::openapi(&Config::load(None, [], &[]).expect("the defaults"))
}

/// A demo service that records what it answers to a new customer, on a fixed day.
struct Recorder {
    service: Moved,
    examples: Map<String, Value>,
}

impl Recorder {
    /// Starts the service and signs up. Returns the key too.
    fn start() -> (Recorder, String) {
        let service = Moved::start(&[]);
        let recorder = Recorder { service, examples: Map::new() };
        let key = recorder.service.key();
        let headers = [("x-api-key", key.as_str()), JSON];
        awaited("a guide", SOON, || {
            let summary = request("POST", "/v1", &headers, b"{\"action\":\"summary\"}");
            (exchange(recorder.service.address(), &summary).status == 200).then_some(())
        });
        (recorder, key)
    }

    fn post(&self, path: &str, key: Option<&str>, body: &Value) -> Value {
        let mut headers = vec![JSON];
        headers.extend(key.map(|key| ("x-api-key", key)));
        let request = request("POST", path, &headers, body.to_string().as_bytes());
        let answer = exchange(self.service.address(), &request);
        assert_eq!(answer.status, 200, "{path} {body}: {}", answer.text());
        answer.json()
    }

    /// Sends a request and keeps it as an example, with long lists cut: nobody reads four hundred neighbourhoods in a
    /// reference.
    fn record(&mut self, name: &str, path: &str, key: Option<&str>, body: Value) -> Value {
        let answer = self.post(path, key, &body);
        let (mut shown, mut cut) = (answer.clone(), false);
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
        self.examples.insert(name.to_owned(), example);
        answer
    }

    /// An order that is paid. Returns its identifier.
    fn record_order(&mut self, key: &str) -> String {
        self.record("status_of_nothing", "/v1/billing/status", Some(key), json!({}));
        let order = json!({"plan": "pro", "tax_id": CPF, "name": "Maria", "method": "PIX"});
        let ordered = self.record("checkout", "/v1/billing/checkout", Some(key), order);
        self.record("status_of_an_order", "/v1/billing/status", Some(key), json!({}));
        let order = ordered["checkout_id"].as_str().expect("an order").to_owned();
        let pay = request("POST", &format!("/sandbox/{order}"), &[], b"do=pay");
        assert_eq!(exchange(self.service.address(), &pay).status, 303);
        awaited("the plan", SOON, || {
            (self.post("/v1", Some(key), &json!({"action": "usage"}))["plan"] == "pro").then_some(())
        });
        self.record("status_of_a_plan", "/v1/billing/status", Some(key), json!({}));
        order
    }

    fn record_actions(&mut self, key: &str) {
        for body in [
            json!({"action": "search_events", "q": "feira", "region": ["Plano Piloto"], "limit": 2}),
            json!({"action": "search_places", "q": "boteco 408 norte", "limit": 1}),
            json!({"action": "get_place", "id": "memorial-jk"}),
            json!({"action": "list_categories", "kind": "events"}),
            json!({"action": "list_regions"}),
            json!({"action": "summary"}),
            json!({"action": "usage"}),
            json!({"action": "suggest", "q": "asa n"}),
        ] {
            let action = body["action"].as_str().expect("a name").to_owned();
            let answer = self.record(&action, "/v1", Some(key), body);
            if action == "search_events" {
                // that of an event is of a day, and its next one is found on every day
                let id = &answer["events"][0]["series"];
                self.record("get_event", "/v1", Some(key), json!({"action": "get_event", "id": id}));
            }
        }
    }

    fn record_mcp(&mut self, key: &str) {
        let call = |arguments: Value| {
            let params = json!({"name": "search_places", "arguments": arguments});
            json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
        };
        self.record("tools_call", "/mcp", Some(key), call(json!({"q": "sushi asa sul", "limit": 1})));
        self.record("tools_call_preview", "/mcp", None, call(json!({"category": "museum", "limit": 1})));
        self.record("tools_call_refused", "/mcp", Some(key), call(json!({"region": "Copacabana"})));
        let client = json!({"name": "a client", "version": "1"});
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
        let open = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
        self.record("initialize", "/mcp", None, open);
    }

    /// Keys that are replaced and recovered. Returns the new ones, and the recovery code.
    fn record_keys(&mut self, key: &str) -> ([String; 2], String) {
        let new_key = |answer: Value| answer["api_key"].as_str().expect("a key").to_owned();
        let rotated = new_key(self.record("rotate", "/v1/keys/rotate", Some(key), json!({})));
        // this endpoint reads no body
        self.examples["rotate"].as_object_mut().expect("an example").remove("request");
        self.record("recover", "/v1/keys/recover", None, json!({"email": "a@b.c"}));
        let code = awaited("the code", SOON, || self.service.mails().iter().find_map(Mail::code));
        let body = json!({"email": "a@b.c", "code": code});
        let recovered = new_key(self.record("confirm", "/v1/keys/recover/confirm", None, body));
        ([rotated, recovered], code)
    }

    /// The examples with fixed values for what differs in every run, and placeholders for what is configured.
    fn finish(self, keys: &[&str], order: &str, code: &str) -> Value {
        let config = &self.service.app.as_ref().expect("running").config;
        let name = config.service_name.as_str();
        let mut text = Value::Object(self.examples).to_string();
        for key in keys {
            text = text.replace(key, "cdg_live_EXAMPLEexampleEXAMPLEexampleEXAMPLEkey");
            text = text.replace(&format!("\"last4\":\"{}\"", &key[key.len() - 4..]), "\"last4\":\"Ekey\"");
        }
        for (real, shown) in [
            (code, "EXAM-PLEX-CODE"),
            (order, "chk_EXAMPLEexample12"),
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
            text = text.replace(real, shown);
        }
        serde_json::from_str(&text).expect("JSON")
    }
}

#[test]
fn the_examples_are_real_answers_of_the_demo() {
    let (mut recorder, key) = Recorder::start();
    let sign_up = json!({"email": "maria@example.com", "name": "Maria"});
    recorder.record("sign_up", "/v1/signup", None, sign_up);
    let order = recorder.record_order(&key);
    recorder.record_actions(&key);
    recorder.record_mcp(&key);
    recorder.record("cancel_unconfirmed", "/v1/billing/cancel", Some(&key), json!({}));
    recorder.record("cancel", "/v1/billing/cancel", Some(&key), json!({"confirm": "yes"}));
    let ([rotated, recovered], code) = recorder.record_keys(&key);
    for name in candango::domain::action::ActionId::NAMES {
        assert!(recorder.examples.contains_key(*name), "record_actions has no call of {name}");
    }
    let examples = recorder.finish(&[&key, &rotated, &recovered], &order, &code);
    assert_golden("src/http/docs/examples.json", &examples);
}

#[test]
fn the_document_is_the_golden_one_and_the_service_serves_it() {
    assert_golden("tests/api/openapi.json", &document());
    let service = Moved::start(&["service_name=Guia & Cia de Brasília".to_owned()]);
    let config = &service.app.as_ref().expect("running").config;
    let served = get(service.address(), "/openapi.json");
    assert_eq!(served.json(), docs::openapi(config));
    assert!(!served.text().contains("{{"), "no placeholder is left");
    assert_eq!(served.json()["info"]["title"], "Guia Cia De Brasilia API", "packages are named by it");
    assert_eq!(served.json()["servers"][0]["url"], config.base_url.as_str());
}

#[test]
fn every_error_is_in_the_document() {
    let document = document();
    let text = document.to_string();
    let codes: Vec<String> = candango::domain::error::ApiError::examples()
        .iter()
        .filter(|error| error.is_public())
        .map(|error| error.details().code.to_owned())
        .collect();
    // in prose, not in the schema of an endpoint: see the descriptions of the document and of /mcp
    let in_words = ["invalid_head", "not_found", "preview_region", "preview_limited", "unknown_param"];
    for code in &codes {
        let documented = text.contains(&format!("\"code\":\"{code}\""));
        assert!(documented || in_words.contains(&code.as_str()), "{code} is not documented");
        assert!(text.contains(&format!("`{code}`")), "{code} is not listed");
    }
    assert!(
        !text.contains("wrong_token") && !text.contains("/webhooks/"),
        "that of the gateway is not for clients"
    );
}

#[test]
fn every_public_path_is_in_the_document() {
    let document = document();
    let routes = [
        include_str!("../../src/http/mod.rs"),
        include_str!("../../src/http/docs/mod.rs"),
        include_str!("../../src/http/resources.rs"),
        include_str!("../../src/http/export.rs"),
    ];
    // that of calendar addresses is documented with its end, among the forms
    let others = ["/webhooks/asaas", "/sandbox/{order}", "/v1/calendars/{file}"];
    let paths: BTreeSet<String> = routes
        .iter()
        .flat_map(|text| text.split("\"/").skip(1))
        .map(|rest| format!("/{}", rest.split('"').next().expect("a path")))
        .filter(|path| !others.contains(&path.as_str()))
        .collect();
    // the paths of other forms are made of those of JSON
    let is_form = |path: &String| [".ics", ".csv", ".geojson"].iter().any(|form| path.ends_with(form));
    let documented = document["paths"].as_object().expect("paths").keys().cloned();
    let (forms, documented): (BTreeSet<String>, BTreeSet<String>) = documented.partition(is_form);
    assert_eq!(forms.len(), 6);
    assert!(paths.len() >= 13);
    assert_eq!(paths, documented);
}

/// Every schema of the document, with where it is.
fn schemas<'v>(at: &str, value: &'v Value, found: &mut Vec<(String, &'v Value)>) {
    if value["type"].is_string() || value["type"].is_array() || value["enum"].is_array() {
        found.push((at.to_owned(), value));
    }
    let list =
        value.as_array().into_iter().flatten().enumerate().map(|(key, value)| (key.to_string(), value));
    let fields = value.as_object().into_iter().flatten().map(|(key, value)| (key.clone(), value));
    for (key, value) in list.chain(fields).filter(|(key, _)| key != "examples" && key != "example") {
        schemas(&format!("{at}/{key}"), value, found);
    }
}

#[test]
fn generated_clients_get_good_names_and_one_type_for_each_thing() {
    let document = document();
    assert_eq!(document["info"]["title"], "Candango API");
    let components = document["components"]["schemas"].as_object().expect("schemas");
    for (name, schema) in components {
        assert!(schema.get("title").is_none(), "{name} has a title, which some generators take as its name");
    }
    let mut found = Vec::new();
    schemas("", &document, &mut found);
    assert!(found.len() > 500);
    for (at, schema) in found {
        let is_component = at.matches('/').count() == 3 && at.starts_with("/components/schemas/");
        assert!(schema.get("enum").is_none() || is_component, "{at}: an enumeration without a name");
        // generators of Rust make words of them
        assert!(!schema["const"].is_boolean(), "{at}: a constant that is no text");
        let is_message = at.contains("/JsonRpc");
        assert!(schema["type"].is_string() || is_message, "{at}: several types for one thing");
    }
    for (path, operations) in document["paths"].as_object().expect("paths") {
        let get = &operations["get"];
        let content = &get["responses"]["200"]["content"];
        assert!(get.is_null() || content.as_object().is_some_and(|kinds| kinds.len() == 1), "{path}");
        let id = get["operationId"].as_str().unwrap_or("get");
        assert!(
            ["get", "list", "search", "suggest", "export"].iter().any(|verb| id.starts_with(verb)),
            "{id} has no verb"
        );
    }
}

#[test]
fn what_takes_a_list_takes_one_text_in_the_document_and_in_the_service() {
    let document = document();
    let Shared { service, pro, .. } = shared();
    let cases = [
        ("search_events", "category", "feira", json!(["feira", "samba"])),
        ("search_places", "region", "Asa Norte", json!(["Asa Norte", "Asa Sul"])),
        ("search_places", "neighbourhood", "Asa Norte", json!(["Asa Norte"])),
        ("search_events", "fields", "id,name", json!(["id", "name"])),
        ("search_places", "fields", "id,name", json!(["id"])),
        ("search_events", "facets", "day,region", json!(["day"])),
        ("search_places", "facets", "region", json!(["region", "category"])),
        ("list_categories", "parent", "comida", json!(["comida"])),
        ("list_regions", "region", "Guará", json!(["Guará"])),
    ];
    let asked = &document["paths"]["/v1"]["post"]["requestBody"]["content"]["application/json"]["schema"];
    let mut schema = asked.clone();
    schema["components"] = document["components"].clone();
    let validator = jsonschema::draft202012::new(&schema).expect("a schema");
    for (action, name, text, list) in cases {
        for value in [json!(text), list] {
            let body = json!({"action": action, (name): value});
            assert!(validator.is_valid(&body), "{body}");
            service.good(pro, body);
        }
        for wrong in [json!(7), json!([7])] {
            let body = json!({"action": action, (name): wrong});
            assert!(!validator.is_valid(&body), "{body}");
            assert_eq!(service.ask(pro, body).json()["code"], "wrong_type");
        }
    }
    // in addresses commas separate them, as one text
    for path in ["/v1/events", "/v1/places"] {
        for parameter in document["paths"][path]["get"]["parameters"].as_array().expect("parameters") {
            if ["category", "region", "fields", "facets"].iter().any(|name| parameter["name"] == *name) {
                let sent = (&parameter["style"], &parameter["explode"], &parameter["schema"]["type"]);
                assert_eq!(sent, (&json!("form"), &json!(false), &json!("array")), "{parameter}");
            }
        }
    }
}

#[test]
fn the_documents_say_what_near_relax_and_fields_do() {
    let Shared { service, pro, .. } = shared();
    let document = document();
    let schemas = &document["components"]["schemas"];
    let full = get(service.listen, "/llms-full.txt").text();
    let says = |at: &Value, words: &[&str]| {
        let text = at["description"].as_str().expect("a description").to_owned();
        for word in words {
            assert!(text.contains(word), "{word}: {text}");
        }
        assert!(full.contains(&text), "{text}");
    };
    // each is told where it finds something
    let questions = [
        json!({"action": "search_places", "q": "sushi", "category": "jazz"}),
        json!({"action": "search_places", "q": "sushi", "region": "Fercal"}),
        json!({"action": "search_places", "q": "qqqxxzz", "category": "museu"}),
        json!({"action": "search_places", "q": "qqqxxzz sushi", "strict": true}),
        // it is on Sundays
        json!({"action": "search_events", "q": "choro no eixo segunda", "strict": true}),
    ];
    let mut keys = BTreeSet::new();
    for question in questions {
        let nothing = service.good(pro, question);
        let found = nothing["relax"].as_object().expect("counts").keys();
        keys.extend(found.map(|key| if key.starts_with("text:") { "text:word" } else { key }.to_owned()));
    }
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    assert_eq!(keys, ["7_more_days", "category", "q", "region", "text:word"]);
    says(&schemas["SearchEventsAnswer"]["properties"]["relax"], &keys);
    let reach = service.good(pro, json!({"action": "search_places", "near": "Torre de TV", "limit": 1}));
    assert_eq!(reach["interpreted"]["near"]["within_m"], 5_000);
    says(&schemas["SearchPlacesRequest"]["properties"]["within_m"], &["5,000", "precision"]);
    says(&schemas["SearchPlacesRequest"]["properties"]["fields"], &["lacks"]);
    says(&schemas["GetPlaceAnswer"]["properties"]["nearby"], &["only the region", "3 km", "distance"]);
}

#[test]
fn a_browser_token_is_a_scheme_where_it_is_accepted() {
    let document = document();
    let scheme = &document["components"]["securitySchemes"]["BrowserToken"];
    assert_eq!((&scheme["in"], &scheme["name"]), (&json!("header"), &json!("x-browser-token")));
    let accepting: Vec<&str> = document["paths"]
        .as_object()
        .expect("paths")
        .iter()
        .filter(|(_, item)| item.to_string().contains("BrowserToken"))
        .map(|(path, _)| path.as_str())
        .collect();
    let expected = [
        "/v1",
        "/v1/categories",
        "/v1/events",
        "/v1/events.csv",
        "/v1/events.ics",
        "/v1/events/{id}",
        "/v1/places",
        "/v1/places.csv",
        "/v1/places/{id}",
        "/v1/regions",
        "/v1/suggest",
        "/v1/summary",
    ];
    assert_eq!(accepting, expected);
    // generated clients send what they have in every header that the document names
    let Shared { service, pro, .. } = shared();
    let token = crate::browser_tokens::issue(service, "pro@b.c", &["https://app.example"]).token;
    for (value, status) in [(pro.as_str(), 200), (token.as_str(), 200), ("cdg_live_x", 401)] {
        let bearer = format!("Bearer {value}");
        let headers = [
            ("x-api-key", value),
            ("authorization", &bearer),
            ("x-browser-token", value),
            ("origin", "https://app.example"),
        ];
        for path in accepting.iter().filter(|path| !["/v1", "/v1/suggest"].contains(path)) {
            let path = path.replace("events/{id}", "events?limit=1").replace("{id}", "memorial-jk");
            let answer = exchange(service.listen, &request("GET", &path, &headers, b""));
            assert_eq!(answer.status, status, "{path}: {}", answer.text());
        }
    }
}

#[test]
fn documents_are_cacheable_and_open_to_all_origins() {
    let address = shared().service.listen;
    for (path, kind) in [
        ("/openapi.json", "application/json; charset=utf-8"),
        ("/llms.txt", "text/plain; charset=utf-8"),
        ("/llms-full.txt", "text/plain; charset=utf-8"),
        ("/positions.json", "application/json; charset=utf-8"),
    ] {
        let answer = get(address, path);
        assert_eq!((answer.status, answer.header("content-type")), (200, Some(kind)));
        assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
        assert!(answer.header("cache-control").is_some_and(|keep| keep.starts_with("public, max-age=")));
        let tag = answer.header("etag").expect("a tag");
        let again = exchange(address, &request("GET", path, &[("if-none-match", tag)], b""));
        assert_eq!((again.status, again.body.len()), (304, 0));
        let head = exchange(address, &request("HEAD", path, &[], b""));
        assert_eq!((head.status, head.header("etag")), (200, Some(tag)));
        let refused = exchange(address, &request("POST", path, &[], b""));
        assert_eq!((refused.status, refused.header("allow")), (405, Some("GET, HEAD")));
    }
}

#[test]
fn link_headers_point_to_the_documents() {
    let address = shared().service.listen;
    for path in ["/v1/plans", "/openapi.json", "/llms.txt"] {
        let answer = get(address, path);
        let links = answer.header("link").expect("links");
        for (target, relation) in
            [("/openapi.json", "service-desc"), ("/api", "service-doc"), ("/llms.txt", "describedby")]
        {
            assert!(links.contains(&format!("http://{address}{target}>; rel=\"{relation}\"")), "{links}");
        }
    }
    let Shared { service, pro, .. } = shared();
    assert!(service.ask(pro, json!({"action": "usage"})).header("link").is_none(), "not on the hot path");
}

#[test]
fn llms_txt_is_short_and_complete() {
    let service = Moved::start(&["service_name=Guia".to_owned(), "plans.pro.price_cents=123456".to_owned()]);
    let base = service.app.as_ref().expect("running").config.base_url.to_string();
    let text = get(service.address(), "/llms.txt").text();
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
    // sections have only links
    for section in text.split("\n## ").skip(1) {
        let lines = section.lines().skip(1).filter(|line| !line.is_empty());
        assert!(lines.clone().count() > 0 && lines.clone().all(|line| line.starts_with("- [")), "{section}");
    }
    let full = get(service.address(), "/llms-full.txt").text();
    assert!(full.starts_with(text.split("\n## ").next().expect("an opening")), "both start alike");
    for action in candango::actions::Action::all() {
        assert!(full.contains(&format!("### {}\n", action.name())), "{}", action.name());
        assert!(action.params.iter().all(|param| full.contains(param.description)), "{}", action.name());
    }
    // a number has the default that holds for it, if there is one
    assert!(full.contains("- `limit` (integer from 1 to 50, default 20 (10 for agents)): "));
    assert!(full.contains("- `within_m` (integer from 1 to 50000): "));
    for path in document()["paths"].as_object().expect("paths").keys().filter(|path| *path != "/v1") {
        assert!(full.contains(&format!(" {path}\n")), "{path}");
    }
    for error in candango::domain::error::ApiError::examples().iter().filter(|error| error.is_public()) {
        let code = error.details().code;
        assert!(full.contains(&format!("`{code}`")), "{code}");
    }
}
