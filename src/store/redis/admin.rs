//! What operators do with accounts, and the rows of the whole store.

use async_trait::async_trait;

use super::values::failed;
use super::wire::ChangeId;
use super::{Redis, scripts};
use crate::domain::account::{AccountId, Email};
use crate::domain::clock::UnixMillis;
use crate::store::rows::{Row, Table};
use crate::store::{AdminStore, Block, EVENT_REMEMBERED_MILLIS, EmailChange, Silent, StoreResult};

/// How many values one script inserts: Lua takes no more than some thousands at once.
const VALUES_AT_ONCE: usize = 4_000;

#[async_trait]
impl AdminStore for Redis {
    async fn set_block(&self, account: &AccountId, block: Option<Block>) -> StoreResult<Option<Silent>> {
        let (at, reason) =
            block.map_or_else(Default::default, |block| (block.at.0.to_string(), block.reason));
        let change = self.run(&scripts::SET_BLOCK, (account, at, reason)).await?;
        self.changed_account(change).await
    }

    async fn set_email(&self, account: &AccountId, email: &Email) -> StoreResult<EmailChange> {
        let changed: Option<u8> = self.run(&scripts::SET_EMAIL, (account, email)).await?;
        Ok(match changed {
            Some(1) => EmailChange::Done,
            Some(_) => EmailChange::Taken,
            None => EmailChange::NoAccount,
        })
    }

    async fn erase(
        &self,
        account: &AccountId,
        kept: Option<String>,
        at: UnixMillis,
    ) -> StoreResult<Option<Silent>> {
        let change = self.run(&scripts::ERASE, (account, at, kept.unwrap_or_default())).await?;
        self.wire.connection.rewrite_log().await;
        self.changed_account(change).await
    }

    async fn rows(&self, tables: &[Table]) -> StoreResult<Vec<Row>> {
        let names: Vec<_> = tables.iter().map(|table| table.name()).collect();
        let found: Vec<Vec<Option<String>>> =
            self.wire.run_long(&scripts::ROWS, (EVENT_REMEMBERED_MILLIS, names)).await?;
        let row = |mut values: Vec<Option<String>>| {
            let name = (!values.is_empty()).then(|| values.remove(0)).flatten()?;
            Some(Row(*tables.iter().find(|table| table.name() == name)?, values))
        };
        let rows: Option<Vec<Row>> = found.into_iter().map(row).collect();
        let mut rows = rows.ok_or_else(|| failed("a stored row is malformed"))?;
        rows.iter().try_for_each(Row::check)?;
        // the audit log keeps its order, as sorting by the table alone is stable
        rows.sort_by(|one, other| {
            one.0.cmp(&other.0).then_with(|| match one.0 {
                Table::Audit => std::cmp::Ordering::Equal,
                _ => one.1.cmp(&other.1),
            })
        });
        Ok(rows)
    }

    async fn serving(&self) -> StoreResult<Vec<String>> {
        self.run(&scripts::SERVING, "").await
    }

    async fn insert(&self, rows: Vec<Row>) -> StoreResult<()> {
        rows.iter().try_for_each(Row::check)?;
        for rows in rows.chunk_by(|one, other| one.0 == other.0) {
            let Some(Row(table, _)) = rows.first() else { continue };
            let columns = table.columns().len();
            for rows in rows.chunks(VALUES_AT_ONCE / columns) {
                let value =
                    |value: &Option<String>| value.as_ref().map_or(String::new(), |text| format!("={text}"));
                let values: Vec<String> = rows.iter().flat_map(|row| row.1.iter().map(value)).collect();
                let arguments = (EVENT_REMEMBERED_MILLIS, table.name(), columns, values);
                self.run::<bool>(&scripts::INSERT_ROWS, arguments).await?;
            }
        }
        Ok(())
    }
}

impl Redis {
    async fn changed_account(&self, change: Option<ChangeId>) -> StoreResult<Option<Silent>> {
        let Some(change) = change else { return Ok(None) };
        self.handled_everywhere(change).await.map(Some)
    }
}
