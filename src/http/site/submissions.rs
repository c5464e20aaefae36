//! The forms that people submit: sign-up and order.

use std::time::Instant;

use axum::body::Body;
use hyper::header::{HeaderMap, HeaderValue, LOCATION};
use hyper::http::request::Parts;
use hyper::{Request, Response, StatusCode};
use url::form_urlencoded;

use super::form_fields::Submitted;
use super::i18n::FormError;
use super::layout::Layout;
use super::paths::localized;
use super::state::Site;
use super::{plans, signup};
use crate::billing::checkout::CheckoutRequest;
use crate::domain::error::ApiError;
use crate::domain::plan::Plans;
use crate::http::caller::Peer;
use crate::http::error_response;
use crate::http::language::Language;
use crate::http::origins::is_same_origin;
use crate::request_log;
use crate::signup::SignupRequest;

const MAX_FORM_BYTES: usize = 8 * 1_024;

/// The fields of a form: name and value.
pub(super) type Fields = [(String, String)];

/// A page with a form.
type FormPage = fn(&Layout, &Plans, &Submitted<'_>) -> String;

impl Site {
    /// Orders a plan and redirects to the payment page.
    pub(super) async fn checkout(&self, language: Language, request: Request<Body>) -> Response<Body> {
        let started = Instant::now();
        let echoed = ["plan", "name", "method"];
        let checkout = async |head: &Parts, fields: &Fields| {
            self.billing.sandbox().check(&head.uri, &head.headers)?;
            let key = field(fields, "key").unwrap_or_default();
            let moment = self.dispatcher.clock.moment();
            let (caller, admitted) = self.dispatcher.admit(Ok(Some(key.as_bytes())), moment, started).await?;
            request_log::sent_by(caller.clone());
            admitted?;
            let order = CheckoutRequest {
                plan: field(fields, "plan"),
                tax_id: field(fields, "tax_id"),
                name: field(fields, "name"),
                method: field(fields, "method"),
                idempotency_key: None,
            };
            Ok(self.billing.service().checkout(&caller.account, order).await?.pay_url)
        };
        self.submit(language, request, started, plans::page, echoed, checkout).await
    }

    /// Signs up and redirects to the page that follows.
    pub(super) async fn sign_up(&self, language: Language, request: Request<Body>) -> Response<Body> {
        let echoed = ["email", "name", "use_case"];
        let sign_up = async |head: &Parts, fields: &Fields| {
            let application = SignupRequest {
                email: field(fields, "email").unwrap_or_default(),
                name: field(fields, "name"),
                company: None,
                use_case: field(fields, "use_case"),
            };
            let client = self.accounts.client(head, Peer::noted(&head.extensions));
            self.accounts.signup().sign_up(application, client).await?;
            Ok(localized(language, "/signup/sent"))
        };
        self.submit(language, request, Instant::now(), signup::page, echoed, sign_up).await
    }

    /// Does what a form asks for and redirects to the address that `act` returns. After an error: the form again with
    /// what was wrong, and with those of its values that may be `echoed`.
    async fn submit(
        &self,
        language: Language,
        request: Request<Body>,
        started: Instant,
        page: FormPage,
        echoed: [&'static str; 3],
        act: impl AsyncFnOnce(&Parts, &Fields) -> Result<String, ApiError>,
    ) -> Response<Body> {
        let (head, body) = request.into_parts();
        let fields = match self.read_form(&head, body).await {
            Ok(fields) => fields,
            Err(error) => return error_response(&error, &head.headers),
        };
        let response = match act(&head, &fields).await {
            Ok(address) => self.see_other(&address, &head.headers),
            Err(error) => {
                let layout = self.layout(language);
                let values =
                    echoed.into_iter().filter_map(|name| Some((name, field(&fields, name)?))).collect();
                let submitted = Submitted { values, error: Some(FormError::new(layout.texts, &error)) };
                self.error(&error, page(layout, &self.plans, &submitted), &head.headers)
            }
        };
        self.dispatcher.count_page(response.status().as_u16(), started);
        response
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
        let peer = Peer::noted(&head.extensions);
        let body = self.billing.bodies().read(&head.headers, peer, body, MAX_FORM_BYTES).await?;
        Ok(form_urlencoded::parse(&body).into_owned().collect())
    }

    pub(super) fn see_other(&self, address: &str, headers: &HeaderMap) -> Response<Body> {
        let mut response = self.uncached(StatusCode::SEE_OTHER, "".into(), headers);
        if let Ok(address) = HeaderValue::from_str(address) {
            response.headers_mut().insert(LOCATION, address);
        }
        response
    }
}

/// The value of a field, unless it is blank.
pub(super) fn field<'f>(fields: &'f Fields, name: &str) -> Option<&'f str> {
    let (_, value) = fields.iter().find(|(field, _)| field == name)?;
    Some(value.trim()).filter(|value| !value.is_empty())
}
