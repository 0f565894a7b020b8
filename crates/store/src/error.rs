//! The errors of the server. Details that clients must not see go to the log.

use std::sync::Arc;

use tidings_model::{Code, Problem};
use tidings_sqlite::LockError;

/// An error of the server.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// The request was refused; the problem is sent as the response.
    #[error("{0}")]
    Refused(Box<Problem>),
    /// The store failed to read or write.
    #[error("the store failed: {source}")]
    Store {
        /// The cause.
        source: Arc<dyn std::error::Error + Send + Sync>,
        /// Whether a retry can't succeed.
        permanent: bool,
    },
    /// The database is damaged, with what was found: what it has is not served.
    #[error(
        "the database is damaged: {0}. Stop the server, and put a backup in its place with `tidings restore`"
    )]
    Damaged(Arc<str>),
    /// The disk is full: nothing new can be stored, but stored data can be read.
    #[error("the disk is full")]
    DiskFull,
    /// The disk fails: nothing new can be stored, but what it can still read is read.
    #[error("{0}")]
    DiskFails(Arc<str>),
    /// The store does not answer at present; nothing was stored. The same call may succeed later.
    #[error("the store is not available: {0}")]
    Unavailable(Arc<str>),
    /// The transaction was interrupted, by another one or with its connection; nothing was stored. The same call may
    /// succeed at once.
    #[error("the store was interrupted: {0}")]
    Interrupted(Arc<str>),
    /// The connection was lost while the store committed: the change may have been stored, or not.
    #[error("the store did not say whether it stored the change: {0}")]
    OutcomeUnknown(Arc<str>),
    /// Another process serves this data folder, or the folder is not writable.
    #[error("{0}")]
    DataDir(Arc<LockError>),
    /// An error of the operating system.
    #[error("{0}")]
    Io(Arc<std::io::Error>),
}

impl Error {
    /// Whether a retry of the same call can't succeed.
    pub fn is_permanent(&self) -> bool {
        match self {
            Self::Refused(problem) => !matches!(problem.code, Code::Unavailable | Code::RateLimited),
            Self::Store { permanent, .. } => *permanent,
            Self::Damaged(_) => true,
            Self::DiskFull
            | Self::DiskFails(_)
            | Self::Unavailable(_)
            | Self::Interrupted(_)
            | Self::OutcomeUnknown(_)
            | Self::DataDir(_)
            | Self::Io(_) => false,
        }
    }

    /// Whether the disk stores nothing new; what is there can be read.
    pub fn is_of_disk(&self) -> bool {
        matches!(self, Self::DiskFull | Self::DiskFails(_))
    }

    /// Whether nothing was stored and the same call may succeed when it is repeated at once.
    pub fn is_retryable(&self) -> bool {
        matches!(self, Self::Interrupted(_))
    }

    /// Whether what was asked may have been done all the same.
    pub fn is_outcome_unknown(&self) -> bool {
        matches!(self, Self::OutcomeUnknown(_))
    }

    /// The problem sent to the client: a failure of the store is `unavailable`, without its cause.
    pub fn into_problem(self) -> Problem {
        match self {
            Self::Refused(problem) => *problem,
            Self::DiskFull => Problem::new(
                Code::Unavailable,
                "the server's disk is full: nothing was stored; what it has can still be read. Try again when there is \
                 room",
            ),
            Self::DiskFails(_) => Problem::new(
                Code::Unavailable,
                "the server's disk fails: nothing new is stored; what it has is served as far as the disk can read it. Try \
                 again later",
            ),
            Self::Damaged(_) => Problem::new(
                Code::Unavailable,
                "the server's database is damaged: whoever runs this server has to restore a backup",
            ),
            Self::OutcomeUnknown(_) => Problem::new(
                Code::Unavailable,
                "the server lost its database while it stored this, and can't tell whether it was stored: ask again with \
                 the same Idempotency-Key, or look before you repeat it",
            ),
            _ => Problem::new(Code::Unavailable, "the server cannot do this now; try again later"),
        }
    }

    /// A request that is refused with this code.
    pub fn refused(code: Code, detail: impl Into<String>) -> Self {
        Self::Refused(Box::new(Problem::new(code, detail)))
    }

    /// A store that does not answer at present.
    pub fn unavailable(why: impl AsRef<str>) -> Self {
        Self::Unavailable(Arc::from(why.as_ref()))
    }

    /// A transaction that was interrupted.
    pub fn interrupted(why: impl AsRef<str>) -> Self {
        Self::Interrupted(Arc::from(why.as_ref()))
    }

    /// The refusal of a request about something that does not exist.
    pub fn not_found(what: &str) -> Self {
        Self::refused(Code::NotFound, format!("there is no such {what}"))
    }

    /// The refusal of a request with a wrong value in this field.
    pub fn invalid(field: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::Refused(Box::new(Problem::invalid(field, detail)))
    }
}

impl From<Problem> for Error {
    fn from(problem: Problem) -> Self {
        Self::Refused(Box::new(problem))
    }
}

impl From<tidings_sqlite::Error> for Error {
    fn from(e: tidings_sqlite::Error) -> Self {
        if e.is_full() {
            return Self::DiskFull;
        }
        if e.is_corrupt() {
            return Self::Damaged(match e {
                tidings_sqlite::Error::Damaged(what) => what.into(),
                other => other.to_string().into(),
            });
        }
        if e.is_disk_failure() {
            return Self::DiskFails(e.to_string().into());
        }
        let permanent = e.is_permanent();
        Self::Store { source: Arc::new(e), permanent }
    }
}

impl From<rusqlite::Error> for Error {
    fn from(e: rusqlite::Error) -> Self {
        tidings_sqlite::Error::from(e).into()
    }
}

impl From<serde_json::Error> for Error {
    /// JSON that can't be read was not written by this program. What it says of the text is not passed on.
    fn from(_: serde_json::Error) -> Self {
        Self::Damaged("a value of a row can't be read".into())
    }
}

impl From<LockError> for Error {
    fn from(e: LockError) -> Self {
        Self::DataDir(Arc::new(e))
    }
}

impl From<std::io::Error> for Error {
    fn from(e: std::io::Error) -> Self {
        Self::Io(Arc::new(e))
    }
}
