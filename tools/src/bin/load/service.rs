//! The program under load, with a data folder of its own.

use std::fs::File;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use candango::domain::clock::Clock;
use clap::Args;
use serde::Deserialize;
use snapshots::{Digest, Hidden, Packed, Snapshot, check, demo};
use tempfile::TempDir;
use tools::big;
use tools::questions::Question;

use crate::process::{Process, Processors, free_address, pin};
use crate::wire;

/// How long to wait for the service to become ready.
const START_TIMEOUT: Duration = Duration::from_secs(120);

/// How long to wait for the publishing command, and then for the snapshot to go live.
const PUBLISH_TIMEOUT: Duration = Duration::from_secs(60);

/// How often to poll for that.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// A limit out of reach.
const UNLIMITED: &str = "2000000000";

/// Which program to put under load.
#[derive(Args)]
pub(crate) struct Program {
    /// The program under load [default: the candango beside this one]
    #[arg(long, value_name = "FILE")]
    candango: Option<PathBuf>,
}

impl Program {
    fn path(&self) -> Result<PathBuf> {
        let path = match &self.candango {
            Some(path) => path.clone(),
            None => std::env::current_exe()?.with_file_name("candango"),
        };
        path.canonicalize()
            .with_context(|| format!("{} (build it, or name it with --candango)", path.display()))
    }
}

/// A running service process.
pub(crate) struct Service {
    /// The public address.
    pub(crate) public: SocketAddr,
    /// A key whose limits are out of reach.
    pub(crate) key: String,
    pub(crate) process: Process,
    ops: SocketAddr,
    program: PathBuf,
    folder: TempDir,
}

/// The snapshot being served.
#[derive(Deserialize)]
struct Served {
    serial: u64,
    digest: Digest,
}

impl Service {
    /// Starts the service with that snapshot published (else it serves the demo) and with these settings. Also returns
    /// how long it took to become ready.
    pub(crate) fn start(
        program: &Program,
        snapshot: Option<&Packed>,
        settings: &[&str],
    ) -> Result<(Self, Duration)> {
        let program = program.path()?;
        let folder = tempfile::tempdir()?;
        if let Some(packed) = snapshot {
            start_publishing(&program, &folder, packed)?.wait_success(PUBLISH_TIMEOUT)?;
        }
        let key = issue(&program, &folder)?;
        let (public, ops) = (free_address()?, free_address()?);
        let mut serve = command(&program, &folder)?;
        serve.args(["--listen", &public.to_string(), "--ops-listen", &ops.to_string()]);
        // nothing in front of it waits for it to leave
        serve.args(["--set", "limits.lame_duck_ms=0"]);
        serve.args(settings.iter().flat_map(|setting| ["--set", setting]));
        let log = File::create(folder.path().join("log"))?;
        serve.stdout(log.try_clone()?).stderr(log);
        let began = Instant::now();
        let process = Process::start("candango", &mut serve)?;
        let mut service = Self { public, key, process, ops, program, folder };
        let is_ready = |service: &Self| service.served().is_some();
        service.wait_until(is_ready, began, START_TIMEOUT, "candango is not ready")?;
        let ready = began.elapsed();
        service.wait_until_idle()?;
        Ok((service, ready))
    }

    /// Waits until the service knows what changed in the guide that it serves, which takes a processor and memory for
    /// some seconds after the guide went live.
    pub(crate) fn wait_until_idle(&mut self) -> Result<()> {
        self.wait_until(Self::knows_changes, Instant::now(), START_TIMEOUT, "what changed is not known")
    }

    fn knows_changes(&self) -> bool {
        #[derive(Deserialize)]
        struct Answered {
            code: Option<String>,
        }
        let request = wire::get_request("/v1/changes", &[("since", "1")], &[("x-api-key", &self.key)]);
        let answer = wire::send(self.public, &request).ok();
        let answered = answer.and_then(|answer| serde_json::from_slice::<Answered>(&answer.body).ok());
        answered.is_some_and(|answered| answered.code.as_deref() != Some("no_guide"))
    }

    /// Waits until something is so, as long as the service runs.
    fn wait_until(
        &mut self,
        is_so: impl Fn(&Self) -> bool,
        began: Instant,
        timeout: Duration,
        failure: &str,
    ) -> Result<()> {
        while !is_so(self) {
            self.process.ensure_running().with_context(|| self.log())?;
            ensure!(began.elapsed() < timeout, "{failure} after {timeout:?}: {}", self.log());
            sleep(POLL_INTERVAL);
        }
        Ok(())
    }

    /// Starts the service with the demo, on one worker, without limits for requests that carry no key.
    pub(crate) fn start_open(program: &Program) -> Result<Self> {
        let limits = ["preview", "site_searches"].into_iter().flat_map(|group| {
            let names = ["per_minute", "per_day", "per_minute_all"];
            names.map(|name| format!("{group}.{name}={UNLIMITED}"))
        });
        let limits: Vec<String> = limits.collect();
        let settings: Vec<&str> =
            ["limits.workers=1"].into_iter().chain(limits.iter().map(String::as_str)).collect();
        Ok(Self::start(program, None, &settings)?.0)
    }

    /// Pins the service to one processor and the calling thread, which sends requests, to the other.
    pub(crate) fn pin(&self, processors: Processors) -> Result<()> {
        pin(None, processors.load)?;
        self.process.pin(processors.server)
    }

    /// A question as a request of `POST /v1` for so many records.
    pub(crate) fn v1_request(&self, question: &Question, limit: usize) -> Vec<u8> {
        wire::post_request("/v1", &[("x-api-key", &self.key)], &question.body(limit))
    }

    /// A question as a GET request for so many records, perhaps with one more parameter, from a client that may have
    /// the answer with this entity tag.
    pub(crate) fn get_request(
        &self,
        question: &Question,
        limit: usize,
        more: Option<(&str, &str)>,
        tag: Option<&str>,
    ) -> Vec<u8> {
        let params = question.params(limit);
        let fields = params.as_object().into_iter().flatten();
        let fields: Vec<(&str, String)> = fields
            .map(|(name, value)| (name.as_str(), value.as_str().map_or(value.to_string(), str::to_owned)))
            .collect();
        let fields: Vec<(&str, &str)> =
            fields.iter().map(|(name, value)| (*name, value.as_str())).chain(more).collect();
        let mut headers = vec![("x-api-key", self.key.as_str())];
        headers.extend(tag.map(|tag| ("if-none-match", tag)));
        let path = if question.action() == "search_events" { "/v1/events" } else { "/v1/places" };
        wire::get_request(path, &fields, &headers)
    }

    /// Publishes a snapshot and waits until it is live. Returns how long that took from the end of the command.
    pub(crate) fn publish(&mut self, packed: &Packed) -> Result<Duration> {
        let before = self.served().context("the service is not ready")?;
        let publishing = start_publishing(&self.program, &self.folder, packed)?;
        self.goes_live(publishing, packed, &before)
    }

    /// Publishes a snapshot again; how long the service takes to serve it. The checks of a new snapshot, which a
    /// curator's machine makes, are left out.
    pub(crate) fn publish_again(&mut self, packed: &Packed) -> Result<Duration> {
        let mut command = command(&self.program, &self.folder)?;
        command.args(["snapshot", "rollback", &packed.digest.to_string()]).stdout(Stdio::null());
        let before = self.served().context("the service is not ready")?;
        let publishing = Process::start("publishing again", &mut command)?;
        self.goes_live(publishing, packed, &before)
    }

    /// How long it takes from the end of `publishing` until the snapshot is served in place of `before`.
    fn goes_live(&mut self, mut publishing: Process, packed: &Packed, before: &Served) -> Result<Duration> {
        publishing.wait_success(PUBLISH_TIMEOUT)?;
        let began = Instant::now();
        let is_live = |service: &Self| {
            service.served().is_some_and(|now| now.serial > before.serial && now.digest == packed.digest)
        };
        self.wait_until(is_live, began, PUBLISH_TIMEOUT, "a snapshot is not live")?;
        Ok(began.elapsed())
    }

    fn served(&self) -> Option<Served> {
        #[derive(Deserialize)]
        struct Readiness {
            snapshot: Option<Served>,
        }
        let body = wire::get(self.ops, "/readyz").ok()?;
        serde_json::from_slice::<Readiness>(&body).ok()?.snapshot
    }

    /// The last lines of its log.
    fn log(&self) -> String {
        let log = std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
        let lines: Vec<&str> = log.lines().collect();
        format!("its log ends with\n{}", lines[lines.len().saturating_sub(10)..].join("\n"))
    }
}

/// The demo, or a snapshot of so many records that is made from it.
pub(crate) fn snapshot(records: Option<usize>, seed: u64) -> Result<Snapshot> {
    let today = Clock::machine().today().date();
    let demo = check(&demo::files(), today)?.on(today, &Hidden::default())?;
    Ok(match records {
        Some(records) => big::snapshot(&demo, records, seed, today),
        None => demo,
    })
}

/// The program on that data folder, with limits out of reach and without settings from this environment.
fn command(program: &Path, folder: &TempDir) -> Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("exec").arg(program);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("CANDANGO_") {
            command.env_remove(name);
        }
    }
    command
        .env("CANDANGO_PLANS__BUSINESS__PER_MINUTE", UNLIMITED)
        .env("CANDANGO_PLANS__BUSINESS__PER_MONTH", UNLIMITED);
    command.current_dir(folder.path()).arg("--data").arg(folder.path().join("data")).stdin(Stdio::null());
    Ok(command)
}

/// Writes a packed snapshot beside the data folder and runs `candango snapshot publish` on it.
fn start_publishing(program: &Path, folder: &TempDir, packed: &Packed) -> Result<Process> {
    let file = folder.path().join(format!("{}.json.zst", packed.digest));
    if !file.exists() {
        std::fs::write(&file, &packed.bytes)?;
    }
    // a data folder that is missing may be misspelt, and nothing is published for it
    std::fs::create_dir_all(folder.path().join("data"))?;
    let mut publish = command(program, folder)?;
    publish.args(["snapshot", "publish"]).arg(file).stdout(Stdio::null());
    Process::start("publishing", &mut publish)
}

/// A key on the largest plan.
fn issue(program: &Path, folder: &TempDir) -> Result<String> {
    #[derive(Deserialize)]
    struct Issued {
        api_key: String,
    }
    std::fs::create_dir_all(folder.path().join("data"))?;
    let mut issue = command(program, folder)?;
    issue.args(["key", "issue", "--email", "load@example.com", "--plan", "business", "--json"]);
    let output = issue.stderr(Stdio::inherit()).output().context("issuing a key")?;
    ensure!(output.status.success(), "a key could not be issued");
    let issued: Issued = serde_json::from_slice(&output.stdout).context("unexpected output of key issue")?;
    Ok(issued.api_key)
}
