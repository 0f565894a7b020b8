//! How a command fails: a sentence for a person and a number for a script. Refuses codes that only a programmer knows.

use std::io;

/// Why a command did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// What was typed makes no sense; exit code 2.
    #[error("{0}")]
    Usage(String),
    /// It did not work; exit code 1.
    #[error("{0}")]
    Failed(String),
    /// It did not work, and everything about it was said already; exit code 1.
    #[error("failed")]
    Said,
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
    /// What was to be printed could not be written as JSON.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}

/// A result of a command.
pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// A failure in words.
    pub(crate) fn failed(words: impl Into<String>) -> Self {
        Self::Failed(words.into())
    }

    /// 1 failed, 2 wrong usage.
    pub(crate) const fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            _ => 1,
        }
    }

    /// Whoever read our output has gone, for example `head`.
    pub(crate) fn is_broken_pipe(&self) -> bool {
        match self {
            Self::Io(error) => error.kind() == io::ErrorKind::BrokenPipe,
            Self::Json(error) => error.io_error_kind() == Some(io::ErrorKind::BrokenPipe),
            _ => false,
        }
    }
}
