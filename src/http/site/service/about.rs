//! Who stands behind the guide: what it knows, privacy, terms, contact, and the form for suggestions.

use index::{Collection, View};
use maud::{Markup, html};
use serde_json::{Map, Value};

use crate::domain::clock::{DAY, UnixMillis};
use crate::domain::suggestion::{MAX_CONTACT, MAX_TEXT};
use crate::http::site::layout::components::{Show, more, section};
use crate::http::site::layout::form_fields::{Submitted, TextField, honeypot};
use crate::http::site::layout::prose::prose;
use crate::http::site::layout::{Layout, Meta, strip};
use crate::http::site::texts::Document;

/// The fields of places whose coverage is shown, in the order of their names in the texts.
const COVERED_PLACES: [&str; 5] = ["address", "neighbourhood", "price", "instagram", "description"];

/// The fields of events.
const COVERED_EVENTS: [&str; 4] = ["address", "start_time", "price", "neighbourhood"];

/// How long `security.txt` is valid: RFC 9116 recommends less than a year.
const SECURITY_VALID_MILLIS: i64 = 180 * DAY;

/// The page about the guide and the snapshot in service.
pub(crate) fn page(show: Show<'_>) -> String {
    let Show { layout, data, guide, .. } = show;
    let (words, calendar) = (&layout.texts.about, &layout.texts.calendar);
    let count = |number: usize| calendar.number(u32::try_from(number).unwrap_or(u32::MAX));
    let home = data.directory.home;
    let in_home = (words.counts)(
        &count(guide.places.filtered(home, None).len()),
        &count(guide.events.filtered(home, None).len()),
    );
    let all = (words.counts)(&calendar.number(guide.places.len()), &calendar.number(guide.events.len()));
    let finished = data.curated_day().map(|day| calendar.dated(day, data.day)).unwrap_or_default();
    let facts = [(words.finished, &finished), (words.free_area, &in_home), (words.whole_guide, &all)];
    let main = html! {
        (strip(5))
        div.wide.narrow-top {
            h1 { (words.title) }
            p.lead { (words.lead) }
            @for (title, text) in words.sections { h2.dates-title { (title) } p { (text) } }
            (section("edition", words.edition, "", html! {
                dl.facts {
                    @for (term, text) in facts.into_iter().filter(|(_, text)| !text.is_empty()) {
                        div { dt { (term) } dd { (text) } }
                    }
                }
            }))
            (section("coverage", words.coverage, "", html! {
                p { (words.coverage_lead) }
                div.split {
                    (coverage(layout, layout.texts.layout.places, &guide.places, &COVERED_PLACES, &words.place_fields))
                    (coverage(layout, layout.texts.layout.events, &guide.events, &COVERED_EVENTS, &words.event_fields))
                }
            }))
            (more(&layout.path("/sugerir"), layout.texts.suggest.title))
        }
    };
    let meta =
        Meta { title: words.title, description: words.description, path: "/sobre", query: "", listed: true };
    layout.page(&meta, main)
}

/// Of how many records each field is known. Fields that paid plans see are counted and not shown.
fn coverage(layout: &Layout, title: &str, records: &Collection, fields: &[&str], names: &[&str]) -> Markup {
    let calendar = &layout.texts.calendar;
    let mut known = vec![0_u32; fields.len()];
    for rank in 0..records.len() {
        let json = records.rendered.object(rank, View::Full);
        let record: Map<String, Value> = serde_json::from_slice(&json).unwrap_or_default();
        for (count, field) in known.iter_mut().zip(fields) {
            *count += u32::from(record.get(*field).is_some_and(is_known));
        }
    }
    let all = calendar.number(records.len());
    html! {
        div {
            h3 { (title) }
            dl.facts {
                // what nobody has looked for is no measure of the guide
                @for (name, count) in names.iter().zip(known).filter(|(_, count)| *count > 0) {
                    div { dt { (name) } dd { ((layout.texts.about.of)(&calendar.number(count), &all)) } }
                }
            }
        }
    }
}

fn is_known(value: &Value) -> bool {
    !value.is_null() && value.as_str().is_none_or(|text| !text.is_empty())
}

/// A page of prose at a path.
pub(crate) fn document(layout: &Layout, path: &str, document: &Document) -> String {
    let suggest = &layout.texts.suggest;
    let contact = match &layout.contact {
        Some(address) => (suggest.write_to)(address),
        None => suggest.write_here.to_owned(),
    };
    let [payment, takeover, report] = match layout.contact {
        Some(_) => suggest.to_write,
        None => suggest.to_write_here,
    };
    let text = document
        .text
        .replace("{contact}", &contact)
        .replace("{payment}", payment)
        .replace("{takeover}", takeover)
        .replace("{report}", report)
        .replace("{service}", &layout.service_name)
        .replace("{site}", &format!("<{}>", layout.service_site));
    let main = html! {
        (strip(6))
        div.wide.narrow-top.prose { h1 { (document.title) } (prose(&text)) }
    };
    let meta =
        Meta { title: document.title, description: document.description, path, query: "", listed: true };
    layout.page(&meta, main)
}

/// The path of the page after a suggestion.
pub(crate) const SENT: &str = "/sugerir/sent";

/// The form for suggestions, about a record with this name where it is about one that the guide has.
pub(crate) fn suggest_page(layout: &Layout, submitted: &Submitted<'_>, name: Option<&str>) -> String {
    let words = &layout.texts.suggest;
    let about = submitted.value("about");
    let listed = submitted.errors.is_empty() && about.is_empty();
    let meta =
        Meta { title: words.title, description: words.description, path: "/sugerir", query: "", listed };
    let contact = TextField {
        name: "contact",
        texts: words.contact,
        kind: "text",
        required: false,
        max_length: MAX_CONTACT,
        autocomplete: "email",
    };
    let main = html! {
        div.wide.narrow-top.split {
            div {
                h1 { (words.title) }
                p.lead { (words.lead) }
            }
            form.sheet method="post" action=(layout.path("/sugerir")) {
                (submitted.form_error(&["text", "contact"]))
                @if !about.is_empty() {
                    p { (words.about) " " a href={ (layout.prefix()) (about) } { (name.unwrap_or(about)) } }
                    input type="hidden" name="about" value=(about);
                }
                div.field {
                    label for="text" { (words.text.label) }
                    (submitted.field_error("text"))
                    textarea #text name="text" rows="6" required maxlength=(MAX_TEXT)
                        aria-invalid=[submitted.invalid("text")] autofocus[submitted.is_first_wrong("text")]
                        aria-describedby={ @if submitted.invalid("text").is_some() { "text-no " } "text-help" } {
                        (submitted.value("text"))
                    }
                    p.help #text-help { (words.text.help) }
                }
                (contact.render(submitted))
                (honeypot(words.trap))
                button type="submit" { (words.submit) }
            }
        }
    };
    layout.page(&meta, main)
}

/// The page after a suggestion, with a way back to the record that it was about: its path and name.
pub(crate) fn sent_page(layout: &Layout, about: Option<(&str, &str)>) -> String {
    let words = &layout.texts.suggest;
    let query = about.map(|(path, _)| format!("?about={path}")).unwrap_or_default();
    let ways = html! {
        @if let Some((path, name)) = about { (more(&layout.path(path), name)) }
        (more(layout.home(), words.back))
    };
    layout.message_at([SENT, &query], words.sent, words.sent_lead, &ways)
}

/// `/.well-known/security.txt` (RFC 9116). It ends at a midnight, so that it changes once a day.
pub(crate) fn security(layout: &Layout, now: UnixMillis) -> String {
    let base = &layout.base;
    let contact = match &layout.contact {
        Some(address) => format!("mailto:{address}"),
        // not the policy, which names this file
        None => format!("{base}/sugerir"),
    };
    let expires = UnixMillis((now.0 + SECURITY_VALID_MILLIS) / DAY * DAY);
    format!(
        "Contact: {contact}\nExpires: {expires}\nPreferred-Languages: pt, en\n\
         Canonical: {base}/.well-known/security.txt\nPolicy: {base}/contato\n"
    )
}
