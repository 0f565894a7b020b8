//! The errors of the replica: those of this crate, and those that the replica adds. They contain no text of notifications
//! or messages, because they may be logged.

use tidings_model::MsgId;

use crate::{SourceId, ThreadId};

/// An error of the replica.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The database could not be opened, read or written.
    #[error(transparent)]
    Database(#[from] tidings_sqlite::Error),
    /// The source does not exist, or was removed.
    #[error("there is no source {0}")]
    NoSource(SourceId),
    /// The thread does not exist, or was removed.
    #[error("there is no thread {0}")]
    NoThread(ThreadId),
    /// No source has a notification of this msgid.
    #[error("there is no notification {0}")]
    NoItem(MsgId),
    /// The rule does not exist, or was removed.
    #[error("there is no rule {0}")]
    NoRule(i64),
    /// Another source has this name already.
    #[error("there is already a source named `{0}`")]
    NameTaken(String),
    /// An own server has its source already; there can be one only.
    #[error("the own server has its source already")]
    OwnTaken,
    /// A row has a value that this version cannot read.
    #[error("a row of the replica cannot be read: {0}")]
    Row(String),
    /// A cursor, a filter or another argument is invalid; with the reason.
    #[error("{0}")]
    Invalid(String),
    /// A large write gave way to a short one, and was rolled back. The code that began it does it again; no call ends
    /// with this.
    #[error("a large write gave way to another")]
    GaveWay,
}

impl Error {
    /// Whether a retry cannot succeed.
    pub fn is_permanent(&self) -> bool {
        match self {
            Self::Database(error) => error.is_permanent(),
            _ => true,
        }
    }

    /// Whether the disk is full, so that nothing can be written.
    pub fn is_full(&self) -> bool {
        matches!(self, Self::Database(error) if error.is_full())
    }

    /// Whether the disk did not do what it was told to; a retry may succeed.
    pub fn is_disk_failure(&self) -> bool {
        matches!(self, Self::Database(error) if error.is_disk_failure())
    }

    /// Whether the folder is read-only, so that nothing can be written.
    pub fn is_read_only(&self) -> bool {
        matches!(self, Self::Database(error) if error.is_read_only())
    }

    /// Whether a later version of the program wrote the file.
    pub fn is_newer(&self) -> bool {
        matches!(self, Self::Database(tidings_sqlite::Error::Newer { .. }))
    }

    /// Whether the file is damaged, or a row of it.
    pub fn is_corrupt(&self) -> bool {
        match self {
            Self::Database(error) => error.is_corrupt(),
            Self::Row(_) => true,
            _ => false,
        }
    }
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database(error.into())
    }
}

impl From<serde_json::Error> for Error {
    fn from(error: serde_json::Error) -> Self {
        Self::Row(error.to_string())
    }
}

/// A result of the replica.
pub type Result<T, E = Error> = std::result::Result<T, E>;
