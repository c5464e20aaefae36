//! `GET /v1/events` and its like: the actions as addresses, which can be linked, cached and opened by any tool. A
//! request becomes the same call of the dispatcher as that of `POST /v1`, so both have one body.

use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::middleware::from_fn_with_state;
use axum::routing::get;
use bytes::Bytes;
use hyper::header::{CACHE_CONTROL, ETAG, HeaderMap, HeaderValue, LINK};
use hyper::http::request::Parts;
use hyper::{Request, Response, StatusCode};
use index::View;
use percent_encoding::percent_decode_str;
use url::form_urlencoded;

use super::caller::{RequestId, asker, has_key, has_secret};
use super::etags::{self, TagHash};
use super::formats::{self, BOM, Format, NO_END_SENT, Names};
use super::origins::{self, Origins};
use super::quota_headers::QuotaHeaders;
use super::{only, response};
use crate::actions::{Action, MAX_LIMIT, Param, ParamType, Params};
use crate::config::Config;
use crate::dispatch::{ActionCall, ActionResponse, AnswerVersion, Credentials, Dispatcher, Input, Surface};
use crate::domain::action::ActionId;
use crate::domain::error::ApiError;
use crate::render::Buffer;
use crate::serving::SeriesRules;

/// An address and the action that it runs.
#[derive(Debug, Clone, Copy)]
pub struct Resource {
    /// The path, with `{id}` in place of an id.
    pub path: &'static str,
    /// The action that it runs.
    pub action_id: ActionId,
    /// What generated clients call it.
    pub operation_id: &'static str,
    /// Whether answers list records, which have other formats too.
    is_list: bool,
}

impl Resource {
    const fn new(path: &'static str, action_id: ActionId, operation_id: &'static str) -> Resource {
        Resource { path, action_id, operation_id, is_list: false }
    }

    const fn list(path: &'static str, action_id: ActionId, operation_id: &'static str) -> Resource {
        Resource { is_list: true, ..Resource::new(path, action_id, operation_id) }
    }

    /// The action.
    pub fn action(&self) -> &'static Action {
        self.action_id.action()
    }

    /// The parameter that chooses the fields of its records.
    fn fields(&self) -> Option<&'static Param> {
        self.action().params.iter().copied().find(|param| param.name == "fields")
    }

    /// Its other formats.
    pub(super) fn formats(&self) -> &'static [Format] {
        match (self.is_list, self.action().takes("from")) {
            (false, _) => &[],
            (true, true) => &Format::OTHERS,
            (true, false) => &[Format::GeoJson, Format::Csv],
        }
    }

    /// Whether a client may keep an answer. That of `usage` changes with every call.
    pub(super) fn is_kept(&self) -> bool {
        !self.action().needs_usage()
    }
}

pub(super) const EVENTS: Resource = Resource::list("/v1/events", ActionId::SearchEvents, "searchEvents");
pub(super) const EVENT: Resource = Resource::new("/v1/events/{id}", ActionId::GetEvent, "getEvent");
pub(super) const PLACES: Resource = Resource::list("/v1/places", ActionId::SearchPlaces, "searchPlaces");
pub(super) const PLACE: Resource = Resource::new("/v1/places/{id}", ActionId::GetPlace, "getPlace");
pub(super) const CATEGORIES: Resource =
    Resource::new("/v1/categories", ActionId::ListCategories, "listCategories");
pub(super) const REGIONS: Resource = Resource::new("/v1/regions", ActionId::ListRegions, "listRegions");
pub(super) const SUMMARY: Resource = Resource::new("/v1/summary", ActionId::Summary, "getSummary");
pub(super) const USAGE: Resource = Resource::new("/v1/usage", ActionId::Usage, "getUsage");
pub(super) const SUGGEST: Resource = Resource::new("/v1/suggest", ActionId::Suggest, "suggest");

/// All addresses.
pub const RESOURCES: &[Resource] =
    &[EVENTS, EVENT, PLACES, PLACE, CATEGORIES, REGIONS, SUMMARY, USAGE, SUGGEST];

/// How long a client may keep an answer: as long as a publication may take to be noticed by its readers.
pub(super) const CACHE_FOR_A_MINUTE: HeaderValue = HeaderValue::from_static("private, max-age=60");

/// A calendar program may keep a calendar, and asks each time whether it is current: so the address is dead for all at
/// once when it is revoked.
const REVALIDATE: HeaderValue = HeaderValue::from_static("private, no-cache");

/// Parameters whose value can only be a key.
const KEY_NAMES: [&str; 7] = ["key", "api_key", "api-key", "apikey", "x-api-key", "token", "access_token"];

/// What answers the addresses.
pub struct Resources {
    dispatcher: Arc<Dispatcher>,
    quota_headers: QuotaHeaders,
    service_name: String,
    host: String,
}

/// What a request asks an address for.
struct ResourceRequest<'a> {
    resource: Resource,
    asker: Credentials<'a>,
    params: Params<'static>,
    /// The address it came to, which differs for different requests.
    address: String,
}

/// What a client gets for a question that passed all checks.
struct Reply {
    /// The tag of the answer, if it has one.
    tag: Option<HeaderValue>,
    /// The answer; `None` when the client has it.
    answer: Option<(Buffer, FormatParts)>,
}

/// A body, and the cursor of the next page.
type RenderedPage = (Bytes, Option<String>);

/// What formats need beside the JSON of an answer.
#[derive(Default)]
struct FormatParts {
    /// The rules of series, for a calendar.
    rules: Option<Arc<SeriesRules>>,
    /// The name of a calendar.
    calendar: String,
    /// The columns of a table.
    columns: Vec<&'static str>,
    /// Whether a table begins with a byte order mark.
    has_bom: bool,
}

impl Resources {
    /// The addresses of this dispatcher.
    pub fn new(config: &Config, dispatcher: Arc<Dispatcher>) -> Resources {
        Resources {
            dispatcher,
            quota_headers: QuotaHeaders::new(config),
            service_name: config.service_name.clone(),
            host: config.base_url.host(),
        }
    }

    /// Answers a request. `format` is the one of its address.
    pub(super) async fn answer(
        &self,
        resource: Resource,
        format: Format,
        id: Option<Path<String>>,
        head: &Parts,
    ) -> Response<Body> {
        let format = match format {
            Format::Json => Format::accepted(&head.headers, resource.formats()),
            format => format,
        };
        let query = head.uri.query().unwrap_or_default();
        let params = parameters(resource, format, id.map(|Path(id)| id), query)
            .and_then(|params| without_unknown(resource, format, params, |_| true));
        let (asker, address) = (asker(&head.headers), head.uri.to_string());
        let request = params.map(|params| ResourceRequest { resource, asker, params, address });
        let mut response = self.respond(format, request, head).await;
        let headers = response.headers_mut();
        if headers.contains_key(ETAG) {
            headers.insert(CACHE_CONTROL, CACHE_FOR_A_MINUTE);
        }
        // errors too: another key or another format may have an answer
        response::vary(headers, "accept, authorization, x-api-key, x-browser-token");
        response
    }

    /// Answers a calendar program, whose address ends in a token and `.ics`: calendar programs send no headers. Nobody
    /// changes the days of an address that a program has, so it shows what is to come, unless it names a last day.
    async fn answer_calendar(&self, file: &str, head: &Parts) -> Response<Body> {
        let query = head.uri.query().unwrap_or_default();
        let request = calendar_token(file).and_then(|token| {
            let params = parameters(EVENTS, Format::Calendar, None, query)?;
            // programs hold addresses that were made with other names, which went unnoticed
            let means_another = |name: &str| EVENTS.action().meant_by(name).is_some();
            let params = without_unknown(EVENTS, Format::Calendar, params, means_another)?;
            Ok(ResourceRequest {
                resource: EVENTS,
                asker: Credentials::Calendar(token.as_bytes()),
                params: params.or("to", NO_END_SENT),
                address: query.to_owned(),
            })
        });
        let mut response = self.respond(Format::Calendar, request, head).await;
        // a calendar program follows no links, and the address is a secret
        response.headers_mut().remove(LINK);
        if response.headers().contains_key(ETAG) {
            response.headers_mut().insert(CACHE_CONTROL, REVALIDATE);
        }
        response
    }

    /// Answers a request, or says what is wrong with it.
    async fn respond(
        &self,
        format: Format,
        request: Result<ResourceRequest<'_>, ApiError>,
        head: &Parts,
    ) -> Response<Body> {
        let request_id = RequestId::of(&head.headers);
        let ActionResponse { result, quota } = match request {
            Ok(request) => self.ask(format, request, &head.headers).await,
            Err(error) => ActionResponse { result: Err(error), quota: None },
        };
        let mut response = match result.and_then(|reply| self.response(format, reply, head, &request_id)) {
            Ok(response) => response,
            Err(error) => response::error(&error, &request_id),
        };
        if let Some(quota) = quota {
            self.quota_headers.insert_left(response.headers_mut(), &quota);
        }
        response
    }

    /// Runs the action of a request.
    async fn ask(
        &self,
        format: Format,
        request: ResourceRequest<'_>,
        headers: &HeaderMap,
    ) -> ActionResponse<Reply> {
        let mut call = self.dispatcher.begin(Surface::V1, Instant::now());
        let result = self.reply(&mut call, format, request, headers).await;
        call.end(result)
    }

    /// The steps of a request: those of the dispatcher, and before a call of the month whether the client may have the
    /// answer in this format, and has it already.
    async fn reply(
        &self,
        call: &mut ActionCall<'_>,
        format: Format,
        request: ResourceRequest<'_>,
        headers: &HeaderMap,
    ) -> Result<Reply, ApiError> {
        let ResourceRequest { resource, asker, params, address } = request;
        let admitted = call.admit(asker, Input::Call(resource.action_id, params)).await?;
        let prepared = admitted.prepare()?;
        let version = prepared.version();
        if format == Format::GeoJson && version.permit.view() != View::Full {
            return Err(version.permit.positions_error());
        }
        let tag = resource.is_kept().then(|| tag_of(version, format, &address));
        if tag.as_ref().is_some_and(|tag| etags::matches(headers, tag)) {
            return Ok(Reply { tag, answer: None });
        }
        let parts = self.format_parts(resource, format, prepared.params(), version);
        let json = prepared.run(Buffer::new()).await?.into_json();
        Ok(Reply { tag, answer: Some((json, parts)) })
    }

    /// What a format needs for the answer to these parameters.
    fn format_parts(
        &self,
        resource: Resource,
        format: Format,
        params: &Params<'_>,
        version: AnswerVersion<'_>,
    ) -> FormatParts {
        match format {
            Format::Json | Format::GeoJson => FormatParts::default(),
            Format::Calendar => FormatParts {
                rules: Some(version.snapshot.rules.clone()),
                calendar: formats::calendar_name(params, &self.service_name),
                ..FormatParts::default()
            },
            Format::Csv => {
                let columns = resource.fields().map(|fields| {
                    // the action has refused unknown ones
                    let chosen = params.names(fields, |_, _| ApiError::Internal).unwrap_or_default();
                    formats::columns(fields.words(), &chosen, version.permit.view())
                });
                FormatParts {
                    columns: columns.unwrap_or_default(),
                    has_bom: params.flag(&BOM).unwrap_or_default(),
                    ..FormatParts::default()
                }
            }
        }
    }

    /// The response to a request that passed all checks.
    fn response(
        &self,
        format: Format,
        reply: Reply,
        head: &Parts,
        request_id: &RequestId,
    ) -> Result<Response<Body>, ApiError> {
        let (status, (body, next)) = match reply.answer {
            Some((json, parts)) => (StatusCode::OK, self.rendered(format, json, &parts)?),
            None => (StatusCode::NOT_MODIFIED, (Bytes::new(), None)),
        };
        let mut response = response::of_type(format.content_type(), status, body, request_id);
        if let Some(link) = next.and_then(|cursor| next_page(head, &cursor)) {
            response.headers_mut().insert(LINK, link);
        }
        if let Some(tag) = reply.tag {
            response.headers_mut().insert(ETAG, tag);
        }
        Ok(response)
    }

    /// An answer in a format, and the cursor of the next page if the body has no place for it.
    fn rendered(&self, format: Format, json: Buffer, parts: &FormatParts) -> Result<RenderedPage, ApiError> {
        if format == Format::Json {
            return Ok((json.into(), None));
        }
        let none = SeriesRules::default();
        let names = Names {
            service: &self.service_name,
            host: &self.host,
            rules: parts.rules.as_deref().unwrap_or(&none),
            calendar: &parts.calendar,
            columns: &parts.columns,
            has_bom: parts.has_bom,
        };
        formats::render(format, &json, &names)
    }
}

/// The addresses of the actions, in all their formats.
pub fn routes(resources: Resources, origins: Arc<Origins>) -> Router {
    let mut router = Router::new();
    for resource in RESOURCES {
        for format in [Format::Json].iter().chain(resource.formats()) {
            let path = format!("{}{}", resource.path, format.suffix());
            let answer = async |State(resources): State<Arc<Resources>>,
                                id: Option<Path<String>>,
                                request: Request<Body>| {
                resources.answer(*resource, *format, id, &request.into_parts().0).await
            };
            router = router.route(&path, only("GET, HEAD", get(answer)));
        }
    }
    let calendar =
        async |State(resources): State<Arc<Resources>>, Path(file): Path<String>, request: Request<Body>| {
            resources.answer_calendar(&file, &request.into_parts().0).await
        };
    router
        .layer(from_fn_with_state(origins, origins::share_with_pages))
        // calendar programs are no pages: without CORS
        .route("/v1/calendars/{file}", only("GET, HEAD", get(calendar)))
        .with_state(Arc::new(resources))
}

/// The link to the next page of an answer: the address of this one with its cursor.
fn next_page(head: &Parts, cursor: &str) -> Option<HeaderValue> {
    let mut query = form_urlencoded::Serializer::new(String::new());
    let sent = form_urlencoded::parse(head.uri.query().unwrap_or_default().as_bytes());
    query.extend_pairs(sent.filter(|(name, _)| name != "cursor"));
    query.append_pair("cursor", cursor);
    HeaderValue::try_from(format!("<{}?{}>; rel=\"next\"", head.uri.path(), query.finish())).ok()
}

/// The token of a calendar address, unchecked, from the last segment of its path.
fn calendar_token(file: &str) -> Result<&str, ApiError> {
    match file.strip_suffix(".ics") {
        _ if has_key(file.as_bytes()) => Err(ApiError::KeyInUrl),
        Some(token) => Ok(token),
        None => Err(ApiError::UnknownCalendar { is_browser: false }),
    }
}

/// Whether a parameter of an address is a key or a token, which belong elsewhere.
fn holds_key(name: &str, value: &str) -> bool {
    KEY_NAMES.iter().any(|key| name.eq_ignore_ascii_case(key)) || has_secret(value.as_bytes())
}

/// Refuses a key or a token in the query of an address. Most requests to `/v1` and `/mcp` have none.
pub(super) fn refuse_keys(query: Option<&str>) -> Result<(), ApiError> {
    let Some(query) = query else { return Ok(()) };
    let mut pairs = form_urlencoded::parse(query.as_bytes());
    match pairs.any(|(name, value)| holds_key(&name, &value)) {
        true => Err(ApiError::KeyInUrl),
        false => Ok(()),
    }
}

/// The parameters of a request: those of its query that its format has a use for and, if its path has one, the id.
/// Lists are separated by commas.
fn parameters(
    resource: Resource,
    format: Format,
    id: Option<String>,
    query: &str,
) -> Result<Params<'static>, ApiError> {
    let mut pairs = sent_pairs(resource, format, id.is_some(), query)?;
    if id.as_deref().is_some_and(|id| has_secret(id.as_bytes())) {
        return Err(ApiError::KeyInUrl);
    }
    pairs.extend(id.map(|id| ("id".to_owned(), id)));
    let is_list = |name: &str| {
        let mut params = resource.action().params.iter();
        params.any(|param| {
            param.is_called(name) && matches!(param.kind, ParamType::Texts { .. } | ParamType::Names(_))
        })
    };
    let params = Params::of_query(with_defaults(format, pairs), is_list)?;
    for param in format.params() {
        params.flag(param)?;
    }
    Ok(params)
}

/// The parameters of a query that its format has a use for, without an id if the path has one.
fn sent_pairs(
    resource: Resource,
    format: Format,
    has_id: bool,
    query: &str,
) -> Result<Vec<(String, String)>, ApiError> {
    let mut pairs = Vec::new();
    check_encoding(resource, query)?;
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        if holds_key(&name, &value) {
            return Err(ApiError::KeyInUrl);
        }
        // the id of the path is the one that counts
        let is_of_path = name == "id" && has_id;
        if is_of_path || format.ignores(&name) {
            continue;
        }
        pairs.push((name.into_owned(), value.into_owned()));
    }
    Ok(pairs)
}

/// The parameters, unless some are unknown to a format that has no place for the warning that JSON gives. Of these,
/// those that are not `refused` are ignored.
fn without_unknown(
    resource: Resource,
    format: Format,
    params: Params<'static>,
    refused: impl Fn(&str) -> bool,
) -> Result<Params<'static>, ApiError> {
    let action = resource.action();
    let is_of_format = |name: &str| format.params().iter().any(|param| param.is_called(name));
    // what links and programs add to any address is meant for nobody here
    let is_added = |name: &str| name == "_" || name.starts_with("utm_");
    let is_known = |name: &str| {
        name == "action" || action.takes(name) || is_of_format(name) || is_added(name) || !refused(name)
    };
    if format == Format::Json || params.unknown(is_known).next().is_none() {
        return Ok(params);
    }
    let unknown = params.ignored(is_known).map(str::to_owned).collect();
    let own = action.params.iter().copied().filter(|param| !format.ignores(param.name));
    let known = own.chain(format.params()).map(|param| param.name).collect();
    Err(ApiError::UnknownParam { unknown, known })
}

/// The parameters with those that a format has by default.
fn with_defaults(format: Format, mut pairs: Vec<(String, String)>) -> Vec<(String, String)> {
    let mut default = |name: &str, value: &str| {
        if !pairs.iter().any(|(sent, _)| sent == name) {
            pairs.push((name.to_owned(), value.to_owned()));
        }
    };
    // calendars repeat an entry by its rule
    if format == Format::Calendar {
        default("group", "series");
    }
    // a file says nothing of what its records leave unmet, and its readers look for no further page
    if format != Format::Json {
        default("strict", "true");
        default("limit", &MAX_LIMIT.to_string());
    }
    pairs
}

/// Refuses text that is not UTF-8, such as Latin-1 from an old program, of which only a part could be read.
fn check_encoding(resource: Resource, query: &str) -> Result<(), ApiError> {
    for pair in query.split('&') {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let known = resource.action().params.iter().find(|param| param.is_called(name));
        if let Some(param) = known
            && percent_decode_str(value).decode_utf8().is_err()
        {
            return Err(ApiError::WrongType { param: param.name, expected: "text in UTF-8" });
        }
    }
    Ok(())
}

/// The tag of an answer: another one whenever the body may differ.
fn tag_of(version: AnswerVersion<'_>, format: Format, address: &str) -> HeaderValue {
    let AnswerVersion { snapshot, permit, today } = version;
    TagHash::new()
        .part(format.suffix())
        .part(today)
        .part(address)
        .part(&snapshot.rendered.plain)
        // the guide of a snapshot is another one on another day, and when something is hidden
        .part(snapshot.version.day)
        .part(snapshot.version.hidden)
        .part(permit.plan().as_str())
        .part(permit.view() == View::Full)
        .part(permit.covers_everything())
        .tag()
}

#[cfg(test)]
mod tests {
    use hyper::header::ACCEPT;

    use super::*;

    fn read(path: &str, query: &str) -> Result<Params<'static>, ApiError> {
        let resource = RESOURCES.iter().find(|resource| resource.path == path).expect("an address");
        parameters(*resource, Format::Json, None, query)
    }

    #[test]
    fn lists_are_separated_by_commas_or_repeated() {
        let param = |name: &str| {
            let mut params = EVENTS.action().params.iter().copied();
            params.find(|param| param.name == name).expect("a parameter")
        };
        for query in ["category=jazz,samba", "category=jazz&category=samba", "category=jazz%2C+samba"] {
            let params = read("/v1/events", query).expect("parameters");
            let values = params.texts(param("category")).expect("a list");
            assert_eq!(values.as_slice(), [(1, "jazz"), (2, "samba")], "{query}");
        }
        let params = read("/v1/events", "q=samba,+jazz").expect("parameters");
        assert_eq!(params.text(param("q")), Ok(Some("samba, jazz")), "q is a text");
    }

    #[test]
    fn a_key_in_an_address_is_an_error() {
        for query in ["key=x", "q=a&API_KEY=b", "access_token=c", "q=cdg_live_abc", "q=cdg_calendar_abc"] {
            assert_eq!(read("/v1/events", query).err(), Some(ApiError::KeyInUrl), "{query}");
        }
    }

    #[test]
    fn the_format_that_the_client_prefers_is_taken() {
        let accepted = |accept: &'static str, offered: &[Format]| {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT, HeaderValue::from_static(accept));
            Format::accepted(&headers, offered)
        };
        assert_eq!(accepted("text/html, text/calendar;q=0.5", &Format::OTHERS), Format::Calendar);
        assert_eq!(accepted("text/csv", &[Format::GeoJson]), Format::Json);
        for (accept, format) in [
            ("", Format::Json),
            ("*/*", Format::Json),
            ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", Format::Json),
            ("Application/Geo+JSON", Format::GeoJson),
            ("application/json, text/csv;q=0.1", Format::Json),
            ("text/csv;q=0.1, application/json", Format::Json),
            ("application/json;q=0.1, text/csv", Format::Csv),
            ("application/json;q=0.1, text/csv;q=0.5, */*", Format::Csv),
            ("text/csv;q=0", Format::Json),
            ("text/csv;q=0, text/calendar;q=0.1", Format::Calendar),
            ("application/json, application/geo+json;q=0.5", Format::Json),
            ("application/json, text/csv", Format::Json),
            ("text/csv, application/json", Format::Csv),
            ("text/csv, */*", Format::Csv),
            ("text/csv;q=0.5, */*;q=0.8", Format::Json),
            ("text/csv;header=present;q=0.5, text/calendar;q=0.6", Format::Calendar),
        ] {
            assert_eq!(accepted(accept, &Format::OTHERS), format, "{accept}");
        }
    }
}
