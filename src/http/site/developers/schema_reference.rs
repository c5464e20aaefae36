//! JSON schemas as the API reference shows them.

use maud::{Markup, html};
use serde_json::Value;

use crate::http::site::layout::prose::prose;
use crate::http::site::texts;

/// How deep schemas are followed into each other.
const MAX_DEPTH: usize = 4;

/// A schema in full. One with a name is linked to: it is listed at the end of the page.
pub(crate) fn schema(words: &texts::Reference, schema: &Value) -> Markup {
    nested(words, schema, 0)
}

fn nested(words: &texts::Reference, schema: &Value, depth: usize) -> Markup {
    if let Some(name) = reference_name(schema) {
        return html! { p { (link(name)) } };
    }
    let description = description(schema);
    if depth > MAX_DEPTH {
        return description;
    }
    let properties = schema["properties"].as_object();
    let is_plain = properties.is_none() && schema["oneOf"].is_null() && schema["allOf"].is_null();
    html! {
        (description)
        @for (key, heading) in [("oneOf", words.one_of), ("anyOf", words.any_of), ("allOf", "")] {
            @if let Some(list) = schema[key].as_array() {
                @if !heading.is_empty() { (heading_of_variants(words, schema, heading)) }
                @for inner in list { (nested(words, inner, depth + 1)) }
            }
        }
        @if is_plain {
            p.note { (type_name(words, schema)) }
            (limits(words, schema))
        } @else if let Some(properties) = properties.filter(|properties| !properties.is_empty()) {
            dl.fields {
                @for (name, property) in properties {
                    @let required = schema["required"].as_array().is_some_and(|list| list.iter().any(|field| field == name));
                    (term(words, name, property, None, required))
                    dd { (about(words, property, property)) (inner_schema(words, property, depth)) }
                }
            }
        }
    }
}

/// The fields of a property that is an object, a list of objects or one of several.
fn inner_schema(words: &texts::Reference, property: &Value, depth: usize) -> Markup {
    let inner = if property["items"].is_object() { &property["items"] } else { property };
    let has_fields = inner["properties"].is_object() || inner["oneOf"].is_array();
    if reference_name(inner).is_none() && has_fields {
        nested(words, inner, depth + 1)
    } else {
        Markup::default()
    }
}

fn heading_of_variants(words: &texts::Reference, schema: &Value, heading: &str) -> Markup {
    html! {
        p {
            (heading)
            @if let Some(property) = schema["discriminator"]["propertyName"].as_str() {
                " (" (words.by) code { (property) } ")"
            }
        }
    }
}

/// The name and type of a field. `place` is where a parameter is sent.
pub(crate) fn term(
    words: &texts::Reference,
    name: &str,
    schema: &Value,
    place: Option<&str>,
    required: bool,
) -> Markup {
    html! {
        dt {
            code { (name) } " "
            span.kind { (type_name(words, schema)) @if let Some(place) = place { ", " (place) } }
            @if required { " " span.required { (words.required) } }
        }
    }
}

/// The description of a field or else of its schema, and the limits of its values.
pub(crate) fn about(words: &texts::Reference, field: &Value, schema: &Value) -> Markup {
    html! {
        @if field["description"].is_string() { (description(field)) } @else { (description(schema)) }
        (limits(words, schema))
    }
}

fn description(value: &Value) -> Markup {
    value["description"].as_str().map(prose).unwrap_or_default()
}

/// The limits of a value.
fn limits(words: &texts::Reference, schema: &Value) -> Markup {
    let mut limits = Vec::new();
    if let Some(values) = schema["enum"].as_array() {
        let values = values.iter().filter(|value| !value.is_null() && **value != "");
        limits.push(html! {
            @for (at, value) in values.enumerate() { @if at > 0 { ", " } code { (plain(value)) } }
        });
    }
    for (key, label) in [
        ("const", words.always),
        ("minimum", words.minimum),
        ("maximum", words.maximum),
        ("maxLength", words.max_length),
        ("default", words.default),
        ("example", words.for_example),
    ] {
        if let Some(value) = schema.get(key).filter(|value| !value.is_object() && !value.is_array()) {
            limits.push(html! { (label) " " code { (plain(value)) } });
        }
    }
    html! {
        @if !limits.is_empty() {
            p.note { @for (at, limit) in limits.iter().enumerate() { @if at > 0 { "; " } (limit) } }
        }
    }
}

/// A text without its quotes, any other value as JSON.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The type of a schema.
fn type_name(words: &texts::Reference, schema: &Value) -> Markup {
    if let Some(name) = reference_name(schema) {
        return link(name);
    }
    if schema["items"].is_object() {
        return html! { (words.list_of) (type_name(words, &schema["items"])) };
    }
    let name = match &schema["type"] {
        Value::String(name) => name.clone(),
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" | "),
        _ => String::new(),
    };
    let format = schema["format"].as_str();
    if name.is_empty() && format.is_none() {
        let variants = ["oneOf", "anyOf", "allOf"].iter().find_map(|key| schema[key].as_array());
        return html! {
            @match variants.filter(|variants| !variants.is_empty()) {
                Some(variants) => {
                    @for (at, variant) in variants.iter().enumerate() { @if at > 0 { " | " } (type_name(words, variant)) }
                },
                None => (words.any),
            }
        };
    }
    html! { (name) @if let Some(format) = format { " (" (format) ")" } }
}

/// The name of the schema that a reference points to.
pub(crate) fn reference_name(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.strip_prefix("#/components/schemas/")
}

fn link(name: &str) -> Markup {
    html! { a href={ "#schema-" (name) } { code { (name) } } }
}
