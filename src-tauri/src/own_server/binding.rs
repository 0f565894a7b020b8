//! The ports of the own server: taking one, taking one again, and asking whether the server answers there.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tidings_net::http::loopback_client;
use tidings_ports::ServerStartError;
use tokio::net::TcpListener;

/// Interval between two tries to reach or bind a port.
const RETRY_INTERVAL: Duration = Duration::from_millis(10);
/// The longest wait until a port that the server itself just left is free.
const PORT_FREE_TIMEOUT: Duration = Duration::from_secs(2);

/// Binds a port, for this computer alone or for other devices too. What connects from now on waits to be accepted. Needs
/// a tokio runtime.
pub(super) fn bind(others: bool, port: u16) -> Result<TcpListener, ServerStartError> {
    let address = if others { Ipv4Addr::UNSPECIFIED } else { Ipv4Addr::LOCALHOST };
    tidings_server::listen(SocketAddr::from((address, port))).map_err(|error| match error.kind() {
        io::ErrorKind::AddrInUse => ServerStartError::PortTaken(port),
        io::ErrorKind::PermissionDenied => ServerStartError::PortDenied(port),
        _ => other_error(error),
    })
}

/// The port that is taken ahead of the server's start.
#[derive(Default)]
pub(super) struct ReservedPort(Mutex<Option<(bool, TcpListener)>>);

impl ReservedPort {
    /// Takes a port, for this computer alone or for other devices too, if it can be taken.
    pub(super) fn take_port(&self, others: bool, port: u16) {
        *self.0.lock() = bind(others, port).ok().map(|listener| (others, listener));
    }

    /// The listener for the start: the one that was taken, if it is for the same devices. Else it listens at this port,
    /// or at a free one if this is in use.
    pub(super) fn listener(&self, others: bool, port: u16) -> Result<TcpListener, ServerStartError> {
        let taken = self.0.lock().take().filter(|(for_others, _)| *for_others == others);
        if let Some((_, listener)) = taken {
            return Ok(listener);
        }
        match bind(others, port) {
            Err(ServerStartError::PortTaken(_)) => bind(others, 0),
            bound => bound,
        }
    }
}

/// Binds a port that this server has just left.
pub(super) async fn bind_again(others: bool, port: u16) -> Result<TcpListener, ServerStartError> {
    let start = Instant::now();
    loop {
        match bind(others, port) {
            Err(ServerStartError::PortTaken(_)) if start.elapsed() < PORT_FREE_TIMEOUT => {
                tokio::time::sleep(RETRY_INTERVAL).await;
            }
            bound => return bound,
        }
    }
}

/// Waits until the server answers at its port.
pub(super) async fn wait_for_answer(port: u16, bound: Duration) {
    let Ok(client) = loopback_client(bound) else { return };
    while client.get(format!("http://127.0.0.1:{port}/api/v1/health")).send().await.is_err() {
        tokio::time::sleep(RETRY_INTERVAL).await;
    }
}

/// Whether the server at a port accepts a token.
pub(super) async fn accepts(port: u16, token: &str, bound: Duration) -> bool {
    let Ok(client) = loopback_client(bound) else { return false };
    let answer = client.get(format!("http://127.0.0.1:{port}/api/v1/me")).bearer_auth(token).send().await;
    answer.is_ok_and(|answer| answer.status().is_success())
}

/// Any other reason why the server does not listen.
pub(super) fn other_error(error: impl std::fmt::Display) -> ServerStartError {
    ServerStartError::Other(error.to_string())
}
