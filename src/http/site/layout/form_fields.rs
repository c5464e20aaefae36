//! Forms that were submitted, and their text fields.

use std::borrow::Cow;

use hyper::Uri;
use maud::{Markup, html};
use url::form_urlencoded;

use super::i18n::FormError;
use crate::domain::account::MAX_EMAIL;
use crate::http::site::texts;

/// The values of a form that was submitted, and what was wrong with it. Keys and tax ids are left out.
#[derive(Default)]
pub(crate) struct Submitted<'a> {
    pub(crate) values: Vec<(&'static str, &'a str)>,
    /// In the order of the fields.
    pub(crate) errors: Vec<FormError>,
}

impl<'a> Submitted<'a> {
    /// Values with which nothing is wrong.
    pub(crate) fn of(values: Vec<(&'static str, &'a str)>) -> Submitted<'a> {
        Submitted { values, errors: Vec::new() }
    }

    /// Values with which one thing is wrong.
    pub(crate) fn wrong(values: Vec<(&'static str, &'a str)>, error: FormError) -> Submitted<'a> {
        Submitted { values, errors: vec![error] }
    }

    /// The value of a field, empty if it was not sent.
    pub(crate) fn value(&self, field: &str) -> &str {
        self.values.iter().find(|(name, _)| *name == field).map_or("", |(_, value)| *value)
    }

    pub(crate) fn error_of(&self, field: &str) -> Option<&FormError> {
        self.errors.iter().find(|error| error.field == Some(field))
    }

    /// Whether a field is the first that is wrong. It gets the focus.
    pub(crate) fn is_first_wrong(&self, field: &str) -> bool {
        self.errors.first().is_some_and(|error| error.field == Some(field))
    }

    /// What `aria-invalid` of a field says.
    pub(crate) fn invalid(&self, field: &str) -> Option<&'static str> {
        self.error_of(field).map(|_| "true")
    }

    /// What is wrong with a field.
    pub(crate) fn field_error(&self, field: &str) -> Markup {
        html! {
            @if let Some(error) = self.error_of(field) {
                p.no role="alert" id={ (field) "-no" } { (error.sentence) }
            }
        }
    }

    /// What is wrong with the form as a whole, whose fields are `fields`.
    pub(crate) fn form_error(&self, fields: &[&str]) -> Markup {
        let is_general = |error: &&FormError| error.field.is_none_or(|field| !fields.contains(&field));
        html! {
            @if let Some(error) = self.errors.iter().find(is_general) {
                p.no role="alert" tabindex="-1" autofocus { (error.sentence) }
            }
        }
    }
}

/// The first value of a field in the query of an address.
pub(crate) fn query_field<'u>(uri: &'u Uri, name: &str) -> Option<Cow<'u, str>> {
    let mut fields = form_urlencoded::parse(uri.query()?.as_bytes());
    fields.find(|(field, _)| field == name).map(|(_, value)| value)
}

/// The name of the field that people do not see. What fills it in is a program.
pub(crate) const HONEYPOT_FIELD: &str = "website";

/// The field that people do not see, with a label for those to whom it is read out.
pub(crate) fn honeypot(label: &str) -> Markup {
    html! {
        div.unseen aria-hidden="true" {
            label for=(HONEYPOT_FIELD) { (label) }
            input id=(HONEYPOT_FIELD) name=(HONEYPOT_FIELD) type="text" tabindex="-1" autocomplete="off";
        }
    }
}

/// A text field.
#[derive(Clone, Copy)]
pub(crate) struct TextField {
    pub(crate) name: &'static str,
    pub(crate) texts: texts::Field,
    pub(crate) kind: &'static str,
    pub(crate) required: bool,
    pub(crate) max_length: usize,
    pub(crate) autocomplete: &'static str,
}

impl TextField {
    /// The optional field for the name of a person or a company.
    pub(crate) fn name(texts: texts::Field, max_length: usize) -> TextField {
        let (name, autocomplete) = ("name", "name");
        TextField { name, texts, kind: "text", required: false, max_length, autocomplete }
    }

    /// The required field for an address of e-mail.
    pub(crate) fn email(texts: texts::Field) -> TextField {
        let (name, autocomplete) = ("email", "email");
        TextField { name, texts, kind: "email", required: true, max_length: MAX_EMAIL, autocomplete }
    }

    /// The field with its label, its help and what is wrong with it.
    pub(crate) fn render(&self, submitted: &Submitted<'_>) -> Markup {
        let TextField { name, texts, kind, required, max_length, autocomplete } = *self;
        let is_wrong = submitted.error_of(name).is_some();
        html! {
            div.field {
                label for=(name) { (texts.label) }
                (submitted.field_error(name))
                @if kind == "password" {
                    // the name under which password managers keep a key
                    input type="text" name="username" value="API" autocomplete="username" hidden;
                }
                input id=(name) name=(name) value=(submitted.value(name)) type=(kind) required[required]
                    maxlength=(max_length) autocomplete=(autocomplete) spellcheck=[(name == "tax_id").then_some("false")]
                    aria-invalid=[submitted.invalid(name)]
                    aria-describedby={ @if is_wrong { (name) "-no " } (name) "-help" } autofocus[submitted.is_first_wrong(name)];
                p.help id={ (name) "-help" } { (texts.help) }
            }
        }
    }
}
