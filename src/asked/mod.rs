//! Counts what people asked and did not find, and queues a weekly mail about it to the operator.
//!
//! A request that was not met hands its question over and goes on: nothing waits, and what does not fit into the queue
//! is dropped and counted. A background task counts in memory, each minute writes what at least
//! [`MIN_CALLERS`](crate::domain::asked::MIN_CALLERS) distinct callers asked today, and forgets the rest at midnight. A
//! caller is a hash, salted with random bytes that are thrown away each day and never leave the process, so that
//! neither the memory nor the store says who asked. Each server counts for itself, as no server may tell another who
//! asked: what three callers ask of three servers is not written.

mod digest;
mod recorder;
mod today;

use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use chrono::NaiveDate;
use tokio::sync::{Notify, mpsc};

pub use digest::{asked, digest_days};
pub use recorder::{Recorder, Unmet, Who};
use recorder::{Salt, Sent};
use today::{MAX_QUESTIONS, Today};

use crate::domain::account::{Email, HolderId};
use crate::domain::asked::{AskedCount, KEPT_DAYS};
use crate::domain::base62::NoRandomness;
use crate::domain::clock::{Clock, UnixMillis, start_of};
use crate::metrics::AskedMetrics;
use crate::outage::Outage;
use crate::store::{Store, StoreResult};
use crate::supervise::ticks;

/// Questions that may wait to be counted; further ones are dropped.
const MAX_WAITING: usize = 8 * 1024;

/// How often the queue is emptied. It is polled, so that no request has to wake anybody.
const ROUND: Duration = Duration::from_millis(500);

/// How often the counts are written: a crash loses no more.
const SAVE_EVERY_MILLIS: u64 = 60_000;

/// Counts and writes what a [`Recorder`] takes.
pub struct Counter {
    questions: mpsc::Receiver<Sent>,
    salt: Arc<ArcSwap<Salt>>,
    metrics: AskedMetrics,
    store: Arc<dyn Store>,
    clock: Clock,
    /// The address of the operator, who is written to.
    owner: Option<Email>,
    run: HolderId,
    today: Today,
    /// What is still to be written of the days before, in their order; of several when the store was away for long.
    left: Vec<AskedCount>,
    /// The Monday whose digest is done, and the one whose digest is this server's to queue.
    digest_done: Option<NaiveDate>,
    digest_taken: Option<NaiveDate>,
    /// When it last wrote: at first when it was made, so that a clock that is set before it runs counts too.
    saved_at: UnixMillis,
    saving: Outage,
}

/// A recorder and what counts for it.
pub fn recorder(
    store: Arc<dyn Store>,
    clock: Clock,
    owner: Option<Email>,
    metrics: AskedMetrics,
) -> Result<(Recorder, Counter), NoRandomness> {
    let (queue, questions) = mpsc::channel(MAX_WAITING);
    let salt = Arc::new(ArcSwap::from_pointee(rand::random()));
    let recorder = Recorder::new(queue, salt.clone(), metrics.clone());
    let today = Today::new(clock.today().date());
    let saved_at = clock.now();
    let counter = Counter {
        questions,
        salt,
        metrics,
        store,
        clock,
        owner,
        run: HolderId::generate()?,
        today,
        left: Vec::new(),
        digest_done: None,
        digest_taken: None,
        saved_at,
        saving: Outage::new("what people asked cannot be written"),
    };
    Ok((recorder, counter))
}

impl Counter {
    /// Counts until `closing` is notified, and then writes once more. Can be called again after a panic.
    pub async fn run(&mut self, closing: &Notify) {
        let mut rounds = ticks(ROUND);
        let mut is_closing = false;
        while !is_closing {
            tokio::select! {
                _ = rounds.tick() => {}
                () = closing.notified() => is_closing = true,
            }
            self.begin_day();
            self.take();
            let now = self.clock.now();
            if is_closing || now.0.abs_diff(self.saved_at.0) >= SAVE_EVERY_MILLIS {
                self.saved_at = now;
                let saved = self.save().await;
                self.saving.record(&saved);
                if !is_closing && let Err(error) = self.queue_digest().await {
                    tracing::warn!(%error, "the weekly letter about what people asked could not be queued yet");
                }
                // counted last: what is counted is done
                self.metrics.saves.inc();
            }
        }
    }

    /// Counts what waits.
    fn take(&mut self) {
        while let Ok(Sent { caller, unmet, snapshot }) = self.questions.try_recv() {
            // it has string keys and is written to memory, so that this does not fail
            let Ok(question) = serde_json::to_string(&unmet.question(&snapshot)) else { continue };
            let forgotten = self.today.count(question, caller);
            self.metrics.forgotten.inc_by(u64::try_from(forgotten).unwrap_or(u64::MAX));
        }
    }

    /// On a new day forgets who asked what, and throws the salt away.
    fn begin_day(&mut self) {
        let day = self.clock.today().date();
        if day == self.today.day {
            return;
        }
        // what waits was asked before midnight or just after it, by callers that were hashed with the old salt
        self.take();
        self.salt.store(Arc::new(rand::random()));
        self.left.extend(self.today.unsaved(&self.run));
        self.today = Today::new(day);
        let forgotten = self.left.len().saturating_sub(MAX_QUESTIONS);
        self.left.drain(..forgotten);
        self.metrics.forgotten.inc_by(u64::try_from(forgotten).unwrap_or(u64::MAX));
    }

    async fn save(&mut self) -> StoreResult<()> {
        if !self.left.is_empty() {
            self.write(&self.left).await?;
            self.left.clear();
        }
        let counts = self.today.unsaved(&self.run);
        if !counts.is_empty() {
            self.write(&counts).await?;
            self.today.saved(&counts);
        }
        Ok(())
    }

    /// Writes counts, day by day. What is written once more stays the same.
    async fn write(&self, counts: &[AskedCount]) -> StoreResult<()> {
        for of_day in counts.chunk_by(|one, other| one.day == other.day) {
            let day = of_day.first().map(|count| count.day);
            let forget_at = day.and_then(|day| day.checked_add_days(chrono::Days::new(KEPT_DAYS)));
            let forget_at = forget_at.and_then(start_of).unwrap_or(UnixMillis(i64::MAX));
            self.store.save_asked(of_day.to_vec(), forget_at).await?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use index::search::page::Interpretation;
    use snapshots::Digest;
    use tempfile::TempDir;

    use super::*;
    use crate::domain::asked::{FoundInstead, MAX_A_DAY, MIN_CALLERS, Sought};
    use crate::serving::{GuideVersion, ServingSnapshot, SnapshotExtras};
    use crate::store::sqlite::Sqlite;

    /// A morning in Brasília.
    const START: UnixMillis = UnixMillis(1_790_000_000_000);

    /// A counter that writes into a store of its own.
    fn counting() -> (TempDir, Clock, Recorder, Counter) {
        let folder = tempfile::tempdir().expect("a folder");
        let store =
            Arc::new(Sqlite::open(&folder.path().join("candango.db"), folder.path()).expect("a store"));
        let clock = Clock::standing_at(START);
        let (sender, counter) =
            recorder(store, clock.clone(), None, AskedMetrics::default()).expect("random bytes");
        (folder, clock, sender, counter)
    }

    /// Sets a clock to the morning of a day to come, and returns the day.
    fn set_days_ahead(clock: &Clock, days: u64) -> NaiveDate {
        clock.set(START.after(Duration::from_hours(24 * days)));
        clock.today().date()
    }

    #[tokio::test]
    async fn each_question_is_written_on_its_day_when_the_store_is_back_after_days() {
        let (_folder, clock, sender, mut counter) = counting();
        let days = [0, 1, 2].map(|ahead| set_days_ahead(&clock, ahead));
        let checked = snapshots::check(&snapshots::demo::files(), days[0]).expect("the demo");
        let dated = checked.on(days[0], &snapshots::Hidden::default()).expect("dates");
        let guide = index::Guide::build(&dated).expect("a guide");
        let version = GuideVersion { serial: 0, digest: Digest::of(b"demo"), day: days[0], hidden: 0 };
        let snapshot = ServingSnapshot::new(guide, version, SnapshotExtras::default(), "plano-piloto");
        let snapshot = Arc::new(snapshot.expect("a guide"));
        for (ahead, text) in [(0, "xilofone"), (1, "tuba")] {
            let today = set_days_ahead(&clock, ahead);
            counter.begin_day();
            for caller in 1..=MIN_CALLERS {
                let interpretation = Interpretation { text: text.to_owned(), ..Interpretation::default() };
                let unmet = Unmet {
                    sought: Sought::Places,
                    result: FoundInstead::Nothing,
                    today,
                    interpretation,
                    left_out: Vec::new(),
                    near: false,
                };
                let address = format!("192.0.2.{caller}").parse().expect("an address");
                sender.record(unmet, &snapshot, Who::Visitor(address));
            }
        }
        set_days_ahead(&clock, 2);
        counter.begin_day();
        counter.save().await.expect("written");
        for (day, text) in days.iter().zip([Some("xilofone"), Some("tuba"), None]) {
            let found = counter.store.asked(*day).await.expect("counts");
            assert_eq!(found.len(), usize::from(text.is_some()), "{day}: {found:?}");
            assert!(found.iter().all(|count| count.question.contains(text.unwrap_or_default())), "{found:?}");
        }
        assert!(counter.left.is_empty());
    }

    #[test]
    fn of_days_that_wait_for_the_store_the_oldest_are_forgotten() {
        let (_folder, clock, _sender, mut counter) = counting();
        let days = 8;
        for ahead in 0..days {
            set_days_ahead(&clock, ahead);
            counter.begin_day();
            for number in 0..MAX_A_DAY {
                for caller in 0..3 {
                    counter.today.count(format!("question {number}"), caller);
                }
            }
        }
        let last = counter.today.day;
        set_days_ahead(&clock, days);
        counter.begin_day();
        assert_eq!(counter.left.len(), MAX_QUESTIONS);
        assert_eq!(counter.left.last().map(|count| count.day), Some(last));
        assert_eq!(counter.metrics.forgotten.get(), (8 * MAX_A_DAY - MAX_QUESTIONS) as u64);
    }
}
