//! One ask, from name to answer: the only file that calls several rooms, and where every door ends.
//!
//! An ask stops once in each: the key's holder, the gate, the action's reading, the guide, the action's run.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

use serde_json::json;

use crate::accounts::keys::{Caller, Keys};
use crate::accounts::meter::Standing;
use crate::actions::{self, ACTIONS, Action, NAMES, Params, Scene, Value};
use crate::clock::{Clock, Moment};
use crate::config::Config;
use crate::gate::{Gate, PREVIEW_DAYS, PREVIEW_RESULTS, Permit};
use crate::live::Live;
use crate::metrics::{Metrics, Series};
use crate::plans::{Plan, Row};
use crate::refusal::Refusal;

/// Everything an ask needs, built once.
pub struct Rooms {
    /// The guide in service.
    pub live: Live,
    /// The time.
    pub clock: Clock,
    /// Who holds which key.
    keys: Arc<Keys>,
    gate: Gate,
    credits: Credits,
    /// What the preview leaves out and how to get it, as a JSON string.
    preview_notice: String,
    v1: Counted,
    mcp: Counted,
}

/// How the service is credited, rendered: `{"text":..,"url":..,"required":..}`.
struct Credits {
    free: String,
    paid: String,
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

    fn answered(&self, row: Option<usize>, status: u16, began: Instant) {
        row.map_or(&self.none, |row| &self.actions[row]).answered(status, began.elapsed());
    }
}

/// What came of an ask.
#[derive(Debug)]
pub struct Answered {
    /// The body of the answer, or why there is none.
    pub answer: Result<Vec<u8>, Refusal>,
    /// The plan of the caller and how they stand with it; none when nobody was known to ask.
    pub standing: Option<(Row, Standing)>,
}

/// Who asks an agent's question.
#[derive(Clone)]
pub enum Asker {
    /// The holder of a key.
    Caller(Arc<Caller>),
    /// Somebody without a key, at this address: the preview is for them.
    Visitor(IpAddr),
}

/// What is known of an ask on `/v1` on its way.
struct Ask {
    moment: Moment,
    caller: Option<Arc<Caller>>,
    /// The action's row in the table.
    row: Option<usize>,
}

/// An action asked for by somebody who was let in.
struct Admitted<'a> {
    moment: Moment,
    /// Whose calls are counted; a visitor's are none.
    caller: Option<&'a Arc<Caller>>,
    permit: Permit,
    row: usize,
    params: &'a Params<'a>,
    /// `limit` when the asker sends none.
    default_limit: usize,
    /// What stands between the answer and the same as the inside of a JSON string; none when it is given once.
    again: Option<&'a [u8]>,
}

/// `limit` when a caller on `/v1` sends none.
const DEFAULT_LIMIT: usize = 20;
/// `limit` when an agent sends none: agents pay for every word they read.
pub const AGENTS_LIMIT: usize = 10;

/// Most unknown fields that an answer names, and the longest name that is repeated.
const MAX_WARNINGS: usize = 10;
const MAX_WARNED_NAME: usize = 40;

impl Rooms {
    /// Opens the rooms.
    pub fn new(
        config: &Config,
        live: Live,
        clock: Clock,
        keys: Arc<Keys>,
        gate: Gate,
        metrics: &Metrics,
    ) -> Self {
        let credit = |text: String, required: bool| {
            json!({ "text": text, "url": config.service_site.as_str(), "required": required }).to_string()
        };
        let name = &config.service_name;
        let base = config.base_url.as_str();
        let notice = format!(
            "Preview without a key: Plano Piloto only, at most {PREVIEW_RESULTS} results, events of the next \
             {PREVIEW_DAYS} days, basic fields. A free key (POST {base}/v1/signup) adds full pages and any dates; paid \
             plans ({base}/v1/plans) add the whole Federal District, addresses, descriptions and links."
        );
        Self {
            live,
            clock,
            keys,
            gate,
            credits: Credits {
                free: credit(format!("Dicas por {name}"), true),
                paid: credit(name.clone(), false),
            },
            preview_notice: json!(notice).to_string(),
            v1: Counted::new(metrics, "/v1"),
            mcp: Counted::new(metrics, "/mcp"),
        }
    }

    /// Whoever holds the key `sent`, if one was.
    pub async fn holder(&self, sent: Result<Option<&[u8]>, Refusal>) -> Result<Option<Arc<Caller>>, Refusal> {
        match sent? {
            Some(key) => self.keys.caller(key, Instant::now()).await.map(Some),
            None => Ok(None),
        }
    }

    /// Whoever holds the key `sent`, let in for a call of the minute.
    pub async fn admit(
        &self,
        sent: Result<Option<&[u8]>, Refusal>,
        moment: Moment,
    ) -> (Option<Arc<Caller>>, Result<Permit, Refusal>) {
        match self.holder(sent).await {
            Ok(Some(caller)) => {
                let permit = self.gate.admit(&caller, moment).await;
                (Some(caller), permit)
            }
            Ok(None) => (None, Err(Refusal::MissingKey)),
            Err(refusal) => (None, Err(refusal)),
        }
    }

    /// How a caller stands with their plan.
    pub fn standing(&self, caller: &Caller, moment: Moment) -> (Row, Standing) {
        self.gate.standing(caller, moment)
    }

    /// Answers the body of an ask on `/v1` that came with the key `sent`, if any came.
    pub async fn ask(&self, sent: Result<Option<&[u8]>, Refusal>, body: &[u8]) -> Answered {
        let began = Instant::now();
        let moment = self.clock.moment();
        let mut ask = Ask { moment, caller: None, row: None };
        let answer = self.walk(&mut ask, sent, body).await;
        self.v1.answered(ask.row, status(&answer), began);
        Answered { answer, standing: ask.caller.map(|caller| self.standing(&caller, moment)) }
    }

    /// Answers an agent's question for the action in row `row` of the table: the bytes that `/v1` answers, after
    /// those of `out`; and after those of `again`, if there are any, the same as the inside of a JSON string.
    pub async fn call(
        &self,
        asker: &Asker,
        row: usize,
        params: &Params<'_>,
        out: Vec<u8>,
        again: Option<&[u8]>,
    ) -> Result<Vec<u8>, Refusal> {
        let began = Instant::now();
        let moment = self.clock.moment();
        let (caller, permit) = match asker {
            Asker::Caller(caller) => (Some(caller), self.gate.admit(caller, moment).await),
            Asker::Visitor(address) => (None, self.gate.admit_visitor(*address, moment)),
        };
        let answer = match permit {
            Ok(permit) => {
                let default_limit = AGENTS_LIMIT;
                self.perform(Admitted { moment, caller, permit, row, params, default_limit, again }, out)
                    .await
            }
            Err(refusal) => Err(refusal),
        };
        self.mcp.answered(Some(row), status(&answer), began);
        answer
    }

    /// Counts an agent's message that asks no action.
    pub fn count_message(&self, status: u16, began: Instant) {
        self.mcp.answered(None, status, began);
    }

    /// Stops in each room, in the order of the contract: body, key, minute, action, parameters, plan, month.
    async fn walk(
        &self,
        ask: &mut Ask,
        sent: Result<Option<&[u8]>, Refusal>,
        body: &[u8],
    ) -> Result<Vec<u8>, Refusal> {
        let params = &Params::parse(body)?;
        let moment = ask.moment;
        let (caller, permit) = self.admit(sent, moment).await;
        ask.caller = caller;
        let permit = permit?;
        let name = match params.get("action") {
            None => return Err(Refusal::MissingAction { known: NAMES }),
            Some(Value::Text(name)) => name.trim(),
            Some(_) => return Err(Refusal::WrongType { param: "action", expected: "a string" }),
        };
        let row = ACTIONS.iter().position(|action| action.name == name);
        let row = row.ok_or(Refusal::UnknownAction { known: NAMES })?;
        ask.row = Some(row);
        let (caller, default_limit) = (ask.caller.as_ref(), DEFAULT_LIMIT);
        let again = None;
        self.perform(Admitted { moment, caller, permit, row, params, default_limit, again }, Vec::new()).await
    }

    /// Reads the parameters, charges and runs the action: what is asked, whoever asks and wherever.
    async fn perform(&self, asked: Admitted<'_>, out: Vec<u8>) -> Result<Vec<u8>, Refusal> {
        let Admitted { moment, caller, permit, row, .. } = asked;
        let told = match caller {
            Some(caller) if ACTIONS[row].tells_usage() => {
                Some((self.gate.usage(caller, moment).await?, self.gate.figures(caller)))
            }
            _ => None,
        };
        let edition = self.live.now();
        let edition: &Arc<_> = edition.as_ref().ok_or(Refusal::NoGuide)?;
        let scene = Scene {
            edition,
            today: moment.today.date(),
            permit,
            default_limit: asked.default_limit,
            usage: told.as_ref().map(|(usage, figures)| (usage, *figures)),
        };
        let counted = caller.filter(|_| ACTIONS[row].counted);
        let charge = || counted.is_none_or(|caller| self.gate.charge(caller, moment, row));
        let out = match self.answer(&asked, scene, charge, out)? {
            Ok(answer) => return Ok(answer),
            Err(out) => out,
        };
        // what was prepared cannot wait for the store with us, and is prepared again, from the same edition
        let Some(caller) = counted else { return Err(Refusal::Internal) };
        self.gate.charge_slowly(caller, moment, row).await?;
        self.answer(&asked, scene, || true, out)?.map_err(|_| Refusal::Internal)
    }

    /// Reads the parameters, then charges and runs the action, and writes the answer after what is in `out`; gives
    /// `out` back when there is no call at hand to charge.
    fn answer(
        &self,
        asked: &Admitted,
        scene: Scene,
        charge: impl FnOnce() -> bool,
        mut out: Vec<u8>,
    ) -> Result<Result<Vec<u8>, Vec<u8>>, Refusal> {
        let action = &ACTIONS[asked.row];
        let prepared = (action.prepare)(scene, asked.params)?;
        if !charge() {
            return Ok(Err(out));
        }
        let plan = scene.permit.plan();
        let start = out.len();
        out.reserve(64);
        for part in
            ["{\"ok\":true,\"today\":\"", asked.moment.today.as_str(), "\",\"plan\":\"", plan.as_str(), "\""]
        {
            out.extend_from_slice(part.as_bytes());
        }
        let dealt = prepared.run(&mut out);
        for part in [",\"snapshot\":", &scene.edition.card, ",\"attribution\":", self.credit(plan)] {
            out.extend_from_slice(part.as_bytes());
        }
        if scene.permit.is_preview() {
            out.extend_from_slice(b",\"notice\":");
            out.extend_from_slice(self.preview_notice.as_bytes());
        } else if let Some(notice) = prepared.notice() {
            out.extend_from_slice(format!(",\"notice\":{}", json!(notice)).as_bytes());
        }
        write_warnings(action, asked.params, &mut out);
        out.push(b'}');
        if let Some(between) = asked.again {
            actions::repeat_escaped(&mut out, start, between, dealt.as_ref());
        }
        Ok(Ok(out))
    }

    fn credit(&self, plan: Plan) -> &str {
        if plan == Plan::Free { &self.credits.free } else { &self.credits.paid }
    }
}

fn status(answer: &Result<Vec<u8>, Refusal>) -> u16 {
    answer.as_ref().map_or_else(|refusal| refusal.told().status, |_| 200)
}

/// Names the fields that the action does not use, so that a misspelt parameter is not lost in silence.
fn write_warnings(action: &Action, params: &Params, out: &mut Vec<u8>) {
    let known = |name: &&str| *name != "action" && name.chars().count() <= MAX_WARNED_NAME;
    let warnings: Vec<String> = params
        .unknown(|name| action.takes(name))
        .filter(known)
        .take(MAX_WARNINGS)
        .map(|name| match actions::uses(name) {
            true => format!("{name} is not used by {} and was ignored", action.name),
            false => format!("{name} is no parameter and was ignored"),
        })
        .collect();
    if !warnings.is_empty() {
        out.extend_from_slice(format!(",\"warnings\":{}", json!(warnings)).as_bytes());
    }
}
