//! What an earlier release has stored is read by this one, and an older program refuses what it would misread.

use std::path::Path;

use candango::domain::api_key::ApiKey;
use data_encoding::HEXLOWER;
use serde_json::json;

use crate::mail::{SOON, awaited, mails};
use crate::redis::RedisServer;
use crate::service::{Service, run};

/// A subscription of release 1.2: paid until the end of 2099.
const SUBSCRIPTION: &str = r#"{"orders":[{"id":"chk_1","plan":"pro","cents":9900,"method":"PIX","placed_at":4099680000000,"due_date":"2099-11-30","tax_last4":"4725","keys":[],"gateway_id":"sub_chk_1","asked_until":4099680000000,"renewal":"ended","charges":{"pay_chk_1":{"pay_url":null,"due_date":"2099-11-30","standing":{"paid":{"at":4099680000000}}}}}],"serving":"pro"}"#;

/// The tables of release 1.2, version 4 of the schema.
const TABLES: &str = "
    CREATE TABLE accounts (id TEXT PRIMARY KEY, email TEXT NOT NULL UNIQUE, plan TEXT NOT NULL,
        created_at INTEGER NOT NULL, name TEXT, company TEXT, use_case TEXT) STRICT;
    CREATE TABLE keys (hash BLOB PRIMARY KEY CHECK (length(hash) = 32),
        account TEXT NOT NULL REFERENCES accounts (id), first4 TEXT NOT NULL, last4 TEXT NOT NULL,
        created_at INTEGER NOT NULL, revoked_at INTEGER) STRICT, WITHOUT ROWID;
    CREATE INDEX keys_by_account ON keys (account);
    CREATE TABLE letters (id TEXT PRIMARY KEY, account TEXT NOT NULL REFERENCES accounts (id), kind TEXT NOT NULL,
        queued_at INTEGER NOT NULL, due_at INTEGER NOT NULL, attempts INTEGER NOT NULL, key BLOB, owner TEXT)
        STRICT, WITHOUT ROWID;
    CREATE INDEX letters_by_due ON letters (due_at);
    CREATE TABLE codes (account TEXT PRIMARY KEY REFERENCES accounts (id),
        hash BLOB NOT NULL CHECK (length(hash) = 32), expires_at INTEGER NOT NULL, tries INTEGER NOT NULL)
        STRICT, WITHOUT ROWID;
    CREATE TABLE tallies (name TEXT PRIMARY KEY, counted INTEGER NOT NULL, ends_at INTEGER NOT NULL)
        STRICT, WITHOUT ROWID;
    CREATE INDEX tallies_by_end ON tallies (ends_at);
    CREATE TABLE leases (account TEXT NOT NULL, period TEXT NOT NULL, holder TEXT NOT NULL, number INTEGER NOT NULL,
        granted INTEGER NOT NULL, used INTEGER NOT NULL, by_action TEXT NOT NULL, forget_at INTEGER NOT NULL,
        PRIMARY KEY (account, period, holder)) STRICT, WITHOUT ROWID;
    CREATE INDEX leases_by_forgetting ON leases (forget_at);
    CREATE TABLE books (account TEXT PRIMARY KEY REFERENCES accounts (id), version INTEGER NOT NULL,
        text TEXT NOT NULL, due_at INTEGER) STRICT, WITHOUT ROWID;
    CREATE INDEX books_by_due ON books (due_at) WHERE due_at IS NOT NULL;
    CREATE TABLE payers (reference TEXT PRIMARY KEY, account TEXT NOT NULL REFERENCES accounts (id))
        STRICT, WITHOUT ROWID;
    CREATE TABLE notices (id TEXT PRIMARY KEY, text TEXT NOT NULL, at INTEGER NOT NULL, due_at INTEGER,
        attempts INTEGER NOT NULL, settled_at INTEGER) STRICT, WITHOUT ROWID;
    CREATE INDEX notices_by_due ON notices (due_at) WHERE due_at IS NOT NULL;
    CREATE INDEX notices_by_settling ON notices (settled_at) WHERE settled_at IS NOT NULL;
    PRAGMA user_version = 4;";

/// A database as release 1.2 left it: the account of maria@x.example with one key.
pub(crate) fn store_as_1_2_in_sqlite(path: &Path, key: &ApiKey) {
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    let old = rusqlite::Connection::open(path).expect("a file");
    old.execute_batch(TABLES).expect("the tables");
    let insert = |sql: &str, values: &[&dyn rusqlite::ToSql]| old.execute(sql, values).expect("a row");
    insert("INSERT INTO accounts VALUES ('acct_1', 'maria@x.example', 'pro', 5, 'Maria', NULL, NULL)", &[]);
    insert("INSERT INTO keys VALUES (?1, 'acct_1', 'abcd', 'wxyz', 5, NULL)", &[&key.hash().0.as_slice()]);
    insert("INSERT INTO codes VALUES ('acct_1', ?1, 9, 2)", &[&[7_u8; 32].as_slice()]);
    insert("INSERT INTO tallies VALUES ('signup/maria@x.example', 3, 9)", &[]);
    insert("INSERT INTO letters VALUES ('mail_1', 'acct_1', 'paid', 5, 5, 0, NULL, NULL)", &[]);
    insert("INSERT INTO books VALUES ('acct_1', 1, ?1, NULL)", &[&SUBSCRIPTION]);
    insert("INSERT INTO payers VALUES ('chk_1', 'acct_1')", &[]);
}

fn store_as_1_2_in_redis(redis: &RedisServer, key: &ApiKey) {
    let hash = HEXLOWER.encode(&key.hash().0);
    let key_name = format!("{{candango}}:key:{hash}");
    for words in [
        &["SET", "{candango}:epoch", "e_1"][..],
        &[
            "HSET",
            "{candango}:account:acct_1",
            "email",
            "maria@x.example",
            "plan",
            "pro",
            "created_at",
            "5",
            "name",
            "Maria",
        ],
        &["HSET", "{candango}:emails", "maria@x.example", "acct_1"],
        &["HSET", &key_name, "account", "acct_1", "first4", "abcd", "last4", "wxyz", "created_at", "5"],
        &["SADD", "{candango}:keys:acct_1", &hash],
        &[
            "HSET",
            "{candango}:letter:mail_1",
            "account",
            "acct_1",
            "kind",
            "paid",
            "queued_at",
            "5",
            "attempts",
            "0",
        ],
        &["ZADD", "{candango}:letters", "5", "mail_1"],
        &["HSET", "{candango}:books:acct_1", "version", "1", "text", SUBSCRIPTION],
        &["HSET", "{candango}:payers", "chk_1", "acct_1"],
    ] {
        redis.say::<redis::Value>(words);
    }
}

#[test]
fn what_release_1_2_stored_is_served() {
    for is_redis in [false, true] {
        let folder = tempfile::tempdir().expect("a folder");
        let data = folder.path().join("data");
        let key = ApiKey::generate().expect("a key");
        let redis = is_redis.then(RedisServer::start);
        match &redis {
            Some(redis) => store_as_1_2_in_redis(redis, &key),
            None => store_as_1_2_in_sqlite(&data.join("candango.db"), &key),
        }
        let store = redis.iter().map(|redis| format!("store={}", redis.url())).collect::<Vec<_>>();
        let settings: Vec<&str> = store.iter().map(String::as_str).collect();
        let service = Service::start_on_with(&data, &settings);
        let summary = service.good(key.reveal(), json!({"action": "summary"}));
        assert_eq!(summary["plan"], "pro");
        let status = service.post_to("/v1/billing/status", &[("x-api-key", key.reveal())], &json!({})).json();
        assert_eq!(status["subscription"]["status"], "canceled", "{status}");
        awaited("the mail that was queued", SOON, || (mails(&data.join("outbox")).len() == 1).then_some(()));
        if let Some(redis) = redis {
            // a later release changes the data so that this one would misread them
            redis.say::<redis::Value>(&["SET", "{candango}:schema", "99"]);
            awaited("the refusal", SOON, || (service.readiness()["reason"] == "store_newer").then_some(()));
            let refused = run(&data, &["key", "issue", "--email", "a@b.co", "--set", settings[0]]);
            assert_eq!(refused.status.code(), Some(1));
            let told = String::from_utf8_lossy(&refused.stderr);
            assert!(told.contains("schema version 99") && told.contains("use the newer program"), "{told}");
        }
    }
}
