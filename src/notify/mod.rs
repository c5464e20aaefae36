//! Webhooks: notifies accounts of publications and of quotas that run out, at an address of theirs or by mail.
//!
//! What is to be sent is queued in the store, so that it survives a restart and is sent by one process of a fleet. Each
//! event is counted in the store and queued in the same call, by the process that comes first.

pub(crate) mod hooks;
pub(crate) mod messages;
mod send;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use tokio::sync::Notify;
use tokio::task::JoinSet;

use self::messages::{HookMessage, PUBLISHED, QUOTA_LOW, QUOTA_SPENT, QuotaReached, SnapshotPublished};
use self::send::{Sender, TIMEOUT};
use crate::config::Config;
use crate::dispatch::Dispatcher;
use crate::domain::account::{AccountId, DeliveryId, MailId};
use crate::domain::base62::NoRandomness;
use crate::domain::clock::{Clock, UnixMillis};
use crate::domain::mail::MailKind;
use crate::metrics::HookMetrics;
use crate::outage::Outage;
use crate::quota::leases::Spent;
use crate::retry::{Retry, log_panic};
use crate::store::{Delivery, Message, Once, Store, StoreError, TakeDue};
use crate::supervise::ticks;

/// How often the queue, the quotas and the snapshot in service are looked at.
const ROUND: Duration = Duration::from_secs(1);

/// Messages sent at once.
const CONCURRENCY: usize = 32;

/// Messages sent at once to one account, by all servers together: more of a stalling receiver would keep those of
/// others waiting until the time-out.
const CONCURRENCY_EACH: usize = 2;

/// How long a message stays reserved after the longest time that sending takes.
const RESERVE: Duration = Duration::from_secs(10);

const RETRY: Retry = Retry {
    first: Duration::from_secs(5),
    longest: Duration::from_hours(4),
    max_age: Duration::from_hours(3 * 24),
};

/// How many messages may wait for one account; further ones are dropped.
const MAX_QUEUED: usize = 50;

/// The share of the month at which an account is warned, in percent.
const WARN_AT: u32 = 80;

/// For how long it is known that a publication was notified: longer than any serves.
const NOTIFIED: Duration = Duration::from_hours(10 * 365 * 24);

/// Queues and sends messages to webhooks. Clones share its state.
#[derive(Clone)]
pub(crate) struct Notifier(Arc<NotifierState>);

struct NotifierState {
    store: Arc<dyn Store>,
    clock: Clock,
    dispatcher: Arc<Dispatcher>,
    metrics: HookMetrics,
    sender: Sender,
    closing: Notify,
    reading: Outage,
}

/// Why an event was not queued.
#[derive(Debug, thiserror::Error)]
enum NotifyError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Message(#[from] MessageError),
    #[error(transparent)]
    Randomness(#[from] NoRandomness),
}

/// Why a message was not written.
#[derive(Debug, thiserror::Error)]
pub enum MessageError {
    /// The operating system gave no randomness.
    #[error(transparent)]
    Randomness(#[from] NoRandomness),
    /// A field could not be written as JSON, which all can be.
    #[error("the message could not be written: {0}")]
    Json(#[from] serde_json::Error),
}

/// What this process has queued already, so that the store is not asked each round.
#[derive(Default)]
struct Notified {
    serial: Option<u64>,
    /// By account: the month, the limit and the percentage of the last warning.
    quotas: HashMap<AccountId, (u32, u32, u32)>,
}

impl Notifier {
    /// A notifier. [`Notifier::run`] does its work.
    pub(crate) fn new(
        config: &Config,
        store: Arc<dyn Store>,
        clock: Clock,
        dispatcher: Arc<Dispatcher>,
        metrics: HookMetrics,
    ) -> reqwest::Result<Notifier> {
        Ok(Notifier(Arc::new(NotifierState {
            store,
            clock,
            dispatcher,
            metrics,
            sender: Sender::new(config.webhooks.allow_private)?,
            closing: Notify::new(),
            reading: Outage::new("the queue of webhooks cannot be read or written"),
        })))
    }

    /// Ends [`Notifier::run`]. What is being sent is sent again after the next start.
    pub(crate) fn close(&self) {
        self.0.closing.notify_one();
    }

    /// Queues and sends until the notifier is closed. Can be called again after a panic: the queue is in the store.
    pub(crate) async fn run(self) {
        let notifier = self.0;
        let mut notified = Notified::default();
        let mut sending = JoinSet::new();
        let mut rounds = ticks(ROUND);
        loop {
            tokio::select! {
                _ = rounds.tick() => {}
                Some(ended) = sending.join_next() => {
                    log_panic("webhook", ended);
                    continue;
                }
                () = notifier.closing.notified() => return,
            }
            let round = async {
                // one that fails keeps nothing from those after it
                let of_publication = notifier.notify_publication(&mut notified).await;
                let of_quotas = notifier.notify_quotas(&mut notified).await;
                let now = notifier.clock.now();
                let room = CONCURRENCY.saturating_sub(sending.len());
                let take = TakeDue { now, retry_at: now.after(TIMEOUT + RESERVE), max: room };
                let due = notifier.store.take_due_deliveries(take, CONCURRENCY_EACH).await;
                (of_publication.and(of_quotas), due)
            };
            let (queued, due) = tokio::select! {
                done = round => done,
                () = notifier.closing.notified() => return,
            };
            let failed = [queued.err(), due.as_ref().err().map(|error| NotifyError::from(error.clone()))];
            notifier.reading.record(&failed.into_iter().flatten().next().map_or(Ok(()), Err));
            for delivery in due.unwrap_or_default() {
                let notifier = notifier.clone();
                sending.spawn(async move { notifier.deliver(&delivery).await });
            }
        }
    }
}

impl NotifierState {
    /// Queues `snapshot.published` when the snapshot in service is another one than before.
    async fn notify_publication(&self, notified: &mut Notified) -> Result<(), NotifyError> {
        let Some(snapshot) = self.dispatcher.serving.current() else { return Ok(()) };
        let (serial, now) = (snapshot.version.serial, self.clock.now());
        // the built-in demo was never published
        if notified.serial == Some(serial) || serial == 0 {
            return Ok(());
        }
        let digest = snapshot.version.digest.to_string();
        let once = Once { name: format!("published/{serial}/{digest}"), ends_at: now.after(NOTIFIED) };
        let (places, events) = (snapshot.guide.places.len(), snapshot.guide.events.len());
        let message = message(PUBLISHED, SnapshotPublished { serial, digest, places, events }, now)?;
        self.store.notify_all(once, message, MAX_QUEUED).await?;
        notified.serial = Some(serial);
        Ok(())
    }

    /// Queues `quota.80` and `quota.100` of accounts that have spent so much of the month, as far as this process
    /// knows.
    async fn notify_quotas(&self, notified: &mut Notified) -> Result<(), NotifyError> {
        let moment = self.clock.moment();
        let month = moment.month();
        notified.quotas.retain(|_, (number, ..)| *number == month.number);
        for Spent { account, used, limit } in self.dispatcher.quota.spent(month, WARN_AT) {
            let percent = if used >= limit { 100 } else { WARN_AT };
            let now_notified = (month.number, limit, percent);
            if notified.quotas.get(&account).is_some_and(|before| *before == now_notified) {
                continue;
            }
            let (kind, mail) = match percent {
                100 => (QUOTA_SPENT, MailKind::QuotaSpent),
                _ => (QUOTA_LOW, MailKind::QuotaLow),
            };
            // another limit, of another plan, is another event
            let name = format!("{kind}/{}/{account}/{limit}", month.ends_at.0);
            let usage = QuotaReached {
                percent,
                calls_this_month: used,
                monthly_limit: limit,
                resets_at: month.ends_at.to_string(),
            };
            let (once, otherwise) = (Once { name, ends_at: month.ends_at }, (MailId::generate()?, mail));
            let message = message(kind, usage, moment.at)?;
            self.store.notify(&account, once, message, MAX_QUEUED, otherwise).await?;
            notified.quotas.insert(account, now_notified);
        }
        Ok(())
    }

    async fn deliver(&self, delivery: &Delivery) {
        let Delivery { id, account, queued_at, attempts, .. } = delivery;
        let sent = self.sender.send(delivery, self.clock.now()).await;
        let now = self.clock.now();
        let (result, retry_at) = match sent {
            Ok(status) => {
                self.metrics.sent.inc();
                tracing::info!(delivery = %id, %account, attempts, "a webhook was sent");
                (status.to_string(), None)
            }
            Err(error) => {
                self.metrics.failed.inc();
                let retry_at = RETRY.next_attempt(*queued_at, now, *attempts);
                if retry_at.is_none() {
                    self.metrics.abandoned.inc();
                    tracing::warn!(delivery = %id, %account, attempts, %error, "a webhook was abandoned");
                } else {
                    tracing::debug!(delivery = %id, %account, attempts, %error, "a webhook will be tried again");
                }
                (error.to_string(), retry_at)
            }
        };
        if let Err(error) = self.store.record_attempt(delivery, &result, now, retry_at).await {
            tracing::warn!(delivery = %id, %error, "what came of a webhook is not recorded: it will be sent again");
        }
    }
}

/// A message of Standard Webhooks.
fn message(kind: &'static str, data: impl Serialize, at: UnixMillis) -> Result<Message, MessageError> {
    let body = serde_json::to_string(&HookMessage { kind, timestamp: at.to_string(), data })?;
    Ok(Message { id: DeliveryId::generate()?, body, at })
}
