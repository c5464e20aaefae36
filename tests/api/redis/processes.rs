//! Processes that end, are slow, or outlive a step of the clock of Redis, and what the others may know of them.

use super::*;

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
    store.erase(&account, None, UnixMillis(2_000)).await.expect("answered").expect("erased");
    let reported = holder.ask(&*store, 0).await;
    assert_eq!(reported, Grant { granted: 7, others_used: 0, others_granted: 0, others_lost: 0 });
    let left: Vec<String> = server.say(&["KEYS", &format!("*{account}*")]);
    assert_eq!(left, [""; 0]);
}
