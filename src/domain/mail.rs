//! The kinds of mail that the service sends.

use std::str::FromStr;

/// What a letter says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailKind {
    /// Here is your key.
    Welcome,
    /// Here is a code for a new key.
    Recovery,
    /// Your key was replaced; here is the new one, if whoever writes the letter has it.
    Rotated,
    /// A month was paid.
    Paid,
    /// A month should have been paid.
    Overdue,
    /// A card was refused.
    Declined,
    /// A payment was given back, and its month with it.
    Refunded,
    /// Nothing more will be charged; the plan stays until the end of what is paid.
    Canceled,
    /// The paid plan has ended.
    Ended,
}

impl MailKind {
    /// All of them.
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

    /// As stores name it.
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

/// The name given is no letter kind's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this version of the service writes no such letter")]
pub struct UnknownMailKind;

impl FromStr for MailKind {
    type Err = UnknownMailKind;

    fn from_str(name: &str) -> Result<MailKind, UnknownMailKind> {
        MailKind::ALL.into_iter().find(|kind| kind.as_str() == name).ok_or(UnknownMailKind)
    }
}
