//! What `candango restore` and `candango store copy` do alike: both write all rows of a store into an empty one.

use std::collections::BTreeMap;

use anyhow::{Result, bail, ensure};
use sha2::{Digest as _, Sha256};
use strum::VariantArray as _;

use crate::domain::clock::{Clock, UnixMillis};
use crate::store::Store;
use crate::store::rows::{Row, Table};

/// How many rows each table has.
pub(super) type Counts = BTreeMap<&'static str, usize>;

pub(super) fn counts(rows: &[Row]) -> Counts {
    let mut counts = Counts::new();
    for row in rows {
        *counts.entry(row.0.name()).or_default() += 1;
    }
    counts
}

/// Whether a store holds nothing that matters: counters of rate limits may be there.
pub(super) async fn holds_nothing(store: &dyn Store) -> Result<bool> {
    Ok(store.rows(Table::VARIANTS, None).await?.iter().all(|row| row.0 == Table::Counters))
}

/// Refuses a store that a server serves from.
pub(super) async fn at_rest(store: &dyn Store, what: &str) -> Result<()> {
    let serving = store.serving().await?;
    ensure!(serving.is_empty(), "{what} is in use by {}: stop its servers first", serving.join(", "));
    Ok(())
}

/// Refuses a store whose rows are not those that were written. Rows that a store may drop by now do not count.
pub(super) fn same_rows(wrote: &[Row], found: &[Row]) -> Result<()> {
    // time has passed since they were written
    let now = UnixMillis(Clock::machine().now().0.saturating_add(1_000));
    let hash = |rows: &[Row]| -> Result<[u8; 32]> {
        let mut lines = Vec::with_capacity(rows.len());
        for row in
            rows.iter().filter(|row| row.0 != Table::Counters && row.ends_at().is_none_or(|end| end > now))
        {
            lines.push(serde_json::to_vec(&row.clone().without_end())?);
        }
        lines.sort_unstable();
        Ok(Sha256::digest(lines.join(&b'\n')).into())
    };
    if hash(wrote)? != hash(found)? {
        bail!("what was written is not what was read back: {:?}, not {:?}", counts(found), counts(wrote));
    }
    Ok(())
}

/// Counts all calls of leases as spent: their holders have ended, and may have spent them.
pub(super) fn end_leases(rows: &mut [Row]) {
    for row in rows.iter_mut().filter(|row| row.0 == Table::Leases) {
        let granted = row.value("granted").map(str::to_owned);
        row.set("used", granted);
    }
}
