//! What a store holds, as rows that every engine reads and writes alike: for backups, copies, lists and the audit log.
//!
//! A [`Row`] is a line of JSON: the name of its table, then its values in the order of the columns. What belongs to
//! one run of a store (its epoch, its processes, their changes) is in no table.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use super::error::StoreError;
use crate::domain::audit::AuditEntry;
use crate::domain::clock::{DAY, UnixMillis};

/// How long a finished webhook event is remembered: the gateway repeats events for 14 days at most.
pub(super) const EVENT_REMEMBERED_MILLIS: i64 = 30 * DAY;

/// Of the revoked keys of an account so many are kept, those that were revoked last.
pub(super) const REVOKED_KEYS_KEPT: usize = 50;

/// How long the others are kept. The next new key of the account drops what is older.
pub(super) const REVOKED_KEY_KEPT_MILLIS: i64 = 90 * DAY;

/// The level of a row of [`Table::Codes`] that is a session which a key has opened. Others have none.
pub(super) const KEY_SESSION: &str = "key";

/// A table of the store. The names are those of the SQLite schema.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    strum::VariantArray,
    strum::IntoStaticStr,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Table {
    /// Accounts, with what the owner wrote at sign-up.
    Accounts,
    /// Keys, revoked ones included.
    Keys,
    /// Codes that were mailed, and sessions.
    Codes,
    /// Queued mails.
    #[serde(rename = "letters")]
    #[strum(serialize = "letters")]
    Mails,
    /// Counters of rate limits.
    #[serde(rename = "tallies")]
    #[strum(serialize = "tallies")]
    Counters,
    /// Leases of calls, which are also the usage.
    Leases,
    /// Subscriptions.
    #[serde(rename = "books")]
    #[strum(serialize = "books")]
    Subscriptions,
    /// Which account a reference of the payment gateway belongs to.
    #[serde(rename = "payers")]
    #[strum(serialize = "payers")]
    References,
    /// Webhook events of the payment gateway.
    #[serde(rename = "notices")]
    #[strum(serialize = "notices")]
    WebhookEvents,
    /// What is kept of erased accounts.
    Erased,
    /// The audit log.
    Audit,
    /// What people asked and did not find.
    Asked,
    /// What readers suggested.
    Suggestions,
    /// Readers of the weekly letter.
    Readers,
    /// Tokens.
    Tokens,
    /// Webhooks.
    Hooks,
    /// Messages to webhooks that wait.
    Deliveries,
}

/// What the values of a column are. All are kept as text in a [`Row`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnType {
    /// Text.
    Text,
    /// A whole number.
    Number,
    /// Bytes, in lower-case hexadecimal.
    Bytes,
}

/// A row of a table. Its values are in the order of [`Table::columns`].
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Row(pub Table, pub Vec<Option<String>>);

impl Table {
    /// Its name.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The column that names the account of a row, if it has one.
    pub fn account_column(self) -> Option<&'static str> {
        match self {
            Table::Accounts => Some("id"),
            _ => self.columns().iter().map(|(name, _)| *name).find(|name| *name == "account"),
        }
    }

    /// Whether its rows go with their account. What is kept of an erased one names it too.
    pub fn belongs_to_account(self) -> bool {
        self.account_column().is_some() && !matches!(self, Table::Audit | Table::Erased)
    }

    /// The column with a moment, and how many milliseconds after it the store may drop a row, if that depends on time.
    pub fn end(self) -> Option<(&'static str, i64)> {
        match self {
            Table::Counters => Some(("ends_at", 0)),
            Table::Codes => Some(("expires_at", 0)),
            Table::Leases | Table::Asked | Table::Suggestions | Table::Readers => Some(("forget_at", 0)),
            Table::WebhookEvents => Some(("settled_at", EVENT_REMEMBERED_MILLIS)),
            _ => None,
        }
    }

    /// Its columns.
    pub const fn columns(self) -> &'static [(&'static str, ColumnType)] {
        use ColumnType::{Bytes, Number, Text};
        match self {
            Table::Accounts => &[
                ("id", Text),
                ("email", Text),
                ("plan", Text),
                ("created_at", Number),
                ("name", Text),
                ("company", Text),
                ("use_case", Text),
                ("blocked_at", Number),
                ("blocked_reason", Text),
            ],
            Table::Keys => &[
                ("hash", Bytes),
                ("account", Text),
                ("first4", Text),
                ("last4", Text),
                ("created_at", Number),
                ("revoked_at", Number),
            ],
            Table::Codes => &[("account", Text), ("hash", Bytes), ("expires_at", Number), ("level", Text)],
            Table::Mails => &[
                ("id", Text),
                ("account", Text),
                ("kind", Text),
                ("queued_at", Number),
                ("due_at", Number),
                ("attempts", Number),
                ("key", Bytes),
                ("owner", Text),
                ("recipient", Text),
            ],
            Table::Counters => &[("name", Text), ("counted", Number), ("ends_at", Number)],
            Table::Leases => &[
                ("account", Text),
                ("period", Text),
                ("holder", Text),
                ("number", Number),
                ("granted", Number),
                ("used", Number),
                ("by_action", Text),
                ("forget_at", Number),
            ],
            Table::Subscriptions => {
                &[("account", Text), ("version", Number), ("text", Text), ("due_at", Number)]
            }
            Table::References => &[("reference", Text), ("account", Text)],
            Table::WebhookEvents => &[
                ("id", Text),
                ("text", Text),
                ("at", Number),
                ("due_at", Number),
                ("attempts", Number),
                ("settled_at", Number),
            ],
            Table::Erased => &[("account", Text), ("at", Number), ("text", Text)],
            Table::Audit => &[
                ("at", Number),
                ("actor", Text),
                ("action", Text),
                ("account", Text),
                ("detail", Text),
                ("reason", Text),
            ],
            Table::Asked => &[
                ("day", Text),
                ("run", Text),
                ("question", Text),
                ("callers", Number),
                ("times", Number),
                ("forget_at", Number),
            ],
            Table::Suggestions => &[
                ("id", Text),
                ("at", Number),
                ("about", Text),
                ("text", Text),
                ("contact", Text),
                ("done_at", Number),
                ("forget_at", Number),
            ],
            Table::Readers => &[
                ("id", Text),
                ("email", Text),
                ("language", Text),
                ("area", Text),
                ("asked_at", Number),
                ("confirmed_at", Number),
                ("due_at", Number),
                ("attempts", Number),
                ("forget_at", Number),
            ],
            Table::Hooks => &[
                ("account", Text),
                ("url", Text),
                ("secret", Text),
                ("created_at", Number),
                ("last_at", Number),
                ("last_result", Text),
            ],
            Table::Deliveries => &[
                ("id", Text),
                ("account", Text),
                ("body", Text),
                ("queued_at", Number),
                ("due_at", Number),
                ("attempts", Number),
            ],
            Table::Tokens => &[
                ("id", Text),
                ("account", Text),
                ("hash", Bytes),
                ("last4", Text),
                ("origins", Text),
                ("created_at", Number),
            ],
        }
    }
}

impl Row {
    /// An entry of the audit log.
    pub fn of_audit(entry: AuditEntry) -> Row {
        let AuditEntry { at, actor, action, account, detail, reason } = entry;
        let account = account.map(|account| account.to_string());
        let values = vec![Some(at.0.to_string()), Some(actor), Some(action), account, Some(detail), reason];
        Row(Table::Audit, values)
    }

    /// A value by the name of its column; `None` when it is empty.
    pub fn value(&self, column: &str) -> Option<&str> {
        let index = self.0.columns().iter().position(|(name, _)| *name == column)?;
        self.1.get(index)?.as_deref()
    }

    /// The account that it belongs to, if any.
    pub fn account(&self) -> Option<&str> {
        self.value(self.0.account_column()?)
    }

    /// The calls of a lease by action; none when it is no lease.
    pub fn by_action(&self) -> Vec<(String, u64)> {
        let text = self.value("by_action").unwrap_or("[]");
        serde_json::from_str(text).unwrap_or_default()
    }

    /// Sets a value by the name of its column; does nothing when the table has no such column.
    pub fn set(&mut self, column: &str, value: Option<String>) {
        let index = self.0.columns().iter().position(|(name, _)| *name == column);
        if let Some(place) = index.and_then(|index| self.1.get_mut(index)) {
            *place = value;
        }
    }

    /// When the store may drop the row, if that depends on time.
    pub fn ends_at(&self) -> Option<UnixMillis> {
        let (column, kept) = self.0.end()?;
        let moment: i64 = self.value(column)?.parse().ok()?;
        Some(UnixMillis(moment.saturating_add(kept)))
    }

    /// The row without when the store may drop it: a Redis before 7 knows only how long it still keeps a key.
    pub fn without_end(mut self) -> Row {
        if let Some((column, _)) = self.0.end() {
            self.set(column, None);
        }
        self
    }

    /// Adds the columns that the table has got since an older program wrote the row. They are empty.
    pub fn complete(&mut self) {
        let columns = self.0.columns().len();
        if self.1.len() < columns {
            self.1.resize(columns, None);
        }
    }

    /// Checks that a row which was read from a file has the columns of its table, and numbers where they belong.
    pub fn check(&self) -> Result<(), StoreError> {
        let columns = self.0.columns();
        let fits = |(kind, value): (ColumnType, &Option<String>)| match (kind, value.as_deref()) {
            (ColumnType::Number, Some(text)) => text.parse::<i64>().is_ok(),
            (ColumnType::Bytes, Some(text)) => data_encoding::HEXLOWER.decode(text.as_bytes()).is_ok(),
            (ColumnType::Text, _) | (_, None) => true,
        };
        let is_whole =
            self.1.len() == columns.len() && columns.iter().map(|(_, kind)| *kind).zip(&self.1).all(fits);
        match is_whole {
            true => Ok(()),
            false => Err(StoreError::Unsuitable(format!("a row of {} is malformed", self.0.name()))),
        }
    }
}

/// Leaves out the rows of accounts that are not among them, but for what is kept of erased ones: a process may count
/// calls of an account after it was erased.
pub fn leave_out_orphans(rows: &mut Vec<Row>) {
    let accounts = rows.iter().filter(|row| row.0 == Table::Accounts);
    let ids: HashSet<String> = accounts.filter_map(|row| row.account()).map(str::to_owned).collect();
    rows.retain(|row| {
        !row.0.belongs_to_account() || row.account().is_none_or(|account| ids.contains(account))
    });
}

/// Leaves out readers of an address that has a later one: where rows are read in pages, a reader may have stopped, and
/// the address have asked anew, in between.
pub fn leave_out_older_readers(rows: &mut Vec<Row>) {
    let rank = |row: &Row| {
        let asked_at: Option<i64> = row.value("asked_at").and_then(|text| text.parse().ok());
        (asked_at, row.value("id").map(str::to_owned))
    };
    let address = |row: &Row| row.value("email").filter(|_| row.0 == Table::Readers).map(str::to_owned);
    let mut latest = HashMap::new();
    for row in rows.iter() {
        if let Some(address) = address(row) {
            let known = latest.entry(address).or_insert_with(|| rank(row));
            *known = rank(row).max(known.clone());
        }
    }
    rows.retain(|row| address(row).is_none_or(|address| latest.get(&address) == Some(&rank(row))));
}

#[cfg(test)]
impl Row {
    /// A row with these values in these columns.
    pub(super) fn with(table: Table, values: &[(&str, &str)]) -> Row {
        let mut row = Row(table, vec![None; table.columns().len()]);
        values.iter().for_each(|(column, value)| row.set(column, Some((*value).to_owned())));
        row
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_accounts_that_are_gone_are_left_out_but_for_what_is_kept_of_them() {
        let kept = [
            Row::with(Table::Accounts, &[("id", "a")]),
            Row::with(Table::Leases, &[("account", "a")]),
            Row::with(Table::Audit, &[("account", "gone")]),
            Row::with(Table::Erased, &[("account", "gone")]),
            Row::with(Table::Readers, &[("id", "rdr_1")]),
        ];
        let orphans = [
            Row::with(Table::Leases, &[("account", "gone")]),
            Row::with(Table::Codes, &[("account", "gone")]),
        ];
        let mut rows = [kept.as_slice(), &orphans].concat();
        leave_out_orphans(&mut rows);
        assert_eq!(rows, kept);
    }

    #[test]
    fn of_the_readers_of_an_address_the_latest_is_kept() {
        let reader = |id: &str, email: &str, asked_at: &str| {
            Row::with(Table::Readers, &[("id", id), ("email", email), ("asked_at", asked_at)])
        };
        let other = Row::with(Table::Accounts, &[("id", "a"), ("email", "a@b.c")]);
        let (last, alone) = (reader("rdr_1", "a@b.c", "10"), reader("rdr_4", "d@b.c", "1"));
        let mut rows = vec![
            reader("rdr_2", "a@b.c", "9"),
            other.clone(),
            last.clone(),
            reader("rdr_3", "a@b.c", "8"),
            alone.clone(),
        ];
        leave_out_older_readers(&mut rows);
        assert_eq!(rows, [other, last, alone]);
    }

    #[test]
    fn rows_are_compared_without_when_they_end() {
        let lease =
            |at: &str| Row::with(Table::Leases, &[("account", "a"), ("used", "3"), ("forget_at", at)]);
        assert_ne!(lease("5"), lease("7"));
        assert_eq!(lease("5").without_end(), lease("7").without_end());
        assert_eq!(lease("5").ends_at(), Some(UnixMillis(5)));
    }
}
