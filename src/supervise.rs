//! Supervised background tasks. A panic is logged and counted and the task starts again after a wait; `/readyz`
//! reports a task that keeps panicking or that has ended.

use std::any::Any;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Interval, MissedTickBehavior, interval};

use crate::metrics::TaskMetrics;
use crate::retry::doubled;

/// After so many panics in a row the service is not ready: one may be bad luck, three are a defect.
const MAX_PANICS_IN_A_ROW: u32 = 3;

/// Waits between a panic and the next start.
#[derive(Debug, Clone, Copy)]
struct Backoff {
    /// After the first panic; each further one in a row doubles it.
    first: Duration,
    longest: Duration,
    /// A task that has run for this long is healthy again. Longer than `longest`, so that a task which waits for its
    /// next start never counts as healthy.
    healthy_after: Duration,
}

impl Default for Backoff {
    fn default() -> Self {
        Backoff {
            first: Duration::from_millis(100),
            longest: Duration::from_secs(30),
            healthy_after: Duration::from_secs(60),
        }
    }
}

impl Backoff {
    fn wait(self, panics_in_a_row: u32) -> Duration {
        doubled(self.first, self.longest, panics_in_a_row)
    }
}

/// Runs the background tasks of the service. Clones share them.
#[derive(Debug, Clone)]
pub struct Supervisor {
    runtime: Handle,
    metrics: TaskMetrics,
    backoff: Backoff,
    /// A panic while the lock is held cannot leave a task half changed: each change is one assignment.
    tasks: Arc<Mutex<Vec<Task>>>,
    closing: watch::Sender<bool>,
}

/// The state of one task.
#[derive(Debug)]
struct Task {
    name: &'static str,
    panics_in_a_row: u32,
    last_panic: Option<(Instant, String)>,
    /// Whether its end is no failure.
    may_end: bool,
    ended: bool,
}

impl Task {
    fn new(name: &'static str) -> Task {
        Task { name, panics_in_a_row: 0, last_panic: None, may_end: false, ended: false }
    }
}

impl Supervisor {
    /// A supervisor without tasks.
    pub fn new(runtime: Handle, metrics: TaskMetrics) -> Supervisor {
        Supervisor {
            runtime,
            metrics,
            backoff: Backoff::default(),
            tasks: Arc::default(),
            closing: watch::Sender::new(false),
        }
    }

    /// Runs what `start` returns, and calls `start` again after a panic. The handle ends when the task returns, or when
    /// it panics after [`Supervisor::close`].
    pub fn spawn<F>(&self, name: &'static str, start: impl FnMut() -> F + Send + 'static) -> JoinHandle<()>
    where
        F: Future<Output = ()> + Send + 'static,
    {
        self.run(Task::new(name), start)
    }

    /// As [`Supervisor::spawn`], of a task that returns once it has done what it is for.
    pub fn spawn_until_done<F>(
        &self,
        name: &'static str,
        start: impl FnMut() -> F + Send + 'static,
    ) -> JoinHandle<()>
    where
        F: Future<Output = ()> + Send + 'static,
    {
        self.run(Task { may_end: true, ..Task::new(name) }, start)
    }

    fn run<F>(&self, task: Task, mut start: impl FnMut() -> F + Send + 'static) -> JoinHandle<()>
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let name = task.name;
        let index = {
            let mut tasks = self.tasks.lock();
            tasks.push(task);
            tasks.len() - 1
        };
        let this = self.clone();
        let panics = self.metrics.panics(name);
        self.runtime.spawn(async move {
            let mut closing = this.closing.subscribe();
            loop {
                let started = Instant::now();
                let error = match tokio::spawn(start()).await {
                    Ok(()) => return this.ended(index),
                    Err(error) if error.is_panic() => error,
                    // the runtime shuts down
                    Err(_) => return,
                };
                panics.inc();
                let wait = this.panicked(index, started, &message(&*error.into_panic()));
                let closed = closing.wait_for(|closing| *closing);
                if tokio::time::timeout(wait, closed).await.is_ok() {
                    return;
                }
            }
        })
    }

    /// From now on tasks are expected to end and are not started again.
    pub fn close(&self) {
        self.closing.send_replace(true);
    }

    /// Why the service is not ready: a sentence for each task that has ended or keeps panicking.
    pub fn failures(&self) -> Vec<String> {
        let healthy_after = self.backoff.healthy_after;
        let failure = |task: &Task| {
            if task.ended {
                return Some(format!("the {} has ended", task.name));
            }
            let (at, message) = task.last_panic.as_ref()?;
            (task.panics_in_a_row >= MAX_PANICS_IN_A_ROW && at.elapsed() < healthy_after)
                .then(|| format!("the {} keeps panicking: {message}", task.name))
        };
        self.tasks.lock().iter().filter_map(failure).collect()
    }

    fn ended(&self, index: usize) {
        if *self.closing.borrow() {
            return;
        }
        let task = &mut self.tasks.lock()[index];
        // what it did before it was done says nothing of it any more
        task.last_panic = None;
        if task.may_end {
            return;
        }
        task.ended = true;
        tracing::error!(task = task.name, "a background task has ended although the service goes on");
    }

    /// Records a panic; returns how long to wait before the next start.
    fn panicked(&self, index: usize, started: Instant, message: &str) -> Duration {
        let task = &mut self.tasks.lock()[index];
        let was_healthy = started.elapsed() >= self.backoff.healthy_after;
        task.panics_in_a_row = if was_healthy { 1 } else { task.panics_in_a_row.saturating_add(1) };
        task.last_panic = Some((Instant::now(), message.to_owned()));
        let wait = self.backoff.wait(task.panics_in_a_row);
        tracing::error!(
            task = task.name,
            panic = message,
            ?wait,
            "a background task panicked and starts again"
        );
        wait
    }
}

/// The rounds of a task, of which the first is due at once. After a round that took too long the next ones keep their
/// distance: they do not follow each other to make up for those that were missed.
pub fn ticks(every: Duration) -> Interval {
    let mut ticks = interval(every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}

/// The text of a panic: `panic!` carries a `&str` or a `String`.
fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::Metrics;
    use std::sync::atomic::{AtomicU32, Ordering};
    use tokio::sync::Notify;

    fn supervisor() -> (Supervisor, Metrics) {
        let metrics = Metrics::new();
        let mut supervisor = Supervisor::new(Handle::current(), metrics.tasks.clone());
        supervisor.backoff = Backoff {
            first: Duration::from_millis(1),
            longest: Duration::from_millis(2),
            healthy_after: Duration::from_secs(60),
        };
        (supervisor, metrics)
    }

    async fn eventually(what: &str, condition: impl Fn() -> bool) {
        let started = Instant::now();
        while !condition() {
            assert!(started.elapsed() < Duration::from_secs(10), "{what}");
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    #[tokio::test]
    async fn a_task_that_panics_is_counted_and_started_again() {
        let (supervisor, metrics) = supervisor();
        let (starts, done) = (Arc::new(AtomicU32::new(0)), Arc::new(Notify::new()));
        let (counted, end) = (starts.clone(), done.clone());
        let task = supervisor.spawn("worker", move || {
            let (start, end) = (counted.fetch_add(1, Ordering::Relaxed), end.clone());
            async move {
                assert!(start > 0, "the first start fails");
                end.notified().await;
            }
        });
        eventually("it starts again", || starts.load(Ordering::Relaxed) == 2).await;
        assert_eq!(supervisor.failures(), [""; 0], "one panic does not make the service unready");
        assert_eq!(metrics.tasks.panics("worker").get(), 1);
        assert!(
            metrics.open_metrics().expect("text").contains("candango_task_panics_total{task=\"worker\"} 1")
        );
        supervisor.close();
        done.notify_one();
        task.await.expect("the supervisor does not panic");
        assert_eq!(supervisor.failures(), [""; 0], "an expected end is no failure");
    }

    #[tokio::test]
    async fn a_task_that_keeps_panicking_is_a_failure_with_its_reason() {
        let (supervisor, _) = supervisor();
        let task = supervisor.spawn("worker", || async { panic!("broken {}", 7) });
        eventually("it is reported", || supervisor.failures() == ["the worker keeps panicking: broken 7"])
            .await;
        supervisor.close();
        task.await.expect("it is not started again once the service stops");
    }

    #[tokio::test]
    async fn a_task_that_ends_too_early_is_a_failure() {
        let (supervisor, _) = supervisor();
        supervisor.spawn("worker", || async {}).await.expect("it ends");
        assert_eq!(supervisor.failures(), ["the worker has ended"]);
    }

    #[tokio::test]
    async fn a_task_that_is_done_is_no_failure() {
        let (supervisor, metrics) = supervisor();
        let mut starts = 0;
        let task = supervisor.spawn_until_done("registration", move || {
            starts += 1;
            async move { assert!(starts > MAX_PANICS_IN_A_ROW, "it is not done yet") }
        });
        task.await.expect("it ends");
        assert_eq!(metrics.tasks.panics("registration").get(), u64::from(MAX_PANICS_IN_A_ROW));
        assert_eq!(supervisor.failures(), [""; 0]);
    }

    #[test]
    fn waits_double_up_to_a_bound() {
        let backoff = Backoff::default();
        assert_eq!(backoff.wait(1), Duration::from_millis(100));
        assert_eq!(backoff.wait(3), Duration::from_millis(400));
        for many in [20, 40, u32::MAX] {
            assert_eq!(backoff.wait(many), backoff.longest);
        }
    }
}
