//! The mailer: takes due mails from the store's queue, writes and sends them, and tries again when that fails.
//!
//! The queue holds no key and no code. A code is made when its mail is written, and so is the key of a welcome mail;
//! the key of a rotation is handed over by the sign-up service. A key stays in this process's memory until its mail is
//! sent, so that a second attempt carries the same one. What is lost with the process is made anew, or the mail says
//! that the key is gone.

mod blocks;
mod letter;
#[cfg(test)]
mod mailer_tests;
mod templates;
mod texts;
mod transport;

use std::collections::HashMap;
use std::fmt;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use letter::file_name;
pub use letter::{LetterItem, LetterSource, NoGuide, Weekend};
use templates::{MailContent, Receipt, Templates};
pub use transport::{MailSetupError, erase_from_outbox};
use transport::{MailTransport, SendError};

use crate::asked::{self, digest_days};
use crate::billing::subscription::Subscription;
use crate::config::Config;
use crate::domain::account::{Account, Email, MailId, MailerId};
use crate::domain::api_key::{ApiKey, KeyRecord};
use crate::domain::base62::NoRandomness;
use crate::domain::clock::{Clock, UnixMillis, day_of};
use crate::domain::code::{CodeHash, RecoveryCode};
use crate::domain::mail::MailKind;
use crate::domain::order::Renewal;
use crate::domain::plan::Plan;
use crate::metrics::MailMetrics;
use crate::outage::Outage;
use crate::retry::{Retry, doubled, log_panic};
use crate::store::{CodeRecord, Mail, MailStore, RotationMail, StoreError, TakeDue, WelcomeKey};
use crate::supervise::ticks;

/// How often the queue is read when nothing wakes the mailer.
const ROUND: Duration = Duration::from_secs(1);

/// Mails sent at once.
const CONCURRENCY: usize = 4;

/// How long a mail stays reserved after the longest time that its transport takes.
const RESERVE: Duration = Duration::from_secs(10);

const RETRY: Retry = Retry {
    first: Duration::from_secs(10),
    longest: Duration::from_hours(1),
    max_age: Duration::from_hours(24),
};

/// How often the mails that wait after failures are sent at once because sending works again.
const HASTEN_EVERY: Duration = Duration::from_mins(5);

/// How many of them are made due together.
const HASTEN_BATCH: usize = 500;

/// Most mails that this process keeps in memory. Beyond that no key is kept for a second attempt.
const MAX_PENDING: usize = 10_000;

/// Tries of the mail about an erased account, which is in no queue: the last is five minutes after the first.
const ERASED_TRIES: u32 = 6;

/// How long mails that are being sent are waited for when the service stops.
pub(crate) const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a code is valid: longer than mails to an address can be held back by somebody who uses up its limit, so
/// that the owner always has one that works.
const CODE_LIFETIME: Duration = Duration::from_hours(24);

/// The mailer. Clones share its state.
#[derive(Clone)]
pub struct Mailer(Arc<MailerState>);

struct MailerState {
    id: MailerId,
    store: Arc<dyn MailStore>,
    clock: Clock,
    transport: MailTransport,
    templates: Templates,
    metrics: MailMetrics,
    /// A thread that panics while it holds the lock leaves them whole: each change is one call.
    pending: Mutex<HashMap<MailId, PendingMail>>,
    wake: Notify,
    closing: Notify,
    reading: Outage,
    sending: Outage,
    /// When waiting mails were hastened last.
    hastened_at: Mutex<UnixMillis>,
}

/// A mail that this process has accepted.
struct PendingMail {
    since: UnixMillis,
    /// The key that it carries, once there is one.
    key: Option<ApiKey>,
}

enum DeliveryOutcome {
    Sent,
    /// Its key was replaced, or its account is gone or blocked, or has another address.
    Obsolete,
    /// No mail is sent at all.
    Discarded,
}

/// Why an attempt to send a mail failed.
#[derive(Debug, thiserror::Error)]
enum DeliveryError {
    #[error(transparent)]
    Send(#[from] SendError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Randomness(#[from] NoRandomness),
    #[error("the stored subscription cannot be parsed: {0}")]
    Subscription(#[from] serde_json::Error),
    #[error("the message cannot be built: {0}")]
    Message(#[from] lettre::error::Error),
    #[error(transparent)]
    NoGuide(#[from] NoGuide),
}

impl fmt::Debug for Mailer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mailer").finish_non_exhaustive()
    }
}

impl Mailer {
    /// A mailer. [`Mailer::run`] sends what is queued.
    pub fn new(
        config: &Config,
        store: Arc<dyn MailStore>,
        clock: Clock,
        metrics: MailMetrics,
    ) -> Result<Mailer, MailSetupError> {
        Ok(Mailer(Arc::new(MailerState {
            id: MailerId::generate()?,
            store,
            clock,
            transport: MailTransport::new(&config.mail, &config.mail_from.0.email)?,
            templates: Templates::new(config),
            metrics,
            pending: Mutex::default(),
            wake: Notify::new(),
            closing: Notify::new(),
            reading: Outage::new("the mail queue cannot be read"),
            sending: Outage::new("mails cannot be sent and are tried again"),
            hastened_at: Mutex::new(UnixMillis(0)),
        })))
    }

    /// Whether mails are sent, and not discarded.
    pub fn sends(&self) -> bool {
        !matches!(self.0.transport, MailTransport::None)
    }

    /// Has the queue read at once.
    pub fn wake(&self) {
        self.0.wake.notify_one();
    }

    /// Keeps the key of a rotation; returns the mail to queue, which brings it. The other mailers leave this mail to
    /// this one.
    pub fn hold_key(&self, key: &ApiKey, now: UnixMillis) -> Result<RotationMail, NoRandomness> {
        let id = MailId::generate()?;
        self.0.hold(&id, Some(key), now);
        Ok(RotationMail { id, owner: self.0.id.clone(), due_at: now })
    }

    /// Drops the key of a mail that was not queued.
    pub fn drop_key(&self, mail: &MailId) {
        self.0.pending.lock().remove(mail);
    }

    /// Tells the owner of an account that it was erased. The queue holds mails of accounts alone, so this one is sent
    /// from memory. The first attempt has ended when this returns; further ones follow for some minutes on the runtime
    /// of the caller, and are lost with it.
    pub async fn tell_erased(&self, to: Email) {
        let mailer = self.0.clone();
        if mailer.try_send_erased(&to, 1).await {
            return;
        }
        tokio::spawn(async move {
            for attempts in 2..=ERASED_TRIES {
                sleep(doubled(RETRY.first, RETRY.longest, attempts - 1)).await;
                if mailer.try_send_erased(&to, attempts).await {
                    return;
                }
            }
        });
    }

    /// Ends [`Mailer::run`] after the mails that are being sent, or after a time-out.
    pub fn close(&self) {
        self.0.closing.notify_one();
    }

    /// Sends what is due until the mailer is closed; `letters` knows what to write to readers. Can be called again
    /// after a panic: the queue is in the store, and the keys in memory are kept.
    pub async fn run(self, letters: Arc<dyn LetterSource>) {
        let mailer = self.0;
        let mut sending = JoinSet::new();
        let mut rounds = ticks(ROUND);
        let reserved = mailer.reserved();
        let mut closing = pin!(mailer.closing.notified());
        loop {
            tokio::select! {
                _ = rounds.tick() => {}
                () = mailer.wake.notified() => {}
                Some(ended) = sending.join_next() => log_panic("mail", ended),
                () = &mut closing => break,
            }
            let now = mailer.clock.now();
            mailer.drop_old(now);
            let room = CONCURRENCY.saturating_sub(sending.len());
            if room == 0 {
                continue;
            }
            let take = TakeDue { now, retry_at: now.after(reserved), max: room };
            let due = tokio::select! {
                due = mailer.store.take_due_mails(&mailer.id, take) => due,
                () = &mut closing => break,
            };
            mailer.reading.record(&due);
            let Ok(mails) = due else { continue };
            // letters wait for mails that somebody waits for
            let take = TakeDue { max: room.saturating_sub(mails.len()), ..take };
            for mail in mails {
                let mailer = mailer.clone();
                sending.spawn(async move { mailer.deliver(mail).await });
            }
            let due = tokio::select! {
                due = mailer.store.take_due_readers(take) => due,
                () = &mut closing => break,
            };
            mailer.reading.record(&due);
            for (reader, attempts) in due.unwrap_or_default() {
                let (mailer, letters) = (mailer.clone(), letters.clone());
                sending.spawn(async move { mailer.deliver_to_reader(reader, attempts, &*letters).await });
            }
            if sending.is_empty() {
                mailer.metrics.idle_rounds.inc();
            }
        }
        let finish = async {
            while let Some(ended) = sending.join_next().await {
                log_panic("mail", ended);
            }
        };
        if timeout(CLOSE_TIMEOUT, finish).await.is_err() {
            tracing::warn!("mails that were being sent will be tried again after the next start");
        }
    }
}

/// Sends a mail that only says that sending works, at once and outside the queue.
pub async fn send_test(config: &Config, to: &Email, now: UnixMillis) -> anyhow::Result<()> {
    let transport = MailTransport::new(&config.mail, &config.mail_from.0.email)?;
    if matches!(transport, MailTransport::None) {
        anyhow::bail!("mail is set to none, so nothing can be sent");
    }
    let id = MailId::generate()?;
    let message = Templates::new(config).message(&id, to, &MailContent::Test, now)?;
    Ok(transport.send(&message, &format!("test-{id}")).await?)
}

impl MailerState {
    fn hold(&self, mail: &MailId, key: Option<&ApiKey>, now: UnixMillis) {
        let mut pending = self.pending.lock();
        if pending.contains_key(mail) || pending.len() < MAX_PENDING {
            let held = pending.entry(mail.clone()).or_insert(PendingMail { since: now, key: None });
            held.key = key.cloned().or(held.key.take());
        }
    }

    fn key_of(&self, mail: &MailId) -> Option<ApiKey> {
        self.pending.lock().get(mail).and_then(|held| held.key.clone())
    }

    /// Drops mails that another process has sent, or that were never queued.
    fn drop_old(&self, now: UnixMillis) {
        let mut pending = self.pending.lock();
        pending.retain(|_, held| held.since.after(RETRY.max_age + RETRY.longest * 2) > now);
        self.metrics.pending.set(i64::try_from(pending.len()).unwrap_or(i64::MAX));
    }

    async fn deliver(&self, mail: Mail) {
        let (id, kind) = (&mail.id, mail.kind);
        let now = self.clock.now();
        self.hold(id, None, now);
        match self.send(&mail, now).await {
            Ok(DeliveryOutcome::Sent) => {
                self.metrics.sent.inc();
                tracing::info!(mail = %id, ?kind, "a mail was sent");
                self.finish(&mail).await;
                self.after_success().await;
            }
            Ok(DeliveryOutcome::Obsolete) => {
                tracing::info!(mail = %id, ?kind, "a mail was dropped as obsolete: its key was replaced, or its account is gone or changed");
                self.metrics.obsolete.inc();
                self.finish(&mail).await;
            }
            Ok(DeliveryOutcome::Discarded) => self.finish(&mail).await,
            Err(error) => {
                self.retry_or_abandon(&mail, &error).await;
                // counted last: what is counted has been postponed
                self.metrics.failed.inc();
            }
        }
    }

    async fn retry_or_abandon(&self, mail: &Mail, error: &DeliveryError) {
        let Mail { id, kind, attempts, .. } = mail;
        let is_final = matches!(error, DeliveryError::Send(error) if error.is_final());
        let next = RETRY.next_attempt(mail.queued_at, self.clock.now(), *attempts).filter(|_| !is_final);
        let Some(next) = next else {
            tracing::error!(mail = %id, ?kind, attempts, %error, "a mail was abandoned");
            self.finish(mail).await;
            self.metrics.abandoned.inc();
            return;
        };
        self.sending.failed(error);
        tracing::debug!(mail = %id, ?kind, attempts, %error, "a mail will be tried again");
        if let Err(error) = self.store.postpone_mail(id, next).await {
            tracing::warn!(mail = %id, %error, "a mail could not be postponed and will be tried later");
        }
    }

    /// Notes that sending works. Called once the mail that was sent is no longer due: the first one after failures, of
    /// whatever kind, has those that wait sent.
    async fn after_success(&self) {
        if self.sending.succeeded() {
            self.hasten().await;
        }
    }

    /// Has the mails sent that wait for long after failures, as sending works again. At most every few minutes: a
    /// server that accepts some mails and refuses others would have these tried without end.
    async fn hasten(&self) {
        let now = self.clock.now();
        {
            let mut hastened = self.hastened_at.lock();
            if now < hastened.after(HASTEN_EVERY) && *hastened <= now {
                return;
            }
            *hastened = now;
        }
        // what is being sent is reserved, and due again before that
        let later = now.after(self.reserved() * 2);
        loop {
            match self.store.hasten_mails(later, now, HASTEN_BATCH).await {
                Ok(HASTEN_BATCH) => {}
                Ok(_) => break,
                Err(error) => {
                    tracing::warn!(%error, "mails that wait after failures could not be sent at once");
                    break;
                }
            }
        }
        self.wake.notify_one();
    }

    /// For how long a mail that was taken is reserved.
    fn reserved(&self) -> Duration {
        self.transport.max_duration() + RESERVE
    }

    /// Deletes a mail from the queue and only then from memory: were it taken again, it must not carry another key.
    async fn finish(&self, mail: &Mail) {
        match self.store.delete_mail(&mail.id).await {
            Ok(()) => {
                self.pending.lock().remove(&mail.id);
            }
            Err(error) => {
                tracing::warn!(mail = %mail.id, %error, "a finished mail is still queued and may be sent again");
            }
        }
    }

    async fn send(&self, mail: &Mail, now: UnixMillis) -> Result<DeliveryOutcome, DeliveryError> {
        if matches!(self.transport, MailTransport::None) {
            return Ok(DeliveryOutcome::Discarded);
        }
        let held = self.key_of(&mail.id);
        let is_dead = match &held {
            Some(key) => self.store.account_of_key(key.hash()).await?.is_none(),
            None => false,
        };
        match (mail.kind, held) {
            (MailKind::Welcome, Some(key)) if !is_dead => {
                self.write(mail, &MailContent::Welcome(&key), now).await
            }
            (MailKind::Welcome, _) => self.send_new_key(mail, now).await,
            // the reader has another key by now: this one would only mislead
            (_, Some(_)) if is_dead => Ok(DeliveryOutcome::Obsolete),
            (MailKind::Recovery, _) => self.send_recovery_code(mail, now).await,
            (MailKind::SignIn, _) => {
                let code = RecoveryCode::generate()?;
                let hash = code.sign_in_hash(&mail.account);
                self.send_code(mail, hash, &MailContent::SignIn(&code), now).await
            }
            (MailKind::NewAddress, _) => {
                let code = RecoveryCode::generate()?;
                let hash = code.new_address_hash(&mail.account, &mail.to);
                self.send_code(mail, hash, &MailContent::NewAddress(&code), now).await
            }
            (MailKind::Moved, _) => self.write(mail, &MailContent::Moved, now).await,
            (MailKind::Rotated, Some(key)) => self.write(mail, &MailContent::Rotated(&key), now).await,
            (MailKind::Rotated, None) => {
                self.write(mail, &MailContent::RotatedBefore(mail.queued_at), now).await
            }
            (MailKind::Plan | MailKind::QuotaLow | MailKind::QuotaSpent, _) => {
                self.send_about_plan(mail, now).await
            }
            (MailKind::Asked, _) => {
                let asked = asked::asked(&*self.store, &digest_days(day_of(mail.queued_at))).await?;
                match asked.is_empty() {
                    true => Ok(DeliveryOutcome::Obsolete),
                    false => self.write(mail, &MailContent::Asked(&asked), now).await,
                }
            }
            (kind, _) => {
                let record = self.store.subscription_record(&mail.account).await?;
                let subscription = Subscription::parse(&record.text)?;
                let account = self.store.account(&mail.to).await?;
                let plan = account.map_or(Plan::Free, |account| account.plan);
                match billing_content(kind, &subscription, plan, now) {
                    Some(content) => self.write(mail, &content, now).await,
                    None => Ok(DeliveryOutcome::Obsolete),
                }
            }
        }
    }

    /// Says which plan the account has now, or that its calls are spent.
    async fn send_about_plan(&self, mail: &Mail, now: UnixMillis) -> Result<DeliveryOutcome, DeliveryError> {
        let Some(Account { plan, .. }) = self.store.account(&mail.to).await? else {
            return Ok(DeliveryOutcome::Obsolete);
        };
        let content = match mail.kind {
            MailKind::QuotaLow => MailContent::Quota { plan, is_spent: false },
            MailKind::QuotaSpent => MailContent::Quota { plan, is_spent: true },
            _ => MailContent::Plan(plan),
        };
        self.write(mail, &content, now).await
    }

    /// Tries to send the mail about an erased account; returns whether it was sent.
    async fn try_send_erased(&self, to: &Email, attempts: u32) -> bool {
        let sent = self.send_erased(to).await;
        if let Err(error) = &sent {
            tracing::warn!(attempts, %error, "the mail about an erased account was not sent");
        }
        sent.is_ok()
    }

    async fn send_erased(&self, to: &Email) -> Result<(), DeliveryError> {
        if matches!(self.transport, MailTransport::None) {
            return Ok(());
        }
        let (id, now) = (MailId::generate()?, self.clock.now());
        let message = self.templates.message(&id, to, &MailContent::Erased, now)?;
        self.transport.send(&message, &file_name(now, &id)).await?;
        self.metrics.sent.inc();
        Ok(())
    }

    async fn send_recovery_code(
        &self,
        mail: &Mail,
        now: UnixMillis,
    ) -> Result<DeliveryOutcome, DeliveryError> {
        let code = RecoveryCode::generate()?;
        self.send_code(mail, code.hash(&mail.account), &MailContent::Recovery(&code), now).await
    }

    /// Stores the hash of the code of a mail and sends the mail.
    async fn send_code(
        &self,
        mail: &Mail,
        hash: CodeHash,
        content: &MailContent<'_>,
        now: UnixMillis,
    ) -> Result<DeliveryOutcome, DeliveryError> {
        let record = CodeRecord { hash, expires_at: now.after(CODE_LIFETIME), at: now };
        if !self.store.save_mailed_code(&mail.id, record).await? {
            // since it was taken, its account was blocked or erased, or got another address
            return Ok(DeliveryOutcome::Obsolete);
        }
        self.write(mail, content, now).await
    }

    /// Makes the account's key, keeps it for the next attempt and sends it. One that this mailer held may have been
    /// replaced by another mailer for an attempt of its own, which is no reason to drop the mail: the store knows who
    /// ended it.
    async fn send_new_key(&self, mail: &Mail, now: UnixMillis) -> Result<DeliveryOutcome, DeliveryError> {
        let key = ApiKey::generate()?;
        match self.store.issue_welcome_key(&mail.id, &self.id, KeyRecord::of(&key, now)).await? {
            WelcomeKey::Issued => {
                self.hold(&mail.id, Some(&key), now);
                self.write(mail, &MailContent::Welcome(&key), now).await
            }
            WelcomeKey::HasOther => self.send_recovery_code(mail, now).await,
            WelcomeKey::Ended => Ok(DeliveryOutcome::Obsolete),
        }
    }

    async fn write(
        &self,
        mail: &Mail,
        content: &MailContent<'_>,
        now: UnixMillis,
    ) -> Result<DeliveryOutcome, DeliveryError> {
        let message = self.templates.message(&mail.id, &mail.to, content, now)?;
        self.transport.send(&message, &file_name(mail.queued_at, &mail.id)).await?;
        Ok(DeliveryOutcome::Sent)
    }
}

/// The content of a mail about payments to an account on a plan, as things are when it is written: a mail may be late.
/// None when it is obsolete.
fn billing_content(
    kind: MailKind,
    subscription: &Subscription,
    plan: Plan,
    now: UnixMillis,
) -> Option<MailContent<'_>> {
    let paid_time = subscription.paid_time_at(now);
    let paid = paid_time.map(|time| (time.order.plan, time.paid_until));
    match kind {
        MailKind::Paid => {
            let (at, order, charge) = subscription.latest_payment()?;
            Some(MailContent::Paid(Receipt {
                active: paid?,
                renews: paid_time?.order.renewal == Renewal::On,
                plan: order.plan,
                cents: charge.cents.unwrap_or(order.cents.into()),
                is_first: order.is_first_payment(charge),
                at,
                order: &order.id,
            }))
        }
        MailKind::Overdue => {
            let overdue = subscription.orders.iter().rev().find_map(|order| order.overdue().next());
            let pay_url = overdue?.pay_url.as_deref();
            let active = paid_time.map(|known| (known.order.plan, known.ends_at()));
            Some(MailContent::Overdue { pay_url, active })
        }
        MailKind::Declined => {
            let pay_url = subscription.orders.iter().rev().find_map(|order| order.pay_url());
            pay_url.map(|pay_url| MailContent::Declined { pay_url })
        }
        // the operator may have given the plan
        MailKind::Refunded if paid.is_none() && plan != Plan::Free => {
            Some(MailContent::RefundedBesideGrant(plan))
        }
        MailKind::Refunded => Some(MailContent::Refunded { active: paid }),
        MailKind::Canceled => paid.map(|(plan, until)| MailContent::Canceled { plan, until }),
        MailKind::Ended => (paid.is_none() && plan == Plan::Free).then_some(MailContent::Ended),
        MailKind::Welcome
        | MailKind::Recovery
        | MailKind::SignIn
        | MailKind::NewAddress
        | MailKind::Moved
        | MailKind::Rotated
        | MailKind::Plan
        | MailKind::QuotaLow
        | MailKind::QuotaSpent
        | MailKind::Asked => None,
    }
}
