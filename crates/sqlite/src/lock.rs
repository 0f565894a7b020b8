//! The lock of a data folder, which gives one process the right to write its files. A second process gets an error at
//! once instead of waiting. Whether a process has it is asked by a lock that askers share, for an instant.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use crate::files::create_folder;

/// How often the lock is tried again while somebody only asks for it.
const MAX_TRIES: u32 = 1_000;
/// The pause between two tries.
const PAUSE: Duration = Duration::from_millis(1);

/// A data folder that this process has locked until this value is dropped.
#[derive(Debug)]
pub struct DataDir {
    path: PathBuf,
    _lock_file: File,
}

/// The reasons for which a data folder could not be locked.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process has locked the folder.
    #[error("{} is in use by another process", .0.display())]
    InUse(PathBuf),
    /// The folder is not writable.
    #[error("{} cannot be written", .0.display())]
    ReadOnly(PathBuf),
    /// Another error of the file system.
    #[error("{path}: {source}", path = path.display())]
    Io {
        /// The folder.
        path: PathBuf,
        /// The file system's error.
        source: io::Error,
    },
}

impl DataDir {
    /// Creates the folder if it is missing (mode 0700) and locks `<name>.lock` in it.
    ///
    /// ```
    /// # let dir = tempfile::tempdir().unwrap();
    /// let owner = tidings_sqlite::DataDir::lock(dir.path(), "server").unwrap();
    /// assert!(tidings_sqlite::DataDir::lock(dir.path(), "server").is_err());
    /// drop(owner);
    /// ```
    ///
    /// # Errors
    /// [`LockError::InUse`] if another process has the lock, [`LockError::ReadOnly`] if the folder is not writable.
    pub fn lock(path: &Path, name: &str) -> Result<Self, LockError> {
        let failed = |e: io::Error| match e.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                LockError::ReadOnly(path.to_owned())
            }
            _ => LockError::Io { path: path.to_owned(), source: e },
        };
        create_folder(path).map_err(failed)?;
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).read(true).write(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(lock_file(path, name)).map_err(failed)?;
        match take(&file) {
            Ok(()) => Ok(Self { path: path.to_owned(), _lock_file: file }),
            Err(TryLockError::WouldBlock) => Err(LockError::InUse(path.to_owned())),
            Err(TryLockError::Error(e)) => Err(failed(e)),
        }
    }

    /// Whether a process has locked `<name>.lock` in a folder. Nothing is created, and a process that locks it at this
    /// moment is not refused.
    ///
    /// # Errors
    /// The file system's, if the file can't be looked at.
    pub fn is_taken(path: &Path, name: &str) -> io::Result<bool> {
        match File::open(lock_file(path, name)) {
            Ok(file) => is_locked(&file),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

fn lock_file(path: &Path, name: &str) -> PathBuf {
    path.join(format!("{name}.lock"))
}

/// Locks the file for this process alone. What somebody who asks has locked is free again at once.
fn take(file: &File) -> Result<(), TryLockError> {
    for _ in 0..MAX_TRIES {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if !is_locked(file).map_err(TryLockError::Error)? => {
                thread::sleep(PAUSE);
            }
            done => return done,
        }
    }
    Err(TryLockError::WouldBlock)
}

/// Whether a process has locked the file for itself alone.
fn is_locked(file: &File) -> io::Result<bool> {
    match file.try_lock_shared() {
        Ok(()) => file.unlock().map(|()| false),
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(error)) => Err(error),
    }
}
