//! The report of a month agrees with the gateway to the cent, also when it is made later.

use candango::billing::report::{Month, Report, Sum, TABLES};
use candango::domain::clock::UnixMillis;
use candango::store::rows::{Row, Table};
use chrono::{DateTime, NaiveDate};

use super::*;
use crate::service::{printed, printed_json, run};

fn at(text: &str) -> UnixMillis {
    UnixMillis(DateTime::parse_from_rfc3339(text).expect("a moment").timestamp_millis())
}

/// The report of a month, made at a moment.
fn report(service: &Moved, month: &str, now: UnixMillis) -> Report {
    let app = service.app.as_ref().expect("running");
    let rows = app.block_on(app.store.rows(&TABLES, None)).expect("rows");
    let day: NaiveDate = format!("{month}-01").parse().expect("a day");
    Report::of(&rows, Month::of(day).expect("a month"), now)
}

#[test]
fn a_subscription_that_cannot_be_read_is_counted() {
    let newer = [Some("acct_1"), Some("1"), Some("{\"version\":99}"), None].map(|one| one.map(str::to_owned));
    let rows = [Row(Table::Subscriptions, newer.to_vec())];
    let month = Month::of("2026-11-01".parse().expect("a day")).expect("a month");
    let report = Report::of(&rows, month, at("2026-12-03T12:00:00Z"));
    assert_eq!((report.unreadable, report.paying_accounts), (1, 0));
}

#[test]
fn a_quarter_is_reported_to_the_cent() {
    let fake = Fake::start();
    // 21 September 2026
    let mut service = Moved::start(&fake.settings());
    let (address, data) = (service.address(), service.data());
    let key = |name: &str| {
        let email = format!("{name}@x.example");
        let issued = run(&data, &["key", "issue", "--email", &email, "--plan", "free", "--json"]);
        printed_json(&issued, 0)["api_key"].as_str().expect("a key").to_owned()
    };
    let (ana, bia, caio) = (key("ana"), key("bia"), key("caio"));
    becomes(address, &caio, "free", "none");

    pay_url(&checkout(address, &ana, "pro"));
    send(address, &fake.webhook("evt_1", "PAYMENT_RECEIVED", 0));
    becomes(address, &ana, "pro", "active");
    service.sets(at("2026-09-25T12:00:00Z"));
    pay_url(&checkout(address, &bia, "gringo"));
    send(address, &fake.webhook("evt_2", "PAYMENT_RECEIVED", 1));
    becomes(address, &bia, "gringo", "active");
    let september = report(&service, "2026-09", at("2026-09-30T12:00:00Z"));

    service.sets(at("2026-10-02T12:00:00Z"));
    send(address, &fake.webhook("evt_3", "PAYMENT_REFUNDED", 1));
    becomes(address, &bia, "free", "none");
    service.sets(at("2026-10-10T12:00:00Z"));
    pay_url(&checkout(address, &caio, "business"));
    send(address, &fake.webhook("evt_4", "PAYMENT_RECEIVED", 2));
    becomes(address, &caio, "business", "active");
    // the second month, with 50 centavos for its delay
    service.sets(at("2026-10-21T12:00:00Z"));
    let mut next = fake.ledger().payments[0].clone();
    (next["id"], next["value"]) = ("pay_next".into(), json!(99.50));
    fake.ledger().payments.push(next);
    let before = paid_until(address, &ana);
    send(address, &fake.webhook("evt_5", "PAYMENT_RECEIVED", 3));
    awaited("the second month", SOON, || (paid_until(address, &ana) != before).then_some(()));
    send(address, &fake.webhook("evt_6", "PAYMENT_RECEIVED", 3));

    service.sets(at("2026-11-05T12:00:00Z"));
    send(address, &fake.webhook("evt_7", "PAYMENT_CHARGEBACK_REQUESTED", 2));
    becomes(address, &caio, "free", "none");
    let mut last = fake.ledger().payments[0].clone();
    last["id"] = "pay_last".into();
    fake.ledger().payments.push(last);
    service.sets(at("2026-11-22T12:00:00Z"));
    send(address, &fake.webhook("evt_8", "PAYMENT_OVERDUE", 4));
    // time alone makes it past due, before the worker reads the webhook
    worker_has_looked(service.ops());
    becomes(address, &ana, "pro", "past_due");
    service.sets(at("2026-11-28T12:00:00Z"));
    becomes(address, &ana, "free", "none");

    let now = at("2026-12-03T12:00:00Z");
    let sum = |count: u64, cents: u64| Sum { count, cents };
    let nothing = Sum::default();
    let mut received = 0;
    for (month, paying, new, lost, money, net) in [
        ("2026-09", 2, 2, 0, [sum(2, 9_900 + 1_990), nothing, nothing, nothing], 11_890),
        ("2026-10", 2, 1, 1, [sum(2, 9_950 + 49_900), sum(1, 1_990), nothing, nothing], 57_860),
        ("2026-11", 0, 0, 2, [nothing, nothing, sum(1, 49_900), sum(1, 9_900)], -49_900),
    ] {
        let report = report(&service, month, now);
        assert_eq!((report.paying_accounts, report.new, report.lost), (paying, new, lost), "{report:?}");
        let found = [report.received, report.refunded, report.disputed, report.failed];
        assert_eq!((found, report.net_cents, report.undated), (money, net, 0), "{report:?}");
        let of_plans: u64 = report.plans.iter().map(|plan| plan.received.cents).sum();
        assert_eq!(of_plans, report.received.cents);
        received += report.received.cents;
    }
    let at_gateway: f64 =
        fake.ledger().payments[..4].iter().map(|payment| payment["value"].as_f64().expect("an amount")).sum();
    assert_eq!(format!("{at_gateway:.2}"), format!("{}.{:02}", received / 100, received % 100));

    let later = report(&service, "2026-09", now);
    assert_eq!(
        (later.received, later.paying_accounts, later.new, later.lost),
        (september.received, september.paying_accounts, september.new, september.lost),
        "a month says the same when it is over"
    );
    let first = &september.top_customers[0];
    assert_eq!((first.email.as_deref(), first.paid_cents), (Some("ana@x.example"), 9_900));

    awaited("the end at the gateway", SOON, || (fake.subscriptions()[0]["deleted"] == true).then_some(()));
    worker_has_looked(service.ops());
    // what an erased account paid stays in the sums, without its address
    printed(&run(&data, &["account", "erase", "--email", "ana@x.example"]), 0);
    let shown = printed_json(&run(&data, &["report", "--month", "2026-09", "--json"]), 0);
    assert_eq!(shown["received"], json!({"count": 2, "cents": 11_890}), "{shown}");
    assert!(!shown.to_string().contains("ana@x.example"), "{shown}");
    let future = run(&data, &["report", "--month", "2999-01"]);
    let said = String::from_utf8_lossy(&future.stderr);
    assert!(future.status.code() == Some(1) && said.contains("2999-01 has not begun"), "{said}");
    let text = printed(&run(&data, &["report", "--month", "2026-10"]), 0);
    assert!(text.contains("R$ 598,50") && text.contains("R$ 578,60"), "{text}");
}

#[test]
fn paying_accounts_and_their_revenue_are_metrics() {
    let (fake, folder) = (Fake::start(), tempfile::tempdir().expect("a folder"));
    let service = fake.serve_on(&folder);
    let (address, key) = (service.listen, service.key("free"));
    pay(&fake, address, &key, "pro");
    drop(service);
    let service = fake.serve_on(&folder);
    awaited("the metrics", SOON, || {
        let of = |name: &str| metric(service.ops, &format!("candango_{name}{{plan=\"pro\"}}"));
        (of("paying_accounts") == 1 && of("revenue_month_centavos") == 9_900).then_some(())
    });
    assert_eq!(metric(service.ops, "candango_paying_accounts{plan=\"gringo\"}"), 0);
}
