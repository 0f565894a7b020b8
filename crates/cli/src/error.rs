//! How a command fails: a sentence for a person and an exit code for a script.

use std::io;

/// Why a command did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// Wrong usage; exit code 2.
    #[error("{0}")]
    Usage(String),
    /// The command failed; exit code 1.
    #[error("{0}")]
    Failed(String),
    /// The command failed, and the reasons were printed already; exit code 1.
    #[error("failed")]
    Reported,
    /// The replica.
    #[error(transparent)]
    Replica(#[from] tidings_replica::Error),
    /// A source.
    #[error(transparent)]
    Sync(#[from] tidings_sync::Error),
    /// The server.
    #[error(transparent)]
    Server(#[from] tidings_server::Error),
    /// Files and sockets.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Writing JSON.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}

/// A result of a command.
pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// A failure with a sentence for the user.
    pub(crate) fn failed(sentence: impl Into<String>) -> Self {
        Self::Failed(sentence.into())
    }

    /// 1 failed, 2 wrong usage.
    pub(crate) const fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            _ => 1,
        }
    }

    /// Whether the reader of standard output is gone, for example `head`.
    pub(crate) fn is_broken_pipe(&self) -> bool {
        match self {
            Self::Io(error) => error.kind() == io::ErrorKind::BrokenPipe,
            Self::Json(error) => error.io_error_kind() == Some(io::ErrorKind::BrokenPipe),
            _ => false,
        }
    }
}
