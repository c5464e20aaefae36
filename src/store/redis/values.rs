//! How scripts take and answer accounts, keys and mails.

use std::sync::Arc;

use crate::domain::account::{Account, AccountId, MailId};
use crate::domain::api_key::{KeyHash, KeyRecord};
use crate::domain::clock::UnixMillis;
use crate::store::StoreError;

/// An account as scripts answer it.
pub(super) type AccountFields = (String, String, String, i64);

pub(super) fn account((id, email, plan, created_at): AccountFields) -> Result<Account, StoreError> {
    Ok(Account {
        id: AccountId::from_stored(id),
        email: email.parse().map_err(unreadable)?,
        plan: plan.parse().map_err(unreadable)?,
        created_at: UnixMillis(created_at),
    })
}

pub(super) fn failed(what: &'static str) -> StoreError {
    StoreError::Failed(Box::<dyn std::error::Error + Send + Sync>::from(what).into())
}

pub(super) fn unreadable(error: impl std::error::Error + Send + Sync + 'static) -> StoreError {
    StoreError::Failed(Arc::new(error))
}

pub(super) fn hex(hash: &[u8; 32]) -> String {
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(super) fn key_hash(text: &str) -> Result<KeyHash, StoreError> {
    let byte = |at: usize| text.get(2 * at..2 * at + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok());
    let mut hash = [0; 32];
    for (at, place) in hash.iter_mut().enumerate() {
        *place = byte(at).ok_or_else(|| failed("a stored key has an invalid hash"))?;
    }
    Ok(KeyHash(hash))
}

/// A new key as scripts take it: hash, first4, last4, created_at.
pub(super) fn key_fields(key: &KeyRecord) -> (String, &str, &str, i64) {
    (hex(&key.hash.0), &key.first4, &key.last4, key.created_at.0)
}

/// A mail to queue as scripts take it: id and due time; without an id there is none.
pub(super) fn mail_fields(mail: &Option<(MailId, UnixMillis)>) -> (&str, i64) {
    mail.as_ref().map_or(("", 0), |(mail, due_at)| (mail.as_str(), due_at.0))
}
