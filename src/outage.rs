//! Failures that last, such as a depot or mail server that cannot be reached. Their causes are tried again and again,
//! and a line for each attempt would bury the log: an outage is logged when it begins, when its cause changes,
//! every five minutes while it lasts, and when it ends.

use std::fmt::Display;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// How often an outage that lasts is logged.
const REPEAT: Duration = Duration::from_mins(5);

/// Beginnings and changes of the cause that are logged in one [`REPEAT`]. What fails by turns would otherwise be logged
/// without end.
const MAX_BEGINNINGS: u32 = 5;

/// How often the cause is compared with the one that was logged: requests fail by the thousand.
const COMPARE: Duration = Duration::from_secs(1);

/// Follows whether one thing fails, and logs it. Cheap to call while it succeeds.
#[derive(Debug)]
pub(crate) struct Outage {
    /// What fails: "the depot cannot be read".
    what: &'static str,
    is_failing: AtomicBool,
    /// A panic while the lock is held leaves at worst a count that is too low.
    history: Mutex<History>,
}

#[derive(Debug, Default)]
struct History {
    current: Option<Failing>,
    /// When beginnings and changes are counted from, and how many were logged since.
    beginnings: Option<(Instant, u32)>,
}

#[derive(Debug)]
struct Failing {
    since: Instant,
    times: u64,
    /// When it was logged last. `None`: too many others began shortly before.
    logged_at: Option<Instant>,
    /// The cause that was logged last, or that of the beginning.
    cause: String,
    /// When a cause was compared with it last.
    compared_at: Instant,
}

/// What there is to log.
#[derive(Debug, PartialEq, Eq)]
enum Event {
    Begins,
    Changes { times: u64, since: Duration },
    Lasts { times: u64, since: Duration },
    Ended { times: u64, lasted: Duration },
}

impl Outage {
    /// What fails, as a sentence without its end: "the depot cannot be read".
    pub(crate) const fn new(what: &'static str) -> Outage {
        let history = Mutex::new(History { current: None, beginnings: None });
        Outage { what, is_failing: AtomicBool::new(false), history }
    }

    /// It has succeeded or failed.
    pub(crate) fn record<T>(&self, outcome: &Result<T, impl Display>) {
        match outcome {
            Ok(_) => self.succeeded(),
            Err(error) => self.failed(error),
        };
    }

    /// It has succeeded or failed for one of many subjects, which is no part of the cause.
    pub(crate) fn record_of<T>(&self, subject: &impl Display, outcome: &Result<T, impl Display>) {
        match outcome {
            Ok(_) => {
                self.succeeded();
            }
            Err(error) => {
                self.failed_for(&error, &format_args!("{subject}: {error}"));
            }
        }
    }

    /// It has failed, once more perhaps. Returns whether this is the first time since it succeeded.
    pub(crate) fn failed(&self, error: &dyn Display) -> bool {
        self.failed_for(error, error)
    }

    fn failed_for(&self, cause: &dyn Display, error: &dyn Display) -> bool {
        let was_failing = self.is_failing.swap(true, Ordering::Relaxed);
        // requests fail by the thousand, and do not wait for each other here
        let event = self.history.try_lock().and_then(|mut history| history.failed(cause, Instant::now()));
        match event {
            Some(Event::Begins) => tracing::error!(%error, "{}", self.what),
            Some(Event::Changes { times, since }) => {
                tracing::error!(%error, times, for_s = since.as_secs(), "{}, now for another reason", self.what);
            }
            Some(Event::Lasts { times, since }) => {
                tracing::error!(%error, times, for_s = since.as_secs(), "{}, still", self.what);
            }
            Some(Event::Ended { .. }) | None => {}
        }
        !was_failing
    }

    /// It has succeeded. Returns whether it had failed before.
    pub(crate) fn succeeded(&self) -> bool {
        // nearly always
        if !self.is_failing.load(Ordering::Relaxed) {
            return false;
        }
        self.is_failing.store(false, Ordering::Relaxed);
        if let Some(Event::Ended { times, lasted }) = self.history.lock().succeeded(Instant::now()) {
            tracing::warn!(times, lasted_s = lasted.as_secs(), "no longer: {}", self.what);
        }
        true
    }
}

impl History {
    fn failed(&mut self, cause: &dyn Display, now: Instant) -> Option<Event> {
        let Some(failing) = &mut self.current else {
            let logged_at = self.may_log(now).then_some(now);
            let cause = cause.to_string();
            self.current = Some(Failing { since: now, times: 1, logged_at, cause, compared_at: now });
            return logged_at.map(|_| Event::Begins);
        };
        failing.times = failing.times.saturating_add(1);
        let (times, since) = (failing.times, now - failing.since);
        if now >= failing.logged_at.unwrap_or(failing.since) + REPEAT {
            failing.logged_at = Some(now);
            failing.cause = cause.to_string();
            return Some(Event::Lasts { times, since });
        }
        if failing.logged_at.is_none() || now < failing.compared_at + COMPARE {
            return None;
        }
        failing.compared_at = now;
        let cause = cause.to_string();
        if is_same(&cause, &failing.cause) || !self.may_log(now) {
            return None;
        }
        self.current.as_mut()?.cause = cause;
        Some(Event::Changes { times, since })
    }

    /// Whether one more beginning or change is logged now.
    fn may_log(&mut self, now: Instant) -> bool {
        let (from, count) = match self.beginnings {
            Some((from, count)) if now < from + REPEAT => (from, count),
            _ => (now, 0),
        };
        let may_log = count < MAX_BEGINNINGS;
        self.beginnings = Some((from, count + u32::from(may_log)));
        may_log
    }

    fn succeeded(&mut self, now: Instant) -> Option<Event> {
        let failing = self.current.take().filter(|failing| failing.logged_at.is_some())?;
        Some(Event::Ended { times: failing.times, lasted: now - failing.since })
    }
}

/// Whether two causes differ at most in words with a number: how long it took, how many tries it were.
fn is_same(one: &str, other: &str) -> bool {
    fn words(text: &str) -> impl Iterator<Item = &str> {
        text.split_whitespace().filter(|word| !word.contains(|letter: char| letter.is_ascii_digit()))
    }
    words(one).eq(words(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn an_outage_is_logged_at_its_beginning_every_five_minutes_and_at_its_end() {
        let (mut history, start) = (History::default(), Instant::now());
        assert_eq!(history.succeeded(start), None);
        let events: Vec<(u32, Event)> = (0..1_000)
            .filter_map(|second| Some((second, history.failed(&"refused", start + SECOND * second)?)))
            .collect();
        let lasts = |times: u32| Event::Lasts { times: u64::from(times) + 1, since: SECOND * times };
        assert_eq!(events, [(0, Event::Begins), (300, lasts(300)), (600, lasts(600)), (900, lasts(900))]);
        let end = history.succeeded(start + SECOND * 1_000);
        assert_eq!(end, Some(Event::Ended { times: 1_000, lasted: SECOND * 1_000 }));
        assert_eq!(history.succeeded(start + SECOND * 1_001), None);
    }

    #[test]
    fn what_fails_by_turns_is_not_logged_without_end() {
        let (mut history, start) = (History::default(), Instant::now());
        let mut lines = 0;
        for second in 0..3_000 {
            let now = start + SECOND * second;
            let event =
                if second % 2 == 0 { history.failed(&"refused", now) } else { history.succeeded(now) };
            lines += u32::from(event.is_some());
        }
        assert_eq!(lines, 10 * 2 * MAX_BEGINNINGS, "a beginning and an end each");
    }

    #[test]
    fn an_outage_whose_beginning_was_not_logged_is_logged_when_it_lasts() {
        let (mut history, start) = (History::default(), Instant::now());
        for _ in 0..MAX_BEGINNINGS {
            assert_eq!(history.failed(&"refused", start), Some(Event::Begins));
            assert!(history.succeeded(start).is_some());
        }
        assert_eq!(history.failed(&"refused", start), None);
        assert!(matches!(history.failed(&"refused", start + REPEAT), Some(Event::Lasts { .. })));
        assert!(matches!(history.succeeded(start + REPEAT), Some(Event::Ended { .. })));
    }

    #[test]
    fn another_cause_is_logged_and_many_by_turns_are_not() {
        let (mut history, start) = (History::default(), Instant::now());
        assert_eq!(history.failed(&"refused", start), Some(Event::Begins));
        let changes = |times: u64, seconds: u32| Some(Event::Changes { times, since: SECOND * seconds });
        assert_eq!(history.failed(&"unauthorized", start + SECOND), changes(2, 1));
        assert_eq!(history.failed(&"unauthorized", start + SECOND * 2), None);
        assert!(is_same("GET in 2.03s, after 10 retries", "GET in 416µs, after 9 retries"));
        assert!(!is_same("in 2.03s: refused", "in 2.03s: timed out"));
        let mut lines = 0;
        for second in 3..300 {
            let cause = if second % 2 == 0 { "refused" } else { "unauthorized" };
            lines += u32::from(history.failed(&cause, start + SECOND * second).is_some());
        }
        assert_eq!(lines, MAX_BEGINNINGS - 2);
    }
}
