//! What changed in the guide since an earlier publication, for clients that keep a copy.
//!
//! A [`History`] is made of the publications that the depot keeps, so that all servers give the same answer, also after
//! a restart. A client says only which publication its copy is of, and not on which day of it the copy was made: the
//! answer holds everything that may differ from any state of the guide since that publication went live. A record that
//! the client has already, or an id that it never had, changes nothing in the copy.

mod delta;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use index::Collection;
use index::grammar::fold::fold;
use snapshots::{Event, Hidden, Place, Snapshot, split_date};

use delta::Seen;
pub(crate) use delta::{Delta, Prints};

use crate::domain::clock::{UnixMillis, day_of};
use crate::domain::records::{ByKind, Records};
use crate::serving::{GuideVersion, Latest, Serving, ServingSnapshot};

/// How many publications `changes` goes back.
pub(crate) const PUBLICATIONS: usize = 30;

/// The most changed records of an answer: from there on the whole guide is as quick, and an answer stays small.
pub(crate) const MAX_CHANGED: usize = 20_000;

/// By how much the clocks of those who publish and of servers may differ.
const SKEW: TimeDelta = TimeDelta::minutes(5);

/// How long servers may serve a publication after the next one was published.
const LAG: TimeDelta = TimeDelta::hours(1);

/// A publication, and when it was published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Published {
    /// Its serial number.
    pub serial: u64,
    /// When.
    pub at: DateTime<Utc>,
}

/// The publications up to the one in service, and what each changed.
pub struct History {
    version: GuideVersion,
    hidden: Arc<Hidden>,
    past: Past,
    live: Live,
    /// By id: the last publication that changed the record.
    updated: ByKind<HashMap<String, u64>>,
    /// The last publication that changed the records which `updated` does not name; unknown when that was before the
    /// oldest publication.
    unchanged: Option<u64>,
}

/// The publications up to the one in service.
#[derive(Default)]
pub struct Past {
    /// The oldest first; none for the built-in demo.
    pub publications: Vec<Published>,
    /// What each publication after the first changed.
    pub deltas: Vec<Arc<Delta>>,
}

/// What the clock and what is hidden change in the publication in service.
#[derive(Default)]
struct Live {
    /// The events that repeat.
    repeated: HashMap<String, Seen>,
    /// The records that are not shown on all days.
    windowed: ByKind<Vec<Seen>>,
    /// The records that are hidden, and since when.
    hidden: ByKind<Vec<(Seen, DateTime<Utc>)>>,
    /// By the id of a place that may come and go: the ids of the events whose venue it is, which name it or have its
    /// position only while it is shown.
    events_by_place: HashMap<String, Vec<String>>,
}

/// Why there is no list of changes: the whole guide has to be exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoChanges {
    /// They do not go back so far, or are so many that the whole guide is as quick.
    #[error("the changes do not go back so far")]
    TooOld,
    /// The publication is newer than the one in service.
    #[error("the publication is newer than the guide")]
    TooNew,
}

/// What changed.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Ranks of records that are new or may differ.
    pub changed: ByKind<Vec<u32>>,
    /// Ids that are not served any more.
    pub deleted: ByKind<Vec<String>>,
}

/// Ids that may differ. Those that were seen, and are not any more, are deleted.
type Candidates = ByKind<HashMap<String, WasSeen>>;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum WasSeen {
    No,
    Yes,
}

impl History {
    /// The history of a publication in service. `past` ends with it; `live` is what it shows on some day.
    pub fn new(version: GuideVersion, hidden: Arc<Hidden>, past: Past, live: &Snapshot) -> History {
        let Past { publications, deltas } = &past;
        let mut updated = ByKind::<HashMap<String, u64>>::default();
        // what no later one changed was brought by the first publication of all
        let unchanged = publications.first().map(|first| first.serial).filter(|serial| *serial == 1);
        for (published, delta) in publications.iter().skip(1).zip(deltas) {
            for (records, differences) in delta.0.iter() {
                let changed = differences.iter().map(|one| (one.id.clone(), published.serial));
                updated.get_mut(records).extend(changed);
            }
        }
        let live = Live::of(live, &hidden, deltas);
        History { version, hidden, past, live, updated, unchanged }
    }

    /// The history of a snapshot that was never published: there are no changes.
    pub fn unpublished(version: GuideVersion, hidden: Arc<Hidden>) -> History {
        let (past, live) = (Past::default(), Live::default());
        History { version, hidden, past, live, updated: ByKind::default(), unchanged: None }
    }

    /// The publications that it knows, the oldest first. Those and the snapshot decide what it answers.
    pub fn publications(&self) -> &[Published] {
        &self.past.publications
    }

    /// Whether it is the history of this snapshot. It is the same on any day.
    pub fn is_of(&self, snapshot: &ServingSnapshot) -> bool {
        self.version.is_same_on_any_day(snapshot.version)
    }

    /// The last publication that changed a record; unknown when that was before those that the history knows. The
    /// dates of an event that repeats change together.
    pub fn updated(&self, records: Records, id: &str) -> Option<u64> {
        let series = || {
            let (series, _) = split_date(id).filter(|_| records == Records::Events)?;
            self.live.repeated.contains_key(series).then_some(series)
        };
        self.updated.get(records).get(series().unwrap_or(id)).copied().or(self.unchanged)
    }

    /// What may differ between the guide in service, which this is the history of, and any state that it had since the
    /// publication `since` went live.
    pub fn since(&self, since: u64, snapshot: &ServingSnapshot) -> Result<Changes, NoChanges> {
        if since > self.version.serial {
            return Err(NoChanges::TooNew);
        }
        // the demo is no publication: nothing was published since
        if self.version.serial == 0 {
            return Ok(Changes::default());
        }
        let Past { publications, deltas } = &self.past;
        let known = publications.iter().position(|known| known.serial == since);
        let first = known.ok_or(NoChanges::TooOld)?;
        let began = publications[first].at - SKEW;
        let from = day(began);
        let today = snapshot.version.day.max(from);
        let mut span = Span { history: self, began, from, today, candidates: Candidates::default() };
        for (delta, published) in deltas.iter().zip(publications.iter().skip(1)).skip(first) {
            span.add_delta(delta, published.at);
        }
        span.add_clock();
        span.add_hidden();
        let guide = &snapshot.guide;
        let ByKind { places, events } = span.candidates;
        let (mut changed, mut deleted) = (ByKind::default(), ByKind::default());
        (changed.places, deleted.places) = split(places, &guide.places);
        (changed.events, deleted.events) = split(events, &guide.events);
        if changed.places.len() + changed.events.len() > MAX_CHANGED {
            return Err(NoChanges::TooOld);
        }
        Ok(Changes { changed, deleted })
    }
}

/// The ranks of those that are served, and the ids of those that were.
fn split(candidates: HashMap<String, WasSeen>, records: &Collection) -> (Vec<u32>, Vec<String>) {
    let (mut changed, mut deleted) = (Vec::new(), Vec::new());
    for (id, was_seen) in candidates {
        match records.find(&id) {
            Some(rank) => changed.push(rank),
            None if was_seen == WasSeen::Yes => deleted.push(id),
            None => {}
        }
    }
    changed.sort_unstable();
    deleted.sort_unstable();
    (changed, deleted)
}

/// The day in Brasília.
fn day(at: DateTime<Utc>) -> NaiveDate {
    day_of(UnixMillis(at.timestamp_millis()))
}

/// The time from a publication until now.
struct Span<'h> {
    history: &'h History,
    began: DateTime<Utc>,
    /// The day on which it began.
    from: NaiveDate,
    today: NaiveDate,
    candidates: Candidates,
}

impl Span<'_> {
    fn add(&mut self, records: Records, ids: impl IntoIterator<Item = String>, was_seen: WasSeen) {
        for id in ids {
            let known = self.candidates.get_mut(records).entry(id).or_insert(was_seen);
            *known = (*known).max(was_seen);
        }
    }

    /// Adds what is served of a record.
    fn add_live(&mut self, records: Records, id: &str) {
        let ids = match self.history.live.repeated.get(id).filter(|_| records == Records::Events) {
            Some(event) => event.ids_on(self.today),
            None => vec![id.to_owned()],
        };
        self.add(records, ids, WasSeen::No);
    }

    /// Adds the events that name a place or have its position.
    fn add_events_at(&mut self, place: &str) {
        for event in self.history.live.events_by_place.get(place).into_iter().flatten() {
            self.add_live(Records::Events, event);
        }
    }

    /// Adds what a publication changed.
    fn add_delta(&mut self, delta: &Delta, published: DateTime<Utc>) {
        for (records, differences) in delta.0.iter() {
            for difference in differences {
                self.add_live(records, &difference.id);
                if records == Records::Places {
                    self.add_events_at(&difference.id);
                }
                let Some(before) = &difference.before else { continue };
                if before.is_shown_within(self.from, day(published + LAG))
                    && !self.was_hidden(&before.id, published)
                {
                    let seen = |id: &String| !self.was_hidden(id, published);
                    let ids: Vec<String> =
                        before.ids_within(self.from, self.today).into_iter().filter(seen).collect();
                    self.add(records, ids, WasSeen::Yes);
                }
            }
        }
    }

    /// Whether a record is hidden since before the time began.
    fn is_hidden(&self, id: &str) -> bool {
        self.history.hidden.records.get(id).is_some_and(|why| why.at < self.began)
    }

    /// Whether a record was hidden from before the time began until the publication that replaced it.
    fn was_hidden(&self, id: &str, replaced: DateTime<Utc>) -> bool {
        let shown = self.history.hidden.shown_again.get(id);
        self.is_hidden(id) || shown.is_some_and(|shown| shown.hidden_at < self.began && replaced <= shown.at)
    }

    /// Adds what the clock brought and took.
    fn add_clock(&mut self) {
        let history = self.history;
        let (from, today) = (self.from, self.today);
        for (records, windowed) in history.live.windowed.iter() {
            for record in windowed {
                let has_come = record.from.is_some_and(|first| from < first && first <= today);
                let is_gone = record.until.is_some_and(|last| from <= last && last < today);
                if !has_come && !is_gone {
                    continue;
                }
                if records == Records::Places {
                    self.add_events_at(&record.id);
                }
                self.add_live(records, &record.id);
                if is_gone && record.is_shown_within(from, today) && !self.is_hidden(&record.id) {
                    self.add(records, record.ids_within(from, today), WasSeen::Yes);
                }
            }
        }
        if from == today {
            return;
        }
        for event in history.live.repeated.values() {
            let (before, now) = (event.ids_on(from), event.ids_on(today));
            let known: HashSet<&String> = before.iter().collect();
            let new: Vec<String> = now.iter().filter(|id| !known.contains(id)).cloned().collect();
            self.add(Records::Events, new, WasSeen::No);
            if event.is_shown_within(from, today) && !self.is_hidden(&event.id) {
                let left: HashSet<String> = now.into_iter().collect();
                let over = |id: &String| !left.contains(id) && !self.is_hidden(id);
                let over: Vec<String> = before.iter().filter(|id| over(id)).cloned().collect();
                self.add(Records::Events, over, WasSeen::Yes);
            }
        }
    }

    /// Adds what was hidden and shown again.
    fn add_hidden(&mut self) {
        let (history, began) = (self.history, self.began);
        for (records, hidden) in history.live.hidden.iter() {
            for (record, at) in hidden.iter().filter(|(_, at)| *at >= began) {
                if records == Records::Places {
                    self.add_events_at(&record.id);
                }
                if record.is_shown_within(self.from, day(*at + SKEW)) {
                    self.add(records, record.ids_within(self.from, self.today), WasSeen::Yes);
                }
            }
        }
        for (id, _) in history.hidden.shown_again.iter().filter(|(_, shown)| shown.at >= began) {
            self.add_events_at(id);
            self.add_live(Records::Places, id);
            self.add_live(Records::Events, id);
        }
    }
}

impl Live {
    fn of(snapshot: &Snapshot, hidden: &Hidden, deltas: &[Arc<Delta>]) -> Live {
        let mut live = Live::default();
        for place in &snapshot.places {
            let seen = Seen::from(place);
            if let Some(why) = hidden.records.get(&place.id) {
                live.hidden.places.push((seen.clone(), why.at));
            }
            if seen.is_windowed() {
                live.windowed.places.push(seen);
            }
        }
        for event in &snapshot.events {
            live.add_event(event, hidden);
        }
        live.add_events_by_place(snapshot, hidden, deltas);
        live
    }

    fn add_event(&mut self, event: &Event, hidden: &Hidden) {
        let seen = Seen::from(event);
        let by_id = [Some(&event.id), event.series.as_ref()];
        if let Some(why) = by_id.into_iter().flatten().find_map(|id| hidden.records.get(id)) {
            self.hidden.events.push((seen.clone(), why.at));
        }
        if event.repeat.is_some() {
            // one date of it
            let dates = hidden.records.range(format!("{}-", event.id)..format!("{}.", event.id));
            for (id, why) in dates.filter(|(id, _)| split_date(id).is_some_and(|(of, _)| of == event.id)) {
                let date = Seen { id: id.clone(), repeated: None, ..seen.clone() };
                self.hidden.events.push((date, why.at));
            }
            self.repeated.insert(event.id.clone(), seen.clone());
        }
        if seen.is_windowed() {
            self.windowed.events.push(seen);
        }
    }

    /// Finds the events at places that may come and go.
    fn add_events_by_place(&mut self, snapshot: &Snapshot, hidden: &Hidden, deltas: &[Arc<Delta>]) {
        let was_windowed: HashSet<&str> = deltas
            .iter()
            .flat_map(|delta| &delta.0.places)
            .filter_map(|place| place.before.as_ref().filter(|before| before.is_windowed()))
            .map(|before| before.id.as_str())
            .collect();
        let comes_and_goes = |place: &&Place| {
            let Place { id, hidden: own, show_from, show_until, .. } = place;
            own.is_some()
                || show_from.is_some()
                || show_until.is_some()
                || hidden.records.contains_key(id)
                || hidden.shown_again.contains_key(id)
                || was_windowed.contains(id.as_str())
        };
        let mut by_name: HashMap<String, Vec<&str>> = HashMap::new();
        let mut ids: HashSet<&str> = HashSet::new();
        for place in snapshot.places.iter().filter(comes_and_goes) {
            ids.insert(&place.id);
            for name in std::iter::once(&place.name).chain(&place.aliases) {
                by_name.entry(fold(name)).or_default().push(&place.id);
            }
        }
        if ids.is_empty() {
            return;
        }
        for event in &snapshot.events {
            let named = event.place.as_deref().filter(|id| ids.contains(id));
            let venue = event.venue.as_deref().filter(|_| event.place.is_none());
            let by_venue = venue.and_then(|venue| by_name.get(&fold(venue)));
            for place in named.into_iter().chain(by_venue.into_iter().flatten().copied()) {
                self.events_by_place.entry(place.to_owned()).or_default().push(event.id.clone());
            }
        }
    }
}

/// The pointer to the history of the snapshot in service. Clones share it.
#[derive(Clone)]
pub struct Histories(Arc<KeptHistory>);

struct KeptHistory {
    latest: Latest<History>,
    /// Whether the next one comes soon.
    is_coming: AtomicBool,
}

impl Default for Histories {
    fn default() -> Histories {
        Histories(Arc::new(KeptHistory { latest: Latest::default(), is_coming: AtomicBool::new(true) }))
    }
}

impl Histories {
    /// The snapshot in service and its history, which is made soon after the snapshot went live. None if that takes
    /// longer than `patience`, or nothing makes it at present.
    pub async fn current(
        &self,
        serving: &Serving,
        patience: Duration,
    ) -> Option<(Arc<ServingSnapshot>, Arc<History>)> {
        let KeptHistory { latest, is_coming } = &*self.0;
        // the snapshot is not held while its history is awaited
        let find = || {
            let (snapshot, history) = (serving.current()?, latest.current()?);
            history.is_of(&snapshot).then_some((snapshot, history))
        };
        match is_coming.load(Ordering::Relaxed) {
            true => tokio::time::timeout(patience, latest.until(find)).await.ok(),
            false => find(),
        }
    }

    /// Replaces the history.
    pub fn replace(&self, history: History) {
        self.0.latest.replace(history);
    }

    /// Says whether a history comes soon, so that it is worth waiting for.
    pub fn set_coming(&self, is_coming: bool) {
        self.0.is_coming.store(is_coming, Ordering::Relaxed);
    }
}
