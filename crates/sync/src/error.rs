//! What can go wrong on the way between a source and the replica, and how it is told to a person.
//! Refuses to carry tokens, bodies or a server's own words: an error may end in a log or a window.

use std::{io, time::Duration};

use reqwest::StatusCode;

use crate::supervise;

/// Why a source could not be pulled.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The address of the source makes no sense.
    #[error("`{0}` is not an address this program can ask: it needs http:// or https://")]
    Address(String),
    /// The source is of a kind that this version cannot pull.
    #[error("sources of the kind `{0}` are not known to this version")]
    Kind(String),
    /// This machine cannot ask anything, for example because it has no certificates.
    #[error("this machine can't make secure connections: {0}")]
    Setup(String),
    /// The server's certificate is not one that this machine trusts.
    #[error("The server's certificate is not trusted")]
    Certificate,
    /// There is no way to the server: no network, or its name is not known.
    #[error("No network")]
    Offline,
    /// The server's machine is there, the server is not.
    #[error("The server doesn't answer")]
    Unreachable,
    /// The connection broke off, or its answer did not come in time.
    #[error("The server took too long")]
    Slow,
    /// The server answered that it can't now.
    #[error("No answer ({status})")]
    Unavailable {
        /// The HTTP status.
        status: u16,
        /// How long it asks to be left alone.
        retry_after: Option<Duration>,
    },
    /// The token is missing or unknown.
    #[error("Sign-in needed")]
    SignIn,
    /// The token does not reach that far.
    #[error("Not allowed")]
    Forbidden,
    /// The server's history is another one: pull from the beginning.
    #[error("The server's history began anew")]
    Resync,
    /// The server understood and said no.
    #[error("The server refused ({0})")]
    Refused(u16),
    /// What came back is not what this protocol says.
    #[error("The server's answer can't be read")]
    Garbled,
    /// An answer is larger than what is taken into memory, or holds more values.
    #[error("The server's answer is too large")]
    AnswerTooLarge,
    /// An answer kept coming, but so slowly that its end was not waited for.
    #[error("The server took too long")]
    AnswerTooSlow,
    /// The server says again and again that there is more, and brings nothing.
    #[error("The server keeps saying that there is more, and brings nothing")]
    NoProgress,
    /// A part of this program ended by a fault of its own.
    #[error("A fault in this program")]
    Panicked,
    /// A file is larger than what is taken.
    #[error("The file is larger than {0} bytes")]
    TooLarge(u64),
    /// The server sent on to where this program does not follow.
    #[error("The server sent on to an address that is not followed")]
    Elsewhere,
    /// Content asked for an address of this machine or its network, where its source is not.
    #[error("The address is on this computer or its network, and its source is not")]
    Private,
    /// A file could not be written on this machine.
    #[error("The file could not be written: {0}")]
    Disk(io::Error),
    /// The replica could not keep what came.
    #[error(transparent)]
    Replica(#[from] tidings_replica::Error),
    /// The engine is shutting down.
    #[error("stopped")]
    Stopped,
}

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// Whether trying the same again later is pointless.
    pub fn is_permanent(&self) -> bool {
        match self {
            Self::Replica(error) => error.is_permanent(),
            Self::Address(_)
            | Self::Kind(_)
            | Self::Setup(_)
            | Self::SignIn
            | Self::Forbidden
            | Self::TooLarge(_)
            | Self::Elsewhere
            | Self::Private => true,
            _ => matches!(self, Self::Refused(_)),
        }
    }

    /// Only another token helps.
    pub const fn needs_sign_in(&self) -> bool {
        matches!(self, Self::SignIn | Self::Forbidden)
    }

    /// How long the server asks to be left alone.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Unavailable { retry_after, .. } => *retry_after,
            _ => None,
        }
    }

    /// The same, small enough to be shown and compared.
    pub fn trouble(&self) -> Trouble {
        match self {
            Self::Address(_) | Self::Kind(_) => Trouble::Address,
            Self::Setup(_) => Trouble::Setup,
            Self::Certificate => Trouble::Certificate,
            Self::Offline => Trouble::Offline,
            Self::Unreachable | Self::Stopped => Trouble::Unreachable,
            Self::Slow | Self::AnswerTooSlow => Trouble::Slow,
            Self::AnswerTooLarge => Trouble::TooLarge,
            Self::NoProgress => Trouble::NoProgress,
            Self::Panicked => Trouble::Fault,
            Self::Elsewhere => Trouble::Elsewhere,
            Self::Unavailable { status, .. } => Trouble::Unavailable(*status),
            Self::SignIn | Self::Forbidden => Trouble::SignIn,
            Self::Refused(status) => Trouble::Refused(*status),
            Self::Garbled | Self::Resync | Self::TooLarge(_) | Self::Private => Trouble::Garbled,
            Self::Disk(error) if error.kind() == io::ErrorKind::StorageFull => Trouble::DiskFull,
            Self::Disk(_) => Trouble::ReadOnly,
            Self::Replica(error) if error.is_full() => Trouble::DiskFull,
            Self::Replica(error) if error.is_read_only() => Trouble::ReadOnly,
            Self::Replica(_) => Trouble::Replica,
        }
    }

    /// From a task that did not end by itself.
    pub(crate) fn from_task(error: &tokio::task::JoinError) -> Self {
        if !error.is_panic() {
            return Self::Stopped;
        }
        supervise::count("a task of a source");
        Self::Panicked
    }

    /// From what the HTTP client says went wrong before an answer was complete.
    pub fn from_transport(error: &reqwest::Error) -> Self {
        if error.is_builder() {
            return Self::Address(String::new());
        }
        if error.is_connect() {
            return from_connect(error);
        }
        if error.is_timeout() { Self::Slow } else { Self::Unreachable }
    }

    /// From an answer that is not a success.
    pub(crate) fn from_answer(status: StatusCode, retry_after: Option<Duration>) -> Self {
        match status {
            StatusCode::UNAUTHORIZED => Self::SignIn,
            StatusCode::FORBIDDEN => Self::Forbidden,
            StatusCode::GONE => Self::Resync,
            StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT => {
                Self::Unavailable { status: status.as_u16(), retry_after }
            }
            _ if status.is_server_error() => Self::Unavailable { status: status.as_u16(), retry_after },
            _ => Self::Refused(status.as_u16()),
        }
    }
}

/// Tells "no network" from "nobody listens there".
fn from_connect(error: &reqwest::Error) -> Error {
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        if let Some(io) = error.downcast_ref::<io::Error>() {
            if let Some(tls) = io.get_ref().and_then(|cause| cause.downcast_ref::<rustls::Error>()) {
                return from_tls(tls);
            }
            return match io.kind() {
                io::ErrorKind::NetworkUnreachable
                | io::ErrorKind::HostUnreachable
                | io::ErrorKind::NetworkDown
                | io::ErrorKind::AddrNotAvailable => Error::Offline,
                io::ErrorKind::TimedOut => Error::Slow,
                // A name that can't be looked up has no kind of its own.
                _ if io.to_string().contains("lookup address") => Error::Offline,
                _ => Error::Unreachable,
            };
        }
        cause = error.source();
    }
    if error.is_timeout() { Error::Slow } else { Error::Unreachable }
}

/// Tells a certificate that is not trusted from a server that does not speak TLS at all.
fn from_tls(error: &rustls::Error) -> Error {
    match error {
        rustls::Error::InvalidCertificate(_) | rustls::Error::NoCertificatesPresented => Error::Certificate,
        _ => Error::Unreachable,
    }
}

/// What keeps a source from being up to date, as a closed list that a page can have words for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Trouble {
    /// The address of the source makes no sense.
    Address,
    /// This machine can't make secure connections.
    Setup,
    /// The server's certificate is not trusted.
    Certificate,
    /// No network route at all.
    Offline,
    /// Nobody answers there.
    Unreachable,
    /// The answer did not come in time.
    Slow,
    /// The server answered that it can't now; its HTTP status.
    Unavailable(u16),
    /// The token was refused.
    SignIn,
    /// The server said no; its HTTP status.
    Refused(u16),
    /// The answer can't be read.
    Garbled,
    /// The answer is larger than what is taken.
    TooLarge,
    /// The server says that there is more, and brings nothing.
    NoProgress,
    /// The address leads to another one, which is not followed.
    Elsewhere,
    /// A part of this program failed and was begun again.
    Fault,
    /// This machine's disk is full.
    DiskFull,
    /// This machine's data folder can't be written.
    ReadOnly,
    /// The replica could not keep what came for another reason.
    Replica,
}

impl Trouble {
    /// No network route at all, as opposed to a server that answers badly.
    pub const fn is_offline(self) -> bool {
        matches!(self, Self::Offline)
    }
}

impl std::fmt::Display for Trouble {
    /// In English, without jargon.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Address => f.write_str("The address can't be used"),
            Self::Setup => f.write_str("This machine can't make secure connections"),
            Self::Certificate => f.write_str("The server's certificate is not trusted"),
            Self::Offline => f.write_str("No network"),
            Self::Unreachable => f.write_str("The server doesn't answer"),
            Self::Slow => f.write_str("The server took too long"),
            Self::Unavailable(status) => write!(f, "No answer ({status})"),
            Self::SignIn => f.write_str("Sign-in needed"),
            Self::Refused(status) => write!(f, "The server refused ({status})"),
            Self::Garbled => f.write_str("The server's answer can't be read"),
            Self::TooLarge => f.write_str("The server's answer is too large"),
            Self::NoProgress => f.write_str("The server keeps saying that there is more, and brings nothing"),
            Self::Elsewhere => f.write_str("The server sends on to another address, which is not followed"),
            Self::Fault => f.write_str("A fault in this program; it was begun again"),
            Self::DiskFull => f.write_str("The disk is full"),
            Self::ReadOnly => f.write_str("The data folder can't be written"),
            Self::Replica => f.write_str("The inbox on this machine can't be written"),
        }
    }
}
