//! Forms that work once: each makes a secret that is shown once, and a page that is loaded again sends its form again.
//!
//! Such a form carries a mark of the session and of what it changes, as that was when the page was made. The mark of a
//! form that has worked is of a state that is no more, so nothing needs to be kept of it.

use maud::{Markup, Render, html};

use crate::http::site::service::forms::{Fields, field};
use crate::signup::session::OwnerSession;

/// The name of the field.
const FIELD: &str = "once";

/// The mark of a form.
pub(crate) struct Once(String);

impl Once {
    /// The mark of a form that replaces the keys of an account: the session that they are of ends with them.
    pub(crate) fn of_keys(session: &OwnerSession) -> Once {
        Once(session.form_mark("keys"))
    }

    /// The mark of a form that adds to what an account has, or replaces it.
    pub(crate) fn of(session: &OwnerSession, state: &[&str]) -> Once {
        Once(session.form_mark(&state.join(" ")))
    }

    /// Whether it is the mark that a form sent.
    pub(crate) fn is_in(&self, fields: &Fields) -> bool {
        field(fields, FIELD) == Some(&self.0)
    }
}

impl Render for Once {
    fn render(&self) -> Markup {
        html! { input type="hidden" name=(FIELD) value=(self.0); }
    }
}
