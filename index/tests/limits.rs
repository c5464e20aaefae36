//! The index at the largest vocabulary that the rules for snapshots allow.
#![allow(clippy::unwrap_used, reason = "a test that panics has failed, as it should")]

use std::time::{Duration, Instant};

use chrono::NaiveDate;
use index::{BuildError, Guide, vocabulary::regions};
use snapshots::vocabulary::Neighbourhood;
use snapshots::{MAX_AREAS, Snapshot};

/// The demo with further neighbourhoods "Vila 0", "Vila 1", ... up to this many areas, and a place in the last one.
fn with_areas(areas: usize) -> (Snapshot, usize) {
    let today = NaiveDate::from_ymd_opt(2026, 11, 21).unwrap();
    let demo = snapshots::check(&snapshots::demo::files(), today).unwrap();
    let mut demo = demo.on(today, &snapshots::Hidden::default()).unwrap();
    let counts = demo.counts();
    let known = demo.vocabulary.geography.zones.len() + counts.regions + counts.neighbourhoods;
    let added = areas - known;
    let region = &mut demo.vocabulary.geography.regions[0];
    region.neighbourhoods.extend((0..added).map(|n| Neighbourhood {
        slug: format!("vila-{n}"),
        name: format!("Vila {n}"),
        aliases: Vec::new(),
        part_of: None,
    }));
    demo.places.truncate(10);
    demo.events.clear();
    demo.places[0].region = region.name.clone();
    demo.places[0].neighbourhood = Some(format!("Vila {}", added - 1));
    (demo, added)
}

#[test]
fn every_neighbourhood_is_found_at_the_largest_allowed_count() {
    let (snapshot, added) = with_areas(MAX_AREAS);
    let guide = Guide::build(&snapshot).unwrap();
    let vocabulary = guide.vocabulary();
    for n in 0..added {
        let name = format!("Vila {n}");
        let found = regions::resolve(vocabulary, &name).unwrap();
        let names: Vec<&str> = found.iter().map(|id| vocabulary.area(*id).name.as_str()).collect();
        assert_eq!(names, [name]);
    }
    let last = regions::resolve(vocabulary, &format!("Vila {}", added - 1)).unwrap()[0];
    let ids: Vec<&str> =
        guide.places.filtered(last, None).iter().map(|rank| guide.places.rendered.id(*rank)).collect();
    assert_eq!(ids, [snapshot.places[0].id.as_str()]);
}

#[test]
fn more_areas_than_ids_are_an_error() {
    let (snapshot, _) = with_areas(usize::from(u16::MAX));
    assert!(matches!(Guide::build(&snapshot), Err(BuildError::TooLarge("areas"))));
}

#[test]
fn neighbourhoods_nested_too_deep_are_an_error() {
    let (mut snapshot, added) = with_areas(10_000);
    let parts = &mut snapshot.vocabulary.geography.regions[0].neighbourhoods;
    let first = parts.len() - added;
    for at in first + 1..parts.len() {
        parts[at].part_of = Some(parts[at - 1].name.clone());
    }
    assert!(matches!(Guide::build(&snapshot), Err(BuildError::TooLarge(_))));
}

#[test]
fn the_time_to_build_does_not_grow_with_the_square_of_the_areas() {
    let build_time = |areas: usize| -> Duration {
        let (snapshot, _) = with_areas(areas);
        let time = |_| {
            let start = Instant::now();
            Guide::build(&snapshot).unwrap();
            start.elapsed()
        };
        (0..3).map(time).min().unwrap()
    };
    // sixteen times the areas: a quadratic build takes 256 times as long
    let growth = build_time(64_000).as_secs_f64() / build_time(4_000).as_secs_f64();
    assert!(growth < 64.0, "{growth}");
}
