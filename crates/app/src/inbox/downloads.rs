//! The files that are being downloaded, and how far each is.

use std::collections::HashMap;
use std::sync::Mutex;

use tokio::task::AbortHandle;

use crate::app::lock;
use crate::ipc::{FileState, ThreadId};

/// A file by its item: the thread and the item's msgid.
pub(crate) type FileKey = (ThreadId, String);

struct Download {
    /// Bytes that are here.
    done: u64,
    /// Bytes in all, where known.
    of: Option<u64>,
    task: AbortHandle,
}

impl Download {
    const fn state(&self) -> FileState {
        FileState::Fetching { done: self.done, of: self.of }
    }
}

/// Every download that runs.
#[derive(Default)]
pub(crate) struct Downloads(Mutex<HashMap<FileKey, Download>>);

impl Downloads {
    /// Starts a download of `of` bytes, unless it runs already; gives how far it is.
    pub(crate) fn start(
        &self,
        key: FileKey,
        of: Option<u64>,
        spawn: impl FnOnce() -> AbortHandle,
    ) -> FileState {
        // The task waits for this lock before it is done.
        lock(&self.0).entry(key).or_insert_with(|| Download { done: 0, of, task: spawn() }).state()
    }

    /// How far it is now; none where it was cancelled.
    pub(crate) fn progress(&self, key: &FileKey, done: u64, of: Option<u64>) -> Option<FileState> {
        let mut all = lock(&self.0);
        let download = all.get_mut(key)?;
        (download.done, download.of) = (done, of.or(download.of));
        Some(download.state())
    }

    /// It is over; false where it was cancelled before.
    pub(crate) fn finish(&self, key: &FileKey) -> bool {
        lock(&self.0).remove(key).is_some()
    }

    /// Gives it up.
    pub(crate) fn cancel(&self, key: &FileKey) {
        if let Some(download) = lock(&self.0).remove(key) {
            download.task.abort();
        }
    }

    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        lock(&self.0).is_empty()
    }
}
