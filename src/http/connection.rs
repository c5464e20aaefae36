//! One connection: its requests to a service, every wait bounded.
//!
//! Bounded are the time to send a request head, the time to answer (reading the body included), the time between
//! requests, the time between two reads of an answer (not all of them together: a slow client may take a large file),
//! and the time to stop.

use std::borrow::Borrow;
use std::convert::Infallible;
use std::future::{poll_fn, ready};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
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
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until, timeout};

use super::caller::{RequestId, X_REQUEST_ID};
use super::client_stream::ClientStream;
use super::connection_timer::{Bounds, ConnectionTimer, DeadlineTimer, Phase};
use super::framing::Framing;
use super::open_connections::{OpenConnection, OpenConnections};
use super::response;
use crate::domain::error::ApiError;
use crate::metrics::ConnectionMetrics;
use crate::request_log::RequestLog;

/// The longest request head. It bounds the memory of a connection before its request is known.
const HEAD_BYTES: usize = 32 * 1024;

/// How long a connection over the limit is kept for its error.
const REJECT_TIMEOUT: Duration = Duration::from_secs(1);

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

    pub(super) fn connection_refused(&self, response: &Response<Body>) {
        let Some(requests) = &self.requests else { return };
        requests.connection_refused(|| request_id(response), response.status().as_u16());
    }
}

fn request_id(response: &Response<Body>) -> String {
    let id = response.headers().get(X_REQUEST_ID).and_then(|id| id.to_str().ok());
    id.unwrap_or_default().to_owned()
}

/// The stop signal: a flag that is cheap to read, and a notification that wakes idle connections.
#[derive(Debug, Default)]
pub(super) struct Stopping {
    /// Every answer closes its connection.
    pub(super) draining: AtomicBool,
    begun: AtomicBool,
    notify: Notify,
}

impl Stopping {
    pub(super) fn begin(&self) {
        self.draining.store(true, Ordering::SeqCst);
        self.begun.store(true, Ordering::SeqCst);
        self.notify.notify_waiters();
    }

    fn has_begun(&self) -> bool {
        self.begun.load(Ordering::SeqCst)
    }

    pub(super) async fn begins(&self) {
        let notified = self.notify.notified();
        if !self.has_begun() {
            notified.await;
        }
    }
}

/// Decrements a gauge when dropped.
pub(super) struct GaugeGuard<G: Borrow<Gauge>>(pub(super) G);

impl<G: Borrow<Gauge>> Drop for GaugeGuard<G> {
    fn drop(&mut self) {
        self.0.borrow().dec();
    }
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
pub(super) async fn serve<S: HttpService>(
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

/// Answers the first request of a connection over the limit with an error.
pub(super) async fn reject(stream: TcpStream, observer: &Observer) {
    let service = service_fn(|request: Request<Incoming>| {
        let response = response::error(&ApiError::Overloaded, &RequestId::of(request.headers()));
        observer.connection_refused(&response);
        ready(Ok::<_, Infallible>(response))
    });
    let connection = builder().keep_alive(false).serve_connection(TokioIo::new(stream), service);
    let _ = timeout(REJECT_TIMEOUT, connection).await;
}
