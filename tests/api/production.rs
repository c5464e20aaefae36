//! A service that others can reach is no trial by oversight: what would be one is refused at start, closed, or said
//! aloud in the settings.

use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use candango::domain::api_key::ApiKey;
use serde_json::{Value, json};

use crate::mail::{SOON, awaited, mails};
use crate::redis::RedisServer;
use crate::releases::store_as_1_2_in_sqlite;
use crate::service::{
    Answer, Service, demo_copy, exchange, free_port, printed, printed_json, program, request, run,
};

/// Runs `serve` with settings that it must refuse; returns what it said.
fn refused_at_start(data: &Path, settings: &[&str]) -> String {
    let free = ["listen=127.0.0.1:0", "ops_listen=127.0.0.1:0"];
    let settings = free.iter().chain(settings).flat_map(|setting| ["--set", setting]);
    failure(&run(data, &[&["serve"][..], &settings.collect::<Vec<_>>()].concat()))
}

/// What a command that failed said.
fn failure(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{text}");
    text
}

#[test]
fn a_public_service_without_mail_does_not_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    for public in ["base_url=https://guia.example", "listen=203.0.113.7:0", "listen=[2001:db8::1]:0"] {
        let said = refused_at_start(&data, &["payments=none", public]);
        for word in ["error: mail:", "smtps://", "\"none\"", "outbox:"] {
            assert!(said.contains(word), "{public}: {said}");
        }
    }
    assert!(!data.exists(), "nothing was created");
    // what the operator says aloud is done
    let outbox = format!("mail=outbox:{}", folder.path().join("mails").display());
    let service = Service::start_with(&["base_url=https://guia.example", "payments=none", &outbox]);
    assert_eq!(crate::mail::sign_up(&service, "maria@x.example").status, 200);
    awaited("the mail", SOON, || mails(&folder.path().join("mails")).pop());
}

#[test]
fn a_start_that_is_refused_names_every_mistake_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let public = "base_url=https://guia.example";
    let said = refused_at_start(&data, &[public]);
    for setting in ["error: mail: ", "error: mail_from: ", "error: payments: sandbox by default"] {
        assert_eq!(said.matches(setting).count(), 1, "{setting}: {said}");
    }
    // what is set is no longer named
    let said = refused_at_start(&data, &[public, "payments=none", "mail=smtps://mail.example"]);
    assert!(said.contains("error: mail_from: ") && said.contains("<guia@guia.example>"), "{said}");
    assert_eq!(said.matches("error: ").count(), 1, "{said}");
    assert!(!data.exists(), "nothing was created");
    let sender = "mail_from=guia@guia.example";
    Service::start_with(&[public, "payments=none", "mail=smtp://127.0.0.1:9", sender]);
}

#[test]
fn a_public_service_that_takes_money_names_whom_to_ask_for_it_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let token = format!("asaas.webhook_token={}", "t3st".repeat(10));
    let sells = ["payments=asaas", "asaas.api_key=k", "asaas.url=http://127.0.0.1:1", &token];
    let public = [&["base_url=https://guia.example", "mail=none"], &sells[..]].concat();
    let said = refused_at_start(&data, &public);
    assert!(said.contains("error: contact_email: ") && said.contains("oi@guia.example"), "{said}");
    assert_eq!(said.matches("error: ").count(), 1, "{said}");
    assert!(!data.exists(), "nothing was created");
    Service::start_with(&[&public[..], &["contact_email=oi@guia.example"]].concat());
    // one that only this machine reaches is a trial
    Service::start_with(&sells);
}

#[test]
fn without_mail_sign_up_and_recovery_are_closed() {
    let service = Service::start_with(&["base_url=https://guia.example", "payments=none", "mail=none"]);
    for path in ["/v1/signup", "/v1/keys/recover"] {
        let answer = service.post_to(path, &[], &json!({"email": "maria@x.example"}));
        assert_eq!((answer.status, &answer.json()["code"]), (503, &json!("signup_closed")), "{path}");
        assert!(answer.header("retry-after").is_some());
    }
    let form = [("content-type", "application/x-www-form-urlencoded"), ("sec-fetch-site", "same-origin")];
    let page = exchange(service.listen, &request("POST", "/en/signup", &form, b"email=maria%40x.example"));
    assert_eq!(page.status, 503);
    assert!(page.text().contains("Sign-up is closed"), "{}", page.text());
    // a key is replaced all the same, and its mail does not stay in the queue
    let key = service.key("free");
    let found = service.good(&key, json!({"action": "search_places", "limit": 1}));
    assert_eq!(found["attribution"]["url"], "https://guia.example", "the site of a public service");
    assert_eq!(service.post_to("/v1/keys/rotate", &[("x-api-key", &key)], &json!({})).status, 200);
    crate::mail::mailer_is_idle(service.ops);
    assert_eq!(service.counted("candango_mails_sent_total"), 0);
    assert_eq!(service.counted("candango_mails_waiting"), 0);
}

#[test]
fn a_service_that_other_machines_reach_writes_no_mails_to_a_folder_by_oversight() {
    let address = format!("0.0.0.0:{}", free_port());
    let service = Service::start_with(&[&format!("listen={address}")]);
    let local = address.replace("0.0.0.0", "127.0.0.1").parse().expect("an address");
    let sign_up = request("POST", "/v1/signup", &[], br#"{"email":"maria@x.example"}"#);
    assert_eq!(exchange(local, &sign_up).json()["code"], "signup_closed");
    assert!(!service.data.join("outbox").exists());
    let log = service.logged("sign-up and recovery are closed");
    assert!(log.contains("sign-up and recovery are closed") && log.contains("smtps://"), "{log}");
}

const CHECKOUT: &str = r#"{"plan":"pro","tax_id":"529.982.247-25"}"#;

/// Sends a request with exactly these headers.
fn send(service: &Service, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
    let mut text = format!("{method} {path} HTTP/1.1\r\ncontent-length: {}\r\n", body.len());
    for (name, value) in headers {
        text += &format!("{name}: {value}\r\n");
    }
    exchange(service.listen, format!("{text}\r\n{body}").as_bytes())
}

#[test]
fn nobody_beyond_this_machine_pays_with_a_sandbox_that_was_not_chosen() {
    let service = Service::start();
    let key = service.key("free");
    let of_key = ("x-api-key", key.as_str());
    let local =
        send(&service, "POST", "/v1/billing/checkout", &[("host", "127.0.0.1"), of_key], CHECKOUT).json();
    let page = local["pay_url"].as_str().expect("a page").to_owned();
    let page = &page[page.find("/sandbox/").expect("a path")..];
    let form = format!("key={key}&plan=pro&tax_id=529.982.247-25");
    for foreign in [
        &[("host", "guia.example")][..],
        &[("host", "127.0.0.1"), ("x-forwarded-for", "203.0.113.7")],
        &[("host", "localhost"), ("forwarded", "for=203.0.113.7")],
        &[("host", "localhost"), ("x-forwarded-host", "guia.example")],
    ] {
        let with = |more: &[(&'static str, &'static str)]| [foreign, more].concat();
        let typed = with(&[("content-type", "application/x-www-form-urlencoded")]);
        let ordered =
            send(&service, "POST", "/v1/billing/checkout", &[foreign, &[of_key]].concat(), CHECKOUT);
        let answers = [
            ordered,
            send(&service, "POST", "/en/plans", &typed, &form),
            send(&service, "GET", page, foreign, ""),
            send(&service, "POST", page, &typed, "do=pay"),
        ];
        for answer in answers {
            assert_eq!(answer.status, 503, "{foreign:?}: {}", answer.text());
        }
    }
    let plan = |service: &Service| service.good(&key, json!({"action": "usage"}))["plan"].clone();
    assert_eq!(plan(&service), "free");
    let log = service.logged("payments are refused to other machines");
    assert_eq!(log.matches("payments are refused to other machines").count(), 1, "{log}");
    assert_eq!(send(&service, "POST", page, &[("host", "localhost:8080")], "do=pay").status, 303);
    awaited("the plan", SOON, || (plan(&service) == "pro").then_some(()));

    // an operator who chose the sandbox has said so
    let chosen = Service::start_with(&["payments=sandbox"]);
    let key = chosen.key("free");
    let headers = [("host", "guia.example"), ("x-api-key", key.as_str())];
    assert_eq!(send(&chosen, "POST", "/v1/billing/checkout", &headers, CHECKOUT).status, 200);
}

#[test]
fn a_depot_without_a_snapshot_is_not_replaced_by_the_demo() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let depot = folder.path().join("misspelt").display().to_string();
    for name in [depot.clone(), format!("file://{depot}")] {
        let said = refused_at_start(&data, &[&format!("depot={name}")]);
        assert!(said.contains(&name) && said.contains("snapshot publish"), "{said}");
        assert!(!Path::new(&depot).exists(), "nothing was created");
    }
    assert!(!data.join("candango.db").exists(), "the next start is still the first");
    // published to, it is served
    let guide = folder.path().join("guide");
    demo_copy(&guide);
    printed(&run(&data, &["snapshot", "publish", &guide.display().to_string(), "--depot", &depot]), 0);
    let setting = format!("depot={depot}");
    let service = Service::start_on_with(&data, &[&setting]);
    assert_eq!(service.readiness()["snapshot"]["serial"], 1);
    let kept = service.data.join("last-good/kept.json");
    awaited("the copy of the snapshot", SOON, || kept.exists().then_some(()));
    service.kill();
    // emptied later, it is a fault that passes: the last good snapshot stays in service
    std::fs::remove_dir_all(&depot).expect("removed");
    let again = Service::start_on_with(&data, &[&setting]);
    awaited("what is wrong", SOON, || {
        again.readiness()["publish_error"].to_string().contains("the depot is empty").then_some(())
    });
    // the default depot may be named
    let own = folder.path().join("own");
    let named = format!("depot={}", own.join("depot").display());
    assert_eq!(Service::start_on_with(&own, &[&named]).readiness()["snapshot"]["serial"], 0);
}

#[test]
fn a_key_is_printed_only_where_its_operator_alone_reads_it() {
    let has_key = |service: &Service| service.out().contains("cdg_live_");
    let service = Service::start();
    awaited("the key", SOON, || has_key(&service).then_some(()));
    let mail = "mail=none";
    let public = Service::start_with(&["base_url=https://guia.example", "payments=none", mail]);
    awaited("the hint", SOON, || public.out().contains("candango key issue").then_some(()));
    assert!(!has_key(&public) && !public.log().contains("cdg_live_"), "{}", public.out());
    let named = format!("--data {}", public.data.display());
    assert!(public.out().contains(&named), "the key is for this server: {}", public.out());

    // the journal of systemd
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    let journal = File::create(&out).expect("a file");
    let stream = journal.metadata().expect("known");
    let mut child = program(&folder.path().join("data"))
        .args(["--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0"])
        .env("JOURNAL_STREAM", format!("{}:{}", stream.dev(), stream.ino()))
        .stdout(journal)
        .stderr(Stdio::null())
        .spawn()
        .expect("the program runs");
    let read = || std::fs::read_to_string(&out).expect("text");
    let begun = std::time::Instant::now();
    while !read().contains("Health and metrics") && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(20));
    }
    let printed = read();
    // before the assertions, so that the process never outlives the test
    child.kill().expect("killed");
    child.wait().expect("ended");
    assert!(printed.contains("Health and metrics") && !printed.contains("cdg_live_"), "{printed}");
}

#[test]
fn what_no_server_would_read_is_neither_published_nor_issued() {
    let folder = tempfile::tempdir().expect("a folder");
    let guide = folder.path().join("guide");
    demo_copy(&guide);
    let publish = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_candango"));
        command.args(["snapshot", "publish"]).arg(&guide).args(words).env_clear().current_dir(folder.path());
        command.output().expect("the program runs")
    };
    let said = failure(&publish(&[]));
    assert!(
        said.contains("no server has run") && said.contains("--data") && said.contains("--depot"),
        "{said}"
    );
    assert!(!folder.path().join("data").exists(), "nothing was created");
    let mut key = Command::new(env!("CARGO_BIN_EXE_candango"));
    key.args(["key", "issue", "--email", "maria@x.example"]).env_clear().current_dir(folder.path());
    let said = failure(&key.output().expect("the program runs"));
    assert!(said.contains("no server has run") && said.contains("--data"), "{said}");
    assert!(!folder.path().join("data").exists(), "no key of a store that nobody reads");
    printed(&publish(&["--depot", "elsewhere"]), 0);
    // a name may be misspelt
    let said = failure(&publish(&["--data", "misspelt"]));
    assert!(said.contains("no server has run") && said.contains("misspelt"), "{said}");
    assert!(!folder.path().join("misspelt").exists(), "nothing was created");
    assert!(
        failure(&publish(&["--data", "guide"])).contains("no server has run"),
        "a folder of something else"
    );
    // a folder that was made for a server which has yet to start
    std::fs::create_dir(folder.path().join("named")).expect("a folder");
    let said = printed(&publish(&["--data", "named"]), 0);
    assert!(said.contains("no server was heard of") && !said.contains("within 2 s"), "{said}");
    printed(&publish(&["--data", "named"]), 0);
    // a command that writes a mail makes the folder of the mails
    let mut mail = Command::new(env!("CARGO_BIN_EXE_candango"));
    mail.args(["mail", "test", "--to", "maria@x.example"]).env_clear().current_dir(folder.path());
    failure(&mail.output().expect("the program runs"));
    assert!(folder.path().join("data").exists());
    assert!(failure(&publish(&[])).contains("no server has run"));
    std::fs::write(folder.path().join("data/server.lock"), "").expect("written");
    printed(&publish(&[]), 0);
}

#[test]
fn a_proxy_that_is_not_trusted_is_logged_once() {
    let service = Service::start();
    for number in 0..3 {
        let email: Value = json!({"email": format!("a{number}@x.example")});
        let answer = service.post_to("/v1/signup", &[("x-forwarded-for", "203.0.113.7")], &email);
        assert_eq!(answer.status, 200);
    }
    let log = service.logged("trusted_proxies");
    let lines: Vec<&str> = log.lines().filter(|line| line.contains("trusted_proxies")).collect();
    assert!(lines.len() == 1 && lines[0].contains("127.0.0.1") && !log.contains("203.0.113.7"), "{log}");
}

#[test]
fn a_database_that_is_lost_or_replaced_does_not_pass_for_a_new_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let issue = |data: &Path| run(data, &["key", "issue", "--email", "a@b.c", "--plan", "pro", "--json"]);
    let remove = |data: &Path| {
        for name in ["candango.db", "candango.db-wal", "candango.db-shm"] {
            let _ = std::fs::remove_file(data.join(name));
        }
    };
    printed(&issue(&data), 0);
    let kept = std::fs::read(data.join("candango.db")).expect("a database");

    let refuses = |what: &str| {
        let said = [refused_at_start(&data, &[]), failure(&issue(&data))];
        for said in said {
            assert!(said.contains(what) && said.contains("candango store begin"), "{said}");
        }
    };
    remove(&data);
    refuses("is missing");
    assert!(!data.join("candango.db").exists(), "nothing was created");
    File::create(data.join("candango.db")).expect("a file");
    refuses("is empty");
    // a database of SQLite without the service's tables, as a copy without its -wal is
    remove(&data);
    let bare = rusqlite::Connection::open(data.join("candango.db")).expect("a database");
    bare.pragma_update(None, "application_id", 1).expect("written");
    drop(bare);
    refuses("is empty");
    let other = folder.path().join("other");
    printed(&issue(&other), 0);
    std::fs::copy(other.join("candango.db"), data.join("candango.db")).expect("copied");
    refuses("is another one");

    // what was lost comes back
    remove(&data);
    std::fs::write(data.join("candango.db"), kept).expect("restored");
    printed(&run(&data, &["key", "show", "--email", "a@b.c"]), 0);
    let same = printed(&run(&data, &["store", "begin"]), 0);
    assert!(same.contains("has lost nothing"), "{same}");
    // or the operator starts over
    remove(&data);
    printed(&run(&data, &["store", "begin"]), 0);
    assert!(failure(&run(&data, &["key", "show", "--email", "a@b.c"])).contains("no account"));
    let service = Service::start_on(&data);
    service.key("pro");
    drop(service);
    remove(&data);
    std::fs::copy(other.join("candango.db"), data.join("candango.db")).expect("copied");
    printed(&run(&data, &["store", "begin"]), 0);
    printed(&run(&data, &["key", "show", "--email", "a@b.c"]), 0);

    // a folder of an earlier release has no epoch, but a lock or a snapshot that was live
    for marker in ["candango.db.lock", "last-good/kept.json"] {
        let old = folder.path().join(marker.replace('/', "-"));
        std::fs::create_dir_all(old.join("last-good")).expect("a folder");
        std::fs::write(old.join(marker), "{}").expect("written");
        assert!(refused_at_start(&old, &[]).contains("is missing"), "{marker}");
    }
}

#[test]
fn a_folder_that_was_served_from_one_database_is_refused_with_another() {
    let folder = tempfile::tempdir().expect("a folder");
    let (data, other) = (folder.path().join("data"), folder.path().join("other"));
    let at = |path: &Path| format!("store=sqlite:{}", path.display());
    let service = Service::start_on(&data);
    let key = service.key("pro");
    drop(service);
    let refused = |path: &Path, belongs: &Path, found: &str| {
        let issue = ["key", "issue", "--email", "a@b.c", "--set", &at(path)];
        for said in [refused_at_start(&data, &[&at(path)]), failure(&run(&data, &issue))] {
            let (path, belongs) = (path.display().to_string(), format!("sqlite:{}", belongs.display()));
            for word in [&path, &belongs, found, "candango store begin"] {
                assert!(said.contains(word), "{word}: {said}");
            }
        }
    };
    let own = data.join("candango.db");
    let misspelt = folder.path().join("misspelt/candango.db");
    refused(&misspelt, &own, "is missing");
    assert!(!misspelt.parent().expect("its folder").exists(), "nothing was created");
    printed(&run(&other, &["key", "issue", "--email", "maria@x.example"]), 0);
    let of_other = other.join("candango.db");
    refused(&of_other, &own, "is another one");

    // one that was moved is the same
    let moved = folder.path().join("moved.db");
    for end in ["", "-wal", "-shm"] {
        let _ = std::fs::rename(data.join(format!("candango.db{end}")), format!("{}{end}", moved.display()));
    }
    let service = Service::start_on_with(&data, &[&at(&moved)]);
    assert_eq!(service.ask(&key, json!({"action": "usage"})).status, 200);
    drop(service);
    refused(&own, &moved, "is missing");
    // the operator may mean another one
    printed(&run(&data, &["store", "begin", "--set", &at(&of_other)]), 0);
    printed(&run(&data, &["key", "show", "--email", "maria@x.example", "--set", &at(&of_other)]), 0);
    refused(&moved, &of_other, "is another one");
    // a copy says it by itself
    let (from, copy) = (format!("sqlite:{}", of_other.display()), folder.path().join("copy.db"));
    let to = format!("sqlite:{}", copy.display());
    printed(&run(&data, &["store", "copy", "--from", &from, "--to", &to, "--set", &at(&of_other)]), 0);
    drop(Service::start_on_with(&data, &[&at(&copy)]));
    refused(&of_other, &copy, "is another one");

    // commands for several services may be run in one folder, from which none is served
    let desk = folder.path().join("desk");
    for database in ["one.db", "two.db", "one.db"] {
        let database = at(&folder.path().join(database));
        printed(&run(&desk, &["key", "issue", "--email", "a@b.c", "--set", &database]), 0);
    }
}

#[test]
fn a_served_folder_knows_its_redis_by_any_name_and_takes_no_other_for_it() {
    let (folder, redis, other) =
        (tempfile::tempdir().expect("a folder"), RedisServer::start(), RedisServer::start());
    let [data, second] = ["one", "two"].map(|name| folder.path().join(name));
    let at = |url: String| format!("store={url}");
    let own = at(redis.url());
    let service = Service::start_on_with(&data, &[&own]);
    // a store that servers use is not copied
    let stop = |mut service: Service| {
        service.signal("-TERM");
        awaited("the end of a server", SOON, || service.has_ended().then_some(()));
    };
    stop(Service::start_on_with(&second, &[&own]));
    let issue = ["key", "issue", "--email", "maria@x.example", "--plan", "pro", "--json", "--set", &own];
    let key = printed_json(&run(&data, &issue), 0)["api_key"].as_str().expect("a key").to_owned();
    stop(service);

    let knows = |data: &Path, store: &str| {
        let service = Service::start_on_with(data, &[store]);
        assert_eq!(service.ask(&key, json!({"action": "usage"})).status, 200, "{store}");
        stop(service);
    };
    knows(&data, &at(redis.url().replace("127.0.0.1", "localhost")));
    // another number is another database
    let misspelt = [at(other.url()), at(format!("{}/1", redis.url().trim_end_matches('/')))];
    for store in &misspelt {
        let said = refused_at_start(&data, &[store]);
        assert!(said.contains("check the setting store") && said.contains("candango store begin"), "{said}");
    }
    // a copy takes its place, also for a folder that knows only the first
    let copy = ["store", "copy", "--from", &redis.url(), "--to", &other.url(), "--set", &own];
    printed(&run(&data, &copy), 0);
    knows(&data, &misspelt[0]);
    knows(&second, &misspelt[0]);
    // the operator may mean another one
    printed(&run(&data, &["store", "begin", "--set", &misspelt[1]]), 0);
    drop(Service::start_on_with(&data, &[&misspelt[1]]));
}

#[test]
fn a_folder_whose_accounts_are_in_redis_is_refused_without_the_store() {
    let (folder, redis, other) =
        (tempfile::tempdir().expect("a folder"), RedisServer::start(), RedisServer::start());
    let data = folder.path().join("data");
    let sqlite = format!("sqlite:{}", data.join("candango.db").display());
    let backup = folder.path().join("backup.zst").display().to_string();
    let issue = ["key", "issue", "--email", "maria@x.example", "--plan", "pro"];
    let block = ["account", "block", "--email", "maria@x.example", "--reason", "resold"];
    printed(&run(&data, &[&issue[..], &["--store", &redis.url()]].concat()), 0);
    printed(&run(&data, &["backup", &backup, "--store", &redis.url()]), 0);
    let refuses = || {
        let said = [&issue[..], &block, &["backup", "no.zst"], &["restore", &backup], &["report"]]
            .map(|words| failure(&run(&data, words)));
        for said in said.into_iter().chain([refused_at_start(&data, &[])]) {
            assert!(said.contains("accounts are in Redis"), "{said}");
            assert!(said.contains("CANDANGO_STORE_FILE") && said.contains("candango store copy"), "{said}");
            assert!(said.contains("set store to redis://"), "{said}");
        }
    };
    refuses();
    assert!(!data.join("candango.db").exists(), "nothing was created");

    // back to SQLite by a copy, which says so in the folder, as does one to another Redis
    printed(&run(&data, &["store", "copy", "--from", &redis.url(), "--to", &sqlite]), 0);
    printed(&run(&data, &["key", "show", "--email", "maria@x.example"]), 0);
    let elsewhere = folder.path().join("elsewhere");
    let copy = ["store", "copy", "--from", &sqlite, "--to", &other.url()];
    printed(&run(&elsewhere, &copy), 0);
    refuses();
    let again = failure(&run(&elsewhere, &copy));
    assert!(again.contains("not empty"), "{again}");
    // or by a new beginning, which takes no accounts of the time before by mistake
    let said = failure(&run(&data, &["store", "begin"]));
    assert!(said.contains("--with-old-accounts") && said.contains("redis://"), "{said}");
    refuses();
    printed(&run(&data, &["store", "begin", "--with-old-accounts"]), 0);
    printed(&run(&data, &block), 0);
    // a copy that was refused has changed nothing
    failure(&run(&data, &copy));
    printed(&run(&data, &["key", "show", "--email", "maria@x.example"]), 0);
}

#[test]
fn a_folder_on_redis_is_not_begun_anew_while_it_is_served_and_comes_back_by_a_copy() {
    let (folder, redis) = (tempfile::tempdir().expect("a folder"), RedisServer::start());
    let data = folder.path().join("data");
    let sqlite = |name: &str| format!("sqlite:{}", data.join(name).display());
    let setting = format!("store={}", redis.url());
    let maria = ["key", "show", "--email", "maria@x.example"];
    printed(&run(&data, &["key", "issue", "--email", "maria@x.example"]), 0);
    printed(&run(&data, &["store", "copy", "--from", &sqlite("candango.db"), "--to", &redis.url()]), 0);
    let mut service = Service::start_on_with(&data, &[&setting]);
    let said = failure(&run(&data, &["store", "begin"]));
    assert!(said.contains("stop it first"), "{said}");
    service.signal("-TERM");
    awaited("the end of the server", SOON, || service.has_ended().then_some(()));

    let back = |name: &str| run(&data, &["store", "copy", "--from", &redis.url(), "--to", &sqlite(name)]);
    let said = failure(&back("candango.db"));
    assert!(said.contains("not empty") && said.contains("move "), "{said}");
    // under another name, which the folder knows from then on
    printed(&back("second.db"), 0);
    printed(&run(&data, &[&maria[..], &["--store", &sqlite("second.db")]].concat()), 0);
}

#[test]
fn a_start_on_redis_with_the_depot_of_its_own_folder_warns() {
    let redis = RedisServer::start();
    let warning = "other servers will not see what is published";
    let service = Service::start_with(&[&format!("store={}", redis.url())]);
    service.logged(warning);
    assert!(!Service::start().logged("a snapshot went live").contains(warning));
}

#[test]
fn a_data_folder_may_be_moved_and_its_database_come_from_an_earlier_release() {
    let folder = tempfile::tempdir().expect("a folder");
    let (data, moved) = (folder.path().join("data"), folder.path().join("a moved one"));
    printed(&run(&data, &["key", "issue", "--email", "a@b.c"]), 0);
    std::fs::rename(&data, &moved).expect("renamed");
    printed(&run(&moved, &["key", "show", "--email", "a@b.c"]), 0);
    for file in ["candango.db", "candango.db-wal", "candango.db-shm"] {
        let _ = std::fs::remove_file(moved.join(file));
    }
    store_as_1_2_in_sqlite(&moved.join("candango.db"), &ApiKey::generate().expect("a key"));
    let maria = ["key", "show", "--email", "maria@x.example"];
    printed(&run(&moved, &maria), 0);
    // it is known from then on
    std::fs::remove_file(moved.join("candango.db")).expect("removed");
    assert!(failure(&run(&moved, &maria)).contains("is missing"));
}

#[test]
#[ignore = "long: needs the right to mount"]
fn a_store_on_a_disk_that_takes_no_writes_can_be_read_and_backed_up() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let read_only = |words: &[&str]| {
        let mount = "mount --bind \"$CANDANGO_DATA\" \"$CANDANGO_DATA\"; mount -o remount,ro,bind \"$CANDANGO_DATA\"; exec \"$@\"";
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "--mount", "sh", "-ec", mount, "sh"]);
        command.arg(env!("CARGO_BIN_EXE_candango")).args(words).env("CANDANGO_DATA", &data);
        command.current_dir(folder.path()).output().expect("unshare, of util-linux")
    };
    let rescued = |name: &str, email: &str| {
        let list = printed(&read_only(&["account", "list"]), 0);
        assert!(list.contains(email), "{name}: {list}");
        let file = folder.path().join(name).display().to_string();
        let written = read_only(&["backup", &file]);
        printed(&written, 0);
        let restored = folder.path().join(format!("of {name}"));
        printed(&run(&restored, &["restore", &file]), 0);
        printed(&run(&restored, &["key", "show", "--email", email]), 0);
        // what would change something says why it does not
        let said = failure(&read_only(&["key", "issue", "--email", email]));
        assert!(said.to_lowercase().contains("read-only") || said.contains("readonly"), "{name}: {said}");
    };
    printed(&run(&data, &["key", "issue", "--email", "one@x.example"]), 0);
    rescued("closed", "one@x.example");
    // what was written last is in the log beside the database
    let service = Service::start_on(&data);
    printed(&run(&data, &["key", "issue", "--email", "two@x.example"]), 0);
    drop(service);
    assert!(std::fs::metadata(data.join("candango.db-wal")).is_ok_and(|log| log.len() > 0));
    rescued("killed", "two@x.example");
}
