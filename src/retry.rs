//! When something that failed is tried again: after a wait that doubles with each attempt, until it is too old.

use std::time::Duration;

use tokio::task::JoinError;

use crate::domain::clock::UnixMillis;

/// How a queue tries again.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Retry {
    /// The wait after the first failure.
    pub first: Duration,
    /// The longest wait.
    pub longest: Duration,
    /// The age at which an entry of the queue is abandoned.
    pub max_age: Duration,
}

impl Retry {
    /// When to try again what has failed `attempts` times, the last time now.
    pub(crate) fn at(&self, now: UnixMillis, attempts: u32) -> UnixMillis {
        now.after(self.wait(attempts))
    }

    /// As [`Retry::at`], for what was queued at a moment; none when it is to be abandoned.
    pub(crate) fn next_attempt(
        &self,
        queued_at: UnixMillis,
        now: UnixMillis,
        attempts: u32,
    ) -> Option<UnixMillis> {
        Some(self.at(now, attempts)).filter(|next| *next <= queued_at.after(self.max_age))
    }

    /// The wait has jitter, so that what failed together does not come back together.
    fn wait(&self, attempts: u32) -> Duration {
        doubled(self.first, self.longest, attempts).mul_f64(rand::random_range(0.8..1.2))
    }
}

/// How long to wait after so many failures in a row: `first` after one, twice as long after each further one, up to
/// `longest`.
pub(crate) fn doubled(first: Duration, longest: Duration, failures: u32) -> Duration {
    let factor = 1u32.checked_shl(failures.saturating_sub(1)).unwrap_or(u32::MAX);
    first.saturating_mul(factor).min(longest)
}

/// Logs that sending something from a queue panicked. It is reserved only for a while, so it is tried again.
pub(crate) fn log_panic(what: &str, ended: Result<(), JoinError>) {
    if let Err(error) = ended {
        tracing::error!(%error, "sending a {what} panicked; it will be tried again");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_longest() {
        const HOUR: Duration = Duration::from_hours(1);
        let retry = Retry { first: Duration::from_secs(10), longest: HOUR, max_age: HOUR };
        for (attempts, seconds) in [
            (0, 10.0),
            (1, 10.0),
            (2, 20.0),
            (3, 40.0),
            (9, 2_560.0),
            (10, 3_600.0),
            (40, 3_600.0),
            (u32::MAX, 3_600.0),
        ] {
            for _ in 0..100 {
                let waited = retry.wait(attempts).as_secs_f64();
                assert!((seconds * 0.8..=seconds * 1.2).contains(&waited), "{attempts}: {waited}");
            }
        }
        let (queued_at, age) = (UnixMillis(5), UnixMillis(5).after(HOUR));
        assert!(retry.next_attempt(queued_at, queued_at, 1).is_some());
        assert_eq!(retry.next_attempt(queued_at, age, 1), None);
    }
}
