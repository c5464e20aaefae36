//! Counts what people asked and did not find, and has the operator written to about it once a week.
//!
//! A request that was not met hands its question over and goes on: nothing waits, and what does not fit into the queue
//! is dropped and counted. A background task counts in memory, each minute writes what at least [`MIN_CALLERS`]
//! distinct callers asked today, and forgets the rest at midnight. A caller is a hash, salted with random bytes that
//! are thrown away each day and never leave the process, so that neither the memory nor the store says who asked. Each
//! server counts for itself, as no server may tell another who asked: what three callers ask of three servers is not
//! written.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use chrono::{Datelike, NaiveDate, TimeDelta};
use index::page::Interpretation;
use index::search::usual_days;
use index::{AreaId, CategoryId};
use sha2::{Digest as _, Sha256};
use tokio::sync::{Notify, mpsc};

use crate::domain::account::{Account, AccountId, Email, HolderId, MailId};
use crate::domain::asked::{
    Asked, AskedCount, Days, Hours, KEPT_DAYS, MAX_A_DAY, MAX_CALLERS, MIN_CALLERS, Missed, Question, Sought,
    days_to, list,
};
use crate::domain::base62::NoRandomness;
use crate::domain::clock::{Clock, UnixMillis, start_of};
use crate::domain::mail::MailKind;
use crate::domain::network::network;
use crate::metrics::AskedMetrics;
use crate::outage::Outage;
use crate::serving::ServingSnapshot;
use crate::store::{AskedStore, RateLimit, Store, StoreError, StoreResult};
use crate::supervise::ticks;

/// Questions that may wait to be counted; further ones are dropped.
const MAX_WAITING: usize = 8 * 1024;

/// How often the queue is emptied. It is polled, so that no request has to wake anybody.
const ROUND: Duration = Duration::from_millis(500);

/// How often the counts are written: a crash loses no more.
const SAVE_EVERY_MILLIS: u64 = 60_000;

/// Different questions in memory. When there are more, the rarest are forgotten. As many of the days before may wait
/// for the store; of more, the oldest are forgotten.
const MAX_QUESTIONS: usize = 10_000;

/// The part of them that stays when there are too many: so each question is looked through rarely.
const KEPT_WHEN_FULL: usize = MAX_QUESTIONS / 4 * 3;

/// When the letter is written: on Mondays at this time of Brasília, about so many days before.
const LETTER_TIME: Duration = Duration::from_hours(8);

/// The days that a letter is about.
pub const LETTER_DAYS: u64 = 7;

/// A question that was not met, and how it was understood.
#[derive(Debug)]
pub struct Unmet {
    /// What it looked for.
    pub sought: Sought,
    /// What it found instead.
    pub result: Missed,
    /// The day in Brasília.
    pub today: NaiveDate,
    /// How it was understood.
    pub interpretation: Interpretation,
    /// What the closest records do not meet.
    pub left_out: Vec<String>,
    /// Whether it looked near a place.
    pub near: bool,
}

/// Who asked.
#[derive(Debug, Clone, Copy)]
pub enum Who<'a> {
    /// The holder of a key.
    Account(&'a AccountId),
    /// A client without a key, at this address.
    Visitor(IpAddr),
}

/// A question on its way to be counted.
struct Sent {
    caller: u64,
    unmet: Unmet,
    /// The snapshot that it was understood with, which knows the names.
    snapshot: Arc<ServingSnapshot>,
}

type Salt = [u8; 16];

/// Takes questions on the path of requests. Clones share the queue.
#[derive(Clone)]
pub struct Recorder {
    queue: mpsc::Sender<Sent>,
    salt: Arc<ArcSwap<Salt>>,
    metrics: AskedMetrics,
}

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
    /// The Monday whose letter is done, and the one whose letter is this server's to queue.
    letter_done: Option<NaiveDate>,
    letter_taken: Option<NaiveDate>,
    /// When it last wrote: at first when it was made, so that a clock that is set before it runs counts too.
    saved_at: UnixMillis,
    saving: Outage,
}

/// The counts of one day.
struct Today {
    day: NaiveDate,
    questions: HashMap<String, Tally>,
}

/// The count of one question.
#[derive(Default)]
struct Tally {
    /// The hashes of distinct callers, at most [`MAX_CALLERS`].
    callers: Vec<u64>,
    times: u32,
    /// How much of it is written.
    saved: u32,
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
    let recorder = Recorder { queue, salt: salt.clone(), metrics: metrics.clone() };
    let today = Today { day: clock.today().date(), questions: HashMap::new() };
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
        letter_done: None,
        letter_taken: None,
        saved_at,
        saving: Outage::new("what people asked cannot be written"),
    };
    Ok((recorder, counter))
}

impl Recorder {
    /// A recorder that forgets everything: for tests, and where nothing is written.
    pub fn none() -> Recorder {
        let (queue, _) = mpsc::channel(1);
        Recorder { queue, salt: Arc::default(), metrics: AskedMetrics::default() }
    }

    /// Hands a question over.
    pub fn record(&self, unmet: Unmet, snapshot: &Arc<ServingSnapshot>, who: Who<'_>) {
        let caller = caller(&self.salt.load(), who);
        let sent = Sent { caller, unmet, snapshot: snapshot.clone() };
        if let Err(mpsc::error::TrySendError::Full(_)) = self.queue.try_send(sent) {
            self.metrics.dropped.inc();
        }
    }
}

/// Tells callers of one day apart, and says nothing else about them.
fn caller(salt: &Salt, who: Who<'_>) -> u64 {
    let hash = Sha256::new().chain_update(salt);
    let hash = match who {
        Who::Account(account) => hash.chain_update(b"a").chain_update(account.as_str()),
        Who::Visitor(address) => match network(address) {
            IpAddr::V4(address) => hash.chain_update(b"4").chain_update(address.octets()),
            IpAddr::V6(address) => hash.chain_update(b"6").chain_update(address.octets()),
        },
    };
    let mut first = [0; 8];
    first.copy_from_slice(&hash.finalize()[..8]);
    u64::from_le_bytes(first)
}

impl Unmet {
    /// The question with the names that the snapshot has.
    fn question(&self, snapshot: &ServingSnapshot) -> Question {
        let Interpretation { areas, quadras, categories, window, hours, text, .. } = &self.interpretation;
        let vocabulary = snapshot.guide.vocabulary();
        let area =
            |id: &AreaId| vocabulary.areas.get(usize::from(*id)).map(|area| area.name.as_str().to_owned());
        let category = |id: &CategoryId| {
            vocabulary.categories.get(usize::from(*id)).map(|category| category.pt.as_str().to_owned())
        };
        let mut question = Question {
            sought: self.sought,
            result: self.result,
            category: categories.iter().filter_map(category).collect(),
            region: areas.iter().filter_map(area).collect(),
            quadra: quadras.to_vec(),
            // the usual days are nothing that was asked for
            days: window
                .filter(|window| *window != usual_days(self.today))
                .map(|window| Days::of(window.from, window.to, self.today)),
            hours: hours.map(|(hours, _)| Hours::from_minute(hours.from)),
            near: self.near,
            words: text.clone(),
            left_out: self.left_out.clone(),
        };
        // one question, in whatever order it was asked
        question.category.sort_unstable();
        question.region.sort_unstable();
        question.quadra.sort_unstable();
        question
    }
}

impl Today {
    /// Counts a question; returns how many rarer ones were forgotten for it.
    fn count(&mut self, question: String, caller: u64) -> usize {
        let mut forgotten = 0;
        if self.questions.len() >= MAX_QUESTIONS && !self.questions.contains_key(&question) {
            forgotten = self.forget_the_rarest();
        }
        let tally = self.questions.entry(question).or_default();
        tally.times = tally.times.saturating_add(1);
        if tally.callers.len() < MAX_CALLERS && !tally.callers.contains(&caller) {
            tally.callers.push(caller);
        }
        forgotten
    }

    fn forget_the_rarest(&mut self) -> usize {
        let before = self.questions.len();
        let mut ranked: Vec<(usize, u32)> =
            self.questions.values().map(|tally| (tally.callers.len(), tally.times)).collect();
        ranked.sort_unstable_by(|one, other| other.cmp(one));
        let Some(least) = ranked.get(KEPT_WHEN_FULL).copied() else { return 0 };
        // those that are as rare as the first to go stay only while there is room
        let mut room = KEPT_WHEN_FULL - ranked.partition_point(|rank| *rank > least);
        self.questions.retain(|_, tally| match (tally.callers.len(), tally.times).cmp(&least) {
            std::cmp::Ordering::Greater => true,
            std::cmp::Ordering::Less => false,
            std::cmp::Ordering::Equal if room > 0 => {
                room -= 1;
                true
            }
            std::cmp::Ordering::Equal => false,
        });
        before - self.questions.len()
    }

    /// What has to be written, the most asked first.
    fn unsaved(&self, run: &HolderId) -> Vec<AskedCount> {
        let enough = |tally: &Tally| tally.callers.len() >= MIN_CALLERS && tally.times > tally.saved;
        let mut counts: Vec<AskedCount> = self
            .questions
            .iter()
            .filter(|(_, tally)| enough(tally))
            .map(|(question, tally)| AskedCount {
                day: self.day,
                run: run.clone(),
                question: question.clone(),
                callers: u32::try_from(tally.callers.len()).unwrap_or(u32::MAX),
                times: tally.times,
            })
            .collect();
        counts.sort_unstable_by(|one, other| (other.times, &one.question).cmp(&(one.times, &other.question)));
        counts.truncate(MAX_A_DAY);
        counts
    }

    fn saved(&mut self, counts: &[AskedCount]) {
        for count in counts {
            if let Some(tally) = self.questions.get_mut(&count.question) {
                tally.saved = count.times;
            }
        }
    }
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
                if !is_closing && let Err(error) = self.write_letter().await {
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
        self.today = Today { day, questions: HashMap::new() };
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

    /// Queues the letter of this week's Monday, unless this or another server has. A server that dies between taking it
    /// and queueing it takes the letter with it.
    async fn write_letter(&mut self) -> Result<(), StoreError> {
        let Some(owner) = self.owner.clone() else { return Ok(()) };
        let now = self.clock.now();
        let today = self.clock.today().date();
        let Some(begins_at) = start_of(today).map(|midnight| midnight.after(LETTER_TIME)) else {
            return Ok(());
        };
        if today.weekday() != chrono::Weekday::Mon || now < begins_at || self.letter_done == Some(today) {
            return Ok(());
        }
        if self.letter_taken != Some(today) {
            if asked(&*self.store, &letter_days(today)).await?.is_empty() {
                self.letter_done = Some(today);
                return Ok(());
            }
            let next_week = today.checked_add_signed(TimeDelta::days(7)).and_then(start_of);
            let limit = RateLimit::window("asked letter", &today, 1, next_week.unwrap_or(now));
            if self.store.count_attempt(vec![limit], now).await?.is_some() {
                self.letter_done = Some(today);
                return Ok(());
            }
            self.letter_taken = Some(today);
        }
        let id = AccountId::generate().map_err(|error| StoreError::failed(error.to_string()))?;
        let mail = MailId::from_stored(format!("ltr_asked_{today}"));
        self.store.queue_mail(Account::new(id, owner, now), &mail, MailKind::Asked, now).await?;
        self.letter_done = Some(today);
        Ok(())
    }
}

/// The days that the letter of a Monday is about: the week before.
pub fn letter_days(monday: NaiveDate) -> Vec<NaiveDate> {
    monday.pred_opt().map_or_else(Vec::new, |last| days_to(last, LETTER_DAYS))
}

/// What was asked on some days.
pub async fn asked<S: AskedStore + ?Sized>(store: &S, days: &[NaiveDate]) -> StoreResult<Vec<Asked>> {
    let mut counts = Vec::new();
    for day in days {
        counts.extend(store.asked(*day).await?);
    }
    Ok(list(&counts))
}

#[cfg(test)]
mod tests {
    use snapshots::Digest;
    use tempfile::TempDir;

    use super::*;
    use crate::serving::{BesideGuide, GuideVersion};
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
        let snapshot = ServingSnapshot::new(guide, version, BesideGuide::default(), "plano-piloto");
        let snapshot = Arc::new(snapshot.expect("a guide"));
        for (ahead, text) in [(0, "xilofone"), (1, "tuba")] {
            let today = set_days_ahead(&clock, ahead);
            counter.begin_day();
            for caller in 1..=MIN_CALLERS {
                let interpretation = Interpretation { text: text.to_owned(), ..Interpretation::default() };
                let unmet = Unmet {
                    sought: Sought::Places,
                    result: Missed::Zero,
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

    fn day() -> Today {
        Today { day: NaiveDate::default(), questions: HashMap::new() }
    }

    #[test]
    fn memory_is_bounded_and_the_rarest_are_forgotten_first() {
        let mut today = day();
        for caller in 0..5 {
            today.count("often".to_owned(), caller);
        }
        let mut forgotten = 0;
        for number in 0..3 * MAX_QUESTIONS {
            forgotten += today.count(format!("once {number}"), 1);
            assert!(today.questions.len() <= MAX_QUESTIONS);
        }
        assert_eq!(today.questions.len() + forgotten, 3 * MAX_QUESTIONS + 1);
        assert_eq!(today.questions["often"].callers.len(), 5);
    }

    #[test]
    fn what_two_callers_ask_is_not_written_however_often() {
        let mut today = day();
        let run = HolderId::from_stored("h_1".to_owned());
        for caller in 0..100 {
            today.count("rare".to_owned(), caller % 2);
        }
        for caller in 0..3 {
            today.count("enough".to_owned(), caller);
        }
        let counts = today.unsaved(&run);
        assert_eq!(counts.len(), 1);
        assert_eq!((counts[0].question.as_str(), counts[0].callers, counts[0].times), ("enough", 3, 3));
        today.saved(&counts);
        assert!(today.unsaved(&run).is_empty(), "what is written is not written again");
    }

    #[test]
    fn callers_are_told_apart_by_account_and_network_and_differ_with_the_salt() {
        let account = AccountId::from_stored("acct_1".to_owned());
        let visitor = |address: &str| Who::Visitor(address.parse().expect("an address"));
        let salt = [1; 16];
        assert_eq!(caller(&salt, visitor("2001:db8::1")), caller(&salt, visitor("2001:db8::2")));
        assert_ne!(caller(&salt, visitor("192.0.2.1")), caller(&salt, visitor("192.0.2.2")));
        assert_ne!(caller(&salt, Who::Account(&account)), caller(&[2; 16], Who::Account(&account)));
    }
}
