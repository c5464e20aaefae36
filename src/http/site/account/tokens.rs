//! The page of browser tokens: those of the account, a form for another one, and the new one, once.

use maud::{Markup, html};

use super::once::Once;
use super::page::Page;
use super::pages::{page, shown_once};
use crate::domain::account::{Account, TokenId};
use crate::domain::error::ApiError;
use crate::domain::token::{BadOrigins, MAX_LIST, MAX_TOKENS, Origins, Scope, TokenRecord};
use crate::http::site::account::{AccountRequest, PageOutcome};
use crate::http::site::layout::Layout;
use crate::http::site::layout::components::more;
use crate::http::site::layout::form_fields::Submitted;
use crate::http::site::layout::i18n::FormError;
use crate::http::site::service::forms::{Fields, field};
use crate::http::site::texts::TokenList;
use crate::quota::tokens::TokenError;
use crate::signup::session::OwnerSession;

/// The path of the page in Portuguese.
const PATH: &str = Page::Tokens.path();

impl AccountRequest<'_> {
    /// Makes or revokes a token.
    pub(crate) async fn change_tokens(
        self,
        session: &OwnerSession,
        fields: &Fields,
    ) -> Result<PageOutcome, ApiError> {
        let account = &session.account;
        if let Some(token) = field(fields, "revoke") {
            return self.revoke(account, token, PATH).await;
        }
        let words = &self.layout().texts.tokens;
        let typed = field(fields, "origins").unwrap_or_default();
        let wrong = match typed.parse::<Origins>() {
            Ok(_) if !once(session, &self.tokens(account).await?).is_in(fields) => {
                return Ok(self.used(PATH, words.title));
            }
            Ok(origins) => {
                let tokens = self.site.accounts.tokens();
                match tokens.issue(account.id.clone(), Scope::Pages(origins)).await {
                    Ok((token, _)) => return Ok(PageOutcome::Page(shown(self.layout(), token.reveal()))),
                    Err(TokenError::TooMany) => (words.too_many)(MAX_TOKENS),
                    Err(error) => return Err(failed(error)),
                }
            }
            Err(BadOrigins::NotAnOrigin | BadOrigins::Number) => words.bad_origins.to_owned(),
        };
        let submitted = Submitted::wrong(vec![("origins", typed)], FormError::of(Some("origins"), wrong));
        Ok(PageOutcome::bad_request(self.token_page(session, &submitted).await?))
    }

    /// The page that lists the tokens.
    pub(crate) async fn token_page(
        self,
        session: &OwnerSession,
        submitted: &Submitted<'_>,
    ) -> Result<String, ApiError> {
        let listed = self.tokens(&session.account).await?;
        Ok(listing(self.layout(), &listed, &once(session, &listed), submitted))
    }

    async fn tokens(self, account: &Account) -> Result<Vec<TokenRecord>, ApiError> {
        let mut listed = self.site.accounts.tokens().list(&account.id).await?;
        listed.retain(|token| token.scope.origins().is_some());
        Ok(listed)
    }

    /// Revokes a token or a calendar address by its id, and goes back to the page that lists them.
    pub(crate) async fn revoke(
        self,
        account: &Account,
        token: &str,
        path: &str,
    ) -> Result<PageOutcome, ApiError> {
        // one that is gone already is what was wished
        if let Some(token) = TokenId::parse(token) {
            self.site.accounts.tokens().revoke(&account.id, &token).await?;
        }
        Ok(PageOutcome::SeeOther(self.path(path)))
    }
}

/// An error that is not of what was sent.
pub(crate) fn failed(error: TokenError) -> ApiError {
    match error {
        TokenError::Store(error) => error.into(),
        TokenError::TooMany | TokenError::Randomness(_) => ApiError::Internal,
    }
}

/// The mark of a form that makes another of these.
pub(crate) fn once(session: &OwnerSession, tokens: &[TokenRecord]) -> Once {
    let ids: Vec<&str> = tokens.iter().map(|token| token.id.as_str()).collect();
    Once::of(session, &ids)
}

fn listing(layout: &Layout, tokens: &[TokenRecord], once: &Once, submitted: &Submitted<'_>) -> String {
    let words = &layout.texts.tokens;
    let origins = |token: &TokenRecord| {
        html! { @for origin in token.scope.origins().into_iter().flat_map(Origins::iter) { (origin) br; } }
    };
    let main = html! {
        div.wide.narrow-top {
            h1 { (words.title) }
            p.lead { (words.lead) }
            (table(layout, PATH, &words.list, tokens, origins))
            form.sheet method="post" action=(layout.path(PATH)) {
                (once)
                (submitted.form_error(&["origins"]))
                div.field {
                    label for="origins" { (words.origins.label) }
                    (submitted.field_error("origins"))
                    textarea id="origins" name="origins" rows="3" required maxlength=(MAX_LIST) spellcheck="false"
                        aria-invalid=[submitted.invalid("origins")] autofocus[submitted.is_first_wrong("origins")]
                        aria-describedby={
                            @if submitted.invalid("origins").is_some() { "origins-no " } "origins-help"
                        } {
                        (submitted.value("origins"))
                    }
                    p.help id="origins-help" { (words.origins.help) }
                }
                button type="submit" { (words.make) }
            }
            (more(&layout.path("/conta"), layout.texts.account.title))
        }
    };
    page(layout, PATH, words.title, main)
}

/// A table of tokens with a button to revoke each, on the page at `path`. `about` is what the middle column says.
pub(crate) fn table(
    layout: &Layout,
    path: &str,
    words: &TokenList,
    tokens: &[TokenRecord],
    about: impl Fn(&TokenRecord) -> Markup,
) -> Markup {
    html! {
        section.part {
            @if tokens.is_empty() {
                p { (words.none) }
            } @else {
                div.table {
                    table {
                        thead { tr { @for column in words.columns { th scope="col" { (column) } } } }
                        tbody {
                            @for token in tokens {
                                tr {
                                    td { "…" (token.last4) }
                                    td { (about(token)) }
                                    td {
                                        form method="post" action=(layout.path(path)) {
                                            input type="hidden" name="revoke" value=(token.id);
                                            button type="submit" aria-label={ (words.revoke) " …" (token.last4) } {
                                                (words.revoke)
                                            }
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn shown(layout: &Layout, token: &str) -> String {
    let words = &layout.texts.tokens;
    let said = [words.made, words.shown_once, words.title];
    shown_once(layout, PATH, said, ("new-token", token), &html! { p { (words.how) } })
}
