//! Readers of the weekly letter: a hash for each, the way to it from its address, and when the mail of each is due.

use async_trait::async_trait;

use super::{Redis, scripts};
use crate::domain::account::{Email, ReaderId};
use crate::domain::clock::UnixMillis;
use crate::domain::reader::Reader;
use crate::store::{ReaderStore, StoreResult, TakeDue};

#[async_trait]
impl ReaderStore for Redis {
    async fn save_reader(&self, reader: Reader) -> StoreResult<()> {
        // someone who has confirmed is never new
        let forget_at = reader.forget_at().unwrap_or(reader.asked_at);
        let Reader { id, email, language, area, asked_at, .. } = reader;
        let fields = (id, email, language, area.unwrap_or_default(), asked_at, forget_at);
        self.run::<bool>(&scripts::SAVE_READER, fields).await.map(drop)
    }

    async fn reader(&self, id: &ReaderId) -> StoreResult<Option<Reader>> {
        self.run(&scripts::READER, (id, "")).await
    }

    async fn confirm_reader(&self, id: &ReaderId, at: UnixMillis, due_at: UnixMillis) -> StoreResult<bool> {
        self.run(&scripts::CONFIRM_READER, (id, at, due_at)).await
    }

    async fn delete_reader(&self, id: &ReaderId) -> StoreResult<bool> {
        let deleted: Option<ReaderId> = self.run(&scripts::DELETE_READER, (id, "")).await?;
        Ok(deleted.is_some())
    }

    async fn delete_reader_of(&self, email: &Email) -> StoreResult<Option<ReaderId>> {
        self.run(&scripts::DELETE_READER, ("", email)).await
    }

    async fn take_due_readers(&self, take: TakeDue) -> StoreResult<Vec<(Reader, u32)>> {
        self.run(&scripts::TAKE_DUE_READERS, (take.now, take.retry_at, take.max)).await
    }

    async fn reschedule_reader(
        &self,
        taken: &Reader,
        due_at: Option<UnixMillis>,
        attempts: u32,
    ) -> StoreResult<()> {
        let due_at = due_at.map_or_else(String::new, |at| at.0.to_string());
        let was_confirmed = if taken.confirmed_at.is_some() { "1" } else { "0" };
        let arguments = (&taken.id, due_at, attempts, was_confirmed);
        self.run::<bool>(&scripts::RESCHEDULE_READER, arguments).await.map(drop)
    }
}
