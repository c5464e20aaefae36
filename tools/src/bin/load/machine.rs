//! Processors and processes, as `/proc` tells of them.

use std::ffi::OsString;
use std::fs;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::Args;
use rustix::process::{Pid, Signal, set_parent_process_death_signal, setpriority_process};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// The two processors of a comparison.
#[derive(Clone, Copy)]
pub(crate) struct Processors {
    /// Where the servers run.
    pub(crate) server: usize,
    /// Where the load comes from.
    pub(crate) load: usize,
}

impl Processors {
    /// The first and the last of those this process may use.
    pub(crate) fn of_this_machine() -> Result<Self> {
        let allowed = sched_getaffinity(None).context("the processors of this machine")?;
        let mut numbers = (0..CpuSet::MAX_CPU).filter(|number| allowed.is_set(*number));
        match (numbers.next(), numbers.next_back()) {
            (Some(server), Some(load)) => Ok(Self { server, load }),
            _ => bail!("two processors are needed: one for the server, one for the load"),
        }
    }
}

/// Keeps a thread on one processor; `None` is the calling one.
fn keep(thread: Option<Pid>, processor: usize) -> Result<()> {
    let mut set = CpuSet::new();
    set.set(processor);
    sched_setaffinity(thread, &set).with_context(|| format!("moving to processor {processor}"))
}

/// Keeps the calling thread on one processor.
pub(crate) fn keep_here(processor: usize) -> Result<()> {
    keep(None, processor)
}

/// A process that ends when this is dropped.
pub(crate) struct Running {
    child: Child,
    name: &'static str,
}

impl Running {
    /// Starts a program.
    pub(crate) fn start(name: &'static str, command: &mut Command) -> Result<Self> {
        let child = command.spawn().with_context(|| format!("starting {name}"))?;
        Ok(Self { child, name })
    }

    /// Fails when it ended by itself.
    pub(crate) fn must_live(&mut self) -> Result<()> {
        match self.child.try_wait()? {
            Some(status) => bail!("{} ended by itself: {status}", self.name),
            None => Ok(()),
        }
    }

    /// Keeps all its threads on one processor; those to come inherit it.
    pub(crate) fn keep_on(&self, processor: usize) -> Result<()> {
        let folder = format!("/proc/{}/task", self.child.id());
        for thread in fs::read_dir(&folder).with_context(|| folder.clone())? {
            let number = thread?.file_name().to_string_lossy().parse().ok().and_then(Pid::from_raw);
            keep(Some(number.context("a thread without a number")?), processor)?;
        }
        Ok(())
    }

    /// Lets others go first.
    pub(crate) fn yield_to_others(&self) -> Result<()> {
        setpriority_process(Some(Pid::from_child(&self.child)), 10).context("lowering a priority")
    }

    /// Waits for its end, which must be a good one and come in time.
    pub(crate) fn must_succeed(&mut self, in_time: Duration) -> Result<()> {
        let began = Instant::now();
        loop {
            match self.child.try_wait()? {
                Some(status) if status.success() => return Ok(()),
                Some(status) => bail!("{} failed: {status}", self.name),
                None if began.elapsed() > in_time => bail!("{} takes longer than {in_time:?}", self.name),
                None => sleep(Duration::from_millis(2)),
            }
        }
    }

    /// The processor time it has used, all its threads together, those that ended included.
    pub(crate) fn processor_time(&self) -> Result<Duration> {
        let stat = self.told("stat")?;
        // the second field is the program's name in brackets, which may hold anything
        let mut fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11);
        let mut ticks =
            || fields.next().and_then(|field| field.parse::<u64>().ok()).context("no times in stat");
        let ticks = ticks()? + ticks()?;
        Ok(Duration::from_secs_f64(ticks as f64 / rustix::param::clock_ticks_per_second() as f64))
    }

    /// The memory it holds, in MB.
    pub(crate) fn resident_mb(&self) -> Result<f64> {
        let status = self.told("status")?;
        let line =
            status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("no VmRSS in status")?;
        let kb: f64 = line.trim().trim_end_matches(" kB").parse().context("no number in VmRSS")?;
        Ok(kb / 1_000.0)
    }

    fn told(&self, file: &str) -> Result<String> {
        let path = format!("/proc/{}/{file}", self.child.id());
        fs::read_to_string(&path).with_context(|| path.clone())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // one that ended already is as it should be
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A program to become, which ends when the process that started this one does, however that ends.
#[derive(Args)]
pub(crate) struct Become {
    program: PathBuf,
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

impl Become {
    /// Becomes the program; returns only when it cannot.
    pub(crate) fn run(&self) -> Result<()> {
        set_parent_process_death_signal(Some(Signal::KILL))?;
        Err(Command::new(&self.program).args(&self.arguments).exec()).context("becoming a program")
    }
}

/// An address of the loopback where nobody listens.
pub(crate) fn free_address() -> Result<SocketAddr> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?)
}
