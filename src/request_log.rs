//! The log of requests: which are logged, and what a line says of them. A line holds the request id that the client
//! got, and nothing that the client sent but valid request ids: no query, key, address or tax number.
//!
//! A connection answers one request at a time, so what becomes known of it on the way is noted beside the connection's
//! task, and read when the answer is complete, or was given up.

use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use crate::config::LogRequests;
use crate::domain::clock::Clock;
use crate::log_lines::LogLines;
use crate::metrics::Refusals;
use crate::quota::keys::Caller;

/// A request that takes longer is logged.
const SLOW: Duration = Duration::from_millis(250);

tokio::task_local! {
    static NOTES: Notes;
}

/// What is known of the request that a connection is answering.
#[derive(Default)]
struct Notes {
    route: Cell<Option<Route>>,
    action: Cell<Option<&'static str>>,
    caller: Cell<Option<Arc<Caller>>>,
    results: Cell<Option<usize>>,
    snapshot: Cell<Option<u64>>,
    error: Cell<Option<&'static str>>,
}

/// A path as it is routed: `/place/{id}`.
pub(crate) type Route = std::borrow::Cow<'static, str>;

/// Runs what serves a connection, so that its requests can be noted.
pub(crate) async fn noted<T>(serving: impl Future<Output = T>) -> T {
    NOTES.scope(Notes::default(), serving).await
}

/// Outside of a connection, as in tests, nothing is noted.
fn note(what: impl FnOnce(&Notes)) {
    let _ = NOTES.try_with(what);
}

/// Notes the route of the request.
pub(crate) fn routed(route: impl Into<Route>) {
    note(|notes| notes.route.set(Some(route.into())));
}

/// Notes the action of the request.
pub(crate) fn ran(action: &'static str) {
    note(|notes| notes.action.set(Some(action)));
}

/// Notes whose request it is.
pub(crate) fn sent_by(caller: Arc<Caller>) {
    note(|notes| notes.caller.set(Some(caller)));
}

/// Notes how many records the answer lists.
pub(crate) fn found(results: usize) {
    note(|notes| notes.results.set(Some(results)));
}

/// Notes the serial number of the snapshot that answers.
pub(crate) fn answered_from(snapshot: u64) {
    note(|notes| notes.snapshot.set(Some(snapshot)));
}

/// Notes the code of the error that the client gets.
pub(crate) fn refused(code: &'static str) {
    note(|notes| notes.error.set(Some(code)));
}

/// Writes the lines, and counts the errors. Clones share both.
#[derive(Clone)]
pub struct RequestLog {
    which: LogRequests,
    lines: LogLines,
    clock: Clock,
    refusals: Refusals,
}

/// A line.
#[derive(Serialize)]
struct Line<'a> {
    timestamp: String,
    target: &'static str,
    request_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    account: Option<&'a str>,
    route: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<&'static str>,
    status: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'static str>,
    ms: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    results: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    snapshot: Option<u64>,
}

impl RequestLog {
    /// A log of these requests.
    pub fn new(which: LogRequests, lines: LogLines, clock: Clock, refusals: Refusals) -> RequestLog {
        RequestLog { which, lines, clock, refusals }
    }

    /// A connection was refused at a limit. A refusal is counted and has no line, as whoever opens connections would
    /// write the log, unless all requests are to have one.
    pub fn connection_refused(&self, request_id: impl FnOnce() -> String, status: u16) {
        match self.which {
            LogRequests::All => self.answered(request_id, status, Duration::ZERO),
            LogRequests::Off | LogRequests::Errors => {
                self.count(&NOTES.try_with(Notes::take).unwrap_or_default())
            }
        }
    }

    fn count(&self, notes: &Notes) {
        if let Some(code) = notes.error.get() {
            self.refusals.count(code);
        }
    }

    /// A request has its answer. Forgets what was noted of it, so that the next one begins with nothing.
    pub fn answered(&self, request_id: impl FnOnce() -> String, status: u16, took: Duration) {
        let notes = NOTES.try_with(Notes::take).unwrap_or_default();
        self.count(&notes);
        let is_logged = match self.which {
            LogRequests::Off => false,
            LogRequests::Errors => status >= 500 || took > SLOW,
            LogRequests::All => true,
        };
        if !is_logged {
            return;
        }
        let (route, caller, request_id) = (notes.route.take(), notes.caller.take(), request_id());
        let line = Line {
            timestamp: self.clock.now().to_rfc3339_millis(),
            target: "candango::requests",
            request_id: &request_id,
            account: caller.as_ref().map(|caller| caller.account.id.as_str()),
            route: route.as_deref().unwrap_or("none"),
            action: notes.action.get(),
            status,
            error: notes.error.get(),
            // to the microsecond
            ms: (took.as_secs_f64() * 1e6).round() / 1e3,
            results: notes.results.get(),
            snapshot: notes.snapshot.get(),
        };
        // a line has string keys and is written to memory, so that this does not fail
        if let Ok(mut line) = serde_json::to_vec(&line) {
            line.push(b'\n');
            self.lines.write(line);
        }
    }
}

impl Notes {
    fn take(&self) -> Notes {
        Notes {
            route: Cell::new(self.route.take()),
            action: Cell::new(self.action.take()),
            caller: Cell::new(self.caller.take()),
            results: Cell::new(self.results.take()),
            snapshot: Cell::new(self.snapshot.take()),
            error: Cell::new(self.error.take()),
        }
    }
}
