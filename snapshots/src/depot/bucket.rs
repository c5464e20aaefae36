//! A depot in a bucket of an object store.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::StreamExt;
use object_store::path::Path as Key;
use object_store::{
    Error as CloudError, GetOptions, GetResult, ObjectStore, ObjectStoreExt, PutMode, PutPayload,
    UpdateVersion,
};

use super::hidden_file::{HIDDEN, compare_hidden};
use super::pointer::{
    DepotError, MAX_PACKED_BYTES, POINTER, Pointer, Publication, StateFile, check_next, conflict, name_of,
};
use super::servers::{MAX_BYTES, SERVERS, ServerState, file_of};
use crate::hidden::Hidden;
use crate::pack::Digest;

/// A depot in a bucket.
#[derive(Debug, Clone)]
pub(super) struct Bucket {
    store: Arc<dyn ObjectStore>,
    prefix: Key,
}

impl Bucket {
    /// `rest` is the address without its scheme: `bucket/prefix`.
    pub(super) fn new(store: Arc<dyn ObjectStore>, rest: &str) -> Result<Self, DepotError> {
        let prefix = rest.split_once('/').map_or("", |(_, prefix)| prefix);
        Ok(Self { store, prefix: Key::from_url_path(prefix).map_err(CloudError::from)? })
    }

    fn snapshot_key(&self, digest: &Digest) -> Key {
        self.prefix.clone().join("snapshots").join(name_of(digest))
    }

    /// An object that is replaced as a whole. It fails with `NotModified` if it has the ETag.
    pub(super) async fn read(
        &self,
        file: StateFile,
        unless_etag: Option<String>,
    ) -> Result<Option<(Bytes, UpdateVersion)>, DepotError> {
        let options = GetOptions { if_none_match: unless_etag, ..GetOptions::default() };
        let got = match self.store.get_opts(&self.prefix.clone().join(file.name), options).await {
            Err(CloudError::NotFound { .. }) => return Ok(None),
            got => got?,
        };
        let version = UpdateVersion { e_tag: got.meta.e_tag.clone(), version: got.meta.version.clone() };
        Ok(Some((read_object(got, file.name, file.max_bytes).await?, version)))
    }

    /// Replaces the version that was read before, if any; false when somebody else did so meanwhile.
    async fn replace(
        &self,
        file: StateFile,
        before: Option<UpdateVersion>,
        bytes: Vec<u8>,
    ) -> Result<bool, DepotError> {
        let bytes = Bytes::from(bytes);
        let mode = before.map_or(PutMode::Create, PutMode::Update);
        let key = self.prefix.clone().join(file.name);
        match self.store.put_opts(&key, PutPayload::from(bytes.clone()), mode.into()).await {
            Ok(_) => Ok(true),
            Err(CloudError::Precondition { .. } | CloudError::AlreadyExists { .. }) => {
                // After a lost response the client retries, and may find what its first attempt wrote.
                Ok(self.read(file, None).await?.is_some_and(|(found, _)| found == bytes))
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn pointer(&self) -> Result<Option<(Pointer, UpdateVersion)>, DepotError> {
        let Some((bytes, version)) = self.read(POINTER, None).await? else { return Ok(None) };
        Ok(Some((serde_json::from_slice(&bytes)?, version)))
    }

    async fn replace_pointer(
        &self,
        before: Option<UpdateVersion>,
        pointer: &Pointer,
    ) -> Result<(), DepotError> {
        if self.replace(POINTER, before, serde_json::to_vec_pretty(pointer)?).await? {
            return Ok(());
        }
        let found = self.pointer().await?.map(|(found, _)| found);
        Err(conflict(pointer.entry.serial, found.as_ref()))
    }

    pub(super) async fn fetch(&self, digest: &Digest) -> Result<Bytes, DepotError> {
        match self.store.get(&self.snapshot_key(digest)).await {
            Err(CloudError::NotFound { .. }) => Err(DepotError::NoSuchSnapshot(*digest)),
            got => read_object(got?, &name_of(digest), MAX_PACKED_BYTES).await,
        }
    }

    pub(super) async fn has(&self, digest: &Digest) -> Result<bool, DepotError> {
        match self.store.head(&self.snapshot_key(digest)).await {
            Err(CloudError::NotFound { .. }) => Ok(false),
            head => Ok(head.map(|_| true)?),
        }
    }

    pub(super) async fn store(&self, digest: &Digest, bytes: Bytes) -> Result<(), DepotError> {
        let key = self.snapshot_key(digest);
        let payload = PutPayload::from(bytes);
        match self.store.put_opts(&key, payload.clone(), PutMode::Create.into()).await {
            Ok(_) => Ok(()),
            // The name is the digest of the content: the existing object is the same, unless it is damaged.
            Err(CloudError::AlreadyExists { .. }) => match self.fetch(digest).await {
                Ok(existing) if Digest::of(&existing) == *digest => Ok(()),
                _ => Ok(self.store.put_opts(&key, payload, PutMode::Overwrite.into()).await.map(drop)?),
            },
            Err(error) => Err(error.into()),
        }
    }

    pub(super) async fn publish(&self, new: Publication) -> Result<Pointer, DepotError> {
        let (before, version) = self.pointer().await?.unzip();
        let pointer = new.after(before)?;
        if !self.has(&pointer.entry.digest).await? {
            return Err(DepotError::NoSuchSnapshot(pointer.entry.digest));
        }
        self.replace_pointer(version, &pointer).await?;
        Ok(pointer)
    }

    pub(super) async fn replace_hidden(&self, new: &Hidden) -> Result<(), DepotError> {
        let (before, version) = self.read(HIDDEN, None).await?.unzip();
        compare_hidden(new, before.as_deref())?;
        let is_ours = self.replace(HIDDEN, version, serde_json::to_vec_pretty(new)?).await?;
        if is_ours { Ok(()) } else { Err(DepotError::HiddenConflict) }
    }

    fn server_key(&self, id: &str) -> Key {
        self.prefix.clone().join(SERVERS).join(file_of(id))
    }

    pub(super) async fn note_server(&self, state: &ServerState) -> Result<(), DepotError> {
        self.store.put(&self.server_key(&state.id), PutPayload::from(serde_json::to_vec(state)?)).await?;
        Ok(())
    }

    pub(super) async fn forget_server(&self, id: &str) -> Result<(), DepotError> {
        match self.store.delete(&self.server_key(id)).await {
            Ok(()) | Err(CloudError::NotFound { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    pub(super) async fn servers(&self) -> Result<Vec<ServerState>, DepotError> {
        let mut listed = self.store.list(Some(&self.prefix.clone().join(SERVERS)));
        let mut states = Vec::new();
        while let Some(object) = listed.next().await {
            let key = object?.location;
            let got = match self.store.get(&key).await {
                // it was forgotten meanwhile
                Err(CloudError::NotFound { .. }) => continue,
                got => got?,
            };
            states.extend(serde_json::from_slice(&read_object(got, key.as_ref(), MAX_BYTES).await?).ok());
        }
        Ok(states)
    }

    pub(super) async fn restore(&self, pointer: &Pointer) -> Result<(), DepotError> {
        check_next(1, self.pointer().await?.map(|(found, _)| found).as_ref())?;
        self.replace_pointer(None, pointer).await
    }
}

/// Reads an object of any claimed size, up to a limit.
async fn read_object(got: GetResult, name: &str, max: u64) -> Result<Bytes, DepotError> {
    let too_large = || DepotError::TooLarge(name.to_owned(), max);
    if got.meta.size > max {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(got.meta.size).map_err(|_| too_large())?);
    let mut chunks = got.into_stream();
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk?;
        if (bytes.len() + chunk.len()) as u64 > max {
            return Err(too_large());
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(Bytes::from(bytes))
}
