//! Work that takes a processor for long, on blocking threads: only some of it is done at once, also when the requests
//! that asked for it have gone, and what many requests ask for is made once.

use std::io;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared};
use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::spawn_blocking;

use crate::domain::error::ApiError;
use crate::own_thread::{self, NotDone};

/// How much work is done at once, and how many requests wait for it.
pub(super) struct WorkLimit {
    waiting: Semaphore,
    turns: Arc<Semaphore>,
}

impl WorkLimit {
    pub(super) fn new(at_once: usize, waiting: usize) -> WorkLimit {
        WorkLimit { waiting: Semaphore::new(waiting), turns: Arc::new(Semaphore::new(at_once)) }
    }

    /// The turn of a request to have something done; one more than may wait is refused.
    pub(super) async fn turn(&self) -> Result<Turn, ApiError> {
        let _waits = self.waiting.try_acquire().map_err(|_| ApiError::Overloaded)?;
        Turn::next(self.turns.clone()).await
    }
}

/// The right to have something done.
pub(super) struct Turn {
    _permit: OwnedSemaphorePermit,
}

impl Turn {
    async fn next(turns: Arc<Semaphore>) -> Result<Turn, ApiError> {
        let _permit = turns.acquire_owned().await.map_err(|_| ApiError::Internal)?;
        Ok(Turn { _permit })
    }

    /// Does some work and returns the turn for more. The turn goes with the work: a request that goes away does not let
    /// other work begin before this ends.
    pub(super) async fn work<T: Send + 'static>(
        self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<(T, Turn), ApiError> {
        spawn_blocking(move || (work(), self)).await.map_err(|_| ApiError::Internal)
    }

    /// The same on a thread of its own that gives way to those that answer requests, which ends the turn.
    pub(super) async fn work_apart<T: Send + 'static>(
        self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, ApiError> {
        let made = own_thread::run("apart", true, move || {
            let made = work();
            drop(self);
            made
        });
        made.await.map_err(|failed| match failed {
            NotDone::NoThread(_) => ApiError::Overloaded,
            NotDone::Panicked => ApiError::Internal,
        })
    }
}

type Outcome<T> = Shared<BoxFuture<'static, Result<T, ApiError>>>;

/// What is made once for all requests that ask for it.
pub(super) struct SharedWork<T: Clone>(Mutex<Option<Outcome<T>>>);

impl<T: Clone + Send + Sync + 'static> SharedWork<T> {
    pub(super) fn new() -> SharedWork<T> {
        SharedWork(Mutex::new(None))
    }

    /// What was made, if a request got it before.
    pub(super) fn made(&self) -> Option<T> {
        self.0.lock().as_ref()?.peek()?.clone().ok()
    }

    /// What `work` makes, once it is the turn of the first request that asks. It is finished also when no request
    /// waits: one that takes longer than a request may take is there for a later request. What failed is tried again.
    pub(super) async fn get(
        &self,
        limit: &WorkLimit,
        work: impl FnOnce() -> io::Result<T> + Send + 'static,
    ) -> Result<T, ApiError> {
        let _waits = limit.waiting.try_acquire().map_err(|_| ApiError::Overloaded)?;
        let outcome = self.begun(&limit.turns, work);
        outcome.await
    }

    fn begun(
        &self,
        turns: &Arc<Semaphore>,
        work: impl FnOnce() -> io::Result<T> + Send + 'static,
    ) -> Outcome<T> {
        let mut kept = self.0.lock();
        let begun = kept.as_ref().filter(|begun| !matches!(begun.peek(), Some(Err(_))));
        if let Some(begun) = begun {
            return begun.clone();
        }
        let turn = Turn::next(turns.clone());
        let task = tokio::spawn(async move {
            let (made, _) = turn.await?.work(work).await?;
            // it is made in memory, which does not fail
            made.map_err(|_| ApiError::Internal)
        });
        let outcome = task.map(|done| done.unwrap_or(Err(ApiError::Internal))).boxed().shared();
        kept.insert(outcome).clone()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[tokio::test]
    async fn what_a_request_began_is_made_for_the_next_one_though_it_has_gone() {
        let (limit, shared) = (WorkLimit::new(1, 8), SharedWork::new());
        let (go_on, goes_on) = mpsc::channel::<()>();
        let first = shared.get(&limit, move || {
            let _ = goes_on.recv();
            Ok("of the first")
        });
        assert_eq!((first.now_or_never(), shared.made()), (None, None));
        go_on.send(()).expect("the work goes on");
        assert_eq!(shared.get(&limit, || Ok("of the second")).await, Ok("of the first"));
        assert_eq!(shared.made(), Some("of the first"));
    }

    #[tokio::test]
    async fn work_of_requests_that_have_gone_counts_until_it_ends() {
        let limit = WorkLimit::new(1, 8);
        let (go_on, goes_on) = mpsc::channel::<()>();
        let turn = limit.turn().await.expect("a turn");
        let gone = turn.work(move || goes_on.recv());
        assert!(gone.now_or_never().is_none());
        assert!(limit.turn().now_or_never().is_none(), "the other still works");
        go_on.send(()).expect("the work goes on");
        assert!(limit.turn().await.is_ok());
    }

    #[tokio::test]
    async fn a_request_more_than_may_wait_is_refused() {
        let (limit, shared) = (WorkLimit::new(1, 1), SharedWork::new());
        let turn = limit.turn().await.expect("a turn");
        let mut waits = Box::pin(shared.get(&limit, || Ok(1)));
        assert!((&mut waits).now_or_never().is_none());
        assert_eq!(shared.get(&limit, || Ok(2)).await, Err(ApiError::Overloaded));
        assert_eq!(limit.turn().await.err(), Some(ApiError::Overloaded));
        drop(turn);
        assert_eq!(waits.await, Ok(1));
    }

    #[tokio::test]
    async fn what_failed_is_tried_again() {
        let (limit, shared) = (WorkLimit::new(1, 8), SharedWork::new());
        let fails = || -> io::Result<u8> { panic!("a fault") };
        assert_eq!(shared.get(&limit, fails).await, Err(ApiError::Internal));
        assert_eq!(shared.get(&limit, || Ok(1)).await, Ok(1));
    }
}
