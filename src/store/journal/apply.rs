//! What the journals of one or several servers say, applied to the rows of a backup.

use std::collections::HashSet;
use std::time::Duration;

use super::Ended;
use crate::domain::account::AccountId;
use crate::domain::clock::UnixMillis;
use crate::store::rows::{Row, Table};

/// Puts entries of several journals in the order in which they happened; those of one moment keep theirs.
pub fn sort(ended: &mut [Ended]) {
    ended.sort_by_key(Ended::at);
}

/// How long before a backup an erasure must have been noted for the backup to show that it failed.
const SETTLED: Duration = Duration::from_hours(1);

/// Takes out the erasures that failed: they are noted before the store is asked. Most say so by a line of their own;
/// for others the account is in rows that were read long after. Returns the accounts in the rows, so that somebody can
/// repeat the erasures.
pub fn take_failed_erasures(ended: &mut Vec<Ended>, rows: &[Row], read_at: UnixMillis) -> Vec<AccountId> {
    let is_there = |account: &AccountId| {
        rows.iter().any(|row| row.0 == Table::Accounts && row.account() == Some(account.as_str()))
    };
    let (mut failed, mut noted_failures) = (Vec::new(), HashSet::new());
    // from the last one back: a line about a failure comes after that about its erasure
    let mut kept = Vec::with_capacity(ended.len());
    for entry in ended.drain(..).rev() {
        match entry {
            Ended::EraseFailed { account, noted_at, .. } => {
                noted_failures.insert((account, noted_at));
            }
            // the letter of the account, which goes on too
            Ended::Stopped { at, .. } if noted_failures.iter().any(|(_, noted_at)| *noted_at == at) => {}
            Ended::Erased { account, at }
                if noted_failures.contains(&(account.clone(), at))
                    || (at.after(SETTLED) < read_at && is_there(&account)) =>
            {
                failed.push(account);
            }
            other => kept.push(other),
        }
    }
    kept.reverse();
    *ended = kept;
    failed.retain(is_there);
    failed.sort_unstable();
    failed.dedup();
    // another attempt did not fail
    failed.retain(|id| {
        !ended.iter().any(|entry| matches!(entry, Ended::Erased { account, .. } if account == id))
    });
    failed
}

/// Applies what has ended, oldest first, to rows of an older time; returns how many rows that changed or removed.
/// Erasures that failed were taken out before: see [`take_failed_erasures`].
pub fn apply(rows: &mut Vec<Row>, ended: &[Ended]) -> usize {
    let mut changed = 0;
    for entry in ended {
        match entry {
            Ended::Key { hash, at } => {
                changed += revoke(rows, *at, |row| row.value("hash") == Some(hash));
            }
            Ended::Keys { account, at } => {
                changed += revoke(rows, *at, |row| is_older(row, account, *at));
                // a code that was used ended with them
                changed += drop_codes(rows, account);
            }
            Ended::Token { id, .. } => {
                let before = rows.len();
                rows.retain(|row| row.0 != Table::Tokens || row.value("id") != Some(id.as_str()));
                changed += before - rows.len();
            }
            Ended::Hook { account, at } => {
                let before = rows.len();
                let is_ended = |row: &Row| row.0 == Table::Hooks && is_older(row, account, *at);
                if rows.iter().any(is_ended) {
                    // with what waits for it
                    let is_of_hook = |row: &Row| matches!(row.0, Table::Hooks | Table::Deliveries);
                    rows.retain(|row| !is_of_hook(row) || row.account() != Some(account.as_str()));
                }
                changed += before - rows.len();
            }
            Ended::Blocked { account, at, reason } => {
                changed += set_block(rows, account, Some((*at, reason)));
            }
            Ended::Unblocked { account, .. } => changed += set_block(rows, account, None),
            // an address is in no journal: the operator gives it again
            Ended::Moved { account, .. } => changed += drop_codes(rows, account),
            Ended::Erased { account, .. } => {
                let before = rows.len();
                rows.retain(|row| !row.0.belongs_to_account() || row.account() != Some(account.as_str()));
                changed += before - rows.len();
            }
            Ended::EraseFailed { .. } => {}
            Ended::Stopped { reader, .. } => {
                let before = rows.len();
                rows.retain(|row| row.0 != Table::Readers || row.value("id") != Some(reader.as_str()));
                changed += before - rows.len();
            }
        }
    }
    changed
}

/// Whether what a row holds is of an account, and was made before a moment.
fn is_older(row: &Row, account: &AccountId, at: UnixMillis) -> bool {
    let created_at = row.value("created_at").and_then(|text| text.parse::<i64>().ok());
    row.value("account") == Some(account.as_str()) && created_at.is_none_or(|made| made < at.0)
}

fn revoke(rows: &mut [Row], at: UnixMillis, which: impl Fn(&Row) -> bool) -> usize {
    let is_live = |row: &&mut Row| row.0 == Table::Keys && row.value("revoked_at").is_none() && which(row);
    let mut count = 0;
    for row in rows.iter_mut().filter(is_live) {
        row.set("revoked_at", Some(at.0.to_string()));
        count += 1;
    }
    count
}

fn set_block(rows: &mut Vec<Row>, account: &AccountId, block: Option<(UnixMillis, &String)>) -> usize {
    let its = |row: &&mut Row| row.0 == Table::Accounts && row.value("id") == Some(account.as_str());
    let mut count = 0;
    for row in rows.iter_mut().filter(its) {
        row.set("blocked_at", block.map(|(at, _)| at.0.to_string()));
        row.set("blocked_reason", block.map(|(_, reason)| reason.clone()));
        count += 1;
    }
    if count > 0 && block.is_some() {
        drop_codes(rows, account);
    }
    count
}

fn drop_codes(rows: &mut Vec<Row>, account: &AccountId) -> usize {
    let before = rows.len();
    rows.retain(|row| row.0 != Table::Codes || row.account() != Some(account.as_str()));
    before - rows.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_webhook_that_was_removed_or_replaced_ends_with_what_waits_for_it() {
        let hook = |at: &str| Row::with(Table::Hooks, &[("account", "a"), ("created_at", at)]);
        let waits = |account: &str| Row::with(Table::Deliveries, &[("account", account)]);
        let ended = [Ended::Hook { account: AccountId::from_stored("a".to_owned()), at: UnixMillis(7) }];
        let mut rows = vec![hook("6"), waits("a"), waits("b")];
        assert_eq!(apply(&mut rows, &ended), 2);
        assert_eq!(rows, [waits("b")]);
        let mut rows = vec![hook("7"), waits("a")];
        assert_eq!(apply(&mut rows, &ended), 0, "the one that replaced it");
    }

    #[test]
    fn an_erasure_that_failed_erases_nothing_and_a_later_one_does() {
        let id = || AccountId::from_stored("a".to_owned());
        let erased = |at: i64| Ended::Erased { account: id(), at: UnixMillis(at) };
        let failed = |at: i64, noted: i64| Ended::EraseFailed {
            account: id(),
            at: UnixMillis(at),
            noted_at: UnixMillis(noted),
        };
        let rows = [Row::with(Table::Accounts, &[("id", "a")])];
        // the backup is of a time before
        let left = |ended: &[Ended]| {
            let mut ended = ended.to_vec();
            let not_erased = take_failed_erasures(&mut ended, &rows, UnixMillis(1));
            (ended, not_erased)
        };
        assert_eq!(left(&[erased(5), failed(6, 5)]), (vec![], vec![id()]));
        assert_eq!(left(&[erased(5), failed(6, 5), erased(7)]), (vec![erased(7)], vec![]));
        assert_eq!(
            left(&[erased(5), failed(5, 5), erased(5)]),
            (vec![erased(5)], vec![]),
            "in one millisecond"
        );
        assert_eq!(
            left(&[erased(5), erased(6), failed(7, 5)]),
            (vec![erased(6)], vec![]),
            "of another server"
        );
        let mut ended = vec![erased(5), failed(6, 5)];
        assert_eq!(take_failed_erasures(&mut ended, &[], UnixMillis(1)), [], "made after the backup");
        assert!(ended.is_empty());
    }

    #[test]
    fn a_code_ends_with_the_keys_that_it_replaced() {
        let code = |account: &str| Row::with(Table::Codes, &[("account", account)]);
        let mut rows = vec![code("a"), code("b")];
        let ended = Ended::Keys { account: AccountId::from_stored("a".to_owned()), at: UnixMillis(7) };
        assert_eq!(apply(&mut rows, &[ended]), 1);
        assert_eq!(rows, [code("b")]);
    }

    #[test]
    fn what_has_ended_is_applied_to_older_rows() {
        let account = |id: &str| Row::with(Table::Accounts, &[("id", id)]);
        let key = |hash: &str, account: &str, at: i64| {
            let values = [("hash", hash), ("account", account), ("created_at", &at.to_string())];
            Row::with(Table::Keys, &values)
        };
        let mut rows = vec![account("a"), account("b"), account("c")];
        rows.extend([key("1", "a", 5), key("2", "a", 9), key("3", "b", 5), key("4", "c", 5)]);
        let id = |id: &str| AccountId::from_stored(id.to_owned());
        let at = UnixMillis(7);
        let ended = [
            Ended::Keys { account: id("a"), at },
            Ended::Blocked { account: id("b"), at, reason: "x".to_owned() },
            Ended::Key { hash: "3".to_owned(), at },
            Ended::Erased { account: id("c"), at },
        ];
        assert_eq!(apply(&mut rows, &ended), 5);
        let live = rows.iter().filter(|row| row.0 == Table::Keys && row.value("revoked_at").is_none());
        assert_eq!(live.filter_map(|row| row.value("hash")).collect::<Vec<_>>(), ["2"]);
        assert_eq!(rows.len(), 5, "nothing of the erased account: {rows:?}");
        assert!(rows[1].value("blocked_at").is_some());
        assert_eq!(apply(&mut rows, &[Ended::Unblocked { account: id("b"), at }]), 1);
        assert!(rows[1].value("blocked_at").is_none());
    }
}
