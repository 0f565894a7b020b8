//! The state of a connection: whether it is busy, since when it is waiting, and whether it has to close.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use tokio_util::sync::{CancellationToken, DropGuard};

/// The state of one connection. Clones share it.
#[derive(Clone)]
pub struct ConnectionState(Arc<Inner>);

struct Inner {
    peer: IpAddr,
    created_at: Instant,
    /// Requests in progress.
    active_requests: AtomicUsize,
    /// Whether a part of a response has not been passed to the system yet.
    has_unsent: AtomicBool,
    /// Microseconds between `created_at` and the time since which it waits for a request.
    idle_since_micros: AtomicU64,
    /// Bytes received of a head that is not complete yet.
    head_bytes: AtomicUsize,
    /// Whether remaining input is read before the connection closes, because the client may still be sending.
    lingers: AtomicBool,
    closed: CancellationToken,
}

impl ConnectionState {
    pub(crate) fn new(peer: IpAddr) -> Self {
        Self(Arc::new(Inner {
            peer,
            created_at: Instant::now(),
            active_requests: AtomicUsize::new(0),
            has_unsent: AtomicBool::new(false),
            idle_since_micros: AtomicU64::new(0),
            head_bytes: AtomicUsize::new(0),
            lingers: AtomicBool::new(false),
            closed: CancellationToken::new(),
        }))
    }

    pub(crate) fn peer(&self) -> IpAddr {
        self.0.peer
    }

    /// The time since which it waits for a request or for the rest of a head; `None` while it is busy.
    pub fn idle_since(&self) -> Option<Instant> {
        if self.0.active_requests.load(Ordering::Acquire) > 0 || self.0.has_unsent.load(Ordering::Acquire) {
            return None;
        }
        let micros = self.0.idle_since_micros.load(Ordering::Acquire);
        self.0.created_at.checked_add(std::time::Duration::from_micros(micros))
    }

    /// Marks the start of a request, which is active until the returned value is dropped.
    pub fn begin_request(&self) -> ActiveRequest {
        self.0.active_requests.fetch_add(1, Ordering::AcqRel);
        self.0.head_bytes.store(0, Ordering::Release);
        ActiveRequest(self.clone())
    }

    /// Counts received bytes; gives those of the incomplete head so far, 0 while a request is in progress.
    pub fn add_head_bytes(&self, bytes: usize) -> usize {
        if self.0.active_requests.load(Ordering::Acquire) > 0 {
            return 0;
        }
        self.0.head_bytes.fetch_add(bytes, Ordering::AcqRel) + bytes
    }

    /// Bytes received of a head that is not complete yet; 0 after it was completed.
    pub fn head_bytes(&self) -> usize {
        self.0.head_bytes.load(Ordering::Acquire)
    }

    /// Sets whether a part of a response has not been passed to the system yet.
    pub fn set_unsent(&self, has_unsent: bool) {
        if self.0.has_unsent.swap(has_unsent, Ordering::AcqRel) && !has_unsent {
            self.mark_idle();
        }
    }

    fn mark_idle(&self) {
        let micros = u64::try_from(self.0.created_at.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.0.idle_since_micros.store(micros, Ordering::Release);
    }

    /// Reads remaining input for a while before the connection closes, so that the client receives the response.
    pub(crate) fn linger(&self) {
        self.0.lingers.store(true, Ordering::Release);
    }

    /// Whether remaining input is read before the connection closes.
    pub fn lingers(&self) -> bool {
        self.0.lingers.load(Ordering::Acquire)
    }

    /// Asks the connection to end, because a new one needs its slot.
    pub fn close(&self) {
        self.0.closed.cancel();
    }

    /// Completes when the connection has to end.
    pub async fn closed(&self) {
        self.0.closed.cancelled().await;
    }
}

/// Shows a request whether its client has disconnected.
#[derive(Clone, Default)]
pub struct ClientPresence(CancellationToken);

impl ClientPresence {
    /// Completes when the client disconnected before its response.
    pub async fn disconnected(&self) {
        self.0.cancelled().await;
    }

    /// A guard that marks the client as disconnected when it is dropped before it is disarmed.
    pub fn disconnect_guard(&self) -> DropGuard {
        self.0.clone().drop_guard()
    }
}

/// A request in progress; dropping it ends it.
pub struct ActiveRequest(ConnectionState);

impl Drop for ActiveRequest {
    fn drop(&mut self) {
        self.0.mark_idle();
        self.0.0.active_requests.fetch_sub(1, Ordering::AcqRel);
    }
}
