//! What a store promises, whatever the back-end: the same tests on every one, against the real thing.

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

/// How long stores here honour what they remember after Redis fell silent.
pub(crate) const TRUST: Duration = Duration::from_millis(1_500);

/// Where a store rests, and the folder of whoever uses it.
pub(crate) struct Place {
    folder: TempDir,
    spec: StoreSpec,
    processes: AtomicUsize,
    /// Ends with the place.
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

    /// The store as one more process opens it.
    fn open(&self) -> Arc<dyn Store> {
        let number = self.processes.fetch_add(1, Ordering::Relaxed);
        let data = self.folder.path().join(format!("process{number}"));
        store::open::store(&self.spec, &data, TRUST).expect("a store")
    }

    /// The store of a process that serves, and what it hears.
    async fn serving(&self) -> (Arc<dyn Store>, Heard) {
        let store = self.open();
        let heard = Heard::default();
        store.register(heard.listener()).await.expect("attended");
        (store, heard)
    }
}

/// The changes that a process has heard of.
#[derive(Clone, Default)]
pub(crate) struct Heard(Arc<Mutex<Vec<Change>>>);

impl Heard {
    pub(crate) fn listener(&self) -> ChangeListener {
        let heard = self.0.clone();
        Arc::new(move |change| {
            let heard = heard.clone();
            Box::pin(async move {
                // one that has to be driven to be done
                tokio::task::yield_now().await;
                heard.lock().expect("a list").push(change);
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

/// Runs each promise as a test on every back-end.
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

        /// One after the other on one server: a cluster takes two seconds to begin.
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
    an_issue_asked_again_changes_nothing
    a_key_of_one_account_is_refused_for_another_and_spoils_no_other_write
    many_writes_at_once_are_all_kept
    what_was_answered_is_there_for_the_next_process
    a_revoked_key_is_nobodys_and_stays_on_the_list
    a_replaced_key_is_nobodys_and_the_new_one_holds
    one_of_two_replacements_of_a_key_is_done
    a_replacement_asked_again_is_done_once
    a_replacement_of_all_keys_leaves_only_the_new_one
    a_key_that_is_no_live_one_of_the_account_is_not_replaced
    a_welcome_makes_one_key_and_ends_no_other
    a_plan_is_set_and_only_for_accounts_that_are
    tallies_count_all_or_none_and_are_forgotten
    tallies_counted_at_once_never_pass_their_limit
    an_invitation_opens_an_account_once
    an_invitation_to_nobody_queues_nothing
    an_invitation_fits_what_the_account_has
    an_invitation_asked_again_is_one_letter
    letters_come_the_longest_due_first_and_not_twice_within_their_time
    letters_collected_at_once_go_to_one_each
    a_letter_is_put_off_and_discarded
    a_rotation_queues_its_letter
    a_code_is_worth_one_new_key_in_the_place_of_all
    one_of_two_redemptions_of_a_code_is_done
    a_redemption_asked_again_is_done_once
    a_code_expires
    a_code_dies_of_wrong_tries
    a_later_code_takes_the_place_of_an_earlier_one
    a_code_of_one_address_is_worth_nothing_for_another
    leases_never_exceed_the_limit_together
    leases_claimed_at_once_never_exceed_the_limit
    a_claim_that_comes_again_or_late_is_answered_with_what_is_granted
    what_is_given_up_is_there_for_others
    a_limit_that_moves_is_kept_from_then_on
    statements_tell_what_each_holder_said
    each_account_and_period_has_its_own_leases
    books_are_written_by_one_at_a_time
    an_entry_brings_everything_with_it_or_nothing
    books_are_for_accounts_that_are
    books_come_when_they_are_due_and_not_twice_within_their_time
    a_notice_is_kept_once_even_after_it_was_settled
    notices_come_the_longest_due_first_and_not_twice_within_their_time
    the_process_that_moves_keys_has_heard_of_it_when_it_is_answered
    the_process_that_serves_hears_of_others_within_a_second
    a_process_that_serves_vouches
}

fn email(text: &str) -> Email {
    text.parse().expect("an address")
}

pub(crate) async fn issued(store: &dyn Store, address: &str, plan: Plan) -> Issued {
    issue(store, &Clock::standing_at(UnixMillis(1_000)), email(address), plan).await.expect("a key")
}

/// A key as it is kept, made at a moment.
pub(crate) fn fresh(at: i64) -> KeyRecord {
    let key = ApiKey::generate().expect("a key");
    KeyRecord {
        hash: key.hash(),
        first4: key.first4().to_owned(),
        last4: key.last4().to_owned(),
        created_at: UnixMillis(at),
        revoked_at: None,
    }
}

fn letter() -> MailId {
    MailId::generate().expect("a name")
}

fn replacement(account: &AccountId, old: Option<KeyHash>) -> KeyReplacement {
    KeyReplacement { account: account.clone(), old, new: fresh(2_000), mail: None }
}

async fn holder(store: &dyn Store, key: KeyHash) -> Option<Account> {
    store.account_of_key(key).await.expect("an answer")
}

/// Asks until the answer is as wanted, for a second at most.
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
    let account = store.account(&email("maria@example.com")).await.expect("an answer").expect("an account");
    assert_eq!(account, second.account);
    for key in [&first.key, &second.key] {
        assert_eq!(holder(&*store, key.hash()).await, Some(account.clone()));
    }
    let keys = store.keys(&account.id).await.expect("keys");
    assert_eq!(keys.len(), 2);
    assert!(keys.iter().any(|kept| kept.hash == first.key.hash() && kept.last4 == first.key.last4()));
    assert_eq!(store.profile(&account.id).await.expect("a profile"), Profile::default());
    assert_eq!(store.account(&email("x@y.z")).await.expect("an answer"), None);
}

async fn an_issue_asked_again_changes_nothing(place: Place) {
    let store = place.open();
    let first = issued(&*store, "a@b.c", Plan::Free).await;
    let key = store.keys(&first.account.id).await.expect("keys").remove(0);
    let again =
        store.issue_key(NewKey { account: first.account.clone(), key: key.clone() }).await.expect("again");
    assert_eq!(again, first.account);
    assert_eq!(store.keys(&first.account.id).await.expect("keys"), [key]);
}

async fn a_key_of_one_account_is_refused_for_another_and_spoils_no_other_write(place: Place) {
    let store = place.open();
    let first = issued(&*store, "a@b.c", Plan::Free).await;
    let key = store.keys(&first.account.id).await.expect("keys").remove(0);
    let id = AccountId::generate().expect("a name");
    let other = Account { id, email: email("d@e.f"), ..first.account.clone() };
    let (refused, fine) = tokio::join!(store.issue_key(NewKey { account: other, key }), async {
        issued(&*store, "x@y.z", Plan::Free).await
    });
    assert!(matches!(refused, Err(StoreError::Failed(_))), "{refused:?}");
    assert_eq!(holder(&*store, first.key.hash()).await, Some(first.account));
    assert!(holder(&*store, fine.key.hash()).await.is_some());
    assert_eq!(store.account(&email("d@e.f")).await.expect("an answer"), None, "all or nothing");
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
        assert!(holder(&*store, key.hash()).await.is_some());
    }
}

async fn what_was_answered_is_there_for_the_next_process(place: Place) {
    let (key, account) = {
        let store = place.open();
        let Issued { account, key } = issued(&*store, "a@b.c", Plan::Free).await;
        assert!(store.set_plan(&account.id, Plan::Business).await.expect("an answer"));
        (key, account)
    };
    let found = holder(&*place.open(), key.hash()).await.expect("a holder");
    assert_eq!((found.id, found.plan), (account.id, Plan::Business));
}

async fn a_revoked_key_is_nobodys_and_stays_on_the_list(place: Place) {
    let store = place.open();
    let Issued { account, key } = issued(&*store, "a@b.c", Plan::Free).await;
    let revoke =
        async |key: KeyHash, at: i64| store.revoke_key(key, UnixMillis(at)).await.expect("an answer");
    assert!(revoke(key.hash(), 7).await);
    assert!(revoke(key.hash(), 7).await, "the same, asked again");
    assert!(!revoke(key.hash(), 8).await, "once only");
    assert!(!revoke(fresh(0).hash, 7).await, "no such key");
    assert_eq!(holder(&*store, key.hash()).await, None);
    assert_eq!(store.keys(&account.id).await.expect("keys")[0].revoked_at, Some(UnixMillis(7)));
}

async fn a_replaced_key_is_nobodys_and_the_new_one_holds(place: Place) {
    let store = place.open();
    let Issued { account, key } = issued(&*store, "a@b.c", Plan::Pro).await;
    let other = issued(&*store, "a@b.c", Plan::Pro).await.key;
    let wanted = replacement(&account.id, Some(key.hash()));
    let new = wanted.new.clone();
    assert!(store.replace_keys(wanted).await.expect("an answer"));
    assert_eq!(holder(&*store, key.hash()).await, None);
    assert_eq!(holder(&*store, new.hash).await, Some(account.clone()));
    assert_eq!(holder(&*store, other.hash()).await, Some(account.clone()), "the other is left alone");
    let keys = store.keys(&account.id).await.expect("keys");
    assert_eq!(keys.last(), Some(&new), "oldest first");
    let old = keys.iter().find(|kept| kept.hash == key.hash()).expect("the old one");
    assert_eq!(old.revoked_at, Some(new.created_at));
}

async fn one_of_two_replacements_of_a_key_is_done(place: Place) {
    let (store, other) = (place.open(), place.open());
    let Issued { account, key } = issued(&*store, "a@b.c", Plan::Pro).await;
    for _ in 0..10 {
        let old = issued(&*store, "a@b.c", Plan::Pro).await.key.hash();
        let (one, two) = (replacement(&account.id, Some(old)), replacement(&account.id, Some(old)));
        let hashes = [one.new.hash, two.new.hash];
        let (one, two) = tokio::join!(store.replace_keys(one), other.replace_keys(two));
        let done = [one.expect("an answer"), two.expect("an answer")];
        assert!(done[0] != done[1], "{done:?}");
        for (hash, done) in hashes.into_iter().zip(done) {
            assert_eq!(holder(&*store, hash).await.is_some(), done);
        }
    }
    assert!(holder(&*store, key.hash()).await.is_some());
}

async fn a_replacement_asked_again_is_done_once(place: Place) {
    let store = place.open();
    let Issued { account, key } = issued(&*store, "a@b.c", Plan::Pro).await;
    let mut wanted = replacement(&account.id, Some(key.hash()));
    wanted.mail = Some((letter(), UnixMillis(2_000)));
    assert!(store.replace_keys(wanted.clone()).await.expect("an answer"));
    assert!(store.replace_keys(wanted.clone()).await.expect("the same answer"));
    assert_eq!(store.keys(&account.id).await.expect("keys").len(), 2);
    assert_eq!(
        store.take_due_mails(UnixMillis(9_000), UnixMillis(10_000), 10).await.expect("letters").len(),
        1
    );
}

async fn a_replacement_of_all_keys_leaves_only_the_new_one(place: Place) {
    let store = place.open();
    let Issued { account, .. } = issued(&*store, "a@b.c", Plan::Pro).await;
    issued(&*store, "a@b.c", Plan::Pro).await;
    let wanted = replacement(&account.id, None);
    let new = wanted.new.hash;
    assert!(store.replace_keys(wanted).await.expect("an answer"));
    let keys = store.keys(&account.id).await.expect("keys");
    let live: Vec<KeyHash> = keys.iter().filter(|key| key.revoked_at.is_none()).map(|key| key.hash).collect();
    assert_eq!((keys.len(), live), (3, vec![new]));
}

async fn a_welcome_makes_one_key_and_ends_no_other(place: Place) {
    let store = place.open();
    let opening = Account {
        id: AccountId::generate().expect("a name"),
        email: email("a@b.c"),
        plan: Plan::Free,
        created_at: UnixMillis(0),
    };
    let welcome = letter();
    let invitation = AccessRequest {
        email: email("a@b.c"),
        new_account: Some((opening.clone(), Profile::default())),
        mail: welcome.clone(),
        at: UnixMillis(0),
    };
    store.request_access(invitation).await.expect("invited");
    let (first, second) = (fresh(1_000), fresh(2_000));
    for key in [&first, &first, &second] {
        assert!(store.issue_welcome_key(&welcome, key.clone()).await.expect("an answer"));
        assert_eq!(holder(&*store, key.hash).await.map(|holder| holder.id), Some(opening.id.clone()));
    }
    assert_eq!(holder(&*store, first.hash).await, None, "it never arrived");
    let own = issued(&*store, "a@b.c", Plan::Free).await.key;
    assert!(!store.issue_welcome_key(&welcome, fresh(3_000)).await.expect("an answer"));
    for hash in [own.hash(), second.hash] {
        assert!(holder(&*store, hash).await.is_some());
    }
    assert!(!store.issue_welcome_key(&letter(), fresh(3_000)).await.expect("an answer"), "no such letter");
}

async fn a_key_that_is_no_live_one_of_the_account_is_not_replaced(place: Place) {
    let store = place.open();
    let Issued { account, key } = issued(&*store, "a@b.c", Plan::Pro).await;
    let strange = issued(&*store, "x@y.z", Plan::Pro).await.key;
    let revoked = issued(&*store, "a@b.c", Plan::Pro).await.key;
    store.revoke_key(revoked.hash(), UnixMillis(1_500)).await.expect("an answer");
    for old in [strange.hash(), revoked.hash(), fresh(0).hash] {
        let mut wanted = replacement(&account.id, Some(old));
        wanted.mail = Some((letter(), UnixMillis(0)));
        let new = wanted.new.hash;
        assert!(!store.replace_keys(wanted).await.expect("an answer"));
        assert_eq!(holder(&*store, new).await, None);
    }
    let nobody = AccountId::generate().expect("a name");
    assert!(!store.replace_keys(replacement(&nobody, None)).await.expect("an answer"));
    assert!(holder(&*store, strange.hash()).await.is_some());
    assert!(holder(&*store, key.hash()).await.is_some());
    let letters = store.take_due_mails(UnixMillis(9_000), UnixMillis(10_000), 10).await.expect("letters");
    assert_eq!(letters, [], "nothing is changed");
}

async fn a_plan_is_set_and_only_for_accounts_that_are(place: Place) {
    let store = place.open();
    let Issued { account, key } = issued(&*store, "a@b.c", Plan::Free).await;
    assert!(store.set_plan(&account.id, Plan::Gringo).await.expect("an answer"));
    assert_eq!(holder(&*store, key.hash()).await.map(|account| account.plan), Some(Plan::Gringo));
    let nobody = AccountId::generate().expect("a name");
    assert!(!store.set_plan(&nobody, Plan::Gringo).await.expect("an answer"));
}

fn tally(name: &str, max: u32) -> RateLimit {
    RateLimit { name: name.to_owned(), max, ends_at: UnixMillis(2_000) }
}

async fn tallies_count_all_or_none_and_are_forgotten(place: Place) {
    let store = place.open();
    let count = async |tallies: Vec<RateLimit>, now: i64| {
        store.count_attempt(tallies, UnixMillis(now)).await.expect("an answer")
    };
    assert_eq!(count(vec![], 1_000).await, None);
    assert_eq!(count(vec![tally("a", 3), tally("b", 1)], 1_000).await, None);
    for _ in 0..3 {
        assert_eq!(count(vec![tally("a", 3), tally("b", 1)], 1_000).await, Some(1));
    }
    assert_eq!(count(vec![tally("a", 3)], 1_000).await, None, "what was refused was not counted");
    assert_eq!(count(vec![tally("a", 3)], 1_000).await, None);
    assert_eq!(
        count(vec![tally("c", 9), tally("b", 1), tally("a", 3)], 1_999).await,
        Some(1),
        "the first full"
    );
    let anew = |name: &str| RateLimit { ends_at: UnixMillis(3_000), ..tally(name, 1) };
    tokio::time::sleep(Duration::from_millis(1_010)).await;
    assert_eq!(count(vec![anew("a"), anew("b")], 2_000).await, None, "its end has come");
    assert_eq!(count(vec![tally("none", 0)], 1_000).await, Some(0));
}

async fn tallies_counted_at_once_never_pass_their_limit(place: Place) {
    let (store, other) = (place.open(), place.open());
    let asked: Vec<_> = (0..60)
        .map(|number| {
            let store = if number % 2 == 0 { store.clone() } else { other.clone() };
            let tallies = vec![tally("all", 100), tally("most", 25)];
            tokio::spawn(
                async move { store.count_attempt(tallies, UnixMillis(1_000)).await.expect("an answer") },
            )
        })
        .collect();
    let mut counted = 0;
    for answer in asked {
        counted += usize::from(answer.await.expect("an answer").is_none());
    }
    assert_eq!(counted, 25);
}

fn invitation(address: &str, opens: bool) -> AccessRequest {
    let opening = Account {
        id: AccountId::generate().expect("a name"),
        email: email(address),
        plan: Plan::Free,
        created_at: UnixMillis(1_000),
    };
    let profile =
        Profile { name: Some("Zé: \"da\" Silva".to_owned()), company: None, use_case: Some("x".to_owned()) };
    AccessRequest {
        email: email(address),
        new_account: opens.then_some((opening, profile)),
        mail: letter(),
        at: UnixMillis(1_000),
    }
}

/// All letters that are due, taken for good.
async fn taken(store: &dyn Store, now: i64) -> Vec<store::Mail> {
    store.take_due_mails(UnixMillis(now), UnixMillis(i64::MAX / 2), 100).await.expect("letters")
}

async fn an_invitation_opens_an_account_once(place: Place) {
    let store = place.open();
    let first = invitation("a@b.c", true);
    let (opening, profile) = first.new_account.clone().expect("an account");
    store.request_access(first.clone()).await.expect("invited");
    store.request_access(invitation("a@b.c", true)).await.expect("invited");
    assert_eq!(store.account(&email("a@b.c")).await.expect("an answer"), Some(opening.clone()));
    assert_eq!(store.profile(&opening.id).await.expect("a profile"), profile);
    let letters = taken(&*store, 1_000).await;
    assert_eq!(letters.len(), 2);
    let welcome = letters.iter().find(|letter| letter.id == first.mail).expect("the first");
    assert_eq!(
        *welcome,
        store::Mail {
            id: first.mail,
            account: opening.id,
            to: email("a@b.c"),
            kind: MailKind::Welcome,
            queued_at: UnixMillis(1_000),
            attempts: 1,
        }
    );
}

async fn an_invitation_to_nobody_queues_nothing(place: Place) {
    let store = place.open();
    store.request_access(invitation("a@b.c", false)).await.expect("the same answer");
    assert_eq!(store.account(&email("a@b.c")).await.expect("an answer"), None);
    assert_eq!(taken(&*store, 9_000).await, []);
}

async fn an_invitation_fits_what_the_account_has(place: Place) {
    let store = place.open();
    let Issued { account, key } = issued(&*store, "a@b.c", Plan::Pro).await;
    store.request_access(invitation("a@b.c", true)).await.expect("invited");
    assert_eq!(store.account(&account.email).await.expect("an answer"), Some(account.clone()));
    assert_eq!(store.profile(&account.id).await.expect("a profile"), Profile::default());
    assert_eq!(taken(&*store, 1_000).await[0].kind, MailKind::Recovery);
    store.revoke_key(key.hash(), UnixMillis(1_500)).await.expect("an answer");
    store.request_access(invitation("a@b.c", false)).await.expect("invited");
    assert_eq!(taken(&*store, 1_000).await[0].kind, MailKind::Welcome);
}

async fn an_invitation_asked_again_is_one_letter(place: Place) {
    let store = place.open();
    let once = invitation("a@b.c", true);
    store.request_access(once.clone()).await.expect("invited");
    assert_eq!(taken(&*store, 1_000).await.len(), 1);
    store.request_access(once).await.expect("invited");
    assert_eq!(taken(&*store, 1_000).await, [], "it is taken already");
}

async fn letters_come_the_longest_due_first_and_not_twice_within_their_time(place: Place) {
    let store = place.open();
    let mut names = Vec::new();
    for at in [3_000, 1_000, 2_000, 4_000] {
        let invitation = AccessRequest { at: UnixMillis(at), ..invitation("a@b.c", true) };
        names.push(invitation.mail.clone());
        store.request_access(invitation).await.expect("invited");
    }
    let collect = async |now: i64, again: i64, most: usize| {
        let letters = store.take_due_mails(UnixMillis(now), UnixMillis(again), most).await.expect("letters");
        letters.into_iter().map(|letter| (letter.id, letter.attempts)).collect::<Vec<_>>()
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
    assert!(again.len() == 2 && once_more.iter().all(|letter| again.contains(letter)), "{again:?}");
    assert_eq!(collect(9_000, 9_000, 0).await, []);
}

async fn letters_collected_at_once_go_to_one_each(place: Place) {
    let stores = [place.open(), place.open()];
    for _ in 0..50 {
        stores[0].request_access(invitation("a@b.c", true)).await.expect("invited");
    }
    let collections: Vec<_> = (0..20)
        .map(|number| {
            let store = stores[number % 2].clone();
            tokio::spawn(async move {
                store.take_due_mails(UnixMillis(1_000), UnixMillis(2_000), 3).await.expect("letters")
            })
        })
        .collect();
    let mut all = Vec::new();
    for collection in collections {
        all.extend(collection.await.expect("letters").into_iter().map(|letter| letter.id));
    }
    assert_eq!(all.len(), 50);
    assert_eq!(all.iter().collect::<HashSet<_>>().len(), 50);
}

async fn a_letter_is_put_off_and_discarded(place: Place) {
    let store = place.open();
    let once = invitation("a@b.c", true);
    store.request_access(once.clone()).await.expect("invited");
    store.postpone_mail(&once.mail, UnixMillis(5_000)).await.expect("put off");
    assert_eq!(taken(&*store, 4_999).await, []);
    assert_eq!(taken(&*store, 5_000).await.len(), 1);
    store.delete_mail(&once.mail).await.expect("discarded");
    store.delete_mail(&once.mail).await.expect("nothing to discard");
    store.postpone_mail(&once.mail, UnixMillis(0)).await.expect("nothing to put off");
    assert_eq!(taken(&*store, i64::MAX / 2).await, []);
}

async fn a_rotation_queues_its_letter(place: Place) {
    let store = place.open();
    let Issued { account, key } = issued(&*store, "a@b.c", Plan::Pro).await;
    let mut wanted = replacement(&account.id, Some(key.hash()));
    wanted.mail = Some((letter(), UnixMillis(6_000)));
    assert!(store.replace_keys(wanted).await.expect("an answer"));
    assert_eq!(taken(&*store, 5_999).await, []);
    let letters = taken(&*store, 6_000).await;
    assert_eq!((letters[0].kind, &letters[0].to), (MailKind::Rotated, &account.email));
    assert_eq!(letters[0].queued_at, UnixMillis(2_000));
}

fn code(number: u8, tries: u32) -> CodeRecord {
    CodeRecord { hash: CodeHash([number; 32]), expires_at: UnixMillis(3_000), tries }
}

/// Tries a code at 2,000.
fn redemption(address: &str, number: u8) -> CodeRedemption {
    CodeRedemption { email: email(address), code: CodeHash([number; 32]), new: fresh(2_000), mail: None }
}

async fn redeem(store: &dyn Store, redemption: CodeRedemption) -> Option<Account> {
    store.redeem_recovery_code(redemption).await.expect("an answer")
}

async fn a_code_is_worth_one_new_key_in_the_place_of_all(place: Place) {
    let store = place.open();
    let Issued { account, key } = issued(&*store, "a@b.c", Plan::Pro).await;
    store.save_recovery_code(&account.id, code(1, 5)).await.expect("kept");
    let wanted = redemption("a@b.c", 1);
    let new = wanted.new.hash;
    assert_eq!(redeem(&*store, wanted).await, Some(account.clone()));
    assert_eq!(holder(&*store, new).await, Some(account));
    assert_eq!(holder(&*store, key.hash()).await, None);
    assert_eq!(redeem(&*store, redemption("a@b.c", 1)).await, None, "it is spent");
    assert!(holder(&*store, new).await.is_some());
}

async fn one_of_two_redemptions_of_a_code_is_done(place: Place) {
    let (store, other) = (place.open(), place.open());
    let Issued { account, .. } = issued(&*store, "a@b.c", Plan::Pro).await;
    for number in 0..10 {
        store.save_recovery_code(&account.id, code(number, 5)).await.expect("kept");
        let (one, two) = tokio::join!(
            redeem(&*store, redemption("a@b.c", number)),
            redeem(&*other, redemption("a@b.c", number))
        );
        assert!(one.is_some() != two.is_some(), "{one:?} {two:?}");
    }
}

async fn a_redemption_asked_again_is_done_once(place: Place) {
    let store = place.open();
    let Issued { account, .. } = issued(&*store, "a@b.c", Plan::Pro).await;
    store.save_recovery_code(&account.id, code(1, 5)).await.expect("kept");
    let wanted = redemption("a@b.c", 1);
    assert_eq!(redeem(&*store, wanted.clone()).await, Some(account.clone()));
    assert_eq!(redeem(&*store, wanted).await, Some(account.clone()));
    assert_eq!(store.keys(&account.id).await.expect("keys").len(), 2);
}

async fn a_code_expires(place: Place) {
    let store = place.open();
    let Issued { account, .. } = issued(&*store, "a@b.c", Plan::Pro).await;
    let until = |at: i64| CodeRecord { expires_at: UnixMillis(at), ..code(1, 5) };
    store.save_recovery_code(&account.id, until(2_000)).await.expect("kept");
    assert_eq!(redeem(&*store, redemption("a@b.c", 1)).await, None);
    store.save_recovery_code(&account.id, until(2_001)).await.expect("kept");
    assert!(redeem(&*store, redemption("a@b.c", 1)).await.is_some());
}

async fn a_code_dies_of_wrong_tries(place: Place) {
    let store = place.open();
    let Issued { account, .. } = issued(&*store, "a@b.c", Plan::Pro).await;
    for (wrong, lives) in [(2, true), (3, false)] {
        store.save_recovery_code(&account.id, code(1, 3)).await.expect("kept");
        for _ in 0..wrong {
            assert_eq!(redeem(&*store, redemption("a@b.c", 9)).await, None);
        }
        assert_eq!(redeem(&*store, redemption("a@b.c", 1)).await.is_some(), lives);
    }
}

async fn a_later_code_takes_the_place_of_an_earlier_one(place: Place) {
    let store = place.open();
    let Issued { account, .. } = issued(&*store, "a@b.c", Plan::Pro).await;
    store.save_recovery_code(&account.id, code(1, 5)).await.expect("kept");
    store.save_recovery_code(&account.id, code(2, 5)).await.expect("kept");
    assert_eq!(redeem(&*store, redemption("a@b.c", 1)).await, None);
    assert!(redeem(&*store, redemption("a@b.c", 2)).await.is_some());
}

async fn a_code_of_one_address_is_worth_nothing_for_another(place: Place) {
    let store = place.open();
    let Issued { account, .. } = issued(&*store, "a@b.c", Plan::Pro).await;
    issued(&*store, "x@y.z", Plan::Pro).await;
    store.save_recovery_code(&account.id, code(1, 5)).await.expect("kept");
    assert_eq!(redeem(&*store, redemption("x@y.z", 1)).await, None);
    assert_eq!(redeem(&*store, redemption("no@bo.dy", 1)).await, None);
    assert!(redeem(&*store, redemption("a@b.c", 1)).await.is_some());
}

/// One lease of one process, which keeps to the contract.
#[derive(Clone)]
pub(crate) struct Lessee {
    pub(crate) claim: Claim,
}

impl Lessee {
    pub(crate) fn new(account: &str, limit: u32) -> Lessee {
        let now = UnixMillis(1_000);
        let claim = Claim {
            account: AccountId::from_stored(account.to_owned()),
            period: Clock::standing_at(now).moment().minute(),
            limit,
            holder: HolderId::generate().expect("a name"),
            number: 0,
            used: 0,
            held: 0,
            want: 0,
            by_action: Vec::new(),
            now,
        };
        Lessee { claim }
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

    /// Claims and takes what it gets.
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
    let mut lessees = [Lessee::new("acct_1", 100), Lessee::new("acct_1", 100), Lessee::new("acct_1", 100)];
    assert_eq!(lessees[0].ask(&*store, 60).await, Grant { granted: 60, others_used: 0, others_granted: 0 });
    lessees[0].spend(10);
    assert_eq!(lessees[0].ask(&*store, 60).await.granted, 70, "ten are spent, and sixty wanted");
    assert_eq!(lessees[1].ask(&*store, 60).await, Grant { granted: 30, others_used: 10, others_granted: 70 });
    assert_eq!(lessees[2].ask(&*store, 60).await.granted, 0);
    lessees[0].spend(70);
    assert_eq!(lessees[0].ask(&*store, 60).await.granted, 70, "nothing is left");
    assert_eq!(lessees[2].ask(&*store, 1).await, Grant { granted: 0, others_used: 70, others_granted: 100 });
}

async fn leases_claimed_at_once_never_exceed_the_limit(place: Place) {
    let stores = [place.open(), place.open()];
    let lessees: Vec<_> = (0..8)
        .map(|number| {
            let store = stores[number % 2].clone();
            tokio::spawn(async move {
                let mut lessee = Lessee::new("acct_1", 300);
                for _ in 0..40 {
                    lessee.ask(&*store, 3).await;
                    lessee.spend(2);
                }
                lessee.claim.used
            })
        })
        .collect();
    let mut used = 0;
    for lessee in lessees {
        used += lessee.await.expect("a lessee");
    }
    assert!((300 - 8..=300).contains(&used), "{used}");
}

async fn a_claim_that_comes_again_or_late_is_answered_with_what_is_granted(place: Place) {
    let store = place.open();
    let mut lessee = Lessee::new("acct_1", 100);
    let first = lessee.next(10);
    let second = lessee.next(20);
    assert_eq!(store.lease(second.clone()).await.expect("a grant").granted, 20);
    assert_eq!(store.lease(first).await.expect("a grant").granted, 20, "late");
    assert_eq!(store.lease(second).await.expect("a grant").granted, 20, "again");
    lessee.claim.held = 20;
    lessee.spend(5);
    assert_eq!(lessee.ask(&*store, 0).await.granted, 5);
}

async fn what_is_given_up_is_there_for_others(place: Place) {
    let store = place.open();
    let (mut one, mut two) = (Lessee::new("acct_1", 100), Lessee::new("acct_1", 100));
    one.ask(&*store, 100).await;
    one.spend(40);
    assert_eq!(two.ask(&*store, 100).await.granted, 0);
    assert_eq!(one.ask(&*store, 0).await.granted, 40);
    assert_eq!(two.ask(&*store, 100).await, Grant { granted: 60, others_used: 40, others_granted: 40 });
}

async fn a_limit_that_moves_is_kept_from_then_on(place: Place) {
    let store = place.open();
    let mut lessee = Lessee::new("acct_1", 100);
    lessee.ask(&*store, 80).await;
    lessee.spend(20);
    lessee.claim.limit = 50;
    assert_eq!(lessee.ask(&*store, 60).await.granted, 50);
    lessee.claim.limit = 10;
    assert_eq!(lessee.ask(&*store, 60).await.granted, 20, "what was spent was spent");
    lessee.claim.limit = 1_000;
    assert_eq!(lessee.ask(&*store, 60).await.granted, 80);
}

async fn statements_tell_what_each_holder_said(place: Place) {
    let store = place.open();
    let (mut one, mut two) = (Lessee::new("acct_1", 100), Lessee::new("acct_1", 100));
    one.ask(&*store, 10).await;
    one.spend(3);
    one.claim.by_action = vec![("search_events", 2), ("get_place", 1)];
    one.ask(&*store, 10).await;
    two.ask(&*store, 5).await;
    let statements = store.leases(&one.claim.account, one.claim.period).await.expect("statements");
    assert_eq!(statements.len(), 2);
    let of = |lessee: &Lessee| {
        let mut all = statements.iter();
        all.find(|statement| statement.holder == lessee.claim.holder).expect("a statement")
    };
    let first = of(&one);
    assert_eq!((first.granted, first.used), (13, 3));
    assert_eq!(first.by_action, [("search_events".to_owned(), 2), ("get_place".to_owned(), 1)]);
    assert_eq!((of(&two).granted, of(&two).used), (5, 0));
}

async fn each_account_and_period_has_its_own_leases(place: Place) {
    let store = place.open();
    let mut one = Lessee::new("acct_1", 100);
    one.ask(&*store, 100).await;
    assert_eq!(Lessee::new("acct_2", 100).ask(&*store, 100).await.granted, 100);
    let moment = Clock::standing_at(UnixMillis(1_000)).moment();
    for period in [moment.month(), moment.minute().next_minute()] {
        let mut other = Lessee::new("acct_1", 100);
        other.claim.period = period;
        assert_eq!(other.ask(&*store, 100).await.granted, 100);
    }
    let statements =
        async |period: Period| store.leases(&one.claim.account, period).await.map(|all| all.len());
    assert!(matches!(statements(moment.month()).await, Ok(1)));
    assert!(matches!(statements(moment.minute().next_minute().next_minute()).await, Ok(0)));
}

async fn the_process_that_moves_keys_has_heard_of_it_when_it_is_answered(place: Place) {
    let (store, heard) = place.serving().await;
    let Issued { account, key } = issued(&*store, "a@b.c", Plan::Free).await;
    let told = Change::Account(account.id.clone());
    let noticed = || {
        let noticed = heard.has(&told);
        heard.clear();
        noticed
    };
    assert!(noticed(), "issued");
    assert!(store.set_plan(&account.id, Plan::Pro).await.expect("an answer"));
    assert!(noticed(), "plan set");
    let wanted = replacement(&account.id, Some(key.hash()));
    let new = wanted.new.hash;
    assert!(store.replace_keys(wanted).await.expect("an answer"));
    assert!(noticed(), "replaced");
    assert!(store.revoke_key(new, UnixMillis(2_500)).await.expect("an answer"));
    assert!(noticed(), "revoked");
    store.save_recovery_code(&account.id, code(1, 5)).await.expect("kept");
    assert!(redeem(&*store, redemption("a@b.c", 1)).await.is_some());
    assert!(noticed(), "redeemed");
}

async fn the_process_that_serves_hears_of_others_within_a_second(place: Place) {
    let (_server, heard) = place.serving().await;
    let command = place.open();
    let Issued { account, key } = issued(&*command, "a@b.c", Plan::Free).await;
    let told = Change::Account(account.id.clone());
    let hears = async || {
        within_a_second(true, async || heard.has(&told) || heard.has(&Change::Everything)).await;
        heard.clear();
    };
    hears().await;
    command.set_plan(&account.id, Plan::Pro).await.expect("an answer");
    hears().await;
    command.revoke_key(key.hash(), UnixMillis(0)).await.expect("an answer");
    hears().await;
}

async fn a_process_that_serves_vouches(place: Place) {
    let (store, _) = place.serving().await;
    for _ in 0..20 {
        assert!(store.is_trusted(Instant::now()));
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    store.refresh().await.expect("its word");
    store.recall(&AccountId::from_stored("acct_1".to_owned())).await.expect("called in");
}

// --- what the keys above it make of a store

/// The keys of a process on a store.
fn keys_on(store: &Arc<dyn Store>, metrics: &Metrics) -> Arc<Keys> {
    let background = tokio::runtime::Handle::current();
    let meter = Quota::new(store.clone(), &[], Clock::machine(), background, metrics.leases.clone());
    Arc::new(Keys::new(store.clone(), Arc::new(meter), metrics.keys.clone()))
}

/// The plan of whoever holds a key.
async fn plan_of(keys: &Keys, key: &[u8]) -> Result<Plan, ApiError> {
    keys.caller(key, Instant::now()).await.map(|caller| caller.account.plan)
}

#[tokio::test]
async fn what_another_process_writes_is_noticed_within_a_second() {
    let place = Place::sqlite();
    let (server, command) = (place.open(), place.open());
    let keys = keys_on(&server, &Metrics::new());
    server.register(keys.listener()).await.expect("attended");
    let plan = async |key: &ApiKey| plan_of(&keys, key.reveal().as_bytes()).await;

    let Issued { account, key } = issued(&*command, "a@b.c", Plan::Free).await;
    assert_eq!(plan(&key).await, Ok(Plan::Free), "a new key is asked for, so it works at once");
    command.set_plan(&account.id, Plan::Pro).await.expect("an answer");
    within_a_second(Ok(Plan::Pro), async || plan(&key).await).await;
    command.revoke_key(key.hash(), UnixMillis(0)).await.expect("an answer");
    within_a_second(Err(ApiError::InvalidKey), async || plan(&key).await).await;
}

#[tokio::test]
async fn what_this_process_writes_holds_at_once() {
    let place = Place::sqlite();
    let store = place.open();
    let keys = keys_on(&store, &Metrics::new());
    store.register(keys.listener()).await.expect("attended");
    let Issued { account, key } = issued(&*store, "a@b.c", Plan::Free).await;
    let plan = async || plan_of(&keys, key.reveal().as_bytes()).await;
    assert_eq!(plan().await, Ok(Plan::Free));
    store.set_plan(&account.id, Plan::Gringo).await.expect("an answer");
    assert_eq!(plan().await, Ok(Plan::Gringo));
    store.revoke_key(key.hash(), UnixMillis(0)).await.expect("an answer");
    assert_eq!(plan().await, Err(ApiError::InvalidKey));
}

#[tokio::test]
async fn the_store_is_asked_once_about_a_key_and_never_about_what_cannot_be_one() {
    let place = Place::sqlite();
    let store = place.open();
    let metrics = Metrics::new();
    let keys = keys_on(&store, &metrics);
    let Issued { key, .. } = issued(&*store, "a@b.c", Plan::Free).await;
    let stranger = ApiKey::generate().expect("a key");
    let mistyped = key.reveal().replace("cdg_live_", "cdg_test_");
    for _ in 0..3 {
        assert!(plan_of(&keys, key.reveal().as_bytes()).await.is_ok());
        assert_eq!(plan_of(&keys, stranger.reveal().as_bytes()).await, Err(ApiError::InvalidKey));
        assert_eq!(plan_of(&keys, mistyped.as_bytes()).await, Err(ApiError::InvalidKey));
        assert_eq!(plan_of(&keys, b"").await, Err(ApiError::InvalidKey));
    }
    assert_eq!(metrics.keys.misses.get(), 2, "one for the key, one for the stranger");
    assert_eq!(metrics.keys.hits.get(), 4);
}

// --- what only a file promises

#[tokio::test]
async fn what_dead_servers_had_not_given_back_is_spent() {
    let place = Place::sqlite();
    let mut dead = Lessee::new("acct_1", 100);
    dead.ask(&*place.serving().await.0, 30).await;
    let (store, _) = place.serving().await;
    let grant = Lessee::new("acct_1", 100).ask(&*store, 100).await;
    assert_eq!(grant, Grant { granted: 70, others_used: 30, others_granted: 30 });
}

#[tokio::test]
async fn leases_of_the_past_are_cleared_away() {
    let place = Place::sqlite();
    let store = place.open();
    let mut old = Lessee::new("acct_1", 100);
    old.ask(&*store, 30).await;
    let mut late = Lessee::new("acct_1", 100);
    late.claim.now = UnixMillis(old.claim.period.ends_at.0 + 11 * 60_000);
    late.claim.period = Clock::standing_at(late.claim.now).moment().minute();
    late.ask(&*store, 30).await;
    let statements = store.leases(&old.claim.account, old.claim.period).await.expect("statements");
    assert_eq!(statements, []);
}

fn sqlite(folder: &Path) -> Sqlite {
    Sqlite::open(&folder.join("candango.db")).expect("a store")
}

#[tokio::test]
async fn the_files_are_for_their_owner_only() {
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
async fn a_file_of_the_first_version_is_brought_up_to_date() {
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
    let account = store.account(&email("a@b.c")).await.expect("an answer").expect("an account");
    assert_eq!(store.profile(&account.id).await.expect("a profile"), Profile::default());
    store.request_access(invitation("a@b.c", false)).await.expect("invited");
    assert_eq!(taken(&store, 1_000).await.len(), 1);
}

#[test]
fn a_file_of_a_later_version_is_left_alone() {
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
    first.register(Heard::default().listener()).await.expect("the first");
    for name in [&path, &linked] {
        let second = Sqlite::open(name).expect("the command line may write beside a server");
        let refused = second.register(Heard::default().listener()).await.expect_err("the second");
        assert!(refused.to_string().contains("another server is on"), "{refused}");
    }
    drop(first);
    let next = Sqlite::open(&path).expect("opened");
    next.register(Heard::default().listener()).await.expect("the first has gone");
}

fn entry(account: &AccountId, version: u32, text: &str) -> SubscriptionUpdate {
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

fn notice(id: &str, at: i64) -> WebhookEvent {
    WebhookEvent { id: id.to_owned(), text: format!("what {id} says"), at: UnixMillis(at), attempts: 0 }
}

async fn books_are_written_by_one_at_a_time(place: Place) {
    let store = place.open();
    let account = issued(&*store, "a@b.c", Plan::Free).await.account.id;
    assert_eq!(store.subscription_record(&account).await.expect("asked"), SubscriptionRecord::default());
    assert!(!store.save_subscription(entry(&account, 1, "early")).await.expect("asked"));
    assert!(store.save_subscription(entry(&account, 0, "one")).await.expect("entered"));
    assert!(!store.save_subscription(entry(&account, 0, "one again")).await.expect("asked"));
    let (left, right) = (place.open(), place.open());
    let (left, right) = tokio::join!(
        left.save_subscription(entry(&account, 1, "left")),
        right.save_subscription(entry(&account, 1, "right"))
    );
    let (left, right) = (left.expect("asked"), right.expect("asked"));
    assert!(left != right, "one of two");
    let text = if left { "left" } else { "right" };
    assert_eq!(
        store.subscription_record(&account).await.expect("asked"),
        SubscriptionRecord { version: 2, text: text.to_owned() }
    );
}

async fn an_entry_brings_everything_with_it_or_nothing(place: Place) {
    let (store, heard) = place.serving().await;
    let (other, there) = (place.open(), Heard::default());
    let is_shared = matches!(place.spec, StoreSpec::Redis(_));
    if is_shared {
        other.register(there.listener()).await.expect("attended");
    }
    let account = issued(&*store, "a@b.c", Plan::Free).await.account;
    let second = issued(&*store, "x@y.z", Plan::Free).await.account;
    heard.clear();
    there.clear();
    assert!(store.save_webhook_event(notice("evt_1&2", 4_000)).await.expect("kept"));
    let whole = |version, plan| SubscriptionUpdate {
        plan: Some(plan),
        references: vec!["chk_1".to_owned(), "sub_1".to_owned()],
        mails: vec![(MailId::from_stored(format!("ltr_{version}")), MailKind::Paid)],
        due_at: Some(UnixMillis(9_000)),
        finished_event: Some("evt_1&2".to_owned()),
        ..entry(&account.id, version, "paid")
    };
    assert!(!store.save_subscription(whole(7, Plan::Business)).await.expect("asked"));
    assert_eq!(store.account_of_reference("chk_1").await.expect("asked"), None);
    assert_eq!(store.account(&account.email).await.expect("asked"), Some(account.clone()));
    assert!(!heard.has(&Change::Account(account.id.clone())));

    assert!(store.save_subscription(whole(0, Plan::Pro)).await.expect("entered"));
    assert!(heard.has(&Change::Account(account.id.clone())), "heard before the answer");
    let now_pro = Account { plan: Plan::Pro, ..account.clone() };
    assert_eq!(store.account(&account.email).await.expect("asked"), Some(now_pro));
    assert_eq!(store.account_of_reference("chk_1").await.expect("asked"), Some(account.id.clone()));
    assert_eq!(store.account_of_reference("sub_1").await.expect("asked"), Some(account.id.clone()));
    let letters = taken(&*store, 5_000).await;
    assert_eq!((letters.len(), letters[0].kind, &letters[0].to), (1, MailKind::Paid, &account.email));
    assert_eq!(
        store.take_due_webhook_events(UnixMillis(8_000), UnixMillis(9_000), 10).await.expect("asked"),
        []
    );
    assert_eq!(
        store.take_due_subscriptions(UnixMillis(9_000), UnixMillis(9_500), 10).await.expect("asked"),
        std::slice::from_ref(&account.id)
    );
    // a reference stays whose it was
    let stolen = SubscriptionUpdate { references: vec!["sub_1".to_owned()], ..entry(&second.id, 0, "mine") };
    assert!(store.save_subscription(stolen).await.expect("entered"));
    assert_eq!(other.account_of_reference("sub_1").await.expect("asked"), Some(account.id.clone()));
    if is_shared {
        within_a_second(true, async || there.has(&Change::Account(account.id.clone()))).await;
    }
}

async fn books_are_for_accounts_that_are(place: Place) {
    let store = place.open();
    let nobody = AccountId::generate().expect("a name");
    assert!(!store.save_subscription(entry(&nobody, 0, "one")).await.expect("asked"));
    assert_eq!(store.subscription_record(&nobody).await.expect("asked"), SubscriptionRecord::default());
}

async fn books_come_when_they_are_due_and_not_twice_within_their_time(place: Place) {
    let store = place.open();
    let mut accounts = Vec::new();
    for (number, due_at) in [Some(3_000), Some(1_000), None, Some(2_000)].into_iter().enumerate() {
        let account = issued(&*store, &format!("a{number}@b.c"), Plan::Free).await.account.id;
        let entry = SubscriptionUpdate { due_at: due_at.map(UnixMillis), ..entry(&account, 0, "one") };
        assert!(store.save_subscription(entry).await.expect("entered"));
        accounts.push(account);
    }
    let due = async |now, again, most| {
        store.take_due_subscriptions(UnixMillis(now), UnixMillis(again), most).await.expect("asked")
    };
    assert_eq!(due(999, 9_000, 10).await, []);
    assert_eq!(due(3_000, 9_000, 2).await, [accounts[1].clone(), accounts[3].clone()]);
    assert_eq!(due(3_000, 9_500, 10).await, [accounts[0].clone()]);
    assert_eq!(due(8_999, 9_500, 10).await, []);
    // the entry of whoever took it says when it is due next
    assert!(store.save_subscription(entry(&accounts[1], 1, "done")).await.expect("entered"));
    assert_eq!(due(9_000, 9_900, 10).await, [accounts[3].clone()]);
}

async fn a_notice_is_kept_once_even_after_it_was_settled(place: Place) {
    let store = place.open();
    assert!(store.save_webhook_event(notice("evt_1", 1_000)).await.expect("kept"));
    assert!(!place.open().save_webhook_event(notice("evt_1", 2_000)).await.expect("asked"));
    store.finish_webhook_event("evt_1", UnixMillis(3_000)).await.expect("settled");
    store.finish_webhook_event("evt_unknown", UnixMillis(3_000)).await.expect("nothing to settle");
    assert!(!store.save_webhook_event(notice("evt_1", 4_000)).await.expect("asked"));
    assert_eq!(
        store.take_due_webhook_events(UnixMillis(90_000), UnixMillis(99_000), 10).await.expect("asked"),
        []
    );
}

async fn notices_come_the_longest_due_first_and_not_twice_within_their_time(place: Place) {
    let store = place.open();
    for (id, at) in [("evt_b", 2_000), ("evt_a", 1_000), ("evt_c", 3_000)] {
        assert!(store.save_webhook_event(notice(id, at)).await.expect("kept"));
    }
    let taken = async |now, again, most| {
        store.take_due_webhook_events(UnixMillis(now), UnixMillis(again), most).await.expect("asked")
    };
    let once = |id: &str, at: i64| WebhookEvent { attempts: 1, ..notice(id, at) };
    assert_eq!(taken(2_500, 9_000, 10).await, [once("evt_a", 1_000), once("evt_b", 2_000)]);
    assert_eq!(taken(3_000, 9_000, 10).await, [once("evt_c", 3_000)]);
    assert_eq!(taken(9_000, 9_900, 1).await, [WebhookEvent { attempts: 2, ..notice("evt_a", 1_000) }]);
}
