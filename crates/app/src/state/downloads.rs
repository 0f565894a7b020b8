//! The running downloads of attachments and their progress.

use std::collections::HashMap;

use parking_lot::Mutex;
use tidings_ipc::FileState;
use tokio::task::AbortHandle;

use crate::events::FileKey;

struct Download {
    /// Bytes downloaded so far.
    done: u64,
    /// Bytes in all, if known.
    total: Option<u64>,
    task: AbortHandle,
}

impl Download {
    const fn state(&self) -> FileState {
        FileState::Fetching { done: self.done, of: self.total }
    }
}

/// All running downloads.
#[derive(Default)]
pub(crate) struct Downloads(Mutex<HashMap<FileKey, Download>>);

impl Downloads {
    /// Starts a download of `total` bytes unless it runs already; returns its progress.
    pub(crate) fn start(
        &self,
        key: FileKey,
        total: Option<u64>,
        spawn: impl FnOnce() -> AbortHandle,
    ) -> FileState {
        // The task takes this lock before it ends, so it is registered by then.
        self.0.lock().entry(key).or_insert_with(|| Download { done: 0, total, task: spawn() }).state()
    }

    /// Records the progress of a download and returns it; `None` if it was cancelled.
    pub(crate) fn progress(&self, key: &FileKey, done: u64, total: Option<u64>) -> Option<FileState> {
        let mut all = self.0.lock();
        let download = all.get_mut(key)?;
        (download.done, download.total) = (done, total.or(download.total));
        Some(download.state())
    }

    /// Removes a download that has ended; `false` if it was cancelled before.
    pub(crate) fn finish(&self, key: &FileKey) -> bool {
        self.0.lock().remove(key).is_some()
    }

    /// Cancels a download.
    pub(crate) fn cancel(&self, key: &FileKey) {
        if let Some(download) = self.0.lock().remove(key) {
            download.task.abort();
        }
    }

    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.lock().is_empty()
    }
}
