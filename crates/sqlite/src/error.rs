//! What can go wrong with a database file. Refuses to say what a caller should tell its user.

use std::path::PathBuf;
use std::sync::Arc;

use rusqlite::ErrorCode;

/// Why a database could not do what it was asked.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// SQLite said no.
    #[error("{0}")]
    Sqlite(Arc<rusqlite::Error>),
    /// A later version of the program wrote this file; it was left untouched.
    #[error(
        "the database is of version {found}, this program knows versions up to {known}; it was left untouched"
    )]
    Newer {
        /// The file's version.
        found: i64,
        /// The newest version that this program knows.
        known: i64,
    },
    /// Something else has the name of a database; it was left untouched.
    #[error("{path} is {what}, not a database file; it was left untouched", path = .path.display())]
    NotAFile {
        /// Where.
        path: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// Another process, or another part of this one, has the database open.
    #[error("{} is in use by another process", .0.display())]
    InUse(PathBuf),
    /// A file from elsewhere is not a database of this program, and why.
    #[error("{0}")]
    Unfit(String),
    /// The database was opened for reading only.
    #[error("the database can only be read")]
    ReadOnly,
    /// A job panicked; its changes were rolled back.
    #[error("a job failed unexpectedly and was rolled back")]
    Panicked,
    /// The writer thread is gone: the database was closed.
    #[error("the database is closed")]
    Closed,
    /// The file system said no.
    #[error("{0}")]
    Io(Arc<std::io::Error>),
}

impl Error {
    /// Trying the same again can't help.
    pub fn is_permanent(&self) -> bool {
        !(self.is_busy() || self.is_full() || matches!(self, Self::Panicked))
    }

    /// Another process holds the database; later is better.
    pub fn is_busy(&self) -> bool {
        matches!(self, Self::InUse(_))
            || matches!(self.code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
    }

    /// There is no room on the disk.
    pub fn is_full(&self) -> bool {
        let disk = matches!(self, Self::Io(e)
            if matches!(e.kind(), std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded));
        disk || self.code() == Some(ErrorCode::DiskFull)
    }

    /// The file, or its folder, can't be written.
    pub fn is_read_only(&self) -> bool {
        let denied = matches!(self, Self::Io(e)
            if matches!(e.kind(), std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem));
        denied
            || matches!(self, Self::ReadOnly)
            || matches!(
                self.code(),
                Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied)
            )
    }

    /// The file is no database, or a damaged one.
    pub fn is_corrupt(&self) -> bool {
        matches!(self.code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
    }

    fn code(&self) -> Option<ErrorCode> {
        match self {
            Self::Sqlite(e) => e.sqlite_error_code(),
            _ => None,
        }
    }
}

impl From<rusqlite::Error> for Error {
    fn from(e: rusqlite::Error) -> Self {
        Self::Sqlite(Arc::new(e))
    }
}

impl From<std::io::Error> for Error {
    fn from(e: std::io::Error) -> Self {
        Self::Io(Arc::new(e))
    }
}
