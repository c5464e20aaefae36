//! What people asked and did not find, as a mail to the operator once a week.

use std::time::Duration;

use chrono::{Datelike, NaiveDate, TimeDelta};

use super::Counter;
use crate::domain::account::{Account, AccountId, MailId};
use crate::domain::asked::{Asked, list};
use crate::domain::clock::{days_to, start_of};
use crate::domain::mail::MailKind;
use crate::store::{AskedStore, RateLimit, StoreError, StoreResult};

/// When the digest is written: on Mondays at this time of Brasília.
const DIGEST_TIME: Duration = Duration::from_hours(8);

/// How many days a digest is about.
const DIGEST_DAYS: u64 = 7;

/// The days that the digest of a Monday is about: the week before.
pub fn digest_days(monday: NaiveDate) -> Vec<NaiveDate> {
    monday.pred_opt().map_or_else(Vec::new, |last| days_to(last, DIGEST_DAYS))
}

/// What was asked on some days.
pub async fn asked<S: AskedStore + ?Sized>(store: &S, days: &[NaiveDate]) -> StoreResult<Vec<Asked>> {
    let mut counts = Vec::new();
    for day in days {
        counts.extend(store.asked(*day).await?);
    }
    Ok(list(&counts))
}

impl Counter {
    /// Queues the digest of this week's Monday, unless this or another server has. A server that dies between taking it
    /// and queueing it takes the digest with it.
    pub(super) async fn queue_digest(&mut self) -> Result<(), StoreError> {
        let Some(owner) = self.owner.clone() else { return Ok(()) };
        let now = self.clock.now();
        let today = self.clock.today().date();
        let Some(begins_at) = start_of(today).map(|midnight| midnight.after(DIGEST_TIME)) else {
            return Ok(());
        };
        if today.weekday() != chrono::Weekday::Mon || now < begins_at || self.digest_done == Some(today) {
            return Ok(());
        }
        if self.digest_taken != Some(today) {
            if asked(&*self.store, &digest_days(today)).await?.is_empty() {
                self.digest_done = Some(today);
                return Ok(());
            }
            let next_week = today.checked_add_signed(TimeDelta::days(7)).and_then(start_of);
            let limit = RateLimit::window("asked letter", &today, 1, next_week.unwrap_or(now));
            if self.store.count_attempt(vec![limit], now).await?.is_some() {
                self.digest_done = Some(today);
                return Ok(());
            }
            self.digest_taken = Some(today);
        }
        let id = AccountId::generate().map_err(|error| StoreError::failed(error.to_string()))?;
        let mail = MailId::from_stored(format!("ltr_asked_{today}"));
        self.store.queue_mail(Account::new(id, owner, now), &mail, MailKind::Asked, now).await?;
        self.digest_done = Some(today);
        Ok(())
    }
}
