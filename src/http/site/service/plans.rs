//! Plans with their prices, and the form that orders one.

use index::View;
use maud::{Markup, html};

use crate::billing::checkout::MAX_PAYER_NAME;
use crate::domain::plan::{Plan, Plans, Row};
use crate::domain::{api_key, tax};
use crate::http::site::layout::form_fields::{Submitted, TextField};
use crate::http::site::layout::{Layout, Meta};

/// The plan with this name, if it is one that can be ordered.
pub(crate) fn paid_plan(name: &str) -> Option<Plan> {
    Plan::ALL.into_iter().find(|plan| *plan != Plan::Free && plan.as_str() == name)
}

/// What follows the path of a page on which a plan is chosen; empty without one.
pub(crate) fn chosen_plan(plan: Option<Plan>) -> String {
    plan.map(|plan| format!("?plan={plan}")).unwrap_or_default()
}

/// Plans and prices, and the order form.
pub(crate) fn page(layout: &Layout, plans: &Plans, submitted: &Submitted<'_>) -> String {
    let (words, title) = (&layout.texts.plans, layout.texts.layout.plans_and_prices);
    let listed = submitted.errors.is_empty();
    let query = chosen_plan(paid_plan(submitted.value("plan")));
    let meta = Meta { title, description: words.description, path: "/plans", query: "", listed };
    let main = html! {
        div.wide.narrow-top {
            h1 { (title) }
            p.lead { (words.lead) }
            ul.plans { @for plan in Plan::ALL { (offer(layout, &plans.row(plan))) } }
            p.note { ((words.known)(&layout.path("/sobre#coverage"))) }
            p.note { (words.note) }
            section.part.split aria-labelledby="subscribe" {
                div {
                    h2 #subscribe tabindex="-1" { (layout.texts.layout.subscribe) }
                    @if layout.payments_open {
                        // the page is the same for all, so that it is kept: the address asks who is not signed in
                        p {
                            a href={ (layout.path("/conta/plano")) (query) } { (layout.texts.account.order_signed_in) } "."
                        }
                        p { (words.key_needed) a href=(layout.path("/signup")) { (words.get_yours) } "." }
                        p { (words.how_it_works) }
                        (terms(layout))
                    } @else {
                        p { (words.closed) }
                    }
                }
                @if layout.payments_open { (order_form(layout, plans, submitted, None)) }
            }
        }
    };
    layout.page(&meta, main)
}

/// What else to know of a paid plan before it is ordered.
pub(crate) fn terms(layout: &Layout) -> Markup {
    html! { ul { @for term in layout.texts.account.plan_terms { li { (term) } } } }
}

fn offer(layout: &Layout, row: &Row) -> Markup {
    let (words, common, calendar) = (&layout.texts.plans, &layout.texts.layout, &layout.texts.calendar);
    let Row { plan, figures, all_regions, view } = *row;
    html! {
        li.plan {
            h2 { (plan.title()) }
            p.price {
                @match figures.price_cents { 0 => (layout.texts.record.free), cents => (calendar.price(cents)) }
                " " small { (common.per_month) }
            }
            ul {
                li { b { (calendar.number(figures.per_month)) } " " ((common.calls_per_month)(figures.per_month)) }
                li { (calendar.number(figures.per_minute)) " " (words.per_minute) }
                li { (if all_regions { words.all_regions } else { "Plano Piloto" }) }
                li { (match view { View::Basic => words.basic_fields, View::Full => words.full_fields }) }
            }
            @if plan == Plan::Free {
                p { a.button href=(layout.path("/signup")) { (common.get_key) } }
            } @else if layout.payments_open {
                p {
                    a.button.button-quiet href={ (layout.path("/plans")) (chosen_plan(Some(plan))) "#subscribe" } {
                        ((common.choose_plan)(plan.title()))
                    }
                }
            } @else {
                p.note { (words.soon) }
            }
        }
    }
}

/// The plans that can be ordered; an account has the `current` one.
fn plan_choice(layout: &Layout, plans: &Plans, submitted: &Submitted<'_>, current: Option<Plan>) -> Markup {
    let selected = paid_plan(submitted.value("plan"));
    html! {
        fieldset.choice {
            legend { (layout.texts.plans.plan) }
            (submitted.field_error("plan"))
            @for plan in Plan::ALL.into_iter().filter(|plan| *plan != Plan::Free) {
                label {
                    input type="radio" name="plan" required id={ "plan-" (plan.as_str()) } value=(plan.as_str())
                        checked[Some(plan) == selected];
                    span {
                        (plan.title()) " " small { (layout.texts.calendar.price(plans.row(plan).figures.price_cents)) }
                        @if Some(plan) == current { " " small { "(" (layout.texts.account.current_plan) ")" } }
                    }
                }
            }
        }
    }
}

/// The ways to pay.
fn method_choice(layout: &Layout, submitted: &Submitted<'_>) -> Markup {
    let (words, common) = (&layout.texts.plans, &layout.texts.layout);
    let methods = [
        ("", words.choose_later),
        ("PIX", "Pix"),
        ("BOLETO", common.bank_slip),
        ("CREDIT_CARD", common.credit_card),
    ];
    html! {
        div.field {
            label for="method" { (words.method) }
            (submitted.field_error("method"))
            select #method name="method" aria-invalid=[submitted.invalid("method")]
                aria-describedby=[submitted.invalid("method").map(|_| "method-no")] {
                @for (value, name) in methods {
                    option value=(value) selected[value == submitted.value("method")] { (name) }
                }
            }
        }
    }
}

/// The form that orders a plan: of an account with its `current` plan, or else of `/plans`, which asks for the key.
pub(crate) fn order_form(
    layout: &Layout,
    plans: &Plans,
    submitted: &Submitted<'_>,
    current: Option<Plan>,
) -> Markup {
    let words = &layout.texts.plans;
    let name = TextField::name(words.name, MAX_PAYER_NAME);
    let tax_id = TextField {
        name: "tax_id",
        texts: words.tax_id,
        max_length: tax::MAX_TYPED,
        required: true,
        autocomplete: "off",
        ..name
    };
    let is_again = !submitted.errors.is_empty();
    let key = TextField {
        name: "key",
        texts: if is_again { words.key_again } else { words.key },
        kind: "password",
        max_length: api_key::MAX_TYPED,
        autocomplete: "current-password",
        ..tax_id
    };
    let path = if current.is_some() { "/conta/plano" } else { "/plans" };
    let fields = [current.is_none().then_some(key), Some(tax_id), Some(name)];
    html! {
        form.sheet method="post" action=(layout.path(path)) {
            (submitted.form_error(&["plan", "key", "tax_id", "name", "method"]))
            (plan_choice(layout, plans, submitted, current))
            @for field in fields.into_iter().flatten() { (field.render(submitted)) }
            (method_choice(layout, submitted))
            button type="submit" { (words.submit) }
        }
    }
}
