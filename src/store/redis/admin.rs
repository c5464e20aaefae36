//! What operators do with accounts, and the rows of the whole store.

use std::collections::{HashMap, HashSet};

use async_trait::async_trait;
use strum::VariantArray as _;

use super::presence::check_policy;
use super::wire::ChangeId;
use super::{Redis, scripts};
use crate::domain::account::{AccountId, Email};
use crate::domain::clock::{Clock, Period, UnixMillis};
use crate::domain::reader::Reader;
use crate::store::rows::{Row, Table, leave_out_older_readers, leave_out_orphans};
use crate::store::{
    AdminStore, Backlog, Block, EVENT_REMEMBERED_MILLIS, EmailChange, EraseOutcome, Erasure, Silent,
    StoreError, StoreResult,
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
        self.handled_change(change).await
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
        version: u32,
        kept: Option<String>,
        at: UnixMillis,
    ) -> StoreResult<EraseOutcome> {
        let arguments = (account, version, at, kept.unwrap_or_default());
        let erased: Option<(Option<ChangeId>,)> = self.run(&scripts::ERASE, arguments).await?;
        let Some((change,)) = erased else { return Ok(EraseOutcome::NoAccount) };
        let Some(change) = change else { return Ok(EraseOutcome::Conflict) };
        self.erase_rest(account).await?;
        let silent = self.handled_everywhere(change).await?;
        Ok(EraseOutcome::Done(Erasure { silent, is_in_log: false }))
    }

    async fn rows(&self, tables: &[Table], of: Option<&AccountId>) -> StoreResult<Vec<Row>> {
        let is_wanted = |table: Table| tables.contains(&table);
        let mut rows = match of {
            Some(account) => self.rows_of(account, tables).await?,
            None => self.all_rows(tables).await?,
        };
        rows.retain(|row| is_wanted(row.0));
        if let Some(account) = of {
            rows.retain(|row| row.0 == Table::Readers || row.account() == Some(account.as_str()));
        } else if is_wanted(Table::Accounts) {
            check_addresses(&rows)?;
            // of accounts that were erased, or had not signed up, when those were read
            leave_out_orphans(&mut rows);
        }
        if of.is_none() {
            leave_out_older_readers(&mut rows);
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

    async fn check_settings(&self) -> StoreResult<()> {
        let info: String = self.run(&scripts::SETTINGS, "").await?;
        check_policy(&info)
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
        let begun: Vec<AccountId> = self.run(&scripts::ERASING, "").await?;
        for account in begun {
            self.erase_rest(&account).await?;
        }
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

/// A key, and its rows.
type KeyRows = (String, Vec<Row>);

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
        return Err(StoreError::failed(
            "an address moved to another account while the rows were read: try again",
        ));
    }
    Ok(())
}

/// What the names of the keys begin with that hold rows of a table.
fn begins(table: Table) -> &'static str {
    use Table::*;
    match table {
        Accounts | Keys | Codes | Tokens | Hooks | Subscriptions => "account",
        Mails => "letter",
        Counters => "tally",
        Leases => "lease",
        References | Erased | Audit => table.name(),
        WebhookEvents => "notice",
        Asked => "asked",
        Suggestions => "suggestion",
        Readers => "reader",
        Deliveries => "delivery",
    }
}

/// The pattern of the keys that hold all rows of some tables; none for no table.
fn pattern(tables: &[Table]) -> Option<String> {
    let first = begins(*tables.first()?);
    Some(match tables {
        [Table::Subscriptions] => "books:*".to_owned(),
        _ if tables.iter().all(|table| begins(*table) == first) => format!("{first}:*"),
        _ => "*".to_owned(),
    })
}

/// The names of the periods whose leases may be stored: a lease is kept for ten minutes after its minute, and for 40
/// days after its month. One more on each side, as clocks differ.
fn stored_periods() -> Vec<String> {
    let moment = Clock::machine().moment();
    let of = |period: Period, before: u32, after: u32| {
        let numbers = period.number.saturating_sub(before)..=period.number.saturating_add(after);
        numbers.map(move |number| Period { number, ..period }.to_string())
    };
    of(moment.month(), 3, 1).chain(of(moment.minute(), 12, 2)).collect()
}

impl Redis {
    /// Drops what is left of an account whose erasure has begun. It may be repeated, by another process too.
    async fn erase_rest(&self, account: &AccountId) -> StoreResult<()> {
        let mut rest = ("0".to_owned(), "0".to_owned());
        while rest.0 != "done" || rest.1 != "done" {
            rest = self.run(&scripts::ERASE_PAGE, (account, rest.0, rest.1)).await?;
        }
        self.wire.connection.rewrite_log().await;
        Ok(())
    }

    /// All rows of tables. Each key is read at one moment, and no script takes long, so that other calls need not wait
    /// for all.
    async fn all_rows(&self, tables: &[Table]) -> StoreResult<Vec<Row>> {
        let (in_one_key, others): (Vec<Table>, Vec<Table>) =
            tables.iter().copied().partition(|table| IN_ONE_KEY.contains(table));
        let mut keys: HashMap<String, Vec<Row>> = HashMap::new();
        if let Some(pattern) = pattern(&others) {
            // a scan may answer a key twice
            keys.extend(self.pages(&others, "scan", &pattern).await?);
        }
        // last, so that what is kept of an account which is erased meanwhile is there when its rows are not
        let names = in_one_key.iter().map(|table| table.name().to_owned()).collect();
        keys.extend(self.page(&in_one_key, "keys", names).await?.1);
        Ok(keys.into_values().flatten().collect())
    }

    /// The rows of an account, and of others at most some. Nothing is read that grows with the accounts, as an owner
    /// may ask for it at any time; but the audit log has no other order than its own.
    async fn rows_of(&self, account: &AccountId, tables: &[Table]) -> StoreResult<Vec<Row>> {
        let is_wanted = |table: Table| tables.contains(&table);
        // the address leads to the reader
        let own = [tables, &[Table::Accounts]].concat();
        let which = std::iter::once(account.to_string()).chain(stored_periods()).collect();
        let mut keys: Vec<KeyRows> = self.page(&own, "of", which).await?.1;
        if is_wanted(Table::Readers) {
            let email = keys.iter().flat_map(|(_, rows)| rows).find(|row| row.0 == Table::Accounts);
            if let Some(email) = email.and_then(|row| row.value("email")) {
                let reader: Option<Reader> = self.run(&scripts::READER, ("", email)).await?;
                if let Some(Reader { id, .. }) = reader {
                    let which = vec![format!("reader:{id}")];
                    keys.extend(self.page(&[Table::Readers], "keys", which).await?.1);
                }
            }
        }
        if is_wanted(Table::Audit) {
            keys.extend(self.pages(&[Table::Audit], "audit", account.as_str()).await?);
        }
        let mut seen = HashSet::new();
        keys.retain(|(key, _)| seen.insert(key.clone()));
        Ok(keys.into_iter().flat_map(|(_, rows)| rows).collect())
    }

    /// All pages of the keys that a script finds one after the other.
    async fn pages(&self, tables: &[Table], how: &str, what: &str) -> StoreResult<Vec<KeyRows>> {
        let (mut keys, mut next) = (Vec::new(), "0".to_owned());
        loop {
            let (cursor, page) = self.page(tables, how, vec![next, what.to_owned()]).await?;
            keys.extend(page);
            next = cursor;
            if next == "0" {
                return Ok(keys);
            }
        }
    }

    /// The rows of some keys, by the key, and where a scan goes on.
    async fn page(
        &self,
        tables: &[Table],
        how: &str,
        which: Vec<String>,
    ) -> StoreResult<(String, Vec<KeyRows>)> {
        let wanted = tables.iter().map(|table| table.name()).collect::<Vec<_>>().join(",");
        let (next, found): (String, Vec<ReadKey>) =
            self.run(&scripts::ROWS, (EVENT_REMEMBERED_MILLIS, wanted, how, which)).await?;
        let row = |mut values: Vec<Option<String>>| {
            let name = (!values.is_empty()).then(|| values.remove(0)).flatten()?;
            let row = Row(*Table::VARIANTS.iter().find(|table| table.name() == name)?, values);
            row.check().ok().map(|()| row)
        };
        let mut keys = Vec::with_capacity(found.len());
        for (key, rows) in found {
            let rows: Option<Vec<Row>> = rows.into_iter().map(row).collect();
            keys.push((key, rows.ok_or_else(|| StoreError::failed("a stored row is malformed"))?));
        }
        Ok((next, keys))
    }
}
