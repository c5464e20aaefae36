//! Webhooks of accounts, and the messages that wait for them.

use candango::domain::account::DeliveryId;
use candango::domain::hook::{HookRecord, HookSecret};
use candango::store::{Delivery, HookQueue, Message, Once};

use super::*;

pub(crate) fn hook(url: &str) -> HookRecord {
    let secret = HookSecret::generate().expect("randomness");
    HookRecord { url: url.to_owned(), secret, created_at: UnixMillis(1_000), last: None }
}

pub(super) fn message_of(at: i64) -> Message {
    let id = DeliveryId::generate().expect("randomness");
    Message { id, body: "{\"type\":\"é\"}".to_owned(), at: UnixMillis(at) }
}

fn take(now: i64) -> TakeDue {
    TakeDue { now: UnixMillis(now), retry_at: UnixMillis(now + 1_000), max: 10 }
}

/// Takes what is due at a moment, whosever it is.
async fn taken(store: &dyn Store, now: i64) -> Vec<Delivery> {
    store.take_due_deliveries(take(now), 10).await.expect("taken")
}

fn once(name: &str) -> Once {
    Once { name: name.to_owned(), ends_at: UnixMillis(1_000_000) }
}

pub(super) async fn a_message_is_taken_once_before_its_retry_and_gone_when_it_was_sent(place: Place) {
    let (store, other) = (place.open(), place.open());
    let account = issued(&*store, "maria@b.c", Plan::Pro).await.account.id;
    let set = hook("https://a.example/hook");
    assert!(store.set_hook(&account, Some(set.clone())).await.expect("set"));
    assert_eq!(store.hook(&account).await.expect("answered"), Some(set.clone()));
    let message = message_of(2_000);
    for _ in 0..2 {
        assert_eq!(
            store.queue_for(&account, message.clone(), 5).await.expect("queued once"),
            HookQueue::Queued
        );
    }
    assert!(taken(&*store, 1_999).await.is_empty(), "not due");
    let due = taken(&*store, 2_000).await;
    let [delivery] = due.as_slice() else { panic!("one message: {due:?}") };
    assert_eq!((&delivery.id, &delivery.account, &delivery.body), (&message.id, &account, &message.body));
    assert_eq!((&delivery.url, &delivery.secret, delivery.attempts), (&set.url, &set.secret, 1));
    assert!(taken(&*other, 2_500).await.is_empty(), "it is taken");
    store
        .record_attempt(delivery, "500", UnixMillis(2_600), Some(UnixMillis(9_000)))
        .await
        .expect("recorded");
    let last = store.hook(&account).await.expect("answered").and_then(|hook| hook.last);
    assert_eq!(last, Some((UnixMillis(2_600), "500".to_owned())));
    assert!(taken(&*other, 8_999).await.is_empty());
    let again = taken(&*other, 9_000).await;
    assert_eq!((again.len(), again[0].attempts, &again[0].id), (1, 2, &message.id));
    other.record_attempt(&again[0], "200", UnixMillis(9_100), None).await.expect("recorded");
    assert!(taken(&*store, 99_000).await.is_empty());
}

pub(super) async fn messages_are_bounded_and_end_with_their_webhook(place: Place) {
    let store = place.open();
    let account = issued(&*store, "maria@b.c", Plan::Pro).await.account.id;
    let blocked = issued(&*store, "blocked@b.c", Plan::Pro).await.account.id;
    let without = issued(&*store, "other@b.c", Plan::Free).await.account.id;
    for owner in [&account, &blocked] {
        assert!(store.set_hook(owner, Some(hook("https://a.example/"))).await.expect("set"));
    }
    let block = candango::store::Block { at: UnixMillis(1), reason: "a test".to_owned() };
    store.set_block(&blocked, Some(block)).await.expect("blocked");
    for at in 0..5 {
        store.notify_all(once(&at.to_string()), message_of(at), 3).await.expect("queued");
    }
    let due = taken(&*store, 9).await;
    assert_eq!(due.len(), 3, "{due:?}");
    assert!(due.iter().all(|delivery| delivery.account == account));
    // what waits is also for the same address with another secret
    assert!(store.set_hook(&account, Some(hook("https://a.example/"))).await.expect("set"));
    assert_eq!(taken(&*store, 9_000).await.len(), 3);
    // another address drops it, and so does removing the webhook
    assert!(store.set_hook(&account, Some(hook("https://b.example/"))).await.expect("set"));
    assert!(taken(&*store, 99_000).await.is_empty());
    store.record_attempt(&due[0], "200", UnixMillis(5), Some(UnixMillis(6))).await.expect("recorded");
    assert_eq!(
        store.hook(&account).await.expect("answered").and_then(|hook| hook.last),
        None,
        "another address"
    );
    store.notify_all(once("again"), message_of(0), 3).await.expect("queued");
    assert!(store.set_hook(&account, None).await.expect("removed"));
    assert!(!store.set_hook(&account, None).await.expect("answered"));
    assert!(taken(&*store, 999_000).await.is_empty());
    let unknown = AccountId::generate().expect("randomness");
    assert!(!store.set_hook(&unknown, Some(hook("https://a.example/"))).await.expect("answered"));
    // a message too many is said to be one, and a blocked account is told nothing, whatever waited for it
    assert!(store.set_hook(&account, Some(hook("https://a.example/"))).await.expect("set"));
    for (at, queued) in [(1, HookQueue::Queued), (2, HookQueue::Queued), (3, HookQueue::Full)] {
        assert_eq!(store.queue_for(&account, message_of(at), 2).await.expect("answered"), queued);
    }
    let block = candango::store::Block { at: UnixMillis(2), reason: "a test".to_owned() };
    store.set_block(&account, Some(block)).await.expect("blocked");
    let otherwise = (MailId::generate().expect("randomness"), MailKind::QuotaLow);
    store.notify(&account, once("while blocked"), message_of(4), 3, otherwise).await.expect("answered");
    assert!(taken(&*store, 99_000).await.is_empty());
    // without a webhook there is a mail, if there is an account
    for (owner, mails) in [(&without, 1), (&unknown, 0)] {
        let mail = MailId::generate().expect("randomness");
        let otherwise = (mail.clone(), MailKind::QuotaLow);
        store.notify(owner, once(owner.as_str()), message_of(3), 3, otherwise).await.expect("told");
        assert_eq!(store.queue_for(owner, message_of(3), 3).await.expect("answered"), HookQueue::NoHook);
        let mailer = MailerId::generate().expect("randomness");
        let due = store.take_due_mails(&mailer, take(10)).await.expect("mails");
        assert_eq!(due.len(), mails, "{due:?}");
        assert!(due.iter().all(|due| due.id == mail && due.kind == MailKind::QuotaLow));
    }
}

pub(super) async fn an_event_is_told_once_by_all_processes(place: Place) {
    let (store, other) = (place.open(), place.open());
    let [with, without] = ["with@b.c", "without@b.c"].map(email);
    let with = issued(&*store, with.as_str(), Plan::Pro).await.account.id;
    let without = issued(&*store, without.as_str(), Plan::Pro).await.account.id;
    assert!(store.set_hook(&with, Some(hook("https://a.example/"))).await.expect("set"));
    for store in [&store, &other, &store] {
        store.notify_all(once("published"), message_of(1), 9).await.expect("told");
        for account in [&with, &without] {
            let (mail, event) = (MailId::generate().expect("randomness"), format!("quota/{account}"));
            let otherwise = (mail, MailKind::QuotaLow);
            store.notify(account, once(&event), message_of(1), 9, otherwise).await.expect("told");
        }
    }
    assert_eq!(taken(&*store, 9).await.len(), 2, "a publication and a quota");
    assert_eq!(store.take_due_mails(&mailer(), take(9)).await.expect("mails").len(), 1);
    // a message that finds too many waiting counts as told
    store.notify_all(once("another"), message_of(10), 2).await.expect("told");
    store.notify_all(once("another"), message_of(10), 9).await.expect("told before");
    assert!(taken(&*store, 20).await.is_empty());
}

pub(super) async fn of_an_account_only_so_many_messages_are_in_flight(place: Place) {
    let (store, other) = (place.open(), place.open());
    let slow = issued(&*store, "slow@b.c", Plan::Pro).await.account.id;
    let prompt = issued(&*store, "prompt@b.c", Plan::Pro).await.account.id;
    for account in [&slow, &prompt] {
        assert!(store.set_hook(account, Some(hook("https://a.example/"))).await.expect("set"));
    }
    let queue = async |account: &AccountId, at: i64| {
        assert_eq!(store.queue_for(account, message_of(at), 250).await.expect("queued"), HookQueue::Queued);
    };
    // more than a script looks at in one go
    for at in 0..120 {
        queue(&slow, at).await;
    }
    queue(&prompt, 200).await;
    let in_turn = async |store: &dyn Store, now: i64| {
        let due = store.take_due_deliveries(take(now), 2).await.expect("taken");
        let of = |account: &AccountId| due.iter().filter(|one| one.account == *account).count();
        (of(&slow), of(&prompt), due)
    };
    let (slow_ones, prompt_ones, due) = in_turn(&*store, 200).await;
    assert_eq!((slow_ones, prompt_ones), (2, 1), "{due:?}");
    assert_eq!(due.iter().map(|one| one.queued_at.0).collect::<Vec<_>>(), [0, 1, 200], "the oldest first");
    queue(&prompt, 300).await;
    let (slow_ones, prompt_ones, _) = in_turn(&*other, 300).await;
    assert_eq!((slow_ones, prompt_ones), (0, 1), "two are in flight, by whichever process");
    // what was sent, and what waits for another attempt, is not in flight
    store.record_attempt(&due[0], "200", UnixMillis(400), None).await.expect("recorded");
    assert_eq!(in_turn(&*other, 400).await.0, 1);
    store.record_attempt(&due[1], "500", UnixMillis(500), Some(UnixMillis(90_000))).await.expect("recorded");
    let (slow_ones, _, due) = in_turn(&*other, 500).await;
    assert_eq!((slow_ones, due.len()), (1, 1));
    assert_eq!(in_turn(&*store, 600).await.0, 0);
    // what nobody has recorded is due again
    assert_eq!(in_turn(&*store, 1_400).await.0, 1);
    assert_eq!(in_turn(&*store, 1_500).await.0, 1);
}
