//! The state of a connection: whether it is at work, since when it is idle, and whether it has to close.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use tokio_util::sync::{CancellationToken, DropGuard};

/// A connection. Clones are the same one.
#[derive(Clone)]
pub(crate) struct ConnectionState(Arc<Inner>);

struct Inner {
    peer: IpAddr,
    born: Instant,
    /// Requests under way.
    serving: AtomicUsize,
    /// Something of an answer is not with the system yet.
    unsent: AtomicBool,
    /// Microseconds after its birth at which it began to wait for a request.
    waits_since: AtomicU64,
    /// Bytes that came since then.
    head: AtomicUsize,
    /// A client may still be sending when the connection ends.
    lingers: AtomicBool,
    end: CancellationToken,
}

impl ConnectionState {
    pub(super) fn new(peer: IpAddr) -> Self {
        Self(Arc::new(Inner {
            peer,
            born: Instant::now(),
            serving: AtomicUsize::new(0),
            unsent: AtomicBool::new(false),
            waits_since: AtomicU64::new(0),
            head: AtomicUsize::new(0),
            lingers: AtomicBool::new(false),
            end: CancellationToken::new(),
        }))
    }

    pub(super) fn peer(&self) -> IpAddr {
        self.0.peer
    }

    /// Since when it waits for a request, or for the rest of a head; none while it is at work.
    pub(super) fn waits_since(&self) -> Option<Instant> {
        if self.0.serving.load(Ordering::Acquire) > 0 || self.0.unsent.load(Ordering::Acquire) {
            return None;
        }
        let micros = self.0.waits_since.load(Ordering::Acquire);
        self.0.born.checked_add(std::time::Duration::from_micros(micros))
    }

    /// A request came; it is under way for as long as the answer lives.
    pub(super) fn serve(&self) -> ActiveRequest {
        self.0.serving.fetch_add(1, Ordering::AcqRel);
        self.0.head.store(0, Ordering::Release);
        ActiveRequest(self.clone())
    }

    /// Bytes came; how many there are of a head that is not whole yet, 0 while a request is under way.
    pub(super) fn came(&self, bytes: usize) -> usize {
        if self.0.serving.load(Ordering::Acquire) > 0 {
            return 0;
        }
        self.0.head.fetch_add(bytes, Ordering::AcqRel) + bytes
    }

    /// Bytes that came of a head that is not whole yet.
    pub(super) fn head(&self) -> usize {
        self.0.head.load(Ordering::Acquire)
    }

    /// Whether something of an answer is not with the system yet.
    pub(super) fn set_unsent(&self, unsent: bool) {
        if self.0.unsent.swap(unsent, Ordering::AcqRel) && !unsent {
            self.waits();
        }
    }

    fn waits(&self) {
        let micros = u64::try_from(self.0.born.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.0.waits_since.store(micros, Ordering::Release);
    }

    /// What the client still sends at the end is read for a while, so that it sees the answer.
    pub(crate) fn linger(&self) {
        self.0.lingers.store(true, Ordering::Release);
    }

    pub(super) fn lingers(&self) -> bool {
        self.0.lingers.load(Ordering::Acquire)
    }

    /// Ends it: somebody else needs the room.
    pub(super) fn end(&self) {
        self.0.end.cancel();
    }

    /// Done when it has to end.
    pub(super) async fn ended(&self) {
        self.0.end.cancelled().await;
    }
}

/// Tells a request whether its client left.
#[derive(Clone, Default)]
pub(crate) struct ClientPresence(CancellationToken);

impl ClientPresence {
    /// Done when the client left before it was answered.
    pub(crate) async fn left(&self) {
        self.0.cancelled().await;
    }

    /// The client has left where this is dropped before it is disarmed.
    pub(super) fn waits(&self) -> DropGuard {
        self.0.clone().drop_guard()
    }
}

/// A request under way.
pub(super) struct ActiveRequest(ConnectionState);

impl Drop for ActiveRequest {
    fn drop(&mut self) {
        self.0.waits();
        self.0.0.serving.fetch_sub(1, Ordering::AcqRel);
    }
}
