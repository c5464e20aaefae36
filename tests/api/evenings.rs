//! The site in the evening and at night: what comes first, what has begun, and what goes on after midnight.

use chrono::{Datelike, Days, NaiveDate};
use serde_json::{Value, json};

use crate::listings::{moment, page_on, today, with_events};
use crate::service::{exchange, request, shared};

fn timed(id: &str, day: NaiveDate, start: &str, end: &str) -> Value {
    let mut event = json!({"id": id, "date": day, "start_time": start});
    if !end.is_empty() {
        event["end_time"] = end.into();
    }
    event
}

fn shown(path: &str) -> String {
    let listen = shared().service.listen;
    let answer = exchange(listen, &request("GET", path, &[("accept", "text/html")], b""));
    assert_eq!(answer.status, 200, "{path}");
    answer.text()
}

/// The part of a page with this id, to the end of its section.
fn part(text: &str, id: &str) -> String {
    let rest = text.split(&format!("id=\"{id}\"")).nth(1).unwrap_or_else(|| panic!("no {id}: {text}"));
    rest.split("</section>").next().unwrap_or_default().to_owned()
}

fn events(text: &str) -> Vec<String> {
    let ids = text.split("/event/").skip(1).filter_map(|rest| rest.split('"').next());
    ids.map(str::to_owned).collect()
}

#[test]
fn who_asks_for_something_tonight_gets_no_other_places() {
    for (path, other) in [
        ("/?q=cinema+hoje+%C3%A0+noite", "Para sair à noite"),
        ("/?q=sushi+asa+sul+hoje+%C3%A0+noite", "Para sair à noite"),
        ("/?q=bar+asa+norte+hoje+%C3%A0+noite", "Para sair à noite"),
        ("/en?q=cinema+tonight", "To go out at night"),
        ("/en?q=bar+asa+norte+tonight", "To go out at night"),
    ] {
        let text = shown(path);
        assert!(!text.contains(other) && !text.contains("id=\"noite\""), "{path}: {text}");
        let main = text.split("<main").nth(1).expect("a page");
        let places: Vec<&str> = main
            .split("href=\"")
            .skip(1)
            .filter_map(|rest| rest.split('"').next())
            .filter(|to| to.contains("/place/"))
            .collect();
        let mut once = places.clone();
        once.sort_unstable();
        once.dedup();
        assert!(!places.is_empty() && once.len() == places.len(), "{path}: {places:?}");
    }
}

#[test]
fn late_in_the_evening_lists_begin_with_what_is_still_to_come() {
    let day = today();
    let mut listed: Vec<Value> = (0..40).map(|at| timed(&format!("early-{at}"), day, "18:00", "")).collect();
    listed.push(timed("on", day, "18:00", "23:50"));
    listed.push(timed("new", day, "22:00", ""));
    listed.push(timed("later", day, "23:30", ""));
    let mut best = timed("best", day, "23:45", "");
    best["uau"] = true.into();
    listed.push(best);
    let mut off = timed("off", day, "22:30", "");
    off["status"] = "cancelled".into();
    listed.push(off);
    let service = with_events(&listed, 23);
    for front in ["/", "/en"] {
        let text = page_on(&service, front);
        let tonight = part(&text, "tonight");
        let (open, folded) = tonight.split_once("<details class=\"begun\">").expect("what has begun");
        assert_eq!(events(open), ["on", "new", "off", "later", "best"], "{front}: {open}");
        assert!(folded.contains("/event/early-"), "{front}: {folded}");
    }
    for path in
        ["/?kind=events&q=samba+hoje", "/?kind=events&when=today", "/en?kind=events&when=today", "/?q=samba"]
    {
        let text = page_on(&service, path);
        let first = events(&part(&text, "events"));
        assert_eq!(first[..5], ["on", "new", "off", "later", "best"], "{path}: {first:?}");
    }
    let map = page_on(&service, "/mapa");
    let first = events(&part(&map, "tonight"));
    assert_eq!(first[..3], ["on", "new", "off"], "{first:?}");
    assert_eq!(map.matches("começou").count(), 42, "and the map says what has begun: {map}");
    let long = "começou às 18h, sem hora de término no guia";
    assert_eq!(map.matches(long).count(), 40, "what has no end is not said to be over: {map}");
    // nothing of it begins
    let off =
        map.split("/event/off\"").nth(1).and_then(|rest| rest.split("</li>").next()).expect("it is there");
    assert!(off.contains("Cancelado") && !off.contains("já começou"), "{off}");
}

#[test]
fn the_evening_comes_first_when_it_has_begun() {
    let day = today();
    let untimed = json!({"id": "untimed", "date": day});
    let listed = [untimed, timed("fair", day, "09:00", "22:00"), timed("show", day, "21:00", "")];
    let mut service = with_events(&listed, 12);
    for (hour, order) in [(12, ["untimed", "show"]), (20, ["show", "untimed"])] {
        service.sets(moment(day, hour));
        for path in ["/", "/en", "/hoje", "/en/today"] {
            let text = page_on(&service, path);
            let at = |id: &str| {
                text.find(&format!("/event/{id}\"")).unwrap_or_else(|| panic!("no {id} on {path}: {text}"))
            };
            assert!(at(order[0]) < at(order[1]), "{path} at {hour}");
        }
    }
}

#[test]
fn what_began_yesterday_is_listed_until_it_ends() {
    let day = today();
    let mut weekly = timed("weekly", day, "23:00", "04:00");
    weekly["repeat"] = json!({"rule": format!("FREQ=WEEKLY;BYDAY={}", ["MO", "TU", "WE", "TH", "FR", "SA", "SU"][day.weekday() as usize])});
    let mut festival = timed("festival", day - Days::new(1), "18:00", "02:00");
    festival["end_date"] = json!(day + Days::new(1));
    let mut off = timed("off", day, "22:00", "05:00");
    off["status"] = "cancelled".into();
    let listed =
        [timed("ball", day, "22:00", "05:00"), timed("play", day, "20:00", "22:00"), weekly, festival, off];
    let mut service = with_events(&listed, 20);
    for path in ["/", "/hoje", "/en/today"] {
        assert!(!page_on(&service, path).contains("id=\"late\""), "{path}");
    }
    for (hour, on) in [(0, &["festival", "ball", "weekly"][..]), (3, &["ball", "weekly"]), (5, &[])] {
        service.sets(moment(day + Days::new(1), hour));
        for path in ["/", "/hoje", "/en", "/en/today"] {
            let text = page_on(&service, path);
            assert_eq!(text.contains("id=\"late\""), !on.is_empty(), "{path} at {hour}: {text}");
            if !on.is_empty() {
                let late = part(&text, "late");
                let ids: Vec<String> = events(&late);
                assert!(
                    ids.len() == on.len() && ids.iter().zip(on).all(|(id, on)| id.starts_with(on)),
                    "{path}: {ids:?}"
                );
                assert!(
                    text.find("id=\"late\"")
                        < text.find("/event/festival\"").max(text.find("id=\"tonight\""))
                );
            }
        }
    }
}

#[test]
fn what_is_over_says_so_and_leads_on() {
    let day = today();
    let weekday = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"][day.weekday() as usize];
    let mut weekly = timed("choro", day, "12:00", "15:00");
    weekly["repeat"] = json!({"rule": format!("FREQ=WEEKLY;BYDAY={weekday}")});
    let mut off = timed("off", day + Days::new(2), "20:00", "");
    off["status"] = "cancelled".into();
    let listed =
        [weekly, timed("lunch", day, "12:00", "15:00"), timed("later", day + Days::new(1), "20:00", ""), off];
    let mut service = with_events(&listed, 13);
    let (own, next) = (format!("/event/choro-{day}"), format!("choro-{}", day + Days::new(7)));
    assert!(page_on(&service, &own).contains("Já começou"));
    service.sets(moment(day, 23));
    let text = page_on(&service, &own);
    assert!(text.contains("Este evento já passou.") && text.contains(&format!("/event/{next}\"")), "{text}");
    for (path, over, today) in [
        ("/event/lunch", "Este evento já passou.", "href=\"/hoje\">O que há hoje"),
        ("/en/event/lunch", "This event is over.", "href=\"/en/today\">What is on today"),
        ("/event/off", "Este evento foi cancelado.", "href=\"/hoje\">O que há hoje"),
    ] {
        let text = page_on(&service, path);
        assert!(text.contains(over) && text.contains(today), "{path}: {text}");
        assert!(!text.contains("/lunch.ics\">Ad") && !text.contains("Como chegar"), "{path}: {text}");
        assert!(!text.contains("Adicionar à agenda") && !text.contains("Add to"), "{path}: {text}");
    }
    // lists go on with the next date, and what is over comes last
    let area = part(&page_on(&service, "/area/asa-norte"), "week");
    assert_eq!(events(&area), ["later", "off", "lunch"], "{area}");
    assert!(area.contains("já terminou"), "{area}");
    let frame = exchange(
        service.address(),
        &request("GET", "/embed/area/asa-norte", &[("accept", "text/html")], b""),
    );
    let ids = events(&frame.text());
    assert_eq!((&*ids[0], &*ids[2]), ("later", &*next), "{ids:?}");
    let list = page_on(&service, &format!("/lista?i=choro-{day},lunch,later"));
    assert_eq!(list.matches("Este evento já passou.").count(), 2, "{list}");
    // a series whose date of today is over is shown, and stands, on its next one
    let list = page_on(&service, &format!("/lista?i=later,choro,lunch,{next}"));
    let shown: Vec<&str> =
        list.split("<time datetime=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(shown.len() == 4 && shown.is_sorted(), "{shown:?}: {list}");
}

#[test]
fn an_end_that_is_not_known_is_not_invented() {
    let day = today();
    let weekday = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"][day.weekday() as usize];
    let mut street = timed("street", day, "06:00", "");
    street["category"] = "ao-ar-livre".into();
    street["repeat"] = json!({"rule": format!("FREQ=WEEKLY;BYDAY={weekday}")});
    let listed = [street, timed("lunch", day, "12:00", "13:00"), timed("show", day, "23:00", "")];
    let mut service = with_events(&listed, 16);
    let own = format!("/event/street-{day}");
    for hour in [16, 23] {
        service.sets(moment(day, hour));
        for path in ["/hoje", &own] {
            let text = page_on(&service, path);
            assert!(text.contains("omeçou às 6h, sem hora de término no guia"), "{path} at {hour}: {text}");
            assert!(!text.contains("Este evento já passou."), "{path} at {hour}: {text}");
        }
        let page = page_on(&service, &own);
        assert!(page.contains("Adicionar à agenda") && page.contains("Como chegar"), "{hour}: {page}");
        let series = page_on(&service, "/event/street");
        assert!(series.contains(&format!("href=\"/event/street-{day}\"")), "{hour}: {series}");
    }
    let english = page_on(&service, "/en/today");
    assert!(english.contains("began at 06:00, no end time in the guide"), "{english}");
    // of today it comes last but for what has ended
    let list = part(&page_on(&service, "/?q=o+que+fazer+hoje"), "events");
    let at = |id: &str| list.find(&format!("/event/{id}"));
    assert!(at("show") < at("street") && at("street") < at("lunch"), "{list}");
    // the day after it has passed, and what is on late when the night is over
    service.sets(moment(day + Days::new(1), 2));
    assert!(!page_on(&service, "/event/show").contains("Este evento já passou."));
    service.sets(moment(day + Days::new(1), 7));
    assert!(page_on(&service, "/event/show").contains("Este evento já passou."));
}

#[test]
fn what_has_no_hour_is_not_of_the_evening() {
    let friday = today() + Days::new(u64::from((11 - today().weekday().num_days_from_monday()) % 7));
    let untimed = json!({"id": "untimed", "date": friday});
    let heading = |text: &str| {
        let section = part(text, &format!("d{friday}"));
        section.split("</div>").next().unwrap_or_default().to_owned()
    };
    for (listed, of_evening) in
        [(vec![untimed.clone(), timed("show", friday, "21:00", "")], true), (vec![untimed], false)]
    {
        let service = with_events(&listed, 0);
        let is_weekend = today().weekday().num_days_from_monday() > 4;
        let path = if is_weekend { "/proximo-fim-de-semana" } else { "/fim-de-semana" };
        let text = page_on(&service, path);
        let (told, section) = (heading(&text), part(&text, &format!("d{friday}")));
        assert_eq!(told.contains("à noite"), of_evening, "{told}");
        assert!(told.contains("1 evento"), "what has no hour is not counted beside the evening: {told}");
        let (_, rest) = section.split_once("Sem horário</h3>").expect("what has no hour");
        assert!(rest.contains("/event/untimed\"") && !rest.contains("/event/show\""), "{section}");
    }
}

#[test]
fn a_day_says_once_which_it_is_and_christmas_begins_with_what_is_on() {
    let day = today();
    let year = if (day.month(), day.day()) > (12, 25) { day.year() + 1 } else { day.year() };
    let christmas = NaiveDate::from_ymd_opt(year, 12, 25).expect("a day");
    let service = with_events(&[timed("concert", christmas, "20:00", "")], 12);
    let path = format!("/dia/{}", day + Days::new(2));
    let text = page_on(&service, &path);
    let main = text.split("<main").nth(1).expect("a page");
    assert!(main.contains("Nada marcado neste dia.") && !main.contains("0 eventos</p>"), "{main}");
    assert!(
        !main.contains("<section class=\"part\" aria-labelledby=\"d"),
        "the title says which day it is: {main}"
    );
    let natal = page_on(&service, "/?q=natal");
    let at = |words: &str| natal.find(words).unwrap_or_else(|| panic!("no {words}: {natal}"));
    assert!(
        at("/event/concert\"") < at("id=\"kinds\"") && at("id=\"kinds\"") < at("href=\"/sugerir\""),
        "{natal}"
    );
    // where nothing is on, places come at once
    let bars = page_on(&service, "/?q=bar+hoje");
    assert!(
        !bars.contains("id=\"events\"") && bars.contains("O guia não tem eventos assim nesse dia."),
        "{bars}"
    );
}

#[test]
fn a_search_leads_to_the_category_that_it_names() {
    for (path, leads, named) in [
        ("/?q=boteco+asa+norte", "href=\"/area/asa-norte/boteco\"", "<b>Boteco</b>"),
        ("/?q=restaurante+japon%C3%AAs+asa+sul", "href=\"/area/asa-sul/japones\"", "<b>Japonês</b>"),
        ("/en?q=boteco+asa+norte", "href=\"/en/area/asa-norte/boteco\">Boteco, Asa Norte", "Boteco"),
    ] {
        let text = shown(path);
        let after = |mark: &str, end: &str| {
            let rest = text.split(mark).nth(1).and_then(|rest| rest.split(end).next());
            rest.unwrap_or_else(|| panic!("no {mark} on {path}: {text}")).to_owned()
        };
        let (read, lists) = (after("class=\"reading\"", "</summary>"), after("role=\"status\"", "</main>"));
        let leads = format!("<p class=\"more\"><a {leads}");
        assert!(read.contains(named) && lists.contains(&leads), "{path}: {read} {lists}");
    }
    assert!(shown("/en/area/asa-norte/boteco").contains(">Boteco, Asa Norte</h1>"));
}
