//! What the site serves from, and the responses that its pages share.

use std::collections::HashMap;
use std::sync::Arc;

use axum::body::Body;
use bytes::Bytes;
use hyper::header::{
    HeaderMap, HeaderValue, LOCATION, REFERRER_POLICY, RETRY_AFTER, STRICT_TRANSPORT_SECURITY,
};
use hyper::{Request, Response, StatusCode, Uri, header};
use serde_json::Value;

use crate::config::{Config, MailSpec, Payments};
use crate::dispatch::Dispatcher;
use crate::domain::error::ApiError;
use crate::domain::plan::Plans;
use crate::http::accept::names_html;
use crate::http::caller::RequestId;
use crate::http::encoded::Encoded;
use crate::http::language::Language;
use crate::http::response::{self, CachedDocument, DocumentBody, HTML};
use crate::http::site::assets;
use crate::http::site::cards::store::CardStore;
use crate::http::site::developers::docs;
use crate::http::site::developers::reference::Reference;
use crate::http::site::guide::not_found;
use crate::http::site::layout::Layout;
use crate::http::site::layout::paths::meant;
use crate::http::site::layout::tags::{hash, tag};
use crate::http::site::page_cache::{InService, PageKeeper};
use crate::http::site::recent_pages::RecentPages;
use crate::http::site::service::service_pages::StoreHealth;
use crate::http::site::share::sitemap;
use crate::http::site::static_pages::PAGES;
use crate::http::{accounts, billing, html};
use crate::request_log;
use crate::suggest::SuggestionService;

/// Pages change with a publish, and with a new version of the service.
const CACHE_CONTROL: HeaderValue = HeaderValue::from_static("public, max-age=60");

/// Marks the answer to a request that an action has counted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CountedWithAction;

/// The state of the site.
pub struct Site {
    pub(crate) dispatcher: Arc<Dispatcher>,
    pub(crate) accounts: Arc<accounts::Accounts>,
    pub(crate) billing: Arc<billing::Billing>,
    pub(crate) suggestions: SuggestionService,
    pub(crate) store_fault: StoreHealth,
    pub(crate) plans: Plans,
    pub(crate) robots: Bytes,
    /// The example of the first steps.
    pub(crate) first_search: docs::FirstSearch,
    layouts: Arc<[Layout; 2]>,
    /// The pages that do not depend on a snapshot, by path.
    static_pages: HashMap<String, Encoded>,
    not_found: [Bytes; 2],
    /// Makes and keeps the pages of the snapshot in service.
    pub pages: Arc<PageKeeper>,
    /// Pages of records and lists.
    pub(crate) recent: RecentPages,
    pub(crate) cards: CardStore,
    /// Changes with the version of the service and with the settings that pages show.
    version: u64,
    policy: HeaderValue,
    pub(crate) is_https: bool,
}

/// What the site is made with.
pub struct SiteParts {
    /// Answers searches.
    pub dispatcher: Arc<Dispatcher>,
    /// Sign-up, keys and what is stored of accounts.
    pub accounts: Arc<accounts::Accounts>,
    /// Orders.
    pub billing: Arc<billing::Billing>,
    /// Keeps what readers suggest.
    pub suggestions: SuggestionService,
    /// What is wrong with the store, if anything is.
    pub store_fault: StoreHealth,
}

impl Site {
    /// The site of a configuration. The reference is rendered from the OpenAPI document `api`.
    pub fn new(config: &Config, parts: SiteParts, api: &Value) -> Site {
        let SiteParts { dispatcher, accounts, billing, suggestions, store_fault } = parts;
        let layouts = Arc::new(Language::ALL.map(|language| Layout::new(config, language)));
        let Config { service_name, service_site, base_url, plans, payments, .. } = config;
        let base = base_url.as_str();
        let (has_mail, contact) = (config.mail != MailSpec::None, &config.contact_email);
        let settings = format!(
            "{base} {} {service_name} {plans:?} {payments:?} {has_mail} {contact}",
            service_site.as_str()
        );
        let program = [env!("CARGO_PKG_VERSION"), env!("CANDANGO_COMMIT")];
        let version = hash(&(program, settings, assets::STYLE.version(), api.to_string()));
        Site {
            pages: Arc::new(PageKeeper::new(dispatcher.clone(), layouts.clone(), version)),
            dispatcher,
            accounts,
            billing,
            suggestions,
            store_fault,
            plans: plans.clone(),
            robots: sitemap::robots(base).into(),
            first_search: docs::first_search(api, service_name),
            static_pages: layouts.iter().flat_map(|layout| static_pages(layout, plans, api)).collect(),
            not_found: layouts.each_ref().map(|layout| not_found::page(layout).into()),
            layouts,
            recent: RecentPages::new(),
            cards: CardStore::new(),
            version,
            policy: policy(config),
            is_https: base.starts_with("https://"),
        }
    }

    pub(crate) fn layout(&self, language: Language) -> &Layout {
        &self.layouts[language as usize]
    }

    /// The snapshot in service and its pages of today: see [`PageKeeper::in_service`].
    pub(crate) fn in_service(&self) -> Option<InService> {
        self.pages.in_service(self.dispatcher.clock.today().date())
    }

    /// The entity tag of the page at an address that does not depend on a snapshot.
    pub(crate) fn static_tag(&self, address: &str) -> HeaderValue {
        tag(&(self.version, address))
    }

    /// A page that does not depend on a snapshot, if there is one at the path.
    pub(crate) fn static_page(&self, path: &str, request: &Request<Body>) -> Option<Response<Body>> {
        let page = self.static_pages.get(path)?.clone();
        Some(self.cached_page(
            DocumentBody::Kept(page),
            self.static_tag(request.uri().path()),
            request.headers(),
        ))
    }

    /// An HTML page that browsers may cache; 304 without it if the client has it.
    pub(crate) fn cached_page(
        &self,
        body: DocumentBody,
        tag: HeaderValue,
        headers: &HeaderMap,
    ) -> Response<Body> {
        self.cached(HTML, body, tag, headers)
    }

    /// A document that may be cached; 304 without it if the client has it.
    pub(crate) fn cached(
        &self,
        kind: HeaderValue,
        body: DocumentBody,
        tag: HeaderValue,
        headers: &HeaderMap,
    ) -> Response<Body> {
        let document = CachedDocument { kind, body, tag, keep: CACHE_CONTROL };
        self.protected(response::cached(headers, document, &RequestId::of(headers)))
    }

    /// A page for this request only.
    pub(crate) fn uncached(&self, status: StatusCode, page: Bytes, headers: &HeaderMap) -> Response<Body> {
        self.protected(response::html(status, page, &RequestId::of(headers)))
    }

    /// A page that shows an error.
    pub(crate) fn error(&self, error: &ApiError, page: String, headers: &HeaderMap) -> Response<Body> {
        let details = error.details();
        request_log::refused(details.code);
        let status = StatusCode::from_u16(details.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = self.uncached(status, page.into(), headers);
        if let Some(seconds) = details.retry_after {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }

    /// The page for an address without a page; browsers are led to the one that was meant, if there may be one.
    pub(crate) fn not_found(&self, language: Language, uri: &Uri, headers: &HeaderMap) -> Response<Body> {
        if let Some(response) = self.redirect_to_meant(uri, headers) {
            return response;
        }
        let page = self.not_found[language as usize].clone();
        self.uncached(StatusCode::NOT_FOUND, page, headers)
    }

    /// Leads a browser to the page that an address meant, if there may be one, and programs where only the slash at the
    /// end is wrong: they are told of other mistakes.
    pub(crate) fn redirect_to_meant(&self, uri: &Uri, headers: &HeaderMap) -> Option<Response<Body>> {
        let is_certain = |path: &String| names_html(headers) || *path == uri.path().trim_end_matches('/');
        let path = meant(uri.path()).filter(is_certain)?;
        // one that says what it lists, or where on its page, takes no other query
        let query = uri.query().filter(|_| !path.contains(['?', '#']));
        let query = query.map(|query| format!("?{query}")).unwrap_or_default();
        let location = HeaderValue::try_from(format!("{path}{query}")).ok()?;
        let mut response = response::empty(StatusCode::PERMANENT_REDIRECT, &RequestId::of(headers));
        response.headers_mut().insert(LOCATION, location);
        // browsers keep a permanent one without end, and another page may come to this address
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("max-age=86400"));
        Some(self.protected(response))
    }

    pub(crate) fn protected(&self, mut response: Response<Body>) -> Response<Body> {
        let headers = response.headers_mut();
        html::protect(headers, &self.policy);
        // under no-referrer browsers send forms without an origin, which submissions need
        headers.insert(REFERRER_POLICY, HeaderValue::from_static("same-origin"));
        if self.is_https {
            headers.insert(STRICT_TRANSPORT_SECURITY, HeaderValue::from_static("max-age=31536000"));
        }
        response
    }
}

/// The pages in one language that do not depend on a snapshot, by path.
fn static_pages(layout: &Layout, plans: &Plans, api: &Value) -> Vec<(String, Encoded)> {
    let reference = Reference::new(layout, api);
    let pages = PAGES.iter().map(|page| (page.path.to_owned(), (page.render)(layout, plans, &reference)));
    let operations = reference.operation_pages().into_iter().map(|(id, page)| (format!("/api/{id}"), page));
    pages.chain(operations).map(|(path, page)| (layout.path(&path), page.into())).collect()
}

/// Pages load files and send forms on this origin only. A form may lead to the gateway's payment page, because browsers
/// apply `form-action` to redirects too.
fn policy(config: &Config) -> HeaderValue {
    let origin = config.base_url.origin();
    let gateway = if config.payments == Payments::Asaas { " https://*.asaas.com" } else { "" };
    let policy = format!(
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self' \
         {origin}{gateway}; base-uri 'none'; frame-ancestors 'none'"
    );
    // an origin is ASCII
    HeaderValue::try_from(policy).unwrap_or(html::DENY_ALL)
}
