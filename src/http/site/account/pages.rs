//! What the pages of an account show.

use maud::{Markup, html};
use serde_json::{Map, Value};

use super::destination::Destination;
use super::page::{ORDER, WHAT, WITHDRAW};
use crate::billing::service::{BillingStatus, Cancellation};
use crate::billing::subscription::SubscriptionStatus;
use crate::domain::account::{Account, MAX_EMAIL};
use crate::domain::clock::{UnixMillis, day_of};
use crate::domain::code::Level;
use crate::domain::error::ApiError;
use crate::domain::order::Order;
use crate::domain::plan::{Figures, Plan, Plans};
use crate::domain::text::capitalized;
use crate::domain::{api_key, code};
use crate::http::site::account::once::Once;
use crate::http::site::layout::components::more;
use crate::http::site::layout::form_fields::{Submitted, TextField};
use crate::http::site::layout::i18n::FormError;
use crate::http::site::layout::{Layout, Meta};
use crate::http::site::service::plans::{chosen_plan, order_form, paid_plan, terms};
use crate::http::site::texts::Field;
use crate::quota::leases::{self, QuotaStatus};

/// What the first page shows.
pub(crate) struct Overview<'a> {
    pub(crate) level: Level,
    pub(crate) account: &'a Account,
    pub(crate) usage: Usage<'a>,
    pub(crate) status: &'a BillingStatus,
    /// Whether an order waits for its first payment.
    pub(crate) has_open_order: bool,
    /// The table of payments.
    pub(crate) payments: Markup,
    /// The plan after the paid time.
    pub(crate) next_plan: Plan,
    /// What was done just now, as a sentence.
    pub(crate) done: Option<&'static str>,
}

/// The calls of an account.
pub(crate) struct Usage<'a> {
    pub(crate) spent: &'a leases::Usage,
    pub(crate) left: QuotaStatus,
    pub(crate) figures: Figures,
}

/// A page around its main part. None of these is for search engines.
pub(crate) fn page(layout: &Layout, path: &str, title: &str, main: Markup) -> String {
    page_at(layout, [path, ""], title, main)
}

/// The same at a path with a query, which the page in the other language needs too.
fn page_at(layout: &Layout, [path, query]: [&str; 2], title: &str, main: Markup) -> String {
    let description = layout.texts.account.description;
    layout.page(&Meta { title, description, path, query, listed: false }, main)
}

pub(crate) fn text_field(
    name: &'static str,
    texts: Field,
    [kind, autocomplete]: [&'static str; 2],
    max_length: usize,
) -> TextField {
    TextField { name, texts, kind, required: true, max_length, autocomplete }
}

fn mail_form(layout: &Layout, submitted: &Submitted<'_>) -> Markup {
    let words = &layout.texts.account;
    html! {
        @if layout.mail_open {
            form.sheet method="post" action=(layout.path("/conta/entrar")) {
                (submitted.form_error(&["email", "key"]))
                (Destination::of_values(submitted).hidden())
                (TextField::email(words.email).render(submitted))
                button type="submit" { (words.mail_code) }
            }
        } @else {
            p.no { (layout.texts.errors.signup_closed) }
        }
    }
}

/// The page of somebody who is not signed in.
pub(crate) fn sign_in(layout: &Layout, submitted: &Submitted<'_>) -> String {
    let words = &layout.texts.account;
    let key = text_field("key", words.key, ["password", "current-password"], api_key::MAX_TYPED);
    let destination = Destination::of_values(submitted);
    let main = html! {
        div.wide.narrow-top.split {
            div {
                h1 { (words.enter) }
                @match destination.title(layout) {
                    Some(title) => p.lead { ((words.enter_for)(title)) },
                    None => p.lead { (words.enter_lead) },
                }
                (more(&layout.path("/signup"), words.no_account))
                (more(&layout.path("/conta/recuperar"), words.lost_key))
            }
            div {
                (mail_form(layout, submitted))
                details open[submitted.error_of("key").is_some()] {
                    summary { (words.with_key) }
                    form.sheet method="post" action=(layout.path("/conta/entrar")) {
                        (Destination::of_values(submitted).hidden())
                        (key.render(submitted))
                        button type="submit" { (words.enter_with_key) }
                    }
                }
            }
        }
    };
    page_at(layout, ["/conta", &destination.query()], words.enter, main)
}

fn code_field(texts: Field) -> TextField {
    text_field("code", texts, ["text", "one-time-code"], code::MAX_TYPED)
}

/// The form for a code that was mailed.
fn code_form(layout: &Layout, path: &str, email: Field, label: &str, submitted: &Submitted<'_>) -> Markup {
    let words = &layout.texts.account;
    let code = code_field(words.code);
    html! {
        form.sheet method="post" action=(layout.path(path)) {
            (submitted.form_error(&["email", "code"]))
            (Destination::of_values(submitted).hidden())
            (TextField::email(email).render(submitted))
            (code.render(submitted))
            button type="submit" { (label) }
        }
    }
}

/// The form for the code that opens a session, after one was asked for or by its address, which mails name.
pub(crate) fn code(layout: &Layout, submitted: &Submitted<'_>, is_mailed: bool) -> String {
    let words = &layout.texts.account;
    let title = if is_mailed { words.code_title } else { words.type_code };
    let main = html! {
        div.wide.narrow-top.split {
            div {
                h1 { (title) }
                @if is_mailed {
                    p.lead role="status" { (words.code_lead) }
                    p { (layout.texts.signup_sent.spam) }
                } @else {
                    p.lead { (words.type_code_lead) }
                    @let again = format!("{}{}", layout.path("/conta"), Destination::of_values(submitted).query());
                    (more(&again, words.mail_code))
                }
            }
            (code_form(layout, "/conta/codigo", words.email, words.enter_with_code, submitted))
        }
    };
    page(layout, "/conta/codigo", title, main)
}

/// What a page knows of the code that its form takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CodeStep {
    /// None was asked for on it.
    Ask,
    /// One was just mailed.
    Mailed,
    /// One was typed that was not taken, and none is on its way.
    Refused,
}

impl CodeStep {
    /// What the page at `path` says first, in the words for each step.
    fn lead(self, layout: &Layout, path: &str, [ask, mailed, refused]: [&str; 3]) -> Markup {
        html! {
            @match self {
                CodeStep::Ask => p.lead { (ask) },
                CodeStep::Mailed => {
                    p.lead role="status" { (mailed) }
                    p { (layout.texts.signup_sent.spam) }
                }
                CodeStep::Refused => {
                    p.lead { (refused) }
                    (more(&layout.path(path), layout.texts.account.mail_code))
                }
            }
        }
    }
}

/// A page with a secret that is shown this once, what to do with it, and the way back to the page at `path`.
pub(crate) fn shown_once(
    layout: &Layout,
    path: &str,
    [title, lead, back]: [&str; 3],
    (id, secret): (&str, &str),
    how: &Markup,
) -> String {
    let rest = html! {
        div.code { pre id=(id) { (secret) } }
        (how)
        (more(&layout.path(path), back))
    };
    layout.message(path, title, lead, &rest)
}

/// The forms that replace a lost key.
pub(crate) fn recover(layout: &Layout, submitted: &Submitted<'_>, step: CodeStep) -> String {
    let words = &layout.texts.account;
    let nothing = Submitted::default();
    let asks = step == CodeStep::Ask;
    let (first, second) = if asks { (submitted, &nothing) } else { (&nothing, submitted) };
    let main = html! {
        div.wide.narrow-top.split {
            div {
                h1 { (words.recover) }
                (step.lead(
                    layout,
                    "/conta/recuperar",
                    [words.recover_lead, words.recover_code_lead, words.type_code_lead],
                ))
            }
            div {
                @if !layout.mail_open {
                    p.no { (layout.texts.errors.signup_closed) }
                } @else {
                    @if asks {
                        form.sheet method="post" action=(layout.path("/conta/recuperar")) {
                            (first.form_error(&["email"]))
                            (TextField::email(words.email).render(first))
                            button type="submit" { (words.mail_code) }
                        }
                    }
                    details open[!asks] {
                        summary { (words.recover_code) }
                        @if asks {
                            (late_code_form(layout, "/conta/recuperar", words.email, words.replace_key))
                        } @else {
                            (code_form(layout, "/conta/recuperar", words.email, words.replace_key, second))
                        }
                    }
                }
            }
        }
    };
    page(layout, "/conta/recuperar", words.recover, main)
}

/// The form for a code of an earlier mail, beside the one that asks for another: its fields have other ids.
fn late_code_form(layout: &Layout, path: &str, email: Field, label: &str) -> Markup {
    let fields = [TextField::email(email), code_field(layout.texts.account.code)];
    html! {
        form.sheet method="post" action=(layout.path(path)) {
            @for TextField { name, texts, kind, max_length, autocomplete, .. } in fields {
                div.field {
                    label for={ "late-" (name) } { (texts.label) }
                    input id={ "late-" (name) } name=(name) type=(kind) required maxlength=(max_length)
                        autocomplete=(autocomplete);
                }
            }
            button type="submit" { (label) }
        }
    }
}

/// Plan, calls and payments.
pub(crate) fn overview(layout: &Layout, overview: &Overview<'_>) -> String {
    let words = &layout.texts.account;
    let Overview { level, account, usage, status, done, .. } = overview;
    let is_owner = *level == Level::Owner;
    let done = done.filter(|_| is_owner);
    let change_plan = match status.status {
        SubscriptionStatus::Canceled => words.subscribe_again,
        _ => words.change_plan,
    };
    let main = html! {
        div.wide.narrow-top {
            h1 { (words.title) }
            @if let Some(done) = done { p.status role="status" { (done) } }
            @if is_owner { p.lead { (account.email) } } @else { p.lead { (words.key_session) } }
            dl.facts { (plan_facts(layout, overview)) }
            p.buttons {
                a.button href=(layout.path("/conta/plano")) { (change_plan) }
                @if is_owner && let Some(pay_url) = &status.pay_url {
                    a.button.button-quiet href=(pay_url) { (words.pay_now) }
                }
            }
            (calls(layout, usage))
            @if is_owner {
                (overview.payments)
                section.part {
                    ul.plain {
                        li { a href=(layout.path("/conta/chave")) { (words.new_key) } }
                        li { a href=(layout.path("/conta/navegador")) { (layout.texts.tokens.title) } }
                        li { a href=(layout.path("/conta/calendarios")) { (layout.texts.calendars.title) } }
                        li { a href=(layout.path("/conta/avisos")) { (layout.texts.webhook.title) } }
                        li { a href=(layout.path("/conta/dados")) { (words.data) } }
                        li { a href=(layout.path("/conta/email")) { (words.change_address) } }
                        @if status.auto_renew {
                            li { a href=(layout.path("/conta/cancelar")) { (words.cancel) } }
                        } @else if overview.has_open_order {
                            li { a href=(layout.path("/conta/cancelar")) { (words.withdraw) } }
                        }
                        li { a href=(layout.path("/conta/excluir")) { (words.delete) } }
                    }
                }
            } @else {
                section.part { p { (words.needs_code_lead) } (mail_form(layout, &Submitted::default())) }
            }
            section.part {
                form method="post" action=(layout.path("/conta/sair")) {
                    button.button-quiet type="submit" { (words.sign_out) }
                }
            }
        }
    };
    page(layout, "/conta", words.title, main)
}

fn plan_facts(layout: &Layout, overview: &Overview<'_>) -> Markup {
    let Overview { account, status, next_plan, .. } = overview;
    let words = &layout.texts.account;
    let state = match status.status {
        SubscriptionStatus::None => 0,
        SubscriptionStatus::AwaitingPayment => 1,
        SubscriptionStatus::Active => 2,
        SubscriptionStatus::PastDue => 3,
        SubscriptionStatus::Canceled => 4,
    };
    html! {
        div { dt { (words.plan) } dd { (account.plan.title()) } }
        div { dt { (words.status) } dd { (words.statuses[state]) } }
        @if let Some(until) = status.paid_until.filter(|_| status.status == SubscriptionStatus::Canceled) {
            div {
                dt { (words.ends) }
                dd { (date(layout, until)) ", " (words.then) " " (next_plan.title()) }
            }
        } @else if let Some(until) = status.paid_until {
            div {
                dt { (words.paid_until) }
                dd { (date(layout, until)) @if status.auto_renew { ". " (words.renews) "." } }
            }
        }
    }
}

fn calls(layout: &Layout, usage: &Usage<'_>) -> Markup {
    let words = &layout.texts.account;
    let Usage { spent, left, figures } = usage;
    let bar = |name: &str, used: u32, limit: u32| {
        let number = |number| layout.texts.calendar.number(number);
        html! {
            tr {
                th scope="row" { (name) }
                td { progress aria-label=(name) value=(used.min(limit)) max=(limit.max(1)) {} }
                td { (number(used)) " " (words.of) " " (number(limit)) }
            }
        }
    };
    let in_minute = figures.per_minute.saturating_sub(left.minute_left);
    html! {
        section.part aria-labelledby="calls" {
            div.part-head {
                h2 #calls { (words.calls) }
                p { (words.month_ends) " " (date(layout, spent.resets_at)) }
            }
            div.table {
                table {
                    (bar(words.month, spent.calls, figures.per_month))
                    (bar(words.minute, in_minute, figures.per_minute))
                    @for (action, count) in &spent.by_action { (bar(action, *count, spent.calls)) }
                }
            }
            @if spent.calls == 0 { p { (words.no_calls) } }
        }
    }
}

/// The order form of an account with its current plan, without a key, and what the paid time of that is worth in days
/// of the others.
pub(crate) fn plan(
    layout: &Layout,
    plans: &Plans,
    submitted: &Submitted<'_>,
    current: Plan,
    worth: &[(Plan, i64)],
) -> String {
    let words = &layout.texts.account;
    let query = chosen_plan(paid_plan(submitted.value("plan")));
    let main = html! {
        div.wide.narrow-top.split {
            div {
                h1 { (words.change_plan) }
                p.lead { (words.change_plan_lead) }
                dl.facts { div { dt { (capitalized(words.current_plan)) } dd { (current.title()) } } }
                @for (plan, days) in worth { p { ((words.plan_worth)(*days, plan.title())) } }
                @if layout.payments_open { (terms(layout)) }
                (more(&layout.path("/plans"), layout.texts.layout.plans_and_prices))
                (more(&layout.path("/conta"), words.title))
            }
            @if layout.payments_open {
                (order_form(layout, plans, submitted, Some(current)))
            } @else {
                p { (layout.texts.plans.closed) }
            }
        }
    };
    page_at(layout, ["/conta/plano", &query], words.change_plan, main)
}

/// What a new key means, and the button for it.
pub(crate) fn replace_key(layout: &Layout, once: &Once) -> String {
    let words = &layout.texts.account;
    let rest = html! {
        form method="post" action=(layout.path("/conta/chave")) {
            (once)
            button type="submit" { (words.replace_key) }
        }
        (more(&layout.path("/conta"), words.title))
    };
    layout.message("/conta/chave", words.new_key, words.new_key_lead, &rest)
}

/// A new key.
pub(crate) fn new_key(layout: &Layout, key: &str) -> String {
    let words = &layout.texts.account;
    let rest = html! {
        div.code { pre #new-key { (key) } }
        (more(&layout.path("/conta"), words.title))
    };
    layout.message("/conta/chave", words.your_new_key, words.shown_once, &rest)
}

/// The page after a form of the page at `path`, called `back`, that has worked already.
pub(crate) fn used(layout: &Layout, path: &str, back: &str) -> String {
    let words = &layout.texts.account;
    let ways = html! { (more(&layout.path(path), back)) (more(&layout.path("/conta"), words.title)) };
    layout.message(path, words.used, words.used_lead, &ways)
}

/// What a cancellation does, and the button for it, unless nothing renews any more. It takes an order that is `waiting`
/// for its payment along.
pub(crate) fn cancel(layout: &Layout, asked: Option<Cancellation>, waiting: Option<&Order>) -> String {
    let words = &layout.texts.account;
    let (path, title) = ("/conta/cancelar", words.cancel);
    let Some(Cancellation { was_canceled, ends_at, .. }) = asked else {
        let back = more(&layout.path("/conta"), words.title);
        return layout.message(path, title, words.nothing_to_cancel, &back);
    };
    let refund = more(&layout.path("/contato"), words.ask_refund);
    if was_canceled {
        let lead = (words.already_canceled)(&date(layout, ends_at));
        let rest = html! { (more(&layout.path("/conta"), words.title)) (refund) };
        return layout.message(path, title, &lead, &rest);
    }
    let rest = html! {
        @if let Some(order) = waiting {
            p { ((words.cancel_order_too)(order.plan.title())) }
            (more(&layout.path(WITHDRAW), words.withdraw_alone))
        }
        form method="post" action=(layout.path(path)) {
            input type="hidden" name="confirm" value="yes";
            button type="submit" { (words.confirm_cancel) }
        }
        (more(&layout.path("/conta"), words.keep_plan))
        (refund)
    };
    layout.message(path, title, &(words.cancel_lead)(&date(layout, ends_at)), &rest)
}

/// What becomes of an order that is withdrawn, and the button for it.
pub(crate) fn withdraw(layout: &Layout, order: &Order) -> String {
    let words = &layout.texts.account;
    let rest = html! {
        form method="post" action=(layout.path("/conta/cancelar")) {
            input type="hidden" name="confirm" value="yes";
            input type="hidden" name=(WHAT) value=(ORDER);
            button type="submit" { (words.confirm_withdraw) }
        }
        (more(&layout.path("/conta"), words.title))
    };
    let lead = (words.withdraw_lead)(order.plan.title(), order.id.as_str());
    layout.message_at(["/conta/cancelar", "?what=order"], words.withdraw, &lead, &rest)
}

/// What is kept of an account.
pub(crate) fn data(layout: &Layout, account: &Account, stored: &Map<String, Value>) -> String {
    let words = &layout.texts.account;
    let row = stored.get("accounts").and_then(|rows| rows.get(0)).unwrap_or(&Value::Null);
    let written = [("name", words.name), ("company", words.company), ("use_case", words.use_case)];
    let keys = stored.get("keys").and_then(Value::as_array).into_iter().flatten();
    let main = html! {
        div.wide.narrow-top {
            h1 { (words.data) }
            p.lead { (words.data_lead) }
            dl.facts {
                div { dt { (words.email.label) } dd { (account.email) } }
                @for (name, label) in written {
                    @if let Some(text) = row[name].as_str() { div { dt { (label) } dd { (text) } } }
                }
                div { dt { (words.since) } dd { (date(layout, account.created_at)) } }
                div {
                    dt { (words.keys) }
                    dd {
                        @for key in keys {
                            p {
                                (key["first4"].as_str().unwrap_or_default()) "…"
                                (key["last4"].as_str().unwrap_or_default())
                                @if key["revoked_at"].is_null() { " (" (words.live_key) ")" }
                            }
                        }
                    }
                }
            }
            (more(&layout.path("/conta/email"), words.change_address))
            section.part aria-labelledby="kept" {
                div.part-head { h2 #kept { (words.kept) } }
                ul.plain { @for item in words.kept_items { li { (item) } } }
            }
            p { a.button href=(layout.path("/conta/exportar")) download { (words.export) } }
            (more(&layout.path("/conta/excluir"), words.delete))
            (more(&layout.path("/conta"), words.title))
        }
    };
    page(layout, "/conta/dados", words.data, main)
}

/// The form for another address, or for the code that was mailed to it.
pub(crate) fn email(layout: &Layout, submitted: &Submitted<'_>, step: CodeStep) -> String {
    let words = &layout.texts.account;
    let main = html! {
        div.wide.narrow-top.split {
            div {
                h1 { (words.change_address) }
                (step.lead(
                    layout,
                    "/conta/email",
                    [words.change_address_lead, words.new_address_code_lead, words.type_new_address_code_lead],
                ))
                (more(&layout.path("/conta"), words.title))
            }
            @if !layout.mail_open {
                p.no { (layout.texts.errors.signup_closed) }
            } @else if step != CodeStep::Ask {
                (code_form(layout, "/conta/email", words.new_address, words.confirm_address, submitted))
            } @else {
                div {
                    form.sheet method="post" action=(layout.path("/conta/email")) {
                        (submitted.form_error(&["email"]))
                        (TextField::email(words.new_address).render(submitted))
                        button type="submit" { (words.mail_code) }
                    }
                    details {
                        summary { (words.code.label) }
                        (late_code_form(layout, "/conta/email", words.new_address, words.confirm_address))
                    }
                }
            }
        }
    };
    page(layout, "/conta/email", words.change_address, main)
}

/// What a deletion does, and the form for it.
pub(crate) fn delete(layout: &Layout, submitted: &Submitted<'_>) -> String {
    let words = &layout.texts.account;
    let main = html! {
        div.wide.narrow-top.split {
            div {
                h1 { (words.delete) }
                p.lead { (words.delete_lead) }
                h2 { (words.stays) }
                ul.plain { @for item in words.stays_items { li { (item) } } }
                (more(&layout.path("/conta/exportar"), words.export))
                (more(&layout.path("/conta"), words.title))
            }
            form.sheet method="post" action=(layout.path("/conta/excluir")) {
                (text_field("email", words.delete_email, ["email", "off"], MAX_EMAIL).render(submitted))
                button type="submit" { (words.confirm_delete) }
            }
        }
    };
    page(layout, "/conta/excluir", words.delete, main)
}

/// The page after a deletion.
pub(crate) fn deleted(layout: &Layout) -> String {
    let words = &layout.texts.account;
    layout.message(
        "/conta",
        words.deleted,
        words.deleted_lead,
        &more(layout.home(), layout.texts.layout.guide),
    )
}

/// What a session that began with a key may not do, and the form for a code that leads on to it.
pub(crate) fn needs_code(layout: &Layout, destination: Destination) -> String {
    let words = &layout.texts.account;
    let form = mail_form(layout, &Submitted::of(destination.with(Vec::new())));
    layout.message("/conta", words.needs_code, words.needs_code_lead, &form)
}

/// A page for what did not work.
pub(crate) fn failed(layout: &Layout, error: &ApiError) -> String {
    let words = &layout.texts.account;
    let FormError { sentence, .. } = FormError::new(layout.texts, error);
    layout.message("/conta", words.title, &sentence, &more(&layout.path("/conta"), words.title))
}

pub(crate) fn date(layout: &Layout, at: UnixMillis) -> String {
    day_of(at).format(layout.texts.calendar.short_date).to_string()
}
