//! What was acknowledged outlives any death of the process, and no death lets a call too many through.

use std::collections::HashMap;
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use candango::config::StoreSpec;
use candango::domain::account::Email;
use candango::domain::api_key::ApiKey;
use candango::domain::clock::Clock;
use candango::domain::plan::Plan;
use candango::quota::keys;
use candango::store::{self, Store};
use rand::RngExt;
use serde_json::{Value, json};

use crate::service::{Answer, Service, read, request};

/// How often the server is killed.
const ROUNDS: usize = 200;

/// What a month allows here, and the most that one process holds of it at once.
const QUOTA: usize = 100;
const LEASE: usize = 100 - 1;

/// Posts on a connection of its own; none when the server died first.
fn post(door: SocketAddr, path: &str, key: Option<&str>, body: &Value) -> Option<Answer> {
    use std::io::Write;
    let mut stream = TcpStream::connect(door).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(20))).ok()?;
    let headers: Vec<(&str, &str)> = key.map(|key| ("x-api-key", key)).into_iter().collect();
    stream.write_all(&request("POST", path, &headers, body.to_string().as_bytes())).ok()?;
    read(&mut stream, false)
}

/// Everything that was acknowledged so far.
#[derive(Default)]
struct Acknowledged {
    sign_ups: Vec<String>,
    /// Keys that gave way.
    dead: Vec<ApiKey>,
    /// The live key; unknown after a rotation that was cut off.
    live: Option<ApiKey>,
    /// Keys that were made by rotations that were cut off: they live, and nobody has them.
    lost: usize,
    plan: Option<Plan>,
}

#[test]
fn what_was_acknowledged_outlives_two_hundred_deaths() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let clock = Clock::machine();
    let spec = StoreSpec::Sqlite(data.join("candango.db"));
    // the test writes beside the server, as the command line does
    let store = store::open::store(&spec, &data, Duration::from_secs(15)).expect("a store");
    let issue = |address: &str, plan: Plan| {
        let issued =
            runtime.block_on(keys::issue(&*store, &clock, address.parse().expect("an address"), plan));
        issued.expect("a key")
    };
    let rotor = issue("rotor@example.com", Plan::Pro);
    let mut known = Acknowledged { live: Some(rotor.key), ..Acknowledged::default() };
    let month = format!("plans.gringo.per_month={QUOTA}");
    let settings = [
        month.as_str(),
        "plans.gringo.per_minute=1000000",
        "plans.business.per_minute=1000000",
        "signup.per_ip_hour=1000000",
        "signup.per_ip_day=1000000",
    ];
    let mut spent: HashMap<String, usize> = HashMap::new();

    let mut service = Service::start_on_with(&data, &settings);
    for round in 0..ROUNDS {
        let door = service.listen;
        let quota_key = issue(&format!("quota{round}@example.com"), Plan::Gringo).key.reveal().to_owned();
        let mut live = known.live.take().expect("a live key");
        let plan = [Plan::Free, Plan::Gringo, Plan::Pro, Plan::Business][round % 4];
        thread::scope(|scope| {
            let signing = scope.spawn(move || {
                let mut done = Vec::new();
                for number in 0.. {
                    let address = format!("new{round}.{number}@example.com");
                    match post(door, "/v1/signup", None, &json!({ "email": address })) {
                        Some(answer) if answer.status == 200 => done.push(address),
                        Some(answer) => panic!("{}", answer.text()),
                        None => break,
                    }
                }
                done
            });
            let rotating = scope.spawn(move || {
                let mut dead = Vec::new();
                loop {
                    match post(door, "/v1/keys/rotate", Some(live.reveal()), &json!({})) {
                        Some(answer) if answer.status == 200 => {
                            let new =
                                answer.json()["api_key"].as_str().map(|key| ApiKey::parse(key.as_bytes()));
                            dead.push(std::mem::replace(&mut live, new.flatten().expect("a key")));
                        }
                        Some(answer) => panic!("{}", answer.text()),
                        None => return (dead, live),
                    }
                }
            });
            let key = quota_key.clone();
            let calling = scope.spawn(move || {
                let body = json!({"action": "search_places", "limit": 1});
                let mut good = 0;
                while let Some(answer) = post(door, "/v1", Some(&key), &body) {
                    good += usize::from(answer.status == 200);
                    thread::sleep(Duration::from_millis(1));
                }
                good
            });
            let acknowledged = runtime.block_on(store.set_plan(&rotor.account.id, plan)).expect("a plan");
            assert!(acknowledged);
            known.plan = Some(plan);
            thread::sleep(Duration::from_millis(rand::rng().random_range(5..120)));
            service.kill();
            known.sign_ups.extend(signing.join().expect("sign-ups"));
            let (dead, last) = rotating.join().expect("rotations");
            known.dead.extend(dead);
            known.live = Some(last);
            spent.insert(quota_key, calling.join().expect("calls"));
        });
        let again = runtime.block_on(verify(&store, &mut known, &rotor.account.email));
        if again {
            known.live = Some(issue("rotor@example.com", plan).key);
        }
        service = Service::start_on_with(&data, &settings);
    }
    // each quota was cut by one death: what is left of it can be had, but for the lease that died
    for (key, before) in spent.iter().take(40) {
        let body = json!({"action": "search_places", "limit": 1});
        let mut all = *before;
        while service.ask(key, body.clone()).status == 200 {
            all += 1;
        }
        assert!(all <= QUOTA && all + LEASE >= QUOTA, "{all} of {QUOTA}, {before} of them before a death");
    }
    println!(
        "{} sign-ups, {} rotations and {ROUNDS} changes of plan were there after {ROUNDS} deaths",
        known.sign_ups.len(),
        known.dead.len()
    );
    assert!(known.sign_ups.len() > ROUNDS && known.dead.len() > ROUNDS, "there was a load");
}

/// Looks for everything that was acknowledged of late; true when the last rotation was cut off after its commit, so
/// that nobody knows the live key.
async fn verify(store: &Arc<dyn Store>, known: &mut Acknowledged, rotor: &Email) -> bool {
    for address in known.sign_ups.iter().rev().take(50) {
        let account = store.account(&address.parse().expect("an address")).await.expect("an answer");
        assert!(account.is_some(), "{address} had been told to look for mail");
    }
    for key in known.dead.iter().rev().take(50) {
        assert_eq!(
            store.account_of_key(key.hash()).await.expect("an answer"),
            None,
            "a key that gave way came back"
        );
    }
    let account = store.account(rotor).await.expect("an answer").expect("the account");
    assert_eq!(Some(account.plan), known.plan);
    let live = known.live.as_ref().expect("a key");
    if store.account_of_key(live.hash()).await.expect("an answer").is_some() {
        return false;
    }
    // the one after it was committed and not told: then there is one live key more that nobody has
    known.lost += 1;
    let keys = store.keys(&account.id).await.expect("keys");
    assert_eq!(keys.iter().filter(|key| key.revoked_at.is_none()).count(), known.lost);
    true
}
