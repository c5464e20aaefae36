//! JSON Schemas of what may be sent and of what is answered, made from what the actions and the doors tell of
//! themselves. There are two readers: the tools of agents, who pay for every word, and the OpenAPI document, which
//! tells all. Uses [`crate::actions`] and [`crate::shape`].

use serde_json::{Map, Value, json};

use crate::actions::{Kind, Param};
use crate::shape::{Field, Presence, Shape, Type};

/// How much is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::http) enum Detail {
    /// Flat, and in the few words of JSON Schema that every model's maker understands.
    Brief,
    /// Everything, each shape in a component of its own.
    Full,
}

/// An e-mail address as sign-up takes it.
const EMAIL: &str = "^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@\
                     ([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)+[A-Za-z]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$";

/// A whole number, as a text that counts as one.
const DIGITS: &str = "^\\s*([1-9][0-9]*)?\\s*$";

/// A parameter, as it is meant to be sent.
pub(in crate::http) fn param(param: &Param) -> Value {
    let mut schema = match param.kind {
        Kind::Text { .. } | Kind::Date | Kind::Email => json!({ "type": "string" }),
        Kind::Choice(known) => json!({ "type": "string", "enum": known }),
        Kind::Integer { min, max } => json!({ "type": "integer", "minimum": min, "maximum": max }),
    };
    schema["description"] = json!(param.description);
    schema
}

/// An object of parameters, each as `one` tells it.
pub(in crate::http) fn params(params: &[&Param], one: impl Fn(&Param) -> Value) -> Value {
    let properties: Map<String, Value> =
        params.iter().map(|param| (param.name.to_owned(), one(param))).collect();
    let required: Vec<&str> = params.iter().filter(|param| param.required).map(|param| param.name).collect();
    let mut schema = json!({ "type": "object", "properties": properties });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

/// A parameter with all that is taken for it: what may be left out may as well be null or blank, and a number may come
/// as text.
pub(super) fn taken(known: &Param) -> Value {
    let mut schema = param(known);
    match known.kind {
        Kind::Text { max: Some(max) } => schema["maxLength"] = json!(max),
        Kind::Email => {
            schema["format"] = json!("email");
            schema["pattern"] = json!(EMAIL);
            schema["maxLength"] = json!(254);
        }
        _ => {}
    }
    if known.required {
        if matches!(known.kind, Kind::Text { .. }) {
            schema["minLength"] = json!(1);
        }
        return schema;
    }
    let blank = json!({ "type": "string", "pattern": "^\\s*$" });
    let null = json!({ "type": "null" });
    let any = |kinds: Vec<Value>| json!({ "description": known.description, "anyOf": kinds });
    match known.kind {
        Kind::Text { .. } | Kind::Email => schema["type"] = json!(["string", "null"]),
        Kind::Choice(words) => {
            schema["type"] = json!(["string", "null"]);
            let words = words.iter().map(|word| json!(word));
            schema["enum"] = words.chain([json!(""), Value::Null]).collect();
        }
        Kind::Date => return any(vec![json!({ "type": "string", "format": "date" }), blank, null]),
        Kind::Integer { min, max } => {
            let number = json!({ "type": "integer", "minimum": min, "maximum": max });
            return any(vec![number, json!({ "type": "string", "pattern": DIGITS }), null]);
        }
    }
    schema
}

/// An object with these fields.
pub(in crate::http) fn object<'f>(fields: impl IntoIterator<Item = &'f Field>, detail: Detail) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for field in fields {
        properties.insert(field.name.to_owned(), one(field, detail));
        if field.presence == Presence::Always {
            required.push(field.name);
        }
    }
    json!({ "type": "object", "properties": properties, "required": required })
}

fn one(field: &Field, detail: Detail) -> Value {
    let of = |kind: &str| json!({ "type": kind });
    let format = |format: &str| json!({ "type": "string", "format": format });
    let list = |items: Value| json!({ "type": "array", "items": items });
    if detail == Detail::Brief {
        return match field.kind {
            Type::Boolean | Type::Only(_) => of("boolean"),
            Type::Integer => of("integer"),
            // with every field: clients that make types of schemas drop those that are not told
            Type::Object(shape) if shape.is_record() => object(shape.fields, Detail::Brief),
            Type::List(shape) if shape.is_record() => list(object(shape.fields, Detail::Brief)),
            Type::List(shape) => list(json!({ "type": "object", "description": names(shape) })),
            Type::Object(_) | Type::Counts => of("object"),
            Type::Texts => list(of("string")),
            _ => of("string"),
        };
    }
    let mut schema = match field.kind {
        Type::Boolean => of("boolean"),
        Type::Only(always) => json!({ "type": "boolean", "const": always }),
        Type::Integer => json!({ "type": "integer", "minimum": 0 }),
        Type::Text => json!({ "type": "string", "minLength": 1 }),
        Type::Date => format("date"),
        Type::Time => json!({ "type": "string", "pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$" }),
        Type::Moment => format("date-time"),
        Type::Link => format("uri"),
        Type::Key => json!({ "type": "string", "pattern": "^cdg_live_[0-9A-Za-z]{38}$" }),
        Type::Choice(words) => json!({ "type": "string", "enum": words }),
        Type::Object(shape) => {
            return json!({ "$ref": component(shape), "description": sentence(field.about) });
        }
        Type::List(shape) => list(json!({ "$ref": component(shape) })),
        Type::Texts => list(of("string")),
        Type::Counts => {
            json!({ "type": "object", "additionalProperties": { "type": "integer", "minimum": 0 } })
        }
    };
    schema["description"] = json!(sentence(field.about));
    schema
}

fn names(shape: &Shape) -> String {
    shape.fields.iter().map(|field| field.name).collect::<Vec<_>>().join(", ")
}

/// Where a shape is told.
pub(super) fn component(shape: &Shape) -> String {
    format!("#/components/schemas/{}", shape.name)
}

/// The shape as a component, and those that it holds.
pub(super) fn add_components(shape: &Shape, schemas: &mut Map<String, Value>) {
    let mut schema = object(shape.fields, Detail::Full);
    schema["description"] = json!(shape.about);
    schemas.insert(shape.name.to_owned(), schema);
    add_inner(shape.fields, schemas);
}

/// The shapes that the fields hold, as components.
pub(super) fn add_inner<'f>(fields: impl IntoIterator<Item = &'f Field>, schemas: &mut Map<String, Value>) {
    for field in fields {
        if let Type::Object(inner) | Type::List(inner) = field.kind {
            add_components(inner, schemas);
        }
    }
}

/// Words as a sentence.
fn sentence(words: &str) -> String {
    let mut chars = words.chars();
    let first = chars.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    let end = if words.ends_with('.') { "" } else { "." };
    format!("{first}{}{end}", chars.as_str())
}
