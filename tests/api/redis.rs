//! What only a shared store promises: a real Redis that is killed, emptied, slow or cut off.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use candango::config::StoreSpec;
use candango::domain::account::MailId;
use candango::domain::clock::UnixMillis;
use candango::domain::plan::Plan;
use candango::quota::keys::Issued;
use candango::store::{self, Change, ChangeListener, Grant, KeyReplacement, Store, StoreError};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tempfile::TempDir;

use crate::service::free_port;
use crate::store::{Heard, Lessee, TRUST, fresh, issued, within_a_second};

/// A Redis of our own, on a free port, which ends with this value.
pub(crate) struct RedisServer {
    folder: TempDir,
    pub(crate) port: u16,
    settings: Vec<String>,
    child: Child,
}

impl RedisServer {
    /// One that keeps an append-only file.
    pub(crate) fn start() -> RedisServer {
        RedisServer::with(&["--appendonly", "yes"])
    }

    /// A cluster of one.
    pub(crate) fn cluster() -> RedisServer {
        let bus = free_port().to_string();
        let server = RedisServer::with(&[
            "--appendonly",
            "yes",
            "--cluster-enabled",
            "yes",
            "--cluster-announce-ip",
            "127.0.0.1",
            "--cluster-port",
            &bus,
        ]);
        server.say::<()>(&["CLUSTER", "ADDSLOTSRANGE", "0", "16383"]);
        let begun = Instant::now();
        while !server.say::<String>(&["CLUSTER", "INFO"]).contains("cluster_state:ok") {
            assert!(begun.elapsed() < Duration::from_secs(10), "the cluster is not well");
            thread::sleep(Duration::from_millis(20));
        }
        server
    }

    /// One with further settings.
    pub(crate) fn with(settings: &[&str]) -> RedisServer {
        let folder = tempfile::tempdir().expect("a folder");
        let settings: Vec<String> = settings.iter().map(|&word| word.to_owned()).collect();
        for _ in 0..10 {
            let port = free_port();
            // another test may have been given the port meanwhile: then the child ends by itself
            if let Some(child) = serve(&folder, port, &settings) {
                return RedisServer { folder, port, settings, child };
            }
        }
        panic!("redis-server does not start: is it installed?");
    }

    /// Kills it where it stands.
    pub(crate) fn kill(&mut self) {
        self.child.kill().expect("killed");
        self.child.wait().expect("ended");
    }

    /// Starts it again on its files, after it was killed.
    pub(crate) fn restart(&mut self) {
        self.child = serve(&self.folder, self.port, &self.settings).expect("redis-server starts again");
    }

    /// Stops it in the middle of what it does, or lets it go on.
    pub(crate) fn freeze(&self, frozen: bool) {
        let signal = if frozen { "-STOP" } else { "-CONT" };
        let sent = Command::new("kill").args([signal, &self.child.id().to_string()]).status();
        assert!(sent.expect("kill runs").success());
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}/", self.port)
    }

    /// Where it keeps its files.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Says a command to it.
    pub(crate) fn say<T: redis::FromRedisValue>(&self, words: &[&str]) -> T {
        let client = redis::Client::open(self.url()).expect("a URL");
        let mut connection = client.get_connection().expect("a connection");
        let mut command = redis::cmd(words[0]);
        words[1..].iter().for_each(|word| {
            command.arg(word);
        });
        command.query(&mut connection).expect("an answer")
    }

    /// How many commands it has executed since `CONFIG RESETSTAT`, those in scripts included.
    pub(crate) fn commands(&self) -> Vec<(String, u64)> {
        let info: String = self.say(&["INFO", "commandstats"]);
        let calls = |line: &str| {
            let (name, rest) = line.strip_prefix("cmdstat_")?.split_once(":calls=")?;
            Some((name.to_owned(), rest.split_once(',')?.0.parse().ok()?))
        };
        // what it takes to ask
        let asking = ["config|resetstat", "client|setinfo"];
        let all = info.lines().filter_map(calls);
        all.filter(|(name, _): &(String, u64)| !asking.contains(&name.as_str())).collect()
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        // it may have ended by itself
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts a redis-server and waits until it answers; none when it ends.
fn serve(folder: &TempDir, port: u16, settings: &[String]) -> Option<Child> {
    let mut child = Command::new("redis-server")
        .args([
            "--port",
            &port.to_string(),
            "--bind",
            "127.0.0.1",
            "--save",
            "",
            "--enable-debug-command",
            "yes",
        ])
        .arg("--dir")
        .arg(folder.path())
        .args(settings)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .expect("redis-server runs");
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(20) {
        if child.try_wait().expect("a child").is_some() {
            return None;
        }
        let answers = redis::Client::open(format!("redis://127.0.0.1:{port}/"))
            .and_then(|client| redis::cmd("PING").query::<String>(&mut client.get_connection()?));
        // one with a password answers too
        if answers.is_ok() || answers.is_err_and(|error| error.code() == Some("NOAUTH")) {
            return Some(child);
        }
        thread::sleep(Duration::from_millis(10));
    }
    child.kill().expect("killed");
    child.wait().expect("ended");
    panic!("redis-server does not answer");
}

/// A way to a server on which replies can get lost, as when a connection breaks after a command was executed.
pub(crate) struct Proxy {
    pub(crate) address: SocketAddr,
    every: Arc<AtomicUsize>,
}

impl Proxy {
    pub(crate) fn to(port: u16) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let every = Arc::new(AtomicUsize::new(0));
        let lossy = every.clone();
        // ends with the process: it waits for connections until then
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let Ok(server) = TcpStream::connect(("127.0.0.1", port)) else { continue };
                let ends = (client.try_clone().expect("a stream"), server.try_clone().expect("a stream"));
                let (lossy, passing) = (lossy.clone(), Arc::new(AtomicUsize::new(0)));
                thread::spawn(move || pass(client, server, &passing));
                thread::spawn(move || pass(ends.1, ends.0, &lossy));
            }
        });
        Proxy { address, every }
    }

    /// Loses one of so many replies from now on, and breaks the connection with it; none when 0, every one when 1.
    pub(crate) fn lose_one_of(&self, replies: usize) {
        self.every.store(replies, Ordering::SeqCst);
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://{}/", self.address)
    }
}

fn pass(mut from: TcpStream, mut to: TcpStream, lose_one_of: &AtomicUsize) {
    let mut piece = [0; 65_536];
    let mut passed = 0;
    while let Ok(count @ 1..) = from.read(&mut piece) {
        passed += 1;
        let every = lose_one_of.load(Ordering::SeqCst);
        // the greetings of a new connection come through, where anything does
        let lost = every == 1 || every > 0 && passed > 2 && rand::random_range(0..every) == 0;
        if lost || to.write_all(&piece[..count]).is_err() {
            break;
        }
    }
    let _ = from.shutdown(Shutdown::Both);
    let _ = to.shutdown(Shutdown::Both);
}

/// A process that uses a store: its folder, which it has for good.
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

    /// The store, as the process opens it each time it starts.
    fn open(&self) -> Arc<dyn Store> {
        store::open::store(&self.spec(), self.folder.path(), TRUST).expect("a store")
    }

    async fn serving(&self) -> (Arc<dyn Store>, Heard) {
        let (store, heard) = (self.open(), Heard::default());
        store.register(heard.listener()).await.expect("attended");
        (store, heard)
    }
}

#[tokio::test]
async fn an_emptied_redis_is_not_served_from_until_it_is_begun_anew() {
    let server = RedisServer::start();
    let process = Process::at(server.url());
    let (store, heard) = process.serving().await;
    let Issued { key, .. } = issued(&*store, "a@b.c", Plan::Pro).await;
    server.say::<()>(&["FLUSHALL"]);
    let refused = store.account_of_key(key.hash()).await.expect_err("it is empty");
    assert!(matches!(refused, StoreError::DataMissing), "{refused}");
    assert!(refused.to_string().contains("candango store begin"), "{refused}");
    within_a_second(false, async || store.is_trusted(Instant::now())).await;
    assert!(matches!(store.refresh().await, Err(StoreError::DataMissing)));
    assert!(matches!(store.lease(Lessee::new("acct_1", 9).next(1)).await, Err(StoreError::DataMissing)));
    let again = process.open().register(Heard::default().listener()).await;
    assert!(matches!(again, Err(StoreError::DataMissing)), "a restart does not make it good: {again:?}");

    assert!(store::open::begin(&process.spec(), process.folder.path()).await.expect("begun"));
    within_a_second(true, async || heard.has(&Change::StoreReset)).await;
    within_a_second(true, async || store.is_trusted(Instant::now())).await;
    assert_eq!(store.account_of_key(key.hash()).await.expect("an answer"), None);
    issued(&*store, "a@b.c", Plan::Pro).await;
    assert!(!store::open::begin(&process.spec(), process.folder.path()).await.expect("no need to"));
    process.serving().await;
}

#[tokio::test]
async fn who_slept_through_a_beginning_goes_on_with_it() {
    let server = RedisServer::start();
    let (one, two) = (Process::at(server.url()), Process::at(server.url()));
    issued(&*one.open(), "a@b.c", Plan::Pro).await;
    two.serving().await;
    server.say::<()>(&["FLUSHALL"]);
    assert!(store::open::begin(&one.spec(), one.folder.path()).await.expect("begun"));
    two.serving().await;
}

#[tokio::test]
async fn another_redis_is_not_taken_for_the_known_one() {
    let (server, other) = (RedisServer::start(), RedisServer::start());
    let process = Process::at(server.url());
    process.serving().await;
    Process::at(other.url()).serving().await;
    let epoch: String = other.say(&["GET", "{candango}:epoch"]);
    server.say::<()>(&["SET", "{candango}:epoch", &epoch]);
    let refused = process.open().register(Heard::default().listener()).await;
    assert!(matches!(refused, Err(StoreError::DataMissing)), "{refused:?}");
}

#[tokio::test]
async fn a_redis_that_throws_keys_away_is_refused() {
    let server = RedisServer::with(&["--maxmemory-policy", "allkeys-lru"]);
    let refused = Process::at(server.url()).open().register(Heard::default().listener()).await;
    let told = refused.expect_err("refused").to_string();
    assert!(told.contains("allkeys-lru") && told.contains("noeviction"), "{told}");
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
        let told = process.open().register(Heard::default().listener()).await.expect_err("refused");
        assert!(!format!("{told} {told:?}").contains("s3same"), "{told:?}");
    }
    server.kill();
}

#[tokio::test]
async fn a_redis_that_may_have_lost_writes_grants_nothing_new_for_two_seconds() {
    let server = RedisServer::start();
    let process = Process::at(server.url());
    let (store, heard) = process.serving().await;
    let mut lessee = Lessee::new("acct_1", 100);
    lessee.ask(&*store, 40).await;
    lessee.spend(10);
    server.say::<()>(&["DEL", "{candango}:lease:acct_1:m0"]);
    server.say::<()>(&["DEBUG", "CHANGE-REPL-ID"]);

    let changed = Instant::now();
    let mut other = Lessee::new("acct_1", 100);
    assert_eq!(other.ask(&*store, 50).await.granted, 0, "who holds what is not known");
    within_a_second(true, async || heard.has(&Change::Restate) && heard.has(&Change::Everything)).await;
    assert_eq!(lessee.ask(&*store, 40).await.granted, 40, "believed, and no more");
    let claim = other.next(50);
    let mut grant = store.lease(claim).await.expect("a grant");
    while grant.granted == 0 {
        assert!(changed.elapsed() < Duration::from_secs(4), "never again");
        tokio::time::sleep(Duration::from_millis(20)).await;
        grant = other.ask(&*store, 50).await;
    }
    assert!(changed.elapsed() >= Duration::from_millis(1_900), "{:?}", changed.elapsed());
    assert_eq!(grant, Grant { granted: 50, others_used: 10, others_granted: 40 });
    assert_eq!(lessee.ask(&*store, 100).await.granted, 50, "the rest");
}

#[tokio::test]
async fn a_redis_that_was_killed_has_all_that_was_acknowledged() {
    let mut server = RedisServer::start();
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
            assert!(back.elapsed() < Duration::from_secs(2), "not back");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
    for key in kept {
        assert!(store.account_of_key(key.hash()).await.expect("an answer").is_some());
    }
}

#[tokio::test]
async fn lost_replies_over_grant_nothing_and_are_asked_for_again() {
    let server = RedisServer::start();
    let proxy = Proxy::to(server.port);
    let process = Process::at(proxy.url());
    let store = process.open();
    issued(&*store, "a@b.c", Plan::Pro).await;
    proxy.lose_one_of(6);
    let lessees: Vec<_> = (0..6)
        .map(|_| {
            let store = store.clone();
            tokio::spawn(async move {
                let mut lessee = Lessee::new("acct_1", 500);
                let mut failed = 0;
                while lessee.claim.number < 60 {
                    match store.lease(lessee.next(3)).await {
                        Ok(grant) => lessee.claim.held = grant.granted,
                        Err(StoreError::Unreachable(_)) => failed += 1,
                        Err(error) => panic!("{error}"),
                    }
                    lessee.spend(2);
                }
                (lessee, failed)
            })
        })
        .collect();
    let (mut held, mut failed) = (0, 0);
    let mut all = Vec::new();
    for lessee in lessees {
        let (lessee, failures) = lessee.await.expect("a lessee");
        held += lessee.claim.held;
        failed += failures;
        all.push(lessee);
    }
    assert!(held <= 500, "{held}");
    assert!(failed < 120, "{failed} of 360 claims failed");
    proxy.lose_one_of(0);
    for lessee in &mut all {
        lessee.ask(&*store, 0).await;
    }
    let used: u32 = all.iter().map(|lessee| lessee.claim.used).sum();
    let rest = Lessee::new("acct_1", 500).ask(&*store, 1_000).await;
    assert_eq!(rest, Grant { granted: 500 - used, others_used: used, others_granted: used });
}

#[tokio::test]
async fn lost_replies_move_keys_once() {
    let server = RedisServer::start();
    let proxy = Proxy::to(server.port);
    let (store, _) = Process::at(proxy.url()).serving().await;
    let Issued { account, key } = issued(&*store, "a@b.c", Plan::Pro).await;
    proxy.lose_one_of(5);
    let mut old = key.hash();
    for at in 2_000..2_040 {
        let new = fresh(at);
        let wanted = KeyReplacement {
            account: account.id.clone(),
            old: Some(old),
            new: new.clone(),
            mail: Some((MailId::generate().expect("a name"), UnixMillis(at))),
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
    let letters = store.take_due_mails(UnixMillis(9_000), UnixMillis(10_000), 100).await.expect("letters");
    assert_eq!(letters.len(), 40);
}

#[tokio::test]
async fn connections_that_are_killed_all_the_time_stop_nothing() {
    let server = RedisServer::start();
    let process = Process::at(server.url());
    let (store, _) = process.serving().await;
    let url = server.url();
    let killer = thread::spawn(move || {
        let client = redis::Client::open(url).expect("a URL");
        let mut connection = client.get_connection().expect("a connection");
        for _ in 0..150 {
            let kill = redis::cmd("CLIENT").arg(&["KILL", "TYPE", "normal", "SKIPME", "yes"]).to_owned();
            let _: usize = kill.query(&mut connection).expect("killed");
            thread::sleep(Duration::from_millis(10));
        }
    });
    let mut lessee = Lessee::new("acct_1", 1_000_000);
    let (mut good, mut bad) = (0, 0);
    while !killer.is_finished() {
        match store.lease(lessee.next(10)).await {
            Ok(grant) => {
                lessee.claim.held = grant.granted;
                good += 1;
            }
            Err(_) => bad += 1,
        }
    }
    assert!(bad < good, "{bad} of {good} failed");
    within_a_second(true, async || store.is_trusted(Instant::now())).await;
}

#[tokio::test]
async fn trust_lapses_after_redis_fell_silent_and_is_back_with_it() {
    let mut server = RedisServer::start();
    let process = Process::at(server.url());
    let (store, heard) = process.serving().await;
    let Issued { account, .. } = issued(&*store, "a@b.c", Plan::Free).await;
    server.kill();
    let silent = Instant::now();
    while store.is_trusted(Instant::now()) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert!(!store.is_trusted(silent + TRUST), "no longer than the window");
    assert!(silent.elapsed() + Duration::from_millis(700) > TRUST, "no shorter: {:?}", silent.elapsed());
    let asked = Instant::now();
    assert!(matches!(store.refresh().await, Err(StoreError::Unreachable(_))));
    assert!(asked.elapsed() < Duration::from_millis(200), "at once: {:?}", asked.elapsed());
    let told = store
        .account_of_key(candango::domain::api_key::KeyHash([0; 32]))
        .await
        .expect_err("away")
        .to_string();
    assert!(told.contains("Redis cannot be reached"), "{told}");

    server.restart();
    let back = Instant::now();
    // what was missed meanwhile
    process.open().set_plan(&account.id, Plan::Pro).await.expect("an answer");
    while store.refresh().await.is_err() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(back.elapsed() < Duration::from_secs(2), "{:?}", back.elapsed());
    assert!(store.is_trusted(Instant::now()));
    assert!(heard.has(&Change::Everything) || heard.has(&Change::Account(account.id)));
}

#[tokio::test]
async fn a_redis_that_hangs_costs_a_bounded_time() {
    let server = RedisServer::start();
    let process = Process::at(server.url());
    let (store, _) = process.serving().await;
    server.freeze(true);
    let asked = Instant::now();
    assert!(matches!(store.lease(Lessee::new("acct_1", 9).next(1)).await, Err(StoreError::Unreachable(_))));
    assert!(asked.elapsed() < Duration::from_millis(2_500), "{:?}", asked.elapsed());
    let asked = Instant::now();
    assert!(store.refresh().await.is_err());
    assert!(asked.elapsed() < Duration::from_millis(1_200), "{:?}", asked.elapsed());
    server.freeze(false);
    let back = Instant::now();
    while store.refresh().await.is_err() {
        assert!(back.elapsed() < Duration::from_secs(2), "not back");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// A listener that takes its time.
fn slow(heard: &Heard, takes: Duration) -> ChangeListener {
    let inner = heard.listener();
    Arc::new(move |change| {
        let heard = inner(change);
        Box::pin(async move {
            tokio::time::sleep(takes).await;
            heard.await;
        })
    })
}

#[tokio::test]
async fn a_revocation_waits_until_every_process_has_taken_notice() {
    let server = RedisServer::start();
    let (one, two) = (Process::at(server.url()), Process::at(server.url()));
    let (store, _) = one.serving().await;
    let (other, heard) = (two.open(), Heard::default());
    let Issued { account, key } = issued(&*store, "a@b.c", Plan::Free).await;
    other.register(slow(&heard, Duration::from_millis(300))).await.expect("attended");
    let asked = Instant::now();
    assert!(store.revoke_key(key.hash(), UnixMillis(5)).await.expect("an answer"));
    assert!(heard.has(&Change::Account(account.id)), "before it was answered");
    let took = asked.elapsed();
    assert!(took > Duration::from_millis(300) && took < Duration::from_millis(700), "{took:?}");
}

#[tokio::test]
async fn a_change_is_heard_of_in_milliseconds() {
    let (one, cluster) = (RedisServer::start(), RedisServer::cluster());
    for url in [one.url(), cluster.url().replace("redis:", "redis-cluster:")] {
        let (store, _) = Process::at(url.clone()).serving().await;
        let (_other, _) = Process::at(url.clone()).serving().await;
        let Issued { key, .. } = issued(&*store, "a@b.c", Plan::Free).await;
        tokio::time::sleep(Duration::from_millis(100)).await;
        let asked = Instant::now();
        store.revoke_key(key.hash(), UnixMillis(5)).await.expect("an answer");
        assert!(asked.elapsed() < Duration::from_millis(250), "{url}: {:?}", asked.elapsed());
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
async fn a_revocation_waits_for_a_silent_process_until_it_trusts_its_memory_no_more() {
    let server = RedisServer::start();
    let (one, two) = (Process::at(server.url()), Process::at(server.url()));
    let (store, _) = one.serving().await;
    let other = two.open();
    let Issued { key, .. } = issued(&*store, "a@b.c", Plan::Free).await;
    let frozen = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let frozen = frozen.expect("a runtime");
    let attending = other.clone();
    let attended = frozen.spawn(async move { attending.register(Heard::default().listener()).await });
    attended.await.expect("a task").expect("attended");
    frozen.shutdown_background();
    assert!(other.is_trusted(Instant::now()));
    assert!(store.revoke_key(key.hash(), UnixMillis(5)).await.expect("an answer"));
    assert!(!other.is_trusted(Instant::now()), "when it was answered");
}

#[tokio::test]
async fn a_revocation_in_a_new_life_takes_no_lost_beat_for_silence() {
    let server = RedisServer::start();
    let (store, _) = Process::at(server.url()).serving().await;
    let Issued { key, .. } = issued(&*store, "a@b.c", Plan::Free).await;
    let trust = TRUST.as_millis().to_string();
    server.say::<()>(&["HSET", "{candango}:processes", "p_away", &format!("1000:{trust}:0-0")]);
    server.say::<()>(&["DEBUG", "CHANGE-REPL-ID"]);
    let asked = Instant::now();
    store.revoke_key(key.hash(), UnixMillis(5)).await.expect("an answer");
    assert!(asked.elapsed() >= TRUST, "{:?}", asked.elapsed());
}

#[tokio::test]
async fn a_revocation_in_a_new_life_waits_for_the_processes_that_it_forgot() {
    let server = RedisServer::start();
    let (store, _) = Process::at(server.url()).serving().await;
    let (other, _) = Process::at(server.url()).serving().await;
    let Issued { key, .. } = issued(&*store, "a@b.c", Plan::Free).await;
    assert!(other.is_trusted(Instant::now()));
    server.say::<()>(&["DEBUG", "CHANGE-REPL-ID"]);
    server.say::<()>(&["DEL", "{candango}:processes"]);
    let asked = Instant::now();
    store.revoke_key(key.hash(), UnixMillis(5)).await.expect("an answer");
    assert!(asked.elapsed() >= TRUST, "{:?}", asked.elapsed());
    let asked = Instant::now();
    store.revoke_key(key.hash(), UnixMillis(6)).await.expect("an answer");
    assert!(asked.elapsed() < TRUST, "all that were forgotten are silent by now: {:?}", asked.elapsed());
}

#[tokio::test]
async fn a_server_without_tls_is_not_spoken_to_in_plain() {
    let server = RedisServer::start();
    let process = Process::at(server.url().replace("redis:", "rediss:"));
    let refused = process.open().register(Heard::default().listener()).await;
    assert!(matches!(refused, Err(StoreError::Unreachable(_))), "{refused:?}");
}

#[tokio::test]
async fn nobody_waits_for_a_process_that_left() {
    let server = RedisServer::start();
    let (store, _) = Process::at(server.url()).serving().await;
    let (other, _) = Process::at(server.url()).serving().await;
    let Issued { key, .. } = issued(&*store, "a@b.c", Plan::Free).await;
    other.leave().await.expect("left");
    assert!(!other.is_trusted(Instant::now()));
    let asked = Instant::now();
    store.revoke_key(key.hash(), UnixMillis(5)).await.expect("an answer");
    assert!(asked.elapsed() < Duration::from_millis(500), "{:?}", asked.elapsed());
}

#[tokio::test]
async fn a_revocation_that_cannot_be_waited_for_is_an_error_and_stands() {
    let server = RedisServer::start();
    let proxy = Proxy::to(server.port);
    let (one, two) = (Process::at(server.url()), Process::at(proxy.url()));
    let (_serving, heard) = one.serving().await;
    let Issued { key, .. } = issued(&*one.open(), "a@b.c", Plan::Free).await;
    let deaf = one.open();
    deaf.register(slow(&heard, Duration::from_secs(60))).await.expect("attended");
    let store = two.open();
    assert_eq!(
        store.account_of_key(key.hash()).await.expect("an answer").map(|account| account.plan),
        Some(Plan::Free)
    );
    let revoking = tokio::spawn({
        let (store, key) = (store.clone(), key.hash());
        async move { store.revoke_key(key, UnixMillis(5)).await }
    });
    tokio::time::sleep(Duration::from_millis(200)).await;
    proxy.lose_one_of(1);
    let refused = revoking.await.expect("a task");
    assert!(matches!(refused, Err(StoreError::Unreachable(_))), "{refused:?}");
    assert_eq!(one.open().account_of_key(key.hash()).await.expect("an answer"), None);
}

#[tokio::test]
async fn those_who_are_called_in_give_up_what_they_hold_before_it_is_answered() {
    let server = RedisServer::start();
    let (one, two) = (Process::at(server.url()), Process::at(server.url()));
    let (store, heard) = one.serving().await;
    let other = two.open();
    let mut lessee = Lessee::new("acct_1", 100);
    lessee.ask(&*other, 100).await;
    lessee.spend(30);
    let gives_up = {
        let (store, lessee) = (other.clone(), lessee.clone());
        let listener: ChangeListener = Arc::new(move |change| {
            let (store, mut lessee) = (store.clone(), lessee.clone());
            Box::pin(async move {
                if change == Change::Recall(lessee.claim.account.clone()) {
                    lessee.ask(&*store, 0).await;
                }
            })
        });
        listener
    };
    other.register(gives_up).await.expect("attended");
    store.recall(&lessee.claim.account).await.expect("called in");
    let grant = Lessee::new("acct_1", 100).ask(&*store, 100).await;
    assert_eq!((grant.others_used, grant.others_granted), (30, 30));
    assert!(!heard.has(&Change::Recall(lessee.claim.account)), "who asks is not asked");
}

#[tokio::test]
async fn several_processes_get_small_blocks_and_the_last_call_of_a_quota() {
    let server = RedisServer::start();
    let (store, _) = Process::at(server.url()).serving().await;
    let _others = (Process::at(server.url()).serving().await, Process::at(server.url()).serving().await);
    let mut lessee = Lessee::new("acct_1", 1_200);
    assert_eq!(lessee.ask(&*store, 1_000).await.granted, 100, "a fourth of a third");
    let mut all = 0;
    let mut lessees: Vec<Lessee> = (0..3).map(|_| Lessee::new("acct_2", 100)).collect();
    for round in 0..200 {
        let lessee = &mut lessees[round % 3];
        lessee.ask(&*store, 10).await;
        let before = lessee.claim.used;
        lessee.spend(1_000);
        all += lessee.claim.used - before;
    }
    assert_eq!(all, 100, "to the unit");
}

#[tokio::test]
async fn claims_and_beats_are_few_commands() {
    let server = RedisServer::start();
    let process = Process::at(server.url());
    let store = process.open();
    let mut lessee = Lessee::new("acct_1", 1_000_000);
    lessee.ask(&*store, 10).await;
    server.say::<()>(&["CONFIG", "RESETSTAT"]);
    for _ in 0..100 {
        lessee.ask(&*store, 10).await;
    }
    let claims = server.commands();
    let (_store, _) = process.serving().await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    server.say::<()>(&["CONFIG", "RESETSTAT"]);
    tokio::time::sleep(Duration::from_secs(5)).await;
    let beats = server.commands();
    let sum = |all: &[(String, u64)]| all.iter().map(|(_, calls)| calls).sum::<u64>();
    println!("a claim: {}\n{claims:?}\nten beats: {}\n{beats:?}", sum(&claims) as f64 / 100.0, sum(&beats));
    assert!(sum(&claims) <= 810, "{claims:?}");
    assert!(sum(&beats) <= 11 * 8 + 3, "{beats:?}");
}

#[tokio::test]
async fn the_same_history_has_the_same_answers_in_a_file() {
    let server = RedisServer::start();
    let shared = Process::at(server.url());
    let file = tempfile::tempdir().expect("a folder");
    let file = StoreSpec::Sqlite(file.path().join("candango.db"));
    let stores = [shared.open(), store::open::store(&file, shared.folder.path(), TRUST).expect("a store")];
    let mut generators = StdRng::seed_from_u64(3);
    let mut generators = |most: u32| generators.random_range(0..most);
    for history in 0..40 {
        let account = format!("acct_{history}");
        let mut lessees: Vec<Lessee> = (0..3).map(|_| Lessee::new(&account, 100)).collect();
        let mut sent: Vec<(usize, candango::store::Claim)> = Vec::new();
        for _ in 0..60 {
            let who = generators(3) as usize;
            match generators(6) {
                0 | 1 => lessees[who].spend(generators(30)),
                2 => {
                    let claim = lessees[who].next(0);
                    sent.push((who, claim));
                }
                3 => lessees.iter_mut().for_each(|lessee| lessee.claim.limit = 60 + generators(60)),
                4 => {
                    let want = generators(80);
                    let claim = lessees[who].next(want);
                    sent.push((who, claim));
                }
                _ if sent.is_empty() => {}
                _ => {
                    // late, again, or in its turn
                    let (who, claim) =
                        sent[sent.len() - 1 - generators(4.min(sent.len() as u32)) as usize].clone();
                    let one = stores[0].lease(claim.clone()).await.expect("a grant");
                    let two = stores[1].lease(claim.clone()).await.expect("a grant");
                    assert_eq!(one, two, "{claim:?}");
                    if generators(3) > 0 && claim.number == lessees[who].claim.number {
                        lessees[who].claim.held = one.granted.max(lessees[who].claim.used);
                    }
                }
            }
        }
        let statements = [
            stores[0].leases(&lessees[0].claim.account, lessees[0].claim.period).await.expect("statements"),
            stores[1].leases(&lessees[0].claim.account, lessees[0].claim.period).await.expect("statements"),
        ];
        assert_eq!(statements[0], statements[1]);
    }
}
