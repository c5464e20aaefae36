//! The mail queue.

use async_trait::async_trait;

use super::accounts::FORGET_CODE_MILLIS;
use super::values::key_fields;
use super::wire::ChangeId;
use super::{Redis, scripts};
use crate::domain::account::{Account, MailId, MailerId};
use crate::domain::api_key::KeyRecord;
use crate::domain::clock::UnixMillis;
use crate::domain::mail::MailKind;
use crate::store::{CodeRecord, Mail, MailStore, StoreResult, TakeDue, WelcomeKey};

#[async_trait]
impl MailStore for Redis {
    async fn queue_mail(
        &self,
        new: Account,
        mail: &MailId,
        kind: MailKind,
        at: UnixMillis,
    ) -> StoreResult<()> {
        let account = (new.id, new.email, new.plan, new.created_at);
        self.run::<bool>(&scripts::QUEUE_MAIL, (account, mail, kind, at)).await.map(drop)
    }

    async fn take_due_mails(&self, taker: &MailerId, take: TakeDue) -> StoreResult<Vec<Mail>> {
        let kinds: Vec<&str> = MailKind::names().collect();
        let arguments = (take.now, take.retry_at, take.max, taker, take.abandoned_at(), kinds);
        let due: Vec<_> = self.run(&scripts::TAKE_DUE_MAILS, arguments).await?;
        let mail = |(id, account, to, kind, queued_at, attempts)| Mail {
            id,
            account,
            to,
            kind,
            queued_at,
            attempts,
        };
        Ok(due.into_iter().map(mail).collect())
    }

    async fn postpone_mail(&self, mail: &MailId, until: UnixMillis) -> StoreResult<()> {
        self.run(&scripts::POSTPONE_MAIL, (mail, until)).await
    }

    async fn delete_mail(&self, mail: &MailId) -> StoreResult<()> {
        self.run(&scripts::DELETE_MAIL, mail).await
    }

    async fn hasten_mails(&self, later: UnixMillis, now: UnixMillis, max: usize) -> StoreResult<usize> {
        self.run(&scripts::HASTEN_MAILS, (later, now, max)).await
    }

    async fn save_mailed_code(&self, mail: &MailId, code: CodeRecord) -> StoreResult<bool> {
        let CodeRecord { hash, expires_at, at } = code;
        self.run(&scripts::SAVE_MAILED_CODE, (mail, hash, expires_at, at, FORGET_CODE_MILLIS)).await
    }

    async fn issue_welcome_key(
        &self,
        mail: &MailId,
        holder: &MailerId,
        key: KeyRecord,
    ) -> StoreResult<WelcomeKey> {
        let arguments = (mail, key_fields(&key), holder);
        let (change, has_other): (Option<ChangeId>, bool) =
            self.run(&scripts::ISSUE_WELCOME_KEY, arguments).await?;
        Ok(match (self.changed_keys(change).await?, has_other) {
            (true, _) => WelcomeKey::Issued,
            (false, true) => WelcomeKey::HasOther,
            (false, false) => WelcomeKey::Ended,
        })
    }
}
