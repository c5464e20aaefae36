//! What is stored of an account: its export and its erasure, for the command line and for its owner on the site.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};
use strum::VariantArray as _;
use tokio::sync::oneshot;
use tokio::time::sleep;

use super::service::{BillingService, MAX_CONFLICTS};
use super::step::Event;
use super::subscription::Subscription;
use super::worker::{EndChargesError, end_charges};
use crate::config::{Config, MailSpec};
use crate::domain::account::{Account, AccountId, ReaderId};
use crate::domain::audit::AuditEntry;
use crate::domain::clock::{Clock, UnixMillis};
use crate::mail::erase_from_outbox;
use crate::store::journal::{Ended, NotedChanges};
use crate::store::rows::{Row, Table};
use crate::store::{EraseOutcome, Erasure, Store, StoreError, StoreResult};

/// How often a store that fails is asked whether it has erased an account, and how long it is waited before the next
/// time.
const LOOKS: u32 = 10;
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// What exports and erases accounts. Clones share the store.
#[derive(Clone)]
pub struct StoredAccounts {
    store: Arc<dyn Store>,
    billing: BillingService,
    clock: Clock,
    changes: NotedChanges,
    outbox: Option<PathBuf>,
}

/// What an erasure did.
#[derive(Debug)]
pub struct Erased {
    /// Mails that were deleted from the outbox of this machine.
    pub mails: usize,
    /// What the store did.
    pub erasure: Erasure,
}

/// Why an account was not erased.
#[derive(Debug, thiserror::Error)]
pub enum EraseError {
    /// Its charges did not end.
    #[error("nothing is erased yet, as the gateway would go on charging")]
    Charging(#[source] EndChargesError),
    /// The journal failed.
    #[error("the journal cannot be written")]
    Journal(#[source] io::Error),
    /// The outbox failed.
    #[error("the outbox cannot be searched")]
    Outbox(#[source] io::Error),
    /// The stored subscription is malformed.
    #[error("the stored subscription cannot be parsed")]
    Subscription(#[from] serde_json::Error),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// It was erased meanwhile.
    #[error("the account is gone")]
    Gone,
}

/// An erasure of which the journal says that it happened.
#[derive(Debug, Clone, Copy)]
struct NotedErasure {
    /// The moment in the journal.
    at: UnixMillis,
    /// Whether the store was asked, and has not said that it is not done.
    may_be_done: bool,
}

/// Whether an erasure has failed. One that finds no account has not: another one was faster.
fn has_failed(outcome: &Result<Erased, EraseError>) -> bool {
    matches!(outcome, Err(error) if !matches!(error, EraseError::Gone))
}

impl StoredAccounts {
    /// The accounts of a store.
    pub fn new(
        config: &Config,
        store: Arc<dyn Store>,
        billing: BillingService,
        clock: Clock,
        changes: NotedChanges,
    ) -> StoredAccounts {
        let outbox = match &config.mail {
            MailSpec::Outbox(folder) => Some(folder.clone()),
            _ => None,
        };
        StoredAccounts { store, billing, clock, changes, outbox }
    }

    /// All rows of an account.
    pub async fn rows(&self, account: &AccountId) -> StoreResult<Vec<Row>> {
        let mut tables = Table::VARIANTS.to_vec();
        tables.retain(|table| table.belongs_to_account() || matches!(table, Table::Readers | Table::Audit));
        self.store.rows(&tables, Some(account)).await
    }

    /// All that is stored of an account, by table.
    pub async fn export(&self, account: &AccountId) -> StoreResult<Map<String, Value>> {
        let mut tables: Map<String, Value> = Map::new();
        for row in &self.rows(account).await? {
            let entry = tables.entry(row.0.name()).or_insert_with(|| json!([]));
            if let Value::Array(list) = entry {
                list.push(described(row));
            }
        }
        Ok(tables)
    }

    /// Erases an account and all that belongs to it; what was paid stays under its id. The owner's own wish is written
    /// to the audit log; that of an operator is there already. A mail tells the owner, whose session may be in other
    /// hands. All of it is done though the request is dropped: half an erasure could not be asked for again.
    pub async fn erase_for_owner(&self, account: &Account) -> Result<Erased, EraseError> {
        let (answer, erased) = oneshot::channel();
        let (stored, account) = (self.clone(), account.clone());
        let task = async move {
            let mut noted = None;
            let outcome = stored.erase_and_record(&account, &mut noted).await;
            let has_failed = has_failed(&outcome);
            let is_erased = outcome.is_ok();
            // the request, if it is still there, need not wait for the rest
            let _ = answer.send(outcome);
            if is_erased {
                stored.billing.mailer().tell_erased(account.email).await;
            } else if has_failed {
                stored.note_failure(&account.id, noted).await;
            }
        };
        self.changes.begin(task).await;
        erased.await.unwrap_or(Err(EraseError::Store(StoreError::Panicked)))
    }

    async fn erase_and_record(
        &self,
        account: &Account,
        noted: &mut Option<NotedErasure>,
    ) -> Result<Erased, EraseError> {
        let erasing = async {
            self.note_by_owner(&account.id, "account erase").await?;
            self.try_erase(account, noted).await
        };
        let outcome = erasing.await;
        if let Err(error) = &outcome
            && has_failed(&outcome)
        {
            tracing::error!(account = %account.id, %error, "an account was not erased for its owner");
        }
        outcome
    }

    /// Writes to the audit log what an owner does on the site.
    pub async fn note_by_owner(&self, account: &AccountId, action: &str) -> StoreResult<()> {
        let entry = AuditEntry {
            at: self.clock.now(),
            actor: "its owner".to_owned(),
            action: action.to_owned(),
            account: Some(account.clone()),
            detail: "on the site".to_owned(),
            reason: None,
        };
        self.store.note(Row::of_audit(entry)).await
    }

    /// Erases an account and all that belongs to it; what was paid stays under its id. An order or a payment
    /// meanwhile begins it anew, so that no order goes on charging and no payment is missing from what is kept.
    pub async fn erase(&self, account: &Account) -> Result<Erased, EraseError> {
        let mut noted = None;
        let outcome = self.try_erase(account, &mut noted).await;
        if has_failed(&outcome) {
            self.note_failure(&account.id, noted).await;
        }
        outcome
    }

    /// See [`StoredAccounts::erase`]. `noted` says how far it came.
    async fn try_erase(
        &self,
        account: &Account,
        noted: &mut Option<NotedErasure>,
    ) -> Result<Erased, EraseError> {
        let mut mails = None;
        for _ in 0..MAX_CONFLICTS {
            let record = self.store.subscription_record(&account.id).await?;
            if Subscription::parse(&record.text)?.is_charging() {
                let ended = end_charges(&self.billing, &account.id, &Event::Erasing).await;
                ended.map_err(EraseError::Charging)?;
                continue;
            }
            let noted = noted.get_or_insert(NotedErasure { at: self.clock.now(), may_be_done: false });
            let mails = match mails {
                Some(mails) => mails,
                None => *mails.insert(self.note_erasure(account, noted.at).await?),
            };
            self.store.delete_reader_of(&account.email).await?;
            let kept = payments_of(&record.text)?;
            noted.may_be_done = true;
            match self.store.erase(&account.id, record.version, kept, self.clock.now()).await? {
                EraseOutcome::Done(erasure) => return Ok(Erased { mails, erasure }),
                EraseOutcome::Conflict => noted.may_be_done = false,
                EraseOutcome::NoAccount => return Err(EraseError::Gone),
            }
        }
        Err(StoreError::Overloaded.into())
    }

    /// Writes an erasure to the journal, and deletes the mails of the account from the outbox; returns how many. That
    /// is done before the store is asked, which knows the address: an erasure that failed can be repeated.
    async fn note_erasure(&self, account: &Account, at: UnixMillis) -> Result<usize, EraseError> {
        // the letter is of the address, and not of the account
        let readers = self.store.rows(&[Table::Readers], Some(&account.id)).await?;
        let readers = readers.iter().filter_map(|row| row.value("id"));
        let (journal, outbox) = (self.changes.journal().clone(), self.outbox.clone());
        let (id, email) = (account.id.clone(), account.email.clone());
        let stopped = readers.map(|id| Ended::Stopped { reader: ReaderId::from_stored(id.to_owned()), at });
        let ended: Vec<Ended> = std::iter::once(Ended::Erased { account: id, at }).chain(stopped).collect();
        let files = tokio::task::spawn_blocking(move || {
            ended.iter().try_for_each(|entry| journal.append(entry)).map_err(EraseError::Journal)?;
            match outbox {
                Some(folder) => erase_from_outbox(&folder, &email).map_err(EraseError::Outbox),
                None => Ok(0),
            }
        });
        files.await.map_err(|failed| EraseError::Journal(io::Error::other(failed)))?
    }

    /// Writes to the journal that an erasure which was noted has failed: a restored backup would erase an account that
    /// lives. Not while the store may have erased it, as the backup would bring it back.
    async fn note_failure(&self, account: &AccountId, noted: Option<NotedErasure>) {
        let Some(NotedErasure { at: noted_at, may_be_done }) = noted else { return };
        let is_there = match may_be_done {
            true => self.is_there(account).await,
            false => Some(true),
        };
        match is_there {
            Some(true) => {
                // behind what it takes back, also where the clock was set back in between
                let at = self.clock.now().max(noted_at);
                let failed = Ended::EraseFailed { account: account.clone(), at, noted_at };
                self.changes.journal().note(failed).await;
            }
            Some(false) => {}
            None => tracing::error!(
                %account,
                "the store does not say whether the account was erased, and the journal says that it was: repeat the \
                 erasure, or a restored backup erases it"
            ),
        }
    }

    /// Whether an account is in the store; none when that does not answer.
    async fn is_there(&self, account: &AccountId) -> Option<bool> {
        for _ in 0..LOOKS {
            match self.store.rows(&[Table::Accounts], Some(account)).await {
                Ok(rows) => return Some(!rows.is_empty()),
                Err(error) => tracing::debug!(%error, "whether an account was erased is looked up again"),
            }
            sleep(LOOK_AGAIN).await;
        }
        None
    }
}

/// A row for people and programs: moments as dates, JSON as JSON, and nothing that gives access, such as a hash that
/// could be tried against codes or keys, or the id of a reader, with which the letter is stopped.
pub fn described(row: &Row) -> Value {
    let hidden: &[&str] = match row.0 {
        Table::Readers => &["id"],
        // the names of machines and processes
        Table::Leases => &["holder"],
        _ => &["hash", "key", "secret"],
    };
    let columns = row.0.columns().iter().filter(|(name, _)| !hidden.contains(name));
    let fields = columns.filter_map(|(name, _)| {
        let text = row.value(name)?;
        let value = match *name {
            name if name.ends_with("_at") || name == "at" => {
                json!(UnixMillis(text.parse().unwrap_or_default()).to_string())
            }
            "text" | "body" | "by_action" => serde_json::from_str(text).unwrap_or_else(|_| json!(text)),
            _ => json!(text),
        };
        Some(((*name).to_owned(), value))
    });
    Value::Object(fields.collect())
}

/// What the law demands to keep of a subscription: what was paid, when, for which plan. None when nothing was paid.
pub fn payments_of(text: &str) -> serde_json::Result<Option<String>> {
    let mut subscription = Subscription::parse(text)?;
    subscription.orders.retain(|order| order.was_paid());
    for order in &mut subscription.orders {
        order.tax_last4.clear();
        order.payer = None;
        order.keys.clear();
        order.charges.values_mut().for_each(|charge| charge.pay_url = None);
    }
    Ok(if subscription.orders.is_empty() { None } else { Some(serde_json::to_string(&subscription)?) })
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::path::Path;
    use std::process::Command;

    use tokio::time::timeout;

    use super::super::checkout::{CheckoutRequest, OrderedBy};
    use super::*;
    use crate::config::Override;
    use crate::domain::code::Level;
    use crate::domain::order::{ChargeChange, ChargeEvent, Order, ReportedCharge};
    use crate::gateway::Gateway;
    use crate::mail::Mailer;
    use crate::metrics::Metrics;
    use crate::quota::issue::issue;
    use crate::store::journal::Journal;
    use crate::store::journal::apply::take_failed_erasures;
    use crate::store::sqlite::Sqlite;

    /// What exports and erases the accounts of a store in a folder, with an outbox, and its billing.
    fn stored_in(data: &Path) -> (StoredAccounts, BillingService) {
        let empty = data.join("candango.toml");
        std::fs::write(&empty, "").expect("a file");
        let set = |setting: &str, value: String| Override {
            origin: "the test".to_owned(),
            setting: setting.to_owned(),
            value,
        };
        let settings = [
            set("data", data.display().to_string()),
            set("mail", format!("outbox:{}", data.join("outbox").display())),
            set("payments", "sandbox".to_owned()),
        ];
        let config = Config::load(Some(&empty), [], &settings).expect("settings");
        let store: Arc<dyn Store> = Arc::new(Sqlite::open(&data.join("candango.db"), data).expect("a store"));
        let (clock, metrics) = (Clock::machine(), Metrics::new());
        let mailer =
            Mailer::new(&config, store.clone(), clock.clone(), metrics.mail.clone()).expect("a mailer");
        let gateway = Gateway::open(&config).expect("a gateway");
        let billing = BillingService::new(
            &config,
            gateway,
            store.clone(),
            clock.clone(),
            mailer,
            metrics.billing.clone(),
        );
        let changes = NotedChanges::new(Journal::of(data), tokio::runtime::Handle::current());
        (StoredAccounts::new(&config, store, billing.clone(), clock, changes), billing)
    }

    /// What the journal of a folder says of erasures, once those that failed are taken out, and how many failed.
    fn erased(data: &Path, rows: &[Row]) -> (usize, usize) {
        let mut ended = Journal::of(data).read().expect("a journal").ended;
        let failed = ended.iter().filter(|entry| matches!(entry, Ended::EraseFailed { .. })).count();
        take_failed_erasures(&mut ended, rows, UnixMillis(0));
        (ended.len(), failed)
    }

    #[tokio::test]
    async fn an_erasure_that_fails_takes_back_what_it_noted() {
        let folder = tempfile::tempdir().expect("a folder");
        let data = folder.path();
        let (stored, _) = stored_in(data);
        let email = "maria@x.example".parse().expect("an address");
        let account = issue(&*stored.store, &stored.clock, email, None).await.expect("a key").account;
        let rows = stored.rows(&account.id).await.expect("rows");

        // before the store is asked
        let unreadable = data.join("outbox/folder.eml");
        std::fs::create_dir(&unreadable).expect("a folder");
        assert!(matches!(stored.erase(&account).await, Err(EraseError::Outbox(_))));
        assert_eq!(erased(data, &rows), (0, 1));
        std::fs::remove_dir(&unreadable).expect("removed");

        // by the store, which still has the account
        let database = rusqlite::Connection::open(data.join("candango.db")).expect("the database");
        let refuse =
            "CREATE TRIGGER refuse BEFORE DELETE ON accounts BEGIN SELECT RAISE(ABORT, 'a fault'); END";
        database.execute_batch(refuse).expect("refusing");
        let failed = stored.erase_for_owner(&account).await;
        assert!(matches!(failed, Err(EraseError::Store(_))), "{failed:?}");
        stored.changes.all_noted().await;
        assert_eq!(erased(data, &rows), (0, 2));
        database.execute_batch("DROP TRIGGER refuse").expect("mended");

        stored.erase(&account).await.expect("erased");
        assert_eq!(erased(data, &rows), (1, 2));
        assert!(matches!(stored.erase(&account).await, Err(EraseError::Gone)));
        assert_eq!(erased(data, &rows).1, 2, "one that finds no account has not failed");
    }

    #[tokio::test]
    async fn what_is_ordered_and_paid_during_an_erasure_is_ended_and_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let data = folder.path();
        let (stored, billing) = stored_in(data);
        let (store, clock) = (stored.store.clone(), stored.clock.clone());
        let email = "maria@x.example".parse().expect("an address");
        let account = issue(&*store, &clock, email, None).await.expect("a key").account;

        // who searches the outbox waits at this file until its other end is closed
        let held = data.join("outbox/held.eml");
        assert!(Command::new("mkfifo").arg(&held).status().expect("mkfifo").success());
        let (begun, searching) = oneshot::channel();
        let path = held.clone();
        std::thread::spawn(move || begun.send(File::options().write(true).open(path)));
        let erasing = tokio::spawn({
            let (stored, account) = (stored.clone(), account.clone());
            async move { stored.erase_for_owner(&account).await }
        });
        let searching = timeout(Duration::from_secs(120), searching).await.expect("in time").expect("opened");
        std::fs::remove_file(&held).expect("removed");
        let request = CheckoutRequest {
            plan: Some("pro"),
            tax_id: Some("52998224725"),
            name: None,
            method: Some("PIX"),
            idempotency_key: None,
        };
        let by = OrderedBy::Session(Level::Owner);
        let client = "192.0.2.1".parse().expect("an address");
        let ordered = billing.checkout(&account, by, client, request).await.expect("an order");
        let charge = ReportedCharge {
            id: format!("pay_{}", ordered.id),
            cents: ordered.cents.into(),
            change: ChargeChange::Paid,
            pay_url: None,
            due_date: None,
        };
        let paid = Event::Charge(ChargeEvent { order: ordered.id.clone(), charge, at: clock.now() });
        billing.apply(&account.id, &paid, None).await.expect("stored");
        drop(searching);

        erasing.await.expect("no panic").expect("erased");
        assert!(store.account(&account.email).await.expect("answered").is_none());
        let rows = store.rows(&[Table::Erased], None).await.expect("rows");
        let [kept] = rows.as_slice() else { panic!("what was paid: {rows:?}") };
        let kept = Subscription::parse(kept.value("text").expect("a text")).expect("a subscription");
        assert!(!kept.is_charging(), "the gateway was told to end it");
        assert!(kept.order(&ordered.id).is_some_and(Order::was_paid), "{kept:?}");
    }
}
