//! One mark job of a data folder at a time, whichever program it is of: a file lock, which the operating system releases
//! where the program ends.

use std::fs::{File, OpenOptions};
use std::path::Path;

/// The lock; released when dropped.
pub(super) struct JobLock {
    _file: Option<File>,
}

impl JobLock {
    /// Waits for the lock. Where there can be no such file, nobody waits.
    pub(super) fn wait(folder: &Path) -> Self {
        let file = open(folder).filter(|file| file.lock().is_ok());
        Self { _file: file }
    }

    /// The lock, where nobody has it.
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
