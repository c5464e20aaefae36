//! A mailer whose mail server does not exist or comes back, by a clock that the tests set.

use std::path::Path;

use super::*;
use crate::config::Override;
use crate::domain::account::{AccountId, Email, ReaderId};
use crate::domain::api_key::KeyHash;
use crate::domain::language::Language;
use crate::domain::reader::Reader;
use crate::metrics::Metrics;
use crate::store::rows::Table;
use crate::store::{
    AccessRequest, AccessRequestKind, AccountStore, AdminStore, EmailChange, KeyReplacement, sqlite::Sqlite,
};
use chrono::NaiveDate;
use tempfile::TempDir;

/// Has nothing to write to readers.
struct NoLetters;

impl LetterSource for NoLetters {
    fn weekend(
        &self,
        _language: Language,
        _area: Option<&str>,
        _thursday: NaiveDate,
    ) -> Result<Option<Weekend>, NoGuide> {
        Err(NoGuide)
    }

    fn area_name(&self, _area: &str) -> Option<String> {
        None
    }
}

const START: UnixMillis = UnixMillis(1_790_000_000_000);

/// A mailer of a store, whose server does not exist.
fn mailer_of(folder: &Path, store: Arc<dyn MailStore>) -> Arc<MailerState> {
    let closed =
        std::net::TcpListener::bind("127.0.0.1:0").and_then(|held| held.local_addr()).expect("a port");
    mailer_with(folder, store, format!("smtp://{closed}"))
}

/// A mailer of a store that sends in some way.
fn mailer_with(folder: &Path, store: Arc<dyn MailStore>, value: String) -> Arc<MailerState> {
    let mail = Override { origin: "the test".to_owned(), setting: "mail".to_owned(), value };
    let empty = folder.join("candango.toml");
    std::fs::write(&empty, "").expect("a file");
    let config = Config::load(Some(&empty), [], &[mail]).expect("settings");
    let clock = Clock::standing_at(START);
    Mailer::new(&config, store, clock, Metrics::new().mail).expect("a mailer").0
}

/// A mailer whose server does not exist, with one welcome mail in the queue.
async fn mailer_with_a_welcome() -> (TempDir, Arc<MailerState>, Email) {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Arc::new(Sqlite::open(&folder.path().join("candango.db"), folder.path()).expect("a store"));
    let mailer = mailer_of(folder.path(), store.clone());
    let email: Email = "maria@x.example".parse().expect("an address");
    let account = Account::new(AccountId::generate().expect("an id"), email.clone(), START);
    let request = AccessRequest {
        email: email.clone(),
        kind: AccessRequestKind::SignUp(account, Default::default()),
        mail: MailId::generate().expect("an id"),
        limits: Vec::new(),
        at: START,
    };
    store.request_access(request).await.expect("queued");
    (folder, mailer, email)
}

/// Takes what is due at a moment and tries to send it; returns how many mails that were.
async fn round(mailer: &MailerState, at: UnixMillis) -> usize {
    mailer.clock.set(at);
    let take = TakeDue { now: at, retry_at: at.after(RESERVE), max: 10 };
    let mails = mailer.store.take_due_mails(&mailer.id, take).await.expect("mails");
    let count = mails.len();
    for mail in mails {
        mailer.deliver(mail).await;
    }
    count
}

/// The live keys of an account.
async fn live_keys(mailer: &MailerState, account: &AccountId) -> Vec<KeyHash> {
    let keys = mailer.store.keys(account).await.expect("keys");
    keys.into_iter().filter(|key| key.revoked_at.is_none()).map(|key| key.hash).collect()
}

#[tokio::test]
async fn a_mail_is_tried_at_growing_intervals_and_abandoned_after_a_day() {
    let (_folder, mailer, _) = mailer_with_a_welcome().await;
    let (mut at, mut tries, mut last) = (START, Vec::new(), START);
    while mailer.metrics.abandoned.get() == 0 {
        if round(&mailer, at).await > 0 {
            tries.push((at.0 - last.0) / 1_000);
            last = at;
        }
        // about a hundred looks in each wait
        at = UnixMillis(at.0 + 1_000 + (at.0 - last.0) / 100);
        assert!(at < START.after(RETRY.max_age + RETRY.longest), "it is never abandoned: {tries:?}");
    }
    assert_eq!(mailer.metrics.failed.get(), tries.len() as u64);
    assert!((8..=13).contains(&tries[1]) && (16..=25).contains(&tries[2]), "{tries:?}");
    assert!(tries.iter().all(|wait| *wait <= 4_400) && (25..=45).contains(&tries.len()), "{tries:?}");
    assert!(last > START.after(RETRY.max_age - RETRY.longest * 2), "{tries:?}");
    assert_eq!(round(&mailer, at.after(RETRY.max_age)).await, 0, "it is no longer queued");
    assert!(mailer.pending.lock().is_empty() && mailer.metrics.sent.get() == 0);
}

#[tokio::test]
async fn a_mail_to_a_reader_that_is_sent_after_failures_hastens_the_mails_that_wait() {
    let (folder, unused, _) = mailer_with_a_welcome().await;
    let outbox = folder.path().join("outbox");
    let mailer = mailer_with(folder.path(), unused.store.clone(), format!("outbox:{}", outbox.display()));
    std::fs::remove_dir(&outbox).expect("an empty outbox");
    let mut at = START;
    for _ in 0..9 {
        assert_eq!(round(&mailer, at).await, 1, "after each wait");
        at = at.after(RETRY.longest * 2);
    }
    // the next attempt is about an hour away
    assert_eq!(round(&mailer, at).await, 1);
    assert_eq!((round(&mailer, at).await, mailer.metrics.sent.get()), (0, 0));

    std::fs::create_dir(&outbox).expect("an outbox");
    let reader = Reader {
        id: ReaderId::generate().expect("an id"),
        email: "ana@x.example".parse().expect("an address"),
        language: Language::Portuguese,
        area: None,
        asked_at: at,
        confirmed_at: None,
    };
    mailer.deliver_to_reader(reader, 1, &NoLetters).await;
    assert_eq!(mailer.metrics.sent.get(), 1);
    assert_eq!((round(&mailer, at).await, mailer.metrics.sent.get()), (1, 2), "the welcome is due at once");
}

#[tokio::test]
async fn a_second_attempt_carries_the_same_key_unless_the_reader_has_another() {
    let (_folder, mailer, email) = mailer_with_a_welcome().await;
    assert_eq!(round(&mailer, START).await, 1);
    let account = mailer.store.account(&email).await.expect("an answer").expect("an account").id;
    let live = async || live_keys(&mailer, &account).await;
    let made = live().await;
    assert_eq!(made.len(), 1);
    let later = START.after(RETRY.first * 2);
    assert_eq!(round(&mailer, later).await, 1);
    assert_eq!(live().await, made, "no other key for a second attempt");

    let other = ApiKey::generate().expect("a key");
    let replacement = KeyReplacement {
        account: account.clone(),
        old: None,
        new: KeyRecord::of(&other, later),
        // in no round of this test
        mail: Mailer(mailer.clone()).hold_key(&other, UnixMillis(i64::MAX)).expect("an id"),
    };
    assert!(mailer.store.replace_keys(replacement).await.expect("an answer"));
    assert_eq!(round(&mailer, later.after(RETRY.first * 4)).await, 1);
    assert_eq!(live().await, [other.hash()]);
    assert_eq!(round(&mailer, START.after(RETRY.max_age)).await, 0, "it is no longer queued");
    assert_eq!((mailer.metrics.failed.get(), mailer.metrics.abandoned.get()), (2, 0));
}

#[tokio::test]
async fn mailers_that_try_by_turns_end_each_others_keys_and_never_the_mail() {
    let (folder, first, email) = mailer_with_a_welcome().await;
    let second = mailer_of(folder.path(), first.store.clone());
    let account = first.store.account(&email).await.expect("an answer").expect("an account").id;
    let live = async || live_keys(&first, &account).await;
    // each is away for long when its turn comes, so that the other takes the mail
    let (mut at, mut made) = (START, Vec::new());
    for mailer in [&first, &second, &first, &second, &first] {
        assert_eq!(round(mailer, at).await, 1, "still queued after {}", made.len());
        made.extend(live().await);
        at = at.after(RETRY.first * 64);
    }
    let mut different = made.clone();
    different.dedup();
    assert_eq!((made.len(), different.len()), (5, 5), "one live key after each attempt, and a fresh one");
    assert_eq!((first.metrics.obsolete.get(), second.metrics.obsolete.get()), (0, 0));

    let own = *made.last().expect("a key");
    assert!(first.store.revoke_key(own, at).await.expect("an answer").is_some());
    assert_eq!(round(&second, at).await, 1);
    assert_eq!(live().await, [], "the operator ended it");
    assert_eq!(second.metrics.obsolete.get(), 1);
    assert_eq!(round(&first, START.after(RETRY.max_age)).await, 0, "it is no longer queued");
}

#[tokio::test]
async fn a_code_for_the_old_mailbox_is_neither_stored_nor_sent() {
    let (folder, unused, email) = mailer_with_a_welcome().await;
    let outbox = folder.path().join("outbox");
    let sqlite = Arc::new(Sqlite::open(&folder.path().join("candango.db"), folder.path()).expect("a store"));
    let mailer = mailer_with(folder.path(), sqlite.clone(), format!("outbox:{}", outbox.display()));
    let account = mailer.store.account(&email).await.expect("an answer").expect("an account");
    for kind in [MailKind::Recovery, MailKind::SignIn] {
        let mail = MailId::generate().expect("an id");
        mailer.store.queue_mail(account.clone(), &mail, kind, START).await.expect("queued");
    }
    let take = TakeDue { now: START, retry_at: START.after(RESERVE), max: 10 };
    let taken = mailer.store.take_due_mails(&mailer.id, take).await.expect("mails");
    let to = "new@x.example".parse().expect("an address");
    assert!(matches!(sqlite.set_email(&account.id, &to).await, Ok(EmailChange::Done)));
    assert_eq!(taken.len(), 3);
    for mail in taken {
        mailer.deliver(mail).await;
    }
    assert_eq!(
        (mailer.metrics.obsolete.get(), mailer.metrics.sent.get()),
        (3, 0),
        "the welcome is one of them"
    );
    assert_eq!(sqlite.rows(&[Table::Codes], None).await.expect("rows"), []);
    drop(unused);
}

#[tokio::test]
async fn a_mailer_leaves_a_mail_to_the_one_that_holds_its_key() {
    let (folder, first, _) = mailer_with_a_welcome().await;
    let second = mailer_of(folder.path(), first.store.clone());
    assert_eq!(round(&first, START).await, 1);
    let due = START.after(RETRY.first * 2);
    assert_eq!(round(&second, due).await, 0);
    assert_eq!(round(&first, due).await, 1);
}

#[tokio::test]
async fn pending_mails_are_bounded_and_dropped_when_old() {
    let (_folder, mailer, _) = mailer_with_a_welcome().await;
    let key = ApiKey::generate().expect("a key");
    for number in 0..MAX_PENDING + 5 {
        mailer.hold(&MailId::from_stored(format!("ltr_{number}")), Some(&key), START);
    }
    assert_eq!(mailer.pending.lock().len(), MAX_PENDING);
    assert_eq!(mailer.key_of(&MailId::from_stored("ltr_0".to_owned())), Some(key));
    mailer.drop_old(START.after(RETRY.max_age));
    assert_eq!(mailer.pending.lock().len(), MAX_PENDING);
    mailer.drop_old(START.after(RETRY.max_age * 2));
    assert_eq!(mailer.metrics.pending.get(), 0);
}

#[tokio::test]
async fn a_mailer_that_was_stopped_in_the_middle_runs_again() {
    let (_folder, mailer, _) = mailer_with_a_welcome().await;
    let first = tokio::spawn(Mailer(mailer.clone()).run(Arc::new(NoLetters)));
    while mailer.metrics.failed.get() == 0 {
        tokio::task::yield_now().await;
    }
    first.abort();
    assert!(first.await.is_err_and(|error| error.is_cancelled()));
    let second = tokio::spawn(Mailer(mailer.clone()).run(Arc::new(NoLetters)));
    mailer.clock.set(START.after(RETRY.first * 2));
    while mailer.metrics.failed.get() == 1 {
        Mailer(mailer.clone()).wake();
        tokio::task::yield_now().await;
    }
    Mailer(mailer.clone()).close();
    second.await.expect("it ends in order");
}
