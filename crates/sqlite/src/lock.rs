//! The lock on a data folder: one process owns what is in it. Refuses to wait.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// A folder that this process owns; given back when dropped.
#[derive(Debug)]
pub struct DataDir {
    path: PathBuf,
    _held: File,
}

/// Why a data folder could not be had.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process has it.
    #[error("{} is in use by another process", .0.display())]
    Held(PathBuf),
    /// It can't be written.
    #[error("{} cannot be written", .0.display())]
    ReadOnly(PathBuf),
    /// The file system said something else.
    #[error("{path}: {source}", path = path.display())]
    Io {
        /// The folder.
        path: PathBuf,
        /// What it said.
        source: io::Error,
    },
}

impl DataDir {
    /// Creates the folder where it is missing (for its owner alone) and takes the lock `<what>.lock` in it.
    pub fn lock(path: &Path, what: &str) -> Result<Self, LockError> {
        let failed = |e: io::Error| match e.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                LockError::ReadOnly(path.to_owned())
            }
            _ => LockError::Io { path: path.to_owned(), source: e },
        };
        create(path).map_err(failed)?;
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path.join(format!("{what}.lock"))).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => Ok(Self { path: path.to_owned(), _held: file }),
            Err(TryLockError::WouldBlock) => Err(LockError::Held(path.to_owned())),
            Err(TryLockError::Error(e)) => Err(failed(e)),
        }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

#[cfg(unix)]
fn create(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

#[cfg(not(unix))]
fn create(path: &Path) -> io::Result<()> {
    std::fs::create_dir_all(path)
}
