//! The HTTP server over real sockets: every wait is bounded, and stopping loses no request.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::num::{NonZeroU64, NonZeroUsize};
use std::thread;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Bytes;
use axum::routing::{get, post};
use candango::config::Limits;
use candango::http::server::{Listen, Server};
use candango::metrics::Metrics;
use hyper_util::service::TowerToHyperService;
use socket2::{Domain, Socket, Type};

use crate::wire::{answer, ask, connect, eventually, send};

const HOUR: u64 = 3_600_000;

/// The bytes of a large answer: more than the buffers of a connection hold.
const LARGE: usize = 32 << 20;

/// Limits that no test reaches, except the one that it sets.
fn wide() -> Limits {
    let time = NonZeroU64::new(HOUR).expect("an hour");
    Limits {
        body_bytes: NonZeroUsize::new(65_536).expect("a size"),
        body_memory_bytes: NonZeroUsize::new(65_536).expect("a size"),
        connections: NonZeroUsize::new(1_000).expect("a count"),
        connections_per_address: NonZeroUsize::new(1_000).expect("a count"),
        header_timeout_ms: time,
        request_timeout_ms: time,
        idle_timeout_ms: time,
        trust_window_ms: time,
        start_wait_ms: 0,
        lame_duck_ms: 0,
        drain_ms: HOUR,
        workers: 2,
    }
}

fn ms(millis: u64) -> NonZeroU64 {
    NonZeroU64::new(millis).expect("a time")
}

fn start(limits: &Limits) -> (Server, Metrics) {
    let router = Router::new()
        .route("/", get(async || "hello"))
        .route("/echo", post(async |body: Bytes| body))
        .route("/slow", get(slow).post(async |_: Bytes| slow().await))
        .route("/large", get(async || vec![b'x'; LARGE]))
        .route("/fault", get(fault));
    let metrics = Metrics::new();
    let loopback = SocketAddr::from(([127, 0, 0, 1], 0));
    let make_service = move |_| TowerToHyperService::new(router.clone());
    let listen = Listen::At(loopback);
    let server = Server::start(listen, limits, metrics.connections.clone(), |_| false, make_service)
        .expect("a server");
    server.accept();
    (server, metrics)
}

async fn slow() -> &'static str {
    tokio::time::sleep(Duration::from_millis(400)).await;
    "done"
}

async fn fault() -> &'static str {
    panic!("a fault on purpose")
}

/// The time until the server closes the connection.
fn closes(stream: &mut TcpStream) -> Duration {
    let start = Instant::now();
    let mut rest = Vec::new();
    match stream.read_to_end(&mut rest) {
        Ok(_) => assert_eq!(String::from_utf8_lossy(&rest), "", "nothing more is said"),
        Err(error) => assert_eq!(error.kind(), ErrorKind::ConnectionReset),
    }
    start.elapsed()
}

fn between(least: u64, took: Duration, most: u64) {
    assert!(took >= Duration::from_millis(least) && took <= Duration::from_millis(most), "{took:?}");
}

#[test]
fn one_connection_carries_many_requests() {
    let (server, metrics) = start(&wide());
    let mut stream = connect(&server);
    for _ in 0..50 {
        assert!(ask(&mut stream, "/").ends_with("hello"));
    }
    assert_eq!(metrics.connections.accepted.get(), 1);
    assert_eq!(metrics.connections.in_flight.get(), 0);
}

#[test]
fn requests_sent_at_once_are_answered_in_order() {
    let (server, _) = start(&wide());
    let mut stream = connect(&server);
    let mut both = String::new();
    for body in ["first", "second", "third"] {
        both += &format!("POST /echo HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    }
    send(&mut stream, &both);
    for body in ["first", "second", "third"] {
        assert!(answer(&mut stream).ends_with(body));
    }
}

#[test]
fn a_half_closed_connection_is_answered_and_closed() {
    let (server, metrics) = start(&wide());
    // with and without a pause
    for (path, body) in [("/", "hello"), ("/slow", "done")] {
        let mut stream = connect(&server);
        send(&mut stream, &format!("GET {path} HTTP/1.1\r\nhost: x\r\n\r\n"));
        stream.shutdown(Shutdown::Write).expect("half closed");
        assert!(answer(&mut stream).ends_with(body), "{path}");
        between(0, closes(&mut stream), 1_000);
    }
    // a connection that the client closed is released
    let mut stream = connect(&server);
    send(&mut stream, "GET /slow HTTP/1.1\r\nhost: x\r\n\r\n");
    drop(stream);
    eventually("all are gone", || metrics.connections.open.get() == 0);
    assert_eq!(metrics.connections.in_flight.get(), 0);
}

#[test]
fn a_silent_connection_is_closed() {
    let (server, _) = start(&Limits { header_timeout_ms: ms(200), ..wide() });
    between(150, closes(&mut connect(&server)), 2_000);
}

#[test]
fn a_slow_request_head_is_cut_off() {
    let (server, metrics) = start(&Limits { header_timeout_ms: ms(300), ..wide() });
    let mut stream = connect(&server);
    let begun = Instant::now();
    for byte in "GET / HTTP/1.1\r\nx: 0123456789012345678901234567890123456789".bytes() {
        if stream.write_all(&[byte]).is_err() || begun.elapsed() > Duration::from_secs(3) {
            break;
        }
        thread::sleep(Duration::from_millis(40));
    }
    between(300, begun.elapsed(), 2_500);
    eventually("it is closed", || metrics.connections.open.get() == 0);
}

#[test]
fn idle_connections_have_their_own_timeout() {
    let (server, _) = start(&Limits { header_timeout_ms: ms(200), idle_timeout_ms: ms(900), ..wide() });
    let mut stream = connect(&server);
    assert!(ask(&mut stream, "/").ends_with("hello"));
    thread::sleep(Duration::from_millis(500));
    assert!(ask(&mut stream, "/").ends_with("hello"), "longer than a head may take, and still open");
    between(700, closes(&mut stream), 2_500);
}

#[test]
fn a_client_that_reads_slowly_is_not_idle() {
    let (server, _) = start(&Limits { idle_timeout_ms: ms(700), ..wide() });
    let mut stream = connect(&server);
    send(&mut stream, "GET /large HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    let begun = Instant::now();
    let (mut received, mut piece) = (0, vec![0; LARGE / 64]);
    while let Ok(count @ 1..) = stream.read(&mut piece) {
        received += count;
        thread::sleep(Duration::from_millis(30));
    }
    assert!(received > LARGE, "{received} bytes in {:?}", begun.elapsed());
    assert!(begun.elapsed() > Duration::from_millis(1_400), "it was not slow");
}

#[test]
fn every_request_head_has_the_same_timeout() {
    let (server, _) = start(&Limits { header_timeout_ms: ms(200), ..wide() });
    let mut stream = connect(&server);
    assert!(ask(&mut stream, "/").ends_with("hello"));
    send(&mut stream, "GET / HT");
    between(150, closes(&mut stream), 2_000);
}

#[test]
fn a_missing_body_gets_408() {
    let (server, metrics) = start(&Limits { request_timeout_ms: ms(200), ..wide() });
    let mut stream = connect(&server);
    send(
        &mut stream,
        "POST /echo HTTP/1.1\r\nhost: x\r\nx-request-id: mine-1\r\ncontent-length: 9\r\n\r\nhalf",
    );
    let label = answer(&mut stream);
    assert!(label.starts_with("HTTP/1.1 408"), "{label}");
    assert!(
        label.contains("\"code\":\"request_timeout\"") && label.contains("\"request_id\":\"mine-1\""),
        "{label}"
    );
    assert!(label.contains("x-request-id: mine-1") && label.contains("connection: close"), "{label}");
    closes(&mut stream);
    assert_eq!(metrics.connections.in_flight.get(), 0);
}

#[test]
fn a_slow_answer_gets_503_and_a_time_to_come_back() {
    let (server, _) = start(&Limits { request_timeout_ms: ms(100), ..wide() });
    let mut stream = connect(&server);
    for request in [
        "GET /slow HTTP/1.1\r\nhost: x\r\n\r\n",
        "POST /slow HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\n\r\nbody",
        "POST /slow HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n",
    ] {
        send(&mut stream, request);
        let label = answer(&mut stream);
        assert!(label.starts_with("HTTP/1.1 503") && label.contains("retry-after: 1"), "{label}");
        assert!(label.contains("\"code\":\"answer_timeout\""), "{label}");
    }
    assert!(ask(&mut stream, "/").ends_with("hello"), "the connection is still good");
}

#[test]
fn a_panic_gets_500_and_ends_nothing_else() {
    let (server, metrics) = start(&wide());
    let mut stream = connect(&server);
    let label = ask(&mut stream, "/fault");
    assert!(label.starts_with("HTTP/1.1 500") && label.contains("\"code\":\"internal\""), "{label}");
    assert!(ask(&mut stream, "/").ends_with("hello"));
    assert_eq!(metrics.connections.in_flight.get(), 0);
}

#[test]
fn an_oversized_request_head_is_refused() {
    let (server, _) = start(&wide());
    let mut stream = connect(&server);
    send(&mut stream, &format!("GET / HTTP/1.1\r\nhost: x\r\nx: {}", "a".repeat(40 * 1024)));
    assert!(answer(&mut stream).starts_with("HTTP/1.1 431"));
}

#[test]
fn connections_over_the_limit_get_503() {
    let (server, metrics) = start(&Limits { connections: NonZeroUsize::new(2).expect("two"), ..wide() });
    let mut held: Vec<_> = (0..2).map(|_| connect(&server)).collect();
    for stream in &mut held {
        assert!(ask(stream, "/").ends_with("hello"));
    }
    let label = ask(&mut connect(&server), "/");
    assert!(label.starts_with("HTTP/1.1 503") && label.contains("\"code\":\"overloaded\""), "{label}");
    assert!(label.contains("retry-after: 1"), "{label}");
    assert_eq!(metrics.connections.refused.get(), 1);
    assert!(ask(&mut held[0], "/").ends_with("hello"), "those inside are not disturbed");
    drop(held);
    eventually("the places are free", || metrics.connections.open.get() == 0);
    assert!(ask(&mut connect(&server), "/").ends_with("hello"));
}

#[test]
fn a_connection_that_has_long_been_idle_makes_room_for_another() {
    let three = NonZeroUsize::new(3).expect("three");
    let (server, metrics) = start(&Limits { connections: three, ..wide() });
    let (mut idle, mut busy) = ([connect(&server), connect(&server)], connect(&server));
    for stream in &mut idle {
        assert!(ask(stream, "/").ends_with("hello"));
    }
    // else it may be taken after those below
    assert!(ask(&mut busy, "/").ends_with("hello"));
    send(&mut busy, "GET / HTTP/1.1\r\nhost: x\r\n");
    let mut held = Vec::new();
    eventually("there is room", || {
        let mut stream = connect(&server);
        let has_room = ask(&mut stream, "/").ends_with("hello");
        held.extend(has_room.then_some(stream));
        has_room
    });
    // until then a request of the one that has to go is answered
    eventually("only so many are open", || metrics.connections.open.get() <= 3);
    let stay = idle.iter_mut().filter_map(|stream| {
        // one that is closed takes this too, perhaps
        let _ = stream.write_all(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n");
        stream.read(&mut [0]).ok().filter(|read| *read == 1)
    });
    assert_eq!(stay.count(), 1, "only one had to make room");
    send(&mut busy, "\r\n");
    assert!(answer(&mut busy).ends_with("hello"), "a request that is on the way is answered");
}

#[test]
fn connections_of_one_address_over_its_limit_get_503() {
    let two = NonZeroUsize::new(2).expect("two");
    let (server, metrics) = start(&Limits { connections_per_address: two, ..wide() });
    let mut held: Vec<_> = (0..2).map(|_| connect(&server)).collect();
    for stream in &mut held {
        assert!(ask(stream, "/").ends_with("hello"));
    }
    let label = ask(&mut connect(&server), "/");
    assert!(label.starts_with("HTTP/1.1 503") && label.contains("\"code\":\"overloaded\""), "{label}");
    assert!(label.contains("retry-after: 1") && label.contains("connection: close"), "{label}");
    assert_eq!(metrics.connections.refused.get(), 1);
    // another address of this machine
    let other = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
    other.bind(&SocketAddr::from(([127, 0, 0, 2], 0)).into()).expect("an address");
    other.connect(&server.address().into()).expect("a connection");
    assert!(ask(&mut TcpStream::from(other), "/").ends_with("hello"));
    assert!(ask(&mut held[0], "/").ends_with("hello"), "those inside are not disturbed");
    drop(held);
    eventually("the places are free", || metrics.connections.open.get() == 0);
    assert!(ask(&mut connect(&server), "/").ends_with("hello"));
}

#[test]
fn stopping_finishes_requests_in_flight() {
    let (server, metrics) = start(&wide());
    let address = server.address();
    let (mut idle, mut fresh, mut busy) = (connect(&server), connect(&server), connect(&server));
    let mut silent = connect(&server);
    assert!(ask(&mut idle, "/").ends_with("hello"));
    send(&mut busy, "GET /slow HTTP/1.1\r\nhost: x\r\n\r\n");
    eventually("it is being answered", || metrics.connections.in_flight.get() == 1);
    let stopping = thread::spawn(move || {
        let start = Instant::now();
        (server.stop(), start.elapsed())
    });
    between(0, closes(&mut idle), 300);
    // a client that has just connected is about to ask
    let label = ask(&mut fresh, "/");
    assert!(label.contains("connection: close") && label.ends_with("hello"), "{label}");
    closes(&mut fresh);
    between(0, closes(&mut silent), 2_000);
    // each worker stops on its own
    eventually("nobody is let in any more", || TcpStream::connect(address).is_err());
    let label = answer(&mut busy);
    assert!(label.starts_with("HTTP/1.1 200") && label.ends_with("done"), "{label}");
    closes(&mut busy);
    let (all, took) = stopping.join().expect("stopped");
    assert!(all, "every request finished");
    between(0, took, 3_000);
    assert_eq!(metrics.connections.open.get(), 0);
}

#[test]
fn stopping_waits_no_longer_than_the_drain_timeout() {
    let (server, metrics) = start(&Limits { drain_ms: 100, ..wide() });
    let mut busy = connect(&server);
    send(&mut busy, "GET /slow HTTP/1.1\r\nhost: x\r\n\r\n");
    eventually("it is being answered", || metrics.connections.in_flight.get() == 1);
    let start = Instant::now();
    assert!(!server.stop(), "one was cut off");
    between(90, start.elapsed(), 350);
    assert_eq!(metrics.connections.open.get(), 0);
}

#[test]
fn a_second_server_on_the_port_is_refused() {
    let (server, _) = start(&wide());
    let another = Server::start(
        Listen::At(server.address()),
        &wide(),
        Metrics::new().connections,
        |_| false,
        |_| TowerToHyperService::new(Router::new()),
    );
    assert_eq!(another.expect_err("taken").kind(), ErrorKind::AddrInUse);
}

#[test]
fn every_worker_serves_connections() {
    let (server, metrics) = start(&Limits { workers: 4, ..wide() });
    for _ in 0..64 {
        assert!(ask(&mut connect(&server), "/").ends_with("hello"));
    }
    assert_eq!(metrics.connections.accepted.get(), 64);
}
