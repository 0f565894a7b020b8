//! Listens for connections, as many of which may come at once as clients whose server was started again.

use std::io;
use std::net::SocketAddr;

use tokio::net::{TcpListener, TcpSocket, ToSocketAddrs, lookup_host};

/// The most connections that wait until they are accepted; the system may allow fewer. What comes on top tries again a
/// second later at the earliest, and Linux resets some of it.
const BACKLOG: u32 = 4_096;

/// Listens at the first of these addresses that can be taken. Needs a tokio runtime.
///
/// # Errors
/// Those of the system, for the last of the addresses; [`io::ErrorKind::InvalidInput`] if there is none.
pub async fn bind(address: impl ToSocketAddrs) -> io::Result<TcpListener> {
    let mut failed = None;
    for address in lookup_host(address).await? {
        match listen(address) {
            Ok(listener) => return Ok(listener),
            Err(error) => failed = Some(error),
        }
    }
    Err(failed.unwrap_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the name has no address")))
}

/// Listens at an address. Needs a tokio runtime.
///
/// # Errors
/// Those of the system.
pub fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    // As a port that was just left is free again; on Windows it would let others take it, too.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}
