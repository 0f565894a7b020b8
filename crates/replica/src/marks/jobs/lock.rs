//! A file lock that lets one process at a time run mark jobs on a data folder. The operating system releases it when
//! the process ends.

use std::fs::{File, OpenOptions};
use std::path::Path;

/// The lock; released when dropped.
pub(super) struct JobLock {
    _file: Option<File>,
}

impl JobLock {
    /// Waits for the lock. If the lock file cannot be created, it returns at once without a lock.
    pub(super) fn wait(folder: &Path) -> Self {
        let file = open(folder).filter(|file| file.lock().is_ok());
        Self { _file: file }
    }

    /// The lock, if no other process has it.
    pub(super) fn try_lock(folder: &Path) -> Option<Self> {
        match open(folder) {
            Some(file) => file.try_lock().ok().map(|()| Self { _file: Some(file) }),
            None => Some(Self { _file: None }),
        }
    }
}

fn open(folder: &Path) -> Option<File> {
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(folder.join(format!("{}.marks.lock", crate::FILE)));
    file.inspect_err(|error| tracing::debug!(%error, "mark jobs are not locked")).ok()
}
