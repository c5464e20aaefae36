//! Writes the lines of the log on a thread of its own. Whoever logs only hands a line over: when standard error does
//! not take lines as fast as they come, or at all, they are dropped and counted, and no request waits.

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use prometheus_client::metrics::counter::Counter;
use tracing_subscriber::fmt::MakeWriter;

/// Lines that may wait; further ones are dropped.
const MAX_WAITING: usize = 8 * 1024;

/// Lines are written together up to so many bytes.
const TOGETHER_BYTES: usize = 64 * 1024;

/// How long [`LogLines::flush`] waits.
const FLUSH: Duration = Duration::from_secs(1);

/// How often [`LogLines::flush`] looks whether a full queue has room.
const RETRY: Duration = Duration::from_millis(5);

/// The queue of lines. Clones share it.
#[derive(Debug, Clone)]
pub struct LogLines {
    queue: SyncSender<LogMessage>,
    dropped: Counter,
}

#[derive(Debug)]
enum LogMessage {
    Line(Vec<u8>),
    /// Answered once all lines before it are written.
    Flush(SyncSender<()>),
}

impl LogLines {
    /// Starts to write lines to standard error.
    pub fn to_standard_error() -> io::Result<LogLines> {
        LogLines::to(io::stderr())
    }

    fn to(out: impl Write + Send + 'static) -> io::Result<LogLines> {
        let (queue, messages) = sync_channel(MAX_WAITING);
        let dropped = Counter::default();
        let unwritten = dropped.clone();
        let log = thread::Builder::new().name("log".to_owned());
        log.spawn(move || write_all(&messages, out, &unwritten))?;
        Ok(LogLines { queue, dropped })
    }

    /// Hands over a line, with its end.
    pub fn write(&self, line: Vec<u8>) {
        if self.queue.try_send(LogMessage::Line(line)).is_err() {
            self.dropped.inc();
        }
    }

    /// How many lines were dropped.
    pub fn dropped(&self) -> Counter {
        self.dropped.clone()
    }

    /// Waits until what was handed over is written, for a second at most.
    pub fn flush(&self) {
        let (done, flushed) = sync_channel(1);
        let mut message = LogMessage::Flush(done);
        // a reader that takes nothing does not keep the process from ending
        let end = Instant::now() + FLUSH;
        while let Err(TrySendError::Full(full)) = self.queue.try_send(message) {
            if Instant::now() >= end {
                return;
            }
            message = full;
            thread::sleep(RETRY);
        }
        let _ = flushed.recv_timeout(end.saturating_duration_since(Instant::now()));
    }
}

/// Writes until the last sender is gone, and counts the lines that cannot be written.
fn write_all(messages: &Receiver<LogMessage>, mut out: impl Write, unwritten: &Counter) {
    let mut bytes = Vec::new();
    while let Ok(first) = messages.recv() {
        let mut next = Some(first);
        let (mut flushed, mut lines) = (Vec::new(), 0);
        while let Some(message) = next {
            match message {
                LogMessage::Line(line) => {
                    bytes.extend_from_slice(&line);
                    lines += 1;
                }
                LogMessage::Flush(done) => flushed.push(done),
            }
            next = if bytes.len() < TOGETHER_BYTES { messages.try_recv().ok() } else { None };
        }
        if out.write_all(&bytes).and_then(|()| out.flush()).is_err() {
            // the metrics are all that is left to tell it; some of the lines may have been written
            unwritten.inc_by(lines);
        }
        bytes.clear();
        for done in flushed {
            let _ = done.try_send(());
        }
    }
}

/// One line of `tracing`, which writes each with one call.
impl Write for &LogLines {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        LogLines::write(self, line.to_vec());
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for LogLines {
    type Writer = &'a LogLines;

    fn make_writer(&'a self) -> &'a LogLines {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parking_lot::Mutex;
    use std::sync::Arc;

    /// Blocks until it may go on, then keeps what it gets.
    #[derive(Clone, Default)]
    struct Slow(Arc<(Mutex<()>, Mutex<Vec<u8>>)>);

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let _go_on = self.0.0.lock();
            self.0.1.lock().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// A full disk.
    struct Full;

    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_that_cannot_be_written_are_counted() {
        let lines = LogLines::to(Full).expect("a thread");
        (0..3).for_each(|_| lines.write(b"a line\n".to_vec()));
        lines.flush();
        assert_eq!(lines.dropped().get(), 3);
    }

    #[test]
    fn lines_beyond_the_queue_are_dropped_and_counted_and_nobody_waits() {
        let out = Slow::default();
        let lines = LogLines::to(out.clone()).expect("a thread");
        let stuck = out.0.0.lock();
        let many = 2 * MAX_WAITING;
        (0..many).for_each(|number| lines.write(format!("{number}\n").into_bytes()));
        assert!(lines.dropped().get() > 0);
        drop(stuck);
        lines.flush();
        let written = String::from_utf8(out.0.1.lock().clone()).expect("text");
        let kept: Vec<usize> = written.lines().map(|line| line.parse().expect("a whole line")).collect();
        assert!(kept.is_sorted() && kept[0] == 0);
        let dropped = usize::try_from(lines.dropped().get()).expect("a count");
        assert_eq!(kept.len() + dropped, many, "each line is written or counted");
    }
}
