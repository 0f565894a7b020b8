//! How many icons are fetched at once.

use tokio::sync::{AcquireError, Semaphore, SemaphorePermit};

/// The most icons that are fetched at once.
const MAX_FETCHES: usize = 4;

/// Limits how many icons are fetched at once.
pub(crate) struct IconFetches(Semaphore);

impl Default for IconFetches {
    fn default() -> Self {
        Self(Semaphore::new(MAX_FETCHES))
    }
}

impl IconFetches {
    /// Waits until one more may be fetched.
    pub(crate) async fn turn(&self) -> Result<SemaphorePermit<'_>, AcquireError> {
        self.0.acquire().await
    }
}
