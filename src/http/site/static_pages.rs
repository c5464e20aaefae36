//! The pages that change with neither the snapshot nor the request: one table, which routes, the cache and the sitemap
//! read.

use crate::domain::plan::Plans;
use crate::http::site::developers::reference::Reference;
use crate::http::site::layout::Layout;
use crate::http::site::layout::form_fields::Submitted;
use crate::http::site::service::about;
use crate::http::site::service::changelog;
use crate::http::site::service::plans;
use crate::http::site::service::service_pages;
use crate::http::site::service::signup;
use crate::http::site::share::letter_pages;

/// A page that is rendered once in each language.
pub(crate) struct StaticPage {
    /// In Portuguese.
    pub(crate) path: &'static str,
    pub(crate) render: Render,
    /// Whether the sitemap has it.
    pub(crate) is_listed: bool,
    /// Whether its route takes its form too, and so is among those of forms.
    pub(crate) has_form: bool,
}

type Render = fn(&Layout, &Plans, &Reference<'_>) -> String;

pub(crate) const PAGES: &[StaticPage] = &[
    form("/plans", |layout, plans, _| plans::page(layout, plans, &Submitted::default())),
    form("/signup", |layout, plans, _| signup::page(layout, plans, &Submitted::default())),
    form("/sugerir", |layout, _, _| about::suggest_page(layout, &Submitted::default(), None)),
    sent("/signup/sent", |layout, _, _| signup::sent_page(layout)),
    sent("/sexta/sent", |layout, _, _| letter_pages::sent(layout)),
    page("/privacidade", |layout, _, _| about::document(layout, "/privacidade", &layout.texts.privacy)),
    page("/termos", |layout, _, _| about::document(layout, "/termos", &layout.texts.terms)),
    page("/contato", |layout, _, _| about::document(layout, "/contato", &layout.texts.contact)),
    page("/docs/errors", |layout, _, _| service_pages::errors(layout)),
    page(changelog::PATH, |layout, _, _| changelog::page(layout)),
    page("/api", |_, _, reference| reference.index_page()),
];

const fn page(path: &'static str, render: Render) -> StaticPage {
    StaticPage { path, render, is_listed: true, has_form: false }
}

const fn form(path: &'static str, render: Render) -> StaticPage {
    StaticPage { has_form: true, ..page(path, render) }
}

/// A page that follows a form.
const fn sent(path: &'static str, render: Render) -> StaticPage {
    StaticPage { is_listed: false, ..page(path, render) }
}
