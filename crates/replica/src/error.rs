//! What can go wrong in the replica. Errors carry no text that a person wrote, for they may end in a log.

use tidings_model::MsgId;

use crate::{SourceId, ThreadId};

/// Why the replica could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The database could not be opened, read or written.
    #[error(transparent)]
    Database(#[from] tidings_sqlite::Error),
    /// There is no such source (any more).
    #[error("there is no source {0}")]
    NoSource(SourceId),
    /// There is no such thread (any more).
    #[error("there is no thread {0}")]
    NoThread(ThreadId),
    /// No source has a notification of this msgid.
    #[error("there is no notification {0}")]
    NoItem(MsgId),
    /// There is no such rule (any more).
    #[error("there is no rule {0}")]
    NoRule(i64),
    /// Another source has this name already.
    #[error("there is already a source named `{0}`")]
    NameTaken(String),
    /// There is one own server, and it has its source already.
    #[error("the own server has its source already")]
    OwnTaken,
    /// A row holds something that this version cannot read.
    #[error("a row of the replica cannot be read: {0}")]
    Row(String),
    /// A cursor, a filter or a query makes no sense.
    #[error("{0}")]
    Invalid(String),
}

impl Error {
    /// Whether trying again later is pointless.
    pub fn is_permanent(&self) -> bool {
        match self {
            Self::Database(error) => error.is_permanent(),
            _ => true,
        }
    }

    /// Nothing can be written because the disk is full.
    pub fn is_full(&self) -> bool {
        matches!(self, Self::Database(error) if error.is_full())
    }

    /// Nothing can be written because the folder is read-only.
    pub fn is_read_only(&self) -> bool {
        matches!(self, Self::Database(error) if error.is_read_only())
    }

    /// A later version of the program wrote the file.
    pub fn is_newer(&self) -> bool {
        matches!(self, Self::Database(tidings_sqlite::Error::Newer { .. }))
    }

    /// The file is damaged.
    pub fn is_corrupt(&self) -> bool {
        matches!(self, Self::Database(error) if error.is_corrupt())
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
