//! Whole requests to `/v1` without HTTP.

use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use anyhow::Result;
use bytes::Bytes;
use candango::asked::Recorder;
use candango::config::{Config, StoreSpec};
use candango::dispatch::{ActionRequest, Credentials, Dispatcher, DispatcherParts};
use candango::domain::clock::Clock;
use candango::domain::error::ApiError;
use candango::domain::plan::Plan;
use candango::metrics::Metrics;
use candango::quota::gate::Gate;
use candango::quota::issue;
use candango::quota::leases::Quota;
use candango::render::{Buffer, JsonBody};
use candango::serving::{Serving, ServingSnapshot};
use candango::store;
use tokio::runtime::Handle;

/// A dispatcher with the snapshot in service, another gate to measure alone, and a key without limits.
pub(crate) async fn open(
    folder: &Path,
    spec: &StoreSpec,
    served: ServingSnapshot,
) -> Result<(Dispatcher, Gate, String)> {
    let (clock, background) = (Clock::machine(), Handle::current());
    let store = store::open::store(spec, folder, Duration::from_secs(15))?;
    let empty = folder.join("candango.toml");
    std::fs::write(&empty, "")?;
    let mut config = Config::load(Some(&empty), [], &[])?;
    config.plans.business.per_minute = u32::MAX;
    config.plans.business.per_month = u32::MAX;
    let live = Serving::default();
    live.replace(served);
    let metrics = Metrics::new();
    let dispatcher = Dispatcher::new(DispatcherParts {
        config: &config,
        serving: live,
        clock: clock.clone(),
        store: store.clone(),
        background: background.clone(),
        metrics: &metrics,
        asked: Recorder::none(),
    });
    store.register(dispatcher.listener()).await?;
    let issued = issue::issue(&*store, &clock, "bench@example.com".parse()?, Some(Plan::Business)).await?;
    let quota = Quota::new(store, clock, background, metrics.leases.clone());
    let gate = Gate::new(&config, Arc::new(quota));
    Ok((dispatcher, gate, issued.key.reveal().to_owned()))
}

/// Sends one request.
pub(crate) async fn send(dispatcher: &Dispatcher, key: &str, body: &str) -> Result<Buffer, ApiError> {
    let body = Bytes::copy_from_slice(body.as_bytes());
    let ask = ActionRequest::v1(Credentials::Key(Ok(Some(key.as_bytes()))), Ok(body));
    dispatcher.answer(ask, |body: JsonBody<'_>| body.into_json()).await.result
}

/// The value of a future that is ready at once.
pub(crate) fn ready<T>(future: impl Future<Output = T>) -> Option<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}
