//! Redis that lost acknowledged writes grants nothing new until every process has restated its leases; one that only
//! looks different goes on.

use super::*;

#[tokio::test]
async fn after_a_failover_nothing_new_is_granted_for_two_seconds() {
    let (server, replica) = (RedisServer::start(), RedisServer::start());
    let proxy = Proxy::to(server.port);
    let process = Process::at(proxy.url());
    let (store, received) = process.serving().await;
    server.opens("acct_1");
    replica.follow(&server);
    // it lags from here on
    replica.promote();
    let mut holder = Holder::new("acct_1", 100);
    holder.ask(&*store, 40).await;
    holder.spend(10);

    let changed = Instant::now();
    proxy.lead_to(replica.port);
    let mut other = Holder::new("acct_1", 100);
    assert_eq!(other.ask(&*store, 50).await.granted, 0, "the leases are not known yet");
    within_a_second(true, async || received.has(&Change::Restate) && received.has(&Change::Everything)).await;
    assert_eq!(holder.ask(&*store, 40).await.granted, 40, "kept, and no more");
    let claim = other.next(50);
    let mut grant = store.lease(claim).await.expect("a grant");
    while grant.granted == 0 {
        assert!(changed.elapsed() < Duration::from_secs(4), "nothing is granted any more");
        tokio::time::sleep(Duration::from_millis(20)).await;
        grant = other.ask(&*store, 50).await;
    }
    assert!(changed.elapsed() >= Duration::from_millis(1_900), "{:?}", changed.elapsed());
    assert_eq!(grant, Grant { granted: 50, others_used: 10, others_granted: 40, others_lost: 0 });
    assert_eq!(holder.ask(&*store, 100).await.granted, 50, "the rest");
}

#[tokio::test]
async fn a_loss_that_only_a_process_notices_pauses_grants_too() {
    let server = RedisServer::start();
    let process = Process::at(server.url());
    let (store, received) = process.serving().await;
    server.opens("acct_1");
    let mut holder = Holder::new("acct_1", 100);
    holder.ask(&*store, 40).await;
    // the writes since the registration are gone, and the replication id says nothing of it
    server.say::<()>(&["DEL", "{candango}:lease:acct_1:m0", "{candango}:processes"]);
    within_a_second(true, async || received.has(&Change::Restate)).await;
    assert_eq!(Holder::new("acct_1", 100).ask(&*store, 50).await.granted, 0, "the leases are not known yet");
    assert_eq!(holder.ask(&*store, 40).await.granted, 40, "kept, and no more");
}

#[tokio::test]
async fn a_listener_that_panics_at_a_loss_is_told_of_it_again() {
    let server = RedisServer::start();
    let (store, received) = (Process::at(server.url()).open(), Received::default());
    store.register(panics_once(&received)).await.expect("registered");
    // the writes since the registration are gone
    server.say::<()>(&["DEL", "{candango}:processes"]);
    within_a_second(true, async || received.has(&Change::Everything) && received.has(&Change::Restate)).await;
    assert_eq!(store.panics(), 1);
}

#[tokio::test]
async fn replicas_that_come_and_go_pause_nothing() {
    let (server, replica) = (RedisServer::start(), RedisServer::start());
    let (store, received) = Process::at(server.url()).serving().await;
    let id = || {
        let info: String = server.say(&["INFO", "replication"]);
        info.lines().find(|line| line.starts_with("master_replid:")).expect("an id").to_owned()
    };
    ["acct_1", "acct_2", "acct_3"].iter().for_each(|account| server.opens(account));
    let before = id();
    replica.follow(&server);
    let first = id();
    assert_ne!(before, first, "the first replica changes the replication id");
    assert_eq!(Holder::new("acct_1", 100).ask(&*store, 40).await.granted, 40);
    replica.promote();
    // Redis drops what it kept for replicas once they are away for so long
    server.say::<()>(&["CONFIG", "SET", "repl-backlog-ttl", "1"]);
    let begun = Instant::now();
    while id() == first {
        assert!(begun.elapsed() < SOON, "the replication id stays");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(Holder::new("acct_2", 100).ask(&*store, 40).await.granted, 40);
    replica.follow(&server);
    assert_eq!(Holder::new("acct_3", 100).ask(&*store, 40).await.granted, 40);
    assert!(!received.has(&Change::Restate) && !received.has(&Change::Everything));
}

#[tokio::test]
async fn a_primary_that_was_a_replica_for_a_while_pauses_grants() {
    let (server, other) = (RedisServer::start(), RedisServer::start());
    let (store, received) = Process::at(server.url()).serving().await;
    server.opens("acct_1");
    other.follow(&server);
    other.promote();
    let mut holder = Holder::new("acct_1", 100);
    holder.ask(&*store, 40).await;
    // it loses what the other one lacks, in the same process
    server.follow(&other);
    server.promote();
    assert_eq!(Holder::new("acct_1", 100).ask(&*store, 50).await.granted, 0, "the leases are not known yet");
    within_a_second(true, async || received.has(&Change::Restate)).await;
    assert_eq!(holder.ask(&*store, 40).await.granted, 40, "kept, and no more");
}

#[tokio::test]
async fn a_revocation_after_a_restart_allows_for_lost_heartbeats() {
    let mut server = RedisServer::start();
    let (store, _) = Process::at(server.url()).serving().await;
    let Issued { key, .. } = issued(&*store, "a@b.c", Plan::Free).await;
    let trust = TRUST.as_millis().to_string();
    server.say::<()>(&["HSET", "{candango}:processes", "p_away", &format!("1000:{trust}:0-0")]);
    server.kill();
    server.restart();
    let asked = Instant::now();
    store.revoke_key(key.hash(), UnixMillis(5)).await.expect("answered");
    assert!(asked.elapsed() >= TRUST, "{:?}", asked.elapsed());
}

#[tokio::test]
async fn a_revocation_after_a_restart_waits_for_lost_registrations() {
    let mut server = RedisServer::start();
    let (store, _) = Process::at(server.url()).serving().await;
    let (other, _) = Process::at(server.url()).serving().await;
    let Issued { key, .. } = issued(&*store, "a@b.c", Plan::Free).await;
    assert!(other.is_trusted());
    server.kill();
    server.restart();
    server.say::<()>(&["DEL", "{candango}:processes"]);
    let asked = Instant::now();
    store.revoke_key(key.hash(), UnixMillis(5)).await.expect("answered");
    assert!(asked.elapsed() >= TRUST, "{:?}", asked.elapsed());
    let asked = Instant::now();
    store.revoke_key(key.hash(), UnixMillis(6)).await.expect("answered");
    assert!(asked.elapsed() < TRUST, "every lost registration is silent by now: {:?}", asked.elapsed());
}
