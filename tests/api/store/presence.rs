//! Changes reach every process, and the key cache follows them.

use super::*;

pub(super) async fn the_process_that_changes_keys_has_handled_the_change_when_it_is_answered(place: Place) {
    let (store, received) = place.serving().await;
    let Issued { account, key } = issued(&*store, "a@b.c", Plan::Free).await;
    let change = Change::Account(account.id.clone());
    let handled = || {
        let handled = received.has(&change);
        received.clear();
        handled
    };
    assert!(handled(), "issued");
    assert!(store.set_plan(&account.id, Plan::Pro, &mail_id(), UnixMillis(1_000)).await.expect("answered"));
    assert!(handled(), "plan set");
    let wanted = replacement(&account.id, Some(key.hash()));
    let new = wanted.new.hash;
    assert!(store.replace_keys(wanted).await.expect("answered"));
    assert!(handled(), "replaced");
    assert!(store.revoke_key(new, UnixMillis(2_500)).await.expect("answered").is_some());
    assert!(handled(), "revoked");
    store.save_code(&account.id, code(1)).await.expect("saved");
    assert!(redeem(&*store, redemption("a@b.c", 1)).await.is_some());
    assert!(handled(), "redeemed");
}

pub(super) async fn a_serving_process_receives_changes_of_others_within_a_second(place: Place) {
    let (_server, received) = place.serving().await;
    let command = place.open();
    let Issued { account, key } = issued(&*command, "a@b.c", Plan::Free).await;
    let change = Change::Account(account.id.clone());
    let receives = async || {
        within_a_second(true, async || received.has(&change) || received.has(&Change::Everything)).await;
        received.clear();
    };
    receives().await;
    command.set_plan(&account.id, Plan::Pro, &mail_id(), UnixMillis(1_000)).await.expect("answered");
    receives().await;
    command.revoke_key(key.hash(), UnixMillis(0)).await.expect("answered");
    receives().await;
}

pub(super) async fn a_serving_process_is_trusted_and_healthy(place: Place) {
    let (store, _) = place.serving().await;
    for _ in 0..20 {
        assert!(store.is_trusted());
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    store.refresh().await.expect("refreshed");
    store.health().expect("healthy");
    store.recall(&AccountId::from_stored("acct_1".to_owned())).await.expect("recalled");
}

/// The key cache of a process.
pub(super) fn keys_on(store: &Arc<dyn Store>, metrics: &Metrics) -> Arc<Keys> {
    let background = tokio::runtime::Handle::current();
    let meter = Quota::new(store.clone(), Clock::machine(), background, metrics.leases.clone());
    Arc::new(Keys::new(store.clone(), Arc::new(meter), metrics.keys.clone()))
}

/// The plan of the account of a key.
pub(super) async fn plan_of(keys: &Keys, key: &[u8]) -> Result<Plan, ApiError> {
    keys.caller(key).await.map(|caller| caller.account.plan)
}

#[tokio::test]
async fn cached_keys_follow_other_processes_within_a_second() {
    let place = Place::sqlite();
    let (server, command) = (place.open(), place.open());
    let keys = keys_on(&server, &Metrics::new());
    server.register(keys.listener()).await.expect("registered");
    let plan = async |key: &ApiKey| plan_of(&keys, key.reveal().as_bytes()).await;

    let Issued { account, key } = issued(&*command, "a@b.c", Plan::Free).await;
    assert_eq!(plan(&key).await, Ok(Plan::Free), "an unknown key is looked up, so it works at once");
    command.set_plan(&account.id, Plan::Pro, &mail_id(), UnixMillis(1_000)).await.expect("answered");
    within_a_second(Ok(Plan::Pro), async || plan(&key).await).await;
    command.revoke_key(key.hash(), UnixMillis(0)).await.expect("answered");
    within_a_second(Err(ApiError::InvalidKey), async || plan(&key).await).await;
}

#[tokio::test]
async fn cached_keys_follow_this_process_at_once() {
    let place = Place::sqlite();
    let store = place.open();
    let keys = keys_on(&store, &Metrics::new());
    store.register(keys.listener()).await.expect("registered");
    let Issued { account, key } = issued(&*store, "a@b.c", Plan::Free).await;
    let plan = async || plan_of(&keys, key.reveal().as_bytes()).await;
    assert_eq!(plan().await, Ok(Plan::Free));
    store.set_plan(&account.id, Plan::Gringo, &mail_id(), UnixMillis(1_000)).await.expect("answered");
    assert_eq!(plan().await, Ok(Plan::Gringo));
    store.revoke_key(key.hash(), UnixMillis(0)).await.expect("answered");
    assert_eq!(plan().await, Err(ApiError::InvalidKey));
}

#[tokio::test]
async fn a_key_is_looked_up_once_and_a_malformed_one_never() {
    let place = Place::sqlite();
    let store = place.open();
    let metrics = Metrics::new();
    let keys = keys_on(&store, &metrics);
    let Issued { key, .. } = issued(&*store, "a@b.c", Plan::Free).await;
    let unknown = ApiKey::generate().expect("a key");
    let mistyped = key.reveal().replace("cdg_live_", "cdg_test_");
    for _ in 0..3 {
        assert!(plan_of(&keys, key.reveal().as_bytes()).await.is_ok());
        assert_eq!(plan_of(&keys, unknown.reveal().as_bytes()).await, Err(ApiError::InvalidKey));
        assert_eq!(plan_of(&keys, mistyped.as_bytes()).await, Err(ApiError::InvalidKey));
        assert_eq!(plan_of(&keys, b"").await, Err(ApiError::InvalidKey));
    }
    assert_eq!(metrics.keys.misses.get(), 2, "one for the key, one for the unknown key");
    assert_eq!(metrics.keys.hits.get(), 4);
}
