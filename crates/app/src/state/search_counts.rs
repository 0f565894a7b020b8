//! The numbers of unread threads that each saved search finds.

use std::collections::HashMap;

use parking_lot::Mutex;
use tidings_replica::UnreadThreads;
use tokio::sync::Notify;

/// The counts of the saved searches, by search id.
#[derive(Default)]
pub(crate) struct SearchCounts {
    unread: Mutex<HashMap<i64, UnreadThreads>>,
    requested: Notify,
}

impl SearchCounts {
    /// The last count of a search; none if it was not counted yet.
    pub(crate) fn unread(&self, search: i64) -> UnreadThreads {
        self.unread.lock().get(&search).copied().unwrap_or_default()
    }

    /// Requests a count although nothing changed.
    pub(crate) fn request(&self) {
        self.requested.notify_one();
    }

    /// Waits until a count is requested.
    pub(crate) async fn requested(&self) {
        self.requested.notified().await;
    }

    /// Sets the counts; whether any changed.
    pub(crate) fn replace(&self, counts: HashMap<i64, UnreadThreads>) -> bool {
        let mut unread = self.unread.lock();
        let differs = *unread != counts;
        *unread = counts;
        differs
    }

    pub(crate) fn len(&self) -> usize {
        self.unread.lock().len()
    }
}
