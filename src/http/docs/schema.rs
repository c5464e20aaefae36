//! JSON Schemas of parameters and answers. Answers derive theirs from their types; parameters are a table of their own.
//! The OpenAPI document has every detail, the tools of `/mcp` a brief form, since agents pay for every word.

use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use crate::actions::{Action, LISTS, MAX_FILTERS, Param, ParamType};
use crate::domain::account::MAX_EMAIL;

/// Schemas by name.
pub(in crate::http) type Components = Map<String, Value>;

/// The e-mail addresses that sign-up accepts.
const EMAIL: &str = "^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@\
                     ([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)+[A-Za-z]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$";

/// A time of the day.
const TIME: &str = "^([01][0-9]|2[0-3]):[0-5][0-9]$";

/// The words for a day that the documents name; others are understood too.
const DAYS: &str = "today|tomorrow|monday|tuesday|wednesday|thursday|friday|saturday|sunday";

/// Makes schemas of answers, each type a component of the OpenAPI document.
pub(super) fn generator() -> SchemaGenerator {
    SchemaSettings::draft2020_12()
        .with(|settings| settings.definitions_path = "/components/schemas".into())
        .for_serialize()
        .with_transform(RecursiveTransform(apply_answer_rules))
        .into_generator()
}

/// The rules of all answers: unknown fields are absent, never null and never blank.
fn apply_answer_rules(schema: &mut Schema) {
    let Some(schema) = schema.as_object_mut() else { return };
    if let Some(Value::String(description)) = schema.get_mut("description") {
        *description = description.replace('\n', " ");
    }
    if schema.get("type").is_some_and(|kind| kind == "integer") {
        schema.remove("format");
    }
    let mut optional = Vec::new();
    for (name, property) in schema.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten()
    {
        if remove_null(property) {
            optional.push(name.clone());
        }
        let is_bounded = ["format", "pattern", "enum", "const"].iter().any(|key| property.get(key).is_some());
        if property["type"] == "string" && !is_bounded {
            property["minLength"] = json!(1);
        }
    }
    if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
        required.retain(|name| !optional.iter().any(|optional| name == optional));
    }
}

/// Takes null from the accepted types. Whether it was one of them.
fn remove_null(schema: &mut Value) -> bool {
    if let Some(kinds) = schema["type"].as_array() {
        let kind = kinds.iter().find(|kind| *kind != "null").cloned();
        schema["type"] = kind.unwrap_or_default();
        return true;
    }
    let Some(schema) = schema.as_object_mut() else { return false };
    let Some(Value::Array(any)) = schema.remove("anyOf") else { return false };
    schema.extend(
        any.into_iter()
            .filter_map(|one| match one {
                Value::Object(one) if one.get("type").is_none_or(|kind| kind != "null") => Some(one),
                _ => None,
            })
            .flatten(),
    );
    true
}

/// The name of the component that a schema refers to.
pub(super) fn component_name(schema: &Value) -> Option<&str> {
    schema.get("$ref")?.as_str()?.rsplit('/').next()
}

/// The properties of an object and whether each is always present: those that are, in the order of the type, then the
/// others.
pub(super) fn properties(schema: &Value) -> Vec<(&str, &Value, bool)> {
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let always = required.iter().map(|name| (*name, &schema["properties"][name], true));
    let all = schema["properties"].as_object().into_iter().flatten();
    let sometimes = all
        .filter(|(name, _)| !required.contains(&name.as_str()))
        .map(|(name, property)| (name.as_str(), property, false));
    always.chain(sometimes).collect()
}

/// A parameter as tools describe it.
pub(in crate::http) fn brief_param(param: &Param) -> Value {
    let mut schema = match param.kind {
        // not a list of types, which some clients cannot read
        ParamType::Texts { tools_say_list: true, .. } => {
            let text = json!({ "type": "string" });
            json!({ "anyOf": [text, { "type": "array", "items": text }] })
        }
        ParamType::Text { .. }
        | ParamType::Texts { .. }
        | ParamType::Names(_)
        | ParamType::Date
        | ParamType::Time
        | ParamType::Email => {
            json!({ "type": "string" })
        }
        ParamType::Flag => json!({ "type": "boolean" }),
        ParamType::Choice(known) => json!({ "type": "string", "enum": known }),
        ParamType::Integer { min, max } => json!({ "type": "integer", "minimum": min, "maximum": max }),
    };
    schema["description"] = json!(param.description);
    schema
}

/// The component that takes one name or a list of names.
pub(super) const NAMES: &str = "NameOrNames";

/// The component that takes some of the names of a list: that of a name is `one`.
pub(super) fn list_name(one: &str) -> String {
    format!("{one}List")
}

/// A parameter in a body: where several values may be sent, one text or a list. Each such type is a component, so that
/// generated clients have one type for all parameters that take it.
pub(super) fn body_param(param: &Param) -> Value {
    let component = match param.kind {
        ParamType::Texts { .. } => Some(NAMES.to_owned()),
        ParamType::Names(names) => {
            let list = LISTS.iter().find(|(.., known)| *known == names);
            list.map(|(one, ..)| list_name(one))
        }
        _ => None,
    };
    match component {
        Some(name) => {
            json!({ "$ref": format!("#/components/schemas/{name}"), "description": param.description })
        }
        None => strict_param(param),
    }
}

/// One text, or a list of these items.
pub(super) fn text_or_list(description: &str, items: Value) -> Value {
    let list = json!({ "type": "array", "items": items });
    // the two exclude each other: some generators read anyOf as all of them together
    json!({ "description": description, "oneOf": [{ "type": "string" }, list] })
}

/// A parameter as clients should send it in an address, where commas separate the items of a list. What is understood
/// beside that (null and blank values, a number in a string, more words for days) stays undocumented, so that generated
/// clients have one type for it.
pub(super) fn strict_param(param: &Param) -> Value {
    let mut schema = brief_param(param);
    match param.kind {
        ParamType::Text { max } => {
            if let Some(max) = max {
                schema["maxLength"] = json!(max);
            }
            if param.required {
                schema["minLength"] = json!(1);
            }
        }
        ParamType::Email => {
            schema["format"] = json!("email");
            schema["pattern"] = json!(EMAIL);
            schema["maxLength"] = json!(MAX_EMAIL);
        }
        ParamType::Names(names) => {
            let items = json!({ "type": "string", "enum": names });
            schema = json!({ "type": "array", "items": items, "description": param.description });
        }
        // a bound of the items would make each list a type of its own in clients
        ParamType::Texts { .. } => {
            let items = json!({ "type": "string" });
            schema = json!({
                "type": "array", "items": items, "maxItems": MAX_FILTERS, "description": param.description,
            });
        }
        ParamType::Date => schema["pattern"] = json!(format!("^([0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}|{DAYS})$")),
        ParamType::Time => schema["pattern"] = json!(TIME),
        ParamType::Flag | ParamType::Choice(_) | ParamType::Integer { .. } => {}
    }
    schema
}

/// An object of parameters; `one` makes the schema of each.
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

/// The answer of an action as tools describe it, without the fields `left_out`: flat, in the few keywords of JSON
/// Schema that all clients understand, and without what is always present, which helps no agent.
pub(in crate::http) fn brief_answer(action: &Action, left_out: &[&str]) -> Value {
    let mut generator = generator();
    let answer = action.tool_answer(&mut generator).to_value();
    let components = generator.take_definitions(true);
    component_name(&answer)
        .and_then(|name| components.get(name))
        .map(|schema| brief_envelope(schema, &components, action, left_out))
        .unwrap_or_default()
}

fn brief_envelope(schema: &Value, components: &Components, action: &Action, left_out: &[&str]) -> Value {
    let mut kept = properties(schema);
    kept.retain(|(name, ..)| !left_out.contains(name));
    // Every word of the list costs agents, so an answer describes only the record that its action is named for.
    let is_main = |name: &str| action.name().split_once('_').is_some_and(|(_, main)| main == name);
    let one = |name: &str, property: &Value| match is_record(property, components) && !is_main(name) {
        true if property.get("items").is_some() => json!({ "type": "array", "items": { "type": "object" } }),
        true => json!({ "type": "object" }),
        false => brief(property, components),
    };
    let properties: Map<String, Value> =
        kept.iter().map(|(name, property, _)| ((*name).to_owned(), one(name, property))).collect();
    json!({ "type": "object", "properties": properties })
}

fn brief_record(schema: &Value, components: &Components, is_listed: bool) -> Value {
    let fields = properties(schema).into_iter().filter(|(name, ..)| is_listed || !is_of_a_search(name));
    let properties: Map<String, Value> =
        fields.map(|(name, property, _)| (name.to_owned(), brief(property, components))).collect();
    json!({ "type": "object", "properties": properties })
}

/// Whether only searches give a record this field.
pub(super) fn is_of_a_search(field: &str) -> bool {
    ["distance_m", "distance_is", "dates"].contains(&field)
}

/// Whether a field holds a record or a list of records.
fn is_record(schema: &Value, components: &Components) -> bool {
    let named = component_name(schema.get("items").unwrap_or(schema));
    named.and_then(|name| components.get(name)).is_some_and(|object| object["properties"].get("id").is_some())
}

/// A field in brief. Records have all their fields, since some clients drop those that the schema does not name; other
/// objects only say in words what they hold.
fn brief(schema: &Value, components: &Components) -> Value {
    let component = |schema: &Value| component_name(schema).and_then(|name| components.get(name));
    if let Some(object) = component(schema) {
        return match is_record(schema, components) {
            true => brief_record(object, components, false),
            false => json!({ "type": "object" }),
        };
    }
    let Some(items) = schema.get("items") else { return json!({ "type": schema["type"] }) };
    let items = match component(items) {
        Some(object) if is_record(items, components) => brief_record(object, components, true),
        Some(object) => {
            let names: Vec<&str> = properties(object).iter().map(|(name, ..)| *name).collect();
            json!({ "type": "object", "description": names.join(", ") })
        }
        None => json!({ "type": items["type"] }),
    };
    json!({ "type": "array", "items": items })
}
