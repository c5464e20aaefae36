//! What only the Redis store promises: with a real Redis that is killed, emptied, slow or cut off.

mod loss;
mod processes;
mod rows;
mod server;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use candango::config::StoreSpec;
use candango::domain::clock::{Clock, UnixMillis};
use candango::domain::code::CodeHash;
use candango::domain::plan::Plan;
use candango::metrics::{Metrics, StoreReading};
use candango::quota::issue::Issued;
use candango::store::open::OldAccounts;
use candango::store::rows::{Row, Table};
use candango::store::{
    self, AccessRequest, AccessRequestKind, AddressChange, Allowance, Change, ChangeListener, CodeRecord,
    EmailChange, EraseOutcome, Grant, KeyReplacement, RateLimit, Store, StoreError, TakeDue,
};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tempfile::TempDir;

pub(crate) use self::server::{Proxy, RedisServer};
use crate::mail::SOON;
use crate::store::{
    Holder, Received, TRUST, email, hook, issued, mail_id, mailer, new_key, reader, rotation_mail, token,
    within_a_second,
};
use crate::wire::eventually;

/// A process that uses a store: its data folder and URL.
struct Process {
    folder: TempDir,
    url: String,
}

impl Process {
    fn at(url: String) -> Process {
        Process { folder: tempfile::tempdir().expect("a folder"), url }
    }

    fn spec(&self) -> StoreSpec {
        self.url.parse().expect("a store")
    }

    /// Opens the store, as the process does each time it starts.
    fn open(&self) -> Arc<dyn Store> {
        store::open::store(&self.spec(), self.folder.path(), TRUST).expect("a store")
    }

    async fn serving(&self) -> (Arc<dyn Store>, Received) {
        let (store, received) = (self.open(), Received::default());
        store.register(received.listener()).await.expect("registered");
        (store, received)
    }
}

#[tokio::test]
async fn a_mail_whose_account_is_missing_stops_no_other() {
    let server = RedisServer::start();
    let store = Process::at(server.url()).open();
    issued(&*store, "a@b.c", Plan::Pro).await;
    let request = |email: &str| AccessRequest {
        email: email.parse().expect("an address"),
        kind: AccessRequestKind::Recover,
        mail: mail_id(),
        limits: Vec::new(),
        at: UnixMillis(1_000),
    };
    let lost = issued(&*store, "lost@b.c", Plan::Pro).await.account.id;
    store.request_access(request("lost@b.c")).await.expect("queued");
    store.request_access(request("a@b.c")).await.expect("queued");
    server.say::<u64>(&["DEL", &format!("{{candango}}:account:{lost}")]);
    let take = TakeDue { now: UnixMillis(2_000), retry_at: UnixMillis(9_000), max: 10 };
    let taken = store.take_due_mails(&mailer(), take).await.expect("taken");
    assert_eq!(taken.iter().map(|mail| mail.to.as_str()).collect::<Vec<_>>(), ["a@b.c"]);
    assert_eq!(server.say::<u64>(&["ZCARD", "{candango}:letters"]), 1, "it is dropped");
}

#[tokio::test]
async fn an_emptied_redis_is_not_served_from_until_the_operator_starts_over() {
    let server = RedisServer::start();
    let process = Process::at(server.url());
    let (store, received) = process.serving().await;
    let Issued { key, .. } = issued(&*store, "a@b.c", Plan::Pro).await;
    server.say::<()>(&["FLUSHALL"]);
    let refused = store.account_of_key(key.hash()).await.expect_err("it is empty");
    assert!(matches!(refused, StoreError::DataMissing), "{refused}");
    assert!(refused.to_string().contains("candango store begin"), "{refused}");
    within_a_second(false, async || store.is_trusted()).await;
    assert!(matches!(store.refresh().await, Err(StoreError::DataMissing)));
    assert!(matches!(store.lease(Holder::new("acct_1", 9).next(1)).await, Err(StoreError::DataMissing)));
    let again = process.open().register(Received::default().listener()).await;
    assert!(matches!(again, Err(StoreError::DataMissing)), "a restart does not change that: {again:?}");

    assert!(
        store::open::begin(&process.spec(), process.folder.path(), OldAccounts::Refuse).await.expect("begun")
    );
    within_a_second(true, async || received.has(&Change::StoreReset)).await;
    within_a_second(true, async || store.is_trusted()).await;
    assert_eq!(store.account_of_key(key.hash()).await.expect("answered"), None);
    issued(&*store, "a@b.c", Plan::Pro).await;
    assert!(
        !store::open::begin(&process.spec(), process.folder.path(), OldAccounts::Refuse)
            .await
            .expect("no need to")
    );
    process.serving().await;
}

#[tokio::test]
async fn a_process_that_missed_the_start_over_goes_on_with_the_new_store() {
    let server = RedisServer::start();
    let (one, two) = (Process::at(server.url()), Process::at(server.url()));
    issued(&*one.open(), "a@b.c", Plan::Pro).await;
    two.serving().await;
    server.say::<()>(&["FLUSHALL"]);
    assert!(store::open::begin(&one.spec(), one.folder.path(), OldAccounts::Refuse).await.expect("begun"));
    two.serving().await;
}

#[tokio::test]
async fn another_redis_is_not_mistaken_for_the_known_one() {
    let (server, other) = (RedisServer::start(), RedisServer::start());
    let process = Process::at(server.url());
    process.serving().await;
    Process::at(other.url()).serving().await;
    let epoch: String = other.say(&["GET", "{candango}:epoch"]);
    server.say::<()>(&["SET", "{candango}:epoch", &epoch]);
    let refused = process.open().register(Received::default().listener()).await;
    assert!(matches!(refused, Err(StoreError::DataMissing)), "{refused:?}");
}

#[tokio::test]
async fn a_redis_that_evicts_keys_is_rejected() {
    let server = RedisServer::with(&["--maxmemory-policy", "allkeys-lru"]);
    let refused = Process::at(server.url()).open().register(Received::default().listener()).await;
    let error = refused.expect_err("refused").to_string();
    assert!(error.contains("allkeys-lru") && error.contains("noeviction"), "{error}");
}

#[tokio::test]
async fn no_error_shows_the_password() {
    let mut server = RedisServer::with(&["--requirepass", "right"]);
    for url in [
        format!("redis://:s3same@127.0.0.1:{}/", server.port),
        format!("redis-cluster://:s3same@127.0.0.1:{}/", server.port),
        "redis://:s3same@127.0.0.1:1/".to_owned(),
    ] {
        let process = Process::at(url);
        let error = process.open().register(Received::default().listener()).await.expect_err("refused");
        assert!(!format!("{error} {error:?}").contains("s3same"), "{error:?}");
    }
    server.kill();
}

#[tokio::test]
async fn a_killed_redis_keeps_all_acknowledged_writes() {
    // with `everysec`, its default, Redis answers a write up to two seconds before it writes it to the file
    let mut server = RedisServer::with(&["--appendonly", "yes", "--appendfsync", "always"]);
    let process = Process::at(server.url());
    let (store, _) = process.serving().await;
    let mut kept = Vec::new();
    for round in 0..3 {
        let writes: Vec<_> = (0..30)
            .map(|number| {
                let store = store.clone();
                let address = format!("a{round}x{number}@b.c");
                tokio::spawn(async move { issued(&*store, &address, Plan::Gringo).await.key })
            })
            .collect();
        for write in writes {
            kept.push(write.await.expect("a key"));
        }
        server.kill();
        server.restart();
        let back = Instant::now();
        while store.refresh().await.is_err() {
            assert!(back.elapsed() < SOON, "not back");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
    for key in kept {
        assert!(store.account_of_key(key.hash()).await.expect("answered").is_some());
    }
}

#[tokio::test]
async fn lost_replies_grant_nothing_above_the_limit_and_are_retried() {
    let server = RedisServer::start();
    let proxy = Proxy::to(server.port);
    let process = Process::at(proxy.url());
    let store = process.open();
    server.opens("acct_1");
    proxy.lose_one_of(6);
    let holders: Vec<_> = (0..6)
        .map(|_| {
            let store = store.clone();
            tokio::spawn(async move {
                let mut holder = Holder::new("acct_1", 500);
                let mut failed = 0;
                while holder.claim.number < 60 {
                    match store.lease(holder.next(3)).await {
                        Ok(grant) => holder.claim.held = grant.granted,
                        Err(StoreError::Unreachable(_)) => failed += 1,
                        Err(error) => panic!("{error}"),
                    }
                    holder.spend(2);
                }
                (holder, failed)
            })
        })
        .collect();
    let (mut held, mut failed) = (0, 0);
    let mut all = Vec::new();
    for holder in holders {
        let (holder, failures) = holder.await.expect("a holder");
        held += holder.claim.held;
        failed += failures;
        all.push(holder);
    }
    assert!(held <= 500, "{held}");
    assert!(failed < 120, "{failed} of 360 claims failed");
    proxy.lose_one_of(0);
    for holder in &mut all {
        holder.ask(&*store, 0).await;
    }
    let used: u32 = all.iter().map(|holder| holder.claim.used).sum();
    let rest = Holder::new("acct_1", 500).ask(&*store, 1_000).await;
    assert_eq!(rest, Grant { granted: 500 - used, others_used: used, others_granted: used, others_lost: 0 });
}

#[tokio::test]
async fn lost_replies_replace_keys_once() {
    let server = RedisServer::start();
    let proxy = Proxy::to(server.port);
    let (store, _) = Process::at(proxy.url()).serving().await;
    let Issued { account, key } = issued(&*store, "a@b.c", Plan::Pro).await;
    proxy.lose_one_of(5);
    let mut old = key.hash();
    for at in 2_000..2_040 {
        let new = new_key(at);
        let wanted = KeyReplacement {
            account: account.id.clone(),
            old: Some(old),
            new: new.clone(),
            mail: rotation_mail(at),
        };
        loop {
            match store.replace_keys(wanted.clone()).await {
                Ok(done) => break assert!(done, "{at}"),
                Err(StoreError::Unreachable(_)) => {}
                Err(error) => panic!("{error}"),
            }
        }
        old = new.hash;
    }
    proxy.lose_one_of(0);
    let keys = store.keys(&account.id).await.expect("keys");
    let live: Vec<_> = keys.iter().filter(|key| key.revoked_at.is_none()).map(|key| key.hash).collect();
    assert_eq!((keys.len(), live), (41, vec![old]));
    let mails = store
        .take_due_mails(&mailer(), TakeDue { now: UnixMillis(9_000), retry_at: UnixMillis(10_000), max: 100 })
        .await
        .expect("mails");
    assert_eq!(mails.len(), 40);
}

/// Calls the store while the answer of its script is lost. Before that, Redis says that it does not know the script,
/// and takes it.
async fn unheard<T>(
    (server, proxy): (&RedisServer, &Proxy),
    call: impl Future<Output = Result<T, StoreError>>,
) -> T {
    server.say::<()>(&["SCRIPT", "FLUSH"]);
    proxy.lose_after(2);
    let answer = call.await.expect("answered on another connection");
    assert!(!proxy.is_to_lose(), "no reply was lost");
    answer
}

#[tokio::test]
async fn a_request_whose_reply_was_lost_is_answered_as_if_it_had_not_been() {
    let server = RedisServer::start();
    let proxy = Proxy::to(server.port);
    let store = Process::at(proxy.url()).open();
    let account = issued(&*store, "a@b.c", Plan::Pro).await.account;

    let ends = (&server, &proxy);
    let once = RateLimit {
        name: "once".to_owned(),
        allowance: Allowance::Window { max: 1, ends_at: UnixMillis(9_000) },
    };
    let reached = unheard(ends, store.count_attempt(vec![once.clone()], UnixMillis(1_000))).await;
    assert_eq!(reached, None, "the attempt was counted twice");
    let second = store.count_attempt(vec![once], UnixMillis(1_000)).await.expect("answered");
    assert!(second.is_some(), "the attempt was not counted");

    let token = token(&account.id, "calendar");
    assert!(store.add_token(token.clone(), 1).await.expect("added"));
    assert!(unheard(ends, store.revoke_token(&account.id, &token.id)).await);

    assert!(store.set_hook(&account.id, Some(hook("https://a.example/"))).await.expect("set"));
    assert!(unheard(ends, store.set_hook(&account.id, None)).await);

    let reader = reader("rdr_1", "d@b.c", Clock::machine().now().0);
    store.save_reader(reader.clone()).await.expect("saved");
    assert!(unheard(ends, store.delete_reader(&reader.id)).await);

    let noted = ["5", "ana@web", "key issue"].map(|text| Some(text.to_owned()));
    let noted = Row(Table::Audit, noted.into_iter().chain([None, None, None]).collect());
    unheard(ends, store.note(noted.clone())).await;
    assert_eq!(store.rows(&[Table::Audit], None).await.expect("rows"), [noted]);

    let saved = CodeRecord { hash: CodeHash([1; 32]), expires_at: UnixMillis(9_000), at: UnixMillis(1_000) };
    store.save_code(&account.id, saved).await.expect("saved");
    let change = AddressChange {
        account: account.id.clone(),
        code: CodeHash([1; 32]),
        email: email("new@b.c"),
        notice: mail_id(),
        at: UnixMillis(2_000),
    };
    assert_eq!(unheard(ends, store.redeem_new_address(change)).await, Some(EmailChange::Done));

    let erased = unheard(ends, store.erase(&account.id, 0, None, UnixMillis(2_000))).await;
    assert!(matches!(erased, EraseOutcome::Done(_)), "{erased:?}");
    for address in ["a@b.c", "new@b.c"] {
        assert_eq!(store.account(&email(address)).await.expect("answered"), None);
    }
}

#[tokio::test]
async fn killed_connections_stop_nothing() {
    let server = RedisServer::start();
    let process = Process::at(server.url());
    let (store, _) = process.serving().await;
    let granted = Arc::new(AtomicUsize::new(0));
    let (url, counted) = (server.url(), granted.clone());
    server.opens("acct_1");
    let killer = thread::spawn(move || {
        let client = redis::Client::open(url).expect("a URL");
        let mut connection = client.get_connection().expect("a connection");
        for _ in 0..150 {
            let kill = redis::cmd("CLIENT").arg(&["KILL", "TYPE", "normal", "SKIPME", "yes"]).to_owned();
            let _: usize = kill.query(&mut connection).expect("killed");
            // the reply to one may have been on its way
            let before = counted.load(Ordering::SeqCst);
            eventually("no lease by a new connection", || counted.load(Ordering::SeqCst) >= before + 2);
        }
    });
    let mut holder = Holder::new("acct_1", 1_000_000);
    while !killer.is_finished() {
        if let Ok(grant) = store.lease(holder.next(10)).await {
            holder.claim.held = grant.granted;
            granted.fetch_add(1, Ordering::SeqCst);
        }
    }
    killer.join().expect("each was followed by a lease");
    within_a_second(true, async || store.is_trusted()).await;
}

#[tokio::test]
async fn trust_ends_after_the_window_without_redis_and_returns_with_it() {
    let mut server = RedisServer::start();
    let process = Process::at(server.url());
    let (store, received) = process.serving().await;
    let Issued { account, .. } = issued(&*store, "a@b.c", Plan::Free).await;
    server.kill();
    let silent = Instant::now();
    while store.is_trusted() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert!(silent.elapsed() < TRUST + Duration::from_millis(300), "no longer than the window");
    assert!(silent.elapsed() + Duration::from_millis(700) > TRUST, "no shorter: {:?}", silent.elapsed());
    let asked = Instant::now();
    assert!(matches!(store.refresh().await, Err(StoreError::Unreachable(_))));
    assert!(asked.elapsed() < TRUST, "at once: {:?}", asked.elapsed());
    let error = store
        .account_of_key(candango::domain::api_key::KeyHash([0; 32]))
        .await
        .expect_err("away")
        .to_string();
    assert!(error.contains("Redis cannot be reached"), "{error}");

    server.restart();
    let back = Instant::now();
    // a change that the process missed
    process.open().set_plan(&account.id, Plan::Pro, &mail_id(), UnixMillis(1_000)).await.expect("answered");
    while store.refresh().await.is_err() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(back.elapsed() < Duration::from_secs(5), "{:?}", back.elapsed());
    assert!(store.is_trusted());
    assert!(received.has(&Change::Everything) || received.has(&Change::Account(account.id)));
}

#[tokio::test]
async fn a_redis_that_hangs_delays_calls_by_a_bounded_time() {
    let server = RedisServer::start();
    let process = Process::at(server.url());
    let (store, _) = process.serving().await;
    server.freeze(true);
    let asked = Instant::now();
    assert!(matches!(store.lease(Holder::new("acct_1", 9).next(1)).await, Err(StoreError::Unreachable(_))));
    assert!(asked.elapsed() < Duration::from_secs(5), "{:?}", asked.elapsed());
    let asked = Instant::now();
    assert!(store.refresh().await.is_err());
    assert!(asked.elapsed() < Duration::from_secs(3), "{:?}", asked.elapsed());
    server.freeze(false);
    let back = Instant::now();
    while store.refresh().await.is_err() {
        assert!(back.elapsed() < SOON, "not back");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// A slow listener.
fn slow(received: &Received, takes: Duration) -> ChangeListener {
    let inner = received.listener();
    Arc::new(move |change| {
        let received = inner(change);
        Box::pin(async move {
            tokio::time::sleep(takes).await;
            received.await;
        })
    })
}

#[tokio::test]
async fn a_revocation_waits_until_every_process_has_handled_it() {
    let server = RedisServer::start();
    let (one, two) = (Process::at(server.url()), Process::at(server.url()));
    let (store, _) = one.serving().await;
    let (other, received) = (two.open(), Received::default());
    let Issued { account, key } = issued(&*store, "a@b.c", Plan::Free).await;
    other.register(slow(&received, Duration::from_millis(300))).await.expect("registered");
    let asked = Instant::now();
    assert!(store.revoke_key(key.hash(), UnixMillis(5)).await.expect("answered").is_some());
    assert!(received.has(&Change::Account(account.id)), "handled before the answer");
    let took = asked.elapsed();
    assert!(took > Duration::from_millis(300) && took < TRUST, "{took:?}");
}

/// A listener that panics at its first change.
fn panics_once(received: &Received) -> ChangeListener {
    let (inner, panicked) = (received.listener(), AtomicUsize::new(0));
    Arc::new(move |change| {
        let panics = panicked.fetch_add(1, Ordering::SeqCst) == 0;
        let received = inner(change);
        Box::pin(async move {
            if panics {
                // without the hook, whose backtrace takes seconds on a busy machine
                std::panic::resume_unwind(Box::new("injected"));
            }
            received.await;
        })
    })
}

#[tokio::test]
async fn a_panicking_listener_gets_the_change_again_and_heartbeats_go_on() {
    let server = RedisServer::start();
    let (one, two) = (Process::at(server.url()), Process::at(server.url()));
    let (store, received) = (one.open(), Received::default());
    store.register(panics_once(&received)).await.expect("registered");
    let Issued { account, .. } = issued(&*two.open(), "a@b.c", Plan::Free).await;
    within_a_second(true, async || received.has(&Change::Account(account.id.clone()))).await;
    within_a_second(true, async || store.health().is_ok()).await;
    assert!(store.is_trusted());
    assert_eq!(store.panics(), 1);
    let metrics = Metrics::new();
    metrics.watch_store(move || StoreReading { panics: store.panics(), is_up: true, probe: None });
    assert!(metrics.open_metrics().expect("text").contains("\ncandango_store_panics_total 1\n"));
}

#[tokio::test]
async fn a_change_is_handled_within_milliseconds() {
    let (one, cluster) = (RedisServer::start(), RedisServer::cluster());
    for url in [one.url(), cluster.url().replace("redis:", "redis-cluster:")] {
        let (store, _) = Process::at(url.clone()).serving().await;
        let (_other, _) = Process::at(url.clone()).serving().await;
        // at first the processes may not wait for changes yet, but only for the next heartbeat
        let mut fastest = Duration::MAX;
        for _ in 0..4 {
            let Issued { key, .. } = issued(&*store, "a@b.c", Plan::Free).await;
            let asked = Instant::now();
            store.revoke_key(key.hash(), UnixMillis(5)).await.expect("answered");
            fastest = fastest.min(asked.elapsed());
        }
        // less than a heartbeat
        assert!(fastest < Duration::from_millis(400), "{url}: {fastest:?}");
    }
}

#[tokio::test]
async fn a_cluster_is_found_by_any_of_its_nodes() {
    let cluster = RedisServer::cluster();
    let url = format!("redis-cluster://127.0.0.1:1/?node=127.0.0.1:{}", cluster.port);
    let (store, _) = Process::at(url).serving().await;
    issued(&*store, "a@b.c", Plan::Free).await;
}

#[tokio::test]
async fn a_revocation_waits_for_a_silent_process_until_its_trust_ends() {
    let server = RedisServer::start();
    let (one, two) = (Process::at(server.url()), Process::at(server.url()));
    let (store, _) = one.serving().await;
    let other = two.open();
    let Issued { key, .. } = issued(&*store, "a@b.c", Plan::Free).await;
    let frozen = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let frozen = frozen.expect("a runtime");
    let registering = other.clone();
    let registered = frozen.spawn(async move { registering.register(Received::default().listener()).await });
    registered.await.expect("a task").expect("registered");
    frozen.shutdown_background();
    assert!(other.is_trusted());
    assert!(store.revoke_key(key.hash(), UnixMillis(5)).await.expect("answered").is_some());
    assert!(!other.is_trusted(), "when it was answered");
}

#[tokio::test]
async fn a_revocation_fails_soon_after_the_trust_window_when_a_process_handles_no_change() {
    let server = RedisServer::start();
    let (store, _) = Process::at(server.url()).serving().await;
    let stuck = Process::at(server.url());
    let other = stuck.open();
    other.register(Arc::new(|_| Box::pin(async { panic!("injected") }))).await.expect("registered");
    let Issued { key, .. } = issued(&*store, "a@b.c", Plan::Free).await;
    let asked = Instant::now();
    let failed = store.revoke_key(key.hash(), UnixMillis(5)).await.expect_err("one has not handled it");
    assert!(matches!(failed, StoreError::Failed(_)), "{failed}");
    let waited = asked.elapsed();
    assert!(waited > TRUST && waited < TRUST + Duration::from_millis(2_700), "{waited:?}");
    assert_eq!(store.account_of_key(key.hash()).await.expect("answered"), None, "the change stands");
}

#[tokio::test]
async fn a_tls_url_never_falls_back_to_plain_text() {
    let server = RedisServer::start();
    let process = Process::at(server.url().replace("redis:", "rediss:"));
    let refused = process.open().register(Received::default().listener()).await;
    assert!(matches!(refused, Err(StoreError::Unreachable(_))), "{refused:?}");
}

#[tokio::test]
async fn no_process_waits_for_one_that_left() {
    let server = RedisServer::start();
    let (store, _) = Process::at(server.url()).serving().await;
    let (other, _) = Process::at(server.url()).serving().await;
    let Issued { key, .. } = issued(&*store, "a@b.c", Plan::Free).await;
    other.leave().await.expect("left");
    assert!(!other.is_trusted());
    let asked = Instant::now();
    store.revoke_key(key.hash(), UnixMillis(5)).await.expect("answered");
    assert!(asked.elapsed() < TRUST, "{:?}", asked.elapsed());
}

#[tokio::test]
async fn a_revocation_whose_wait_fails_is_an_error_and_stays_done() {
    let server = RedisServer::start();
    let proxy = Proxy::to(server.port);
    let (one, two) = (Process::at(server.url()), Process::at(proxy.url()));
    let (_serving, received) = one.serving().await;
    let Issued { key, .. } = issued(&*one.open(), "a@b.c", Plan::Free).await;
    let stuck = one.open();
    stuck.register(slow(&received, Duration::from_secs(60))).await.expect("registered");
    let store = two.open();
    assert_eq!(
        store.account_of_key(key.hash()).await.expect("answered").map(|account| account.plan),
        Some(Plan::Free)
    );
    let revoking = tokio::spawn({
        let (store, key) = (store.clone(), key.hash());
        async move { store.revoke_key(key, UnixMillis(5)).await }
    });
    within_a_second(None, async || one.open().account_of_key(key.hash()).await.expect("answered")).await;
    proxy.lose_one_of(1);
    let refused = revoking.await.expect("a task");
    assert!(matches!(refused, Err(StoreError::Unreachable(_))), "{refused:?}");
    assert_eq!(one.open().account_of_key(key.hash()).await.expect("answered"), None);
}

#[tokio::test]
async fn a_recall_waits_until_the_others_have_released_their_leases() {
    let server = RedisServer::start();
    let (one, two) = (Process::at(server.url()), Process::at(server.url()));
    let (store, received) = one.serving().await;
    let other = two.open();
    server.opens("acct_1");
    let holder = Arc::new(tokio::sync::Mutex::new(Holder::new("acct_1", 100)));
    let account = holder.lock().await.claim.account.clone();
    let releases: ChangeListener = {
        let (store, holder, recall) = (other.clone(), holder.clone(), Change::Recall(account.clone()));
        Arc::new(move |change| {
            let (store, holder, is_recall) = (store.clone(), holder.clone(), change == recall);
            Box::pin(async move {
                if is_recall {
                    holder.lock().await.ask(&*store, 0).await;
                }
            })
        })
    };
    other.register(releases).await.expect("registered");
    holder.lock().await.ask(&*other, 100).await;
    holder.lock().await.spend(5);
    store.recall(&account).await.expect("recalled");
    let grant = Holder::new("acct_1", 100).ask(&*store, 100).await;
    assert_eq!((grant.others_used, grant.others_granted), (5, 5));
    assert!(!received.has(&Change::Recall(account)), "the asking process is not asked");
}

#[tokio::test]
async fn several_processes_get_small_blocks_and_use_the_whole_quota() {
    let server = RedisServer::start();
    let (store, _) = Process::at(server.url()).serving().await;
    let _others = (Process::at(server.url()).serving().await, Process::at(server.url()).serving().await);
    ["acct_1", "acct_2"].iter().for_each(|account| server.opens(account));
    let mut holder = Holder::new("acct_1", 1_200);
    assert_eq!(holder.ask(&*store, 1_000).await.granted, 100, "a fourth of a third");
    let mut all = 0;
    let mut holders: Vec<Holder> = (0..3).map(|_| Holder::new("acct_2", 100)).collect();
    for round in 0..200 {
        let holder = &mut holders[round % 3];
        holder.ask(&*store, 10).await;
        let before = holder.claim.used;
        holder.spend(1_000);
        all += holder.claim.used - before;
    }
    assert_eq!(all, 100, "to the unit");
}

#[tokio::test]
async fn claims_and_heartbeats_are_few_commands() {
    let server = RedisServer::start();
    let process = Process::at(server.url());
    let store = process.open();
    server.opens("acct_1");
    let mut holder = Holder::new("acct_1", 1_000_000);
    holder.ask(&*store, 10).await;
    server.say::<()>(&["CONFIG", "RESETSTAT"]);
    for _ in 0..100 {
        holder.ask(&*store, 10).await;
    }
    let claims = server.commands();
    let (_store, _) = process.serving().await;
    // each heartbeat writes another entry
    let entry = || server.say::<Vec<String>>(&["HVALS", "{candango}:processes"]);
    let next_heartbeat = async || {
        let before = entry();
        let begun = Instant::now();
        while entry() == before {
            assert!(begun.elapsed() < SOON, "there are no heartbeats");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    // the first ones follow the registration at once
    next_heartbeat().await;
    next_heartbeat().await;
    server.say::<()>(&["CONFIG", "RESETSTAT"]);
    for _ in 0..4 {
        next_heartbeat().await;
    }
    let heartbeats: Vec<_> = server.commands().into_iter().filter(|(name, _)| name != "hvals").collect();
    let sum = |all: &[(String, u64)]| all.iter().map(|(_, calls)| calls).sum::<u64>();
    println!("100 claims: {}\n{claims:?}\n4 heartbeats: {}\n{heartbeats:?}", sum(&claims), sum(&heartbeats));
    assert!(sum(&claims) <= 810, "{claims:?}");
    assert!((4..=5 * 8 + 3).contains(&sum(&heartbeats)), "{heartbeats:?}");
}

#[tokio::test]
async fn both_engines_answer_the_same_claims_alike() {
    let server = RedisServer::start();
    let shared = Process::at(server.url());
    let file = tempfile::tempdir().expect("a folder");
    let file = StoreSpec::Sqlite(file.path().join("candango.db"));
    let stores = [shared.open(), store::open::store(&file, shared.folder.path(), TRUST).expect("a store")];
    let mut generators = StdRng::seed_from_u64(3);
    let mut generators = |most: u32| generators.random_range(0..most);
    for history in 0..40 {
        let account = format!("acct_{history}");
        server.opens(&account);
        let mut holders: Vec<Holder> = (0..3).map(|_| Holder::new(&account, 100)).collect();
        let mut sent: Vec<(usize, candango::store::Claim)> = Vec::new();
        for _ in 0..60 {
            let who = generators(3) as usize;
            match generators(6) {
                0 | 1 => holders[who].spend(generators(30)),
                2 => {
                    let claim = holders[who].next(0);
                    sent.push((who, claim));
                }
                3 => holders.iter_mut().for_each(|holder| holder.claim.limit = 60 + generators(60)),
                4 => {
                    let want = generators(80);
                    let claim = holders[who].next(want);
                    sent.push((who, claim));
                }
                _ if sent.is_empty() => {}
                _ => {
                    // late, repeated, or in order
                    let (who, claim) = sent[sent.len()
                        - 1
                        - generators(u32::try_from(sent.len().min(4)).expect("few")) as usize]
                        .clone();
                    let one = stores[0].lease(claim.clone()).await.expect("a grant");
                    let two = stores[1].lease(claim.clone()).await.expect("a grant");
                    assert_eq!(one, two, "{claim:?}");
                    if generators(3) > 0 && claim.number == holders[who].claim.number {
                        holders[who].claim.held = one.granted.max(holders[who].claim.used);
                    }
                }
            }
        }
        let leases = [
            stores[0].leases(&holders[0].claim.account, holders[0].claim.period).await.expect("leases"),
            stores[1].leases(&holders[0].claim.account, holders[0].claim.period).await.expect("leases"),
        ];
        assert_eq!(leases[0], leases[1]);
    }
}
