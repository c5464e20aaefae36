//! One ask, from name to answer: the only file that calls several rooms, and where every door ends.
//!
//! An ask stops once in each: the key's holder, the gate, the action's reading, the guide, the action's run.

use std::sync::Arc;
use std::time::Instant;

use serde_json::json;

use crate::accounts::keys::Keys;
use crate::actions::{self, ACTIONS, Action, NAMES, Params, Scene, Value};
use crate::clock::Clock;
use crate::config::Config;
use crate::gate;
use crate::live::Live;
use crate::metrics::{Metrics, Series};
use crate::plans::{Plan, Plans};
use crate::refusal::Refusal;

/// Everything an ask needs, built once.
pub struct Rooms {
    /// The guide in service.
    pub live: Live,
    /// The time.
    pub clock: Clock,
    /// Who holds which key.
    pub keys: Keys,
    plans: Plans,
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

/// `limit` on `/v1` when the caller sends none.
const DEFAULT_LIMIT: usize = 20;

/// Most unknown fields that an answer names, and the longest name that is repeated.
const MAX_WARNINGS: usize = 10;
const MAX_WARNED_NAME: usize = 40;

impl Rooms {
    /// Opens the rooms.
    pub fn new(config: &Config, live: Live, clock: Clock, keys: Keys, metrics: &Metrics) -> Self {
        let credit = |text: String, required: bool| {
            json!({ "text": text, "url": config.service_site.as_str(), "required": required }).to_string()
        };
        let name = &config.service_name;
        Self {
            live,
            clock,
            keys,
            plans: config.plans.clone(),
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

    /// Answers the body of an ask that came with the key `sent`, if any came.
    pub async fn ask(&self, sent: Result<Option<&[u8]>, Refusal>, body: &[u8]) -> Result<Vec<u8>, Refusal> {
        let began = Instant::now();
        let (row, answer) = match self.read(sent, body).await {
            Ok((row, plan, params)) => (Some(row), self.answer(&ACTIONS[row], plan, &params)),
            Err(refusal) => (None, Err(refusal)),
        };
        let series = row.map_or(&self.counted.none, |row| &self.counted.actions[row]);
        series
            .answered(answer.as_ref().map_or_else(|refusal| refusal.told().status, |_| 200), began.elapsed());
        answer
    }

    /// Reads the ask as far as its action, in the order of the contract: body, key, action.
    async fn read<'b>(
        &self,
        sent: Result<Option<&[u8]>, Refusal>,
        body: &'b [u8],
    ) -> Result<(usize, Plan, Params<'b>), Refusal> {
        let params = Params::parse(body)?;
        let account = self.keys.holder(sent?.ok_or(Refusal::MissingKey)?).await?;
        let name = match params.get("action") {
            None => return Err(Refusal::MissingAction { known: NAMES }),
            Some(Value::Text(name)) => name.trim(),
            Some(_) => return Err(Refusal::WrongType { param: "action", expected: "a string" }),
        };
        let row = ACTIONS.iter().position(|action| action.name == name);
        Ok((row.ok_or(Refusal::UnknownAction { known: NAMES })?, account.plan, params))
    }

    /// Reads the parameters, passes the gate and runs the action.
    fn answer(&self, action: &Action, plan: Plan, params: &Params) -> Result<Vec<u8>, Refusal> {
        let edition = self.live.now();
        let edition: &Arc<_> = edition.as_ref().ok_or(Refusal::NoGuide)?;
        let today = self.clock.today();
        let permit = gate::admit(&self.plans, plan);
        let scene = Scene { edition, today: today.date(), permit, default_limit: DEFAULT_LIMIT };
        let prepared = (action.prepare)(scene, params)?;

        let mut out = Vec::with_capacity(64);
        for part in ["{\"ok\":true,\"today\":\"", today.as_str(), "\",\"plan\":\"", plan.as_str(), "\""] {
            out.extend_from_slice(part.as_bytes());
        }
        prepared.run(&mut out);
        for part in [",\"snapshot\":", &edition.card, ",\"attribution\":", self.credit(plan)] {
            out.extend_from_slice(part.as_bytes());
        }
        if let Some(notice) = prepared.notice() {
            out.extend_from_slice(format!(",\"notice\":{}", json!(notice)).as_bytes());
        }
        write_warnings(action, params, &mut out);
        out.push(b'}');
        Ok(out)
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
