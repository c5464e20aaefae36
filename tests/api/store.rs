//! What every store engine promises: the same tests on each, against the real thing.

mod accounts;
mod admin;
mod asked;
mod billing;
mod file;
mod hooks;
mod leases;
mod mails;
mod presence;
mod readers;
mod tokens;

use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use candango::config::StoreSpec;
use candango::domain::account::{Account, AccountId, Email, HolderId, MailId, MailerId, Profile, ReaderId};
use candango::domain::api_key::{ApiKey, KeyHash, KeyRecord};
use candango::domain::clock::{Clock, Period, UnixMillis};
use candango::domain::code::CodeHash;
use candango::domain::error::ApiError;
use candango::domain::mail::MailKind;
use candango::domain::plan::{Figures, Plan};
use candango::metrics::Metrics;
use candango::quota::issue::{Issued, issue};
use candango::quota::keys::Keys;
use candango::quota::leases::Quota;
use candango::store::lock::{LockError, ServerLock};
use candango::store::sqlite::Sqlite;
use candango::store::{
    self, AccessRequest, AccessRequestKind, AccountStore, AddressChange, Allowance, Change, ChangeListener,
    Claim, CodeExchange, CodeRecord, CodeRedemption, EmailChange, Grant, KeyReplacement, PresenceStore,
    RateLimit, Reached, RotationMail, Store, StoreError, SubscriptionRecord, SubscriptionUpdate, TakeDue,
    WebhookEvent, WelcomeKey,
};
use tempfile::TempDir;

use self::accounts::*;
use self::admin::*;
use self::asked::*;
use self::billing::*;
pub(crate) use self::hooks::hook;
use self::hooks::*;
pub(crate) use self::leases::Holder;
use self::leases::*;
use self::mails::*;
use self::presence::*;
pub(crate) use self::readers::reader;
use self::readers::*;
pub(crate) use self::tokens::token;
use self::tokens::*;
use crate::mail::SOON;
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

    /// All bytes that the store keeps, in no order.
    fn bytes(&self) -> Vec<Vec<u8>> {
        match (&self.spec, &self._server) {
            (StoreSpec::Redis(_), Some(server)) => {
                let keys: Vec<String> = server.say(&["KEYS", "*"]);
                let dumps: Vec<Vec<u8>> = keys.iter().map(|key| server.say(&["DUMP", key])).collect();
                keys.into_iter().map(String::into_bytes).chain(dumps).collect()
            }
            _ => {
                let files = std::fs::read_dir(self.folder.path()).expect("a folder");
                let paths = files.map(|file| file.expect("a file").path()).filter(|path| path.is_file());
                paths.map(|path| std::fs::read(path).expect("readable")).collect()
            }
        }
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
    a_key_without_a_plan_leaves_the_account_on_its_own
    a_key_of_another_account_is_rejected_and_fails_no_other_write
    many_writes_at_once_are_all_kept
    a_write_that_was_answered_survives_the_process
    a_revoked_key_has_no_account_and_stays_listed
    of_revoked_keys_the_newest_and_those_of_the_last_time_stay
    a_token_belongs_to_its_account_until_it_is_revoked
    a_message_is_taken_once_before_its_retry_and_gone_when_it_was_sent
    messages_are_bounded_and_end_with_their_webhook
    an_event_is_told_once_by_all_processes
    of_an_account_only_so_many_messages_are_in_flight
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
    a_mail_counts_when_it_is_queued_and_its_limits_begin_anew_with_a_good_code
    mails_that_wait_for_long_are_hastened_and_no_others
    a_mail_of_a_newer_version_waits_for_it_and_stops_no_other
    a_request_for_access_without_an_account_queues_nothing
    a_request_for_access_mails_a_key_or_a_code_as_the_account_needs
    a_repeated_request_for_access_queues_one_mail
    mails_come_longest_due_first_and_once_before_their_retry
    concurrent_takers_never_get_the_same_mail
    a_mail_is_postponed_and_deleted
    a_rotation_queues_its_mail
    a_rotation_mail_is_left_to_the_mailer_that_holds_its_key
    a_recovery_code_gives_one_new_key_in_place_of_all
    of_two_concurrent_redemptions_of_a_code_one_succeeds
    a_repeated_redemption_is_done_once
    a_code_expires
    a_mailed_code_is_saved_only_while_its_mail_is_queued
    wrong_tries_do_not_spoil_a_code
    codes_are_valid_beside_each_other_until_one_is_used
    a_bucket_allows_several_attempts_at_once_and_then_one_an_interval
    a_blocked_account_gets_no_key_and_no_mail_until_it_is_unblocked
    an_account_gets_another_address_unless_it_is_taken
    a_code_gives_its_address_to_the_account_and_the_old_one_a_notice
    a_reader_is_kept_once_and_confirms_once
    the_rows_of_an_account_have_the_reader_of_its_address
    a_letter_is_taken_once_before_its_retry_and_never_after_a_stop
    a_mail_that_was_taken_before_a_confirmation_changes_nothing_after_it
    what_waits_is_told_by_its_age_and_a_backup_by_its_time
    every_row_is_read_and_written_into_every_engine
    of_an_erased_account_nothing_is_left_but_what_is_kept
    an_erasure_at_an_old_version_of_the_subscription_changes_nothing
    a_store_names_the_processes_that_serve_from_it
    a_suggestion_is_kept_once_and_loses_its_contact_when_it_is_done
    what_was_asked_is_replaced_by_its_run_and_the_rarest_of_a_day_go
    a_mail_is_queued_once_and_opens_an_account_if_its_address_is_new
    a_code_is_valid_for_its_own_address_only
    a_code_opens_one_session_and_leaves_the_keys
    a_session_ends_when_asked_at_its_time_and_with_the_account
    of_the_sessions_that_keys_have_opened_the_newest_stay
    leases_never_exceed_the_limit_together
    concurrent_claims_never_exceed_the_limit
    a_repeated_or_late_claim_is_answered_with_the_last_grant
    released_calls_are_granted_to_others
    a_changed_limit_applies_from_the_next_claim
    leases_are_listed_as_their_holders_reported_them
    each_account_and_period_has_its_own_leases
    spent_calls_are_reported_while_a_lease_lasts_and_when_its_month_is_over
    of_two_concurrent_subscription_updates_one_succeeds
    a_subscription_update_is_saved_whole_or_not_at_all
    a_reference_is_dropped_by_its_account_alone
    a_subscription_needs_an_existing_account
    subscriptions_come_when_due_and_once_before_their_retry
    a_webhook_event_is_saved_once_even_after_it_was_finished
    webhook_events_come_longest_due_first_and_once_before_their_retry
    the_process_that_changes_keys_has_handled_the_change_when_it_is_answered
    a_serving_process_receives_changes_of_others_within_a_second
    a_serving_process_is_trusted_and_healthy
}

pub(crate) fn email(text: &str) -> Email {
    text.parse().expect("an address")
}

pub(crate) async fn issued(store: &dyn Store, address: &str, plan: Plan) -> Issued {
    issue(store, &Clock::standing_at(UnixMillis(1_000)), email(address), Some(plan)).await.expect("a key")
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

pub(crate) fn mail_id() -> MailId {
    MailId::generate().expect("an id")
}

/// The mailer of these tests.
pub(crate) fn mailer() -> MailerId {
    MailerId::from_stored("m_1".to_owned())
}

/// A mail of this mailer that brings a key.
pub(crate) fn rotation_mail(due_at: i64) -> RotationMail {
    RotationMail { id: mail_id(), owner: mailer(), due_at: UnixMillis(due_at) }
}

fn replacement(account: &AccountId, old: Option<KeyHash>) -> KeyReplacement {
    KeyReplacement { account: account.clone(), old, new: new_key(2_000), mail: rotation_mail(2_000) }
}

async fn account_of(store: &dyn Store, key: KeyHash) -> Option<Account> {
    store.account_of_key(key).await.expect("answered")
}

/// Polls until the answer is as expected: for the promised second, and for what a busy machine adds.
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
        assert!(start.elapsed() < SOON, "{answer:?}, not {wanted:?}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
