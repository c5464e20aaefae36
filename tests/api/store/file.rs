//! What only the SQLite store promises.

use candango::store::rows::Table;
use candango::store::{AdminStore, EraseOutcome, Erasure};

use super::*;

#[tokio::test]
async fn unreleased_calls_of_ended_servers_count_as_spent() {
    let place = Place::sqlite();
    let mut dead = Holder::new("acct_1", 100);
    dead.ask(&*place.serving().await.0, 30).await;
    let (store, _) = place.serving().await;
    let grant = Holder::new("acct_1", 100).ask(&*store, 100).await;
    assert_eq!(grant, Grant { granted: 70, others_used: 30, others_granted: 30, others_lost: 0 });
}

#[tokio::test]
async fn old_leases_are_deleted() {
    let place = Place::sqlite();
    let store = place.open();
    let mut old = Holder::new("acct_1", 100);
    old.ask(&*store, 30).await;
    let mut late = Holder::new("acct_1", 100);
    late.claim.now = UnixMillis(old.claim.period.ends_at.0 + 11 * 60_000);
    late.claim.period = Clock::standing_at(late.claim.now).moment().minute();
    late.ask(&*store, 30).await;
    let leases = store.leases(&old.claim.account, old.claim.period).await.expect("leases");
    assert_eq!(leases, []);
}

#[tokio::test]
async fn what_was_to_be_kept_for_a_time_is_forgotten_though_nobody_asks_again() {
    let place = Place::sqlite();
    let store = place.open();
    let account = issued(&*store, "a@b.c", Plan::Free).await.account.id;
    let unconfirmed = reader("rdr_1", "d@b.c", 1_000);
    store.save_reader(unconfirmed.clone()).await.expect("saved");
    let mut erased = Holder::new("acct_erased", 100);
    erased.ask(&*store, 30).await;
    let mut known = Holder::new(account.as_str(), 100);
    known.ask(&*store, 30).await;
    let leases =
        async |of: &Holder| store.leases(&of.claim.account, of.claim.period).await.expect("leases").len();
    store.forget(UnixMillis(2_000)).await.expect("forgotten");
    assert!(store.reader(&unconfirmed.id).await.expect("answered").is_some(), "it is not time yet");
    assert_eq!((leases(&erased).await, leases(&known).await), (0, 1), "the account is gone");
    let row = &store.rows(&[Table::Readers], None).await.expect("rows")[0];
    store.forget(row.ends_at().expect("a moment")).await.expect("forgotten");
    assert_eq!(store.reader(&unconfirmed.id).await.expect("answered"), None);
}

pub(super) fn sqlite(folder: &Path) -> Sqlite {
    Sqlite::open(&folder.join("candango.db"), folder).expect("a store")
}

#[tokio::test]
async fn the_files_are_readable_by_their_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let store = sqlite(&data);
    issued(&store, "a@b.c", Plan::Free).await;
    let mode = |path: &Path| std::fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    assert_eq!(mode(&data), 0o700);
    for entry in std::fs::read_dir(&data).expect("a folder") {
        let path = entry.expect("a file").path();
        assert_eq!(mode(&path), 0o600, "{path:?}");
    }
}

#[test]
fn no_key_is_in_the_file_in_plain_text() {
    let folder = tempfile::tempdir().expect("a folder");
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let store = sqlite(folder.path());
    let key = runtime.block_on(issued(&store, "a@b.c", Plan::Free)).key;
    drop(store);
    let bytes = std::fs::read(folder.path().join("candango.db")).expect("the file");
    let has = |text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
    assert!(has("a@b.c"));
    assert!(!has(&key.reveal()[13..43]));
}

#[tokio::test]
async fn a_file_of_the_first_schema_version_is_migrated() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("candango.db");
    let old = rusqlite::Connection::open(&path).expect("a file");
    old.execute_batch(
        "CREATE TABLE accounts (id TEXT PRIMARY KEY, email TEXT NOT NULL UNIQUE, plan TEXT NOT NULL,
             created_at INTEGER NOT NULL) STRICT;
         CREATE TABLE keys (hash BLOB PRIMARY KEY CHECK (length(hash) = 32),
             account TEXT NOT NULL REFERENCES accounts (id), first4 TEXT NOT NULL, last4 TEXT NOT NULL,
             created_at INTEGER NOT NULL, revoked_at INTEGER) STRICT, WITHOUT ROWID;
         CREATE INDEX keys_by_account ON keys (account);
         INSERT INTO accounts VALUES ('acct_1', 'a@b.c', 'pro', 1000);
         PRAGMA user_version = 1;",
    )
    .expect("the first version");
    drop(old);
    let store = sqlite(folder.path());
    let account = store.account(&email("a@b.c")).await.expect("answered").expect("an account");
    assert_eq!(store.profile(&account.id).await.expect("a profile"), Profile::default());
    store.request_access(access_request("a@b.c", false)).await.expect("queued");
    assert_eq!(taken(&store, 1_000).await.len(), 1);
}

#[test]
fn a_file_of_a_later_schema_version_is_rejected() {
    let folder = tempfile::tempdir().expect("a folder");
    drop(sqlite(folder.path()));
    let path = folder.path().join("candango.db");
    let later = rusqlite::Connection::open(&path).expect("the file");
    later.pragma_update(None, "user_version", 99).expect("a version");
    let refused = Sqlite::open(&path, folder.path()).expect_err("too new");
    assert!(matches!(refused, StoreError::NewerSchema { found: 99, .. }), "{refused}");
}

#[test]
fn a_folder_has_one_server() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let lock = ServerLock::take(&data).expect("the first");
    let second = ServerLock::take(&data).expect_err("the second");
    assert!(matches!(second, LockError::Taken { .. }) && second.to_string().contains("--data"), "{second}");
    drop(lock);
    ServerLock::take(&data).expect("the first has gone");
}

#[tokio::test]
async fn a_file_has_one_server_whatever_its_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("candango.db");
    let linked = folder.path().join("linked.db");
    std::os::unix::fs::symlink(&path, &linked).expect("a link");
    let first = Sqlite::open(&path, folder.path()).expect("opened");
    first.register(Received::default().listener()).await.expect("the first");
    for name in [&path, &linked] {
        let second = Sqlite::open(name, folder.path()).expect("the command line may write beside a server");
        let refused = second.register(Received::default().listener()).await.expect_err("the second");
        assert!(refused.to_string().contains("another server is on"), "{refused}");
    }
    drop(first);
    let next = Sqlite::open(&path, folder.path()).expect("opened");
    next.register(Received::default().listener()).await.expect("the first has gone");
}

#[tokio::test]
async fn an_account_is_erased_while_another_process_reads_and_the_answer_says_that_the_log_has_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = sqlite(folder.path());
    let account = issued(&store, "maria@b.c", Plan::Free).await.account;
    let reader = rusqlite::Connection::open(folder.path().join("candango.db")).expect("the file");
    reader.execute_batch("BEGIN; SELECT count(*) FROM accounts;").expect("a snapshot");
    let erased = AdminStore::erase(&store, &account.id, 0, None, UnixMillis(7_000)).await.expect("erased");
    assert_eq!(erased, EraseOutcome::Done(Erasure { silent: Vec::new(), is_in_log: true }));
    assert_eq!(store.account(&account.email).await.expect("answered"), None);
}
