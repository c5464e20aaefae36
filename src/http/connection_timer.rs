//! The time that a connection may take for each thing it does: one timer, seldom moved, in place of one for every
//! request.

use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::{Instant, Sleep};

use crate::config::Limits;

/// How long the service, when it stops, waits for a connection that has sent nothing yet.
const FRESH_GRACE: Duration = Duration::from_secs(1);

/// The limits as durations.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub(super) connections: usize,
    pub(super) head: Duration,
    pub(super) answer: Duration,
    pub(super) idle: Duration,
    pub(super) drain: Duration,
}

impl From<&Limits> for Bounds {
    fn from(limits: &Limits) -> Bounds {
        // At most a year, so that adding it to the present does not overflow.
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

/// Wakes a connection at its deadline. A later deadline moves it only when it goes off, not at each request.
pub(super) struct DeadlineTimer<'a> {
    sleep: Pin<&'a mut Sleep>,
    set_for: Instant,
}

impl<'a> DeadlineTimer<'a> {
    /// A timer that `sleep` sets for a deadline.
    pub(super) fn new(sleep: Pin<&'a mut Sleep>, deadline: Instant) -> DeadlineTimer<'a> {
        DeadlineTimer { sleep, set_for: deadline }
    }

    /// Ready once the deadline is past.
    pub(super) fn poll(&mut self, deadline: Instant, context: &mut Context<'_>) -> Poll<()> {
        if deadline < self.set_for {
            self.set(deadline);
        }
        while self.sleep.as_mut().poll(context).is_ready() {
            if deadline <= Instant::now() {
                return Poll::Ready(());
            }
            self.set(deadline);
        }
        Poll::Pending
    }

    fn set(&mut self, deadline: Instant) {
        self.sleep.as_mut().reset(deadline);
        self.set_for = deadline;
    }
}

/// The state of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// Nothing has arrived yet.
    Fresh,
    /// A request head is arriving.
    Head,
    /// A request is in progress.
    Serving,
    /// The last request was answered, or its answer is being written, and the next has not begun.
    Idle,
}

/// The state of a connection and when it began, in one atomic. One [`DeadlineTimer`], which is seldom moved, reads it,
/// instead of a timer for every request.
#[derive(Debug)]
pub(super) struct ConnectionTimer {
    opened: Instant,
    bounds: Bounds,
    /// Milliseconds from `opened` to the beginning of the phase, and the phase in the lowest two bits. `Serving` keeps
    /// the beginning of `Head`, which spares a reading of the clock.
    state: AtomicU64,
}

impl ConnectionTimer {
    pub(super) fn new(bounds: Bounds) -> ConnectionTimer {
        ConnectionTimer { opened: Instant::now(), bounds, state: AtomicU64::new(Phase::Fresh as u64) }
    }

    fn phase(state: u64) -> Phase {
        match state & 3 {
            0 => Phase::Fresh,
            1 => Phase::Head,
            2 => Phase::Serving,
            _ => Phase::Idle,
        }
    }

    /// Whether nothing has arrived yet.
    pub(super) fn is_fresh(&self) -> bool {
        ConnectionTimer::phase(self.state.load(Ordering::Relaxed)) == Phase::Fresh
    }

    /// When it became idle, if it is.
    pub(super) fn idle_since(&self) -> Option<Instant> {
        let state = self.state.load(Ordering::Relaxed);
        let is_idle = ConnectionTimer::phase(state) == Phase::Idle;
        is_idle.then(|| self.opened + Duration::from_millis(state >> 2))
    }

    /// Begins a phase now.
    pub(super) fn begin(&self, phase: Phase) {
        let millis = u64::try_from(self.opened.elapsed().as_millis()).unwrap_or(u64::MAX >> 2);
        self.state.store(millis << 2 | phase as u64, Ordering::Relaxed);
    }

    /// A request head is complete.
    pub(super) fn request_started(&self) {
        let state = self.state.load(Ordering::Relaxed);
        match ConnectionTimer::phase(state) {
            // The head arrived together with the request before it.
            Phase::Idle => self.begin(Phase::Serving),
            _ => self.state.store(state & !3 | Phase::Serving as u64, Ordering::Relaxed),
        }
    }

    /// Bytes have arrived.
    pub(super) fn bytes_received(&self) {
        let state = self.state.load(Ordering::Relaxed);
        match ConnectionTimer::phase(state) {
            // The time for the first head runs from the opening of the connection.
            Phase::Fresh => self.state.store(state | Phase::Head as u64, Ordering::Relaxed),
            Phase::Idle => self.begin(Phase::Head),
            Phase::Head | Phase::Serving => {}
        }
    }

    /// The client has taken a part of a response. However slowly it reads, it is not idle.
    pub(super) fn bytes_sent(&self) {
        if ConnectionTimer::phase(self.state.load(Ordering::Relaxed)) == Phase::Idle {
            self.begin(Phase::Idle);
        }
    }

    /// When to close the connection if its phase does not change. `stopped` is when the stop began.
    pub(super) fn deadline(&self, stopped: Option<Instant>) -> Instant {
        let state = self.state.load(Ordering::Relaxed);
        let since = self.opened + Duration::from_millis(state >> 2);
        match (ConnectionTimer::phase(state), stopped) {
            (Phase::Fresh, Some(stopped)) => stopped + FRESH_GRACE,
            (Phase::Fresh | Phase::Head, _) => since + self.bounds.head,
            // the server bounds the answer to a request; this bounds one whose time does not run out
            (Phase::Serving, _) => since + self.bounds.head + self.bounds.answer * 2,
            (Phase::Idle, _) => since + self.bounds.idle,
        }
    }
}
