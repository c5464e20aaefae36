//! `/llms.txt` and `/llms-full.txt`: the service described for language models, by the convention of llmstxt.org (a
//! title, a summary, prose, then lists of links). The short text is meant to be read whole; the full one has every
//! action, parameter, answer and error.

use std::fmt::Write;

use serde_json::Value;

use super::endpoints::{ENDPOINTS, Endpoint, Key, RequestBody, ResponseBody, Tag};
use super::schema::{self, Components, component_name};
use super::webhooks::{ABOUT, HOOK_TYPES};
use crate::actions::answers::{Envelope, NoFields};
use crate::actions::{Action, Param, ParamType};
use crate::config::{Config, Payments};
use crate::domain::action::ActionId;
use crate::domain::error::{ApiError, ErrorBody, ErrorDetails};
use crate::domain::plan::{Plan, Row, reais};
use crate::quota::permit::{PREVIEW_DAYS, PREVIEW_RESULTS};

/// `/llms.txt`.
pub(super) fn short(config: &Config) -> String {
    let base = config.base_url.as_str();
    let mut text = introduction(config);
    let _ = write!(
        text,
        "\n## Documents\n\n\
         - [OpenAPI 3.1]({base}/openapi.json): all endpoints, schemas and errors, with real answers as examples\n\
         - [Full description]({base}/llms-full.txt): actions, parameters, answers and errors in one text\n\
         - [API reference]({base}/api): the same for people\n\
         - [Plans and prices]({base}/v1/plans): as JSON\n\
         - [Positions]({base}/positions.json): where areas, addresses and landmarks are, with their licence\n\
         \n## Optional\n\n\
         - [The guide]({site}): the public site, which credits link to\n\
         - [MCP server card]({base}/mcp/server-card): for clients that discover servers\n",
        site = config.service_site,
    );
    text
}

/// `/llms-full.txt`.
pub(super) fn full(config: &Config) -> String {
    let mut writer = Writer::new(introduction(config));
    writer.text.push_str("\n## Actions of POST /v1\n");
    for action in Action::all() {
        writer.action(action);
    }
    writer.text.push_str("\n## Fields of every answer\n\n");
    writer.fields("Envelope", &[]);
    let answers: Vec<String> = Action::all().map(answer_name).collect();
    for name in ["Envelope"].into_iter().chain(answers.iter().map(String::as_str)) {
        writer.inner_types(name);
    }
    writer.text.push_str(
        "\n## Actions as addresses\n\nThe parameters stand in the query; lists are separated by commas.\n",
    );
    for endpoint in ENDPOINTS {
        if let ResponseBody::Resource(_) | ResponseBody::Format(..) = endpoint.response {
            let _ = write!(writer.text, "\n### GET {}\n\n{}\n", endpoint.path, endpoint.description);
        }
    }
    writer.text.push_str("\n## A copy of the guide\n");
    for endpoint in ENDPOINTS.iter().filter(|endpoint| matches!(endpoint.request, RequestBody::Address(_))) {
        writer.endpoint(endpoint);
    }
    for tag in Tag::ALL.into_iter().filter(|tag| !matches!(tag, Tag::Guide | Tag::Webhooks)) {
        let _ = write!(writer.text, "\n## {}\n", tag.name());
        for endpoint in ENDPOINTS.iter().filter(|endpoint| endpoint.tag == tag) {
            writer.endpoint(endpoint);
        }
    }
    writer.webhooks();
    writer.errors();
    writer.text
}

/// The title, the summary, and what a reader who stops here must know.
fn introduction(config: &Config) -> String {
    let name = &config.service_name;
    let base = config.base_url.as_str();
    let site = config.service_site.as_str();
    let names = ActionId::NAMES;
    let tools: Vec<&str> = Action::all().filter(|action| action.tool).map(Action::name).collect();
    let mut text = format!(
        "# {name}\n\n\
         > A hand-curated guide to events, shows and places in Brasília and the Federal District of Brazil, answered as \
         JSON or through the Model Context Protocol. Portuguese, English and Spanish work.\n\n\
         Use it for what is on, when and where, and for where to eat, drink or go in Brasília and its 35 regions. Do not \
         use it for other cities or for booking. Its answers are everything that the curators know: opening hours, parking, \
         reservations, ratings, payment, atmosphere and most prices they do not, and `interpreted.not_known` says so. When nothing \
         meets the whole question, `match` is `closest` and `interpreted` names what was left out. `near` (an address, \
         landmark, area, record or \"lat,lon\") lists the nearest first, up to `within_m` or 5,000 m; \"perto de\", \"near\" and \
         \"cerca de\" in `q` choose what is within a walk, in the usual order, the nearer first among equals. Dates are those of Brasília.\n\n\
         - As an agent: `{base}/mcp` (Streamable HTTP) has the tools {tools}. Without a key they answer a preview (Plano \
         Piloto, {PREVIEW_RESULTS} results, the next {PREVIEW_DAYS} days, basic fields); with `authorization: Bearer KEY`, \
         the plan of the key.\n\
         - As a program: `POST {base}/v1` with the key in `x-api-key` and a JSON object. `action` is one of {names}.\n\
         - A key: `POST {base}/v1/signup` with `{{\"email\":\"you@example.com\"}}` sends a free one by e-mail. Keep it out \
         of prompts.\n\n\
         ```\n\
         curl {base}/v1 -H \"x-api-key: $KEY\" -H 'content-type: application/json' \\\n  \
         -d '{{\"action\":\"search_events\",\"q\":\"samba sexta\",\"region\":\"Asa Norte\"}}'\n\
         ```\n\n\
         Plans, per month:\n\n",
        tools = tools.join(", "),
        names = names.join(", "),
    );
    for plan in Plan::ALL {
        write_plan(&mut text, config, plan);
    }
    let _ = write!(
        text,
        "\nPaid plans renew every month until `POST {base}/v1/billing/cancel`. A change of plan counts from its payment; what is \
         left of the plan before becomes days of the new one.\n\
         \nCredit: use only what the answers contain, and name the source (\"according to {name}\"). On the free plan, show \
         \"Dicas por {name}\" with a link to {site} wherever you show the data; `attribution` in each answer has both. Where it has `positions`, show \
         that credit too.\n\n\
         An error is JSON with `error` (what to fix), `code` and sometimes `hint`; 429 has `retry-after` with the seconds \
         to wait.\n",
    );
    text
}

fn write_plan(text: &mut String, config: &Config, plan: Plan) {
    let Row { figures, all_regions, .. } = config.plans.row(plan);
    let coverage = if all_regions {
        "the whole District, all fields"
    } else {
        "Plano Piloto, basic fields (no address, line-up, tickets, description or links)"
    };
    let is_open = config.payments != Payments::None || plan == Plan::Free;
    let closed = if is_open { "" } else { "; not open yet" };
    let _ = writeln!(
        text,
        "- `{plan}`, {}: {} calls, {} per minute; {coverage}{closed}",
        reais(figures.price_cents),
        figures.per_month,
        figures.per_minute,
    );
}

/// The component that an action answers with.
fn answer_name(action: &Action) -> String {
    let schema = (action.answer)(&mut schema::generator()).to_value();
    component_name(&schema).unwrap_or_default().to_owned()
}

/// Writes the full text, each type of answers once.
struct Writer {
    text: String,
    components: Components,
    written: Vec<String>,
}

impl Writer {
    fn new(text: String) -> Writer {
        let mut generator = schema::generator();
        for action in Action::all() {
            (action.answer)(&mut generator);
        }
        for endpoint in ENDPOINTS {
            if let ResponseBody::Object(schema, _) = endpoint.response {
                schema(&mut generator);
            }
        }
        for hook in &HOOK_TYPES {
            (hook.schema)(&mut generator);
        }
        generator.subschema_for::<ErrorBody>();
        let envelope = generator.subschema_for::<Envelope<NoFields>>().to_value();
        let mut components = generator.take_definitions(true);
        let envelope = component_name(&envelope).and_then(|name| components.remove(name));
        components.insert("Envelope".to_owned(), envelope.unwrap_or_default());
        Writer { text, components, written: Vec::new() }
    }

    fn action(&mut self, action: &Action) {
        let counts = match action.counted {
            true => "It counts against the monthly quota.",
            false => "It does not count against the monthly quota.",
        };
        let _ = write!(self.text, "\n### {}\n\n{} {counts}\n", action.name(), action.description);
        self.params(action.params);
        self.text.push_str("\nAnswer, in addition to the fields of every answer:\n\n");
        let common: Vec<String> = schema::properties(&self.components["Envelope"])
            .iter()
            .map(|(name, ..)| (*name).to_owned())
            .collect();
        self.fields(&answer_name(action), &common);
    }

    fn endpoint(&mut self, endpoint: &Endpoint) {
        let Endpoint { path, description, .. } = endpoint;
        let method = endpoint.method.to_ascii_uppercase();
        let key = match endpoint.key {
            Key::None => "No key.",
            Key::Optional => "The key is optional.",
            Key::Required => "Send the key.",
            Key::InAddress => "The address holds a token in place of a key.",
        };
        let _ = write!(self.text, "\n### {method} {path}\n\n{description} {key}\n");
        self.params(endpoint.params());
        if let ResponseBody::Object(schema, _) = endpoint.response {
            let schema = schema(&mut schema::generator()).to_value();
            let name = component_name(&schema).unwrap_or_default();
            self.text.push_str("\nAnswer:\n\n");
            self.fields(name, &[]);
            self.inner_types(name);
        }
        let codes: Vec<String> = ApiError::examples()
            .iter()
            .filter(|error| endpoint.may_fail_with(error))
            .map(|error| format!("`{}`", error.details().code))
            .collect();
        let _ = write!(self.text, "\nErrors: {}.\n", codes.join(", "));
    }

    fn params(&mut self, params: &[&Param]) {
        if params.is_empty() {
            return;
        }
        self.text.push_str("\nParameters:\n\n");
        for param in params {
            let kind = match param.kind {
                ParamType::Text { max: Some(max) } => format!("string, at most {max} characters"),
                ParamType::Text { max: None } => "string".to_owned(),
                ParamType::Names(names) => format!("list of, or text with commas: {}", names.join(", ")),
                ParamType::Texts { max, .. } => {
                    format!("string, or a list of strings, each at most {max} characters")
                }
                ParamType::Flag => "true or false".to_owned(),
                ParamType::Email => "e-mail address".to_owned(),
                ParamType::Date => "date, today, tomorrow or a weekday".to_owned(),
                ParamType::Time => "time, HH:MM".to_owned(),
                ParamType::Choice(words) => format!("one of {}", words.join(", ")),
                ParamType::Integer { .. } if param.required => "integer".to_owned(),
                ParamType::Integer { min, max } => {
                    let default = param.default.map(|default| {
                        format!(", default {} ({} for agents)", default.of_v1, default.of_agents)
                    });
                    format!("integer from {min} to {max}{}", default.unwrap_or_default())
                }
            };
            let required = if param.required { ", required" } else { "" };
            let alias = param.alias.map(|alias| format!(" Alias: `{alias}`.")).unwrap_or_default();
            let _ =
                writeln!(self.text, "- `{}` ({kind}{required}): {}{alias}", param.name, param.description);
        }
    }

    /// The fields of a type, without those `left_out`.
    fn fields(&mut self, name: &str, left_out: &[String]) {
        let Some(schema) = self.components.get(name) else { return };
        for (name, property, always) in schema::properties(schema) {
            if !left_out.iter().any(|left_out| left_out == name) {
                let optional = if always { "" } else { ", optional" };
                let description = property["description"].as_str().unwrap_or_default();
                let _ = writeln!(self.text, "- `{name}` ({}{optional}): {description}", kind(property));
            }
        }
    }

    /// The types that a type refers to, each once.
    fn inner_types(&mut self, name: &str) {
        let Some(schema) = self.components.get(name) else { return };
        let inner: Vec<String> = schema::properties(schema)
            .iter()
            .filter_map(|(_, property, _)| {
                component_name(property).or_else(|| component_name(&property["items"]))
            })
            .map(str::to_owned)
            .collect();
        for name in inner {
            if self.written.contains(&name) {
                continue;
            }
            let description = self.components[&name]["description"].as_str().unwrap_or_default();
            let _ = write!(self.text, "\n### {name}\n\n{description}\n\n");
            self.fields(&name, &[]);
            self.written.push(name.clone());
            self.inner_types(&name);
        }
    }

    fn webhooks(&mut self) {
        let _ = write!(self.text, "\n## {}\n\n{ABOUT}\n", Tag::Webhooks.name());
        for hook in &HOOK_TYPES {
            let schema = (hook.schema)(&mut schema::generator()).to_value();
            let name = component_name(&schema).unwrap_or_default();
            let _ = write!(self.text, "\n### {}\n\n{}. ", hook.name, hook.summary);
            self.text.push_str("The body:\n\n");
            self.fields(name, &[]);
            self.inner_types(name);
        }
    }

    fn errors(&mut self) {
        self.text.push_str(
            "\n## Errors\n\nAll errors have the same body; `code` does not change, and `error` says what to fix.\n\n",
        );
        self.fields("Error", &[]);
        self.text.push('\n');
        for error in ApiError::examples().iter().filter(|error| error.is_public()) {
            let ErrorDetails { code, status, message, hint, .. } = error.details();
            let hint = hint.map(|hint| format!(" {hint}")).unwrap_or_default();
            let _ = writeln!(self.text, "- `{code}` ({status}): {message}{hint}");
        }
    }
}

/// The type of a field, in words.
fn kind(schema: &Value) -> String {
    if let Some(name) = component_name(schema) {
        return name.to_owned();
    }
    if let Some(words) = schema["enum"].as_array() {
        let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
        return format!("one of {}", words.join(", "));
    }
    if let Some(constant) = schema.get("const") {
        return constant.to_string();
    }
    match (schema["type"].as_str().unwrap_or_default(), schema["format"].as_str()) {
        ("array", _) => format!("list of {}", kind(&schema["items"])),
        ("object", _) => "integers by name".to_owned(),
        ("string", Some("date-time")) => "time, RFC 3339".to_owned(),
        ("string", Some("uri")) => "URL".to_owned(),
        ("string", Some(format)) => format.to_owned(),
        (kind, _) => kind.to_owned(),
    }
}
