//! The signals that end a command, and the one at which a server reads its files again.

use std::io;
#[cfg(unix)]
use std::io::IsTerminal;

/// The signals that ask this process to end: SIGTERM and Ctrl-C.
pub(crate) struct ShutdownSignals {
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(windows)]
    interrupt: tokio::signal::windows::CtrlC,
}

impl ShutdownSignals {
    /// Starts handling these signals, which then no longer end the process. A signal before [`ShutdownSignals::recv`]
    /// is awaited is kept for it.
    ///
    /// # Errors
    /// The system does not let the process handle the signals.
    pub(crate) fn listen() -> io::Result<Self> {
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            Ok(Self {
                terminate: signal(SignalKind::terminate())?,
                interrupt: signal(SignalKind::interrupt())?,
            })
        }
        #[cfg(windows)]
        {
            Ok(Self { interrupt: tokio::signal::windows::ctrl_c()? })
        }
    }

    /// Waits until the process is asked to end.
    pub(crate) async fn recv(&mut self) {
        #[cfg(unix)]
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
        #[cfg(windows)]
        self.interrupt.recv().await;
    }
}

/// What a signal asks a server for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SignalRequest {
    /// To end.
    End,
    /// To read its files again.
    Reload,
}

/// The signals of a server: those of [`ShutdownSignals`], and SIGHUP. That one says that a terminal is closed, with which a
/// server that uses it ends; any other server reads its files again.
pub(super) struct ServerSignals {
    shutdown: ShutdownSignals,
    #[cfg(unix)]
    hangup: tokio::signal::unix::Signal,
    #[cfg(unix)]
    at_hangup: SignalRequest,
}

impl ServerSignals {
    /// Starts handling these signals; one that arrives before [`ServerSignals::recv`] is awaited is kept for it.
    ///
    /// # Errors
    /// The system does not let the process handle the signals.
    pub(super) fn listen() -> io::Result<Self> {
        Ok(Self {
            shutdown: ShutdownSignals::listen()?,
            #[cfg(unix)]
            hangup: tokio::signal::unix::signal(tokio::signal::unix::SignalKind::hangup())?,
            #[cfg(unix)]
            at_hangup: if uses_terminal() { SignalRequest::End } else { SignalRequest::Reload },
        })
    }

    /// Waits for the next one. None is lost if this is given up.
    pub(super) async fn recv(&mut self) -> SignalRequest {
        #[cfg(unix)]
        {
            tokio::select! {
                () = self.shutdown.recv() => SignalRequest::End,
                _ = self.hangup.recv() => self.at_hangup,
            }
        }
        #[cfg(windows)]
        {
            self.shutdown.recv().await;
            SignalRequest::End
        }
    }
}

/// Whether a person started this program in a terminal, without `nohup`.
#[cfg(unix)]
fn uses_terminal() -> bool {
    io::stdin().is_terminal() || io::stdout().is_terminal() || io::stderr().is_terminal()
}
