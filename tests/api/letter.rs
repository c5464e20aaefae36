//! The weekly letter: who asks for it, confirms it and stops it, and that it comes once, on Thursdays at 17:00 in
//! Brasília.

use std::net::SocketAddr;

use candango::domain::clock::{Clock, UnixMillis};
use candango::domain::reader::next_letter;
use chrono::DateTime;
use serde_json::{Value, json};

use crate::asaas::Moved;
use crate::listings::page_on;
use crate::mail::{Mail, SOON, awaited, mailer_is_idle, outbox, signed_up};
use crate::publishing::publish;
use crate::redis::RedisServer;
use crate::service::{Answer, Service, demo_copy, edit, exchange, printed, printed_json, request, run};

const FORM: (&str, &str) = ("content-type", "application/x-www-form-urlencoded");

fn at(text: &str) -> UnixMillis {
    UnixMillis(DateTime::parse_from_rfc3339(text).expect("a moment").timestamp_millis())
}

fn submit(address: SocketAddr, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
    let headers = [headers, &[FORM]].concat();
    exchange(address, &request("POST", path, &headers, body.as_bytes()))
}

fn page(address: SocketAddr, path: &str) -> Answer {
    exchange(address, &request("GET", path, &[("accept", "text/html")], b""))
}

/// The path of a link in a mail: `/sexta/confirm?r=...`.
fn link(mail: &Mail, path: &str) -> String {
    let at = mail.body.find(path).unwrap_or_else(|| panic!("{path} is in {}", mail.body));
    let is_end = |char: char| char.is_whitespace() || "\"<>".contains(char);
    mail.body[at..].split(is_end).next().expect("a link").to_owned()
}

fn confirms(mail: &Mail) -> bool {
    mail.body.contains("/confirm?r=")
}

fn is_letter(mail: &Mail) -> bool {
    mail.head.contains("List-Unsubscribe:")
}

/// Asks for the letter and confirms it; returns the path that stops it.
fn subscribed(services: &[&Moved], address: SocketAddr, form: &str, email: &str) -> String {
    let asked = submit(address, form, &[], &format!("email={email}&area=&website="));
    assert_eq!(asked.status, 303, "{}", asked.text());
    let mail = awaited("the mail that asks", SOON, || {
        let mut mails = services.iter().flat_map(|service| service.mails());
        mails.find(|mail| mail.header("To") == email && confirms(mail))
    });
    let path = link(&mail, &format!("{form}/confirm?r="));
    assert_eq!(page(address, &path).status, 200, "what opens links by itself confirms nothing");
    assert_eq!(submit(address, &path, &[], "").status, 200);
    path.replace("/confirm?", "/stop?")
}

/// A service that serves the demo at noon of Wednesday, 25 November 2026.
fn on_wednesday() -> Moved {
    let mut service = Moved::start(&[]);
    service.sets(at("2026-11-25T12:00:00-03:00"));
    let app = service.app.as_ref().expect("running");
    app.block_on(app.serving.first());
    service
}

/// Publishes the demo with other events, and waits until they are served.
fn publish_demo_with(service: &Moved, change: impl FnOnce(&mut Vec<Value>)) {
    let folder = service.data().with_file_name("folder");
    demo_copy(&folder);
    edit(&folder, "events.json", change);
    let serving = &service.app.as_ref().expect("running").serving;
    let before = serving.current().expect("the demo").version.digest;
    publish(&service.data(), &folder, &[]);
    awaited("the edition", SOON, || serving.current().filter(|current| current.version.digest != before));
}

/// The letters to an address, in the outboxes of all servers.
fn letters(services: &[&Moved], email: &str) -> Vec<Mail> {
    let all = services.iter().flat_map(|service| service.mails());
    all.filter(|mail| is_letter(mail) && mail.header("To") == email).collect()
}

#[test]
fn the_letter_comes_on_thursday_at_five_to_who_confirmed_in_their_language_until_they_stop() {
    let mut service = on_wednesday();
    let address = service.address();
    publish_demo_with(&service, |events| {
        let event = events.iter_mut().find(|event| event["id"] == "axe-no-eixo").expect("the event");
        event["uau"] = true.into();
        for (id, hours) in [("matinee-and-evening", ["15:00", "20:00"]), ("matinees", ["10:00", "15:00"])] {
            let sessions = hours.map(|hour| json!({"start_time": hour}));
            events.push(json!({
                "id": id, "name": id, "repeat": {"rule": "FREQ=WEEKLY;BYDAY=FR"}, "category": "samba",
                "venue": "Clube", "neighbourhood": "Asa Norte", "region": "Plano Piloto", "sessions": sessions,
            }));
        }
        for (id, hour, last) in [
            ("fair-by-day", "10:00", "2026-11-08"),
            ("play", "20:00", "2026-11-08"),
            ("sold-out-play", "20:00", "2026-11-06"),
        ] {
            let mut run = json!({
                "id": id, "name": id, "date": "2026-11-06", "end_date": last, "start_time": hour,
                "repeat": {"rule": "FREQ=WEEKLY;BYDAY=FR"}, "category": "samba", "uau": true, "venue": "Clube",
                "neighbourhood": "Asa Norte", "region": "Plano Piloto",
            });
            if id == "sold-out-play" {
                run["status"] = "sold_out".into();
            }
            events.push(run);
        }
    });
    let stop = subscribed(&[&service], address, "/sexta", "maria@x.example");
    let stop_english = subscribed(&[&service], address, "/en/friday", "ana@x.example");
    // asked, and never confirmed
    assert_eq!(submit(address, "/sexta", &[], "email=nobody@x.example").status, 303);
    service.sets(at("2026-11-26T16:59:59-03:00"));
    mailer_is_idle(service.ops());
    assert!(!service.mails().iter().any(is_letter), "not before five");

    service.sets(at("2026-11-26T17:00:00-03:00"));
    let letter = awaited("the letter", SOON, || letters(&[&service], "maria@x.example").pop());
    let english = awaited("the letter", SOON, || letters(&[&service], "ana@x.example").pop());
    assert!(letter.head.contains("List-Unsubscribe-Post: List-Unsubscribe=One-Click"), "{}", letter.head);
    let offered = letter.header("List-Unsubscribe");
    assert!(offered.starts_with('<') && offered.ends_with(&format!("{stop}>")), "{offered}");
    assert!(letter.body.contains(&stop) && letter.body.contains("/fim-de-semana"), "{}", letter.body);
    assert!(letter.body.contains(">Ver o fim de semana inteiro</a>"), "{}", letter.body);
    assert!(letter.body.contains("<html lang=\"pt-BR\">") && english.body.contains("<html lang=\"en\">"));
    assert!(english.body.contains("/en/event/") && english.body.contains("/en/weekend"), "{}", english.body);
    assert!(!letter.body.contains("/en/"), "one language");
    // what is recommended comes first, though it is on Sunday
    assert!(letter.body.matches("/event/").count() >= 8, "{}", letter.body);
    let (text, _) = letter.body.split_once("<html").expect("both forms");
    let first = link(&letter, "/event/");
    let shown = page(address, &first);
    assert_eq!(shown.status, 200, "{first}");
    let [uau, friday, sunday] =
        ["\nUAU\n", "\nSexta, ", "\nDomingo"].map(|title| text.find(title).expect(title));
    assert!(uau < friday && text[uau..friday].contains("/event/axe-no-eixo"), "{text}");
    assert!(friday < sunday && text[sunday..].contains("choro-no-eixo"), "{text}");
    assert_eq!(text.matches("/event/axe-no-eixo").count(), 1, "{text}");
    // a session of Friday evening is in time
    assert!(text.contains("/event/matinee-and-evening") && !text.contains("/event/matinees"), "{text}");
    // what begins on Friday by day and is on all weekend is told with the days that are left of it
    for (id, told, told_english) in [
        ("fair-by-day", "sábado a domingo · 10h", "Saturday to Sunday · 10:00"),
        ("play", "sexta a domingo · 20h", "Friday to Sunday · 20:00"),
        ("sold-out-play", "Esgotado · sexta · 20h", "Sold out · Friday · 20:00"),
    ] {
        assert!(text.contains(&format!("\n{id}\n{told} ")), "{id}: {text}");
        assert!(english.body.contains(&format!("\n{id}\n{told_english} ")), "{id}: {}", english.body);
    }
    // the weekend of the site begins with the evening of Friday, as that of the letter does
    assert!(!letter.body.contains("/dia/") && !english.body.contains("/en/day/"), "{}", letter.body);
    for (path, friday) in
        [("/fim-de-semana", "Sexta à noite, 27 de novembro"), ("/en/weekend", "Friday evening")]
    {
        let text = page(address, path).text();
        let (friday, rest) =
            text.split_once(friday).and_then(|(_, rest)| rest.split_once("</section>")).expect(path);
        assert!(friday.contains("/event/play") && !friday.contains("/event/matinees"), "{path}: {friday}");
        assert!(
            rest.contains("id=\"d2026-11-28\"") && !text.contains("id=\"d2026-11-26\""),
            "{path}: {rest}"
        );
    }
    // nothing of the plans that are paid
    assert!(!letter.body.contains("Taguatinga"), "{}", letter.body);

    // once, whatever time passes
    for moment in ["2026-11-26T17:30:00-03:00", "2026-11-27T12:00:00-03:00", "2026-12-01T12:00:00-03:00"] {
        service.sets(at(moment));
        mailer_is_idle(service.ops());
        assert_eq!(service.mails().iter().filter(|mail| is_letter(mail)).count(), 2, "{moment}");
    }
    // one click, as a mail program sends it, from wherever it runs
    let stopped = submit(address, &stop, &[("origin", "https://mail.example")], "List-Unsubscribe=One-Click");
    assert_eq!(stopped.status, 200, "{}", stopped.text());
    assert_eq!(submit(address, &stop, &[], "").status, 200, "a repetition is no error");
    service.sets(at("2026-12-03T17:00:00-03:00"));
    awaited("the next letter", SOON, || (letters(&[&service], "ana@x.example").len() == 2).then_some(()));
    mailer_is_idle(service.ops());
    assert_eq!(letters(&[&service], "maria@x.example").len(), 1, "nothing after a stop");
    assert_eq!(letters(&[&service], "nobody@x.example").len(), 0);
    // the page behind the link in the letter, for who has no such program
    assert!(page(address, &stop_english).text().contains("method=\"post\""));
    assert_eq!(submit(address, &stop_english, &[], "").status, 200);
    // opened again, each link says that it is done
    let used = |path: &str| (page(address, path).status, page(address, path).text());
    let (status, text) = used(&stop_english);
    assert!(
        status == 200 && text.contains("The letter has stopped") && !text.contains("method=\"post\""),
        "{text}"
    );
    service.sets(at("2026-12-10T17:00:00-03:00"));
    mailer_is_idle(service.ops());
    assert_eq!(service.mails().iter().filter(|mail| is_letter(mail)).count(), 3);
}

#[test]
fn of_several_servers_one_sends_the_letter_and_a_restart_sends_none_again_and_loses_nobody() {
    let redis = RedisServer::start();
    let settings = [format!("store={}", redis.url()), "signup.per_ip_hour=1000".to_owned()];
    // Redis forgets by its own clock
    let today = Clock::machine().now();
    let start = |now: UnixMillis| {
        let mut service = Moved::start(&settings);
        service.sets(now);
        let app = service.app.as_ref().expect("running");
        app.block_on(app.serving.first());
        service
    };
    let (mut one, mut other) = (start(today), start(today));
    let readers: Vec<String> = (0..8).map(|number| format!("leitora{number}@x.example")).collect();
    let mut stops = Vec::new();
    for (number, reader) in readers.iter().enumerate() {
        let address = if number % 2 == 0 { one.address() } else { other.address() };
        stops.push(subscribed(&[&one, &other], address, "/sexta", reader));
    }
    let thursday = next_letter(today);
    one.sets(thursday);
    other.sets(thursday);
    awaited("all letters", SOON, || {
        readers.iter().all(|reader| !letters(&[&one, &other], reader).is_empty()).then_some(())
    });
    for service in [&one, &other] {
        mailer_is_idle(service.ops());
    }
    for reader in &readers {
        assert_eq!(letters(&[&one, &other], reader).len(), 1, "{reader}");
    }
    drop(one);
    // stopped at another server than the one that sends
    assert_eq!(submit(other.address(), &stops[0], &[], "List-Unsubscribe=One-Click").status, 200);
    let mut third = start(UnixMillis(thursday.0 + 60_000));
    mailer_is_idle(third.ops());
    assert!(third.mails().is_empty(), "a restart sends nothing again");
    drop(other);
    third.sets(next_letter(thursday));
    awaited("all letters but one", SOON, || {
        readers[1..].iter().all(|reader| letters(&[&third], reader).len() == 1).then_some(())
    });
    mailer_is_idle(third.ops());
    assert_eq!(third.mails().len(), 7, "and none to who has stopped");
}

#[test]
fn the_letter_of_an_area_is_about_it_and_one_that_is_a_day_late_is_left_out() {
    let mut service = on_wednesday();
    let address = service.address();
    let form = page(address, "/sexta?area=asa-norte").text();
    assert!(form.contains("<option value=\"asa-norte\" selected>Asa Norte"), "{form}");
    assert_eq!(submit(address, "/sexta", &[], "email=maria@x.example&area=asa-norte").status, 303);
    let mail = awaited("the mail that asks", SOON, || service.mails().pop());
    assert!(mail.body.contains("o fim de semana em Brasília (Asa Norte)"), "{}", mail.body);
    assert_eq!(submit(address, &link(&mail, "/sexta/confirm?r="), &[], "").status, 200);
    // nothing ran when it was due
    service.sets(at("2026-11-27T17:00:00-03:00"));
    mailer_is_idle(service.ops());
    assert_eq!(letters(&[&service], "maria@x.example").len(), 0);
    service.sets(at("2026-12-03T17:00:00-03:00"));
    let letter = awaited("the letter", SOON, || letters(&[&service], "maria@x.example").pop());
    assert!(letter.body.contains("Asa Norte"), "{}", letter.body);
    // but what is in both
    assert!(letter.body.contains("Asa Sul e Asa Norte"), "{}", letter.body);
    assert!(!letter.body.contains("· Asa Sul"), "{}", letter.body);
    assert!(letter.body.contains("sem horário no guia, confirme antes de ir"), "{}", letter.body);
    assert!(!letter.body.contains("por isso a carta"), "{}", letter.body);
    // nothing of the demo is recommended, and what has no hour may be on in the evening of Friday
    let weekend = "A página do fim de semana tem todos.";
    assert!(letter.body.contains(weekend) && !letter.body.contains("Os UAU"), "{}", letter.body);
    let whole = page_on(&service, "/fim-de-semana");
    let (text, _) = letter.body.split_once("<html").expect("both forms");
    let events = text.split("/event/").skip(1).filter_map(|rest| rest.split_whitespace().next());
    let events: Vec<&str> = events.collect();
    assert!(!events.is_empty(), "{text}");
    for event in events {
        assert!(whole.contains(&format!("/event/{event}\"")), "{event}: {whole}");
    }
}

#[test]
fn the_letter_of_an_area_with_next_to_nothing_says_so_and_begins_with_what_there_is() {
    let mut service = on_wednesday();
    let address = service.address();
    publish_demo_with(&service, |events| {
        events.push(json!({
            "id": "only-one", "name": "Sarau de bairro", "date": "2026-11-28", "start_time": "23:00",
            "category": "samba", "venue": "Clube", "neighbourhood": "Vila Planalto", "region": "Plano Piloto",
        }));
        events.push(json!({
            "id": "show-of-paintings", "name": "Mostra", "date": "2026-11-10", "end_date": "2027-01-10",
            "start_time": "10:00", "category": "exposicao", "venue": "Clube", "neighbourhood": "Vila Planalto",
            "region": "Plano Piloto",
        }));
    });
    let form = "email=maria@x.example&area=vila-planalto";
    assert_eq!(submit(address, "/sexta", &[], form).status, 303);
    let mail = awaited("the mail that asks", SOON, || service.mails().pop());
    assert_eq!(submit(address, &link(&mail, "/sexta/confirm?r="), &[], "").status, 200);
    service.sets(at("2026-11-26T17:00:00-03:00"));
    let letter = awaited("the letter", SOON, || letters(&[&service], "maria@x.example").pop());
    let (text, _) = letter.body.split_once("<html").expect("both forms");
    assert!(text.contains("Vila Planalto: poucos programas neste fim de semana"), "{text}");
    // what goes on for weeks is not said to end on Sunday
    assert!(text.contains("\nMostra\naté 10 jan 2027 · 10h · "), "{text}");
    let saturday = text.split("\nSábado, ").nth(1).expect("a Saturday");
    let first: Vec<&str> =
        saturday.split("/event/").skip(1).take(2).filter_map(|rest| rest.lines().next()).collect();
    assert_eq!(first, ["show-of-paintings", "only-one"], "{saturday}");
}

#[test]
fn a_known_address_gets_the_answer_of_an_unknown_one_and_its_links_tell_nothing() {
    let service = Service::start_with(&["signup.per_ip_hour=6", "trusted_proxies=127.0.0.1"]);
    let ask = |client: &str, email: &str| {
        submit(service.listen, "/sexta", &[("x-forwarded-for", client)], &format!("email={email}"))
    };
    let first = ask("203.0.113.1", "maria@x.example");
    assert_eq!((first.status, first.header("location")), (303, Some("/sexta/sent")));
    let mail = outbox(&service, "maria@x.example", 1).remove(0);
    assert!(confirms(&mail) && !is_letter(&mail), "{}", mail.body);
    assert!(!mail.head.contains("rdr_") && !service.log().contains("rdr_"), "{}", mail.head);
    assert!(!service.log().contains("maria@"));
    assert!(mail.body.contains(">Quero receber a carta</a>"), "{}", mail.body);
    // of two mails that differ in nothing else a mail program must not drop one
    ask("203.0.113.4", "maria@x.example");
    let both = outbox(&service, "maria@x.example", 2);
    assert_ne!(both[0].header("Message-ID"), both[1].header("Message-ID"));
    let confirm = link(&mail, "/sexta/confirm?r=");
    assert_eq!(submit(service.listen, &confirm, &[], "").status, 200);
    let again = ask("203.0.113.1", "maria@x.example");
    assert_eq!((again.status, again.header("location")), (303, Some("/sexta/sent")));
    crate::mail::mailer_is_idle(service.ops);
    assert_eq!(outbox(&service, "maria@x.example", 2).len(), 2, "who gets it is not asked again");
    assert_eq!(ask("203.0.113.1", "no address").status, 400);
    // a program that fills in what people do not see
    let program = submit(
        service.listen,
        "/sexta",
        &[("x-forwarded-for", "203.0.113.2")],
        "email=ana@x.example&website=http%3A%2F%2Fx.example",
    );
    assert_eq!((program.status, program.header("location")), (303, Some("/sexta/sent")));
    crate::mail::mailer_is_idle(service.ops);
    // a network, and an address, have limits
    let statuses: Vec<u16> =
        (0..8).map(|number| ask("203.0.113.3", &format!("a{number}@x.example")).status).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 400).count(), 2, "{statuses:?}");
    let flooded: Vec<u16> =
        (0..6).map(|number| ask(&format!("203.0.113.{}", 10 + number), "zoe@x.example").status).collect();
    assert!(flooded.contains(&400), "{flooded:?}");
    // links that nobody has got
    for path in ["/sexta/confirm?r=rdr_0000000000000000", "/sexta/confirm?r=x", "/sexta/confirm"] {
        assert_eq!(submit(service.listen, path, &[], "").status, 404, "{path}");
    }
    // only a page of this site confirms
    let foreign = submit(service.listen, &confirm, &[("sec-fetch-site", "cross-site")], "");
    assert_eq!(foreign.status, 403);
    let foreign = submit(service.listen, "/sexta", &[("origin", "https://x.example")], "email=b@x.example");
    assert_eq!(foreign.status, 403);
    let unknown = "/en/friday/stop?r=rdr_0000000000000000";
    for (path, status) in [
        ("/sexta", 200),
        ("/en/friday", 200),
        // a link that was used says so, and offers it no more
        (confirm.as_str(), 200),
        (unknown, 200),
        ("/en/friday/stop?r=x", 404),
        ("/sexta/confirm", 404),
        ("/sexta/stop?r=%22%3E%3Cb%3E", 404),
    ] {
        let answer = page(service.listen, path);
        assert_eq!((answer.status, answer.header("cache-control")), (status, Some("no-store")), "{path}");
        let has_form = status == 200 && !path.contains("?r=");
        assert_eq!(answer.text().contains("method=\"post\""), has_form, "{path}");
        assert_eq!(answer.header("x-frame-options"), Some("DENY"), "{path}");
        assert!(!answer.text().contains("\"><b>"), "{path}");
    }
    let closed = Service::start_with(&["mail=none"]);
    assert!(!page(closed.listen, "/sexta").text().contains("name=\"email\""));
    assert_eq!(submit(closed.listen, "/sexta", &[], "email=b@x.example").status, 503);
}

#[test]
fn the_erasure_of_an_account_stops_the_letter_and_an_older_backup_does_not_bring_it_back() {
    let service = Service::start();
    signed_up(&service, "maria@x.example");
    for email in ["maria@x.example", "ana@x.example"] {
        assert_eq!(submit(service.listen, "/sexta", &[], &format!("email={email}")).status, 303);
    }
    let confirm = |email: &str| {
        let mail =
            awaited("the mail that asks", SOON, || outbox(&service, email, 1).into_iter().find(confirms));
        let path = link(&mail, "/sexta/confirm?r=");
        assert_eq!(submit(service.listen, &path, &[], "").status, 200);
        path.replace("/confirm?", "/stop?")
    };
    let (own, stop) = (confirm("maria@x.example"), confirm("ana@x.example"));
    let exported = printed_json(&run(&service.data, &["account", "export", "--email", "maria@x.example"]), 0);
    let [reader] = exported["readers"].as_array().expect("readers").as_slice() else { panic!("{exported}") };
    assert_eq!(reader["email"], "maria@x.example");
    assert!(reader["confirmed_at"].is_string(), "{reader}");
    let (_, id) = own.split_once("r=").expect("an id");
    assert!(!exported.to_string().contains(id), "who has the id can stop the letter: {exported}");
    let backup = service.data.with_extension("zst");
    let backup = backup.to_str().expect("a path");
    printed(&run(&service.data, &["backup", backup]), 0);
    printed(&run(&service.data, &["account", "erase", "--email", "maria@x.example"]), 0);
    assert_eq!(submit(service.listen, &stop, &[], "").status, 200);
    let restored = service.data.with_file_name("restored");
    let journal = service.data.join("ended.jsonl");
    let journal = journal.to_str().expect("a path");
    printed(&run(&restored, &["restore", backup, "--journal", journal]), 0);
    for folder in [&service.data, &restored] {
        let copy = service.data.with_extension("check.zst");
        printed(&run(folder, &["backup", copy.to_str().expect("a path")]), 0);
        let bytes = zstd::decode_all(std::fs::File::open(&copy).expect("a file")).expect("a backup");
        let text = String::from_utf8_lossy(&bytes).into_owned();
        assert!(!text.contains("maria@x.example") && !text.contains("ana@x.example"), "{folder:?}");
        std::fs::remove_file(copy).expect("removed");
    }
}
