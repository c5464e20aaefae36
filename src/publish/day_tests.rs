//! A server that runs for months never runs out of dates, and shows records on their days.
#![allow(clippy::unwrap_used, reason = "a test that panics has failed, as it should")]

use std::time::Duration;

use chrono::Days;
use serde_json::Value;
use snapshots::File;

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

#[tokio::test]
async fn the_guide_in_service_is_made_anew_at_midnight_in_brasilia() {
    let home = tempfile::tempdir().unwrap();
    let depot = Depot::open(home.path().join("depot").to_str().unwrap()).unwrap();
    let today: NaiveDate = "2026-11-21".parse().unwrap();
    let files = demo::files();
    let mut places: Value = serde_json::from_str(files.text(File::Places).unwrap()).unwrap();
    let (soon, gone) = (places[0]["id"].clone(), places[1]["id"].clone());
    places[0]["show_from"] = "2026-11-22".into();
    places[1]["show_until"] = "2026-11-21".into();
    let packed = pack(&files.with(File::Places, places.to_string()), today).unwrap();
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
    let midnight = |day: NaiveDate| start_of(day).unwrap().0;
    let clock = Clock::standing_at(UnixMillis(midnight(today + Days::new(1)) - MINUTE));
    let serving = Serving::default();
    let metrics = Metrics::default().snapshot;
    let data = home.path().join("data");
    let counted = metrics.clone();
    let pages = Pages { site: "https://guia.example".to_owned(), area: "plano-piloto".to_owned() };
    let mut publisher = Publisher::new(PublisherParts {
        depot: depot.clone(),
        own_depot: None,
        pages,
        serving: serving.clone(),
        clock: clock.clone(),
        metrics: counted,
        data: &data,
    });
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
