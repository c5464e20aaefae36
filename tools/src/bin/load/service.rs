//! The program under load, with a data folder of its own.

use std::fs::File;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use serde::Deserialize;
use snapshots::{Digest, Packed};
use tempfile::TempDir;

use crate::machine::{Running, free_address};
use crate::wire;

/// How long the service may take to become ready.
const STARTING: Duration = Duration::from_secs(120);

/// How long publishing a snapshot may take, and from there its way into service.
const PUBLISHING: Duration = Duration::from_secs(60);

/// How often it is looked whether it has.
const LOOK: Duration = Duration::from_millis(5);

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

/// The service, running.
pub(crate) struct Service {
    /// Where it answers.
    pub(crate) public: SocketAddr,
    /// A key without limits worth speaking of.
    pub(crate) key: String,
    /// Its process.
    pub(crate) running: Running,
    ops: SocketAddr,
    program: PathBuf,
    folder: TempDir,
}

/// The snapshot in service.
#[derive(Deserialize)]
struct InService {
    serial: u64,
    digest: Digest,
}

impl Service {
    /// Starts the service, with that snapshot published (else it serves the demo) and `settings` above the
    /// defaults. Tells how long it took to become ready.
    pub(crate) fn start(
        program: &Program,
        snapshot: Option<&Packed>,
        settings: &[&str],
    ) -> Result<(Self, Duration)> {
        let program = program.path()?;
        let folder = tempfile::tempdir()?;
        if let Some(packed) = snapshot {
            let file = lay(&folder, packed)?;
            publishing(&program, &folder, &file)?.must_succeed(PUBLISHING)?;
        }
        let key = issue(&program, &folder)?;
        let (public, ops) = (free_address()?, free_address()?);
        let mut serve = command(&program, &folder)?;
        serve.args(["--listen", &public.to_string(), "--ops-listen", &ops.to_string()]);
        serve.args(settings.iter().flat_map(|setting| ["--set", setting]));
        let log = File::create(folder.path().join("log"))?;
        serve.stdout(log.try_clone()?).stderr(log);
        let began = Instant::now();
        let running = Running::start("candango", &mut serve)?;
        let mut service = Self { public, key, running, ops, program, folder };
        while service.in_service().is_none() {
            service.running.must_live().with_context(|| service.log())?;
            ensure!(
                began.elapsed() < STARTING,
                "candango is not ready after {STARTING:?}: {}",
                service.log()
            );
            sleep(LOOK);
        }
        Ok((service, began.elapsed()))
    }

    /// Publishes a snapshot and waits until it is in service. Tells how long it took from the end of the command.
    pub(crate) fn publish(&mut self, packed: &Packed) -> Result<Duration> {
        let before = self.in_service().context("the service is not ready")?;
        let file = lay(&self.folder, packed)?;
        let mut publishing = publishing(&self.program, &self.folder, &file)?;
        // curators work on machines of their own
        publishing.yield_to_others()?;
        publishing.must_succeed(PUBLISHING)?;
        let began = Instant::now();
        loop {
            let now = self.in_service();
            if now.is_some_and(|now| now.serial > before.serial && now.digest == packed.digest) {
                return Ok(began.elapsed());
            }
            self.running.must_live().with_context(|| self.log())?;
            if began.elapsed() > PUBLISHING {
                bail!("a snapshot is not in service after {PUBLISHING:?}: {}", self.log());
            }
            sleep(LOOK);
        }
    }

    fn in_service(&self) -> Option<InService> {
        #[derive(Deserialize)]
        struct Readiness {
            snapshot: Option<InService>,
        }
        let (_, body) = wire::get(self.ops, "/readyz").ok()?;
        serde_json::from_slice::<Readiness>(&body).ok()?.snapshot
    }

    /// The end of what it logged.
    fn log(&self) -> String {
        let log = std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
        let lines: Vec<&str> = log.lines().collect();
        format!("its log ends with\n{}", lines[lines.len().saturating_sub(10)..].join("\n"))
    }
}

/// The program on that folder: with the limits lifted, and no other setting of the environment it is run in.
fn command(program: &Path, folder: &TempDir) -> Result<Command> {
    const LIMITLESS: &str = "2000000000";
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("become").arg(program);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("CANDANGO_") {
            command.env_remove(name);
        }
    }
    command
        .env("CANDANGO_PLANS__BUSINESS__PER_MINUTE", LIMITLESS)
        .env("CANDANGO_PLANS__BUSINESS__PER_MONTH", LIMITLESS);
    command.current_dir(folder.path()).arg("--data").arg(folder.path().join("data")).stdin(Stdio::null());
    Ok(command)
}

fn publishing(program: &Path, folder: &TempDir, file: &Path) -> Result<Running> {
    let mut publish = command(program, folder)?;
    publish.args(["snapshot", "publish"]).arg(file).stdout(Stdio::null());
    Running::start("publishing", &mut publish)
}

/// Writes a packed snapshot beside the data folder.
fn lay(folder: &TempDir, packed: &Packed) -> Result<PathBuf> {
    let file = folder.path().join(format!("{}.json.zst", packed.digest));
    if !file.exists() {
        std::fs::write(&file, &packed.bytes)?;
    }
    Ok(file)
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
    let issued: Issued =
        serde_json::from_slice(&output.stdout).context("key issue does not print what it should")?;
    Ok(issued.api_key)
}
