//! The server to compare with: the service's own HTTP server, with an answer that costs nothing to find.

use std::convert::Infallible;
use std::io::Read;
use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::{Context, Result};
use bytes::Bytes;
use candango::config::{Config, Override};
use candango::http::caller::{RequestId, X_REQUEST_ID};
use candango::http::server::{Answerer, Sent, Server};
use candango::metrics::ConnectionMetrics;
use clap::Args;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::header::{HeaderName, HeaderValue};
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

/// Answers every request with the same headers and body, but for the id of the request.
#[derive(Clone)]
struct Constant(Arc<(HeaderMap, Bytes)>);

impl Answerer for Constant {
    async fn answer(&self, request: Request<Incoming>, id: RequestId) -> Response<Sent> {
        // the service reads every body; one that breaks off is of no account here
        let _ = request.into_body().collect().await;
        let (headers, body) = &*self.0;
        let mut response = Response::new(Sent::Left(body.clone().into()));
        *response.headers_mut() = headers.clone();
        response.headers_mut().insert(X_REQUEST_ID, id.header());
        response
    }
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
    let constant = Constant(Arc::new((options.headers.iter().cloned().collect(), body)));
    let server =
        Server::start(options.listen, &limits, ConnectionMetrics::default(), move |_| constant.clone())
            .context("the constant server cannot listen")?;
    std::io::stdin().read_to_end(&mut Vec::new())?;
    server.stop();
    std::process::exit(0)
}
