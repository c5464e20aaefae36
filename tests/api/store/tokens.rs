//! Tokens of web pages and of calendar addresses.

use candango::domain::token::{Scope, Token, TokenRecord};

use super::*;

/// A new token that works there: in pages of origins, or as a calendar.
pub(crate) fn token(account: &AccountId, scope: &str) -> TokenRecord {
    let scope: Scope = scope.parse().expect("origins, or a calendar");
    let token = Token::generate(scope.kind()).expect("randomness");
    TokenRecord::of(&token, account.clone(), scope, Clock::machine().now()).expect("randomness")
}

pub(super) async fn a_token_belongs_to_its_account_until_it_is_revoked(place: Place) {
    let (store, received) = place.serving().await;
    let account = issued(&*store, "maria@b.c", Plan::Pro).await.account;
    let other = issued(&*store, "other@b.c", Plan::Free).await.account;
    let made = token(&account.id, "https://a.example https://b.example:8443");
    received.clear();
    assert!(store.add_token(made.clone(), 2).await.expect("added"));
    assert!(received.has(&Change::Account(account.id.clone())), "a token that was unknown is cached as such");
    assert!(store.add_token(made.clone(), 2).await.expect("a repetition changes nothing"));
    let found = store.account_of_token(made.hash).await.expect("answered");
    assert_eq!(found, Some((account.clone(), made.clone())));
    assert_eq!(store.account_of_key(made.hash).await.expect("answered"), None, "it is no key");
    assert_eq!(store.keys(&account.id).await.expect("keys").len(), 1);
    let second = token(&account.id, "calendar");
    assert_eq!(second.scope, Scope::Calendar);
    assert!(store.add_token(second.clone(), 2).await.expect("added"));
    let found = store.account_of_token(second.hash).await.expect("answered");
    assert_eq!(found, Some((account.clone(), second.clone())), "a calendar");
    assert!(!store.add_token(token(&account.id, "https://d.example"), 2).await.expect("answered"));
    let unknown = AccountId::generate().expect("randomness");
    assert!(!store.add_token(token(&unknown, "https://d.example"), 2).await.expect("answered"));
    let mut listed = store.tokens(&account.id).await.expect("tokens");
    listed.sort_by(|one, other| one.last4.cmp(&other.last4));
    let mut both = vec![made.clone(), second.clone()];
    both.sort_by(|one, other| one.last4.cmp(&other.last4));
    assert_eq!(listed, both);

    received.clear();
    assert!(!store.revoke_token(&other.id, &made.id).await.expect("answered"), "not by another account");
    assert!(store.revoke_token(&account.id, &made.id).await.expect("revoked"));
    assert!(received.has(&Change::Account(account.id.clone())));
    assert_eq!(store.account_of_token(made.hash).await.expect("answered"), None);
    assert_eq!(store.tokens(&account.id).await.expect("tokens"), [second]);
    assert!(!store.revoke_token(&account.id, &made.id).await.expect("answered"));
}
