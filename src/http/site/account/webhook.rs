//! The page of the webhook: its address and what came of the last message, and forms that set, try and remove it.

use maud::{Markup, html};

use super::once::Once;
use super::page::Page;
use super::pages::{date, page, shown_once, text_field};
use crate::domain::error::ApiError;
use crate::domain::hook::{BadHookUrl, HookRecord, MAX_URL};
use crate::http::site::account::{AccountRequest, PageOutcome};
use crate::http::site::layout::Layout;
use crate::http::site::layout::components::more;
use crate::http::site::layout::form_fields::Submitted;
use crate::http::site::layout::i18n::FormError;
use crate::http::site::service::forms::{Fields, field};
use crate::notify::hooks::HookError;
use crate::signup::session::OwnerSession;
use crate::store::HookQueue;

/// The path of the page in Portuguese.
const PATH: &str = Page::Webhook.path();

impl AccountRequest<'_> {
    /// Sets, tries or removes the webhook.
    pub(crate) async fn change_webhook(
        self,
        session: &OwnerSession,
        fields: &Fields,
    ) -> Result<PageOutcome, ApiError> {
        let account = &session.account;
        let (hooks, words) = (self.site.accounts.hooks(), &self.layout().texts.webhook);
        let typed = field(fields, "url").unwrap_or_default();
        let wrong = match field(fields, "do") {
            Some("test") => {
                if hooks.test(&account.id).await.map_err(failed)? != HookQueue::Full {
                    return Ok(PageOutcome::SeeOther(self.path(PATH)));
                }
                words.queue_full
            }
            Some("remove") => {
                hooks.remove(&account.id).await?;
                return Ok(PageOutcome::SeeOther(self.path(PATH)));
            }
            _ if !once(session, hooks.hook(&account.id).await?.as_ref()).is_in(fields) => {
                return Ok(self.used(PATH, words.title));
            }
            _ => match hooks.set(&account.id, typed).await {
                Ok(secret) => return Ok(PageOutcome::Page(shown(self.layout(), secret.reveal()))),
                Err(HookError::Url(BadHookUrl::Private)) => words.private,
                Err(HookError::Url(BadHookUrl::NotHttps)) => words.bad_url,
                Err(error) => return Err(failed(error)),
            },
        };
        let submitted = Submitted::wrong(vec![("url", typed)], FormError::of(Some("url"), wrong.to_owned()));
        Ok(PageOutcome::bad_request(self.webhook_page(session, &submitted).await?))
    }

    /// The page that shows the webhook.
    pub(crate) async fn webhook_page(
        self,
        session: &OwnerSession,
        submitted: &Submitted<'_>,
    ) -> Result<String, ApiError> {
        let hook = self.site.accounts.hooks().hook(&session.account.id).await?;
        Ok(overview(self.layout(), hook.as_ref(), &once(session, hook.as_ref()), submitted))
    }
}

fn failed(error: HookError) -> ApiError {
    match error {
        HookError::Store(error) => error.into(),
        HookError::NoAccount | HookError::Url(_) | HookError::Message(_) | HookError::Randomness(_) => {
            ApiError::Internal
        }
    }
}

/// The mark of the form that sets the webhook in place of this one.
fn once(session: &OwnerSession, hook: Option<&HookRecord>) -> Once {
    let made_at = hook.map(|hook| hook.created_at.0.to_string()).unwrap_or_default();
    Once::of(session, &[hook.map_or("", |hook| &hook.url), &made_at])
}

fn overview(layout: &Layout, hook: Option<&HookRecord>, once: &Once, submitted: &Submitted<'_>) -> String {
    let words = &layout.texts.webhook;
    let url = text_field("url", words.url, ["url", "off"], MAX_URL);
    let main = html! {
        div.wide.narrow-top.split {
            div {
                h1 { (words.title) }
                p.lead { (words.lead) }
                p { (words.without) }
                @if let Some(hook) = hook { (current(layout, hook)) }
                (more(&layout.path("/conta"), layout.texts.account.title))
            }
            form.sheet method="post" action=(layout.path(PATH)) {
                (once)
                (submitted.form_error(&["url"]))
                (url.render(submitted))
                p.help { (words.new_secret) }
                button type="submit" { (words.set) }
            }
        }
    };
    page(layout, PATH, words.title, main)
}

fn current(layout: &Layout, hook: &HookRecord) -> Markup {
    let words = &layout.texts.webhook;
    let button = |what: &str, label: &str| {
        html! {
            form method="post" action=(layout.path(PATH)) {
                input type="hidden" name="do" value=(what);
                button.button-quiet type="submit" { (label) }
            }
        }
    };
    html! {
        dl.facts {
            div { dt { (words.current) } dd { (hook.url) } }
            div {
                dt { (words.last) }
                dd #last-result {
                    @match &hook.last {
                        Some((at, result)) => { (result) " (" (date(layout, *at)) ")" },
                        None => { (words.nothing_sent) },
                    }
                }
            }
        }
        (button("test", words.test))
        (button("remove", words.remove))
    }
}

fn shown(layout: &Layout, secret: &str) -> String {
    let words = &layout.texts.webhook;
    let said = [words.your_secret, words.shown_once, words.title];
    shown_once(layout, PATH, said, ("new-secret", secret), &html! { p { (words.how) } })
}
