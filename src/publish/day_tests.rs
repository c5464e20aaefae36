//! A server that runs for months never runs out of dates, and shows records on their days.
#![allow(clippy::unwrap_used, reason = "a test that panics has failed, as it should")]

use std::time::Duration;

use chrono::{Days, NaiveDate};
use parking_lot::Mutex;
use serde_json::Value;
use snapshots::{File, Files};

use super::*;
use crate::domain::clock::{UnixMillis, start_of};
use crate::metrics::Metrics;

const MINUTE: i64 = 60_000;

fn has(serving: &Serving, id: &str) -> bool {
    let current = serving.current().unwrap();
    current.guide.events.find(id).is_some() || current.guide.places.find(id).is_some()
}

async fn until(what: &str, is_so: impl Fn() -> bool) {
    for _ in 0..3_000 {
        if is_so() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("{what} never happened");
}

/// Notes the days that guides are prepared for, before they are in service.
struct Early {
    serving: Serving,
    days: Mutex<Vec<NaiveDate>>,
}

impl Companion for Early {
    fn prepare(&self, snapshot: &ServingSnapshot) {
        let day = snapshot.version.day;
        assert!(self.serving.current().is_none_or(|live| live.version.day != day));
        self.days.lock().push(day);
    }

    fn keep_only(&self, live: &ServingSnapshot) {
        assert_eq!(Some(live.version.day), self.days.lock().last().copied());
    }
}

/// A depot with one publication.
async fn published(home: &Path, files: &Files, day: NaiveDate) -> (Depot, Packed) {
    let depot = Depot::open(home.join("depot").to_str().unwrap()).unwrap();
    let packed = pack(files, day).unwrap();
    depot.store(&packed).await.unwrap();
    let publication = Publication {
        serial: 1,
        digest: packed.digest,
        name: packed.name.clone(),
        places: 0,
        events: 0,
        published_at: DateTime::UNIX_EPOCH,
        by: None,
        note: None,
        forced: None,
    };
    depot.publish(publication).await.unwrap();
    (depot, packed)
}

fn publisher_of(
    home: &Path,
    depot: &Depot,
    serving: &Serving,
    clock: &Clock,
    metrics: &SnapshotMetrics,
) -> Publisher {
    Publisher::new(PublisherParts {
        depot: depot.clone(),
        own_depot: None,
        pages: pages("plano-piloto"),
        serving: serving.clone(),
        clock: clock.clone(),
        metrics: metrics.clone(),
        data: &home.join("data"),
    })
}

fn pages(area: &str) -> SitePages {
    SitePages { site: "https://guia.example".to_owned(), area: area.to_owned() }
}

fn midnight(day: NaiveDate) -> i64 {
    start_of(day).unwrap().0
}

/// Runs a publisher until something is so. Between two runs what it works with can be changed.
async fn run_until(publisher: &mut Publisher, what: &str, is_so: impl Fn() -> bool) {
    tokio::select! {
        () = publisher.run() => {}
        () = until(what, is_so) => {}
    }
}

#[tokio::test]
async fn a_guide_that_could_not_be_made_anew_stays_a_failure_though_the_depot_is_read_again() {
    let home = tempfile::tempdir().unwrap();
    let today: NaiveDate = "2026-11-21".parse().unwrap();
    let (depot, _) = published(home.path(), &demo::files(), today).await;
    let clock = Clock::standing_at(UnixMillis(midnight(today)));
    let (serving, metrics) = (Serving::default(), Metrics::default().snapshot);
    let mut publisher = publisher_of(home.path(), &depot, &serving, &clock, &metrics);
    let failure = publisher.failure();
    let day = || serving.current().map(|live| live.version.day);
    let rounds = || metrics.polls.get();
    run_until(&mut publisher, "the first guide", || day() == Some(today) && rounds() > 1).await;
    assert_eq!((failure.message(), metrics.publish_failing.get()), (None, 0));

    publisher.pages = Arc::new(pages("no-such-area"));
    clock.set(UnixMillis(midnight(today + Days::new(1))));
    run_until(&mut publisher, "the failure", || failure.message().is_some()).await;
    let why = failure.message();
    assert!(why.as_ref().is_some_and(|why| why.contains("no-such-area")), "{why:?}");

    let (pointer, aside) = (home.path().join("depot/current.json"), home.path().join("aside"));
    std::fs::rename(&pointer, &aside).unwrap();
    std::fs::create_dir(&pointer).unwrap();
    run_until(&mut publisher, "a depot that cannot be read", || failure.message() != why).await;
    std::fs::remove_dir(&pointer).unwrap();
    std::fs::rename(&aside, &pointer).unwrap();
    let before = rounds();
    run_until(&mut publisher, "more rounds", || rounds() > before + 3).await;
    assert_eq!((failure.message(), metrics.publish_failing.get()), (why, 1));
    assert_eq!(day(), Some(today), "the guide of yesterday is still in service");

    publisher.pages = Arc::new(pages("plano-piloto"));
    let next = today + Days::new(2);
    clock.set(UnixMillis(midnight(next)));
    run_until(&mut publisher, "the end of the failure", || failure.message().is_none()).await;
    assert_eq!((day(), metrics.publish_failing.get()), (Some(next), 0));
}

#[tokio::test]
async fn the_guide_in_service_is_made_anew_at_midnight_in_brasilia() {
    let home = tempfile::tempdir().unwrap();
    let today: NaiveDate = "2026-11-21".parse().unwrap();
    let files = demo::files();
    let mut places: Value = serde_json::from_str(files.text(File::Places).unwrap()).unwrap();
    let (soon, gone) = (places[0]["id"].clone(), places[1]["id"].clone());
    places[0]["show_from"] = "2026-11-22".into();
    places[1]["show_until"] = "2026-11-21".into();
    let files = files.with(File::Places, places.to_string());
    let (depot, packed) = published(home.path(), &files, today).await;
    let clock = Clock::standing_at(UnixMillis(midnight(today + Days::new(1)) - MINUTE));
    let (serving, metrics) = (Serving::default(), Metrics::default().snapshot);
    let mut publisher = publisher_of(home.path(), &depot, &serving, &clock, &metrics);
    let companion = Arc::new(Early { serving: serving.clone(), days: Mutex::default() });
    publisher.accompanied_by(companion.clone());
    let running = tokio::spawn(async move { publisher.run().await });
    serving.first().await;
    let (soon, gone) = (soon.as_str().unwrap(), gone.as_str().unwrap());
    assert!(!has(&serving, soon) && has(&serving, gone));

    clock.set(UnixMillis(midnight(today + Days::new(1)) + MINUTE));
    until("the next day", || has(&serving, soon)).await;
    assert!(!has(&serving, gone));
    let version = serving.current().unwrap().version;
    assert_eq!((version.serial, version.digest), (1, packed.digest), "it is the same publication");

    // two years later, without the depot, which is down: moved, as removing it file by file meets the reports that are
    // written
    std::fs::rename(home.path().join("depot"), home.path().join("moved")).unwrap();
    assert!(!has(&serving, "choro-no-eixo-2028-11-26"));
    clock.set(UnixMillis(midnight("2028-11-21".parse().unwrap())));
    until("a day in two years", || has(&serving, "choro-no-eixo-2028-11-26")).await;
    assert!(!has(&serving, "choro-no-eixo-2026-11-29"), "what is over for long is not served");
    // and the day does not change again
    let swaps = metrics.swaps.get();
    let polls = metrics.polls.get();
    until("more polls", || metrics.polls.get() > polls + 3).await;
    assert_eq!(metrics.swaps.get(), swaps);
    running.abort();
    let days = [today, today + Days::new(1), "2028-11-21".parse().unwrap()];
    assert_eq!(*companion.days.lock(), days, "each guide was prepared, for its day");
}
