//! The kinds of mail that the service sends.

use std::str::FromStr;

/// What a mail is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailKind {
    /// A first key.
    Welcome,
    /// A code for a new key.
    Recovery,
    /// The key was replaced; with the new one, if the process that sends the mail still has it.
    Rotated,
    /// A month was paid.
    Paid,
    /// A charge is overdue.
    Overdue,
    /// A card was declined.
    Declined,
    /// A payment was refunded, disputed or undone, and its month taken back.
    Refunded,
    /// The renewal was canceled; the plan stays until the end of the paid time.
    Canceled,
    /// The paid plan has ended.
    Ended,
}

impl MailKind {
    /// All kinds.
    const ALL: [MailKind; 9] = [
        MailKind::Welcome,
        MailKind::Recovery,
        MailKind::Rotated,
        MailKind::Paid,
        MailKind::Overdue,
        MailKind::Declined,
        MailKind::Refunded,
        MailKind::Canceled,
        MailKind::Ended,
    ];

    /// The name in the store.
    pub fn as_str(self) -> &'static str {
        match self {
            MailKind::Welcome => "welcome",
            MailKind::Recovery => "recovery",
            MailKind::Rotated => "rotated",
            MailKind::Paid => "paid",
            MailKind::Overdue => "overdue",
            MailKind::Declined => "declined",
            MailKind::Refunded => "refunded",
            MailKind::Canceled => "canceled",
            MailKind::Ended => "ended",
        }
    }
}

/// The name is not a mail kind's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this version of the service sends no such mail")]
pub struct UnknownMailKind;

impl FromStr for MailKind {
    type Err = UnknownMailKind;

    fn from_str(name: &str) -> Result<MailKind, UnknownMailKind> {
        MailKind::ALL.into_iter().find(|kind| kind.as_str() == name).ok_or(UnknownMailKind)
    }
}
