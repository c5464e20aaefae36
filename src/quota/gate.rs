//! The gate: whether a caller may ask, and what they may see. A [`Permit`] says what may be seen, and only this file
//! makes one: for callers who were admitted, and for what has no caller.

use std::net::IpAddr;
use std::sync::Arc;

use chrono::{Days, NaiveDate};
use index::{AreaId, EVERYWHERE, View, Window};

use super::keys::Caller;
use super::leases::{Quota, QuotaError, QuotaStatus, Usage};
use super::owners::OwnerLimiter;
use super::sketch::Sketch;
use super::visitors::{TooMany, VisitorLimiter};
use crate::config::Config;
use crate::domain::account::{Account, AccountId};
use crate::domain::clock::{Moment, PeriodKind};
use crate::domain::error::{ApiError, LimitedCalls};
use crate::domain::plan::{Figures, Plan, Plans};
use crate::domain::token::{Scope, TokenKind};

/// Admits callers and counts their calls.
#[derive(Debug)]
pub struct Gate {
    plans: Plans,
    quota: Arc<Quota>,
    preview: VisitorLimiter,
    site_searches: VisitorLimiter,
    /// Calls with tokens, by token.
    tokens: Sketch,
    calls_of_page: u32,
    calls_of_calendar: u32,
    /// How often a minute an owner may ask for what no plan limits, from one network.
    owners: OwnerLimiter,
}

/// The most records that the preview returns for a query.
pub const PREVIEW_RESULTS: usize = 5;

/// The preview covers events from today to this many days later.
pub const PREVIEW_DAYS: u64 = 7;

/// The days whose events the preview covers.
pub fn preview_days(today: NaiveDate) -> Window {
    Window { from: today, to: today.checked_add_days(Days::new(PREVIEW_DAYS)).unwrap_or(today) }
}

/// What may be seen: by a caller who was admitted, or on pages for everybody.
#[derive(Debug, Clone, Copy)]
pub struct Permit(Viewer);

/// Who sees it.
#[derive(Debug, Clone, Copy)]
enum Viewer {
    /// A caller without a key: the preview of the free plan.
    Visitor,
    /// Whoever has the plan; of the free one also everybody, on pages.
    Plan(Plan),
    /// A page with a browser token of an account on the plan: all its regions, and the basic view.
    Page(Plan),
}

/// What a caller has left.
#[derive(Debug, Clone, Copy)]
pub enum Standing {
    /// An account, of its quotas.
    Account(Plan, QuotaStatus),
    /// A page or a calendar program, of the minute of its token. What the account has left is not for those to whom it
    /// hands tokens out.
    Token {
        /// The kind of the token.
        kind: TokenKind,
        /// Calls left in the minute.
        minute_left: u32,
        /// Seconds until the next minute.
        minute_resets: u32,
    },
}

impl Permit {
    /// What public pages may show: what the free plan sees. Nothing is counted.
    pub const PUBLIC: Permit = Permit(Viewer::Plan(Plan::Free));

    /// What a plan may see. It counts nothing: [`Gate`] counts the call of a caller before.
    pub fn of_plan(plan: Plan) -> Permit {
        Permit(Viewer::Plan(plan))
    }

    /// Whether this is the preview, for callers without a key.
    pub fn is_preview(&self) -> bool {
        matches!(self.0, Viewer::Visitor)
    }

    /// The days whose events may be seen; `None` means all.
    pub fn days(&self, today: NaiveDate) -> Option<Window> {
        self.is_preview().then(|| preview_days(today))
    }

    /// How many of the requested records are returned. The preview has one page.
    pub fn results(&self, requested: usize, is_later_page: bool) -> usize {
        match (self.is_preview(), is_later_page) {
            (false, _) => requested,
            (true, false) => requested.min(PREVIEW_RESULTS),
            (true, true) => 0,
        }
    }

    /// The error for a region outside the area that may be seen.
    pub fn region_error(&self) -> ApiError {
        match self.0 {
            Viewer::Visitor => ApiError::PreviewRegion,
            Viewer::Plan(plan) | Viewer::Page(plan) => ApiError::PlanRegion { plan },
        }
    }

    /// The error for positions, which only the full view has.
    pub fn positions_error(&self) -> ApiError {
        match self.0 {
            Viewer::Page(_) => ApiError::TokenScope,
            Viewer::Visitor | Viewer::Plan(_) => ApiError::PlanPositions { plan: self.plan() },
        }
    }

    /// The plan that applies.
    pub fn plan(&self) -> Plan {
        match self.0 {
            Viewer::Visitor => Plan::Free,
            Viewer::Plan(plan) | Viewer::Page(plan) => plan,
        }
    }

    /// The fields that may be seen.
    pub fn view(&self) -> View {
        match self.0 {
            Viewer::Visitor | Viewer::Page(_) => View::Basic,
            Viewer::Plan(plan) => plan.view(),
        }
    }

    /// Whether records of every region may be seen.
    pub fn covers_everything(&self) -> bool {
        self.plan().covers_everything()
    }

    /// The area that may be seen; `free_area` is the one of plans that do not cover all regions.
    pub fn area(&self, free_area: AreaId) -> AreaId {
        if self.covers_everything() { EVERYWHERE } else { free_area }
    }
}

impl Gate {
    /// A gate for the plans and limits of a configuration.
    pub fn new(config: &Config, quota: Arc<Quota>) -> Gate {
        Gate {
            plans: config.plans.clone(),
            quota,
            preview: VisitorLimiter::new(config.preview.clone()),
            site_searches: VisitorLimiter::new(config.site_searches.clone()),
            tokens: Sketch::new(),
            calls_of_page: config.browser_tokens.per_minute,
            calls_of_calendar: config.calendars.per_minute,
            owners: OwnerLimiter::new(config.signup.owner_calls_per_minute),
        }
    }

    /// Admits a caller without a key to one query of the preview.
    pub fn admit_visitor(&self, address: IpAddr, moment: Moment) -> Result<Permit, ApiError> {
        self.preview.count(address, moment).map_err(limited)?;
        Ok(Permit(Viewer::Visitor))
    }

    /// Admits a reader of the site to a search, by limits of their own.
    pub fn admit_reader(&self, address: IpAddr, moment: Moment) -> Result<(), ApiError> {
        self.site_searches.count(address, moment).map_err(limited)
    }

    /// Admits an account from an address to what an owner must be able to do while somebody else floods with a leaked
    /// key: it counts against neither minute nor month, but by account and network.
    pub fn admit_owner(&self, account: &AccountId, address: IpAddr, moment: Moment) -> Result<(), ApiError> {
        match self.owners.count(account, address, moment.minute_number) {
            true => Ok(()),
            false => Err(ApiError::RateLimited {
                retry_after: moment.minute().seconds_left(moment.at),
                per_minute: self.owners.per_minute,
                calls: LimitedCalls::Account,
            }),
        }
    }

    /// Admits a caller, for one call of the minute.
    pub async fn admit(&self, caller: &Caller, moment: Moment) -> Result<Permit, ApiError> {
        caller.account.check_not_blocked()?;
        let figures = self.figures(caller);
        let admitted = self.quota.admit(&caller.quota, moment, figures).await;
        admitted.map_err(|short| error(short, figures, moment))?;
        Ok(Permit::of_plan(caller.account.plan))
    }

    /// Admits the holder of a browser token, at the origin that its browser names. It has a minute of its own, so that
    /// a page with many visitors does not stop the servers of its owner, and the basic view whatever the plan.
    pub fn admit_page(
        &self,
        caller: &Caller,
        origin: Option<&[u8]>,
        moment: Moment,
    ) -> Result<Permit, ApiError> {
        caller.account.check_not_blocked()?;
        let origin = origin.ok_or(ApiError::TokenOrigin { is_missing: true })?;
        let origins = caller.scope.as_ref().and_then(Scope::origins);
        if !origins.is_some_and(|origins| origins.allow(origin)) {
            return Err(ApiError::TokenOrigin { is_missing: false });
        }
        self.admit_token(caller, TokenKind::Browser, moment)?;
        Ok(Permit(Viewer::Page(caller.account.plan)))
    }

    /// Admits a calendar program to a calendar address. Its token has a minute of its own, so that many subscribers do
    /// not stop the servers of the owner; it sees what the plan sees.
    pub fn admit_calendar(&self, caller: &Caller, moment: Moment) -> Result<Permit, ApiError> {
        caller.account.check_not_blocked()?;
        self.admit_token(caller, TokenKind::Calendar, moment)?;
        Ok(Permit::of_plan(caller.account.plan))
    }

    /// Counts a call against the minute of a token.
    fn admit_token(&self, caller: &Caller, kind: TokenKind, moment: Moment) -> Result<(), ApiError> {
        let per_minute = self.calls_of(kind);
        match self.tokens.count_up_to(per_minute, caller.key.0, moment.minute_number) {
            true => Ok(()),
            false => {
                let retry_after = moment.minute().seconds_left(moment.at);
                Err(ApiError::TokenLimited { retry_after, per_minute })
            }
        }
    }

    fn calls_of(&self, kind: TokenKind) -> u32 {
        match kind {
            TokenKind::Browser => self.calls_of_page,
            TokenKind::Calendar => self.calls_of_calendar,
        }
    }

    /// Charges one call of the month for an action.
    pub async fn charge(&self, caller: &Caller, moment: Moment, action: usize) -> Result<(), ApiError> {
        let figures = self.figures(caller);
        let charged = self.quota.charge(&caller.quota, moment, figures, action).await;
        charged.map_err(|short| error(short, figures, moment))
    }

    /// Refuses a caller whose month is spent, as far as this process knows; nothing is charged. For what is made before
    /// it is known whether it is charged.
    pub fn check_month(&self, caller: &Caller, moment: Moment) -> Result<(), ApiError> {
        match self.plan_and_quota(caller, moment).1.month {
            Some((0, _)) => Err(error(QuotaError::Exhausted(moment.month()), self.figures(caller), moment)),
            _ => Ok(()),
        }
    }

    /// The plan of a caller and what is left of its quotas, as far as this process knows.
    pub fn plan_and_quota(&self, caller: &Caller, moment: Moment) -> (Plan, QuotaStatus) {
        let plan = caller.account.plan;
        (plan, self.quota.status(&caller.quota, moment, self.plans.row(plan).figures))
    }

    /// What a caller has left, be it an account or the holder of a token.
    pub fn standing(&self, caller: &Caller, moment: Moment) -> Standing {
        let Some(scope) = &caller.scope else {
            let (plan, status) = self.plan_and_quota(caller, moment);
            return Standing::Account(plan, status);
        };
        let (kind, counted) = (scope.kind(), self.tokens.counted(caller.key.0, moment.minute_number));
        Standing::Token {
            kind,
            minute_left: self.calls_of(kind).saturating_sub(counted),
            minute_resets: moment.minute().seconds_left(moment.at),
        }
    }

    /// What a caller has spent this month.
    pub async fn usage(&self, caller: &Caller, moment: Moment) -> Result<Usage, ApiError> {
        Ok(self.quota.usage(&caller.quota, moment).await?)
    }

    /// What an account has spent this month, what is left of its quotas as far as this process knows, and the limits of
    /// its plan.
    pub async fn account_usage(
        &self,
        account: &Account,
        moment: Moment,
    ) -> Result<(Usage, QuotaStatus, Figures), ApiError> {
        let (quota, figures) = (self.quota.account(&account.id), self.plans.row(account.plan).figures);
        let usage = self.quota.usage(&quota, moment).await?;
        Ok((usage, self.quota.status(&quota, moment, figures), figures))
    }

    /// The price and limits of a caller's plan.
    pub fn figures(&self, caller: &Caller) -> Figures {
        self.plans.row(caller.account.plan).figures
    }
}

/// The error for a visitor who asks too often.
fn limited(TooMany { scope, retry_after }: TooMany) -> ApiError {
    ApiError::PreviewLimited { scope, retry_after }
}

/// The error for a call that the quota of a plan with these figures did not allow.
fn error(short: QuotaError, figures: Figures, moment: Moment) -> ApiError {
    let Figures { per_minute, per_month, .. } = figures;
    match short {
        QuotaError::Exhausted(period) => {
            let retry_after = period.seconds_left(moment.at);
            match period.kind {
                PeriodKind::Minute => {
                    ApiError::RateLimited { retry_after, per_minute, calls: LimitedCalls::Plan }
                }
                PeriodKind::Month => ApiError::QuotaExceeded { retry_after, per_month },
            }
        }
        QuotaError::Withheld => ApiError::StoreUnavailable,
        QuotaError::Store(error) => error.into(),
    }
}
