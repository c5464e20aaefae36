//! The enumerations of the OpenAPI document by name. Generators make one type of a component; of a list of words in
//! place they make one for each field that has it.

use serde_json::{Value, json};
use snapshots::Status;
use strum::VariantNames as _;

use super::super::billing::OrderStatus;
use super::schema::{NAMES, list_name, text_or_list};
use crate::actions::{Coverage, DISTANCE_TARGETS, GROUPS, KINDS, LISTS, MAX_FILTERS, MatchKind};
use crate::billing::subscription::SubscriptionStatus;
use crate::domain::clock::WEEKDAYS;
use crate::domain::error::ApiError;
use crate::domain::order::Method;
use crate::domain::plan::{Offer, Plan};
use crate::serving::labels::AreaLabel;

/// An enumeration.
struct Named {
    name: &'static str,
    description: &'static str,
    words: Vec<&'static str>,
}

impl Named {
    fn new(name: &'static str, description: &'static str, words: &[&'static str]) -> Named {
        Named { name, description, words: words.to_vec() }
    }
}

/// All enumerations of parameters and answers.
fn named() -> Vec<Named> {
    let named = [
        Named::new("Plan", "A plan.", Plan::NAMES),
        Named::new("PaidPlan", "A plan that is paid.", Plan::PAID),
        Named::new("PaymentMethod", "A payment method; UNDEFINED: the payer chooses.", Method::NAMES),
        Named::new("OfferedMethod", "A payment method that an order may ask for.", Method::OFFERED),
        Named::new("OrderStatus", "Whether an order is paid.", OrderStatus::NAMES),
        Named::new("SubscriptionStatus", "State of a subscription.", SubscriptionStatus::NAMES),
        Named::new("Weekday", "A day of the week.", &WEEKDAYS),
        Named::new("MatchKind", "Whether results meet the whole question or most of it.", MatchKind::NAMES),
        Named::new("Coverage", "How much of the areas of a question the plan covers.", Coverage::NAMES),
        Named::new("DistanceTarget", "What a distance is measured to.", DISTANCE_TARGETS),
        Named::new("EventStatus", "Why an event does not take place as announced.", Status::VARIANTS),
        Named::new("AreaKind", "Kind of an area.", AreaLabel::KINDS),
        Named::new("PlanRegions", "The regions that a plan covers.", &Offer::REGIONS),
        Named::new("PlanFields", "The fields that a plan shows.", &Offer::FIELDS),
        Named::new("RecordKind", "A kind of records.", KINDS),
        Named::new("Grouping", "How events of one repetition are listed.", GROUPS),
        Named::new(
            "EventAction",
            "The actions that answer with an event, which may be asked for as a place.",
            &["get_event", "get_place"],
        ),
        Named::new(
            "UnknownTopic",
            "What the guide does not know of its records.",
            &index::grammar::hints::Hint::NAMES,
        ),
        Named { name: "ErrorCode", description: "What is wrong, for programs.", words: error_codes() },
    ];
    let lists = LISTS.map(|(name, description, words)| Named::new(name, description, words));
    named.into_iter().chain(lists).collect()
}

/// The codes that clients may meet.
pub(super) fn error_codes() -> Vec<&'static str> {
    let public = ApiError::examples().into_iter().filter(ApiError::is_public);
    public.map(|error| error.details().code).collect()
}

/// The parameters that take one text or a list.
fn add_lists(document: &mut Value) {
    let schemas = &mut document["components"]["schemas"];
    let about =
        format!("One name, or a list of at most {MAX_FILTERS} of them: what has any of them is found.");
    schemas[NAMES] = text_or_list(&about, json!({ "type": "string" }));
    for (name, _, words) in LISTS {
        let about = "Some of these names: a list, or one text with commas between them.";
        schemas[list_name(name)] = text_or_list(about, json!({ "type": "string", "enum": words }));
    }
}

/// Replaces every enumeration of the document by a reference to a component, and adds the components.
pub(super) fn name_all(document: &mut Value) {
    add_lists(document);
    let all = named();
    name(document, &all);
    for Named { name, description, words } in all {
        document["components"]["schemas"][name] =
            json!({ "type": "string", "description": description, "enum": words });
    }
}

fn name(value: &mut Value, all: &[Named]) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(|value| name(value, all)),
        Value::Object(fields) => {
            let words = fields.get("enum").and_then(Value::as_array);
            let known = words.and_then(|words| all.iter().find(|known| words == &known.words));
            if let Some(known) = known {
                fields.remove("enum");
                fields.remove("type");
                fields.remove("minLength");
                fields.insert("$ref".to_owned(), json!(format!("#/components/schemas/{}", known.name)));
            }
            // examples are no schemas
            let schemas = fields.iter_mut().filter(|(key, _)| *key != "examples" && *key != "example");
            schemas.for_each(|(_, value)| name(value, all));
        }
        _ => {}
    }
}
