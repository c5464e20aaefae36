//! The reception: sign-up, a new key for the old one, and a new key for a lost one.
//!
//! Whoever gives an address is told the same in the same way, whether it is known here or not: the same questions
//! are put to the store for both, and only the mail differs. Uses [`crate::domain::account`], [`crate::domain::clock`],
//! [`crate::config`] (the limits), [`crate::mail`], [`crate::domain::error`] and [`crate::store`].

use std::net::IpAddr;
use std::sync::Arc;

use rand::rngs::SysError;

use crate::config::Signup;
use crate::domain::account::{Account, AccountId, Email, MailId, Profile, network};
use crate::domain::api_key::{ApiKey, KeyRecord};
use crate::domain::clock::{Clock, Moment, UnixMillis, seconds_until};
use crate::domain::code::RecoveryCode;
use crate::domain::error::ApiError;
use crate::domain::plan::Plan;
use crate::mail::Mailer;
use crate::quota::keys::Caller;
use crate::store::{AccessRequest, AccountStore, CodeRedemption, KeyReplacement, RateLimit};

/// Where keys are asked for.
#[derive(Debug)]
pub struct SignupService {
    store: Arc<dyn AccountStore>,
    clock: Clock,
    limits: Signup,
    post: Mailer,
}

/// What somebody says who signs up, as they said it.
#[derive(Debug, Clone, Copy)]
pub struct SignupRequest<'a> {
    /// Their address.
    pub email: &'a str,
    /// Their name.
    pub name: Option<&'a str>,
    /// Their company.
    pub company: Option<&'a str>,
    /// What they want the guide for.
    pub use_case: Option<&'a str>,
}

/// A key that came in the place of others, which are dead.
#[derive(Debug)]
pub struct IssuedKey {
    /// The key: this and its letter are the only times it is seen.
    pub key: ApiKey,
    /// When.
    pub at: UnixMillis,
}

/// Most characters of a name.
pub const MAX_NAME: usize = 120;
/// Most characters of what the guide is wanted for.
pub const MAX_USE_CASE: usize = 500;

impl SignupService {
    /// Opens the reception.
    pub fn new(store: Arc<dyn AccountStore>, clock: Clock, limits: Signup, post: Mailer) -> SignupService {
        SignupService { store, clock, limits, post }
    }

    /// Mails a key to a new address, and a recovery code to a known one.
    pub async fn sign_up(&self, application: SignupRequest<'_>, client: IpAddr) -> Result<(), ApiError> {
        let email = address(application.email)?;
        let profile = Profile {
            name: tidy("name", application.name, MAX_NAME)?,
            company: tidy("company", application.company, MAX_NAME)?,
            use_case: tidy("use_case", application.use_case, MAX_USE_CASE)?,
        };
        let now = self.clock.moment();
        let wait = self.count("signup", Some(&email), client, now).await?;
        if let Some(retry_after) = wait {
            return Err(ApiError::TooManySignups { retry_after });
        }
        let id = AccountId::generate().map_err(no_randomness)?;
        let account = Account { id, email: email.clone(), plan: Plan::Free, created_at: now.at };
        self.invite(email, Some((account, profile)), now).await
    }

    /// Mails a code for a new key to the address, if it is known.
    pub async fn recover(&self, email: &str, client: IpAddr) -> Result<(), ApiError> {
        let email = address(email)?;
        let now = self.clock.moment();
        let wait = self.count("recover", Some(&email), client, now).await?;
        if let Some(retry_after) = wait {
            return Err(ApiError::TooManyRecoveries { retry_after });
        }
        self.invite(email, None, now).await
    }

    /// A new key for a code; all others of the account are dead with that.
    pub async fn redeem(&self, email: &str, code: &str, client: IpAddr) -> Result<IssuedKey, ApiError> {
        let email = address(email)?;
        let now = self.clock.moment();
        let wait = self.count("confirm", None, client, now).await?;
        if let Some(retry_after) = wait {
            return Err(ApiError::TooManyRecoveries { retry_after });
        }
        let code = RecoveryCode::parse(code).ok_or(ApiError::InvalidCode)?;
        // For an unknown address the hash is of an account that nobody has: the store is asked all the same.
        let account = match self.store.account(&email).await? {
            Some(account) => account.id,
            None => AccountId::generate().map_err(no_randomness)?,
        };
        let key = ApiKey::generate().map_err(no_randomness)?;
        let new = KeyRecord::of(&key, now.at);
        let letter = MailId::generate().map_err(no_randomness)?;
        // were the store's answer lost, the letter would be the only way to the new key
        self.post.entrust(&letter, &key, now.at);
        let redemption =
            CodeRedemption { email, code: code.hash(&account), new, mail: Some((letter.clone(), now.at)) };
        if self.store.redeem_recovery_code(redemption).await?.is_none() {
            self.post.forget(&letter);
            return Err(ApiError::InvalidCode);
        }
        self.post.nudge();
        Ok(IssuedKey { key, at: now.at })
    }

    /// A new key in the place of the caller's, mailed too. Of two at once, one gets it.
    pub async fn rotate(&self, caller: &Caller) -> Result<IssuedKey, ApiError> {
        let now = self.clock.now();
        let key = ApiKey::generate().map_err(no_randomness)?;
        let letter = MailId::generate().map_err(no_randomness)?;
        // Before the commit: were the store's answer lost, the letter would be the only way to the new key.
        self.post.entrust(&letter, &key, now);
        let replaced = self
            .store
            .replace_keys(KeyReplacement {
                account: caller.account.id.clone(),
                old: Some(caller.key),
                new: KeyRecord::of(&key, now),
                mail: Some((letter.clone(), now)),
            })
            .await?;
        if !replaced {
            self.post.forget(&letter);
            return Err(ApiError::InvalidKey);
        }
        self.post.nudge();
        Ok(IssuedKey { key, at: now })
    }

    async fn invite(
        &self,
        email: Email,
        opening: Option<(Account, Profile)>,
        now: Moment,
    ) -> Result<(), ApiError> {
        let letter = MailId::generate().map_err(no_randomness)?;
        self.store
            .request_access(AccessRequest { email, new_account: opening, mail: letter, at: now.at })
            .await?;
        self.post.nudge();
        Ok(())
    }

    /// Counts one of `what` for an address and a client; the seconds to wait when there were too many.
    async fn count(
        &self,
        what: &str,
        email: Option<&Email>,
        client: IpAddr,
        now: Moment,
    ) -> Result<Option<u32>, ApiError> {
        // A window is named by its end. The days come first: of two full ones the longer wait is told.
        let (hour, day) = (now.hour_ends_at(), now.day_ends_at());
        let tally = |ends_at: UnixMillis, who: &dyn std::fmt::Display, most: u32| RateLimit {
            name: format!("{what}/{}/{who}", ends_at.0),
            max: most,
            ends_at,
        };
        let network = network(client);
        let mut tallies = vec![
            tally(day, &network, self.limits.per_ip_day),
            tally(hour, &format_args!("{network}/hour"), self.limits.per_ip_hour),
        ];
        if let Some(email) = email {
            tallies.insert(0, tally(day, email, self.limits.per_address_day));
        }
        let ends: Vec<UnixMillis> = tallies.iter().map(|tally| tally.ends_at).collect();
        let full = self.store.count_attempt(tallies, now.at).await?;
        Ok(full.map(|place| seconds_until(ends.get(place).copied().unwrap_or(day), now.at)))
    }
}

fn address(sent: &str) -> Result<Email, ApiError> {
    sent.parse().map_err(|_| ApiError::InvalidEmail)
}

pub(super) fn no_randomness(error: SysError) -> ApiError {
    tracing::error!(%error, "the machine's source of randomness failed");
    ApiError::Internal
}

/// A text fit to be shown to the operator: on one line, without what a terminal would obey. It is measured as it was
/// sent: that is what whoever sends it can see, and what the documents promise.
pub(super) fn tidy(param: &'static str, text: Option<&str>, max: usize) -> Result<Option<String>, ApiError> {
    let Some(text) = text else { return Ok(None) };
    if text.chars().count() > max {
        return Err(ApiError::TextTooLong { param, max });
    }
    // Marks that turn the direction of writing can make a text look like another.
    let turns = |char: char| matches!(char, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let shown: String =
        text.chars().filter(|char| char.is_whitespace() || !(char.is_control() || turns(*char))).collect();
    let words: Vec<&str> = shown.split_whitespace().collect();
    let tidied = words.join(" ");
    Ok(Some(tidied).filter(|text| !text.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_are_kept_tidy() {
        let name = |text: &str| tidy("name", Some(text), 10);
        assert_eq!(name(" Ana\t\nLima"), Ok(Some("Ana Lima".to_owned())));
        assert_eq!(name("A\u{1b}[31m\u{0}"), Ok(Some("A[31m".to_owned())));
        assert_eq!(name("\u{202e}anA\u{7}"), Ok(Some("anA".to_owned())));
        assert_eq!(name(" \u{1} "), Ok(None));
        assert_eq!(name("é".repeat(10).as_str()).map(|kept| kept.is_some()), Ok(true));
        for long in ["12345678901", "1234567890\u{7}"] {
            assert_eq!(name(long), Err(ApiError::TextTooLong { param: "name", max: 10 }));
        }
        assert_eq!(tidy("name", None, 10), Ok(None));
    }

    proptest! {
        #[test]
        fn what_is_tidied_is_one_line_of_bounded_length(text in any::<String>()) {
            if let Ok(Some(kept)) = tidy("name", Some(&text), 20) {
                prop_assert!(kept.chars().count() <= 20 && !kept.chars().any(char::is_control));
                prop_assert_eq!(tidy("name", Some(&kept), 20), Ok(Some(kept.clone())));
            }
        }
    }
}
