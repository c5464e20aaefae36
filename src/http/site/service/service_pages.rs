//! What a client of the API wants to know of the service: its errors, and whether it works.

use maud::html;

use crate::domain::clock::UnixMillis;
use crate::domain::error::{ApiError, ErrorDetails};
use crate::http::site::layout::components::breadcrumbs;
use crate::http::site::layout::prose::inline;
use crate::http::site::layout::{Layout, Meta};
use crate::serving::ServingSnapshot;

/// The store works for calls with a key, or the one word that says why not.
pub type StoreHealth = Box<dyn Fn() -> Option<&'static str> + Send + Sync>;

/// Each error that a client may get, once.
pub(crate) fn errors(layout: &Layout) -> String {
    let words = &layout.texts.service;
    let mut listed: Vec<ErrorDetails> =
        ApiError::examples().iter().filter(|error| error.is_public()).map(ApiError::details).collect();
    listed.sort_by(|one, other| (one.status, one.code).cmp(&(other.status, other.code)));
    listed.dedup_by(|one, other| one.code == other.code);
    let main = html! {
        div.wide {
            (breadcrumbs(layout, [(&layout.path("/docs"), words.docs)]))
            h1 { (words.errors) }
            p.lead { (words.errors_lead) }
            div.table tabindex="0" {
                table {
                    thead { tr { th { (words.status_code) } th { (words.code) } th { (words.remedy) } } }
                    tbody lang="en" {
                        @for error in &listed {
                            tr {
                                td { (error.status) }
                                td { code { (error.code) } }
                                td { (inline(&error.message)) }
                            }
                        }
                    }
                }
            }
        }
    };
    let (title, description) = (words.errors, words.errors_lead);
    layout.page(&Meta { title, description, path: "/docs/errors", query: "", listed: true }, main)
}

/// Whether the guide is served, which snapshot, how old it is, and whether keys work.
pub(crate) fn status(
    layout: &Layout,
    snapshot: Option<&ServingSnapshot>,
    fault: Option<&'static str>,
    now: UnixMillis,
) -> String {
    let words = &layout.texts.service;
    let age = |finished: &str| {
        let finished = chrono::DateTime::parse_from_rfc3339(finished).ok()?.timestamp_millis();
        let hours = u32::try_from(now.0.saturating_sub(finished).max(0) / 3_600_000).ok()?;
        Some((words.age)(hours))
    };
    let main = html! {
        div.wide.narrow-top {
            h1 { (words.status) }
            p.lead role="status" {
                @match (snapshot, fault) {
                    (None, _) => (words.no_guide),
                    (Some(_), Some(_)) => (words.no_keys),
                    (Some(_), None) => (words.all_well),
                }
            }
            dl.facts {
                div { dt { (words.guide) } dd { (if snapshot.is_some() { words.works } else { words.fails }) } }
                div {
                    dt { (words.keys) }
                    dd { @match fault { None => (words.works), Some(reason) => { (words.fails) " (" code { (reason) } ")" } } }
                }
                @if let Some(snapshot) = snapshot {
                    div { dt { (words.edition) } dd { (snapshot.guide.name) " · " (snapshot.version.serial) } }
                    @if let Some(age) = age(&snapshot.guide.curated_at) { div { dt { (words.finished) } dd { (age) } } }
                }
                div { dt { (words.version) } dd { (env!("CARGO_PKG_VERSION")) } }
            }
            p.note { (words.status_note) }
        }
    };
    let (title, description) = (words.status, words.status_note);
    layout.page(&Meta { title, description, path: "/status", query: "", listed: true }, main)
}
