//! Where somebody goes on who has to sign in first. It is one of a closed set of own pages, sent on by name from form
//! to form, so that no address leads anywhere else.

use hyper::http::request::Parts;
use maud::{Markup, html};

use super::page::Page;
use crate::domain::plan::Plan;
use crate::http::site::layout::Layout;
use crate::http::site::layout::form_fields::{Submitted, query_field};
use crate::http::site::service::forms::{Fields, field};
use crate::http::site::service::plans::{chosen_plan, paid_plan};

/// The names of the fields that carry it.
const PLAN: &str = "plan";
const PAGE: &str = "to";

/// The pages that one may be led to, by name.
const PAGES: [(&str, Page); 10] = [
    ("key", Page::Key),
    ("plan", Page::Plan),
    ("cancel", Page::Cancel),
    ("data", Page::Data),
    ("email", Page::Email),
    ("delete", Page::Delete),
    ("paid", Page::Paid),
    ("browser", Page::Tokens),
    ("calendars", Page::Calendars),
    ("webhook", Page::Webhook),
];

/// Where to go on after signing in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Destination {
    /// The first page of the account.
    #[default]
    Overview,
    /// The form that orders a plan, which is chosen on it.
    Order(Plan),
    /// Another page.
    Page(Page),
}

impl Destination {
    /// That of a request for a page by somebody who is not signed in, and may have chosen a plan.
    pub(crate) fn of(page: Page, plan: Option<Plan>) -> Destination {
        match (page, plan) {
            (Page::Plan, Some(plan)) => Destination::Order(plan),
            // a file leaves the page where one signed in, and that of the data leads to it
            (Page::Export, _) => Destination::Page(Page::Data),
            (page, _) if PAGES.iter().any(|(_, known)| *known == page) => Destination::Page(page),
            _ => Destination::Overview,
        }
    }

    /// That of an address.
    pub(crate) fn asked(head: &Parts) -> Destination {
        let value = |name| query_field(&head.uri, name).unwrap_or_default();
        Destination::read(&value(PLAN), &value(PAGE))
    }

    /// That of a form.
    pub(crate) fn sent(fields: &Fields) -> Destination {
        let value = |name| field(fields, name).unwrap_or_default();
        Destination::read(value(PLAN), value(PAGE))
    }

    /// That of the values of a form.
    pub(crate) fn of_values(submitted: &Submitted<'_>) -> Destination {
        Destination::read(submitted.value(PLAN), submitted.value(PAGE))
    }

    fn read(plan: &str, page: &str) -> Destination {
        let named = || PAGES.iter().find(|(name, _)| *name == page).map(|(_, page)| *page);
        match paid_plan(plan) {
            Some(plan) => Destination::Order(plan),
            None => named().map_or(Destination::Overview, Destination::Page),
        }
    }

    /// The field that sends it on, and its value.
    fn field(self) -> Option<(&'static str, &'static str)> {
        match self {
            Destination::Overview => None,
            Destination::Order(plan) => Some((PLAN, plan.as_str())),
            Destination::Page(page) => {
                PAGES.iter().find(|(_, known)| *known == page).map(|(name, _)| (PAGE, *name))
            }
        }
    }

    /// The values of a form that sends it on.
    pub(crate) fn with<'v>(self, values: Vec<(&'static str, &'v str)>) -> Vec<(&'static str, &'v str)> {
        values.into_iter().chain(self.field()).collect()
    }

    /// The field of a form that sends it on.
    pub(crate) fn hidden(self) -> Markup {
        html! { @if let Some((name, value)) = self.field() { input type="hidden" name=(name) value=(value); } }
    }

    /// The query of an address that says it.
    pub(crate) fn query(self) -> String {
        self.field().map(|(name, value)| format!("?{name}={value}")).unwrap_or_default()
    }

    /// Its path in Portuguese, with the plan that is chosen on it.
    pub(crate) fn path(self) -> String {
        match self {
            Destination::Overview => Page::Overview.path().to_owned(),
            Destination::Order(plan) => format!("{}{}", Page::Plan.path(), chosen_plan(Some(plan))),
            Destination::Page(page) => page.path().to_owned(),
        }
    }

    /// What the page is called, if it is not the first one.
    pub(crate) fn title(self, layout: &Layout) -> Option<&'static str> {
        let words = &layout.texts.account;
        Some(match self {
            Destination::Overview => return None,
            Destination::Order(_) => words.change_plan,
            Destination::Page(page) => match page {
                Page::Key => words.new_key,
                Page::Plan => words.change_plan,
                Page::Cancel => words.cancel,
                Page::Data => words.data,
                Page::Email => words.change_address,
                Page::Delete => words.delete,
                Page::Paid => words.payment,
                Page::Tokens => layout.texts.tokens.title,
                Page::Calendars => layout.texts.calendars.title,
                Page::Webhook => layout.texts.webhook.title,
                _ => return None,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_own_pages_are_led_to_and_each_is_read_as_it_is_written() {
        for (name, page) in PAGES {
            let destination = Destination::of(page, None);
            assert_eq!(destination, Destination::read("", name), "{name}");
            assert_eq!(
                (destination.query(), destination.path()),
                (format!("?to={name}"), page.path().to_owned())
            );
        }
        let gringo = Destination::read("gringo", "cancel");
        assert_eq!(
            (gringo.query(), gringo.path()),
            ("?plan=gringo".to_owned(), "/conta/plano?plan=gringo".to_owned())
        );
        for other in ["//evil.example", "https://evil.example", "/conta/chave", "sign-in", ""] {
            assert_eq!(Destination::read(other, other), Destination::Overview, "{other}");
        }
        for page in [Page::SignIn, Page::SignOut, Page::Code, Page::Recover, Page::Overview] {
            assert_eq!(Destination::of(page, None), Destination::Overview);
        }
        assert_eq!(Destination::of(Page::Export, None), Destination::Page(Page::Data));
    }
}
