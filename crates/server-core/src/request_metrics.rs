//! Counters of requests.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Classes of a status, by its first digit.
const CLASSES: usize = 6;

/// Request counters since the start of the server.
#[derive(Debug, Default)]
pub struct RequestMetrics {
    /// Responses, by the first digit of their status.
    responses: [AtomicU64; CLASSES],
    /// Total time from request to response, in microseconds; for streams until the response starts.
    micros: AtomicU64,
}

impl RequestMetrics {
    /// Counts a response.
    pub(crate) fn request(&self, status: u16, took: Duration) {
        if let Some(n) = self.responses.get(usize::from(status / 100)) {
            n.fetch_add(1, Ordering::Relaxed);
        }
        self.micros.fetch_add(u64::try_from(took.as_micros()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// The number of responses, by the first digit of their status.
    pub fn responses(&self) -> [u64; CLASSES] {
        self.responses.each_ref().map(|n| n.load(Ordering::Relaxed))
    }

    /// Total time from request to response, in microseconds; for streams until the response starts.
    pub fn micros(&self) -> u64 {
        self.micros.load(Ordering::Relaxed)
    }
}
