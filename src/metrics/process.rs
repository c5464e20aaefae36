//! The metrics that Prometheus expects of every process, read from the operating system when they are asked for.

use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::{Registry, Unit};
use rustix::process::{Resource, getrlimit};
use rustix::time::{ClockId, clock_gettime};

/// Names and reads them. What cannot be read is left out.
pub(super) fn register(to: &mut Registry) {
    let cpu = clock_gettime(ClockId::ProcessCPUTime);
    let seconds = cpu.tv_sec as f64 + cpu.tv_nsec as f64 / 1e9;
    let help = "Processor time of all threads";
    to.register_with_unit("process_cpu", help, Unit::Seconds, ConstCounter::new(seconds));
    if let Some(bytes) = resident_bytes() {
        let help = "Memory in use that is not swapped out";
        to.register_with_unit("process_resident_memory", help, Unit::Bytes, ConstGauge::new(bytes));
    }
    if let Some(open) = open_files() {
        to.register("process_open_fds", "Open files, connections included", ConstGauge::new(open));
    }
    if let Some(max) = getrlimit(Resource::Nofile).current {
        to.register("process_max_fds", "Files that may be open at once", ConstGauge::new(max));
    }
}

fn resident_bytes() -> Option<u64> {
    let pages = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = pages.split(' ').nth(1)?.parse().ok()?;
    Some(pages.saturating_mul(rustix::param::page_size() as u64))
}

fn open_files() -> Option<u64> {
    let listed = std::fs::read_dir("/proc/self/fd").ok()?.count();
    // one of them is the folder that is listed
    u64::try_from(listed.saturating_sub(1)).ok()
}
