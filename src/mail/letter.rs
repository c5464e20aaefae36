//! The mails to readers of the weekly letter: the one that asks for a confirmation, and the letter.

use chrono::NaiveDate;
use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};

use super::{DeliveryError, DeliveryOutcome, MailerState, RETRY};
use crate::domain::account::MailId;
use crate::domain::clock::UnixMillis;
use crate::domain::language::Language;
use crate::domain::reader::{Reader, letter_of, next_letter};

/// Chooses what the letter is about.
pub trait LetterSource: Send + Sync {
    /// The weekend after a Thursday, in the area with a slug if it is known there; none when nothing is on.
    fn weekend(
        &self,
        language: Language,
        area: Option<&str>,
        thursday: NaiveDate,
    ) -> Result<Option<Weekend>, NoGuide>;

    /// The name of the area with a slug, if it is known.
    fn area_name(&self, area: &str) -> Option<String>;
}

/// No guide is in service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no guide is in service")]
pub struct NoGuide;

/// What is on in a weekend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Weekend {
    /// The subject of the letter.
    pub title: String,
    /// Its first sentence.
    pub lead: String,
    /// Titles, each with events.
    pub sections: Vec<(String, Vec<LetterItem>)>,
    /// The address of the whole weekend, from Friday evening on.
    pub address: String,
}

/// An event of a letter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LetterItem {
    /// Its name.
    pub title: String,
    /// When, where and for how much.
    pub note: String,
    /// The address of its page.
    pub address: String,
}

impl MailerState {
    /// Sends a reader the mail that is due, and says when the next one is.
    pub(super) async fn deliver_to_reader(&self, reader: Reader, attempts: u32, letters: &dyn LetterSource) {
        let now = self.clock.now();
        let next = reader.confirmed_at.map(|_| next_letter(now));
        let what = if next.is_some() { "letter" } else { "confirmation" };
        let outcome = self.send_to_reader(&reader, letters, now).await;
        let is_sent = matches!(outcome, Ok(DeliveryOutcome::Sent));
        let (due_at, attempts) = match outcome {
            Ok(_) => {
                if is_sent {
                    self.metrics.sent.inc();
                    tracing::info!(what, "a mail to a reader was sent");
                }
                (next, 0)
            }
            Err(error) => {
                let retry_at = RETRY.at(self.clock.now(), attempts);
                let is_final = matches!(&error, DeliveryError::Send(error) if error.is_final());
                let is_late = match reader.confirmed_at {
                    Some(_) => letter_of(retry_at) != letter_of(now),
                    None => retry_at > reader.asked_at.after(RETRY.max_age),
                };
                if is_final || is_late {
                    tracing::error!(what, attempts, %error, "a mail to a reader was abandoned");
                    self.metrics.abandoned.inc();
                    (next, 0)
                } else {
                    self.sending.failed(&error);
                    tracing::debug!(what, attempts, %error, "a mail to a reader will be tried again");
                    (Some(retry_at), attempts)
                }
            }
        };
        if let Err(error) = self.store.reschedule_reader(&reader, due_at, attempts).await {
            tracing::warn!(what, %error, "a mail to a reader is still due and may be sent again");
        }
        if is_sent {
            self.after_success().await;
        }
        if due_at != next {
            // counted last: what is counted has been postponed
            self.metrics.failed.inc();
        }
    }

    async fn send_to_reader(
        &self,
        reader: &Reader,
        letters: &dyn LetterSource,
        now: UnixMillis,
    ) -> Result<DeliveryOutcome, DeliveryError> {
        let (message, id) = if reader.confirmed_at.is_none() {
            // to the millisecond: a mail program may drop the second of two with one id
            let id = mail_id(reader, &reader.asked_at.0.to_string());
            let area = reader.area.as_deref().and_then(|area| letters.area_name(area));
            (self.templates.confirmation(&id, reader, area.as_deref(), now)?, id)
        } else {
            let Some(thursday) = letter_of(now) else { return Ok(DeliveryOutcome::Obsolete) };
            let weekend = letters.weekend(reader.language, reader.area.as_deref(), thursday)?;
            let Some(weekend) = weekend else { return Ok(DeliveryOutcome::Obsolete) };
            let id = mail_id(reader, &thursday.to_string());
            (self.templates.letter(&id, reader, &weekend, now)?, id)
        };
        self.transport.send(&message, &file_name(now, &id)).await?;
        Ok(DeliveryOutcome::Sent)
    }
}

/// The id of a mail, the same at each attempt. It does not tell the id of the reader.
fn mail_id(reader: &Reader, of: &str) -> MailId {
    let hash = Sha256::new().chain_update(reader.id.as_str()).chain_update("/").chain_update(of).finalize();
    MailId::from_stored(format!("ltr_{}", HEXLOWER.encode(&hash[..12])))
}

/// The name of a mail in an outbox. It sorts by time in a listing: 20260301T030000.250Z-ltr_...
pub(super) fn file_name(at: UnixMillis, id: &MailId) -> String {
    let second = at.to_string().replace(['-', ':', 'Z'], "");
    format!("{second}.{:03}Z-{id}", at.0.rem_euclid(1000))
}
