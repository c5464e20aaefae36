//! The post office: takes letters from the store's queue when they are due, writes them, sends them, and tries
//! again when that fails.
//!
//! The queue holds no key and no code. A code is made when its letter is written, and so is the key of a welcome;
//! the key of a rotation is handed over by the reception. A key stays on the desk, in memory, until its letter is
//! gone, so that a second try carries the same one; what dies with the process is made anew, or said to be gone.
//! Uses [`crate::domain::account`], [`crate::domain::clock`], [`crate::config`], [`crate::metrics`] and [`crate::store`].

mod templates;
mod transport;

use std::collections::HashMap;
use std::fmt;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rand::rngs::SysError;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, timeout};

use templates::{MailContent, Templates};
pub use transport::MailSetupError;
use transport::{MailTransport, SendError};

use crate::billing::subscription::Subscription;
use crate::config::Config;
use crate::domain::account::MailId;
use crate::domain::api_key::{ApiKey, KeyRecord};
use crate::domain::clock::{Clock, UnixMillis};
use crate::domain::code::RecoveryCode;
use crate::domain::mail::MailKind;
use crate::metrics::MailMetrics;
use crate::store::{CodeRecord, Mail, MailStore, StoreError};

/// How often the queue is looked at when nobody says that there is something in it.
const ROUND: Duration = Duration::from_secs(1);

/// Letters on their way at once.
const AT_ONCE: usize = 4;

/// How long after its carrier would have been done a letter is due again, should whoever took it have died.
const SPARE: Duration = Duration::from_secs(10);

/// The wait after the first failure, which doubles with each, and the longest.
const FIRST_WAIT: Duration = Duration::from_secs(10);
const LONGEST_WAIT: Duration = Duration::from_secs(60 * 60);

/// How old a letter grows before it is given up.
const GIVE_UP: Duration = Duration::from_secs(24 * 60 * 60);

/// Most letters on the desk. Beyond that a key is not kept for a second try.
const MOST_ON_DESK: usize = 10_000;

/// How long letters on their way are waited for when the service stops.
const LAST_CALL: Duration = Duration::from_secs(5);

/// How long a recovery code is worth something, and how many wrong ones may be tried in its place.
const CODE_LASTS: Duration = Duration::from_secs(30 * 60);
const CODE_TRIES: u32 = 5;

/// The post office. Clones are of the same one.
#[derive(Clone)]
pub struct Mailer(Arc<Office>);

struct Office {
    store: Arc<dyn MailStore>,
    clock: Clock,
    carrier: MailTransport,
    stationery: Templates,
    counters: MailMetrics,
    desk: Mutex<HashMap<MailId, OnDesk>>,
    nudged: Notify,
    closing: Notify,
}

/// A letter that this process has taken on.
struct OnDesk {
    since: UnixMillis,
    /// The key it carries, once there is one.
    key: Option<ApiKey>,
}

/// How a try ended.
enum Outcome {
    Sent,
    /// There is nothing left to tell: its key was replaced meanwhile, or its account has gone.
    Moot,
}

/// Why a letter was not sent.
#[derive(Debug, thiserror::Error)]
enum DeliveryError {
    #[error(transparent)]
    SendError(#[from] SendError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the machine's source of randomness failed: {0}")]
    Randomness(#[from] SysError),
    #[error("the books cannot be read: {0}")]
    Unreadable(#[from] serde_json::Error),
    #[error("the letter cannot be written: {0}")]
    Unwritable(#[from] lettre::error::Error),
}

impl fmt::Debug for Mailer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostOffice").finish_non_exhaustive()
    }
}

impl Mailer {
    /// Opens the post office; [`Mailer::run`] works it.
    pub fn new(
        config: &Config,
        store: Arc<dyn MailStore>,
        clock: Clock,
        counters: MailMetrics,
    ) -> Result<Mailer, MailSetupError> {
        Ok(Mailer(Arc::new(Office {
            store,
            clock,
            carrier: MailTransport::new(&config.mail, &config.mail_from.0.email)?,
            stationery: Templates::new(config),
            counters,
            desk: Mutex::default(),
            nudged: Notify::new(),
            closing: Notify::new(),
        })))
    }

    /// Says that there is something in the queue.
    pub fn nudge(&self) {
        self.0.nudged.notify_one();
    }

    /// Hands over the key that a letter is to carry, before the letter is queued.
    pub fn entrust(&self, letter: &MailId, key: &ApiKey, now: UnixMillis) {
        self.0.put_on_desk(letter, Some(key), now);
    }

    /// Takes a key back: its letter was not queued.
    pub fn forget(&self, letter: &MailId) {
        self.0.desk().remove(letter);
    }

    /// Ends [`Mailer::run`], once the letters on their way have arrived or have had the time to.
    pub fn close(&self) {
        self.0.closing.notify_one();
    }

    /// Works until the post office is closed.
    pub async fn run(self) {
        let office = self.0;
        let mut on_their_way = JoinSet::new();
        let mut rounds = interval(ROUND);
        rounds.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut reachable = true;
        let mine_for = office.carrier.longest() + SPARE;
        let mut closing = pin!(office.closing.notified());
        loop {
            tokio::select! {
                _ = rounds.tick() => {}
                () = office.nudged.notified() => {}
                Some(ended) = on_their_way.join_next() => told_if_broken(ended),
                () = &mut closing => break,
            }
            let now = office.clock.now();
            office.clear_desk(now);
            let room = AT_ONCE.saturating_sub(on_their_way.len());
            if room == 0 {
                continue;
            }
            let collected = tokio::select! {
                collected = office.store.take_due_mails(now, after(now, mine_for), room) => collected,
                () = &mut closing => break,
            };
            match collected {
                Ok(letters) => {
                    reachable = true;
                    for letter in letters {
                        let office = office.clone();
                        on_their_way.spawn(async move { office.deliver(letter).await });
                    }
                }
                // told once, not every second
                Err(error) if reachable => {
                    reachable = false;
                    tracing::warn!(%error, "the queue of letters cannot be read");
                }
                Err(_) => {}
            }
        }
        let arriving = async {
            while let Some(ended) = on_their_way.join_next().await {
                told_if_broken(ended);
            }
        };
        if timeout(LAST_CALL, arriving).await.is_err() {
            tracing::warn!("letters on their way were left for later");
        }
    }
}

fn told_if_broken(ended: Result<(), tokio::task::JoinError>) {
    if let Err(error) = ended {
        tracing::error!(%error, "a letter broke its delivery and will be tried again");
    }
}

fn after(moment: UnixMillis, wait: Duration) -> UnixMillis {
    UnixMillis(moment.0.saturating_add(i64::try_from(wait.as_millis()).unwrap_or(i64::MAX)))
}

/// The wait after a number of attempts, not quite the same for every letter: those that failed together should not
/// all come back together.
fn wait(attempts: u32) -> Duration {
    let doubled = FIRST_WAIT.saturating_mul(1u32.checked_shl(attempts.saturating_sub(1)).unwrap_or(u32::MAX));
    doubled.min(LONGEST_WAIT).mul_f64(rand::random_range(0.8..1.2))
}

impl Office {
    /// What is on the desk. A thread that broke while holding it left it whole: each change is one call.
    fn desk(&self) -> MutexGuard<'_, HashMap<MailId, OnDesk>> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put_on_desk(&self, letter: &MailId, key: Option<&ApiKey>, now: UnixMillis) {
        let mut desk = self.desk();
        let known = desk.contains_key(letter);
        if known || desk.len() < MOST_ON_DESK {
            let on_desk = desk.entry(letter.clone()).or_insert(OnDesk { since: now, key: None });
            on_desk.key = key.cloned().or(on_desk.key.take());
        }
    }

    fn key_of(&self, letter: &MailId) -> Option<ApiKey> {
        self.desk().get(letter).and_then(|on_desk| on_desk.key.clone())
    }

    /// Drops what lies there too long: another process has seen to it, or it was never queued.
    fn clear_desk(&self, now: UnixMillis) {
        let mut desk = self.desk();
        desk.retain(|_, on_desk| after(on_desk.since, GIVE_UP + LONGEST_WAIT * 2) > now);
        self.counters.pending.set(i64::try_from(desk.len()).unwrap_or(i64::MAX));
    }

    /// Tries to send a letter, and sees to what becomes of it.
    async fn deliver(&self, letter: Mail) {
        let (id, kind) = (&letter.id, letter.kind);
        let now = self.clock.now();
        self.put_on_desk(id, None, now);
        match self.send(&letter, now).await {
            Ok(Outcome::Sent) => {
                self.counters.sent.inc();
                tracing::info!(letter = %id, ?kind, "a letter was sent");
                self.finish(&letter).await;
            }
            Ok(Outcome::Moot) => {
                tracing::info!(letter = %id, ?kind, "a letter was dropped: what it would tell holds no more");
                self.finish(&letter).await;
            }
            Err(trouble) => {
                self.fail(&letter, &trouble).await;
                // counted last: what is counted here has been put off
                self.counters.failed.inc();
            }
        }
    }

    /// Puts off a letter that was not sent, or gives it up.
    async fn fail(&self, letter: &Mail, trouble: &DeliveryError) {
        let Mail { id, kind, attempts, .. } = letter;
        let next = after(self.clock.now(), wait(*attempts));
        let is_final = matches!(trouble, DeliveryError::SendError(error) if error.is_final());
        if is_final || next > after(letter.queued_at, GIVE_UP) {
            tracing::error!(letter = %id, ?kind, attempts, %trouble, "a letter was given up");
            self.finish(letter).await;
            self.counters.abandoned.inc();
            return;
        }
        tracing::warn!(letter = %id, ?kind, attempts, %trouble, "a letter will be tried again");
        if let Err(error) = self.store.postpone_mail(id, next).await {
            tracing::warn!(letter = %id, %error, "a letter could not be put off and will be tried later");
        }
    }

    /// Drops a letter from the queue and, only then, from the desk: were it taken once more, it must not carry
    /// another key.
    async fn finish(&self, letter: &Mail) {
        match self.store.delete_mail(&letter.id).await {
            Ok(()) => {
                self.desk().remove(&letter.id);
            }
            Err(error) => {
                tracing::warn!(letter = %letter.id, %error, "a letter is done but still queued: it may go out again");
            }
        }
    }

    async fn send(&self, letter: &Mail, now: UnixMillis) -> Result<Outcome, DeliveryError> {
        let known = match self.key_of(&letter.id) {
            // The reader may have got another key since: this one would only mislead.
            Some(key) if self.store.account_of_key(key.hash()).await?.is_none() => return Ok(Outcome::Moot),
            known => known,
        };
        match letter.kind {
            MailKind::Welcome => match known {
                Some(key) => self.carry(letter, &MailContent::Welcome(&key), now).await,
                None => match self.make_key(letter, now).await? {
                    Some(key) => self.carry(letter, &MailContent::Welcome(&key), now).await,
                    None => self.send_code(letter, now).await,
                },
            },
            MailKind::Recovery => self.send_code(letter, now).await,
            MailKind::Rotated => match known {
                Some(key) => self.carry(letter, &MailContent::Rotated(&key), now).await,
                None => self.carry(letter, &MailContent::RotatedBefore(letter.queued_at), now).await,
            },
            MailKind::Paid
            | MailKind::Overdue
            | MailKind::Declined
            | MailKind::Refunded
            | MailKind::Canceled
            | MailKind::Ended => {
                let books = self.store.subscription_record(&letter.account).await?;
                let subscription = Subscription::read(&books.text)?;
                match billing_news(letter.kind, &subscription, now) {
                    Some(news) => self.carry(letter, &news, now).await,
                    None => Ok(Outcome::Moot),
                }
            }
        }
    }

    async fn send_code(&self, letter: &Mail, now: UnixMillis) -> Result<Outcome, DeliveryError> {
        let code = RecoveryCode::generate()?;
        let expires_at = after(now, CODE_LASTS);
        let record = CodeRecord { hash: code.hash(&letter.account), expires_at, tries: CODE_TRIES };
        self.store.save_recovery_code(&letter.account, record).await?;
        self.carry(letter, &MailContent::Recovery(&code), now).await
    }

    /// Makes the account's key, and keeps it for the next try; none when the account has come to a key otherwise.
    async fn make_key(&self, letter: &Mail, now: UnixMillis) -> Result<Option<ApiKey>, DeliveryError> {
        let key = ApiKey::generate()?;
        if !self.store.issue_welcome_key(&letter.id, KeyRecord::of(&key, now)).await? {
            return Ok(None);
        }
        self.put_on_desk(&letter.id, Some(&key), now);
        Ok(Some(key))
    }

    async fn carry(
        &self,
        letter: &Mail,
        news: &MailContent<'_>,
        now: UnixMillis,
    ) -> Result<Outcome, DeliveryError> {
        let message = self.stationery.write(&letter.id, &letter.to, news, now)?;
        // as the eye and the listing of a folder sort it: 20260301T030000.250Z-ltr_...
        let second = letter.queued_at.to_string().replace(['-', ':', 'Z'], "");
        let name = format!("{second}.{:03}Z-{}", letter.queued_at.0.rem_euclid(1000), letter.id);
        self.carrier.carry(&message, &name).await?;
        Ok(Outcome::Sent)
    }
}

/// What a letter about payments has to tell: how things stand when it is written, as another letter before it may
/// have been late. None when it holds no more.
fn billing_news(kind: MailKind, subscription: &Subscription, now: UnixMillis) -> Option<MailContent<'_>> {
    let coverage = subscription.coverage().filter(|coverage| now < coverage.ends_at());
    let carried = coverage.map(|coverage| (coverage.order.plan, coverage.paid_until));
    match kind {
        MailKind::Paid => carried.map(|(plan, until)| MailContent::Paid { plan, until }),
        MailKind::Overdue => {
            let overdue = subscription.orders.iter().rev().find_map(|order| order.overdue());
            let pay_url = overdue?.pay_url.as_deref();
            Some(MailContent::Overdue {
                pay_url,
                ends: coverage.map(|known| (known.order.plan, known.ends_at())),
            })
        }
        MailKind::Declined => {
            let pay_url = subscription.orders.iter().rev().find_map(|order| order.pay_url());
            pay_url.map(|pay_url| MailContent::Declined { pay_url })
        }
        MailKind::Refunded => Some(MailContent::Refunded { left: carried }),
        MailKind::Canceled => carried.map(|(plan, until)| MailContent::Canceled { plan, until }),
        MailKind::Ended if carried.is_none() => Some(MailContent::Ended),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Override;
    use crate::domain::account::{Account, AccountId, Email};
    use crate::domain::plan::Plan;
    use crate::metrics::Metrics;
    use crate::store::{AccessRequest, KeyReplacement, sqlite::Sqlite};
    use tempfile::TempDir;
    const BEGUN: UnixMillis = UnixMillis(1_790_000_000_000);
    /// An office whose mail server nobody runs, with one welcome in the queue.
    async fn office_with_a_welcome() -> (TempDir, Arc<Office>, Email) {
        let folder = tempfile::tempdir().expect("a folder");
        let store: Arc<dyn MailStore> =
            Arc::new(Sqlite::open(&folder.path().join("candango.db")).expect("a store"));
        let closed =
            std::net::TcpListener::bind("127.0.0.1:0").and_then(|held| held.local_addr()).expect("a port");
        let said = |setting: &str, value: String| Override {
            origin: "the test".to_owned(),
            setting: setting.to_owned(),
            value,
        };
        let empty = folder.path().join("candango.toml");
        std::fs::write(&empty, "").expect("a file");
        let config =
            Config::load(Some(&empty), [], &[said("mail", format!("smtp://{closed}"))]).expect("settings");
        let clock = Clock::standing_at(BEGUN);
        let post = Mailer::new(&config, store.clone(), clock, Metrics::new().mail).expect("an office");
        let email: Email = "maria@x.example".parse().expect("an address");
        let account = Account {
            id: AccountId::generate().expect("a name"),
            email: email.clone(),
            plan: Plan::Free,
            created_at: BEGUN,
        };
        let letter = MailId::generate().expect("a name");
        let opening = Some((account, Default::default()));
        store
            .request_access(AccessRequest {
                email: email.clone(),
                new_account: opening,
                mail: letter,
                at: BEGUN,
            })
            .await
            .expect("queued");
        (folder, post.0, email)
    }

    /// Takes what is due at a moment and tries to deliver it; how many letters that was.
    async fn round(office: &Office, at: UnixMillis) -> usize {
        office.clock.set(at);
        let letters = office.store.take_due_mails(at, after(at, SPARE), 10).await.expect("letters");
        let count = letters.len();
        for letter in letters {
            office.deliver(letter).await;
        }
        count
    }

    #[tokio::test]
    async fn a_letter_is_tried_at_longer_intervals_and_given_up_after_a_day() {
        let (_folder, office, _) = office_with_a_welcome().await;
        let (mut at, mut tries, mut last) = (BEGUN, Vec::new(), BEGUN);
        while office.counters.abandoned.get() == 0 {
            if round(&office, at).await > 0 {
                tries.push((at.0 - last.0) / 1_000);
                last = at;
            }
            // looked at a hundred times as often as it has waited, about
            at = UnixMillis(at.0 + 1_000 + (at.0 - last.0) / 100);
            assert!(at < after(BEGUN, GIVE_UP + LONGEST_WAIT), "it is never given up: {tries:?}");
        }
        assert_eq!(office.counters.failed.get(), tries.len() as u64);
        assert!((8..=13).contains(&tries[1]) && (16..=25).contains(&tries[2]), "{tries:?}");
        assert!(tries.iter().all(|wait| *wait <= 4_400) && (25..=45).contains(&tries.len()), "{tries:?}");
        assert!(last > after(BEGUN, GIVE_UP - LONGEST_WAIT * 2), "{tries:?}");
        assert_eq!(round(&office, after(at, GIVE_UP)).await, 0, "it is in the queue no more");
        assert!(office.desk().is_empty() && office.counters.sent.get() == 0);
    }

    #[tokio::test]
    async fn a_second_try_carries_the_same_key_unless_the_reader_has_got_another() {
        let (_folder, office, email) = office_with_a_welcome().await;
        assert_eq!(round(&office, BEGUN).await, 1);
        let account = office.store.account(&email).await.expect("an answer").expect("an account").id;
        let live = async || {
            let keys = office.store.keys(&account).await.expect("keys");
            keys.into_iter().filter(|key| key.revoked_at.is_none()).map(|key| key.hash).collect::<Vec<_>>()
        };
        let made = live().await;
        assert_eq!(made.len(), 1);
        let later = after(BEGUN, FIRST_WAIT * 2);
        assert_eq!(round(&office, later).await, 1);
        assert_eq!(live().await, made, "no other key for a second try");

        let other = ApiKey::generate().expect("a key");
        let replacement = KeyReplacement {
            account: account.clone(),
            old: None,
            new: KeyRecord::of(&other, later),
            mail: None,
        };
        assert!(office.store.replace_keys(replacement).await.expect("an answer"));
        assert_eq!(round(&office, after(later, FIRST_WAIT * 4)).await, 1);
        assert_eq!(live().await, [other.hash()]);
        assert_eq!(round(&office, after(BEGUN, GIVE_UP)).await, 0, "it is in the queue no more");
        assert_eq!((office.counters.failed.get(), office.counters.abandoned.get()), (2, 0));
    }

    #[tokio::test]
    async fn the_desk_is_bounded_and_cleared() {
        let (_folder, office, _) = office_with_a_welcome().await;
        let key = ApiKey::generate().expect("a key");
        for number in 0..MOST_ON_DESK + 5 {
            office.put_on_desk(&MailId::from_stored(format!("ltr_{number}")), Some(&key), BEGUN);
        }
        assert_eq!(office.desk().len(), MOST_ON_DESK);
        assert_eq!(office.key_of(&MailId::from_stored("ltr_0".to_owned())), Some(key));
        office.clear_desk(after(BEGUN, GIVE_UP));
        assert_eq!(office.desk().len(), MOST_ON_DESK);
        office.clear_desk(after(BEGUN, GIVE_UP * 2));
        assert_eq!(office.counters.pending.get(), 0);
    }

    #[test]
    fn waits_double_to_an_hour() {
        let about = |attempts: u32, seconds: f64| {
            for _ in 0..100 {
                let waited = wait(attempts).as_secs_f64();
                assert!((seconds * 0.8..=seconds * 1.2).contains(&waited), "{attempts}: {waited}");
            }
        };
        for (attempts, seconds) in [
            (0, 10.0),
            (1, 10.0),
            (2, 20.0),
            (3, 40.0),
            (9, 2_560.0),
            (10, 3_600.0),
            (40, 3_600.0),
            (u32::MAX, 3_600.0),
        ] {
            about(attempts, seconds);
        }
    }
}
