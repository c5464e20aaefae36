//! Prompts that people pick in an assistant, and the completion of their arguments from the vocabulary.

use index::grammar::fold::fold;
use serde_json::{Value, json};

use super::jsonrpc::{Fault, Given, INVALID_PARAMS};
use crate::actions::Params;
use crate::serving::ServingSnapshot;

/// A prompt: its arguments, and the sentence that is made of them.
struct Prompt {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    /// Name, description, and the words in front of the value in the sentence.
    arguments: &'static [(&'static str, &'static str, &'static str)],
    opening: &'static str,
    closing: &'static str,
}

const PROMPTS: [Prompt; 2] = [
    Prompt {
        name: "whats_on",
        title: "What is on",
        description: "Events and shows in Brasília, by area, category and day.",
        arguments: &[
            ("when", "When, in words: tonight, this weekend, 7 de dezembro.", " when: "),
            ("region", "Neighbourhood, region or zone.", " where: "),
            ("category", "Kind of event, in Portuguese or English.", " what: "),
        ],
        opening: "What is on in Brasília? Look it up in the guide with search_events;",
        closing: " Tell me date, time, venue and price of each, and credit the guide.",
    },
    Prompt {
        name: "where_to_go",
        title: "Where to go",
        description: "Places in Brasília to eat, drink, see or walk, by area and category.",
        arguments: &[
            ("category", "Kind of place, in Portuguese or English.", " what: "),
            ("region", "Neighbourhood, region or zone.", " where: "),
        ],
        opening: "Where should I go in Brasília? Look it up in the guide with search_places;",
        closing: " Tell me what each is known for, and credit the guide.",
    },
];

/// The longest argument, in bytes.
const MAX_ARGUMENT: usize = 200;

/// The most values that a completion returns.
const MAX_VALUES: usize = 20;

/// All prompts, for `prompts/list`.
pub(super) fn list() -> Value {
    let describe = |prompt: &Prompt| {
        let arguments: Vec<Value> = prompt
            .arguments
            .iter()
            .map(|(name, description, _)| json!({ "name": name, "description": description, "required": false }))
            .collect();
        json!({
            "name": prompt.name,
            "title": prompt.title,
            "description": prompt.description,
            "arguments": arguments,
        })
    };
    PROMPTS.iter().map(describe).collect()
}

/// The result of `prompts/get`.
pub(super) fn get(name: &str, arguments: &Given<Params>) -> Result<Value, Fault> {
    let Some(prompt) = PROMPTS.iter().find(|prompt| prompt.name == name) else {
        let names = PROMPTS.each_ref().map(|prompt| prompt.name).join(", ");
        return Err(Fault::new(INVALID_PARAMS, format!("Unknown prompt. Send name as one of {names}.")));
    };
    let nothing = Params::default();
    let sent = match arguments {
        Given::Nothing => &nothing,
        Given::Object(sent) => sent,
        Given::Other => return Err(Fault::new(INVALID_PARAMS, "Send arguments as an object of strings.")),
    };
    let mut text = prompt.opening.to_owned();
    for (name, _, lead) in prompt.arguments {
        match sent.get(name).map(|value| value.as_text()) {
            None => {}
            Some(Some(value)) if value.len() <= MAX_ARGUMENT => {
                let words: Vec<&str> = value.split_whitespace().collect();
                if !words.is_empty() {
                    text += &format!("{lead}{};", words.join(" "));
                }
            }
            Some(_) => {
                let message = format!("Send {name} as a string of at most {MAX_ARGUMENT} bytes.");
                return Err(Fault::new(INVALID_PARAMS, message));
            }
        }
    }
    let text = format!("{}.{}", text.trim_end_matches(';'), prompt.closing);
    Ok(json!({
        "description": prompt.description,
        "messages": [{ "role": "user", "content": { "type": "text", "text": text } }],
    }))
}

/// The result of `completion/complete`: names of the vocabulary that begin with the typed text, or have a word that
/// does. The prompt is not checked, because the official conformance suite completes for one of its own.
pub(super) fn complete(argument: &Given<Params>, snapshot: Option<&ServingSnapshot>) -> Result<Value, Fault> {
    let wrong =
        || Fault::new(INVALID_PARAMS, "Send argument as an object with name and value, both strings.");
    let Given::Object(argument) = argument else { return Err(wrong()) };
    let text = |field| argument.get(field).and_then(|value| value.as_text());
    let (Some(name), Some(value)) = (text("name"), text("value")) else { return Err(wrong()) };
    let typed = if value.len() <= MAX_ARGUMENT { fold(value) } else { return Err(wrong()) };
    let begins = |known: &str| {
        let known = fold(known);
        known.starts_with(&typed) || known.split(' ').any(|word| word.starts_with(&typed))
    };
    let known: Vec<&str> = match (name, snapshot.map(|snapshot| snapshot.guide.vocabulary())) {
        ("region", Some(vocabulary)) => vocabulary.areas.iter().map(|area| area.name.as_str()).collect(),
        ("category", Some(vocabulary)) => {
            vocabulary.categories.iter().map(|category| category.pt.as_str()).collect()
        }
        _ => Vec::new(),
    };
    let mut values: Vec<&str> = known.into_iter().filter(|name| begins(name)).collect();
    let total = values.len();
    values.truncate(MAX_VALUES);
    Ok(json!({ "completion": { "values": values, "total": total, "hasMore": total > MAX_VALUES } }))
}
