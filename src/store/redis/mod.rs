//! The store in Redis, for many nodes: `redis://`, `rediss://` (TLS) or `redis-cluster://HOST:PORT`.
//!
//! A cluster is found through the node named, or through further ones:
//! `redis-cluster://HOST:PORT?node=HOST:PORT&node=HOST:PORT`. All keys share one hash tag, so that they live on one
//! node of a cluster and each method is one script there.

mod accounts;
mod admin;
mod asked;
mod billing;
mod connection;
mod hooks;
mod mails;
mod presence;
mod quota;
mod readers;
mod scripts;
mod suggestions;
mod tokens;
mod values;
mod wire;

use std::fmt;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use parking_lot::Mutex;
use redis::{FromRedisValue, ToRedisArgs};
use tokio::task::AbortHandle;
use tokio::time::timeout;
use url::Url;

use self::connection::SharedConnection;
use self::presence::Presence;
use self::wire::{Callable, ChangeId, ScriptError, Wire};
use super::epoch::{Epoch, OF_REDIS};
use super::{ChangeListener, Silent, Store, StoreError};

/// How long to wait before the first check whether every process has handled a change, and at most before a later one:
/// the wait doubles.
const FIRST_CHECK: Duration = Duration::from_millis(10);
const LAST_CHECK: Duration = Duration::from_millis(100);

/// How long a change may wait for other processes beyond the trust window: for heartbeats on their way.
const BEYOND_TRUST: Duration = Duration::from_secs(2);

/// The store in Redis.
pub struct Redis {
    wire: Arc<Wire>,
    registered: OnceLock<Registered>,
    /// Why a process that is to serve is not registered.
    not_registered: Mutex<Option<StoreError>>,
}

/// What a serving process has.
struct Registered {
    presence: Arc<Presence>,
    /// The heartbeat, and the wait for changes.
    tasks: [AbortHandle; 2],
}

impl Drop for Registered {
    fn drop(&mut self) {
        self.tasks.iter().for_each(AbortHandle::abort);
    }
}

impl Store for Redis {}

impl fmt::Debug for Redis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redis").finish_non_exhaustive()
    }
}

impl Redis {
    /// A store at a URL, without connecting yet. `name` is the URL without its password; the epoch is remembered in
    /// the folder `data`.
    pub fn at(url: &Url, name: String, data: &Path, trust: Duration) -> Result<Redis, StoreError> {
        let connection =
            SharedConnection::to(url).map_err(|error| StoreError::Unsuitable(error.to_string()))?;
        let epoch = Epoch::load(data.to_owned(), OF_REDIS, name)?;
        let wire = Arc::new(Wire { connection, epoch, trust });
        Ok(Redis { wire, registered: OnceLock::new(), not_registered: Mutex::default() })
    }

    /// Starts over in an empty or another Redis than the known one; false when there is no need to.
    pub async fn begin(&self) -> Result<bool, StoreError> {
        Ok(self.wire.begin().await?)
    }

    /// Registers this process as one that serves.
    async fn join(&self, listener: ChangeListener) -> Result<Presence, StoreError> {
        self.wire.identify().await?;
        Presence::register(self.wire.clone(), listener).await
    }

    fn presence(&self) -> Option<&Arc<Presence>> {
        self.registered.get().map(|registered| &registered.presence)
    }

    async fn run<T: FromRedisValue>(
        &self,
        script: &impl Callable,
        arguments: impl ToRedisArgs,
    ) -> Result<T, StoreError> {
        let answer = self.wire.run(script, arguments).await;
        if let (Err(ScriptError::Reset(_)), Some(presence)) = (&answer, self.presence()) {
            presence.want_heartbeat();
        }
        Ok(answer?)
    }

    /// Waits until this process has handled a change, if it serves.
    async fn handled_here(&self, change: ChangeId) -> Result<(), StoreError> {
        match self.presence() {
            Some(presence) => presence.handled(change).await,
            None => Ok(()),
        }
    }

    /// Waits as [`Redis::handled_everywhere`], if something was changed.
    async fn handled_change(&self, change: Option<ChangeId>) -> Result<Option<Silent>, StoreError> {
        let Some(change) = change else { return Ok(None) };
        self.handled_everywhere(change).await.map(Some)
    }

    /// Waits until every serving process has handled a change of keys; false when nothing was changed.
    async fn changed_keys(&self, change: Option<ChangeId>) -> Result<bool, StoreError> {
        Ok(self.handled_change(change).await?.is_some())
    }

    /// Waits until every serving process has handled a change, or has been silent for its trust window: those are
    /// named.
    async fn handled_everywhere(&self, change: ChangeId) -> Result<Silent, StoreError> {
        if let Some(presence) = self.presence() {
            presence.want_heartbeat();
        }
        let window = self.wire.window();
        let all = async {
            let mut wait = FIRST_CHECK;
            loop {
                let silent = self.run(&scripts::IS_HANDLED, (change.millis, change.number, window)).await?;
                if let Some(silent) = silent {
                    return Ok(silent);
                }
                tokio::time::sleep(wait).await;
                wait = (2 * wait).min(LAST_CHECK);
            }
        };
        // A process that sends heartbeats without handling changes takes longer than its trust window, and so does a
        // failover meanwhile. The change stands; the wait ends before the time-out of the request, which would hide
        // why.
        let stuck =
            || StoreError::failed("a change was written, and a serving process has not handled it in time");
        timeout(self.wire.trust + BEYOND_TRUST, all).await.unwrap_or_else(|_| Err(stuck()))
    }
}
