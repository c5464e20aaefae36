//! The site: the guide for people, in Portuguese at `/` and in English at `/en`. This file routes its pages, which need
//! neither scripts nor any other host.
//!
//! `guide` `share` `service` `developers` `account` are pages by what they are for, `data` is what they show of a
//! snapshot, `layout` what they are made of, and `texts` their words. `guide_pages` and `state` are the responses;
//! `page_cache`, `recent_pages` and `static_pages` keep what is rendered.

mod account;
mod assets;
mod cards;
mod data;
mod developers;
mod guide;
mod guide_pages;
mod layout;
mod page_cache;
mod recent_pages;
mod service;
mod share;
mod state;
mod static_pages;
pub(super) mod texts;

use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::routing::{MethodRouter, get};
use hyper::header::{CACHE_CONTROL, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Method, Request, Response};

use crate::domain::error::ApiError;
use crate::domain::records::Records;
use crate::domain::suggestion::record_path;
use crate::http::accept::names_html;
use crate::http::language::Language;
use crate::http::response::{DocumentBody, open};
use crate::http::{body, error_response, only};
use data::period::Period;
use developers::{agents, docs};
use guide::{agenda, directory_page, listing, map_page, results};
use layout::components::NoPage;
use layout::form_fields::{Submitted, query_field};
use layout::paths::localized;
pub use page_cache::PageKeeper;
pub use service::service_pages::StoreHealth;
use service::{about, changelog, plans, sandbox};
use share::feeds::FeedFormat;
use share::letter::Link;
use state::CountedWithAction;
pub use state::{Site, SiteParts};
use static_pages::PAGES;

/// The routes of all pages in each language, of their assets, and the page for every other path.
pub fn routes(site: Arc<Site>) -> Router {
    let mut router = Router::new();
    for language in Language::ALL {
        router = router.merge(pages(language));
    }
    router = router
        .route("/sandbox/{order}", only("GET, HEAD, POST", get(sandbox::show).post(sandbox::press)))
        .route("/.well-known/security.txt", only("GET, HEAD", get(security)))
        .route("/robots.txt", only("GET, HEAD", get(robots)))
        .route("/sitemap.xml", only("GET, HEAD", get(sitemap)))
        .route("/sitemap/{file}", only("GET, HEAD", get(sitemap_file)))
        .fallback(not_found)
        .layer(from_fn_with_state(site.clone(), count));
    // a page that loads them is counted once
    for asset in assets::ALL {
        let body = asset.body();
        let serve = async move |request: Request<Body>| asset.serve(body, &request);
        router = router.route(asset.path, only("GET, HEAD", get(serve)));
    }
    router.with_state(site)
}

/// Counts what runs no action; an action counts its answer by itself.
async fn count(State(site): State<Arc<Site>>, request: Request<Body>, next: Next) -> Response<Body> {
    let began = Instant::now();
    let response = next.run(request).await;
    if response.extensions().get::<CountedWithAction>().is_none() {
        site.dispatcher.counters.count_page(response.status().as_u16(), began);
    }
    response
}

fn pages(language: Language) -> Router<Arc<Site>> {
    let mut router = Router::new();
    if language == Language::English {
        // people add the slash
        router = router.route("/en/", front(language));
    }
    router
        .route(&localized(language, "/"), front(language))
        .merge(account::routes(language))
        .merge(record_pages(language))
        .merge(agenda_pages(language))
        .merge(list_pages(language))
        .merge(pictures_and_frames(language))
        .merge(forms(language))
        .merge(documents(language))
}

fn front(language: Language) -> MethodRouter<Arc<Site>> {
    let front = async move |State(site): State<Arc<Site>>, head: Parts| site.front(language, &head);
    only("GET, HEAD", get(front))
}

/// Places, events and series.
fn record_pages(language: Language) -> Router<Arc<Site>> {
    let record = |records: Records| {
        let serve =
            async move |State(site): State<Arc<Site>>, Path(id): Path<String>, request: Request<Body>| {
                match FeedFormat::of(&id) {
                    Some((id, FeedFormat::Calendar)) if records == Records::Events => {
                        site.event_calendar(language, id, &request)
                    }
                    _ => site.record(language, records, &id, &request),
                }
            };
        only("GET, HEAD", get(serve))
    };
    Router::new()
        .route(&localized(language, "/place/{id}"), record(Records::Places))
        .route(&localized(language, "/event/{id}"), record(Records::Events))
}

/// What is on by day and month, and its calendar and feed.
fn agenda_pages(language: Language) -> Router<Arc<Site>> {
    let at = |path: &str| localized(language, path);
    let days = |period: Period| {
        let serve = async move |State(site): State<Arc<Site>>, request: Request<Body>| {
            let is_timed = matches!(period, Period::Today | Period::Weekend);
            let area = query_field(request.uri(), "area").unwrap_or_default();
            site.list_page(language, &request, is_timed, |show, page| {
                agenda::page(agenda::in_area(show, &area).ok_or(NoPage::Unknown)?, period, page)
            })
        };
        only("GET, HEAD", get(serve))
    };
    let dated = |read: fn(&str) -> Option<Period>| {
        let serve =
            async move |State(site): State<Arc<Site>>, Path(date): Path<String>, request: Request<Body>| {
                // that of a day that is over leads to today while something is left of it
                let area = query_field(request.uri(), "area").unwrap_or_default();
                site.list_page(language, &request, true, |show, page| {
                    let show = agenda::in_area(show, &area).ok_or(NoPage::Unknown)?;
                    agenda::page(show, read(&date).ok_or(NoPage::Unknown)?, page)
                })
            };
        only("GET, HEAD", get(serve))
    };
    let file = |format: FeedFormat| {
        let serve = async move |State(site): State<Arc<Site>>, request: Request<Body>| {
            site.agenda_file(language, format, &request)
        };
        only("GET, HEAD", get(serve))
    };
    let this_month = async move |State(site): State<Arc<Site>>, head: Parts| {
        let month = site.dispatcher.clock.today().date().format("/agenda/%Y-%m").to_string();
        site.see_other(&localized(language, &month), &head.headers)
    };
    Router::new()
        .route(&at("/agenda"), only("GET, HEAD", get(this_month)))
        .route(&at("/hoje"), days(Period::Today))
        .route(&at("/amanha"), days(Period::Tomorrow))
        .route(&at("/fim-de-semana"), days(Period::Weekend))
        .route(&at("/proximo-fim-de-semana"), days(Period::NextWeekend))
        .route(&at("/dia/{date}"), dated(Period::day))
        .route(&at("/agenda/{month}"), dated(Period::month))
        .route(&at("/agenda.ics"), file(FeedFormat::Calendar))
        .route(&at("/agenda.atom"), file(FeedFormat::Atom))
}

/// Areas and categories, the map, the list that a visitor saves, and what completes a search.
fn list_pages(language: Language) -> Router<Arc<Site>> {
    let at = |path: &str| localized(language, path);
    let area =
        async move |State(site): State<Arc<Site>>, Path(area): Path<String>, request: Request<Body>| {
            listing_page(&site, language, &format!("/area/{area}"), &request)
        };
    let category =
        async move |State(site): State<Arc<Site>>, Path(category): Path<String>, request: Request<Body>| {
            listing_page(&site, language, &format!("/categoria/{category}"), &request)
        };
    let pair = async move |State(site): State<Arc<Site>>,
                           Path((area, category)): Path<(String, String)>,
                           request: Request<Body>| {
        listing_page(&site, language, &format!("/area/{area}/{category}"), &request)
    };
    let areas = async move |State(site): State<Arc<Site>>, request: Request<Body>| {
        site.list_page(language, &request, false, |show, _| Ok(directory_page::areas(show)))
    };
    let categories = async move |State(site): State<Arc<Site>>, request: Request<Body>| {
        site.list_page(language, &request, false, |show, _| Ok(directory_page::categories(show)))
    };
    let map = async move |State(site): State<Arc<Site>>, request: Request<Body>| {
        site.list_page(language, &request, true, |show, _| Ok(map_page::page(show)))
    };
    let list =
        async move |State(site): State<Arc<Site>>, request: Request<Body>| site.list(language, &request);
    let list_calendar = async move |State(site): State<Arc<Site>>, request: Request<Body>| {
        site.list_calendar(language, &request)
    };
    let complete = async move |State(site): State<Arc<Site>>, request: Request<Body>| {
        site.completion(language, &request)
    };
    Router::new()
        .route(&at(directory_page::AREAS), only("GET, HEAD", get(areas)))
        .route(&at(directory_page::CATEGORIES), only("GET, HEAD", get(categories)))
        .route(&at("/completar"), only("GET, HEAD", get(complete)))
        .route(&at("/area/{area}"), only("GET, HEAD", get(area)))
        .route(&at("/area/{area}/{category}"), only("GET, HEAD", get(pair)))
        .route(&at("/categoria/{category}"), only("GET, HEAD", get(category)))
        .route(&at("/mapa"), only("GET, HEAD", get(map)))
        .route(&at("/lista"), only("GET, HEAD", get(list)))
        .route(&at("/lista.ics"), only("GET, HEAD", get(list_calendar)))
}

/// What other sites show of this one.
fn pictures_and_frames(language: Language) -> Router<Arc<Site>> {
    let at = |path: &str| localized(language, path);
    let front_card =
        async move |State(site): State<Arc<Site>>, head: Parts| site.card(language, None, &head).await;
    let card = async move |State(site): State<Arc<Site>>, Path(page): Path<String>, head: Parts| {
        site.card(language, Some(&page), &head).await
    };
    let embed = |kind: &'static str| {
        let serve =
            async move |State(site): State<Arc<Site>>, Path(topic): Path<String>, request: Request<Body>| {
                site.embed(language, &format!("/{kind}/{topic}"), &request)
            };
        only("GET, HEAD", get(serve))
    };
    Router::new()
        .route(&at("/card.png"), only("GET, HEAD", get(front_card)))
        .route(&at("/card/{*page}"), only("GET, HEAD", get(card)))
        .route(&at("/embed/area/{area}"), embed("area"))
        .route(&at("/embed/categoria/{category}"), embed("categoria"))
}

/// Orders, sign-up, suggestions and the weekly letter.
fn forms(language: Language) -> Router<Arc<Site>> {
    let at = |path: &str| localized(language, path);
    let plans = async move |State(site): State<Arc<Site>>, request| plans_page(&site, language, &request);
    let checkout = async move |State(site): State<Arc<Site>>, request| site.checkout(language, request).await;
    let sign_up_form =
        async move |State(site): State<Arc<Site>>, request| static_page(&site, language, &request);
    let sign_up = async move |State(site): State<Arc<Site>>, request| site.sign_up(language, request).await;
    let suggest = async move |State(site): State<Arc<Site>>, request| suggest_page(&site, language, &request);
    let send = async move |State(site): State<Arc<Site>>, request| site.suggest(language, request).await;
    let sent = async move |State(site): State<Arc<Site>>, request| suggestion_sent(&site, language, &request);
    let letter_form =
        async move |State(site): State<Arc<Site>>, request| site.letter_form(language, &request);
    let ask_for_letter =
        async move |State(site): State<Arc<Site>>, request| site.ask_for_letter(language, request).await;
    let letter_link = |link: Link| {
        let show = async move |State(site): State<Arc<Site>>, head: Parts| {
            site.letter_link(language, link, &head).await
        };
        let follow = async move |State(site): State<Arc<Site>>, request| {
            site.follow_letter_link(language, link, request).await
        };
        only("GET, HEAD, POST", get(show).post(follow))
    };
    Router::new()
        .route(&at("/plans"), only("GET, HEAD, POST", get(plans).post(checkout)))
        .route(&at("/signup"), only("GET, HEAD, POST", get(sign_up_form).post(sign_up)))
        .route(&at("/sugerir"), only("GET, HEAD, POST", get(suggest).post(send)))
        .route(&at(about::SENT), only("GET, HEAD", get(sent)))
        .route(&at("/sexta"), only("GET, HEAD, POST", get(letter_form).post(ask_for_letter)))
        .route(&at(Link::Confirm.path()), letter_link(Link::Confirm))
        .route(&at(Link::Stop.path()), letter_link(Link::Stop))
}

/// What there is to say of the guide and of the service.
fn documents(language: Language) -> Router<Arc<Site>> {
    let at = |path: &str| localized(language, path);
    let fixed = async move |State(site): State<Arc<Site>>, request| static_page(&site, language, &request);
    let first_steps = async move |State(site): State<Arc<Site>>, request: Request<Body>| {
        let page = |layout: &_, question: &_| docs::page(layout, &site.first_search, question);
        site.page_with_question(language, &request, page)
    };
    let agents = async move |State(site): State<Arc<Site>>, request: Request<Body>| {
        site.page_with_question(language, &request, agents::page)
    };
    let about = async move |State(site): State<Arc<Site>>, head: Parts| site.about(language, &head).await;
    let attempt = async move |State(site): State<Arc<Site>>, head: Parts| site.attempt(language, &head).await;
    let status = async move |State(site): State<Arc<Site>>, request| site.status(language, &request);
    let operation =
        async move |State(site): State<Arc<Site>>, Path(id): Path<String>, request: Request<Body>| {
            let page = site.static_page(&localized(language, &format!("/api/{id}")), &request);
            page.unwrap_or_else(|| site.not_found(language, request.uri(), request.headers()))
        };
    let changes = async move |State(site): State<Arc<Site>>, request: Request<Body>| {
        changelog_feed(&site, language, &request)
    };
    let pages = PAGES.iter().filter(|page| !page.has_form);
    pages
        .fold(Router::new(), |router, page| router.route(&at(page.path), only("GET, HEAD", get(fixed))))
        .route(&at("/sobre"), only("GET, HEAD", get(about)))
        .route(&at("/docs"), only("GET, HEAD", get(first_steps)))
        .route(&at("/agents"), only("GET, HEAD", get(agents)))
        .route(&at("/docs/try"), only("GET, HEAD", get(attempt)))
        .route(&at("/changelog.atom"), only("GET, HEAD", get(changes)))
        .route(&at("/status"), only("GET, HEAD", get(status)))
        .route(&at("/api/{operation}"), only("GET, HEAD", get(operation)))
}

/// The page of an area, a category or a pair of them, at its path in Portuguese, or its calendar or feed.
fn listing_page(site: &Site, language: Language, path: &str, request: &Request<Body>) -> Response<Body> {
    if let Some((path, format)) = FeedFormat::of(path) {
        return site.listing_file(language, path, format, request);
    }
    site.list_page(language, request, true, |show, page| match show.data.directory.at(path) {
        Some(listing) => listing::page(show, listing, page),
        None => results::paid_area_at(show, path).ok_or(NoPage::Unknown),
    })
}

/// A page that does not depend on a snapshot.
fn static_page(site: &Site, language: Language, request: &Request<Body>) -> Response<Body> {
    match site.static_page(request.uri().path(), request) {
        Some(response) => response,
        None => site.not_found(language, request.uri(), request.headers()),
    }
}

/// The releases as a feed.
fn changelog_feed(site: &Site, language: Language, request: &Request<Body>) -> Response<Body> {
    let tag = site.static_tag(request.uri().path());
    let body = DocumentBody::Once(changelog::feed(site.layout(language)).into());
    open(site.cached(FeedFormat::Atom.content_type(), body, tag, request.headers()))
}

/// Plans and prices, with the plan that the query names selected in the form. Who is signed in is led to the form of
/// the account.
fn plans_page(site: &Site, language: Language, request: &Request<Body>) -> Response<Body> {
    let Some(plan) = query_field(request.uri(), "plan") else {
        return static_page(site, language, request);
    };
    let address = plans::paid_plan(&plan)
        .and_then(|plan| account::order_address(site, language, plan, request.headers()));
    if let Some(address) = address {
        return site.see_other(&address, request.headers());
    }
    let submitted = Submitted::of(vec![("plan", &plan)]);
    let page = plans::page(site.layout(language), &site.plans, &submitted);
    let tag = site.static_tag(&format!("{}?{plan}", request.uri().path()));
    let mut response = site.cached_page(DocumentBody::Once(page.into()), tag, request.headers());
    // who has signed in since is led elsewhere
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    response
}

/// The form for suggestions, about the record that the query names.
fn suggest_page(site: &Site, language: Language, request: &Request<Body>) -> Response<Body> {
    let about = query_field(request.uri(), "about");
    let Some(path) = about.as_deref().and_then(record_path) else {
        return static_page(site, language, request);
    };
    let submitted = Submitted::of(vec![("about", path)]);
    let name = site.record_name(path);
    let page = about::suggest_page(site.layout(language), &submitted, name.as_deref());
    let tag = site.static_tag(&page);
    site.cached_page(DocumentBody::Once(page.into()), tag, request.headers())
}

/// The page after a suggestion.
fn suggestion_sent(site: &Site, language: Language, request: &Request<Body>) -> Response<Body> {
    let about = query_field(request.uri(), "about");
    let path = about.as_deref().and_then(record_path);
    let about = path.and_then(|path| Some((path, site.record_name(path)?)));
    let about = about.as_ref().map(|(path, name)| (*path, name.as_str()));
    let page = about::sent_page(site.layout(language), about);
    let tag = site.static_tag(&page);
    site.cached_page(DocumentBody::Once(page.into()), tag, request.headers())
}

async fn security(State(site): State<Arc<Site>>, request: Request<Body>) -> Response<Body> {
    let text = about::security(site.layout(Language::Portuguese), site.dispatcher.clock.now());
    let kind = HeaderValue::from_static("text/plain; charset=utf-8");
    let tag = site.static_tag(&text);
    site.cached(kind, DocumentBody::Once(text.into()), tag, request.headers())
}

async fn robots(State(site): State<Arc<Site>>, request: Request<Body>) -> Response<Body> {
    let kind = HeaderValue::from_static("text/plain; charset=utf-8");
    let tag = site.static_tag("/robots.txt");
    open(site.cached(kind, DocumentBody::Once(site.robots.clone()), tag, request.headers()))
}

async fn sitemap(State(site): State<Arc<Site>>, head: Parts) -> Response<Body> {
    site.sitemap(None, &head).await
}

async fn sitemap_file(
    State(site): State<Arc<Site>>,
    Path(file): Path<String>,
    head: Parts,
) -> Response<Body> {
    match file.strip_suffix(".xml").and_then(|number| number.parse().ok()) {
        Some(number) => site.sitemap(Some(number), &head).await,
        None => error_response(&ApiError::NotFound, &head.headers),
    }
}

/// Browsers get a page, and clients of the API get JSON. A slash at the end of a page's path is no other page.
async fn not_found(State(site): State<Arc<Site>>, request: Request<Body>) -> Response<Body> {
    let (head, body) = request.into_parts();
    body::discard(&head.headers, body).await;
    let path = head.uri.path();
    let is_under =
        |prefix: &str| path.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    let is_of_site = !is_under("/v1") && !is_under("/mcp");
    let is_read = matches!(head.method, Method::GET | Method::HEAD);
    if !is_of_site || !names_html(&head.headers) {
        let redirect = || site.redirect_to_meant(&head.uri, &head.headers);
        return match (is_of_site && is_read).then(redirect).flatten() {
            Some(response) => response,
            None => error_response(&ApiError::NotFound, &head.headers),
        };
    }
    let language = if is_under("/en") { Language::English } else { Language::Portuguese };
    site.not_found(language, &head.uri, &head.headers)
}
