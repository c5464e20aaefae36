//! The line to Redis: one connection that all share, made anew when it breaks.
//!
//! A script that met a broken connection is run again, for every one of them may be; a Redis that does not answer
//! costs each who asks a second at most. Uses the crate `redis`.

use std::fmt;
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

/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_millis(500);

/// How long Redis may take to answer.
pub(super) const RESPONSE: Duration = Duration::from_secs(1);

/// How long a failure to connect is an answer for whoever else asks: short against the time in which a Redis that
/// is back must be found.
const FAILED: Duration = Duration::from_millis(100);

/// How often a script is run again on a new connection.
const RETRIES: u32 = 4;

/// The line to Redis.
pub(super) struct Line {
    server: Server,
    current: Mutex<Current>,
    /// Where connections live: with a runtime that lasts, not with whoever happened to ask first.
    home: OnceLock<Handle>,
}

#[derive(Clone)]
enum Server {
    One(Box<Client>),
    /// By the nodes it is found by.
    Cluster(Vec<ConnectionInfo>),
}

#[derive(Default)]
struct Current {
    /// How many were made before: so that one is cut once, whoever all saw it break.
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

impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Line").finish_non_exhaustive()
    }
}

impl Line {
    /// A line to what a URL names; nothing is connected yet.
    pub(super) fn to(url: &Url) -> RedisResult<Line> {
        let server = match url.scheme() {
            "redis-cluster" => Server::Cluster(seeds(url)?),
            _ => Server::One(Box::new(Client::open(url.clone())?)),
        };
        Ok(Line { server, current: Mutex::default(), home: OnceLock::new() })
    }

    /// Has connections live on a runtime from now on.
    pub(super) fn settle(&self, runtime: Handle) {
        // a second one lasts no longer than the first
        let _ = self.home.set(runtime);
    }

    /// Runs a script; again when the connection breaks on the way.
    pub(super) async fn run<T: FromRedisValue>(&self, call: &ScriptInvocation<'_>) -> RedisResult<T> {
        let mut retries = RETRIES;
        loop {
            let (number, mut connection) = self.current().await?;
            match call.invoke_async(&mut connection).await {
                Err(error) if is_away(&error) => {
                    self.cut(number).await;
                    if retries == 0 || error.is_timeout() {
                        return Err(error);
                    }
                    retries -= 1;
                }
                answer => return answer,
            }
        }
    }

    /// A connection for one alone, whose answers may take so long.
    pub(super) async fn of_its_own(&self, response: Duration) -> RedisResult<Connection> {
        self.server.connect(response).await
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
        let connected = match self.home.get() {
            Some(home) => {
                let server = self.server.clone();
                let gone = |_| RedisError::from((ErrorKind::Io, "the runtime is shut"));
                home.spawn(async move { server.connect(RESPONSE).await }).await.map_err(gone)?
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

    async fn cut(&self, number: u64) {
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
    let wrong = || {
        RedisError::from((
            ErrorKind::InvalidClientConfig,
            "expected redis-cluster://HOST:PORT?node=HOST:PORT",
        ))
    };
    // a URL of a scheme that is not special, which `set_scheme` does not turn into another's
    let text = url.as_str().replacen("redis-cluster:", "redis:", 1);
    let mut first = Url::parse(&text).map_err(|_| wrong())?;
    first.set_query(None);
    let mut seeds = vec![first.clone()];
    for (name, node) in url.query_pairs() {
        let (host, port) = node.rsplit_once(':').filter(|_| name == "node").ok_or_else(wrong)?;
        let mut seed = first.clone();
        seed.set_host(Some(host)).map_err(|_| wrong())?;
        seed.set_port(Some(port.parse().map_err(|_| wrong())?)).map_err(|()| wrong())?;
        seeds.push(seed);
    }
    seeds.into_iter().map(IntoConnectionInfo::into_connection_info).collect()
}

/// Whether an error says that nobody is there to do what was asked: not now, or not at this end of the connection.
pub(super) fn is_away(error: &RedisError) -> bool {
    let away = [
        ErrorKind::Io,
        ErrorKind::ClusterConnectionNotFound,
        ErrorKind::Server(ServerErrorKind::BusyLoading),
        ErrorKind::Server(ServerErrorKind::ClusterDown),
        ErrorKind::Server(ServerErrorKind::MasterDown),
        ErrorKind::Server(ServerErrorKind::ReadOnly),
        ErrorKind::Server(ServerErrorKind::TryAgain),
    ];
    away.contains(&error.kind()) || error.is_connection_dropped() || error.is_timeout()
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
