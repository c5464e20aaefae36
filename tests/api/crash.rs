//! Acknowledged writes survive any crash of the process, and no crash lets calls above the quota through.

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
use candango::quota::issue;
use candango::store::{self, Store};
use rand::RngExt;
use serde_json::{Value, json};

use crate::service::{Answer, Service, read, request};

/// How often the server is killed.
const ROUNDS: usize = 200;

/// The monthly quota, and the most that one process holds of it at once.
const QUOTA: usize = 100;
const LEASE: usize = 100 - 1;

/// Posts on a new connection; `None` when the server was killed first.
fn post(server: SocketAddr, path: &str, key: Option<&str>, body: &Value) -> Option<Answer> {
    use std::io::Write;
    let mut stream = TcpStream::connect(server).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(20))).ok()?;
    let headers: Vec<(&str, &str)> = key.map(|key| ("x-api-key", key)).into_iter().collect();
    stream.write_all(&request("POST", path, &headers, body.to_string().as_bytes())).ok()?;
    read(&mut stream, false)
}

/// Everything acknowledged so far.
#[derive(Default)]
struct Acknowledged {
    sign_ups: Vec<String>,
    /// Keys that were replaced.
    replaced: Vec<ApiKey>,
    /// The live key; unknown after an interrupted rotation.
    live: Option<ApiKey>,
    /// How many keys interrupted rotations left, which are live and known to nobody.
    lost: usize,
    plan: Option<Plan>,
}

#[test]
#[ignore = "long: two hundred crashes"]
fn acknowledged_writes_survive_two_hundred_crashes() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let clock = Clock::machine();
    let spec = StoreSpec::Sqlite(data.join("candango.db"));
    // the test writes beside the server, as the command line does
    let store = store::open::store(&spec, &data, Duration::from_secs(15)).expect("a store");
    let issue = |address: &str, plan: Plan| {
        let issued =
            runtime.block_on(issue::issue(&*store, &clock, address.parse().expect("an address"), Some(plan)));
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
        let server = service.listen;
        let quota_key = issue(&format!("quota{round}@example.com"), Plan::Gringo).key.reveal().to_owned();
        let mut live = known.live.take().expect("a live key");
        let plan = [Plan::Free, Plan::Gringo, Plan::Pro, Plan::Business][round % 4];
        thread::scope(|scope| {
            // each takes 50 ms at least
            let signing: Vec<_> = (0..8)
                .map(|client| {
                    scope.spawn(move || {
                        let mut done = Vec::new();
                        for number in 0.. {
                            let address = format!("new{round}.{client}.{number}@example.com");
                            match post(server, "/v1/signup", None, &json!({ "email": address })) {
                                Some(answer) if answer.status == 200 => done.push(address),
                                Some(answer) => panic!("{}", answer.text()),
                                None => break,
                            }
                        }
                        done
                    })
                })
                .collect();
            let rotating = scope.spawn(move || {
                let mut replaced = Vec::new();
                loop {
                    match post(server, "/v1/keys/rotate", Some(live.reveal()), &json!({})) {
                        Some(answer) if answer.status == 200 => {
                            let new =
                                answer.json()["api_key"].as_str().map(|key| ApiKey::parse(key.as_bytes()));
                            replaced.push(std::mem::replace(&mut live, new.flatten().expect("a key")));
                        }
                        Some(answer) => panic!("{}", answer.text()),
                        None => return (replaced, live),
                    }
                }
            });
            let key = quota_key.clone();
            let calling = scope.spawn(move || {
                let body = json!({"action": "search_places", "limit": 1});
                let mut good = 0;
                while let Some(answer) = post(server, "/v1", Some(&key), &body) {
                    good += usize::from(answer.status == 200);
                    thread::sleep(Duration::from_millis(1));
                }
                good
            });
            let acknowledged = runtime
                .block_on(store.set_plan(
                    &rotor.account.id,
                    plan,
                    &crate::store::mail_id(),
                    candango::domain::clock::UnixMillis(1_000),
                ))
                .expect("a plan");
            assert!(acknowledged);
            known.plan = Some(plan);
            thread::sleep(Duration::from_millis(rand::rng().random_range(5..120)));
            service.kill();
            known.sign_ups.extend(signing.into_iter().flat_map(|client| client.join().expect("sign-ups")));
            let (replaced, last) = rotating.join().expect("rotations");
            known.replaced.extend(replaced);
            known.live = Some(last);
            spent.insert(quota_key, calling.join().expect("calls"));
        });
        let again = runtime.block_on(verify(&store, &mut known, &rotor.account.email));
        if again {
            known.live = Some(issue("rotor@example.com", plan).key);
        }
        service = Service::start_on_with(&data, &settings);
    }
    // one crash interrupted each quota: all of it can be used, except the lease that was lost
    for (key, before) in spent.iter().take(40) {
        let body = json!({"action": "search_places", "limit": 1});
        let mut all = *before;
        while service.ask(key, body.clone()).status == 200 {
            all += 1;
        }
        assert!(all <= QUOTA && all + LEASE >= QUOTA, "{all} of {QUOTA}, {before} of them before a crash");
    }
    println!(
        "{} sign-ups, {} rotations and {ROUNDS} changes of plan survived {ROUNDS} crashes",
        known.sign_ups.len(),
        known.replaced.len()
    );
    assert!(known.sign_ups.len() > ROUNDS && known.replaced.len() > ROUNDS, "there was a load");
}

/// Checks what was acknowledged recently; true when the last rotation was interrupted after its commit, so that nobody
/// knows the live key.
async fn verify(store: &Arc<dyn Store>, known: &mut Acknowledged, rotor: &Email) -> bool {
    for address in known.sign_ups.iter().rev().take(50) {
        let account = store.account(&address.parse().expect("an address")).await.expect("an answer");
        assert!(account.is_some(), "the sign-up of {address} was acknowledged");
    }
    for key in known.replaced.iter().rev().take(50) {
        assert_eq!(
            store.account_of_key(key.hash()).await.expect("an answer"),
            None,
            "a replaced key is valid again"
        );
    }
    let account = store.account(rotor).await.expect("an answer").expect("the account");
    assert_eq!(Some(account.plan), known.plan);
    let live = known.live.as_ref().expect("a key");
    if store.account_of_key(live.hash()).await.expect("an answer").is_some() {
        return false;
    }
    // the rotation was committed and not answered: one more live key that nobody has
    known.lost += 1;
    let keys = store.keys(&account.id).await.expect("keys");
    assert_eq!(keys.iter().filter(|key| key.revoked_at.is_none()).count(), known.lost);
    true
}
