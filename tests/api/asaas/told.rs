//! What operators are told of the gateway: in the log, and in the audit log.

use super::fake::Fault;
use super::{SOON, checkout, pay, start, unavailable};
use crate::mail::awaited;
use crate::service::{Service, free_port, printed_json, run};

#[test]
fn the_log_says_why_the_gateway_fails_and_that_the_cause_has_changed() {
    let (fake, service, address, key) = start();
    // another cause is looked for once a second
    let fails = |fault: u16, told: &str| {
        awaited(told, SOON, || {
            fake.fails("POST /v3/subscriptions", Fault::Before(fault));
            unavailable(&checkout(address, &key, "pro"));
            service.log().contains(told).then_some(())
        });
    };
    fails(401, "with status 401");
    fails(500, "now for another reason");
    assert!(
        service.logged("it answered with status 500").contains("orders cannot be created at the gateway")
    );

    let closed = format!("asaas.url=http://127.0.0.1:{}", free_port());
    let settings: Vec<String> =
        fake.settings().into_iter().filter(|one| !one.starts_with("asaas.url")).collect();
    let settings: Vec<&str> = settings.iter().map(String::as_str).chain([closed.as_str()]).collect();
    let service = Service::start_with(&settings);
    let key = service.key("free");
    unavailable(&checkout(service.listen, &key, "pro"));
    assert!(service.logged("orders cannot be created").contains("onnection refused"), "{}", service.log());
}

#[test]
fn the_audit_log_tells_what_was_tried_from_what_was_done() {
    let (fake, service, address, key) = start();
    pay(&fake, address, &key, "pro");
    let data = service.data.clone();
    let account = |words: &[&str], settings: &[String]| {
        let set = settings.iter().flat_map(|setting| ["--set", setting]);
        let words = [&["account"][..], words, &["--email", "free@b.c"]].concat();
        run(&data, &words.into_iter().chain(set).collect::<Vec<_>>()).status.code()
    };
    let told = || {
        let log = printed_json(&run(&data, &["audit", "--json"]), 0);
        let entries = log.as_array().expect("a list").iter();
        let of_gateway = entries
            .filter(|entry| entry["action"] == "account cancel" || entry["action"] == "account refund")
            .map(|entry| entry["detail"].as_str().expect("a text").to_owned());
        of_gateway.collect::<Vec<_>>()
    };
    let sandbox = ["payments=sandbox".to_owned()];
    assert_eq!(account(&["cancel"], &sandbox), Some(1));
    assert_eq!(account(&["refund", "--charge", "pay_none"], &fake.settings()), Some(1));
    let failed = told();
    assert_eq!(
        (failed[0].as_str(), failed[2].as_str()),
        ("to cancel the subscription", "to refund pay_none")
    );
    assert!(failed[1].starts_with("failed") && failed[1].contains("another payment gateway"), "{failed:?}");
    assert!(failed[3].starts_with("failed") && failed[3].contains("no such paid charge"), "{failed:?}");

    assert_eq!(account(&["refund"], &fake.settings()), Some(0));
    assert_eq!(account(&["cancel"], &fake.settings()), Some(0));
    let done = &told()[4..];
    assert_eq!(
        (done[0].as_str(), done[2].as_str()),
        ("to refund the charge paid last", "to cancel the subscription")
    );
    assert!(done[1].starts_with("the gateway refunds pay_"), "{done:?}");
    assert_eq!((done[3].as_str(), done.len()), ("the subscription is canceled", 4));
}
