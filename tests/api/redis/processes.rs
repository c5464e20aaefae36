//! Processes that end, are slow, or outlive a step of the clock of Redis, and what the others may know of them.

use candango::domain::account::AccountId;

use super::*;

/// A time by the clock of Redis, so many milliseconds from now.
fn redis_time(server: &RedisServer, from_now: i64) -> i64 {
    let (seconds, micros): (i64, i64) = server.say(&["TIME"]);
    seconds * 1_000 + micros / 1_000 + from_now
}

const HOURS: i64 = 3 * 60 * 60 * 1_000;

#[tokio::test]
async fn a_redis_whose_clock_was_set_back_after_its_restart_grants_again() {
    let server = RedisServer::start();
    let (store, received) = Process::at(server.url()).serving().await;
    server.opens("acct_1");
    let Issued { key, .. } = issued(&*store, "a@b.c", Plan::Free).await;
    // as it was restarted while its clock was ahead
    let since = redis_time(&server, HOURS).to_string();
    server.say::<()>(&["HSET", "{candango}:life", "since", &since]);
    let mut holder = Holder::new("acct_1", 100);
    let begun = Instant::now();
    while holder.ask(&*store, 40).await.granted == 0 {
        assert!(begun.elapsed() < Duration::from_secs(4), "nothing is granted any more");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(store.revoke_key(key.hash(), UnixMillis(5)).await.expect("answered").is_some());
    assert!(received.has(&Change::Restate), "writes may be missing since");
}

#[tokio::test]
async fn no_process_is_waited_for_whose_heartbeat_lies_in_the_future() {
    let server = RedisServer::start();
    let (store, received) = Process::at(server.url()).serving().await;
    let Issued { key, .. } = issued(&*store, "a@b.c", Plan::Free).await;
    let entry = format!("{}:{}:0-0", redis_time(&server, HOURS), TRUST.as_millis());
    server.say::<()>(&["HSET", "{candango}:processes", "p_ended", &entry]);
    let asked = Instant::now();
    assert!(store.revoke_key(key.hash(), UnixMillis(5)).await.expect("answered").is_some());
    assert!(asked.elapsed() >= TRUST, "it may still trust its cache: {:?}", asked.elapsed());
    assert!(!received.has(&Change::Restate), "nothing was lost");
}

#[tokio::test]
async fn recalls_of_many_accounts_keep_no_change_waiting() {
    let server = RedisServer::start();
    let (store, _) = Process::at(server.url()).serving().await;
    let other = Process::at(server.url());
    let (other, received) = (other.open(), Received::default());
    let (inner, counted) = (received.listener(), Arc::new(AtomicUsize::new(0)));
    let releases = counted.clone();
    let listener: ChangeListener = Arc::new(move |change| {
        let (is_recall, known) = (matches!(change, Change::Recall(_)), inner(change));
        let releases = releases.clone();
        Box::pin(async move {
            if is_recall {
                releases.fetch_add(1, Ordering::SeqCst);
                tokio::time::sleep(Duration::from_millis(300)).await;
            }
            known.await;
        })
    });
    other.register(listener).await.expect("registered");
    let Issued { key, .. } = issued(&*store, "a@b.c", Plan::Free).await;
    let recalls: Vec<_> = (0..60)
        .map(|number| {
            let (store, account) = (store.clone(), AccountId::from_stored(format!("acct_{}", number % 20)));
            tokio::spawn(async move { store.recall(&account).await })
        })
        .collect();
    tokio::time::sleep(Duration::from_millis(50)).await;
    let asked = Instant::now();
    assert!(store.revoke_key(key.hash(), UnixMillis(5)).await.expect("answered").is_some());
    assert!(asked.elapsed() < TRUST, "{:?}", asked.elapsed());
    for recall in recalls {
        recall.await.expect("a task").expect("recalled");
    }
    assert!(other.is_trusted());
    assert!((20..60).contains(&counted.load(Ordering::SeqCst)), "{counted:?} releases of 20 accounts");
}

#[tokio::test]
async fn a_claim_that_gets_nothing_is_told_what_an_ended_process_has_not_spent() {
    let server = RedisServer::start();
    server.opens("acct_1");
    let (dead, _) = Process::at(server.url()).serving().await;
    let mut holder = Holder::new("acct_1", 100);
    holder.ask(&*dead, 30).await;
    holder.spend(10);
    holder.ask(&*dead, 20).await;
    drop(dead);
    let (store, _) = Process::at(server.url()).serving().await;
    let mut other = Holder::new("acct_1", 100);
    let mut lost = async || {
        let grant = other.ask(&*store, 100).await;
        other.spend(100);
        (grant.granted, grant.others_used, grant.others_granted, grant.others_lost)
    };
    within_a_second((70, 10, 30, 20), async || lost().await).await;
    let leases = store.leases(&holder.claim.account, holder.claim.period).await.expect("leases");
    assert_eq!(leases.iter().map(|lease| lease.used).sum::<u32>(), 100, "it may have spent them");
}

#[tokio::test]
async fn calls_of_an_erased_account_do_not_come_back() {
    let server = RedisServer::start();
    let (store, _) = Process::at(server.url()).serving().await;
    let account = issued(&*store, "a@b.c", Plan::Pro).await.account.id;
    let mut holder = Holder::new(account.as_str(), 100);
    holder.ask(&*store, 40).await;
    holder.spend(7);
    let erased = store.erase(&account, 0, None, UnixMillis(2_000)).await.expect("answered");
    assert!(matches!(erased, EraseOutcome::Done(_)), "{erased:?}");
    let reported = holder.ask(&*store, 0).await;
    assert_eq!(reported, Grant { granted: 7, others_used: 0, others_granted: 0, others_lost: 0 });
    let left: Vec<String> = server.say(&["KEYS", &format!("*{account}*")]);
    assert_eq!(left, [""; 0]);
}

#[tokio::test]
async fn an_erasure_that_was_cut_off_is_ended_by_a_server() {
    let server = RedisServer::start();
    let (store, _) = Process::at(server.url()).serving().await;
    let account = issued(&*store, "a@b.c", Plan::Pro).await.account.id;
    let erased = store.erase(&account, 0, None, UnixMillis(2_000)).await.expect("answered");
    assert!(matches!(erased, EraseOutcome::Done(_)), "{erased:?}");
    // as who is killed between its scripts leaves it
    server.say::<()>(&["SADD", "{candango}:erasing", account.as_str()]);
    server.say::<()>(&["HSET", "{candango}:payers", "sub_1", account.as_str(), "sub_2", "acct_other"]);
    let counter = format!("{{candango}}:tally:checkout/1/{account}");
    server.say::<()>(&["SET", &counter, "1"]);
    store.forget(UnixMillis(3_000)).await.expect("answered");
    let left: Vec<String> = server.say(&["KEYS", &format!("*{account}*")]);
    assert_eq!(left, [""; 0]);
    let references: Vec<String> = server.say(&["HKEYS", "{candango}:payers"]);
    assert_eq!(references, ["sub_2"]);
    assert!(!server.say::<bool>(&["EXISTS", "{candango}:erasing"]), "it has ended");
}
