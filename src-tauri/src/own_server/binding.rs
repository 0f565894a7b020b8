//! The ports of the own server: taking one, taking one again, and asking whether the server answers there.

use std::net::Ipv4Addr;
use std::time::{Duration, Instant};

use tidings_app::ServerStartError;
use tidings_sync::http::loopback_client;
use tokio::net::TcpListener;

/// Interval between two tries to reach or bind a port.
const RETRY_INTERVAL: Duration = Duration::from_millis(10);
/// The longest wait until a port that the server itself just left is free.
const PORT_FREE_TIMEOUT: Duration = Duration::from_secs(2);

/// Binds a port, for this computer alone or for other devices too.
pub(super) async fn bind(others: bool, port: u16) -> Result<TcpListener, ServerStartError> {
    let address = if others { Ipv4Addr::UNSPECIFIED } else { Ipv4Addr::LOCALHOST };
    TcpListener::bind((address, port)).await.map_err(|error| match error.kind() {
        std::io::ErrorKind::AddrInUse => ServerStartError::PortTaken(port),
        std::io::ErrorKind::PermissionDenied => ServerStartError::PortDenied(port),
        _ => other_error(error),
    })
}

/// Binds a port that this server has just left.
pub(super) async fn bind_again(others: bool, port: u16) -> Result<TcpListener, ServerStartError> {
    let start = Instant::now();
    loop {
        match bind(others, port).await {
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
