//! The site as a crawler sees it, by links alone: none is broken, and every place and every series is a few clicks from
//! the front page.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde_json::{Value, json};

use crate::service::{Service, exchange, request, shared};

/// The most clicks from the front page to a record.
const MOST_CLICKS: usize = 4;

/// The status and the text of a page.
fn fetched(service: &Service, path: &str) -> (u16, String) {
    let answer = exchange(service.listen, &request("GET", path, &[("accept", "text/html")], b""));
    (answer.status, answer.text())
}

/// The addresses on this host that a page links to.
fn links(page: &str) -> BTreeSet<String> {
    let targets = page.split(" href=\"").skip(1).filter_map(|rest| rest.split('"').next());
    let here = targets.filter(|target| target.starts_with('/'));
    let whole = here.filter_map(|target| target.split('#').next());
    whole.filter(|target| !target.is_empty()).map(|target| target.replace("&amp;", "&")).collect()
}

/// The pages of a language by their clicks from its front page. Fails on a link that leads nowhere.
fn crawl(service: &Service, front: &str) -> BTreeMap<String, usize> {
    let is_own = |path: &str| {
        (path == "/en" || path.starts_with("/en/") || path.starts_with("/en?")) == (front == "/en")
    };
    let mut clicks = BTreeMap::from([(front.to_owned(), 0)]);
    let mut waiting = VecDeque::from([front.to_owned()]);
    while let Some(path) = waiting.pop_front() {
        let (status, page) = fetched(service, &path);
        // the pages of an account lead visitors to the one where they sign in
        let is_account = path.starts_with("/conta/") || path.starts_with("/en/account/");
        assert!(status == 200 || is_account && status == 303, "a link leads to {path}: {status}");
        let is_page = page.starts_with("<!DOCTYPE html>");
        let here = clicks[&path];
        for link in links(&page).into_iter().filter(|_| is_page) {
            assert!(!link.contains("?region="), "{path} links to {link}");
            if is_own(&link) && !clicks.contains_key(&link) {
                clicks.insert(link.clone(), here + 1);
                waiting.push_back(link);
            }
        }
    }
    clicks
}

#[test]
fn every_link_within_a_page_of_the_reference_has_its_target() {
    let service = &shared().service;
    for index in ["/api", "/en/api"] {
        let of_api = |page: &str| {
            let own = links(page).into_iter().filter(|link| link.starts_with(&format!("{index}/")));
            own.collect::<BTreeSet<String>>()
        };
        let operations = of_api(&fetched(service, index).1);
        let pages = operations.iter().flat_map(|page| of_api(&fetched(service, page).1));
        let pages: BTreeSet<String> = pages.chain(operations.iter().cloned()).collect();
        assert!(operations.len() > 10 && pages.len() > operations.len(), "{pages:?}");
        let mut count = 0;
        for path in pages {
            let (_, page) = fetched(service, &path);
            for target in page.split(" href=\"#").skip(1).filter_map(|rest| rest.split('"').next()) {
                assert!(page.contains(&format!(" id=\"{target}\"")), "{path} has no {target}");
                count += 1;
            }
        }
        assert!(count > 100, "{index}: {count}");
    }
}

/// All records that the free plan finds with a search.
fn all(service: &Service, key: &str, list: &str, search: &Value) -> Vec<Value> {
    let (mut records, mut search) = (Vec::new(), search.clone());
    loop {
        let answer = service.good(key, search.clone());
        records.extend(answer[list].as_array().expect("a list").iter().cloned());
        match &answer["next_cursor"] {
            Value::Null => return records,
            cursor => search["cursor"] = cursor.clone(),
        }
    }
}

#[test]
fn every_record_is_a_few_clicks_away_and_no_link_is_broken() {
    let (service, key) = (&shared().service, &shared().free);
    let places = all(service, key, "places", &json!({"action": "search_places", "limit": 50}));
    let to = service.good(key, json!({"action": "summary"}))["today"].as_str().expect("a day").to_owned();
    let to = format!("{}{}", to[..4].parse::<u32>().expect("a year") + 1, &to[4..]);
    let search =
        json!({"action": "search_events", "to": to, "from": "today", "group": "series", "limit": 50});
    let events = all(service, key, "events", &search);
    assert!(places.len() > 100 && events.len() > 10, "{} {}", places.len(), events.len());
    for front in ["/", "/en"] {
        let clicks = crawl(service, front);
        let prefix = front.trim_end_matches('/');
        let id = |record: &Value| {
            let id = record["series"].as_str().or(record["id"].as_str()).expect("an id");
            id.to_owned()
        };
        let places = places.iter().map(|place| format!("{prefix}/place/{}", id(place)));
        let events = events.iter().map(|event| format!("{prefix}/event/{}", id(event)));
        for record in places.chain(events) {
            let away = clicks.get(&record);
            assert!(away.is_some_and(|away| *away <= MOST_CLICKS), "{record} is {away:?} clicks away");
        }
    }
}
