//! What is stored of an account: its export and its erasure, for the command line and for its owner on the site.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use strum::VariantArray as _;

use super::service::BillingService;
use super::step::Event;
use super::subscription::Subscription;
use super::worker::{EndChargesError, end_charges};
use crate::config::{Config, MailSpec};
use crate::domain::account::{Account, AccountId, ReaderId};
use crate::domain::audit::AuditEntry;
use crate::domain::clock::{Clock, UnixMillis};
use crate::mail::erase_from_outbox;
use crate::store::journal::{Ended, Journal};
use crate::store::rows::{Row, Table};
use crate::store::{Erasure, Store, StoreError, StoreResult};

/// What exports and erases accounts.
pub struct StoredAccounts {
    store: Arc<dyn Store>,
    billing: BillingService,
    clock: Clock,
    journal: Journal,
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

impl StoredAccounts {
    /// The accounts of a store.
    pub fn new(
        config: &Config,
        store: Arc<dyn Store>,
        billing: BillingService,
        clock: Clock,
    ) -> StoredAccounts {
        let outbox = match &config.mail {
            MailSpec::Outbox(folder) => Some(folder.clone()),
            _ => None,
        };
        StoredAccounts { store, billing, clock, journal: Journal::of(&config.data), outbox }
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
    /// hands.
    pub async fn erase_for_owner(&self, account: &Account) -> Result<Erased, EraseError> {
        self.note_by_owner(&account.id, "account erase").await?;
        let erased = self.erase(account).await?;
        self.billing.mailer().tell_erased(account.email.clone());
        Ok(erased)
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

    /// Erases an account and all that belongs to it; what was paid stays under its id.
    pub async fn erase(&self, account: &Account) -> Result<Erased, EraseError> {
        if self.billing.is_charging(&account.id).await? {
            let ended = end_charges(&self.billing, &account.id, &Event::Erasing).await;
            ended.map_err(EraseError::Charging)?;
        }
        // the letter is of the address, and not of the account
        let readers = self.store.rows(&[Table::Readers], Some(&account.id)).await?;
        let readers = readers.iter().filter_map(|row| row.value("id"));
        let (journal, outbox, at) = (self.journal.clone(), self.outbox.clone(), self.clock.now());
        let (id, email) = (account.id.clone(), account.email.clone());
        let stopped = readers.map(|id| Ended::Stopped { reader: ReaderId::from_stored(id.to_owned()), at });
        let ended: Vec<Ended> = std::iter::once(Ended::Erased { account: id, at }).chain(stopped).collect();
        // before the store, which knows the address: an erasure that failed can be repeated
        let files = tokio::task::spawn_blocking(move || {
            ended.iter().try_for_each(|entry| journal.append(entry)).map_err(EraseError::Journal)?;
            match outbox {
                Some(folder) => erase_from_outbox(&folder, &email).map_err(EraseError::Outbox),
                None => Ok(0),
            }
        });
        let mails = files.await.map_err(|failed| EraseError::Journal(io::Error::other(failed)))??;
        let record = self.store.subscription_record(&account.id).await?;
        let kept = payments_of(&record.text)?;
        self.store.delete_reader_of(&account.email).await?;
        let erasure = self.store.erase(&account.id, kept, self.clock.now()).await?;
        Ok(Erased { mails, erasure: erasure.ok_or(EraseError::Gone)? })
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
