//! The form that requests a key, and the page that follows it.

use maud::html;

use crate::domain::plan::Plans;
use crate::http::site::layout::components::more;
use crate::http::site::layout::form_fields::{Submitted, TextField};
use crate::http::site::layout::{Layout, Meta};
use crate::signup::{MAX_NAME, MAX_USE_CASE};

/// The form that requests a key.
pub(crate) fn page(layout: &Layout, plans: &Plans, submitted: &Submitted<'_>) -> String {
    let (words, common) = (&layout.texts.signup, &layout.texts.layout);
    let listed = submitted.errors.is_empty();
    let meta =
        Meta { title: words.title, description: words.description, path: "/signup", query: "", listed };
    let name = TextField::name(words.name, MAX_NAME);
    let email = TextField::email(words.email);
    let use_case = TextField {
        name: "use_case",
        texts: words.use_case,
        max_length: MAX_USE_CASE,
        autocomplete: "off",
        ..name
    };
    let main = html! {
        div.wide.narrow-top.split {
            div {
                h1 { (words.title) }
                p.lead { (words.lead) }
                ul.plain {
                    li {
                        b { (layout.texts.calendar.number(plans.free.per_month)) } " " ((common.calls_per_month)(plans.free.per_month))
                    }
                    li { (words.any_date) }
                    li { (words.same_key) }
                }
            }
            @if !layout.mail_open { p.no { (layout.texts.errors.signup_closed) } }
            @else { form.sheet method="post" action=(layout.path("/signup")) {
                (submitted.form_error(&["email", "name", "company", "use_case"]))
                @for field in [email, name, use_case] { (field.render(submitted)) }
                button type="submit" { (words.submit) }
            } }
        }
    };
    layout.page(&meta, main)
}

/// The page after a sign-up, the same for every address.
pub(crate) fn sent_page(layout: &Layout) -> String {
    let words = &layout.texts.signup_sent;
    let rest = html! {
        p { (words.spam) }
        (more(&layout.path("/agents"), words.meanwhile))
    };
    layout.message("/signup/sent", words.title, words.lead, &rest)
}
