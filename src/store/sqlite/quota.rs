//! Leases, and this process as the one that serves from the file.

use std::time::Instant;

use rusqlite::{OptionalExtension, params};
use tokio::runtime::Handle;

use super::Sqlite;
use super::rows::lease_record;
use super::threads::Registered;
use crate::domain::account::AccountId;
use crate::domain::clock::Period;
use crate::store::lease_rule::{Lease, forget_at, grant_total};
use crate::store::{
    ChangeListener, Claim, Grant, LeaseRecord, PresenceStore, QuotaStore, StoreError, StoreFuture,
};

impl QuotaStore for Sqlite {
    fn lease(&self, claim: Claim) -> StoreFuture<'_, Grant> {
        self.write(move |connection| {
            let (account, period, holder) =
                (claim.account.as_str(), claim.period.to_string(), claim.holder.as_str());
            let own = connection
                .prepare_cached(
                    "SELECT number, granted FROM leases WHERE account = ?1 AND period = ?2 AND holder = ?3",
                )?
                .query_row(params![account, period, holder], |row| {
                    Ok(Lease { number: row.get(0)?, granted: row.get(1)? })
                })
                .optional()?;
            if own.is_none() {
                // the first claim of a lease is rare enough to delete old ones with it
                connection.prepare_cached("DELETE FROM leases WHERE forget_at <= ?1")?.execute([claim.now])?;
            }
            let own = own.unwrap_or_default();
            let (others_used, others_granted) = connection
                .prepare_cached(
                    "SELECT coalesce(sum(used), 0), coalesce(sum(granted), 0) FROM leases
                     WHERE account = ?1 AND period = ?2 AND holder <> ?3",
                )?
                .query_row(params![account, period, holder], |row| Ok((row.get(0)?, row.get(1)?)))?;
            let Some(granted) = grant_total(&claim, own, others_granted) else {
                return Ok(Grant { granted: own.granted, others_used, others_granted });
            };
            let by_action = serde_json::to_string(&claim.by_action)
                .map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))?;
            connection
                .prepare_cached(
                    "INSERT OR REPLACE INTO leases (account, period, holder, number, granted, used, by_action, forget_at)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                )?
                .execute(params![
                    account,
                    period,
                    holder,
                    claim.number,
                    granted,
                    claim.used,
                    by_action,
                    forget_at(claim.period)
                ])?;
            Ok(Grant { granted, others_used, others_granted })
        })
    }

    fn leases(&self, account: &AccountId, period: Period) -> StoreFuture<'_, Vec<LeaseRecord>> {
        let account = account.clone();
        self.read(move |connection| {
            connection
                .prepare_cached(
                    "SELECT holder, granted, used, by_action FROM leases
                     WHERE account = ?1 AND period = ?2 ORDER BY holder",
                )?
                .query_map(params![account.as_str(), period.to_string()], lease_record)?
                .collect()
        })
    }

    /// There is no other server on the file to recall from.
    fn recall(&self, _: &AccountId) -> StoreFuture<'_, ()> {
        Box::pin(async { Ok(()) })
    }
}

impl PresenceStore for Sqlite {
    /// The unspent calls of the leases on record are lost: their holders have ended, and may have spent them.
    fn register(&self, listener: ChangeListener) -> StoreFuture<'_, ()> {
        Box::pin(async move {
            let _ = self.lock.set(self.lock_file()?);
            let _ = self.shared.registered.set(Registered { listener, runtime: Handle::current() });
            self.write(|connection| {
                connection.execute("UPDATE leases SET used = granted WHERE used < granted", []).map(drop)
            })
            .await
        })
    }

    /// A local file is always in contact.
    fn is_trusted(&self, _: Instant) -> bool {
        true
    }

    fn refresh(&self) -> StoreFuture<'_, ()> {
        Box::pin(async { Ok(()) })
    }

    fn health(&self) -> Result<(), StoreError> {
        if !self.writer.is_alive() || !self.reader.is_alive() {
            return Err(StoreError::Closed);
        }
        self.shared.watch_error().map_or(Ok(()), Err)
    }

    fn panics(&self) -> u64 {
        self.shared.panics()
    }
}
