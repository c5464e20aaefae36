//! What people asked and did not find: a hash for each day.

use async_trait::async_trait;
use chrono::NaiveDate;

use super::{Redis, scripts};
use crate::domain::account::HolderId;
use crate::domain::asked::AskedCount;
use crate::domain::clock::UnixMillis;
use crate::store::{AskedStore, MAX_A_DAY, StoreError, StoreResult};

/// How many counts one script takes: Lua takes no more than some thousands of values at once.
const BATCH: usize = 1_000;

#[async_trait]
impl AskedStore for Redis {
    async fn save_asked(&self, counts: Vec<AskedCount>, forget_at: UnixMillis) -> StoreResult<()> {
        for counts in counts.chunks(BATCH) {
            let Some(AskedCount { day, run, .. }) = counts.first() else { continue };
            let values: Vec<(&str, u32, u32)> =
                counts.iter().map(|count| (&*count.question, count.callers, count.times)).collect();
            let arguments = (day.to_string(), run, forget_at, MAX_A_DAY, values);
            self.run::<bool>(&scripts::SAVE_ASKED, arguments).await?;
        }
        Ok(())
    }

    async fn asked(&self, day: NaiveDate) -> StoreResult<Vec<AskedCount>> {
        let found: Vec<(String, String)> = self.run(&scripts::ASKED, day.to_string()).await?;
        let count = |(field, counted): (String, String)| {
            let (run, question) = field.split_once(':')?;
            let (callers, times) = counted.split_once(':')?;
            Some(AskedCount {
                day,
                run: HolderId::from_stored(run.to_owned()),
                question: question.to_owned(),
                callers: callers.parse().ok()?,
                times: times.parse().ok()?,
            })
        };
        let counts: Option<Vec<AskedCount>> = found.into_iter().map(count).collect();
        counts.ok_or_else(|| StoreError::failed("a stored count of what was asked is malformed"))
    }
}
