//! What the store takes to give access to an account: keys, mailed codes, sessions and changes of address.

use super::limits::RateLimit;
use crate::domain::account::{Account, AccountId, Email, MailId, MailerId, Profile};
use crate::domain::api_key::{KeyHash, KeyRecord};
use crate::domain::clock::UnixMillis;
use crate::domain::code::CodeHash;

/// Keys to replace: see [`super::AccountStore::replace_keys`].
#[derive(Debug, Clone)]
pub struct KeyReplacement {
    /// Whose keys.
    pub account: AccountId,
    /// The key to replace; `None` replaces every live key of the account.
    pub old: Option<KeyHash>,
    /// The new key, created at the time of the replacement.
    pub new: KeyRecord,
    /// The mail that brings the new key.
    pub mail: RotationMail,
}

/// A mail that brings a rotated key, to queue. Its key is in the memory of one mailer only, so others leave the mail to
/// that one, until it has been due for so long that its process must have ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RotationMail {
    /// The id of the mail.
    pub id: MailId,
    /// The mailer that holds the key.
    pub owner: MailerId,
    /// When it is due.
    pub due_at: UnixMillis,
}

/// A request for access by mail: see [`super::AccountStore::request_access`].
#[derive(Debug, Clone)]
pub struct AccessRequest {
    /// The address to write to.
    pub email: Email,
    /// What is asked for.
    pub kind: AccessRequestKind,
    /// The id of the mail.
    pub mail: MailId,
    /// Limits of mails to the address. The mail counts against them if it is queued, and beyond them it is not.
    pub limits: Vec<RateLimit>,
    /// When; the mail is due at once.
    pub at: UnixMillis,
}

/// What somebody who reads a mailbox asks for.
#[derive(Debug, Clone)]
pub enum AccessRequestKind {
    /// A key, for this account, which is created if the address is new; a code for one if it is known.
    SignUp(Account, Profile),
    /// A code for another key.
    Recover,
    /// A code that opens a session of the site, and brings no key.
    SignIn,
}

impl AccessRequestKind {
    /// The account to create if the address is new, with its profile.
    pub(super) fn into_new_account(self) -> Option<(Account, Profile)> {
        match self {
            AccessRequestKind::SignUp(account, profile) => Some((account, profile)),
            AccessRequestKind::Recover | AccessRequestKind::SignIn => None,
        }
    }
}

/// The stored part of a code that was mailed, or of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeRecord {
    /// The hash of the code.
    pub hash: CodeHash,
    /// The first moment at which it is no longer valid.
    pub expires_at: UnixMillis,
    /// When it was made: codes that have expired by then are dropped.
    pub at: UnixMillis,
}

/// A recovery code to exchange: see [`super::AccountStore::redeem_recovery_code`].
#[derive(Debug, Clone)]
pub struct CodeRedemption {
    /// The address of the account.
    pub email: Email,
    /// The hash of the code.
    pub code: CodeHash,
    /// The new key, created at the time of the exchange.
    pub new: KeyRecord,
    /// The mail that brings the new key.
    pub mail: RotationMail,
    /// The names of limits that a good code resets.
    pub renewed: Vec<String>,
}

/// A code to exchange for a session: see [`super::AccountStore::exchange_code`].
#[derive(Debug, Clone)]
pub struct CodeExchange {
    /// The account.
    pub account: AccountId,
    /// The hash of the code.
    pub code: CodeHash,
    /// The session, new at the time of the exchange.
    pub session: CodeRecord,
    /// The names of limits that a good code resets.
    pub renewed: Vec<String>,
}

/// A code to exchange for another address: see [`super::AccountStore::redeem_new_address`].
#[derive(Debug, Clone)]
pub struct AddressChange {
    /// The account.
    pub account: AccountId,
    /// The hash of the code.
    pub code: CodeHash,
    /// The new address.
    pub email: Email,
    /// The mail to the old address.
    pub notice: MailId,
    /// When.
    pub at: UnixMillis,
}
