//! The page of calendar addresses: those of the account, a form with the question of another one, and the new one,
//! once.

use index::question::query::MAX_CHARACTERS;
use maud::html;
use url::form_urlencoded;

use super::once::Once;
use super::page::Page;
use super::pages::{date, page, shown_once, text_field};
use super::tokens::{failed, once, table};
use crate::actions::{MAX_FILTER, MAX_LIMIT, Params};
use crate::domain::account::Account;
use crate::domain::error::ApiError;
use crate::domain::token::{MAX_TOKENS, Scope, Token, TokenRecord};
use crate::http::site::account::{AccountRequest, PageOutcome};
use crate::http::site::layout::Layout;
use crate::http::site::layout::components::more;
use crate::http::site::layout::form_fields::{Submitted, TextField};
use crate::http::site::layout::i18n::FormError;
use crate::http::site::service::forms::{Fields, field};
use crate::quota::tokens::TokenError;
use crate::signup::session::OwnerSession;

/// The path of the page in Portuguese.
const PATH: &str = Page::Calendars.path();

/// The fields of the form, which are parameters of the search.
const FIELDS: [&str; 2] = ["q", "region"];

impl AccountRequest<'_> {
    /// Makes or revokes an address.
    pub(crate) async fn change_calendars(
        self,
        session: &OwnerSession,
        fields: &Fields,
    ) -> Result<PageOutcome, ApiError> {
        let account = &session.account;
        if let Some(token) = field(fields, "revoke") {
            return self.revoke(account, token, PATH).await;
        }
        let values: Vec<_> =
            FIELDS.into_iter().filter_map(|name| Some((name, field(fields, name)?))).collect();
        let params = Params::of_form(values.iter().map(|(name, value)| ((*name).into(), (*value).into())));
        // a calendar program would not show what is wrong with the question
        if let Err(error) = self.site.dispatcher.check_search(Some(account.plan), &params) {
            let submitted = Submitted::wrong(values, form_error(self.layout(), &error));
            let page = self.calendar_page(session, &submitted).await?;
            return Ok(PageOutcome::Failed(error, page));
        }
        if !once(session, &self.calendars(account).await?).is_in(fields) {
            return Ok(self.used(PATH, self.layout().texts.calendars.title));
        }
        match self.site.accounts.tokens().issue(account.id.clone(), Scope::Calendar).await {
            Ok((token, _)) => Ok(PageOutcome::Page(shown(self.layout(), &token, &values))),
            Err(TokenError::TooMany) => {
                let sentence = (self.layout().texts.calendars.too_many)(MAX_TOKENS);
                let submitted = Submitted::wrong(values, FormError::of(None, sentence));
                Ok(PageOutcome::bad_request(self.calendar_page(session, &submitted).await?))
            }
            Err(error) => Err(failed(error)),
        }
    }

    /// The page that lists the addresses.
    pub(crate) async fn calendar_page(
        self,
        session: &OwnerSession,
        submitted: &Submitted<'_>,
    ) -> Result<String, ApiError> {
        let listed = self.calendars(&session.account).await?;
        Ok(listing(self.layout(), &listed, &once(session, &listed), submitted))
    }

    async fn calendars(self, account: &Account) -> Result<Vec<TokenRecord>, ApiError> {
        let mut listed = self.site.accounts.tokens().list(&account.id).await?;
        listed.retain(|token| token.scope == Scope::Calendar);
        Ok(listed)
    }
}

/// What is wrong with a question.
fn form_error(layout: &Layout, error: &ApiError) -> FormError {
    let mut shown = FormError::new(layout.texts, error);
    if let ApiError::PlanRegion { .. } = error {
        layout.texts.calendars.plan_region.clone_into(&mut shown.sentence);
    }
    if !shown.suggestions.is_empty() {
        shown.sentence = format!("{} ({}?)", shown.sentence, shown.suggestions.join(", "));
    }
    shown
}

fn listing(layout: &Layout, tokens: &[TokenRecord], once: &Once, submitted: &Submitted<'_>) -> String {
    let words = &layout.texts.calendars;
    let optional = |name, texts, max_length| TextField {
        required: false,
        ..text_field(name, texts, ["text", "off"], max_length)
    };
    let question = optional("q", words.question, MAX_CHARACTERS);
    let area = optional("region", words.area, MAX_FILTER);
    let main = html! {
        div.wide.narrow-top {
            h1 { (words.title) }
            p.lead { (words.lead) }
            (table(layout, PATH, &words.list, tokens, |token| html! { (date(layout, token.created_at)) }))
            form.sheet method="post" action=(layout.path(PATH)) {
                (once)
                (submitted.form_error(&FIELDS))
                (question.render(submitted))
                (area.render(submitted))
                button type="submit" { (words.make) }
            }
            (more(&layout.path("/conta"), layout.texts.account.title))
        }
    };
    page(layout, PATH, words.title, main)
}

/// The new address with its question, as calendar programs take it.
fn shown(layout: &Layout, token: &Token, question: &[(&str, &str)]) -> String {
    let words = &layout.texts.calendars;
    // a calendar has one page: as many events as an answer may list
    let query = form_urlencoded::Serializer::new(String::new())
        .extend_pairs(question)
        .append_pair("limit", &MAX_LIMIT.to_string())
        .finish();
    let address = format!("{}?{query}", token.calendar_address(&layout.base));
    let subscription = address.split_once("://").map_or("", |(_, rest)| rest);
    let how = html! {
        p { a.button href={ "webcal://" (subscription) } { (words.open) } }
        ul.plain { @for step in words.steps { li { (step) } } }
        p { (words.secret) }
    };
    let said = [words.made, words.shown_once, words.title];
    shown_once(layout, PATH, said, ("new-address", &address), &how)
}
