//! The accept loop: connections in, requests to a service, every wait bounded.
//!
//! A worker is a thread with its own runtime and its own listener on the shared port: a connection stays on the thread
//! that accepted it, and threads share only counters. Only the socket of a service manager is one for all workers.
//!
//! Bounded are the connections, the time to send a request head, the time to answer (reading the body included), the
//! time between requests, the time between two reads of an answer (not all of them together: a slow client may take a
//! large file), and the time to stop.

use std::borrow::Borrow;
use std::convert::Infallible;
use std::future::{poll_fn, ready};
use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener as StdListener};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::thread::JoinHandle;
use std::time::Duration;

use axum::body::Body;
use futures_util::poll;
use hyper::body::{Body as HttpBody, Incoming};
use hyper::header::{CONNECTION, HOST, HeaderValue};
use hyper::rt::{Read, Write};
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper::{Request, Response, Version};
use hyper_util::rt::TokioIo;
use parking_lot::Mutex;
use prometheus_client::metrics::gauge::Gauge;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use socket2::{Domain, Protocol, Socket, Type};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;
use tokio::sync::{Notify, Semaphore, mpsc, watch};
use tokio::time::{Instant, interval, sleep, sleep_until, timeout};

use super::address_limit::AddressLimit;
use super::caller::{RequestId, X_REQUEST_ID};
use super::client_stream::ClientStream;
use super::connection_timer::{Bounds, ConnectionTimer, DeadlineTimer, Phase};
use super::framing::Framing;
use super::open_connections::{OpenConnection, OpenConnections};
use super::response;
use crate::config::Limits;
use crate::domain::error::ApiError;
use crate::memory;
use crate::metrics::ConnectionMetrics;
use crate::outage::Outage;
use crate::request_log::{self, RequestLog};

/// Connections that the kernel queues for a busy worker.
const BACKLOG: i32 = 1024;

/// The longest request head. It bounds the memory of a connection before its request is known.
const HEAD_BYTES: usize = 32 * 1024;

/// Open files besides connections: listeners, the store, snapshots.
const OTHER_FILES: u64 = 64;

/// The pause after a failed accept. The usual cause, too many open files, passes only when connections close.
const ACCEPT_BACKOFF: Duration = Duration::from_millis(50);

/// Of all workers, as they share the limit of open files.
static ACCEPTING: Outage = Outage::new("connections cannot be accepted");

/// How often a worker returns free memory to the operating system. The allocator does it only when it is called, so a
/// worker without requests would keep the memory of connections that are closed.
const RELEASE_INTERVAL: Duration = Duration::from_secs(2);

/// A worker that has not run for so long hangs.
const HANGS_AFTER: Duration = Duration::from_secs(10);

/// How long a connection over the limit is kept for its error.
const REJECT_TIMEOUT: Duration = Duration::from_secs(1);

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

/// What serves the requests of a connection.
pub trait HttpService:
    Service<Request<Incoming>, Response = Response<Body>, Error = Infallible, Future: Send>
    + Send
    + Sync
    + 'static
{
}

impl<S> HttpService for S where
    S: Service<Request<Incoming>, Response = Response<Body>, Error = Infallible, Future: Send>
        + Send
        + Sync
        + 'static
{
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

/// The stop signal: a flag that is cheap to read, and a notification that wakes idle connections.
#[derive(Debug, Default)]
struct Stopping {
    /// Every answer closes its connection.
    draining: AtomicBool,
    begun: AtomicBool,
    notify: Notify,
}

impl Stopping {
    fn begin(&self) {
        self.draining.store(true, Ordering::SeqCst);
        self.begun.store(true, Ordering::SeqCst);
        self.notify.notify_waiters();
    }

    fn has_begun(&self) -> bool {
        self.begun.load(Ordering::SeqCst)
    }

    async fn begins(&self) {
        let notified = self.notify.notified();
        if !self.has_begun() {
            notified.await;
        }
    }
}

/// What counts and logs connections and requests.
#[derive(Clone)]
pub struct Observer {
    /// Counts connections.
    pub connections: ConnectionMetrics,
    /// Logs requests, on the public listener.
    pub requests: Option<RequestLog>,
}

impl From<ConnectionMetrics> for Observer {
    fn from(connections: ConnectionMetrics) -> Observer {
        Observer { connections, requests: None }
    }
}

impl Observer {
    fn answered(&self, response: &Response<Body>, took: Duration) {
        let Some(requests) = &self.requests else { return };
        requests.answered(|| request_id(response), response.status().as_u16(), took);
    }

    fn connection_refused(&self, response: &Response<Body>) {
        let Some(requests) = &self.requests else { return };
        requests.connection_refused(|| request_id(response), response.status().as_u16());
    }
}

fn request_id(response: &Response<Body>) -> String {
    let id = response.headers().get(X_REQUEST_ID).and_then(|id| id.to_str().ok());
    id.unwrap_or_default().to_owned()
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
        let mut release = interval(RELEASE_INTERVAL);
        let mut may_accept = self.may_accept.clone();
        let mut accepts = false;
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept(), if accepts => accepted,
                _ = may_accept.wait_for(|may| *may), if !accepts => {
                    accepts = true;
                    continue;
                }
                _ = release.tick() => {
                    self.beat.note();
                    memory::release_expired();
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

/// Decrements a gauge when dropped.
struct GaugeGuard<G: Borrow<Gauge>>(G);

impl<G: Borrow<Gauge>> Drop for GaugeGuard<G> {
    fn drop(&mut self) {
        self.0.borrow().dec();
    }
}

/// Answers the first request of a connection over the limit with an error.
async fn reject(stream: TcpStream, observer: &Observer) {
    let service = service_fn(|request: Request<Incoming>| {
        let response = response::error(&ApiError::Overloaded, &RequestId::of(request.headers()));
        observer.connection_refused(&response);
        ready(Ok::<_, Infallible>(response))
    });
    let connection = builder().keep_alive(false).serve_connection(TokioIo::new(stream), service);
    let _ = timeout(REJECT_TIMEOUT, connection).await;
}

fn builder() -> http1::Builder {
    let mut builder = http1::Builder::new();
    // Hyper's timer is set on every request and counts idle time as reading a head; `ConnectionTimer` does neither.
    builder.header_read_timeout(None).max_buf_size(HEAD_BYTES);
    // A client may close its half of the connection after its request and is still answered.
    builder.half_close(true);
    // Head and body go out in one write: copying a body costs less than a vectored write.
    builder.writev(false);
    builder
}

/// Refuses what hyper accepts in a request head and others may read in another way: lines that end in a bare LF, and
/// no host or several.
fn check_head(request: &Request<Incoming>, framing: &Mutex<Framing>) -> Result<(), ApiError> {
    let ends_are_valid = framing.lock().head_is_read(request.body().size_hint().exact());
    let hosts = request.headers().get_all(HOST).iter().count();
    // before HTTP/1.1 there was no such header
    let has_host = hosts == 1 || hosts == 0 && request.version() < Version::HTTP_11;
    if ends_are_valid && has_host { Ok(()) } else { Err(ApiError::InvalidHead) }
}

/// What the requests of a connection share.
struct ConnectionParts<'c, S> {
    timer: &'c ConnectionTimer,
    framing: Mutex<Framing>,
    http_service: S,
    bounds: Bounds,
    stopping: &'c Stopping,
    observer: &'c Observer,
}

/// Serves one connection to its end.
async fn serve<S: HttpService>(
    stream: TcpStream,
    http_service: S,
    bounds: Bounds,
    stopping: Arc<Stopping>,
    observer: Arc<Observer>,
    all: Arc<OpenConnections>,
) {
    let opened = all.add(bounds);
    let (timer, framing) = (&opened.connection.timer, Mutex::new(Framing::new()));
    let (stopping, observer) = (&*stopping, &*observer);
    let parts = &ConnectionParts { timer, framing, http_service, bounds, stopping, observer };
    let on_read = |bytes: &[u8]| {
        parts.timer.bytes_received();
        parts.framing.lock().receive(bytes);
    };
    let io = TokioIo::new(ClientStream::new(stream, on_read, || parts.timer.bytes_sent()));
    let connection = builder().serve_connection(io, service_fn(|request| parts.answer(request)));
    until_end(connection, &opened.connection, stopping).await;
}

impl<S: HttpService> ConnectionParts<'_, S> {
    /// Answers a request. Its time begins with the call.
    fn answer(
        &self,
        request: Request<Incoming>,
    ) -> impl Future<Output = Result<Response<Body>, Infallible>> + Send {
        self.timer.request_started();
        let (started, in_flight) = (Instant::now(), &self.observer.connections.in_flight);
        in_flight.inc();
        let counted = GaugeGuard(in_flight);
        let id = RequestId::of(request.headers());
        let begun = check_head(&request, &self.framing).and_then(|()| {
            catch_unwind(AssertUnwindSafe(|| self.http_service.call(request))).map_err(|_| ApiError::Internal)
        });
        async move {
            let answered = match begun {
                Ok(answering) => answer_in_time(answering, self.bounds.answer, &self.framing).await,
                Err(error) => Err(error),
            };
            drop(counted);
            self.timer.begin(Phase::Idle);
            let mut response = answered.unwrap_or_else(|error| response::error(&error, &id));
            // hyper closes a connection whose request was not read to its end, which the client must know
            if self.stopping.draining.load(Ordering::Relaxed) || !self.framing.lock().has_whole_body() {
                response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            }
            self.observer.answered(&response, started.elapsed());
            Ok(response)
        }
    }
}

/// Drives a connection until it ends, its deadline passes, it makes room for another, or the server stops and it has
/// answered its last request.
async fn until_end<I, S>(connection: http1::Connection<I, S>, open: &OpenConnection, stopping: &Stopping)
where
    I: Read + Write + Unpin,
    S: Service<Request<Incoming>, Response = Response<Body>, Error = Infallible>,
{
    let (mut connection, timer) = (pin!(connection), &open.timer);
    let deadline = timer.deadline(None);
    let sleep = pin!(sleep_until(deadline));
    let mut deadline_timer = DeadlineTimer::new(sleep, deadline);
    let (mut notified, mut makes_room) = (pin!(stopping.notify.notified()), pin!(open.wake.notified()));
    // Polled once, they wake this task; after that the flags are read.
    let _ = (poll!(notified.as_mut()), poll!(makes_room.as_mut()));
    let (mut stopped, mut is_last) = (None, false);
    poll_fn(|context| {
        loop {
            if let Poll::Ready(ended) = connection.as_mut().poll(context) {
                if let Err(error) = ended {
                    tracing::debug!(%error, "connection ended early");
                }
                return Poll::Ready(());
            }
            if !is_last && open.makes_room() {
                if timer.idle_since().is_some() {
                    return Poll::Ready(());
                }
                // a request came meanwhile: it is the last one
                is_last = true;
                connection.as_mut().graceful_shutdown();
                continue;
            }
            if is_last || !stopping.has_begun() {
                break;
            }
            stopped.get_or_insert_with(Instant::now);
            // Hyper would close it at once, while its first request is on the way.
            if timer.is_fresh() {
                break;
            }
            // Closes an idle connection, or one in use after its request: poll it again.
            is_last = true;
            connection.as_mut().graceful_shutdown();
        }
        deadline_timer.poll(timer.deadline(stopped), context)
    })
    .await;
}

/// The response, or an error when the service panics, or it or the client takes too long.
async fn answer_in_time(
    answering: impl Future<Output = Result<Response<Body>, Infallible>>,
    time: Duration,
    framing: &Mutex<Framing>,
) -> Result<Response<Body>, ApiError> {
    let mut answering = pin!(answering);
    // A panic must end neither the connection nor the request without a response.
    let mut guarded =
        |context: &mut Context<'_>| match catch_unwind(AssertUnwindSafe(|| answering.as_mut().poll(context)))
        {
            Ok(answer) => answer.map(|answer| answer.map_err(|never| match never {})),
            Err(_) => Poll::Ready(Err(ApiError::Internal)),
        };
    // Nearly every response is ready at the first poll and needs no timer.
    match poll_fn(|context| Poll::Ready(guarded(context))).await {
        Poll::Ready(answered) => answered,
        Poll::Pending => {
            let answered = Box::pin(timeout(time, poll_fn(guarded))).await;
            answered.unwrap_or_else(|_| match framing.lock().has_whole_body() {
                // not 408, after which browsers and proxies send the request again at once
                true => Err(ApiError::AnswerTimeout),
                false => Err(ApiError::RequestTimeout),
            })
        }
    }
}
