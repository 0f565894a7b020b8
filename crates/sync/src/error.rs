//! Why a source could not be brought up to date. An error contains no token, no body and no text of a server, because it may
//! be logged and shown.

use crate::Trouble;
use crate::pull_end::PullEnd;

/// An error of a pull, or of what is sent to a source.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A request failed, or its answer could not be used.
    #[error(transparent)]
    Net(#[from] tidings_net::Error),
    /// More than 200 consecutive pages were empty and had `more` set.
    #[error("The server announces more, but sends nothing")]
    NoProgress,
    /// The pull reached the most that one brings, or the disk has no room for more. What came is kept, and the next pull
    /// goes on from there.
    #[error("{0}")]
    PullEnded(PullEnd),
    /// An error of the replica.
    #[error(transparent)]
    Replica(#[from] tidings_replica::Error),
}

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// Whether a retry of the same request cannot succeed.
    pub fn is_permanent(&self) -> bool {
        match self {
            Self::Net(error) => error.is_permanent(),
            Self::Replica(error) => error.is_permanent(),
            Self::NoProgress | Self::PullEnded(_) => false,
        }
    }

    /// Whether only another token can help.
    pub const fn needs_sign_in(&self) -> bool {
        matches!(self, Self::Net(error) if error.needs_sign_in())
    }

    /// The time that the server asks to wait.
    pub const fn retry_after(&self) -> Option<std::time::Duration> {
        match self {
            Self::Net(error) => error.retry_after(),
            _ => None,
        }
    }

    /// The reason as a value of a closed list, for display and comparison.
    pub fn trouble(&self) -> Trouble {
        match self {
            Self::Net(error) => Trouble::from(error),
            Self::NoProgress => Trouble::NoProgress,
            Self::PullEnded(end) => Trouble::PullEnded(*end),
            Self::Replica(error) if error.is_corrupt() => Trouble::Damaged,
            Self::Replica(error) if error.is_full() => Trouble::DiskFull,
            Self::Replica(error) if error.is_disk_failure() => Trouble::DiskFails,
            Self::Replica(error) if error.is_read_only() => Trouble::ReadOnly,
            Self::Replica(_) => Trouble::Replica,
        }
    }
}
