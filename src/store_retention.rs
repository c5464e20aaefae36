//! Has the store delete what it keeps for a time only, such as codes, sessions and the log of changes.

use std::sync::Arc;
use std::time::Duration;

use crate::domain::clock::Clock;
use crate::outage::Outage;
use crate::store::Store;

/// How often that is.
const ROUND: Duration = Duration::from_hours(1);

/// How soon it is tried again after a failure.
const TRY_AGAIN: Duration = Duration::from_secs(5);

/// Deletes for ever.
pub(crate) async fn run(store: Arc<dyn Store>, clock: Clock) {
    let outage = Outage::new("what is no longer to be kept cannot be deleted from the store");
    loop {
        let deleted = store.forget(clock.now()).await;
        outage.record(&deleted);
        tokio::time::sleep(if deleted.is_ok() { ROUND } else { TRY_AGAIN }).await;
    }
}
