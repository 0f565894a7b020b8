//! A client's socket with timeouts: a response of which nothing can be sent for a while closes the connection. It also
//! limits the number of large heads, and reads remaining input before it closes, so that the client receives the
//! response.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tidings_server_core::connections::ConnectionState;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Sleep, sleep};

/// A head of more bytes than this needs one of the permits for large heads.
const LARGE_HEAD_BYTES: usize = 8 * 1024;
/// How long remaining input is read after the response.
const LINGER_TIMEOUT: Duration = Duration::from_secs(3);
/// Bytes of remaining input that are read, at most.
const MAX_LINGER_BYTES: usize = 16 * 1024 * 1024;

/// A client's socket.
pub(super) struct Socket {
    stream: TcpStream,
    state: ConnectionState,
    /// The longest time during which nothing can be sent.
    send_timeout: Duration,
    stall_timer: Option<Pin<Box<Sleep>>>,
    large_heads: Arc<Semaphore>,
    large_head: Option<OwnedSemaphorePermit>,
    lingering: Option<(Pin<Box<Sleep>>, usize)>,
}

impl Socket {
    pub(super) fn new(
        stream: TcpStream,
        state: ConnectionState,
        send_timeout: Duration,
        large_heads: Arc<Semaphore>,
    ) -> Self {
        Self {
            stream,
            state,
            send_timeout,
            stall_timer: None,
            large_heads,
            large_head: None,
            lingering: None,
        }
    }

    /// Passes on the result of a write; a write that is pending for [`Socket::send_timeout`] is an error.
    fn track_send(&mut self, cx: &mut Context<'_>, sent: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        self.release_head_permit();
        self.state.set_unsent(true);
        if sent.is_ready() {
            self.stall_timer = None;
            return sent;
        }
        let send_timeout = self.send_timeout;
        let stall_timer = self.stall_timer.get_or_insert_with(|| Box::pin(sleep(send_timeout)));
        ready!(stall_timer.as_mut().poll(cx));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the client takes nothing of its answer")))
    }

    fn track_head(&mut self, bytes: usize) -> io::Result<()> {
        if self.state.add_head_bytes(bytes) <= LARGE_HEAD_BYTES {
            self.large_head = None;
        } else if self.large_head.is_none() {
            let permit = Arc::clone(&self.large_heads).try_acquire_owned();
            self.large_head = Some(permit.map_err(|_| io::Error::other("too many large heads at once"))?);
        }
        Ok(())
    }

    /// Frees the permit for a large head once the head is complete; bytes received with it or after it do not count.
    fn release_head_permit(&mut self) {
        if self.large_head.is_some() && self.state.head_bytes() == 0 {
            self.large_head = None;
        }
    }

    /// Reads and drops remaining input until its end, [`LINGER_TIMEOUT`] or [`MAX_LINGER_BYTES`].
    fn linger(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let (until, left) =
            self.lingering.get_or_insert_with(|| (Box::pin(sleep(LINGER_TIMEOUT)), MAX_LINGER_BYTES));
        loop {
            if until.as_mut().poll(cx).is_ready() {
                return Poll::Ready(());
            }
            let mut scratch = [std::mem::MaybeUninit::uninit(); 8 * 1024];
            let mut buf = ReadBuf::uninit(&mut scratch);
            let read = ready!(Pin::new(&mut self.stream).poll_read(cx, &mut buf));
            let n = buf.filled().len();
            if read.is_err() || n == 0 || n > *left {
                return Poll::Ready(());
            }
            *left -= n;
        }
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.release_head_permit();
        let filled_before = buf.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, buf))?;
        let received = buf.filled().len().saturating_sub(filled_before);
        Poll::Ready(self.track_head(received))
    }
}

impl AsyncWrite for Socket {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let sent = Pin::new(&mut self.stream).poll_write(cx, buf);
        self.track_send(cx, sent)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let sent = Pin::new(&mut self.stream).poll_write_vectored(cx, bufs);
        self.track_send(cx, sent)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(cx);
        if flushed.is_ready() {
            self.state.set_unsent(false);
        }
        flushed
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.lingering.is_none() {
            ready!(Pin::new(&mut self.stream).poll_shutdown(cx))?;
        }
        if self.state.lingers() {
            ready!(self.linger(cx));
        }
        Poll::Ready(Ok(()))
    }
}
