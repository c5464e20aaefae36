//! Leases, and this process as the one that serves from the file.

use async_trait::async_trait;
use rusqlite::params;
use rusqlite::types::FromSqlError;
use tokio::runtime::Handle;

use super::Sqlite;
use super::rows::{execute, find, find_all};
use super::threads::Registered;
use crate::domain::account::AccountId;
use crate::domain::clock::Period;
use crate::store::lease_rule::{Lease, forget_at, grant_total};
use crate::store::{
    ChangeListener, Claim, Grant, LastProbe, LeaseRecord, PresenceStore, QuotaStore, StoreError, StoreResult,
};

#[async_trait]
impl QuotaStore for Sqlite {
    async fn lease(&self, claim: Claim) -> StoreResult<Grant> {
        self.write(move |db| {
            let Claim { account, holder, number, used, now, .. } = &claim;
            let period = claim.period.to_string();
            let sql = "SELECT number, granted FROM leases WHERE account = ?1 AND period = ?2 AND holder = ?3";
            let own = find(db, sql, params![account, period, holder], |row| {
                Ok(Lease { number: row.get(0)?, granted: row.get(1)? })
            })?;
            if own.is_none() {
                // the first claim of a lease is rare enough to delete old ones with it
                execute(db, "DELETE FROM leases WHERE forget_at <= ?1", [now])?;
            }
            let own = own.unwrap_or_default();
            let sql = "SELECT coalesce(sum(used), 0), coalesce(sum(granted), 0) FROM leases
                       WHERE account = ?1 AND period = ?2 AND holder <> ?3";
            let others = find(db, sql, params![account, period, holder], |row| row.try_into())?;
            let (others_used, others_granted) = others.unwrap_or_default();
            let Some(granted) = grant_total(&claim, own, others_granted) else {
                return Ok(Grant { granted: own.granted, others_used, others_granted, others_lost: 0 });
            };
            let by_action = serde_json::to_string(&claim.by_action)
                .map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))?;
            let forget_at = forget_at(claim.period);
            let sql = "INSERT OR REPLACE INTO leases
                       (account, period, holder, number, granted, used, by_action, forget_at)
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
            let lease = params![account, period, holder, number, granted, used, by_action, forget_at];
            execute(db, sql, lease)?;
            // those of holders that had ended were counted as spent at the start
            Ok(Grant { granted, others_used, others_granted, others_lost: 0 })
        })
        .await
    }

    async fn leases(&self, account: &AccountId, period: Period) -> StoreResult<Vec<LeaseRecord>> {
        let account = account.clone();
        self.read(move |db| {
            let sql = "SELECT holder, granted, used, by_action FROM leases
                       WHERE account = ?1 AND period = ?2 ORDER BY holder";
            find_all(db, sql, params![account, period.to_string()], |row| {
                let by_action =
                    serde_json::from_str(row.get_ref(3)?.as_str()?).map_err(FromSqlError::other)?;
                Ok(LeaseRecord { holder: row.get(0)?, granted: row.get(1)?, used: row.get(2)?, by_action })
            })
        })
        .await
    }

    /// There is no other server on the file to recall from.
    async fn recall(&self, _: &AccountId) -> StoreResult<()> {
        Ok(())
    }
}

#[async_trait]
impl PresenceStore for Sqlite {
    /// The unspent calls of the leases on record are lost: their holders have ended, and may have spent them.
    async fn register(&self, listener: ChangeListener) -> StoreResult<()> {
        // once: a registration may be tried again
        if self.lock.get().is_none() {
            let _ = self.lock.set(self.lock_file()?);
        }
        let _ = self.shared.registered.set(Registered { listener, runtime: Handle::current() });
        self.write(|db| execute(db, "UPDATE leases SET used = granted WHERE used < granted", []).map(drop))
            .await
    }

    /// A local file is always in contact.
    fn is_trusted(&self) -> bool {
        true
    }

    async fn refresh(&self) -> StoreResult<()> {
        Ok(())
    }

    /// Writes everything into the database file, so that nothing is in its log when the process has ended.
    async fn leave(&self) -> StoreResult<()> {
        self.truncate_log().await
    }

    fn health(&self) -> StoreResult<()> {
        if !self.writer.is_alive() || !self.reader.is_alive() {
            return Err(StoreError::Closed);
        }
        self.shared.health()
    }

    fn panics(&self) -> u64 {
        self.shared.panics()
    }

    fn last_probe(&self) -> LastProbe {
        LastProbe { is_up: self.health().is_ok(), took: self.shared.probe_took() }
    }
}
