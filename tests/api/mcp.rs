//! `/mcp` as clients see it: the answers of `/v1` in the envelopes of both eras, the limits of the preview, and the
//! errors of the protocol.

use std::collections::HashMap;

use chrono::{Days, NaiveDate};
use rmcp::model::{CallToolRequestParams, ProtocolVersion};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{ClientLifecycleMode, ClientServiceExt};
use serde_json::{Value, json};
use tools::random::Random;

use crate::service::{Answer, Service, exchange, request, shared};

const LEGACY: &str = "2025-11-25";
const MODERN: &str = "2026-07-28";

/// A marker in bad requests, which no answer may echo.
const MARK: &str = "zZmArKzZ";

fn post(service: &Service, headers: &[(&str, &str)], body: &str) -> Answer {
    let headers = [&[("content-type", "application/json")], headers].concat();
    exchange(service.listen, &request("POST", "/mcp", &headers, body.as_bytes()))
}

fn key_header(key: Option<&str>) -> Vec<(&str, &str)> {
    key.map(|key| ("x-api-key", key)).into_iter().collect()
}

/// A request of the older era.
fn legacy(method: &str, params: Value) -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string()
}

/// The result of a request of the older era, which must succeed.
fn rpc_result(key: Option<&str>, method: &str, params: Value) -> Value {
    let answer = post(&shared().service, &key_header(key), &legacy(method, params));
    assert_eq!(answer.status, 200, "{}", answer.text());
    let answer = answer.json();
    assert_eq!(answer["id"], 1);
    assert!(answer.get("error").is_none(), "{answer}");
    answer["result"].clone()
}

fn call(key: Option<&str>, tool: &str, arguments: Value) -> Value {
    rpc_result(key, "tools/call", json!({"name": tool, "arguments": arguments}))
}

/// A request of the newer era with its headers. `headers` replaces some of them; an empty value leaves one out.
fn modern(method: &str, mut params: Value, meta: Value, headers: &[(&str, &str)]) -> Answer {
    let name = params.get("name").or(params.get("uri")).and_then(Value::as_str).unwrap_or("").to_owned();
    if !meta.is_null() {
        params["_meta"] = meta;
    }
    let mut all = vec![("mcp-protocol-version", MODERN), ("mcp-method", method), ("mcp-name", &name)];
    for (name, value) in headers {
        all.retain(|(known, _)| known != name);
        all.push((name, value));
    }
    all.retain(|(_, value)| !value.is_empty());
    let body = json!({"jsonrpc": "2.0", "id": "m", "method": method, "params": params}).to_string();
    post(&shared().service, &all, &body)
}

fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

#[test]
fn tools_list_matches_the_golden_file() {
    let golden: Value = serde_json::from_str(include_str!("tools_list.json")).expect("JSON");
    let result = rpc_result(None, "tools/list", json!({}));
    assert_eq!(result, golden, "when this is meant, write to tests/api/tools_list.json:\n{result:#}");
    assert!(result.to_string().len() < 8_000);
    let newer = modern("tools/list", json!({}), meta(), &[]);
    assert_eq!(newer.status, 200);
    assert!(newer.body.len() < 8_000, "{}", newer.body.len());
    assert_eq!(newer.json()["result"]["tools"], golden["tools"]);
}

#[test]
fn the_output_schema_describes_every_field() {
    let list = rpc_result(None, "tools/list", json!({}));
    let result = |tool: &str, record: &str| {
        let tools = list["tools"].as_array().expect("tools");
        let schema =
            tools.iter().find(|known| known["name"] == tool).expect("the tool")["outputSchema"].clone();
        let of = &schema["properties"][record];
        let record = if of["type"] == "array" { &of["items"] } else { of };
        record["properties"].as_object().expect("properties").clone()
    };
    let key = Some(shared().pro.as_str());
    let in_time = json!({"limit": 50, "from": "2026-01-01", "to": "2027-12-31"});
    for (tool, record, arguments) in [
        ("search_events", "events", in_time),
        ("search_places", "places", json!({"limit": 50})),
        ("get_place", "place", json!({"id": "memorial-jk"})),
    ] {
        let result = result(tool, record);
        let answered = call(key, tool, arguments)["structuredContent"][record].clone();
        let records = answered.as_array().cloned().unwrap_or_else(|| vec![answered]);
        assert!(!records.is_empty(), "{tool}");
        for (name, value) in records.iter().flat_map(|record| record.as_object().expect("a record")) {
            let kind = match value {
                Value::Bool(_) => "boolean",
                Value::Number(_) => "integer",
                Value::Object(_) => "object",
                Value::Array(_) => "array",
                _ => "string",
            };
            assert_eq!(result.get(name).map(|result| &result["type"]), Some(&json!(kind)), "{tool}: {name}");
        }
    }
}

#[test]
fn initialize_returns_the_requested_version_or_the_newest() {
    for (asked, answered) in [
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        (LEGACY, LEGACY),
        ("2024-11-05", LEGACY),
        (MODERN, LEGACY),
        (MARK, LEGACY),
    ] {
        let params = json!({"protocolVersion": asked, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        let result = rpc_result(None, "initialize", params);
        assert_eq!(result["protocolVersion"], answered);
        assert!(result["instructions"].as_str().is_some_and(|text| text.chars().count() < 600));
    }
    let notice = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let answer = post(&shared().service, &[], notice);
    assert_eq!((answer.status, answer.body.len()), (202, 0));
    assert_eq!(rpc_result(None, "ping", json!({})), json!({}));
}

/// Hundreds of queries made of the words of the guide.
fn questions() -> Vec<(&'static str, Value)> {
    let shared = shared();
    let summary = shared.service.good(&shared.pro, json!({"action": "summary"}));
    let pick = |generators: &mut Random, list: &str, field: &str| {
        let list = summary[list].as_array().expect("a list");
        list[generators.below(list.len())][field].clone()
    };
    let today: NaiveDate = summary["today"].as_str().expect("a day").parse().expect("a date");
    let texts = [
        "samba",
        "sushi asa norte",
        "café",
        "408 norte",
        "jazz hoje",
        "feira domingo",
        "bar \"x\" \\",
        "qqxxzz",
        "d",
        "museu 'n",
    ];
    let mut generators = Random::new(7);
    let mut asked = Vec::new();
    for _ in 0..300 {
        let events = generators.below(2) == 0;
        let mut arguments = json!({"limit": 1 + generators.below(50)});
        if generators.below(2) == 0 {
            arguments["q"] = json!(texts[generators.below(texts.len())]);
        }
        if generators.below(3) == 0 {
            let field = ["slug", "pt", "en"][generators.below(3)];
            arguments["category"] = pick(&mut generators, "categories", field);
        }
        if generators.below(3) == 0 {
            arguments["region"] = match generators.below(2) {
                0 => pick(&mut generators, "regions", "name"),
                _ => pick(&mut generators, "neighbourhoods", "name"),
            };
        }
        if events && generators.below(2) == 0 {
            arguments["from"] = json!((today + Days::new(generators.below(40) as u64)).to_string());
        }
        if events && generators.below(3) == 0 {
            arguments["to"] = json!((today + Days::new(generators.below(80) as u64)).to_string());
        }
        asked.push((if events { "search_events" } else { "search_places" }, arguments));
    }
    let places = shared.service.good(&shared.pro, json!({"action": "search_places", "limit": 50}));
    for place in places["places"].as_array().expect("places") {
        asked.push(("get_place", json!({"id": place["id"]})));
    }
    asked.extend([
        ("list_regions", json!({})),
        ("list_categories", json!({})),
        ("list_categories", json!({"kind": "events"})),
        ("get_place", json!({"id": "no-such-place"})),
    ]);
    asked
}

/// The tools whose answers are shorter than those of `/v1`; `agents` holds what they answer.
const BRIEF: [&str; 3] = ["get_place", "list_regions", "list_categories"];

#[test]
fn a_tool_result_is_the_answer_of_v1_byte_for_byte() {
    let shared = shared();
    let (mut good, mut refused) = (0, 0);
    for key in [&shared.pro, &shared.free] {
        for (tool, arguments) in questions() {
            let mut body = arguments.clone();
            body["action"] = json!(tool);
            if tool == "search_events" && body.get("group").is_none() {
                // the default of agents
                body["group"] = json!("series");
            }
            let plain = shared.service.ask(key, body);
            let asked = legacy("tools/call", json!({"name": tool, "arguments": arguments}));
            let answer = post(&shared.service, &[("authorization", &format!("bearer {key}"))], &asked);
            let result = answer.json()["result"].clone();
            if plain.status == 200 && BRIEF.contains(&tool) {
                let text = result["content"][0]["text"].as_str().expect("a text");
                assert!(
                    answer.text().contains(&format!("\"structuredContent\":{text},\"content\":")),
                    "{text}"
                );
                assert_eq!(result["structuredContent"]["place"], plain.json()["place"], "{tool} {arguments}");
            } else if plain.status == 200 {
                let same = format!("\"structuredContent\":{},\"content\":", plain.text());
                assert!(
                    answer.text().contains(&same),
                    "{tool} {arguments}:\n{}\n{}",
                    plain.text(),
                    answer.text()
                );
                assert_eq!(result["content"][0]["text"], plain.text(), "{tool} {arguments}");
                assert_eq!(result["isError"], false);
                good += 1;
            } else {
                assert_eq!(result["isError"], true, "{tool} {arguments}");
                let sentence = plain.json()["error"].as_str().expect("a sentence").to_owned();
                assert!(
                    result["content"][0]["text"].as_str().is_some_and(|text| text.starts_with(&sentence))
                );
                refused += 1;
            }
        }
    }
    assert!(good > 400 && refused > 10, "{good} answers, {refused} refusals");
}

#[test]
fn ten_results_are_short() {
    let pro = Some(shared().pro.as_str());
    for tool in ["search_events", "search_places"] {
        let result = call(pro, tool, json!({}));
        assert_eq!(result["structuredContent"]["count"], 10);
        let text = result["content"][0]["text"].as_str().expect("a text");
        assert!(text.chars().count() / 4 < 2_500, "{tool}: {}", text.chars().count() / 4);
    }
}

/// Asserts that an answer keeps to the limits of the preview.
fn assert_preview(result: &Value, asked: &str) {
    let Some(answer) = result.get("structuredContent") else {
        assert_eq!(result["isError"], true, "{asked}: {result}");
        return;
    };
    let today: NaiveDate = answer["today"].as_str().expect("a day").parse().expect("a date");
    let last = (today + Days::new(7)).to_string();
    let today = today.to_string();
    // a search that shows all it was asked for has nothing to tell
    let is_whole = answer["total"].as_u64().is_some_and(|total| total > 0 && answer["count"] == total);
    let tells = answer["notice"].as_str().is_some_and(|notice| notice.contains("key"));
    assert!(tells || is_whole, "{asked}: {answer}");
    assert!(answer.get("next_cursor").is_none(), "{asked}");
    assert!(answer["relax"].get("7_more_days").is_none(), "{asked}");
    assert_eq!(answer["plan"], "free");
    let lists =
        [&answer["events"], &answer["places"]].map(|list| list.as_array().cloned().unwrap_or_default());
    let one: Vec<Value> = answer.get("place").cloned().into_iter().collect();
    assert!(lists.iter().all(|list| list.len() <= 5), "{asked}");
    for record in lists.iter().flatten().chain(&one) {
        assert_eq!(record["region"], "Plano Piloto", "{asked}");
        for paid in ["lineup", "address", "tickets", "links", "description"] {
            assert!(record.get(paid).is_none(), "{asked}: {paid}");
        }
        if let Some(date) = record["date"].as_str() {
            let end = record["end_date"].as_str().unwrap_or(date);
            assert!(date <= last.as_str() && end >= today.as_str(), "{asked}: {record}");
        }
    }
    for region in answer["regions"].as_array().into_iter().flatten() {
        assert_eq!(region["name"], "Plano Piloto", "{asked}");
    }
}

#[test]
fn the_preview_keeps_its_limits_with_any_arguments() {
    let shared = shared();
    let mut cursors = HashMap::new();
    for action in ["search_events", "search_places"] {
        let page = shared.service.good(&shared.pro, json!({"action": action, "limit": 7}));
        cursors.insert(action, page["next_cursor"].clone());
    }
    let mut everywhere = json!({"action": "search_places", "limit": 50});
    let mut ids = Vec::new();
    for _ in 0..4 {
        let page = shared.service.good(&shared.pro, everywhere.clone());
        ids.extend(page["places"].as_array().expect("places").iter().map(|place| place["id"].clone()));
        everywhere["cursor"] = page["next_cursor"].clone();
    }
    let mut generators = Random::new(11);
    for (tool, mut arguments) in questions() {
        if generators.below(4) == 0
            && let Some(cursor) = cursors.get(tool)
        {
            arguments["cursor"] = cursor.clone();
        }
        if tool == "search_events" && generators.below(3) == 0 {
            let words =
                ["agosto", "natal", "samba em dezembro", "next month", "carnaval 2027", "amanhã", "sexta"];
            arguments["q"] = json!(words[generators.below(words.len())]);
        }
        assert_preview(&call(None, tool, arguments.clone()), &format!("{tool} {arguments}"));
    }
    for (tool, odd) in [
        ("search_events", json!({"from": "0001-01-01", "to": "9999-12-31", "limit": 50})),
        ("search_events", json!({"from": "2030-01-01"})),
        ("search_events", json!({"to": "2000-01-01", "from": "1999-01-01"})),
        ("search_events", json!({"date_from": "2030-01-01", "bairro": "Taguatinga"})),
        ("search_places", json!({"region": "Taguatinga"})),
        ("search_places", json!({"region": "Lagos"})),
        ("search_places", json!({"q": "taguatinga", "limit": "50"})),
    ] {
        assert_preview(&call(None, tool, odd.clone()), &odd.to_string());
    }
    let mut hidden = 0;
    for id in ids {
        let result = call(None, "get_place", json!({"id": id}));
        assert_preview(&result, &id.to_string());
        hidden += usize::from(result["isError"] == true);
        let id = id.as_str().expect("an id");
        let read = post(
            &shared.service,
            &[],
            &legacy("resources/read", json!({"uri": format!("guide://place/{id}")})),
        );
        assert_eq!(read.json().get("error").is_some(), result["isError"] == true, "{id}");
        assert!(!read.text().contains("\\\"address\\\""), "{id}");
    }
    assert!(hidden > 0, "some places lie outside");
}

#[test]
fn the_preview_reports_what_it_leaves_out() {
    let result = call(None, "search_places", json!({"limit": 50}));
    assert_eq!((&result["isError"], &result["structuredContent"]["count"]), (&json!(false), &json!(5)));
    let far = call(None, "search_events", json!({"from": "2030-01-01"}));
    assert_eq!((&far["isError"], &far["structuredContent"]["count"]), (&json!(false), &json!(0)));
    let said = |result: &Value| result["structuredContent"]["notice"].as_str().expect("a notice").to_owned();
    assert!(said(&far).starts_with("Nothing was searched: the requested days are outside"), "{far}");
    assert_eq!(far["structuredContent"]["interpreted"]["from"], "2030-01-01");
    // days that the preview covers in part are searched
    let past = call(None, "search_events", json!({"from": "2000-01-01", "to": "2100-01-01"}));
    assert!(said(&past).starts_with("Preview without a key"), "{past}");
    let outside = call(None, "search_places", json!({"region": "Taguatinga"}));
    assert_eq!(outside["isError"], true);
    assert!(outside["content"][0]["text"].as_str().is_some_and(|text| text.contains("Plano Piloto")));
}

#[test]
fn only_queries_count_against_the_preview_limit() {
    let service = Service::start_with(&["preview.per_minute=3", "preview.per_minute_all=5"]);
    let asked = legacy("tools/call", json!({"name": "search_places", "arguments": {"limit": 1}}));
    // the limit restarts with the minute, so this takes two minutes at most
    let errors: Vec<Value> = (0..12)
        .map(|_| post(&service, &[], &asked))
        .inspect(|answer| assert_eq!(answer.status, 200))
        .map(|answer| answer.json()["result"].clone())
        .filter(|result| result["isError"] == true)
        .collect();
    assert!((6..=9).contains(&errors.len()), "{}", errors.len());
    let text = errors[0]["content"][0]["text"].as_str().expect("a text");
    assert!(text.starts_with("Wait ") && text.contains("API key"), "{text}");
    for method in ["initialize", "tools/list", "resources/list", "prompts/list", "ping"] {
        assert!(post(&service, &[], &legacy(method, json!({}))).json().get("result").is_some(), "{method}");
    }
    let key = service.key("pro");
    let result = post(&service, &[("x-api-key", &key)], &asked).json();
    assert_eq!(result["result"]["isError"], false);
}

#[test]
fn every_message_is_counted_once_under_its_action() {
    let service = Service::start();
    let counted = |action: &str, status: &str| {
        let labels = format!("path=\"/mcp\",action=\"{action}\",status=\"{status}\"");
        service.counted(&format!("candango_requests_total{{{labels}}}"))
    };
    for arguments in [json!({"limit": 1}), json!({"wat": 1}), json!({"limit": 0}), json!({"category": MARK})]
    {
        let asked = legacy("tools/call", json!({"name": "search_places", "arguments": arguments}));
        assert_eq!(post(&service, &[], &asked).status, 200);
    }
    assert_eq!((counted("search_places", "2xx"), counted("search_places", "4xx")), (1, 3));
    for place in ["memorial-jk", "no-such-place"] {
        let asked = legacy("resources/read", json!({"uri": format!("guide://place/{place}")}));
        assert_eq!(post(&service, &[], &asked).status, 200);
    }
    assert_eq!((counted("get_place", "2xx"), counted("get_place", "4xx")), (1, 1));
    assert_eq!((counted("none", "2xx"), counted("none", "4xx")), (0, 0));
    // messages that run no action
    for (method, params) in
        [("ping", json!({})), ("resources/read", json!({"uri": MARK})), ("wat", json!({}))]
    {
        post(&service, &[], &legacy(method, params));
    }
    assert_eq!((counted("none", "2xx"), counted("none", "4xx")), (3, 0));
}

#[test]
fn a_call_with_a_key_counts_like_one_of_v1() {
    let service = Service::start();
    let key = service.key("pro");
    let calls =
        || service.good(&key, json!({"action": "usage"}))["calls_this_month"].as_u64().expect("a count");
    let before = calls();
    for (tool, arguments) in [
        ("search_places", json!({})),
        ("search_events", json!({})),
        ("get_place", json!({"id": "memorial-jk"})),
        ("list_regions", json!({})),
        ("list_categories", json!({})),
        ("search_places", json!({"limit": 51})),
        ("get_place", json!({"id": "no-such-place"})),
    ] {
        post(
            &service,
            &[("x-api-key", &key)],
            &legacy("tools/call", json!({"name": tool, "arguments": arguments})),
        );
    }
    for method in ["initialize", "tools/list"] {
        post(&service, &[("x-api-key", &key)], &legacy(method, json!({})));
    }
    assert_eq!(calls() - before, 3);
    post(
        &service,
        &[("x-api-key", &key)],
        &legacy("resources/read", json!({"uri": "guide://place/memorial-jk"})),
    );
    assert_eq!(calls() - before, 4);
}

#[test]
fn a_bad_key_gets_401_and_never_the_preview() {
    let shared = shared();
    let asked = json!({"jsonrpc": "2.0", "id": "seven", "method": "tools/list"}).to_string();
    let mut mistyped = shared.pro.clone();
    mistyped.pop();
    for headers in [
        &[("authorization", "Bearer not-a-key")][..],
        &[("x-api-key", mistyped.as_str())],
        &[("x-api-key", shared.pro.as_str()), ("authorization", "Bearer other")],
        // a valid key under a wrong scheme
        &[("authorization", shared.pro.as_str())],
        &[("authorization", format!("Token {}", shared.pro).as_str())],
    ] {
        let answer = post(&shared.service, headers, &asked);
        assert_eq!(answer.status, 401);
        let challenge = answer.header("www-authenticate").expect("a challenge");
        assert_eq!(challenge, "Bearer realm=\"candango\", error=\"invalid_token\"");
        let result = answer.json();
        assert_eq!(result["id"], "seven");
        assert!(result["error"]["message"].as_str().is_some_and(|message| message.contains("key")));
        assert!(result.get("result").is_none());
    }
    let garbage = post(&shared.service, &[("x-api-key", "nope")], "{");
    assert_eq!((garbage.status, &garbage.json()["id"]), (401, &Value::Null));
}

#[test]
fn oauth_discovery_gets_json_that_says_there_is_none() {
    for path in [
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-protected-resource/mcp",
        "/.well-known/oauth-authorization-server",
        "/.well-known/oauth-authorization-server/mcp",
        "/.well-known/openid-configuration",
        "/.well-known/openid-configuration/mcp",
        "/mcp/.well-known/openid-configuration",
    ] {
        let answer = exchange(shared().service.listen, &request("GET", path, &[], b""));
        assert_eq!((answer.status, &answer.json()["error"]), (404, &json!("invalid_request")), "{path}");
    }
    let answer = exchange(shared().service.listen, &request("POST", "/register", &[], b"{}"));
    assert_eq!((answer.status, &answer.json()["error"]), (404, &json!("invalid_request")));
}

#[test]
fn bad_messages_get_their_jsonrpc_code() {
    let ping = |id: &str| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
    let tool = |params: Value| legacy("tools/call", params);
    let cases: Vec<(String, u16, i64)> = vec![
        (String::new(), 400, -32700),
        ("{".to_owned(), 400, -32700),
        (format!("{{\"{MARK}"), 400, -32700),
        ("\u{0}".to_owned(), 400, -32700),
        ("[]".to_owned(), 400, -32600),
        (format!("[{}]", ping("1")), 400, -32600),
        ("{}".to_owned(), 400, -32600),
        (format!("\"{MARK}\""), 400, -32600),
        (ping("null"), 400, -32600),
        (ping("1.5"), 400, -32600),
        (ping("[1]"), 400, -32600),
        (format!(r#"{{"id":1,"method":"{MARK}"}}"#), 400, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":["ping"]}"#.to_owned(), 400, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#.to_owned(), 400, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}"#.to_owned(), 400, -32602),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"name":1,"name":2}}"#.to_owned(), 400, -32600),
        ("[".repeat(30_000), 400, -32700),
        (legacy(MARK, json!({})), 200, -32601),
        (legacy("Tools/List", json!({})), 200, -32601),
        (legacy("logging/setLevel", json!({"level": "debug"})), 200, -32601),
        (legacy("tools/list", json!({"cursor": MARK})), 200, -32602),
        (tool(json!({"name": MARK, "arguments": {}})), 200, -32602),
        (tool(json!({"name": "get_event", "arguments": {}})), 200, -32602),
        (tool(json!({"arguments": {}})), 200, -32602),
        (tool(json!({"name": "search_places", "arguments": [MARK]})), 200, -32602),
        (tool(json!({"name": "search_places", "arguments": MARK})), 200, -32602),
        (legacy("resources/read", json!({"uri": format!("guide://{MARK}")})), 200, -32602),
        (legacy("resources/read", json!({"uri": format!("guide://place/{MARK}")})), 200, -32602),
        (legacy("resources/read", json!({"uri": 7})), 200, -32602),
        (legacy("resources/read", json!({})), 200, -32602),
        (legacy("prompts/get", json!({"name": MARK})), 200, -32602),
        (legacy("prompts/get", json!({"name": "whats_on", "arguments": {"when": 1}})), 200, -32602),
        (legacy("completion/complete", json!({"argument": {"name": "region"}})), 200, -32602),
    ];
    for (body, status, code) in cases {
        let answer = post(&shared().service, &[], &body);
        let shown: String = body.chars().take(100).collect();
        assert_eq!(answer.status, status, "{shown}: {}", answer.text());
        let result = answer.json();
        assert_eq!(
            (&result["jsonrpc"], &result["error"]["code"]),
            (&json!("2.0"), &json!(code)),
            "{shown}: {result}"
        );
        assert!(result.get("id").is_some() && result.get("result").is_none(), "{shown}");
        assert!(!answer.text().contains(MARK), "{shown}: {result}");
    }
    let huge =
        legacy("tools/call", json!({"name": "search_places", "arguments": {"q": MARK.repeat(10_000)}}));
    let answer = post(&shared().service, &[], &huge);
    assert_eq!((answer.status, &answer.json()["error"]["code"]), (413, &json!(-32600)));
    assert_eq!(call(None, "search_places", json!({}))["isError"], false, "the service is well");
}

#[test]
fn an_unknown_argument_is_named_beside_those_of_the_schema() {
    let list = rpc_result(None, "tools/list", json!({}));
    for tool in list["tools"].as_array().expect("tools") {
        let name = tool["name"].as_str().expect("a name");
        let result = call(None, name, json!({"date": "2026-11-28", "wat": 1}));
        let text = result["content"][0]["text"].as_str().expect("a text");
        let (known, rest) = text
            .strip_prefix("Send only these parameters: ")
            .and_then(|rest| rest.split_once(". Not known: "))
            .unwrap_or_else(|| panic!("{name}: {text}"));
        assert!(rest.starts_with("date, wat."), "{name}: {text}");
        let properties = tool["inputSchema"]["properties"].as_object().expect("properties");
        let mut known: Vec<&str> = known.split(", ").collect();
        known.sort_unstable();
        let mut own: Vec<&str> = properties.keys().map(String::as_str).collect();
        own.sort_unstable();
        assert_eq!(known, own, "{name}");
    }
}

#[test]
fn wrong_arguments_are_reported_in_the_result_without_echo() {
    for (tool, arguments, says) in [
        ("search_places", json!({"limit": 0}), "limit between 1 and 50"),
        ("search_places", json!({"limit": 51}), "limit between 1 and 50"),
        ("search_places", json!({"limit": MARK}), "limit as a whole number"),
        ("search_places", json!({"q": [MARK]}), "q as a string"),
        ("search_places", json!({"region": "Asa Nrte"}), "Asa Norte"),
        ("search_places", json!({"category": "jazzz"}), "jazz"),
        (
            "search_places",
            json!({"from": MARK}),
            "q, category, region, near, within_m, limit, cursor. Not known: from.",
        ),
        ("search_events", json!({"from": MARK}), "from as a real date"),
        ("search_events", json!({"from": "2026-02-30"}), "from as a real date"),
        ("search_events", json!({"from": "2026-11-22", "to": "2026-11-21"}), "not before from"),
        ("search_events", json!({"cursor": MARK}), "next_cursor"),
        ("search_events", json!({"q": MARK.repeat(60)}), "q to at most"),
        ("get_place", json!({}), "Send id"),
        ("get_place", json!({"id": MARK}), "known place"),
        ("list_categories", json!({"kind": MARK}), "events, places"),
        ("list_regions", json!({MARK.repeat(6): 1}), "these parameters: region."),
    ] {
        for key in [None, Some(shared().pro.as_str())] {
            let result = call(key, tool, arguments.clone());
            assert_eq!(result["isError"], true, "{tool} {arguments}");
            assert!(result.get("structuredContent").is_none());
            let text = result["content"][0]["text"].as_str().expect("a text");
            assert!(text.contains(says), "{tool} {arguments}: {text}");
            assert!(!result.to_string().contains(MARK), "{result}");
        }
    }
    let lenient = call(
        Some(&shared().pro),
        "search_places",
        json!({"query": "bar", "bairro": "asa norte", "limit": "3"}),
    );
    assert_eq!((&lenient["isError"], &lenient["structuredContent"]["count"]), (&json!(false), &json!(3)));
}

#[test]
fn the_newer_era_requires_its_headers() {
    let cases: Vec<(Answer, u16, i64)> = vec![
        (modern("tools/list", json!({}), Value::Null, &[]), 400, -32602),
        (modern("server/discover", json!({}), Value::Null, &[("mcp-protocol-version", "")]), 400, -32602),
        (modern("tools/list", json!({}), json!([]), &[]), 400, -32602),
        (
            modern("tools/list", json!({}), json!({"io.modelcontextprotocol/protocolVersion": MODERN}), &[]),
            400,
            -32602,
        ),
        (modern("tools/list", json!({}), meta(), &[("mcp-protocol-version", "")]), 400, -32020),
        (modern("tools/list", json!({}), meta(), &[("mcp-protocol-version", LEGACY)]), 400, -32020),
        (modern("tools/list", json!({}), meta(), &[("mcp-method", "")]), 400, -32020),
        (modern("tools/list", json!({}), meta(), &[("mcp-method", "TOOLS/LIST")]), 400, -32020),
        (modern("tools/call", json!({"name": "list_regions"}), meta(), &[("mcp-name", "")]), 400, -32020),
        (
            modern("tools/call", json!({"name": "list_regions"}), meta(), &[("mcp-name", "get_place")]),
            400,
            -32020,
        ),
        (
            modern("resources/read", json!({"uri": "guide://regions"}), meta(), &[("mcp-name", "guide://x")]),
            400,
            -32020,
        ),
        (modern("tools/call", json!({"name": "nothing"}), meta(), &[]), 400, -32602),
        (modern("initialize", json!({}), meta(), &[]), 404, -32601),
        (modern("ping", json!({}), meta(), &[]), 404, -32601),
        (modern("subscriptions/listen", json!({}), meta(), &[]), 404, -32601),
    ];
    for (answer, status, code) in cases {
        let result = answer.json();
        assert_eq!((answer.status, &result["error"]["code"]), (status, &json!(code)), "{result}");
        assert_eq!(result["id"], "m");
    }
    let unknown = json!({
        "io.modelcontextprotocol/protocolVersion": "2099-01-01",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let answer = modern("tools/list", json!({}), unknown, &[("mcp-protocol-version", "2099-01-01")]);
    let result = answer.json();
    assert_eq!((answer.status, &result["error"]["code"]), (400, &json!(-32022)));
    assert_eq!(result["error"]["data"], json!({"supported": [MODERN], "requested": "2099-01-01"}));
    let old =
        post(&shared().service, &[("mcp-protocol-version", "2024-01-01")], &legacy("tools/list", json!({})));
    assert_eq!((old.status, &old.json()["error"]["code"]), (400, &json!(-32022)));

    let coded = "=?base64?bGlzdF9yZWdpb25z?=";
    let answer = modern("tools/call", json!({"name": "list_regions"}), meta(), &[("mcp-name", coded)]);
    let result = answer.json()["result"].clone();
    assert_eq!((&result["resultType"], &result["isError"]), (&json!("complete"), &json!(false)));
    assert!(result.get("ttlMs").is_none());
    assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "candango");
    let read =
        modern("resources/read", json!({"uri": "guide://categories"}), meta(), &[]).json()["result"].clone();
    assert_eq!(read["cacheScope"], "private");
    assert!(
        read["ttlMs"].is_u64()
            && read["contents"][0]["text"].as_str().is_some_and(|text| text.contains("jazz"))
    );
}

#[test]
fn responses_have_an_accepted_format() {
    let ping = legacy("ping", json!({}));
    for (accept, status, kind) in [
        ("application/json", 200, "application/json"),
        ("text/event-stream, application/json", 200, "application/json"),
        ("*/*", 200, "application/json"),
        ("text/event-stream", 200, "text/event-stream"),
        ("Text/Event-Stream;q=0.5", 200, "text/event-stream"),
        ("text/html", 406, "application/json"),
    ] {
        let answer = post(&shared().service, &[("accept", accept)], &ping);
        assert_eq!(answer.status, status, "{accept}");
        assert!(answer.header("content-type").is_some_and(|found| found.starts_with(kind)), "{accept}");
        if kind == "text/event-stream" {
            let text = answer.text();
            let data = text.strip_prefix("event: message\ndata: ").and_then(|text| text.strip_suffix("\n\n"));
            let event: Value = serde_json::from_str(data.expect("one event")).expect("JSON");
            assert_eq!(event["result"], json!({}));
        }
    }
    let plain =
        exchange(shared().service.listen, &request("POST", "/mcp", &[("content-type", "text/plain")], b"{}"));
    assert_eq!(plain.status, 415);
}

#[test]
fn other_hosts_and_origins_are_refused_and_allowed_origins_get_cors() {
    let service = &shared().service;
    let ping = legacy("ping", json!({}));
    for origin in ["https://evil.example", "null"] {
        assert_eq!(post(service, &[("origin", origin)], &ping).status, 403, "{origin}");
    }
    let raw = format!(
        "POST /mcp HTTP/1.1\r\nhost: evil.example\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{ping}",
        ping.len()
    );
    assert_eq!(exchange(service.listen, raw.as_bytes()).status, 403);
    let page = "http://localhost:5173";
    let answer = post(service, &[("origin", page)], &ping);
    assert_eq!((answer.status, answer.header("access-control-allow-origin")), (200, Some(page)));
    let preflight = [
        ("origin", page),
        ("access-control-request-method", "POST"),
        ("access-control-request-headers", "mcp-protocol-version"),
    ];
    let answer = exchange(service.listen, &request("OPTIONS", "/mcp", &preflight, b""));
    assert_eq!((answer.status, answer.header("access-control-allow-origin")), (204, Some(page)));
    let allowed = answer.header("access-control-allow-headers").expect("headers").to_owned();
    for header in [
        "mcp-protocol-version",
        "mcp-method",
        "mcp-name",
        "authorization",
        "x-api-key",
        "content-type",
        "accept",
    ] {
        assert!(allowed.contains(header), "{header}");
    }
}

#[test]
fn other_methods_get_405_and_browsers_a_page() {
    let send = |method: &str, headers: &[(&str, &str)]| {
        exchange(shared().service.listen, &request(method, "/mcp", headers, b""))
    };
    for method in ["GET", "DELETE", "PUT"] {
        let answer = send(method, &[("accept", "text/event-stream")]);
        assert_eq!((answer.status, answer.header("allow")), (405, Some("POST, OPTIONS")), "{method}");
        assert_eq!(answer.json()["error"]["code"], -32600);
    }
    let page = send("GET", &[("accept", "text/html,application/xhtml+xml")]);
    assert_eq!(page.status, 405);
    assert!(
        page.text().contains("MCP server") && page.header("content-type") == Some("text/html; charset=utf-8")
    );
}

#[test]
fn the_endpoint_can_be_discovered() {
    let get = |path: &str| exchange(shared().service.listen, &request("GET", path, &[], b""));
    let url = format!("http://{}/mcp", shared().service.listen);
    let card = get("/mcp/server-card");
    assert_eq!(card.header("content-type"), Some("application/mcp-server-card+json"));
    assert_eq!(card.json()["remotes"][0]["url"], url);
    assert_eq!(card.json()["remotes"][0]["supportedProtocolVersions"][3], MODERN);
    let catalog = get("/.well-known/ai-catalog.json");
    assert_eq!(catalog.json()["entries"][0]["url"], format!("{url}/server-card"));
    let registry = get("/mcp/server.json").json();
    assert!(registry["description"].as_str().is_some_and(|text| text.chars().count() <= 100));
    assert!(registry["name"].as_str().is_some_and(|name| name.ends_with("/candango")));
    assert!(
        get("/mcp/icon.svg").body.starts_with(b"<svg") && get("/mcp/icon.png").body.starts_with(b"\x89PNG")
    );
}

#[test]
fn only_the_documents_of_the_endpoint_are_kept_not_refusals_of_other_methods() {
    for path in ["/mcp/server-card", "/mcp/server.json", "/mcp/icon.png"] {
        let kept = |method: &str| {
            let answer = exchange(shared().service.listen, &request(method, path, &[], b""));
            (answer.status, answer.header("cache-control").map(str::to_owned))
        };
        assert_eq!(kept("GET"), (200, Some("public, max-age=3600".to_owned())), "{path}");
        assert_eq!(kept("POST"), (405, Some("no-store".to_owned())), "{path}");
    }
}

#[test]
fn prompts_and_completions_use_the_vocabulary() {
    let prompt =
        rpc_result(None, "prompts/get", json!({"name": "whats_on", "arguments": {"region": "Asa Sul"}}));
    assert!(
        prompt["messages"][0]["content"]["text"].as_str().is_some_and(|text| text.contains("where: Asa Sul"))
    );
    let complete = |name: &str, value: &str| {
        let params = json!({"ref": {"type": "ref/prompt", "name": "whats_on"}, "argument": {"name": name, "value": value}});
        rpc_result(None, "completion/complete", params)["completion"]["values"].clone()
    };
    assert!(
        complete("region", "aguas").as_array().is_some_and(|values| values.contains(&json!("Águas Claras")))
    );
    assert!(complete("category", "jaz").as_array().is_some_and(|values| !values.is_empty()));
    assert_eq!(complete("nothing", "a"), json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_official_rust_client_works_in_both_eras() {
    let url = format!("http://{}/mcp", shared().service.listen);
    let legacy = || ClientLifecycleMode::Initialize;
    let modern = || ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] };
    for (mode, key) in
        [(legacy(), None), (modern(), None), (legacy(), Some(&shared().pro)), (modern(), Some(&shared().pro))]
    {
        let label = format!("{mode:?} {}", key.is_some());
        let mut config = StreamableHttpClientTransportConfig::with_uri(url.clone());
        if let Some(key) = key {
            config = config.auth_header(key.clone());
        }
        snapshots::depot::choose_cryptography();
        let transport = StreamableHttpClientTransport::from_config(config);
        let client = ().serve_with_lifecycle(transport, mode).await.expect(&label);
        assert_eq!(client.list_all_tools().await.expect(&label).len(), 5, "{label}");
        assert_eq!(client.list_all_resources().await.expect(&label).len(), 2, "{label}");
        assert_eq!(client.list_all_prompts().await.expect(&label).len(), 2, "{label}");
        let arguments = json!({"limit": 7}).as_object().cloned().expect("an object");
        let called = CallToolRequestParams::new("search_places").with_arguments(arguments);
        let result = client.call_tool(called).await.expect(&label);
        assert_eq!(result.is_error, Some(false), "{label}");
        let answer = result.structured_content.expect("an answer");
        assert_eq!(answer["count"], if key.is_some() { 7 } else { 5 }, "{label}");
        assert!(client.call_tool(CallToolRequestParams::new("nothing")).await.is_err(), "{label}");
        client.cancel().await.expect(&label);
    }
    let config = StreamableHttpClientTransportConfig::with_uri(url).auth_header("not-a-key");
    let refused = ().serve_with_lifecycle(StreamableHttpClientTransport::from_config(config), legacy()).await;
    assert!(refused.is_err(), "a bad key is refused");
}
