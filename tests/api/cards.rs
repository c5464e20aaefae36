//! The pictures beside shared links: what pages say of them, and that each is small, whole and no window into what the
//! site does not show.

use std::io::Cursor;
use std::thread;

use serde_json::json;

use crate::mail::{SOON, awaited};
use crate::service::{Answer, Service, demo_copy, edit, exchange, ids, printed, request, run, shared};

/// The most bytes of a card.
const MOST: usize = 25_000;

fn fetched(service: &Service, path: &str, headers: &[(&str, &str)]) -> Answer {
    exchange(service.listen, &request("GET", path, headers, b""))
}

/// The card at an address, once the server has had room to draw it: tests beside this one may keep the processors busy.
fn drawn(service: &Service, address: &str, headers: &[(&str, &str)]) -> Answer {
    awaited("a card", SOON, || Some(fetched(service, address, headers)).filter(|answer| answer.status != 503))
}

fn page(service: &Service, path: &str) -> String {
    let answer = fetched(service, path, &[("accept", "text/html")]);
    assert_eq!(answer.status, 200, "{path}");
    answer.text()
}

/// The content of a `meta` element of a page.
fn meta<'p>(page: &'p str, name: &str) -> &'p str {
    let start = format!("=\"{name}\" content=\"");
    page.split_once(&start).and_then(|(_, rest)| rest.split_once('"')).unwrap_or_else(|| panic!("{name}")).0
}

/// The address of the card of a page, without the host.
fn card_of(service: &Service, path: &str) -> String {
    let text = page(service, path);
    let base = format!("http://{}", service.listen);
    meta(&text, "og:image").strip_prefix(&base).expect("an address of this service").to_owned()
}

/// Fails unless it is a card; returns the number of its colours.
fn checked(answer: &Answer, path: &str) -> usize {
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("image/png")), "{path}");
    assert!(answer.body.len() <= MOST, "{path} has {} bytes", answer.body.len());
    let mut reader = png::Decoder::new(Cursor::new(&answer.body)).read_info().expect("a PNG");
    assert_eq!((reader.info().width, reader.info().height), (1_200, 630), "{path}");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    reader.next_frame(&mut pixels).expect("whole");
    pixels.sort_unstable();
    pixels.dedup();
    pixels.len()
}

/// A page of each kind that is shared, in both languages.
fn shared_pages(service: &Service) -> Vec<[String; 2]> {
    let series = page(service, "/event/choro-no-eixo");
    let date = series.split("href=\"/event/choro-no-eixo-").nth(1).and_then(|rest| rest.split_once('"'));
    let date = date.expect("a date").0;
    let month = &date[..7];
    [
        ("/hoje".to_owned(), "/en/today".to_owned()),
        ("/amanha".to_owned(), "/en/tomorrow".to_owned()),
        ("/fim-de-semana".to_owned(), "/en/weekend".to_owned()),
        (format!("/dia/{date}"), format!("/en/day/{date}")),
        (format!("/agenda/{month}"), format!("/en/calendar/{month}")),
        ("/area/asa-norte".to_owned(), "/en/area/asa-norte".to_owned()),
        ("/area/asa-norte/boteco".to_owned(), "/en/area/asa-norte/boteco".to_owned()),
        ("/categoria/musica".to_owned(), "/en/category/musica".to_owned()),
        ("/place/memorial-jk".to_owned(), "/en/place/memorial-jk".to_owned()),
        ("/event/choro-no-eixo".to_owned(), "/en/event/choro-no-eixo".to_owned()),
        (format!("/event/choro-no-eixo-{date}"), format!("/en/event/choro-no-eixo-{date}")),
    ]
    .map(|(portuguese, english)| [portuguese, english])
    .to_vec()
}

#[test]
fn every_page_that_is_shared_has_a_card_of_its_own() {
    let service = &shared().service;
    let mut seen = vec![];
    for path in shared_pages(service).concat().iter().map(String::as_str).chain(["/", "/en"]) {
        let text = page(service, path);
        assert_eq!(meta(&text, "og:image:width"), "1200");
        assert_eq!(meta(&text, "og:image:height"), "630");
        assert_eq!(meta(&text, "og:image:type"), "image/png");
        assert_eq!(meta(&text, "twitter:card"), "summary_large_image");
        let alternative = meta(&text, "og:image:alt");
        assert!(alternative.len() > 10 && alternative == meta(&text, "twitter:image:alt"), "{path}");
        let address = card_of(service, path);
        let is_english = address.starts_with("/en/card");
        assert!(
            (is_english || address.starts_with("/card")) && is_english == path.starts_with("/en"),
            "{address}"
        );
        let answer = drawn(service, &address, &[]);
        assert!(checked(&answer, path) > 12, "{path} has edges");
        assert_eq!(answer.header("cache-control"), Some("public, max-age=86400"), "{path}");
        let tag = answer.header("etag").expect("a tag");
        let again = fetched(service, &address, &[("if-none-match", tag)]);
        assert_eq!((again.status, again.body.len()), (304, 0), "{path}");
        seen.push((address.split('?').next().expect("a path").to_owned(), answer.body));
    }
    let all = seen.len();
    seen.sort();
    seen.dedup_by(|one, two| one.0 == two.0);
    assert_eq!(seen.len(), all, "each has an address");
    assert!(page(service, "/plans").contains("/card.png?"), "other pages have that of the front page");
    let head = exchange(service.listen, &request("HEAD", "/card.png", &[], b""));
    assert_eq!((head.status, head.header("content-type")), (200, Some("image/png")));
}

#[test]
fn two_servers_draw_the_same_bytes() {
    let (one, two) = (&shared().service, Service::start());
    for path in ["/", "/en", "/place/memorial-jk", "/en/event/choro-no-eixo", "/area/asa-norte"] {
        let address = card_of(one, path);
        assert_eq!(address, card_of(&two, path));
        let (first, second) = (drawn(one, &address, &[]), drawn(&two, &address, &[]));
        assert_eq!(first.header("etag"), second.header("etag"));
        assert!(checked(&first, path) > 0 && first.body == second.body, "{path}");
    }
}

#[test]
fn many_who_share_a_page_at_once_get_its_card() {
    let service = Service::start();
    let address = card_of(&service, "/categoria/musica");
    let ask = || fetched(&service, &address, &[]);
    let answers: Vec<Answer> = thread::scope(|scope| {
        let asked: Vec<_> = (0..48).map(|_| scope.spawn(ask)).collect();
        asked.into_iter().map(|asked| asked.join().expect("an answer")).collect()
    });
    for answer in &answers {
        assert!(checked(answer, &address) > 0 && answer.body == answers[0].body);
    }
}

#[test]
fn a_flood_of_different_cards_stops_nobody_else() {
    let service = Service::start();
    let names = ids(&service
        .good(&service.key("pro"), json!({"action": "search_places", "region": "Asa Sul", "limit": 50})));
    let answers: Vec<Answer> = thread::scope(|scope| {
        let service = &service;
        let asked: Vec<_> = names
            .iter()
            .flat_map(|id| [format!("/card/place/{id}.png"), format!("/en/card/place/{id}.png")])
            .map(|path| scope.spawn(move || fetched(service, &path, &[])))
            .collect();
        assert_eq!(fetched(service, "/hoje", &[("accept", "text/html")]).status, 200);
        asked.into_iter().map(|asked| asked.join().expect("an answer")).collect()
    });
    assert!(answers.iter().any(|answer| answer.status == 200), "some are drawn");
    for answer in &answers {
        // who waits longer than a request may take is refused too
        assert!([200, 408, 503].contains(&answer.status), "{}: {}", answer.status, answer.text());
    }
}

#[test]
fn who_asks_for_many_cards_at_once_leaves_room_for_others() {
    let service = Service::start_with(&["trusted_proxies=127.0.0.1"]);
    let places = service
        .good(&service.key("pro"), json!({"action": "search_places", "region": "Asa Sul", "limit": 30}));
    let of = |from: &str, id: &str| {
        let path = format!("/card/place/{id}.png");
        fetched(&service, &path, &[("x-forwarded-for", from)]).status
    };
    let ids = ids(&places);
    let (first, many) = ids.split_first().expect("places");
    let (other, statuses) = thread::scope(|scope| {
        let asked: Vec<_> = many.iter().map(|id| scope.spawn(|| of("198.51.100.7", id))).collect();
        let other = of("203.0.113.9", first);
        (other, asked.into_iter().map(|one| one.join().expect("an answer")).collect::<Vec<u16>>())
    });
    assert_eq!(other, 200);
    let count = |status: u16| statuses.iter().filter(|one| **one == status).count();
    assert!(count(200) >= 4 && count(503) > 0 && count(200) + count(503) == many.len(), "{statuses:?}");
}

#[test]
fn there_is_no_card_of_what_has_no_page() {
    let shared = shared();
    let service = &shared.service;
    let outside = json!({"action": "search_places", "region": "Taguatinga", "limit": 1});
    let outside = ids(&service.good(&shared.pro, outside)).remove(0);
    for path in [
        &format!("/card/place/{outside}.png"),
        "/card/place/never-was.png",
        "/card/event/never-was.png",
        "/card/event/choro-no-eixo-2020-01-05.png",
        "/card/place/memorial-jk",
        "/card/place/memorial-jk.jpg",
        "/card/memorial-jk.png",
        "/card/area/taguatinga.png",
        "/card/area/taguatinga/bar.png",
        "/card/categoria/never-was.png",
        "/card/dia/2001-01-01.png",
        "/card/agenda/2001-01.png",
        "/card/agenda/2026-13.png",
        "/card/plans.png",
        "/card/today.png",
        "/en/card/hoje.png",
    ] {
        let answer = fetched(service, path, &[]);
        assert_eq!(answer.status, 404, "{path}");
        assert!(!answer.body.starts_with(b"\x89PNG"), "{path}");
    }
    let post = exchange(service.listen, &request("POST", "/card.png", &[], b""));
    assert_eq!(post.status, 405);
}

#[test]
fn what_is_hidden_or_renamed_has_no_old_card() {
    let home = tempfile::tempdir().expect("a folder");
    let (data, folder) = (home.path().join("data"), home.path().join("guide"));
    demo_copy(&folder);
    let publish = |note: &str| {
        let words = ["snapshot", "publish", folder.to_str().expect("text"), "--note", note];
        printed(&run(&data, &words), 0);
    };
    std::fs::create_dir(&data).expect("a folder");
    publish("one");
    let service = Service::start_on(&data);
    let place = card_of(&service, "/place/memorial-jk");
    let first = drawn(&service, &place, &[]);
    checked(&first, &place);
    let long =
        "Memorial do presidente que mandou fazer uma cidade inteira no meio do cerrado, em mil dias e noites";
    edit(&folder, "places.json", |places| {
        let at = places.iter().position(|place| place["id"] == "memorial-jk").expect("the place");
        places[at]["name"] = json!(format!("🎉 {long}"));
    });
    publish("two");
    service.serves(2);
    let renamed = card_of(&service, "/place/memorial-jk");
    assert_ne!(renamed, place, "who keeps the old picture sees another address");
    let answer = drawn(&service, &place, &[("if-none-match", first.header("etag").expect("a tag"))]);
    assert!(checked(&answer, &place) > 0 && answer.body != first.body, "the old address has the new card");
    assert_eq!(answer.body, drawn(&service, &renamed, &[]).body);
    printed(&run(&data, &["snapshot", "hide", "memorial-jk", "--reason", "closed"]), 0);
    let begun = std::time::Instant::now();
    while fetched(&service, &renamed, &[]).status != 404 {
        assert!(begun.elapsed().as_secs() < 120, "the card is gone");
        thread::sleep(std::time::Duration::from_millis(50));
    }
}
