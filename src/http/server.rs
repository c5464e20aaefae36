//! The accept loop: connections come in and are served (`connection.rs`), as many as the limits allow.
//!
//! A worker is a thread with its own runtime and its own listener on the shared port: a connection stays on the thread
//! that accepted it, and threads share only counters. Only the socket of a service manager is one for all workers.

use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener as StdListener};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::Poll;
use std::thread::JoinHandle;
use std::time::Duration;

use futures_util::poll;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use socket2::{Domain, Protocol, Socket, Type};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::time::{interval, sleep, timeout};

use super::address_limit::AddressLimit;
use super::connection::{GaugeGuard, HttpService, Observer, Stopping, reject, serve};
use super::connection_timer::Bounds;
use super::open_connections::OpenConnections;
use crate::config::Limits;
use crate::outage::Outage;
use crate::request_log;

/// Connections that the kernel queues for a busy worker.
const BACKLOG: i32 = 1024;

/// Open files besides connections: listeners, the store, snapshots.
const OTHER_FILES: u64 = 64;

/// The pause after a failed accept. The usual cause, too many open files, passes only when connections close.
const ACCEPT_BACKOFF: Duration = Duration::from_millis(50);

/// Of all workers, as they share the limit of open files.
static ACCEPTING: Outage = Outage::new("connections cannot be accepted");

/// How often a worker notes that it runs.
const BEAT_INTERVAL: Duration = Duration::from_secs(2);

/// A worker that has not run for so long hangs.
const HANGS_AFTER: Duration = Duration::from_secs(10);

/// How many connections over the limit a worker answers at once. More are closed without an answer.
const MAX_REJECTING: usize = 256;

/// A running server. Dropping it starts the stop; [`Server::stop`] also waits for the end.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    accepting: watch::Sender<bool>,
    stopping: Arc<Stopping>,
    workers: Vec<JoinHandle<bool>>,
    beats: Vec<Arc<Beat>>,
}

/// Where a server listens.
#[derive(Debug)]
pub enum Listen {
    /// At an address.
    At(SocketAddr),
    /// On a socket that the service manager holds. It keeps the connections that wait when the server stops.
    Held(StdListener),
}

impl Server {
    /// Listens, and from [`Server::accept`] on serves each connection with the service that `make_service` makes for
    /// the address of its peer. Peers that are `is_exempt` have no limit of connections by address.
    pub fn start<M, S>(
        listen: Listen,
        limits: &Limits,
        observer: impl Into<Observer>,
        is_exempt: impl Fn(IpAddr) -> bool + Send + Sync + 'static,
        make_service: M,
    ) -> io::Result<Server>
    where
        M: Fn(SocketAddr) -> S + Clone + Send + 'static,
        S: HttpService,
    {
        let (address, listen) = match listen {
            // Workers share the port with SO_REUSEPORT, so a second server could share it too. Binding it once without
            // that option detects the other server, and chooses the port if it is 0.
            Listen::At(wanted) => {
                let address = StdListener::bind(wanted)?.local_addr()?;
                (address, Listen::At(address))
            }
            Listen::Held(socket) => (socket.local_addr()?, Listen::Held(socket)),
        };
        allow_open_files(limits.connections.get());
        let observer = Arc::new(observer.into());
        let stopping = Arc::new(Stopping::default());
        let workers = match limits.workers {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            configured => configured,
        };
        let of_addresses = Arc::new(AddressLimit::new(limits.connections_per_address.get(), is_exempt));
        let open = Arc::new(OpenConnections::default());
        let (accepting, may_accept) = watch::channel(false);
        let mut server =
            Server { address, accepting, stopping: stopping.clone(), workers: Vec::new(), beats: Vec::new() };
        // All workers listen before one accepts, so a start that fails has accepted no connection.
        let listeners: Vec<_> = (0..workers).map(|_| worker_listener(&listen)).collect::<io::Result<_>>()?;
        let is_held = matches!(listen, Listen::Held(_));
        for (number, (runtime, listener)) in listeners.into_iter().enumerate() {
            let beat = Arc::new(Beat::default());
            server.beats.push(beat.clone());
            let worker = Worker {
                beat,
                may_accept: may_accept.clone(),
                is_held,
                bounds: Bounds::from(limits),
                observer: observer.clone(),
                of_addresses: of_addresses.clone(),
                open: open.clone(),
                stopping: stopping.clone(),
                make_service: make_service.clone(),
            };
            let thread = std::thread::Builder::new().name(format!("http-{number}"));
            server.workers.push(thread.spawn(move || runtime.block_on(worker.run(listener)))?);
        }
        Ok(server)
    }

    /// The address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Begins to accept connections. Those that came before have waited.
    pub fn accept(&self) {
        self.accepting.send_replace(true);
    }

    /// Whether every worker has run within the last seconds.
    pub fn is_alive(&self) -> bool {
        self.beats.iter().all(|beat| beat.age() < HANGS_AFTER)
    }

    /// Tells clients to leave: from now on every answer closes its connection. New connections are served all the same,
    /// until [`Server::stop`].
    pub fn drain(&self) {
        self.stopping.draining.store(true, Ordering::SeqCst);
    }

    /// Stops accepting and waits until the requests in flight are answered, at most `drain_ms`. Returns whether all of
    /// them were. Blocks the thread.
    pub fn stop(mut self) -> bool {
        self.stopping.begin();
        let workers = std::mem::take(&mut self.workers);
        let cut_off =
            workers.into_iter().map(JoinHandle::join).filter(|in_time| !matches!(in_time, Ok(true)));
        cut_off.count() == 0
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stopping.begin();
    }
}

/// Raises the soft limit of open files to the hard limit: the usual default of 1,024 is lower than the limit of
/// connections.
fn allow_open_files(connections: usize) {
    let limit = getrlimit(Resource::Nofile);
    let raised = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
    let allowed = if raised.is_ok() { limit.maximum } else { limit.current };
    if allowed.is_some_and(|allowed| allowed < connections as u64 + OTHER_FILES) {
        tracing::warn!(
            connections,
            allowed,
            "the limit of open files is lower than limits.connections: raise the hard limit"
        );
    }
}

/// The runtime of a worker, and its listener.
fn worker_listener(listen: &Listen) -> io::Result<(Runtime, TcpListener)> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let socket = match listen {
        Listen::At(address) => listen_shared(*address)?,
        Listen::Held(socket) => {
            socket.set_nonblocking(true)?;
            socket.try_clone()?
        }
    };
    let listener = {
        let _context = runtime.enter();
        TcpListener::from_std(socket)?
    };
    Ok((runtime, listener))
}

/// A listener that shares its port with those of the other workers.
fn listen_shared(address: SocketAddr) -> io::Result<StdListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    socket.set_reuse_address(true)?;
    socket.set_reuse_port(true)?;
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}

/// When a worker ran last.
#[derive(Debug)]
struct Beat {
    since: std::time::Instant,
    /// Milliseconds after `since`.
    last: AtomicU64,
}

impl Default for Beat {
    fn default() -> Beat {
        Beat { since: std::time::Instant::now(), last: AtomicU64::default() }
    }
}

impl Beat {
    fn now(&self) -> u64 {
        u64::try_from(self.since.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn note(&self) {
        self.last.store(self.now(), Ordering::Relaxed);
    }

    fn age(&self) -> Duration {
        Duration::from_millis(self.now().saturating_sub(self.last.load(Ordering::Relaxed)))
    }
}

struct Worker<M> {
    beat: Arc<Beat>,
    may_accept: watch::Receiver<bool>,
    is_held: bool,
    bounds: Bounds,
    observer: Arc<Observer>,
    of_addresses: Arc<AddressLimit>,
    open: Arc<OpenConnections>,
    stopping: Arc<Stopping>,
    make_service: M,
}

impl<M: Fn(SocketAddr) -> S, S: HttpService> Worker<M> {
    /// Serves until the stop. Returns whether every connection ended in time.
    async fn run(self, listener: TcpListener) -> bool {
        // Every connection holds a sender; the receiver ends when the last one is dropped.
        let (connection_guard, mut all_closed) = mpsc::channel::<Infallible>(1);
        let rejecting = Arc::new(Semaphore::new(MAX_REJECTING));
        let mut begins = pin!(self.stopping.begins());
        let mut beats = interval(BEAT_INTERVAL);
        let mut may_accept = self.may_accept.clone();
        let mut accepts = false;
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept(), if accepts => accepted,
                _ = may_accept.wait_for(|may| *may), if !accepts => {
                    accepts = true;
                    continue;
                }
                _ = beats.tick() => {
                    self.beat.note();
                    continue;
                }
                () = &mut begins => break,
            };
            match accepted {
                Ok((stream, peer)) => {
                    ACCEPTING.succeeded();
                    self.take(stream, peer, &connection_guard, &rejecting);
                }
                Err(error) => {
                    ACCEPTING.failed(&error);
                    sleep(ACCEPT_BACKOFF).await;
                }
            }
        }
        // The kernel has completed the handshake of queued connections, so they are served. Those of a socket that the
        // service manager holds wait for the next process.
        while !self.is_held
            && let Poll::Ready(Ok((stream, peer))) = poll!(pin!(listener.accept()))
        {
            self.take(stream, peer, &connection_guard, &rejecting);
        }
        drop((listener, connection_guard));
        timeout(self.bounds.drain, all_closed.recv()).await.is_ok()
    }

    fn take(
        &self,
        stream: TcpStream,
        peer: SocketAddr,
        connection_guard: &mpsc::Sender<Infallible>,
        rejecting: &Arc<Semaphore>,
    ) {
        // Responses are written whole, so Nagle's algorithm would only delay them. A failure here does no harm.
        let _ = stream.set_nodelay(true);
        let connection_guard = connection_guard.clone();
        let connections = &self.observer.connections;
        let others = connections.open.inc();
        let open = GaugeGuard(connections.open.clone());
        let has_room = usize::try_from(others).is_ok_and(|others| others < self.bounds.connections);
        // few clients could else keep all others out for as long as connections may be idle
        let may_stay = |_: &_| has_room || self.open.close_an_idle_one();
        if let Some(counted) = self.of_addresses.count(peer.ip()).filter(may_stay) {
            connections.accepted.inc();
            let serving = serve(
                stream,
                (self.make_service)(peer),
                self.bounds,
                self.stopping.clone(),
                self.observer.clone(),
                self.open.clone(),
            );
            tokio::spawn(async move {
                request_log::noted(serving).await;
                drop((counted, open, connection_guard));
            });
        } else {
            connections.refused.inc();
            drop(open);
            if let Ok(slot) = rejecting.clone().try_acquire_owned() {
                let observer = self.observer.clone();
                tokio::spawn(async move {
                    request_log::noted(reject(stream, &observer)).await;
                    drop((slot, connection_guard));
                });
            }
        }
    }
}
