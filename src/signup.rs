//! The sign-up service: sign-up, key rotation, and recovery of a lost key.
//!
//! A known address gets the same answer in the same time as an unknown one: the store is asked the same questions for
//! both, and only the mail differs.

use std::fmt::Display;
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
use crate::store::{AccessRequest, AccountStore, CodeRedemption, KeyReplacement, RateLimit, RotationMail};

/// The sign-up service.
#[derive(Debug)]
pub struct SignupService {
    store: Arc<dyn AccountStore>,
    clock: Clock,
    limits: Signup,
    mailer: Mailer,
}

/// A sign-up request as it was sent.
#[derive(Debug, Clone, Copy)]
pub struct SignupRequest<'a> {
    /// The e-mail address.
    pub email: &'a str,
    /// The name.
    pub name: Option<&'a str>,
    /// The company.
    pub company: Option<&'a str>,
    /// What the guide is wanted for.
    pub use_case: Option<&'a str>,
}

/// A new key, in place of revoked ones.
#[derive(Debug)]
pub struct IssuedKey {
    /// The key: only this answer and its mail show it.
    pub key: ApiKey,
    /// When it was issued.
    pub at: UnixMillis,
}

/// Longest name and company, in characters.
pub const MAX_NAME: usize = 120;
/// Longest use case, in characters.
pub const MAX_USE_CASE: usize = 500;

impl SignupService {
    /// A sign-up service.
    pub fn new(store: Arc<dyn AccountStore>, clock: Clock, limits: Signup, mailer: Mailer) -> SignupService {
        SignupService { store, clock, limits, mailer }
    }

    /// Mails a key to a new address, and a recovery code to a known one.
    pub async fn sign_up(&self, request: SignupRequest<'_>, client: IpAddr) -> Result<(), ApiError> {
        self.check_open()?;
        let email = parse_email(request.email)?;
        let profile = Profile {
            name: clean_text("name", request.name, MAX_NAME)?,
            company: clean_text("company", request.company, MAX_NAME)?,
            use_case: clean_text("use_case", request.use_case, MAX_USE_CASE)?,
        };
        let now = self.clock.moment();
        if let Some(retry_after) = self.count("signup", Some(&email), client, now).await? {
            return Err(ApiError::TooManySignups { retry_after });
        }
        let id = AccountId::generate().map_err(randomness_failed)?;
        let account = Account { id, email: email.clone(), plan: Plan::Free, created_at: now.at };
        self.request_access(email, Some((account, profile)), now).await
    }

    /// Mails a recovery code to an address, if it is known.
    pub async fn recover(&self, email: &str, client: IpAddr) -> Result<(), ApiError> {
        self.check_open()?;
        let email = parse_email(email)?;
        let now = self.clock.moment();
        if let Some(retry_after) = self.count("recover", Some(&email), client, now).await? {
            return Err(ApiError::TooManyRecoveries { retry_after });
        }
        self.request_access(email, None, now).await
    }

    /// Without mail neither a key nor a code reaches anybody.
    fn check_open(&self) -> Result<(), ApiError> {
        if self.mailer.sends() { Ok(()) } else { Err(ApiError::SignupClosed) }
    }

    /// Exchanges a recovery code for a new key, and revokes all others of the account.
    pub async fn redeem(&self, email: &str, code: &str, client: IpAddr) -> Result<IssuedKey, ApiError> {
        let email = parse_email(email)?;
        let now = self.clock.moment();
        if let Some(retry_after) = self.count("confirm", None, client, now).await? {
            return Err(ApiError::TooManyRecoveries { retry_after });
        }
        let code = RecoveryCode::parse(code).ok_or(ApiError::InvalidCode)?;
        // for an unknown address the hash is of an account that does not exist: the store is asked all the same
        let account = match self.store.account(&email).await? {
            Some(account) => account.id,
            None => AccountId::generate().map_err(randomness_failed)?,
        };
        let (issued, mail) = self.new_key(now.at)?;
        let id = mail.id.clone();
        let redemption = CodeRedemption {
            email,
            code: code.hash(&account),
            new: KeyRecord::of(&issued.key, now.at),
            mail: Some(mail),
        };
        let redeemed = self.store.redeem_recovery_code(redemption).await?.is_some();
        self.finish(redeemed, issued, &id, ApiError::InvalidCode)
    }

    /// Replaces the caller's key. Of two requests at once, one gets a new key.
    pub async fn rotate(&self, caller: &Caller) -> Result<IssuedKey, ApiError> {
        let now = self.clock.now();
        let (issued, mail) = self.new_key(now)?;
        let id = mail.id.clone();
        let replacement = KeyReplacement {
            account: caller.account.id.clone(),
            old: Some(caller.key),
            new: KeyRecord::of(&issued.key, now),
            mail: Some(mail),
        };
        let replaced = self.store.replace_keys(replacement).await?;
        self.finish(replaced, issued, &id, ApiError::InvalidKey)
    }

    /// A key and the mail that carries it. The mailer gets the key before the store does: were the store's answer lost,
    /// the mail would be the only way to it.
    fn new_key(&self, at: UnixMillis) -> Result<(IssuedKey, RotationMail), ApiError> {
        let key = ApiKey::generate().map_err(randomness_failed)?;
        let mail = self.mailer.hold_key(&key, at).map_err(randomness_failed)?;
        Ok((IssuedKey { key, at }, mail))
    }

    fn finish(
        &self,
        is_stored: bool,
        issued: IssuedKey,
        mail: &MailId,
        error: ApiError,
    ) -> Result<IssuedKey, ApiError> {
        if is_stored {
            self.mailer.wake();
            Ok(issued)
        } else {
            self.mailer.drop_key(mail);
            Err(error)
        }
    }

    async fn request_access(
        &self,
        email: Email,
        new_account: Option<(Account, Profile)>,
        now: Moment,
    ) -> Result<(), ApiError> {
        let mail = MailId::generate().map_err(randomness_failed)?;
        self.store.request_access(AccessRequest { email, new_account, mail, at: now.at }).await?;
        self.mailer.wake();
        Ok(())
    }

    /// Counts an attempt for an address and a client; returns the seconds to wait when there were too many.
    async fn count(
        &self,
        what: &str,
        email: Option<&Email>,
        client: IpAddr,
        now: Moment,
    ) -> Result<Option<u32>, ApiError> {
        // A window is named by its end. The days come first: of two full windows the longer wait is returned.
        let (hour, day) = (now.hour_ends_at(), now.day_ends_at());
        let limit = |ends_at: UnixMillis, who: &dyn Display, max: u32| RateLimit {
            name: format!("{what}/{}/{who}", ends_at.0),
            max,
            ends_at,
        };
        let network = network(client);
        let mut limits = vec![
            limit(day, &network, self.limits.per_ip_day),
            limit(hour, &format_args!("{network}/hour"), self.limits.per_ip_hour),
        ];
        if let Some(email) = email {
            limits.insert(0, limit(day, email, self.limits.per_address_day));
        }
        let ends: Vec<UnixMillis> = limits.iter().map(|limit| limit.ends_at).collect();
        let reached = self.store.count_attempt(limits, now.at).await?;
        Ok(reached.map(|index| seconds_until(ends.get(index).copied().unwrap_or(day), now.at)))
    }
}

fn parse_email(sent: &str) -> Result<Email, ApiError> {
    sent.parse().map_err(|_| ApiError::InvalidEmail)
}

pub(crate) fn randomness_failed(error: SysError) -> ApiError {
    tracing::error!(%error, "the machine's source of randomness failed");
    ApiError::Internal
}

/// A text that can be shown to the operator: one line, without control characters. Its length is measured as sent, as
/// documented.
pub(crate) fn clean_text(
    param: &'static str,
    text: Option<&str>,
    max: usize,
) -> Result<Option<String>, ApiError> {
    let Some(text) = text else { return Ok(None) };
    if text.chars().count() > max {
        return Err(ApiError::TextTooLong { param, max });
    }
    // bidirectional marks can make a text look like another
    let is_bidi = |char: char| matches!(char, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let visible: String =
        text.chars().filter(|char| char.is_whitespace() || !(char.is_control() || is_bidi(*char))).collect();
    let clean = visible.split_whitespace().collect::<Vec<_>>().join(" ");
    Ok(Some(clean).filter(|text| !text.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn control_characters_and_line_breaks_are_removed() {
        let name = |text: &str| clean_text("name", Some(text), 10);
        assert_eq!(name(" Ana\t\nLima"), Ok(Some("Ana Lima".to_owned())));
        assert_eq!(name("A\u{1b}[31m\u{0}"), Ok(Some("A[31m".to_owned())));
        assert_eq!(name("\u{202e}anA\u{7}"), Ok(Some("anA".to_owned())));
        assert_eq!(name(" \u{1} "), Ok(None));
        assert_eq!(name("é".repeat(10).as_str()).map(|kept| kept.is_some()), Ok(true));
        for long in ["12345678901", "1234567890\u{7}"] {
            assert_eq!(name(long), Err(ApiError::TextTooLong { param: "name", max: 10 }));
        }
        assert_eq!(clean_text("name", None, 10), Ok(None));
    }

    proptest! {
        #[test]
        fn clean_text_is_one_line_of_bounded_length(text in any::<String>()) {
            if let Ok(Some(kept)) = clean_text("name", Some(&text), 20) {
                prop_assert!(kept.chars().count() <= 20 && !kept.chars().any(char::is_control));
                prop_assert_eq!(clean_text("name", Some(&kept), 20), Ok(Some(kept.clone())));
            }
        }
    }
}
