//! One request to an action, from its parameters to its answer. [`Dispatcher::answer`] and, for clients that may
//! have the answer already, [`Dispatcher::answer_unless`] are the only ways to an answer of `/v1` and `/mcp`; the order
//! of all checks is visible in what both run.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use chrono::NaiveDate;
use index::AreaId;
use index::rendered::RenderedJson;
use prometheus_client::metrics::counter::Counter;
use serde_json::json;
use tokio::runtime::Handle;

use crate::actions::answers::Attribution;
use crate::actions::{
    self, ACTIONS, COUNTED, DEFAULT_LIMIT, LeftOut, Listing, MatchLevel, Params, QueryContext, Remarks,
    SearchOutcome,
};
use crate::asked::{Recorder, Who};
use crate::config::Config;
use crate::domain::clock::{Clock, Moment};
use crate::domain::error::ApiError;
use crate::domain::plan::{Figures, Plan};
use crate::domain::records::{ByKind, Records};
use crate::domain::token::TokenKind;
use crate::metrics::{Metrics, SearchCounters, Series};
use crate::quota::gate::{Gate, PREVIEW_DAYS, PREVIEW_RESULTS, Permit, Standing};
use crate::quota::keys::{Caller, Keys};
use crate::quota::leases::{Quota, Usage};
use crate::render::{Buffer, JsonBody};
use crate::request_log;
use crate::serving::{Serving, ServingSnapshot};
use crate::store::{ChangeListener, Store};

/// Everything that a request to an action needs.
pub struct Dispatcher {
    /// The snapshot in service.
    pub serving: Serving,
    /// The time.
    pub clock: Clock,
    /// The callers by their keys.
    pub keys: Arc<Keys>,
    /// Admits callers, and charges what is no action.
    pub gate: Gate,
    /// What accounts have spent.
    pub quota: Arc<Quota>,
    base_url: String,
    texts: Texts,
    v1: SurfaceMetrics,
    mcp: SurfaceMetrics,
    site: SurfaceMetrics,
    /// By plan, and of the preview.
    calls: [Counter; PREVIEW + 1],
    /// By the row of the action.
    searches: Vec<Option<SearchCounters>>,
    asked: Recorder,
}

/// The place of the preview among the counters of calls, behind the plans.
const PREVIEW: usize = Plan::ALL.len();

/// Fields that are the same in many answers, rendered once.
struct Texts {
    /// `attribution` on the free plan and in the preview, without its closing brace.
    free_attribution: RenderedJson,
    /// `attribution` on paid plans, likewise.
    paid_attribution: RenderedJson,
    /// The end of `attribution` in answers without positions; [`ServingSnapshot::positions_credit`] ends the others.
    no_positions: RenderedJson,
    /// `notice` of the preview.
    preview: String,
    /// `notice` of the preview when it covers none of the requested days.
    preview_without_days: String,
}

/// The request metrics of a surface: one series for each action, in the order of the table, and one for requests that
/// reach no action.
struct SurfaceMetrics {
    actions: Vec<Series>,
    none: Series,
}

impl SurfaceMetrics {
    fn new(metrics: &Metrics, path: &'static str) -> Self {
        Self {
            actions: ACTIONS.iter().map(|action| metrics.series(path, action.name)).collect(),
            none: metrics.series(path, "none"),
        }
    }

    fn record(&self, row: Option<usize>, status: u16, took: Duration) {
        row.map_or(&self.none, |row| &self.actions[row]).answered(status, took);
    }
}

/// One request to an action.
pub struct ActionRequest<'a> {
    /// Where it came in.
    pub surface: Surface,
    /// Who sent it.
    pub asker: Credentials<'a>,
    /// What it asks for.
    pub input: Input<'a>,
    /// When it arrived.
    pub began: Instant,
    /// Where the answer goes, behind what is in it.
    pub out: Buffer,
}

impl<'a> ActionRequest<'a> {
    /// A request to `/v1` that arrives now.
    pub fn v1(asker: Credentials<'a>, body: Result<Bytes, ApiError>) -> ActionRequest<'a> {
        let input = Input::Body(body);
        ActionRequest { surface: Surface::V1, asker, input, began: Instant::now(), out: Buffer::new() }
    }
}

/// Where a request to an action comes in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Surface {
    /// `POST /v1`.
    V1,
    /// A tool or a resource of `/mcp`.
    Mcp,
    /// A page that tries a question as an agent asks it.
    Site,
}

/// Who sent a request to an action.
pub enum Credentials<'a> {
    /// The holder of the key in the headers, which is required.
    Key(Result<Option<&'a [u8]>, ApiError>),
    /// A web page with a browser token, and the origin that its browser names.
    Page {
        /// The token as it was sent.
        token: &'a [u8],
        /// The origin, if there is one.
        origin: Option<&'a [u8]>,
    },
    /// A calendar program, with the token in the address that it reads.
    Calendar(&'a [u8]),
    /// A caller whose key was looked up before.
    Caller(Arc<Caller>),
    /// A client without a key, at this address: it gets the preview.
    Visitor(IpAddr),
}

/// What a request to an action asks for.
pub enum Input<'a> {
    /// A JSON object that names the action, or why the body could not be read.
    Body(Result<Bytes, ApiError>),
    /// The action in this row of the table.
    Call(usize, Params<'a>),
}

/// What a request resulted in.
#[derive(Debug)]
pub struct ActionResponse<T> {
    /// The answer or the error.
    pub result: Result<T, ApiError>,
    /// What the caller has left; `None` when it is not known.
    pub standing: Option<Standing>,
}

/// What an answer depends on beside the question.
#[derive(Clone, Copy)]
pub struct AnswerVersion<'a> {
    /// The snapshot that answers.
    pub snapshot: &'a ServingSnapshot,
    /// What the caller may see.
    pub permit: Permit,
    /// The day in Brasília, YYYY-MM-DD.
    pub today: &'a str,
}

/// The holder of a key, at an endpoint that is no action.
pub struct Admission<P> {
    /// Who it is.
    pub caller: Arc<Caller>,
    /// What the caller may do, or the limit that is used up.
    pub permit: Result<P, ApiError>,
}

/// What became known of a request before it succeeded or failed.
#[derive(Default)]
struct Progress {
    caller: Option<Arc<Caller>>,
    row: Option<usize>,
}

/// How many records a page of the site lists.
pub const SITE_RESULTS: usize = 24;

impl Surface {
    fn default_limit(self) -> usize {
        match self {
            Surface::V1 => DEFAULT_LIMIT.of_v1,
            Surface::Mcp | Surface::Site => DEFAULT_LIMIT.of_agents,
        }
    }

    /// Whether answers are those for agents: short, and each series once.
    fn answers_agents(self) -> bool {
        self != Surface::V1
    }
}

impl Dispatcher {
    /// A dispatcher for these parts. Leases are renewed on `background`.
    pub fn new(
        config: &Config,
        serving: Serving,
        clock: Clock,
        store: Arc<dyn Store>,
        background: Handle,
        metrics: &Metrics,
        asked: Recorder,
    ) -> Self {
        let quota =
            Arc::new(Quota::new(store.clone(), COUNTED, clock.clone(), background, metrics.leases.clone()));
        let keys = Arc::new(Keys::new(store, quota.clone(), metrics.keys.clone()));
        Self {
            serving,
            clock,
            keys,
            gate: Gate::new(config, quota.clone()),
            quota,
            base_url: config.base_url.as_str().to_owned(),
            texts: Texts::new(config),
            v1: SurfaceMetrics::new(metrics, "/v1"),
            mcp: SurfaceMetrics::new(metrics, "/mcp"),
            site: SurfaceMetrics::new(metrics, "/"),
            calls: std::array::from_fn(|at| {
                metrics.calls(Plan::ALL.get(at).map_or("preview", |plan| plan.as_str()))
            }),
            searches: (0..ACTIONS.len())
                .map(|row| {
                    let is_search =
                        [Records::Events, Records::Places].iter().any(|records| records.row() == row);
                    is_search.then(|| metrics.searches(ACTIONS[row].name))
                })
                .collect(),
            asked,
        }
    }

    fn count_search(&self, row: usize, found: SearchOutcome) {
        let Some(counters) = &self.searches[row] else { return };
        match found.outcome {
            MatchLevel::Exact => counters.exact.inc(),
            MatchLevel::Closest => counters.closest.inc(),
            MatchLevel::Nothing => counters.none.inc(),
        };
    }

    /// Answers a request and counts it. `finish` makes the response body from the JSON.
    pub async fn answer<T>(
        &self,
        ask: ActionRequest<'_>,
        finish: impl FnOnce(JsonBody<'_>) -> T + Send,
    ) -> ActionResponse<T> {
        self.answer_unless(ask, |_| Ok(None), finish).await
    }

    /// The same for a client that may have the answer already, or may not get it in the form that it asks for: what
    /// `kept` returns, when the request has passed all other checks but that of the month, is answered in place of a
    /// new body, and is no call of the month.
    pub async fn answer_unless<T>(
        &self,
        ask: ActionRequest<'_>,
        kept: impl FnOnce(AnswerVersion<'_>) -> Result<Option<T>, ApiError> + Send,
        finish: impl FnOnce(JsonBody<'_>) -> T + Send,
    ) -> ActionResponse<T> {
        let (surface, began, moment) = (ask.surface, ask.began, self.clock.moment());
        let mut progress = Progress::default();
        let result = self.run(ask, moment, &mut progress, kept, finish).await;
        if let Some(row) = progress.row {
            request_log::ran(ACTIONS[row].name);
        }
        let metrics = match surface {
            Surface::V1 => &self.v1,
            Surface::Mcp => &self.mcp,
            Surface::Site => &self.site,
        };
        metrics.record(progress.row, status(&result), began.elapsed());
        // a blocked account has no quotas
        let caller = progress.caller.as_ref().filter(|caller| !caller.account.is_blocked);
        let standing = caller.map(|caller| self.gate.standing(caller, moment));
        if let Some(caller) = progress.caller {
            request_log::sent_by(caller);
        }
        ActionResponse { result, standing }
    }

    /// The order of the contract: size, JSON, key, minute, action, parameters, plan, month, run. The first check that
    /// fails decides the error, and only a request that passes all of them is charged to the month.
    async fn run<T>(
        &self,
        ask: ActionRequest<'_>,
        moment: Moment,
        progress: &mut Progress,
        kept: impl FnOnce(AnswerVersion<'_>) -> Result<Option<T>, ApiError>,
        finish: impl FnOnce(JsonBody<'_>) -> T,
    ) -> Result<T, ApiError> {
        // size (checked while the body was read), JSON
        let body;
        let params = match ask.input {
            Input::Body(read) => {
                body = read?;
                Params::parse(&body)?
            }
            Input::Call(row, params) => {
                progress.row = Some(row);
                params
            }
        };
        // key, then a call of the minute
        let visitor = match ask.asker {
            Credentials::Visitor(address) => Some(address),
            _ => None,
        };
        let permit = self.admit_asker(ask.asker, moment, &mut progress.caller).await?;
        let caller = progress.caller.as_deref();
        // action
        let row = match progress.row {
            Some(row) => row,
            None => *progress.row.insert(actions::named(&params)?),
        };
        let action = &ACTIONS[row];
        // parameters, plan
        let snapshot = self.serving.current().ok_or(ApiError::NoGuide)?;
        request_log::answered_from(snapshot.version.serial);
        let usage = match caller.filter(|_| action.needs_usage()) {
            Some(caller) => Some(Box::pin(self.usage(caller, moment)).await?),
            None => None,
        };
        let context = QueryContext {
            snapshot: &snapshot,
            today: moment.today.date(),
            permit,
            default_limit: ask.surface.default_limit(),
            groups_series: ask.surface.answers_agents(),
            brief: ask.surface.answers_agents(),
            base_url: &self.base_url,
            usage: usage.as_ref().map(|(usage, figures)| (usage, *figures)),
        };
        let prepared = (action.prepare)(context, &params)?;
        let today = moment.today.as_str();
        if let Some(kept) = kept(AnswerVersion { snapshot: &snapshot, permit, today })? {
            return Ok(kept);
        }
        // a call of the month
        if let Some(caller) = caller
            && action.counted
        {
            self.gate.charge(caller, moment, row).await?;
        }
        // run
        let mut body = JsonBody::behind(ask.out);
        body.field("ok", &true);
        body.field("today", today);
        body.field("plan", permit.plan().as_str());
        body.field("action", action.name);
        let mut remarks = prepared.write(&mut body);
        let who = caller.map(|caller| Who::Account(&caller.account.id)).or(visitor.map(Who::Visitor));
        self.count_answer(row, permit, &mut remarks, &snapshot, who);
        body.prerendered(&snapshot.rendered);
        body.field("weekday", moment.today.weekday());
        self.texts.close(&mut body, &snapshot, permit, &remarks);
        body.optional("warnings", actions::warnings(action, &params, permit.view()).as_ref());
        Ok(finish(body))
    }

    /// The calls of the month and the limits of a caller, for the action that reports them.
    async fn usage(&self, caller: &Caller, moment: Moment) -> Result<(Usage, Figures), ApiError> {
        // those to whom an owner hands tokens out need not know how much the owner uses
        if caller.scope.is_some() {
            return Err(ApiError::TokenScope);
        }
        Ok((self.gate.usage(caller, moment).await?, self.gate.figures(caller)))
    }

    /// Finds who asks, and admits them for a call of the minute. `caller` is set before that may fail.
    async fn admit_asker(
        &self,
        asker: Credentials<'_>,
        moment: Moment,
        caller: &mut Option<Arc<Caller>>,
    ) -> Result<Permit, ApiError> {
        match asker {
            Credentials::Key(key) => {
                let key = key?.ok_or(ApiError::MissingKey)?;
                self.gate.admit(caller.insert(self.keys.caller(key).await?), moment).await
            }
            Credentials::Page { token, origin } => {
                let holder = self.keys.token_holder(TokenKind::Browser, token).await?;
                self.gate.admit_page(caller.insert(holder), origin, moment)
            }
            Credentials::Calendar(token) => {
                let holder = self.keys.token_holder(TokenKind::Calendar, token).await?;
                self.gate.admit_calendar(caller.insert(holder), moment)
            }
            Credentials::Caller(known) => self.gate.admit(caller.insert(known), moment).await,
            Credentials::Visitor(address) => self.gate.admit_visitor(address, moment),
        }
    }

    /// Counts an answer, what it found, and what was asked and not found.
    fn count_answer(
        &self,
        row: usize,
        permit: Permit,
        remarks: &mut Remarks,
        snapshot: &Arc<ServingSnapshot>,
        who: Option<Who<'_>>,
    ) {
        self.calls[if permit.is_preview() { PREVIEW } else { permit.plan() as usize }].inc();
        if let Some(found) = remarks.found {
            self.count_search(row, found);
            request_log::found(found.listed);
        }
        if let Some((unmet, who)) = remarks.unmet.take().zip(who) {
            self.asked.record(unmet, snapshot, who);
        }
    }

    /// Charges a caller one call of the month, for what has this place in [`COUNTED`].
    pub async fn charge(
        &self,
        caller: &Caller,
        moment: Moment,
        counted: usize,
        plan: Plan,
    ) -> Result<(), ApiError> {
        self.gate.charge(caller, moment, counted).await?;
        self.calls[plan as usize].inc();
        Ok(())
    }

    /// The end of an answer to a paying caller: the snapshot, and whom to credit.
    pub fn paid_credit(&self, snapshot: &ServingSnapshot) -> String {
        [&snapshot.rendered, &self.texts.paid_attribution, &snapshot.positions_credit]
            .map(|part| part.plain.as_str())
            .concat()
    }

    /// The caller that holds the key in the headers; `None` when no key was sent.
    pub async fn holder(
        &self,
        key: Result<Option<&[u8]>, ApiError>,
    ) -> Result<Option<Arc<Caller>>, ApiError> {
        let Some(key) = key? else { return Ok(None) };
        let caller = self.keys.caller(key).await?;
        caller.account.check_not_blocked()?;
        Ok(Some(caller))
    }

    /// Finds the caller by the key in the headers and admits it for a call of the minute, for endpoints that are not
    /// actions.
    pub async fn admit(
        &self,
        key: Result<Option<&[u8]>, ApiError>,
        moment: Moment,
    ) -> Result<Admission<Permit>, ApiError> {
        let caller = self.holder(key).await?.ok_or(ApiError::MissingKey)?;
        let permit = self.gate.admit(&caller, moment).await;
        Ok(Admission { caller, permit })
    }

    /// Finds the caller by the key in the headers and admits it for what its plan does not limit: see
    /// [`Gate::admit_owner`]. The account may be blocked.
    pub async fn admit_owner(
        &self,
        key: Result<Option<&[u8]>, ApiError>,
        client: IpAddr,
        moment: Moment,
    ) -> Result<Admission<()>, ApiError> {
        let caller = self.keys.caller(key?.ok_or(ApiError::MissingKey)?).await?;
        let permit = self.gate.admit_owner(&caller.account.id, client, moment);
        Ok(Admission { caller, permit })
    }

    /// The listener that must hear of changes in the store before the first request is answered.
    pub fn listener(&self) -> ChangeListener {
        self.keys.listener()
    }

    /// Returns unspent leases to the store, after the last request.
    pub async fn close(&self) {
        self.quota.close().await;
    }

    /// Runs a search on the site for at most `limit` records, which has limits of its own and shows what the free plan
    /// sees; see [`actions::find_each`].
    pub fn visit(
        &self,
        snapshot: &Arc<ServingSnapshot>,
        address: IpAddr,
        (sought, params, limit): (&[Records], &Params<'_>, usize),
        moment: Moment,
        began: Instant,
    ) -> Result<ByKind<Option<Listing>>, ApiError> {
        let mut found = self.gate.admit_reader(address, moment).and_then(|()| {
            let context = self.site_context(snapshot, moment.today.date(), limit);
            actions::find_each(context, params, sought)
        });
        let took = began.elapsed();
        request_log::answered_from(snapshot.version.serial);
        match &mut found {
            Ok((pages, unmet)) => {
                if let Some(unmet) = unmet.take() {
                    self.asked.record(unmet, snapshot, Who::Visitor(address));
                }
                self.calls[PREVIEW].inc();
                let pages =
                    || pages.iter().filter_map(|(records, found)| Some((records, &found.as_ref()?.page)));
                for (records, page) in pages() {
                    self.count_search(records.row(), SearchOutcome::from(page));
                }
                request_log::found(pages().map(|(_, page)| page.ranks.len()).sum());
            }
            Err(error) => request_log::refused(error.details().code),
        }
        sought.iter().for_each(|records| self.site.record(Some(records.row()), status(&found), took));
        found.map(|(pages, _)| pages)
    }

    /// What [`Dispatcher::visit`] finds, for a page that suggests the search. Nothing is counted.
    pub fn preview_of_visit(
        &self,
        snapshot: &ServingSnapshot,
        today: NaiveDate,
        sought: &[Records],
        params: &Params<'_>,
    ) -> Result<ByKind<Option<Listing>>, ApiError> {
        let context = self.site_context(snapshot, today, SITE_RESULTS);
        actions::find_each(context, params, sought).map(|(found, _)| found)
    }

    /// Whether a plan, or without one the site, may search events with these parameters, or why not. Nothing is
    /// searched or counted.
    pub fn check_search(&self, plan: Option<Plan>, params: &Params<'_>) -> Result<(), ApiError> {
        let snapshot = self.serving.current().ok_or(ApiError::NoGuide)?;
        let today = self.clock.today().date();
        let context = QueryContext {
            permit: plan.map_or(Permit::PUBLIC, Permit::of_plan),
            ..self.site_context(&snapshot, today, DEFAULT_LIMIT.of_v1)
        };
        (ACTIONS[Records::Events.row()].prepare)(context, params).map(drop)
    }

    /// What an action answers from for a page of the site.
    fn site_context<'a>(
        &'a self,
        snapshot: &'a ServingSnapshot,
        today: NaiveDate,
        default_limit: usize,
    ) -> QueryContext<'a> {
        let base_url = &self.base_url;
        QueryContext {
            snapshot,
            today,
            permit: Permit::PUBLIC,
            default_limit,
            groups_series: true,
            brief: false,
            base_url,
            usage: None,
        }
    }

    /// The area that public pages show.
    pub fn shown_area(&self, snapshot: &ServingSnapshot) -> AreaId {
        Permit::PUBLIC.area(snapshot.free_area)
    }

    /// Counts a page of the site that runs no action.
    pub fn count_page(&self, status: u16, began: Instant) {
        self.site.record(None, status, began.elapsed());
    }

    /// Counts a tool call that failed before it reached the action in row `row`.
    pub fn count_failed_call(&self, row: usize, error: &ApiError, began: Instant) {
        request_log::ran(ACTIONS[row].name);
        self.mcp.record(Some(row), error.details().status, began.elapsed());
    }

    /// Counts a message to `/mcp` that runs no action.
    pub fn count_message(&self, status: u16, began: Instant) {
        self.mcp.record(None, status, began.elapsed());
    }
}

impl Texts {
    fn new(config: &Config) -> Self {
        let attribution = |text: &str, required: bool| {
            let url = config.service_site.as_str();
            let whole = json!(Attribution { text, url, required, positions: None }).to_string();
            RenderedJson::new(format!(",\"attribution\":{}", whole.trim_end_matches('}')))
        };
        let name = &config.service_name;
        let base = config.base_url.as_str();
        let preview = format!(
            "Preview without a key: Plano Piloto only, at most {PREVIEW_RESULTS} results, events of the next \
             {PREVIEW_DAYS} days, basic fields. A free key (POST {base}/v1/signup) adds full pages and any dates; paid \
             plans ({base}/v1/plans) add the whole Federal District, addresses, descriptions and links."
        );
        let without_days =
            format!("Nothing was searched: the requested days are outside the preview. {preview}");
        Self {
            free_attribution: attribution(&format!("Dicas por {name}"), true),
            paid_attribution: attribution(name, false),
            no_positions: RenderedJson::new("}".to_owned()),
            preview,
            preview_without_days: without_days,
        }
    }

    /// Appends how the service is credited and what the plan left out.
    fn close<'a>(
        &'a self,
        body: &mut JsonBody<'a>,
        snapshot: &'a ServingSnapshot,
        permit: Permit,
        remarks: &Remarks,
    ) {
        body.prerendered(match permit.plan() {
            Plan::Free => &self.free_attribution,
            _ => &self.paid_attribution,
        });
        body.prerendered(match remarks.shows_positions {
            true => &snapshot.positions_credit,
            false => &self.no_positions,
        });
        let of_plan = match (permit.is_preview(), remarks.left_out) {
            (_, LeftOut::Nothing) | (false, LeftOut::Usual | LeftOut::AllDays) => "",
            (true, LeftOut::AllDays) => &self.preview_without_days,
            (true, LeftOut::Usual | LeftOut::Area) => &self.preview,
            (false, LeftOut::Area) => AREA_NOTICE,
        };
        match &remarks.explanation {
            None if of_plan.is_empty() => {}
            None => body.field("notice", of_plan),
            Some(explanation) => {
                body.field("notice", format!("{explanation} {of_plan}").trim_end());
            }
        }
    }
}

const AREA_NOTICE: &str =
    "Your plan covers Plano Piloto only: the part of the requested area outside it was left out.";

fn status<T>(result: &Result<T, ApiError>) -> u16 {
    result.as_ref().map_or_else(|error| error.details().status, |_| 200)
}
