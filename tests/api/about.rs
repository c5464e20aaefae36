//! The pages about the guide and the service, suggestions of readers, and what is sent compressed.

use candango::domain::clock::Clock;
use serde_json::{Value, json};

use crate::mail::within_a_minute;
use crate::service::{Answer, Service, Shared, exchange, printed_json, request, run, shared};

const BROWSER: (&str, &str) = ("accept", "text/html");

fn get(service: &Service, path: &str, headers: &[(&str, &str)]) -> Answer {
    exchange(service.listen, &request("GET", path, headers, b""))
}

fn page(service: &Service, path: &str) -> String {
    let answer = get(service, path, &[BROWSER]);
    assert_eq!(answer.status, 200, "{path}: {}", answer.text());
    answer.text()
}

/// Submits a form, as a browser on the network of `client` does.
fn submit(service: &Service, path: &str, client: &str, body: &str) -> Answer {
    let kind = ("content-type", "application/x-www-form-urlencoded");
    exchange(service.listen, &request("POST", path, &[kind, ("x-forwarded-for", client)], body.as_bytes()))
}

fn suggestions(service: &Service, words: &[&str]) -> Vec<Value> {
    let listed = printed_json(&run(&service.data, &[&["suggestions", "list", "--json"], words].concat()), 0);
    listed.as_array().expect("a list").clone()
}

#[test]
fn the_page_about_the_guide_counts_what_the_edition_knows() {
    let (service, pro) = (&shared().service, &shared().pro);
    let text = page(service, "/sobre");
    assert!(!text.contains("<dd>0 de "), "what is known of no record is left out: {text}");
    let (mut all, mut with_address, mut search) = (0, 0, json!({"action": "search_places", "limit": 50}));
    loop {
        let found = service.good(pro, search.clone());
        let places = found["places"].as_array().expect("places");
        all += places.len();
        with_address += places.iter().filter(|place| place["address"].is_string()).count();
        match &found["next_cursor"] {
            Value::Null => break,
            cursor => search["cursor"] = cursor.clone(),
        }
    }
    assert!(
        text.contains(&format!("<dt>Endereço</dt><dd>{with_address} de {all}</dd>")),
        "{with_address} {all}"
    );
    assert!(page(service, "/en/about").contains(&format!("<dd>{with_address} of {all}</dd>")));
}

#[test]
fn every_page_leads_to_who_stands_behind_it() {
    let service = &shared().service;
    for (front, paths) in [
        ("/", ["/sobre", "/sugerir", "/contato", "/privacidade", "/termos"]),
        ("/en", ["/en/about", "/en/suggest", "/en/contact", "/en/privacy", "/en/terms"]),
    ] {
        let text = page(service, front);
        for path in paths {
            assert!(text.contains(&format!("href=\"{path}\"")), "{path}");
            let text = page(service, path);
            assert!(!text.contains('{') || path == "/sobre", "{path} has a value that is not filled in");
        }
    }
}

#[test]
fn what_is_kept_of_an_account_is_told_whole() {
    let service = &shared().service;
    for (path, told) in [
        ("/privacidade", ["avisos (webhook)", "vale 30 minutos", "Tokens de navegador"]),
        ("/en/privacy", ["address of the webhook", "works for 30 minutes", "Browser tokens"]),
    ] {
        let text = page(service, path);
        for told in told {
            assert!(text.contains(told), "{path} lacks {told}");
        }
    }
}

#[test]
fn security_txt_names_a_contact_and_ends_within_a_year() {
    let service = Service::start_with(&["contact_email=oi@guia.example"]);
    let answer = get(&service, "/.well-known/security.txt", &[]);
    assert_eq!(answer.header("content-type"), Some("text/plain; charset=utf-8"));
    let text = answer.text();
    let field = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        line.unwrap_or_else(|| panic!("{name} is in {text}")).to_owned()
    };
    assert_eq!(field("Contact"), "mailto:oi@guia.example");
    let expires = chrono::DateTime::parse_from_rfc3339(&field("Expires")).expect("a date");
    let days = (expires.date_naive() - Clock::machine().today().date()).num_days();
    assert!((150..365).contains(&days), "{days}");
    assert!(field("Canonical").ends_with("/.well-known/security.txt"));
    let contact = page(&service, "/contato");
    assert!(contact.contains("mailto:oi@guia.example") && contact.contains("security.txt"), "{contact}");
    assert!(contact.contains("escreva do e-mail da conta, com o número do pedido"), "{contact}");
    // without an address neither page leads to the other: both lead to the form
    let without = get(&shared().service, "/.well-known/security.txt", &[]).text();
    assert!(without.starts_with("Contact: http") && without.contains("/sugerir\nExpires"), "{without}");
    for (path, form) in [("/contato", "/sugerir"), ("/en/contact", "/en/suggest")] {
        let text = page(&shared().service, path);
        let main = text.split("<main").nth(1).and_then(|rest| rest.split("</main>").next()).expect("a page");
        assert!(!main.contains("security.txt") && main.contains(form), "{main}");
        // what can be done about a payment and an account too
        assert_eq!(main.matches(&format!("href=\"{form}\"")).count(), 5, "{main}");
    }
}

#[test]
fn a_suggestion_reaches_the_curator_until_it_is_done() {
    let service = Service::start_with(&["trusted_proxies=127.0.0.1"]);
    let record = page(&service, "/place/memorial-jk");
    assert!(record.contains("href=\"/sugerir?about=/place/memorial-jk\""));
    let form = page(&service, "/sugerir?about=/place/memorial-jk");
    assert!(form.contains("name=\"about\" value=\"/place/memorial-jk\""));
    assert!(form.contains("Sobre a página <a href=\"/place/memorial-jk\">Memorial JK</a>"), "{form}");
    assert!(!page(&service, "/sugerir?about=%22%3E%3Cb%3E").contains("value=\"&quot;"));
    let body = "text=Fecha+%C3%A0s+segundas&contact=maria%40x.example&about=%2Fplace%2Fmemorial-jk&website=";
    let sent = submit(&service, "/en/suggest", "203.0.113.7", body);
    let next = "/en/suggest/sent?about=/place/memorial-jk";
    assert_eq!((sent.status, sent.header("location")), (303, Some(next)));
    let thanks = page(&service, next);
    assert!(thanks.contains("<a href=\"/en/place/memorial-jk\">Memorial JK</a>"), "it leads back: {thanks}");
    for none in ["/sugerir/sent", "/sugerir/sent?about=/place/none", "/sugerir/sent?about=%22%3E%3Cb%3E"] {
        let thanks = page(&service, none);
        let main =
            thanks.split("<main").nth(1).and_then(|rest| rest.split("</main>").next()).expect("a page");
        assert!(!main.contains("/place/") && !main.contains("<b>"), "{none}: {main}");
    }
    let listed = suggestions(&service, &[]);
    assert_eq!(listed.len(), 1, "{listed:?}");
    let (text, about, contact) = (&listed[0]["text"], &listed[0]["about"], &listed[0]["contact"]);
    assert_eq!((text, about), (&json!("Fecha às segundas"), &json!("/place/memorial-jk")));
    assert_eq!(contact, "maria@x.example");
    let id = listed[0]["id"].as_str().expect("an id");
    printed_json(&run(&service.data, &["suggestions", "done", id, "--json"]), 0);
    assert!(suggestions(&service, &[]).is_empty(), "what is done is not listed");
    let all = suggestions(&service, &["--all"]);
    assert!(all[0]["done_at"].is_string() && all[0].get("contact").is_none(), "{all:?}");
    let unknown = run(&service.data, &["suggestions", "done", "sug_nothing"]);
    assert!(!unknown.status.success());
}

#[test]
fn suggestions_are_bounded_and_those_of_programs_are_not_kept() {
    let service = Service::start_with(&["trusted_proxies=127.0.0.1"]);
    let program = submit(&service, "/sugerir", "203.0.113.1", "text=buy+now&website=http%3A%2F%2Fx.example");
    assert_eq!((program.status, program.header("location")), (303, Some("/sugerir/sent")));
    assert!(suggestions(&service, &[]).is_empty());
    for (body, words) in [
        ("text=++", "Escreva a sugestão."),
        (&*format!("text={}", "a".repeat(1_001)), "cabem 1000 caracteres"),
        (&*format!("text=a&contact={}", "b".repeat(121)), "cabem 120 caracteres"),
    ] {
        let answer = submit(&service, "/sugerir", "203.0.113.2", body);
        assert_eq!(answer.status, 400, "{words}");
        assert!(answer.text().contains(words) && answer.text().contains("aria-invalid=\"true\""), "{words}");
        assert_eq!(
            answer.text().matches(" autofocus").count(),
            1,
            "{words}: the first wrong field has the focus"
        );
    }
    // a line break is sent as two characters, and counts as one in the form; other scripts take nine bytes a character
    for body in [
        format!("text={}%0D%0A{}", "a".repeat(500), "b".repeat(499)),
        format!("text={}", "%E6%9C%89".repeat(1_000)),
    ] {
        assert_eq!(submit(&service, "/sugerir", "203.0.113.5", &body).status, 303);
    }
    for number in 0..3 {
        let body = format!("text=sugestao+{number}");
        assert_eq!(submit(&service, "/sugerir", "203.0.113.3", &body).status, 303, "{number}");
    }
    let fourth = submit(&service, "/sugerir", "203.0.113.3", "text=mais+uma");
    assert_eq!(fourth.status, 429);
    assert!(fourth.header("retry-after").is_some() && fourth.text().contains("mais uma"), "the text is kept");
    // many people share the network of a mobile phone
    assert!(fourth.text().contains("Muitas pessoas podem usar a mesma rede"), "{}", fourth.text());
    assert_eq!(submit(&service, "/sugerir", "203.0.113.4", "text=outra+rede").status, 303);
    assert_eq!(suggestions(&service, &[]).len(), 6);
    let foreign = [("content-type", "application/x-www-form-urlencoded"), ("sec-fetch-site", "cross-site")];
    let foreign = exchange(service.listen, &request("POST", "/sugerir", &foreign, b"text=x"));
    assert_eq!(foreign.status, 403);
}

#[test]
fn a_reader_is_not_blamed_for_the_suggestions_of_all() {
    let service = Service::start_with(&["trusted_proxies=127.0.0.1"]);
    for number in 0..300 {
        let client = format!("203.0.{}.{}", 100 + number / 100, 1 + number % 100);
        assert_eq!(submit(&service, "/sugerir", &client, "text=bom+dia").status, 303, "{number}");
    }
    let refused = submit(&service, "/sugerir", "198.51.100.1", "text=mais+uma");
    assert_eq!(refused.status, 429);
    assert!(refused.text().contains("de todos os leitores"), "{}", refused.text());
    let refused = submit(&service, "/en/suggest", "198.51.100.1", "text=another");
    assert!(refused.text().contains("from all readers"), "{}", refused.text());
}

#[test]
fn the_order_form_tells_all_mistakes_at_once() {
    let service = &shared().service;
    let body = "plan=nothing&key=cdg_live_wrong&tax_id=123&method=cash";
    // a request that a proxy forwarded gets no sandbox
    let kind = [("content-type", "application/x-www-form-urlencoded")];
    let answer = exchange(service.listen, &request("POST", "/plans", &kind, body.as_bytes()));
    let text = answer.text();
    for field in ["key", "tax_id", "method", "plan"] {
        assert!(text.contains(&format!("id=\"{field}-no\"")), "{field}: {text}");
    }
    assert_eq!(text.matches(" autofocus").count(), 1, "the first wrong field alone has the focus");
}

#[test]
fn documents_made_once_are_compressed_for_clients_that_take_it() {
    let service = &shared().service;
    let style = page(service, "/")
        .split("href=\"/assets/style.css")
        .nth(1)
        .map(|rest| format!("/assets/style.css{}", rest.split('"').next().unwrap_or_default()));
    let style = style.expect("a style sheet");
    let documents = ["/openapi.json", "/llms.txt", "/positions.json"];
    for path in ["/", "/en", "/plans", &style, "/sitemap.xml", "/sobre"].into_iter().chain(documents) {
        let plain = get(service, path, &[]);
        assert_eq!((plain.status, plain.header("content-encoding")), (200, None), "{path}");
        let mut tags = vec![plain.header("etag").expect("a tag").to_owned()];
        for (accepted, coding) in [("gzip, deflate, br", "br"), ("gzip", "gzip")] {
            let answer = get(service, path, &[("accept-encoding", accepted)]);
            assert_eq!(answer.header("content-encoding"), Some(coding), "{path}");
            assert!(answer.header("vary").is_some_and(|vary| vary.contains("accept-encoding")), "{path}");
            assert!(
                answer.body.len() * 2 < plain.body.len(),
                "{path}: {} {}",
                answer.body.len(),
                plain.body.len()
            );
            let tag = answer.header("etag").expect("a tag").to_owned();
            let again = get(service, path, &[("accept-encoding", accepted), ("if-none-match", &tag)]);
            assert_eq!((again.status, again.body.len()), (304, 0), "{path}");
            tags.push(tag);
        }
        tags.sort();
        tags.dedup();
        assert_eq!(tags.len(), 3, "{path}: each encoding has its own tag");
    }
    let accepted = ("accept-encoding", "gzip, br");
    for path in ["/v1/plans", "/favicon.ico", "/?q=museu", "/robots.txt"] {
        assert_eq!(get(service, path, &[accepted]).header("content-encoding"), None, "{path}");
    }
    let body = json!({"action": "summary"}).to_string();
    let headers = [("x-api-key", &*shared().pro), ("content-type", "application/json"), accepted];
    let answer = exchange(service.listen, &request("POST", "/v1", &headers, body.as_bytes()));
    assert_eq!((answer.status, answer.header("content-encoding"), answer.header("vary")), (200, None, None));
}

#[test]
fn a_question_to_the_preview_is_answered_and_shown_as_code() {
    let service = Service::start_with(&["preview.per_minute=1", "trusted_proxies=127.0.0.1"]);
    let asked = [BROWSER, ("x-forwarded-for", "203.0.113.20")];
    assert_eq!(get(&service, "/docs/try", &asked).status, 200, "the form alone is no search");
    let answer = get(&service, "/docs/try?q=museu+%22x%22&kind=places", &asked);
    let text = answer.text();
    assert_eq!(answer.status, 200, "{text}");
    for part in [
        "\"places\": [",
        "x-api-key: $CANDANGO_KEY",
        "requests.get(",
        "URLSearchParams",
        "tools/call",
        "search_places",
    ] {
        assert!(text.contains(part), "{part}");
    }
    assert!(text.contains("museu \\\"x\\\""), "the question is quoted");
    // a page of the site, and no call of an agent
    assert_eq!(
        service.counted(r#"candango_requests_total{path="/",action="search_places",status="2xx"}"#),
        1
    );
    assert_eq!(
        service.counted(r#"candango_requests_total{path="/mcp",action="search_places",status="2xx"}"#),
        0
    );
    // the minute may end between two questions, but hardly twice
    let mut answers = (0..3).map(|_| get(&service, "/docs/try?q=jazz", &asked));
    let limited = answers.find(|answer| answer.status == 429).expect("a limit");
    assert!(limited.header("retry-after").is_some());
    assert_eq!(
        get(&service, "/?q=jazz", &asked).status,
        200,
        "searches on the site have limits of their own"
    );
}

#[test]
fn the_code_beside_an_answer_asks_what_the_answer_answers() {
    let Shared { service, free, .. } = shared();
    for (kind, question) in [("events", "feira"), ("places", "museu")] {
        let text = get(service, &format!("/docs/try?q={question}&kind={kind}"), &[BROWSER]).text();
        let shown = text.split("curl -s '").nth(1).and_then(|rest| rest.split('\'').next());
        let address = shown.expect("an address").replace("&amp;", "&");
        let path = address.find("/v1/").map(|at| &address[at..]).expect("a path");
        let answer = get(service, path, &[("x-api-key", free)]).json();
        let records = answer[kind].as_array().expect("records");
        assert!(!records.is_empty() && text.contains(&format!("\"count\": {},", records.len())), "{path}");
        for record in records {
            let id = record["id"].as_str().expect("an id");
            assert!(text.contains(&format!("\"id\": \"{id}\"")), "{path}: {id}");
        }
    }
}

#[test]
fn the_first_steps_show_a_request_and_its_own_answer() {
    let Shared { service, pro, free } = shared();
    for path in ["/docs", "/en/docs"] {
        let text = page(service, path).replace("&amp;", "&");
        let address = text.split("/v1/events?").nth(1).and_then(|rest| rest.split('\'').next());
        let sent = format!("/v1/events?{}", address.expect("an address"));
        let answer = get(service, &sent, &[("x-api-key", pro)]).json();
        let to_free = get(service, &sent, &[("x-api-key", free)]).json();
        let shown = text
            .split_once("\"action\": \"search_events\"")
            .map(|(before, _)| before.rfind('{').map(|at| &text[at..]));
        let shown = shown.flatten().expect("an answer");
        let shown: Value = serde_json::Deserializer::from_str(shown)
            .into_iter::<Value>()
            .next()
            .expect("an answer")
            .expect("JSON");
        // who reads them has just got a free key
        assert_eq!(
            (&shown["plan"], &shown["attribution"]),
            (&to_free["plan"], &to_free["attribution"]),
            "{path}"
        );
        let fields = |answer: &Value| {
            let event = answer["events"][0].as_object().expect("an event").clone();
            event.into_iter().map(|(field, _)| field).collect::<Vec<String>>()
        };
        assert!(!fields(&shown).iter().any(|field| field == "address" || field == "location"), "{shown}");
        // the days are those of the example
        for part in ["category", "region", "text", "quadra"] {
            assert_eq!(shown["interpreted"][part], answer["interpreted"][part], "{path} {sent}");
        }
        let listed = shown["events"].as_array().expect("events").len();
        assert!(
            shown["count"] == listed && sent.contains(&format!("limit={listed}")),
            "{path} {sent}: {shown}"
        );
    }
}

#[test]
fn the_first_steps_wait_only_for_the_next_minute() {
    let service = &shared().service;
    for path in ["/docs", "/en/docs"] {
        let text = page(service, path);
        assert_eq!(text.matches("rate_limited").count(), 3, "{path}: one in each language");
        assert!(!text.contains("--retry") && !text.contains("== 429"), "{path}");
    }
}

#[test]
fn the_status_page_tells_what_works() {
    let service = &shared().service;
    let summary = service.good(&shared().pro, json!({"action": "summary"}));
    let answer = get(service, "/status", &[BROWSER]);
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let text = answer.text();
    assert!(text.contains("Tudo funciona."), "{text}");
    assert!(text.contains(summary["snapshot"]["name"].as_str().expect("a name")));
}

#[test]
fn each_action_has_a_page_with_its_request_and_its_answer() {
    let service = &shared().service;
    let overview = page(service, "/api/post-v1");
    for action in ["search_events", "search_places", "get_place", "summary", "usage"] {
        let path = format!("/api/post-v1-{}", action.replace('_', "-"));
        assert!(overview.contains(&format!("href=\"{path}\"")), "{path}");
        let text = page(service, &path);
        assert!(text.contains(&format!("<h1><code>{action}</code></h1>")) && text.len() < 60_000, "{path}");
        let anchors: Vec<&str> =
            text.split("href=\"#").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        for anchor in anchors {
            assert!(text.contains(&format!("id=\"{anchor}\"")), "{path} links to {anchor}");
        }
    }
    assert!(overview.len() < 60_000, "{}", overview.len());
    let errors = page(service, "/docs/errors");
    assert!(errors.contains("invalid_key") && errors.contains("quota_exceeded"));
    assert!(!errors.contains("foreign_form"), "forms are no part of the API");
    let changes = page(service, "/changelog");
    assert!(changes.contains("<h2>1.3.0") && !changes.contains("href=\"snapshots/"));
    assert!(changes.contains("href=\"/changelog.atom\"") && changes.len() < 72_000, "{}", changes.len());
    assert!(!changes.contains("must look at before the next start"), "what is for operators is in the file");
}

#[test]
fn a_star_for_a_tag_neither_makes_a_page_nor_spares_a_search() {
    let (any, text) = (("if-none-match", "*"), BROWSER);
    let (limited, answers) = within_a_minute(|| {
        let limited = Service::start_with(&["site_searches.per_minute=2"]);
        let answers =
            ["/?q=bar", "/?q=museu", "/?q=feira"].map(|path| get(&limited, path, &[text, any]).status);
        (limited, answers)
    });
    assert_eq!(answers, [304, 304, 429], "each is a search");
    for path in [
        "/area/nope",
        "/en/area/nope",
        "/categoria/nope",
        "/area/asa-norte/nope",
        "/dia/2026-13-45",
        "/place/nope",
        "/area/nope.ics",
    ] {
        assert_eq!(get(&limited, path, &[text, any]).status, 404, "{path}");
    }
    for path in ["/area/asa-norte", "/place/memorial-jk", "/agenda.ics", "/completar?q=mu", "/docs"] {
        let known = get(&limited, path, &[text, any]);
        assert_eq!((known.status, known.body.len()), (304, 0), "{path}");
    }
}

#[test]
fn a_page_that_is_asked_for_again_is_compressed_and_revalidates_in_each_form() {
    let service = Service::start();
    let accepted = ("accept-encoding", "br");
    for path in ["/place/memorial-jk", "/area/asa-norte", "/event/choro-no-eixo", "/en/area/asa-norte"] {
        let first = get(&service, path, &[accepted]);
        assert_eq!((first.status, first.header("content-encoding")), (200, None), "{path}");
        assert_eq!(first.header("vary"), Some("accept-encoding"), "{path}");
        let again = get(&service, path, &[accepted]);
        assert_eq!((again.status, again.header("content-encoding")), (200, Some("br")), "{path}");
        assert!(again.body.len() * 2 < first.body.len(), "{path}");
        let plain = get(&service, path, &[]);
        assert_eq!(plain.body, first.body, "{path}");
        for tag in [first.header("etag"), again.header("etag")] {
            let known = get(&service, path, &[accepted, ("if-none-match", tag.expect("a tag"))]);
            assert_eq!((known.status, known.body.len(), known.header("etag")), (304, 0, tag), "{path}");
        }
    }
}

#[test]
fn one_of_a_kind_is_told_in_the_singular_and_a_million_as_the_language_has_it() {
    let service = crate::v1::full_guide();
    for (path, told) in [
        ("/sobre", "1 lugar e 1 data de evento<"),
        ("/en/about", "1 place and 1 date of an event<"),
        ("/plans", "<b>1.000.000</b> de consultas por mês"),
        ("/plans", "</b> consultas por mês"),
        ("/en/plans", "<b>1,000,000</b> calls per month"),
    ] {
        let text = page(&service, path);
        assert!(text.contains(told), "{path}: {told}");
    }
}
