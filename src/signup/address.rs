//! Another e-mail address of an account: a code goes to the new address, and when it is used a notice to the old one.

use std::net::IpAddr;

use super::session::OwnerSession;
use super::{SignupService, parse_email, with_padded_duration};
use crate::domain::account::{Email, MailId};
use crate::domain::code::{Level, RecoveryCode, SessionToken};
use crate::domain::error::ApiError;
use crate::store::journal::Ended;
use crate::store::{AddressChange, EmailChange, RateLimit};

/// Codes for other addresses that an account may ask for in a day.
const PER_ACCOUNT_DAY: u32 = 10;

impl SignupService {
    /// Mails a code to the new address. Of too many mails to it the next one is left out, whatever the answer says, and
    /// the time it takes does not tell: some of them are of an account that the address may have.
    pub async fn mail_new_address(
        &self,
        owner: &OwnerSession,
        email: &str,
        client: IpAddr,
    ) -> Result<Email, ApiError> {
        with_padded_duration(async {
            self.check_open()?;
            let email = parse_email(email)?;
            let (now, account) = (self.clock.moment(), &owner.account.id);
            if owner.level != Level::Owner || email == owner.account.email {
                return Err(ApiError::InvalidEmail);
            }
            let mut own: Vec<RateLimit> = self.network_limits("address", client, now).into();
            own.push(RateLimit::window("address", account, PER_ACCOUNT_DAY, now.day_ends_at()));
            self.count_own(own, now).await?;
            // the code is of another account than the one that the address may have
            if self.may_mail(&email, now).await? {
                let mail = MailId::generate()?;
                self.store.mail_new_address(account, &email, &mail, now.at).await?;
                self.mailer.wake();
            }
            Ok(email)
        })
        .await
    }

    /// Gives the account the address that a code was mailed to, and opens another session, as those before end. None
    /// when another account has the address, which only its owner can learn here.
    pub async fn redeem_new_address(
        &self,
        owner: &OwnerSession,
        email: &str,
        code: &str,
        client: IpAddr,
    ) -> Result<Option<SessionToken>, ApiError> {
        let email = parse_email(email)?;
        // no code is mailed for the address that the account has
        if owner.level != Level::Owner || email == owner.account.email {
            return Err(ApiError::InvalidCode);
        }
        let code = RecoveryCode::parse(code).ok_or(ApiError::InvalidCode)?;
        self.count_code_try("enter", owner.account.id.as_str(), client).await?;
        let (account, at) = (owner.account.id.clone(), self.clock.now());
        let change = AddressChange {
            account: account.clone(),
            code: code.new_address_hash(&account, &email),
            email,
            notice: MailId::generate()?,
            at,
        };
        let (store, moved) = (self.store.clone(), Ended::Moved { account: account.clone(), at });
        let (id, email) = (account.clone(), change.email.clone());
        let change = async move {
            let changed = store.redeem_new_address(change).await;
            let is_done = match &changed {
                Ok(changed) => *changed == Some(EmailChange::Done),
                // the answer was lost: the store says whether the change stands
                Err(_) => matches!(store.account(&email).await, Ok(Some(account)) if account.id == id),
            };
            (changed, is_done.then_some(moved))
        };
        match self.changes.run(change).await? {
            Some(EmailChange::Done) => {
                self.mailer.wake();
                self.open_session(Level::Owner, account).await.map(Some)
            }
            Some(EmailChange::Taken) => Ok(None),
            Some(EmailChange::NoAccount) | None => Err(ApiError::InvalidCode),
        }
    }
}
