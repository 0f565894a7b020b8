//! Why a source is not up to date, as a person is told.

use std::io;

use tidings_model::Stamp;
use tidings_net::{CertificateFault, Error};

use crate::pull_end::PullEnd;

/// The reason for which a source is not up to date: a closed list, with a string in each language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Trouble {
    /// The address of the source is invalid.
    Address,
    /// This machine can't make secure connections.
    Setup,
    /// A certificate is in the way.
    Certificate(CertificateFault),
    /// There is no route to the network.
    Offline,
    /// There is no address for the server's name.
    NameNotFound,
    /// No server answers at the address.
    Unreachable,
    /// The answer timed out.
    Slow,
    /// The server is temporarily not available; with its HTTP status.
    Unavailable(u16),
    /// The server asked for no requests before this time.
    Waiting(Stamp),
    /// The token was refused.
    SignIn,
    /// The server refused the request; with its HTTP status.
    Refused(u16),
    /// The answer can't be read.
    Malformed,
    /// The answer is larger than the limit.
    TooLarge,
    /// The answer takes too much memory or time to read.
    TooComplex,
    /// A process ended or a parser failed at this answer before.
    PassedBy,
    /// The server keeps announcing more pages that are empty.
    NoProgress,
    /// The pull reached the most that one brings.
    PullEnded(PullEnd),
    /// The address redirects to another one, which is not followed.
    RedirectRefused,
    /// A task of this program panicked and was restarted.
    Fault,
    /// This machine's disk is full.
    DiskFull,
    /// This machine's disk fails.
    DiskFails,
    /// This machine's data folder is not writable.
    ReadOnly,
    /// The replica is damaged.
    Damaged,
    /// The replica could not store the data for another reason.
    Replica,
    /// There is no session bus.
    NoSessionBus,
    /// The session bus lets no program read along.
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

impl std::fmt::Display for Trouble {
    /// Writes the reason in English, for display.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Address => f.write_str("The address can't be used"),
            Self::Setup => f.write_str("This machine can't make secure connections"),
            Self::Certificate(fault) => fault.fmt(f),
            Self::Offline => f.write_str("No network"),
            Self::NameNotFound => f.write_str("The server's name can't be looked up"),
            Self::Unreachable => f.write_str("The server doesn't answer"),
            Self::Slow => f.write_str("The server took too long"),
            Self::Unavailable(status) => write!(f, "No answer ({status})"),
            Self::Waiting(until) => write!(f, "The server asked for no requests before {until}"),
            Self::SignIn => f.write_str("Sign-in needed"),
            Self::Refused(status) => write!(f, "The server refused ({status})"),
            Self::Malformed => f.write_str("The server's answer can't be read"),
            Self::TooLarge => f.write_str("The server's answer is too large"),
            Self::TooComplex => {
                f.write_str("The server's answer is nested too deeply, or repeats too much, to be read")
            }
            Self::PassedBy => f.write_str("The server's answer could not be read before, so it is skipped"),
            Self::NoProgress => f.write_str("The server says that there is more, but sends nothing"),
            Self::PullEnded(end) => end.fmt(f),
            Self::RedirectRefused => {
                f.write_str("The server redirects to another address, which is not followed")
            }
            Self::Fault => f.write_str("A fault in this program; it was started again"),
            Self::DiskFull => f.write_str("The disk is full"),
            Self::DiskFails => f.write_str("The disk fails"),
            Self::ReadOnly => f.write_str("The data folder can't be written"),
            Self::Damaged => f.write_str(DAMAGED),
            Self::Replica => f.write_str("The inbox on this machine can't be written"),
            Self::NoSessionBus => f.write_str("There is no session bus"),
            Self::MonitorRefused => f.write_str("The session bus does not let Tidings read notifications"),
        }
    }
}

/// The text about a damaged replica in a terminal: what happened, what is safe and what to do.
pub const DAMAGED: &str = "The inbox on this machine is damaged. It is a copy; `tidings repair` pulls it again and keeps all \
    drafts, marks, pins, rules and settings that can be read";
