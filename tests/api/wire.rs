//! Raw HTTP over a socket, for tests of single bytes and of time-outs.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use candango::http::server::Server;

use crate::mail::SOON;

/// A connection whose reads time out.
pub(crate) fn connect(server: &Server) -> TcpStream {
    let stream = TcpStream::connect(server.address()).expect("a connection");
    stream.set_read_timeout(Some(Duration::from_secs(10))).expect("a time-out");
    stream
}

pub(crate) fn send(stream: &mut TcpStream, text: &str) {
    stream.write_all(text.as_bytes()).expect("sent");
}

/// Sends a GET request and reads the answer.
pub(crate) fn ask(stream: &mut TcpStream, path: &str) -> String {
    send(stream, &format!("GET {path} HTTP/1.1\r\nhost: x\r\n\r\n"));
    answer(stream)
}

/// Reads one answer, head and body.
pub(crate) fn answer(stream: &mut TcpStream) -> String {
    let mut text = Vec::new();
    let mut byte = [0];
    while !text.ends_with(b"\r\n\r\n") {
        assert_eq!(stream.read(&mut byte).expect("a head"), 1, "{}", String::from_utf8_lossy(&text));
        text.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&text).to_lowercase();
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "))
        .map_or(0, |length| length.parse().expect("a length"));
    let mut body = vec![0; length];
    stream.read_exact(&mut body).expect("a body");
    text.extend(body);
    String::from_utf8(text).expect("text")
}

/// Waits until another thread has done something.
pub(crate) fn eventually(what: &str, mut done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < SOON, "{what}");
        thread::sleep(Duration::from_millis(5));
    }
}
