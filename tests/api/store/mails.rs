//! The mail queue and requests for access.

use candango::store::rows::Table;
use strum::VariantArray as _;

use super::*;

pub(super) fn access_request(address: &str, opens: bool) -> AccessRequest {
    let new_account = Account::new(AccountId::generate().expect("an id"), email(address), UnixMillis(1_000));
    let profile =
        Profile { name: Some("Zé: \"da\" Silva".to_owned()), company: None, use_case: Some("x".to_owned()) };
    AccessRequest {
        email: email(address),
        kind: match opens {
            true => AccessRequestKind::SignUp(new_account, profile),
            false => AccessRequestKind::Recover,
        },
        mail: mail_id(),
        limits: Vec::new(),
        at: UnixMillis(1_000),
    }
}

/// Takes all due mails for good.
pub(super) async fn taken(store: &dyn Store, now: i64) -> Vec<store::Mail> {
    store
        .take_due_mails(
            &mailer(),
            TakeDue { now: UnixMillis(now), retry_at: UnixMillis(i64::MAX / 2), max: 100 },
        )
        .await
        .expect("mails")
}

pub(super) async fn a_mailed_code_is_saved_only_while_its_mail_is_queued(place: Place) {
    let store = place.open();
    let account = issued(&*store, "a@b.c", Plan::Pro).await.account;
    let queued = async |to: &str, kind: MailKind| {
        let (to, mail) = (Account { email: email(to), ..account.clone() }, mail_id());
        store.queue_mail(to, &mail, kind, UnixMillis(1_000)).await.expect("queued");
        mail
    };
    let codes = async || store.rows(&[Table::Codes], None).await.expect("rows").len();
    let saves =
        async |mail: &MailId, number: u8| store.save_mailed_code(mail, code(number)).await.expect("answered");

    let sent = queued("a@b.c", MailKind::Recovery).await;
    assert!(saves(&sent, 1).await && saves(&sent, 2).await, "each attempt has a code of its own");
    assert!(redeem(&*store, redemption("a@b.c", 1)).await.is_some());
    store.delete_mail(&sent).await.expect("deleted");
    assert!(!saves(&sent, 3).await, "it was sent");

    let before = queued("a@b.c", MailKind::SignIn).await;
    let to = email("new@b.c");
    assert_eq!(store.set_email(&account.id, &to).await.expect("answered"), EmailChange::Done);
    assert!(!saves(&before, 4).await, "the old mailbox gets no access");

    let before = queued("new@b.c", MailKind::Recovery).await;
    let block = store::Block { at: UnixMillis(1_500), reason: "x".to_owned() };
    assert!(store.set_block(&account.id, Some(block)).await.expect("answered").is_some());
    assert!(!saves(&before, 5).await, "the account is blocked");
    assert_eq!(codes().await, 0);
}

pub(super) async fn a_mail_of_a_newer_version_waits_for_it_and_stops_no_other(place: Place) {
    let earlier = Place::sqlite();
    let store = earlier.open();
    let account = issued(&*store, "a@b.c", Plan::Pro).await.account;
    for at in [1_000, 2_000] {
        let queued = store.queue_mail(account.clone(), &mail_id(), MailKind::Plan, UnixMillis(at)).await;
        queued.expect("queued");
    }
    let mut rows = store.rows(Table::VARIANTS, None).await.expect("rows");
    let kind = Table::Mails.columns().iter().position(|(name, _)| *name == "kind").expect("a column");
    let newer = rows.iter_mut().find(|row| row.value("queued_at") == Some("1000")).expect("a mail");
    newer.1[kind] = Some("of_a_newer_version".to_owned());
    let store = place.open();
    store.fill(rows).await.expect("filled");
    let take = TakeDue { now: UnixMillis(9_000), retry_at: UnixMillis(10_000), max: 100 };
    let due = store.take_due_mails(&mailer(), take).await.expect("mails");
    assert_eq!(due.iter().map(|mail| mail.queued_at.0).collect::<Vec<_>>(), [2_000]);
    let kept = store.rows(&[Table::Mails], None).await.expect("rows");
    let kept = kept.iter().find(|row| row.value("kind") == Some("of_a_newer_version")).expect("it waits");
    assert_eq!((kept.value("due_at"), kept.value("attempts")), (Some("1000"), Some("0")));
}

pub(super) async fn a_request_for_access_creates_an_account_once(place: Place) {
    let store = place.open();
    let first = access_request("a@b.c", true);
    let AccessRequestKind::SignUp(new_account, profile) = first.kind.clone() else { panic!("{first:?}") };
    store.request_access(first.clone()).await.expect("queued");
    store.request_access(access_request("a@b.c", true)).await.expect("queued");
    assert_eq!(store.account(&email("a@b.c")).await.expect("answered"), Some(new_account.clone()));
    assert_eq!(store.profile(&new_account.id).await.expect("a profile"), profile);
    let mails = taken(&*store, 1_000).await;
    assert_eq!(mails.len(), 2);
    let welcome = mails.iter().find(|mail| mail.id == first.mail).expect("the first");
    assert_eq!(
        *welcome,
        store::Mail {
            id: first.mail,
            account: new_account.id,
            to: email("a@b.c"),
            kind: MailKind::Welcome,
            queued_at: UnixMillis(1_000),
            attempts: 1,
        }
    );
}

pub(super) async fn a_request_for_access_without_an_account_queues_nothing(place: Place) {
    let store = place.open();
    store.request_access(access_request("a@b.c", false)).await.expect("the same answer");
    assert_eq!(store.account(&email("a@b.c")).await.expect("answered"), None);
    assert_eq!(taken(&*store, 9_000).await, []);
}

pub(super) async fn a_request_for_access_mails_a_key_or_a_code_as_the_account_needs(place: Place) {
    let store = place.open();
    let Issued { account, key } = issued(&*store, "a@b.c", Plan::Pro).await;
    store.request_access(access_request("a@b.c", true)).await.expect("queued");
    assert_eq!(store.account(&account.email).await.expect("answered"), Some(account.clone()));
    assert_eq!(store.profile(&account.id).await.expect("a profile"), Profile::default());
    assert_eq!(taken(&*store, 1_000).await[0].kind, MailKind::Recovery);
    store.revoke_key(key.hash(), UnixMillis(1_500)).await.expect("answered");
    store.request_access(access_request("a@b.c", false)).await.expect("queued");
    assert_eq!(taken(&*store, 1_000).await[0].kind, MailKind::Welcome);
}

pub(super) async fn a_repeated_request_for_access_queues_one_mail(place: Place) {
    let store = place.open();
    let once = access_request("a@b.c", true);
    store.request_access(once.clone()).await.expect("queued");
    assert_eq!(taken(&*store, 1_000).await.len(), 1);
    store.request_access(once).await.expect("queued");
    assert_eq!(taken(&*store, 1_000).await, [], "it is taken already");
}

pub(super) async fn mails_come_longest_due_first_and_once_before_their_retry(place: Place) {
    let store = place.open();
    let mut names = Vec::new();
    for at in [3_000, 1_000, 2_000, 4_000] {
        let request = AccessRequest { at: UnixMillis(at), ..access_request("a@b.c", true) };
        names.push(request.mail.clone());
        store.request_access(request).await.expect("queued");
    }
    let collect = async |now: i64, again: i64, most: usize| {
        let mails = store
            .take_due_mails(
                &mailer(),
                TakeDue { now: UnixMillis(now), retry_at: UnixMillis(again), max: most },
            )
            .await
            .expect("mails");
        mails.into_iter().map(|mail| (mail.id, mail.attempts)).collect::<Vec<_>>()
    };
    let named = |places: &[usize], attempts: u32| {
        places.iter().map(|&place| (names[place].clone(), attempts)).collect::<Vec<_>>()
    };
    assert_eq!(collect(3_000, 5_000, 2).await, named(&[1, 2], 1));
    assert_eq!(collect(3_000, 6_000, 2).await, named(&[0], 1), "one is not due yet");
    assert_eq!(collect(3_000, 6_000, 2).await, []);
    assert_eq!(collect(4_999, 7_000, 9).await, named(&[3], 1));
    let again = collect(5_000, 7_000, 9).await;
    let once_more = named(&[1, 2], 2);
    assert!(again.len() == 2 && once_more.iter().all(|mail| again.contains(mail)), "{again:?}");
    assert_eq!(collect(9_000, 9_000, 0).await, []);
}

pub(super) async fn concurrent_takers_never_get_the_same_mail(place: Place) {
    let stores = [place.open(), place.open()];
    for _ in 0..50 {
        stores[0].request_access(access_request("a@b.c", true)).await.expect("queued");
    }
    let collections: Vec<_> = (0..20)
        .map(|number| {
            let store = stores[number % 2].clone();
            tokio::spawn(async move {
                store
                    .take_due_mails(
                        &mailer(),
                        TakeDue { now: UnixMillis(1_000), retry_at: UnixMillis(2_000), max: 3 },
                    )
                    .await
                    .expect("mails")
            })
        })
        .collect();
    let mut all = Vec::new();
    for collection in collections {
        all.extend(collection.await.expect("mails").into_iter().map(|mail| mail.id));
    }
    assert_eq!(all.len(), 50);
    assert_eq!(all.iter().collect::<HashSet<_>>().len(), 50);
}

pub(super) async fn a_mail_is_postponed_and_deleted(place: Place) {
    let store = place.open();
    let once = access_request("a@b.c", true);
    store.request_access(once.clone()).await.expect("queued");
    store.postpone_mail(&once.mail, UnixMillis(5_000)).await.expect("put off");
    assert_eq!(taken(&*store, 4_999).await, []);
    assert_eq!(taken(&*store, 5_000).await.len(), 1);
    store.delete_mail(&once.mail).await.expect("discarded");
    store.delete_mail(&once.mail).await.expect("nothing to discard");
    store.postpone_mail(&once.mail, UnixMillis(0)).await.expect("nothing to put off");
    assert_eq!(taken(&*store, i64::MAX / 2).await, []);
}

pub(super) async fn mails_that_wait_for_long_are_hastened_and_no_others(place: Place) {
    let store = place.open();
    let mut names = Vec::new();
    for due_at in [4_000, 5_000, 7_000, 9_000] {
        let request = access_request("a@b.c", true);
        store.request_access(request.clone()).await.expect("queued");
        store.postpone_mail(&request.mail, UnixMillis(due_at)).await.expect("postponed");
        names.push(request.mail);
    }
    let hasten =
        async |max| store.hasten_mails(UnixMillis(5_000), UnixMillis(2_000), max).await.expect("answered");
    assert_eq!((hasten(1).await, hasten(9).await, hasten(9).await), (1, 1, 0));
    let mut due: Vec<_> = taken(&*store, 2_000).await.into_iter().map(|mail| mail.id).collect();
    due.sort_by_key(|id| names.iter().position(|name| name == id));
    assert_eq!(due, names[2..], "the others may be taken");
}

pub(super) async fn a_rotation_queues_its_mail(place: Place) {
    let store = place.open();
    let Issued { account, key } = issued(&*store, "a@b.c", Plan::Pro).await;
    let mut wanted = replacement(&account.id, Some(key.hash()));
    wanted.mail = rotation_mail(6_000);
    assert!(store.replace_keys(wanted).await.expect("answered"));
    assert_eq!(taken(&*store, 5_999).await, []);
    let mails = taken(&*store, 6_000).await;
    assert_eq!((mails[0].kind, &mails[0].to), (MailKind::Rotated, &account.email));
    assert_eq!(mails[0].queued_at, UnixMillis(2_000));
}

pub(super) async fn a_rotation_mail_is_left_to_the_mailer_that_holds_its_key(place: Place) {
    let store = place.open();
    let collect = async |mailer: &str, now: i64, max: usize| {
        let mailer = MailerId::from_stored(mailer.to_owned());
        let take = TakeDue { now: UnixMillis(now), retry_at: UnixMillis(now + 5_000), max };
        let mails = store.take_due_mails(&mailer, take).await.expect("mails");
        mails.into_iter().map(|mail| mail.id).collect::<HashSet<_>>()
    };
    // more than the store looks at in one step, and due before the one that has no owner
    let mut owned = HashSet::new();
    for _ in 0..150 {
        let Issued { account, key } = issued(&*store, "a@b.c", Plan::Pro).await;
        let mail = rotation_mail(2_000);
        owned.insert(mail.id.clone());
        let wanted = KeyReplacement { mail, ..replacement(&account.id, Some(key.hash())) };
        assert!(store.replace_keys(wanted).await.expect("answered"));
    }
    let free = AccessRequest { at: UnixMillis(2_001), ..access_request("a@b.c", true) };
    store.request_access(free.clone()).await.expect("queued");
    assert_eq!(collect("m_2", 3_000, 4).await, HashSet::from([free.mail.clone()]));
    store.delete_mail(&free.mail).await.expect("deleted");
    let first = collect("m_1", 3_000, 100).await;
    assert!(first.len() == 100 && first.is_subset(&owned), "{first:?}");
    // due again at 8 s, the rest since 2 s
    assert_eq!(collect("m_2", 31_999, 200).await, HashSet::new());
    let rest = collect("m_2", 32_000, 200).await;
    assert!(rest.len() == 50 && rest.is_disjoint(&first), "{rest:?}");
    assert_eq!(collect("m_2", 38_000, 200).await, first, "its owner has ended");
}
