//! The errors that clients receive: every one is a variant here, a row of the table in `table.rs`, and an example. All
//! endpoints and documents read them from here.

mod table;

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::base62::NoRandomness;
use crate::domain::plan::Plan;

/// The calls that a limit of the minute counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitedCalls {
    /// Those that the plan pays for.
    Plan,
    /// Those about the account itself, which every plan has as many of.
    Account,
}

/// Whose calls without a key a limit counts, and over which period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PreviewScope {
    /// Those of a network in a minute.
    NetworkMinute,
    /// Those of a network in a day.
    NetworkDay,
    /// Those of everybody in a minute.
    EveryoneMinute,
}

impl From<NoRandomness> for ApiError {
    fn from(error: NoRandomness) -> ApiError {
        tracing::error!("{error}");
        ApiError::Internal
    }
}

/// An error that a client can receive.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(test, derive(strum::EnumCount))]
pub enum ApiError {
    /// A line of the request head ends in LF without CR, or it names several hosts.
    InvalidHead,
    /// The body is larger than the service accepts.
    BodyTooLarge {
        /// Largest accepted size.
        max_bytes: usize,
    },
    /// The content type is not JSON.
    UnsupportedMediaType {
        /// Whether it is compressed.
        is_encoded: bool,
    },
    /// The body is not JSON.
    InvalidJson {
        /// Line and column of the first syntax error, from 1; none when the body is empty.
        at: Option<(usize, usize)>,
    },
    /// The body is JSON, but not an object.
    NotAnObject,
    /// The body has too many fields.
    TooManyFields {
        /// Largest accepted number.
        max: usize,
    },
    /// The endpoint needs a key, and the request has none.
    MissingKey,
    /// The key is malformed, unknown or revoked; the answer does not say which.
    InvalidKey,
    /// The operator has blocked the account of the key.
    AccountBlocked,
    /// The request has two different keys.
    ConflictingKeys {
        /// Whether one of them is a browser token.
        with_token: bool,
    },
    /// The address holds a key, which logs and histories would keep.
    KeyInUrl,
    /// The browser token is malformed, unknown or revoked; the answer does not say which.
    InvalidToken {
        /// Whether it is the token of a calendar address.
        is_calendar: bool,
    },
    /// The token of a calendar address is malformed, unknown or revoked; the answer does not say which. Not 401, to
    /// which calendar programs ask their user for a name and a password.
    UnknownCalendar {
        /// Whether it is a browser token.
        is_browser: bool,
    },
    /// The page that sent a browser token is of none of its origins.
    TokenOrigin {
        /// Whether the request names no origin, as requests of programs do.
        is_missing: bool,
    },
    /// A browser token was sent for what only a key gives.
    TokenScope,
    /// The calls of this minute with the token are used up.
    TokenLimited {
        /// Seconds until the next minute begins.
        retry_after: u32,
        /// Calls allowed in a minute.
        per_minute: u32,
    },
    /// The body has no action.
    MissingAction {
        /// The known actions.
        known: &'static [&'static str],
    },
    /// The body names an action that does not exist.
    UnknownAction {
        /// The known actions.
        known: &'static [&'static str],
    },
    /// A required parameter is missing.
    MissingParam {
        /// Its name.
        param: &'static str,
        /// An id of the kind that the action takes.
        example: Option<&'static str>,
        /// What was sent and is not known: the names, unless they are too long to repeat.
        unknown: Vec<String>,
    },
    /// A parameter is of the wrong JSON type.
    WrongType {
        /// Its name.
        param: &'static str,
        /// The expected type with its article: "a string".
        expected: &'static str,
    },
    /// A number is outside its bounds.
    OutOfRange {
        /// Its name.
        param: &'static str,
        /// Smallest accepted number.
        min: i64,
        /// Largest accepted number.
        max: i64,
    },
    /// A date is neither a day of the calendar as YYYY-MM-DD nor a word for a day.
    InvalidDate {
        /// Its name.
        param: &'static str,
    },
    /// A time is not one of the day.
    InvalidTime {
        /// Its name.
        param: &'static str,
    },
    /// `to` is before `from`.
    DatesReversed,
    /// A text is too long.
    TextTooLong {
        /// Its name.
        param: &'static str,
        /// Largest accepted number of characters.
        max: usize,
    },
    /// A list has too many values.
    TooManyValues {
        /// Its name.
        param: &'static str,
        /// Largest accepted number.
        max: usize,
    },
    /// No region, neighbourhood, zone or address code has that name.
    UnknownRegion {
        /// The parameter that has the name.
        param: &'static str,
        /// Which item of a list, from 1, if several were sent.
        item: Option<usize>,
        /// The nearest known names.
        nearest: Vec<String>,
    },
    /// An address code exists in several regions.
    AmbiguousRegion {
        /// The parameter that has the name.
        param: &'static str,
        /// Which item of a list, from 1, if several were sent.
        item: Option<usize>,
        /// Unambiguous names to send instead.
        readings: Vec<String>,
    },
    /// No address, landmark, area or record has the name of `near`.
    UnknownNear {
        /// The nearest known names.
        nearest: Vec<String>,
        /// The areas that it means as a whole, of which no point says what is near.
        whole: Vec<String>,
    },
    /// Several places have the name of `near`.
    AmbiguousNear {
        /// Names or ids of some of them.
        readings: Vec<String>,
    },
    /// `near` means where the caller is, and no position was sent.
    PositionNeeded,
    /// The place is outside the territory of the guide.
    OutsideCoverage {
        /// The parameter that names it.
        param: &'static str,
        /// Which item of a list, from 1, if several were sent.
        item: Option<usize>,
    },
    /// `region` and its alias have different values.
    ConflictingRegion,
    /// No category has that name.
    UnknownCategory {
        /// The name of the parameter.
        param: &'static str,
        /// Which item of a list, from 1, if several were sent.
        item: Option<usize>,
        /// The nearest known names.
        nearest: Vec<String>,
    },
    /// This service did not make the cursor, or made it for another list.
    InvalidCursor,
    /// No record that the caller can see has that id.
    UnknownRecord {
        /// "place or event" or "event".
        kind: &'static str,
        /// What to send for the nearest records that the caller can see.
        nearest: Vec<String>,
    },
    /// The plan does not cover any part of the region.
    PlanRegion {
        /// The caller's plan.
        plan: Plan,
    },
    /// The plan does not see the positions that the form consists of.
    PlanPositions {
        /// The caller's plan.
        plan: Plan,
    },
    /// The plan does not include the whole guide and its changes.
    PlanExport {
        /// The caller's plan.
        plan: Plan,
    },
    /// The changes do not go back to that publication.
    TooOld {
        /// How many publications they go back.
        publications: usize,
        /// Whether the publication is newer than the guide in service.
        is_newer: bool,
    },
    /// The preview does not cover any part of the region.
    PreviewRegion,
    /// The limit of the preview is used up.
    PreviewLimited {
        /// Which limit.
        scope: PreviewScope,
        /// Seconds until the limit resets.
        retry_after: u32,
    },
    /// The value is not one of the words that the parameter accepts.
    UnknownChoice {
        /// Its name.
        param: &'static str,
        /// Which item of a list, from 1, if several were sent.
        item: Option<usize>,
        /// The accepted words.
        known: &'static [&'static str],
    },
    /// Records have no field of that name.
    UnknownField {
        /// Which item of a list, from 1, if several were sent.
        item: Option<usize>,
        /// The nearest names.
        nearest: Vec<&'static str>,
    },
    /// A tool call, or a request for a file, has parameters that the tool or the file does not have.
    UnknownParam {
        /// What it has instead: the names, unless they are too long to repeat.
        unknown: Vec<String>,
        /// The parameters that there are.
        known: Vec<&'static str>,
    },
    /// The calls of this minute are used up.
    RateLimited {
        /// Seconds until the next minute begins.
        retry_after: u32,
        /// Calls allowed in a minute.
        per_minute: u32,
        /// The calls that are limited.
        calls: LimitedCalls,
    },
    /// The calls of this month are used up.
    QuotaExceeded {
        /// Seconds until the next month begins.
        retry_after: u32,
        /// Calls allowed in a month.
        per_month: u32,
    },
    /// The path does not exist.
    NotFound,
    /// The path does not support the method.
    MethodNotAllowed {
        /// The supported methods, as the `allow` header lists them.
        allow: &'static str,
    },
    /// The client took too long to send the request.
    RequestTimeout,
    /// The request has arrived, and its answer took too long.
    AnswerTimeout,
    /// Too many connections are open, or too many bodies are being read.
    Overloaded,
    /// The store of keys and quotas is unreachable or overloaded.
    StoreUnavailable,
    /// No snapshot is loaded yet.
    NoGuide,
    /// What publications changed in the guide in service is not known: the depot that says it cannot be read.
    NoHistory,
    /// A fault of the service.
    Internal,
    /// The value is not an e-mail address.
    InvalidEmail,
    /// Too many sign-ups for the e-mail address or from the network.
    TooManySignups {
        /// Whether it is the limit of the network.
        of_network: bool,
        /// Seconds until the next one is accepted.
        retry_after: u32,
    },
    /// Too many suggestions from the network, or from all together.
    TooManySuggestions {
        /// Whether it is the limit of all together.
        is_of_all: bool,
        /// Seconds until the next one is accepted.
        retry_after: u32,
    },
    /// The account has replaced its key too often.
    TooManyRotations {
        /// Seconds until the next one is accepted.
        retry_after: u32,
    },
    /// Too many recoveries, or tries of a code, from the network.
    TooManyRecoveries {
        /// Seconds until the next one is accepted.
        retry_after: u32,
    },
    /// No mail is sent, so that no key can reach anybody.
    SignupClosed,
    /// No payment gateway is configured.
    BillingClosed,
    /// The payment gateway did not answer, or not as expected.
    GatewayUnavailable,
    /// The plan is not for sale.
    BadPlan,
    /// The tax number is invalid, or the gateway does not accept it.
    BadTaxId,
    /// The payment method is unknown.
    BadMethod,
    /// The account already has the plan.
    SamePlan {
        /// The plan.
        plan: Plan,
    },
    /// The account has neither a paid plan to cancel nor an order to withdraw.
    NothingToCancel,
    /// The idempotency key is empty, too long or has other characters than visible ASCII.
    BadIdempotencyKey,
    /// The idempotency key was used with another request.
    IdempotencyMismatch,
    /// The order of the idempotency key was closed unpaid, or refunded.
    OrderClosed,
    /// Too many checkouts by the account, or from the network.
    TooManyCheckouts {
        /// Whether of the network.
        of_network: bool,
        /// Seconds until the next one is accepted.
        retry_after: u32,
    },
    /// A webhook request does not have the token of the gateway.
    WrongToken,
    /// A form was sent from a page of another site.
    ForeignForm,
    /// A request without a key was sent by a page of another site.
    ForeignOrigin,
    /// The recovery code is wrong, expired or used, or the account is unknown; the answer does not say which.
    InvalidCode,
}

/// What an error says: a row of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorDetails {
    /// Stable name, for programs.
    pub code: &'static str,
    /// HTTP status.
    pub status: u16,
    /// What to fix, for people. It never repeats what the caller sent, short names of parameters apart: it names
    /// parameters and known values only.
    pub message: Cow<'static, str>,
    /// A further step that may help.
    pub hint: Option<Cow<'static, str>>,
    /// The parameter at fault.
    pub param: Option<&'static str>,
    /// Seconds to wait before trying again.
    pub retry_after: Option<u32>,
}

impl ApiError {
    /// A required parameter is missing.
    pub fn missing(param: &'static str) -> ApiError {
        ApiError::MissingParam { param, example: None, unknown: Vec::new() }
    }

    /// Whether clients may receive it: the others are for the payment gateway and for the forms of the site.
    pub fn is_public(&self) -> bool {
        !matches!(self, ApiError::WrongToken | ApiError::ForeignForm | ApiError::TooManySuggestions { .. })
    }
}

/// An error. It says what to fix and never repeats what was sent.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Error")]
pub struct ErrorBody<'a> {
    /// Always false.
    ok: bool,
    /// What to fix, for people.
    error: &'a str,
    /// What is wrong, for programs: codes do not change.
    code: &'a str,
    /// The parameter at fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    param: Option<&'a str>,
    /// A further step that may help.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'a str>,
    /// Seconds to wait before trying again, as in the header retry-after.
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after: Option<u32>,
    /// Identifier of the request for bug reports, as in the header x-request-id.
    request_id: &'a str,
}

impl ApiError {
    /// The JSON body of this error.
    pub fn body(&self, request_id: &str) -> Vec<u8> {
        let details = self.details();
        let body = ErrorBody {
            ok: false,
            error: &details.message,
            code: details.code,
            param: details.param,
            hint: details.hint.as_deref(),
            retry_after: details.retry_after,
            request_id,
        };
        // strings, numbers and booleans always serialise; the status alone would still report the error
        serde_json::to_vec(&body).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::mem;

    use strum::EnumCount;

    use super::*;

    #[test]
    fn every_error_has_an_example() {
        let variants: HashSet<_> = ApiError::examples().iter().map(mem::discriminant).collect();
        assert_eq!(variants.len(), ApiError::COUNT);
    }

    #[test]
    fn codes_are_unique_and_in_snake_case() {
        let mut seen = HashSet::new();
        for error in ApiError::examples() {
            let code = error.details().code;
            assert!(seen.insert(code), "{code} is used twice");
            assert!(code.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "{code}");
        }
    }

    #[test]
    fn messages_begin_with_what_to_do() {
        let verbs = ["Send", "Change", "Shorten", "Say", "Ask", "Wait", "Check", "Use", "Try"];
        for error in ApiError::examples() {
            let details = error.details();
            let verb = details.message.split([' ', ':', ';', ',']).next().expect("a word");
            assert!(verbs.contains(&verb), "{}: {}", details.code, details.message);
            assert!(details.message.ends_with('.'), "{}", details.message);
            assert!(details.message.chars().count() <= 160, "{}", details.message);
            assert!(!details.message.contains("  "), "{}", details.message);
        }
    }

    #[test]
    fn statuses_and_retry_after_follow_the_contract() {
        for error in ApiError::examples() {
            let details = error.details();
            assert!([400, 401, 403, 404, 405, 408, 410, 413, 415, 429, 500, 503].contains(&details.status));
            // the contract gives sign-ups 400, not 429
            assert_eq!(
                details.retry_after.is_some(),
                [429, 503].contains(&details.status) || details.code == "too_many_signups",
                "{} says when to retry if and only if a retry helps",
                details.code
            );
            assert_eq!(
                details.status == 401,
                [
                    "missing_key",
                    "invalid_key",
                    "account_blocked",
                    "conflicting_keys",
                    "invalid_token",
                    "wrong_token"
                ]
                .contains(&details.code)
            );
        }
    }

    #[test]
    fn the_body_follows_the_contract() {
        let body = ApiError::OutOfRange { param: "limit", min: 1, max: 50 }.body("r-1");
        assert_eq!(
            String::from_utf8(body).expect("text"),
            r#"{"ok":false,"error":"Send limit between 1 and 50.","code":"out_of_range","param":"limit","request_id":"r-1"}"#
        );
        let limited =
            ApiError::RateLimited { retry_after: 7, per_minute: 30, calls: LimitedCalls::Plan }.body("r-2");
        let limited: serde_json::Value = serde_json::from_slice(&limited).expect("JSON");
        assert_eq!(limited["retry_after"], 7);
        assert_eq!(limited["ok"], false);
    }
}
