//! The API reference, rendered from the OpenAPI document: a page that lists all operations, and a page for each.

use std::collections::BTreeSet;

use maud::{Markup, html};
use serde_json::Value;

use super::schema_reference::{about, reference_name, schema, term};
use crate::http::site::layout::components::{breadcrumbs, code};
use crate::http::site::layout::prose::{inline, prose};
use crate::http::site::layout::{Layout, Meta};
use crate::http::site::texts;

const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

/// Renders the pages of the document `api`.
pub(crate) struct Reference<'a> {
    layout: &'a Layout,
    words: &'a texts::Reference,
    api: &'a Value,
    operations: Vec<Operation<'a>>,
}

/// An operation of the document.
struct Operation<'a> {
    method: &'static str,
    path: &'a str,
    spec: &'a Value,
}

impl Operation<'_> {
    /// The last part of the page's address, as in `post-v1-signup`.
    fn id(&self) -> String {
        let path = self.path.replace(|char: char| !char.is_ascii_alphanumeric(), "-");
        format!("{}{path}", self.method)
    }

    fn name(&self) -> String {
        format!("{} {}", self.method.to_uppercase(), self.path)
    }
}

/// All operations of a document, in the order of their tags.
fn operations(api: &Value) -> Vec<Operation<'_>> {
    let paths = api["paths"].as_object().into_iter().flatten();
    let operations = paths.flat_map(|(path, item)| {
        let operation = |method| Some(Operation { method, path, spec: item.get(method)? });
        METHODS.into_iter().filter_map(operation)
    });
    let mut operations: Vec<Operation> = operations.collect();
    operations.sort_by_key(|operation| {
        let mut tags = api["tags"].as_array().into_iter().flatten();
        tags.position(|tag| tag["name"] == operation.spec["tags"][0])
    });
    operations
}

impl<'a> Reference<'a> {
    pub(crate) fn new(layout: &'a Layout, api: &'a Value) -> Reference<'a> {
        Reference { layout, words: &layout.texts.reference, api, operations: operations(api) }
    }

    /// The page of all operations.
    pub(crate) fn index_page(&self) -> String {
        let (title, info) = (self.layout.texts.layout.api_reference, &self.api["info"]);
        let meta = Meta { title, description: self.words.description, path: "/api", query: "", listed: true };
        let main = html! {
            div.wide.narrow-top {
                h1 { (title) }
                p.lead { (self.words.lead) a href="/openapi.json" { "openapi.json" } "." }
                div.reference {
                    (self.contents(""))
                    div lang="en" {
                        @if let Some(description) = info["description"].as_str() { (prose(description)) }
                        @if let Some(version) = info["version"].as_str() {
                            p.note { (self.words.version) " " (version) }
                        }
                    }
                }
            }
        };
        self.layout.page(&meta, main)
    }

    /// The page of each operation, by its id.
    pub(crate) fn operation_pages(&self) -> Vec<(String, String)> {
        let actions = self.operations.iter().flat_map(|operation| {
            let pages = self.actions(operation).into_iter();
            pages.map(|action| (action_id(operation, action), self.action_page(operation, action)))
        });
        let pages = self.operations.iter().map(|operation| (operation.id(), self.operation_page(operation)));
        pages.chain(actions).collect()
    }

    /// The actions of an operation whose body names one.
    fn actions(&self, operation: &Operation<'a>) -> Vec<&'a str> {
        let body = &self.resolved(&operation.spec["requestBody"])["content"]["application/json"];
        let mapping = body["schema"]["discriminator"]["mapping"].as_object().into_iter().flatten();
        mapping.map(|(action, _)| action.as_str()).collect()
    }

    /// One action of an operation: its request, its answer, and the schemas that these name.
    fn action_page(&self, operation: &Operation<'a>, action: &str) -> String {
        let (layout, words) = (self.layout, self.words);
        let (name, id) = (format!("{}: {action}", operation.name()), action_id(operation, action));
        let path = format!("/api/{id}");
        let json = |value: &'a Value| &self.resolved(value)["content"]["application/json"];
        let (asked, answered) =
            (json(&operation.spec["requestBody"]), json(&operation.spec["responses"]["200"]));
        let request = reference_name_of(&asked["schema"]["discriminator"]["mapping"][action]);
        let answer =
            request.and_then(|name| name.strip_suffix("Request")).map(|stem| format!("{stem}Answer"));
        let schemas = &self.api["components"]["schemas"];
        let request_schema = request.map_or(&Value::Null, |name| &schemas[name]);
        let answer_schema = answer.as_ref().map_or(&Value::Null, |name| &schemas[name]);
        let mut names = BTreeSet::new();
        self.collect_names(request_schema, &mut names);
        self.collect_names(answer_schema, &mut names);
        let example = |media: &'a Value| {
            let value = self.resolved(&media["examples"][action])["value"].clone();
            (!value.is_null()).then(|| serde_json::to_string_pretty(&value).unwrap_or_default())
        };
        let main = html! {
            div.wide {
                (breadcrumbs(layout, [
                    (&layout.path("/api"), layout.texts.layout.api_reference),
                    (&layout.path(&format!("/api/{}", operation.id())), &operation.name()),
                ]))
                div.reference {
                    (self.contents(&id))
                    div lang="en" {
                        h1 { code { (action) } }
                        h2 lang=(layout.texts.lang) { (words.body) }
                        (schema(words, request_schema))
                        @if let Some(example) = example(asked) { (code(&format!("{action}: {}", words.body), &example)) }
                        h2 lang=(layout.texts.lang) { (words.responses) }
                        (schema(words, answer_schema))
                        @if let Some(example) = example(answered) {
                            details.answer {
                                summary { b { (words.example) } }
                                (code(&format!("{action}: {}", words.example), &example))
                            }
                        }
                        @if !names.is_empty() {
                            h2 lang=(layout.texts.lang) { (words.schemas) }
                            @for name in names {
                                (folded_schema(words, name, &schemas[name]))
                            }
                        }
                    }
                }
            }
        };
        let meta =
            Meta { title: &name, description: self.words.description, path: &path, query: "", listed: true };
        layout.page(&meta, main)
    }

    fn operation_page(&self, operation: &Operation<'a>) -> String {
        let (layout, name, id) = (self.layout, operation.name(), operation.id());
        let summary = operation.spec["summary"].as_str().unwrap_or(&name);
        let path = format!("/api/{id}");
        let meta = Meta { title: &name, description: summary, path: &path, query: "", listed: true };
        let main = html! {
            div.wide {
                (breadcrumbs(layout, [(&layout.path("/api"), layout.texts.layout.api_reference)]))
                div.reference {
                    (self.contents(&id))
                    div lang="en" {
                        (self.operation(operation))
                        (self.schemas(operation))
                    }
                }
            }
        };
        layout.page(&meta, main)
    }

    /// The target of a reference; any other value itself.
    fn resolved(&self, value: &'a Value) -> &'a Value {
        let pointer = value["$ref"].as_str().and_then(|reference| reference.strip_prefix('#'));
        pointer.and_then(|pointer| self.api.pointer(pointer)).unwrap_or(value)
    }

    /// Links to all operations, with the operation `current` marked.
    fn contents(&self, current: &str) -> Markup {
        html! {
            nav.toc aria-label=(self.words.operations) {
                // on the page of all of them they are what it is about
                details open[current.is_empty()] {
                    summary { (self.words.operations) }
                    ul { @for operation in &self.operations { (self.link(operation, current)) } }
                }
            }
        }
    }

    fn link(&self, operation: &Operation<'a>, current: &str) -> Markup {
        let id = operation.id();
        html! {
            li {
                a href={ (self.layout.prefix()) "/api/" (id) } aria-current=[(id == current).then_some("page")] {
                    b { (operation.method.to_uppercase()) } " " (operation.path)
                }
            }
        }
    }

    fn operation(&self, operation: &Operation<'a>) -> Markup {
        let (words, spec, name) = (self.words, operation.spec, operation.name());
        let parameters = spec["parameters"].as_array().filter(|list| !list.is_empty());
        html! {
            h1 { span.method { (operation.method.to_uppercase()) } " " code { (operation.path) } }
            @for text in [&spec["summary"], &spec["description"]] {
                @if let Some(text) = text.as_str() { (prose(text)) }
            }
            @if let Some(parameters) = parameters {
                h2 lang=(self.layout.texts.lang) { (words.parameters) }
                dl.fields { @for parameter in parameters { (self.parameter(self.resolved(parameter))) } }
            }
            @let actions = self.actions(operation);
            @if !actions.is_empty() {
                h2 lang=(self.layout.texts.lang) { (words.actions) }
                ul.plain {
                    @for action in &actions {
                        li {
                            a href={ (self.layout.prefix()) "/api/" (action_id(operation, action)) } { code { (action) } }
                        }
                    }
                }
            } @else if let Some(body) = spec.get("requestBody") {
                h2 lang=(self.layout.texts.lang) { (words.body) }
                (self.content(self.resolved(body), &name))
            }
            @if let Some(responses) = spec["responses"].as_object() {
                h2 lang=(self.layout.texts.lang) { (words.responses) }
                @for (status, response) in responses.iter().filter(|(status, _)| actions.is_empty() || !status.starts_with('2')) {
                    (self.response(status, self.resolved(response), &format!("{name}, {status}")))
                }
            }
        }
    }

    fn parameter(&self, parameter: &'a Value) -> Markup {
        let schema = self.resolved(&parameter["schema"]);
        let text = |field: &str| parameter[field].as_str().unwrap_or_default();
        let required = parameter["required"].as_bool().unwrap_or_default();
        html! {
            (term(self.words, text("name"), schema, Some((self.words.place)(text("in"))), required))
            dd { (about(self.words, parameter, schema)) }
        }
    }

    fn response(&self, status: &str, response: &'a Value, name: &str) -> Markup {
        let is_success = status.starts_with('2');
        let errors = if is_success { Vec::new() } else { self.errors(response) };
        let description = response["description"].as_str().unwrap_or_default();
        // a summary is one line
        let (first, rest) = description.split_once('\n').unwrap_or((description, ""));
        html! {
            details.answer open[is_success] {
                summary {
                    b.whole { (status) } " "
                    span { (inline(first)) }
                }
                (prose(rest))
                @if errors.is_empty() {
                    (self.content(response, name))
                } @else {
                    dl.fields { @for (code, sentence) in errors { dt { code { (code) } } dd { p { (inline(sentence)) } } } }
                }
            }
        }
    }

    /// The codes and sentences of the errors that the examples of a response show; none if an example is no error.
    fn errors(&self, response: &'a Value) -> Vec<(&'a str, &'a str)> {
        let media = response["content"].as_object().into_iter().flatten();
        let examples = media.flat_map(|(_, media)| {
            let named = media["examples"].as_object().into_iter().flatten();
            named.map(|(_, example)| &self.resolved(example)["value"]).chain(media.get("example"))
        });
        let error = |example: &'a Value| {
            Some((example["code"].as_str()?, example["error"].as_str().unwrap_or_default()))
        };
        examples.map(error).collect::<Option<_>>().unwrap_or_default()
    }

    /// The schema and the examples of each media type of a body.
    fn content(&self, body: &'a Value, name: &str) -> Markup {
        html! {
            @for (media_type, media) in body["content"].as_object().into_iter().flatten() {
                @if media_type != "application/json" { p.note { code { (media_type) } } }
                @if let Some(media_schema) = media.get("schema") { (schema(self.words, media_schema)) }
                @for (title, example) in self.examples(media) {
                    details.answer {
                        summary { b { (title) } }
                        (code(&format!("{name}: {title}"), &example))
                    }
                }
            }
        }
    }

    /// The examples of a media type with their titles.
    fn examples(&self, media: &'a Value) -> Vec<(&'a str, String)> {
        let single = media.get("example").map(|value| (self.words.example, value));
        let named = media["examples"].as_object().into_iter().flatten().filter_map(|(id, example)| {
            let example = self.resolved(example);
            Some((example["summary"].as_str().unwrap_or(id), example.get("value")?))
        });
        let text = |value: &Value| match value {
            Value::String(text) => text.clone(),
            value => serde_json::to_string_pretty(value).unwrap_or_default(),
        };
        single.into_iter().chain(named).map(|(title, value)| (title, text(value))).collect()
    }

    /// The named schemas that the page of an operation names, and those they refer to. Each action has a page, with its
    /// own.
    fn schemas(&self, operation: &Operation<'a>) -> Markup {
        let mut names = BTreeSet::new();
        self.collect_names(&operation.spec["parameters"], &mut names);
        let has_actions = !self.actions(operation).is_empty();
        if !has_actions {
            self.collect_names(&operation.spec["requestBody"], &mut names);
        }
        for (status, response) in operation.spec["responses"].as_object().into_iter().flatten() {
            let response = self.resolved(response);
            let is_shown = match status.starts_with('2') {
                true => !has_actions,
                false => self.errors(response).is_empty(),
            };
            if is_shown {
                self.collect_names(&response["content"], &mut names);
            }
        }
        html! {
            @if !names.is_empty() {
                h2 { (self.words.schemas) }
                @for name in names {
                    (folded_schema(self.words, name, &self.api["components"]["schemas"][name]))
                }
            }
        }
    }

    fn collect_names(&self, value: &'a Value, names: &mut BTreeSet<&'a str>) {
        match value {
            Value::Object(fields) => {
                if let Some(name) = reference_name(value) {
                    if names.insert(name) {
                        self.collect_names(&self.api["components"]["schemas"][name], names);
                    }
                } else if fields.contains_key("$ref") {
                    self.collect_names(self.resolved(value), names);
                } else {
                    // what looks like a reference in an example is none
                    let fields = fields.iter().filter(|(name, _)| !name.starts_with("example"));
                    fields.for_each(|(_, field)| self.collect_names(field, names));
                }
            }
            Value::Array(list) => list.iter().for_each(|item| self.collect_names(item, names)),
            _ => {}
        }
    }
}

/// A named schema, folded.
fn folded_schema(words: &texts::Reference, name: &str, shown: &Value) -> Markup {
    html! {
        details.answer {
            summary { b { code { (name) } } }
            // inside, so that a link to it opens what it is folded into
            div id={ "schema-" (name) } tabindex="-1" { (schema(words, shown)) }
        }
    }
}

/// The last part of the address of an action's page, as in `post-v1-search-events`.
fn action_id(operation: &Operation<'_>, action: &str) -> String {
    format!("{}-{}", operation.id(), action.replace('_', "-"))
}

/// The name of the schema that an entry of a discriminator's mapping points to.
fn reference_name_of(entry: &Value) -> Option<&str> {
    entry.as_str()?.strip_prefix("#/components/schemas/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::http::language::Language;
    use serde_json::json;

    fn layout(language: Language) -> Layout {
        Layout::new(&Config::load(None, [], &[]).unwrap(), language)
    }

    #[test]
    fn pages_show_what_the_document_says() {
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
        for language in Language::ALL {
            let layout = layout(language);
            let reference = Reference::new(&layout, &api);
            let index = reference.index_page();
            for part in [
                "/api/post-v1\"",
                "/api/get-v1-plans\"",
                "<code>POST /v1</code>",
                "Second &lt;b&gt;paragraph&lt;/b&gt;.",
            ] {
                assert!(index.contains(part), "{part}");
            }
            let pages = reference.operation_pages();
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
    fn an_empty_document_makes_a_page() {
        let (layout, api) = (layout(Language::English), json!({}));
        assert!(Reference::new(&layout, &api).index_page().contains("API reference"));
    }
}
