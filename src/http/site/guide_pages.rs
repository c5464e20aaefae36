//! The responses made from the snapshot in service: the front page, searches, lists, records and the sitemap.

use std::time::Instant;

use axum::body::Body;
use bytes::Bytes;
use chrono::{Days, NaiveDate};
use hyper::header::{HeaderMap, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Request, Response, StatusCode, Uri};
use index::Window;
use snapshots::split_date;
use url::form_urlencoded;

use crate::actions::Params;
use crate::dispatch::{ActionRequest, Credentials, Input, SITE_RESULTS, SiteSearch, Surface};
use crate::domain::action::ActionId;
use crate::domain::clock::Moment;
use crate::domain::error::ApiError;
use crate::domain::records::{ByKind, Records};
use crate::http::encoded::Encoded;
use crate::http::etags;
use crate::http::language::Language;
use crate::http::response::DocumentBody;
use crate::http::site::data::page_data::PageData;
use crate::http::site::data::record_view::RecordRef;
use crate::http::site::data::upcoming::Series;
use crate::http::site::developers::docs;
use crate::http::site::guide::home::PartOfDay;
use crate::http::site::guide::record;
use crate::http::site::guide::results::{self, Results, room_for};
use crate::http::site::guide::search_query::{RecordFilter, SearchQuery};
use crate::http::site::guide::series;
use crate::http::site::guide::series::MissingDate;
use crate::http::site::layout::Layout;
use crate::http::site::layout::components::{NoPage, Show};
use crate::http::site::layout::form_fields::query_field;
use crate::http::site::layout::i18n::FormError;
use crate::http::site::page_cache::InService;
use crate::http::site::service::service_pages;
use crate::http::site::share::sitemap;
use crate::http::site::state::{CountedWithAction, Site};
use crate::http::{error_response, response};
use crate::render::{Buffer, JsonBody};

/// The minute of the day for pages that change within it, which they do at most every ten minutes.
pub(crate) fn rounded_minute(moment: Moment) -> u16 {
    const STEP: u16 = 10;
    moment.minute_of_day() / STEP * STEP
}

/// The number of the page that an address asks for; 1 unless it is a number.
fn page_number(uri: &Uri) -> usize {
    // of 32 bits, so that a place on it can be calculated
    let number = query_field(uri, "page").and_then(|number| number.parse::<u32>().ok());
    number.and_then(|number| usize::try_from(number).ok()).filter(|number| *number > 0).unwrap_or(1)
}

/// A query without the number of a page.
fn without_page(query: &str) -> String {
    let kept = form_urlencoded::parse(query.as_bytes()).filter(|(name, _)| name != "page");
    let mut kept = kept.peekable();
    match kept.peek() {
        Some(_) => form_urlencoded::Serializer::for_suffix(String::from("?"), 1).extend_pairs(kept).finish(),
        None => String::new(),
    }
}

/// The series with this id, or the one that has, or had, a date with this id.
pub(crate) fn series_of<'d>(data: &'d PageData, id: &str) -> Option<(&'d Series, Option<NaiveDate>)> {
    if let Some(series) = data.upcoming.with_id(id) {
        return Some((series, None));
    }
    let (id, date) = split_date(id)?;
    Some((data.upcoming.with_id(id)?, Some(date)))
}

/// Whether an event is on today, or was yesterday and may go on after midnight.
fn changes_today(show: Show<'_>, of: RecordRef) -> bool {
    let today = show.data.day;
    let days = Window { from: today - Days::new(1), to: today };
    of.is_event() && show.guide.events.is_on(of.rank, days)
}

impl Site {
    /// The front page, or the results of the search in the query.
    pub(crate) fn front(&self, language: Language, head: &Parts) -> Response<Body> {
        let query = head.uri.query().unwrap_or_default();
        let search = SearchQuery::parse(query);
        if search.numbers_nothing() {
            // pages after the first are found by their cursor alone
            let address = format!("{}{}", head.uri.path(), without_page(query));
            return self.see_other(&address, &head.headers);
        }
        let moment = self.dispatcher.clock.moment();
        let Some(in_service) = self.in_service() else {
            return self.search_error(language, None, &search, query, &ApiError::NoGuide, &head.headers);
        };
        let search = search.with_area_name(in_service.0.guide.vocabulary());
        let cache = &in_service.1;
        if search.is_empty() {
            let (page, tag) = cache.front(language, PartOfDay::at(moment.minute_of_day()));
            return self.cached_page(DocumentBody::Kept(page), tag, &head.headers);
        }
        // lists of today say what has begun
        let tag = cache.tag(language, &format!("{query} {}", rounded_minute(moment)));
        if let Some(response) = self.unchanged(&tag, &head.headers) {
            return response;
        }
        let mut response = match self.search(language, head, &search, &in_service, moment) {
            // not kept: most questions are new, and would take the place of pages that are asked for again
            Ok(page) => self.cached_page(DocumentBody::Once(page.into()), tag, &head.headers),
            Err(error) => {
                self.search_error(language, Some(&cache.data), &search, query, &error, &head.headers)
            }
        };
        response.extensions_mut().insert(CountedWithAction);
        response
    }

    /// The page of results.
    fn search(
        &self,
        language: Language,
        head: &Parts,
        search: &SearchQuery<'_>,
        (snapshot, cache): &InService,
        moment: Moment,
    ) -> Result<String, ApiError> {
        let began = Instant::now();
        let query = head.uri.query().unwrap_or_default();
        let kinds: &[Records] = match search.kind() {
            RecordFilter::All => &[Records::Events, Records::Places],
            RecordFilter::Events => &[Records::Events],
            RecordFilter::Places => &[Records::Places],
        };
        let client = self.accounts.client(head);
        let params = search.params(cache.data.day);
        let (layout, data, guide) = (self.layout(language), &cache.data, &snapshot.guide);
        let now = rounded_minute(moment);
        let show = Show { now: Some(now), ..Show::new(layout, data, guide) };
        let begun = data.begun_today.at(now, guide, data.directory.home, data.day);
        // a first page has room for what has begun, at its end
        let room = if search.cursor.is_empty() { room_for(search, &begun) } else { 0 };
        let asked = SiteSearch { sought: kinds, params: &params, limit: SITE_RESULTS + room };
        match self.dispatcher.visit(snapshot, client, asked, moment, began) {
            Err(ApiError::PlanRegion { .. }) => Ok(results::paid_area(layout, data, search, query)),
            found => {
                let ByKind { places, events } = found?;
                let (events, places) = (events.as_ref(), places.as_ref());
                Ok(Results { show, search, query, events, places, begun: &begun }.page())
            }
        }
    }

    /// 304 for a client that names the tag of a page in any coding. There is a page that has it, which was not
    /// looked up.
    pub(crate) fn unchanged(&self, tag: &HeaderValue, headers: &HeaderMap) -> Option<Response<Body>> {
        let known = etags::known(headers, tag)?;
        Some(self.cached_page(DocumentBody::Once(Bytes::new()), known, headers))
    }

    /// A page that is rendered unless the client has it or it was asked for lately.
    fn recent_page(
        &self,
        tag: HeaderValue,
        headers: &HeaderMap,
        render: impl FnOnce() -> Result<String, ApiError>,
    ) -> Result<Response<Body>, ApiError> {
        if let Some(response) = self.unchanged(&tag, headers) {
            return Ok(response);
        }
        let body = self.recent.body(&tag, render)?;
        Ok(self.cached_page(body, tag, headers))
    }

    fn search_error(
        &self,
        language: Language,
        data: Option<&PageData>,
        search: &SearchQuery<'_>,
        query: &str,
        error: &ApiError,
        headers: &HeaderMap,
    ) -> Response<Body> {
        let layout = self.layout(language);
        let mut wrong = Vec::new();
        // a search stops at its first mistake
        if let Some(data) = data.filter(|_| error.details().param.is_some()) {
            let check =
                |field: SearchQuery<'_>| self.dispatcher.check_search(None, &field.params(data.day)).err();
            wrong.extend(search.fields().filter_map(check));
            // no mistake: such a search alone leads to the plans
            wrong.retain(|error| !matches!(error, ApiError::PlanRegion { .. }));
        }
        let told = if wrong.is_empty() { std::slice::from_ref(error) } else { &wrong };
        let shown: Vec<_> = told.iter().map(|error| FormError::new(layout.texts, error)).collect();
        self.error(error, results::error_page(layout, data, search, query, &shown), headers)
    }

    /// The page for an error, without a search.
    pub(crate) fn plain_error(
        &self,
        language: Language,
        error: &ApiError,
        headers: &HeaderMap,
    ) -> Response<Body> {
        self.search_error(language, None, &SearchQuery::default(), "", error, headers)
    }

    /// The page of a place or an event.
    pub(crate) fn record(
        &self,
        language: Language,
        records: Records,
        id: &str,
        request: &Request<Body>,
    ) -> Response<Body> {
        let headers = request.headers();
        match self.found_record(language, records, id, request) {
            Ok(response) => response,
            Err(error @ ApiError::NoGuide) => self.plain_error(language, &error, headers),
            Err(_) => self.not_found(language, request.uri(), headers),
        }
    }

    fn found_record(
        &self,
        language: Language,
        records: Records,
        id: &str,
        request: &Request<Body>,
    ) -> Result<Response<Body>, ApiError> {
        let (snapshot, cache) = self.in_service().ok_or(ApiError::NoGuide)?;
        let show = Show::new(self.layout(language), &cache.data, &snapshot.guide);
        let now = rounded_minute(self.dispatcher.clock.moment());
        let path = request.uri().path();
        match show.find(records, id) {
            Some(found) => {
                // what may be on today changes within the day
                let show = Show { now: changes_today(show, found).then_some(now), ..show };
                let tag = cache.tag(language, &format!("{path} {:?}", show.now));
                self.recent_page(tag, request.headers(), || Ok(record::page(show, found)))
            }
            None => {
                let series = series_of(&cache.data, id).filter(|_| records == Records::Events);
                let (series, date) = series.ok_or(ApiError::NotFound)?;
                let missing = match date {
                    Some(date) => {
                        let rule = snapshot.rules.get(&series.id);
                        Some(MissingDate::of(date, rule, cache.data.day).ok_or(ApiError::NotFound)?)
                    }
                    None => None,
                };
                let next = series.dates.first().map(|(rank, _)| RecordRef::event(*rank));
                let is_timed = next.is_some_and(|next| changes_today(show, next));
                let show = Show { now: is_timed.then_some(now), ..show };
                let tag = cache.tag(language, &format!("{path} {:?}", show.now));
                let render = || Ok(series::page(show, series, missing));
                self.recent_page(tag, request.headers(), render)
            }
        }
    }

    /// What the record with a page at this path, in Portuguese, is called, if the site shows it.
    pub(crate) fn record_name(&self, path: &str) -> Option<String> {
        let (snapshot, cache) = self.in_service()?;
        let show = Show::new(self.layout(Language::Portuguese), &cache.data, &snapshot.guide);
        let (records, id) = match path.strip_prefix("/place/") {
            Some(id) => (Records::Places, id),
            None => (Records::Events, path.strip_prefix("/event/")?),
        };
        let found = show.find(records, id).or_else(|| {
            let (series, _) = series_of(&cache.data, id).filter(|_| records == Records::Events)?;
            Some(RecordRef::event(series.dates.first()?.0))
        })?;
        Some(show.record(found).name.into_owned())
    }

    /// A page of the agenda, or of an area or a category. `render` says why where there is no page; it is given the
    /// number of the page in the query, and the minute of the day if the page changes within the day. A number that is
    /// too high, as a list had more pages once, leads to the last one.
    pub(crate) fn list_page(
        &self,
        language: Language,
        request: &Request<Body>,
        is_timed: bool,
        render: impl FnOnce(Show<'_>, usize) -> Result<String, NoPage>,
    ) -> Response<Body> {
        let headers = request.headers();
        let moment = self.dispatcher.clock.moment();
        let Some((snapshot, cache)) = self.in_service() else {
            return self.plain_error(language, &ApiError::NoGuide, headers);
        };
        let number = page_number(request.uri());
        let now = is_timed.then(|| rounded_minute(moment));
        let query = request.uri().query().unwrap_or_default();
        let address = format!("{} {query} {number} {now:?}", request.uri().path());
        let (layout, data) = (self.layout(language), &cache.data);
        let show = Show { now, ..Show::new(layout, data, &snapshot.guide) };
        let mut missing = NoPage::Unknown;
        let response = self.recent_page(cache.tag(language, &address), headers, || {
            render(show, number).map_err(|why| {
                missing = why;
                ApiError::NotFound
            })
        });
        match (response, missing) {
            (Ok(response), _) => response,
            (Err(_), NoPage::After(last)) => {
                let query = if last > 1 { format!("?page={last}") } else { String::new() };
                self.see_other(&format!("{}{query}", request.uri().path()), headers)
            }
            (Err(_), NoPage::Unknown) => self.not_found(language, request.uri(), headers),
        }
    }

    /// A page that `render` makes with a question that the snapshot answers; empty without a snapshot.
    pub(crate) fn page_with_question(
        &self,
        language: Language,
        request: &Request<Body>,
        render: impl FnOnce(&Layout, &str) -> String,
    ) -> Response<Body> {
        let (headers, path) = (request.headers(), request.uri().path());
        let layout = self.layout(language);
        let response = match self.in_service() {
            Some((_, cache)) => {
                let question = cache.data.first_suggestion(language);
                self.recent_page(cache.tag(language, path), headers, || Ok(render(layout, question)))
            }
            None => self.recent_page(self.static_tag(path), headers, || Ok(render(layout, ""))),
        };
        match response {
            Ok(response) => response,
            Err(_) => self.not_found(language, request.uri(), headers),
        }
    }

    /// The page about the guide, rendered once for a snapshot.
    pub(crate) async fn about(&self, language: Language, head: &Parts) -> Response<Body> {
        let headers = &head.headers;
        let in_service = self.in_service();
        let page = match &in_service {
            Some(in_service) => {
                self.pages.about(language, in_service).await.map(|page| (page, &in_service.1))
            }
            None => Err(ApiError::NoGuide),
        };
        match page {
            Ok((page, cache)) => {
                let tag = cache.tag(language, head.uri.path());
                self.cached_page(DocumentBody::Kept(page), tag, headers)
            }
            Err(error) => self.plain_error(language, &error, headers),
        }
    }

    /// The state of the service at this moment.
    pub(crate) fn status(&self, language: Language, request: &Request<Body>) -> Response<Body> {
        let snapshot = self.dispatcher.serving.current();
        let now = self.dispatcher.clock.now();
        let page =
            service_pages::status(self.layout(language), snapshot.as_deref(), (self.store_fault)(), now);
        self.uncached(StatusCode::OK, page.into(), request.headers())
    }

    /// Asks the preview what the query says, as a search does, and shows the answer.
    pub(crate) async fn attempt(&self, language: Language, head: &Parts) -> Response<Body> {
        let began = Instant::now();
        let question = query_field(&head.uri, "q").unwrap_or_default();
        let question = question.trim();
        let is_places = query_field(&head.uri, "kind").is_some_and(|kind| kind == "places");
        let layout = self.layout(language);
        let in_service = self.in_service();
        let example = in_service.as_ref().map_or("", |(_, cache)| cache.data.first_suggestion(language));
        let params = docs::params(question, is_places);
        let mut trial = docs::Trial { question, params: &params, is_places, example, outcome: None };
        if question.is_empty() {
            let page = docs::try_page(layout, &trial).into();
            return self.uncached(StatusCode::OK, page, &head.headers);
        }
        let action = if is_places { ActionId::SearchPlaces } else { ActionId::SearchEvents };
        let client = self.accounts.client(head);
        let ask = ActionRequest {
            surface: Surface::Site,
            asker: Credentials::Visitor(client),
            input: Input::Call(
                action,
                Params::of_form(
                    params.iter().map(|(name, value)| ((*name).into(), docs::text(value).into())),
                ),
            ),
            began,
            out: Buffer::new(),
        };
        let answered = self.dispatcher.answer(ask, |body: JsonBody<'_>| body.into_json()).await;
        let mut response = match answered.result {
            Ok(json) => {
                trial.outcome = Some(Ok(serde_json::from_slice(&json).unwrap_or_default()));
                self.uncached(StatusCode::OK, docs::try_page(layout, &trial).into(), &head.headers)
            }
            Err(error) => {
                trial.outcome = Some(Err(FormError::new(layout.texts, &error)));
                self.error(&error, docs::try_page(layout, &trial), &head.headers)
            }
        };
        response.extensions_mut().insert(CountedWithAction);
        response
    }

    /// A file of the sitemap. `/sitemap.xml` is the index of the files if there are several.
    pub(crate) async fn sitemap(&self, file: Option<usize>, head: &Parts) -> Response<Body> {
        let kind = HeaderValue::from_static("application/xml; charset=utf-8");
        let Some((snapshot, cache)) = self.in_service() else {
            return error_response(&ApiError::NoGuide, &head.headers);
        };
        let tag = cache.tag(Language::Portuguese, head.uri.path());
        let base = self.layout(Language::Portuguese).base.clone();
        if file.is_none() && cache.sitemap_files.len() > 1 {
            let index = DocumentBody::Once(sitemap::index(&base, cache.sitemap_files.len()).into());
            return response::open(self.cached(kind, index, tag, &head.headers));
        }
        let file = file.unwrap_or(0);
        let coding = Encoded::preferred(&head.headers);
        let body = match cache.sitemap_files.get(file).map(|file| file.get().cloned()) {
            None => return error_response(&ApiError::NotFound, &head.headers),
            Some(Some(body)) => Ok(body),
            // 50,000 addresses take long enough to delay other requests
            Some(None) => {
                let render = move || {
                    let render = || Encoded::from(sitemap::file(&snapshot, &cache.data, &base, file));
                    let document = cache.sitemap_files[file].get_or_init(render).clone();
                    // compressed here for the same reason
                    document.in_coding(coding);
                    document
                };
                tokio::task::spawn_blocking(render).await
            }
        };
        match body {
            Ok(body) => response::open(self.cached(kind, DocumentBody::Kept(body), tag, &head.headers)),
            Err(_) => error_response(&ApiError::Internal, &head.headers),
        }
    }
}
