//! Work that takes a processor for long, on a thread of its own that gives way to those that answer requests.

use std::io;
use std::thread;

use rustix::process::setpriority_process;
use rustix::thread::gettid;
use tokio::sync::oneshot;

/// How much such a thread gives way.
const NICENESS: i32 = 15;

/// Why work was not done.
#[derive(Debug)]
pub(crate) enum NotDone {
    /// No thread can be started for it.
    NoThread(io::Error),
    /// It panicked.
    Panicked,
}

/// Does some work on a thread with a name. Where nobody is answered meanwhile, it need not give way. Threads that it
/// starts give way as it does. The work goes on when the future is dropped.
pub(crate) async fn run<T: Send + 'static>(
    name: &str,
    gives_way: bool,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, NotDone> {
    let (done, result) = oneshot::channel();
    let thread = thread::Builder::new().name(name.to_owned()).spawn(move || {
        if gives_way {
            give_way();
        }
        let _ = done.send(work());
    });
    thread.map_err(NotDone::NoThread)?;
    result.await.map_err(|_| NotDone::Panicked)
}

fn give_way() {
    if let Err(error) = setpriority_process(Some(gettid()), NICENESS) {
        tracing::debug!(%error, "the priority of a thread cannot be lowered");
    }
}
