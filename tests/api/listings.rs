//! The lists of the site: the agenda by day and month, the pages of areas and categories, and series.

use std::collections::BTreeSet;

use candango::domain::clock::{UnixMillis, day_of, start_of};
use chrono::{Datelike, Days, NaiveDate};
use serde_json::{Value, json};

use crate::asaas::Moved;
use crate::mail::{SOON, awaited};
use crate::publishing::publish;
use crate::service::{Answer, Service, demo_copy, edit, exchange, printed, request, run, shared};

fn page(service: &Service, path: &str) -> Answer {
    exchange(service.listen, &request("GET", path, &[("accept", "text/html")], b""))
}

fn get_ok(service: &Service, path: &str) -> String {
    let answer = page(service, path);
    assert_eq!(answer.status, 200, "{path}: {}", answer.text());
    answer.text()
}

/// Every text between two markers.
fn between<'t>(text: &'t str, from: &str, to: &str) -> Vec<&'t str> {
    text.split(from).skip(1).filter_map(|rest| Some(rest.split_once(to)?.0)).collect()
}

fn json_ld(page: &str) -> Value {
    serde_json::from_str(between(page, "<script type=\"application/ld+json\">", "</script>")[0])
        .expect("JSON")
}

/// What the free plan finds.
fn found(search: &Value) -> Value {
    shared().service.good(&shared().free, search.clone())
}

pub(crate) fn today() -> NaiveDate {
    found(&json!({"action": "summary"}))["today"].as_str().and_then(|day| day.parse().ok()).expect("a day")
}

#[test]
fn a_day_lists_every_event_of_it() {
    let service = &shared().service;
    for ahead in 0..14 {
        let day = today() + Days::new(ahead);
        let events = found(&json!({"action": "search_events", "from": day, "to": day, "limit": 50}));
        let text = get_ok(service, &format!("/dia/{day}"));
        let listed = between(&text, "<h4><a href=\"/event/", "\"");
        let mut ids: Vec<&str> = events["events"]
            .as_array()
            .expect("events")
            .iter()
            .filter_map(|event| event["id"].as_str())
            .collect();
        let mut listed: Vec<&str> = listed;
        ids.sort_unstable();
        listed.sort_unstable();
        assert_eq!(listed, ids, "{day}");
        let strip = get_ok(service, "/en/today");
        let label = format!("<b>{}</b> <small aria-hidden=\"true\">{}</small>", day.day(), ids.len());
        assert!(strip.contains(&label), "{day}: {label}");
    }
    for (path, same) in
        [("/hoje", "/en/today"), ("/amanha", "/en/tomorrow"), ("/fim-de-semana", "/en/weekend")]
    {
        assert!(
            get_ok(service, path)
                .contains(&format!("hreflang=\"en\" href=\"http://{}{same}\"", service.listen))
        );
        get_ok(service, same);
    }
    for wrong in ["/dia/2026-02-30", "/dia/hoje", "/agenda/2026-13", "/agenda/2026"] {
        assert_eq!(page(service, wrong).status, 404, "{wrong}");
    }
    let month = today().format("%Y-%m").to_string();
    for (path, expected) in [("/agenda", "/agenda/"), ("/en/calendar", "/en/calendar/")] {
        let led = page(service, path);
        assert_eq!((led.status, led.header("location")), (303, Some(&*format!("{expected}{month}"))));
    }
    for past in ["/dia/2001-01-01", "/agenda/2001-01"] {
        let text = get_ok(service, past);
        assert!(text.contains("name=\"robots\" content=\"noindex\""), "{past}: nothing is on");
        assert!(text.contains("O guia não guarda os dias que já passaram."), "{past}");
        assert!(!text.contains("Nada marcado") && !text.contains("0 eventos</p>"), "{past}");
    }
}

#[test]
fn every_evening_has_places_to_go_out_to_and_the_agenda_can_be_subscribed_to() {
    let service = &shared().service;
    let out = |path: &str| {
        let text = get_ok(service, path);
        // in the evening /hoje begins with it, and the parts of the day that are over follow
        let (_, night) = text.split_once("id=\"noite\"")?;
        let end =
            ["</section>", "<h3 class=\"part-of-day\""].iter().filter_map(|end| night.find(end)).min()?;
        Some(night[..end].matches("href=\"/place/").count())
    };
    let soon = format!("/dia/{}", today() + Days::new(3));
    for path in ["/hoje", "/amanha", "/fim-de-semana", &soon, "/?q=fim+de+semana+%C3%A0+noite"] {
        assert_eq!(out(path), Some(6), "{path}");
        let text = get_ok(service, path);
        let (_, night) = text.split_once("id=\"noite\"").expect("the night");
        assert!(night.contains("não tem dias nem horários de lugares: confira antes de ir"), "{path}");
        assert!(!night.contains(">Casa de show</span>"), "{path}: closed without a show");
        assert!(night.contains("Mais bares: <a href=\"/area/"), "{path}: {night}");
    }
    for path in ["/dia/2001-01-01", "/?q=fim+de+semana+de+manh%C3%A3"] {
        assert_eq!(out(path), None, "{path}");
    }
    let subscribed = format!("href=\"webcal://{}/agenda.ics\"", service.listen);
    assert!(get_ok(service, "/fim-de-semana").contains(&subscribed));
}

#[test]
fn what_has_no_time_today_is_not_said_to_be_tonight() {
    let service = Service::start();
    let folder = service.data.with_file_name("guide");
    demo_copy(&folder);
    let event = |id: &str, name: &str| {
        json!({
            "id": id, "name": name, "date": today(), "category": "samba", "venue": "Clube",
            "neighbourhood": "Asa Norte", "region": "Plano Piloto",
        })
    };
    // the hour at which nothing has begun
    let mut timed = event("a-with-time", "Com hora");
    timed["start_time"] = json!("23:59");
    let mut sessions = event("c-with-sessions", "Duas sessões");
    sessions["sessions"] = json!([{"start_time": "00:00"}, {"start_time": "23:59"}]);
    let without = event("b-without", "Sem hora marcada");
    for (serial, listed) in [(1, vec![without.clone()]), (2, vec![without, timed, sessions])] {
        edit(&folder, "events.json", |events| *events = listed);
        printed(&run(&service.data, &["snapshot", "publish", &folder.display().to_string()]), 0);
        service.serves(serial);
        for (path, begins, nothing, ends) in [
            ("/hoje", "Sem horário", "Nenhum evento com hora marcada", "id=\"noite\""),
            ("/en/today", "Time not listed", "No event with a known hour", "id=\"noite\""),
            ("/", "Sem horário no guia", "Nenhum evento com hora marcada", "id=\"tonight\""),
        ] {
            let text = get_ok(&service, path);
            assert_eq!(text.contains(nothing), serial == 1, "{path}");
            let at = |words: &str| text.find(words).unwrap_or_else(|| panic!("{words} is not on {path}"));
            let tonight = if path == "/" { at("id=\"tonight\"") } else { at("id=\"noite\"") };
            assert!(serial == 1 || tonight < at("Com hora").min(at("Duas sessões")), "{path}");
            // in the evening the night comes first, else it ends the list
            let (begin, end, without) = (at(begins), at(ends), at("Sem hora marcada"));
            assert!(begin < without && (without < end || end < begin), "{path}");
        }
    }
    let day = get_ok(&service, &format!("/dia/{}", today()));
    assert!(day.find("Sem hora marcada") > day.find("Com hora"), "likewise on the page of the day");
}

#[test]
fn the_front_page_is_that_of_the_new_day_soon_after_midnight_and_is_there_all_the_time() {
    let mut service = Moved::start(&[]);
    let address = service.address();
    let front = || exchange(address, &request("GET", "/", &[("accept", "text/html")], b""));
    let today = day_of(service.now());
    let strip = |day: NaiveDate| format!("href=\"/dia/{}\"", day + Days::new(2));
    awaited("the guide", SOON, || (front().status == 200).then_some(()));
    assert!(front().text().contains(&strip(today)));
    let tomorrow = today + Days::new(1);
    service.sets(start_of(tomorrow).expect("a midnight"));
    awaited("the new day", SOON, || {
        let answer = front();
        assert_eq!(answer.status, 200, "{}", answer.text());
        (!answer.text().contains(&strip(today)) && answer.text().contains(&strip(tomorrow))).then_some(())
    });
}

#[test]
fn headings_go_in_order_in_the_evening_when_events_have_begun() {
    let mut service = Moved::start(&[]);
    let address = service.address();
    let today = day_of(service.now());
    // a mass begins in the morning of each Sunday
    let sunday = today + Days::new(u64::from(7 - today.weekday().num_days_from_sunday()));
    let UnixMillis(midnight) = start_of(sunday).expect("a midnight");
    service.sets(UnixMillis(midnight + 20 * 3_600_000));
    for path in ["/hoje", "/en/today"] {
        let get = || exchange(address, &request("GET", path, &[("accept", "text/html")], b""));
        let text = awaited("events that have begun", SOON, || {
            let text = get().text();
            text.contains("<details class=\"begun\">").then_some(text)
        });
        let levels =
            between(&text, "<h", ">").into_iter().filter_map(|tag| tag.get(..1)?.parse::<u32>().ok());
        let levels: Vec<u32> = levels.collect();
        assert_eq!(levels.first(), Some(&1));
        assert!(levels.windows(2).all(|pair| pair[1] <= pair[0] + 1), "{path}: {levels:?}");
    }
}

/// A service with these events, in Asa Norte, at an hour of today.
pub(crate) fn with_events(events: &[Value], hour: i64) -> Moved {
    let mut service = Moved::start(&[]);
    let folder = service.data().with_file_name("folder");
    demo_copy(&folder);
    edit(&folder, "events.json", |listed| {
        *listed = events.to_vec();
        for event in listed {
            for (field, value) in
                [("category", "samba"), ("neighbourhood", "Asa Norte"), ("region", "Plano Piloto")]
            {
                if event[field].is_null() {
                    event[field] = value.into();
                }
            }
            event["name"] = event["id"].clone();
            // an event that is known by its region alone has none
            if event["neighbourhood"] == ""
                && let Some(fields) = event.as_object_mut()
            {
                fields.remove("neighbourhood");
            }
        }
    });
    let app = service.app.as_ref().expect("running");
    app.block_on(app.serving.first());
    service.sets(moment(today(), hour));
    let serving = &service.app.as_ref().expect("running").serving;
    let before = serving.current().expect("the demo").version.digest;
    publish(&service.data(), &folder, &["--force", "--reason", "a small guide"]);
    awaited("the edition", SOON, || serving.current().filter(|current| current.version.digest != before));
    service
}

pub(crate) fn moment(day: NaiveDate, hour: i64) -> UnixMillis {
    let UnixMillis(midnight) = start_of(day).expect("a midnight");
    UnixMillis(midnight + hour * 3_600_000)
}

/// The page of a moved service, once it is that of its day.
pub(crate) fn page_on(service: &Moved, path: &str) -> String {
    let get =
        |path: &str| exchange(service.address(), &request("GET", path, &[("accept", "text/html")], b""));
    // the strip of days has its second one as tomorrow
    let strip = |ahead| format!("href=\"/dia/{}\"", day_of(service.now()) + Days::new(ahead));
    let is_of_today = |text: &str| !text.contains(&strip(1)) && text.contains(&strip(2));
    awaited("the day", SOON, || is_of_today(&get("/").text()).then_some(()));
    get(path).text()
}

#[test]
fn what_is_still_on_is_open_what_has_closed_is_folded_and_both_go_by_the_hour() {
    let day = today();
    let timed = |id: &str, start: &str, end: &str| {
        let mut event = json!({"id": id, "date": day, "start_time": start});
        if !end.is_empty() {
            event["end_time"] = end.into();
        }
        event
    };
    let run = |id: &str, start: &str, end: &str| {
        let mut event = timed(id, start, end);
        event["date"] = json!(day - Days::new(10));
        event["end_date"] = json!(day + Days::new(10));
        event
    };
    let sessions = json!([{"start_time": "10:00"}, {"start_time": "20:00"}]);
    let events = [
        run("old-show", "19:00", ""),
        run("museum", "10:00", "18:00"),
        run("exhibition", "09:00", ""),
        timed("matinee", "16:00", "17:00"),
        timed("fair", "09:30", "22:00"),
        timed("morning", "08:00", ""),
        timed("ball", "22:00", "04:00"),
        timed("new-show", "19:00", ""),
        json!({"id": "film", "date": day, "sessions": sessions}),
    ];
    let mut service = with_events(&events, 18);
    let text = page_on(&service, "/hoje");
    let names = |text: &str| -> Vec<String> {
        between(text, "href=\"/event/", "\"").into_iter().map(str::to_owned).collect()
    };
    let (open, begun) = text.split_once("<details class=\"begun\">").expect("what has begun");
    let (begun, _) = begun.split_once("</details>").expect("the end of it");
    assert_eq!(names(begun), ["morning", "museum", "matinee"]);
    assert_eq!(names(open), ["new-show", "old-show", "film", "ball", "exhibition", "fair"], "{open}");
    let evening = ["new-show", "old-show", "film", "ball"];
    let tonight = page_on(&service, "/");
    let tonight = tonight.split("id=\"tonight\"").nth(1).expect("the evening");
    let tonight = tonight.split("</section>").next().unwrap_or_default();
    assert_eq!(names(tonight), evening);
    // an evening shows no hour of the morning
    for list in [open, tonight] {
        let (before, _) = list.split_once("/event/film\"").expect("it is there");
        assert!(before.rsplit("<time").next().is_some_and(|time| time.contains("20h")), "{before}");
    }

    // the day after, a ball is over when it has ended: pages are made by day
    let over = "Este evento já passou.";
    service.sets(moment(day + Days::new(1), 2));
    assert!(!page_on(&service, "/event/ball").contains(over), "it ends at four");
    assert!(page_on(&service, "/event/matinee").contains(over));
    service.sets(moment(day + Days::new(2), 2));
    assert!(page_on(&service, "/event/ball").contains(over));
}

#[test]
fn what_goes_on_all_day_is_open_for_eight_hours() {
    let day = today();
    let event = |id: &str, category: &str| json!({"id": id, "date": day, "start_time": "06:00", "category": category});
    let events = [
        event("street", "ao-ar-livre"),
        event("creative-fair", "feira-criativa"),
        event("mass", "religioso"),
    ];
    let mut service = with_events(&events, 13);
    for (hour, open, folded) in [
        (13, &["street", "creative-fair"][..], &["mass"][..]),
        (17, &[], &["street", "creative-fair", "mass"]),
    ] {
        service.sets(moment(day, hour));
        for path in ["/hoje", "/en/today", "/"] {
            let text = page_on(&service, path);
            let (_, begun) = text.split_once("<details class=\"begun\">").expect("what has begun");
            let (begun, rest) = begun.split_once("</details>").expect("what is still on");
            let names = |text: &str| -> BTreeSet<String> {
                between(text, "/event/", "\"").into_iter().map(str::to_owned).collect()
            };
            let told = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
            assert_eq!((names(begun), names(rest)), (told(folded), told(open)), "{path} at {hour}");
            // when it ends the guide does not know
            let marks = ["começou às 6h, sem hora de término", "began at 06:00, no end time"];
            let marked: usize = marks.iter().map(|mark| text.matches(mark).count()).sum();
            assert_eq!(marked, 3, "{path} at {hour}: {text}");
        }
    }
}

#[test]
fn each_day_suggests_other_places_to_go_out_to_and_none_for_lunch() {
    let service = &shared().service;
    let night = |ahead: u64| {
        let text = get_ok(service, &format!("/dia/{}", today() + Days::new(ahead)));
        let night = text.split("id=\"noite\"").nth(1).and_then(|rest| rest.split("</section>").next());
        night.expect("the night").to_owned()
    };
    let mut choices = BTreeSet::new();
    for ahead in 0..7 {
        let night = night(ahead);
        let kinds = between(&night, "<span class=\"tag\">", "<");
        const KINDS: [&str; 8] =
            ["Bar", "Boteco", "Pub", "Cervejaria", "Vinho", "Rooftop", "Balada", "Pizzaria"];
        assert!(kinds.iter().all(|kind| KINDS.iter().any(|known| kind.starts_with(known))), "{kinds:?}");
        choices.insert(between(&night, "/place/", "\"").join(" "));
    }
    assert_eq!(choices.len(), 7, "{choices:?}");
}

#[test]
fn a_search_of_today_says_what_has_begun_and_that_its_hours_were_let_go() {
    let day = today();
    let event = |id: &str, start: &str, end: &str| {
        let mut event = json!({"id": id, "date": day, "start_time": start});
        if !end.is_empty() {
            event["end_time"] = end.into();
        }
        event
    };
    let events =
        [event("lunch", "12:00", ""), event("matinee", "10:00", "11:00"), event("late", "17:30", "")];
    let service = with_events(&events, 17);
    let item = |text: &str, id: &str| {
        let (_, rest) =
            text.split_once(&format!("/event/{id}\"")).unwrap_or_else(|| panic!("no {id}: {text}"));
        rest.split("</li>").next().unwrap_or_default().to_owned()
    };
    let text = page_on(&service, "/?kind=events&q=samba+hoje+%C3%A0+noite");
    assert!(text.contains("<b>à noite</b>"), "the hours are understood: {text}");
    assert!(text.contains("Nada começa nesse horário: estes são de outras horas."), "{text}");
    for path in ["/?kind=events&q=samba+hoje", "/"] {
        let text = page_on(&service, path);
        assert!(
            item(&text, "lunch").contains("começou às 12h, sem hora de término no guia"),
            "{path}: {text}"
        );
        assert!(item(&text, "matinee").contains("10h–11h\u{a0}· já terminou"), "{path}: {text}");
        assert!(!item(&text, "late").contains("já "), "{path}: {text}");
    }
    // on other days nothing has begun
    assert!(!page_on(&service, &format!("/dia/{day}")).contains("já começou"));
}

#[test]
fn the_weekend_folds_what_has_begun_and_is_the_next_one_when_nothing_is_left_of_it() {
    let today = today();
    let sunday = today + Days::new(u64::from(6 - today.weekday().num_days_from_monday()));
    let (saturday, next) = (sunday - Days::new(1), sunday + Days::new(6));
    let event = |id: &str, day: NaiveDate, start: &str| json!({"id": id, "date": day, "start_time": start});
    let events = [
        event("saturday-morning", saturday, "09:00"),
        event("saturday-night", saturday, "21:00"),
        event("sunday-morning", sunday, "09:00"),
        event("sunday-night", sunday, "19:00"),
        json!({"id": "sunday-untimed", "date": sunday}),
        event("fair", next, "09:00"),
        json!({"id": "play", "date": saturday, "end_date": sunday, "start_time": "20:30"}),
        json!({"id": "concert", "date": saturday, "end_date": sunday, "start_time": "20:30"}),
    ];
    let mut service = with_events(&events, 0);
    let UnixMillis(midnight) = start_of(saturday).expect("a midnight");
    let mut at = |hour: i64| {
        service.sets(UnixMillis(midnight + hour * 3_600_000));
        page_on(&service, "/fim-de-semana")
    };
    let evening = at(20);
    let begun =
        evening.split("<details class=\"begun\">").nth(1).and_then(|rest| rest.split("</details>").next());
    let begun = begun.unwrap_or_else(|| panic!("nothing has begun: {evening}"));
    assert!(begun.contains("/event/saturday-morning\"") && !begun.contains("sunday"), "{begun}");
    assert!(evening.contains("</a> · <a href=\"/event/"), "links side by side are told apart: {evening}");
    let day_pages = format!("id=\"d{}\"", next + Days::new(1));
    let next_weekend = "href=\"/proximo-fim-de-semana\"";
    assert!(evening.contains(next_weekend) && !evening.contains("/event/fair"), "{evening}");
    // on a Sunday the next one follows what is left
    let sunday_noon = at(24 + 12);
    let (left, after) = sunday_noon.split_once("Próximo fim de semana: ").expect("the next weekend");
    assert!(left.contains("/event/sunday-night\"") && !left.contains("/event/fair\""), "{left}");
    assert!(after.contains("/event/fair\"") && after.contains(&day_pages), "{after}");
    assert!(!sunday_noon.contains(next_weekend), "{sunday_noon}");
    let over = "Deste fim de semana não resta mais nada";
    assert!(!at(24 + 20).contains(over), "a play begins");
    let night = at(24 + 23);
    // it may still be on
    assert!(!night.contains(over), "{night}");
}

#[test]
fn a_weekend_without_anything_left_is_the_next_one() {
    let today = today();
    let sunday = today + Days::new(u64::from(6 - today.weekday().num_days_from_monday()));
    let saturday = sunday + Days::new(6);
    let events = [
        json!({"id": "mass", "date": sunday, "start_time": "09:00"}),
        json!({"id": "untimed", "date": sunday}),
        json!({"id": "fair", "date": saturday, "start_time": "09:00"}),
    ];
    let mut service = with_events(&events, 0);
    let UnixMillis(midnight) = start_of(sunday).expect("a midnight");
    for (hour, is_next) in [(12, false), (20, true)] {
        service.sets(UnixMillis(midnight + hour * 3_600_000));
        let text = page_on(&service, "/fim-de-semana");
        let told = ["/event/fair\"", &format!("id=\"d{saturday}\"")];
        for told in told {
            assert!(text.contains(told), "{told} at {hour}: {text}");
        }
        assert_eq!(text.contains("Deste fim de semana não resta mais nada"), is_next, "{text}");
        assert_eq!(text.contains("Próximo fim de semana: "), !is_next, "it is the only one: {text}");
        assert_eq!(text.contains("/event/mass\""), !is_next, "{text}");
    }
}

#[test]
fn a_list_says_what_the_guide_does_not_know_of_its_own_records_only() {
    let events = [json!({"id": "roda", "date": today() + Days::new(1), "free": true, "venue": "Clube"})];
    let service = with_events(&events, 12);
    let text = page_on(&service, "/?q=gr%C3%A1tis+asa+norte");
    let list = |id: &str| {
        let list = text.split(&format!("id=\"{id}\"")).nth(1).unwrap_or_else(|| panic!("no {id}: {text}"));
        list.split("</section>").next().unwrap_or_default().to_owned()
    };
    let note = "O guia não informa:";
    assert!(list("events").contains("Grátis") && !list("events").contains(note), "{}", list("events"));
    assert!(list("places").contains(note), "{}", list("places"));
    assert_eq!(text.matches(note).count(), 1, "{text}");
}

#[test]
fn a_month_lists_each_series_once() {
    let service = &shared().service;
    let month = (today() + Days::new(31)).format("%Y-%m").to_string();
    for path in [format!("/agenda/{month}"), format!("/en/calendar/{month}")] {
        let text = get_ok(service, &path);
        let names = between(&text, "<h3><a href=\"", "\"");
        let mut unique = names.clone();
        unique.sort_unstable();
        unique.dedup();
        assert!(names.len() > 3 && unique.len() == names.len(), "{names:?}");
        assert!(names.iter().any(|link| link.ends_with("/event/choro-no-eixo")), "{names:?}");
    }
}

#[test]
fn a_series_has_a_page_that_outlives_its_dates() {
    let service = &shared().service;
    let text = get_ok(service, "/event/choro-no-eixo");
    assert!(text.contains("Todo domingo, 12h"));
    assert!(get_ok(service, "/en/event/choro-no-eixo").contains("Every Sunday, 12:00"));
    let series = json_ld(&text);
    assert_eq!(series["@type"], "EventSeries");
    let dates = between(&text, "href=\"/event/choro-no-eixo-", "\"");
    assert_eq!(series["subEvent"].as_array().expect("dates").len(), dates.len());
    let next: NaiveDate = dates[0].parse().expect("a day");
    assert!(next >= today() && dates.len() == 12, "{dates:?}");

    // a date carries its day in the title, and the year where it is not this one
    let last: NaiveDate = dates[11].parse().expect("a day");
    for day in [next, last] {
        let text = get_ok(service, &format!("/event/choro-no-eixo-{day}"));
        let title = between(&text, "<title>", "</title>")[0];
        assert!(title.contains(&format!("Choro no Eixo, {} de ", day.day())), "{title}");
        assert_eq!(title.contains(&day.year().to_string()), day.year() != today().year(), "{title}");
        assert!(text.contains("href=\"/event/choro-no-eixo\""));
    }
    // a Sunday before the snapshot: whether the series took place then nobody knows, but it has passed
    let over = get_ok(service, "/event/choro-no-eixo-2020-01-05");
    assert!(
        over.contains("2020: esta data já passou.") && over.contains(&format!("/event/choro-no-eixo-{next}"))
    );
    assert!(over.contains("noindex"), "search engines list the series");
    for never in ["2020-01-04", "0001-01-07", "9998-11-29"] {
        for end in ["", ".ics"] {
            assert_eq!(page(service, &format!("/event/choro-no-eixo-{never}{end}")).status, 404, "{never}");
        }
    }
    assert_eq!(page(service, "/event/never-was-2020-01-05").status, 404);
    assert_eq!(page(service, "/event/choro-no-eixo-2020-13-05").status, 404);
}

#[test]
fn areas_categories_and_pairs_have_pages() {
    let service = &shared().service;
    let base = format!("http://{}", service.listen);
    for (path, english, search) in [
        ("/area/asa-norte", "/en/area/asa-norte", json!({"region": "Asa Norte"})),
        ("/categoria/gastronomia", "/en/category/gastronomia", json!({"category": "gastronomia"})),
        (
            "/area/asa-sul/japones",
            "/en/area/asa-sul/japones",
            json!({"region": "Asa Sul", "category": "japones"}),
        ),
    ] {
        let mut search = search;
        search["action"] = json!("search_places");
        search["limit"] = json!(50);
        let mut ids = Vec::new();
        loop {
            let answer = found(&search);
            let places = answer["places"].as_array().expect("places");
            ids.extend(places.iter().map(|place| place["id"].as_str().expect("an id").to_owned()));
            match &answer["next_cursor"] {
                Value::Null => break,
                cursor => search["cursor"] = cursor.clone(),
            }
        }
        let pages = ids.len().div_ceil(24);
        let mut listed: Vec<String> = Vec::new();
        for number in 1..=pages {
            let path = if number == 1 { path.to_owned() } else { format!("{path}?page={number}") };
            let text = get_ok(service, &path);
            listed.extend(between(&text, "<h3><a href=\"/place/", "\"").into_iter().map(str::to_owned));
            assert!(text.contains(&format!("<link rel=\"canonical\" href=\"{base}{path}\">")), "{path}");
            let graph = &json_ld(&text)["@graph"];
            assert_eq!(
                (&graph[0]["@type"], &graph[1]["@type"]),
                (&json!("BreadcrumbList"), &json!("ItemList"))
            );
            assert!(!text.contains("?region="), "{path}");
        }
        // what is in an area within the one comes after its own
        listed.sort_unstable();
        ids.sort_unstable();
        assert_eq!(listed, ids, "{path}");
        let last = if pages > 1 { format!("{path}?page={pages}") } else { path.to_owned() };
        for after in [pages + 1, 999] {
            let led = page(service, &format!("{path}?page={after}"));
            assert_eq!((led.status, led.header("location")), (303, Some(&*last)), "{after}");
        }
        assert!(get_ok(service, english).contains(&format!("hreflang=\"pt-BR\" href=\"{base}{path}\"")));
    }
    for outside in
        ["/area/never-was", "/area/taguatinga/bar", "/categoria/never-was", "/area/asa-norte/never-was"]
    {
        assert_eq!(page(service, outside).status, 404, "{outside}");
    }
    // an area of paid plans is known: its page says so, counts nothing and leads on
    for (path, told) in [("/area/guara", "Os planos pagos abrem"), ("/en/area/guara", "Paid plans open")] {
        let text = get_ok(service, path);
        assert!(
            text.contains(told) && text.contains("name=\"robots\" content=\"noindex\""),
            "{path}: {text}"
        );
        assert!(text.contains("Guará"), "{path}");
    }
}

#[test]
fn the_pages_of_an_area_list_what_names_it_and_begin_with_its_own() {
    let day = today();
    let event = |id: &str, venue: &str, neighbourhood: Value| json!({"id": id, "date": day, "start_time": "20:00", "venue": venue, "neighbourhood": neighbourhood});
    let listed = [
        event("street", "Eixo Rodoviário, Asa Sul e Asa Norte", json!("")),
        event("somewhere", "Clube", json!("")),
        event("show", "Clube", json!("Asa Norte")),
    ];
    let service = with_events(&listed, 12);
    for path in ["/area/asa-norte", "/embed/area/asa-norte", "/area/asa-norte.ics", "/area/asa-norte.atom"] {
        let answer =
            exchange(service.address(), &request("GET", path, &[("accept", "text/html")], b"")).text();
        let answer = answer.replace("\r\n ", "");
        assert!(answer.contains("/event/street") && answer.contains("/event/show"), "{path}: {answer}");
        assert!(!answer.contains("/event/somewhere"), "{path}: {answer}");
    }
    let area = page_on(&service, "/area/asa-norte");
    assert!(area.contains(">Hoje à noite</h2>"), "{area}");
    assert!(!page_on(&service, "/area/vila-planalto").contains("/event/street"));
}

#[test]
fn what_is_on_in_an_area_is_a_tap_from_the_page_of_a_day() {
    let day = today();
    let event = |id: &str, neighbourhood: &str| json!({"id": id, "date": day, "start_time": "20:00", "neighbourhood": neighbourhood});
    let service =
        with_events(&[event("north", "Asa Norte"), event("south", "Asa Sul"), event("other", "Asa Sul")], 12);
    for (path, tonight) in [("/hoje", true), ("/en/today", true), (&*format!("/dia/{day}"), false)] {
        let whole = page_on(&service, path);
        let links = between(&whole, &format!("href=\"{path}?area="), "</a>");
        assert!(links[0].starts_with("asa-sul\"") && links[0].contains("<small>2</small>"), "{links:?}");
        assert!(links.len() == 2 && links[1].starts_with("asa-norte\""), "{links:?}");
        let own = page_on(&service, &format!("{path}?area=asa-norte"));
        assert!(own.contains("/event/north\"") && !own.contains("/event/south\""), "{path}: {own}");
        assert!(own.contains(": Asa Norte</h1>") && own.contains("content=\"noindex\""), "{path}: {own}");
        assert!(own.contains("aria-current=\"page\">Asa Norte"), "{path}: {own}");
        assert!(!tonight || own.contains("id=\"noite\""), "{path}: {own}");
        let unknown = exchange(
            service.address(),
            &request("GET", &format!("{path}?area=never-was"), &[("accept", "text/html")], b""),
        );
        assert_eq!(unknown.status, 404, "{path}");
    }
}

#[test]
fn a_month_marks_today_and_a_weekend_its_days() {
    let service = &shared().service;
    let month = get_ok(service, &format!("/agenda/{}", today().format("%Y-%m")));
    let grid = between(&month, "<ol class=\"month\">", "</ol>")[0];
    assert_eq!(
        (grid.matches("aria-current=\"date\"").count(), grid.matches("today\"").count()),
        (1, 1),
        "{grid}"
    );
    let past = usize::try_from(today().day0()).expect("a day");
    assert_eq!(grid.matches("past\"").count(), past, "{grid}");
    let weekend = get_ok(service, "/fim-de-semana");
    let strip = between(&weekend, "<nav class=\"days\"", "</nav>")[0];
    let marked = strip.matches("class=\"marked\"").count();
    assert!((1..=3).contains(&marked) && strip.matches("aria-current=\"date\"").count() == 1, "{strip}");
}

#[test]
fn suggested_searches_find_something() {
    let service = &shared().service;
    for front in ["/", "/en"] {
        let text = get_ok(service, front);
        let searches = between(&text, &format!("<a href=\"{front}?q="), "\"");
        assert_eq!(searches.len(), 2, "{searches:?}");
        for search in searches {
            let results = get_ok(service, &format!("{front}?q={search}"));
            assert!(results.contains("<h3><a href=\""), "{search}");
            assert!(
                !["Nada atende", "Nothing meets"].iter().any(|closest| results.contains(closest)),
                "{search}"
            );
        }
    }
}

#[test]
fn a_series_that_ends_is_told_by_its_days_or_with_its_last_date() {
    let day = today();
    // the first days of a month that are to come, in the year of today where that is possible
    let month = (day + Days::new(32 - u64::from(day.day()))).with_day(1).expect("a day");
    let on = |ahead: u64| month + Days::new(ahead);
    let weekday = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"][month.weekday() as usize];
    let until = json!({"rule": format!("FREQ=WEEKLY;BYDAY={weekday}"), "until": on(20)});
    let listed = [
        json!({"id": "few", "repeat": {"dates": [on(3), on(4), on(5)]}}),
        json!({"id": "loose", "repeat": {"dates": [on(3), on(10), on(17)]}}),
        json!({"id": "run", "repeat": {"dates": (6..13).map(on).collect::<Vec<_>>()}}),
        json!({"id": "rule", "date": month, "start_time": "20:00", "repeat": until}),
    ];
    let service = with_events(&listed, 12);
    for (id, pt, en) in [
        ("few", ": 4, 5 e 6 de ", ": 4, 5 and 6 "),
        ("loose", ": 4, 11 e 18 de ", ": 4, 11 and 18 "),
        ("run", ": 7 a 13 de ", ": 7 to 13 "),
        ("rule", " até 15 ", " until 15 "),
    ] {
        for (front, expected) in [("", pt), ("/en", en)] {
            let text = page_on(&service, &format!("{front}/event/{id}"));
            let title = text.split("<title>").nth(1).and_then(|rest| rest.split("</title>").next());
            assert!(title.is_some_and(|title| title.contains(expected)), "{id}: {title:?}");
        }
    }
}

#[test]
fn a_number_of_a_page_that_a_search_does_not_have_leads_to_its_first() {
    let service = &shared().service;
    for (path, expected) in [
        ("/?q=bar&page=999", "/?q=bar"),
        ("/en?q=bar+%26+samba&kind=places&page=x", "/en?q=bar+%26+samba&kind=places"),
        ("/?page=2", "/"),
    ] {
        let led = page(service, path);
        assert_eq!((led.status, led.header("location")), (303, Some(expected)), "{path}");
    }
    assert_eq!(page(service, "/?q=bar&page=1").status, 200);
}

#[test]
fn all_areas_and_categories_are_on_a_page() {
    let service = &shared().service;
    let sitemap = get_ok(service, "/sitemap/0.xml");
    for (path, start, title) in [
        ("/area", "/area/", "Áreas"),
        ("/categoria", "/categoria/", "Categorias"),
        ("/en/area", "/en/area/", "Areas"),
        ("/en/category", "/en/category/", "Categories"),
    ] {
        let text = get_ok(service, path);
        assert!(text.contains(&format!("<h1 class=\"list-title\">{title}</h1>")), "{path}: {text}");
        assert!(sitemap.contains(&format!("{path}</loc>")), "{path}");
        let linked = between(&text, &format!("href=\"{start}"), "\"");
        let listed = between(&sitemap, &format!("<loc>http://{}{start}", service.listen), "<");
        let listed: Vec<&str> = listed.into_iter().filter(|slug| !slug.contains('/')).collect();
        assert!(!listed.is_empty());
        for slug in listed {
            assert!(linked.contains(&slug), "{path} lists {slug}");
        }
    }
}
