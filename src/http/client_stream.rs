//! The stream of a connection as hyper uses it: small reads, each shown to the connection, which is also told of
//! writes.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// The most bytes of one read. Hyper's buffer begins at 8 KB and doubles whenever a read fills it, up to the longest
/// head, and a connection keeps it to its end. Reads that are shorter than the first buffer leave it as it is.
const MAX_READ: usize = 8 * 1024 - 1;

/// A TCP stream whose reads are bounded and shown to `on_read`. `on_write` hears of each write that the client made
/// room for.
pub(super) struct ClientStream<R, W> {
    stream: TcpStream,
    on_read: R,
    on_write: W,
}

impl<R: FnMut(&[u8]), W: FnMut()> ClientStream<R, W> {
    pub(super) fn new(stream: TcpStream, on_read: R, on_write: W) -> ClientStream<R, W> {
        ClientStream { stream, on_read, on_write }
    }
}

impl<R: FnMut(&[u8]) + Unpin, W: Unpin> AsyncRead for ClientStream<R, W> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let mut bounded = buffer.take(MAX_READ);
        ready!(Pin::new(&mut self.stream).poll_read(context, &mut bounded))?;
        (self.on_read)(bounded.filled());
        let read = bounded.filled().len();
        // SAFETY: `bounded` is the beginning of the unfilled part of `buffer`, and its filled bytes are initialized
        unsafe { buffer.assume_init(read) };
        buffer.advance(read);
        Poll::Ready(Ok(()))
    }
}

impl<R: Unpin, W: FnMut() + Unpin> AsyncWrite for ClientStream<R, W> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.stream).poll_write(context, bytes))?;
        (self.on_write)();
        Poll::Ready(Ok(written))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
