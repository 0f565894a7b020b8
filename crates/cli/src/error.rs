//! The failure of a command: a sentence for the user and an exit code for scripts.

use std::io;

/// The error of a command.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// Wrong usage; exit code 2.
    #[error("{0}")]
    Usage(String),
    /// The command failed; exit code 1.
    #[error("{0}")]
    Failed(String),
    /// The server refused the request; exit code 1.
    #[error("the server refused ({status}){detail}")]
    Refused {
        /// The HTTP status.
        status: u16,
        /// What the server says, after a colon; empty if it says nothing.
        detail: String,
    },
    /// A question was answered otherwise than by its first answer, or not at all, which the exit code tells.
    #[error("answered")]
    Answered(u8),
    /// The command that was run ended with this exit code, which is passed on.
    #[error("exit code {0}")]
    Ended(u8),
    /// The command failed, and the reasons were printed already; exit code 1.
    #[error("failed")]
    Reported,
    /// An error of the replica.
    #[error(transparent)]
    Replica(#[from] tidings_replica::Error),
    /// An error of a request.
    #[error(transparent)]
    Net(#[from] tidings_net::Error),
    /// An error of a source.
    #[error(transparent)]
    Sync(#[from] tidings_sync::Error),
    /// An error of the server.
    #[error(transparent)]
    Server(#[from] tidings_server::Error),
    /// An error of files or sockets.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// An error of writing JSON.
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

    /// The exit code: 1 for a failure, 2 for wrong usage, unless it is an answer's or another command's.
    pub(crate) const fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            Self::Answered(code) | Self::Ended(code) => *code,
            _ => 1,
        }
    }

    /// Whether the replica is damaged.
    pub(crate) fn is_damage(&self) -> bool {
        match self {
            Self::Replica(error) | Self::Sync(tidings_sync::Error::Replica(error)) => error.is_corrupt(),
            _ => false,
        }
    }

    /// Whether the reader of standard output has closed it, for example `head`.
    pub(crate) fn is_broken_pipe(&self) -> bool {
        match self {
            Self::Io(error) => error.kind() == io::ErrorKind::BrokenPipe,
            Self::Json(error) => error.io_error_kind() == Some(io::ErrorKind::BrokenPipe),
            _ => false,
        }
    }
}
