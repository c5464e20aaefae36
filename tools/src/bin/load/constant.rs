//! The server to compare with: the same stack, the same headers, and an answer that costs nothing to find.

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
use candango::http::reply;
use candango::http::server::Server;
use candango::metrics::Connections;
use clap::Args;
use hyper::{HeaderMap, Response, StatusCode};

/// What it answers, and where.
#[derive(Args)]
pub(crate) struct Options {
    /// Where it listens
    #[arg(long)]
    listen: SocketAddr,
    /// How long its answer is, in bytes
    #[arg(long)]
    bytes: usize,
}

/// Serves until the standard input ends: with it ends the process that started this one.
pub(crate) fn run(options: &Options) -> Result<()> {
    let one_worker = Override {
        origin: "the comparison".to_owned(),
        setting: "limits.workers".to_owned(),
        value: "1".to_owned(),
    };
    let limits = Config::load(None, [], &[one_worker])?.limits;
    // {"filler":"xxx"}
    let filler = "x".repeat(options.bytes.saturating_sub(13));
    let body = Bytes::from(format!("{{\"filler\":\"{filler}\"}}"));
    let routes: Router = Router::new()
        .route("/v1", post(answer))
        .route("/mcp", post(answer))
        .route("/", get(answer))
        .route("/place/{id}", get(answer))
        .with_state(body);
    let server = Server::start(options.listen, &limits, Connections::default(), move |_| routes.clone())
        .context("the constant server cannot listen")?;
    std::io::stdin().read_to_end(&mut Vec::new())?;
    server.stop();
    Ok(())
}

async fn answer(State(body): State<Bytes>, headers: HeaderMap, _asked: Bytes) -> Response<Body> {
    reply::json(StatusCode::OK, body, &RequestId::of(&headers))
}
