//! HTTP as fast as it can be asked: one thread, many connections, one request at a time on each, sent as soon as
//! the last was answered. Only what the service sends is understood: answers with a `content-length`.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use hdrhistogram::Histogram;
use rustix::buffer::spare_capacity;
use rustix::event::Timespec;
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::io::Errno;

/// How long an answer is waited for.
const PATIENCE: Duration = Duration::from_secs(5);

/// Answers that took longer count as this long.
const LONGEST: Duration = Duration::from_secs(60);

/// After so many failures there is nothing more to learn.
const MOST_FAILURES: u64 = 1_000;

/// A whole request of `POST /v1`.
pub(crate) fn request(key: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!(
        "POST /v1 HTTP/1.1\r\nhost: localhost\r\nx-api-key: {key}\r\ncontent-type: application/json\r\n\
         content-length: {length}\r\n\r\n{body}"
    )
    .into_bytes()
}

/// A whole request of `POST /mcp`, with these headers besides.
pub(crate) fn message(headers: &[(&str, &str)], body: &str) -> Vec<u8> {
    let length = body.len();
    let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\naccept: application/json, text/event-stream\r\n{headers}\
         content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
    )
    .into_bytes()
}

/// A whole request of `GET path`, as a browser sends it, with these fields in the address.
pub(crate) fn page(path: &str, fields: &[(&str, &str)]) -> Vec<u8> {
    let query: Vec<String> = fields.iter().map(|(name, value)| format!("{name}={}", coded(value))).collect();
    let mark = if query.is_empty() { "" } else { "?" };
    let query = query.join("&");
    format!("GET {path}{mark}{query} HTTP/1.1\r\nhost: localhost\r\naccept: text/html\r\n\r\n").into_bytes()
}

/// A value as it stands in an address.
fn coded(value: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
    let code = |byte: u8| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    value.bytes().map(code).collect()
}

/// The status and the body of `GET path`, asked once.
pub(crate) fn get(address: SocketAddr, path: &str) -> Result<(u16, Vec<u8>)> {
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    write!(stream, "GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")?;
    let mut received = Vec::new();
    stream.read_to_end(&mut received)?;
    let head = Head::of(&received)?.context("the answer ends in its head")?;
    Ok((head.status, received[head.end..].to_vec()))
}

/// What came of asking.
pub(crate) struct Outcome {
    /// Answers of status 200 that were found right.
    pub(crate) answered: u64,
    /// What went wrong.
    pub(crate) failures: Failures,
    /// How long the right answers took, in nanoseconds.
    pub(crate) latency: Histogram<u64>,
    /// From the first request to the last answer.
    pub(crate) took: Duration,
    /// Bytes of the bodies of the right answers.
    pub(crate) body_bytes: u64,
}

impl Outcome {
    /// How long that share of the answers took at most, in microseconds.
    pub(crate) fn micros(&self, share: f64) -> f64 {
        self.latency.value_at_quantile(share) as f64 / 1_000.0
    }
}

/// Requests that failed: how many in which way, and what the first of them was told.
#[derive(Default)]
pub(crate) struct Failures(BTreeMap<String, (u64, String)>);

impl Failures {
    fn note(&mut self, how: impl Into<String>, told: &[u8]) {
        let told = || String::from_utf8_lossy(&told[..told.len().min(300)]).into_owned();
        self.0.entry(how.into()).or_insert_with(|| (0, told())).0 += 1;
    }

    /// How many in all.
    pub(crate) fn count(&self) -> u64 {
        self.0.values().map(|(count, _)| count).sum()
    }
}

impl fmt::Display for Failures {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for (how, (count, told)) in &self.0 {
            writeln!(f, "  {count} x {how} {told}")?;
        }
        Ok(())
    }
}

/// What is done while no answer has come.
#[derive(Clone, Copy)]
pub(crate) enum Waiting {
    /// Nothing: others may have the processor.
    Asleep,
    /// Looking for one. Whoever answers a sleeper must wake it, which costs a server up to a tenth of an answer; and the
    /// slower a server is, the oftener it finds its asker asleep. Between two servers that would not be fair.
    Awake,
}

/// Asks the requests in turn, over and over, until `enough` of them were sent or of the time has passed. `right`
/// looks at each answer of status 200, given the connection's number and the body.
pub(crate) fn ask(
    address: SocketAddr,
    requests: &[Vec<u8>],
    connections: usize,
    waiting: Waiting,
    enough: impl Fn(u64, Duration) -> bool,
    mut right: impl FnMut(usize, &[u8]) -> Result<(), String>,
) -> Result<Outcome> {
    let epoll = epoll::create(CreateFlags::CLOEXEC)?;
    let began = Instant::now();
    let mut lines: Vec<Line> =
        (0..connections).map(|number| Line::open(&epoll, address, number)).collect::<Result<_>>()?;
    let mut outcome = Outcome {
        answered: 0,
        failures: Failures::default(),
        latency: Histogram::new_with_bounds(1, LONGEST.as_nanos() as u64, 3)?,
        took: Duration::ZERO,
        body_bytes: 0,
    };
    let mut sent = 0;
    let mut awaited = 0;
    let mut turn = requests.iter().cycle();
    let mut next = || turn.next().context("there is nothing to ask");
    for line in &mut lines {
        if !enough(sent, Duration::ZERO) {
            line.send(next()?, Instant::now())?;
            sent += 1;
            awaited += 1;
        }
    }
    let at_most = match waiting {
        Waiting::Asleep => Timespec { tv_sec: PATIENCE.as_secs() as i64, tv_nsec: 0 },
        Waiting::Awake => Timespec { tv_sec: 0, tv_nsec: 0 },
    };
    let mut events = Vec::with_capacity(connections);
    let mut heard = began;
    while awaited > 0 {
        match epoll::wait(&epoll, spare_capacity(&mut events), Some(&at_most)) {
            Ok(0) if heard.elapsed() < PATIENCE => continue,
            Ok(0) => {
                let silent = format!("no answer within {} s,", PATIENCE.as_secs());
                (0..awaited).for_each(|_| outcome.failures.note(&silent, b""));
                break;
            }
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error).context("waiting for answers"),
        }
        for event in events.drain(..) {
            let number = event.data.u64() as usize;
            let line = &mut lines[number];
            let received = line.receive();
            let now = Instant::now();
            heard = now;
            match received {
                Ok(None) => continue,
                Ok(Some((200, body))) => match right(number, body) {
                    Ok(()) => {
                        outcome.answered += 1;
                        outcome.body_bytes += body.len() as u64;
                        outcome.latency.saturating_record((now - line.sent_at).as_nanos() as u64);
                    }
                    Err(wrong) => outcome.failures.note(wrong, body),
                },
                Ok(Some((status, body))) => outcome.failures.note(format!("status {status}:"), body),
                Err(error) => {
                    outcome.failures.note(format!("{error:#}"), b"");
                    *line = Line::open(&epoll, address, number)?;
                }
            }
            awaited -= 1;
            if !enough(sent, now - began) {
                if let Err(error) = line.send(next()?, now) {
                    outcome.failures.note(format!("{error:#}"), b"");
                    *line = Line::open(&epoll, address, number)?;
                    line.send(next()?, now)?;
                }
                sent += 1;
                awaited += 1;
            }
        }
        if outcome.failures.count() > MOST_FAILURES {
            bail!("too many requests fail:\n{}", outcome.failures);
        }
    }
    outcome.took = began.elapsed();
    Ok(outcome)
}

/// A connection with at most one request on its way.
struct Line {
    stream: TcpStream,
    received: Vec<u8>,
    filled: usize,
    sent_at: Instant,
}

impl Line {
    fn open(epoll: &OwnedFd, address: SocketAddr, number: usize) -> Result<Self> {
        let stream = TcpStream::connect_timeout(&address, PATIENCE).context("connecting")?;
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        epoll::add(epoll, &stream, EventData::new_u64(number as u64), EventFlags::IN)?;
        Ok(Self { stream, received: vec![0; 64 * 1024], filled: 0, sent_at: Instant::now() })
    }

    fn send(&mut self, request: &[u8], now: Instant) -> Result<()> {
        self.filled = 0;
        self.sent_at = now;
        // a request is far smaller than what the kernel takes at once
        self.stream.write_all(request).context("sending")
    }

    /// Takes what has come; the status and the body once the answer is whole.
    fn receive(&mut self) -> Result<Option<(u16, &[u8])>> {
        if self.filled == self.received.len() {
            self.received.resize(self.filled * 2, 0);
        }
        match self.stream.read(&mut self.received[self.filled..]) {
            Ok(0) => bail!("the connection was closed"),
            Ok(more) => self.filled += more,
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {
                return Ok(None);
            }
            Err(error) => return Err(error).context("receiving"),
        }
        let Some(head) = Head::of(&self.received[..self.filled])? else { return Ok(None) };
        let end = head.end + head.length.context("an answer without content-length")?;
        match self.filled {
            filled if filled < end => Ok(None),
            filled if filled > end => bail!("an answer is longer than it says"),
            _ => Ok(Some((head.status, &self.received[head.end..end]))),
        }
    }
}

/// The head of an answer, as far as it matters.
struct Head {
    status: u16,
    length: Option<usize>,
    /// Where the body begins.
    end: usize,
}

impl Head {
    /// Reads the head; none while it is not all there.
    fn of(received: &[u8]) -> Result<Option<Self>> {
        let Some(end) = received.windows(4).position(|four| four == b"\r\n\r\n") else { return Ok(None) };
        let head = std::str::from_utf8(&received[..end]).context("a head that is no text")?;
        let status = head.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3)?.parse().ok());
        let length = head.split("\r\n").skip(1).find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
        });
        Ok(Some(Self { status: status.context("no HTTP/1.1 answer")?, length, end: end + 4 }))
    }
}
