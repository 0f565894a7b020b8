//! Why a source is not up to date, as a person is told.

use std::io;

use tidings_model::Stamp;
use tidings_net::{CertificateFault, Error};

use crate::pull_end::PullEnd;

/// The reason for which a source is not up to date: a closed list, with a string in each language, here in English.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Trouble {
    /// The address of the source is invalid.
    #[error("The address can't be used")]
    Address,
    /// This machine can't make secure connections.
    #[error("This machine can't make secure connections")]
    Setup,
    /// A certificate is in the way.
    #[error("{0}")]
    Certificate(CertificateFault),
    /// There is no route to the network.
    #[error("No network")]
    Offline,
    /// There is no address for the server's name.
    #[error("The server's name can't be looked up")]
    NameNotFound,
    /// No server answers at the address.
    #[error("The server doesn't answer")]
    Unreachable,
    /// The answer timed out.
    #[error("The server took too long")]
    Slow,
    /// The server is temporarily not available; with its HTTP status.
    #[error("No answer ({0})")]
    Unavailable(u16),
    /// The server asked for no requests before this time.
    #[error("The server asked for no requests before {0}")]
    Waiting(Stamp),
    /// The token was refused.
    #[error("Sign-in needed")]
    SignIn,
    /// The server refused the request; with its HTTP status.
    #[error("The server refused ({0})")]
    Refused(u16),
    /// The answer can't be read.
    #[error("The server's answer can't be read")]
    Malformed,
    /// The answer is larger than the limit.
    #[error("The server's answer is too large")]
    TooLarge,
    /// The answer takes too much memory or time to read.
    #[error("The server's answer is nested too deeply, or repeats too much, to be read")]
    TooComplex,
    /// A process ended or a parser failed at this answer before.
    #[error("The server's answer could not be read before, so it is skipped")]
    PassedBy,
    /// The server keeps announcing more pages that are empty.
    #[error("The server says that there is more, but sends nothing")]
    NoProgress,
    /// The pull reached the most that one brings.
    #[error("{0}")]
    PullEnded(PullEnd),
    /// The address redirects to another one, which is not followed.
    #[error("The server redirects to another address, which is not followed")]
    RedirectRefused,
    /// A task of this program panicked and was restarted.
    #[error("A fault in this program; it was started again")]
    Fault,
    /// This machine's disk is full.
    #[error("The disk is full")]
    DiskFull,
    /// This machine's disk fails.
    #[error("The disk fails")]
    DiskFails,
    /// This machine's data folder is not writable.
    #[error("The data folder can't be written")]
    ReadOnly,
    /// The replica is damaged.
    #[error("{}", DAMAGED)]
    Damaged,
    /// The replica could not store the data for another reason.
    #[error("The inbox on this machine can't be written")]
    Replica,
    /// There is no session bus.
    #[error("There is no session bus")]
    NoSessionBus,
    /// The session bus lets no program read along.
    #[error("The session bus does not let Tidings read notifications")]
    MonitorRefused,
}

impl Trouble {
    /// Whether there is no route to the network, as opposed to a failing server.
    pub const fn is_offline(self) -> bool {
        matches!(self, Self::Offline)
    }

    /// Whether it lies in this computer, as opposed to the source.
    pub const fn is_local(self) -> bool {
        matches!(
            self,
            Self::Offline
                | Self::Setup
                | Self::Fault
                | Self::DiskFull
                | Self::DiskFails
                | Self::ReadOnly
                | Self::Damaged
                | Self::Replica
                | Self::NoSessionBus
                | Self::MonitorRefused
        )
    }
}

impl From<&Error> for Trouble {
    fn from(error: &Error) -> Self {
        match error {
            Error::Address(_) | Error::Kind(_) => Self::Address,
            Error::Setup(_) => Self::Setup,
            Error::Certificate(fault) => Self::Certificate(*fault),
            Error::Offline => Self::Offline,
            Error::NameNotFound => Self::NameNotFound,
            Error::Unreachable | Error::Stopped => Self::Unreachable,
            Error::Slow | Error::AnswerTooSlow => Self::Slow,
            Error::AnswerTooLarge => Self::TooLarge,
            Error::TooComplex => Self::TooComplex,
            Error::PassedBy => Self::PassedBy,
            Error::Panicked => Self::Fault,
            Error::RedirectRefused => Self::RedirectRefused,
            Error::Unavailable { status, .. } => Self::Unavailable(*status),
            Error::Waiting { until } => Self::Waiting(*until),
            Error::SignIn | Error::Forbidden => Self::SignIn,
            Error::Refused(status) => Self::Refused(*status),
            Error::Malformed | Error::Resync | Error::TooLarge(_) | Error::Private => Self::Malformed,
            Error::Disk(error) if error.kind() == io::ErrorKind::StorageFull => Self::DiskFull,
            Error::Disk(_) => Self::ReadOnly,
            Error::NoSessionBus => Self::NoSessionBus,
            Error::MonitorRefused => Self::MonitorRefused,
        }
    }
}

/// The text about a damaged replica in a terminal: what happened, what is safe and what to do.
pub const DAMAGED: &str = "The inbox on this machine is damaged. It is a copy; `tidings repair` pulls it again and keeps all \
    drafts, marks, pins, rules and settings that can be read";
