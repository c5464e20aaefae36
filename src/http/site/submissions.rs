//! The forms that people submit: how each is taken, and those of sign-up, order and suggestion.

use std::time::Instant;

use axum::body::Body;
use hyper::header::{HeaderMap, HeaderValue, LOCATION};
use hyper::http::request::Parts;
use hyper::{Request, Response, StatusCode};
use url::form_urlencoded;

use super::components::more;
use super::form_fields::{HONEYPOT_FIELD, Submitted};
use super::i18n::FormError;
use super::layout::Layout;
use super::paths::localized;
use super::state::Site;
use super::{about, plans, signup};
use crate::billing::checkout::{CheckoutRequest, OrderedBy};
use crate::dispatch::Admission;
use crate::domain::error::ApiError;
use crate::domain::suggestion::record_path;
use crate::gateway::Gateway;
use crate::http::accept::names_html;
use crate::http::caller::Peer;
use crate::http::error_response;
use crate::http::language::Language;
use crate::http::origins::is_same_origin;
use crate::request_log;
use crate::signup::SignupRequest;
use crate::suggest::Draft;

/// A thousand characters of any script, encoded, and the other fields.
const MAX_FORM_BYTES: usize = 16 * 1_024;

/// The fields of a form: name and value.
pub(super) type Fields = [(String, String)];

impl Site {
    /// Orders a plan and redirects to the payment page.
    pub(super) async fn checkout(&self, language: Language, request: Request<Body>) -> Response<Body> {
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
            let placed = self.billing.service().checkout(&caller.account, by, order).await?;
            Ok(self.payment_page(placed.pay_url, language))
        };
        let page = |layout: &Layout, submitted: &Submitted<'_>| plans::page(layout, &self.plans, submitted);
        self.submit(language, request, page, &["plan", "name", "method"], checkout).await
    }

    /// Where a visitor pays. The page of the sandbox is of this site, and goes on in the visitor's language.
    pub(super) fn payment_page(&self, pay_url: String, language: Language) -> String {
        match self.billing.service().gateway() {
            Some(Gateway::Sandbox(_)) => format!("{pay_url}?lang={}", language.code()),
            _ => pay_url,
        }
    }

    /// Signs up and redirects to the page that follows.
    pub(super) async fn sign_up(&self, language: Language, request: Request<Body>) -> Response<Body> {
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
    pub(super) async fn suggest(&self, language: Language, request: Request<Body>) -> Response<Body> {
        let echoed = ["text", "contact", "about"];
        let suggest = async |head: &Parts, fields: &Fields| {
            if field(fields, HONEYPOT_FIELD).is_none() {
                let [text, contact, about] = echoed.map(|name| field(fields, name));
                let client = self.accounts.client(head);
                self.suggestions.send(Draft { text, contact, about }, client).await?;
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

    /// Does what a form asks for and redirects to the address that `act` returns. After an error: the form again with
    /// what was wrong, and with those of its values that may be `echoed`.
    pub(super) async fn submit(
        &self,
        language: Language,
        request: Request<Body>,
        page: impl FnOnce(&Layout, &Submitted<'_>) -> String,
        echoed: &[&'static str],
        act: impl AsyncFnOnce(&Parts, &Fields) -> Result<String, Wrong>,
    ) -> Response<Body> {
        let started = Instant::now();
        let (head, body) = request.into_parts();
        let fields = match self.read_form(&head, body).await {
            Ok(fields) => fields,
            Err(error) => return self.unread_form(language, &error, &head.headers, started),
        };
        let response = match act(&head, &fields).await {
            Ok(address) => self.see_other(&address, &head.headers),
            Err(Wrong(errors)) => {
                let layout = self.layout(language);
                let values = echoed.iter().filter_map(|name| Some((*name, field(&fields, name)?))).collect();
                let shown = errors.iter().map(|error| FormError::new(layout.texts, error)).collect();
                let submitted = Submitted { values, errors: shown };
                let page = page(layout, &submitted);
                self.error(errors.first().unwrap_or(&ApiError::Internal), page, &head.headers)
            }
        };
        self.counted(response, started)
    }

    /// The fields of a form that was submitted from a page of this site.
    pub(super) async fn read_form(
        &self,
        head: &Parts,
        body: Body,
    ) -> Result<Vec<(String, String)>, ApiError> {
        if !is_same_origin(&head.headers) {
            return Err(ApiError::ForeignForm);
        }
        self.read_foreign_form(head, body).await
    }

    /// The fields of a form that may be submitted from anywhere.
    pub(super) async fn read_foreign_form(
        &self,
        head: &Parts,
        body: Body,
    ) -> Result<Vec<(String, String)>, ApiError> {
        let peer = Peer::noted(&head.extensions);
        let body = self.billing.bodies().read(&head.headers, peer, body, MAX_FORM_BYTES).await?;
        // a line break is sent as two characters, and browsers count it as one when they limit a field
        let fields =
            form_urlencoded::parse(&body).map(|(name, value)| (name.into(), value.replace("\r\n", "\n")));
        Ok(fields.collect())
    }

    /// The answer to a form that was not read: too long, or it seems to come from another site, which a browser
    /// extension or a proxy can cause too. People get a page.
    pub(super) fn unread_form(
        &self,
        language: Language,
        error: &ApiError,
        headers: &HeaderMap,
        started: Instant,
    ) -> Response<Body> {
        if !names_html(headers) {
            return self.counted(error_response(error, headers), started);
        }
        let layout = self.layout(language);
        let FormError { sentence, .. } = FormError::new(layout.texts, error);
        let rest = more(layout.home(), layout.texts.layout.guide);
        let page = layout.message("/", layout.texts.errors.refused, &sentence, &rest);
        self.counted(self.error(error, page, headers), started)
    }

    pub(super) fn see_other(&self, address: &str, headers: &HeaderMap) -> Response<Body> {
        let mut response = self.uncached(StatusCode::SEE_OTHER, "".into(), headers);
        if let Ok(address) = HeaderValue::from_str(address) {
            response.headers_mut().insert(LOCATION, address);
        }
        response
    }
}

/// What is wrong with a form, in the order of its fields.
pub(super) struct Wrong(Vec<ApiError>);

impl From<ApiError> for Wrong {
    fn from(error: ApiError) -> Wrong {
        Wrong(vec![error])
    }
}

/// Whether an error is about the key that was sent.
fn is_of_key(error: &ApiError) -> bool {
    use ApiError::{AccountBlocked, ConflictingKeys, InvalidKey, MissingKey};
    matches!(error, MissingKey | InvalidKey | AccountBlocked | ConflictingKeys { .. })
}

/// The order of a form.
pub(super) fn order(fields: &Fields) -> CheckoutRequest<'_> {
    CheckoutRequest {
        plan: field(fields, "plan"),
        tax_id: field(fields, "tax_id"),
        name: field(fields, "name"),
        method: field(fields, "method"),
        idempotency_key: None,
    }
}

/// The value of a field, unless it is blank.
pub(super) fn field<'f>(fields: &'f Fields, name: &str) -> Option<&'f str> {
    let (_, value) = fields.iter().find(|(field, _)| field == name)?;
    Some(value.trim()).filter(|value| !value.is_empty())
}
