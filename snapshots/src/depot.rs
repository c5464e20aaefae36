//! Where published snapshots rest: a local folder, or a bucket on S3, Google Cloud Storage or Azure.
//!
//! A depot holds `snapshots/<digest>.json.zst`, which never change, and `current.json`, the pointer to the one in
//! service. The pointer moves by compare-and-swap: of two people who publish at once, one is told. Buckets compare by
//! the object's version; a folder has no such thing, so there one lock file stands for it. In a folder a snapshot is
//! on the disk before the pointer names it, and the pointer is replaced whole, so that a stop at any moment leaves
//! the old or the new, never a part. May use the pack's digest and `object_store`; knows no clock.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use chrono::{DateTime, Utc};
use futures_util::StreamExt;
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::path::Path as Key;
use object_store::{
    ClientConfigKey, Error as CloudError, GetOptions, GetResult, ObjectStore, ObjectStoreExt, PutMode,
    PutPayload, UpdateVersion,
};
use serde::{Deserialize, Serialize};

use crate::pack::{Digest, Packed};

/// The largest packed file that is fetched, in bytes.
pub const MAX_PACKED_BYTES: u64 = 1024 * 1024 * 1024;

/// The largest pointer that is read: many times what a full history takes.
const MAX_POINTER_BYTES: u64 = 4 * 1024 * 1024;

/// How many earlier entries the pointer keeps.
pub const MAX_HISTORY: usize = 200;

/// How long one request to a bucket may take: a large snapshot on a slow line outlasts the usual half minute.
const CLOUD_TIMEOUT: &str = "600 seconds";

const POINTER: &str = "current.json";

/// One publication.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Publication {
    /// Rises by one with each publication, a rollback included.
    pub serial: u64,
    /// The snapshot.
    pub digest: Digest,
    /// The snapshot's name.
    pub name: String,
    /// How many places it holds.
    pub places: usize,
    /// How many dated events it holds.
    pub events: usize,
    /// When it was published.
    pub published_at: DateTime<Utc>,
    /// What the publisher said of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Why it was published in spite of regressions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forced: Option<String>,
}

/// `current.json`: the publication in service and those before it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pointer {
    /// The publication in service.
    #[serde(flatten)]
    pub entry: Publication,
    /// Earlier ones, the latest first, at most [`MAX_HISTORY`].
    #[serde(default)]
    pub history: Vec<Publication>,
}

/// What a publisher says about a publication; its serial comes from the depot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPublication {
    /// The snapshot; it must have been stored.
    pub digest: Digest,
    /// The snapshot's name.
    pub name: String,
    /// How many places it holds.
    pub places: usize,
    /// How many dated events it holds.
    pub events: usize,
    /// When it is published.
    pub published_at: DateTime<Utc>,
    /// A word on it.
    pub note: Option<String>,
    /// Why it is published in spite of regressions.
    pub forced: Option<String>,
}

impl NewPublication {
    /// The pointer that follows `before`.
    fn after(self, before: Option<Pointer>) -> Pointer {
        let serial = before.as_ref().map_or(1, |before| before.entry.serial + 1);
        let history = before.map_or_else(Vec::new, |before| {
            std::iter::once(before.entry).chain(before.history).take(MAX_HISTORY).collect()
        });
        let Self { digest, name, places, events, published_at, note, forced } = self;
        Pointer {
            entry: Publication { serial, digest, name, places, events, published_at, note, forced },
            history,
        }
    }
}

/// What a poller saw last; give the same one to each [`Depot::poll`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PollState {
    /// The bucket's mark of the pointer, with which it can answer "unchanged" without sending it.
    etag: Option<String>,
    /// The publication, for depots without such a mark.
    publication: Option<(u64, Digest)>,
}

/// Why a depot could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum DepotError {
    /// The address is of no known kind.
    #[error("\"{0}\" is no depot: use a folder, or a file://, s3://, gs:// or az:// address")]
    UnknownScheme(String),
    /// Somebody else published.
    #[error(
        "someone else published serial {found} meanwhile (expected {expected}): look at what changed, then publish again"
    )]
    Conflict {
        /// The serial the caller expected; 0 for an empty depot.
        expected: u64,
        /// The serial found; 0 for an empty depot.
        found: u64,
    },
    /// The snapshot is not in the depot.
    #[error("snapshot {} is not in the depot: store it first, or name one that `snapshot list` shows", .0.short())]
    NoSuchSnapshot(Digest),
    /// A file is larger than any this crate writes.
    #[error("{0} in the depot is larger than {1} bytes: it was not written by this program")]
    TooLarge(String, u64),
    /// The pointer cannot be read.
    #[error("current.json in the depot is damaged ({0}): restore it, or remove it and publish again")]
    DamagedPointer(#[from] serde_json::Error),
    /// The folder cannot be used.
    #[error("the depot folder {}: {error}: check that it exists and may be written", .path.display())]
    Folder {
        /// The file or folder concerned.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// The bucket cannot be used.
    #[error("the depot's bucket: {0}: check the address, the credentials in the environment and the network")]
    Bucket(#[from] CloudError),
}

/// A depot, opened.
#[derive(Debug, Clone)]
pub struct Depot(Place);

#[derive(Debug, Clone)]
enum Place {
    Folder(Folder),
    Bucket(Bucket),
}

impl Depot {
    /// Opens a depot: a folder by its path or `file://` (made when missing), or a bucket by `s3://bucket/prefix`,
    /// `gs://bucket/prefix` or `az://container/prefix`. A bucket's credentials come from the environment (`AWS_*`,
    /// `GOOGLE_*`, `AZURE_*`); it is not contacted yet.
    pub fn open(address: &str) -> Result<Self, DepotError> {
        let Some((scheme, rest)) = address.split_once("://") else {
            if address.is_empty() {
                return Err(DepotError::UnknownScheme(String::new()));
            }
            return Ok(Self(Place::Folder(Folder::open(PathBuf::from(address))?)));
        };
        let place = match scheme {
            "file" => {
                let path = Key::from_url_path(rest).map_err(CloudError::from)?;
                Place::Folder(Folder::open(Path::new("/").join(path.as_ref()))?)
            }
            "s3" | "s3a" => {
                let mut builder = AmazonS3Builder::from_env().with_url(address);
                if std::env::var_os("AWS_TIMEOUT").is_none() {
                    let timeout = AmazonS3ConfigKey::Client(ClientConfigKey::Timeout);
                    builder = builder.with_config(timeout, CLOUD_TIMEOUT);
                }
                Place::Bucket(Bucket::new(Arc::new(builder.build()?), rest)?)
            }
            "gs" => {
                let mut builder = GoogleCloudStorageBuilder::from_env().with_url(address);
                if std::env::var_os("GOOGLE_TIMEOUT").is_none() {
                    let timeout = GoogleConfigKey::Client(ClientConfigKey::Timeout);
                    builder = builder.with_config(timeout, CLOUD_TIMEOUT);
                }
                Place::Bucket(Bucket::new(Arc::new(builder.build()?), rest)?)
            }
            "az" | "azure" | "abfs" | "abfss" => {
                let mut builder = MicrosoftAzureBuilder::from_env().with_url(address);
                if std::env::var_os("AZURE_TIMEOUT").is_none() {
                    let timeout = AzureConfigKey::Client(ClientConfigKey::Timeout);
                    builder = builder.with_config(timeout, CLOUD_TIMEOUT);
                }
                Place::Bucket(Bucket::new(Arc::new(builder.build()?), rest)?)
            }
            _ => return Err(DepotError::UnknownScheme(address.to_owned())),
        };
        Ok(Self(place))
    }

    /// The publication in service; none when nothing was ever published.
    pub async fn current(&self) -> Result<Option<Pointer>, DepotError> {
        match &self.0 {
            Place::Folder(folder) => folder.run(|folder| folder.pointer()).await,
            Place::Bucket(bucket) => Ok(bucket.pointer(None).await?.map(|(pointer, _)| pointer)),
        }
    }

    /// The publication in service when it is another than `seen`, which is then brought up to date. Cheap enough to
    /// be asked every second.
    pub async fn poll(&self, seen: &mut PollState) -> Result<Option<Pointer>, DepotError> {
        let (pointer, etag) = match &self.0 {
            Place::Folder(folder) => (folder.run(|folder| folder.pointer()).await?, None),
            Place::Bucket(bucket) => match bucket.pointer(seen.etag.clone()).await {
                Ok(found) => found.map_or((None, None), |(pointer, version)| (Some(pointer), version.e_tag)),
                Err(DepotError::Bucket(CloudError::NotModified { .. })) => return Ok(None),
                Err(error) => return Err(error),
            },
        };
        let Some(pointer) = pointer else { return Ok(None) };
        let publication = Some((pointer.entry.serial, pointer.entry.digest));
        seen.etag = etag;
        if seen.publication == publication {
            return Ok(None);
        }
        seen.publication = publication;
        Ok(Some(pointer))
    }

    /// The packed file of a digest. It is not verified: [`crate::unpack`] does that.
    pub async fn fetch(&self, digest: &Digest) -> Result<Bytes, DepotError> {
        let digest = *digest;
        match &self.0 {
            Place::Folder(folder) => folder.run(move |folder| folder.fetch(&digest)).await,
            Place::Bucket(bucket) => bucket.fetch(&digest).await,
        }
    }

    /// Stores a packed file. Storing the same one again changes nothing.
    pub async fn store(&self, packed: &Packed) -> Result<(), DepotError> {
        let (digest, bytes) = (packed.digest, packed.bytes.clone());
        match &self.0 {
            Place::Folder(folder) => folder.run(move |folder| folder.store(&digest, &bytes)).await,
            Place::Bucket(bucket) => bucket.store(&digest, bytes).await,
        }
    }

    /// Points at a stored snapshot, if the serial in service is still `expected` (none: nothing was published yet).
    /// A rollback is this with the facts of an earlier entry.
    pub async fn publish(&self, what: NewPublication, expected: Option<u64>) -> Result<Pointer, DepotError> {
        match &self.0 {
            Place::Folder(folder) => folder.run(move |folder| folder.publish(what, expected)).await,
            Place::Bucket(bucket) => bucket.publish(what, expected).await,
        }
    }
}

fn name_of(digest: &Digest) -> String {
    format!("{digest}.json.zst")
}

/// Refuses to go on when the pointer is not where the caller thinks.
fn compare(expected: Option<u64>, found: Option<&Pointer>) -> Result<(), DepotError> {
    let found = found.map(|pointer| pointer.entry.serial);
    if found == expected {
        return Ok(());
    }
    Err(DepotError::Conflict { expected: expected.unwrap_or(0), found: found.unwrap_or(0) })
}

/// A depot in a local folder. Its methods block; [`Folder::run`] takes them off the async threads.
#[derive(Debug, Clone)]
struct Folder {
    root: PathBuf,
}

impl Folder {
    fn open(root: PathBuf) -> Result<Self, DepotError> {
        let snapshots = root.join("snapshots");
        let folder = Self { root };
        if !snapshots.is_dir() {
            fs::create_dir_all(&snapshots).map_err(at(&snapshots))?;
            sync_folder(&folder.root)?;
            // Folders above may be new as well. Not all of them need be ours to open, and those were there before.
            for above in folder.root.ancestors().skip(1) {
                let _ = sync_folder(if above.as_os_str().is_empty() { Path::new(".") } else { above });
            }
        }
        Ok(folder)
    }

    async fn run<T, W>(&self, work: W) -> Result<T, DepotError>
    where
        T: Send + 'static,
        W: FnOnce(&Self) -> Result<T, DepotError> + Send + 'static,
    {
        let folder = self.clone();
        let root = self.root.clone();
        match tokio::task::spawn_blocking(move || work(&folder)).await {
            Ok(done) => done,
            Err(stopped) => Err(DepotError::Folder { path: root, error: io::Error::other(stopped) }),
        }
    }

    fn pointer(&self) -> Result<Option<Pointer>, DepotError> {
        let path = self.root.join(POINTER);
        match read_at_most(&path, MAX_POINTER_BYTES)? {
            Some(bytes) => Ok(Some(serde_json::from_slice(&bytes)?)),
            None => Ok(None),
        }
    }

    fn snapshot(&self, digest: &Digest) -> PathBuf {
        self.root.join("snapshots").join(name_of(digest))
    }

    fn fetch(&self, digest: &Digest) -> Result<Bytes, DepotError> {
        let bytes = read_at_most(&self.snapshot(digest), MAX_PACKED_BYTES)?;
        bytes.map(Bytes::from).ok_or(DepotError::NoSuchSnapshot(*digest))
    }

    fn store(&self, digest: &Digest, bytes: &[u8]) -> Result<(), DepotError> {
        let path = self.snapshot(digest);
        let _lock = self.lock()?;
        // A file that was damaged since is written again.
        if fs::read(&path).is_ok_and(|there| there == bytes) {
            return Ok(());
        }
        replace(&path, bytes)
    }

    fn publish(&self, what: NewPublication, expected: Option<u64>) -> Result<Pointer, DepotError> {
        let _lock = self.lock()?;
        let before = self.pointer()?;
        compare(expected, before.as_ref())?;
        if !self.snapshot(&what.digest).is_file() {
            return Err(DepotError::NoSuchSnapshot(what.digest));
        }
        let pointer = what.after(before);
        replace(&self.root.join(POINTER), &serde_json::to_vec_pretty(&pointer)?)?;
        Ok(pointer)
    }

    /// Waits until no other process writes. The system lets go of the lock when its holder ends, however it ends.
    fn lock(&self) -> Result<File, DepotError> {
        let path = self.root.join("current.lock");
        let file =
            OpenOptions::new().create(true).truncate(false).write(true).open(&path).map_err(at(&path))?;
        file.lock().map_err(at(&path))?;
        Ok(file)
    }
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> DepotError {
    let path = path.to_owned();
    move |error| DepotError::Folder { path, error }
}

fn read_at_most(path: &Path, most: u64) -> Result<Option<Vec<u8>>, DepotError> {
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(at(path))?,
    };
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes).map_err(at(path))?;
    if bytes.len() as u64 > most {
        return Err(DepotError::TooLarge(path.display().to_string(), most));
    }
    Ok(Some(bytes))
}

/// Puts a file in place whole and durably. Only under the lock: what an earlier writer left half-done under the same
/// passing name is written over.
fn replace(path: &Path, bytes: &[u8]) -> Result<(), DepotError> {
    let mut passing = path.as_os_str().to_owned();
    passing.push(".part");
    let passing = PathBuf::from(passing);
    let mut file = File::create(&passing).map_err(at(&passing))?;
    file.write_all(bytes).map_err(at(&passing))?;
    file.sync_all().map_err(at(&passing))?;
    fs::rename(&passing, path).map_err(at(path))?;
    path.parent().map_or(Ok(()), sync_folder)
}

/// Makes renames and new files in a folder durable. Elsewhere than on Unix a folder cannot be opened for that.
fn sync_folder(path: &Path) -> Result<(), DepotError> {
    if cfg!(unix) {
        File::open(path).and_then(|folder| folder.sync_all()).map_err(at(path))?;
    }
    Ok(())
}

/// A depot in a bucket.
#[derive(Debug, Clone)]
struct Bucket {
    store: Arc<dyn ObjectStore>,
    prefix: Key,
}

impl Bucket {
    /// `rest` is the address behind its scheme: `bucket/prefix`.
    fn new(store: Arc<dyn ObjectStore>, rest: &str) -> Result<Self, DepotError> {
        let prefix = rest.split_once('/').map_or("", |(_, prefix)| prefix);
        Ok(Self { store, prefix: Key::from_url_path(prefix).map_err(CloudError::from)? })
    }

    fn pointer_key(&self) -> Key {
        self.prefix.clone().join(POINTER)
    }

    fn snapshot_key(&self, digest: &Digest) -> Key {
        self.prefix.clone().join("snapshots").join(name_of(digest))
    }

    async fn pointer(&self, unless: Option<String>) -> Result<Option<(Pointer, UpdateVersion)>, DepotError> {
        let options = GetOptions { if_none_match: unless, ..GetOptions::default() };
        let got = match self.store.get_opts(&self.pointer_key(), options).await {
            Err(CloudError::NotFound { .. }) => return Ok(None),
            got => got?,
        };
        let version = UpdateVersion { e_tag: got.meta.e_tag.clone(), version: got.meta.version.clone() };
        let bytes = read_object(got, POINTER, MAX_POINTER_BYTES).await?;
        Ok(Some((serde_json::from_slice(&bytes)?, version)))
    }

    async fn fetch(&self, digest: &Digest) -> Result<Bytes, DepotError> {
        match self.store.get(&self.snapshot_key(digest)).await {
            Err(CloudError::NotFound { .. }) => Err(DepotError::NoSuchSnapshot(*digest)),
            got => read_object(got?, &name_of(digest), MAX_PACKED_BYTES).await,
        }
    }

    async fn store(&self, digest: &Digest, bytes: Bytes) -> Result<(), DepotError> {
        let key = self.snapshot_key(digest);
        match self.store.put_opts(&key, PutPayload::from(bytes), PutMode::Create.into()).await {
            // Its name is its content: whoever stored it first stored the same.
            Ok(_) | Err(CloudError::AlreadyExists { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    async fn publish(&self, what: NewPublication, expected: Option<u64>) -> Result<Pointer, DepotError> {
        let (before, mode) = match self.pointer(None).await? {
            Some((before, version)) => (Some(before), PutMode::Update(version)),
            None => (None, PutMode::Create),
        };
        compare(expected, before.as_ref())?;
        match self.store.head(&self.snapshot_key(&what.digest)).await {
            Err(CloudError::NotFound { .. }) => return Err(DepotError::NoSuchSnapshot(what.digest)),
            head => head?,
        };
        let pointer = what.after(before);
        let payload = PutPayload::from(serde_json::to_vec_pretty(&pointer)?);
        match self.store.put_opts(&self.pointer_key(), payload, mode.into()).await {
            Ok(_) => Ok(pointer),
            Err(CloudError::Precondition { .. } | CloudError::AlreadyExists { .. }) => {
                // When an answer is lost the request is sent again, and then meets its own first try.
                let found = self.pointer(None).await?.map(|(found, _)| found);
                if found.as_ref() == Some(&pointer) {
                    return Ok(pointer);
                }
                let found = found.map_or(0, |found| found.entry.serial);
                Err(DepotError::Conflict { expected: expected.unwrap_or(0), found })
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// Reads an object that may claim any size.
async fn read_object(got: GetResult, name: &str, most: u64) -> Result<Bytes, DepotError> {
    let too_large = || DepotError::TooLarge(name.to_owned(), most);
    if got.meta.size > most {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(got.meta.size).map_err(|_| too_large())?);
    let mut chunks = got.into_stream();
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk?;
        if (bytes.len() + chunk.len()) as u64 > most {
            return Err(too_large());
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(Bytes::from(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Counts, demo};
    use object_store::memory::InMemory;

    fn packed(text: &'static str) -> Packed {
        let bytes = Bytes::from(text);
        let counts = Counts { places: 1, events: 2, regions: 3, neighbourhoods: 4, categories: 5 };
        Packed { digest: Digest::of(&bytes), bytes, name: "test".into(), counts }
    }

    fn announce(packed: &Packed) -> NewPublication {
        NewPublication {
            digest: packed.digest,
            name: packed.name.clone(),
            places: packed.counts.places,
            events: packed.counts.events,
            published_at: "2026-11-21T15:00:00Z".parse().unwrap(),
            note: Some("first".into()),
            forced: None,
        }
    }

    fn block_on<T>(work: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(work)
    }

    /// Runs a test against every kind of depot that needs no network.
    fn everywhere(test: impl AsyncFn(Depot)) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/depot");
        let bucket = Bucket::new(Arc::new(InMemory::new()), "bucket/some/prefix").unwrap();
        for depot in [Depot::open(path.to_str().unwrap()).unwrap(), Depot(Place::Bucket(bucket))] {
            block_on(test(depot));
        }
    }

    #[test]
    fn what_is_published_is_found_and_polled() {
        everywhere(async |depot| {
            let mut seen = PollState::default();
            assert_eq!(depot.current().await.unwrap(), None);
            assert_eq!(depot.poll(&mut seen).await.unwrap(), None);

            let (one, two) = (packed("one"), packed("two"));
            depot.store(&one).await.unwrap();
            depot.store(&one).await.unwrap();
            let first = depot.publish(announce(&one), None).await.unwrap();
            assert_eq!((first.entry.serial, first.history.len()), (1, 0));
            assert_eq!(depot.poll(&mut seen).await.unwrap(), Some(first.clone()));
            assert_eq!(depot.poll(&mut seen).await.unwrap(), None);
            assert_eq!(depot.fetch(&one.digest).await.unwrap(), one.bytes);

            depot.store(&two).await.unwrap();
            let second = depot.publish(announce(&two), Some(1)).await.unwrap();
            assert_eq!((second.entry.serial, &second.history), (2, &vec![first.entry]));
            assert_eq!(depot.poll(&mut seen).await.unwrap(), Some(second));

            // A rollback is one more publication.
            let back = depot.publish(announce(&one), Some(2)).await.unwrap();
            assert_eq!((back.entry.serial, back.entry.digest), (3, one.digest));
            assert_eq!(depot.current().await.unwrap(), Some(back));
        });
    }

    #[test]
    fn a_stale_expectation_and_a_missing_snapshot_are_refused() {
        everywhere(async |depot| {
            let one = packed("one");
            let missing = depot.publish(announce(&one), None).await.unwrap_err();
            assert!(matches!(missing, DepotError::NoSuchSnapshot(_)));
            assert!(matches!(depot.fetch(&one.digest).await, Err(DepotError::NoSuchSnapshot(_))));
            depot.store(&one).await.unwrap();
            depot.publish(announce(&one), None).await.unwrap();
            for expected in [None, Some(0), Some(2)] {
                let error = depot.publish(announce(&one), expected).await.unwrap_err();
                assert!(matches!(error, DepotError::Conflict { found: 1, .. }));
                assert!(error.to_string().contains("someone else published serial 1 meanwhile"));
            }
            assert_eq!(depot.current().await.unwrap().unwrap().entry.serial, 1);
        });
    }

    #[test]
    fn the_history_is_bounded() {
        everywhere(async |depot| {
            let one = packed("one");
            depot.store(&one).await.unwrap();
            for serial in 0..MAX_HISTORY as u64 + 5 {
                depot.publish(announce(&one), (serial > 0).then_some(serial)).await.unwrap();
            }
            let pointer = depot.current().await.unwrap().unwrap();
            assert_eq!(pointer.history.len(), MAX_HISTORY);
            assert_eq!(pointer.history[0].serial, MAX_HISTORY as u64 + 4);
        });
    }

    #[test]
    fn of_many_who_publish_at_once_each_serial_goes_to_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_str().unwrap();
        let one = packed("one");
        block_on(Depot::open(path).unwrap().store(&one)).unwrap();
        let won: usize = std::thread::scope(|scope| {
            let publishers: Vec<_> = (0..8)
                .map(|_| {
                    scope.spawn(|| {
                        let depot = Depot::open(path).unwrap();
                        block_on(depot.publish(announce(&one), None)).is_ok() as usize
                    })
                })
                .collect();
            publishers.into_iter().map(|publisher| publisher.join().unwrap()).sum()
        });
        assert_eq!(won, 1);
    }

    #[test]
    fn leftovers_and_damage_in_a_folder_do_no_harm() {
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
            depot.publish(announce(&one), None).await.unwrap();
            fs::write(folder.path().join(POINTER), "{\"ser").unwrap();
            assert!(matches!(depot.current().await, Err(DepotError::DamagedPointer(_))));
        });
    }

    #[test]
    fn addresses_are_understood_without_network() {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("file://{}/a%20depot", folder.path().display());
        Depot::open(&url).unwrap();
        assert!(folder.path().join("a depot/snapshots").is_dir());
        for bucket in ["s3://guide/df", "gs://guide/df", "s3://guide"] {
            let Depot(place) = Depot::open(bucket).unwrap();
            assert!(matches!(place, Place::Bucket(_)), "{bucket}");
        }
        // Azure wants to know whose container it is; the environment says so.
        let azure = Depot::open("abfss://guide@account.dfs.core.windows.net/df").unwrap();
        assert!(matches!(azure, Depot(Place::Bucket(_))));
        for unknown in ["", "ftp://a/b", "http://a/b", "redis://a"] {
            assert!(matches!(Depot::open(unknown), Err(DepotError::UnknownScheme(_))), "{unknown}");
        }
    }

    #[test]
    fn the_demo_goes_through_a_depot() {
        everywhere(async |depot| {
            let packed = crate::pack(&demo::files(), "2026-11-21".parse().unwrap()).unwrap();
            depot.store(&packed).await.unwrap();
            let bytes = depot.fetch(&packed.digest).await.unwrap();
            assert_eq!(crate::unpack(&bytes, Some(&packed.digest)).unwrap().counts(), packed.counts);
        });
    }
}
