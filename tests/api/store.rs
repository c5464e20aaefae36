//! What every store engine promises: the same tests on each, against the real thing.

use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use candango::config::StoreSpec;
use candango::domain::account::{Account, AccountId, Email, HolderId, MailId, Profile};
use candango::domain::api_key::{ApiKey, KeyHash, KeyRecord};
use candango::domain::clock::{Clock, Period, UnixMillis};
use candango::domain::code::CodeHash;
use candango::domain::error::ApiError;
use candango::domain::mail::MailKind;
use candango::domain::plan::Plan;
use candango::metrics::Metrics;
use candango::quota::keys::{Issued, Keys, issue};
use candango::quota::leases::Quota;
use candango::store::lock::{LockError, ServerLock};
use candango::store::sqlite::Sqlite;
use candango::store::{
    self, AccessRequest, AccountStore, Change, ChangeListener, Claim, CodeRecord, CodeRedemption, Grant,
    KeyReplacement, NewKey, PresenceStore, RateLimit, Store, StoreError, SubscriptionRecord,
    SubscriptionUpdate, WebhookEvent,
};
use tempfile::TempDir;

use crate::redis::RedisServer;

/// The trust window of the stores in tests.
pub(crate) const TRUST: Duration = Duration::from_millis(1_500);

/// A store, and the folder of its processes.
pub(crate) struct Place {
    folder: TempDir,
    spec: StoreSpec,
    processes: AtomicUsize,
    /// Ends with this value.
    _server: Option<Arc<RedisServer>>,
}

impl Place {
    fn sqlite() -> Place {
        let folder = tempfile::tempdir().expect("a folder");
        let spec = StoreSpec::Sqlite(folder.path().join("candango.db"));
        Place { folder, spec, processes: AtomicUsize::new(0), _server: None }
    }

    fn redis() -> Place {
        let server = Arc::new(RedisServer::start());
        let url = server.url();
        Place::of(server, &url)
    }

    fn of(server: Arc<RedisServer>, url: &str) -> Place {
        let folder = tempfile::tempdir().expect("a folder");
        let spec = url.parse().expect("a store");
        Place { folder, spec, processes: AtomicUsize::new(0), _server: Some(server) }
    }

    /// Opens the store for one more process.
    fn open(&self) -> Arc<dyn Store> {
        let number = self.processes.fetch_add(1, Ordering::Relaxed);
        let data = self.folder.path().join(format!("process{number}"));
        store::open::store(&self.spec, &data, TRUST).expect("a store")
    }

    /// Opens the store for one more serving process, with the changes that it receives.
    async fn serving(&self) -> (Arc<dyn Store>, Received) {
        let store = self.open();
        let received = Received::default();
        store.register(received.listener()).await.expect("registered");
        (store, received)
    }
}

/// The changes that a process has received.
#[derive(Clone, Default)]
pub(crate) struct Received(Arc<Mutex<Vec<Change>>>);

impl Received {
    pub(crate) fn listener(&self) -> ChangeListener {
        let received = self.0.clone();
        Arc::new(move |change| {
            let received = received.clone();
            Box::pin(async move {
                // so that the future is not done at its first poll
                tokio::task::yield_now().await;
                received.lock().expect("a list").push(change);
            })
        })
    }

    pub(crate) fn has(&self, change: &Change) -> bool {
        self.0.lock().expect("a list").contains(change)
    }

    pub(crate) fn clear(&self) {
        self.0.lock().expect("a list").clear();
    }
}

/// Runs each promise as a test on every engine.
macro_rules! promises {
    ($($name:ident)*) => {
        mod sqlite {
            $(#[tokio::test]
            async fn $name() {
                super::$name(super::Place::sqlite()).await;
            })*
        }

        mod redis {
            $(#[tokio::test]
            async fn $name() {
                super::$name(super::Place::redis()).await;
            })*
        }

        /// One after the other on one server, because a cluster takes two seconds to start.
        #[tokio::test]
        async fn a_cluster_keeps_every_promise() {
            let server = Arc::new(RedisServer::cluster());
            let url = format!("redis-cluster://127.0.0.1:{}/", server.port);
            $(
                println!(stringify!($name));
                server.say::<()>(&["FLUSHALL"]);
                $name(Place::of(server.clone(), &url)).await;
            )*
        }
    };
}

promises! {
    an_address_has_one_account_and_many_keys
    a_repeated_issue_changes_nothing
    a_key_of_another_account_is_rejected_and_fails_no_other_write
    many_writes_at_once_are_all_kept
    a_write_that_was_answered_survives_the_process
    a_revoked_key_has_no_account_and_stays_listed
    a_replaced_key_has_no_account_and_the_new_one_has
    of_two_concurrent_replacements_of_a_key_one_succeeds
    a_repeated_replacement_is_done_once
    a_replacement_of_all_keys_leaves_only_the_new_one
    only_a_live_key_of_the_account_is_replaced
    a_welcome_key_replaces_its_earlier_attempt_and_no_other_key
    a_plan_is_set_only_for_an_existing_account
    rate_limits_count_all_or_none_and_end_with_their_window
    concurrent_attempts_never_exceed_a_rate_limit
    a_request_for_access_creates_an_account_once
    a_request_for_access_without_an_account_queues_nothing
    a_request_for_access_mails_a_key_or_a_code_as_the_account_needs
    a_repeated_request_for_access_queues_one_mail
    mails_come_longest_due_first_and_once_before_their_retry
    concurrent_takers_never_get_the_same_mail
    a_mail_is_postponed_and_deleted
    a_rotation_queues_its_mail
    a_recovery_code_gives_one_new_key_in_place_of_all
    of_two_concurrent_redemptions_of_a_code_one_succeeds
    a_repeated_redemption_is_done_once
    a_code_expires
    a_code_is_invalid_after_too_many_wrong_tries
    a_later_code_replaces_an_earlier_one
    a_code_is_valid_for_its_own_address_only
    leases_never_exceed_the_limit_together
    concurrent_claims_never_exceed_the_limit
    a_repeated_or_late_claim_is_answered_with_the_last_grant
    released_calls_are_granted_to_others
    a_changed_limit_applies_from_the_next_claim
    leases_are_listed_as_their_holders_reported_them
    each_account_and_period_has_its_own_leases
    of_two_concurrent_subscription_updates_one_succeeds
    a_subscription_update_is_saved_whole_or_not_at_all
    a_subscription_needs_an_existing_account
    subscriptions_come_when_due_and_once_before_their_retry
    a_webhook_event_is_saved_once_even_after_it_was_finished
    webhook_events_come_longest_due_first_and_once_before_their_retry
    the_process_that_changes_keys_has_handled_the_change_when_it_is_answered
    a_serving_process_receives_changes_of_others_within_a_second
    a_serving_process_is_trusted_and_healthy
}

fn email(text: &str) -> Email {
    text.parse().expect("an address")
}

pub(crate) async fn issued(store: &dyn Store, address: &str, plan: Plan) -> Issued {
    issue(store, &Clock::standing_at(UnixMillis(1_000)), email(address), plan).await.expect("a key")
}

/// The record of a new key, created at a moment.
pub(crate) fn new_key(at: i64) -> KeyRecord {
    let key = ApiKey::generate().expect("a key");
    KeyRecord {
        hash: key.hash(),
        first4: key.first4().to_owned(),
        last4: key.last4().to_owned(),
        created_at: UnixMillis(at),
        revoked_at: None,
    }
}

fn mail_id() -> MailId {
    MailId::generate().expect("an id")
}

fn replacement(account: &AccountId, old: Option<KeyHash>) -> KeyReplacement {
    KeyReplacement { account: account.clone(), old, new: new_key(2_000), mail: None }
}

async fn account_of(store: &dyn Store, key: KeyHash) -> Option<Account> {
    store.account_of_key(key).await.expect("answered")
}

/// Polls until the answer is as expected, for a second at most.
pub(crate) async fn within_a_second<T: PartialEq + std::fmt::Debug>(
    wanted: T,
    mut ask: impl AsyncFnMut() -> T,
) {
    let start = Instant::now();
    loop {
        let answer = ask().await;
        if answer == wanted {
            return;
        }
        assert!(start.elapsed() < Duration::from_secs(1), "{answer:?}, not {wanted:?}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

async fn an_address_has_one_account_and_many_keys(place: Place) {
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

async fn a_repeated_issue_changes_nothing(place: Place) {
    let store = place.open();
    let first = issued(&*store, "a@b.c", Plan::Free).await;
    let key = store.keys(&first.account.id).await.expect("keys").remove(0);
    let again =
        store.issue_key(NewKey { account: first.account.clone(), key: key.clone() }).await.expect("again");
    assert_eq!(again, first.account);
    assert_eq!(store.keys(&first.account.id).await.expect("keys"), [key]);
}

async fn a_key_of_another_account_is_rejected_and_fails_no_other_write(place: Place) {
    let store = place.open();
    let first = issued(&*store, "a@b.c", Plan::Free).await;
    let key = store.keys(&first.account.id).await.expect("keys").remove(0);
    let id = AccountId::generate().expect("an id");
    let other = Account { id, email: email("d@e.f"), ..first.account.clone() };
    let (refused, fine) = tokio::join!(store.issue_key(NewKey { account: other, key }), async {
        issued(&*store, "x@y.z", Plan::Free).await
    });
    assert!(matches!(refused, Err(StoreError::Failed(_))), "{refused:?}");
    assert_eq!(account_of(&*store, first.key.hash()).await, Some(first.account));
    assert!(account_of(&*store, fine.key.hash()).await.is_some());
    assert_eq!(store.account(&email("d@e.f")).await.expect("answered"), None, "all or nothing");
}

async fn many_writes_at_once_are_all_kept(place: Place) {
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

async fn a_write_that_was_answered_survives_the_process(place: Place) {
    let (key, account) = {
        let store = place.open();
        let Issued { account, key } = issued(&*store, "a@b.c", Plan::Free).await;
        assert!(store.set_plan(&account.id, Plan::Business).await.expect("answered"));
        (key, account)
    };
    let found = account_of(&*place.open(), key.hash()).await.expect("a holder");
    assert_eq!((found.id, found.plan), (account.id, Plan::Business));
}

async fn a_revoked_key_has_no_account_and_stays_listed(place: Place) {
    let store = place.open();
    let Issued { account, key } = issued(&*store, "a@b.c", Plan::Free).await;
    let revoke = async |key: KeyHash, at: i64| store.revoke_key(key, UnixMillis(at)).await.expect("answered");
    assert!(revoke(key.hash(), 7).await);
    assert!(revoke(key.hash(), 7).await, "repeated");
    assert!(!revoke(key.hash(), 8).await, "once only");
    assert!(!revoke(new_key(0).hash, 7).await, "no such key");
    assert_eq!(account_of(&*store, key.hash()).await, None);
    assert_eq!(store.keys(&account.id).await.expect("keys")[0].revoked_at, Some(UnixMillis(7)));
}

async fn a_replaced_key_has_no_account_and_the_new_one_has(place: Place) {
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

async fn of_two_concurrent_replacements_of_a_key_one_succeeds(place: Place) {
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

async fn a_repeated_replacement_is_done_once(place: Place) {
    let store = place.open();
    let Issued { account, key } = issued(&*store, "a@b.c", Plan::Pro).await;
    let mut wanted = replacement(&account.id, Some(key.hash()));
    wanted.mail = Some((mail_id(), UnixMillis(2_000)));
    assert!(store.replace_keys(wanted.clone()).await.expect("answered"));
    assert!(store.replace_keys(wanted.clone()).await.expect("the same answer"));
    assert_eq!(store.keys(&account.id).await.expect("keys").len(), 2);
    assert_eq!(
        store.take_due_mails(UnixMillis(9_000), UnixMillis(10_000), 10).await.expect("mails").len(),
        1
    );
}

async fn a_replacement_of_all_keys_leaves_only_the_new_one(place: Place) {
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

async fn a_welcome_key_replaces_its_earlier_attempt_and_no_other_key(place: Place) {
    let store = place.open();
    let new_account = Account {
        id: AccountId::generate().expect("an id"),
        email: email("a@b.c"),
        plan: Plan::Free,
        created_at: UnixMillis(0),
    };
    let welcome = mail_id();
    let request = AccessRequest {
        email: email("a@b.c"),
        new_account: Some((new_account.clone(), Profile::default())),
        mail: welcome.clone(),
        at: UnixMillis(0),
    };
    store.request_access(request).await.expect("queued");
    let (first, second) = (new_key(1_000), new_key(2_000));
    for key in [&first, &first, &second] {
        assert!(store.issue_welcome_key(&welcome, key.clone()).await.expect("answered"));
        assert_eq!(account_of(&*store, key.hash).await.map(|holder| holder.id), Some(new_account.id.clone()));
    }
    assert_eq!(account_of(&*store, first.hash).await, None, "its mail never arrived");
    let own = issued(&*store, "a@b.c", Plan::Free).await.key;
    assert!(!store.issue_welcome_key(&welcome, new_key(3_000)).await.expect("answered"));
    for hash in [own.hash(), second.hash] {
        assert!(account_of(&*store, hash).await.is_some());
    }
    assert!(!store.issue_welcome_key(&mail_id(), new_key(3_000)).await.expect("answered"), "no such mail");
}

async fn only_a_live_key_of_the_account_is_replaced(place: Place) {
    let store = place.open();
    let Issued { account, key } = issued(&*store, "a@b.c", Plan::Pro).await;
    let strange = issued(&*store, "x@y.z", Plan::Pro).await.key;
    let revoked = issued(&*store, "a@b.c", Plan::Pro).await.key;
    store.revoke_key(revoked.hash(), UnixMillis(1_500)).await.expect("answered");
    for old in [strange.hash(), revoked.hash(), new_key(0).hash] {
        let mut wanted = replacement(&account.id, Some(old));
        wanted.mail = Some((mail_id(), UnixMillis(0)));
        let new = wanted.new.hash;
        assert!(!store.replace_keys(wanted).await.expect("answered"));
        assert_eq!(account_of(&*store, new).await, None);
    }
    let nobody = AccountId::generate().expect("an id");
    assert!(!store.replace_keys(replacement(&nobody, None)).await.expect("answered"));
    assert!(account_of(&*store, strange.hash()).await.is_some());
    assert!(account_of(&*store, key.hash()).await.is_some());
    let mails = store.take_due_mails(UnixMillis(9_000), UnixMillis(10_000), 10).await.expect("mails");
    assert_eq!(mails, [], "nothing is changed");
}

async fn a_plan_is_set_only_for_an_existing_account(place: Place) {
    let store = place.open();
    let Issued { account, key } = issued(&*store, "a@b.c", Plan::Free).await;
    assert!(store.set_plan(&account.id, Plan::Gringo).await.expect("answered"));
    assert_eq!(account_of(&*store, key.hash()).await.map(|account| account.plan), Some(Plan::Gringo));
    let nobody = AccountId::generate().expect("an id");
    assert!(!store.set_plan(&nobody, Plan::Gringo).await.expect("answered"));
}

fn limit(name: &str, max: u32) -> RateLimit {
    RateLimit { name: name.to_owned(), max, ends_at: UnixMillis(2_000) }
}

async fn rate_limits_count_all_or_none_and_end_with_their_window(place: Place) {
    let store = place.open();
    let count = async |limits: Vec<RateLimit>, now: i64| {
        store.count_attempt(limits, UnixMillis(now)).await.expect("answered")
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
    let anew = |name: &str| RateLimit { ends_at: UnixMillis(3_000), ..limit(name, 1) };
    tokio::time::sleep(Duration::from_millis(1_010)).await;
    assert_eq!(count(vec![anew("a"), anew("b")], 2_000).await, None, "the window has ended");
    assert_eq!(count(vec![limit("none", 0)], 1_000).await, Some(0));
}

async fn concurrent_attempts_never_exceed_a_rate_limit(place: Place) {
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

fn access_request(address: &str, opens: bool) -> AccessRequest {
    let new_account = Account {
        id: AccountId::generate().expect("an id"),
        email: email(address),
        plan: Plan::Free,
        created_at: UnixMillis(1_000),
    };
    let profile =
        Profile { name: Some("Zé: \"da\" Silva".to_owned()), company: None, use_case: Some("x".to_owned()) };
    AccessRequest {
        email: email(address),
        new_account: opens.then_some((new_account, profile)),
        mail: mail_id(),
        at: UnixMillis(1_000),
    }
}

/// Takes all due mails for good.
async fn taken(store: &dyn Store, now: i64) -> Vec<store::Mail> {
    store.take_due_mails(UnixMillis(now), UnixMillis(i64::MAX / 2), 100).await.expect("mails")
}

async fn a_request_for_access_creates_an_account_once(place: Place) {
    let store = place.open();
    let first = access_request("a@b.c", true);
    let (new_account, profile) = first.new_account.clone().expect("an account");
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

async fn a_request_for_access_without_an_account_queues_nothing(place: Place) {
    let store = place.open();
    store.request_access(access_request("a@b.c", false)).await.expect("the same answer");
    assert_eq!(store.account(&email("a@b.c")).await.expect("answered"), None);
    assert_eq!(taken(&*store, 9_000).await, []);
}

async fn a_request_for_access_mails_a_key_or_a_code_as_the_account_needs(place: Place) {
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

async fn a_repeated_request_for_access_queues_one_mail(place: Place) {
    let store = place.open();
    let once = access_request("a@b.c", true);
    store.request_access(once.clone()).await.expect("queued");
    assert_eq!(taken(&*store, 1_000).await.len(), 1);
    store.request_access(once).await.expect("queued");
    assert_eq!(taken(&*store, 1_000).await, [], "it is taken already");
}

async fn mails_come_longest_due_first_and_once_before_their_retry(place: Place) {
    let store = place.open();
    let mut names = Vec::new();
    for at in [3_000, 1_000, 2_000, 4_000] {
        let request = AccessRequest { at: UnixMillis(at), ..access_request("a@b.c", true) };
        names.push(request.mail.clone());
        store.request_access(request).await.expect("queued");
    }
    let collect = async |now: i64, again: i64, most: usize| {
        let mails = store.take_due_mails(UnixMillis(now), UnixMillis(again), most).await.expect("mails");
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

async fn concurrent_takers_never_get_the_same_mail(place: Place) {
    let stores = [place.open(), place.open()];
    for _ in 0..50 {
        stores[0].request_access(access_request("a@b.c", true)).await.expect("queued");
    }
    let collections: Vec<_> = (0..20)
        .map(|number| {
            let store = stores[number % 2].clone();
            tokio::spawn(async move {
                store.take_due_mails(UnixMillis(1_000), UnixMillis(2_000), 3).await.expect("mails")
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

async fn a_mail_is_postponed_and_deleted(place: Place) {
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

async fn a_rotation_queues_its_mail(place: Place) {
    let store = place.open();
    let Issued { account, key } = issued(&*store, "a@b.c", Plan::Pro).await;
    let mut wanted = replacement(&account.id, Some(key.hash()));
    wanted.mail = Some((mail_id(), UnixMillis(6_000)));
    assert!(store.replace_keys(wanted).await.expect("answered"));
    assert_eq!(taken(&*store, 5_999).await, []);
    let mails = taken(&*store, 6_000).await;
    assert_eq!((mails[0].kind, &mails[0].to), (MailKind::Rotated, &account.email));
    assert_eq!(mails[0].queued_at, UnixMillis(2_000));
}

fn code(number: u8, tries: u32) -> CodeRecord {
    CodeRecord { hash: CodeHash([number; 32]), expires_at: UnixMillis(3_000), tries }
}

/// Tries a code at time 2,000.
fn redemption(address: &str, number: u8) -> CodeRedemption {
    CodeRedemption { email: email(address), code: CodeHash([number; 32]), new: new_key(2_000), mail: None }
}

async fn redeem(store: &dyn Store, redemption: CodeRedemption) -> Option<Account> {
    store.redeem_recovery_code(redemption).await.expect("answered")
}

async fn a_recovery_code_gives_one_new_key_in_place_of_all(place: Place) {
    let store = place.open();
    let Issued { account, key } = issued(&*store, "a@b.c", Plan::Pro).await;
    store.save_recovery_code(&account.id, code(1, 5)).await.expect("saved");
    let wanted = redemption("a@b.c", 1);
    let new = wanted.new.hash;
    assert_eq!(redeem(&*store, wanted).await, Some(account.clone()));
    assert_eq!(account_of(&*store, new).await, Some(account));
    assert_eq!(account_of(&*store, key.hash()).await, None);
    assert_eq!(redeem(&*store, redemption("a@b.c", 1)).await, None, "it is used up");
    assert!(account_of(&*store, new).await.is_some());
}

async fn of_two_concurrent_redemptions_of_a_code_one_succeeds(place: Place) {
    let (store, other) = (place.open(), place.open());
    let Issued { account, .. } = issued(&*store, "a@b.c", Plan::Pro).await;
    for number in 0..10 {
        store.save_recovery_code(&account.id, code(number, 5)).await.expect("saved");
        let (one, two) = tokio::join!(
            redeem(&*store, redemption("a@b.c", number)),
            redeem(&*other, redemption("a@b.c", number))
        );
        assert!(one.is_some() != two.is_some(), "{one:?} {two:?}");
    }
}

async fn a_repeated_redemption_is_done_once(place: Place) {
    let store = place.open();
    let Issued { account, .. } = issued(&*store, "a@b.c", Plan::Pro).await;
    store.save_recovery_code(&account.id, code(1, 5)).await.expect("saved");
    let wanted = redemption("a@b.c", 1);
    assert_eq!(redeem(&*store, wanted.clone()).await, Some(account.clone()));
    assert_eq!(redeem(&*store, wanted).await, Some(account.clone()));
    assert_eq!(store.keys(&account.id).await.expect("keys").len(), 2);
}

async fn a_code_expires(place: Place) {
    let store = place.open();
    let Issued { account, .. } = issued(&*store, "a@b.c", Plan::Pro).await;
    let until = |at: i64| CodeRecord { expires_at: UnixMillis(at), ..code(1, 5) };
    store.save_recovery_code(&account.id, until(2_000)).await.expect("saved");
    assert_eq!(redeem(&*store, redemption("a@b.c", 1)).await, None);
    store.save_recovery_code(&account.id, until(2_001)).await.expect("saved");
    assert!(redeem(&*store, redemption("a@b.c", 1)).await.is_some());
}

async fn a_code_is_invalid_after_too_many_wrong_tries(place: Place) {
    let store = place.open();
    let Issued { account, .. } = issued(&*store, "a@b.c", Plan::Pro).await;
    for (wrong, lives) in [(2, true), (3, false)] {
        store.save_recovery_code(&account.id, code(1, 3)).await.expect("saved");
        for _ in 0..wrong {
            assert_eq!(redeem(&*store, redemption("a@b.c", 9)).await, None);
        }
        assert_eq!(redeem(&*store, redemption("a@b.c", 1)).await.is_some(), lives);
    }
}

async fn a_later_code_replaces_an_earlier_one(place: Place) {
    let store = place.open();
    let Issued { account, .. } = issued(&*store, "a@b.c", Plan::Pro).await;
    store.save_recovery_code(&account.id, code(1, 5)).await.expect("saved");
    store.save_recovery_code(&account.id, code(2, 5)).await.expect("saved");
    assert_eq!(redeem(&*store, redemption("a@b.c", 1)).await, None);
    assert!(redeem(&*store, redemption("a@b.c", 2)).await.is_some());
}

async fn a_code_is_valid_for_its_own_address_only(place: Place) {
    let store = place.open();
    let Issued { account, .. } = issued(&*store, "a@b.c", Plan::Pro).await;
    issued(&*store, "x@y.z", Plan::Pro).await;
    store.save_recovery_code(&account.id, code(1, 5)).await.expect("saved");
    assert_eq!(redeem(&*store, redemption("x@y.z", 1)).await, None);
    assert_eq!(redeem(&*store, redemption("no@bo.dy", 1)).await, None);
    assert!(redeem(&*store, redemption("a@b.c", 1)).await.is_some());
}

/// A lease holder that keeps to the contract.
#[derive(Clone)]
pub(crate) struct Holder {
    pub(crate) claim: Claim,
}

impl Holder {
    pub(crate) fn new(account: &str, limit: u32) -> Holder {
        let now = UnixMillis(1_000);
        let claim = Claim {
            account: AccountId::from_stored(account.to_owned()),
            period: Clock::standing_at(now).moment().minute(),
            limit,
            holder: HolderId::generate().expect("an id"),
            number: 0,
            used: 0,
            held: 0,
            want: 0,
            by_action: Vec::new(),
            now,
        };
        Holder { claim }
    }

    /// The next claim.
    pub(crate) fn next(&mut self, want: u32) -> Claim {
        self.claim.number += 1;
        let claim = Claim { want, ..self.claim.clone() };
        if want == 0 {
            self.claim.held = self.claim.used;
        }
        claim
    }

    /// Claims, and takes the grant.
    pub(crate) async fn ask(&mut self, store: &dyn Store, want: u32) -> Grant {
        let grant = store.lease(self.next(want)).await.expect("a grant");
        self.claim.held = grant.granted;
        grant
    }

    pub(crate) fn spend(&mut self, calls: u32) {
        self.claim.used = self.claim.held.min(self.claim.used + calls);
    }
}

async fn leases_never_exceed_the_limit_together(place: Place) {
    let store = place.open();
    let mut holders = [Holder::new("acct_1", 100), Holder::new("acct_1", 100), Holder::new("acct_1", 100)];
    assert_eq!(holders[0].ask(&*store, 60).await, Grant { granted: 60, others_used: 0, others_granted: 0 });
    holders[0].spend(10);
    assert_eq!(holders[0].ask(&*store, 60).await.granted, 70, "ten are spent, and sixty wanted");
    assert_eq!(holders[1].ask(&*store, 60).await, Grant { granted: 30, others_used: 10, others_granted: 70 });
    assert_eq!(holders[2].ask(&*store, 60).await.granted, 0);
    holders[0].spend(70);
    assert_eq!(holders[0].ask(&*store, 60).await.granted, 70, "nothing is left");
    assert_eq!(holders[2].ask(&*store, 1).await, Grant { granted: 0, others_used: 70, others_granted: 100 });
}

async fn concurrent_claims_never_exceed_the_limit(place: Place) {
    let stores = [place.open(), place.open()];
    let holders: Vec<_> = (0..8)
        .map(|number| {
            let store = stores[number % 2].clone();
            tokio::spawn(async move {
                let mut holder = Holder::new("acct_1", 300);
                for _ in 0..40 {
                    holder.ask(&*store, 3).await;
                    holder.spend(2);
                }
                holder.claim.used
            })
        })
        .collect();
    let mut used = 0;
    for holder in holders {
        used += holder.await.expect("a holder");
    }
    assert!((300 - 8..=300).contains(&used), "{used}");
}

async fn a_repeated_or_late_claim_is_answered_with_the_last_grant(place: Place) {
    let store = place.open();
    let mut holder = Holder::new("acct_1", 100);
    let first = holder.next(10);
    let second = holder.next(20);
    assert_eq!(store.lease(second.clone()).await.expect("a grant").granted, 20);
    assert_eq!(store.lease(first).await.expect("a grant").granted, 20, "late");
    assert_eq!(store.lease(second).await.expect("a grant").granted, 20, "again");
    holder.claim.held = 20;
    holder.spend(5);
    assert_eq!(holder.ask(&*store, 0).await.granted, 5);
}

async fn released_calls_are_granted_to_others(place: Place) {
    let store = place.open();
    let (mut one, mut two) = (Holder::new("acct_1", 100), Holder::new("acct_1", 100));
    one.ask(&*store, 100).await;
    one.spend(40);
    assert_eq!(two.ask(&*store, 100).await.granted, 0);
    assert_eq!(one.ask(&*store, 0).await.granted, 40);
    assert_eq!(two.ask(&*store, 100).await, Grant { granted: 60, others_used: 40, others_granted: 40 });
}

async fn a_changed_limit_applies_from_the_next_claim(place: Place) {
    let store = place.open();
    let mut holder = Holder::new("acct_1", 100);
    holder.ask(&*store, 80).await;
    holder.spend(20);
    holder.claim.limit = 50;
    assert_eq!(holder.ask(&*store, 60).await.granted, 50);
    holder.claim.limit = 10;
    assert_eq!(holder.ask(&*store, 60).await.granted, 20, "spent calls stay granted");
    holder.claim.limit = 1_000;
    assert_eq!(holder.ask(&*store, 60).await.granted, 80);
}

async fn leases_are_listed_as_their_holders_reported_them(place: Place) {
    let store = place.open();
    let (mut one, mut two) = (Holder::new("acct_1", 100), Holder::new("acct_1", 100));
    one.ask(&*store, 10).await;
    one.spend(3);
    one.claim.by_action = vec![("search_events", 2), ("get_place", 1)];
    one.ask(&*store, 10).await;
    two.ask(&*store, 5).await;
    let leases = store.leases(&one.claim.account, one.claim.period).await.expect("leases");
    assert_eq!(leases.len(), 2);
    let of = |holder: &Holder| {
        let mut all = leases.iter();
        all.find(|statement| statement.holder == holder.claim.holder).expect("a statement")
    };
    let first = of(&one);
    assert_eq!((first.granted, first.used), (13, 3));
    assert_eq!(first.by_action, [("search_events".to_owned(), 2), ("get_place".to_owned(), 1)]);
    assert_eq!((of(&two).granted, of(&two).used), (5, 0));
}

async fn each_account_and_period_has_its_own_leases(place: Place) {
    let store = place.open();
    let mut one = Holder::new("acct_1", 100);
    one.ask(&*store, 100).await;
    assert_eq!(Holder::new("acct_2", 100).ask(&*store, 100).await.granted, 100);
    let moment = Clock::standing_at(UnixMillis(1_000)).moment();
    for period in [moment.month(), moment.minute().next_minute()] {
        let mut other = Holder::new("acct_1", 100);
        other.claim.period = period;
        assert_eq!(other.ask(&*store, 100).await.granted, 100);
    }
    let leases = async |period: Period| store.leases(&one.claim.account, period).await.map(|all| all.len());
    assert!(matches!(leases(moment.month()).await, Ok(1)));
    assert!(matches!(leases(moment.minute().next_minute().next_minute()).await, Ok(0)));
}

async fn the_process_that_changes_keys_has_handled_the_change_when_it_is_answered(place: Place) {
    let (store, received) = place.serving().await;
    let Issued { account, key } = issued(&*store, "a@b.c", Plan::Free).await;
    let change = Change::Account(account.id.clone());
    let handled = || {
        let handled = received.has(&change);
        received.clear();
        handled
    };
    assert!(handled(), "issued");
    assert!(store.set_plan(&account.id, Plan::Pro).await.expect("answered"));
    assert!(handled(), "plan set");
    let wanted = replacement(&account.id, Some(key.hash()));
    let new = wanted.new.hash;
    assert!(store.replace_keys(wanted).await.expect("answered"));
    assert!(handled(), "replaced");
    assert!(store.revoke_key(new, UnixMillis(2_500)).await.expect("answered"));
    assert!(handled(), "revoked");
    store.save_recovery_code(&account.id, code(1, 5)).await.expect("saved");
    assert!(redeem(&*store, redemption("a@b.c", 1)).await.is_some());
    assert!(handled(), "redeemed");
}

async fn a_serving_process_receives_changes_of_others_within_a_second(place: Place) {
    let (_server, received) = place.serving().await;
    let command = place.open();
    let Issued { account, key } = issued(&*command, "a@b.c", Plan::Free).await;
    let change = Change::Account(account.id.clone());
    let receives = async || {
        within_a_second(true, async || received.has(&change) || received.has(&Change::Everything)).await;
        received.clear();
    };
    receives().await;
    command.set_plan(&account.id, Plan::Pro).await.expect("answered");
    receives().await;
    command.revoke_key(key.hash(), UnixMillis(0)).await.expect("answered");
    receives().await;
}

async fn a_serving_process_is_trusted_and_healthy(place: Place) {
    let (store, _) = place.serving().await;
    for _ in 0..20 {
        assert!(store.is_trusted(Instant::now()));
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    store.refresh().await.expect("refreshed");
    store.health().expect("healthy");
    store.recall(&AccountId::from_stored("acct_1".to_owned())).await.expect("recalled");
}

// --- the key cache on a store

/// The key cache of a process.
fn keys_on(store: &Arc<dyn Store>, metrics: &Metrics) -> Arc<Keys> {
    let background = tokio::runtime::Handle::current();
    let meter = Quota::new(store.clone(), &[], Clock::machine(), background, metrics.leases.clone());
    Arc::new(Keys::new(store.clone(), Arc::new(meter), metrics.keys.clone()))
}

/// The plan of the account of a key.
async fn plan_of(keys: &Keys, key: &[u8]) -> Result<Plan, ApiError> {
    keys.caller(key, Instant::now()).await.map(|caller| caller.account.plan)
}

#[tokio::test]
async fn cached_keys_follow_other_processes_within_a_second() {
    let place = Place::sqlite();
    let (server, command) = (place.open(), place.open());
    let keys = keys_on(&server, &Metrics::new());
    server.register(keys.listener()).await.expect("registered");
    let plan = async |key: &ApiKey| plan_of(&keys, key.reveal().as_bytes()).await;

    let Issued { account, key } = issued(&*command, "a@b.c", Plan::Free).await;
    assert_eq!(plan(&key).await, Ok(Plan::Free), "an unknown key is looked up, so it works at once");
    command.set_plan(&account.id, Plan::Pro).await.expect("answered");
    within_a_second(Ok(Plan::Pro), async || plan(&key).await).await;
    command.revoke_key(key.hash(), UnixMillis(0)).await.expect("answered");
    within_a_second(Err(ApiError::InvalidKey), async || plan(&key).await).await;
}

#[tokio::test]
async fn cached_keys_follow_this_process_at_once() {
    let place = Place::sqlite();
    let store = place.open();
    let keys = keys_on(&store, &Metrics::new());
    store.register(keys.listener()).await.expect("registered");
    let Issued { account, key } = issued(&*store, "a@b.c", Plan::Free).await;
    let plan = async || plan_of(&keys, key.reveal().as_bytes()).await;
    assert_eq!(plan().await, Ok(Plan::Free));
    store.set_plan(&account.id, Plan::Gringo).await.expect("answered");
    assert_eq!(plan().await, Ok(Plan::Gringo));
    store.revoke_key(key.hash(), UnixMillis(0)).await.expect("answered");
    assert_eq!(plan().await, Err(ApiError::InvalidKey));
}

#[tokio::test]
async fn a_key_is_looked_up_once_and_a_malformed_one_never() {
    let place = Place::sqlite();
    let store = place.open();
    let metrics = Metrics::new();
    let keys = keys_on(&store, &metrics);
    let Issued { key, .. } = issued(&*store, "a@b.c", Plan::Free).await;
    let unknown = ApiKey::generate().expect("a key");
    let mistyped = key.reveal().replace("cdg_live_", "cdg_test_");
    for _ in 0..3 {
        assert!(plan_of(&keys, key.reveal().as_bytes()).await.is_ok());
        assert_eq!(plan_of(&keys, unknown.reveal().as_bytes()).await, Err(ApiError::InvalidKey));
        assert_eq!(plan_of(&keys, mistyped.as_bytes()).await, Err(ApiError::InvalidKey));
        assert_eq!(plan_of(&keys, b"").await, Err(ApiError::InvalidKey));
    }
    assert_eq!(metrics.keys.misses.get(), 2, "one for the key, one for the unknown key");
    assert_eq!(metrics.keys.hits.get(), 4);
}

// --- what only the SQLite store promises

#[tokio::test]
async fn unreleased_calls_of_ended_servers_count_as_spent() {
    let place = Place::sqlite();
    let mut dead = Holder::new("acct_1", 100);
    dead.ask(&*place.serving().await.0, 30).await;
    let (store, _) = place.serving().await;
    let grant = Holder::new("acct_1", 100).ask(&*store, 100).await;
    assert_eq!(grant, Grant { granted: 70, others_used: 30, others_granted: 30 });
}

#[tokio::test]
async fn old_leases_are_deleted() {
    let place = Place::sqlite();
    let store = place.open();
    let mut old = Holder::new("acct_1", 100);
    old.ask(&*store, 30).await;
    let mut late = Holder::new("acct_1", 100);
    late.claim.now = UnixMillis(old.claim.period.ends_at.0 + 11 * 60_000);
    late.claim.period = Clock::standing_at(late.claim.now).moment().minute();
    late.ask(&*store, 30).await;
    let leases = store.leases(&old.claim.account, old.claim.period).await.expect("leases");
    assert_eq!(leases, []);
}

fn sqlite(folder: &Path) -> Sqlite {
    Sqlite::open(&folder.join("candango.db")).expect("a store")
}

#[tokio::test]
async fn the_files_are_readable_by_their_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let store = sqlite(&data);
    issued(&store, "a@b.c", Plan::Free).await;
    let mode = |path: &Path| std::fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    assert_eq!(mode(&data), 0o700);
    for entry in std::fs::read_dir(&data).expect("a folder") {
        let path = entry.expect("a file").path();
        assert_eq!(mode(&path), 0o600, "{path:?}");
    }
}

#[test]
fn no_key_is_in_the_file_in_plain_text() {
    let folder = tempfile::tempdir().expect("a folder");
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let store = sqlite(folder.path());
    let key = runtime.block_on(issued(&store, "a@b.c", Plan::Free)).key;
    drop(store);
    let bytes = std::fs::read(folder.path().join("candango.db")).expect("the file");
    let has = |text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
    assert!(has("a@b.c"));
    assert!(!has(&key.reveal()[13..43]));
}

#[tokio::test]
async fn a_file_of_the_first_schema_version_is_migrated() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("candango.db");
    let old = rusqlite::Connection::open(&path).expect("a file");
    old.execute_batch(
        "CREATE TABLE accounts (id TEXT PRIMARY KEY, email TEXT NOT NULL UNIQUE, plan TEXT NOT NULL,
             created_at INTEGER NOT NULL) STRICT;
         CREATE TABLE keys (hash BLOB PRIMARY KEY CHECK (length(hash) = 32),
             account TEXT NOT NULL REFERENCES accounts (id), first4 TEXT NOT NULL, last4 TEXT NOT NULL,
             created_at INTEGER NOT NULL, revoked_at INTEGER) STRICT, WITHOUT ROWID;
         CREATE INDEX keys_by_account ON keys (account);
         INSERT INTO accounts VALUES ('acct_1', 'a@b.c', 'pro', 1000);
         PRAGMA user_version = 1;",
    )
    .expect("the first version");
    drop(old);
    let store = sqlite(folder.path());
    let account = store.account(&email("a@b.c")).await.expect("answered").expect("an account");
    assert_eq!(store.profile(&account.id).await.expect("a profile"), Profile::default());
    store.request_access(access_request("a@b.c", false)).await.expect("queued");
    assert_eq!(taken(&store, 1_000).await.len(), 1);
}

#[test]
fn a_file_of_a_later_schema_version_is_rejected() {
    let folder = tempfile::tempdir().expect("a folder");
    drop(sqlite(folder.path()));
    let path = folder.path().join("candango.db");
    let later = rusqlite::Connection::open(&path).expect("the file");
    later.pragma_update(None, "user_version", 99).expect("a version");
    let refused = Sqlite::open(&path).expect_err("too new");
    assert!(matches!(refused, StoreError::NewerSchema { found: 99, .. }), "{refused}");
}

#[test]
fn a_folder_has_one_server() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let lock = ServerLock::take(&data).expect("the first");
    let second = ServerLock::take(&data).expect_err("the second");
    assert!(matches!(second, LockError::Taken { .. }) && second.to_string().contains("--data"), "{second}");
    drop(lock);
    ServerLock::take(&data).expect("the first has gone");
}

#[tokio::test]
async fn a_file_has_one_server_whatever_its_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("candango.db");
    let linked = folder.path().join("linked.db");
    std::os::unix::fs::symlink(&path, &linked).expect("a link");
    let first = Sqlite::open(&path).expect("opened");
    first.register(Received::default().listener()).await.expect("the first");
    for name in [&path, &linked] {
        let second = Sqlite::open(name).expect("the command line may write beside a server");
        let refused = second.register(Received::default().listener()).await.expect_err("the second");
        assert!(refused.to_string().contains("another server is on"), "{refused}");
    }
    drop(first);
    let next = Sqlite::open(&path).expect("opened");
    next.register(Received::default().listener()).await.expect("the first has gone");
}

fn update(account: &AccountId, version: u32, text: &str) -> SubscriptionUpdate {
    SubscriptionUpdate {
        account: account.clone(),
        version,
        text: text.to_owned(),
        plan: None,
        references: Vec::new(),
        mails: Vec::new(),
        due_at: None,
        finished_event: None,
        at: UnixMillis(5_000),
    }
}

fn event(id: &str, at: i64) -> WebhookEvent {
    WebhookEvent { id: id.to_owned(), text: format!("content of {id}"), at: UnixMillis(at), attempts: 0 }
}

async fn of_two_concurrent_subscription_updates_one_succeeds(place: Place) {
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

async fn a_subscription_update_is_saved_whole_or_not_at_all(place: Place) {
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
        store.take_due_webhook_events(UnixMillis(8_000), UnixMillis(9_000), 10).await.expect("answered"),
        []
    );
    assert_eq!(
        store.take_due_subscriptions(UnixMillis(9_000), UnixMillis(9_500), 10).await.expect("answered"),
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

async fn a_subscription_needs_an_existing_account(place: Place) {
    let store = place.open();
    let nobody = AccountId::generate().expect("an id");
    assert!(!store.save_subscription(update(&nobody, 0, "one")).await.expect("answered"));
    assert_eq!(store.subscription_record(&nobody).await.expect("answered"), SubscriptionRecord::default());
}

async fn subscriptions_come_when_due_and_once_before_their_retry(place: Place) {
    let store = place.open();
    let mut accounts = Vec::new();
    for (number, due_at) in [Some(3_000), Some(1_000), None, Some(2_000)].into_iter().enumerate() {
        let account = issued(&*store, &format!("a{number}@b.c"), Plan::Free).await.account.id;
        let entry = SubscriptionUpdate { due_at: due_at.map(UnixMillis), ..update(&account, 0, "one") };
        assert!(store.save_subscription(entry).await.expect("saved"));
        accounts.push(account);
    }
    let due = async |now, again, most| {
        store.take_due_subscriptions(UnixMillis(now), UnixMillis(again), most).await.expect("answered")
    };
    assert_eq!(due(999, 9_000, 10).await, []);
    assert_eq!(due(3_000, 9_000, 2).await, [accounts[1].clone(), accounts[3].clone()]);
    assert_eq!(due(3_000, 9_500, 10).await, [accounts[0].clone()]);
    assert_eq!(due(8_999, 9_500, 10).await, []);
    // the update says when the subscription is due next
    assert!(store.save_subscription(update(&accounts[1], 1, "done")).await.expect("saved"));
    assert_eq!(due(9_000, 9_900, 10).await, [accounts[3].clone()]);
}

async fn a_webhook_event_is_saved_once_even_after_it_was_finished(place: Place) {
    let store = place.open();
    assert!(store.save_webhook_event(event("evt_1", 1_000)).await.expect("saved"));
    assert!(!place.open().save_webhook_event(event("evt_1", 2_000)).await.expect("answered"));
    store.finish_webhook_event("evt_1", UnixMillis(3_000)).await.expect("finished");
    store.finish_webhook_event("evt_unknown", UnixMillis(3_000)).await.expect("nothing to settle");
    assert!(!store.save_webhook_event(event("evt_1", 4_000)).await.expect("answered"));
    assert_eq!(
        store.take_due_webhook_events(UnixMillis(90_000), UnixMillis(99_000), 10).await.expect("answered"),
        []
    );
}

async fn webhook_events_come_longest_due_first_and_once_before_their_retry(place: Place) {
    let store = place.open();
    for (id, at) in [("evt_b", 2_000), ("evt_a", 1_000), ("evt_c", 3_000)] {
        assert!(store.save_webhook_event(event(id, at)).await.expect("saved"));
    }
    let taken = async |now, again, most| {
        store.take_due_webhook_events(UnixMillis(now), UnixMillis(again), most).await.expect("answered")
    };
    let once = |id: &str, at: i64| WebhookEvent { attempts: 1, ..event(id, at) };
    assert_eq!(taken(2_500, 9_000, 10).await, [once("evt_a", 1_000), once("evt_b", 2_000)]);
    assert_eq!(taken(3_000, 9_000, 10).await, [once("evt_c", 3_000)]);
    assert_eq!(taken(9_000, 9_900, 1).await, [WebhookEvent { attempts: 2, ..event("evt_a", 1_000) }]);
}
