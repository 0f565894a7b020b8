//! Why a request failed, or its answer could not be used. An error contains no token, no body and no text of a server,
//! because it may be logged and shown.

use std::{io, time::Duration};

use reqwest::StatusCode;
use tidings_model::Stamp;

use crate::certificate_fault::{CertificateFault, certificate_fault};
use crate::{route, supervise};

/// An error of a request, of a download, or of an answer.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The address of the source is not an http or https address.
    #[error(
        "`{}` is not an address this program can ask: it needs a host, and http:// or https:// or nothing before it",
        shown(.0)
    )]
    Address(String),
    /// The protocol of the source is not supported by this version.
    #[error("this version does not support sources of type `{0}`")]
    Kind(String),
    /// The HTTP client can't be built, for example because this machine has no certificates.
    #[error("this machine can't make secure connections: {0}")]
    Setup(String),
    /// A certificate is in the way: that of the server, or that of this side.
    #[error(transparent)]
    Certificate(#[from] CertificateFault),
    /// There is no network.
    #[error("No network")]
    Offline,
    /// There is a network, and nobody there knows an address for the server's name.
    #[error("The server's name can't be looked up")]
    NameNotFound,
    /// Nothing listens at the address, or the connection broke off.
    #[error("The server doesn't answer")]
    Unreachable,
    /// A request or an answer timed out.
    #[error("The server took too long")]
    Slow,
    /// The server answered 5xx, 408 or 429, or 403 with a wait: it is temporarily not available.
    #[error("No answer ({status}){}", asked_to_wait(*retry_after))]
    Unavailable {
        /// The HTTP status.
        status: u16,
        /// The wait that the server asks for, by `Retry-After` or the reset of a rate limit; at most a day.
        retry_after: Option<Duration>,
    },
    /// No request was sent, because the server asked for none before a time that is still to come.
    #[error("The server asked for no requests before {until}")]
    Waiting {
        /// That time.
        until: Stamp,
    },
    /// The token is missing or unknown.
    #[error("Sign-in needed")]
    SignIn,
    /// The token's scopes don't allow the request.
    #[error("Not allowed")]
    Forbidden,
    /// The server has a new history (410): pull from the beginning.
    #[error("The server has begun a new history")]
    Resync,
    /// The server answered another 4xx, with this status.
    #[error("The server refused ({0})")]
    Refused(u16),
    /// The answer does not fit the protocol.
    #[error("The server's answer can't be read")]
    Malformed,
    /// An answer has more bytes or more JSON values than are accepted.
    #[error("The server's answer is too large")]
    AnswerTooLarge,
    /// An answer was not complete within two minutes, though it kept arriving.
    #[error("The server took too long")]
    AnswerTooSlow,
    /// An answer takes too much memory or time to read.
    #[error("The server's answer is nested too deeply, or repeats too much, to be read")]
    TooComplex,
    /// A process ended or a parser failed at this answer before.
    #[error(
        "The server's answer could not be read before, so it is skipped. What is here is safe. `tidings source \
         retry NAME` reads it again"
    )]
    PassedBy,
    /// A task of this program panicked.
    #[error("Tidings has an internal error")]
    Panicked,
    /// A download is larger than this limit, in bytes.
    #[error("The file is larger than {0} bytes")]
    TooLarge(u64),
    /// A redirect to another origin, or of a request other than GET.
    #[error("The server redirects to an address that is not followed")]
    RedirectRefused,
    /// The egress policy forbids the address: it is private and not the source's own.
    #[error("The address is on this computer or its network, and its source is not")]
    Private,
    /// A file could not be written on this machine.
    #[error("The file could not be saved: {0}")]
    Disk(io::Error),
    /// There is no session bus, or it ended the connection.
    #[error(
        "There is no session bus, over which programs send notifications to the desktop. What was kept is safe. Run \
         this command in a desktop session"
    )]
    NoSessionBus,
    /// The session bus lets no program read along.
    #[error(
        "The session bus does not let Tidings read notifications. What was kept is safe. Run this command outside of a \
         sandbox, with dbus-daemon 1.10 or newer, or dbus-broker"
    )]
    MonitorRefused,
    /// The program is shutting down.
    #[error("stopped")]
    Stopped,
}

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// Whether a retry of the same request cannot succeed.
    pub const fn is_permanent(&self) -> bool {
        matches!(
            self,
            Self::Address(_)
                | Self::Kind(_)
                | Self::Setup(_)
                | Self::SignIn
                | Self::Forbidden
                | Self::Refused(_)
                | Self::TooLarge(_)
                | Self::RedirectRefused
                | Self::Private
                | Self::MonitorRefused
        )
    }

    /// Whether only another token can help.
    pub const fn needs_sign_in(&self) -> bool {
        matches!(self, Self::SignIn | Self::Forbidden)
    }

    /// The time that the server asks to wait.
    pub const fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Unavailable { retry_after, .. } => *retry_after,
            _ => None,
        }
    }

    /// The error of a task that was cancelled or panicked.
    pub fn from_task(error: &tokio::task::JoinError) -> Self {
        if !error.is_panic() {
            return Self::Stopped;
        }
        supervise::count("a task of a source");
        Self::Panicked
    }

    /// Converts the error of a request without a complete answer.
    pub fn from_transport(error: &reqwest::Error) -> Self {
        if error.is_builder() {
            return Self::Address(String::new());
        }
        // A server may refuse a client certificate after the handshake, in place of an answer.
        if let Some(fault) = certificate_fault(error) {
            return Self::Certificate(fault);
        }
        if error.is_connect() {
            return from_connect(error);
        }
        if error.is_timeout() { Self::Slow } else { Self::Unreachable }
    }

    /// The error of a name for which there is no address. Without a network there is none for any.
    pub(crate) fn of_name() -> Self {
        if route::current().is_some() { Self::NameNotFound } else { Self::Offline }
    }

    /// Converts the status of an answer that is not a success.
    pub(crate) fn from_answer(status: StatusCode, retry_after: Option<Duration>) -> Self {
        match status {
            StatusCode::UNAUTHORIZED => Self::SignIn,
            // With a wait it is a rate limit.
            StatusCode::FORBIDDEN if retry_after.is_none() => Self::Forbidden,
            StatusCode::GONE => Self::Resync,
            StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT | StatusCode::FORBIDDEN => {
                Self::Unavailable { status: status.as_u16(), retry_after }
            }
            _ if status.is_server_error() => Self::Unavailable { status: status.as_u16(), retry_after },
            _ => Self::Refused(status.as_u16()),
        }
    }
}

/// An address as a log may have it: a password before its host and what follows the host may be secrets.
fn shown(address: &str) -> String {
    let at = address.find("://").map_or(0, |at| at + 3);
    let (scheme, rest) = address.split_at(at);
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (host, more) = rest.split_at(end);
    let host = host.rsplit('@').next().unwrap_or_default();
    format!("{scheme}{host}{}", if more.len() > 1 { "/…" } else { more })
}

/// The wait that a server asks for, as the end of a sentence.
fn asked_to_wait(wait: Option<Duration>) -> String {
    wait.map_or_else(String::new, |wait| format!("; it asks to wait {} s", wait.as_secs()))
}

/// Distinguishes a missing network from a server that does not listen.
fn from_connect(error: &reqwest::Error) -> Error {
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        if let Some(io) = error.downcast_ref::<io::Error>() {
            return match io.kind() {
                io::ErrorKind::NetworkUnreachable
                | io::ErrorKind::HostUnreachable
                | io::ErrorKind::NetworkDown
                | io::ErrorKind::AddrNotAvailable => Error::Offline,
                io::ErrorKind::TimedOut => Error::Slow,
                // A failed DNS lookup has no error kind of its own.
                _ if io.to_string().contains("lookup address") => Error::of_name(),
                _ => Error::Unreachable,
            };
        }
        cause = error.source();
    }
    if error.is_timeout() { Error::Slow } else { Error::Unreachable }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_cannot_be_asked_is_shown_without_what_may_be_secret() {
        for (typed, shown) in [
            ("mail example", "mail example"),
            ("gopher://news.example/private/calendar.ics?key=1", "gopher://news.example/…"),
            ("https://ana:password@/", "https:///"),
            ("ftp://ana:password@news.example?token=1", "ftp://news.example/…"),
        ] {
            let said = Error::Address(typed.to_owned()).to_string();
            assert!(said.starts_with(&format!("`{shown}` is not an address")), "{said}");
        }
    }
}
