//! Webhooks of accounts, and the messages that wait for them.

use candango::domain::account::DeliveryId;
use candango::domain::hook::{HookRecord, HookSecret};
use candango::store::Message;

use super::*;

pub(super) fn hook(url: &str) -> HookRecord {
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

pub(super) async fn a_message_is_taken_once_before_its_retry_and_gone_when_it_was_sent(place: Place) {
    let (store, other) = (place.open(), place.open());
    let account = issued(&*store, "maria@b.c", Plan::Pro).await.account.id;
    let set = hook("https://a.example/hook");
    assert!(store.set_hook(&account, Some(set.clone())).await.expect("set"));
    assert_eq!(store.hook(&account).await.expect("answered"), Some(set.clone()));
    let message = message_of(2_000);
    for _ in 0..2 {
        assert!(store.queue_for(&account, message.clone(), 5, None).await.expect("queued once"));
    }
    assert!(store.take_due_deliveries(take(1_999)).await.expect("taken").is_empty(), "not due");
    let due = store.take_due_deliveries(take(2_000)).await.expect("taken");
    let [delivery] = due.as_slice() else { panic!("one message: {due:?}") };
    assert_eq!((&delivery.id, &delivery.account, &delivery.body), (&message.id, &account, &message.body));
    assert_eq!((&delivery.url, &delivery.secret, delivery.attempts), (&set.url, &set.secret, 1));
    assert!(other.take_due_deliveries(take(2_500)).await.expect("taken").is_empty(), "it is taken");
    store
        .record_attempt(delivery, "500", UnixMillis(2_600), Some(UnixMillis(9_000)))
        .await
        .expect("recorded");
    let last = store.hook(&account).await.expect("answered").and_then(|hook| hook.last);
    assert_eq!(last, Some((UnixMillis(2_600), "500".to_owned())));
    assert!(other.take_due_deliveries(take(8_999)).await.expect("taken").is_empty());
    let again = other.take_due_deliveries(take(9_000)).await.expect("taken");
    assert_eq!((again.len(), again[0].attempts, &again[0].id), (1, 2, &message.id));
    other.record_attempt(&again[0], "200", UnixMillis(9_100), None).await.expect("recorded");
    assert!(store.take_due_deliveries(take(99_000)).await.expect("taken").is_empty());
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
        store.queue_for_all(message_of(at), 3).await.expect("queued");
    }
    let due = store.take_due_deliveries(take(9)).await.expect("taken");
    assert_eq!(due.len(), 3, "{due:?}");
    assert!(due.iter().all(|delivery| delivery.account == account));
    // a webhook that is set anew drops what waits, and so does one that is removed
    assert!(store.set_hook(&account, Some(hook("https://b.example/"))).await.expect("set"));
    assert!(store.take_due_deliveries(take(9_000)).await.expect("taken").is_empty());
    store.record_attempt(&due[0], "200", UnixMillis(5), Some(UnixMillis(6))).await.expect("recorded");
    assert_eq!(
        store.hook(&account).await.expect("answered").and_then(|hook| hook.last),
        None,
        "another address"
    );
    store.queue_for_all(message_of(0), 3).await.expect("queued");
    assert!(store.set_hook(&account, None).await.expect("removed"));
    assert!(!store.set_hook(&account, None).await.expect("answered"));
    assert!(store.take_due_deliveries(take(99_000)).await.expect("taken").is_empty());
    let unknown = AccountId::generate().expect("randomness");
    assert!(!store.set_hook(&unknown, Some(hook("https://a.example/"))).await.expect("answered"));
    // without a webhook there is a mail, if one is given
    for (owner, mails) in [(&without, 1), (&unknown, 0)] {
        let mail = MailId::generate().expect("randomness");
        let otherwise = Some((mail.clone(), MailKind::QuotaLow));
        assert!(!store.queue_for(owner, message_of(3), 3, otherwise).await.expect("queued"));
        assert!(!store.queue_for(owner, message_of(3), 3, None).await.expect("answered"));
        let mailer = MailerId::generate().expect("randomness");
        let due = store.take_due_mails(&mailer, take(10)).await.expect("mails");
        assert_eq!(due.len(), mails, "{due:?}");
        assert!(due.iter().all(|due| due.id == mail && due.kind == MailKind::QuotaLow));
    }
}
