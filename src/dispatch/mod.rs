//! One request to an action, from its parameters to its answer. [`Dispatcher::answer`] and, for clients that may
//! have the answer already, [`Dispatcher::begin`] are the only ways to an answer of `/v1` and `/mcp`; both take the
//! same steps, whose order is visible in [`ActionCall`].

mod admission;
mod call;
mod closing;
mod counters;
mod site_search;

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use tokio::runtime::Handle;

pub use admission::Admission;
pub use call::{ActionCall, AdmittedCall, AnswerVersion, PreparedCall};
use closing::Texts;
pub use counters::Counters;
pub use site_search::{SITE_RESULTS, SiteSearch};

use crate::actions::{DEFAULT_LIMIT, Params};
use crate::asked::Recorder;
use crate::config::Config;
use crate::domain::action::ActionId;
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
use crate::serving::Serving;
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
        request: ActionRequest<'_>,
        finish: impl FnOnce(JsonBody<'_>) -> T + Send,
    ) -> ActionResponse<T> {
        let ActionRequest { surface, asker, input, began, out } = request;
        let mut call = self.begin(surface, began);
        let result = call.run(asker, input, out, finish).await;
        call.end(result)
    }

    /// Begins a request that came in here then, for code that takes its steps one by one: for clients that may have the
    /// answer already, or may not get it in the form that they ask for.
    pub fn begin(&self, surface: Surface, began: Instant) -> ActionCall<'_> {
        ActionCall::new(self, surface, began)
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
}
