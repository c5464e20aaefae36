//! What operators do with accounts, and the rows of the whole store.

use std::collections::{HashMap, HashSet};

use async_trait::async_trait;
use strum::VariantArray as _;

use super::values::failed;
use super::wire::ChangeId;
use super::{Redis, scripts};
use crate::domain::account::{AccountId, Email};
use crate::domain::clock::UnixMillis;
use crate::domain::reader::Reader;
use crate::store::rows::{Row, Table, leave_out_orphans};
use crate::store::{
    AdminStore, Backlog, Block, EVENT_REMEMBERED_MILLIS, EmailChange, Erasure, Silent, StoreResult,
};

/// How many values one script inserts: Lua takes no more than some thousands at once.
const VALUES_AT_ONCE: usize = 4_000;

/// Tables whose rows are all in one key, which has the name of the table.
const IN_ONE_KEY: [Table; 3] = [Table::References, Table::Erased, Table::Audit];

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
    ) -> StoreResult<Option<Erasure>> {
        let change = self.run(&scripts::ERASE, (account, at, kept.unwrap_or_default())).await?;
        let mut rest = ("0".to_owned(), "0".to_owned());
        while rest.0 != "done" || rest.1 != "done" {
            rest = self.run(&scripts::ERASE_PAGE, (account, rest.0, rest.1)).await?;
        }
        self.wire.connection.rewrite_log().await;
        let silent = self.changed_account(change).await?;
        Ok(silent.map(|silent| Erasure { silent, is_in_log: false }))
    }

    async fn rows(&self, tables: &[Table], of: Option<&AccountId>) -> StoreResult<Vec<Row>> {
        let is_wanted = |table: Table| tables.contains(&table);
        let in_one_key: Vec<String> = tables
            .iter()
            .filter(|table| IN_ONE_KEY.contains(table))
            .map(|table| table.name().to_owned())
            .collect();
        let (names, patterns) = match of {
            Some(account) => {
                let patterns = [
                    (Table::Leases, format!("lease:{account}:*")),
                    (Table::Mails, "letter:*".to_owned()),
                    (Table::Deliveries, "delivery:*".to_owned()),
                ];
                let patterns = patterns.into_iter().filter(|(table, _)| is_wanted(*table));
                (
                    [in_one_key, vec![format!("account:{account}")]].concat(),
                    patterns.map(|(_, pattern)| pattern).collect(),
                )
            }
            None if in_one_key.len() == tables.len() => (in_one_key, Vec::new()),
            None => (Vec::new(), vec!["*".to_owned()]),
        };
        let (_, mut keys) = self.page("keys", names).await?;
        if of.is_some() && is_wanted(Table::Readers) {
            let email = keys.values().flatten().find(|row| row.0 == Table::Accounts);
            if let Some(email) = email.and_then(|row| row.value("email")) {
                let reader: Option<Reader> = self.run(&scripts::READER, ("", email)).await?;
                if let Some(Reader { id, .. }) = reader {
                    keys.extend(self.page("keys", vec![format!("reader:{id}")]).await?.1);
                }
            }
        }
        for pattern in patterns {
            let mut cursor = "0".to_owned();
            loop {
                let (next, page) = self.page("scan", vec![cursor, pattern.clone()]).await?;
                for (key, rows) in page {
                    // a scan may answer a key twice
                    keys.entry(key).or_insert(rows);
                }
                cursor = next;
                if cursor == "0" {
                    break;
                }
            }
        }
        let mut rows: Vec<Row> = keys.into_values().flatten().filter(|row| is_wanted(row.0)).collect();
        if let Some(account) = of {
            rows.retain(|row| row.0 == Table::Readers || row.account() == Some(account.as_str()));
        } else if is_wanted(Table::Accounts) {
            check_addresses(&rows)?;
            // of accounts that were erased, or had not signed up, when those were read
            leave_out_orphans(&mut rows);
        }
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

    async fn note(&self, entry: Row) -> StoreResult<()> {
        for page in pages(&[entry])? {
            self.run::<bool>(&scripts::INSERT_ROWS, page).await?;
        }
        Ok(())
    }

    async fn backlog(&self) -> StoreResult<Backlog> {
        let (mail, event, due, backup): (String, String, String, String) =
            self.run(&scripts::BACKLOG, "").await?;
        let moment = |text: String| text.parse().ok().map(UnixMillis);
        Ok(Backlog {
            oldest_mail: moment(mail),
            oldest_webhook_event: moment(event),
            subscription_due_at: moment(due),
            backup_at: moment(backup),
        })
    }

    async fn forget(&self, _: UnixMillis) -> StoreResult<()> {
        Ok(())
    }

    async fn note_backup(&self, at: UnixMillis) -> StoreResult<()> {
        self.run::<bool>(&scripts::NOTE_BACKUP, at).await.map(drop)
    }

    async fn fill(&self, rows: Vec<Row>) -> StoreResult<()> {
        Ok(self.wire.fill(pages(&rows)?).await?)
    }
}

/// A key, and its rows as the script answers them.
type ReadKey = (String, Vec<Vec<Option<String>>>);

/// What inserts a part of the rows of one table.
type InsertedPage = (i64, &'static str, usize, Vec<String>);

/// The rows in the parts that scripts take.
fn pages(rows: &[Row]) -> StoreResult<Vec<InsertedPage>> {
    rows.iter().try_for_each(Row::check)?;
    let mut pages = Vec::new();
    for rows in rows.chunk_by(|one, other| one.0 == other.0) {
        let Some(Row(table, _)) = rows.first() else { continue };
        let columns = table.columns().len();
        for rows in rows.chunks(VALUES_AT_ONCE / columns) {
            let value =
                |value: &Option<String>| value.as_ref().map_or(String::new(), |text| format!("={text}"));
            let values: Vec<String> = rows.iter().flat_map(|row| row.1.iter().map(value)).collect();
            pages.push((EVENT_REMEMBERED_MILLIS, table.name(), columns, values));
        }
    }
    Ok(pages)
}

/// Refuses rows in which two accounts have one address.
fn check_addresses(rows: &[Row]) -> StoreResult<()> {
    let accounts = || rows.iter().filter(|row| row.0 == Table::Accounts);
    let ids: HashSet<&str> = accounts().filter_map(Row::account).collect();
    let addresses: HashSet<&str> = accounts().filter_map(|row| row.value("email")).collect();
    if addresses.len() < ids.len() {
        return Err(failed("an address moved to another account while the rows were read: try again"));
    }
    Ok(())
}

impl Redis {
    /// The rows of some keys, by the key, and where a scan goes on. Each key is read at one moment, and no script takes
    /// long, so that other calls need not wait for all.
    async fn page(&self, how: &str, which: Vec<String>) -> StoreResult<(String, HashMap<String, Vec<Row>>)> {
        let (next, found): (String, Vec<ReadKey>) =
            self.run(&scripts::ROWS, (EVENT_REMEMBERED_MILLIS, how, which)).await?;
        let row = |mut values: Vec<Option<String>>| {
            let name = (!values.is_empty()).then(|| values.remove(0)).flatten()?;
            let row = Row(*Table::VARIANTS.iter().find(|table| table.name() == name)?, values);
            row.check().ok().map(|()| row)
        };
        let mut keys = HashMap::with_capacity(found.len());
        for (key, rows) in found {
            let rows: Option<Vec<Row>> = rows.into_iter().map(row).collect();
            keys.insert(key, rows.ok_or_else(|| failed("a stored row is malformed"))?);
        }
        Ok((next, keys))
    }

    async fn changed_account(&self, change: Option<ChangeId>) -> StoreResult<Option<Silent>> {
        let Some(change) = change else { return Ok(None) };
        self.handled_everywhere(change).await.map(Some)
    }
}
