//! The mail queue.

use super::values::{key_fields, unreadable};
use super::wire::ChangeId;
use super::{Redis, scripts};
use crate::domain::account::{AccountId, MailId};
use crate::domain::api_key::KeyRecord;
use crate::domain::clock::UnixMillis;
use crate::store::{Mail, MailStore, StoreFuture};

impl MailStore for Redis {
    fn take_due_mails(
        &self,
        now: UnixMillis,
        retry_at: UnixMillis,
        max: usize,
    ) -> StoreFuture<'_, Vec<Mail>> {
        Box::pin(async move {
            let due: Vec<(String, String, String, String, i64, u32)> =
                self.run(&scripts::TAKE_DUE_MAILS, (now.0, retry_at.0, max)).await?;
            let mail = |(id, account, to, kind, queued_at, attempts): (_, _, String, String, _, _)| {
                Ok(Mail {
                    id: MailId::from_stored(id),
                    account: AccountId::from_stored(account),
                    to: to.parse().map_err(unreadable)?,
                    kind: kind.parse().map_err(unreadable)?,
                    queued_at: UnixMillis(queued_at),
                    attempts,
                })
            };
            due.into_iter().map(mail).collect()
        })
    }

    fn postpone_mail(&self, mail: &MailId, until: UnixMillis) -> StoreFuture<'_, ()> {
        let mail = mail.clone();
        Box::pin(async move { self.run(&scripts::POSTPONE_MAIL, (mail.as_str(), until.0)).await })
    }

    fn delete_mail(&self, mail: &MailId) -> StoreFuture<'_, ()> {
        let mail = mail.clone();
        Box::pin(async move { self.run(&scripts::DELETE_MAIL, (mail.as_str(),)).await })
    }

    fn issue_welcome_key(&self, mail: &MailId, key: KeyRecord) -> StoreFuture<'_, bool> {
        let mail = mail.clone();
        Box::pin(async move {
            let change: Option<ChangeId> =
                self.run(&scripts::ISSUE_WELCOME_KEY, (mail.as_str(), key_fields(&key))).await?;
            self.changed_keys(change).await
        })
    }
}
