//! The pages of an account and their paths in Portuguese.

/// A page of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Page {
    Overview,
    SignIn,
    Code,
    SignOut,
    Key,
    Plan,
    Cancel,
    Data,
    Email,
    Export,
    Delete,
    Recover,
    Paid,
    Tokens,
    Calendars,
    Webhook,
}

impl Page {
    /// All pages.
    pub(crate) const ALL: [Page; 16] = [
        Page::Overview,
        Page::SignIn,
        Page::Code,
        Page::SignOut,
        Page::Key,
        Page::Plan,
        Page::Cancel,
        Page::Data,
        Page::Email,
        Page::Export,
        Page::Delete,
        Page::Recover,
        Page::Paid,
        Page::Tokens,
        Page::Calendars,
        Page::Webhook,
    ];

    /// Its path.
    pub(crate) const fn path(self) -> &'static str {
        match self {
            Page::Overview => "/conta",
            Page::SignIn => "/conta/entrar",
            Page::Code => "/conta/codigo",
            Page::SignOut => "/conta/sair",
            Page::Key => "/conta/chave",
            Page::Plan => "/conta/plano",
            Page::Cancel => "/conta/cancelar",
            Page::Data => "/conta/dados",
            Page::Email => "/conta/email",
            Page::Export => "/conta/exportar",
            Page::Delete => "/conta/excluir",
            Page::Recover => "/conta/recuperar",
            Page::Paid => "/conta/pago",
            Page::Tokens => "/conta/navegador",
            Page::Calendars => "/conta/calendarios",
            Page::Webhook => "/conta/avisos",
        }
    }
}

/// What the address and the form of a cancellation name to withdraw an order alone.
pub(crate) const WHAT: &str = "what";
pub(crate) const ORDER: &str = "order";

/// The path of the page that withdraws an order alone, where a plan renews beside it.
pub(crate) const WITHDRAW: &str = "/conta/cancelar?what=order";
