//! The service told to language models, by the convention of llms.txt: a title, a summary, prose without headings, and
//! then lists of links. The short text is to be read whole; the long one has every action, parameter, answer and
//! refusal. Uses [`super::endpoints`] and the tables it is made of.

use std::fmt::Write;

use super::endpoints::{ENDPOINTS, Endpoint, Gives, Key, Room, Takes};
use crate::actions::{ACTIONS, Action, Kind, Param};
use crate::config::{Config, Payments};
use crate::dispatch::{AGENTS_LIMIT, CLOSING, DEFAULT_LIMIT, OPENING};
use crate::domain::error::{ApiError, ErrorDetails};
use crate::domain::plan::{Plan, Row, reais};
use crate::quota::gate::{PREVIEW_DAYS, PREVIEW_RESULTS};
use crate::shape::{Field, Presence, Shape, Type};

/// `/llms.txt`.
pub(super) fn short(config: &Config) -> String {
    let base = config.base_url.as_str();
    let mut text = opening(config);
    let _ = write!(
        text,
        "\n## Documents\n\n\
         - [OpenAPI 3.1]({base}/openapi.json): every endpoint, schema and refusal, with real answers as examples\n\
         - [Everything in one text]({base}/llms-full.txt): actions, parameters, answers, refusals\n\
         - [API reference]({base}/api): the same for people\n\
         - [Plans and prices]({base}/v1/plans): as JSON\n\
         \n## Optional\n\n\
         - [The guide]({site}): the public site, which credits link to\n\
         - [MCP server card]({base}/mcp/server-card): for clients that look for servers\n",
        site = config.service_site,
    );
    text
}

/// `/llms-full.txt`.
pub(super) fn full(config: &Config) -> String {
    let mut text = opening(config);
    text.push_str("\n## Actions of POST /v1\n");
    for action in ACTIONS {
        write_action(&mut text, action);
    }
    text.push_str("\n## What every answer has\n\n");
    write_fields(&mut text, OPENING);
    write_fields(&mut text, CLOSING);
    let mut told = Vec::new();
    for field in OPENING.iter().chain(ACTIONS.iter().flat_map(|action| action.answers)).chain(CLOSING) {
        write_shapes(&mut text, field, &mut told);
    }
    for room in Room::ALL {
        if matches!(room, Room::Guide) {
            continue;
        }
        let _ = write!(text, "\n## {}\n", room.name());
        for endpoint in ENDPOINTS.iter().filter(|endpoint| endpoint.room == room) {
            write_endpoint(&mut text, endpoint, &mut told);
        }
    }
    text.push_str("\n## Refusals\n\nA no has one body everywhere; `code` does not change, `error` says what to fix.\n\n");
    write_fields(&mut text, ApiError::BODY.fields);
    text.push('\n');
    for refusal in ApiError::examples() {
        let ErrorDetails { code, status, message, hint, .. } = refusal.details();
        if !matches!(refusal, ApiError::WrongToken | ApiError::ForeignForm) {
            let hint = hint.map(|hint| format!(" {hint}")).unwrap_or_default();
            let _ = writeln!(text, "- `{code}` ({status}): {message}{hint}");
        }
    }
    text
}

/// The title, the summary and what whoever reads no further must know.
fn opening(config: &Config) -> String {
    let name = &config.service_name;
    let base = config.base_url.as_str();
    let site = config.service_site.as_str();
    let names: Vec<&str> = ACTIONS.iter().map(|action| action.name).collect();
    let tools: Vec<&str> = ACTIONS.iter().filter(|action| action.tool).map(|action| action.name).collect();
    let mut text = format!(
        "# {name}\n\n\
         > A hand-curated guide to events, shows and places in Brasília and the Federal District of Brazil, answered as \
         JSON or through the Model Context Protocol. Portuguese and English both work.\n\n\
         Use it for what is on, when and where, and for where to eat, drink or go in Brasília and its 35 regions. Not for \
         other cities, for booking, or for anything that it does not answer: it is the whole of what the curators know. \
         Dates are those of Brasília.\n\n\
         - As an agent: `{base}/mcp` (Streamable HTTP) has the tools {tools}. Without a key they answer a preview (Plano \
         Piloto, {PREVIEW_RESULTS} results, the next {PREVIEW_DAYS} days, basic fields); with `authorization: Bearer KEY`, \
         the plan of the key.\n\
         - As a program: `POST {base}/v1` with the key in `x-api-key` and a JSON object. `action` is one of {names}.\n\
         - A key: `POST {base}/v1/signup` with `{{\"email\":\"you@example.com\"}}` mails a free one. Keep it out of prompts.\n\n\
         ```\n\
         curl {base}/v1 -H \"x-api-key: $KEY\" -H 'content-type: application/json' \\\n  \
         -d '{{\"action\":\"search_events\",\"q\":\"samba sexta\",\"region\":\"Asa Norte\"}}'\n\
         ```\n\n\
         Plans, by the month:\n\n",
        tools = tools.join(", "),
        names = names.join(", "),
    );
    let open = config.payments != Payments::None;
    for plan in Plan::ALL {
        let Row { figures, all_regions, .. } = config.plans.row(plan);
        let sees = if all_regions {
            "the whole District, every field"
        } else {
            "Plano Piloto, basic fields (no address, line-up, tickets, description or links)"
        };
        let opens = if open || plan == Plan::Free { "" } else { "; not open yet" };
        let _ = writeln!(
            text,
            "- `{plan}`, {}: {} calls, {} a minute; {sees}{opens}",
            reais(figures.price_cents),
            figures.per_month,
            figures.per_minute,
        );
    }
    let _ = write!(
        text,
        "\nCredit: tell only what is answered, and name the source (\"according to {name}\"). On the free plan show \"Dicas \
         por {name}\" with a link to {site} wherever the data is shown; `attribution` in each answer has both.\n\n\
         A no is JSON with `error` (what to fix), `code` and sometimes `hint`; 429 says in `retry-after` how long to wait.\n",
    );
    text
}

fn write_action(text: &mut String, action: &Action) {
    let counts =
        if action.counted { "It counts against the month." } else { "It does not count against the month." };
    let _ = write!(text, "\n### {}\n\n{} {counts}\n", action.name, action.description);
    write_params(text, action.params);
    text.push_str("\nAnswers, besides what every answer has:\n\n");
    write_fields(text, action.answers);
}

fn write_endpoint(text: &mut String, endpoint: &Endpoint, told: &mut Vec<&'static str>) {
    let Endpoint { path, about, .. } = endpoint;
    let method = endpoint.method.to_ascii_uppercase();
    let key = match endpoint.key {
        Key::None => "No key.",
        Key::Optional => "The key is optional.",
        Key::Needed => "Send the key.",
    };
    let _ = write!(text, "\n### {method} {path}\n\n{about} {key}\n");
    if let Takes::Params(params) | Takes::MaybeParams(params) = endpoint.takes {
        write_params(text, params);
    }
    if let Gives::One(shape, _) = endpoint.gives {
        text.push_str("\nAnswers:\n\n");
        write_fields(text, shape.fields);
        for field in shape.fields {
            write_shapes(text, field, told);
        }
    }
    let refusals: Vec<String> = ApiError::examples()
        .iter()
        .filter(|refusal| endpoint.refuses(refusal))
        .map(|refusal| format!("`{}`", refusal.details().code))
        .collect();
    let _ = write!(text, "\nRefusals: {}.\n", refusals.join(", "));
}

fn write_params(text: &mut String, params: &[&Param]) {
    if params.is_empty() {
        return;
    }
    text.push_str("\nParameters:\n\n");
    for param in params {
        let kind = match param.kind {
            Kind::Text { max: Some(max) } => format!("text, at most {max} characters"),
            Kind::Text { max: None } => "text".to_owned(),
            Kind::Email => "e-mail address".to_owned(),
            Kind::Date => "date".to_owned(),
            Kind::Choice(words) => format!("one of {}", words.join(", ")),
            Kind::Integer { min, max } => {
                format!(
                    "whole number from {min} to {max}, by default {DEFAULT_LIMIT} (for agents {AGENTS_LIMIT})"
                )
            }
        };
        let required = if param.required { ", required" } else { "" };
        let alias = param.alias.map(|alias| format!(" Also called `{alias}`.")).unwrap_or_default();
        let _ = writeln!(text, "- `{}` ({kind}{required}): {}{alias}", param.name, param.description);
    }
}

fn write_fields(text: &mut String, fields: &[Field]) {
    for field in fields {
        let kind = match field.kind {
            Type::Boolean => "boolean".to_owned(),
            Type::Only(always) => format!("{always}"),
            Type::Integer => "whole number".to_owned(),
            Type::Text => "text".to_owned(),
            Type::Date => "date".to_owned(),
            Type::Time => "HH:MM".to_owned(),
            Type::Moment => "moment, RFC 3339".to_owned(),
            Type::Link => "URI".to_owned(),
            Type::Key => "key".to_owned(),
            Type::Choice(words) => format!("one of {}", words.join(", ")),
            Type::Object(shape) => shape.name.to_owned(),
            Type::List(shape) => format!("list of {}", shape.name),
            Type::Texts => "list of texts".to_owned(),
            Type::Counts => "whole numbers by name".to_owned(),
        };
        let presence = match field.presence {
            Presence::Always => "",
            Presence::Maybe => ", when there is something to tell",
            Presence::Paid => ", on paid plans, when known",
        };
        let _ = writeln!(text, "- `{}` ({kind}{presence}): {}", field.name, field.about);
    }
}

/// The shapes that a field holds, each once.
fn write_shapes(text: &mut String, field: &Field, told: &mut Vec<&'static str>) {
    let (Type::Object(shape) | Type::List(shape)) = field.kind else { return };
    let Shape { name, about, fields } = *shape;
    if told.contains(&name) {
        return;
    }
    told.push(name);
    let _ = write!(text, "\n### {name}\n\n{about}\n\n");
    write_fields(text, fields);
    for field in fields {
        write_shapes(text, field, told);
    }
}
