//! How many files of one kind are fetched at once.

use tokio::sync::{AcquireError, Semaphore, SemaphorePermit};

/// Limits how many files of one kind are fetched at once, however many the page asks for.
pub(crate) struct Fetches(Semaphore);

impl Fetches {
    /// At most this many at once.
    pub(crate) fn at_once(most: usize) -> Self {
        Self(Semaphore::new(most))
    }

    /// Waits until one more may be fetched.
    pub(crate) async fn turn(&self) -> Result<SemaphorePermit<'_>, AcquireError> {
        self.0.acquire().await
    }
}
