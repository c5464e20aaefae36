//! How a submitted form is taken: read, done, and answered with another page, or with the form again and what is wrong.

use axum::body::Body;
use hyper::header::{HeaderMap, HeaderValue, LOCATION};
use hyper::http::request::Parts;
use hyper::{Request, Response, StatusCode};
use url::form_urlencoded;

use crate::domain::error::ApiError;
use crate::http::accept::names_html;
use crate::http::caller::Peer;
use crate::http::error_response;
use crate::http::language::Language;
use crate::http::origins::is_same_origin;
use crate::http::site::layout::Layout;
use crate::http::site::layout::components::more;
use crate::http::site::layout::form_fields::Submitted;
use crate::http::site::layout::i18n::FormError;
use crate::http::site::state::Site;

/// A thousand characters of any script, encoded, and the other fields.
const MAX_FORM_BYTES: usize = 16 * 1_024;

/// The fields of a form: name and value.
pub(crate) type Fields = [(String, String)];

impl Site {
    /// Does what a form asks for and redirects to the address that `act` returns. After an error: the form again with
    /// what was wrong, and with those of its values that may be `echoed`.
    pub(crate) async fn submit(
        &self,
        language: Language,
        request: Request<Body>,
        page: impl FnOnce(&Layout, &Submitted<'_>) -> String,
        echoed: &[&'static str],
        act: impl AsyncFnOnce(&Parts, &Fields) -> Result<String, Wrong>,
    ) -> Response<Body> {
        let (head, body) = request.into_parts();
        let fields = match self.read_form(&head, body).await {
            Ok(fields) => fields,
            Err(error) => return self.unread_form(language, &error, &head.headers),
        };
        match act(&head, &fields).await {
            Ok(address) => self.see_other(&address, &head.headers),
            Err(Wrong(errors)) => {
                let layout = self.layout(language);
                let values = echoed.iter().filter_map(|name| Some((*name, field(&fields, name)?))).collect();
                let shown = errors.iter().map(|error| FormError::new(layout.texts, error)).collect();
                let submitted = Submitted { values, errors: shown };
                let page = page(layout, &submitted);
                self.error(errors.first().unwrap_or(&ApiError::Internal), page, &head.headers)
            }
        }
    }

    /// The fields of a form that was submitted from a page of this site.
    pub(crate) async fn read_form(
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
    pub(crate) async fn read_foreign_form(
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
    pub(crate) fn unread_form(
        &self,
        language: Language,
        error: &ApiError,
        headers: &HeaderMap,
    ) -> Response<Body> {
        if !names_html(headers) {
            return error_response(error, headers);
        }
        let layout = self.layout(language);
        let FormError { sentence, .. } = FormError::new(layout.texts, error);
        let rest = more(layout.home(), layout.texts.layout.guide);
        let page = layout.message("/", layout.texts.errors.refused, &sentence, &rest);
        self.error(error, page, headers)
    }

    pub(crate) fn see_other(&self, address: &str, headers: &HeaderMap) -> Response<Body> {
        let mut response = self.uncached(StatusCode::SEE_OTHER, "".into(), headers);
        if let Ok(address) = HeaderValue::from_str(address) {
            response.headers_mut().insert(LOCATION, address);
        }
        response
    }
}

/// What is wrong with a form, in the order of its fields.
pub(crate) struct Wrong(pub(crate) Vec<ApiError>);

impl From<ApiError> for Wrong {
    fn from(error: ApiError) -> Wrong {
        Wrong(vec![error])
    }
}

/// The value of a field, unless it is blank.
pub(crate) fn field<'f>(fields: &'f Fields, name: &str) -> Option<&'f str> {
    let (_, value) = fields.iter().find(|(field, _)| field == name)?;
    Some(value.trim()).filter(|value| !value.is_empty())
}
