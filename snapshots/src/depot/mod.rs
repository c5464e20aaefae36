//! The storage of published snapshots: a local folder, or a bucket on S3, Google Cloud Storage or Azure.
//!
//! A depot holds `snapshots/<digest>.json.zst`, which never change, and `current.json`, the pointer to the publication
//! in service. Beside it are `hidden.json`, the records that are hidden without a publication, and `servers/<id>.json`,
//! what each server serves. The pointer and `hidden.json` are updated by compare-and-swap, so that of two concurrent
//! publishers one gets a conflict: a bucket compares object versions, a folder holds a lock file.

mod bucket;
mod folder;
mod hidden_file;
mod pointer;
mod servers;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::path::Path as Key;
use object_store::{ClientConfigKey, Error as CloudError, ObjectStore};

use crate::hidden::Hidden;
use crate::pack::{Digest, Packed};
use bucket::Bucket;
use folder::Folder;
use hidden_file::{HIDDEN, parsed};
pub use pointer::{DepotError, MAX_HISTORY, Pointer, Publication};
use pointer::{POINTER, StateFile};
pub use servers::ServerState;

/// How long one request to a bucket may take: a large snapshot on a slow line takes longer than the usual 30 seconds.
const CLOUD_TIMEOUT: &str = "600 seconds";

/// What a poller saw last. Pass the same one to each [`Depot::poll`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PollState {
    /// The pointer's ETag: what has it is not read again.
    etag: Option<String>,
    /// Whether the depot had a pointer at the last poll: one whose files are away has none.
    has_pointer: bool,
    /// The publication: a bucket may change its ETag alone.
    publication: Option<(u64, Digest)>,
    /// The ETag of what is hidden, and what that is.
    hidden_etag: Option<String>,
    hidden: Option<Hidden>,
}

impl PollState {
    /// Whether the depot had a publication when it was last polled.
    pub fn is_published(&self) -> bool {
        self.has_pointer
    }

    /// Whether the depot said what is hidden when it was last polled.
    pub fn has_hidden(&self) -> bool {
        self.hidden.is_some()
    }
}

/// An opened depot.
#[derive(Debug, Clone)]
pub struct Depot(Backend);

#[derive(Debug, Clone)]
enum Backend {
    Folder(Folder),
    Bucket(Bucket),
}

/// What a file of a depot has.
enum Found {
    Nothing,
    /// What has the ETag that was asked with.
    Same,
    /// The bytes, with their ETag.
    New(Bytes, Option<String>),
}

/// Chooses the cryptography of the TLS connections of this process, if none is chosen. HTTPS clients cannot be made
/// before.
pub fn choose_cryptography() {
    // an error says that one is chosen
    let _ = rustls::crypto::ring::default_provider().install_default();
}

impl Depot {
    /// Opens a depot: a folder by its path or `file://` (created when missing), or a bucket by `s3://bucket/prefix`,
    /// `gs://bucket/prefix` or `az://container/prefix`. Credentials come from the environment (`AWS_*`, `GOOGLE_*`,
    /// `AZURE_*`). A bucket is not contacted yet.
    pub fn open(address: &str) -> Result<Self, DepotError> {
        let Some((scheme, rest)) = address.split_once("://") else {
            if address.is_empty() {
                return Err(DepotError::UnknownScheme(String::new()));
            }
            return Ok(Self(Backend::Folder(Folder::open(PathBuf::from(address))?)));
        };
        choose_cryptography();
        let timeout = |variable| std::env::var(variable).unwrap_or_else(|_| CLOUD_TIMEOUT.to_owned());
        let store: Arc<dyn ObjectStore> = match scheme {
            "file" => {
                let path = Key::from_url_path(rest).map_err(CloudError::from)?;
                return Ok(Self(Backend::Folder(Folder::open(Path::new("/").join(path.as_ref()))?)));
            }
            "s3" | "s3a" => {
                let key = AmazonS3ConfigKey::Client(ClientConfigKey::Timeout);
                let builder = AmazonS3Builder::from_env().with_config(key, timeout("AWS_TIMEOUT"));
                Arc::new(builder.with_url(address).build()?)
            }
            "gs" => {
                let key = GoogleConfigKey::Client(ClientConfigKey::Timeout);
                let builder =
                    GoogleCloudStorageBuilder::from_env().with_config(key, timeout("GOOGLE_TIMEOUT"));
                Arc::new(builder.with_url(address).build()?)
            }
            "az" | "azure" | "abfs" | "abfss" => {
                let key = AzureConfigKey::Client(ClientConfigKey::Timeout);
                let builder = MicrosoftAzureBuilder::from_env().with_config(key, timeout("AZURE_TIMEOUT"));
                Arc::new(builder.with_url(address).build()?)
            }
            _ => return Err(DepotError::UnknownScheme(address.to_owned())),
        };
        Ok(Self(Backend::Bucket(Bucket::new(store, rest)?)))
    }

    /// The current publication; `None` when nothing was ever published.
    pub async fn current(&self) -> Result<Option<Pointer>, DepotError> {
        match self.read(POINTER, None).await? {
            Found::New(bytes, _) => Ok(Some(serde_json::from_slice(&bytes)?)),
            Found::Nothing | Found::Same => Ok(None),
        }
    }

    /// The current publication if it is not the one in `seen`, which is then updated. Cheap enough for every second.
    pub async fn poll(&self, seen: &mut PollState) -> Result<Option<Pointer>, DepotError> {
        let found = self.read(POINTER, seen.etag.as_ref()).await?;
        let is_there = !matches!(found, Found::Nothing);
        let Found::New(bytes, etag) = found else {
            seen.has_pointer = is_there;
            return Ok(None);
        };
        let pointer: Pointer = serde_json::from_slice(&bytes)?;
        let publication = Some((pointer.entry.serial, pointer.entry.digest));
        (seen.has_pointer, seen.etag) = (true, etag);
        if seen.publication == publication {
            return Ok(None);
        }
        seen.publication = publication;
        Ok(Some(pointer))
    }

    /// How often a server polls it: a bucket is asked over a network, and each time is paid.
    pub fn poll_interval(&self) -> Duration {
        match &self.0 {
            Backend::Folder(_) => Duration::from_millis(100),
            Backend::Bucket(_) => Duration::from_millis(500),
        }
    }

    /// Reads a file, unless it has the ETag.
    async fn read(&self, file: StateFile, etag: Option<&String>) -> Result<Found, DepotError> {
        let etag = etag.cloned();
        match &self.0 {
            Backend::Folder(folder) => {
                folder.run(move |folder| folder.read_unless(file, etag.as_ref())).await
            }
            Backend::Bucket(bucket) => match bucket.read(file, etag).await {
                Err(DepotError::Bucket(CloudError::NotModified { .. })) => Ok(Found::Same),
                found => {
                    Ok(found?.map_or(Found::Nothing, |(bytes, version)| Found::New(bytes, version.e_tag)))
                }
            },
        }
    }

    /// The packed file of a digest, unverified: [`crate::unpack`] verifies it.
    pub async fn fetch(&self, digest: &Digest) -> Result<Bytes, DepotError> {
        let digest = *digest;
        match &self.0 {
            Backend::Folder(folder) => folder.run(move |folder| folder.fetch(&digest)).await,
            Backend::Bucket(bucket) => bucket.fetch(&digest).await,
        }
    }

    /// Whether the packed file of a digest is there.
    pub async fn has(&self, digest: &Digest) -> Result<bool, DepotError> {
        let digest = *digest;
        match &self.0 {
            Backend::Folder(folder) => folder.run(move |folder| Ok(folder.has(&digest))).await,
            Backend::Bucket(bucket) => bucket.has(&digest).await,
        }
    }

    /// Stores a packed file. Storing it again changes nothing.
    pub async fn store(&self, packed: &Packed) -> Result<(), DepotError> {
        let (digest, bytes) = (packed.digest, packed.bytes.clone());
        match &self.0 {
            Backend::Folder(folder) => folder.run(move |folder| folder.store(&digest, &bytes)).await,
            Backend::Bucket(bucket) => bucket.store(&digest, bytes).await,
        }
    }

    /// Writes a pointer that was read from a depot before into one that has none: for backups. Its snapshots must have
    /// been stored.
    pub async fn restore(&self, pointer: Pointer) -> Result<(), DepotError> {
        match &self.0 {
            Backend::Folder(folder) => folder.run(move |folder| folder.restore(&pointer)).await,
            Backend::Bucket(bucket) => bucket.restore(&pointer).await,
        }
    }

    /// Publishes a stored snapshot if its serial is the one after the current one, the first being 1. A rollback
    /// publishes the digest of an earlier publication.
    pub async fn publish(&self, new: Publication) -> Result<Pointer, DepotError> {
        match &self.0 {
            Backend::Folder(folder) => folder.run(move |folder| folder.publish(new)).await,
            Backend::Bucket(bucket) => bucket.publish(new).await,
        }
    }

    /// What is hidden; `None` when nothing ever was.
    pub async fn hidden(&self) -> Result<Option<Hidden>, DepotError> {
        match self.read(HIDDEN, None).await? {
            Found::New(bytes, _) => parsed(&bytes).map(Some),
            Found::Nothing | Found::Same => Ok(None),
        }
    }

    /// What is hidden if it is not what `seen` says, which is then updated. `None` also when nothing ever was.
    pub async fn poll_hidden(&self, seen: &mut PollState) -> Result<Option<Hidden>, DepotError> {
        let (bytes, etag) = match self.read(HIDDEN, seen.hidden_etag.as_ref()).await? {
            Found::New(bytes, etag) => (bytes, etag),
            Found::Same => return Ok(None),
            Found::Nothing => {
                (seen.hidden, seen.hidden_etag) = (None, None);
                return Ok(None);
            }
        };
        let hidden = parsed(&bytes)?;
        seen.hidden_etag = etag;
        if seen.hidden.as_ref() == Some(&hidden) {
            return Ok(None);
        }
        seen.hidden = Some(hidden.clone());
        Ok(Some(hidden))
    }

    /// Replaces what is hidden, if its version is still one below that of `new`.
    pub async fn replace_hidden(&self, new: Hidden) -> Result<(), DepotError> {
        match &self.0 {
            Backend::Folder(folder) => folder.run(move |folder| folder.replace_hidden(&new)).await,
            Backend::Bucket(bucket) => bucket.replace_hidden(&new).await,
        }
    }

    /// Writes what a server serves.
    pub async fn note_server(&self, state: ServerState) -> Result<(), DepotError> {
        match &self.0 {
            Backend::Folder(folder) => folder.run(move |folder| folder.note_server(&state)).await,
            Backend::Bucket(bucket) => bucket.note_server(&state).await,
        }
    }

    /// Removes what a server wrote, which may have been removed already.
    pub async fn forget_server(&self, id: String) -> Result<(), DepotError> {
        match &self.0 {
            Backend::Folder(folder) => folder.run(move |folder| folder.forget_server(&id)).await,
            Backend::Bucket(bucket) => bucket.forget_server(&id).await,
        }
    }

    /// What each server wrote, by id. Files that are damaged are left out.
    pub async fn servers(&self) -> Result<Vec<ServerState>, DepotError> {
        let mut states = match &self.0 {
            Backend::Folder(folder) => folder.run(|folder| folder.servers()).await?,
            Backend::Bucket(bucket) => bucket.servers().await?,
        };
        states.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        Ok(states)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use object_store::memory::InMemory;

    use super::pointer::name_of;
    use super::*;
    use crate::{Counts, SaidHidden, WhyHidden, demo};

    fn packed(text: &'static str) -> Packed {
        let bytes = Bytes::from(text);
        let counts = Counts { places: 1, events: 2, regions: 3, neighbourhoods: 4, categories: 5 };
        Packed { digest: Digest::of(&bytes), bytes, name: "test".into(), counts }
    }

    fn publication(serial: u64, packed: &Packed) -> Publication {
        Publication {
            serial,
            digest: packed.digest,
            name: packed.name.clone(),
            places: packed.counts.places,
            events: packed.counts.events,
            published_at: "2026-11-21T15:00:00Z".parse().unwrap(),
            by: Some("ana".into()),
            note: Some("first".into()),
            forced: None,
        }
    }

    fn block_on<T>(work: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(work)
    }

    /// Runs a test on every kind of depot that needs no network.
    fn on_each_backend(test: impl AsyncFn(Depot)) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/depot");
        let bucket = Bucket::new(Arc::new(InMemory::new()), "bucket/some/prefix").unwrap();
        for depot in [Depot::open(path.to_str().unwrap()).unwrap(), Depot(Backend::Bucket(bucket))] {
            block_on(test(depot));
        }
    }

    #[test]
    fn a_publication_is_found_and_polled() {
        on_each_backend(async |depot| {
            let mut seen = PollState::default();
            assert_eq!(depot.current().await.unwrap(), None);
            assert_eq!(depot.poll(&mut seen).await.unwrap(), None);

            let (one, two) = (packed("one"), packed("two"));
            depot.store(&one).await.unwrap();
            depot.store(&one).await.unwrap();
            let first = depot.publish(publication(1, &one)).await.unwrap();
            assert_eq!((first.entry.serial, first.history.len()), (1, 0));
            assert_eq!(depot.poll(&mut seen).await.unwrap(), Some(first.clone()));
            assert_eq!(depot.poll(&mut seen).await.unwrap(), None);
            assert_eq!(depot.fetch(&one.digest).await.unwrap(), one.bytes);

            depot.store(&two).await.unwrap();
            let second = depot.publish(publication(2, &two)).await.unwrap();
            assert_eq!((second.entry.serial, &second.history), (2, &vec![first.entry]));
            assert_eq!(depot.poll(&mut seen).await.unwrap(), Some(second));

            // A rollback is one more publication.
            let back = depot.publish(publication(3, &one)).await.unwrap();
            assert_eq!((back.entry.serial, back.entry.digest), (3, one.digest));
            assert_eq!(depot.current().await.unwrap(), Some(back));
        });
    }

    #[test]
    fn what_is_hidden_is_found_and_polled_and_replaced_by_one_of_two() {
        on_each_backend(async |depot| {
            let mut seen = PollState::default();
            assert_eq!(depot.hidden().await.unwrap(), None);
            assert_eq!(depot.poll_hidden(&mut seen).await.unwrap(), None);
            let why = WhyHidden {
                reason: "closed".into(),
                by: "ana".into(),
                at: "2026-11-21T15:00:00Z".parse().unwrap(),
                said: SaidHidden::default(),
                gone_at: None,
            };
            let version = |version, ids: &[&str]| Hidden {
                version,
                records: ids.iter().map(|id| ((*id).to_owned(), why.clone())).collect(),
                ..Hidden::default()
            };
            depot.replace_hidden(version(1, &["bar"])).await.unwrap();
            assert_eq!(depot.poll_hidden(&mut seen).await.unwrap(), Some(version(1, &["bar"])));
            assert_eq!(depot.poll_hidden(&mut seen).await.unwrap(), None);
            for stale in [0, 1, 3] {
                let error = depot.replace_hidden(version(stale, &[])).await.unwrap_err();
                assert!(matches!(error, DepotError::HiddenConflict), "{stale}: {error}");
            }
            depot.replace_hidden(version(2, &[])).await.unwrap();
            assert_eq!(depot.poll_hidden(&mut seen).await.unwrap(), Some(version(2, &[])));
            assert_eq!(depot.hidden().await.unwrap(), Some(version(2, &[])));
        });
    }

    #[test]
    fn servers_are_listed_by_what_they_wrote_last() {
        on_each_backend(async |depot| {
            assert_eq!(depot.servers().await.unwrap(), []);
            let state = |id: &str, serial| ServerState {
                id: id.into(),
                serial,
                digest: Digest::of(b"one"),
                hidden: 0,
                at: "2026-11-21T15:00:00Z".parse().unwrap(),
            };
            for (id, serial) in [("b", 1), ("a/../c", 1), ("b", 2)] {
                depot.note_server(state(id, serial)).await.unwrap();
            }
            assert_eq!(depot.servers().await.unwrap(), [state("a/../c", 1), state("b", 2)]);
            for _ in 0..2 {
                depot.forget_server("b".into()).await.unwrap();
            }
            assert_eq!(depot.servers().await.unwrap(), [state("a/../c", 1)]);
        });
    }

    #[test]
    fn a_server_writes_nothing_where_the_disk_of_the_depot_is_not_mounted() {
        let folder = tempfile::tempdir().unwrap();
        let depot = Depot::open(folder.path().to_str().unwrap()).unwrap();
        fs::remove_dir_all(folder.path().join("snapshots")).unwrap();
        let state = ServerState {
            id: "a".into(),
            serial: 1,
            digest: Digest::of(b"one"),
            hidden: 0,
            at: "2026-11-21T15:00:00Z".parse().unwrap(),
        };
        block_on(depot.note_server(state)).unwrap_err();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_stale_serial_and_a_missing_snapshot_are_rejected() {
        on_each_backend(async |depot| {
            let one = packed("one");
            let missing = depot.publish(publication(1, &one)).await.unwrap_err();
            assert!(matches!(missing, DepotError::NoSuchSnapshot(_)));
            assert!(matches!(depot.fetch(&one.digest).await, Err(DepotError::NoSuchSnapshot(_))));
            depot.store(&one).await.unwrap();
            depot.publish(publication(1, &one)).await.unwrap();
            for serial in [0, 1, 3] {
                let error = depot.publish(publication(serial, &one)).await.unwrap_err();
                assert!(matches!(error, DepotError::Conflict { found: 1, .. }));
                assert!(error.to_string().contains("someone else published serial 1 meanwhile"));
            }
            assert_eq!(depot.current().await.unwrap().unwrap().entry.serial, 1);
        });
    }

    #[test]
    fn the_history_is_bounded() {
        on_each_backend(async |depot| {
            let one = packed("one");
            depot.store(&one).await.unwrap();
            for serial in 1..=MAX_HISTORY as u64 + 5 {
                depot.publish(publication(serial, &one)).await.unwrap();
            }
            let pointer = depot.current().await.unwrap().unwrap();
            assert_eq!(pointer.history.len(), MAX_HISTORY);
            assert_eq!(pointer.history[0].serial, MAX_HISTORY as u64 + 4);
        });
    }

    #[test]
    fn only_one_of_many_concurrent_publishers_gets_a_serial() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_str().unwrap();
        let one = packed("one");
        block_on(Depot::open(path).unwrap().store(&one)).unwrap();
        let won: usize = std::thread::scope(|scope| {
            let publishers: Vec<_> = (0..8)
                .map(|_| {
                    scope.spawn(|| {
                        let depot = Depot::open(path).unwrap();
                        block_on(depot.publish(publication(1, &one))).is_ok() as usize
                    })
                })
                .collect();
            publishers.into_iter().map(|publisher| publisher.join().unwrap()).sum()
        });
        assert_eq!(won, 1);
    }

    #[test]
    fn leftover_and_damaged_files_are_replaced_or_reported() {
        let folder = tempfile::tempdir().unwrap();
        let depot = Depot::open(folder.path().to_str().unwrap()).unwrap();
        let one = packed("one");
        let path = folder.path().join("snapshots").join(name_of(&one.digest));
        fs::write(path.with_extension("zst.part"), "half").unwrap();
        fs::write(&path, "rotten").unwrap();
        fs::write(folder.path().join("current.json.part"), "{\"ser").unwrap();
        block_on(async {
            depot.store(&one).await.unwrap();
            assert_eq!(depot.fetch(&one.digest).await.unwrap(), one.bytes);
            depot.publish(publication(1, &one)).await.unwrap();
            fs::write(folder.path().join(POINTER.name), "{\"ser").unwrap();
            assert!(matches!(depot.current().await, Err(DepotError::DamagedPointer(_))));
        });
    }

    #[test]
    fn addresses_are_parsed_without_network() {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("file://{}/a%20depot", folder.path().display());
        Depot::open(&url).unwrap();
        assert!(folder.path().join("a depot/snapshots").is_dir());
        for bucket in ["s3://guide/df", "gs://guide/df", "s3://guide"] {
            let Depot(place) = Depot::open(bucket).unwrap();
            assert!(matches!(place, Backend::Bucket(_)), "{bucket}");
        }
        // For Azure the account is part of the address or the environment.
        let azure = Depot::open("abfss://guide@account.dfs.core.windows.net/df").unwrap();
        assert!(matches!(azure, Depot(Backend::Bucket(_))));
        for unknown in ["", "ftp://a/b", "http://a/b", "redis://a"] {
            assert!(matches!(Depot::open(unknown), Err(DepotError::UnknownScheme(_))), "{unknown}");
        }
    }

    #[test]
    fn the_demo_can_be_stored_and_fetched() {
        on_each_backend(async |depot| {
            let packed = crate::pack(&demo::files(), "2026-11-21".parse().unwrap()).unwrap();
            depot.store(&packed).await.unwrap();
            let bytes = depot.fetch(&packed.digest).await.unwrap();
            assert_eq!(crate::unpack(&bytes, Some(&packed.digest)).unwrap().counts(), packed.counts);
        });
    }
}
