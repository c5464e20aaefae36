//! A request head that a proxy may read in another way is refused, wherever it stands on a connection.

use std::io::{Read, Write};

use crate::service::{Shared, open, read, shared};

/// Heads with a line that ends in a bare LF, or with two hosts.
const BAD: [&str; 9] = [
    "GET /v1/plans HTTP/1.1\nhost: test\r\n\r\n",
    "GET /v1/plans HTTP/1.1\r\nhost: test\nx: y\r\n\r\n",
    "GET /v1/plans HTTP/1.1\r\nhost: test\r\nx: y\nz: w\r\n\r\n",
    "GET /v1/plans HTTP/1.1\r\nhost: test\r\n\n",
    "GET /v1/plans HTTP/1.1\r\nhost: test\n\n",
    "\nGET /v1/plans HTTP/1.1\r\nhost: test\r\n\r\n",
    "POST /v1 HTTP/1.1\r\nhost: test\ncontent-length: 2\r\n\r\n{}",
    "GET /v1/plans HTTP/1.1\r\nhost: test\r\nhost: test\r\n\r\n",
    "GET /v1/plans HTTP/1.1\r\nhost: test\r\nx: y\r\nHOST: other\r\n\r\n",
];

/// Good requests whose bodies have bare LFs: with a length, and chunked.
fn good() -> [String; 2] {
    let head = format!("POST /v1 HTTP/1.1\r\nhost: test\r\nx-api-key: {}\r\n", shared().pro);
    let body = "{\n\n\"action\":\n\"summary\"}\n";
    let length = body.len();
    [
        format!("{head}content-length: {length}\r\n\r\n{body}"),
        format!(
            "{head}transfer-encoding: chunked\r\n\r\n3\r\n{}\r\n{:x};x=y\r\n{}\r\n0\r\nx: y\r\n\r\n",
            &body[..3],
            length - 3,
            &body[3..]
        ),
    ]
}

/// Sends the requests, then the bad one, and checks all answers: each request after the answer to the one before, or
/// all of them in pieces of this size.
fn check(before: &[&String], bad: &str, piece: Option<usize>) {
    let mut stream = open(shared().service.listen);
    let mut answers = String::new();
    if let Some(piece) = piece {
        let all = [&before.iter().map(|text| text.as_str()).collect::<String>(), bad].concat();
        for bytes in all.as_bytes().chunks(piece) {
            // the server may close before a body is sent
            let _ = stream.write_all(bytes);
        }
    } else {
        for request in before {
            stream.write_all(request.as_bytes()).expect("sent");
            answers.push_str(&read(&mut stream, false).expect("an answer").head);
        }
        stream.write_all(bad.as_bytes()).expect("sent");
    }
    let mut rest = Vec::new();
    // it may be reset when bytes of the body were not read
    let _ = stream.read_to_end(&mut rest);
    answers.push_str(&String::from_utf8_lossy(&rest));
    let statuses: Vec<&str> = answers
        .split("HTTP/1.1 ")
        .skip(1)
        .map(|answer| answer.split(' ').next().expect("a status"))
        .collect();
    let expected: Vec<&str> = before.iter().map(|_| "200").chain(["400"]).collect();
    assert_eq!(statuses, expected, "{bad:?} {piece:?}: {answers}");
    assert!(
        answers.contains("\"code\":\"invalid_head\"") && answers.contains("connection: close"),
        "{answers}"
    );
    assert!(answers.contains("\"ok\":false") && answers.contains("\"request_id\":"), "{answers}");
}

#[test]
fn an_ambiguous_request_head_is_refused() {
    let [sized, chunked] = good();
    for bad in BAD {
        for before in [&[][..], &[&sized], &[&chunked], &[&sized, &chunked, &sized]] {
            for piece in [None, Some(usize::MAX), Some(100)] {
                check(before, bad, piece);
            }
        }
    }
}

#[test]
fn requests_with_bare_lf_in_their_bodies_are_answered_on_one_connection() {
    let Shared { service, .. } = shared();
    let [sized, chunked] = good();
    let last = sized.replace("POST /v1 HTTP/1.1\r\n", "POST /v1 HTTP/1.1\r\nconnection: close\r\n");
    let all = [&sized, &chunked, &sized, &sized, &chunked, &last].map(String::as_str).concat();
    for piece in [1, 7, 100, usize::MAX] {
        let mut stream = open(service.listen);
        for bytes in all.as_bytes().chunks(piece) {
            stream.write_all(bytes).expect("sent");
        }
        let mut answers = String::new();
        stream.read_to_string(&mut answers).expect("answers");
        assert_eq!(answers.matches("HTTP/1.1 200").count(), 6, "{piece}: {answers}");
    }
}

#[test]
fn a_connection_that_closes_says_so_and_a_request_names_its_host() {
    let Shared { service, .. } = shared();
    let ask = |request: &str| {
        let mut stream = open(service.listen);
        stream.write_all(request.as_bytes()).expect("sent");
        let mut answer = vec![0; 4096];
        let count = stream.read(&mut answer).expect("an answer");
        String::from_utf8_lossy(&answer[..count]).to_lowercase()
    };
    // the body comes after the answer, which nobody waits for
    let late = ask("GET /v1/plans HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n");
    assert!(late.starts_with("http/1.1 200") && late.contains("\r\nconnection: close\r\n"), "{late}");
    let usual = ask("GET /v1/plans HTTP/1.1\r\nhost: x\r\n\r\n");
    assert!(usual.starts_with("http/1.1 200") && !usual.contains("connection: close"), "{usual}");
    let nobody = ask("GET /v1/plans HTTP/1.1\r\n\r\n");
    assert!(nobody.starts_with("http/1.1 400") && nobody.contains("invalid_head"), "{nobody}");
    let old = ask("GET /v1/plans HTTP/1.0\r\n\r\n");
    assert!(old.starts_with("http/1.0 200") || old.starts_with("http/1.1 200"), "{old}");
}
