//! What commands that wait for I/O run on.

use std::io;

use tokio::runtime::{Builder, Runtime};

/// A runtime for one command.
pub(super) fn runtime() -> io::Result<Runtime> {
    Builder::new_current_thread().enable_all().build()
}
