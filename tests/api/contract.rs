//! Every answer of every endpoint, errors included, is checked against the OpenAPI document: no answer has an
//! undocumented status, header or field, and every documented one is seen.

use std::collections::BTreeSet;
use std::io::Write;
use std::net::SocketAddr;
use std::sync::Mutex;

use jsonschema::{Draft, Validator};
use serde_json::{Value, json};

use crate::bad_input;
use crate::mail::{SOON, awaited, outbox};
use crate::openapi::{CPF, JSON, document};
use crate::service::{Answer, Service, Shared, edit, exchange, open, printed, read, request, run, shared};
use crate::v1::{full_guide, full_guide_with, priced_guide};

/// The OpenAPI document, with schemas that accept only the fields that they name.
struct Contract {
    document: Value,
    /// The parts of it that answers have used: statuses and codes of endpoints, fields of types.
    seen: Mutex<BTreeSet<String>>,
}

impl Contract {
    fn new() -> Contract {
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
        Contract { document, seen: Mutex::default() }
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

    fn assert_fits(&self, schema: &Value, value: &Value, context: &str) {
        let errors: Vec<String> = self
            .validator(schema)
            .iter_errors(value)
            .map(|error| format!("{error} at {}", error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{context}: {errors:#?}\n{value:#}");
        self.note_fields(schema, value);
    }

    /// Notes the fields that are present, by type.
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
        self.seen.lock().expect("no panic holds the lock").insert(what);
    }

    /// Sends a request and checks the answer. A request that is answered 200 must also fit the document.
    fn send(
        &self,
        address: SocketAddr,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Answer {
        let answer = exchange(address, &request(method, path, headers, body));
        self.check(path, &answer);
        let of_body =
            &self.document["paths"][self.documented(path)][method.to_lowercase()]["requestBody"]["content"];
        if let Some(schema) = of_body["application/json"].get("schema").filter(|_| answer.status == 200)
            && let Ok(sent) = serde_json::from_slice::<Value>(body)
        {
            let sent = self.without_leniency(schema, sent);
            let errors: Vec<String> =
                self.validator(schema).iter_errors(&sent).map(|error| error.to_string()).collect();
            assert!(errors.is_empty(), "{path} accepts {sent}, but the document does not: {errors:?}");
        }
        answer
    }

    /// A request as a strict client sends it: what is accepted beyond the document is put right.
    fn without_leniency(&self, schema: &Value, mut sent: Value) -> Value {
        let action = sent["action"].as_str().unwrap_or_default();
        let of_action = schema["discriminator"]["mapping"].get(action).map(|name| json!({ "$ref": name }));
        let schema = of_action.as_ref().unwrap_or(schema);
        let properties = &self.resolved(schema)["properties"];
        if let Some(fields) = sent.as_object_mut() {
            fields.retain(|_, value| {
                !value.is_null() && value.as_str().is_none_or(|text| !text.trim().is_empty())
            });
            for (name, value) in fields {
                let text = value.as_str().unwrap_or_default();
                if properties[name]["type"] == "integer" && text.parse::<i64>().is_ok() {
                    *value = json!(text.parse::<i64>().ok());
                }
            }
        }
        sent
    }

    /// The path of the document that a sent one belongs to: without its query, with the name of its parameter.
    fn documented(&self, sent: &str) -> String {
        let path = sent.split('?').next().unwrap_or(sent);
        if path.starts_with("/v1/calendars/") {
            return CALENDAR.to_owned();
        }
        let above = path.rsplit_once('/').map_or("", |(above, _)| above);
        let with_id = format!("{above}/{{id}}");
        let paths = &self.document["paths"];
        if paths.get(path).is_none() && paths.get(&with_id).is_some() { with_id } else { path.to_owned() }
    }

    /// Gets an address with a key and checks the answer.
    fn get(&self, address: SocketAddr, path: &str, key: &str) -> Answer {
        self.send(address, "GET", path, &[("x-api-key", key)], b"")
    }

    /// Sends JSON with a key.
    fn post(&self, address: SocketAddr, path: &str, key: &str, body: &Value) -> Answer {
        self.send(address, "POST", path, &[("x-api-key", key), JSON], body.to_string().as_bytes())
    }

    /// Sends JSON without a key.
    fn post_open(&self, address: SocketAddr, path: &str, body: &Value) -> Answer {
        self.send(address, "POST", path, &[JSON], body.to_string().as_bytes())
    }

    /// Checks an answer against the document.
    fn check(&self, sent: &str, answer: &Answer) {
        let path = self.documented(sent);
        let status = answer.status.to_string();
        let context = format!("{path} {status} {}", answer.text().chars().take(300).collect::<String>());
        let operations = self.document["paths"][&path].as_object().expect(sent);
        let (_, operation) = operations.iter().next().expect("an operation");
        let expected =
            operation["responses"].get(&status).unwrap_or_else(|| panic!("not documented: {context}"));
        let expected = self.resolved(expected);
        self.note(format!("{path} {status}"));
        for (name, header) in expected["headers"].as_object().expect("headers") {
            let header = self.resolved(header);
            let value = answer.header(name);
            assert!(value.is_some() || header["required"] != true, "no {name}: {context}");
            if let Some(number) = value.filter(|_| header["schema"]["type"] == "integer") {
                assert!(number.parse::<u32>().is_ok(), "{name}: {number}");
            }
        }
        let of_all_answers = [
            "content-type",
            "content-length",
            "date",
            "connection",
            "x-content-type-options",
            "cache-control",
            // of the coding of documents
            "vary",
            // of requests of web pages
            "access-control-allow-origin",
            "access-control-expose-headers",
        ];
        for line in answer.head.lines().skip(1).filter(|line| !line.is_empty()) {
            let (name, _) = line.split_once(':').expect("a header");
            let known = expected["headers"].get(name).is_some() || of_all_answers.contains(&name);
            // these have the headers when the key was read first
            let maybe = [400, 503].contains(&answer.status) && name.contains("ratelimit");
            assert!(known || maybe, "{name} is not documented: {context}");
        }
        let Some(content) = expected["content"].as_object() else {
            assert!(answer.body.is_empty(), "{context}");
            return;
        };
        let kind = answer.header("content-type").and_then(|kind| kind.split(';').next()).unwrap_or_default();
        let schema =
            &content.get(kind).unwrap_or_else(|| panic!("{kind} is not documented: {context}"))["schema"];
        match kind {
            "application/json" => {
                let body = answer.json();
                if let Some(code) = body["code"].as_str() {
                    let listed = &self.resolved(expected)["content"]["application/json"]["examples"][code];
                    assert!(listed.is_object() || path == "/mcp", "{code} is not documented: {context}");
                    self.note(format!("{path} {code}"));
                    self.note(format!("code {code}"));
                }
                self.assert_fits(schema, &body, &context);
            }
            _ => assert!(!answer.body.is_empty(), "{context}"),
        }
    }

    /// The parts of the document that no answer has used.
    fn unseen(&self) -> BTreeSet<String> {
        let mut expected = BTreeSet::new();
        for (path, operations) in self.document["paths"].as_object().expect("paths") {
            for operation in operations.as_object().expect("operations").values() {
                for (status, response) in operation["responses"].as_object().expect("responses") {
                    expected.insert(format!("{path} {status}"));
                    let content = &self.resolved(response)["content"]["application/json"];
                    // the examples of an error are its codes
                    let examples = content["examples"].as_object().into_iter().flatten();
                    for code in examples.filter_map(|(_, example)| example["value"]["code"].as_str()) {
                        expected.insert(format!("{path} {code}"));
                    }
                }
            }
        }
        // those of messages to webhooks are held to the document by their own tests
        let webhooks = self.document["webhooks"].to_string();
        let is_sent =
            |name: &str| ["", "Message"].iter().any(|end| webhooks.contains(&format!("/{name}{end}\"")));
        for (name, schema) in self.document["components"]["schemas"].as_object().expect("schemas") {
            let fields = schema["properties"].as_object();
            let is_answer = !name.ends_with("Request") && name != "JsonRpcNotification" && !is_sent(name);
            for field in fields.into_iter().flatten().map(|(field, _)| field).filter(|_| is_answer) {
                expected.insert(format!("{name}.{field}"));
            }
        }
        let seen = self.seen.lock().expect("no panic holds the lock");
        expected.difference(&seen).cloned().collect()
    }
}

#[test]
fn every_answer_matches_the_document_and_every_part_of_the_document_is_used() {
    let contract = Contract::new();
    let Shared { service, pro, free } = shared();
    let address = service.listen;
    check_searches(&contract, address, &[pro, free]);
    check_other_actions(&contract, address, pro, free);
    check_addresses(&contract, service, pro, free);
    check_copies(&contract, free);
    check_bad_input(&contract, address, pro);
    check_bodies_and_keys(&contract, address, pro);
    let key = check_accounts(&contract, service);
    check_payments(&contract, address, &key);
    check_documents(&contract, address);
    check_mcp(&contract, address, pro);
    check_block(&contract);
    check_tokens(&contract);
    check_limits(&contract);
    check_closed_services(&contract);
    check_overload(&contract);

    let unseen: Vec<String> = contract.unseen().into_iter().filter(|part| !is_out_of_reach(part)).collect();
    assert!(unseen.is_empty(), "documented, but not seen: {unseen:#?}");
}

/// Searches with every kind of filter, on a paid and on the free plan.
fn check_searches(contract: &Contract, address: SocketAddr, keys: &[&String]) {
    for action in ["search_events", "search_places"] {
        for query in [
            json!({}),
            json!({"q": "samba sexta", "limit": "3", "category": null, "cursor": ""}),
            json!({"q": "408 norte", "from": "", "to": null, "limit": " "}),
            json!({"category": "bakery", "neighbourhood": "asa norte", "x": 1}),
            json!({"q": "memoriall"}),
            json!({"q": "qqqxxzz", "region": "Asa Norte", "category": "jazz"}),
            json!({"q": "qqqxxzz", "region": "Asa Norte"}),
            json!({"region": "Centro"}),
            json!({"q": "bar aberto agora sem karaokê qqqxxzz", "strict": false}),
            json!({"q": "samba sexta à noite qqqxxzz"}),
            json!({"q": "hoje à noite"}),
            json!({"from": "friday", "to": "sunday", "time_from": "18:00", "time_to": "23:30"}),
            json!({"q": "museu grátis sexta às 3h"}),
            json!({"q": "sushi grátis"}),
            // some of a category meet another word, and the others come next
            json!({"q": "museu candango qqqxxzz"}),
            json!({"q": "samba feitiço qqqxxzz"}),
            json!({"q": "livraria no Varjão", "region": ["Plano Piloto", "Varjão"]}),
            json!({"q": "feira e museu em Taguatinga", "category": "feira,museu"}),
            json!({"near": "Torre de TV", "within_m": 4_000, "q": "bar"}),
            json!({"q": "feira perto da torre de tv"}),
            json!({"region": "CLS 405"}),
            json!({"q": "feira", "facets": "category,region"}),
            // one of these is not within the next 7 days
            json!({"q": "Iemanjá"}),
            json!({"q": "padroeira Nossa Senhora Aparecida"}),
        ] {
            for key in keys {
                let mut body = query.clone();
                body["action"] = json!(action);
                assert_eq!(contract.post(address, "/v1", key, &body).status, 200);
            }
        }
    }
}

/// The other actions, and records with all fields.
fn check_other_actions(contract: &Contract, address: SocketAddr, pro: &str, free: &str) {
    for near in ["daqui", "qqqxxzz", "-23.55,-46.63", "Beirute"] {
        let body = json!({"action": "search_places", "near": near});
        assert_eq!(contract.post(address, "/v1", pro, &body).status, 400);
    }
    let in_part = json!({"action": "list_regions", "region": "Guará, Asa Norte"});
    assert_eq!(contract.post(address, "/v1", free, &in_part).status, 200);
    for body in [
        json!({"action": "get_place", "id": "memorial-jk", "x": 1}),
        json!({"action": "list_categories", "kind": "", "x": 1}),
        json!({"action": "get_place", "id": "Outro Calaf"}),
        json!({"action": "list_categories", "kind": "places", "parent": "comida"}),
        json!({"action": "list_regions", "region": "Lago Sul"}),
        json!({"action": "list_regions", "x": 1}),
        json!({"action": "summary", "x": 1}),
        json!({"action": "usage", "x": 1}),
        json!({"action": "search_events", "group": "series"}),
        json!({"action": "search_events", "facets": ["category", "region", "day"]}),
        json!({"action": "suggest", "q": "sa", "x": 1}),
        json!({"action": "suggest", "q": "feira"}),
        json!({"action": "suggest", "q": "asa n"}),
        json!({"action": "suggest", "q": "memorial"}),
    ] {
        assert_eq!(contract.post(address, "/v1", pro, &body).status, 200);
    }
    let priced = priced_guide();
    let free_jazz = json!({"action": "search_events", "q": "jazz grátis hoje"});
    assert_eq!(contract.post(priced.listen, "/v1", &priced.key("pro"), &free_jazz).status, 200);
    let full = full_guide();
    let full_key = full.key("pro");
    for action in ["search_events", "search_places"] {
        assert_eq!(contract.post(full.listen, "/v1", &full_key, &json!({"action": action})).status, 200);
    }
    let of_place = json!({"action": "get_place", "id": "inside"});
    assert_eq!(contract.post(full.listen, "/v1", &full_key, &of_place).status, 200);
    let event = json!({"action": "get_event", "id": "inside", "x": 1});
    assert_eq!(contract.post(full.listen, "/v1", &full_key, &event).status, 200);
}

/// The addresses of the actions, with every parameter right and wrong.
fn check_addresses(contract: &Contract, service: &Service, pro: &str, free: &str) {
    let address = service.listen;
    let calendar = |plan: &str| crate::calendars::issue(service, &format!("{plan}@b.c")).path;
    let (calendar, of_free) = (calendar("pro"), calendar("free"));
    let event = contract.get(address, "/v1/events?limit=1", pro).json()["events"][0]["id"].clone();
    let event = format!("/v1/events/{}", event.as_str().expect("an id"));
    for path in [
        "/v1/events?limit=1",
        "/v1/events.ics",
        "/v1/events.csv",
        "/v1/events.geojson?q=feira&group=series",
        "/v1/places?category=bar,cafe&near=Torre+de+TV&within_m=3000",
        "/v1/places.csv",
        "/v1/places.geojson",
        "/v1/places/memorial-jk",
        &event,
        "/v1/categories?kind=places&parent=comida",
        "/v1/regions?region=Lago+Sul",
        "/v1/summary",
        "/v1/usage",
        "/v1/suggest?q=asa",
        "/v1/events?facets=category,region,day",
        &calendar,
    ] {
        let answer = contract.get(address, path, pro);
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        if let Some(tag) = answer.header("etag") {
            let kept = [("x-api-key", pro), ("if-none-match", tag)];
            assert_eq!(contract.send(address, "GET", path, &kept, b"").status, 304, "{path}");
        }
    }
    let fields: Vec<String> = (0..70).map(|at| format!("x{at}=1")).collect();
    let long = "x".repeat(300);
    let many = ["bar"; 30].join(",");
    for path in ADDRESSES.into_iter().chain([&*event, &*of_free]) {
        for query in [
            "key=x".to_owned(),
            fields.join("&"),
            format!("q={long}{long}"),
            format!("region={long}"),
            format!("parent={long}"),
            format!("category={many}"),
            format!("region={many}"),
            format!("parent={many}"),
            "limit=0".to_owned(),
            "within_m=100".to_owned(),
            "limit=x".to_owned(),
            "from=soon".to_owned(),
            "from=2026-12-02&to=2026-12-01".to_owned(),
            "time_from=99".to_owned(),
            "region=nowhere".to_owned(),
            "region=QI".to_owned(),
            "region=Asa+Norte&neighbourhood=Asa+Sul".to_owned(),
            "near=daqui".to_owned(),
            "near=qqqxxzz".to_owned(),
            "near=Beirute".to_owned(),
            "near=-23.55,-46.63".to_owned(),
            "category=nothing".to_owned(),
            "parent=nothing".to_owned(),
            "cursor=x".to_owned(),
            "group=wat".to_owned(),
            "kind=wat".to_owned(),
            "fields=wat".to_owned(),
            "facets=wat".to_owned(),
            "region=Taguatinga".to_owned(),
            "region=Goi%C3%A2nia".to_owned(),
            "q=%ff&fields=%ff&kind=%ff&region=%ff".to_owned(),
            "categoria=jazz".to_owned(),
        ] {
            contract.get(address, &format!("{path}?{query}"), free);
        }
        contract.get(address, &format!("{path}?x=1"), pro);
    }
    let browser = crate::browser_tokens::issue(service, "pro@b.c", &["https://app.example"]).token;
    for wrong in ["cdg_calendar_x.ics", "x", &format!("{browser}.ics")] {
        let answer = contract.get(address, &format!("/v1/calendars/{wrong}"), pro);
        assert_eq!((answer.status, &answer.json()["code"]), (404, &json!("unknown_calendar")), "{wrong}");
    }
    for path in ["/v1/places.geojson", "/v1/events.geojson", "/v1/places", "/v1/events"] {
        let headers = [("x-api-key", free), ("accept", "application/geo+json")];
        assert_eq!(contract.send(address, "GET", path, &headers, b"").json()["code"], "plan_positions");
    }
    for kind in ["events", "places"] {
        for id in ["no-such-record".to_owned(), long.clone()] {
            contract.get(address, &format!("/v1/{kind}/{id}"), free);
        }
    }
}

/// Copies of the guide, and what changed in records with all fields.
fn check_copies(contract: &Contract, free: &str) {
    let service = full_guide_with(&["plans.gringo.per_month=1"]);
    let folder = service.data.with_file_name("guide");
    edit(&folder, "places.json", |places| {
        for place in places {
            let is_outside = place["region"] == "Taguatinga";
            place["neighbourhood"] = json!(if is_outside { "Taguatinga Norte" } else { "Asa Norte" });
            place["address"] = json!("CLN 408 Bloco A");
        }
    });
    edit(&folder, "events.json", |events| {
        events[0]["neighbourhood"] = json!("Asa Norte");
        events.push(json!({"id": "roda", "name": "Roda", "region": "Plano Piloto", "category": "jazz",
            "repeat": {"rule": "FREQ=WEEKLY;BYDAY=SU"}}));
    });
    printed(&run(&service.data, &["snapshot", "publish", &folder.display().to_string()]), 0);
    service.serves(2);
    let (address, pro) = (service.listen, service.key("pro"));
    let paths = ["/v1/export/places.ndjson", "/v1/export/events.ndjson", "/v1/changes?since=1"];
    for path in paths {
        // the history of a publication is known a while after it went live
        let answer = awaited(path, SOON, || {
            Some(contract.get(address, path, &pro)).filter(|answer| answer.status != 503)
        });
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        let kept = [("x-api-key", pro.as_str()), ("if-none-match", answer.header("etag").expect("a tag"))];
        assert_eq!(contract.send(address, "GET", path, &kept, b"").status, 304, "{path}");
        let with_key = format!("{}?key=x", path.split('?').next().expect("a path"));
        assert_eq!(contract.get(address, &with_key, &pro).json()["code"], "key_in_url");
        if !path.contains('?') {
            let unknown = contract.get(address, &format!("{path}?limit=5"), &pro);
            assert_eq!(unknown.json()["code"], "unknown_param", "{path}");
        }
        let in_part = contract.get(shared().service.listen, path, free);
        assert_eq!(in_part.json()["code"], "plan_export", "{path}");
    }
    for (query, code) in [
        ("since=0", "too_old"),
        ("since=9", "too_old"),
        ("since=-1", "out_of_range"),
        ("since=x", "wrong_type"),
        ("x=1", "missing_param"),
        (&"x=1&".repeat(65), "too_many_fields"),
    ] {
        assert_eq!(contract.get(address, &format!("/v1/changes?{query}"), &pro).json()["code"], code);
    }
    let warned = contract.get(address, "/v1/changes?since=1&limit=5", &pro).json();
    assert_eq!(warned["warnings"].as_array().map(Vec::len), Some(1), "{warned}");
    let gringo = service.key("gringo");
    assert_eq!(contract.get(address, paths[0], &gringo).status, 200);
    for path in paths {
        assert_eq!(contract.get(address, path, &gringo).json()["code"], "quota_exceeded", "{path}");
    }
}

/// The cases of bad input that other tests check by hand.
fn check_bad_input(contract: &Contract, address: SocketAddr, pro: &str) {
    for case in bad_input::cases() {
        let headers: Vec<(&str, &str)> =
            case.headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let documented = contract.document["paths"].get(case.path).is_some();
        // the HTTP parser refuses these before any endpoint sees them
        if documented && !headers.iter().any(|(_, value)| value.contains('\u{7f}')) {
            contract.send(address, case.method, case.path, &headers, &case.body);
        }
    }
    for (name, body) in [
        ("unknown_choice", json!({"action": "list_categories", "kind": "wat"})),
        ("unknown_choice", json!({"action": "search_places", "facets": "day"})),
        ("unknown_field", json!({"action": "search_places", "fields": ["name", "nothing"]})),
        ("missing_param", json!({"action": "suggest", "q": " "})),
        ("dates_reversed", json!({"action": "search_events", "from": "2026-12-02", "to": "2026-12-01"})),
    ] {
        assert_eq!(contract.post(address, "/v1", pro, &body).json()["code"], name);
    }
}

/// Bodies and keys that every endpoint must refuse alike.
fn check_bodies_and_keys(contract: &Contract, address: SocketAddr, pro: &str) {
    for path in ["/v1", "/mcp"] {
        let with_key = format!("{path}?api_key={pro}");
        assert_eq!(contract.send(address, "POST", &with_key, &[JSON], b"{}").status, 400);
    }
    let paths = contract.document["paths"].as_object().expect("paths").clone();
    for (path, operations) in &paths {
        let (method, operation) = operations.as_object().expect("operations").iter().next().expect("one");
        let method = method.to_uppercase();
        contract.send(address, if method == "GET" { "POST" } else { "GET" }, path, &[], b"");
        let key = [("x-api-key", pro), JSON];
        if operation.get("requestBody").is_some() {
            let fields: Vec<String> = (0..70).map(|at| format!("\"x{at}\":1")).collect();
            let too_many = format!("{{{}}}", fields.join(","));
            for body in ["{", "[]", too_many.as_str(), &"x".repeat(70_000)] {
                contract.send(address, &method, path, &key, body.as_bytes());
            }
            let text = [("x-api-key", pro), ("content-type", "text/plain")];
            contract.send(address, &method, path, &text, b"{}");
            for name in ["email", "plan", "confirm", "action", "code"] {
                contract.send(address, &method, path, &key, json!({name: 1}).to_string().as_bytes());
            }
            contract.send(address, &method, path, &key, b"{}");
        }
        if operation["security"].as_array().is_some_and(|schemes| !schemes.is_empty()) {
            for headers in [
                &[JSON][..],
                &[JSON, ("x-api-key", "nobody")],
                &[JSON, ("x-api-key", pro), ("authorization", "Bearer other")],
            ] {
                contract.send(address, &method, path, headers, b"{}");
            }
        }
    }
}

/// Sign-up, recovery and rotation. Returns the key of the account.
fn check_accounts(contract: &Contract, service: &Service) -> String {
    let address = service.listen;
    let email = "openapi@x.example";
    assert_eq!(
        contract
            .post_open(address, "/v1/signup", &json!({"email": email, "name": null, "use_case": "", "x": 1}))
            .status,
        200
    );
    outbox(service, email, 1)[0].key().expect("a key");
    for path in ["/v1/signup", "/v1/keys/recover", "/v1/keys/recover/confirm"] {
        let foreign = [JSON, ("origin", "https://elsewhere.example")];
        assert_eq!(contract.send(address, "POST", path, &foreign, b"{}").status, 403);
        for email in ["nobody", ""] {
            contract.post_open(address, path, &json!({"email": email, "code": "x"}));
        }
    }
    contract.post_open(address, "/v1/signup", &json!({"email": email, "name": "x".repeat(121)}));
    for path in ["/v1/signup", "/v1/keys/recover"] {
        for _ in 0..4 {
            contract.post_open(address, path, &json!({"email": "often@x.example", "x": 1}));
        }
    }
    contract.post_open(
        address,
        "/v1/keys/recover/confirm",
        &json!({"email": email, "code": "XXXX-XXXX-XXXX"}),
    );
    assert_eq!(contract.post_open(address, "/v1/keys/recover", &json!({"email": email})).status, 200);
    let code = outbox(service, email, 2)[1].code().expect("a code");
    let renewed = contract.post_open(
        address,
        "/v1/keys/recover/confirm",
        &json!({"email": email, "code": code, "x": 1}),
    );
    assert_eq!(renewed.status, 200);
    let key = renewed.json()["api_key"].as_str().expect("a key").to_owned();
    let rotated = contract.post(address, "/v1/keys/rotate", &key, &json!({}));
    rotated.json()["api_key"].as_str().expect("a key").to_owned()
}

/// An order, its payment, and its cancellation.
fn check_payments(contract: &Contract, address: SocketAddr, key: &str) {
    assert_eq!(contract.post(address, "/v1/billing/cancel", key, &json!({"confirm": "yes"})).status, 400);
    assert_eq!(contract.post(address, "/v1/billing/status", key, &json!({})).status, 200);
    for body in [
        json!({"plan": "free", "tax_id": CPF}),
        json!({"plan": "pro", "tax_id": "1"}),
        json!({"plan": "pro", "tax_id": CPF, "method": "CASH"}),
        json!({"plan": "pro", "tax_id": CPF, "name": "x".repeat(101)}),
        json!({"plan": "pro"}),
    ] {
        assert_eq!(contract.post(address, "/v1/billing/checkout", key, &body).status, 400);
    }
    let checkout = |plan: &str, idempotency: &str| {
        let body = json!({"plan": plan, "tax_id": CPF, "method": "PIX", "name": "", "x": 1}).to_string();
        let headers = [("x-api-key", key), JSON, ("idempotency-key", idempotency)];
        contract.send(address, "POST", "/v1/billing/checkout", &headers, body.as_bytes())
    };
    assert_eq!(checkout("pro", &"k".repeat(201)).status, 400);
    let order = checkout("pro", "one");
    assert_eq!(order.status, 200);
    assert_eq!(checkout("gringo", "one").json()["code"], "idempotency_mismatch");
    contract.post(address, "/v1/billing/status", key, &json!({"x": 1}));
    let page = format!("/sandbox/{}", order.json()["checkout_id"].as_str().expect("an order"));
    assert_eq!(exchange(address, &request("POST", &page, &[], b"do=pay")).status, 303);
    awaited("the plan", SOON, || {
        (contract.post(address, "/v1/billing/status", key, &json!({})).json()["plan"] == "pro").then_some(())
    });
    assert_eq!(checkout("pro", "two").json()["code"], "same_plan");
    for at in 0..25 {
        let plan = if at % 2 == 0 { "gringo" } else { "business" };
        checkout(plan, &format!("n{at}"));
    }
    assert_eq!(checkout("gringo", "n0").json()["code"], "order_closed");
    for confirm in [json!({"x": 1}), json!({"confirm": null}), json!({"confirm": "yes"})] {
        assert_eq!(contract.post(address, "/v1/billing/cancel", key, &confirm).status, 200);
    }
}

/// The documents themselves, cached and not.
fn check_documents(contract: &Contract, address: SocketAddr) {
    for path in ["/v1/plans", "/openapi.json", "/llms.txt", "/llms-full.txt", "/positions.json"] {
        let answer = contract.send(address, "GET", path, &[], b"");
        if let Some(tag) = answer.header("etag") {
            assert_eq!(contract.send(address, "GET", path, &[("if-none-match", tag)], b"").status, 304);
        }
    }
}

/// Messages of agents.
fn check_mcp(contract: &Contract, address: SocketAddr, key: &str) {
    let message =
        |method: &str, params: Value| json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let send = |headers: &[(&str, &str)], body: &Value| {
        contract.send(address, "POST", "/mcp", headers, body.to_string().as_bytes()).status
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
    contract.send(address, "GET", "/mcp", &[("accept", "text/html")], b"");
}

/// An address of each action, of each form, and of copies of the guide.
const ADDRESSES: [&str; 17] = [
    "/v1/events",
    "/v1/events.ics",
    "/v1/events.csv",
    "/v1/events.geojson",
    "/v1/places.csv",
    "/v1/places.geojson",
    "/v1/events/x",
    "/v1/places",
    "/v1/places/memorial-jk",
    "/v1/categories",
    "/v1/regions",
    "/v1/summary",
    "/v1/usage",
    "/v1/suggest",
    "/v1/export/places.ndjson",
    "/v1/export/events.ndjson",
    "/v1/changes?since=0",
];

/// The path of calendar addresses.
const CALENDAR: &str = "/v1/calendars/{token}.ics";

/// Quotas that are used up.
fn check_limits(contract: &Contract) {
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
        let answer = contract.send(service.listen, "POST", "/v1", &headers, body.as_bytes());
        assert_eq!(answer.status, status);
    }
    let listed = contract.get(service.listen, "/v1/events?limit=1", &service.key("business")).json();
    let event = format!("/v1/events/{}", listed["events"][0]["id"].as_str().expect("an id"));
    let free = ["/v1/categories", "/v1/regions", "/v1/summary", "/v1/usage", "/v1/suggest", "/v1/events/x"];
    for path in ADDRESSES.into_iter().filter(|path| !free.contains(path)).chain([&*event]) {
        assert_eq!(contract.get(service.listen, path, &key).json()["code"], "quota_exceeded");
    }
    let calendar = crate::calendars::issue(&service, "pro@b.c").path;
    let answer = contract.send(service.listen, "GET", &calendar, &[], b"");
    assert_eq!(answer.json()["code"], "quota_exceeded");
    for number in 0..4 {
        let body = json!({"email": format!("a{number}@b.c")}).to_string();
        contract.send(service.listen, "POST", "/v1/keys/recover", &[JSON], body.as_bytes());
        let body = json!({"email": "a@b.c", "code": "XXXX-XXXX-XXXX"}).to_string();
        contract.send(service.listen, "POST", "/v1/keys/recover/confirm", &[JSON], body.as_bytes());
    }
    let service = Service::start_with(&["plans.free.per_minute=1", "signup.owner_calls_per_minute=30"]);
    let issued =
        crate::service::run(&service.data, &["key", "issue", "--email", "f@b.c", "--plan", "free", "--json"]);
    let key = crate::service::printed_json(&issued, 0)["api_key"].as_str().expect("a key").to_owned();
    let headers = [("x-api-key", key.as_str()), JSON];
    let posted = ["/v1", "/v1/billing/checkout", "/v1/billing/status", "/v1/billing/cancel"];
    for path in posted.into_iter().chain(ADDRESSES) {
        let method = if posted.contains(&path) { "POST" } else { "GET" };
        awaited("the end of the quota per minute", SOON, || {
            let answer = exchange(service.listen, &request(method, path, &headers, b"{}"));
            if answer.status != 401 {
                contract.check(path, &answer);
            }
            (answer.status == 429).then_some(())
        });
    }
    let service = Service::start_with(&["signup.rotations_per_hour=3", "signup.owner_calls_per_minute=30"]);
    let mut key = service.key("pro");
    awaited("the last rotation of the hour", SOON, || {
        let answer =
            contract.send(service.listen, "POST", "/v1/keys/rotate", &[("x-api-key", key.as_str())], b"");
        key = answer.json()["api_key"].as_str().unwrap_or(&key).to_owned();
        let is_limited = answer.json()["code"] == "rate_limited";
        // every plan has as many of these calls: the sentence names no plan
        assert!(!is_limited || answer.text().contains("are limited to 30 a minute"), "{}", answer.text());
        is_limited.then_some(())
    });
}

/// An account that the operator has blocked.
fn check_block(contract: &Contract) {
    let service = Service::start();
    let key = service.key("pro");
    let calendar = crate::calendars::issue(&service, "pro@b.c").path;
    let block = ["account", "block", "--email", "pro@b.c", "--reason", "a test"];
    assert!(crate::service::run(&service.data, &block).status.success());
    let headers = [("x-api-key", key.as_str()), JSON];
    let posted = ["/v1", "/v1/billing/checkout", "/v1/keys/rotate"];
    for path in posted.into_iter().chain(ADDRESSES).chain([&*calendar]) {
        let method = if posted.contains(&path) { "POST" } else { "GET" };
        awaited("the block", SOON, || {
            let answer = contract.send(service.listen, method, path, &headers, b"{}");
            (answer.json()["code"] == "account_blocked").then_some(())
        });
    }
}

/// Browser tokens, in pages of their origins and elsewhere.
fn check_tokens(contract: &Contract) {
    let service = Service::start_with(&["browser_tokens.per_minute=20", "calendars.per_minute=20"]);
    service.key("pro");
    let calendar = crate::calendars::issue(&service, "pro@b.c").path;
    awaited("the end of the minute of the calendar", SOON, || {
        let answer = contract.send(service.listen, "GET", &calendar, &[], b"");
        (answer.status == 429).then(|| assert_eq!(answer.json()["code"], "token_limited"))
    });
    let origin = ("origin", "https://app.example");
    let made = crate::browser_tokens::issue(&service, "pro@b.c", &[origin.1]);
    let token = ("x-browser-token", made.token.as_str());
    let scoped = ["/v1/events.geojson", "/v1/places.geojson", "/v1/usage"];
    let is_copy = |path: &&str| path.starts_with("/v1/export/") || path.starts_with("/v1/changes");
    for path in ADDRESSES.into_iter().filter(is_copy) {
        let answer = contract.send(service.listen, "GET", path, &[token, origin], b"");
        assert_eq!(answer.json()["code"], "missing_key", "{path} needs a key");
    }
    for path in ["/v1"].into_iter().chain(ADDRESSES.into_iter().filter(|path| !is_copy(path))).chain(scoped) {
        let (method, body) = match path {
            "/v1" => ("POST", &br#"{"action":"usage"}"#[..]),
            _ => ("GET", &b""[..]),
        };
        let send = |headers: &[(&str, &str)]| {
            let headers = [headers, &[JSON]].concat();
            contract.send(service.listen, method, path, &headers, body).json()["code"].clone()
        };
        assert_eq!(send(&[("x-browser-token", "x"), origin]), "invalid_token", "{path}");
        assert_eq!(send(&[token]), "token_origin", "{path}");
        assert_eq!(send(&[token, ("origin", "https://elsewhere.example")]), "token_origin", "{path}");
        awaited("the end of the minute of the token", SOON, || {
            let code = send(&[token, origin]);
            let is_scoped = path == "/v1" || scoped.contains(&path);
            assert!(!is_scoped || ["token_scope", "token_limited"].contains(&code.as_str().unwrap_or("")));
            (code == "token_limited").then_some(())
        });
    }
    // a minute may have ended in between, or the limit was reached before these were asked
    for path in ["/v1", "/v1/events.geojson", "/v1/places.geojson", "/v1/usage", "/v1/events", "/v1/places"] {
        let other = crate::browser_tokens::issue(&service, "pro@b.c", &[origin.1]);
        let accept = ("accept", "application/geo+json");
        let headers = [("x-browser-token", other.token.as_str()), origin, JSON, accept];
        let (method, body) =
            if path == "/v1" { ("POST", &br#"{"action":"usage"}"#[..]) } else { ("GET", &b""[..]) };
        let answer = contract.send(service.listen, method, path, &headers, body);
        assert_eq!(answer.json()["code"], "token_scope", "{path}");
    }
}

/// A service without payments and mail.
fn check_closed_services(contract: &Contract) {
    let service = Service::start_with(&["payments=none", "mail=none"]);
    for path in ["/v1/signup", "/v1/keys/recover"] {
        let answer = contract.send(service.listen, "POST", path, &[JSON], br#"{"email":"a@b.c"}"#);
        assert_eq!(answer.json()["code"], "signup_closed");
    }
    let key = service.key("free");
    let body = json!({"plan": "pro", "tax_id": CPF}).to_string();
    let headers = [("x-api-key", key.as_str()), JSON];
    let answer = contract.send(service.listen, "POST", "/v1/billing/checkout", &headers, body.as_bytes());
    assert_eq!(answer.json()["code"], "billing_closed");
}

/// Requests that take too long, and too many connections.
fn check_overload(contract: &Contract) {
    let service = Service::start_with(&["limits.connections=1", "limits.request_timeout_ms=300"]);
    for (path, operations) in contract.document["paths"].as_object().expect("paths") {
        let is_post = operations.get("post").is_some();
        let method = if is_post { "POST" } else { "GET" };
        let busy = awaited("a refused connection", SOON, || {
            let _held = open(service.listen);
            let answer = exchange(service.listen, &request(method, path, &[], b""));
            (answer.status == 503).then_some(answer)
        });
        contract.check(path, &busy);
        let slow = format!("{method} {path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\nhalf");
        let late = awaited("an accepted connection", SOON, || {
            let mut late = open(service.listen);
            late.write_all(slow.as_bytes()).ok()?;
            read(&mut late, false).filter(|answer| answer.status != 503)
        });
        if late.status == 408 {
            contract.check(path, &late);
        }
    }
}

/// Parts of the document that no request from outside can cause.
fn is_out_of_reach(part: &str) -> bool {
    let Some((_, what)) = part.split_once(' ') else { return false };
    // faults of the service, the gateway and the store, which other tests cause from inside
    let faults = [
        "500",
        "internal",
        "gateway_unavailable",
        "store_unavailable",
        "no_guide",
        "no_history",
        "answer_timeout",
    ];
    faults.contains(&what)
}
