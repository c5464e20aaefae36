//! Compares the service with a server of constant answers: the same HTTP server, the same headers, a body as long, the
//! same processor, the same requests, in turn. Both stay up all the while and are warm before the first round.

use std::fmt;
use std::net::{SocketAddr, TcpStream};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Result, bail, ensure};
use clap::Args;

use crate::process::{Process, Processors, free_address};
use crate::report::{Report, median};
use crate::service::{Program, Service};
use crate::wire::{self, Answer, Outcome, Wait};

/// What is compared, and how.
#[derive(Args)]
// those that flatten it have the same name
#[group(skip)]
pub(crate) struct Options {
    #[command(flatten)]
    pub(crate) program: Program,
    /// How many turns each server has
    #[arg(long, default_value_t = 40, value_parser = clap::value_parser!(u16).range(1..=1_000))]
    pub(crate) rounds: u16,
    /// How long a turn is, in milliseconds. Turns are short and many because a shared machine changes from second to
    /// second
    #[arg(long, default_value_t = 500, value_parser = clap::value_parser!(u16).range(100..=2_000))]
    millis: u16,
    /// How many connections send requests
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..=900))]
    connections: u16,
    /// The same seed sends the same requests
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
}

impl Options {
    /// Sends requests to a process for one turn and returns what it measured.
    pub(crate) fn turn<'r>(
        &self,
        process: &Process,
        address: SocketAddr,
        requests: impl IntoIterator<Item = &'r [u8]>,
    ) -> Result<Figures> {
        let (connections, turn) = (usize::from(self.connections), Duration::from_millis(self.millis.into()));
        let before = process.processor_time()?;
        let enough = |_, time| time > turn;
        let outcome = wire::run(address, requests, connections, Wait::Spin, enough, |_, _| Ok(()))?;
        print!("{}", outcome.failures);
        Ok(Figures::of(&outcome, process.processor_time()? - before))
    }
}

/// A service under load on a processor of its own.
pub(crate) struct Comparison<'o> {
    options: &'o Options,
    processors: Processors,
    pub(crate) service: Service,
}

/// More requests than either server answers in a millisecond.
const REQUESTS_PER_MILLI: usize = 120;

/// Requests that are sent once, before the rounds, to learn what the service answers.
const SAMPLE: usize = 1_000;

/// Headers that the constant server's own HTTP library writes.
const AUTOMATIC: [&str; 2] = ["content-length", "date"];

impl<'o> Comparison<'o> {
    /// Pins the service and this thread.
    pub(crate) fn new(options: &'o Options, service: Service) -> Result<Self> {
        let processors = Processors::available()?;
        service.pin(processors)?;
        Ok(Self { options, processors, service })
    }

    /// Sends requests from `make` to both servers and returns the medians, over the rounds, of the service's figures
    /// divided by those of the constant server just before.
    pub(crate) fn run(&self, mut make: impl FnMut() -> Vec<u8>) -> Result<Figures> {
        let Self { options, processors, service } = self;
        let connections = usize::from(options.connections);
        let mut batch = |count| -> Vec<Vec<u8>> { (0..count).map(|_| make()).collect() };

        let sample = batch(SAMPLE);
        let requests = sample.iter().map(Vec::as_slice);
        let outcome =
            wire::run(service.public, requests, connections, Wait::Block, |_, _| false, |_, _| Ok(()))?;
        print!("{}", outcome.failures);
        ensure!(outcome.failures.count() == 0, "requests fail");
        let bytes = outcome.body_bytes / outcome.answered.max(1);
        let answer = wire::send(service.public, &sample[0])?;
        println!("{bytes} bytes an answer, {} headers, {connections} connections", answer.headers.len());

        let address = free_address()?;
        let constant = start_constant(address, bytes, &answer)?;
        constant.pin(processors.server)?;
        let mut round = || -> Result<[Figures; 2]> {
            let requests = batch(REQUESTS_PER_MILLI * usize::from(options.millis));
            let requests = || requests.iter().map(Vec::as_slice);
            Ok([
                options.turn(&constant, address, requests())?,
                options.turn(&service.process, service.public, requests())?,
            ])
        };
        round()?;

        println!("\nround  server    CPU µs/request  requests/s     p50 µs     p99 µs  failed");
        let mut ratios = Vec::new();
        for number in 1..=options.rounds {
            let [constant, candango] = round()?;
            println!("{number:>5}  constant  {constant}\n       candango  {candango}");
            ratios.push(candango.divided_by(&constant));
        }
        let ratios = Figures::medians(&ratios);
        println!("    =  ratio     {ratios}");
        Ok(ratios)
    }
}

/// Starts this program as the constant server, with the headers of `answer`.
fn start_constant(address: SocketAddr, bytes: u64, answer: &Answer) -> Result<Process> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["constant", "--listen", &address.to_string(), "--bytes", &bytes.to_string()]);
    for (name, value) in &answer.headers {
        if !AUTOMATIC.contains(&name.as_str()) {
            command.arg(format!("--header={name}:{value}"));
        }
    }
    let mut process = Process::start("the constant server", command.stdin(Stdio::piped()))?;
    for _ in 0..500 {
        process.ensure_running()?;
        if TcpStream::connect(address).is_ok() {
            return Ok(process);
        }
        sleep(Duration::from_millis(10));
    }
    bail!("the constant server does not listen")
}

/// What a turn measured, or the ratio of two turns.
pub(crate) struct Figures {
    /// Microseconds of processor time a request.
    pub(crate) processor: f64,
    /// Requests a second.
    pub(crate) rate: f64,
    pub(crate) p50: f64,
    pub(crate) p99: f64,
    /// Failed requests.
    pub(crate) failed: f64,
}

impl Figures {
    fn of(outcome: &Outcome, used: Duration) -> Self {
        let failed = outcome.failures.count();
        let requests = (outcome.answered + failed) as f64;
        Self {
            processor: used.as_secs_f64() * 1e6 / requests,
            rate: requests / outcome.took.as_secs_f64(),
            p50: outcome.micros(0.5),
            p99: outcome.micros(0.99),
            failed: failed as f64,
        }
    }

    /// The ratios, and the failures of both.
    pub(crate) fn divided_by(&self, other: &Self) -> Self {
        Self {
            processor: self.processor / other.processor,
            rate: self.rate / other.rate,
            p50: self.p50 / other.p50,
            p99: self.p99 / other.p99,
            failed: self.failed + other.failed,
        }
    }

    /// The medians, and all failures.
    pub(crate) fn medians(rounds: &[Self]) -> Self {
        let median = |of: fn(&Self) -> f64| median(&mut rounds.iter().map(of).collect::<Vec<_>>());
        Self {
            processor: median(|figures| figures.processor),
            rate: median(|figures| figures.rate),
            p50: median(|figures| figures.p50),
            p99: median(|figures| figures.p99),
            failed: rounds.iter().map(|figures| figures.failed).sum(),
        }
    }

    /// Adds a case to the report: its ratios of processor time and of rate, and its failures.
    pub(crate) fn report(&self, report: &mut Report, case: &str, processor: f64, rate: Option<f64>) {
        report.at_most(&format!("{case}: CPU a request, ratio to constant"), self.processor, Some(processor));
        report.at_least(&format!("{case}: requests a second, ratio to constant"), self.rate, rate);
        report.at_most(&format!("{case}: failed requests"), self.failed, Some(0.0));
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { processor, rate, p50, p99, failed } = self;
        // a ratio needs digits after the point
        if *rate < 100.0 {
            return write!(f, "{processor:>14.3}  {rate:>10.3} {p50:>10.3} {p99:>10.3}  {failed:>6}");
        }
        write!(f, "{processor:>14.2}  {rate:>10.0} {p50:>10.0} {p99:>10.0}  {failed:>6}")
    }
}
