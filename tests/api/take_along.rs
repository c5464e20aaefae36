//! What people take along from the site: calendars, feeds, lists, the map. Files are read back with libraries.

use std::collections::BTreeSet;

use atom_syndication::{Feed, FixedDateTime};
use candango::domain::clock::Clock;
use chrono::{Days, NaiveDate};
use icalendar::{Calendar, CalendarComponent, Component, EventLike as _};

use crate::listings::today;
use crate::service::{Answer, exchange, request, shared};

fn fetched(path: &str) -> Answer {
    exchange(shared().service.listen, &request("GET", path, &[("accept", "text/html")], b""))
}

fn page(path: &str) -> String {
    let answer = fetched(path);
    assert_eq!(answer.status, 200, "{path}");
    answer.text()
}

/// The events of a calendar, each as its name and its properties by name.
fn calendar(path: &str) -> Vec<icalendar::Event> {
    let answer = fetched(path);
    assert_eq!(answer.status, 200, "{path}");
    assert_eq!(answer.header("content-type"), Some("text/calendar; charset=utf-8"), "{path}");
    let calendar: Calendar = answer.text().parse().expect("a calendar");
    let events = calendar.components.into_iter().filter_map(|component| match component {
        CalendarComponent::Event(event) => Some(event),
        _ => None,
    });
    events.collect()
}

fn feed(path: &str) -> Feed {
    let answer = fetched(path);
    assert_eq!(answer.status, 200, "{path}");
    assert_eq!(answer.header("content-type"), Some("application/atom+xml; charset=utf-8"), "{path}");
    Feed::read_from(answer.body.as_slice()).expect("an Atom feed")
}

/// The ids of the series and of the events in none that are linked from a page.
fn linked(page: &str, prefix: &str) -> BTreeSet<String> {
    let start = format!("href=\"{prefix}");
    let rest = page.split(&start).skip(1);
    rest.filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())).collect()
}

#[test]
fn the_changelog_is_a_feed_with_one_entry_for_each_release() {
    for path in ["/changelog.atom", "/en/changelog.atom"] {
        let feed = feed(path);
        let dates: Vec<_> = feed.entries().iter().map(|entry| entry.updated).collect();
        assert!(dates.len() > 1 && dates.is_sorted_by(|newer, older| newer > older), "{dates:?}");
        assert_eq!(feed.updated, dates[0]);
        let newest = &feed.entries()[0];
        assert_eq!(newest.title.as_str(), format!("Candango {}", env!("CARGO_PKG_VERSION")));
        let text = newest.content().and_then(|content| content.value()).expect("what changed");
        assert!(text.contains("<li>"), "{text}");
    }
}

#[test]
fn a_series_is_one_entry_with_its_rule() {
    let events = calendar("/event/choro-no-eixo.ics");
    assert_eq!(events.len(), 1);
    let rule = events[0].property_value("RRULE").expect("a rule");
    assert_eq!(rule, "FREQ=WEEKLY;BYDAY=SU");
    let page = page("/event/choro-no-eixo");
    let dates = linked(&page, "/event/choro-no-eixo-");
    let next = dates.first().expect("a date").replace('-', "");
    let starts = events[0].property_value("DTSTART").expect("a start");
    // in the evening the page no longer lists the date of today
    let (first, time) = starts.split_at(next.len());
    assert!(
        [next.clone(), today().format("%Y%m%d").to_string()].contains(&first.to_owned()),
        "{starts} {next}"
    );
    // a date of it is an entry of its own, without a rule
    let one = calendar(&format!("/event/choro-no-eixo-{}.ics", dates.first().expect("a date")));
    assert_eq!(one[0].property_value("RRULE"), None);
    assert_eq!(one[0].property_value("DTSTART"), Some(&*format!("{next}{time}")));
}

#[test]
fn a_record_page_leads_on_without_its_address() {
    let event = page("/event/choro-no-eixo");
    assert!(event.contains("href=\"/event/choro-no-eixo.ics\""), "add to the calendar");
    assert!(event.contains("rel=\"alternate\" type=\"text/calendar\""));
    assert!(
        event.contains("href=\"/sugerir?about=/event/choro-no-eixo\""),
        "readers can tell what has changed"
    );
    let place = page("/place/memorial-jk");
    assert!(!place.contains(".ics\""), "places have no calendar");
    for page in [&event, &place] {
        assert!(page.contains("href=\"https://wa.me/?text="));
        assert!(page.contains("href=\"https://www.google.com/maps/dir/?api=1&amp;destination="));
        assert!(page.contains("id=\"near-here\""));
        let near = page.split("id=\"near-here\"").nth(1).expect("a section");
        assert_eq!(near.split("</section>").next().expect("its end").matches("<li>").count(), 5);
    }
    assert_eq!(fetched("/event/no-such-event.ics").status, 404);
}

#[test]
fn an_event_is_the_same_on_the_calendars_of_the_site_and_of_the_api() {
    let own = calendar("/event/choro-no-eixo.ics").remove(0);
    let service = &shared().service;
    let key = ("x-api-key", shared().free.as_str());
    let answer =
        exchange(service.listen, &request("GET", "/v1/events.ics?q=choro+no+eixo&group=series", &[key], b""));
    let of_api: Calendar = answer.text().parse().expect("a calendar");
    let uid = own.get_uid().expect("an id");
    assert_eq!(uid, "choro-no-eixo@127.0.0.1", "the host without its port");
    let same = of_api.events().find(|event| event.get_uid() == Some(uid)).expect("the same event");
    assert_eq!(same.get_location(), own.get_location());
    for event in of_api.events().chain(&calendar("/agenda.ics")) {
        let location = event.get_location().expect("a place");
        let parts: Vec<&str> = location.split(", ").collect();
        let once: BTreeSet<&&str> = parts.iter().collect();
        assert_eq!(once.len(), parts.len(), "{location}");
    }
}

#[test]
fn no_list_repeats_the_name_of_a_place() {
    for path in ["/", "/agenda/2027-02", "/area/esplanada-dos-ministerios", "/en/area/torre-de-tv"] {
        let page = page(path);
        let items = page.split("<h3><a href=").skip(1).filter_map(|item| item.split("<p>").nth(1));
        for facts in items.filter_map(|facts| facts.split("</p>").next()) {
            let text = facts.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text));
            let text: String = text.collect();
            let parts: Vec<&str> = text.split(" · ").collect();
            let once: BTreeSet<&&str> = parts.iter().collect();
            assert_eq!(once.len(), parts.len(), "{path}: {text}");
        }
    }
}

#[test]
fn a_series_of_one_date_says_it_where_it_is_shared() {
    let page = page("/event/festa-da-padroeira-nossa-senhora-aparecida");
    let day = page.split("<p class=\"lead\">").nth(1).and_then(|rest| rest.split('<').next()).expect("a day");
    assert!(day.contains("12 de outubro"), "{day}");
    let shared = page.split("https://wa.me/?text=").nth(1).and_then(|rest| rest.split('"').next());
    assert!(shared.expect("a text").contains("12+de+outubro"), "{shared:?}");
}

#[test]
fn an_entry_is_updated_when_its_next_date_is_another_one_and_not_from_day_to_day() {
    let feed = feed("/agenda.atom");
    let today = today();
    let yesterday = today.pred_opt().expect("a day");
    let mut steady_from_day_to_day = 0;
    let begins: FixedDateTime = format!("{today}T03:00:00+00:00").parse().expect("a time");
    let now = Clock::machine().now().0;
    for entry in &feed.entries {
        assert!(entry.updated.timestamp_millis() <= now && entry.updated <= feed.updated, "{}", entry.id);
        let id = entry.id.rsplit('/').next().expect("an id");
        let is_series = fetched(&format!("/event/{id}.ics")).text();
        // one that says how often it takes place is the same from date to date
        let is_steady =
            ["tod", "de ", "a cada"].iter().any(|how| entry.title.value.contains(&format!(": {how}")));
        if is_series.contains("\r\nRRULE:") && entry.updated >= begins {
            let had_one = fetched(&format!("/event/{id}-{yesterday}")).status == 200;
            assert!(!is_steady && had_one, "{}: {}", entry.id, entry.updated);
        } else if !is_steady {
            steady_from_day_to_day += 1;
        }
    }
    assert!(steady_from_day_to_day > 0, "what is told by its date is of the edition");
    assert!(feed.updated.timestamp_millis() <= now);
}

#[test]
fn what_is_around_a_record_is_listed_once_and_events_have_their_days() {
    let mut dated = 0;
    let events = linked(&page("/fim-de-semana"), "/event/");
    let events = events.into_iter().map(|id| format!("/event/{id}"));
    let places = ["feitico-das-artes", "outro-calaf", "memorial-jk"].map(|id| format!("/place/{id}"));
    for path in events.chain(places) {
        let page = page(&path);
        let sections = ["here", "same-day", "near-here"].map(|id| {
            let section = page.split(&format!("id=\"{id}\"")).nth(1);
            section.and_then(|rest| rest.split("</section>").next()).unwrap_or_default()
        });
        let listed = sections.map(|section| {
            let items = section.split("<li>").skip(1);
            let id = |item: &str| Some(item.split_once("/event/")?.1.split_once('"')?.0.to_owned());
            // the date of an event of a series ends its id
            let series = |id: String| match id.len().checked_sub(11) {
                Some(at) if id[at..].starts_with("-20") => id[..at].to_owned(),
                _ => id,
            };
            items.filter_map(id).map(series).collect::<Vec<String>>()
        });
        let all: BTreeSet<&String> = listed.iter().flatten().collect();
        assert_eq!(all.len(), listed.iter().map(Vec::len).sum::<usize>(), "{path}: {listed:?}");
        for item in sections[2].split("<li>").skip(1).filter(|item| item.contains("/event/")) {
            assert!(item.contains("<p class=\"next\">") && item.contains(" de "), "{path}: {item}");
            dated += 1;
        }
    }
    assert!(dated > 0);
}

#[test]
fn places_of_a_large_neighbourhood_name_others_of_it_without_a_distance() {
    let listed = |place: &str| {
        let page = page(place);
        let near = page.split("id=\"near-here\"").nth(1).expect("a section");
        let near = near.split("</section>").next().expect("its end").to_owned();
        assert!(near.contains("No mesmo bairro</h2><p>Asa Norte</p>"), "{place}: {near}");
        assert!(!near.contains(" km"), "{place}: {near}");
        assert!(!page.contains("Por perto") && page.contains("Veja também"), "{place}");
        linked(&near, "/place/")
    };
    let places: Vec<String> = linked(&page("/area/asa-norte"), "/place/").into_iter().take(4).collect();
    let lists: BTreeSet<_> = places
        .iter()
        .map(|place| {
            let others = listed(&format!("/place/{place}"));
            assert!(!others.contains(place) && others.len() == 5, "{place}: {others:?}");
            others
        })
        .collect();
    assert!(lists.len() > 1, "each has its own: {lists:?}");
}

#[test]
fn calendars_and_feeds_have_what_their_pages_have() {
    for (prefix, agenda, category) in
        [("", "/agenda", "/categoria/musica"), ("/en", "/en/calendar", "/en/category/musica")]
    {
        for (path, page_path) in [
            (agenda.to_owned(), format!("{prefix}/{}", if prefix.is_empty() { "hoje" } else { "today" })),
            (format!("{prefix}/area/asa-norte"), format!("{prefix}/area/asa-norte")),
            (category.to_owned(), category.to_owned()),
        ] {
            let page = page(&page_path);
            for end in ["ics", "atom"] {
                let address = format!("href=\"{path}.{end}\"");
                assert_eq!(page.matches(&address).count(), 2, "{page_path}: head and words have {address}");
            }
            let events = calendar(&format!("{path}.ics"));
            let feed = feed(&format!("{path}.atom"));
            assert!(!events.is_empty() && feed.entries.len() == events.len().min(50), "{path}");
            for event in &events {
                let url = event.property_value("URL").expect("a page").to_owned();
                let text = event.get_description().expect("a credit");
                assert!(text.ends_with(&format!("Dicas por Candango: {url}")), "{text}");
            }
            for entry in &feed.entries {
                let url = entry.links[0].href();
                let text = entry.summary().expect("a summary").as_str();
                assert!(text.ends_with(&format!("Dicas por Candango: {url}")), "{text}");
                assert!(url.contains(&format!("{prefix}/event/")), "{url}");
            }
            let ids: BTreeSet<&str> = feed.entries.iter().map(|entry| entry.id()).collect();
            assert_eq!(ids.len(), feed.entries.len(), "every entry has an id of its own");
        }
    }
    assert_eq!(fetched("/area/nowhere.ics").status, 404);
    assert_eq!(fetched("/categoria/nothing.atom").status, 404);
}

#[test]
fn the_map_is_drawn_from_the_snapshot_and_lights_the_neighbourhood() {
    let place = page("/place/memorial-jk");
    let svg =
        place.split("<svg class=\"city\"").nth(1).expect("a map").split("</svg>").next().expect("its end");
    assert!(svg.len() < 3_000, "the map has {} bytes", svg.len());
    assert_eq!(svg.matches("class=\"area lit\"").count(), 1, "{svg}");
    assert!(!place.contains("-47.9"), "no position is on the page");
    // on the lake, which no wing holds; and of a record without a neighbourhood nothing is to be shown
    let club = page("/place/aabb-brasilia");
    assert!(club.contains("class=\"dot\"") && !club.contains("class=\"area lit\""), "{club}");
    assert!(!page("/place/bar-do-mane").contains("<svg class=\"city\""));
    for (path, asa_norte, record) in
        [("/mapa", "/area/asa-norte", "/event/"), ("/en/map", "/en/area/asa-norte", "/en/event/")]
    {
        let page = page(path);
        assert!(page.contains(&format!("<a href=\"{asa_norte}\"><title>Asa Norte</title>")), "{path}");
        assert!(page.contains("<p class=\"legend\">"), "{path}: the colour is explained");
        let lists = page.split("id=\"tonight\"").nth(1).expect("tonight");
        assert!(lists.contains(&format!("href=\"{record}")) || lists.contains("class=\"note\""), "{path}");
        assert!(page.matches("<script").count() <= 2, "usable without scripts");
    }
    assert!(page("/sitemap.xml").contains("/mapa</loc>"));
}

#[test]
fn a_list_is_all_in_its_address() {
    let list = page("/lista?i=choro-no-eixo,memorial-jk,gone-since");
    for part in ["Choro no Eixo", "Memorial JK", "1 item já não está no guia", "noindex"] {
        assert!(list.contains(part), "{part}");
    }
    assert!(list.contains("href=\"/lista?i=choro-no-eixo,gone-since\""), "the place can be taken out");
    let without = "href=\"/lista?i=choro-no-eixo,memorial-jk\" rel=\"nofollow\" data-remove=\"gone-since\"";
    assert!(list.contains(without), "what is gone can be taken out: {list}");
    assert!(!list.contains(">gone-since"), "an id that nobody knows is not shown");
    assert!(list.contains("href=\"/lista.ics?i=choro-no-eixo,memorial-jk,gone-since\""));
    let events = calendar("/lista.ics?i=choro-no-eixo,memorial-jk,gone-since");
    assert_eq!(events.len(), 1);
    assert_eq!(events[0].get_summary(), Some("Choro no Eixo"));
    let many: Vec<String> = (0..60).map(|number| format!("x{number}")).collect();
    let cut = page(&format!("/en/list?i={}", many.join(",")));
    assert!(cut.contains("x39") && !cut.contains("x40"));
    assert!(cut.contains("40 items are no longer in the guide") && !cut.contains("list is empty"), "{cut}");
    assert!(!cut.contains("the first are here"), "none is here");
    let known = page(&format!("/en/list?i=memorial-jk,{}", many.join(",")));
    assert!(known.contains("at most 40"));
    // two dates of a series are told apart
    let dates = linked(&page("/event/choro-no-eixo"), "/event/choro-no-eixo-");
    let dates: Vec<&String> = dates.iter().take(2).collect();
    let both = page(&format!("/lista?i=choro-no-eixo-{},choro-no-eixo-{}", dates[0], dates[1]));
    for date in &dates {
        assert!(
            both.contains(&format!("<a href=\"/event/choro-no-eixo-{date}\"")),
            "a date leads to its page"
        );
    }
    assert!(
        list.contains("text=Minha+lista%3A+Choro+no+Eixo%2C+Memorial+JK."),
        "a message names what is in it"
    );
    assert!(list.contains("<noscript>"), "without scripts it is said where the list is");
    // whose list it is only the browser knows
    assert!(list.contains(">Lista</h1>") && list.contains("data-shared=\"Lista compartilhada\""), "{list}");
    let address = "/lista?i=choro-no-eixo,memorial-jk,gone-since</p>";
    assert!(list.contains(address), "paper has the address: {list}");
    let links: BTreeSet<&str> =
        both.split(">Tirar ").skip(1).filter_map(|rest| rest.split('<').next()).collect();
    assert_eq!(links.len(), 2, "{links:?}");
    assert!(links.iter().all(|link| link.starts_with("Choro no Eixo, ")), "{links:?}");
    // a date that was kept stays that date: a Sunday that has passed, and a Monday
    let next: NaiveDate = dates[0].parse().expect("a day");
    let past = "2020-01-05";
    let kept = page(&format!("/lista?i=choro-no-eixo-{past}"));
    assert!(kept.contains(&format!("<time datetime=\"{past}\">")), "{kept}");
    assert!(kept.contains("Esta data já passou. A próxima: "), "{kept}");
    let kept = page(&format!("/en/list?i=choro-no-eixo-{past},choro-no-eixo-{}", next + Days::new(1)));
    assert!(
        kept.contains("This date is over. The next: ") && kept.contains("It is not on that day. The next: ")
    );
    assert!(calendar(&format!("/lista.ics?i=choro-no-eixo-{past}")).is_empty(), "no other date in its place");
    assert!(page("/lista?i=choro-no-eixo-0001-01-07").contains("1 item já não está no guia"));
    // two ways to name a place are one place, which one link takes out
    let twice = page("/lista?i=memorial-jk,choro-no-eixo,p:memorial-jk");
    assert_eq!(twice.matches("href=\"/place/memorial-jk\"").count(), 1, "{twice}");
    assert!(twice.contains("data-remove=\"memorial-jk,p:memorial-jk\""), "{twice}");
    // an address cannot put words on the page
    let hostile = page("/lista?i=%3Cscript%3E,%22%3E,Ligue%20agora%20para%200800");
    assert!(!hostile.contains("script&gt;") && !hostile.contains("0800"), "{hostile}");
    assert!(hostile.contains("Esta lista está vazia"));
    assert!(page("/en/list").contains("This list is empty"));
}

#[test]
fn a_link_is_added_to_a_list_without_a_script() {
    for (list, english, words) in [("/lista", "", "Juntar à lista"), ("/en/list", "/en", "Add to the list")]
    {
        let form = page(&format!("{list}?i=memorial-jk"));
        assert!(
            form.contains(words) && form.contains("type=\"hidden\" name=\"i\" value=\"memorial-jk\""),
            "{form}"
        );
        assert!(page(list).contains(words), "an empty list begins with it");
        for (pasted, expected) in [
            (
                format!("http://{}{english}/event/choro-no-eixo", shared().service.listen),
                "memorial-jk,choro-no-eixo",
            ),
            ("%2Fplace%2Fmemorial-jk".to_owned(), "memorial-jk"),
            ("%2Flista%3Fi%3Dchoro-no-eixo%2Cmemorial-jk".to_owned(), "memorial-jk,choro-no-eixo"),
        ] {
            let added = fetched(&format!("{list}?i=memorial-jk&add={pasted}"));
            let expected = format!("{list}?i={expected}");
            assert_eq!((added.status, added.header("location")), (303, Some(&*expected)), "{pasted}");
        }
        let began = fetched(&format!("{list}?add=%2Fevent%2Fchoro-no-eixo"));
        assert_eq!(began.header("location"), Some(&*format!("{list}?i=choro-no-eixo")));
        let many: Vec<String> = (0..40).map(|number| format!("a{number}")).collect();
        let full = format!("{list}?i={}&add=%2Fevent%2Fchoro-no-eixo", many.join(","));
        let mut sentences = BTreeSet::new();
        for wrong in
            ["choro", "https%3A%2F%2Fevil.example%2Fevent%2Fa", "%2Fhoje", "%2Fevent%2Fnada", "%2Flista"]
                .map(|pasted| format!("{list}?i=memorial-jk&add={pasted}"))
                .into_iter()
                .chain([full])
        {
            let answer = fetched(&wrong);
            let text = answer.text();
            assert_eq!((answer.status, answer.header("location")), (400, None), "{wrong}");
            let said =
                text.split("role=\"alert\" id=\"add-no\">").nth(1).and_then(|rest| rest.split('<').next());
            sentences.insert(said.unwrap_or_else(|| panic!("a sentence: {text}")).to_owned());
        }
        assert_eq!(sentences.len(), 5, "what is not in the guide and an empty list share one: {sentences:?}");
    }
}

#[test]
fn any_site_may_frame_a_light_list() {
    for path in ["/embed/area/asa-norte", "/embed/categoria/musica", "/en/embed/category/musica"] {
        let answer = fetched(path);
        assert_eq!(answer.status, 200, "{path}");
        let policy = answer.header("content-security-policy").expect("a policy").to_owned();
        assert!(policy.contains("frame-ancestors *") && !policy.contains("script-src"), "{policy}");
        assert_eq!(answer.header("x-frame-options"), None);
        let page = answer.text();
        let style =
            page.split("href=\"/assets/").nth(1).expect("a style").split('"').next().expect("its end");
        let weight = page.len() + fetched(&format!("/assets/{style}")).body.len();
        assert!(weight <= 12_000, "{path} weighs {weight}");
        assert!(
            page.contains(if path.starts_with("/en") { "Tips by " } else { "Dicas por " })
                && page.contains(">Candango</a>")
        );
        assert!(!page.contains("<script") && page.contains("target=\"_blank\""));
    }
    assert_eq!(fetched("/embed/area/nowhere").status, 404);
    assert_eq!(fetched("/embed/area/nowhere").header("x-frame-options"), Some("DENY"));
    assert_eq!(fetched("/area/asa-norte").header("x-frame-options"), Some("DENY"), "pages are not framed");
}
