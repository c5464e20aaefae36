//! One ask, from name to answer: the only file that calls several rooms, and where every door ends.
//!
//! An ask stops once in each: the key's holder, the gate, the action's reading, the guide, the action's run.

use std::sync::Arc;
use std::time::Instant;

use serde_json::json;
use tokio::runtime::Handle;

use crate::accounts::keys::{Caller, Keys};
use crate::accounts::meter::{Meter, Standing};
use crate::actions::{self, ACTIONS, Action, NAMES, Params, Scene, Value};
use crate::clock::{Clock, Moment, Today};
use crate::config::Config;
use crate::gate::{Gate, Permit};
use crate::live::Live;
use crate::metrics::{Metrics, Series};
use crate::plans::{Plan, Row};
use crate::refusal::Refusal;
use crate::store::{Listener, Store};

/// Everything an ask needs, built once.
pub struct Rooms {
    /// The guide in service.
    pub live: Live,
    /// The time.
    pub clock: Clock,
    /// Who holds which key.
    pub keys: Arc<Keys>,
    gate: Gate,
    meter: Arc<Meter>,
    credits: Credits,
    counted: Counted,
}

/// How the service is credited, rendered: `{"text":..,"url":..,"required":..}`.
struct Credits {
    free: String,
    paid: String,
}

/// The counters of each action, in the order of the table, and of what never got to one.
struct Counted {
    actions: Vec<Series>,
    none: Series,
}

/// What came of an ask.
#[derive(Debug)]
pub struct Answered {
    /// The body of the answer, or why there is none.
    pub answer: Result<Vec<u8>, Refusal>,
    /// The plan of the caller and how they stand with it; none when nobody was known to ask.
    pub standing: Option<(Row, Standing)>,
}

/// What is known of an ask on its way.
struct Ask {
    began: Instant,
    moment: Moment,
    caller: Option<Arc<Caller>>,
    /// The action's row in the table.
    row: Option<usize>,
}

/// `limit` on `/v1` when the caller sends none.
const DEFAULT_LIMIT: usize = 20;

/// Most unknown fields that an answer names, and the longest name that is repeated.
const MAX_WARNINGS: usize = 10;
const MAX_WARNED_NAME: usize = 40;

impl Rooms {
    /// Opens the rooms. Leases are renewed on `background`.
    pub fn new(
        config: &Config,
        live: Live,
        clock: Clock,
        store: Arc<dyn Store>,
        background: Handle,
        metrics: &Metrics,
    ) -> Self {
        let meter =
            Arc::new(Meter::new(store.clone(), NAMES, clock.clone(), background, metrics.leases.clone()));
        let keys = Arc::new(Keys::new(store, meter.clone(), metrics.keys.clone()));
        let credit = |text: String, required: bool| {
            json!({ "text": text, "url": config.service_site.as_str(), "required": required }).to_string()
        };
        let name = &config.service_name;
        Self {
            live,
            clock,
            keys,
            gate: Gate::new(config.plans.clone(), meter.clone()),
            meter,
            credits: Credits {
                free: credit(format!("Dicas por {name}"), true),
                paid: credit(name.clone(), false),
            },
            counted: Counted {
                actions: ACTIONS.iter().map(|action| metrics.series("/v1", action.name)).collect(),
                none: metrics.series("/v1", "none"),
            },
        }
    }

    /// What must hear of changes before the first ask: see [`Store::attend`].
    pub fn listener(&self) -> Listener {
        self.keys.listener()
    }

    /// Gives back what was leased and not spent, after the last ask.
    pub async fn close(&self) {
        self.meter.close().await;
    }

    /// Whoever holds the key `sent`, let in at the present for a call of the minute.
    pub async fn admit(
        &self,
        sent: Result<Option<&[u8]>, Refusal>,
        moment: Moment,
        at: Instant,
    ) -> (Option<Arc<Caller>>, Result<Permit, Refusal>) {
        let known = match sent {
            Ok(Some(key)) => self.keys.caller(key, at).await,
            Ok(None) => Err(Refusal::MissingKey),
            Err(refusal) => Err(refusal),
        };
        match known {
            Ok(caller) => {
                let permit = self.gate.admit(&caller, moment).await;
                (Some(caller), permit)
            }
            Err(refusal) => (None, Err(refusal)),
        }
    }

    /// How a caller stands with their plan.
    pub fn standing(&self, caller: &Caller, moment: Moment) -> (Row, Standing) {
        self.gate.standing(caller, moment)
    }

    /// Answers the body of an ask that came with the key `sent`, if any came.
    pub async fn ask(&self, sent: Result<Option<&[u8]>, Refusal>, body: &[u8]) -> Answered {
        let began = Instant::now();
        let moment = self.clock.moment();
        let mut ask = Ask { began, moment, caller: None, row: None };
        let answer = self.walk(&mut ask, sent, body).await;
        let series = ask.row.map_or(&self.counted.none, |row| &self.counted.actions[row]);
        series
            .answered(answer.as_ref().map_or_else(|refusal| refusal.told().status, |_| 200), began.elapsed());
        Answered { answer, standing: ask.caller.map(|caller| self.standing(&caller, moment)) }
    }

    /// Stops in each room, in the order of the contract: body, key, minute, action, parameters, plan, month.
    async fn walk(
        &self,
        ask: &mut Ask,
        sent: Result<Option<&[u8]>, Refusal>,
        body: &[u8],
    ) -> Result<Vec<u8>, Refusal> {
        let params = Params::parse(body)?;
        let (caller, permit) = self.admit(sent, ask.moment, ask.began).await;
        ask.caller = caller;
        let permit = permit?;
        let Some(caller) = &ask.caller else { return Err(Refusal::Internal) };
        let name = match params.get("action") {
            None => return Err(Refusal::MissingAction { known: NAMES }),
            Some(Value::Text(name)) => name.trim(),
            Some(_) => return Err(Refusal::WrongType { param: "action", expected: "a string" }),
        };
        let row = ACTIONS.iter().position(|action| action.name == name);
        let row = row.ok_or(Refusal::UnknownAction { known: NAMES })?;
        ask.row = Some(row);
        let action = &ACTIONS[row];
        let usage = match action.tells_usage() {
            true => Some(self.gate.usage(caller, ask.moment).await?),
            false => None,
        };
        let edition = self.live.now();
        let edition: &Arc<_> = edition.as_ref().ok_or(Refusal::NoGuide)?;
        let figures = self.gate.figures(caller);
        let scene = Scene {
            edition,
            today: ask.moment.today.date(),
            permit,
            default_limit: DEFAULT_LIMIT,
            usage: usage.as_ref().map(|usage| (usage, figures)),
        };
        let charge = || !action.counted || self.gate.charge(caller, ask.moment, row);
        if let Some(answer) = self.answer(action, scene, &ask.moment.today, &params, charge)? {
            return Ok(answer);
        }
        // what was prepared cannot wait for the store with us, and is prepared again, from the same edition
        self.gate.charge_slowly(caller, ask.moment, row).await?;
        self.answer(action, scene, &ask.moment.today, &params, || true)?.ok_or(Refusal::Internal)
    }

    /// Reads the parameters, then charges and runs the action; none when there is no call at hand to charge.
    pub fn answer(
        &self,
        action: &Action,
        scene: Scene,
        today: &Today,
        params: &Params,
        charge: impl FnOnce() -> bool,
    ) -> Result<Option<Vec<u8>>, Refusal> {
        let prepared = (action.prepare)(scene, params)?;
        if !charge() {
            return Ok(None);
        }
        let plan = scene.permit.plan();
        let mut out = Vec::with_capacity(64);
        for part in ["{\"ok\":true,\"today\":\"", today.as_str(), "\",\"plan\":\"", plan.as_str(), "\""] {
            out.extend_from_slice(part.as_bytes());
        }
        prepared.run(&mut out);
        for part in [",\"snapshot\":", &scene.edition.card, ",\"attribution\":", self.credit(plan)] {
            out.extend_from_slice(part.as_bytes());
        }
        if let Some(notice) = prepared.notice() {
            out.extend_from_slice(format!(",\"notice\":{}", json!(notice)).as_bytes());
        }
        write_warnings(action, params, &mut out);
        out.push(b'}');
        Ok(Some(out))
    }

    fn credit(&self, plan: Plan) -> &str {
        if plan == Plan::Free { &self.credits.free } else { &self.credits.paid }
    }
}

/// Names the fields that the action does not use, so that a misspelt parameter is not lost in silence.
fn write_warnings(action: &Action, params: &Params, out: &mut Vec<u8>) {
    let known = |name: &&str| *name != "action" && name.chars().count() <= MAX_WARNED_NAME;
    let warnings: Vec<String> = params
        .unknown(action.params)
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
