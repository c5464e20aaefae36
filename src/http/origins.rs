//! Allowed hosts and web origins. `/mcp` answers without a key, so it refuses other hosts (DNS rebinding) and other
//! origins; `/v1` requires a key, so CORS headers decide which web pages may read its answers. Sign-up and recovery
//! send mail without a key, so they refuse other origins too.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::middleware::Next;
use hyper::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS, CACHE_CONTROL,
    HOST, HeaderMap, HeaderName, HeaderValue, ORIGIN,
};
use hyper::http::request::Parts;
use hyper::{Method, Request, Response, StatusCode};

use super::caller::{RequestId, X_BROWSER_TOKEN};
use super::{body, response};
use crate::config::Config;
use crate::domain::error::ApiError;
use crate::domain::network::is_this_machine;

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// The allowed hosts and origins.
#[derive(Debug)]
pub struct Origins {
    hosts: Vec<String>,
    origins: Vec<String>,
}

/// Which web pages may read the answers of a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CorsScope {
    /// Those of allowed origins.
    Allowed,
    /// Those and, of any origin, the ones that send a browser token, of which the origins are checked with the token.
    OfTokens,
}

/// What a page of any origin may send beside its token. No key is among them.
const TOKEN_HEADERS: &str = "accept, content-type, if-none-match, x-browser-token, x-request-id";

/// Why a request is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NotAllowed {
    /// Its web origin is not allowed.
    Origin,
    /// The host that it names is not allowed.
    Host,
}

impl Origins {
    /// Those of the configuration and of `base_url`; loopback hosts are always allowed.
    pub fn new(config: &Config) -> Origins {
        Origins {
            hosts: config.allowed_hosts.iter().cloned().chain([config.base_url.host()]).collect(),
            origins: config.allowed_origins.iter().cloned().chain([config.base_url.origin()]).collect(),
        }
    }

    /// Checks the host and the origin of a request. Returns the origin, if the request has one.
    pub(super) fn check<'h>(&self, head: &'h Parts) -> Result<Option<&'h HeaderValue>, NotAllowed> {
        let origin = head.headers.get(ORIGIN);
        if origin.is_some_and(|origin| !self.is_origin(origin)) {
            return Err(NotAllowed::Origin);
        }
        let named = head.headers.get(HOST).and_then(|host| host.to_str().ok());
        let host = named.or_else(|| head.uri.authority().map(|authority| authority.as_str()));
        match host {
            Some(host) if self.is_host(host) => Ok(origin),
            _ => Err(NotAllowed::Host),
        }
    }

    /// Answers a preflight request; `None` when the request has no origin.
    fn preflight(
        &self,
        request: &HeaderMap,
        methods: &'static str,
        scope: CorsScope,
    ) -> Option<Response<Body>> {
        let origin = request.get(ORIGIN)?;
        let mut response = response::empty(StatusCode::NO_CONTENT, &RequestId::of(request));
        let headers = response.headers_mut();
        if self.is_origin(origin) {
            allow(origin, headers);
            allow_asking(methods, headers);
        } else if scope == CorsScope::OfTokens && asks_for_token(request) {
            allow(origin, headers);
            allow_sending(methods, TOKEN_HEADERS, headers);
        } else {
            response::vary(headers, "origin");
        }
        Some(response)
    }

    /// Answers preflight requests, and adds the headers of CORS to what `handle` answers.
    pub(super) async fn with_cors<B>(
        &self,
        request: Request<B>,
        scope: CorsScope,
        handle: impl AsyncFnOnce(Request<B>) -> Response<Body>,
    ) -> Response<Body> {
        let origin = request.headers().get(ORIGIN).cloned();
        if request.method() == Method::OPTIONS
            && let Some(response) = self.preflight(request.headers(), "GET, POST", scope)
        {
            return response;
        }
        let has_token = scope == CorsScope::OfTokens && request.headers().contains_key(X_BROWSER_TOKEN);
        let mut response = handle(request).await;
        let headers = response.headers_mut();
        let is_kept = headers.get(CACHE_CONTROL).is_some_and(|kept| kept != "no-store");
        match origin.as_ref() {
            // errors too: they tell the developer of the page what to fix
            Some(origin) if has_token || self.is_origin(origin) => allow(origin, headers),
            // a cache must not give the answer without the headers to a page that needs them
            _ if is_kept && !headers.contains_key(ACCESS_CONTROL_ALLOW_ORIGIN) => {
                response::vary(headers, "origin")
            }
            _ => {}
        }
        response
    }

    /// Whether a page of another site sent the request: neither of this host nor of an allowed origin.
    fn is_foreign(&self, headers: &HeaderMap) -> bool {
        headers.get_all(ORIGIN).iter().any(|origin| !self.is_origin(origin) && !is_of_host(origin, headers))
    }

    fn is_origin(&self, origin: &HeaderValue) -> bool {
        let Ok(origin) = origin.to_str() else { return false };
        let loopback = origin
            .strip_prefix("http://")
            .or_else(|| origin.strip_prefix("https://"))
            .is_some_and(|authority| is_this_machine(without_port(authority)));
        loopback || self.origins.iter().any(|known| known.eq_ignore_ascii_case(origin))
    }

    fn is_host(&self, host: &str) -> bool {
        let name = without_port(host);
        is_this_machine(name)
            || self
                .hosts
                .iter()
                .any(|known| known.eq_ignore_ascii_case(host) || known.eq_ignore_ascii_case(name))
    }
}

/// Whether a form comes from this site. Browsers say so, and other clients cannot be tricked into submitting one.
pub(super) fn is_same_origin(headers: &HeaderMap) -> bool {
    if let Some(site) = headers.get(SEC_FETCH_SITE) {
        return site == "same-origin" || site == "none";
    }
    let Some(origin) = headers.get(ORIGIN) else { return true };
    is_of_host(origin, headers)
}

/// Whether an origin is the host that the request names.
fn is_of_host(origin: &HeaderValue, headers: &HeaderMap) -> bool {
    let authority = origin.to_str().ok().and_then(|origin| Some(origin.split_once("://")?.1));
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    authority.is_some() && authority == host
}

/// The host of an authority. An IPv6 address keeps its brackets.
fn without_port(authority: &str) -> &str {
    let colon = authority.bytes().rposition(|byte| byte == b':');
    let parts = colon.map(|colon| (&authority[..colon], &authority[colon + 1..]));
    match parts {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => authority,
    }
}

/// Wraps the routes that web pages may call: CORS.
pub(super) async fn share(
    State(origins): State<Arc<Origins>>,
    request: Request<Body>,
    next: Next,
) -> Response<Body> {
    origins.with_cors(request, CorsScope::Allowed, |request| next.run(request)).await
}

/// Wraps the routes that pages with a browser token may call too.
pub(super) async fn share_with_pages(
    State(origins): State<Arc<Origins>>,
    request: Request<Body>,
    next: Next,
) -> Response<Body> {
    origins.with_cors(request, CorsScope::OfTokens, |request| next.run(request)).await
}

/// Whether a preflight request is about one with a browser token.
fn asks_for_token(headers: &HeaderMap) -> bool {
    let names =
        headers.get_all(ACCESS_CONTROL_REQUEST_HEADERS).iter().filter_map(|names| names.to_str().ok());
    names
        .flat_map(|names| names.split(','))
        .any(|name| name.trim().eq_ignore_ascii_case(X_BROWSER_TOKEN.as_str()))
}

/// Wraps the routes that change something without a key: refuses pages of other sites. Browsers send some of their
/// requests, such as those without a content type, without a preflight request.
pub(super) async fn refuse_foreign(
    State(origins): State<Arc<Origins>>,
    request: Request<Body>,
    next: Next,
) -> Response<Body> {
    if !origins.is_foreign(request.headers()) {
        return next.run(request).await;
    }
    let (head, body) = request.into_parts();
    body::discard(&head.headers, body).await;
    response::error(&ApiError::ForeignOrigin, &RequestId::of(&head.headers))
}

/// Allows the page at `origin` to read the response.
pub(super) fn allow(origin: &HeaderValue, headers: &mut HeaderMap) {
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
    response::vary(headers, "origin");
    headers.insert(
        ACCESS_CONTROL_EXPOSE_HEADERS,
        HeaderValue::from_static(
            "etag, www-authenticate, x-request-id, retry-after, ratelimit, ratelimit-policy, x-ratelimit-limit, \
             x-ratelimit-remaining, x-ratelimit-reset, snapshot-serial, link",
        ),
    );
}

/// Answers a preflight request.
pub(super) fn preflight(methods: &'static str, id: &RequestId) -> Response<Body> {
    let mut response = response::empty(StatusCode::NO_CONTENT, id);
    allow_asking(methods, response.headers_mut());
    response
}

/// Adds what a page may send, for a preflight response.
fn allow_asking(methods: &'static str, headers: &mut HeaderMap) {
    let names = "accept, authorization, content-type, idempotency-key, if-none-match, last-event-id, mcp-method, mcp-name, \
                 mcp-protocol-version, mcp-session-id, x-api-key, x-browser-token, x-request-id";
    allow_sending(methods, names, headers);
}

fn allow_sending(methods: &'static str, names: &'static str, headers: &mut HeaderMap) {
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static(methods));
    headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static(names));
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("86400"));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origins() -> Origins {
        let mut config = Config::load(None, [], &[]).unwrap();
        config.base_url = "https://guia.example".parse().unwrap();
        config.allowed_hosts = vec!["inner.example:8443".to_owned()];
        config.allowed_origins = vec!["https://app.example".to_owned()];
        Origins::new(&config)
    }

    fn check(host: &str, origin: Option<&str>) -> Result<bool, NotAllowed> {
        let mut request = Request::builder().header("host", host);
        if let Some(origin) = origin {
            request = request.header("origin", origin);
        }
        let (head, ()) = request.body(()).unwrap().into_parts();
        origins().check(&head).map(|origin| origin.is_some())
    }

    #[test]
    fn configured_and_loopback_hosts_are_allowed() {
        for host in [
            "guia.example",
            "GUIA.example:443",
            "localhost",
            "localhost:8080",
            "127.0.0.1:1",
            "[::1]:9",
            "[::1]",
        ] {
            assert_eq!(check(host, None), Ok(false), "{host}");
        }
        assert_eq!(check("inner.example:8443", None), Ok(false));
        for host in
            ["evil.example", "guia.example.evil.example", "127.0.0.1.evil.example", "", "inner.example:1"]
        {
            assert_eq!(check(host, None), Err(NotAllowed::Host), "{host}");
        }
    }

    #[test]
    fn configured_and_loopback_origins_are_allowed() {
        for origin in [
            "https://guia.example",
            "https://app.example",
            "http://localhost:3000",
            "http://[::1]:5",
            "https://127.0.0.1",
            "http://127.9.9.9:5173",
            "http://app.localhost",
        ] {
            assert_eq!(check("guia.example", Some(origin)), Ok(true), "{origin}");
        }
        for origin in [
            "https://evil.example",
            "null",
            "",
            "http://guia.example",
            "https://guia.example:444",
            "http://localhost.evil.example",
            "file://localhost",
        ] {
            assert_eq!(check("guia.example", Some(origin)), Err(NotAllowed::Origin), "{origin}");
        }
    }
}
