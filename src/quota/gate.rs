//! The gate: whether a caller may ask, and what they may see. A [`Permit`] is the proof, and only this file makes
//! one: what needs a permit cannot be reached without passing here. Uses [`crate::domain::account`], [`crate::domain::plan`],
//! [`crate::domain::error`], [`crate::soon`] and `index`.

use std::net::IpAddr;
use std::sync::Arc;

use chrono::{Days, NaiveDate};
use index::{AreaId, EVERYWHERE, View, Window};

use crate::domain::clock::{Moment, PeriodKind};
use crate::domain::error::ApiError;
use crate::domain::plan::{Figures, Plan, Plans, Row};
use crate::quota::keys::Caller;
use crate::quota::leases::{Quota, QuotaError, QuotaStatus, Usage};
use crate::quota::preview::{PreviewLimiter, TooMany};
use crate::soon::Soon;

/// Where callers are let in, and their calls counted.
#[derive(Debug)]
pub struct Gate {
    plans: Plans,
    meter: Arc<Quota>,
    visitors: PreviewLimiter,
}

/// Most records that the preview gives to a question.
pub const PREVIEW_RESULTS: usize = 5;

/// The preview sees the events of today and of so many days more.
pub const PREVIEW_DAYS: u64 = 7;

/// The days of which the preview sees events.
pub fn preview_days(today: NaiveDate) -> Window {
    Window { from: today, to: today + Days::new(PREVIEW_DAYS) }
}

/// Proof that a caller may ask, with what they may see.
#[derive(Debug, Clone, Copy)]
pub struct Permit {
    plan: Plan,
    view: View,
    all_regions: bool,
    /// Whether it is a visitor's, who sends no key.
    preview: bool,
}

impl Permit {
    /// What a plan may see, with nothing counted: for those who warm and measure, not for callers.
    pub fn uncounted(plans: &Plans, plan: Plan) -> Permit {
        let row = plans.row(plan);
        Permit { plan, view: row.view, all_regions: row.all_regions, preview: false }
    }

    /// Whether it is the preview's.
    pub fn is_preview(&self) -> bool {
        self.preview
    }

    /// The days of which events are seen; none when all are.
    pub fn days(&self, today: NaiveDate) -> Option<Window> {
        self.preview.then(|| preview_days(today))
    }

    /// How many of the records asked for are given: the preview ends with its first page.
    pub fn results(&self, asked: usize, is_later_page: bool) -> usize {
        match (self.preview, is_later_page) {
            (false, _) => asked,
            (true, false) => asked.min(PREVIEW_RESULTS),
            (true, true) => 0,
        }
    }

    /// The no to a region outside the area seen.
    pub fn region_refusal(&self) -> ApiError {
        if self.preview { ApiError::PreviewRegion } else { ApiError::PlanRegion { plan: self.plan } }
    }

    /// The plan asked under.
    pub fn plan(&self) -> Plan {
        self.plan
    }

    /// The fields seen.
    pub fn view(&self) -> View {
        self.view
    }

    /// The area seen, given the one that narrow plans are held to.
    pub fn home(&self, free_area: AreaId) -> AreaId {
        if self.all_regions { EVERYWHERE } else { free_area }
    }
}

impl Gate {
    /// A gate that keeps to these plans.
    pub fn new(plans: Plans, meter: Arc<Quota>, visitors: PreviewLimiter) -> Gate {
        Gate { plans, meter, visitors }
    }

    /// Lets in somebody without a key, for a question of the preview.
    pub fn admit_visitor(&self, address: IpAddr, moment: Moment) -> Result<Permit, ApiError> {
        match self.visitors.count(address, moment) {
            Ok(()) => Ok(Permit { preview: true, ..Permit::uncounted(&self.plans, Plan::Free) }),
            Err(TooMany { scope, retry_after }) => Err(ApiError::PreviewLimited { scope, retry_after }),
        }
    }

    /// What pages may show that lie open to everybody: what the free plan sees, and nobody's question.
    pub fn to_the_public(&self) -> Permit {
        Permit::uncounted(&self.plans, Plan::Free)
    }

    /// Lets a caller in, for a call of the minute.
    pub fn admit(&self, caller: &Caller, moment: Moment) -> Soon<'static, Result<Permit, ApiError>> {
        let figures = self.figures(caller);
        let permit = Permit::uncounted(&self.plans, caller.account.plan);
        let admitted = self.meter.admit(&caller.member, moment, figures);
        admitted.map(move |admitted| match admitted {
            Ok(()) => Ok(permit),
            Err(short) => Err(refusal(short, figures, moment)),
        })
    }

    /// Takes a call of the month for an action, if one is at hand: false when [`Gate::charge_slowly`] must be asked.
    pub fn charge(&self, caller: &Caller, moment: Moment, action: usize) -> bool {
        self.meter.charge(&caller.member, moment, self.figures(caller), action)
    }

    /// Takes a call of the month for an action, asking the store for more.
    pub async fn charge_slowly(
        &self,
        caller: &Caller,
        moment: Moment,
        action: usize,
    ) -> Result<(), ApiError> {
        let figures = self.figures(caller);
        let charged = self.meter.charge_slowly(&caller.member, moment, figures, action).await;
        charged.map_err(|short| refusal(short, figures, moment))
    }

    /// How a caller stands, and under which plan.
    pub fn standing(&self, caller: &Caller, moment: Moment) -> (Row, QuotaStatus) {
        let row = self.plans.row(caller.account.plan);
        (row, self.meter.standing(&caller.member, moment, row.figures))
    }

    /// What a caller has spent this month.
    pub async fn usage(&self, caller: &Caller, moment: Moment) -> Result<Usage, ApiError> {
        Ok(self.meter.usage(&caller.member, moment).await?)
    }

    /// The price and limits of a caller's plan.
    pub fn figures(&self, caller: &Caller) -> Figures {
        self.plans.row(caller.account.plan).figures
    }
}

/// The no to a call that was not to be had, under a plan of these figures.
fn refusal(short: QuotaError, figures: Figures, moment: Moment) -> ApiError {
    let Figures { per_minute, per_month, .. } = figures;
    match short {
        QuotaError::Exhausted(period) => {
            let retry_after = period.seconds_left(moment.at);
            match period.kind {
                PeriodKind::Minute => ApiError::RateLimited { retry_after, per_minute },
                PeriodKind::Month => ApiError::QuotaExceeded { retry_after, per_month },
            }
        }
        QuotaError::Withheld => ApiError::StoreUnavailable,
        QuotaError::Store(error) => error.into(),
    }
}
