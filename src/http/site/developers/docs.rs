//! The first steps with the API, and a page that asks the preview and shows the same question in several languages.

use index::question::query::MAX_CHARACTERS;
use maud::{Markup, html};
use serde_json::{Map, Value, json};

use super::examples;
use crate::actions::PAID_FIELDS;
use crate::domain::action::ActionId;
use crate::domain::plan::Plan;
use crate::http::site::layout::components::{breadcrumbs, code, encoded, more};
use crate::http::site::layout::i18n::FormError;
use crate::http::site::layout::{Layout, Meta};
use crate::quota::permit::{PREVIEW_DAYS, PREVIEW_RESULTS};

/// The search of the first steps: an example of the OpenAPI document.
pub(crate) struct FirstSearch {
    /// What stands in the address.
    query: String,
    /// What a client gets.
    answer: String,
}

/// The search of the first steps, of the service called `service`.
pub(crate) fn first_search(api: &Value, service: &str) -> FirstSearch {
    let example = |pointer: &str| {
        api.pointer(&format!("/paths/~1v1/post/{pointer}/application~1json/examples/search_events/value"))
    };
    let (request, answer) = (example("requestBody/content"), example("responses/200/content"));
    let params = ActionId::SearchEvents.action().params.iter();
    let sent = params.filter_map(|param| Some((param.name, request?.get(param.name)?)));
    let query: Vec<_> = sent.map(|(name, value)| format!("{name}={}", encoded(&text(value)))).collect();
    FirstSearch {
        query: query.join("&"),
        answer: answer.map(|answer| pretty(&to_free_key(answer, service))).unwrap_or_default(),
    }
}

/// The answer to a search of events as a free key gets it, which is what its reader has: the example of the document is
/// that to a Pro key.
fn to_free_key(answer: &Value, service: &str) -> Value {
    let mut answer = answer.clone();
    answer["plan"] = json!(Plan::Free);
    for event in answer["events"].as_array_mut().into_iter().flatten() {
        if let Some(event) = event.as_object_mut() {
            event.retain(|field, _| !PAID_FIELDS.contains(&field.as_str()));
        }
    }
    answer["attribution"] = json!({
        "text": format!("Dicas por {service}"),
        "url": answer["attribution"]["url"],
        "required": true,
    });
    answer
}

/// The first steps: a question without a key, a key, an agent. `question` finds something in the guide; empty without a
/// guide.
pub(crate) fn page(layout: &Layout, first: &FirstSearch, question: &str) -> String {
    let (words, base) = (&layout.texts.docs, &layout.base);
    let attempt = match question {
        "" => layout.path("/docs/try"),
        question => format!("{}?q={}", layout.path("/docs/try"), encoded(question)),
    };
    let curl = format!("curl -s '{base}/v1/events?{}' \\\n  -H \"x-api-key: $CANDANGO_KEY\"", first.query);
    let main = html! {
        div.wide.narrow-top {
            h1 { (words.title) }
            p.lead { (words.lead) }
            h2.dates-title { "1. " (words.ask) }
            p { ((words.ask_how)(PREVIEW_RESULTS, PREVIEW_DAYS)) }
            (more(&attempt, words.try_it))
            h2.dates-title { "2. " (words.key) }
            p { (words.key_how) }
            (more(&layout.path("/signup"), layout.texts.layout.get_key))
            (code("curl", &curl))
            p { (words.answer_of) }
            (code(words.answer, &first.answer))
            h2.dates-title { "3. " (words.agent) }
            p { (words.agent_how) }
            (more(&layout.path("/agents"), layout.texts.layout.connect_agent))
            h2.dates-title { "4. " (layout.texts.tokens.in_a_page) }
            p { (layout.texts.tokens.in_a_page_how) }
            (code("JavaScript", &in_a_page(base)))
            (more(&layout.path("/conta/navegador"), layout.texts.tokens.title))
            h2.dates-title { "5. " (layout.texts.calendars.in_docs) }
            p { (layout.texts.calendars.in_docs_how) }
            (code("iCalendar", &format!("{base}/v1/calendars/cdg_calendar_….ics?q=feira&limit=50")))
            (more(&layout.path("/conta/calendarios"), layout.texts.calendars.title))
            h2.dates-title { "6. " (layout.texts.webhook.in_docs) }
            p { (layout.texts.webhook.in_docs_how) }
            (more(&layout.path("/conta/avisos"), layout.texts.webhook.title))
            h2.dates-title { (words.examples) }
            @for (language, examples) in examples::of(base) {
                h3.part-of-day { (language) }
                @for (title, example) in words.example_titles.iter().zip(&examples) {
                    p { (title) }
                    (code(&format!("{language}, {title}"), example))
                }
            }
            h2.dates-title { (words.further) }
            ul.plain {
                li { a href=(layout.path("/api")) { (layout.texts.layout.api_reference) } }
                li { a href=(layout.path("/docs/errors")) { (layout.texts.service.errors) } }
                li { a href=(layout.path("/changelog")) { (layout.texts.service.changelog) } }
                li { a href=(layout.path("/status")) { (layout.texts.service.status) } }
            }
        }
    };
    let meta = Meta { title: words.title, description: words.lead, path: "/docs", query: "", listed: true };
    layout.page(&meta, main)
}

/// How a web page asks, with a browser token.
fn in_a_page(base: &str) -> String {
    format!(
        "const answer = await fetch('{base}/v1/events?q=feira&limit=5', {{\n  \
         headers: {{ 'x-browser-token': 'cdg_browser_…' }},\n}});\nconst {{ events, attribution }} = await answer.json();"
    )
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

/// A question to the preview, and what became of it.
pub(crate) struct Trial<'a> {
    pub(crate) question: &'a str,
    /// The parameters that were sent, which the code shows.
    pub(crate) params: &'a [(&'static str, Value)],
    pub(crate) is_places: bool,
    /// A question that finds something; empty without a guide.
    pub(crate) example: &'a str,
    /// The answer, or why there is none; nothing before a question is asked.
    pub(crate) outcome: Option<Result<Value, FormError>>,
}

/// The page that asks the preview.
pub(crate) fn try_page(layout: &Layout, trial: &Trial<'_>) -> String {
    let words = &layout.texts.docs;
    let Trial { question, params, is_places, example, outcome } = trial;
    let kinds = [("events", layout.texts.layout.events), ("places", layout.texts.layout.places)];
    let main = html! {
        div.wide {
            (breadcrumbs(layout, [(&layout.path("/docs"), words.title)]))
            h1 { (words.try_title) }
            p.lead { (words.try_lead) }
            form.search method="get" action=(layout.path("/docs/try")) {
                div.field.field-q {
                    label for="q" { (layout.texts.search.query) }
                    input #q name="q" type="text" value=(question) maxlength=(MAX_CHARACTERS) required placeholder=(example)
                        data-one=(layout.texts.search.completions[0]) data-many=(layout.texts.search.completions[1]);
                }
                div.field {
                    label for="kind" { (layout.texts.search.kind) }
                    select #kind name="kind" {
                        @for (value, name) in kinds { option value=(value) selected[(value == "places") == *is_places] { (name) } }
                    }
                }
                button type="submit" { (layout.texts.layout.search) }
            }
            @match outcome {
                Some(Ok(answer)) => {
                    h2.dates-title { (words.answer) }
                    (code(words.answer, &pretty(answer)))
                    (samples(layout, params, *is_places))
                },
                Some(Err(error)) => { p.no role="alert" { (error.sentence) } },
                None => {},
            }
        }
    };
    let listed = question.is_empty();
    let meta =
        Meta { title: words.try_title, description: words.try_lead, path: "/docs/try", query: "", listed };
    layout.page(&meta, main)
}

/// The parameters of a question to the preview. What it has by default differs from `/v1`, so all of them are named.
pub(crate) fn params(question: &str, is_places: bool) -> Vec<(&'static str, Value)> {
    let mut params = vec![("q", json!(question)), ("limit", json!(PREVIEW_RESULTS))];
    if !is_places {
        params.push(("group", json!("series")));
    }
    params
}

/// A parameter as it stands in an address.
pub(crate) fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(list) => list.iter().map(text).collect::<Vec<_>>().join(","),
        value => value.to_string(),
    }
}

/// The same question as a shell, Python, JavaScript and an agent send it.
fn samples(layout: &Layout, params: &[(&str, Value)], is_places: bool) -> Markup {
    let (base, words) = (&layout.base, &layout.texts.docs);
    let (path, action) = if is_places { ("places", "search_places") } else { ("events", "search_events") };
    let query: Vec<_> =
        params.iter().map(|(name, value)| format!("{name}={}", encoded(&text(value)))).collect();
    let url = format!("{base}/v1/{path}?{}", query.join("&"));
    // a JSON value is one of Python and of JavaScript, too
    let fields: Vec<_> = params.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    let quoted: Vec<_> = params.iter().map(|(name, value)| format!("\"{name}\": {value}")).collect();
    let (fields, quoted) = (fields.join(", "), quoted.join(", "));
    let arguments: Map<String, Value> =
        params.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    let call = json!({
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": { "name": action, "arguments": arguments },
    });
    // in single quotes of a shell
    let message = call.to_string().replace('\'', "'\\''");
    let samples = [
        ("curl", format!("curl -s '{url}' \\\n  -H \"x-api-key: $CANDANGO_KEY\"")),
        (
            "Python",
            format!(
                "import os, requests\n\nanswer = requests.get(\n    \"{base}/v1/{path}\",\n    params={{{quoted}}},\n    \
                 headers={{\"x-api-key\": os.environ[\"CANDANGO_KEY\"]}},\n)\nprint(answer.json())"
            ),
        ),
        (
            "JavaScript",
            format!(
                "const query = new URLSearchParams({{ {fields} }});\nconst answer = await fetch(`{base}/v1/{path}?${{query}}`, {{\n  \
                 headers: {{ 'x-api-key': process.env.CANDANGO_KEY }},\n}});\nconsole.log(await answer.json());"
            ),
        ),
        (
            "MCP",
            format!(
                "curl -s {base}/mcp \\\n  -H 'content-type: application/json' \\\n  \
                 -H 'accept: application/json, text/event-stream' \\\n  -d '{message}'"
            ),
        ),
    ];
    html! {
        h2.dates-title { (words.same_question) }
        p { (words.same_how) }
        @for (name, text) in samples { h3.part-of-day { (name) } (code(name, &text)) }
    }
}
