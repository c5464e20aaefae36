//! What systemd, or another service manager, gives and is told: sockets that it holds across a restart, readiness, the
//! stop, and that the service is alive. Without one nothing happens.

use std::net::TcpListener;
use std::time::Duration;

use anyhow::{Context, Result};
use listenfd::ListenFd;
use sd_notify::NotifyState;

/// Sockets that the service manager holds (`LISTEN_FDS`).
#[derive(Debug, Default)]
pub struct Sockets {
    /// The public one: the first.
    pub public: Option<TcpListener>,
    /// The operator's: the second.
    pub ops: Option<TcpListener>,
}

impl Sockets {
    /// Takes the sockets of this process.
    pub fn take() -> Result<Sockets> {
        let mut given = ListenFd::from_env();
        let mut socket = |index| {
            let taken = given.take_tcp_listener(index);
            taken.with_context(|| format!("the socket {index} of LISTEN_FDS is not one of TCP"))
        };
        Ok(Sockets { public: socket(0)?, ops: socket(1)? })
    }
}

/// Tells that the service accepts connections.
pub fn ready() {
    tell(NotifyState::Ready);
}

/// Tells that the service is about to stop.
pub fn stopping() {
    tell(NotifyState::Stopping);
}

/// Tells again and again that the service is alive, while it is: a manager with a watchdog restarts it otherwise.
pub async fn keep_watch(is_alive: impl Fn() -> bool) {
    let Some(time) = sd_notify::watchdog_enabled() else { return std::future::pending().await };
    let mut ticks = tokio::time::interval((time / 3).max(Duration::from_millis(10)));
    loop {
        ticks.tick().await;
        if is_alive() {
            tell(NotifyState::Watchdog);
        }
    }
}

fn tell(state: NotifyState<'_>) {
    if let Err(error) = sd_notify::notify(&[state]) {
        tracing::warn!(%error, "the service manager cannot be told");
    }
}
