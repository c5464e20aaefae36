//! A backup that is taken under load restores all that was acknowledged before it, on either engine, and nothing that
//! has ended since comes back to life.

use std::os::unix::fs::{MetadataExt, chown};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use candango::domain::clock::Clock;
use candango::store::AdminStore;
use candango::store::rows::{Row, Table};
use candango::store::sqlite::Sqlite;
use rusqlite::OpenFlags;
use serde_json::{Value, json};

use crate::mail::{SOON, awaited, mailer_is_idle, mails, outbox};
use crate::publishing::{guide_of, publish};
use crate::redis::RedisServer;
use crate::service::{Service, free_port, printed, printed_json, program, run};

/// A store that servers and commands are told of by a setting.
struct Engine {
    redis: Option<RedisServer>,
}

impl Engine {
    fn sqlite() -> Engine {
        Engine { redis: None }
    }

    fn redis() -> Engine {
        Engine { redis: Some(RedisServer::with(&["--appendonly", "yes", "--appendfsync", "always"])) }
    }

    fn settings(&self) -> Vec<String> {
        self.redis.iter().map(|redis| format!("store={}", redis.url())).collect()
    }

    fn start(&self, data: &Path) -> Service {
        let settings = self.settings();
        Service::start_on_with(data, &settings.iter().map(String::as_str).collect::<Vec<_>>())
    }

    fn command(&self, data: &Path, words: &[&str]) -> std::process::Output {
        let settings = self.settings();
        let flags = settings.iter().flat_map(|setting| ["--set", setting]);
        run(data, &words.iter().copied().chain(flags).collect::<Vec<_>>())
    }

    fn issue(&self, data: &Path, email: &str) -> String {
        let issued = self.command(data, &["key", "issue", "--email", email, "--plan", "pro", "--json"]);
        printed_json(&issued, 0)["api_key"].as_str().expect("a key").to_owned()
    }

    /// The `store` setting as `store copy` takes it.
    fn spec(&self, data: &Path) -> String {
        match &self.redis {
            Some(redis) => redis.url(),
            None => format!("sqlite:{}", data.join("candango.db").display()),
        }
    }
}

fn status(service: &Service, key: &str) -> u16 {
    service.ask(key, json!({"action": "search_places", "limit": 1})).status
}

fn rotated(service: &Service, key: &str) -> String {
    let answer = service.post_to("/v1/keys/rotate", &[("x-api-key", key)], &json!({}));
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()["api_key"].as_str().expect("a key").to_owned()
}

#[test]
fn a_backup_under_load_restores_what_was_acknowledged_and_nothing_that_has_ended() {
    for (from, to) in [(Engine::sqlite(), Engine::redis()), (Engine::redis(), Engine::sqlite())] {
        let folder = tempfile::tempdir().expect("a folder");
        let (old, new) = (folder.path().join("old"), folder.path().join("new"));
        let service = from.start(&old);
        publish(&old, &guide_of(&old, 7, 5), &[]);
        let kept = from.issue(&old, "kept@x.example");
        let turning = from.issue(&old, "turning@x.example");
        let revoked = from.issue(&old, "revoked@x.example");
        from.issue(&old, "blocked@x.example");
        let erased = from.issue(&old, "erased@x.example");
        awaited("the keys", SOON, || (status(&service, &erased) == 200).then_some(()));
        for _ in 0..7 {
            assert_eq!(status(&service, &kept), 200);
        }

        // sign-ups and calls go on while the backup is written
        let (stop, signed_up) = (AtomicBool::new(false), AtomicUsize::new(0));
        let file = folder.path().join("backup.zst");
        let acknowledged = thread::scope(|scope| {
            for number in 0..3 {
                let (service, stop, signed_up, kept) = (&service, &stop, &signed_up, &kept);
                scope.spawn(move || {
                    for at in 0.. {
                        if stop.load(Ordering::Relaxed) {
                            break;
                        }
                        let email = json!({"email": format!("load{number}x{at}@x.example")});
                        if service.post_to("/v1/signup", &[], &email).status == 200 {
                            signed_up.fetch_add(1, Ordering::SeqCst);
                        }
                        status(service, kept);
                    }
                });
            }
            awaited("some load", SOON, || (signed_up.load(Ordering::SeqCst) > 30).then_some(()));
            let acknowledged = signed_up.load(Ordering::SeqCst);
            let written = from.command(&old, &["backup", file.to_str().expect("a path"), "--json"]);
            stop.store(true, Ordering::Relaxed);
            let written = printed_json(&written, 0);
            assert!(written["snapshots"].as_u64() >= Some(1), "{written}");
            acknowledged
        });

        // what ends after the backup
        let after = rotated(&service, &turning);
        printed(&from.command(&old, &["key", "revoke", &revoked]), 0);
        printed(
            &from.command(&old, &["account", "block", "--email", "blocked@x.example", "--reason", "x"]),
            0,
        );
        printed(&from.command(&old, &["account", "erase", "--email", "erased@x.example"]), 0);
        let moving = ["account", "email", "--from", "kept@x.example", "--to", "moved@x.example", "--json"];
        let moved = printed_json(&from.command(&old, &moving), 0)["account"].clone();
        drop(service);

        let journal = old.join("ended.jsonl");
        let words = [
            "restore",
            file.to_str().expect("a path"),
            "--journal",
            journal.to_str().expect("a path"),
            "--json",
        ];
        let restored = printed_json(&to.command(&new, &words), 0);
        assert!(restored["restored"]["accounts"].as_u64() >= Some(4 + acknowledged as u64), "{restored}");
        assert_eq!(restored["address_changed"], json!([moved]), "to be given again");
        let again = to.command(&new, &words);
        assert_eq!(again.status.code(), Some(1), "only into an empty store");
        let service = to.start(&new);
        assert_eq!(status(&service, &kept), 200);
        // the mailbox that its owner has left gives no access to it
        let left = json!({"email": "kept@x.example"});
        assert_eq!(service.post_to("/v1/keys/recover", &[], &left).status, 200);
        mailer_is_idle(service.ops);
        let mailed = mails(&new.join("outbox"));
        assert!(!mailed.iter().any(|mail| mail.head.contains("kept@x.example")), "{mailed:?}");
        let taken = restored["address_taken"].as_object().expect("addresses");
        let (taken, old) = taken.iter().next().expect("one");
        assert_eq!(old, "kept@x.example");
        let moving = ["account", "email", "--from", taken, "--to", "moved@x.example"];
        printed(&to.command(&new, &moving), 0);
        let moved = json!({"email": "moved@x.example"});
        assert_eq!(service.post_to("/v1/keys/recover", &[], &moved).status, 200);
        outbox(&service, "moved@x.example", 1);
        for (key, why) in
            [(&turning, "replaced"), (&revoked, "revoked"), (&erased, "erased"), (&after, "made later")]
        {
            assert_eq!(status(&service, key), 401, "{why}");
        }
        let list = printed_json(&to.command(&new, &["account", "list", "--json"]), 0);
        let known =
            |email: &str| list.as_array().expect("a list").iter().find(|one| one["email"] == email).cloned();
        assert!(known("erased@x.example").is_none());
        assert!(known("blocked@x.example").expect("an account").get("blocked_at").is_some());
        let usage = service.good(&kept, json!({"action": "usage"}));
        assert!(usage["calls_this_month"].as_u64() >= Some(7), "{usage}");
        let summary = service.good(&kept, json!({"action": "summary"}));
        assert_eq!(summary["counts"]["places"], 5, "the published guide: {summary}");
    }
}

/// The data folder of a store with one account, its backup, and the account.
fn backed_up(folder: &Path) -> (PathBuf, String, Value) {
    let (data, backup) = (folder.join("data"), folder.join("backup.zst"));
    Engine::sqlite().issue(&data, "maria@x.example");
    let backup = backup.to_str().expect("a path").to_owned();
    printed(&run(&data, &["backup", &backup]), 0);
    let account = printed_json(&run(&data, &["account", "list", "--json"]), 0)[0]["id"].clone();
    (data, backup, account)
}

#[test]
fn calls_that_a_server_held_when_it_was_backed_up_count_as_spent() {
    let folder = tempfile::tempdir().expect("a folder");
    let (data, backup) = (folder.path().join("data"), folder.path().join("backup.zst"));
    let settings = ["plans.pro.per_month=300", "plans.pro.per_minute=1000"];
    let served = Service::start_on_with(&data, &settings);
    let key = Engine::sqlite().issue(&data, "maria@x.example");
    for _ in 0..20 {
        assert_eq!(status(&served, &key), 200);
    }
    let backup = backup.to_str().expect("a path").to_owned();
    printed(&run(&data, &["backup", &backup]), 0);
    drop(served);
    let (redis, new) = (Engine::redis(), folder.path().join("new"));
    printed(&redis.command(&new, &["restore", &backup]), 0);
    let all = [redis.settings(), settings.map(str::to_owned).to_vec()].concat();
    let service = Service::start_on_with(&new, &all.iter().map(String::as_str).collect::<Vec<_>>());
    let left = || service.good(&key, json!({"action": "usage"}))["calls_remaining"].as_u64().expect("calls");
    let before = left();
    assert!(before < 280, "more were leased than spent: {before}");
    for call in 0..before {
        assert_eq!(status(&service, &key), 200, "call {call} of {before}");
    }
    assert_eq!((status(&service, &key), left()), (429, 0));
}

#[test]
fn what_a_command_of_root_creates_belongs_to_the_owner_of_the_folder() {
    // nobody else can give a file away
    if !rustix::process::geteuid().is_root() {
        return;
    }
    const OWNER: u32 = 12_345;
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    std::fs::create_dir(&data).expect("a folder");
    chown(&data, Some(OWNER), Some(OWNER)).expect("given");
    Engine::sqlite().issue(&data, "maria@x.example");
    printed(&run(&data, &["account", "block", "--email", "maria@x.example", "--reason", "resold"]), 0);
    publish(&data, &guide_of(&data, 7, 5), &[]);
    let redis = Engine::redis();
    redis.issue(&data, "maria@x.example");
    let mut files = Vec::new();
    let mut folders = vec![data.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            assert_eq!(path.metadata().expect("known").uid(), OWNER, "{}", path.display());
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    for name in [
        "candango.db",
        "ended.jsonl",
        "sqlite.epoch",
        "redis.epoch",
        "depot/current.json",
        "depot/current.lock",
    ] {
        assert!(files.contains(&data.join(name)), "{name}: {files:?}");
    }
}

#[test]
fn a_journal_that_cannot_be_written_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let key = Engine::sqlite().issue(&data, "maria@x.example");
    std::fs::create_dir(data.join("ended.jsonl")).expect("a folder in its place");
    let refused = run(&data, &["key", "revoke", &key]);
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
    let said = String::from_utf8_lossy(&refused.stderr);
    let path = data.join("ended.jsonl").display().to_string();
    assert!(said.contains("the journal cannot be written") && said.contains(&path), "{said}");
}

#[test]
fn no_command_ends_anything_that_the_journal_cannot_hold() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    Engine::sqlite().issue(&data, "maria@x.example");
    let of_maria = |command: &[&str]| {
        let flag = if command[0] == "account" { "--from" } else { "--email" };
        run(&data, &[command, &[flag, "maria@x.example"]].concat())
    };
    let issued = of_maria(&["token", "issue", "--origin", "https://maria.example", "--json"]);
    let token = printed_json(&issued, 0)["id"].as_str().expect("its id").to_owned();
    printed(&of_maria(&["webhook", "set", "--url", "https://hooks.maria.example/in"]), 0);
    std::fs::create_dir(data.join("ended.jsonl")).expect("a folder in its place");
    let commands: [&[&str]; 4] = [
        &["token", "revoke", &token],
        &["webhook", "remove"],
        &["webhook", "set", "--url", "https://other.maria.example/in"],
        &["account", "email", "--to", "m@x.example"],
    ];
    for command in commands {
        let refused = of_maria(command);
        assert_eq!(refused.status.code(), Some(1), "{command:?}: {refused:?}");
        let said = String::from_utf8_lossy(&refused.stderr);
        assert!(said.contains("so nothing was changed"), "{command:?}: {said}");
    }
    assert_eq!(printed_json(&of_maria(&["token", "list", "--json"]), 0)[0]["id"], token.as_str());
    let shown = printed_json(&of_maria(&["webhook", "show", "--json"]), 0);
    assert_eq!(shown["url"], "https://hooks.maria.example/in", "{shown}");
}

#[test]
fn journals_of_several_servers_are_applied_in_the_order_of_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let (data, backup, account) = backed_up(folder.path());
    printed(&run(&data, &["account", "block", "--email", "maria@x.example", "--reason", "now"]), 0);
    // another server blocked and unblocked it before; an older program wrote no moment of the unblocking
    for (name, unblocked) in
        [("old", json!({"account": account})), ("new", json!({"account": account, "at": 6_000}))]
    {
        let lines = [
            json!({"blocked": {"account": account, "at": 5_000, "reason": "before"}}),
            json!({"unblocked": unblocked}),
        ];
        let other = folder.path().join(format!("{name}.jsonl"));
        std::fs::write(&other, lines.map(|line| line.to_string()).join("\n")).expect("written");
        let restored = folder.path().join(name);
        std::fs::create_dir(&restored).expect("a folder");
        std::fs::copy(data.join("ended.jsonl"), restored.join("ended.jsonl")).expect("copied");
        let words = ["restore", &backup, "--journal", other.to_str().expect("a path"), "--json"];
        let told = printed_json(&run(&restored, &words), 0);
        assert_eq!(told["journal_unreadable"], 0, "{told}");
        let listed = printed_json(&run(&restored, &["account", "list", "--json"]), 0);
        assert_eq!(listed[0]["blocked_reason"], "now", "{name}: {listed}");
    }
}

#[test]
fn a_restore_without_a_journal_says_what_that_may_undo() {
    let folder = tempfile::tempdir().expect("a folder");
    let (data, backup, _) = backed_up(folder.path());
    printed(&run(&data, &["account", "block", "--email", "maria@x.example", "--reason", "now"]), 0);
    let warns = |name: &str, more: &[&str]| {
        let words = [&["restore", &backup, "--json"], more].concat();
        let output = run(&folder.path().join(name), &words);
        let found = printed_json(&output, 0)["journal_found"].as_bool().expect("whether it was found");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(said.contains("no journal was given"), !found, "{said}");
        !found
    };
    assert!(warns("without", &[]));
    let journal = data.join("ended.jsonl");
    assert!(!warns("with", &["--journal", journal.to_str().expect("a path")]));
}

#[test]
fn a_restore_warns_of_lines_of_a_journal_that_cannot_be_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let (data, backup, _) = backed_up(folder.path());
    printed(&run(&data, &["account", "block", "--email", "maria@x.example", "--reason", "now"]), 0);
    let restored = folder.path().join("restored");
    std::fs::create_dir(&restored).expect("a folder");
    let journal = std::fs::read_to_string(data.join("ended.jsonl")).expect("a journal");
    std::fs::write(restored.join("ended.jsonl"), format!("{journal}{{\"key\": {{\"ha")).expect("written");
    let output = run(&restored, &["restore", &backup, "--json"]);
    assert_eq!(printed_json(&output, 3)["journal_unreadable"], 1);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("1 line of the journals cannot be read"), "{said}");
}

#[test]
fn an_erasure_that_had_failed_before_the_backup_erases_nothing_and_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_, backup, account) = backed_up(folder.path());
    let now = Clock::machine().now().0;
    for (name, at, is_kept) in [("failed", now - 7_200_000, true), ("done", now, false)] {
        let restored = folder.path().join(name);
        std::fs::create_dir(&restored).expect("a folder");
        // it was tried twice, and both servers noted it
        let line = json!({"erased": {"account": account, "at": at}}).to_string();
        for file in [restored.join("ended.jsonl"), restored.join("other.jsonl")] {
            std::fs::write(file, format!("{line}\n{line}\n")).expect("written");
        }
        let other = restored.join("other.jsonl");
        let words = ["restore", &backup, "--journal", other.to_str().expect("a path"), "--json"];
        let told = printed_json(&run(&restored, &words), 0);
        let listed = printed_json(&run(&restored, &["account", "list", "--json"]), 0);
        assert_eq!(listed.as_array().map(Vec::len), Some(usize::from(is_kept)), "{name}: {listed}");
        let not_erased = if is_kept { json!([account]) } else { json!([]) };
        assert_eq!(told["not_erased"], not_erased, "{name}");
    }
}

#[test]
fn an_erasure_that_failed_after_the_backup_erases_nothing_and_a_later_one_does() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_, backup, account) = backed_up(folder.path());
    let now = Clock::machine().now().0;
    let erased = |at: i64| json!({"erased": {"account": account, "at": at}});
    let failed = json!({"erase_failed": {"account": account, "at": now + 1, "noted_at": now}});
    for (name, lines, is_kept) in [
        ("failed", vec![erased(now), failed.clone()], true),
        ("done", vec![erased(now), failed, erased(now + 2)], false),
    ] {
        let restored = folder.path().join(name);
        std::fs::create_dir(&restored).expect("a folder");
        let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
        std::fs::write(restored.join("ended.jsonl"), lines.join("\n") + "\n").expect("written");
        let told = printed_json(&run(&restored, &["restore", &backup, "--json"]), 0);
        let listed = printed_json(&run(&restored, &["account", "list", "--json"]), 0);
        assert_eq!(listed.as_array().map(Vec::len), Some(usize::from(is_kept)), "{name}: {listed}");
        assert_eq!(told["not_erased"], if is_kept { json!([account]) } else { json!([]) }, "{name}");
    }
}

#[test]
fn a_cut_or_changed_backup_is_refused() {
    let service = Service::start();
    let file = service.data.with_extension("zst");
    service.key("pro");
    printed(&run(&service.data, &["backup", file.to_str().expect("a path")]), 0);
    let whole = std::fs::read(&file).expect("a file");
    let again = run(&service.data, &["backup", file.to_str().expect("a path")]);
    assert_eq!(again.status.code(), Some(1), "no backup is written over");
    assert_eq!(std::fs::read(&file).expect("it is still there"), whole);
    let other = tempfile::tempdir().expect("a folder");
    for (name, bytes) in [
        ("cut", whole[..whole.len() / 2].to_vec()),
        ("changed", {
            let mut bytes = whole.clone();
            let middle = bytes.len() / 2;
            bytes[middle] ^= 0x55;
            bytes
        }),
    ] {
        let path = other.path().join(name);
        std::fs::write(&path, bytes).expect("written");
        let refused = run(&other.path().join("data"), &["restore", path.to_str().expect("a path")]);
        assert_eq!(refused.status.code(), Some(1), "{name}");
        assert!(String::from_utf8_lossy(&refused.stderr).contains("no whole backup"), "{refused:?}");
    }
}

#[test]
fn a_backup_is_encrypted_to_a_recipient() {
    let folder = tempfile::tempdir().expect("a folder");
    let identity = folder.path().join("identity");
    let made =
        std::process::Command::new("age-keygen").arg("-o").arg(&identity).output().expect("age-keygen runs");
    let told = String::from_utf8(made.stderr).expect("text");
    let recipient = told.split_whitespace().find(|word| word.starts_with("age1")).expect("a recipient");
    let service = Service::start();
    service.key("pro");
    let file = folder.path().join("backup.age");
    let path = file.to_str().expect("a path");
    printed(&run(&service.data, &["backup", path, "--encrypt-to", recipient]), 0);
    assert!(std::fs::read(&file).expect("a file").starts_with(b"age-encryption.org/"));
    let new = folder.path().join("new");
    let refused = run(&new, &["restore", path]);
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(refused.status.code() == Some(1) && said.contains("is encrypted: give"), "{said}");
    assert!(!said.contains("no whole backup"), "{said}");
    let identity = identity.to_str().expect("a path");
    printed(&run(&new, &["restore", path, "--identity", identity]), 0);
    let list = printed_json(&run(&new, &["account", "list", "--json"]), 0);
    assert!(list.to_string().contains("pro@b.c"), "{list}");
}

#[test]
fn a_store_is_copied_to_the_other_engine_and_back_with_its_keys_and_counts() {
    let folder = tempfile::tempdir().expect("a folder");
    let (one, two, three) =
        (folder.path().join("one"), folder.path().join("two"), folder.path().join("three"));
    let (sqlite, redis) = (Engine::sqlite(), Engine::redis());
    let service = sqlite.start(&one);
    let key = sqlite.issue(&one, "maria@x.example");
    awaited("the key", SOON, || (status(&service, &key) == 200).then_some(()));
    for _ in 0..9 {
        assert_eq!(status(&service, &key), 200);
    }
    let (from, to) = (sqlite.spec(&one), redis.spec(&two));
    let busy = run(&two, &["store", "copy", "--from", &from, "--to", &to]);
    assert_eq!(busy.status.code(), Some(1), "a server serves from it");
    assert!(String::from_utf8_lossy(&busy.stderr).contains("stop"), "{busy:?}");
    stop(service);
    printed(&run(&two, &["store", "copy", "--from", &from, "--to", &to]), 0);
    let back = format!("sqlite:{}", three.join("candango.db").display());
    printed(&run(&two, &["store", "copy", "--from", &to, "--to", &back]), 0);
    for service in [redis.start(&two), Engine::sqlite().start(&three)] {
        let usage = service.good(&key, json!({"action": "usage"}));
        assert_eq!(usage["calls_this_month"], 10, "{usage}");
        assert_eq!(status(&service, &key), 200);
    }
}

#[test]
fn a_restore_that_is_cut_off_leaves_nothing_that_is_served_from() {
    let folder = tempfile::tempdir().expect("a folder");
    let (old, new) = (folder.path().join("old"), folder.path().join("new"));
    let key = Engine::sqlite().issue(&old, "maria@x.example");
    let accounts = (0..40_000).map(|number| {
        let text = |text: &str| Some(text.to_owned());
        let (id, email) = (format!("acct_{number:016}"), format!("{number}@x.example"));
        Row(
            Table::Accounts,
            vec![Some(id), Some(email), text("free"), text("5"), None, None, None, None, None],
        )
    });
    let store = Sqlite::open(&old.join("candango.db"), &old).expect("a store");
    tokio::runtime::Runtime::new()
        .expect("a runtime")
        .block_on(store.fill(accounts.collect()))
        .expect("filled");
    drop(store);
    let file = folder.path().join("backup.zst");
    printed(&run(&old, &["backup", file.to_str().expect("a path")]), 0);

    // SQLite inserts all or nothing, and must not pass for a new service meanwhile
    let (cut, database) = (folder.path().join("cut"), folder.path().join("cut/candango.db"));
    let mut cut_off =
        program(&cut).args(["restore", file.to_str().expect("a path")]).spawn().expect("a command");
    let is_filling = || {
        let bare = rusqlite::Connection::open_with_flags(&database, OpenFlags::SQLITE_OPEN_READ_ONLY).ok()?;
        let sql = "SELECT value FROM service WHERE name = 'filling'";
        bare.query_row(sql, [], |row| row.get::<_, String>(0)).ok()
    };
    let begun = Instant::now();
    while is_filling().is_none() {
        assert!(begun.elapsed() < SOON, "the restore did not begin");
    }
    cut_off.kill().expect("killed");
    cut_off.wait().expect("ended");
    assert!(is_filling().is_some(), "it ended before it was killed");
    for words in [&["serve"][..], &["key", "issue", "--email", "other@x.example"]] {
        let refused = run(&cut, words);
        let told = String::from_utf8_lossy(&refused.stderr);
        assert!(refused.status.code() == Some(1) && told.contains("was cut off"), "{words:?}: {told}");
    }
    printed(&run(&cut, &["restore", file.to_str().expect("a path")]), 0);
    assert_eq!(status(&Engine::sqlite().start(&cut), &key), 200);

    let to = Engine::redis();
    let redis = to.redis.as_ref().expect("a Redis");
    let words = ["restore", file.to_str().expect("a path"), "--set", &format!("store={}", redis.url())];
    let mut cut_off = program(&new).args(words).spawn().expect("a command");
    let epoch = || redis.say::<Option<String>>(&["GET", "{candango}:epoch"]);
    awaited("the restore", SOON, || (epoch().as_deref() == Some("filling")).then_some(()));
    cut_off.kill().expect("killed");
    cut_off.wait().expect("ended");
    assert_eq!(epoch().as_deref(), Some("filling"));

    let known: u64 = redis.say(&["DBSIZE"]);
    for (words, what) in [
        (&["key", "issue", "--email", "other@x.example"][..], "a command"),
        (&["store", "begin"], "a new beginning"),
        (&["restore", file.to_str().expect("a path")], "another restore"),
    ] {
        let refused = to.command(&new, words);
        assert_eq!(refused.status.code(), Some(1), "{what}");
        let told = String::from_utf8_lossy(&refused.stderr);
        assert!(told.contains("FLUSHDB") || told.contains("not empty"), "{what}: {told}");
    }
    assert_eq!(redis.say::<u64>(&["DBSIZE"]), known, "nothing is written");
    redis.say::<String>(&["FLUSHDB"]);
    printed(&to.command(&new, &["restore", file.to_str().expect("a path")]), 0);
    let service = to.start(&new);
    assert_eq!(status(&service, &key), 200);
}

/// Stops a server in order, so that it gives back what it had leased.
fn stop(mut service: Service) {
    service.signal("-TERM");
    awaited("the end of the server", SOON, || service.has_ended().then_some(()));
}

#[test]
fn a_backup_leaves_out_snapshots_that_were_removed_from_the_depot() {
    let folder = tempfile::tempdir().expect("a folder");
    let (data, file) = (folder.path().join("data"), folder.path().join("backup.zst"));
    Engine::sqlite().issue(&data, "maria@x.example");
    let published: Vec<Value> =
        (1..=3).map(|version| publish(&data, &guide_of(&data, version, 5), &[])).collect();
    let stored = |of: &Value| {
        let digest = of["digest"].as_str().expect("a digest");
        data.join("depot/snapshots").join(format!("{digest}.json.zst"))
    };
    std::fs::remove_file(stored(&published[0])).expect("removed");
    let path = file.to_str().expect("a path");
    let told = printed_json(&run(&data, &["backup", path, "--json"]), 0);
    assert_eq!((&told["snapshots"], &told["snapshots_left_out"]), (&json!(2), &json!(1)), "{told}");
    let other = folder.path().join("other");
    printed(&run(&other, &["restore", path]), 0);
    let list = printed_json(&run(&other, &["snapshot", "list", "--json"]), 0);
    assert_eq!(list["publications"][0]["digest"], published[2]["digest"]);

    // without the one in service it has no guide
    std::fs::remove_file(stored(&published[2])).expect("removed");
    std::fs::remove_file(&file).expect("removed");
    let partly = run(&data, &["backup", path, "--json"]);
    let why = printed_json(&partly, 3)["guide_missing"].as_str().expect("a sentence").to_owned();
    assert!(why.contains("is not in the depot"), "{why}");
}

#[test]
fn accounts_are_backed_up_though_the_depot_cannot_be_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let key = Engine::sqlite().issue(&data, "maria@x.example");
    let misspelt = folder.path().join("misspelt");
    let closed = format!("http://127.0.0.1:{}", free_port());
    let bucket = [
        ("AWS_ENDPOINT", closed.as_str()),
        ("AWS_ALLOW_HTTP", "true"),
        ("AWS_ACCESS_KEY_ID", "x"),
        ("AWS_SECRET_ACCESS_KEY", "x"),
        ("AWS_REGION", "x"),
    ];
    for (name, depot) in [("one", misspelt.to_str().expect("a path")), ("two", "s3://guide")] {
        let file = folder.path().join(name).display().to_string();
        let partly = program(&data).args(["backup", &file, "--depot", depot]).envs(bucket).output();
        let partly = partly.expect("it runs");
        let (said, told) = (String::from_utf8_lossy(&partly.stderr), printed(&partly, 3));
        assert!(
            said.contains("has the accounts and not the guide") && told.contains("0 snapshots"),
            "{said}{told}"
        );
        let new = folder.path().join(format!("of-{name}"));
        let restored = printed(&run(&new, &["restore", &file]), 0);
        assert!(restored.contains("The backup has no guide"), "{restored}");
        assert_eq!(status(&Engine::sqlite().start(&new), &key), 200);
    }
    assert!(!misspelt.exists(), "no folder is made");
    let whole = printed(&run(&data, &["backup", folder.path().join("whole").to_str().expect("a path")]), 0);
    assert!(whole.contains("0 snapshots"), "nothing was published yet, so nothing is missing: {whole}");
}

#[test]
fn nothing_is_no_backup() {
    let folder = tempfile::tempdir().expect("a folder");
    let (data, file) = (folder.path().join("data"), folder.path().join("backup.zst"));
    // it opens the store, and finds nobody
    assert_eq!(run(&data, &["key", "show", "--email", "maria@x.example"]).status.code(), Some(1));
    assert!(data.join("candango.db").exists());
    let refused = run(&data, &["backup", file.to_str().expect("a path")]);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(refused.status.code() == Some(1) && said.contains("there is nothing to back up"), "{said}");
    assert!(!file.exists());
}

#[test]
fn a_restore_says_which_rows_it_leaves_out_and_a_backup_writes_over_no_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let (old, new, file) =
        (folder.path().join("old"), folder.path().join("new"), folder.path().join("backup.zst"));
    let service = Engine::sqlite().start(&old);
    printed(&run(&old, &["key", "issue", "--email", "a@x.example", "--plan", "pro"]), 0);
    let path = file.to_str().expect("a path");
    let held = printed_json(&run(&old, &["backup", path, "--json"]), 0);
    let again = run(&old, &["backup", path]);
    let told = String::from_utf8_lossy(&again.stderr).into_owned();
    assert!(again.status.code() == Some(1) && told.contains("name another one"), "{told}");
    drop(service);
    let restored = printed_json(&run(&new, &["restore", path, "--json"]), 0);
    let sum = |counts: &Value| -> u64 {
        counts.as_object().expect("counts").values().map(|count| count.as_u64().expect("a count")).sum()
    };
    let left_out = restored["rows_left_out"].as_u64().expect("a count");
    assert_eq!(sum(&held["rows"]), sum(&restored["restored"]) + left_out, "{held} {restored}");
}
