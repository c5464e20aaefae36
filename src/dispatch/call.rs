//! The steps of a request to an action, in the order of the contract: size, JSON, key, minute, action in
//! [`ActionCall::admit`]; parameters, plan in [`AdmittedCall::prepare`]; month, run in [`PreparedCall::run`]. The first
//! check that fails decides the error, and only a request that passes all of them is charged to the month.
//!
//! Each step is made by the one before it alone, so that no caller can leave one out or change their order. Between the
//! last two a caller may find that the client has the answer, or may not get it: then nothing is charged.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;

use super::{ActionResponse, Credentials, Dispatcher, Input, Surface};
use crate::actions::{self, Action, Params, Prepared, QueryContext, Remarks};
use crate::asked::Who;
use crate::domain::action::{ActionId, CallKind};
use crate::domain::clock::Moment;
use crate::domain::error::ApiError;
use crate::domain::plan::Figures;
use crate::quota::keys::Caller;
use crate::quota::leases::Usage;
use crate::quota::permit::Permit;
use crate::render::{Buffer, JsonBody};
use crate::request_log;
use crate::serving::ServingSnapshot;

/// One request to an action, and what became known of it before it succeeded or failed. It is counted and logged by
/// [`ActionCall::end`], which has to follow, whatever the steps resulted in.
#[must_use]
pub struct ActionCall<'d> {
    dispatcher: &'d Dispatcher,
    surface: Surface,
    began: Instant,
    moment: Moment,
    /// What the parameters are parts of, if they came in a body.
    body: Bytes,
    caller: Option<Arc<Caller>>,
    action: Option<ActionId>,
}

/// A request of a caller who may ask, to an action that exists.
pub struct AdmittedCall<'c> {
    dispatcher: &'c Dispatcher,
    surface: Surface,
    moment: Moment,
    caller: Option<&'c Caller>,
    /// The address of a client without a key.
    visitor: Option<IpAddr>,
    permit: Permit,
    action: &'static Action,
    params: Params<'c>,
    snapshot: Arc<ServingSnapshot>,
    /// For the action that reports it.
    usage: Option<(Usage, Figures)>,
}

/// A request that passed all checks but that of the month.
pub struct PreparedCall<'a> {
    admitted: &'a AdmittedCall<'a>,
    prepared: Box<dyn Prepared<'a> + Send + 'a>,
}

/// What an answer depends on beside the question.
#[derive(Clone, Copy)]
pub struct AnswerVersion<'a> {
    /// The snapshot that answers.
    pub snapshot: &'a Arc<ServingSnapshot>,
    /// What the caller may see.
    pub permit: Permit,
    /// The day in Brasília, YYYY-MM-DD.
    pub today: &'a str,
}

impl<'d> ActionCall<'d> {
    pub(super) fn new(dispatcher: &'d Dispatcher, surface: Surface, began: Instant) -> ActionCall<'d> {
        let moment = dispatcher.clock.moment();
        ActionCall { dispatcher, surface, began, moment, body: Bytes::new(), caller: None, action: None }
    }

    /// The first checks: size, JSON, key, minute, action.
    pub async fn admit<'c>(
        &'c mut self,
        asker: Credentials<'_>,
        input: Input<'c>,
    ) -> Result<AdmittedCall<'c>, ApiError> {
        let ActionCall { dispatcher, surface, moment, body, caller, action, .. } = self;
        let (dispatcher, moment): (&Dispatcher, Moment) = (dispatcher, *moment);
        // size (checked while the body was read), JSON
        let params = match input {
            Input::Body(read) => {
                *body = read?;
                Params::parse(body)?
            }
            Input::Call(id, params) => {
                *action = Some(id);
                params
            }
        };
        // key, then a call of the minute
        let visitor = match asker {
            Credentials::Visitor(address) => Some(address),
            _ => None,
        };
        let permit = dispatcher.admit_asker(asker, moment, caller).await?;
        let caller = caller.as_deref();
        // action
        let id = match *action {
            Some(id) => id,
            None => *action.insert(actions::named(&params)?),
        };
        let action = id.action();
        // what it answers from
        let snapshot = dispatcher.serving.current().ok_or(ApiError::NoGuide)?;
        request_log::answered_from(snapshot.version.serial);
        let usage = match caller.filter(|_| action.needs_usage()) {
            Some(caller) => Some(Box::pin(dispatcher.usage(caller, moment)).await?),
            None => None,
        };
        let surface = *surface;
        Ok(AdmittedCall {
            dispatcher,
            surface,
            moment,
            caller,
            visitor,
            permit,
            action,
            params,
            snapshot,
            usage,
        })
    }

    /// All steps. `finish` makes the response body from the JSON.
    pub(super) async fn run<T>(
        &mut self,
        asker: Credentials<'_>,
        input: Input<'_>,
        out: Buffer,
        finish: impl FnOnce(JsonBody<'_>) -> T,
    ) -> Result<T, ApiError> {
        let admitted = self.admit(asker, input).await?;
        let prepared = admitted.prepare()?;
        Ok(finish(prepared.run(out).await?))
    }

    /// Counts the request, whatever it resulted in.
    pub fn end<T>(self, result: Result<T, ApiError>) -> ActionResponse<T> {
        let ActionCall { dispatcher, surface, began, moment, caller, action, .. } = self;
        if let Some(action) = action {
            request_log::ran(action.as_str());
        }
        dispatcher.counters.count_request(surface, action, &result, began.elapsed());
        // a blocked account has no quotas
        let counted = caller.as_ref().filter(|caller| !caller.account.is_blocked);
        let quota = counted.map(|caller| dispatcher.gate.caller_quota(caller, moment));
        if let Some(caller) = caller {
            request_log::sent_by(caller);
        }
        ActionResponse { result, quota }
    }
}

impl AdmittedCall<'_> {
    /// The last checks before a call of the month: parameters, plan.
    pub fn prepare(&self) -> Result<PreparedCall<'_>, ApiError> {
        let is_of_agent = self.surface.answers_agents();
        let context = QueryContext {
            snapshot: &self.snapshot,
            today: self.moment.today.date(),
            permit: self.permit,
            default_limit: self.surface.default_limit(),
            groups_series: is_of_agent,
            brief: is_of_agent,
            base_url: &self.dispatcher.base_url,
            usage: self.usage.as_ref().map(|(usage, figures)| (usage, *figures)),
        };
        let prepared = (self.action.prepare)(context, &self.params)?;
        Ok(PreparedCall { admitted: self, prepared })
    }
}

impl<'a> PreparedCall<'a> {
    /// What the answer depends on beside the question.
    pub fn version(&self) -> AnswerVersion<'a> {
        let AdmittedCall { snapshot, permit, moment, .. } = self.admitted;
        AnswerVersion { snapshot, permit: *permit, today: moment.today.as_str() }
    }

    /// The parameters, which were checked.
    pub fn params(&self) -> &'a Params<'a> {
        &self.admitted.params
    }

    /// Charges a call of the month, if the action counts, and writes the answer behind what is in `out`.
    pub async fn run(self, out: Buffer) -> Result<JsonBody<'a>, ApiError> {
        let AdmittedCall { dispatcher, caller, action, moment, .. } = self.admitted;
        if let Some(caller) = caller
            && action.counted
        {
            dispatcher.gate.charge(caller, *moment, CallKind::Action(action.id)).await?;
        }
        Ok(self.write(out))
    }

    /// Writes the answer, and counts it.
    fn write(&self, out: Buffer) -> JsonBody<'a> {
        let AdmittedCall { dispatcher, moment, permit, action, params, snapshot, .. } = self.admitted;
        let mut body = JsonBody::behind(out);
        body.field("ok", &true);
        body.field("today", moment.today.as_str());
        body.field("plan", permit.plan().as_str());
        body.field("action", action.name());
        let mut remarks = self.prepared.write(&mut body);
        self.count(&mut remarks);
        body.prerendered(&snapshot.rendered);
        body.field("weekday", moment.today.weekday());
        dispatcher.texts.close(&mut body, snapshot, *permit, &remarks);
        body.optional("warnings", actions::warnings(action, params, permit.view()).as_ref());
        body
    }

    /// Counts an answer, what it found, and what was asked and not found.
    fn count(&self, remarks: &mut Remarks) {
        let AdmittedCall { dispatcher, permit, snapshot, caller, visitor, .. } = self.admitted;
        dispatcher.counters.count_call(*permit);
        if let Some(found) = remarks.found {
            dispatcher.counters.count_search(found);
            request_log::found(found.listed);
        }
        let who = caller.map(|caller| Who::Account(&caller.account.id)).or(visitor.map(Who::Visitor));
        if let Some((unmet, who)) = remarks.unmet.take().zip(who) {
            dispatcher.asked.record(unmet, snapshot, who);
        }
    }
}
