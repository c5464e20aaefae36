//! The servers to compare with: an answer that costs nothing to find, from the same stack with the same headers, or from
//! axum as it comes.

use std::io::Read;
use std::net::SocketAddr;

use anyhow::{Context, Result};
use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::routing::{get, post};
use bytes::Bytes;
use candango::config::{Config, Override};
use candango::http::caller::RequestId;
use candango::http::response;
use candango::http::server::Server;
use candango::metrics::ConnectionMetrics;
use clap::{Args, ValueEnum};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{HeaderMap, Response, StatusCode};
use tokio::net::TcpListener;

/// What it answers, and where.
#[derive(Args)]
pub(crate) struct Options {
    /// Where it listens
    #[arg(long)]
    listen: SocketAddr,
    /// How long its answer is, in bytes
    #[arg(long)]
    bytes: usize,
    /// Of what it is made
    #[arg(long, value_enum)]
    of: Stack,
}

/// What a constant server is made of.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Stack {
    /// The service's own server and headers
    Ours,
    /// `axum::serve` with a handler, and no more than they do by themselves
    BareAxum,
}

/// Serves until the standard input ends: with it ends the process that started this one.
pub(crate) fn run(options: &Options) -> Result<()> {
    // {"filler":"xxx"}
    let filler = "x".repeat(options.bytes.saturating_sub(13));
    let body = Bytes::from(format!("{{\"filler\":\"{filler}\"}}"));
    match options.of {
        Stack::Ours => ours(options.listen, body),
        Stack::BareAxum => bare_axum(options.listen, body),
    }
}

fn ours(listen: SocketAddr, body: Bytes) -> Result<()> {
    let one_worker = Override {
        origin: "the comparison".to_owned(),
        setting: "limits.workers".to_owned(),
        value: "1".to_owned(),
    };
    let limits = Config::load(None, [], &[one_worker])?.limits;
    let routes: Router = Router::new()
        .route("/v1", post(answer))
        .route("/", get(answer))
        .route("/place/{id}", get(answer))
        .with_state(body);
    let server = Server::start(listen, &limits, ConnectionMetrics::default(), move |_| routes.clone())
        .context("the constant server cannot listen")?;
    std::io::stdin().read_to_end(&mut Vec::new())?;
    server.stop();
    Ok(())
}

async fn answer(State(body): State<Bytes>, headers: HeaderMap, _asked: Bytes) -> Response<Body> {
    response::json(StatusCode::OK, body, &RequestId::of(&headers))
}

fn bare_axum(listen: SocketAddr, body: Bytes) -> Result<()> {
    let json = HeaderValue::from_static("application/json");
    let answer = async move |_asked: Bytes| ([(CONTENT_TYPE, json)], body);
    let routes: Router = Router::new().route("/mcp", post(answer));
    std::thread::spawn(move || {
        // it ends with the process
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        std::process::exit(0);
    });
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
        let listener = TcpListener::bind(listen).await.context("the constant server cannot listen")?;
        Ok(axum::serve(listener, routes).await?)
    })
}
