//! The state of a connection: whether it is busy, since when it is waiting, and whether it has to close.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use tokio_util::sync::{CancellationToken, DropGuard};

/// The state of one connection. Clones share it.
#[derive(Clone)]
pub(crate) struct ConnectionState(Arc<Inner>);

struct Inner {
    peer: IpAddr,
    born: Instant,
    /// Requests in progress.
    serving: AtomicUsize,
    /// Whether a part of a response has not been passed to the system yet.
    unsent: AtomicBool,
    /// Microseconds between `born` and the time since which it waits for a request.
    waits_since: AtomicU64,
    /// Bytes received of a head that is not complete yet.
    head: AtomicUsize,
    /// Whether remaining input is read before the connection closes, because the client may still be sending.
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

    /// The time since which it waits for a request or for the rest of a head; `None` while it is busy.
    pub(super) fn waits_since(&self) -> Option<Instant> {
        if self.0.serving.load(Ordering::Acquire) > 0 || self.0.unsent.load(Ordering::Acquire) {
            return None;
        }
        let micros = self.0.waits_since.load(Ordering::Acquire);
        self.0.born.checked_add(std::time::Duration::from_micros(micros))
    }

    /// Marks the start of a request, which is active until the returned value is dropped.
    pub(super) fn serve(&self) -> ActiveRequest {
        self.0.serving.fetch_add(1, Ordering::AcqRel);
        self.0.head.store(0, Ordering::Release);
        ActiveRequest(self.clone())
    }

    /// Counts received bytes; gives those of the incomplete head so far, 0 while a request is in progress.
    pub(super) fn came(&self, bytes: usize) -> usize {
        if self.0.serving.load(Ordering::Acquire) > 0 {
            return 0;
        }
        self.0.head.fetch_add(bytes, Ordering::AcqRel) + bytes
    }

    /// Bytes received of a head that is not complete yet; 0 after it was completed.
    pub(super) fn head(&self) -> usize {
        self.0.head.load(Ordering::Acquire)
    }

    /// Sets whether a part of a response has not been passed to the system yet.
    pub(super) fn set_unsent(&self, unsent: bool) {
        if self.0.unsent.swap(unsent, Ordering::AcqRel) && !unsent {
            self.waits();
        }
    }

    fn waits(&self) {
        let micros = u64::try_from(self.0.born.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.0.waits_since.store(micros, Ordering::Release);
    }

    /// Reads remaining input for a while before the connection closes, so that the client receives the response.
    pub(crate) fn linger(&self) {
        self.0.lingers.store(true, Ordering::Release);
    }

    pub(super) fn lingers(&self) -> bool {
        self.0.lingers.load(Ordering::Acquire)
    }

    /// Asks the connection to end, because a new one needs its place.
    pub(super) fn end(&self) {
        self.0.end.cancel();
    }

    /// Completes when the connection has to end.
    pub(super) async fn ended(&self) {
        self.0.end.cancelled().await;
    }
}

/// Tells a request whether its client has disconnected.
#[derive(Clone, Default)]
pub(crate) struct ClientPresence(CancellationToken);

impl ClientPresence {
    /// Completes when the client disconnected before its response.
    pub(crate) async fn left(&self) {
        self.0.cancelled().await;
    }

    /// A guard that marks the client as disconnected when it is dropped before it is disarmed.
    pub(super) fn waits(&self) -> DropGuard {
        self.0.clone().drop_guard()
    }
}

/// A request in progress; dropping it ends it.
pub(super) struct ActiveRequest(ConnectionState);

impl Drop for ActiveRequest {
    fn drop(&mut self) {
        self.0.waits();
        self.0.0.serving.fetch_sub(1, Ordering::AcqRel);
    }
}
