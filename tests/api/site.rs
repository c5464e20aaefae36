//! The site over HTTP: what it shows and hides, how it is cached, and who may submit its forms. `tests/browser` tests
//! it in a browser.

use std::collections::HashSet;

use serde_json::{Value, json};

use crate::mail::{outbox, within_a_minute};
use crate::service::{Answer, Service, demo_copy, edit, exchange, printed, request, run, shared};

const BROWSER: (&str, &str) = ("accept", "text/html,application/xhtml+xml");

fn send(service: &Service, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
    exchange(service.listen, &request(method, path, headers, body.as_bytes()))
}

fn page(service: &Service, path: &str) -> Answer {
    send(service, "GET", path, &[BROWSER], "")
}

fn get_ok(service: &Service, path: &str) -> String {
    let answer = page(service, path);
    assert_eq!(answer.status, 200, "{path}: {}", answer.text());
    answer.text()
}

/// Submits a form, with more headers.
fn form(service: &Service, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
    let kind = ("content-type", "application/x-www-form-urlencoded");
    send(service, "POST", path, &[headers, &[kind]].concat(), body)
}

/// Every text between two markers.
fn between<'t>(text: &'t str, from: &str, to: &str) -> Vec<&'t str> {
    text.split(from).skip(1).filter_map(|rest| Some(rest.split_once(to)?.0)).collect()
}

fn json_ld(page: &str) -> Value {
    let blocks = between(page, "<script type=\"application/ld+json\">", "</script>");
    let mut blocks = blocks.iter().map(|block| serde_json::from_str::<Value>(block).expect("JSON"));
    let record = blocks.next().expect("a block");
    assert!(blocks.all(|block| block["@type"] == "BreadcrumbList"), "and the pages above it");
    record
}

#[test]
fn programs_that_show_links_may_fetch_their_pictures() {
    let service = &shared().service;
    let robots = get_ok(service, "/robots.txt");
    let allowed: Vec<&str> = robots.lines().filter_map(|line| line.strip_prefix("Allow: ")).collect();
    for path in ["/", "/en", "/event/choro-no-eixo", "/en/place/memorial-jk"] {
        let text = get_ok(service, path);
        let picture = between(&text, "<meta property=\"og:image\" content=\"", "\"")[0];
        let picture = picture.split_once("//").and_then(|(_, rest)| rest.find('/').map(|at| &rest[at..]));
        let picture = picture.expect("an address");
        assert!(allowed.iter().any(|start| picture.starts_with(start)), "{picture}: {robots}");
    }
}

#[test]
fn what_may_be_asked_is_of_this_edition() {
    let service = &shared().service;
    for (front, prefix) in [("/", ""), ("/en", "/en")] {
        let text = get_ok(service, front);
        let question = between(&text, "name=\"q\" type=\"search\"", ">")[0];
        let question = between(question, "placeholder=\"", "\"")[0];
        assert!(!question.is_empty());
        let steps = get_ok(service, &format!("{prefix}/docs"));
        let asked: String = url::form_urlencoded::byte_serialize(question.as_bytes()).collect();
        assert!(steps.contains(&format!("href=\"{prefix}/docs/try?q={asked}\"")), "{asked}");
        assert!(
            get_ok(service, &format!("{prefix}/docs/try")).contains(&format!("placeholder=\"{question}\""))
        );
        assert!(get_ok(service, &format!("{prefix}/agents")).contains(&format!("“{question}”")));
        assert!(text.contains("maxlength=\"400\""), "as long as the service takes");
    }
}

#[test]
fn titles_end_with_the_service_and_say_what_an_area_lists() {
    let service = &shared().service;
    let title = |path: &str| {
        let text = get_ok(service, path);
        between(&text, "<title>", "</title>")[0].to_owned()
    };
    assert_eq!(title("/"), "O que há em Brasília · Candango");
    assert_eq!(title("/area/asa-norte"), "Asa Norte: lugares e eventos · Candango");
    assert_eq!(title("/en/area/asa-norte"), "Asa Norte: places and events · Candango");
    assert!(
        title("/categoria/museu").starts_with("Museu em Brasília: lugares"),
        "{}",
        title("/categoria/museu")
    );
    assert!(title("/en/category/museu").starts_with("Museum in Brasília: places"));
}

#[test]
fn security_headers_restrict_every_page() {
    let service = &shared().service;
    for path in
        ["/", "/en", "/?q=samba", "/place/memorial-jk", "/plans", "/en/signup", "/agents", "/api", "/no"]
    {
        let answer = page(service, path);
        let header = |name: &str| answer.header(name).unwrap_or_default().to_owned();
        let policy = header("content-security-policy");
        assert!(
            policy.starts_with("default-src 'none'; style-src 'self'; script-src 'self'"),
            "{path}: {policy}"
        );
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(header("content-type"), "text/html; charset=utf-8", "{path}");
        assert_eq!(header("x-content-type-options"), "nosniff");
        assert_eq!(header("referrer-policy"), "same-origin");
        assert_eq!(header("x-frame-options"), "DENY");
        assert_eq!(answer.header("strict-transport-security"), None, "the base URL is not https");
        let text = answer.text();
        assert!(
            !text.contains(" style=\"") && !text.contains("<style") && !text.contains(" onclick"),
            "{path}"
        );
        assert!(text.len() < 60_000, "{path}: {}", text.len());
    }
    let secure = Service::start_with(&["base_url=https://guia.example", "payments=none", "mail=none"]);
    let answer = page(&secure, "/plans");
    assert_eq!(answer.header("strict-transport-security"), Some("max-age=31536000"));
    assert!(answer.text().contains("https://guia.example/en/plans"));
    assert!(!answer.text().contains("method=\"post\""), "plans that are not open have no form");
}

#[test]
fn the_path_alone_chooses_the_language_of_the_site() {
    let service = &shared().service;
    let front = send(service, "GET", "/", &[BROWSER, ("accept-language", "en-US")], "").text();
    assert!(front.contains("<html lang=\"pt-BR\">"));
    let base = format!("http://{}", service.listen);
    for (path, lang) in [("/plans", "pt-BR"), ("/en/plans", "en")] {
        let text = get_ok(service, path);
        assert!(text.contains(&format!("<html lang=\"{lang}\">")));
        assert!(text.contains(&format!("<link rel=\"canonical\" href=\"{base}{path}\">")));
        for (lang, other) in [("pt-BR", "/plans"), ("en", "/en/plans"), ("x-default", "/plans")] {
            assert!(text.contains(&format!("hreflang=\"{lang}\" href=\"{base}{other}\"")), "{lang}");
        }
        assert!(text.contains("<meta property=\"og:image\"") && text.contains("name=\"twitter:card\""));
    }
    assert!(get_ok(service, "/?q=samba").contains("name=\"robots\" content=\"noindex\""));
}

#[test]
fn an_unknown_path_is_a_page_for_browsers_and_json_for_programs() {
    let service = &shared().service;
    let missing = page(service, "/en/nothing");
    assert_eq!((missing.status, missing.header("content-type")), (404, Some("text/html; charset=utf-8")));
    assert!(missing.text().contains("Nothing at this address") && missing.text().contains("role=\"search\""));
    for (path, meant) in [
        ("/hoje/", "/hoje"),
        ("/Area/Asa-Norte?page=1", "/area/asa-norte?page=1"),
        ("/today", "/en/today"),
        ("/en/hoje", "/en/today"),
        ("/HOJE", "/hoje"),
        ("/EN", "/en"),
        ("/area/asa%20norte?x=1", "/area/asa-norte?x=1"),
        ("/category?x=1", "/en/category?x=1"),
        ("/en/agenda/2026-12", "/en/calendar/2026-12"),
        ("/dia", "/hoje"),
        ("/account", "/en/account"),
        ("/event", "/hoje"),
        ("/en/place?x=1", "/en?kind=places"),
        ("/weekend", "/en/weekend"),
        ("/en/sexta", "/en/friday"),
        ("//evil.example/hoje/", "/evil.example/hoje"),
    ] {
        let answer = page(service, path);
        assert_eq!((answer.status, answer.header("location")), (308, Some(meant)), "{path}");
        for header in ["x-request-id", "content-security-policy", "x-content-type-options"] {
            assert!(answer.header(header).is_some(), "{path}: {header}");
        }
        assert_eq!(answer.header("cache-control"), Some("max-age=86400"), "{path}");
    }
    // a slash at the end is no other page for programs either
    for (path, meant) in [("/hoje/", "/hoje"), ("/en/plans/?plan=pro", "/en/plans?plan=pro")] {
        for method in ["GET", "HEAD"] {
            let answer = send(service, method, path, &[], "");
            assert_eq!((answer.status, answer.header("location")), (308, Some(meant)), "{method} {path}");
        }
        assert_eq!(send(service, "POST", path, &[], "").status, 404, "{path}");
    }
    for (path, headers) in [
        ("/nothing", &[][..]),
        ("/Hoje", &[]),
        ("//evil.example/", &[]),
        ("/v1/nothing", &[BROWSER]),
        ("/mcp/nothing", &[BROWSER]),
        ("/v1/", &[BROWSER]),
    ] {
        let answer = send(service, "GET", path, headers, "");
        assert_eq!((answer.status, answer.json()["code"].clone()), (404, json!("not_found")), "{path}");
    }
    // what is no text has the page too, and programs their JSON
    for (path, said) in [
        ("/area/%ff", "Nada neste endereço"),
        ("/place/%E0%A4", "Nada neste endereço"),
        ("/%ff", "Nada neste endereço"),
        ("/en/event/a%2Fb%ff%00", "Nothing at this address"),
    ] {
        let answer = page(service, path);
        assert_eq!((answer.status, answer.text().contains(said)), (404, true), "{path}: {}", answer.text());
        assert_eq!(send(service, "GET", path, &[], "").json()["code"], "not_found", "{path}");
    }
    for path in ["/v1/places/%ff", "/mcp/%ff"] {
        assert_eq!(page(service, path).json()["code"], "not_found", "{path}");
    }
}

#[test]
fn a_chosen_plan_is_not_kept_for_who_signs_in_and_no_day_for_a_list_of_places() {
    let service = &shared().service;
    let kept = |path: &str| page(service, path).header("cache-control").map(str::to_owned);
    for path in ["/plans?plan=pro", "/en/plans?plan=gringo"] {
        assert_eq!(kept(path).as_deref(), Some("private, no-cache"), "{path}");
    }
    assert_eq!(kept("/plans").as_deref(), Some("public, max-age=60"));
    let places = get_ok(service, "/?kind=places&when=today&q=bar");
    let line = between(&places, "<details class=\"refine\"><summary>", "</summary>")[0];
    assert!(!line.contains("hoje") && !places.contains("value=\"today\" selected"), "{line}");
}

#[test]
fn a_wrong_search_tells_each_of_its_mistakes() {
    let service = &shared().service;
    for (path, told) in [
        (
            "/?q=bar&region=foo&category=zzz&when=2026-13-45",
            ["Não conhecemos esse bairro", "Não conhecemos essa categoria", "Não conhecemos esse dia"],
        ),
        (
            "/en?q=bar&region=foo&category=zzz&when=2026-13-45",
            ["We do not know that area", "We do not know that category", "We do not know that day"],
        ),
    ] {
        let answer = page(service, path);
        let text = answer.text();
        assert_eq!((answer.status, text.matches("aria-invalid=\"true\"").count()), (400, 3), "{text}");
        for told in told {
            assert_eq!(text.matches(told).count(), 1, "{told}: {text}");
        }
        // neither a choice of the form nor the heading
        let main = text.split("<main").nth(1).expect("a page");
        assert!(!main.contains("2026-13-45"), "{main}");
    }
    // an area of the paid plans is no mistake beside one
    let one = page(service, "/?region=Taguatinga&category=zzz").text();
    assert_eq!(one.matches("aria-invalid=\"true\"").count(), 1, "{one}");
}

#[test]
fn a_search_page_says_of_each_list_what_is_true_of_it() {
    let service = &shared().service;
    let main = |path: &str| {
        let text = get_ok(service, path);
        text.split("<main").nth(1).and_then(|rest| rest.split("</main>").next()).expect("a page").to_owned()
    };
    let list = |text: &str, id: &str| {
        let list = text.split(&format!("id=\"{id}\"")).nth(1)?;
        list.split("</section>").next().map(str::to_owned)
    };
    // a day of the form keeps the places, which have none, as one that is typed does
    for path in ["/?q=bar&region=Asa+Norte&when=today", "/?q=bar+asa+norte+hoje"] {
        let places = list(&main(path), "places").unwrap_or_else(|| panic!("{path} has no places"));
        assert!(places.contains("não tem dias nem horários de lugares"), "{path}: {places}");
    }
    // when alone asks for events
    let when = main("/?q=o+que+fazer+hoje");
    assert!(list(&when, "events").is_some() && list(&when, "places").is_none(), "{when}");
    assert!(when.contains("href=\"/hoje\">Tudo desse dia"), "{when}");
    // what one list let go the other may have
    let both = main("/?q=teatro+infantil");
    for (id, left_out) in [("events", "teatro"), ("places", "infantil")] {
        let list = list(&both, id).unwrap_or_else(|| panic!("no {id}"));
        assert!(list.contains(&format!("sem contar “<s>{left_out}</s>”")), "{id}: {list}");
    }
    // in the words of the visitor
    assert!(main("/?q=Barato+neste+fim+de+semana").contains("O guia não informa: “<b>Barato</b>”."));
    let several = main("/?q=show+de+gra%C3%A7a+com+wifi");
    assert!(several.contains("O guia não informa: o que é de graça e “<b>wifi</b>”."), "{several}");
    assert!(main("/?q=Farm%C3%A1cia").contains("e não “Farmácia”"));
    let nothing = main("/?q=asdfghjkl");
    assert!(
        nothing.contains("Nada encontrado para “asdfghjkl”.") && nothing.contains("href=\"/sugerir\""),
        "{nothing}"
    );
}

#[test]
fn a_search_says_what_it_understood_and_what_it_let_go() {
    let service = &shared().service;
    let main = |path: &str| {
        let text = get_ok(service, path);
        text.split("<main").nth(1).and_then(|rest| rest.split("</main>").next()).expect("a page").to_owned()
    };
    let read = |main: &str| {
        let read = main.split_once("class=\"reading\"").and_then(|(_, rest)| rest.split_once("</summary>"));
        read.map_or_else(String::new, |(read, _)| read.to_owned())
    };
    // a block, and that no event is said to be in it
    for (path, block, note) in [
        ("/?q=408+norte", "<b>quadra 408</b>", "O guia não mostra nada nessa quadra"),
        ("/?q=CLN+408", "<b>quadra 408</b>", "O guia não mostra nada nessa quadra"),
        ("/en?q=408+norte", "<b>block 408</b>", "The guide shows nothing in that block"),
    ] {
        let main = main(path);
        assert!(read(&main).contains(block), "{path}: {main}");
        let events = main.split("id=\"events\"").nth(1).and_then(|rest| rest.split("</section>").next());
        assert!(events.is_some_and(|events| events.contains(note)), "{path}: {main}");
        assert_eq!(main.matches(note).count(), 1, "{path}: places are in it: {main}");
    }
    // the zoo is in an area of its own, which the site does not show
    assert!(main("/?q=zoologico").contains("O site mostra só o Plano Piloto"));
    // a day without such events, which places do not have
    let monday = main("/?q=museu+aberto+na+segunda");
    assert!(monday.contains("O guia não tem eventos assim nesse dia."), "{monday}");
    assert_eq!(read(&monday).matches("<b>").count(), 2, "the category and the day: {monday}");
    assert!(main("/?q=museu+na+segunda+e+na+ter%C3%A7a").contains("eventos assim nesses dias."));
    // all that was asked is not known, or is no word
    for (path, said) in [
        ("/?q=metro", "O guia não informa: “<b>metro</b>”. Abaixo está tudo o que o guia mostra."),
        ("/?q=com+estacionamento", "O guia não informa: “<b>com estacionamento</b>”. Abaixo"),
        ("/?q=de+gra%C3%A7a", "O guia não informa: o que é de graça. Abaixo"),
        ("/?q=%3F%3F%3F!!", "Não entendi “???!!”. Abaixo está tudo o que o guia mostra."),
        ("/en?q=%3F%3F%3F!!", "“???!!” was not understood. Below is all that the guide shows."),
    ] {
        let main = main(path);
        assert!(main.contains(&format!("role=\"status\">{said}")), "{path}: {main}");
        assert!(!main.contains(" resultados"), "{path}");
        assert_eq!(main.matches("O guia não informa").count(), said.matches("O guia não informa").count());
    }
    for path in ["/?q=metro&region=Asa+Norte", "/?q=metro+hoje", "/?q=o+que+fazer"] {
        assert!(main(path).contains(" resultados"), "{path} asks for something that is known");
    }
}

#[test]
fn a_place_and_its_events_lead_to_each_other_and_plans_promise_what_is_known() {
    let Shared { service, pro } = &Shared::of();
    let place = get_ok(service, "/place/feitico-das-artes");
    let here = place.split("id=\"here\"").nth(1).and_then(|rest| rest.split("</section>").next());
    let here = here.expect("events");
    assert!(
        here.contains("/event/samba-do-feitico-das-artes")
            && here.contains("/event/choro-do-feitico-das-artes"),
        "{here}"
    );
    let event = get_ok(service, "/event/samba-do-feitico-das-artes");
    assert!(event.contains("href=\"/place/feitico-das-artes\""), "the venue is a link");
    let more = event.split("id=\"here\"").nth(1).and_then(|rest| rest.split("</section>").next());
    let more = more.expect("the other events");
    assert!(
        more.contains("/event/choro-do-feitico-das-artes") && !more.contains("/event/samba-do-feitico"),
        "{more}"
    );
    for (path, known) in
        [("/plans", "href=\"/sobre#coverage\""), ("/en/plans", "href=\"/en/about#coverage\"")]
    {
        let plans = get_ok(service, path);
        assert!(plans.contains(known), "{path} leads to how much is known: {plans}");
        let results = get_ok(service, if path == "/plans" { "/?q=bar" } else { "/en?q=bar" });
        assert!(results.contains(known), "{path}");
    }
    let shared = event.split("https://wa.me/?text=").nth(1).expect("a message");
    assert!(shared.starts_with("Samba+do+Feiti%C3%A7o"), "the category is not said twice: {shared}");
    for id in ["memorial-jk", "beirute-asa-norte"] {
        let known = service.good(pro, json!({"action": "get_place", "id": id}))["place"].clone();
        let told = get_ok(service, &format!("/place/{id}"));
        let told = told.split("<aside class=\"preview\"").nth(1).unwrap_or_default();
        let told = told.split("</aside>").next().unwrap_or_default().to_lowercase();
        for (field, name) in [("address", "endereço"), ("description", "descrição"), ("links", "links")] {
            assert_eq!(told.contains(name), known.get(field).is_some(), "{id}: {field}: {told}");
        }
    }
}

#[test]
fn pages_show_what_the_free_plan_sees_and_nothing_else() {
    let Shared { service, pro } = &Shared::of();
    // in the free area: all fields of the basic view and none of the full view
    let place = service.good(pro, json!({"action": "get_place", "id": "memorial-jk"}))["place"].clone();
    let text = get_ok(service, "/place/memorial-jk");
    for shown in ["name", "neighbourhood", "region"] {
        assert!(text.contains(place[shown].as_str().expect("text")), "{shown}");
    }
    assert!(place["address"].is_string() && place["links"]["google_maps"].is_string());
    assert!(!text.contains("Lado Oeste") && !text.contains("query=-"), "a paid field is shown");
    let thing = json_ld(&text);
    assert_eq!((&thing["@type"], &thing["name"]), (&json!("Museum"), &json!("Memorial JK")));
    assert!(thing.get("offers").is_none(), "{thing}");
    assert!(
        text.contains(&format!("name=\"description\" content={}", thing["description"])),
        "that of the page"
    );
    assert!(
        thing["image"].as_str().is_some_and(|image| image.ends_with("/card/place/memorial-jk.png")),
        "{thing}"
    );

    // outside it a record is as unknown as one that does not exist
    let outside = service.good(pro, json!({"action": "search_places", "region": "Guará", "limit": 1}));
    let id = outside["places"][0]["id"].as_str().expect("an id");
    let (hidden, unknown) = (page(service, &format!("/place/{id}")), page(service, "/place/never-was"));
    assert_eq!((hidden.status, unknown.status), (404, 404));
    assert_eq!(hidden.text(), unknown.text());
    assert!(!get_ok(service, &format!("/?kind=places&q={id}")).contains(&format!("/place/{id}\"")));
    for wild in ["%ff", "a%00b", "%22%3E%3Cb%3E", &"a".repeat(500)] {
        let answer = page(service, &format!("/place/{wild}"));
        assert!([400, 404].contains(&answer.status), "{wild}: {}", answer.status);
    }
}

/// The shared server, and a key that sees every field.
struct Shared {
    service: &'static Service,
    pro: &'static str,
}

impl Shared {
    fn of() -> Shared {
        let shared = shared();
        Shared { service: &shared.service, pro: &shared.pro }
    }
}

#[test]
fn a_search_counts_against_the_limits_of_the_preview() {
    let service = &shared().service;
    for path in ["/?q=bar", "/?kind=places", "/?kind=events", "/en?region=Asa+Norte", "/?category=museu"] {
        let text = get_ok(service, path);
        let shown = between(&text, "<h3><a href=\"", "\"");
        assert!((6..=24).contains(&shown.len()), "{path}: {shown:?}");
        assert!(text.contains("role=\"status\"") && text.contains("class=\"credit\""), "{path}");
    }
    let text = get_ok(service, "/?q=%3Cb%3E%22%27&region=Asa+Norte");
    assert!(!text.contains("<b>\""), "the search became markup");
    assert!(text.contains("value=\"&lt;b&gt;&quot;'\""));
    let refused = page(service, "/?region=%3Cscript%3E");
    assert_eq!(refused.status, 400);
    assert!(refused.text().contains("role=\"alert\"") && !refused.text().contains("<script>"));
    assert_eq!(refused.header("cache-control"), Some("no-store"));
    assert_eq!(page(service, "/?when=2026-02-31").status, 400);

    let (limited, [first, second, spent]) = within_a_minute(|| {
        let limited = Service::start_with(&["site_searches.per_minute=2"]);
        let answers = ["/?q=bar", "/?q=bar&kind=places", "/en?q=bar"].map(|path| page(&limited, path));
        (limited, answers)
    });
    let tag = first.header("etag").expect("a tag");
    assert_eq!((second.status, spent.status), (200, 429));
    assert!(spent.header("retry-after").is_some() && spent.text().contains("Search again in"));
    let again = send(&limited, "GET", "/?q=bar", &[BROWSER, ("if-none-match", tag)], "");
    assert_eq!((again.status, again.body.len()), (304, 0), "a client that has the page makes no search");
    for free in ["/", "/place/memorial-jk", "/sitemap.xml"] {
        assert_eq!(page(&limited, free).status, 200, "{free}");
    }
}

#[test]
fn what_only_other_regions_may_have_is_told_with_the_regions_that_the_site_shows() {
    let service = &shared().service;
    let page = get_ok(service, "/en?q=botanical+garden");
    assert!(page.contains("The site shows Plano Piloto only"), "{page}");
    // a view, though a region has that name too
    let page = get_ok(service, "/?q=p%C3%B4r+do+sol");
    assert!(page.contains("/place/praca-do-cruzeiro"), "{page}");
    assert!(!page.contains("Os planos pagos abrem") && !page.contains("Sol Nascente"), "{page}");
}

#[test]
fn a_region_of_paid_plans_is_said_to_be_one_however_it_is_asked_for() {
    let service = &shared().service;
    for (one, other, said) in [
        ("/?q=taguatinga", "/?region=Taguatinga", "Os planos pagos abrem as outras regiões do DF pela API"),
        (
            "/en?q=taguatinga",
            "/en?region=Taguatinga",
            "Paid plans open the other regions of the Federal District through the API",
        ),
        ("/?q=feira+taguatinga", "/?q=feira+perto+de+taguatinga", "é o mesmo para todos"),
        ("/en?q=fair+taguatinga", "/en?q=fair+near+taguatinga", "is the same for everybody"),
    ] {
        let notice = |path: &str| {
            let page = get_ok(service, path);
            assert!(!page.contains("<h3><a") && !page.contains("Nada encontrado"), "{path}");
            between(&page, "role=\"status\">", "</p>")[0].to_owned()
        };
        assert!(notice(one).contains(said), "{one}");
        assert_eq!(notice(one), notice(other));
    }
}

#[test]
fn a_search_is_folded_into_one_line() {
    let service = &shared().service;
    let text = get_ok(service, "/?q=choro&region=Asa+Norte&kind=events&when=weekend");
    let line = between(&text, "<details class=\"refine\"><summary>", "</summary>")[0];
    assert_eq!(
        line,
        "<span>eventos · Asa Norte · fim de semana</span> · <span class=\"reading\">Entendi: <b>Choro</b></span>: \
         <span class=\"change\">mudar</span>"
    );
    assert_eq!(between(&text, "<main", "</main>")[0].matches("“choro”").count(), 1, "the text is said once");
    let wrong = page(service, "/?region=nowhere+at+all").text();
    assert!(wrong.contains("<details class=\"refine\" open>"), "a wrong field is shown");
}

/// What the free plan finds in a search.
fn free(service: &Service, search: &Value) -> Value {
    service.good(&shared().free, search.clone())
}

#[test]
fn a_search_shows_what_the_free_plan_finds() {
    let service = &shared().service;
    let escaped = |text: &Value| {
        let text = text.as_str().expect("text").replace('&', "&amp;").replace('<', "&lt;");
        text.replace('>', "&gt;").replace('"', "&quot;")
    };
    let filters: [&[(&str, &str)]; 4] =
        [&[], &[("region", "Asa Sul")], &[("category", "bar")], &[("region", "SQN"), ("category", "museu")]];
    let mut most_shown = [0, 0];
    for (q, names_days) in [
        ("samba", false),
        ("smaba na sexta", true),
        ("bar asa norte", false),
        ("boteco 408 norte", false),
        ("museu hoje", true),
        ("Beirute", false),
        ("xyzzyq", false),
        ("restaurnte japones", false),
        ("teatro & d'ança", false),
        ("a", false),
        ("choro amanhã", true),
        ("bibliotca", false),
        ("carnaval", true),
        ("", false),
    ] {
        for filters in filters {
            let fields: Vec<(&str, &str)> =
                [("q", q)].iter().chain(filters).filter(|(_, text)| !text.is_empty()).copied().collect();
            if fields.is_empty() {
                // an empty search is the front page
                continue;
            }
            let query = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(&fields).finish();
            for (at, kind) in ["events", "places"].into_iter().enumerate() {
                let mut search: Value =
                    fields.iter().map(|(name, text)| ((*name).to_owned(), json!(text))).collect();
                search["action"] = json!(format!("search_{kind}"));
                // a page of events has room for those of today that have begun
                search["limit"] = json!(if kind == "events" { 50 } else { 24 });
                if kind == "events" {
                    search["group"] = json!("series");
                    if !names_days {
                        search["from"] = json!("today");
                        search["to"] = json!("2035-12-31");
                    }
                }
                let answer = free(service, &search);
                let path = kind.trim_end_matches('s');
                let link = |record: &Value| {
                    let id = record["id"].as_str().expect("an id");
                    format!("/{path}/{id}\">{}", escaped(&record["name"]))
                };
                // nothing is found: what else is on then
                let list = if answer["total"] == 0 && answer["more"].is_array() { "more" } else { kind };
                let mut listed: Vec<String> =
                    answer[list].as_array().expect("a list").iter().map(link).collect();
                let first = listed.iter().take(24).cloned().collect::<HashSet<String>>();
                // and so it is where the listed ones are on other days than those that the search names
                if kind == "events" && answer["interpreted"]["widened"]["from"].is_string() {
                    listed.extend(answer["more"].as_array().into_iter().flatten().map(link));
                }
                let page = get_ok(service, &format!("/?kind={kind}&{query}"));
                let next_day = page.find("<p class=\"note\">O próximo dia").unwrap_or(page.len());
                let shown = between(&page[..next_day], "<h3><a href=\"", "</a>");
                if kind == "events" {
                    // what has begun today comes last
                    let shown: HashSet<String> = shown.into_iter().map(str::to_owned).collect();
                    let listed: HashSet<String> = listed.iter().cloned().collect();
                    assert!(first.is_subset(&shown), "{query}: {first:?} {shown:?}");
                    assert!(shown.len() > 50 || shown.is_subset(&listed), "{query}: {shown:?} {listed:?}");
                } else {
                    assert_eq!(shown, listed, "{kind} {query}");
                }
                let total = between(&page, "class=\"total\">", " ").first().copied().unwrap_or("0");
                let total: u32 = total.replace('.', "").parse().expect("a number");
                assert_eq!(json!(total), answer["total"], "{kind} {query}");
                // what the form says stands in the heading or before what was understood of the text, and what a code
                // means in the link beside the count
                let read = page.split_once("<main").map_or("", |(_, rest)| rest);
                let (above, below) = read.split_once("role=\"status\"").unwrap_or((read, ""));
                let beside = below.split_once("</p>").map_or("", |(beside, _)| beside);
                let read = format!("{above}{beside}");
                let is_shown = |list: &str, name: &str| {
                    let values = answer["interpreted"][list].as_array().cloned().unwrap_or_default();
                    // of a category that was named the wider one, in which it is searched, is not shown
                    let is_named =
                        list == "category" && q.starts_with("boteco") && read.contains("<b>Boteco</b>");
                    values.iter().take(3).all(|one| is_named || read.contains(&escaped(&one[name])))
                };
                assert!(
                    is_shown("region", "name") && is_shown("category", "pt") && is_shown("corrected", "to"),
                    "{query}"
                );
                most_shown[at] = most_shown[at].max(listed.len());
            }
        }
    }
    assert!(most_shown[0] > 2 && most_shown[1] == 24, "{most_shown:?}");
}

#[test]
fn the_pages_of_a_search_list_everything_once() {
    let service = &shared().service;
    let mut next = "/?kind=places&q=asa+norte".to_owned();
    let (mut listed, mut pages) = (Vec::new(), 0);
    loop {
        let text = get_ok(service, &next);
        listed.extend(between(&text, "<h3><a href=\"", "\"").into_iter().map(str::to_owned));
        pages += 1;
        let total = between(&text, "class=\"total\">", " ")[0].parse::<usize>().expect("a number");
        let first = "<a href=\"/?q=asa+norte&amp;kind=places\">Primeira página</a>";
        let of_all = format!("Página {pages} de {}", total.div_ceil(24));
        assert_eq!((text.contains(first), text.contains(&of_all)), (pages > 1, pages > 1), "{next}");
        match between(&text, "<a rel=\"next\" href=\"", "\"").first() {
            Some(link) => next = link.replace("&amp;", "&"),
            None => break assert_eq!((listed.len(), pages), (total, total.div_ceil(24))),
        }
    }
    let all = listed.len();
    listed.sort_unstable();
    listed.dedup();
    assert!(listed.len() == all && pages > 2, "{pages}");
    assert_eq!(page(service, "/?kind=places&q=a&cursor=wrong").status, 400);
}

#[test]
fn pages_are_cached_until_the_next_publish() {
    let service = Service::start();
    let paths = [
        "/",
        "/en",
        "/?q=museu",
        "/place/memorial-jk",
        "/sitemap.xml",
        "/fim-de-semana",
        "/area/asa-norte",
        "/area/asa-norte?page=2",
        "/categoria/museu",
        "/event/choro-no-eixo",
    ];
    let tags = || -> Vec<String> {
        let answers = paths.iter().map(|path| page(&service, path));
        answers.map(|answer| answer.header("etag").expect("a tag").to_owned()).collect()
    };
    // pages that say what has begun are made anew every ten minutes
    let (before, same, kept) = within_a_minute(|| {
        let (before, same) = (tags(), tags());
        let kept = paths.iter().zip(&before).map(|(path, tag)| {
            let again = send(&service, "GET", path, &[BROWSER, ("if-none-match", tag)], "");
            (*path, again.status, again.body.len())
        });
        let kept: Vec<_> = kept.collect();
        (before, same, kept)
    });
    assert_eq!(before.iter().collect::<HashSet<_>>().len(), paths.len(), "each page has its own");
    assert_eq!(same, before);
    for (path, status, length) in kept {
        assert_eq!((status, length), (304, 0), "{path}");
        assert_eq!(page(&service, path).header("cache-control"), Some("public, max-age=60"));
    }
    let folder = service.data.parent().expect("a folder above").join("guide");
    demo_copy(&folder);
    edit(&folder, "places.json", |places| {
        let place = places.iter_mut().find(|place| place["id"] == "memorial-jk").expect("it is there");
        place["name"] = json!("Memorial </script><b>");
        place["price"] = json!("R$ 10");
    });
    printed(&run(&service.data, &["snapshot", "publish", folder.to_str().expect("text")]), 0);
    service.serves(1);
    let after = tags();
    for ((path, before), after) in paths.iter().zip(&before).zip(&after) {
        assert_ne!(before, after, "{path}");
    }
    let text = get_ok(&service, "/place/memorial-jk");
    assert!(text.contains("<h1>Memorial &lt;/script&gt;&lt;b&gt;</h1>"));
    assert_eq!(json_ld(&text)["name"], "Memorial </script><b>");
}

#[test]
fn every_listed_page_exists() {
    let Shared { service, pro } = Shared::of();
    let sitemap = get_ok(service, "/sitemap.xml");
    let base = format!("http://{}", service.listen);
    let listed: Vec<&str> = between(&sitemap, "<loc>", "</loc>");
    let unique: HashSet<&&str> = listed.iter().collect();
    assert_eq!(unique.len(), listed.len());
    assert!(listed.len() <= 50_000);
    let summary = service.good(&shared().free, json!({"action": "summary"}));
    let count = |path: &str| listed.iter().filter(|address| address.contains(path)).count();
    assert_eq!(json!(count("/place/")), json!(2 * summary["counts"]["places"].as_u64().expect("a count")));
    // a series is listed once, not each of its dates
    assert_eq!(count("/event/choro-no-eixo"), 2);
    assert!(count("/event/") > 20 && listed.len() < 1_500, "{}", listed.len());
    assert!(listed.contains(&&*format!("{base}/area/asa-norte/cafe")));
    assert!(listed.contains(&&*format!("{base}/en/category/jazz")));
    let changed = between(&sitemap, "<lastmod>", "</lastmod>");
    assert_eq!(changed.len(), listed.len() - 28, "all but the pages that do not change with the guide");
    assert!(changed.iter().all(|day| *day == "2026-11-21T00:00:00-03:00"), "{}", changed[0]);
    assert!(get_ok(service, "/robots.txt").contains(&format!("Sitemap: {base}/sitemap.xml")));
    for url in &listed {
        let path = url.strip_prefix(&base).expect("an address of ours");
        let text = get_ok(service, path);
        assert!(text.contains(&format!("<link rel=\"canonical\" href=\"{url}\">")), "{url}");
        if path.contains("/place/") || path.contains("/event/") {
            assert!(json_ld(&text)["name"].is_string(), "{url}");
        }
    }
    let outside = service.good(pro, json!({"action": "search_places", "region": "Guará", "limit": 50}));
    for place in outside["places"].as_array().expect("places") {
        let id = place["id"].as_str().expect("an id");
        assert!(!sitemap.contains(&format!("/place/{id}<")), "{id}");
    }
    assert_eq!(page(service, "/sitemap/1.xml").status, 404);
}

#[test]
fn who_opens_the_address_of_a_form_again_is_led_to_its_page() {
    let service = Service::start();
    for (path, account) in [
        ("/conta/entrar", "/conta"),
        ("/conta/sair", "/conta"),
        ("/en/account/sign-in", "/en/account"),
        ("/en/account/sign-out", "/en/account"),
    ] {
        let answer = page(&service, path);
        assert_eq!((answer.status, answer.header("location")), (303, Some(account)), "{path}");
    }
    // nobody asked for a code just now
    for (path, claim, title) in [
        ("/conta/codigo", "vai um código", "<h1>Entre com o código</h1>"),
        ("/en/account/code", "on its way", "<h1>Sign in with the code</h1>"),
    ] {
        let text = page(&service, path).text();
        assert!(text.contains(title) && !text.contains(claim), "{text}");
    }
}

#[test]
fn forms_from_other_origins_are_rejected() {
    let service = Service::start();
    let own = format!("http://{}", service.listen);
    for foreign in [
        &[("origin", "https://evil.example")][..],
        &[("origin", "null")],
        &[("sec-fetch-site", "cross-site")],
        &[("sec-fetch-site", "same-site"), ("origin", &own)],
    ] {
        for path in ["/signup", "/en/plans"] {
            let answer = form(&service, path, foreign, "email=a%40x.example");
            assert_eq!(
                (answer.status, answer.json()["code"].clone()),
                (403, json!("foreign_form")),
                "{foreign:?}"
            );
        }
        // people get a page in their language
        let shown = [foreign, &[("accept", "text/html")]].concat();
        for (path, sentence) in [
            ("/signup", "Ele veio de outro endereço"),
            ("/sexta", "Ele veio de outro endereço"),
            ("/conta/entrar", "Ele veio de outro endereço"),
            ("/en/friday", "It came from another address"),
            ("/en/account/sign-in", "It came from another address"),
        ] {
            let answer = form(&service, path, &shown, "email=a%40x.example");
            assert_eq!(answer.status, 403, "{path}");
            assert!(answer.text().contains(sentence), "{path}: {}", answer.text());
        }
    }
    let host = ("origin", "http://localhost");
    let accepted = form(&service, "/en/signup", &[host], "email=ana%40x.example&name=Ana&use_case=agenda");
    assert_eq!(
        (accepted.status, accepted.header("location")),
        (303, Some("/en/signup/sent")),
        "{}",
        accepted.text()
    );
    let key = outbox(&service, "ana@x.example", 1)[0].key().expect("a key");
    let wrong = form(&service, "/signup", &[("sec-fetch-site", "same-origin")], "email=ana&name=%3Cb%3E");
    assert_eq!((wrong.status, wrong.header("cache-control")), (400, Some("no-store")));
    let text = wrong.text();
    assert!(
        text.contains("aria-invalid=\"true\"")
            && text.contains("id=\"email-no\"")
            && text.contains("autofocus")
    );
    assert!(text.contains("value=\"&lt;b&gt;\""));

    let order = |key: &str, tax_id: &str| {
        let body = format!("plan=pro&method=PIX&key={key}&tax_id={tax_id}");
        form(&service, "/plans", &[("sec-fetch-site", "same-origin")], &body)
    };
    let paying = order(&key, "529.982.247-25");
    assert_eq!(paying.status, 303, "{}", paying.text());
    assert!(paying.header("location").expect("an address").starts_with(&format!("{own}/sandbox/")));
    let refused = order(&key, "123");
    assert_eq!(refused.status, 400);
    assert!(refused.text().contains("id=\"tax_id-no\"") && !refused.text().contains(&key));
    assert!(refused.text().contains("Cole a chave outra vez"), "{}", refused.text());
    let repeated = order(&key, "111.111.111-11");
    assert_eq!(repeated.status, 400);
    assert!(repeated.text().contains("Digite de novo todos os dígitos"), "{}", repeated.text());
    let unknown = order("cdg_live_nobody", "52998224725");
    assert_eq!(unknown.status, 401);
    assert!(unknown.text().contains("id=\"key-no\"") && !unknown.text().contains("cdg_live_nobody"));
    let long = form(&service, "/signup", &[], &"a".repeat(20_000));
    assert_eq!(long.status, 413);
    assert_eq!(form(&service, "/", &[], "").status, 405);
}

#[test]
fn cors_allows_the_configured_origins() {
    let service = Service::start_with(&["allowed_origins=https://app.example"]);
    let key = service.key("pro");
    let allowed = |answer: &Answer| answer.header("access-control-allow-origin").map(str::to_owned);
    let body = json!({"action": "summary"}).to_string();
    let ask = |origin: &[(&str, &str)]| {
        let headers = [origin, &[("x-api-key", &key), ("content-type", "application/json")]].concat();
        send(&service, "POST", "/v1", &headers, &body)
    };
    assert_eq!(allowed(&ask(&[])), None);
    assert_eq!(ask(&[]).header("vary"), None);
    let answer = ask(&[("origin", "https://app.example")]);
    assert_eq!((answer.status, allowed(&answer).as_deref()), (200, Some("https://app.example")));
    assert_eq!(answer.header("vary"), Some("origin"));
    assert!(answer.header("access-control-expose-headers").expect("headers").contains("ratelimit"));
    assert_eq!(allowed(&ask(&[("origin", "https://evil.example")])), None);
    for path in ["/v1", "/v1/signup", "/v1/billing/checkout", "/v1/keys/rotate", "/v1/plans"] {
        let preflight = |origin: &str| {
            let headers = [("origin", origin), ("access-control-request-method", "POST")];
            send(&service, "OPTIONS", path, &headers, "")
        };
        let ours = preflight("https://app.example");
        assert_eq!((ours.status, allowed(&ours).as_deref()), (204, Some("https://app.example")), "{path}");
        assert!(ours.header("access-control-allow-headers").expect("headers").contains("x-api-key"));
        assert_eq!(allowed(&preflight("https://evil.example")), None, "{path}");
    }
    let status = send(
        &service,
        "POST",
        "/v1/billing/status",
        &[("origin", "http://localhost:3000"), ("x-api-key", &key)],
        "",
    );
    assert_eq!((status.status, allowed(&status).as_deref()), (200, Some("http://localhost:3000")));
    for open in ["/v1/plans", "/robots.txt", "/sitemap.xml", "/favicon.svg"] {
        assert_eq!(allowed(&page(&service, open)).as_deref(), Some("*"), "{open}");
    }
}

#[test]
fn assets_are_cached_by_their_version() {
    let service = &shared().service;
    let text = get_ok(service, "/");
    for (from, kind) in [
        ("href=\"/assets/style.css", "text/css; charset=utf-8"),
        ("src=\"/assets/site.js", "text/javascript; charset=utf-8"),
    ] {
        let query = between(&text, from, "\"")[0];
        let path = format!("{}{query}", from.split_once('"').expect("a path").1);
        let answer = page(service, &path);
        assert_eq!((answer.status, answer.header("content-type")), (200, Some(kind)), "{path}");
        assert_eq!(answer.header("cache-control"), Some("public, max-age=31536000, immutable"));
    }
    for (path, begins) in
        [("/favicon.ico", &b"\0\0\x01\0"[..]), ("/favicon.svg", b"<svg"), ("/card.png", b"\x89PNG")]
    {
        let answer = page(service, path);
        assert!(
            answer.status == 200 && answer.body.starts_with(begins) && answer.body.len() < 60_000,
            "{path}"
        );
    }
}

#[test]
fn the_sandbox_page_speaks_the_preferred_language() {
    let service = &shared().service;
    let key = service.key("free");
    let order = json!({"plan": "pro", "tax_id": "52998224725", "method": "PIX"}).to_string();
    let headers = [("x-api-key", &*key), ("content-type", "application/json")];
    let checkout = send(service, "POST", "/v1/billing/checkout", &headers, &order).json();
    let path = format!("/sandbox/{}", checkout["checkout_id"].as_str().expect("an order"));
    for (query, accepted, lang) in [
        ("", "en;q=0.3, pt-BR;q=0.8", "pt-BR"),
        ("", "pt;q=0.3, en-GB;q=0.8", "en"),
        ("", "french", "pt-BR"),
        ("?lang=en", "pt", "en"),
        ("?lang=french", "pt", "pt-BR"),
        ("?lang=french", "en", "en"),
    ] {
        let page =
            send(service, "GET", &format!("{path}{query}"), &[BROWSER, ("accept-language", accepted)], "");
        assert!(page.text().contains(&format!("<html lang=\"{lang}\">")), "{query} {accepted}");
    }
}

#[test]
fn what_is_being_typed_leads_to_pages_that_exist_and_shows_nothing_of_other_plans() {
    let service = &shared().service;
    let links = |path: &str| -> Vec<String> {
        let text = get_ok(service, path);
        between(&text, "href=\"", "\"").into_iter().map(str::to_owned).collect()
    };
    for (typed, page) in [
        ("cine", "/categoria/cinema"),
        ("asa+n", "/area/asa-norte"),
        ("memorial", "/place/memorial-jk"),
        ("choro", "/event/choro-no-eixo"),
        ("PARQUE+OLHOS+D%27%C3%81", "/place/parque-olhos-d-agua"),
    ] {
        for (path, page) in [
            (format!("/completar?q={typed}"), page.to_owned()),
            (format!("/en/complete?q={typed}"), format!("/en{}", page.replace("categoria", "category"))),
        ] {
            let links = links(&path);
            assert!(links.contains(&page), "{path}: {links:?}");
            assert!((1..=12).contains(&links.len()), "{path}: {links:?}");
            links.iter().for_each(|link| drop(get_ok(service, link)));
        }
    }
    // each series once, and nothing of a region that only paid plans show
    let of_fairs = links("/completar?q=feira");
    assert_eq!(of_fairs.iter().collect::<HashSet<_>>().len(), of_fairs.len());
    for hidden in ["taguatinga", "planaltina", "xyzzy", "%20", ""] {
        let answer = page(service, &format!("/completar?q={hidden}"));
        assert_eq!((answer.status, answer.text().as_str()), (200, ""), "{hidden}");
    }
    let script = page(service, "/completar?q=%3Cscript%3E").text();
    assert!(!script.contains("script"), "{script}");
    let long = "a".repeat(5_000);
    assert_eq!(page(service, &format!("/completar?q={long}")).body.len(), 0);
}
