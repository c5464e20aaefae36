//! The kinds of mail that the service sends.

use strum::{EnumString, IntoStaticStr, VariantArray};

/// What a mail is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase", parse_err_ty = UnknownMailKind, parse_err_fn = unknown_kind)]
pub enum MailKind {
    /// A first key.
    Welcome,
    /// A code for a new key.
    Recovery,
    /// A code that opens a session of the site.
    #[strum(serialize = "signin")]
    SignIn,
    /// A code for another address of the account, to that address.
    #[strum(serialize = "newaddress")]
    NewAddress,
    /// The account has another address, to the old one.
    Moved,
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
    /// The operator changed the plan.
    Plan,
    /// What people asked and did not find, for the operator.
    Asked,
    /// Most of the calls of the month are spent.
    #[strum(serialize = "quotalow")]
    QuotaLow,
    /// All calls of the month are spent.
    #[strum(serialize = "quotaspent")]
    QuotaSpent,
}

impl MailKind {
    /// The name in the store.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The names of all kinds that this version sends: it leaves those of a newer one in the queue.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Self::VARIANTS.iter().map(|kind| kind.as_str())
    }

    /// Those that let whoever reads them into the account.
    pub fn opening_access() -> impl Iterator<Item = &'static str> {
        let opens = [
            MailKind::Welcome,
            MailKind::Recovery,
            MailKind::SignIn,
            MailKind::NewAddress,
            MailKind::Rotated,
        ];
        opens.into_iter().map(MailKind::as_str)
    }
}

/// The name is not a mail kind's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this version of the service sends no such mail")]
pub struct UnknownMailKind;

fn unknown_kind(_: &str) -> UnknownMailKind {
    UnknownMailKind
}
