//! The open connections of all workers, so that one that is idle can make room for another.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::connection_timer::{Bounds, ConnectionTimer};

/// A connection that has been idle for less is in use: its next request is perhaps on the way, or the client still
/// reads the answer.
const IDLE_AT_LEAST: Duration = Duration::from_secs(1);

/// How many connections are looked at for one to close: few, because a flood of new ones looks each time.
const LOOKED_AT: usize = 64;

/// All open connections, by a number that grows.
#[derive(Debug, Default)]
pub(super) struct OpenConnections(Mutex<Numbered>);

#[derive(Debug, Default)]
struct Numbered {
    next: u64,
    /// Where to look next.
    look_from: u64,
    open: BTreeMap<u64, Arc<OpenConnection>>,
}

/// An open connection.
#[derive(Debug)]
pub(super) struct OpenConnection {
    pub(super) timer: ConnectionTimer,
    makes_room: AtomicBool,
    /// Wakes it when it has to make room.
    pub(super) wake: Notify,
}

impl OpenConnection {
    /// Whether it has to make room for another.
    pub(super) fn makes_room(&self) -> bool {
        self.makes_room.load(Ordering::Relaxed)
    }
}

/// Keeps a connection among the open ones until it is dropped.
#[derive(Debug)]
pub(super) struct Opened<'a> {
    all: &'a OpenConnections,
    number: u64,
    pub(super) connection: Arc<OpenConnection>,
}

impl OpenConnections {
    /// Adds a connection that was opened now.
    pub(super) fn add(&self, bounds: Bounds) -> Opened<'_> {
        let connection = Arc::new(OpenConnection {
            timer: ConnectionTimer::new(bounds),
            makes_room: AtomicBool::new(false),
            wake: Notify::new(),
        });
        let mut all = self.0.lock();
        let number = all.next;
        all.next += 1;
        all.open.insert(number, connection.clone());
        Opened { all: self, number, connection }
    }

    /// Closes the connection that has been idle longest, of some that it looks at; false when none of them is idle.
    pub(super) fn close_an_idle_one(&self) -> bool {
        let mut all = self.0.lock();
        let from = all.look_from;
        let later = all.open.range(from..);
        let looked_at: Vec<_> = later.chain(all.open.range(..from)).take(LOOKED_AT).collect();
        let next = looked_at.last().map_or(0, |(number, _)| **number + 1);
        let idle = looked_at.iter().filter(|(_, connection)| !connection.makes_room());
        let idle = idle.filter_map(|(_, connection)| Some((connection.timer.idle_since()?, *connection)));
        let longest = idle.min_by_key(|(since, _)| *since);
        let longest = longest.filter(|(since, _)| *since + IDLE_AT_LEAST <= Instant::now());
        let closed = longest.map(|(_, connection)| {
            connection.makes_room.store(true, Ordering::Relaxed);
            connection.wake.notify_waiters();
        });
        let is_closed = closed.is_some();
        all.look_from = next;
        is_closed
    }
}

impl Drop for Opened<'_> {
    fn drop(&mut self) {
        self.all.0.lock().open.remove(&self.number);
    }
}
