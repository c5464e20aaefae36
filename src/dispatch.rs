//! One ask, from name to answer: the only file that calls several rooms, and where every door ends.
//!
//! An ask stops once in each: the key's holder, the gate, the action's reading, the guide, the action's run.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::NaiveDate;
use index::rendered::Twice;
use index::{AreaId, Page};
use serde_json::json;
use tokio::runtime::Handle;

use crate::actions::{self, ACTIONS, Action, Dealt, Known, NAMES, Params, QueryContext, Records, Value};
use crate::config::Config;
use crate::domain::clock::{Clock, Moment};
use crate::domain::error::ApiError;
use crate::domain::plan::{Figures, Plan, Row};
use crate::metrics::{Metrics, Series};
use crate::quota::gate::{Gate, PREVIEW_DAYS, PREVIEW_RESULTS, Permit};
use crate::quota::keys::{Caller, Keys};
use crate::quota::leases::{Quota, QuotaStatus, Usage};
use crate::quota::preview::PreviewLimiter;
use crate::serving::{self, Serving, ServingSnapshot};
use crate::shape::{Field, Shape, Type};
use crate::sheets;
use crate::soon::Soon;
use crate::store::{ChangeListener, Store};

/// Everything an ask needs, built once.
pub struct Dispatcher {
    /// The guide in service.
    pub live: Serving,
    /// The time.
    pub clock: Clock,
    /// Who holds which key.
    pub keys: Arc<Keys>,
    gate: Gate,
    meter: Arc<Quota>,
    credits: Credits,
    /// What the preview leaves out and how to get it: `,"notice":".."`.
    preview: Twice,
    /// The same, where that was all of what was asked for.
    preview_of_no_day: Twice,
    v1: Counted,
    mcp: Counted,
    site: Counted,
}

/// How the service is credited: `,"attribution":{"text":..,"url":..,"required":..}`.
struct Credits {
    free: Twice,
    paid: Twice,
}

/// The counters of a door: of each action, in the order of the table, and of what never got to one.
struct Counted {
    actions: Vec<Series>,
    none: Series,
}

impl Counted {
    fn new(metrics: &Metrics, path: &'static str) -> Self {
        Self {
            actions: ACTIONS.iter().map(|action| metrics.series(path, action.name)).collect(),
            none: metrics.series(path, "none"),
        }
    }

    fn answered(&self, row: Option<usize>, status: u16, took: Duration) {
        row.map_or(&self.none, |row| &self.actions[row]).answered(status, took);
    }
}

/// What came of an ask.
#[derive(Debug)]
pub struct Answered {
    /// The body of the answer on one of the [`sheets`], or why there is none.
    pub answer: Result<Vec<u8>, ApiError>,
    /// The plan of the caller and how they stand with it; none when nobody was known to ask.
    pub standing: Option<(Row, QuotaStatus)>,
}

/// The holder of a key, and whether they are let in.
pub type Received = (Arc<Caller>, Result<Permit, ApiError>);

/// Who asks an agent's question.
pub enum Asker {
    /// The holder of a key.
    Caller(Arc<Caller>),
    /// Somebody without a key, at this address: the preview is for them.
    Visitor(IpAddr),
}

/// An action asked for by somebody who was let in.
struct Admitted<'a> {
    moment: Moment,
    permit: Permit,
    row: usize,
    params: Params<'a>,
    /// `limit` when the asker sends none.
    default_limit: usize,
    /// Whether fields that the action does not use are told of; where they are refused there are none.
    warned: bool,
}

/// What an answer is written on.
#[derive(Debug, Default)]
pub struct Paper<'a> {
    /// What stands on it already.
    pub out: Vec<u8>,
    /// What is to stand between the answer and the same once more, as the inside of a JSON string; none when it is
    /// given once.
    pub again: Option<&'a [u8]>,
}

/// What every answer begins with.
pub const OPENING: &[Field] = &[
    Field::always("ok", Type::Only(true), "Always true: a no has another status and another body."),
    Field::always("today", Type::Date, "The day in Brasília, which relative dates are counted from."),
    Field::always("plan", Type::Choice(Plan::NAMES), "The plan of the key."),
];

/// What every answer ends with.
pub const CLOSING: &[Field] = &[
    Field::always("snapshot", Type::Object(&serving::SNAPSHOT), "Which snapshot of the guide answered."),
    Field::always("attribution", Type::Object(&CREDIT), "How to credit the guide."),
    Field::maybe("notice", Type::Text, "What the plan left out."),
    Field::maybe("warnings", Type::Texts, "Which fields were sent and ignored, a sentence each."),
];

const CREDIT: Shape = Shape {
    name: "Attribution",
    about: "How the service is credited wherever its data is shown.",
    fields: &[
        Field::always("text", Type::Text, "The words."),
        Field::always("url", Type::Link, "Where they link to."),
        Field::always("required", Type::Boolean, "Whether they must be shown, or may be."),
    ],
};

/// `limit` when a caller on `/v1` sends none.
pub const DEFAULT_LIMIT: usize = 20;
/// `limit` when an agent sends none: agents pay for every word they read.
pub const AGENTS_LIMIT: usize = 10;

impl Dispatcher {
    /// Opens the rooms. Leases are renewed on `background`.
    pub fn new(
        config: &Config,
        live: Serving,
        clock: Clock,
        store: Arc<dyn Store>,
        background: Handle,
        metrics: &Metrics,
    ) -> Self {
        let meter =
            Arc::new(Quota::new(store.clone(), NAMES, clock.clone(), background, metrics.leases.clone()));
        let keys = Arc::new(Keys::new(store, meter.clone(), metrics.keys.clone()));
        let credit = |text: String, required: bool| {
            let credit = json!({ "text": text, "url": config.service_site.as_str(), "required": required });
            Twice::new(format!(",\"attribution\":{credit}"))
        };
        let notice = |text: &str| Twice::new(format!(",\"notice\":{}", json!(text)));
        let name = &config.service_name;
        let base = config.base_url.as_str();
        let preview = format!(
            "Preview without a key: Plano Piloto only, at most {PREVIEW_RESULTS} results, events of the next \
             {PREVIEW_DAYS} days, basic fields. A free key (POST {base}/v1/signup) adds full pages and any dates; paid \
             plans ({base}/v1/plans) add the whole Federal District, addresses, descriptions and links."
        );
        Self {
            live,
            clock,
            keys,
            gate: Gate::new(config.plans.clone(), meter.clone(), PreviewLimiter::new(config.preview.clone())),
            meter,
            credits: Credits {
                free: credit(format!("Dicas por {name}"), true),
                paid: credit(name.clone(), false),
            },
            preview: notice(&preview),
            preview_of_no_day: notice(&format!(
                "Nothing was searched: the days asked for lie outside the preview. {preview}"
            )),
            v1: Counted::new(metrics, "/v1"),
            mcp: Counted::new(metrics, "/mcp"),
            site: Counted::new(metrics, "/"),
        }
    }

    /// Whoever holds the key `sent` at the present, if one was.
    pub fn holder<'a>(
        &'a self,
        sent: Result<Option<&'a [u8]>, ApiError>,
        at: Instant,
    ) -> Soon<'a, Result<Option<Arc<Caller>>, ApiError>> {
        match sent {
            Ok(Some(key)) => self.keys.caller(key, at).map(|caller| caller.map(Some)),
            Ok(None) => Soon::now(Ok(None)),
            Err(refusal) => Soon::now(Err(refusal)),
        }
    }

    /// What must hear of changes before the first ask: see [`PresenceStore::register`].
    pub fn listener(&self) -> ChangeListener {
        self.keys.listener()
    }

    /// Gives back what was leased and not spent, after the last ask.
    pub async fn close(&self) {
        self.meter.close().await;
    }

    /// Whoever holds the key `sent`, and whether they are let in at the present for a call of the minute.
    pub fn admit<'a>(
        &'a self,
        sent: Result<Option<&'a [u8]>, ApiError>,
        moment: Moment,
        at: Instant,
    ) -> Soon<'a, Result<Received, ApiError>> {
        self.holder(sent, at).then(move |holder| {
            match holder.and_then(|holder| holder.ok_or(ApiError::MissingKey)) {
                Ok(caller) => self.gate.admit(&caller, moment).map(|permit| Ok((caller, permit))),
                Err(refusal) => Soon::now(Err(refusal)),
            }
        })
    }

    /// How a caller stands with their plan.
    pub fn standing(&self, caller: &Caller, moment: Moment) -> (Row, QuotaStatus) {
        self.gate.standing(caller, moment)
    }

    /// Answers the body of an ask on `/v1` that came with the key `sent`, if any came. It stops in each room in the order
    /// of the contract: body, key, minute, action, parameters, plan, month.
    pub fn ask<'a>(&'a self, sent: Result<Option<&'a [u8]>, ApiError>, body: &'a [u8]) -> Soon<'a, Answered> {
        let began = Instant::now();
        let moment = self.clock.moment();
        let answered = move |caller: Option<&Caller>, row, answer| {
            self.v1.answered(row, status(&answer), began.elapsed());
            Answered { answer, standing: caller.map(|caller| self.standing(caller, moment)) }
        };
        let params = match Params::parse(body) {
            Ok(params) => params,
            Err(error) => return Soon::now(answered(None, None, Err(error.into()))),
        };
        self.admit(sent, moment, began).then(move |admitted| {
            let (caller, permit) = match admitted {
                Ok(admitted) => admitted,
                Err(refusal) => return Soon::now(answered(None, None, Err(refusal))),
            };
            let (permit, row) = match permit.and_then(|permit| Ok((permit, row_asked(&params)?))) {
                Ok(let_in) => let_in,
                Err(refusal) => return Soon::now(answered(Some(&caller), None, Err(refusal))),
            };
            let asked = Admitted { moment, permit, row, params, default_limit: DEFAULT_LIMIT, warned: true };
            let paper = Paper { out: sheets::take(), again: None };
            let answer = self.perform(asked, Some(caller.clone()), paper);
            answer.map(move |answer| answered(Some(&caller), Some(row), answer))
        })
    }

    /// Answers an agent's question, which came when it `began`, for the action in row `row` of the table: the bytes that
    /// `/v1` answers, written on `paper`.
    pub fn call<'a>(
        &'a self,
        asker: Asker,
        row: usize,
        params: Params<'a>,
        paper: Paper<'a>,
        began: Instant,
    ) -> Soon<'a, Result<Vec<u8>, ApiError>> {
        let moment = self.clock.moment();
        let (caller, permit) = match asker {
            Asker::Caller(caller) => {
                let permit = self.gate.admit(&caller, moment);
                (Some(caller), permit)
            }
            Asker::Visitor(address) => (None, Soon::now(self.gate.admit_visitor(address, moment))),
        };
        let answer = permit.then(move |permit| match permit {
            Ok(permit) => {
                let (default_limit, warned) = (AGENTS_LIMIT, false);
                let asked = Admitted { moment, permit, row, params, default_limit, warned };
                self.perform(asked, caller, paper)
            }
            Err(refusal) => Soon::now(Err(refusal)),
        });
        answer.map(move |answer| {
            self.mcp.answered(Some(row), status(&answer), began.elapsed());
            answer
        })
    }

    /// What is found in an edition for somebody who visits the site, and came at that moment when it `began`, as
    /// [`actions::find_each`] has it. It is one question of the preview, and counts as one.
    pub fn visit(
        &self,
        edition: &ServingSnapshot,
        address: IpAddr,
        sought: &[Records],
        params: &Params<'_>,
        (moment, began): (Moment, Instant),
    ) -> Result<[Option<Page>; 2], ApiError> {
        let (today, default_limit) = (moment.today.date(), PREVIEW_RESULTS);
        let found = self.gate.admit_visitor(address, moment).and_then(|permit| {
            let scene = QueryContext { edition, today, permit, default_limit, usage: None };
            actions::find_each(scene, params, sought)
        });
        let took = began.elapsed();
        sought.iter().for_each(|records| self.site.answered(Some(records.row()), status(&found), took));
        found
    }

    /// What the action in row `row` finds in an edition for pages that lie open to everybody: it is nobody's question, and
    /// counts as none.
    pub fn shown(
        &self,
        edition: &ServingSnapshot,
        today: NaiveDate,
        row: usize,
        params: &Params<'_>,
    ) -> Result<Page, ApiError> {
        let (permit, default_limit) = (self.gate.to_the_public(), DEFAULT_LIMIT);
        let scene = QueryContext { edition, today, permit, default_limit, usage: None };
        Ok((ACTIONS[row].prepare)(scene, params)?.find())
    }

    /// The area of an edition that pages show which lie open to everybody.
    pub fn shown_area(&self, edition: &ServingSnapshot) -> AreaId {
        self.gate.to_the_public().home(edition.free_area)
    }

    /// Counts what the site answered that asks no action.
    pub fn count_page(&self, status: u16, began: Instant) {
        self.site.answered(None, status, began.elapsed());
    }

    /// Counts the call of a tool, the action in row `row`, that was refused before it got there.
    pub fn count_refused(&self, row: usize, refusal: &ApiError, began: Instant) {
        self.mcp.answered(Some(row), refusal.details().status, began.elapsed());
    }

    /// Counts an agent's message that asks no action.
    pub fn count_message(&self, status: u16, began: Instant) {
        self.mcp.answered(None, status, began.elapsed());
    }

    /// Reads the parameters, charges and runs the action: what is asked, whoever asks and wherever. A `caller`'s calls are
    /// counted; a visitor is none.
    fn perform<'a>(
        &'a self,
        asked: Admitted<'a>,
        caller: Option<Arc<Caller>>,
        paper: Paper<'a>,
    ) -> Soon<'a, Result<Vec<u8>, ApiError>> {
        let edition = self.live.current();
        let Some(edition) = &*edition else { return Soon::now(Err(ApiError::NoGuide)) };
        let action = &ACTIONS[asked.row];
        let (moment, row) = (asked.moment, asked.row);
        match caller {
            Some(caller) if action.tells_usage() => {
                let edition = edition.clone();
                Soon::later(async move {
                    let usage = self.gate.usage(&caller, moment).await?;
                    let told = Some((&usage, self.gate.figures(&caller)));
                    self.answer(&edition, &asked, told, || true, paper)?.map_err(|_| ApiError::Internal)
                })
            }
            Some(caller) if action.counted => {
                let charge = || self.gate.charge(&caller, moment, row);
                let paper = match self.answer(edition, &asked, None, charge, paper) {
                    Ok(Ok(answer)) => return Soon::now(Ok(answer)),
                    Err(refusal) => return Soon::now(Err(refusal)),
                    Ok(Err(paper)) => paper,
                };
                // what was prepared cannot wait for the store with us, and is prepared again, from the same edition
                let edition = edition.clone();
                Soon::later(async move {
                    self.gate.charge_slowly(&caller, moment, row).await?;
                    self.answer(&edition, &asked, None, || true, paper)?.map_err(|_| ApiError::Internal)
                })
            }
            _ => {
                let answer = self.answer(edition, &asked, None, || true, paper);
                Soon::now(answer.and_then(|answer| answer.map_err(|_| ApiError::Internal)))
            }
        }
    }

    /// Reads the parameters, then charges and runs the action, and writes the answer on `paper`; gives that back when
    /// there is no call at hand to charge.
    fn answer<'p>(
        &self,
        edition: &ServingSnapshot,
        asked: &Admitted,
        usage: Option<(&Usage, Figures)>,
        charge: impl FnOnce() -> bool,
        paper: Paper<'p>,
    ) -> Result<Result<Vec<u8>, Paper<'p>>, ApiError> {
        let Admitted { moment: Moment { today, .. }, permit, params, default_limit, .. } = asked;
        let scene = QueryContext {
            edition,
            today: today.date(),
            permit: *permit,
            default_limit: *default_limit,
            usage,
        };
        let action = &ACTIONS[asked.row];
        let prepared = (action.prepare)(scene, params)?;
        if !charge() {
            return Ok(Err(paper));
        }
        let Paper { mut out, again } = paper;
        let plan = permit.plan();
        let start = out.len();
        out.reserve(64);
        let plan_name = plan.as_str().as_bytes();
        for part in [b"{\"ok\":true,\"today\":\"", today.as_bytes(), b"\",\"plan\":\"", plan_name, b"\""] {
            out.extend_from_slice(part);
        }
        let dealt = prepared.run(&mut out);
        let is_preview = permit.is_preview();
        let preview = match &dealt {
            Some(Dealt { days_hidden: true, .. }) => &self.preview_of_no_day,
            _ => &self.preview,
        };
        let ends = [Some(&edition.card), Some(self.credit(plan)), is_preview.then_some(preview)];
        let ends_from = out.len();
        ends.iter().flatten().for_each(|twice| out.extend_from_slice(twice.plain.as_bytes()));
        let ends_at = ends_from..out.len();
        if let Some(notice) = prepared.notice().filter(|_| !is_preview) {
            out.extend_from_slice(format!(",\"notice\":{}", json!(notice)).as_bytes());
        }
        if asked.warned {
            write_warnings(action, params, &mut out);
        }
        out.push(b'}');
        if let Some(between) = again {
            actions::repeat(&mut out, start, between, &Known { dealt, ends, ends_at });
        }
        Ok(Ok(out))
    }

    fn credit(&self, plan: Plan) -> &Twice {
        if plan == Plan::Free { &self.credits.free } else { &self.credits.paid }
    }
}

fn status<T>(answer: &Result<T, ApiError>) -> u16 {
    answer.as_ref().map_or_else(|refusal| refusal.details().status, |_| 200)
}

/// The row of the action that the parameters name.
fn row_asked(params: &Params) -> Result<usize, ApiError> {
    let name = match params.get("action") {
        None => return Err(ApiError::MissingAction { known: NAMES }),
        Some(Value::Text(name)) => name.trim(),
        Some(_) => return Err(ApiError::WrongType { param: "action", expected: "a string" }),
    };
    let row = ACTIONS.iter().position(|action| action.name == name);
    row.ok_or(ApiError::UnknownAction { known: NAMES })
}

/// Names the fields that the action does not use, so that a misspelt parameter is not lost in silence.
fn write_warnings(action: &Action, params: &Params, out: &mut Vec<u8>) {
    let warnings: Vec<String> = params
        .ignored(|name| name == "action" || action.takes(name))
        .map(|name| match actions::uses(name) {
            true => format!("{name} is not used by {} and was ignored", action.name),
            false => format!("{name} is no parameter and was ignored"),
        })
        .collect();
    if !warnings.is_empty() {
        out.extend_from_slice(format!(",\"warnings\":{}", json!(warnings)).as_bytes());
    }
}
