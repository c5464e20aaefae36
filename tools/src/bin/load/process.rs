//! Child processes, the processors they run on, and what `/proc` says of them.

use std::convert::Infallible;
use std::ffi::OsString;
use std::fs;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use rustix::process::{Pid, Signal, kill_process, set_parent_process_death_signal};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// How long a process may take to end after it was asked to.
const END_TIMEOUT: Duration = Duration::from_secs(15);

/// The two processors of a comparison.
#[derive(Clone, Copy)]
pub(crate) struct Processors {
    /// Where the servers run.
    pub(crate) server: usize,
    /// Where the load comes from.
    pub(crate) load: usize,
}

impl Processors {
    /// The first and the last that this process may use.
    pub(crate) fn available() -> Result<Self> {
        let allowed = sched_getaffinity(None).context("reading the processors of this machine")?;
        let mut numbers = (0..CpuSet::MAX_CPU).filter(|number| allowed.is_set(*number));
        match (numbers.next(), numbers.next_back()) {
            (Some(server), Some(load)) => Ok(Self { server, load }),
            _ => bail!("two processors are needed: one for the server, one for the load"),
        }
    }
}

/// Pins a thread, or the calling one, to a processor.
pub(crate) fn pin(thread: Option<Pid>, processor: usize) -> Result<()> {
    let mut set = CpuSet::new();
    set.set(processor);
    sched_setaffinity(thread, &set).with_context(|| format!("pinning to processor {processor}"))
}

/// A child process, ended when this is dropped.
pub(crate) struct Process {
    child: Child,
    name: &'static str,
}

impl Process {
    /// Starts a program.
    pub(crate) fn start(name: &'static str, command: &mut Command) -> Result<Self> {
        let child = command.spawn().with_context(|| format!("starting {name}"))?;
        Ok(Self { child, name })
    }

    /// Fails when it has ended.
    pub(crate) fn ensure_running(&mut self) -> Result<()> {
        match self.child.try_wait()? {
            Some(status) => bail!("{} ended by itself: {status}", self.name),
            None => Ok(()),
        }
    }

    /// Pins all its threads to a processor; later threads inherit it.
    pub(crate) fn pin(&self, processor: usize) -> Result<()> {
        let folder = format!("/proc/{}/task", self.child.id());
        for thread in fs::read_dir(&folder).with_context(|| folder.clone())? {
            let number = thread?.file_name().to_string_lossy().parse().ok().and_then(Pid::from_raw);
            pin(Some(number.context("a thread without a number")?), processor)?;
        }
        Ok(())
    }

    /// Waits for it to end; fails when it fails or takes longer than `timeout`.
    pub(crate) fn wait_success(&mut self, timeout: Duration) -> Result<()> {
        let status = self.wait_end(timeout)?;
        ensure!(status.success(), "{} failed: {status}", self.name);
        Ok(())
    }

    /// Waits for it to end, however it does; fails when it takes longer than `timeout`.
    fn wait_end(&mut self, timeout: Duration) -> Result<ExitStatus> {
        let began = Instant::now();
        loop {
            match self.child.try_wait()? {
                Some(status) => return Ok(status),
                None if began.elapsed() > timeout => bail!("{} takes longer than {timeout:?}", self.name),
                None => sleep(Duration::from_millis(2)),
            }
        }
    }

    /// The processor time that its threads have used, ended ones included.
    pub(crate) fn processor_time(&self) -> Result<Duration> {
        let stat = self.proc_file("stat")?;
        // the second field is the program's name in brackets, which may hold anything
        let mut fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11);
        let mut ticks =
            || fields.next().and_then(|field| field.parse::<u64>().ok()).context("no times in stat");
        let ticks = ticks()? + ticks()?;
        Ok(Duration::from_secs_f64(ticks as f64 / rustix::param::clock_ticks_per_second() as f64))
    }

    /// The memory it holds, in MB.
    pub(crate) fn resident_mb(&self) -> Result<f64> {
        self.status_mb("VmRSS:")
    }

    /// The most memory it has held since the start, or since [`Process::forget_peak`], in MB.
    pub(crate) fn peak_mb(&self) -> Result<f64> {
        self.status_mb("VmHWM:")
    }

    /// Forgets the most memory it has held.
    pub(crate) fn forget_peak(&self) -> Result<()> {
        let path = format!("/proc/{}/clear_refs", self.child.id());
        fs::write(&path, "5").with_context(|| path.clone())
    }

    fn status_mb(&self, name: &str) -> Result<f64> {
        let status = self.proc_file("status")?;
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        let line = line.with_context(|| format!("no {name} in status"))?;
        let kb: f64 =
            line.trim().trim_end_matches(" kB").parse().with_context(|| format!("no number in {name}"))?;
        Ok(kb / 1_000.0)
    }

    fn proc_file(&self, file: &str) -> Result<String> {
        let path = format!("/proc/{}/{file}", self.child.id());
        fs::read_to_string(&path).with_context(|| path.clone())
    }
}

impl Drop for Process {
    /// Asks it to end, as an operator would, and kills it when it does not: a build with `-Cprofile-generate` writes
    /// its profile at a regular end only.
    fn drop(&mut self) {
        // the number of one that has ended may be another's
        if !matches!(self.child.try_wait(), Ok(None)) {
            return;
        }
        if let Some(id) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            // it may be ending
            let _ = kill_process(id, Signal::TERM);
        }
        if self.wait_end(END_TIMEOUT).is_err() {
            eprintln!("{} did not end when asked to: it is killed", self.name);
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// A program to execute in place of this one. The kernel kills it when its parent ends, however the parent ends.
#[derive(Args)]
pub(crate) struct Exec {
    program: PathBuf,
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

impl Exec {
    /// Returns only on failure.
    pub(crate) fn run(&self) -> Result<Infallible> {
        set_parent_process_death_signal(Some(Signal::KILL))?;
        Err(Command::new(&self.program).args(&self.arguments).exec()).context("executing the program")
    }
}

/// A free port on the loopback.
pub(crate) fn free_address() -> Result<SocketAddr> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?)
}
