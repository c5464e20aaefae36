//! The audit log: what operators changed by hand, and every publication.

use serde::Serialize;

use super::account::AccountId;
use super::clock::UnixMillis;

/// One change: who, when, what and why. It names accounts by id, never by address, so that it can outlive them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AuditEntry {
    /// When.
    pub at: UnixMillis,
    /// Who: the user of the machine that ran the command.
    pub actor: String,
    /// What: the command, as "account block".
    pub action: String,
    /// The account, if the change is of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account: Option<AccountId>,
    /// What exactly: "plan pro".
    pub detail: String,
    /// Why, as the operator wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}
