//! The API reference, written once from the service's own OpenAPI document, whatever that says: a page of all
//! operations, and a page for each with its parameters, bodies, answers, refusals and examples, and the schemas that
//! they are made of. Its texts are those of the document. Uses [`super::agents`] (how code is shown) and
//! [`super::layout`].

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::super::html::{Language, escaped};
use super::agents::code;
use super::layout::{About, Frame, address, put};

/// How deep schemas are followed into each other before they are only named.
const DEEPEST: usize = 4;

const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

/// The page of all operations.
pub(super) fn page(frame: &Frame, language: Language, api: &Value) -> String {
    let say = |portuguese, english| language.pick(portuguese, english);
    let title = say("Referência da API", "API reference");
    let description = say(
        "Endpoints, parâmetros, respostas e erros da API do guia de Brasília.",
        "Endpoints, parameters, answers and errors of the API of the guide to Brasília.",
    );
    let about = About { title, description, path: "/api", query: "", listed: true };
    let writer = Writer { api, language };
    frame.page(language, &about, |out| {
        put(out, &["<div class=\"wide narrow-top\"><h1>", title, "</h1><p class=\"lead\">"]);
        let lead = say(
            "JSON de ida, JSON de volta. O texto é em inglês, como o documento de que a página é feita: ",
            "JSON in, JSON out. This page is made from ",
        );
        put(out, &[lead, "<a href=\"/openapi.json\">openapi.json</a>.</p>\n<div class=\"reference\">"]);
        writer.contents(out, "");
        put(out, &["<div lang=\"en\">"]);
        writer.intro(out);
        put(out, &["</div></div></div>\n"]);
    })
}

/// The pages of each operation, by what they are called in addresses.
pub(super) fn pages(frame: &Frame, language: Language, api: &Value) -> Vec<(String, String)> {
    let writer = Writer { api, language };
    writer.all().into_iter().map(|operation| (operation.id(), writer.page(frame, &operation))).collect()
}

struct Writer<'a> {
    api: &'a Value,
    language: Language,
}

/// An operation, and where it is.
struct Operation<'a> {
    method: &'static str,
    path: &'a str,
    told: &'a Value,
}

impl Operation<'_> {
    fn id(&self) -> String {
        let path: String =
            self.path.chars().map(|char| if char.is_ascii_alphanumeric() { char } else { '-' }).collect();
        format!("{}{path}", self.method)
    }

    fn name(&self) -> String {
        format!("{} {}", self.method.to_uppercase(), self.path)
    }
}

impl<'a> Writer<'a> {
    fn page(&self, frame: &Frame, operation: &Operation<'a>) -> String {
        let name = operation.name();
        let summary = operation.told["summary"].as_str().unwrap_or(&name);
        let path = format!("/api/{}", operation.id());
        let about = About { title: &name, description: summary, path: &path, query: "", listed: true };
        frame.page(self.language, &about, |out| {
            let [prefix, api] = address(self.language, "/api");
            let here = self.say("Você está em", "You are in");
            put(
                out,
                &["<div class=\"wide\"><nav class=\"crumbs\" aria-label=\"", here, "\"><ol><li><a href=\""],
            );
            put(
                out,
                &[
                    prefix,
                    api,
                    "\">",
                    self.say("Referência da API", "API reference"),
                    "</a></li></ol></nav>\n",
                ],
            );
            put(out, &["<div class=\"reference\">"]);
            self.contents(out, &operation.id());
            put(out, &["<div lang=\"en\">"]);
            self.operation(out, operation);
            self.schemas(out, operation);
            put(out, &["</div></div></div>\n"]);
        })
    }

    fn say(&self, portuguese: &'static str, english: &'static str) -> &'static str {
        self.language.pick(portuguese, english)
    }

    /// All operations, in the order of their tags.
    fn all(&self) -> Vec<Operation<'a>> {
        let paths = self.api["paths"].as_object().into_iter().flatten();
        let mut all: Vec<Operation> = paths
            .flat_map(|(path, item)| {
                METHODS
                    .into_iter()
                    .filter_map(move |method| item.get(method).map(|told| Operation { method, path, told }))
            })
            .collect();
        all.sort_by_key(|operation| {
            let tags = self.api["tags"].as_array().into_iter().flatten();
            let mut names = tags.map(|tag| &tag["name"]);
            names.position(|name| *name == operation.told["tags"][0])
        });
        all
    }

    /// What a reference refers to; anything else is itself.
    fn resolved(&self, value: &'a Value) -> &'a Value {
        let pointer = value["$ref"].as_str().and_then(|reference| reference.strip_prefix('#'));
        pointer.and_then(|pointer| self.api.pointer(pointer)).unwrap_or(value)
    }

    /// All operations, that of this page marked.
    fn contents(&self, out: &mut String, here: &str) {
        put(out, &["<nav class=\"toc\" aria-label=\"", self.say("Operações", "Operations"), "\"><ul>"]);
        let [prefix, api] = address(self.language, "/api/");
        for operation in self.all() {
            let id = operation.id();
            let current = if id == here { "\" aria-current=\"page" } else { "" };
            put(
                out,
                &[
                    "<li><a href=\"",
                    prefix,
                    api,
                    &id,
                    current,
                    "\"><b>",
                    &operation.method.to_uppercase(),
                    "</b> ",
                ],
            );
            put(out, &[&escaped(operation.path), "</a></li>"]);
        }
        put(out, &["</ul></nav>\n"]);
    }

    fn intro(&self, out: &mut String) {
        if let Some(description) = self.api["info"]["description"].as_str() {
            prose(out, description);
        }
        if let Some(version) = self.api["info"]["version"].as_str() {
            put(out, &["<p class=\"note\">", self.say("Versão", "Version"), " ", &escaped(version), "</p>"]);
        }
    }

    fn operation(&self, out: &mut String, operation: &Operation<'a>) {
        let Operation { method, path, told } = operation;
        put(
            out,
            &[
                "<h1><span class=\"method\">",
                &method.to_uppercase(),
                "</span> <code>",
                &escaped(path),
                "</code></h1>",
            ],
        );
        for text in [&told["summary"], &told["description"]] {
            if let Some(text) = text.as_str() {
                prose(out, text);
            }
        }
        if let Some(parameters) = told["parameters"].as_array().filter(|list| !list.is_empty()) {
            put(out, &["<h2>", self.say("Parâmetros", "Parameters"), "</h2><dl class=\"fields\">"]);
            for parameter in parameters {
                let parameter = self.resolved(parameter);
                let name = parameter["name"].as_str().unwrap_or_default();
                let schema = self.resolved(&parameter["schema"]);
                let required = parameter["required"].as_bool().unwrap_or_default();
                let place = parameter["in"].as_str().unwrap_or_default();
                self.field(out, name, &self.kind(schema), Some(place), required);
                self.about(out, parameter, schema);
                put(out, &["</dd>"]);
            }
            put(out, &["</dl>"]);
        }
        if let Some(body) = told.get("requestBody").map(|body| self.resolved(body)) {
            put(out, &["<h2>", self.say("Corpo", "Body"), "</h2>"]);
            self.content(out, body, &operation.name());
        }
        if let Some(responses) = told["responses"].as_object() {
            self.responses(out, responses, &operation.name());
        }
    }

    fn responses(&self, out: &mut String, responses: &'a Map<String, Value>, name: &str) {
        put(out, &["<h2>", self.say("Respostas", "Answers"), "</h2>"]);
        for (status, response) in responses {
            let response = self.resolved(response);
            let description = response["description"].as_str().unwrap_or_default();
            let is_good = status.starts_with('2');
            put(out, &["<details class=\"answer\"", if is_good { " open" } else { "" }, "><summary><b>"]);
            put(out, &[&escaped(status), "</b> <span>", &inline(description), "</span></summary>"]);
            if is_good || !self.refusals(out, response) {
                self.content(out, response, &format!("{name}, {status}"));
            }
            put(out, &["</details>"]);
        }
    }

    /// Refusals by their codes with what they say; false when the examples are none.
    fn refusals(&self, out: &mut String, response: &'a Value) -> bool {
        let media = response["content"].as_object().into_iter().flatten();
        let values: Vec<&Value> = media
            .flat_map(|(_, told)| {
                let several = told["examples"].as_object().into_iter().flatten();
                several.map(|(_, example)| &self.resolved(example)["value"]).chain(told.get("example"))
            })
            .collect();
        if values.is_empty() || values.iter().any(|value| !value["code"].is_string()) {
            return false;
        }
        put(out, &["<dl class=\"fields\">"]);
        for value in values {
            let text = |field: &str| value[field].as_str().unwrap_or_default();
            put(
                out,
                &[
                    "<dt><code>",
                    &escaped(text("code")),
                    "</code></dt><dd><p>",
                    &inline(text("error")),
                    "</p>",
                ],
            );
            put(out, &["</dd>"]);
        }
        put(out, &["</dl>"]);
        true
    }

    /// Bodies of each media type, with their examples.
    fn content(&self, out: &mut String, body: &'a Value, name: &str) {
        for (media, told) in body["content"].as_object().into_iter().flatten() {
            if media != "application/json" {
                put(out, &["<p class=\"note\"><code>", &escaped(media), "</code></p>"]);
            }
            if let Some(schema) = told.get("schema") {
                self.schema(out, schema, 0);
            }
            let single = told.get("example").map(|value| (None, value));
            let several = told["examples"].as_object().into_iter().flatten().filter_map(|(id, example)| {
                let example = self.resolved(example);
                let summary = example["summary"].as_str().unwrap_or(id);
                Some((Some(summary), example.get("value")?))
            });
            for (summary, value) in single.into_iter().chain(several) {
                let title = summary.unwrap_or(self.say("Exemplo", "Example"));
                put(out, &["<p class=\"note\">", &escaped(title), "</p>"]);
                let text = match value {
                    Value::String(text) => text.clone(),
                    value => serde_json::to_string_pretty(value).unwrap_or_default(),
                };
                code(out, &format!("{name}: {title}"), &text);
            }
        }
    }

    /// The schemas that an operation is told with, and those that they are made of.
    fn schemas(&self, out: &mut String, operation: &Operation<'a>) {
        let mut named = BTreeSet::new();
        let Operation { told, .. } = operation;
        self.gather(&told["requestBody"], &mut named);
        let responses = told["responses"].as_object().into_iter().flatten();
        responses
            .filter(|(status, _)| status.starts_with('2'))
            .for_each(|(_, told)| self.gather(told, &mut named));
        if named.is_empty() {
            return;
        }
        put(out, &["<h2>", self.say("Esquemas", "Schemas"), "</h2>"]);
        for name in named {
            let schema = &self.api["components"]["schemas"][name];
            let name = escaped(name);
            put(out, &["<h3 id=\"schema-", &name, "\" tabindex=\"-1\"><code>", &name, "</code></h3>"]);
            self.schema(out, schema, 0);
        }
    }

    /// The names of all schemas that something refers to, those included that they refer to.
    fn gather(&self, told: &'a Value, named: &mut BTreeSet<&'a str>) {
        match told {
            Value::Object(fields) => {
                if let Some(name) = name_of(told) {
                    if named.insert(name) {
                        self.gather(&self.api["components"]["schemas"][name], named);
                    }
                    return;
                }
                if fields.contains_key("$ref") {
                    return self.gather(self.resolved(told), named);
                }
                // examples refer to nothing, whatever they hold
                let fields = fields.iter().filter(|(name, _)| !name.starts_with("example"));
                fields.for_each(|(_, field)| self.gather(field, named));
            }
            Value::Array(list) => list.iter().for_each(|item| self.gather(item, named)),
            _ => {}
        }
    }

    /// A schema in full. One that is named is pointed to, for it stands at the end of the page.
    fn schema(&self, out: &mut String, schema: &'a Value, depth: usize) {
        if let Some(name) = name_of(schema) {
            put(out, &["<p>", &link(name), "</p>"]);
            return;
        }
        if let Some(description) = schema["description"].as_str() {
            prose(out, description);
        }
        if depth > DEEPEST {
            return;
        }
        for (key, portuguese, english) in
            [("oneOf", "Um destes:", "One of:"), ("anyOf", "Algum destes:", "Any of:"), ("allOf", "", "")]
        {
            let Some(list) = schema[key].as_array() else { continue };
            if !english.is_empty() {
                put(out, &["<p>", self.say(portuguese, english)]);
                if let Some(property) = schema["discriminator"]["propertyName"].as_str() {
                    put(out, &[" (", self.say("conforme ", "by "), "<code>", &escaped(property), "</code>)"]);
                }
                put(out, &["</p>"]);
            }
            for inner in list {
                self.schema(out, inner, depth + 1);
            }
        }
        let properties = schema["properties"].as_object();
        if let Some(properties) = properties.filter(|properties| !properties.is_empty()) {
            let required = schema["required"].as_array();
            put(out, &["<dl class=\"fields\">"]);
            for (name, property) in properties {
                let is_required = required.is_some_and(|list| list.iter().any(|field| field == name));
                self.field(out, name, &self.kind(property), None, is_required);
                self.about(out, property, property);
                let inner = if property["items"].is_object() { &property["items"] } else { property };
                if name_of(inner).is_none() && (inner["properties"].is_object() || inner["oneOf"].is_array())
                {
                    // its own words were told already
                    self.schema(out, inner, depth + 1);
                }
                put(out, &["</dd>"]);
            }
            put(out, &["</dl>"]);
        } else if properties.is_none() && schema["oneOf"].is_null() && schema["allOf"].is_null() {
            put(out, &["<p class=\"note\">", &self.kind(schema), "</p>"]);
            self.bounds(out, schema);
        }
    }

    /// Opens a field; what it is about follows.
    fn field(&self, out: &mut String, name: &str, kind: &str, place: Option<&str>, required: bool) {
        put(out, &["<dt><code>", &escaped(name), "</code> <span class=\"kind\">", kind]);
        if let Some(place) = place {
            put(out, &[", ", &escaped(place)]);
        }
        put(out, &["</span>"]);
        if required {
            put(out, &[" <span class=\"required\">", self.say("obrigatório", "required"), "</span>"]);
        }
        put(out, &["</dt><dd>"]);
    }

    fn about(&self, out: &mut String, told: &'a Value, schema: &'a Value) {
        if let Some(description) = told["description"].as_str().or(schema["description"].as_str()) {
            prose(out, description);
        }
        self.bounds(out, schema);
    }

    /// What a value must keep to.
    fn bounds(&self, out: &mut String, schema: &Value) {
        let mut told: Vec<String> = Vec::new();
        if let Some(values) = schema["enum"].as_array() {
            let values: Vec<String> = values
                .iter()
                .filter(|value| !matches!(value, Value::Null) && **value != "")
                .map(|value| format!("<code>{}</code>", plain(value)))
                .collect();
            told.push(values.join(", "));
        }
        for (key, portuguese, english) in [
            ("const", "sempre", "always"),
            ("minimum", "no mínimo", "at least"),
            ("maximum", "no máximo", "at most"),
            ("maxLength", "caracteres, no máximo", "characters, at most"),
            ("default", "se faltar", "default"),
            ("example", "por exemplo", "for example"),
        ] {
            if let Some(value) = schema.get(key).filter(|value| !value.is_object() && !value.is_array()) {
                told.push(format!("{} <code>{}</code>", self.say(portuguese, english), plain(value)));
            }
        }
        if !told.is_empty() {
            put(out, &["<p class=\"note\">", &told.join("; "), "</p>"]);
        }
    }

    /// What a schema is, in a word or two.
    fn kind(&self, schema: &'a Value) -> String {
        if let Some(name) = name_of(schema) {
            return link(name);
        }
        let of = |value: &Value| match value {
            Value::String(kind) => kind.clone(),
            Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" | "),
            _ => String::new(),
        };
        let mut kind = escaped(&of(&schema["type"])).into_owned();
        if let Some(format) = schema["format"].as_str() {
            kind += &format!(" ({})", escaped(format));
        }
        if schema["items"].is_object() {
            kind = format!("array: {}", self.kind(&schema["items"]));
        }
        for key in ["oneOf", "anyOf", "allOf"] {
            if let Some(list) = schema[key].as_array().filter(|_| kind.is_empty()) {
                kind = list.iter().map(|inner| self.kind(inner)).collect::<Vec<_>>().join(" | ");
            }
        }
        if kind.is_empty() { "any".to_owned() } else { kind }
    }
}

/// The name of the schema that is referred to.
fn name_of(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.strip_prefix("#/components/schemas/")
}

fn link(name: &str) -> String {
    let name = escaped(name);
    format!("<a href=\"#schema-{name}\"><code>{name}</code></a>")
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => escaped(text).into_owned(),
        value => escaped(&value.to_string()).into_owned(),
    }
}

/// Paragraphs of text, and tables.
fn prose(out: &mut String, text: &str) {
    for paragraph in text.split("\n\n").map(str::trim).filter(|paragraph| !paragraph.is_empty()) {
        if paragraph.starts_with('|') {
            table(out, paragraph);
        } else {
            put(out, &["<p>", &inline(paragraph), "</p>"]);
        }
    }
}

/// A table: its head, a line of dashes, its rows.
fn table(out: &mut String, text: &str) {
    out.push_str("<div class=\"table\" tabindex=\"0\"><table>");
    for (at, line) in text.lines().enumerate().filter(|(at, _)| *at != 1) {
        let cell = if at == 0 { "th" } else { "td" };
        out.push_str("<tr>");
        for text in line.trim().trim_matches('|').split('|') {
            put(out, &["<", cell, ">", &inline(text.trim()), "</", cell, ">"]);
        }
        out.push_str("</tr>");
    }
    out.push_str("</table></div>");
}

/// A line of text; of Markdown what is between backticks and between pairs of asterisks, and links.
fn inline(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 32);
    for (at, part) in text.split('`').enumerate() {
        if at % 2 == 1 {
            put(&mut out, &["<code>", &escaped(part), "</code>"]);
            continue;
        }
        for (at, part) in part.split("**").enumerate() {
            if at % 2 == 1 {
                put(&mut out, &["<b>", &escaped(part), "</b>"]);
            } else {
                links(&mut out, part);
            }
        }
    }
    out
}

/// Text with its links: `[words](https://address)`.
fn links(out: &mut String, text: &str) {
    let mut rest = text;
    while let Some((before, words, url, after)) = next_link(rest) {
        put(out, &[&escaped(before), "<a href=\"", &escaped(url), "\">", &escaped(words), "</a>"]);
        rest = after;
    }
    out.push_str(&escaped(rest));
}

fn next_link(text: &str) -> Option<(&str, &str, &str, &str)> {
    let (before, rest) = text.split_once('[')?;
    let (words, rest) = rest.split_once("](http")?;
    let (_, after) = rest.split_once(')')?;
    let url = &text[before.len() + words.len() + 3..text.len() - after.len() - 1];
    Some((before, words, url, after))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use serde_json::json;

    #[test]
    fn what_the_document_says_is_on_the_page() {
        let search = json!({ "$ref": "#/components/schemas/Search" });
        let count = json!({ "type": "object", "properties": { "count": { "type": "integer" } } });
        let deep = json!({ "type": "object", "properties": { "deep": { "type": ["string", "null"] } } });
        let asked = json!({
            "schema": { "oneOf": [search], "discriminator": { "propertyName": "action" } },
            "examples": { "one": { "summary": "Sushi", "value": { "q": "sushi" } } },
        });
        let api = json!({
            "info": { "version": "1.2.0", "description": "Ask `POST /v1`.\n\nSecond <b>paragraph</b>." },
            "paths": {
                "/v1": { "post": {
                    "summary": "Ask",
                    "parameters": [{ "$ref": "#/components/parameters/Key" }],
                    "requestBody": { "content": { "application/json": asked } },
                    "responses": {
                        "200": {
                            "description": "Found",
                            "content": { "application/json": { "schema": { "allOf": [search, count] } } },
                        },
                        "401": { "$ref": "#/components/responses/No" },
                    },
                } },
                "/v1/plans": { "get": { "responses": {} } },
            },
            "components": {
                "parameters": { "Key": { "name": "x-api-key", "in": "header", "required": true } },
                "responses": { "No": { "description": "No key", "content": { "application/json": {
                    "examples": { "no": { "value": { "code": "no_key", "error": "Send a key." } } },
                } } } },
                "schemas": { "Search": { "type": "object", "properties": {
                    "action": { "type": "string", "enum": ["search_places"] },
                    "loop": search,
                    "list": { "type": "array", "items": deep },
                } } },
            },
        });
        let frame = Frame::new(&Config::load(None, [], &[]).unwrap());
        for language in [Language::Portuguese, Language::English] {
            let index = page(&frame, language, &api);
            for part in [
                "/api/post-v1\"",
                "/api/get-v1-plans\"",
                "<code>POST /v1</code>",
                "Second &lt;b&gt;paragraph&lt;/b&gt;.",
            ] {
                assert!(index.contains(part), "{part}");
            }
            let pages = pages(&frame, language, &api);
            assert_eq!(pages.len(), 2);
            let (_, page) = pages.iter().find(|(id, _)| id == "post-v1").unwrap();
            for part in [
                "x-api-key",
                "search_places",
                "\"q\": \"sushi\"",
                "no_key",
                "Send a key.",
                "href=\"#schema-Search\"",
                "id=\"schema-Search\"",
                "string | null",
            ] {
                assert!(page.contains(part), "{part}");
            }
        }
    }

    #[test]
    fn of_markdown_there_is_what_the_document_uses() {
        let mut out = String::new();
        prose(&mut out, "One.\n\n| a | b |\n|---|---|\n| `c` | d |");
        let table = "<table><tr><th>a</th><th>b</th></tr><tr><td><code>c</code></td><td>d</td></tr></table>";
        assert!(out.starts_with("<p>One.</p>") && out.contains(table), "{out}");
        assert_eq!(
            inline("**Keys.** see [a](https://x.example/?a&b) and `<b>` [no] (http://)"),
            "<b>Keys.</b> see <a href=\"https://x.example/?a&amp;b\">a</a> and <code>&lt;b&gt;</code> [no] \
             (http://)"
        );
    }

    #[test]
    fn a_document_that_says_nothing_makes_a_page_too() {
        let frame = Frame::new(&Config::load(None, [], &[]).unwrap());
        assert!(page(&frame, Language::English, &json!({})).contains("API reference"));
    }
}
