//! Subscriptions and webhook events.

use candango::store::rows::Table;

use super::*;

pub(super) fn update(account: &AccountId, version: u32, text: &str) -> SubscriptionUpdate {
    SubscriptionUpdate {
        account: account.clone(),
        version,
        text: text.to_owned(),
        plan: None,
        references: Vec::new(),
        dropped_references: Vec::new(),
        mails: Vec::new(),
        due_at: None,
        finished_event: None,
        at: UnixMillis(5_000),
    }
}

pub(super) fn event(id: &str, at: i64) -> WebhookEvent {
    WebhookEvent { id: id.to_owned(), text: format!("content of {id}"), at: UnixMillis(at), attempts: 0 }
}

pub(super) async fn of_two_concurrent_subscription_updates_one_succeeds(place: Place) {
    let store = place.open();
    let account = issued(&*store, "a@b.c", Plan::Free).await.account.id;
    assert_eq!(store.subscription_record(&account).await.expect("answered"), SubscriptionRecord::default());
    assert!(!store.save_subscription(update(&account, 1, "early")).await.expect("answered"));
    assert!(store.save_subscription(update(&account, 0, "one")).await.expect("saved"));
    assert!(!store.save_subscription(update(&account, 0, "one again")).await.expect("answered"));
    let (left, right) = (place.open(), place.open());
    let (left, right) = tokio::join!(
        left.save_subscription(update(&account, 1, "left")),
        right.save_subscription(update(&account, 1, "right"))
    );
    let (left, right) = (left.expect("answered"), right.expect("answered"));
    assert!(left != right, "one of two");
    let text = if left { "left" } else { "right" };
    assert_eq!(
        store.subscription_record(&account).await.expect("answered"),
        SubscriptionRecord { version: 2, text: text.to_owned() }
    );
}

pub(super) async fn a_subscription_update_is_saved_whole_or_not_at_all(place: Place) {
    let (store, received) = place.serving().await;
    let (other, there) = (place.open(), Received::default());
    let is_shared = matches!(place.spec, StoreSpec::Redis(_));
    if is_shared {
        other.register(there.listener()).await.expect("registered");
    }
    let account = issued(&*store, "a@b.c", Plan::Free).await.account;
    let second = issued(&*store, "x@y.z", Plan::Free).await.account;
    received.clear();
    there.clear();
    assert!(store.save_webhook_event(event("evt_1&2", 4_000)).await.expect("saved"));
    let whole = |version, plan| SubscriptionUpdate {
        plan: Some(plan),
        references: vec!["chk_1".to_owned(), "sub_1".to_owned()],
        mails: vec![(MailId::from_stored(format!("ltr_{version}")), MailKind::Paid)],
        due_at: Some(UnixMillis(9_000)),
        finished_event: Some("evt_1&2".to_owned()),
        ..update(&account.id, version, "paid")
    };
    assert!(!store.save_subscription(whole(7, Plan::Business)).await.expect("answered"));
    assert_eq!(store.account_of_reference("chk_1").await.expect("answered"), None);
    assert_eq!(store.account(&account.email).await.expect("answered"), Some(account.clone()));
    assert!(!received.has(&Change::Account(account.id.clone())));

    assert!(store.save_subscription(whole(0, Plan::Pro)).await.expect("saved"));
    assert!(received.has(&Change::Account(account.id.clone())), "handled before the answer");
    let now_pro = Account { plan: Plan::Pro, ..account.clone() };
    assert_eq!(store.account(&account.email).await.expect("answered"), Some(now_pro));
    assert_eq!(store.account_of_reference("chk_1").await.expect("answered"), Some(account.id.clone()));
    assert_eq!(store.account_of_reference("sub_1").await.expect("answered"), Some(account.id.clone()));
    let mails = taken(&*store, 5_000).await;
    assert_eq!((mails.len(), mails[0].kind, &mails[0].to), (1, MailKind::Paid, &account.email));
    assert_eq!(
        store
            .take_due_webhook_events(TakeDue { now: UnixMillis(8_000), retry_at: UnixMillis(9_000), max: 10 })
            .await
            .expect("answered"),
        []
    );
    assert_eq!(
        store
            .take_due_subscriptions(TakeDue { now: UnixMillis(9_000), retry_at: UnixMillis(9_500), max: 10 })
            .await
            .expect("answered"),
        std::slice::from_ref(&account.id)
    );
    // a reference stays with its first account
    let stolen = SubscriptionUpdate { references: vec!["sub_1".to_owned()], ..update(&second.id, 0, "mine") };
    assert!(store.save_subscription(stolen).await.expect("saved"));
    assert_eq!(other.account_of_reference("sub_1").await.expect("answered"), Some(account.id.clone()));
    if is_shared {
        within_a_second(true, async || there.has(&Change::Account(account.id.clone()))).await;
    }
}

pub(super) async fn a_subscription_needs_an_existing_account(place: Place) {
    let store = place.open();
    let nobody = AccountId::generate().expect("an id");
    assert!(!store.save_subscription(update(&nobody, 0, "one")).await.expect("answered"));
    assert_eq!(store.subscription_record(&nobody).await.expect("answered"), SubscriptionRecord::default());
}

pub(super) async fn subscriptions_come_when_due_and_once_before_their_retry(place: Place) {
    let store = place.open();
    let mut accounts = Vec::new();
    for (number, due_at) in [Some(3_000), Some(1_000), None, Some(2_000)].into_iter().enumerate() {
        let account = issued(&*store, &format!("a{number}@b.c"), Plan::Free).await.account.id;
        let entry = SubscriptionUpdate { due_at: due_at.map(UnixMillis), ..update(&account, 0, "one") };
        assert!(store.save_subscription(entry).await.expect("saved"));
        accounts.push(account);
    }
    let due = async |now, again, most| {
        store
            .take_due_subscriptions(TakeDue { now: UnixMillis(now), retry_at: UnixMillis(again), max: most })
            .await
            .expect("answered")
    };
    assert_eq!(due(999, 9_000, 10).await, []);
    assert_eq!(due(3_000, 9_000, 2).await, [accounts[1].clone(), accounts[3].clone()]);
    assert_eq!(due(3_000, 9_500, 10).await, [accounts[0].clone()]);
    assert_eq!(due(8_999, 9_500, 10).await, []);
    // the update says when the subscription is due next
    assert!(store.save_subscription(update(&accounts[1], 1, "done")).await.expect("saved"));
    assert_eq!(due(9_000, 9_900, 10).await, [accounts[3].clone()]);
}

pub(super) async fn a_webhook_event_is_saved_once_even_after_it_was_finished(place: Place) {
    let store = place.open();
    assert!(store.save_webhook_event(event("evt_1", 1_000)).await.expect("saved"));
    assert!(!place.open().save_webhook_event(event("evt_1", 2_000)).await.expect("answered"));
    store.finish_webhook_event("evt_1", UnixMillis(3_000)).await.expect("finished");
    store.finish_webhook_event("evt_unknown", UnixMillis(3_000)).await.expect("nothing to settle");
    assert!(!store.save_webhook_event(event("evt_1", 4_000)).await.expect("answered"));
    assert_eq!(
        store
            .take_due_webhook_events(TakeDue {
                now: UnixMillis(90_000),
                retry_at: UnixMillis(99_000),
                max: 10
            })
            .await
            .expect("answered"),
        []
    );
}

pub(super) async fn webhook_events_come_longest_due_first_and_once_before_their_retry(place: Place) {
    let store = place.open();
    for (id, at) in [("evt_b", 2_000), ("evt_a", 1_000), ("evt_c", 3_000)] {
        assert!(store.save_webhook_event(event(id, at)).await.expect("saved"));
    }
    let taken = async |now, again, most| {
        store
            .take_due_webhook_events(TakeDue { now: UnixMillis(now), retry_at: UnixMillis(again), max: most })
            .await
            .expect("answered")
    };
    let once = |id: &str, at: i64| WebhookEvent { attempts: 1, ..event(id, at) };
    assert_eq!(taken(2_500, 9_000, 10).await, [once("evt_a", 1_000), once("evt_b", 2_000)]);
    assert_eq!(taken(3_000, 9_000, 10).await, [once("evt_c", 3_000)]);
    assert_eq!(taken(9_000, 9_900, 1).await, [WebhookEvent { attempts: 2, ..event("evt_a", 1_000) }]);
}

pub(super) async fn a_reference_is_dropped_by_its_account_alone(place: Place) {
    let store = place.open();
    let account = issued(&*store, "a@b.c", Plan::Free).await.account.id;
    let second = issued(&*store, "x@y.z", Plan::Free).await.account.id;
    let texts = |references: &[&str]| references.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let mail = MailId::from_stored("ltr_1".to_owned());
    let first = SubscriptionUpdate { references: texts(&["chk_1", "sub_1"]), ..update(&account, 0, "one") };
    assert!(store.save_subscription(first).await.expect("saved"));
    let others =
        SubscriptionUpdate { dropped_references: texts(&["sub_1", "unknown"]), ..update(&second, 0, "mine") };
    assert!(store.save_subscription(others).await.expect("saved"));
    let of = async |reference: &str| store.account_of_reference(reference).await.expect("answered");
    assert_eq!(of("sub_1").await, Some(account.clone()));
    let next = SubscriptionUpdate {
        references: texts(&["chk_2"]),
        dropped_references: texts(&["chk_1", "sub_1"]),
        mails: vec![(mail, MailKind::Paid)],
        ..update(&account, 1, "two")
    };
    assert!(store.save_subscription(next).await.expect("saved"));
    assert_eq!((of("chk_1").await, of("sub_1").await), (None, None));
    assert_eq!(of("chk_2").await, Some(account.clone()));
    assert_eq!(taken(&*store, 5_000).await.len(), 1);
    let rows = store.rows(&[Table::References], Some(&account)).await.expect("rows");
    assert_eq!(rows.iter().filter_map(|row| row.value("reference")).collect::<Vec<_>>(), ["chk_2"]);
}
