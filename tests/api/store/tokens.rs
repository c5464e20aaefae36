//! Browser tokens.

use candango::domain::browser_token::{BrowserToken, TokenRecord};

use super::*;

/// A new token for pages of an origin.
pub(super) fn token(account: &AccountId, origin: &str) -> TokenRecord {
    let token = BrowserToken::generate().expect("randomness");
    let origins = origin.parse().expect("an origin");
    TokenRecord::of(&token, account.clone(), origins, Clock::machine().now()).expect("randomness")
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
    let second = token(&account.id, "https://c.example");
    assert!(store.add_token(second.clone(), 2).await.expect("added"));
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
