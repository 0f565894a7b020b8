//! A client's socket with rules of progress: a response of which nothing can be sent for a while closes the connection,
//! large heads share a maximum, and at the end a client that is still sending gets to see its response.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Sleep, sleep};

use super::state::ConnectionState;

/// A head of more bytes than this takes one of the places for large ones.
const LARGE_HEAD: usize = 8 * 1024;
/// What a client still sends after its answer is read for so long.
const LINGER: Duration = Duration::from_secs(3);
/// Bytes that are read then.
const LINGER_BYTES: usize = 16 * 1024 * 1024;

/// A socket.
pub(super) struct Socket {
    stream: TcpStream,
    state: ConnectionState,
    /// Nothing may be sent for so long.
    patience: Duration,
    stalled: Option<Pin<Box<Sleep>>>,
    large_heads: Arc<Semaphore>,
    large_head: Option<OwnedSemaphorePermit>,
    lingering: Option<(Pin<Box<Sleep>>, usize)>,
}

impl Socket {
    pub(super) fn new(
        stream: TcpStream,
        state: ConnectionState,
        patience: Duration,
        large_heads: Arc<Semaphore>,
    ) -> Self {
        Self { stream, state, patience, stalled: None, large_heads, large_head: None, lingering: None }
    }

    /// Passes on whether something was sent; what can't be sent for too long is an error.
    fn sent(&mut self, cx: &mut Context<'_>, sent: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        self.forget_whole_head();
        self.state.set_unsent(true);
        if sent.is_ready() {
            self.stalled = None;
            return sent;
        }
        let patience = self.patience;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep(patience)));
        ready!(stalled.as_mut().poll(cx));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the client takes nothing of its answer")))
    }

    fn head(&mut self, bytes: usize) -> io::Result<()> {
        if self.state.came(bytes) <= LARGE_HEAD {
            self.large_head = None;
        } else if self.large_head.is_none() {
            let slot = Arc::clone(&self.large_heads).try_acquire_owned();
            self.large_head = Some(slot.map_err(|_| io::Error::other("too many large heads at once"))?);
        }
        Ok(())
    }

    /// Gives the place for a large head back once the head is whole: what came with it, or comes after it, is none.
    fn forget_whole_head(&mut self) {
        if self.large_head.is_some() && self.state.head() == 0 {
            self.large_head = None;
        }
    }

    /// Reads what still comes until it ends, or for a while.
    fn linger(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let (until, left) = self.lingering.get_or_insert_with(|| (Box::pin(sleep(LINGER)), LINGER_BYTES));
        loop {
            if until.as_mut().poll(cx).is_ready() {
                return Poll::Ready(());
            }
            let mut space = [std::mem::MaybeUninit::uninit(); 8 * 1024];
            let mut buf = ReadBuf::uninit(&mut space);
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
        self.forget_whole_head();
        let before = buf.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, buf))?;
        let came = buf.filled().len().saturating_sub(before);
        Poll::Ready(self.head(came))
    }
}

impl AsyncWrite for Socket {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let sent = Pin::new(&mut self.stream).poll_write(cx, buf);
        self.sent(cx, sent)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let sent = Pin::new(&mut self.stream).poll_write_vectored(cx, bufs);
        self.sent(cx, sent)
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
