//! A fast HTTP client for load: one thread, many connections, one request at a time on each. [`run`] sends the next as
//! soon as the last is answered, [`run_paced`] so many a second. It understands only what the service sends: answers
//! with a `content-length`.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use hdrhistogram::Histogram;
use rustix::buffer::spare_capacity;
use rustix::event::Timespec;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::io::Errno;
use url::form_urlencoded::Serializer;

/// How long to wait for an answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);

/// The histogram counts slower answers as this slow.
const MAX_LATENCY_NANOS: u64 = 60_000_000_000;

/// A run ends after so many failures.
const MAX_FAILURES: u64 = 1_000;

/// A request of `POST path` with a body of JSON and further headers.
pub(crate) fn post_request(path: &str, headers: &[(&str, &str)], body: &str) -> Vec<u8> {
    let length = body.len();
    let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\n{headers}content-type: application/json\r\n\
         content-length: {length}\r\n\r\n{body}"
    )
    .into_bytes()
}

/// A request of `GET path`, as a browser sends it, with a query string of these fields.
pub(crate) fn page_request(path: &str, fields: &[(&str, &str)]) -> Vec<u8> {
    let mark = if fields.is_empty() { "" } else { "?" };
    let query = Serializer::new(String::new()).extend_pairs(fields).finish();
    format!("GET {path}{mark}{query} HTTP/1.1\r\nhost: localhost\r\naccept: text/html\r\n\r\n").into_bytes()
}

/// A request of `GET path` with further headers and a query string of these fields.
pub(crate) fn get_request(path: &str, fields: &[(&str, &str)], headers: &[(&str, &str)]) -> Vec<u8> {
    let query = Serializer::new(String::new()).extend_pairs(fields).finish();
    let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    format!("GET {path}?{query} HTTP/1.1\r\nhost: localhost\r\n{headers}\r\n").into_bytes()
}

/// One answer.
pub(crate) struct Answer {
    /// Names, in lower case, and values.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

/// Sends one request over a connection of its own.
pub(crate) fn send(address: SocketAddr, request: &[u8]) -> Result<Answer> {
    let mut stream = TcpStream::connect_timeout(&address, ANSWER_TIMEOUT)?;
    stream.set_read_timeout(Some(ANSWER_TIMEOUT))?;
    stream.write_all(request)?;
    let mut received = Vec::new();
    let mut chunk = [0; 16 * 1024];
    loop {
        let more = stream.read(&mut chunk)?;
        ensure!(more > 0, "the connection was closed before the whole answer came");
        received.extend_from_slice(&chunk[..more]);
        if let Some(head) = Head::parse(&received)?
            && received.len() >= head.body_end()?
        {
            let text = std::str::from_utf8(&received[..head.end])?;
            let headers = text.split("\r\n").skip(1).filter_map(|line| line.split_once(": "));
            let headers = headers.map(|(name, value)| (name.to_lowercase(), value.to_owned())).collect();
            return Ok(Answer { headers, body: received[head.end..head.body_end()?].to_vec() });
        }
    }
}

/// The body of `GET path`, whatever the status.
pub(crate) fn get(address: SocketAddr, path: &str) -> Result<Vec<u8>> {
    let request = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n");
    Ok(send(address, request.as_bytes())?.body)
}

/// What a run measured.
pub(crate) struct Outcome {
    /// Answers of status 200 that passed the check, or of 304.
    pub(crate) answered: u64,
    pub(crate) failures: Failures,
    /// Of the answers that passed, in nanoseconds.
    pub(crate) latency: Histogram<u64>,
    /// From the first request to the last answer.
    pub(crate) took: Duration,
    /// Of the bodies of the answers that passed.
    pub(crate) body_bytes: u64,
}

impl Outcome {
    fn new() -> Result<Self> {
        Ok(Self {
            answered: 0,
            failures: Failures::default(),
            latency: Histogram::new_with_bounds(1, MAX_LATENCY_NANOS, 3)?,
            took: Duration::ZERO,
            body_bytes: 0,
        })
    }

    /// Adds what another run measured.
    pub(crate) fn add(&mut self, other: Outcome) -> Result<()> {
        self.answered += other.answered;
        self.failures.add_all(other.failures);
        self.latency.add(other.latency)?;
        self.took += other.took;
        self.body_bytes += other.body_bytes;
        Ok(())
    }

    /// The latency at this quantile, in microseconds.
    pub(crate) fn micros(&self, quantile: f64) -> f64 {
        self.latency.value_at_quantile(quantile) as f64 / 1_000.0
    }
}

/// Failed requests by cause, each with its count and the beginning of the first answer.
#[derive(Default)]
pub(crate) struct Failures(BTreeMap<String, (u64, String)>);

impl Failures {
    fn add(&mut self, cause: impl Into<String>, body: &[u8]) {
        let sample = || String::from_utf8_lossy(&body[..body.len().min(300)]).into_owned();
        self.0.entry(cause.into()).or_insert_with(|| (0, sample())).0 += 1;
    }

    fn add_all(&mut self, others: Failures) {
        for (cause, (count, sample)) in others.0 {
            self.0.entry(cause).or_insert((0, sample)).0 += count;
        }
    }

    /// How many in all.
    pub(crate) fn count(&self) -> u64 {
        self.0.values().map(|(count, _)| count).sum()
    }
}

impl fmt::Display for Failures {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for (cause, (count, sample)) in &self.0 {
            writeln!(f, "  {count} x {cause} {sample}")?;
        }
        Ok(())
    }
}

/// How to wait for the next answer.
#[derive(Clone, Copy)]
pub(crate) enum Wait {
    /// Sleep, so that others may use the processor.
    Block,
    /// Poll. A server that answers a sleeping client must wake it, which costs up to a tenth of an answer, and a slower
    /// server finds its client asleep more often: between two servers only polling is fair.
    Spin,
}

/// Sends requests over so many connections until `enough` (given how many were sent and the time since the start) or
/// until there are no more. `check` sees each answer of status 200 or 304, with the connection's number.
pub(crate) fn run<'r>(
    address: SocketAddr,
    requests: impl IntoIterator<Item = &'r [u8]>,
    connections: usize,
    wait: Wait,
    enough: impl Fn(u64, Duration) -> bool,
    mut check: impl FnMut(usize, &[u8]) -> Result<(), String>,
) -> Result<Outcome> {
    let began = Instant::now();
    let mut client = Client::connect(address, connections)?;
    let mut requests = requests.into_iter();
    let mut sent = 0;
    let mut next = |time| {
        let request = if enough(sent, time) { None } else { requests.next() };
        sent += u64::from(request.is_some());
        request
    };
    let mut pending = 0;
    for number in 0..connections {
        let Some(request) = next(Duration::ZERO) else { break };
        client.send(number, request, Instant::now())?;
        pending += 1;
    }
    let mut events = Vec::with_capacity(connections);
    let mut last_answer = began;
    while pending > 0 {
        client.wait(wait, &mut events)?;
        if events.is_empty() && last_answer.elapsed() > ANSWER_TIMEOUT {
            let silent = format!("no answer within {} s,", ANSWER_TIMEOUT.as_secs());
            (0..pending).for_each(|_| client.outcome.failures.add(&silent, b""));
            break;
        }
        for event in events.drain(..) {
            let number = usize::try_from(event.data.u64())?;
            let now = Instant::now();
            last_answer = now;
            if !client.receive(number, now, &mut check)? {
                continue;
            }
            pending -= 1;
            if let Some(request) = next(now - began) {
                client.send(number, request, now)?;
                pending += 1;
            }
        }
        if client.outcome.failures.count() > MAX_FAILURES {
            bail!("too many requests fail:\n{}", client.outcome.failures);
        }
    }
    client.outcome.took = began.elapsed();
    Ok(client.outcome)
}

/// Sends so many requests a second over so many connections for so long. A latency counts from the moment at which its
/// request was due, so that a slow answer also shows in those that had to wait for it.
pub(crate) fn run_paced<'r>(
    address: SocketAddr,
    requests: impl IntoIterator<Item = &'r [u8]>,
    connections: usize,
    per_second: f64,
    enough: impl Fn(Duration) -> bool,
    mut check: impl FnMut(usize, &[u8]) -> Result<(), String>,
) -> Result<Outcome> {
    let mut client = Client::connect(address, connections)?;
    let mut requests = requests.into_iter();
    let mut idle: Vec<usize> = (0..connections).collect();
    let mut events = Vec::with_capacity(connections);
    let (began, mut sent) = (Instant::now(), 0_u64);
    let mut last_answer = began;
    loop {
        let now = Instant::now();
        let is_over = enough(now - began);
        if is_over && idle.len() == connections {
            break;
        }
        let mut due = began + Duration::from_secs_f64(sent as f64 / per_second);
        while !is_over
            && due <= now
            && let Some(number) = idle.pop()
        {
            let Some(request) = requests.next() else { bail!("there are too few requests") };
            client.send(number, request, due)?;
            sent += 1;
            due = began + Duration::from_secs_f64(sent as f64 / per_second);
        }
        let pause =
            if is_over || idle.is_empty() { ANSWER_TIMEOUT } else { due.saturating_duration_since(now) };
        client.wait_for(Timespec::try_from(pause.min(ANSWER_TIMEOUT))?, &mut events)?;
        if idle.len() < connections && events.is_empty() && last_answer.elapsed() > ANSWER_TIMEOUT {
            bail!("no answer within {} s", ANSWER_TIMEOUT.as_secs());
        }
        for event in events.drain(..) {
            let number = usize::try_from(event.data.u64())?;
            last_answer = Instant::now();
            if client.receive(number, last_answer, &mut check)? {
                idle.push(number);
            }
        }
        if client.outcome.failures.count() > MAX_FAILURES {
            bail!("too many requests fail:\n{}", client.outcome.failures);
        }
    }
    client.outcome.took = began.elapsed();
    Ok(client.outcome)
}

struct Client {
    address: SocketAddr,
    epoll: OwnedFd,
    connections: Vec<Connection>,
    outcome: Outcome,
}

impl Client {
    fn connect(address: SocketAddr, connections: usize) -> Result<Self> {
        let epoll = epoll::create(CreateFlags::CLOEXEC)?;
        let connections = (0..connections)
            .map(|number| Connection::open(&epoll, address, number))
            .collect::<Result<_>>()?;
        Ok(Self { address, epoll, connections, outcome: Outcome::new()? })
    }

    /// Waits for connections that can be read.
    fn wait(&self, wait: Wait, events: &mut Vec<Event>) -> Result<()> {
        self.wait_for(
            match wait {
                Wait::Block => Timespec::try_from(ANSWER_TIMEOUT)?,
                Wait::Spin => Timespec { tv_sec: 0, tv_nsec: 0 },
            },
            events,
        )
    }

    /// Waits so long for connections that can be read.
    fn wait_for(&self, timeout: Timespec, events: &mut Vec<Event>) -> Result<()> {
        match epoll::wait(&self.epoll, spare_capacity(events), Some(&timeout)) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(error).context("waiting for answers"),
        }
    }

    /// Reads what has come on a connection; whether its request is now answered or has failed.
    fn receive(
        &mut self,
        number: usize,
        now: Instant,
        check: &mut impl FnMut(usize, &[u8]) -> Result<(), String>,
    ) -> Result<bool> {
        let (connection, outcome) = (&mut self.connections[number], &mut self.outcome);
        match connection.receive() {
            Ok(None) => return Ok(false),
            Ok(Some((200 | 304, body))) => match check(number, body) {
                Ok(()) => {
                    outcome.answered += 1;
                    outcome.body_bytes += body.len() as u64;
                    let nanos = (now - connection.sent_at).as_nanos();
                    outcome.latency.saturating_record(u64::try_from(nanos)?);
                }
                Err(cause) => outcome.failures.add(cause, body),
            },
            Ok(Some((status, body))) => outcome.failures.add(format!("status {status}:"), body),
            Err(error) => {
                outcome.failures.add(format!("{error:#}"), b"");
                *connection = Connection::open(&self.epoll, self.address, number)?;
            }
        }
        Ok(true)
    }

    /// Sends a request; over a new connection when the old one was closed.
    fn send(&mut self, number: usize, request: &[u8], now: Instant) -> Result<()> {
        if let Err(error) = self.connections[number].send(request, now) {
            self.outcome.failures.add(format!("{error:#}"), b"");
            self.connections[number] = Connection::open(&self.epoll, self.address, number)?;
            self.connections[number].send(request, now)?;
        }
        Ok(())
    }
}

/// A connection with at most one request under way.
struct Connection {
    stream: TcpStream,
    received: Vec<u8>,
    filled: usize,
    sent_at: Instant,
}

impl Connection {
    fn open(epoll: &OwnedFd, address: SocketAddr, number: usize) -> Result<Self> {
        let stream = TcpStream::connect_timeout(&address, ANSWER_TIMEOUT).context("connecting")?;
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        epoll::add(epoll, &stream, EventData::new_u64(number as u64), EventFlags::IN)?;
        Ok(Self { stream, received: vec![0; 64 * 1024], filled: 0, sent_at: Instant::now() })
    }

    fn send(&mut self, request: &[u8], now: Instant) -> Result<()> {
        self.filled = 0;
        self.sent_at = now;
        // the kernel's buffer holds a whole request
        self.stream.write_all(request).context("sending")
    }

    /// Reads what has come; the status and the body once the answer is whole.
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
        let Some(head) = Head::parse(&self.received[..self.filled])? else { return Ok(None) };
        let end = head.body_end()?;
        match self.filled {
            filled if filled < end => Ok(None),
            filled if filled > end => bail!("an answer is longer than its content-length"),
            _ => Ok(Some((head.status, &self.received[head.end..end]))),
        }
    }
}

/// What matters of the head of an answer.
struct Head {
    status: u16,
    content_length: Option<usize>,
    /// Where the body begins.
    end: usize,
}

impl Head {
    /// `None` while the head is not complete.
    fn parse(received: &[u8]) -> Result<Option<Self>> {
        let Some(end) = received.windows(4).position(|four| four == b"\r\n\r\n") else { return Ok(None) };
        let head = std::str::from_utf8(&received[..end]).context("the head is not text")?;
        let status = head.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3)?.parse().ok());
        let content_length = head.split("\r\n").skip(1).find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
        });
        Ok(Some(Self { status: status.context("not an HTTP/1.1 answer")?, content_length, end: end + 4 }))
    }

    fn body_end(&self) -> Result<usize> {
        // a 304 has no body, whatever length it tells
        if self.status == 304 {
            return Ok(self.end);
        }
        Ok(self.end + self.content_length.context("an answer without content-length")?)
    }
}
