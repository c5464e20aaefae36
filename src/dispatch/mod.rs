//! One request to an action, from its parameters to its answer. [`Dispatcher::answer`] and, for clients that may
//! have the answer already, [`Dispatcher::answer_unless`] are the only ways to an answer of `/v1` and `/mcp`; the order
//! of all checks is visible in what both run.

mod admission;
mod closing;
mod counters;
mod site_search;

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use tokio::runtime::Handle;

pub use admission::Admission;
use closing::Texts;
pub use counters::Counters;
pub use site_search::{SITE_RESULTS, SiteSearch};

use crate::actions::{self, Action, DEFAULT_LIMIT, Params, Prepared, QueryContext, Remarks};
use crate::asked::{Recorder, Who};
use crate::config::Config;
use crate::domain::action::{ActionId, CallKind};
use crate::domain::clock::{Clock, Moment};
use crate::domain::error::ApiError;
use crate::domain::plan::Figures;
use crate::domain::token::TokenKind;
use crate::metrics::Metrics;
use crate::quota::gate::{CallerQuota, Gate};
use crate::quota::keys::{Caller, Keys};
use crate::quota::leases::{Quota, Usage};
use crate::quota::permit::Permit;
use crate::render::{Buffer, JsonBody};
use crate::request_log;
use crate::serving::{Serving, ServingSnapshot};
use crate::store::Store;

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
    /// The metrics of requests.
    pub counters: Counters,
    base_url: String,
    texts: Texts,
    asked: Recorder,
}

/// What a dispatcher works with.
pub struct DispatcherParts<'a> {
    /// The settings.
    pub config: &'a Config,
    /// The snapshot in service.
    pub serving: Serving,
    /// The time.
    pub clock: Clock,
    /// Keys, accounts and what they have spent.
    pub store: Arc<dyn Store>,
    /// Where leases are renewed.
    pub background: Handle,
    /// What is counted.
    pub metrics: &'a Metrics,
    /// Takes what was asked and not found.
    pub asked: Recorder,
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
    /// This action.
    Call(ActionId, Params<'a>),
}

/// What a request resulted in.
#[derive(Debug)]
pub struct ActionResponse<T> {
    /// The answer or the error.
    pub result: Result<T, ApiError>,
    /// What the caller has left; `None` when it is not known.
    pub quota: Option<CallerQuota>,
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

/// What became known of a request before it succeeded or failed.
#[derive(Default)]
struct Progress {
    caller: Option<Arc<Caller>>,
    action: Option<ActionId>,
}

/// A request that was admitted and charged.
struct ChargedCall<'a> {
    action: &'static Action,
    params: &'a Params<'a>,
    snapshot: &'a Arc<ServingSnapshot>,
    permit: Permit,
    moment: Moment,
    who: Option<Who<'a>>,
}

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
    /// A dispatcher for these parts.
    pub fn new(parts: DispatcherParts<'_>) -> Self {
        let DispatcherParts { config, serving, clock, store, background, metrics, asked } = parts;
        let quota = Arc::new(Quota::new(store.clone(), clock.clone(), background, metrics.leases.clone()));
        let keys = Arc::new(Keys::new(store, quota.clone(), metrics.keys.clone()));
        Self {
            serving,
            clock,
            keys,
            gate: Gate::new(config, quota.clone()),
            quota,
            counters: Counters::new(metrics),
            base_url: config.base_url.as_str().to_owned(),
            texts: Texts::new(config),
            asked,
        }
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
        if let Some(action) = progress.action {
            request_log::ran(action.as_str());
        }
        self.counters.count_request(surface, progress.action, &result, began.elapsed());
        // a blocked account has no quotas
        let caller = progress.caller.as_ref().filter(|caller| !caller.account.is_blocked);
        let quota = caller.map(|caller| self.gate.caller_quota(caller, moment));
        if let Some(caller) = progress.caller {
            request_log::sent_by(caller);
        }
        ActionResponse { result, quota }
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
        let mut body = Bytes::new();
        let params = read(ask.input, &mut body, &mut progress.action)?;
        // key, then a call of the minute
        let visitor = match ask.asker {
            Credentials::Visitor(address) => Some(address),
            _ => None,
        };
        let permit = self.admit_asker(ask.asker, moment, &mut progress.caller).await?;
        let caller = progress.caller.as_deref();
        // action
        let id = match progress.action {
            Some(id) => id,
            None => *progress.action.insert(actions::named(&params)?),
        };
        let action = id.action();
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
            self.gate.charge(caller, moment, CallKind::Action(id)).await?;
        }
        // run
        let who = caller.map(|caller| Who::Account(&caller.account.id)).or(visitor.map(Who::Visitor));
        let charged = ChargedCall { action, params: &params, snapshot: &snapshot, permit, moment, who };
        Ok(finish(self.write_answer(ask.out, &*prepared, charged)))
    }

    /// Writes the answer to a request that was admitted and charged, and counts it.
    fn write_answer<'a>(
        &'a self,
        out: Buffer,
        prepared: &dyn Prepared<'a>,
        charged: ChargedCall<'a>,
    ) -> JsonBody<'a> {
        let ChargedCall { action, params, snapshot, permit, moment, who } = charged;
        let mut body = JsonBody::behind(out);
        body.field("ok", &true);
        body.field("today", moment.today.as_str());
        body.field("plan", permit.plan().as_str());
        body.field("action", action.name());
        let mut remarks = prepared.write(&mut body);
        self.count_answer(permit, &mut remarks, snapshot, who);
        body.prerendered(&snapshot.rendered);
        body.field("weekday", moment.today.weekday());
        self.texts.close(&mut body, snapshot, permit, &remarks);
        body.optional("warnings", actions::warnings(action, params, permit.view()).as_ref());
        body
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
        permit: Permit,
        remarks: &mut Remarks,
        snapshot: &Arc<ServingSnapshot>,
        who: Option<Who<'_>>,
    ) {
        self.counters.count_call(permit);
        if let Some(found) = remarks.found {
            self.counters.count_search(found);
            request_log::found(found.listed);
        }
        if let Some((unmet, who)) = remarks.unmet.take().zip(who) {
            self.asked.record(unmet, snapshot, who);
        }
    }
}

/// The parameters of a request; those of a body are parts of it. A body names its action by a parameter,
/// which is read later.
fn read<'a>(
    input: Input<'a>,
    body: &'a mut Bytes,
    action: &mut Option<ActionId>,
) -> Result<Params<'a>, ApiError> {
    match input {
        Input::Body(read) => {
            *body = read?;
            Ok(Params::parse(body)?)
        }
        Input::Call(named, params) => {
            *action = Some(named);
            Ok(params)
        }
    }
}
