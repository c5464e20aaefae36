//! Nobody else stops an owner who reads the mailbox, and a blocked or erased account gets in nowhere.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use candango::config::{Config, Override};
use candango::domain::clock::Clock;
use candango::domain::error::ApiError;
use candango::mail::Mailer;
use candango::metrics::Metrics;
use candango::quota::issue::issue;
use candango::quota::keys::Keys;
use candango::quota::leases::Quota;
use candango::signup::SignupService;
use candango::store::Store;
use candango::store::journal::{Journal, NotedChanges};
use candango::store::sqlite::Sqlite;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::account_pages::{MARIA, PT, entered, submit};
use crate::mail::{Mail, SOON, awaited, mailer_is_idle, mails, outbox, signed_up};
use crate::redis::RedisServer;
use crate::service::{Answer, Service, exchange, printed, printed_json, request, run};

/// Calls of a flood in a second on one connection: the minute is used up at once, and the machine is not.
const FLOOD: Duration = Duration::from_millis(10);

/// Floods with a key on four connections while something else is done.
fn flooded(service: &Service, key: &str, meanwhile: impl FnOnce()) {
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    service.ask(key, json!({"action": "search_places", "limit": 1}));
                    thread::sleep(FLOOD);
                }
            });
        }
        // also when a check fails
        let _stops = Stop(&stop);
        meanwhile();
    });
}

/// Ends the flood when it is dropped.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn post(service: &Service, path: &str, key: &str, body: &Value) -> Answer {
    service.post_to(path, &[("x-api-key", key)], body)
}

/// The minute of the clock.
fn minute() -> i64 {
    Clock::machine().now().0 / 60_000
}

#[test]
#[ignore = "long: over two edges of a minute"]
fn a_flood_with_a_leaked_key_stops_neither_rotation_nor_status_nor_cancel() {
    let service = Service::start_with(&["plans.free.per_minute=30", "signup.owner_calls_per_minute=30"]);
    let key = signed_up(&service, "owner@x.example");
    flooded(&service, &key, || {
        let begun = minute();
        let is_limited = || service.ask(&key, json!({"action": "summary"})).status == 429;
        // over two edges of a minute, at which the flood takes the new minute first
        while minute() < begun + 2 {
            awaited("the flood", SOON, || is_limited().then_some(()));
            for path in ["/v1/billing/status", "/v1/billing/cancel"] {
                let answer = post(&service, path, &key, &json!({}));
                assert!([200, 400].contains(&answer.status), "{path}: {}", answer.text());
            }
            thread::sleep(Duration::from_secs(5));
        }
        let answer = post(&service, "/v1/keys/rotate", &key, &json!({}));
        assert_eq!(answer.status, 200, "{}", answer.text());
        let new = answer.json()["api_key"].as_str().expect("a key").to_owned();
        // the flood has used up the calls of this minute, and no later one
        assert!([200, 429].contains(&service.ask(&new, json!({"action": "summary"})).status));
        assert_eq!(service.ask(&key, json!({"action": "summary"})).status, 401);
    });
}

#[test]
fn whatever_others_try_the_owners_first_try_with_a_code_works() {
    let defaults = ["signup.per_ip_hour=5", "signup.per_ip_day=20", "trusted_proxies=127.0.0.1"];
    let service = Service::start_with(&defaults);
    signed_up(&service, "owner@x.example");
    let from = |network: &str, path: &str, body: Value| {
        let headers = [("x-forwarded-for", network)];
        service.post_to(path, &headers, &body)
    };
    for network in ["198.51.100.1", "198.51.100.2", "2001:db8::1"] {
        for _ in 0..12 {
            from(network, "/v1/keys/recover", json!({"email": "owner@x.example"}));
            from(network, "/v1/signup", json!({"email": "owner@x.example"}));
            let wrong = json!({"email": "owner@x.example", "code": "ZZZZ-ZZZZ-ZZZZ"});
            from(network, "/v1/keys/recover/confirm", wrong);
        }
    }
    let answer = from("203.0.113.9", "/v1/keys/recover", json!({"email": "owner@x.example"}));
    assert_eq!(answer.status, 200, "{}", answer.text());
    // the bucket of mails to the address is empty by now, and what filled it were good codes
    mailer_is_idle(service.ops);
    let mails = outbox(&service, "owner@x.example", 3);
    assert_eq!(mails.len(), 3, "the welcome and two codes");
    let code = mails.iter().find_map(Mail::code).expect("a code");
    let body = json!({"email": "owner@x.example", "code": code});
    let answer = from("203.0.113.9", "/v1/keys/recover/confirm", body);
    assert_eq!(answer.status, 200, "{}", answer.text());
    let key = answer.json()["api_key"].as_str().expect("a key").to_owned();
    assert_eq!(service.ask(&key, json!({"action": "summary"})).status, 200);
}

#[test]
fn mails_that_bring_no_code_of_the_account_leave_its_recovery_open() {
    let [burst, day] = ["signup.per_address_burst=3", "signup.per_address_day=10"];
    let service = Service::start_with(&[burst, day]);
    signed_up(&service, "owner@x.example");
    signed_up(&service, MARIA);
    let session = entered(&service, &PT, 1);
    for _ in 0..10 {
        submit(&service, "/sexta", "", "email=owner@x.example&area=&website=");
        let asked = submit(&service, "/conta/email", &session, "email=owner@x.example");
        assert_eq!(asked.status, 200, "{}", asked.text());
    }
    mailer_is_idle(service.ops);
    let before = outbox(&service, "owner@x.example", 1 + 3).len();
    assert_eq!(before, 1 + 3, "the key, and a third of the mails of a day");
    let answer = service.post_to("/v1/keys/recover", &[], &json!({"email": "owner@x.example"}));
    assert_eq!(answer.status, 200, "{}", answer.text());
    let mails = outbox(&service, "owner@x.example", before + 1);
    let works = mails.iter().filter_map(Mail::code).any(|code| {
        let body = json!({"email": "owner@x.example", "code": code});
        service.post_to("/v1/keys/recover/confirm", &[], &body).status == 200
    });
    assert!(works, "the new mail brings a code of the account");
}

#[test]
fn a_neighbour_in_the_48_keeps_no_owner_from_recovery_and_sign_in() {
    let limits = ["signup.per_ip_hour=5", "signup.per_ip_day=20", "trusted_proxies=127.0.0.1"];
    let service = Service::start_with(&limits);
    signed_up(&service, "owner@x.example");
    let from = |network: &str, path: &str, body: Value| {
        service.post_to(path, &[("x-forwarded-for", network)], &body)
    };
    let form = |network: &str, path: &str, body: &str| {
        let form = ("content-type", "application/x-www-form-urlencoded");
        let sent = request("POST", path, &[form, ("x-forwarded-for", network)], body.as_bytes());
        exchange(service.listen, &sent)
    };
    for network in 0..35 {
        let network = format!("2001:db8:7:{network}::1");
        for _ in 0..5 {
            from(&network, "/v1/keys/recover", json!({"email": "nobody@x.example"}));
            let wrong = json!({"email": "nobody@x.example", "code": "ZZZZ-ZZZZ-ZZZZ"});
            from(&network, "/v1/keys/recover/confirm", wrong);
            form(&network, PT.sign_in, "email=nobody@x.example");
            form(&network, PT.code, "email=nobody@x.example&code=ZZZZ-ZZZZ-ZZZZ");
        }
    }
    let own = "2001:db8:7:ff::1";
    // somebody behind the same address uses up the tries of another one
    for _ in 0..6 {
        let wrong = json!({"email": "nobody@x.example", "code": "ZZZZ-ZZZZ-ZZZZ"});
        from(own, "/v1/keys/recover/confirm", wrong);
    }
    assert_eq!(form(own, PT.sign_in, "email=owner@x.example").status, 200);
    assert_eq!(from(own, "/v1/keys/recover", json!({"email": "owner@x.example"})).status, 200);
    let wrong = form(own, PT.code, "email=owner@x.example&code=ZZZZ-ZZZZ-ZZZZ");
    assert_eq!(wrong.status, 400, "{}", wrong.text());
    let mails = outbox(&service, "owner@x.example", 3);
    let is_entered = mails.iter().filter_map(Mail::code).any(|code| {
        let body = json!({"email": "owner@x.example", "code": code});
        from(own, "/v1/keys/recover/confirm", body).status == 200
    });
    assert!(is_entered, "the code for a key works");
}

#[test]
fn who_uses_a_code_gets_the_next_one_though_others_have_used_up_the_mails() {
    let service = Service::start();
    signed_up(&service, "owner@x.example");
    let recover = || service.post_to("/v1/keys/recover", &[], &json!({"email": "owner@x.example"})).status;
    for _ in 0..5 {
        assert_eq!(recover(), 200);
    }
    mailer_is_idle(service.ops);
    let mails = outbox(&service, "owner@x.example", 3);
    assert_eq!(mails.len(), 3, "the key and two codes");
    let code = mails.iter().find_map(Mail::code).expect("a code");
    let body = json!({"email": "owner@x.example", "code": code});
    assert_eq!(service.post_to("/v1/keys/recover/confirm", &[], &body).status, 200);
    let before = outbox(&service, "owner@x.example", 4).len();
    assert_eq!(recover(), 200);
    outbox(&service, "owner@x.example", before + 1);
}

#[test]
fn recoveries_of_an_address_without_account_leave_it_the_mails_of_its_sign_up() {
    let service = Service::start();
    for _ in 0..5 {
        let asked = service.post_to("/v1/keys/recover", &[], &json!({"email": "new@x.example"}));
        assert_eq!(asked.status, 200, "{}", asked.text());
    }
    signed_up(&service, "new@x.example");
    // and what sign-up answers does not tell that it has an account now
    for email in ["new@x.example", "other@x.example"] {
        for _ in 0..3 {
            service.post_to("/v1/keys/recover", &[], &json!({"email": email}));
        }
        let answer = service.post_to("/v1/signup", &[], &json!({"email": email}));
        assert_eq!(answer.status, 200, "{email}: {}", answer.text());
    }
}

#[test]
fn strangers_send_a_mailbox_ten_mails_a_day_whatever_they_ask_for() {
    let service = Service::start_with(&["signup.per_address_burst=1000"]);
    signed_up(&service, "dora@x.example");
    signed_up(&service, MARIA);
    let session = entered(&service, &PT, 1);
    for number in 0..12 {
        submit(&service, "/sexta", "", "email=dora@x.example&area=&website=");
        submit(&service, "/conta/email", &session, &format!("email=dora%2B{number}@x.example"));
        submit(&service, PT.sign_in, "", "email=dora@x.example");
        service.post_to("/v1/keys/recover", &[], &json!({"email": "dora@x.example"}));
    }
    mailer_is_idle(service.ops);
    let mailed = mails(&service.data.join("outbox"));
    let to_dora = mailed.iter().filter(|mail| mail.head.contains("dora")).count();
    assert_eq!(to_dora, 10);
}

/// The sign-up service in this process, with a store and a cache of keys of its own.
pub(crate) struct InProcess {
    _folder: TempDir,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) signup: SignupService,
    keys: Arc<Keys>,
    clock: Clock,
}

pub(crate) async fn in_process() -> InProcess {
    let folder = tempfile::tempdir().expect("a folder");
    let empty = folder.path().join("candango.toml");
    std::fs::write(&empty, "").expect("a file");
    let data = Override {
        origin: "the test".to_owned(),
        setting: "data".to_owned(),
        value: folder.path().display().to_string(),
    };
    let config = Config::load(Some(&empty), [], &[data]).expect("settings");
    let store: Arc<dyn Store> =
        Arc::new(Sqlite::open(&folder.path().join("candango.db"), folder.path()).expect("a store"));
    // no hour ends meanwhile
    let (clock, metrics) = (Clock::standing_at(Clock::machine().now()), Metrics::new());
    let mailer = Mailer::new(&config, store.clone(), clock.clone(), metrics.mail.clone()).expect("a mailer");
    let background = tokio::runtime::Handle::current();
    let changes = NotedChanges::new(Journal::of(folder.path()), background.clone());
    let signup =
        SignupService::new(&config, store.clone(), clock.clone(), mailer, changes, metrics.signups.clone());
    let quota = Quota::new(store.clone(), clock.clone(), background, metrics.leases.clone());
    let keys = Arc::new(Keys::new(store.clone(), Arc::new(quota), metrics.keys.clone()));
    store.register(keys.listener()).await.expect("registered");
    InProcess { _folder: folder, store, signup, keys, clock }
}

#[tokio::test]
async fn a_key_that_is_replaced_while_it_signs_in_opens_no_session() {
    let InProcess { _folder, store, signup, keys, clock } = in_process().await;
    let owner = "owner@x.example".parse().expect("an address");
    let issued = issue(&*store, &clock, owner, None).await.expect("a key");
    let client = "192.0.2.1".parse().expect("an address");

    let caller = keys.caller(issued.key.reveal().as_bytes()).await.expect("a caller");
    let token = signup.enter_with_key(&caller, client).await.expect("a session");
    assert!(signup.session(&token).await.expect("answered").is_some());
    let replaced = signup.rotate(&caller).await.expect("another key");
    // its holder was known before, and is let in after
    assert_eq!(signup.enter_with_key(&caller, client).await, Err(ApiError::InvalidKey));
    assert!(signup.session(&token).await.expect("answered").is_none());
    let caller = keys.caller(replaced.key.reveal().as_bytes()).await.expect("a caller");
    assert!(signup.enter_with_key(&caller, client).await.is_ok());
}

/// Servers on one store, and the flags of commands beside them.
struct Servers {
    _redis: Option<RedisServer>,
    services: Vec<Service>,
    flags: Vec<String>,
}

impl Servers {
    fn on_sqlite() -> Servers {
        Servers { _redis: None, services: vec![Service::start()], flags: Vec::new() }
    }

    fn on_redis() -> Servers {
        let redis = RedisServer::start();
        let store = format!("store={}", redis.url());
        let services = (0..3).map(|_| Service::start_with(&[&store])).collect();
        Servers { _redis: Some(redis), services, flags: vec!["--set".to_owned(), store] }
    }

    fn command(&self, words: &[&str]) -> std::process::Output {
        let flags: Vec<&str> = self.flags.iter().map(String::as_str).collect();
        run(&self.services[0].data, &[words, &flags].concat())
    }

    fn issue(&self, email: &str, plan: &str) -> String {
        let issued = self.command(&["key", "issue", "--email", email, "--plan", plan, "--json"]);
        printed_json(&issued, 0)["api_key"].as_str().expect("a key").to_owned()
    }

    /// Waits until every server answers a key with a status and a code; returns how long that took.
    fn all_answer(&self, key: &str, status: u16, code: Option<&str>) -> Duration {
        let begun = Instant::now();
        awaited("the change on every server", SOON, || {
            let mut answers = self.services.iter().map(|one| one.ask(key, json!({"action": "summary"})));
            let fits = |answer: Answer| {
                answer.status == status && code.is_none_or(|code| answer.json()["code"] == code)
            };
            answers.all(fits).then_some(())
        });
        begun.elapsed()
    }
}

#[test]
fn a_blocked_account_is_refused_on_every_server_and_gets_no_mail() {
    for servers in [Servers::on_sqlite(), Servers::on_redis()] {
        let key = servers.issue("maria@x.example", "pro");
        servers.all_answer(&key, 200, None);
        let named = ["account", "block", "--email", "maria@x.example", "--reason", "asked by ana@x.example"];
        let refused = servers.command(&named);
        assert_eq!(refused.status.code(), Some(2));
        assert!(
            String::from_utf8_lossy(&refused.stderr).contains("leave out e-mail addresses"),
            "{refused:?}"
        );
        let block = ["account", "block", "--email", "maria@x.example", "--reason", "resold", "--json"];
        let blocked = printed_json(&servers.command(&block), 0);
        assert_eq!((&blocked["blocked"], &blocked["silent_servers"]), (&json!(true), &json!([])));
        let took = servers.all_answer(&key, 401, Some("account_blocked"));
        assert!(took < Duration::from_secs(3), "{took:?}");

        let service = &servers.services[0];
        assert_eq!(post(service, "/v1/keys/rotate", &key, &json!({})).json()["code"], "account_blocked");
        assert_eq!(post(service, "/v1/billing/status", &key, &json!({})).status, 200);
        let mcp = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
        let headers = [("x-api-key", key.as_str()), ("accept", "application/json, text/event-stream")];
        assert_eq!(service.post_to("/mcp", &headers, &mcp).status, 401);
        for (path, body) in [
            ("/v1/signup", json!({"email": "maria@x.example"})),
            ("/v1/keys/recover", json!({"email": "maria@x.example"})),
        ] {
            assert_eq!(service.post_to(path, &[], &body).status, 200, "the usual answer");
        }
        for service in &servers.services {
            mailer_is_idle(service.ops);
            assert!(mails(&service.data.join("outbox")).is_empty(), "and no mail");
        }
        let shown = servers.command(&["key", "show", "--email", "maria@x.example"]);
        assert!(printed(&shown, 0).contains("blocked"), "{shown:?}");
        let refused = servers.command(&["key", "issue", "--email", "maria@x.example"]);
        assert!(printed_error(&refused).contains("unblock"));

        printed(&servers.command(&["account", "unblock", "--email", "maria@x.example"]), 0);
        servers.all_answer(&key, 200, None);
        let log = printed_json(&servers.command(&["audit", "--json"]), 0);
        let actions: Vec<&str> =
            log.as_array().expect("a list").iter().filter_map(|entry| entry["action"].as_str()).collect();
        assert_eq!(actions, ["key issue", "account create", "account block", "account unblock"]);
        assert_eq!((&log[2]["reason"], &log[2]["account"]), (&json!("resold"), &log[1]["account"]));
        // of a new account the first entry has no id
        assert_eq!(log[1]["detail"], "by key issue, plan pro");
        assert!(
            log[0]["at"].is_i64() && log[0]["time"].as_str().is_some_and(|time| time.ends_with('Z')),
            "{log}"
        );
    }
}

#[test]
fn a_command_that_fails_after_its_change_was_recorded_says_so_in_the_audit_log() {
    let service = Service::start();
    let key = service.key("pro");
    let fails = |words: &[&str]| {
        let error = printed_error(&run(&service.data, &[words, &["--email", "pro@b.c"]].concat()));
        assert!(error.contains("error: "), "{words:?}: {error}");
    };
    fails(&["webhook", "remove"]);
    fails(&["webhook", "set", "--url", "ftp://x.example"]);
    fails(&["token", "revoke", "tok_8Kd0aZ3fQ1mX7bTy"]);
    // nothing can be appended to a folder
    std::fs::create_dir(service.data.join("ended.jsonl")).expect("a folder in place of the journal");
    fails(&["key", "revoke", &key]);
    assert_eq!(service.ask(&key, json!({"action": "summary"})).status, 200, "the key is not revoked");

    let log = printed_json(&run(&service.data, &["audit", "--json"]), 0);
    let entries = log.as_array().expect("a list").iter();
    let mut entries = entries.skip_while(|entry| entry["action"] != "webhook remove");
    for action in ["webhook remove", "webhook set", "token revoke", "key revoke"] {
        let [Some(attempt), Some(outcome)] = [entries.next(), entries.next()] else {
            panic!("{action}: {log}")
        };
        assert!(attempt["action"] == action && outcome["action"] == action, "{action}: {log}");
        assert!(attempt["account"].is_string() && attempt["account"] == outcome["account"], "{log}");
        assert!(outcome["detail"].as_str().is_some_and(|detail| detail.starts_with("failed")), "{log}");
    }
    assert!(entries.next().is_none() && !log.to_string().contains("pro@b.c"), "{log}");
}

pub(crate) fn printed_error(output: &std::process::Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    String::from_utf8(output.stderr.clone()).expect("text")
}

/// Whether a text is in any file below a folder.
fn is_in(folder: &std::path::Path, text: &str) -> Option<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    entries.map(|entry| entry.expect("an entry").path()).find_map(|path| {
        if path.is_dir() {
            return is_in(&path, text);
        }
        let bytes = std::fs::read(&path).expect("readable");
        bytes.windows(text.len()).any(|part| part == text.as_bytes()).then_some(path)
    })
}

#[test]
fn an_erased_account_leaves_nothing_and_its_key_is_unknown_everywhere() {
    for servers in [Servers::on_sqlite(), Servers::on_redis()] {
        let service = &servers.services[0];
        let signed =
            service.post_to("/v1/signup", &[], &json!({"email": "zelia.rara@x.example", "name": "Zélia"}));
        assert_eq!(signed.status, 200);
        let has_mail = || {
            let all = servers.services.iter().flat_map(|one| mails(&one.data.join("outbox")));
            all.into_iter().find_map(|mail| mail.key())
        };
        let key = awaited("the welcome", SOON, has_mail);
        servers.all_answer(&key, 200, None);
        let exported =
            printed_json(&servers.command(&["account", "export", "--email", "zelia.rara@x.example"]), 0);
        assert_eq!(exported["accounts"][0]["name"], "Zélia");
        assert_eq!(exported["keys"].as_array().map(Vec::len), Some(1));
        assert!(exported["keys"][0].get("hash").is_none());
        let shown = printed_json(
            &servers.command(&["account", "show", "--email", "zelia.rara@x.example", "--json"]),
            0,
        );
        assert_eq!((&shown["plan"], &shown["subscription"]), (&json!("free"), &json!("none")));
        let listed = printed_json(&servers.command(&["account", "list", "--search", "ZELIA", "--json"]), 0);
        assert_eq!(listed.as_array().map(Vec::len), Some(1));

        // each server has an outbox of its own here: the command is run on each
        for service in &servers.services {
            let flags: Vec<&str> = servers.flags.iter().map(String::as_str).collect();
            run(
                &service.data,
                &[&["account", "erase", "--email", "zelia.rara@x.example"], flags.as_slice()].concat(),
            );
        }
        let took = servers.all_answer(&key, 401, Some("invalid_key"));
        assert!(took < Duration::from_secs(3), "{took:?}");
        assert!(
            printed_error(&servers.command(&["account", "show", "--email", "zelia.rara@x.example"]))
                .contains("no account")
        );
        if servers.services.len() == 1 {
            for text in ["zelia.rara", "Zélia"] {
                assert_eq!(is_in(&service.data, text), None, "{text}");
            }
            assert!(!service.log().contains("zelia"));
        }
        let log = printed_json(&servers.command(&["audit", "--json"]), 0);
        assert!(!log.to_string().contains("zelia"), "{log}");
        assert!(log.to_string().contains("account erase"), "{log}");
    }
}

#[test]
fn a_granted_plan_begins_at_once_and_ends_with_its_day() {
    let service = Service::start();
    let key = signed_up(&service, "school@x.example");
    let plan = |service: &Service| service.good(&key, json!({"action": "summary"}))["plan"].clone();
    let grant = |until: &str| {
        let words = [
            "account",
            "grant",
            "--email",
            "school@x.example",
            "--plan",
            "pro",
            "--until",
            until,
            "--reason",
            "a project",
        ];
        printed(&run(&service.data, &words), 0)
    };
    grant("2099-12-31");
    awaited("the plan", SOON, || (plan(&service) == "pro").then_some(()));
    let told = outbox(&service, "school@x.example", 2);
    assert!(told[1].body.contains("Pro") && told[1].body.contains("POST"), "{}", told[1].body);
    grant("2020-01-01");
    awaited("its end", SOON, || (plan(&service) == "free").then_some(()));
}

#[test]
fn the_end_of_a_grant_takes_away_no_other_plan() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let maria = |words: &[&str]| run(&data, &[words, &["--email", "maria@x.example"]].concat());
    let grant = |until: &str| {
        maria(&["account", "grant", "--plan", "business", "--reason", "a project", "--until", until])
    };
    printed(&maria(&["key", "issue"]), 0);
    printed(&maria(&["account", "plan", "--plan", "pro"]), 0);
    let said = printed_error(&grant("2099-12-31"));
    assert!(said.contains("the pro plan without end"), "{said}");
    printed(&maria(&["account", "plan", "--plan", "free"]), 0);
    printed(&grant("2099-12-31"), 0);
    let shown = printed_json(&maria(&["account", "show", "--json"]), 0);
    assert_eq!(shown["grant"], json!({"plan": "business", "until": "2099-12-31"}));

    let said = printed_error(&maria(&["key", "issue", "--plan", "pro"]));
    assert!(said.contains("a granted plan") && said.contains("account grant"), "{said}");
    let issued = printed_json(&maria(&["key", "issue", "--json"]), 0);
    assert_eq!(issued["plan"], "business");
    let said = printed(&grant("2020-01-01"), 0);
    assert!(said.contains("2020-01-01 is past, which ends a grant"), "{said}");
    let shown = printed_json(&maria(&["account", "show", "--json"]), 0);
    assert_eq!((&shown["plan"], &shown["grant"]), (&json!("free"), &Value::Null));
}

#[test]
fn an_account_moves_to_another_mailbox_with_its_key() {
    let service = Service::start();
    let key = signed_up(&service, "old@x.example");
    let moved = ["account", "email", "--from", "old@x.example", "--to", "new@x.example", "--json"];
    assert_eq!(printed_json(&run(&service.data, &moved), 0)["email"], "new@x.example");
    assert_eq!(service.ask(&key, json!({"action": "summary"})).status, 200);
    let answer = service.post_to("/v1/keys/recover", &[], &json!({"email": "new@x.example"}));
    assert_eq!(answer.status, 200);
    assert!(outbox(&service, "new@x.example", 1)[0].code().is_some());
}
