//! What is mostly there at once, and must sometimes be waited for: a call that is at hand or must be asked of the store.
//! Whoever goes on from it goes on at once, on the stack, when it is there; only a wait is put in a box. An `async fn`
//! would carry room for every wait that there may be through every request. Uses no other room.

use std::future::{Ready, ready};
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_util::future::BoxFuture;

/// A value that is there, or will be.
#[must_use = "what was asked for may have been spent already, or never will be"]
pub enum Soon<'a, T> {
    /// It is there.
    Now(Ready<T>),
    /// It must be waited for.
    Later(BoxFuture<'a, T>),
}

impl<'a, T: Send + 'a> Soon<'a, T> {
    /// A value that is there.
    pub fn now(value: T) -> Self {
        Self::Now(ready(value))
    }

    /// A value that must be waited for.
    pub fn later(future: impl Future<Output = T> + Send + 'a) -> Self {
        Self::Later(Box::pin(future))
    }

    /// What is made of the value.
    #[inline]
    pub fn map<U: Send + 'a>(self, make: impl FnOnce(T) -> U + Send + 'a) -> Soon<'a, U> {
        match self {
            Self::Now(value) => Soon::now(make(value.into_inner())),
            Self::Later(future) => Soon::later(async move { make(future.await) }),
        }
    }

    /// What comes of the value, which may have to be waited for too.
    #[inline]
    pub fn then<U: Send + 'a>(self, next: impl FnOnce(T) -> Soon<'a, U> + Send + 'a) -> Soon<'a, U> {
        match self {
            Self::Now(value) => next(value.into_inner()),
            Self::Later(future) => Soon::later(async move { next(future.await).await }),
        }
    }
}

impl<T> Future for Soon<'_, T> {
    type Output = T;

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        match self.get_mut() {
            Self::Now(value) => Pin::new(value).poll(context),
            Self::Later(future) => future.as_mut().poll(context),
        }
    }
}
