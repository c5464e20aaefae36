//! Scripts on the one Redis that this process knows, and how they fail: shared by the store and its presence.

use std::fmt;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use redis::{
    ErrorKind, FromRedisValue, ParsingError, RedisError, Script, ScriptInvocation, ServerErrorKind,
    ToRedisArgs, Value,
};

use super::connection::{SharedConnection, is_unreachable};
use super::scripts::{self, OnceScript};
use crate::store::StoreError;
use crate::store::epoch::Epoch;

/// The key of the epoch: see [`Epoch`].
const EPOCH: &str = "{candango}:epoch";

/// The epoch of a store that is being filled: see `state.lua`.
const FILLING: &str = "filling";

/// What the keys begin with under which requests are remembered: see `once.lua`.
const DONE: &str = "{candango}:done:";

/// The stream of changes.
pub(super) const CHANGES: &str = "{candango}:changes";

/// A connection to the one Redis that is known.
pub(super) struct Wire {
    pub(super) connection: SharedConnection,
    pub(super) epoch: Epoch,
    /// How long cached data may be used after the last contact.
    pub(super) trust: Duration,
}

/// Why a script did not run.
pub(super) enum ScriptError {
    /// The operator started over with an empty Redis: its new epoch.
    Reset(String),
    Store(StoreError),
}

impl From<RedisError> for ScriptError {
    fn from(error: RedisError) -> ScriptError {
        match (error.code(), error.detail()) {
            (Some("RESET"), Some(epoch)) => ScriptError::Reset(epoch.to_owned()),
            (Some("NEWER_SCHEMA"), found) => {
                let found = found.and_then(|found| found.trim().parse().ok()).unwrap_or(i64::MAX);
                ScriptError::Store(StoreError::NewerSchema { found, known: scripts::SCHEMA })
            }
            (Some("FILLING"), _) => ScriptError::Store(StoreError::HalfFull),
            (Some("DATA_MISSING"), _) => ScriptError::Store(StoreError::DataMissing),
            (Some("OOM"), _) => ScriptError::Store(StoreError::Full(error.to_string())),
            _ if error.kind() == ErrorKind::Server(ServerErrorKind::ReadOnly) => {
                ScriptError::Store(StoreError::ReadOnly(error.to_string()))
            }
            _ if is_unreachable(&error) => ScriptError::Store(StoreError::Unreachable(error.to_string())),
            _ => ScriptError::Store(StoreError::failed(error)),
        }
    }
}

impl From<StoreError> for ScriptError {
    fn from(error: StoreError) -> ScriptError {
        ScriptError::Store(error)
    }
}

impl From<ScriptError> for StoreError {
    fn from(error: ScriptError) -> StoreError {
        match error {
            // the next heartbeat handles it
            ScriptError::Reset(_) => StoreError::DataMissing,
            ScriptError::Store(error) => error,
        }
    }
}

/// A script that can be called: on the key that every script needs, and with a name of the request if it needs one.
pub(super) trait Callable {
    fn call(&self) -> ScriptInvocation<'_>;
}

impl Callable for LazyLock<Script> {
    fn call(&self) -> ScriptInvocation<'_> {
        self.key(EPOCH)
    }
}

impl Callable for LazyLock<OnceScript> {
    fn call(&self) -> ScriptInvocation<'_> {
        let mut call = self.0.key(EPOCH);
        call.key(format!("{DONE}{:032x}", rand::random::<u128>()));
        call
    }
}

impl Wire {
    pub(super) async fn run<T: FromRedisValue>(
        &self,
        script: &impl Callable,
        arguments: impl ToRedisArgs,
    ) -> Result<T, ScriptError> {
        let epoch = self.known_epoch().await?;
        Ok(self.connection.run(script.call().arg(&*epoch).arg(arguments)).await?)
    }

    /// Fills the store, from which nobody serves until all is done.
    pub(super) async fn fill(&self, pages: Vec<impl ToRedisArgs>) -> Result<(), ScriptError> {
        let epoch = self.known_epoch().await?;
        self.connection.run::<bool>(scripts::BEGIN_FILL.call().arg(&*epoch)).await?;
        for page in pages {
            self.connection.run::<bool>(scripts::INSERT_ROWS.call().arg(FILLING).arg(page)).await?;
        }
        Ok(self.connection.run(scripts::END_FILL.call().arg(FILLING).arg(&*epoch)).await?)
    }

    /// The epoch that the data folder remembers, or else that of Redis.
    async fn known_epoch(&self) -> Result<Arc<str>, ScriptError> {
        match self.epoch.known() {
            Some(epoch) => Ok(epoch),
            None => self.identify().await,
        }
    }

    /// Learns the epoch of Redis: for a process whose data folder knows none, or one that was just started.
    pub(super) async fn identify(&self) -> Result<Arc<str>, ScriptError> {
        let epoch: String = self.with_epochs(&scripts::IDENTIFY).await?;
        self.epoch.learn(&epoch)?;
        Ok(epoch.into())
    }

    /// Starts over in an empty or another Redis than the known one; false when there is no need to.
    pub(super) async fn begin(&self) -> Result<bool, ScriptError> {
        let (begun, epoch): (Option<bool>, String) = self.with_epochs(&scripts::BEGIN).await?;
        self.epoch.learn(&epoch)?;
        Ok(begun.is_some())
    }

    /// Runs a script that takes the known epoch, if any, and a new one.
    async fn with_epochs<T: FromRedisValue>(&self, script: &Script) -> Result<T, ScriptError> {
        let known = self.epoch.known();
        let new = Epoch::generate();
        let mut call = script.key(EPOCH);
        Ok(self.connection.run(call.arg(known.as_deref().unwrap_or_default()).arg(new)).await?)
    }

    /// The trust window in milliseconds, as scripts take it.
    pub(super) fn window(&self) -> u64 {
        u64::try_from(self.trust.as_millis()).unwrap_or(u64::MAX)
    }
}

/// The id of a change in the stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct ChangeId {
    pub(super) millis: u64,
    pub(super) number: u64,
}

impl fmt::Display for ChangeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.millis, self.number)
    }
}

impl FromRedisValue for ChangeId {
    fn from_redis_value(value: Value) -> Result<ChangeId, ParsingError> {
        let text = String::from_redis_value(value)?;
        let id = text.split_once('-').and_then(|(millis, number)| {
            Some(ChangeId { millis: millis.parse().ok()?, number: number.parse().ok()? })
        });
        id.ok_or_else(|| ParsingError::from("not the id of a change"))
    }
}
