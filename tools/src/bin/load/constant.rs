//! The server to compare with: the service's own HTTP server, with an answer that costs nothing to find.

use std::convert::Infallible;
use std::io::Read;
use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::{Context, Result};
use axum::body::Body;
use bytes::Bytes;
use candango::config::{Config, Override};
use candango::http::caller::{RequestId, X_REQUEST_ID};
use candango::http::server::{Listen, Server};
use candango::metrics::ConnectionMetrics;
use clap::Args;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::header::{HeaderName, HeaderValue};
use hyper::service::service_fn;
use hyper::{HeaderMap, Request, Response};

#[derive(Args)]
pub(crate) struct Options {
    /// Where to listen
    #[arg(long)]
    listen: SocketAddr,
    /// The length of the body
    #[arg(long)]
    bytes: usize,
    /// A header of every answer, as NAME:VALUE
    #[arg(long = "header", value_parser = header)]
    headers: Vec<(HeaderName, HeaderValue)>,
}

fn header(text: &str) -> Result<(HeaderName, HeaderValue)> {
    let (name, value) = text.split_once(':').context("NAME:VALUE")?;
    Ok((name.parse()?, value.parse()?))
}

/// Answers a request with the same headers and body as every other, but for the id of the request.
async fn answer(
    request: Request<Incoming>,
    constant: Arc<(HeaderMap, Bytes)>,
) -> Result<Response<Body>, Infallible> {
    let (headers, body) = &*constant;
    let id = RequestId::of(request.headers());
    // The service reads every body too; an incomplete one does not matter here.
    let _ = request.into_body().collect().await;
    let mut response = Response::new(Body::from(body.clone()));
    *response.headers_mut() = headers.clone();
    response.headers_mut().insert(X_REQUEST_ID, id.header());
    Ok(response)
}

/// Serves until the standard input ends, which it does with the process that started this one.
pub(crate) fn run(options: &Options) -> Result<Infallible> {
    let one_worker = Override {
        origin: "the comparison".to_owned(),
        setting: "limits.workers".to_owned(),
        value: "1".to_owned(),
    };
    let limits = Config::load(None, [], &[one_worker])?.limits;
    // {"filler":"xxx"}
    let filler = "x".repeat(options.bytes.saturating_sub(13));
    let body = Bytes::from(format!("{{\"filler\":\"{filler}\"}}"));
    let constant = Arc::new((options.headers.iter().cloned().collect(), body));
    let make_service = move |_| {
        let constant = constant.clone();
        service_fn(move |request| answer(request, constant.clone()))
    };
    let server = Server::start(
        Listen::At(options.listen),
        &limits,
        ConnectionMetrics::default(),
        |_| true,
        make_service,
    )
    .context("the constant server cannot listen")?;
    server.accept();
    std::io::stdin().read_to_end(&mut Vec::new())?;
    server.stop();
    std::process::exit(0)
}
