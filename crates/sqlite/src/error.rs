//! The errors of a database file.

use std::path::PathBuf;
use std::sync::Arc;

use rusqlite::ErrorCode;
use rusqlite::ffi::SQLITE_IOERR_SHMSIZE;

/// Why an operation on a database failed.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// SQLite's own error.
    #[error("{}", sentence(.0))]
    Sqlite(Arc<rusqlite::Error>),
    /// A later version of the program wrote this file; the file was left untouched.
    #[error(
        "the database is of version {found}, this program knows versions up to {known}; it was left untouched"
    )]
    Newer {
        /// The version of the file.
        found: i64,
        /// The newest version that this program knows.
        known: i64,
    },
    /// The path is not a regular file; it was left untouched.
    #[error("{path} is {what}, not a database file; it was left untouched", path = .path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
        /// The type of the path, for example `a folder`.
        what: &'static str,
    },
    /// Another process, or another part of this one, has the database open.
    #[error("{} is in use by another process", .0.display())]
    InUse(PathBuf),
    /// The file, or a copy of it, is damaged; with what was found first.
    #[error("the database is damaged: {0}")]
    Damaged(String),
    /// A file to restore is not a valid database of this program; with the reason.
    #[error("{0}")]
    Invalid(String),
    /// The database was opened for reading only.
    #[error("the database can only be read")]
    ReadOnly,
    /// A job panicked; its changes were rolled back.
    #[error("a job failed unexpectedly and was rolled back")]
    Panicked,
    /// The database was closed.
    #[error("the database is closed")]
    Closed,
    /// The file system's own error.
    #[error("{0}")]
    Io(Arc<std::io::Error>),
}

impl Error {
    /// Whether a retry cannot succeed.
    pub fn is_permanent(&self) -> bool {
        !(self.is_busy() || self.is_full() || self.is_disk_failure() || matches!(self, Self::Panicked))
    }

    /// Whether another process has locked the database; a retry may succeed.
    pub fn is_busy(&self) -> bool {
        matches!(self, Self::InUse(_))
            || matches!(self.code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
    }

    /// Whether the disk is full.
    pub fn is_full(&self) -> bool {
        let disk = matches!(self, Self::Io(e)
            if matches!(e.kind(), std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded));
        disk || self.code() == Some(ErrorCode::DiskFull) || self.lacks_shared_memory()
    }

    /// Whether the disk did not read, write or sync what it was told to; a retry may succeed.
    pub fn is_disk_failure(&self) -> bool {
        match self {
            Self::Sqlite(e) => is_disk_failure(e),
            Self::Io(e) => cfg!(unix) && e.raw_os_error() == Some(EIO),
            _ => false,
        }
    }

    /// Whether the disk had no room for the memory that connections of several processes share.
    fn lacks_shared_memory(&self) -> bool {
        matches!(self, Self::Sqlite(e) if lacks_shared_memory(e))
    }

    /// Whether the file or its folder is not writable.
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

    /// Whether the file is damaged, or not a SQLite database.
    pub fn is_corrupt(&self) -> bool {
        // A value that is not what its column says was not written by this program.
        let is_odd_value = matches!(self, Self::Sqlite(error) if matches!(
            **error,
            rusqlite::Error::FromSqlConversionFailure(..)
                | rusqlite::Error::InvalidColumnType(..)
                | rusqlite::Error::IntegralValueOutOfRange(..)
                | rusqlite::Error::Utf8Error(..)
        ));
        is_odd_value
            || matches!(self, Self::Sqlite(error) if lacks_a_part(error))
            || matches!(self, Self::Damaged(_))
            || matches!(self.code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
    }

    fn code(&self) -> Option<ErrorCode> {
        match self {
            Self::Sqlite(e) => e.sqlite_error_code(),
            _ => None,
        }
    }
}

/// SQLite's sentence. Its own for a failing disk names no disk that a reader could look at.
fn sentence(error: &rusqlite::Error) -> String {
    if is_disk_failure(error) { format!("the disk fails: {error}") } else { error.to_string() }
}

/// Whether a table of the schema, which every statement of this program fits, is not there.
fn lacks_a_part(error: &rusqlite::Error) -> bool {
    let (rusqlite::Error::SqlInputError { msg, .. } | rusqlite::Error::SqliteFailure(_, Some(msg))) = error
    else {
        return false;
    };
    ["no such table", "no such column", "no such index"].iter().any(|lacks| msg.starts_with(lacks))
}

fn lacks_shared_memory(error: &rusqlite::Error) -> bool {
    error.sqlite_error().is_some_and(|e| e.extended_code == SQLITE_IOERR_SHMSIZE)
}

/// The number of an input or output error, the same on all systems of Unix.
const EIO: i32 = 5;

fn is_disk_failure(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::SystemIoFailure) && !lacks_shared_memory(error)
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
