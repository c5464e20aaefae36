//! The gate: whether a caller may ask. It counts their calls, and gives those whom it admits a [`Permit`], which says
//! what they may see.

use std::net::IpAddr;
use std::sync::Arc;

use super::keys::Caller;
use super::leases::{Quota, QuotaError, QuotaStatus, Usage};
use super::owners::OwnerLimiter;
use super::permit::Permit;
use super::sketch::Sketch;
use super::visitors::{TooMany, VisitorLimiter};
use crate::config::Config;
use crate::domain::account::{Account, AccountId};
use crate::domain::action::CallKind;
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

/// What a caller has left.
#[derive(Debug, Clone, Copy)]
pub enum CallerQuota {
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
        Ok(Permit::preview())
    }

    /// Counts a search of the site against the limits of its visitors.
    pub fn count_site_search(&self, address: IpAddr, moment: Moment) -> Result<(), ApiError> {
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
        Ok(Permit::of_page(caller.account.plan))
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

    /// Charges one call of the month.
    pub async fn charge(&self, caller: &Caller, moment: Moment, kind: CallKind) -> Result<(), ApiError> {
        let figures = self.figures(caller);
        let charged = self.quota.charge(&caller.quota, moment, figures, kind).await;
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
    pub fn caller_quota(&self, caller: &Caller, moment: Moment) -> CallerQuota {
        let Some(scope) = &caller.scope else {
            let (plan, status) = self.plan_and_quota(caller, moment);
            return CallerQuota::Account(plan, status);
        };
        let (kind, counted) = (scope.kind(), self.tokens.counted(caller.key.0, moment.minute_number));
        CallerQuota::Token {
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
