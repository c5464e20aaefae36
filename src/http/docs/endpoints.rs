//! The endpoints that are for clients, each told once: what it takes, what it answers, who may ask, and which refusals
//! it knows. Both documents are made of this list. Uses what [`super::super::accounts`] and [`super::super::billing`]
//! tell of themselves, [`crate::actions`], [`crate::domain::plan`], [`crate::domain::error`] and [`crate::shape`].

use super::super::{accounts, billing};
use crate::actions::Param;
use crate::domain::error::ApiError;
use crate::domain::plan::Plans;
use crate::shape::Shape;

/// An endpoint.
pub(super) struct Endpoint {
    pub(super) method: &'static str,
    pub(super) path: &'static str,
    /// What generated clients call it.
    pub(super) id: &'static str,
    pub(super) room: Room,
    pub(super) title: &'static str,
    pub(super) about: &'static str,
    pub(super) takes: Takes,
    pub(super) key: Key,
    pub(super) gives: Gives,
}

/// What belongs together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Room {
    Guide,
    Accounts,
    Billing,
    Agents,
    Documents,
}

impl Room {
    pub(super) const ALL: [Room; 5] =
        [Room::Guide, Room::Accounts, Room::Billing, Room::Agents, Room::Documents];

    pub(super) fn name(self) -> &'static str {
        match self {
            Room::Guide => "Guide",
            Room::Accounts => "Accounts and keys",
            Room::Billing => "Paid plans",
            Room::Agents => "AI agents",
            Room::Documents => "Documents",
        }
    }

    pub(super) fn about(self) -> &'static str {
        match self {
            Room::Guide => "Questions to the guide.",
            Room::Accounts => "Plans, sign-up, and keys that are new, lost or leaked.",
            Room::Billing => "Ordering a paid plan, how it stands, and ending it.",
            Room::Agents => "The guide as tools for AI agents.",
            Room::Documents => "What describes the service to programs.",
        }
    }
}

/// What the body of a request is.
#[derive(Clone, Copy)]
pub(super) enum Takes {
    /// There is none.
    Nothing,
    /// An action of the table with its parameters.
    Action,
    /// Parameters.
    Params(&'static [&'static Param]),
    /// Parameters, all of which may be left out, and the body with them.
    MaybeParams(&'static [&'static Param]),
    /// A message of JSON-RPC.
    Message,
}

/// Whether a key is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    None,
    Optional,
    Needed,
}

/// What the body of a good answer is.
#[derive(Clone, Copy)]
pub(super) enum Gives {
    /// What the action answers.
    Answers,
    /// An object; and the names of its examples.
    One(&'static Shape, &'static [&'static str]),
    /// A message of JSON-RPC.
    Message,
    /// A document of this type.
    Document(&'static str),
}

/// All of them.
pub(super) const ENDPOINTS: &[Endpoint] = &[
    Endpoint {
        method: "post",
        path: "/v1",
        id: "ask",
        room: Room::Guide,
        title: "Ask the guide",
        about: "One endpoint for every question: `action` says which. What is blank or null counts as not sent, and \
                fields that the action does not use are ignored and named in `warnings`. Searches, `get_place` and \
                `get_event` that are answered 200 count against the month; every call with a good key counts against \
                the minute.",
        takes: Takes::Action,
        key: Key::Needed,
        gives: Gives::Answers,
    },
    Endpoint {
        method: "get",
        path: "/v1/plans",
        id: "plans",
        room: Room::Accounts,
        title: "Plans and prices",
        about: "What there is to choose from. It needs no key.",
        takes: Takes::Nothing,
        key: Key::None,
        gives: Gives::One(&Plans::PRICE_LIST, &["plans"]),
    },
    Endpoint {
        method: "post",
        path: "/v1/signup",
        id: "signUp",
        room: Room::Accounts,
        title: "Get a free key",
        about: "Mails a key of the free plan. The answer is the same for every address; one that has a key already is \
                mailed a code for a new one instead.",
        takes: Takes::Params(accounts::SIGN_UP),
        key: Key::None,
        gives: Gives::One(&accounts::TOLD, &["sign_up"]),
    },
    Endpoint {
        method: "post",
        path: "/v1/keys/rotate",
        id: "rotateKey",
        room: Room::Accounts,
        title: "Replace a key",
        about: "Answers a new key and mails it. The old one is dead on every server when the answer arrives.",
        takes: Takes::Nothing,
        key: Key::Needed,
        gives: Gives::One(&accounts::NEW_KEY, &["rotate"]),
    },
    Endpoint {
        method: "post",
        path: "/v1/keys/recover",
        id: "recoverKey",
        room: Room::Accounts,
        title: "Ask for a recovery code",
        about: "For a lost key: mails a code, if the address has an account. The answer is the same for every address.",
        takes: Takes::Params(accounts::RECOVER),
        key: Key::None,
        gives: Gives::One(&accounts::TOLD, &["recover"]),
    },
    Endpoint {
        method: "post",
        path: "/v1/keys/recover/confirm",
        id: "confirmRecovery",
        room: Room::Accounts,
        title: "Turn a recovery code into a key",
        about: "Answers a new key and mails it. Only now do the old ones die. A code works once, for 30 minutes and five \
                tries; the newest counts.",
        takes: Takes::Params(accounts::CONFIRM),
        key: Key::None,
        gives: Gives::One(&accounts::NEW_KEY, &["confirm"]),
    },
    Endpoint {
        method: "post",
        path: "/v1/billing/checkout",
        id: "checkout",
        room: Room::Billing,
        title: "Order a paid plan",
        about: "Answers the page where it is paid. Asking again while the order is open answers the same page; an \
                `idempotency-key` makes a retry safe in every case. The tax number is passed on and not kept, but for \
                its last four characters.",
        takes: Takes::Params(billing::CHECKOUT),
        key: Key::Needed,
        gives: Gives::One(&billing::ORDERED, &["checkout"]),
    },
    Endpoint {
        method: "post",
        path: "/v1/billing/status",
        id: "billingStatus",
        room: Room::Billing,
        title: "How the account stands",
        about: "Tells the plan, and until when it is paid.",
        takes: Takes::MaybeParams(billing::STATUS),
        key: Key::Needed,
        gives: Gives::One(&billing::STANDS, &["status_of_nothing", "status_of_an_order", "status_of_a_plan"]),
    },
    Endpoint {
        method: "post",
        path: "/v1/billing/cancel",
        id: "cancel",
        room: Room::Billing,
        title: "End a paid plan",
        about: "With `confirm` as `yes` nothing more is charged, and the plan stays to the end of the paid month. Without it \
                the answer only tells when that is.",
        takes: Takes::MaybeParams(billing::CANCEL),
        key: Key::Needed,
        gives: Gives::One(&billing::ENDS, &["cancel_unconfirmed", "cancel"]),
    },
    Endpoint {
        method: "post",
        path: "/mcp",
        id: "mcp",
        room: Room::Agents,
        title: "Ask as an agent",
        about: "The Model Context Protocol over Streamable HTTP, stateless: one message of JSON-RPC 2.0 a request. Any \
                client of the protocol speaks it, in the versions 2025-03-26 to 2025-11-25 (which open with \
                `initialize`) and 2026-07-28 (which open with nothing). Without a key a preview is answered; a bad key is \
                401, never a preview.",
        takes: Takes::Message,
        key: Key::Optional,
        gives: Gives::Message,
    },
    Endpoint {
        method: "get",
        path: "/openapi.json",
        id: "openapi",
        room: Room::Documents,
        title: "This document",
        about: "The service for programs that make clients, by OpenAPI 3.1.",
        takes: Takes::Nothing,
        key: Key::None,
        gives: Gives::Document("application/json"),
    },
    Endpoint {
        method: "get",
        path: "/llms.txt",
        id: "llms",
        room: Room::Documents,
        title: "The service in short, for language models",
        about: "What the service is, how to ask it and where to read more, in one short text.",
        takes: Takes::Nothing,
        key: Key::None,
        gives: Gives::Document("text/plain"),
    },
    Endpoint {
        method: "get",
        path: "/llms-full.txt",
        id: "llmsFull",
        room: Room::Documents,
        title: "The service in full, for language models",
        about: "Every action, parameter, answer and refusal in one text.",
        takes: Takes::Nothing,
        key: Key::None,
        gives: Gives::Document("text/plain"),
    },
];

impl Endpoint {
    /// Whether it may give this refusal. A new refusal does not compile until it has its place here.
    pub(super) fn refuses(&self, refusal: &ApiError) -> bool {
        use ApiError::*;
        let at = |paths: &[&str]| paths.contains(&self.path);
        let parses = matches!(self.takes, Takes::Action | Takes::Params(_) | Takes::MaybeParams(_));
        let takes = |name: &str, needed: bool| match self.takes {
            Takes::Params(params) | Takes::MaybeParams(params) => {
                params.iter().any(|param| param.name == name && (param.required || !needed))
            }
            _ => false,
        };
        match refusal {
            RequestTimeout | Overloaded | Internal | MethodNotAllowed { .. } => true,
            BodyTooLarge { .. } | UnsupportedMediaType => parses || matches!(self.takes, Takes::Message),
            InvalidJson { .. } | NotAnObject | TooManyFields { .. } => parses,
            MissingKey | RateLimited { .. } => self.key == Key::Needed,
            InvalidKey | ConflictingKeys => self.key != Key::None,
            StoreUnavailable => self.key == Key::Needed || takes("email", true),
            MissingAction { .. }
            | UnknownAction { .. }
            | OutOfRange { .. }
            | InvalidDate { .. }
            | DatesReversed
            | TooManyWords { .. }
            | UnknownRegion { .. }
            | AmbiguousRegion { .. }
            | ConflictingRegion
            | UnknownCategory { .. }
            | InvalidCursor
            | UnknownRecord { .. }
            | PlanRegion { .. }
            | UnknownChoice { .. }
            | QuotaExceeded { .. }
            | NoGuide => at(&["/v1"]),
            MissingParam { .. } => at(&["/v1", "/v1/billing/checkout"]) || takes("email", true),
            WrongType { .. } => match self.takes {
                Takes::Params(params) | Takes::MaybeParams(params) => !params.is_empty(),
                takes => matches!(takes, Takes::Action),
            },
            TextTooLong { .. } => at(&["/v1"]) || takes("name", false),
            InvalidEmail => takes("email", true),
            TooManySignups { .. } => at(&["/v1/signup"]),
            TooManyRecoveries { .. } => at(&["/v1/keys/recover", "/v1/keys/recover/confirm"]),
            InvalidCode => takes("code", true),
            BillingClosed
            | GatewayUnavailable
            | BadPlan
            | BadTaxId
            | BadMethod
            | SamePlan { .. }
            | BadIdempotencyKey
            | IdempotencyMismatch
            | TooManyCheckouts { .. } => at(&["/v1/billing/checkout"]),
            NothingToCancel => at(&["/v1/billing/cancel"]),
            // told of in words: the first by every other path, the rest in the results of tools
            NotFound | PreviewRegion | PreviewLimited { .. } | UnknownParam { .. } => false,
            // of the gateway's door and of the site's forms, which are for no client
            WrongToken | ForeignForm => false,
        }
    }
}

/// What a tool of an agent may be refused with: in the result, in words. What is wrong with the message, and a bad key,
/// are told of before there is one.
pub(super) fn refused_to_agents(refusal: &ApiError) -> bool {
    use ApiError::*;
    match refusal {
        PreviewRegion | PreviewLimited { .. } | UnknownParam { .. } => true,
        MissingKey | InvalidKey | ConflictingKeys | MissingAction { .. } | UnknownAction { .. } => false,
        BodyTooLarge { .. } | UnsupportedMediaType | InvalidJson { .. } | NotAnObject => false,
        RequestTimeout | Overloaded | MethodNotAllowed { .. } => false,
        of_actions => ENDPOINTS.iter().any(|at| matches!(at.takes, Takes::Action) && at.refuses(of_actions)),
    }
}
