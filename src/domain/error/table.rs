//! The table of errors: code, status, message, parameter and hint of each.
//!
//! Messages begin with what the caller can do. They never repeat what was sent, short names of parameters apart.

use std::borrow::Cow;

use index::question::query::MAX_CHARACTERS;

use super::{ApiError, ErrorDetails, LimitedCalls, PreviewScope};
use crate::domain::plan::Plan;

impl ApiError {
    /// The row of this error in the table: code, status, message, parameter, hint.
    pub fn details(&self) -> ErrorDetails {
        use ApiError::*;
        match self {
            InvalidHead => row(
                "invalid_head",
                400,
                "Send one host header, and end every line of the request head with CR LF.",
            ),
            BodyTooLarge { max_bytes } => {
                row("body_too_large", 413, format!("Send a body of at most {max_bytes} bytes."))
            }
            UnsupportedMediaType { is_encoded: true } => {
                row("unsupported_media_type", 415, "Send the body as it is: this one has a content-encoding.")
            }
            UnsupportedMediaType { is_encoded: false } => {
                row("unsupported_media_type", 415, "Send the body as JSON, with content-type: application/json.")
            }
            InvalidJson { at: None } => row("invalid_json", 400, "Send a JSON object: the body is empty."),
            InvalidJson { at: Some((line, column)) } => {
                row("invalid_json", 400, format!("Send valid JSON: see line {line}, column {column}."))
            }
            NotAnObject => row("not_an_object", 400, "Send one JSON object: {...}."),
            TooManyFields { max } => row("too_many_fields", 400, format!("Send at most {max} fields.")),
            MissingKey => row("missing_key", 401, "Send your API key.")
                .hint(
                    "Use the header x-api-key, or authorization: Bearer <key>. No key yet? POST /v1/signup mails one, free \
                     of charge.",
                ),
            AccountBlocked => row("account_blocked", 401, "Ask the operator of this service: the account is blocked.")
                .hint("POST /v1/billing/status and /v1/billing/cancel still answer."),
            InvalidKey => row("invalid_key", 401, "Send a valid API key: this one is mistyped, revoked or unknown.")
                .hint(
                    "Keys begin with cdg_live_ and go in x-api-key or in authorization: Bearer; copy yours again from its \
                     e-mail. A lost key is replaced by POST /v1/keys/recover, or at /conta/recuperar.",
                ),
            ConflictingKeys { with_token: true } => row(
                "conflicting_keys",
                401,
                "Send either an API key or a browser token: the request has both.",
            )
            .hint("A web page sends x-browser-token alone: a key in a page is everybody's."),
            ConflictingKeys { with_token: false } => {
                row("conflicting_keys", 401, "Send one API key: the request has two different ones.")
                    .hint("Use either the header x-api-key or authorization: Bearer, not both.")
            }
            KeyInUrl => row("key_in_url", 400, "Send the key in a header, and replace it: logs and histories keep addresses.")
                .hint("Use the header x-api-key, or authorization: Bearer <key>; POST /v1/keys/rotate \
                       replaces the key. A browser token goes in x-browser-token, and is revoked at /conta/navegador."),
            InvalidToken { is_calendar } => row(
                "invalid_token",
                401,
                match is_calendar {
                    true => "Send a browser token: the token of a calendar address works in that address only.",
                    false => "Send a valid browser token: this one is mistyped, revoked or unknown.",
                },
            )
            .hint("Browser tokens begin with cdg_browser_ and go in x-browser-token; make one at /conta/navegador."),
            UnknownCalendar { is_browser } => row(
                "unknown_calendar",
                404,
                match is_browser {
                    true => "Use a calendar address: a browser token works in web pages only.",
                    false => "Use another calendar address: this one is mistyped, revoked or unknown.",
                },
            )
            .hint("Calendar addresses are made at /conta/calendarios, and look like /v1/calendars/cdg_calendar_….ics."),
            TokenOrigin { is_missing } => row(
                "token_origin",
                403,
                match is_missing {
                    true => "Send a browser token from a web page of its origins: this request has no origin header.",
                    false => "Use this browser token in pages of its own origins: the page that sent it is of another one.",
                },
            )
            .hint(
                "Make a token for the origin of the page (scheme, host and port) at /conta/navegador; on a server use an API \
                 key.",
            ),
            TokenScope => row(
                "token_scope",
                403,
                "Use an API key on your server for this: a browser token shows only the basic fields of the guide.",
            ),
            TokenLimited { retry_after, per_minute } => row(
                "token_limited",
                429,
                format!("Wait {retry_after} s: this token allows {per_minute} calls a minute, of all who use it together."),
            )
            .retry_after(*retry_after),
            MissingAction { known } => {
                row("missing_action", 400, format!("Send an action: one of {}.", known.join(", "))).param("action")
            }
            UnknownAction { known } => {
                row("unknown_action", 400, format!("Change action to one of {}.", known.join(", "))).param("action")
            }
            MissingParam { param, example, unknown } => {
                let row = row("missing_param", 400, missing(param, *example)).param(param);
                match (unknown.as_slice(), *param) {
                    ([], "id") => row.hint("Searches list the ids of records."),
                    ([], _) => row,
                    (unknown, _) => {
                        let hint = Some(format!("Not known, and ignored: {}.", unknown.join(", ")).into());
                        ErrorDetails { hint, ..row }
                    }
                }
            }
            WrongType { param, expected } => {
                row("wrong_type", 400, format!("Send {param} as {expected}.")).param(param)
            }
            OutOfRange { param, min, max } => {
                row("out_of_range", 400, format!("Send {param} between {min} and {max}.")).param(param)
            }
            InvalidDate { param } => {
                row("invalid_date", 400, format!("Send {param} as a real date in the form YYYY-MM-DD, or as today, tomorrow or a weekday.")).param(param)
            }
            InvalidTime { param } => {
                row("invalid_time", 400, format!("Send {param} as a time of the day in the form HH:MM.")).param(param)
            }
            DatesReversed => row("dates_reversed", 400, "Send a to that is not before from.")
                .param("to")
                .hint("Without from, the search starts today (in Brasília); without to, it covers 7 more days."),
            TextTooLong { param, max } => {
                row("text_too_long", 400, format!("Shorten {param} to at most {max} characters.")).param(param)
            }
            TooManyValues { param, max } => {
                row("too_many_values", 400, format!("Send {param} with at most {max} values.")).param(param)
            }
            UnknownRegion { param, item, nearest } => {
                let changed = of_list(param, *item);
                row("unknown_region", 400, format!("Change {changed} to a known one{}.", such_as(nearest)))
                    .param(param)
                    .hint("list_regions lists the regions and neighbourhoods; zones and address codes also work.")
            }
            AmbiguousRegion { param, item, readings } => {
                let readings = readings.join(" or ");
                let message = match item {
                    Some(_) => format!("Say what {} means: {readings}.", of_list(param, *item)),
                    None => format!("Say which {param} is meant: {readings}."),
                };
                row("ambiguous_region", 400, message)
                    .param(param)
            }
            UnknownNear { nearest, whole } => {
                let message = match whole[..] {
                    [] => format!("Change near to a known place{}.", such_as(nearest)),
                    _ => format!(
                        "Leave within_m out, or change near: it means all of {}, from which nothing is measured.",
                        whole.join(" and ")
                    ),
                };
                row("unknown_near", 400, message)
                    .param("near")
                    .hint("near takes an address (408 Norte), a landmark, an area, a place, an event or \"lat,lon\".")
            }
            AmbiguousNear { readings } => {
                row("ambiguous_near", 400, format!("Say which near is meant: {}.", readings.join(" or ")))
                    .param("near")
            }
            PositionNeeded => row("position_needed", 400, "Send near as \"lat,lon\": the service does not know where you are.")
                .param("near"),
            OutsideCoverage { param, item } => row(
                "outside_coverage",
                400,
                match item {
                    Some(_) => format!(
                        "Ask for a place inside the Federal District in {}: this guide covers only it.",
                        of_list(param, *item)
                    ),
                    None => "Ask for a place inside the Federal District: this guide covers only it.".to_owned(),
                },
            )
            .param(param)
            .hint(match *param {
                "near" => "Coordinates are \"lat,lon\", the latitude first: -15.79,-47.88.",
                _ => "list_regions has the regions.",
            }),
            ConflictingRegion => row(
                "conflicting_region",
                400,
                "Send either region or neighbourhood: they are aliases, and their values differ.",
            )
            .param("region"),
            UnknownCategory { param, item, nearest } => {
                let changed = of_list(param, *item);
                row("unknown_category", 400, format!("Change {changed} to a known category{}.", such_as(nearest)))
                    .param(param)
                    .hint("list_categories lists the categories; Portuguese and English both work.")
            }
            InvalidCursor => row("invalid_cursor", 400, "Send the next_cursor of an answer to the same query.")
                .param("cursor")
                .hint("Repeat the other parameters with it; omit cursor to start from the first page."),
            UnknownRecord { kind, nearest } => {
                let details =
                    row("unknown_record", 404, format!("Send the id of a known {kind}.")).param("id").hint(
                        "Take ids from a search: records change with the guide, and a plan sees only its own regions and days.",
                    );
                details.after_nearest(nearest)
            }
            PlanPositions { plan } => {
                row("plan_positions", 403, format!("Ask for JSON or CSV: the {plan} plan does not see positions."))
                    .hint("Paid plans see where records are.")
            }
            PlanRegion { plan } => {
                row("plan_region", 403, format!("Ask for Plano Piloto: the {plan} plan covers only that region."))
                    .param("region")
                    .hint("Paid plans cover every region of the Federal District.")
            }
            PlanExport { plan } => {
                row("plan_export", 403, format!("Use searches: the {plan} plan does not include the whole guide."))
                    .hint("Paid plans copy the guide and its changes.")
            }
            TooOld { publications, is_newer } => row(
                "too_old",
                410,
                match is_newer {
                    true => "Use GET /v1/export/places.ndjson and events.ndjson: since is newer than the guide.".to_owned(),
                    false => format!(
                        "Use GET /v1/export/places.ndjson and events.ndjson: changes go back {publications} publications."
                    ),
                },
            )
            .param("since")
            .hint("Start again from the two exports: their header snapshot-serial is the next since. Very many changes are answered so too."),
            PreviewRegion => row(
                "preview_region",
                403,
                "Ask for Plano Piloto: the preview without a key covers only that region.",
            )
            .param("region")
            .hint("A key of a paid plan covers every region of the Federal District."),
            PreviewLimited { scope, retry_after } => row(
                "preview_limited",
                429,
                format!(
                    "Wait {retry_after} s, or send an API key: the limit of calls without a key {} is used up.",
                    match scope {
                        PreviewScope::NetworkMinute => "from your network this minute",
                        PreviewScope::NetworkDay => "from your network today",
                        PreviewScope::EveryoneMinute => "from everyone this minute",
                    }
                ),
            )
            .retry_after(*retry_after),
            UnknownChoice { param, item, known } => {
                let changed = of_list(param, *item);
                row("unknown_choice", 400, format!("Change {changed} to one of {}.", known.join(", "))).param(param)
            }
            UnknownField { item, nearest } => {
                let nearest: Vec<String> = nearest.iter().map(|name| (*name).to_owned()).collect();
                let (changed, ones) =
                    (of_list("fields", *item), if item.is_some() { "a known one" } else { "known ones" });
                row("unknown_field", 400, format!("Change {changed} to {ones}{}.", such_as(&nearest)))
                    .param("fields")
                    .hint("A field that only paid plans see is known to all plans, and left out.")
            }
            UnknownParam { unknown, known } => {
                let mut message = match known.is_empty() {
                    true => "Send no parameters.".to_owned(),
                    false => format!("Send only these parameters: {}.", known.join(", ")),
                };
                if !unknown.is_empty() {
                    message += &format!(" Not known: {}.", unknown.join(", "));
                }
                let row = row("unknown_param", 400, message);
                match known.contains(&"from") {
                    true => row.hint("Days go in from and to, areas in region, where to search from in near; all of them in q too."),
                    false => row,
                }
            }
            RateLimited { retry_after, per_minute, calls } => {
                let reason = match calls {
                    LimitedCalls::Plan => format!("the plan allows {per_minute} calls a minute"),
                    LimitedCalls::Account => {
                        format!("calls about the account itself are limited to {per_minute} a minute")
                    }
                };
                row("rate_limited", 429, format!("Wait {retry_after} s: {reason}.")).retry_after(*retry_after)
            }
            QuotaExceeded { retry_after, per_month } => row(
                "quota_exceeded",
                429,
                format!("Wait until next month, or change plan: the plan allows {per_month} calls a month."),
            )
            .retry_after(*retry_after)
            .hint("A larger plan counts at once: POST /v1/billing/checkout, or /conta/plano."),
            NotFound => row("not_found", 404, "Check the path: this one does not exist.")
                .hint("Searches go to POST /v1, or to GET /v1/events and /v1/places, without a slash at the end; /openapi.json has all paths."),
            MethodNotAllowed { allow } => {
                row("method_not_allowed", 405, format!("Use {allow} for this path."))
            }
            RequestTimeout => row("request_timeout", 408, "Try again: the request took too long."),
            AnswerTimeout => row("answer_timeout", 503, "Try again in a moment: the answer took too long.").retry_after(1),
            Overloaded => row("overloaded", 503, "Try again in a moment: too many connections or requests are open.").retry_after(1),
            StoreUnavailable => {
                row("store_unavailable", 503, "Try again in a moment: keys cannot be checked right now.").retry_after(1)
            }
            NoGuide => row("no_guide", 503, "Try again in a moment: the guide is being loaded.").retry_after(1),
            NoHistory => row(
                "no_history",
                503,
                "Try again in a moment: what changed since earlier publications is not known right now.",
            )
            .retry_after(10)
            .hint("Exports say which publication last changed each record, so they need it too; searches answer without."),
            Internal => row("internal", 500, "Try again; if the error persists, report the request_id: the fault is ours."),
            InvalidEmail => {
                row("invalid_email", 400, "Send email as an address like maria@example.com.").param("email")
            }
            // the contract has 400, and not 429
            TooManySignups { of_network: true, retry_after } => {
                let message = format!("Wait {retry_after} s: too many sign-ups from this network.");
                row("too_many_signups", 400, message).retry_after(*retry_after)
            }
            TooManySignups { of_network: false, retry_after } => {
                let message = format!("Wait {retry_after} s: too many sign-ups for this e-mail.");
                row("too_many_signups", 400, message)
                    .retry_after(*retry_after)
                    .hint("Look for the e-mail of an earlier sign-up, also in the spam folder.")
            }
            TooManySuggestions { is_of_all, retry_after } => row(
                "too_many_suggestions",
                429,
                format!(
                    "Wait {retry_after} s: too many suggestions {}.",
                    if *is_of_all { "today, of all readers together" } else { "from this network" }
                ),
            )
            .retry_after(*retry_after),
            TooManyRecoveries { retry_after } => row(
                "too_many_recoveries",
                429,
                format!("Wait {retry_after} s: too many recoveries from this network."),
            )
            .retry_after(*retry_after)
            .hint("A code that was mailed earlier works for 24 hours, from any network."),
            TooManyRotations { retry_after } => row(
                "too_many_rotations",
                429,
                format!("Wait {retry_after} s: the key of this account was replaced too often."),
            )
            .retry_after(*retry_after)
            .hint("POST /v1/keys/recover stays open: it replaces the key by e-mail."),
            SignupClosed => {
                row("signup_closed", 503, "Ask the operator for a key: this service sends no e-mail, so sign-up and recovery are closed.")
                    .retry_after(3_600)
            }
            BillingClosed => row("billing_closed", 503, "Try again later: paid plans are not open yet.").retry_after(3_600),
            GatewayUnavailable => row(
                "gateway_unavailable",
                503,
                "Try again in a moment: the payment provider did not answer. Nothing was charged.",
            )
            .retry_after(5)
            .hint("Repeat the same request: it continues where this one stopped."),
            BadPlan => row("bad_plan", 400, "Send plan as gringo, pro or business.").param("plan"),
            BadTaxId => row("bad_tax_id", 400, "Send tax_id as a valid CPF (11 digits) or CNPJ (14 characters).")
                .param("tax_id"),
            BadMethod => row("bad_method", 400, "Send method as PIX, BOLETO or CREDIT_CARD.")
                .param("method")
                .hint("Omit method to choose on the payment page."),
            SamePlan { plan } => {
                row("same_plan", 400, format!("Change plan to another one: this account already has {plan}."))
                    .param("plan")
                    .hint("POST /v1/billing/status says until when it is paid.")
            }
            NothingToCancel => row(
                "nothing_to_cancel",
                400,
                "Check the plan: this account has neither a plan that it pays for nor an open order.",
            )
                .hint("POST /v1/billing/status shows the plan of the account."),
            BadIdempotencyKey => row(
                "bad_idempotency_key",
                400,
                "Send one idempotency-key of 1 to 200 visible ASCII characters.",
            ),
            IdempotencyMismatch => row(
                "idempotency_mismatch",
                400,
                "Use another idempotency-key: this one was used with another plan, method or tax_id.",
            ),
            OrderClosed => row(
                "order_closed",
                400,
                "Use another idempotency-key: the order of this one was closed unpaid, or refunded.",
            )
            .hint("POST /v1/billing/status shows the plan and the open order of the account."),
            TooManyCheckouts { of_network, retry_after } => row(
                "too_many_checkouts",
                429,
                format!(
                    "Wait {retry_after} s: too many checkouts {} today.",
                    if *of_network { "from this network" } else { "by this account" }
                ),
            )
            .retry_after(*retry_after),
            WrongToken => row("wrong_token", 401, "Send the webhook token in asaas-access-token."),
            ForeignForm => row("foreign_form", 403, "Send the form from its own page."),
            ForeignOrigin => row(
                "foreign_origin",
                403,
                "Send this from your server or from an allowed origin: the page that sent it is of another site.",
            ),
            InvalidCode => row(
                "invalid_code",
                400,
                "Send the code of a recovery mail: this one is wrong, expired or used.",
            )
            .param("code")
            .hint("A code works once, within 24 hours; POST /v1/keys/recover sends another."),
        }
    }

    /// One error of each variant, in the order of the documents.
    pub fn examples() -> Vec<ApiError> {
        use ApiError::*;
        let known = &["search_events", "search_places"];
        vec![
            InvalidHead,
            BodyTooLarge { max_bytes: 65_536 },
            UnsupportedMediaType { is_encoded: false },
            InvalidJson { at: Some((1, 17)) },
            NotAnObject,
            TooManyFields { max: 64 },
            MissingKey,
            InvalidKey,
            AccountBlocked,
            ConflictingKeys { with_token: false },
            KeyInUrl,
            InvalidToken { is_calendar: false },
            UnknownCalendar { is_browser: false },
            TokenOrigin { is_missing: false },
            TokenScope,
            TokenLimited { retry_after: 12, per_minute: 60 },
            MissingAction { known },
            UnknownAction { known },
            MissingParam { param: "id", example: Some("memorial-jk"), unknown: Vec::new() },
            WrongType { param: "q", expected: "a string" },
            OutOfRange { param: "limit", min: 1, max: 50 },
            InvalidDate { param: "from" },
            InvalidTime { param: "time_from" },
            DatesReversed,
            TextTooLong { param: "q", max: MAX_CHARACTERS },
            TooManyValues { param: "category", max: 20 },
            UnknownRegion {
                param: "region",
                item: None,
                nearest: vec!["Asa Norte".into(), "Lago Norte".into()],
            },
            AmbiguousRegion {
                param: "region",
                item: None,
                readings: vec!["Lago Sul".into(), "Lago Norte".into(), "Guará".into()],
            },
            UnknownNear { nearest: vec!["Torre de TV".into(), "Asa Norte".into()], whole: Vec::new() },
            AmbiguousNear { readings: vec!["Beirute Asa Norte".into(), "Beirute Asa Sul".into()] },
            PositionNeeded,
            OutsideCoverage { param: "near", item: None },
            ConflictingRegion,
            UnknownCategory { param: "category", item: Some(2), nearest: vec!["jazz".into()] },
            InvalidCursor,
            UnknownRecord {
                kind: "place or event",
                nearest: vec!["Outro Calaf".into(), "Memorial JK".into()],
            },
            PlanRegion { plan: Plan::Free },
            PlanPositions { plan: Plan::Free },
            PlanExport { plan: Plan::Free },
            TooOld { publications: 30, is_newer: false },
            PreviewRegion,
            PreviewLimited { scope: PreviewScope::NetworkMinute, retry_after: 12 },
            UnknownChoice { param: "kind", item: None, known: &["events", "places"] },
            UnknownField { item: None, nearest: vec!["venue", "name", "uau"] },
            UnknownParam { unknown: vec!["date".into()], known: vec!["q", "limit"] },
            RateLimited { retry_after: 12, per_minute: 30, calls: LimitedCalls::Plan },
            QuotaExceeded { retry_after: 86_400, per_month: 1_000 },
            NotFound,
            MethodNotAllowed { allow: "POST" },
            RequestTimeout,
            AnswerTimeout,
            Overloaded,
            StoreUnavailable,
            NoGuide,
            NoHistory,
            Internal,
            InvalidEmail,
            TooManySignups { of_network: false, retry_after: 1_800 },
            TooManySuggestions { is_of_all: false, retry_after: 1_800 },
            TooManyRecoveries { retry_after: 1_800 },
            TooManyRotations { retry_after: 1_800 },
            InvalidCode,
            ForeignOrigin,
            SignupClosed,
            BillingClosed,
            GatewayUnavailable,
            BadPlan,
            BadTaxId,
            BadMethod,
            SamePlan { plan: Plan::Pro },
            NothingToCancel,
            BadIdempotencyKey,
            IdempotencyMismatch,
            OrderClosed,
            TooManyCheckouts { of_network: false, retry_after: 3_600 },
            WrongToken,
            ForeignForm,
        ]
    }
}

fn row(code: &'static str, status: u16, message: impl Into<Cow<'static, str>>) -> ErrorDetails {
    ErrorDetails { code, status, message: message.into(), hint: None, param: None, retry_after: None }
}

impl ErrorDetails {
    fn hint(self, hint: &'static str) -> ErrorDetails {
        ErrorDetails { hint: Some(hint.into()), ..self }
    }

    /// Puts the nearest names before the hint.
    fn after_nearest(self, nearest: &[String]) -> ErrorDetails {
        match (self.hint, nearest) {
            (Some(hint), [_, ..]) => {
                let hint = Some(format!("The nearest: {}. {hint}", nearest.join(", ")).into());
                ErrorDetails { hint, ..self }
            }
            (hint, _) => ErrorDetails { hint, ..self },
        }
    }

    fn param(self, param: &'static str) -> ErrorDetails {
        ErrorDetails { param: Some(param), ..self }
    }

    fn retry_after(self, seconds: u32) -> ErrorDetails {
        ErrorDetails { retry_after: Some(seconds), ..self }
    }
}

/// What to send as a parameter that is missing; the example is that of an id.
fn missing(param: &str, example: Option<&str>) -> Cow<'static, str> {
    if let Some(example) = example {
        return format!("Send {param} as that of a record, such as {example}.").into();
    }
    let known = match param {
        "near" => {
            "Send near with within_m: an address, landmark, area, record or \"lat,lon\", such as \"Torre de TV\"."
        }
        "q" => "Send q as what was typed so far, such as \"asa n\".",
        "since" => "Send since as the serial of the export or changes that you have, such as 12.",
        "email" => "Send email as an address like maria@example.com.",
        "code" => "Send code as it stands in the recovery mail.",
        "plan" => "Send plan as gringo, pro or business.",
        "tax_id" => "Send tax_id as a CPF (11 digits) or CNPJ (14 characters), such as 12345678909.",
        _ => return format!("Send {param}.").into(),
    };
    known.into()
}

/// What to change: the parameter, or an item of its list.
fn of_list(param: &str, item: Option<usize>) -> Cow<'_, str> {
    match item {
        Some(item) => format!("item {item} of {param}").into(),
        None => param.into(),
    }
}

/// ", such as A, B or C", or nothing when there are no names.
fn such_as(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [only] => format!(", such as {only}"),
        [most @ .., last] => format!(", such as {} or {last}", most.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_names_are_listed_in_prose() {
        let near = |names: &[&str]| such_as(&names.iter().map(|name| name.to_string()).collect::<Vec<_>>());
        assert_eq!(near(&[]), "");
        assert_eq!(near(&["A"]), ", such as A");
        assert_eq!(near(&["A", "B", "C"]), ", such as A, B or C");
    }
}
