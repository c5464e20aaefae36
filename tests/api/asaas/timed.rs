//! Billing over days and months: the service runs in this process, with a clock that the tests set.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use candango::app::App;
use candango::config::{Config, Override};
use candango::domain::clock::{Clock, UnixMillis, day_of, month_after};
use candango::log_lines::LogLines;
use candango::service_manager::Sockets;
use serde_json::json;
use tempfile::TempDir;

use super::fake::{Fake, Fault};
use super::{
    SOON, becomes, checkout, paid_until, pay, plan_and_status, post, send, unavailable, worker_has_looked,
};
use crate::billing::pay_url;
use crate::mail::{Mail, awaited, mails};
use crate::service::{exchange, printed, request, run};

/// The service in this process, with a clock that tests set.
pub(crate) struct Moved {
    pub(crate) app: Option<App>,
    clock: Clock,
    now: UnixMillis,
    folder: TempDir,
}

const DAY: i64 = 24 * 60 * 60 * 1000;

impl Moved {
    pub(crate) fn start(settings: &[String]) -> Moved {
        let folder = tempfile::tempdir().expect("a folder");
        let now = UnixMillis(1_790_000_000_000);
        let clock = Clock::standing_at(now);
        let data = format!("data={}", folder.path().join("data").display());
        // with a stopped clock the minute never ends
        let patient = ["plans.free.per_minute=1000000", "signup.owner_calls_per_minute=1000000"];
        let free = ["listen=127.0.0.1:0", "ops_listen=127.0.0.1:0", "limits.workers=1", &data];
        let flags: Vec<Override> = settings
            .iter()
            .map(String::as_str)
            .chain(free)
            .chain(patient)
            .map(|said| {
                let (setting, value) = said.split_once('=').expect("a setting");
                let (setting, value) = (setting.to_owned(), value.to_owned());
                Override { origin: "the test".to_owned(), setting, value }
            })
            .collect();
        let start = || {
            let config = Config::load(None, [], &flags).expect("settings");
            let lines = LogLines::to_standard_error().expect("a thread");
            App::start(config, clock.clone(), &lines, Sockets::default())
        };
        // another process may take a port between its choice and its use
        let app = (1..5).fold(start(), |tried, _| tried.or_else(|_| start())).expect("a service");
        app.accept();
        Moved { app: Some(app), clock, now, folder }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.app.as_ref().expect("running").config.listen
    }

    /// Its data folder.
    pub(crate) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    pub(crate) fn ops(&self) -> SocketAddr {
        self.app.as_ref().expect("running").config.ops_listen
    }

    /// The time that was set last.
    pub(crate) fn now(&self) -> UnixMillis {
        self.now
    }

    pub(crate) fn sets(&mut self, now: UnixMillis) {
        self.now = now;
        self.clock.set(now);
    }

    /// A key by mail.
    pub(crate) fn key(&self) -> String {
        assert_eq!(post(self.address(), "/v1/signup", &[], &json!({"email": "a@b.c"})).status, 200);
        awaited("the key", SOON, || self.mails().iter().find_map(Mail::key))
    }

    pub(crate) fn mails(&self) -> Vec<Mail> {
        mails(&self.folder.path().join("data/outbox"))
    }

    fn awaits_mail(&self, words: &str) {
        awaited(words, SOON, || self.mails().iter().any(|mail| mail.body.contains(words)).then_some(()));
    }
}

impl Drop for Moved {
    fn drop(&mut self) {
        if let Some(app) = self.app.take() {
            app.stop();
        }
    }
}

#[test]
fn a_canceled_plan_ends_with_its_month() {
    let mut service = Moved::start(&[]);
    let (address, key) = (service.address(), service.key());
    let url = pay_url(&checkout(address, &key, "pro"));
    pay_in_sandbox(address, &url);
    becomes(address, &key, "pro", "active");
    service.awaits_mail("We have your payment");
    assert_eq!(paid_until(address, &key), month_after(service.now).to_string());
    service.sets(UnixMillis(service.now.0 + 10 * DAY));
    let canceled =
        post(address, "/v1/billing/cancel", &[("x-api-key", &key)], &json!({"confirm": "yes"})).json();
    assert_eq!(canceled["ends_at"], month_after(UnixMillis(1_790_000_000_000)).to_string());
    service.awaits_mail("was canceled");
    service.sets(UnixMillis(month_after(UnixMillis(1_790_000_000_000)).0 - 1));
    worker_has_looked(service.ops());
    assert_eq!(plan_and_status(address, &key), ("pro".to_owned(), "canceled".to_owned()));
    service.sets(month_after(UnixMillis(1_790_000_000_000)));
    becomes(address, &key, "free", "none");
    service.awaits_mail("paid plan of");
    // and can be ordered again
    assert_ne!(pay_url(&checkout(address, &key, "pro")), url);
}

#[test]
fn a_plan_that_is_not_paid_again_ends_after_three_days_and_charges_no_more() {
    let fake = Fake::start();
    let mut service = Moved::start(&fake.settings());
    let (address, key) = (service.address(), service.key());
    pay(&fake, address, &key, "pro");
    let month = month_after(service.now);
    service.sets(UnixMillis(month.0 - DAY));
    let next = next_charge(&fake, 0, month);
    send(address, &fake.webhook("evt_2", "PAYMENT_OVERDUE", next));
    becomes(address, &key, "pro", "past_due");
    service.awaits_mail("is overdue");
    service.sets(UnixMillis(month.0 + 3 * DAY - 1));
    worker_has_looked(service.ops());
    assert_eq!(plan_and_status(address, &key), ("pro".to_owned(), "past_due".to_owned()));
    service.sets(UnixMillis(month.0 + 3 * DAY));
    becomes(address, &key, "free", "none");
    awaited("the end", SOON, || (fake.subscriptions()[0]["deleted"] == true).then_some(()));
    service.awaits_mail("paid plan of");
}

/// Makes the charge that follows another one of the gateway, due on the day of a moment; returns its place.
fn next_charge(fake: &Fake, after: usize, due: UnixMillis) -> usize {
    let mut ledger = fake.ledger();
    let mut next = ledger.payments[after].clone();
    (next["id"], next["status"], next["dueDate"]) =
        ("pay_next".into(), "PENDING".into(), day_of(due).to_string().into());
    ledger.payments.push(next);
    ledger.payments.len() - 1
}

/// How often the gateway was told to move a charge.
fn moves(fake: &Fake) -> usize {
    fake.ledger().calls.iter().filter(|(call, _)| call.starts_with("PUT ")).count()
}

/// The day on which the paid time of a key's account ends.
fn paid_day(address: SocketAddr, key: &str) -> String {
    let until = paid_until(address, key);
    let until = chrono::DateTime::parse_from_rfc3339(until.as_str().expect("a moment")).expect("a moment");
    day_of(UnixMillis(until.timestamp_millis())).to_string()
}

#[test]
fn after_a_change_of_plan_the_gateway_charges_next_when_the_paid_time_ends() {
    let fake = Fake::start();
    let mut service = Moved::start(&fake.settings());
    let (address, key) = (service.address(), service.key());
    pay(&fake, address, &key, "pro");
    let month = month_after(service.now);
    // a month of Pro is worth almost five of Gringo, and the gateway makes charges a month ahead
    pay_url(&checkout(address, &key, "gringo"));
    let early = next_charge(&fake, 1, month);
    let overdue = fake.webhook("evt_2", "PAYMENT_OVERDUE", early);
    for _ in 0..3 {
        fake.fails("DELETE /v3/payments/pay_next", Fault::Before(500));
        fake.fails("PUT /v3/subscriptions/sub_1", Fault::Before(500));
    }
    send(address, &fake.webhook("evt_3", "PAYMENT_RECEIVED", 1));
    becomes(address, &key, "gringo", "active");
    let ends = paid_day(address, &key);
    assert!(ends > day_of(month_after(month_after(month))).to_string(), "{ends}");

    // while the gateway fails, a charge that the plan does not need is not missed
    send(address, &overdue);
    worker_has_looked(service.ops());
    assert_eq!(plan_and_status(address, &key), ("gringo".to_owned(), "active".to_owned()));
    assert!(!service.mails().iter().any(|mail| mail.body.contains("is overdue")));
    service.sets(UnixMillis(service.now.0 + 5 * 60_000));
    awaited("the move", SOON, || (fake.subscriptions()[1]["nextDueDate"] == ends.as_str()).then_some(()));
    awaited("the end of the early charge", SOON, || {
        (!fake.ledger().payments.iter().any(|charge| charge["id"] == "pay_next")).then_some(())
    });
    let moved = moves(&fake);
    service.sets(UnixMillis(service.now.0 + 2 * DAY));
    worker_has_looked(service.ops());
    assert_eq!(moves(&fake), moved, "once it is moved, it stays");
    assert_eq!(plan_and_status(address, &key), ("gringo".to_owned(), "active".to_owned()));

    // the payment that bought the rest goes back: the next charge comes earlier again
    send(address, &fake.webhook("evt_4", "PAYMENT_REFUNDED", 0));
    awaited("the end of the credit", SOON, || (paid_day(address, &key) < ends).then_some(()));
    service.sets(UnixMillis(service.now.0 + 5 * 60_000));
    let ends = paid_day(address, &key);
    awaited("the move back", SOON, || {
        (fake.subscriptions()[1]["nextDueDate"] == ends.as_str()).then_some(())
    });
}

#[test]
fn a_move_that_the_gateway_refuses_is_not_repeated_and_holds_nothing_up() {
    let fake = Fake::start();
    let mut service = Moved::start(&fake.settings());
    let (address, key) = (service.address(), service.key());
    pay(&fake, address, &key, "pro");
    pay_url(&checkout(address, &key, "gringo"));
    fake.fails("PUT /v3/subscriptions/sub_1", Fault::Before(422));
    send(address, &fake.webhook("evt_3", "PAYMENT_RECEIVED", 1));
    becomes(address, &key, "gringo", "active");
    awaited("the attempt", SOON, || (moves(&fake) == 1).then_some(()));
    service.sets(UnixMillis(service.now.0 + 2 * DAY));
    worker_has_looked(service.ops());
    assert_eq!(
        (moves(&fake), plan_and_status(address, &key)),
        (1, ("gringo".to_owned(), "active".to_owned()))
    );
}

#[test]
fn a_plan_that_is_paid_every_month_is_charged_as_it_was_ordered() {
    let fake = Fake::start();
    let mut service = Moved::start(&fake.settings());
    let (address, key) = (service.address(), service.key());
    pay(&fake, address, &key, "pro");
    let month = month_after(service.now);
    let next = next_charge(&fake, 0, month);
    service.sets(UnixMillis(month.0 + 2 * DAY));
    send(address, &fake.webhook("evt_2", "PAYMENT_RECEIVED", next));
    let late = month_after(service.now).to_string();
    awaited("the month", SOON, || (paid_until(address, &key) == late.as_str()).then_some(()));
    service.sets(UnixMillis(service.now.0 + DAY));
    worker_has_looked(service.ops());
    assert_eq!(moves(&fake), 0, "a few days are no reason");
}

#[test]
fn a_clock_that_is_not_the_gateways_ends_no_paid_plan() {
    let fake = Fake::start();
    let mut service = Moved::start(&fake.settings());
    let (address, key) = (service.address(), service.key());
    let right = service.now;
    fake.ledger().clock = Some(right);
    pay(&fake, address, &key, "pro");
    service.sets(UnixMillis(right.0 + 45 * DAY));
    // of the next month, and not yet paid: a webhook ends nothing either
    let mut next = fake.ledger().payments[0].clone();
    (next["id"], next["status"]) = ("pay_next".into(), "PENDING".into());
    fake.ledger().payments.push(next);
    send(address, &fake.webhook("evt_2", "PAYMENT_CREATED", 1));
    worker_has_looked(service.ops());
    assert_eq!(plan_and_status(address, &key).0, "pro");
    assert_eq!(fake.subscriptions()[0]["deleted"], false);
    // once the clock is right it is polled at once, and not only in 45 days
    fake.ledger().payments[0]["status"] = "REFUNDED".into();
    service.sets(right);
    becomes(address, &key, "free", "none");
}

#[test]
fn a_paid_plan_that_a_wrong_clock_ended_comes_back_when_the_clock_is_right() {
    let mut service = Moved::start(&[]);
    let (address, key) = (service.address(), service.key());
    let right = service.now;
    pay_in_sandbox(address, &pay_url(&checkout(address, &key, "pro")));
    becomes(address, &key, "pro", "active");
    service.sets(UnixMillis(right.0 + 45 * DAY));
    becomes(address, &key, "free", "none");
    worker_has_looked(service.ops());
    service.sets(right);
    becomes(address, &key, "pro", "canceled");
}

#[test]
fn a_granted_plan_that_a_wrong_clock_ended_comes_back_when_the_clock_is_right() {
    let mut service = Moved::start(&[]);
    let (address, key) = (service.address(), service.key());
    let right = service.now;
    // the command goes by the clock of the machine
    let until = UnixMillis(right.0.max(Clock::machine().now().0) + 30 * DAY);
    let day = day_of(until).to_string();
    let grant =
        ["account", "grant", "--email", "a@b.c", "--plan", "pro", "--until", &day, "--reason", "a school"];
    printed(&run(&service.data(), &grant), 0);
    becomes(address, &key, "pro", "none");
    service.sets(UnixMillis(until.0 + 370 * DAY));
    becomes(address, &key, "free", "none");
    worker_has_looked(service.ops());
    service.sets(right);
    becomes(address, &key, "pro", "none");
}

#[test]
fn a_payment_that_comes_while_the_clock_is_set_back_pays_for_a_whole_month() {
    let mut service = Moved::start(&[]);
    let (address, key) = (service.address(), service.key());
    let right = service.now;
    let url = pay_url(&checkout(address, &key, "pro"));
    service.sets(UnixMillis(right.0 - 40 * DAY));
    pay_in_sandbox(address, &url);
    becomes(address, &key, "pro", "active");
    service.sets(right);
    worker_has_looked(service.ops());
    assert_eq!(plan_and_status(address, &key), ("pro".to_owned(), "active".to_owned()));
    assert_eq!(paid_until(address, &key), month_after(right).to_string());
}

/// Presses the button that pays.
fn pay_in_sandbox(address: SocketAddr, url: &str) {
    let path = &url[url.find("/sandbox").expect("a page")..];
    assert_eq!(exchange(address, &request("POST", path, &[], b"do=pay")).status, 303);
}

#[test]
fn a_duplicate_subscription_is_canceled_and_its_payment_counts() {
    let fake = Fake::start();
    let mut service = Moved::start(&fake.settings());
    let (address, key) = (service.address(), service.key());
    let url = pay_url(&checkout(address, &key, "pro"));
    // a request that timed out takes effect long after
    let mut late = fake.subscriptions().remove(0);
    late["id"] = "sub_late".into();
    fake.ledger().subscriptions.push(late);
    service.sets(UnixMillis(service.now.0 + 2 * 60_000));
    awaited("the end of the duplicate", SOON, || (fake.subscriptions()[1]["deleted"] == true).then_some(()));
    assert_eq!(fake.subscriptions()[0]["deleted"], false);
    assert_eq!(pay_url(&checkout(address, &key, "pro")), url);

    // events of the duplicate are not those of the order, unless money moves
    let of_duplicate = |id: &str, event: &str| {
        let mut notice = fake.webhook(id, event, 0);
        (notice["payment"]["id"], notice["payment"]["subscription"]) = ("pay_0".into(), "sub_late".into());
        (notice["payment"]["invoiceUrl"], notice["payment"]["dueDate"]) =
            ("https://x.y".into(), "2000-01-01".into());
        notice
    };
    send(address, &of_duplicate("evt_1", "PAYMENT_CREATED"));
    let gone = json!({"id": "sub_late", "externalReference": fake.subscriptions()[0]["externalReference"]});
    send(address, &json!({"id": "evt_2", "event": "SUBSCRIPTION_DELETED", "subscription": gone}));
    send(address, &fake.webhook("evt_3", "PAYMENT_RECEIVED", 0));
    becomes(address, &key, "pro", "active");
    send(address, &of_duplicate("evt_4", "PAYMENT_RECEIVED"));
    let twice = month_after(month_after(service.now)).to_string();
    awaited("the second month", SOON, || (paid_until(address, &key) == twice.as_str()).then_some(()));
    assert_eq!(plan_and_status(address, &key), ("pro".to_owned(), "active".to_owned()), "and it goes on");
    let canceled = post(address, "/v1/billing/cancel", &[("x-api-key", &key)], &json!({"confirm": "yes"}));
    assert_eq!(canceled.json()["canceled"], true);
    awaited("the end of it", SOON, || (fake.subscriptions()[0]["deleted"] == true).then_some(()));
}

#[test]
fn payments_and_refunds_without_a_webhook_are_found_by_polling() {
    let fake = Fake::start();
    let mut service = Moved::start(&fake.settings());
    let (address, key) = (service.address(), service.key());
    pay_url(&checkout(address, &key, "pro"));
    fake.ledger().payments[0]["status"] = "RECEIVED".into();
    service.sets(UnixMillis(service.now.0 + 2 * 60_000));
    becomes(address, &key, "pro", "active");
    let until = paid_until(address, &key);
    // its webhook comes at last
    send(address, &fake.webhook("evt_1", "PAYMENT_RECEIVED", 0));
    worker_has_looked(service.ops());
    assert_eq!(paid_until(address, &key), until);
    // the next month is paid without a webhook too, and the plan does not end
    let mut next = fake.ledger().payments[0].clone();
    (next["id"], next["status"]) = ("pay_next".into(), "RECEIVED_IN_CASH".into());
    fake.ledger().payments.push(next);
    service.sets(UnixMillis(month_after(service.now).0 + 4 * DAY));
    let later = || paid_until(address, &key).as_str().is_some_and(|next| Some(next) != until.as_str());
    awaited("the next month", SOON, || later().then_some(()));
    assert_eq!(plan_and_status(address, &key).0, "pro");
    // a poll that is under way when the clock leaps would count its day from after the leap
    worker_has_looked(service.ops());
    fake.ledger().payments[0]["status"] = "REFUNDED".into();
    fake.ledger().payments[1]["status"] = "CHARGEBACK_REQUESTED".into();
    service.sets(UnixMillis(service.now.0 + 2 * DAY));
    becomes(address, &key, "free", "none");
}

#[test]
fn a_checkout_repeated_on_a_later_day_has_that_due_date() {
    let fake = Fake::start();
    let mut service = Moved::start(&fake.settings());
    let (address, key) = (service.address(), service.key());
    fake.fails("POST /v3/subscriptions", Fault::Before(500));
    unavailable(&checkout(address, &key, "pro"));
    service.sets(UnixMillis(service.now.0 + 2 * DAY));
    pay_url(&checkout(address, &key, "pro"));
    let made = fake.subscriptions();
    assert_eq!((made.len(), &made[0]["nextDueDate"]), (1, &json!(day_of(service.now).to_string())));
}

#[test]
fn a_slow_gateway_delays_no_webhook() {
    let fake = Fake::start();
    let mut service = Moved::start(&fake.settings());
    let (address, key) = (service.address(), service.key());
    pay_url(&checkout(address, &key, "pro"));
    let calls = fake.ledger().calls.len();
    for _ in 0..3 {
        fake.fails("GET /v3/subscriptions?", Fault::Hang);
    }
    service.sets(UnixMillis(service.now.0 + 2 * 60_000));
    awaited("a poll", SOON, || (fake.ledger().calls.len() > calls).then_some(()));
    let begun = Instant::now();
    send(address, &fake.webhook("evt_1", "PAYMENT_RECEIVED", 0));
    becomes(address, &key, "pro", "active");
    assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
}

#[test]
fn a_payment_is_found_behind_a_hundred_others() {
    let fake = Fake::start();
    let mut service = Moved::start(&fake.settings());
    let (address, key) = (service.address(), service.key());
    pay_url(&checkout(address, &key, "pro"));
    {
        let mut ledger = fake.ledger();
        let waiting = ledger.payments[0].clone();
        for number in 0..130 {
            let mut other = waiting.clone();
            other["id"] = format!("pay_{number}").into();
            ledger.payments.push(other);
        }
        ledger.payments[130]["status"] = "RECEIVED".into();
    }
    service.sets(UnixMillis(service.now.0 + 2 * 60_000));
    becomes(address, &key, "pro", "active");
}

#[test]
fn a_refund_after_a_cancellation_is_found_by_polling() {
    let fake = Fake::start();
    let mut service = Moved::start(&fake.settings());
    let (address, key) = (service.address(), service.key());
    pay(&fake, address, &key, "pro");
    post(address, "/v1/billing/cancel", &[("x-api-key", &key)], &json!({"confirm": "yes"}));
    awaited("the end", SOON, || (fake.subscriptions()[0]["deleted"] == true).then_some(()));
    // a poll that is under way when the clock leaps would count its day from after the leap
    worker_has_looked(service.ops());
    fake.ledger().payments[0]["status"] = "REFUNDED".into();
    service.sets(UnixMillis(service.now.0 + 2 * DAY));
    becomes(address, &key, "free", "none");
    service.awaits_mail("was refunded");
}

#[test]
fn of_two_subscriptions_the_one_whose_page_was_shown_stays() {
    let fake = Fake::start();
    let mut service = Moved::start(&fake.settings());
    let (address, key) = (service.address(), service.key());
    // the gateway has created it, twice, and our request failed
    fake.fails("POST /v3/subscriptions", Fault::After(500));
    for _ in 0..3 {
        fake.fails("GET /v3/subscriptions?", Fault::Before(500));
    }
    unavailable(&checkout(address, &key, "pro"));
    let mut double = fake.subscriptions().remove(0);
    double["id"] = "sub_double".into();
    fake.ledger().subscriptions.insert(0, double);
    // while the worker looks it up and finds the duplicate first, a checkout finds the other
    let calls = fake.ledger().calls.len();
    fake.fails("GET /v3/subscriptions?", Fault::Late(Duration::from_secs(2)));
    service.sets(UnixMillis(service.now.0 + 2 * 60_000));
    awaited("a poll", SOON, || (fake.ledger().calls.len() > calls).then_some(()));
    fake.ledger().subscriptions.reverse();
    assert_eq!(pay_url(&checkout(address, &key, "pro")), "https://pay.example/i/pay_sub_0_9");
    awaited("the end of one", SOON, || {
        fake.subscriptions().iter().any(|one| one["deleted"] == true).then_some(())
    });
    assert_eq!(fake.subscriptions()[0]["deleted"], false, "{:?}", fake.subscriptions());
}

#[test]
fn an_order_that_cannot_be_polled_does_not_block_the_others_of_its_account() {
    let fake = Fake::start();
    let mut service = Moved::start(&fake.settings());
    let (address, key) = (service.address(), service.key());
    pay(&fake, address, &key, "pro");
    pay_url(&checkout(address, &key, "business"));
    for payment in fake.ledger().payments.iter_mut() {
        payment["status"] = "RECEIVED".into();
    }
    for _ in 0..3 {
        fake.fails("GET /v3/subscriptions/sub_0/payments", Fault::Before(500));
    }
    service.sets(UnixMillis(service.now.0 + 2 * 60_000));
    becomes(address, &key, "business", "active");
}

#[test]
fn a_replaced_order_that_the_gateway_creates_late_is_canceled() {
    let fake = Fake::start();
    let mut service = Moved::start(&fake.settings());
    let (address, key) = (service.address(), service.key());
    fake.fails("POST /v3/subscriptions", Fault::Before(500));
    unavailable(&checkout(address, &key, "pro"));
    pay_url(&checkout(address, &key, "gringo"));
    worker_has_looked(service.ops());
    // the failed request takes effect after another order has replaced it
    {
        let mut ledger = fake.ledger();
        let asked = ledger.calls.iter().find(|(call, _)| call.starts_with("POST /v3/subscriptions"));
        let mut late = asked.expect("a call").1.clone();
        (late["id"], late["deleted"]) = ("sub_late".into(), false.into());
        ledger.subscriptions.push(late);
    }
    service.sets(UnixMillis(service.now.0 + 2 * 60_000));
    awaited("its end", SOON, || (fake.subscriptions()[1]["deleted"] == true).then_some(()));
    assert_eq!(fake.subscriptions()[0]["deleted"], false);
}

#[test]
fn a_won_chargeback_gives_the_rest_of_the_month_back() {
    let fake = Fake::start();
    let mut service = Moved::start(&fake.settings());
    let (address, key) = (service.address(), service.key());
    pay(&fake, address, &key, "pro");
    let paid_at = service.now;
    service.sets(UnixMillis(paid_at.0 + 10 * DAY));
    send(address, &fake.webhook("evt_2", "PAYMENT_CHARGEBACK_REQUESTED", 0));
    send(address, &fake.webhook("evt_3", "PAYMENT_CHARGEBACK_DISPUTE", 0));
    becomes(address, &key, "free", "none");
    // a chargeback that is won before the worker cancels the order leaves it active
    awaited("the cancellation", SOON, || (fake.subscriptions()[0]["deleted"] == true).then_some(()));
    service.sets(UnixMillis(paid_at.0 + 50 * DAY));
    send(address, &fake.webhook("evt_4", "PAYMENT_AWAITING_CHARGEBACK_REVERSAL", 0));
    becomes(address, &key, "pro", "canceled");
    // it was active for 10 days and off for 40
    let until = month_after(UnixMillis(paid_at.0 + 40 * DAY)).to_string();
    assert_eq!(paid_until(address, &key), until.as_str());
    // the money arrives, and everything is reported once more
    for (number, event) in
        ["PAYMENT_RECEIVED", "PAYMENT_AWAITING_CHARGEBACK_REVERSAL", "PAYMENT_CHARGEBACK_REQUESTED"]
            .into_iter()
            .enumerate()
    {
        send(address, &fake.webhook(&format!("evt_again&{number}"), event, 0));
    }
    worker_has_looked(service.ops());
    assert_eq!(paid_until(address, &key), until.as_str());
    // a lost one after all is a refund, which is final
    send(address, &fake.webhook("evt_5", "PAYMENT_REFUNDED", 0));
    becomes(address, &key, "free", "none");
}

#[test]
fn a_won_chargeback_without_a_webhook_is_found_by_polling() {
    let fake = Fake::start();
    let mut service = Moved::start(&fake.settings());
    let (address, key) = (service.address(), service.key());
    pay(&fake, address, &key, "pro");
    fake.ledger().payments[0]["status"] = "CHARGEBACK_DISPUTE".into();
    service.sets(UnixMillis(service.now.0 + 2 * DAY));
    becomes(address, &key, "free", "none");
    awaited("the cancellation", SOON, || (fake.subscriptions()[0]["deleted"] == true).then_some(()));
    worker_has_looked(service.ops());
    fake.ledger().payments[0]["status"] = "AWAITING_CHARGEBACK_REVERSAL".into();
    service.sets(UnixMillis(service.now.0 + 30 * DAY));
    becomes(address, &key, "pro", "canceled");
}
