//! One connection to Redis that all calls share, opened again when it breaks.
//!
//! A script on a broken connection is run again, as every script may be; a Redis that does not answer costs a call a
//! second at most.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use redis::aio::{ConnectionLike, MultiplexedConnection};
use redis::cluster::ClusterClientBuilder;
use redis::cluster_async::ClusterConnection;
use redis::{
    AsyncConnectionConfig, Client, Cmd, ConnectionInfo, ErrorKind, FromRedisValue, IntoConnectionInfo,
    Pipeline, RedisError, RedisFuture, RedisResult, ScriptInvocation, ServerErrorKind, Value,
};
use tokio::runtime::Handle;
use tokio::sync::Mutex;
use url::Url;

/// How long connecting may take.
const CONNECT: Duration = Duration::from_millis(500);

/// How long Redis may take to answer.
pub(super) const RESPONSE: Duration = Duration::from_secs(1);

/// How long a failure to connect answers further calls: short, so that a Redis which is back is found soon.
const FAILED: Duration = Duration::from_millis(100);

/// How often a script is run again on a new connection.
const RETRIES: u32 = 4;

/// The shared connection to Redis.
pub(super) struct SharedConnection {
    server: Server,
    current: Mutex<Current>,
    /// The runtime that drives connections: a lasting one, not that of whichever call came first.
    runtime: OnceLock<Handle>,
}

#[derive(Clone)]
enum Server {
    One(Box<Client>),
    /// The nodes to find the cluster by.
    Cluster(Vec<ConnectionInfo>),
}

#[derive(Default)]
struct Current {
    /// How many connections were opened, so that each is dropped once, however many calls saw it break.
    number: u64,
    connection: Option<Connection>,
    failure: Option<(Instant, RedisError)>,
}

/// A connection to a Redis or a cluster of them.
#[derive(Clone)]
pub(super) enum Connection {
    One(MultiplexedConnection),
    Cluster(ClusterConnection),
}

impl SharedConnection {
    /// A connection to what a URL names, not opened yet.
    pub(super) fn to(url: &Url) -> RedisResult<SharedConnection> {
        let server = match url.scheme() {
            "redis-cluster" => Server::Cluster(seeds(url)?),
            _ => Server::One(Box::new(Client::open(url.clone())?)),
        };
        Ok(SharedConnection { server, current: Mutex::default(), runtime: OnceLock::new() })
    }

    /// Sets the runtime that drives the connections opened from now on.
    pub(super) fn set_runtime(&self, runtime: Handle) {
        // a second runtime lasts no longer than the first
        let _ = self.runtime.set(runtime);
    }

    /// Runs a script; again when the connection breaks on the way.
    pub(super) async fn run<T: FromRedisValue>(&self, call: &ScriptInvocation<'_>) -> RedisResult<T> {
        let mut retries = RETRIES;
        loop {
            let (number, mut connection) = self.current().await?;
            match call.invoke_async(&mut connection).await {
                Err(error) if is_unreachable(&error) => {
                    self.disconnect(number).await;
                    if retries == 0 || error.is_timeout() {
                        return Err(error);
                    }
                    retries -= 1;
                }
                answer => return answer,
            }
        }
    }

    /// A separate connection, whose answers may take so long.
    pub(super) async fn separate(&self, response: Duration) -> RedisResult<Connection> {
        self.server.connect(response).await
    }

    /// Asks Redis to write its append-only file anew, without what was deleted. A Redis without that file, or one that
    /// does not let its clients ask, goes on as it is.
    pub(super) async fn rewrite_log(&self) {
        if let Ok((_, mut connection)) = self.current().await {
            let rewritten: RedisResult<Value> = redis::cmd("BGREWRITEAOF").query_async(&mut connection).await;
            if let Err(error) = rewritten {
                tracing::debug!(%error, "the append-only file is not written anew");
            }
        }
    }

    async fn current(&self) -> RedisResult<(u64, Connection)> {
        let mut current = self.current.lock().await;
        if let Some(connection) = &current.connection {
            return Ok((current.number, connection.clone()));
        }
        if let Some((at, error)) = &current.failure
            && at.elapsed() < FAILED
        {
            return Err(error.clone());
        }
        let connected = match self.runtime.get() {
            Some(runtime) => {
                let server = self.server.clone();
                let shut = |_| RedisError::from((ErrorKind::Io, "the runtime is shut"));
                runtime.spawn(async move { server.connect(RESPONSE).await }).await.map_err(shut)?
            }
            None => self.server.connect(RESPONSE).await,
        };
        match connected {
            Ok(connection) => {
                current.number += 1;
                current.connection = Some(connection.clone());
                Ok((current.number, connection))
            }
            Err(error) => {
                current.failure = Some((Instant::now(), error.clone()));
                Err(error)
            }
        }
    }

    async fn disconnect(&self, number: u64) {
        let mut current = self.current.lock().await;
        if current.number == number {
            current.connection = None;
        }
    }
}

impl Server {
    async fn connect(&self, response: Duration) -> RedisResult<Connection> {
        match self {
            Server::One(client) => {
                let config = AsyncConnectionConfig::new()
                    .set_connection_timeout(Some(CONNECT))
                    .set_response_timeout(Some(response));
                client.get_multiplexed_async_connection_with_config(&config).await.map(Connection::One)
            }
            Server::Cluster(seeds) => {
                let client = ClusterClientBuilder::new(seeds.clone())
                    .connection_timeout(CONNECT)
                    .response_timeout(response)
                    .overall_response_timeout(Some(response))
                    .build()?;
                let connected = tokio::time::timeout(CONNECT + RESPONSE, client.get_async_connection());
                let late = |_| RedisError::from(std::io::Error::from(std::io::ErrorKind::TimedOut));
                connected.await.map_err(late)?.map(Connection::Cluster)
            }
        }
    }
}

/// The nodes that `redis-cluster://HOST:PORT?node=HOST:PORT&node=HOST:PORT` names, all with the same user.
fn seeds(url: &Url) -> RedisResult<Vec<ConnectionInfo>> {
    let invalid = || {
        RedisError::from((
            ErrorKind::InvalidClientConfig,
            "expected redis-cluster://HOST:PORT?node=HOST:PORT",
        ))
    };
    // `set_scheme` does not work here, because the scheme is not a special one
    let text = url.as_str().replacen("redis-cluster:", "redis:", 1);
    let mut first = Url::parse(&text).map_err(|_| invalid())?;
    first.set_query(None);
    let mut seeds = vec![first.clone()];
    for (name, node) in url.query_pairs() {
        let (host, port) = node.rsplit_once(':').filter(|_| name == "node").ok_or_else(invalid)?;
        let mut seed = first.clone();
        seed.set_host(Some(host)).map_err(|_| invalid())?;
        seed.set_port(Some(port.parse().map_err(|_| invalid())?)).map_err(|()| invalid())?;
        seeds.push(seed);
    }
    seeds.into_iter().map(IntoConnectionInfo::into_connection_info).collect()
}

/// Whether an error says that Redis, or this connection to it, cannot answer at present.
pub(super) fn is_unreachable(error: &RedisError) -> bool {
    let unreachable = [
        ErrorKind::Io,
        ErrorKind::ClusterConnectionNotFound,
        ErrorKind::Server(ServerErrorKind::BusyLoading),
        ErrorKind::Server(ServerErrorKind::ClusterDown),
        ErrorKind::Server(ServerErrorKind::MasterDown),
        ErrorKind::Server(ServerErrorKind::ReadOnly),
        ErrorKind::Server(ServerErrorKind::TryAgain),
    ];
    unreachable.contains(&error.kind()) || error.is_connection_dropped() || error.is_timeout()
}

impl ConnectionLike for Connection {
    fn req_packed_command<'a>(&'a mut self, command: &'a Cmd) -> RedisFuture<'a, Value> {
        match self {
            Connection::One(connection) => connection.req_packed_command(command),
            Connection::Cluster(connection) => connection.req_packed_command(command),
        }
    }

    fn req_packed_commands<'a>(
        &'a mut self,
        pipeline: &'a Pipeline,
        offset: usize,
        count: usize,
    ) -> RedisFuture<'a, Vec<Value>> {
        match self {
            Connection::One(connection) => connection.req_packed_commands(pipeline, offset, count),
            Connection::Cluster(connection) => connection.req_packed_commands(pipeline, offset, count),
        }
    }

    fn get_db(&self) -> i64 {
        match self {
            Connection::One(connection) => connection.get_db(),
            Connection::Cluster(connection) => connection.get_db(),
        }
    }
}
