//! What the forms of sign-up, order and suggestion do.

use axum::body::Body;
use hyper::http::request::Parts;
use hyper::{Request, Response};

use super::about;
use super::forms::{Fields, Wrong, field};
use super::plans;
use super::signup;
use crate::billing::checkout::{CheckoutRequest, OrderedBy};
use crate::dispatch::Admission;
use crate::domain::error::ApiError;
use crate::domain::suggestion::record_path;
use crate::gateway::Gateway;
use crate::http::language::Language;
use crate::http::site::layout::Layout;
use crate::http::site::layout::form_fields::{HONEYPOT_FIELD, Submitted};
use crate::http::site::layout::paths::localized;
use crate::http::site::state::Site;
use crate::request_log;
use crate::signup::SignupRequest;
use crate::suggest::SentSuggestion;

impl Site {
    /// Orders a plan and redirects to the payment page.
    pub(crate) async fn checkout(&self, language: Language, request: Request<Body>) -> Response<Body> {
        let checkout = async |head: &Parts, fields: &Fields| {
            self.billing.sandbox().check(&head.uri, &head.headers)?;
            let order = order(fields);
            let key = field(fields, "key").unwrap_or_default();
            let moment = self.dispatcher.clock.moment();
            let (key, client) = (Ok(Some(key.as_bytes())), self.accounts.client(head));
            let account = match self.dispatcher.admit_owner(key, client, moment).await {
                Ok(Admission { caller, .. }) if caller.account.is_blocked => Err(ApiError::AccountBlocked),
                Ok(Admission { caller, permit }) => {
                    request_log::sent_by(caller.clone());
                    permit.map(|_| caller)
                }
                Err(error) => Err(error),
            };
            // a visitor sees all that is wrong at once
            let mistakes = order.mistakes();
            let caller = match account {
                Ok(caller) if mistakes.is_empty() => caller,
                Ok(_) => return Err(Wrong(mistakes)),
                Err(error) if is_of_key(&error) => {
                    return Err(Wrong([vec![error], mistakes].concat()));
                }
                Err(error) => return Err(error.into()),
            };
            let by = OrderedBy::Key(caller.key);
            let placed = self.billing.service().checkout(&caller.account, by, client, order).await?;
            Ok(self.payment_page(placed.pay_url, language))
        };
        let page = |layout: &Layout, submitted: &Submitted<'_>| plans::page(layout, &self.plans, submitted);
        self.submit(language, request, page, &["plan", "name", "method"], checkout).await
    }

    /// Where a visitor pays. The page of the sandbox is of this site, and goes on in the visitor's language.
    pub(crate) fn payment_page(&self, pay_url: String, language: Language) -> String {
        match self.billing.service().gateway() {
            Some(Gateway::Sandbox(_)) => format!("{pay_url}?lang={}", language.code()),
            _ => pay_url,
        }
    }

    /// Signs up and redirects to the page that follows.
    pub(crate) async fn sign_up(&self, language: Language, request: Request<Body>) -> Response<Body> {
        let sign_up = async |head: &Parts, fields: &Fields| {
            let application = SignupRequest {
                email: field(fields, "email").unwrap_or_default(),
                name: field(fields, "name"),
                company: None,
                use_case: field(fields, "use_case"),
            };
            let client = self.accounts.client(head);
            self.accounts.signup().sign_up(application, client).await?;
            Ok(localized(language, "/signup/sent"))
        };
        let page = |layout: &Layout, submitted: &Submitted<'_>| signup::page(layout, &self.plans, submitted);
        self.submit(language, request, page, &["email", "name", "use_case"], sign_up).await
    }

    /// Keeps a suggestion and redirects to the page that follows. What fills in the hidden field is a program: it gets
    /// the same answer, and nothing is kept.
    pub(crate) async fn suggest(&self, language: Language, request: Request<Body>) -> Response<Body> {
        let echoed = ["text", "contact", "about"];
        let suggest = async |head: &Parts, fields: &Fields| {
            if field(fields, HONEYPOT_FIELD).is_none() {
                let [text, contact, about] = echoed.map(|name| field(fields, name));
                let client = self.accounts.client(head);
                self.suggestions.send(SentSuggestion { text, contact, about }, client).await?;
            }
            let about = field(fields, "about").and_then(record_path);
            let about = about.map(|path| format!("?about={path}")).unwrap_or_default();
            Ok(format!("{}{about}", localized(language, about::SENT)))
        };
        let page = |layout: &Layout, submitted: &Submitted<'_>| {
            let name = self.record_name(submitted.value("about"));
            about::suggest_page(layout, submitted, name.as_deref())
        };
        self.submit(language, request, page, &echoed, suggest).await
    }
}

/// Whether an error is about the key that was sent.
fn is_of_key(error: &ApiError) -> bool {
    use ApiError::{AccountBlocked, ConflictingKeys, InvalidKey, MissingKey};
    matches!(error, MissingKey | InvalidKey | AccountBlocked | ConflictingKeys { .. })
}

/// The order of a form.
pub(crate) fn order(fields: &Fields) -> CheckoutRequest<'_> {
    CheckoutRequest {
        plan: field(fields, "plan"),
        tax_id: field(fields, "tax_id"),
        name: field(fields, "name"),
        method: field(fields, "method"),
        idempotency_key: None,
    }
}
