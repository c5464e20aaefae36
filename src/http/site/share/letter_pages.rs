//! The pages of the weekly letter.

use maud::html;

use crate::http::site::layout::components::more;
use crate::http::site::layout::form_fields::{Submitted, TextField, honeypot};
use crate::http::site::layout::{Layout, Meta};

/// Slugs and names of areas.
type Areas = [(String, String)];

/// The form.
pub(crate) fn form(layout: &Layout, areas: &Areas, submitted: &Submitted<'_>) -> String {
    let words = &layout.texts.letter;
    let listed = submitted.errors.is_empty() && submitted.value("area").is_empty();
    let meta = Meta { title: words.title, description: words.description, path: "/sexta", query: "", listed };
    let email = TextField::email(words.email);
    let main = html! {
        div.wide.narrow-top.split {
            div {
                h1 { (words.title) }
                p.lead { (words.lead) }
                ul.plain { @for fact in words.facts { li { (fact) } } }
                (more(&layout.path("/privacidade"), layout.texts.privacy.title))
            }
            @if !layout.mail_open { p.no { (layout.texts.errors.signup_closed) } }
            @else { form.sheet method="post" action=(layout.path("/sexta")) {
                (submitted.form_error(&["email"]))
                (email.render(submitted))
                @if !areas.is_empty() {
                    div.field {
                        label for="area" { (words.area.label) }
                        select #area name="area" aria-describedby="area-help" {
                            option value="" { (words.everywhere) }
                            @for (slug, name) in areas {
                                option value=(slug) selected[submitted.value("area") == slug] { (name) }
                            }
                        }
                        p.help #area-help { (words.area.help) }
                    }
                }
                (honeypot(layout.texts.suggest.trap))
                button type="submit" { (words.submit) }
            } }
        }
    };
    layout.page(&meta, main)
}

/// The page after the form, the same for every address.
pub(crate) fn sent(layout: &Layout) -> String {
    let words = &layout.texts.letter;
    let rest = html! {
        p { (layout.texts.signup_sent.spam) }
        (more(&layout.path("/fim-de-semana"), layout.texts.agenda.weekend))
    };
    layout.message("/sexta/sent", words.sent, words.sent_lead, &rest)
}
