//! Facets are the counts that a linear look at all results of a question gives, and the totals of narrower questions.

#![allow(clippy::cast_possible_truncation, reason = "the demo has few records")]

use std::collections::{BTreeMap, BTreeSet, HashMap};

use chrono::{Days, NaiveDate};
use snapshots::Snapshot;

use crate::question::near::Caller;
use crate::records::facets::Facets;
use crate::search::{ParsedQuery, search};
use crate::tests::generators::{Rng, Terms, demo, each_occurred, small};
use crate::vocabulary::words::Words;
use crate::{Collection, Guide, Query, View, Window};

const ALL: Facets = Facets { category: true, region: true, day: true };

/// A record as its curator wrote it.
struct Written {
    region: String,
    /// Its categories and those that contain them.
    categories: BTreeSet<String>,
    days: Option<(NaiveDate, NaiveDate)>,
    /// What is counted once when series are grouped.
    series: Option<String>,
}

fn categories<'r>(snapshot: &Snapshot, main: &'r String, also: &'r [String]) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for slug in also.iter().chain([main]) {
        let mut above = Some(slug.clone());
        while let Some(slug) = above {
            let known = snapshot.vocabulary.taxonomy.categories.iter().find(|known| known.slug == slug);
            above = known.unwrap().parent.clone();
            all.insert(slug);
        }
    }
    all
}

fn places(snapshot: &Snapshot) -> HashMap<&str, Written> {
    let written = snapshot.places.iter().map(|place| {
        let categories = categories(snapshot, &place.category, &place.also);
        let written = Written { region: place.region.clone(), categories, days: None, series: None };
        (place.id.as_str(), written)
    });
    written.collect()
}

fn events(snapshot: &Snapshot) -> HashMap<&str, Written> {
    let written = snapshot.events.iter().map(|event| {
        let written = Written {
            region: event.region.clone(),
            categories: categories(snapshot, &event.category, &event.also),
            days: Some((event.date, event.end_date.unwrap_or(event.date))),
            series: event.series.clone(),
        };
        (event.id.as_str(), written)
    });
    written.collect()
}

/// Counts of what has each key; the members of one group count once.
#[derive(Default)]
struct Count(BTreeMap<String, BTreeSet<String>>);

impl Count {
    fn add(&mut self, key: impl ToString, member: &str) {
        self.0.entry(key.to_string()).or_default().insert(member.to_owned());
    }

    fn counts(self) -> BTreeMap<String, u32> {
        self.0.into_iter().map(|(key, members)| (key, members.len() as u32)).collect()
    }
}

/// Compares the facets of a question with a linear count of what it finds.
fn compare(
    guide: &Guide,
    collection: &Collection,
    written: &HashMap<&str, Written>,
    query: &Query,
) -> &'static str {
    let vocabulary = guide.vocabulary();
    let asked = Query { facets: ALL, ..query.clone() };
    let page = search(vocabulary, collection, &asked);
    let plain = search(vocabulary, collection, query);
    assert_eq!((page.total, &page.ranks, page.more), (plain.total, &plain.ranks, plain.more), "{query:?}");
    let Some(facets) = page.facets.filter(|_| page.total > 0) else {
        assert_eq!(page.total, 0, "{query:?}");
        return "nothing";
    };
    let all = search(vocabulary, collection, &Query { limit: 1 << 30, group: false, ..query.clone() });
    let parsed = ParsedQuery::of(vocabulary, query);
    let named = parsed.text.days.as_ref();
    let windows: Vec<Window> = match (named, page.interpretation.window) {
        (Some(days), _) => days.windows().to_vec(),
        (None, Some(window)) => vec![window],
        (None, None) => Vec::new(),
    };
    let windows: Vec<Window> = windows
        .into_iter()
        .filter_map(|window| query.covered.map_or(Some(window), |covered| window.within(covered)))
        .collect();
    let [mut by_category, mut by_region, mut by_day] = [(); 3].map(|()| Count::default());
    for rank in &all.ranks {
        let id = collection.rendered.id(*rank);
        let one = &written[id];
        let member = one.series.as_deref().filter(|_| query.group).unwrap_or(id);
        one.categories.iter().for_each(|slug| by_category.add(slug, member));
        by_region.add(&one.region, member);
        let Some((first, last)) = one.days else { continue };
        for window in &windows {
            let days = window.from.max(first).iter_days().take_while(|day| *day <= window.to.min(last));
            days.for_each(|day| by_day.add(day, member));
        }
    }
    let categories: BTreeMap<String, u32> = facets
        .categories
        .iter()
        .map(|(id, count)| (vocabulary.category(*id).slug.to_string(), *count))
        .collect();
    assert_eq!(categories, by_category.counts(), "categories of {query:?}");
    let regions: BTreeMap<String, u32> =
        facets.regions.iter().map(|(id, count)| (vocabulary.area(*id).name.to_string(), *count)).collect();
    assert_eq!(regions, by_region.counts(), "regions of {query:?}");
    let days: BTreeMap<String, u32> =
        facets.days.iter().map(|(day, count)| (day.to_string(), *count)).collect();
    if page.closest.is_some() {
        // which days those are is part of what was let go
        let is_dated = collection.calendar.is_some();
        assert_eq!(days.is_empty(), !is_dated, "{query:?}");
        return "closest";
    }
    assert_eq!(days, by_day.counts(), "days of {query:?}");
    if query.group { "grouped" } else { "exact" }
}

fn compare_random(
    rng: &mut Rng,
    snapshot: &Snapshot,
    queries: usize,
    seen: &mut HashMap<&'static str, usize>,
) {
    let guide = Guide::build(snapshot).unwrap();
    let terms = Terms::of(snapshot);
    let (places, events) = (places(snapshot), events(snapshot));
    for _ in 0..queries {
        let words = Words::new(&terms.text(rng));
        let query = terms.query(rng, &guide, &words);
        let caller = Caller { view: query.view, scope: query.scope, covered: None };
        let near = guide.near("408 norte", caller).ok().filter(|_| rng.one_in(6));
        let covered = Window { from: query.today, to: query.today + Days::new(6) };
        let query = Query {
            group: rng.one_in(3),
            strict: rng.one_in(2),
            near: near.as_ref(),
            covered: Some(covered).filter(|_| rng.one_in(4)),
            ..query
        };
        *seen.entry(compare(&guide, &guide.places, &places, &query)).or_default() += 1;
        *seen.entry(compare(&guide, &guide.events, &events, &query)).or_default() += 1;
    }
}

#[test]
fn facets_equal_a_linear_count() {
    let mut seen = HashMap::new();
    let (mut rng, demo) = (Rng::new(11), demo());
    compare_random(&mut rng, &demo, 1_000, &mut seen);
    for _ in 0..20 {
        let snapshot = small(&mut rng, &demo);
        compare_random(&mut rng, &snapshot, 50, &mut seen);
    }
    each_occurred(&seen, ["exact", "grouped", "closest", "nothing"], 20);
}

#[test]
fn a_count_is_the_total_of_the_narrower_question() {
    let (mut rng, demo) = (Rng::new(12), demo());
    let guide = Guide::build(&demo).unwrap();
    let terms = Terms::of(&demo);
    let mut compared = 0;
    for _ in 0..200 {
        let words = Words::new(&terms.text(&mut rng));
        let query = Query {
            categories: Default::default(),
            areas: Default::default(),
            group: rng.one_in(2),
            strict: true,
            facets: ALL,
            ..terms.query(&mut rng, &guide, &words)
        };
        for collection in [&guide.places, &guide.events] {
            let total = |query: &Query| search(guide.vocabulary(), collection, query).total;
            let page = search(guide.vocabulary(), collection, &query);
            if !page.interpretation.corrected.is_empty() {
                continue;
            }
            let Some(facets) = page.facets else { continue };
            for (id, count) in facets.categories.iter().take(5) {
                let narrower = Query { categories: [*id].into_iter().collect(), ..query.clone() };
                assert_eq!(total(&narrower), *count, "{query:?}");
                compared += 1;
            }
            for (id, count) in &facets.regions {
                let narrower = Query { areas: [*id].into_iter().collect(), ..query.clone() };
                assert_eq!(total(&narrower), *count, "{query:?}");
            }
            for (day, count) in facets.days.iter().filter(|_| query.window.is_some()) {
                let narrower = Query { window: Some(Window::day(*day)), ..query.clone() };
                assert_eq!(total(&narrower), *count, "{query:?}");
            }
        }
    }
    assert!(compared > 100, "{compared}");
}

#[test]
fn a_relaxed_total_is_that_of_the_wider_question() {
    let (mut rng, demo) = (Rng::new(14), demo());
    let guide = Guide::build(&demo).unwrap();
    let terms = Terms::of(&demo);
    let (mut compared, mut grouped) = (0, 0);
    for _ in 0..600 {
        let words = Words::new(&if rng.one_in(2) { String::new() } else { terms.text(&mut rng) });
        let query = Query { group: true, strict: true, ..terms.query(&mut rng, &guide, &words) };
        let page = search(guide.vocabulary(), &guide.events, &query);
        let Some(relaxed) = page.relax.filter(|_| page.interpretation.corrected.is_empty()) else { continue };
        let total = |query: &Query| {
            let page = search(guide.vocabulary(), &guide.events, query);
            // a question that a correction alone answers is another one
            page.interpretation.corrected.is_empty().then_some(page.total)
        };
        let anywhere = Query { areas: Default::default(), quadras: Default::default(), ..query.clone() };
        let of_any_kind = Query { categories: Default::default(), ..query.clone() };
        for (wider, count) in [(anywhere, relaxed.region), (of_any_kind, relaxed.category)] {
            let (Some(total), Some(count)) = (total(&wider), count) else { continue };
            assert_eq!(total, count, "{query:?}");
            compared += usize::from(count > 0);
            let dates = search(guide.vocabulary(), &guide.events, &Query { group: false, ..wider }).total;
            grouped += usize::from(dates > count);
        }
    }
    assert!(compared > 30 && grouped > 10, "{compared} totals, {grouped} of them of series");
}

#[test]
fn what_the_basic_view_hides_changes_no_count() {
    let (mut rng, demo) = (Rng::new(13), demo());
    let open = crate::tests::view_isolation::without_paid_fields(&demo);
    let (with, without) = (Guide::build(&demo).unwrap(), Guide::build(&open).unwrap());
    let terms = Terms::of(&demo);
    for _ in 0..300 {
        let words = Words::new(&terms.text(&mut rng));
        let query = Query { facets: ALL, view: View::Basic, ..terms.query(&mut rng, &with, &words) };
        for is_events in [false, true] {
            let facets = |guide: &Guide| {
                let collection = if is_events { &guide.events } else { &guide.places };
                search(guide.vocabulary(), collection, &query).facets
            };
            assert_eq!(facets(&with), facets(&without), "{query:?}");
        }
    }
}
