//! The store and the keys above it: what was written is kept, and whoever wrote it, it is noticed.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use candango::accounts::Email;
use candango::accounts::keys::{ApiKey, Issued, Keys, issue};
use candango::clock::{Clock, UnixMillis};
use candango::metrics::Metrics;
use candango::plans::Plan;
use candango::refusal::Refusal;
use candango::store::sqlite::Sqlite;
use candango::store::{LockError, ServerLock, Store, StoreError};

fn open(folder: &Path) -> Arc<dyn Store> {
    Arc::new(Sqlite::open(&folder.join("candango.db")).expect("a store"))
}

fn email(text: &str) -> Email {
    text.parse().expect("an address")
}

async fn issued(store: &dyn Store, address: &str, plan: Plan) -> Issued {
    issue(store, &Clock::standing_at(UnixMillis(1_000)), email(address), plan).await.expect("a key")
}

/// Asks until the answer is as wanted, for a second at most.
async fn within_a_second<T: PartialEq + std::fmt::Debug>(wanted: T, mut ask: impl AsyncFnMut() -> T) {
    let start = Instant::now();
    loop {
        let answer = ask().await;
        if answer == wanted {
            return;
        }
        assert!(start.elapsed() < Duration::from_secs(1), "{answer:?}, not {wanted:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn an_address_has_one_account_and_many_keys() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    let first = issued(&*store, "Maria@Example.com", Plan::Free).await;
    let second = issued(&*store, "maria@example.COM", Plan::Pro).await;
    assert_eq!(first.account.id, second.account.id);
    assert_eq!(second.account.plan, Plan::Pro);
    let account = store.account(&email("maria@example.com")).await.expect("an answer").expect("an account");
    assert_eq!(account, second.account);
    for key in [&first.key, &second.key] {
        assert_eq!(store.holder(key.hash()).await.expect("an answer"), Some(account.clone()));
    }
    let keys = store.keys(&account.id).await.expect("keys");
    assert_eq!(keys.len(), 2);
    assert!(keys.iter().any(|kept| kept.hash == first.key.hash() && kept.last4 == first.key.last4()));
}

#[tokio::test]
async fn a_revoked_key_is_nobodys_and_stays_on_the_list() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    let Issued { account, key } = issued(&*store, "a@b.c", Plan::Free).await;
    let revoke = async || store.revoke(key.hash(), UnixMillis(7)).await.expect("an answer");
    assert!(revoke().await);
    assert!(!revoke().await, "once only");
    assert_eq!(store.holder(key.hash()).await.expect("an answer"), None);
    assert_eq!(store.keys(&account.id).await.expect("keys")[0].revoked_at, Some(UnixMillis(7)));
}

#[tokio::test]
async fn what_was_answered_is_on_the_disk() {
    let folder = tempfile::tempdir().expect("a folder");
    let (key, account) = {
        let store = open(folder.path());
        let Issued { account, key } = issued(&*store, "a@b.c", Plan::Free).await;
        assert!(store.set_plan(&account.id, Plan::Business).await.expect("an answer"));
        (key, account)
    };
    let again = open(folder.path());
    let holder = again.holder(key.hash()).await.expect("an answer").expect("a holder");
    assert_eq!((holder.id, holder.plan), (account.id, Plan::Business));
}

#[tokio::test]
async fn the_same_key_twice_is_refused_and_spoils_no_other_write() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    let first = issued(&*store, "a@b.c", Plan::Free).await;
    let kept = store.keys(&first.account.id).await.expect("keys").remove(0);
    let again = candango::store::Issue { opening: first.account.clone(), key: kept };
    let (refused, fine) =
        tokio::join!(store.issue(again), async { issued(&*store, "x@y.z", Plan::Free).await });
    assert!(matches!(refused, Err(StoreError::Failed(_))), "{refused:?}");
    assert!(store.holder(fine.key.hash()).await.expect("an answer").is_some());
}

#[tokio::test]
async fn many_writes_at_once_are_all_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    let writes: Vec<_> = (0..200)
        .map(|number| {
            let store = store.clone();
            tokio::spawn(async move { issued(&*store, &format!("a{number}@b.c"), Plan::Gringo).await.key })
        })
        .collect();
    for write in writes {
        let key = write.await.expect("a key");
        assert!(store.holder(key.hash()).await.expect("an answer").is_some());
    }
}

#[tokio::test]
async fn what_another_process_writes_is_noticed_within_a_second() {
    let folder = tempfile::tempdir().expect("a folder");
    let (server, command) = (open(folder.path()), open(folder.path()));
    let keys = Keys::new(server, Metrics::new().keys);
    let plan = async |key: &ApiKey| keys.holder(key.reveal().as_bytes()).await.map(|account| account.plan);

    let Issued { account, key } = issued(&*command, "a@b.c", Plan::Free).await;
    assert_eq!(plan(&key).await, Ok(Plan::Free), "a new key is asked for, so it works at once");
    command.set_plan(&account.id, Plan::Pro).await.expect("an answer");
    within_a_second(Ok(Plan::Pro), async || plan(&key).await).await;
    command.revoke(key.hash(), UnixMillis(0)).await.expect("an answer");
    within_a_second(Err(Refusal::InvalidKey), async || plan(&key).await).await;
}

#[tokio::test]
async fn what_this_process_writes_holds_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    let keys = Keys::new(store.clone(), Metrics::new().keys);
    let Issued { account, key } = issued(&*store, "a@b.c", Plan::Free).await;
    let plan = async || keys.holder(key.reveal().as_bytes()).await.map(|account| account.plan);
    assert_eq!(plan().await, Ok(Plan::Free));
    store.set_plan(&account.id, Plan::Gringo).await.expect("an answer");
    assert_eq!(plan().await, Ok(Plan::Gringo));
    store.revoke(key.hash(), UnixMillis(0)).await.expect("an answer");
    assert_eq!(plan().await, Err(Refusal::InvalidKey));
}

#[tokio::test]
async fn the_store_is_asked_once_about_a_key_and_never_about_what_cannot_be_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    let metrics = Metrics::new();
    let keys = Keys::new(store.clone(), metrics.keys.clone());
    let Issued { key, .. } = issued(&*store, "a@b.c", Plan::Free).await;
    let stranger = ApiKey::generate().expect("a key");
    let mistyped = key.reveal().replace("cdg_live_", "cdg_test_");
    for _ in 0..3 {
        assert!(keys.holder(key.reveal().as_bytes()).await.is_ok());
        assert_eq!(keys.holder(stranger.reveal().as_bytes()).await, Err(Refusal::InvalidKey));
        assert_eq!(keys.holder(mistyped.as_bytes()).await, Err(Refusal::InvalidKey));
        assert_eq!(keys.holder(b"").await, Err(Refusal::InvalidKey));
    }
    assert_eq!(metrics.keys.misses.get(), 2, "one for the key, one for the stranger");
    assert_eq!(metrics.keys.hits.get(), 4);
}

#[tokio::test]
async fn the_files_are_for_their_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let store = open(&data);
    issued(&*store, "a@b.c", Plan::Free).await;
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
    let store = open(folder.path());
    let key = runtime.block_on(issued(&*store, "a@b.c", Plan::Free)).key;
    drop(store);
    let bytes = std::fs::read(folder.path().join("candango.db")).expect("the file");
    let has = |text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
    assert!(has("a@b.c"));
    assert!(!has(&key.reveal()[13..43]));
}

#[test]
fn a_file_of_a_later_version_is_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("candango.db");
    drop(Sqlite::open(&path).expect("a store"));
    let later = rusqlite::Connection::open(&path).expect("the file");
    later.pragma_update(None, "user_version", 99).expect("a version");
    let refused = Sqlite::open(&path).expect_err("too new");
    assert!(matches!(refused, StoreError::Newer { found: 99, .. }), "{refused}");
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
