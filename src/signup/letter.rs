//! The weekly letter: asked for with a form, confirmed with a link that is mailed, and ended with another.
//!
//! A known address gets the same answer in the same time as an unknown one. The links carry the id of the reader, which
//! is random and in no other place; so they need no session.

use std::net::IpAddr;

use snapshots::is_id;

use super::{SignupService, parse_email, with_padded_duration};
use crate::domain::account::ReaderId;
use crate::domain::error::ApiError;
use crate::domain::language::Language;
use crate::domain::reader::{Reader, next_letter};
use crate::store::journal::Ended;

impl SignupService {
    /// Mails a link that confirms the letter, unless the address gets it already.
    pub async fn ask_for_letter(
        &self,
        email: &str,
        language: Language,
        area: Option<&str>,
        client: IpAddr,
    ) -> Result<(), ApiError> {
        with_padded_duration(async {
            self.check_open()?;
            let email = parse_email(email)?;
            let now = self.clock.moment();
            self.count_request("letter", &email, client, now).await?;
            if !self.may_mail(&email, now).await? {
                return Ok(());
            }
            let reader = Reader {
                id: ReaderId::generate()?,
                email,
                language,
                area: area.filter(|area| is_id(area)).map(str::to_owned),
                asked_at: now.at,
                confirmed_at: None,
            };
            self.readers.save_reader(reader).await?;
            self.mailer.wake();
            Ok(())
        })
        .await
    }

    /// Whether the reader of a link has confirmed; none when there is no such reader.
    pub async fn has_confirmed_letter(&self, id: &ReaderId) -> Result<Option<bool>, ApiError> {
        Ok(self.readers.reader(id).await?.map(|reader| reader.confirmed_at.is_some()))
    }

    /// Records that the reader of a link wants the letter; false when there is no such reader.
    pub async fn confirm_letter(&self, id: &ReaderId) -> Result<bool, ApiError> {
        let now = self.clock.now();
        Ok(self.readers.confirm_reader(id, now, next_letter(now)).await?)
    }

    /// Deletes the reader of a link; false when there is no such reader.
    pub async fn stop_letter(&self, id: ReaderId) -> Result<bool, ApiError> {
        let (readers, at) = (self.readers.clone(), self.clock.now());
        let change = async move {
            let stopped = readers.delete_reader(&id).await;
            let is_stopped = match &stopped {
                Ok(stopped) => *stopped,
                // the answer was lost: the store says whether the reader is gone
                Err(_) => matches!(readers.reader(&id).await, Ok(None)),
            };
            (stopped, is_stopped.then_some(Ended::Stopped { reader: id, at }))
        };
        Ok(self.changes.run(change).await?)
    }
}
