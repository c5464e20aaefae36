//! What people asked and did not find is counted, and nothing says who asked.

use std::net::SocketAddr;
use std::path::Path;

use candango::domain::clock::UnixMillis;
use candango::store::AdminStore;
use candango::store::rows::Table;
use candango::store::sqlite::Sqlite;
use chrono::DateTime;
use serde_json::{Value, json};

use crate::asaas::Moved;
use crate::mail::{SOON, awaited, mailer_is_idle, metric};
use crate::redis::RedisServer;
use crate::service::{Service, open, printed, printed_json, read, request, run};

/// Callers by their addresses, which a proxy tells.
const TRUSTED: &str = "trusted_proxies=127.0.0.1";

/// Who asks.
enum Caller {
    Visitor(usize),
    Holder(String),
}

fn visitor(number: usize) -> String {
    format!("198.51.100.{}", number + 1)
}

/// Asks for places, each question on one connection for all.
fn ask_all<'a>(address: SocketAddr, questions: impl Iterator<Item = (&'a Caller, &'a str)>) {
    let mut stream = open(address);
    for (caller, text) in questions {
        let (path, name, value, body) = match caller {
            Caller::Visitor(number) => {
                let params = json!({"name": "search_places", "arguments": {"q": text}});
                let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
                ("/mcp", "x-forwarded-for", visitor(*number), call)
            }
            Caller::Holder(key) => {
                ("/v1", "x-api-key", key.clone(), json!({"action": "search_places", "q": text}))
            }
        };
        let headers = [
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
            (name, value.as_str()),
        ];
        let bytes = request("POST", path, &headers, body.to_string().as_bytes());
        std::io::Write::write_all(&mut stream, &bytes).expect("sent");
        let answer = read(&mut stream, false).expect("an answer");
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert!(!answer.text().contains("isError\":true"), "{}", answer.text());
    }
}

/// Stops a service in order, so that it writes what it has counted.
fn stop(mut service: Service) -> Service {
    service.signal("-TERM");
    awaited("its end", SOON, || service.has_ended().then_some(()));
    service
}

fn asked(data: &Path, words: &[&str]) -> Vec<Value> {
    let found = printed_json(&run(data, &[&["asked", "--json"], words].concat()), 0);
    found.as_array().expect("a list").clone()
}

fn contains(bytes: &[u8], part: &str) -> bool {
    bytes.windows(part.len()).any(|window| window == part.as_bytes())
}

#[test]
fn a_day_of_questions_gives_what_three_callers_missed_and_nothing_of_the_callers() {
    let service = Service::start_with(&[TRUSTED, "limits.lame_duck_ms=0"]);
    let mut callers: Vec<Caller> = (0..38).map(Caller::Visitor).collect();
    callers.extend(["pro", "free"].map(|plan| Caller::Holder(service.key(plan))));
    // each is asked so often, by so many callers in turn
    let script = [
        ("xilofone", 40, 1_000),
        ("Escafandrista!", 12, 600),
        ("boliche na Asa Sul", 3, 300),
        ("tuba dourada", 2, 500),
        ("zap 61 98765-4321", 40, 400),
        ("maria@example.com", 40, 200),
        ("sushi", 40, 1_000),
        ("sushi escafandrista", 5, 200),
    ];
    // in letters, as numbers are read as hours and blocks
    let letter = |number: u8| char::from(b'a' + number % 26);
    let rare: Vec<String> = (0..40_u8)
        .flat_map(|one| (0..20_u8).map(move |other| (one, other)))
        .map(|(one, other)| format!("qw{}{}{}yzx", letter(one), letter(one / 26), letter(other)))
        .collect();
    let mut questions: Vec<(&Caller, &str)> = Vec::new();
    for (text, by, times) in script {
        questions.extend((0..times).map(|time| (&callers[time % by], text)));
    }
    questions.extend(rare.iter().enumerate().map(|(at, text)| (&callers[at % 40], text.as_str())));
    assert_eq!(questions.len(), 5_000);
    ask_all(service.listen, questions.into_iter());
    assert_eq!(service.counted("candango_asked_dropped_total"), 0);
    let service = stop(service);
    let data = service.data.clone();

    let shown = |list: &[Value]| -> Vec<(String, String, u64, u64)> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let number = |value: &Value| value.as_u64().expect("a number");
        list.iter()
            .map(|one| {
                (text(&one["words"]), text(&one["result"]), number(&one["callers"]), number(&one["times"]))
            })
            .collect()
    };
    let all = asked(&data, &[]);
    let row =
        |words: &str, result: &str, callers, times| (words.to_owned(), result.to_owned(), callers, times);
    assert_eq!(
        shown(&all),
        [
            row("xilofone", "zero", 40, 1_000),
            row("escafandrista", "zero", 12, 600),
            row("boliche", "zero", 3, 300),
            row("escafandrista", "closest", 5, 200),
        ],
        "{all:?}"
    );
    assert_eq!(all[2]["region"], json!(["Asa Sul"]));
    assert!(all.iter().all(|one| one["or_more"] == false && one["days"].is_null()), "{all:?}");
    assert_eq!(asked(&data, &["--zero"]), all[..3]);
    assert_eq!(asked(&data, &["--closest"]), all[3..]);
    let text = printed(&run(&data, &["asked"]), 0);
    assert!(text.contains("lugares · em Asa Sul"), "{text}");

    // nothing of anybody, and nothing that fewer than three asked
    for file in ["candango.db", "candango.db-wal"] {
        let bytes = std::fs::read(data.join(file)).unwrap_or_default();
        for part in ["198.51.100.", "tuba", "98765", "maria@example", "qwyzx"] {
            assert!(!contains(&bytes, part), "{part} is in {file}");
        }
    }
    let store = Sqlite::open(&data.join("candango.db"), &data).expect("a store");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let rows = runtime.block_on(store.rows(&[Table::Asked], None)).expect("rows");
    assert_eq!(rows.len(), 4);
    let accounts = runtime.block_on(store.rows(&[Table::Accounts], None)).expect("rows");
    for account in accounts.iter().filter_map(|row| row.account()) {
        assert!(rows.iter().all(|row| !row.1.iter().flatten().any(|value| value.contains(account))));
    }
    drop(store);

    // backup, restore and copy carry it
    let (file, copy) = (data.with_extension("zst"), data.with_file_name("restored"));
    printed(&run(&data, &["backup", file.to_str().expect("a path")]), 0);
    printed(&run(&copy, &["restore", file.to_str().expect("a path")]), 0);
    assert_eq!(asked(&copy, &[]), all);
    let redis = RedisServer::start();
    let from = format!("sqlite:{}", data.join("candango.db").display());
    printed(&run(&data, &["store", "copy", "--from", &from, "--to", &redis.url()]), 0);
    assert_eq!(asked(&data, &["--store", &redis.url()]), all);
}

#[test]
fn each_server_counts_its_own_callers_and_their_counts_add_up() {
    let redis = RedisServer::start();
    let store = format!("store={}", redis.url());
    let start = || Service::start_with(&[&store, TRUSTED, "limits.lame_duck_ms=0"]);
    let (one, other) = (start(), start());
    let callers: Vec<Caller> = (0..3).map(Caller::Visitor).collect();
    let by = |which: &[usize], text: &'static str| -> Vec<(&Caller, &str)> {
        which.iter().map(|at| (&callers[*at], text)).collect()
    };
    ask_all(one.listen, [by(&[0, 1, 2], "xilofone"), by(&[0, 1], "escafandrista")].concat().into_iter());
    ask_all(other.listen, [by(&[0, 1, 2, 2], "xilofone"), by(&[2], "escafandrista")].concat().into_iter());
    let (one, _other) = (stop(one), stop(other));
    let found = asked(&one.data, &["--store", &redis.url()]);
    assert_eq!(found.len(), 1, "three callers of two servers are two and one: {found:?}");
    assert_eq!(
        (&found[0]["words"], &found[0]["times"], &found[0]["callers"], &found[0]["or_more"]),
        (&json!("xilofone"), &json!(7), &json!(3), &json!(true))
    );
    let keys: Vec<String> = redis.say(&["KEYS", "*asked*"]);
    assert_eq!(keys.len(), 1, "{keys:?}");
    let ttl: i64 = redis.say(&["TTL", &keys[0]]);
    assert!((89 * 86_400..=91 * 86_400).contains(&ttl), "{ttl}");
    let kept: Vec<String> = redis.say(&["HGETALL", &keys[0]]);
    assert!(kept.iter().all(|text| !text.contains("198.51") && !text.contains("acct_")), "{kept:?}");
}

#[test]
fn the_owner_gets_one_letter_on_monday_morning_and_none_without_questions() {
    let at =
        |text: &str| UnixMillis(DateTime::parse_from_rfc3339(text).expect("a moment").timestamp_millis());
    let settings = ["owner_email=owner@x.example", TRUSTED].map(str::to_owned);
    let mut service = Moved::start(&settings);
    let app = service.app.as_ref().expect("running");
    app.block_on(app.serving.first());
    let callers: Vec<Caller> = (0..3).map(Caller::Visitor).collect();
    ask_all(service.address(), callers.iter().map(|caller| (caller, "xilofone")));
    let counted = |service: &mut Moved, moment: &str| {
        let rounds = |service: &Moved| metric(service.ops(), "candango_asked_saves_total");
        // read before the clock is set: the round may be over just after it
        let before = rounds(service);
        service.sets(at(moment));
        awaited("a round of the counter", SOON, || (rounds(service) > before).then_some(()));
        mailer_is_idle(service.ops());
    };
    // the Monday of the start
    counted(&mut service, "2026-09-21T15:05:00Z");
    counted(&mut service, "2026-09-28T10:59:00Z");
    assert_eq!(service.mails().len(), 0, "not before eight");
    counted(&mut service, "2026-09-28T11:00:00Z");
    let letter = service.mails().pop().expect("the letter");
    assert!(letter.header("To").contains("owner@x.example"), "{}", letter.head);
    assert!(letter.body.contains("xilofone"), "{}", letter.body);
    for moment in ["2026-09-28T12:00:00Z", "2026-10-05T12:00:00Z"] {
        counted(&mut service, moment);
        assert_eq!(service.mails().len(), 1, "{moment}");
    }
}
