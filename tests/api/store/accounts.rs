//! Accounts, keys, plans, rate limits and recovery codes.

use super::*;

pub(super) async fn an_address_has_one_account_and_many_keys(place: Place) {
    let store = place.open();
    let first = issued(&*store, "Maria@Example.com", Plan::Free).await;
    let second = issued(&*store, "maria@example.COM", Plan::Pro).await;
    assert_eq!(first.account.id, second.account.id);
    assert_eq!(second.account.plan, Plan::Pro);
    let account = store.account(&email("maria@example.com")).await.expect("answered").expect("an account");
    assert_eq!(account, second.account);
    for key in [&first.key, &second.key] {
        assert_eq!(account_of(&*store, key.hash()).await, Some(account.clone()));
    }
    let keys = store.keys(&account.id).await.expect("keys");
    assert_eq!(keys.len(), 2);
    assert!(keys.iter().any(|kept| kept.hash == first.key.hash() && kept.last4 == first.key.last4()));
    assert_eq!(store.profile(&account.id).await.expect("a profile"), Profile::default());
    assert_eq!(store.account(&email("x@y.z")).await.expect("answered"), None);
}

pub(super) async fn a_repeated_issue_changes_nothing(place: Place) {
    let store = place.open();
    let first = issued(&*store, "a@b.c", Plan::Free).await;
    let key = store.keys(&first.account.id).await.expect("keys").remove(0);
    let again = store.issue_key(first.account.clone(), key.clone(), None).await.expect("again");
    assert_eq!(again, first.account);
    assert_eq!(store.keys(&first.account.id).await.expect("keys"), [key]);
}

pub(super) async fn a_key_without_a_plan_leaves_the_account_on_its_own(place: Place) {
    let store = place.open();
    let first = issued(&*store, "a@b.c", Plan::Free).await;
    // what was read before another has set the plan
    let old = first.account.clone();
    store.set_plan(&old.id, Plan::Business, &mail_id(), UnixMillis(1_000)).await.expect("set");
    let kept = store.issue_key(old.clone(), new_key(2_000), None).await.expect("a second key");
    assert_eq!(kept.plan, Plan::Business);
    let set = store.issue_key(old, new_key(3_000), Some(Plan::Pro)).await.expect("a third key");
    assert_eq!(set.plan, Plan::Pro);
    assert_eq!(store.keys(&set.id).await.expect("keys").len(), 3);
}

pub(super) async fn a_key_of_another_account_is_rejected_and_fails_no_other_write(place: Place) {
    let store = place.open();
    let first = issued(&*store, "a@b.c", Plan::Free).await;
    let key = store.keys(&first.account.id).await.expect("keys").remove(0);
    let id = AccountId::generate().expect("an id");
    let other = Account { id, email: email("d@e.f"), ..first.account.clone() };
    let (refused, fine) =
        tokio::join!(store.issue_key(other, key, None), async { issued(&*store, "x@y.z", Plan::Free).await });
    assert!(matches!(refused, Err(StoreError::Failed(_))), "{refused:?}");
    assert_eq!(account_of(&*store, first.key.hash()).await, Some(first.account));
    assert!(account_of(&*store, fine.key.hash()).await.is_some());
    assert_eq!(store.account(&email("d@e.f")).await.expect("answered"), None, "all or nothing");
}

pub(super) async fn many_writes_at_once_are_all_kept(place: Place) {
    let store = place.open();
    let writes: Vec<_> = (0..200)
        .map(|number| {
            let store = store.clone();
            tokio::spawn(async move { issued(&*store, &format!("a{number}@b.c"), Plan::Gringo).await.key })
        })
        .collect();
    for write in writes {
        let key = write.await.expect("a key");
        assert!(account_of(&*store, key.hash()).await.is_some());
    }
}

pub(super) async fn a_write_that_was_answered_survives_the_process(place: Place) {
    let (key, account) = {
        let store = place.open();
        let Issued { account, key } = issued(&*store, "a@b.c", Plan::Free).await;
        assert!(
            store
                .set_plan(&account.id, Plan::Business, &mail_id(), UnixMillis(1_000))
                .await
                .expect("answered")
        );
        (key, account)
    };
    let found = account_of(&*place.open(), key.hash()).await.expect("a holder");
    assert_eq!((found.id, found.plan), (account.id, Plan::Business));
}

pub(super) async fn a_revoked_key_has_no_account_and_stays_listed(place: Place) {
    let store = place.open();
    let Issued { account, key } = issued(&*store, "a@b.c", Plan::Free).await;
    let revoke = async |key: KeyHash, at: i64| {
        store.revoke_key(key, UnixMillis(at)).await.expect("answered").is_some()
    };
    assert!(revoke(key.hash(), 7).await);
    assert!(revoke(key.hash(), 7).await, "repeated");
    assert!(!revoke(key.hash(), 8).await, "once only");
    assert!(!revoke(new_key(0).hash, 7).await, "no such key");
    assert_eq!(account_of(&*store, key.hash()).await, None);
    assert_eq!(store.keys(&account.id).await.expect("keys")[0].revoked_at, Some(UnixMillis(7)));
}

pub(super) async fn of_revoked_keys_the_newest_and_those_of_the_last_time_stay(place: Place) {
    const DAY: i64 = 24 * 60 * 60 * 1_000;
    let store = place.open();
    let Issued { account, key } = issued(&*store, "a@b.c", Plan::Pro).await;
    let other = issued(&*store, "x@y.z", Plan::Pro).await;
    store.revoke_key(other.key.hash(), UnixMillis(1_500)).await.expect("revoked");
    let replace = async |old: KeyHash, at: i64| {
        let wanted = KeyReplacement { new: new_key(at), ..replacement(&account.id, Some(old)) };
        let new = wanted.new.hash;
        assert!(store.replace_keys(wanted.clone()).await.expect("answered"));
        assert!(store.replace_keys(wanted).await.expect("a repeated request"));
        new
    };
    let mut current = key.hash();
    for number in 0..60 {
        current = replace(current, 2_000 + number).await;
    }
    assert_eq!(store.keys(&account.id).await.expect("keys").len(), 61, "none is old");
    for number in 0..4 {
        current = replace(current, 60 * DAY + number).await;
    }
    // the first sixty are old now, of which the newest stay beside the later ones
    current = replace(current, 100 * DAY).await;
    let keys = store.keys(&account.id).await.expect("keys");
    let revoked: Vec<i64> = keys.iter().filter_map(|key| Some(key.revoked_at?.0)).collect();
    let late: Vec<i64> = (60 * DAY..60 * DAY + 4).chain([100 * DAY]).collect();
    assert_eq!(revoked, (2_015..2_060).chain(late).collect::<Vec<_>>());
    assert_eq!(account_of(&*store, current).await, Some(account.clone()));
    // one that is gone is as dead as one that is kept
    assert_eq!(account_of(&*store, key.hash()).await, None);
    assert_eq!(store.revoke_key(key.hash(), UnixMillis(101 * DAY)).await.expect("answered"), None);
    assert!(!store.replace_keys(replacement(&account.id, Some(key.hash()))).await.expect("answered"));
    assert_eq!(store.keys(&other.account.id).await.expect("keys").len(), 1, "those of others stay");
}

pub(super) async fn a_replaced_key_has_no_account_and_the_new_one_has(place: Place) {
    let store = place.open();
    let Issued { account, key } = issued(&*store, "a@b.c", Plan::Pro).await;
    let other = issued(&*store, "a@b.c", Plan::Pro).await.key;
    let wanted = replacement(&account.id, Some(key.hash()));
    let new = wanted.new.clone();
    assert!(store.replace_keys(wanted).await.expect("answered"));
    assert_eq!(account_of(&*store, key.hash()).await, None);
    assert_eq!(account_of(&*store, new.hash).await, Some(account.clone()));
    assert_eq!(account_of(&*store, other.hash()).await, Some(account.clone()), "the other is left alone");
    let keys = store.keys(&account.id).await.expect("keys");
    assert_eq!(keys.last(), Some(&new), "oldest first");
    let old = keys.iter().find(|kept| kept.hash == key.hash()).expect("the old one");
    assert_eq!(old.revoked_at, Some(new.created_at));
}

pub(super) async fn of_two_concurrent_replacements_of_a_key_one_succeeds(place: Place) {
    let (store, other) = (place.open(), place.open());
    let Issued { account, key } = issued(&*store, "a@b.c", Plan::Pro).await;
    for _ in 0..10 {
        let old = issued(&*store, "a@b.c", Plan::Pro).await.key.hash();
        let (one, two) = (replacement(&account.id, Some(old)), replacement(&account.id, Some(old)));
        let hashes = [one.new.hash, two.new.hash];
        let (one, two) = tokio::join!(store.replace_keys(one), other.replace_keys(two));
        let done = [one.expect("answered"), two.expect("answered")];
        assert!(done[0] != done[1], "{done:?}");
        for (hash, done) in hashes.into_iter().zip(done) {
            assert_eq!(account_of(&*store, hash).await.is_some(), done);
        }
    }
    assert!(account_of(&*store, key.hash()).await.is_some());
}

pub(super) async fn a_repeated_replacement_is_done_once(place: Place) {
    let store = place.open();
    let Issued { account, key } = issued(&*store, "a@b.c", Plan::Pro).await;
    let wanted = replacement(&account.id, Some(key.hash()));
    assert!(store.replace_keys(wanted.clone()).await.expect("answered"));
    assert!(store.replace_keys(wanted.clone()).await.expect("the same answer"));
    assert_eq!(store.keys(&account.id).await.expect("keys").len(), 2);
    assert_eq!(
        store
            .take_due_mails(
                &mailer(),
                TakeDue { now: UnixMillis(9_000), retry_at: UnixMillis(10_000), max: 10 }
            )
            .await
            .expect("mails")
            .len(),
        1
    );
}

pub(super) async fn a_replacement_of_all_keys_leaves_only_the_new_one(place: Place) {
    let store = place.open();
    let Issued { account, .. } = issued(&*store, "a@b.c", Plan::Pro).await;
    issued(&*store, "a@b.c", Plan::Pro).await;
    let wanted = replacement(&account.id, None);
    let new = wanted.new.hash;
    assert!(store.replace_keys(wanted).await.expect("answered"));
    let keys = store.keys(&account.id).await.expect("keys");
    let live: Vec<KeyHash> = keys.iter().filter(|key| key.revoked_at.is_none()).map(|key| key.hash).collect();
    assert_eq!((keys.len(), live), (3, vec![new]));
}

pub(super) async fn a_welcome_key_replaces_its_earlier_attempt_and_no_other_key(place: Place) {
    let store = place.open();
    let new_account = Account::new(AccountId::generate().expect("an id"), email("a@b.c"), UnixMillis(0));
    let welcome = mail_id();
    let request = AccessRequest {
        email: email("a@b.c"),
        kind: AccessRequestKind::SignUp(new_account.clone(), Profile::default()),
        mail: welcome.clone(),
        limits: Vec::new(),
        at: UnixMillis(0),
    };
    store.request_access(request).await.expect("queued");
    let holder = mailer();
    let made =
        async |mail: &MailId, key| store.issue_welcome_key(mail, &holder, key).await.expect("answered");
    let (first, second) = (new_key(1_000), new_key(2_000));
    for key in [&first, &first, &second] {
        assert_eq!(made(&welcome, key.clone()).await, WelcomeKey::Issued);
        assert_eq!(account_of(&*store, key.hash).await.map(|holder| holder.id), Some(new_account.id.clone()));
    }
    assert_eq!(account_of(&*store, first.hash).await, None, "its mail never arrived");
    let own = issued(&*store, "a@b.c", Plan::Free).await.key;
    assert_eq!(made(&welcome, new_key(3_000)).await, WelcomeKey::HasOther);
    for hash in [own.hash(), second.hash] {
        assert!(account_of(&*store, hash).await.is_some());
    }
    store.revoke_key(second.hash, UnixMillis(2_500)).await.expect("answered");
    assert_eq!(made(&welcome, new_key(3_000)).await, WelcomeKey::Ended, "somebody ended the key of the mail");
    store.revoke_key(own.hash(), UnixMillis(2_500)).await.expect("answered");
    assert_eq!(made(&welcome, new_key(3_000)).await, WelcomeKey::Ended);
    assert_eq!(made(&mail_id(), new_key(3_000)).await, WelcomeKey::Ended, "no such mail");
    let take = TakeDue { now: UnixMillis(9_000), retry_at: UnixMillis(10_000), max: 9 };
    let other = MailerId::from_stored("m_2".to_owned());
    assert_eq!(store.take_due_mails(&other, take).await.expect("mails"), [], "left to its holder");
    assert_eq!(store.take_due_mails(&holder, take).await.expect("mails").len(), 1);
}

pub(super) async fn only_a_live_key_of_the_account_is_replaced(place: Place) {
    let store = place.open();
    let Issued { account, key } = issued(&*store, "a@b.c", Plan::Pro).await;
    let strange = issued(&*store, "x@y.z", Plan::Pro).await.key;
    let revoked = issued(&*store, "a@b.c", Plan::Pro).await.key;
    store.revoke_key(revoked.hash(), UnixMillis(1_500)).await.expect("answered");
    for old in [strange.hash(), revoked.hash(), new_key(0).hash] {
        let wanted = replacement(&account.id, Some(old));
        let new = wanted.new.hash;
        assert!(!store.replace_keys(wanted).await.expect("answered"));
        assert_eq!(account_of(&*store, new).await, None);
    }
    let nobody = AccountId::generate().expect("an id");
    assert!(!store.replace_keys(replacement(&nobody, None)).await.expect("answered"));
    assert!(account_of(&*store, strange.hash()).await.is_some());
    assert!(account_of(&*store, key.hash()).await.is_some());
    let mails = store
        .take_due_mails(&mailer(), TakeDue { now: UnixMillis(9_000), retry_at: UnixMillis(10_000), max: 10 })
        .await
        .expect("mails");
    assert_eq!(mails, [], "nothing is changed");
}

pub(super) async fn a_plan_is_set_only_for_an_existing_account(place: Place) {
    let store = place.open();
    let Issued { account, key } = issued(&*store, "a@b.c", Plan::Free).await;
    let set = async |account: &AccountId| {
        store.set_plan(account, Plan::Gringo, &mail_id(), UnixMillis(1_000)).await.expect("answered")
    };
    assert!(set(&account.id).await);
    assert_eq!(account_of(&*store, key.hash()).await.map(|account| account.plan), Some(Plan::Gringo));
    let nobody = AccountId::generate().expect("an id");
    assert!(!set(&nobody).await);
}

fn window(name: &str, max: u32, ends_at: UnixMillis) -> RateLimit {
    RateLimit { name: name.to_owned(), allowance: Allowance::Window { max, ends_at } }
}

pub(super) fn limit(name: &str, max: u32) -> RateLimit {
    window(name, max, UnixMillis(2_000))
}

pub(super) async fn rate_limits_count_all_or_none_and_end_with_their_window(place: Place) {
    let store = place.open();
    let count = async |limits: Vec<RateLimit>, now: i64| {
        let reached = store.count_attempt(limits, UnixMillis(now)).await.expect("answered");
        reached.map(|reached| reached.index)
    };
    assert_eq!(count(vec![], 1_000).await, None);
    assert_eq!(count(vec![limit("a", 3), limit("b", 1)], 1_000).await, None);
    for _ in 0..3 {
        assert_eq!(count(vec![limit("a", 3), limit("b", 1)], 1_000).await, Some(1));
    }
    assert_eq!(count(vec![limit("a", 3)], 1_000).await, None, "a rejected attempt is not counted");
    assert_eq!(count(vec![limit("a", 3)], 1_000).await, None);
    assert_eq!(
        count(vec![limit("c", 9), limit("b", 1), limit("a", 3)], 1_999).await,
        Some(1),
        "the first limit reached"
    );
    let anew = |name: &str| window(name, 1, UnixMillis(3_000));
    tokio::time::sleep(Duration::from_millis(1_010)).await;
    assert_eq!(count(vec![anew("a"), anew("b")], 2_000).await, None, "the window has ended");
    assert_eq!(count(vec![limit("none", 0)], 1_000).await, Some(0));
}

pub(super) async fn concurrent_attempts_never_exceed_a_rate_limit(place: Place) {
    let (store, other) = (place.open(), place.open());
    let asked: Vec<_> = (0..60)
        .map(|number| {
            let store = if number % 2 == 0 { store.clone() } else { other.clone() };
            let limits = vec![limit("all", 100), limit("most", 25)];
            tokio::spawn(
                async move { store.count_attempt(limits, UnixMillis(1_000)).await.expect("answered") },
            )
        })
        .collect();
    let mut counted = 0;
    for answer in asked {
        counted += usize::from(answer.await.expect("answered").is_none());
    }
    assert_eq!(counted, 25);
}

pub(super) fn code(number: u8) -> CodeRecord {
    CodeRecord { hash: CodeHash([number; 32]), expires_at: UnixMillis(3_000), at: UnixMillis(1_000) }
}

/// Tries a code at time 2,000.
pub(super) fn redemption(address: &str, number: u8) -> CodeRedemption {
    let (code, mail) = (CodeHash([number; 32]), rotation_mail(2_000));
    CodeRedemption { email: email(address), code, new: new_key(2_000), mail, renewed: Vec::new() }
}

pub(super) async fn redeem(store: &dyn Store, redemption: CodeRedemption) -> Option<Account> {
    store.redeem_recovery_code(redemption).await.expect("answered")
}

pub(super) async fn a_recovery_code_gives_one_new_key_in_place_of_all(place: Place) {
    let store = place.open();
    let Issued { account, key } = issued(&*store, "a@b.c", Plan::Pro).await;
    store.save_code(&account.id, code(1)).await.expect("saved");
    let wanted = redemption("a@b.c", 1);
    let new = wanted.new.hash;
    assert_eq!(redeem(&*store, wanted).await, Some(account.clone()));
    assert_eq!(account_of(&*store, new).await, Some(account));
    assert_eq!(account_of(&*store, key.hash()).await, None);
    assert_eq!(redeem(&*store, redemption("a@b.c", 1)).await, None, "it is used up");
    assert!(account_of(&*store, new).await.is_some());
}

pub(super) async fn of_two_concurrent_redemptions_of_a_code_one_succeeds(place: Place) {
    let (store, other) = (place.open(), place.open());
    let Issued { account, .. } = issued(&*store, "a@b.c", Plan::Pro).await;
    for number in 0..10 {
        store.save_code(&account.id, code(number)).await.expect("saved");
        let (one, two) = tokio::join!(
            redeem(&*store, redemption("a@b.c", number)),
            redeem(&*other, redemption("a@b.c", number))
        );
        assert!(one.is_some() != two.is_some(), "{one:?} {two:?}");
    }
}

pub(super) async fn a_repeated_redemption_is_done_once(place: Place) {
    let store = place.open();
    let Issued { account, .. } = issued(&*store, "a@b.c", Plan::Pro).await;
    store.save_code(&account.id, code(1)).await.expect("saved");
    let wanted = redemption("a@b.c", 1);
    assert_eq!(redeem(&*store, wanted.clone()).await, Some(account.clone()));
    assert_eq!(redeem(&*store, wanted).await, Some(account.clone()));
    assert_eq!(store.keys(&account.id).await.expect("keys").len(), 2);
}

pub(super) async fn a_code_expires(place: Place) {
    let store = place.open();
    let Issued { account, .. } = issued(&*store, "a@b.c", Plan::Pro).await;
    let until = |at: i64| CodeRecord { expires_at: UnixMillis(at), ..code(1) };
    store.save_code(&account.id, until(2_000)).await.expect("saved");
    assert_eq!(redeem(&*store, redemption("a@b.c", 1)).await, None);
    store.save_code(&account.id, until(2_001)).await.expect("saved");
    assert!(redeem(&*store, redemption("a@b.c", 1)).await.is_some());
}

pub(super) async fn wrong_tries_do_not_spoil_a_code(place: Place) {
    let store = place.open();
    let Issued { account, .. } = issued(&*store, "a@b.c", Plan::Pro).await;
    store.save_code(&account.id, code(1)).await.expect("saved");
    for _ in 0..50 {
        assert_eq!(redeem(&*store, redemption("a@b.c", 9)).await, None);
    }
    assert!(redeem(&*store, redemption("a@b.c", 1)).await.is_some());
}

pub(super) async fn codes_are_valid_beside_each_other_until_one_is_used(place: Place) {
    let store = place.open();
    let Issued { account, .. } = issued(&*store, "a@b.c", Plan::Pro).await;
    for number in 1..=3 {
        store.save_code(&account.id, code(number)).await.expect("saved");
    }
    assert!(redeem(&*store, redemption("a@b.c", 1)).await.is_some());
    assert_eq!(redeem(&*store, redemption("a@b.c", 2)).await, None, "the owner has a key");
}

pub(super) async fn a_bucket_allows_several_attempts_at_once_and_then_one_an_interval(place: Place) {
    let store = place.open();
    let allowance = Allowance::Bucket { size: 3, every_millis: 60_000 };
    let count = async |name: &str, now: i64| {
        let limit = RateLimit { name: name.to_owned(), allowance };
        store.count_attempt(vec![limit], UnixMillis(now)).await.expect("answered")
    };
    for _ in 0..3 {
        assert_eq!(count("mail/x", 1_000_000).await, None);
    }
    let waits = async |name: &str| match count(name, 1_000_000).await {
        Some(Reached { index: 0, retry_at }) => Some(retry_at.0 - 1_000_000),
        _ => None,
    };
    let wait = waits("mail/x").await.expect("the bucket is empty");
    assert!((50_000..=60_000).contains(&wait), "one interval after the first: {wait}");
    // a clock that was set forward for a while does not close it
    const DAYS: i64 = 45 * 24 * 60 * 60 * 1_000;
    assert_eq!(count("mail/y", 1_000_000 + DAYS).await, None);
    assert_eq!(count("mail/y", 1_000_000).await, None);
    let mut wait = None;
    for _ in 0..3 {
        wait = wait.or(waits("mail/y").await);
    }
    assert!(wait.is_some_and(|wait| wait <= 60_000), "{wait:?}");
}

pub(super) async fn a_code_is_valid_for_its_own_address_only(place: Place) {
    let store = place.open();
    let Issued { account, .. } = issued(&*store, "a@b.c", Plan::Pro).await;
    issued(&*store, "x@y.z", Plan::Pro).await;
    store.save_code(&account.id, code(1)).await.expect("saved");
    assert_eq!(redeem(&*store, redemption("x@y.z", 1)).await, None);
    assert_eq!(redeem(&*store, redemption("no@bo.dy", 1)).await, None);
    assert!(redeem(&*store, redemption("a@b.c", 1)).await.is_some());
}

/// Exchanges a code for a session at time 2,000; the session lasts until 3,000.
async fn exchange(store: &dyn Store, account: &AccountId, number: u8, session: u8) -> Option<Account> {
    let session = CodeRecord { at: UnixMillis(2_000), ..code(session) };
    let (account, code, renewed) = (account.clone(), CodeHash([number; 32]), vec!["mail/signed".to_owned()]);
    let exchange = CodeExchange { account, code, session, renewed };
    store.exchange_code(exchange).await.expect("answered")
}

async fn of_session(store: &dyn Store, account: &AccountId, session: u8, at: i64) -> Option<Account> {
    let found = store.account_of_session(account, CodeHash([session; 32]), UnixMillis(at)).await;
    found.expect("answered")
}

pub(super) async fn a_code_opens_one_session_and_leaves_the_keys(place: Place) {
    let store = place.open();
    let Issued { account, key } = issued(&*store, "a@b.c", Plan::Pro).await;
    for number in [1, 2] {
        store.save_code(&account.id, code(number)).await.expect("saved");
    }
    assert_eq!(exchange(&*store, &account.id, 9, 101).await, None, "a wrong code");
    assert_eq!(exchange(&*store, &account.id, 1, 101).await, Some(account.clone()));
    assert_eq!(exchange(&*store, &account.id, 1, 101).await, Some(account.clone()), "a repeated request");
    assert_eq!(exchange(&*store, &account.id, 1, 102).await, None, "it is used up");
    assert_eq!(of_session(&*store, &account.id, 101, 2_999).await, Some(account.clone()));
    assert_eq!(of_session(&*store, &account.id, 102, 2_001).await, None);
    let nobody = AccountId::generate().expect("an id");
    assert_eq!(exchange(&*store, &nobody, 2, 103).await, None);
    assert_eq!(of_session(&*store, &nobody, 101, 2_001).await, None, "a session is of one account");
    assert_eq!(account_of(&*store, key.hash()).await, Some(account.clone()));
    assert!(redeem(&*store, redemption("a@b.c", 2)).await.is_some(), "other codes stay");
    assert_eq!(of_session(&*store, &account.id, 101, 2_001).await, None, "a recovery ends sessions");
}

pub(super) async fn a_session_ends_when_asked_at_its_time_and_with_the_account(place: Place) {
    let (store, other) = (place.open(), place.open());
    let Issued { account, .. } = issued(&*store, "a@b.c", Plan::Pro).await;
    let open = async |number: u8| {
        store.save_code(&account.id, code(number)).await.expect("saved");
        assert!(exchange(&*store, &account.id, number, 100 + number).await.is_some());
        assert!(of_session(&*other, &account.id, 100 + number, 2_001).await.is_some());
    };
    open(1).await;
    assert_eq!(of_session(&*store, &account.id, 101, 3_000).await, None);
    open(2).await;
    store.end_session(&account.id, CodeHash([102; 32])).await.expect("ended");
    assert_eq!(of_session(&*other, &account.id, 102, 2_001).await, None);
    assert!(of_session(&*other, &account.id, 101, 2_001).await.is_some(), "only the one that was named");
    let block = store::Block { at: UnixMillis(2_001), reason: "a test".to_owned() };
    store::AdminStore::set_block(&*store, &account.id, Some(block)).await.expect("blocked");
    assert_eq!(of_session(&*other, &account.id, 101, 2_002).await, None);
    store.save_code(&account.id, code(3)).await.expect("saved");
    assert_eq!(exchange(&*store, &account.id, 3, 103).await, None, "blocked");
    store::AdminStore::set_block(&*store, &account.id, None).await.expect("unblocked");
    open(4).await;
    store::AdminStore::erase(&*store, &account.id, 0, None, UnixMillis(2_003)).await.expect("erased");
    assert_eq!(of_session(&*other, &account.id, 104, 2_004).await, None);
}

pub(super) async fn of_the_sessions_that_keys_have_opened_the_newest_stay(place: Place) {
    let store = place.open();
    let Issued { account, .. } = issued(&*store, "a@b.c", Plan::Pro).await;
    let open = async |number: u8, expires_at: i64| {
        let session = CodeRecord { expires_at: UnixMillis(expires_at), ..code(number) };
        store.save_key_session(&account.id, session, 3).await.expect("saved");
    };
    let opened = async || {
        let mut open = Vec::new();
        for number in 1..=20 {
            let session = of_session(&*store, &account.id, number, 2_001).await;
            open.extend(session.is_some().then_some(number));
        }
        open
    };
    for number in [1, 2] {
        store.save_code(&account.id, code(number)).await.expect("saved");
    }
    assert!(exchange(&*store, &account.id, 1, 3).await.is_some(), "a session of the owner");
    for number in 10..15 {
        open(number, 3_000 + i64::from(number)).await;
    }
    assert_eq!(opened().await, [2, 3, 12, 13, 14], "codes and sessions of the owner stay");
    open(13, 3_013).await;
    assert_eq!(opened().await, [2, 3, 12, 13, 14], "a repeated request");
    store.end_session(&account.id, CodeHash([13; 32])).await.expect("ended");
    open(15, 3_015).await;
    assert_eq!(opened().await, [2, 3, 12, 14, 15], "one that ended leaves its place");
    open(16, 2_500).await;
    assert_eq!(opened().await, [2, 3, 14, 15, 16], "also where the clock was set back");
    // those whose time is over leave their places too
    let later = CodeRecord { expires_at: UnixMillis(9_000), at: UnixMillis(2_600), ..code(17) };
    store.save_key_session(&account.id, later, 3).await.expect("saved");
    assert_eq!(opened().await, [2, 3, 14, 15, 17]);
    assert!(redeem(&*store, redemption("a@b.c", 2)).await.is_some());
    assert_eq!(opened().await, Vec::<u8>::new(), "a recovery ends sessions");
    for number in 10..13 {
        open(number, 3_000).await;
    }
    assert_eq!(opened().await, [10, 11, 12], "and leaves their places");
    let nobody = AccountId::generate().expect("an id");
    assert!(of_session(&*store, &nobody, 10, 2_001).await.is_none());
}

pub(super) async fn a_mail_counts_when_it_is_queued_and_its_limits_begin_anew_with_a_good_code(place: Place) {
    let store = place.open();
    let once = |name: &str| RateLimit::window(name, &"x", 1, UnixMillis(9_000_000));
    let is_free = async |name: &str| {
        store.count_attempt(vec![once(name)], UnixMillis(1_000)).await.expect("answered").is_none()
    };
    let request = async |address: &str, opens: bool, limit: RateLimit| {
        let request = AccessRequest { limits: vec![limit], ..mails::access_request(address, opens) };
        store.request_access(request).await.expect("answered");
        mails::taken(&*store, 1_000).await.len()
    };
    assert_eq!(request("no@bo.dy", false, once("nobody")).await, 0);
    assert!(is_free("nobody").await, "nothing was mailed");
    assert_eq!(request("a@b.c", true, once("mail")).await, 1);
    assert_eq!(request("a@b.c", false, once("mail")).await, 0, "beyond its limit");
    assert_eq!(request("new@b.c", true, once("mail")).await, 0);
    assert_eq!(store.account(&email("new@b.c")).await.expect("answered"), None, "all or nothing");
    let account = store.account(&email("a@b.c")).await.expect("answered").expect("an account");

    let renewed = vec![once("mail").name];
    let wrong = CodeRedemption { renewed: renewed.clone(), ..redemption("a@b.c", 9) };
    assert_eq!(redeem(&*store, wrong).await, None);
    assert!(!is_free("mail").await, "a wrong code changes nothing");
    store.save_code(&account.id, code(1)).await.expect("saved");
    let good = CodeRedemption { renewed, ..redemption("a@b.c", 1) };
    assert!(redeem(&*store, good).await.is_some());
    assert_eq!(request("a@b.c", false, once("mail")).await, 1);

    let signed = || RateLimit { name: "mail/signed".to_owned(), ..once("") };
    let is_full =
        async || store.count_attempt(vec![signed()], UnixMillis(1_000)).await.expect("answered").is_some();
    assert!(!is_full().await && is_full().await);
    assert_eq!(exchange(&*store, &account.id, 9, 101).await, None);
    assert!(is_full().await, "a wrong code changes nothing");
    store.save_code(&account.id, code(2)).await.expect("saved");
    assert!(exchange(&*store, &account.id, 2, 102).await.is_some());
    assert!(!is_full().await);
}
