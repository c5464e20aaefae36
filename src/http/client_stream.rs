//! The stream of a connection as hyper reads it: small reads, each shown to the connection.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// The most bytes of one read. Hyper's buffer begins at 8 KB and doubles whenever a read fills it, up to the longest head,
/// and a connection keeps it to its end. Reads that are shorter than the first buffer leave it as it is.
const MAX_READ: usize = 8 * 1024 - 1;

/// A TCP stream whose reads are bounded and shown to `on_read`.
pub(super) struct ClientStream<F> {
    stream: TcpStream,
    on_read: F,
}

impl<F: FnMut(&[u8]) + Unpin> ClientStream<F> {
    pub(super) fn new(stream: TcpStream, on_read: F) -> ClientStream<F> {
        ClientStream { stream, on_read }
    }
}

impl<F: FnMut(&[u8]) + Unpin> AsyncRead for ClientStream<F> {
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

impl<F: Unpin> AsyncWrite for ClientStream<F> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
