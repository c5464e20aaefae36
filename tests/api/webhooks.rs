//! Webhooks: what is told, to whom, signed how, and what a receiver that misbehaves can and cannot do.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use candango::domain::account::DeliveryId;
use candango::domain::clock::Clock;
use candango::store::sqlite::Sqlite;
use candango::store::{AccountStore, HookQueue, HookStore, Message};
use serde_json::{Value, json};
use standardwebhooks::Webhook;

use crate::mail::{SOON, awaited, mails, outbox};
use crate::openapi::document;
use crate::redis::RedisServer;
use crate::service::{Service, demo_copy, printed, printed_json, run};

const TRIAL: &str = "webhooks.allow_private=true";

/// A message as it arrived.
#[derive(Debug, Clone)]
struct Arrived {
    headers: Vec<(String, String)>,
    body: String,
    at: Instant,
}

impl Arrived {
    fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(own, _)| own == name);
        found.map(|(_, value)| value.as_str()).unwrap_or_else(|| panic!("no {name}: {self:?}"))
    }

    fn kind(&self) -> String {
        self.json()["type"].as_str().expect("a type").to_owned()
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("JSON")
    }

    /// Verifies the signature by the library of the standard, which also checks that the time is near.
    fn verified(&self, secret: &str) -> Value {
        let webhook = Webhook::new(secret).expect("a secret");
        webhook.verify(self.body.as_bytes(), &headers_of(self)).expect("a signature");
        let mut other = self.body.clone().into_bytes();
        other.push(b' ');
        assert!(webhook.verify(&other, &headers_of(self)).is_err(), "the body is signed");
        self.assert_documented();
        self.json()
    }

    /// Checks that the OpenAPI document describes the message: its type, its headers, and every field.
    fn assert_documented(&self) {
        let mut document = document();
        for (_, schema) in document["components"]["schemas"].as_object_mut().expect("schemas") {
            if schema["properties"].is_object() {
                schema["additionalProperties"] = json!(false);
            }
        }
        let described = &document["webhooks"][self.kind()]["post"];
        for parameter in described["parameters"].as_array().expect("headers") {
            let pointer = parameter["$ref"].as_str().expect("a reference").trim_start_matches('#');
            let name = document.pointer(pointer).expect("a header")["name"].clone();
            self.header(name.as_str().expect("a name"));
        }
        let media = &described["requestBody"]["content"][self.header("content-type")];
        let mut schema = media["schema"].clone();
        schema["components"] = document["components"].clone();
        let validator = jsonschema::draft202012::new(&schema).expect("a schema");
        for body in [&self.json(), &media["examples"]["message"]["value"]] {
            assert!(validator.is_valid(body), "{body}");
        }
    }
}

/// The headers in the type that the library takes.
fn headers_of(arrived: &Arrived) -> hyper::HeaderMap {
    let pairs = arrived.headers.iter().map(|(name, value)| {
        let name: hyper::header::HeaderName = name.parse().expect("a name");
        (name, value.parse().expect("a value"))
    });
    pairs.collect()
}

/// What a receiver does with a message, by its number from 0.
type Behaviour = dyn Fn(usize, &mut TcpStream) + Send + Sync;

/// A receiver of messages, on this machine.
struct Receiver {
    address: SocketAddr,
    arrived: Arc<Mutex<Vec<Arrived>>>,
}

impl Receiver {
    fn start(behave: impl Fn(usize, &mut TcpStream) + Send + Sync + 'static) -> Receiver {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let arrived: Arc<Mutex<Vec<Arrived>>> = Arc::default();
        let (all, behave): (_, Arc<Behaviour>) = (arrived.clone(), Arc::new(behave));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (all, behave) = (all.clone(), behave.clone());
                thread::spawn(move || {
                    let mut stream = stream;
                    let Some(message) = read(&mut stream) else { return };
                    let number = {
                        let mut all = all.lock().expect("a list");
                        all.push(message);
                        all.len() - 1
                    };
                    behave(number, &mut stream);
                });
            }
        });
        Receiver { address, arrived }
    }

    /// One that takes every message.
    fn willing() -> Receiver {
        Receiver::start(|_, stream| answer(stream, "204 No Content", ""))
    }

    fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    fn arrived(&self) -> Vec<Arrived> {
        self.arrived.lock().expect("a list").clone()
    }

    /// The messages, once there are so many.
    fn awaited(&self, count: usize) -> Vec<Arrived> {
        awaited("messages", SOON, || Some(self.arrived()).filter(|arrived| arrived.len() >= count))
    }
}

fn answer(stream: &mut TcpStream, status: &str, headers: &str) {
    let _ = write!(stream, "HTTP/1.1 {status}\r\n{headers}content-length: 0\r\nconnection: close\r\n\r\n");
}

fn read(stream: &mut TcpStream) -> Option<Arrived> {
    let mut reader = BufReader::new(stream);
    let mut headers = Vec::new();
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    loop {
        line.clear();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    let length: usize = headers.iter().find(|(name, _)| name == "content-length")?.1.parse().ok()?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Arrived { headers, body: String::from_utf8(body).ok()?, at: Instant::now() })
}

/// Sets the webhook of an account; returns its secret.
fn set(service: &Service, email: &str, url: &str, more: &[&str]) -> String {
    let words = ["webhook", "set", "--email", email, "--url", url, "--json", "--set", TRIAL];
    let made = printed_json(&run(&service.data, &[&words, more].concat()), 0);
    made["secret"].as_str().expect("a secret").to_owned()
}

fn test(service: &Service, email: &str) {
    printed(&run(&service.data, &["webhook", "test", "--email", email]), 0);
}

/// Queues messages to the webhook of an account.
fn queue(service: &Service, email: &str, count: usize) {
    let store = Sqlite::open(&service.data.join("candango.db"), &service.data).expect("a store");
    let queue = async {
        let email = email.parse().expect("an address");
        let account = store.account(&email).await.expect("answered").expect("an account").id;
        for _ in 0..count {
            let id = DeliveryId::generate().expect("randomness");
            let message = Message { id, body: "{}".to_owned(), at: Clock::machine().now() };
            assert_eq!(store.queue_for(&account, message, count).await.expect("queued"), HookQueue::Queued);
        }
    };
    tokio::runtime::Runtime::new().expect("a runtime").block_on(queue);
}

/// What came of the last message, once there is something.
fn last(service: &Service, email: &str) -> String {
    awaited("a result", SOON, || {
        let shown = printed_json(&run(&service.data, &["webhook", "show", "--email", email, "--json"]), 0);
        shown["last"]["result"].as_str().map(str::to_owned)
    })
}

fn issue(service: &Service, email: &str, plan: &str) -> String {
    let issued = run(&service.data, &["key", "issue", "--email", email, "--plan", plan, "--json"]);
    printed_json(&issued, 0)["api_key"].as_str().expect("a key").to_owned()
}

#[test]
fn a_quota_that_runs_out_is_told_once_signed_or_by_mail_without_a_webhook() {
    let service = Service::start_with(&[TRIAL, "plans.gringo.per_month=10", "plans.gringo.per_minute=1000"]);
    let receiver = Receiver::willing();
    let key = issue(&service, "maria@b.c", "gringo");
    let mailed = issue(&service, "joao@b.c", "gringo");
    let secret = set(&service, "maria@b.c", &receiver.url(), &[]);
    let spend = |key: &str, calls: usize| {
        for _ in 0..calls {
            let status = service.ask(key, json!({"action": "search_places", "limit": 1})).status;
            assert!([200, 401].contains(&status), "{status}");
        }
    };
    for key in [&key, &mailed] {
        awaited("the key", SOON, || {
            (service.ask(key, json!({"action": "summary"})).status == 200).then_some(())
        });
        spend(key, 8);
    }
    let low = receiver.awaited(1)[0].verified(&secret);
    assert_eq!((&low["type"], &low["data"]["percent"]), (&json!("quota.80"), &json!(80)));
    assert_eq!((&low["data"]["calls_this_month"], &low["data"]["monthly_limit"]), (&json!(8), &json!(10)));
    assert!(low["data"]["resets_at"].is_string() && low["timestamp"].is_string(), "{low}");
    outbox(&service, "joao@b.c", 1);
    for key in [&key, &mailed] {
        spend(key, 2);
        assert_eq!(service.ask(key, json!({"action": "search_places"})).json()["code"], "quota_exceeded");
    }
    let spent = receiver.awaited(2)[1].verified(&secret);
    assert_eq!((&spent["type"], &spent["data"]["percent"]), (&json!("quota.100"), &json!(100)));
    let mailed = outbox(&service, "joao@b.c", 2);
    assert!(mailed[0].body.contains("80 %") && mailed[1].body.contains("Gringo"), "{}", mailed[0].body);
    assert_eq!(last(&service, "maria@b.c"), "204");
    // a test comes behind all that is queued, so nothing was told twice
    test(&service, "maria@b.c");
    let all = receiver.awaited(3);
    let kinds: Vec<String> = all.iter().map(Arrived::kind).collect();
    assert_eq!(kinds, ["quota.80", "quota.100", "test"]);
    all[2].verified(&secret);
    let to_maria = mails(&service.data.join("outbox"))
        .iter()
        .filter(|mail| mail.header("To").contains("maria@b.c"))
        .count();
    assert_eq!(to_maria, 0, "who has a webhook gets no mail");
    let ids: std::collections::HashSet<&str> = all.iter().map(|one| one.header("webhook-id")).collect();
    assert_eq!(ids.len(), 3);
}

#[test]
fn a_publication_is_told_once_by_a_fleet() {
    let folder = tempfile::tempdir().expect("a folder");
    let (demo, depot) = (folder.path().join("demo"), folder.path().join("depot"));
    demo_copy(&demo);
    let redis = RedisServer::start();
    let settings = [format!("store={}", redis.url()), format!("depot={}", depot.display())];
    let flags: Vec<&str> = settings.iter().flat_map(|setting| ["--set", setting]).collect();
    let publish = |note: &str| {
        let words = ["snapshot", "publish", demo.to_str().expect("a path"), "--note", note];
        printed(&run(&folder.path().join("data"), &[&words, &flags[..]].concat()), 0);
    };
    publish("first");
    let with: Vec<&str> = settings.iter().map(String::as_str).chain([TRIAL]).collect();
    let services = [Service::start_with(&with), Service::start_with(&with)];
    let receiver = Receiver::willing();
    let words = ["key", "issue", "--email", "maria@b.c", "--json"];
    printed(&run(&services[0].data, &[&words, &flags[..]].concat()), 0);
    let secret = set(&services[0], "maria@b.c", &receiver.url(), &flags);
    let guide = demo.join("guide.json");
    let mut changed: Value = serde_json::from_slice(&std::fs::read(&guide).expect("a file")).expect("JSON");
    changed["name"] = json!("another");
    std::fs::write(&guide, changed.to_string()).expect("written");
    publish("second");
    services.iter().for_each(|service| {
        service.serves(2);
    });
    let published = |serial: u64| -> Vec<Arrived> {
        let all = receiver.arrived().into_iter();
        all.filter(|one| one.kind() == "snapshot.published" && one.json()["data"]["serial"] == serial)
            .collect()
    };
    let told = awaited("the second publication", SOON, || published(2).first().cloned()).verified(&secret);
    assert!(told["data"]["places"].as_u64() > Some(0) && told["data"]["digest"].is_string(), "{told}");
    // what was queued before a test is sent before it
    let words = ["webhook", "test", "--email", "maria@b.c"];
    printed(&run(&services[0].data, &[&words[..], &flags[..]].concat()), 0);
    awaited("the test", SOON, || receiver.arrived().iter().any(|one| one.kind() == "test").then_some(()));
    assert_eq!(published(2).len(), 1, "once by both servers");
    // the first one too, when the webhook was set before a server had looked for the first time
    assert!(published(1).len() <= 1);
}

#[test]
fn a_receiver_that_fails_or_redirects_is_tried_again_with_the_same_message() {
    let service = Service::start_with(&[TRIAL]);
    issue(&service, "maria@b.c", "free");
    let elsewhere = Receiver::willing();
    let location = format!("location: {}\r\n", elsewhere.url());
    let receiver = Receiver::start(move |number, stream| match number {
        0 => answer(stream, "500 Internal Server Error", ""),
        1 => answer(stream, "307 Temporary Redirect", &location),
        _ => answer(stream, "200 OK", ""),
    });
    let secret = set(&service, "maria@b.c", &receiver.url(), &[]);
    test(&service, "maria@b.c");
    let all = receiver.awaited(3);
    let ids: Vec<&str> = all.iter().map(|one| one.header("webhook-id")).collect();
    assert!(ids.iter().all(|id| *id == ids[0] && id.starts_with("msg_")), "{ids:?}");
    assert!(all.iter().all(|one| one.body == all[0].body));
    all.iter().for_each(|one| drop(one.verified(&secret)));
    let waits: Vec<Duration> = all.windows(2).map(|pair| pair[1].at - pair[0].at).collect();
    assert!(waits[0] >= Duration::from_secs(4) && waits[1] >= Duration::from_secs(8), "{waits:?}");
    assert!(elsewhere.arrived().is_empty(), "a redirect is not followed");
    awaited("the end", SOON, || (last(&service, "maria@b.c") == "200").then_some(()));
    let counted = |what: &str| service.counted(&format!("candango_hook_messages_{what}_total"));
    assert_eq!((counted("sent"), counted("failed"), counted("abandoned")), (1, 2, 0));
}

#[test]
fn a_stalling_receiver_delays_no_other_and_an_endless_answer_is_not_read() {
    let service = Service::start_with(&[TRIAL]);
    let stalled = Receiver::start(|_, _| thread::sleep(Duration::from_secs(60)));
    let endless = Receiver::start(|_, stream| {
        let _ = write!(stream, "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
        while write!(stream, "400\r\n{}\r\n", "x".repeat(1024)).is_ok() {}
    });
    let willing = Receiver::willing();
    for (email, receiver) in [("a@b.c", &stalled), ("b@b.c", &endless), ("c@b.c", &willing)] {
        issue(&service, email, "free");
        set(&service, email, &receiver.url(), &[]);
    }
    // more than are sent at once
    queue(&service, "a@b.c", 40);
    stalled.awaited(2);
    let began = Instant::now();
    test(&service, "b@b.c");
    test(&service, "c@b.c");
    willing.awaited(1);
    assert_eq!(last(&service, "b@b.c"), "200");
    assert!(
        began.elapsed() < Duration::from_secs(9),
        "others do not wait for the time-out: {:?}",
        began.elapsed()
    );
    assert_eq!(stalled.arrived().len(), 2, "of an account two are sent at once");
    assert_eq!(last(&service, "a@b.c"), "timeout");
}

#[test]
fn a_webhook_of_a_private_network_is_refused_and_never_called() {
    let receiver = Receiver::willing();
    let port = receiver.address.port();
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let service = Service::start_on_with(&data, &[]);
    issue(&service, "maria@b.c", "free");
    for host in
        ["127.0.0.1", "localhost", "[::1]", "10.0.0.1", "169.254.169.254", "0x7f000001", "[::ffff:127.0.0.1]"]
    {
        let url = format!("https://{host}:{port}/");
        let refused = run(&service.data, &["webhook", "set", "--email", "maria@b.c", "--url", &url]);
        assert_eq!(refused.status.code(), Some(1), "{url}");
        assert!(String::from_utf8_lossy(&refused.stderr).contains("private network"), "{url}");
    }
    let plain = ["webhook", "set", "--email", "maria@b.c", "--url", "http://hooks.example/"];
    assert_eq!(run(&service.data, &plain).status.code(), Some(1), "no TLS");
    // what a trial has set is not called once the trial is over
    for url in [receiver.url(), format!("https://127.0.0.1:{port}/"), format!("https://localhost:{port}/")] {
        set(&service, "maria@b.c", &url, &[]);
        test(&service, "maria@b.c");
        let result = last(&service, "maria@b.c");
        assert!(["private address", "no connection"].contains(&result.as_str()), "{url}: {result}");
    }
    assert!(receiver.arrived().is_empty());
    drop(service);
    let public =
        run(&data, &["serve", "--base-url", "https://guia.example", "--set", "mail=none", "--set", TRIAL]);
    assert!(String::from_utf8_lossy(&public.stderr).contains("webhooks.allow_private"), "a public service");
    assert_ne!(public.status.code(), Some(0));
}

#[test]
fn a_webhook_that_was_removed_or_replaced_does_not_come_back_with_a_backup() {
    let folder = tempfile::tempdir().expect("a folder");
    let service = Service::start_with(&[TRIAL]);
    let emails = ["kept@b.c", "removed@b.c", "replaced@b.c"];
    for email in emails {
        issue(&service, email, "pro");
        set(&service, email, "http://127.0.0.1:9/old", &[]);
    }
    let file = folder.path().join("backup.zst");
    let file = file.to_str().expect("a path");
    printed(&run(&service.data, &["backup", file]), 0);
    printed(&run(&service.data, &["webhook", "remove", "--email", "removed@b.c"]), 0);
    set(&service, "replaced@b.c", "http://127.0.0.1:9/new", &[]);
    let journal = service.data.join("ended.jsonl");
    let data = folder.path().join("data");
    printed(&run(&data, &["restore", file, "--journal", journal.to_str().expect("a path")]), 0);
    let codes = emails.map(|email| run(&data, &["webhook", "show", "--email", email]).status.code());
    assert_eq!(codes, [Some(0), Some(1), Some(1)]);
}
