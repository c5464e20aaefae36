//! `/metrics`: what Prometheus accepts, and what the alert rules and the dashboard in `deploy/` are made of. Each alert
//! whose cause a test can make has one that makes it.

use std::collections::BTreeSet;
use std::io::Write;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit};
use serde_json::{Value, json};

use crate::mail::{SOON, awaited, sign_up};
use crate::publishing::{guide, guide_of, publish};
use crate::redis::RedisServer;
use crate::service::{Service, exchange, free_port, get, open, printed, printed_json, read, request, run};

/// A file below `deploy/`.
fn deployed(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy").join(name)
}

/// What promtool says, which `.ci/run` installs, when it reads `input`. Fails unless it has nothing to complain of.
fn promtool(words: &[&str], input: &str) -> String {
    let mut child = Command::new("promtool")
        .args(words)
        .current_dir(deployed("prometheus"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("promtool, which .ci/run installs");
    child.stdin.take().expect("its input").write_all(input.as_bytes()).expect("written");
    let output = child.wait_with_output().expect("promtool ends");
    let said =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(output.status.success(), "{said}");
    said
}

/// The value of a sample, with its labels as they are written; `None` when there is no such sample.
pub(crate) fn sample(service: &Service, name: &str) -> Option<f64> {
    let text = get(service.ops, "/metrics").text();
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.map(|number| number.parse().expect("a number"))
}

/// Waits until a sample meets a condition.
fn becomes(service: &Service, name: &str, what: impl Fn(f64) -> bool) -> f64 {
    awaited(&format!("{name}, of\n{}", service.log()), SOON, || {
        sample(service, name).filter(|value| what(*value))
    })
}

fn now() -> f64 {
    #[expect(clippy::disallowed_methods, reason = "the server reads the clock of the machine too")]
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("after 1970").as_secs_f64()
}

/// Asks a server for something of everything: each surface, answers and errors, searches that find and do not.
fn use_all(service: &Service) {
    let key = service.key("pro");
    for body in [
        json!({"action": "search_places", "q": "bar"}),
        json!({"action": "search_places", "q": "xyzzyqqq"}),
        json!({"action": "search_events"}),
        json!({"action": "usage"}),
    ] {
        service.good(&key, body);
    }
    assert_eq!(service.ask("cdg_live_wrong", json!({"action": "usage"})).status, 401);
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "search_places", "arguments": {"q": "bar"}}});
    assert_eq!(service.post_to("/mcp", &[], &call).status, 200);
    assert_eq!(get(service.listen, "/").status, 200);
    assert_eq!(get(service.listen, "/v1/plans").status, 200);
}

#[test]
fn promtool_has_nothing_to_say() {
    let service = Service::start();
    let fresh = get(service.ops, "/metrics");
    assert_eq!(promtool(&["check", "metrics"], &fresh.text()), "");
    use_all(&service);
    let used = get(service.ops, "/metrics");
    assert_eq!(promtool(&["check", "metrics"], &used.text()), "");
    assert_eq!(used.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    // every sample is described
    for line in used.text().lines().filter(|line| !line.starts_with('#')) {
        let name = line.split(['{', ' ']).next().expect("a name");
        let family =
            ["_bucket", "_sum", "_count"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
        let is_described = |name: &str| used.text().contains(&format!("# HELP {name} "));
        assert!(is_described(name) || is_described(family), "{line}");
    }
}

#[test]
fn prometheus_gets_open_metrics_by_its_content_type() {
    let service = Service::start();
    let accept = "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.2";
    let asked = request("GET", "/metrics", &[("accept", accept)], b"");
    let answer = exchange(service.ops, &asked);
    assert_eq!(
        answer.header("content-type"),
        Some("application/openmetrics-text; version=1.0.0; charset=utf-8")
    );
    let text = answer.text();
    assert!(text.ends_with("# EOF\n"), "{text}");
    assert!(text.contains("# TYPE candango_guide_swaps counter\n"), "{text}");
    assert!(text.contains("# UNIT candango_guide_packed_bytes bytes\n"), "{text}");
}

#[test]
fn only_pairs_that_were_seen_have_samples() {
    let service = Service::start();
    use_all(&service);
    let text = get(service.ops, "/metrics").text();
    let requests: Vec<&str> =
        text.lines().filter(|line| line.starts_with("candango_requests_total{")).collect();
    assert!((6..=15).contains(&requests.len()), "{requests:#?}");
    assert!(requests.iter().all(|line| !line.ends_with(" 0")), "{requests:#?}");
    let has = |line: &str| assert!(text.contains(&format!("\n{line}\n")), "{line} is not in\n{text}");
    has(r#"candango_requests_total{path="/v1",action="search_places",status="2xx"} 2"#);
    has(r#"candango_requests_total{path="/mcp",action="search_places",status="2xx"} 1"#);
    has(r#"candango_requests_total{path="/v1/plans",action="none",status="2xx"} 1"#);
    has(r#"candango_refusals_total{code="invalid_key"} 1"#);
    has(r#"candango_calls_total{plan="preview"} 1"#);
    has(r#"candango_calls_total{plan="business"} 0"#);
    has(r#"candango_searches_total{action="search_places",result="none"} 1"#);
    has(r#"candango_searches_total{action="search_places",result="exact"} 2"#);
    // but the codes of errors: an alert on an increase must see the first one
    has(r#"candango_refusals_total{code="overloaded"} 0"#);
}

#[test]
fn requests_that_are_refused_before_they_are_read_are_counted() {
    let service = Service::start();
    let sent = |path: &str, headers: &[(&str, &str)]| {
        exchange(service.listen, &request("POST", path, headers, b"{}")).status
    };
    let json = ("content-type", "application/json");
    for (status, path, headers) in [
        (406, "/mcp", &[json, ("accept", "text/html")][..]),
        (415, "/mcp", &[("content-type", "text/plain")]),
        (413, "/mcp", &[json, ("content-length", "99999999")]),
        (400, "/mcp?api_key=a", &[json]),
    ] {
        assert_eq!(sent(path, headers), status, "{path} {headers:?}");
    }
    let messages = r#"candango_requests_total{path="/mcp",action="none",status="4xx"}"#;
    assert_eq!(sample(&service, messages), Some(4.0));
    let foreign = [("content-type", "application/x-www-form-urlencoded"), ("origin", "https://evil.example")];
    let browser = [&foreign[..], &[("accept", "text/html")]].concat();
    let forms = ["/signup", "/conta/entrar", "/sexta/confirm?r=a"];
    for path in forms {
        assert_eq!((sent(path, &foreign), sent(path, &browser)), (403, 403), "{path}");
    }
    let pages = r#"candango_requests_total{path="/",action="none",status="4xx"}"#;
    assert_eq!(sample(&service, pages), Some(6.0));
}

#[test]
fn closest_answers_are_counted_apart() {
    let service = Service::start();
    let key = service.key("pro");
    let answer =
        service.good(&key, json!({"action": "search_places", "q": "sushi vegano na 408 norte com piscina"}));
    let found = match (answer["match"].as_str(), answer["total"].as_u64()) {
        (_, Some(0)) => "none",
        (Some(found), _) => found,
        _ => panic!("{answer}"),
    };
    assert_eq!(found, "closest", "{answer}");
    let name = r#"candango_searches_total{action="search_places",result="closest"}"#;
    assert_eq!(sample(&service, name), Some(1.0));
}

#[test]
fn build_process_and_guide_are_reported() {
    let service = Service::start();
    let text = get(service.ops, "/metrics").text();
    let version = format!("candango_build_info{{version=\"{}\",commit=\"", env!("CARGO_PKG_VERSION"));
    assert!(text.contains(&version), "{text}");
    let started = sample(&service, "process_start_time_seconds").expect("a start");
    assert!((0.0..300.0).contains(&(now() - started)), "{started}");
    let resident = sample(&service, "process_resident_memory_bytes").expect("memory");
    assert!((10e6..2e9).contains(&resident), "{resident}");
    let cpu = sample(&service, "process_cpu_seconds_total").expect("processor time");
    assert!((0.01..600.0).contains(&cpu), "{cpu}");
    let files = |service: &Service| sample(service, "process_open_fds").expect("files");
    // files that the start itself still has open may be closed meanwhile: fewer than half of the connections
    let before = files(&service);
    let held: Vec<TcpStream> = (0..40).map(|_| open(service.listen)).collect();
    awaited("the connections", SOON, || (files(&service) >= before + 20.0).then_some(()));
    drop(held);
    assert!(sample(&service, "candango_guide_packed_bytes").expect("a size") > 10_000.0);
    publish(&service.data, &guide(&service.data, 1), &[]);
    service.serves(1);
    let age = now() - becomes(&service, "candango_guide_published_timestamp_seconds", |at| at > 0.0);
    assert!((0.0..60.0).contains(&age), "{age}");
    assert_eq!(sample(&service, "candango_guide_serial"), Some(1.0));
    awaited("a look at the depot", SOON, || {
        let at = sample(&service, "candango_depot_read_timestamp_seconds").expect("a time");
        (now() - at < 10.0).then_some(())
    });
}

/// The names of metrics in the expressions of a file.
fn names_in(expressions: &str) -> BTreeSet<String> {
    let words = expressions.split(|char: char| !char.is_ascii_alphanumeric() && char != '_');
    let is_metric = |word: &&str| word.starts_with("candango_") || word.starts_with("process_");
    words.filter(is_metric).map(str::to_owned).collect()
}

/// The expressions of the dashboard: those of all targets, and of its variables.
fn expressions(dashboard: &Value, found: &mut String) {
    match dashboard {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value.as_str() {
                    Some(text) if name == "expr" || name == "definition" => *found += &format!("{text}\n"),
                    _ => expressions(value, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| expressions(item, found)),
        _ => {}
    }
}

#[test]
fn alerts_and_dashboard_name_metrics_that_a_server_has() {
    let service = Service::start();
    use_all(&service);
    becomes(&service, "candango_store_probe_seconds", |took| took > 0.0);
    let text = get(service.ops, "/metrics").text();
    let served: BTreeSet<String> = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split(['{', ' ']).next().map(str::to_owned))
        .collect();
    let rules = std::fs::read_to_string(deployed("prometheus/alerts.yml")).expect("rules");
    // neither names of alerts nor texts for people name metrics
    let of_rules = names_in(&rules);
    let dashboard = std::fs::read_to_string(deployed("grafana/dashboard.json")).expect("a dashboard");
    let mut text = String::new();
    expressions(&serde_json::from_str(&dashboard).expect("JSON"), &mut text);
    let of_dashboard = names_in(&text);
    assert!(of_rules.len() > 15 && of_dashboard.len() > 25, "{of_rules:?} {of_dashboard:?}");
    let unknown: Vec<&String> =
        of_rules.union(&of_dashboard).filter(|name| !served.contains(*name)).collect();
    assert!(unknown.is_empty(), "no server has {unknown:?}");
}

#[test]
fn promtool_accepts_the_alert_rules_and_their_tests() {
    promtool(&["check", "rules", "alerts.yml"], "");
    promtool(&["test", "rules", "alerts_test.yml"], "");
}

#[test]
fn promtool_accepts_the_expressions_of_the_dashboard() {
    let dashboard = std::fs::read_to_string(deployed("grafana/dashboard.json")).expect("a dashboard");
    let mut text = String::new();
    expressions(&serde_json::from_str(&dashboard).expect("JSON"), &mut text);
    // as Grafana fills them in
    let filled = text.replace("$__rate_interval", "5m").replace("$instance", ".*");
    let queries: Vec<&str> = filled.lines().filter(|line| !line.starts_with("label_values(")).collect();
    assert!(queries.len() > 30, "{queries:#?}");
    let record = |(number, expr): (usize, &&str)| json!({"record": format!("panel:{number}"), "expr": expr});
    let rules: Vec<Value> = queries.iter().enumerate().map(record).collect();
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("rules.json");
    // YAML reads JSON
    let groups = json!({"groups": [{"name": "dashboard", "rules": rules}]});
    std::fs::write(&file, groups.to_string()).expect("written");
    promtool(&["check", "rules", file.to_str().expect("a path")], "");
}

#[test]
fn candango_no_guide_and_depot_unreadable() {
    let folder = tempfile::tempdir().expect("a folder");
    let service = Service::start_without_depot(&folder.path().join("data"));
    becomes(&service, "candango_publish_failures_total", |count| count >= 1.0);
    assert_eq!(sample(&service, "candango_guide_swaps_total"), Some(0.0));
    assert_eq!(sample(&service, "candango_depot_read_timestamp_seconds"), Some(0.0));
    // the alert on failing requests sees what people see
    for path in ["/", "/?q=samba", "/hoje", "/agenda.ics", "/completar?q=sam", "/place/clube-do-choro"] {
        assert_eq!(get(service.listen, path).status, 503, "{path}");
    }
    let failed = r#"candango_requests_total{path="/",action="none",status="5xx"}"#;
    assert_eq!(sample(&service, failed), Some(6.0));
}

#[test]
fn a_page_is_counted_once_and_a_search_with_its_action() {
    let service = Service::start();
    let counted = |action: &str, status: &str| {
        let labels = format!(r#"path="/",action="{action}",status="{status}""#);
        sample(&service, &format!("candango_requests_total{{{labels}}}")).unwrap_or_default()
    };
    let pages = ["/", "/plans?plan=pro", "/sugerir", "/changelog.atom", "/robots.txt", "/sitemap.xml"];
    for path in pages {
        assert_eq!(get(service.listen, path).status, 200, "{path}");
    }
    let tag = get(service.listen, "/?q=jazz&kind=places").header("etag").expect("its tag").to_owned();
    let again = request("GET", "/?q=jazz&kind=places", &[("if-none-match", &tag)], b"");
    assert_eq!(exchange(service.listen, &again).status, 304);
    assert_eq!(get(service.listen, "/docs/try?q=jazz&kind=places").status, 200);
    assert_eq!(get(service.listen, "/style.css").status, get(service.listen, "/nowhere").status);
    assert_eq!(counted("search_places", "2xx"), 2.0);
    assert_eq!(counted("none", "2xx"), 6.0);
    assert_eq!((counted("none", "3xx"), counted("none", "4xx")), (1.0, 2.0));
}

#[test]
fn candango_publish_failed() {
    let service = Service::start();
    publish(&service.data, &guide(&service.data, 1), &[]);
    service.serves(1);
    assert_eq!(sample(&service, "candango_publish_failures_total"), Some(0.0));
    publish(&service.data, &guide(&service.data, 2), &[]);
    service.serves(2);
    let pointer = service.data.join("depot/current.json");
    std::fs::write(&pointer, "{").expect("written");
    becomes(&service, "candango_publish_failures_total", |count| count >= 1.0);
    becomes(&service, "candango_publish_failing", |failing| failing == 1.0);
}

#[test]
fn candango_publish_failed_lasts_until_a_snapshot_goes_live() {
    let service = Service::start();
    let data = service.data.clone();
    publish(&data, &guide_of(&data, 1, 5), &[]);
    service.serves(1);
    assert_eq!(sample(&service, "candango_publish_failing"), Some(0.0));
    let pointer = data.join("depot/current.json");
    let first = std::fs::read_to_string(&pointer).expect("a pointer");
    publish(&data, &guide(&data, 2), &[]);
    service.serves(2);
    // fewer places, and nobody says why
    let mut pointed: Value = serde_json::from_str(&first).expect("JSON");
    pointed["serial"] = json!(3);
    std::fs::write(&pointer, pointed.to_string()).expect("written");
    becomes(&service, "candango_publish_failing", |failing| failing == 1.0);
    let _folder = service.kill();
    let service = Service::start_on(&data);
    becomes(&service, "candango_publish_failing", |failing| failing == 1.0);
    (pointed["serial"], pointed["forced"]) = (json!(4), json!("it is right"));
    std::fs::write(&pointer, pointed.to_string()).expect("written");
    becomes(&service, "candango_publish_failing", |failing| failing == 0.0);
}

#[test]
fn candango_serves_demo() {
    let service = Service::start();
    assert_eq!(sample(&service, "candango_guide_serial"), Some(0.0));
    publish(&service.data, &guide(&service.data, 1), &[]);
    service.serves(1);
    becomes(&service, "candango_guide_serial", |serial| serial == 1.0);
}

#[test]
fn candango_guide_old() {
    let service = Service::start();
    let data = service.data.clone();
    publish(&data, &guide(&data, 1), &[]);
    service.serves(1);
    let _folder = service.kill();
    let pointer = data.join("depot/current.json");
    let mut published: Value =
        serde_json::from_str(&std::fs::read_to_string(&pointer).expect("a pointer")).expect("JSON");
    published["published_at"] = json!("2026-01-02T03:04:05Z");
    std::fs::write(&pointer, published.to_string()).expect("written");
    let service = Service::start_on(&data);
    service.serves(1);
    assert_eq!(
        becomes(&service, "candango_guide_published_timestamp_seconds", |at| at > 0.0),
        1_767_323_045.0
    );
}

#[test]
fn candango_store_down_and_server_errors() {
    let service = Service::start();
    assert_eq!(becomes(&service, "candango_store_up", |up| up == 1.0), 1.0);
    let late = run(&service.data, &["key", "issue", "--email", "late@b.c", "--plan", "pro", "--json"]);
    let late = printed_json(&late, 0)["api_key"].as_str().expect("a key").to_owned();
    let id = Pid::from_raw(i32::try_from(service.id()).expect("an id"));
    let limit = |current| prlimit(id, Resource::Fsize, Rlimit { current, maximum: None }).expect("limited");
    limit(Some(4_096));
    becomes(&service, "candango_store_up", |up| up == 0.0);
    assert_eq!(service.ask(&late, json!({"action": "summary"})).status, 503);
    becomes(&service, r#"candango_refusals_total{code="store_unavailable"}"#, |count| count >= 1.0);
    becomes(&service, r#"candango_requests_total{path="/v1",action="none",status="5xx"}"#, |count| {
        count >= 1.0
    });
    limit(None);
    becomes(&service, "candango_store_up", |up| up == 1.0);
}

#[test]
fn candango_store_slow_and_slow() {
    let redis = RedisServer::start();
    let store = format!("store={}", redis.url());
    let service = Service::start_with(&[&store]);
    let words = ["key", "issue", "--email", "late@b.c", "--plan", "pro", "--json", "--set", &store];
    let key = printed_json(&run(&service.data, &words), 0)["api_key"].as_str().expect("a key").to_owned();
    becomes(&service, "candango_store_probe_seconds", |took| took > 0.0 && took < 0.5);
    redis.freeze(true);
    // a key that is not cached waits for the store, unless it is known to be down
    assert_eq!(service.ask(&key, json!({"action": "usage"})).status, 503);
    becomes(&service, "candango_store_probe_seconds", |took| took > 0.5);
    let bucket = |bound: &str| {
        let name = format!("candango_request_seconds_bucket{{le=\"{bound}\",path=\"/v1\",action=\"none\"}}");
        sample(&service, &name).expect("a bucket")
    };
    assert!(bucket("0.25") < bucket("+Inf"));
    redis.freeze(false);
    becomes(&service, "candango_store_up", |up| up == 1.0);
}

#[test]
fn candango_store_evicts() {
    let redis = RedisServer::start();
    let service = Service::start_with(&[&format!("store={}", redis.url())]);
    let name = "candango_store_evicts";
    assert_eq!(sample(&service, name), Some(0.0));
    redis.say::<()>(&["CONFIG", "SET", "maxmemory-policy", "allkeys-lru"]);
    becomes(&service, name, |evicts| evicts == 1.0);
    let log = service.logged("the store may lose what it is given");
    assert!(log.contains("allkeys-lru") && log.contains("noeviction"), "{log}");
    redis.say::<()>(&["CONFIG", "SET", "maxmemory-policy", "noeviction"]);
    becomes(&service, name, |evicts| evicts == 0.0);
    service.logged("no longer: the store may lose what it is given");
}

#[test]
fn candango_mails_waiting_and_failing_and_signups_many() {
    let service = Service::start_with(&[&format!("mail=smtp://127.0.0.1:{}", free_port())]);
    let name = r#"candango_queue_oldest_seconds{queue="mails"}"#;
    assert_eq!(sample(&service, name), Some(0.0));
    // an increase is seen of what was there before
    for counter in ["candango_mails_failed_total", "candango_mails_sent_total", "candango_signups_total"] {
        assert_eq!(sample(&service, counter), Some(0.0), "{counter}");
    }
    assert_eq!(sign_up(&service, "maria@x.example").status, 200);
    assert_eq!(sample(&service, "candango_signups_total"), Some(1.0));
    // it is tried again and again, and its age counts from the first
    becomes(&service, name, |age| age > 6.0);
    assert!(sample(&service, "candango_mails_failed_total") >= Some(1.0));
}

#[test]
fn candango_webhooks_waiting_and_gateway_failing() {
    let token = "x".repeat(32);
    let service = Service::start_with(&[
        "payments=asaas",
        "asaas.api_key=k",
        &format!("asaas.webhook_token={token}"),
        &format!("asaas.url=http://127.0.0.1:{}", free_port()),
    ]);
    let name = r#"candango_queue_oldest_seconds{queue="webhook_events"}"#;
    assert_eq!(sample(&service, name), Some(0.0));
    // about an order that may be stored yet
    let event = json!({"id": "evt_1", "event": "PAYMENT_CONFIRMED", "payment": {"id": "pay_1", "subscription": "sub_1",
        "externalReference": "chk_1", "value": 99.0, "status": "CONFIRMED", "dueDate": "2026-11-23"}});
    let answer = service.post_to("/webhooks/asaas", &[("asaas-access-token", &token)], &event);
    assert_eq!(answer.status, 200, "{}", answer.text());
    becomes(&service, name, |age| age > 0.0);
    let key = service.key("free");
    let order = json!({"plan": "pro", "tax_id": "52998224725"});
    assert_eq!(service.post_to("/v1/billing/checkout", &[("x-api-key", &key)], &order).status, 503);
    becomes(&service, "candango_gateway_failures_total", |count| count >= 1.0);
    let line = "orders cannot be created at the gateway";
    assert_eq!(service.logged(line).matches(line).count(), 1);
}

#[test]
fn candango_backup_old() {
    let service = Service::start();
    let name = "candango_backup_timestamp_seconds";
    assert_eq!(sample(&service, name), Some(0.0), "never");
    let file = service.data.join("one.backup").display().to_string();
    printed(&run(&service.data, &["backup", &file]), 0);
    let age = now() - becomes(&service, name, |at| at > 0.0);
    assert!((0.0..60.0).contains(&age), "{age}");
}

#[test]
fn candango_journal_unwritten() {
    let service = Service::start();
    let (name, key) = ("candango_journal_unwritten", service.key("pro"));
    assert_eq!(sample(&service, name), Some(0.0));
    let journal = service.data.join("ended.jsonl");
    std::fs::create_dir(&journal).expect("a folder in its place");
    let rotated = service.post_to("/v1/keys/rotate", &[("x-api-key", &key)], &json!({}));
    assert_eq!(rotated.status, 200, "the key ends all the same: {}", rotated.text());
    becomes(&service, name, |count| count == 1.0);
    service.logged("the journal of what has ended cannot be written");
    std::fs::remove_dir(&journal).expect("removed");
    becomes(&service, name, |count| count == 0.0);
    let written = std::fs::read_to_string(&journal).expect("the journal");
    assert_eq!(written.lines().filter(|line| line.starts_with("{\"key\":")).count(), 1, "{written}");
}

#[test]
fn candango_connections_refused_and_files_run_out() {
    let service = Service::start_with(&["limits.connections=2"]);
    let id = Pid::from_raw(i32::try_from(service.id()).expect("an id"));
    let held: Vec<TcpStream> = (0..2).map(|_| open(service.listen)).collect();
    becomes(&service, "candango_connections", |count| count == 2.0);
    assert_eq!(get(service.listen, "/v1/plans").status, 503);
    becomes(&service, "candango_connections_refused_total", |count| count >= 1.0);
    // its own hard limit stays
    let maximum = getrlimit(Resource::Nofile).maximum;
    let current = Some(service.counted("process_open_fds") + 2);
    prlimit(id, Resource::Nofile, Rlimit { current, maximum }).expect("limited");
    let share = sample(&service, "process_open_fds").expect("files")
        / sample(&service, "process_max_fds").expect("most");
    assert!(share > 0.9, "{share}");
    drop(held);
}

#[test]
fn candango_log_lines_dropped() {
    let folder = tempfile::tempdir().expect("a folder");
    // nobody reads the log
    let mut service = Service::start_with_unread_log(&folder.path().join("data"), &["log_requests=all"]);
    let asked = request("GET", "/v1/plans", &[], b"");
    let begun = std::time::Instant::now();
    while sample(&service, "candango_log_lines_dropped_total") == Some(0.0) {
        assert!(begun.elapsed() < 2 * SOON, "no line is dropped");
        let mut stream = open(service.listen);
        for _ in 0..1_000 {
            stream.write_all(&asked).expect("sent");
            // no request waits for the log
            assert!(read(&mut stream, false).is_some_and(|answer| answer.status == 200));
        }
    }
    assert!(!service.has_ended());
}
