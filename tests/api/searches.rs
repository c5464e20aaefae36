//! What a search on the site lists beside its results, and what it says of how it was read.

use std::sync::OnceLock;

use candango::domain::clock::UnixMillis;
use chrono::DateTime;
use serde_json::{Value, json};

use crate::asaas::Moved;
use crate::listings::page_on;
use crate::service::{exchange, request, shared};

/// A service that serves the demo at a moment. Another test must not set its clock back: what is over by then is no
/// longer served.
fn at(text: &str) -> Moved {
    let mut service = Moved::start(&[]);
    let moment = DateTime::parse_from_rfc3339(text).expect("a moment").timestamp_millis();
    service.sets(UnixMillis(moment));
    let app = service.app.as_ref().expect("running");
    app.block_on(app.serving.first());
    service
}

/// A service that serves the demo late on Sunday, 29 November 2026.
fn on_sunday_night() -> &'static Moved {
    static SERVICE: OnceLock<Moved> = OnceLock::new();
    SERVICE.get_or_init(|| at("2026-11-29T23:17:00-03:00"))
}

fn shown(path: &str) -> String {
    let answer = exchange(shared().service.listen, &request("GET", path, &[("accept", "text/html")], b""));
    assert_eq!(answer.status, 200, "{path}");
    answer.text()
}

/// The part of a page with this id, to the end of its section.
fn part(text: &str, id: &str) -> String {
    let rest = text.split(&format!("id=\"{id}\"")).nth(1).unwrap_or_else(|| panic!("no {id}: {text}"));
    rest.split("</section>").next().unwrap_or_default().to_owned()
}

/// The ids of the records of a kind that a part of a page links, without the venues of events.
fn names(text: &str, kind: &str) -> Vec<String> {
    let link = format!("<a href=\"/{kind}/");
    let items = text.split("<h3>").flat_map(|rest| rest.split("<h4>")).skip(1);
    let ids = items.filter_map(|item| item.strip_prefix(&*link)?.split('"').next());
    ids.map(str::to_owned).collect()
}

fn free(search: Value) -> Value {
    shared().service.good(&shared().free, search)
}

fn ids(list: &Value) -> Vec<String> {
    let all = list.as_array().expect("a list").iter();
    all.map(|one| one["id"].as_str().expect("an id").to_owned()).collect()
}

#[test]
fn a_short_answer_goes_on_with_what_is_next_under_a_heading_that_says_what_that_is() {
    for (text, title, known) in [
        ("onde comer perto da torre de tv", "Mais longe", 2),
        ("samba perto da 408 norte", "Mais longe", 3),
        ("bar na 408 sul", "Também em: Asa Sul", 0),
        ("bar perto da 408 norte", "Quase o que você pediu", 0),
    ] {
        let page = shown(&format!("/?q={}", text.replace(' ', "+")));
        let places = part(&page, "places");
        let heading = format!("<h3 class=\"part-of-day\">{title}</h3>");
        let (listed, further) = places.split_once(&heading).unwrap_or_else(|| panic!("no {title}: {places}"));
        let answer = free(json!({"action": "search_places", "q": text, "limit": 50}));
        assert_eq!(names(listed, "place"), ids(&answer["places"]), "{text}");
        let more = ids(&answer["more"]);
        assert_eq!(names(further, "place"), more[..more.len().min(5)], "{text}");
        // not of what may be anywhere in an area as wide as that
        assert_eq!(further.matches("a uns ").count(), known, "{text}: {further}");
    }
    let english = shown("/en?q=samba+near+408+norte");
    let events = part(&english, "events");
    let (_, further) = events.split_once(">Farther away</h3>").expect("what is farther away");
    assert!(further.contains("about ") && further.contains(" km away"), "{further}");
    // a full list goes on with its next page
    assert!(!shown("/?q=bar&kind=places").contains("part-of-day"));
}

#[test]
fn what_is_listed_in_place_of_a_superquadra_is_said_to_be_where_it_is() {
    let service = on_sunday_night();
    let page = page_on(service, "/?q=samba+at%C3%A9+sexta+408+norte");
    let events = part(&page, "events");
    assert!(events.contains("Procuramos em: <b>Plano Piloto</b>."), "{events}");
    assert!(events.contains("O guia não mostra nada assim nessa quadra."), "{events}");
    assert!(!events.contains("na mesma asa"), "{events}");
    let answer = free(json!({"action": "search_events", "q": "jazz 408 norte"}));
    let notice = answer["notice"].as_str().expect("a notice");
    assert!(
        notice.contains("no events with an address in 408: these are in Plano Piloto.")
            && !notice.contains("same wing"),
        "{notice}"
    );
}

#[test]
fn who_asks_for_what_is_near_learns_that_the_site_does_not_know_where_they_are() {
    for (path, said) in [
        ("/?q=bar+perto+de+mim", "O site não sabe onde você está"),
        ("/en?q=near+me", "The site does not know where you are"),
    ] {
        assert!(shown(path).contains(said), "{path}");
    }
    assert!(!shown("/?q=bar+perto+da+torre+de+tv").contains("onde você está"));
}

#[test]
fn an_evening_in_an_area_is_what_is_on_and_where_to_go_out_there() {
    let service = at("2026-12-04T18:30:00-03:00");
    for (path, going_out) in [
        ("/?q=hoje+%C3%A0+noite+asa+sul", "Para sair à noite"),
        ("/en?q=tonight+in+asa+sul", "To go out at night"),
    ] {
        let page = page_on(&service, path);
        assert!(!page.contains("id=\"places\"") && page.contains("id=\"events\""), "{path}: {page}");
        let night = part(&page, "noite");
        assert!(night.starts_with(&format!(">{going_out}")) && night.contains("<p>Asa Sul</p>"), "{night}");
        assert!(night.matches("/place/").count() > 3 && !night.contains("Asa Norte"), "{night}");
        assert!(night.contains("/area/asa-sul\""), "{night}");
    }
    // by day all places of the area may be meant
    assert!(page_on(&service, "/?q=hoje+asa+sul").contains("id=\"places\""));
}

#[test]
fn a_series_that_is_over_today_stands_with_its_next_date() {
    let service = on_sunday_night();
    let page = page_on(service, "/en?q=one+day+in+Brasilia&kind=events");
    let events = part(&page, "events");
    let days: Vec<&str> =
        events.split("<time datetime=\"").skip(1).filter_map(|rest| rest.get(..10)).collect();
    assert!(days.len() > 10 && days.is_sorted(), "{days:?}");
    assert!(!events.contains("has begun") && !events.contains("has ended"), "{events}");
    assert!(events.contains("/event/choro-no-eixo-2026-12-06\""), "{events}");
    // of today alone nothing is left
    let today = part(&page_on(service, "/?q=choro+hoje&kind=events"), "events");
    assert!(today.contains("/event/choro-no-eixo-2026-11-29\""), "{today}");
    assert!(today.contains("começou às 12h, sem hora de término no guia"), "{today}");
}

#[test]
fn days_are_told_in_their_order_and_a_month_once() {
    let service = on_sunday_night();
    let natal = part(&page_on(service, "/?q=natal"), "others");
    let days: Vec<&str> =
        natal.split("<time datetime=\"").skip(1).filter_map(|rest| rest.get(..10)).collect();
    assert!(days.contains(&"2026-12-24") && days.contains(&"2026-12-25") && days.is_sorted(), "{days:?}");
    for (path, told) in [
        ("/?q=carnaval", "<b>6 a 10 de fevereiro de 2027</b>"),
        ("/en?q=carnival", "<b>6 to 10 February 2027</b>"),
    ] {
        let page = page_on(service, path);
        assert!(page.contains(told), "{path}: {page}");
    }
    // the next days of the front page are all of the next month
    let next = part(&page_on(service, "/"), "next");
    assert!(next.contains("href=\"/agenda/2026-12\""), "{next}");
}

#[test]
fn an_area_is_called_by_its_name_and_what_is_no_area_by_none() {
    let page = shown("/?kind=places&category=bar&region=asa-norte");
    assert!(page.contains("<h1 class=\"list-title\">Lugares · Bar · Asa Norte</h1>"), "{page}");
    assert!(page.contains("<option value=\"Asa Norte\" selected>"), "{page}");
    let wrong =
        exchange(shared().service.listen, &request("GET", "/?region=xyz", &[("accept", "text/html")], b""));
    assert_eq!(wrong.status, 400);
    assert!(wrong.text().contains("<h1 class=\"list-title\">Busca</h1>"), "{}", wrong.text());
}

#[test]
fn a_weekend_of_which_hours_are_left_unknown_says_so_and_leads_to_today() {
    let service = on_sunday_night();
    let page = page_on(service, "/fim-de-semana");
    assert!(
        page.contains(
            "Deste fim de semana não resta mais nada com hora marcada: este é o próximo. <a href=\"/hoje\">"
        ),
        "{page}"
    );
    let today = page_on(service, "/hoje");
    let begun =
        today.split("<details class=\"begun\">").nth(1).and_then(|rest| rest.split("</details>").next());
    let begun = begun.expect("what has begun");
    assert!(begun.starts_with("<summary><h3>") && begun.contains("<h4><a href=\"/event/"), "{begun}");
    assert!(!begun.contains("<h3><a"), "{begun}");
}
