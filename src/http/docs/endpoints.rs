//! The table of public endpoints: what each takes, answers and may fail with. The OpenAPI document and llms.txt are
//! made of it.

use schemars::{Schema, SchemaGenerator};

use super::super::formats::Format;
use super::super::resources::{self, Resource};
use super::super::{accounts, billing, export, json_endpoints::Answer};
use crate::actions::Param;
use crate::actions::answers::Changes;
use crate::domain::error::ApiError;
use crate::domain::plan::PriceList;

/// An endpoint.
pub(super) struct Endpoint {
    pub(super) method: &'static str,
    pub(super) path: &'static str,
    /// What generated clients call it.
    pub(super) operation_id: &'static str,
    pub(super) tag: Tag,
    pub(super) summary: &'static str,
    pub(super) description: &'static str,
    pub(super) request: RequestBody,
    pub(super) key: Key,
    pub(super) response: ResponseBody,
}

/// A group of endpoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tag {
    Guide,
    Accounts,
    Billing,
    Agents,
    Documents,
    /// No endpoints of the service: what it sends.
    Webhooks,
}

impl Tag {
    pub(super) const ALL: [Tag; 6] =
        [Tag::Guide, Tag::Accounts, Tag::Billing, Tag::Agents, Tag::Documents, Tag::Webhooks];

    pub(super) fn name(self) -> &'static str {
        match self {
            Tag::Guide => "Guide",
            Tag::Accounts => "Accounts and keys",
            Tag::Billing => "Paid plans",
            Tag::Agents => "AI agents",
            Tag::Documents => "Documents",
            Tag::Webhooks => "Webhooks",
        }
    }

    pub(super) fn description(self) -> &'static str {
        match self {
            Tag::Guide => "Search the guide and read its records.",
            Tag::Accounts => "Plans, sign-up, and keys that are new, lost or leaked.",
            Tag::Billing => "Order a paid plan, check its payments, and cancel it.",
            Tag::Agents => "The guide as tools for AI agents.",
            Tag::Documents => "Descriptions of the service for programs.",
            Tag::Webhooks => "Messages that the service sends to an address of an account.",
        }
    }
}

/// The body of a request.
#[derive(Clone, Copy)]
pub(super) enum RequestBody {
    None,
    /// An action and its parameters.
    Action,
    Params(&'static [&'static Param]),
    /// Parameters that are all optional, so the body is too.
    OptionalParams(&'static [&'static Param]),
    JsonRpc,
    /// No body: the parameters of an action stand in the address.
    Query(Resource),
    /// No body: these parameters stand in the address.
    Address(&'static [&'static Param]),
}

/// Whether the endpoint needs a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    None,
    Optional,
    Required,
    /// A token stands in the address.
    InAddress,
}

/// The body of a successful response.
#[derive(Clone, Copy)]
pub(super) enum ResponseBody {
    /// The answer of the action.
    Action,
    /// An object of this type, and the names of its examples.
    Object(fn(&mut SchemaGenerator) -> Schema, &'static [&'static str]),
    JsonRpc,
    /// The answer of one action.
    Resource(Resource),
    /// An object of this type that clients may keep, and the names of its examples.
    Kept(fn(&mut SchemaGenerator) -> Schema, &'static [&'static str]),
    /// A record a line.
    Lines,
    /// The same in another format.
    Format(Resource, Format),
    /// A document of this media type.
    Document(&'static str),
}

fn object<T: schemars::JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// The address of an action.
const fn resource(of: Resource, summary: &'static str, description: &'static str) -> Endpoint {
    Endpoint {
        method: "get",
        path: of.path,
        operation_id: of.operation_id,
        tag: Tag::Guide,
        summary,
        description,
        request: RequestBody::Query(of),
        key: Key::Required,
        response: ResponseBody::Resource(of),
    }
}

/// An address that answers in another format than JSON: an operation of its own, so that clients have a type for each.
const fn format(
    (of, format): (Resource, Format),
    path: &'static str,
    operation_id: &'static str,
    summary: &'static str,
    description: &'static str,
) -> Endpoint {
    let response = ResponseBody::Format(of, format);
    Endpoint { path, operation_id, response, ..resource(of, summary, description) }
}

/// All public endpoints.
pub(super) const ENDPOINTS: &[Endpoint] = &[
    Endpoint {
        method: "post",
        path: "/v1",
        operation_id: "ask",
        tag: Tag::Guide,
        summary: "Query the guide",
        description: "One endpoint for all queries; `action` selects which. Blank and null fields count as absent. Fields \
                      that the action does not use are ignored and listed in `warnings`. Each 200 of a search, \
                      `get_place` or `get_event` counts against the monthly quota; every call with a valid key counts \
                      against the quota per minute.",
        request: RequestBody::Action,
        key: Key::Required,
        response: ResponseBody::Action,
    },
    resource(
        resources::EVENTS,
        "Search events",
        "The action `search_events` as an address, counted alike; lists are separated by commas. Browsers and caches keep an \
         answer for a minute and revalidate it by its `etag`: a 304 is no call of the month. `accept` may name the other \
         forms too.",
    ),
    format(
        (resources::EVENTS, Format::Calendar),
        "/v1/events.ics",
        "searchEventsAsCalendar",
        "Search events, as a calendar",
        "The events of `/v1/events` as iCalendar: a series is one event with its rule. Without `strict` only events that meet the \
         whole question, without `limit` 50; `link` leads to the next page. Other parameters are 400 `unknown_param`, as a \
         file has no place for `warnings`.",
    ),
    format(
        (resources::EVENTS, Format::Csv),
        "/v1/events.csv",
        "searchEventsAsCsv",
        "Search events, as a table",
        "The events of `/v1/events` as CSV, with a line of names. The columns are those of `fields`, or else all that the plan \
         shows, the same on every page. Without `strict` only events that meet the whole question, without `limit` 50; `link` \
         leads to the next page. Other parameters are 400 `unknown_param`.",
    ),
    format(
        (resources::EVENTS, Format::GeoJson),
        "/v1/events.geojson",
        "searchEventsAsGeoJson",
        "Search events, as features of a map",
        "The events of `/v1/events` whose position is known, as GeoJSON: of a page, those that have one. Without `strict` only \
         events that meet the whole question, without `limit` 50; `link` leads to the next page. Other parameters are 400 \
         `unknown_param`. Paid plans only.",
    ),
    Endpoint {
        path: "/v1/calendars/{token}.ics",
        key: Key::InAddress,
        ..format(
            (resources::EVENTS, Format::Calendar),
            "/v1/events.ics",
            "getCalendar",
            "Subscribe to a calendar",
            "The answer of `/v1/events.ics` for programs that send no key: a calendar address, which an owner makes and \
             revokes at `/conta/calendarios`. It shows what the plan of the account shows and has a limit a minute of its own; \
             each 200 is a call of the month of the account, and a 304 is none. Without `to` it holds what \
             is to come, not the next 7 days alone, and never more than 50 events: one that is repeated is one of them. It is \
             called what was asked for. A name that only means a parameter (`categoria`) is 400 `unknown_param`; others are \
             ignored.",
        )
    },
    resource(resources::EVENT, "Get an event", "The action `get_event` as an address, counted alike."),
    resource(
        resources::PLACES,
        "Search places",
        "The action `search_places` as an address, counted alike; lists are separated by commas. `accept` may name the other \
         forms too.",
    ),
    format(
        (resources::PLACES, Format::Csv),
        "/v1/places.csv",
        "searchPlacesAsCsv",
        "Search places, as a table",
        "The places of `/v1/places` as CSV, with a line of names. The columns are those of `fields`, or else all that the plan \
         shows, the same on every page. Without `strict` only places that meet the whole question, without `limit` 50; `link` \
         leads to the next page. Other parameters are 400 `unknown_param`.",
    ),
    format(
        (resources::PLACES, Format::GeoJson),
        "/v1/places.geojson",
        "searchPlacesAsGeoJson",
        "Search places, as features of a map",
        "The places of `/v1/places` whose position is known, as GeoJSON: of a page, those that have one. Without `strict` only \
         places that meet the whole question, without `limit` 50; `link` leads to the next page. Other parameters are 400 \
         `unknown_param`. Paid plans only.",
    ),
    resource(resources::PLACE, "Get a place", "The action `get_place` as an address, counted alike."),
    resource(resources::CATEGORIES, "List categories", "The action `list_categories` as an address."),
    resource(resources::REGIONS, "List regions", "The action `list_regions` as an address."),
    resource(resources::SUMMARY, "Summary of the guide", "The action `summary` as an address."),
    resource(
        resources::USAGE,
        "Usage of the key",
        "The action `usage` as an address. Clients never keep its answer.",
    ),
    resource(
        resources::SUGGEST,
        "Suggest while typing",
        "The action `suggest` as an address, for a search field. It counts against the minute and not against the month.",
    ),
    Endpoint {
        method: "get",
        path: "/v1/export/places.ndjson",
        operation_id: "exportPlaces",
        tag: Tag::Guide,
        summary: "All places",
        description: "Paid plans: every place, a JSON object a line, as searches answer it, with `updated_serial`, the \
                      publication that last changed it (absent when that was before those that `/v1/changes` goes back \
                      to). Counts as one call. `accept-encoding: zstd` or `gzip` makes it a tenth as long. It has no parameters: one \
                      that is sent is 400 `unknown_param`. Where records have positions, `link` with `rel=\"license\"` \
                      names whom to credit.",
        request: RequestBody::Address(&[]),
        key: Key::Required,
        response: ResponseBody::Lines,
    },
    Endpoint {
        method: "get",
        path: "/v1/export/events.ndjson",
        operation_id: "exportEvents",
        tag: Tag::Guide,
        summary: "All events",
        description: "Paid plans: every event, likewise. Each date of an event that repeats is one.",
        request: RequestBody::Address(&[]),
        key: Key::Required,
        response: ResponseBody::Lines,
    },
    Endpoint {
        method: "get",
        path: "/v1/changes",
        operation_id: "getChanges",
        tag: Tag::Guide,
        summary: "Changes since a publication",
        description: "Paid plans: what to change in a copy of the guide. Begin with the two exports, and the smaller \
                      `snapshot-serial` of both; then put each of `changed` in the place of the record with its id, remove \
                      `deleted`, and send `serial` as the next `since`. It holds what was hidden and what the day brought \
                      and took, also while the serial stays the same, and may repeat what your copy has. It goes back 30 \
                      publications; beyond them, for more than 20,000 changed records, and for a `since` newer than the \
                      guide, it is 410 `too_old`: export again. The built-in demo, serial 0, has no changes. Counts as one \
                      call; a 304 is none of the month.",
        request: RequestBody::Address(&[&export::SINCE]),
        key: Key::Required,
        response: ResponseBody::Kept(object::<Changes>, &[]),
    },
    Endpoint {
        method: "get",
        path: "/v1/plans",
        operation_id: "listPlans",
        tag: Tag::Accounts,
        summary: "Plans and prices",
        description: "Lists the plans and their prices.",
        request: RequestBody::None,
        key: Key::None,
        response: ResponseBody::Object(object::<PriceList>, &["plans"]),
    },
    Endpoint {
        method: "post",
        path: "/v1/signup",
        operation_id: "signUp",
        tag: Tag::Accounts,
        summary: "Get a free key",
        description: "Sends a key of the free plan by e-mail. The answer is the same for every address; an address that \
                      already has a key receives a code for a new one instead.",
        request: RequestBody::Params(accounts::SIGN_UP),
        key: Key::None,
        response: ResponseBody::Object(object::<Answer<accounts::MessageAnswer>>, &["sign_up"]),
    },
    Endpoint {
        method: "post",
        path: "/v1/keys/rotate",
        operation_id: "rotateKey",
        tag: Tag::Accounts,
        summary: "Replace a key",
        description: "Returns a new key and sends it by e-mail. When the answer arrives, no server accepts the old key.",
        request: RequestBody::None,
        key: Key::Required,
        response: ResponseBody::Object(object::<Answer<accounts::NewKey>>, &["rotate"]),
    },
    Endpoint {
        method: "post",
        path: "/v1/keys/recover",
        operation_id: "recoverKey",
        tag: Tag::Accounts,
        summary: "Request a recovery code",
        description: "For a lost key: sends a code by e-mail if the address has an account. The answer is the same for \
                      every address.",
        request: RequestBody::Params(accounts::RECOVER),
        key: Key::None,
        response: ResponseBody::Object(object::<Answer<accounts::MessageAnswer>>, &["recover"]),
    },
    Endpoint {
        method: "post",
        path: "/v1/keys/recover/confirm",
        operation_id: "confirmRecovery",
        tag: Tag::Accounts,
        summary: "Exchange a recovery code for a key",
        description: "Returns a new key and sends it by e-mail. The old keys stop working at this moment, not before. A \
                      code works once, within 24 hours, beside the codes of other mails.",
        request: RequestBody::Params(accounts::CONFIRM),
        key: Key::None,
        response: ResponseBody::Object(object::<Answer<accounts::NewKey>>, &["confirm"]),
    },
    Endpoint {
        method: "post",
        path: "/v1/billing/checkout",
        operation_id: "checkout",
        tag: Tag::Billing,
        summary: "Order a paid plan",
        description: "Returns the payment page. While the order is open, repeating the request returns the same page; an \
                      `idempotency-key` makes any retry safe, and of an order that was closed unpaid or refunded it answers \
                      `order_closed`. The plan changes when it is paid, and renews every month until it is canceled; unpaid, it \
                      stays for 3 days more (by bank slip 5). What is left of the plan before counts as days of the new one, \
                      by its worth, and the next charge comes when they end. Calls of the month that were used stay used. The \
                      service passes the tax number to the payment provider and keeps only its last four characters. The call \
                      counts against no limit of the plan; an account may place 20 orders a day.",
        request: RequestBody::Params(billing::CHECKOUT),
        key: Key::Required,
        response: ResponseBody::Object(object::<Answer<billing::Checkout>>, &["checkout"]),
    },
    Endpoint {
        method: "post",
        path: "/v1/billing/status",
        operation_id: "getBillingStatus",
        tag: Tag::Billing,
        summary: "Plan and payments of the account",
        description: "Returns the plan, and until when it is paid.",
        request: RequestBody::OptionalParams(billing::STATUS),
        key: Key::Required,
        response: ResponseBody::Object(
            object::<Answer<billing::BillingStatus>>,
            &["status_of_nothing", "status_of_an_order", "status_of_a_plan"],
        ),
    },
    Endpoint {
        method: "post",
        path: "/v1/billing/cancel",
        operation_id: "cancelPlan",
        tag: Tag::Billing,
        summary: "Cancel a paid plan",
        description: "With `confirm` as `yes`, nothing more is charged, and the plan stays until the end of the paid month. \
                      Without it, the answer only says when that is. A plan that is canceled already needs no `confirm`. An \
                      order that waits for its first payment is withdrawn likewise.",
        request: RequestBody::OptionalParams(billing::CANCEL),
        key: Key::Required,
        response: ResponseBody::Object(
            object::<Answer<billing::Cancellation>>,
            &["cancel_unconfirmed", "cancel"],
        ),
    },
    Endpoint {
        method: "post",
        path: "/mcp",
        operation_id: "mcp",
        tag: Tag::Agents,
        summary: "Query the guide as an agent",
        description: "The Model Context Protocol over Streamable HTTP, without sessions: one JSON-RPC 2.0 message per \
                      request. It supports the versions 2025-03-26 to 2025-11-25 (which open with `initialize`) and \
                      2026-07-28 (which has no opening). Without a key, tools answer a preview; a bad key is 401, never a \
                      preview.",
        request: RequestBody::JsonRpc,
        key: Key::Optional,
        response: ResponseBody::JsonRpc,
    },
    Endpoint {
        method: "get",
        path: "/openapi.json",
        operation_id: "getOpenapi",
        tag: Tag::Documents,
        summary: "This document",
        description: "OpenAPI 3.1 description of the service.",
        request: RequestBody::None,
        key: Key::None,
        response: ResponseBody::Document("application/json"),
    },
    Endpoint {
        method: "get",
        path: "/llms.txt",
        operation_id: "getLlms",
        tag: Tag::Documents,
        summary: "Short description for language models",
        description: "What the service is, how to query it and where to read more.",
        request: RequestBody::None,
        key: Key::None,
        response: ResponseBody::Document("text/plain"),
    },
    Endpoint {
        method: "get",
        path: "/llms-full.txt",
        operation_id: "getLlmsFull",
        tag: Tag::Documents,
        summary: "Full description for language models",
        description: "All actions, parameters, answers and errors in one text.",
        request: RequestBody::None,
        key: Key::None,
        response: ResponseBody::Document("text/plain"),
    },
    Endpoint {
        method: "get",
        path: "/positions.json",
        operation_id: "getPositions",
        tag: Tag::Documents,
        summary: "Positions",
        description: "Where areas, numbered addresses and landmarks are, with the credit and the licence of the file. A \
                      guide without positions answers 404 `not_found`.",
        request: RequestBody::None,
        key: Key::None,
        response: ResponseBody::Document("application/json"),
    },
];

impl Endpoint {
    /// The parameters in its body.
    pub(super) fn params(&self) -> &'static [&'static Param] {
        match self.request {
            RequestBody::Params(params)
            | RequestBody::OptionalParams(params)
            | RequestBody::Address(params) => params,
            RequestBody::Query(resource) => resource.action().params,
            _ => &[],
        }
    }

    /// The media type of a successful response.
    pub(super) fn media_type(&self) -> &'static str {
        match self.response {
            ResponseBody::Document(media_type) => media_type,
            ResponseBody::Lines => "application/x-ndjson",
            ResponseBody::Format(_, format) => format.media_type(),
            _ => "application/json",
        }
    }

    /// The format of the answers, if it is another than JSON.
    pub(super) fn format(&self) -> Option<Format> {
        match self.response {
            ResponseBody::Format(_, format) => Some(format),
            _ => None,
        }
    }

    /// Whether it takes a browser token in place of a key, as what shows the basic fields of the guide does.
    pub(super) fn takes_browser_token(&self) -> bool {
        let is_basic = match self.request {
            RequestBody::Action => true,
            RequestBody::Query(resource) => !resource.action().needs_usage(),
            _ => false,
        };
        is_basic && self.key == Key::Required && self.format() != Some(Format::GeoJson)
    }

    /// Whether it may answer with this error. The match has no default, so that a new error must be placed.
    pub(super) fn may_fail_with(&self, error: &ApiError) -> bool {
        use ApiError::*;
        let at = |paths: &[&str]| paths.contains(&self.path);
        let has = |name: &str| self.params().iter().any(|param| param.name == name);
        let is_action = matches!(self.request, RequestBody::Action);
        let resource = match self.request {
            RequestBody::Query(resource) => Some(resource),
            _ => None,
        };
        let is_search = is_action || resource.is_some();
        let format = self.format();
        // `accept` may ask an address of JSON for another format
        let may_be_geojson = match format {
            Some(format) => format == Format::GeoJson,
            None => resource.is_some_and(|resource| !resource.formats().is_empty()),
        };
        // of an address only what its parameters allow
        let takes = |names: &[&str]| {
            is_action
                || resource.is_some_and(|resource| {
                    let mut read =
                        names.iter().filter(|name| !format.is_some_and(|format| format.ignores(name)));
                    read.any(|name| resource.action().takes(name))
                })
        };
        let is_checkout = at(&["/v1/billing/checkout"]);
        let is_copy = matches!(self.request, RequestBody::Address(_));
        let is_calendar = self.key == Key::InAddress;
        let takes_key = matches!(self.key, Key::Optional | Key::Required);
        let reads_body = !matches!(self.request, RequestBody::None | RequestBody::Query(_)) && !is_copy;
        let reads_object = reads_body && !matches!(self.request, RequestBody::JsonRpc);
        match error {
            AnswerTimeout | Overloaded | Internal | MethodNotAllowed { .. } => true,
            // a body that is sent for nothing is read too
            RequestTimeout => reads_body || at(&["/v1/keys/rotate"]),
            BodyTooLarge { .. } | UnsupportedMediaType { .. } => reads_body,
            InvalidJson { .. } | NotAnObject => reads_object,
            TooManyFields { .. } => reads_object || resource.is_some() || has("since"),
            MissingKey | RateLimited { .. } => self.key == Key::Required,
            InvalidKey | ConflictingKeys { .. } => takes_key,
            AccountBlocked => self.key != Key::None && !at(&["/v1/billing/status", "/v1/billing/cancel"]),
            StoreUnavailable => self.key == Key::Required || is_calendar || has("email"),
            KeyInUrl => is_search || is_copy || matches!(self.request, RequestBody::JsonRpc),
            PlanExport { .. } | NoHistory => is_copy,
            TooOld { .. } => has("since"),
            TokenLimited { .. } => is_search,
            InvalidToken { .. } | TokenOrigin { .. } => is_search && takes_key,
            UnknownCalendar { .. } => is_calendar,
            TokenScope => {
                is_action
                    || takes_key
                        && (may_be_geojson
                            || resource.is_some_and(|resource| resource.action().needs_usage()))
            }
            PlanPositions { .. } => may_be_geojson,
            MissingAction { .. } | UnknownAction { .. } => is_action,
            OutOfRange { .. } => takes(&["limit"]) || has("since"),
            InvalidDate { .. } | DatesReversed => takes(&["from"]),
            InvalidTime { .. } => takes(&["time_from"]),
            TooManyValues { .. } => takes(&["category", "parent", "region"]),
            UnknownRegion { .. } | AmbiguousRegion { .. } | ConflictingRegion => takes(&["region"]),
            UnknownNear { .. } | AmbiguousNear { .. } | PositionNeeded => takes(&["near"]),
            OutsideCoverage { .. } => takes(&["near", "region"]),
            UnknownCategory { .. } => takes(&["category", "parent"]),
            InvalidCursor => takes(&["cursor"]),
            UnknownRecord { .. } => takes(&["id"]),
            PlanRegion { .. } => takes(&["region"]),
            UnknownChoice { .. } => takes(&["group", "kind", "facets"]),
            UnknownField { .. } => takes(&["fields"]),
            QuotaExceeded { .. } => {
                is_action || is_copy || resource.is_some_and(|resource| resource.action().counted)
            }
            NoGuide => is_search || is_copy || at(&["/positions.json"]),
            MissingParam { .. } => {
                takes(&["near"]) || at(&["/v1/suggest"]) || is_checkout || has("email") || has("since")
            }
            // the values of an address are texts, which may be no UTF-8, and some are numbers or flags
            WrongType { .. } => is_action || !self.params().is_empty(),
            TextTooLong { .. } => takes(&["q", "id", "region", "parent"]) || has("name"),
            InvalidEmail | ForeignOrigin => has("email"),
            TooManySignups { .. } => at(&["/v1/signup"]),
            TooManyRotations { .. } => at(&["/v1/keys/rotate"]),
            TooManyRecoveries { .. } => at(&["/v1/keys/recover", "/v1/keys/recover/confirm"]),
            InvalidCode => has("code"),
            SignupClosed => at(&["/v1/signup", "/v1/keys/recover"]),
            GatewayUnavailable => is_checkout || at(&["/v1/billing/cancel"]),
            BillingClosed
            | BadPlan
            | BadTaxId
            | BadMethod
            | SamePlan { .. }
            | BadIdempotencyKey
            | IdempotencyMismatch
            | OrderClosed
            | TooManyCheckouts { .. } => is_checkout,
            NothingToCancel => at(&["/v1/billing/cancel"]),
            // JSON has a warning
            UnknownParam { .. } => format.is_some() || matches!(self.response, ResponseBody::Lines),
            // described in prose: the first two are for any path, the others are in results of tools
            InvalidHead | NotFound | PreviewRegion | PreviewLimited { .. } => false,
            // of the webhook and of the forms of the site, which no client uses
            WrongToken | ForeignForm | TooManySuggestions { .. } => false,
        }
    }
}

/// Whether the result of a tool may report this error. Errors of the message and of the key come before there is a
/// result.
pub(super) fn is_tool_error(error: &ApiError) -> bool {
    use ApiError::*;
    match error {
        PreviewRegion | PreviewLimited { .. } | UnknownParam { .. } => true,
        MissingKey | InvalidKey | AccountBlocked | ConflictingKeys { .. } | KeyInUrl => false,
        InvalidToken { .. } | UnknownCalendar { .. } => false,
        TokenOrigin { .. } | TokenScope | TokenLimited { .. } => false,
        MissingAction { .. } | UnknownAction { .. } => false,
        BodyTooLarge { .. } | UnsupportedMediaType { .. } | InvalidJson { .. } | NotAnObject => false,
        InvalidHead | RequestTimeout | AnswerTimeout | Overloaded | MethodNotAllowed { .. } => false,
        other => ENDPOINTS
            .iter()
            .any(|endpoint| matches!(endpoint.request, RequestBody::Action) && endpoint.may_fail_with(other)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::resources::RESOURCES;
    use super::*;

    #[test]
    fn the_addresses_of_the_actions_are_described_in_all_their_formats() {
        let mut described: Vec<(&str, String)> = Vec::new();
        // a calendar program has an address of its own for the events
        for endpoint in ENDPOINTS.iter().filter(|endpoint| endpoint.key != Key::InAddress) {
            match endpoint.response {
                ResponseBody::Resource(of) => described.push((endpoint.path, of.path.to_owned())),
                ResponseBody::Format(of, format) => {
                    described.push((endpoint.path, format!("{}{}", of.path, format.suffix())));
                }
                _ => {}
            }
        }
        assert!(described.iter().all(|(path, served)| path == served), "{described:?}");
        let formats = RESOURCES.iter().map(|resource| 1 + resource.formats().len());
        assert_eq!(described.len(), formats.sum::<usize>(), "{described:?}");
    }
}
