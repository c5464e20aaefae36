//! The accept loop: sockets in, requests out, and every wait bounded.
//!
//! A worker is a thread with a runtime and a listener of its own, all on one port: a connection stays on the
//! thread that took it, and no two threads share anything on the way of a request but counters. Bounded are the
//! connections, the time to send a head, the time to be answered (reading the body included), the time between
//! requests, and the time to stop. It knows nothing of what is asked: it serves any [`Answerer`]. Uses
//! [`crate::config`] (its limits), [`crate::http::caller`], [`crate::http::response`], [`crate::metrics`],
//! [`crate::domain::error`] and [`crate::sheets`].

use std::borrow::Borrow;
use std::convert::Infallible;
use std::future::{poll_fn, ready};
use std::io;
use std::net::{SocketAddr, TcpListener as Probe};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::thread::JoinHandle;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use bytes::Bytes;
use http_body_util::{Either, Full};
use hyper::body::Incoming;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use prometheus_client::metrics::gauge::Gauge;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use socket2::{Domain, Protocol, Socket, Type};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;
use tokio::sync::{Notify, Semaphore, mpsc};
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tower_service::Service;

use super::caller::RequestId;
use super::response;
use crate::config::Limits;
use crate::domain::error::ApiError;
use crate::metrics::ConnectionMetrics;
use crate::sheets;

/// Connections the kernel keeps for a worker that is busy.
const BACKLOG: i32 = 1024;

/// The longest head, which bounds what a connection holds before anything is known of it.
const HEAD_BYTES: usize = 32 * 1024;

/// Files that are open besides connections: listeners, the store, snapshots.
const OTHER_FILES: u64 = 64;

/// So much is sent in one piece, head and body: to copy it costs less than to have the kernel gather it.
const LITTLE: usize = 8 * 1024;

/// How long to leave a listener alone that cannot accept: the usual cause, too many open files, passes only when
/// connections close.
const BREATHER: Duration = Duration::from_millis(50);

/// How long a connection that sent nothing yet is waited for when the service stops.
const LAST_CALL: Duration = Duration::from_millis(100);

/// How long a connection is kept that is being told that there are too many.
const TURNING_AWAY: Duration = Duration::from_secs(1);

/// How many connections a worker tells so at once; to more than that it closes without a word.
const MOST_TURNED_AWAY: usize = 256;

/// A running server. Dropping it tells it to stop; [`Server::stop`] also waits until it has.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    stopping: Arc<Stopping>,
    workers: Vec<JoinHandle<bool>>,
}

/// The body of an answer: bytes at hand, or whatever a table of routes answers with.
pub type Sent = Either<Full<Bytes>, Body>;

/// Whoever answers the requests of a connection.
pub trait Answerer: Send + Sync + 'static {
    /// Answers the request named `id`.
    fn answer(
        &self,
        request: Request<Incoming>,
        id: RequestId,
    ) -> impl Future<Output = Response<Sent>> + Send;
}

/// What is behind a route reads the name for itself.
impl Answerer for Router {
    async fn answer(&self, request: Request<Incoming>, _: RequestId) -> Response<Sent> {
        match self.clone().call(request).await {
            Ok(response) => response.map(Sent::Right),
            Err(never) => match never {},
        }
    }
}

impl Server {
    /// Listens, and answers with what `welcome` makes for each connection, given the address of its peer.
    pub fn start<W, A>(
        listen: SocketAddr,
        limits: &Limits,
        connections: ConnectionMetrics,
        welcome: W,
    ) -> io::Result<Server>
    where
        W: Fn(SocketAddr) -> A + Clone + Send + 'static,
        A: Answerer,
    {
        // With the port shared among workers, a second server would quietly share it too. Binding it once
        // unshared finds the other server, and the port if the machine is to choose it.
        let address = Probe::bind(listen)?.local_addr()?;
        allow_open_files(limits.connections.get());
        let stopping = Arc::new(Stopping::default());
        let workers = match limits.workers {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            said => said,
        };
        let mut server = Server { address, stopping: stopping.clone(), workers: Vec::new() };
        // All of them listen before any of them accepts, so a start that fails has taken no connection.
        let listeners: Vec<_> = (0..workers).map(|_| listen_together(address)).collect::<io::Result<_>>()?;
        for (number, (runtime, listener)) in listeners.into_iter().enumerate() {
            let worker = Worker {
                bounds: Bounds::from(limits),
                connections: connections.clone(),
                stopping: stopping.clone(),
                welcome: welcome.clone(),
            };
            let thread = std::thread::Builder::new().name(format!("http-{number}"));
            server.workers.push(thread.spawn(move || runtime.block_on(worker.run(listener)))?);
        }
        Ok(server)
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Accepts no more, lets the requests in flight finish, and waits for that, no longer than `drain_ms`. True
    /// when all of them did. Blocks: not for a thread that serves.
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

/// Raises the number of files this process may open as far as it goes: the usual default, 1,024, is meant for
/// programs that use `select`, and runs out before the connections do.
fn allow_open_files(connections: usize) {
    let limit = getrlimit(Resource::Nofile);
    let raised = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
    let allowed = if raised.is_ok() { limit.maximum } else { limit.current };
    if allowed.is_some_and(|allowed| allowed < connections as u64 + OTHER_FILES) {
        tracing::warn!(
            connections,
            allowed,
            "fewer files may be open than connections: raise the hard limit"
        );
    }
}

/// A runtime, and a listener on it that shares its port with those of the other workers.
fn listen_together(address: SocketAddr) -> io::Result<(Runtime, TcpListener)> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    socket.set_reuse_address(true)?;
    socket.set_reuse_port(true)?;
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    let listener = {
        let _context = runtime.enter();
        TcpListener::from_std(socket.into())?
    };
    Ok((runtime, listener))
}

/// The word to stop. A flag that costs a load to look at, and a call that wakes who is asleep.
#[derive(Debug, Default)]
struct Stopping {
    begun: AtomicBool,
    call: Notify,
}

impl Stopping {
    fn begin(&self) {
        self.begun.store(true, Ordering::SeqCst);
        self.call.notify_waiters();
    }

    fn has_begun(&self) -> bool {
        self.begun.load(Ordering::SeqCst)
    }

    async fn begins(&self) {
        let call = self.call.notified();
        if !self.has_begun() {
            call.await;
        }
    }
}

/// The limits as times.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    connections: usize,
    head: Duration,
    answer: Duration,
    idle: Duration,
    drain: Duration,
}

impl From<&Limits> for Bounds {
    fn from(limits: &Limits) -> Bounds {
        // A time nobody will live to see is as good as none, and does not overflow when added to the present.
        let time = |millis: u64| Duration::from_millis(millis.min(1000 * 60 * 60 * 24 * 365));
        Bounds {
            connections: limits.connections.get(),
            head: time(limits.header_timeout_ms.get()),
            answer: time(limits.request_timeout_ms.get()),
            idle: time(limits.idle_timeout_ms.get()),
            drain: time(limits.drain_ms),
        }
    }
}

struct Worker<W> {
    bounds: Bounds,
    connections: ConnectionMetrics,
    stopping: Arc<Stopping>,
    welcome: W,
}

impl<W: Fn(SocketAddr) -> A, A: Answerer> Worker<W> {
    /// Serves until told to stop; true when every connection ended in time.
    async fn run(self, listener: TcpListener) -> bool {
        // Every connection holds a sender; the receiver ends when the last of them is gone.
        let (present, mut gone) = mpsc::channel::<Infallible>(1);
        let turned_away = Arc::new(Semaphore::new(MOST_TURNED_AWAY));
        let mut begins = pin!(self.stopping.begins());
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                () = &mut begins => break,
            };
            match accepted {
                Ok((stream, peer)) => self.take(stream, peer, &present, &turned_away),
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    sleep(BREATHER).await;
                }
            }
        }
        // Those the kernel has already said yes to are ours to serve.
        while let Some(Ok((stream, peer))) = at_once(listener.accept()).await {
            self.take(stream, peer, &present, &turned_away);
        }
        drop((listener, present));
        timeout(self.bounds.drain, gone.recv()).await.is_ok()
    }

    fn take(
        &self,
        stream: TcpStream,
        peer: SocketAddr,
        present: &mpsc::Sender<Infallible>,
        turned_away: &Arc<Semaphore>,
    ) {
        // Answers are written whole, so waiting for more to send only delays them. A socket that will not have
        // it still works.
        let _ = stream.set_nodelay(true);
        let present = present.clone();
        let others = self.connections.open.inc();
        let open = Counted(self.connections.open.clone());
        if usize::try_from(others).is_ok_and(|others| others < self.bounds.connections) {
            self.connections.accepted.inc();
            let serving = serve(
                stream,
                (self.welcome)(peer),
                self.bounds,
                self.stopping.clone(),
                self.connections.in_flight.clone(),
            );
            tokio::spawn(async move {
                serving.await;
                drop((open, present));
            });
        } else {
            self.connections.refused.inc();
            drop(open);
            if let Ok(place) = turned_away.clone().try_acquire_owned() {
                tokio::spawn(async move {
                    turn_away(stream).await;
                    drop((place, present));
                });
            }
        }
    }
}

/// What `future` has to say now, if anything.
async fn at_once<T>(future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(value) => Poll::Ready(Some(value)),
        Poll::Pending => Poll::Ready(None),
    })
    .await
}

/// One that a gauge has counted, until it is dropped.
struct Counted<G: Borrow<Gauge>>(G);

impl<G: Borrow<Gauge>> Drop for Counted<G> {
    fn drop(&mut self) {
        self.0.borrow().dec();
    }
}

/// Answers the first request of a connection that there is no room for, so that its sender knows why.
async fn turn_away(stream: TcpStream) {
    let service = service_fn(|request: Request<Incoming>| {
        let response: Response<Full<Bytes>> =
            response::refusal(&ApiError::Overloaded, &RequestId::of(request.headers()));
        ready(Ok::<_, Infallible>(response))
    });
    let connection = builder().keep_alive(false).serve_connection(TokioIo::new(stream), service);
    // Whether it heard us is its own affair.
    let _ = timeout(TURNING_AWAY, connection).await;
}

fn builder() -> http1::Builder {
    let mut builder = http1::Builder::new();
    // Hyper's own timer sets off on every request and counts idle time as reading a head; the pulse does neither.
    builder.header_read_timeout(None).max_buf_size(HEAD_BYTES);
    // Who has said all they have to say may close their half and still be answered; and nobody is listened for while
    // they are answered, which would be one more look at the socket for each request.
    builder.half_close(true);
    builder
}

/// Serves one connection to its end.
async fn serve<A: Answerer>(
    stream: TcpStream,
    answerer: A,
    bounds: Bounds,
    stopping: Arc<Stopping>,
    in_flight: Gauge,
) {
    let (pulse, in_flight, answerer) = (&Pulse::new(bounds), &in_flight, &answerer);
    let service = service_fn(move |request: Request<Incoming>| {
        pulse.request_came();
        in_flight.inc();
        let counted = Counted(in_flight);
        let id = RequestId::of(request.headers());
        // what it begins with is done here, so that the request need not be carried into what is waited for
        let begun = catch_unwind(AssertUnwindSafe(|| answerer.answer(request, id.clone())));
        async move {
            let answered = match begun {
                Ok(answering) => in_time(answering, bounds.answer).await,
                Err(_) => Err(ApiError::Internal),
            };
            drop(counted);
            pulse.begin(Phase::Idle);
            Ok::<_, Infallible>(
                answered.unwrap_or_else(|refusal| response::refusal(&refusal, &id).map(Sent::Left)),
            )
        }
    });
    let io = IdleTimeoutIo { io: TokioIo::new(stream), pulse };
    let mut connection = pin!(builder().serve_connection(io, service));
    let mut armed = pulse.due(None);
    let mut alarm = pin!(sleep_until(armed));
    let mut call = pin!(stopping.call.notified());
    // Once is enough for it to wake this task; after that the flag tells, at the price of a load.
    let _ = at_once(call.as_mut()).await;
    let mut stopped = None;
    poll_fn(|context| {
        loop {
            if let Poll::Ready(ended) = connection.as_mut().poll(context) {
                if let Err(error) = ended {
                    tracing::debug!(%error, "a connection ended early");
                }
                return Poll::Ready(());
            }
            if stopped.is_some() || !stopping.has_begun() {
                break;
            }
            // Closes it if it is idle, and otherwise after the request in flight: so it is polled once more.
            stopped = Some(Instant::now());
            connection.as_mut().graceful_shutdown();
        }
        loop {
            let due = pulse.due(stopped);
            if due < armed {
                alarm.as_mut().reset(due);
                armed = due;
            }
            if alarm.as_mut().poll(context).is_pending() {
                return Poll::Pending;
            }
            if due <= Instant::now() {
                return Poll::Ready(());
            }
            // It went off for what has since been done. Moved only now and not at each request: most regressions are
            // for something that happens in time.
            alarm.as_mut().reset(due);
            armed = due;
        }
    })
    .await;
}

/// What is answered, or a refusal when that takes too long or fails.
async fn in_time<T>(answering: impl Future<Output = T> + Send, time: Duration) -> Result<T, ApiError> {
    let mut answering = pin!(answering);
    // A fault in answering one request must not take the connection, nor go unanswered.
    let mut watched =
        |context: &mut Context<'_>| match catch_unwind(AssertUnwindSafe(|| answering.as_mut().poll(context)))
        {
            Ok(answer) => answer.map(Ok),
            Err(_) => Poll::Ready(Err(ApiError::Internal)),
        };
    // Nearly every answer is ready at once, and needs no timer.
    match poll_fn(|context| Poll::Ready(watched(context))).await {
        Poll::Ready(answered) => answered,
        Poll::Pending => {
            let answered = Box::pin(timeout(time, poll_fn(watched))).await;
            answered.unwrap_or(Err(ApiError::RequestTimeout))
        }
    }
}

/// What a connection is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Nothing has come yet.
    Fresh,
    /// The head of a request is coming.
    Head,
    /// A request is being answered.
    Serving,
    /// It was answered, and the next has not begun.
    Idle,
}

/// What a connection is doing, and since when: noted as it happens, in one word, and looked at by an alarm that
/// is set once in a while instead of timers that are set for every request.
#[derive(Debug)]
struct Pulse {
    opened: Instant,
    bounds: Bounds,
    /// Milliseconds from `opened` to the beginning of the phase, and the phase in the lowest two bits. Of a request that
    /// is being answered, to when its head began to come: the clock is not asked twice for what mostly comes at once.
    beat: AtomicU64,
}

impl Pulse {
    fn new(bounds: Bounds) -> Pulse {
        Pulse { opened: Instant::now(), bounds, beat: AtomicU64::new(Phase::Fresh as u64) }
    }

    fn phase(beat: u64) -> Phase {
        match beat & 3 {
            0 => Phase::Fresh,
            1 => Phase::Head,
            2 => Phase::Serving,
            _ => Phase::Idle,
        }
    }

    /// Notes that a phase begins now.
    fn begin(&self, phase: Phase) {
        let millis = self.opened.elapsed().as_millis() as u64;
        self.beat.store(millis << 2 | phase as u64, Ordering::Relaxed);
    }

    /// Notes that the head of a request has come whole.
    fn request_came(&self) {
        let beat = self.beat.load(Ordering::Relaxed);
        match Pulse::phase(beat) {
            // it came with the request before it
            Phase::Idle => self.begin(Phase::Serving),
            _ => self.beat.store(beat & !3 | Phase::Serving as u64, Ordering::Relaxed),
        }
    }

    /// Notes that bytes have come.
    fn bytes_came(&self) {
        let beat = self.beat.load(Ordering::Relaxed);
        match Pulse::phase(beat) {
            // The time for the first head runs from the start: connecting early buys none.
            Phase::Fresh => self.beat.store(beat | Phase::Head as u64, Ordering::Relaxed),
            Phase::Idle => self.begin(Phase::Head),
            Phase::Head | Phase::Serving => {}
        }
    }

    /// When the connection is to be closed if nothing changes. `stopped` is when the service was told to stop,
    /// if it was.
    fn due(&self, stopped: Option<Instant>) -> Instant {
        let beat = self.beat.load(Ordering::Relaxed);
        let since = self.opened + Duration::from_millis(beat >> 2);
        match (Pulse::phase(beat), stopped) {
            (Phase::Fresh, Some(stopped)) => stopped + LAST_CALL,
            (Phase::Fresh | Phase::Head, _) => since + self.bounds.head,
            // The request is answered in time, by a refusal at worst; this is for when even that goes wrong.
            (Phase::Serving, _) => since + self.bounds.head + self.bounds.answer * 2,
            (Phase::Idle, _) => since + self.bounds.idle,
        }
    }
}

/// A stream that notes when bytes come.
struct IdleTimeoutIo<'a> {
    io: TokioIo<TcpStream>,
    pulse: &'a Pulse,
}

impl Read for IdleTimeoutIo<'_> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let poll = Pin::new(&mut self.io).poll_read(context, into);
        if let Poll::Ready(Ok(())) = poll {
            self.pulse.bytes_came();
        }
        poll
    }
}

impl Write for IdleTimeoutIo<'_> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let io = Pin::new(&mut self.io);
        if let [only] = slices {
            return io.poll_write(context, only);
        }
        if slices.iter().map(|slice| slice.len()).sum::<usize>() > LITTLE {
            return io.poll_write_vectored(context, slices);
        }
        let mut together = sheets::take();
        slices.iter().for_each(|slice| together.extend_from_slice(slice));
        let written = io.poll_write(context, &together);
        sheets::give_back(together);
        written
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(context)
    }
}
