//! What a request waits for in this store ends with its time: a turn, or a write that has not begun.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tidings_store::Error;
use tidings_store::request_time::StoreWait;
use tokio::time::timeout_at;

/// The error of a request that ran out of time.
pub(super) fn late() -> Error {
    Error::unavailable("the store takes too long")
}

/// Waits for a turn, no longer than the request may wait for its store.
///
/// # Errors
/// [`Error::Unavailable`] if the time of the request has ended.
pub(super) async fn in_time<T>(turn: impl Future<Output = T>) -> Result<T, Error> {
    let wait = StoreWait::begin();
    match wait.end() {
        Some(end) => timeout_at(end, turn).await.map_err(|_| late()),
        None => Ok(turn.await),
    }
}

/// The decision about a write, which the first one makes: the writer, which begins it, or its request, whose time has
/// ended.
#[derive(Clone, Default)]
pub(super) struct Decision(Arc<AtomicBool>);

impl Decision {
    fn is_first(&self) -> bool {
        !self.0.swap(true, Ordering::AcqRel)
    }

    /// To be called when the write begins.
    ///
    /// # Errors
    /// [`Error::Unavailable`] if nobody waits for it any more.
    pub(super) fn begin(&self) -> Result<(), Error> {
        if self.is_first() { Ok(()) } else { Err(late()) }
    }

    /// Waits for a write that calls [`Decision::begin`]. One that has begun is waited for: it is short.
    ///
    /// # Errors
    /// [`Error::Unavailable`] if the time of the request has ended before; then nothing is written.
    pub(super) async fn wait_for<T>(self, write: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        let wait = StoreWait::begin();
        let Some(end) = wait.end() else { return write.await };
        let mut write = pin!(write);
        match timeout_at(end, &mut write).await {
            Ok(done) => done,
            Err(_) if self.is_first() => Err(late()),
            Err(_) => write.await,
        }
    }
}
